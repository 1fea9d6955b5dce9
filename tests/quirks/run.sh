#!/bin/bash
# What drivers get wrong is avoided for those drivers alone.  Golden files: the loop of a reduction in a block, as any OpenCL
# device gets it (one barrier a round, nothing volatile) and as PoCL 3.1 does.  The programs here run on the devices that
# there are, whose drivers' quirks are found out.  UPDATE=1 writes the golden files.  NEEDED=1 also shows that each quirk is
# still needed: on PoCL 3.1 the program for it gives something else, or nothing, without it.
. "$(dirname "$0")/../tools/lib.sh"
fclc=$build/bin/fclc
reduce=$here/../../docs/examples/reduce.fclir
all='open-branches part-turns volatile-turns saturated-steps volatile-crossings volatile-tests vector-functions'
export POCL_CACHE_DIR=$tmp/pocl
mkdir -p "$POCL_CACHE_DIR"

# The loop and what it carries, without the numbers of values.
loop_of()
{
    sed -n '/^    \(volatile \)*int v[0-9]* = v[0-9]*;$/,/^    }$/p' "$1" | sed 's/\b\(v\|tile\)[0-9][0-9]*/\1/g'
}

# golden NAME OPTION...
golden()
{
    local name=$here/reduce.$1.cl
    shift
    cases=$((cases + 1))
    "$fclc" compile "$reduce" --entry=reduceGrid "$@" -o "$tmp/code" || fail "reduceGrid does not compile with $*"
    loop_of "$tmp/code" > "$tmp/loop"
    [ -z "${UPDATE:-}" ] || cp "$tmp/loop" "$name"
    diff "$name" "$tmp/loop" || fail "the loop of reduceGrid with $* is not that of $(basename "$name")"
}

golden generic
golden generic --quirks=none
golden generic --quirks=auto
golden pocl-3.1 --quirks=pocl-3.1
golden pocl-3.1 --quirks="$(echo $all | tr ' ' ,)"
refused E0857 "$fclc" compile "$reduce" --entry=reduceGrid --quirks=pocl
says 'auto, none, pocl-3.1'

# without QUIRK: the others.
without()
{
    local name list=
    for name in $all; do
        [ "$name" = "$1" ] || list=$list,$name
    done
    echo "${list#,}"
}

# agree FILE ENTRY ARGUMENT...: the device agrees with the evaluator, its driver's quirks being avoided by themselves.
agree()
{
    local file=$1 entry=$2
    shift 2
    timeout 60 "$fclc" run --all "$file" --entry="$entry" "$@" > "$tmp/expected" || fail "$entry on the evaluator"
    ok "$(cat "$tmp/expected")" timeout 120 "$fclc" run --all "$file" --entry="$entry" --device=opencl "$@"
}

# needs QUIRK FILE ENTRY ARGUMENT...: likewise; the file says what goes wrong.
needs()
{
    local quirk=$1
    shift
    agree "$@"
    [ -n "${NEEDED:-}" ] || return 0
    local file=$1 entry=$2 got
    shift 2
    cases=$((cases + 1))
    got=$(timeout 20 "$fclc" run --all "$file" --entry="$entry" --device=opencl --quirks="$(without "$quirk")" "$@" 2> /dev/null) &&
        [ "$got" = "$(cat "$tmp/expected")" ] && fail "$file does not need $quirk"
    return 0
}

if "$fclc" devices | grep -q '^opencl'; then
    agree "$reduce" reduceGrid iota:1000
    needs open-branches "$here/branch.fcl" main iota:24
    needs open-branches "$here/loop.fclir" k 100
    needs volatile-crossings "$here/crossing.fcl" main --checks=none "iota:$((RANDOM % 2000 + 16))"
    needs volatile-tests "$here/table.fcl" main 3
    functions=$here/functions.fcl
    agree "$functions" rests [5,0,7,0,9,3,2,1,5,0,7,0,9,3,2,1]
    needs vector-functions "$functions" sines [1e20,1e-3,1e-3,1e-3,1e-3,1e-3,1e-3,1e-3,1,1e-3,1e-3,1e-3,1e-3,1e-3,1e-3,1e-3]
    needs vector-functions "$functions" powers [7,7,7,1e-310,7,7,7,7]
