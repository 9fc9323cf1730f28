#!/usr/bin/env python3
"""Evaluates the clips of glTF files in float64, by the formulas of the glTF 2.0 specification (appendix C and section
3.5), and writes NAME.expected beside each: what tests/import/corpus_test.c compares with.

    python3 tests/corpus/expected.py tests/corpus/files/*.gltf

Flaws are mended as include/limber/import.h says: of several keys at one time and of several channels of one property the last
one counts, an animation that begins before 0 is moved, a matrix is divided by its last number, and a rotation of zero length
is none. Otherwise nothing here follows Limber's code. Lines: `clip INDEX`, `time SECONDS`, and `node INDEX` with the 3x4 matrix
of the node in model space, row by row. Nodes outside the scene are left out.
"""
import base64
import json
import math
import os
import struct
import sys

TYPES = {5120: ("b", 127), 5121: ("B", 255), 5122: ("h", 32767), 5123: ("H", 65535), 5125: ("I", 1), 5126: ("f", 1)}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def read_accessor(doc, buffers, index):
    accessor = doc["accessors"][index]
    letter, largest = TYPES[accessor["componentType"]]
    width, size = WIDTHS[accessor["type"]], struct.calcsize(letter)
    view = doc["bufferViews"][accessor["bufferView"]]
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    stride = view.get("byteStride", width * size)
    rows = [list(struct.unpack_from(f"<{width}{letter}", buffers[view["buffer"]], start + i * stride))
            for i in range(accessor["count"])]
    if accessor.get("normalized"):
        rows = [[max(value / largest, -1.0) for value in row] for row in rows]
    return rows


def normalise(q):
    length = math.sqrt(sum(x * x for x in q))
    return [x / length for x in q] if length > 0 else [0, 0, 0, 1]


def slerp(a, b, t):
    a, b = normalise(a), normalise(b)
    dot = sum(x * y for x, y in zip(a, b))
    if dot < 0:
        b, dot = [-x for x in b], -dot
    angle = math.acos(min(dot, 1.0))
    if angle < 1e-9:
        return normalise([x + (y - x) * t for x, y in zip(a, b)])
    return [(math.sin((1 - t) * angle) * x + math.sin(t * angle) * y) / math.sin(angle) for x, y in zip(a, b)]


def spline(rows, k, t, span):
    t2, t3 = t * t, t * t * t
    return [(2 * t3 - 3 * t2 + 1) * p + span * (t3 - 2 * t2 + t) * out + (-2 * t3 + 3 * t2) * q + span * (t3 - t2) * into
            for p, out, into, q in zip(rows[3 * k + 1], rows[3 * k + 2], rows[3 * k + 3], rows[3 * k + 4])]


class Sampler:
    def __init__(self, doc, buffers, sampler, path, shift):
        times = [row[0] + shift for row in read_accessor(doc, buffers, sampler["input"])]
        rows = read_accessor(doc, buffers, sampler["output"])
        self.kind, self.path = sampler.get("interpolation", "LINEAR"), path
        height = 3 if self.kind == "CUBICSPLINE" else 1
        kept = [i for i in range(len(times)) if i + 1 == len(times) or times[i + 1] != times[i]]
        self.times = [times[i] for i in kept]
        self.rows = [row for i in kept for row in rows[i * height:(i + 1) * height]]

    def key(self, k):
        return self.rows[3 * k + 1] if self.kind == "CUBICSPLINE" else self.rows[k]

    def at(self, time):
        times = self.times
        if time <= times[0] or len(times) == 1:
            value = self.key(0)
        elif time >= times[-1]:
            value = self.key(len(times) - 1)
        else:
            k = max(i for i in range(len(times)) if times[i] <= time)
            span = times[k + 1] - times[k]
            t = (time - times[k]) / span
            if self.kind == "STEP":
                value = self.rows[k]
            elif self.kind == "CUBICSPLINE":
                value = spline(self.rows, k, t, span)
            elif self.path == "rotation":
                value = slerp(self.rows[k], self.rows[k + 1], t)
            else:
                value = [x + (y - x) * t for x, y in zip(self.rows[k], self.rows[k + 1])]
        return normalise(value) if self.path == "rotation" else value


def local_matrix(node, moved):
    if "matrix" in node and not moved:
        m = node["matrix"]
        return [[m[column * 4 + row] / m[15] for column in range(4)] for row in range(4)]
    t = moved.get("translation", node.get("translation") or [0, 0, 0])
    x, y, z, w = normalise(moved.get("rotation", node.get("rotation", [0, 0, 0, 1])))
    s = moved.get("scale", node.get("scale", [1, 1, 1]))
    r = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
         [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
         [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    return [[r[i][0] * s[0], r[i][1] * s[1], r[i][2] * s[2], t[i]] for i in range(3)] + [[0, 0, 0, 1]]


def multiply(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def targets_of(doc, animation):
    """Yields sampler, node and path of each channel, also of those that name a node by a pointer."""
    for channel in animation["channels"]:
        target = channel["target"]
        pointer = target.get("extensions", {}).get("KHR_animation_pointer", {}).get("pointer", "").split("/")
        if len(pointer) == 4 and pointer[1] == "nodes":
            target = {"node": int(pointer[2]), "path": pointer[3]}
        if "node" in target and target["path"] in ("translation", "rotation", "scale"):
            yield animation["samplers"][channel["sampler"]], target["node"], target["path"]


def evaluate(doc, buffers, out):
    nodes = doc["nodes"]
    scenes = doc.get("scenes", [])
    children = {child for node in nodes for child in node.get("children", [])}
    roots = scenes[doc.get("scene", 0)].get("nodes", []) if scenes else [i for i in range(len(nodes)) if i not in children]
    index = 0
    for animation in doc.get("animations", []):
        if not animation["channels"]:
            continue
        starts = [read_accessor(doc, buffers, s["input"])[0][0] for s in animation["samplers"]]
        shift = max(0.0, -min(starts))
        tracks = [(node, path, Sampler(doc, buffers, sampler, path, shift))
                  for sampler, node, path in targets_of(doc, animation)]
        end = max(track.times[-1] for _, _, track in tracks)
        times = sorted({time for _, _, track in tracks for time in track.times} | {end * (i + 0.381966) / 8 for i in range(8)})
        print("clip", index, file=out)
        for time in times:
            time = struct.unpack("f", struct.pack("f", time))[0]
            print("time", repr(time), file=out)
            moved = {}
            for node, path, track in tracks:
                moved.setdefault(node, {})[path] = track.at(time)
            stack = [(root, [[float(i == j) for j in range(4)] for i in range(4)]) for root in roots]
            while stack:
                node, parent = stack.pop()
                model = multiply(parent, local_matrix(nodes[node], moved.get(node, {})))
                print("node", node, *(f"{model[i][j]:.17g}" for i in range(3) for j in range(4)), file=out)
                stack += [(child, model) for child in nodes[node].get("children", [])]
        index += 1


def main(paths):
    for path in paths:
        with open(path, encoding="utf-8-sig") as file:
            doc = json.load(file)
        buffers = []
        for buffer in doc.get("buffers", []):
            if buffer.get("uri", "").startswith("data:"):
                buffers.append(base64.b64decode(buffer["uri"].split(",", 1)[1]))
            else:
                with open(os.path.join(os.path.dirname(path), buffer["uri"]), "rb") as file:
                    buffers.append(file.read())
        with open(os.path.splitext(path)[0] + ".expected", "w", encoding="utf-8") as out:
            evaluate(doc, buffers, out)


if __name__ == "__main__":
    main(sys.argv[1:])
