#!/usr/bin/env bash
# Compares Limber's CPU paths with ozz-animation and ACL: the same clips, the same work, one process, in turns.
#
#   bench/peers/run.sh OZZ ACL RTM [KIND] [SECONDS]
#
# OZZ, ACL and RTM are the sources of ozz-animation, of ACL and of RTM (the mathematics that ACL needs), with the
# versions that are to be compared. ozz is built for this processor (-march=native), the others with their own release
# flags. KIND is the character: mannequin (default), procedural or pab; SECONDS (0.25) is the time of each row and size,
# with which a character takes some three minutes. Prints Markdown tables; for the mannequin also what two nodes of
# inverse kinematics add, beside ozz's jobs. Fails if the results of the libraries do not agree.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if [ $# -lt 3 ] || [ $# -gt 5 ]; then
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' bench/peers/run.sh
    exit 2
fi
ozz=$(cd "$1" && pwd) acl=$(cd "$2" && pwd) rtm=$(cd "$3" && pwd)
build=$PWD/build/peers
mkdir -p "$build"

quietly() {
    "$@" >"$build/log" 2>&1 || { cat "$build/log" >&2 && return 1; }
}

disabled=()
for part in tools fbx gltf samples howtos tests; do
    disabled+=("-Dozz_build_$part=OFF")
done
quietly cmake -S "$ozz" -B "$build/ozz" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS=-march=native "${disabled[@]}"
quietly cmake --build "$build/ozz" --parallel --target ozz_base ozz_animation ozz_animation_offline
quietly cmake --preset release -B "$build/limber" -DLIMBER_PEER_OZZ="$ozz" -DLIMBER_PEER_OZZ_BUILD="$build/ozz" \
    -DLIMBER_PEER_ACL="$acl" -DLIMBER_PEER_RTM="$rtm"
quietly cmake --build "$build/limber" --target limber-peers

awk -F ': *' '/^model name/ { print "Processor: " $2; exit }' /proc/cpuinfo
"$build/limber/limber-peers" "${@:4}"
