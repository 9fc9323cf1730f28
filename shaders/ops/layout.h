// Memory layout of a program's block, of pose buffers and of matrix buffers.
#ifndef LMB_OPS_LAYOUT_H
#define LMB_OPS_LAYOUT_H

#include "transform.h"

// The program's block consists of words. Offsets count words from its start. The header:
#define PROGRAM_SIZE 0
#define PROGRAM_JOINTS 1
#define PROGRAM_PARAMETERS 2
#define PROGRAM_PARENTS 3      // offset: word [joint], NO_PARENT for roots
#define PROGRAM_REST 4         // offset: a static pose
#define PROGRAM_INVERSE_BIND 5 // offset, a multiple of WIDE_LOAD: float [joint][12]
#define PROGRAM_CLIPS 6        // offset: word [clip], offsets of clip blocks, 0 for an empty slot
#define PROGRAM_CLIP_COUNT 7
#define PROGRAM_INSTRUCTIONS 8 // offset: word [instruction][INSTRUCTION_WORDS]
#define PROGRAM_INSTRUCTION_COUNT 9
#define PROGRAM_DEPTH 10        // joints on the longest path from a root to a leaf
#define PROGRAM_BANDS 11        // offset: word [band + 1], the band's first strand: see below
#define PROGRAM_ORDER 12        // offset: word [joint], strand by strand: the joint and, from bit 16 on, its parent
#define PROGRAM_CHANNELS 13     // float channels
#define PROGRAM_CHANNEL_REST 14 // offset: float [channel], then word [channel]: 1 for an angle
#define PROGRAM_POSE_FLOATS 15  // per character in a pose buffer: POSE_COMPONENTS of each joint, then the channels
#define PROGRAM_MASKS 16        // offset of the first mask
#define PROGRAM_BINDS 17        // offset: float [joint][BIND_COMPONENTS]
#define PROGRAM_SOCKETS 18      // offset: [socket]: word joint, float [12] matrix
#define PROGRAM_SOCKET_COUNT 19
#define PROGRAM_DATA 20     // offset of data that instructions refer to: values, tables
#define PROGRAM_LOD 21      // offset: levels of detail, LOD_..., or 0 if there are none
#define PROGRAM_MATRICES 22 // 1 if the result of joints is matrices, not transforms
#define PROGRAM_INERTIA 23  // 1 plus the first of INERTIA_PARAMETERS if a pass is inertialized, or 0
#define PROGRAM_RULES 24    // offset: word [rule][RULE_WORDS], the rules of a node before those of its inputs
#define PROGRAM_RULE_COUNT 25
#define PROGRAM_WEIGHTS 26 // weights per character that the rules write
#define PROGRAM_SOURCES 27 // number of uses of clips
#define PROGRAM_USES 28    // offset: word [source][USE_WORDS]
#define PROGRAM_PASSES                                                                                                 \
    29 // offset: word [pass + 1], in execution order: the first instruction of each pass, and the end of the last
#define PROGRAM_PASS_COUNT 30
#define PROGRAM_POINTS 31 // offset: word [point][POINT_WORDS]
#define PROGRAM_POINT_COUNT 32
#define PROGRAM_POINT_FLOATS 33 // per character in the buffer of points
#define PROGRAM_KEPT 34 // words that a batch keeps for each character: of inertialization, then of chains and feet
#define PROGRAM_MOTION_RULES 35 // offset: word [rule][MOTION_RULE_WORDS]
#define PROGRAM_MOTION_RULE_COUNT 36
#define PROGRAM_CONTROL_WEIGHTS 37 // weights per character in stage 1: PROGRAM_WEIGHTS, then those of motion rules
#define PROGRAM_BAND_COUNT 38
#define PROGRAM_STRANDS 39            // offset: word [strand + 1], index in the order of the strand's first joint
#define PROGRAM_REACHED 40            // words per character that say which nodes reached their targets
#define PROGRAM_REACHED_PARAMETERS 41 // offset: [word] 1 plus the parameter that the control writes, or 0
#define PROGRAM_JOINT_KEPT 42         // words kept for each joint: INERTIA_WORDS, INERTIA_SCALED_WORDS or 0
#define PROGRAM_INERTIA_PASS 43       // the pass whose result is inertialized
// A multiple of a sector, so that what follows begins at one.
#define PROGRAM_HEADER_WORDS 48

