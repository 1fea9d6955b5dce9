#!/bin/bash
# Programs in TAIL give what the APL compiler's interpreter prints (docs/tail.md): those of programs/, and where they are at
# hand the compiler's own in ../shared/tail.  Broken ones are refused with a position.  SEED=N repeats the mutations, FULL=1
# runs the slowest program too, QUICK=1 mutates less.  DEVICES="opencl vulkan cpu" runs the programs on these instead, and nothing
# else.
. "$(dirname "$0")/../tools/lib.sh"
root=$(cd "$here/../.." && pwd)
given=${TAIL_PROGRAMS:-$root/../shared/tail/programs}
seed=${SEED:-$RANDOM}

# prints FILE: what it prints is in the file beside it.
prints()
{
    local file=$1 refused
    cases=$((cases + 1))
    refused=$(sed -n "s/^$(basename "$file" .tail) \(TAIL[0-9]*\).*/\1/p" "$here/open.txt")
    if [ -n "$refused" ]; then
        fclc run "$file" > "$tmp/out" 2> "$tmp/err" && fail "$file runs: take it out of open.txt"
        grep -q "error\[$refused\]" "$tmp/err" || fail "$file is not refused with $refused"
    elif ! fclc run "$file" > "$tmp/out" 2> "$tmp/err"; then
        fail "$file: $(head -1 "$tmp/err")"
    else
        cmp "$tmp/out" "${file%.tail}.out" || fail "$file prints something else"
    fi
}

# refuses CODE LINE:COLUMN TEXT
refuses()
{
    cases=$((cases + 1))
    printf '%s' "$3" > "$tmp/refused.tail"
    fclc check "$tmp/refused.tail" > "$tmp/out" 2>&1 && fail "this is accepted: ${3:0:60}"
    grep -q "refused.tail:$2: error\[$1\]" "$tmp/out" || fail "not $1 at $2, but $(grep -m1 error "$tmp/out" | cut -c1-200)"
    [ "$(grep -c ' error\[' "$tmp/out")" -eq 1 ] || fail "more than one error for ${3:0:60}"
}

# prints_on DEVICE FILE: the same there.
prints_on()
{
    local device=$1 file=$2
    cases=$((cases + 1))
    if ! timeout 600 "$build/bin/fclc" run --device="$device" "$file" > "$tmp/out" 2> "$tmp/err"; then
        fail "$file on $device: $(head -1 "$tmp/err")"
    else
        cmp -s "$tmp/out" "${file%.tail}.out" || fail "$file prints something else on $device"
    fi
}

