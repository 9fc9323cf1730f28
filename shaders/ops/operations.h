// The operations of programs: one function each, and one row each in the table at the end. The evaluators in program.h,
// the specialised kernels, and the names and checks of src/program/operation.c are generated from that table. Each
// operation snaps its result (number.h).
#ifndef LMB_OPS_OPERATIONS_H
#define LMB_OPS_OPERATIONS_H

#include "chain.h"
#include "decompose.h"
#include "feet.h"
#include "ik.h"
#include "interpolation.h"
#include "joint_limits.h"
#include "joint_shares.h"
#include "mirror.h"
#include "records.h"
#include "retarget.h"
#include "twist.h"

// Returns the source's index of the joint: from the instruction's joint map, possibly NO_JOINT, or e.joint if it has no
// joint map. Of a retarget it is the offset of the joint's record.
OP uint source_joint(evaluation e, uint instruction) {
    uint joint = e.joint;
    if (USES_JOINT_MAPS) {
        uint map = READ(e.program, instruction, SAMPLE, joint_map);
        if (map != 0u) {
            joint = LOAD(e.program, map + WORDS_OF(JOINT_MAP) + e.joint);
        }
    }
    return joint;
}

// Whether the instruction reads joints of another rig.
OP bool retargets(evaluation e, uint instruction) {
    bool found = false;
    if (USES_RETARGETS) {
        uint map = READ(e.program, instruction, SAMPLE, joint_map);
        found = map != 0u && is_retarget(e.program, map);
    }
    return found;
}

// The joint of the source whose joint weight counts, or NO_JOINT.
OP uint weighed_joint(evaluation e, uint instruction) {
    uint joint = source_joint(e, instruction);
    if (joint != NO_JOINT && retargets(e, instruction)) {
        joint = READ(e.program, joint + WORDS_OF(RETARGET), RETARGET_STEP, joint) & RETARGET_INDEX;
    }
    return joint;
}

// The evaluation of a joint of the source: its joint's rest pose is that of the source.
OP evaluation begin_retarget_step(evaluation given, uint step) {
    evaluation e = given;
    e.joint = READ(e.program, step, RETARGET_STEP, rest);
    return e;
}

OP uint retarget_step_joint(evaluation e, uint step) {
    return READ(e.program, step, RETARGET_STEP, joint) & RETARGET_INDEX;
}

OP transform rest_operation(evaluation e, uint instruction) {
    UNUSED(instruction);
    return load_rest(e.program, e.joint);
}

#ifdef LMB_GLSL

// Samples one property from an uncompressed or packed track. `at` is the key position of the time.
void sample_property(evaluation e, uint clip, track t, uint property, key_position at, inout transform sampled) {
    bool is_packed = USES_PACKED && t.mode == MODE_PACKED;
    if (property == PROPERTY_ROTATION) {
        bool near = !USES_FAR || READ(e.program, clip, CLIP, turns_far) == 0u;
        if (is_packed) {
            sampled.q = sample_packed_rotation(e.program, clip, t, at, near);
        } else {
            sampled.q = sample_rotation_track(e.program, t, at, near);
        }
    } else {
        vector found;
        if (is_packed) {
            found = sample_packed_vector(e.program, clip, t, at);
        } else {
            found = sample_vector_track(e.program, t, at);
        }
        if (property == PROPERTY_TRANSLATION) {
            sampled.t = found;
        } else {
            sampled.s = found;
        }
    }
}

// Samples translation, rotation and, if the program uses it, scale. `joint` is the index in the clip, which differs
// from the rig's index under a joint map. The loop asks drivers to unroll it. src/gpu/spirv/spirv.c removes that
// request for software drivers, which compile each load slowly.
void sample_properties(evaluation e, uint clip, uint joint, float time, inout transform sampled) {
    bool packed = USES_PACKED && (e.search.tracks & TRACKS_PACKED) != 0u;
    if (packed) {
        transform rest = load_rest(e.program, e.joint);
        sampled.t = rest.t;
        sampled.q = rest.q;
        if (USES_SCALE) {
            sampled.s = rest.s;
        }
    }
    uint times = e.search.times - clip;
    [[unroll]] for (uint property = 0u; property < (USES_SCALE ? PROPERTIES : PROPERTY_SCALE); property++) {
        track t;
        if (packed) {
            t = load_packed_track(e.program, clip, e.search.tracks & ~TRACKS_PACKED, property, joint);
        } else {
            t = load_kept_track(e.program, clip, e.search.tracks + joint * PROPERTIES + property);
        }
        // A track with a single key is not searched, and only its first key is read.
        key_position at = e.search.found;
        if (property == PROPERTY_ROTATION) {
            at = load_terms(e.search);
        }
        bool searched = t.keys > 1u || t.mode >= MODE_CUBIC;
        if (searched && t.times - clip != times && !(USES_PACKED && t.mode == MODE_REST)) {
            at = find_key(e.program, t, READ(e.program, clip, CLIP, search), time);
            if (property == PROPERTY_ROTATION) {
                at = prepare_rotations(at);
            }
        }
        at.key = searched ? at.key : 0u;
        t.mode = searched ? t.mode : MODE_STEP;
        if (!(USES_PACKED && t.mode == MODE_REST)) {
            sample_property(e, clip, t, property, at, sampled);
        }
    }
}

