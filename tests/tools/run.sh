#!/usr/bin/env bash
# fclc and fcl-opt as a user meets them: command lines, exit statuses, arguments, .npy files, output files.
. "$(dirname "$0")/lib.sh"
fclc=$build/bin/fclc
opt=$build/bin/fcl-opt
"$python" "$here/npy.py" "$tmp" || exit 1
cp "$here/echo.fclir" "$tmp"
cd "$tmp" || exit 1

echo_ok()
{
    local entry=$1 expected=$2
    shift 2
    ok "$expected" "$fclc" run echo.fclir "--entry=$entry" "$@"
}
echo_refused()
{
    local entry=$1 code=$2
    shift 2
    refused "$code" "$fclc" run echo.fclir "--entry=$entry" "$@"
}

cat > one.fclir <<'EOF'
fcl 0.1
kernel @twice(%xs: [int]) -> [int]<grid> {
  %ys = map %xs { (%x: int)
    %y = mul %x, 2
    yield %y
  }
  %p = push<grid> %ys
  return %p
}
EOF
# Standard output by its name is written where it stands, also when it is a file.
(echo before; "$fclc" compile one.fclir -o /dev/stdout; echo after) > redirected
ok 3 grep -c -e '^before' -e '^__kernel' -e '^after' redirected

sed 's/@twice/@main/; s/2$/3/' one.fclir > main.fclir
sed -n '2,$p' one.fclir >> main.fclir
printf 'fcl 0.1\n' > none.fclir
sed 's/%y = mul %x, 2/%y = mul %x, %nowhere/' one.fclir > bad.fclir

# ---- the command line ----
# FCL source from standard input; what a text is goes before its name.
printf 'fun main xs = push <grid> (map (fn x => x + 1) xs)\n' > plus.fcl
ok '[2, 3]' sh -c "'$fclc' run --lang=fcl - '[1, 2]' < plus.fcl"
cp plus.fcl plus.txt
ok '[2, 3]' "$fclc" run --lang=fcl plus.txt '[1, 2]'
ok 'sig main : forall a:num. [a] -> [a]<grid>' "$fclc" check --lang=fcl plus.fcl
refused E0102 "$fclc" check --lang=core plus.fcl
refused E0102 sh -c "'$fclc' check - < plus.fcl"
usage "$fclc" check --lang=latin plus.fcl
# How many errors are not shown.
(echo fcl 0.1; for i in {1..9}; do echo "fun @f$i(%x: int) -> int { %y = add %x, true return %y }"; done) > nine.fclir
refused E0340 "$fclc" check --limit=errors=2 nine.fclir
says '^note.E0839.: 7 more errors'
[ "$(grep -c '^nine.*error' err)" -eq 2 ] || fail "--limit=errors=2: $(cat err)"
try "$fclc" check --limit=errors=9 nine.fclir
! grep -q E0839 err || fail "none is left out: $(tail -1 err)"
try "$fclc" check --limit=errors=8 nine.fclir --diagnostics=json
"$python" -c 'import json; d = json.load(open("err"))[-1]; assert d["severity"] == "note" and d["message"].startswith("1 more error is")' || fail "JSON: errors left out"
try "$fclc" check --limit=errors=2 nine.fclir
[ "$(tail -1 err)" = "9 errors" ] || fail "the count of errors: $(tail -1 err)"
# Colours: asked for, or on a terminal that wants them; without them the text is the same.
esc=$'\033'
try "$fclc" check nine.fclir
cp err plain
try "$fclc" check --color=always nine.fclir
grep -q "$esc\\[1;31merror.E0340.:" err || fail "--color=always: $(head -1 err)"
sed "s/$esc\\[[0-9;]*m//g" err > stripped
cmp -s stripped plain || fail "--color=always changes the text"
usage "$fclc" check --color=red nine.fclir
colored() { # WORD...: on a terminal
    "$python" -c 'import os, pty, sys; pty.spawn(sys.argv[1:])' "$@" > terminal < /dev/null
    grep -q "$esc" terminal
}
export -n NO_COLOR
unset NO_COLOR
TERM=xterm colored "$fclc" check nine.fclir || fail "no colours on a terminal"
! TERM=xterm NO_COLOR=1 colored "$fclc" check nine.fclir || fail "NO_COLOR is not respected"
! TERM=dumb colored "$fclc" check nine.fclir || fail "a dumb terminal has colours"
! TERM=xterm colored "$fclc" check --color=never nine.fclir || fail "--color=never has colours"
cases=$((cases + 4))
# Long results show how they begin and end, unless all is asked for.
ok '[0, 2, 4, ..., 196, 198, 200] (101 elements)' "$fclc" run one.fclir iota:101
ok 100 sh -c "'$fclc' run one.fclir iota:100 | tr , '\\n' | wc -l"
ok 1000 sh -c "'$fclc' run --all one.fclir iota:1000 | tr , '\\n' | wc -l"
# Times are told, by name.
ok '[2]' "$fclc" run --time one.fclir '[1]'
for part in compile build run kernels transfers; do says " ms  *$part"; done
# So is the memory of the device, and held below what is allowed.
ok '[2]' "$fclc" run --peak one.fclir '[1]'
says ' 0 bytes  of device memory'
if grep -q '^cpu ' <("$fclc" devices); then
    try "$fclc" run --peak --time --device=cpu one.fclir iota:100
    says ' 400 bytes  of device memory'
    ok '[2]' "$fclc" run --memory=4 --device=cpu one.fclir '[1]'
    refused E0624 "$fclc" run --memory=399 --device=cpu one.fclir iota:100
    says 'help: allow'
