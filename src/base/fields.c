// The fields of all descriptors that a pack can store, and the defaults of these descriptors. Rows are in the order in
// which they are stored: add new ones at the end of a table, so that packs without them stay readable. If the meaning
// of a row or a default changes, so must LMB_PACK_VERSION.
#include "fields.h"

#include "field_rows.h"

#include <limber/joint_limits.h>
#include <limber/mesh.h>
#include <limber/mirror.h>
#include <limber/motion_database.h>
#include <limber/retarget.h>
#include <limber/rig.h>

#include <math.h>

_Static_assert(sizeof(lmb_op) == 4 && sizeof(lmb_axis) == 4 && sizeof(lmb_ik_space) == 4 && sizeof(float) == 4,
               "these are words of a pack");

#define ANY LMB_LARGEST
#define SECONDS(member, first) NUMBER(member, 0.0f, LMB_MAX_CONTROL_SECONDS, first)
// Below 0 it does not count.
#define AFTER(member) NUMBER(member, -INFINITY, LMB_MAX_CONTROL_SECONDS, -1.0f)

#define DEF lmb_value
static const lmb_field value_rows[] = {
    WORDS(kind), WORDS(constant), WORDS(parameter), WORDS(curve), FLOATS(control, 0.0f, 1.0f),
};
TABLE(value);
#undef DEF

#define CURVE_LIMIT 0x1p20f

#define DEF lmb_curve_key
static const lmb_field curve_key_rows[] = {
    NUMBER(x, -CURVE_LIMIT, CURVE_LIMIT, 0.0f),
    NUMBER(y, -CURVE_LIMIT, CURVE_LIMIT, 0.0f),
    PAIR(in, -CURVE_LIMIT, CURVE_LIMIT),
    PAIR(out, -CURVE_LIMIT, CURVE_LIMIT),
    BOOL(stepped),
};
TABLE(curve_key);
#undef DEF

#define DEF lmb_curve_def
static const lmb_field curve_rows[] = {LIST(keys, key_count, curve_key)};
TABLE(curve);
#undef DEF

// ---- The rig. In a pack its joints are in their order, their rotations normalised, and all have an inverse bind
// matrix.

#define DEF lmb_joint_def
static const lmb_field joint_rows[] = {
    TEXT(name),
    NONE(parent),
    FLOATS(rest, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 1.0f, 1.0f, 1.0f),
    TRUE_IN_PACKS(is_normalised),
    FLOATS(inverse_bind, 1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f),
    TRUE_IN_PACKS(has_inverse_bind),
    WORDS(radius),
    BOOL(is_extra),
};
TABLE(joint);
#undef DEF

#define DEF lmb_socket_def
static const lmb_field socket_rows[] = {
    TEXT(name),
    WORDS(joint),
    FLOATS(local, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 1.0f, 1.0f, 1.0f),
    TRUE_IN_PACKS(is_normalised),
};
TABLE(socket);
#undef DEF

#define DEF lmb_channel_def
static const lmb_field channel_rows[] = {TEXT(name), WORDS(rest), BOOL(angle)};
TABLE(channel);
#undef DEF

#define DEF lmb_rig_def
static const lmb_field rig_rows[] = {
    LIST(joints, joint_count, joint),
    LIST(sockets, socket_count, socket),
    LIST(channels, channel_count, channel),
};
TABLE(rig);
#undef DEF

#define DEF lmb_mirror_def
static const lmb_field mirror_rows[] = {
    WORDS_FROM(axis, LMB_AXIS_X),
    PLAIN_LIST_OF(LMB_LENGTH_JOINTS, partners),
    PLAIN_LIST_OF(LMB_LENGTH_CHANNELS, channel_partners),
    PLAIN_LIST_OF(LMB_LENGTH_CHANNELS, channel_signs),
};
TABLE(mirror);
#undef DEF

