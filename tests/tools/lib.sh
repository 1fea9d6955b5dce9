# What the tests of the programs share.  $build is where the programs are, $tmp an empty directory
# that goes away.  PoCL keeps the kernels that it built there, or in POCL_CACHE_DIR.
set -u
build=${BUILD:-$(dirname "$0")/../../build}
build=$(cd "$build" && pwd) || exit 1
here=$(cd "$(dirname "$0")" && pwd)
for program in bin/fclc bin/fcl-opt tests/driver; do
    [ -x "$build/$program" ] || { echo "there is no $build/$program: make tests"; exit 1; }
done
[ ! "$build/lib/libfcl.a" -nt "$build/tests/driver" ] ||
    { echo "$build/tests/driver is older than the library: make tests"; exit 1; }
tmp=$(mktemp -d)
trap leave EXIT
export FCL_CACHE= # nothing of the user's is read or written: tests/cache has folders of its own
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$tmp/pocl}
mkdir -p "$POCL_CACHE_DIR"
python=/usr/bin/python3 # others may lack packages, or be slow to start
[ -x $python ] || python=python3
failures=0
cases=0
. "${BASH_SOURCE[0]%/*}/../driver/driver.sh"

# At the end, whatever it is; the process that ran commands must end well, so that sanitizers are
# heard too.
leave()
{
    local status=$?
    driver_stop || fail "the process that ran the commands ends with status $?"
    rm -rf "$tmp"
    exit $((status ? status : failures != 0))
}

# has_opencl: the machine has a device; has_simulator: it has oclgrind.  With GOLDENS=1 neither is
# to be used.
has_opencl()
{
    [ -z "${GOLDENS:-}" ] && fclc devices > "$tmp/devices" && grep -q '^opencl' "$tmp/devices"
}

has_simulator()
{
    [ -z "${GOLDENS:-}" ] && command -v oclgrind > /dev/null
}

# has_cpu: there is a C compiler for the cores.
has_cpu()
{
    [ -z "${GOLDENS:-}" ] && fclc devices > "$tmp/devices" && grep -q '^cpu' "$tmp/devices"
}

# seeded: what takes, drawn and some draw goes by SEED, which is printed and repeats it.
seeded()
{
    [ -n "${SEED:-}" ] || SEED=$((RANDOM * 32768 + RANDOM))
    export SEED
    RANDOM=$SEED
    echo "${here##*/}: SEED=$SEED"
}

# drawn N: true for one of N on average; with FULL=1 always.
drawn()
{
    [ -n "${FULL:-}" ] || [ $((RANDOM % $1)) -eq 0 ]
}

# some N: one of N of the lines on standard input, rounded up, each as likely as the others; with FULL=1 all.
some()
{
    if [ -n "${FULL:-}" ]; then cat; return; fi
    awk -v seed="$SEED" -v of="$1" '{ line[NR] = $0; mixed = (31 * mixed + length($0)) % 1000003 }
        END { srand(seed + mixed); left = int((NR + of - 1) / of)
              for (i = 1; i <= NR; i++) if (rand() * (NR - i + 1) < left) { print line[i]; left-- } }'
}

# every_device [SAMPLE...]: what runs on several devices takes those of DEVICES; left out, the evaluator, OpenCL
# if there is a device, and the cores.  Where nobody asked for these OpenCL gets one run of two and the cores, with less
# optimisation, one of twelve, other ones each time, since each run calls a compiler; FULL=1: all.
# SAMPLE is DEVICE:N for one run of N.
every_device()
{
    [ -n "${FULL:-}" ] || seeded
    if [ -z "${DEVICES:-}" ]; then
        DEVICES=interp
        if has_opencl; then DEVICES="$DEVICES opencl"; fi
        if has_cpu; then DEVICES="$DEVICES cpu"; fi
        if [ -z "${FULL:-}" ]; then
            export SAMPLED="$* opencl:2 cpu:12" FCL_CPU_FLAGS=${FCL_CPU_FLAGS--O1}
        fi
    fi
    export DEVICES
}

# takes DEVICE: whether it is to run what is next.
takes()
{
    local sample
    for sample in ${SAMPLED:-}; do
        [ "${sample%:*}" != "$1" ] || return $((RANDOM % ${sample##*:} != 0))
    done
}

fail()
{
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# Runs a command; $status, $tmp/out and $tmp/err are what came of it.
try()
{
    cases=$((cases + 1))
    "$@" > "$tmp/out" 2> "$tmp/err" < /dev/null
    status=$?
}

# ok EXPECTED COMMAND...: succeeds and prints exactly that.
ok()
{
    local expected=$1
    shift
    try "$@"
    if [ $status -ne 0 ]; then
        fail "$* : status $status: $(head -3 "$tmp/err")"
    elif [ "$(cat "$tmp/out")" != "$expected" ]; then
        fail "$* : printed '$(head -c 300 "$tmp/out")', not '$expected'"
    fi
}

# refused CODE COMMAND...: status 1, the code on standard error, nothing on standard output.
refused()
{
    local code=$1
    shift
    try "$@"
    [ $status -eq 1 ] || fail "$* : status $status, not 1: $(head -3 "$tmp/err")"
    grep -q "error\[$code\]" "$tmp/err" || fail "$* : no $code: $(head -3 "$tmp/err")"
    [ ! -s "$tmp/out" ] || fail "$* : printed $(head -c 300 "$tmp/out")"
}

# usage COMMAND...: status 2 and where to find help.
usage()
{
    try "$@"
    [ $status -eq 2 ] || fail "$* : status $status, not 2"
    grep -q '^try .* --help' "$tmp/err" || fail "$* : does not point to --help: $(head -3 "$tmp/err")"
}

# says PATTERN: what the last command wrote to standard error.
says()
{
    grep -q -- "$1" "$tmp/err" || fail "no '$1' in: $(head -5 "$tmp/err")"
}

finish()
{
    driver_stop || fail "the process that ran the commands ends with status $?"
    [ $failures -eq 0 ] && echo "$1: ok ($cases cases)"
    exit $((failures != 0))
}
