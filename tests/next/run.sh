#!/usr/bin/env bash
# A library two versions on, made of the readers and writers of this one and of tables with more rows (ops.def, types.def, keys.def
# and binary.def beside this file, which stand in front of the library's own): it writes files of later versions, which the
# library of now must refuse in words that say why, and reads those of now and before.  Version 0.6 has `blend` of two operands,
# 0.7 another one of three under the same name.
. "$(dirname "$0")/../tools/lib.sh"
cd "$here/../.." || exit 1

${CC:-cc} -std=c11 -O0 -DFCL_FORMAT_MINOR=7 -Itests/next -I. tests/next/next.c ir/base/*.c ir/*.c ir/type/*.c ir/scalar/*.c \
    serialize/*.c serialize/text/*.c serialize/binary/*.c serialize/coding/*.c -o "$tmp/next" -lm || exit 1

next() { "$tmp/next" "$@"; }

# named CODE WORDS COMMAND...: it fails with that code in a message that has the words.
named()
{
    local code=$1 words=$2
    shift 2
    try "$@"
    [ $status -eq 1 ] && grep -q "error\[$code\].*$words" "$tmp/err" || fail "$*: status $status, not $code $words: $(head -3 "$tmp/err")"
}

# same FILE FILE
same()
{
    cases=$((cases + 1))
    diff "$1" "$2" > "$tmp/diff" || fail "$1 and $2 differ: $(head -5 "$tmp/diff")"
}

# ---- files of now and before ----

for text in tests/compat/[0-9]*/*.fclir; do
    grep -q '^import' "$text" && continue
    for file in "$text" "${text%.fclir}.fclb"; do
        try next "$file" "$tmp/out.fclir"
        [ $status -eq 0 ] || fail "$file is not read: $(head -3 "$tmp/err")"
        same "${text%.fclir}.expected" "$tmp/out.fclir"
    done
done

# ---- everything that is new, there and back ----

try next tests/next/all.fclir "$tmp/all.fclb"
try next "$tmp/all.fclb" "$tmp/all.fclir"
same tests/next/all.fclir "$tmp/all.fclir"
try next "$tmp/all.fclir" "$tmp/again.fclb"
cmp -s "$tmp/all.fclb" "$tmp/again.fclb" || fail "another binary file comes of the text"
for version in 5 6; do
    for form in fclir fclb; do
        named E0127 'blend came with version 0.7' next tests/next/all.fclir "$tmp/old.$form" $version
    done
done
for what in 'bound exact' 'operator each' 'operator raise' 'property exact' 'hint speed' 'level cluster' 'type bf16'; do
    named E0127 "$what came with version 0.6" next tests/next/all.fclir "$tmp/old.fclb" 5
done

# Operations that nobody knows are passed over: docs/examples/walk_fclb.py goes by the shapes in the file.
ok '@each: 1 add, 1 blend, 1 each, 1 raise, 1 return, 1 sub, 2 yield' \
    sh -c "$python docs/examples/walk_fclb.py docs/format.md < $tmp/all.fclb"

# ---- one new thing at a time, in both forms ----

while IFS='|' read -r what version found text; do
    printf 'fcl 0.7\n%b\n' "$text" > "$tmp/one.fclir"
    try next "$tmp/one.fclir" "$tmp/one.fclb"
    [ $status -eq 0 ] || fail "$what: the next library does not read it: $(head -3 "$tmp/err")"
    try next "$tmp/one.fclir" "$tmp/stated.fclir"
    cases=$((cases + 1))
    [ "$(head -1 "$tmp/stated.fclir")" = "fcl $version" ] || fail "$what is stated to need $(head -1 "$tmp/stated.fclir")"
    named E0127 '' next "$tmp/one.fclir" "$tmp/old.fclb" 5
    named E0127 '' next "$tmp/one.fclir" "$tmp/old.fclir" 5
    named E0123 '' fcl_opt "$tmp/stated.fclir"
    grep -q "has version $version, which is newer" "$tmp/err" || fail "$what in a text: $(cat "$tmp/err")"
    if [ "$found" != - ]; then
        named E0123 "$found.*the file has version $version, and this library reads up to 0.5" fcl_opt "$tmp/one.fclb"
    fi
done <<'END'
an operator|0.6|no operator 302, "each", which came with version 0.6|fun @f(%x: int) -> int {\n %y = each %x { (%a: int) yield %a } { yield %x }\n return %y\n}
one with a level|0.6|no operator 303, "raise"|fun @f(%x: int) -> int {\n %y = raise<grid> %x\n return %y\n}
one of a known name|0.7|no operator 301, "blend", which came with version 0.7|fun @f(%x: int) -> int {\n %y = blend %x, %x, 3\n return %y\n}
a scalar type|0.6|no scalar type 13|fun @f(%x: bf16) -> int {\n return 1\n}
a literal of it|0.6|no constant of form 13|fun @f(%x: int) -> int {\n %y = neg 1bf16\n return %x\n}
a kind|0.6|no kind of a parameter 11|fun @f<'a: exact>(%x: 'a) -> int {\n return 1\n}
a kind in a type|0.6|no kind 11|fun @f(%x: forall 'a: exact. 'a) -> int {\n return 1\n}
a level|0.6|-|fun @f(%x: [int]<cluster>) -> int {\n return 1\n}
a property|0.6|no property "exact", which the file needs|fun @f(%x: int) -> int {\n %y = neg %x prop("exact" = 1)\n return %y\n}
END