// Model matrices are computed along strands of the hierarchy: joints of which each is the only child of the one before.
// A band is levels of the hierarchy that follow each other; the next one begins at a level on which a joint has
// siblings. So the joints of a band's first level begin its strands, and their parents are in bands before. The strands
// of a band are sorted by length, the longest first.

#define NO_PARENT 0xffffffffu

// A value that a rule reads. The rule has its offset.
#define VALUE_PARAMETER 0u // a parameter's index or NO_PARAMETER
#define VALUE_CONSTANT 1u  // the bits of the constant
#define VALUE_CURVE 2u     // a curve_record
#define VALUE_WORDS 5u
#define NO_PARAMETER 0xffffffffu

// A rule computes the weights of a node's inputs from the node's own weight. Weights have indices. The weight at
// WEIGHT_WHOLE is always 1, the one at WEIGHT_NONE always 0.
#define WEIGHT_WHOLE 0u
#define WEIGHT_NONE 1u
#define RULE_KIND 0u
#define RULE_OWN 1u // the node's weight
#define RULE_LOCAL                                                                                                     \
    2u // read by its instructions: of a blend w; of a sum the share of each input, their sum, its reciprocal
#define RULE_INPUTS 3u // the first of the weights of inputs that differ from the node's
#define RULE_COUNT 4u  // of a sum: number of inputs
#define RULE_TABLE 5u  // of a sum: offset of the table that determines its shares; of others: of the value
#define RULE_X 6u      // of a blend space: value
#define RULE_Y 7u      // of a 2D blend space: value
#define RULE_SPACE 8u  // and SPACE_...
#define RULE_LIMIT 6u  // of a weight: float: maximum; the minimum is 0, or minus the maximum if that is above 1
#define RULE_CLIPS 6u  // of a planted foot: offset of [RULE_COUNT][PLANTED_WORDS]
#define RULE_WORDS 9u

#define RULE_BLEND 0u    // inputs with weights 1 - w and w
#define RULE_OVER 1u     // an input with weight w over one that has the node's own weight
#define RULE_PARTIAL 2u  // the same, but the weight is never 0
#define RULE_WEIGHTED 3u // table: word [input], values
#define RULE_LAYERS 4u   // table: [input][LAYER_WORDS], by descending priority; the rest pose is one more input
#define RULE_SPACE1D 5u  // table: float [input][ROW_WORDS]
#define RULE_SPACE2D 6u
#define RULE_LEVEL 7u        // the level of detail
#define RULE_JOINT_LAYERS 8u // as RULE_LAYERS, if shares differ by joint; local: the fades of the inputs
#define RULE_NUMBERS 9u      // table: word [number], values: clamped as weights, not normalised
#define RULE_PLANTED 10u     // local: 1 while a foot is planted, else 0; table: value

// A motion rule computes motion weights, or what joint 0 contributes to them. See motion_weights.h.
#define MOTION_RULE_KIND 0u
#define MOTION_RULE_OWN 1u    // the node's motion weight
#define MOTION_RULE_JOINT 1u  // of rules of joint 0: joint 0, or inside a mirror its partner
#define MOTION_RULE_RESULT 2u // the first weight that it writes
#define MOTION_RULE_BY 3u     // the first of the RULE_LOCAL weights, or those of joint 0; of a clip: the value
#define MOTION_RULE_FACTOR 4u // of a weight: float: the mask at joint 0
#define MOTION_RULE_COUNT 4u  // of layers and sums: number of inputs
#define MOTION_RULE_TABLE 5u  // offset; clip: float [clip]; layers: LAYER_...; states: PROFILES_...; others: the next
#define JOINT_WEIGHT_WORDS 2u // [input]: index of a weight or WEIGHT_NONE, and then the constant
#define MOTION_RULE_WORDS 6u

#define ROOT_RULE_CLIP 0u     // result: joint weight of joint 0 in a clip that a parameter chooses
#define ROOT_RULE_PARTIAL 1u  // result: the blend at joint 0; the joint weight
#define ROOT_RULE_LAYERS 2u   // result: as the local weights of a sum, at joint 0
#define ROOT_RULE_PROFILES 3u // the same, of a machine with blend profiles
#define ROOT_RULE_SUM 4u      // result: the joint weight
#define MOTION_RULE_BLEND 5u  // result: weights of both inputs
#define MOTION_RULE_OVER 6u   // result: weight of the input that is added or scaled
#define MOTION_RULE_SUM 7u    // result: weights of the inputs

