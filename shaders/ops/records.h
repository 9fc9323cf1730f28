// The results of stage 1 for a character, which later stages read: weights, and for each use of a clip where to sample
// it. And the frame: the context of evaluating a joint.
#ifndef LMB_OPS_RECORDS_H
#define LMB_OPS_RECORDS_H

#include "layout.h"
#include "sampling.h"

#ifndef LMB_GLSL
// A distinct type, so that compilers can assume that stores to a pose do not change it.
STRUCT(stored_weight)
real value;
END_STRUCT(stored_weight)
#endif

// One use of a clip.
STRUCT(source)
real weight;     // in the result, [0, 1]; if it is 0, the clip is not sampled
real time;       // seconds within the clip
word clip;       // offset of its block, 0 if there is no such clip
lane_mask known; // whether there is such a clip
#ifdef LMB_SIMD_WIDTH
bool alike; // in all lanes the clip is known and the same, and its weight is above 0
uint usual; // that clip
#endif
END_STRUCT(source)

// The last key search of a source. Most tracks of a clip share key times, so its result is often reused.
STRUCT(key_search)
uint times; // offset of the key times that were searched, or 0
#ifdef LMB_GLSL
uint tracks; // row of the clip's track table, or TRACKS_PACKED and the offset of its packed section
uint terms;  // row of the record from which the terms of slerps are loaded
#endif
key_position found;
END_STRUCT(key_search)

#define TRACKS_PACKED 0x80000000u

// The context of an evaluation: a joint of a character.
STRUCT(evaluation)
memory program;
parameter_memory parameters;
word character;
uint joint;
lane_mask counts; // whether refused values count: false in lanes without a character
#ifdef LMB_GLSL
uint slot;         // index of the character in a workgroup that has several
key_search search; // of the sampled source
#else
const memory *poses;
memory points;     // of the first lane's character, as are transforms
memory transforms; // from model to world space
uint32_t *refused;
stored_weight *weights; // PROGRAM_WEIGHTS
source *sources;        // PROGRAM_SOURCES
key_search *searches;   // the last search of each source
transform *exchange;    // [area][joint, then channel]: poses stored for later passes
mutable_memory kept;    // [character][PROGRAM_KEPT]: kept from frame to frame; NULL if nothing is
// Those of the current instruction, set by begin_weight() and begin_source().
const stored_weight *weight;
const source *from;
key_search *search;
#endif
#ifdef LMB_SIMD_WIDTH
clip_row *rows; // [source][joint], or NULL
clip_row *row;  // [joint] of the current source, or NULL
uint run;       // number of this run
#endif
END_STRUCT(evaluation)

// POSES(frame, index) is a pose buffer, POINTS(frame) the buffer of points, TRANSFORMS(frame) that of world transforms.
// REFUSE(frame, kind, condition) counts refused values.
#ifdef LMB_GLSL
#define REFUSE(frame, kind, condition)                                                                                 \
    if ((frame).counts && (condition)) {                                                                               \
        count_refusal(kind);                                                                                           \
    }
#define POSES(frame, index) pose_buffer(frame, index)
#define POINTS(frame) point_buffer(frame)
#define TRANSFORMS(frame) transform_buffer(frame)
void count_refusal(uint kind);
ReadWords pose_buffer(evaluation e, uint index);
ReadWords point_buffer(evaluation e);
ReadWords transform_buffer(evaluation e);
Words kept_memory(evaluation e);
float load_weight(evaluation e, uint index);
void store_weight(evaluation e, uint index, float weight);
source load_source(evaluation e, uint index);
void store_source(evaluation e, uint index, source record, key_search search);
// Of the source that an instruction samples, of the weight that it reads, and of the weight after that.
source load_operand_source(evaluation e, uint instruction);
key_search load_search(evaluation e, uint instruction);
key_position load_terms(key_search search); // the found key position, prepared for rotations
float load_operand_weight(evaluation e, uint instruction);
float load_operand_total(evaluation e, uint instruction);
transform load_exchange(evaluation e, uint area, uint joint);
quaternion load_exchange_rotation(evaluation e, uint area, uint joint);
void store_exchange(evaluation e, uint area, transform pose); // of e.joint

bool keeps_memory(evaluation e) {
    return true;
}

key_position find_key_again(evaluation e, track t, uint largest_step, float time) {
    key_position at = e.search.found;
    if (e.search.times != t.times) {
        at = find_key(e.program, t, largest_step, time);
    }
    return at;
}
#else
#define REFUSE(frame, kind, condition) (frame).refused[kind] += lmb_count(AND((frame).counts, condition))
#define POSES(frame, index) (frame).poses[index]
#define POINTS(frame) (frame).points
#define TRANSFORMS(frame) (frame).transforms

OP mutable_memory kept_memory(evaluation e) {
    return e.kept;
}

OP bool keeps_memory(evaluation e) {
    return e.kept != NULL;
}

OP real load_weight(evaluation e, uint index) {
    return e.weights[index].value;
}

OP void store_weight(evaluation e, uint index, real weight) {
    e.weights[index].value = weight;
}

