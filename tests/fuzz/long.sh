#!/usr/bin/env bash
# long.sh SECONDS JOBS [TARGET...]: runs the fuzzers beside it for so many seconds each, JOBS at a time, and says what came of it.
#
# It needs nothing but its folder (`make build/fuzz/all`), which may have been carried to another machine.  With more jobs than
# targets several processes share a target and its corpus.  After a crash, a hang, a leak or too much memory the fuzzer is
# started again for what is left of its time.  Crashing inputs and logs: found/TARGET.  Status 1 when there were any.
set -u
cd "$(dirname "$0")" || exit 1
seconds=${1:?usage: long.sh SECONDS JOBS [TARGET...]}
jobs=${2:?usage: long.sh SECONDS JOBS [TARGET...]}
shift 2
targets=("$@")
[ ${#targets[@]} -gt 0 ] || for program in fuzz-*; do targets+=("${program#fuzz-}"); done

# One process until its time is over; its user time goes to found/TARGET/cpu.K.
one() { # TARGET K
    local target=$1 k=$2 end left round=0 max=8192
    end=$(($(date +%s) + seconds))
    while left=$((end - $(date +%s))) && [ $left -gt 0 ]; do
        round=$((round + 1))
        nice -n 19 "./fuzz-$target" "found/$target/corpus" "seeds/$target" -max_total_time=$left -timeout=5 \
            -rss_limit_mb=1024 -max_len=$max -dict=words.dict -print_final_stats=1 -use_value_profile=1 -verbosity=1 \
            "-artifact_prefix=found/$target/" > "found/$target/log.$k.$round" 2>&1 && break
        [ $round -lt 200 ] || break
    done
    times > "found/$target/cpu.$k"
}

for target in "${targets[@]}"; do
    rm -rf "found/$target"
    mkdir -p "found/$target/corpus"
done
per_target=$(((jobs + ${#targets[@]} - 1) / ${#targets[@]}))
for target in "${targets[@]}"; do
    for ((k = 0; k < per_target; k++)); do
        while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
        one "$target" "$k" &
    done
done
wait

# ---- what came of it ----

sum() { # NAME TARGET: of the final figure of that name over all logs
    cat "found/$2"/log.* | sed -n "s/^stat::$1: *//p" | awk '{s += $1} END {print s + 0}'
}
largest() {
    cat "found/$2"/log.* | sed -n "s/^stat::$1: *//p" | sort -n | tail -1
}
printf '%-8s %12s %9s %9s %9s %8s %12s %8s\n' target executions CPU-min coverage features corpus peak-bytes found
status=0
for target in "${targets[@]}"; do
    cpu=$(cat "found/$target"/cpu.* | sed 's/m/ /g; s/s//g' | awk '{s += $1 + $2 / 60 + $3 + $4 / 60} END {printf "%.1f", s}')
    coverage=$(cat "found/$target"/log.* | grep -o 'cov: [0-9]*' | sort -k2n | tail -1 | cut -c6-)
    features=$(cat "found/$target"/log.* | grep -o 'ft: [0-9]*' | sort -k2n | tail -1 | cut -c5-)
    corpus=$(find "found/$target/corpus" -type f | wc -l)
    found=$(find "found/$target" -maxdepth 1 -name '*-*' -type f | wc -l)
    printf '%-8s %12s %9s %9s %9s %8s %12s %8s\n' "$target" "$(sum number_of_executed_units "$target")" "$cpu" "$coverage" \
        "$features" "$corpus" "$(largest peak_allocation_bytes "$target")" "$found"
    [ "$found" = 0 ] || status=1
done
exit $status
