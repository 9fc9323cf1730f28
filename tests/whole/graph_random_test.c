// Random programs written as JSON and read again: the program read gives the same bits as the original.
#include "program_random.h"

#include "keyframes.h"
#include "refusal.h"
#include "scene.h"

#include <limber/graph_json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOINTS 9u
#define CHARACTERS 65u
#define TEXT_SIZE (1u << 20)

// Clips of the graphs: the last one is a part of the first one.
enum { PART = 2, CLIPS };
static const lmb_clip_part_def own_part = {.start = 0.3f, .end = 1.7f};

static uint32_t written_again;   // graphs that the library wrote
static uint32_t read_with_parts; // graphs that play a part

// The JSON form of an operation: its name, the keys of its inputs, and its other fields.
static const struct {
    const char *name;
    const char *inputs[3];
    bool has_weight;
    bool has_mask;
} rows[LMB_OP_COUNT] = {
    [LMB_OP_REST] = {"rest", {NULL}, false, false},
    [LMB_OP_CLIP] = {"clip", {NULL}, false, false},
    [LMB_OP_POSE] = {"pose", {NULL}, false, false},
    [LMB_OP_BLEND] = {"blend", {"a", "b"}, true, false},
    [LMB_OP_MASKED] = {"masked", {"a", "b"}, true, true},
    [LMB_OP_WEIGHTED] = {"weighted", {NULL}, false, false},
    [LMB_OP_WEIGHTED_MATRIX] = {"weighted-matrix", {NULL}, false, false},
    [LMB_OP_LAYERS] = {"layers", {NULL}, false, false},
    [LMB_OP_MAKE_ADDITIVE] = {"make-additive", {"pose", "reference"}, false, false},
    [LMB_OP_ADDITIVE] = {"additive", {"base", "add"}, true, true},
    [LMB_OP_PARTIAL] = {"partial", {"a", "b"}, true, false},
    [LMB_OP_COMBINE] = {"combine", {NULL}, false, false},
    [LMB_OP_MIRROR] = {"mirror", {"pose"}, false, false},
    [LMB_OP_CLAMP] = {"clamp", {"pose"}, false, false},
    [LMB_OP_ADD] = {"add", {"a", "b"}, false, false},
    [LMB_OP_SUBTRACT] = {"subtract", {"a", "b"}, false, false},
    [LMB_OP_SCALE] = {"scale", {"pose"}, false, false},
    [LMB_OP_SUBTRACT_SCALE_ADD] = {"subtract-scale-add", {"a", "b", "base"}, false, false},
    [LMB_OP_BILINEAR] = {"bilinear", {NULL}, false, false},
    [LMB_OP_TRILINEAR] = {"trilinear", {NULL}, false, false},
    [LMB_OP_SPACE1D] = {"space1d", {NULL}, false, false},
    [LMB_OP_SPACE2D] = {"space2d", {NULL}, false, false},
    [LMB_OP_OVERRIDE] = {"override", {"base"}, true, true},
    [LMB_OP_IK_TWO_BONE] = {"ik-two-bone", {"base"}, true, false},
    [LMB_OP_IK_AIM] = {"ik-aim", {"base"}, true, false},
    [LMB_OP_FOOT_PLACEMENT] = {"foot-placement", {"base"}, true, false},
    [LMB_OP_TWIST] = {"twist", {"base"}, true, false},
    [LMB_OP_CHAIN] = {"chain", {"base"}, true, false},
    [LMB_OP_RETARGET] = {"retarget", {"pose"}, false, false},
};

typedef struct writer {
    const lmb_graph_def *def;
    char *text;
    size_t length;
    bool inside; // a retarget, where clips are named
} writer;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
put(writer *writer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(writer->text + writer->length, TEXT_SIZE - writer->length, format, arguments);
    va_end(arguments);
    writer->length += (size_t)length;
    assert_true(writer->length < TEXT_SIZE);
}

static void put_keys(writer *writer, const lmb_curve_def *curve) {
    for (uint32_t i = 0; i < curve->key_count; i++) {
        const lmb_curve_key *key = &curve->keys[i];
        put(writer, "%s{\"x\":%.9g,\"y\":%.9g,\"in\":[%.9g,%.9g],\"out\":[%.9g,%.9g],\"stepped\":%s}",
            i == 0 ? "{\"keys\":[" : ",", (double)key->x, (double)key->y, (double)key->in[0], (double)key->in[1],
            (double)key->out[0], (double)key->out[1], key->stepped ? "true" : "false");
    }
    put(writer, "]}");
}