#else

// The translation or scale of the joint's rest pose.
OP vector rest_vector(evaluation e, uint property) {
    transform rest = load_rest(e.program, e.joint);
    vector found = rest.t;
    if (property == PROPERTY_SCALE) {
        found = rest.s;
    }
    return found;
}

// `joint` is the index in the clip, which differs from e.joint under a joint map. A joint of a packed clip may have the
// rest pose.
OP vector sample_vector(evaluation e, uint clip, uint joint, uint property, real time) {
    track t = load_track(e.program, clip, property, joint);
    vector sampled;
    if (USES_PACKED && t.mode == MODE_REST) {
        sampled = rest_vector(e, property);
    } else if (t.keys > 1u || t.mode >= MODE_CUBIC) {
        FOUND at = find_key_again(e, t, READ(e.program, clip, CLIP, search), time);
        if (USES_PACKED && t.mode == MODE_PACKED) {
            sampled = sample_packed_vector(e.program, clip, t, at);
        } else {
            sampled = sample_vector_track(e.program, t, at);
        }
    } else {
        sampled = constant_vector(e.program, t);
    }
    return sampled;
}

OP quaternion sample_rotation(evaluation e, uint clip, uint joint, real time) {
    track t = load_track(e.program, clip, PROPERTY_ROTATION, joint);
    quaternion sampled;
    if (USES_PACKED && t.mode == MODE_REST) {
        transform rest = load_rest(e.program, e.joint);
        sampled = rest.q;
    } else if (t.keys > 1u || t.mode >= MODE_CUBIC) {
        FOUND at = find_key_again(e, t, READ(e.program, clip, CLIP, search), time);
        bool near = !USES_FAR || READ(e.program, clip, CLIP, turns_far) == 0u;
        if (USES_PACKED && t.mode == MODE_PACKED) {
            sampled = sample_packed_rotation(e.program, clip, t, at, near);
        } else {
            sampled = sample_rotation_track(e.program, t, at, near);
        }
    } else {
        sampled = constant_rotation(e.program, t);
    }
    return sampled;
}

#endif

#include "sample_rows.h"

#ifndef LMB_SIMD_WIDTH
// The local transform of a joint of a clip at a time from clip_time().
OP transform sample_joint(evaluation e, uint clip, uint joint, real time) {
    transform sampled;
    sampled.s = all_vector(1.0f, 1.0f, 1.0f);
#ifdef LMB_GLSL
    sample_properties(e, clip, joint, time, sampled);
#else
    sampled.t = sample_vector(e, clip, joint, PROPERTY_TRANSLATION, time);
    sampled.q = sample_rotation(e, clip, joint, time);
    if (USES_SCALE) {
        sampled.s = sample_vector(e, clip, joint, PROPERTY_SCALE, time);
    }
#endif
    sampled.weight = SPLAT(WEIGHT_PRESENT);
    return sampled;
}
#endif

// The joint weight that a clip stores for a joint.
OP real clip_joint_weight(evaluation e, uint clip, uint joint) {
    real weight = SPLAT(WEIGHT_PRESENT);
    if (READ(e.program, clip, CLIP, weights) != 0u) {
        weight = load_byte(e.program, clip + READ(e.program, clip, CLIP, weights), joint);
    }
    return weight;
}

// The joint weight in the clip that a character plays. The full weight for everything that the clip does not have.
OP real played_joint_weight(evaluation e, source s, uint joint) {
    word size = GATHER(e.program, s.clip + FIELD(CLIP, joints)) + GATHER(e.program, s.clip + FIELD(CLIP, float_count));
    word row = GATHER(e.program, s.clip + FIELD(CLIP, weights));
    lane_mask has = AND(s.known, AND(ABOVE(row, 0u), ABOVE(size, joint)));
    word bytes = GATHER(e.program, s.clip + SELECT_BITS(has, row + (joint >> 2u)));
    return SELECT(has, TO_REAL((bytes >> ((joint & 3u) * 8u)) & 255u), SPLAT(WEIGHT_PRESENT));
}

