#!/usr/bin/env bash
# Emitting SPIR-V beside clang and llvm-spirv, which make it of the OpenCL C of the same kernels: times and bytes of modules, the
# best of RUNS (7).  `emit` is the emitter alone, from the kernel IR to the file's bytes, in elapsed time; `fcl-opt`, a whole
# process from the text of the program, and clang, which is given -O0, the fastest, are in processor time.  Milliseconds.
#
#   tests/bench/spirv.sh [FILE...]      programs (docs/examples/{reduce,scan,sort}.fclir); CLANG, LLVM_SPIRV, BUILD
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
bin=${BUILD:-$root/build}/bin
clang=${CLANG:-clang-15}
translator=${LLVM_SPIRV:-llvm-spirv-15}
runs=${RUNS:-7}
export CCACHE_DISABLE=1 # what is measured is not to be remembered
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for program in "$bin/fclc" "$bin/fcl-opt" "$clang" "$translator"; do
    command -v "$program" > /dev/null || { echo "there is no $program"; exit 1; }
done
[ $# -gt 0 ] || set -- "$root"/docs/examples/{reduce,scan,sort}.fclir

# best COMMAND...: the least processor time of some runs, in milliseconds.
best()
{
    local TIMEFORMAT='%3U %3S' i
    for ((i = 0; i < runs; i++)); do
        { time "$@" > /dev/null 2>&1; } 2>&1
    done | awk '{ ms = ($1 + $2) * 1000; if (NR == 1 || ms < least) least = ms } END { printf "%.1f", least }'
}

# emission TARGET FILE: the pass `emit`, as it is printed.
emission()
{
    local i
    for ((i = 0; i < runs; i++)); do
        "$bin/fcl-opt" "$2" --time-passes --emit=code --target="$1" -o "$tmp/emitted" 2>&1
    done | awk '$NF == "emit" { if (!n++ || $1 < least) least = $1 } END { printf "%.3f", least }'
}

by_clang()
{
    "$clang" -x cl -cl-std=CL1.2 -target spir64 -Xclang -finclude-default-header -O0 -w -emit-llvm -c "$tmp/code.cl" -o "$tmp/code.bc" &&
        "$translator" "$tmp/code.bc" -o "$tmp/code.spv"
}

echo "| program | kernels | emit, OpenCL | emit, Vulkan | \`fcl-opt\` | clang, llvm-spirv | ratio | bytes, OpenCL | bytes, Vulkan | bytes, clang |"
echo "|---|---|---|---|---|---|---|---|---|---|"
for file; do
    "$bin/fclc" compile "$file" -o "$tmp/code.cl" && by_clang || exit 1
    for target in opencl vulkan; do "$bin/fcl-opt" "$file" --emit=code --target=spirv-$target -o "$tmp/$target.spv" || exit 1; done
    opencl=$(emission spirv-opencl "$file")
    vulkan=$(emission spirv-vulkan "$file")
    whole=$(best "$bin/fcl-opt" "$file" --emit=code --target=spirv-opencl -o "$tmp/opencl.spv")
    theirs=$(best by_clang)
    echo "| \`$(basename "$file" .fclir)\` | $(grep -c '^__kernel\|^kernel' "$tmp/code.cl") | $opencl | $vulkan | $whole | $theirs |" \
        "$(awk "BEGIN { printf \"%.0f\", $theirs / $opencl }") | $(stat -c %s "$tmp/opencl.spv") | $(stat -c %s "$tmp/vulkan.spv") |" \
        "$(stat -c %s "$tmp/code.spv") |"
done
