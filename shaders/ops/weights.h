// Stage 1: weights, computed once per character, so that later stages contain only joint arithmetic. From the root
// down, each node's rule computes the weights of its inputs in the result. Then for each use of a clip, the clip and
// the time at which to sample it are determined.
//
// A node of weight W gives its inputs these weights:
// - a blend: (1 - w) W and w W;
// - an input applied over another one (masked, partial, additive): W for the one below, and |w| W, at most W, for the
//   one above;
// - a weighted sum: for each input W times its share of the sum;
// - every other operation: W.
// A weight is 0 only if a factor is 0; else it is at least 2^-40. The second input of a partial blend has at least
// 2^-40 W, because it is visible where the first one is absent. So an input of weight 0 changes nothing, and is treated
// as the rest pose. Nor does what it would take from its own inputs: their shares, and its w, count as 0, unless
// somebody looks at it although it has no weight (RULE.always). A blend of weight 0 then results in its first input.
//
// Weights in root motion are signed: motion_weights.h.
#ifndef LMB_OPS_WEIGHTS_H
#define LMB_OPS_WEIGHTS_H

#include "curve.h"
#include "records.h"

// Loads a value without applying its curve. `value` is its offset.
OP real load_plain_value(evaluation e, uint value) {
    uint parameter = READ(e.program, value, VALUE, parameter);
    real x = SPLAT(READ_FLOAT(e.program, value, VALUE, constant));
    if (parameter != NO_PARAMETER) {
        word row = e.character * HEADER(e.program, PROGRAM, parameters);
        x = GATHER_REAL(e.parameters, row + parameter);
    }
    return x;
}

#ifdef LMB_SIMD_WIDTH
// Few values have a curve.
OP_COLD void apply_curve_in_place(memory block, curve_record curve, real *x) {
    *x = evaluate_any_curve(block, curve, *x);
}
#endif

// Applies the value's curve, if it has one, to x. If x is not finite, returns it unchanged.
OP real apply_curve(evaluation e, uint value, real x) {
    curve_record curve = load_curve(e.program, value + FIELD(VALUE, curve));
    real shaped = x;
    if (USES_CURVES && curve.kind != CURVE_LINEAR) {
#ifdef LMB_SIMD_WIDTH
        real inside = snap(x);
        apply_curve_in_place(e.program, curve, &inside);
#else
        real inside = evaluate_any_curve(e.program, curve, snap(x));
#endif
        shaped = SELECT(is_finite(x), inside, x);
    }
    return shaped;
}

OP real load_value(evaluation e, uint value) {
    return apply_curve(e, value, load_plain_value(e, value));
}

// Loads a value that may be infinite. NaN becomes 0 and is counted as refused.
OP real load_number(evaluation e, uint value) {
    real given = load_plain_value(e, value);
    REFUSE(e, REFUSED_WEIGHT, is_nan(given));
    return apply_curve(e, value, snap(given));
}

// The weight of an input that has a share of its node's weight.
OP real weight_below(real own, real share) {
    real product = own * LESSER(share, 1.0f);
    real kept = SELECT(product > 9.09494702e-13f, product, SPLAT(9.09494702e-13f)); // 2^-40
    return SELECT(AND(own > 0.0f, share > 0.0f), kept, SPLAT(0.0f));
}

// A blend, or an input applied over another one.
OP void weigh_blend(evaluation e, uint rule, real own, float always, uint kind) {
    float largest = READ_FLOAT(e.program, rule, CLAMPED_RULE, limit);
    float low = 0.0f;
    if (largest > 1.0f) {
        low = -largest;
    }
    real weight = clamp_real(load_number(e, READ(e.program, rule, RULE, table)), low, largest);
    uint inputs = READ(e.program, rule, RULE, inputs);
    weight = SELECT(own + always > 0.0f, weight, SPLAT(0.0f));
    store_weight(e, READ(e.program, rule, RULE, local), weight);
    if (kind == RULE_BLEND) {
        store_weight(e, inputs, weight_below(own, 1.0f - weight));
        inputs = inputs + 1u;
    }
    real share = magnitude_of(weight);
    if (kind == RULE_PARTIAL) {
        share = SELECT(share > 0.0f, share, SPLAT(9.09494702e-13f));
    }
    store_weight(e, inputs, weight_below(own, share));
}

