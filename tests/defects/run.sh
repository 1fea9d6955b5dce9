#!/bin/bash
# Runs the `// expect: ENTRY ARG... => RESULT` lines of the modules here, on every device and at several block sizes.
# The lines of several results are joined by |.
# DEVICES="interp opencl:1" names other devices.
set -u
here=$(cd "$(dirname "$0")" && pwd)
fclc=${BUILD:-$here/../../build}/bin/fclc
devices=${DEVICES:-interp}
if [ -z "${DEVICES:-}" ] && "$fclc" devices | grep -q '^opencl'; then devices="interp opencl"; fi
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$(mktemp -d)}
checked=0 failed=0

check() { # FILE DEVICE OPTIONS LINE
    local file=$1 device=$2 options=$3 line=$4 want got
    want=${line#*=> }
    # shellcheck disable=SC2086
    got=$(set -f; timeout 120 "$fclc" run "$file" --device="$device" $options --entry=${line%% =>*} 2>&1 | paste -sd'|')
    checked=$((checked + 1))
    [ "$got" = "$want" ] && return
    failed=$((failed + 1))
    printf '%s on %s %s\n  wanted %s\n  got    %s\n' "${line%% =>*}" "$device" "$options" "$want" "$got"
}

for file in "$here"/*.fclir; do
    more=()
    case $file in */chain.fclir) more=("-DBlockSize=32 -DInPhases=1" "-DAtomicBits=32" "-DBlockSize=64 -DGroups=2") ;; esac
    while IFS= read -r line; do
        for device in $devices; do
            for options in "" "-DBlockSize=1" "-DBlockSize=100" "-DBlockSize=256 -DGroups=1" "${more[@]}"; do
                if [ "$device" = interp ] && [ -n "$options" ]; then continue; fi
                check "$file" "$device" "$options" "$line"
            done
        done
    done < <(sed -n 's|^// expect: ||p' "$file")
done
echo "$checked runs, $failed wrong"
[ "$checked" -gt 0 ] && [ "$failed" -eq 0 ]
