#!/usr/bin/env bash
# What goes on for long: thousands of programs through one context and device, thousands of runs in flight, both in memory
# that does not grow; several devices in one process; runs without an end, which are cancelled.  FULL=1: 10,000 programs on
# every device, in place of 150 where a compiler is called for each (more than twice as many as a device keeps), and 2,000 on the evaluator.
. "$(dirname "$0")/../tools/lib.sh"
cd "$here/../.." || exit 1
flags=(-std=c11 -g -O1 -I.)
[[ $build == *san ]] && flags+=(-fsanitize=address,undefined)
for name in loads jobs several; do
    ${CC:-cc} "${flags[@]}" tests/endurance/$name.c "$build/lib/libfcl.a" -lm -ldl -pthread -o "$tmp/$name" || exit 1
done

devices=(interp)
fclc devices | grep -q '^cpu ' && devices+=(cpu)
has_opencl && devices+=(opencl)
for device in "${devices[@]}"; do
    loads=150 jobs=600
    [ "$device" = interp ] && loads=2000 jobs=200
    [ -z "${FULL:-}" ] || loads=10000
    try "$tmp/loads" "$device" $loads
    [ $status -eq 0 ] || fail "loads on $device: $(head -3 "$tmp/out" "$tmp/err")"
    try "$tmp/jobs" "$device" $jobs
    [ $status -eq 0 ] || fail "jobs on $device: $(head -3 "$tmp/out" "$tmp/err")"
done
try timeout 300 "$tmp/several" "${devices[@]}"
[ $status -eq 0 ] || fail "several: status $status: $(head -3 "$tmp/out" "$tmp/err")"
finish endurance
