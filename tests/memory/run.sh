#!/bin/bash
# Memory of kernels: what the map of local memory says (maps.fclir), padding against bank conflicts (pads.fclir), random chains
# of forces whose arrays share bytes, results that overwrite parameters (inplace.fclir), states of loops (states.fclir), errors over
# the limit, and the report (report.golden, without numbers of values and widths of columns).
#
#   GOLDENS=1   only what is emitted   QUICK=1   fewer random programs   SEED=N   repeats them   UPDATE=1   writes report.golden
#   FULL=1   many more, and every case on every device: else the simulator gets half of them, the cores a quarter
. "$(dirname "$0")/../tools/lib.sh"
given=${SEED:-}
seeded
seed=$SEED
count=5
[ -z "${QUICK:-}" ] || count=3
[ -z "${FULL:-}" ] || count=40
cd "$tmp" || exit 1

# ---- the map ----

# compiled ENTRY [OPTION...]: $tmp/code and $tmp/plan of a kernel in $file.
file=$here/maps.fclir
compiled()
{
    what=$1
    cases=$((cases + 1))
    fclc compile "$file" --entry="$1" -o code --plan=plan "${@:2}" || fail "$what does not compile"
}

# times NUMBER PATTERN FILE
times()
{
    local n
    n=$(grep -o -- "$2" "$3" | wc -l)
    [ "$n" -eq "$1" ] || fail "$what: $n times '$2' in $3, not $1"
}

compiled threeForces
times 1 'tile\([0-9]*\): 64 x int = 256 bytes at 0 of area\1 in phases 1 to 2, tile[0-9]*: 64 x int = 256 bytes at 0 of area\1 in phases 3 to 4' plan
times 2 '__local int [a-z0-9]*\[64\];' code
times 1 'area[0-9]*\[64\]' code
compiled threeForces --kernel-passes=simplify
times 3 '__local int tile[0-9]*\[64\]\|__local int \*tile' code
times 0 area code
compiled firstStays
times 3 '__local int tile[0-9]*\[64\];' code
times 0 area plan
compiled fourForces
times 2 '__local int area[0-9]*\[64\];' code
times 4 'of area' plan
compiled otherTypes
times 1 '__local uint4 \(area[0-9]*\)\[32\];' code
times 1 '__local long \*const tile[0-9]* = (__local long \*)area' code
compiled anyLength -D VectorBytes=1
times 2 '__local int \*[a-z0-9]*[,)]' code
times 1 'tile\([0-9]*\): \(%[0-9]*\) x int at 0 of area\1 in phases 1 to 2, tile[0-9]*: \2 x int at 0 of area\1 in phases 3 to 4' plan
# The turn's array and the one behind the loop share bytes; that which every turn reads does not, and the loop's own is in
# registers.
compiled aroundLoop
times 1 '__local int tile[0-9]*\[64\];' code
times 1 '__local int area[0-9]*\[64\];' code
times 1 'of area[0-9]* in phases 2 to 3' plan
compiled longChain -D LocalLimit=8192 -D VectorBytes=1
times 2 '__local int area[0-9]*\[1024\];' code

# ---- blocks are smaller where local memory is short, unless their size was asked for ----

printf '%s\n' 'import "arrays"' 'sig main : int -> [int]' 'fun main n = filter (fn x => x mod 3 == 1) (generate n id)' > kept.fcl
if has_opencl; then
    cases=$((cases + 1))
    fclc run kept.fcl 30000 --device=opencl -D Simd=1 -D LocalLimit=5000 > out 2> err || fail "blocks do not get smaller: $(cat err)"
    grep -q '^\[1, 4, 7, .*29998\] (10000 elements)$' out || fail "smaller blocks: $(head -c 100 out)"
    refused E0858 fclc run kept.fcl 30000 --device=opencl -D Simd=1 -D LocalLimit=5000 --block-size=256
    refused E0858 fclc run kept.fcl 30000 --device=opencl -D Simd=1 -D LocalLimit=5000 -D BlockSize=256
    printf '%s\n' 'import "arrays"' 'sig main : int -> [int]' \
        'fun main n = accumulate (replicate 256 0) (generate n id) (fn x => (x mod 256, 1)) (+)' > cells.fcl
    refused E0858 fclc run cells.fcl 30000 --device=opencl -D LocalLimit=256
fi

# ---- over the limit: the arrays in use at the fullest place, with their bytes and where they are forced ----

