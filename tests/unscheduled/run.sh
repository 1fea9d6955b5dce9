#!/bin/bash
# Runs the programs of docs/examples/arrays, which name no levels, in the core and in FCL, and compares with results computed in Python: every program at
# some lengths, other ones from time to time, and on stored inputs, those of tests/data and, where it is there, of the folder DATA
# (../shared/data beside the sources).  At first their own lines `// run:`; at the end some once more, after passes over the core.
# Devices run what the pass `schedule` makes of them: DEVICES="opencl cpu".
#
#   QUICK=1   one length of each         FULL=1   all lengths
#   SEED=N    repeats random inputs      JOBS=N, OPTIONS=..., DEVICES=..., FILTER=..., SKIP=...: see tests/programs/run.sh
. "$(dirname "$0")/../tools/lib.sh"
export DEVICES=${DEVICES:-interp}
for file in "$here"/../../docs/examples/arrays/*.fcl{ir,}; do
    while read -r line; do
        # shellcheck disable=SC2086  # the arguments are words
        try fclc run "$file" $line
        [ $status -eq 0 ] || fail "$file: $line: $(cat "$tmp/err")"
    done < <(sed -n 's@^\(//\|--\) run: @@p' "$file")
done
[ $failures -eq 0 ] || exit 1
"$python" "$here/run.py" "$build" "$here/../.." "$tmp" || fail "as they are"
mkdir "$tmp/passes"
PASSES=${PASSES:-check,inline,fold,cse,dce,check} QUICK=1 "$python" "$here/run.py" "$build" "$here/../.." "$tmp/passes" || fail "after passes"
exit $((failures != 0))
