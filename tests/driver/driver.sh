# The programs as functions of the shell, run by one process (driver.c).  Part of tests/tools/lib.sh.
#
#   fclc ARG...        as $build/bin/fclc ARG..., with the shell's redirections; so does fcl_opt
#   simulated ARG...   as fclc under oclgrind with $simulator_options; $tmp/log is what it finds
#
# Nothing changes for the caller, but: a command that takes longer than $LIMIT seconds (120) ends
# with 124, as with timeout; one that crashes with 139; and two of them in one pipeline would wait
# for each other.  OpenCL drivers read their environment once: what is exported must be exported
# before the first command.  And that should not be in a pipeline or $(...), whose process would be
# one of its own.
# TIMES=FILE: a line for each command there, with seconds by the clock, those of the processor, and words.
driver_pid="" driver_to="" driver_from=""
simulator_options=(--data-races --uninitialized --build-options -cl-opt-disable)

# driver_start: there is a process that waits for requests.
driver_start()
{
    [ ! -e "$tmp/driver.lost" ] || driver_stop
    [ -z "$driver_pid" ] || return 0
    rm -rf "$tmp/driver"
    mkdir "$tmp/driver"
    mkfifo "$tmp/driver/in" "$tmp/driver/out"
    "$build/tests/driver" < "$tmp/driver/in" > "$tmp/driver/out" &
    driver_pid=$!
    exec {driver_to}> "$tmp/driver/in" {driver_from}< "$tmp/driver/out"
}

# driver_stop: the process ends; its exit status, or 0 where a command ended it.
driver_stop()
{
    [ -n "$driver_pid" ] || return 0
    local status
    exec {driver_to}>&- {driver_from}<&-
    wait "$driver_pid" 2> /dev/null
    status=$?
    driver_pid=""
    [ ! -e "$tmp/driver.lost" ] || status=0
    rm -f "$tmp/driver.lost"
    return $status
}

# driver_spent: hundredths of a second of the processor that the process, and those that it has waited for, have taken.
driver_spent()
{
    local stat
    read -r stat 2> /dev/null < "/proc/$driver_pid/stat" || return
    # shellcheck disable=SC2086  # fields, behind the name in parentheses
    set -- ${stat##*) }
    echo $((${12} + ${13} + ${14} + ${15}))
}

# driver_run WORD...: the command; its status.  It gets copies of the streams, since the shell's own
# are those of the request and the answer at times.
driver_run()
{
    local status in out err self=/proc/$BASHPID/fd began=$EPOCHREALTIME spent
    driver_start
    [ -z "${TIMES:-}" ] || spent=$(driver_spent)
    exec {in}<&0 {out}>&1 {err}>&2
    trap '' PIPE # a process that is gone is noticed when it does not answer
    printf '%s\0' $(($# + 4)) "$PWD" "$self/$in" "$self/$out" "$self/$err" "$@" \
        2> /dev/null >&"$driver_to"
    trap - PIPE
    read -r -t "${LIMIT:-120}" -u "$driver_from" status || driver_lost $? "$@"
    exec {in}<&- {out}>&- {err}>&-
    [ -z "${TIMES:-}" ] || echo "$(bc <<< "$EPOCHREALTIME - $began; scale = 2; ($(driver_spent) - $spent) / 100" | tr '\n' ' ')$*" >> "$TIMES"
    return "$status"
}

# driver_lost RESULT WORD...: reading the answer gave RESULT, since time is over or the process is.
driver_lost()
{
    status=$(($1 > 128 ? 124 : 139))
    kill -KILL "$driver_pid" 2> /dev/null
    : > "$tmp/driver.lost"
    [ "$status" -eq 124 ] || echo "${*:2}: the process ended" >&2
}

fclc() { driver_run fclc "$@"; }
fcl_opt() { driver_run fcl-opt "$@"; }

# A process for each run: what the simulator knows about memory outlives the memory, and it would
# report values of a later run as uninitialised.
simulated()
{
    timeout "${LIMIT:-120}" env -u OCL_ICD_VENDORS \
        oclgrind "${simulator_options[@]}" --log "$tmp/log" "$build/bin/fclc" "$@"
}
