// Memory layout of a program's block, of pose buffers and of matrix buffers.
#ifndef LMB_OPS_LAYOUT_H
#define LMB_OPS_LAYOUT_H

#include "transform.h"

// The program's block consists of words. Offsets count words from its start. The header:
RECORD(PROGRAM)
uint size;
uint joints;
uint parameters;
uint parents;      // offset: word [joint], NO_PARENT for roots
uint rest;         // offset: a static pose
uint inverse_bind; // offset, a multiple of WIDE_LOAD: float [joint][12]
uint clips;        // offset: word [clip], offsets of clip blocks, 0 for an empty slot
uint clip_count;
uint instructions; // offset: word [instruction] INSTRUCTION
uint instruction_count;
uint depth;        // joints on the longest path from a root to a leaf
uint bands;        // offset: word [band + 1], the band's first strand: see below
uint order;        // offset: word [joint], strand by strand: the joint and, from bit 16 on, its parent
uint channels;     // float channels
uint channel_rest; // offset: float [channel], then word [channel]: 1 for an angle
uint pose_floats;  // per character in a pose buffer: POSE_COMPONENTS of each joint, then the channels
uint masks;        // offset of the first mask
uint binds;        // offset: float [joint][BIND_COMPONENTS]
uint sockets;      // offset: [socket]: word joint, float [12] matrix
uint socket_count;
uint data;     // offset of data that instructions refer to: values, tables
uint lod;      // offset: levels of detail, LOD_..., or 0 if there are none
uint matrices; // 1 if the result of joints is matrices, not transforms
uint inertia;  // 1 plus the first parameter of INERTIA_INPUT if a pass is inertialized, or 0
uint rules;    // offset: word [rule] RULE, the rules of a node before those of its inputs
uint rule_count;
uint weights; // weights per character that the rules write
uint sources; // number of uses of clips
uint uses;    // offset: word [source] USE
// offset: word [pass + 1], in execution order: the first instruction of each pass, and the end of the last; then word
// [pass + 1], likewise of records in `skips`
uint passes;
uint pass_count;
uint points; // offset: word [point] POINT
uint point_count;
uint point_floats; // per character in the buffer of points
uint kept;         // words that a batch keeps for each character: of inertialization, then of chains and feet
uint motion_rules; // offset: word [rule] MOTION_RULE
uint motion_rule_count;
uint control_weights; // weights per character in stage 1: PROGRAM.weights, then those of motion rules
uint band_count;
uint strands;            // offset: word [strand + 1], index in the order of the strand's first joint
uint reached;            // words per character that say which nodes reached their targets
uint reached_parameters; // offset: [word] 1 plus the parameter that the control writes, or 0
uint joint_kept;         // words kept for each joint: those of INERTIA or SCALED_INERTIA, or 0
uint inertia_pass;       // the pass whose result is inertialized
uint skips;              // offset: word [skip] SKIP
END_RECORD(PROGRAM, 45)

// A multiple of a sector, so that what follows begins at one.
#define PROGRAM_HEADER_WORDS 48

// Model matrices are computed along strands of the hierarchy: joints of which each is the only child of the one before.
// A band is levels of the hierarchy that follow each other; the next one begins at a level on which a joint has
// siblings. So the joints of a band's first level begin its strands, and their parents are in bands before. The strands
// of a band are sorted by length, the longest first.

#define NO_PARENT 0xffffffffu

// A value that a rule reads. The rule has its offset.
RECORD(VALUE)
uint parameter; // its index, or NO_PARAMETER
FLOAT(constant);
WORDS(3, curve);
END_RECORD(VALUE, 5)
#define NO_PARAMETER 0xffffffffu

// A rule computes the weights of a node's inputs from the node's own weight. Weights have indices. The weight at
// WEIGHT_WHOLE is always 1, the one at WEIGHT_NONE always 0.
#define WEIGHT_WHOLE 0u
#define WEIGHT_NONE 1u

RECORD(RULE)
uint kind;
uint own;    // the node's weight
uint local;  // read by its instructions: of a blend w; of a sum the share of each input, their sum, its reciprocal
uint inputs; // the first of the weights of inputs that differ from the node's
uint count;  // of a sum: number of inputs
uint table;  // of a sum: offset of the table that determines its shares; of others: of the value
uint x;      // of a blend space: value
uint y;      // of a 2D blend space: value
uint space;  // and SPACE_...
// 1 if what the node gives its inputs counts although the node has no weight, because somebody looks at its pose: its
// joint weights, or a node that remembers or reports what it sees. Else 0.
FLOAT(always);
END_RECORD(RULE, 10)

