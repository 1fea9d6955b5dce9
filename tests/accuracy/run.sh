#!/usr/bin/env bash
# The errors of functions on floats, as docs/language.md states them: on the evaluator, and with DEVICE=opencl or vulkan on a
# device (minutes, as drivers compile 52 programs).  SEED repeats a choice of arguments.
. "$(dirname "$0")/../tools/lib.sh"
${CC:-cc} -std=c11 -D_DEFAULT_SOURCE -O1 "$here/reference.c" -lm -o "$tmp/reference" || exit 1
seed=${SEED:-$RANDOM}
cases=52
cd "$tmp" || exit 1
# shellcheck disable=SC2086
BUILD=$build "$python" "$here/measure.py" "$tmp/reference" "$seed" ${DEVICE:-} > "$tmp/out" 2>&1 || fail "SEED=$seed: $(tail -8 "$tmp/out")"
finish accuracy
