#!/usr/bin/env bash
# The same programs through every way onto a device: OpenCL C and SPIR-V on the OpenCL device, SPIR-V on the Vulkan device
# with buffers and with addresses, and OpenCL C on Intel's runtime, where each is there.  Every example and random programs
# give what the evaluator gives.  A table tells how many programs and cases there were and how many came out otherwise.
#
#   FULL=1            2,000 random programs for each way in place of a few, and the usual runs of tests/programs, tests/obsidian,
#                     tests/fcl and tests/unscheduled
#   RANDOM_PROGRAMS=N that many
#   SEED=N            the first of them (left out, 1 with FULL=1, and else one of these 2,000), and what is drawn beside them
#   WAYS='...'        some of "opencl spirv vulkan addresses intel"; left out: all, addresses with FULL=1 alone
#   INTEL_OPENCL=FOLDER   where tests/intel/fetch.sh has put Intel's runtime (BUILD/intel)
. "$(dirname "$0")/../tools/lib.sh"
root=$(cd "$here/../.." && pwd)
[ -n "${SEED:-}" ] || SEED=$([ -n "${FULL:-}" ] && echo 1 || echo $((1 + RANDOM % 2000)))
seeded
count=${RANDOM_PROGRAMS:-${FULL:+2000}}
count=${count:-4}
seed=$SEED
intel=${INTEL_OPENCL:-$build/intel}
export FCL_SPIRV_TRANSLATOR=${FCL_SPIRV_TRANSLATOR:-$here/../spirv/translate.sh} POCL_WORK_GROUP_SPECIALIZATION=0

# is_there WAY: its device and what leads to it.
is_there()
{
    case $1 in
    opencl) has_opencl ;;
    spirv) has_opencl && command -v llvm-spirv-15 > /dev/null && command -v clang-15 > /dev/null ;;
    vulkan) fclc devices | grep -q '^vulkan' ;;
    addresses) fclc devices | grep -q '^vulkan.* spirv-vulkan-addresses' ;;
    intel) [ -e "$intel/intel.icd" ] ;;
    esac
}

# Sets $options to what leads a run there.
lead()
{
    options=(--device=opencl)
    case $1 in
    spirv) options=(--device=opencl --via=spirv) ;;
    vulkan) options=(--device=vulkan) ;;
    addresses) options=(--device=vulkan --via=spirv-vulkan-addresses) ;;
    intel) export OCL_ICD_VENDORS=$intel/intel.icd ;;
    esac
}

# What drivers are known to get wrong otherwise than by a quirk: LLVM 15, below lavapipe 22.3, ends the process for this
# program in blocks of 99 threads and more that are no whole vectors, or makes something else of it (docs/rooms/spirv.md).
is_known()
{
    case "${options[0]}:${file##*/}:$size:$args" in
    --device=vulkan:compact.fclir:100:*--entry=positive\ *) fclc devices | grep -q '^vulkan.*LLVM 15' ;;
    *) false ;;
    esac
}

