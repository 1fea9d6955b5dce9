#!/usr/bin/env bash
# What drivers have compiled, on disk: a second process compiles nothing; damage, several processes at once, folders that cannot be
# used and --no-cache change no result.  Counted, not timed: `fclc run --time` says how often the driver has compiled.
. "$(dirname "$0")/../tools/lib.sh"
has_opencl || { echo "cache: skipped, there is no OpenCL device"; exit 0; }
export POCL_WORK_GROUP_SPECIALIZATION=0 # PoCL compiles a kernel once, for blocks of any size
unset FCL_CACHE XDG_CACHE_HOME
export HOME=$tmp/home
mkdir "$HOME"
file=$here/../../docs/examples/reverse.fclir

# reversed COMPILED FOUND [ENVIRONMENT] [OPTION...]: a process reverses numbers by one kernel; how often it compiled, and found
# what it needs.
device=opencl
reversed()
{
    local compiled=$1 found=$2 environment=()
    shift 2
    while [[ ${1:-} == *=* && ${1:-} != -* ]]; do
        environment+=("$1")
        shift
    done
    ok '[4, 3, 2, 1, 0]' env ${environment[@]+"${environment[@]}"} timeout 300 "$build/bin/fclc" run --time --device=$device \
        --entry=revGrid "$@" "$file" iota:5
    grep -Eq "^ *$compiled +compiled by the driver, $found found on disk" "$tmp/err" ||
        fail "${environment[*]:-} $*: $(tail -1 "$tmp/err"), not $compiled and $found"
}

# Where nothing else is said: in the folder of the user's home.
reversed 1 0
reversed 0 1
[ "$(find "$HOME/.cache/libfcl" -type f | wc -l)" = 1 ] || fail "there are $(ls "$HOME/.cache/libfcl")"
reversed 1 0 -D BlockSize=64 # other code
reversed 0 1 -D BlockSize=64
reversed 0 1
reversed 1 0 --no-cache
[ "$(find "$HOME/.cache/libfcl" -type f | wc -l)" = 2 ] || fail "--no-cache keeps something"

# Elsewhere, or nowhere.
reversed 1 0 XDG_CACHE_HOME="$tmp/xdg"
reversed 0 1 XDG_CACHE_HOME="$tmp/xdg"
kept=$(find "$tmp/xdg/libfcl" -type f)
[ -s "$kept" ] || fail "nothing is in XDG_CACHE_HOME"
reversed 1 0 FCL_CACHE=
reversed 1 0 FCL_CACHE=here
reversed 1 0 FCL_CACHE=/proc/fcl
reversed 0 1 FCL_CACHE="$tmp/xdg/libfcl" HOME=/proc
try env -u HOME "$build/bin/fclc" run --time --device=$device --entry=revGrid "$file" iota:5
says '1 *compiled by the driver, 0 found'
mkdir "$tmp/shared"
chmod 777 "$tmp/shared"
reversed 1 0 FCL_CACHE="$tmp/shared"
[ -z "$(ls "$tmp/shared")" ] || fail "something is kept where everybody may write"
mkdir "$tmp/closed"
chmod 500 "$tmp/closed"
[ "$(id -u)" = 0 ] || { reversed 1 0 FCL_CACHE="$tmp/closed"; reversed 1 0 FCL_CACHE="$tmp/closed"; }

# Damaged files are as none, and replaced.
damage() # COMMAND...: changes the file $kept
{
    "$@"
    reversed 1 0 XDG_CACHE_HOME="$tmp/xdg"
    reversed 0 1 XDG_CACHE_HOME="$tmp/xdg"
}
size=$(stat -c %s "$kept")
damage truncate -s 0 "$kept"
damage truncate -s $((size / 2)) "$kept"
damage truncate -s $((size + 1)) "$kept"
damage cp "$file" "$kept"
damage dd if=/dev/urandom of="$kept" bs=1 seek=$((size / 2)) count=8 conv=notrunc status=none
# With a header that is right, but nothing that a driver knows.
damage $python - "$kept" << 'END'
import hashlib, os, struct, sys
with open(sys.argv[1], "r+b") as f:
    head, junk = f.read(40), os.urandom(3000)
    f.seek(0)
    f.write(head + hashlib.sha256(junk).digest() + struct.pack("=Q", len(junk)) + junk)
    f.truncate()
END

# Four processes at once begin with nothing.
for i in 1 2 3 4; do
    mkdir "$tmp/pocl$i" # PoCL 3.1 loses files that two processes make at once
    env POCL_CACHE_DIR="$tmp/pocl$i" FCL_CACHE="$tmp/together" timeout 300 "$build/bin/fclc" run --device=$device --entry=revGrid \
        "$file" iota:5 > "$tmp/sum$i" 2>&1 &
    children[i]=$!
done
for i in 1 2 3 4; do
    wait "${children[i]}"
    [ "$(cat "$tmp/sum$i")" = '[4, 3, 2, 1, 0]' ] || fail "process $i of four: $(head -3 "$tmp/sum$i")"
done
[ "$(find "$tmp/together" -type f | wc -l)" = 1 ] || fail "four processes leave $(ls "$tmp/together")"
reversed 0 1 FCL_CACHE="$tmp/together"

# Of several kernels each is by itself.
for counts in '3     compiled by the driver, 0' '0     compiled by the driver, 3'; do
    ok '[499500]' env FCL_CACHE="$tmp/several" timeout 300 "$build/bin/fclc" run --time --device=opencl --entry=sum \
        "$here/../../docs/examples/reduce.fclir" iota:1000
    grep -q "$counts found on disk" "$tmp/err" || fail "a sum by three kernels: $(tail -1 "$tmp/err"), not $counts"
done

# Pipelines of Vulkan.  A driver that keeps nothing itself, as lavapipe, compiles each time.
if fclc devices | grep -q '^vulkan'; then
    device=vulkan
    reversed '[1-9]' 0 FCL_CACHE="$tmp/vulkan"
    compiled=$(awk '/compiled by/ {print $1}' "$tmp/err")
    if [ -n "$(ls "$tmp/vulkan" 2> /dev/null)" ]; then
        reversed 0 "$compiled" FCL_CACHE="$tmp/vulkan"
        find "$tmp/vulkan" -type f -exec truncate -s 100 {} +
        reversed "$compiled" 0 FCL_CACHE="$tmp/vulkan"
    else
        reversed "$compiled" 0 FCL_CACHE="$tmp/vulkan"
    fi
fi
finish cache