// Stores the share of an input of a sum, before normalisation. It counts where the node is seen: `seen` is above 0.
OP void store_share(evaluation e, uint rule, real seen, uint which, real share) {
    store_weight(e, READ(e.program, rule, RULE, local) + which, SELECT(seen > 0.0f, share, SPLAT(0.0f)));
}

#include "spaces.h"

// Layers by priority: computes the share of each input from the fades of all.

// An input's fade, in [0, 1]. NaN becomes 0.
OP real load_fade(evaluation e, uint value) {
    real given = load_plain_value(e, value);
    return clamp_real(apply_curve(e, value, snap(given)), 0.0f, 1.0f);
}

// The share of an input is its fade, divided by the sum of its layer's fades or by the threshold if that is more, times
// what the layers above leave. The rest pose, the last input, has the share that all layers leave. joint_share() does
// the same for a single joint. If shares differ by joint, an input's weight is the maximum that any joint can have, and
// only the fade that every joint has reduces the other inputs.
OP void weigh_layers(evaluation e, uint rule, real own, float always, bool by_joint) {
    uint count = READ(e.program, rule, RULE, count) - 1u;
    uint table = READ(e.program, rule, RULE, table);
    real left = SPLAT(1.0f);
    for (uint first = 0u; first < count;) {
        uint end = READ(e.program, table + first * WORDS_OF(LAYER), LAYER, end);
        float full = READ_FLOAT(e.program, table + first * WORDS_OF(LAYER), LAYER, full);
        real sum = SPLAT(0.0f);
        for (uint i = first; i < end; i++) {
            uint layer = table + i * WORDS_OF(LAYER);
            uint value = READ(e.program, layer, LAYER, value);
            REFUSE(e, REFUSED_WEIGHT, is_nan(load_plain_value(e, value)));
            sum = sum + load_fade(e, value) * READ_FLOAT(e.program, layer, LAYER, covers);
        }
        real part = layer_part(sum, full);
        for (uint i = first; i < end; i++) {
            uint layer = table + i * WORDS_OF(LAYER);
            uint which = READ(e.program, layer, LAYER, from);
            real fade = load_fade(e, READ(e.program, layer, LAYER, value));
            real share = fade * part;
            if (by_joint) {
                share = snap_small(LESSER(share, 1.0f) * left);
                store_share(e, rule, own + always, which, fade);
                store_weight(e, READ(e.program, rule, RULE, inputs) + which, weight_below(own, share));
            } else {
                store_share(e, rule, own + always, which, snap_small(share * left));
            }
        }
        left = layer_rest(left, sum, full);
        first = end;
    }
    // If shares differ by joint, each joint computes the remaining share and the sum of shares itself.
    store_share(e, rule, own + always, count, by_joint ? SPLAT(1.0f) : snap_small(left));
    if (by_joint) {
        store_share(e, rule, own + always, count + 1u, SPLAT(1.0f));
    }
}

OP void weigh_inputs(evaluation e, uint rule, real own, float always) {
    uint table = READ(e.program, rule, RULE, table);
    uint count = READ(e.program, rule, RULE, count);
    for (uint i = 0u; i < count; i++) {
        real given = clamp_real(load_number(e, LOAD(e.program, table + i)), 0.0f, 1.09951163e+12f);
        store_share(e, rule, own + always, i, given);
    }
}

// Normalises the shares of a sum's inputs, and computes the inputs' weights from them.
OP void divide_weight(evaluation e, uint rule, real own) {
    uint shares = READ(e.program, rule, RULE, local);
    uint inputs = READ(e.program, rule, RULE, inputs);
    uint count = READ(e.program, rule, RULE, count);
    real total = SPLAT(0.0f);
    for (uint i = 0u; i < count; i++) {
        total = total + load_weight(e, shares + i);
    }
    real inverse = reciprocal(total);
    store_weight(e, shares + count, total);
    store_weight(e, shares + count + 1u, inverse);
    for (uint i = 0u; i < count; i++) {
        store_weight(e, inputs + i, weight_below(own, load_weight(e, shares + i) * inverse));
    }
}

// A clip's given time, time * rate + offset, rounded after each operation; and whether all three are finite.
STRUCT(given_time)
real seconds;
lane_mask finite;
END_STRUCT(given_time)

