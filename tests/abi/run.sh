#!/usr/bin/env bash
# What programs were compiled against stays: no function of fcl.h, and no field of its structures, goes away, moves or changes
# its type between this header and the one that was recorded last.  Additions are fine.  `run.sh record` records the header of
# now, for a release or where the recorded one is behind; before version 1.0 that may also take in a break, which CHANGELOG says.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
command -v abidiff > /dev/null || { echo "abi: abidiff is missing (Debian: abigail-tools)"; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# A library with the functions of a header and nothing in them: what the header says, without what only the library knows.
stub() { # HEADER OUT [HEADER that has the functions that are left out]
    if [ -n "${3:-}" ]; then
        stub "$3" "$2"
        cp "$tmp/functions" "$tmp/others"
    else
        : > "$tmp/others"
    fi
    {
        "${CC:-cc}" -E -P "$1" | tr '\n' ' ' | grep -o '__attribute__((visibility("default")))[^;]*;' | sed 's/) *__attribute__((format.*;$/);/; s/;$/ { __builtin_trap(); }/' |
            grep -vxFf "$tmp/others"
    } > "$tmp/functions"
    { echo "#include \"$1\""; cat "$tmp/functions"; } > "$tmp/stub.c"
    (cd "$tmp" && "${CC:-cc}" -std=c11 -w -g -O0 -fPIC -shared -Wl,-soname,libfcl stub.c -o stub.so) # no path of this machine
    abidw --no-corpus-path --no-comp-dir-path --no-show-locs "$tmp/stub.so" > "$2"
}

stub "$here/../../libfcl/fcl.h" "$tmp/now.abi"
functions=$(wc -l < "$tmp/functions")
[ "$functions" -gt 50 ] || { echo "abi: only $functions functions were found in fcl.h"; exit 1; }
libfcl=$here/../../libfcl
stub "$libfcl/fcl_backend.h" "$tmp/backend.abi" "$libfcl/fcl.h"
if [ "${1:-}" = record ]; then
    cp "$tmp/now.abi" "$here/fcl.abi"
    cp "$tmp/backend.abi" "$here/fcl_backend.abi"
    echo "abi: recorded $functions functions"
    exit
fi

# Structures with a size may get fields at their ends, and enumerations names; nothing else may differ.
breaks() { # OLD NEW
    local status=0
    abidiff --no-added-syms --harmless "$1" "$2" > "$tmp/report" 2>&1 || status=$?
    [ $((status & 3)) = 0 ] || { cat "$tmp/report"; echo "abi: abidiff failed"; exit 1; }
    # A field is said to have another type where its enumeration has got a name: what became of that stands in the lines behind.
    awk '{ line[NR] = $0 }
         END { for (i = 1; i <= NR; i++) {
                   if (!match(line[i], /type of .* changed/)) { print line[i]; continue }
                   name = line[i]; sub(/^ */, "", name); sub(/ changed.*/, "", name)
                   if (line[i + 1] ~ /underlying type .enum/) named[name] = 1
                   else if (!(name in named)) print line[i] } }' "$tmp/report" > "$tmp/lines"
    grep -vE "type size (hasn't )?changed|data member insertion|^ *'.*' at offset|1 enumerator insertion|enumerator insertions|data member insertions" \
        "$tmp/lines" | grep -qE "Removed function|removed function|deletion|offset changed|type of '.*' changed|parameter .* changed|return type changed|no more|reordered|value changed"
}
if breaks "$here/fcl.abi" "$tmp/now.abi"; then
    cat "$tmp/report"
    echo "abi: fcl.h has changed so that programs break"
    exit 1
fi

if breaks "$here/fcl_backend.abi" "$tmp/backend.abi"; then
    cat "$tmp/report"
    echo "abi: fcl_backend.h has changed so that plug-ins break"
    exit 1
fi

# The test can fail: without a function, with a field that has moved, with another type; and it does not where a field is added.
header=$here/../../libfcl/fcl.h
sed 's/FCL_API const char \*fcl_version(void);//' "$header" > "$tmp/less.h"
sed 's/    unsigned block_size; /    unsigned more; unsigned block_size; /' "$header" > "$tmp/moved.h"
sed 's/FCL_API size_t fcl_target_count(void)/FCL_API int fcl_target_count(void)/' "$header" > "$tmp/typed.h"
sed 's|^} fcl_run_options;|    int added; } fcl_run_options;|; s|^} fcl_attached;|    , FCL_ATTACHED_MORE } fcl_attached;|' \
    "$header" > "$tmp/added.h"
sed 's|    FCL_ATTACHED_LEVEL, .*||' "$header" > "$tmp/renumbered.h"
for other in less moved typed renumbered added; do
    cmp -s "$header" "$tmp/$other.h" && { echo "abi: $other.h is fcl.h"; exit 1; }
    stub "$tmp/$other.h" "$tmp/$other.abi"
    result=stays
    if breaks "$tmp/now.abi" "$tmp/$other.abi"; then result=breaks; fi
    [ $result = "$([ $other = added ] && echo stays || echo breaks)" ] ||
        { cat "$tmp/report"; echo "abi: a header with $other is thought to be one that $result"; exit 1; }
done
echo "abi: ok ($functions functions)"
