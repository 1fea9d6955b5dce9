#!/bin/bash
# How long programs in TAIL take from their text to the first line that they print, and to the end: for each the least of RUNS=N
# runs (5) of the whole process, in milliseconds.  Those above LIMIT=MS (50) are marked, and decide the exit status.
#
#   first.sh [PROGRAM.tail...]   these programs, else all of TAIL_PROGRAMS (../shared/tail/programs)
# DEVICE=interp runs them on another device; ALL=1 lists all, not only the slowest ten and those above the limit.
set -u
cd "$(dirname "$0")/../.."
fclc=${BUILD:-build}/bin/fclc
runs=${RUNS:-5}
limit=${LIMIT:-50}
programs=("$@")
[ $# -gt 0 ] || programs=("${TAIL_PROGRAMS:-../shared/tail/programs}"/*.tail)

# once FILE: "FIRST ALL" in microseconds.
once()
{
    local begin first line out
    begin=${EPOCHREALTIME/./}
    exec {out}< <(exec "$fclc" run --device="${DEVICE:-interp}" "$1" 2> /dev/null)
    IFS= read -r -u "$out" line
    first=${EPOCHREALTIME/./}
    while IFS= read -r -u "$out" line; do :; done
    exec {out}<&-
    echo $((first - begin)) $((${EPOCHREALTIME/./} - begin))
}

for file in "${programs[@]}"; do
    for ((run = 0; run < runs; run++)); do once "$file"; done |
        awk -v name="$(basename "$file" .tail)" '
            NR == 1 || $1 < first { first = $1 }
            NR == 1 || $2 < all { all = $2 }
            END { printf "%.1f %.1f %s\n", first / 1000, all / 1000, name }'
done | sort -rn | awk -v limit="$limit" -v every="${ALL:-}" '
    BEGIN { printf "%10s %10s  program\n", "first ms", "all ms" }
    $1 > limit { over++ }
    { sum += $1 }
    $1 > limit || NR <= 10 || every { printf("%10s %10s  %s%s\n", $1, $2, $3, ($1 > limit ? "  <- above " limit " ms" : "")) }
    END { printf "%d programs, %.1f ms in the mean, %d above %s ms\n", NR, sum / NR, over, limit; exit over > 0 }'