fi

# A number that is widened with its sign has another form on lavapipe alone.
widened=$here/widened.fclir
signs()
{
    "$fclc" compile "$widened" --target=spirv-vulkan --disassemble "$@" > "$tmp/code" || fail "widened.fclir does not compile with $*"
    grep -c 'OpSConvert %ulong' "$tmp/code"
}
cases=$((cases + 2))
[ "$(signs)" -gt 0 ] || fail "numbers are not widened by OpSConvert"
[ "$(signs --quirks=widened-compares)" -eq 0 ] || fail "--quirks=widened-compares widens by OpSConvert"

# Local areas are of vectors, but on lavapipe.
elements=$here/elements.fclir
areas()
{
    "$fclc" compile "$elements" --target=spirv-vulkan --disassemble -D BlockSize=1 -D Unroll=100 "$@" > "$tmp/code" ||
        fail "elements.fclir does not compile with $*"
    grep -c 'OpTypePointer Workgroup %_arr_v' "$tmp/code"
}
cases=$((cases + 3))
[ "$(areas)" -gt 0 ] || fail "local areas are not of vectors"
[ "$(areas --quirks=local-vectors)" -eq 0 ] || fail "--quirks=local-vectors lets local areas be of vectors"
[ "$(areas --quirks=lavapipe-22.3)" -eq 0 ] || fail "--quirks=lavapipe-22.3 lets local areas be of vectors"

# Of what crosses barriers only the bools are volatile for Intel's runtime (tests/intel runs the program there).
volatiles()
{
    "$fclc" compile "$here/../warp/warps.fclir" --entry=either --target=spirv-opencl --disassemble -D WarpSize=8 -D BlockSize=64 "$@" \
        > "$tmp/code" || fail "warps.fclir does not compile with $*"
    grep -oE 'OpLoad %[a-z]+ %[0-9]+ Volatile' "$tmp/code" | cut -d' ' -f2 | sort -u | tr '\n' ' '
}
cases=$((cases + 3))
[ "$(volatiles)" = '' ] || fail "volatile values that nobody asked for: $(volatiles)"
[ "$(volatiles --quirks=volatile-flags)" = '%uchar ' ] || fail "--quirks=volatile-flags: $(volatiles --quirks=volatile-flags)"
[ "$(volatiles --quirks=volatile-crossings)" = '%uchar %uint ' ] || fail "--quirks=volatile-crossings: $(volatiles --quirks=volatile-crossings)"

# Reports of checks stand where kernels end for lavapipe, one in each; what its compiler takes minutes for otherwise takes seconds.
reports()
{
    "$fclc" compile "$here/../checks/wrong.fclir" --target=spirv-vulkan --disassemble "$@" > "$tmp/code" ||
        fail "wrong.fclir does not compile with $*"
    sed -n '/OpFunction /h; /OpAtomicCompareExchange/{g;s/^/. /p}' "$tmp/code" | sort | uniq -c | sort -rn | awk 'NR == 1 {print $1}'
}
cases=$((cases + 2))
[ "$(reports)" -gt 100 ] || fail "no kernel has a hundred reports of checks"
[ "$(reports --quirks=late-reports)" -eq 1 ] || fail "--quirks=late-reports leaves reports at checks"

# Of branches inside one another lavapipe loses the conditions from about 80 on.
python3 - 90 > "$tmp/levels.fclir" <<'EOF'
import sys

n = int(sys.argv[1])
print("fcl 0.5\n\nkernel @levels(%at: [int], %xs: [int]) {\n  %r = map %at { (%x0)")
for k in range(n):
    print(f"    %c{k} = gt %x{k}, 0\n    %y{k} = if %c{k} {{\n      %x{k + 1} = index %xs, %x{k}")
