// The results of stage 1 for a character, which later stages read: weights, and for each use of a clip where to sample
// it. And the frame: the context of evaluating a joint.
#ifndef LMB_OPS_RECORDS_H
#define LMB_OPS_RECORDS_H

#include "clip_rows.h"
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
lane_mask sampled; // lanes that sample it: the clip is known, and its weight is above 0
word place;        // index of the clip; in lanes that do not sample it, that of a lane that does
bool any;          // any lane samples it
bool full;         // all lanes do
bool alike;        // those that do play the same clip
uint usual;        // the clip of one of them
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
#ifdef LMB_SIMD_WIDTH
// The rows of the clip that each lane plays, or of the one that all play; NULL if it has none.
const clip_rows *rows[LMB_SIMD_WIDTH];
// If lanes play different clips, `found` is for their common key times (MIXED_TIMES). This is for others.
word apart_times;
bool has_apart;
key_position apart;
#endif
END_STRUCT(key_search)

#ifdef LMB_SIMD_WIDTH
// A weighted sum of clips whose inputs differ from lane to lane. The first rank is the first input that has a weight in
// each lane, the second rank the second one, and so on, so lanes that have different inputs share the work of a rank.
// Inputs without a weight change no bit, and the others keep their order.
typedef struct ranked_sum {
    uint at;      // offset of the instruction that begins it
    uint sources; // of it
    uint end;     // offset of the instruction that ends it
    uint first;   // index of the first rank's source and share
    uint ranks;   // of the current characters; 0: its inputs are sampled one by one
} ranked_sum;
#endif

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
stored_weight *weights; // PROGRAM.weights
source *sources;        // PROGRAM.sources
key_search *searches;   // the last search of each source
transform *exchange;    // [area][joint, then channel]: poses stored for later passes
mutable_memory kept;    // [character][PROGRAM.kept]: kept from frame to frame; NULL if nothing is
mutable_memory reached; // [character][PROGRAM.reached]; NULL if nobody reads it
// Those of the current instruction, set by begin_weight() and begin_source().
const stored_weight *weight;
const source *from;
key_search *search;
#endif
#ifdef LMB_SIMD_WIDTH
clip_cache *cache;
bool covered;     // whether lanes that do not sample the current source do not count
ranked_sum *sums; // sums that can be ranked, in the order of their instructions
uint sum_count;
stored_weight *rank_weights; // [rank] of all sums, as are their sources and searches behind those of the program
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
Words reached_memory(evaluation e);
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

bool keeps_reached(evaluation e) {
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

OP mutable_memory reached_memory(evaluation e) {
    return e.reached;
}

OP bool keeps_reached(evaluation e) {
    return e.reached != NULL;
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

// What sampling a source needs of an evaluation, for cold code, which takes it by address. If all fields were copied,
// Clang would keep the original in memory, too, and copy that for every joint.
OP evaluation sampling_part(evaluation e) {
    evaluation at = {.program = e.program, .joint = e.joint, .from = e.from, .search = e.search};
#ifdef LMB_SIMD_WIDTH
    at.covered = e.covered;
#endif
    return at;
}

OP void store_source(evaluation e, uint index, source record) {
    e.sources[index] = record;
    e.searches[index].times = 0u;
}

#ifdef LMB_SIMD_WIDTH
// Finds the rows of the clips that lanes play.
OP_COLD void find_source_rows(memory program, clip_cache *cache, const source *s, key_search *search) {
    search->has_apart = false;
    search->rows[0] = find_rows(program, cache, LANE(s->place, 0));
    for (int lane = 1; lane < LMB_SIMD_WIDTH && !s->alike; lane++) {
        search->rows[lane] = find_rows(program, cache, LANE(s->place, lane));
    }
}

// What lanes have in common. `place` is the index of the clip.
OP source compare_lanes(source given, word place) {
    source s = given;
    s.sampled = AND(s.known, s.weight > 0.0f);
    s.any = ANY(s.sampled);
    s.full = ALL(s.sampled);
    s.usual = ONE_OF(s.sampled, s.clip);
    s.alike = ALL(OR(s.clip == s.usual, NOT(s.sampled)));
    s.place = SELECT(s.sampled, place, ALL_WORD(ONE_OF(s.sampled, place)));
    return s;
}

// A source that no lane samples.
OP void store_unseen_source(evaluation e, uint index) {
    source s = {.weight = SPLAT(0.0f), .time = SPLAT(0.0f), .alike = true};
    store_source(e, index, s);
}

OP void store_lanes(evaluation e, uint index, source s) {
    store_source(e, index, s);
    if (s.any) {
        find_source_rows(e.program, e.cache, &e.sources[index], &e.searches[index]);
    }
}
#endif

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
    return e.exchange + area * (HEADER(e.program, PROGRAM, joints) + HEADER(e.program, PROGRAM, channels)) + joint;
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
    e.weight = &e.weights[READ(e.program, instruction, BLEND, weight)];
    return e;
}

// Called before the joints of an instruction that samples a clip.
OP evaluation begin_source(evaluation e, uint instruction) {
    uint index = READ(e.program, instruction, SAMPLE, source);
    e.from = &e.sources[index];
    e.search = &e.searches[index];
#ifdef LMB_SIMD_WIDTH
    e.covered = e.from->full;
#endif
    return e;
}
#endif

OP uint parent_of(memory program, uint joint) {
    return LOAD(program, HEADER(program, PROGRAM, parents) + joint);
}

// A pass's first instruction, which is the end of the previous pass.
OP uint first_of_pass(memory program, uint pass) {
    return LOAD(program, HEADER(program, PROGRAM, passes) + pass);
}

// A pass's first skip, which is the end of the previous pass.
OP uint skip_of_pass(memory program, uint pass) {
    return LOAD(program, HEADER(program, PROGRAM, passes) + HEADER(program, PROGRAM, pass_count) + 1u + pass);
}

// For layers: the factor of a layer's inputs if their fades have this sum. `full` is LAYER.full.
OP real layer_part(real sum, float full) {
    return SELECT(sum * full > 1.0f, reciprocal(sum), SPLAT(full));
}

// For layers: the share that is left for the layers below.
OP real layer_rest(real left, real sum, float full) {
    return left * (1.0f - LESSER(sum * full, 1.0f));
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
    return load_weight(e, READ(e.program, HEADER(e.program, PROGRAM, lod), LOD, weight));
}

// The number of joints that a level computes: the first ones of the order.
OP uint lod_count(memory program, uint level) {
    return LOAD(program, HEADER(program, PROGRAM, lod) + FIELD(LOD, counts) + level);
}

OP uint lod_joint(memory program, uint place) {
    return LOAD(program, HEADER(program, PROGRAM, lod) + WORDS_OF(LOD) + place);
}

OP lane_mask joint_is_dropped(memory program, uint joint, real level) {
    uint max_lods = HEADER(program, PROGRAM, lod) + WORDS_OF(LOD) + HEADER(program, PROGRAM, joints);
    return load_byte(program, max_lods, joint) < level;
}

#endif
