// One row for each field of each descriptor, in the order in which fields are stored. Add new rows at the end of a
// table: packs without them stay readable. If the meaning of a row, or a default, changes, so must LMB_PACK_VERSION.
#include "records.h"

_Static_assert(sizeof(lmb_op) == 4 && sizeof(lmb_axis) == 4 && sizeof(lmb_ik_space) == 4 && sizeof(float) == 4,
               "these are words of a pack");

#define AT(type, member) .name = #member, .offset = offsetof(type, member)
#define SIZE(type, member) sizeof(((type *)0)->member)
// Enumerations, numbers, and arrays and structs of them.
#define WORDS(type, member)                                                                                            \
    { AT(type, member), .kind = LMB_RECORD_WORDS, .count = SIZE(type, member) / 4 }
#define BOOL(type, member)                                                                                             \
    { AT(type, member), .kind = LMB_RECORD_BOOLS, .count = 1 }
#define TEXT(type, member)                                                                                             \
    { AT(type, member), .kind = LMB_RECORD_TEXT }
#define INSIDE(type, member, element, table)                                                                           \
    { AT(type, member), .kind = LMB_RECORD_INSIDE, .count = SIZE(type, member) / sizeof(element), .record = &(table) }
#define LEFT_OUT(type, member)                                                                                         \
    { AT(type, member), .kind = LMB_RECORD_LEFT_OUT }
// Lists whose length is in the member `number`: of records, and of plain elements.
#define LIST(type, member, number, table)                                                                              \
    {                                                                                                                  \
        AT(type, member), .kind = LMB_RECORD_LIST, .record = &(table), .length_offset = offsetof(type, number),        \
                          .length_size = SIZE(type, number)                                                            \
    }
#define PLAIN_LIST(type, member, number)                                                                               \
    {                                                                                                                  \
        AT(type, member), .kind = LMB_RECORD_LIST, .size = sizeof(*((type *)0)->member),                               \
                          .length_offset = offsetof(type, number), .length_size = SIZE(type, number)                   \
    }
// Lists of another length.
#define LIST_OF(how, type, member, table)                                                                              \
    { AT(type, member), .kind = LMB_RECORD_LIST, .record = &(table), .length = (how) }
#define PLAIN_LIST_OF(how, type, member)                                                                               \
    { AT(type, member), .kind = LMB_RECORD_LIST, .size = sizeof(*((type *)0)->member), .length = (how) }
// Lists whose length has an earlier row.
#define KNOWN(type, number)                                                                                            \
    .length = LMB_LENGTH_FIELD, .length_offset = offsetof(type, number), .length_size = SIZE(type, number)
#define TABLE(type, function, rows)                                                                                    \
    { .size = sizeof(type), .initialize = (function), .fields = (rows), .field_count = sizeof(rows) / sizeof *(rows) }
// Defines the table of a record that has rows, and the function that stores its default.
#define RECORD(name, type, default_value)                                                                              \
    static void initialize_##name(void *element) {                                                                     \
        *(type *)element = (default_value);                                                                            \
    }                                                                                                                  \
    static const lmb_record name##_table = TABLE(type, initialize_##name, name##_rows)

// ---- Values.

static const lmb_record_field value_rows[] = {
    WORDS(lmb_value, kind),  WORDS(lmb_value, constant), WORDS(lmb_value, parameter),
    WORDS(lmb_value, curve), WORDS(lmb_value, control),
};
RECORD(value, lmb_value, lmb_constant(0.0f));

// ---- The rig. Its joints are in their order, their rotations normalised, and all have an inverse bind matrix.

static void initialize_joint(void *element) {
    lmb_joint_def *joint = element;
    *joint = lmb_default_joint_def();
    joint->is_normalised = joint->has_inverse_bind = true;
}

static const lmb_record_field joint_rows[] = {
    TEXT(lmb_joint_def, name),          WORDS(lmb_joint_def, parent),
    WORDS(lmb_joint_def, rest),         LEFT_OUT(lmb_joint_def, is_normalised),
    WORDS(lmb_joint_def, inverse_bind), LEFT_OUT(lmb_joint_def, has_inverse_bind),
    WORDS(lmb_joint_def, radius),       BOOL(lmb_joint_def, is_extra),
};
static const lmb_record joint_table = TABLE(lmb_joint_def, initialize_joint, joint_rows);

