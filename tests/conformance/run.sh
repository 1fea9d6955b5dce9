#!/usr/bin/env bash
# The conformance suite that is installed with the library: what stands in suite/ is what generate.py makes of the cases, libfcl
# and the second reader and writer (docs/examples/fclfile) agree with it, and a reader that does not is found out.
# `run.sh update` writes suite/ anew; read the diff.
. "$(dirname "$0")/../tools/lib.sh"
cd "$here/../.." || exit 1
if [[ $build == *san ]]; then
    echo "conformance: skipped: Python cannot load a library with sanitizers"
    exit 0
fi
suite=tests/conformance/suite
export PYTHONPATH=docs/examples:tests/format:tests/conformance PYTHONDONTWRITEBYTECODE=1 BUILD=$build

BUILD=$build "$python" tests/conformance/generate.py "$tmp/suite" > "$tmp/out" 2>&1 || { tail -20 "$tmp/out"; exit 1; }
if [ "${1:-}" = update ]; then
    find $suite -mindepth 1 -maxdepth 1 ! -name README.md ! -name conform.py -exec rm -r {} +
    cp -R "$tmp/suite/." $suite
    exit
fi
cp $suite/README.md $suite/conform.py "$tmp/suite"
diff -rq "$tmp/suite" $suite > "$tmp/diff" || fail "the suite is not what the cases say (tests/conformance/run.sh update): $(head -5 "$tmp/diff")"

# holds COMMAND...: the arguments of conform.py, whose differences are failures.
holds()
{
    "$python" $suite/conform.py "$@" > "$tmp/out" 2>&1 || fail "$(tail -20 "$tmp/out")"
    ! grep 'not told' "$tmp/out" || fail "libfcl does not tell hashes"
    cases=$((cases + $(sed -n 's/^\([0-9]*\) cases, .*/\1/p' "$tmp/out")))
}

opt=$build/bin/fcl-opt
fclc=$build/bin/fclc
holds --codes --versions --text --read="$opt {in} -o {out}" --hash="$opt {in} --emit=hash" --check="$fclc check {in}" \
    --artifact="$fclc compile {in} -o {out}" --run="$fclc run {in} --entry={entry} --all -- {arguments}"
"$python" tests/conformance/second.py $suite > "$tmp/out" 2>&1 || fail "$(tail -20 "$tmp/out")"
cases=$((cases + $(sed -n 's/^\([0-9]*\) cases, .*/\1/p' "$tmp/out")))

# Who reads everything, nothing, or dies, and who writes something else, is told so.
differs()
{
    local wanted=$1
    shift
    "$python" $suite/conform.py "$@" > "$tmp/out" 2>&1 && fail "conform.py finds nothing wrong with $*"
    grep -q -- "$wanted" "$tmp/out" || fail "conform.py does not say '$wanted' of $*: $(head -3 "$tmp/out")"
    cases=$((cases + 1))
}
differs 'it is accepted' --rule=frame --read='cp {in} {out}'
differs 'what is written differs' --rule=encodings --read='cp {in} {out}'
differs 'it is refused' --rule=words --read=false
differs 'ends with status -' --rule=words --read="sh -c 'kill -SEGV \$\$'"
differs 'no E01' --rule=words --codes --read="sh -c '$opt {in} -o {out} 2> /dev/null'"
differs 'the hash is not' --rule=imports --read="$opt {in} -o {out}" --hash='echo {in}'
differs 'map\|reverse' --rule=meaning --read="$opt {in} -o {out}" --run='echo {entry} {arguments}'
[ "$("$python" $suite/conform.py --list --version=0.1 | wc -l)" -lt "$("$python" $suite/conform.py --list | wc -l)" ] || fail "--version leaves nothing out"
try "$python" $suite/conform.py
[ $status -eq 2 ] || fail "conform.py without a command: status $status"
finish conformance