// The pose of a clip that does not exist: the rest pose, or for an additive no change.
OP transform absent_clip(evaluation e, uint instruction) {
    return load_static_pose(e.program, READ(e.program, instruction, SAMPLE, absent), e.joint);
}

#ifdef LMB_SIMD_WIDTH
// Without rows: samples each of the clips that lanes play in turn.
OP transform sample_each_clip(const evaluation *at, uint joint) {
    source s = *at->from;
    transform sampled;
    sample_joint_apart(at, s.usual, joint, &sampled);
    lane_mask left = AND(s.sampled, s.clip != s.usual);
    while (ANY(left)) {
        uint clip = ONE_OF(left, s.clip);
        lane_mask mine = AND(left, s.clip == clip);
        transform own;
        sample_joint_apart(at, clip, joint, &own);
        sampled = select_transform(mine, own, sampled);
        left = AND(left, NOT(mine));
    }
    return sampled;
}

// Whether rows have a joint of the clip that lanes play.
OP bool has_row(evaluation e, uint joint) {
    const clip_rows *rows = e.search->rows[0];
    return rows != NULL && rows_fit(e, rows->joints[joint].kinds, joint);
}

// Out of line: whatever is not one clip in all lanes that count. The others have the pose of a clip that does not
// exist.
OP_COLD void sample_source_apart(const evaluation *at, uint instruction, uint joint, transform *found) {
    evaluation e = *at;
    transform sampled;
    if (!e.from->any) {
        sampled = absent_clip(e, instruction);
    } else if (e.from->alike && has_row(e, joint)) {
        sampled = sample_row(e, joint);
    } else if (e.from->alike || !sample_mixed(at, joint, &sampled)) {
        sampled = sample_each_clip(at, joint);
    }
    if (!e.covered) {
        sampled = select_transform(e.from->sampled, sampled, absent_clip(e, instruction));
    }
    if (USES_WEIGHTS) {
        sampled.weight = SELECT(e.from->known, played_joint_weight(e, *e.from, joint), sampled.weight);
    }
    *found = sampled;
}

OP transform sample_source(evaluation e, uint instruction, uint joint) {
    transform sampled;
    if (e.covered && e.from->alike && has_row(e, joint)) {
        sampled = sample_row(e, joint);
        if (USES_WEIGHTS) {
            sampled.weight = clip_joint_weight(e, e.from->usual, joint);
        }
    } else {
        const evaluation at = sampling_part(e);
        transform apart;
        sample_source_apart(&at, instruction, joint, &apart);
        sampled = apart;
    }
    return sampled;
}
#else
OP transform sample_source(evaluation e, uint instruction, uint joint) {
    source s = operand_source(e, instruction);
    transform sampled;
    if (s.known && s.weight > 0.0f) {
#ifdef LMB_GLSL
        e.search = load_search(e, instruction);
#endif
        sampled = sample_joint(e, s.clip, joint, s.time);
    } else {
        sampled = absent_clip(e, instruction);
    }
    if (USES_WEIGHTS && s.known) {
        sampled.weight = clip_joint_weight(e, s.clip, joint);
    }
    return sampled;
}
#endif

#ifdef LMB_GLSL
// Samples clips of the rig by the same loop: drivers take long to compile kernels with two copies of the code that
// samples clips.
transform sample_clip(evaluation e, uint instruction, uint joint) {
    transform sampled;
    if (USES_RETARGETS) {
        bool retargeted = retargets(e, instruction);
        uint step = retargeted ? joint + WORDS_OF(RETARGET) : 0u;
        uint count = retargeted ? READ(e.program, joint, RETARGET, count) : 1u;
        transform sum = identity_transform();
        for (uint i = 0u; i < count; i++) {
            evaluation at = e;
            uint from = joint;
            if (retargeted) {
                at = begin_retarget_step(e, step);
                from = retarget_step_joint(e, step);
            }
            sampled = sample_source(at, instruction, from);
            if (retargeted) {
                sum = add_retarget_step(e.program, step, i, sum, sampled);
            }
            step = step + WORDS_OF(RETARGET_STEP);
        }
        if (retargeted) {
            sampled = retarget_joint(e.program, joint, sum, load_rest(e.program, e.joint));
        }
    } else {
        sampled = sample_source(e, instruction, joint);
    }
    return sampled;
}
#else
OP transform retarget_clip(evaluation e, uint instruction, uint record) {
    transform sum = identity_transform();
    uint step = record + WORDS_OF(RETARGET);
    uint count = READ(e.program, record, RETARGET, count);
    for (uint i = 0u; i < count; i++) {
        transform local = sample_source(begin_retarget_step(e, step), instruction, retarget_step_joint(e, step));
        sum = add_retarget_step(e.program, step, i, sum, local);
        step = step + WORDS_OF(RETARGET_STEP);
    }
    return retarget_joint(e.program, record, sum, load_rest(e.program, e.joint));
}

