// Compiles a graph from its descriptor to its program, the words that the CPU and the GPU read: checks it, then emits
// it twice, first to count and then to write.
#ifndef LIMBER_SRC_PROGRAM_COMPILER_H
#define LIMBER_SRC_PROGRAM_COMPILER_H

#include "base/number.h"
#include "program.h"
#include "rig/retarget.h"

#define LMB_MOST_INSTRUCTIONS (1u << 16)

// A row of the table of operations.
typedef struct lmb_operation {
    const char *name;
    uint32_t code; // of the instruction, or of the first one if there are several
    uint32_t min_inputs;
    uint32_t most_inputs;
    bool weighted_sum;
    bool exchanges;     // reads its input at other joints
    uint32_t takes;     // TAKES_... bits; operands without a bit are ignored
    uint32_t positions; // number of coordinates
} lmb_operation;

// Returns the float channels' ranges that belong to the joint limits with that index, or NULL if there are none.
static inline const lmb_channel_range *lmb_ranges_of(const lmb_graph_def *def, uint32_t limits) {
    return def->channel_ranges != NULL ? def->channel_ranges[limits] : NULL;
}

// Levels of detail only apply to joints.
static inline bool lmb_graph_has_lods(const lmb_graph_def *def) {
    return def->max_lods != NULL && lmb_rig_get_def(def->rig)->joint_count > 0;
}

// Returns whether a value that determines the weights of the node's inputs reads that parameter.
bool lmb_graph_weighs_by(const lmb_node_def *node, uint32_t parameter);

// Returns the operation of an op below LMB_OP_COUNT.
const lmb_operation *lmb_find_operation(lmb_op op);
// Returns the number of coordinates that an operation takes.
uint32_t lmb_count_coordinates(const lmb_operation *op);

// What a sum takes for the rule of its inputs' weights. These bits continue those in shaders/ops/operations.h.
#define TAKES_REST 2048u       // BLEND.rest
#define TAKES_LAYER 4096u      // weights and priorities of the inputs
#define TAKES_SPACE 0x2000u    // positions of the inputs, coordinates[0]
#define TAKES_PLANE 0x4000u    // coordinates[1] too
#define TAKES_PROFILES 0x8000u // of a machine: blend profiles of its transitions

// A pass that is being emitted.
typedef struct lmb_pass {
    uint32_t first; // first instruction, known after the pass has been counted
    uint32_t count; // instructions so far
} lmb_pass;

#define LMB_MOST_PASSES (LMB_MAX_EXCHANGES + 1u)

// A node's part in the result.
typedef struct lmb_share {
    uint32_t pose;       // index of its weight in the pose
    uint32_t motion;     // index of its motion weight or, if `negated`, of minus that; WEIGHT_NONE: none
    bool negated;        // by a subtraction around it
    uint32_t reflection; // by mirrors around it: a bit for each axis that changes sign
    uint32_t joint;      // whose translation becomes that of joint 0: joint 0 or, inside a mirror, its partner
} lmb_share;

// The joint weight of lmb_share.joint in a pose.
typedef struct lmb_joint_weight {
    uint32_t weight; // index, or WEIGHT_NONE for the constant
    float constant;
} lmb_joint_weight;

// A use of a clip that plays, below a node of foot placement.
typedef struct lmb_marked_clip {
    const lmb_node_def *node;
    uint32_t weight;                    // index
    uint32_t time;                      // offset of the value
    uint8_t mirrors[LMB_MAX_EXCHANGES]; // between it and the node of foot placement, the innermost first
    uint32_t mirror_count;
} lmb_marked_clip;

#define LMB_MOST_MARKED_CLIPS LMB_MAX_PLAYERS

// What the clips have that nodes may play.
typedef struct lmb_played {
    uint32_t kinds;        // LMB_CLIP_... of all
    bool has_other_joints; // whether one is of another rig
} lmb_played;

