#!/usr/bin/env bash
# Golden hashes and random cases as WebAssembly in node and in Chromium: each suite passes, and prints the hashes of the
# native build.
#
#   tests/web/hashes.sh BUILD FOLDER SUITE...
#
# BUILD is the folder of a native build, FOLDER that of the preset web or web-scalar. LIMBER_PROGRAMS counts for all.
set -euo pipefail
build=$1 folder=$2
shift 2
run=$(dirname "${BASH_SOURCE[0]}")/run.sh
failed=0

# hashes_of COMMAND...: prints the lines with a hash that every build has: those of the reference and of controls, and
# the last one of a loop of random cases. A loop hashes the results of the reference, so one vector path is enough.
hashes_of() {
    "$@" 2>&1 | tee "$log" | awk '/^(control|motion|reference|fast) .* 0x/
        /^random programs: (simd 4|controls): / { last[$3] = $0 }
        END { for (name in last) print last[name] }'
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
for suite in "$@"; do
    expected=$(hashes_of "$build/$suite")
    for engine in node chromium; do
        start=$SECONDS
        if found=$(LIMBER_ENGINE=$engine hashes_of "$run" "$folder/$suite.js") && [ "$found" = "$expected" ]; then
            printf 'ok      %-20s %-9s %3d s, %d hashes of the native build\n' "$suite" $engine $((SECONDS - start)) \
                "$(grep -c . <<<"$found")"
        else
            printf 'FAILED  %-20s %-9s\n' "$suite" $engine
            tail -n 20 "$log"
            diff <(echo "$expected") <(echo "$found") || true
            failed=1
        fi
    done
done
[ "$failed" -eq 0 ]
