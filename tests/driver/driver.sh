# The programs as functions of the shell, run by one process each: see driver.c.  Part of tests/tools/lib.sh.
#
#   fclc ARG...        as $build/bin/fclc ARG..., with the shell's redirections; so does fcl_opt
#   simulated ARG...   as fclc under oclgrind with $simulator_options; what it finds is added to $tmp/log, which is empty or
#                      absent otherwise
#
# Nothing changes for the caller, but: a command that takes longer than $LIMIT seconds (120) ends with 124 (as with timeout); one
# that crashes with more than 128; and two of them in one pipeline would wait for each other.  OpenCL drivers read their
# environment once: what is exported must be exported before the first command.  And that should not be in a pipeline or $(...),
# whose process would be one of its own.
simulator_options="--data-races --uninitialized --build-options -cl-opt-disable"
declare -A driver_pid driver_to driver_from

# driver_start NAME: there is a process NAME that waits for requests.
driver_start()
{
    local pipes=$tmp/driver-$1 to from
    [ ! -e "$pipes.lost" ] || driver_stop "$1"
    [ -z "${driver_pid[$1]:-}" ] || return 0
    rm -rf "$pipes"
    mkdir "$pipes"
    mkfifo "$pipes/in" "$pipes/out"
    case $1 in
    plain) "$build/tests/driver" < "$pipes/in" > "$pipes/out" & ;;
    simulator)
        # shellcheck disable=SC2086  # the options are words
        env -u OCL_ICD_VENDORS oclgrind $simulator_options --log "$tmp/simulator.log" "$build/tests/driver" \
            < "$pipes/in" > "$pipes/out" & ;;
    esac
    driver_pid[$1]=$!
    exec {to}> "$pipes/in" {from}< "$pipes/out"
    driver_to[$1]=$to driver_from[$1]=$from
}

# driver_stop NAME: its exit status.
driver_stop()
{
    [ -n "${driver_pid[$1]:-}" ] || return 0
    local to=${driver_to[$1]} from=${driver_from[$1]} pid=${driver_pid[$1]}
    exec {to}>&- {from}<&-
    unset "driver_pid[$1]" "driver_to[$1]" "driver_from[$1]"
    rm -f "$tmp/driver-$1.lost"
    wait "$pid" 2> /dev/null
}

# driver_run NAME WORD...: the command; its status.  It gets copies of the streams, since the shell's own are those of the
# request and the answer at times.
driver_run()
{
    local name=$1 status in out err self=/proc/$BASHPID/fd
    shift
    driver_start "$name"
    exec {in}<&0 {out}>&1 {err}>&2
    trap '' PIPE # a process that is gone is noticed when it does not answer
    printf '%s\0' $(($# + 4)) "$PWD" "$self/$in" "$self/$out" "$self/$err" "$@" 2> /dev/null >&"${driver_to[$name]}"
    trap - PIPE
    if ! read -r -t "${LIMIT:-120}" -u "${driver_from[$name]}" status; then
        status=$(($? > 128 ? 124 : 139))
        driver_lost "$name" "$*" $status
    fi
    exec {in}<&- {out}>&- {err}>&-
    return "$status"
}

# driver_lost NAME COMMAND STATUS: the process takes no more requests.
driver_lost()
{
    kill -KILL "${driver_pid[$1]}" 2> /dev/null
    : > "$tmp/driver-$1.lost"
    [ "$3" -eq 124 ] || echo "$2: the process ended" >&2
}

fclc() { driver_run plain fclc "$@"; }
fcl_opt() { driver_run plain fcl-opt "$@"; }

# The simulator's log cannot be emptied while it is open: a process that found something is not used again.
simulated()
{
    local status
    driver_run simulator fclc "$@"
    status=$?
    if [ -s "$tmp/simulator.log" ]; then
        cat "$tmp/simulator.log" >> "$tmp/log"
        : > "$tmp/driver-simulator.lost"
    fi
    return $status
}

# drivers_stop: all processes; one that ends badly is a failure.
drivers_stop()
{
    local name
    for name in "${!driver_pid[@]}"; do
        [ ! -e "$tmp/driver-$name.lost" ] || { driver_stop "$name"; continue; }
        driver_stop "$name" || fail "the driver '$name' ends with status $?"
    done
}
