#!/bin/bash
# Every kernel of the examples, of the corners of the lowering and of unread.fclir, emitted for three block sizes, must be
# clean OpenCL C 1.2 for clang with all its warnings;
# and so must what is emitted for NVIDIA, whose compiler knows asm.
. "$(dirname "$0")/../tools/lib.sh"
clang=${CLANG:-clang-15}
command -v "$clang" > /dev/null || { echo "lint: skipped, there is no $clang"; exit 0; }
checked=0

# lint FILE OPTION...: the code of a module, or of an entry.
lint()
{
    for size in 1 100 256; do
        checked=$((checked + 1))
        if ! fclc compile "$@" -D BlockSize=$size -o "$tmp/code.cl"; then
            fail "$* does not compile"
        elif ! "$clang" -x cl -cl-std=CL1.2 -target spir64 -Xclang -finclude-default-header -fsyntax-only -Wall -Wextra -Werror \
            "$tmp/code.cl"; then
            fail "$* in blocks of $size"
        fi
    done
}

for file in "$here"/../../docs/examples/obsidian/*.fcl; do
    for entry in $(sed -n 's/^-- run: --entry=\([^ ]*\).*/\1/p' "$file"); do
        lint "$file" --entry="$entry"
    done
done
for file in "$here"/../../docs/examples/*.fcl*; do
    name=$(basename "$file" .fclir)
    lint "$file"
    [ "$name" = scan_chained ] || continue # the one with ordered accesses; others use overloads that clang 15 lacks there
    fclc compile "$file" --exchange=ptx -o "$tmp/$name-ptx.cl" || fail "$name-ptx does not compile"
    "$clang" -x cl -cl-std=CL1.2 -fgnu-keywords -target nvptx64-nvidia-nvcl -Xclang -finclude-default-header -fsyntax-only \
        -Wall -Wextra -Werror "$tmp/$name-ptx.cl" || fail "$name-ptx"
    checked=$((checked + 1))
done
for file in "$here"/*.fclir "$here"/../defects/*.fclir; do
    lint "$file"
done
[ $failures -eq 0 ] && echo "lint: ok ($checked modules)"
exit $((failures != 0))
