#!/usr/bin/env bash
# Reads every model of Debian's package assimp-testmodels that has a format of Limber, and prints a table of file, result and
# reason. Fails if a file ends the command, or if one is refused that testmodels.txt does not list with its reason.
#
#   tests/peers/testmodels.sh build/release/limber [FOLDER]
set -uo pipefail
limber=$1
models=${2:-/usr/share/assimp/models}
known=$(dirname "$0")/testmodels.txt
if [ ! -d "$models" ]; then
    echo "skipped: $models is missing (Debian: assimp-testmodels)"
    exit 77
fi

failed=0 read=0 refused=0
error=$(mktemp)
trap 'rm -f "$error"' EXIT
while IFS= read -r file; do
    name=${file#"$models"/} status=0
    text=$(timeout 60 "$limber" info "$file" 2>"$error") || status=$?
    if [ "$status" -eq 0 ]; then
        read=$((read + 1))
        printf '%-60s read     %s\n' "$name" "$(awk '/^joints:/ { j = $2 + 0 } /^clips:/ { c = $2 } /^meshes:/ { m = $2 + 0 }
            /^notes:/ { n = $2 } END { printf "%d joints, %d clips, %d meshes, %d notes", j, c, m, n }' <<<"$text")"
        continue
    fi
    refused=$((refused + 1))
    reason=$(sed -n "s|^limber: .*$(basename "$name" | sed 's/[].[*^$|]/\\&/g'): ||p" "$error" | tail -1)
    mark=refused
    if [ "$status" -ne 1 ]; then
        mark=ENDED reason="status $status: $(tail -1 "$error")"
    elif ! awk -F '\t' -v name="$name" -v reason="$reason" '$1 == name && index(reason, $2) { found = 1 } END { exit !found }' \
        "$known"; then
        mark=REFUSED
    fi
    [ "$mark" = refused ] || failed=$((failed + 1))
    printf '%-60s %-8s %s\n' "$name" "$mark" "$reason"
done < <(find -L "$models" -type f \( -iname '*.gltf' -o -iname '*.glb' -o -iname '*.fbx' -o -iname '*.dae' -o -iname '*.bvh' \) | sort)
echo "$read read, $refused refused, $failed unexpected"
[ "$failed" -eq 0 ]