// Out of line, because clips of the rig itself are more frequent.
OP_COLD void retarget_clip_apart(const evaluation *at, uint instruction, uint record, transform *found) {
    *found = retarget_clip(*at, instruction, record);
}

OP transform sample_clip(evaluation e, uint instruction, uint joint) {
    transform sampled;
    if (USES_RETARGETS && retargets(e, instruction)) {
        const evaluation at = sampling_part(e);
        transform apart;
        retarget_clip_apart(&at, instruction, joint, &apart);
        sampled = apart;
    } else {
        sampled = sample_source(e, instruction, joint);
    }
    return sampled;
}
#endif

OP transform clip_operation(evaluation e, uint instruction) {
    uint joint = source_joint(e, instruction);
    transform sampled;
    if (USES_JOINT_MAPS && joint == NO_JOINT) {
        sampled = load_rest(e.program, e.joint);
    } else {
        sampled = sample_clip(e, instruction, joint);
    }
    if (USES_WEIGHTS && READ(e.program, instruction, SAMPLE, weights) != 0u) {
        sampled.weight = load_byte(e.program, READ(e.program, instruction, SAMPLE, weights), e.joint);
    }
    return sampled;
}

// A joint of a pose buffer; the rest pose of e.joint if it is refused.
OP transform load_given_joint(evaluation e, uint instruction, uint joint) {
    uint joints = READ(e.program, instruction, GIVEN, joints);
    word at = e.character * READ(e.program, instruction, GIVEN, floats) + joint;
    checked_transform given = check_given(load_pose(POSES(e, READ(e.program, instruction, GIVEN, number)), at, joints));
    REFUSE(e, REFUSED_POSE, NOT(given.good));
    return select_transform(given.good, given.a, load_rest(e.program, e.joint));
}

OP transform retarget_given(evaluation e, uint instruction, uint record) {
    transform sum = identity_transform();
    uint step = record + WORDS_OF(RETARGET);
    uint count = READ(e.program, record, RETARGET, count);
    for (uint i = 0u; i < count; i++) {
        transform local = load_given_joint(begin_retarget_step(e, step), instruction, retarget_step_joint(e, step));
        sum = add_retarget_step(e.program, step, i, sum, local);
        step = step + WORDS_OF(RETARGET_STEP);
    }
    return retarget_joint(e.program, record, sum, load_rest(e.program, e.joint));
}

OP transform pose_operation(evaluation e, uint instruction) {
    uint joint = source_joint(e, instruction);
    transform found = load_rest(e.program, e.joint);
    if (USES_RETARGETS && joint != NO_JOINT && retargets(e, instruction)) {
        found = retarget_given(e, instruction, joint);
    } else if (!USES_JOINT_MAPS || joint != NO_JOINT) {
        found = load_given_joint(e, instruction, joint);
    }
    return found;
}

OP transform load_fixed_joint(evaluation e, uint instruction, uint joint) {
    return load_static_pose(e.program, READ(e.program, instruction, GIVEN, static_pose), joint);
}

OP transform retarget_fixed(evaluation e, uint instruction, uint record) {
    transform sum = identity_transform();
    uint step = record + WORDS_OF(RETARGET);
    uint count = READ(e.program, record, RETARGET, count);
    for (uint i = 0u; i < count; i++) {
        transform local = load_fixed_joint(e, instruction, retarget_step_joint(e, step));
        sum = add_retarget_step(e.program, step, i, sum, local);
        step = step + WORDS_OF(RETARGET_STEP);
    }
    return retarget_joint(e.program, record, sum, load_rest(e.program, e.joint));
}

// A static pose, stored in the program.
OP transform fixed_operation(evaluation e, uint instruction) {
    uint joint = source_joint(e, instruction);
    transform found = load_rest(e.program, e.joint);
    if (USES_RETARGETS && joint != NO_JOINT && retargets(e, instruction)) {
        found = retarget_fixed(e, instruction, joint);
    } else if (!USES_JOINT_MAPS || joint != NO_JOINT) {
        found = load_fixed_joint(e, instruction, joint);
    }
    return found;
}

// Returns b for joints that b's joint map has, else a.
OP transform take_operation(evaluation e, uint instruction, transform a, transform b) {
    uint map = READ(e.program, instruction, TAKEN, joint_map);
    transform taken = b;
    if (map != 0u && LOAD(e.program, map + WORDS_OF(JOINT_MAP) + e.joint) == NO_JOINT) {
        taken = a;
    }
    return taken;
}

