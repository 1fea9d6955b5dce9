#!/usr/bin/env bash
# The binding of docs/examples/python: its example on every device, what it refuses, and the core as it reads it.
set -eu
[ -z "${SAN:-}" ] || { echo "python: not with sanitizers"; exit 0; }
cd "$(dirname "$0")/../.."
export FCL_LIBRARY=${BUILD:-build}/lib/libfcl.so.0 PYTHONPATH=docs/examples/python PYTHONDONTWRITEBYTECODE=1
python=/usr/bin/python3 # others may lack packages
[ -x $python ] || python=python3
$python -c 'import numpy' || { echo "python: there is no NumPy (Debian: python3-numpy)"; exit 1; }
case $FCL_LIBRARY in /*) ;; *) FCL_LIBRARY=$PWD/$FCL_LIBRARY ;; esac
$python docs/examples/python/example.py > /dev/null
$python tests/python/binding.py
$python tests/python/reading.py
echo "python: ok"
