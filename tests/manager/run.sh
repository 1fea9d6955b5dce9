#!/bin/bash
# The manager of passes through fcl-opt: lists, contracts, watching, finding and reducing what goes wrong, over both IRs.
. "$(dirname "$0")/../tools/lib.sh"
opt=$build/bin/fcl-opt
root=$(cd "$here/../.." && pwd)
cd "$tmp" || exit 1
cp "$root/docs/examples/sum.fclir" sum.fclir
cp "$root/docs/examples/scan_chained.fclir" scan.fclir

# ---- the table ----
# The page has what the programs know; UPDATE=1 writes it there.
"$opt" --list-passes > table
python3 - "$root/docs/passes.md" table "${UPDATE:-}" <<'END' || fail "docs/passes.md is not what --list-passes prints (UPDATE=1 rewrites it)"
import sys
page, table, update = open(sys.argv[1]).read(), open(sys.argv[2]).read(), sys.argv[3]
before, rest = page.split("```\n", 1)
old, after = rest.split("```", 1)
if update:
    open(sys.argv[1], "w").write(before + "```\n" + table + "```" + after)
sys.exit(not update and old != table)
END
cases=$((cases + 1))
grep -q '^virtualise  \* ' table || fail "virtualise is not said to be needed"
grep -A2 '^pad ' table | grep -q 'requires: virtualised' || fail "what pad requires is not said"

# ---- lists ----
ok "$("$opt" sum.fclir --passes=check,lower)" "$opt" sum.fclir '--passes= check , lower '
whole=silence,widen,virtualise,unroll,registers,promote,merge,pad,barriers,strength,outward,halves,simplify,dce,inplace,outline,localmap,legalise
ok "$("$opt" sum.fclir --emit=opencl)" "$opt" sum.fclir --passes=$whole --emit=opencl
ok "$("$opt" sum.fclir --emit=plan)" "$opt" sum.fclir --passes=check,lower,$whole --emit=plan
ok "$("$opt" sum.fclir --emit=opencl -D BlockSize=64)" "$opt" sum.fclir "--passes=check,lower(BlockSize=64),$whole" --emit=opencl
ok "$("$opt" scan.fclir --emit=opencl -D Unroll=4)" "$opt" scan.fclir "--passes=${whole/unroll/unroll(Unroll=4)}" --emit=opencl
ok "$("$opt" sum.fclir --emit=kernel --kernel-passes=none)" "$opt" sum.fclir --passes=virtualise,dce,inplace,outline,legalise
# What changes the program takes its forms back.
ok "$("$opt" sum.fclir --emit=opencl)" "$opt" sum.fclir --passes=$whole,dce,outline,localmap,legalise --emit=opencl
refused E0861 "$opt" sum.fclir --passes=$whole,dce,outline --emit=opencl
# An option is for its own pass: what follows has the target's.
ok "$("$opt" sum.fclir --passes=virtualise | sed -n 2p)" sh -c "'$opt' sum.fclir '--passes=virtualise,unroll(Unroll=4)' | sed -n 2p"

at() # at COLUMN CODE LIST [MESSAGE]: refused there
{
    refused "$2" "$opt" sum.fclir "--passes=$3"
    says "^--passes:1:$1: error\[$2\]"
    says "${4:-}"
}
at 7 E0853 check,chekc 'did you mean check'
at 1 E0859 ,check
at 7 E0859 check,,dce
at 7 E0859 'check dce'
at 7 E0859 'check('
at 19 E0859 'virtualise,unroll()'
at 25 E0859 'virtualise,unroll(Unroll)'
at 27 E0859 'virtualise,unroll(Unroll=4'
at 7 E0860 'check(fast=1)' 'it has none'
at 26 E0860 'virtualise,unroll(Unroll=)' 'it takes whole numbers from 1'
at 19 E0860 'virtualise,unroll(Unrol=4)' 'its options are Unroll'
at 26 E0860 'virtualise,unroll(Unroll=0)' 'from 1 to 65536'
at 26 E0860 'virtualise,unroll(Unroll=4x)'
at 26 E0860 'virtualise,unroll(Unroll=99999999999999999999)'
at 11 E0860 'widen    (Vector=4)'
at 1 E0859 emit 'no step of a list'