#ifndef LMB_GLSL
// The result of a blend or an additive whose other pose has no weight in any lane: the same bits as the whole formula.
// Only for plain graphs, whose scales are 1.
OP transform without_other(transform a) {
    a.t = snap_vector(a.t);
    a.q = quaternion_polish(a.q);
    return a;
}
#endif

OP transform blend_transforms(transform a, transform b, real weight) {
#ifndef LMB_GLSL
    if (!USES_SCALE && !ANY(weight > 0.0f)) {
        return without_other(a);
    }
#endif
    transform blended;
    blended.weight = a.weight;
    blended.t = snap_between(lerp_vectors(a.t, b.t, weight));
    blended.q = rotation_at_end(quaternion_slerp(a.q, b.q, weight), b.q, weight);
    blended.s = blend_scales(a.s, b.s, weight);
    return blended;
}

OP transform blend_operation(evaluation e, uint instruction, transform a, transform b) {
    return blend_transforms(a, b, operand_weight(e, instruction));
}

// Scales a weight by the joint's value in the instruction's mask.
OP real masked_weight(evaluation e, uint instruction, real weight) {
    return share_of_weight(weight, load_byte(e.program, READ(e.program, instruction, BLEND, mask), e.joint));
}

OP transform masked_operation(evaluation e, uint instruction, transform a, transform b) {
    return blend_transforms(a, b, masked_weight(e, instruction, operand_weight(e, instruction)));
}

// Reads the pose only where it has a weight, so elsewhere the buffer may contain anything.
OP transform override_operation(evaluation e, uint instruction, transform a) {
    real weight = masked_weight(e, instruction, operand_weight(e, instruction));
    lane_mask counts = weight > 0.0f;
    transform result = a;
    if (ANY(counts)) {
#ifndef LMB_GLSL
        e.counts = AND(e.counts, counts);
#endif
        transform given;
        if (READ(e.program, instruction, GIVEN, static_pose) != 0u) {
            given = fixed_operation(e, instruction);
        } else {
            given = pose_operation(e, instruction);
        }
        result = select_transform(counts, blend_transforms(a, given, weight), a);
    }
    return result;
}

// The instruction's weight, masked if the choice has CHOICE_MASKED.
OP real chosen_weight(evaluation e, uint instruction, uint choice) {
    real weight = operand_weight(e, instruction);
    if ((choice & CHOICE_MASKED) != 0u) {
        weight = snap_number(masked_weight(e, instruction, weight));
    }
    return weight;
}

// A blend, masked or not, that has a choice (CHOICE_...).
OP transform interpolate_operation(evaluation e, uint instruction, transform a, transform b) {
    uint choice = READ(e.program, instruction, BLEND, choices);
    return interpolate_transforms(a, b, chosen_weight(e, instruction, choice), choice);
}

OP transform add_operation(evaluation e, uint instruction, transform a, transform b) {
    UNUSED(e);
    UNUSED(instruction);
    return add_transforms(a, b);
}

OP transform subtract_operation(evaluation e, uint instruction, transform a, transform b) {
    UNUSED(e);
    UNUSED(instruction);
    return subtract_transforms(a, b);
}

OP transform scale_operation(evaluation e, uint instruction, transform a) {
    uint choice = READ(e.program, instruction, BLEND, choices);
    return scale_transform(a, chosen_weight(e, instruction, choice), choice);
}

// Applies an additive that has a choice (CHOICE_...).
OP transform apply_operation(evaluation e, uint instruction, transform base, transform difference) {
    uint choice = READ(e.program, instruction, BLEND, choices);
    transform part = scale_transform(difference, chosen_weight(e, instruction, choice), choice);
    transform sum = add_transforms(base, part);
    if ((choice & CHOICE_PARENT) != 0u) {
        sum = add_transforms(part, base);
        sum.weight = base.weight;
    }
    return sum;
}

// Applies an affine additive: multiplies full matrices. If the product has shear, counts a refusal and applies the
// additive by components in the parent's form instead.
OP transform apply_affine_additive_operation(evaluation e, uint instruction, transform base, transform difference) {
    uint choice = READ(e.program, instruction, BLEND, choices);
    transform part = scale_transform(difference, chosen_weight(e, instruction, choice), choice);
    transform sum = add_transforms(part, base);
    decomposed product = decompose_product(part, base);
    REFUSE(e, REFUSED_SHEAR, product.shears);
    transform applied = select_transform(product.shears, sum, product.whole);
    applied.weight = base.weight;
    return applied;
}

// The affine additive that turns r into a, computed with full matrices. If it has shear, counts a refusal and computes
// it by components in the parent's form instead.
OP transform make_affine_additive_operation(evaluation e, uint instruction, transform a, transform r) {
    UNUSED(instruction);
    decomposed quotient = decompose_quotient(a, r);
    REFUSE(e, REFUSED_SHEAR, quotient.shears);
    transform difference = select_transform(quotient.shears, subtract_transforms(a, r), quotient.whole);
    difference.weight = a.weight;
    return difference;
}