// A clip that plants a foot between two times: weight index, offset of the value of its time, two floats.
#define PLANTED_WEIGHT 0u
#define PLANTED_TIME 1u
#define PLANTED_TIMES 2u // offset: float [PLANTED_COUNT], ascending: it is planted, and not planted, from these on
#define PLANTED_COUNT 3u
#define PLANTED_WORDS 4u

// A use of a clip, in the order of sources.
#define USE_WEIGHT 0u // weight index: in the pose
#define USE_MOTION 1u // the motion weight, or minus it
#define USE_JOINTS 2u // required joint count of the clip
#define USE_FLAGS 3u  // CLIP_..., REFLECTION_...
#define USE_CLIP 4u   // values
#define USE_TIME 5u
#define USE_RATE 6u
#define USE_OFFSET 7u
#define USE_WORDS 8u

// A point of inverse kinematics that comes from a buffer or is in world space. Stage 1 stores its coordinates in model
// space as weights; or in world space, if it is given in model space.
#define POINT_WEIGHT 0u // weight index of the first of three coordinates
#define POINT_FLAGS 1u  // POINT_IN_BUFFER, POINT_IN_WORLD, POINT_IS_DIRECTION, POINT_TO_WORLD
#define POINT_SLOT 2u   // POINT_IN_BUFFER: its index there
#define POINT_VALUES 3u // else: values: x, y, z
#define POINT_WORDS 6u
#define POINT_IN_BUFFER 1u
#define POINT_IN_WORLD 2u
#define POINT_IS_DIRECTION 4u
#define POINT_TO_WORLD 8u   // from model space to world space
#define POINT_COMPONENTS 4u // in the buffer: x, y, z, and a number that is not read

#define LAYER_VALUE 0u
#define LAYER_INPUT 1u
#define LAYER_END 2u    // the index after the last input of the same priority
#define LAYER_COVERS 3u // float: share of its fade that every joint has at least
#define LAYER_FULL 4u   // float: 1 over the sum of fades from which on the layer covers all below, at most 2^60
// Only if shares differ by joint:
#define LAYER_ROOT 5u        // float: the mask at joint 0
#define LAYER_FADE 6u        // weight index of the fade
#define LAYER_MASK 7u        // offset of the mask, or 0
#define LAYER_CLIP 8u        // offset of the instruction of a clip that has joint weights, or 0
#define LAYER_ROOT_WEIGHT 9u // two words: joint weight of joint 0
#define LAYER_WORDS 11u

// Blend profiles of a state machine.
#define PROFILES_NUMBERS 0u // weight index of the first of the values of its rule, see below
#define PROFILES_COUNT 1u
#define PROFILES_FIRST 2u // [profile][PROFILE_WORDS]; profile numbers start at 1
#define PROFILE_MASK 0u   // offset of the mask
#define PROFILE_CURVE 1u  // a curve_record
#define PROFILE_WORDS 4u
// The values, from consecutive parameters: for each state its weight before the fade, then for each its weight after
// the fade; the fraction of the fade's time that has passed; the number of the profile, or 0.
#define PROFILED_PART(states) (2u * (states))
#define PROFILED_WHICH(states) (2u * (states) + 1u)
#define PROFILED_NUMBERS(states) (2u * (states) + 2u)

