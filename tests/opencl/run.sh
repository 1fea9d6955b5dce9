#!/bin/sh
# The OpenCL C back end against compilers and devices: every scalar operator on the device against the host's meaning, every
# example's code through a strict compiler, and every example under oclgrind, which must find no race, no access out of
# bounds and no divergent barrier.  What is not installed is skipped, and said so.
set -eu
export FCL_CACHE=
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
examples=$(ls docs/examples/*.fclir tests/opencl/*.fclir 2> /dev/null || true)

# Internal functions are not exported, so the test links the library's objects.
# shellcheck disable=SC2046,SC2086  # lists of words
${CC:-cc} -std=c11 -g -I. ${CFLAGS:-} tests/opencl/test_scalars.c $(tests/tools/objects.sh "$build") \
    -lm -ldl -o "$work/test_scalars"
"$work/test_scalars"

if command -v clang-15 > /dev/null; then
    for file in $examples; do
        "$build/bin/fclc" compile "$file" -o "$work/code.cl"
        clang-15 -x cl -cl-std=CL1.2 -target spir64 -Xclang -finclude-default-header -fsyntax-only -Wall -Werror "$work/code.cl"
    done
    echo "no warnings"
else
    echo "skipped: clang-15"
fi

if command -v oclgrind > /dev/null; then
    for file in $examples; do
        sed -n 's|^// run: ||p' "$file" | while read -r args; do
            # shellcheck disable=SC2086  # the arguments are words
            oclgrind --log "$work/log" --data-races "$build/bin/fclc" run --all "$file" --device=opencl $args > /dev/null
            [ ! -s "$work/log" ] || { echo "oclgrind: $file $args"; cat "$work/log"; exit 1; }
        done
    done
    echo "oclgrind: clean"
else
    echo "skipped: oclgrind"
fi
