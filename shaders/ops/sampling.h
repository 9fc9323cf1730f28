// Sampling a clip: the clip's block, and glTF 2.0's step, linear and cubic-spline interpolation of its tracks.
#ifndef LMB_OPS_SAMPLING_H
#define LMB_OPS_SAMPLING_H

#include "transform.h"

// A clip block is words; every offset in it counts words from its start. The header:
#define CLIP_MAGIC 0          // CLIP_MAGIC_VALUE
#define CLIP_VERSION 1        // CLIP_VERSION_VALUE
#define CLIP_SIZE 2           // words of the whole block
#define CLIP_JOINTS 3         // joint count
#define CLIP_DURATION 4       // float, seconds
#define CLIP_RATE 5           // float, 1 / duration, or 0
#define CLIP_SEARCH 6         // the largest power of two below the longest track's key count, or 0
#define CLIP_CUBIC 7          // 1 where any track is a cubic spline
#define CLIP_TRACKS 8         // offset of the track table
#define CLIP_AUTHORED 9       // tracks that its author gave
#define CLIP_AUTHORED_KEYS 10 // and their keys
#define CLIP_NAME 11          // offset of the name, bytes padded with zeros to words, at least one zero
#define CLIP_NAME_WORDS 12
#define CLIP_FAR 13 // 1 where neighbouring keys of a linear rotation track have a cosine below 0.9
#define CLIP_HEADER_WORDS 16

#define CLIP_MAGIC_VALUE 0x43424d4cu // "LMBC"
#define CLIP_VERSION_VALUE 1u

// The track table is word [channel][field][joint], so that neighbouring joints read neighbouring words.
#define TRACK_MODE 0u   // MODE_..., how values between keys are found
#define TRACK_KEYS 1u   // 1 or more
#define TRACK_TIMES 2u  // offset: times of the keys, then for each the reciprocal of the interval that follows it
#define TRACK_VALUES 3u // offset: values of the keys
#define TRACK_FIELDS 4u

#define MODE_STEP 0u
#define MODE_LINEAR 1u
#define MODE_CUBIC 2u

#define CHANNEL_TRANSLATION 0u
#define CHANNEL_ROTATION 1u
#define CHANNEL_SCALE 2u
#define CHANNELS 3u

// Where in a track a time falls: the key at or before it, and how far it is to the next one.
STRUCT(key_position)
word key;
real fraction; // 0 to 1; 0 from the last key on
real interval; // seconds to the next key
END_STRUCT(key_position)

// A channel's track: offsets are from the start of memory.
STRUCT(track)
uint mode;
uint keys;
uint times;
uint values;
END_STRUCT(track)

// Seconds within a clip of that duration: from 0 to it, and when looped below it, but for times millions of durations
// away, whose rounding can give the duration itself.
OP real clip_time(real duration, real rate, real time, bool loop) {
    if (loop) {
        time = time - duration * FLOOR(time * rate);
        time = SELECT(time < 0.0f, time + duration, time);
        time = SELECT(time >= duration, time - duration, time);
    }
    time = SELECT(time < 0.0f, ALL(0.0f), time);
    return SELECT(time > duration, duration, time);
}

OP track load_track(memory data, uint clip, uint channel, uint joint) {
    uint joints = LOAD(data, clip + CLIP_JOINTS);
    uint at = clip + LOAD(data, clip + CLIP_TRACKS) + (channel * TRACK_FIELDS) * joints + joint;
    track found;
    found.mode = LOAD(data, at);
    found.keys = LOAD(data, at + TRACK_KEYS * joints);
    found.times = clip + LOAD(data, at + TRACK_TIMES * joints);
    found.values = clip + LOAD(data, at + TRACK_VALUES * joints);
    return found;
}

// `largest_step` is the clip's, so that the number of steps is the same for all its tracks.
OP key_position find_key(memory data, uint times, uint keys, uint largest_step, real time) {
    key_position at;
    at.key = ALL_WORD(0u);
    for (uint stride = largest_step; stride > 0u; stride >>= 1u) {
        word next = at.key + stride;
        word safe = SELECT(next < keys, next, ALL_WORD(0u));
        real next_time = GATHER_REAL(data, times + safe);
        at.key = SELECT(BOTH(next < keys, next_time <= time), next, at.key);
    }
    word after = SELECT(at.key + 1u < keys, at.key + 1u, at.key);
    real key_time = GATHER_REAL(data, times + at.key);
    real fraction = (time - key_time) * GATHER_REAL(data, (times + keys) + at.key);
    // Snapped, so that no power of it that a spline takes underflows.
    at.fraction = clamp_real(snap(fraction), 0.0f, 1.0f);
    at.interval = GATHER_REAL(data, times + after) - key_time;
    return at;
}