refused E0858 fclc compile "$here/maps.fclir" --entry=fixed -D LocalLimit=511
says 'kernel fixed_1 needs 512 bytes of local memory; the limit is 511'
[ "$(grep -c 'maps.fclir:9:[0-9]*: note: tile[0-9]*: 64 elements of type int, 256 bytes' err)" -eq 2 ] || fail "$(cat err)"
if has_opencl; then
    refused E0615 fclc run --all "$here/maps.fclir" --entry=anyLength --device=opencl 20000000 iota:20000000
    says 'needs 160000000 bytes'
    [ "$(grep -c 'note: tile[0-9]*: 20000000 elements of type int, 80000000 bytes' err)" -eq 2 ] || fail "$(cat err)"
    for entry in threeForces firstStays fourForces otherTypes "anyLength 50" "aroundLoop 3" longChain; do
        # shellcheck disable=SC2086
        ok "$(fclc run --all "$here/maps.fclir" --entry=$entry iota:300)" \
            fclc run --all "$here/maps.fclir" --device=opencl --entry=$entry iota:300
    done
fi

# ---- the report ----

reports()
{
    (cd "$here" && fclc compile maps.fclir --entry=fixed --report && fclc compile maps.fclir --entry=anyLength --report &&
        fclc compile maps.fclir --entry=aroundLoop --report && fclc compile pads.fclir --entry=wholeTile --report) |
        sed -E 's/(tile|area|own|%)[0-9]+/\1N/g; s/ +/ /g'
}

cases=$((cases + 1))
reports > report || fail "no report"
[ -z "${UPDATE:-}" ] || cp report "$here/report.golden"
diff "$here/report.golden" report || fail "the report changed (UPDATE=1 accepts it)"

# Beside the code, or in its place; one file each.
fclc compile "$here/maps.fclir" --entry=fixed --report > report
fclc compile "$here/maps.fclir" --entry=fixed > code
try fclc compile "$here/maps.fclir" --entry=fixed --report=beside
cmp -s out code && cmp -s beside report || fail "--report=FILE"
try fclc compile "$here/maps.fclir" --entry=fixed --report -o beside
cmp -s out report && cmp -s beside code || fail "--report -o FILE"
usage fclc compile "$here/maps.fclir" --entry=fixed --report=one --plan=one
usage fclc compile "$here/maps.fclir" --entry=fixed --report -o -

# ---- padding ----

file=$here/pads.fclir

# A row of a tile becomes one longer, by a shift where only the number of an element is known, and for nothing where row and column
# are.  Matrices have a launch for positions of 32 bits and one for 64.
compiled turn32 -D VectorBytes=1
times 2 '__local int tile[0-9]*\[1055\];' code
times 2 '1055 x int = 4220 bytes' plan
compiled turn64 -D VectorBytes=1
times 2 '__local int tile[0-9]*\[4159\];' code
compiled turnDouble -D VectorBytes=1
times 2 '__local double tile[0-9]*\[1055\];' code
compiled wholeTile --kernel-passes=pad,simplify
times 1 'tile[0-9]*\[(v[0-9]* & 31) \* 33 + (v[0-9]* >> 5)\]' code
compiled byThreads --kernel-passes=pad,simplify
times 1 'tile[0-9]*\[\(v[0-9]*\) + (\1 >> 5)\]' code
compiled inOrder -D VectorBytes=1
times 1 '__local int tile[0-9]*\[1024\];' code
compiled turn32 --kernel-passes=simplify,localmap -D IndexBits=32
times 1 '__local int tile[0-9]*\[1024\];' code
# There must be room for it.
compiled wholeTile -D LocalLimit=4219 --kernel-passes=pad,simplify
times 1 '__local int tile[0-9]*\[1024\];' code
compiled wholeTile -D LocalLimit=4220 --kernel-passes=pad,simplify
times 1 '__local int tile[0-9]*\[1055\];' code

# matrix ROWS COLUMNS SUFFIX: as a literal.
matrix()
{
    awk -v r="$1" -v c="$2" -v s="${3:-}" 'BEGIN {
        printf "["
        for (i = 0; i < r; i++) { printf i ? ",[" : "["; for (j = 0; j < c; j++) printf "%s%d%s", j ? "," : "", (i * c + j) % 251, s; printf "]" }
        print "]"
    }'
}

# padded DEVICE COMMAND...: every kernel, in and out of whole tiles, is what the evaluator says.
padded()
{
    local device=$1 run
    shift
    for run in "turn32 $(matrix 70 37)" "turn32 $(matrix 1 33)" "turn64 $(matrix 65 40)" "turnDouble $(matrix 33 65 .5)" \
        "turnBytes $(matrix 64 33)" "wholeTile [3,4]" "byThreads [5,6,7]" "inOrder iota:1500"; do
        # shellcheck disable=SC2086
        ok "$(fclc run --all "$file" --entry=$run)" "$@" run --all "$file" --device=opencl --entry=$run -D BlockSize=64
        [ ! -s log ] || fail "$run on $device: $(head -c 1000 log)"
    done
}

rm -f log
if has_opencl; then padded opencl fclc; fi
if has_simulator; then
    padded oclgrind simulated
