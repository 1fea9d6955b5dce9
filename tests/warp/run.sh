#!/bin/bash
# Warps and what their lanes exchange.  The programs of warps.fclir: claims about the code for shuffles; that it assembles
# for an NVIDIA GPU (clang-15 with libclc-15, and ptxas) and is clean for one with subgroups; and that OpenCL devices agree
# with the evaluator, oclgrind without a word.  The simulator runs the same file: tests/unit/test_warp.c.
# QUICK=1: without oclgrind, and one configuration.  Each kernel is in two configurations on OpenCL, in one of them, which is drawn
# (SEED=N), under oclgrind, with FULL=1 in both.
. "$(dirname "$0")/../tools/lib.sh"
file=$here/warps.fclir
clang=${CLANG:-clang-15}
ptxas=${PTXAS:-$(command -v ptxas || echo /usr/local/cuda/bin/ptxas)}
libclc=/usr/lib/clc/nvptx64--nvidiacl.bc
kernels=$(sed -n "s/^kernel @\([A-Za-z]*\)(.*/\1/p" "$file")

# compile ENTRY WAY OPTION...: $tmp/code
compile()
{
    fclc compile "$file" --entry="$1" --exchange="$2" -o "$tmp/code" "${@:3}" || fail "$1 does not compile for $2"
}

# count PATTERN: how often it occurs in the body of the kernel.
count()
{
    sed '1,/^void/d' "$tmp/code" | grep -o -- "$1" | wc -l
}

# claim ENTRY WORD...
claim()
{
    cases=$((cases + 1))
    case "$2 ${3:-}" in
    "registers ") [ "$(count '__local\|barrier(\|fcl_warp_sync')" -eq 0 ] || fail "$1: local memory or barriers" ;;
    "local ") [ "$(count __local)" -gt 0 ] && [ "$(count ' barrier(')" -eq 0 ] || fail "$1: no local memory, or barriers of the block" ;;
    *" shuffles") [ "$(count 'fcl_shuffle[0-9]*(')" -eq "$2" ] || fail "$1: $(count 'fcl_shuffle[0-9]*(') shuffles, not $2" ;;
    *) fail "what is claimed of $*?" ;;
    esac
}

# What is claimed of the warp's own code holds without checks: one for positions that are not seen to be distinct takes local
# memory.
while read -r entry words; do
    compile "$entry" ptx --checks=none
    # shellcheck disable=SC2086  # words
    claim "$entry" $words
done < <(sed -n 's|^// claim: ||p' "$file" | grep -v '^ENTRY')

# ---- compilers ----

assembled=0
if command -v "$clang" > /dev/null && [ -x "$ptxas" ] && [ -e $libclc ]; then
    for entry in $kernels; do
        compile "$entry" ptx
        "$clang" -x cl -cl-std=CL1.2 -Dasm=__asm__ -target nvptx64-nvidia-nvcl -march=sm_70 -Xclang -target-feature -Xclang +ptx63 \
            -O3 -S -Wno-linker-warnings -Xclang -finclude-default-header -Xclang -mlink-builtin-bitcode -Xclang $libclc \
            "$tmp/code" -o "$tmp/code.ptx" 2> "$tmp/err" && "$ptxas" -arch=sm_90 "$tmp/code.ptx" -o "$tmp/cubin" ||
            fail "$entry does not assemble: $(head -c 600 "$tmp/err")"
        grep -q 'shfl.sync\|bar.warp.sync' "$tmp/code.ptx" || fail "$entry: neither shuffles nor barriers of warps in the PTX"
        assembled=$((assembled + 1))
    done
fi
[ $assembled -gt 0 ] || echo "warp: without clang-15, libclc-15 and ptxas nothing is assembled"
if command -v "$clang" > /dev/null; then
    for entry in $kernels; do
        compile "$entry" subgroups
        cases=$((cases + 1))
        "$clang" -x cl -cl-std=CL3.0 -target spir64 -Xclang -cl-ext=+cl_khr_subgroups,+__opencl_c_subgroups \
            -Dcl_khr_subgroup_shuffle=1 -Xclang -finclude-default-header -fsyntax-only -Wall -Wextra -Wno-unused-variable -Werror "$tmp/code" 2> "$tmp/err" ||
            fail "$entry with subgroups: $(head -c 600 "$tmp/err")"
    done
fi

# ---- devices ----

arguments()
{
    case $1 in
    types) echo "iota:$2 iota:$2" ;;
    compose*|scanWarps|scanBlock) echo "iota:$2 iota:$2" ;;
    *) echo "iota:$2" ;;
    esac
}

# agree COMMAND... : prints what the evaluator printed.
agree()
{
    try "$@"
    [ $status -eq 0 ] && cmp -s "$tmp/out" "$tmp/expected" || fail "$*: status $status, $(head -c 300 "$tmp/out" "$tmp/err")"
}

# shellcheck disable=SC2046,SC2086  # words
on_devices()
{
    local entry=$1 n=$2 under=$3
    shift 3
    fclc run --all "$file" --entry=$entry "$@" $(arguments $entry $n) > "$tmp/expected" || fail "$entry on the evaluator"
    if [ -n "$opencl" ]; then
        agree fclc run --all "$file" --entry=$entry --device=opencl "$@" $(arguments $entry $n)
    fi
    if [ -n "$cpu" ] && takes cpu; then
        agree fclc run --all "$file" --entry=$entry --device=cpu "$@" $(arguments $entry $n)
    fi
    if [ -z "${QUICK:-}" ] && [ "$under" -eq 0 ] && has_simulator; then
        rm -f "$tmp/log"
        agree simulated run --all "$file" --entry=$entry --device=opencl "$@" $(arguments $entry $n)
        [ ! -s "$tmp/log" ] || fail "$entry under oclgrind: $(head -c 600 "$tmp/log")"
    fi
}

every_device
opencl=$(fclc devices | grep '^opencl')
cpu=$(fclc devices | grep '^cpu')
refused E0857 fclc compile "$file" --entry=sumWarp --exchange=pigeons
says 'local, ptx and subgroups'
case $opencl in
opencl:0*"exchange local"*)
    refused E0857 fclc run --all "$file" --entry=sumWarp --device=opencl --exchange=ptx iota:32
    says 'leave the choice to the device'
    refused E0857 fclc run --all "$file" --entry=sumWarp --device=opencl --exchange=subgroups iota:32
    ok '[496]' fclc run --all "$file" --entry=sumWarp --device=opencl --exchange=local iota:32 ;;
esac
for entry in $kernels; do
    which=$([ -n "${FULL:-}" ] && echo 0 || echo $((RANDOM % 2)))
    on_devices "$entry" 85 "$which" -D BlockSize=64
    [ -n "${QUICK:-}" ] || on_devices "$entry" 150 "$([ -n "${FULL:-}" ] && echo 0 || echo $((1 - which)))" -D BlockSize=100 -D Groups=1
done

[ $failures -eq 0 ] && echo "warp: ok ($cases cases, $assembled kernels assembled)"
exit $((failures != 0))
