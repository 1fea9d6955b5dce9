#!/usr/bin/env bash
# docs/examples/print_module.c prints modules with nothing but the accessors of fcl.h: the text, read back, is the same module, by
# its hash.  For the examples, the accepted programs of the tests and random modules, text and binary.
. "$(dirname "$0")/../tools/lib.sh"

cd "$here/../.." || exit 1
shopt -s globstar nullglob
print=$build/bin/print_module

# What is printed reads back as the same module, positions and attributes included.
same()
{
    local file=$1
    cases=$((cases + 1))
    "$print" "$file" > "$tmp/printed.fclir" 2> "$tmp/err" || { fail "$file is not printed: $(head -3 "$tmp/err")"; return; }
    "$print" "$file" --hash > "$tmp/hash"
    "$print" "$tmp/printed.fclir" --hash > "$tmp/printed.hash" 2> "$tmp/err" ||
        { fail "$file, printed, is refused: $(head -3 "$tmp/err")"; return; }
    cmp -s "$tmp/hash" "$tmp/printed.hash" || fail "$file, printed, is another module"
}

for file in docs/examples/**/*.fclir docs/examples/**/*.fcl tests/accepted/*.fclir tests/compat/0.[45]/*.fclir tests/format/edges.fclir tests/tools/*.fclir tests/fcl/**/*.fcl; do
    fcl_opt --passes=check "$file" -o "$tmp/checked.fclb" 2> /dev/null || continue # what is refused anyway
    case $file in *.fclir) same "$file" ;; esac # FCL source may read other files
    same "$tmp/checked.fclb"
done
[ "$cases" -gt 100 ] || fail "only $cases modules were printed"

mkdir "$tmp/random"
if [ -x "$build/tests/random" ]; then
    "$build/tests/random" --count="${COUNT:-30}" --emit="$tmp/random" > /dev/null || fail "no random modules"
    for file in "$tmp"/random/*.fclir; do
        same "$file"
    done
fi

# Positions and attributes have no part in the hash: they are looked at.
cat > "$tmp/extra.fclir" << 'END'
fcl 0.1
module attr("made by" = "a \"test\"")
kernel @k(%xs: [int]) -> [int]<grid> loc("front.apl":7:3) attr("n" = -5) {
  %p = push<grid> %xs loc("front.apl":8:1) attr("k" = "v", "j" = 9)
  return %p loc("front.apl":9:2)
}
END
"$print" "$tmp/extra.fclir" > "$tmp/out"
for words in 'module attr("made by" = "a \x22test\x22")' 'loc("front.apl":7:3) attr("n" = -5)' 'loc("front.apl":8:1) attr("k" = "v", "j" = 9)' \
    'return %p.2 loc("front.apl":9:2)'; do
    grep -qF -- "$words" "$tmp/out" || fail "no $words in: $(cat "$tmp/out")"
done

# It can fail: another literal is another module.
"$print" tests/accepted/levels.fclir | sed 's/generate 8 {/generate 9 {/' > "$tmp/other.fclir"
"$print" "$tmp/other.fclir" --hash > "$tmp/other.hash"
"$print" tests/accepted/levels.fclir --hash | cmp -s - "$tmp/other.hash" && fail "the hash says nothing"
finish reading