static void initialize_socket(void *element) {
    lmb_socket_def *socket = element;
    *socket = lmb_default_socket_def();
    socket->is_normalised = true;
}

static const lmb_record_field socket_rows[] = {
    TEXT(lmb_socket_def, name),
    WORDS(lmb_socket_def, joint),
    WORDS(lmb_socket_def, local),
    LEFT_OUT(lmb_socket_def, is_normalised),
};
static const lmb_record socket_table = TABLE(lmb_socket_def, initialize_socket, socket_rows);

static const lmb_record_field channel_rows[] = {
    TEXT(lmb_channel_def, name),
    WORDS(lmb_channel_def, rest),
    BOOL(lmb_channel_def, angle),
};
RECORD(channel, lmb_channel_def, lmb_default_channel_def());

static const lmb_record_field rig_rows[] = {
    LIST(lmb_rig_def, joints, joint_count, joint_table),
    LIST(lmb_rig_def, sockets, socket_count, socket_table),
    LIST(lmb_rig_def, channels, channel_count, channel_table),
};
RECORD(rig, lmb_rig_def, lmb_default_rig_def());

// ---- Clips, meshes and images.

static const lmb_record_field block_rows[] = {PLAIN_LIST(lmb_pack_block, words, word_count)};
static const lmb_record block_table = TABLE(lmb_pack_block, NULL, block_rows);

static const lmb_record_field blocks_rows[] = {LIST(lmb_pack_blocks, blocks, count, block_table)};
static const lmb_record blocks_table = TABLE(lmb_pack_blocks, NULL, blocks_rows);

static const lmb_record_field target_rows[] = {
    TEXT(lmb_skin_target, name),
    WORDS(lmb_skin_target, channel),
    PLAIN_LIST(lmb_skin_target, deltas, delta_count),
};
RECORD(target, lmb_skin_target, (lmb_skin_target){.name = ""});
_Static_assert(sizeof(lmb_vertex) == 96 && sizeof(lmb_skin_delta) == 40, "they are stored as they are");

static const lmb_record_field mesh_rows[] = {
    TEXT(lmb_mesh, name),
    PLAIN_LIST(lmb_mesh, vertices, vertex_count),
    PLAIN_LIST(lmb_mesh, indices, index_count),
    WORDS(lmb_mesh, base_color),
    WORDS(lmb_mesh, image),
    BOOL(lmb_mesh, double_sided),
    {AT(lmb_mesh, tangents), .kind = LMB_RECORD_LIST, .size = 4 * sizeof(float), KNOWN(lmb_mesh, vertex_count)},
    {AT(lmb_mesh, colors), .kind = LMB_RECORD_LIST, .size = 4 * sizeof(float), KNOWN(lmb_mesh, vertex_count)},
    LIST(lmb_mesh, targets, target_count, target_table),
    TEXT(lmb_mesh, material),
    WORDS(lmb_mesh, metallic),
    WORDS(lmb_mesh, roughness),
    WORDS(lmb_mesh, normal_scale),
    WORDS(lmb_mesh, metallic_roughness_image),
    WORDS(lmb_mesh, normal_image),
    WORDS(lmb_mesh, influence_count),
};
RECORD(mesh, lmb_mesh, lmb_default_mesh());

static const lmb_record_field meshes_rows[] = {LIST(lmb_pack_meshes, meshes, count, mesh_table)};
static const lmb_record meshes_table = TABLE(lmb_pack_meshes, NULL, meshes_rows);

static const lmb_record_field image_rows[] = {
    TEXT(lmb_image, name),
    PLAIN_LIST(lmb_image, bytes, size),
};
RECORD(image, lmb_image, (lmb_image){.name = ""});

static const lmb_record_field images_rows[] = {LIST(lmb_pack_images, images, count, image_table)};
static const lmb_record images_table = TABLE(lmb_pack_images, NULL, images_rows);

