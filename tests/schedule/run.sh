#!/usr/bin/env bash
# The pass schedule: what a program without levels gives is what the evaluator makes of it directly.  A module here has lines
#
#   // run: ENTRY ARGUMENTS
#
# and each runs on the evaluator as it is, and then as it was scheduled, written and read again, on every device.  Lines
#
#   // kernels: ENTRY N
#
# say how many kernels an entry has.
. "$(dirname "$0")/../tools/lib.sh"
every_device

for file in "$here"/*.fclir; do
    name=$(basename "$file" .fclir)
    ok "" fcl_opt --passes=schedule "$file" -o "$tmp/$name.fclir"
    ok "" fcl_opt --passes=schedule "$tmp/$name.fclir" -o "$tmp/again.fclir"
    cmp -s "$tmp/$name.fclir" "$tmp/again.fclir" || fail "$name: what is scheduled changes when it is scheduled again"
    while read -r entry args; do
        # shellcheck disable=SC2086  # the arguments are words
        try fclc run --all --entry="$entry" "$file" $args
        [ $status -eq 0 ] || { fail "$entry $args: $(head -3 "$tmp/err")"; continue; }
        cp "$tmp/out" "$tmp/expected"
        for device in $DEVICES; do
            takes "$device" || continue
            # shellcheck disable=SC2086
            try fclc run --all --device="$device" --entry="$entry" "$tmp/$name.fclir" $args
            [ $status -eq 0 ] || fail "$entry $args on $device: $(head -3 "$tmp/err")"
            cmp -s "$tmp/expected" "$tmp/out" ||
                fail "$entry $args on $device: $(head -c 300 "$tmp/out"), not $(head -c 300 "$tmp/expected")"
        done
    done < <(sed -n 's|^// run: ||p' "$file")
    while read -r entry count; do
        try fclc compile --report --entry="$entry" "$file"
        grep -q "^entry $entry: $count kernel" "$tmp/out" || fail "$entry has not $count kernels: $(head -1 "$tmp/out")"
    done < <(sed -n 's|^// kernels: ||p' "$file")
done

# What is seen to commute.
for line in called:reduce applied:reduce ordered:reduceOrdered; do
    sed -n "/^kernel @${line%:*}(/,/^}/p" "$tmp/commuting.fclir" | grep -q "call @grid.${line#*:}<" || fail "${line%:*} is not by ${line#*:}"
done

for line in told:reduce denied:reduceOrdered both:reduce; do
    sed -n "/^kernel @${line%:*}(/,/^}/p" "$tmp/hints.fclir" | grep -q "call @grid.${line#*:}<" || fail "${line%:*} is not by ${line#*:}"
done

# What is done in local memory: where there is some that is nearer than other memory.
in_local() # FILE ENTRY...
{
    file=$1
    for entry in "${@:2}"; do
        ok "" fclc compile --entry="$entry" "$file" -o "$tmp/near.cl"
        grep -q "__local" "$tmp/near.cl" || fail "$entry has no array in local memory"
        ok "" fclc compile --target=cpu-c --report="$tmp/near.txt" --entry="$entry" "$file" -o "$tmp/near.c"
        grep -q "^  local memory" "$tmp/near.txt" && fail "$entry has an array in local memory on a processor's cores"
    done
}
in_local "$here/few.fclir" sums lowest highest
in_local "$here/turned.fclir" square mapped pairs sums first middle around back loops
in_local "$here/nests.fclir" sums
in_local "$here/tiled.fclir" product turned same paths short
for line in turned:both turned:twice tiled:outside; do
    ok "" fclc compile --entry="${line#*:}" "$here/${line%:*}.fclir" -o "$tmp/near.cl"
    grep -q "__local" "$tmp/near.cl" && fail "${line#*:} is in tiles, which it has no use for"
done

# Arrays that are reached on 2^30 paths.
for form in generates pairs calls; do
    has_cpu || break
    "$python" "$here/paths.py" $form 30 > "$tmp/paths.fclir"
    ok "[16549, 24711, 24711, 16549]" fclc run --device=cpu --entry=paths "$tmp/paths.fclir" "[1,2,3,5]"
done

# Ten thousand operators: eight reductions become one, as all have one extent.
"$python" "$here/many.py" 1250 > "$tmp/many.fclir"
ok "" fcl_opt --passes=cse,schedule "$tmp/many.fclir" -o "$tmp/few.fclir"
[ "$(grep -c 'call @grid.reduce<' "$tmp/few.fclir")" -eq 157 ] || fail "1250 reductions are not 157 calls"
ok "$("$build/bin/fclc" run "$tmp/many.fclir" "[1,2,3]")" fclc run "$tmp/few.fclir" "[1,2,3]"

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

# What is written can be edited by hand and run.
sed 's/call @grid.reduce<int>/call @grid.reduceOrdered<int>/' "$tmp/collectives.fclir" > "$tmp/edited.fclir"
cmp -s "$tmp/collectives.fclir" "$tmp/edited.fclir" && fail "there is nothing to edit"
ok 45 fclc run --entry=sum1 "$tmp/edited.fclir" iota:10
finish schedule
