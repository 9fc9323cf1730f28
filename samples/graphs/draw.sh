#!/usr/bin/env bash
# Draws the pictures of docs/usual-graphs.md: three moments of each graph, the mannequin above the robot.
#
#     samples/graphs/draw.sh ROBOT [FOLDER]
#
# ROBOT is the path of RobotExpressive.glb. FOLDER keeps the frames; those that it has are not drawn again. Needs a
# built limber-viewer, a Vulkan driver and ImageMagick.
set -euo pipefail
if [ $# -lt 1 ] || [ ! -f "$1" ]; then
    echo "usage: samples/graphs/draw.sh ROBOT [FOLDER]" >&2
    exit 2
fi
robot=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
here=$root/samples/graphs
viewer=${LIMBER_VIEWER:-$root/build/release/limber-viewer}
folder=${2:-}
if [ -z "$folder" ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi
mkdir -p "$folder/mannequin" "$folder/robot"

# scene NAME SCALE: the scene of a graph. The camera of look-at is farther away than that of the sample, from which only
# the head is seen.
scene() {
    if [ "$1" = look-at ]; then
        awk -v s="$2" 'BEGIN {
            printf "{\"camera\": {\"eye\": [[0, %g, %g, %g], [2, %g, %g, %g], [4, %g, %g, %g]],", 3 * s, 1.8 * s,
                   3 * s, -3 * s, 1.4 * s, 3 * s, 3 * s, 1.8 * s, 3 * s
            printf " \"target\": [0, %g, 0]}, \"points\": [{\"camera\": true}]}\n", 0.9 * s
        }' >"$folder/scene.json"
        echo "$folder/scene.json"
    elif [ -f "$here/$1.scene" ]; then
        echo "$here/$1.scene"
    fi
}

# frames CHARACTER SCALE NAME EVERY LAST ARGUMENTS: draws every EVERYth frame of a character.
frames() {
    local character=$1 scale=$2 name=$3 every=$4 last=$5 scene
    shift 5
    local options=(--graph "$here/$name.json" --headless --plain --frames "$last" --every "$every" --size 200x260)
    scene=$(scene "$name" "$scale")
    [ -z "$scene" ] || options+=(--scene "$scene")
    [ "$name" != crowd ] || options+=(--characters 6)
    [ ! -f "$here/$name.script" ] || options+=(--script "$here/$name.script")
    if [ ! -f "$folder/$character/$name.png" ]; then
        "$viewer" "$@" "${options[@]}" --screenshot "$folder/$character/$name.png" >"$folder/$character/$name.log"
    fi
}

# picture NAME EVERY FRAME...: puts frames, multiples of EVERY in their order, into NAME.jpg.
picture() {
    local name=$1 every=$2 number
    local last=${*: -1} above=() below=()
    shift 2
    frames mannequin 1 "$name" "$every" "$last"
    frames robot 2.5 "$name" "$every" "$last" "$robot" --names "$here/robot.names.json"
    for number in "$@"; do
        printf -v number %04d "$number"
        above+=("$folder/mannequin/$name-$number.png")
        below+=("$folder/robot/$name-$number.png")
    done
    convert \( "${above[@]}" +append \) \( "${below[@]}" +append \) -append -strip -resize 75% -quality 85 \
        "$here/$name.jpg"
}

picture locomotion 28 28 112 168
picture jump 12 36 48 72
picture layers 20 40 80 120
picture aim 30 30 60 120
picture look-at 30 30 90 150
picture ik 30 30 60 120
picture feet 30 30 90 150
picture hit-reaction 10 30 40 50
picture mirror 20 20 60 140
picture nested-machine 20 20 80 140
picture crowd 40 40 80 120
picture root-motion 30 60 120 180
