#!/usr/bin/env bash
# Programs that must be refused, each with its code, line and column beside the mistake (`//! E0302 @12`), and programs
# that must be accepted.
. "$(dirname "$0")/../tools/lib.sh"

cd "$here/../.." || exit 1
shopt -s globstar nullglob
for file in tests/refused/**/*.fclir; do
    case $file in
    tests/refused/lower/*) form=kernel ;; # what only the lowering refuses
    *) form=text ;;
    esac
    try fcl_opt --emit=$form --split-input-file --verify-diagnostics "$file"
    [ $status -eq 0 ] || fail "$file: $(cat "$tmp/err")"
done
for file in tests/accepted/*.fclir; do
    try fclc check "$file"
    [ $status -eq 0 ] || fail "$file: $(cat "$tmp/err")"
done
finish refused
