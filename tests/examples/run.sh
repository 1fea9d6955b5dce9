#!/bin/sh
# The front end of docs/examples/build_reverse.c, which checks its own result on every device.  (The modules beside it are
# run by tests/programs.)
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}

for args in "0 4" "1 4" "10 3" "1000 64" "4096 256"; do
    # shellcheck disable=SC2086  # two words
    timeout 120 "$build/bin/build_reverse" $args > /dev/null
done
echo "examples: ok"
