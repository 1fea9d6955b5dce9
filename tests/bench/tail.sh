#!/bin/bash
# Programs in TAIL at full size, beside the same programs in FCL with their levels chosen by hand (tail/hand.fcl), and on the CPU
# beside plain C for one thread (tail/hand.c).  Their results are compared.  The rate is that of the bytes that a program that fuses
# everything has to move, given as a share of the rate of a copy; a program that moves none has no rate.
#
#   tail.sh [NAME...]          on DEVICE=opencl[:N] or vulkan[:N]; else NVIDIA's, and the first one where there is none
#   tail.sh --cpu [NAME...]    the C target and OpenCL on this processor, beside plain C
#   tail.sh --pack             makes the sources on a machine that has them: $BUILD/bench/tail, $BUILD/bin/fclc and tests/bench are
#                              all that another one needs
# RUNS=N takes the best of N runs (3), LIMIT=N gives each N seconds (300), SMALL=1 takes small sizes.
# TAIL_PROGRAMS is the folder of the programs whose sizes are changed.
set -eu
export FCL_CACHE= # first builds are measured
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
build=${BUILD:-build}
given=${TAIL_PROGRAMS:-../shared/tail/programs}
out=$build/bench/tail
runs=${RUNS:-3}
limit=${LIMIT:-300}
small=${SMALL:-}
names=(integral signal life easter options sobol hotspot mandelbrot)

# What hand.fcl and hand.c are given: a size and a number of turns.
arguments()
{
    case $1:$small in
    integral: | easter: | options: | sobol:) echo 10000000 ;;
    signal:) echo 50000000 ;;
    life:) echo 300 100 ;;
    hotspot:) echo 512 360 ;;
    mandelbrot:) echo 1000 255 ;;
    integral:* | easter:* | options:* | signal:*) echo 10000 ;;
    sobol:*) echo 2000 ;;
    life:*) echo 20 10 ;;
    hotspot:*) echo 32 6 ;;
    mandelbrot:*) echo 40 20 ;;
    esac
}

# least NAME SIZE [TURNS]: the bytes that have to be read and written.
least()
{
    case $1 in
    life) echo $((2 * 16 * $2 * $2 * $3)) ;;
    hotspot) echo $((3 * 8 * $2 * $2 * $3)) ;;
    *) echo 0 ;;
    esac
}

# decimals NAME MULTIPLIER BASE DIVISOR N: a file of N numbers, as the hand-written programs compute them.
decimals()
{
    awk -v m="$2" -v base="$3" -v d="$4" -v n="$5" \
        'BEGIN { for (k = 0; k < n; k++) printf "%s%.6f", k ? "," : "", base + k * m % 1000 / d; print "" }' > "$out/data/$1"
}

# The TAIL programs: those that are given, at other sizes.
sized()
{
    local name=$1 size=$2 turns=${3:-} picture='/^let v108/,$d'
    case $name in
    integral) sed "s/10000000/$size/; s/1e7/$size.0/g" "$here/tail/integral.tail" ;;
    signal) sed "s/1000\b/$size/g; s/1001\b/$((size + 1))/g; s/1e3/$size.0/" "$given/ab-signal-s.tail" ;;
    life) sed "s/take{\[bool\],\[2\]}(-10,/take{[bool],[2]}(-$size,/g; s/,20,v8/,$turns,v8/" "$given/ab-life2-s.tail" ;;
    easter) sed "s/200\b/$size/g; s/\[int,int\],\[3\]}(fn/[int,int],[1]}(fn/; s/\[1,2,3\]/[1]/; s/,2,0))/,1,0))/" "$given/ab-easter-s.tail" ;;
    options) sed "s/muli(20,10)/muli(20,$((size / 20)))/" "$given/ab-blacksch-s.tail" ;;
    sobol) sed "s/200000/$size/g; s/2e5/$size.0/" "$given/ab-sobol-pi-m.tail" ;;
    hotspot) sed "s/'t','e','m','p','_','6','4'/'t','e','m','p'/; s/'p','o','w','e','r','_','6','4'/'p','o','w','e','r'/
                  s/\b64\b/$size/g; s/\b62\b/$((size - 2))/g; s/,3,v4/,$turns,v4/" "$given/ab-hotspot-s.tail" ;;
    mandelbrot) sed "s/\b12\b/$size/g; s/\b20\b/$size/g; s/20\.0/$size.0/; s/12\.0/$size.0/; s/\b90\b/$turns/g; $picture" "$given/mandelbrotN.tail"
        echo 'i2d(reduce(addi,0,reduce(addi,0,Prj(2,v105))))' ;;
    esac
}

