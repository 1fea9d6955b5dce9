#!/usr/bin/env bash
# The pass schedule: what a program without levels gives is what the evaluator makes of it directly.  A module here has lines
#
#   // run: ENTRY ARGUMENTS
#
# and each runs on the evaluator as it is, and then as it was scheduled, written and read again, on every device.  Lines
#
#   // long: ENTRY ARGUMENTS
#
# are the same where the evaluator takes seconds: one of six runs, with FULL=1 all.  Lines
#
#   // kernels: ENTRY N
#
# say how many kernels an entry has, and a line
#
#   // with: OPTIONS
#
# has each run once more on every device, with these.
. "$(dirname "$0")/../tools/lib.sh"
every_device interp:2 opencl:32 cpu:80 # what is scheduled has versions, which take compilers long, and as many skeletons

for file in "$here"/*.fclir; do
    name=$(basename "$file" .fclir)
    ok "" fcl_opt --passes=schedule "$file" -o "$tmp/$name.fclir"
    ok "" fcl_opt --passes=schedule "$tmp/$name.fclir" -o "$tmp/again.fclir"
    cmp -s "$tmp/$name.fclir" "$tmp/again.fclir" || fail "$name: what is scheduled changes when it is scheduled again"
    with=$(sed -n 's|^// with: ||p' "$file")
    while read -r kind entry args; do
        [ "$kind" = run: ] || drawn 6 || continue
        # shellcheck disable=SC2086  # the arguments are words
        try fclc run --all --entry="$entry" "$file" $args
        [ $status -eq 0 ] || { fail "$entry $args: $(head -3 "$tmp/err")"; continue; }
        cp "$tmp/out" "$tmp/expected"
        for device in $DEVICES; do
            takes "$device" || continue
            for options in "" ${with:+"$with"}; do
                # shellcheck disable=SC2086
                try fclc run --all --device="$device" $options --entry="$entry" "$tmp/$name.fclir" $args
                [ $status -eq 0 ] || fail "$entry $args on $device $options: $(head -3 "$tmp/err")"
                cmp -s "$tmp/expected" "$tmp/out" ||
                    fail "$entry $args on $device $options: $(head -c 300 "$tmp/out"), not $(head -c 300 "$tmp/expected")"
            done
        done
    done < <(sed -n 's|^// \(run: .*\)|\1|p; s|^// \(long: .*\)|\1|p' "$file")
    while read -r entry count; do
        try fclc compile --report --entry="$entry" "$file"
        grep -q "^entry $entry: $count kernel" "$tmp/out" || fail "$entry has not $count kernels: $(head -1 "$tmp/out")"
    done < <(sed -n 's|^// kernels: ||p' "$file")
done

# What is seen to commute.
for line in called:reduce applied:reduce ordered:reduceOrdered; do
    sed -n "/^kernel @${line%:*}(/,/^}/p" "$tmp/commuting.fclir" | grep -q "call @grid.${line#*:}<" || fail "${line%:*} is not by ${line#*:}"
done

for line in told:reduce denied:reduceOrdered both:reduce says:reduce sayNot:reduceOrdered; do
    sed -n "/^kernel @${line%:*}(/,/^}/p" "$tmp/hints.fclir" | grep -q "call @grid.${line#*:}<" || fail "${line%:*} is not by ${line#*:}"
done

# What the host reduces is no call of a skeleton, unless it is told not to.
ok "" fcl_opt --without=host --passes=schedule "$here/host.fclir" -o "$tmp/grids.fclir"
for entry in literal made means chained turns none read many long; do
    case $entry in read | many | long) wanted=1 ;; *) wanted=0 ;; esac
    [ "$(sed -n "/^kernel @$entry(/,/^}/p" "$tmp/host.fclir" | grep -c 'call @grid.reduce')" -eq $wanted ] || fail "$entry is reduced by another than it should be"
    sed -n "/^kernel @$entry(/,/^}/p" "$tmp/grids.fclir" | grep -q 'call @grid.reduce' || fail "--without=host: $entry is not reduced by the grid"
done

# Functions that have names do what they do where they are applied, for the grid.
for entry in step twice nested settles; do
    sed -n "/^kernel @$entry(/,/^}/p" "$tmp/applied.fclir" | grep -q 'call @grid.reduce' || fail "$entry is not reduced by the grid"
    sed -n "/^kernel @$entry(/,/^}/p" "$tmp/applied.fclir" | grep -q ' apply ' && fail "$entry applies a function still"
done

# What an element of arrays, or one number of a row, has of a scan or sort is the grid's.
ok "" fcl_opt --passes=share,schedule "$here/inner.fclir" -o "$tmp/rows.fclir"
for entry in sorted:sort sortedColumns:sort ordered:sort pairs:sort sums:scan sumsOfColumns:scan sumsOfRow:scan none:sort; do
    sed -n "/^kernel @${entry%:*}(/,/^}/p" "$tmp/rows.fclir" > "$tmp/nest.fclir"
    grep -q "call @grid.${entry#*:}" "$tmp/nest.fclir" || fail "${entry%:*}: its rows are not the grid's"
    grep -q "call @thread.${entry#*:}" "$tmp/nest.fclir" && fail "${entry%:*}: a thread goes through rows for each element"
done

# So is what elements have that are of lengths of their own, and a filter of rows.
for entry in sorted:sort keyed:sort scanned:scan before:scan rowsKept:filter rowsAbove:filter segKept:filter counted:accumulate best:accumulate; do
    sed -n "/^kernel @${entry%:*}(/,/^}/p" "$tmp/laid.fclir" > "$tmp/nest.fclir"
    grep -q "call @grid.${entry#*:}" "$tmp/nest.fclir" || fail "${entry%:*}: what elements have is not the grid's"
    grep -q "call @thread.${entry#*:}" "$tmp/nest.fclir" && fail "${entry%:*}: a thread goes through what an element has for each of its elements"
done

# Where tiles do not pay, a nest is what it is without them.
for entry in turned same weighted far; do
    sed -n "/^kernel @$entry(/,/^}/p" "$tmp/tiled.fclir" > "$tmp/nest.fclir"
    for skeleton in nestTiled nestLong; do
        grep -q "call @grid.$skeleton<" "$tmp/nest.fclir" || fail "$entry is never by $skeleton"
    done
done

# What is done in local memory: where there is some that is nearer than other memory, and on a processor's cores the cells that a
# part of the elements has for itself.
in_local() # ARRAYS-ON-CORES FILE ENTRY...
{
    for entry in "${@:3}"; do
        ok "" fclc compile --entry="$entry" "$2" -o "$tmp/near.cl"
        grep -q "__local" "$tmp/near.cl" || fail "$entry has no array in local memory"
        ok "" fclc compile --target=cpu-c --report="$tmp/near.txt" --entry="$entry" "$2" -o "$tmp/near.c"
        has=no
        grep -q "^  local memory" "$tmp/near.txt" && has=yes
        [ $has = "$1" ] || fail "$entry: are there arrays in local memory on a processor's cores? $has"
    done
}
in_local yes "$here/few.fclir" sums lowest highest
in_local no "$here/turned.fclir" square mapped pairs sums first middle around back chosen chosenTwice loops
in_local no "$here/nests.fclir" sums
in_local no "$here/tiled.fclir" product paths short
for line in turned:both turned:twice turned:kept; do
    ok "" fclc compile --entry="${line#*:}" "$here/${line%:*}.fclir" -o "$tmp/near.cl"
    grep -q "__local" "$tmp/near.cl" && fail "${line#*:} is in tiles, which it has no use for"
done
ok "" fcl_opt --passes=schedule "$here/tiled.fclir" -o "$tmp/tiles.fclir"
sed -n '/^kernel @outside(/,/^}/p' "$tmp/tiles.fclir" | grep -q '@grid.nestTiled' && fail "outside is in tiles, which it has no use for"

# A read that a graph has behind the update is in front of it: the turns overwrite one array, and no launch is made for each.
ok "" fclc compile --remarks --entry=beside "$here/update.fclir" -o "$tmp/beside.cl"
line=$(grep -n '%all = repeat' "$here/update.fclir" | cut -d: -f1)
grep -q "update.fclir:$line:.*R1231" "$tmp/err" || fail "beside: an update overwrites a copy of what is read in front of it"

# Elements that are arrays, made by loops that cannot be the grid's.
ok "" fclc compile --remarks "$here/rowwise.fclir" -o "$tmp/rows.cl"
[ "$(grep -c 'R1207.*row by row' "$tmp/err")" -eq 5 ] || fail "rowwise: rows are made again for each of their elements"
grep -q 'R1223.*the arrays that each element, which is an array, is made of' "$tmp/err" || fail "rowwise: arrays of rows are computed again and again"

# What each element asks for whole, and what is the grid's work in one of two branches.
for what in 'written:%least = generate %n:R1207' 'fission:%best = generate %n:R1213'; do
    name=${what%%:*} code=${what##*:} text=${what#*:}
    ok "" fclc compile --remarks "$here/$name.fclir" -o "$tmp/asked.cl"
    line=$(grep -n "${text%:*}" "$here/$name.fclir" | cut -d: -f1)
    grep -q "$name.fclir:$line:.*$code" "$tmp/err" || fail "$name: ${text%:*} is not written to memory"
done

# But not in front of what is handed out between the two, as it may fail.
cat > "$tmp/between.fclir" <<'EOF'
fcl 0.5

kernel @main(%xs: [int], %k: int) -> [int] {
  %r = repeat 2, %xs { (%i: int, %t: [int])
    %one = array %i
    %u = update %t, 0, %one
    %shown = emit 7
    %f = index %t, %k
    %two = array %f
    %v = update %u, 1, %two
    yield %v
  }
  return %r
}
EOF
for device in interp cpu opencl; do
    [ $device = interp ] || has_$device || continue
    ok "$(printf '7\n7\n[1, 4, 3, 4]')" fclc run --device=$device "$tmp/between.fclir" "[1,2,3,4]" 3
    cases=$((cases + 1))
    "$build/bin/fclc" run --device=$device "$tmp/between.fclir" "[1,2,3,4]" 100 > "$tmp/out" 2> "$tmp/err" && fail "between: an index of 100 is right on $device"
    [ "$(cat "$tmp/out")" = 7 ] || fail "between: what came before a failure is not handed out on $device"
    grep -q E0701 "$tmp/err" || fail "between: $(head -1 "$tmp/err") on $device"
done

# Arrays that are reached on 2^30 paths.
for form in generates pairs calls; do
    has_cpu || break
    "$python" "$here/paths.py" $form 30 > "$tmp/paths.fclir"
    ok "[16549, 24711, 24711, 16549]" fclc run --device=cpu --entry=paths "$tmp/paths.fclir" "[1,2,3,5]"
done

# Arrays that are read at what was read, 300 behind one another: checks inside checks, of which drivers take few.
"$python" "$here/paths.py" deep 300 > "$tmp/deep.300"
for device in cpu opencl; do
    has_$device || continue
    ok "[3, 3, 1, 1]" fclc run --device=$device --entry=paths "$tmp/deep.300" "[2,3,5,1]"
done

# The same, where nothing says that it is not scheduled: no collective, and no array is the result, of the kernel or of a function.
for form in handed asked number; do
    "$python" "$here/paths.py" $form 30 > "$tmp/$form.30"
    for device in cpu opencl; do
        has_$device || continue
        ok "$("$build/bin/fclc" run --entry=paths "$tmp/$form.30" "[1,2,3,5]" 2>&1)" fclc run --device=$device --entry=paths "$tmp/$form.30" "[1,2,3,5]"
    done
done

# Arrays that branches have, each in both, so that kernels that compute them where they are asked for have 2^30 branches; in an element too.
for form in choices elements; do
    for levels in 15 30; do
        "$python" "$here/paths.py" $form $levels > "$tmp/$form.$levels"
        for device in cpu opencl; do
            has_$device || continue
            ok "$("$build/bin/fclc" run --entry=paths "$tmp/$form.$levels" "[1,2,3,5]" 2>&1)" fclc run --device=$device --entry=paths "$tmp/$form.$levels" "[1,2,3,5]"
        done
    done
    lines=$("$build/bin/fclc" compile --entry=paths "$tmp/$form.30" -o - | wc -l)
    [ "$lines" -lt 4000 ] || fail "30 $form of arrays are $lines lines of code"
done

# Ten thousand operators: eight reductions become one, as all have one extent.
"$python" "$here/many.py" 1250 > "$tmp/many.fclir"
ok "" fcl_opt --passes=share,schedule "$tmp/many.fclir" -o "$tmp/few.fclir"
[ "$(grep -c 'call @grid.reduce<' "$tmp/few.fclir")" -eq 157 ] || fail "1250 reductions are not 157 calls"
ok "$("$build/bin/fclc" run "$tmp/many.fclir" "[1,2,3]")" fclc run "$tmp/few.fclir" "[1,2,3]"

# Twice the operators are twice the work, in instructions, which other work on the machine does not change.
instructions() { valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$build/bin/fcl-opt" --passes=share,schedule "$1" -o "$tmp/counted.fclir" 2>&1 | sed -n 's/.*I *refs: *//p' | tr -d ,; }
if [ -z "${SAN:-}" ] && command -v valgrind > /dev/null; then
    "$python" "$here/many.py" 625 > "$tmp/half.fclir"
    half=$(instructions "$tmp/half.fclir") whole=$(instructions "$tmp/many.fclir")
    [ "${half:-0}" -gt 0 ] && [ "${whole:-0}" -gt "$half" ] && [ "$whole" -lt $((half * 22 / 10)) ] ||
        fail "5,000 operators take $half instructions, 10,000 take $whole"
    [ "${whole:-0}" -lt 1000000000 ] || fail "10,000 operators take $whole instructions"
