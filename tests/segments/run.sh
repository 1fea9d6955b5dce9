#!/bin/bash
# Segments by the skeletons of GPUs, on an OpenCL device whose blocks have threads: drawn lengths and offsets, also wrong ones, against the
# evaluator.
#
#   COUNT=N   how many are drawn     SEED=N   repeats them
. "$(dirname "$0")/../tools/lib.sh"
has_opencl || { echo "segments: skipped, there is no OpenCL device"; exit 0; }
seed=${SEED:-$((RANDOM * 32768 + RANDOM))}
echo "segments: SEED=$seed"
FCL_CACHE=$tmp/cache "$python" "$here/run.py" "$build/bin/fclc" "${COUNT:-15}" "$seed" || failures=1
