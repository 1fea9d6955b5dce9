#!/usr/bin/env bash
# What the library asks of OpenCL in a run: launches, arguments that have changed, one wait; a chain of a hundred runs waits once; what is compiled
# sooner for a first run, and what stays on disk of it.
. "$(dirname "$0")/../tools/lib.sh"
cd "$here/../.." || exit 1
has_opencl || { echo "calls: skipped, there is no OpenCL device"; exit 0; }
flags=(-std=c11 -O1 -I. -DCL_TARGET_OPENCL_VERSION=120)
[[ $build == *san ]] && flags+=(-fsanitize=address,undefined)
"${CC:-cc}" "${flags[@]}" -rdynamic "$here/calls.c" "$build/lib/libfcl.a" -Wl,--no-as-needed -lOpenCL -lm -ldl -pthread -o "$tmp/calls" || exit 1
mkdir -m 700 "$tmp/kept"
try "$tmp/calls" "$tmp/kept"
[ $status -eq 0 ] || fail "$(head -3 "$tmp/out" "$tmp/err")"
finish calls
