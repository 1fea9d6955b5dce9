#!/usr/bin/env bash
# Tunables of programs and skeletons: set, refused, searched with a cost that is counted (bytes of device memory), kept beside the
# program and used again.
. "$(dirname "$0")/../tools/lib.sh"
seeded
cp "$here/program.fclir" "$here/own.fcl" "$tmp"
p=$tmp/program.fclir

# is WHAT EXPECTED GOT
is()
{
    cases=$((cases + 1))
    [ "$2" = "$3" ] || fail "$1: $3, not $2"
}

# refused WHAT STATUS PATTERN COMMAND...
refused()
{
    local what=$1 status=$2 pattern=$3 got
    shift 3
    cases=$((cases + 1))
    "$@" > "$tmp/out" 2> "$tmp/err"
    got=$?
    [ $got -eq "$status" ] || fail "$what: status $got, not $status"
    grep -q -- "$pattern" "$tmp/err" || fail "$what: nothing of '$pattern' in $(cat "$tmp/err")"
}

# ---- set and refused ----
for device in interp cpu; do
    [ $device = interp ] || has_cpu || continue
    is "usual on $device" 14 "$(fclc run "$p" --entry=shows --device=$device 10)"
    is "of a smaller block on $device" 11 "$(fclc run "$p" --entry=shows --device=$device -D BlockSize=64 10)"
    is "set on $device" 13 "$(fclc run "$p" --entry=shows --device=$device -D rows=3 10)"
    is "FCL on $device" 12 "$(fclc run "$tmp/own.fcl" --device=$device -D chunk=2 10)"
    refused "outside on $device" 1 'E0857.*cannot be 5' fclc run "$p" --entry=shows --device=$device -D rows=5 10
    refused "unknown on $device" 1 'E0857.*row=5 is no tuning' fclc run "$p" --entry=shows --device=$device -D row=5 10
    refused "of a skeleton on $device" 1 'E0857.*cannot be 5' fclc run "$p" --entry=sums --device=$device -D scan.elements=5 iota:4
done
is "of a skeleton" "$(fclc run "$p" --entry=sums iota:9)" "$(fclc run "$p" --entry=sums -D scan.elements=2 iota:9)"
refused "a slip in a name of the library" 2 "no tunable 'BlokSize'" fclc run "$p" --entry=shows -D BlokSize=5 10
refused "compiled outside" 1 'it may be 1..8' fclc compile "$p" --entry=shows -D rows=5 -o -
is "inlined" 13 "$("$build/bin/fcl-opt" --passes=check,inline,fold,check "$p" -o "$tmp/inlined.fclir"; fclc run "$tmp/inlined.fclir" --entry=shows -D rows=3 10)"
is "through the binary form" 13 "$("$build/bin/fcl-opt" "$p" --emit=binary -o "$tmp/b.fclb" && fclc run "$tmp/b.fclb" --entry=shows -D rows=3 10)"
is "listed" "rows 1..8*2,3 4" "$(fclc tune "$p" --entry=shows --list | grep '^rows ' | tr -s ' ')"
is "listed, of skeletons" "scan.elements 0,1,2,4,8,16,32 0" "$(fclc tune "$p" --entry=sums --list | grep '^scan' | tr -s ' ')"

# ---- a search: every number of every domain gives the same ----
if has_opencl; then
    while read -r entry over; do
        cases=$((cases + 1))
        fclc tune "$p" --entry="$entry" --device=opencl --measure=peak --over="$over" iota:5000 --json="$tmp/points.json" -o "$tmp/t.tuned" \
            > "$tmp/out" || fail "the search over $over"
        "$python" "$here/points.py" "$tmp/points.json" all || fail "points of $over"
    done << EOF
