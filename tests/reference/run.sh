#!/usr/bin/env bash
# docs/reference.md is what page.py makes of the tables, of the programs in docs/reference and of what these give; `run.sh update`
# writes it.  Devices give the same: OpenCL one of three of these programs, the cores one of two, others each time (SEED=N), with FULL=1 all.
. "$(dirname "$0")/../tools/lib.sh"
every_device opencl:3 cpu:2
cd "$here/../.." || exit 1
${CC:-cc} -std=c11 -I. "$here/tables.c" -o "$tmp/tables" || exit 1
"$tmp/tables" > "$tmp/rows"
"$python" "$here/page.py" "$tmp/rows" "$build/bin/fclc" > "$tmp/page" || exit 1
if [ "${1:-}" = update ]; then
    cp "$tmp/page" docs/reference.md
    exit
fi
cases=$((cases + 1))
cmp -s "$tmp/page" docs/reference.md ||
    fail "docs/reference.md is not what the tables and programs say: tests/reference/run.sh update: $(diff docs/reference.md "$tmp/page" | head)"

while read -r entry file; do
    arguments=$(sed -n "/^\/\/ ## $entry\$/,/^kernel/s/^\/\/ run: *//p" "$file")
    read -ra args <<< "$arguments"
    [[ $file == *-output.fclir ]] && continue # it prints beside the results
    expected=$(fclc run "$file" --entry="$entry" -- "${args[@]}")
    for device in ${DEVICES#interp}; do
        takes "$device" || continue
        ok "$expected" fclc run "$file" --device="$device" --entry="$entry" -- "${args[@]}"
    done
done < <(sed -n 's/^kernel @\([a-z]*\)(.*/\1/p;' docs/reference/*.fclir | while read -r name; do
    echo "$name $(grep -l "^kernel @$name(" docs/reference/*.fclir)"
done)
finish reference
