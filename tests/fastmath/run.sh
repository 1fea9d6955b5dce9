#!/bin/bash
# Fast math: native functions for f32 where it is asked for, and nowhere else; results near the exact ones.
. "$(dirname "$0")/../tools/lib.sh"
file=$here/functions.fclir
natives='native_exp native_exp2 native_log native_log2 native_log10 native_sin native_cos native_tan native_sqrt
native_rsqrt native_powr native_divide native_recip'

code() { fclc compile "$file" --entry="$1" ${2:-} -o "$tmp/code" || fail "$1 does not compile"; }

code functions
grep -q native_ "$tmp/code" && fail "native functions without being asked for"
grep -q 'FP_CONTRACT OFF' "$tmp/code" || fail "contraction is allowed without being asked for"
code functions -DFastMath=1
for name in $natives; do
    cases=$((cases + 1))
    grep -q "$name(" "$tmp/code" || fail "no $name"
done
grep -q 'FP_CONTRACT ON' "$tmp/code" || fail "contraction is not allowed"
code doubles -DFastMath=1
grep -q native_ "$tmp/code" && fail "doubles are computed by native functions"

# A product stands in the expression of its sum, however many statements are between: compilers contract within expressions.
products() { fclc compile "$here/../schedule/tiled.fclir" --entry=product ${1:-} -o "$tmp/code" || fail "product does not compile"; }
alone='^ *const float v[0-9]* = w[0-9]*[.]s[0-9] [*] w[0-9]*[.]s[0-9];'
products
grep -q "$alone" "$tmp/code" || fail "products stand in their sums without being asked for"
products -DFastMath=1
grep "$alone" "$tmp/code" && fail "products do not stand in their sums"

# Random numbers where every function is tame, tan too; relative errors, near zeros absolute ones.
seed=${SEED:-$RANDOM}
numbers=$(awk -v seed="$seed" 'BEGIN { srand(seed); for (i = 0; i < 200; i++) printf "%s%.4f", i ? "," : "", 0.1 + rand() * 1.3 }')
if has_opencl; then
    echo "fastmath: SEED=$seed"
    fclc run --all "$file" --device=interp --entry=functions "[$numbers]" > "$tmp/exact" || fail "the evaluator fails"
    fclc run --all "$file" --device=opencl --entry=functions -DFastMath=1 "[$numbers]" > "$tmp/fast" || fail "OpenCL fails"
    "$python" - "$tmp/exact" "$tmp/fast" << 'END' || fail "results are too far from the exact ones"
import ast
import sys

def rows(path):
    return ast.literal_eval(open(path).read())

exact, fast = rows(sys.argv[1]), rows(sys.argv[2])
if len(exact) != 200 or len(exact[0]) != 14 or len(fast) != 200:
    sys.exit("results of other shapes: %d, %d" % (len(exact), len(fast)))
worst = max(abs(x - y) / max(abs(x), 1) for a, b in zip(exact, fast) for x, y in zip(a, b))
if not worst < 1e-4:
    sys.exit("the worst error is %g" % worst)
END
fi

[ $failures -eq 0 ] && echo "fastmath: ok ($cases functions)"
exit $((failures != 0))
