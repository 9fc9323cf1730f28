#!/usr/bin/env bash
# Installs the npm package into an empty folder, and uses it in node and in Chromium: palettes and hashes are those of
# the native library, by one thread and by three, and the types fit, where a type checker (Debian: node-typescript) is
# installed.
#
#   tests/packaging/npm.sh BUILD FOLDER     a native build with npm_native, and one of the preset web with npm
set -euo pipefail
build=$(realpath "$1") archive=$(realpath "$2"/packaging/npm/limber-animation-*.tgz)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
files=("$build/samples/lockstep/game.lmb" samples/lockstep/game.json samples/hello.gltf samples/hello.json
    samples/jump/jump.txt tests/packaging/npm/match.json tests/packaging/npm/borrow.json docs/graph.schema.json)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cp tests/packaging/npm/{consumer,trapping}.mjs "${files[@]}" "$folder"
(cd "$folder" && npm install --silent --offline --no-audit --no-fund --ignore-scripts "$archive")
# Bundlers refuse an address in this form that is no file of the package.
if grep -nE "new URL\([^'][^)]*, import\.meta\.url\)" "$folder"/node_modules/limber-animation/*.js; then exit 1; fi
"$build/npm_native" "${files[0]}" samples/hello.gltf samples/hello.json tests/packaging/npm/{match,borrow}.json \
    samples/jump/jump.txt samples/lockstep/game.json >"$folder/native"

cat >"$folder/node.mjs" <<'END'
import { readFile } from 'node:fs/promises';
import { consume } from './consumer.mjs';
const threads = Number(process.argv[2]);
await consume(name => readFile(name), line => console.log(line), threads, threads);
END
for threads in 1 3; do
    (cd "$folder" && node node.mjs "$threads") >"$folder/node"
    diff "$folder/native" "$folder/node"
    echo "node, threads $threads: the $(wc -l <"$folder/native") lines of the native library"
    node tests/packaging/npm/page.mjs "$folder" "$threads" >"$folder/page" || { cat "$folder/page"; exit 1; }
    diff "$folder/native" "$folder/page"
    echo "Chromium, threads $threads: the same"
done

if ! command -v tsc >/dev/null; then
    echo "skipped: there is no type checker"
    exit
fi
tsc --noEmit --strict --allowJs --checkJs --target es2022 --module node16 --moduleResolution node16 \
    "$folder/consumer.mjs"
echo "types: they fit"