fi
try "$fclc" run --memory=0 one.fclir '[1]'
says '--memory must be'
# JSON is UTF-8 whatever a text holds: surrogates, overlong forms, what is beyond the last character.
for bytes in $'\xed\xa0\x80' $'\xc0\xaf' $'\xe0\x80\xaf' $'\xf0\x80\x80\xaf' $'\xf4\x90\x80\x80' $'\xf8\x88\x80\x80\x80'; do
    try "$fclc" check --diagnostics=json "absent$bytes"
    "$python" -c 'import json; json.load(open("err", encoding="utf-8"))' || fail "JSON of bytes that are not UTF-8"
done
try "$fclc" check --diagnostics=json $'absent\xed\x9f\xbf\xf4\x8f\xbf\xbf\xe2\x82\xac'
"$python" -c 'import json; assert "absent\ud7ff\U0010ffff\u20ac" == json.load(open("err", encoding="utf-8"))[0]["file"]' || fail "JSON of UTF-8: $(cat err)"
# A program that does not end ends: by a limit, and by an interrupt, which leaves the output as it was.
printf 'fun main xs = push <grid> (map (fn x => fold (fn s y => s + y) 0 (while (fn a => index a 0 < 10) (fn a => push <thread> a) (push <thread> [x]))) xs)\n' > endless.fcl
echo old > untouched.npy
refused E0911 "$fclc" run --limit=steps=1000 endless.fcl '[1]' -o untouched.npy
says '^endless.fcl:1:'
"$python" -c '
import signal, subprocess, sys, time
p = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
time.sleep(0.3)
p.send_signal(signal.SIGINT)
assert b"error[E0910]" in p.communicate(timeout=60)[1] and p.returncode == 1
' "$build/bin/fclc" run endless.fcl '[1]' -o untouched.npy || fail "an interrupt does not end the run"
[ "$(cat untouched.npy)" = old ] || fail "a run that was cancelled changed the output"
cases=$((cases + 1))
for program in "$fclc" "$opt"; do
    try "$program" --help
    [ $status -eq 0 ] && grep -q -- --diagnostics out || fail "$program --help"
    try "$program" --version
    [ $status -eq 0 ] && grep -q '[0-9]\.[0-9]' out || fail "$program --version"
done
for command in check compile run devices explain help; do
    try "$fclc" "$command" --help
    [ $status -eq 0 ] && grep -q "fclc $command" out || fail "fclc $command --help"
