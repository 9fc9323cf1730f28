// Float channels: additional values beside the joints. Defines what each operation does to a channel, and the evaluator
// of channels. A channel is evaluated like a joint after the rig's last one: frame.joint is the joint count plus the
// channel's index, which is also its index in rows of weights and masks. So frame.joint is 0, where per-character
// refusals are counted, only in a rig without joints.
//
// For each row of the table of operations except sums, there must be a name_channel(), which corresponds to
// name_operation().
#ifndef LMB_OPS_CHANNELS_H
#define LMB_OPS_CHANNELS_H

#include "number.h"
#include "operations.h"

// Maximum number of values on the stack. A sum keeps the values of all its inputs until its end, because only then is
// it known from which input the differences of angles are taken. The compiler of a graph counts them.
#define STACK_CHANNELS 81u

STRUCT(float_value)
real x;
real weight; // the pose's weight for the channel, as a transform's
END_STRUCT(float_value)

OP uint channel_of(evaluation e) {
    return e.joint - HEADER(e.program, PROGRAM, joints);
}

OP bool channel_is_angle(evaluation e) {
    uint flags = HEADER(e.program, PROGRAM, channel_rest) + HEADER(e.program, PROGRAM, channels);
    return LOAD(e.program, flags + channel_of(e)) != 0u;
}

// Applied to every result.
OP real finish_number(bool angle, real x) {
    real finished = snap(x);
    if (angle) {
        finished = wrap_degrees(finished);
    }
    return finished;
}

// The difference from a to b. For angles, on the shorter side, and negative if both sides are equally long.
OP real number_difference(bool angle, real b, real a) {
    real difference = b - a;
    if (angle) {
        difference = wrap_degrees(snap(difference));
    }
    return difference;
}

OP real blend_numbers(bool angle, bool as_given, real a, real b, real weight) {
    real blended = lerp(a, b, weight);
    if (angle && !as_given) {
        real reached = a + weight * number_difference(angle, b, a);
        blended = SELECT(weight == 1.0f, b, reached);
    }
    return finish_number(angle, blended);
}

OP float_value rest_channel(evaluation e, uint instruction) {
    UNUSED(instruction);
    float_value rest;
    rest.x = SPLAT(LOAD_FLOAT(e.program, HEADER(e.program, PROGRAM, channel_rest) + channel_of(e)));
    rest.weight = SPLAT(WEIGHT_PRESENT);
    return rest;
}

// An angle's cubic spline goes to the representation of the next key that is nearest by full turns.
OP real sample_float_track(evaluation e, track t, FOUND at, bool angle) {
    word from = key_value(t, AT(at).key, 1u);
    word to = key_value(t, AT(at).after, 1u);
    real a = GATHER_REAL(e.program, from);
    real sampled = a;
    if (t.mode == MODE_LINEAR) {
        sampled = blend_numbers(angle, false, a, GATHER_REAL(e.program, to), AT(at).fraction);
    }
    if (USES_CUBIC && t.mode == MODE_CUBIC) {
        real b = a + number_difference(angle, GATHER_REAL(e.program, to), a);
        if (!angle) {
            b = GATHER_REAL(e.program, to);
        }
        real out_tangent = GATHER_REAL(e.program, from + 1u);
        real in_tangent = GATHER_REAL(e.program, to - 1u);
        sampled = cubic_spline(a, b, out_tangent, in_tangent, AT(at).fraction, AT(at).interval);
    }
    return finish_number(angle, sampled);
}

// Samples the channel at a time from clip_time().
OP float_value sample_channel(evaluation e, uint clip, real time) {
    float_value sampled = rest_channel(e, 0u);
    // A clip of another rig may have other channels: they are not read.
    if (READ(e.program, clip, CLIP, float_count) > channel_of(e)) {
        track t = load_kept_track(e.program, clip, float_track_place(e.program, clip, channel_of(e)));
        if (t.mode != MODE_REST) {
            FOUND at = find_key_again(e, t, READ(e.program, clip, CLIP, search), time);
            sampled.x = sample_float_track(e, t, at, channel_is_angle(e));
        }
    }
    return sampled;
}