fi

# Compiling and running schedule by themselves, and leave the module as it is.
file=$here/collectives.fclir
refused E0513 fclc compile --no-schedule --entry=sum1 "$file" -o "$tmp/no.cl"
ok "" fclc compile --entry=sum1 "$file" -o "$tmp/sum1.cl"
if has_cpu; then
    refused E0513 fclc run --no-schedule --device=cpu --entry=sum1 "$file" iota:10
    ok 45 fclc run --device=cpu --entry=sum1 "$file" iota:10
    ok "" fclc compile --target=cpu-c --entry=sum1 "$file" -o "$tmp/sum1.fcla"
    ok 45 fclc run --device=cpu "$tmp/sum1.fcla" iota:10
fi

# A function of the module with the name of a skeleton takes its place.
cat > "$tmp/own.fclir" << 'END'
fcl 0.5
fun @grid.reduce<'a>(%f: 'a -> 'a -> 'a, %z: 'a, %xs: ['a]) -> 'a {
  return %z
}
kernel @sum(%xs: [int]) -> int {
  %r = reduce 7, %xs { (%a, %b)
    %c = add %a, %b
    yield %c
  }
  return %r
}
END
ok "" fcl_opt --passes=schedule "$tmp/own.fclir" -o "$tmp/owned.fclir"
ok 7 fclc run "$tmp/owned.fclir" iota:10

