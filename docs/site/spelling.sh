#!/usr/bin/env bash
# Checks the spelling of the manual, README and CHANGELOG, without their code: docs/site/spelling.sh. Prints each
# unknown word with its page. dictionary.txt has the words that are right and not in Debian's British dictionary. Exits
# with 1 if it finds one, and with 77 without hunspell.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
command -v hunspell >/dev/null || { echo "hunspell is not installed"; exit 77; }

found=0
for page in README.md CHANGELOG.md docs/*.md docs/site/home.md; do
    words=$(awk '/^ *```/ { code = !code; next } !code' "$page" |
        sed -E 's/`[^`]*`/ /g; s/\]\([^)]*\)/] /g; s/<[^>]*>/ /g; s|https?://[^ )]*||g' |
        sed -E 's/[A-Za-z0-9]*_[A-Za-z0-9_]*/ /g' |
        sed -zE 's/`[^`]*`/ /g' | LC_ALL=C.UTF-8 hunspell -d en_GB -p docs/site/dictionary.txt -l | sort -u)
    for word in $words; do
        echo "$page: $word"
        found=$((found + 1))
    done
done
[ "$found" -eq 0 ] || { echo "$found unknown words: mend them, or add them to docs/site/dictionary.txt"; exit 1; }
