# Sourced by elsewhere.sh and lab.sh: packs programs and their libraries here, unpacks and runs them on a machine
# without compilers. The script that sources it sets `here`, its own folder; `programs`, of the build folder; and
# `assets`, folders of LIMBER_ASSETS that the programs read. LIMBER_BUILD names another build folder than the release
# build's, PACKING the level of xz (9).
PATH=$PATH:/usr/sbin:/sbin # for ldconfig
self=$(basename "$0")

# Lists all libraries except the C library, which is the machine's own.
libraries_of() {
    ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// && $1 !~ /^(libc|libm|libdl|libpthread|librt)\.so/ { print $3 }' | sort -u
}

# Prints the path of a library of the machine; nothing if it does not have it.
own_library() {
    ldconfig -p 2>/dev/null | awk -v name="$1" '$1 == name && !found { print $NF; found = 1 }'
}

check_build() {
    local program missing=()
    if [ ! -d "$1" ]; then
        echo "$self: there is no release build: cmake --preset release && cmake --build --preset release" >&2
        return 1
    fi
    for program in "${programs[@]}"; do
        [ -x "$1/$program" ] || missing+=("$program")
    done
    if [ ${#missing[@]} -gt 0 ]; then
        echo "$self: the release build lacks ${missing[*]}: cmake --build --preset release" >&2
        return 1
    fi
}

# take_assets BUILD: copies what is there. Programs say what they lack.
take_assets() {
    local from name
    from=$(sed -n 's/^LIMBER_ASSETS:PATH=//p' "$1/CMakeCache.txt")
    for name in "${assets[@]}"; do
        [ ! -d "$from/$name" ] || cp -r --no-preserve=mode "$from/$name" "$work/assets/"
    done
}

pack() {
    local to=$1 build=${LIMBER_BUILD:-$here/../build/release} loader='' library
    check_build "$build"
    if [ "${2:-}" = --loader ]; then
        loader=$(own_library libvulkan.so.1)
        [ -n "$loader" ] || { echo "$self: there is no Vulkan loader here (libvulkan.so.1)" >&2 && return 1; }
    fi
    mkdir -p "$to" "$work/bin" "$work/lib" "$work/assets"
    (cd "$build" && cp "${programs[@]}" "$work/bin/")
    strip "$work"/bin/*
    for library in $(libraries_of "$work"/bin/*) $loader; do
        cp -L "$library" "$work/lib/"
    done
    take_assets "$build"
    tar -C "$work" -c bin lib assets | xz "-${PACKING:-9}" >"$to/limber.tar.xz" # programs contain the same kernels
    cp "$here/$self" "$here/packed.sh" "$to/"
    du -h "$to/limber.tar.xz"
}

# unpack: enters the folder of the programs. Removes the packed libraries that the machine has itself, because its
# drivers need its own.
unpack() {
    local library
    xz -dc "$here/limber.tar.xz" | tar -C "$work" -x
    for library in "$work"/lib/*; do
        [ -z "$(own_library "$(basename "$library")")" ] || rm "$library"
    done
    export LIMBER_ASSETS=$work/assets
    export LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    cd "$work/bin"
}

emit_machine() {
    date -u '+%Y-%m-%d %H:%M UTC'
    uname -srm
    awk -F ': *' '/^model name/ { name = $2; cores++ } END { if (cores) print name ", " cores " of its threads" }' /proc/cpuinfo
    timeout 60 ./limber devices 2>&1
}

# packed_main ARGUMENTS...: calls pack, or run with a folder that exists. Without either it prints the first comment of
# the script.
packed_main() {
    work=$(mktemp -d)
    trap 'cd / && rm -rf "$work"' EXIT
    case "$# ${1:-} ${3:-}" in
    "2 pack " | "3 pack --loader") pack "$2" "${3:-}" ;;
    "2 run ")
        mkdir -p "$2"
        out=$(cd "$2" && pwd)
        unpack
        run
        ;;
    *)
        sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$here/$self"
        exit 2
        ;;
    esac
}
