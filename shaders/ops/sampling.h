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

// Where in a track a time falls: two keys' values and how far between them.
STRUCT(position)
word mode;
word from;     // index of the earlier key's value
word to;       // index of the later key's value
real fraction; // 0 to 1
real interval; // seconds between the keys
END_STRUCT(position)

// Seconds within the clip: [0, duration], or [0, duration) when looped over a duration above 0.
OP real clip_time(memory data, word clip, real time, bool loop) {
    real duration = LOAD_REAL(data, clip + CLIP_DURATION);
    if (loop) {
        real rate = LOAD_REAL(data, clip + CLIP_RATE);
        time = time - duration * FLOOR(time * rate);
        time = SELECT(time < 0.0f, time + duration, time);
        time = SELECT(time >= duration, time - duration, time);
    }
    return clamp_real(time, 0.0f, duration);
}

// The last key at or before the time, or the first.
OP word find_key(memory data, word times, word keys, uint largest_step, real time) {
    word found = 0u;
    for (uint step = largest_step; step > 0u; step >>= 1u) {
        word next = found + step;
        word safe = SELECT(next < keys, next, 0u);
        real next_time = LOAD_REAL(data, times + safe);
        found = SELECT(BOTH(next < keys, next_time <= time), next, found);
    }
    return found;
}

OP position find_position(memory data, word clip, uint channel, uint width, word joint, real time) {
    word joints = LOAD(data, clip + CLIP_JOINTS);
    word track = clip + LOAD(data, clip + CLIP_TRACKS) + (channel * TRACK_FIELDS) * joints + joint;
    word keys = LOAD(data, track + TRACK_KEYS * joints);
    word times = clip + LOAD(data, track + TRACK_TIMES * joints);
    word values = clip + LOAD(data, track + TRACK_VALUES * joints);
    word key = find_key(data, times, keys, LOAD(data, clip + CLIP_SEARCH), time);
    word next = SELECT(key + 1u < keys, key + 1u, key);
    position at;
    at.mode = LOAD(data, track);
    // Cubic keys are in-tangent, value, out-tangent.
    word stride = SELECT(at.mode == MODE_CUBIC, 3u * width, width);
    word middle = SELECT(at.mode == MODE_CUBIC, width, 0u);
    at.from = values + key * stride + middle;
    at.to = values + next * stride + middle;
    real key_time = LOAD_REAL(data, times + key);
    real fraction = (time - key_time) * LOAD_REAL(data, times + keys + key);
    at.fraction = SELECT(at.mode == MODE_STEP, 0.0f, clamp_real(fraction, 0.0f, 1.0f));
    at.interval = LOAD_REAL(data, times + next) - key_time;
    return at;
}

// One component of a cubic spline; for other modes, the earlier key's value.
OP real sample_cubic(memory data, position at, uint component, uint width) {
    truth cubic = at.mode == MODE_CUBIC;
    real a = LOAD_REAL(data, at.from + component);
    real b = LOAD_REAL(data, at.to + component);
    real out_tangent = LOAD_REAL(data, SELECT(cubic, at.from + width, at.from) + component);
    real in_tangent = LOAD_REAL(data, SELECT(cubic, at.to - width, at.to) + component);
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

OP vector load_vector(memory data, word at) {
    return make_vector(LOAD_REAL(data, at), LOAD_REAL(data, at + 1u), LOAD_REAL(data, at + 2u));
}

OP quaternion load_quaternion(memory data, word at) {
    return make_quaternion(LOAD_REAL(data, at), LOAD_REAL(data, at + 1u), LOAD_REAL(data, at + 2u),
                           LOAD_REAL(data, at + 3u));
}

OP vector sample_vector(memory data, word clip, uint channel, word joint, real time) {
    position at = find_position(data, clip, channel, 3u, joint, time);
    vector a = load_vector(data, at.from);
    vector b = load_vector(data, at.to);
    vector sampled = lerp_vectors(a, b, at.fraction);
    if (USES_CUBIC && ANY(at.mode == MODE_CUBIC)) {
        vector cubic =
            make_vector(sample_cubic(data, at, 0u, 3u), sample_cubic(data, at, 1u, 3u), sample_cubic(data, at, 2u, 3u));
        sampled = select_vector(at.mode == MODE_CUBIC, cubic, sampled);
    }
    return snap_vector(sampled);
}

OP quaternion sample_rotation(memory data, word clip, word joint, real time) {
    position at = find_position(data, clip, CHANNEL_ROTATION, 4u, joint, time);
    quaternion a = load_quaternion(data, at.from);
    quaternion b = load_quaternion(data, at.to);
    quaternion sampled = quaternion_slerp_unnormalized(a, b, at.fraction);
    if (USES_CUBIC && ANY(at.mode == MODE_CUBIC)) {
        quaternion cubic = make_quaternion(sample_cubic(data, at, 0u, 4u), sample_cubic(data, at, 1u, 4u),
                                           sample_cubic(data, at, 2u, 4u), sample_cubic(data, at, 3u, 4u));
        cubic = snap_quaternion(cubic);
        quaternion identity = make_quaternion(0.0f, 0.0f, 0.0f, 1.0f);
        cubic = quaternion_normalize_or(cubic, QUATERNION_VANISHED, identity);
        sampled = select_quaternion(at.mode == MODE_CUBIC, cubic, sampled);
    }
    return sampled;
}

// The local transform of a joint at a time from clip_time().
OP transform sample_joint(memory data, word clip, word joint, real time) {
    transform sampled;
    sampled.t = sample_vector(data, clip, CHANNEL_TRANSLATION, joint, time);
    sampled.q = sample_rotation(data, clip, joint, time);
    sampled.s = make_vector(1.0f, 1.0f, 1.0f);
    if (USES_SCALE) {
        sampled.s = sample_vector(data, clip, CHANNEL_SCALE, joint, time);
    }
    return sampled;
}

#endif