// The weight that a clip stores for the channel.
OP real clip_channel_weight(evaluation e, uint clip) {
    real weight = SPLAT(WEIGHT_PRESENT);
    if (READ(e.program, clip, CLIP, float_count) > channel_of(e)) {
        weight = clip_joint_weight(e, clip, e.joint);
    }
    return weight;
}

// Whether the source has a joint map. Joint maps contain only joints.
OP bool has_joint_map(evaluation e, uint instruction) {
    return USES_JOINT_MAPS && READ(e.program, instruction, SAMPLE, joint_map) != 0u;
}

OP float_value clip_channel(evaluation e, uint instruction) {
    source s = operand_source(e, instruction);
#ifdef LMB_GLSL
    e.search = load_search(e, instruction);
#endif
    float_value sampled = rest_channel(e, instruction);
    if (READ(e.program, instruction, SAMPLE, absent) != HEADER(e.program, PROGRAM, rest)) {
        sampled.x = SPLAT(0.0f); // no change
    }
#ifdef LMB_SIMD_WIDTH
    // If lanes play different clips, samples each of these clips in turn.
    lane_mask left = s.known;
    while (ANY(left)) {
        uint clip = ONE_OF(left, s.clip);
        lane_mask mine = AND(left, s.clip == clip);
        float_value from_clip = sample_channel(e, clip, s.time);
        sampled.x = SELECT(AND(mine, s.weight > 0.0f), from_clip.x, sampled.x);
        if (USES_WEIGHTS) {
            sampled.weight = SELECT(mine, clip_channel_weight(e, clip), sampled.weight);
        }
        left = AND(left, NOT(mine));
    }
#else
    if (s.known && s.weight > 0.0f) {
        sampled = sample_channel(e, s.clip, s.time);
    }
    if (USES_WEIGHTS && s.known) {
        sampled.weight = clip_channel_weight(e, s.clip);
    }
#endif
    if (USES_WEIGHTS && READ(e.program, instruction, SAMPLE, weights) != 0u) {
        sampled.weight = load_byte(e.program, READ(e.program, instruction, SAMPLE, weights), e.joint);
    }
    if (has_joint_map(e, instruction)) {
        sampled = rest_channel(e, instruction);
    }
    return sampled;
}

OP float_value pose_channel(evaluation e, uint instruction) {
    float_value a = rest_channel(e, instruction);
    if (!has_joint_map(e, instruction)) {
        uint first = POSE_COMPONENTS * HEADER(e.program, PROGRAM, joints) + channel_of(e);
        word at = e.character * HEADER(e.program, PROGRAM, pose_floats) + first;
        real given = GATHER_REAL(POSES(e, READ(e.program, instruction, GIVEN, number)), at);
        lane_mask good = is_finite(given);
        REFUSE(e, REFUSED_POSE, NOT(good));
        a.x = SELECT(good, finish_number(channel_is_angle(e), given), a.x);
    }
    return a;
}

OP float_value fixed_channel(evaluation e, uint instruction) {
    float_value a = rest_channel(e, instruction);
    if (!has_joint_map(e, instruction)) {
        uint first = WORDS_OF(STATIC_POSE) * HEADER(e.program, PROGRAM, joints) + channel_of(e);
        a.x = SPLAT(LOAD_FLOAT(e.program, READ(e.program, instruction, GIVEN, static_pose) + first));
    }
    return a;
}

// Returns a if b has a joint map, because joint maps have no channels.
OP float_value take_channel(evaluation e, uint instruction, float_value a, float_value b) {
    float_value taken = b;
    if (READ(e.program, instruction, TAKEN, joint_map) != 0u) {
        taken = a;
    }
    return taken;
}