# It may take the bytes of an element first, as those of the prelude, or of what is read for one.
cat > "$tmp/sized.fclir" << 'END'
fcl 0.5
fun @grid.reduce<'a>(%bytes: int, %f: 'a -> 'a -> 'a, %z: 'a, %xs: ['a]) -> 'a {
  return %z
}
kernel @sum(%xs: [f64]) -> f64 {
  %r = reduce 7.0, %xs { (%a, %b)
    %c = add %a, %b
    yield %c
  }
  return %r
}
kernel @three(%xs: [int], %ys: [int], %zs: [int]) -> int {
  %n = length %xs
  %all = generate %n { (%i)
    %x = index %xs, %i
    %y = index %ys, %i
    %z = index %zs, %i
    %xy = mul %x, %y
    %v = mul %xy, %z
    yield %v
  }
  %r = reduce 8, %all { (%a, %b)
    %c = add %a, %b
    yield %c
  }
  return %r
}
END
ok "" fcl_opt --passes=schedule "$tmp/sized.fclir" -o "$tmp/sizes.fclir"
grep -q 'call @grid.reduce<double>(8, ' "$tmp/sizes.fclir" || fail "the sum of doubles is not of 8 bytes"
grep -q 'call @grid.reduce<int>(12, ' "$tmp/sizes.fclir" || fail "the sum of products of three is not of 12 bytes"
ok 8 fclc run --entry=three "$tmp/sizes.fclir" "[1]" "[2]" "[3]"

