// `limber info`: reports the contents of a file.
#include "command.h"
#include "json.h"
#include "reader.h"
#include "terminal.h"

#include <limber/import.h>
#include <stdio.h>

static size_t clip_bytes(const lmb_clip *clip) {
    size_t bytes = 0;
    lmb_clip_block(clip, &bytes);
    return bytes;
}

static void write_json(const char *file, const lmb_import *import) {
    json json = {.stream = stdout};
    const lmb_rig *rig = lmb_import_rig(import);
    json_begin_object(&json, NULL);
    json_text(&json, "file", file);
    json_unsigned(&json, "depth", lmb_rig_depth(rig));
    json_begin_array(&json, "joints");
    for (uint32_t i = 0; i < lmb_rig_joint_count(rig); i++) {
        uint32_t parent = lmb_rig_joint_parent(rig, i);
        json_begin_object(&json, NULL);
        json_text(&json, "name", lmb_rig_joint_name(rig, i));
        json_integer(&json, "parent", parent == LMB_NONE ? -1 : (int64_t)parent);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_begin_array(&json, "channels");
    for (uint32_t i = 0; i < lmb_rig_channel_count(rig); i++) {
        json_begin_object(&json, NULL);
        json_text(&json, "name", lmb_rig_channel_name(rig, i));
        json_float(&json, "rest", lmb_rig_channel_rest(rig, i));
        json_bool(&json, "angle", lmb_rig_channel_is_angle(rig, i));
        json_end_object(&json);
    }
    json_end_array(&json);
    json_begin_array(&json, "clips");
    for (uint32_t i = 0; i < lmb_import_clip_count(import); i++) {
        const lmb_clip *clip = lmb_import_clip(import, i);
        json_begin_object(&json, NULL);
        json_text(&json, "name", lmb_clip_name(clip));
        json_float(&json, "duration", lmb_clip_duration(clip));
        json_unsigned(&json, "tracks", lmb_clip_track_count(clip));
        json_unsigned(&json, "keys", lmb_clip_key_count(clip));
        json_unsigned(&json, "bytes", clip_bytes(clip));
        json_end_object(&json);
    }
    json_end_array(&json);
    json_begin_array(&json, "meshes");
    for (uint32_t i = 0; i < lmb_import_mesh_count(import); i++) {
        const lmb_mesh *mesh = lmb_import_mesh(import, i);
        json_begin_object(&json, NULL);
        json_text(&json, "name", mesh->name);
        json_unsigned(&json, "vertices", mesh->vertex_count);
        json_unsigned(&json, "triangles", mesh->index_count / 3);
        json_integer(&json, "image", mesh->image == LMB_NONE ? -1 : (int64_t)mesh->image);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_begin_array(&json, "images");
    for (uint32_t i = 0; i < lmb_import_image_count(import); i++) {
        const lmb_image *image = lmb_import_image(import, i);
        json_begin_object(&json, NULL);
        json_text(&json, "name", image->name);
        json_unsigned(&json, "bytes", image->size);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_begin_array(&json, "notes");
    for (uint32_t i = 0; i < lmb_import_note_count(import); i++) {
        json_text(&json, NULL, lmb_import_note(import, i));
    }
    json_end_array(&json);
    json_end_object(&json);
    terminal_print("\n");
}

static void print_joints(const lmb_rig *rig) {
    uint32_t count = lmb_rig_joint_count(rig);
    terminal_print("joints: %u, depth %u\n", count, lmb_rig_depth(rig));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = lmb_rig_joint_parent(rig, i);
        if (parent == LMB_NONE) {
            terminal_print("  %5u  %s\n", i, lmb_rig_joint_name(rig, i));
        } else {
            terminal_print("  %5u  %-32s  parent %u\n", i, lmb_rig_joint_name(rig, i), parent);
        }
    }
}

static void print_channels(const lmb_rig *rig) {
    uint32_t count = lmb_rig_channel_count(rig);
    if (count > 0) {
        terminal_print("channels: %u\n", count);
    }
    for (uint32_t i = 0; i < count; i++) {
        terminal_print("  %5u  %-32s  rest %g%s\n", i, lmb_rig_channel_name(rig, i),
                       (double)lmb_rig_channel_rest(rig, i), lmb_rig_channel_is_angle(rig, i) ? " degrees" : "");
    }
}

static void print_clips(const lmb_import *import) {
    uint32_t count = lmb_import_clip_count(import);
    terminal_print("clips: %u\n", count);
    if (count > 0) {
        terminal_print("  index  %-32s  %10s  %7s  %9s  %10s\n", "name", "seconds", "tracks", "keys", "bytes");
    }
    for (uint32_t i = 0; i < count; i++) {
        const lmb_clip *clip = lmb_import_clip(import, i);
        terminal_print("  %5u  %-32s  %10.3f  %7u  %9u  %10zu\n", i, lmb_clip_name(clip),
                       (double)lmb_clip_duration(clip), lmb_clip_track_count(clip), lmb_clip_key_count(clip),
                       clip_bytes(clip));
    }
}

static void print_meshes(const lmb_import *import) {
    uint32_t count = lmb_import_mesh_count(import);
    terminal_print("meshes: %u, images: %u\n", count, lmb_import_image_count(import));
    if (count > 0) {
        terminal_print("  index  %-32s  %10s  %10s\n", "name", "vertices", "triangles");
    }
    for (uint32_t i = 0; i < count; i++) {
        const lmb_mesh *mesh = lmb_import_mesh(import, i);
        terminal_print("  %5u  %-32s  %10u  %10u\n", i, mesh->name == NULL ? "" : mesh->name, mesh->vertex_count,
                       mesh->index_count / 3);
    }
}

static void print_notes(const lmb_import *import) {
    uint32_t count = lmb_import_note_count(import);
    terminal_print("notes: %u\n", count);
    for (uint32_t i = 0; i < count; i++) {
        terminal_print("  %s\n", lmb_import_note(import, i));
    }
}

int command_info(int argc, char **argv) {
    bool as_json = false;
    uint32_t file_count = 0;
    const option options[] = {OPTION_JSON(&as_json), {0}};
    const usage usage = {
        .command = "limber info",
        .synopsis = "FILE... [--json]",
        .text = "Shows what a character holds, in glTF, FBX, Collada or BVH; files after the first add their\n"
                "clips, matched by joint name. Shown are joints (parents before children), float channels, clips with "
                "their tracks\n"
                "and keys as the author gave them and the bytes of the built block, meshes, and notes on\n"
                "what was left out. In JSON a root's parent is -1, and so is the image of a mesh without.\n",
        .options = options,
        .files = OPTION_SOME_FILES};
    const int status = command_line_read(&usage, argc, argv, &file_count);
    if (status != COMMAND_LINE_GOOD) {
        return status;
    }
    lmb_import *import = NULL;
    lmb_error error = {0};
    if (reader_import((const char *const *)argv, file_count, &import, &error) != LMB_OK) {
        return command_failed(NULL, &error);
    }
    if (as_json) {
        write_json(argv[0], import);
    } else {
        print_joints(lmb_import_rig(import));
        print_channels(lmb_import_rig(import));
        print_clips(import);
        print_meshes(import);
        print_notes(import);
    }
    lmb_import_destroy(import);
    return 0;
}