done
usage "$fclc"
usage "$fclc" frobnicate
ok "$("$fclc" run --help)" "$fclc" help run
ok "$("$fclc" --help)" "$fclc" help
usage "$fclc" help frobnicate
usage "$fclc" help run check
usage "$fclc" help --as=pdf
usage "$opt" --help --as=pdf
usage "$fclc" check
usage "$fclc" check one.fclir one.fclir
usage "$fclc" check --no-such-option one.fclir
usage "$fclc" check --plan=main one.fclir
usage "$fclc" compile one.fclir --entry
usage "$fclc" check --limit=memory one.fclir
usage "$fclc" check --limit=patience=3 one.fclir
usage "$fclc" check --limit=call-depth=0 one.fclir
usage "$opt" --limit=region-depth=1000000 one.fclir
refused E0901 "$opt" --limit=memory=50000 one.fclir
refused E0902 "$fclc" check --limit=region-depth=1 one.fclir
refused E0903 "$fclc" compile --limit=errors=7 --limit=kernel-nodes=9 one.fclir
usage "$fclc" run
usage "$fclc" devices surplus
usage "$fclc" explain
usage "$fclc" explain nonsense
usage "$fclc" check one.fclir --diagnostics=xml
usage "$fclc" run one.fclir -D Colour=3 '[1]'
says 'BlockSize Groups WarpSize NativeHalf AtomicBits InPhases JoinLaunches Simd IndexBits FastMath LocalLimit VectorBytes'
usage "$fclc" run one.fclir -D BlockSize=0 '[1]'
usage "$fclc" run one.fclir -D BlockSize=1025 '[1]'
usage "$fclc" run one.fclir -D BlockSize=many '[1]'
usage "$fclc" run one.fclir -D BlockSize '[1]'
usage "$fclc" run one.fclir --block-size=-3 '[1]'
usage "$fclc" run one.fclir --groups=0 '[1]'
usage "$fclc" compile one.fclir -o x --plan=x
usage "$opt" one.fclir two.fclir
usage "$opt" one.fclir --emit=poem
usage "$opt" --device=interp one.fclir

# ---- check, compile, devices, explain ----
ok '' "$fclc" check one.fclir
ok '' "$fclc" check echo.fclir
ok '[]' sh -c "'$fclc' check one.fclir --diagnostics=json 2>&1"
refused 'E....' "$fclc" check bad.fclir
says '^bad.fclir:4:.*nowhere'
refused E0801 "$fclc" check absent.fclir
refused E0801 "$fclc" check .
ok '' sh -c "'$fclc' check - < one.fclir"
try "$fclc" check bad.fclir --diagnostics=json
[ $status -eq 1 ] && "$python" -c '
import json
d = json.load(open("err"))[0]
assert d["severity"] == "error" and d["code"][0] == "E" and d["file"] == "bad.fclir" and d["line"] == 4 and d["message"]
' || fail "JSON of check: $(cat err)"
try "$fclc" run one.fclir --diagnostics=json '[1,' $'\xff'
[ $status -eq 1 ] && "$python" -c 'import json; assert len(json.load(open("err", encoding="utf-8"))) == 2' || fail "JSON of run"
# SARIF: nothing; two errors; notes; characters in columns; names that are no URIs; the programs' own.
sarif()
{
    local results=$1
    shift
    try "$@" --diagnostics=sarif
    cp err log.sarif
    [ "$("$python" "$here/sarif.py" log.sarif "$results")" = valid ] || fail "SARIF of $*: $("$python" "$here/sarif.py" log.sarif "$results")"
}
printf 'fcl 0.1\nfun @f(%%x: int) -> int {\n  %%y = ad %%x loc("\xc3\xa9"\n  %%z = neg %%nowhere\n  return %%x\n}\n' > 'two errors%.fclir'
printf 'fun f x = "\xc3\xa9\xc3\xa9" + true\n' > text.fcl
printf 'fcl 0.1\nfun @f(%%x: int) -> int {\n  return %%x\n}\nfun @f(%%x: int) -> int {\n  return %%x\n}\n' > twice.fclir
sarif 0 "$fclc" check one.fclir
sarif 3 "$opt" 'two errors%.fclir'
grep -q '"two%20errors%25.fclir"' log.sarif || fail "SARIF: the URI of a name with blanks"
sarif 1 "$opt" twice.fclir
grep -q relatedLocations log.sarif || fail "SARIF: no notes"
sarif 1 "$fclc" check text.fcl
grep -A1 startColumn log.sarif | tr -d ' \t\n' | grep -q '"startColumn":11,"endColumn":15' || fail "SARIF: columns are not characters: $(cat log.sarif)"
sarif 1 "$fclc" check absent.fclir
sarif 2 "$fclc" run one.fclir '[1,' $'\xff'
usage "$fclc" check one.fclir --diagnostics=xml
try "$opt" twice.fclir --diagnostics=json
"$python" -c 'import json; assert json.load(open("err"))[0]["notes"][0]["line"] == 2' || fail "JSON: no notes"
try "$fclc" devices
[ $status -eq 0 ] && head -1 out | grep -q '^interp ' || fail "devices: interp is not first"
try "$fclc" explain E0812
[ $status -eq 0 ] && grep -q '^E0812: ' out || fail "explain E0812"
try "$fclc" explain 901
[ $status -eq 0 ] && grep -q '^E0901: ' out || fail "explain 901"
refused E0840 "$fclc" explain E9999
try "$fclc" explain w1101
[ $status -eq 0 ] && grep -q '^W1101: ' out || fail "explain w1101"