#define DEF lmb_joint_limit_def
static const lmb_field joint_limit_rows[] = {
    WORDS(set),
    WORDS(translation_min),
    WORDS(translation_max),
    FLOATS(scale_min, 1.0f),
    FLOATS(scale_max, 1.0f),
    WORDS_FROM(twist_axis, LMB_AXIS_Y),
    WORDS(twist_min),
    WORDS(twist_max),
    WORDS(swing),
    WORDS(angle_min),
    WORDS(angle_max),
};
TABLE(joint_limit);
#undef DEF

#define DEF lmb_retarget_def
static const lmb_field retarget_rows[] = {
    WORDS(source_joint_count),
    KNOWN_PLAIN_LIST(source_parents, sizeof(uint32_t), source_joint_count),
    KNOWN_PLAIN_LIST(source_rest, sizeof(lmb_transform), source_joint_count),
    PLAIN_LIST_OF(LMB_LENGTH_JOINTS, joints),
    KNOWN_PLAIN_LIST(source_pose, sizeof(lmb_transform), source_joint_count),
    PLAIN_LIST_OF(LMB_LENGTH_JOINTS, target_pose),
    PLAIN_LIST_OF(LMB_LENGTH_JOINTS, aligned),
    PLAIN_LIST_OF(LMB_LENGTH_JOINTS, scales),
    FLOATS(turn, 0.0f, 0.0f, 0.0f, 1.0f),
    NUMBER(align_above, 0.0f, INFINITY, 0.26f),
    NUMBER(root_scale, 0.0f, 0x1p20f, 0.0f),
    NONE(foot),
    COOKIE(),
};
TABLE(retarget);
#undef DEF

// ---- Meshes.

#define DEF lmb_skin_target
static const lmb_field target_rows[] = {EMPTY_TEXT(name), WORDS(channel), PLAIN_LIST(deltas, delta_count)};
TABLE(target);
#undef DEF
_Static_assert(sizeof(lmb_vertex) == 96 && sizeof(lmb_skin_delta) == 40, "they are stored as they are");

#define DEF lmb_mesh
static const lmb_field mesh_rows[] = {
    EMPTY_TEXT(name),
    PLAIN_LIST(vertices, vertex_count),
    PLAIN_LIST(indices, index_count),
    FLOATS(base_color, 1.0f),
    NONE(image),
    BOOL(double_sided),
    KNOWN_PLAIN_LIST(tangents, 4 * sizeof(float), vertex_count),
    KNOWN_PLAIN_LIST(colors, 4 * sizeof(float), vertex_count),
    LIST(targets, target_count, target),
    EMPTY_TEXT(material),
    WORDS(metallic),
    FLOATS(roughness, 1.0f),
    FLOATS(normal_scale, 1.0f),
    NONE(metallic_roughness_image),
    NONE(normal_image),
    WORDS_FROM(influence_count, LMB_MAX_INFLUENCES),
};
TABLE(mesh);
#undef DEF

// ---- What advances by itself.

#define DEF lmb_motion_track
static const lmb_field motion_track_rows[] = {
    WORDS(key_count),
    KNOWN_PLAIN_LIST(keys, 4 * sizeof(float), key_count),
    KNOWN_PLAIN_LIST(rotations, 4 * sizeof(float), key_count),
};
TABLE(motion_track);
#undef DEF

#define DEF lmb_warp_def
static const lmb_field warp_rows[] = {
    WORDS(start),          WORDS(end), VALUES(target, 0.0f), INITIALLY_TRUE(warps_height), BOOL(turns_to_heading),
    VALUES(heading, 0.0f), COOKIE(),
};
TABLE(warp);
#undef DEF

#define DEF lmb_notify_def
static const lmb_field notify_rows[] = {WORDS(time), NONE(event)};
TABLE(notify);
#undef DEF
_Static_assert(sizeof(lmb_notify_def) == 8, "notifies are stored as they are");