// ---- What advances by itself.

static const lmb_record_field motion_track_rows[] = {
    WORDS(lmb_motion_track, key_count),
    {AT(lmb_motion_track, keys), .kind = LMB_RECORD_LIST, .size = 4 * sizeof(float),
     KNOWN(lmb_motion_track, key_count)},
    {AT(lmb_motion_track, rotations), .kind = LMB_RECORD_LIST, .size = 4 * sizeof(float),
     KNOWN(lmb_motion_track, key_count)},
};
static const lmb_record motion_track_table = TABLE(lmb_motion_track, NULL, motion_track_rows);

static const lmb_record_field warp_rows[] = {
    WORDS(lmb_warp_def, start),
    WORDS(lmb_warp_def, end),
    INSIDE(lmb_warp_def, target, lmb_value, value_table),
    BOOL(lmb_warp_def, warps_height),
    BOOL(lmb_warp_def, turns_to_heading),
    INSIDE(lmb_warp_def, heading, lmb_value, value_table),
    LEFT_OUT(lmb_warp_def, cookie),
};
RECORD(warp, lmb_warp_def, lmb_default_warp_def());

static const lmb_record_field player_rows[] = {
    INSIDE(lmb_player_def, rate, lmb_value, value_table),
    WORDS(lmb_player_def, offset),
    WORDS(lmb_player_def, end),
    WORDS(lmb_player_def, ended_event),
    WORDS(lmb_player_def, looped_event),
    WORDS(lmb_player_def, group),
    PLAIN_LIST(lmb_player_def, markers, marker_count),
    PLAIN_LIST(lmb_player_def, notifies, notify_count),
    WORDS(lmb_player_def, velocity),
    LIST_OF(LMB_LENGTH_ONE, lmb_player_def, motion, motion_track_table),
    LEFT_OUT(lmb_player_def, cookie),
    LIST(lmb_player_def, warps, warp_count, warp_table),
};
RECORD(player, lmb_player_def, lmb_default_player_def());
_Static_assert(sizeof(lmb_notify_def) == 8, "notifies are stored as they are");

static const lmb_record_field group_rows[] = {
    TEXT(lmb_group_def, name),
    WORDS(lmb_group_def, cadence),
    WORDS(lmb_group_def, velocity_parameter),
    LEFT_OUT(lmb_group_def, cookie),
};
RECORD(group, lmb_group_def, lmb_default_group_def());

static const lmb_record_field smoothed_rows[] = {
    INSIDE(lmb_smoothed_def, source, lmb_value, value_table),
    WORDS(lmb_smoothed_def, half_life),
    WORDS(lmb_smoothed_def, parameter),
    LEFT_OUT(lmb_smoothed_def, cookie),
};
RECORD(smoothed, lmb_smoothed_def, lmb_default_smoothed_def());

static const lmb_record_field computed_rows[] = {
    WORDS(lmb_computed_def, kind),
    INSIDE(lmb_computed_def, inputs, lmb_value, value_table),
    WORDS(lmb_computed_def, parameter),
    LEFT_OUT(lmb_computed_def, cookie),
};
RECORD(computed, lmb_computed_def, lmb_default_computed_def());

static const lmb_record_field term_rows[] = {
    WORDS(lmb_term, kind),
    INSIDE(lmb_term, left, lmb_value, value_table),
    INSIDE(lmb_term, right, lmb_value, value_table),
    WORDS(lmb_term, operand),
    WORDS(lmb_term, player_node),
};
RECORD(term, lmb_term, lmb_default_term());

static const lmb_record_field transition_rows[] = {
    WORDS(lmb_transition_def, from),          WORDS(lmb_transition_def, to),
    WORDS(lmb_transition_def, event),         BOOL(lmb_transition_def, at_end),
    WORDS(lmb_transition_def, after),         LIST(lmb_transition_def, terms, term_count, term_table),
    WORDS(lmb_transition_def, priority),      WORDS(lmb_transition_def, fade),
    WORDS(lmb_transition_def, curve),         WORDS(lmb_transition_def, kind),
    WORDS(lmb_transition_def, profile),       LEFT_OUT(lmb_transition_def, cookie),
    WORDS(lmb_transition_def, curve_control), BOOL(lmb_transition_def, to_self),
};
RECORD(transition, lmb_transition_def, lmb_default_transition_def());

