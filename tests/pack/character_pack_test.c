// Packs of characters: reading gives what was written, to the bit, and no content is trusted.
#include "failing_host.h"
#include "guarded.h"
#include "pack_bytes.h"
#include "suite.h"

#include <limber/pack.h>

#include "base/fields.h"
#include "clip/clip.h"
#include "control/control.h"
#include "pack/records.h"
#include "program/program.h"

#include <crowd.h>
#include <math.h>
#include <stdio.h>

// ---- Tables.

// Clang cannot clear padding in C.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#define CAN_CLEAR_PADDING 1
#else
#define CAN_CLEAR_PADDING 0
#endif

enum { STRUCT_BYTES = 4096 };

// Marks the bytes of a field, and fails if a row before it has one of them.
static void mark(uint8_t *covered, const lmb_field *field, size_t offset, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (covered[offset + i]) {
            fail_msg("two rows have byte %zu, one of them is '%s'", offset + i, field->name);
        }
        covered[offset + i] = 1;
    }
}

static void mark_fields(uint8_t *covered, const lmb_fields *fields, size_t offset) {
    for (uint32_t i = 0; i < fields->count; i++) {
        const lmb_field *field = &fields->rows[i];
        const size_t at = offset + field->offset;
        switch (field->kind) {
        case LMB_FIELD_INSIDE:
        case LMB_FIELD_VALUE:
        case LMB_FIELD_POINT:
            for (uint32_t k = 0; k < field->count; k++) {
                mark_fields(covered, field->inside, at + k * field->inside->size);
            }
            break;
        case LMB_FIELD_LIST:
            if (field->length == LMB_LENGTH_STATED) {
                mark(covered, field, offset + field->length_offset, field->length_size);
            }
            mark(covered, field, at, sizeof(void *));
            break;
        case LMB_FIELD_TEXT:
        case LMB_FIELD_CLIP:
        case LMB_FIELD_OTHER: // lmb_graph_def.rig
            mark(covered, field, at, sizeof(void *));
            break;
        case LMB_FIELD_TRUE:
            mark(covered, field, at, sizeof(bool));
            break;
        case LMB_FIELD_COOKIE:
            mark(covered, field, at, sizeof(uint32_t));
            break;
        default:
            mark(covered, field, at, field->count * lmb_field_element_size(field));
        }
    }
}

static void expect_rows(const char *name, const lmb_fields *fields, size_t padding) {
    uint8_t covered[STRUCT_BYTES] = {0};
    size_t uncovered = 0;
    mark_fields(covered, fields, 0);
    for (size_t i = 0; i < fields->size; i++) {
        uncovered += covered[i] == 0;
    }
    if (uncovered != padding) {
        fail_msg("%s: %zu bytes have no row, and %zu are padding", name, uncovered, padding);
    }
}

// Defines a function that counts the bytes of padding in a struct. Only their number is used: GCC 12 clears the right
// number of bytes, but after an array of structs not always the right ones.
#if CAN_CLEAR_PADDING
#define PADDING_OF(type)                                                                                               \
    static size_t padding_of_##type(void) {                                                                            \
        type value;                                                                                                    \
        uint8_t bytes[sizeof value];                                                                                   \
        size_t padding = 0;                                                                                            \
        memset(&value, 0xff, sizeof value);                                                                            \
        __builtin_clear_padding(&value);                                                                               \
        memcpy(bytes, &value, sizeof value);                                                                           \
        for (size_t i = 0; i < sizeof value; i++) {                                                                    \
            padding += bytes[i] == 0;                                                                                  \
        }                                                                                                              \
        return padding;                                                                                                \
    }
#else
#define PADDING_OF(type)                                                                                               \
    static size_t padding_of_##type(void) {                                                                            \
        return sizeof(type);                                                                                           \
    }
#endif
PADDING_OF(lmb_value)
PADDING_OF(lmb_joint_def)
PADDING_OF(lmb_socket_def)
PADDING_OF(lmb_channel_def)
PADDING_OF(lmb_rig_def)
PADDING_OF(lmb_pack_block)
PADDING_OF(lmb_pack_blocks)
PADDING_OF(lmb_skin_target)
PADDING_OF(lmb_mesh)
PADDING_OF(lmb_pack_meshes)
PADDING_OF(lmb_image)
PADDING_OF(lmb_pack_images)
PADDING_OF(lmb_motion_track)
PADDING_OF(lmb_warp_def)
PADDING_OF(lmb_notify_def)
PADDING_OF(lmb_player_def)
PADDING_OF(lmb_group_def)
PADDING_OF(lmb_smoothed_def)
PADDING_OF(lmb_computed_def)
PADDING_OF(lmb_term)
PADDING_OF(lmb_transition_def)
PADDING_OF(lmb_state_def)
PADDING_OF(lmb_tag_rule_def)
PADDING_OF(lmb_matching_def)
PADDING_OF(lmb_machine_def)
PADDING_OF(lmb_fade_def)
PADDING_OF(lmb_motion_def)
PADDING_OF(lmb_point_slot)
PADDING_OF(lmb_reached_slot)
PADDING_OF(lmb_two_bone_def)
PADDING_OF(lmb_aim_def)
PADDING_OF(lmb_foot_def)
PADDING_OF(lmb_feet_def)
PADDING_OF(lmb_twist_def)
PADDING_OF(lmb_collider_def)
PADDING_OF(lmb_chain_def)
PADDING_OF(lmb_node_def)
PADDING_OF(lmb_joint_limit_def)
PADDING_OF(lmb_mirror_def)
PADDING_OF(lmb_joint_map_def)
PADDING_OF(lmb_retarget_def)
PADDING_OF(lmb_static_pose_def)
PADDING_OF(lmb_parameter_def)
PADDING_OF(lmb_clip_slot_def)
PADDING_OF(lmb_graph_def)
PADDING_OF(lmb_pack_graph)
PADDING_OF(lmb_pack_graphs)

// Every byte of a struct except padding belongs to one row, so no field is forgotten.
static void each_field_has_a_row(void **state) {
    (void)state;
    static const struct {
        const char *name;
        const lmb_fields *fields;
        size_t (*padding_of)(void);
    } rows[] = {
        {"lmb_value", &lmb_value_fields, padding_of_lmb_value},
        {"lmb_joint_def", &lmb_joint_fields, padding_of_lmb_joint_def},
        {"lmb_socket_def", &lmb_socket_fields, padding_of_lmb_socket_def},
        {"lmb_channel_def", &lmb_channel_fields, padding_of_lmb_channel_def},
        {"lmb_rig_def", &lmb_rig_fields, padding_of_lmb_rig_def},
        {"lmb_pack_block", &lmb_block_fields, padding_of_lmb_pack_block},
        {"lmb_pack_blocks", &lmb_blocks_fields, padding_of_lmb_pack_blocks},
        {"lmb_skin_target", &lmb_target_fields, padding_of_lmb_skin_target},
        {"lmb_mesh", &lmb_mesh_fields, padding_of_lmb_mesh},
        {"lmb_pack_meshes", &lmb_meshes_fields, padding_of_lmb_pack_meshes},
        {"lmb_image", &lmb_image_fields, padding_of_lmb_image},
        {"lmb_pack_images", &lmb_images_fields, padding_of_lmb_pack_images},
        {"lmb_motion_track", &lmb_motion_track_fields, padding_of_lmb_motion_track},
        {"lmb_warp_def", &lmb_warp_fields, padding_of_lmb_warp_def},
        {"lmb_notify_def", &lmb_notify_fields, padding_of_lmb_notify_def},
        {"lmb_player_def", &lmb_player_fields, padding_of_lmb_player_def},
        {"lmb_group_def", &lmb_group_fields, padding_of_lmb_group_def},
        {"lmb_smoothed_def", &lmb_smoothed_fields, padding_of_lmb_smoothed_def},
        {"lmb_computed_def", &lmb_computed_fields, padding_of_lmb_computed_def},
        {"lmb_term", &lmb_term_fields, padding_of_lmb_term},
        {"lmb_transition_def", &lmb_transition_fields, padding_of_lmb_transition_def},
        {"lmb_state_def", &lmb_state_fields, padding_of_lmb_state_def},
        {"lmb_tag_rule_def", &lmb_tag_rule_fields, padding_of_lmb_tag_rule_def},
        {"lmb_matching_def", &lmb_matching_fields, padding_of_lmb_matching_def},
        {"lmb_machine_def", &lmb_machine_fields, padding_of_lmb_machine_def},
        {"lmb_fade_def", &lmb_fade_fields, padding_of_lmb_fade_def},
        {"lmb_motion_def", &lmb_motion_fields, padding_of_lmb_motion_def},
        {"lmb_point_slot", &lmb_point_slot_fields, padding_of_lmb_point_slot},
        {"lmb_reached_slot", &lmb_reached_slot_fields, padding_of_lmb_reached_slot},
        {"lmb_two_bone_def", &lmb_two_bone_fields, padding_of_lmb_two_bone_def},
        {"lmb_aim_def", &lmb_aim_fields, padding_of_lmb_aim_def},
        {"lmb_foot_def", &lmb_foot_fields, padding_of_lmb_foot_def},
        {"lmb_feet_def", &lmb_feet_fields, padding_of_lmb_feet_def},
        {"lmb_twist_def", &lmb_twist_fields, padding_of_lmb_twist_def},
        {"lmb_collider_def", &lmb_collider_fields, padding_of_lmb_collider_def},
        {"lmb_chain_def", &lmb_chain_fields, padding_of_lmb_chain_def},
        {"lmb_node_def", &lmb_node_fields, padding_of_lmb_node_def},
        {"lmb_joint_limit_def", &lmb_joint_limit_fields, padding_of_lmb_joint_limit_def},
        {"lmb_mirror_def", &lmb_mirror_fields, padding_of_lmb_mirror_def},
        {"lmb_joint_map_def", &lmb_joint_map_fields, padding_of_lmb_joint_map_def},
        {"lmb_retarget_def", &lmb_retarget_fields, padding_of_lmb_retarget_def},
        {"lmb_static_pose_def", &lmb_static_pose_fields, padding_of_lmb_static_pose_def},
        {"lmb_parameter_def", &lmb_parameter_fields, padding_of_lmb_parameter_def},
        {"lmb_clip_slot_def", &lmb_clip_slot_fields, padding_of_lmb_clip_slot_def},
        {"lmb_graph_def", &lmb_graph_def_fields, padding_of_lmb_graph_def},
        {"lmb_pack_graph", &lmb_named_graph_fields, padding_of_lmb_pack_graph},
        {"lmb_pack_graphs", &lmb_graphs_fields, padding_of_lmb_pack_graphs},
    };
    if (!CAN_CLEAR_PADDING) {
        skip();
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect_rows(rows[i].name, rows[i].fields, rows[i].padding_of());
    }
}

