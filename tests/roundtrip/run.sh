#!/usr/bin/env bash
# Text to binary to text, and binary to text to binary, change nothing: for every program of the tests and examples, as it is read
# and after each pass and all of them.  Once more without the file's name, through pipes.  Each program goes through a quarter of the
# passes alone, others each time (SEED=N), with FULL=1 through each.
. "$(dirname "$0")/../tools/lib.sh"
seeded

cd "$here/../.." || exit 1
shopt -s globstar nullglob
mapfile -t passes < <(fcl_opt --list-passes | sed -n '/^Of the core:/,/^$/s/^\([a-z][a-z]*\) .*/\1/p')
[ "${#passes[@]}" -ge 3 ] || fail "no passes are listed"
all=$(IFS=,; echo "${passes[*]}")
declare -A alone

# What a file becomes in both forms after these passes, and that both hold the same.  A program that is refused must be refused
# whatever the form is.
round_trip()
{
    local file=$1 flag=${2:+--passes=$2}
    cases=$((cases + 1))
    if ! fcl_opt $flag "$file" -o "$tmp/1.fclir" 2> "$tmp/err"; then
        fcl_opt $flag "$file" -o "$tmp/1.fclb" 2> /dev/null && fail "$file ($2) is refused as a text only"
        return
    fi
    fcl_opt $flag "$file" -o "$tmp/1.fclb" 2> "$tmp/err" || { fail "$file ($2) is not written: $(cat "$tmp/err")"; return; }
    fcl_opt "$tmp/1.fclb" -o "$tmp/2.fclir" 2> "$tmp/err" || { fail "$file ($2) is not read: $(cat "$tmp/err")"; return; }
    cmp -s "$tmp/1.fclir" "$tmp/2.fclir" || fail "$file ($2) changes: $(diff "$tmp/1.fclir" "$tmp/2.fclir" | head -5)"
    fcl_opt --emit=binary - < "$tmp/2.fclir" > "$tmp/2.fclb" 2> "$tmp/err"
    cmp -s "$tmp/1.fclb" "$tmp/2.fclb" || fail "$file ($2) has other bytes after being a text: $(cat "$tmp/err")"
    fcl_opt --emit=binary - < "$tmp/1.fclb" | cmp -s - "$tmp/1.fclb" || fail "$file ($2) has other bytes after being read"
}

for file in tests/**/*.fclir docs/examples/**/*.fclir tests/fcl/**/*.fcl docs/examples/**/*.fcl libfcl/*.fclir; do
    [[ $file != tests/conformance/* ]] || continue # its own suite asks for the same
    fcl_opt "$file" -o /dev/null 2> /dev/null || continue # what is refused anyway, and files with several modules
    round_trip "$file" ""
    for pass in "${passes[@]}"; do
        drawn 4 || continue
        round_trip "$file" "$pass"
        alone[$pass]=1
    done
    round_trip "$file" "$all"
done
[ ${#alone[@]} -eq ${#passes[@]} ] || fail "only the passes ${!alone[*]} were made alone"
[ "$cases" -gt 300 ] || fail "only $cases round trips were made"
finish roundtrip
