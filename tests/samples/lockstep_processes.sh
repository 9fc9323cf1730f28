#!/usr/bin/env bash
# samples/lockstep as a server and four clients in processes of their own: all have the hash of the game in one process.
# A client of another game is refused.
#
#   lockstep_processes.sh COMMAND...    the program, after what runs it, such as tests/wine.sh
set -euo pipefail
program=("$@")
folder=$(mktemp -d)
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$folder"' EXIT
pids=()
options=(--squad 4 --frames 300 --tick 1)

expected=$("${program[@]}" "${options[@]}" | grep -o 'hash [0-9a-f]*')
: >"$folder/server" # the process that opens it may not have begun when it is read
"${program[@]}" "${options[@]}" --server 0 >"$folder/server" &
pids+=($!)
port=
for _ in {1..200}; do
    port=$(sed -nE 's/^port ([0-9]+).*$/\1/p' "$folder/server")
    [ -z "$port" ] || break
    sleep 0.05
done

if "${program[@]}" "${options[@]}" --seed 2 --client "$port" >/dev/null 2>"$folder/refused"; then exit 1; fi
grep -q 'refused: the client has another graph, or another script' "$folder/refused"

for player in 0 1 2 3; do
    "${program[@]}" "${options[@]}" --client "$port" --player "$player" >"$folder/$player" &
    pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid"; done
pids=()
sed -i 's/\r$//' "$folder"/* # of programs for Windows
cat "$folder/server"
grep -q "^300 frames of 16 characters in [0-9]* ticks, $expected$" "$folder/server"
for player in 0 1 2 3; do
    cat "$folder/$player"
    grep -q '^[1-9][0-9]* frames confirmed, 0 differences$' "$folder/$player"
done
