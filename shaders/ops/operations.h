// The operations of programs: one function each, and one row each in the table below, from which the evaluator in
// program.h and the names and checks in src/program.c follow.
#ifndef LMB_OPS_OPERATIONS_H
#define LMB_OPS_OPERATIONS_H

#include "layout.h"
#include "sampling.h"

// Where one evaluation stands: a joint of a character. POSES(frame, index) and REFUSE(frame, kind) are defined by who
// evaluates: the address of a pose buffer, and the count of what was refused.
STRUCT(frame)
memory program;
memory parameters;
word character;
word joint;
#ifndef LMB_GLSL
const memory *poses;
uint32_t *refused;
#endif
END_STRUCT(frame)

#ifdef LMB_GLSL
#define REFUSE(frame, kind, condition)                                                                                 \
    if (condition) {                                                                                                   \
        count_refusal(kind);                                                                                           \
    }
#define POSES(frame, index) pose_buffer(index)
void count_refusal(uint kind);
Words pose_buffer(uint index);
#else
#define REFUSE(frame, kind, condition) (frame).refused[kind] += (condition)
#define POSES(frame, index) (frame).poses[index]
#endif

// A value of the instruction at offset `at`, as it stands.
OP real load_value(frame f, word at) {
    word parameter = LOAD(f.program, at);
    real value = LOAD_REAL(f.program, at + 1u);
    if (parameter != NO_PARAMETER) {
        word row = f.character * LOAD(f.program, PROGRAM_PARAMETERS);
        value = LOAD_REAL(f.parameters, row + parameter);
    }
    return value;
}

// A weight in [0, largest]; NaN becomes 0 and is counted, once for the character.
OP real load_weight(frame f, word at, real largest) {
    real weight = load_value(f, at);
    REFUSE(f, REFUSED_WEIGHT, BOTH(f.joint == 0u, is_nan(weight)));
    return clamp_real(snap(weight), 0.0f, largest);
}

// A weight in [0, 1], shaped by the instruction's curve.
OP real load_shaped_weight(frame f, word instruction) {
    real weight = load_weight(f, instruction + WEIGHT_VALUE, 1.0f);
    return shape_weight(LOAD(f.program, instruction + WEIGHT_CURVE), weight);
}

OP transform rest_operation(frame f, word instruction) {
    UNUSED(instruction);
    word joints = LOAD(f.program, PROGRAM_JOINTS);
    return load_pose(f.program, LOAD(f.program, PROGRAM_REST), joints, f.joint);
}

OP transform clip_operation(frame f, word instruction) {
    real index = FLOOR(load_value(f, instruction + CLIP_INDEX_VALUE));
    real time = load_value(f, instruction + CLIP_TIME_VALUE);
    word count = LOAD(f.program, PROGRAM_CLIP_COUNT);
    // False for NaN too.
    truth known = BOTH(is_finite(index), BOTH(index >= 0.0f, index < TO_REAL(count)));
    REFUSE(f, REFUSED_CLIP, BOTH(f.joint == 0u, !known));
    REFUSE(f, REFUSED_TIME, BOTH(f.joint == 0u, !is_finite(time)));
    transform sampled = rest_operation(f, instruction);
    if (ANY(known)) {
        real safe_time = snap(SELECT(is_finite(time), time, 0.0f));
        word slot = TO_WORD(SELECT(known, index, 0.0f));
        word clip = LOAD(f.program, LOAD(f.program, PROGRAM_CLIPS) + slot);
        real at = clip_time(f.program, clip, safe_time, LOAD(f.program, instruction + CLIP_LOOP) != 0u);
        transform from_clip = sample_joint(f.program, clip, f.joint, at);
        sampled = select_transform(known, from_clip, sampled);
    }
    return sampled;
}

OP truth transform_is_finite(transform a) {
    truth t = BOTH(is_finite(a.t.x), BOTH(is_finite(a.t.y), is_finite(a.t.z)));
    truth q = BOTH(BOTH(is_finite(a.q.x), is_finite(a.q.y)), BOTH(is_finite(a.q.z), is_finite(a.q.w)));
    truth s = BOTH(is_finite(a.s.x), BOTH(is_finite(a.s.y), is_finite(a.s.z)));
    return BOTH(t, BOTH(q, s));
}