for file in "$here"/programs/*.tail "$given"/*.tail; do
    [ -f "$file" ] || continue
    [ "$(basename "$file")" != ab-sobol-pi-m.tail ] || [ -n "${FULL:-}" ] || continue
    [ -n "${DEVICES:-}" ] || prints "$file"
    for device in ${DEVICES:-}; do prints_on "$device" "$file"; done
done
[ -z "${DEVICES:-}" ] || finish tail
[ -z "${DEVICES:-}" ] || exit 0

# Each primitive over bases, ranks and shapes gives what the description of TAIL says, which primitives.py works out by itself.
mkdir "$tmp/primitives"
$python "$here/primitives.py" "$tmp/primitives" || fail "primitives.py fails"
for file in "$tmp"/primitives/*.tail; do prints "$file"; done
[ $cases -gt 200 ] || fail "only $cases programs"

# What a program asks for comes when it is run, each time, from the current folder before the one of the program; also from its
# text form, where its levels are chosen, and from its artifact.
mkdir -p "$tmp/asks/here"
printf '3 ~4,\n+5' > "$tmp/asks/nums"
printf 'let v1:[char]1 = prArrC(readFile(cat([%s],[%s]))) in
let v2:[int]1 = power(fn v3:[int]1 => prArrI(cat(v3,readIntVecFile([%s]))),2,[1]) in
let v4:[int]0 = powerScl(fn v5:[int]0 => nowi(v5),3,0) in
addd(reduce(addd,0.0,readDoubleVecFile([%s])),i2d(b2i(andb(ltei(0,v4),ltei(v4,100000)))))' \
    "'n','u'" "'m','s'" "'n','u','m','s'" "'n','u','m','s'" > "$tmp/asks/asks.tail"
asks() # WHAT COMMAND...: gives what is in that nums
{
    local what=$1
    shift
    cases=$((cases + 1))
    "$@" > "$tmp/out" 2> "$tmp/err" || fail "$*: $(head -2 "$tmp/err")"
    if [ "$what" = 3 ]; then
        printf '3 ~4,\\n+5\n[4](1,3,-4,5)\n[7](1,3,-4,5,3,-4,5)\n[](5.0)\n'
    else
        printf '7\n[2](1,7)\n[3](1,7,7)\n[](8.0)\n'
    fi | cmp -s - "$tmp/out" || fail "$*: $(cat "$tmp/out")"
}
"$build/bin/fcl-opt" "$tmp/asks/asks.tail" --passes=cse,fold,dce,schedule -o "$tmp/asks/scheduled.fclir" || fail "asks.tail has no levels"
printf 7 > "$tmp/asks/here/nums"
for device in interp opencl vulkan cpu; do
    fclc devices | grep -q "^$device" || continue
    asks 3 fclc run --device=$device "$tmp/asks/asks.tail"
    asks 3 fclc run --device=$device "$tmp/asks/scheduled.fclir"
    (cd "$tmp/asks/here" && asks 7 "$build/bin/fclc" run --device=$device ../asks.tail)
done
if has_opencl; then
    "$build/bin/fclc" compile "$tmp/asks/asks.tail" -o "$tmp/asks/asks.fcla" || fail "asks.tail has no artifact"
    ok "$(printf '3 ~4,\\n+5\n[4](1,3,-4,5)\n[7](1,3,-4,5,3,-4,5)\n5.0')" fclc run -w --device=opencl "$tmp/asks/asks.fcla"
fi
for what in 'no:cannot be read' 'bad:line 2: this is no integer'; do
    printf '1\n2.5' > "$tmp/asks/bad"
    printf 'let v1:[int]0 = prSclI(1) in i2d(reduce(addi,0,readIntVecFile([%s])))' "$(sed "s/./'&',/g;s/,\$//" <<< "${what%%:*}")" > "$tmp/asks/not.tail"
    for device in interp cpu; do
        fclc devices | grep -q "^$device" || continue
        cases=$((cases + 1))
        fclc run --device=$device "$tmp/asks/not.tail" > "$tmp/out" 2> "$tmp/err" && fail "$what: it runs on $device"
        grep -q "not.tail:1:48: error\[E0626\].*${what#*:}" "$tmp/err" || fail "$what on $device: $(head -1 "$tmp/err")"
        printf '[](1)\n' | cmp -s - "$tmp/out" || fail "$what on $device: what comes before is not printed"
    done
done

# The text form of a program is a program with the same results, whose operations have the positions of the file.
"$build/bin/fcl-opt" "$here/programs/move.tail" --emit=text -o "$tmp/move.fclir" || fail "move.tail has no text"
grep -q 'move.tail' "$tmp/move.fclir" || fail "the text of move.tail does not name it"
fclc run "$tmp/move.fclir" > "$tmp/out" || fail "the text of move.tail does not run"
cmp "$tmp/out" "$here/programs/move.out" || fail "the text of move.tail prints something else"

# A run that fails prints what came before: where an argument decides, and where compiling sees it.
printf 'let v1:[int]0 = powerScl(fn v2:[int]0 => prSclI(idxS(1,v2,[2,3,9])),5,1) in i2d(v1)' > "$tmp/late.tail"
printf 'let v1:[int]1 = iota(4) in let v2:[int]0 = prSclI(reduce(addi,0,v1)) in let v3:[int]0 = prSclI(idxS(1,7,v1)) in 0.0' > "$tmp/seen.tail"
for late in late:2:3:9 seen:10; do
    for device in interp opencl vulkan cpu; do
        fclc devices | grep -q "^$device" || continue
        cases=$((cases + 1))
        name=${late%%:*}
        fclc run --device=$device "$tmp/$name.tail" > "$tmp/out" 2> "$tmp/err" && fail "$name.tail runs on $device"
        tr ':' '\n' <<< "${late#*:}" | sed 's/.*/[](&)/' | cmp - "$tmp/out" || fail "$name.tail: what came before a failure is not printed on $device"
        grep -q "$name.tail:1:[0-9]*: error" "$tmp/err" || fail "$name.tail: the failure on $device has no position: $(head -1 "$tmp/err")"
    done
done

