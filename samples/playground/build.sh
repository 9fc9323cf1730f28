#!/usr/bin/env bash
# Builds the playground: samples/playground/build.sh FOLDER LIMBER PACKAGE
#
# Writes the site to FOLDER/dist. LIMBER is the native command, which packs the characters and computes the hashes of
# the pages; PACKAGE is the npm package of the preset web, build/web/packaging/npm/package. Needs emscripten, and node
# with npm, which gets these, pinned in package-lock.json:
#   three                   draws
#   react, react-dom, @xyflow/react, @dagrejs/dagre, jsonc-parser   the editor
#   vite                    bundles, and serves while you work on it: npx vite in FOLDER
#   typescript, @types/*    check types
#   playwright-core         drives Chromium in tests
# No script of a package runs while it is installed. The site loads nothing from elsewhere.
set -euo pipefail
mkdir -p "$1"
folder=$(realpath "$1") limber=$(realpath "$2") package=$(realpath "$3")
cd "$(dirname "${BASH_SOURCE[0]}")"
if ! cmp -s package-lock.json "$folder/node_modules/installed.json"; then
    cp package.json package-lock.json "$folder"
    (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
    cp package-lock.json "$folder/node_modules/installed.json"
fi
rm -rf "$folder"/{src,public,package,dist}
mkdir -p "$folder/public/data" "$folder/package"
cp -r index.html editor.html pages.json src tsconfig.json vite.config.js "$folder"
cp "$package"/*.{js,ts,wasm} "$folder/package"

# The data: the characters, and for each page its graph, its script and the native hash of the script's last frame.
data=$folder/public/data
cp pages/*.json pages/*.script ../demos/{child,walk-run}.json ../demos/{child,jump,walk-run}.script ../demos/match.* \
    ../graphs/layers.{json,script} "$data"
node crowd.mjs >"$data/crowd.script"
pack() {
    [ -e "$data/$1.lmb" ] || "$limber" pack "$1" --output "$data/$1.lmb" >/dev/null
}
node -p 'JSON.parse(fs.readFileSync("pages.json")).map(page => [page.id, page.character, page.characters, page.frames,
    ...Object.entries(page.from ?? {}).map(from => from.join("="))].join(" ")).join("\n")' |
    while read -r id character characters frames from; do
        pack "$character"
        [ -z "$from" ] || pack "${from#*=}"
        hash=$("$limber" play "$character" --graph "$data/$id.json" --script "$data/$id.script" \
            ${from:+--character "$from"} --characters "$characters" --frames "$frames" |
            tail -n 1 | grep -o '0x[0-9a-f]*$')
        printf '"%s": "%s"\n' "$id" "${hash#0x}"
    done | paste -sd , | sed 's/.*/{&}/' >"$data/native.json"
node figures.mjs "$data/figures"
# How the crowd of a page walks, as in the viewer.
emcc -O2 -Wall -Wextra -Werror -Wno-missing-prototypes --no-entry -sSTANDALONE_WASM=1 -I../../src/tools \
    pedestrians.c ../pedestrians.c -o "$data/pedestrians.wasm"

cd "$folder"
./node_modules/.bin/tsc
./node_modules/.bin/vite build --logLevel warn
# What tests of the editor use in node.
./node_modules/.bin/esbuild src/editor/core.ts --bundle --format=esm --platform=node --main-fields=module,main \
    --outfile=core.mjs --log-level=warning
