#!/usr/bin/env bash
# Draws the animations of README.md: a crowd whose characters walk, run, wave and breathe, at 3.8 times the speed, and
# feet on stairs. Each picture is a step of the viewer without a display: 16 pictures a second. Needs ImageMagick with
# WebP.
#     samples/viewer/animation.sh [VIEWER [FOLDER]]
set -euo pipefail
viewer=$(realpath "${1:-build/release/limber-viewer}")
folder=$(realpath -m "${2:-$(dirname "${BASH_SOURCE[0]}")}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# animate NAME: makes FOLDER/NAME.webp of the pictures NAME-*.png.
animate() {
    convert -delay 6 -loop 0 "$1"-*.png -resize 480x270 -quality 50 -define webp:method=4 \
        -define webp:lossless=false "$folder/$1.webp"
    echo "$(stat -c %s "$folder/$1.webp") bytes: $folder/$1.webp"
}

"$viewer" --headless --characters 60 --size 960x540 --frames 36 --every 1 --screenshot animation.png --input 0=+ \
    --input 1=+ --input 2=+ --input 3=+ --input 4=+ --input 5=+
mv animation.png animation-0036.png
rm animation-000[0-6].png # at lower speeds
animate animation

"$viewer" --demo stairs --headless --plain --size 960x540 --frames 100 --every 4 --screenshot stairs.png
rm stairs.png
animate stairs
