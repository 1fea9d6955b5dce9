#!/usr/bin/env bash
# The full text of diagnostics.  Each program here is refused, or warned about, with exactly what
# NAME.golden says: what is printed, then the exit status.  A comment `with: OPTIONS` in the first
# line of a program gives fclc check other options, `run: ARGUMENTS` makes it fclc run.
#
# Lines and columns inside the prelude are left out, so that it may change.
#
# UPDATE=1 writes the golden files.
. "$(dirname "$0")/../tools/lib.sh"

cd "$here" || exit 1
shopt -s globstar nullglob

# The command of a file, from its first line.
command_of()
{
    local line words
    line=$(head -n 1 "$1" | tr -d '\r')
    case $line in
    *"run: "*) read -ra words <<< "${line#*run: }"; command=(fclc run "$1" "${words[@]}") ;;
    *"with: "*) read -ra words <<< "${line#*with: }"; command=(fclc check "${words[@]}" "$1") ;;
    *) command=(fclc check "$1") ;;
    esac
}

for file in **/*.fcl **/*.fclir; do
    golden=${file%.*}.golden
    command_of "$file"
    try "${command[@]}"
    { cat "$tmp/err" "$tmp/out"; echo "status $status"; } |
        sed -E 's/(prelude[a-z.]*):[0-9]+:[0-9]+/\1:LINE:COLUMN/' > "$tmp/all"
    if [ -n "${UPDATE:-}" ]; then
        cp "$tmp/all" "$golden"
    elif [ ! -f "$golden" ]; then
        fail "$file: there is no $golden (UPDATE=1 writes it)"
    elif ! diff -u "$golden" "$tmp/all" > "$tmp/diff"; then
        fail "$file:"
        cat "$tmp/diff"
    fi
done
for golden in **/*.golden; do
    [ -f "${golden%.golden}.fcl" ] || [ -f "${golden%.golden}.fclir" ] ||
        fail "$golden: of no program"
done
finish messages
