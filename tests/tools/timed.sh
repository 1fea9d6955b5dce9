#!/bin/bash
# timed.sh RESULTS NAME COMMAND...: runs the command, then prints what it said, and leaves its time and result in RESULTS/NAME.
results=$1 name=$2
shift 2
mkdir -p "$results"
log=$results/$name.log
: > "$log"
TIMEFORMAT='%R %U %S'
{ time { "$@" >> "$log" 2>&1; status=$?; }; } 2> "$results/$name.time"
printf '%s %s %s\n' "$name" "$([ $status -eq 0 ] && echo ok || echo FAILED)" "$(tail -1 "$results/$name.time")" > "$results/$name.result"
echo "== $name"
cat "$log"
exit $status
