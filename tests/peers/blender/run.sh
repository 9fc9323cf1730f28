#!/usr/bin/env bash
# Compares one animated character that Blender exports as glTF, FBX and BVH. Exits with 77 if there is no Blender.
#
#   tests/peers/blender/run.sh build/release/limber
set -euo pipefail
here=$(dirname "$0")
work=build/peers/blender
if ! command -v blender >/dev/null; then
    echo "skipped: there is no Blender (Debian: blender)"
    exit 77
fi
mkdir -p "$work"
if ! blender --background --factory-startup --python-exit-code 1 --python "$here/export.py" -- "$work" >"$work/blender.log" 2>&1; then
    tail -5 "$work/blender.log"
    exit 1
fi
python3 "$here/compare.py" "$1" "$work"