#define DEF lmb_player_def
static const lmb_field player_rows[] = {
    VALUES(rate, 1.0f),
    WORDS(offset),
    CHOICE(end, LMB_END_COUNT),
    EVENT(ended_event),
    EVENT(looped_event),
    NONE(group),
    PLAIN_LIST(markers, marker_count),
    PLAIN_LIST(notifies, notify_count),
    NUMBER(velocity, -ANY, ANY, 0.0f),
    LIST_OF(LMB_LENGTH_ONE, motion, motion_track),
    COOKIE(),
    LIST(warps, warp_count, warp),
    WORDS(repetitions),
    BOOL(drops_out),
    SECONDS(delay, 0.0f),
    NONE(sync_node),
    BOOL(random_offset),
};
TABLE(player);
#undef DEF

#define DEF lmb_group_def
static const lmb_field group_rows[] = {TEXT(name), CHOICE(cadence, LMB_CADENCE_COUNT), NONE(velocity_parameter),
                                       COOKIE()};
TABLE(group);
#undef DEF

#define DEF lmb_smoothed_def
static const lmb_field smoothed_rows[] = {
    VALUES(source, 0.0f), SECONDS(half_life, 0.0f), NONE(parameter), COOKIE(), NUMBER(speed, 0.0f, 1048576.0f, 0.0f),
};
TABLE(smoothed);
#undef DEF

#define DEF lmb_computed_def
static const lmb_field computed_rows[] = {WORDS(kind), VALUES(inputs, 0.0f), NONE(parameter), COOKIE()};
TABLE(computed);
#undef DEF

#define DEF lmb_term
static const lmb_field term_rows[] = {
    WORDS(kind),       VALUES(left, 0.0f), VALUES(right, 0.0f), WORDS(operand),
    NONE(player_node), NONE(machine_node), EVENT(event),
};
TABLE(term);
#undef DEF

#define DEF lmb_transition_def
static const lmb_field transition_rows[] = {
    NONE(from),
    WORDS(to),
    EVENT(event),
    BOOL(at_end),
    AFTER(after),
    LIST(terms, term_count, term),
    WORDS(priority),
    SECONDS(fade, 0.2f),
    WORDS_FROM(curve, LMB_CURVE_SMOOTHSTEP),
    CHOICE(kind, LMB_FADE_COUNT),
    NONE(profile),
    COOKIE(),
    FLOATS(curve_control, 0.0f, 1.0f),
    BOOL(to_self),
    WORDS_FROM(travel_cost, 1),
    CHOICE(start, LMB_START_COUNT),
    NUMBER(start_phase, 0.0f, 1.0f, 0.0f),
};
TABLE(transition);
#undef DEF

#define DEF lmb_state_def
static const lmb_field state_rows[] = {TEXT(name),    EVENT(entry_event), EVENT(exit_event),
                                       BOOL(restart), COOKIE(),           EVENT(travel_event)};
TABLE(state);
#undef DEF

#define DEF lmb_tag_rule_def
static const lmb_field tag_rule_rows[] = {WORDS(tags), VALUES(when, 0.0f)};
TABLE(tag_rule);
#undef DEF

#define DEF lmb_matching_def
static const lmb_field matching_rows[] = {
    PLAIN_LIST(database, database_words),
    VALUES(velocity, 0.0f),
    BOOL(follows_path),
    VALUES(path, 0.0f),
    BOOL(faces_heading),
    VALUES(heading, 0.0f),
    NUMBER(half_life, 0.0f, 10.0f, 0.27f),
    NUMBER(interval, 1.0f / 120.0f, 10.0f, 0.1f),
    NUMBER(velocity_change, 0.0f, 1000.0f, 0.5f),
    NUMBER(heading_change, 0.0f, 3.14f, 0.5f),
    NUMBER(window, 0.0f, LMB_MAX_MOTION_SECONDS, 0.2f),
    NUMBER(recent, 0.0f, 5.0f, 1.0f),
    NUMBER(bonus, 0.0f, 1000.0f, 1.0f),
    SECONDS(fade, 0.25f),
    LIST(rules, rule_count, tag_rule),
    COOKIE(),
    NONE(mirrored),
};
TABLE(matching);
#undef DEF

