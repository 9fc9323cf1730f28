#!/usr/bin/env bash
# Compiles for GPUs that are not there, by the drivers of a newer Mesa than Debian 12 has:
#
#   bench/kernels/mesa.sh get FOLDER
#   bench/kernels/mesa.sh run FOLDER nouveau|intel PROGRAM [ARGUMENTS]
#
# `get` puts Mesa's drivers of the next Debian release and their C library into a folder, beside the system, and builds
# two of Mesa's shims from its sources: libraries that pretend to be a GPU's kernel driver, and run nothing. It gets 65
# MB by apt with this machine's mirror and keys, needs no root, and does nothing if the folder has them. Exits with 77
# if they cannot be had here, and says why.
# `run` runs a program with a driver and its shim: NOUVEAU_CHIPSET=172 is a GA102, INTEL_STUB_GPU_PLATFORM=dg2 an Arc.
# Other libraries that the drivers need are those of this system: Debian's mesa-vulkan-drivers depends on all of them.
set -euo pipefail

release=trixie
libraries=usr/lib/x86_64-linux-gnu

skip() {
    echo "skipped: Mesa of $release: $1"
    exit 77
}

# Mesa's build generates some headers of Intel's GPUs, and compiles what the shims need into libraries.
build_shims() {
    local mesa=$1 root=$2 to=$3 dev=src/intel/dev
    local common=(src/drm-shim/{device,drm_shim}.c src/c11/impl/{threads_posix,time}.c
        src/util/{anon_file,blob,hash_table,log,memstream,os_file,os_misc,os_time,ralloc,rb_tree,set,simple_mtx}.c
        src/util/{u_call_once,u_cpu_detect,u_debug,u_printf,u_process,u_thread,vma}.c)
    local flags=(-O1 -fPIC -w -DNDEBUG -fvisibility=hidden -shared '-Wl,-z,defs' -D_GNU_SOURCE -DHAVE_PTHREAD
        -DHAVE_LIBDRM -DHAVE_STRUCT_TIMESPEC -DHAVE_TIMESPEC_GET -DHAVE_MEMFD_CREATE -DHAVE_DLFCN_H -DHAVE_DLADDR
        -DHAVE_ENDIAN_H -DHAVE_SECURE_GETENV -DHAVE_PROGRAM_INVOCATION_NAME -DHAVE_FUNC_ATTRIBUTE_PACKED
        -DHAVE___BUILTIN_POPCOUNT -DHAVE___BUILTIN_FFS -DHAVE___BUILTIN_FFSLL -DHAVE___BUILTIN_CLZ
        -DHAVE___BUILTIN_CTZ -DMAJOR_IN_SYSMACROS -DUTIL_ARCH_LITTLE_ENDIAN=1 -DUTIL_ARCH_BIG_ENDIAN=0
        '-DPACKAGE_VERSION=""' -Iinclude -Iinclude/drm-uapi -Isrc -Isrc/mesa -Isrc/gallium/include
        -Isrc/gallium/auxiliary -Isrc/nouveau/headers -Isrc/intel -Isrc/intel/common "-I$dev" "-I$root/usr/include"
        "-I$root/usr/include/libdrm" "-L$root/$libraries")
    local linked=(-ldrm -lm)
    cd "$mesa"
    # NVK needs a newer interface of the kernel driver than the shim says it has.
    sed -i 's/shim_device.version_minor = 3;/shim_device.version_minor = 4;/' src/nouveau/drm-shim/nouveau_noop.c
    gcc "${flags[@]}" -o "$to/nouveau.so" src/nouveau/drm-shim/nouveau_noop.c "${common[@]}" "${linked[@]}"
    export PYTHONPATH=$root/usr/lib/python3/dist-packages
    python3 $dev/gen_wa_helpers.py $dev/mesa_defs.json $dev/intel_wa.h $dev/intel_wa.c
    python3 $dev/intel_device_info_gen_h.py $dev/intel_device_info_gen.h
    echo '_Bool intel_device_info_from_json(const char *path, void *info) { return 0; }' >src/no_json.c
    gcc "${flags[@]}" -o "$to/intel.so" src/intel/tools/intel_noop_drm_shim.c src/no_json.c \
        $dev/{intel_device_info,intel_hwconfig,intel_kmd,intel_wa,{i915,xe}/intel_device_info}.c \
        src/intel/common/{intel_gem,intel_engine,{i915,xe}/{intel_gem,intel_engine},xe/intel_device_query}.c \
        "${common[@]}" "${linked[@]}"
}

