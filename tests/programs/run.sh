#!/bin/bash
# Runs the example programs (docs/examples) on the evaluator and on OpenCL, and compares with results computed in Python.
#
#   QUICK=1   a small selection          FULL=1   every length with every block size and number of groups, all on every device
#   SMALL=1   every program at small sizes, for simulators
#   SEED=N    repeats random inputs      JOBS=N   runs at once (2)
#   OPTIONS="-D IndexBits=64"            more options for fclc run
#   DEVICES="interp opencl oclgrind"     FILTER=PATTERN   only the runs whose description contains it
#   PASSES=inline,fold                   programs of the core go through these passes first
#   SKIP=PATTERN                         only those whose description does not
. "$(dirname "$0")/../tools/lib.sh"
every_device opencl:16 cpu:48
"$python" "$here/run.py" "$build" "$here/../.." "$tmp"