static void put_number(writer *writer, lmb_value value) {
    bool is_curved = value.curve != LMB_CURVE_LINEAR;
    if (value.curve >= LMB_CURVE_USER) {
        put(writer, "{\"curve\":");
        put_keys(writer, &writer->def->curves[value.curve - LMB_CURVE_USER]);
        put(writer, ",\"of\":");
    } else if (value.curve == LMB_CURVE_BEZIER) {
        put(writer, "{\"curve\":{\"bezier\":[%.9g,%.9g]},\"of\":", (double)value.control[0], (double)value.control[1]);
    } else if (is_curved) {
        put(writer, "{\"curve\":\"%s\",\"of\":", lmb_curve_name(value.curve));
    }
    if (value.kind == LMB_VALUE_CONSTANT) {
        put(writer, "%.9g", (double)value.constant);
    } else {
        put(writer, "{\"param\":\"p%u\"}", value.parameter);
    }
    put(writer, is_curved ? "}" : "");
}

static void put_value(writer *writer, const char *key, lmb_value value) {
    put(writer, ",\"%s\":", key);
    put_number(writer, value);
}

static void put_point(writer *writer, const char *key, const lmb_value point[3], lmb_point_slot slot) {
    put(writer, ",\n\"%s\":", key);
    if (slot.in_buffer) {
        put(writer, "{\"point\":%u}", slot.index);
        return;
    }
    for (uint32_t i = 0; i < 3; i++) {
        put(writer, i == 0 ? "[" : ",");
        put_number(writer, point[i]);
    }
    put(writer, "]");
}

static void put_axis(writer *writer, const char *key, const float axis[3]) {
    put(writer, ",\"%s\":[%.9g,%.9g,%.9g]", key, (double)axis[0], (double)axis[1], (double)axis[2]);
}

static void put_reached(writer *writer, lmb_reached_slot reached) {
    if (reached.is_reported) {
        put(writer, ",\"reached\":{\"index\":%u}", reached.index);
    }
}

static void put_two_bone(writer *writer, const lmb_two_bone_def *chain) {
    put(writer, ",\n\"start\":\"%s\",\"mid\":\"%s\",\"end\":\"%s\",\"soften\":%.9g",
        lmb_rig_get_def(writer->def->rig)->joints[chain->start].name,
        lmb_rig_get_def(writer->def->rig)->joints[chain->mid].name,
        lmb_rig_get_def(writer->def->rig)->joints[chain->end].name, (double)chain->soften);
    put_axis(writer, "mid-axis", chain->mid_axis);
    put_point(writer, "target", chain->target, chain->target_slot);
    put_point(writer, "pole", chain->pole, chain->pole_slot);
    put(writer, ",\"space\":\"%s\"", chain->space == LMB_IK_WORLD ? "world" : "model");
    put_value(writer, "twist", chain->twist);
    put_reached(writer, chain->reached);
}

static void put_aim(writer *writer, const lmb_aim_def *aim) {
    for (uint32_t i = 0; i < aim->joint_count; i++) {
        put(writer, "%s\"%s\":%.9g", i == 0 ? ",\n\"joints\":{" : ",",
            lmb_rig_get_def(writer->def->rig)->joints[aim->joints[i]].name, (double)aim->shares[i]);
    }
    put(writer, "},\"limit\":%.9g", (double)aim->limit);
    put_axis(writer, "forward", aim->forward);
    put_axis(writer, "up", aim->up);
    put_axis(writer, "offset", aim->offset);
    put_point(writer, "target", aim->target, aim->target_slot);
    put_point(writer, "pole", aim->pole, aim->pole_slot);
    put(writer, ",\"space\":\"%s\"", aim->space == LMB_IK_WORLD ? "world" : "model");
    put_value(writer, "twist", aim->twist);
    put_reached(writer, aim->reached);
}

