#!/bin/bash
# instructions.sh BASE [NEW]: what compiling each example costs beside another build of fclc.
# Instructions as valgrind counts them, which other work on the machine does not change:
# NEW/BASE, BASE, NEW, the program; the worst first.
root=$(cd "$(dirname "$0")/../.." && pwd)
base=${1:?usage: instructions.sh BASE [NEW]} new=${2:-$root/build/bin/fclc}
count() # count FCLC PROGRAM
{
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" compile "$2" -o /dev/null 2>&1 |
        sed -n 's/.*Collected : //p'
}
cd "$root" || exit 1
for program in docs/examples/*.fclir docs/examples/*/*.fcl; do
    echo "$(count "$base" "$program") $(count "$new" "$program") $program"
done | awk 'NF == 3 { printf "%.3f %11d %11d %s\n", $2 / $1, $1, $2, $3 }' | sort -rn
