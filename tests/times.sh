#!/usr/bin/env bash
# Measures the processor time of suites in seconds, and writes it into tests/times.txt, which tests/list.sh prints:
#
#   tests/times.sh [REGEX]    all suites, or those with matching names
#
# Suites that need a device run on every Vulkan driver present, and get a figure for each. Needs the release build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. .ci/packages.sh

times=tests/times.txt
TIMEFORMAT='%U %S'

# seconds NAME: prints the sum of user and system time, or nothing if the suite failed. Fixtures must have run before.
seconds() {
    { time ctest --preset release -R "^$1\$" -FA . >/dev/null 2>&1 || echo failed; } 2>&1 |
        awk '/failed/ { failed = 1 } NF == 2 { sum = $1 + $2 } END { if (!failed) printf sum < 9.95 ? "%.1f" : "%.0f", sum }'
}

# names CTEST_ARGUMENTS...
names() {
    ctest --preset release -N "$@" | sed -n 's/^ *Test *#[0-9]*: //p'
}

# write NAME SECONDS
write() {
    printf '%-28s %s\n' "$1" "$2"
    sed -i "/^$1 /d" "$times"
    [ -z "$2" ] || echo "$1 $2" >>"$times"
    LC_ALL=C sort -o "$times" "$times"
}

for name in $(names -LE gpu -R "${1:-.}" -FA .); do
    write "$name" "$(seconds "$name")"
done
for name in $(names -L gpu -R "${1:-.}" -FA .); do
    figures=
    for manifest in $(vulkan_manifests); do
        if with_driver "$manifest" build/release/vulkan_devices >/dev/null 2>&1; then
            figures+="${figures:+, }$(with_driver "$manifest" seconds "$name")"
        fi
    done
    write "$name" "$figures"
done
