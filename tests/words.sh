#!/usr/bin/env bash
# Reports words that this project does not use, with what to write. words.txt is the list. Exits with 1 if it finds one, and
# with 77 outside of a Git repository.
#
#   tests/words.sh [FILE...]    all tracked files, or those named
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

list=tests/words.txt
if [ $# -eq 0 ]; then
    git rev-parse --git-dir >/dev/null 2>&1 || exit 77
    mapfile -t files < <(git ls-files -- '*.c' '*.h' '*.cpp' '*.comp' '*.glsl' '*.vert' '*.frag' '*.inc' '*.md' '*.sh' '*.txt' \
        '*.cmake' '*.json' '.ci/*' | grep -vE '^(CHANGELOG\.md$|tests/(words\.|corpus/))')
else
    files=("$@")
fi

# Prints lines as FILE:LINE:TEXT. For code, TEXT is the comments and strings, or everything else.
lines_of() {
    awk -v kind="$1" '
        function is_code() { return FILENAME ~ /\.(c|h|cpp|comp|glsl|vert|frag|inc)$/ }
        {
            text = $0
            if (is_code()) {
                at = match(text, /\/\//)
                code = at ? substr(text, 1, at - 1) : text
                comment = at ? substr(text, at) : ""
                if (kind == "name") { gsub(/"([^"\\]|\\.)*"/, "\"\"", code); text = code }
                else {
                    strings = ""
                    while (match(code, /"([^"\\]|\\.)*"/)) {
                        strings = strings " " substr(code, RSTART, RLENGTH)
                        code = substr(code, RSTART + RLENGTH)
                    }
                    text = comment strings
                }
            } else if (FILENAME ~ /\.json$/) {
                if (kind == "text") text = ""
            } else if (kind == "name") text = ""
            if (text != "") print FILENAME ":" FNR ":" text
        }' "${files[@]}"
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    lines_of name
    printf '%s\n' "${files[@]}" | sed 's/$/:0:/'
} >"$folder/name"
lines_of text >"$folder/text"
found=0
while IFS=$'\t' read -r where word use; do
    case $where in
    name)
        alone="(?<![a-zA-Z])($word)(?![a-zA-Z])"
        pattern="^[^:]*:[0-9]+:.*$alone|$alone[^:]*:0:"
        ;;
    text) pattern="^[^:]*:[0-9]+:.*\b($word)\b" ;;
    *) continue ;;
    esac
    hits=$(LC_ALL=C grep -iP "$pattern" "$folder/$where") || continue
    echo "$hits" | sed "s|\$|\n    write: $use|"
    found=$((found + $(wc -l <<<"$hits")))
done <"$list"
[ "$found" -eq 0 ] || { echo "$found places with words that this project does not use"; exit 1; }
