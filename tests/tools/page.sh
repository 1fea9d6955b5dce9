#!/bin/bash
# page.sh PAGE [FOLDER]: holds a page to what programs do, with those of the PATH and in the current folder.
#
#   ```console             each `$ COMMAND` prints what stands behind it; `...` stands for anything.  What needs an OpenCL device
#                          is run only where there is one
#   ```sh                  each line succeeds
#   ```sh setup            the same, if SETUP=1 is set
#   <!-- file: NAME -->    the block behind it becomes that file
#   ```fcl, ```python ...  with FOLDER: it stands line for line in a file of that kind there
#
# UPDATE=1 writes what the commands print into the page, where no `...` is.
set -u
page=$1
folder=${2:-}
export FCL_CACHE=
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$(mktemp -d)}
opencl=$(fclc devices | grep -c '^opencl')
checked=0 failed=0 written=""

fail() { # TITLE WANTED GOT
    failed=$((failed + 1))
    printf '%s: %s\n  wanted:\n%s\n  got:\n%s\n' "$page" "$1" "$2" "$3"
}

matches() { # TEXT EXPECTED: equal, where ... stands for anything
    local pattern
    pattern=$(printf '%s' "$2" | sed 's/[][*?\\]/\\&/g; s/\.\.\./*/g')
    # shellcheck disable=SC2053  # the right side is a pattern
    [[ $1 == $pattern ]]
}

snippet() { # KIND TEXT
    local file extension=$1
    [ "$1" != python ] || extension=py
    checked=$((checked + 1))
    while IFS= read -r file; do
        [[ $'\n'$(< "$file")$'\n' == *$'\n'"$2"$'\n'* ]] && return
    done <<< "$(find "$folder/" -name "*.$extension")"
    fail "a snippet that is in no .$extension" "$2" ""
}

# Runs one command of a console block; its output, as it is to stand there, goes to $written.
command_prints() { # COMMAND EXPECTED
    local got=$2
    if [[ ${1,,} != *opencl* && $1 != *run_fcla* && $1 != *host/* ]] || [ "$opencl" -gt 0 ]; then
        checked=$((checked + 1))
        got=$(timeout 60 bash -c "$1" 2>&1)
        if [ -n "${UPDATE:-}" ] && [[ $2 != *...* ]]; then
            written+=${got:+$got$'\n'}
            return
        fi
        matches "$got" "$2" || fail "$1" "$2" "$got"
    fi
    written+=${2:+$2$'\n'}
}

console() { # TEXT: lines `$ command`, each followed by its output
    local line command="" output=""
    while IFS= read -r line; do
        if [[ $line == '$ '* ]]; then
            [ -z "$command" ] || command_prints "$command" "${output%$'\n'}"
            command=${line#'$ '} output=""
            written+=$line$'\n'
        else
            output+=$line$'\n'
        fi
    done <<< "$1"
    command_prints "$command" "${output%$'\n'}"
}

shell() { # TEXT: a command in each line; cd stays
    local line
    while IFS= read -r line; do
        if [[ $line != *opencl* ]] || [ "$opencl" -gt 0 ]; then
            checked=$((checked + 1))
            eval "$line" > /dev/null || fail "$line" "success" "status $?"
        fi
    done <<< "$1"
}

block() { # KIND TEXT: goes to $written
    case $1 in
    console) console "$2" && return ;;
    sh) shell "$2" ;;
    "sh setup") [ -z "${SETUP:-}" ] || shell "$2" ;;
    fcl | fclir | tally | python | c) [ -z "$folder" ] || snippet "$1" "$2" ;;
    esac
    written+=$2$'\n'
}

read_page() {
    local line kind="" text="" inside="" name=""
    while IFS= read -r line; do
        if [ -n "$inside" ] && [ "$line" = '```' ]; then
            [ -z "$name" ] || printf '%s' "$text" > "$name"
            block "$kind" "${text%$'\n'}"
            name=""
            written+=$line$'\n' inside=""
        elif [ -n "$inside" ]; then
            text+=$line$'\n'
        else
            [[ $line != '<!-- file: '* ]] || { name=${line#'<!-- file: '}; name=${name%' -->'}; }
            [[ $line != '```'* ]] || { kind=${line#'```'} text="" inside=1; }
            written+=$line$'\n'
        fi
    done
}

read_page <<< "$(zcat -f "$page")" # no <(...), which wants /proc
[ -z "${UPDATE:-}" ] || printf '%s' "$written" > "$page"
echo "$page: $checked checked, $failed wrong"
[ "$checked" -gt 0 ] && [ "$failed" -eq 0 ]