fi

# ---- results that overwrite a parameter ----

file=$here/inplace.fclir

# overwritten N DEVICE COMMAND...: accepted ones, one of N, are what the evaluator says, in the parameter's memory.
overwritten()
{
    local of=$1 device=$2 param entry args
    shift 2
    while read -r param entry args; do
        # shellcheck disable=SC2086
        ok "$(fclc run --all "$file" --entry="$entry" $args)" \
            "$@" run --all "$file" --device=opencl --in-place="$param" --entry="$entry" $args
        [ ! -s log ] || fail "$entry over $param on $device: $(head -c 1000 log)"
    done < <(sed -n 's|^// over \([a-z]*\): \([a-zA-Z]*\) \(.*\)|\1 \2 \3|p' "$file" | some "$of")
}

rm -f log
if has_opencl; then overwritten 1 opencl fclc; fi
if has_simulator; then overwritten 2 oclgrind simulated; fi
while read -r param entry text; do
    line=$(awk -v k="kernel @$entry(" 'index($0, k) == 1 { n = NR; in_it = 1 } in_it && /\/\/ here/ { n = NR } /^}/ { in_it = 0 } END { print n }' "$file")
    refused E0511 fclc compile "$file" --entry="$entry" --in-place="$param"
    says "^[^ ]*inplace.fclir:$line:.*no result of $entry can overwrite $param: $text"
done < <(sed -n 's|^// not over \([a-z]*\): \([a-zA-Z]*\) \(.*\)|\1 \2 \3|p' "$file")

# The parameter's memory is no constant then.
compiled normalised --in-place=xs
times 1 '__global int \*restrict in0_xs' code
# Without an array parameter of that name there is nothing to overwrite.
refused E0511 fclc compile "$file" --in-place=xs

# ---- states that a step makes where they go ----

file=$here/states.fclir
handed_on() # N DEVICE COMMAND...
{
    local of=$1 entry args
    shift
    while read -r entry args; do
        # shellcheck disable=SC2086
        ok "$(fclc run --all "$file" --entry="$entry" $args)" "${@:2}" run --all "$file" --device="$1" --entry="$entry" $args
        [ ! -s log ] || fail "$entry $args on $1: $(head -c 1000 log)"
    done < <(sed -n 's|^// run: ||p' "$file" | some "$of")
}

rm -f log
if [ -z "${GOLDENS:-}" ]; then handed_on 4 cpu fclc; fi
if has_opencl; then handed_on 2 opencl fclc; fi
if has_simulator; then handed_on 2 opencl simulated; fi
while read -r entry number; do
    cases=$((cases + 1))
    fclc compile "$file" --entry="$entry" --report=report -o code
    grep -q "^entry $entry: $number kernels" report || fail "$entry: $(head -n 1 report), not $number kernels"
done < <(sed -n 's|^// kernels: ||p' "$file")

# ---- random chains of forces ----
#
# PoCL 3.1 miscompiles some branches and loops with barriers inside: those are for the simulator.

shared=0

# same DEVICE COMMAND...: what the command prints is what the evaluator did.
same()
{
    "${@:2}" > got 2> err || fail "seed $s on $1: status $?: $(head -3 err)"
    cmp -s expected got || fail "seed $s on $1: ${*:2}"
}

# chain SEED [all]: a program in chain.fclir that the checker accepts.
chain()
{
    s=$1
    "$python" "$here/generate.py" "$@" > chain.fclir || fail "generate.py $*"
    fclc check chain.fclir 2> err && return 0
    grep -q E0504 err || fail "seed $s: $(head -3 err)" # the generator knows no bounds
    return 1
}

for ((k = seed; k < seed + count; k++)); do
    args=(-D BlockSize=$((32 << k % 3)) $((k % 40 + 9)) iota:$((k % 90 + 40)))
    if chain "$k" && has_opencl; then
        cases=$((cases + 1))
        fclc run --all chain.fclir "${args[@]}" > expected || fail "seed $s"
        same opencl fclc run --all chain.fclir --device=opencl "${args[@]}"
        fclc compile chain.fclir --plan=plan -o code || fail "seed $s"
        shared=$((shared + $(grep -c 'of area' plan)))
    fi
    if chain "$k" all && has_simulator; then
        cases=$((cases + 1))
        rm -f log
        [ $((k % 2)) -eq 0 ] || args+=(-D Groups=2)
        fclc run --all chain.fclir "${args[@]}" > expected || fail "seed $s"
        same oclgrind simulated run --all chain.fclir --device=opencl "${args[@]}"
        [ ! -s log ] || fail "seed $s under oclgrind: $(head -c 1000 log)"
    fi
done
[ -n "${GOLDENS:-}" ] || [ $shared -gt 0 ] || [ -n "$given" ] || fail "no random program shares memory"

finish memory
