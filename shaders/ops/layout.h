// Layout in a program's block, in pose buffers and in matrix buffers.
#ifndef LMB_OPS_LAYOUT_H
#define LMB_OPS_LAYOUT_H

#include "transform.h"

// The program's block is words; offsets count words from its start. The header:
#define PROGRAM_SIZE 0
#define PROGRAM_JOINTS 1
#define PROGRAM_PARAMETERS 2
#define PROGRAM_PARENTS 3      // offset: word [joint], NO_PARENT for roots
#define PROGRAM_REST 4         // offset: float [10][joint]
#define PROGRAM_INVERSE_BIND 5 // offset: float [joint][12]
#define PROGRAM_CLIPS 6        // offset: word [clip], offsets of clip blocks
#define PROGRAM_CLIP_COUNT 7
#define PROGRAM_INSTRUCTIONS 8 // offset: word [instruction][INSTRUCTION_WORDS]
#define PROGRAM_INSTRUCTION_COUNT 9
#define PROGRAM_LEVEL_COUNT 10  // joints on the longest way from a root to a leaf
#define PROGRAM_LEVELS 11       // offset: word [level + 1], which joint in the following order is its first
#define PROGRAM_ORDER 12        // offset: word [joint], level by level: the joint and, from bit 16 on, its parent
#define PROGRAM_CHANNELS 13     // float channels
#define PROGRAM_CHANNEL_REST 14 // offset: float [channel], then words [channel]: 1 where it is an angle
#define PROGRAM_POSE_FLOATS 15  // of a character in a pose buffer: POSE_COMPONENTS of each joint, then the channels
#define PROGRAM_MASKS 16        // offset of the first mask
#define PROGRAM_BINDS 17        // offset: float [joint][BIND_COMPONENTS]
#define PROGRAM_SOCKETS 18      // offset: [socket]: word joint, float [12] matrix
#define PROGRAM_SOCKET_COUNT 19
#define PROGRAM_DATA 20     // offset of what instructions refer to: values, tables
#define PROGRAM_LOD 21      // offset: levels of detail, LOD_..., or 0 where there are none
#define PROGRAM_MATRICES 22 // 1 where joints end as matrices, not as transforms
#define PROGRAM_INERTIA 23  // 1 and the first of INERTIA_PARAMETERS where the result is inertialized, or 0
#define PROGRAM_RULES 24    // offset: word [rule][RULE_WORDS], those of a node before those of its inputs
#define PROGRAM_RULE_COUNT 25
#define PROGRAM_WEIGHTS 26 // how many of a character the rules write
#define PROGRAM_SOURCES 27 // uses of clips
#define PROGRAM_USES 28    // offset: word [source][USE_WORDS]
#define PROGRAM_PASSES                                                                                                 \
    29 // offset: word [pass + 1], as they run: the first instruction of each, and the end of the last
#define PROGRAM_PASS_COUNT 30
#define PROGRAM_HEADER_WORDS 31

#define NO_PARENT 0xffffffffu

// A number that a rule reads; the rule has its offset.
#define VALUE_PARAMETER 0u // a parameter's index or NO_PARAMETER
#define VALUE_CONSTANT 1u  // the bits of the constant
#define VALUE_CURVE 2u     // CURVE_...
#define VALUE_CONTROL 3u   // two floats: the control points of a Bezier
#define VALUE_WORDS 5u
#define NO_PARAMETER 0xffffffffu

// A rule: how the weights of a node's inputs follow from the node's own. Weights have indices: 0 is the whole, 1 none.
#define WEIGHT_WHOLE 0u
#define WEIGHT_NONE 1u
#define RULE_KIND 0u
#define RULE_OWN 1u // the node's
#define RULE_LOCAL                                                                                                     \
    2u // what the node's instructions read: of a blend w; of a sum the share of each input, their sum, its reciprocal
#define RULE_INPUTS 3u // the first of the inputs' whose weights are not the node's
#define RULE_COUNT 4u  // of a sum: inputs
#define RULE_TABLE 5u  // of a sum: offset of what its shares follow from; of others that of the value
#define RULE_X 6u      // of a blend space: value
#define RULE_Y 7u      // of one in the plane: value
#define RULE_SPACE 8u  // and SPACE_...
#define RULE_LIMIT 6u  // of a weight: float: the largest, the least is 0 or, where that is more than 1, its negative
#define RULE_FACTOR 7u // of a weight: float: what it is then multiplied by
#define RULE_MOTION 9u // whether it is of root motion: the pose's rule has counted what is refused
#define RULE_WORDS 10u