// ---- A character with every kind of object.

enum { JOINTS = 6, CHANNELS = 2, SUBSET = 2, NODES = 15, PARAMETERS = 12, EVENTS = 3 };

typedef struct world {
    lmb_rig *rig;
    lmb_clip *clips[3]; // the last one is only in the graph
    const lmb_clip *graph_clips[2];
    lmb_clip_slot_def slots[2];
    lmb_vertex vertices[3];
    lmb_skin_target targets[2];
    lmb_skin_delta deltas[2];
    float tangents[3][4], colors[3][4];
    lmb_mesh meshes[2];
    lmb_image images[1];
    lmb_node_def nodes[NODES];
    lmb_graph_def def;
    lmb_node_def rest;
    lmb_graph_def rest_def;
    lmb_pack_graph graphs[2];
    lmb_pack_def pack;
} world;

static lmb_clip *create_clip(const lmb_rig *rig, const char *name, float reach) {
    static const float times[2] = {0.0f, 1.5f};
    const float moves[6] = {0.0f, 1.0f, 0.0f, 0.25f, 1.0f, reach};
    const lmb_track_def track = {1, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, moves};
    const lmb_clip_def def = {.name = name, .tracks = &track, .track_count = 1};
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_clip_create(rig, &def, NULL, &clip, NULL), LMB_OK);
    return clip;
}

static lmb_rig *create_rig(void) {
    static const char *const names[JOINTS] = {"hips", "spine", "arm.L", "arm.R", "neck", "head"};
    static const uint32_t parents[JOINTS] = {LMB_NONE, 0, 1, 1, 1, 4};
    lmb_joint_def joints[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].name = names[i];
        joints[i].parent = parents[i];
        joints[i].radius = 0.125f * (float)i;
        joints[i].is_extra = i == 5; // changes no word of a graph, since it has a radius
        joints[i].rest.translation[0] = i == 2 ? 1.0f : i == 3 ? -1.0f : 0.0f;
        joints[i].rest.translation[1] = i >= 4 ? 0.5f : 0.0f;
        joints[i].rest.rotation[1] = i == 1 ? 0.3f : 0.0f;
    }
    joints[1].has_inverse_bind = true;
    joints[1].inverse_bind.m[0][3] = 0.7f;
    lmb_socket_def socket = lmb_default_socket_def();
    socket.name = "hand";
    socket.joint = 3;
    socket.local.rotation[0] = 0.2f;
    const lmb_channel_def channels[CHANNELS] = {{"smile", 0.5f, false}, {"eye", 370.0f, true}};
    const lmb_rig_def def = {.joints = joints,
                             .joint_count = JOINTS,
                             .sockets = &socket,
                             .socket_count = 1,
                             .channels = channels,
                             .channel_count = CHANNELS};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

// Parameters 0 to 5 are the host's; those from 6 on are written.
static void fill_nodes(lmb_node_def nodes[NODES]) {
    static const float markers[] = {0.25f, 0.75f};
    static const lmb_notify_def notifies[] = {{0.125f, 1}, {1.0f, 2}};
    static const float keys[3][4] = {{0.0f, 0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f, 0.1f}, {0.5f, 0.0f, 2.0f, 0.3f}};
    static const float rotations[3][4] = {{0.0f, 0.0f, 0.0f, 1.0f}, {0.0f, 0.6f, 0.0f, 0.8f}, {0.8f, 0.0f, 0.6f, 0.0f}};
    static const lmb_motion_track track = {3, &keys[0][0], &rotations[0][0]};
    static lmb_warp_def warps[2];
    static lmb_player_def players[2];
    static lmb_state_def states[2];
    static lmb_term terms[2];
    static lmb_transition_def transitions[2];
    static lmb_machine_def machine;
    lmb_foot_def foot;
    for (uint32_t i = 0; i < NODES; i++) {
        nodes[i] = lmb_default_node_def();
    }
    for (uint32_t i = 0; i < 2; i++) {
        players[i] = lmb_default_player_def();
        players[i].rate = lmb_parameter(i);
        players[i].rate.curve = i == 1 ? LMB_CURVE_BEZIER : LMB_CURVE_LINEAR;
        players[i].rate.control[0] = i == 1 ? 0.25f : 0.0f;
        players[i].group = 0;
        players[i].markers = markers;
        players[i].marker_count = 2;
        players[i].looped_event = i;
        players[i].velocity = 1.5f + (float)i;
        nodes[i] = lmb_playing_node(i, &players[i]);
        states[i] = lmb_default_state_def();
        states[i].name = i == 0 ? "stand" : "";
        states[i].entry_event = 2 - i;
        transitions[i] = lmb_default_transition_def();
        transitions[i].from = i;
        transitions[i].to = 1 - i;
    }
    players[0].notifies = notifies;
    players[0].notify_count = 2;
    players[0].motion = &track;
    for (uint32_t i = 0; i < 2; i++) {
        warps[i] = lmb_default_warp_def();
        warps[i].start = 0.25f + 0.25f * (float)i;
        warps[i].end = 0.375f + 0.25f * (float)i;
        warps[i].target[2 * i] = lmb_parameter(i);
    }
    warps[0].warps_height = false;
    warps[1].turns_to_heading = true;
    warps[1].heading = lmb_parameter(2);
    players[0].warps = warps;
    players[0].warp_count = 2;
    states[1].restart = true;
    terms[0] = terms[1] = lmb_default_term();
    terms[0].left = lmb_parameter(2);
    terms[0].right = lmb_constant(0.5f);
    terms[0].kind = LMB_TERM_GREATER;
    terms[1] = terms[0];
    terms[1].operand = LMB_OPERAND_PHASE;
    transitions[0].event = 0;
    transitions[0].terms = terms;
    transitions[0].term_count = 1;
    transitions[0].profile = 1;
    transitions[1].after = 0.5f;
    transitions[1].kind = LMB_FADE_INERTIALIZED;
    transitions[1].priority = -3;
    transitions[1].from = LMB_NONE;
    transitions[1].to_self = true;
    transitions[1].curve = LMB_CURVE_BEZIER;
    transitions[1].curve_control[0] = -0.25f;
    machine = (lmb_machine_def){
        .name = "gait", .states = states, .state_count = 2, .transitions = transitions, .transition_count = 2};
    nodes[2] = lmb_machine_node((const uint32_t[]){0, 1}, &machine);
    nodes[3].op = LMB_OP_CLIP;
    nodes[3].clip = lmb_parameter(3);
    nodes[3].time = lmb_parameter(4);
    nodes[3].loop = true;
    nodes[3].joint_weights = 0;
    // A field of another operation that points nowhere.
    nodes[3].machine = (const lmb_machine_def *)(uintptr_t)8;
    nodes[4] = lmb_masked_node(2, 3, 0, lmb_parameter(6));
    nodes[5].op = LMB_OP_MIRROR;
    nodes[5].input_count = 1;
    nodes[5].inputs[0] = 4;
    nodes[6].op = LMB_OP_CLAMP;
    nodes[6].input_count = 1;
    nodes[6].inputs[0] = 5;
    nodes[7].op = LMB_OP_POSE;
    nodes[7].static_pose = 0;
    nodes[8].op = LMB_OP_COMBINE;
    nodes[8].input_count = 2;
    nodes[8].inputs[0] = 6;
    nodes[8].inputs[1] = 7;
    nodes[8].joint_maps[1] = 0;
    nodes[9] =
        lmb_two_bone_node(8, 0, 1, 2, (const lmb_value[]){lmb_parameter(5), lmb_constant(1.0f), lmb_constant(0)});
    nodes[9].two_bone.soften = 0.75f;
    nodes[9].two_bone.pole_slot = lmb_point(3);
    nodes[9].two_bone.space = LMB_IK_WORLD;
    nodes[10] = lmb_aim_node(9, 3, (const float[]){0.0f, 1.0f, 0.0f},
                             (const lmb_value[]){lmb_constant(1.0f), lmb_parameter(5), lmb_constant(3.0f)});
    nodes[10].aim.limit = 1.0f;
    nodes[10].aim.target_slot = lmb_point(5);
    foot = lmb_default_foot_def();
    foot.hip = 1;
    foot.knee = 4;
    foot.ankle = 5;
    foot.ground[1] = lmb_parameter(5);
    foot.normal_slot = lmb_point(4);
    foot.planted_from = foot.planted_to = 0;
    nodes[11] = lmb_foot_placement_node(10, 0, &foot, 1);
    nodes[11].feet.max_lowering = 0.125f;
    nodes[11].feet.space = LMB_IK_WORLD;
    nodes[11].feet.speed = lmb_parameter(5);
    nodes[11].feet.clip_speed = lmb_constant(1.5f);
    nodes[11].feet.direction[1] = lmb_constant(0.25f);
    nodes[11].feet.direction_slot = lmb_point(6);
    nodes[11].feet.time = lmb_parameter(5);
    nodes[11].feet.lock_distance = 0.25f;
    nodes[11].feet.release_half_life = 0.125f;
    nodes[11].feet.ground_half_life = 0.0625f;
    nodes[11].feet.pelvis_half_life = 0.5f;
    nodes[11].feet.teleport = 3.0f;
    nodes[11].feet.feet[0].planted = lmb_parameter(5);
    nodes[12].op = LMB_OP_POSE;
    nodes[12].static_pose = 0;
    nodes[13] = lmb_retarget_node(12, 1);
    nodes[14].op = LMB_OP_LAYERS;
    nodes[14].input_count = 2;
    nodes[14].inputs[0] = 11;
    nodes[14].inputs[1] = 13;
    nodes[14].priorities[1] = -2;
    nodes[14].masks[0] = 1;
    nodes[14].weights[1] = lmb_parameter(7);
}

