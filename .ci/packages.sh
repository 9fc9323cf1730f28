# Sourced by the scripts in tests and bench, samples/demo.sh and .ci/run. Lists the Debian packages that each needs, and
# installs the missing ones. If none is missing, apt is not called and no network is used.

# For the library, the command, the samples, and (cmocka) the tests, so that every script configures the build in the
# same way. Assimp is optional: without it the command reads only glTF and BVH. So are Draco and meshoptimizer, for compressed
# glTF, and libmicrohttpd, for limber serve. So is Dear ImGui: without it the viewer is not built. DejaVu is its font.
packages_build=(cmake ninja-build gcc g++ libc6-dev pkg-config glslc spirv-tools spirv-headers libvulkan-dev
    libvulkan-volk-dev libglfw3-dev libcglm-dev libstb-dev libimgui-dev fonts-dejavu-core libassimp-dev
    libdraco-dev libmeshoptimizer-dev libmicrohttpd-dev
    libcmocka-dev)
# Lavapipe, a Vulkan driver that runs on the CPU, comes with Mesa's drivers.
packages_driver=(mesa-vulkan-drivers)
# Builds fuzzers and sanitizers, for AArch64 and Windows, and for browsers; tests the Conan recipe.
packages_nightly=(python3 clang libclang-rt-14-dev gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
    gcc-mingw-w64-x86-64 wine64 emscripten chromium)
# For programs and models to compare with, at night: three.js by npm, the models of Assimp's tests, Blender.
packages_peers=(assimp-testmodels blender python3-numpy)
# CI adds a second driver (Chromium's SwiftShader), the validation layer, other compilers, AArch64, Windows (mingw-w64
# and Wine), WebAssembly, the manual and its spelling, and the tools that count instructions. Mesa's drivers also contain
# RADV.
packages_ci=(git chromium mesa-vulkan-drivers vulkan-validationlayers clang clang-format libclang-rt-14-dev lld
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user gcc-mingw-w64-x86-64 wine64 doxygen valgrind
    binutils emscripten node-typescript hunspell hunspell-en-gb)
if ! command -v npm >/dev/null; then
    packages_peers+=(nodejs npm)
    packages_ci+=(nodejs npm)
fi

# install_packages NAME...: installs the packages that are missing, as root or through sudo.
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
    # If the package list cannot be updated, go on: the old one may be enough. If it is not, the next line fails.
    "${as_root[@]}" apt-get -qq -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 update </dev/null || true
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Acquire::Retries=3 \
        -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 install --no-install-recommends "${missing[@]}" </dev/null \
        >/dev/null
}

# Prints the manifests of the Vulkan drivers present, one a line: those that VK_DRIVER_FILES names; if it is empty,
# those in the loader's folders and that of Chromium's SwiftShader.
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

# keep_pipelines FOLDER: keeps compiled pipelines there, and every later process reads them. Limber writes
# VkPipelineCache files (LIMBER_CACHE_DIR). Lavapipe returns empty VkPipelineCache data, but has a cache of its own
# (MESA_SHADER_CACHE_DIR). SwiftShader keeps nothing on disk. Folders that the environment already names stay.
keep_pipelines() {
    export LIMBER_CACHE_DIR=${LIMBER_CACHE_DIR:-$1}
    export MESA_SHADER_CACHE_DIR=${MESA_SHADER_CACHE_DIR:-$1}
    mkdir -p "$LIMBER_CACHE_DIR" "$MESA_SHADER_CACHE_DIR"
}

# with_driver MANIFEST COMMAND...: runs the command on that driver. Older loaders know only the second variable.
with_driver() {
    local manifest=$1
    shift
    VK_DRIVER_FILES=$manifest VK_ICD_FILENAMES=$manifest "$@"
}

# Prints the option of CMake with which ufbx reads FBX, if tests/ufbx.sh has put its files into build/ufbx.
ufbx_option() {
    echo "-DLIMBER_UFBX=$([ ! -f build/ufbx/ufbx.c ] || echo "$PWD/build/ufbx")"
}

