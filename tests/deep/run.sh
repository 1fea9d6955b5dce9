#!/usr/bin/env bash
# No input is too deep: programs of generate.py, each of a few sizes up to a million, are taken or refused with a
# diagnostic, within a small stack, 2 GB of memory and a time that grows with their size alone.  CASES="..." runs some; each
# has one of its sizes, drawn (SEED=N repeats that), with FULL=1 all.
. "$(dirname "$0")/../tools/lib.sh"
cd "$tmp" || exit 1
seeded
[ -n "${SAN:-}" ] || ulimit -v 4000000
[ -n "${SAN:-}" ] || ulimit -s 8192

# Sizes by what is done: whole programs are written for compiling, brackets only for reading.
sizes() {
    case $1 in
    check) echo 90 1000 1000000 ;;
    *) echo 350 1980 5000 ;;
    esac
}

"$python" "$here/generate.py" > cases || exit 1
coproc GENERATOR { exec "$python" "$here/generate.py" --serve; }

# written NAME N FILE
written()
{
    local answer
    echo "$@" >&"${GENERATOR[1]}"
    read -r answer <&"${GENERATOR[0]}" && [ "$answer" = written ]
}

# Seconds of the processor for each program, which has a process of its own, so that neither the programs before it nor
# other work on the machine count.  What takes the square of its size would take hours.  What hangs is ended all the same.
[ -n "${SAN:-}" ] || ulimit -t 60
LIMIT=${SAN:+20}
LIMIT=${LIMIT:-300}
while read -r name command extension; do
    [ -z "${CASES:-}" ] || [[ " $CASES " = *" $name "* ]] || continue
    read -ra all <<< "$(sizes "$command")"
    [ -n "${FULL:-}" ] || all=("${all[RANDOM % ${#all[@]}]}")
    for n in "${all[@]}"; do
        [ -s "$name.too_long" ] && break
        written "$name" "$n" "deep.$extension" || fail "$name $n: not written"
        args=()
        [ "$command" = compile ] && args=(-o out.cl)
        [ "$command" = run ] && args=('[1,2,3]')
        driver_stop || fail "$name $n: the process before it ends with status $?"
        try fclc "$command" "deep.$extension" "${args[@]}"
        case $status in
        0) ;;
        1) grep -q 'error\[E[0-9]*\]' err || fail "$name $n: no diagnostic"
           grep -q 'error\[E0507\]' err && fail "$name $n: $(head -c 300 err)" ;;
        124 | 137 | 139 | 152) fail "$name $n: too slow, or crashed: $(head -c 300 err)"; echo x > "$name.too_long" ;;
        *) fail "$name $n: status $status: $(head -c 300 err)" ;;
        esac
        [ -z "${VERBOSE:-}" ] || echo "$name $n: $status $(head -1 err | cut -c1-100)"
    done
done < cases
finish deep
