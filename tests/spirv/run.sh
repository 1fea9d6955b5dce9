#!/usr/bin/env bash
# The SPIR-V back end: every module that is emitted is valid, every scalar operator on every type and every example gives
# on PoCL, through llvm-spirv, what the evaluator gives; nothing that the kernel IR has is left out by all of them.
#
#   SEED=N    repeats the random programs
#   RANDOM_PROGRAMS=N   how many of them are validated (24) and run (6)
#   FULL=1    all sizes of blocks and the quirks of PoCL for each file, all runs that examples name in place of an eighth of each
#             of half of the files, also all of tests/fcl, and all of tests/obsidian and tests/programs in place of a sample of the first
. "$(dirname "$0")/../tools/lib.sh"
root=$(cd "$here/../.." && pwd)
export FCL_SPIRV_TRANSLATOR=${FCL_SPIRV_TRANSLATOR:-$here/translate.sh}
seeded
seed=$SEED
random=$build/tests/random
sizes="$((RANDOM % 2 ? 1 : 100))" # beside the usual one, of 256; of each file these or the quirks of PoCL
[ -z "${FULL:-}" ] || sizes="1 100"
[ -z "${GOLDENS:-}" ] || sizes=""

target=spirv-opencl
. "$here/cover.sh"
cover

for file in "$root"/docs/examples/*.fcl* "$here"/../defects/*.fclir "$here"/../lint/*.fclir "$here"/../half/*.fclir; do
    [[ $file = *.fclir ]] || valid "$file" # the others are by cover
    quirky=$((RANDOM % 2))
    if [ "$quirky" -eq 1 ] || [ -n "${FULL:-}${GOLDENS:-}" ]; then valid "$file" --quirks=pocl-3.1; fi
    if [ "$quirky" -eq 0 ] || [ -n "${FULL:-}" ]; then
        for size in $sizes; do
            valid "$file" -D BlockSize="$size"
        done
    fi
done
for file in "$root"/docs/examples/obsidian/*.fcl; do
    for entry in $(sed -n 's/^-- run: --entry=\([^ ]*\).*/\1/p' "$file"); do
        valid "$file" --entry="$entry"
    done
done

# What is asked for is in the module: names, lines, exactness, or speed.
map=$root/docs/examples/map.fclir
valid "$map" --entry=saxpy
has 'OpEntryPoint Kernel %saxpy_1 "saxpy_1"'
has 'OpExecutionMode %saxpy_1 ContractionOff'
has 'OpExecutionMode %saxpy_1 LocalSize 256 1 1'
has 'OpName %in1_xs "in1_xs"'
has 'OpDecorate %in1_xs FuncParamAttr NoWrite'
! grep -q OpLine "$tmp/out" || fail "lines that nobody asked for"
valid "$map" --entry=saxpy --debug-lines=always
has 'OpString ".*map.fclir"'
line=$(sed -n '/@saxpy/,/^}/{/= \(mul\|fma\)/=}' "$map" | head -1)
has "OpLine %[0-9]+ $line [0-9]+\$"
valid "$map" -D FastMath=1
has 'OpExtInst %float %1 native_exp'
! grep -q ContractionOff "$tmp/out" || fail "fast mathematics is exact"
valid "$here/../half/half.fclir"
has 'vload_half'
valid "$here/../half/half.fclir" -D NativeHalf=1
has 'OpCapability Float16$'

# Lanes of subgroups.
valid "$here/../warp/warps.fclir" --entry=sumWarp --exchange=subgroups -D WarpSize=16
has 'OpExecutionMode %sumWarp_1 SubgroupSize 16'
valid "$here/../warp/warps.fclir" --entry=sumWarp --exchange=subgroups
has 'OpGroupNonUniformShuffle %uint %uint_3'
has 'BuiltIn SubgroupLocalInvocationId'

# Functions of SPIR-V take 255 parameters.
{
    echo "fcl 0.1"
    printf 'kernel @k(%%a0: int'
    for i in {1..256}; do printf ', %%a%d: int' "$i"; done
    printf ', %%xs: [int]) -> [int]<grid> {\n  %%p = push<grid> %%xs\n  %%q = map %%p { (%%x)\n'
    last=x
    for i in {0..256}; do printf '    %%s%d = max %%a%d, %%%s\n' "$i" "$i" "$last" && last=s$i; done
    printf '    yield %%s256\n  }\n  return %%q\n}\n'
} > "$tmp/many.fclir"
refused E0603 fclc compile "$tmp/many.fclir" --target=spirv-opencl
says "255"

# A table longer than an instruction can list.
{
    echo "fcl 0.1"
    printf 'kernel @k(%%is: [int]) -> [u8]<grid> {\n  %%t = array '
    for ((i = 0; i < 65535; i++)); do printf '%s%du8' "$([ $i = 0 ] || echo ', ')" $((i % 251)); done
    printf '\n  %%n = length %%is\n  %%g = generate %%n { (%%k)\n    %%i = index %%is, %%k\n    %%v = index %%t, %%i\n'
    printf '    yield %%v\n  }\n  %%p = push<grid> %%g\n  return %%p\n}\n'
} > "$tmp/table.fclir"
valid "$tmp/table.fclir"
has 'OpTypeArray %_arr_uchar_uint_4096 %uint_16$'