#define DEF lmb_machine_def
static const lmb_field machine_rows[] = {
    TEXT(name),
    LIST(states, state_count, state),
    LIST(transitions, transition_count, transition),
    LIST_OF(LMB_LENGTH_ONE, matching, matching),
};
TABLE(machine);
#undef DEF

// A fade has the defaults of a transition.
#define DEF lmb_fade_def
static const lmb_field fade_rows[] = {
    TEXT(name),
    NONE(parameter),
    NONE(pose),
    EVENT(in_event),
    EVENT(out_event),
    BOOL(at_end),
    AFTER(after),
    SECONDS(in_seconds, 0.2f),
    SECONDS(out_seconds, 0.2f),
    WORDS_FROM(curve, LMB_CURVE_SMOOTHSTEP),
    BOOL(restart),
    BOOL(begins_in),
    COOKIE(),
    FLOATS(curve_control, 0.0f, 1.0f),
};
TABLE(fade);
#undef DEF

#define DEF lmb_motion_def
static const lmb_field motion_rows[] = {
    VALUES(velocity, 0.0f),    BOOL(turns_to_heading),
    VALUES(heading, 0.0f),     WORDS(acceleration),
    WORDS(deceleration),       WORDS(turn_rate),
    NONE(velocity_parameters), COOKIE(),
    BOOL(full_rotation),       NUMBER(velocity_half_life, 0.0f, 10.0f, 0.0f),
};
TABLE(motion);
#undef DEF

// ---- Nodes.

#define DEF lmb_point_slot
static const lmb_field point_slot_rows[] = {BOOL(in_buffer), WORDS(index)};
TABLE(point_slot);
#undef DEF

#define DEF lmb_reached_slot
static const lmb_field reached_slot_rows[] = {BOOL(is_reported), WORDS(index), NONE(parameter)};
TABLE(reached_slot);
#undef DEF

#define DEF lmb_two_bone_def
static const lmb_field two_bone_rows[] = {
    JOINT(start),
    JOINT(mid),
    JOINT(end),
    POINT(target, 0.0f),
    POINT(pole, 0.0f),
    AXIS(mid_axis, 0.0f, 0.0f, 1.0f),
    NUMBER(soften, 0.0f, 1.0f, 1.0f),
    VALUES(twist, 0.0f),
    INSIDE(target_slot, lmb_point_slot, point_slot),
    INSIDE(pole_slot, lmb_point_slot, point_slot),
    CHOICE(space, LMB_IK_SPACE_COUNT),
    INSIDE(reached, lmb_reached_slot, reached_slot),
};
TABLE(two_bone);
#undef DEF

#define DEF lmb_aim_def
static const lmb_field aim_rows[] = {
    JOINTS(joints, joint_count),
    NUMBERS(shares, joint_count, 0.0f, 1.0f, 1.0f),
    COUNT(joint_count, LMB_MAX_AIM_JOINTS),
    POINT(target, 0.0f),
    POINT(pole, 0.0f, 1.0f, 0.0f),
    AXIS(forward, 1.0f, 0.0f, 0.0f),
    AXIS(up, 0.0f, 1.0f, 0.0f),
    TRIPLE(offset, -ANY, ANY, 0.0f),
    NUMBER(limit, 0.0f, INFINITY, 4.0f),
    INSIDE(target_slot, lmb_point_slot, point_slot),
    INSIDE(pole_slot, lmb_point_slot, point_slot),
    CHOICE(space, LMB_IK_SPACE_COUNT),
    VALUES(twist, 0.0f),
    INSIDE(reached, lmb_reached_slot, reached_slot),
};
TABLE(aim);
#undef DEF

