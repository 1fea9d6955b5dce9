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

# Damage is named.
head -c 100 "$tmp/squares.fclb" > "$tmp/cut.fclb"
refused E0120 fcl_opt "$tmp/cut.fclb"
(head -c 20 "$tmp/squares.fclb"; printf x; tail -c +22 "$tmp/squares.fclb") > "$tmp/changed.fclb"
refused E0122 fcl_opt "$tmp/changed.fclb"
finish compat
