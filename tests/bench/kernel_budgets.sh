#!/usr/bin/env bash
# Checks that bench/kernels/compare.awk takes the committed budgets as figures, and that it refuses them, naming the
# column, if the budgets of a column are 6 % lower, if a kernel is missing, and if one has no budget.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../bench/kernels"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

fail() {
    echo "$name: $1"
    status=1
}

compare() {
    awk -v devices="$devices" -f compare.awk "$1" "$2" >"$work/said"
}

# refuse BUDGETS ROWS WORD WHAT
refuse() {
    if compare "$1" "$2"; then
        fail "$4 passed"
    elif ! grep -q "$3" "$work/said"; then
        fail "$4: no line with \"$3\""
    fi
}

for name in radeon nvidia intel profile; do
    budgets=$name.txt rows=$work/rows
    grep -vE '^(#|driver )' "$budgets" >"$rows"
    devices=$(cut -d ' ' -f 1 "$rows" | sort -u | xargs)
    compare "$budgets" "$rows" || fail "the budgets themselves failed"
    read -ra columns < <(sed -n 's/^# \([^ ]* workload kernel .*\)/\1/p' "$budgets")
    for ((i = 3; i < ${#columns[@]}; i++)); do
        case ${columns[i]} in lanes% | scalars | waves) continue ;; esac
        change=0.94
        if [ "${columns[i]}" = lanes ]; then change=2; fi
        [ "$(cut -d ' ' -f $((i + 1)) "$rows" | sort -u)" != - ] || continue
        awk -v i=$((i + 1)) -v change="$change" '!/^(#|driver )/ && $i != "-" { $i *= change } { print }' \
            "$budgets" >"$work/changed"
        refuse "$work/changed" "$rows" " ${columns[i]} .*budget" "${columns[i]} against $change of it"
    done
    sed 1d "$rows" >"$work/changed"
    refuse "$budgets" "$work/changed" "no such kernel" "a missing kernel"
    sed '$d' "$budgets" >"$work/changed"
    refuse "$work/changed" "$rows" "no budget" "a kernel without a budget"
done
exit "$status"
