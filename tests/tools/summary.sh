#!/bin/bash
# summary.sh RESULTS: what timed.sh left there, the slowest first; those that failed once more at the end.  Wall-clock seconds,
# and those of the processors, which do not grow when the machine is busy.
shopt -s nullglob
files=("$1"/*.result)
[ ${#files[@]} -gt 0 ] || { echo "nothing ran"; exit 1; }
printf '\n%-14s %8s %8s  %s\n' suite seconds busy result
sort -k3,3nr "${files[@]}" | awk '{ printf "%-14s %8.1f %8.1f  %s\n", $1, $3, $4 + $5, $2; all += $4 + $5 }
    END { printf "%-14s %8s %8.1f\n", "all " NR, "", all }'
failed=$(awk '$2 != "ok" { print $1 }' "${files[@]}")
[ -z "$failed" ] || { echo "FAILED: $(echo $failed)"; exit 1; }
