#!/bin/sh
# Runs the benchmark: QUICK=1 small sizes, DEVICE=opencl:N another device, BENCH_OUT=FILE where the JSON goes; arguments are
# handed on (see main.c).  `--sweep` alone stands for the tables of sweep.txt.
set -eu
export FCL_CACHE= # first builds are measured
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}" # threads of a peer that has ended leave the cores to the next one
here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:-build}
[ "${1:-}" != --sweep ] || { shift; set -- --sweep="$here/sweep.txt" "$@"; }
exec "$build/bench/bench" --device="${DEVICE:-opencl}" ${QUICK:+--quick} --out="${BENCH_OUT:-$build/bench.json}" "$@" "$here"
