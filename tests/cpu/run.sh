#!/usr/bin/env bash
# The plain C back end and the device that compiles it: every scalar operator against the host's meaning, every example's
# code through both compilers without a warning, examples under the sanitizers, artifacts, block sizes, and what users get
# to read when there is no compiler, when it refuses, and when nothing can be written.  Sanitizers and the other compiler get half of the
# runs of their examples, others each time (SEED=N), with FULL=1 all.
. "$(dirname "$0")/../tools/lib.sh"
seeded
root=$(cd "$here/../.." && pwd)
fclc devices > "$tmp/devices"
grep -q '^cpu ' "$tmp/devices" || { echo "skipped: no C compiler"; exit 0; }
flags="-std=c11 -O0 -fno-strict-aliasing -ffp-contract=off -fopenmp -Wall -Wextra -Wpedantic -Wno-unused-parameter -Werror"

# Internal functions are not exported, so the test links the library's objects.
if [ -z "${SAN:-}" ]; then
    objects=$("$here/../tools/objects.sh" "$build")
    # shellcheck disable=SC2086  # a list of words
    ${CC:-cc} -std=c11 -g -I"$root" "$root/tests/opencl/test_scalars.c" $objects -lm -ldl -o "$tmp/test_scalars" &&
        "$tmp/test_scalars" cpu || fail "scalar operators"
fi

# Every example, without a warning; clang has all of its before it makes code, gcc has not.
made() { if [ "$1" = clang ]; then echo -fsyntax-only; else echo -c -o "$tmp/code.o"; fi; }
for file in "$root"/docs/examples/*.fcl*; do
    try fclc compile "$file" --target=cpu-c -o "$tmp/code.c"
    [ $status -eq 0 ] || fail "$file: $(head -3 "$tmp/err")"
    for compiler in gcc clang; do
        command -v $compiler > /dev/null || continue
        # shellcheck disable=SC2086  # a list of words
        try $compiler $flags $(made $compiler) "$tmp/code.c"
        [ $status -eq 0 ] || fail "$compiler: $file: $(grep -E 'error|warning' "$tmp/err" | head -3)"
    done
done

# How many loops of code.c gcc makes vectors of.
loops_of_vectors()
{
    gcc -std=c11 -O3 -march=native -fno-strict-aliasing -ffp-contract=off -fno-math-errno -fno-trapping-math -fopenmp \
        -fopt-info-vec-optimized -c "$tmp/code.c" -o "$tmp/code.o" 2>&1 | sed -n 's/^\([^ ]*\) optimized: loop vectorized.*/\1/p' | sort -u | wc -l
}
of_vectors() # LEAST WHAT
{
    ! command -v gcc > /dev/null || [ "$(loops_of_vectors)" -ge "$1" ] || fail "$2"
}

# Indices are seen not to wrap, and loops that check ask in front: compilers make vectors of neighbours and of turns without an
# atomic step alone.
for entry in segments plate cube heat sorted transposed prefixes positive dot bytes sparse product; do
    ok "" fclc compile --target=cpu-c --entry=$entry "$root/tests/bench/kernels/unscheduled.fcl" -o "$tmp/code.c"
    grep -m 1 '\[[^]]*(uint32_t)' "$tmp/code.c" > "$tmp/wraps" && fail "$entry: an index may wrap: $(cat "$tmp/wraps")"
    case $entry in
    segments) of_vectors 1 "$entry: no loop without reports" ;;
    sparse) grep -q '^#pragma omp simd simdlen(8) reduction' "$tmp/code.c" || fail "$entry: no loop without reports" ;;
    esac
done

