#!/bin/bash
# How long the host waits for a sum and a scan of 1 to 10^8 elements, beside CUB's where there is nvcc: both in turn, ROUNDS
# times (5) of RUNS runs each (200), the medians of the rounds' medians, and CUB's time divided by FCL's.  DEVICE=opencl:N.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
build=${BUILD:-build} rounds=${ROUNDS:-5} runs=${RUNS:-200} device=${DEVICE:-opencl}
nvcc=${NVCC:-$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2> /dev/null || true)}
make -s BUILD="$build" "$build/bench/wall"
[ -z "$nvcc" ] || "$nvcc" -O3 -std=c++17 -arch=sm_90 -o "$build/bench/wall-cuda" tests/bench/wall.cu

lines=$(mktemp)
trap 'rm "$lines"' EXIT
for ((i = 0; i < rounds; i++)); do
    [ -z "$nvcc" ] || "$build/bench/wall-cuda" "$runs" | sed 's/^/CUB /' >> "$lines"
    "$build/bench/wall" "$runs" "$device" | sed 's/^/FCL /' >> "$lines"
done
sort -s -k2,2 -k3,3n -k1,1 -k4,4n "$lines" | awk '
    function median() { return times[int((count + 1) / 2)] }
    function close_group() { if (key != "") m[key] = median(); count = 0 }
    $1 " " $2 " " $3 != key { close_group(); key = $1 " " $2 " " $3; if (!(($2, $3) in seen)) { seen[$2, $3]; order[++rows] = $2 " " $3 } }
    { times[++count] = $4 }
    END {
        close_group()
        printf "%-5s %10s %10s %10s %6s\n", "", "elements", "FCL us", "CUB us", "ratio"
        for (i = 1; i <= rows; i++) {
            split(order[i], part, " "); fcl = m["FCL " order[i]]; cub = m["CUB " order[i]]
            printf "%-5s %10s %10.1f %10s %6s\n", part[1], part[2], fcl, cub ? sprintf("%.1f", cub) : "-", cub ? sprintf("%.2f", cub / fcl) : "-"
        }
    }'