// The same words of a rule that clamps a weight, and of a planted foot.
RECORD(CLAMPED_RULE)
WORDS(6, rule);
FLOAT(limit); // maximum; the minimum is 0, or minus the maximum if that is above 1
WORDS(2, unused);
FLOAT(always);
END_RECORD(CLAMPED_RULE, 10)

RECORD(PLANTED_RULE)
WORDS(6, rule);
uint clips; // offset: [RULE.count] PLANTED
WORDS(3, unused);
END_RECORD(PLANTED_RULE, 10)

#define RULE_BLEND 0u    // inputs with weights 1 - w and w
#define RULE_OVER 1u     // an input with weight w over one that has the node's own weight
#define RULE_PARTIAL 2u  // the same, but the weight is never 0
#define RULE_WEIGHTED 3u // table: word [input], values
#define RULE_LAYERS 4u   // table: [input] LAYER, by descending priority; the rest pose is one more input
#define RULE_SPACE1D 5u  // table: float [input] ROW
#define RULE_SPACE2D 6u
#define RULE_LEVEL 7u        // the level of detail
#define RULE_JOINT_LAYERS 8u // as RULE_LAYERS, if shares differ by joint; local: the fades of the inputs
#define RULE_NUMBERS 9u      // table: word [number], values: clamped as weights, not normalised
#define RULE_PLANTED 10u     // local: 1 while a foot is planted, else 0; table: value

// A motion rule computes motion weights, or what joint 0 contributes to them. See motion_weights.h.
RECORD(MOTION_RULE)
uint kind;
uint own;    // the node's motion weight
uint result; // the first weight that it writes
uint by;     // the first of the RULE.local weights, or those of joint 0; of a clip: the value
uint count;  // of layers and sums: number of inputs
uint table;  // offset; clip: float [clip]; layers: LAYER_...; states: PROFILES_...; others: the next
END_RECORD(MOTION_RULE, 6)

// The same words of a rule that scales a motion weight.
RECORD(SCALED_MOTION_RULE)
WORDS(4, rule);
FLOAT(factor); // the mask at joint 0
uint unused;
END_RECORD(SCALED_MOTION_RULE, 6)

// An input's joint weight: the index of a weight, or WEIGHT_NONE and then the constant counts.
RECORD(JOINT_WEIGHT)
uint weight;
FLOAT(constant);
END_RECORD(JOINT_WEIGHT, 2)

#define ROOT_RULE_CLIP 0u     // result: joint weight of joint 0 in a clip that a parameter chooses
#define ROOT_RULE_PARTIAL 1u  // result: the blend at joint 0; the joint weight
#define ROOT_RULE_LAYERS 2u   // result: as the local weights of a sum, at joint 0
#define ROOT_RULE_PROFILES 3u // the same, of a machine with blend profiles
#define ROOT_RULE_SUM 4u      // result: the joint weight
#define MOTION_RULE_BLEND 5u  // result: weights of both inputs
#define MOTION_RULE_OVER 6u   // result: weight of the input that is added or scaled
#define MOTION_RULE_SUM 7u    // result: weights of the inputs

// A clip that plants a foot between two times: weight index, offset of the value of its time, two floats.
RECORD(PLANTED)
uint weight;
uint time;
uint times; // offset: float [PLANTED.count], ascending: it is planted, and not planted, from these on
uint count;
END_RECORD(PLANTED, 4)

// A use of a clip, in the order of sources.
RECORD(USE)
uint weight; // weight index: in the pose
uint motion; // the motion weight, or minus it
uint joints; // required joint count of the clip
uint flags;  // CLIP_..., REFLECTION_...
uint clip;   // values
uint time;
uint rate;
uint offset;
END_RECORD(USE, 8)

// A point of inverse kinematics that comes from a buffer or is in world space. Stage 1 stores its coordinates in model
// space as weights; or in world space, if it is given in model space.
RECORD(POINT)
uint weight;      // weight index of the first of three coordinates
uint flags;       // POINT_IN_BUFFER, POINT_IN_WORLD, POINT_IS_DIRECTION, POINT_TO_WORLD
uint slot;        // POINT_IN_BUFFER: its index there
WORDS(3, values); // else: values: x, y, z
END_RECORD(POINT, 6)
#define POINT_IN_BUFFER 1u
#define POINT_IN_WORLD 2u
#define POINT_IS_DIRECTION 4u
#define POINT_TO_WORLD 8u   // from model space to world space
#define POINT_COMPONENTS 4u // in the buffer: x, y, z, and a number that is not read