static void put_feet(writer *writer, const lmb_feet_def *feet) {
    put(writer, ",\n\"pelvis\":\"%s\",\"max-lowering\":%.9g,\"max-angle\":%.9g,\"soften\":%.9g,\"space\":\"%s\"",
        lmb_rig_get_def(writer->def->rig)->joints[feet->pelvis].name, (double)feet->max_lowering,
        (double)feet->max_angle, (double)feet->soften, feet->space == LMB_IK_WORLD ? "world" : "model");
    put_axis(writer, "up", feet->up);
    put_value(writer, "speed", feet->speed);
    put_value(writer, "clip-speed", feet->clip_speed);
    put_point(writer, "direction", feet->direction, feet->direction_slot);
    put_value(writer, "time", feet->time);
    put(writer,
        ",\"lock-distance\":%.9g,\"release-half-life\":%.9g,\"ground-half-life\":%.9g,\"pelvis-half-life\":%.9g,"
        "\"teleport\":%.9g",
        (double)feet->lock_distance, (double)feet->release_half_life, (double)feet->ground_half_life,
        (double)feet->pelvis_half_life, (double)feet->teleport);
    for (uint32_t i = 0; i < feet->foot_count; i++) {
        const lmb_foot_def *foot = &feet->feet[i];
        put(writer, "%s{\"hip\":\"%s\",\"knee\":\"%s\",\"ankle\":\"%s\"", i == 0 ? ",\n\"feet\":[" : ",",
            lmb_rig_get_def(writer->def->rig)->joints[foot->hip].name,
            lmb_rig_get_def(writer->def->rig)->joints[foot->knee].name,
            lmb_rig_get_def(writer->def->rig)->joints[foot->ankle].name);
        put_axis(writer, "knee-axis", foot->knee_axis);
        put_point(writer, "ground", foot->ground, foot->ground_slot);
        put_point(writer, "normal", foot->normal, foot->normal_slot);
        put_value(writer, "planted", foot->planted);
        put(writer, "}");
    }
    put(writer, "]");
}

static void put_twist(writer *writer, const lmb_twist_def *twist) {
    put(writer, ",\n\"source\":\"%s\"", lmb_rig_get_def(writer->def->rig)->joints[twist->source].name);
    for (uint32_t i = 0; i < twist->joint_count; i++) {
        put(writer, "%s\"%s\":%.9g", i == 0 ? ",\n\"joints\":{" : ",",
            lmb_rig_get_def(writer->def->rig)->joints[twist->joints[i]].name, (double)twist->shares[i]);
    }
    put(writer, "}");
    put_axis(writer, "axis", twist->axis);
}

static void put_chain(writer *writer, const lmb_chain_def *chain) {
    put(writer, ",\n\"start\":\"%s\",\"end\":\"%s\",\"stiffness\":%.9g,\"damping\":%.9g,\"teleport\":%.9g",
        lmb_rig_get_def(writer->def->rig)->joints[chain->start].name,
        lmb_rig_get_def(writer->def->rig)->joints[chain->end].name, (double)chain->stiffness, (double)chain->damping,
        (double)chain->teleport);
    put_value(writer, "time", chain->time);
    put_point(writer, "velocity", chain->velocity, (lmb_point_slot){0});
    put_axis(writer, "gravity", chain->gravity);
}

static void put_mask(writer *writer, const char *key, const uint8_t *mask) {
    put(writer, ",\n\"%s\":", key);
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        put(writer, "%s\"%s\":%u", joint == 0 ? "{" : ",", lmb_rig_get_def(writer->def->rig)->joints[joint].name,
            mask[joint]);
    }
    put(writer, "}");
}

static void put_mirror(writer *writer, const lmb_mirror_def *mirror) {
    put(writer, ",\"axis\":\"%c\"", "xyz"[mirror->axis]);
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        put(writer, "%s\"%s\":\"%s\"", joint == 0 ? ",\n\"partners\":{" : ",",
            lmb_rig_get_def(writer->def->rig)->joints[joint].name,
            lmb_rig_get_def(writer->def->rig)->joints[mirror->partners[joint]].name);
    }
    put(writer, "}");
}

static void put_range(writer *writer, const char *comma, const char *key, const float min[3], const float max[3]) {
    put(writer, "%s\"%s\":{\"min\":[%.9g,%.9g,%.9g],\"max\":[%.9g,%.9g,%.9g]}", comma, key, (double)min[0],
        (double)min[1], (double)min[2], (double)max[0], (double)max[1], (double)max[2]);
}

