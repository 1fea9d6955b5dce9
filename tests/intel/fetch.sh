#!/bin/sh
# Fetches Intel's OpenCL runtime for CPUs (about 850 MB, x86-64) from PyPI into a folder, for tests/intel/run.sh:
#
#   tests/intel/fetch.sh FOLDER && INTEL_OPENCL=FOLDER tests/intel/run.sh
set -eu
[ $# = 1 ] || { echo "usage: $0 FOLDER"; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet intel-opencl-rt intel-cmplr-lib-rt
echo "$folder/lib/libintelocl.so" > "$folder/intel.icd"