sources()
{
    local name size
    mkdir -p "$out/data"
    cp "$given/data/sobol_direction_vectors" "$out/data/"
    size=$(arguments hotspot)
    size=${size% *}
    decimals temp 7001 320 100 $((size * size))
    decimals power 6007 0 100000 $((size * size))
    for name in "${names[@]}"; do
        # shellcheck disable=SC2046 # a size and turns
        sized "$name" $(arguments "$name") > "$out/$name${small:+-small}.tail"
    done
    cc -O3 -march=native -ffp-contract=off -o "$out/hand" "$here/tail/hand.c" -lm || echo "tail.sh: no plain C"
}

cpu=
case ${1:-} in
--pack)
    small='' && sources
    exit ;;
--cpu)
    cpu=1
    shift ;;
esac
[ $# -eq 0 ] || names=("$@")
tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT
[ -d "$given" ] && sources
directions=$(tr '\n' , < "$out/data/sobol_direction_vectors" | sed 's/,*$//')

# timed DEVICE FILE ENTRY ARG...: "MS KERNELS-MS RESULT" of the best run, or "- - WHY".
timed()
{
    local device=$1 file=$2 entry=$3 best='' run ms kernels value
    shift 3
    for ((run = 0; run < runs; run++)); do
        if ! timeout "$limit" "$build/bin/fclc" run --time --device="$device" --entry="$entry" "$file" "$@" > "$tmp/out" 2> "$tmp/time"; then
            echo "- - $(grep -m1 -o 'error.*' "$tmp/time" || echo "more than $limit seconds")"
            return
        fi
        ms=$(sed -n 's/^ *\([0-9.]*\) ms *run.*/\1/p' "$tmp/time")
        kernels=$(sed -n 's/^ *\([0-9.]*\) ms *kernels.*/\1/p' "$tmp/time")
        value=$(tr -d '[]()\n' < "$tmp/out")
        best=$(printf '%s\n' "$best" "$ms $kernels $value" | grep . | sort -n | head -1)
    done
    echo "$best"
}

# plain NAME ARG...: the same of the program in C.
plain()
{
    local best='' run
    for ((run = 0; run < runs; run++)); do
        echo "$directions" | timeout "$limit" "$out/hand" "$@" > "$tmp/out" 2> "$tmp/time" || { echo "- - it fails"; return; }
        best=$(printf '%s\n' "$best" "$(sed 's/ ms//' "$tmp/time") 0 $(tr -d '[]\n' < "$tmp/out")" | grep . | sort -n | head -1)
    done
    echo "$best"
}

# near A B: whether two results are the same but for the order of sums.
near()
{
    awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; if (d < 0) d = -d; m = a < 0 ? -a : a; exit !(d <= 1e-6 * m) }'
}

over() # A B DIGITS: A / B, and nothing where one is missing.
{
    awk -v a="$1" -v b="$2" -v n="${3:-2}" 'BEGIN { if (a == "-" || b == "-" || b + 0 == 0) print "-"; else printf "%.*f\n", n, a / b }'
}

kernels_of() # FILE ENTRY
{
    "$build/bin/fclc" compile --report="$tmp/report" --entry="$2" "$1" -o "$tmp/code" 2> /dev/null &&
        sed -n 's/^entry .*: \([0-9]*\) kernel.*/\1/p' "$tmp/report" || echo -
}

peak_of() # DEVICE FILE ENTRY ARG...: in MiB
{
    local device=$1 file=$2 entry=$3
    shift 3
    timeout "$limit" "$build/bin/fclc" run --peak --device="$device" --entry="$entry" "$file" "$@" 2>&1 > "$tmp/out" |
        sed -n 's/[^0-9]*\([0-9][0-9]*\).*/\1/p' | head -1 | awk '{ printf "%.1f\n", $1 / 1048576; found = 1 } END { if (!found) print "-" }'
}

