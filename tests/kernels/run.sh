#!/bin/bash
# Claims about emitted kernels and plans that readers of the examples rely on: what is fused, what lies in local memory, where
# barriers stand, and that code and compile time are linear in the program.
. "$(dirname "$0")/../tools/lib.sh"
examples=$here/../../docs/examples
claims=0

# compile FILE ENTRY [OPTION...]: $tmp/code and $tmp/plan; $what names it in messages.
compile()
{
    what="$(basename "$1" .fclir) $2"
    local file=$1 entry=$2
    shift 2
    rm -f "$tmp/code" "$tmp/plan"
    fclc compile "$file" --entry="$entry" -o "$tmp/code" --plan="$tmp/plan" "$@" || fail "$what does not compile"
}

# count NUMBER PATTERN FILE: the pattern (a basic regular expression) occurs that many times.
count()
{
    local n
    claims=$((claims + 1))
    n=$(grep -o -- "$2" "$3" | wc -l)
    [ "$n" -eq "$1" ] || fail "$what: $n times '$2' in $(basename "$3"), not $1"
}

code() { count "$1" "$2" "$tmp/code"; }
plan() { count "$1" "$2" "$tmp/plan"; }

# no_division: innermost loops divide by nothing.
no_division()
{
    claims=$((claims + 1))
    awk '/^ *for \(/ { match($0, /^ */); width = RLENGTH; body = ""; inside = 1; next }
         inside && /^ *}/ { match($0, /^ */); if (RLENGTH == width) { printf "%s", body; inside = 0 } }
         inside { body = body $0 "\n" }' "$tmp/code" | grep ' [/%] ' > "$tmp/divisions" &&
        fail "$what: a loop divides: $(head -1 "$tmp/divisions")"
}

# no_local: neither local memory nor barriers.
no_local()
{
    code 0 '__local'
    code 0 'barrier('
}

# one_kernel: one kernel, one launch, and no memory but that of the given number of results.
one_kernel()
{
    code 1 '__kernel'
    plan 1 'launch @'
    plan "$1" 'allocate '
}

for entry in revThread revWarp revBlock revGrid revDistribute; do
    compile "$examples/reverse.fclir" "$entry" -D VectorBytes=1
    no_local
    one_kernel 1
    [ "$entry" = revDistribute ] || code 0 '(uint)' # positions do not wrap, and need no care
done

# A tile is loaded, every thread of the block waits, and the tile is written: one array, one barrier, one kernel.  The positions
# in a flat result are proved to lie inside and to be distinct, tiles cut along both axes included.
compile "$examples/transpose.fclir" transposeTiled
code 1 '__local int'
code 1 'barrier('
code 3 'fcl_report(checks' # of reading what may be shorter than rows times columns, and of what a tile holds
one_kernel 1
compile "$examples/transpose.fclir" transposeNaive
no_local
one_kernel 1

# Indices of arrays of rank 3 are proved to lie inside as those of rank 2 are.  Where many more accesses are narrow than wide, a
# thread takes elements that are far apart, so that none is wide; where few are, neighbours.
unscheduled=$here/../bench/kernels/unscheduled.fcl
compile "$unscheduled" cube
code 0 'fcl_report(checks'
code 0 'float4'
compile "$unscheduled" plate -D WidenColumn=1 -D IndexBits=32
code 0 'fcl_report(checks'
code 4 'float4'

# All read the same: rows of sixteen bytes, which the lanes of a warp have loaded for one another, 32 at a time, and none of that
# is checked.
compile "$unscheduled" forces
sed -n '/^__kernel __attribute__((reqd_work_group_size(512/,/^}/p' "$tmp/code" > "$tmp/shares" && mv "$tmp/shares" "$tmp/code"
code 1 '__kernel'
code 32 'const float4 w[0-9]* = [*](__local'
code 0 'fcl_report(checks'

# Rows and columns of a tile are carried from turn to turn when its extents are known only at the launch; when they are
# bounded by a constant, the loop runs over that constant tile, and its elements are numbered by it.
for entry in transpose2D transposeTiled; do
    compile "$examples/transpose.fclir" $entry
    no_division
done
compile "$examples/matrix.fclir" sgemmTiled
no_division
compile "$here/tiles.fclir" transposeConst --kernel-passes=strength,simplify -DIndexBits=32 # the tile as it is, without padding
no_division
code 1 '__local int tile[0-9]*\[1024\];'
code 2 ' >> 5;'
code 2 ' & 31;'