# What is written can be edited by hand and run.
sed 's/call @grid.reduce<int>/call @grid.reduceOrdered<int>/' "$tmp/collectives.fclir" > "$tmp/edited.fclir"
cmp -s "$tmp/collectives.fclir" "$tmp/edited.fclir" && fail "there is nothing to edit"
ok 45 fclc run --entry=sum1 "$tmp/edited.fclir" iota:10

# What was decided, and why: remarks.golden has the first lines of what is told of each module here (UPDATE=1 writes it).  Nothing
# else of what passes do depends on whether somebody listens.
for file in "$here"/*.fclir; do
    echo "# $(basename "$file")"
    fclc_remarks() { "$build/bin/fcl-opt" --passes=share,schedule "$@" "$(basename "$file")"; }
    (cd "$here" && fclc_remarks --remarks -o "$tmp/heard.fclir" 2>&1) | grep -E ': (remark\[|note: )' |
        sed -E 's/(prelude[a-z.]*):[0-9]+:[0-9]+/\1:LINE:COLUMN/'
    (cd "$here" && fclc_remarks -o "$tmp/unheard.fclir") 2>&1
    cmp -s "$tmp/heard.fclir" "$tmp/unheard.fclir" || echo "FAILED: another program comes out where remarks are wanted"
done > "$tmp/remarks"
if [ -n "${UPDATE:-}" ]; then cp "$tmp/remarks" "$here/remarks.golden"; fi
ok "" diff -u "$here/remarks.golden" "$tmp/remarks"
# Columns are what a kernel pass chooses.
for entry in cube plate flat others wide64; do
    ok "" fclc compile --remarks --entry=$entry "$here/stencils.fclir" -o "$tmp/columns.cl"
    grep -q 'R1229' "$tmp/err" || fail "$entry has no columns"
    cat "$tmp/err" >> "$tmp/remarks"
done
ok "" fclc compile --remarks -D WidenColumn=1 --entry=cube "$here/stencils.fclir" -o "$tmp/columns.cl"
grep -q 'R1229' "$tmp/err" && fail "-D WidenColumn=1 has columns"
# So are loops that one thread takes the turns of, which end where an index is wrong.
for entry in decayed counts increasing edits parted either followed; do
    ok "" fclc compile --remarks --entry=$entry "$here/inward.fclir" -o "$tmp/inward.cl"
    grep -q 'R1231' "$tmp/err" || fail "$entry has a loop of the host"
    cat "$tmp/err" >> "$tmp/remarks"
done
for entry in steps halved; do
    ok "" fclc compile --remarks --entry=$entry "$here/inward.fclir" -o "$tmp/inward.cl"
    grep -q 'R1231' "$tmp/err" && fail "$entry has a loop that one thread takes the turns of"
done
# So are those that reduce short arrays, where these are short; the plan has both forms.
try fclc compile --remarks --in-place=d --entry=table "$here/../fcl/few.fcl" -o "$tmp/few.cl"
grep -q 'R1232' "$tmp/err" && fail "--in-place: what one thread would have taken stays the host's"
for entry in coins two branch until sweep own greedy table; do
    ok "" fclc compile --remarks --entry=$entry "$here/../fcl/few.fcl" -o "$tmp/few.cl"
    grep -q 'R1232' "$tmp/err" && grep -q 'R1231' "$tmp/err" || fail "$entry has loops of the host alone"
    ok "" fclc compile --remarks --without=few --entry=$entry "$here/../fcl/few.fcl" -o "$tmp/few.cl"
    grep -q 'R123[12]' "$tmp/err" && fail "--without=few: $entry"
done
for entry in coins two branch until sweep own; do
    many="[$(seq -s, 1 17)]"
    for device in $DEVICES; do
        for most in 0 16; do
            ok "$(fclc run --entry=$entry "$here/../fcl/few.fcl" "$many" 9)" \
                fclc run --device="$device" -D few.most=$most --entry=$entry "$here/../fcl/few.fcl" "$many" 9
        done
    done
done
for entry in grows work; do
    ok "" fclc compile --remarks --entry=$entry "$here/../fcl/few.fcl" -o "$tmp/few.cl"
    grep -q 'R1232' "$tmp/err" && fail "$entry has a loop for few elements"
done
for device in $DEVICES; do
    try fclc run --device="$device" --entry=followed "$here/inward.fclir" "[3,0,1,2,9]" 4
    [ $status -eq 1 ] && grep -q 'inward.fclir:[0-9:]*: error.E0701' "$tmp/err" || fail "followed on $device: $(head -3 "$tmp/err")"
done
# So are launches that become one, and which do not where a memory is there because somebody has decided so.
for entry in beside onwards; do
    ok "" fclc compile --remarks --entry=$entry "$here/traversals.fclir" -o "$tmp/together.cl"
    grep -q 'R1233' "$tmp/err" || fail "$entry has a launch for each array"
    cat "$tmp/err" >> "$tmp/remarks"
done
ok "" fclc compile --remarks --entry=written "$here/hints.fclir" -o "$tmp/together.cl"
grep -q 'R1233' "$tmp/err" && fail "written: what a hint wants in memory is not there"
sed -n 's/^DIAG(TELL_[A-Z_]*, \([0-9]*\),.*/\1/p' "$here/../../ir/base/diag.def" > "$tmp/codes"
[ "$(wc -l < "$tmp/codes")" -ge 16 ] || fail "diag.def has too few remarks"
while read -r code; do
    grep -q "remark\[R$code\]" "$tmp/remarks" || fail "no program here is told R$code"