# ---- warnings ----

printf 'fun main xs =\n  let n = length xs\n  in push <grid> (map (fn x => 1) xs)\n' > unused.fcl
ok '[1]' "$fclc" run unused.fcl '[7]'
says 'warning\[W1101\]'
says '^1 warning$'
try "$fclc" check -Wall unused.fcl
says 'warning\[W1150\]'
says '^2 warnings$'
for off in -w --no-warnings --warn=none; do
    ok '[1]' "$fclc" run $off unused.fcl '[7]'
    [ ! -s err ] || fail "$off: $(cat err)"
done
refused W1101 "$fclc" run --werror unused.fcl '[7]'
refused W1101 "$fclc" check -Werror unused.fcl
refused W1101 "$opt" --werror unused.fcl
usage "$fclc" check --warn=some unused.fcl

ok '' "$fclc" compile one.fclir -o one.cl --plan=one.plan
grep -q kernel one.cl || fail "compile wrote no kernel"
[ -s one.plan ] || fail "compile wrote no plan"
ok "$(cat one.cl)" "$fclc" compile one.fclir
refused 'E....' "$fclc" compile one.fclir --target=abacus
refused E0807 "$fclc" compile one.fclir --entry=thrice

# ---- which kernel ----
ok '[2, 4]' "$fclc" run one.fclir '[1,2]'
ok '[3, 6]' "$fclc" run main.fclir '[1,2]'
ok '[2, 4]' "$fclc" run main.fclir --entry=twice '[1,2]'
refused E0805 "$fclc" run none.fclir
refused E0806 "$fclc" run echo.fclir '[1]'
says '@i4'
refused E0807 "$fclc" run echo.fclir --entry=i5 '[1]'
refused E0801 "$fclc" run absent.fclir
refused 'E....' "$fclc" run one.fclir --device=abacus '[1]'
ok '[2, 4]' "$fclc" run one.fclir -D BlockSize=32 --groups=2 -D WarpSize=16 -D LocalLimit=4096 '[1,2]'

# ---- literals ----
echo_ok b1 '[true, false]' '[true,false]'
echo_ok i1 '[-128, 127]' '[-128,127]'
echo_ok i2 '[-32768, 32767]' '[-32768, 32767]'
echo_ok i4 '[-2147483648, 2147483647, 31]' ' [ -2147483648 ,2147483647, 0x1f ] '
echo_ok i8 '[-9223372036854775808, 9223372036854775807]' '[-9223372036854775808,9223372036854775807i64]'
echo_ok u1 '[0, 255]' '[0,255]'
echo_ok u2 '[65535]' '[65535u16]'
echo_ok u4 '[4294967295]' '[0xffffffff]'
echo_ok u8 '[18446744073709551615]' '[18446744073709551615]'
echo_ok f4 '[0.1, 16777216.0, 1e30, -0.0, inf, -inf, nan, 1e-45]' '[0.1,16777216,1e30f32,-0.0,inf,-inf,nan,1e-45]'
# What is left behind 17 digits is 0.5000001 of the last one; rounded to 64 bits it looks like the middle.
echo_ok f8 '[0.0071633237822349575, 0.019120458891013385]' '[0.0071633237822349575,0.019120458891013385]'
echo_ok f8 '[0.1, 3.0, 1e300, 5e-324, 0.30000000000000004]' '[.1,3,1e300,5e-324,0.30000000000000004]'
echo_ok i4 '[]' '[]'
echo_ok rank2 '[[1, 2], [3, 4]]' '[[1,2],[3,4]]'
echo_ok rank2 '[]' '[]'
echo_ok rank2 '[[], []]' '[[],[]]'
echo_ok rank3 '[[[1], [2]], [[3], [4]]]' '[[[1],[2]],[[3],[4]]]'
echo_ok pairs '[(1, 2.0), (3, 4.5)]' '[(1, 2), (3, 4.5)]'
echo_ok pairs '[(0, 0.5), (1, 1.5)]' '(iota:2, [0.5, 1.5])'
echo_ok apart '[-1.0, 2.5]' '(-1, 2.5)'
echo_ok two '[-7, 8]' -7 8
echo_ok two '[-7, 8]' -- -7 8
echo_ok two '[8, -7]' b=-7 8
echo_ok two '[8, -7]' 8 b=-7
echo_ok two '[1, 2]' b=2 a=1
echo_ok f4 '[0.0, 1.0, 2.0]' iota:3
echo_ok i4 '[]' iota:0
echo_ok both "[1, 2]
[-1, -2]" '[1,2]'

