#!/usr/bin/env bash
# Files of every version are kept here forever, and so is every number that stands in them.  `run.sh update` brings the tables of
# docs/format.md, core.md and artifact.md up to date and adds new numbers to wire.txt; what is in wire.txt already never changes.
. "$(dirname "$0")/../tools/lib.sh"

cd "$here/../.." || exit 1
${CC:-cc} -std=c11 -I. tests/compat/tables.c -o "$tmp/tables" || exit 1

# A page with every table as it is now.
fresh_page()
{
    local line name
    while IFS= read -r line; do
        if [[ $line == '<!-- table: '* ]]; then
            name=${line#<!-- table: }
            printf '%s\n\n' "$line"
            "$tmp/tables" "${name% -->}"
            printf '\n<!-- end -->\n'
            while IFS= read -r line && [ "$line" != '<!-- end -->' ]; do :; done
        else
            printf '%s\n' "$line"
        fi
    done < "$1"
}

"$tmp/tables" wire > "$tmp/wire"
for page in format core artifact; do
    fresh_page docs/$page.md > "$tmp/$page.md"
done
if [ "${1:-}" = update ]; then
    cp "$tmp/format.md" "$tmp/core.md" "$tmp/artifact.md" docs/
    grep -vxFf tests/compat/wire.txt "$tmp/wire" >> tests/compat/wire.txt
    exit
fi

cases=$((cases + 3))
gone=$(grep -vxFf "$tmp/wire" tests/compat/wire.txt)
[ -z "$gone" ] || fail "files hold these, but the tables do not any more: $gone"
[ "$(wc -l < tests/compat/wire.txt)" -eq "$(wc -l < "$tmp/wire")" ] || fail "wire.txt lacks new rows: tests/compat/run.sh update"
[ "$(sort -k1,2 -u tests/compat/wire.txt | wc -l)" -eq "$(wc -l < tests/compat/wire.txt)" ] || fail "a number stands for two things"
for page in format core artifact; do
    cmp -s "$tmp/$page.md" docs/$page.md || fail "docs/$page.md is not what the tables say: tests/compat/run.sh update"
done

# Both forms of a kept file hold the same, are printed as they were then, and can be written for that version again.
for text in tests/compat/[0-9]*/*.fclir; do
    binary=${text%.fclir}.fclb
    version=$(basename "$(dirname "$text")")
    ok "$(cat "${text%.fclir}.expected")" fcl_opt "$text"
    ok "$(cat "${text%.fclir}.expected")" fcl_opt "$binary"
    try fcl_opt "$text" -o "$tmp/text.fclb" --emit-version="$version"
    try fcl_opt "$binary" -o "$tmp/binary.fclb" --emit-version="$version"
    [ $status -eq 0 ] || fail "$binary cannot be written again: $(cat "$tmp/err")"
    cmp -s "$tmp/text.fclb" "$tmp/binary.fclb" || fail "$text and $binary differ"
    try fclc check "$binary"
    [ $status -eq 0 ] || fail "$binary is refused: $(cat "$tmp/err")"
done

# What the kept files do not use is not kept.
sed -n 's/^operator [0-9]* \([a-z0-9]*\) .* since 1$/\1/p' tests/compat/wire.txt | while read -r name; do
    grep -qw -- "$name" tests/compat/0.1/*.expected || echo "$name"
done > "$tmp/missing"
[ ! -s "$tmp/missing" ] || fail "no kept file of version 0.1 uses $(tr '\n' ' ' < "$tmp/missing")"

# Programs that write and read the binary form without libfcl.
"$python" docs/examples/write_fclb.py > "$tmp/squares.fclb" || fail "write_fclb.py"
ok '[0, 1, 4, 9]' fclc run "$tmp/squares.fclb" '[0, 1, -2, 3]'
fcl_opt "$tmp/squares.fclb" > "$tmp/squares.fclir"
diff "$tmp/squares.fclir" tests/compat/squares.golden || fail "write_fclb.py writes something else"
fcl_opt --passes=check,link docs/examples/reverse.fclir -o "$tmp/reverse.fclb"
"$python" docs/examples/list_fclb.py < "$tmp/reverse.fclb" > "$tmp/list" || fail "list_fclb.py"
fcl_opt "$tmp/reverse.fclb" | sed -n 's/ loc(.*//; s/ {$//; /^fun\|^kernel/p' | diff - "$tmp/list" || fail "list_fclb.py"

# What this library does not write.
refused E0128 fcl_opt docs/examples/sum.fclir --emit=binary --emit-version=0.99
refused E0128 fcl_opt docs/examples/sum.fclir --emit-version=1.0
usage fcl_opt docs/examples/sum.fclir --emit-version=new

# Bounds of type parameters came with 0.3, inferred ones too.
printf 'fcl 0.1\nfun @f<%sa>(%%x: %sa) {\n  %%y = add %%x, %%x\n  return %%y\n}\n' "'" "'" > "$tmp/bound.fclir"
refused E0127 fcl_opt "$tmp/bound.fclir" --emit-version=0.2
refused E0127 fcl_opt --passes=check "$tmp/bound.fclir" --emit=binary --emit-version=0.2
ok 'fcl 0.3' sh -c "build/bin/fcl-opt $tmp/bound.fclir | sed 1q"
ok "fun @f<'a: num>(%x: 'a) -> 'a {" sh -c "build/bin/fcl-opt --passes=check $tmp/bound.fclir | grep fun"

# Both forms are written under the version that is asked for, and what came later is named; types that no function has do not
# count.
printf 'fcl 0.4\nfun @f(%%x: int) -> int hint("inline" = 1) {\n  return %%x\n}\n' > "$tmp/hint.fclir"
refused E0127 fcl_opt "$tmp/hint.fclir" --emit-version=0.3
refused E0127 fcl_opt "$tmp/hint.fclir" --emit=binary --emit-version=0.3
fcl_opt "$tmp/hint.fclir" --emit-version=0.3 2>&1 | grep -q 'the hint inline came' || fail "a hint is not called one"
sed 's/ hint.*) {/ {/' "$tmp/hint.fclir" > "$tmp/plain.fclir"
ok 'fcl 0.1' sh -c "build/bin/fcl-opt $tmp/plain.fclir | sed 1q"
ok 'fcl 0.3' sh -c "build/bin/fcl-opt $tmp/plain.fclir --emit-version=0.3 | sed 1q"
printf 'fcl 0.4\nfun @f(%%x: int) -> int {\n  %%t = constant<f16; 1> "ADw="\n  return %%x\n}\n' > "$tmp/unused.fclir"
ok 'fcl 0.1' sh -c "build/bin/fcl-opt $tmp/unused.fclir --passes=check,dce --emit-version=0.1 | sed 1q"
fcl_opt "$tmp/unused.fclir" --passes=check,dce --emit=binary --emit-version=0.1 -o "$tmp/unused.fclb" || fail "what dce removes is not gone"

# A text of a newer version says so where something in it is unknown; where nothing is, it is read.
sed 's/fcl 0.4/fcl 0.99/' "$tmp/hint.fclir" > "$tmp/newer.fclir"
ok 'fcl 0.4' sh -c "build/bin/fcl-opt $tmp/newer.fclir | sed 1q"
while IFS='|' read -r what line; do
    cases=$((cases + 1))
    printf 'fcl 0.99\n%b\n' "$line" > "$tmp/newer.fclir"
    try fcl_opt "$tmp/newer.fclir"
    grep -q 'error\[E0123\]' "$tmp/err" && grep -q 'has version 0.99' "$tmp/err" || fail "$what of a newer text: $(head -4 "$tmp/err")"
done <<'END'
an operator|fun @f(%x: int) -> int {\n %y = frobnicate %x\n return %y\n}
a type|fun @f(%x: bf16) -> int {\n return 1\n}
a literal|fun @f(%x: int) -> int {\n %y = add %x, 1bf16\n return %y\n}
a form of type|fun @f(%x: {int}) -> int {\n return 1\n}
a level|fun @f(%x: [int]<cluster>) -> int {\n return 1\n}
a kind|fun @f<'a: exact>(%x: 'a) -> int {\n return 1\n}
an item|table @f
a property|fun @f(%x: int) -> int prop("exact" = 1) {\n return 1\n}
a section|section "new" 1 ""
what stands behind an operation|fun @f(%x: int) -> int {\n %y = neg %x cost(3)\n return %y\n}
END

# A level parameter keeps a name that a later version took for a type.
ok '' fclc check tests/format/level_names.fclir
sed 's/fcl 0.1/fcl 0.2/' tests/format/level_names.fclir > "$tmp/names.fclir"
refused E0218 fclc check "$tmp/names.fclir"

# Operations are counted without knowing all of them.
ok '@f: 1 return' sh -c "build/bin/fcl-opt $tmp/plain.fclir --emit=binary -o $tmp/plain.fclb; $python docs/examples/walk_fclb.py docs/format.md < $tmp/plain.fclb"

# Damage is named.
head -c 100 "$tmp/squares.fclb" > "$tmp/cut.fclb"
refused E0120 fcl_opt "$tmp/cut.fclb"
(head -c 20 "$tmp/squares.fclb"; printf x; tail -c +22 "$tmp/squares.fclb") > "$tmp/changed.fclb"
refused E0122 fcl_opt "$tmp/changed.fclb"
finish compat
