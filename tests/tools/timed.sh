#!/bin/bash
# timed.sh RESULTS NAME COMMAND...: runs the command and then prints what it said; its time and
# result are left in RESULTS/NAME.result.  One that ends with 77 was skipped: it has neither passed
# nor failed.
results=$1 name=$2
shift 2
mkdir -p "$results"
log=$results/$name.log
: > "$log"
TIMEFORMAT='%R %U %S'
{ time { "$@" >> "$log" 2>&1; status=$?; }; } 2> "$results/$name.time"
case $status in 0) result=ok ;; 77) result=skipped status=0 ;; *) result=FAILED ;; esac
echo "$name $result $(tail -1 "$results/$name.time")" > "$results/$name.result"
echo "== $name"
cat "$log"
exit $status