#define RULE_BLEND 0u    // inputs of 1 - w and w
#define RULE_OVER 1u     // an input of w over one that has the node's own weight
#define RULE_PARTIAL 2u  // the same, but never of 0
#define RULE_WEIGHTED 3u // table: word [input], values
#define RULE_LAYERS 4u   // table: [input][LAYER_WORDS], from the highest priority down; the rest pose is one more input
#define RULE_SPACE1D 5u  // table: float [input][ROW_WORDS]
#define RULE_SPACE2D 6u
#define RULE_LEVEL 7u        // a level of detail
#define RULE_JOINT_LAYERS 8u // as RULE_LAYERS, of layers whose shares differ by joint; local: the inputs' fades
#define RULE_NUMBERS 9u      // table: word [number], values: local has them as they are

// A use of a clip, in the order of the sources.
#define USE_WEIGHT 0u // which weight: in the pose
#define USE_MOTION 1u // and in root motion
#define USE_JOINTS 2u // how many joints the clip has
#define USE_FLAGS 3u  // CLIP_LOOPS, CLIP_WARPS
#define USE_CLIP 4u   // values
#define USE_TIME 5u
#define USE_RATE 6u
#define USE_OFFSET 7u
#define USE_WORDS 8u

#define LAYER_VALUE 0u
#define LAYER_INPUT 1u
#define LAYER_END 2u    // the input behind the last one of its priority
#define LAYER_COVERS 3u // float: how much of its fade every joint has
#define LAYER_SHARE 4u  // float: how much of its fade a joint has at most; in root motion both are of joint 0
// Of layers by joint:
#define LAYER_FADE 5u // which weight has the fade
#define LAYER_MASK 6u // offset of the mask, or 0
#define LAYER_CLIP 7u // offset of the instruction of a clip with joint weights, or 0
#define LAYER_WORDS 8u

// Of a machine whose transitions have blend profiles.
#define PROFILES_NUMBERS 0u // which weight is the first of the numbers of its rule
#define PROFILES_COUNT 1u
#define PROFILES_FIRST 2u // [profile][PROFILE_WORDS], which are counted from 1 on
#define PROFILE_MASK 0u   // offset of the mask
#define PROFILE_CURVE 1u  // CURVE_...
#define PROFILE_WORDS 2u
// The numbers, parameters one after another: of each state what it weighs where the fade has not begun, then of each
// where the fade is over; the part of the fade's time that has passed; which profile it has, or 0.
#define PROFILED_PART(states) (2u * (states))
#define PROFILED_WHICH(states) (2u * (states) + 1u)
#define PROFILED_NUMBERS(states) (2u * (states) + 2u)

// A pass: instructions that leave one pose of each joint. The last pass leaves the result. Every other one leaves its pose
// in the exchange area of its number, from which instructions of later passes read it at any joint. A character that is
// listed twice may run twice at once: so no area serves two passes.
//
// An instruction: its operation, then operands.
#define INSTRUCTION_WORDS 8u
#define INSTRUCTION_OPERATION 0u
#define CLIP_SOURCE 1u      // clip: which record
#define CLIP_WEIGHTS_ROW 6u // clip: offset of a mask that stands for its joints' weights, or 0
#define POSE_BUFFER 1u      // pose: which; fixed: which of the program's
#define STATIC_POSE 3u      // fixed: offset of float [10][joint]; then, with as many joints as the rig, [channel]
#define POSE_JOINTS 2u      // pose, fixed: how many joints it has
#define POSE_FLOATS 4u      // pose: how many floats a character has in the buffer
#define SOURCE_PART 7u      // clip, pose, fixed: offset of the part that it is in, or 0
#define TAKE_PART 1u        // take: offset of the part of b, or 0 where it has all joints
#define WEIGHT_INDEX 1u     // blend, masked, additive, accumulate, scale: which weight
#define MASK_OFFSET 2u      // masked: offset of the mask, four joints a word, the first in the lowest byte
#define MIRROR_TABLE 1u     // mirror: offset of its table
#define MIRROR_AXIS 2u      // mirror: 0, 1, 2
#define EXCHANGE_AREA 3u    // mirror, chain, unchain: the area that they read
#define LIMIT_TABLE 1u      // clamp: offset of its table
#define CHOICES 3u          // interpolate, apply, product, scale, mean: CHOICE_... bits
#define LAYERS_TABLE 2u     // mean, of layers by joint: the rule's table
#define LAYERS_COUNT 4u     // of how many inputs
#define LAYERS_PLACE 5u     // of the input that is accumulated: its place in the table, behind all for the rest pose
#define PROFILES_TABLE 2u   // mean, of a machine with blend profiles: offset of them
#define PROFILES_STATES 4u  // of how many states
#define PROFILES_STATE 5u   // which is accumulated
#define SUM_REST 6u // the last one of a sum: offset of a pose, in whose place one stands that no input weighs for

