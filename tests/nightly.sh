#!/usr/bin/env bash
# Runs random programs, frames, fuzzing and sanitizers for a given time:
#
#   tests/nightly.sh [MINUTES]    60 by default; the time to build is not included
#
# Prints a line for each part, then the totals, and keeps the log of each part in build/nightly. Exits with 1 if it
# found a failure. Each night runs different random programs: the script prints the number of the first one, and
# LIMBER_FIRST=NUMBER repeats them. New inputs that the fuzzers find stay in build/nightly/corpus for the next night.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
exec </dev/null
. .ci/packages.sh

minutes=${1:-60}
if ! [[ $minutes =~ ^[1-9][0-9]*$ ]]; then
    echo "usage: tests/nightly.sh [MINUTES]" >&2
    exit 2
fi
first=${LIMBER_FIRST:-$(($(date +%s) - 1767225600))} # seconds since the start of 2026
unset LIMBER_FIRST LIMBER_SECONDS LIMBER_PROGRAMS LIMBER_FRAMES LIMBER_CASES LIMBER_ONLY LIMBER_EMULATED
night=$PWD/build/nightly
logs=$night/logs
rm -rf "$logs"
mkdir -p "$logs" "$night/corpus"
keep_pipelines "$night/pipelines"

# build PRESET TARGET...
build() {
    local options=()
    [ "$1" = release ] || options+=("-DLIMBER_KERNELS=$PWD/build/release/shaders/kernels")
    # CI compiles some programs with GCC alone: Clang's warnings are found here.
    [ "$1" != sanitize ] || options+=(-DLIMBER_WERROR=ON "$(ufbx_option)")
    if ! { cmake --preset "$1" "${options[@]}" && cmake --build --preset "$1" --target "${@:2}"; } >"$logs/build-$1.log" 2>&1; then
        tail -n 40 "$logs/build-$1.log"
        echo "The build of the preset $1 failed"
        exit 1
    fi
}

# ---- Parts: each function gets its time in seconds, and calls `report` once. ----

# report NAME FINDINGS TEXT: prints the line of a part. NAME.counts already contains its counts.
report() {
    if [ "$2" -eq 0 ]; then
        touch "$logs/$1.passed"
        printf 'ok      %-34s %s\n' "$1" "$3"
    else
        touch "$logs/$1.failed"
        printf 'FOUND   %-34s %s; build/nightly/logs/%s.log ends:\n%s\n' "$1" "$3" "$1" "$(tail -n 25 "$logs/$1.log" | sed 's/^/    /')"
    fi
}

# count NAME WHAT NUMBER
count() {
    echo "$2 $3" >>"$logs/$1.counts"
}

# limited NAME SECONDS COMMAND...: stops the command after this time, which does not count as a failure.
stopped=
limited() {
    local name=$1 limit=$2 status=0
    shift 2
    stopped=
    timeout --kill-after=10 "$limit" "$@" >>"$logs/$name.log" 2>&1 || status=$?
    if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
        stopped=", stopped by the clock"
        ! grep -q '^\[  FAILED  \]' "$logs/$name.log"
        return
    fi
    [ "$status" -eq 0 ]
}

# Reads the numbers of programs and values from the last line of each loop.
count_programs() {
    local programs values
    read -r programs values < <(awk '/^random programs: / { sub(/^random programs: /, ""); split($0, part, ": ")
            split(part[2], word, " "); programs[part[1]] = word[1]; values[part[1]] = word[6] }
        END { for (name in programs) { p += programs[name]; v += values[name] } printf "%d %.0f\n", p, v }' "$logs/$1.log")
    count "$1" programs "$programs"
    count "$1" values "$values"
    text="$programs programs, $values values compared"
}

# most_of SECONDS: leaves the rest for the program that a suite runs when its time ends.
most_of() {
    echo $(($1 > 50 ? $1 - 10 : $1 * 8 / 10))
}

# random SECONDS SUITE CASES [MANIFEST]
random() {
    local name=$2${4:+-$(basename "$4" .json)} found=0 text
    LIMBER_ONLY=$3 LIMBER_FIRST=$first LIMBER_SECONDS=$(most_of "$1") \
        limited "$name" "$1" ${4:+env VK_DRIVER_FILES="$4" VK_ICD_FILENAMES="$4"} "build/release/$2" || found=1
    count_programs "$name"
    report "$name" "$found" "$text$stopped"
}

golden_of() {
    local found=0
    limited "golden-$2" "$1" "build/$2/golden" || found=1
    report "golden-$2" "$found" "the golden hashes of the preset $2$stopped"
}

