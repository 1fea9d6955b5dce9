#!/bin/bash
# Programs without levels beside those whose levels were chosen by hand, the kernels written by hand, CUDA's libraries where there
# is nvcc, and a copy of as many bytes: times, rates and peaks of memory in one table, with how many kernels each has.
# Options are those of forms.c.
#
#   unscheduled.sh [OPTION...]   DEVICE=opencl:N chooses the device; else NVIDIA's, and the first one where there is none
#   unscheduled.sh --pack        builds on a machine without a GPU: $BUILD/bench, $BUILD/bin/fclc and tests/bench are all that the
#                                other one needs
set -eu
export FCL_CACHE= # first builds are measured
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
build=${BUILD:-build} # below the sources, where everything runs
out=$build/bench
nvcc=${NVCC:-$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2> /dev/null || true)}

if [ "${1:-}" = --pack ]; then
    make BUILD="$build" all "$out/forms"
    for name in libcjson.so.1 libOpenCL.so.1; do
        library=$(ldd "$out/forms" | sed -n "s|.*$name => \([^ ]*\).*|\1|p")
        [ -z "$library" ] || [ "$library" -ef "$out/$name" ] || cp -L "$library" "$out/$name"
    done
    exit
fi

tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT
driver=$({ ldconfig -p | sed -n 's|.*libnvidia-opencl.so.1.* => ||p'
           find /usr/lib /usr/lib64 /usr/local/nvidia -name libnvidia-opencl.so.1 2> /dev/null; } | head -1)
if [ -n "$driver" ]; then
    echo "$driver" > "$tmp/nvidia.icd"
    export OCL_ICD_VENDORS=$tmp/ # some loaders want the slash
    unset OCL_ICD_FILENAMES # names drivers that come first
fi
export LD_LIBRARY_PATH=$out${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
[ -x "$out/forms" ] || make BUILD="$build" "$out/forms"

# Kernels in the code of each program, not launches: one of several versions runs.
if [ -x "$build/bin/fclc" ]; then
    printf 'kernels:'
    sed -n 's/^[a-z].* file=\([^ ]*\) *entry=\([^ ]*\).*/\1 \2/p' "$here/unscheduled.txt" | sort -u | while read -r file entry; do
        "$build/bin/fclc" compile --report="$tmp/report" --entry="$entry" "$here/$file" -o "$tmp/code.cl" &&
            printf ' %s %s,' "$entry" "$(sed -n 's/^entry .*: \([0-9]*\) kernel.*/\1/p' "$tmp/report")"
    done
    printf '\n\n'
fi

seed=$(date +%s) shared=(--sizes=2^24,2^26)
for option; do
    case $option in
    --seed=*) seed=${option#*=} ;;
    --sizes=* | --runs=* | --only=*) shared+=("$option") ;;
    esac
done
vendor=()
if [ -n "$nvcc" ] && "$nvcc" -O3 -std=c++17 -arch=sm_90 -I. -Xcompiler -ffp-contract=off -o "$tmp/cuda" tests/bench/cuda.cu \
        tests/bench/problems.c tests/bench/check.c tests/bench/check_{arrays,halves}.c tests/bench/data.c -lcublas -lcusparse &&
        "$tmp/cuda" --seed="$seed" "${shared[@]}" > "$tmp/cuda.json"; then
    vendor=(--vendor="$tmp/cuda.json")
else
    echo "unscheduled.sh: no nvcc, or cuda.cu does not run: nothing of CUDA is in the table"
fi
"$out/forms" --device="${DEVICE:-opencl}" "${vendor[@]}" "$@" --seed="$seed" "$here"