static const lmb_record_field state_rows[] = {
    TEXT(lmb_state_def, name),    WORDS(lmb_state_def, entry_event), WORDS(lmb_state_def, exit_event),
    BOOL(lmb_state_def, restart), LEFT_OUT(lmb_state_def, cookie),
};
RECORD(state, lmb_state_def, lmb_default_state_def());

static const lmb_record_field machine_rows[] = {
    TEXT(lmb_machine_def, name),
    LIST(lmb_machine_def, states, state_count, state_table),
    LIST(lmb_machine_def, transitions, transition_count, transition_table),
};
RECORD(machine, lmb_machine_def, lmb_default_machine_def());

static const lmb_record_field fade_rows[] = {
    TEXT(lmb_fade_def, name),       WORDS(lmb_fade_def, parameter),     WORDS(lmb_fade_def, pose),
    WORDS(lmb_fade_def, in_event),  WORDS(lmb_fade_def, out_event),     BOOL(lmb_fade_def, at_end),
    WORDS(lmb_fade_def, after),     WORDS(lmb_fade_def, in_seconds),    WORDS(lmb_fade_def, out_seconds),
    WORDS(lmb_fade_def, curve),     BOOL(lmb_fade_def, restart),        BOOL(lmb_fade_def, begins_in),
    LEFT_OUT(lmb_fade_def, cookie), WORDS(lmb_fade_def, curve_control),
};
RECORD(fade, lmb_fade_def, lmb_default_fade_def());

static const lmb_record_field motion_rows[] = {
    INSIDE(lmb_motion_def, velocity, lmb_value, value_table),
    BOOL(lmb_motion_def, turns_to_heading),
    INSIDE(lmb_motion_def, heading, lmb_value, value_table),
    WORDS(lmb_motion_def, acceleration),
    WORDS(lmb_motion_def, deceleration),
    WORDS(lmb_motion_def, turn_rate),
    WORDS(lmb_motion_def, velocity_parameters),
    LEFT_OUT(lmb_motion_def, cookie),
    BOOL(lmb_motion_def, full_rotation),
};
RECORD(motion, lmb_motion_def, lmb_default_motion_def());

// ---- Nodes.

static const lmb_record_field point_slot_rows[] = {
    BOOL(lmb_point_slot, in_buffer),
    WORDS(lmb_point_slot, index),
};
static const lmb_record point_slot_table = TABLE(lmb_point_slot, NULL, point_slot_rows);

static const lmb_record_field two_bone_rows[] = {
    WORDS(lmb_two_bone_def, start),
    WORDS(lmb_two_bone_def, mid),
    WORDS(lmb_two_bone_def, end),
    INSIDE(lmb_two_bone_def, target, lmb_value, value_table),
    INSIDE(lmb_two_bone_def, pole, lmb_value, value_table),
    WORDS(lmb_two_bone_def, mid_axis),
    WORDS(lmb_two_bone_def, soften),
    INSIDE(lmb_two_bone_def, twist, lmb_value, value_table),
    INSIDE(lmb_two_bone_def, target_slot, lmb_point_slot, point_slot_table),
    INSIDE(lmb_two_bone_def, pole_slot, lmb_point_slot, point_slot_table),
    WORDS(lmb_two_bone_def, space),
};

RECORD(two_bone, lmb_two_bone_def, lmb_default_node_def().two_bone);

