#!/usr/bin/env bash
# Artifacts: the specification (docs/artifact.md) against real files, damaged and future ones, and every entry of the examples
# run from its artifact by the library, by docs/examples/run_fcla.py, which does not have the library, and by run_plan.c there.
#
#   QUICK=1   one program of each kind
#   FULL=1    all programs, not three of them, and their source on OpenCL for every size, not for one
#   SEED=N    repeats the choice
. "$(dirname "$0")/../tools/lib.sh"
cd "$here/../.." || exit 1
mkdir "$tmp/files" "$tmp/host"
export PYTHONPATH=tests/driver:docs/examples PYTHONDONTWRITEBYTECODE=1 PYOPENCL_NO_CACHE=1

# pack NAME SOURCE OPTION...: its artifact; what it was made from goes to the list.  Who compiles ahead of time says which
# drivers' faults are to be avoided.
pack()
{
    local name=$1 source=$2
    shift 2
    set -- --quirks=pocl-3.1 "$@"
    try fclc compile "$source" "$@" -o "$tmp/files/$name.fcla"
    [ $status -eq 0 ] || fail "$source $* : $(head -3 "$tmp/err")"
    printf '%s\t%s\t%s\n' "$name" "$source" "$*" >> "$tmp/list"
}

examples="docs/examples/*.fclir docs/examples/tutorial/*.fcl docs/examples/obsidian/*.fcl $here/scalars.fclir $here/emits.fclir $here/grows.fclir"
[ -z "${QUICK:-}" ] || examples="docs/examples/reduce.fclir docs/examples/segments.fclir docs/examples/tutorial/reverse.fcl $here/scalars.fclir $here/emits.fclir $here/grows.fclir"
for source in $examples; do
    name=$(basename "$source" | tr . _)
    entries=$(sed -n 's/^-- run: .*--entry=\([^ ]*\).*/\1/p' "$source")
    if [ "$entries" ]; then
        for entry in $entries; do pack "${name}_$entry" "$source" --entry="$entry"; done
    else
        pack "$name" "$source"
    fi
done

