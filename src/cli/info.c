// `limber info`: reports the contents of a file. With --axes it also says where each joint's axes point in the rest
// pose, and in the clips where that is elsewhere; with --speed, how fast its feet say that clips in place walk.
#include "command.h"
#include "json.h"
#include "terminal.h"

#include "clip/clip.h"

#include <limber/root_motion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// ---- Axes ----

#define CLIP_SAMPLES 8
#define MIN_COSINE 0.5 // of the angle between an axis in the rest pose and in the clips, below which both are shown

// What inverse kinematics needs to know of a joint in the rest pose.
typedef struct axes {
    lmb_affine model;
    uint32_t first_child; // LMB_NONE if there is none
    uint32_t next_sibling;
    lmb_affine sampled; // in a sample of a clip
    double sums[3][3];  // [axis]: of its directions in all samples
    bool is_elsewhere;  // in the clips
} axes;

// Returns the direction of a joint's axis in model space, of length 1; zero if the joint has no size along it.
static void axis_of(const lmb_affine *model, int axis, float direction[3]) {
    const double x = (double)model->m[0][axis], y = (double)model->m[1][axis], z = (double)model->m[2][axis];
    const double length = sqrt(x * x + y * y + z * z);
    for (int row = 0; row < 3; row++) {
        direction[row] = length > 0.0 ? (float)((double)model->m[row][axis] / length) + 0.0f : 0.0f;
    }
}

static void add_sample(const lmb_rig *rig, const lmb_clip *clip, float time, axes *joints) {
    for (uint32_t i = 0; i < lmb_rig_get_def(rig)->joint_count; i++) {
        const uint32_t parent = lmb_rig_get_def(rig)->joints[i].parent;
        const lmb_affine local = lmb_affine_from_transform(lmb_clip_sample(clip, rig, i, time));
        joints[i].sampled = parent == LMB_NONE ? local : lmb_affine_multiply(joints[parent].sampled, local);
        for (int axis = 0; axis < 3; axis++) {
            float direction[3];
            axis_of(&joints[i].sampled, axis, direction);
            for (int row = 0; row < 3; row++) {
                joints[i].sums[axis][row] += (double)direction[row];
            }
        }
    }
}

// Finds the mean directions in all clips, and whether one is more than 60 degrees away from the rest pose's. A rest
// pose may have a head turned round that faces forward in every clip.
static void find_in_clips(const character_file *character, axes *joints) {
    const lmb_rig *rig = character->rig;
    uint32_t count = 0;
    for (uint32_t i = 0; i < character->clip_count; i++) {
        const lmb_clip *clip = character->clips[i];
        const bool is_pose = !lmb_clip_get_info(clip)->is_additive &&
                             lmb_clip_get_info(clip)->joint_count == lmb_rig_get_def(rig)->joint_count;
        for (uint32_t k = 0; k < CLIP_SAMPLES && is_pose; k++, count++) {
            add_sample(rig, clip, lmb_clip_get_info(clip)->duration * (float)k / CLIP_SAMPLES, joints);
        }
    }
    for (uint32_t i = 0; i < lmb_rig_get_def(rig)->joint_count && count > 0; i++) {
        for (int axis = 0; axis < 3; axis++) {
            double *sum = joints[i].sums[axis], dot = 0.0;
            const double length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
            float rest[3];
            axis_of(&joints[i].model, axis, rest);
            for (int row = 0; row < 3; row++) {
                sum[row] = length > 0.0 ? sum[row] / length : 0.0;
                dot += sum[row] * (double)rest[row];
            }
            // Directions that point everywhere have no mean.
            joints[i].is_elsewhere = joints[i].is_elsewhere || (length > 0.5 * count && dot < MIN_COSINE);
        }
    }
}

// Returns an element for each joint, or NULL without memory.
static axes *find_axes(const character_file *character) {
    const lmb_rig *rig = character->rig;
    const uint32_t count = lmb_rig_get_def(rig)->joint_count;
    axes *joints = calloc(count > 0 ? count : 1, sizeof *joints);
    for (uint32_t i = 0; joints != NULL && i < count; i++) {
        const uint32_t parent = lmb_rig_get_def(rig)->joints[i].parent;
        const lmb_affine local = lmb_affine_from_transform(lmb_rig_get_def(rig)->joints[i].rest);
        joints[i].model = parent == LMB_NONE ? local : lmb_affine_multiply(joints[parent].model, local);
        joints[i].first_child = joints[i].next_sibling = LMB_NONE;
    }
    for (uint32_t i = count; joints != NULL && i-- > 0;) {
        const uint32_t parent = lmb_rig_get_def(rig)->joints[i].parent;
        if (parent != LMB_NONE) {
            joints[i].next_sibling = joints[parent].first_child;
            joints[parent].first_child = i;
        }
    }
    if (joints != NULL) {
        find_in_clips(character, joints);
    }
    return joints;
}

