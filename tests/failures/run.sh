#!/usr/bin/env bash
# Allocations that fail, over all example programs and what the checker's tests accept: see sweep.c.  RUNS is for how many
# allocations of each program (3; with FULL=1 64; all of them: RUNS=1000000), SEED repeats a choice, FILES names other programs.
. "$(dirname "$0")/../tools/lib.sh"
cd "$here/../.." || exit 1
sanitizers=
[[ $build == *san ]] && sanitizers=-fsanitize=address,undefined
${CC:-cc} -std=c11 -D_DEFAULT_SOURCE -g $sanitizers -I. tests/failures/sweep.c -rdynamic -Wl,--whole-archive "$build/lib/libfcl.a" \
    -Wl,--no-whole-archive -lm -ldl -o "$tmp/sweep" || exit 1
seed=${SEED:-$RANDOM}
runs=${RUNS:-$([ -n "${FULL:-}" ] && echo 64 || echo 3)}
# shellcheck disable=SC2206
files=(${FILES:-docs/examples/*.fclir docs/examples/*/*.fcl* tests/accepted/*.fclir tests/rewrite/*.fclir})
echo "failures: SEED=$seed"
cases=${#files[@]}
timeout 900 "$tmp/sweep" "$runs" "$seed" "${files[@]}" || fail "see above"

# With plug-ins: targets of both kinds, and passes over both kinds of programs, with options.
plugin()
{
    "${CC:-cc}" -std=c11 -fPIC -shared -g $sanitizers -Ilibfcl "docs/examples/$1.c" -o "$tmp/$(basename "$1").so" || exit 1
}
plugin plugins/traffic
plugin plugins/doubling
plugin pass/double
plugin cuda/cuda_c
all=(-p "$tmp/traffic.so" -p "$tmp/doubling.so" -p "$tmp/double.so" -p "$tmp/cuda_c.so" -l "double,count(Least=2),dce")
for target in traffic cuda-c; do
    cases=$((cases + 1))
    timeout 900 "$tmp/sweep" "${all[@]}" -t $target "$runs" "$seed" docs/examples/{sum,transpose,reverse}.fclir ||
        fail "plug-ins, $target: see above"
done
finish failures
