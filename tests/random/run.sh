#!/bin/bash
# Random programs of the core: all ways of running them agree.  build/tests/random --help tells what else it can do.
#
#   SEED=N          repeats a run; each run prints its own
#   SECONDS_EACH=N  how long the simulator is asked (6)
#   DEVICES=...     other devices than opencl, if there is one; "" for none
#   GRIND=N         how many programs run under oclgrind (20)
#
# found/ has programs that once came out wrong: each is run as its line "// random:" says.
. "$(dirname "$0")/../tools/lib.sh"
random=$build/tests/random
[ -x "$random" ] || { echo "random: make $random first"; exit 1; }
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$tmp/pocl} POCL_WORK_GROUP_SPECIALIZATION=0
seed=${SEED:-$((RANDOM * 32768 + RANDOM))}
each=${SECONDS_EACH:-6}

# agree OPTION...: nothing is found; what is printed of it says how to repeat it.
agree()
{
    cases=$((cases + 1))
    "$random" --found="$tmp/found" "$@" > "$tmp/out" 2>&1 && return
    fail "random $*"
    head -c 3000 "$tmp/out"
}

# again FILE COMMAND...: COMMAND, with the options of the file's lines "// random:", finds nothing, nor does oclgrind.
again()
{
    local file=$1 line
    shift
    while IFS= read -r line; do
        cases=$((cases + 1))
        rm -f "$tmp/log"
        eval "\"\$@\" --file=\"\$file\" $line" > "$tmp/out" 2>&1 && [ ! -s "$tmp/log" ] && continue
        fail "$* --file=$(basename "$file"): $(cat "$tmp/out" "$tmp/log" 2> /dev/null | head -c 2000)"
    done < <(sed -n 's|^// random: ||p' "$file")
}

# A device that is not there is no agreement.
try "$random" --seed=1 --count=4 --jobs=2 --device=opencl:99
{ [ $status -eq 2 ] && grep -q 'device 99' "$tmp/err"; } || fail "random --device=opencl:99: exit status $status: $(cat "$tmp/err")"

for file in "$here"/found/*.fclir; do again "$file" "$random"; done

agree --seed="$seed" --seconds="$each" --scheduled
# A program runs once for each pass then: one that takes two seconds takes more than the usual 20 in all.
agree --seed="$((seed + 10000000))" --seconds="$((each / 2))" --timeout=120 --after-each-pass
agree --seed="$((seed + 40000000))" --seconds="$each" --unscheduled
if [ -z "${DEVICES+x}" ]; then
    "$build/bin/fclc" devices | grep -q '^opencl' && DEVICES=opencl
fi
for device in ${DEVICES:-}; do
    agree --seed="$((seed + 20000000))" --seconds="$each" --device="$device" --timeout=150 --scheduled
    agree --seed="$((seed + 50000000))" --seconds="$each" --device="$device" --timeout=150 --unscheduled
done

# Under oclgrind, each kernel in a process of its own: where a buffer takes the place of one that was released, oclgrind does
# not notice all that is written to it.
if command -v oclgrind > /dev/null; then
    agree --seed="$((seed + 30000000))" --count="${GRIND:-20}" --settings=0 --device=opencl --emit="$tmp/grind"
    sed -i '/^\/\/ random:/s/join=1/join=0/' "$tmp"/grind/*.fclir # it sees no order between groups
    for file in "$tmp"/grind/*.fclir; do
        again "$file" env -u OCL_ICD_VENDORS oclgrind --data-races --uninitialized --build-options -cl-opt-disable \
            --log "$tmp/log" "$random" --device=opencl --timeout=60
    done
fi
[ $failures -eq 0 ] || echo "random: SEED=$seed"
finish random