static void put_limits(writer *writer, const lmb_joint_limit_def *limits) {
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        const lmb_joint_limit_def *limit = &limits[joint];
        put(writer, "%s\"%s\":{", joint == 0 ? ",\n\"joint-limits\":{" : ",\n",
            lmb_rig_get_def(writer->def->rig)->joints[joint].name);
        if (limit->set & LMB_JOINT_LIMIT_ANGLES) {
            put_range(writer, "", "angles", limit->angle_min, limit->angle_max);
        } else {
            const bool twists = (limit->set & LMB_JOINT_LIMIT_TWIST) != 0;
            put(writer, "\"twist\":{\"axis\":\"%c\",\"min\":%.9g,\"max\":%.9g}", "xyz"[limit->twist_axis],
                twists ? (double)limit->twist_min : -180.0, twists ? (double)limit->twist_max : 180.0);
        }
        if (limit->set & LMB_JOINT_LIMIT_SWING) {
            put(writer, ",\"swing\":%.9g", (double)limit->swing);
        }
        if (limit->set & LMB_JOINT_LIMIT_TRANSLATION) {
            put_range(writer, ",", "translation", limit->translation_min, limit->translation_max);
        }
        if (limit->set & LMB_JOINT_LIMIT_SCALE) {
            put_range(writer, ",", "scale", limit->scale_min, limit->scale_max);
        }
        put(writer, "}");
    }
    put(writer, "}");
}

static bool has_choice(lmb_op op) {
    return op != LMB_OP_REST && op != LMB_OP_CLIP && op != LMB_OP_POSE && op != LMB_OP_MAKE_ADDITIVE &&
           op != LMB_OP_PARTIAL && op != LMB_OP_LAYERS && op != LMB_OP_ADD && op != LMB_OP_SUBTRACT &&
           op != LMB_OP_COMBINE && op != LMB_OP_MIRROR && op != LMB_OP_CLAMP && op != LMB_OP_SPACE1D &&
           op != LMB_OP_SPACE2D && op != LMB_OP_WEIGHTED_MATRIX && op != LMB_OP_OVERRIDE && op != LMB_OP_IK_TWO_BONE &&
           op != LMB_OP_IK_AIM && op != LMB_OP_FOOT_PLACEMENT && op != LMB_OP_TWIST && op != LMB_OP_CHAIN &&
           op != LMB_OP_RETARGET;
}

static void put_position(writer *writer, const lmb_node_def *node) {
    static const char *const kinds[] = {"triangles", "grid", "freeform", "directional"};
    if (node->op == LMB_OP_SPACE1D) {
        put_value(writer, "at", node->coordinates[0]);
    } else if (node->op == LMB_OP_SPACE2D) {
        put_value(writer, "x", node->coordinates[0]);
        put_value(writer, "y", node->coordinates[1]);
        put(writer, ",\"kind\":\"%s\"", kinds[node->space2d]);
    }
    if ((node->op == LMB_OP_SPACE1D || node->op == LMB_OP_SPACE2D) && node->discrete) {
        put(writer, ",\"discrete\":true");
    }
}

static void put_choices(writer *writer, const lmb_node_def *node) {
    static const char *const mixes[] = {"slerp", "nlerp", "lerp"};
    static const char *const forms[] = {"local", "parent", "affine"};
    if (has_choice(node->op) && node->interpolation != LMB_MIX_DEFAULT) {
        put(writer, ",\"interpolation\":\"%s\"", mixes[node->interpolation]);
    }
    if (has_choice(node->op)) {
        put(writer, ",\"shortest\":%s", node->shortest ? "true" : "false");
    }
    if (node->op == LMB_OP_MAKE_ADDITIVE || node->op == LMB_OP_ADDITIVE) {
        put(writer, ",\"form\":\"%s\"", forms[node->form]);
        put(writer, ",\"space\":\"%s\"", node->space == LMB_SPACE_MODEL ? "model" : "local");
    }
    if (node->op == LMB_OP_ADDITIVE) {
        put(writer, ",\"unclamped\":%s", node->unclamped ? "true" : "false");
    }
    if (node->op == LMB_OP_SCALE || node->op == LMB_OP_SUBTRACT_SCALE_ADD) {
        put_value(writer, "weight", node->weight);
    }
}

