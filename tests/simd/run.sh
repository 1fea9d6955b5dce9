#!/usr/bin/env bash
# Loops whose turns a CPU computes side by side: for vectors of several sizes, and lengths with and without turns that are
# left, the results on OpenCL are the evaluator's; each program's code has vectors, but where too much would have to be done
# lane by lane, or a row is added up in order, and clang takes it without a warning.
# FULL=1 takes all sizes for all lengths.
. "$(dirname "$0")/../tools/lib.sh"
file=$here/side.fcl
sizes=(16 32 64)
mapfile -t entries < <(sed -n 's/^sig \([A-Za-z]*\).*/\1/p' "$file")
clang=$(command -v clang-15 || command -v clang-14 || command -v clang || true)

for entry in "${entries[@]}"; do
    for size in "${sizes[@]}"; do
        ok "" fclc compile -D Simd="$size" --entry="$entry" "$file" -o "$tmp/code.cl"
        [[ $entry == @(gathered|divided|byRow) ]] || grep -q 'const [a-z]*[1-9][0-9]* w[0-9]* = ' "$tmp/code.cl" || fail "$entry has no vectors of $size bytes"
        [ -z "$clang" ] && continue
        "$clang" -x cl -cl-std=CL1.2 -fsyntax-only -Werror -Xclang -finclude-default-header "$tmp/code.cl" > "$tmp/said" 2>&1 ||
            fail "$entry, $size bytes: $(head -3 "$tmp/said")"
    done
    ok "" fclc compile --entry="$entry" "$file" -o "$tmp/one.cl"
    ok "$(cat "$tmp/one.cl")" fclc compile -D Simd=1 --entry="$entry" "$file" -o - # there is no device
done

# Kernels that name their levels have threads.
ok "$(fclc compile "$here/../../docs/examples/reduce.fclir" -o -)" fclc compile -D Simd=64 "$here/../../docs/examples/reduce.fclir" -o -

has_opencl || finish simd
turn=0
for n in 3 100 4133; do
    for entry in "${entries[@]}"; do
        [ "$n" -gt 1000 ] && [ "$entry" = around ] && continue
        try fclc run --all --entry="$entry" "$file" $n
        [ $status -eq 0 ] || fail "$entry $n: $(head -3 "$tmp/err")"
        cp "$tmp/out" "$tmp/expected"
        turn=$((turn + 1))
        some=("${sizes[turn % 3]}")
        [ -n "${FULL:-}" ] && some=(1 "${sizes[@]}")
        for size in "${some[@]}"; do
            try fclc run --all --device=opencl -D Simd="$size" --entry="$entry" "$file" $n
            cmp -s "$tmp/expected" "$tmp/out" || fail "$entry $n, $size bytes: $(head -c 200 "$tmp/out" "$tmp/err")"
        done
    done
done
finish simd
