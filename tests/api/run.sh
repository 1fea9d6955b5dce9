#!/usr/bin/env bash
# Every program of docs/api.md compiles without a warning, runs, and prints the text behind it.
. "$(dirname "$0")/../tools/lib.sh"

cd "$here/../.." || exit 1
[ -z "${SAN:-}" ] || { echo "api: not with sanitizers"; exit 0; }

# The blocks of the page, as 1.c with 1.text, 2.c with 2.text, ...
awk -v to="$tmp" '
    /^```c$/     { file = to "/" ++n ".c"; next }
    /^```text$/  { file = to "/" n ".text"; next }
    /^```$/      { if (file) close(file); file = ""; next }
    file         { print > file }' docs/api.md

for program in "$tmp"/*.c; do
    cases=$((cases + 1))
    name=${program%.c}
    "${CC:-cc}" -std=c11 -Wall -Wextra -Wpedantic -Werror -Ilibfcl "$program" "$build/lib/libfcl.a" -lm -ldl -o "$name" ||
        { fail "program $(basename "$name") of docs/api.md does not compile"; continue; }
    "$name" > "$name.out" 2>&1 || fail "program $(basename "$name") of docs/api.md fails: $(head -5 "$name.out")"
    diff "$name.text" "$name.out" || fail "program $(basename "$name") of docs/api.md prints something else"
done
[ "$cases" -gt 0 ] || fail "docs/api.md has no programs"

# What test_null.c calls with NULL is all of fcl.h.
cases=$((cases + 1))
diff <(sed 's|/\*.*||; s|^ \*.*||' libfcl/fcl.h | tr '\n' ' ' | grep -o 'FCL_API [^;(]*' | grep -o 'fcl_[a-z_0-9]*$' | sort -u) \
    <(sed -n 's/^[A-Z]*(\*\{0,1\}\(fcl_[a-z_0-9]*\).*/\1/p' tests/unit/calls.def | grep -v '^fcl_\(kernel_pass\|backend\)_register$' | sort -u) ||
    fail "tests/unit/calls.def does not have the functions of fcl.h"
finish api
