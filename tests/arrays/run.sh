#!/usr/bin/env bash
# Programs that name no levels, in FCL and in the core: what the operators and functions of `import "arrays"` give, by the evaluator,
# and by the device cpu where what is chosen goes by more than the operator.
# Those in refused/ are compiled as they are, which is refused at the place that the first line names.  `run.sh update` makes
# libfcl/prelude/arrays.fclir of arrays.fcl.
. "$(dirname "$0")/../tools/lib.sh"
cd "$here/../.." || exit 1
"$python" tests/arrays/core.py "$build/bin/fcl-opt" > "$tmp/arrays.fclir" || exit 1
if [ "${1:-}" = update ]; then
    cp "$tmp/arrays.fclir" libfcl/prelude/arrays.fclir
    exit
fi
cases=$((cases + 1))
cmp -s "$tmp/arrays.fclir" libfcl/prelude/arrays.fclir || fail "arrays.fclir is not what arrays.fcl says: tests/arrays/run.sh update"

for file in tests/arrays/refused/*.fclir; do
    IFS=: read -r line says < <(sed 's/^\/\/ //;q' "$file")
    try fclc compile --no-schedule "$file" -o "$tmp/code.cl"
    { [ $status -eq 1 ] && grep -q "^$file:$line:[0-9]*: error\[E0513\]: .*${says# }" "$tmp/err" && [ "$(grep -c 'error\[' "$tmp/err")" = 1 ]; } ||
        fail "$file: status $status: $(cat "$tmp/err")"
    ok '' fclc check "$file"
    ok '' fclc compile "$file" -o "$tmp/code.cl"
done

# ---- in FCL: a type, a definition of main, arguments, what it gives, results with ; between them; and devices beside the evaluator ----

# gives EXPECTED DEVICE WORD...: what main.fcl gives there
gives() {
    try fclc run --all --device="$2" "$tmp/main.fcl" -- "${@:3}"
    cases=$((cases + 1))
    [ $status -eq 0 ] && [ "$(sed 's/ *$//' "$tmp/out" | paste -sd';')" = "$1" ] ||
        fail "$main of $arguments on $2: status $status, $(cat "$tmp/out" "$tmp/err"), not $1"
}

while IFS='~' read -r type main arguments expected devices; do
    [ -n "$type" ] || continue
    printf 'import "arrays"\n\nsig main : %s\nfun main %s\n' "$type" "$main" > "$tmp/main.fcl"
    read -ra words <<< "$arguments"
    for device in interp $devices; do
        gives "$expected" "$device" "${words[@]}"
    done
done < tests/arrays/programs.txt

# ---- names ----

# Without the import nothing is hidden, and in the prelude nothing with it: filterGrid has its own scan.
printf 'sig main : [int] -> [int]<grid>\nfun main xs = scan <grid> (+) xs\n' > "$tmp/own.fcl"
ok '[1, 3, 6]' fclc run "$tmp/own.fcl" '[1,2,3]'
printf 'import "arrays"\nsig main : [int] -> [int]\nfun main xs = filterGrid 1 (fn x => x > 1) xs\n' > "$tmp/own.fcl"
ok '[2, 3]' fclc run "$tmp/own.fcl" '[1,2,3]'
# What a program declares hides what it imports.
printf 'import "arrays"\nsig reduce : int -> int\nfun reduce x = x + 1\nsig main : int -> int\nfun main x = reduce x\n' > "$tmp/own.fcl"
ok '3' fclc run -w "$tmp/own.fcl" 2
printf 'import "matrices"\nfun main x = x + 1\n' > "$tmp/own.fcl"
refused E1005 fclc check "$tmp/own.fcl"
printf 'fun main x = x + 1\nimport "arrays"\n' > "$tmp/own.fcl"
refused E1008 fclc check "$tmp/own.fcl"

# ---- in the core ----

cat > "$tmp/core.fclir" << 'END'
fcl 0.5
import "arrays"
kernel @main(%xs: [int], %counts: [int]) {
  %r = call @replicateEach(%counts, %xs)
  %p = fn { (%x: int)
    %c = gt %x, 2
    yield %c
  }
  %n = call @count(%p, %r)
  %i = call @sortPermutation(%neg, %r)
  %t = tuple %r, %n, %i
  return %t
}
END
sed -i 's/^  %i = /  %neg = fn { (%x: int)\n    %y = neg %x\n    yield %y\n  }\n  %i = /' "$tmp/core.fclir"
ok '[3, 3, 5]
3
[2, 0, 1]' fclc run "$tmp/core.fclir" '[3,4,5]' '[2,0,1]'
finish arrays
