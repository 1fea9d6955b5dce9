#!/usr/bin/env bash
# The second reader and writer of both file forms, docs/examples/fclfile, beside those of the library: see check.py.  COUNT mutations of each form; SEED repeats a run; FOUND names a folder for
# the files that differ.
. "$(dirname "$0")/../tools/lib.sh"
cd "$here/../.." || exit 1
export PYTHONPATH=docs/examples PYTHONDONTWRITEBYTECODE=1
if [[ $build == *san ]]; then
    echo "format: skipped: Python cannot load a library with sanitizers"
    exit 0
fi
seed=${SEED:-$RANDOM}
count=${COUNT:-300}
cases=$((2 * count))
BUILD=$build "$python" tests/format/check.py "$seed" "$count" docs/examples/*.fclir tests/accepted/*.fclir tests/compat/0.*/*.fclir \
    tests/compat/0.*/*.fclb tests/format/*.fclir > "$tmp/out" 2>&1 || fail "SEED=$seed: $(tail -25 "$tmp/out")"

# The program that it is.
fclfile() { "$python" docs/examples/fclfile "$@"; }
for file in docs/examples/*.fclir; do
    try fcl_opt "$file" -o "$tmp/library.fclb"
    try fclfile "$tmp/library.fclb" -o "$tmp/second.fclir"
    [ $status -eq 0 ] || fail "fclfile $file: $(cat "$tmp/err")"
    try fclfile "$tmp/second.fclir" -o "$tmp/second.fclb"
    try fcl_opt "$tmp/second.fclb" -o "$tmp/again.fclb"
    cmp -s "$tmp/library.fclb" "$tmp/again.fclb" || fail "$file: other bytes by way of fclfile"
done
hash=$(fclfile --hash "$tmp/library.fclb")
[ ${#hash} -eq 64 ] || fail "fclfile --hash prints '$hash'"
ok "$hash" fclfile --hash "$tmp/second.fclir"
printf 'fcl 0.1\nfun' > "$tmp/cut.fclir"
try fclfile "$tmp/cut.fclir"
[ $status -eq 1 ] || fail "fclfile accepts a text that ends in the middle"
says 'expected func'
finish format
