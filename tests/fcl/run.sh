#!/usr/bin/env bash
# Programs in the surface language, with what must come of them in comments at the beginning of each file:
#
#   -- check: sig f : int -> int     a line that fclc check prints; all of them, in order
#   -- run: ARGUMENTS                fclc run prints the lines that follow as "-- = LINE"; on every device
#   -- full: LINE                    with logSize = 24 and logSide = 12, a line that is printed; on a device with OpenCL
#   -- emits: TEXT                   a text that occurs in the core it becomes
#   -- warns: W1101 W1102            the warnings of fclc check, in order, but W1103: programs here may have a step of their own;
#                                    without such a line there are none
#
# OPTIONS="--via=spirv" are more options for fclc run, DEVICES="vulkan" other devices: of what Vulkan's have not runs are refused.
#
# refused/ holds programs that are refused: what is written as `-- //! E1012 @7 text` stands beside each mistake.
. "$(dirname "$0")/../tools/lib.sh"

cd "$here/../.." || exit 1
shopt -s globstar nullglob
if [ -n "${QUICK:-}" ]; then DEVICES=${DEVICES:-interp}; fi
every_device opencl:4 cpu:24

check_signatures()
{
    expected=$(sed -n 's/^-- check: //p' "$1")
    [ -z "$expected" ] || ok "$expected" fclc check "$1"
}

check_warnings()
{
    local expected got
    expected=$(sed -n 's/^-- warns: //p' "$1")
    try fclc check "$1"
    got=$(sed -n 's/^.*: warning\[\(W[0-9]*\)\].*/\1/p' "$tmp/err" | grep -v W1103 | paste -sd ' ')
    [ "$got" = "$expected" ] || fail "$1: warnings '$got', not '$expected': $(head -c 300 "$tmp/err")"
}

# Runs each "-- run:" of a file and compares with the "-- =" lines behind it.
check_runs()
{
    local args="" expected="" line has=""
    while IFS= read -r line; do
        case $line in
        "-- run:"*)
            [ -z "$has" ] || run_case "$1" "$args" "$expected"
            args=${line#-- run:}; expected=""; has=1 ;;
        "-- = "*) expected="$expected${expected:+$'\n'}${line#-- = }" ;;
        esac
    done < "$1"
    [ -z "$has" ] || run_case "$1" "$args" "$expected"
}

# Groups that wait for one another, and more local memory than lavapipe has.
is_lacking()
{
    [ "${1%%:*}" = vulkan ] || return 1
    try "${@:2}"
    [ $status -eq 1 ] && grep -qE 'error\[E(0625|0858)\]' "$tmp/err"
}

# Half of the cases on OpenCL take the skeletons of graphics processors, which a processor would not.
run_case()
{
    local words skeletons
    read -ra words <<< "$2"
    for device in $DEVICES; do
        takes "$device" || continue
        skeletons=
        [[ $device != opencl* || $((RANDOM % 2)) -eq 0 ]] || skeletons="-D Simd=1"
        # shellcheck disable=SC2086  # words, too
        set -- "$1" "$2" "$3" fclc run --all "$1" --device=$device $skeletons ${OPTIONS:-} "${words[@]}"
        ! is_lacking "$device" "${@:4}" || continue
        ok "$3" "${@:4}"
    done
}

check_full()
{
    local file line copy
    [[ $DEVICES == *opencl* ]] && grep -q '^-- full: ' "$1" || return 0
    copy=$tmp/$(basename "$1")
    find "$(dirname "$1")" -maxdepth 1 -name '*.csv' -exec cp {} "$tmp" \;
    sed 's/^val logSize = .*/val logSize = 24/; s/^val logSide = .*/val logSide = 12/' "$1" > "$copy"
    try fclc run --all "$copy" --device=opencl
    line=$(sed -n 's/^-- full: //p' "$1")
    grep -qxF -- "$line" "$tmp/out" || fail "$1 at full size: $(head -c 300 "$tmp/out" "$tmp/err")"
}

check_core()
{
    sed -n 's/^-- emits: //p' "$1" | while IFS= read -r text; do
        fcl_opt "$1" --passes=check | grep -F -- "$text" > "$tmp/found" || echo "$text"
    done > "$tmp/missing"
    [ ! -s "$tmp/missing" ] || fail "$1 does not become: $(cat "$tmp/missing")"
}