OP float_value blend_values(evaluation e, float_value a, float_value b, real weight, bool as_given) {
    float_value blended = a;
    blended.x = blend_numbers(channel_is_angle(e), as_given, a.x, b.x, weight);
    return blended;
}

OP float_value blend_channel(evaluation e, uint instruction, float_value a, float_value b) {
    return blend_values(e, a, b, operand_weight(e, instruction), false);
}

OP float_value masked_channel(evaluation e, uint instruction, float_value a, float_value b) {
    return blend_values(e, a, b, masked_weight(e, instruction, operand_weight(e, instruction)), false);
}

OP float_value override_channel(evaluation e, uint instruction, float_value a) {
    real weight = masked_weight(e, instruction, operand_weight(e, instruction));
    lane_mask counts = weight > 0.0f;
    float_value result = a;
    if (ANY(counts)) {
#ifndef LMB_GLSL
        e.counts = AND(e.counts, counts);
#endif
        float_value given;
        if (READ(e.program, instruction, GIVEN, static_pose) != 0u) {
            given = fixed_channel(e, instruction);
        } else {
            given = pose_channel(e, instruction);
        }
        float_value blended = blend_values(e, a, given, weight, false);
        result.x = SELECT(counts, blended.x, a.x);
    }
    return result;
}

OP float_value interpolate_channel(evaluation e, uint instruction, float_value a, float_value b) {
    uint choice = READ(e.program, instruction, BLEND, choices);
    return blend_values(e, a, b, chosen_weight(e, instruction, choice), (choice & CHOICE_AS_GIVEN) != 0u);
}

OP float_value partial_channel(evaluation e, uint instruction, float_value a, float_value b) {
    real weight = operand_weight(e, instruction);
    float_value blended = blend_values(e, a, b, weight, false);
    if (USES_WEIGHTS) {
        real blend = partial_blend(weight, a.weight, b.weight);
        lane_mask both = AND(a.weight > 0.0f, b.weight > 0.0f);
        blended = blend_values(e, a, b, blend, false);
        real present = SELECT(a.weight > 0.0f, a.x, b.x);
        real kept_weight = SELECT(a.weight > 0.0f, a.weight, b.weight);
        blended.x = SELECT(both, blended.x, present);
        blended.weight = SELECT(both, partial_weight(blend, a.weight, b.weight), kept_weight);
    }
    return blended;
}

OP float_value add_values(evaluation e, float_value a, float_value b, real weight) {
    float_value sum = a;
    sum.x = finish_number(channel_is_angle(e), a.x + weight * b.x);
    return sum;
}

OP float_value add_channel(evaluation e, uint instruction, float_value a, float_value b) {
    UNUSED(instruction);
    return add_values(e, a, b, SPLAT(1.0f));
}

OP float_value subtract_channel(evaluation e, uint instruction, float_value a, float_value b) {
    UNUSED(instruction);
    return add_values(e, a, b, SPLAT(-1.0f));
}

OP float_value make_additive_channel(evaluation e, uint instruction, float_value a, float_value r) {
    return subtract_channel(e, instruction, a, r);
}

OP float_value additive_channel(evaluation e, uint instruction, float_value base, float_value difference) {
    return add_values(e, base, difference, operand_weight(e, instruction));
}

OP float_value apply_channel(evaluation e, uint instruction, float_value base, float_value difference) {
    uint choice = READ(e.program, instruction, BLEND, choices);
    return add_values(e, base, difference, chosen_weight(e, instruction, choice));
}

// Affine additives treat channels like other additives.
OP float_value apply_affine_additive_channel(evaluation e, uint instruction, float_value base, float_value difference) {
    return apply_channel(e, instruction, base, difference);
}

OP float_value make_affine_additive_channel(evaluation e, uint instruction, float_value a, float_value r) {
    return subtract_channel(e, instruction, a, r);
}

