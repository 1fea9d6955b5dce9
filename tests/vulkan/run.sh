#!/usr/bin/env bash
# SPIR-V for Vulkan: every example is valid for Vulkan 1.1, nothing that the kernel IR has is left out, and where lavapipe is the
# examples give there what the evaluator gives, without a word of the validation layer, and operators what the host gives.  SEED=N
# repeats which runs of the examples these are, with buffers or with addresses: one of three of each file, with FULL=1 all in both
# ways; and which block sizes are validated.
. "$(dirname "$0")/../tools/lib.sh"
root=$(cd "$here/../.." && pwd)
seeded

# Memories are buffers, or addresses, which differ in how elements are reached.
. "$here/../spirv/cover.sh"
for target in spirv-vulkan-addresses spirv-vulkan; do
    cover f16
done

# matrix TYPE ROWS,COLUMNS: a literal.
matrix()
{
    awk -v type="$1" -v rows="${2%,*}" -v cols="${2#*,}" 'BEGIN {
        for (i = 0; i < rows; i++) {
            printf "%s[", i ? "," : "["
            for (j = 0; j < cols; j++) {
                x = (i * 7 + j * 13) % 101
                printf "%s%s", j ? "," : "", type == "bool" ? (x % 3 ? "true" : "false") : x (type == "int" ? "" : type)
            }
            printf "]"
        }
        printf "]\n"
    }'
}

for file in "$root"/docs/examples/*.fcl* "$here"/../defects/*.fclir "$here"/../lint/*.fclir "$here"/../half/*.fclir; do
    for size in 256 $(printf '1\n100\n' | some 2); do valid "$file" -D BlockSize="$size"; done
done

valid "$root/docs/examples/map.fclir" --entry=saxpy
has 'OpEntryPoint GLCompute %saxpy_1 "saxpy_1"'
has 'BuiltIn WorkgroupSize'
has 'SpecId 0'
has 'NoContraction'
has 'OpVariable %_ptr_PushConstant'

# f16 is converted exactly, for which Vulkan's own instructions do not stand.
valid "$here/../half/half.fclir"
has 'OpFunctionCall %ushort %fcl_narrow_half'
! grep -q '[Pp]ackHalf2x16' "$tmp/out" || fail "f16 as the device likes"

# What Vulkan leaves open for negative numbers, and NVIDIA's driver gets wrong.
for op in mod rem div; do
    printf 'fcl 0.1\nkernel @k(%%xs: [int], %%m: int) -> [int]<grid> {\n  %%p = push<grid> %%xs\n  %%q = map %%p { (%%x)\n    %%r = '$op' %%x, 12\n    %%s = '$op' %%r, %%m\n    yield %%s\n  }\n  return %%q\n}\n' > "$tmp/rest.fclir"
    valid "$tmp/rest.fclir"
    ! grep -qE 'OpSRem|OpSMod' "$tmp/out" || fail "$op is of operands that may be negative"
done

# Addresses are scalars: no buffer, and none of its promises but in types.
target=spirv-vulkan-addresses
valid "$root/docs/examples/map.fclir" --entry=saxpy
has 'OpMemoryModel PhysicalStorageBuffer64 GLSL450'
has 'OpConvertUToPtr'
has 'OpMemberDecorate %_struct_[0-9]+ 0 NonWritable'
has 'OpMemberName %_struct_[0-9]+ [0-9]+ "in1_xs"'
! grep -q 'StorageBuffer %_struct' <(grep OpVariable "$tmp/out") || fail "there is a buffer beside addresses"
target=spirv-vulkan

# Names, and where in the source the product is.
map=$root/docs/examples/map.fclir
valid "$map" --entry=saxpy --debug-lines=always
has 'OpName %in1_xs "in1_xs"'
has 'OpName %saxpy_1 "saxpy_1"'
has 'OpMemberName %_struct_[0-9]+ 0 "groups"'
has 'OpMemberName %_struct_[0-9]+ [0-9]+ "arg0_a"'
has 'OpString ".*map.fclir"'
line=$(sed -n '/@saxpy/,/^}/{/= \(mul\|fma\)/=}' "$map" | head -1)
has "OpLine %[0-9]+ $line [0-9]+\$"

# A program whose results are empty has no kernels: a module needs an entry point all the same.
printf 'fcl 0.1\nkernel @k(%%n: int) -> [int]<grid> {\n  %%g = generate 0 { (%%i)\n    yield %%n\n  }\n  %%p = push<grid> %%g\n  return %%p\n}\n' > "$tmp/none.fclir"
valid "$tmp/none.fclir"
has 'OpEntryPoint GLCompute'

# Local areas are vectors of what their widest access moves, up to 16 bytes and four elements.
for area in bool:v4uchar i8:v4uchar u16:v4ushort f16:v4ushort int:v4uint i64:v2ulong double:v2ulong; do
    type=${area%:*}
    sed "s/f32/$type/g" "$here/../bench/kernels/transpose.fclir" > "$tmp/$type.fclir"
    valid "$tmp/$type.fclir" --entry=transposed32 -D BlockSize=64
    has "OpTypePointer Workgroup %_arr_${area#*:}_"
    valid "$tmp/$type.fclir" --entry=transposed32 -D BlockSize=64 -D VectorBytes=1
    ! grep -q 'Workgroup %_arr_v' "$tmp/out" || fail "$type: vectors that nobody accesses"
done

warps=$here/../warp/warps.fclir
for entry in $(sed -n 's/^kernel @\([A-Za-z]*\)(.*/\1/p' "$warps"); do
    valid "$warps" --entry="$entry" --exchange=subgroups -D BlockSize=64