for file in tests/fcl/**/*.fcl; do
    case $file in
    */refused/*)
        try fcl_opt --split-input-file --verify-diagnostics "$file"
        [ $status -eq 0 ] || fail "$file: $(cat "$tmp/err")" ;;
    *)
        check_warnings "$file"
        check_signatures "$file"
        check_runs "$file"
        check_full "$file"
        check_core "$file" ;;
    esac
done

# Signatures of functions say nothing that is not found by itself.
sed '/^-- own$/,+1d' tests/fcl/signed.fcl > "$tmp/unsigned.fcl"
for entry in $(sed -n 's/^-- run: --entry=\([a-zA-Z]*\).*/\1/p' tests/fcl/signed.fcl); do
    [ "$(fclc compile tests/fcl/signed.fcl --entry="$entry" -o - | wc -l)" = "$(fclc compile "$tmp/unsigned.fcl" --entry="$entry" -o - | wc -l)" ] ||
        fail "$entry: other code without a signature"
done

# A prelude of one's own takes the place of the built-in one.
echo 'fun twice x = x + x' > "$tmp/own.fcl"
echo 'fun f xs = push <grid> (map twice xs)' > "$tmp/uses.fcl"
ok '[0, 2, 4]' fclc run --prelude "$tmp/own.fcl" "$tmp/uses.fcl" iota:3
refused E1008 fclc run "$tmp/uses.fcl" iota:3

