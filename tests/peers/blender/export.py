"""Run by Blender: makes a character of a few bones with a skinned mesh, animates it, and exports it as glTF, FBX and BVH, with
the heads of its bones at every frame as Blender computes them.

    blender --background --factory-startup --python export.py -- FOLDER
"""
import json
import math
import sys

import bpy

FOLDER = sys.argv[sys.argv.index("--") + 1]
FRAMES, FPS = 24, 24
BONES = [("hips", None, (0, 0, 1), (0, 0, 1.3)), ("spine", "hips", (0, 0, 1.3), (0, 0.1, 1.7)),
         ("arm", "spine", (0, 0.1, 1.7), (0.4, 0.1, 1.6)), ("hand", "arm", (0.4, 0.1, 1.6), (0.6, 0, 1.6)),
         ("leg", "hips", (0.1, 0, 1), (0.1, -0.05, 0.5)), ("foot", "leg", (0.1, -0.05, 0.5), (0.1, 0, 0.05))]

scene = bpy.context.scene
for thing in list(bpy.data.objects):
    bpy.data.objects.remove(thing)
scene.render.fps, scene.frame_start, scene.frame_end = FPS, 0, FRAMES

armature = bpy.data.objects.new("Character", bpy.data.armatures.new("Character"))
scene.collection.objects.link(armature)
bpy.context.view_layer.objects.active = armature
bpy.ops.object.mode_set(mode="EDIT")
for name, parent, head, tail in BONES:
    bone = armature.data.edit_bones.new(name)
    bone.head, bone.tail = head, tail
    bone.parent = armature.data.edit_bones[parent] if parent else None
bpy.ops.object.mode_set(mode="OBJECT")

vertices, faces = [], []
for _, _, head, tail in BONES:
    first = len(vertices)
    vertices += [head, (head[0] + 0.05, head[1] + 0.05, head[2]), tail]
    faces.append((first, first + 1, first + 2))
mesh = bpy.data.meshes.new("Skin")
mesh.from_pydata(vertices, [], faces)
skin = bpy.data.objects.new("Skin", mesh)
scene.collection.objects.link(skin)
skin.parent = armature
skin.modifiers.new("Armature", "ARMATURE").object = armature
for i, (name, *_) in enumerate(BONES):
    skin.vertex_groups.new(name=name).add([3 * i, 3 * i + 1, 3 * i + 2], 1.0, "REPLACE")

# Keys apart, so that Blender's curves, and not only their keys, are what is exported.
for i, (name, *_) in enumerate(BONES):
    bone = armature.pose.bones[name]
    bone.rotation_mode = "QUATERNION" if i % 2 else "XYZ"
    for frame in (0, 9, 17, FRAMES):
        angles = [0.5 * math.sin(0.7 * frame + i), 0.3 * math.cos(0.4 * frame + 2 * i), 0.4 * math.sin(0.2 * frame * i)]
        if i % 2:
            half = [0.5 * angle for angle in angles]
            bone.rotation_quaternion = (1.0, *half)
            bone.rotation_quaternion.normalize()
            bone.keyframe_insert("rotation_quaternion", frame=frame)
        else:
            bone.rotation_euler = angles
            bone.keyframe_insert("rotation_euler", frame=frame)
        if name == "hips":
            bone.location = (0.02 * frame, 0.1 * math.sin(frame), -0.01 * frame)
            bone.keyframe_insert("location", frame=frame)

poses = []
for frame in range(FRAMES + 1):
    scene.frame_set(frame)
    poses.append({bone.name: list((armature.matrix_world @ bone.matrix).translation) for bone in armature.pose.bones})
with open(f"{FOLDER}/expected.json", "w", encoding="utf-8") as file:
    json.dump({"fps": FPS, "poses": poses}, file)

scene.frame_set(0)
bpy.ops.export_scene.gltf(filepath=f"{FOLDER}/character.glb", export_format="GLB")
bpy.ops.export_scene.fbx(filepath=f"{FOLDER}/character.fbx", add_leaf_bones=False, bake_anim_simplify_factor=0.0,
                         bake_anim_use_all_actions=False, bake_anim_use_nla_strips=False)
bpy.ops.object.select_all(action="DESELECT")
armature.select_set(True)
bpy.context.view_layer.objects.active = armature
bpy.ops.export_anim.bvh(filepath=f"{FOLDER}/character.bvh", frame_start=0, frame_end=FRAMES)