OP float_value scale_channel(evaluation e, uint instruction, float_value a) {
    uint choice = READ(e.program, instruction, BLEND, choices);
    float_value scaled = a;
    scaled.x = finish_number(channel_is_angle(e), chosen_weight(e, instruction, choice) * a.x);
    return scaled;
}

// After the joints' records, a mirror's table has a word per channel: its partner, and in the highest bit whether its
// sign changes.
OP uint load_channel_mirror(evaluation e, uint instruction) {
    uint records = HEADER(e.program, PROGRAM, joints) * WORDS_OF(MIRROR);
    return LOAD(e.program, READ(e.program, instruction, MIRRORED, table) + records + channel_of(e));
}

OP float_value load_exchanged_channel(evaluation e, uint instruction, uint joint) {
    transform stored = load_exchange(e, READ(e.program, instruction, EXCHANGED, area), joint);
    float_value a;
    a.x = stored.t.x;
    a.weight = stored.weight;
    return a;
}

OP float_value mirror_channel(evaluation e, uint instruction) {
    uint partner = load_channel_mirror(e, instruction) & 0x7fffffffu;
    float_value mirrored = load_exchanged_channel(e, instruction, HEADER(e.program, PROGRAM, joints) + partner);
    if (load_channel_mirror(e, instruction) > 0x7fffffffu) {
        mirrored.x = finish_number(channel_is_angle(e), -mirrored.x);
    }
    return mirrored;
}

// Operations that only move joints: a channel keeps the value of the input.
#define KEPT_CHANNEL(name)                                                                                             \
    OP float_value name##_channel(evaluation e, uint instruction) {                                                    \
        return load_exchanged_channel(e, instruction, e.joint);                                                        \
    }
KEPT_CHANNEL(to_model)
KEPT_CHANNEL(to_local)
KEPT_CHANNEL(ik_two_bone)
KEPT_CHANNEL(ik_aim)
KEPT_CHANNEL(foot_placement)
KEPT_CHANNEL(twist)
KEPT_CHANNEL(chain)

// After the joints' records, the table of limits has four rows of a float per channel: minimum, maximum, and for angles
// the middle between them and half of their distance. An angle outside goes to the end that is nearer around the
// circle, or to the maximum if both are equally near.
OP float_value clamp_channel(evaluation e, uint instruction, float_value a) {
    uint channels = HEADER(e.program, PROGRAM, channels);
    uint at = READ(e.program, instruction, CLAMPED, table) + HEADER(e.program, PROGRAM, joints) * WORDS_OF(LIMIT) +
              channel_of(e);
    float low = LOAD_FLOAT(e.program, at);
    float high = LOAD_FLOAT(e.program, at + channels);
    float_value held = a;
    held.x = clamp_real(a.x, low, high);
    if (channel_is_angle(e)) {
        float width = LOAD_FLOAT(e.program, at + 3u * channels);
        real turn = number_difference(true, a.x, SPLAT(LOAD_FLOAT(e.program, at + 2u * channels)));
        lane_mask beyond = OR(turn > width, turn < -width);
        lane_mask up = OR(turn > 0.0f, turn == -180.0f);
        real nearer = SELECT(up, SPLAT(high), SPLAT(low));
        held.x = SELECT(beyond, nearer, a.x);
    }
    return held;
}

#define CHANNEL_SOURCE(NAME, name, code, takes)                                                                        \
    case code:                                                                                                         \
        held[depth] = name##_channel(e, at);                                                                           \
        depth = depth + 1u;                                                                                            \
        break;

#define CHANNEL_UNARY(NAME, name, code, takes)                                                                         \
    case code:                                                                                                         \
        held[depth - 1u] = name##_channel(e, at, held[depth - 1u]);                                                    \
        break;

#define CHANNEL_BINARY(NAME, name, code, takes)                                                                        \
    case code:                                                                                                         \
        depth = depth - 1u;                                                                                            \
        held[depth - 1u] = name##_channel(e, at, held[depth - 1u], held[depth]);                                       \
        break;