# A matrix that is only mapped is not taken apart into rows and columns.
compile "$here/tiles.fclir" mapMatrix -DIndexBits=32
code 0 ' [/%] '
one_kernel 1

# Ten maps, reversals and zips: one pass, one load for each use of an input; four elements at once, and single ones where four
# are too many.
compile "$examples/chain.fclir" chain
no_local
one_kernel 1
code 2 'int4 w[0-9]* = \*(__global const int4 \*)&in0_xs\['
code 4 'in0_xs\['
code 1 'for ('
compile "$examples/chain.fclir" chain -D VectorBytes=1
code 2 'in0_xs\['
code 0 'for ('

# The tree: one array of half a chunk, which each step overwrites where it is, as it reads behind what it writes, and no more than
# there is to add; the first step is part of loading, so that only half of the chunk ever lies in local memory.
compile "$examples/reduce.fclir" reduceGrid
one_kernel 1
code 1 '__local int'
code 2 'barrier('
plan 1 'local([^)]*'
plan 1 '%[0-9]* = quot add(min(512, len(%xs)), 1), 2 : int'
plan 1 'local([a-z0-9]*: 256 x int = 1024 bytes)'
code 1 'if (v[0-9]* < v[0-9]* - v[0-9]*) {'

# A step that adds neighbours reads what other threads overwrite, and has another area.
compile "$examples/reduce.fclir" affineBlocks
code 1 'tile[0-9]*\[v[0-9]* + v[0-9]*\] = '

# Chunks that are full but for the last start where they were taken from.
compile "$examples/scan.fclir" sklansky --checks=none -D VectorBytes=1
code 1 ' \* v[0-9]*;$'

# The loop over launches has two kernels at most: the first step and the others.
compile "$examples/reduce.fclir" sum
claims=$((claims + 1))
[ "$(grep -c '^__kernel' "$tmp/code")" -le 3 ] || fail "$what: more than the kernels of first step, loop and result"

for entry in saxpy blackscholes; do
    compile "$examples/map.fclir" $entry
    code 0 '(uint)'
done

# A scan in one pass: a launch clears the records, one does the rest; the input is read once, a chunk at the end in another
# way; a record is one word of 64 bits that one thread stores twice and another loads; the blocks' barriers leave global memory
# alone.
compile "$examples/scan_chained.fclir" onePass -D Unroll=1
code 2 '__kernel'
plan 2 'launch @'
code 2 'in0_xs\['
code 3 'fcl_store64('
code 2 'fcl_load64('
code 1 'atomic_add('
code 0 'mem_fence'
code 0 'barrier([^)]*GLOBAL'
compile "$examples/scan_chained.fclir" onePass --exchange=ptx
code 1 'st.relaxed.gpu.global.u64'
code 1 'ld.relaxed.gpu.global.u64'
code 0 'OPENCL EXTENSION'

# A summary of two scalars: words, then the status that says that they are there; likewise where there are no steps on 64 bits.
compile "$examples/scan_chained.fclir" maps --exchange=ptx
code 3 'fcl_release32('
code 2 'fcl_acquire32('
compile "$examples/scan_chained.fclir" onePass -D AtomicBits=32
code 0 'ulong'
code 3 'fcl_release32('

# Without waiting: launches for the summaries, what stands before each, and the chunks.
compile "$examples/scan_chained.fclir" onePass -D InPhases=1
plan 3 'launch @'
code 0 'atom'
compile "$examples/scan_chained.fclir" twoKernels
plan 2 'launch @'
compile "$examples/scan_chained.fclir" threeKernels
plan 3 'launch @'

# Blocks of a size of their own: those of a filter have 128 threads, whoever calls it; what else a program has is of blocks of
# the usual size; and where somebody says a size it is that of all.
blocks=$here/../schedule/blocks.fclir
compile "$blocks" ints
code 2 'reqd_work_group_size(128, 1, 1)'
plan 2 'threads=128'
plan 0 'threads=256'
compile "$blocks" lengths
plan 2 'launch @[^ ]* .*threads=8 '
plan 1 'launch @[^ ]* .*threads=256 '
compile "$blocks" large
plan 1 'threads=512'
for entry in ints lengths large; do
    compile "$blocks" $entry -D BlockSize=64
    plan "$(grep -c 'launch @' "$tmp/plan")" 'launch @[^ ]* .*threads=64 '
done
compile "$blocks" large --exchange=ptx -D WarpSize=32
plan 1 'threads=512'
compile "$blocks" lengths --exchange=ptx # whole warps
plan 2 'launch @[^ ]* .*threads=32 '