// A part: how many joints it has, then for each joint of the rig the part's, or NO_JOINT.
#define PART_JOINTS 0u
#define PART_TABLE 1u
#define NO_JOINT 0xffffffffu

// Levels of detail: which joints each computes.
#define LOD_COUNT 8u
#define LAST_LOD 7.0f
#define LOD_WEIGHT 0u // which weight has the level
#define LOD_COUNTS 1u // word [level]: how many joints it computes
#define LOD_ORDER 9u  // word [joint]: the joints, those of the most levels first, parents before children
// Behind the order a byte for each joint: the last level at which it is computed.

#define CLIP_LOOPS 1u // over the duration
#define CLIP_WARPS 2u // its rate is not 1 or its offset not 0: only then are they read

// Kinds of a blend space in the plane, and their tables. On a line, and on each axis of a grid, an input has a row: the
// ends of all, its own place, those beside it, and the reciprocals of the ways from the one to the other: rows of
// inputs follow one another, on a grid that of x and that of y.
#define SPACE_TRIANGLES 0u
#define SPACE_GRID 1u
#define SPACE_BANDS 2u
#define ROW_MIN 0u
#define ROW_MAX 1u
#define ROW_BEFORE 2u
#define ROW_RISE 3u
#define ROW_OWN 4u
#define ROW_AFTER 5u
#define ROW_FALL 6u
#define ROW_WORDS 7u

// The others begin alike.
#define SPACE_MIDDLE 0u // two floats
#define SPACE_REACH 2u  // how far from it positions count
#define SPACE_PLACES 3u // how many; of bands how many others
// Bands, of each input as many words: its own place, then for each other place that and the gradient.
#define SPACE_OWN_PLACE 4u
#define SPACE_FIRST_BAND 6u
#define BAND_GRADIENT 2u
#define BAND_WORDS 4u
// Triangles: how near the hull is near, and the offsets of its sides and of the pieces that the plane is cut into.
#define SPACE_NEAR 4u
#define SPACE_EDGES 5u
#define SPACE_FIRST_EDGE 6u
#define SPACE_PIECES 7u
#define SPACE_FIRST_PIECE 8u
#define SPACE_FIRST_PLACE 9u
#define EDGE_FROM 0u   // a place
#define EDGE_TO 2u     // a place
#define EDGE_ALONG 4u  // a unit vector
#define EDGE_LENGTH 6u // from the one to the other
#define EDGE_WORDS 7u
#define PIECE_CORNERS 0u // three inputs, the first one or NO_CORNER
#define PIECE_FROM 3u    // the place of the third
#define PIECE_GRADIENTS 5u
#define PIECE_WORDS 9u
#define NO_CORNER 0xffffffffu

#define MOST_INPUTS 64u // of a sum; layers have 16, and the rest pose below them
#define STACK_POSES 11u // that a program holds at once, at most

// What is refused and counted, in the order of lmb_refusal.
#define REFUSED_CLIP 0u
#define REFUSED_TIME 1u
#define REFUSED_WEIGHT 2u
#define REFUSED_POSE 3u
#define REFUSED_CHARACTER 4u
#define REFUSED_SHEAR 5u

// What shaders/list.comp writes, word by word: arguments of the pose kernel, characters listed, arguments of the
// kernels with an invocation for each character (weights, models), those of the channels' kernel.
#define DISPATCH_FIRST 0u
#define DISPATCH_COUNT 3u
#define DISPATCH_CHARACTERS 4u
#define DISPATCH_CHANNELS 7u
#define DISPATCH_WORDS 10u

