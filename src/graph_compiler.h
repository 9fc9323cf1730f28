// A graph on its way from its descriptor to its block: checked, then emitted twice, to count and to write.
#ifndef LIMBER_SRC_GRAPH_COMPILER_H
#define LIMBER_SRC_GRAPH_COMPILER_H

#include "graph.h"

#define LMB_MOST_INSTRUCTIONS (1u << 16)

// A row of the table of operations.
typedef struct lmb_operation {
    const char *name;
    uint32_t code; // of the instruction; of the first one where there are several
    uint32_t min_inputs;
    uint32_t most_inputs;
    bool weighted_sum;
    bool exchanges;     // reads its input at other joints
    uint32_t takes;     // TAKES_... bits; operands that it does not take are ignored
    uint32_t positions; // values of `along`
} lmb_operation;

// Of the float channels, beside the joints' limits with that index; NULL where there are none.
static inline const lmb_channel_range *lmb_ranges_of(const lmb_graph_def *def, uint32_t limits) {
    return def->channel_ranges != NULL ? def->channel_ranges[limits] : NULL;
}

// Levels of detail are of joints.
static inline bool lmb_graph_has_lods(const lmb_graph_def *def) {
    return def->max_lods != NULL && lmb_rig_joint_count(def->rig) > 0;
}

// Whether a number that weighs its inputs is that parameter.
bool lmb_graph_weighs_by(const lmb_node_def *node, uint32_t parameter);

// By its public number, which is below LMB_OP_COUNT.
const lmb_operation *lmb_find_operation(lmb_op op);

// What an operation takes for the rule of its inputs' weights. Continued from shaders/ops/operations.h.
#define TAKES_REST 2048u       // SUM_REST
#define TAKES_LAYER 4096u      // weights and priorities of the inputs
#define TAKES_SPACE 0x2000u    // places of the inputs, along[0]
#define TAKES_PLANE 0x4000u    // along[1] too
#define TAKES_PROFILES 0x8000u // of a machine: the blend profiles of its transitions

// A pass while it is emitted.
typedef struct lmb_pass {
    uint32_t first; // instruction, once it has been counted
    uint32_t count; // of instructions so far
} lmb_pass;

#define LMB_MOST_PASSES (LMB_MAX_EXCHANGES + 1u)

// What a node weighs, as indices of weights: in the pose, and in root motion.
typedef struct lmb_share {
    uint32_t pose;
    uint32_t motion;
} lmb_share;

typedef struct lmb_compiler {
    const lmb_graph_def *def;
    lmb_error *error;
    uint32_t *block; // NULL while counting
    uint32_t instruction_count;
    uint32_t rule_count;
    uint32_t weight_count;
    uint32_t source_count;
    lmb_share own;           // of the place so far
    uint32_t data;           // offset of what instructions refer to
    uint32_t data_words;     // of it so far
    uint32_t mirrors;        // offset of the first mirror's table
    uint32_t joint_limits;   // offset of the first limits' table
    uint32_t joint_maps;     // offset of the first part's table
    uint32_t static_poses;   // offset of the first static pose
    uint32_t part;           // that the place so far is in, or LMB_NONE
    uint32_t layers;         // offset of the table of the layers, or of the blend profiles, whose inputs are taken in
    lmb_result result;       // of what only a node's place shows
    double (*rest_turns)[4]; // scratch, while writing: a rotation for each joint
    uint32_t masks;          // offset of the first mask
    uint32_t mask_words;
    uint32_t depth; // poses held so far
    uint32_t deepest;
    uint32_t values; // of a float channel, held so far
    uint32_t most_values;
    lmb_pass passes[LMB_MOST_PASSES]; // in the order in which they begin: the first one gives the result
    uint32_t firsts[LMB_MOST_PASSES]; // instructions, of those that have ended, as they are to run
    uint32_t begun;
    uint32_t ended;
    uint32_t pass;   // in which the place so far stands
    uint32_t placed; // instructions of passes that have ended
    uint32_t pose_count;
    uint32_t pose_joints[LMB_MAX_POSES]; // of each pose buffer, 0 where nothing uses it
    uint32_t pose_floats[LMB_MAX_POSES]; // of a character in it
    bool uses_parts;                     // a source is in one
    uint32_t no_change;                  // offset of an additive that changes nothing, as a static pose
    uint8_t types[LMB_MAX_NODES];        // of each node: what it can be
} lmb_compiler;

// Everything that can be wrong with a descriptor except for its sizes, and for what only a node's place shows.
lmb_result lmb_graph_check_def(lmb_compiler *c);

