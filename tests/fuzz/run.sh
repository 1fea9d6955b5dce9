#!/usr/bin/env bash
# Every input that once crashed does no harm any more, and neither do 1,000 mutated inputs for each reader (fewer for what is
# behind the readers; with FULL=1 5,000), made from one of six programs of the repository (FULL=1: all).  SEED=N repeats a run.
set -u
build=${BUILD:-build}
cd "$(dirname "$0")/../.." || exit 1
files=$(cd "$build/fuzz" && pwd)/files || exit 1
seed=${SEED:-$((RANDOM * 32768 + RANDOM))}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
shopt -s nullglob
status=0

fail() {
    echo "FAILED: $*"
    tail -3 "$tmp/log"
    status=1
}

BUILD=$build tests/fuzz/seeds.sh "$tmp/seeds" "$seed" "$([ -n "${FULL:-}" ] && echo 1 || echo 6)" || exit 1
while read -r target extension; do
    inputs=("$tmp/seeds/$target"/*)
    if [ ${#inputs[@]} = 0 ]; then
        head -c 400 "$files" > "$tmp/any"
        inputs=("$tmp/any")
    fi
    timeout 120 "$files" "$target" tests/fuzz/crashes/"$target"/* tests/fuzz/corpus/"$target"/* > "$tmp/log" 2>&1 ||
        fail "$target, the last of these files:"
    case $target in
    text | binary | artifact | fcl | kernel) count=5000 ;;
    *) count=1000 ;;
    esac
    [ -n "${FULL:-}" ] || count=$((count / 5))
    timeout 300 "$files" -m $count -s "$seed" -k "$tmp/crash" "$target" "${inputs[@]}" > "$tmp/log" 2>&1 ||
        { cp "$tmp/crash" "crash.$target" 2> /dev/null; fail "$target: mutated input kept as crash.$target (SEED=$seed)"; }
done < <("$files" -l)
[ $status = 0 ] && echo "fuzz: ok (seed $seed)"
exit $status
