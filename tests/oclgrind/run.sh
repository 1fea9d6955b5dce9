#!/bin/bash
# Runs the examples under oclgrind, which simulates an OpenCL device and checks every access: there must be no data race, no
# access out of bounds, no barrier in divergent flow, nothing read uninitialised; and the results must be those of the evaluator.
# QUICK=1 takes fewer configurations; FULL=1 takes all in place of some of the lines of each file, one at least, and of one of ten
# configurations of the programs.  SEED=N repeats a choice.  Optimisations are off: clang's make instructions that the simulator
# does not know.
#
# fclc finds OpenCL by dlopen of libOpenCL.so.1.  oclgrind preloads its own run-time library, whose functions take the place of
# the loader's, so that fclc sees one device, the simulator; nothing else is needed, but no OCL_ICD_VENDORS may point the loader
# elsewhere.  A process makes one context, which is all that the simulator handles well.
unset OCL_ICD_VENDORS
. "$(dirname "$0")/../tools/lib.sh"
simulator_options+=(--local-mem-size 131072)
command -v oclgrind > /dev/null || { echo "oclgrind: skipped, it is not installed"; exit 0; }
try simulated devices
if ! grep -q -i oclgrind "$tmp/out"; then
    echo "oclgrind: fclc does not see the simulator"
    exit 1
fi
seeded
examples=$here/../../docs/examples
runs=0

# grind FILE ARGUMENT...: the simulator has nothing to say, and agrees with the evaluator.
grind()
{
    local file=$1
    shift
    runs=$((runs + 1))
    rm -f "$tmp/log"
    fclc run --all "$file" --device=interp "$@" > "$tmp/expected" || fail "interp: $(basename "$file") $*"
    simulated run --all "$file" --device=opencl "$@" > "$tmp/got" ||
        fail "$(basename "$file") $*"
    [ ! -s "$tmp/log" ] || fail "$(basename "$file") $*: $(head -c 1500 "$tmp/log")"
    cmp -s "$tmp/expected" "$tmp/got" || fail "$(basename "$file") $*: $(head -c 300 "$tmp/got"), not $(head -c 300 "$tmp/expected")"
}

# What the examples themselves say how to run.
for file in "$examples"/*.fcl*; do
    while read -r args; do
        case $args in *100000*) continue ;; esac
        # shellcheck disable=SC2086  # the arguments are words
        grind "$file" $args -D BlockSize=32
    done < <(sed -n 's~^\(//\|--\) run: ~~p' "$file" | some 4)
done

# The corners of the lowering; one array there is larger than the simulator's local memory.
for file in "$here"/../defects/*.fclir; do
    while read -r line; do
        case $line in largeLocal*) continue ;; esac
        # shellcheck disable=SC2086
        grind "$file" -D BlockSize=64 --entry=${line%% =>*}
    done < <(sed -n 's|^// expect: ||p' "$file" | some 6)
done

# Lengths that only kernels know.
for file in "$here"/../fcl/lengths/*.fcl; do
    while read -r args; do
        # shellcheck disable=SC2086
        grind "$file" $args -D BlockSize=64
    done < <(sed -n 's|^-- run: *||p' "$file" | some 6)
done

# Loops that end because a check has failed: by what all threads of a group see alike.  A thread looks
# at a flag that another one may just set by an atomic step; the simulator calls that a race.
endless=$here/../checks/endless.fclir
checked_for=("${simulator_options[@]}")
simulator_options=("${simulator_options[@]/#--data-races/--uninitialized}")
while read -r _ _ entry code arguments; do
    rm -f "$tmp/log"
    # shellcheck disable=SC2086
    LIMIT=60 simulated run "$endless" --device=opencl --entry="$entry" -D BlockSize=32 $arguments \
        > "$tmp/got" 2> "$tmp/err"
    grep -q "error\[$code\]" "$tmp/err" || fail "$entry $arguments: $(head -n 1 "$tmp/err")"
    [ ! -s "$tmp/log" ] || fail "$entry $arguments: $(head -c 1500 "$tmp/log")"
done < <(grep '^// run: ' "$endless")
simulator_options=("${checked_for[@]}")
while read -r _ _ entry arguments; do
    # shellcheck disable=SC2086
    grind "$endless" --entry="$entry" -D BlockSize=32 $arguments
done < <(grep '^// fine: ' "$endless")

# Rows that the lanes of a warp load for one another, with some left at the end: blocks as of a GPU.
for entry in threes fours pulls; do
    grind "$here/../schedule/shared.fclir" --entry=$entry -D Simd=1 -D shared.blocks=1 -D shared.elements=2 $((RANDOM % 60 + 20)) $((RANDOM % 500 + 513))
done

# Parts of neighbouring columns, and what combines them, in order too.
for entry in columns gram first composed; do
    grind "$here/../schedule/thin.fclir" --entry=$entry -D Simd=1 -D nest.piece=8 -D nest.beside=1024 $((RANDOM % 300 + 64)) $((RANDOM % 6 + 1))
done

# Segments by lanes, by warps where they are long, and by blocks: likewise.
small="-D Simd=1 -D BlockSize=64 -D segments.longest=64 -D segments.numbers=64"
# shellcheck disable=SC2086
grind "$here/../segments/segments.fcl" --entry=sums $small '[1,3,3,80,81,500]' iota:501
# shellcheck disable=SC2086
grind "$here/../segments/segments.fcl" --entry=most $small -D segments.long=64 '[0,200,400]' iota:403

# Records of scans that stay in memory, all of them and some.
for records in 16 64; do
    grind "$here/../kernels/rounds.fclir" --entry=many -D JoinLaunches=1 -D BlockSize=32 -D ChainRecords=$records 35 iota:500
done

# Cells that stay in memory, taken by the last group or by a launch of its own.
for bytes in 0 65536; do
    grind "$here/../kernels/rounds.fclir" --entry=counted -D JoinLaunches=1 -D BlockSize=32 -D JoinBytes=$bytes -D JoinGroups=0 \
        5 iota:500
done

# And all programs with random inputs in several configurations, against expected results.
[ -n "${FULL:-}" ] || export SAMPLED=oclgrind:10
for suite in programs obsidian; do
    SMALL=1 DEVICES=oclgrind BUILD=$build "$here/../$suite/run.sh" || failures=$((failures + 1))
done

[ $failures -eq 0 ] && echo "oclgrind: ok ($runs runs)"
exit $((failures != 0))
