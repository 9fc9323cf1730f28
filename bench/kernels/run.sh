#!/usr/bin/env bash
# Compiles every kernel for GPUs that are not there, by Mesa's drivers. The kernels are compiled, and some are emulated,
# but not run on hardware. There are three back ends:
#
#   radeon   five families, by this system's RADV
#   nvidia   a GA102, by NVK and its compiler NAK
#   intel    two generations, by ANV
#
# The last two are drivers of a newer Mesa, which mesa.sh gets into build/mesa. Where that cannot be had, a line says so.
#
#   bench/kernels/run.sh [BACKEND...]            prints a table for each and compares it with bench/kernels/BACKEND.txt:
#                                                exit 1 if a figure is more than 5 % above its budget
#   bench/kernels/run.sh --quick                 the same for two of the Radeons, alone
#   bench/kernels/run.sh --update [BACKEND...]   rewrites the budgets; with radeon also those of --bits
#   bench/kernels/run.sh --assembly FOLDER [BACKEND...]  also writes the disassembly of each kernel to FOLDER/DEVICE
#   bench/kernels/run.sh --bits                  runs 64 characters of each workload on an emulated navi21, and compares
#                                                the bits of palettes and of the control's states with the reference:
#                                                exit 1 if one differs, or if a count is more than 5 % above
#                                                bench/kernels/profile.txt
#   bench/kernels/run.sh --profile WORKLOAD      prints what the phases of its kernels consist of and wait for
#
# Columns: lanes of a subgroup; registers per lane (on Intel those in use at once, of 128 that all lanes of a thread
# share); spilled registers of all kinds (on NVIDIA also words of arrays that code indexes, on Intel instructions that
# spill); bytes of workgroup memory and of code; instructions; loads from global memory (on Intel all messages).
# Radeons also have vector instructions, registers per wave, which are not limited on RDNA, and waves of 64 lanes that a
# SIMD holds at once. All have budgets except the last two.
# Columns of --bits, per joint or per character's control: vector instructions times the lanes of a wave; cycles of a
# SIMD that never waits; loads times lanes. Then for each kernel, with the workgroups that devices with subgroups of 64
# and of 32 lanes get: lanes in use in percent; per joint, or per character for weights, control and match, instructions
# times the lanes of a subgroup of 32, loads times these, sectors of 32 bytes that are loaded; and for subgroups of 32
# the cycles of a workgroup in the model of rdna_profile.h. --profile has instructions by kind, cycles by cause, and the
# sectors that a workgroup fetches into the first cache, too.
# Budgets, and the initial state of a kernel, are valid for one version of Mesa; with another one nothing is compared.
# Needs the release build and Debian's mesa-vulkan-drivers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. .ci/packages.sh

program=build/release/limber-bench-kernels
here=bench/kernels
# GCN 4 and 5, RDNA 1 to 3. A TU104 has the same code as a GA102. Generation 9 of Intel, and Arc.
declare -A devices_of=([radeon]="polaris10 vega10 navi14 navi21 gfx1100" [nvidia]="ga102" [intel]="skl dg2")
columns='device workload kernel lanes registers spills shared code instructions loads vector scalars waves'
profile_columns='subgroup workload kernel lanes% instructions loads sectors cycles'
# What limber-bench-kernels -p prints after workload, kernel and phase.
phase_columns='lanes% instructions float select integer multiply move scalar scalar-loads branch LDS-reads LDS-writes loads
    stores sectors stored cycles issue arithmetic LDS scalar-load L1 L2 memory barrier fetched'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# on_device DEVICE COMMAND...: runs a command with the driver of a device.
on_device() {
    local device=$1
    shift
    case $device in
    ga102) NOUVEAU_CHIPSET=172 $here/mesa.sh run build/mesa nouveau "$@" ;;
    skl | dg2) INTEL_STUB_GPU_PLATFORM=$device $here/mesa.sh run build/mesa intel "$@" ;;
    *) RADV_FORCE_FAMILY=$device with_driver "$manifest" "$@" ;;
    esac
}

# compile DEVICE: writes the program's output to $work/DEVICE.
compile() {
    local options=()
    if [ -n "$assembly" ]; then
        mkdir -p "$assembly/$1"
        options=(-d "$assembly/$1")
    fi
    on_device "$1" "$program" "${options[@]}" >"$work/$1"
}

# RADV counts waves of 32 lanes on RDNA, but compute kernels have 64 by default, and it rounds up how many fit the LDS:
# 128 KiB for four SIMDs, 64 KiB on GCN.
make_rows() {
    awk -v device="$1" '
        BEGIN { rdna = device !~ /^(polaris|vega)/ }
        $1 == "driver" || $1 == "skipped" { next }
        {
            waves = $13
            if (waves != "-") {
                waves = rdna ? waves / 2 : waves
                by_memory = $7 > 0 ? int((rdna ? 131072 : 65536) / $7) * int(($3 + 63) / 64) / 4 : waves
                waves = by_memory < waves ? by_memory : waves
            }
            print device, $1, $2, $4, $5, $6, $7, $8, $9, $10, $11, $12, waves
        }' "$work/$1"
}

