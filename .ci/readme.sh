#!/usr/bin/env bash
# Runs the commands that README shows: every block fenced as ```sh, in order, in one shell in the root. Stops at the
# first command that fails. A block fenced as ```sh (elsewhere) is not run: it has a step of its own in .ci/run, or
# needs a window.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

commands=$(awk '/^```/ { run = ($0 == "```sh"); next } run' README.md)
if [ -z "$commands" ]; then
    echo "README.md has no block fenced as \`\`\`sh" >&2
    exit 1
fi
bash -eux -o pipefail <<<"$commands"
