#!/usr/bin/env bash
# Passes over the core that rewrite it: what they make of a module, as golden files, and whether that computes the same.  A line
#
#   // golden: NAME PASSES
#
# of a module here says that NAME.golden is what fcl-opt makes of it by these passes; UPDATE=1 writes the file.  The example
# programs are run after all of them on the evaluator, and compared with what tests/programs knows.
. "$(dirname "$0")/../tools/lib.sh"

for file in "$here"/*.fclir; do
    while read -r name passes; do
        cases=$((cases + 1))
        "$build/bin/fcl-opt" --passes="$passes" "$file" > "$tmp/out" 2> "$tmp/err" || { fail "$name: $(head -5 "$tmp/err")"; continue; }
        "$build/bin/fclc" check "$tmp/out" 2> "$tmp/err" || fail "$name is refused afterwards: $(head -5 "$tmp/err")"
        if [ -n "${UPDATE:-}" ]; then
            cp "$tmp/out" "$here/$name.golden"
        elif ! diff "$here/$name.golden" "$tmp/out" > "$tmp/diff"; then
            fail "$name is not as in $name.golden (UPDATE=1 rewrites it): $(head -20 "$tmp/diff")"
        fi
    done < <(sed -n 's|^// golden: ||p' "$file")
    while read -r args; do
        # shellcheck disable=SC2086  # the arguments are words
        expected=$("$build/bin/fclc" run --all "$file" $args 2>&1)
        "$build/bin/fcl-opt" --passes=inline,fold,cse,dce "$file" -o "$tmp/after.fclir"
        # shellcheck disable=SC2086
        ok "$expected" "$build/bin/fclc" run --all "$tmp/after.fclir" $args
    done < <(sed -n 's|^// run: ||p' "$file")
done
for passes in inline fold,cse inline,fold,cse,dce; do
    cases=$((cases + 1))
    DEVICES=interp PASSES=$passes QUICK=1 "$here/../programs/run.sh" > "$tmp/programs" || fail "after $passes: $(tail -5 "$tmp/programs")"
done
finish rewrite
