// What stage 1 leaves for a character and the stages after it read: weights, and for each clip that is played where to
// sample it. And the frame, which says whose joint is being evaluated.
#ifndef LMB_OPS_RECORDS_H
#define LMB_OPS_RECORDS_H

#include "layout.h"
#include "sampling.h"

#ifndef LMB_GLSL
// A type of its own: so compilers see that what is stored of a pose does not change it.
STRUCT(stored_weight)
real value;
END_STRUCT(stored_weight)
#endif

// One use of a clip.
STRUCT(source)
real weight;     // in the result, [0, 1]: where it is 0, the clip is not sampled
real time;       // seconds within the clip
word clip;       // offset of its block, 0 where there is no such clip
lane_mask known; // whether there is
#ifdef LMB_SIMD_WIDTH
bool alike; // every lane knows its clip, all have the same, and it weighs something in each
uint usual; // that clip
#endif
END_STRUCT(source)

// Where a source's time falls among the key times of a track; most tracks of a clip share theirs.
STRUCT(key_search)
uint times; // of which track, or 0
key_position found;
END_STRUCT(key_search)

// Where one evaluation stands: a joint of a character.
STRUCT(frame)
memory program;
memory parameters;
word character;
uint joint;
lane_mask counts; // whether what is refused counts: in lanes that stand for a character
#ifdef LMB_GLSL
uint span;         // the table's row, which `parameters` is from
uint slot;         // the character's, where a workgroup has several
key_search search; // of the source that is sampled
#else
const memory *poses;
uint32_t *refused;
stored_weight *weights; // PROGRAM_WEIGHTS
source *sources;        // PROGRAM_SOURCES
key_search *searches;   // the last search in each
transform *exchange;    // [area][joint, then channel]: what passes leave for later ones
// Of these, the instruction's, as begin_weight() and begin_source() set them.
const stored_weight *weight;
const source *from;
key_search *search;
#endif
END_STRUCT(frame)

// Defined by who evaluates: POSES(frame, index) is a pose buffer, REFUSE(frame, kind, condition) counts what is
// refused.
#ifdef LMB_GLSL
#define REFUSE(frame, kind, condition)                                                                                 \
    if ((frame).counts && (condition)) {                                                                               \
        count_refusal(kind);                                                                                           \
    }
#define POSES(frame, index) pose_buffer(frame, index)
void count_refusal(uint kind);
Words pose_buffer(frame f, uint index);
float load_weight(frame f, uint index);
void store_weight(frame f, uint index, float weight);
source load_source(frame f, uint index);
key_search load_search(frame f, uint index);
void store_source(frame f, uint index, source record, key_search search);
transform load_exchange(frame f, uint area, uint joint);
quaternion load_exchange_rotation(frame f, uint area, uint joint);
void store_exchange(frame f, uint area, transform pose); // of f.joint
#define FIND_KEY(frame, times, keys, largest_step, time) find_key_again(frame, times, keys, largest_step, time)

key_position find_key_again(frame f, uint times, uint keys, uint largest_step, float time) {
    key_position at = f.search.found;
    if (f.search.times != times) {
        at = find_key(f.program, times, keys, largest_step, time);
    }
    return at;
}
#else
#define REFUSE(frame, kind, condition) (frame).refused[kind] += lmb_count(AND((frame).counts, condition))
#define POSES(frame, index) (frame).poses[index]
#define FIND_KEY(frame, times, keys, largest_step, time) find_key_again(frame, times, keys, largest_step, time)

OP real load_weight(frame f, uint index) {
    return f.weights[index].value;
}

OP void store_weight(frame f, uint index, real weight) {
    f.weights[index].value = weight;
}

OP source load_source(frame f, uint index) {
    return f.sources[index];
}

// Where no scale is met, it is 1 in every pose, and of sums it is not looked at.
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

OP transform *exchange_place(frame f, uint area, uint joint) {
    return f.exchange + area * (LOAD(f.program, PROGRAM_JOINTS) + LOAD(f.program, PROGRAM_CHANNELS)) + joint;
}

OP transform load_exchange(frame f, uint area, uint joint) {
    return stored_pose(exchange_place(f, area, joint));
}

OP quaternion load_exchange_rotation(frame f, uint area, uint joint) {
    return exchange_place(f, area, joint)->q;
}

OP void store_exchange(frame f, uint area, transform pose) {
    store_pose(exchange_place(f, area, f.joint), pose);
}

// Most joints find the keys that the joint before them found.
OP_COLD void search_key(memory data, key_search *search, uint times, uint keys, uint largest_step, const real *time) {
    search->times = times;
    search->found = find_key(data, times, keys, largest_step, *time);
}

OP const key_position *find_key_again(frame f, uint times, uint keys, uint largest_step, real time) {
    if (f.search->times != times) {
        const real given = time;
        search_key(f.program, f.search, times, keys, largest_step, &given);
    }
    return &f.search->found;
}

// Before the joints of an instruction that reads a weight.
OP frame begin_weight(frame f, uint instruction) {
    f.weight = &f.weights[LOAD(f.program, instruction + WEIGHT_INDEX)];
    return f;
}

// And of one that samples a clip.
OP frame begin_source(frame f, uint instruction) {
    uint index = LOAD(f.program, instruction + CLIP_SOURCE);
    f.from = &f.sources[index];
    f.search = &f.searches[index];
    return f;
}
#endif

// A pass's first instruction: the end of the one before.
OP uint first_of_pass(memory program, uint pass) {
    return LOAD(program, LOAD(program, PROGRAM_PASSES) + pass);
}

// Of layers: what the inputs of one are multiplied by, of fades with that sum; and what is left below it.
OP real layer_part(real sum) {
    return SELECT(sum > 1.0f, reciprocal(sum), SPLAT(1.0f));
}

OP real layer_rest(real left, real sum) {
    return left * (1.0f - LESSER(sum, 1.0f));
}

// What stage 1 has weighed for an instruction; of the last one of a sum what all inputs weigh together.
OP real operand_weight(frame f, uint instruction) {
#ifdef LMB_GLSL
    return load_weight(f, LOAD(f.program, instruction + WEIGHT_INDEX));
#else
    UNUSED(instruction);
    return f.weight->value;
#endif
}

// The reciprocal of that sum.
OP real total_inverse(frame f, uint instruction) {
#ifdef LMB_GLSL
    return load_weight(f, LOAD(f.program, instruction + WEIGHT_INDEX) + 1u);
#else
    UNUSED(instruction);
    return f.weight[1].value;
#endif
}

// The use of a clip that an instruction samples.
OP source operand_source(frame f, uint instruction) {
#ifdef LMB_GLSL
    return load_source(f, LOAD(f.program, instruction + CLIP_SOURCE));
#else
    UNUSED(instruction);
    return *f.from;
#endif
}

#endif
