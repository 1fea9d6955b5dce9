#!/usr/bin/env bash
# Plug-ins that are built out of tree, with the installed headers and library alone: targets, passes, and what is said of those
# with something wrong.  As a program, and as a library that a program in another language has opened.
. "$(dirname "$0")/../tools/lib.sh"
root=$tmp/root
"${MAKE:-make}" --no-print-directory -C "$here/../.." BUILD="$build" install PREFIX=/usr DESTDIR="$root" LIBDIR=/usr/lib > "$tmp/log" 2>&1 ||
    { cat "$tmp/log"; echo "plugin: installing failed"; exit 1; }
export PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$root/usr/lib/pkgconfig PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
export PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 LD_LIBRARY_PATH=$root/usr/lib
flags=$(pkg-config --cflags --libs libfcl) || exit 1
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
installed=$root/usr/bin/fclc
examples=$here/../../docs/examples

# build OUT SOURCE OPTION...
build()
{
    local out=$1 source=$2
    shift 2
    "${CC:-cc}" -std=c11 $warnings -Wno-unused-function -fPIC -shared ${SAN:+-fsanitize=address,undefined} "$@" -o "$tmp/$out.so" "$source" $flags ||
        fail "$source $* does not compile"
}

# refused STATUS TEXT COMMAND...: it ends with that status and says that, as a diagnostic.
refused()
{
    local wanted=$1 text=$2 status=0
    shift 2
    cases=$((cases + 1))
    "$@" > "$tmp/out" 2> "$tmp/err" || status=$?
    [ $status = "$wanted" ] || { fail "$*: status $status"; cat "$tmp/err"; }
    grep -qF -- "$text" "$tmp/err" || { fail "$*: not said: $text"; cat "$tmp/err"; }
}

# same WANTED COMMAND...
same()
{
    local wanted=$1 found
    shift
    cases=$((cases + 1))
    found=$("$@" 2>&1) || fail "$*: status $?"
    [ "$found" = "$wanted" ] || { fail "$*"; printf 'wanted %s\nfound  %s\n' "$wanted" "$found"; }
}

# ---- the headers, for C and C++ ----

for language in c++ c; do
    for header in fcl.h fcl_backend.h; do
        cases=$((cases + 1))
        echo "#include <$header>" | "${CC:-cc}" -x $language $warnings $flags -fsyntax-only - || fail "$header in $language"
    done
done
sed 's/(void)user;//; s/void \*user,/void *,/; s/= {0}/= {}/' "$examples/plugins/traffic.c" > "$tmp/traffic.cc" # C++20 knows .name = too
cases=$((cases + 1))
"${CXX:-c++}" -std=c++20 -Wall -Wextra -Wno-missing-field-initializers -Werror -fPIC -shared -o "$tmp/traffic-cc.so" "$tmp/traffic.cc" $flags ||
    fail "traffic.c as C++"

# ---- a target that reads programs, and declines ----