notes=()
compared() # NAME RESULT RESULT
{
    case "$2 $3" in
    *error* | *more* | *fails*) notes+=("$1: $2 / $3") ;;
    *) near "$2" "$3" || notes+=("$1: the results differ: $2 / $3") ;;
    esac
}

on_cpu()
{
    local name args c cl p result value
    printf '%-12s %12s %12s %12s %8s %8s\n' program 'C ms' 'cpu ms' 'OpenCL ms' cpu/C OpenCL/C
    for name in "${names[@]}"; do
        read -ra args <<< "$(arguments "$name")"
        read -r p _ value <<< "$(plain "$name" "${args[@]}")"
        read -r _ c result <<< "$(timed cpu "$out/$name${small:+-small}.tail" main)"
        compared "$name on cpu" "$result" "$value"
        read -r _ cl result <<< "$(timed "${DEVICE:-opencl}" "$out/$name${small:+-small}.tail" main)"
        compared "$name on OpenCL" "$result" "$value"
        printf '%-12s %12s %12s %12s %8s %8s\n' "$name" "$p" "$c" "$cl" "$(over "$p" "$c")" "$(over "$p" "$cl")"
    done
}

on_device()
{
    local name args file run ours theirs result value bytes copy more
    read -r run copy result <<< "$(timed "$DEVICE" "$here/tail/hand.fcl" copy $((${small:+0*}67108864 + 1024)))"
    # The array is written once, then read and written: 24 bytes for an element.
    copy=$(awk -v ms="$copy" -v n=$((${small:+0*}67108864 + 1024)) 'BEGIN { if (ms == "-" || ms + 0 == 0) print 0; else print 24 * n / ms / 1e6 }')
    echo "a copy: $copy GB/s"
    printf '%-12s %12s %12s %12s %8s %8s %8s %8s %12s %8s\n' program 'run ms' 'kernels ms' 'by hand ms' ratio kernels 'by hand' MiB bytes 'of copy'
    for name in "${names[@]}"; do
        read -ra args <<< "$(arguments "$name")"
        bytes=$(least "$name" "${args[@]}")
        more=()
        [ "$name" != sobol ] || more=("[$directions]")
        file=$out/$name${small:+-small}.tail
        read -r run ours result <<< "$(timed "$DEVICE" "$file" main)"
        read -r _ theirs value <<< "$(timed "$DEVICE" "$here/tail/hand.fcl" "$name" "${args[@]}" "${more[@]}")"
        compared "$name" "$result" "$value"
        printf '%-12s %12s %12s %12s %8s %8s %8s %8s %12s %8s\n' "$name" "$run" "$ours" "$theirs" "$(over "$theirs" "$ours")" \
            "$(kernels_of "$file" main)" "$(kernels_of "$here/tail/hand.fcl" "$name")" "$(peak_of "$DEVICE" "$file" main)" "$bytes" \
            "$([ "$bytes" = 0 ] && echo - || awk -v b="$bytes" -v ms="$ours" -v c="$copy" 'BEGIN { if (ms == "-" || c == 0) print "-"; else printf "%.2f", b / ms / 1e6 / c }')"
    done
}

driver=$({ ldconfig -p | sed -n 's|.*libnvidia-opencl.so.1.* => ||p'
           find /usr/lib /usr/lib64 /usr/local/nvidia -name libnvidia-opencl.so.1 2> /dev/null; } | head -1)
if [ -n "$driver" ] && [ -z "$cpu" ]; then
    mkdir "$tmp/vendors"
    echo "$driver" > "$tmp/vendors/nvidia.icd"
    export OCL_ICD_VENDORS=$tmp/vendors/ # some loaders want the slash
    unset OCL_ICD_FILENAMES # names drivers that come first
fi
DEVICE=${DEVICE:-opencl}
if [ -n "$cpu" ]; then on_cpu; else on_device; fi
for note in "${notes[@]}"; do echo "$note"; done
[ ${#notes[@]} -eq 0 ]