# Random programs: valid ones, and below what they give.
if [ -x "$random" ]; then
    "$random" --seed="$seed" --count="${RANDOM_PROGRAMS:-24}" --settings=0 --emit="$tmp/random" > /dev/null ||
        fail "random --seed=$seed"
    for file in "$tmp"/random/*.fclir; do
        size=$((1 + RANDOM % 256))
        # What no target takes is counted by tests/random.
        try fcl_opt "$file" -D BlockSize=$size --emit=kernel -o "$tmp/kernel"
        [ $status -ne 0 ] || valid "$file" -D BlockSize=$size
    done
fi

if ! has_opencl || ! command -v llvm-spirv-15 > /dev/null || ! command -v clang-15 > /dev/null; then
    [ -n "${GOLDENS:-}" ] || echo "spirv: not run, there is no OpenCL device, llvm-spirv-15 or clang-15"
    finish spirv
fi

# Internal functions are not exported, so the test links the library's objects.
if [ -z "${SAN:-}" ]; then
    objects=$("$here/../tools/objects.sh" "$build")
    # shellcheck disable=SC2086  # a list of words
    ${CC:-cc} -std=c11 -g -I"$root" "$root/tests/opencl/test_scalars.c" $objects -lm -ldl -o "$tmp/test_scalars" &&
        "$tmp/test_scalars" spirv || fail "scalar operators"
fi

# same FILE ARGUMENT...: SPIR-V gives what the evaluator gives.
same()
{
    local file=$1
    shift
    try fclc run --all "$file" --device=interp "$@"
    cp "$tmp/out" "$tmp/expected"
    try fclc run --all "$file" --device=opencl --via=spirv "$@"
    [ $status -eq 0 ] || fail "$file $*: $(head -3 "$tmp/err")"
    cmp -s "$tmp/out" "$tmp/expected" || fail "$file $*: $(head -c 300 "$tmp/out"), not $(head -c 300 "$tmp/expected")"
}

# examples BEGIN FILE...: as lines say that begin so, of a third of the files an eighth each.
examples()
{
    local begin=$1 file
    shift
    for file; do
        drawn 3 || continue
        while read -r args; do
            # shellcheck disable=SC2086  # the arguments are words
            same "$file" $args
        done < <(sed -n "s|^$begin run: *||p" "$file" | some 8)
    done
}
examples // "$root"/docs/examples/*.fclir
examples -- "$root"/docs/examples/*.fcl
shopt -s globstar
if [ -n "${FULL:-}" ]; then
    examples -- "$here"/../fcl/**/*.fcl
    suites="obsidian programs"
else
    examples -- "$here"/../fcl/paper/*.fcl "$here"/../fcl/slides/*.fcl
    suites=obsidian
    export QUICK=1 SAMPLED=opencl:4
fi
for suite in $suites; do
    OPTIONS="${OPTIONS:-} --via=spirv" DEVICES=opencl SEED=$seed BUILD=$build "$here/../$suite/run.sh" || fail "$suite"
done
for i in 0 4095 4096 65534; do same "$tmp/table.fclir" "[$i]"; done
refused E0615 fclc run "$here/locals.fclir" -D Simd=1 -D BlockSize=64 --device=opencl --via=spirv 7 iota:7
if [ -x "$random" ]; then
    POCL_WORK_GROUP_SPECIALIZATION=0 "$random" --seed="$seed" --count=$((${RANDOM_PROGRAMS:-24} / 4)) --device=opencl \
        --via=spirv --timeout=120 > "$tmp/out" || fail "random --seed=$seed --device=opencl --via=spirv: $(cat "$tmp/out")"
fi

# What goes out of bounds, races or diverges in the translated code.
if command -v oclgrind > /dev/null; then
    for name in reduce scan sort; do
        args=$(sed -n 's|^// run: ||p' "$root/docs/examples/$name.fclir" | head -1)
        # shellcheck disable=SC2086  # the arguments are words
        try env -u OCL_ICD_VENDORS FCL_SPIRV_TRANSLATOR=llvm-spirv-15 oclgrind --log "$tmp/log" --data-races --uninitialized \
            "$build/bin/fclc" run "$root/docs/examples/$name.fclir" --device=opencl --via=spirv -D BlockSize=32 $args
        [ $status -eq 0 ] && [ ! -s "$tmp/log" ] || fail "oclgrind: $name: $(head -5 "$tmp/err" "$tmp/log")"
    done
fi

# Artifacts of both forms, and what goes wrong outside of the program.
try fclc compile "$map" --target=spirv-opencl -o "$tmp/map.fcla"
[ $status -eq 0 ] || fail "no artifact: $(cat "$tmp/err")"
ok "$(fclc run "$map" --entry=saxpy 2.0f32 '[1,2]' '[3,4]')" \
    fclc run "$tmp/map.fcla" --device=opencl --via=spirv --entry=saxpy 2.0f32 '[1,2]' '[3,4]'
try fclc compile "$map" --target=spirv-opencl --disassemble -o "$tmp/map.fcla"
[ $status -eq 2 ] || fail "an artifact is disassembled"
run_map=("$build/bin/fclc" run "$map" --device=opencl --via=spirv --entry=saxpy 2.0f32 '[1,2]' '[3,4]')
refused E0613 env FCL_SPIRV_TRANSLATOR=/nowhere/translator "${run_map[@]}"
says "cannot be started"
refused E0613 env FCL_SPIRV_TRANSLATOR=false "${run_map[@]}"
refused E0854 env -u FCL_SPIRV_TRANSLATOR "${run_map[@]}"
says "it takes that of opencl-c"
refused E0642 env TMPDIR=/nowhere "${run_map[@]}"
finish spirv