# What a filter's block keeps of its chunk lies in local memory: as much as there is room for, and 80 elements of a thread at most.
for line in 65536:10240 49152:10240 32768:6144 16384:2048; do
    compile "$blocks" ints -D LocalLimit="${line%:*}"
    plan 1 ": ${line#*:} x int = "
done
compile "$blocks" ints -D LocalLimit=49152 -D BlockSize=1024
plan 1 ': 8192 x int = '
compile "$blocks" choosy -D LocalLimit=49152 # its predicate is long, and its elements are in registers all the same
plan 1 ': 10240 x int = '
for entry in wide pairs bools shorts large10; do # whose places have owners
    for limit in 49152 32768 16384; do
        compile "$blocks" $entry -D LocalLimit=$limit
        plan "$(grep -c 'launch @' "$tmp/plan")" 'threads=128'
    done
done

# By rows a chunk of 1536 numbers takes a quarter of its bytes of local memory for sums, and what a scan of the block needs.
compile "$examples/scan_chained.fclir" byRows -D BlockSize=128
code 1 '__local int area[0-9]*\[896\]'
code 0 '__local int area[0-9]*\[1[0-9]*\]'

# The products of a dot product are never in memory.
compile "$examples/map.fclir" dotp
code 0 'out[0-9]*\[[^]]*\] = [^;]*\*'

# A thread's loop state is in registers.
compile "$examples/map.fclir" mandelbrot -DIndexBits=32
no_local
one_kernel 1

# Loops of the host over arrays of known lengths: a launch for each round, and no loop; one loop where lengths stay.
compile "$here/../fcl/lengths/rounds.fcl" whole
plan 5 'launch @'
plan 0 'while\|for '
compile "$here/../fcl/lengths/rounds.fcl" stays
plan 2 'launch @'
plan 1 'swap'
plan 1 'while\|for '

# What a block's loop hands on is in registers where each thread takes its own elements, also of a chunk that may be shorter:
# the only arrays are tiles that all threads read, and the only barriers those around them.  Several arrays of a state are
# written by one loop, so that what they have in common is computed once.
algorithms=$here/../algorithms
compile "$algorithms/numeric/escape.fcl" main
no_local
code 1 ' < 4.0'
compile "$algorithms/hashing/lcg.fcl" main # four elements of each thread, or fewer
no_local
compile "$algorithms/geometry/centres.fcl" main -D UnrollTurns=1
code 1 '__local int'
code 2 'barrier('
code 1 'abs'
compile "$algorithms/geometry/nbody.fcl" main -D PrecheckStatements=0
code 2 '__local double'
code 2 'barrier('
compile "$algorithms/linear/tiles.fcl" main -D IndexBits=32 -D PrecheckStatements=0
code 2 '__local int tile'
code 2 'barrier('

# A sorting network works in place: one area of local memory, and one barrier for each round
# and one behind loading.
# The places of a network's pairs come from a mask: that they are distinct is checked by default.
compile "$examples/sort.fclir" sortChunks -D VectorBytes=1 --checks=none
one_kernel 1
code 1 '__local int'
code 2 'barrier('

# Arrays that are written down are joined by a loop each, without a condition for every element.
compile "$examples/push.fclir" koggeStoneStep -D VectorBytes=1
no_local
one_kernel 1
code 2 'for ('
code 0 'if ('
code 0 '?[^?]*in2_xs\['

# The cells of a histogram lie in local memory and are added to those of the grid in the same launch; positions of bytes are
# not tested, and the device's own step is found behind a function.
compile "$examples/histogram.fclir" histogramBytes -D VectorBytes=1
plan 2 'launch @'
code 1 'atomic_add((volatile __local int'
code 1 'atomic_add((volatile __global int'
code 0 'cmpxchg'
code 0 'if ('
compile "$examples/histogram.fclir" weights
code 1 'atom_cmpxchg('

# A filter by the grid: two wide loads for eight items of a thread, plain stores to their places in local memory, which are
# proved; one barrier each behind the chunk's number, the counts, what stands before, the room and the stores.
compile "$examples/compact.fclir" positive -D BlockSize=128 --exchange=ptx
code 0 'fcl_report'
code 2 '= \*(__global const int4'
code 8 '\*(volatile __local int \*)&'
code 5 'barrier('
# Segments: an offset is checked, no element.
compile "$examples/segments.fclir" segmentMaxima
code 3 'fcl_report(checks'