echo_refused two E0810 1
echo_refused two E0810 1 2 3
echo_refused two E0816 c=1 2 3
says '^argument 1:1:1: '
echo_refused two E0817 a=1 a=2 3
echo_refused two E0812 1.5 2
echo_refused two E0812 true 2
echo_refused two E0812 '(1,2)' 2
echo_refused two E0812 1i64 2
echo_refused two E0813 1 2147483648
says '^argument 2:1:1: '
echo_refused two E0811 '' 2
echo_refused two E0811 one 2
echo_refused two E0811 1x 2
echo_refused two E0811 '1 1' 2
echo_refused two E0811 iota:2 2
echo_refused b1 E0812 '[1]'
echo_refused b1 E0812 iota:2
echo_refused u1 E0813 '[-1]'
echo_refused u1 E0813 '[256]'
echo_refused i1 E0813 iota:129
echo_refused f4 E0813 '[1e39]'
echo_refused f4 E0812 '[1f64]'
echo_refused f4 E0812 '[0x1f]'
echo_refused i4 E0812 '[1, 2.5]'
says '^argument 1:1:5: error\[E0812\]'
says '^        \^~~$'
echo_refused i4 E0811 '[1,]'
echo_refused i4 E0811 '[1'
echo_refused i4 E0811 '[1,2]]'
echo_refused i4 E0811 '[1;2]'
echo_refused i4 E0815 3
echo_refused i4 E0815 '[[1]]'
echo_refused i4 E0811 iota:
echo_refused i4 E0813 iota:99999999999999999999
echo_refused rank2 E0815 '[1,2]'
echo_refused rank2 E0815 iota:3
echo_refused rank2 E0814 '[[1,2],[3]]'
says '^argument 1:1:8: '
echo_refused rank3 E0814 '[[[1],[2]],[[3]]]'
echo_refused pairs E0812 '[1]'
echo_refused pairs E0811 '[(1)]'
echo_refused pairs E0811 '[(1,2,3)]'
echo_refused pairs E0814 '(iota:2, [1])'
echo_refused pairs E0812 @good.i4.npy
echo_refused apart E0812 3

# ---- .npy files in ----
for kind in b1 i1 i2 i4 i8 u1 u2 u4 u8 f4 f8; do
    case $kind in
    b1) expected='[false, true, false]' ;;
    f*) expected='[0.0, 1.0, 2.0]' ;;
    *) expected='[0, 1, 2]' ;;
    esac
    for file in good.$kind.npy good.big.$kind.npy; do
        [ ! -f "$file" ] || echo_ok $kind "$expected" "@$file"
    done
done
for file in v2 v3 python2; do
    echo_ok i4 '[0, 1, 2]' "@good.$file.npy"
done
echo_ok i4 '[]' @good.empty.npy
echo_ok i4 '[0]' xs=@good.one.npy
echo_ok two '[0, 5]' @good.scalar.npy 5
echo_ok two '[5, 0]' 5 b=@good.one.npy
for file in rank2 rank2.fortran rank2.fortran.big; do
    echo_ok rank2 '[[0, 1, 2], [3, 4, 5]]' "@good.$file.npy"
done
echo_ok rank3 "$("$python" -c 'print([[[12*i+4*j+k for k in range(4)] for j in range(3)] for i in range(2)])')" \
    @good.rank3.fortran.npy
echo_ok pairs '[(0, 0.0), (1, 1.0), (2, 2.0)]' '(@good.i4.npy, @good.f8.npy)'

for file in empty magic version header-cut header-length number negative shape order dict missing twice extra quote fields \
    axes; do
    echo_refused i4 E0820 "@bad.$file.npy"
done
for file in cut long huge; do
    echo_refused i4 E0821 "@bad.$file.npy"
done
echo_refused rank2 E0821 @bad.overflow.npy
for file in bad.complex bad.object bad.width good.f4 good.i8 good.u4; do
    echo_refused i4 E0822 "@$file.npy"