static void put_pose(writer *writer, const lmb_node_def *node) {
    if (node->static_pose == LMB_NONE) {
        put(writer, ",\"pose\":%u", node->pose);
    } else {
        put(writer, ",\"pose\":\"%s\"", writer->def->static_poses[node->static_pose].name);
    }
}

static bool is_part(const lmb_node_def *node) {
    return node->clip.kind == LMB_VALUE_CONSTANT && node->clip.constant == (float)PART;
}

// Writes a joint map with as many joints as the rig has.
static void put_joint_map(writer *writer, const lmb_joint_map_def *map) {
    const char *comma = ",\"joints\":{";
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        if (map->joints[joint] != LMB_NONE) {
            put(writer, "%s\"%s\":\"%s\"", comma, lmb_rig_get_def(writer->def->rig)->joints[joint].name,
                lmb_rig_get_def(writer->def->rig)->joints[map->joints[joint]].name);
            comma = ",";
        }
    }
    put(writer, "}");
}

// Writes a reference pose, which is the joints of a static pose.
static void put_reference(writer *writer, const char *key, const lmb_transform *pose) {
    for (uint32_t i = 0; pose != NULL && i < writer->def->static_pose_count; i++) {
        if (writer->def->static_poses[i].joints == pose) {
            put(writer, ",\"%s\":\"%s\"", key, writer->def->static_poses[i].name);
            return;
        }
    }
    assert_null(pose);
}

static void put_retarget(writer *writer, const lmb_retarget_def *retarget) {
    const char *comma = "";
    put(writer, ",\"from\":\"self\",\"align-above\":%.9g,\"joints\":{", (double)retarget->align_above);
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        if (retarget->joints[joint] != LMB_NONE) {
            put(writer, "%s\"%s\":\"%s\"", comma, lmb_rig_get_def(writer->def->rig)->joints[joint].name,
                lmb_rig_get_def(writer->def->rig)->joints[retarget->joints[joint]].name);
            comma = ",";
        }
    }
    put(writer, "}");
    put_reference(writer, "source-pose", retarget->source_pose);
    put_reference(writer, "target-pose", retarget->target_pose);
}

// Writes the other fields of an input in a list, besides its pose.
static void put_place(writer *writer, const lmb_node_def *node, uint32_t input) {
    if (node->op == LMB_OP_COMBINE) {
        if (node->joint_maps[input] != LMB_NONE) {
            put_joint_map(writer, &writer->def->joint_maps[node->joint_maps[input]]);
        }
    } else if (node->op == LMB_OP_LAYERS) {
        put(writer, ",\"priority\":%d", (int)node->priorities[input]);
        put_value(writer, "fade", node->weights[input]);
        if (node->masks[input] != LMB_NONE) {
            put_mask(writer, "mask", writer->def->masks[node->masks[input]]);
        }
    } else if (node->op == LMB_OP_SPACE1D) {
        put(writer, ",\"at\":%.9g", (double)node->positions[input][0]);
    } else if (node->op == LMB_OP_SPACE2D) {
        put(writer, ",\"at\":[%.9g,%.9g]", (double)node->positions[input][0], (double)node->positions[input][1]);
    } else {
        put_value(writer, "weight", node->weights[input]);
    }
}

static void put_node(writer *writer, uint32_t index);

static void put_corners(writer *writer, const lmb_node_def *node) {
    static const char *const positions[] = {"s", "t", "u"};
    for (uint32_t i = 0; i < node->input_count; i++) {
        put(writer, i == 0 ? ",\n\"poses\":[" : ",\n");
        put_node(writer, node->inputs[i]);
    }
    put(writer, "]");
    for (uint32_t i = 0; i < (node->op == LMB_OP_BILINEAR ? 2 : 3); i++) {
        put_value(writer, positions[i], node->coordinates[i]);
    }
}

