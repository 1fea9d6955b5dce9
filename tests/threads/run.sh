#!/usr/bin/env bash
# Threads with a context each: the first use of interp, and of OpenCL, by eight of them at once, in process after process; what the
# library may write to that is not a context's.  TSAN=1 builds the library with the thread sanitizer as well (minutes).
. "$(dirname "$0")/../tools/lib.sh"
cd "$here/../.." || exit 1
flags=(-std=c11 -g -I.)
[[ $build == *san ]] && flags+=(-fsanitize=address,undefined)
make_program() # DIRECTORY OPTION...
{
    local from=$1
    shift
    ${CC:-cc} "${flags[@]}" "$@" tests/threads/first_use.c "$from/lib/libfcl.a" -lm -ldl -pthread -o "$from/first_use"
}
mkdir -p "$tmp/lib"
ln -s "$build/lib/libfcl.a" "$tmp/lib/libfcl.a"
make_program "$tmp" || exit 1
ok '' "$tmp/first_use" interp 8 200

# Every process is a first use.  Each has a cache of kernels of its own: PoCL 3.1 loses files that two processes make at once.
if has_opencl; then
    for i in $(seq "${RUNS:-3}"); do
        mkdir "$tmp/cache$i"
        try env POCL_CACHE_DIR="$tmp/cache$i" timeout 120 "$tmp/first_use" opencl 8 2
        [ $status -eq 0 ] || fail "first use by 8 threads: $(head -3 "$tmp/out" "$tmp/err")"
    done
fi

# All that the library can write to and no context owns: the lock around the first use of a driver.
if [[ $build != *san ]]; then
    cases=$((cases + 1))
    objdump -t "$build/lib/libfcl.so.0" | awk '$3 == "O" && ($4 == ".data" || $4 == ".bss") {print $NF}' |
        grep -vE '^(completed\.[0-9]+|__dso_handle|__TMC_END__)$' > "$tmp/writable"
    [ "$(cat "$tmp/writable")" = first_use ] || fail "the library has data that is shared by contexts: $(cat "$tmp/writable")"
fi

# What PoCL does inside is its own: reports with a frame of it are left out.
if [ -n "${TSAN:-}" ]; then
    make -s BUILD="$tmp/tsan" CFLAGS=-fsanitize=thread OPT='-O1 -g' NO_UNDEFINED= "$tmp/tsan/lib/libfcl.a" > "$tmp/log" 2>&1 || fail "$(tail -3 "$tmp/log")"
    make_program "$tmp/tsan" -fsanitize=thread || exit 1
    for what in race mutex deadlock thread signal; do
        printf "$what:%s\n" libpocl libLLVM libclang libOpenCL
    done > "$tmp/suppressions"
    export TSAN_OPTIONS="suppressions=$tmp/suppressions exitcode=66"
    ok '' "$tmp/tsan/first_use" interp 8 50
    if has_opencl; then
        try timeout 300 "$tmp/tsan/first_use" opencl 8 2
        [ $status -eq 0 ] || fail "TSan: $(grep -A12 WARNING "$tmp/err" | head -40) $(head -3 "$tmp/out")"
    fi
fi
finish threads