// One component of a cubic spline between keys whose values lie at `from` and `to`.
OP real sample_cubic(memory data, key_position at, word from, word to, uint width) {
    real a = GATHER_REAL(data, from);
    real b = GATHER_REAL(data, to);
    real out_tangent = GATHER_REAL(data, from + width);
    real in_tangent = GATHER_REAL(data, to - width);
    real u = at.fraction;
    real square = u * u;
    real cube = square * u;
    real weight_b = 3.0f * square - 2.0f * cube;
    real weight_out = (cube - 2.0f * square) + u;
    real weight_in = cube - square;
    real values = a * (1.0f - weight_b) + b * weight_b;
    real tangents = out_tangent * weight_out + in_tangent * weight_in;
    return values + tangents * at.interval;
}

// Three or four floats in a row. Over lanes both read four, so a block ends with a spare word.
#ifdef LMB_LANES
OP vector load_vector(memory data, word at) {
    real v[4];
    lmb_load_rows(data, at, v);
    return make_vector(v[0], v[1], v[2]);
}

OP quaternion load_quaternion(memory data, word at) {
    real v[4];
    lmb_load_rows(data, at, v);
    return make_quaternion(v[0], v[1], v[2], v[3]);
}
#else
OP vector load_vector(memory data, word at) {
    return make_vector(GATHER_REAL(data, at), GATHER_REAL(data, at + 1u), GATHER_REAL(data, at + 2u));
}

OP quaternion load_quaternion(memory data, word at) {
    return make_quaternion(GATHER_REAL(data, at), GATHER_REAL(data, at + 1u), GATHER_REAL(data, at + 2u),
                           GATHER_REAL(data, at + 3u));
}
#endif

// Where the value of a key lies. Cubic keys are in-tangent, value, out-tangent.
OP word key_value(track t, word key, uint width) {
    uint cubic = t.mode == MODE_CUBIC ? 1u : 0u;
    uint first = t.values + cubic * width;
    return first + key * (width + cubic * (2u * width));
}

OP vector sample_vector_track(memory data, track t, key_position at) {
    word after = SELECT(at.key + 1u < t.keys, at.key + 1u, at.key);
    word from = key_value(t, at.key, 3u);
    word to = key_value(t, after, 3u);
    real fraction = at.fraction;
    if (t.mode == MODE_STEP) {
        fraction = ALL(0.0f);
    }
    vector a = load_vector(data, from);
    vector b = load_vector(data, to);
    vector sampled = lerp_vectors(a, b, fraction);
    if (USES_CUBIC && t.mode == MODE_CUBIC) {
        sampled = make_vector(sample_cubic(data, at, from, to, 3u), sample_cubic(data, at, from + 1u, to + 1u, 3u),
                              sample_cubic(data, at, from + 2u, to + 2u, 3u));
    }
    return snap_vector(sampled);
}

OP quaternion sample_rotation_track(memory data, track t, key_position at, bool near) {
    word after = SELECT(at.key + 1u < t.keys, at.key + 1u, at.key);
    word from = key_value(t, at.key, 4u);
    word to = key_value(t, after, 4u);
    real fraction = at.fraction;
    if (t.mode == MODE_STEP) {
        fraction = ALL(0.0f);
    }
    quaternion a = load_quaternion(data, from);
    quaternion b = load_quaternion(data, to);
    quaternion sampled = a;
    if (!USES_CUBIC || t.mode != MODE_CUBIC) {
        sampled = quaternion_slerp_unnormalized(a, b, fraction, near);
    } else {
        quaternion cubic = make_quaternion(
            sample_cubic(data, at, from, to, 4u), sample_cubic(data, at, from + 1u, to + 1u, 4u),
            sample_cubic(data, at, from + 2u, to + 2u, 4u), sample_cubic(data, at, from + 3u, to + 3u, 4u));
        cubic = snap_quaternion(cubic);
        quaternion identity = all_quaternion(0.0f, 0.0f, 0.0f, 1.0f);
        sampled = quaternion_normalize_or(cubic, QUATERNION_VANISHED, identity);
    }
    return snap_quaternion(sampled);
}

// The only key of a track that is no cubic spline: what interpolating would give.
OP vector constant_vector(memory data, track t) {
    return all_vector(LOAD_FLOAT(data, t.values), LOAD_FLOAT(data, t.values + 1u), LOAD_FLOAT(data, t.values + 2u));
}

OP quaternion constant_rotation(memory data, track t) {
    return all_quaternion(LOAD_FLOAT(data, t.values), LOAD_FLOAT(data, t.values + 1u), LOAD_FLOAT(data, t.values + 2u),
                          LOAD_FLOAT(data, t.values + 3u));
}

#endif
