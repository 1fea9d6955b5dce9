#!/bin/sh
# The C programs of docs/examples, which check their own results: build_reverse and graph on every device, adopt on the first of
# OpenCL.  (The modules beside them are run by tests/programs.)
set -eu
export FCL_CACHE=
cd "$(dirname "$0")/../.."
build=${BUILD:-build}

for args in "0 4" "1 4" "10 3" "1000 64" "4096 256"; do
    # shellcheck disable=SC2086  # two words
    timeout 120 "$build/bin/build_reverse" $args > /dev/null
done
for length in 0 1 300 5000; do
    timeout 120 "$build/bin/graph" $length > /dev/null
done
for length in 1 255 256 1000 40000; do
    timeout 120 "$build/bin/adopt" $length > /dev/null
done
echo "examples: ok"
