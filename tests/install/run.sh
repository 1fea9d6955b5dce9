#!/bin/sh
# The library as a stranger sees it: nothing but fcl_* is visible, and what `make install` installs is enough to build and
# run a program through pkg-config, in C and in C++.
set -eu
[ -z "${SAN:-}" ] || { echo "install: not with sanitizers"; exit 0; }
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

strange=$(nm -D --defined-only "$build/lib/libfcl.so.0" | awk '$2 != "A" && $3 !~ /^fcl_/'
    nm -g --defined-only "$build/lib/libfcl.a" | awk 'NF == 3 && $3 !~ /^fcl_/')
[ -z "$strange" ] || { echo "visible, but not fcl_*: $strange"; exit 1; }

# Every function of the header is there.
sed -n 's/^FCL_API.*\b\(fcl_[a-z_]*\)(.*/\1/p' libfcl/fcl.h | sort -u > "$root/declared"
nm -D --defined-only "$build/lib/libfcl.so.0" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort -u > "$root/defined"
diff "$root/declared" "$root/defined" || { echo "fcl.h and libfcl.so.0 differ"; exit 1; }

"${MAKE:-make}" --no-print-directory BUILD="$build" install PREFIX=/opt/fcl DESTDIR="$root" > "$root/log" 2>&1 ||
    { cat "$root/log"; exit 1; }
export PKG_CONFIG_PATH="$root/opt/fcl/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root"
sed 's|"libfcl/fcl.h"|<fcl.h>|' docs/examples/build_reverse.c > "$root/example.c"
# shellcheck disable=SC2046  # the flags are words
cc -std=c11 "$root/example.c" -o "$root/example" $(pkg-config --cflags --libs libfcl)
readelf -d "$root/example" | grep -q 'NEEDED.*libfcl\.so\.0' || { echo "the SONAME is not libfcl.so.0"; exit 1; }
LD_LIBRARY_PATH="$root/opt/fcl/lib" "$root/example" 100 7 > /dev/null
# shellcheck disable=SC2046
echo '#include <fcl.h>' | c++ -x c++ -fsyntax-only $(pkg-config --cflags libfcl) -
"$root/opt/fcl/bin/fclc" check docs/examples/reverse.fclir
echo "install: ok"
