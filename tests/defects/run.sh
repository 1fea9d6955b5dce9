#!/bin/bash
# Runs the `// expect: ENTRY ARG... => RESULT` lines of the modules here, on every device and at several block sizes.
# The lines of several results are joined by |.  `// fails: ENTRY ARG... => CODE` lines fail with that code everywhere.
# DEVICES="interp opencl:1" names other devices, FULL=1 takes all block sizes in place of the usual one and some, and
# all lines on every device: tests/unit/test_defects.c runs each in the simulator.
. "$(dirname "$0")/../tools/lib.sh"
every_device opencl:8 cpu:48

check() { # FILE DEVICE OPTIONS LINE
    local file=$1 device=$2 options=$3 line=$4 want lines got IFS=$' \t\n'
    want=${line#*=> }
    cases=$((cases + 1))
    set -f
    # shellcheck disable=SC2086
    fclc run --all "$file" --device="$device" $options --entry=${line%% =>*} > "$tmp/out" 2>&1
    set +f
    mapfile -t lines < "$tmp/out"
    IFS='|'
    got=${lines[*]}
    [ "$got" = "$want" ] && return
    [[ $kind == fails && $got == *"error[$want]"* ]] && return
    fail "$(printf '%s on %s %s\n  wanted %s\n  got    %s\n' "${line%% =>*}" "$device" "$options" "$want" "$got")"
}

for file in "$here"/*.fclir; do
    more=()
    case $file in */chain.fclir) more=("-DBlockSize=32 -DInPhases=1" "-DAtomicBits=32" "-DBlockSize=64 -DGroups=2") ;; esac
    while IFS= read -r line; do
        kind=${line%%: *} line=${line#*: }
        for device in $DEVICES; do
            for options in "" "-DBlockSize=1" "-DBlockSize=100" "-DBlockSize=256 -DGroups=1" "${more[@]}"; do
                if [ "$device" = interp ] && [ -n "$options" ]; then continue; fi
                takes "$device" || continue
                [ -z "$options" ] || drawn 3 || continue
                check "$file" "$device" "$options" "$line"
            done
        done
    done < <(sed -n 's|^// \(expect: .*\)|\1|p; s|^// \(fails: .*\)|\1|p' "$file")
done
[ "$cases" -gt 0 ] || fail "there is nothing to expect"
finish defects
