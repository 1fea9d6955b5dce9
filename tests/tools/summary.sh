#!/bin/bash
# summary.sh RESULTS NAME...: what timed.sh left there, the slowest first, and which of the named
# suites failed or left nothing.  Seconds by the clock, and those that processors were busy for it,
# which do not depend on what else the machine does.
results=$1
shift
cd "$results" || exit 1
for name; do
    [ -e "$name.result" ] || echo "$name FAILED 0 0 0" > "$name.result"
done
printf '\n%-18s %8s %8s  %s\n' suite seconds busy result
sort -k3,3nr ./*.result | awk '
    { printf "%-18s %8.1f %8.1f  %s\n", $1, $3, $4 + $5, $2; busy += $4 + $5 }
    END { printf "%-18s %8s %8.1f\n", NR " suites", "", busy }'
failed=$(awk '$2 == "FAILED" { printf " %s", $1 }' ./*.result)
[ -z "$failed" ] || { echo "FAILED:$failed"; exit 1; }