# The text that formatD makes of a number is the one that is shown of it, to the last digit; and that of formatX.
doubles=1000
[ -z "${QUICK:-}${GOLDENS:-}" ] || doubles=200
$python "$here/format.py" $doubles "$seed" > "$tmp/format.tail"
cases=$((cases + doubles))
fclc run "$tmp/format.tail" > "$tmp/out" || fail "the program of texts of numbers does not run: SEED=$seed"
awk 'NR % 3 == 1 { of = $0 } NR % 3 == 2 && of != "[](" $0 ")" || NR % 3 == 0 && of != "[](" substr($0, 1, length($0) - 5) ")" {
    print of, $0 }' "$tmp/out" > "$tmp/texts"
[ ! -s "$tmp/texts" ] || fail "texts of numbers, SEED=$seed: $(head -3 "$tmp/texts")"
[ "$(wc -l < "$tmp/out")" -gt $((3 * doubles)) ] || fail "texts are missing"

# Integers wrap, or end the run where they are asked to, at the operation; what the front end adds to a program does not overflow.
overflows()
{
    cases=$((cases + 1))
    printf '%s' "$2" > "$tmp/overflow.tail"
    fclc run "$tmp/overflow.tail" > "$tmp/out" || fail "this does not wrap: $2"
    fclc run --checks=overflow "$tmp/overflow.tail" > "$tmp/out" 2>&1 && fail "no overflow is found in $2"
    grep -q "overflow.tail:$1: error\[E0718\]" "$tmp/out" || fail "not E0718 at $1: $(head -1 "$tmp/out")"
}
overflows 2:1 $'i2d(\naddi(first(iota(1)),2147483647))'
overflows 1:12 'i2d(reduce(muli,1,iota(13)))'
overflows 1:24 'i2d(reduce(addi,0,each(negi,[1,-2147483648])))'
overflows 1:27 'i2d(power(fn v1:[int]0 => muli(v1,v1),5,3))'
overflows 1:5 'i2d(floor(muld(3e9,i2d(first(iota(3))))))'
for name in rotate vrotate drop take cat reshape transp2 idxS compress replicate formatI shari resi; do
    cases=$((cases + 1))
    fclc run --checks=overflow "$tmp/primitives/$name-int.tail" > "$tmp/out" 2>&1 || fail "$name overflows: $(head -1 "$tmp/out")"
done

refuses TAIL001 1:6 'addi(?,2)'
refuses TAIL001 1:1 "'A"
refuses TAIL001 1:1 '99999999999'
refuses TAIL002 1:9 'addi(1,2'
refuses TAIL002 2:1 $'1.0\n2.0'
refuses TAIL002 1:1 '(* without an end'
refuses TAIL003 1:251 "$(printf '(%.0s' {1..5000})"
refuses TAIL003 1:257 "let v1:$(printf '(%.0s' {1..5000})"
refuses TAIL004 1:5 'i2d(v1)'
refuses TAIL004 1:5 'i2d(adi(1,2))'
refuses TAIL005 1:1 'addi(1)'
refuses TAIL005 1:6 'each(addi,[1,2])'
refuses TAIL006 1:1 'addd(1,2.0)'
refuses TAIL006 1:5 'let v1:[int]1 = 3 in 0.0'
refuses TAIL006 1:5 'let v1:<int>2 = [1,2,3] in 0.0'
refuses TAIL006 1:1 'zipWith(addi,[1,2],reshape([1,2],[1]))'
refuses TAIL006 1:1 'iota(-1)'
refuses TAIL007 1:1 'reshape(iota(addi(1,1)),[1])'
refuses TAIL009 1:6 'each(fn v1:[int]0 => prSclI(v1),[1])'
refuses TAIL009 1:22 'each(fn v1:[int]0 => nowi(v1),[1])'
refuses TAIL009 1:37 "each(fn v1:[int]0 => reduce(addi,v1,readIntVecFile(['a'])),[1])"
refuses TAIL006 1:1 'readFile([1])'