# Who goes through elements in order has no claims, no steps that compare and swap, and no copies; positions that a loop counts are not
# checked, and held in 64 bits; rows are gone through without dividing.
lines_of() # ENTRY: of its code, without what all files begin with
{
    fclc compile --target=cpu-c --entry="$1" "$root/tests/bench/kernels/unscheduled.fcl" -o "$tmp/code.c"
    sed -n '/^\/\* Entry/,$p' "$tmp/code.c" > "$tmp/lines"
}
tiles() { grep -c '^    [a-z0-9_]* tile[0-9]*\[' "$tmp/lines"; }
lines_of positive
grep -q 'int64_t v[0-9]* = 0;' "$tmp/lines" || fail "positive: no position of 64 bits"
grep -q 'checks' "$tmp/lines" && fail "positive: a position is checked"
[ "$(tiles)" = 1 ] || fail "positive: its chunk is copied: $(tiles) arrays"
lines_of prefixes
of_vectors 1 "prefixes: a chunk is not added up before it is scanned"
[ "$(tiles)" = 0 ] || fail "prefixes: its chunk is copied"
lines_of sorted
[ "$(wc -l < "$tmp/lines")" -lt 600 ] || fail "sorted: $(wc -l < "$tmp/lines") lines"
lines_of means
grep -q 'fcl_as_uint32_t(tile' "$tmp/lines" && fail "means: floats are combined by steps that compare"
grep -q 'tile[0-9]*\[v[0-9]*\] +' "$tmp/lines" || fail "means: floats are not added in place"
sed -n '/launch 1 of/,/^}/p' "$tmp/lines" | grep -q fcl_mulhi && fail "means: an element divides"
lines_of heat
sed -n '/launch 1 of/,/^}/p' "$tmp/lines" | sed -n '/ for (int32_t v/,/^        }/p' | grep -q 'fcl_mulhi\|fcl_report' && fail "heat: an element divides or checks"
[ "$(sed -n '/launch 1 of/,/^}/p' "$tmp/lines" | grep -c ' for (int32_t v')" = 3 ] || fail "heat: its rows have no borders"

# Addresses and overflows: the code's own runtime must be loaded before the program.  Names are a few that have local
# memory, atomic steps, chains and tables.
asan=$(gcc -print-file-name=libasan.so)
if [ -z "${SAN:-}" ] && [ -e "$asan" ]; then
    for name in ${SANITIZED:-scan_chained histogram}; do
        file=$root/docs/examples/$name.fclir
        sed -n 's|^// run: ||p' "$file" | some 2 > "$tmp/lines"
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

# Atomic steps on memory of a block, which is one thread, are loads and stores: of each operator, for a type that is drawn.
cells() # KERNEL TYPE OPERATOR
{
    cat << END
kernel @$1(%n: int, %xs: [(int, $2)]) -> [$2]<block> {
  %two = convert<$2> 2
  %none = call @replicate(%n, %two)
  %f = fn { (%x: $2, %y: $2)
    %z = $3 %x, %y
    yield %z
  }
  %p = push<block> %xs
  %found = call @reduceByIndex(%f, %none, %p)
  %q = push<block> %found
  return %q
}
END
}
seeded
types=(int u32 i64 u64)
{
    printf 'fcl 0.5\nimport "prelude"\n'
    for operator in add min max and or xor; do
        cells $operator "${types[RANDOM % 4]}" $operator
    done
    cells floats f32 add
    cat << 'END'
kernel @last(%n: int, %xs: [(int, int)]) -> [int]<block> {
  %none = call @replicate(%n, -1)
  %p = push<block> %xs
  %found = scatterlast %none, %p { (%t)
    yield %t
  }
  %q = push<block> %found
  return %q
}
kernel @any(%n: int, %xs: [(int, int)]) -> [int]<block> {
  %none = call @replicate(%n, -1)
  %p = push<block> %xs
  %found = scatterany %none, %p { (%t)
    yield %t
  }
  %q = push<block> %found
  return %q
}
END
} > "$tmp/own.fclir"
for entry in add min max and or xor floats last any; do
    pairs="[(0,$((RANDOM % 99))),(2,7),(0,8),(2,$((RANDOM % 99))),(4,2147483647),(4,3),(3,1)]"
    fclc run "$tmp/own.fclir" --device=interp --entry=$entry 5 "$pairs" > "$tmp/expected" && [ -s "$tmp/expected" ] || fail "own $entry: no result"
    ok "$(cat "$tmp/expected")" fclc run "$tmp/own.fclir" --device=cpu --entry=$entry 5 "$pairs"
    fclc compile "$tmp/own.fclir" --target=cpu-c --entry=$entry -o "$tmp/own.c" && ! grep -q 'fcl_atomic' "$tmp/own.c" || fail "own $entry has an atomic step"