#define MARKER(member) INDEX(member, LMB_MAX_MARKERS, "a clip has at most 16 sync markers")
_Static_assert(LMB_MAX_MARKERS == 16, "the message of a marker");

#define DEF lmb_foot_def
static const lmb_field foot_rows[] = {
    JOINT(hip),
    JOINT(knee),
    JOINT(ankle),
    AXIS(knee_axis, 0.0f, 0.0f, 1.0f),
    POINT(ground, 0.0f),
    POINT(normal, 0.0f, 1.0f, 0.0f),
    INSIDE(ground_slot, lmb_point_slot, point_slot),
    INSIDE(normal_slot, lmb_point_slot, point_slot),
    VALUES(planted, 0.0f),
    MARKER(planted_from),
    MARKER(planted_to),
    NONE(planted_channel),
};
TABLE(foot);
#undef DEF

#define HALF_LIFE(member, first) NUMBER(member, 0.0f, 1000.0f, first)

#define DEF lmb_feet_def
static const lmb_field feet_rows[] = {
    INSIDES(feet, lmb_foot_def, foot, foot_count),
    COUNT(foot_count, LMB_MAX_FEET),
    JOINT(pelvis),
    AXIS(up, 0.0f, 1.0f, 0.0f),
    NUMBER(max_lowering, 0.0f, ANY, 0.5f),
    NUMBER(max_angle, 0.0f, INFINITY, 0.7f),
    NUMBER(soften, 0.0f, 1.0f, 1.0f),
    CHOICE(space, LMB_IK_SPACE_COUNT),
    VALUES(speed, 1.0f),
    VALUES(clip_speed, 1.0f),
    POINT(direction, 0.0f, 0.0f, 1.0f),
    INSIDE(direction_slot, lmb_point_slot, point_slot),
    VALUES(time, 0.0f),
    NUMBER(lock_distance, 0.0f, ANY, 0.0f),
    HALF_LIFE(release_half_life, 0.05f),
    HALF_LIFE(ground_half_life, 0.0f),
    HALF_LIFE(pelvis_half_life, 0.0f),
    NUMBER(teleport, 0.0f, ANY, 2.0f),
};
TABLE(feet);
#undef DEF

#define DEF lmb_twist_def
static const lmb_field twist_rows[] = {
    JOINT(source),
    AXIS(axis, 1.0f, 0.0f, 0.0f),
    JOINTS(joints, joint_count),
    NUMBERS(shares, joint_count, -1.0f, 1.0f, 1.0f),
    COUNT(joint_count, LMB_MAX_TWIST_JOINTS),
};
TABLE(twist);
#undef DEF

#define LENGTH_LIMIT 0x1p20f

#define DEF lmb_collider_def
static const lmb_field collider_rows[] = {
    JOINT(joint),
    BOOL(is_capsule),
    TRIPLE(offset, -LENGTH_LIMIT, LENGTH_LIMIT, 0.0f),
    TRIPLE(tail, -LENGTH_LIMIT, LENGTH_LIMIT, 0.0f),
    NUMBER(radius, 0.0f, LENGTH_LIMIT, 0.0f),
    COOKIE(),
};
TABLE(collider);
#undef DEF

#define DEF lmb_chain_def
static const lmb_field chain_rows[] = {
    JOINT(start),
    JOINT(end),
    VALUES(time, 0.0f),
    VALUES(velocity, 0.0f),
    TRIPLE(gravity, -0x1p20f, 0x1p20f, 0.0f, -9.81f, 0.0f),
    NUMBER(stiffness, 0.0f, 1000.0f, 2.0f),
    NUMBER(damping, 0.0f, 1000.0f, 4.0f),
    NUMBER(teleport, 0.0f, ANY, ANY),
    LIST(colliders, collider_count, collider),
    PLAIN_LIST(radii, radius_count),
    PLAIN_LIST(weights, weight_count),
};
TABLE(chain);
#undef DEF