static void put_node(writer *writer, uint32_t index) {
    const lmb_node_def *node = &writer->def->nodes[index];
    const bool around = writer->inside;
    if (rows[node->op].name == NULL) {
        fail_msg("operation %d has no row in this test's table", node->op);
    }
    put(writer, "{\"op\":\"%s\"", rows[node->op].name);
    if (index == writer->def->node_count - 1 && writer->def->max_lods != NULL) {
        put_value(writer, "lod", writer->def->lod);
        put_mask(writer, "max-lods", writer->def->max_lods);
    }
    if (node->op == LMB_OP_CLIP) {
        if (is_part(node)) {
            put(writer, ",\"clip\":\"%s\",\"from\":%.9g,\"to\":%.9g", lmb_clip_get_info(writer->def->clips[0])->name,
                (double)own_part.start, (double)own_part.end);
        } else if (writer->inside) {
            put(writer, ",\"clip\":\"%s\"", lmb_clip_get_info(writer->def->clips[(uint32_t)node->clip.constant])->name);
        } else {
            put_value(writer, "clip", node->clip);
        }
        put_value(writer, "time", node->time);
        put_value(writer, "rate", node->rate);
        put_value(writer, "offset", node->offset);
        put(writer, ",\"loop\":%s", node->loop ? "true" : "false");
        if (node->joint_weights != LMB_NONE) {
            put_mask(writer, "joint-weights", writer->def->masks[node->joint_weights]);
        }
    }
    if (node->op == LMB_OP_POSE || node->op == LMB_OP_OVERRIDE) {
        put_pose(writer, node);
    }
    if (rows[node->op].has_weight) {
        put_value(writer, "weight", node->weight);
    }
    put_choices(writer, node);
    if (node->op == LMB_OP_LAYERS) {
        put(writer, ",\"threshold\":%.9g", (double)node->threshold);
    }
    if (node->linear_scale && (has_choice(node->op) || node->op == LMB_OP_LAYERS || node->op == LMB_OP_SPACE1D ||
                               node->op == LMB_OP_SPACE2D)) {
        put(writer, ",\"linear-scale\":true");
    }
    if (node->op == LMB_OP_BILINEAR || node->op == LMB_OP_TRILINEAR) {
        put_corners(writer, node);
    }
    if (rows[node->op].has_mask && node->mask != LMB_NONE) {
        put_mask(writer, "mask", writer->def->masks[node->mask]);
    }
    if (node->op == LMB_OP_MIRROR) {
        put_mirror(writer, &writer->def->mirrors[node->mirror]);
    }
    if (node->op == LMB_OP_IK_TWO_BONE) {
        put_two_bone(writer, &node->two_bone);
    }
    if (node->op == LMB_OP_IK_AIM) {
        put_aim(writer, &node->aim);
    }
    if (node->op == LMB_OP_FOOT_PLACEMENT) {
        put_feet(writer, &node->feet);
    }
    if (node->op == LMB_OP_TWIST) {
        put_twist(writer, &node->twist);
    }
    if (node->op == LMB_OP_CHAIN) {
        put_chain(writer, &node->chain);
    }
    if (node->op == LMB_OP_CLAMP) {
        put_limits(writer, writer->def->joint_limits[node->joint_limits]);
    }
    if (node->op == LMB_OP_RETARGET) {
        put_retarget(writer, &writer->def->retargets[node->retarget]);
        writer->inside = true;
    }
    for (uint32_t i = 0; i < 3 && rows[node->op].inputs[i] != NULL; i++) {
        put(writer, ",\n\"%s\":", rows[node->op].inputs[i]);
        put_node(writer, node->inputs[i]);
    }
    put_position(writer, node);
    const bool has_list = node->op == LMB_OP_WEIGHTED || node->op == LMB_OP_LAYERS || node->op == LMB_OP_COMBINE ||
                          node->op == LMB_OP_SPACE1D || node->op == LMB_OP_SPACE2D ||
                          node->op == LMB_OP_WEIGHTED_MATRIX;
    for (uint32_t i = 0; has_list && i < node->input_count; i++) {
        put(writer, "%s{\"pose\":", i == 0 ? ",\n\"inputs\":[" : "},\n");
        put_node(writer, node->inputs[i]);
        put_place(writer, node, i);
    }
    put(writer, has_list ? "}]}" : "}");
    writer->inside = around;
}