RECORD(LAYER)
uint value;
uint from;
uint end;      // the index after the last input of the same priority
FLOAT(covers); // share of its fade that every joint has at least
FLOAT(full);   // 1 over the sum of fades from which on the layer covers all below, at most 2^60
// Only if shares differ by joint:
FLOAT(root);           // the mask at joint 0
uint fade;             // weight index of the fade
uint mask;             // offset of the mask, or 0
uint clip;             // offset of the instruction of a clip that has joint weights, or 0
WORDS(2, root_weight); // joint weight of joint 0
END_RECORD(LAYER, 11)

// Blend profiles of a state machine.
RECORD(PROFILES)
uint numbers; // weight index of the first of the values of its rule, see below
uint count;
END_RECORD(PROFILES, 2)
// Behind it: [profile] PROFILE; profile numbers start at 1.
RECORD(PROFILE)
uint mask;       // offset of the mask
WORDS(3, curve); // a curve_record
END_RECORD(PROFILE, 4)

// The values, from consecutive parameters: for each state its weight before the fade, then for each its weight after
// the fade; the fraction of the fade's time that has passed; the number of the profile, or 0.
#define PROFILED_PART(states) (2u * (states))
#define PROFILED_WHICH(states) (2u * (states) + 1u)
#define PROFILED_NUMBERS(states) (2u * (states) + 2u)

// A pass: instructions that compute one pose of each joint. The last pass computes the result. Every other pass stores
// its pose in the exchange area with the pass's index, from which instructions of later passes read it at any joint. No
// two passes share an area, because a character that is listed twice may run twice concurrently.
//
// An instruction: its operation, then operands that follow from it.
RECORD(INSTRUCTION)
uint operation;
WORDS(7, operands);
END_RECORD(INSTRUCTION, 8)

// Instructions that nobody needs where a weight is 0: those of an input of an operation, unless they report anything or
// are seen whatever the weight (RULE.always). They are sorted by their first instruction; of those with the same one,
// the longest comes first.
RECORD(SKIP)
uint first;  // instruction
uint end;    // the instruction after them
uint weight; // weight index: the input's, or its share of a sum
uint absent; // offset of the pose that they leave if they do not run; 0: none, because they add the input to the sum
END_RECORD(SKIP, 4)

#define MOST_HELD 32u // operands that a specialised kernel on a processor loads once for a character
#define NOT_HELD 0xffffffffu

// What samples a clip.
RECORD(SAMPLE)
uint operation;
uint source; // index of its source record
uint absent; // offset of the pose that replaces a clip that does not exist: rest, or no change
WORDS(3, unused);
uint weights;   // offset of a mask that overrides the clip's joint weights, or 0
uint joint_map; // also of a pose and of a static pose: offset of its joint map, or 0
END_RECORD(SAMPLE, 8)

// What takes a pose from a buffer, or a static pose.
RECORD(GIVEN)
uint operation;
WORDS(2, unused);
uint static_pose; // its offset, or 0; if it has as many joints as the rig, [channel] follow
uint floats;      // per character in the buffer
uint number;      // index of the pose buffer
uint joints;      // its joint count
uint joint_map;
END_RECORD(GIVEN, 8)

// What has a weight, a mask, or choices; and the end of a sum.
RECORD(BLEND)
uint operation;
uint weight;  // of blend, masked, additive, accumulate, scale and ik: weight index
uint mask;    // offset of the mask, four joints a word, the first in the lowest byte
uint choices; // of interpolate, apply, affine additive, scale and mean: CHOICE_... bits
WORDS(2, unused);
uint rest; // end of a sum: offset of the pose that is the result if no input has a weight
uint last;
END_RECORD(BLEND, 8)

// What reads an exchange area: mirror, to_model, to_local and ik.
RECORD(EXCHANGED)
uint operation;
uint weight;
uint table; // of ik, twist and chain: offset of the table
uint area;
WORDS(4, unused);
END_RECORD(EXCHANGED, 8)

RECORD(MIRRORED)
uint operation;
uint table; // offset
uint axis;  // 0, 1 or 2
uint area;
WORDS(4, unused);
END_RECORD(MIRRORED, 8)