// The additive that turns r into a.
OP transform make_additive_operation(evaluation e, uint instruction, transform a, transform r) {
    UNUSED(e);
    UNUSED(instruction);
    transform difference;
    difference.weight = a.weight;
    difference.t = snap_vector(make_vector(a.t.x - r.t.x, a.t.y - r.t.y, a.t.z - r.t.z));
    quaternion inverse = quaternion_conjugate(r.q);
    quaternion q = quaternion_multiply(inverse, a.q);
    difference.q = quaternion_polish(q);
    // If all scales are 1, so is the result.
    difference.s = a.s;
    lane_mask a_scales = OR(OR(a.s.x != 1.0f, a.s.y != 1.0f), a.s.z != 1.0f);
    lane_mask r_scales = OR(OR(r.s.x != 1.0f, r.s.y != 1.0f), r.s.z != 1.0f);
    if (USES_SCALE && ANY(OR(a_scales, r_scales))) {
        difference.s = make_vector(divide_scale(a.s.x, r.s.x), divide_scale(a.s.y, r.s.y), divide_scale(a.s.z, r.s.z));
    }
    return difference;
}

OP transform additive_operation(evaluation e, uint instruction, transform base, transform difference) {
    real weight = operand_weight(e, instruction);
#ifndef LMB_GLSL
    if (!USES_SCALE && !ANY(weight > 0.0f)) {
        return without_other(base);
    }
#endif
    quaternion turn = quaternion_power(difference.q, weight);
    quaternion q = quaternion_multiply(base.q, turn);
    vector growth = blend_scales(all_vector(1.0f, 1.0f, 1.0f), difference.s, weight);
    transform sum;
    sum.weight = base.weight;
    sum.t = snap_vector(add_vectors(base.t, scale_vector(difference.t, weight)));
    sum.q = quaternion_polish(q);
    sum.s = snap_vector(make_vector(base.s.x * growth.x, base.s.y * growth.y, base.s.z * growth.z));
    return sum;
}

OP transform partial_operation(evaluation e, uint instruction, transform a, transform b) {
    real weight = operand_weight(e, instruction);
    transform blended = a;
    if (USES_WEIGHTS) {
        real blend = partial_blend(weight, a.weight, b.weight);
        blended = blend_transforms(a, b, blend);
        blended.weight = partial_weight(blend, a.weight, b.weight);
        lane_mask both = AND(a.weight > 0.0f, b.weight > 0.0f);
        if (ANY(NOT(both))) {
            transform present = select_transform(a.weight > 0.0f, a, b);
            blended = select_transform(both, blended, present);
        }
    } else {
        blended = blend_transforms(a, b, weight);
    }
    return blended;
}

#include "weighted.h"

// Rotations between local and model space, from poses in an exchange area.

// Converts the joint's rotation to model space by multiplying the rotations of all its ancestors from the left.
// Translation and scale stay local.
OP transform to_model_operation(evaluation e, uint instruction) {
    uint area = READ(e.program, instruction, EXCHANGED, area);
    transform chained = load_exchange(e, area, e.joint);
    uint above = parent_of(e.program, e.joint);
    while (above != NO_PARENT) {
        quaternion q = quaternion_multiply(load_exchange_rotation(e, area, above), chained.q);
        chained.q = quaternion_polish(q);
        above = parent_of(e.program, above);
    }
    return chained;
}

// Converts the joint's rotation from model space to local space, using the parent's rotation in model space.
OP transform to_local_operation(evaluation e, uint instruction) {
    uint area = READ(e.program, instruction, EXCHANGED, area);
    transform local = load_exchange(e, area, e.joint);
    uint above = parent_of(e.program, e.joint);
    if (above != NO_PARENT) {
        quaternion inverse = quaternion_conjugate(load_exchange_rotation(e, area, above));
        quaternion q = quaternion_multiply(inverse, local.q);
        local.q = quaternion_polish(q);
    }
    return local;
}

OP transform mirror_operation(evaluation e, uint instruction) {
    uint record = READ(e.program, instruction, MIRRORED, table) + e.joint;
    transform a = load_exchange(e, READ(e.program, instruction, EXCHANGED, area), LOAD(e.program, record));
    uint axis = READ(e.program, instruction, MIRRORED, axis);
    return mirror_transform(e.program, record, HEADER(e.program, PROGRAM, joints), axis, a);
}

OP transform clamp_operation(evaluation e, uint instruction, transform a) {
    uint record = READ(e.program, instruction, CLAMPED, table) + e.joint;
    transform rest = load_rest(e.program, e.joint);
    return limit_transform(e.program, record, HEADER(e.program, PROGRAM, joints), rest, a);
}

