#!/usr/bin/env bash
# Compares FBX clips with Autodesk's library:
#
#   tests/peers/fbx.sh LIMBER [FILE...]
#
# LIMBER is the command of a build with LIMBER_UFBX. Without files, these are the characters of the tests and the models
# of Debian's package assimp-testmodels. The npm package fbx2gltf contains the library; it and the models are kept in
# build/peers. Prints a line for each clip. Exits with 1 if a clip differs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
limber=$(realpath "$1")
shift
peers=$PWD/build/peers
converter=$peers/node_modules/fbx2gltf/bin/Linux/FBX2glTF
models=$peers/models/usr/share/assimp/models
mkdir -p "$peers"

if [ ! -e "$converter" ]; then
    npm install --silent --no-audit --no-fund --prefix "$peers" fbx2gltf >&2
    chmod +x "$converter"
fi
files=("$@")
if [ $# -eq 0 ]; then
    if [ ! -d "$models" ]; then
        (cd "$peers" && apt-get -qq -o APT::Sandbox::User= download assimp-testmodels >&2 && dpkg -x assimp-testmodels_*.deb models)
    fi
    assets=${LIMBER_ASSETS:-../shared/assets}/pab
    mapfile -t files < <(find "$models" -iname '*.fbx' | sort)
    for clip in walk jog run; do
        [ ! -f "$assets/$clip.fbx" ] || files+=("$assets/$clip.fbx" "$assets/skeleton.fbx,$assets/$clip.fbx")
    done
fi
python3 tests/peers/fbx.py "$limber" "$converter" "${files[@]}"