# What the page says is what is in the files, and what is not is refused.
"$python" "$here/schema.py" docs/artifact.md "$tmp"/files/*.fcla > "$tmp/schema" || fail "$(cat "$tmp/schema")"
"$python" "$here/damage.py" "$tmp/files/reduce_fclir.fcla" "$tmp" > "$tmp/damaged" || fail "damage.py"
while IFS=$'\t' read -r code file; do
    if [ "$code" = good ]; then
        refused E0807 fclc run "$file" --entry=nobody
    else
        echo before > "$tmp/kept"
        refused "$code" fclc run "$file" -o "$tmp/kept"
        [ "$(cat "$tmp/kept")" = before ] || fail "$file changes what is there"
    fi
done < "$tmp/damaged"

# What is read and written again is the same file; its code and plans say what the module's did.
while IFS=$'\t' read -r name source options; do
    file=$tmp/files/$name.fcla
    try fclc compile "$file" -o "$tmp/again.fcla"
    cmp -s "$file" "$tmp/again.fcla" || fail "$source: a file that is read and written is another one"
    # shellcheck disable=SC2086  # several
    try fclc compile "$source" $options -o "$tmp/code.cl" --plan="$tmp/plan"
    try fclc compile "$file" -o "$tmp/again.cl" --plan="$tmp/again.plan"
    try fclc compile "$file" -o "$tmp/again.cl" --plan="$tmp/files/$name.json"
    [ $status -eq 0 ] || fail "$source: no JSON: $(head -3 "$tmp/err")"
    cmp -s "$tmp/code.cl" "$tmp/again.cl" || fail "$source: the code of its artifact differs"
    cmp -s "$tmp/plan" "$tmp/again.plan" || fail "$source: the plan of its artifact has another text: $(diff "$tmp/plan" "$tmp/again.plan" | head -4)"
    [ "$(grep -c '^plan @' "$tmp/again.plan")" -gt 0 ] || fail "$source: no plan"
done < "$tmp/list"
# The JSON is the same data; what JSON has no numbers for stands there as texts.
cp "$here/numbers.fclir" "$tmp/numbers.fclir"
pack numbers "$tmp/numbers.fclir"
try fclc compile --quirks=pocl-3.1 "$tmp/numbers.fclir" -o "$tmp/numbers.cl" --plan="$tmp/files/numbers.json"
for text in '"9223372036854775807"' '"-9223372036854775808"' '"18446744073709551615"' '9007199254740992' '"nan"' '"inf"' '"-inf"' \
    '-0.0' '0.10000000149011612'; do
    grep -q -- "[ :	]$text\$" "$tmp/files/numbers.json" || fail "no $text in the JSON"
done
pairs=$(for file in "$tmp"/files/*.json; do echo "${file%.json}.fcla $file"; done)
# shellcheck disable=SC2086  # two words for each
"$python" "$here/json_form.py" $pairs > "$tmp/json" || fail "$(cat "$tmp/json")"
refused E0808 fclc compile "$tmp/files/reduce_fclir.fcla" --report
refused E0808 fclc compile "$tmp/files/reduce_fclir.fcla" --entry=absent
for option in --lang=core --prelude=none.fcl --target=cpu-c --block-size=64 -DGroups=2 --kernel-passes=none --in-place=xs --debug-lines --exchange=local --checks=all --quirks=none; do
    refused E0808 fclc compile "$tmp/files/reduce_fclir.fcla" "$option" -o "$tmp/unheard"
done
refused E0808 fclc run "$tmp/files/reduce_fclir.fcla" --device=opencl --checks=none iota:10
[ ! -e "$tmp/unheard" ] || fail "an option that an artifact cannot obey is not heard"

# Several codes in one file, compiled together or put together, and which of them a device takes.
sum=docs/examples/sum.fclir
try fclc compile $sum --target=opencl-c --target=cpu-c -o "$tmp/two.fcla"
try fclc compile $sum --target=opencl-c,cpu-c -o "$tmp/two-again.fcla"
cmp -s "$tmp/two.fcla" "$tmp/two-again.fcla" || fail "two targets in one option or in two are not the same"
try fclc compile $sum -o "$tmp/plain.fcla"
try fclc compile $sum --target=cpu-c -o "$tmp/cpu.fcla"
try fclc compile $sum --quirks=pocl-3.1 -o "$tmp/pocl.fcla"
ok "" fclc join "$tmp/plain.fcla" "$tmp/cpu.fcla" -o "$tmp/joined.fcla"
cmp -s "$tmp/two.fcla" "$tmp/joined.fcla" || fail "joined code is not what is compiled together"
ok "" fclc join "$tmp/plain.fcla" "$tmp/cpu.fcla" "$tmp/pocl.fcla" -o "$tmp/three.fcla"
"$python" "$here/schema.py" docs/artifact.md "$tmp/three.fcla" "$tmp/pocl.fcla" || fail "the schema of several targets"
try fclc compile docs/examples/reverse.fclir -o "$tmp/other.fcla"
refused E0631 fclc join "$tmp/plain.fcla" "$tmp/other.fcla"
ok "" fclc join "$tmp/two.fcla" "$tmp/plain.fcla" "$tmp/cpu.fcla" -o "$tmp/again.fcla"
cmp -s "$tmp/two.fcla" "$tmp/again.fcla" || fail "code that is there already is joined again"
try fclc compile docs/examples/reverse.fclir --entry=revThread -o "$tmp/entry.fcla"
refused E0630 fclc join "$tmp/entry.fcla" "$tmp/other.fcla"
ok "" fclc join "$tmp/other.fcla" "$tmp/entry.fcla" -o "$tmp/part.fcla"
refused E0121 fclc join "$tmp/plain.fcla" $sum
refused E0857 fclc compile $sum --target=cpu-c,cpu-c -o "$tmp/twice.fcla"
refused E0854 fclc compile $sum --target=cpu-c,teleport -o "$tmp/twice.fcla"
[ ! -e "$tmp/twice.fcla" ] || fail "what is refused is written"
usage fclc compile $sum --target=opencl-c --target=cpu-c -o "$tmp/two.cl"
usage fclc join "$tmp/plain.fcla"
refused E0855 fclc run "$tmp/two.fcla" --device=interp iota:10
if fclc devices | grep -q '^cpu'; then
    ok '[45]' fclc run "$tmp/two.fcla" --device=cpu iota:10
    ok '[45]' fclc run "$tmp/cpu.fcla" iota:10
    refused E0854 fclc run "$tmp/plain.fcla" --device=cpu iota:10
    refused E0854 fclc run "$tmp/two.fcla" --device=cpu --via=opencl-c iota:10
    says 'code 2, cpu-c'
fi
if has_opencl; then
    "$python" "$here/lacks.py" "$tmp/plain.fcla" "$tmp" > "$tmp/lacks" || fail "lacks.py"
    while IFS=$'\t' read -r code file word; do
        if [[ $code == [gW]* ]]; then
            ok '[45]' fclc run "$file" --device=opencl iota:10
        else
            refused "$code" fclc run "$file" --device=opencl iota:10
        fi
        [ -z "$word" ] || ! [[ $code == E* ]] || says "$word"
    done < "$tmp/lacks"
    ok '[45]' fclc run "$tmp/three.fcla" --device=opencl iota:10
    [ ! -s "$tmp/err" ] || fail "there is code for this driver: $(cat "$tmp/err")"
    driver='import pyopencl as cl; d = cl.get_platforms()[0].get_devices()[0]; print(d.platform.name, d.driver_version)'
    if "$python" -c "$driver" 2> /dev/null | grep -q '^Portable Computing Language \([0-2]\|3[.][01]\)'; then
        ok '[45]' fclc run "$tmp/two.fcla" --device=opencl iota:10
        says 'W1104'
        says 'quirks=pocl-3.1'
        ok '[45]' fclc run "$tmp/two.fcla" --device=opencl -w iota:10
        [ ! -s "$tmp/err" ] || fail "a warning that nobody wants: $(cat "$tmp/err")"
        refused W1104 fclc run "$tmp/two.fcla" --device=opencl --werror iota:10
    fi
fi
refused E0808 fclc check "$tmp/files/reduce_fclir.fcla"

# What a program hands out comes in the same order from its artifact, on every device, before the result.
fclc run "$here/emits.fclir" '[1.5,2.5]' '[(1,true),(2,false)]' 3 > "$tmp/emitted" || fail "emits.fclir does not run"
[ "$(wc -l < "$tmp/emitted")" -eq 18 ] || fail "emits.fclir hands out something else"
for device in opencl vulkan cpu; do
    fclc devices | grep -q "^$device" || continue
    target=opencl-c
    [ $device = opencl ] || target=$([ $device = cpu ] && echo cpu-c || echo spirv-vulkan)
    try fclc compile "$here/emits.fclir" --target=$target --quirks=pocl-3.1 -o "$tmp/emits.fcla"
    ok "$(cat "$tmp/emitted")" fclc run "$here/emits.fclir" --device=$device '[1.5,2.5]' '[(1,true),(2,false)]' 3
    ok "$(cat "$tmp/emitted")" fclc run -w "$tmp/emits.fcla" --device=$device '[1.5,2.5]' '[(1,true),(2,false)]' 3
done

# So it does where a branch or a loop decides, and where the run fails behind it.
for words in "k 5 [1.0,2.0]" "k 1 [1.0,2.0]" "k 2 [1.0,2.0]" "arrays 2 [1,2]" "arrays 4 [1,2]" "arrays 4 []" "w 3 [1,2]" "w 3 [7]"; do
    read -r entry n xs <<< "$words"
    fclc run "$here/handed.fclir" --entry="$entry" "$n" "$xs" > "$tmp/emitted" 2> "$tmp/err"
    wanted=$?
    [ -s "$tmp/emitted" ] || fail "$words hands nothing out"
    for device in opencl vulkan cpu; do
        fclc devices | grep -q "^$device" || continue
        cases=$((cases + 1))
        fclc run "$here/handed.fclir" --device=$device --entry="$entry" "$n" "$xs" > "$tmp/own" 2> "$tmp/err"
        [ $? -eq $wanted ] || fail "$words on $device: $(head -1 "$tmp/err")"
        cmp -s "$tmp/emitted" "$tmp/own" || fail "$words hands out something else on $device: $(head -3 "$tmp/own")"
    done
done

# What a program asks for is given by runners of others as well: 7, 8, 9 for the array, then 10 and 20.
answers() # OUTPUT: the files that they look for
{
    "$python" -c 'import sys
import numpy as n
for i, x in enumerate(([7, 8, 9], 10, 20)):
    n.save("%s.give%d.npy" % (sys.argv[1], i), n.array(x, n.int32))
    n.array(x, n.int32).tofile("%s.give%d" % (sys.argv[1], i))' "$1"
}
printf '\1\0\0\0\2\0\0\0' > "$tmp/pair"
"$python" -c 'import numpy as n
n.save("'"$tmp"'/pair.npy", n.array([1, 2], n.int32))'
answers "$tmp/given"
answers "$tmp/result" # for `failing`
received() # WHAT: the results, after a run
{
    "$python" -c 'import sys
import numpy as n
stem, form = sys.argv[1:]
xs, k = (n.load("%s.%d.npy" % (stem, i)) if form == "npy" else n.fromfile("%s.%d" % (stem, i), n.int32) for i in range(2))
sys.exit(xs.tolist() != [37, 38, 39] or k.ravel().tolist() != [3])' "$tmp/given" "$1" || fail "$2: what is given is not what the results are made of"
}
if has_opencl; then
    try fclc compile "$here/receives.fclir" --quirks=pocl-3.1 -o "$tmp/receives.fcla"
    refused E0626 fclc run -w --device=opencl "$tmp/receives.fcla" '[1,2]' 2
    try "$python" docs/examples/run_fcla.py "$tmp/receives.fcla" receives "$tmp/given" "$tmp/pair.npy" 2
    [ $status -eq 0 ] && [ "$(cat "$tmp/out")" = 30 ] || fail "run_fcla.py: $(cat "$tmp/out") $(tail -1 "$tmp/err")"
    received npy run_fcla.py
    try "$build/bin/run_plan" "$tmp/receives.fcla" receives "$tmp/given" "2:$tmp/pair" 2
    [ $status -eq 0 ] || fail "run_plan: $(head -1 "$tmp/err")"
    received own run_plan
    rm "$tmp/given.0" "$tmp/given.1"
    try fclc compile "$here/receives.fclir" --driver=c --quirks=pocl-3.1 -o "$tmp/receives"
    "${CC:-cc}" -std=c11 -g -fsanitize=address,undefined -fno-sanitize-recover=all -o "$tmp/receives/receives" "$tmp"/receives/*.c -lOpenCL -lm ||
        fail "receives: its host program does not compile"
    export ASAN_OPTIONS=detect_leaks=0
    try "$tmp/receives/receives" receives "$tmp/given" "2:$tmp/pair" 2
    [ $status -eq 0 ] && grep -q '^emit: int = 30$' "$tmp/out" || fail "a host program: $(cat "$tmp/out") $(head -1 "$tmp/err")"
    received own 'a host program'
    rm "$tmp/given.give2"
    try "$tmp/receives/receives" receives "$tmp/given" "2:$tmp/pair" 2
    grep -q 'receives.fclir:8:10: error.E0626' "$tmp/err" || fail "a host program that gets no answer says $(head -1 "$tmp/err")"
    unset ASAN_OPTIONS
fi

# A host program gives back what it holds, whichever call fails: on an OpenCL that counts.
head -c 400 /dev/zero > "$tmp/zeros"
failing() # SOURCE ENTRY ARGUMENT...
{
    local source=$1 entry=$2 folder=$tmp/failing n
    shift 2
    if [ ! -x "$folder/$(basename "$source")" ]; then
        rm -rf "$folder"
        try fclc compile "$source" --driver=c -o "$folder"
        [ $status -eq 0 ] || fail "$source: no host program: $(head -3 "$tmp/err")"
        "${CC:-cc}" -std=c11 -g -fsanitize=address,undefined -fno-sanitize-recover=all -Wl,--wrap=calloc \
            -o "$folder/$(basename "$source")" "$folder"/*.c "$here/fake_opencl.c" -lm || fail "$source: its host program does not compile"
    fi
    for ((n = 1; n < 1000; n++)); do
        FAIL_AT=$n try "$folder/$(basename "$source")" "$entry" "$tmp/result" "$@"
        [ $status -ne 0 ] || break
        [ $status -eq 1 ] && grep -Eq '^error: .|error.E0626' "$tmp/err" || fail "$source $entry, where call $n fails: status $status, $(head -5 "$tmp/err")"
    done
    [ $n -gt 20 ] && [ $n -lt 1000 ] || fail "$source $entry: call $n is the last one"
}
failing docs/examples/reduce.fclir sum "7:$tmp/zeros"
failing docs/examples/reduce.fclir minMax "7:$tmp/zeros"
failing docs/examples/segments.fclir segmentSums "3:$tmp/zeros" "7:$tmp/zeros"
failing docs/examples/compact.fclir bySign "7:$tmp/zeros"
head -c 7 /dev/zero > "$tmp/bools"
failing "$here/emits.fclir" emits "7:$tmp/zeros" "7:$tmp/zeros" "7:$tmp/bools" 2
failing "$here/receives.fclir" receives "2:$tmp/pair" 2
failing docs/examples/update.fclir distances 3 "7:$tmp/zeros" "7:$tmp/zeros"

# What a host program refuses, checks of the program and limits alike, it refuses as the runner does, at the same place.
if has_opencl; then
    try fclc compile "$here/limits.fclir" --driver=c -o "$tmp/limits"
    "${CC:-cc}" -std=c11 -g -fsanitize=address,undefined -fno-sanitize-recover=all -o "$tmp/limits/limits" "$tmp"/limits/*.c -lOpenCL -lm ||
        fail "limits: its host program does not compile"
    for n in 100000000 1 -1 2147483647; do
        cases=$((cases + 1))
        fclc run --device=opencl "$here/limits.fclir" -- $n iota:3 2> "$tmp/err" > /dev/null && fail "limits $n runs"
        ASAN_OPTIONS=detect_leaks=0 "$tmp/limits/limits" k "$tmp/result" $n "3:$tmp/zeros" 2> "$tmp/own" && fail "limits $n runs as a host program"
        diff <(sed 1q "$tmp/err") <(sed 1q "$tmp/own") || fail "limits $n: a host program says something else"
    done
fi

usage fclc compile docs/examples/reduce.fclir --driver=basic -o "$tmp/host/basic"
usage fclc compile docs/examples/reduce.fclir --driver=c
usage fclc compile docs/examples/reduce.fclir --driver=c --target=cpu-c -o "$tmp/host/cpu"
echo file > "$tmp/host/file"
refused E0802 fclc compile docs/examples/reduce.fclir --driver=c -o "$tmp/host/file"
[ ! -e "$tmp/host/basic" ] && [ ! -e "$tmp/host/cpu" ] || fail "a refused host program leaves a folder"

# The pages quote the program as it is.
"$python" - > "$tmp/quotes" << 'END' || fail "docs/runtime.md quotes what is not there: $(cat "$tmp/quotes")"
import re, sys
page = open("docs/runtime.md").read()
lost, count = [], 0
for language, program in ("python", "run_fcla.py"), ("c", "run_plan.c"):
    blocks = re.findall(f"```{language}\n(.*?)\n```", page, re.S)
    text = open("docs/examples/" + program).read()
    lost += [block for block in blocks if block + "\n" not in text]
    count += len(blocks)
print(*lost, sep="\n\n")
sys.exit(bool(lost) or count < 13)
END
[ "$(grep -c . docs/examples/run_fcla.py)" -lt 180 ] || fail "run_fcla.py is too long to be an example"
if has_opencl && "$python" -c 'import pyopencl' 2> /dev/null; then
    driver_stop
    seed=${SEED:-$((RANDOM * 32768 + RANDOM))}
    awk -v seed="$seed" 'BEGIN { srand(seed) } { printf "%f\t%s\n", rand(), $0 }' "$tmp/list" | sort -n | cut -f2- > "$tmp/mixed"
    [ -n "${FULL:-}" ] || sed -i 3q "$tmp/mixed" # the driver takes long to build them all
    echo "artifact: SEED=$seed, $(wc -l < "$tmp/mixed") programs"
    "$python" "$here/examples.py" "$build" "$tmp" < "$tmp/mixed" || fail "examples.py"
    cases=$((cases + $(cat "$tmp/count")))
else
    echo "artifact: no OpenCL or no pyopencl, nothing is run"
fi
finish artifact
