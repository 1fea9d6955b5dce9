#!/bin/bash
# Every kernel of the examples, emitted for three block sizes, must be clean OpenCL C 1.2 for clang with all its warnings.
. "$(dirname "$0")/../tools/lib.sh"
fclc=$build/bin/fclc
clang=${CLANG:-clang-15}
command -v "$clang" > /dev/null || { echo "lint: skipped, there is no $clang"; exit 0; }
checked=0

for file in "$here"/../../docs/examples/*.fclir; do
    for size in 1 100 256; do
        name=$(basename "$file" .fclir)-$size
        if ! "$fclc" compile "$file" -D BlockSize=$size -o "$tmp/$name.cl"; then
            fail "$name does not compile"
        elif ! "$clang" -x cl -cl-std=CL1.2 -target spir64 -Xclang -finclude-default-header -fsyntax-only -Wall -Wextra -Werror \
            "$tmp/$name.cl"; then
            fail "$name"
        fi
        checked=$((checked + 1))
    done
done
[ $failures -eq 0 ] && echo "lint: ok ($checked modules)"
exit $((failures != 0))