// A pass: instructions that compute one pose of each joint. The last pass computes the result. Every other pass stores
// its pose in the exchange area with the pass's index, from which instructions of later passes read it at any joint. No
// two passes share an area, because a character that is listed twice may run twice concurrently.
//
// An instruction: its operation, then operands.
#define INSTRUCTION_WORDS 8u
#define MOST_SPECIALIZED 32u // instructions of the longest program that has a specialised kernel; a run counts as one
#define INSTRUCTION_OPERATION 0u
#define CLIP_SOURCE 1u      // clip: index of its source record
#define CLIP_ABSENT 2u      // clip: offset of the pose that replaces a clip that does not exist: rest, or no change
#define CLIP_WEIGHTS_ROW 6u // clip: offset of a mask that overrides the clip's joint weights, or 0
#define STATIC_POSE 3u      // static pose: its offset; if it has as many joints as the rig, [channel] follow
#define POSE_FLOATS 4u      // pose: floats per character in the buffer
#define POSE_BUFFER 5u      // pose: index of the pose buffer
#define POSE_JOINTS 6u      // pose: its joint count
#define SOURCE_JOINT_MAP 7u // clip, pose, static pose: offset of its joint map, or 0
#define TAKE_JOINT_MAP 1u   // take: offset of the joint map of b, or 0 if b has all joints
#define WEIGHT_INDEX 1u     // blend, masked, additive, accumulate, scale, ik: weight index
#define MASK_OFFSET 2u      // masked: offset of the mask, four joints a word, the first in the lowest byte
#define MIRROR_TABLE 1u     // mirror: offset of its table
#define MIRROR_AXIS 2u      // mirror: 0, 1 or 2
#define IK_TABLE 2u         // ik, twist, chain: offset of the table
#define EXCHANGE_AREA 3u    // mirror, to_model, to_local, ik: the area that they read
#define LIMIT_TABLE 1u      // clamp: offset of its table
#define CHOICES 3u          // interpolate, apply, affine additive, scale, mean: CHOICE_... bits
#define LAYERS_TABLE 2u     // mean, of layers with shares by joint: the rule's table
#define LAYERS_COUNT 4u     // number of inputs
#define LAYERS_PLACE 5u     // accumulate: index of the input in the table; LAYERS_COUNT for the rest pose
#define PROFILES_TABLE 2u   // mean, of a machine with blend profiles: offset of the profiles
#define PROFILES_STATES 4u  // number of states
#define PROFILES_STATE 5u   // accumulate: index of the state
#define SUM_REST 6u         // end of a sum: offset of the pose that is the result if no input has a weight

// A joint map: its joint count, then for each joint of the rig the joint's index in it, or NO_JOINT.
#define JOINT_MAP_JOINTS 0u
#define JOINT_MAP_TABLE 1u
#define NO_JOINT 0xffffffffu

// Levels of detail: which joints each one computes.
#define LOD_COUNT 8u
#define LAST_LOD 7.0f
#define LOD_WEIGHT 0u // weight index of the level
#define LOD_COUNTS 1u // word [level]: number of joints that it computes
#define LOD_ORDER 9u  // word [joint]: joints, by descending number of levels that compute them, parents before children
// After the order, a byte per joint: the highest level that computes it.

#define CLIP_LOOPS 1u   // time wraps at the duration
#define CLIP_REPEATS 4u // another use of the clip has the same weight: it does not count for players
#define CLIP_WARPS 2u   // its rate is not constant 1 or its offset not constant 0: only then are they read
#define CLIP_NEGATED 8u // its motion weight is minus the weight at USE_MOTION
// Mirrors around it reflect its root motion: from this bit on, bits of the axes that change sign.
#define CLIP_REFLECTION_SHIFT 4u

// Kinds of 2D blend spaces, and their tables. In a 1D space, and for each axis of a grid, an input has a row: the
// minimum and maximum coordinate of all inputs, its own coordinate, those of its neighbours, and the reciprocals of the
// distances to them. The rows of inputs are consecutive. In a grid each input has two rows, x and y.
#define SPACE_TRIANGLES 0u
#define SPACE_GRID 1u
#define SPACE_BANDS 2u
#define SPACE_POLAR_BANDS 3u
#define SPACE_NEAREST 4u // also in a 1D space, whose positions have y 0
#define ROW_MIN 0u
#define ROW_MAX 1u
#define ROW_BEFORE 2u
#define ROW_RISE 3u
#define ROW_OWN 4u
#define ROW_AFTER 5u
#define ROW_FALL 6u
#define ROW_WORDS 7u

