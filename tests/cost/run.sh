#!/usr/bin/env bash
# What programs cost beside their size: instructions of the compiler and of the evaluator, memory, time and code of programs
# of N equal parts (generate.py), N up to 10,000.  CASES="..." runs some families.
. "$(dirname "$0")/../tools/lib.sh"
[ -z "${SAN:-}" ] || { echo "cost: left out under a sanitizer"; exit 0; }
command -v valgrind > /dev/null || { echo "cost: left out, as there is no valgrind"; exit 0; }
try "$python" "$here/measure.py" "$build/bin/fclc" "$build/tests/driver" "$tmp"
cat "$tmp/out"
[ $status -eq 0 ] || fail "status $status: $(tail -5 "$tmp/err")"
finish cost