# update BUDGETS ROWS COLUMNS TITLE: rewrites budgets, and keeps those of workloads that cannot be compiled here.
update() {
    {
        echo "# $4, by bench/kernels/run.sh --update."
        echo "# $3"
        echo "$driver"
        cat "$2"
        [ "$driver" != "$(grep '^driver ' "$1" 2>/dev/null)" ] ||
            awk 'FNR == NR { gone[$1]; next } $2 in gone' "$work/skipped" "$1"
    } >"$work/budgets"
    mv "$work/budgets" "$1"
    echo "wrote $1"
}

# compare BUDGETS ROWS DEVICES
compare() {
    local known
    known=$(grep '^driver ' "$1")
    if [ "$driver" != "$known" ]; then
        echo "skipped: $driver, and the budgets are for $known"
    elif awk -v devices="$3" -v skipped="$(xargs <"$work/skipped")" -f $here/compare.awk "$1" "$2"; then
        echo "within the budgets"
    else
        echo "Where this is meant, run bench/kernels/run.sh --update and commit what it changes."
        return 1
    fi
}

# Sets the driver, and the workloads that it skipped.
read_driver() {
    driver=$(grep '^driver ' "$1")
    sed -n 's/^skipped \([^:]*\):.*/\1/p' "$1" >"$work/skipped"
}

# emulate SUBGROUP [WORKLOAD]: runs workloads with workgroups for subgroups of so many lanes.
emulate() {
    on_device navi21 "$program" -p -s "$1" ${2:+-w "$2"} >"$work/emulated-$1"
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
    read_driver "$work/emulated-64"
    return "$status"
}

compare_bits() {
    local status=0
    emulate_all || status=$?
    grep -v '^profile ' "$work/emulated-64"
    (echo "$profile_columns" && cat "$work/profiles") | awk '{ printf "%-8s  %-31s  %-8s", $1, $2, $3
        for (i = 4; i <= NF; i++) printf " %12s", $i; print "" }'
    compare $here/profile.txt "$work/profiles" "64 32" || status=1
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

# Compiles for all devices of a back end, and prints, compares or updates.
run_backend() {
    local devices device compilers=() compiler status=0
    read -ra devices <<<"${devices_of[$1]}"
    if [ "$1" != radeon ]; then
        $here/mesa.sh get build/mesa || status=$?
        [ "$status" -ne 77 ] || return 0
        [ "$status" -eq 0 ] || return "$status"
    fi
    for device in "${devices[@]}"; do
        compile "$device" &
        compilers+=($!)
    done
    for compiler in "${compilers[@]}"; do wait "$compiler" || status=$?; done
    [ "$status" -eq 0 ] || return "$status"
    read_driver "$work/${devices[0]}"
    for device in "${devices[@]}"; do make_rows "$device"; done >"$work/rows"
    echo "$driver"
    grep '^skipped ' "$work/${devices[0]}" || true
    (echo "$columns" && cat "$work/rows") | awk '{ printf "%-9s  %-31s  %-8s", $1, $2, $3
        for (i = 4; i <= NF; i++) printf " %12s", $i; print "" }'
    if [ "$option" != --update ]; then
        compare "$here/$1.txt" "$work/rows" "${devices[*]}"
    else
        update "$here/$1.txt" "$work/rows" "$columns" "What kernels become on devices of $1"
        if [ "$1" = radeon ]; then
            emulate_all
            update $here/profile.txt "$work/profiles" "$profile_columns" "What navi21's code executes"
        fi
    fi
}

usage() {
    echo "usage: bench/kernels/run.sh [--update | --assembly FOLDER] [radeon] [nvidia] [intel]
       bench/kernels/run.sh --quick | --bits | --profile WORKLOAD" >&2
    exit 2
}
option='' assembly='' workload=''
case ${1:-} in
--quick | --update | --bits) option=$1 && shift ;;
--assembly) [ $# -gt 1 ] || usage && option=$1 assembly=$2 && shift 2 ;;
--profile) [ $# -gt 1 ] || usage && option=$1 workload=$2 && shift 2 ;;
esac
backends=("$@")
[ $# -gt 0 ] || backends=(radeon nvidia intel)
case $option in --quick | --bits | --profile) [ $# -eq 0 ] || usage && backends=(radeon) ;; esac
for backend in "${backends[@]}"; do [ -n "${devices_of[$backend]:-}" ] || usage; done
manifest=$(compgen -G '/usr/share/vulkan/icd.d/radeon_icd*.json' | head -n 1) || true
if [ -z "$manifest" ]; then
    echo "bench/kernels/run.sh: RADV is not installed: Debian's mesa-vulkan-drivers" >&2
    exit 1
fi
case $option in
--bits)
    compare_bits
    exit
    ;;
--profile)
    print_phases "$workload"
    exit
    ;;
--quick) devices_of[radeon]="polaris10 navi21" ;;
esac
status=0
for backend in "${backends[@]}"; do
    # Not inside a condition: there the shell would ignore -e.
    set +e
    (set -e; run_backend "$backend")
    [ $? -eq 0 ] || status=1
    set -e
done
exit "$status"