static const lmb_record_field aim_rows[] = {
    WORDS(lmb_aim_def, joints),
    WORDS(lmb_aim_def, shares),
    WORDS(lmb_aim_def, joint_count),
    INSIDE(lmb_aim_def, target, lmb_value, value_table),
    INSIDE(lmb_aim_def, pole, lmb_value, value_table),
    WORDS(lmb_aim_def, forward),
    WORDS(lmb_aim_def, up),
    WORDS(lmb_aim_def, offset),
    WORDS(lmb_aim_def, limit),
    INSIDE(lmb_aim_def, target_slot, lmb_point_slot, point_slot_table),
    INSIDE(lmb_aim_def, pole_slot, lmb_point_slot, point_slot_table),
    WORDS(lmb_aim_def, space),
};

RECORD(aim, lmb_aim_def, lmb_default_node_def().aim);

static const lmb_record_field foot_rows[] = {
    WORDS(lmb_foot_def, hip),
    WORDS(lmb_foot_def, knee),
    WORDS(lmb_foot_def, ankle),
    WORDS(lmb_foot_def, knee_axis),
    INSIDE(lmb_foot_def, ground, lmb_value, value_table),
    INSIDE(lmb_foot_def, normal, lmb_value, value_table),
    INSIDE(lmb_foot_def, ground_slot, lmb_point_slot, point_slot_table),
    INSIDE(lmb_foot_def, normal_slot, lmb_point_slot, point_slot_table),
    INSIDE(lmb_foot_def, planted, lmb_value, value_table),
    WORDS(lmb_foot_def, planted_from),
    WORDS(lmb_foot_def, planted_to),
};
RECORD(foot, lmb_foot_def, lmb_default_foot_def());

static const lmb_record_field feet_rows[] = {
    INSIDE(lmb_feet_def, feet, lmb_foot_def, foot_table),
    WORDS(lmb_feet_def, foot_count),
    WORDS(lmb_feet_def, pelvis),
    WORDS(lmb_feet_def, up),
    WORDS(lmb_feet_def, max_lowering),
    WORDS(lmb_feet_def, max_angle),
    WORDS(lmb_feet_def, soften),
    WORDS(lmb_feet_def, space),
    INSIDE(lmb_feet_def, speed, lmb_value, value_table),
    INSIDE(lmb_feet_def, clip_speed, lmb_value, value_table),
    INSIDE(lmb_feet_def, direction, lmb_value, value_table),
    INSIDE(lmb_feet_def, direction_slot, lmb_point_slot, point_slot_table),
    INSIDE(lmb_feet_def, time, lmb_value, value_table),
    WORDS(lmb_feet_def, lock_distance),
    WORDS(lmb_feet_def, release_half_life),
    WORDS(lmb_feet_def, ground_half_life),
    WORDS(lmb_feet_def, pelvis_half_life),
    WORDS(lmb_feet_def, teleport),
};
RECORD(feet, lmb_feet_def, lmb_default_node_def().feet);

static const lmb_record_field twist_rows[] = {
    WORDS(lmb_twist_def, source), WORDS(lmb_twist_def, axis),        WORDS(lmb_twist_def, joints),
    WORDS(lmb_twist_def, shares), WORDS(lmb_twist_def, joint_count),
};

RECORD(twist, lmb_twist_def, lmb_default_node_def().twist);

static const lmb_record_field chain_rows[] = {
    WORDS(lmb_chain_def, start),
    WORDS(lmb_chain_def, end),
    INSIDE(lmb_chain_def, time, lmb_value, value_table),
    INSIDE(lmb_chain_def, velocity, lmb_value, value_table),
    WORDS(lmb_chain_def, gravity),
    WORDS(lmb_chain_def, stiffness),
    WORDS(lmb_chain_def, damping),
    WORDS(lmb_chain_def, teleport),
};

RECORD(chain, lmb_chain_def, lmb_default_node_def().chain);