done
echo_refused i4 E0823 @good.rank2.npy
echo_refused rank2 E0823 @good.i4.npy
echo_refused two E0823 @good.i4.npy 1
echo_refused i4 E0801 @absent.npy
echo_refused i4 E0801 @.
echo_refused pairs E0814 '(@good.i4.npy, [1])'

# ---- .npy files out ----
for kind in b1 i1 i2 i4 i8 u1 u2 u4 u8 f4 f8; do
    echo_ok $kind '' @good.$kind.npy -o out.npy
    "$python" - good.$kind.npy out.npy <<'EOF' || fail "$kind: out.npy differs"
import sys
a, b = (open(f, "rb").read() for f in sys.argv[1:])
n = lambda s: 10 + int.from_bytes(s[8:10], "little")
sys.exit(a[n(a):] != b[n(b):] or n(b) % 64 or eval(a[10:n(a)]) != eval(b[10:n(b)]))
EOF
done
echo_ok rank2 '' @good.rank2.fortran.npy -o out.npy
cmp -s out.npy good.rank2.npy || "$python" -c '
a, b = (open(f, "rb").read() for f in ("out.npy", "good.rank2.npy"))
assert a[-24:] == b[-24:] and b"(2, 3)" in a' || fail "rank 2: out.npy differs"
echo_ok both '' '[1,2]' -o pair.npy
echo_ok i4 '[1, 2]' @pair.0.npy
echo_ok i4 '[-1, -2]' @pair.1.npy
[ ! -e pair.npy ] || fail "several results went to one file"

# ---- plans and code in which no two things have one name ----
for file in names numbers; do
    try "$opt" --emit=plan "$here/$file.fclir"
    grep '^plan' out | while read -r line; do
        tr ' (),:' '\n\n\n\n\n' <<< "$line" | grep '^%' | sort | uniq -d
    done > twice
    [ $status -eq 0 ] && [ ! -s twice ] || fail "the plan of $file has two inputs called $(cat twice)"
    ! grep '^plan' out | grep -E '%[0-9]+[:,)]' || fail "the plan of $file has an input that is called like a value"
done
printf 'fcl 0.1\nkernel @a.b(%%xs: [int]) -> [int]<grid> { %%p = push<grid> %%xs return %%p }\n' > spelled.fclir
printf 'kernel @a_x2Eb(%%xs: [int]) -> [int]<grid> { %%p = push<grid> %%xs return %%p }\n' >> spelled.fclir
try "$opt" --emit=opencl spelled.fclir
[ "$(grep -o '^void [A-Za-z0-9_]*' out | sort -u | wc -l)" -eq 2 ] || fail "two kernels have one name: $(grep '^void' out)"

# ---- output files: whole or untouched ----
mkdir names
ok '' "$fclc" compile one.fclir -o "names/$(printf 'n%.0s' {1..255})"
[ "$(ls names | wc -l)" -eq 1 ] || fail "a name of 255 bytes: $(ls names)"
mkdir names/far
ln -s far/absent names/dangling
ln -s dangling names/again
ln -s circle names/circle
ok '' "$fclc" compile one.fclir -o names/again
cmp -s names/far/absent one.cl && [ -L names/dangling ] || fail "a link to a file that is not there was replaced"
refused E0802 "$fclc" compile one.fclir -o names/circle
[ -L names/circle ] || fail "a link that leads nowhere was replaced"
if command -v strace > "$tmp/where"; then
    strace -f -e trace=fsync,rename -o trace "$fclc" compile one.fclir -o names/kept
    [ "$(grep -o '^[0-9 ]*[a-z]*(' trace | grep -o '[a-z]*(' | tr -d '\n')" = 'fsync(rename(' ] || fail "no fsync before rename: $(cat trace)"