// JSON names the clips inside a retarget, so parameters cannot choose them. Nodes are used once each. Some clips become
// a part of the first one, which the reader appends to the clips. Returns whether any does.
static bool name_clips(crowd *crowd, const lmb_clip *const *clips) {
    random_source random = random_branch(38, crowd->def.program);
    bool has_parts = false;
    bool inside[RANDOM_PROGRAM_MOST_NODES] = {false};
    lmb_node_def *nodes = crowd->random->nodes;
    for (uint32_t i = crowd->random->node_count; i-- > 0;) {
        for (uint32_t k = 0; k < nodes[i].input_count; k++) {
            inside[nodes[i].inputs[k]] = inside[i] || nodes[i].op == LMB_OP_RETARGET;
        }
        if (nodes[i].op == LMB_OP_CLIP && random_below(&random, 3) == 0) {
            nodes[i].clip = lmb_constant((float)PART);
            has_parts = true;
        } else if (nodes[i].op == LMB_OP_CLIP && inside[i]) {
            nodes[i].clip = lmb_constant((float)(i % 2));
        }
    }
    lmb_error error;
    lmb_graph_def def = crowd->program_def;
    def.clips = clips;
    def.clip_count = CLIPS;
    if (crowd_compile(crowd, &def, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return has_parts;
}

// JSON cannot express a joint map without joints: the reader refuses it as an error. A random program may have one.
static bool is_written(const lmb_graph_def *def) {
    for (uint32_t part = 0; part < def->joint_map_count; part++) {
        uint32_t joints = 0;
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            joints += def->joint_maps[part].joints[joint] != LMB_NONE;
        }
        if (joints == 0) {
            return false;
        }
    }
    return true;
}

static void run(const lmb_graph *program, const lmb_batch_inputs *inputs, float *palettes) {
    const lmb_batch_def batch = {program, CHARACTERS, LMB_OUTPUT_PALETTE_BIT};
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_PALETTE] = palettes}};
    lmb_cpu *cpu = NULL;
    assert_int_equal(lmb_cpu_create(program, LMB_CPU_REFERENCE, NULL, &cpu, NULL), LMB_OK);
    assert_int_equal(lmb_cpu_run(cpu, &batch, inputs, &outputs, NULL), LMB_OK);
    lmb_cpu_destroy(cpu);
}

// Returns the crowd's parameters in the order in which the text uses them. Unused parameters are dropped.
static float *reorder_parameters(const crowd *crowd, const lmb_graph *graph) {
    uint32_t count = lmb_graph_get_info(graph)->parameter_count;
    uint32_t written = lmb_graph_get_info(crowd->program)->parameter_count;
    float *reordered = calloc((size_t)CHARACTERS * count + 1, sizeof(float));
    assert_non_null(reordered);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = (uint32_t)strtoul(lmb_graph_parameter_at(graph, i).name + 1, NULL, 10);
        assert_true(from < written);
        for (uint32_t character = 0; character < CHARACTERS; character++) {
            reordered[character * count + i] = crowd->parameters[character * written + from];
        }
    }
    return reordered;
}

static void expect_same_bits(const crowd *crowd, const lmb_graph_json *graph, const char *text) {
    static float written[CHARACTERS * JOINTS * LMB_MATRIX_COMPONENTS];
    static float read[CHARACTERS * JOINTS * LMB_MATRIX_COMPONENTS];
    lmb_graph *program = NULL;
    lmb_error error;
    if (lmb_graph_create(lmb_graph_json_def(graph), NULL, &program, &error) != LMB_OK) {
        fail_msg("%s\n%s", text, error.message);
    }
    lmb_batch_inputs inputs = crowd_inputs(crowd);
    run(crowd->program, &inputs, written);
    float *parameters = reorder_parameters(crowd, program);
    inputs.parameters = parameters;
    run(program, &inputs, read);
    free(parameters);
    lmb_graph_destroy(program);
    if (memcmp(written, read, sizeof read) != 0) {
        fail_msg("other bits than what was written:\n%s", text);
    }
}

// Writes the graph with the library, without a buffer and with one.
static size_t write_again(const lmb_graph_def *def, char *text) {
    size_t needed = 0, size = 0;
    lmb_error error;
    lmb_result result = lmb_graph_json_write(def, NULL, NULL, 0, &needed, &error);
    if (def->retarget_count > 0) {
        CHECK_REFUSAL(result, &error, LMB_ERROR_UNSUPPORTED, "graph: ", "retargets cannot be written as JSON");
        return 0;
    }
    if (result != LMB_OK) {
        fail_msg("%s", error.message);
    }
    assert_true(needed < TEXT_SIZE);
    memset(text, '?', needed + 1);
    assert_int_equal(lmb_graph_json_write(def, NULL, text, needed - 1, &size, &error), LMB_OK);
    assert_int_equal(size, needed);
    assert_int_equal(text[needed - 1], '?');
    assert_int_equal(lmb_graph_json_write(def, NULL, text, needed, &size, &error), LMB_OK);
    assert_int_equal(text[needed], '?');
    return size;
}

