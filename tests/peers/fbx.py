"""fbx.py LIMBER CONVERTER FILE...

Compares the clips of FBX files with Autodesk's library, which is inside FBX2glTF. That bakes 24 frames a second into a
glTF file. At these times, every joint's model matrix must be that of `limber sample`, within BOUND of the extent of the
joints. The first file gives the rig; more than one, separated by commas, are read together by Limber and one by one by
the converter.
"""
import json
import math
import os
import struct
import subprocess
import sys
import tempfile

BOUND = 1e-4
COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
FLOAT = 5126


class Glb:
    """A binary glTF file whose accessors are floats, as far as they are read here."""

    def __init__(self, path):
        with open(path, "rb") as file:
            content = file.read()
        size = struct.unpack_from("<I", content, 12)[0]
        self.json = json.loads(content[20:20 + size])
        self.binary = content[28 + size:]
        self.parents = {child: index for index, node in enumerate(self.json["nodes"])
                        for child in node.get("children", [])}

    def rows(self, index):
        accessor = self.json["accessors"][index]
        view = self.json["bufferViews"][accessor["bufferView"]]
        width = COMPONENTS[accessor["type"]]
        assert accessor["componentType"] == FLOAT and "byteStride" not in view
        values = struct.unpack_from(f"<{accessor['count'] * width}f", self.binary,
                                    view.get("byteOffset", 0) + accessor.get("byteOffset", 0))
        return [values[i:i + width] for i in range(0, len(values), width)]

    def frames(self, animation):
        """The times of the keys, and for each the transforms of the nodes that move."""
        times, moved = [], []
        for channel in animation["channels"]:
            target = channel["target"]
            sampler = animation["samplers"][channel["sampler"]]
            if target["path"] == "weights":
                continue
            keys = [row[0] for row in self.rows(sampler["input"])]
            if len(keys) > len(times):
                times, moved = keys, moved + [{} for _ in range(len(keys) - len(moved))]
            for key, value in enumerate(self.rows(sampler["output"])):
                moved[key].setdefault(target["node"], {})[target["path"]] = value
        return times, moved

    def models(self, moved):
        """The model matrix of each node by its name. Leaves out names that several nodes have."""
        result, cache = {}, {}
        names = [node.get("name", "") for node in self.json["nodes"]]

        def model(index):
            if index not in cache:
                local = local_matrix({**self.json["nodes"][index], **moved.get(index, {})})
                parent = self.parents.get(index)
                cache[index] = local if parent is None else multiply(model(parent), local)
            return cache[index]

        for index, name in enumerate(names):
            node = self.json["nodes"][index]
            # The converter turns cameras and lights to the axes of glTF.
            if names.count(name) == 1 and "camera" not in node and "extensions" not in node:
                result[name] = model(index)
        return result


def local_matrix(node):
    """Rows of three times four."""
    if "matrix" in node:
        return [[node["matrix"][column * 4 + row] for column in range(4)] for row in range(3)]
    x, y, z, w = node.get("rotation", (0, 0, 0, 1))
    scale = node.get("scale", (1, 1, 1))
    rotation = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    return [[rotation[row][column] * scale[column] for column in range(3)] +
            [node.get("translation", (0, 0, 0))[row]] for row in range(3)]


def multiply(a, b):
    return [[sum(a[row][k] * b[k][column] for k in range(3)) + (a[row][3] if column == 3 else 0)
             for column in range(4)] for row in range(3)]


def duration_of(limber, files, clip):
    """In seconds; None if there is no such clip."""
    run = subprocess.run([limber, "info", *files, "--json"], capture_output=True, text=True)
    clips = json.loads(run.stdout)["clips"] if run.returncode == 0 else []
    return next((found["duration"] for found in clips if found["name"] == clip), None)


def sample(limber, files, clip, times):
    """The model matrices of joints by name, for each time."""
    arguments = [argument for time in times for argument in ("--time", repr(time))]
    run = subprocess.run([limber, "sample", *files, "--clip", clip, *arguments, "--exact-scales", "--json"],
                         capture_output=True, text=True, check=True)
    return [{joint["name"]: [joint["model"][row * 4:row * 4 + 4] for row in range(3)] for joint in pose["joints"]}
            for pose in json.loads(run.stdout)["poses"]]


def extent_of(poses):
    points = [[row[3] for row in matrix] for pose in poses for matrix in pose.values()]
    return max(math.dist([min(p[i] for p in points) for i in range(3)], [max(p[i] for p in points) for i in range(3)]),
               1e-9)


def distance(ours, theirs, extent):
    """Of two matrices: that of their origins in parts of the extent, or a tenth of that of their axes in parts of these:
    an axis moves what is on it, here at a tenth of the extent."""
    length = max(math.hypot(*(row[axis] for row in theirs)) for axis in range(3)) or 1
    origin = math.dist([row[3] for row in ours], [row[3] for row in theirs])
    axes = max(abs(a - b) for row, other in zip(ours, theirs) for a, b in zip(row[:3], other[:3]))
    return max(origin / extent, 0.1 * axes / length)


def compare_clip(limber, files, glb, animation):
    """Returns a line of the table, and whether the clip agrees."""
    times, moved = glb.frames(animation)
    duration = duration_of(limber, files, animation["name"])
    if duration is None:
        return "no such clip", not times
    # The converter may go on behind the end of the take.
    times = [time for time in times if time <= duration + 1e-6]
    poses = sample(limber, files, animation["name"], times)
    extent = extent_of(poses)
    worst, where, joints = 0.0, "", 0
    for time, frame, pose in zip(times, moved, poses):
        theirs = glb.models(frame)
        common = pose.keys() & theirs.keys()
        joints = max(joints, len(common))
        for name in common:
            difference = distance(pose[name], theirs[name], extent)
            if difference > worst:
                worst, where = difference, f" ({name} at {time:.4f} s)"
    return f"{len(times):4d} frames, {joints:3d} joints, {worst:.1e} of the extent{where}", worst <= BOUND and joints > 0


def convert(converter, path, folder):
    target = os.path.join(folder, "converted")
    run = subprocess.run([converter, "--binary", "--anim-framerate", "bake24", "-i", path, "-o", target],
                         capture_output=True, text=True)
    return Glb(target + ".glb") if run.returncode == 0 and os.path.exists(target + ".glb") else None


def main():
    limber, converter, *characters = sys.argv[1:]
    failed = False
    for character in characters:
        files = character.split(",")
        for index, path in enumerate(files):
            with tempfile.TemporaryDirectory() as folder:
                glb = convert(converter, path, folder)
                if glb is None:
                    print(f"skip  {os.path.basename(path)}: the converter does not read it")
                    continue
                for animation in glb.json.get("animations", []) if index == len(files) - 1 else []:
                    line, agrees = compare_clip(limber, files, glb, animation)
                    failed = failed or not agrees
                    print(f"{'ok' if agrees else 'FAIL':5} {os.path.basename(path)} '{animation['name']}': {line}")
    sys.exit(failed)


main()