// All other tables begin with the same fields.
#define SPACE_MIDDLE 0u        // two floats
#define SPACE_REACH 2u         // maximum distance from the middle; positions beyond it are moved to it
#define SPACE_PLACES 3u        // number of positions; for bands the number of other positions
#define SPACE_FIRST_NEAREST 4u // nearest: the positions
// Bands: each input has a table of the same size: its own position, then for each other position that position and the
// gradient.
#define SPACE_OWN_PLACE 4u
#define SPACE_FIRST_BAND 6u
#define BAND_GRADIENT 2u
#define BAND_WORDS 4u
// Bands in polar space, in the same way: also the distance of the own position from the origin, and for each other
// position its kind, on which side of the own direction it is (1: anticlockwise, -1, or 0: opposite to it), and the
// gradients along angle and distance. If one of both positions is the origin, the last word is 4 over the other's
// distance, and those before it are unused.
#define SPACE_OWN_DISTANCE 6u
#define SPACE_FIRST_POLAR_BAND 7u
#define POLAR_KIND 2u
#define POLAR_SIDE 3u
#define POLAR_BY_ANGLE 4u
#define POLAR_BY_DISTANCE 5u
#define POLAR_WORDS 6u
#define POLAR_BETWEEN 0u
#define POLAR_TO_ORIGIN 1u   // the other position is the origin
#define POLAR_FROM_ORIGIN 2u // the own position is
// Triangles: tolerance of being outside of the hull, and the offsets of its edges and of the pieces into which the
// plane is divided.
#define SPACE_NEAR 4u
#define SPACE_EDGES 5u
#define SPACE_FIRST_EDGE 6u
#define SPACE_PIECES 7u
#define SPACE_FIRST_PIECE 8u
#define SPACE_FIRST_PLACE 9u
#define EDGE_FROM 0u   // a position
#define EDGE_TO 2u     // a position
#define EDGE_ALONG 4u  // a unit vector
#define EDGE_LENGTH 6u // distance between the two positions
#define EDGE_WORDS 7u
#define PIECE_CORNERS 0u // three inputs, of which the first may be NO_CORNER
#define PIECE_FROM 3u    // position of the third corner
#define PIECE_GRADIENTS 5u
#define PIECE_WORDS 9u
#define NO_CORNER 0xffffffffu

#define MOST_INPUTS 64u // of a sum; layers have at most 16, and the rest pose
#define STACK_POSES 11u // maximum number of poses that a program holds at once

// Refused inputs, which are counted, in the order of lmb_refusal.
#define REFUSED_CLIP 0u
#define REFUSED_TIME 1u
#define REFUSED_WEIGHT 2u
#define REFUSED_POSE 3u
#define REFUSED_CHARACTER 4u
#define REFUSED_SHEAR 5u

// Words that shaders/list.comp writes: dispatch arguments of the pose kernel, number of listed characters, dispatch
// arguments of the model kernel, of the channels kernel and of the weights kernel.
#define DISPATCH_FIRST 0u
#define DISPATCH_COUNT 3u
#define DISPATCH_CHARACTERS 4u
#define DISPATCH_CHANNELS 7u
#define DISPATCH_WEIGHTS 10u
#define DISPATCH_WORDS 13u

// The stages' outputs, in the order of lmb_output.
#define OUTPUT_LOCAL 0u
#define OUTPUT_MODEL 1u
#define OUTPUT_PALETTE 2u
#define OUTPUT_PREVIOUS_PALETTE 3u
#define OUTPUT_DUAL_QUATERNIONS 4u
#define OUTPUT_BOUNDS 5u
#define OUTPUT_SOCKETS 6u
#define OUTPUT_CHANNELS 7u
#define OUTPUT_COUNT 8u

#define SOURCE_WORDS 16u     // of a source's record, on the GPU
#define MOST_POSE_BUFFERS 8u // per batch
#define LARGEST_GRID 65535u  // workgroups per axis that every device supports

#define POSE_COMPONENTS 10u   // a transform
#define MATRIX_COMPONENTS 12u // three rows of four
#define DUAL_COMPONENTS 8u    // two quaternions
#define BOX_COMPONENTS 6u     // minimum corner, maximum corner
#define BIND_COMPONENTS 8u    // a bind pose: inverse rotation, position in model space, bounding radius about the joint
#define OUTSIDE_BOUNDS -1.0f  // in place of that radius: bounds leave the joint out
#define SOCKET_WORDS 13u      // a socket

// Of a ragdoll's call: there are animated poses, a mask of bodies, counters.
#define RAGDOLL_FLAG_ANIMATED 1u
#define RAGDOLL_FLAG_MASK 2u
#define RAGDOLL_FLAG_COUNTS 4u