static const lmb_record_field node_rows[] = {
    WORDS(lmb_node_def, op),
    WORDS(lmb_node_def, inputs),
    WORDS(lmb_node_def, input_count),
    INSIDE(lmb_node_def, weight, lmb_value, value_table),
    INSIDE(lmb_node_def, weights, lmb_value, value_table),
    WORDS(lmb_node_def, priorities),
    WORDS(lmb_node_def, masks),
    WORDS(lmb_node_def, joint_maps),
    INSIDE(lmb_node_def, clip, lmb_value, value_table),
    INSIDE(lmb_node_def, time, lmb_value, value_table),
    INSIDE(lmb_node_def, rate, lmb_value, value_table),
    INSIDE(lmb_node_def, offset, lmb_value, value_table),
    BOOL(lmb_node_def, loop),
    WORDS(lmb_node_def, mask),
    WORDS(lmb_node_def, joint_weights),
    WORDS(lmb_node_def, pose),
    WORDS(lmb_node_def, static_pose),
    WORDS(lmb_node_def, mirror),
    WORDS(lmb_node_def, joint_limits),
    WORDS(lmb_node_def, interpolation),
    BOOL(lmb_node_def, shortest),
    WORDS(lmb_node_def, form),
    WORDS(lmb_node_def, space),
    BOOL(lmb_node_def, unclamped),
    INSIDE(lmb_node_def, coordinates, lmb_value, value_table),
    WORDS(lmb_node_def, space2d),
    INSIDE(lmb_node_def, two_bone, lmb_two_bone_def, two_bone_table),
    INSIDE(lmb_node_def, aim, lmb_aim_def, aim_table),
    {AT(lmb_node_def, player), .kind = LMB_RECORD_LIST, .record = &player_table, .length = LMB_LENGTH_ONE,
     .only_of = LMB_OP_CLIP + 1},
    {AT(lmb_node_def, machine), .kind = LMB_RECORD_LIST, .record = &machine_table, .length = LMB_LENGTH_ONE,
     .only_of = LMB_OP_MACHINE + 1},
    WORDS(lmb_node_def, positions),
    LEFT_OUT(lmb_node_def, cookie),
    INSIDE(lmb_node_def, feet, lmb_feet_def, feet_table),
    INSIDE(lmb_node_def, twist, lmb_twist_def, twist_table),
    INSIDE(lmb_node_def, chain, lmb_chain_def, chain_table),
    WORDS(lmb_node_def, retarget),
    WORDS(lmb_node_def, goal),
};
RECORD(node, lmb_node_def, lmb_default_node_def());
_Static_assert(offsetof(lmb_node_def, op) == 0, "lmb_record_field.only_of refers to it");
_Static_assert(sizeof(lmb_node_def) <= LMB_RECORD_LARGEST, "a node is too large for a default");

// ---- Tables of a graph. Those that a graph has as a list of pointers are structs of one pointer here.

typedef struct pointer {
    const void *to;
} pointer;

static const lmb_record_field clip_rows[] = {{.name = "clip", .kind = LMB_RECORD_CLIP}};
static const lmb_record clip_table = TABLE(pointer, NULL, clip_rows);

static const lmb_record_field mask_rows[] = {
    {.name = "mask", .kind = LMB_RECORD_LIST, .size = 1, .length = LMB_LENGTH_BYTES}};
static const lmb_record mask_table = TABLE(pointer, NULL, mask_rows);

static const lmb_record_field name_rows[] = {{.name = "name", .kind = LMB_RECORD_TEXT}};
static const lmb_record name_table = TABLE(pointer, NULL, name_rows);

static const lmb_record_field joint_limit_rows[] = {
    WORDS(lmb_joint_limit_def, set),
    WORDS(lmb_joint_limit_def, translation_min),
    WORDS(lmb_joint_limit_def, translation_max),
    WORDS(lmb_joint_limit_def, scale_min),
    WORDS(lmb_joint_limit_def, scale_max),
    WORDS(lmb_joint_limit_def, twist_axis),
    WORDS(lmb_joint_limit_def, twist_min),
    WORDS(lmb_joint_limit_def, twist_max),
    WORDS(lmb_joint_limit_def, swing),
    WORDS(lmb_joint_limit_def, angle_min),
    WORDS(lmb_joint_limit_def, angle_max),
};
RECORD(joint_limit, lmb_joint_limit_def, lmb_default_joint_limit_def());

static const lmb_record_field joint_limits_rows[] = {
    {.name = "limits", .kind = LMB_RECORD_LIST, .record = &joint_limit_table, .length = LMB_LENGTH_JOINTS}};
