#!/usr/bin/env bash
# Runs the commands that README and the pages of the manual show: every block fenced as ```sh, in order, in one shell a
# page, in the root, with the command `limber` in the path. Stops at the first command that fails. A block fenced as
# ```text must be exactly what the ```sh block before it prints. A ```json block is saved as build/example.json. A block
# fenced as ```sh (elsewhere) or without a language is not run: it has a step of its own in .ci/run, or needs a window.
#
#   .ci/commands.sh [PAGE...]    all pages, or those named
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH=$PWD/build/release:$PATH

# Turns a page into a script. The output of each ```sh block goes to a file, with which the ```text block is compared.
script_of() {
    awk '
        !inside && /^```(sh|text|json)$/ {
            inside = substr($0, 4)
            if (inside == "sh") print "{"
            else print "cat >build/example." (inside == "text" ? "expected" : inside) " <<\"END OF BLOCK\""
            next
        }
        inside && /^```$/ {
            if (inside == "sh") print "} > >(tee build/example.output)\nwait $!"
            else print "END OF BLOCK"
            if (inside == "text") print "diff build/example.expected build/example.output"
            inside = ""
            next
        }
        inside' "$1"
}

pages=("$@")
[ $# -gt 0 ] || pages=(README.md docs/*.md)
for page in "${pages[@]}"; do
    commands=$(script_of "$page")
    grep -q '^{$' <<<"$commands" || continue
    echo "$page"
    bash -eux -o pipefail <<<"$commands"
done