done < "$tmp/codes"

# Decisions are turned off by name: the program means the same, and no remark says that they were made.
for pair in share:1201 merge:1203 write:1207 nest:1208 fuse:none all:; do
    name=${pair%:*}
    [ "$name" = all ] && name=share,merge,fuse,write,nest,turn,carry,tiles,host
    for file in "$here"/{told,merged,written,nests}.fclir; do
        passes=share,schedule
        [ "${name%%,*}" = share ] && passes=schedule
        try fcl_opt --remarks --without="$name" --passes=$passes "$file" -o "$tmp/without.fclir"
        [ $status -eq 0 ] || fail "--without=$name: $(head -3 "$tmp/err")"
        if [ -n "${pair#*:}" ] && grep "remark\[R${pair#*:}\]" "$tmp/err" | grep -qv 'hint'; then
            fail "--without=$name: $(grep -m 1 "R${pair#*:}" "$tmp/err")"
        fi
        case $name in fuse | share,*) ;; *) continue ;; esac
        while read -r entry args; do
            # shellcheck disable=SC2086  # the arguments are words
            [ "$("$build/bin/fclc" run --all --entry="$entry" "$file" $args 2>&1)" = \
                "$("$build/bin/fclc" run --all --entry="$entry" "$tmp/without.fclir" $args 2>&1)" ] ||
                fail "--without=$name: $entry $args"
        done < <(sed -n 's|^// run: ||p' "$file" | awk '!seen[$1]++')
    done
