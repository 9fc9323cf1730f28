"""Compares the character that Blender exported as glTF, FBX and BVH with Blender's own poses: the heads of all bones at every
frame. Prints a table, and exits with 1 if a file differs by more than 1e-4 of the extent.

    python3 compare.py LIMBER FOLDER
"""
import json
import subprocess
import sys

TOLERANCE = 1e-4
LIMBER, FOLDER = sys.argv[1:]

with open(f"{FOLDER}/expected.json", encoding="utf-8") as expected:
    blender = json.load(expected)
points = [point for pose in blender["poses"] for point in pose.values()]
extent = sum((max(p[i] for p in points) - min(p[i] for p in points)) ** 2 for i in range(3)) ** 0.5


def y_up(point):
    return [point[0], point[2], -point[1]]


# A BVH file has Blender's own axes and units.
FILES = [("character.glb", [], y_up), ("character.fbx", [], y_up), ("character.bvh", ["--bvh-unit", "1"], list)]
failed = 0
print(f"{'file':16} clips  difference")
for name, options, axes in FILES:
    path = f"{FOLDER}/{name}"
    times = [str(frame / blender["fps"]) for frame in range(len(blender["poses"]))]
    command = [LIMBER, "sample", path, "--clip", "0", *options, "--exact-scales", "--json"]
    for time in times:
        command += ["--time", time]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        print(f"{name:16} {result.stderr.strip()}")
        failed += 1
        continue
    worst, where = 0.0, ""
    for frame, (pose, heads) in enumerate(zip(json.loads(result.stdout)["poses"], blender["poses"])):
        models = {joint["name"]: joint["model"] for joint in pose["joints"]}
        for bone, head in heads.items():
            found = [models[bone][3], models[bone][7], models[bone][11]]
            difference = max(abs(a - b) for a, b in zip(found, axes(head))) / extent
            if difference > worst:
                worst, where = difference, f"{bone}, frame {frame}"
    failed += worst > TOLERANCE
    print(f"{name:16} {1:5}  {worst:10.2e}  {'same' if worst <= TOLERANCE else 'DIFFERS: ' + where}")
print(f"{len(FILES)} files, {failed} failed")
sys.exit(1 if failed else 0)