# What asks whether a length has reached its bound is one comparison.
cat > "$tmp/reached.fclir" << 'END'
fcl 0.1
kernel @reached(%n: int, %xs: [int]) -> [bool]<grid> {
  %ys = map %xs { (%x: int)
    %low = min %x, 3
    %inside = max %low, 0
    %is = eq %inside, 3
    yield %is
  }
  %p = push<grid> %ys
  return %p
}
END
compile "$tmp/reached.fclir" reached -D VectorBytes=1
code 1 ' >= 3'
code 0 ' == 3'

# Tables share 64 KiB of constant memory, or what the device has; one that is larger is an array that the plan fills.
table()
{
    awk -v n="$1" 'BEGIN {
        printf "sig main : [int] -> [int]<grid>\nfun main xs = let t = [0"
        for (i = 1; i < n; i++)
            printf ", %d", i * 7919 % 100003
        print "] in push <grid> (map (fn x => index t x) xs)"
    }' > "$tmp/table$1.fcl"
}
table 16384
compile "$tmp/table16384.fcl" main
code 1 '__constant'
compile tests/defects/numbers.fclir halves
code 1 '__constant ushort [a-z0-9_]*table'

table 100000
compile "$tmp/table100000.fcl" main
code 0 '__constant'
code 1 '__global const int \*restrict table'
code 0 '7919'
plan 1 ' 7919,'

# Pointers of kernels that load tiles for the next turn promise nothing, so that loads stay in front of the barrier; those that
# cut the result out promise as ever.
compile "$examples/matmul.fcl" matmul -D BlockSize=256 -D WarpSize=32 -D Simd=1
code 8 'restrict'
compile "$examples/matmul.fcl" matmul -D BlockSize=256 -D WarpSize=32 -D Simd=1 -D LoadAhead=0
code 44 'restrict'

# What one thread stores and others load behind a barrier is changed through their pointers, too: of that nothing is promised.
compile "$here/../random/found/told.fclir" k0 -D JoinLaunches=1 -D BlockSize=32 -D Simd=1 -D Groups=1
code 3 '__global uchar \*tmp'
code 3 '__global uchar \*restrict'

# NVIDIA's compiler sees several turns of such loops at once, where no element is asked for, but where it is to be quick, and one
# turn where many loads are under way in it; others see what they like.
code 0 'unroll'
compile "$examples/matmul.fcl" matmul -D BlockSize=256 --exchange=ptx
code 4 '#pragma unroll 3'
code 4 '#ifndef FCL_QUICK_matmul'
code 8 '#pragma unroll 1'
compile "$examples/matmul.fcl" matmul -D BlockSize=256 --exchange=ptx -D AheadTurns=1 -D TurnLoads=65536
code 0 'unroll'

# Three constants that do not fit together: the others lie in global memory.
{
    echo 'fcl 0.4'
    echo 'kernel @k(%xs: [int]) -> [u8]<grid> {'
    for k in 1 2 3; do
        echo "  %t$k = constant<u8; 60000> \"$(head -c 60000 /dev/zero | tr '\0' "\\$k" | base64 | tr -d '\n')\""
    done
    echo '  %ys = map %xs { (%x) %a = index %t1, %x %b = index %t2, %x %c = index %t3, %x %d = add %a, %b %e = mul %d, %c yield %e }'
    echo '  %p = push<grid> %ys'
    echo '  return %p'
    echo '}'
} > "$tmp/three.fclir"
compile "$tmp/three.fclir" k
code 1 '__constant uchar'
every_device
for device in $DEVICES; do
    claims=$((claims + 1))
    got=$(fclc run --all "$tmp/table100000.fcl" --device="$device" '[0,1,99999]')
    [ "$got" = "[0, 7919, 68327]" ] || fail "a table of 100000 elements on $device: $got"
    got=$(fclc run "$tmp/three.fclir" --device="$device" '[0,59999]')
    [ "$got" = "[9, 9]" ] || fail "three constants on $device: $got"
done

# squarings N: a kernel with N nested let x = x * x + 1.
squarings()
{
    awk -v n="$1" 'BEGIN {
        print "fcl 0.1\nkernel @squares(%xs: [int]) -> [int]<grid> {\n  %ys = map %xs { (%x0: int)"
        for (i = 1; i <= n; i++)
            printf "    %%p%d = mul %%x%d, %%x%d\n    %%x%d = add %%p%d, 1\n", i, i - 1, i - 1, i, i
        printf "    yield %%x%d\n  }\n  %%p = push<grid> %%ys\n  return %%p\n}\n", n
    }' > "$tmp/squares$1.fclir"
}

