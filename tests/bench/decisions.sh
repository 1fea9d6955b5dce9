#!/bin/bash
# What sharing, fusion and overwriting in place are worth: programs without levels of docs/examples/arrays with each of these off,
# in one table: time of their kernels, how many kernels their code has, and the peak of device memory beside arguments.
#
#   decisions.sh          DEVICE=opencl chooses the device, SIZE=1048576 the elements, RUNS=7 of which the median is shown
#
# Needs build/bin/fclc alone.  Inputs are made by programs on the device.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
fclc=${BUILD:-build}/bin/fclc device=${DEVICE:-opencl} runs=${RUNS:-7}
n=$((${SIZE:-1 << 20}))
tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT
export FCL_CACHE=${FCL_CACHE:-$tmp/cache}

# made NAME TYPE BODY ARG...: an array of that name.
made()
{
    printf 'import "arrays"\nsig main : int -> int -> %s\nfun main n m = %s\n' "$2" "$3" > "$tmp/$1.fcl"
    "$fclc" run --device="$device" -o "$tmp/$1.npy" "$tmp/$1.fcl" "${@:4}" > /dev/null
}

# off by one another: the low bits of a product
noise='fn i => toF32 ((i * 1664525 + 1013904223) >> 9 & 0xffff) / 65536.0'
made prices '[f32]' "map (fn i => 5.0 + 25.0 * ($noise) i) (iota (n + m))" "$n" 0
made strikes '[f32]' "map (fn i => 1.0 + 99.0 * ($noise) (i + 7)) (iota (n + m))" "$n" 0
made years '[f32]' "map (fn i => 0.25 + 9.75 * ($noise) (i + 13)) (iota (n + m))" "$n" 0
made matrix '[f32;2]' "generate (n, m) (fn (i, j) => ($noise) (i * m + j))" $((n / 1024)) 1024
made vector '[f32]' "map ($noise) (iota (n + m))" 1024 0
made pairs '[(f32, f32)]' "map (fn i => (($noise) i, ($noise) (i + 7))) (iota (n + m))" "$n" 0
made points '[f32;2]' "generate (n, m) (fn (i, j) => ($noise) (i * m + j))" 2048 3
side=$(awk "BEGIN { print int(sqrt($n)) }")

# field PATTERN FILE: the first number of the line with that.
field() { sed -n "s|^ *\([0-9.]*\) .*$1.*|\1|p" "$2" | head -1; }

# measured FILE ENTRY WITHOUT ARG...: a row of the table.
measured()
{
    local options=(--entry="$2" ${3:+--without="$3"}) times=()
    "$fclc" compile "${options[@]}" --report="$tmp/report" "$1" -o "$tmp/code.cl" 2> /dev/null
    for ((i = 0; i <= runs; i++)); do # the first one compiles
        "$fclc" run --device="$device" --time --peak "${options[@]}" -o "$tmp/out.npy" "$1" -- "${@:4}" > /dev/null 2> "$tmp/told"
        rm -f "$tmp"/out*.npy
        time=$(field 'by the device.s clock' "$tmp/told")
        [ "$i" -eq 0 ] || times+=("${time:-$(field 'run, of which' "$tmp/told")}")
    done
    printf '| %-12s | %-10s | %10.3f | %3d | %12s |\n' "$2" "${3:-all on}" \
        "$(printf '%s\n' "${times[@]}" | sort -g | sed -n "$(((runs + 1) / 2))p")" \
        "$(sed -n 's/^entry .*: \([0-9]*\) kernel.*/\1/p' "$tmp/report")" "$(field 'device memory' "$tmp/told")"
}

echo "$("$fclc" devices | grep -m 1 "^$device" || echo "$device"), $n elements, medians of $runs runs"
echo
echo '| program      | off        |         ms | kernels | bytes at most |'
echo '|---|---|---|---|---|'
while read -r file entry args; do
    for without in '' share fuse,merge inplace; do
        # shellcheck disable=SC2086  # the arguments are words
        measured "docs/examples/arrays/$file.fclir" "$entry" "$without" $args
    done
done << LIST
options blackscholes @$tmp/prices.npy @$tmp/strikes.npy @$tmp/years.npy
mandelbrot steps 255 -2.0 -1.25 2.5 $side $side
rows matvec @$tmp/matrix.npy @$tmp/vector.npy
kmeans kmeans2d 5 (@$tmp/pairs.0.npy,@$tmp/pairs.1.npy)
kmeans kmeans 5 0 3 @$tmp/points.npy
LIST
