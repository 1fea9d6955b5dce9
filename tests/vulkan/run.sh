#!/usr/bin/env bash
# SPIR-V for Vulkan: every example is valid for Vulkan 1.1, what the environment lacks is declined, and where lavapipe is the
# examples give there what the evaluator gives, without a word of the validation layer.
. "$(dirname "$0")/../tools/lib.sh"
root=$(cd "$here/../.." && pwd)

valid()
{
    try fclc compile "$@" --target=spirv-vulkan --disassemble
    [ $status -eq 0 ] || fail "$*: $(head -5 "$tmp/err")"
}

has()
{
    grep -qE -- "$1" "$tmp/out" || fail "no line $1"
}

for file in "$root"/docs/examples/*.fclir "$here"/../defects/*.fclir "$here"/../lint/*.fclir "$here"/../half/*.fclir; do
    for size in 1 100 256; do valid "$file" -D BlockSize="$size"; done
done

valid "$root/docs/examples/map.fclir" --entry=saxpy
has 'OpEntryPoint GLCompute %saxpy_1 "saxpy_1"'
has 'BuiltIn WorkgroupSize'
has 'SpecId 0'
has 'NoContraction'
has 'OpVariable %_ptr_PushConstant'

# What GLSL.std.450 has for f32 alone.
printf 'fcl 0.1\nkernel @k(%%xs: [f64]) -> [f64]<grid> {\n  %%p = push<grid> %%xs\n  %%q = map %%p { (%%x)\n    %%s = sin %%x\n    yield %%s\n  }\n  return %%q\n}\n' > "$tmp/sin.fclir"
refused E0604 fclc compile "$tmp/sin.fclir" --target=spirv-vulkan
says "no sin of"

icd=/usr/share/vulkan/icd.d/lvp_icd.x86_64.json
if [ ! -e $icd ]; then
    echo "vulkan: not run, there is no lavapipe"
    finish vulkan
fi
export VK_ICD_FILENAMES=$icd VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation
for file in "$root"/docs/examples/*.fclir; do
    while read -r args; do
        case $args in
        *blackscholes*) continue ;; # lavapipe's exp and log are rounded otherwise
        *weights*) continue ;;      # groups that wait for one another
        esac
        # shellcheck disable=SC2086  # the arguments are words
        try fclc run --all "$file" --device=interp $args
        cp "$tmp/out" "$tmp/expected"
        # shellcheck disable=SC2086
        try fclc run --all "$file" --device=vulkan $args
        [ $status -eq 0 ] && cmp -s "$tmp/out" "$tmp/expected" && [ ! -s "$tmp/err" ] ||
            fail "$file $args: $(head -c 300 "$tmp/out" "$tmp/err")"
    done < <(sed -n 's|^// run: *||p' "$file")
done
finish vulkan