# foreign SECONDS PRESET [LABEL]: runs all tests without a device, or those with this label, under an emulator: AArch64
# under QEMU, Windows under Wine.
foreign() {
    local name=$2${3:+-$3} found=0 cases
    limited "$name" "$1" ctest --preset "$2" --verbose --timeout 100000 ${3:+-L "^$3\$"} || found=1
    cases=$(grep -c '\[       OK \]' "$logs/$name.log")
    count "$name" cases "$cases"
    report "$name" "$found" "$cases cases$stopped"
}

# Tests the 16-wide vector path by emulation, for processors without AVX-512: there no other part runs it. These tests
# cover every CPU path.
avx512() {
    local found=0 cases
    LIMBER_EMULATED=1 limited avx512 "$1" ctest --test-dir build/avx512 --verbose --timeout 100000 -L '^vectors$' || found=1
    grep -q '^[0-9]*: simd 16 *default *0x' "$logs/avx512.log" || found=1
    cases=$(grep -c '\[       OK \]' "$logs/avx512.log")
    count avx512 cases "$cases"
    report avx512 "$found" "$cases cases$stopped"
}

# Compares what drivers of Radeons, NVIDIA's and Intel's GPUs compile with its budgets.
kernels() {
    local found=0 skipped
    limited kernels "$1" bench/kernels/run.sh || found=1
    skipped=$(sed -n 's/^\(skipped: .*\)/; \1/p' "$logs/kernels.log" | tr -d '\n')
    report kernels "$found" "the budgets of the kernels$skipped$stopped"
}

# peer SECONDS SCRIPT ARGUMENTS...: compares with another program, where that can be had.
peer() {
    local name=peer-$(basename "$(dirname "$2")")-$(basename "$2" .sh) found=0
    limited "$name" "$1" "${@:2}" || found=1
    if [ "$found" -ne 0 ] && grep -q '^skipped: ' "$logs/$name.log"; then found=0; fi
    report "$name" "$found" "$(tail -1 "$logs/$name.log")$stopped"
}

golden_long() {
    local found=0
    limited golden_long "$1" build/release/golden long || found=1
    count golden_long frames "$([ -n "$stopped" ] && echo 0 || echo 10000)"
    report golden_long "$found" "10,000 frames on the CPU$stopped"
}

# Runs the suites with all cases that need no device, with the vector paths of this processor, and tests the ports of
# package managers.
all_cases() {
    local found=0 cases
    limited all_cases "$1" ctest --preset release --verbose --timeout 100000 -L '^nightly$' || found=1
    cases=$(grep -c '\[       OK \]' "$logs/all_cases.log")
    count all_cases cases "$cases"
    report all_cases "$found" "$cases cases$stopped"
}

# lockstep SECONDS MANIFEST...: 3,600 frames of a game natively, in node, in a browser and on devices.
lockstep() {
    local found=0 legs
    limited lockstep "$1" tests/samples/lockstep_everywhere.sh 3600 build/release build/web-lockstep "${@:2}" || found=1
    if tail -1 "$logs/lockstep.log" | grep -q '^skipped: '; then found=0; fi
    legs=$(grep -c ' s  3600 frames of ' "$logs/lockstep.log")
    count lockstep frames $((3600 * legs))
    report lockstep "$found" "3,600 frames of a game, $legs times$stopped"
}

# Runs 10,000 frames, then other frames until the time ends.
frames() {
    local name=frames-$(basename "$2" .json) found=0 start=$SECONDS left frames
    LIMBER_ONLY=random_events LIMBER_FRAMES=10000 LIMBER_SECONDS=$(most_of "$1") \
        limited "$name" "$1" env VK_DRIVER_FILES="$2" VK_ICD_FILENAMES="$2" build/release/control_gpu_test || found=1
    left=$(($1 - (SECONDS - start)))
    if [ "$found" -eq 0 ] && [ "$left" -gt 30 ]; then
        LIMBER_ONLY=random_events LIMBER_FIRST=$first LIMBER_FRAMES=1000000000 LIMBER_SECONDS=$(most_of "$left") \
            limited "$name" "$left" env VK_DRIVER_FILES="$2" VK_ICD_FILENAMES="$2" build/release/control_gpu_test || found=1
    fi
    frames=$(awk '/^random events: / { sum += $3 } END { print sum + 0 }' "$logs/$name.log")
    count "$name" frames "$frames"
    report "$name" "$found" "$frames frames$(grep -q 'the golden hash' "$logs/$name.log" && echo ', the golden hash')$stopped"
}