# Every example for two sizes of blocks, without FULL=1 one of 24 of these runs; counts $programs, those $refused of them for what
# the device lacks, those that are $known to differ, and $others.
run_examples()
{
    local file args size
    for file in "$root"/docs/examples/*.fcl*; do
        while read -r args; do
            # The device's exp and log are rounded otherwise than the evaluator's.
            case $args in *blackscholes*) continue ;; esac
            for size in 64 100; do
                drawn 24 || continue
                programs=$((programs + 1))
                if is_known; then
                    known=$((known + 1))
                    continue
                fi
                # shellcheck disable=SC2086  # the arguments are words
                try fclc run --all "$file" --device=interp -D BlockSize=$size $args
                cp "$tmp/out" "$tmp/expected"
                # shellcheck disable=SC2086
                try fclc run --all "$file" "${options[@]}" -D BlockSize=$size $args
                [ $status -eq 0 ] && cmp -s "$tmp/out" "$tmp/expected" && continue
                # Groups that wait for one another, and more local memory than the device has.
                if [ $status -eq 1 ] && grep -qE 'error\[E(0625|0858)\]' "$tmp/err"; then
                    refused=$((refused + 1))
                    continue
                fi
                others=$((others + 1))
                fail "$way: $file -D BlockSize=$size $args: $(head -c 300 "$tmp/out" "$tmp/err")"
            done
        done < <(sed -n 's~^\(//\|--\) run: *~~p' "$file")
    done
}

# Constants that no device is sure to have constant memory for, one of more than 65536 bytes, and others that are more together.
constant()
{
    printf '  %%%s = constant<%s; %s> "%s"\n' "$1" "$2" "$3" "$("$python" -c "
import base64, struct
print(base64.b64encode(struct.pack('<$3$4', *(i * 7919 % 251 for i in range($3)))).decode())")"
}
{
    echo 'fcl 0.5'
    echo 'kernel @picks(%xs: [int]) -> [double]<grid> {'
    constant a u8 70001 B
    constant b int 15001 i
    constant c double 7003 d
    echo '  %ys = map %xs { (%x: int)
    %i = mod %x, 70001
    %j = mod %x, 15001
    %k = mod %x, 7003
    %p = index %a, %i
    %q = index %b, %j
    %r = index %c, %k
    %s = convert<double> %p
    %t = convert<double> %q
    %u = mul %s, %t
    %v = add %u, %r
    yield %v
  }
  %p = push<grid> %ys
  return %p
}'
} > "$tmp/constants.fclir"

run_constants()
{
    programs=$((programs + 1))
    try fclc run --all "$tmp/constants.fclir" --device=interp iota:75000
    [ $status -eq 0 ] || fail "large constants: $(head -c 300 "$tmp/err")"
    cp "$tmp/out" "$tmp/expected"
    try fclc run --all "$tmp/constants.fclir" "${options[@]}" iota:75000
    [ $status -eq 0 ] && cmp -s "$tmp/out" "$tmp/expected" && return
    others=$((others + 1))
    fail "$way: large constants: $(head -c 300 "$tmp/err")"
}

# Sets $kernels, $agreed and $found to what came of random programs.
run_random()
{
    "$build/tests/random" --seed="$seed" --count="$count" --timeout=300 "${options[@]}" > "$tmp/random" 2>&1 || {
        others=$((others + 1))
        fail "$way: random --seed=$seed --count=$count ${options[*]}: $(grep '^seed .* k' "$tmp/random" | head -20)"
    }
    kernels=$(sed -n 's/.* programs, \([0-9]*\) kernels.*/\1/p' "$tmp/random")
    agreed=$(sed -n 's/^ *\([0-9]*\) agreed$/\1/p' "$tmp/random")
    found=$(grep -c '^seed .* k' "$tmp/random")
}

run_suites()
{
    local suite device=${options[0]#--device=} limited=
    # lavapipe has 32 KiB of local memory, and ends all loops of a thread after 65,535 turns (docs/rooms/spirv.md).
    [ "$device" = vulkan ] && fclc devices | grep -q '^vulkan.*LLVM' && limited=vulkan:65535
    for suite in programs obsidian fcl unscheduled; do
        programs=$((programs + 1))
        FULL= LIMITED=$limited OPTIONS="${options[*]:1}" DEVICES=$device SEED=$seed BUILD=$build "$here/../$suite/run.sh" > "$tmp/suite" 2>&1 && continue
        others=$((others + 1))
        fail "$way: $suite: $(head -c 1000 "$tmp/suite")"
    done
}

table="way      runs  refused    known  different   random kernels  agreed  different"
for way in ${WAYS:-opencl spirv vulkan ${FULL:+addresses} intel}; do
    if [ -n "${GOLDENS:-}" ] || ! is_there "$way"; then
        table+=$'\n'"$way: not run"
        continue
    fi
    programs=0 refused=0 known=0 others=0 kernels=0 agreed=0 found=0
    vendors=${OCL_ICD_VENDORS-}
    lead "$way"
    run_examples
    run_constants
    [ ! -x "$build/tests/random" ] || run_random
    [ -z "${FULL:-}" ] || run_suites
    [ -n "$vendors" ] && OCL_ICD_VENDORS=$vendors || unset OCL_ICD_VENDORS
    table+=$'\n'$(printf '%-9s %3d %8d %8d %10d %16d %7d %10d' "$way" $programs $refused $known $others "$kernels" "$agreed" "$found")
done
echo "$table"
finish devices
