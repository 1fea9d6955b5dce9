#!/usr/bin/env bash
# Threads with a context each: the first use of each kind of device by eight of them at once, in process after process; what
# the library may write to that is not a context's.  TSAN=1: the same under the thread sanitizer, and kernels of the device cpu
# with groups on several cores (builds build-tsan).
. "$(dirname "$0")/../tools/lib.sh"
cd "$here/../.." || exit 1
make_program() # BUILD COMPILER OPTION...
{
    local from=$1 compiler=$2
    shift 2
    "$compiler" -std=c11 -g -I. "$@" tests/threads/first_use.c "$from/lib/libfcl.a" -lm -ldl -pthread -o "$tmp/first_use"
}
fclc devices > "$tmp/list"
has_cpu() { grep -q '^cpu ' "$tmp/list"; }
options=()
[[ $build == *san ]] && options=(-fsanitize=address,undefined)
make_program "$build" "${CC:-cc}" ${options[@]+"${options[@]}"} || exit 1
ok '' "$tmp/first_use" interp 8 200
for i in $(seq "${RUNS:-3}"); do
    # Every process is a first use.  Each has a cache of kernels of its own: PoCL 3.1 loses files that two processes make at once.
    if has_opencl; then
        mkdir "$tmp/cache$i"
        try env POCL_CACHE_DIR="$tmp/cache$i" timeout 120 "$tmp/first_use" opencl 8 2
        [ $status -eq 0 ] || fail "first use of opencl by 8 threads: $(head -3 "$tmp/out" "$tmp/err")"
    fi
    if has_cpu; then
        try timeout 120 "$tmp/first_use" cpu 8 5
        [ $status -eq 0 ] || fail "first use of cpu by 8 threads: $(head -3 "$tmp/out" "$tmp/err")"
    fi
done

# All that the library can write to and no context owns: the lock around the first use of a driver, and the one instance of
# Vulkan, which it guards.
if [[ $build != *san ]]; then
    cases=$((cases + 1))
    objdump -t "$build/lib/libfcl.so.0" | awk '$3 == "O" && ($4 == ".data" || $4 == ".bss") {print $NF}' |
        grep -vE '^(completed\.[0-9]+|__dso_handle|__TMC_END__)$' | sort > "$tmp/writable"
    [ "$(xargs < "$tmp/writable")" = "first_use vulkan_of_process" ] ||
        fail "the library has data that is shared by contexts: $(xargs < "$tmp/writable")"
fi
[ -n "${TSAN:-}" ] || { finish threads; exit; }

# Loaders, drivers and the threads of OpenMP are not compiled with the sanitizer, and what they do with each other is theirs.
# What emitted kernels do is not: LLVM's OpenMP tells the sanitizer, by its tool archer, what it orders.
make -s SAN=thread build-tsan/lib/libfcl.a build-tsan/bin/fclc > "$tmp/log" 2>&1 || fail "$(tail -3 "$tmp/log")"
make_program build-tsan clang -fsanitize=thread || exit 1
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 exitcode=66"
clean() # WHAT COMMAND...: no report
{
    local what=$1
    shift
    try timeout 300 "$@"
    [ $status -eq 0 ] || fail "TSan: $what: $(grep -A12 WARNING "$tmp/err" | head -40) $(head -3 "$tmp/out")"
}
clean interp "$tmp/first_use" interp 8 50
if has_opencl; then clean opencl "$tmp/first_use" opencl 8 2; fi
if has_cpu; then clean cpu "$tmp/first_use" cpu 8 5; fi

archer=$(clang -print-resource-dir)/../../libarcher.so
[ -e "$archer" ] || { echo "left out: kernels under TSan, as there is no libarcher.so"; finish threads; exit; }
emitted=(env CC=clang FCL_CPU_FLAGS=-fsanitize=thread OMP_TOOL_LIBRARIES="$archer" OMP_NUM_THREADS=4)
clean "kernels of 8 threads" "${emitted[@]}" "$tmp/first_use" cpu 8 2
for file in docs/examples/*.fcl*; do
    while read -r arguments; do
        # shellcheck disable=SC2086  # words
        clean "$file $arguments" "${emitted[@]}" build-tsan/bin/fclc run "$file" --device=cpu $arguments
    done < <(sed -n 's~^\(//\|--\) run: ~~p' "$file")
done

# And it would be heard: the same kernels, with atomic additions made plain ones.  Threads must meet for that, which they do
# not in every run on a busy machine.
cat > "$tmp/cc" <<'CC'
#!/bin/sh
for word; do case $word in *.c) sed -i 's/__atomic_fetch_add(p, x, __ATOMIC_RELAXED)/(*p += x)/' "$word" ;; esac; done
exec clang "$@"
CC
chmod +x "$tmp/cc"
"$python" -c "import numpy; numpy.save('$tmp/zeros.npy', numpy.zeros(100000, numpy.int32))"
for _ in $(seq 20); do
    try "${emitted[@]}" CC="$tmp/cc" build-tsan/bin/fclc run docs/examples/histogram.fclir --device=cpu --entry=histogramGrid 4 "@$tmp/zeros.npy"
    [ $status -eq 0 ] || break
done
[ $status -eq 66 ] || fail "a race in a kernel is not found: status $status"
finish threads
