#!/usr/bin/env bash
# The plug-in of docs/examples/cuda over all examples: NVRTC takes its code, and a GPU computes what the evaluator does.  What is not
# there is left out, and the last line says so.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${BUILD:-$here/../../build}" && pwd) || exit 1
examples=$here/../../docs/examples
python=/usr/bin/python3
"$python" -c 'import numpy' 2> /dev/null || python=python3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
[ -z "${SAN:-}" ] || { echo "cuda: skipped with the sanitizers, which Python does not open"; exit 0; }
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
mkdir "$tmp/include"
cp "$here/../../libfcl/fcl.h" "$here/../../libfcl/fcl_backend.h" "$tmp/include"
# shellcheck disable=SC2086  # several words
"${CC:-cc}" -std=c11 $warnings -fPIC -shared -I"$tmp/include" -o "$tmp/cuda_c.so" "$examples/cuda/cuda_c.c" -L"$build/lib" -lfcl || exit 1
# shellcheck disable=SC2086
"${CC:-cc}" -std=c11 -D_DEFAULT_SOURCE $warnings -DDEVICE_CALLS='"cuda/calls.h"' -I"$here/../.." -o "$tmp/run_cuda" "$examples/run_plan.c" \
    -L"$build/lib" -lfcl -ldl || exit 1
export LD_LIBRARY_PATH=$build/lib:${LD_LIBRARY_PATH:-}:/usr/local/cuda/lib64 FCL_LIBRARY=$build/lib/libfcl.so.0
"$python" "$here/examples.py" "$tmp/cuda_c.so" "$examples" "$tmp/run_cuda" "$tmp" > "$tmp/out" || { cat "$tmp/out"; exit 1; }
echo "cuda: ok ($(tail -1 "$tmp/out"))"