static void fill_moving(lmb_graph_def *def) {
    static lmb_parameter_def parameters[PARAMETERS];
    static const char *const event_names[EVENTS] = {"GO", NULL, "STEP"};
    static lmb_smoothed_def smoothed;
    static lmb_computed_def computed;
    static lmb_group_def group;
    static lmb_fade_def fade;
    static lmb_curve_key keys[4];
    static lmb_curve_def curves[2];
    static lmb_motion_def motion;
    static lmb_value every;
    for (uint32_t i = 0; i < PARAMETERS; i++) {
        parameters[i] = (lmb_parameter_def){NULL, 0.25f * (float)i, -1.0f, 8.0f};
    }
    parameters[0].name = "speed";
    parameters[2].name = "";
    smoothed = lmb_smoothed_parameter(lmb_parameter(0), 0.25f, 8);
    computed = lmb_default_computed_def();
    computed.kind = LMB_COMPUTED_REMAP;
    computed.inputs[0] = lmb_parameter(8);
    computed.inputs[2] = lmb_constant(1.0f);
    computed.inputs[4] = lmb_constant(2.0f);
    computed.parameter = 6;
    group = lmb_default_group_def();
    group.name = "gaits";
    group.cadence = LMB_CADENCE_DURATION;
    group.velocity_parameter = 9;
    fade = lmb_default_fade_def();
    fade.name = "wave";
    fade.parameter = 7;
    fade.in_event = 0;
    fade.out_event = 1;
    fade.begins_in = true;
    fade.curve_control[1] = 0.75f;
    fade.curve = lmb_user_curve(1);
    keys[0] = lmb_key(-2.0f, 0.5f);
    keys[0].stepped = true;
    keys[1] = lmb_key(3.0f, -1.5f);
    lmb_css_keys(0.25f, 0.1f, 0.25f, 1.0f, keys + 2);
    for (uint32_t i = 0; i < 2; i++) {
        curves[i] = lmb_default_curve_def();
        curves[i].keys = keys + 2 * (size_t)i;
        curves[i].key_count = 2;
    }
    def->curves = curves;
    def->curve_count = 2;
    motion = lmb_default_motion_def();
    motion.velocity[2] = lmb_parameter(0);
    motion.turns_to_heading = true;
    motion.heading = lmb_parameter(1);
    motion.acceleration = 2.0f;
    motion.velocity_parameters[2] = 10;
    every = lmb_parameter(11);
    def->parameters = parameters;
    def->event_count = EVENTS;
    def->event_names = event_names;
    def->smoothed = &smoothed;
    def->smoothed_count = 1;
    def->computed = &computed;
    def->computed_count = 1;
    def->groups = &group;
    def->group_count = 1;
    def->fades = &fade;
    def->fade_count = 1;
    def->motion = &motion;
    def->max_emitted_events = 5;
    def->update_every = &every;
    def->interpolate_updates = true;
}

static void fill_tables(lmb_graph_def *def) {
    static const uint8_t mask[JOINTS + CHANNELS] = {255, 128, 0, 7, 3, 5, 9, 11},
                                       whole[JOINTS + CHANNELS] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const uint8_t *const masks[] = {mask, whole};
    static const uint32_t partners[JOINTS] = {0, 1, 3, 2, 4, 5}, channel_partners[CHANNELS] = {0, 1};
    static const int8_t signs[CHANNELS] = {1, -1};
    static const lmb_mirror_def mirror = {LMB_AXIS_X, partners, channel_partners, signs};
    static lmb_joint_limit_def limits[JOINTS];
    static const lmb_joint_limit_def *const tables[] = {limits};
    static const lmb_channel_range ranges[CHANNELS] = {{-1.0f, 1.0f}, {-30.0f, 45.0f}};
    static const lmb_channel_range *const range_tables[] = {ranges};
    static const uint32_t mapped[JOINTS] = {LMB_NONE, 0, 1, LMB_NONE, LMB_NONE, LMB_NONE};
    static const lmb_joint_map_def map = {mapped, SUBSET};
    static lmb_transform pose[SUBSET], full[JOINTS];
    static const float channels[CHANNELS] = {0.25f, 10.0f};
    static const lmb_static_pose_def poses[] = {{"wave", pose, SUBSET, (const float *)(uintptr_t)8},
                                                {NULL, full, JOINTS, channels}};
    static const uint8_t lods[JOINTS] = {7, 5, 2, 0, 1, 1};
    for (uint32_t i = 0; i < JOINTS; i++) {
        limits[i] = lmb_default_joint_limit_def();
        full[i] = lmb_transform_identity();
    }
    static const uint32_t source_parents[SUBSET] = {LMB_NONE, 0}, sources[JOINTS] = {0, LMB_NONE, 1, 1, 0, LMB_NONE};
    static const uint8_t aligned[JOINTS] = {1, 0, 1, 1, 0, 1};
    static const float scales[JOINTS] = {1.0f, 0.0f, 2.0f, 1.0f, 0.5f, 1.0f};
    static lmb_retarget_def retargets[2];
    for (uint32_t i = 0; i < 2; i++) {
        retargets[i] = lmb_default_retarget_def();
        retargets[i].source_joint_count = SUBSET;
        retargets[i].source_parents = source_parents;
        retargets[i].source_rest = pose;
        retargets[i].joints = sources;
    }
    retargets[1].source_pose = pose;
    retargets[1].target_pose = full;
    retargets[1].aligned = aligned;
    retargets[1].scales = scales;
    retargets[1].turn[0] = 0.5f;
    retargets[1].align_above = 0.5f;
    retargets[1].root_scale = 1.25f;
    def->retargets = retargets;
    def->retarget_count = 2;
    limits[2].set = LMB_JOINT_LIMIT_TWIST;
    limits[2].twist_min = -20.0f;
    limits[2].twist_max = 40.0f;
    pose[0] = pose[1] = lmb_transform_identity();
    pose[1].translation[1] = 2.0f;
    def->masks = masks;
    def->mask_count = 2;
    def->mirrors = &mirror;
    def->mirror_count = 1;
    def->joint_limits = tables;
    def->joint_limits_count = 1;
    def->channel_ranges = range_tables;
    def->joint_maps = &map;
    def->joint_map_count = 1;
    def->static_poses = poses;
    def->static_pose_count = 2;
    def->max_lods = lods;
    def->lod = lmb_parameter(5);
}