OP source load_source(evaluation e, uint index) {
    return e.sources[index];
}

// Programs without scale do not store it: it is 1 in every pose, and unused in sums.
OP void store_pose(transform *to, transform pose) {
    to->t = pose.t;
    to->q = pose.q;
    if (USES_SCALE) {
        to->s = pose.s;
    }
    if (USES_WEIGHTS) {
        to->weight = pose.weight;
    }
}

OP transform stored_pose(const transform *from) {
    transform pose;
    pose.t = from->t;
    pose.q = from->q;
    pose.s = all_vector(1.0f, 1.0f, 1.0f);
    if (USES_SCALE) {
        pose.s = from->s;
    }
    pose.weight = SPLAT(WEIGHT_PRESENT);
    if (USES_WEIGHTS) {
        pose.weight = from->weight;
    }
    return pose;
}

OP transform *exchange_place(evaluation e, uint area, uint joint) {
    return e.exchange + area * (LOAD(e.program, PROGRAM_JOINTS) + LOAD(e.program, PROGRAM_CHANNELS)) + joint;
}

OP transform load_exchange(evaluation e, uint area, uint joint) {
    return stored_pose(exchange_place(e, area, joint));
}

OP quaternion load_exchange_rotation(evaluation e, uint area, uint joint) {
    return exchange_place(e, area, joint)->q;
}

OP void store_exchange(evaluation e, uint area, transform pose) {
    store_pose(exchange_place(e, area, e.joint), pose);
}

// Out of line, because most joints reuse the search of the previous joint.
OP_COLD void search_key(memory data, key_search *search, track t, uint largest_step, const real *time) {
    search->times = t.times;
    search->found = find_key(data, t, largest_step, *time);
}

OP const key_position *find_key_again(evaluation e, track t, uint largest_step, real time) {
    if (e.search->times != t.times) {
        const real given = time;
        search_key(e.program, e.search, t, largest_step, &given);
    }
    return &e.search->found;
}

// Called before the joints of an instruction that reads a weight.
OP evaluation begin_weight(evaluation e, uint instruction) {
    e.weight = &e.weights[LOAD(e.program, instruction + WEIGHT_INDEX)];
    return e;
}

// Called before the joints of an instruction that samples a clip.
OP evaluation begin_source(evaluation e, uint instruction) {
    uint index = LOAD(e.program, instruction + CLIP_SOURCE);
    e.from = &e.sources[index];
    e.search = &e.searches[index];
#ifdef LMB_SIMD_WIDTH
    e.row = e.rows != NULL ? e.rows + index * LOAD(e.program, PROGRAM_JOINTS) : NULL;
#endif
    return e;
}
#endif

OP uint parent_of(memory program, uint joint) {
    return LOAD(program, LOAD(program, PROGRAM_PARENTS) + joint);
}

// A pass's first instruction, which is the end of the previous pass.
OP uint first_of_pass(memory program, uint pass) {
    return LOAD(program, LOAD(program, PROGRAM_PASSES) + pass);
}

// For layers: the factor of a layer's inputs if their fades have this sum.
OP real layer_part(real sum) {
    return SELECT(sum > 1.0f, reciprocal(sum), SPLAT(1.0f));
}

// For layers: the share that is left for the layers below.
OP real layer_rest(real left, real sum) {
    return left * (1.0f - LESSER(sum, 1.0f));
}

// The weight of an instruction from stage 1; for the end of a sum, the sum of its inputs' shares.
OP real operand_weight(evaluation e, uint instruction) {
#ifdef LMB_GLSL
    return load_operand_weight(e, instruction);
#else
    UNUSED(instruction);
    return e.weight->value;
#endif
}

// The reciprocal of that sum.
OP real total_inverse(evaluation e, uint instruction) {
#ifdef LMB_GLSL
    return load_operand_total(e, instruction);
#else
    UNUSED(instruction);
    return e.weight[1].value;
#endif
}

// The source that an instruction samples.
OP source operand_source(evaluation e, uint instruction) {
#ifdef LMB_GLSL
    return load_operand_source(e, instruction);
#else
    UNUSED(instruction);
    return *e.from;
#endif
}

// Levels of detail. Only for programs that have them.

// The character's level of detail, an integer.
OP real lod_level(evaluation e) {
    return load_weight(e, LOAD(e.program, LOAD(e.program, PROGRAM_LOD) + LOD_WEIGHT));
}

// The number of joints that a level computes: the first ones of the order.
OP uint lod_count(memory program, uint level) {
    return LOAD(program, LOAD(program, PROGRAM_LOD) + LOD_COUNTS + level);
}

OP uint lod_joint(memory program, uint place) {
    return LOAD(program, LOAD(program, PROGRAM_LOD) + LOD_ORDER + place);
}

OP lane_mask joint_is_dropped(memory program, uint joint, real level) {
    uint max_lods = LOAD(program, PROGRAM_LOD) + LOD_ORDER + LOAD(program, PROGRAM_JOINTS);
    return load_byte(program, max_lods, joint) < level;
}

#endif
