#!/usr/bin/env bash
# Accesses that are wrong are refused on devices as by the evaluator: with the same code, at the same
# place, and with no result.  Those that are right give the same with all checks, with those that are
# not proved, and without.  The shares of accesses proved for docs/examples are those of
# docs/checks.md (UPDATE=1 writes them).  OpenCL gets what is wrong with each entry in each way, one example of each at least; of
# what is right, and of the rest, a part, as every_device says.
. "$(dirname "$0")/../tools/lib.sh"
export POCL_CACHE_DIR=$tmp/pocl
mkdir -p "$POCL_CACHE_DIR"
every_device opencl:12 cpu:24

# refused_at DEVICE CODE LINE COMMAND...: the code and the line of the source are named.
refused_at()
{
    local device=$1 code=$2 line=$3
    shift 3
    try "${run[@]}" run "$wrong" --device="$device" "$@"
    [ "$status" = 1 ] || fail "$device $*: status $status"
    [ -s "$tmp/out" ] && fail "$device $*: a result is handed out: $(head -c 100 "$tmp/out")"
    grep -q "${wrong##*/}:$line:[0-9]*: error\[$code\]" "$tmp/err" ||
        fail "$device $*: not $code in line $line: $(head -n 1 "$tmp/err")"
}

# each_kind: puts before each line of standard input whether it is the one, drawn, of its entry and code, or one more.
each_kind()
{
    awk -v seed="${SEED:-1}" 'BEGIN { srand(seed) }
        { line[NR] = $0; kind[NR] = $3 " " $4; if (rand() * ++seen[kind[NR]] < 1) drawn[kind[NR]] = NR }
        END { for (i = 1; i <= NR; i++) print drawn[kind[i]] == i ? "one" : "more", line[i] }'
}

# What might never end has a time limit, and so a process of its own.
for wrong in "$here"/wrong.fclir "$here"/assert.fcl "$here"/turns.fcl "$here"/endless.fclir; do
    run=(fclc)
    [ "$wrong" = "$here"/endless.fclir ] && run=(timeout 60 "$build/bin/fclc")
    while read -r which _ _ entry code arguments; do
        line=$(grep -n "HERE $entry\$" "$wrong" | cut -d: -f1)
        for device in $DEVICES; do
            [ "$which $device" = "one opencl" ] || takes "$device" || continue
            # shellcheck disable=SC2086
            refused_at "$device" "$code" "$line" --entry="$entry" $arguments
        done
    done < <(grep '^[/-]* run: [a-zA-Z]* E0' "$wrong" | each_kind)

    while read -r _ _ entry arguments; do
        # shellcheck disable=SC2086
        try fclc run "$wrong" --entry="$entry" $arguments
        cp "$tmp/out" "$tmp/expected"
        [ "$status" = 0 ] || fail "$entry $arguments: $(cat "$tmp/err")"
        for which in default all none; do
            for device in $DEVICES; do
                takes "$device" || continue
                # shellcheck disable=SC2086
                try fclc run "$wrong" --device="$device" --checks=$which --entry="$entry" $arguments
                diff "$tmp/expected" "$tmp/out" > "$tmp/diff" ||
                    fail "$device --checks=$which $entry $arguments: $(cat "$tmp/err" "$tmp/diff")"
            done
        done
    done < <(grep '^[/-]* fine: [a-zA-Z]* ' "$wrong")
done

# Where the host chooses a launch without checks, the other one has them, also those that the host can compute.
for entry in thread rowProducts windows; do
    ok "" fclc compile "$here/wrong.fclir" --entry=$entry -o "$tmp/code.cl"
    grep -q 'fcl_report(checks' "$tmp/code.cl" || fail "$entry has no checks"
done

