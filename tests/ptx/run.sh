#!/bin/bash
# Emitted kernels of the papers' examples against hand-written ones of the same algorithm and generality (hand/*.cl): how many
# PTX instructions each has, how many a thread executes that takes 8 turns of each loop (count.py), and that none spills
# registers.  No GPU is needed: clang compiles to PTX, ptxas (where there is one) to sm_90.
#
# Both sides do one element at a time, with positions of 32 bits, and round every operation, and loops are not unrolled, so
# that what is compared is the code and not how often it is repeated.  Neither divides by what the host knows, which is one
# instruction of PTX and twenty of the machine's.  cases.txt says by how many percent emitted code may be longer, which is 5
# where it is as good: UPDATE=1 lowers the numbers to what is reached; raising one is a decision for a commit that says why.
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

no_spills()
{
    [ -n "$ptxas" ] || return 0
    "$ptxas" -arch=sm_90 -v "$1" -o /dev/null > "$tmp/log" 2>&1 || { cat "$tmp/log"; fail "$2: ptxas refuses the code"; return; }
    if grep 'bytes spill' "$tmp/log" | grep -qv ' 0 bytes spill stores, 0 bytes spill loads'; then
        fail "$2 spills registers: $(grep 'bytes spill' "$tmp/log")"
    fi
}

# percent EMITTED HAND: by how many percent it is more, rounded up.
percent()
{
    echo $(($1 > $2 ? (100 * ($1 - $2) + $2 - 1) / $2 : 0))
}

# hold WHAT EMITTED HAND ALLOWED: sets $kept to what may be allowed from now on.
hold()
{
    local is
    is=$(percent "$2" "$3")
    [ "$is" -le "$4" ] || fail "$entry has $2 instructions $1, by hand it has $3: $4 percent more are allowed"
    is=$((is < 5 ? 5 : is))
    kept=$((is < $4 ? is : $4))
}

# compare FILE ENTRY STANDING EXECUTED: sets $row to what cases.txt may say of it.
compare()
{
    local file=$1 entry=$2 emitted hand standing
    row="$3 $4"
    fclc compile "$here/../../docs/examples/$file.fclir" --entry="$entry" -D BlockSize=256 -D VectorBytes=1 -D Unroll=1 --exchange=ptx --checks=none \
        -D IndexBits=32 -o "$tmp/emitted.cl" || { fail "$entry does not compile"; return; }
    cat "$tmp/head.cl" "$here/hand/$entry.cl" > "$tmp/hand.cl"
    to_ptx "$tmp/emitted.cl" "$tmp/emitted.ptx" || { fail "$entry: the emitted code does not compile"; return; }
    to_ptx "$tmp/hand.cl" "$tmp/hand.ptx" || { fail "$entry: the hand-written code does not compile"; return; }
    read -ra emitted < <(python3 "$here/count.py" "$tmp/emitted.ptx")
    read -ra hand < <(python3 "$here/count.py" "$tmp/hand.ptx")
    [ "${emitted[0]:-0}" -gt 0 ] && [ "${hand[0]:-0}" -gt 0 ] || { fail "$entry: no instructions were found"; return; }
    printf '%-10s %-16s %8d %8d %8d %8d\n' "$file" "$entry" "${emitted[@]}" "${hand[@]}"
    no_spills "$tmp/emitted.ptx" "$entry"
    hold "in all" "${emitted[0]}" "${hand[0]}" "$3"
    standing=$kept
    hold "on the way" "${emitted[1]}" "${hand[1]}" "$4"
    row="$standing $kept"
}

printf '%-10s %-16s %17s %17s\n' "" "" emitted "by hand"
printf '%-10s %-16s %8s %8s %8s %8s\n' file entry all executed all executed
compared=0
sed -n '/^#/p' "$table" > "$tmp/cases"
while read -r file entry standing executed; do
    compare "$file" "$entry" "$standing" "$executed"
    compared=$((compared + 1))
    printf '%-10s %-15s %3d %3d\n' "$file" "$entry" $row >> "$tmp/cases"
done < <(grep -v '^#' "$table")
[ -z "${UPDATE:-}" ] || cp "$tmp/cases" "$table"
cmp -s "$tmp/cases" "$table" || echo "ptx: some are shorter than they were: UPDATE=1 $0 keeps that"
[ $failures -eq 0 ] && [ $compared -gt 0 ] && echo "ptx: ok ($compared examples)"
exit $((failures != 0 || compared == 0))
