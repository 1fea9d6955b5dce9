#!/bin/bash
# Arrays of 2^32 elements, whose positions take 64 bits, beside those of 2^28: the rate of each program of kernels/large.fcl for both,
# and their quotient.
#
#   large.sh          DEVICE=opencl chooses the device, RUNS=2 of which the least time counts
#
# Needs build/bin/fclc alone, and 8 GiB among the temporary files (TMPDIR=/dev/shm, as most of the time goes there).  Inputs
# are made by a program on the device.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
fclc=${BUILD:-build}/bin/fclc device=${DEVICE:-opencl} runs=${RUNS:-2}
tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT
export FCL_CACHE=${FCL_CACHE:-$tmp/cache}
file=$here/kernels/large.fcl

# least ENTRY ARG...: milliseconds of its kernels, by the device's clock.
least()
{
    for ((i = 0; i < runs; i++)); do
        "$fclc" run --device="$device" --time --entry="$1" -o "$tmp/out.npy" "$file" "${@:2}" 2>&1 > /dev/null |
            sed -n 's/^ *\([0-9.]*\) ms .*by the device.s clock.*/\1/p'
        rm -f "$tmp/out.npy"
    done | sort -g | head -1
}

"$fclc" devices | grep -m 1 "^$device" || echo "$device"
echo
echo '| program | GB/s at 2^28 | GB/s at 2^32 | quotient |'
echo '|---|---|---|---|'
for side in 16384 65536; do
    "$fclc" run --device="$device" --entry=made -o "$tmp/plane.npy" "$file" $side $side > /dev/null
    for entry in copied total turned; do
        echo "$entry $side $(least $entry "@$tmp/plane.npy")"
    done
    rm "$tmp/plane.npy"
done | awk '{ bytes = $2 * $2 * ($1 == "total" ? 1 : 2); rate[$1, $2] = bytes / $3 * 1e-6 }
    END { n = split("copied total turned", names, " ")
          for (i = 1; i <= n; i++) {
              few = rate[names[i], 16384]; many = rate[names[i], 65536]
              printf "| %s | %.0f | %.0f | %.2f |\n", names[i], few, many, many / few } }'
