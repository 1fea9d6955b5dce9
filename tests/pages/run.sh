#!/usr/bin/env bash
# What a user would type after README and the pages of docs works, and prints what they say (tests/tools/page.sh); every link
# leads somewhere, and every option that a page names is one.  The tutorial and the guides have suites of their own.
# UPDATE=1 writes what the commands print.
. "$(dirname "$0")/../tools/lib.sh"
root=$(cd "$here/../.." && pwd)
pages="README.md docs/language.md docs/memory.md docs/runtime.md docs/artifact.md"

# The root of the sources, where commands may write.
mkdir "$tmp/root" "$tmp/bin"
ln -s "$root/docs" "$root/tests" "$tmp/root"
ln -s "$build" "$tmp/root/build"
ln -s "$python" "$tmp/bin/python3"
export PATH=$tmp/bin:$build/bin:$PATH PYOPENCL_NO_CACHE=1
"$python" -c 'import numpy as n
n.save("'"$tmp"'/root/matrix.npy", n.arange(6, dtype=n.int32).reshape(2, 3))
numbers = n.arange(1000, dtype=n.int32)
n.save("'"$tmp"'/root/numbers.npy", numbers)
numbers.tofile("'"$tmp"'/root/numbers.bin")' || fail "no NumPy"
for page in $pages; do
    cases=$((cases + 1))
    (cd "$tmp/root" && "$root/tests/tools/page.sh" "$root/$page") > "$tmp/said" 2>&1 || fail "$(cat "$tmp/said")"
done

cd "$root" || exit 1
try "$python" "$here/links.py" README.md CHANGELOG.md docs/*.md docs/rooms/*.md docs/examples/*.md
[ $status -eq 0 ] || fail "$(cat "$tmp/out")"

# ---- options ----
{
    sed -n 's/^OPT([A-Z_]*, [^,]*, "\([a-z-]*\)".*/\1/p' frontends/tools/options.def
    cat "$here/options.txt"
} | sort -u > "$tmp/known"
for page in README.md docs/*.md docs/rooms/*.md docs/examples/README.md; do
    grep -oE '(^|[ `(])--[a-z][a-z-]+' "$page" | sed 's/.*--//' | sort -u | grep -vxFf "$tmp/known" > "$tmp/unknown"
    cases=$((cases + 1))
    [ ! -s "$tmp/unknown" ] || fail "$page names options that are none: $(tr '\n' ' ' < "$tmp/unknown")"
done
finish pages