// What an operation reads of these, and in which ranges, is checked by code.
#define DEF lmb_node_def
static const lmb_field node_rows[] = {
    WORDS_FROM(op, LMB_OP_REST),
    WORDS(inputs),
    WORDS(input_count),
    VALUES(weight, 1.0f),
    VALUES(weights, 1.0f),
    WORDS(priorities),
    NONE(masks),
    NONE(joint_maps),
    VALUES(clip, 0.0f),
    VALUES(time, 0.0f),
    VALUES(rate, 1.0f),
    VALUES(offset, 0.0f),
    BOOL(loop),
    NONE(mask),
    NONE(joint_weights),
    WORDS(pose),
    NONE(static_pose),
    WORDS(mirror),
    WORDS(joint_limits),
    WORDS_FROM(interpolation, LMB_MIX_DEFAULT),
    INITIALLY_TRUE(shortest),
    WORDS(form),
    WORDS(space),
    BOOL(unclamped),
    VALUES(coordinates, 0.5f),
    WORDS(space2d),
    INSIDE(two_bone, lmb_two_bone_def, two_bone),
    INSIDE(aim, lmb_aim_def, aim),
    ONLY_OF(LMB_OP_CLIP, player, player),
    ONLY_OF(LMB_OP_MACHINE, machine, machine),
    WORDS(positions),
    COOKIE(),
    INSIDE(feet, lmb_feet_def, feet),
    INSIDE(twist, lmb_twist_def, twist),
    INSIDE(chain, lmb_chain_def, chain),
    WORDS(retarget),
    NONE(goal),
    BOOL(discrete),
    FLOATS(threshold, 1.0f),
    BOOL(linear_scale),
};
TABLE(node);
#undef DEF
_Static_assert(offsetof(lmb_node_def, op) == 0, "lmb_field.only_of refers to it");
_Static_assert(sizeof(lmb_node_def) <= LMB_FIELDS_LARGEST, "a node is too large for a default");

// ---- Tables of a graph. Those that a graph has as a list of pointers are structs of one pointer here.

typedef struct pointer {
    const void *to;
} pointer;

#define DEF pointer
static const lmb_field clip_rows[] = {{.name = "clip", .kind = LMB_FIELD_CLIP}};
TABLE(clip);
static const lmb_field mask_rows[] = {{.name = "mask", .kind = LMB_FIELD_LIST, .size = 1, .length = LMB_LENGTH_BYTES}};
TABLE(mask);
static const lmb_field name_rows[] = {{.name = "name", .kind = LMB_FIELD_TEXT}};
TABLE(name);
static const lmb_field joint_limits_rows[] = {
    {.name = "limits", .kind = LMB_FIELD_LIST, .inside = &lmb_joint_limit_fields, .length = LMB_LENGTH_JOINTS}};
TABLE(joint_limits);
static const lmb_field ranges_rows[] = {
    {.name = "ranges", .kind = LMB_FIELD_LIST, .size = sizeof(lmb_channel_range), .length = LMB_LENGTH_CHANNELS}};
TABLE(ranges);
#undef DEF
_Static_assert(sizeof(lmb_channel_range) == 8, "ranges are stored as they are");

#define DEF lmb_joint_map_def
static const lmb_field joint_map_rows[] = {PLAIN_LIST_OF(LMB_LENGTH_JOINTS, joints), WORDS(joint_count)};
TABLE(joint_map);
#undef DEF

#define DEF lmb_static_pose_def
static const lmb_field static_pose_rows[] = {
    TEXT(name),
    WORDS(joint_count),
    KNOWN_PLAIN_LIST(joints, sizeof(lmb_transform), joint_count),
    {AT(channels), .kind = LMB_FIELD_LIST, .size = sizeof(float), .length = LMB_LENGTH_POSE, LENGTH(joint_count)},
};
TABLE(static_pose);
#undef DEF

#define DEF lmb_parameter_def
static const lmb_field parameter_rows[] = {TEXT(name), WORDS(initial), WORDS(min), FLOATS(max, 1.0f)};
TABLE(parameter);
#undef DEF

