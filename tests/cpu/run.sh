#!/usr/bin/env bash
# The plain C back end and the device that compiles it: every scalar operator against the host's meaning, every example's
# code through both compilers without a warning, examples under the sanitizers, artifacts, block sizes, and what users get
# to read when there is no compiler, when it refuses, and when nothing can be written.
. "$(dirname "$0")/../tools/lib.sh"
root=$(cd "$here/../.." && pwd)
fclc devices > "$tmp/devices"
grep -q '^cpu ' "$tmp/devices" || { echo "skipped: no C compiler"; exit 0; }
flags="-std=c11 -O0 -fwrapv -fno-strict-aliasing -ffp-contract=off -fopenmp -Wall -Wextra -Wpedantic -Wno-unused-parameter -Werror"

# Internal functions are not exported, so the test links the library's objects.
if [ -z "${SAN:-}" ]; then
    objects=$("$here/../tools/objects.sh" "$build")
    # shellcheck disable=SC2086  # a list of words
    ${CC:-cc} -std=c11 -g -I"$root" "$root/tests/opencl/test_scalars.c" $objects -lm -ldl -o "$tmp/test_scalars" &&
        "$tmp/test_scalars" cpu || fail "scalar operators"
fi

# Every example, without a warning.
for file in "$root"/docs/examples/*.fcl*; do
    try fclc compile "$file" --target=cpu-c -o "$tmp/code.c"
    [ $status -eq 0 ] || fail "$file: $(head -3 "$tmp/err")"
    for compiler in gcc clang; do
        command -v $compiler > /dev/null || continue
        # shellcheck disable=SC2086  # a list of words
        try $compiler $flags -c "$tmp/code.c" -o "$tmp/code.o"
        [ $status -eq 0 ] || fail "$compiler: $file: $(grep -E 'error|warning' "$tmp/err" | head -3)"
    done
done

# Addresses and overflows: the code's own runtime must be loaded before the program.  Names are a few that have local
# memory, atomic steps, chains and tables.
asan=$(gcc -print-file-name=libasan.so)
if [ -z "${SAN:-}" ] && [ -e "$asan" ]; then
    for name in ${SANITIZED:-scan_chained histogram}; do
        file=$root/docs/examples/$name.fclir
        sed -n 's|^// run: ||p' "$file" > "$tmp/lines"
        while read -r args; do
            # shellcheck disable=SC2086  # the arguments are words
            "$build/bin/fclc" run "$file" --device=interp $args < /dev/null > "$tmp/expected"
            # shellcheck disable=SC2086
            try env CC="env -u LD_PRELOAD gcc" FCL_CPU_FLAGS="-O0 -g -fsanitize=address,undefined -fno-sanitize-recover=all" \
                LD_PRELOAD="$asan" ASAN_OPTIONS=detect_leaks=0 "$build/bin/fclc" run "$file" --device=cpu $args
            [ $status -eq 0 ] && cmp -s "$tmp/out" "$tmp/expected" || fail "sanitized: $name $args: $(head -5 "$tmp/err")"
        done < "$tmp/lines"
    done
fi

cat > "$tmp/k.fclir" <<'FCL'
fcl 0.1
kernel @blocks(%xs: [int]) -> [int]<grid> {
  %b = blocksize
  %n = length %xs
  %p = generate %n { (%i)
    %x = index %xs, %i
    %y = mul %x, %b
    yield %y
  }
  %q = push<grid> %p
  return %q
}
FCL
# The block size is what programs see; a block is one thread whatever it is.
for size in 1 32 100 1024; do
    try fclc run "$tmp/k.fclir" --device=interp -D BlockSize=$size iota:5
    cp "$tmp/out" "$tmp/expected"
    ok "$(cat "$tmp/expected")" fclc run "$tmp/k.fclir" --device=cpu -D BlockSize=$size iota:5
done
ok "$(fclc run "$tmp/k.fclir" iota:5)" env OMP_NUM_THREADS=1 "$build/bin/fclc" run "$tmp/k.fclir" --device=cpu iota:5

# The other compiler, with its own OpenMP.
if command -v clang > /dev/null && [ -e "$(clang -print-resource-dir)/include/omp.h" ]; then
    for name in ${CLANG:-reduce scan_chained histogram sort}; do
        file=$root/docs/examples/$name.fclir
        while read -r args; do
            # shellcheck disable=SC2086  # the arguments are words
            ok "$(fclc run "$file" $args)" env CC=clang "$build/bin/fclc" run "$file" --device=cpu $args
        done < <(sed -n 's|^// run: ||p' "$file")
    done
fi

# Artifacts for one device are none for another.
try fclc compile "$tmp/k.fclir" --target=cpu-c -o "$tmp/k.fcla"
[ $status -eq 0 ] || fail "no artifact: $(cat "$tmp/err")"
ok "$(fclc run "$tmp/k.fclir" iota:5)" fclc run "$tmp/k.fcla" --device=cpu iota:5
try fclc compile "$tmp/k.fclir" -o "$tmp/cl.fcla"
refused E0854 fclc run "$tmp/cl.fcla" --device=cpu iota:5
refused E0854 fclc run "$tmp/k.fclir" --device=cpu --via=opencl-c iota:5

# What goes wrong outside of the program.
refused E0640 env CC=/nowhere/cc "$build/bin/fclc" run "$tmp/k.fclir" --device=cpu iota:5
says "CC name one"
refused E0641 env FCL_CPU_FLAGS=-fno-such-option-at-all "$build/bin/fclc" run "$tmp/k.fclir" --device=cpu iota:5
says "no-such-option-at-all"
refused E0642 env TMPDIR=/nowhere "$build/bin/fclc" run "$tmp/k.fclir" --device=cpu iota:5
says "TMPDIR"
ok "" env CC=/nowhere/cc sh -c "'$build/bin/fclc' devices | grep '^cpu' || true"
mkdir "$tmp/empty"
ok "$(fclc run "$tmp/k.fclir" iota:5)" env TMPDIR="$tmp/empty" "$build/bin/fclc" run "$tmp/k.fclir" --device=cpu iota:5
[ -z "$(ls -A "$tmp/empty")" ] || fail "left behind: $(ls "$tmp/empty")"
finish cpu
