#!/usr/bin/env bash
# Allocations that fail, over all example programs and what the checker's tests accept: see sweep.c.  RUNS is for how many
# allocations of each program (all of them: RUNS=1000000), SEED repeats a choice, FILES names other programs.
. "$(dirname "$0")/../tools/lib.sh"
cd "$here/../.." || exit 1
sanitizers=
[[ $build == *san ]] && sanitizers=-fsanitize=address,undefined
${CC:-cc} -std=c11 -D_DEFAULT_SOURCE -g $sanitizers -I. tests/failures/sweep.c "$build/lib/libfcl.a" -lm -ldl -o "$tmp/sweep" || exit 1
seed=${SEED:-$RANDOM}
# shellcheck disable=SC2206
files=(${FILES:-docs/examples/*.fclir docs/examples/*/*.fcl* tests/accepted/*.fclir tests/rewrite/*.fclir})
echo "failures: SEED=$seed"
cases=${#files[@]}
timeout 900 "$tmp/sweep" "${RUNS:-40}" "$seed" "${files[@]}" || fail "see above"
finish failures
