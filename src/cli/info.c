// `limber info`: reports the contents of a file.
#include "command.h"
#include "json.h"
#include "terminal.h"

#include <stdio.h>

static size_t clip_bytes(const lmb_clip *clip) {
    size_t bytes = 0;
    lmb_clip_block(clip, &bytes);
    return bytes;
}

static void write_pack(json *json, const lmb_pack *pack) {
    json_begin_array(json, "graphs");
    for (uint32_t i = 0; i < lmb_pack_graph_count(pack); i++) {
        const lmb_pack_graph *graph = lmb_pack_graph_at(pack, i);
        json_begin_named(json, graph->name);
        json_unsigned(json, "nodes", graph->def->node_count);
        json_unsigned(json, "parameters", graph->def->parameter_count);
        json_end_object(json);
    }
    json_end_array(json);
    json_begin_object(json, "bytes");
    for (uint32_t i = 0; i < LMB_PACK_PART_COUNT; i++) {
        json_unsigned(json, pack_part_names[i], lmb_pack_part_bytes(pack, (lmb_pack_part)i));
    }
    json_end_object(json);
}

static void write_json(const subject *subject) {
    const lmb_import *import = subject->character.import;
    const lmb_pack *pack = subject->character.pack;
    const lmb_rig *rig = subject->character.rig;
    json json = json_begin(stdout);
    json_text(&json, "file", subject->place);
    json_unsigned(&json, "depth", lmb_rig_depth(rig));
    json_begin_array(&json, "joints");
    for (uint32_t i = 0; i < lmb_rig_joint_count(rig); i++) {
        json_begin_named(&json, lmb_rig_joint_name(rig, i));
        json_index(&json, "parent", lmb_rig_joint_parent(rig, i));
        json_bool(&json, "extra", lmb_rig_joint_is_extra(rig, i));
        json_end_object(&json);
    }
    json_end_array(&json);
    json_begin_array(&json, "channels");
    for (uint32_t i = 0; i < lmb_rig_channel_count(rig); i++) {
        json_begin_named(&json, lmb_rig_channel_name(rig, i));
        json_float(&json, "rest", lmb_rig_channel_rest(rig, i));
        json_bool(&json, "angle", lmb_rig_channel_is_angle(rig, i));
        json_end_object(&json);
    }
    json_end_array(&json);
    json_begin_array(&json, "clips");
    for (uint32_t i = 0; i < subject->character.clip_count; i++) {
        const lmb_clip *clip = subject->character.clips[i];
        json_begin_named(&json, lmb_clip_name(clip));
        json_float(&json, "duration", lmb_clip_duration(clip));
        json_unsigned(&json, "tracks", lmb_clip_track_count(clip));
        json_unsigned(&json, "keys", lmb_clip_key_count(clip));
        json_unsigned(&json, "bytes", clip_bytes(clip));
        json_end_object(&json);
    }
    json_end_array(&json);
    json_begin_array(&json, "meshes");
    for (uint32_t i = 0; i < subject->character.mesh_count; i++) {
        const lmb_mesh *mesh = &subject->character.meshes[i];
        json_begin_named(&json, mesh->name);
        json_unsigned(&json, "vertices", mesh->vertex_count);
        json_unsigned(&json, "triangles", mesh->index_count / 3);
        json_unsigned(&json, "influences", mesh->influence_count);
        json_text(&json, "material", mesh->material);
        json_index(&json, "image", mesh->image);
        json_index(&json, "metallic_roughness_image", mesh->metallic_roughness_image);
        json_index(&json, "normal_image", mesh->normal_image);
        json_begin_array(&json, "targets");
        for (uint32_t t = 0; t < mesh->target_count; t++) {
            json_text(&json, NULL, mesh->targets[t].name);
        }
        json_end_array(&json);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_begin_array(&json, "images");
    for (uint32_t i = 0; i < subject->character.image_count; i++) {
        const lmb_image *image = &subject->character.images[i];
        json_begin_named(&json, image->name);
        json_unsigned(&json, "bytes", image->size);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_begin_array(&json, "notes");
    for (uint32_t i = 0; import != NULL && i < lmb_import_note_count(import); i++) {
        json_text(&json, NULL, lmb_import_note(import, i));
    }
    json_end_array(&json);
    if (pack != NULL) {
        write_pack(&json, pack);
    }
    json_end(&json);
}

static uint32_t count_extras(const lmb_rig *rig) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < lmb_rig_joint_count(rig); i++) {
        count += lmb_rig_joint_is_extra(rig, i);
    }
    return count;
}

static void print_joint(const lmb_rig *rig, uint32_t joint) {
    const uint32_t parent = lmb_rig_joint_parent(rig, joint);
    const char *extra = lmb_rig_joint_is_extra(rig, joint) ? "  extra" : "";
    if (parent != LMB_NONE) {
        terminal_print("  %5u  %-32s  parent %u%s\n", joint, lmb_rig_joint_name(rig, joint), parent, extra);
    } else if (extra[0] != '\0') {
        terminal_print("  %5u  %-32s%s\n", joint, lmb_rig_joint_name(rig, joint), extra);
    } else {
        terminal_print("  %5u  %s\n", joint, lmb_rig_joint_name(rig, joint));
    }
}

