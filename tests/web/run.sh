#!/bin/sh
# Runs a program for WebAssembly in node, or in Chromium if LIMBER_ENGINE is chromium.
#
#   tests/web/run.sh PROGRAM.js [ARGUMENT...]
program=$1
shift
if [ "${LIMBER_ENGINE:-node}" = chromium ]; then
    exec node "$(dirname "$0")/program.mjs" "$program" "$@"
fi
# Debian's emscripten was made for a node without fetch().
if node --no-experimental-fetch -e 0 2>/dev/null; then
    exec node --no-experimental-fetch "$program" "$@"
fi
exec node "$program" "$@"
