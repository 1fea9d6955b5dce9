#!/bin/bash
# Runs the examples under oclgrind, which simulates an OpenCL device and checks every access: there must be no data race, no
# access out of bounds, no barrier in divergent flow, nothing read uninitialised; and the results must be those of the evaluator.
#
# fclc finds OpenCL by dlopen of libOpenCL.so.1.  oclgrind preloads its own run-time library, whose functions take the place of
# the loader's, so that fclc sees one device, the simulator; nothing else is needed, but no OCL_ICD_VENDORS may point the loader
# elsewhere.  A process makes one context, which is all that the simulator handles well.
set -u
unset OCL_ICD_VENDORS
here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:-$here/../../build}
build=$(cd "$build" && pwd) || exit 1
fclc=$build/bin/fclc
[ -x "$fclc" ] || { echo "there is no $fclc"; exit 1; }
command -v oclgrind > /dev/null || { echo "oclgrind: skipped, it is not installed"; exit 0; }
if ! oclgrind "$fclc" devices | grep -q -i oclgrind; then
    echo "oclgrind: fclc does not see the simulator"
    exit 1
fi
examples=$here/../../docs/examples
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
runs=0

fail()
{
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# grind FILE ARGUMENT...: the simulator has nothing to say, and agrees with the evaluator.
grind()
{
    local file=$1
    shift
    runs=$((runs + 1))
    rm -f "$tmp/log"
    "$fclc" run "$file" --device=interp "$@" > "$tmp/expected" || fail "interp: $(basename "$file") $*"
    oclgrind --data-races --uninitialized --log "$tmp/log" "$fclc" run "$file" --device=opencl "$@" > "$tmp/got" ||
        fail "$(basename "$file") $*"
    [ ! -s "$tmp/log" ] || fail "$(basename "$file") $*: $(head -c 1500 "$tmp/log")"
    cmp -s "$tmp/expected" "$tmp/got" || fail "$(basename "$file") $*: $(head -c 300 "$tmp/got"), not $(head -c 300 "$tmp/expected")"
}

# sweep FILE ARGUMENT...: with several block sizes, and with fewer groups than the work has.
sweep()
{
    grind "$@" -D BlockSize=8
    grind "$@" -D BlockSize=33 -D Groups=2
    [ -n "${QUICK:-}" ] || grind "$@" -D BlockSize=64 -D Groups=1
}

# What the examples themselves say how to run.
for file in "$examples"/*.fclir; do
    while read -r args; do
        case $args in *100000*) continue ;; esac
        # shellcheck disable=SC2086  # the arguments are words
        grind "$file" $args -D BlockSize=32
    done < <(sed -n 's|^// run: ||p' "$file")
done

sweep "$examples/reverse.fclir" --entry=revDistribute 30 iota:200
sweep "$examples/transpose.fclir" --entry=transposeTiled 5 13 9 iota:117
sweep "$examples/reduce.fclir" --entry=reduceGrid iota:200
sweep "$examples/reduce.fclir" --entry=sum iota:200
sweep "$examples/reduce.fclir" --entry=affineBlocks 32 iota:100
sweep "$examples/reduce.fclir" --entry=reduceSequence 4 50 iota:120
sweep "$examples/scan.fclir" --entry=scanBlock iota:70
sweep "$examples/scan.fclir" --entry=scanLaunches iota:70
sweep "$examples/scan.fclir" --entry=scanThree 20 iota:90
sweep "$examples/scan.fclir" --entry=sklansky 20 iota:90
sweep "$examples/matrix.fclir" --entry=rowSums '[[1,2,3,4,5],[6,7,8,9,10],[11,12,13,14,15]]'
sweep "$examples/matrix.fclir" --entry=sgemmTiled 2 1.0f32 0.5f32 '[[1,2,3],[4,5,6],[7,8,9]]' '[[1,0,2],[0,1,0],[3,0,1]]' \
    '[[1,1,1],[1,1,1],[1,1,1]]'
sweep "$examples/levels.fclir" --entry=chunkSums 3 iota:150
sweep "$examples/levels.fclir" --entry=warpReverse 20 iota:150
sweep "$examples/levels.fclir" --entry=warpSums iota:200
sweep "$examples/levels.fclir" --entry=treeOfLevels iota:2500
sweep "$examples/levels.fclir" --entry=parity 7 iota:50

[ $failures -eq 0 ] && echo "oclgrind: ok ($runs runs)"
exit $((failures != 0))