typedef struct lmb_compiler {
    const lmb_graph_def *def;
    lmb_error *error;  // not NULL. Checks return false if they fail, and store it
    uint32_t *program; // NULL while counting
    uint32_t instruction_count;
    uint32_t rule_count;
    uint32_t weight_count;
    uint32_t root_rule_count;   // motion rules of joint 0, which come first
    uint32_t motion_rule_count; // the others
    uint32_t motion_weight_count;
    uint32_t first_motion_rule;   // number of motion rules of joint 0, known once they have been counted
    uint32_t first_motion_weight; // index of the first of these weights: likewise
    uint32_t source_count;
    uint32_t skip_count;
    uint32_t reports;              // instructions so far that do more than leave a pose
    uint32_t observers;            // nodes around the current node that see it although it has no weight
    uint32_t joint_layers;         // layers around it whose shares differ by joint
    uint32_t point_count;          // points that stage 1 finds
    uint32_t point_slots;          // points per character in the buffer of points
    bool uses_transforms;          // a point is in world space
    lmb_share own;                 // of the current node
    lmb_joint_weight joint_weight; // of the node that was emitted last
    uint32_t joint_weight_readers; // nodes around the current node that read its joint weight in stage 1
    uint32_t data;                 // offset of the data that instructions refer to
    uint32_t data_words;           // words of data so far
    lmb_curves curves;
    uint32_t mirrors;                           // offset of the first mirror's table
    uint32_t joint_limits;                      // offset of the first table of joint limits
    uint32_t joint_maps;                        // offset of the first table of a joint map
    uint32_t static_poses;                      // offset of the first static pose
    uint32_t retargets[LMB_MAX_RETARGETS];      // offsets of their tables
    uint32_t retarget_rests[LMB_MAX_RETARGETS]; // offsets of the rest poses of their sources
    // While the goal of a chain is emitted: the offset of its table, which replaces that of the joint map `goal_map`,
    // and of its rest pose. 0 otherwise.
    uint32_t goal_table;
    uint32_t goal_map;
    uint32_t goal_rest;
    uint32_t goal_area; // 1 plus the exchange area of the goal of the node that is being emitted, or 0
    // The joint map that the current node is in, LMB_NONE for none; from joint_map_count on that of a retarget.
    uint32_t joint_map;
    uint32_t layers;         // offset of the table of the layers or blend profiles whose inputs are being accumulated
    bool refused;            // a check that depends on a node's position in the graph has failed
    double (*rest_turns)[4]; // scratch while writing: a rotation per joint
    lmb_retarget_frame *frames; // scratch while writing: for the joints of the rig and of the largest source
    uint32_t masks;             // offset of the first mask
    uint32_t mask_words;
    bool has_full_mask; // after the masks there is one of 255, for overrides without a mask
    uint32_t depth;     // poses held now
    uint32_t deepest;
    uint32_t values; // values of a float channel held now
    uint32_t most_values;
    lmb_pass passes[LMB_MOST_PASSES]; // in the order in which they begin; the first one gives the result
    uint32_t firsts[LMB_MOST_PASSES]; // first instructions of passes that have ended, in the order in which they run
    uint32_t begun;
    uint32_t ended;
    uint32_t pass;   // of the current node
    uint32_t placed; // instructions of passes that have ended
    uint32_t pose_count;
    uint32_t pose_joints[LMB_MAX_POSES];           // [pose buffer]; 0 if nothing uses it
    uint32_t pose_floats[LMB_MAX_POSES];           // [pose buffer]: floats per character
    bool uses_curves;                              // a value has a curve
    bool uses_joint_maps;                          // a source is in a joint map or a retarget
    bool uses_retargets;                           // a source is in a retarget
    lmb_played played;                             // lmb_graph_played()
    bool scales;                                   // lmb_graph_scales()
    bool uses_weights;                             // poses can have joint weights
    uint32_t joint_kept;                           // words for each joint and character: PROGRAM.joint_kept
    uint32_t inertia_words;                        // of all joints
    uint32_t inertia_pass;                         // PROGRAM.inertia_pass
    uint32_t lowest_correction;                    // find_lowest_correction()
    uint32_t chain_words;                          // after them: of chains and feet
    bool uses_colliders;                           // of chains
    bool uses_detached;                            // limbs whose end is not below their mid
    uint32_t reached_count;                        // words that say which nodes reached their targets
    lmb_marked_clip marked[LMB_MOST_MARKED_CLIPS]; // clips that may plant feet
    uint32_t marked_count;                         // may exceed their number: then the graph is refused
    uint32_t first_marked;                         // of the current node of foot placement
    uint32_t plants;                               // the nodes of foot placement around the current node that need them
    uint32_t no_change;           // offset of an additive that changes nothing, in the form of a static pose
    uint8_t types[LMB_MAX_NODES]; // [node]: the types that it can have
    uint8_t forms[LMB_MAX_NODES]; // [node]: the forms with which the additives in it were made
} lmb_compiler;

// Checks a descriptor, except its sizes and what depends on a node's position in the graph.
bool lmb_graph_check_def(lmb_compiler *c);

// Returns whether a node may play a clip.
bool lmb_graph_may_play(const lmb_node_def *node, uint32_t clip);
// Returns what the clips have that nodes may play. A descriptor may have more clips, as those of a file.
lmb_played lmb_graph_played(const lmb_graph_def *def);
// Returns whether a node is certainly an additive.
bool lmb_graph_is_additive(const lmb_compiler *c, const lmb_node_def *node);