OP given_time load_time(evaluation e, uint use) {
    given_time given;
    given.seconds = load_value(e, READ(e.program, use, USE, time));
    given.finite = is_finite(given.seconds);
    if ((READ(e.program, use, USE, flags) & CLIP_WARPS) != 0u) {
        real rate = load_value(e, READ(e.program, use, USE, rate));
        real offset = load_value(e, READ(e.program, use, USE, offset));
        given.finite = AND(given.finite, AND(is_finite(rate), is_finite(offset)));
        given.seconds = snap(given.seconds) * snap(rate) + snap(offset);
    }
    return given;
}

#ifdef LMB_GLSL
// Finds the clip's tracks, and the key position for the key times that most of them share.
key_search search_common(evaluation e, source s) {
    key_search search;
    search.times = 0u;
    search.tracks = 0u;
    search.terms = 0u;
    search.found = first_key();
    uint which = 0u;
    if (s.clip != 0u) {
        uint packed = READ(e.program, s.clip, CLIP, packed);
        search.tracks = packed != 0u ? TRACKS_PACKED | (s.clip + packed) : kept_track_place(e.program, s.clip, 0u, 0u);
        which = READ(e.program, s.clip, CLIP, common_times);
    }
    if (which != 0u && s.weight > 0.0f) {
        track t = load_track(e.program, s.clip, (which - 1u) % PROPERTIES, (which - 1u) / PROPERTIES);
        search.times = t.times;
        search.found = find_key(e.program, t, READ(e.program, s.clip, CLIP, search), s.time);
    }
    return search;
}
#endif

OP void find_source(evaluation e, uint index, uint use) {
    source s;
    s.weight = load_weight(e, READ(e.program, use, USE, weight));
    s.time = SPLAT(0.0f);
    s.clip = ALL_WORD(0u);
    real given = load_value(e, READ(e.program, use, USE, clip));
    real chosen = FLOOR(snap(given));
    word place = ALL_WORD(0u);
    given_time time = load_time(e, use);
    uint count = HEADER(e.program, PROGRAM, clip_count);
    s.known = AND(is_finite(given), AND(chosen >= 0.0f, chosen < TO_REAL(ALL_WORD(count))));
    lane_mask refused = NOT(s.known);
    REFUSE(e, REFUSED_TIME, NOT(time.finite));
#ifdef LMB_SIMD_WIDTH
    // Most states are not seen. Nothing of their clips is needed, unless joint weights or joint maps are.
    if (!USES_WEIGHTS && !USES_JOINT_MAPS && !ANY(s.weight > 0.0f)) {
        REFUSE(e, REFUSED_CLIP, refused);
        store_unseen_source(e, index);
        return;
    }
#endif
    if (count > 0u) {
        real safe_time = snap(SELECT(time.finite, time.seconds, SPLAT(0.0f)));
        place = TO_WORD(SELECT(s.known, chosen, SPLAT(0.0f)));
        word clip = GATHER(e.program, HEADER(e.program, PROGRAM, clips) + place);
        lane_mask fits = clip != 0u; // else the slot is empty
        refused = OR(refused, AND(NOT(fits), s.weight > 0.0f));
        if (USES_JOINT_MAPS) {
            lane_mask matches = GATHER(e.program, clip + FIELD(CLIP, joints)) == READ(e.program, use, USE, joints);
            refused = OR(refused, AND(fits, NOT(matches)));
            fits = AND(fits, matches);
        }
        s.known = AND(s.known, fits);
        s.clip = SELECT_BITS(s.known, clip);
        real duration = GATHER_REAL(e.program, clip + FIELD(CLIP, duration));
        real rate = GATHER_REAL(e.program, clip + FIELD(CLIP, rate));
        s.time = clip_time(duration, rate, safe_time, (READ(e.program, use, USE, flags) & CLIP_LOOPS) != 0u);
    }
    REFUSE(e, REFUSED_CLIP, refused);
#ifdef LMB_GLSL
    store_source(e, index, s, search_common(e, s));
#elif defined(LMB_SIMD_WIDTH)
    store_lanes(e, index, compare_lanes(s, place));
#else
    store_source(e, index, s);
#endif
}