// What the library writes of a graph is read as the same graph, and written as the same text.
static void expect_written_again(const crowd *crowd, const lmb_graph_json *graph, lmb_graph_source source) {
    static char text[TEXT_SIZE], again[TEXT_SIZE];
    lmb_error error;
    lmb_graph_json *copy = NULL;
    source.text = text;
    source.size = write_again(lmb_graph_json_def(graph), text);
    text[source.size] = '\0';
    if (source.size == 0) {
        return;
    }
    if (lmb_graph_json_read(&source, NULL, &copy, NULL, &error) != LMB_OK) {
        fail_msg("%s\n%s", error.message, text);
    }
    expect_same_bits(crowd, copy, text);
    assert_int_equal(write_again(lmb_graph_json_def(copy), again), source.size);
    assert_memory_equal(text, again, source.size);
    lmb_graph_json_destroy(copy);
    written_again++;
}

static void what_is_written_is_read(void **state) {
    (void)state;
    lmb_rig *rig = scene_rig(JOINTS, SCENE_TREE, 7);
    keyframes keys = keyframes_create(JOINTS, 9, 7);
    lmb_clip *clips[CLIPS];
    assert_int_equal(lmb_clip_create(rig, &keys.clip, NULL, &clips[0], NULL), LMB_OK);
    assert_int_equal(lmb_clip_create(rig, &(lmb_clip_def){.name = "still"}, NULL, &clips[1], NULL), LMB_OK);
    assert_int_equal(lmb_clip_cut(rig, clips[0], &own_part, NULL, &clips[PART], NULL), LMB_OK);
    char *text = malloc(TEXT_SIZE);
    assert_non_null(text);
    program_loop loop = program_loop_start("read again", 0, program_random_count(), 1);
    while (program_loop_next(&loop)) {
        const uint32_t program = loop.program;
        const crowd_def def = {.rig = rig,
                               .clips = (const lmb_clip *const *)clips,
                               .clip_count = PART,
                               .character_count = CHARACTERS,
                               .seed = 9,
                               .program = program,
                               .most_nodes = 1 + program * 7 % RANDOM_PROGRAM_NODES};
        crowd crowd;
        lmb_graph_json *graph = NULL;
        lmb_error error;
        assert_int_equal(crowd_create(&def, &crowd, NULL), LMB_OK);
        if (!is_written(&crowd.program_def)) {
            crowd_destroy(&crowd);
            continue;
        }
        read_with_parts += name_clips(&crowd, def.clips);
        crowd_draw(&crowd, 0);
        writer writer = {&crowd.program_def, text, 0, false};
        put_node(&writer, crowd.program_def.node_count - 1);
        const lmb_graph_character self = {"self", rig, def.clips, PART};
        const lmb_graph_source source = {.text = text,
                                         .characters = &self,
                                         .character_count = 1,
                                         .size = writer.length,
                                         .rig = rig,
                                         .clips = def.clips,
                                         .clip_count = PART,
                                         .static_poses = crowd.program_def.static_poses,
                                         .static_pose_count = crowd.program_def.static_pose_count};
        if (lmb_graph_json_read(&source, NULL, &graph, NULL, &error) != LMB_OK) {
            fail_msg("program %u: %s\n%s", program, error.message, text);
        }
        expect_same_bits(&crowd, graph, text);
        expect_written_again(&crowd, graph, source);
        loop.values += CHARACTERS * JOINTS * LMB_MATRIX_COMPONENTS;
        lmb_graph_json_destroy(graph);
        crowd_destroy(&crowd);
    }
    assert_true(written_again > 5);
    assert_true(read_with_parts > 5);
    free(text);
    for (uint32_t i = 0; i < CLIPS; i++) {
        lmb_clip_destroy(clips[i]);
    }
    keyframes_destroy(&keys);
    lmb_rig_destroy(rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_written_is_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