RECORD(CLAMPED)
uint operation;
uint table; // offset
WORDS(6, unused);
END_RECORD(CLAMPED, 8)

RECORD(TAKEN)
uint operation;
uint joint_map; // offset of the joint map of b, or 0 if b has all joints
WORDS(6, unused);
END_RECORD(TAKEN, 8)

// Of layers with shares by joint: mean, and accumulate.
RECORD(LAYERED)
uint operation;
uint weight;
uint table; // mean: the rule's table
uint choices;
uint count; // number of inputs
uint place; // accumulate: index of the input in the table; `count` for the rest pose
WORDS(2, unused);
END_RECORD(LAYERED, 8)

// Of a machine with blend profiles, likewise.
RECORD(STATES)
uint operation;
uint weight;
uint table; // mean: offset of the profiles
uint choices;
uint count; // number of states
uint state; // accumulate: index of the state
WORDS(2, unused);
END_RECORD(STATES, 8)

// A joint map: its joint count, then for each joint of the rig the joint's index in it, or NO_JOINT.
RECORD(JOINT_MAP)
uint joints;
END_RECORD(JOINT_MAP, 1)
#define NO_JOINT 0xffffffffu

// Levels of detail: which joints each one computes.
#define LOD_COUNT 8u
#define LAST_LOD 7.0f

RECORD(LOD)
uint weight;      // weight index of the level
WORDS(8, counts); // word [level]: number of joints that it computes
END_RECORD(LOD, 9)
// Behind it: word [joint]: joints, by descending number of levels that compute them, parents before children. Then a
// byte per joint: the highest level that computes it.

#define CLIP_LOOPS 1u   // time wraps at the duration
#define CLIP_REPEATS 4u // another use of the clip has the same weight: it does not count for players
#define CLIP_WARPS 2u   // its rate is not constant 1 or its offset not constant 0: only then are they read
#define CLIP_NEGATED 8u // its motion weight is minus the weight at USE.motion
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

RECORD(ROW)
FLOAT(min);
FLOAT(max);
FLOAT(before);
FLOAT(rise);
FLOAT(own);
FLOAT(after);
FLOAT(fall);
END_RECORD(ROW, 7)

// All other tables begin with the same fields.
RECORD(SPACE)
WORDS(2, middle); // two floats
FLOAT(reach);     // maximum distance from the middle; positions beyond it are moved to it
uint places;      // number of positions; for bands the number of other positions
END_RECORD(SPACE, 4)

// Nearest: the positions follow.
// Bands: each input has a table of the same size: its own position, then for each other position that position and the
// gradient.
RECORD(BAND_SPACE)
WORDS(4, space);
WORDS(2, own_place);
END_RECORD(BAND_SPACE, 6)

RECORD(BAND)
WORDS(2, place);
WORDS(2, gradient);
END_RECORD(BAND, 4)

// Bands in polar space, in the same way: also the distance of the own position from the origin, and for each other
// position its kind, on which side of the own direction it is (1: anticlockwise, -1, or 0: opposite to it), and the
// gradients along angle and distance. If one of both positions is the origin, the last word is 4 over the other's
// distance, and those before it are unused.
RECORD(POLAR_SPACE)
WORDS(4, space);
WORDS(2, own_place);
FLOAT(own_distance);
END_RECORD(POLAR_SPACE, 7)

RECORD(POLAR)
WORDS(2, place);
uint kind;
FLOAT(side);
FLOAT(by_angle);
FLOAT(by_distance);
END_RECORD(POLAR, 6)
#define POLAR_BETWEEN 0u
#define POLAR_TO_ORIGIN 1u   // the other position is the origin
#define POLAR_FROM_ORIGIN 2u // the own position is
// Triangles: tolerance of being outside of the hull, and the offsets of its edges and of the pieces into which the
// plane is divided.
RECORD(TRIANGLE_SPACE)
WORDS(4, space);
FLOAT(tolerance);
uint edges;
uint first_edge;
uint pieces;
uint first_piece;
END_RECORD(TRIANGLE_SPACE, 9)

RECORD(EDGE)
WORDS(2, from);  // a position
WORDS(2, to);    // a position
WORDS(2, along); // a unit vector
FLOAT(distance); // between the two positions
END_RECORD(EDGE, 7)

