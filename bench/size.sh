#!/usr/bin/env bash
# Prints the bytes that the library adds to a static program without a GPU, tests/consumer/cpu.c: its code and data,
# less those of an empty program. It does so for all vector paths (LIMBER_SIMD=ON), for SIMD 4 alone, and for the scalar
# reference alone (OFF), from one release build: other paths are replaced by nothing when the program is linked.
#
#   bench/size.sh             compares with bench/sizes.txt: exit 1 if a program is more than 3 % above its budget
#   bench/size.sh --update    rewrites that file
#   bench/size.sh --parts     prints the files of the library in the program with all paths, in bytes
#
# Sizes depend on the compiler that the budgets name; with another one nothing is compared. A program whose paths the
# release build lacks is skipped. LIMBER_BUILD names another build folder. Takes seconds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=${LIMBER_BUILD:-build/release}
library=$build/src/liblimber.a
budgets=bench/sizes.txt
tolerance=3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compiler="$(sed -n 's/^CMAKE_C_COMPILER:.*=//p' "$build/CMakeCache.txt")"
name="$("$compiler" --version | grep -q clang && echo Clang || echo GCC) $("$compiler" -dumpversion | cut -d. -f1)"

bytes_of() {
    size "$1" | awk 'NR == 2 { print $1 + $2 }'
}

# link KIND WIDTHS...: links the program with the paths of these widths, and prints its bytes.
link() {
    local width stubs=()
    for width in 4 8 16; do
        if [[ " ${*:2} " != *" $width "* ]]; then
            stubs+=("lmb_simd_$width"{,_plain}_{scratch,run} "lmb_control_stages_$width")
        fi
    done
    printf 'char %s;\n' "${stubs[@]:-unused}" >"$work/$1-stubs.c"
    "$compiler" -O2 -static -s -Iinclude tests/consumer/cpu.c "$work/$1-stubs.c" "$library" -lm -o "$work/$1" \
        "-Wl,-Map=$work/$1.map"
    echo $(($(bytes_of "$work/$1") - empty))
}

measure() {
    local kind width widths
    for kind in ON 4 OFF; do
        widths=()
        [ "$kind" != ON ] || widths=(4 8 16)
        [ "$kind" != 4 ] || widths=(4)
        for width in "${widths[@]}"; do
            if ! nm "$library" 2>/dev/null | grep "lmb_simd_${width}_run\$" >"$work/names"; then
                echo "skipped: LIMBER_SIMD=$kind, because this build lacks SIMD $width" >&2
                continue 2
            fi
        done
        printf '%8d %s\n' "$(link "$kind" "${widths[@]}")" "$kind"
    done
}

echo 'int main(void) { return 0; }' >"$work/empty.c"
"$compiler" -O2 -static -s "$work/empty.c" -o "$work/empty"
empty=$(bytes_of "$work/empty")
measure >"$work/measured"
case "${1:-}" in
--update)
    {
        echo "# Bytes that the library adds to a small static program for each LIMBER_SIMD, by bench/size.sh --update."
        echo "compiler $name"
        cat "$work/measured"
    } >"$budgets"
    cat "$budgets"
    ;;
--parts)
    awk -v library="$library" '
        function number(hex, value, i) {
            for (i = 3; i <= length(hex); i++) value = 16 * value + index("123456789abcdef", substr(hex, i, 1))
            return value
        }
        $1 ~ /^\.(text|rodata|data|eh_frame)/ && NF == 1 { getline more; $0 = $0 " " more }
        $1 ~ /^\.(text|rodata|data|eh_frame)/ && $2 ~ /^0x/ && index($4, library "(") == 1 {
            bytes[substr($4, length(library) + 1)] += number($3)
        }
        END { for (file in bytes) printf "%8d %s\n", bytes[file], file }
    ' "$work/ON.map" | sort -rn
    ;;
*)
    if [ "$name" != "$(sed -n 's/^compiler //p' "$budgets")" ]; then
        echo "skipped: $name, and the budgets are those of another compiler"
        exit 0
    fi
    awk -v tolerance="$tolerance" '
        FNR == NR { if ($1 ~ /^[0-9]+$/) budget[$2] = $1; next }
        {
            over = $1 > budget[$2] * (1 + tolerance / 100)
            printf "LIMBER_SIMD=%-4s %8d bytes, budget %8d, %+6.1f %%%s\n", $2, $1, budget[$2],
                100 * ($1 / budget[$2] - 1), over ? "  TOO MANY" : ""
            many = many || over
        }
        END {
            if (many) print "Where this is meant, run bench/size.sh --update and commit what it changes."
            exit many
        }
    ' "$budgets" "$work/measured"
    ;;
esac
