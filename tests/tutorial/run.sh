#!/bin/bash
# Holds docs/tutorial.md to what the programs do: its ```fcl blocks occur in docs/examples/tutorial, its ```console blocks
# are what the commands print (`...` stands for anything; opencl only where there is a device), and the tutorial's programs
# pass fclc check, but for those in refused/.  UPDATE=1 writes what the commands print into the tutorial, where no `...` is.
set -u
cd "$(dirname "$0")/../.." || exit 1
tutorial=docs/tutorial.md
programs=docs/examples/tutorial
bin=$(cd "${BUILD:-build}/bin" && pwd) || exit 1
export PATH=$bin:$PATH
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$(mktemp -d)}
opencl=$(fclc devices | grep -c '^opencl')
checked=0 failed=0 page=""

fail() { # TITLE WANTED GOT
    failed=$((failed + 1))
    printf '%s\n  wanted:\n%s\n  got:\n%s\n' "$1" "$2" "$3"
}

matches() { # TEXT EXPECTED: equal, where ... stands for anything
    local pattern
    pattern=$(printf '%s' "$2" | sed 's/[][*?\\]/\\&/g; s/\.\.\./*/g')
    # shellcheck disable=SC2053  # the right side is a pattern
    [[ $1 == $pattern ]]
}

# ---- the programs ----

check_programs() {
    local file out
    for file in "$programs"/*.fcl; do
        checked=$((checked + 1))
        out=$(fclc check "$file" 2>&1) || fail "fclc check $file" "its signatures" "$out"
    done
    for file in "$programs"/refused/*.fcl; do
        checked=$((checked + 1))
        out=$(fclc check "$file" 2>&1) && fail "fclc check $file" "a refusal" "$out"
    done
}

# ---- the blocks of the tutorial ----

snippet() { # TEXT: it stands, line for line, in one of the programs
    local file
    checked=$((checked + 1))
    for file in "$programs"/*.fcl "$programs"/refused/*.fcl; do
        [[ $'\n'$(< "$file")$'\n' == *$'\n'"$1"$'\n'* ]] && return
    done
    fail "a snippet that is in no program" "$1" ""
}

# Runs one command of a console block; its output, as it is to stand there, goes to $page.
command_prints() { # COMMAND EXPECTED
    local got=$2
    if [[ $1 != *opencl* ]] || [ "$opencl" -gt 0 ]; then
        checked=$((checked + 1))
        got=$(timeout 60 bash -c "$1" 2>&1)
        if [ -n "${UPDATE:-}" ] && [[ $2 != *...* ]]; then
            page+=${got:+$got$'\n'}
            return
        fi
        matches "$got" "$2" || fail "$1" "$2" "$got"
    fi
    page+=${2:+$2$'\n'}
}

console() { # TEXT: lines `$ command`, each followed by its output
    local line command="" output=""
    while IFS= read -r line; do
        if [[ $line == '$ '* ]]; then
            [ -z "$command" ] || command_prints "$command" "${output%$'\n'}"
            command=${line#'$ '} output=""
            page+=$line$'\n'
        else
            output+=$line$'\n'
        fi
    done <<< "$1"
    command_prints "$command" "${output%$'\n'}"
}

read_tutorial() {
    local line kind="" text=""
    while IFS= read -r line; do
        case $kind$line in
        '```'*) kind="${line#'```'}:" text="" page+=$line$'\n' ;;
        'fcl:```') snippet "${text%$'\n'}" && page+=$text$line$'\n' && kind="" ;;
        'console:```') console "${text%$'\n'}" && page+=$line$'\n' && kind="" ;;
        *':```') page+=$text$line$'\n' kind="" ;;
        *) if [ -n "$kind" ]; then text+=$line$'\n'; else page+=$line$'\n'; fi ;;
        esac
    done < "$tutorial"
}

check_programs
read_tutorial
[ -z "${UPDATE:-}" ] || printf '%s' "$page" > "$tutorial"
echo "tutorial: $checked checked, $failed wrong"
[ "$checked" -gt 0 ] && [ "$failed" -eq 0 ]
