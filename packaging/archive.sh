#!/usr/bin/env bash
# Makes the release archive: the files that Git follows, and in the folder `kernels` those that a build of them has
# generated, so that who builds the archive needs neither glslc nor spirv-opt. The same files give the same bytes.
#     packaging/archive.sh KERNELS OUTPUT.tar.gz
set -euo pipefail
export LC_ALL=C
kernels=$(realpath "$1")
output=$(realpath -m "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
name=limber-$(sed -n 's/^project(limber VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
tar=${output%.gz}
options=(--sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r-w "--mtime=@$(git log -1 --format=%ct)")
rm -f "$output" "$tar"
git ls-files -z | tar "${options[@]}" --null --no-recursion -T - --transform "s,^,$name/," -cf "$tar"
(cd "$kernels" && printf '%s\0' *.spv.h) |
    tar "${options[@]}" -C "$kernels" --null -T - --transform "s,^,$name/kernels/," -rf "$tar"
gzip -9n "$tar"
git diff --quiet HEAD -- || echo "$output has changes that are not committed"
