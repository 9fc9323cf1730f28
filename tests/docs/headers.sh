#!/usr/bin/env bash
# Each header for C++ compiles alone, and before and after all other headers, without a warning, by each of the
# compilers that are there. It gives the same then: handles do not depend on what was included before.
# Usage: headers.sh INCLUDE_FOLDER COMPILER...
set -eu
include=$1
shift
cd "$include/limber"
headers=(*.h *.hpp)
flags=(-std=c++17 -fsyntax-only -x c++ "-I$include" -Wall -Wextra -Wpedantic -Wundef -Wshadow -Wold-style-cast
    -Wconversion -Wsign-conversion -Werror)
# What each header for C++ has.
uses() {
    case $1 in
    limber.hpp) echo 'limber::rig a; limber::pack b; limber::skin c; limber::root_motion d;' ;;
    gpu.hpp) echo 'limber::gpu e; limber::gpu_batch f; limber::gpu_readback g; limber::gpu_skin h; limber::rig i;' ;;
    graph_json.hpp) echo 'limber::graph_json m; limber::graph_aliases n; auto o = limber::read_machine;' ;;
    import.hpp) echo 'limber::import_ j; auto k = limber::create_graph_from_file; limber::graph l;' ;;
    *) echo "headers.sh: say what $1 has" >&2 && exit 1 ;;
    esac
}
lines() {
    printf '#include <limber/%s>\n' "$@"
}
compilers=0
for compiler in "$@"; do
    command -v "$compiler" >/dev/null || continue
    compilers=$((compilers + 1))
    for header in *.hpp; do
        { lines "$header" && uses "$header"; } | "$compiler" "${flags[@]}" -
        { lines "$header" "${headers[@]}" "$header" && uses "$header"; } | "$compiler" "${flags[@]}" -
        { lines "${headers[@]}" && uses "$header"; } | "$compiler" "${flags[@]}" -
    done
    echo "$compiler: ${#headers[@]} headers"
done
[ "$compilers" -gt 0 ]