// Where a child is from its joint: the nearest of the joint's own six axes, and how far the child is off it.
typedef struct toward {
    const char *axis; // NULL if the child is at the joint
    float degrees;
    float distance; // in model space
} toward;

static toward find_child(const lmb_rig *rig, const axes *axes, uint32_t joint, uint32_t child) {
    static const char *const names[] = {"+x", "+y", "+z", "-x", "-y", "-z"};
    const lmb_transform rest = lmb_rig_get_def(rig)->joints[child].rest;
    const float *t = rest.translation;
    const double length = sqrt((double)t[0] * t[0] + (double)t[1] * t[1] + (double)t[2] * t[2]);
    const lmb_affine *a = &axes[joint].model, *b = &axes[child].model;
    const double apart[3] = {(double)b->m[0][3] - a->m[0][3], (double)b->m[1][3] - a->m[1][3],
                             (double)b->m[2][3] - a->m[2][3]};
    toward result = {.distance = (float)sqrt(apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2])};
    if (!(length > 0.0)) {
        return result;
    }
    int best = 0;
    for (int i = 1; i < 3; i++) {
        best = fabsf(t[i]) > fabsf(t[best]) ? i : best;
    }
    const double cosine = fabs((double)t[best]) / length;
    result.axis = names[best + (t[best] < 0.0f ? 3 : 0)];
    result.degrees = (float)(acos(cosine < 1.0 ? cosine : 1.0) * 57.295779513082323);
    return result;
}

static void write_axes(json *json, const lmb_rig *rig, const axes *axes, uint32_t joint) {
    static const char *const keys[] = {"x", "y", "z"};
    json_begin_object(json, "axes");
    for (int axis = 0; axis < 3; axis++) {
        float direction[3];
        axis_of(&axes[joint].model, axis, direction);
        json_floats(json, keys[axis], direction, 3);
    }
    json_end_object(json);
    if (axes[joint].is_elsewhere) {
        json_begin_object(json, "axes_in_clips");
        for (int axis = 0; axis < 3; axis++) {
            const double *mean = axes[joint].sums[axis];
            json_floats(json, keys[axis], (float[]){(float)mean[0], (float)mean[1], (float)mean[2]}, 3);
        }
        json_end_object(json);
    }
    json_begin_array(json, "children");
    for (uint32_t i = axes[joint].first_child; i != LMB_NONE; i = axes[i].next_sibling) {
        const toward child = find_child(rig, axes, joint, i);
        json_begin_named(json, lmb_rig_get_def(rig)->joints[i].name);
        json_index(json, "joint", i);
        json_text(json, "axis", child.axis);
        json_float(json, "degrees", child.degrees);
        json_float(json, "distance", child.distance);
        json_end_object(json);
    }
    json_end_array(json);
}

static void print_direction(int axis, const double direction[3]) {
    double shown[3];
    for (int row = 0; row < 3; row++) { // without the sign of what is printed as zero
        shown[row] = fabs(direction[row]) < 5e-5 ? 0.0 : direction[row];
    }
    terminal_print("%s%c %7.4f %7.4f %7.4f", axis == 0 ? " " : "  ", "xyz"[axis], shown[0], shown[1], shown[2]);
}

static void print_axes(const lmb_rig *rig, const axes *axes, uint32_t joint) {
    terminal_print("        ");
    for (int axis = 0; axis < 3; axis++) {
        float direction[3];
        axis_of(&axes[joint].model, axis, direction);
        print_direction(axis, (double[]){(double)direction[0], (double)direction[1], (double)direction[2]});
    }
    terminal_print("\n");
    if (axes[joint].is_elsewhere) {
        terminal_print("        ");
        for (int axis = 0; axis < 3; axis++) {
            print_direction(axis, axes[joint].sums[axis]);
        }
        terminal_print("  in the clips\n");
    }
    for (uint32_t i = axes[joint].first_child; i != LMB_NONE; i = axes[i].next_sibling) {
        const toward child = find_child(rig, axes, joint, i);
        if (child.axis == NULL) {
            terminal_print("         %s is at the joint\n", lmb_rig_get_def(rig)->joints[i].name);
        } else {
            terminal_print("         %s to %s, %.1f degrees off, %.4f m\n", child.axis,
                           lmb_rig_get_def(rig)->joints[i].name, (double)child.degrees, (double)child.distance);
        }
    }
}