// What an instruction reads besides poses, as bits: they determine its operands, and the fields of a node that these
// come from.
#define TAKES_NOTHING 0u
#define TAKES_CLIP 1u            // SAMPLE.source, SAMPLE.weights, SAMPLE.joint_map
#define TAKES_POSE 2u            // GIVEN.number or GIVEN.static_pose, GIVEN.joints
#define TAKES_WEIGHT 4u          // BLEND.weight
#define TAKES_MASK 8u            // BLEND.mask
#define TAKES_SHARE 16u          // BLEND.weight: at accumulate the share of the input, at end the total
#define TAKES_MIRROR 0x10000u    // MIRRORED.table, MIRRORED.axis
#define TAKES_AREA 0x80000u      // EXCHANGED.area
#define TAKES_IK 0x100000u       // EXCHANGED.table: of ik, of a twist and of a chain
#define TAKES_LIMITS 0x20000u    // CLAMPED.table
#define TAKES_JOINT_MAP 0x40000u // TAKEN.joint_map, the joint map of the input that is taken
#define TAKES_CHOICE 32u         // BLEND.choices; has a mask only with CHOICE_MASKED
#define TAKES_PLACE 64u          // coordinates, for the blends that it is lowered to
// And how root motion passes: the motion weights of its inputs, from its own, M, and its weight at joint 0, w. Without
// one of these each input has M.
#define MOTION_BLENDS 0x200000u    // (1 - w) M and w M
#define MOTION_ADDS 0x400000u      // M and w M
#define MOTION_SUBTRACTS 0x800000u // M and -M
// And what else differs between operations.
#define ONLY_POSES 0x1000000u       // its first input is no additive, and neither is its result
#define BLENDS_POSITIONS 0x2000000u // may be inside a retarget that is a goal
#define IS_RARE 0x4000000u          // compiled for any graph only; versions for plain graphs call that
#define MOVES_FEW 0x8000000u        // rare, and runs only for the joints that it moves: moves_joint()

