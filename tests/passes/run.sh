#!/bin/bash
# Kernel passes, each by itself: what they make of a program, as golden files, and whether that computes the same.  The lines of
# the modules here say what is done with them:
#
#   // golden: NAME OPTION...    the kernel program under these options is that in NAME.golden; UPDATE=1 writes the file
#   // ptx: TEXT OPTION...       occurs in what clang makes of the emitted code for NVIDIA's devices
#   // lengths: ARG...           runs at many lengths N with several block sizes: as on the evaluator
#   // once: ARG...              the same, where no N is in the arguments
#
# GOLDENS=1 takes only what is emitted; FULL=1 takes all lengths from 0 to 40; SEED=N repeats a selection; FILTER=PATTERN takes only lines that contain it.
. "$(dirname "$0")/../tools/lib.sh"
clang=${CLANG:-clang-15}
seed=${SEED:-$RANDOM}
RANDOM=$seed
simulator=$(command -v oclgrind)
has_opencl || { echo "passes: only what is emitted is tested"; no_device=1; }

# Values are numbered as they appear, so that a pass that adds or drops some elsewhere changes nothing.
renumbered()
{
    awk '{
        line = ""
        while (match($0, /%[0-9]+/)) {
            name = substr($0, RSTART, RLENGTH)
            if (!(name in number))
                number[name] = ++count
            line = line substr($0, 1, RSTART) number[name]
            $0 = substr($0, RSTART + RLENGTH)
        }
        print line $0
    }'
}

golden()
{
    local file=$1 name=$2
    shift 2
    cases=$((cases + 1))
    if ! fcl_opt --emit=kernel "$file" "$@" > "$tmp/raw"; then
        fail "$name: does not compile"
        return
    fi
    renumbered < "$tmp/raw" > "$tmp/ir"
    if [ -n "${UPDATE:-}" ]; then
        cp "$tmp/ir" "$here/$name.golden"
    elif ! diff "$here/$name.golden" "$tmp/ir" > "$tmp/diff"; then
        fail "$name is not as in $name.golden (UPDATE=1 rewrites it): $(head -20 "$tmp/diff")"
    fi
}

ptx()
{
    local file=$1 text=$2
    shift 2
    command -v "$clang" > /dev/null || return
    cases=$((cases + 1))
    rm -f "$tmp/code.ptx"
    fclc compile "$file" "$@" -o "$tmp/code.cl" && "$clang" -x cl -cl-std=CL1.2 -target nvptx64-nvidia-nvcl -O3 -S \
        -Xclang -finclude-default-header -o "$tmp/code.ptx" "$tmp/code.cl" && grep -q -F "$text" "$tmp/code.ptx" ||
        fail "$*: no $text in the PTX"
}

# same BLOCK FILE ARG...: the device agrees with the evaluator.
same()
{
    local block=$1 file=$2
    shift 2
    cases=$((cases + 1))
    fclc run --all "$file" --device=interp -D BlockSize="$block" "$@" > "$tmp/expected" 2>&1 || fail "interp: $*: $(cat "$tmp/expected")"
    fclc run --all "$file" --device=opencl -D BlockSize="$block" "$@" > "$tmp/got" 2>&1 || fail "opencl -D BlockSize=$block $*: $(head -c 300 "$tmp/got")"
    cmp -s "$tmp/expected" "$tmp/got" || fail "-D BlockSize=$block $*: $(head -c 300 "$tmp/got"), not $(head -c 300 "$tmp/expected")"
}

# The simulator has nothing to say.
grind()
{
    [ -n "$simulator" ] || return
    rm -f "$tmp/log"
    simulated run --all "$2" --device=opencl -D BlockSize="$1" "${@:3}" > "$tmp/got" || fail "oclgrind: -D BlockSize=$1 ${*:3}"
    [ ! -s "$tmp/log" ] || fail "oclgrind: -D BlockSize=$1 ${*:3}: $(head -c 1500 "$tmp/log")"
}

lengths()
{
    if [ -n "${FULL:-}" ]; then
        seq 0 40
    else
        echo 0 $((RANDOM % 4 + 1)) $((RANDOM % 16)) $((RANDOM % 40)) $((RANDOM % 10 * 4)) $((RANDOM % 60 + 60))
    fi
}

sizes=(1 3 4 32)
for file in "$here"/*.fclir; do
    while read -r name options; do
        case "$name $options" in *"${FILTER:-}"*) ;; *) continue ;; esac
        # shellcheck disable=SC2086  # the options are words
        golden "$file" "$name" $options
    done < <(sed -n 's|^// golden: ||p' "$file")
    while read -r text options; do
        case "$text $options" in *"${FILTER:-}"*) ;; *) continue ;; esac
        # shellcheck disable=SC2086
        ptx "$file" "$text" $options
    done < <(sed -n 's|^// ptx: ||p' "$file")
    [ -z "${UPDATE:-}${no_device:-}" ] || continue
    while read -r kind args; do
        case $args in *"${FILTER:-}"*) ;; *) continue ;; esac
        first=$RANDOM second=$((first + 1 + RANDOM % 3)) # a driver compiles for each size
        all=$([ "$kind" = once: ] && echo 0 || lengths)
        for n in $all; do
            size=${sizes[(RANDOM % 2 ? first : second) % 4]}
            # shellcheck disable=SC2086
            same $size "$file" ${args//N/$n}
        done
        # shellcheck disable=SC2086
        grind 4 "$file" ${args//N/38}
    done < <(sed -n 's#^// \(lengths:\|once:\)#\1#p' "$file")
done
[ $failures -eq 0 ] || echo "passes: SEED=$seed"
finish passes