#define CHANNEL_SUM(NAME, name, code, takes)                                                                           \
    case code:                                                                                                         \
        firsts[open_sums] = depth;                                                                                     \
        open_sums = open_sums + 1u;                                                                                    \
        break;                                                                                                         \
    case code + 1u:                                                                                                    \
        shares[depth - 1u] =                                                                                           \
            input_weight(e, at, ((takes)&TAKES_CHOICE) != 0u ? READ(e.program, at, BLEND, choices) : 0u);              \
        break;                                                                                                         \
    case code + 2u:                                                                                                    \
        ends = true;                                                                                                   \
        break;

#ifndef LMB_GLSL
// Prepares any kind of instruction. Operands that an instruction does not have are not read.
OP evaluation begin_instruction(evaluation e, uint instruction) {
    if (READ(e.program, instruction, INSTRUCTION, operation) == OPERATION_CLIP) {
        e = begin_source(e, instruction);
    } else if (READ(e.program, instruction, BLEND, weight) < HEADER(e.program, PROGRAM, weights)) {
        e = begin_weight(e, instruction);
    }
    return e;
}
#endif

// Returns a channel's value in a pass. Every pass except the last one also stores it in its exchange area.
// find_sources() must have run.
OP real evaluate_channel(evaluation e, uint pass) {
    float_value held[STACK_CHANNELS];
    real shares[STACK_CHANNELS];
    uint firsts[STACK_POSES];
    held[0] = rest_channel(e, 0u); // always overwritten: a program has at least one instruction
    uint depth = 0u;
    uint open_sums = 0u;
    uint instructions = HEADER(e.program, PROGRAM, instructions);
    uint end = first_of_pass(e.program, pass + 1u);
    for (uint i = first_of_pass(e.program, pass); i < end; i++) {
        uint at = instructions + i * WORDS_OF(INSTRUCTION);
        bool ends = false;
#ifndef LMB_GLSL
        e = begin_instruction(e, at);
#endif
        switch (READ(e.program, at, INSTRUCTION, operation)) {
            EVERY_INSTRUCTION(CHANNEL_SOURCE, CHANNEL_UNARY, CHANNEL_BINARY, CHANNEL_SUM)
        default:
            break;
        }
        if (ends) {
            // The weighted mean, computed from the differences to the input with the maximum weight, the first one if
            // there are several.
            bool angle = channel_is_angle(e);
            open_sums = open_sums - 1u;
            uint first = firsts[open_sums];
            real most = SPLAT(0.0f);
            real kept_weight = SPLAT(0.0f);
            real nearest = SPLAT(0.0f);
            for (uint place = first; place < depth; place++) {
                nearest = SELECT(shares[place] > most, held[place].x, nearest);
                most = SELECT(shares[place] > most, shares[place], most);
                kept_weight = SELECT(AND(shares[place] > 0.0f, held[place].weight > kept_weight), held[place].weight,
                                     kept_weight);
            }
            real total = SPLAT(0.0f);
            real sum = SPLAT(0.0f);
            for (uint place = first; place < depth; place++) {
                total = total + shares[place];
                sum = sum + shares[place] * number_difference(angle, held[place].x, nearest);
            }
            float_value mean = rest_channel(e, at);
            if (READ(e.program, at, BLEND, rest) != HEADER(e.program, PROGRAM, rest)) {
                mean.x = SPLAT(0.0f); // the neutral additive
            }
            real x = finish_number(angle, nearest + sum * reciprocal(total));
            mean.x = SELECT(total > 0.0f, x, mean.x);
            mean.weight = SELECT(total > 0.0f, kept_weight, mean.weight);
            held[first] = mean;
            depth = first + 1u;
        }
    }
    if (pass + 1u < HEADER(e.program, PROGRAM, pass_count)) {
        transform left = zero_transform();
        left.t.x = held[0].x;
        left.weight = held[0].weight;
        store_exchange(e, pass, left);
    }
    return held[0].x;
}

#endif