# Fuzzes for most of the time, then removes redundant inputs from the corpus.
fuzz() {
    local name=$2 corpus=$night/corpus/$2 seeds=() found=0 runs end=$((SECONDS + $1))
    mkdir -p "$corpus"
    [ ! -d "tests/corpus/$name" ] || seeds=("tests/corpus/$name")
    limited "$name" "$1" "build/sanitize/$name" -max_total_time=$(($1 * 8 / 10)) -timeout=10 -rss_limit_mb=2048 \
        -print_final_stats=1 "-artifact_prefix=$logs/$name-" "$corpus" "${seeds[@]}" || found=1
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$logs/$name.log")
    count "$name" executions "${runs:-0}"
    if [ "$found" -eq 0 ] && [ "$end" -gt "$SECONDS" ]; then
        rm -rf "$corpus.min"
        mkdir "$corpus.min"
        if timeout "$((end - SECONDS))" "build/sanitize/$name" -merge=1 -rss_limit_mb=2048 "$corpus.min" "$corpus" "${seeds[@]}" \
            >"$logs/$name-merge.log" 2>&1; then
            rm -rf "$corpus"
            mv "$corpus.min" "$corpus"
        fi
        rm -rf "$corpus.min"
    fi
    report "$name" "$found" "${runs:-0} executions, $(find "$corpus" -type f | wc -l) inputs kept$stopped"
}

# sanitized SECONDS SUITE [MANIFEST]: runs a suite with sanitizers and all cases.
sanitized() {
    local name=sanitized-$2 found=0 cases
    LIMBER_CASES=nightly LIMBER_FIRST=$first limited "$name" "$1" \
        ${3:+env VK_DRIVER_FILES="$3" VK_ICD_FILENAMES="$3"} ctest --preset sanitize --verbose --timeout 100000 -R "^$2\$" -FA . || found=1
    cases=$(grep -c '\[       OK \]' "$logs/$name.log")
    count "$name" cases "$cases"
    report "$name" "$found" "$cases cases$stopped"
}

# Compares FBX clips with Autodesk's library.
peers() {
    local found=0
    limited peers "$1" tests/peers/fbx.sh build/sanitize/limber || found=1
    report peers "$found" "$(grep -c '^ok' "$logs/peers.log") FBX clips as Autodesk's library has them$stopped"
}

# Runs the suites with cases that CI runs on one driver only.
cases() {
    local name=cases-$(basename "$2" .json) found=0 cases
    LIMBER_CASES=nightly LIMBER_FIRST=$first limited "$name" "$1" env VK_DRIVER_FILES="$2" VK_ICD_FILENAMES="$2" \
        ctest --preset release --verbose --timeout 100000 -FA . -L '^cases$' || found=1
    cases=$(grep -c '\[       OK \]' "$logs/$name.log")
    count "$name" cases "$cases"
    report "$name" "$found" "$cases cases$stopped"
}