static void fill_meshes(world *w) {
    static const uint32_t indices[3] = {0, 1, 2};
    static const uint8_t png[5] = {1, 2, 3, 4, 5};
    memset(w->vertices, 0, sizeof w->vertices);
    for (uint32_t i = 0; i < 3; i++) {
        w->vertices[i].position[i] = 1.0f;
        w->vertices[i].joints[0] = i + 1;
        w->vertices[i].weights[0] = 1.0f;
        for (uint32_t k = 0; k < 4; k++) {
            w->tangents[i][k] = k == 3 ? -1.0f : (float)(k == i);
            w->colors[i][k] = 0.125f * (float)(i + k);
        }
    }
    w->deltas[0] = (lmb_skin_delta){0, {0.0f, 0.5f, 0.0f}, {0.25f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.125f}};
    w->deltas[1] = (lmb_skin_delta){.vertex = 2, .position = {-3.0f, 0.0f, 1.0f}};
    w->targets[0] = (lmb_skin_target){"blink", 1, w->deltas, 2};
    w->targets[1] = (lmb_skin_target){.name = "nothing"};
    w->meshes[0] = lmb_default_mesh();
    w->meshes[0].name = "body";
    w->meshes[0].vertices = w->vertices;
    w->meshes[0].vertex_count = 3;
    w->meshes[0].indices = indices;
    w->meshes[0].index_count = 3;
    w->meshes[1] = w->meshes[0];
    w->meshes[1].name = NULL;
    memset(w->meshes[1].base_color, 0, 3 * sizeof(float));
    w->meshes[0].tangents = &w->tangents[0][0];
    w->meshes[0].colors = &w->colors[0][0];
    w->meshes[0].targets = w->targets;
    w->meshes[0].target_count = 2;
    w->meshes[0].material = "cloth";
    w->meshes[0].base_color[0] = 0.5f;
    w->meshes[0].base_color[1] = 0.25f;
    w->meshes[0].metallic = 0.5f;
    w->meshes[0].roughness = 0.75f;
    w->meshes[0].normal_scale = 2.0f;
    w->meshes[0].influence_count = 1;
    w->meshes[0].image = w->meshes[0].metallic_roughness_image = w->meshes[0].normal_image = 0;
    w->meshes[0].double_sided = true;
    w->images[0] = (lmb_image){"skin", png, sizeof png};
}

static void expect_same_mesh(const lmb_mesh *a, const lmb_mesh *b) {
    assert_string_equal(a->name, b->name != NULL ? b->name : "");
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_memory_equal(a->vertices, b->vertices, a->vertex_count * sizeof *a->vertices);
    assert_int_equal(a->index_count, b->index_count);
    assert_memory_equal(a->indices, b->indices, a->index_count * sizeof *a->indices);
    assert_true((a->tangents == NULL) == (b->tangents == NULL) && (a->colors == NULL) == (b->colors == NULL));
    if (a->tangents != NULL) {
        assert_memory_equal(a->tangents, b->tangents, a->vertex_count * 4 * sizeof *a->tangents);
    }
    if (a->colors != NULL) {
        assert_memory_equal(a->colors, b->colors, a->vertex_count * 4 * sizeof *a->colors);
    }
    assert_int_equal(a->target_count, b->target_count);
    for (uint32_t i = 0; i < a->target_count; i++) {
        const lmb_skin_target *x = &a->targets[i], *y = &b->targets[i];
        assert_string_equal(x->name, y->name);
        assert_true(x->channel == y->channel && x->delta_count == y->delta_count);
        if (x->delta_count > 0) {
            assert_memory_equal(x->deltas, y->deltas, x->delta_count * sizeof *x->deltas);
        }
    }
    assert_memory_equal(a->base_color, b->base_color, sizeof a->base_color);
    assert_string_equal(a->material, b->material);
    assert_true(a->metallic == b->metallic && a->roughness == b->roughness && a->normal_scale == b->normal_scale);
    assert_int_equal(a->influence_count, b->influence_count);
    assert_true(a->image == b->image && a->metallic_roughness_image == b->metallic_roughness_image &&
                a->normal_image == b->normal_image && a->double_sided == b->double_sided);
}

static world world_create(void) {
    world w = {.rig = create_rig()};
    w.clips[0] = create_clip(w.rig, "walk", 1.0f);
    w.clips[1] = create_clip(w.rig, "", 2.0f);
    w.clips[2] = create_clip(w.rig, "walk", 3.0f);
    return w;
}

// The pointers lead into the world itself.
static void world_fill(world *w) {
    w->graph_clips[0] = w->clips[2];
    w->graph_clips[1] = w->clips[0];
    fill_nodes(w->nodes);
    w->def = lmb_default_graph_def();
    w->def.rig = w->rig;
    w->def.clips = w->graph_clips;
    w->def.clip_count = 2;
    w->slots[0] = lmb_clip_slot_for(w->clips[2]);
    w->slots[0].clip = 0;
    w->slots[0].bytes += 1000;
    w->slots[1] = lmb_default_clip_slot_def(); // which the player of its clip needs a duration
    w->slots[1].clip = 1;
    w->slots[1].name = "later";
    w->slots[1].bytes = 4000;
    w->slots[1].duration = lmb_clip_get_info(w->clips[0])->duration;
    w->def.clip_slots = w->slots;
    w->def.clip_slot_count = 2;
    static const lmb_clip_origin origin = {1, 0, 0.25f, 1.25f};
    w->def.clip_origins = &origin;
    w->def.clip_origin_count = 1;
    w->def.nodes = w->nodes;
    w->def.node_count = NODES;
    w->def.parameter_count = PARAMETERS;
    fill_tables(&w->def);
    fill_moving(&w->def);
    fill_meshes(w);
    w->rest = lmb_default_node_def();
    w->rest_def = lmb_default_graph_def();
    w->rest_def.rig = w->rig;
    w->rest_def.nodes = &w->rest;
    w->rest_def.node_count = 1;
    w->graphs[0] = (lmb_pack_graph){"everything", &w->def};
    w->graphs[1] = (lmb_pack_graph){"rest", &w->rest_def};
    w->pack = lmb_default_pack_def();
    w->pack.rig = w->rig;
    w->pack.clips = (const lmb_clip *const *)w->clips;
    w->pack.clip_count = 2;
    w->pack.meshes = w->meshes;
    w->pack.mesh_count = 2;
    w->pack.images = w->images;
    w->pack.image_count = 1;
    w->pack.graphs = w->graphs;
    w->pack.graph_count = 2;
}

static void world_destroy(world *w) {
    for (uint32_t i = 0; i < 3; i++) {
        lmb_clip_destroy(w->clips[i]);
    }
    lmb_rig_destroy(w->rig);
}

static int set_up(void **state) {
    static world w;
    w = world_create();
    world_fill(&w);
    *state = &w;
    return 0;
}

static int tear_down(void **state) {
    world_destroy(*state);
    return 0;
}