// A static pose, as the rest pose, is the same for every character: word [joint][STATIC_POSE_WORDS]. Its offset is that
// of the rest pose plus a multiple of STATIC_POSE_WORDS, and a multiple of WIDE_LOAD.
#define STATIC_POSE_WORDS 12u
#define STATIC_POSE_TRANSLATION 0u
#define STATIC_POSE_ROTATION 4u
#define STATIC_POSE_SCALE 8u

// Loads a joint's transform from the static pose at an offset.
OP transform load_static_pose(memory program, address at, address joint) {
    transform a;
#ifdef LMB_GLSL
    uint row = at / WIDE_LOAD + joint * (STATIC_POSE_WORDS / WIDE_LOAD);
    vec4 t = uintBitsToFloat(load_wide(row));
    vec4 q = uintBitsToFloat(load_wide(row + STATIC_POSE_ROTATION / WIDE_LOAD));
    vec4 s = uintBitsToFloat(load_wide(row + STATIC_POSE_SCALE / WIDE_LOAD));
    a.t = make_vector(t.x, t.y, t.z);
    a.q = make_quaternion(q.x, q.y, q.z, q.w);
    a.s = make_vector(s.x, s.y, s.z);
#else
    address t = at + joint * STATIC_POSE_WORDS;
    address q = t + STATIC_POSE_ROTATION;
    address s = t + STATIC_POSE_SCALE;
    a.t = all_vector(LOAD_FLOAT(program, t), LOAD_FLOAT(program, t + 1u), LOAD_FLOAT(program, t + 2u));
    a.q = all_quaternion(LOAD_FLOAT(program, q), LOAD_FLOAT(program, q + 1u), LOAD_FLOAT(program, q + 2u),
                         LOAD_FLOAT(program, q + 3u));
    a.s = all_vector(LOAD_FLOAT(program, s), LOAD_FLOAT(program, s + 1u), LOAD_FLOAT(program, s + 2u));
#endif
    a.weight = SPLAT(WEIGHT_PRESENT);
    return a;
}

OP transform load_rest(memory program, uint joint) {
    return load_static_pose(program, LOAD(program, PROGRAM_REST), joint);
}

// Loads a joint's transform from a pose buffer, stored component-major. `at` is the offset of the joint's first
// component.
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

// Loads a byte from a row that has four per word: a mask's value or joint weight of a joint.
OP real load_byte(memory data, uint row, uint index) {
    uint bytes = LOAD(data, row + (index >> 2u));
    return TO_REAL(ALL_WORD((bytes >> ((index & 3u) * 8u)) & 255u));
}

// Loads a matrix that is the same for every character.
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

// Inertialization: parameters, and the memory that a batch keeps for each character.
// Consecutive parameters, in the order of lmb_inertia_parameter.
#define INERTIA_NUMBER 0u   // frame number, an integer that wraps to 0 after INERTIA_LAST_NUMBER
#define INERTIA_STEP 1u     // seconds between the two previous frames
#define INERTIA_SWITCHED 2u // frame number of the last switch
#define INERTIA_TIME 3u     // seconds since the frame before the switch
#define INERTIA_DURATION 4u // seconds, 0 for none
#define INERTIA_PARAMETERS 5u
#define INERTIA_LAST_NUMBER 0xffffffu

// A joint's words. Each word is stored for all joints of a character before the next word. There are three poses: those
// shown in even and in odd frame numbers, and the offset. Scales come last, because most graphs have none.
// 0: translation and rotation of the poses, INERTIA_POSE_WORDS each
#define INERTIA_OFFSET 14u // those of the offset
#define INERTIA_RATES 21u  // of the offset's translation and rotation
#define INERTIA_STAMPS 23u // of the two shown poses: 1 plus the frame number, or 0 if there is none
#define INERTIA_TAKEN 25u  // 1 plus the number of the frame in which the offset was taken, or 0 if there is none
#define INERTIA_WORDS 26u
#define INERTIA_SCALES 26u // of the three poses, INERTIA_SCALE_WORDS each
#define INERTIA_OFFSET_SCALE 32u
#define INERTIA_SCALE_RATE 35u // of the offset's scale
#define INERTIA_SCALED_WORDS 36u

#define INERTIA_POSE_WORDS 7u
#define INERTIA_SCALE_WORDS 3u

#endif