# ---- contracts ----
at 1 E0861 lower 'the pass check establishes that'
at 1 E0861 pad 'the pass virtualise establishes that'
at 12 E0861 virtualise,widen 'the pass lower establishes that'
at 12 E0861 virtualise,virtualise
at 12 E0861 virtualise,localmap 'the pass outline establishes that'
at 24 E0861 virtualise,outline,pad,localmap
at 13 E0861 check,lower,link 'core passes stand before'
refused E0861 "$opt" sum.fclir --passes=virtualise --emit=opencl
refused E0830 "$opt" sum.fclir --passes=virtualise --emit=text
refused E0830 "$opt" sum.fclir --passes=virtualise --emit=binary

# ---- kernel programs as text ----
"$opt" sum.fclir --passes=check,lower > low.kernel
"$opt" sum.fclir --emit=kernel > done.kernel
ok "$(cat low.kernel)" "$opt" --from=kernel low.kernel
for pass in widen virtualise simplify dce; do
    "$opt" sum.fclir "--passes=check,lower,$pass" > direct
    "$opt" --from=kernel low.kernel "--passes=$pass" > again
    cases=$((cases + 1))
    [ "$(wc -l < direct)" = "$(wc -l < again)" ] || fail "$pass makes something else of the text"
done
try "$opt" --from=kernel done.kernel --emit=opencl
[ $status -eq 0 ] && grep -q '__kernel' "$tmp/out" || fail "no code from text"
refused E0861 "$opt" --from=kernel low.kernel --emit=opencl
refused E0861 "$opt" --from=kernel low.kernel --passes=check
refused E0861 "$opt" --from=kernel low.kernel --passes=pad
try "$opt" --from=kernel sum.fclir
[ $status -eq 1 ] || fail "a module is no kernel program"
usage "$opt" --from=fortran sum.fclir

# ---- watching ----
marks() # the headers on standard error
{
    grep '^// \(before\|after\|.* changed nothing\)' "$tmp/err" | tr '\n' ';'
}
try "$opt" sum.fclir --passes=link,check,virtualise,dce --print-after=dce
[ "$(marks)" = '// after dce of @sum;' ] || fail "--print-after: $(marks)"
try "$opt" sum.fclir --passes=link,check,virtualise --print-before=link
[ "$(marks)" = '// before link;' ] && grep -q '^fcl 0.1' "$tmp/err" || fail "--print-before: $(marks)"
try "$opt" sum.fclir --passes=link,check,virtualise --print-before-all
[ "$(marks)" = '// before link;// before check;// before check;// before lower of @sum;// before virtualise of @sum;' ] ||
    fail "--print-before-all: $(marks)"
try "$opt" sum.fclir '--passes=check,check,lower,simplify,virtualise' --print-changed
[ "$(marks)" = '// after check;// check changed nothing;// after lower of @sum;// simplify of @sum changed nothing;// after virtualise of @sum;' ] ||
    fail "--print-changed: $(marks)"
usage "$opt" sum.fclir --print-after=nothing
try "$opt" sum.fclir --emit=opencl --time-passes
for name in check lower virtualise localmap verify emit all; do
    says " ms .*%  $name\$"
done

# ---- bisecting ----
try "$opt" sum.fclir --emit=opencl --bisect-limit=-1
unroll=$(sed -n 's/^BISECT: running pass (\([0-9]*\)) unroll on @sum$/\1/p' "$tmp/err")
[ "${unroll:-0}" -gt 1 ] || fail "--bisect-limit=-1 does not run unroll: $(head -5 "$tmp/err")"
try "$opt" sum.fclir --emit=opencl --bisect-limit=$((unroll - 1))
[ "$(grep -c '^BISECT: running' "$tmp/err")" = $((unroll - 1)) ] || fail "--bisect-limit=$((unroll - 1)) runs $(grep -c '^BISECT: running' "$tmp/err")"
says '^BISECT: running pass (1) lend on @sum$'
says "^BISECT: NOT running pass ($unroll) unroll on @sum\$"
grep -q 'virtualise' "$tmp/err" && fail "a needed pass is bisected"
cp "$tmp/out" two
ok "$(cat two)" "$opt" sum.fclir --emit=opencl --kernel-passes=silence,precheck,conversions,widen,strips,join,ends
ok "$("$opt" sum.fclir --emit=opencl)" "$opt" sum.fclir --emit=opencl --bisect-limit=-1
ok "$("$opt" sum.fclir --emit=opencl --kernel-passes=none)" "$opt" sum.fclir --emit=opencl --bisect-limit=0
try "$opt" sum.fclir --passes=link,dce --bisect-limit=1
says '^BISECT: NOT running pass (2) dce on module$'
usage "$opt" sum.fclir --bisect-limit=some