print(f"      yield %x{n}")
for k in reversed(range(n)):
    print(f"    }} {{\n      yield {k}\n    }}\n    yield %y{k}")
print("  }\n  return %r\n}")
EOF
ok '' "$fclc" compile "$tmp/levels.fclir" --target=spirv-vulkan -o "$tmp/code"
refused E0602 "$fclc" compile "$tmp/levels.fclir" --target=spirv-vulkan --quirks=few-levels -o "$tmp/code"

# The devices of Vulkan, be their drivers listed or not.
zeros='[nan,inf,-inf,-0.0,0.0,1.5,-2.0,65504.0]'
values='[-2147483648,-4,-3,-2,-1,0,1,2,3,4,2147483647]'
for device in $("$fclc" devices | sed -n 's/^\(vulkan:[0-9]*\) .*/\1/p'); do
    for entry in less more wide; do
        ok "$("$fclc" run --all "$widened" --entry=$entry "$values")" \
            timeout 60 "$fclc" run --all "$widened" --entry=$entry --device="$device" "$values"
    done
    for entry in halves singles doubles; do
        ok "$("$fclc" run --all "$here/zeros.fclir" --entry=$entry "$zeros")" \
            timeout 60 "$fclc" run --all "$here/zeros.fclir" --entry=$entry --device="$device" "$zeros"
    done
    for size in 1 3 8; do
        ok "$("$fclc" run --all "$here/vectors.fclir" -D BlockSize=$size 10)" \
            timeout 120 "$fclc" run --all "$here/vectors.fclir" --device="$device" -D BlockSize=$size 10
    done
    # Without a loop.
    ok "$("$fclc" run --all "$here/../../docs/examples/scan_chained.fclir" --entry=onePass iota:47)" \
        timeout 120 "$fclc" run --all "$here/../../docs/examples/scan_chained.fclir" --entry=onePass --device="$device" -D BlockSize=1 iota:47
    for n in 1 5 17; do
        ok "$("$fclc" run --all "$elements" 2 $n)" \
            timeout 120 "$fclc" run --all "$elements" --device="$device" -D BlockSize=1 -D Unroll=100 2 $n
    done
    [ -z "${NEEDED:-}" ] || ! "$fclc" devices | grep -q "^$device .*llvmpipe" ||
        [ "$("$fclc" run --all "$here/../../docs/examples/scan_chained.fclir" --entry=onePass --device="$device" --quirks=none \
            -D BlockSize=1 iota:47)" != "$("$fclc" run --all "$here/../../docs/examples/scan_chained.fclir" --entry=onePass iota:47)" ] ||
        fail "scan_chained.fclir does not need local-vectors"
    [ -z "${NEEDED:-}" ] || ! "$fclc" devices | grep -q "^$device .*llvmpipe" || for entry in less more; do
        cases=$((cases + 1))
        [ "$("$fclc" run --all "$widened" --entry=$entry --device="$device" --quirks=none "$values")" != \
            "$("$fclc" run --all "$widened" --entry=$entry "$values")" ] || fail "$entry does not need widened-compares"
    done
    [ -z "${NEEDED:-}" ] || ! "$fclc" devices | grep -q "^$device .*llvmpipe" ||
        [ "$("$fclc" run --all "$here/zeros.fclir" --entry=singles --device="$device" --quirks=none "$zeros")" != \
            "$("$fclc" run --all "$here/zeros.fclir" --entry=singles "$zeros")" ] || fail "zeros.fclir does not need constant-zeros"
    [ -z "${NEEDED:-}" ] || ! "$fclc" devices | grep -q "^$device .*llvmpipe" ||
        [ "$("$fclc" run --all "$here/vectors.fclir" --device="$device" --quirks=none -D BlockSize=1 10)" != \
            "$("$fclc" run --all "$here/vectors.fclir" 10)" ] || fail "vectors.fclir does not need whole-vectors"
done

[ $failures -eq 0 ] && echo "quirks: ok ($cases cases)"
exit $((failures != 0))
