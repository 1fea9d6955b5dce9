#!/usr/bin/env bash
# seeds.sh OUT [SEED N]: the inputs that fuzzing starts from, a folder for each target: the small programs of the repository, random
# ones with levels and without, what tests/fuzz/corpus keeps, and what once crashed.  Programs of files with several modules become a seed each.
# With N only one of N of the programs, drawn by SEED: a process for each of them takes longer than what is done with them.
set -eu
out=$1
bin=${BUILD:-build}
cd "$(dirname "$0")/../.."
shopt -s nullglob globstar
most=6000 # bytes: short inputs are run more often

# A seed's name is its content's, so that the same program is there once.
add() { # TARGET FILE
    [ "$(wc -c < "$2")" -le $most ] || return 0
    cp "$2" "$out.new/$1/$(sha1sum < "$2" | cut -c1-16)"
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
rm -rf "$out.new"
for file in tests/**/*.fclir docs/**/*.fclir; do
    csplit -s -z -f "$tmp/$(echo "$file" | tr / _)." "$file" '/^\/\/ -----/' '{*}'
done
if [ -x "$bin/tests/random" ]; then
    "$bin/tests/random" --seed=1 --count=70 --size=12 --settings=0 --emit="$tmp.random" > "$tmp.log"
    mv "$tmp.random"/*.fclir "$tmp"
    rm -r "$tmp.random" "$tmp.log"
fi
ls "$tmp" | awk -v seed="${2:-1}" -v of="${3:-1}" 'BEGIN { srand(seed) } rand() * of >= 1' | (cd "$tmp" && xargs -r -d '\n' rm)
for part in "$tmp"/*; do
    grep -q '^fcl 0' "$part" || sed -i '1i fcl 0.1' "$part"
done

"$bin/fuzz/files" -l | while read -r target extension; do
    mkdir -p "$out.new/$target"
    case $extension in
    fclir) for file in "$tmp"/*; do add "$target" "$file"; done ;;
    fcl) for file in tests/**/*.fcl docs/**/*.fcl; do add "$target" "$file"; done ;;
    fclb)
        for file in "$tmp"/*; do
            "$bin/bin/fcl-opt" --emit=binary -o "$tmp.fclb" "$file" 2> /dev/null && add "$target" "$tmp.fclb"
        done
        rm -f "$tmp.fclb"
        ;;
    fcla)
        for file in "$tmp"/*; do
            "$bin/bin/fclc" compile -o "$tmp.fcla" "$file" 2> /dev/null && add "$target" "$tmp.fcla"
        done
        rm -f "$tmp.fcla"
        ;;
    kir)
        for file in tests/kernelir/*.kir tests/kernelir/*/*.{kir,golden}; do add "$target" "$file"; done
        for file in "$tmp"/*; do # as it is emitted, where it has one kernel
            "$bin/bin/fcl-opt" --emit=kernel -o "$tmp.kir" "$file" 2> /dev/null &&
                "$bin/bin/fcl-opt" --from=kernel -o "$tmp.kir" "$tmp.kir" 2> /dev/null &&
                add "$target" "$tmp.kir"
        done
        rm -f "$tmp.kir"
        ;;
    esac
    for file in tests/fuzz/corpus/"$target"/* tests/fuzz/crashes/"$target"/*; do add "$target" "$file"; done
done
rm -rf "$out"
mv "$out.new" "$out"