# worker NUMBER: runs the worker's parts in order, each with its share of the remaining time. If a share is below the
# part's min, the worker skips the part, and the others get its time.
worker() {
    local weight min part share i
    local -i weights=0
    for ((i = $1; i < ${#parts[@]}; i += workers)); do weights+=${parts[i]%% *}; done
    for ((i = $1; i < ${#parts[@]}; i += workers)); do
        read -r weight min part <<<"${parts[i]}"
        share=$(((end - SECONDS) * weight / weights))
        weights=$((weights - weight))
        if [ "$share" -lt "$min" ]; then
            printf 'left out: %s: %d s, and it needs %d\n' "$part" "$share" "$min"
            echo "$part" >>"$logs/left-out"
        else
            read -ra part <<<"$part"
            "${part[0]}" "$share" "${part[@]:1}"
        fi
    done
}

install_packages "${packages_build[@]}" "${packages_nightly[@]}"
# For peers. A part whose peer is missing says so.
(install_packages "${packages_peers[@]}") || true
if [ -z "$(vulkan_manifests)" ]; then
    install_packages "${packages_driver[@]}"
fi
tests/ufbx.sh build/ufbx || [ $? -eq 77 ] || exit
build release all
build sanitize all
build sanitize fuzzers
# Systems without Debian's cross compilers and packages leave AArch64 and Windows out.
emulated=()
if { command -v aarch64-linux-gnu-gcc && command -v qemu-aarch64 && command -v apt-get; } >/dev/null; then
    (aarch64_cmocka) >"$logs/aarch64-packages.log" 2>&1
    build aarch64 all
    emulated=("2 40 foreign aarch64 foreign" "6 300 foreign aarch64")
fi
if { command -v x86_64-w64-mingw32-gcc && [ -x /usr/lib/wine/wine64 ] && command -v apt-get; } >/dev/null; then
    (windows_cmocka) >"$logs/windows-packages.log" 2>&1
    build windows all
    mkdir -p build/wine
    wine_server -p
    trap 'wine_server -k' EXIT
    # Wine loses exit codes of programs that start while it creates its folder.
    WINEPREFIX=$PWD/build/wine WINEDEBUG=-all tests/wine.sh build/windows/golden.exe >"$logs/wine.log" 2>&1
    emulated+=("2 40 foreign windows foreign" "3 120 foreign windows")
fi
if ! grep -q '^flags.* avx512dq' /proc/cpuinfo; then
    build avx512 tests-vectors
    emulated=("2 120 avx512" "${emulated[@]}") # it cannot end early
fi
build clang golden
build O0 golden
build clang-O0 golden

drivers=()
for manifest in $(vulkan_manifests); do
    if devices=$(with_driver "$manifest" build/release/vulkan_devices 2>/dev/null); then
        drivers+=("$manifest")
        printf '%s: %s\n' "$manifest" "$devices"
    fi
done
printf 'built in %d s; %d minutes, random cases from number %d\n' "$SECONDS" "$minutes" "$first"

# Weight, min seconds, function and its arguments. Parts that can end early come first, so that the others get their
# remaining time.
parts=("2 10 golden_long" "2 100 all_cases" "1 5 golden_of clang" "1 5 golden_of O0" "1 5 golden_of clang-O0" "${emulated[@]}")
if compgen -G '/usr/share/vulkan/icd.d/radeon_icd*.json' >/dev/null; then parts+=("5 240 kernels"); fi
parts+=("6 240 peer tests/peers/three/run.sh build/release/limber tests/corpus/files ../shared/assets")
parts+=("1 60 peer tests/peers/testmodels.sh build/sanitize/limber" "3 90 peer tests/peers/blender/run.sh build/release/limber")
# suites CTEST_ARGUMENTS...: those that CI leaves out of its sanitizers, or runs there with few cases. The first ones
# are left out if time is short, so each night begins with another one.
suites() {
    local names i
    mapfile -t names < <(ctest --preset sanitize -N -L '-with-sanitizers$' "$@" | sed -n 's/^ *Test *#[0-9]*: //p')
    for ((i = 0; i < ${#names[@]}; i++)); do echo "${names[(first + i) % ${#names[@]}]}"; done
}
for suite in $(suites -LE gpu); do parts+=("2 60 sanitized $suite"); done
if [ -f build/ufbx/ufbx.c ]; then
    parts+=("1 60 sanitized fbx_test")
    if command -v npm >/dev/null; then parts+=("2 120 peers"); fi
fi
if [ ${#drivers[@]} -gt 0 ]; then
    longest='^(demo|gpu_bits|graph_gpu|program_random_gpu)_test$'
    for suite in $(suites -L gpu -R "$longest"); do parts+=("4 180 sanitized $suite ${drivers[0]}"); done
    for suite in $(suites -L gpu -E "$longest"); do parts+=("2 120 sanitized $suite ${drivers[0]}"); done
fi
parts+=("6 200 lockstep ${drivers[*]}")
for manifest in "${drivers[@]}"; do parts+=("5 300 cases $manifest"); done
for manifest in "${drivers[@]}"; do parts+=("4 60 frames $manifest"); done
for fuzzer in build/sanitize/*_fuzz; do parts+=("2 5 fuzz $(basename "$fuzzer")"); done
parts+=("1 5 random graph_random_test what_is_written*" "2 5 random program_random_test same_bits*")
parts+=("1 5 random control_random_test same_bits*" "2 5 random oracle_control_test random_graphs*")
for manifest in "${drivers[@]}"; do
    parts+=("6 60 random program_random_gpu_test same_bits* $manifest" "3 60 random control_random_gpu_test same_bits* $manifest")
done

workers=$(nproc) end=$((SECONDS + 60 * minutes)) pids=()
for ((number = 0; number < workers; number++)); do
    worker "$number" &
    pids+=($!)
done
wait "${pids[@]}"

passed=$(find "$logs" -name '*.passed' | wc -l)
left=$(cat "$logs/left-out" 2>/dev/null | wc -l)
failed=$((${#parts[@]} - passed - left))
awk '{ sum[$1] += $2 } END { printf "%.0f programs, %.0f values compared, %.0f frames, %.0f fuzz executions, %.0f cases",
    sum["programs"], sum["values"], sum["frames"], sum["executions"], sum["cases"] }' "$logs"/*.counts
printf ', %d findings\ntook %d s, %d parts left out\n' "$failed" "$SECONDS" "$left"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
