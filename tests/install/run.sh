#!/usr/bin/env bash
# The library as a stranger sees it: nothing but fcl_* is visible, and what `make install` installs is enough to build and
# run a program through pkg-config and through CMake, in C and in C++; manual pages and completion are what their readers
# take; `make uninstall` leaves nothing; `make dist` packs what git knows, the same bytes twice.
set -eu
[ -z "${SAN:-}" ] || { echo "install: not with sanitizers"; exit 0; }
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
make=${MAKE:-make}
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

wrong() { echo "install: $*"; exit 1; }
quietly() { "$@" > "$root/log" 2>&1 || { cat "$root/log"; wrong "$*"; }; }
# To the root, as a package does it.
into() { quietly "$make" --no-print-directory BUILD="$build" "$@" PREFIX=/opt/fcl DESTDIR="$root"; }

strange=$(nm -D --defined-only "$build/lib/libfcl.so.0" | awk '$2 != "A" && $3 !~ /^fcl_/'
    nm -g --defined-only "$build/lib/libfcl.a" | awk 'NF == 3 && $3 !~ /^fcl_/')
[ -z "$strange" ] || wrong "visible, but not fcl_*: $strange"

# Every function of the headers is there.
into install
installed=$root/opt/fcl
cat "$installed"/include/*.h | sed -n 's/^FCL_API.*\b\(fcl_[a-z_]*\)(.*/\1/p' | sort -u > "$root/declared"
nm -D --defined-only "$build/lib/libfcl.so.0" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort -u > "$root/defined"
diff "$root/declared" "$root/defined" || wrong "the headers and libfcl.so.0 differ"

