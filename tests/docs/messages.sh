#!/usr/bin/env bash
# The messages that docs/faq.md quotes are those of the sources. A quoted message is the first cell of
# a row, all of it code, and an ellipsis in it stands for a conversion of printf.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sed -nE 's/^\| `([^`]+)` \|.*$/\1/p' docs/faq.md | sort -u >"$folder/quoted"
# Strings of the sources: neighbours are one string.
find src -name '*.c' -exec cat {} + | sed -zE 's/"[ \n]+"//g' | grep -oE '"([^"\\]|\\.)+"' |
    sed -E 's/^"(.*)"$/\1/; s/%%/%/g' |
    sed -E 's/%[-+ #0]*[0-9]*(\.[0-9*]+)?(hh|h|ll|l|z|j)?[diuxXcsgfp]/…/g' | sort -u >"$folder/said"
[ "$(wc -l <"$folder/quoted")" -ge 20 ] || { echo "docs/faq.md quotes fewer than 20 messages"; exit 1; }
if comm -23 "$folder/quoted" "$folder/said" | grep .; then
    echo "these messages of docs/faq.md are not in src"
    exit 1
fi
