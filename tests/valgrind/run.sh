#!/usr/bin/env bash
# The fuzzers' targets under valgrind, which sees what they do not: decisions by memory that nobody has written.  A third of the
# kept inputs as they are (with FULL=1 all; tests/fuzz has all without valgrind), and COUNT mutated ones for each target; SEED
# repeats a run.
. "$(dirname "$0")/../tools/lib.sh"
cd "$here/../.." || exit 1
files=$build/fuzz/files
if ! command -v valgrind > "$tmp/where" || [[ $build == *san ]] || [ ! -x "$files" ]; then
    echo "valgrind: skipped: it needs valgrind, $files, and no sanitizers"
    exit 0
fi
seeded
count=${COUNT:-$([ -n "${FULL:-}" ] && echo 30 || echo 10)}
BUILD=$build tests/fuzz/seeds.sh "$tmp/seeds" "$SEED" "$([ -n "${FULL:-}" ] && echo 1 || echo 6)" || exit 1

under() # TARGET WORD...
{
    cases=$((cases + 1))
    timeout 600 valgrind -q --error-exitcode=99 --undef-value-errors=yes --log-file="$tmp/log" "$files" "$@" > "$tmp/out" 2>&1 ||
        fail "SEED=$SEED, $1 ... : $(head -25 "$tmp/log") $(tail -3 "$tmp/out")"
}

while read -r target extension; do
    inputs=("$tmp/seeds/$target"/*)
    kept=(tests/valgrind/corpus/*."$extension" tests/fuzz/crashes/"$target"/*)
    [ -e "${inputs[0]}" ] || { head -c 400 "$files" > "$tmp/any"; inputs=("$tmp/any"); }
    mapfile -t kept < <(ls -d "${kept[@]}" 2> "$tmp/where" | some 3)
    small=()
    for f in "${inputs[@]}"; do
        [ "$(stat -c %s "$f")" -lt 6000 ] && small+=("$f")
    done
    [ ${#kept[@]} -eq 0 ] || under "$target" "${kept[@]}"
    case $target in
    lower | check) n=$(((count + 3) / 4)) ;;
    *) n=$count ;;
    esac
    under -m "$n" -s "$SEED" -k "$tmp/crash" "$target" "${small[@]:-${inputs[0]}}"
done < <("$files" -l)
finish valgrind
