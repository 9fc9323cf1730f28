#!/usr/bin/env bash
# Compiles every kernel for Radeon GPUs: Mesa's RADV does this for any Radeon without the hardware. The kernels are
# compiled, and some are emulated, but not run on hardware.
#
#   bench/kernels/run.sh                    prints the table and compares it with bench/kernels/budgets.txt: exit 1 if a
#                                        figure is more than 5 % above its budget
#   bench/kernels/run.sh --quick            the same for two of the five families
#   bench/kernels/run.sh --update           rewrites the budgets, also those of --bits
#   bench/kernels/run.sh --assembly FOLDER  also writes the disassembly of each kernel to FOLDER/FAMILY
#   bench/kernels/run.sh --bits             runs 64 characters of each workload on an emulated navi21, and compares the
#                                        bits of palettes and of the control's states with the reference: exit 1 if
#                                        one differs, or if a count is more than 5 % above bench/kernels/profile.txt
#   bench/kernels/run.sh --profile WORKLOAD  prints what the phases of its kernels consist of and wait for
#
# Columns: registers per lane (VGPRs) and per wave (SGPRs), spilled registers of both kinds, bytes of LDS (a workgroup's
# memory), bytes of code, vector instructions, loads from global memory, and how many waves of 64 lanes a SIMD holds at
# once. All have budgets except SGPRs, which are not limited on RDNA, and waves, which follow from the others.
# Columns of --bits, per joint or per character's control: vector instructions times the lanes of a wave; cycles of a
# SIMD that never waits; loads times lanes. Then for each kernel, with the workgroups that devices with subgroups of 64
# and of 32 lanes get: lanes in use in percent; per joint, or per character for weights and control, instructions times
# the lanes of a subgroup of 32, loads times these, sectors of 32 bytes that are loaded; and for subgroups of 32 the
# cycles of a workgroup in the model of rdna_profile.h. --profile has instructions by kind and cycles by cause, too.
# Budgets, and the initial state of a kernel, are valid for one version of Mesa; with another one nothing is compared.
# Needs the release build and RADV.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. .ci/packages.sh

program=build/release/limber-bench-kernels
budgets=bench/kernels/budgets.txt
profile_budgets=bench/kernels/profile.txt
# GCN 4 and 5, RDNA 1 to 3.
families=(polaris10 vega10 navi14 navi21 gfx1100)
columns='family workload kernel VGPRs SGPRs spills LDS code VALU loads waves'
profile_columns='subgroup workload kernel lanes% instructions loads sectors cycles'
# What limber-bench-kernels -p prints after workload, kernel and phase.
phase_columns='lanes% instructions float select integer multiply move scalar scalar-loads branch LDS-reads LDS-writes loads
    stores sectors stored cycles issue arithmetic LDS scalar-load L1 L2 memory barrier'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compile FAMILY [FOLDER]: writes the program's output to $work/FAMILY.
compile() {
    local options=()
    if [ $# -eq 2 ]; then
        mkdir -p "$2/$1"
        options=(-d "$2/$1")
    fi
    RADV_FORCE_FAMILY=$1 with_driver "$manifest" "$program" "${options[@]}" >"$work/$1"
}

# RADV counts waves of 32 lanes on RDNA, but compute kernels have 64 by default, and it rounds up how many fit the LDS:
# 128 KiB for four SIMDs, 64 KiB on GCN.
make_rows() {
    awk -v family="$1" '
        BEGIN { rdna = family !~ /^(polaris|vega)/ }
        $1 == "driver" || $1 == "skipped" { next }
        {
            waves = rdna ? $11 / 2 : $11
            if ($7 > 0) {
                by_lds = int((rdna ? 131072 : 65536) / $7) * int(($3 + 63) / 64) / 4
                waves = by_lds < waves ? by_lds : waves
            }
            print family, $1, $2, $4, $5, $6, $7, $8, $9, $10, waves
        }' "$work/$1"
}

# Rewrites the budgets, and keeps those of workloads that cannot be compiled here.
update() {
    {
        echo "# What RADV compiles, by bench/kernels/run.sh --update."
        echo "# $columns"
        echo "$driver"
        cat "$work/rows"
        [ "$driver" != "$(grep '^driver ' "$budgets" 2>/dev/null)" ] ||
            awk 'FNR == NR { gone[$1]; next } $2 in gone' "$work/skipped" "$budgets"
    } >"$work/budgets"
    mv "$work/budgets" "$budgets"
    echo "wrote $budgets"
}

is_known() {
    local known
    known=$(grep '^driver ' "$budgets")
    [ "$1" = "$known" ] || { echo "skipped: $1, and the budgets are for $known" && return 1; }
}

# emulate SUBGROUP [WORKLOAD]: runs workloads with workgroups for subgroups of so many lanes.
emulate() {
    RADV_FORCE_FAMILY=navi21 with_driver "$manifest" "$program" -p -s "$1" ${2:+-w "$2"} >"$work/emulated-$1"
}

# Waits for both runs, and writes the rows of profiles.
emulate_all() {
    local status=0
    emulate 32 &
    emulate 64 || status=$?
    wait $! || status=$?
    for subgroup in 64 32; do
        awk -v subgroup="$subgroup" '$1 == "profile" && $4 == "all" {
            print subgroup, $2, $3, $5, $6, $17, $19, (subgroup == 32 ? $21 : "-") }' "$work/emulated-$subgroup"
    done >"$work/profiles"
    return "$status"
}