get() {
    local to=$1 site name package archive status
    [ ! -f "$to/intel.so" ] || return 0
    for name in apt-get gcc python3; do command -v "$name" >/dev/null || skip "no $name"; done
    [ "$(uname -m)" = x86_64 ] || skip "the drivers are those of x86-64"
    site=$(apt-get indextargets --format '$(SITE) $(COMPONENT)' 'Created-By: Packages' |
        sed -n 's,/debian main$,/debian,p' | head -n 1)
    [ -n "$site" ] || skip "apt knows no mirror of Debian"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cd "$work"
    mkdir -p lists/partial cache/archives/partial root
    : >status
    printf "%s $site $release main\n" deb deb-src >sources.list
    local options=(-qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$work/lists" -o "Dir::State::Status=$work/status" -o "Dir::Cache=$work/cache"
        -o APT::Sandbox::User= -o Acquire::Languages=none -o Acquire::Retries=2)
    {
        apt-get "${options[@]}" update &&
            apt-get "${options[@]}" download mesa-vulkan-drivers libc6 libdrm2 libdrm-dev python3-{mako,markupsafe} &&
            apt-get "${options[@]}" source --download-only --tar-only mesa
    } >log 2>&1 || skip "$(tail -n 1 log)"
    for package in ./*.deb; do dpkg-deb -x "$package" root; done
    archive=$(find . -maxdepth 1 -name 'mesa_*.orig.tar.*' ! -name '*.asc' | head -n 1)
    mkdir mesa
    tar -C mesa --strip-components=1 -xf "$archive" --wildcards '*/include' \
        '*/src/'{c11,compiler,drm-shim,gallium,intel,mesa,nouveau,util}
    mkdir -p "$to"
    for name in libc libdl libm libmvec libpthread librt libdrm libvulkan_nouveau libvulkan_intel; do
        cp -L "root/$libraries/$name".so* "$to"
    done
    cp -L "root/$libraries/ld-linux-x86-64.so.2" "$to"
    for name in nouveau intel; do
        printf '{"file_format_version": "1.0.0", "ICD": {"api_version": "1.3.0", "library_path": "%s"}}\n' \
            "$to/libvulkan_$name.so" >"$to/$name.json"
    done
    # Not inside a condition: there the shell would ignore -e.
    set +e
    (set -e; build_shims "$work/mesa" "$work/root" "$to") >log 2>&1
    status=$?
    set -e
    [ "$status" -eq 0 ] || { cat log && exit 1; }
}

usage="usage: bench/kernels/mesa.sh get FOLDER
       bench/kernels/mesa.sh run FOLDER nouveau|intel PROGRAM [ARGUMENTS]"
[ $# -ge 2 ] || { echo "$usage" >&2 && exit 2; }
mkdir -p "$2"
folder=$(cd "$2" && pwd)
case $1 in
get) get "$folder" ;;
run)
    [ $# -ge 4 ] || { echo "$usage" >&2 && exit 2; }
    driver=$3
    shift 3
    export VK_DRIVER_FILES=$folder/$driver.json VK_ICD_FILENAMES=$folder/$driver.json
    export NVK_I_WANT_A_BROKEN_VULKAN_DRIVER=1 # of an NVIDIA GPU that Mesa does not say it conforms on
    # The shims say on stderr which calls they do not know.
    exec "$folder/ld-linux-x86-64.so.2" --library-path "$folder:/$libraries" --preload "$folder/$driver.so" "$@" \
        2> >(grep -v '^Unknown ' >&2)
    ;;
*) echo "$usage" >&2 && exit 2 ;;
esac
