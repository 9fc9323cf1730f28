#!/usr/bin/env bash
# Checks that each folder of src includes only itself and those before it in this list, by names from src or of files
# beside it, and that no header includes itself through others. Prints each include that does not.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../src" || exit
layers="base math rig clip match program control graph cpu skin gpu/spirv gpu pack json import tools cli"

find . -name '*.[ch]' -o -name '*.cpp' | sed 's|^\./||' | sort | xargs grep -Hn '^#include "' |
    sed -E 's|^([^:]*):([0-9]*):#include "([^"]*)".*|\1 \2 \3|' | awk -v layers="$layers" '
    BEGIN { count = split(layers, names, " "); for (i = 1; i <= count; i++) level[names[i]] = i }
    function folder(path) { sub("/[^/]*$", "", path); return path }
    function exists(path,   line, found) { found = (getline line < path) >= 0; close(path); return found }
    function wrong(why) { print "src/" $1 ":" $2 ": " $3 ": " why; bad = 1 }
    # Follows includes from a header. Returns 1 if they lead back to a header on the way.
    function circular(header,   i, list, n) {
        if (state[header] == "left") return 0
        if (state[header] == "entered") { print "src/" header " includes itself through others"; return 1 }
        state[header] = "entered"
        n = split(includes[header], list, " ")
        for (i = 1; i <= n; i++) if (circular(list[i])) return 1
        state[header] = "left"
        return 0
    }
    {
        own = folder($1)
        if ($3 ~ /^(\.\.\/)+shaders\//) next # the shared arithmetic is below all
        target = exists(own "/" $3) ? own "/" $3 : $3
        while (sub("[^/]*/\\.\\./", "", target)) {}
        to = folder(target)
        if (!(own in level)) { wrong("the folder " own " has no place in the list"); next }
        if (!exists(target)) { if (target ~ /\//) wrong("there is no such file"); next } # made by the build
        if (!(to in level)) wrong("the folder " to " has no place in the list")
        else if (level[to] > level[own]) wrong(own " comes before " to)
        if ($1 ~ /\.h$/) includes[$1] = includes[$1] " " target
    }
    END {
        for (header in includes) if (circular(header)) bad = 1
        exit bad
    }'