# What the original's prelude defined, by itself: its programs need nothing else.  A text that could be of either dialect is
# of that of its prelude.
for file in tests/fcl/original/*.fcl; do
    read -ra words <<< "$(sed -n 's/^-- run://p' "$file" | head -n 1)"
    try fclc run --all "$file" "${words[@]}"
    cp "$tmp/out" "$tmp/with_ours"
    try fclc run --all --prelude tests/fcl/original/prelude.2017 "$file" "${words[@]}"
    { [ $status -eq 0 ] && cmp -s "$tmp/out" "$tmp/with_ours"; } || fail "$file with the original's prelude: $(head -c 300 "$tmp/err")"
done
# docs/original.md lists these programs, all of them and no others, and kernels of tests/defects.
for file in tests/fcl/original/*.fcl; do
    grep -qF "\`$(basename "$file")\`" docs/original.md || fail "docs/original.md does not list $file"
done
for name in $(grep -o '`[a-z]*\.\(fcl\|fclir\|csv\)`' docs/original.md | tr -d '`' | sort -u) ; do
    [ -e "tests/fcl/original/$name" ] || [ -e "tests/defects/$name" ] || fail "docs/original.md lists $name"
done
for name in $(sed -n '/^## What it got wrong/,$p' docs/original.md | grep -o '`[a-z][A-Za-z]*`' | tr -d '`' | sort -u); do
    case $name in while | mapPush | force | if) continue ;; esac
    grep -q "^kernel @$name(" tests/defects/defects.fclir || fail "docs/original.md lists the kernel $name"
done
echo 'fun main xs = push <grid> (fst (halve xs))' > "$tmp/either.fcl"
ok '[0, 1]' fclc run "$tmp/either.fcl" iota:3
ok '[0]' fclc run --prelude tests/fcl/original/prelude.2017 "$tmp/either.fcl" iota:3

# A message says when a name, or a level, is another one in the other dialect, and what made the file one of its own.
note() { # TEXT PROGRAM
    printf '%b' "$2" > "$tmp/note.fcl"
    try fclc check "$tmp/note.fcl"
    grep -qF -- "$1" "$tmp/err" || fail "no '$1' about $2: $(cat "$tmp/err")"
}
note "in programs of 2017 'backpermute' is another function" 'fun f xs = backpermute 3 (fn i => (i, 0)) xs\n'
note "in programs of 2017 'mapPush' is another function" 'fun f p = mapPush (fn i => fn x => i + x) p\n'
note "in programs of 2017 'mapPush' is another function" 'fun f xs = mapPush (fn i x => i + x) (push <block> xs)\n'
note "in the paper's dialect 'mapPush' is another function" "sig i : 'a -> 'a\nfun i x = x\nfun f p = mapPush (fn x => x + 1) p\n"
note "note.fcl:1:9: note: the file is read as a program of 2017 because of 'a' here" \
    "sig i : 'a -> 'a\nfun i x = x\nfun f xs = backpermute (fn i => i) xs\n"
note 'only in programs of 2017 it is block' \
    'sig f : int -> [int] -> [int]<block>\nfun f n xs = splitUp n xs |> map (push <thread>) |> concat n\n'
note "in programs of 2017, which this is because of 'forall', the level above thread is block" \
    "sig f : forall <l>. int -> [[int]<block>] -> [int]<block>\nfun f n xs = concat n xs\n"
note "'Program' is of programs of 2017, but the level warp is not" \
    'sig w : [int] -> [int]<warp>\nfun w xs = push <warp> xs\nsig f : [[int]<thread>] -> Program<block> [int]<block>\nfun f xs = concat 3 xs\n'
twice='let twice = if length n > 3 then fn a => a + a else fn a => a * a'
note "'twice' is a local function that is computed, of one type" \
    "fun f x n = $twice in (twice (length n), twice x * 2.5)\n"
note "'twice' is a local function that is computed, of one type" "fun f x n = $twice in (twice (length n), twice 2.5)\n"
note 'help: != compares' 'fun f a b = a <> b\n'

# Functions over a class of types against copies of them for each type: every second line of results is that of the copy.
SEED=${SEED:-$RANDOM}
"$python" tests/fcl/generic.py "$SEED" "${PROGRAMS:-8}" | csplit -sz -f "$tmp/generic" -b %03d.fcl - '/^----------$/' '{*}'
for file in "$tmp"/generic*.fcl; do
    sed -i '/^----------$/d' "$file"
    for device in $DEVICES; do
        [ $device = interp ] || [ "$file" = "$tmp/generic000.fcl" ] || continue # compiling takes long
        try fclc run --all --device=$device "$file"
        awk 'NR % 2 { general = $0; next } general != $0 { print general " and " $0 }' "$tmp/out" > "$tmp/differ"
        { [ $status -eq 0 ] && [ -s "$tmp/out" ] && [ ! -s "$tmp/differ" ]; } ||
            fail "generic.py SEED=$SEED $(basename "$file") on $device: $(head -c 300 "$tmp/differ" "$tmp/err")"
    done
done

# The entry: the one that is asked for, main, or the last declaration.
printf 'fun a xs = push <grid> (map (fn x => x + 1) xs)\nfun b xs = push <grid> (map (fn x => x * 2) xs)\n' > "$tmp/two.fcl"
ok '[0, 2, 4]' fclc run "$tmp/two.fcl" iota:3
ok '[1, 2, 3]' fclc run --entry=a "$tmp/two.fcl" iota:3
refused E1022 fclc run --entry=c "$tmp/two.fcl" iota:3

# A local function that is named once is built in that place, so that the step of a loop is told to overwrite its state; one that is
# named twice is built once.
named='import "arrays"\nsig f : int -> [int]\nfun f n = let step i t = t with [i] <- i in loop n step (replicate n 0)\n'
printf "$named" > "$tmp/once.fcl"
printf "${named/in loop n step/in loop n step (loop n step} " | sed 's/(replicate n 0)/(replicate n 0))/' > "$tmp/again.fcl"
for file in once again; do
    ok '[0, 1, 2]' fclc run "$tmp/$file.fcl" 3
    fcl_opt "$tmp/$file.fcl" > "$tmp/$file"
done
grep -q ' fn {' "$tmp/once" && fail "a function that is named once is an fn"
[ "$(grep -c ' fn {' "$tmp/again")" -eq 1 ] || fail "a function that is named twice is not one fn"

# A text that begins like the core is the core, whatever its name.
printf 'fcl 0.1\nkernel @f(%%xs: [int]) -> [int]<grid> {\n  %%p = push<grid> %%xs\n  return %%p\n}\n' > "$tmp/core.fcl"
ok '[0, 1]' fclc run "$tmp/core.fcl" iota:2
finish fcl
