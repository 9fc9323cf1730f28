#!/usr/bin/env bash
# Prints what each test and each fuzzer tests: the first comment of its file.
#
#   tests/list.sh [REGEX]         those with matching names, of the release build, as a table of Markdown
#   tests/list.sh --check TABLE   fails if a test does not say what it tests, or has a label without a row in README.md
#
# TABLE is tests/tests.txt of a build folder: lines `name|labels|file or text`. times.txt has the seconds that times.sh
# measured.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# about FILE: its first comment, without what encloses it.
about() {
    awk '
        /^#!|^cmake_minimum_required/ || (NR < 4 && /^$/) { next }
        !/^(\/\/|#) / { exit }
        { sub(/^(\/\/|#) /, ""); printf "%s%s", said ? " " : "", $0; said = 1 }' "$1"
}

# each FUNCTION TABLE: calls FUNCTION NAME LABELS ABOUT for each line.
each() {
    local name labels text
    while IFS='|' read -r name labels text; do
        [ ! -f "$text" ] || text=$(about "$text")
        "$1" "$name" "$labels" "$text"
    done <"$2"
}

bad=0 listed=" $(sed -n 's/^| `\([a-z-]*\)` |.*/\1/p' README.md | paste -sd ' ') "
check() {
    local label
    [ ${#3} -ge 20 ] || { echo "$1 does not say what it tests in the first comment of its file"; bad=1; }
    for label in $2; do
        [[ $listed == *" $label "* ]] ||
            { echo "README.md has no row of the label \`$label\`, which $1 has"; bad=1; }
    done
}

row() {
    if [[ $1 =~ $pattern ]]; then
        echo "| \`$1\` | ${2// /, } | $3 | ${seconds[$1]:-} |"
    fi
}

if [ "${1:-}" = --check ]; then
    each check "$2"
    exit "$bad"
fi
pattern=${1:-.}
declare -A seconds
while read -r name figures; do seconds[$name]=$figures; done <times.txt
printf '| test | labels | content | seconds |\n| --- | --- | --- | --- |\n'
each row ../build/release/tests/tests.txt | sort