RECORD(PIECE)
WORDS(3, corners); // three inputs, of which the first may be NO_CORNER
WORDS(2, from);    // position of the third corner
WORDS(4, gradients);
END_RECORD(PIECE, 9)
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
RECORD(DISPATCH)
WORDS(3, first);
uint count;
WORDS(3, characters);
WORDS(3, channels);
WORDS(3, weights);
END_RECORD(DISPATCH, 13)

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

RECORD(SOCKET)
uint joint;
WORDS(12, matrix);
END_RECORD(SOCKET, 13)

// Of a ragdoll's call: there are animated poses, a mask of bodies, counters.
#define RAGDOLL_FLAG_ANIMATED 1u
#define RAGDOLL_FLAG_MASK 2u
#define RAGDOLL_FLAG_COUNTS 4u

// A static pose, as the rest pose, is the same for every character: [joint] STATIC_POSE. Its offset is that
// of the rest pose plus a multiple of its words, and a multiple of WIDE_LOAD.
RECORD(STATIC_POSE)
WORDS(4, translation);
WORDS(4, rotation);
WORDS(4, scale);
END_RECORD(STATIC_POSE, 12)

// Loads a joint's transform from the static pose at an offset.
OP transform load_static_pose(memory program, address at, address joint) {
    transform a;
#ifdef LMB_GLSL
    uint row = at / WIDE_LOAD + joint * (WORDS_OF(STATIC_POSE) / WIDE_LOAD);
    vec4 t = uintBitsToFloat(load_wide(row));
    vec4 q = uintBitsToFloat(load_wide(row + FIELD(STATIC_POSE, rotation) / WIDE_LOAD));
    vec4 s = uintBitsToFloat(load_wide(row + FIELD(STATIC_POSE, scale) / WIDE_LOAD));
    a.t = make_vector(t.x, t.y, t.z);
    a.q = make_quaternion(q.x, q.y, q.z, q.w);
    a.s = make_vector(s.x, s.y, s.z);
#else
    address t = at + joint * WORDS_OF(STATIC_POSE);
    address q = t + FIELD(STATIC_POSE, rotation);
    address s = t + FIELD(STATIC_POSE, scale);
    a.t = all_vector(LOAD_FLOAT(program, t), LOAD_FLOAT(program, t + 1u), LOAD_FLOAT(program, t + 2u));
    a.q = all_quaternion(LOAD_FLOAT(program, q), LOAD_FLOAT(program, q + 1u), LOAD_FLOAT(program, q + 2u),
                         LOAD_FLOAT(program, q + 3u));
    a.s = all_vector(LOAD_FLOAT(program, s), LOAD_FLOAT(program, s + 1u), LOAD_FLOAT(program, s + 2u));
#endif
    a.weight = SPLAT(WEIGHT_PRESENT);
    return a;
}

OP transform load_rest(memory program, uint joint) {
    return load_static_pose(program, HEADER(program, PROGRAM, rest), joint);
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
RECORD(INERTIA_INPUT)
FLOAT(number);   // frame number, an integer that wraps to 0 after INERTIA_LAST_NUMBER
FLOAT(step);     // seconds between the two previous frames
FLOAT(switched); // frame number of the last switch
FLOAT(time);     // seconds since the frame before the switch
FLOAT(duration); // seconds, 0 for none
END_RECORD(INERTIA_INPUT, 5)
#define INERTIA_LAST_NUMBER 0xffffffu

// A joint's words. Each word is stored for all joints of a character before the next word. There are three poses: those
// shown in even and in odd frame numbers, and the offset. Scales come last, because most graphs have none.
RECORD(INERTIA_POSE)
WORDS(3, translation);
WORDS(4, rotation);
END_RECORD(INERTIA_POSE, 7)

RECORD(INERTIA)
WORDS(14, shown); // two INERTIA_POSE
WORDS(7, offset); // INERTIA_POSE
WORDS(2, rates);  // of the offset's translation and rotation
WORDS(2, stamps); // of the two shown poses: 1 plus the frame number, or 0 if there is none
uint taken;       // 1 plus the number of the frame in which the offset was taken, or 0 if there is none
END_RECORD(INERTIA, 26)

RECORD(SCALED_INERTIA)
WORDS(26, inertia);
WORDS(6, scales); // of the two shown poses
WORDS(3, offset_scale);
FLOAT(scale_rate); // of the offset's scale
END_RECORD(SCALED_INERTIA, 36)
#define INERTIA_SCALE_WORDS 3u

#endif
