#!/usr/bin/env bash
# The SPIR-V back end: every module that is emitted is valid, every scalar operator on every type and every example gives
# on PoCL, through llvm-spirv, what the evaluator gives, and no statement of the kernel IR is left out by all of them.
#
#   QUICK=1   fewer block sizes, and no device
. "$(dirname "$0")/../tools/lib.sh"
root=$(cd "$here/../.." && pwd)
command -v spirv-val > /dev/null || { echo "spirv: skipped, there is no spirv-val"; exit 0; }
sizes="1 100 256"
[ -z "${QUICK:-}${GOLDENS:-}" ] || sizes=256
export FCL_SPIRV_TRANSLATOR=${FCL_SPIRV_TRANSLATOR:-llvm-spirv-15}
valid=0
: > "$tmp/kernels"

# valid FILE OPTION...: OpenCL 1.2 has atomic steps on 64 bits and f16 as extensions, which the validator does not know.
valid()
{
    local environment=opencl1.2
    try fclc compile "$@" --target=spirv-opencl -o "$tmp/x.spv"
    [ $status -eq 0 ] || { fail "$*: $(head -3 "$tmp/err")"; return; }
    spirv-dis --raw-id "$tmp/x.spv" > "$tmp/x.spvasm" || fail "$*: no text"
    ! grep -qE 'OpCapability (Int64Atomics|Float16)$' "$tmp/x.spvasm" || environment=spv1.0
    try spirv-val --target-env $environment "$tmp/x.spv"
    [ $status -eq 0 ] || fail "$*: $(head -5 "$tmp/err")"
    valid=$((valid + 1))
}

for file in "$root"/docs/examples/*.fclir "$here"/../defects/*.fclir "$here"/../lint/*.fclir "$here"/../half/*.fclir; do
    for size in $sizes; do
        valid "$file" -D BlockSize="$size"
    done
    fcl_opt "$file" --emit=kernel >> "$tmp/kernels" || fail "$file: no kernel IR"
done
for file in "$root"/docs/examples/obsidian/*.fcl; do
    for entry in $(sed -n 's/^-- run: --entry=\([^ ]*\).*/\1/p' "$file"); do
        valid "$file" --entry="$entry"
    done
done
valid "$root/docs/examples/scan_chained.fclir" -D InPhases=1
valid "$root/docs/examples/map.fclir" -D FastMath=1
valid "$here/../half/half.fclir" -D NativeHalf=1
valid "$here/../checks/endless.fclir" --checks=all

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

# Every statement that a kernel may have was among them: kir.def names them, and says which are none of a kernel's, or none
# of a target whose lanes exchange through memory.
covered=0
none=" arg dim buffer table output par launch param result yield shuffle const "
for name in $(sed -n 's/^KNODE([A-Z]*, [0-9]*, "\([a-z]*\)".*/\1/p' "$root/ir/kernel/kir.def"); do
    case $none in *" $name "*) continue ;; esac
    grep -qE "(^|[ =])$name " "$tmp/kernels" || fail "no kernel has a statement $name"
    covered=$((covered + 1))
done
[ $covered -ge 15 ] || fail "$covered kinds of statements"

if ! has_opencl || ! command -v "$FCL_SPIRV_TRANSLATOR" > /dev/null; then
    [ -n "${GOLDENS:-}" ] || echo "spirv: not run, there is no OpenCL device or no $FCL_SPIRV_TRANSLATOR"
    finish spirv
fi

# Internal functions are not exported, so the test links the library's objects.
if [ -z "${SAN:-}" ]; then
    objects=$(cd "$root" && find ir serialize backends libfcl frontends/fcl -name '*.c' | sed "s|^|$build/obj/|; s|c\$|o|")
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
for file in "$root"/docs/examples/*.fclir; do
    while read -r args; do
        case $args in *InPhases*) continue ;; esac
        # shellcheck disable=SC2086  # the arguments are words
        same "$file" $args
    done < <(sed -n 's|^// run: ||p' "$file")
done

# Artifacts of both forms, and what goes wrong outside of the program.
map=$root/docs/examples/map.fclir
try fclc compile "$map" --target=spirv-opencl -o "$tmp/map.fcla"
[ $status -eq 0 ] || fail "no artifact: $(cat "$tmp/err")"
ok "$(fclc run "$map" --entry=saxpy 2.0f32 '[1,2]' '[3,4]')" \
    fclc run "$tmp/map.fcla" --device=opencl --entry=saxpy 2.0f32 '[1,2]' '[3,4]'
run_map=("$build/bin/fclc" run "$map" --device=opencl --via=spirv --entry=saxpy 2.0f32 '[1,2]' '[3,4]')
refused E0613 env FCL_SPIRV_TRANSLATOR=/nowhere/translator "${run_map[@]}"
says "cannot be started"
refused E0613 env FCL_SPIRV_TRANSLATOR=false "${run_map[@]}"
refused E0854 env -u FCL_SPIRV_TRANSLATOR "${run_map[@]}"
says "it takes that of opencl-c"
refused E0642 env TMPDIR=/nowhere "${run_map[@]}"
finish spirv