// The stages' outputs, in the order of lmb_stage.
#define STAGE_LOCAL 0u
#define STAGE_MODEL 1u
#define STAGE_PALETTE 2u
#define STAGE_PREVIOUS_PALETTE 3u
#define STAGE_DUAL_QUATERNIONS 4u
#define STAGE_BOUNDS 5u
#define STAGE_SOCKETS 6u
#define STAGE_CHANNELS 7u
#define STAGE_COUNT 8u

#define SOURCE_WORDS 8u      // of a source's record, on a device
#define MOST_POSE_BUFFERS 8u // of a batch

#define POSE_COMPONENTS 10u   // a transform
#define MATRIX_COMPONENTS 12u // three rows of four
#define DUAL_COMPONENTS 8u    // two quaternions
#define BOX_COMPONENTS 6u     // the lowest corner, the highest
#define BIND_COMPONENTS 8u    // a bind pose: inverse rotation, position in model space, the radius about the joint
#define SOCKET_WORDS 13u      // a socket

// A joint's transform in a pose of the program's, the same for every character, component-major: `at` is that of the
// joint's first component.
OP transform load_static_pose(memory program, address at, address joints) {
    transform a;
    a.t = all_vector(LOAD_FLOAT(program, at), LOAD_FLOAT(program, at + joints), LOAD_FLOAT(program, at + 2u * joints));
    a.q = all_quaternion(LOAD_FLOAT(program, at + 3u * joints), LOAD_FLOAT(program, at + 4u * joints),
                         LOAD_FLOAT(program, at + 5u * joints), LOAD_FLOAT(program, at + 6u * joints));
    a.s = all_vector(LOAD_FLOAT(program, at + 7u * joints), LOAD_FLOAT(program, at + 8u * joints),
                     LOAD_FLOAT(program, at + 9u * joints));
    a.weight = SPLAT(WEIGHT_PRESENT);
    return a;
}

OP transform load_rest(memory program, uint joint) {
    address joints = LOAD(program, PROGRAM_JOINTS);
    address at = LOAD(program, PROGRAM_REST);
    return load_static_pose(program, at + joint, joints);
}

// A joint's transform in a pose buffer, component-major: `at` is that of the joint's first component.
OP transform load_pose(memory pose, word at, uint joints) {
    transform a;
    a.t = make_vector(GATHER_REAL(pose, at), GATHER_REAL(pose, at + joints), GATHER_REAL(pose, at + 2u * joints));
    a.q = make_quaternion(GATHER_REAL(pose, at + 3u * joints), GATHER_REAL(pose, at + 4u * joints),
                          GATHER_REAL(pose, at + 5u * joints), GATHER_REAL(pose, at + 6u * joints));
    a.s = make_vector(GATHER_REAL(pose, at + 7u * joints), GATHER_REAL(pose, at + 8u * joints),
                      GATHER_REAL(pose, at + 9u * joints));
    a.weight = SPLAT(WEIGHT_PRESENT);
    return a;
}

// A byte of a row of them, four a word: a mask's share of a joint, a joint's weight.
OP real load_byte(memory data, uint row, uint index) {
    uint bytes = LOAD(data, row + (index >> 2u));
    return TO_REAL(ALL_WORD((bytes >> ((index & 3u) * 8u)) & 255u));
}

// A matrix that is the same for every character.
OP affine load_affine(memory data, uint at) {
    affine m;
    m.xx = SPLAT(LOAD_FLOAT(data, at));
    m.xy = SPLAT(LOAD_FLOAT(data, at + 1u));
    m.xz = SPLAT(LOAD_FLOAT(data, at + 2u));
    m.xt = SPLAT(LOAD_FLOAT(data, at + 3u));
    m.yx = SPLAT(LOAD_FLOAT(data, at + 4u));
    m.yy = SPLAT(LOAD_FLOAT(data, at + 5u));
    m.yz = SPLAT(LOAD_FLOAT(data, at + 6u));
    m.yt = SPLAT(LOAD_FLOAT(data, at + 7u));
    m.zx = SPLAT(LOAD_FLOAT(data, at + 8u));
    m.zy = SPLAT(LOAD_FLOAT(data, at + 9u));
    m.zz = SPLAT(LOAD_FLOAT(data, at + 10u));
    m.zt = SPLAT(LOAD_FLOAT(data, at + 11u));
    return m;
}

#endif