# Sharing is kept: code grows with the program, and 10,000 squarings compile within a second (the clock has slack: the
# machine may be busy).
sizes=
for n in 100 1000 10000; do
    squarings "$n"
    start=$(date +%s%N)
    compile "$tmp/squares$n.fclir" squares
    spent=$((($(date +%s%N) - start) / 1000000))
    sizes="$sizes $(wc -c < "$tmp/code")"
done
claims=$((claims + 2))
# shellcheck disable=SC2086  # three numbers
set -- $sizes
[ $((($3 - $2) * 10)) -lt $((($2 - $1) * 10 * 12)) ] || fail "code of 100, 1000 and 10000 squarings is not linear: $sizes bytes"
[ "$spent" -lt 3000 ] || fail "10000 squarings took $spent ms to compile"

# Positions of 64 bits do not keep neighbours apart, nor do those that a program counts with 32 and the launch with 64.
for entry in revGrid revDistribute; do
    compile "$examples/reverse.fclir" "$entry" -D IndexBits=64
    code 2 '__global \(const \)*int4 \*)'
done
compile "$examples/matrix.fclir" rowSums -D IndexBits=64
code 2 '__global const double2 \*)'
compile "$examples/scan_chained.fclir" onePass -D IndexBits=64
code 5 '__global \(const \)*int4 \*)'

# Loops of an element take over the memory of what they begin with, where nobody else reads that, as do scatters and sums into
# cells: one memory besides the result.
for entry in nested counted put putEarly countedEarly nestedEarly chosenLoops; do
    compile "$here/../fcl/taken.fcl" "$entry"
    plan 2 'allocate '
done

# Arrays of a state that change places: their memories do, and what is made anew goes to a third one.
compile "$here/../fcl/exchange.fcl" wave
plan 3 'allocate '
plan 2 'swap '
plan 2 'launch @'
compile "$here/../fcl/exchange.fcl" rotated
plan 2 'launch @'

# Records of a scan stay in memory between launches and age, also where a run has more chunks than stay: 150 rounds of 47 chunks.
compile "$here/rounds.fclir" many -D JoinLaunches=1
plan 1 ' kept[0-9]*: u32 = 0u32;'
plan 1 ' kept[0-9]*: u64 = 0u64 (16384 times)'
ok "" fclc run --all --entry=many "$here/rounds.fclir" 150 iota:1500 -o "$tmp/rounds.npy"
for device in opencl vulkan; do
    takes "$device" || continue
    for records in 0 16 64; do
        ok "" fclc run --device="$device" --entry=many -D JoinLaunches=1 -D BlockSize=32 -D ChainRecords=$records "$here/rounds.fclir" \
            150 iota:1500 -o "$tmp/$device.npy"
        cmp -s "$tmp/rounds.npy" "$tmp/$device.npy" || fail "scans with $records records that stay are wrong on $device"
    done
done

# So do the cells of an accumulate that begin with zeros, if they are few: the last group of the launch takes what is in them.
compile "$here/rounds.fclir" counted -D JoinLaunches=1
plan 1 ' kept[0-9]*: int = 0 (16 times)'
plan 0 'launch .*groups=1 '
compile "$here/rounds.fclir" counted -D JoinLaunches=1 -D KeptCells=15
plan 0 ' kept'
compile "$here/rounds.fclir" counted
plan 0 ' kept'
ok "" fclc run --all --entry=counted "$here/rounds.fclir" 50 iota:1500 -o "$tmp/rounds.npy"
for device in opencl vulkan; do
    takes "$device" || continue
    ok "" fclc run --device="$device" --entry=counted -D JoinLaunches=1 -D BlockSize=32 "$here/rounds.fclir" 50 iota:1500 \
        -o "$tmp/$device.npy"
    cmp -s "$tmp/rounds.npy" "$tmp/$device.npy" || fail "cells that stay are wrong on $device"
done

# Cells of a state that lie now in the one area of a block's memory, now in the other.
compile "$here/rounds.fclir" turned
for rounds in 0 7 12; do
    ok "" fclc run --all --entry=turned "$here/rounds.fclir" $rounds iota:13 -o "$tmp/rounds.npy"
    for device in opencl vulkan cpu; do
        takes "$device" || continue
        ok "" fclc run --device="$device" --entry=turned "$here/rounds.fclir" $rounds iota:13 -o "$tmp/$device.npy"
        cmp -s "$tmp/rounds.npy" "$tmp/$device.npy" || fail "cells in two areas are wrong on $device"
    done
done

[ $failures -eq 0 ] && echo "kernels: ok ($claims claims; 10000 squarings in $spent ms)"
exit $((failures != 0))