build traffic "$examples/plugins/traffic.c"
traffic() { "$installed" compile --plugin="$tmp/traffic.so" --target=traffic "$@"; }
for file in "$examples"/*.fclir; do
    cases=$((cases + 1))
    if ! traffic "$file" -o "$tmp/out" 2> "$tmp/err"; then
        grep -q 'E0604.*no arithmetic on double' "$tmp/err" || { fail "$file"; cat "$tmp/err"; }
    elif ! grep -q '^entry ' "$tmp/out"; then
        fail "$file has no entries"
    fi
done
traffic "$examples/transpose.fclir" --entry=transposeTiled -o "$tmp/out" || fail "transposeTiled"
grep -q 'global [1-9][0-9]* reads, [1-9][0-9]* writes; local [1-9]' "$tmp/out" || { fail "what transpose reads"; cat "$tmp/out"; }
cat > "$tmp/double.fclir" << 'END'
fcl 0.1
kernel @k(%xs: [double]) -> [double]<grid> {
  %r = map %xs { (%x: double)
    %y = add %x, 0.5
    yield %y
  }
  %p = push<grid> %r
  return %p
}
END
rm -f "$tmp/none"
refused 1 "double.fclir:4:10: error[E0604]: the target traffic has no arithmetic on double" traffic "$tmp/double.fclir" -o "$tmp/none"
[ ! -e "$tmp/none" ] || fail "something was written for a program that was declined"
same "$(traffic "$examples/sum.fclir" -o -)" "$installed" compile --plugin="$tmp/traffic-cc.so" --target=traffic "$examples/sum.fclir" -o -
"$installed" targets --plugin="$tmp/traffic.so" | grep '^traffic ' > /dev/null || fail "fclc targets does not list it"
refused 1 "cpu-c, spirv-opencl, spirv-vulkan, spirv-vulkan-addresses, traffic" "$installed" compile --plugin="$tmp/traffic.so" --target=none "$examples/sum.fclir" -o "$tmp/none"
"$root/usr/bin/fcl-opt" --plugin="$tmp/traffic.so" --target=traffic --emit=code "$examples/sum.fclir" | grep -q '^entry ' ||
    fail "fcl-opt does not emit it"

# ---- passes ----

build doubling "$examples/plugins/doubling.c"
build edits "$here/edits.c"
cat > "$tmp/double.fclir" << 'END'
fcl 0.1
kernel @k(%xs: [int]) -> [int]<grid> {
  %r = map %xs { (%x: int)
    %a = mul %x, %x
    %y = mul %a, 2
    yield %y
  }
  %p = push<grid> %r
  return %p
}
END
for device in interp cpu; do
    same "[0, 2, 8, 18, 32]" "$installed" run --plugin="$tmp/doubling.so" --device=$device "$tmp/double.fclir" iota:5
done
"$installed" compile "$tmp/double.fclir" -o - | grep '<< 1' > /dev/null && fail "there are shifts without the pass"
"$installed" compile --plugin="$tmp/doubling.so" "$tmp/double.fclir" -o - | grep '<< 1' > /dev/null || fail "the pass doubles nothing"
"$installed" compile --plugin="$tmp/doubling.so" --kernel-passes=simplify "$tmp/double.fclir" -o - | grep '<< 1' > /dev/null &&
    fail "--kernel-passes does not leave the pass out"
opt() { "$root/usr/bin/fcl-opt" --plugin="$tmp/doubling.so" --plugin="$tmp/edits.so" "$@"; }
opt --list-passes | grep '^doubling ' > /dev/null || fail "--list-passes does not have the pass"
[ "$(opt --passes=virtualise,doubling --print-changed "$tmp/double.fclir" -o /dev/null 2>&1 | grep -c 'after doubling')" = 1 ] ||
    fail "the pass in a list"
refused 1 "doubling needs a program that is virtualised" opt --passes=check,lower,doubling "$tmp/double.fclir"
refused 1 "the pass doubling has no option x" opt "--passes=virtualise,doubling(x=1)" "$tmp/double.fclir"
refused 1 "its options are Of" opt "--passes=virtualise,doubling(x=1)" "$tmp/double.fclir"
refused 1 "it takes one of all,integers,floats" opt "--passes=virtualise,doubling(Of=some)" "$tmp/double.fclir"
opt --list-passes | grep -A4 '^doubling ' | grep 'Of=WORD (all): which' > /dev/null || fail "--list-passes does not have the option"
for of in all floats integers; do
    opt "--passes=virtualise,doubling(Of=$of)" --emit=kernel "$tmp/double.fclir" -o "$tmp/doubled-$of.kir" || fail "doubling(Of=$of)"
done
grep -q 'shl' "$tmp/doubled-integers.kir" || fail "doubling(Of=integers) does not double integers"
grep -q 'shl' "$tmp/doubled-floats.kir" && fail "doubling(Of=floats) doubles integers"
same "[11, 36]" "$installed" run --device=cpu --plugin="$tmp/edits.so" "$here/sum.fclir" iota:10
same "[10, 35]" "$installed" run --device=cpu "$here/sum.fclir" iota:10
while read -r pass text; do
    refused 1 "$text" opt "--passes=virtualise,$pass" "$here/sum.fclir"
done << 'END'
remove-load removing what is no store, barrier, step, check, branch or loop
remove-used removing a statement whose value is used
other-type replacing a value by one of another type
no-node removing what is no store
no-operator an operator that there is not
too-early a value of operands that are not known where it is to be made
elsewhere error[E0
silent the pass silent fails, and does not say why
END

# ---- what is wrong ----

use() { "$installed" compile --plugin="$tmp/$1.so" --target=mine "$examples/sum.fclir" -o "$tmp/none"; }
while read -r fault text; do
    build fault$fault "$here/faults.c" -DFAULT="$fault"
    refused 1 "$text" use fault$fault
done << 'END'
1 error[E0863]: the target opencl-c is there already
2 is not called by a word
3 lacks a summary, facts or a dialect
4 needs a language or a function that emits, and not both
5 says that it cannot be used, and not why
6 error[E0604]: the target mine could not make code, and does not say why
7 does not take this program, and does not say why
8 for which the target's language has no words
9 a row for frobnicate, which is no scalar operator
10 the printer was asked for a node that is not there
11 the target without a name is not called by a word
12 the target mine makes no code, and does not say why
13 half of it is missing
14 the target declines this, and does not say why
15 the target mine is there already
16 there is no kernel
17 has a dialect without a name of its own or options
18 has a dialect without a name of its own or options
19 a row for add, whose text has a $ that begins no part of it
23 or with lanes that are no power of 2
24 could not make code
25 has tuning that is none
27 a row for add, whose text has a $ that begins no part of it
26 a row for mul, which is no scalar operator in one of its forms
20 is for version 2 of fcl_backend.h; this library has 1
21 has no function that loads it
22 is no plug-in: it has no fcl_plugin
END
echo text > "$tmp/text.so"
refused 1 "error[E0863]: the plug-in $tmp/text.so cannot be loaded" use text
refused 1 "error[E0863]: the plug-in $tmp/absent.so cannot be loaded" use absent
refused 1 "where its libraries are: ./absent.so" "$installed" compile --plugin=absent.so "$examples/sum.fclir" -o "$tmp/none"
refused 1 "error[E0863]: the target traffic is there already" "$installed" targets --plugin="$tmp/traffic.so" --plugin="$tmp/traffic.so"
[ ! -e "$tmp/none" ] || fail "something was written in spite of an error"

# ---- in a program that has opened the library by itself ----

cases=$((cases + 1))
cat > "$tmp/open.py" << 'END'
import ctypes, sys
fcl = ctypes.CDLL(sys.argv[1])
fcl.fcl_context_create.restype = ctypes.c_void_p
for turn in range(20):
    cx = ctypes.c_void_p(fcl.fcl_context_create(None, None))
    if not fcl.fcl_plugin_load(cx, sys.argv[2].encode()):
        sys.exit("not loaded")
    fcl.fcl_context_destroy(cx)
END
[ -n "${SAN:-}" ] || "$python" "$tmp/open.py" "$root/usr/lib/libfcl.so.0" "$tmp/traffic.so" || fail "loading from Python"

finish plugin
