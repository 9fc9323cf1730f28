#!/usr/bin/env bash
# Draws each operation from NAME.json to NAME.png with the mannequin: its input poses and, in another colour, its
# result. `draw.sh NAME...` draws only these; --check draws into build/ and leaves the committed pictures unchanged.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
here=$root/samples/operations
viewer=${LIMBER_VIEWER:-$root/build/release/limber-viewer}
target=$here
if [ "${1:-}" = --check ]; then
    target=$root/build
    shift
fi
wanted=("$@")

# picture NAME FIGURES OPTION...: passes the options to limber-viewer. The row of figures fills the picture.
# ImageMagick, if installed, shrinks the picture and its palette.
picture() {
    local name=$1 figures=$2
    shift 2
    if [ ${#wanted[@]} -gt 0 ] && ! [[ " ${wanted[*]} " == *" $name "* ]]; then return; fi
    "$viewer" --poses "$here/$name.json" --size "$((figures * 248 + 184))x500" --screenshot "$target/$name.png" "$@" \
        >/dev/null
    if convert -version 2>/dev/null | grep -q '^Version: ImageMagick'; then
        convert "$target/$name.png" -strip -resize 50% +dither -colors 96 -define png:compression-level=9 \
            "PNG8:$target/$name.png"
    fi
    echo "$target/$name.png"
}

picture blend 3
picture masked 3
picture override 3 --pose ragdoll=float@0.5 --label walk --label "a ragdoll" --label "left arm 1, right arm 0.5"
picture partial 3 --label "run, legs" --label "wave, the rest"
picture weighted 4 --label "aim, 0.2" --label "walk, 0.3" --label "run, 0.5"
picture weighted_matrix 3 --label aim_left --label wave --label "half and half"
picture layers 4 --label "run" --label "crouch, 0.7" --label "wave, 0.4"
picture additive 3
picture additive_forms 5 --row 3 --label crouch --label "wave - idle" --label local --label parent --label affine
picture additive_space 4 --row 2 --label crouch --label "twist - rest" --label "local space" --label "model space"
picture make_additive 4 --row 1 --label wave --label idle --label run --label "run + difference"
picture add 3 --label run --label twist
picture subtract 3 --row 1 --label crouch --label stand --label "rest + difference"
picture scale 4 --row 3 --label lean --label "by 0.5" --label "by 2" --label "by -1"
picture subtract_scale_add 4 --label twist --label rest --label walk --label "0.75 of it"
picture bilinear 5 --label "s 0, t 0" --label "s 1, t 0" --label "s 0, t 1" --label "s 1, t 1" --label "s 0.3, t 0.75"
picture trilinear 9 --label "0, 0, 0" --label "1, 0, 0" --label "0, 1, 0" --label "1, 1, 0" \
    --label "0, 0, 1" --label "1, 0, 1" --label "0, 1, 1" --label "1, 1, 1" --label "0.3, 0.75, 0.5"
picture space1d 4 --label "stand, 0" --label "walk, 1.4" --label "run, 3.4" --label "at 2.1"
picture space2d 6 --label "0, 0" --label "-1, -0.5" --label "1, -0.5" --label "0, 1" --label "1, 0.5" \
    --label "0.35, 0.4"
picture combine 4 --label run --label "wave: right arm" --label "aim_left: head"
picture mirror 2
picture clamp 2
picture ik_two_bone 2 --label idle --label "the left foot on a step"
picture ik_aim 2 --label idle --label "head, neck, chest"
picture foot_placement 2 --row 1 --label idle --label "two slopes, 0.34 apart"
picture retarget 4 mannequin-child --character adult=mannequin --row 4 --label "an adult's walk" --label run \
    --label wave --label crouch
picture twist 2 --label twist --label "chest, neck, head back"
picture chain 2 --frames 150 --label "the right arm swings" --label "both arms swing"
picture curves 7 --row 5 --label stand --label crouch --label linear --label sine-in --label cubic-in \
    --label cubic-out --label smoothstep
picture interpolation 4 --row 2 --label "arms back" --label "arms up" --label slerp --label nlerp
picture shortest 4 --row 2 --label "arms back" --label "arms up" --label "shortest" --label "as given"
