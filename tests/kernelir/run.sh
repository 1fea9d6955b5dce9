#!/bin/bash
# Kernel IR by itself: its text, its verifier and its passes.
#
#   round trips   every program, after lowering and after every pass, is the same when its text is read, and the passes that
#                 are left make the same code of it; with one of several targets
#   errors.txt    planted errors: what sed makes of base.kir is refused, each with the rule or message that stands beside it;
#                 `kir planted` adds those that no text can say.  Every rule has one
#   mutations     whatever the nodes of a program hold, it is verified and printed without a crash; SEED=N repeats, MUTATIONS=N
#   PASS/*.kir    what a pass makes of kernel IR, in NAME.golden; UPDATE=1 writes that
#
# QUICK=1 takes one target and the small programs, FULL=1 all targets for all programs; else round trips are of half of the programs,
# each with one target, which are drawn.
. "$(dirname "$0")/../tools/lib.sh"
kir=$build/tests/kir
[ -x "$kir" ] || make -C "$here/../.." BUILD="$build" "$build/tests/kir" > "$tmp/made" 2>&1 || fail "no $kir: $(tail -3 "$tmp/made")"
seeded
seed=$SEED
cd "$here/../.." || exit 1
shopt -s nullglob

# ---- planted errors ----

planted=0
: > "$tmp/rules"
while IFS=$'\t' read -r wanted edit; do
    case $wanted in '#'* | '') continue ;; esac
    cases=$((cases + 1))
    planted=$((planted + 1))
    sed "$edit" "$here/base.kir" > "$tmp/error.kir"
    try fcl_opt --from=kernel "$tmp/error.kir"
    [ $status -eq 1 ] && head -1 "$tmp/err" | grep -q -F -- "$wanted" ||
        fail "'$edit' gives status $status, not '$wanted': $(head -1 "$tmp/err")"
    echo "${wanted#rule }" >> "$tmp/rules"
done < "$here/errors.txt"
try "$kir" planted "$here/base.kir"
[ $status -eq 0 ] || fail "planted errors: $(cat "$tmp/err")"
planted=$((planted + $(wc -l < "$tmp/out")))
cat "$tmp/out" >> "$tmp/rules"
[ $planted -ge 40 ] || fail "only $planted planted errors"
for rule in $("$kir" rules); do
    [ "$rule" = nesting ] || grep -q "^$rule:" "$tmp/rules" || fail "no planted error breaks rule $rule"
    grep -q "^| $rule |" docs/kernel.md || fail "docs/kernel.md does not have rule $rule"
done

# Blocks that nest too deep.
awk 'BEGIN { printf "kernel-ir 0.1 virtualised\ntarget block=1 warp=1\nprogram @deep() {\n"
             for (i = 0; i < 2000; i++) printf "if true {\n"
             for (i = 0; i < 2000; i++) printf "}\n"
             print "}" }' > "$tmp/deep.kir"
try fcl_opt --from=kernel "$tmp/deep.kir"
[ $status -eq 1 ] && grep -q "nest deeper than 1000" "$tmp/err" || fail "2000 blocks: $(head -1 "$tmp/err")"

# ---- every operator stands in the reference ----

for name in $(sed -n 's/^KNODE([A-Z]*, [0-9]*, "\([a-z]*\)".*/\1/p' ir/kernel/kir.def); do
    cases=$((cases + 1))
    grep -q "^| \`$name" docs/kernel.md || fail "docs/kernel.md does not have the operator $name"
done

# ---- the example of the reference, and passes on kernel IR alone ----

sed -n '/^```kir$/,/^```$/p' docs/kernel.md | sed '/^```/d' > "$tmp/example.kir"
try fcl_opt --from=kernel "$tmp/example.kir"
[ $status -eq 0 ] || fail "the example of docs/kernel.md: $(head -3 "$tmp/err")"

