#!/bin/bash
# timed.sh RESULTS NAME COMMAND...: runs the command and then prints what it said; its time and
# result are left in RESULTS/NAME.result.  One that ends with 77 was skipped: it has neither passed
# nor failed.  LeakSanitizer sometimes cannot stop the threads of an OpenCL driver, or read what these keep for themselves, and ends
# the process saying so: that is no result, and the command runs again, without looking there, three times at most.
results=$1 name=$2
shift 2
mkdir -p "$results"
log=$results/$name.log
TIMEFORMAT='%R %U %S'
for _ in 1 2 3; do
    { time { "$@" > "$log" 2>&1; status=$?; }; } 2> "$results/$name.time"
    [ $status -ne 0 ] && grep -q 'LeakSanitizer has encountered a fatal error' "$log" || break
    export LSAN_OPTIONS="${LSAN_OPTIONS:+$LSAN_OPTIONS:}use_tls=0"
done
case $status in 0) result=ok ;; 77) result=skipped status=0 ;; *) result=FAILED ;; esac
echo "$name $result $(tail -1 "$results/$name.time")" > "$results/$name.result"
echo "== $name"
cat "$log"
exit $status