// program_types.c: whether a node may play a clip; what a node can be, or which input it cannot take; whether it is an
// additive for certain.
bool lmb_graph_may_play(const lmb_node_def *node, uint32_t clip);
lmb_result lmb_graph_find_type(lmb_compiler *c, uint32_t index);
bool lmb_graph_is_additive(const lmb_compiler *c, const lmb_node_def *node);

// A message about a field of a node; #LMB_ERROR_ARGUMENT.
lmb_result lmb_graph_fail_node(const lmb_compiler *c, uint32_t node, const char *field, const char *what);

// program_part.c: parts and static poses: their checks, their tables, and what a source may be in the part where it stands.
lmb_result lmb_graph_check_parts(const lmb_compiler *c);
lmb_result lmb_graph_check_static_poses(const lmb_compiler *c);
void lmb_graph_add_parts(lmb_compiler *c);
void lmb_graph_add_static_poses(lmb_compiler *c);
void lmb_graph_add_no_change(lmb_compiler *c);
uint32_t lmb_graph_part_table(const lmb_compiler *c, uint32_t part);
uint32_t lmb_graph_static_pose(const lmb_compiler *c, uint32_t pose);
lmb_result lmb_graph_check_source(lmb_compiler *c, uint32_t node);
// Joints of the poses in a part, or of the rig.
uint32_t lmb_graph_part_joints(const lmb_graph_def *def, uint32_t part);
// Of one of so many joints: it has channels too where those are as many as the rig's.
uint32_t lmb_graph_pose_words(const lmb_graph_def *def, uint32_t joint_count);
// Whether one that a node uses has another scale than 1.
bool lmb_graph_static_poses_scale(const lmb_graph_def *def);

// Adds words for instructions to refer to, and tells their offset. Returns them, or NULL while counting.
uint32_t *lmb_graph_add_data(lmb_compiler *c, uint32_t words, uint32_t *offset);
// A value's offset.
uint32_t lmb_graph_add_value(lmb_compiler *c, lmb_value value);

// program_layers.c. Whether joints have different shares of the inputs of a node's layers.
bool lmb_graph_layers_differ(const lmb_compiler *c, const lmb_node_def *node);
// An input's place in the table of its layers: from the highest priority down, those of one in their own order.
uint32_t lmb_graph_layer_place(const lmb_node_def *node, uint32_t input);
// Whether an input is a clip that may have joint weights.
bool lmb_graph_is_partial_clip(const lmb_compiler *c, const lmb_node_def *node);
// The table, except for LAYER_CLIP; `fades` is the weight of the first input's fade. In root motion the shares are those of joint 0. Returns
// its offset.
uint32_t lmb_graph_add_layers(lmb_compiler *c, const lmb_node_def *node, uint32_t fades, bool is_motion);

// Of how many of a machine's transitions; 0 for every other operation, and for a machine that stands still.
uint32_t lmb_graph_profile_count(const lmb_node_def *node);

// program_space.c: whether a blend space's places make one; and the table of its rule. Returns its offset.
lmb_result lmb_graph_check_space(const lmb_compiler *c, uint32_t node);
uint32_t lmb_graph_add_space(lmb_compiler *c, const lmb_node_def *node);

// program_rules.c: what weights follow from. Each returns the index of the weight that the instruction reads, and says
// in `inputs` what the node's inputs weigh: of what lies over something else, what lies below and what lies over it.
uint32_t lmb_graph_weigh_blend(lmb_compiler *c, lmb_value weight, lmb_share inputs[2]);
uint32_t lmb_graph_weigh_over(lmb_compiler *c, const lmb_node_def *node, float limit, lmb_share inputs[2]);
// `table` is the offset of what the pose's shares follow from; of a machine with blend profiles that of those.
uint32_t lmb_graph_weigh_sum(lmb_compiler *c, const lmb_node_def *node, lmb_share inputs[LMB_MAX_SPACE_INPUTS],
                             uint32_t *table);
// Of a sum's input. Those of a machine's states are parameters one after another, from that of weights[0] on.
lmb_value lmb_graph_input_weight(const lmb_node_def *node, uint32_t input);
uint32_t lmb_graph_weigh_lod(lmb_compiler *c, lmb_value level);
// How much of joint 0 a mask leaves (all of it for LMB_NONE), and a clip.
float lmb_graph_mask_root(const lmb_compiler *c, uint32_t mask);
float lmb_graph_clip_root(const lmb_compiler *c, const lmb_node_def *node);
// A use of a clip. Returns which source it is.
uint32_t lmb_graph_add_source(lmb_compiler *c, const lmb_node_def *node);

// Emits all nodes from the last one on. Fails where there are too many instructions or too deep a stack.
lmb_result lmb_graph_emit(lmb_compiler *c);

#endif