# What an assertion says of lengths is not asked again.
try fclc compile "$here/assert.fcl" --entry=sums --report
grep ' checked: ' "$tmp/out" && fail "an assertion proves nothing"
[ "$(grep -c ' asked by the host: ' "$tmp/out")" = 1 ] || fail "the host does not ask for the assertion alone"
# A size that is an argument is asked by the host, and one that a kernel reads by the kernel.
try fclc compile "$here/../../docs/examples/scan.fclir" --entry=scanThree --report
grep -q ' chunksize asked by the host: ' "$tmp/out" || fail "who asks for a chunk's length is not told"

# What fails in every run is refused when it is compiled; what fails only where it is come by is not.
while read -r _ _ entry code; do
    refused "$code" fclc compile "$here/certain.fclir" --entry="$entry" -o "$tmp/code"
done < <(grep '^// refused: ' "$here/certain.fclir")
while read -r _ _ entry arguments; do
    for device in $DEVICES; do
        takes "$device" || continue
        # shellcheck disable=SC2086
        try fclc run "$here/certain.fclir" --device="$device" --entry="$entry" $arguments
        [ "$status" = 0 ] || fail "$device $entry $arguments: $(cat "$tmp/err")"
    done
done < <(grep '^// fine: ' "$here/certain.fclir")

# What the hint `distinct` says is asked where everything is asked, and by the evaluator.
told=$here/told.fclir
for device in $DEVICES; do
    takes "$device" || continue
    for which in default all none; do
        try fclc run "$told" --device="$device" --checks=$which iota:8 3
        [ "$(cat "$tmp/out")" = "[0, 3, 6, 1, 4, 7, 2, 5]" ] || fail "$device --checks=$which: what is told: $(cat "$tmp/err" "$tmp/out")"
    done
    refused E0705 fclc run "$told" --device="$device" --checks=all iota:8 2
done
refused E0705 fclc run "$told" iota:8 2
try fclc compile "$told" --report
[ "$(grep -c ' unchecked: the program says' "$tmp/out")" = 2 ] || fail "the report does not say what the program says"
try fclc compile "$told" -o "$tmp/code"
grep -q atomic_or "$tmp/code" && fail "positions have bits though a hint says what they are"

# What is claimed of positions is nowhere data, where nothing is checked either.
places=$("$python" -c "
import random
p = list(range(1009)); random.Random($RANDOM).shuffle(p); print(str(p).replace(' ', ''))")
try fclc run "$here/rows.fcl" 37 3 "$places"
cp "$tmp/out" "$tmp/evaluated"
for device in $DEVICES; do
    takes "$device" || continue
    for which in default all none; do
        try fclc run "$here/rows.fcl" --device="$device" --checks=$which 37 3 "$places"
        { [ "$status" = 0 ] && cmp -s "$tmp/out" "$tmp/evaluated"; } || fail "$device --checks=$which: rows: $(head -3 "$tmp/err")"
    done
done

wrong=$here/wrong.fclir
# Without checks no code is there for them, and a word that is none is refused.
try fclc compile "$wrong" --checks=none
grep -q checks "$tmp/out" && fail "there are checks with --checks=none"
try fclc compile "$wrong"
grep -q fcl_report "$tmp/out" || fail "there are no checks by default"
refused E0857 fclc compile "$wrong" --checks=some
refused E0857 fclc compile "$wrong" --checks=overflow
# what options name has to be there on interp, too, which needs none of it
for option in checks quirks without; do refused E0857 fclc run "$wrong" --entry=gather "[0]" "[1]" --$option=bogus; done
refused E0853 fclc run "$wrong" --entry=gather "[0]" "[1]" --kernel-passes=bogus
refused E0854 fclc run "$wrong" --entry=gather "[0]" "[1]" --via=bogus

# The table of what is proved.
"$python" "$here/shares.py" "$build/bin/fclc" "$here/../../docs/examples" > "$tmp/checks.md" ||
    fail "the shares cannot be computed"
[ -n "${UPDATE:-}" ] && cp "$tmp/checks.md" "$here/../../docs/checks.md"
diff "$here/../../docs/checks.md" "$tmp/checks.md" || fail "docs/checks.md is not what the report says (UPDATE=1 writes it)"
finish checks