done
# A launch for columns of elements, which widen chooses, is not counted.
kernels() { "$build/bin/fclc" compile --report -D WidenColumn=1 --without="$1" --entry="$2" "$here/$3.fclir" | sed -n "s/^entry $2: \([0-9]*\) kernel.*/\1/p"; }
[ "$(kernels write dear written)" -lt 4 ] || fail "dear is written without write"
[ "$(kernels fuse cheap written)" -gt 3 ] || fail "cheap fuses without fuse"
[ "$(kernels share shared told)" -gt 1 ] || [ "$(kernels share,merge shared told)" -gt 1 ] || fail "shared is one kernel without share and merge"
ok "" fcl_opt --remarks --without=turn --passes=schedule "$here/turned.fclir" -o "$tmp/straight.fclir"
grep -q 'R1215' "$tmp/err" && fail "--without=turn: $(grep -m 1 R1215 "$tmp/err")"
sed -n '/^kernel/,$p' "$tmp/straight.fclir" | grep -q '@turned[.]' && fail "--without=turn turns"
ok "" fcl_opt --remarks --without=tiles --passes=schedule "$here/tiled.fclir" -o "$tmp/direct.fclir"
grep -q 'R1218' "$tmp/err" && fail "--without=tiles: $(grep -m 1 R1218 "$tmp/err")"
sed -n '/^kernel/,$p' "$tmp/direct.fclir" | grep -q '@grid.nestTiled' && fail "--without=tiles has tiles"
# Reductions of arrays: no loop of the host is left of those that combine elements in the same place.
for line in tables:0 own:0 composed:0 products:1 kept:1; do
    ok "" fclc compile --plan="$tmp/steps.txt" --entry="${line%:*}" "$here/irwim.fclir" -o "$tmp/turns.cl"
    [ "$(grep -cE "^ *(%[^=]*= )?for " "$tmp/steps.txt")" -eq "${line#*:}" ] || fail "irwim: ${line%:*} has loops of the host, or none: $(cat "$tmp/steps.txt")"
done
ok "" fclc compile --remarks --without=irwim --entry=tables "$here/irwim.fclir" -o "$tmp/turns.cl"
grep -q 'R1220' "$tmp/err" && fail "--without=irwim: $(grep -m 1 R1220 "$tmp/err")"
ok "" fcl_opt --passes=irwim "$here/irwim.fclir" -o "$tmp/alone.fclir"
grep -q '@grid' "$tmp/alone.fclir" && fail "the pass irwim names levels"
# same FILE SCRATCH WHAT: a file and what a pass made of it give the same.
same()
{
    while read -r entry args; do
        # shellcheck disable=SC2086  # the arguments are words
        [ "$("$build/bin/fclc" run --all --entry="$entry" "$here/$1.fclir" $args 2>&1)" = \
            "$("$build/bin/fclc" run --all --entry="$entry" "$2" $args 2>&1)" ] || fail "$3: $entry $args"
    done < <(sed -n 's|^// run: ||p' "$here/$1.fclir")
}
same irwim "$tmp/alone.fclir" "the pass irwim"