OP transform pose_operation(frame f, word instruction) {
    word joints = LOAD(f.program, PROGRAM_JOINTS);
    word first = (f.character * POSE_COMPONENTS) * joints;
    transform given = load_pose(POSES(f, LOAD(f.program, instruction + POSE_BUFFER)), first, joints, f.joint);
    transform a = snap_transform(given);
    real square = quaternion_dot(a.q, a.q);
    truth good = BOTH(transform_is_finite(given), square > 0.0f);
    REFUSE(f, REFUSED_POSE, !good);
    a.q = quaternion_normalize(a.q);
    transform rest = rest_operation(f, instruction);
    return select_transform(good, a, rest);
}

OP transform blend_transforms(transform a, transform b, real weight) {
    transform blended;
    blended.t = lerp_vectors(a.t, b.t, weight);
    blended.q = quaternion_slerp(a.q, b.q, weight);
    blended.s = blend_scales(a.s, b.s, weight);
    return blended;
}

OP transform blend_operation(frame f, word instruction, transform a, transform b) {
    return blend_transforms(a, b, load_shaped_weight(f, instruction));
}

OP transform masked_operation(frame f, word instruction, transform a, transform b) {
    word mask = LOAD(f.program, instruction + MASK_OFFSET);
    word bytes = LOAD(f.program, mask + (f.joint >> 2u));
    word byte = (bytes >> ((f.joint & 3u) * 8u)) & 255u;
    real share = TO_REAL(byte) * 0.00392156886f; // 1/255; 255 gives 1
    real weight = load_shaped_weight(f, instruction);
    return blend_transforms(a, b, weight * share);
}

// The additive that turns r into a.
OP transform difference_operation(frame f, word instruction, transform a, transform r) {
    UNUSED(f);
    UNUSED(instruction);
    transform difference;
    difference.t = make_vector(a.t.x - r.t.x, a.t.y - r.t.y, a.t.z - r.t.z);
    quaternion inverse = quaternion_conjugate(r.q);
    quaternion q = quaternion_multiply(inverse, a.q);
    difference.q = quaternion_normalize(q);
    difference.s = a.s;
    if (USES_SCALE) {
        difference.s = make_vector(divide_scale(a.s.x, r.s.x), divide_scale(a.s.y, r.s.y), divide_scale(a.s.z, r.s.z));
    }
    return difference;
}

OP transform additive_operation(frame f, word instruction, transform base, transform difference) {
    real weight = load_shaped_weight(f, instruction);
    transform none = identity_transform();
    quaternion turn = quaternion_slerp(none.q, difference.q, weight);
    quaternion q = quaternion_multiply(base.q, turn);
    vector growth = blend_scales(none.s, difference.s, weight);
    transform sum;
    sum.t = add_vectors(base.t, scale_vector(difference.t, weight));
    sum.q = quaternion_normalize(q);
    sum.s = snap_vector(make_vector(base.s.x * growth.x, base.s.y * growth.y, base.s.z * growth.z));
    return sum;
}

// The sums of a weighted blend, kept as two transforms so that they live where poses do.
// `sums`: weighted translation, weighted rotation, and per axis the weighted log2 of scale over the first scale.
// `notes`: t: weighted scale; q.x: sum of weights; q.y, q.z, q.w: 1 where an axis mixes signs; s: the first scale.
STRUCT(blend_sums)
transform sums;
transform notes;
END_STRUCT(blend_sums)

OP transform zero_transform(void) {
    transform zero;
    zero.t = make_vector(0.0f, 0.0f, 0.0f);
    zero.q = make_quaternion(0.0f, 0.0f, 0.0f, 0.0f);
    zero.s = make_vector(0.0f, 0.0f, 0.0f);
    return zero;
}

OP blend_sums weighted_begin(void) {
    blend_sums zero;
    zero.sums = zero_transform();
    zero.notes = zero_transform();
    return zero;
}

// log2(s / first), exactly 0 for like values.
OP real scale_logarithm(real s, real first) {
    return SELECT(s == first, 0.0f, logarithm2(s * reciprocal(first)));
}

