#!/usr/bin/env bash
# Counts the instructions of a small fixed crowd with callgrind instead of measuring time, so that every machine gets
# the same result.
#
#   bench/count.sh                compares instructions per character and joint (for a control: per character and frame)
#                                 with bench/budgets.txt: exit 1 if one is more than 5 % above its budget, or if the
#                                 operations differ from bench/operations.inc by more than 5 %
#   bench/count.sh --update       rewrites both files
#   bench/count.sh --operations   rewrites only the second file
#
# SIMD 16 is not counted, because Valgrind does not support AVX-512. Counts depend on the compiler that the budgets
# name; with another one nothing is compared. Needs the release build, Valgrind and objdump.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=build/release/limber-count
budgets=bench/budgets.txt
operations=bench/operations.inc
tolerance=5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# count_case PATH WORKLOAD CLIPS [compressed]: prints instructions and float operations per character and joint, or per
# character and frame if the path is `control`; sets the compiler. An operation is one addition, subtraction or
# multiplication; a packed one counts as four.
count_case() {
    local joints instructions counted=(--toggle-collect=lmb_cpu_run_poses --toggle-collect=lmb_skin_run)
    if [ "$1" = control ]; then counted=(--toggle-collect=movement_run); fi
    valgrind --quiet --tool=callgrind "${counted[@]}" --dump-instr=yes --compress-pos=no \
        --compress-strings=no --callgrind-out-file="$work/profile" "$program" "$@" >"$work/said" || return 1
    joints=$(cut -d' ' -f1 "$work/said")
    compiler=$(cut -d' ' -f3- "$work/said")
    instructions=$(awk '/^summary:/ { print $2 }' "$work/profile")
    awk -v joints="$joints" -v instructions="$instructions" -v program="$program" '
        FNR == NR {
            if ($2 ~ /^v?(add|sub|mul)ss$/) weight["0x" substr($1, 1, length($1) - 1)] = 1
            if ($2 ~ /^v?(add|sub|mul)ps$/) weight["0x" substr($1, 1, length($1) - 1)] = 4
            next
        }
        /^ob=/ { inside = substr($0, length($0) - length(program) + 1) == program }
        /^calls=/ { getline; next } # skips the inclusive cost of the call
        inside && /^0x/ && ($1 in weight) { sum += weight[$1] * $3 }
        END { printf "%.1f %.1f\n", instructions / joints, sum / joints }
    ' "$work/code" "$work/profile"
}

# Workloads of the four clips and something above them, which need the mannequin.
nodes=(ik-two-bone ik-aim foot-placement stride foot-lock twist chain override retarget root-motion warp full-rotation
    skin skin-dual-quaternion skin-morph)

# The cases whose instructions have budgets.
held=("reference|four-clips|procedural" "simd 4|four-clips|procedural" "simd 8|four-clips|procedural"
    "simd 8|distant|procedural" "reference|four-clips|mannequin|compressed" "simd 4|four-clips|mannequin|compressed"
    "simd 8|four-clips|mannequin|compressed" "control|machines|procedural" "simd 8|four-clips|mannequin")
for node in "${nodes[@]}"; do
    held+=("simd 8|$node|mannequin")
done
for crowd in divergent divergent-states divergent-clips divergent-fades game; do
    held+=("simd 8|$crowd|mannequin")
done
held+=("simd 8|divergent|mannequin|compressed" "simd 4|divergent|mannequin")
held+=("control|root-motion|mannequin" "control|warp|mannequin" "control|full-rotation|mannequin")
held+=("control|matching|mannequin" "simd 8|matching|mannequin")

update_budgets() {
    local case arguments counted lines=()
    for case in "${held[@]}"; do
        IFS='|' read -ra arguments <<<"$case"
        count_case "${arguments[@]}" >"$work/counted"
        counted=$(<"$work/counted")
        lines+=("$(printf '%8s %s' "${counted% *}" "$case")")
    done
    {
        echo "# Instructions a character and joint (of control: a character and frame), by bench/count.sh --update."
        echo "compiler $compiler"
        printf '%s\n' "${lines[@]}"
    } >"$budgets"
}

# Writes a row for each workload and set of clips; compressed clips only for the first workload, because compression
# takes long under Valgrind. Rows that cannot be computed here, because files are missing, are kept.
update_operations() {
    local workload clips compressed row
    {
        for workload in four-clips two-clips masked distant neighbours machines "${nodes[@]}"; do
            for clips in procedural mannequin pab; do
                for compressed in "" compressed; do
                    if [ "$workload$compressed" != "$workload" ] && [ "$workload" != four-clips ]; then continue; fi
                    if [ "$clips" != mannequin ] && [[ " ${nodes[*]} " == *" $workload "* ]]; then continue; fi
                    row="    {WORKLOAD_$(tr a-z- A-Z_ <<<"$workload"), ACTOR_$(tr a-z A-Z <<<"$clips"),"
                    row+=" $([ -n "$compressed" ] && echo true || echo false),"
                    if count_case reference "$workload" "$clips" $compressed >"$work/counted" 2>"$work/why"; then
                        echo "$row $(cut -d' ' -f2 "$work/counted")},"
                    else
                        grep -F "$row" "$operations" || tail -n 1 "$work/why" >&2
                    fi
                done
            done
        done
    } >"$work/operations.inc"
    mv "$work/operations.inc" "$operations"
}

compare() {
    local budget case arguments counted expected status=0
    while read -r budget case; do
        IFS='|' read -ra arguments <<<"$case"
        if ! count_case "${arguments[@]}" >"$work/counted"; then
            echo "skipped: $case can't run here"
            continue
        fi
        if [ "$compiler" != "$(sed -n 's/^compiler //p' "$budgets")" ]; then
            echo "skipped: $compiler, and the budgets are those of another compiler"
            return 0
        fi
        counted=$(<"$work/counted")
        awk -v found="${counted% *}" -v budget="$budget" -v tolerance="$tolerance" -v case="$case" 'BEGIN {
            over = found > budget * (1 + tolerance / 100)
            printf "%-44s %8.1f instructions, budget %8.1f, %+6.1f %%%s\n", case, found, budget,
                100 * (found / budget - 1), over ? "  TOO MANY" : ""
            exit over
        }' || status=1
        if [ "$case" = "reference|four-clips|procedural" ]; then
            expected=$(sed -n 's/.*FOUR_CLIPS, ACTOR_PROCEDURAL, false, \(.*\)},/\1/p' "$operations")
            awk -v found="${counted#* }" -v expected="$expected" -v tolerance="$tolerance" 'BEGIN {
                off = found > expected * (1 + tolerance / 100) || found < expected * (1 - tolerance / 100)
                printf "%-44s %8.1f operations, written down %8.1f%s\n", "", found, expected, off ? "  OFF" : ""
                exit off
            }' || status=1
        fi
    done < <(grep '|' "$budgets")
    if [ "$status" -ne 0 ]; then
        echo "Where this is meant, run bench/count.sh --update and commit what it changes."
    fi
    return "$status"
}

objdump -d --no-show-raw-insn "$program" >"$work/code"
case "${1:-}" in
--update)
    update_budgets
    update_operations
    cat "$budgets" "$operations"
    ;;
--operations) update_operations ;;
*) compare ;;
esac