# Reductions of what has a key, and loops that combine into a table: cells, unless something speaks against it; by the pass alone no
# level is named.
for line in "keys:kept other moved tables" "tables:ordered begun read moved kept"; do # the tables of the first are by irwim first
    file=${line%%:*}
    ok "" fcl_opt --passes=keys "$here/$file.fclir" -o "$tmp/alone.fclir"
    grep -q '@grid' "$tmp/alone.fclir" && fail "the pass keys names levels"
    same "$file" "$tmp/alone.fclir" "the pass keys"
    ok "" fcl_opt --without=keys --passes=schedule "$here/$file.fclir" -o "$tmp/reduced.fclir"
    same "$file" "$tmp/reduced.fclir" "--without=keys"
    for entry in $(sed -n 's|^kernel @\([a-zA-Z]*\)(.*|\1|p' "$here/$file.fclir"); do
        wanted=1
        [[ " ${line#*:} " == *" $entry "* ]] && wanted=0
        for made in alone:$wanted reduced:0; do
            [ "$(sed -n "/^kernel @$entry(/,/^}/p" "$tmp/${made%:*}.fclir" | grep -c "accumulate")" -eq "${made#*:}" ] ||
                fail "$file: $entry has cells ($made), or has none"
        done
    done
done

# Blocks that are smaller than a warp have cells for as many threads as they have.
for device in $DEVICES; do
    takes "$device" || continue
    ok "[[0.0, 7497.0], [0.0, 7498.0]]" fclc run --device="$device" -D BlockSize=8 --entry=longer "$here/tables.fclir" 2 5000
done

