#!/bin/bash
# Emitted kernels of the papers' examples against hand-written ones of the same algorithm and generality (hand/*.cl): how many
# PTX instructions each takes, and that none spills registers.  No GPU is needed: clang compiles to PTX, ptxas (where there is
# one) to sm_90.
#
# Both sides do one element at a time, with positions of 32 bits, and round every operation, and loops are not unrolled, so
# that what is compared is the code and not how often it is repeated.  cases.txt says by how much emitted code may still be
# longer: UPDATE=1 lowers the numbers to what is reached; raising one is a decision for a commit that says why.
. "$(dirname "$0")/../tools/lib.sh"
clang=${CLANG:-clang-15}
libclc=${LIBCLC:-/usr/lib/clc/nvptx64--nvidiacl.bc}
ptxas=${PTXAS:-$(command -v ptxas || ls /usr/local/cuda/bin/ptxas 2> /dev/null)}
command -v "$clang" > /dev/null || { echo "ptx: skipped, there is no $clang"; exit 0; }
[ -f "$libclc" ] || { echo "ptx: skipped, there is no $libclc (libclc-15)"; exit 0; }
[ -n "$ptxas" ] || echo "ptx: there is no ptxas, so spills are not looked for"
table=$here/cases.txt

cat > "$tmp/head.cl" << 'END'
#pragma OPENCL FP_CONTRACT OFF
#define BLOCK __kernel __attribute__((reqd_work_group_size(256, 1, 1)))
END

# to_ptx FILE.cl FILE.ptx
to_ptx()
{
    "$clang" -x cl -cl-std=CL1.2 -target nvptx64-nvidia-nvcl -Xclang -target-cpu -Xclang sm_80 -O3 -fno-unroll-loops -S -w \
        -Xclang -finclude-default-header -Xclang -mlink-bitcode-file -Xclang "$libclc" -Dasm=__asm__ "$1" -o "$2" 2> "$tmp/log" ||
        { cat "$tmp/log"; return 1; }
}

# Instructions of all kernels of a PTX file: what is neither a directive, a label nor a brace.
count_instructions()
{
    awk '/^\.entry/ { kernel = 1 } /^}/ { kernel = 0 } kernel && /^\t(@|[a-z])/ { n++ } END { print n + 0 }' "$1"
}

no_spills()
{
    [ -n "$ptxas" ] || return 0
    "$ptxas" -arch=sm_90 -v "$1" -o /dev/null > "$tmp/log" 2>&1 || { cat "$tmp/log"; fail "$2: ptxas refuses the code"; return; }
    if grep 'bytes spill' "$tmp/log" | grep -qv ' 0 bytes spill stores, 0 bytes spill loads'; then
        fail "$2 spills registers: $(grep 'bytes spill' "$tmp/log")"
    fi
}

# compare FILE ENTRY EXCESS: sets $excess to what it is now.
compare()
{
    local file=$1 entry=$2 allowed=$3 emitted hand
    excess=$allowed
    fclc compile "$here/../../docs/examples/$file.fclir" --entry="$entry" -D BlockSize=256 -D VectorBytes=1 -D Unroll=1 --exchange=ptx --checks=none \
        -D IndexBits=32 -o "$tmp/emitted.cl" || { fail "$entry does not compile"; return; }
    cat "$tmp/head.cl" "$here/hand/$entry.cl" > "$tmp/hand.cl"
    to_ptx "$tmp/emitted.cl" "$tmp/emitted.ptx" || { fail "$entry: the emitted code does not compile"; return; }
    to_ptx "$tmp/hand.cl" "$tmp/hand.ptx" || { fail "$entry: the hand-written code does not compile"; return; }
    emitted=$(count_instructions "$tmp/emitted.ptx") hand=$(count_instructions "$tmp/hand.ptx")
    [ "$emitted" -gt 0 ] && [ "$hand" -gt 0 ] || { fail "$entry: no instructions were found"; return; }
    excess=$((emitted > hand ? emitted - hand : 0))
    printf '%-10s %-16s %8d %8d %8d %8d\n' "$file" "$entry" "$emitted" "$hand" "$excess" "$allowed"
    no_spills "$tmp/emitted.ptx" "$entry"
    [ "$excess" -le "$allowed" ] || fail "$entry takes $emitted instructions, by hand it takes $hand: $allowed more are allowed"
}

printf '%-10s %-16s %8s %8s %8s %8s\n' file entry emitted hand longer allowed
compared=0
sed -n '/^#/p' "$table" > "$tmp/cases"
while read -r file entry allowed; do
    compare "$file" "$entry" "$allowed"
    compared=$((compared + 1))
    printf '%-10s %-15s %d\n' "$file" "$entry" $((excess < allowed ? excess : allowed)) >> "$tmp/cases"
done < <(grep -v '^#' "$table")
[ -z "${UPDATE:-}" ] || cp "$tmp/cases" "$table"
cmp -s "$tmp/cases" "$table" || echo "ptx: some are shorter than they were: UPDATE=1 $0 keeps that"
[ $failures -eq 0 ] && [ $compared -gt 0 ] && echo "ptx: ok ($compared examples)"
exit $((failures != 0 || compared == 0))
