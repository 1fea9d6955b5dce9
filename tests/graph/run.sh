#!/usr/bin/env bash
# Modules that are built anew as graphs (copy.c, through fcl.h alone) have the results that they had: examples, what the core has
# in tests/accepted, and random programs.  COUNT=N random programs (20), SEED=N repeats them.
. "$(dirname "$0")/../tools/lib.sh"

cd "$here/../.." || exit 1
[ -z "${SAN:-}" ] || { echo "graph: not with sanitizers"; exit 0; }
copy=$tmp/copy
"${CC:-cc}" -std=c11 -O1 -Wall -Wextra -Ilibfcl "$here/copy.c" "$build/lib/libfcl.a" -lm -ldl -o "$copy" || { fail "copy.c does not compile"; finish graph; }

# same FILE COMMAND...: the command gives the same with the copy in the place of FILE.
same()
{
    local file=$1 how
    shift
    cases=$((cases + 1))
    "$@" > "$tmp/expected" 2> /dev/null || return # what is refused, or runs out of what it may use
    local ways=("" ${all:+--all})
    grep -qw update "$file" && ways=(--scalars)
    for how in "${ways[@]}"; do
        "$copy" "$file" $how > "$tmp/copy.fclir" 2> "$tmp/err" || { fail "$file $how is not copied: $(head -3 "$tmp/err")"; return; }
        "${@/"$file"/"$tmp/copy.fclir"}" > "$tmp/out" 2> "$tmp/err" || fail "the copy of $file $how fails: $(head -3 "$tmp/err")"
        cmp -s "$tmp/out" "$tmp/expected" || fail "the copy of $file $how gives something else: $(echo "$*" | head -c 300)"
    done
}

all=1
for file in docs/examples/*.fclir; do
    while read -r line; do
        read -r -a words <<< "$line"
        same "$file" fclc run "$file" --device=interp "${words[@]}"
    done < <(sed -n 's|^// run: ||p' "$file")
done
for file in tests/accepted/*.fclir; do
    same "$file" fclc check "$file"
done

all=
mkdir "$tmp/random"
if [ -x "$build/tests/random" ]; then
    "$build/tests/random" ${SEED:+--seed="$SEED"} --count="${COUNT:-20}" --emit="$tmp/random" > "$tmp/out" || fail "no random modules"
    grep '^seed' "$tmp/out"
    for file in "$tmp"/random/*.fclir; do
        eval "same \"$file\" $(sed -n 's|^// fclc run|fclc run --device=interp|p' "$file" | head -1)"
    done
fi
finish graph