// Computes the level of detail of a character, an integer.
OP void find_level(evaluation e, uint rule) {
    real level = load_number(e, READ(e.program, rule, RULE, table));
    store_weight(e, READ(e.program, rule, RULE, local), FLOOR(clamp_real(level, 0.0f, LAST_LOD)));
}

// How many of some ascending times, at least one, a time has reached.
OP word count_reached(memory block, uint times, uint count, real time) {
    word reached = ALL_WORD(0u);
    uint step = 1u;
    while (step * 2u <= count) {
        step = step * 2u;
    }
    for (; step != 0u; step = step / 2u) {
        word next = reached + step;
        lane_mask beyond = ABOVE(next, count);
        word last = SELECT(beyond, ALL_WORD(count), next);
        lane_mask is_reached = AND(NOT(beyond), time >= GATHER_REAL(block, times + last - 1u));
        reached = SELECT(is_reached, next, reached);
    }
    return reached;
}

// Computes whether a foot is planted: whether a value, and the weights of the clips that plant it at their times, add
// up to half of the node's weight.
OP void find_planted(evaluation e, uint rule, real own) {
    real sum = own * clamp_real(load_number(e, READ(e.program, rule, RULE, table)), 0.0f, 1.0f);
    uint clip = READ(e.program, rule, PLANTED_RULE, clips);
    uint end = clip + READ(e.program, rule, RULE, count) * WORDS_OF(PLANTED);
    for (; clip < end; clip += WORDS_OF(PLANTED)) {
        real given = load_value(e, READ(e.program, clip, PLANTED, time));
        real time = snap(SELECT(is_finite(given), given, SPLAT(0.0f)));
        uint count = READ(e.program, clip, PLANTED, count);
        word reached = count_reached(e.program, READ(e.program, clip, PLANTED, times), count, time);
        lane_mask inside = (reached & 1u) != 0u;
        real weight = load_weight(e, READ(e.program, clip, PLANTED, weight));
        sum = sum + SELECT(inside, weight, SPLAT(0.0f));
    }
    lane_mask planted = AND(own > 0.0f, sum >= 0.5f * own);
    store_weight(e, READ(e.program, rule, RULE, local), SELECT(planted, SPLAT(1.0f), SPLAT(0.0f)));
}

// Computes all weights of a character (of one per lane). The GPU may do so several times concurrently for the same
// character, so only final values are stored.
OP void weigh_nodes(evaluation e) {
    uint rule = HEADER(e.program, PROGRAM, rules);
    uint end = rule + HEADER(e.program, PROGRAM, rule_count) * WORDS_OF(RULE);
    store_weight(e, WEIGHT_WHOLE, SPLAT(1.0f));
    store_weight(e, WEIGHT_NONE, SPLAT(0.0f));
    for (; rule < end; rule += WORDS_OF(RULE)) {
        uint kind = READ(e.program, rule, RULE, kind);
        real own = load_weight(e, READ(e.program, rule, RULE, own));
        float always = READ_FLOAT(e.program, rule, RULE, always);
        switch (kind) {
        case RULE_BLEND:
        case RULE_OVER:
        case RULE_PARTIAL:
            weigh_blend(e, rule, own, always, kind);
            break;
        case RULE_WEIGHTED:
        case RULE_NUMBERS:
            weigh_inputs(e, rule, own, always);
            break;
        case RULE_LAYERS:
        case RULE_JOINT_LAYERS:
            if (USES_SPACES) {
                weigh_layers(e, rule, own, always, kind == RULE_JOINT_LAYERS);
            }
            break;
        case RULE_SPACE1D:
        case RULE_SPACE2D:
            weigh_space(e, rule, own, always, kind == RULE_SPACE2D);
            break;
        case RULE_PLANTED:
            find_planted(e, rule, own);
            break;
        default:
            find_level(e, rule);
            break;
        }
        if (kind >= RULE_WEIGHTED && kind <= RULE_SPACE2D) {
            divide_weight(e, rule, own);
        }
    }
}

// Computes sources from these weights: every `step`-th one, from the source `first` on.
OP void find_sources(evaluation e, uint first, uint step) {
    uint uses = HEADER(e.program, PROGRAM, uses);
    uint count = HEADER(e.program, PROGRAM, sources);
    for (uint i = first; i < count; i += step) {
        find_source(e, i, uses + i * WORDS_OF(USE));
    }
}

#endif
