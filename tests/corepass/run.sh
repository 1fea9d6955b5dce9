#!/usr/bin/env bash
# Passes over the core from a plug-in that is built out of tree, with the installed headers alone: docs/examples/pass, and passes
# with something wrong.
. "$(dirname "$0")/../tools/lib.sh"
[ -z "${SAN:-}" ] || { echo "corepass: not with sanitizers"; exit 0; }
root=$tmp/root
examples=$here/../../docs/examples
"${MAKE:-make}" --no-print-directory -C "$here/../.." BUILD="$build" install PREFIX=/usr DESTDIR="$root" LIBDIR=/usr/lib > "$tmp/log" 2>&1 ||
    { cat "$tmp/log"; echo "corepass: installing failed"; exit 1; }
export LD_LIBRARY_PATH=$root/usr/lib
flags="-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -fPIC -shared -I$root/usr/include -L$root/usr/lib"
build()
{
    "${CC:-cc}" $flags "${@:3}" "$2" -lfcl -o "$tmp/$1.so" || fail "$2 does not compile"
}
build double "$examples/pass/double.c"
build faults "$here/faults.c"
opt() { fcl_opt --plugin="$tmp/double.so" "$@"; }

# ---- what it does ----

cat > "$tmp/twice.fclir" << 'END'
fcl 0.1
fun @g(%x: int, %y: double) -> int {
  %two = mul 2, %x
  %four = mul %two, 2
  %z = mul %y, 2.0
  %c = convert<int> %z
  %r = mul %four, %c
  return %r
}
kernel @k(%xs: [int]) -> [int]<grid> {
  %ys = map %xs { (%x)
    %a = mul %x, 2 loc("front.apl":3:4)
    yield %a
  }
  %p = push<grid> %ys
  return %p
}
END
cat > "$tmp/wanted" << 'END'
fcl 0.1

fun @g(%x: int, %y: double) -> int attr("add" = 2, "mul" = 2, "convert" = 1, "return" = 1) {
  %two: int = add %x, %x
  %four: int = add %two, %two
  %z: double = mul %y, 2.0
  %c: int = convert<int> %z
  %r: int = mul %four, %c
  return %r
}

kernel @k(%xs: [int]) -> [int]<grid> attr("add" = 1, "map" = 1, "push" = 1, "yield" = 1, "return" = 1) {
  %ys: [int] = map %xs { (%x: int)
    %a: int = add %x, %x loc("front.apl":3:4)
    yield %a
  }
  %p: [int]<grid> = push<grid> %ys
  return %p
}
END
ok "$(cat "$tmp/wanted")" opt --passes=double,count "$tmp/twice.fclir"
ok "[0, 2, 4, 6]" fclc run "$tmp/twice.fclir" iota:4
opt --list-passes > "$tmp/out"
grep -q '^double  *x + x for x \* 2' "$tmp/out" || fail "double is not listed"
sed -n '/^count /,/^[a-z]/p' "$tmp/out" | grep -q '^ *Least=N (1): do not note fewer' || fail "the option of count is not listed"
try opt '--passes=count( Least = 2 )' "$tmp/twice.fclir"
grep -q '^fun @g(.*attr("mul" = 4) {$' "$tmp/out" || fail "count(Least=2): $(grep '^fun' "$tmp/out")"
try opt --passes='count(Least=1,Least=9)' "$tmp/twice.fclir"
grep -q 'attr' "$tmp/out" && fail "the last value of an option is the one that counts"
for list in 'count(Least=0)' 'count(Least=2x)' 'count(Least=)' 'count(Most=2)' 'double(Least=2)'; do
    refused E0860 fcl_opt --plugin="$tmp/double.so" --passes="$list" "$tmp/twice.fclir"
done
says 'it has none'
refused E0860 fcl_opt --plugin="$tmp/double.so" --passes='count(Least=0)' "$tmp/twice.fclir"
says 'it takes whole numbers from 1 to 1000000'
refused E0860 fcl_opt --plugin="$tmp/double.so" --passes='count(Leasd=2)' "$tmp/twice.fclir"
says 'its options are Least'
# Passes over the core have no place of their own on the way to code.
for how in "compile -o $tmp/twice.cl $tmp/twice.fclir" "run $tmp/twice.fclir iota:4"; do
    try fclc ${how%% *} --plugin="$tmp/double.so" ${how#* }
    [ $status = 0 ] || fail "fclc $how with passes over the core: status $status"
done
# Checked behind it, it may be followed by what needs types.
try opt --passes=double,lower,virtualise --emit=kernel "$tmp/twice.fclir"
[ $status = 0 ] || fail "lowering behind double: $(head -3 "$tmp/err")"

# Programs mean the same behind it.
for file in "$examples"/*.fclir; do
    try opt --passes=double "$file" -o "$tmp/doubled.fclir"
    [ $status = 0 ] || { fail "double on $file: $(head -3 "$tmp/err")"; continue; }
    while read -r line; do
        read -r -a words <<< "$line"
        fclc run "$file" --device=interp "${words[@]}" > "$tmp/expected" 2> /dev/null || continue
        ok "$(cat "$tmp/expected")" fclc run "$tmp/doubled.fclir" --device=interp "${words[@]}"
    done < <(sed -n 's|^// run: ||p' "$file")
done

# ---- what goes wrong ----

# wrong CODE TEXT PASS
wrong()
{
    refused "$1" fcl_opt --plugin="$tmp/faults.so" --passes="$3" "$tmp/twice.fclir"
    says "$2"
}
wrong MINE-E1 'front.apl:2:3: error\[MINE-E1\]: there is a thing' complain
says 'warning\[MINE-W1\]: the module is odd'
says 'help: take it away'
wrong E0863 'the pass be_silent says that it cannot go on, and not why' be_silent
wrong E0863 'the pass stay_open has not ended a rewriting' stay_open
wrong E0340 'the pass mistype has broken the program' mistype
wrong E0850 'this is not an operation of this module' lose
wrong E0850 'passes cannot run while the module is rewritten' nest
wrong E0853 'there is no pass complian' complian
says 'did you mean complain?'
for name in dce unroll complain; do
    build taken "$here/faults.c" -DTAKEN="\"$name\""
    refused E0863 fcl_opt --plugin="$tmp/taken.so" "$tmp/twice.fclir"
    says "the pass $name is there already"
done
build taken "$here/faults.c" -DTAKEN='"a b"'
refused E0863 fcl_opt --plugin="$tmp/taken.so" "$tmp/twice.fclir"

# Codes with names, in the forms for machines.
fcl_opt --plugin="$tmp/faults.so" --passes=complain "$tmp/twice.fclir" --diagnostics=json 2> "$tmp/json"
"$python" -c '
import json, sys
found = [(d["severity"], d["code"], d["line"]) for d in json.load(open(sys.argv[1]))]
assert found == [("warning", "MINE-W1", 0), ("error", "MINE-E1", 2)], found' "$tmp/json" || fail "JSON: $(cat "$tmp/json")"
fcl_opt --plugin="$tmp/faults.so" --passes=complain "$tmp/twice.fclir" --diagnostics=sarif 2> "$tmp/sarif"
"$python" -c '
import json, sys
run = json.load(open(sys.argv[1]))["runs"][0]
assert [r["ruleId"] for r in run["results"]] == ["MINE-W1", "MINE-E1"], run
assert [r["id"] for r in run["tool"]["driver"]["rules"]] == ["MINE-W1", "MINE-E1"], run' "$tmp/sarif" || fail "SARIF: $(cat "$tmp/sarif")"
finish corepass