# ---- reproducers ----
repeats() # repeats CODE: the command in the reproducer ends as the one before did
{
    cases=$((cases + 1))
    [ -s "$tmp/rep" ] || fail "there is no reproducer"
    command=$(sed -n '1s|^// fcl-opt||p' "$tmp/rep")
    refused "$1" sh -c "'$opt' $command"
}
refused E0511 "$opt" sum.fclir '--passes=virtualise,dce,inplace(Param=nobody)' --reproducer="$tmp/rep"
grep -q '^kernel-ir ' "$tmp/rep" || fail "the reproducer has no kernel program"
repeats E0511
refused E0511 "$opt" sum.fclir --emit=opencl --in-place=nobody --reproducer="$tmp/rep"
repeats E0511
printf 'fcl 0.1\nkernel @k(%%xs: [int]) -> [int]<grid> {\n  return %%xs\n}\n' > wrong.fclir
"$opt" wrong.fclir --passes=check 2>&1 | sed -n 's/.*error\[\(E[0-9]*\)\].*/\1/p' | head -1 > code
refused "$(cat code)" "$opt" wrong.fclir --passes=link,check --reproducer="$tmp/rep"
repeats "$(cat code)"
rm -f "$tmp/rep"
try "$opt" sum.fclir --emit=opencl --reproducer="$tmp/rep"
[ ! -e "$tmp/rep" ] || fail "a reproducer where nothing failed"

# ---- each module checked after each pass ----
ok "$("$opt" sum.fclir --passes=check,link,dce)" "$opt" sum.fclir --passes=check,link,dce --verify-each

# ---- reducing ----
# reduces MOST COMMAND OPTION...: to at most so many bytes, for which the command succeeds, and which fcl-opt accepts.
reduces()
{
    local most=$1 command=$2
    shift 2
    try "$opt" "$@" "--reduce=$command"
    [ $status -eq 0 ] || fail "--reduce=$command: $(head -3 "$tmp/err")"
    cp "$tmp/out" small
    [ "$(wc -c < small)" -le "$most" ] || fail "--reduce=$command leaves $(wc -c < small) bytes: $(cat small)"
    try sh -c "${command//\{\}/small}"
    [ $status -eq 0 ] || fail "--reduce=$command: what is left is not of interest"
}
# The planted failure: a module with a while, wherever it is.
"$opt" sum.fclir --passes=check,link > linked.fclir
reduces 450 "grep -q '= while' {}" linked.fclir
try "$opt" small --passes=check
[ $status -eq 0 ] || fail "what is left of a module is refused"
[ "$(grep -c '^fun\|^kernel' small)" -le 2 ] || fail "functions are left: $(cat small)"
grep -q 'loc(' small && fail "positions are left"
# One that only the whole way shows: local memory in the code.
reduces 900 "'$opt' --emit=opencl {} | grep -q local" linked.fclir
# Parameters and literals.
cat > wide.fclir <<'END'
fcl 0.1

fun @f(%a: int, %b: [int], %c: int) -> int {
  %x = mul %c, 123
  %y = add %x, 4567
  %z = sub %y, %a
  return %z
}

kernel @k(%unused: int, %xs: [int], %more: [f32;2]) -> [int]<grid> {
  %n = length %xs
  %ys = generate %n { (%i: int)
    %v = call @f(%i, %xs, 99)
    %w = index %xs, %i
    %s = add %v, %w
    yield %s
  }
  %p = push<grid> %ys
  return %p
}
END
reduces 220 "grep -q 'call @f(' {}" wide.fclir
grep -q 'mul\|more\|unused\|4567' small && fail "too much is left: $(cat small)"
# Kernel programs.
reduces 900 "grep -q 'while carry' {}" --from=kernel done.kernel
try "$opt" --from=kernel small
[ $status -eq 0 ] || fail "what is left of a kernel program is refused"
refused E0831 "$opt" sum.fclir --reduce=false
# Nothing can be left out.
"$opt" sum.fclir --passes=check > exact
ok "$(cat exact)" "$opt" sum.fclir '--reduce=cmp -s {} exact'
finish manager
