#!/usr/bin/env bash
# Puts ufbx.c, ufbx.h and their licence into a folder, for -DLIMBER_UFBX:
#
#   tests/ufbx.sh FOLDER
#
# They come from the source package of Godot in Debian's testing or unstable release, by apt with this machine's mirror
# and keys, 45 MB in all. Does nothing if the folder has them. Needs no root. Exits with 77 if they cannot be had here,
# and says why: then the tests of FBX by ufbx are skipped.
set -euo pipefail

if [ $# -ne 1 ]; then
    echo "usage: tests/ufbx.sh FOLDER" >&2
    exit 2
fi
mkdir -p "$1"
to=$(cd "$1" && pwd)
[ ! -f "$to/ufbx.c" ] || exit 0
skip() {
    echo "ufbx is not here: $1"
    exit 77
}
command -v apt-get >/dev/null || skip "no apt-get"
site=$(apt-get indextargets --format '$(SITE) $(COMPONENT)' 'Created-By: Packages' | sed -n 's,/debian main$,/debian,p' | head -n 1)
[ -n "$site" ] || skip "apt knows no mirror of Debian"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -p lists/partial cache/archives/partial
: >status
options=(-qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$work/lists" -o "Dir::State::Status=$work/status" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=
    -o Acquire::Languages=none -o Acquire::Retries=2)
# A release may have moved on since its index was made, and the file is gone then: the other one is tried.
for release in testing unstable; do
    echo "deb-src $site $release main" >sources.list
    if apt-get "${options[@]}" update && apt-get "${options[@]}" source --download-only --tar-only godot; then
        break
    fi
done >log 2>&1
archive=$(find . -maxdepth 1 -name 'godot_*.orig.tar.*' ! -name '*.asc' | head -n 1)
[ -n "$archive" ] || skip "$(tail -n 1 log)"
tar -xf "$archive" --wildcards --strip-components=3 '*/thirdparty/ufbx/*'
mv ufbx.h LICENSE "$to/"
mv ufbx.c "$to/"