static const lmb_record joint_limits_table = TABLE(pointer, NULL, joint_limits_rows);

static const lmb_record_field ranges_rows[] = {
    {.name = "ranges", .kind = LMB_RECORD_LIST, .size = sizeof(lmb_channel_range), .length = LMB_LENGTH_CHANNELS}};
static const lmb_record ranges_table = TABLE(pointer, NULL, ranges_rows);
_Static_assert(sizeof(lmb_channel_range) == 8, "ranges are stored as they are");

static const lmb_record_field mirror_rows[] = {
    WORDS(lmb_mirror_def, axis),
    PLAIN_LIST_OF(LMB_LENGTH_JOINTS, lmb_mirror_def, partners),
    PLAIN_LIST_OF(LMB_LENGTH_CHANNELS, lmb_mirror_def, channel_partners),
    PLAIN_LIST_OF(LMB_LENGTH_CHANNELS, lmb_mirror_def, channel_signs),
};
RECORD(mirror, lmb_mirror_def, lmb_default_mirror_def());

static const lmb_record_field joint_map_rows[] = {
    PLAIN_LIST_OF(LMB_LENGTH_JOINTS, lmb_joint_map_def, joints),
    WORDS(lmb_joint_map_def, joint_count),
};
RECORD(joint_map, lmb_joint_map_def, lmb_default_joint_map_def());

static const lmb_record_field retarget_rows[] = {
    WORDS(lmb_retarget_def, source_joint_count),
    {AT(lmb_retarget_def, source_parents), .kind = LMB_RECORD_LIST, .size = sizeof(uint32_t),
     KNOWN(lmb_retarget_def, source_joint_count)},
    {AT(lmb_retarget_def, source_rest), .kind = LMB_RECORD_LIST, .size = sizeof(lmb_transform),
     KNOWN(lmb_retarget_def, source_joint_count)},
    PLAIN_LIST_OF(LMB_LENGTH_JOINTS, lmb_retarget_def, joints),
    {AT(lmb_retarget_def, source_pose), .kind = LMB_RECORD_LIST, .size = sizeof(lmb_transform),
     KNOWN(lmb_retarget_def, source_joint_count)},
    PLAIN_LIST_OF(LMB_LENGTH_JOINTS, lmb_retarget_def, target_pose),
    PLAIN_LIST_OF(LMB_LENGTH_JOINTS, lmb_retarget_def, aligned),
    PLAIN_LIST_OF(LMB_LENGTH_JOINTS, lmb_retarget_def, scales),
    WORDS(lmb_retarget_def, turn),
    WORDS(lmb_retarget_def, align_above),
    WORDS(lmb_retarget_def, root_scale),
    WORDS(lmb_retarget_def, foot),
    LEFT_OUT(lmb_retarget_def, cookie),
};
RECORD(retarget, lmb_retarget_def, lmb_default_retarget_def());

static const lmb_record_field static_pose_rows[] = {
    TEXT(lmb_static_pose_def, name),
    WORDS(lmb_static_pose_def, joint_count),
    {AT(lmb_static_pose_def, joints), .kind = LMB_RECORD_LIST, .size = sizeof(lmb_transform),
     KNOWN(lmb_static_pose_def, joint_count)},
    {AT(lmb_static_pose_def, channels), .kind = LMB_RECORD_LIST, .size = sizeof(float), .length = LMB_LENGTH_POSE,
     .length_offset = offsetof(lmb_static_pose_def, joint_count), .length_size = sizeof(uint32_t)},
};
RECORD(static_pose, lmb_static_pose_def, lmb_default_static_pose_def());

static const lmb_record_field parameter_rows[] = {
    TEXT(lmb_parameter_def, name),
    WORDS(lmb_parameter_def, initial),
    WORDS(lmb_parameter_def, min),
    WORDS(lmb_parameter_def, max),
};
RECORD(parameter, lmb_parameter_def, lmb_default_parameter_def());