// The table of operations. A row has the operation's name, as in LMB_OP_... and in its functions, its code, and what it
// reads. channels.h defines how each operation treats float channels, and does not compile if one is missing.
// - SOURCE pushes a pose: name_operation(frame, instruction).
// - UNARY replaces the newest pose: name_operation(frame, instruction, a).
// - BINARY replaces the two newest poses, of which the older is the first input, by one: name_operation(frame,
//   instruction, a, b).
// - SUM has any number of inputs, accumulated one after another, in three instructions with consecutive codes:
//   name_begin() pushes the accumulators, name_accumulate(frame, instruction, sums, pose) pops and adds the newest
//   pose, and name_end(frame, instruction, sums) replaces the accumulators by a pose.
// - EXCHANGE reads an input that an earlier pass stored in an exchange area, at any joints, and pushes a pose like a
//   SOURCE: name_operation(frame, instruction).
#define OPERATION_REST 0u
#define OPERATION_CLIP 1u
#define OPERATION_WEIGHTED 7u
#define OPERATION_INTERPOLATE 10u
#define OPERATION_SUBTRACT 12u
#define OPERATION_APPLY 14u
#define OPERATION_MEAN 41u
#define OPERATION_TO_MODEL 44u
#define OPERATION_TO_LOCAL 46u
#define OPERATION_MIRROR 30u
#define OPERATION_CLAMP 32u
#define OPERATION_PARTIAL 40u
#define OPERATION_OVERRIDE 50u
#define OPERATION_IK_TWO_BONE 51u
#define OPERATION_IK_AIM 52u
#define OPERATION_FOOT_PLACEMENT 53u
#define OPERATION_TWIST 54u
#define OPERATION_CHAIN 55u
#define OPERATION_MAKE_AFFINE_ADDITIVE 48u
#define OPERATION_APPLY_AFFINE_ADDITIVE 49u
#define OPERATION_MATRICES 33u
#define OPERATION_TAKE 36u
#define OPERATION_FIXED 39u
#define OPERATIONS(SOURCE, UNARY, BINARY, SUM, EXCHANGE)                                                               \
    SOURCE(REST, rest, OPERATION_REST, BLENDS_POSITIONS)                                                               \
    SOURCE(CLIP, clip, OPERATION_CLIP, TAKES_CLIP | BLENDS_POSITIONS)                                                  \
    SOURCE(POSE, pose, 2u, TAKES_POSE | BLENDS_POSITIONS)                                                              \
    BINARY(BLEND, blend, 3u, TAKES_WEIGHT | MOTION_BLENDS | BLENDS_POSITIONS)                                          \
    BINARY(MASKED, masked, 4u, TAKES_WEIGHT | TAKES_MASK | MOTION_BLENDS | BLENDS_POSITIONS)                           \
    UNARY(OVERRIDE, override, OPERATION_OVERRIDE,                                                                      \
          TAKES_POSE | TAKES_WEIGHT | TAKES_MASK | MOTION_BLENDS | BLENDS_POSITIONS | IS_RARE)                         \
    BINARY(MAKE_ADDITIVE, make_additive, 5u, MOTION_SUBTRACTS)                                                         \
    BINARY(ADDITIVE, additive, 6u, TAKES_WEIGHT | MOTION_ADDS)                                                         \
    SUM(WEIGHTED, weighted, OPERATION_WEIGHTED, TAKES_SHARE | BLENDS_POSITIONS)                                        \
    BINARY(PARTIAL, partial, OPERATION_PARTIAL, TAKES_WEIGHT | MOTION_BLENDS | BLENDS_POSITIONS | IS_RARE)             \
    SUM(WEIGHTED_MATRIX, weighted_matrix, OPERATION_MATRICES, TAKES_SHARE)                                             \
    EXCHANGE(MIRROR, mirror, OPERATION_MIRROR, TAKES_MIRROR | TAKES_AREA)                                              \
    EXCHANGE(IK_TWO_BONE, ik_two_bone, OPERATION_IK_TWO_BONE,                                                          \
             TAKES_WEIGHT | TAKES_IK | TAKES_AREA | ONLY_POSES | MOVES_FEW)                                            \
    EXCHANGE(IK_AIM, ik_aim, OPERATION_IK_AIM, TAKES_WEIGHT | TAKES_IK | TAKES_AREA | ONLY_POSES | MOVES_FEW)          \
    EXCHANGE(FOOT_PLACEMENT, foot_placement, OPERATION_FOOT_PLACEMENT,                                                 \
             TAKES_WEIGHT | TAKES_IK | TAKES_AREA | ONLY_POSES)                                                        \
    EXCHANGE(TWIST, twist, OPERATION_TWIST, TAKES_WEIGHT | TAKES_IK | TAKES_AREA | ONLY_POSES | MOVES_FEW)             \
    EXCHANGE(CHAIN, chain, OPERATION_CHAIN, TAKES_WEIGHT | TAKES_IK | TAKES_AREA | ONLY_POSES | IS_RARE)               \
    UNARY(CLAMP, clamp, OPERATION_CLAMP, TAKES_LIMITS | ONLY_POSES | IS_RARE)                                          \
    BINARY(ADD, add, 11u, TAKES_NOTHING)                                                                               \
    BINARY(SUBTRACT, subtract, OPERATION_SUBTRACT, MOTION_SUBTRACTS)                                                   \
    UNARY(SCALE, scale, 13u, TAKES_WEIGHT | TAKES_CHOICE | MOTION_ADDS)

// Instructions that operations are lowered to: because of a choice, or one for each input.
#define VARIANTS(SOURCE, UNARY, BINARY, SUM, EXCHANGE)                                                                 \
    SOURCE(FIXED, fixed, OPERATION_FIXED, TAKES_POSE)                                                                  \
    BINARY(TAKE, take, OPERATION_TAKE, TAKES_JOINT_MAP | IS_RARE)                                                      \
    BINARY(INTERPOLATE, interpolate, OPERATION_INTERPOLATE, TAKES_WEIGHT | TAKES_MASK | TAKES_CHOICE)                  \
    BINARY(APPLY, apply, OPERATION_APPLY, TAKES_WEIGHT | TAKES_MASK | TAKES_CHOICE)                                    \
    SUM(MEAN, mean, OPERATION_MEAN, TAKES_SHARE | TAKES_CHOICE)                                                        \
    BINARY(MAKE_AFFINE_ADDITIVE, make_affine_additive, OPERATION_MAKE_AFFINE_ADDITIVE, IS_RARE)                        \
    BINARY(APPLY_AFFINE_ADDITIVE, apply_affine_additive, OPERATION_APPLY_AFFINE_ADDITIVE,                              \
           TAKES_WEIGHT | TAKES_MASK | TAKES_CHOICE | IS_RARE)                                                         \
    EXCHANGE(TO_MODEL, to_model, OPERATION_TO_MODEL, TAKES_AREA)                                                       \
    EXCHANGE(TO_LOCAL, to_local, OPERATION_TO_LOCAL, TAKES_AREA)

#define EVERY_INSTRUCTION(SOURCE, UNARY, BINARY, SUM)                                                                  \
    OPERATIONS(SOURCE, UNARY, BINARY, SUM, SOURCE)                                                                     \
    VARIANTS(SOURCE, UNARY, BINARY, SUM, SOURCE)

#endif
