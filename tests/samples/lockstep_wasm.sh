#!/usr/bin/env bash
# samples/lockstep as WebAssembly, run by node: a whole game has the hash that it has here, and so has the log of one.
#
#   lockstep_wasm.sh SOURCES BUILD PROGRAM PACK
set -euo pipefail
for tool in emcc node ninja; do
    if ! command -v "$tool" >/dev/null; then
        echo "skipped: there is no $tool (Debian: emscripten, nodejs, ninja-build)"
        exit 77
    fi
done
# Debian's emscripten needs its modules if node is another one than Debian's. It was made for a node without fetch().
export NODE_PATH=${NODE_PATH:-/usr/share/nodejs}
fetch=--no-experimental-fetch
node $fetch -e 0 2>/dev/null || fetch=
sources=$1 build=$2 program=$3 pack=$4
cd "$sources"
cmake --preset wasm -B "$build" "-DLIMBER_LOCKSTEP_PACK=$pack"
cmake --build "$build" --target limber-lockstep

for options in "--squad 4 --frames 300" "--squad 2 --players 8 --frames 200 --seed 5 --loss 20"; do
    # shellcheck disable=SC2086 # words of a command
    here=$("$program" $options | grep -o '.* characters in .*hash .*\|.* differences')
    # shellcheck disable=SC2086
    there=$(node $fetch "$build/limber-lockstep.js" $options | grep -o '.* characters in .*hash .*\|.* differences')
    echo "$there"
    diff <(echo "$here") <(echo "$there")
done