// Fails with #LMB_ERROR_ARGUMENT and a message about a field of a node: always, or unless the condition holds.
bool lmb_graph_refuse_node(const lmb_compiler *c, uint32_t node, const char *field, const char *what);
bool lmb_graph_require(const lmb_compiler *c, uint32_t node, bool condition, const char *field, const char *what);
bool lmb_graph_check_value(const lmb_compiler *c, uint32_t node, const char *field, lmb_value value);

// joint_map.c. Joint maps and static poses: their checks, their tables, and the check of a source against the
// joint map that it is in.
bool lmb_graph_check_joint_maps(const lmb_compiler *c);
bool lmb_graph_check_static_poses(const lmb_compiler *c);
bool lmb_graph_check_retargets(const lmb_compiler *c);
void lmb_graph_add_joint_maps(lmb_compiler *c);
void lmb_graph_add_retargets(lmb_compiler *c);
// Adds the tables of the goal of a chain that ends at a joint.
void lmb_graph_begin_goal(lmb_compiler *c, uint32_t retarget, uint32_t end);
void lmb_graph_add_static_poses(lmb_compiler *c);
void lmb_graph_add_no_change(lmb_compiler *c);
uint32_t lmb_graph_joint_map_table(const lmb_compiler *c, uint32_t joint_map);
uint32_t lmb_graph_static_pose(const lmb_compiler *c, uint32_t pose);
bool lmb_graph_check_source(lmb_compiler *c, uint32_t node);
// Returns the number of joints of poses in a joint map or a retarget, or of the rig for LMB_NONE.
uint32_t lmb_graph_mapped_joints(const lmb_graph_def *def, uint32_t joint_map);
// Returns the words of a pose with that many joints. It has float channels too if the rig has as many joints.
uint32_t lmb_graph_pose_words(const lmb_graph_def *def, uint32_t joint_count);
// Returns whether a scale other than 1 can occur: in clips, static poses that nodes use, pose buffers, joint limits or
// the rest pose.
bool lmb_graph_scales(const lmb_compiler *c);

// Adds words for instructions to refer to, and stores their offset. Returns them, or NULL while counting.
uint32_t *lmb_graph_add_data(lmb_compiler *c, uint32_t words, uint32_t *offset);
// The same, at an offset for a static pose.
uint32_t *lmb_graph_add_static_pose(lmb_compiler *c, uint32_t words, uint32_t *offset);
// Adds a value. Returns its offset.
uint32_t lmb_graph_add_value(lmb_compiler *c, lmb_value value);

// rules.c. Returns whether the shares of a layers node's inputs differ by joint.
bool lmb_graph_layers_differ(const lmb_compiler *c, const lmb_node_def *node);
// Returns an input's index in the table of its layers, which is ordered from the highest priority down. Inputs of one
// priority keep their order.
uint32_t lmb_graph_layer_place(const lmb_node_def *node, uint32_t input);
// Returns whether an input is a clip that may have joint weights.
bool lmb_graph_is_partial_clip(const lmb_compiler *c, const lmb_node_def *node);

// Returns how many of a machine's transitions have a blend profile; 0 for every other operation, and for a node without
// a valid machine.
uint32_t lmb_graph_profile_count(const lmb_node_def *node);

// space.c. Checks whether a blend space's positions are valid; and adds the table of its rule. Returns its
// offset.
bool lmb_graph_check_space(const lmb_compiler *c, uint32_t node);
uint32_t lmb_graph_add_space(lmb_compiler *c, const lmb_node_def *node);

// ik.c. Returns whether feet are locked and clips say when.
bool lmb_graph_locks_by_clips(const lmb_node_def *node);
// Checks, once the base has been emitted, that clips plant each foot that has sync markers.
bool lmb_graph_check_plants(lmb_compiler *c, uint32_t node);
// Checks a node of inverse kinematics, a twist or a chain; and adds its table, and the rules of its values.
// Returns the offset of the table.
bool lmb_graph_check_ik(const lmb_compiler *c, uint32_t node);
uint32_t lmb_graph_add_ik(lmb_compiler *c, const lmb_node_def *node);
// Adds the parameters of nodes that report whether they reach their targets, after all nodes.
void lmb_graph_add_reached_parameters(lmb_compiler *c);

