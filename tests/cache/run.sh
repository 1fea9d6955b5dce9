#!/usr/bin/env bash
# What has been compiled, on disk: a second process compiles nothing; damage, several processes at once, folders that cannot be
# used and --no-cache change no result.  For each program there are its code with its plan, and what the driver has made of it.
# Counted, not timed: `fclc run --time` says how often the driver has compiled.
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
[ "$(find "$HOME/.cache/libfcl" -type f | wc -l)" = 2 ] || fail "there are $(ls "$HOME/.cache/libfcl")"
reversed 1 0 -D BlockSize=64 # other code
reversed 0 1 -D BlockSize=64
reversed 0 1
reversed 1 0 --no-cache
[ "$(find "$HOME/.cache/libfcl" -type f | wc -l)" = 4 ] || fail "--no-cache keeps something"

# Elsewhere, or nowhere.
reversed 1 0 XDG_CACHE_HOME="$tmp/xdg"
reversed 0 1 XDG_CACHE_HOME="$tmp/xdg"
[ "$(find "$tmp/xdg/libfcl" -type f -size +0 | wc -l)" = 2 ] || fail "nothing is in XDG_CACHE_HOME"
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

# Damaged files are as none, and replaced.  Where code is made again, the driver's binary of it is still there.
damage() # COMMAND...: changes the file $kept
{
    "$@"
    reversed "$again" $((1 - again)) XDG_CACHE_HOME="$tmp/xdg"
    reversed 0 1 XDG_CACHE_HOME="$tmp/xdg"
}

for kept in "$tmp"/xdg/libfcl/*; do
    again=1
    ! grep -q opencl-c "$kept" || again=0
    size=$(stat -c %s "$kept")
    damage truncate -s 0 "$kept"
    damage truncate -s $((size / 2)) "$kept"
    damage truncate -s $((size + 1)) "$kept"
    damage cp "$file" "$kept"
    damage dd if=/dev/urandom of="$kept" bs=1 seek=$((size / 2)) count=8 conv=notrunc status=none
    # With a header that is right, but nothing that anybody knows.
    damage $python - "$kept" << 'END'
import hashlib, os, struct, sys
with open(sys.argv[1], "r+b") as f:
    head, junk = f.read(40), os.urandom(3000)
    f.seek(0)
    f.write(head + hashlib.sha256(junk).digest() + struct.pack("=Q", len(junk)) + junk)
    f.truncate()
END
done

# Another place in a file is another program, as its checks name it; so are other options.
programs() # N: how many have been kept in $tmp/places
{
    [ "$(grep -l opencl-c "$tmp"/places/* | wc -l)" = "$1" ] || fail "there are $(ls "$tmp/places") for $1 programs"
}

wrong() # FILE LINE: twice
{
    for _ in 1 2; do
        try env FCL_CACHE="$tmp/places" "$build/bin/fclc" run --device=opencl --entry=at "$1" '[1,2]' 5
        { [ "$status" = 1 ] && grep -q "^$1:$2:[0-9]*: error\[E0701\]" "$tmp/err" && grep -q HERE "$tmp/err"; } ||
            fail "a program that is kept says $(head -3 "$tmp/err")"
    done
}

cat > "$tmp/at.fclir" << 'END'
fcl 0.1
kernel @at(%xs: [int], %k: int) -> [int]<grid> {
  %ys = generate 3 { (%i: int)
    %j = add %i, %k
    %y = index %xs, %j // HERE
    yield %y
  }
  %p = push<grid> %ys
  return %p
}
END
{ head -1 "$tmp/at.fclir"; echo; sed 1d "$tmp/at.fclir"; } > "$tmp/below.fclir"
wrong "$tmp/at.fclir" 5
wrong "$tmp/below.fclir" 6
programs 2
ok '[1, 2, 3]' env FCL_CACHE="$tmp/places" "$build/bin/fclc" run --device=opencl --checks=all --entry=at "$tmp/at.fclir" '[1,2,3]' 0
programs 3

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
[ "$(find "$tmp/together" -type f | wc -l)" = 2 ] || fail "four processes leave $(ls "$tmp/together")"
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
    if [ "$(find "$tmp/vulkan" -type f | wc -l)" -gt 1 ]; then
        reversed 0 "$compiled" FCL_CACHE="$tmp/vulkan"
        find "$tmp/vulkan" -type f -exec truncate -s 100 {} +
        reversed "$compiled" 0 FCL_CACHE="$tmp/vulkan"
    else
        reversed "$compiled" 0 FCL_CACHE="$tmp/vulkan"
    fi
fi
# The C compiler's libraries.
if fclc devices | grep -q '^cpu' && [ "$(uname -m)" = x86_64 ]; then
    device=cpu
    reversed 1 0 FCL_CACHE="$tmp/cpu"
    reversed 0 1 FCL_CACHE="$tmp/cpu"
    reversed 1 0 FCL_CACHE="$tmp/cpu" FCL_CPU_FLAGS=-O1
    find "$tmp/cpu" -type f -exec truncate -s 100 {} +
    reversed 1 0 FCL_CACHE="$tmp/cpu"
    reversed 0 1 FCL_CACHE="$tmp/cpu"
fi
finish cache