# Elements of more than one reduction: who is taken apart, and which loops are exchanged; by a pass alone no level is named.
apart="peak spread three products called rows matrix ragged chosen reused scored"
exchanged="doubled smoothed settled counted pairs nested pages"
for line in fission:fission:"$apart" interchange:interchange:"$exchanged"; do
    pass=${line%%:*} file=${line#*:} file=${file%%:*}
    ok "" fcl_opt --passes="$pass" "$here/$file.fclir" -o "$tmp/alone.fclir"
    grep -q '@grid' "$tmp/alone.fclir" && fail "the pass $pass names levels"
    same "$file" "$tmp/alone.fclir" "the pass $pass"
    ok "" fcl_opt --without="$pass" --passes=schedule "$here/$file.fclir" -o "$tmp/whole.fclir"
    same "$file" "$tmp/whole.fclir" "--without=$pass"
    for entry in $(sed -n 's|^kernel @\([a-zA-Z]*\)(.*|\1|p' "$here/$file.fclir"); do
        wanted=0
        [[ " ${line##*:} " == *" $entry "* ]] && wanted=1
        for made in alone:$wanted whole:0; do
            [ "$(sed -n "/^kernel @$entry(/,/^}/p" "$tmp/${made%:*}.fclir" | grep -c "call @fission.pays(")" -eq "${made#*:}" ] ||
                fail "$pass: $entry is taken apart ($made), or is not"
        done
    done
done
carried="own pairs twice called several halves reshaped columns turned given asked shortPairs"
for entry in $carried; do
    # One, and for the rank of 2 one more, for planes of more elements than an int counts; two where arrays of one thread are taken apart.
    # The results of shortPairs have two shapes, and are written apart.
    [ "$(kernels write $entry carried)" -le "$([ $entry = shortPairs ] && echo 6 || echo 3)" ] || fail "$entry: the loop is more than one kernel"
    ok "" fclc compile --remarks --without=carry --entry=$entry "$here/carried.fclir" -o "$tmp/turns.cl"
    grep -q 'R1216' "$tmp/err" && fail "--without=carry: $entry is carried"
done
# Each of the others says why it stays.
ok "" fclc compile --remarks --entry=own "$here/carried.fclir" -o "$tmp/turns.cl"
stay="shifted growing apart wide handing long first empty"
[ "$(grep -c 'R1217' "$tmp/err")" -eq "$(wc -w <<< "$stay")" ] && [ "$(grep -c 'R1216' "$tmp/err")" -eq "$(wc -w <<< "$carried")" ] ||
    fail "carried: other loops are carried than $carried"
for entry in $stay; do
    [ "$(kernels carry $entry carried)" -eq "$(kernels write $entry carried)" ] || fail "$entry: the loop is carried"
done
ok "" fcl_opt --without=carry --passes=share,schedule "$here/carried.fclir" -o "$tmp/turns.fclir"
same carried "$tmp/turns.fclir" "--without=carry"
refused E0857 fclc compile --without=shares --entry=dear "$here/written.fclir"
refused E0857 fcl_opt --passes='schedule(Without=shares)' "$here/written.fclir"
ok "" fcl_opt --passes='schedule(Without=merge+nest)' "$here/nests.fclir" -o "$tmp/list.fclir"
ok "" fcl_opt --without=merge,nest --passes=schedule "$here/nests.fclir" -o "$tmp/option.fclir"
cmp -s "$tmp/list.fclir" "$tmp/option.fclir" || fail "the option of the pass is not that of the program"

# What front ends say stays.
for said in 'grid.reduce.*hint("my.hint" = "keep") attr("mine.tag" = "max", "n" = 5)' 'grid.scan.*"scan"' 'grid.sort.*"sort"'; do
    grep -q "call @$said" "$tmp/said.fclir" || fail "said.fclir has no more $said"
done

# Work that is bound in front of what it stands in: by the pass alone no level is named, and a second time nothing changes.
ok "" fcl_opt --passes=share "$here/share.fclir" -o "$tmp/bound.fclir"
grep -q '@grid' "$tmp/bound.fclir" && fail "the pass share names levels"
same share "$tmp/bound.fclir" "the pass share"
ok "" fcl_opt --passes=share "$tmp/bound.fclir" -o "$tmp/again.fclir"
cmp -s "$tmp/bound.fclir" "$tmp/again.fclir" || fail "what is shared changes when it is shared again"
ok "" fclc compile --remarks "$here/share.fclir" -o "$tmp/ranked.cl"
line=$(grep -n '%sorted = sort %both' "$here/share.fclir" | cut -d: -f1)
grep -q "share.fclir:$line:.*R1227" "$tmp/err" || fail "share: a function sorts the array of all for each element"
ok "" fclc compile --remarks --without=share --entry=centred "$here/share.fclir" -o "$tmp/turns.cl"
grep -q 'R1227' "$tmp/err" && fail "--without=share: $(grep -m 1 R1227 "$tmp/err")"

# Where arrays are computed, by a pass alone: what it prints names the arrays that are written, and no skeleton; it changes nothing
# a second time, and what is scheduled then is as many kernels.
for name in written merged told; do
    ok "" fcl_opt --passes=share,fuse "$here/$name.fclir" -o "$tmp/fused.fclir"
    ok "" fcl_opt --passes=fuse "$tmp/fused.fclir" -o "$tmp/again.fclir"
    cmp -s "$tmp/fused.fclir" "$tmp/again.fclir" || fail "$name: what is fused changes when it is fused again"
    grep -q '@grid' "$tmp/fused.fclir" && fail "$name: the pass fuse names skeletons"
    same "$name" "$tmp/fused.fclir" "the pass fuse"
    for entry in $(sed -n 's|^kernel @\([a-zA-Z0-9]*\)(.*|\1|p' "$here/$name.fclir"); do
        count() { "$build/bin/fclc" compile --report --entry="$entry" "$1" -o "$tmp/count.cl" | sed -n "s/^entry $entry: \([0-9]*\) kernel.*/\1/p"; }
        [ "$(count "$here/$name.fclir")" = "$(count "$tmp/fused.fclir")" ] || fail "$name: $entry has other kernels when it is fused first"
    done
done
ok "" fcl_opt --passes='fuse(Without=merge+write)' "$here/merged.fclir" -o "$tmp/apart.fclir"
grep -c '= reduce' "$here/merged.fclir" > "$tmp/before"
[ "$(grep -c '= reduce' "$tmp/apart.fclir")" -ge "$(cat "$tmp/before")" ] || fail "fuse(Without=merge) merges"

# Loops in loops take time for each of them: eight are 5000 nodes, and were 20000 when each was lowered twice within each.
ok "" fclc compile --limit=kernel-nodes=10000 --entry=main "$here/../fcl/deep.fcl" -o "$tmp/deep.cl"

# For machines.
try fclc compile --remarks --diagnostics=json --entry=dear "$here/written.fclir"
grep -q '"severity":.*"remark"' "$tmp/err" && grep -q '"R1207"' "$tmp/err" || fail "JSON: $(head -c 300 "$tmp/err")"
finish schedule
