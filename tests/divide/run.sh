#!/usr/bin/env bash
# Divisions by what the host knows, which kernels do by multiplication: the results are the evaluator's on every device, for
# divisors of all kinds, zero and negative ones too, and the code of a device divides no more.
. "$(dirname "$0")/../tools/lib.sh"
every_device
file=$here/invariant.fclir

for divisor in 1 2 3 7 256 46341 1073741823 1073741824 2147483646 2147483647 0 -1 -2 -7 -1000003 -2147483647 -2147483648; do
    for start in 0 65530 2147483500 -100 -2147483648; do
        for entry in natural any positive counted; do
            try fclc run --all --entry="$entry" "$file" -- "$divisor" "$start" 100
            [ $status -eq 0 ] || { fail "$entry $divisor $start: $(head -3 "$tmp/err")"; continue; }
            cp "$tmp/out" "$tmp/expected"
            for device in $DEVICES; do
                takes "$device" || continue
                try fclc run --all --device="$device" --entry="$entry" "$file" -- "$divisor" "$start" 100
                cmp -s "$tmp/expected" "$tmp/out" || fail "$entry $divisor $start on $device: $(head -c 200 "$tmp/out" "$tmp/err")"
            done
        done
    done
done

# Whole parts in doubles are those of integers, and the code has no double; or it has, where they need not be.
for entry in three hundred prime most one quarters larger small tenth below negative; do
    for start in 0 -100 2147480000 -2147483648; do
        try fclc run --all --entry="$entry" "$here/whole.fclir" -- "$start" 100
        cp "$tmp/out" "$tmp/expected"
        for device in $DEVICES; do
            takes "$device" || continue
            try fclc run --all --device="$device" --entry="$entry" "$here/whole.fclir" -- "$start" 100
            cmp -s "$tmp/expected" "$tmp/out" || fail "$entry $start on $device: $(head -c 200 "$tmp/out" "$tmp/err")"
        done
    done
    ok "" fclc compile --entry="$entry" "$here/whole.fclir" -o "$tmp/code.cl"
    case $entry in
    tenth | below | negative) grep -q floor "$tmp/code.cl" || fail "$entry has no floor" ;;
    *) grep -q floor "$tmp/code.cl" && fail "$entry has a floor" ;;
    esac
done

for entry in twice counted; do
    ok "" fclc compile --entry=$entry "$file" -o "$tmp/code.cl"
    grep -qE ' [/%] ' "$tmp/code.cl" && fail "$entry divides: $(grep -m 1 -E ' [/%] ' "$tmp/code.cl")"
done

[ $failures -eq 0 ] && echo "divide: ok ($cases cases)"
exit $((failures != 0))
