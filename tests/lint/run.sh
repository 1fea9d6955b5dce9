#!/bin/bash
# Every kernel of the examples, emitted for three block sizes, must be clean OpenCL C 1.2 for clang with all its warnings.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:-$here/../../build}
build=$(cd "$build" && pwd) || exit 1
fclc=$build/bin/fclc
[ -x "$fclc" ] || { echo "there is no $fclc"; exit 1; }
clang=${CLANG:-clang-15}
command -v "$clang" > /dev/null || { echo "lint: skipped, there is no $clang"; exit 0; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
checked=0

for file in "$here"/../../docs/examples/*.fclir; do
    for size in 1 100 256; do
        name=$(basename "$file" .fclir)-$size
        if ! "$fclc" compile "$file" -D BlockSize=$size -o "$tmp/$name.cl"; then
            echo "FAILED: $name does not compile"
            failures=$((failures + 1))
        elif ! "$clang" -x cl -cl-std=CL1.2 -target spir64 -Xclang -finclude-default-header -fsyntax-only -Wall -Wextra -Werror \
            "$tmp/$name.cl"; then
            echo "FAILED: $name"
            failures=$((failures + 1))
        fi
        checked=$((checked + 1))
    done
done
[ $failures -eq 0 ] && echo "lint: ok ($checked modules)"
exit $((failures != 0))
