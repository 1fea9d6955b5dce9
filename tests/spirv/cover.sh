# What both suites of SPIR-V have in common: programs that together have everything that the kernel IR has, for $target.

# valid FILE OPTION...: SPIRV-Tools accept the module, whose text is then in $tmp/out.
valid()
{
    try fclc compile "$@" --target="$target" --disassemble
    [ $status -eq 0 ] || fail "$*: $(head -5 "$tmp/err")"
}

# both FILE OPTION...: likewise, and its kernel IR is looked at in the end.
both()
{
    valid "$@"
    fcl_opt "$@" --target="$target" --emit=kernel >> "$tmp/kernels" || fail "$*: no kernel IR"
}

# has PATTERN: a line of the text that was made last.
has()
{
    grep -qE -- "$1" "$tmp/out" || fail "no line $1"
}

# cover [TYPE]: every statement, operator on every type, conversion, step, coordinate and form of the tables is emitted; TYPE is
# computed in another one.
cover()
{
    local tests=$here/.. examples=$here/../../docs/examples file entry
    : > "$tmp/kernels"
    for file in "$examples"/*.fclir "$tests"/defects/*.fclir "$tests"/lint/*.fclir "$tests"/half/*.fclir; do
        both "$file"
    done
    "$python" "$tests/spirv/covered.py" operators "$tmp/operators.fclir"
    both "$tmp/operators.fclir" -D NativeHalf=1
    both "$examples/scan_chained.fclir" -D InPhases=1
    both "$examples/map.fclir" -D FastMath=1
    both "$examples/sum.fclir" -D JoinLaunches=1
    both "$tests/checks/endless.fclir" --checks=all
    for entry in $(sed -n 's/^kernel @\([A-Za-z]*\)(.*/\1/p' "$tests/warp/warps.fclir"); do
        both "$tests/warp/warps.fclir" --entry="$entry" --exchange=subgroups
    done
    for form in kernel code; do
        fcl_opt --from=kernel --target="$target" --passes=outline,localmap,legalise --emit=$form "$tests/spirv/steps.kir" \
            -o "$tmp/steps.$form" || fail "steps.kir"
    done
    cat "$tmp/steps.kernel" >> "$tmp/kernels"
    try "$python" "$tests/spirv/covered.py" count "$tmp/kernels" "$@"
    [ $status -eq 0 ] || fail "$target: $(head -20 "$tmp/out" "$tmp/err")"
}