# ---- pkg-config ----
export PKG_CONFIG_PATH="$installed/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root"
# shellcheck disable=SC2046  # the flags are words
cc -std=c11 docs/examples/build_reverse.c -o "$root/example" $(pkg-config --cflags --libs libfcl)
readelf -d "$root/example" | grep -q 'NEEDED.*libfcl\.so\.0' || wrong "the SONAME is not libfcl.so.0"
LD_LIBRARY_PATH="$installed/lib" "$root/example" 100 7 > /dev/null
for header in "$installed"/include/*.h; do
    # shellcheck disable=SC2046
    echo "#include <$(basename "$header")>" | c++ -x c++ -fsyntax-only $(pkg-config --cflags libfcl) -
done
"$installed/bin/fclc" check docs/examples/reverse.fclir
quietly python3 "$installed/share/libfcl/conformance/conform.py" --rule=imports --rule=artifact --text \
    --read="$installed/bin/fcl-opt {in} -o {out}" --artifact="$installed/bin/fclc compile {in} -o {out}"

# ---- CMake ----
if command -v cmake > /dev/null; then
    # Moved as a whole, it is found where it is then.
    mkdir "$root/elsewhere"
    cp -r "$installed" "$root/elsewhere/fcl"
    mkdir "$root/project"
    cp docs/examples/build_reverse.c "$root/project"
    cat > "$root/project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.13)
project(example C)
find_package(fcl 0.1 REQUIRED)
add_executable(shared build_reverse.c)
target_link_libraries(shared fcl::fcl)
add_executable(static build_reverse.c)
target_link_libraries(static fcl::static)
CMAKE
    quietly cmake -S "$root/project" -B "$root/project/build" -DCMAKE_PREFIX_PATH="$root/elsewhere/fcl"
    quietly cmake --build "$root/project/build"
    for program in shared static; do
        "$root/project/build/$program" 100 7 > /dev/null || wrong "the $program program of CMake fails"
    done
    readelf -d "$root/project/build/shared" | grep -q 'NEEDED.*libfcl\.so\.0' || wrong "fcl::fcl is not the shared library"
    ! readelf -d "$root/project/build/static" | grep -q libfcl || wrong "fcl::static is not the static library"
    for version in 0.0 0.2 1; do
        sed -i "s/find_package(fcl [0-9.]*/find_package(fcl $version/" "$root/project/CMakeLists.txt"
        ! cmake -S "$root/project" -B "$root/project/other" -DCMAKE_PREFIX_PATH="$root/elsewhere/fcl" > "$root/log" 2>&1 ||
            wrong "find_package(fcl $version) finds another version"
    done
else
    echo "install: no cmake, so not with CMake"
fi

# ---- manual pages ----
for program in fclc fcl-opt; do
    page=$installed/share/man/man1/$program.1
    "$installed/bin/$program" --help | sed -n 's/^  \(-., \)\?--\([a-z-]*\).*/\2/p' | while read -r option; do
        grep -qF -- "\\-\\-${option//-/\\-}" "$page" || wrong "$program.1 lacks --$option"
    done
    if command -v groff > /dev/null; then
        groff -man -ww -Tascii "$page" > /dev/null 2> "$root/log"
        [ ! -s "$root/log" ] || { cat "$root/log"; wrong "$program.1"; }
    fi
done

# ---- completion ----
# bash_completes WORDS... CURRENT: what it offers.
bash_completes() {
    bash -c '. "$1"; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _'"${1//-/_}"'; printf "%s\n" "${COMPREPLY[@]}"' \
        bash "$installed/share/bash-completion/completions/$1" "$@"
}
[ "$(bash_completes fclc co)" = compile ] || wrong "bash: fclc co"
[ "$(bash_completes fclc help ex)" = explain ] || wrong "bash: fclc help ex"
[ "$(bash_completes fclc run --tim)" = --time ] || wrong "bash: fclc run --tim"
[ -z "$(bash_completes fclc check --tim)" ] || wrong "bash: fclc check --tim"
[ "$(bash_completes fcl-opt --list)" = --list-passes ] || wrong "bash: fcl-opt --list"
if command -v zsh > /dev/null; then
    for program in fclc fcl-opt; do
        file=$installed/share/zsh/site-functions/_$program
        # Loaded as zsh does it; the specifications are what _arguments takes.
        zsh -f -c '
            autoload -U compinit && compinit -D -u
            _arguments() { print -rl -- "$@" }; _describe() { print -rl -- ${(P)2} }
            words=('"$program"' run -) CURRENT=${1:-3}; source '"$file"'' zsh 3 > "$root/offered" 2> "$root/log" ||
            { cat "$root/log"; wrong "zsh: _$program"; }
        grep -q '^--limit=\[' "$root/offered" || wrong "zsh: $program offers no --limit"
    done
else
    echo "install: no zsh, so not its completion"
fi

# ---- make from elsewhere, into another folder, with other flags ----
object=$root/built/obj/ir/base/caret.o
built() { (cd "$root" && quietly "$make" --no-print-directory "$@" BUILD="$root/built" "$object") && stat -c %y "$object"; }
sources=$PWD
first=$(built -C "$sources")
[ "$(built -f "$sources/Makefile")" = "$first" ] || wrong "make -f from elsewhere builds again what make -C has built"
[ "$(built -C "$sources" CFLAGS=-O1)" != "$first" ] || wrong "other CFLAGS build nothing"

# ---- uninstall, strip, dist ----
into install-strip
! readelf -S "$installed/bin/fclc" | grep -q debug_info || wrong "install-strip leaves symbols in fclc"
nm -D --defined-only "$installed/lib/libfcl.so.0" | grep -q fcl_version || wrong "install-strip strips the library's functions"
cc -std=c11 docs/examples/build_reverse.c -o "$root/example" -I"$installed/include" "$installed/lib/libfcl.a" -lm -ldl
# All of it static, the C library too: the evaluator is there, and nothing that would have to be loaded.
# shellcheck disable=SC2046
quietly cc -static -std=c11 docs/examples/build_reverse.c -o "$root/static" $(pkg-config --cflags --libs --static libfcl)
[ "$("$root/static" 10 3 | tail -1)" = 'interp: 9 8 7 6 5 4 3 2 1 0' ] || wrong "a static program does not run on interp alone"
touch "$installed/lib/of-others"
into uninstall
left=$(cd "$installed" && find . ! -type d; find . -name '*fcl*')
[ "$left" = ./lib/of-others ] || wrong "uninstall leaves $left"

if git rev-parse > /dev/null 2>&1; then
    for n in 1 2; do
        into dist BUILD="$root/dist$n"
    done
    cmp "$root"/dist1/*.tar.gz "$root"/dist2/*.tar.gz || wrong "dist packs differently the second time"
    name=$(basename "$root"/dist1/*.tar.gz .tar.gz)
    diff <(git ls-files | sort) <(tar tzf "$root/dist1/$name.tar.gz" | sed "s|^$name/||" | sort) || wrong "dist packs other files"
else
    echo "install: no git, so not dist"
fi
echo "install: ok"
