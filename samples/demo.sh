#!/usr/bin/env bash
# Installs missing packages, builds, and shows a crowd of mannequins in a window, or draws it to a PNG if there is no
# display. Arguments are passed to limber-viewer (a FILE, --characters N, --headless ...).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/.ci/packages.sh"

keep_pipelines "$root/build/pipelines"
install_packages "${packages_build[@]}"
if [ -z "$(vulkan_manifests)" ]; then
    install_packages "${packages_driver[@]}"
fi

mkdir -p "$root/build"
if ! (cd "$root" && cmake --preset release && cmake --build --preset release --target limber-viewer vulkan_devices) \
    >"$root/build/demo.log" 2>&1; then
    cat "$root/build/demo.log" >&2
    exit 1
fi
if ! "$root/build/release/vulkan_devices" >/dev/null 2>&1; then
    install_packages "${packages_driver[@]}"
fi

viewer=$root/build/release/limber-viewer
headless=false
[ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || headless=true
picture=$root/build/limber.png
arguments=("$@")
for ((i = 0; i < $#; i++)); do
    case ${arguments[i]} in
    --headless) headless=true ;;
    --screenshot) picture=${arguments[i + 1]:-} ;;
    --help | -h) exec "$viewer" --help ;;
    esac
done

if $headless; then
    "$viewer" --headless --frames 8 --screenshot "$picture" "$@"
    echo "picture: $picture"
else
    exec "$viewer" "$@"
fi
