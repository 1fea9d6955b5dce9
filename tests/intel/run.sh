#!/usr/bin/env bash
# Intel's OpenCL runtime for CPUs, where it is there: the only one for a CPU that takes SPIR-V as it is and has subgroups.
# Every scalar operator, the examples, the programs of tests/programs, warps and random programs give what the evaluator
# gives, as OpenCL C and as SPIR-V; as OpenCL C also with warps that are subgroups.
#
#   INTEL_OPENCL=FOLDER   where tests/intel/fetch.sh has put it (BUILD/intel)
#   SEED=N                repeats the random programs
#   RANDOM_PROGRAMS=N     how many of them, for each form of the code (10)
#   NEEDED=1              also shows that the quirk volatile-flags is still needed
#   FULL=1                all runs of tests/programs, in both forms, and tests/defects; all sizes of warps
. "$(dirname "$0")/../tools/lib.sh"
folder=${INTEL_OPENCL:-$build/intel}
if [ -n "${GOLDENS:-}" ] || [ ! -e "$folder/intel.icd" ]; then
    echo "intel: skipped, there is no $folder/intel.icd: tests/intel/fetch.sh FOLDER fetches the runtime"
    driver_stop
    exit 77
fi
export OCL_ICD_VENDORS=$folder/intel.icd
root=$(cd "$here/../.." && pwd)
seed=${SEED:-$((RANDOM * 32768 + RANDOM))}
fclc devices > "$tmp/devices"
grep -q '^opencl:0 .*; Intel(R) OpenCL, ' "$tmp/devices" || fail "no device: $(cat "$tmp/devices")"

# same FILE ARGUMENT...: what the evaluator gives, in each form that the code can have.
forms=("--via=opencl-c" "--via=spirv" "--via=opencl-c --exchange=subgroups")
same()
{
    local file=$1 form
    shift
    try fclc run --all "$file" --device=interp "$@"
    [ $status -eq 0 ] || fail "$file $* on the evaluator: $(head -3 "$tmp/err")"
    cp "$tmp/out" "$tmp/expected"
    for form in "${forms[@]}"; do
        # shellcheck disable=SC2086  # the form is words
        try fclc run --all "$file" --device=opencl $form "$@"
        [ $status -eq 0 ] && cmp -s "$tmp/out" "$tmp/expected" ||
            fail "$file $form $*: status $status, $(head -c 300 "$tmp/out" "$tmp/err")"
    done
}

# ---- operators ----

# Internal functions are not exported, so the test links the library's objects.
if [ -z "${SAN:-}" ]; then
    objects=$("$here/../tools/objects.sh" "$build")
    # shellcheck disable=SC2086  # a list of words
    ${CC:-cc} -std=c11 -g -I"$root" "$root/tests/opencl/test_scalars.c" $objects -lm -ldl -o "$tmp/test_scalars" ||
        fail "test_scalars.c does not compile"
    for form in "" spirv; do
        cases=$((cases + 1))
        "$tmp/test_scalars" $form > "$tmp/out" 2>&1 || fail "scalar operators $form: $(tail -5 "$tmp/out")"
    done
fi

# ---- programs ----

for file in "$root"/docs/examples/*.fclir "$here"/*.fclir; do
    while read -r args; do
        # shellcheck disable=SC2086  # the arguments are words
        same "$file" $args
    done < <(sed -n 's|^// run: *||p' "$file")
done
programs=("${forms[@]:0:2}") sizes="4 8 16 32 64"
if [ -z "${FULL:-}" ]; then
    export QUICK=1
    programs=("${forms[1]}") sizes=8
fi
for form in "${programs[@]}"; do
    cases=$((cases + 1))
    OPTIONS=$form DEVICES=opencl SEED=$seed BUILD=$build "$here/../programs/run.sh" > "$tmp/out" 2>&1 ||
        fail "programs $form: $(head -c 1000 "$tmp/out")"
done
if [ -n "${FULL:-}" ]; then
    DEVICES=opencl BUILD=$build "$here/../defects/run.sh" || fail "defects"
fi

# ---- warps ----

# Subgroups of every size that the device has; the barriers of SPIR-V's are the quirk block-barriers.
warps=$here/../warp/warps.fclir
for entry in $(sed -n "s/^kernel @\([A-Za-z]*\)(.*/\1/p" "$warps"); do
    case $entry in
    types | compose* | scanWarps | scanBlock) args="iota:85 iota:85" ;;
    *) args="iota:85" ;;
    esac
    for size in $sizes; do
        # shellcheck disable=SC2086  # the arguments are words
        same "$warps" --entry="$entry" -D WarpSize=$size -D BlockSize=64 $args
    done
done
if [ -n "${NEEDED:-}" ]; then
    fclc run --all "$warps" --entry=either --device=interp -D WarpSize=8 -D BlockSize=64 iota:85 > "$tmp/expected"
    fclc run --all "$warps" --entry=either --device=opencl --via=spirv --quirks=none -D WarpSize=8 -D BlockSize=64 iota:85 > "$tmp/out"
    ! cmp -s "$tmp/out" "$tmp/expected" || fail "warps.fclir does not need volatile-flags"
fi
fclc compile "$warps" --entry=sumWarp --exchange=subgroups -D WarpSize=8 -o "$tmp/warps.fcla"
ok '[28]' fclc run "$tmp/warps.fcla" --entry=sumWarp --device=opencl iota:8
refused E0857 fclc run "$warps" --entry=sumWarp --device=opencl --via=spirv --exchange=subgroups iota:32
says 'leave the choice to the device'

# ---- random programs ----

if [ -x "$build/tests/random" ]; then
    for form in "${forms[@]}"; do
        cases=$((cases + 1))
        # shellcheck disable=SC2086  # the form is words
        "$build/tests/random" --seed="$seed" --count="${RANDOM_PROGRAMS:-10}" --device=opencl --timeout=300 $form \
            > "$tmp/out" 2>&1 || fail "random --seed=$seed $form: $(tail -c 1000 "$tmp/out")"
    done
fi
[ $failures -eq 0 ] || echo "intel: SEED=$seed"
finish intel
