#!/usr/bin/env bash
# Installs missing packages, builds, and runs the quick tests: those without a GPU once, the others on every Vulkan
# driver present. With --full as the first argument, also runs the full set, as CI does. Further arguments go to ctest
# (-R NAME, -j 4 ...).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. .ci/packages.sh

sets=quick device_cases=${LIMBER_CASES:-quick}
if [ "${1:-}" = --full ]; then
    sets='quick|full' device_cases=${LIMBER_CASES:-full}
    shift
fi
passed=0 failed=0 skipped=0
results=build/release/results.xml

heading() { printf '\n== %s\n' "$*"; }

# Prints a count from the head of CTest's result file, or 0 if there is none.
attribute() {
    local count
    count=$(sed -n "s/^[[:space:]]*$1=\"\([0-9]*\)\".*/\1/p" "$results" 2>/dev/null | head -n 1)
    echo "${count:-0}"
}

# run_tests CTEST_ARGUMENTS...: runs tests and adds to the counts. A failed run without a failed test counts as one
# failure.
run_tests() {
    local run fail skip status=0
    rm -f "$results"
    ctest --preset release -j "$(nproc)" --no-tests=ignore --output-junit "$PWD/$results" "$@" || status=$?
    run=$(attribute tests) fail=$(attribute failures) skip=$(($(attribute skipped) + $(attribute disabled)))
    if [ "$status" -ne 0 ] && [ "$fail" -eq 0 ]; then # the file does not count a test that could not start as a failure
        fail=1 skip=$((skip > 0 ? skip - 1 : 0))
        run=$((run > 0 ? run : 1))
    fi
    passed=$((passed + run - fail - skip)) failed=$((failed + fail)) skipped=$((skipped + skip))
    # CTest counts cases that a suite skips itself (because of a missing asset, for example) as passed, so this lists
    # them.
    sed -n 's/^.*\[  SKIPPED \] \([a-zA-Z_].*\)$/skipped inside a suite: \1/p' "$results" | sort -u
}

keep_pipelines "$PWD/build/pipelines"

heading "Packages"
install_packages "${packages_build[@]}"
if [ -z "$(vulkan_manifests)" ]; then
    install_packages "${packages_driver[@]}"
fi
echo "complete"

heading "Build"
mkdir -p build
cmake --preset release >build/release.log 2>&1 || { cat build/release.log >&2; exit 1; }
cmake --build --preset release

heading "Tests without a GPU"
run_tests -L "$sets" -LE gpu "$@"

drivers=()
find_drivers() {
    local manifest devices
    for manifest in $(vulkan_manifests); do
        if devices=$(with_driver "$manifest" build/release/vulkan_devices 2>/dev/null </dev/null); then
            drivers+=("$manifest")
            printf '%s: %s\n' "$manifest" "$devices"
        else
            echo "$manifest: no device, left out"
        fi
    done
}

heading "Vulkan drivers"
find_drivers
if [ ${#drivers[@]} -eq 0 ] && [ -z "${VK_DRIVER_FILES:-${VK_ICD_FILENAMES:-}}" ]; then
    install_packages "${packages_driver[@]}"
    find_drivers
fi

for manifest in "${drivers[@]}"; do
    heading "GPU tests with $manifest"
    LIMBER_CASES=$device_cases with_driver "$manifest" run_tests -L "$sets" -L gpu "$@"
done
if [ ${#drivers[@]} -eq 0 ]; then
    heading "GPU tests"
    count=$(ctest --preset release -N -L "$sets" -L gpu "$@" | sed -n 's/^Total Tests: //p')
    skipped=$((skipped + count))
    echo "no Vulkan device: $count tests SKIPPED"
fi

heading "Summary"
[ "$skipped" -eq 0 ] || echo "$skipped tests were skipped"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
