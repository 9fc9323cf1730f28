#!/usr/bin/env bash
# Compares the bits and measures times on a machine that has a Vulkan driver and its loader but no compilers:
#
#   bench/elsewhere.sh pack FOLDER [--loader]   here: packs the release build's programs and the libraries they need;
#                                               with --loader also the Vulkan loader
#   FOLDER/elsewhere.sh run OUT                 there: runs the tests against the reference, then limber-bench
#   bench/plot.sh OUT/results.json              here again: creates the plots and tables of docs/figures.md from it
#
# Writes to OUT: machine.txt (date, processor, devices and drivers), bits.txt (the result of each test), tests.log,
# results.json, machines.txt (results of the workload of that name) and bench.log. Exit status: 1 if a test or the bench
# failed, else 3 if one exceeded its time, which decides nothing. All of them are run in any case.
#
# All tests run at once, then the bench alone. SECONDS_A_TEST (180) and SECONDS_OF_BENCH (300, for each of its two runs)
# limit the time. Clips from files are not measured.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/packed.sh"

# Tests that compare a device with the reference and need no characters from files.
tests=(golden_gpu_test control_gpu_test inertia_gpu_test program_random_gpu_test control_random_gpu_test gpu_bits_test
    extremes_gpu_test blend_profile_gpu_test chain_gpu_test foot_walk_gpu_test gpu_host_test gpu_profile_test
    gpu_readback_test)
programs=(golden "${tests[@]}" limber limber-bench)
assets=()

failed=0 late=0

# Adds a line to bits.txt: the result of a program by its exit status.
emit() {
    local name=$1 status=$2 seconds=$3 outcome
    case $status in
    0) outcome=passed ;;
    77) outcome='failed: there is no device that can be used' failed=1 ;;
    124) outcome="ran past its time of $seconds s" late=1 ;;
    *) outcome="failed ($status)" failed=1 ;;
    esac
    printf '%-26s %s\n' "$name" "$outcome" | tee -a "$out/bits.txt"
}

# within SECONDS COMMAND...: runs a command with a time limit, and prints its exit status as the last line.
within() {
    local seconds=$1 status=0
    shift
    timeout "$seconds" "$@" || status=$?
    printf '\nexit status %s\n' "$status"
}

# The exit status that within() printed at the end of a file.
status_in() {
    sed -n '$s/^exit status //p' "$1"
}

prove() {
    local test seconds=${SECONDS_A_TEST:-180}
    for test in golden "${tests[@]}"; do
        within "$seconds" "./$test" >"$work/$test.log" 2>&1 &
    done
    wait
    for test in golden "${tests[@]}"; do
        echo "==== $test"
        cat "$work/$test.log"
        emit "$test" "$(status_in "$work/$test.log")" "$seconds" >&3
    done
}

# measure NAME FILE ARGUMENTS...: runs limber-bench and writes what it prints to a file.
measure() {
    local name=$1 to=$2 status=0 seconds=${SECONDS_OF_BENCH:-300}
    shift 2
    timeout "$seconds" ./limber-bench "$@" >"$to" || status=$?
    emit "$name" "$status" "$seconds" >&3
}

measure_all() {
    measure limber-bench "$out/results.json" --all --seconds 0.3 --longest-frame 5 --json
    measure 'limber-bench, machines' "$out/machines.txt" --workload machines --characters 1000,100000 --seconds 0.3
}

run() {
    : >"$out/bits.txt"
    emit_machine | tee "$out/machine.txt" || emit 'limber devices' $? 60
    exec 3>&1
    prove >"$out/tests.log" 2>&1
    measure_all 2>"$out/bench.log"
    [ "$failed" -eq 0 ] || return 1
    [ "$late" -eq 0 ] || return 3
}

packed_main "$@"
