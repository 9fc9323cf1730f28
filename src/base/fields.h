// The tables of fields of all descriptors that a pack can store, one for each struct. fields.c also has the functions
// that return their defaults.
#ifndef LIMBER_SRC_BASE_FIELDS_H
#define LIMBER_SRC_BASE_FIELDS_H

#include "field.h"

// Those that limber::graph reads, too.
extern LMB_API const lmb_fields lmb_curve_key_fields, lmb_node_fields, lmb_reached_slot_fields, lmb_foot_fields;
extern LMB_API const lmb_fields lmb_collider_fields, lmb_player_fields, lmb_warp_fields, lmb_smoothed_fields;
extern LMB_API const lmb_fields lmb_motion_fields, lmb_transition_fields, lmb_fade_fields, lmb_matching_fields;
extern LMB_API const lmb_fields lmb_retarget_fields;
extern const lmb_fields lmb_value_fields, lmb_curve_fields;
// Rigs and meshes.
extern const lmb_fields lmb_joint_fields, lmb_socket_fields, lmb_channel_fields, lmb_rig_fields;
extern const lmb_fields lmb_target_fields, lmb_mesh_fields;
// What advances by itself.
extern const lmb_fields lmb_motion_track_fields, lmb_notify_fields, lmb_group_fields, lmb_computed_fields;
extern const lmb_fields lmb_term_fields, lmb_state_fields, lmb_machine_fields, lmb_tag_rule_fields;
// Nodes.
extern const lmb_fields lmb_point_slot_fields, lmb_two_bone_fields, lmb_aim_fields, lmb_feet_fields;
extern const lmb_fields lmb_twist_fields, lmb_chain_fields;
// A graph, and what it has as a pointer: `clip`, `mask`, `name`, `joint_limits`, `ranges`. lmb_graph_fields is a type
// of json/graph.h.
extern const lmb_fields lmb_clip_fields, lmb_mask_fields, lmb_name_fields, lmb_joint_limits_fields, lmb_ranges_fields;
extern const lmb_fields lmb_joint_limit_fields, lmb_mirror_fields, lmb_joint_map_fields;
extern const lmb_fields lmb_static_pose_fields, lmb_parameter_fields, lmb_clip_slot_fields, lmb_clip_origin_fields,
    lmb_graph_def_fields;

#endif
