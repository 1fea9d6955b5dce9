#!/usr/bin/env bash
# f16 on the evaluator and on OpenCL, bit for bit, against exact fractions rounded once: see half.py; literals of all floats, see
# literals.py.  SEED=N repeats a run.
. "$(dirname "$0")/../tools/lib.sh"
export POCL_CACHE_DIR=$tmp/pocl
seed=${SEED:-$RANDOM}
every_device
for device in $DEVICES; do
    cases=$((cases + 1))
    timeout 300 python3 "$here/half.py" "$build/bin/fclc" "$here/half.fclir" "$tmp" "$device" "$seed" || fail "$device: SEED=$seed"
done

for device in $DEVICES; do
    ok '[1.5, 2.0, 2.0]' fclc run "$here/half.fclir" --entry=chosen --device="$device" '[1.5, 2.5, 3.5]' 1
done

# Every f16 widened, and a million f32 narrowed.
for device in $DEVICES; do
    [ "$device" != interp ] || continue
    for args in "widen 65536" "narrow 1048576 4096" "narrow 1000 -2147479" "narrow 65536 40503"; do
        # shellcheck disable=SC2086  # the arguments are words
        try fclc run --all "$here/bits.fclir" --entry=$args
        cp "$tmp/out" "$tmp/expected"
        # shellcheck disable=SC2086
        try fclc run --all "$here/bits.fclir" --device="$device" --entry=$args
        [ $status -eq 0 ] && cmp -s "$tmp/out" "$tmp/expected" || fail "$device: $args: $(head -c 300 "$tmp/err")"
    done
done

cases=$((cases + 1))
timeout 300 python3 "$here/literals.py" "$build/bin/fclc" "$build/bin/fcl-opt" "$tmp" "$seed" || fail "literals: SEED=$seed"

# Literals and printed results: the fewest digits that read back, halves to even, overflow refused.
cat > "$tmp/same.fclir" << 'END'
fcl 0.2
kernel @same(%xs: [f16]) -> [f16]<grid> {
  %p = push<grid> %xs
  return %p
}
END
ok '[1.5, 0.1, 65500.0, 6e-8, -0.0, inf, nan, 2048.0, 2052.0]' "$build/bin/fclc" run --all "$tmp/same.fclir" \
    '[1.5f16, 0.1, 65504, 6e-8, -0.0, inf, nan, 2049, 2051half]'
try "$build/bin/fclc" run --all "$tmp/same.fclir" '[65520]'
[ $status -eq 1 ] || fail "65520 is no f16"
# Only what uses f16 needs the newer version.
try "$build/bin/fcl-opt" --emit-version=0.1 "$tmp/same.fclir"
[ $status -eq 1 ] || fail "f16 is written for version 0.1"
ok 'fcl 0.2' sh -c "'$build/bin/fcl-opt' '$tmp/same.fclir' | head -1"
ok 'fcl 0.1' sh -c "'$build/bin/fcl-opt' '$here/../../docs/examples/sum.fclir' | head -1"
# The surface language.
printf 'sig scaled : [half] -> [f16]<grid>\nfun scaled xs = push <grid> (map (fn x => x * 1.5f16 + toF16 2) xs)\n' > "$tmp/scaled.fcl"
ok '[3.5, 5.0]' "$build/bin/fclc" run --all "$tmp/scaled.fcl" '[1, 2]'
# A choice of f16 needs no arithmetic in it.
printf 'fun main (xs : [half]) (c : bool) = push <grid> (map (fn x => if c then x else 1.0f16) xs)\n' > "$tmp/chosen.fcl"
for device in interp $(has_opencl && echo opencl) $(command -v cc > /dev/null && echo cpu); do
    ok '[1.0, 1.0]' "$build/bin/fclc" run "$tmp/chosen.fcl" --device="$device" '[0.5, 2]' false
done
# A device that computes in f16 gets code that does.
if command -v clang-15 > /dev/null; then
    try "$build/bin/fclc" compile "$here/half.fclir" -D NativeHalf=1 -o "$tmp/native.cl"
    grep -q 'cl_khr_fp16' "$tmp/native.cl" || fail "native code does not ask for cl_khr_fp16"
    grep -q 'widen' "$tmp/native.cl" && fail "native code widens"
    for option in "" --exchange=ptx; do
        # shellcheck disable=SC2086
        "$build/bin/fclc" compile "$here/half.fclir" -D NativeHalf=1 $option -o "$tmp/native.cl"
        try clang-15 -x cl -cl-std=CL1.2 -target spir64 -Xclang -finclude-default-header -fsyntax-only -Wall -Werror "$tmp/native.cl"
        [ $status -eq 0 ] || fail "native code does not compile: $(head -5 "$tmp/err")"
    done
fi
finish half
