#!/usr/bin/env bash
# Measures what bounds a GPU, and frames of workloads, on a machine that has a Vulkan driver but no compilers:
#
#   bench/lab.sh pack FOLDER [--loader]   here: packs limber-lab and the libraries it needs; with --loader also the
#                                         Vulkan loader
#   FOLDER/lab.sh run OUT                 there: runs it
#
# Writes to OUT: machine.txt (date, processor, devices and drivers), lab.txt (limber-lab) and plain.txt
# (limber-lab-plain, the frames by a pose kernel without the promise). Exit status: 1 if a program failed or a palette
# has other bits than the reference. SECONDS_OF_LAB (240) limits the time of each program; LAB_OPTIONS are added to
# their options. The best device is measured. bench/elsewhere.sh compares the bits of all operations.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/packed.sh"
programs=(limber limber-lab limber-lab-plain)
assets=(pab)

# measure PROGRAM FILE: prints what it prints, and writes it to the file.
measure() {
    local status=0
    # shellcheck disable=SC2086 # options are words
    timeout "${SECONDS_OF_LAB:-240}" "./$1" ${LAB_OPTIONS:-} 2>&1 | tee "$2" || status=$?
    [ "$status" -eq 0 ] || echo "$1: failed ($status)" | tee -a "$2"
    return "$status"
}

run() {
    local status=0
    emit_machine | tee "$out/machine.txt"
    measure limber-lab "$out/lab.txt" || status=1
    measure limber-lab-plain "$out/plain.txt" || status=1
    if grep -q ' apart$' "$out/lab.txt"; then
        echo "lab.sh: palettes have other bits than the reference"
        status=1
    fi
    return "$status"
}

packed_main "$@"