#define DEF lmb_clip_slot_def
static const lmb_field clip_slot_rows[] = {
    NONE(clip),
    TEXT(name),
    WORDS(bytes),
    FLOATS(duration, -1.0f),
    WORDS(joint_count),
    BOOL(additive),
    WORDS_FROM(kinds, LMB_CLIP_ANY),
    COOKIE(),
};
TABLE(clip_slot);
#undef DEF

#define DEF lmb_clip_origin
static const lmb_field clip_origin_rows[] = {WORDS(clip), WORDS(of), WORDS(start), WORDS(end)};
TABLE(clip_origin);
#undef DEF

#define DEF lmb_graph_def
static const lmb_field graph_def_rows[] = {
    OTHER(rig), // that of the pack
    LIST(clips, clip_count, clip),
    LIST(masks, mask_count, mask),
    LIST(nodes, node_count, node),
    WORDS(parameter_count),
    LIST(mirrors, mirror_count, mirror),
    LIST(joint_limits, joint_limits_count, joint_limits),
    LIST(joint_maps, joint_map_count, joint_map),
    LIST(static_poses, static_pose_count, static_pose),
    KNOWN_LIST(channel_ranges, joint_limits_count, ranges),
    PLAIN_LIST_OF(LMB_LENGTH_JOINTS, max_lods),
    VALUES(lod, 0.0f),
    BOOL(inertialize),
    NONE(inertia_parameters),
    KNOWN_LIST(parameters, parameter_count, parameter),
    WORDS(event_count),
    KNOWN_LIST(event_names, event_count, name),
    LIST(smoothed, smoothed_count, smoothed),
    LIST(computed, computed_count, computed),
    LIST(groups, group_count, group),
    LIST(fades, fade_count, fade),
    LIST_OF(LMB_LENGTH_ONE, motion, motion),
    WORDS(max_emitted_events),
    LIST_OF(LMB_LENGTH_ONE, update_every, value),
    BOOL(interpolate_updates),
    LIST(retargets, retarget_count, retarget),
    LIST(clip_slots, clip_slot_count, clip_slot),
    LIST(clip_origins, clip_origin_count, clip_origin),
    LIST(curves, curve_count, curve),
    KNOWN_LIST(node_names, node_count, name),
    KNOWN_LIST(node_comments, node_count, name),
};
TABLE(graph_def);
#undef DEF
_Static_assert(sizeof(lmb_graph_def) <= LMB_FIELDS_LARGEST, "a graph is too large for a default");

// ---- Defaults.

DEFAULT(curve_def, curve)
DEFAULT(joint_def, joint)
DEFAULT(socket_def, socket)
DEFAULT(channel_def, channel)
DEFAULT(rig_def, rig)
DEFAULT(mirror_def, mirror)
DEFAULT(joint_limit_def, joint_limit)
DEFAULT(retarget_def, retarget)
DEFAULT(mesh, mesh)
DEFAULT(warp_def, warp)
DEFAULT(notify_def, notify)
DEFAULT(player_def, player)
DEFAULT(group_def, group)
DEFAULT(smoothed_def, smoothed)
DEFAULT(computed_def, computed)
DEFAULT(term, term)
DEFAULT(transition_def, transition)
DEFAULT(state_def, state)
DEFAULT(tag_rule_def, tag_rule)
DEFAULT(matching_def, matching)
DEFAULT(machine_def, machine)
DEFAULT(fade_def, fade)
DEFAULT(motion_def, motion)
DEFAULT(foot_def, foot)
DEFAULT(collider_def, collider)
DEFAULT(node_def, node)
DEFAULT(joint_map_def, joint_map)
DEFAULT(static_pose_def, static_pose)
DEFAULT(parameter_def, parameter)
DEFAULT(clip_slot_def, clip_slot)
DEFAULT(graph_def, graph_def)