sum reduce.elements
sums scan.elements=1,2,32
even filter.elements=4,32
nested rows.warp=1,1024
nested nest.blocks=16,16384
$(printf '%s\n' "sorted sort.bits=5,9" "wide sort.bits=5,7" | some 2)
EOF
    fclc tune "$p" --entry=even --device=opencl -D Simd=1 --measure=peak --over=BlockSize=256,128 --over=filter.elements=64,4 --budget=4 iota:500000 \
        --json="$tmp/points.json" --svg="$tmp/points.svg" > "$tmp/out" || fail "a search with a budget"
    "$python" "$here/points.py" "$tmp/points.json" 4 || fail "the budget"
    "$python" -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$tmp/points.svg" || fail "the chart"
    [ -f "$p.tuned" ] || fail "nothing is kept"
    best=$(sed -n 's/.*"tuning":.*"\(.*\)",/\1/p' "$p.tuned")
    fclc run "$p" --entry=even --device=opencl -D Simd=1 --peak iota:500000 > "$tmp/with" 2> "$tmp/peak"
    fclc run "$p" --entry=even --device=opencl -D Simd=1 --peak --no-tuned iota:500000 > "$tmp/without" 2> "$tmp/peak2"
    cmp -s "$tmp/with" "$tmp/without" || fail "tuned numbers change the results"
    [ "$(tr -dc 0-9 < "$tmp/peak")" -lt "$(tr -dc 0-9 < "$tmp/peak2")" ] || fail "the run does not use what was found: $best"
    rm -f "$p.tuned"
fi

# ---- points that fail or differ do not end a search ----
fclc tune "$p" --entry=fails --device=interp -D BlockSize=64 --over=rows 3 --json="$tmp/points.json" > "$tmp/out" || fail "a search with points that fail"
"$python" "$here/points.py" "$tmp/points.json" failed 2 || fail "points that fail"
rm -f "$p.tuned"
fclc tune "$p" --entry=shows --device=interp --over=rows 3 --json="$tmp/points.json" > "$tmp/out" || fail "a search with points that differ"
"$python" "$here/points.py" "$tmp/points.json" differs 4 || fail "points that differ"
grep -q '"tuning":.*"\(rows=4\)*"' "$p.tuned" || fail "what differs was kept"
is "what was kept" 7 "$(fclc run "$p" --entry=shows 3)"
is "the command line first" 5 "$(fclc run "$p" --entry=shows -D rows=2 3)"

# ---- files ----
cp "$p.tuned" "$tmp/good"
for change in 's/1/2/' 's/rows/rowz/' '$d' 's/tuned 1/tuned 2/'; do
    sed "$change" "$tmp/good" > "$p.tuned"
    cmp -s "$p.tuned" "$tmp/good" && continue
    refused "damaged by $change" 1 E0825 fclc run "$p" --entry=shows 3
    is "left out" 7 "$(fclc run "$p" --entry=shows --no-tuned 3)"
done
"$python" "$here/forge.py" "$tmp/good" "$tmp/forged"
for file in "$tmp"/forged.*; do
    cp "$file" "$p.tuned"
    fclc run "$p" --entry=shows 3 > "$tmp/out" 2> "$tmp/err"
    [ $? -le 1 ] || fail "$(basename "$file"): $(cat "$tmp/err")"
    cases=$((cases + 1))
done
head -c 2000000 /dev/zero > "$p.tuned"
refused "zeros" 1 E0825 fclc run "$p" --entry=shows 3
rm "$p.tuned"
if [ "$(id -u)" != 0 ]; then
    mkdir "$tmp/closed" && cp "$p" "$tmp/closed" && chmod 555 "$tmp/closed"
    refused "a closed folder" 1 E0802 fclc tune "$tmp/closed/program.fclir" --entry=shows --device=interp --over=rows 3
    chmod 755 "$tmp/closed"
fi
refused "no setting runs" 1 E0826 fclc tune "$p" --entry=fails --device=interp --over=rows=4,8 3
refused "no domain" 2 'is no domain' fclc tune "$p" --entry=shows --over=rows=4.. 3
refused "no such tunable" 2 'no tunable' fclc tune "$p" --entry=shows --over=columns 3
refused "no budget" 2 'takes a number' fclc tune "$p" --entry=shows --budget=0 3

# An interrupt leaves files as they are.
cp "$tmp/good" "$p.tuned"
"$build/bin/fclc" tune "$p" --entry=nested --device=interp --over=BlockSize=1..1024 --budget=100000 iota:3000 --json="$tmp/cut.json" > "$tmp/out" 2> "$tmp/err" &
search=$!
sleep 1
kill -INT $search
wait $search
cases=$((cases + 1))
cmp -s "$p.tuned" "$tmp/good" && [ ! -e "$tmp/cut.json" ] || fail "an interrupt changes files"
finish tune