for file in "$here"/*/*.kir; do
    read -ra options <<< "$(sed -n 's|^// run: ||p' "$file")"
    [ ${#options[@]} -gt 0 ] || fail "$file does not say how it is run"
    try fcl_opt "${options[@]}" "$file"
    [ $status -eq 0 ] || fail "$file: $(head -3 "$tmp/err")"
    if [ -n "${UPDATE:-}" ]; then
        cp "$tmp/out" "${file%.kir}.golden"
    elif ! diff "${file%.kir}.golden" "$tmp/out" > "$tmp/diff"; then
        fail "$file is not made into its golden file (UPDATE=1 rewrites it): $(head -20 "$tmp/diff")"
    fi
done

# ---- what else fcl-opt does with kernel IR ----

# opt STATUS WORDS OPTION...: transposeTiled with these ends so and says WORDS.
opt()
{
    local wanted=$1 words=$2
    shift 2
    try fcl_opt --from=kernel "$@" "$here/virtualise/transposeTiled.kir"
    [ $status -eq "$wanted" ] && cat "$tmp/out" "$tmp/err" | grep -q -F -- "$words" ||
        fail "fcl-opt $*: status $status, not $wanted with '$words': $(head -3 "$tmp/err")"
}

opt 0 'void transposeTiled' --passes=virtualise,outline,legalise --emit=opencl
opt 0 'launch @transposeTiled' --passes=virtualise,outline,legalise --emit=plan
opt 1 'E0861' --emit=opencl
opt 1 'E0830' --emit=text
opt 0 '// after virtualise of @transposeTiled' --passes=virtualise,simplify --print-changed
opt 0 'BISECT: NOT running pass (2) pad' --passes=virtualise,simplify,pad --bisect-limit=1
printf '#!/bin/sh\ngrep -q "alloc local" "$1"\n' > "$tmp/has-local"
chmod +x "$tmp/has-local"
opt 0 'bytes in' --reduce="$tmp/has-local" -o "$tmp/small.kir"
[ "$(wc -c < "$tmp/small.kir")" -lt 500 ] || fail "--reduce leaves $(wc -c < "$tmp/small.kir") bytes"
try fcl_opt --from=kernel "$tmp/small.kir"
[ $status -eq 0 ] && grep -q 'alloc local' "$tmp/out" || fail "what --reduce leaves: $(cat "$tmp/err")"

# ---- mutations ----

mutations=${MUTATIONS:-$([ -n "${FULL:-}" ] && echo 2000 || echo 700)}
for file in "$here"/base.kir "$here"/*/*.kir; do
    cases=$((cases + 1))
    timeout 300 "$kir" mutate "$seed" "$mutations" "$file" > "$tmp/out" 2> "$tmp/err" ||
        fail "SEED=$seed: mutations of $file: status $?: $(tail -5 "$tmp/err")"
    timeout 300 "$kir" hostile "$seed" "$mutations" "$file" > "$tmp/out" 2> "$tmp/err" ||
        fail "SEED=$seed: changes to the text of $file: status $?: $(tail -5 "$tmp/err")"
done

# ---- round trips ----

targets=("" "lanes=32 warps-wait dialect=1" "groups=3 part-turns open-branches" "groups-wait=0 index=32" "block=64 warp=16 groups=2"
    "block=1" "index=64 atomics64=0 VectorBytes=1 lines=1" "block=96 Unroll=1 fast-math")
files=(docs/examples/*.fclir tests/{accepted,kernels,memory,passes}/*.fclir)
[ -n "${QUICK:-}" ] && targets=("lanes=32 warps-wait dialect=1")
[ -n "${QUICK:-}" ] || files+=(tests/{defects,fastmath,indices,random,tools,warp}/*.fclir tests/bench/kernels/*.fclir
    docs/examples/*/*.fcl docs/examples/*/*.fclir tests/fcl/*/*.fcl)
stages=0
for file in "${files[@]}"; do
    [ -n "${QUICK:-}" ] || drawn 2 || continue
    some_of=("${targets[@]}")
    [ -n "${FULL:-}" ] || some_of=("${targets[RANDOM % ${#targets[@]}]}")
    for target in "${some_of[@]}"; do
        # shellcheck disable=SC2086  # options are words
        timeout 300 "$kir" roundtrip "$file" $target > "$tmp/out" 2> "$tmp/err" ||
            fail "$file $target: $(head -5 "$tmp/err")"
        stages=$((stages + $(tail -1 "$tmp/out")))
    done
done
cases=$((cases + stages))
[ $stages -ge 500 ] || fail "only $stages stages were read again"
finish kernelir
