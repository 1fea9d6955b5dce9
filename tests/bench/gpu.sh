#!/bin/bash
# The benchmark on an NVIDIA GPU: CUDA's libraries first, where there is nvcc, then FCL and the hand-written kernels, in one
# table; the chart goes to $BUILD/performance.svg.  Arguments are those of main.c.
#
#   gpu.sh [OPTION...]   builds what is missing, and runs
#   gpu.sh --pack        builds everything on a machine without a GPU, and puts the libraries that a bare machine lacks beside
#                        the programs: $BUILD/bench and tests/bench are then all that the other machine needs
set -eu
export FCL_CACHE= # first builds are measured
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
build=${BUILD:-build} # below the sources, where everything runs
out=$build/bench
json=${BENCH_OUT:-$build/bench.json}
nvcc=${NVCC:-$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2> /dev/null || true)}

# The vendor's side needs nvcc and its libraries.  cuBLAS that came with a Python package is found there.
build_cuda()
{
    [ -n "$nvcc" ] || { echo "gpu.sh: no nvcc, so nothing of CUDA is measured"; return 1; }
    mkdir -p "$out"
    echo "gpu.sh: building $out/cuda with $nvcc"
    "$nvcc" -O3 -std=c++17 -arch=sm_90 -I. -Xcompiler -ffp-contract=off -o "$out/cuda" \
        tests/bench/cuda.cu tests/bench/problems.c tests/bench/check.c tests/bench/check_{arrays,halves}.c tests/bench/data.c -lcublas -lcusparse ||
        { echo "gpu.sh: cuda.cu does not build, so nothing of CUDA is measured"; return 1; }
}

if [ "${1:-}" = --pack ]; then
    make BUILD="$build" "$out/bench"
    build_cuda || true
    for name in libcjson.so.1 libOpenCL.so.1; do
        library=$(ldd "$out/bench" | sed -n "s|.*$name => \([^ ]*\).*|\1|p")
        [ "$library" -ef "$out/$name" ] || cp -L "$library" "$out/$name"
    done
    strip "$out"/*
    ls -l "$out"
    exit
fi

# A driver whose .icd file is missing is named to the loader by one of our own.
driver=$(ldconfig -p | sed -n 's|.*libnvidia-opencl.so.1.* => ||p' | head -1)
[ -n "$driver" ] || driver=$(find /usr/lib /usr/lib64 /usr/local/nvidia -name libnvidia-opencl.so.1 2> /dev/null | head -1)
[ -n "$driver" ] || { echo "gpu.sh: there is no OpenCL driver of NVIDIA (libnvidia-opencl.so.1)"; exit 1; }
OCL_ICD_VENDORS=$(mktemp -d)/ # some loaders want the slash
export OCL_ICD_VENDORS
unset OCL_ICD_FILENAMES # names drivers that come first
trap 'rm -r "$OCL_ICD_VENDORS"' EXIT
echo "$driver" > "$OCL_ICD_VENDORS/nvidia.icd"

[ -x "$out/bench" ] || make BUILD="$build" "$out/bench"
device=${DEVICE:-$("$out/bench" --list | sed -n '/NVIDIA/s/ .*//p' | head -1)}
[ -n "$device" ] || { echo "gpu.sh: the driver shows no device"; "$out/bench" --list; exit 1; }

# Both programs get the same data, and the CUDA one those options that it has.
seed=$(date +%s) shared=()
for option; do
    case $option in
    --seed=*) seed=${option#*=} ;;
    --sizes=* | --runs=* | --only=*) shared+=("$option") ;;
    esac
done
run_cuda()
{
    local folder path=${LD_LIBRARY_PATH:-}
    for folder in /usr/local/cuda/lib64 $(python3 -c 'import nvidia.cublas as n; print(*n.__path__)' 2> /dev/null)/lib \
        $(python3 -c 'import nvidia.cu13 as n; print(*n.__path__)' 2> /dev/null)/lib; do
        path=${path:+$path:}$folder
    done
    LD_LIBRARY_PATH=$path "$out/cuda" --seed="$seed" "${shared[@]}" > "$build/cuda.json"
}

# A program that was built elsewhere may not start here: then it is built again.
measure_cuda()
{
    if [ -x "$out/cuda" ] && run_cuda; then return; fi
    build_cuda && run_cuda
}

vendor=()
if measure_cuda; then
    vendor=(--vendor="$build/cuda.json")
else
    echo "gpu.sh: nothing of CUDA is in the table"
fi

status=0
"$out/bench" --device="$device" --out="$json" "${vendor[@]}" "$@" --seed="$seed" "$here" || status=$?
if [ -f "$json" ]; then
    python3 "$here/chart.py" "$json" "$build/performance.svg"
    echo "chart: $build/performance.svg, figures: $json"
fi
exit $status