compare_bits() {
    local status=0
    emulate_all || status=$?
    is_known "$(head -n 1 "$work/emulated-64")" || return 0
    grep -v '^profile ' "$work/emulated-64"
    (echo "$profile_columns" && cat "$work/profiles") | awk '{ printf "%-8s  %-31s  %-8s", $1, $2, $3
        for (i = 4; i <= NF; i++) printf " %12s", $i; print "" }'
    grep '^skipped ' "$work/emulated-64" | sed 's/^skipped \([^:]*\):.*/\1/' >"$work/skipped" || true
    compare_rows "$profile_budgets" "$work/profiles" "$profile_columns" "instructions loads sectors cycles" "64 32" ||
        status=1
    return "$status"
}

# A row for each kind and cause, a column for each phase.
print_phases() {
    emulate 64 "$1"
    emulate 32 "$1"
    for subgroup in 64 32; do
        awk -v subgroup="$subgroup" -v columns="$phase_columns" '
            BEGIN { split(columns, names) }
            $1 != "profile" { next }
            { phases[$3] = phases[$3] " " $4; for (i = 5; i <= NF; i++) rows[$3, i] = rows[$3, i] sprintf(" %9s", $i) }
            END {
                for (kernel in phases) {
                    count = split(phases[kernel], list, " ")
                    printf "\n%-31s", kernel ", subgroups of " subgroup
                    for (i = 1; i <= count; i++) printf " %9s", list[i]
                    print ""
                    for (i = 5; (kernel, i) in rows; i++) printf "  %-29s%s\n", names[i - 4], rows[kernel, i]
                }
            }' "$work/emulated-$subgroup"
    done
}

update_profiles() {
    emulate_all
    {
        echo "# What navi21's code executes, by bench/kernels/run.sh --update."
        echo "# $profile_columns"
        echo "$driver"
        cat "$work/profiles"
    } >"$work/budgets"
    mv "$work/budgets" "$profile_budgets"
    echo "wrote $profile_budgets"
}

# compare_rows BUDGETS ROWS COLUMNS LIMITED KEYS: compares the limited columns of rows with their budgets.
compare_rows() {
    awk -v columns="$3" -v limited=" $4 " -v tolerance=5 -v keys=" $5 " '
        BEGIN { split(columns, names) }
        function fail(row, message) { print row ": " message; failed = 1 }
        { key = $1 " " $2 " " $3 }
        FILENAME ~ /skipped$/ { gone[$1]; next }
        FILENAME ~ /\.txt$/ { if (index(keys, " " $1 " ")) budget[key] = $0; next }
        !(key in budget) { fail(key, "no budget"); next }
        {
            split(budget[key], held)
            delete budget[key]
            for (i = 4; i <= NF; i++) {
                if (index(limited, " " names[i] " ") && $i > held[i] * (1 + tolerance / 100)) {
                    fail(key, names[i] " " $i ", budget " held[i])
                }
            }
        }
        END {
            for (key in budget) {
                split(key, parts, " ")
                if (!(parts[2] in gone)) fail(key, "a budget, and no such kernel")
            }
            if (failed) print "Where this is meant, run bench/kernels/run.sh --update and commit what it changes."
            exit failed
        }' "$work/skipped" "$1" "$2" || return 1
    echo "within the budgets"
}

compare() {
    is_known "$driver" || return 0
    compare_rows "$budgets" "$work/rows" "$columns" "VGPRs spills LDS code VALU loads" "${families[*]}"
}

if [ $# -gt 0 ] && ! [[ $# = 1 && $1 =~ ^--(quick|update|bits)$ ]] && ! [[ $# = 2 && $1 =~ ^--(assembly|profile)$ ]]; then
    echo "usage: bench/kernels/run.sh [--quick | --update | --bits | --profile WORKLOAD | --assembly FOLDER]" >&2
    exit 2
fi
manifest=$(compgen -G '/usr/share/vulkan/icd.d/radeon_icd*.json' | head -n 1) || true
if [ -z "$manifest" ]; then
    echo "bench/kernels/run.sh: RADV is not installed: Debian's mesa-vulkan-drivers" >&2
    exit 1
fi
if [ "${1:-}" = --bits ]; then
    compare_bits
    exit
fi
if [ "${1:-}" = --profile ]; then
    print_phases "$2"
    exit
fi
if [ "${1:-}" = --quick ]; then
    families=(polaris10 navi21)
fi
compilers=()
for family in "${families[@]}"; do
    compile "$family" ${2:+"$2"} &
    compilers+=($!)
done
for compiler in "${compilers[@]}"; do wait "$compiler"; done
driver=$(grep '^driver ' "$work/${families[0]}")
sed -n 's/^skipped \([^:]*\):.*/\1/p' "$work/${families[0]}" >"$work/skipped"
grep '^skipped ' "$work/${families[0]}" || true
for family in "${families[@]}"; do make_rows "$family"; done >"$work/rows"
echo "$driver"
(echo "$columns" && cat "$work/rows") | awk '{ printf "%-9s  %-31s  %-8s", $1, $2, $3
    for (i = 4; i <= NF; i++) printf " %7s", $i; print "" }'
case "${1:-}" in
--update) update && update_profiles ;;
*) compare ;;
esac