done
fclc compile "$tmp/own.fclir" --target=cpu-c --entry=last -o "$tmp/own.c"
[ "$(grep -c 'tile[0-9]*\[bytes' "$tmp/own.c")" = 1 ] || fail "who is last is claimed first"

# Functions on floats are glibc's for vectors, where it has them, and as exact as anywhere.
cat > "$tmp/sines.fclir" <<'FCL'
fcl 0.1
kernel @sines(%xs: [double]) -> [double]<grid> {
  %ys = map %xs { (%x: double)
    %y = sin %x
    yield %y
  }
  %q = push<grid> %ys
  return %q
}
FCL
try fclc compile "$tmp/sines.fclir" --target=cpu-c -o "$tmp/code.c"
if printf '#include <stdlib.h>\n#if defined __x86_64__ && defined __GLIBC__\nhas_vectors\n#endif\n' | gcc -E - | grep -q has_vectors; then
    # shellcheck disable=SC2086  # a list of words
    gcc $flags -O3 -fno-math-errno -c "$tmp/code.c" -o "$tmp/code.o" && nm "$tmp/code.o" | grep -q '_ZGV.*_sin' || fail "no sines of vectors"
fi
if [ -z "${SAN:-}" ]; then
    DEVICE=cpu "$here/../accuracy/run.sh" > "$tmp/accuracy" || fail "accuracy: $(cat "$tmp/accuracy")"
fi

# Reductions without levels are loops of which compilers make vectors, where what is combined is a sum, a product or the
# like; and whatever it is, the result is that of the evaluator.  Rows are gone through one after the other, long ones in parts.
cat > "$tmp/cores.fclir" <<'FCL'
fcl 0.5
import "prelude"
kernel @leastReal(%xs: [double]) -> (double, double) {
  %a = reduce 1.0e300, %xs { (%x: double, %y: double)
    %less = lt %x, %y
    %z = select %less, %x, %y
    yield %z
  } hint("commutative" = 1)
  %b = reduce 1.0, %xs { (%x: double, %y: double)
    %z = mul %x, %y
    yield %z
  }
  %t = tuple %a, %b
  return %t
}
kernel @sum(%xs: [double]) -> double {
  %s = reduce 0.0, %xs { (%x: double, %y: double)
    %z = add %x, %y
    yield %z
  }
  return %s
}
kernel @least(%xs: [int]) -> (int, int) {
  %far = generate 1 { (%i: int)
    yield 2147483647
  }
  %most = index %far, 0
  %a = reduce %most, %xs { (%x: int, %y: int)
    %less = lt %x, %y
    %z = select %less, %x, %y
    yield %z
  } hint("commutative" = 1)
  %b = reduce 1, %xs { (%x: int, %y: int)
    %z = mul %x, %y
    yield %z
  }
  %t = tuple %a, %b
  return %t
}
// Neither a sum nor a minimum: the larger remainder, of two equal ones the smaller number.
kernel @other(%xs: [int]) -> int {
  %s = reduce 0, %xs { (%x: int, %y: int)
    %p = rem %x, 100
    %q = rem %y, 100
    %more = lt %p, %q
    %same = eq %p, %q
    %least = min %x, %y
    %one = select %same, %least, %x
    %z = select %more, %y, %one
    yield %z
  }
  return %s
}
// Does not commute: the first.
kernel @first(%xs: [int]) -> int {
  %s = reduce -1, %xs { (%x: int, %y: int)
    %none = lt %x, 0
    %z = select %none, %y, %x
    yield %z
  }
  return %s
}
kernel @rows(%n: int, %m: int) -> [int] {
  %xss = generate %n, %m { (%i: int, %j: int)
    %a = mul %i, 1000
    %x = add %a, %j
    yield %x
  }
  %s = reduce 0, %xss { (%x: int, %y: int)
    %z = add %x, %y
    yield %z
  }
  return %s
}
kernel @boxes(%n: int, %m: int, %l: int) -> [int;3] {
  %xss = generate %n, %m, %l { (%i: int, %j: int, %k: int)
    %a = mul %i, 100000
    %b = mul %j, 10000
    %c = add %a, %b
    %x = add %c, %k
    yield %x
  }
  return %xss
}
// In the order of the elements.
kernel @inOrder(%xs: [double]) -> [double]<grid> {
  %one = generate 1 { (%i: int)
    %f = fn { (%s: double, %x: double)
      %z = add %s, %x
      yield %z
    }
    %s = call @fold(%f, 0.0, %xs)
    yield %s
  }
  %p = push<grid> %one
  return %p
}
FCL
same()
{
    try fclc run "$tmp/cores.fclir" "$@"
    [ $status -eq 0 ] || fail "$*: $(head -3 "$tmp/err")"
    cp "$tmp/out" "$tmp/expected"
    ok "$(cat "$tmp/expected")" fclc run "$tmp/cores.fclir" --device=cpu "$@"
}
# What is compiled for one run is kept on disk for the others.
driver_stop || fail "the process that ran the commands ends with status $?"
export FCL_CACHE=$tmp/kept
for n in 0 1 63 64 65 20000 300000; do
    same --entry=least iota:$n
    same --entry=other iota:$n
    same --entry=first iota:$n