# Whatever is done to a program: it is read, or refused with a position, and nothing else.
mutations=10000
[ -z "${QUICK:-}${GOLDENS:-}" ] || mutations=1000
$python "$here/mutate.py" $mutations "$seed" "$here"/programs/*.tail > "$tmp/mutated.tail"
"$build/bin/fcl-opt" --lang=tail --split-input-file "$tmp/mutated.tail" > "$tmp/out" 2> "$tmp/err"
status=$?
cases=$((cases + mutations))
[ $status -le 1 ] || fail "mutated programs end with status $status: SEED=$seed"
grep -a ': error' "$tmp/err" | grep -av 'mutated.tail:[0-9]*:[0-9]*: error\[' > "$tmp/nowhere" &&
    fail "an error without a position, SEED=$seed: $(head -1 "$tmp/nowhere")"
[ "$(grep -ac ': error\[TAIL' "$tmp/err")" -gt $((mutations / 2)) ] || fail "hardly any mutation is refused: SEED=$seed"
grep -aq 'error\[E0850' "$tmp/err" && fail "an error of the builder, SEED=$seed: $(grep -am1 E0850 "$tmp/err")"

# Ill-typed ones: every primitive on scalars refuses what is of another type, the others refuse or take any operands.
for which in scalars others; do
    $python "$here/illtyped.py" $which "$root/frontends/tail/primitives.def" > "$tmp/illtyped.tail"
    "$build/bin/fcl-opt" --lang=tail --split-input-file "$tmp/illtyped.tail" > "$tmp/out" 2> "$tmp/err"
    [ $? -eq 1 ] || fail "ill-typed programs are not refused"
    programs=$(($(grep -c '^// -----' "$tmp/illtyped.tail") + 1)) refused=$(grep -ac ': error' "$tmp/err")
    cases=$((cases + programs))
    [ "$(grep -ac 'illtyped.tail:[0-9]*:[0-9]*: error\[TAIL' "$tmp/err")" -eq "$refused" ] ||
        fail "an ill-typed program: $(grep -a ': error' "$tmp/err" | grep -avm1 'error\[TAIL')"
    [ "$which" = others ] || [ "$refused" -eq "$programs" ] || fail "of $programs ill-typed programs $refused are refused"
    [ "$refused" -gt $((programs / 2)) ] || fail "half of the ill-typed programs is accepted"
done

# Cut at each byte it has an end that is missed.
$python "$here/mutate.py" cut "$here/programs/order.tail" > "$tmp/cut.tail"
"$build/bin/fcl-opt" --lang=tail --split-input-file "$tmp/cut.tail" > /dev/null 2> "$tmp/cuts"
[ $? -eq 1 ] || fail "programs that are cut are not refused"
size=$(wc -c < "$here/programs/order.tail")
cases=$((cases + size))
[ "$(grep -ac 'cut.tail:[0-9]*:[0-9]*: error\[TAIL' "$tmp/cuts")" -eq $((size - 1)) ] || fail "of $size programs that are cut some are read"
grep -a ': error' "$tmp/cuts" | grep -av 'cut.tail:[0-9]*:[0-9]*: error\[TAIL' > "$tmp/nowhere" &&
    fail "an error without a position in what is cut: $(head -1 "$tmp/nowhere")"

# A program of n lines costs time proportional to n: counted in instructions where they can be.
chain()
{
    $python -c "
n = $1
print(''.join('let v%d:[double]0 = addd(%s,1.0) in\n' % (i, 'v%d' % (i - 1) if i else '1.0') for i in range(n)) + 'v%d' % (n - 1))"
}
chain 100000 > "$tmp/long.tail"
fclc run "$tmp/long.tail" > "$tmp/out" && grep -q '^\[\](100001.0)$' "$tmp/out" || fail "a program of 100000 lines"

# The page lists each primitive with its type, each error, and the functions that reductions may combine in any order.
page=$root/docs/tail.md
sed -nE 's/^(SCALAR|PRIMITIVE|HIGHER)\(([a-zA-Z0-9]+),.*"([^"]*)"\)$/| `\2` | `\3` |/p' "$root/frontends/tail/primitives.def" > "$tmp/rows"
sed -nE 's/^TAIL_ERROR\([A-Z]+, *[0-9]+, "(TAIL[0-9]+)", "(.*)"\)$/| \1 | \2 |/p' "$root/frontends/tail/errors.def" >> "$tmp/rows"
sed -nE 's/^NEUTRAL\(([a-z]+),.*/`\1`/p' "$root/frontends/tail/primitives.def" >> "$tmp/rows"
[ "$(wc -l < "$tmp/rows")" -gt 150 ] || fail "the tables of the front end cannot be read"
while IFS= read -r row; do
    cases=$((cases + 1))
    grep -qF -- "$row" "$page" || fail "docs/tail.md lacks $row"
done < "$tmp/rows"
# And where the description of TAIL is at hand: each primitive that it has is one of them.
if [ -f "$given/../primitive-frequency.tsv" ]; then
    for name in $(tail -n +2 "$given/../primitive-frequency.tsv" | cut -f1); do
        grep -q "^| \`$name\` " "$page" || fail "docs/tail.md lacks the primitive $name"
    done
fi
finish tail
