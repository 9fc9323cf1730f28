#!/usr/bin/env bash
# Runs limber-bench once on all Vulkan drivers, draws the plots in bench/plots, and writes the tables in docs/figures.md
# between their two marks. Takes about five minutes.
#
#   bench/plot.sh [FILE.json...]   uses these outputs of `limber-bench --all --json` and runs nothing
#
# Needs the release build; installs gnuplot if it is missing.
set -euo pipefail
here=$(pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. .ci/packages.sh

command -v gnuplot >/dev/null || install_packages gnuplot-nox
plots=bench/plots
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$plots"

if [ $# -eq 0 ]; then
    # The floor's operations are compiled in, so they are counted again if Valgrind is installed.
    cmake --build --preset release --target limber-count
    if command -v valgrind >/dev/null; then bench/count.sh --operations; fi
    cmake --build --preset release --target limber-bench
    drivers=$(vulkan_manifests | paste -sd:)
    with_driver "$drivers" build/release/limber-bench --all --seconds 0.3 --longest-frame 5 --json >"$work/results.json"
    mv "$work/results.json" "$plots/results.json"
    set -- "$PWD/$plots/results.json"
fi
for file in "$@"; do
    (cd "$here" && cat "$file")
done >"$work/all.json"

# Each result is one line: field(NAME) returns a value without quotes.
cat >"$work/field.awk" <<'AWK'
function field(name, at, rest) {
    at = index($0, "\"" name "\":")
    rest = substr($0, at + length(name) + 3)
    if (at == 0) return ""
    if (substr(rest, 1, 1) == "\"") {
        rest = substr(rest, 2)
        return substr(rest, 1, index(rest, "\"") - 1)
    }
    sub(/[,}].*/, "", rest)
    return rest
}
AWK

# Prints lines of: abscissa, cost, low, high, floor of copying, floor of arithmetic; one block per backend, for gnuplot.
# series ABSCISSA CONDITION: the condition is an awk expression.
series() {
    awk -f "$work/field.awk" -f <(printf '%s\n' '
        /"us_per_character"/ && field("workload") == "four-clips" && field("clips") == "procedural" &&
            field("compressed") == "false" && '"$2"' {
            name = field("backend")
            if (!(name in rows)) names[++count] = name
            rows[name] = rows[name] field("'"$1"'") " " field("us_per_character") " " field("low") " " field("high") \
                " " field("copy_floor_us") " " field("arithmetic_floor_us") "\n"
        }
        END {
            for (i = 1; i <= count; i++) printf "\"%s\"\n%s\n\n", names[i], rows[names[i]]
        }') "$work/all.json"
}

# draw NAME LABEL TITLE TICS RANGE: draws bench/plots/NAME.png and .svg.
draw() {
    local terminal suffix blocks
    blocks=$(grep -c '^"' "$work/$1.dat")
    for suffix in png svg; do
        terminal="pngcairo size 960,640 font 'DejaVu Sans,11'"
        if [ "$suffix" = svg ]; then terminal="svg size 960,640 font 'DejaVu Sans,14' background 'white'"; fi
        gnuplot <<GNUPLOT
set terminal $terminal
set output '$plots/$1.$suffix'
set title '$3' noenhanced
set xlabel '$2'
set ylabel 'microseconds a character and frame'
set logscale xy
set format y '%g'
set grid xtics ytics lc rgb '#dddddd' lt 1
set border 3
set xtics nomirror $4
set xrange $5
set ytics nomirror
set key below center horizontal Left reverse noenhanced samplen 2.5 spacing 1.3 maxcols 3
array colour[8] = ['#000000', '#0072b2', '#009e73', '#d55e00', '#cc79a7', '#e69f00', '#56b4e9', '#888888']
last = $blocks - 1
plot for [i=0:last] '$work/$1.dat' index i using 1:2 with linespoints lw 2 pt 7 ps 0.8 lc rgb colour[i % 8 + 1] \
        title columnheader(1), \
    '$work/$1.floor' index 0 using 1:2 with lines lw 2 dt 2 lc rgb '#555555' title 'floor: copying the palette', \
    '$work/$1.floor' index 0 using 1:3 with lines lw 2 dt 3 lc rgb '#555555' title 'floor: its arithmetic, fastest path'
GNUPLOT
    done
}

# Prints the floors of the fastest CPU path: abscissa, copying, arithmetic.
floors() {
    awk -f "$work/field.awk" -f <(printf '%s\n' '
        /"us_per_character"/ && field("workload") == "four-clips" && field("clips") == "procedural" &&
            field("compressed") == "false" && field("backend") ~ /^CPU/ && '"$2"' {
            x = field("'"$1"'") + 0
            copy[x] = field("copy_floor_us")
            sum = field("arithmetic_floor_us") + 0
            if (!(x in sums) || sum < sums[x]) sums[x] = sum
        }
        END { for (x in copy) print x, copy[x], sums[x] }') "$work/all.json" | sort -g
}

series characters 'field("joints") == 67' >"$work/characters.dat"
floors characters 'field("joints") == 67' >"$work/characters.floor"
series joints 'field("characters") == 1000' >"$work/joints.dat"
floors joints 'field("characters") == 1000' >"$work/joints.floor"
draw characters 'characters' 'What a character of 67 joints costs, against the size of the crowd' \
    "('16' 16, '100' 100, '1,000' 1000, '10,000' 10000, '100,000' 100000, '1,000,000' 1000000)" '[11:1400000]'
draw joints 'joints' 'What a character costs, against the size of its rig, 1,000 characters' \
    "('24' 24, '67' 67, '200' 200, '1,000' 1000)" '[20:1200]'

# Writes the tables in the page's format.
awk -f "$work/field.awk" -f <(cat <<'AWK'
function grouped(number, text) {
    number += 0
    for (text = ""; number >= 1000; number = int(number / 1000)) text = sprintf(",%03d", number % 1000) text
    return number text
}
function cost(us) {
    return us == "" ? "" : us < 10 ? sprintf("%.2f", us) : us < 100 ? sprintf("%.1f", us) : sprintf("%.0f", us)
}
function percent(share) {
    return share * 100 < 1 ? sprintf("%.1f %%", share * 100) : sprintf("%.0f %%", share * 100)
}
/"date"/ { date = field("date"); compiler = field("compiler") }
/"operations_per_second"/ {
    limits[++limit_count] = sprintf("| %s | %.1f | %.1f |", field("backend"), field("copied_bytes_per_second") / 1e9,
        field("operations_per_second") / 1e9)
}
/"us_per_character"/ {
    name = field("backend")
    us = field("us_per_character") + 0
    if (!(name in known)) { known[name] = 1; names[++count] = name }
    spread = (field("high") - field("low")) / us
    spreads[++spread_count] = spread
    characters = field("characters")
    four = field("workload") == "four-clips" && field("clips") == "procedural" && field("compressed") == "false"
    if (four && field("joints") == 67) {
        if (!((characters) in sizes_known)) { sizes_known[characters] = 1; sizes[++size_count] = characters }
        crowd[name, characters] = cost(us) " (" percent(field("share_of_floor")) ")"
    }
    if (field("control_us") != "") {
        parts[++part_count] = sprintf("| %s | %s | %s | %s |", name, cost(field("control_us") + 0), cost(field("pose_us") + 0),
            percent(field("control_share")))
    }
    if (characters == 1000) {
        scene = field("workload") ", " field("clips") (field("compressed") == "true" ? ", compressed" : "") ", " \
            field("joints") " joints"
        if (!(scene in scenes_known)) { scenes_known[scene] = 1; scenes[++scene_count] = scene }
        others[scene, name] = cost(us)
    }
}
END {
    print "Microseconds a character and frame, and in brackets the share of the floor. " date ", " compiler ":"
    print ""
    line = "| characters |"; rule = "| --- |"
    for (i = 1; i <= size_count; i++) { line = line " " grouped(sizes[i]) " |"; rule = rule " ---: |" }
    print line; print rule
    for (n = 1; n <= count; n++) {
        line = "| " names[n] " |"
        for (i = 1; i <= size_count; i++) line = line " " crowd[names[n], sizes[i]] " |"
        print line
    }
    for (i = 1; i <= spread_count; i++) for (j = i + 1; j <= spread_count; j++) if (spreads[j] < spreads[i]) {
        swap = spreads[i]; spreads[i] = spreads[j]; spreads[j] = swap
    }
    printf "\nHalf of a figure's samples lie within %.0f %% of each other, in the median of all figures; within %.0f %% in nine of ten.\n",
        100 * spreads[int((spread_count + 1) / 2)], 100 * spreads[int(spread_count * 0.9 + 0.5)]
    print "\n![Cost of a character against the size of the crowd](../bench/plots/characters.png)"
    print "\nOther rigs, clips and workloads, 1,000 characters, microseconds a character:\n"
    line = "| workload, clips, rig |"; rule = "| --- |"
    for (n = 1; n <= count; n++) {
        short = names[n]; sub(/, per core/, "", short); sub(/ \(.*/, "", short)
        line = line " " short " |"; rule = rule " ---: |"
    }
    print line; print rule
    for (s = 1; s <= scene_count; s++) {
        line = "| " scenes[s] " |"
        for (n = 1; n <= count; n++) line = line " " others[scenes[s], names[n]] " |"
        print line
    }
    print "\n![Cost of a character against the size of its rig](../bench/plots/joints.png)"
    if (part_count > 0) {
        print "\nOf machines, what each character's own control takes ahead of its poses, 1,000 characters, microseconds a character:\n"
        print "| machines | control | poses | control, of the poses |"
        print "| --- | ---: | ---: | ---: |"
        for (i = 1; i <= part_count; i++) print parts[i]
    }
    print "\nThe limits that the floors are made of, in the same run:\n"
    print "| limit of | copies, GB/s | additions and multiplications, 10^9/s |"
    print "| --- | ---: | ---: |"
    for (i = 1; i <= limit_count; i++) print limits[i]
}
AWK
) "$work/all.json" >"$work/tables.md"

awk -v tables="$work/tables.md" '
    /<!-- bench: end -->/ { inside = 0 }
    !inside
    /<!-- bench: begin/ { inside = 1; while ((getline line < tables) > 0) print line; found = 1 }
    END { exit !found }' docs/figures.md >"$work/figures.md"
cat "$work/figures.md" >docs/figures.md
echo "Wrote $plots and the tables in docs/figures.md."