OP blend_sums weighted_accumulate(frame f, word instruction, blend_sums so_far, transform a) {
    real weight = load_weight(f, instruction + WEIGHT_VALUE, 1.09951163e+12f);
    transform sums = so_far.sums;
    transform notes = so_far.notes;
    truth counts = weight > 0.0f;
    truth starts = BOTH(counts, notes.q.x == 0.0f);
    notes.s = select_vector(starts, a.s, notes.s);

    sums.t = add_vectors(sums.t, scale_vector(a.t, weight));
    real cosine = quaternion_dot(sums.q, a.q);
    real turned = SELECT(cosine < 0.0f, -weight, weight);
    sums.q.x = sums.q.x + a.q.x * turned;
    sums.q.y = sums.q.y + a.q.y * turned;
    sums.q.z = sums.q.z + a.q.z * turned;
    sums.q.w = sums.q.w + a.q.w * turned;

    notes.t = add_vectors(notes.t, scale_vector(a.s, weight));
    notes.q.x = notes.q.x + weight;
    truth differs = EITHER(a.s.x != notes.s.x, EITHER(a.s.y != notes.s.y, a.s.z != notes.s.z));
    if (USES_SCALE && ANY(BOTH(counts, EITHER(differs, a.s.x * (a.s.y * a.s.z) == 0.0f)))) {
        notes.q.y = SELECT(BOTH(counts, a.s.x * notes.s.x <= 0.0f), 1.0f, notes.q.y);
        notes.q.z = SELECT(BOTH(counts, a.s.y * notes.s.y <= 0.0f), 1.0f, notes.q.z);
        notes.q.w = SELECT(BOTH(counts, a.s.z * notes.s.z <= 0.0f), 1.0f, notes.q.w);
        sums.s.x = sums.s.x + weight * scale_logarithm(a.s.x, notes.s.x);
        sums.s.y = sums.s.y + weight * scale_logarithm(a.s.y, notes.s.y);
        sums.s.z = sums.s.z + weight * scale_logarithm(a.s.z, notes.s.z);
    }
    blend_sums sum;
    sum.sums = sums;
    sum.notes = notes;
    return sum;
}

OP real weighted_scale(real logarithms, real linear, real mixed, real first, real inverse) {
    real mean = first * exponential2(logarithms * inverse);
    return snap(SELECT(mixed != 0.0f, linear * inverse, mean));
}

OP transform weighted_end(frame f, word instruction, blend_sums all) {
    transform sums = all.sums;
    transform notes = all.notes;
    transform rest = rest_operation(f, instruction);
    real inverse = reciprocal(notes.q.x);
    transform mean;
    mean.t = scale_vector(sums.t, inverse);
    quaternion q = quaternion_scale(sums.q, inverse);
    mean.q = quaternion_normalize_or(q, QUATERNION_VANISHED, rest.q);
    mean.s = rest.s;
    if (USES_SCALE) {
        mean.s.x = weighted_scale(sums.s.x, notes.t.x, notes.q.y, notes.s.x, inverse);
        mean.s.y = weighted_scale(sums.s.y, notes.t.y, notes.q.z, notes.s.y, inverse);
        mean.s.z = weighted_scale(sums.s.z, notes.t.z, notes.q.w, notes.s.z, inverse);
    }
    return select_transform(notes.q.x > 0.0f, mean, rest);
}

// The table: SOURCE rows push a pose, BINARY rows replace the two newest poses (the older is the first input) by one.
// The weighted blend is three instructions: begin, one accumulate for each input, end.
//          code                 name in lmb_op   function
#define OPERATION_REST 0u
#define OPERATION_CLIP 1u
#define OPERATION_POSE 2u
#define OPERATION_BLEND 3u
#define OPERATION_MASKED 4u
#define OPERATION_DIFFERENCE 5u
#define OPERATION_ADDITIVE 6u
#define OPERATION_WEIGHTED_BEGIN 7u
#define OPERATION_WEIGHTED_ACCUMULATE 8u
#define OPERATION_WEIGHTED_END 9u

#define OPERATIONS(SOURCE, BINARY)                                                                                     \
    SOURCE(OPERATION_REST, rest_operation)                                                                             \
    SOURCE(OPERATION_CLIP, clip_operation)                                                                             \
    SOURCE(OPERATION_POSE, pose_operation)                                                                             \
    BINARY(OPERATION_BLEND, blend_operation)                                                                           \
    BINARY(OPERATION_MASKED, masked_operation)                                                                         \
    BINARY(OPERATION_DIFFERENCE, difference_operation)                                                                 \
    BINARY(OPERATION_ADDITIVE, additive_operation)

#endif
