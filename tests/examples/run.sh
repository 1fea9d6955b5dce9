#!/bin/sh
# The examples of docs/examples, as a reader would run them: the C front end checks its own result on every device; the
# modules run where "// run:" says, and must print the same on every device.
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}

for args in "0 4" "1 4" "10 3" "1000 64" "4096 256"; do
    # shellcheck disable=SC2086  # two words
    "$build/bin/build_reverse" $args > /dev/null
done

for file in docs/examples/*.fclir; do
    sed -n 's|^// run: ||p' "$file" | while read -r args; do
        # shellcheck disable=SC2086  # the arguments are words
        here=$("$build/bin/fclc" run "$file" --device=interp $args)
        # shellcheck disable=SC2086
        there=$("$build/bin/fclc" run "$file" --device=auto $args)
        [ -n "$here" ] && [ "$here" = "$there" ] || { echo "$file $args: $here, $there"; exit 1; }
    done
done
echo "examples: ok"
