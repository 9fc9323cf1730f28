#!/usr/bin/env bash
# Builds the manual: docs/site/build.sh FOLDER [LIMBER [PLAYGROUND]]
#
# Writes the site to FOLDER/html; FOLDER/work has the pages as VitePress takes them. LIMBER is the command, which lists
# the states of machines; without it they are not drawn. PLAYGROUND is the site that samples/playground/build.sh has
# built; the manual gets a copy, in which the figures of operations run. Needs Doxygen, and node with npm, which gets
# two packages, pinned in package-lock.json:
#   vitepress    makes the site: tree, search, dark mode, phones
#   @viz-js/viz  lays out the pictures of state machines (Graphviz as WebAssembly)
# No script of a package runs while it is installed. The site loads nothing from elsewhere.
set -euo pipefail
limber=${2:+$(realpath "$2")} playground=${3:+$(realpath "$3")}
site=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$(cd "$site/../.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
work=$folder/work

mkdir -p "$work/.vitepress"
if ! cmp -s "$site/package-lock.json" "$work/node_modules/installed.json"; then
    cp "$site/package.json" "$site/package-lock.json" "$work"
    (cd "$work" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
    cp "$site/package-lock.json" "$work/node_modules/installed.json"
fi
find "$work" -maxdepth 1 -name '*.md' -delete
rm -rf "$work/public" "$folder/html"
cp "$site/tree.mjs" "$site/pages.mjs" "$site/machine.mjs" "$work"
cp -r "$site/config.mjs" "$site/theme" "$work/.vitepress"

# The reference of the headers.
mkdir -p "$work/public/api"
(cd "$source" && {
    cat include/Doxyfile
    echo "OUTPUT_DIRECTORY = $folder"
    echo "HTML_OUTPUT = work/public/api"
    echo "GENERATE_TAGFILE = $work/api.tag"
} | doxygen -)

[ -z "$playground" ] || cp -r "$playground" "$work/public/playground"

cd "$work"
node pages.mjs "$source" "$work" "$limber"
./node_modules/.bin/vitepress build . --outDir "$folder/html"