done
valid "$warps" --entry=sumWarp --exchange=subgroups
has 'OpGroupNonUniformShuffle '

icd=/usr/share/vulkan/icd.d/lvp_icd.x86_64.json
if [ ! -e $icd ]; then
    echo "vulkan: not run, there is no lavapipe"
    finish vulkan
fi
driver_stop # the loader reads what follows once in a process
export VK_ICD_FILENAMES=$icd VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation
# The layer looks for barriers that commands lack, too.
export VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
for file in "$root"/docs/examples/*.fcl*; do
    # But where groups wait for one another.
    while read -r via args; do
        # shellcheck disable=SC2086  # the arguments are words
        try fclc run --all "$file" --device=interp $args
        cp "$tmp/out" "$tmp/expected"
        # shellcheck disable=SC2086
        try fclc run --all "$file" --device=vulkan --via="$via" $args
        [ $status -eq 0 ] && cmp -s "$tmp/out" "$tmp/expected" && [ ! -s "$tmp/err" ] ||
            fail "$via: $file $args: $(head -c 300 "$tmp/out" "$tmp/err")"
    done < <(sed -n '/weights/!s~^\(//\|--\) run: *\(.*\)~spirv-vulkan \2\nspirv-vulkan-addresses \2~p' "$file" | some 9)
done
ok '[]' fclc run "$tmp/none.fclir" --device=vulkan 3

# Widened integers beside constants of 64 bits, which the quirk widened-compares is about: without it lavapipe 22.3 gives 0.
printf 'fcl 0.1\nkernel @k(%%xs: [int]) -> [int]<grid> {\n  %%n = length %%xs\n  %%g = generate %%n { (%%i)\n    %%x = index %%xs, %%i\n    %%y = convert<i64> %%x\n    %%b = lt %%y, 48i64\n    %%r = select %%b, 1, 0\n    yield %%r\n  }\n  %%p = push<grid> %%g\n  return %%p\n}\n' > "$tmp/widened.fclir"
for bits in 32 64; do
    ok '[1, 1, 0, 1, 0]' fclc run "$tmp/widened.fclir" --device=vulkan -D IndexBits=$bits '[1,47,48,-1,2147483647]'
done

# An array beyond what the device lets kernels see of a buffer: 128 MiB here.
# With addresses it is no limit.
refused E0653 fclc run "$root/docs/examples/reduce.fclir" --entry=maximum --device=vulkan iota:40000000
says 'more than the 134217728'
says 'spirv-vulkan-addresses'
ok '[39999999]' fclc run "$root/docs/examples/reduce.fclir" --entry=maximum --device=vulkan --via=spirv-vulkan-addresses iota:40000000

# Every operator on every type against the host, and the errors of functions of floats.
if [ -z "${SAN:-}" ]; then
    objects=$("$here/../tools/objects.sh" "$build")
    # shellcheck disable=SC2086  # a list of words
    ${CC:-cc} -std=c11 -g -I"$root" "$root/tests/opencl/test_scalars.c" $objects -lm -ldl -o "$tmp/test_scalars" &&
        "$tmp/test_scalars" vulkan > "$tmp/scalars" || fail "scalar operators: $(tail -20 "$tmp/scalars")"
fi
DEVICE=vulkan "$here/../accuracy/run.sh" > "$tmp/accuracy" || fail "accuracy: $(cat "$tmp/accuracy")"

# f16 bit for bit.
DEVICES=vulkan "$here/../half/run.sh" > "$tmp/half" || fail "f16: $(cat "$tmp/half")"

# agree OPTION...: lavapipe gives what the evaluator gives.
agree()
{
    try fclc run --all --device=interp "$@"
    cp "$tmp/out" "$tmp/expected"
    try fclc run --all --device=vulkan "${more[@]}" "$@"
    [ $status -eq 0 ] && cmp -s "$tmp/out" "$tmp/expected" && [ ! -s "$tmp/err" ] ||
        fail "$*: $(head -c 300 "$tmp/out" "$tmp/err")"
}

more=()
for type in bool i8 u16 int i64; do
    for shape in 48,64 45,64 33,37; do
        agree "$tmp/$type.fclir" --entry=transposed32 -D BlockSize=64 "$(matrix "$type" "$shape")"
        more=(--via=spirv-vulkan-addresses -D IndexBits=64)
        agree "$tmp/$type.fclir" --entry=transposed32 -D BlockSize=64 "$(matrix "$type" "$shape")"
        more=()
    done
done

# Memories beyond those that a stage may have as buffers (32 here), whose addresses are more than is pushed; a check that fails
# finds its way.
{
    echo 'fcl 0.1'
    printf 'kernel @many('
    for i in $(seq 40); do printf '%%x%d: [int], ' "$i"; done
    printf '%%at: int) -> [int]<grid> {\n  %%n = length %%x1\n  %%g = generate %%n { (%%i)\n    %%s0 = index %%x1, %%at\n'
    for i in $(seq 40); do printf '    %%y%d = index %%x%d, %%i\n    %%s%d = add %%s%d, %%y%d\n' "$i" "$i" "$i" $((i - 1)) "$i"; done
    printf '    yield %%s40\n  }\n  %%p = push<grid> %%g\n  return %%p\n}\n'
} > "$tmp/many.fclir"
args=()
for i in $(seq 40); do args+=("[$i,1,2]"); done
refused E0653 fclc run "$tmp/many.fclir" --device=vulkan "${args[@]}" 0
says 'spirv-vulkan-addresses'
ok '[821, 41, 81]' fclc run "$tmp/many.fclir" --device=vulkan --via=spirv-vulkan-addresses "${args[@]}" 0
refused E0701 fclc run "$tmp/many.fclir" --device=vulkan --via=spirv-vulkan-addresses "${args[@]}" 3

# What fails is reported at the end of the kernel there, and ends loops before that.
for entry in halved followed; do
    args=$(sed -n "s|^// run: $entry E0701 ||p" "$here/../checks/endless.fclir" | head -1)
    # shellcheck disable=SC2086  # the arguments are words
    refused E0701 fclc run "$here/../checks/endless.fclir" --entry=$entry --device=vulkan $args
done

# Lanes of subgroups, whose size is eight in lavapipe, and of which a block has 32 at most.
more=(--exchange=subgroups)
for entry in $(sed -n 's/^kernel @\([A-Za-z]*\)(.*/\1/p' "$warps"); do
    case $entry in
    types | compose* | scanWarps | scanBlock) args=(iota:150 iota:150) ;;
    *) args=(iota:150) ;;
    esac
    agree "$warps" --entry="$entry" -D WarpSize=8 -D BlockSize=64 "${args[@]}"
    agree "$warps" --entry="$entry" -D WarpSize=8 -D BlockSize=40 -D Groups=1 "${args[@]}"
done
agree "$warps" --entry=prefixes -D WarpSize=8 -D BlockSize=512 iota:1500
agree "$warps" --entry=prefixes -D WarpSize=32 -D BlockSize=64 iota:1500
fclc compile "$warps" --entry=prefixes --target=spirv-vulkan --exchange=subgroups -D WarpSize=8 -o "$tmp/small.fcla" -D BlockSize=64
agree_with()
{
    try fclc run --all "$1" --device=vulkan iota:1500
    [ $status -eq 0 ] && cmp -s "$tmp/out" "$tmp/expected" || fail "$1: $(head -c 300 "$tmp/out" "$tmp/err")"
}
agree_with "$tmp/small.fcla"
fclc compile "$warps" --entry=prefixes --target=spirv-vulkan --exchange=subgroups -D WarpSize=8 -o "$tmp/large.fcla" -D BlockSize=512
refused E0616 fclc run "$tmp/large.fcla" --device=vulkan iota:1500
says 'the device allows 32 warps of 8'
finish vulkan