done
same --entry=sum "$(seq -s, 1 500 | sed 's/\([0-9]*\)/\1.0/g; s/^/[/; s/$/]/')"
for shape in "0 5" "5 0" "1 1" "3 70" "300 7" "2 9000" "1 4096" "1 4097"; do
    # shellcheck disable=SC2086  # two numbers
    same --entry=rows $shape
done
for threads in 1 7 1000; do
    ok "$(fclc run "$tmp/cores.fclir" --entry=rows 3 70)" \
        env OMP_NUM_THREADS=$threads "$build/bin/fclc" run "$tmp/cores.fclir" --device=cpu --entry=rows 3 70
done
for shape in "0 2 2" "2 0 3" "2 3 0" "2 3 5" "1 2 4100"; do
    # shellcheck disable=SC2086  # three numbers
    same --entry=boxes $shape
done
driver_stop || fail "the process that ran the commands ends with status $?"
export FCL_CACHE=
marked() # ENTRY N: so many loops of its code are said to be in any order, which compilers do not see of floats
{
    try fclc compile "$tmp/cores.fclir" --entry="$1" --target=cpu-c -o "$tmp/code.c"
    [ "$(grep -c 'omp simd reduction' "$tmp/code.c")" = "$2" ] || fail "$1: not $2 loops for vectors"
}
marked sum 2
marked least 0
of_vectors 2 "least: not 2 loops of vectors, of a minimum and a product"
marked leastReal 2
grep -q 'reduction(min:.*reduction(\*:' "$tmp/code.c" || fail "a minimum and a product are not seen in one loop"
marked other 0
marked inOrder 0
grep -q 'omp simd' "$tmp/code.c" && fail "inOrder is reordered"

# The other compiler, with its own OpenMP.
if command -v clang > /dev/null && [ -e "$(clang -print-resource-dir)/include/omp.h" ]; then
    for name in ${CLANG:-reduce scan_chained histogram sort}; do
        file=$root/docs/examples/$name.fclir
        while read -r args; do
            # shellcheck disable=SC2086  # the arguments are words
            ok "$(fclc run "$file" $args)" env CC=clang "$build/bin/fclc" run "$file" --device=cpu $args
        done < <(sed -n 's|^// run: ||p' "$file" | some 2)
    done
fi

# A sort by the grid is code that compilers come to an end with: they took minutes for functions of thousands of lines.
vectors=$root/docs/examples/arrays/vectors.fclir
ok "$(fclc run "$vectors" --entry=distinct '[5,5,3]')" timeout 120 "$build/bin/fclc" run "$vectors" --device=cpu --entry=distinct '[5,5,3]'
fclc compile "$vectors" --target=cpu-c --entry=distinct -o "$tmp/sort.c"
[ "$(wc -l < "$tmp/sort.c")" -lt 9000 ] || fail "the sort has $(wc -l < "$tmp/sort.c") lines for compilers of C"

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
