#!/usr/bin/env bash
# docs/frontend.md: each of its commands, in a copy of docs/examples/frontend, and what its three compilers of Tally have in common:
# the same results as Python's, the same code, the same words for wrong programs (wrong.txt, wrong.golden; UPDATE=1).
. "$(dirname "$0")/../tools/lib.sh"
root=$(cd "$here/../.." && pwd)
"$python" -c 'import msgpack' || { echo "frontend: there is no msgpack for Python (Debian: python3-msgpack)"; exit 1; }

# As where the packages are installed: python3 with its modules, and pkg-config that finds the library.
mkdir "$tmp/bin" "$tmp/pkgconfig"
ln -s "$python" "$tmp/bin/python3"
cat > "$tmp/pkgconfig/libfcl.pc" << END
Name: libfcl
Description: the library of this tree
Version: 0
Cflags: -I$root/libfcl
Libs: ${SAN:+-fsanitize=address,undefined} $build/lib/libfcl.a -lm -ldl
END
cp -r "$root/docs/examples/frontend" "$tmp/tally"
cd "$tmp/tally" || exit 1
export PATH=$tmp/bin:$build/bin:$PATH PKG_CONFIG_PATH=$tmp/pkgconfig PYTHONDONTWRITEBYTECODE=1

"$root/tests/tools/page.sh" "$root/docs/frontend.md" "$root/docs/examples/frontend" || fail "docs/frontend.md"
for option in -std=c11 "-x c++ -std=c++17 -fsyntax-only"; do
    # shellcheck disable=SC2046,SC2086  # words
    [ "$option" != -std=c11 ] || cc $option -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror tally.c -o tally $(pkg-config --cflags --libs libfcl) ||
        fail "tally.c with all warnings"
done

# ---- the three agree, on what is right ----
"$python" text.py stats.tally > stats.fclir
"$python" binary.py stats.tally > stats.fclb
try ./tally stats.tally
mv "$tmp/out" stats.c.fclir
try fclc compile stats.fclir -o text.cl
try fclc compile stats.fclb -o binary.cl
cmp -s text.cl binary.cl || fail "text.py and binary.py make different code"
"$python" "$here/results.py" > results || fail "results.py"
while IFS=$'\t' read -r entry expected arguments; do
    read -ra args <<< "$arguments"
    for file in stats.fclb stats.c.fclir; do
        ok "$expected" fclc run "$file" --all --entry="$entry" -- "${args[@]}"
    done
done < results

# ---- and on what is wrong ----
echo 'exec ./tally "$@"' > tally.sh
index=0
: > said
while IFS= read -r program; do
    index=$((index + 1))
    printf "f n ← n + 1\ng x[] ← +/x\nx[] h y ← x × y\n%b\n" "$program" > wrong.tally
    for way in "python3 text.py" "python3 binary.py" "sh tally.sh"; do
        try $way wrong.tally
        [ $status -eq 1 ] || fail "$way accepts $program"
        cp "$tmp/err" "said.${way##* }"
    done
    for way in binary.py tally.sh; do
        cmp -s said.text.py "said.${way##* }" || fail "$program: $way says $(cat "said.${way##* }"), not $(cat said.text.py)"
    done
    cat said.text.py >> said
done < "$here/wrong.txt"
[ -z "${UPDATE:-}" ] || cp said "$here/wrong.golden"
cmp -s said "$here/wrong.golden" || fail "wrong programs: $(diff said "$here/wrong.golden" | head)"

finish frontend
