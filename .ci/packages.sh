# Sourced by the scripts in tests, samples/demo.sh and .ci/run: the Debian packages that each needs, and installing what is
# missing. Where nothing is missing, apt is not called and no network is used.

# The library, the command, the samples, and cmocka, so that every script configures the build in the same way. Assimp is
# optional, but without it the command reads glTF alone; so is Dear ImGui, without
# which the viewer has no panel.
packages_build=(cmake ninja-build gcc g++ libc6-dev pkg-config glslc spirv-tools libvulkan-dev libvulkan-volk-dev
    libglfw3-dev libcglm-dev libjsmn-dev libstb-dev libimgui-dev libassimp-dev libcmocka-dev)
# Lavapipe, Vulkan on the processor, comes with Mesa's drivers.
packages_driver=(mesa-vulkan-drivers)
# What builds fuzzers and sanitizers.
packages_nightly=(clang libclang-rt-14-dev)
# What CI adds: a second driver (Chromium's SwiftShader), the validation layer, other compilers, AArch64, documentation,
# counting instructions. Mesa's drivers have RADV, too.
packages_ci=(git chromium mesa-vulkan-drivers vulkan-validationlayers clang clang-format libclang-rt-14-dev
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user doxygen valgrind binutils)

# install_packages NAME...: as root, or through sudo.
install_packages() {
    local package missing=() as_root=()
    if ! command -v dpkg-query >/dev/null; then
        echo "Not a Debian system, so nothing is installed. These packages, or their like, are needed: $*"
        return 0
    fi
    for package in "$@"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "Missing packages, and neither root nor sudo to install them: ${missing[*]}" >&2
            return 1
        fi
        as_root=(sudo)
    fi
    echo "Installing ${missing[*]}"
    # A list that cannot be renewed is no reason to stop: the old one may do, and the next line fails where it does not.
    "${as_root[@]}" apt-get -qq -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 update </dev/null || true
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Acquire::Retries=3 \
        -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 install --no-install-recommends "${missing[@]}" </dev/null \
        >/dev/null
}

# The manifests of the Vulkan drivers present, one a line: those that VK_DRIVER_FILES names, or else those in the
# loader's folders and Chromium's SwiftShader.
vulkan_manifests() {
    local data_home=${XDG_DATA_HOME:-${HOME:-/root}/.local/share} manifest
    if [ -n "${VK_DRIVER_FILES:-${VK_ICD_FILENAMES:-}}" ]; then
        tr ':' '\n' <<<"${VK_DRIVER_FILES:-$VK_ICD_FILENAMES}"
        return
    fi
    for manifest in {"$data_home",/usr/local/etc,/usr/local/share,/etc,/usr/share}/vulkan/icd.d/*.json \
        /usr/lib/chromium/vk_swiftshader_icd.json; do
        if [ -f "$manifest" ]; then echo "$manifest"; fi
    done
}

# keep_pipelines FOLDER: what Vulkan drivers compile is kept there, and read by every process after. Ours are VkPipelineCache
# files (LIMBER_CACHE_DIR); lavapipe gives out an empty one and keeps its own (MESA_SHADER_CACHE_DIR). SwiftShader keeps
# nothing on disk.
keep_pipelines() {
    export LIMBER_CACHE_DIR=${LIMBER_CACHE_DIR:-$1}
    export MESA_SHADER_CACHE_DIR=${MESA_SHADER_CACHE_DIR:-$1}
    mkdir -p "$LIMBER_CACHE_DIR" "$MESA_SHADER_CACHE_DIR"
}

# with_driver MANIFEST COMMAND...: the second variable is the name that older loaders know.
with_driver() {
    local manifest=$1
    shift
    VK_DRIVER_FILES=$manifest VK_ICD_FILENAMES=$manifest "$@"
}
