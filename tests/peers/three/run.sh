#!/usr/bin/env bash
# Installs three.js and two tools that compress glTF files by npm, and compares the clips of the test characters, of the
# corpus, and of compressed copies with three.js. Exits with 77 if node or npm's registry cannot be had.
#
#   tests/peers/three/run.sh build/release/limber FOLDER...
set -euo pipefail
limber=$(realpath "$1")
shift
work=build/peers/three
mkdir -p "$work/files"
cp "$(dirname "$0")"/{package.json,compare.mjs} "$work"
if ! command -v npm >/dev/null || ! npm install --prefix "$work" --no-audit --no-fund >"$work/npm.log" 2>&1; then
    echo "skipped: no node, or no registry of npm"
    exit 77
fi

folders=()
for folder in "$@"; do
    if [ -d "$folder" ]; then folders+=("$folder"); fi
done
bin=$work/node_modules/.bin
for file in $(find "${folders[@]}" -name Fox.glb -o -name cesium_man.gltf); do
    to=$work/files/$(basename "${file%.*}")
    "$bin/gltfpack" -i "$file" -o "$to-gltfpack.glb" -cc -kn >/dev/null
    "$bin/gltf-transform" draco "$file" "$to-draco.glb" >/dev/null
    "$bin/gltf-transform" draco --method sequential "$file" "$to-draco-sequential.glb" >/dev/null
    "$bin/gltf-transform" meshopt "$file" "$to-meshopt.glb" >/dev/null
done
node "$work/compare.mjs" "$limber" "${folders[@]}" "$work/files"
