#!/bin/bash
# Runs the algorithms of this folder on the evaluator and on OpenCL, and compares with results computed in Python: a choice of
# lengths and block sizes that differs from time to time.
#
#   FULL=1    lengths 0, 1, 7, 257, 1000, 65537 with blocks of 32, 64, 100, 256 threads
#   SMALL=1  small ones, for simulators (DEVICES=oclgrind)
#   SEED=N    repeats random inputs      JOBS=N, OPTIONS=..., DEVICES=..., FILTER=..., SKIP=...: see tests/programs/run.sh
. "$(dirname "$0")/../tools/lib.sh"
every_device opencl:4 cpu:24
"$python" "$here/run.py" "$build" "$here/../.." "$tmp"
