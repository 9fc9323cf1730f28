#!/usr/bin/env bash
# Fails if twice the input takes more than 2.3 times the instructions. The argument is the program `growth`. Valgrind
# counts instructions, so the clock and other processes have no influence. Without Valgrind, the test is skipped (77).
set -euo pipefail
program=$1
largest=2.3

if ! command -v valgrind >/dev/null; then
    echo "skipped: there is no Valgrind"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
valgrind --quiet --tool=callgrind --collect-atstart=no --toggle-collect=measured --dump-after=measured \
    --callgrind-out-file="$work/profile" "$program" >"$work/cases"

# Callgrind numbers its dumps; each case has two of them.
number=0
status=0
while read -r case; do
    for size in 1 2; do
        number=$((number + 1))
        counts[size]=$(awk '/^(summary|totals):/ { print $2; exit }' "$work/profile.$number")
    done
    awk -v case="$case" -v small="${counts[1]}" -v large="${counts[2]}" -v largest="$largest" 'BEGIN {
        bad = small == 0 || large / small > largest
        printf "%-52s %12d %12d  %5.2f%s\n", case, small, large, small == 0 ? 0 : large / small, bad ? "  TOO MUCH" : ""
        exit bad
    }' || status=1
done <"$work/cases"
exit "$status"
