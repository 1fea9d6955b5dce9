#!/usr/bin/env bash
# Programs that name no levels.  Those in refused/ are compiled as they are, which is refused at the place that the first line names.
. "$(dirname "$0")/../tools/lib.sh"
cd "$here/../.." || exit 1

for file in tests/arrays/refused/*.fclir; do
    IFS=: read -r line says < <(sed 's/^\/\/ //;q' "$file")
    try fclc compile --no-schedule "$file" -o "$tmp/code.cl"
    { [ $status -eq 1 ] && grep -q "^$file:$line:[0-9]*: error\[E0513\]: .*${says# }" "$tmp/err" && [ "$(grep -c 'error\[' "$tmp/err")" = 1 ]; } ||
        fail "$file: status $status: $(cat "$tmp/err")"
    ok '' fclc check "$file"
    ok '' fclc compile "$file" -o "$tmp/code.cl"
done
finish arrays