fi
mkdir outdir
echo old > outdir/file
chmod 640 outdir/file
ln -s file outdir/link
refused 'E....' "$fclc" compile bad.fclir -o outdir/file --plan=outdir/plan
refused 'E....' "$fclc" run bad.fclir '[1]' -o outdir/file
refused E0812 "$fclc" run one.fclir '[1.5]' -o outdir/file
refused 'E....' "$opt" bad.fclir --emit=opencl -o outdir/file
refused E0802 "$fclc" compile one.fclir -o outdir/file --plan=absent/plan
refused E0802 "$fclc" compile one.fclir -o absent/file
refused E0802 "$fclc" compile one.fclir -o outdir
[ "$(cat outdir/file)" = old ] || fail "a failure changed the output file"
[ "$(ls outdir)" = "file
link" ] || fail "a failure left files: $(ls outdir)"
ok '' "$fclc" compile one.fclir -o outdir/link
cmp -s outdir/file one.cl && [ -L outdir/link ] || fail "the link was replaced, not the file"
[ "$(stat -c %a outdir/file)" = 640 ] || fail "the permissions changed"
[ "$(ls outdir | wc -l)" -eq 2 ] || fail "success left files: $(ls outdir)"
ok '' "$fclc" compile one.fclir -o /dev/null
[ -c /dev/null ] || fail "/dev/null was replaced"
if [ -c /dev/full ]; then
    refused E0802 "$fclc" compile one.fclir -o /dev/full
    refused E0802 sh -c "'$fclc' run one.fclir iota:5 > /dev/full"
    refused E0802 sh -c "'$fclc' devices > /dev/full"
    refused E0802 sh -c "'$opt' one.fclir > /dev/full"
fi
refused E0802 bash -c "set -o pipefail; '$fclc' run --all one.fclir iota:200000 | true"

# ---- fcl-opt ----
"$opt" one.fclir --passes=check -o checked.fclir
ok "$(cat checked.fclir)" "$opt" checked.fclir
ok "$(cat checked.fclir)" "$opt" checked.fclir '--passes= check , check'
ok "$("$opt" one.fclir)" sh -c "'$opt' < one.fclir"
ok "$("$opt" one.fclir)" sh -c "'$opt' - -o - < one.fclir"
ok '' "$opt" one.fclir -o again.fclir
ok "$(cat again.fclir)" "$opt" again.fclir
ok "$(cat one.cl)" "$opt" one.fclir --emit=opencl
ok "$(cat one.plan)" "$opt" one.fclir --emit=plan
try "$opt" one.fclir --emit=kernel --print-after-all --time-passes
[ $status -eq 0 ] && [ -s out ] || fail "--emit=kernel"
says '^// after '
says '^// after lower of @'
says ' ms .* virtualise$'
says ' ms .* emit$'
try "$opt" one.fclir --passes=check --print-after-all --time-passes
says '^// after check'
says ' ms .* check$'
try "$opt" --list-passes
[ $status -eq 0 ] && grep -q '^check ' out || fail "--list-passes"
refused E0853 "$opt" one.fclir --passes=chekc
says "did you mean check?"
refused E0853 "$opt" one.fclir --passes=check,transmogrify
says '^--passes:1:7: '
refused E0859 "$opt" one.fclir --passes=check,
refused E0807 "$opt" one.fclir --emit=plan --entry=thrice

# ---- sections and expectations ----
(cat one.fclir; echo '// -----'; cat bad.fclir) > parts.fclir
refused 'E....' "$opt" parts.fclir --split-input-file
says "^parts.fclir:$(($(grep -c '' one.fclir) + 1 + 4)):"
(cat one.fclir; echo '// -----'; cat main.fclir) > parts.fclir
try "$opt" parts.fclir --split-input-file
[ $status -eq 0 ] && [ "$(grep -c '^// -----$' out)" -eq 1 ] || fail "--split-input-file"
ok "$("$opt" parts.fclir --split-input-file)" sh -c "'$opt' parts.fclir --split-input-file | '$opt' --split-input-file"

"$opt" bad.fclir > out 2> err
code=$(sed -n 's/.*error\[\(E[0-9]*\)\].*/\1/p' err | head -1)
column=$(sed -n 's/^bad.fclir:4:\([0-9]*\):.*/\1/p' err | head -1)
expect()
{
    sed "s|%nowhere|& //! $1|" bad.fclir > expect.fclir
}
verified()
{
    ok '' "$opt" --split-input-file --verify-diagnostics expect.fclir
}
for expectation in "$code" "$code @$column" "$code nowhere" "$code @$column nowhere"; do
    expect "$expectation"
    verified
done
sed "s|^.*%nowhere|    //! $code nowhere\n&|" bad.fclir > expect.fclir
verified
(echo "//!file $code"; cat bad.fclir) > expect.fclir
verified
(cat one.fclir; echo '// -----'; echo "//!file $code nowhere"; cat bad.fclir; echo '// -----'; cat one.fclir) > expect.fclir
verified
cp one.fclir expect.fclir
verified
for expectation in "E9999" "$code @99" "$code elsewhere"; do
    expect "$expectation"
    refused E0836 "$opt" --verify-diagnostics expect.fclir
    refused E0837 "$opt" --verify-diagnostics expect.fclir
done
says '^expect.fclir:4:'
refused E0837 "$opt" --verify-diagnostics bad.fclir
(echo "//!file $code"; cat one.fclir) > expect.fclir
refused E0836 "$opt" --verify-diagnostics expect.fclir
expect nonsense
refused E0835 "$opt" --verify-diagnostics expect.fclir

# ---- imports beside the file ----
mkdir beside
printf 'fcl 0.1\nfun @inc(%%x: int) -> int {\n  %%y = add %%x, 1\n  return %%y\n}\n' > beside/lib.fclir
cat > beside/user.fclir <<'EOF'
fcl 0.1
import "lib"
kernel @main(%xs: [int]) -> [int]<grid> {
  %ys = map %xs { (%x: int)
    %y = call @inc(%x)
    yield %y
  }
  %p = push<grid> %ys
  return %p
}
EOF
ok '[2, 3]' "$fclc" run beside/user.fclir '[1,2]'

# ---- a front end's positions: its name, its line with a caret, and #line in the emitted code ----
mkdir front
cat > front/k.fclir <<'EOF'
fcl 0.1
kernel @k(%xs: [int]) -> [int]<grid> {
  %ys = map %xs { (%x: int)
    %a = mul %x, %x loc("front.apl":2:5)
    %b = fdiv %a, %x loc("front.apl":3:7)
    yield %b
  }
  %p = push<grid> %ys
  return %p
}
EOF
sed 's/fdiv/div/' front/k.fclir > front/good.fclir
sed 's|loc("front.apl":3:7)|loc("/etc/passwd":1:1)|' front/k.fclir > front/other.fclir
printf 'one\ntwo x*x\nthree x*x/x\n' > front/front.apl
refused E0340 "$fclc" check front/k.fclir
says '^front.apl:3:7: error'
says '^    three x\*x/x$'
says '^          ^'
refused E0340 "$fclc" check front/other.fclir
grep -q root: err && fail "a program shows a file that is none of its sources"
try "$fclc" compile front/good.fclir
grep -q '^#line 3 "front.apl"' out || fail "no #line of a front end's source"
grep -q '^#line.*good.fclir' out && fail "#line of the module's own text"
try "$fclc" compile front/good.fclir --debug-lines
grep -q '^#line [0-9]* "front/good.fclir"' out || fail "--debug-lines: no #line of the module's own text"
try "$fclc" compile front/good.fclir --debug-lines=never
grep -q '^#line' out && fail "--debug-lines=never: #line"
usage "$fclc" compile front/good.fclir --debug-lines=maybe
try "$fclc" compile one.fclir
grep -q '^#line' out && fail "#line without a front end's positions"
if "$fclc" devices | grep -q '^opencl'; then
    ok '[1, 2, 3]' "$fclc" run front/good.fclir --device=opencl --debug-lines '[1,2,3]'
fi

# ---- whole or not at all: memory that runs out, and files that grow too long, leave what was there ----
mkdir whole
"$opt" one.fclir -o whole/new.fclir
for limit in $(seq 20000 9000 400000); do
    echo old > whole/out
    try "$fclc" compile one.fclir -o whole/out --limit=memory="$limit"
    case $status in
    0) grep -q __kernel whole/out || fail "limit $limit: half an output" ;;
    1) [ "$(cat whole/out)" = old ] && grep -q 'E0901' err || fail "limit $limit: $(head -1 whole/out) $(head -1 err)" ;;
    *) fail "limit $limit: status $status" ;;
    esac
done
[ $status = 0 ] || fail "no limit on memory is enough"
awk 'BEGIN { print "fcl 0.1"; for (i = 0; i < 999; i++) print "fun @f" i "(%x: int) {\n  return %x\n}" }' > long.fclir
echo old > whole/out
refused E0802 bash -c "ulimit -f 4; trap '' XFSZ; '$opt' long.fclir -o whole/out"
[ "$(cat whole/out)" = old ] || fail "a file that could not be written is lost"
[ "$(ls whole)" = "$(printf 'new.fclir\nout')" ] || fail "temporary files are left: $(ls whole)"

finish tools
