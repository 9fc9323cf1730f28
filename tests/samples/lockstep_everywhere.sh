#!/usr/bin/env bash
# One game of samples/lockstep, with loss, delay and rollback, everywhere: natively, as WebAssembly in node and in
# Chromium, and with a client on the Vulkan device of each manifest. In each, no client differs from the server, and
# all have one hash, which is written here. Without a compiler for WebAssembly it exits with 77 after the others.
#
#   tests/samples/lockstep_everywhere.sh FRAMES BUILD FOLDER [MANIFEST...]
#
# FRAMES is 300, 3600 or 36000, which take some ten minutes with SwiftShader. BUILD is the folder of a
# native build, FOLDER the one where WebAssembly is built.
set -euo pipefail
frames=$1 build=$(realpath "$2") folder=$(realpath -m "$3")
manifests=("${@:4}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
options=(--squad 2 --frames "$frames" --seed 3 --loss 10 --max-delay 5)
declare -A hashes=([300]=adde709c46faba7e [3600]=1a013224366b543c [36000]=f66e3a2a278b4567)
expected="$frames frames of 8 characters, hash ${hashes[$frames]}, 0 differences"
# Debian's emscripten needs its modules if node is another one than Debian's.
export NODE_PATH=${NODE_PATH:-/usr/share/nodejs}
failed=0

# leg NAME COMMAND...: runs the game, prints what it has, and compares.
leg() {
    local name=$1 start=$SECONDS output found
    shift
    output=$("$@" "${options[@]}" 2>&1) || true
    found=$(sed -nE 's/^(.* frames of .* characters) in [0-9]* ticks, (hash .*)$/\1, \2/p
        s/^.* frames confirmed(, [0-9]* differences)$/\1/p' <<<"$output" | tr -d '\n')
    printf '%-18s %4d s  %s\n' "$name" $((SECONDS - start)) "$found"
    if [ "$found" != "$expected" ]; then
        printf 'instead of: %s\n%s\n' "$expected" "$output"
        failed=1
    fi
}

leg native "$build/limber-lockstep"
missing=
for tool in emcc node ninja; do
    if ! command -v "$tool" >/dev/null; then missing+=" $tool"; fi
done
if [ -z "$missing" ]; then
    cmake --preset web-scalar -B "$folder" "-DLIMBER_LOCKSTEP_PACK=$build/samples/lockstep/game.lmb" >/dev/null
    cmake --build "$folder" --target limber-lockstep
    leg node tests/web/run.sh "$folder/limber-lockstep.js"
    if command -v "${CHROMIUM:-chromium}" >/dev/null; then
        leg browser env LIMBER_ENGINE=chromium tests/web/run.sh "$folder/limber-lockstep.js"
    else
        echo "skipped: there is no chromium"
    fi
fi
for manifest in "${manifests[@]}"; do
    leg "$(basename "$manifest" .json)" env VK_DRIVER_FILES="$manifest" VK_ICD_FILENAMES="$manifest" \
        "$build/limber-lockstep" --gpu 1
done
[ "$failed" -eq 0 ] || exit 1
if [ -n "$missing" ]; then
    echo "skipped: there is no$missing (Debian: emscripten, nodejs, ninja-build)"
    exit 77
fi