static void print_joints(const lmb_rig *rig) {
    const uint32_t count = lmb_rig_joint_count(rig), extras = count_extras(rig);
    terminal_print("joints: %u, depth %u\n", count, lmb_rig_depth(rig));
    if (extras > 0) {
        terminal_print("  %u of the skeleton, %u extra: other nodes that move or have a mesh\n", count - extras,
                       extras);
    }
    for (uint32_t i = 0; i < count; i++) {
        print_joint(rig, i);
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

static void print_clips(const subject *subject) {
    uint32_t count = subject->character.clip_count;
    terminal_print("clips: %u\n", count);
    if (count > 0) {
        terminal_print("  index  %-32s  %10s  %7s  %9s  %10s\n", "name", "seconds", "tracks", "keys", "bytes");
    }
    for (uint32_t i = 0; i < count; i++) {
        const lmb_clip *clip = subject->character.clips[i];
        terminal_print("  %5u  %-32s  %10.3f  %7u  %9u  %10zu\n", i, lmb_clip_name(clip),
                       (double)lmb_clip_duration(clip), lmb_clip_track_count(clip), lmb_clip_key_count(clip),
                       clip_bytes(clip));
    }
}

static void print_meshes(const subject *subject) {
    uint32_t count = subject->character.mesh_count;
    terminal_print("meshes: %u, images: %u\n", count, subject->character.image_count);
    if (count > 0) {
        terminal_print("  index  %-32s  %10s  %10s  %10s\n", "name", "vertices", "triangles", "influences");
    }
    for (uint32_t i = 0; i < count; i++) {
        const lmb_mesh *mesh = &subject->character.meshes[i];
        terminal_print("  %5u  %-32s  %10u  %10u  %10u\n", i, mesh->name == NULL ? "" : mesh->name, mesh->vertex_count,
                       mesh->index_count / 3, mesh->influence_count);
        for (uint32_t t = 0; t < mesh->target_count; t++) {
            const lmb_skin_target *target = &mesh->targets[t];
            terminal_print("         morph target %-32s  %10u\n", target->name, target->delta_count);
        }
    }
}

static void print_notes(const lmb_import *import) {
    uint32_t count = lmb_import_note_count(import);
    terminal_print("notes: %u\n", count);
    for (uint32_t i = 0; i < count; i++) {
        terminal_print("  %s\n", lmb_import_note(import, i));
    }
}

static void print_graphs(const lmb_pack *pack) {
    const uint32_t count = lmb_pack_graph_count(pack);
    terminal_print("graphs: %u\n", count);
    if (count > 0) {
        terminal_print("  index  %-32s  %10s  %10s\n", "name", "nodes", "parameters");
    }
    for (uint32_t i = 0; i < count; i++) {
        const lmb_pack_graph *graph = lmb_pack_graph_at(pack, i);
        terminal_print("  %5u  %-32s  %10u  %10u\n", i, graph->name, graph->def->node_count,
                       graph->def->parameter_count);
    }
}

static void print_text(const subject *subject) {
    print_joints(subject->character.rig);
    print_channels(subject->character.rig);
    print_clips(subject);
    if (subject->character.mannequin == NULL) {
        print_meshes(subject);
    }
    if (subject->character.import != NULL) {
        print_notes(subject->character.import);
    }
    if (subject->character.pack != NULL) {
        print_graphs(subject->character.pack);
        terminal_print("bytes:\n");
        subject_print_parts(subject->character.pack);
    }
}

typedef struct info_command {
    subject subject;
    bool as_json;
} info_command;

static lmb_result print_info(subject *subject, lmb_error *error) {
    (void)error;
    (((info_command *)subject)->as_json ? write_json : print_text)(subject);
    return LMB_OK;
}

int command_info(int argc, char **argv) {
    info_command command = {0};
    const option options[] = {
        OPTION_JSON(&command.as_json), OPTION_SKELETON(&command.subject), OPTION_BVH_UNIT(&command.subject), {0}};
    const usage usage = {
        .command = "limber info",
        .synopsis = "FILE... [--json]",
        .text =
            "Shows what a character holds, in glTF, FBX, Collada, BVH or a pack: joints (parents before children),\n"
            "float channels, clips with their tracks and keys as the author gave them and the bytes of the built\n"
            "block, meshes, and notes on what was left out; of a pack also its graphs, and what takes its bytes. In\n"
            "JSON a root's parent is -1, and so is the image of a mesh without. The meshes of 'mannequin' are not\n"
            "shown.\n" CHARACTER_HELP,
        .options = options,
        .files = OPTION_SOME_FILES};
    return subject_command(&command.subject, &usage, argc, argv, print_info);
}