# Downloads cmocka for AArch64 and unpacks it in build/, so that dpkg on this machine needs no second architecture.
aarch64_cmocka() {
    local root=$PWD/build/aarch64-packages
    [ ! -d "$root/usr" ] || return 0
    mkdir -p "$root/lists/partial" "$root/cache/archives/partial"
    cd "$root"
    local options=(-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "Dir::State::Lists=$root/lists"
        -o "Dir::Cache=$root/cache" -o APT::Sandbox::User=)
    apt-get "${options[@]}" update
    apt-get "${options[@]}" download libcmocka-dev libcmocka0
    for package in ./*.deb; do dpkg -x "$package" .; done
}

# cmocka_source FOLDER: downloads Debian's source package of cmocka, and unpacks it there.
cmocka_source() {
    mkdir -p "$1/lists/partial" "$1/cache/archives/partial"
    cd "$1"
    apt-get indextargets --format 'deb-src $(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        grep '/debian [a-z]* main$' >sources.list
    local options=(-qq -o "Dir::Etc::SourceList=$PWD/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$PWD/lists" -o "Dir::Cache=$PWD/cache" -o APT::Sandbox::User=)
    apt-get "${options[@]}" update
    apt-get "${options[@]}" source --download-only cmocka
    tar -xf cmocka_*.orig.tar.xz
}

# Builds cmocka for Windows, in build/. Its CMake file names an import library, in whose place the static library is
# installed, so that the tests need no DLL.
windows_cmocka() {
    local root=$PWD/build/windows-packages toolchain=$PWD/tests/windows.cmake
    [ ! -e "$root/lib/cmocka.dll.a" ] || return 0
    cmocka_source "$root/source"
    cmake -S cmocka-*/ -B build -G Ninja -DCMAKE_TOOLCHAIN_FILE="$toolchain" -DCMAKE_BUILD_TYPE=Release \
        -DWITH_STATIC_LIB=ON -DWITH_EXAMPLES=OFF -DCMAKE_INSTALL_PREFIX="$root"
    cmake --build build
    cmake --install build
    cp "$root/lib/libcmocka-static.a" "$root/lib/cmocka.dll.a"
}

# Builds cmocka as WebAssembly, in build/. It is one file, and its CMake file would run emscripten sixty times to find
# out what this states.
web_cmocka() {
    local root=$PWD/build/web-packages has
    [ ! -e "$root/lib/cmake/cmocka/cmocka-config.cmake" ] || return 0
    cmocka_source "$root/source"
    mkdir -p "$root/include" "$root/lib/cmake/cmocka"
    # Its header would define uintptr_t again. Our warnings are not for it.
    {
        printf '#pragma GCC system_header\n#define _UINTPTR_T_DEFINED 1\n'
        cat cmocka-*/include/cmocka.h
    } >"$root/include/cmocka.h"
    cp cmocka-*/include/cmocka_private.h "$root/include"
    has=(-DHAVE_INTTYPES_H -DHAVE_MALLOC_H -DHAVE_SIGNAL_H -DHAVE_STRSIGNAL -DHAVE_STRUCT_TIMESPEC
        -DHAVE_CLOCK_GETTIME_REALTIME)
    NODE_PATH=/usr/share/nodejs emcc -O2 "${has[@]}" -I"$root/include" -c cmocka-*/src/cmocka.c -o cmocka.o
    emar rcs "$root/lib/libcmocka.a" cmocka.o
    echo "set(CMOCKA_INCLUDE_DIR $root/include)" >"$root/lib/cmake/cmocka/cmocka-config.cmake"
    echo "set(CMOCKA_LIBRARIES $root/lib/libcmocka.a)" >>"$root/lib/cmake/cmocka/cmocka-config.cmake"
}

# wine_server -p lets Wine's server wait for further programs, and -k ends it. Without -p it ends a few seconds after
# the last program, and one that starts at that moment fails.
wine_server() {
    WINEPREFIX=$PWD/build/wine WINEDEBUG=-all /usr/lib/wine/wineserver64 "$1"
}