static uint8_t *write_pack(const lmb_pack_def *def, size_t *size) {
    lmb_error error = {0};
    if (lmb_pack_write(def, NULL, NULL, 0, size, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    uint8_t *bytes = malloc(*size);
    size_t again;
    assert_non_null(bytes);
    assert_int_equal(lmb_pack_write(def, NULL, bytes, *size, &again, &error), LMB_OK);
    assert_int_equal(again, *size);
    return bytes;
}

static lmb_pack *open_pack(const uint8_t *bytes, size_t size) {
    lmb_pack *pack = NULL;
    lmb_error error = {0};
    if (lmb_pack_open(bytes, size, NULL, &pack, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return pack;
}

// ---- Reading gives what was written.

// What both descriptors are compiled to is equal word by word.
static void expect_same_graph(const lmb_graph_def *a, const lmb_graph_def *b) {
    lmb_graph *first = NULL, *second = NULL;
    assert_int_equal(lmb_graph_create(a, NULL, &first, NULL), LMB_OK);
    assert_int_equal(lmb_graph_create(b, NULL, &second, NULL), LMB_OK);
    assert_int_equal(first->size, second->size);
    assert_memory_equal(first->program, second->program, first->size * sizeof(uint32_t));
    assert_int_equal(lmb_graph_get_info(first)->clip_slot_count, lmb_graph_get_info(second)->clip_slot_count);
    for (uint32_t i = 0; i < lmb_graph_get_info(first)->clip_slot_count; i++) {
        const lmb_clip_slot_def x = lmb_graph_clip_slot_at(first, i), y = lmb_graph_clip_slot_at(second, i);
        assert_string_equal(x.name, y.name);
        assert_true(x.clip == y.clip && x.bytes == y.bytes && x.duration == y.duration && x.kinds == y.kinds);
        assert_true(x.joint_count == y.joint_count && x.additive == y.additive);
    }
    assert_int_equal(a->clip_origin_count, b->clip_origin_count);
    if (a->clip_origin_count > 0) {
        assert_memory_equal(a->clip_origins, b->clip_origins, a->clip_origin_count * sizeof *a->clip_origins);
    }
    assert_int_equal(lmb_graph_get_info(first)->point_count, lmb_graph_get_info(second)->point_count);
    assert_int_equal(lmb_graph_get_info(first)->uses_transforms, lmb_graph_get_info(second)->uses_transforms);
    assert_int_equal(first->control == NULL, second->control == NULL);
    if (first->control != NULL) {
        assert_int_equal(first->control->size, second->control->size);
        assert_memory_equal(first->control->block, second->control->block, first->control->size * sizeof(uint32_t));
        assert_int_equal(first->control->max_emitted_events, second->control->max_emitted_events);
    }
    for (uint32_t i = 0; i < lmb_graph_get_info(first)->parameter_count; i++) {
        const lmb_graph_parameter x = lmb_graph_parameter_at(first, i), y = lmb_graph_parameter_at(second, i);
        assert_string_equal(x.name, y.name);
        assert_true(x.initial == y.initial && x.min == y.min && x.max == y.max && x.is_written == y.is_written);
    }
    assert_int_equal(lmb_graph_get_info(first)->event_count, lmb_graph_get_info(second)->event_count);
    for (uint32_t i = 0; i < lmb_graph_get_info(first)->event_count; i++) {
        assert_string_equal(lmb_graph_event_name(first, i), lmb_graph_event_name(second, i));
    }
    assert_int_equal(lmb_graph_get_info(first)->machine_count, lmb_graph_get_info(second)->machine_count);
    for (uint32_t i = 0; i < lmb_graph_get_info(first)->machine_count; i++) {
        assert_string_equal(lmb_graph_machine_at(first, i).name, lmb_graph_machine_at(second, i).name);
        for (uint32_t k = 0; k < lmb_graph_machine_at(first, i).state_count; k++) {
            assert_string_equal(lmb_graph_state_name(first, i, k), lmb_graph_state_name(second, i, k));
        }
    }
    assert_int_equal(lmb_graph_get_info(first)->player_count, lmb_graph_get_info(second)->player_count);
    for (uint32_t i = 0; i < lmb_graph_get_info(first)->player_count; i++) {
        assert_string_equal(lmb_graph_player_at(first, i).name, lmb_graph_player_at(second, i).name);
    }
    for (uint32_t i = 0; i < a->group_count; i++) {
        assert_string_equal(lmb_graph_group_name(first, i), lmb_graph_group_name(second, i));
    }
    lmb_graph_destroy(first);
    lmb_graph_destroy(second);
}

static void expect_same_rig(const lmb_rig *a, const lmb_rig *b) {
    assert_int_equal(lmb_rig_get_def(a)->joint_count, lmb_rig_get_def(b)->joint_count);
    for (uint32_t i = 0; i < lmb_rig_get_def(a)->joint_count; i++) {
        const lmb_transform rests[2] = {lmb_rig_get_def(a)->joints[i].rest, lmb_rig_get_def(b)->joints[i].rest};
        const lmb_affine binds[2] = {lmb_rig_get_def(a)->joints[i].inverse_bind,
                                     lmb_rig_get_def(b)->joints[i].inverse_bind};
        const float radii[2] = {lmb_rig_get_def(a)->joints[i].radius, lmb_rig_get_def(b)->joints[i].radius};
        assert_string_equal(lmb_rig_get_def(a)->joints[i].name, lmb_rig_get_def(b)->joints[i].name);
        assert_int_equal(lmb_rig_get_def(a)->joints[i].parent, lmb_rig_get_def(b)->joints[i].parent);
        assert_memory_equal(&rests[0], &rests[1], sizeof rests[0]);
        assert_memory_equal(&binds[0], &binds[1], sizeof binds[0]);
        assert_memory_equal(&radii[0], &radii[1], sizeof radii[0]);
    }
    assert_int_equal(lmb_rig_get_def(a)->socket_count, lmb_rig_get_def(b)->socket_count);
    for (uint32_t i = 0; i < lmb_rig_get_def(a)->socket_count; i++) {
        const lmb_transform locals[2] = {lmb_rig_get_def(a)->sockets[i].local, lmb_rig_get_def(b)->sockets[i].local};
        assert_string_equal(lmb_rig_get_def(a)->sockets[i].name, lmb_rig_get_def(b)->sockets[i].name);
        assert_int_equal(lmb_rig_get_def(a)->sockets[i].joint, lmb_rig_get_def(b)->sockets[i].joint);
        assert_memory_equal(&locals[0], &locals[1], sizeof locals[0]);
    }
    assert_int_equal(lmb_rig_get_def(a)->channel_count, lmb_rig_get_def(b)->channel_count);
    for (uint32_t i = 0; i < lmb_rig_get_def(a)->channel_count; i++) {
        assert_string_equal(lmb_rig_get_def(a)->channels[i].name, lmb_rig_get_def(b)->channels[i].name);
        assert_true(lmb_rig_get_def(a)->channels[i].rest == lmb_rig_get_def(b)->channels[i].rest);
        assert_int_equal(lmb_rig_get_def(a)->channels[i].angle, lmb_rig_get_def(b)->channels[i].angle);
    }
}

static void everything_comes_back(void **state) {
    const world *w = *state;
    size_t size, again_size;
    uint8_t *bytes = write_pack(&w->pack, &size);
    lmb_pack *pack = open_pack(bytes, size);
    expect_same_rig(lmb_pack_get_def(pack)->rig, w->rig);
    for (uint32_t i = 0; i < JOINTS; i++) {
        assert_int_equal(lmb_rig_get_def(lmb_pack_get_def(pack)->rig)->joints[i].is_extra, i == 5);
    }
    assert_int_equal(lmb_pack_get_def(pack)->clip_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        size_t sizes[2];
        const void *blocks[2] = {lmb_clip_block(lmb_pack_get_def(pack)->clips[i], &sizes[0]),
                                 lmb_clip_block(w->clips[i], &sizes[1])};
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(blocks[0], blocks[1], sizes[0]);
        assert_true((const uint8_t *)blocks[0] > bytes && (const uint8_t *)blocks[0] < bytes + size);
    }
    assert_ptr_equal(lmb_pack_find_clip(pack, "walk"), lmb_pack_get_def(pack)->clips[0]);
    assert_null(lmb_pack_find_clip(pack, "run"));
    assert_int_equal(lmb_pack_get_def(pack)->mesh_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        expect_same_mesh(&lmb_pack_get_def(pack)->meshes[i], &w->meshes[i]);
    }
    assert_int_equal(lmb_pack_get_def(pack)->image_count, 1);
    assert_string_equal(lmb_pack_get_def(pack)->images[0].name, "skin");
    assert_int_equal(lmb_pack_get_def(pack)->images[0].size, 5);
    assert_memory_equal(lmb_pack_get_def(pack)->images[0].bytes, w->images[0].bytes, 5);
    assert_int_equal(lmb_pack_get_def(pack)->graph_count, 2);
    assert_string_equal(lmb_pack_get_def(pack)->graphs[1].name, "rest");
    assert_null(lmb_pack_find_graph(pack, "nothing"));
    const lmb_graph_def *def = lmb_pack_find_graph(pack, "everything");
    assert_ptr_equal(def, lmb_pack_get_def(pack)->graphs[0].def);
    assert_ptr_equal(def->rig, lmb_pack_get_def(pack)->rig);
    assert_ptr_equal(def->clips[0], lmb_pack_get_def(pack)->clips[2]);
    assert_ptr_equal(def->clips[1], lmb_pack_get_def(pack)->clips[0]);
    assert_null(def->nodes[3].machine);
    assert_null(def->event_names[1]);
    expect_same_graph(&w->def, def);
    expect_same_graph(&w->rest_def, lmb_pack_find_graph(pack, "rest"));
    size_t parts = PACK_PARTS_AT;
    for (uint32_t i = 0; i < LMB_PACK_PART_COUNT; i++) {
        parts += lmb_pack_part_bytes(pack, (lmb_pack_part)i);
    }
    assert_int_equal(parts, size);
    assert_int_equal(lmb_pack_part_bytes(pack, LMB_PACK_PART_COUNT), 0);
    uint8_t *again = write_pack(lmb_pack_get_def(pack), &again_size);
    assert_int_equal(again_size, size);
    assert_memory_equal(again, bytes, size);
    free(again);
    lmb_pack_close(pack);
    free(bytes);
}

// A stored pack of this world: packs of this version stay readable, with the same meaning. If this fails because the
// format or a default has changed, LMB_PACK_VERSION must change, too, and the file be written again.
static void stored_packs_stay_readable(void **state) {
    const world *w = *state;
    FILE *file = fopen(LIMBER_CORPUS "/pack_fuzz/everything.lmb", "rb");
    uint8_t *bytes = malloc(65536);
    assert_true(file != NULL && bytes != NULL);
    const size_t size = fread(bytes, 1, 65536, file);
    fclose(file);
    lmb_pack *pack = open_pack(bytes, size);
    expect_same_rig(lmb_pack_get_def(pack)->rig, w->rig);
    for (uint32_t i = 0; i < 2; i++) {
        lmb_mesh mesh = w->meshes[i];
        // The file is older than these fields, which then have their defaults.
        mesh.material = "";
        mesh.metallic = 0.0f;
        mesh.roughness = mesh.normal_scale = 1.0f;
        mesh.metallic_roughness_image = mesh.normal_image = LMB_NONE;
        mesh.influence_count = LMB_MAX_INFLUENCES;
        expect_same_mesh(&lmb_pack_get_def(pack)->meshes[i], &mesh);
    }
    lmb_node_def nodes[NODES];
    memcpy(nodes, w->def.nodes, sizeof nodes);
    lmb_player_def player = *nodes[0].player;
    lmb_motion_track track = *player.motion;
    track.rotations = NULL;
    player.motion = &track;
    player.warp_count = 0;
    nodes[0].player = &player;
    const lmb_feet_def plain = lmb_default_node_def().feet;
    nodes[11].feet.speed = plain.speed;
    nodes[11].feet.clip_speed = plain.clip_speed;
    memcpy(nodes[11].feet.direction, plain.direction, sizeof plain.direction);
    nodes[11].feet.direction_slot = plain.direction_slot;
    nodes[11].feet.time = plain.time;
    nodes[11].feet.lock_distance = plain.lock_distance;
    nodes[11].feet.release_half_life = plain.release_half_life;
    nodes[11].feet.ground_half_life = plain.ground_half_life;
    nodes[11].feet.pelvis_half_life = plain.pelvis_half_life;
    nodes[11].feet.teleport = plain.teleport;
    nodes[11].feet.feet[0].planted = plain.feet[0].planted;
    nodes[11].feet.feet[0].planted_from = nodes[11].feet.feet[0].planted_to = LMB_NONE;
    lmb_transition_def transitions[2];
    memcpy(transitions, nodes[2].machine->transitions, sizeof transitions);
    transitions[1].curve = LMB_CURVE_SMOOTHSTEP;
    transitions[1].curve_control[0] = 0.0f;
    transitions[1].from = 1;
    transitions[1].to_self = false;
    lmb_machine_def machine = *nodes[2].machine;
    machine.transitions = transitions;
    nodes[2].machine = &machine;
    lmb_fade_def fade = *w->def.fades;
    fade.curve_control[1] = 1.0f;
    fade.curve = LMB_CURVE_SMOOTHSTEP;
    lmb_graph_def older = w->def;
    older.curves = NULL;
    older.curve_count = 0;
    older.nodes = nodes;
    older.fades = &fade;
    older.clip_slots = NULL;
    older.clip_slot_count = 0;
    older.clip_origin_count = 0;
    expect_same_graph(&older, lmb_pack_find_graph(pack, "everything"));
    expect_same_graph(&w->rest_def, lmb_pack_find_graph(pack, "rest"));
    lmb_pack_close(pack);
    free(bytes);
}

// Random graphs with every operation.
static void random_graphs_come_back(void **state) {
    const world *w = *state;
    lmb_pack_def def = lmb_default_pack_def();
    def.rig = w->rig;
    for (uint32_t number = 0; number < 40; number++) {
        const crowd_def random = {.rig = w->rig,
                                  .clips = (const lmb_clip *const *)w->clips,
                                  .clip_count = 3,
                                  .character_count = 1,
                                  .seed = 20261124,
                                  .program = number};
        crowd crowd;
        lmb_error error;
        size_t size;
        assert_int_equal(crowd_create(&random, &crowd, &error), LMB_OK);
        const lmb_pack_graph graph = {"random", &crowd.program_def};
        def.graphs = &graph;
        def.graph_count = 1;
        uint8_t *bytes = write_pack(&def, &size);
        lmb_pack *pack = open_pack(bytes, size);
        expect_same_graph(&crowd.program_def, lmb_pack_find_graph(pack, "random"));
        lmb_pack_close(pack);
        free(bytes);
        crowd_destroy(&crowd);
    }
}

// A rig of channels alone, no clips, no graphs.
static void clips_of_one_content_are_written_once(void **state) {
    const world *w = *state;
    size_t size, copy_size, block_size;
    uint8_t *bytes = write_pack(&w->pack, &size);
    const void *block = lmb_clip_block(w->clips[0], &block_size);
    lmb_clip *copy = NULL;
    assert_int_equal(lmb_clip_open(block, block_size, NULL, &copy, NULL), LMB_OK);
    const lmb_clip *clips[2] = {w->graph_clips[0], copy};
    assert_ptr_equal(w->graph_clips[1], w->clips[0]);
    lmb_graph_def def = w->def;
    def.clips = clips;
    const lmb_pack_graph graphs[2] = {{w->graphs[0].name, &def}, w->graphs[1]};
    lmb_pack_def pack = w->pack;
    pack.graphs = graphs;
    uint8_t *same = write_pack(&pack, &copy_size);
    assert_int_equal(copy_size, size);
    assert_memory_equal(same, bytes, size);
    lmb_clip_destroy(copy);
    free(same);
    free(bytes);
}

static void little_comes_back(void **state) {
    (void)state;
    const lmb_channel_def channel = {"smile", 0.5f, false};
    const lmb_rig_def rig_def = {.channels = &channel, .channel_count = 1};
    lmb_rig *rig = NULL;
    size_t size;
    assert_int_equal(lmb_rig_create(&rig_def, NULL, &rig, NULL), LMB_OK);
    lmb_pack_def def = lmb_default_pack_def();
    def.rig = rig;
    uint8_t *bytes = write_pack(&def, &size);
    lmb_pack *pack = open_pack(bytes, size);
    expect_same_rig(lmb_pack_get_def(pack)->rig, rig);
    assert_int_equal(lmb_pack_get_def(pack)->clip_count + lmb_pack_get_def(pack)->mesh_count +
                         lmb_pack_get_def(pack)->graph_count,
                     0);
    lmb_pack_close(pack);
    lmb_rig_destroy(rig);
    free(bytes);
}

static void too_little_room_is_not_overrun(void **state) {
    const world *w = *state;
    size_t size, stated;
    free(write_pack(&w->pack, &size));
    for (size_t room = 0; room < size; room += room < 200 ? 1 : 97) {
        uint8_t *bytes = malloc(room + 1);
        assert_non_null(bytes);
        bytes[room] = 0xa5;
        assert_int_equal(lmb_pack_write(&w->pack, NULL, bytes, room, &stated, NULL), LMB_ERROR_LIMIT);
        assert_int_equal(stated, size);
        assert_int_equal(bytes[room], 0xa5);
        free(bytes);
    }
}

// ---- Lengths of lists, in every list of a graph's descriptor and of what it points to.

typedef struct walk {
    const lmb_graph_def *def;
    const lmb_rig *rig;
    uint32_t lists;
} walk;

static void expect_no_graph(walk *w, const char *name, const char *what) {
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    if (lmb_graph_create(w->def, NULL, &graph, &error) == LMB_OK || graph != NULL || error.message[0] == '\0') {
        fail_msg("%s: %s is not refused", name, what);
    }
    assert_int_not_equal(lmb_graph_check(w->def, NULL), LMB_OK);
    w->lists++;
}

static size_t length_of(const walk *w, const lmb_field *field, const uint8_t *element) {
    uint32_t length = 0;
    switch (field->length) {
    case LMB_LENGTH_ONE:
        return 1;
    case LMB_LENGTH_JOINTS:
        return lmb_rig_get_def(w->rig)->joint_count;
    case LMB_LENGTH_CHANNELS:
        return lmb_rig_get_def(w->rig)->channel_count;
    case LMB_LENGTH_BYTES:
        return lmb_rig_get_def(w->rig)->joint_count + lmb_rig_get_def(w->rig)->channel_count;
    case LMB_LENGTH_POSE:
        memcpy(&length, element + field->length_offset, sizeof length);
        return length == lmb_rig_get_def(w->rig)->joint_count ? lmb_rig_get_def(w->rig)->channel_count : 0;
    default:
        memcpy(&length, element + field->length_offset, sizeof length);
        return length;
    }
}

static void try_lengths(walk *w, const lmb_field *field, uint8_t *element, uint32_t length) {
    static const uint32_t lengths[] = {70000, UINT32_MAX / 2, UINT32_MAX}; // above all limits
    uint8_t *at = element + field->length_offset, *pointer = element + field->offset;
    void *list;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        memcpy(at, &lengths[i], sizeof lengths[i]);
        expect_no_graph(w, field->name, "a count above all limits");
    }
    memcpy(at, &length, sizeof length);
    if (field->length == LMB_LENGTH_STATED) {
        memcpy(&list, pointer, sizeof list);
        memset(pointer, 0, sizeof list);
        expect_no_graph(w, field->name, "NULL with a count");
        memcpy(pointer, &list, sizeof list);
    }
}

static void walk_fields(walk *w, const lmb_fields *fields, uint8_t *element);

// Replaces a list by a copy that ends at memory which cannot be read, while its lengths and its elements are walked.
static void walk_list(walk *w, const lmb_field *field, uint8_t *element) {
    const size_t size = field->inside != NULL ? field->inside->size : field->size;
    const size_t length = length_of(w, field, element);
    void *list;
    memcpy(&list, element + field->offset, sizeof list);
    if (list == NULL || length == 0) {
        return;
    }
    guarded copy = guarded_copy(list, length * size);
    memcpy(element + field->offset, &copy.bytes, sizeof list);
    if (field->length == LMB_LENGTH_STATED || field->length == LMB_LENGTH_FIELD) {
        try_lengths(w, field, element, (uint32_t)length);
    }
    for (size_t i = 0; field->inside != NULL && i < length; i++) {
        walk_fields(w, field->inside, (uint8_t *)copy.bytes + i * size);
    }
    memcpy(element + field->offset, &list, sizeof list);
    guarded_release(&copy);
}

static void walk_fields(walk *w, const lmb_fields *fields, uint8_t *element) {
    uint32_t first;
    memcpy(&first, element, sizeof first);
    for (uint32_t i = 0; i < fields->count; i++) {
        const lmb_field *field = &fields->rows[i];
        const bool is_read = field->only_of == 0 || field->only_of == first + 1;
        for (uint32_t k = 0; is_read && lmb_field_is_inside(field) && k < field->count; k++) {
            walk_fields(w, field->inside, element + field->offset + k * field->inside->size);
        }
        if (is_read && field->kind == LMB_FIELD_LIST) {
            walk_list(w, field, element);
        }
    }
}

static void lengths_are_checked_before_lists_are_read(void **state) {
    world *w = *state;
    lmb_graph_def def = w->def;
    walk walk = {.def = &def, .rig = w->rig};
    assert_int_equal(lmb_graph_check(&def, NULL), LMB_OK);
    walk_fields(&walk, &lmb_graph_def_fields, (uint8_t *)&def);
    assert_int_equal(lmb_graph_check(&def, NULL), LMB_OK);
    assert_in_range(walk.lists, 100, 1000);
}

// ---- Bad definitions.

static void expect_not_written(const lmb_pack_def *def, const char *message) {
    lmb_error error = {0};
    size_t size;
    assert_int_equal(lmb_pack_write(def, NULL, NULL, 0, &size, &error), LMB_ERROR_ARGUMENT);
    if (strstr(error.message, message) == NULL) {
        fail_msg("'%s' instead of '%s'", error.message, message);
    }
}

static void bad_definitions_are_refused(void **state) {
    world *w = *state;
    lmb_pack_def def = w->pack;
    size_t size;
    expect_not_written(NULL, "the descriptor is NULL");
    assert_int_equal(lmb_pack_write(&def, NULL, NULL, 0, NULL, NULL), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_pack_write(&def, NULL, NULL, 0, &size, NULL), LMB_OK);
    def.rig = NULL;
    expect_not_written(&def, "the rig is NULL");
    def = w->pack;
    def.clips = NULL;
    expect_not_written(&def, "the clips are NULL");
    def.clips = (const lmb_clip *const[]){w->clips[0], NULL};
    expect_not_written(&def, "clip 1: it is NULL");
    def = w->pack;
    def.image_count = 0;
    expect_not_written(&def, "mesh 0: its image is out of range");
    def = w->pack;
    w->vertices[2].weights[0] = 0.5f;
    expect_not_written(&def, "mesh 0: vertex 2 is not valid");
    w->vertices[2].weights[0] = 1.0f;
    w->meshes[1].index_count = 2;
    expect_not_written(&def, "mesh 1: its indices are no triangles");
    def.mesh_count = 1;
    lmb_vertex vertices[3];
    lmb_mesh mesh = w->meshes[0];
    memcpy(vertices, mesh.vertices, sizeof vertices);
    vertices[2].weights[0] = vertices[2].weights[1] = 0.5f;
    mesh.vertices = vertices;
    def.meshes = &mesh;
    expect_not_written(&def, "mesh 0: vertex 2 has more than 1 influences");
    mesh.influence_count = 0;
    expect_not_written(&def, "mesh 0: its number of influences is out of range");
    mesh.influence_count = LMB_MAX_INFLUENCES + 1;
    expect_not_written(&def, "mesh 0: its number of influences is out of range");
    def = w->pack;
    w->meshes[1].index_count = 3;
    w->meshes[1].vertex_count = 2;
    expect_not_written(&def, "mesh 1: index 2 is out of range");
    w->meshes[1].vertices = NULL;
    expect_not_written(&def, "mesh 1: its vertices are NULL");
    fill_meshes(w);
    w->tangents[1][3] = INFINITY;
    expect_not_written(&def, "mesh 0: the tangent of vertex 1 is out of range");
    fill_meshes(w);
    w->colors[2][0] = NAN;
    expect_not_written(&def, "mesh 0: the color of vertex 2 is out of range");
    fill_meshes(w);
    w->targets[1].channel = CHANNELS;
    expect_not_written(&def, "mesh 0: target 1: its channel is out of range");
    fill_meshes(w);
    w->targets[0].deltas = NULL;
    expect_not_written(&def, "mesh 0: target 0: its displacements are NULL");
    fill_meshes(w);
    w->deltas[0].vertex = 2;
    expect_not_written(&def, "mesh 0: target 0: displacement 1 is not valid");
    fill_meshes(w);
    w->deltas[1].vertex = 3;
    expect_not_written(&def, "mesh 0: target 0: displacement 1 is not valid");
    fill_meshes(w);
    w->deltas[0].tangent[2] = NAN;
    expect_not_written(&def, "mesh 0: target 0: displacement 0 is not valid");
    fill_meshes(w);
    w->meshes[0].targets = NULL;
    expect_not_written(&def, "mesh 0: its targets are NULL");
    fill_meshes(w);
    w->images[0].bytes = NULL;
    expect_not_written(&def, "image 0: its bytes are NULL");
    fill_meshes(w);
    w->graphs[1].name = "everything";
    expect_not_written(&def, "two graphs are called 'everything'");
    w->graphs[1].name = "";
    expect_not_written(&def, "graph 1 has no name");
    w->graphs[1] = (lmb_pack_graph){"rest", NULL};
    expect_not_written(&def, "graph 'rest' has no descriptor");
    lmb_rig *other = create_rig();
    lmb_graph_def changed = w->rest_def;
    changed.rig = other;
    w->graphs[1].def = &changed;
    expect_not_written(&def, "graph 'rest' is for another rig");
    lmb_rig_destroy(other);
    changed = w->rest_def;
    changed.node_count = 0;
    expect_not_written(&def, "graph 'rest': ");
    w->graphs[1].def = &w->rest_def;
}

// ---- Bad bytes.

// Opens a copy of exactly this size, so that memory checkers detect reads beyond it. If it opens, its content must be
// usable.
static lmb_result open_copy(const uint8_t *bytes, size_t size, lmb_error *error) {
    uint8_t *copy = malloc(size > 0 ? size : 1);
    lmb_pack *pack = NULL;
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    *error = (lmb_error){0};
    const lmb_result result = lmb_pack_open(copy, size, NULL, &pack, error);
    assert_true((result == LMB_OK) == (pack != NULL));
    assert_true(result == LMB_OK || (error->result == result && strncmp(error->message, "pack: ", 6) == 0));
    for (uint32_t i = 0; pack != NULL && i < lmb_pack_get_def(pack)->graph_count; i++) {
        lmb_graph *graph = NULL;
        assert_int_equal(lmb_graph_create(lmb_pack_get_def(pack)->graphs[i].def, NULL, &graph, error), LMB_OK);
        lmb_graph_destroy(graph);
    }
    if (pack != NULL) {
        size_t again;
        free(write_pack(lmb_pack_get_def(pack), &again));
    }
    lmb_pack_close(pack);
    free(copy);
    return result;
}

static void expect_refused(uint8_t *bytes, size_t size, lmb_result result, const char *message) {
    lmb_error error;
    assert_int_equal(open_copy(bytes, size, &error), result);
    if (strstr(error.message, message) == NULL) {
        fail_msg("'%s' instead of '%s'", error.message, message);
    }
}

static void headers_are_checked(void **state) {
    const world *w = *state;
    size_t size;
    uint8_t *bytes = write_pack(&w->pack, &size);
    lmb_pack *pack = NULL;
    assert_true(lmb_pack_is_pack(bytes, size) && lmb_pack_is_pack(bytes, 8));
    assert_false(lmb_pack_is_pack(bytes, 7) || lmb_pack_is_pack(NULL, 0));
    assert_int_equal(lmb_pack_open(NULL, 0, NULL, &pack, NULL), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_pack_open(bytes, size, NULL, NULL, NULL), LMB_ERROR_ARGUMENT);
    uint8_t *moved = malloc(size + 1);
    assert_non_null(moved);
    memcpy(moved + 1, bytes, size);
    assert_int_equal(lmb_pack_open(moved + 1, size, NULL, &pack, NULL), LMB_ERROR_ARGUMENT);
    free(moved);
    bytes[0] = 'l';
    expect_refused(bytes, size, LMB_ERROR_FORMAT, "it does not begin as a pack does");
    bytes[0] = 'L';
    bytes[PACK_VERSION_AT] = 2;
    expect_refused(bytes, size, LMB_ERROR_UNSUPPORTED, "version 2");
    bytes[PACK_VERSION_AT] = 1;
    bytes[PACK_SIZE_AT]++;
    expect_refused(bytes, size, LMB_ERROR_FORMAT, "its header says");
    bytes[PACK_SIZE_AT]--;
    bytes[size - 1] ^= 1;
    expect_refused(bytes, size, LMB_ERROR_FORMAT, "damaged");
    bytes[size - 1] ^= 1;
    bytes[PACK_CHECKSUM_AT + 7] ^= 0x80;
    expect_refused(bytes, size, LMB_ERROR_FORMAT, "damaged");
    free(bytes);
}

static void packs_cut_anywhere_are_refused(void **state) {
    const world *w = *state;
    size_t size;
    uint8_t *bytes = write_pack(&w->pack, &size);
    uint8_t *cut = malloc(size + 4);
    lmb_error error;
    assert_non_null(cut);
    for (size_t i = 0; i < size; i += i < 512 ? 1 : suite_stride()) {
        assert_int_equal(open_copy(bytes, i, &error), LMB_ERROR_FORMAT);
        memcpy(cut, bytes, i);
        pack_seal(cut, i);
        assert_int_equal(open_copy(cut, i, &error), LMB_ERROR_FORMAT);
    }
    memcpy(cut, bytes, size);
    memset(cut + size, 0, 4);
    pack_seal(cut, size + 4);
    expect_refused(cut, size + 4, LMB_ERROR_FORMAT, "something follows");
    free(cut);
    free(bytes);
}

// Words are replaced by typical invalid values, one at a time, and the header made right.
static void damaged_packs_are_answered(void **state) {
    const world *w = *state;
    static const uint32_t bad[] = {0,          1,          2,          0x7fc00000, 0x7f800000,
                                   0xff800000, 0x80000000, 0x7fffffff, 0xffffffff, 0x00010000};
    size_t size;
    uint8_t *bytes = write_pack(&w->pack, &size);
    uint32_t refused = 0, words = 0;
    const uint32_t stride = suite_stride();
    for (size_t at = PACK_PARTS_AT; at < size; at += 4 * stride) {
        uint32_t own;
        memcpy(&own, bytes + at, 4);
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            lmb_error error;
            memcpy(bytes + at, &bad[i], 4);
            pack_seal(bytes, size);
            refused += open_copy(bytes, size, &error) != LMB_OK;
        }
        memcpy(bytes + at, &own, 4);
        words++;
    }
    assert_true(refused > 4 * words); // of ten changes to a word
    free(bytes);
}

// Finds a word of a pack of one rest node, whose parts are short enough to count.
static void fields_are_checked(void **state) {
    const world *w = *state;
    lmb_pack_def def = w->pack;
    size_t size;
    def.clip_count = def.mesh_count = def.image_count = 0;
    def.graphs = &w->graphs[1];
    def.graph_count = 1;
    uint8_t *bytes = write_pack(&def, &size);
    uint8_t *changed = malloc(size);
    uint32_t count, big = 0xffffffff;
    assert_non_null(changed);
    // The rig: bits of three lists, the number of joints, bits of the first joint, its name's length.
    memcpy(&count, bytes + PACK_PARTS_AT + 4, 4);
    assert_int_equal(count, JOINTS);
    const struct {
        size_t at;
        uint32_t value;
        lmb_result result;
        const char *message;
    } rows[] = {
        {PACK_PARTS_AT, 8, LMB_ERROR_UNSUPPORTED, "a field that this library does not know"},
        {PACK_PARTS_AT, big, LMB_ERROR_UNSUPPORTED, "a field that this library does not know"},
        {PACK_PARTS_AT + 4, big, LMB_ERROR_FORMAT, "joints: the pack ends inside it"},
        {PACK_PARTS_AT + 4, 0x7fffffff, LMB_ERROR_FORMAT, "joints: the pack ends inside it"},
        {PACK_PARTS_AT + 8, 8, LMB_ERROR_FORMAT, "joints[0].is_normalised: it cannot be stored"},
        {PACK_PARTS_AT + 12, big, LMB_ERROR_FORMAT, "joints[0].name: the pack ends inside it"},
        {PACK_PARTS_AT + 12, 2, LMB_ERROR_FORMAT, "joints[0].name: a zero does not end the text"},
        {PACK_PARTS_AT + 12, 6, LMB_ERROR_FORMAT, "joints[0].name: a zero does not end the text"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(changed, bytes, size);
        memcpy(changed + rows[i].at, &rows[i].value, 4);
        pack_seal(changed, size);
        expect_refused(changed, size, rows[i].result, rows[i].message);
    }
    free(changed);
    free(bytes);
}

// Returns where a pack has these bytes.
static size_t find_bytes(const uint8_t *bytes, size_t size, const void *part, size_t part_size) {
    size_t at = PACK_PARTS_AT;
    while (at + part_size <= size && memcmp(bytes + at, part, part_size) != 0) {
        at += 4;
    }
    assert_true(at + part_size <= size);
    return at;
}

// Tangents, colours and morph targets are checked as those of a descriptor.
static void meshes_are_checked(void **state) {
    const world *w = *state;
    lmb_pack_def def = w->pack;
    size_t size;
    def.mesh_count = 1;
    uint8_t *bytes = write_pack(&def, &size);
    uint8_t *changed = malloc(size);
    assert_non_null(changed);
    const size_t tangents = find_bytes(bytes, size, w->tangents, sizeof w->tangents);
    const size_t colors = find_bytes(bytes, size, w->colors, sizeof w->colors);
    const size_t deltas = find_bytes(bytes, size, w->deltas, sizeof w->deltas);
    // A list of targets: its length, then of each target the bits, the name, the channel, and the displacements.
    const size_t targets = colors + sizeof w->colors;
    assert_int_equal(deltas - targets, 7 * 4);
    const uint32_t big = 0xffffffff, infinite = 0x7f800000;
    const struct {
        size_t at;
        uint32_t value;
        lmb_result result;
        const char *message;
    } rows[] = {
        {tangents + 12, infinite, LMB_ERROR_FORMAT, "mesh 0: the tangent of vertex 0 is out of range"},
        {tangents + 16, big, LMB_ERROR_FORMAT, "mesh 0: the tangent of vertex 1 is out of range"},
        {colors + 44, infinite, LMB_ERROR_FORMAT, "mesh 0: the color of vertex 2 is out of range"},
        {targets, big, LMB_ERROR_FORMAT, "meshes[0].targets: the pack ends inside it"},
        {targets + 4, 8, LMB_ERROR_UNSUPPORTED, "meshes[0].targets[0]: it has a field"},
        {targets + 8, big, LMB_ERROR_FORMAT, "meshes[0].targets[0].name: the pack ends inside it"},
        {targets + 20, CHANNELS, LMB_ERROR_FORMAT, "mesh 0: target 0: its channel is out of range"},
        {targets + 24, big, LMB_ERROR_FORMAT, "meshes[0].targets[0].deltas: the pack ends inside it"},
        {deltas, 2, LMB_ERROR_FORMAT, "mesh 0: target 0: displacement 1 is not valid"},
        {deltas + 40, 3, LMB_ERROR_FORMAT, "mesh 0: target 0: displacement 1 is not valid"},
        {deltas + 4, infinite, LMB_ERROR_FORMAT, "mesh 0: target 0: displacement 0 is not valid"},
        {deltas + 16, big, LMB_ERROR_FORMAT, "mesh 0: target 0: displacement 0 is not valid"},
        {deltas + 76, infinite, LMB_ERROR_FORMAT, "mesh 0: target 0: displacement 1 is not valid"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(changed, bytes, size);
        memcpy(changed + rows[i].at, &rows[i].value, 4);
        pack_seal(changed, size);
        expect_refused(changed, size, rows[i].result, rows[i].message);
    }
    free(changed);
    free(bytes);
}

// A small pack that would take much memory: a node in a pack is two words, in memory thousands of bytes.
static void memory_is_limited(void **state) {
    const world *w = *state;
    lmb_pack_def def = w->pack;
    size_t size;
    const uint32_t more = 1u << 20;
    def.clip_count = def.mesh_count = def.image_count = 0;
    def.graphs = &w->graphs[1];
    def.graph_count = 1;
    uint8_t *bytes = write_pack(&def, &size);
    // The pack ends with the list of nodes: its length, and the bits of the only node, none of which is set.
    uint32_t words[2];
    memcpy(words, bytes + size - 8, 8);
    assert_true(words[0] == 1 && words[1] == 0);
    uint8_t *larger = calloc(size + (size_t)more * 4, 1);
    assert_non_null(larger);
    memcpy(larger, bytes, size);
    memcpy(larger + size - 8, &more, 4);
    pack_seal(larger, size + ((size_t)more - 1) * 4);
    expect_refused(larger, size + ((size_t)more - 1) * 4, LMB_ERROR_LIMIT, "nodes: it would take more memory");
    free(larger);
    free(bytes);
}

typedef struct allocation {
    const lmb_pack_def *def;
    const uint8_t *bytes;
    size_t size;
} allocation;

static lmb_result open_failing(const lmb_host *host, lmb_error *error, void *user) {
    const allocation *a = user;
    lmb_pack *pack = NULL;
    const lmb_result result = lmb_pack_open(a->bytes, a->size, host, &pack, error);
    lmb_pack_close(pack);
    return result;
}

static lmb_result write_failing(const lmb_host *host, lmb_error *error, void *user) {
    const allocation *a = user;
    size_t size;
    return lmb_pack_write(a->def, host, NULL, 0, &size, error);
}

static void every_failed_allocation_is_survived(void **state) {
    const world *w = *state;
    allocation a = {.def = &w->pack};
    uint8_t *bytes = write_pack(&w->pack, &a.size);
    a.bytes = bytes;
    failing_host_try_all(open_failing, &a);
    failing_host_try_all(write_failing, &a);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_field_has_a_row),
        cmocka_unit_test(everything_comes_back),
        cmocka_unit_test(stored_packs_stay_readable),
        cmocka_unit_test(random_graphs_come_back),
        cmocka_unit_test(clips_of_one_content_are_written_once),
        cmocka_unit_test(little_comes_back),
        cmocka_unit_test(too_little_room_is_not_overrun),
        cmocka_unit_test(lengths_are_checked_before_lists_are_read),
        cmocka_unit_test(bad_definitions_are_refused),
        cmocka_unit_test(headers_are_checked),
        cmocka_unit_test(packs_cut_anywhere_are_refused),
        cmocka_unit_test(damaged_packs_are_answered),
        cmocka_unit_test(fields_are_checked),
        cmocka_unit_test(meshes_are_checked),
        cmocka_unit_test(memory_is_limited),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