static const lmb_record_field clip_slot_rows[] = {
    WORDS(lmb_clip_slot_def, clip),     TEXT(lmb_clip_slot_def, name),         WORDS(lmb_clip_slot_def, bytes),
    WORDS(lmb_clip_slot_def, duration), WORDS(lmb_clip_slot_def, joint_count), BOOL(lmb_clip_slot_def, additive),
    WORDS(lmb_clip_slot_def, kinds),    LEFT_OUT(lmb_clip_slot_def, cookie),
};
RECORD(clip_slot, lmb_clip_slot_def, lmb_default_clip_slot_def());

// ---- Graphs.

static const lmb_record_field graph_rows[] = {
    LEFT_OUT(lmb_graph_def, rig), // that of the pack
    LIST(lmb_graph_def, clips, clip_count, clip_table),
    LIST(lmb_graph_def, masks, mask_count, mask_table),
    LIST(lmb_graph_def, nodes, node_count, node_table),
    WORDS(lmb_graph_def, parameter_count),
    LIST(lmb_graph_def, mirrors, mirror_count, mirror_table),
    LIST(lmb_graph_def, joint_limits, joint_limits_count, joint_limits_table),
    LIST(lmb_graph_def, joint_maps, joint_map_count, joint_map_table),
    LIST(lmb_graph_def, static_poses, static_pose_count, static_pose_table),
    {AT(lmb_graph_def, channel_ranges), .kind = LMB_RECORD_LIST, .record = &ranges_table,
     KNOWN(lmb_graph_def, joint_limits_count)},
    PLAIN_LIST_OF(LMB_LENGTH_JOINTS, lmb_graph_def, max_lods),
    INSIDE(lmb_graph_def, lod, lmb_value, value_table),
    BOOL(lmb_graph_def, inertialize),
    WORDS(lmb_graph_def, inertia_parameters),
    {AT(lmb_graph_def, parameters), .kind = LMB_RECORD_LIST, .record = &parameter_table,
     KNOWN(lmb_graph_def, parameter_count)},
    WORDS(lmb_graph_def, event_count),
    {AT(lmb_graph_def, event_names), .kind = LMB_RECORD_LIST, .record = &name_table, KNOWN(lmb_graph_def, event_count)},
    LIST(lmb_graph_def, smoothed, smoothed_count, smoothed_table),
    LIST(lmb_graph_def, computed, computed_count, computed_table),
    LIST(lmb_graph_def, groups, group_count, group_table),
    LIST(lmb_graph_def, fades, fade_count, fade_table),
    LIST_OF(LMB_LENGTH_ONE, lmb_graph_def, motion, motion_table),
    WORDS(lmb_graph_def, max_emitted_events),
    LIST_OF(LMB_LENGTH_ONE, lmb_graph_def, update_every, value_table),
    BOOL(lmb_graph_def, interpolate_updates),
    LIST(lmb_graph_def, retargets, retarget_count, retarget_table),
    LIST(lmb_graph_def, clip_slots, clip_slot_count, clip_slot_table),
};
RECORD(graph, lmb_graph_def, lmb_default_graph_def());
_Static_assert(sizeof(lmb_graph_def) <= LMB_RECORD_LARGEST, "a graph is too large for a default");

static const lmb_record_field named_graph_rows[] = {
    TEXT(lmb_pack_graph, name),
    LIST_OF(LMB_LENGTH_ONE, lmb_pack_graph, def, graph_table),
};
static const lmb_record named_graph_table = TABLE(lmb_pack_graph, NULL, named_graph_rows);

static const lmb_record_field graphs_rows[] = {LIST(lmb_pack_graphs, graphs, count, named_graph_table)};
static const lmb_record graphs_table = TABLE(lmb_pack_graphs, NULL, graphs_rows);

const lmb_record *const lmb_pack_parts[LMB_PACK_PART_COUNT] = {
    [LMB_PACK_RIG] = &rig_table,       [LMB_PACK_CLIPS] = &blocks_table,  [LMB_PACK_MESHES] = &meshes_table,
    [LMB_PACK_IMAGES] = &images_table, [LMB_PACK_GRAPHS] = &graphs_table,
};