# A level has no number of its own: four levels above thread are four, whatever they are called.
printf 'fcl 0.7\nfun @f(%%x: [int]<cluster>) -> int {\n return 1\n}\n' > "$tmp/level.fclir"
try next "$tmp/level.fclir" "$tmp/level.fclb"
ok 'fun @f(%x: [int]<1+grid>) -> int {' sh -c "build/bin/fcl-opt $tmp/level.fclb | grep fun"

# Hints of a newer library are kept; they do not keep a file from being read.
printf 'fcl 0.7\n\nmodule hint("speed" = "high")\n\nfun @f(%%x: int) -> int {\n  return %%x\n}\n' > "$tmp/hint.fclir"
try next "$tmp/hint.fclir" "$tmp/hint.fclb"
ok "$(sed 's/0.7/0.4/' "$tmp/hint.fclir")" fcl_opt "$tmp/hint.fclb"
ok "$(sed 's/0.7/0.4/' "$tmp/hint.fclir")" fcl_opt "$tmp/hint.fclir"

# A type that stands in no function keeps no version away.
printf 'fcl 0.7\nfun @f(%%x: int) -> int {\n  return %%x\n}\n' > "$tmp/unused.fclir"
try next "$tmp/unused.fclir" "$tmp/unused.fclir.fclb" 1
[ $status -eq 0 ] || fail "what nothing uses counts: $(cat "$tmp/err")"

# What only bytes can say, made of a file that is right: see later.py.
fcl_opt docs/examples/reverse.fclir --passes=check,link -o "$tmp/right.fclb"
while IFS='|' read -r what found; do
    "$python" tests/next/later.py "$what" < "$tmp/right.fclb" > "$tmp/later.fclb" || fail "later.py $what"
    named E0123 "$found.*the file has version 0.8, and this library reads up to 0.5" fcl_opt "$tmp/later.fclb"
done <<'END'
form|no type of form 10
scalar|no scalar type 20
constant|no constant of form 20
parameter|no kind of a parameter 99
base|no base 0 of a level
operator|no operator 319
function|no function with the flags 4
flags|no flags 3 of the section "code"
section|no section "layout", which the file needs
feature|no feature "time travel"
property|no property with the flags 2
END

# ---- an operator in the place of another ----

printf 'fcl 0.6\n\nfun @f(%%x: int) -> int {\n  %%y = blend %%x, %%x\n  return %%y\n}\n' > "$tmp/older.fclir"
sed 's/0.6/0.7/; s/%x, %x/%x, %x, 2/' "$tmp/older.fclir" > "$tmp/newer.fclir"
sed 's/%x, 2/%x, 3/' "$tmp/newer.fclir" > "$tmp/other.fclir"
try next "$tmp/older.fclir" "$tmp/out.fclir"
same "$tmp/newer.fclir" "$tmp/out.fclir"
try next "$tmp/newer.fclir" "$tmp/out.fclir" 6
same "$tmp/older.fclir" "$tmp/out.fclir"
try next "$tmp/newer.fclir" "$tmp/older.fclb" 6
try next "$tmp/older.fclb" "$tmp/out.fclir"
same "$tmp/newer.fclir" "$tmp/out.fclir"
try next "$tmp/out.fclir" "$tmp/newer.fclb"
named E0123 'no operator 300, "blend", which came with version 0.6: the file has version 0.6' fcl_opt "$tmp/older.fclb"
named E0123 'no operator 301, "blend", which came with version 0.7: the file has version 0.7' fcl_opt "$tmp/newer.fclb"
named E0127 'blend came with version 0.7' next "$tmp/other.fclir" "$tmp/out.fclir" 6
named E0127 'blend came with version 0.7' next "$tmp/newer.fclir" "$tmp/out.fclir" 5
# ---- what is deprecated ----

printf 'fcl 0.1\nfun @f(%%x: int) -> int {\n  %%y = pow %%x, 2\n  %%z = pow %%y, 2\n  return %%z\n}\n' > "$tmp/pow.fclir"
fcl_opt "$tmp/pow.fclir" -o "$tmp/pow.fclb"
for form in fclir fclb; do
    try next "$tmp/pow.$form" "$tmp/out.fclir"
    [ $status -eq 0 ] && [ "$(grep -c 'warning\[W1105\]: pow is deprecated since version 0.7' "$tmp/err")" = 1 ] &&
        grep -q 'help: write mul, as often' "$tmp/err" || fail "$form: a deprecated operator is read with '$(cat "$tmp/err")'"
done
finish next
