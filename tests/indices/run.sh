#!/bin/bash
# Positions of 32 and 64 bits: both give the same results, each launch takes the right ones, and what is too large for them
# is refused.
#
#   LARGE=1   also a matrix of more than 2^31 elements on OpenCL: takes minutes, and 9 GB of memory
#   ROWS=N COLS=N   of that matrix
#   FULL=1    every shape on every device, and the example programs in all configurations with 64 bits in place of one of eight
. "$(dirname "$0")/../tools/lib.sh"
file=$here/large.fclir
${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -I"$here/../.." ${CFLAGS:-} "$here/large.c" -o "$tmp/large" \
    "$build/lib/libfcl.a" -lm -ldl || exit 1
every_device

# matrix DEVICE ROWS COLS [BITS]
matrix()
{
    cases=$((cases + 1))
    timeout "${LIMIT:-300}" "$tmp/large" "$file" "$@" > "$tmp/log" 2>&1 || fail "large $*: $(cat "$tmp/log")"
}

# plan NUMBER PATTERN ENTRY [OPTION...]: so many lines of the plan or code match.
plan()
{
    local number=$1 pattern=$2 entry=$3
    shift 3
    try fclc compile "$file" --entry="$entry" "$@" -o "$tmp/code" --plan="$tmp/plan"
    [ "$(cat "$tmp/code" "$tmp/plan" | grep -c -- "$pattern")" -eq "$number" ] || fail "$entry $*: not $number times '$pattern'"
}

for device in $DEVICES; do
    for bits in 0 32 64; do
        while read -r rows columns; do
            matrix "$device" "$rows" "$columns" $bits
        done < <(printf '%s\n' "67 45" "1 1" "3 1000" | if [ "$device" = interp ]; then cat; else some 3; fi)
    done
done

# Two versions of a launch where a matrix may be large, one where none is.
plan 2 '^__kernel' invert
plan 1 '^  if le(' invert
plan 1 '^__kernel' invert -DIndexBits=32
plan 0 'long' invert -DIndexBits=32
plan 1 '^__kernel' invert -DIndexBits=64
plan 1 '^__kernel' chunks
plan 0 'long' chunks
refused E0857 fclc compile "$file" --entry=invert -DIndexBits=33 -o "$tmp/code"

# What does not fit is refused, and never wraps into something that does.
refused E0702 fclc run "$file" --entry=lastDiagonal 2147480000 2147480000 3
for device in ${DEVICES#interp}; do
    refused E0614 fclc run "$file" --device="$device" --entry=chunks 65536 65536
    refused E0614 fclc run "$file" --device="$device" --entry=chunks 65537 65536
    refused E0614 fclc run "$file" --device="$device" --entry=lastDiagonal -DIndexBits=32 65536 65536 3
    refused E0702 fclc run "$file" --device="$device" --entry=lastDiagonal 2147480000 2147480000 3
done

# The example programs with 64 bits everywhere.  PoCL 3.1 does not end for some of them, whose barriers are the same as with
# 32 bits; and matmul needs more local memory than the simulator has.
if command -v oclgrind > /dev/null; then
    [ -n "${FULL:-}" ] || export SAMPLED=oclgrind:8
    OPTIONS="-D IndexBits=64" SMALL=1 QUICK=1 SKIP=matmul DEVICES=oclgrind env -u OCL_ICD_VENDORS BUILD="$build" "$here/../programs/run.sh" ||
        failures=$((failures + 1))
fi

# PoCL takes the size of memory from a description of the machine; the one here allows buffers of more than 2 GiB.
if [ -n "${LARGE:-}" ] && has_opencl; then
    export HWLOC_XMLFILE=$here/machine.xml HWLOC_THISSYSTEM=1
    LIMIT=3000 matrix opencl "${ROWS:-65539}" "${COLS:-32773}"
    cat "$tmp/log"
fi

[ $failures -eq 0 ] && echo "indices: ok ($cases cases)"
exit $((failures != 0))