// rules.c. Rules of weights. Each function returns the index of the weight that the instruction reads, and stores
// the shares of the node's inputs in `inputs`. If one input is over another, the lower one comes first.
uint32_t lmb_graph_weigh_blend(lmb_compiler *c, lmb_value weight, lmb_share inputs[2]);
// Without the motion weights of a partial blend.
uint32_t lmb_graph_weigh_over(lmb_compiler *c, const lmb_node_def *node, float limit, lmb_share inputs[2]);
// A weighted sum that is being emitted.
typedef struct lmb_sum {
    uint32_t shares;        // index of the weights that its instructions read
    uint32_t count;         // of them: the inputs, and for layers the rest pose
    uint32_t table;         // of the pose's shares, or for a machine with blend profiles that of the profiles
    lmb_share input;        // of the first input; the indices of the others follow
    bool by_joint;          // layers whose shares differ by joint
    bool has_profiles;      // a machine whose shares do
    uint32_t *motion_rule;  // of the inputs' motion weights, or NULL
    uint32_t joint_weights; // offset of the inputs' joint weights, or 0
    bool is_partial;        // an input may have another joint weight than 255
} lmb_sum;

lmb_sum lmb_graph_weigh_sum(lmb_compiler *c, const lmb_node_def *node);
// Adds weights that rules compute. Returns the index of the first one.
uint32_t lmb_graph_add_weights(lmb_compiler *c, uint32_t count);

// motion.c. Motion weights (control.h, lmb_motion_def), and the joint weights of joint 0 that they depend on.
// Returns the share of joint 0 in a mask, 1 for LMB_NONE.
float lmb_graph_mask_root(const lmb_compiler *c, uint32_t mask);
// Returns the joint weight of a pose that has all joints, and that of a clip node.
lmb_joint_weight lmb_graph_full_joint_weight(void);
lmb_joint_weight lmb_graph_clip_joint_weight(lmb_compiler *c, const lmb_node_def *node);
// Sets the motion weights of both inputs of a blend, by a weight of stage 1 and a factor. Returns the rule or NULL.
uint32_t *lmb_graph_blend_motion(lmb_compiler *c, uint32_t by, float factor, lmb_share inputs[2]);
// Sets the motion weight of an input that is added or scaled.
void lmb_graph_scale_motion(lmb_compiler *c, uint32_t by, float factor, lmb_share *input);
// Sets the motion weights of a sum's inputs.
void lmb_graph_share_motion(lmb_compiler *c, lmb_sum *sum);
// Notes an input of a sum, after it has been emitted.
void lmb_graph_add_summed(lmb_compiler *c, const lmb_node_def *node, uint32_t input, lmb_sum *sum);
// After all inputs of a node have been emitted: completes the rules of joint 0, and sets the node's joint weight.
void lmb_graph_finish_partial(lmb_compiler *c, uint32_t *motion_rule, uint32_t weight,
                              const lmb_joint_weight inputs[2]);
void lmb_graph_finish_sum(lmb_compiler *c, const lmb_node_def *node, const lmb_sum *sum);

// Returns the weight of a sum's input. The weights of a machine's states are consecutive parameters, from that of
// weights[0] on.
lmb_value lmb_graph_input_weight(const lmb_node_def *node, uint32_t input);
uint32_t lmb_graph_weigh_lod(lmb_compiler *c, lmb_value level);
// Adds the rule of a value that no input's weight depends on. It is clamped from 0 to a limit, or, if that is above 1,
// from minus the limit to it.
uint32_t lmb_graph_weigh_value(lmb_compiler *c, lmb_value value, float limit);
// Adds the rule of whether a foot of the current node is planted. The weight is 1 or 0.
uint32_t lmb_graph_weigh_planted(lmb_compiler *c, const lmb_feet_def *feet, uint32_t index);
// Returns the foot that a foot of the current node is in a clip: inside mirrors the one at the partner of its ankle.
const lmb_foot_def *lmb_graph_foot_in_clip(const lmb_compiler *c, const lmb_feet_def *feet, uint32_t index,
                                           const lmb_marked_clip *marked);
// Stores from when on a clip that plays below a node of foot placement plants a foot, and from when on not any more, in
// turns and ascending. `times` may be NULL. Returns the number of times; 0: it does not.
uint32_t lmb_graph_plants(const lmb_graph_def *def, const lmb_node_def *node, const lmb_foot_def *foot, float *times);
// Adds a point that stage 1 finds. Its words are the caller's to fill in, except for the weight, which is the index of
// the first of three that it returns. `at` receives the words, or NULL while counting.
uint32_t lmb_graph_add_point(lmb_compiler *c, uint32_t **at);
// Adds a use of a clip. Returns the index of its source.
uint32_t lmb_graph_add_source(lmb_compiler *c, const lmb_node_def *node);

// Emits all nodes from the last one on. Fails if there are too many instructions or the stack is too deep.
bool lmb_graph_emit(lmb_compiler *c);

#endif