// ---- The report ----

// What is shown besides.
typedef struct extras {
    axes *axes;             // [joint], or NULL
    lmb_foot_speed *speeds; // [clip], or NULL
} extras;

static size_t clip_bytes(const lmb_clip *clip) {
    size_t bytes = 0;
    lmb_clip_block(clip, &bytes);
    return bytes;
}

static void write_pack(json *json, const lmb_pack *pack) {
    json_begin_array(json, "graphs");
    for (uint32_t i = 0; i < lmb_pack_get_def(pack)->graph_count; i++) {
        const lmb_pack_graph *graph = &lmb_pack_get_def(pack)->graphs[i];
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

static void write_json(const subject *subject, const extras *shown) {
    const lmb_import *import = subject->character.import;
    const lmb_pack *pack = subject->character.pack;
    const lmb_rig *rig = subject->character.rig;
    json json = json_begin(stdout);
    json_text(&json, "file", subject->place);
    json_begin_array(&json, "notes");
    for (uint32_t i = 0; import != NULL && i < lmb_import_get_content(import)->note_count; i++) {
        json_text(&json, NULL, lmb_import_get_content(import)->notes[i]);
    }
    json_end_array(&json);
    json_unsigned(&json, "depth", lmb_rig_depth(rig));
    json_begin_array(&json, "joints");
    for (uint32_t i = 0; i < lmb_rig_get_def(rig)->joint_count; i++) {
        json_begin_named(&json, lmb_rig_get_def(rig)->joints[i].name);
        json_index(&json, "parent", lmb_rig_get_def(rig)->joints[i].parent);
        json_bool(&json, "extra", lmb_rig_get_def(rig)->joints[i].is_extra);
        if (shown->axes != NULL) {
            write_axes(&json, rig, shown->axes, i);
        }
        json_end_object(&json);
    }
    json_end_array(&json);
    json_begin_array(&json, "channels");
    for (uint32_t i = 0; i < lmb_rig_get_def(rig)->channel_count; i++) {
        json_begin_named(&json, lmb_rig_get_def(rig)->channels[i].name);
        json_float(&json, "rest", lmb_rig_get_def(rig)->channels[i].rest);
        json_bool(&json, "angle", lmb_rig_get_def(rig)->channels[i].angle);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_begin_array(&json, "clips");
    for (uint32_t i = 0; i < subject->character.clip_count; i++) {
        const lmb_clip *clip = subject->character.clips[i];
        json_begin_named(&json, lmb_clip_get_info(clip)->name);
        json_float(&json, "duration", lmb_clip_get_info(clip)->duration);
        json_unsigned(&json, "tracks", lmb_clip_get_info(clip)->track_count);
        json_unsigned(&json, "keys", lmb_clip_get_info(clip)->key_count);
        json_unsigned(&json, "bytes", clip_bytes(clip));
        if (shown->speeds != NULL) {
            json_floats(&json, "foot_speed", shown->speeds[i].velocity, 3);
            json_float(&json, "foot_slide", shown->speeds[i].slide);
            json_float(&json, "foot_phase", shown->speeds[i].phase);
            json_float(&json, "foot_alternation", shown->speeds[i].alternation);
        }
        json_end_object(&json);
    }
    json_end_array(&json);
    json_begin_array(&json, "meshes");
    for (uint32_t i = 0; i < subject->character.content.mesh_count; i++) {
        const lmb_mesh *mesh = &subject->character.content.meshes[i];
        json_begin_named(&json, mesh->name);
        json_unsigned(&json, "vertices", mesh->vertex_count);
        json_unsigned(&json, "triangles", mesh->index_count / 3);
        json_unsigned(&json, "influences", mesh->influence_count);
        json_text(&json, "material", mesh->material);
        json_floats(&json, "base_color", mesh->base_color, 4);
        json_float(&json, "metallic", mesh->metallic);
        json_float(&json, "roughness", mesh->roughness);
        json_bool(&json, "double_sided", mesh->double_sided);
        json_bool(&json, "vertex_colors", mesh->colors != NULL);
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
    for (uint32_t i = 0; i < subject->character.content.image_count; i++) {
        const lmb_image *image = &subject->character.content.images[i];
        json_begin_named(&json, image->name);
        json_unsigned(&json, "bytes", image->size);
        json_end_object(&json);
    }
    json_end_array(&json);
    if (pack != NULL) {
        write_pack(&json, pack);
    }
    json_end(&json);
}

static uint32_t count_extras(const lmb_rig *rig) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < lmb_rig_get_def(rig)->joint_count; i++) {
        count += lmb_rig_get_def(rig)->joints[i].is_extra;
    }
    return count;
}

static void print_joint(const lmb_rig *rig, uint32_t joint) {
    const lmb_rig_def *rig_def = lmb_rig_get_def(rig);
    const uint32_t parent = rig_def->joints[joint].parent;
    const char *extra = rig_def->joints[joint].is_extra ? "  extra" : "";
    if (parent != LMB_NONE) {
        terminal_print("  %5u  %-32s  parent %u%s\n", joint, rig_def->joints[joint].name, parent, extra);
    } else if (extra[0] != '\0') {
        terminal_print("  %5u  %-32s%s\n", joint, rig_def->joints[joint].name, extra);
    } else {
        terminal_print("  %5u  %s\n", joint, rig_def->joints[joint].name);
    }
}

static void print_joints(const lmb_rig *rig, const axes *shown) {
    const uint32_t count = lmb_rig_get_def(rig)->joint_count, extras = count_extras(rig);
    terminal_print("joints: %u, depth %u\n", count, lmb_rig_depth(rig));
    if (extras > 0) {
        terminal_print("  %u of the skeleton, %u extra: other nodes that move or have a mesh\n", count - extras,
                       extras);
    }
    for (uint32_t i = 0; i < count; i++) {
        print_joint(rig, i);
        if (shown != NULL) {
            print_axes(rig, shown, i);
        }
    }
}

static void print_channels(const lmb_rig *rig) {
    const lmb_rig_def *rig_def = lmb_rig_get_def(rig);
    uint32_t count = rig_def->channel_count;
    if (count > 0) {
        terminal_print("channels: %u\n", count);
    }
    for (uint32_t i = 0; i < count; i++) {
        terminal_print("  %5u  %-32s  rest %g%s\n", i, rig_def->channels[i].name, (double)rig_def->channels[i].rest,
                       rig_def->channels[i].angle ? " degrees" : "");
    }
}

static void print_clips(const subject *subject, const lmb_foot_speed *speeds) {
    uint32_t count = subject->character.clip_count;
    terminal_print("clips: %u\n", count);
    if (count > 0) {
        terminal_print("  index  %-32s  %10s  %7s  %9s  %10s%s\n", "name", "seconds", "tracks", "keys", "bytes",
                       speeds != NULL ? "     along x           z       slide       phase" : "");
    }
    for (uint32_t i = 0; i < count; i++) {
        const lmb_clip *clip = subject->character.clips[i];
        terminal_print("  %5u  %-32s  %10.3f  %7u  %9u  %10zu", i, lmb_clip_get_info(clip)->name,
                       (double)lmb_clip_get_info(clip)->duration, lmb_clip_get_info(clip)->track_count,
                       lmb_clip_get_info(clip)->key_count, clip_bytes(clip));
        if (speeds != NULL) {
            terminal_print("  %10.3f  %10.3f  %8.0f %%  %10.2f", (double)speeds[i].velocity[0],
                           (double)speeds[i].velocity[2], (double)(100.0f * speeds[i].slide), (double)speeds[i].phase);
        }
        terminal_print("\n");
    }
}

static void print_meshes(const subject *subject) {
    uint32_t count = subject->character.content.mesh_count;
    terminal_print("meshes: %u, images: %u\n", count, subject->character.content.image_count);
    if (count > 0) {
        terminal_print("  index  %-32s  %10s  %10s  %10s\n", "name", "vertices", "triangles", "influences");
    }
    for (uint32_t i = 0; i < count; i++) {
        const lmb_mesh *mesh = &subject->character.content.meshes[i];
        terminal_print("  %5u  %-32s  %10u  %10u  %10u\n", i, mesh->name == NULL ? "" : mesh->name, mesh->vertex_count,
                       mesh->index_count / 3, mesh->influence_count);
        for (uint32_t t = 0; t < mesh->target_count; t++) {
            const lmb_skin_target *target = &mesh->targets[t];
            terminal_print("         morph target %-32s  %10u\n", target->name, target->delta_count);
        }
    }
}

static void print_notes(const lmb_import *import) {
    uint32_t count = lmb_import_get_content(import)->note_count;
    terminal_print("notes: %u\n", count);
    for (uint32_t i = 0; i < count; i++) {
        terminal_print("  %s\n", lmb_import_get_content(import)->notes[i]);
    }
}

static void print_graphs(const lmb_pack *pack) {
    const uint32_t count = lmb_pack_get_def(pack)->graph_count;
    terminal_print("graphs: %u\n", count);
    if (count > 0) {
        terminal_print("  index  %-32s  %10s  %10s\n", "name", "nodes", "parameters");
    }
    for (uint32_t i = 0; i < count; i++) {
        const lmb_pack_graph *graph = &lmb_pack_get_def(pack)->graphs[i];
        terminal_print("  %5u  %-32s  %10u  %10u\n", i, graph->name, graph->def->node_count,
                       graph->def->parameter_count);
    }
}

static void print_text(const subject *subject, const extras *shown) {
    if (subject->character.import != NULL) {
        print_notes(subject->character.import);
    }
    print_joints(subject->character.rig, shown->axes);
    print_channels(subject->character.rig);
    print_clips(subject, shown->speeds);
    if (subject->character.mannequin == NULL) {
        print_meshes(subject);
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
    bool has_axes;
    bool has_speeds;
} info_command;

// Measures the speeds of the feet in all clips, or returns NULL without memory.
static lmb_foot_speed *measure_speeds(const subject *subject) {
    const uint32_t count = subject->character.clip_count;
    lmb_foot_speed *speeds = calloc(count > 0 ? count : 1, sizeof *speeds);
    bool fails = speeds == NULL;
    for (uint32_t i = 0; i < count && !fails; i++) {
        fails = lmb_root_motion_measure_feet(subject->character.rig, subject->character.clips[i], NULL, &speeds[i],
                                             NULL) != LMB_OK;
    }
    if (fails) {
        free(speeds);
        speeds = NULL;
    }
    return speeds;
}

static lmb_result print_info(subject *subject, lmb_error *error) {
    const info_command *command = (const info_command *)subject;
    const extras shown = {.axes = command->has_axes ? find_axes(&subject->character) : NULL,
                          .speeds = command->has_speeds ? measure_speeds(subject) : NULL};
    lmb_result result = LMB_OK;
    if ((command->has_axes && shown.axes == NULL) || (command->has_speeds && shown.speeds == NULL)) {
        result = error->result = LMB_ERROR_MEMORY;
        snprintf(error->message, sizeof error->message, "no memory");
    } else {
        (command->as_json ? write_json : print_text)(subject, &shown);
    }
    free(shown.axes);
    free(shown.speeds);
    return result;
}

int command_info(int argc, char **argv) {
    info_command command = {0};
    const option options[] = {
        {"--axes", OPTION_FLAG, &command.has_axes, NULL, "also each joint's axes at rest, and which leads to a child"},
        {"--speed", OPTION_FLAG, &command.has_speeds, NULL, "also how fast the feet of clips in place walk"},
        OPTION_JSON(&command.as_json),
        OPTION_SKELETON(&command.subject),
        OPTION_SCALES(&command.subject),
        OPTION_SPLIT(&command.subject),
        OPTION_BVH_UNIT(&command.subject),
        {0}};
    const usage usage = {
        .command = "limber info",
        .synopsis = "FILE... [--axes] [--speed] [--json]",
        .text =
            "Shows what a character holds, in glTF, FBX, Collada, BVH or a pack: notes on what was changed or left\n"
            "out, joints (parents before children), float channels, clips with their tracks and keys as the author\n"
            "gave them and the bytes of the built block, and meshes; of a pack also its graphs, and what takes its\n"
            "bytes. In JSON a root's parent is -1, and so is the image of a mesh without. The meshes of 'mannequin'\n"
            "are not shown.\n"
            "\n"
            "With --axes, each joint also has the directions of its own x, y and z in model space in the rest pose,\n"
            "and in the mean of all clips where one of them is more than 60 degrees away from that,\n"
            "and for each child the axis that leads to it, the angle between that axis and the child, and how far\n"
            "the child is. Fields of inverse kinematics such as 'mid_axis' and 'forward' are such "
            "axes.\n"
            "\n"
            "With --speed, each clip also has the velocity at which its character has to move so that the feet do\n"
            "not slide, a second along x and z: the 'velocity' of a clip in place; how far they slide at it; and\n"
            "when the left foot stands, as a share of the clip.\n" CHARACTER_HELP,
        .options = options,
        .files = OPTION_SOME_FILES};
    return subject_command(&command.subject, &usage, argc, argv, print_info);
}
