#include "keyframes.h"

#include <stdlib.h>

static void random_times(float *times, uint32_t count, random_source *source) {
    for (uint32_t i = 0; i < count; i++) {
        // Divides the time into equal slots with one key in the middle half of each, so that keys keep a distance.
        const double slot = (double)KEYFRAMES_DURATION / count;
        times[i] = (float)(slot * (i + random_between(source, 0.25, 0.75)));
    }
    if (random_below(source, 2) == 0) {
        times[0] = 0.0f;
    }
    if (random_below(source, 2) == 0 && count > 1) {
        times[count - 1] = KEYFRAMES_DURATION;
    }
}

// Makes `next` from `previous` by a small rotation. With `antipodes` it sometimes negates the quaternion, which is the
// same rotation. Splines cannot use this, because they interpolate the components directly.
static void random_step(const float *previous, float *next, bool antipodes, random_source *source) {
    float noise[4];
    random_rotation(source, noise);
    double square = 0.0, sum[4];
    for (int i = 0; i < 4; i++) {
        sum[i] = (double)previous[i] + 0.4 * (double)noise[i];
        square += sum[i] * sum[i];
    }
    const double sign = antipodes && random_below(source, 3) == 0 ? -1.0 : 1.0;
    for (int i = 0; i < 4; i++) {
        next[i] = (float)(sign * sum[i] / sqrt(square));
    }
}

static void random_keys(const lmb_track_def *track, float *values, random_source *source) {
    const uint32_t width = track->property == LMB_PROPERTY_ROTATION ? 4 : 3;
    const bool spline = track->interpolation == LMB_INTERPOLATION_CUBIC_SPLINE;
    const uint32_t stride = spline ? 3 * width : width;
    float *key = values + (spline ? width : 0);
    for (uint32_t i = 0; i < track->key_count; i++, key += stride) {
        if (width == 4 && i == 0) {
            random_rotation(source, key);
        } else if (width == 4) {
            random_step(key - stride, key, !spline, source);
        }
        for (uint32_t k = 0; k < width; k++) {
            const double reach = width == 4 ? 0.3 : 4.0;
            if (width == 3) {
                key[k] = (float)random_between(source, -8.0, 8.0);
            }
            if (spline) { // tangents that stay in range after multiplication by the time between keys
                const double rate = reach * track->key_count / (double)KEYFRAMES_DURATION / 1.5;
                *(key - width + k) = (float)random_between(source, -rate, rate);
                key[width + k] = (float)random_between(source, -rate, rate);
            }
        }
    }
}

keyframes keyframes_create(uint32_t joint_count, uint32_t most_keys, uint64_t seed) {
    random_source source = {seed};
    keyframes result = {0};
    const size_t track_count = (size_t)joint_count * 3, floats = (size_t)most_keys * 13;
    result.tracks = calloc(track_count, sizeof *result.tracks);
    result.values = calloc(track_count * floats, sizeof *result.values);
    uint32_t count = 0;
    for (uint32_t i = 0; i < track_count && result.tracks != NULL && result.values != NULL; i++) {
        if (random_below(&source, 8) == 0 && i > 0) {
            continue;
        }
        lmb_track_def *track = &result.tracks[count++];
        float *times = result.values + i * floats;
        *track = (lmb_track_def){
            i / 3, (lmb_property)(i % 3), (lmb_interpolation)((i + i / 3) % 3), 1 + random_below(&source, most_keys),
            times, times + most_keys};
        random_times(times, track->key_count, &source);
        random_keys(track, times + most_keys, &source);
    }
    result.clip =
        (lmb_clip_def){.name = "random", .duration = KEYFRAMES_DURATION, .tracks = result.tracks, .track_count = count};
    return result;
}

static void wave_key(const lmb_track_def *track, double time, double phase, float *value) {
    // Every fifth joint makes full turns, and every fifth joint is constant.
    const double speed = track->joint % 5 == 1 ? 0.0 : 2.0 + (double)(track->joint % 3);
    const double swing = track->joint % 5 == 4 ? 3.0 * time : 0.3 * sin(speed * time + phase);
    if (track->property == LMB_PROPERTY_ROTATION) {
        const double q[4] = {sin(swing) * cos(phase), sin(swing) * sin(phase), cos(swing) * sin(phase),
                             cos(swing) * cos(phase)};
        for (int i = 0; i < 4; i++) {
            value[i] = (float)q[i];
        }
    } else {
        for (int i = 0; i < 3; i++) {
            value[i] = (float)(1.0 + 0.2 * sin(speed * time + phase + i));
        }
    }
}

keyframes keyframes_create_waves(uint32_t joint_count, uint32_t key_count, uint64_t seed) {
    random_source source = {seed};
    keyframes result = {0};
    const size_t track_count = (size_t)joint_count * 3, floats = (size_t)key_count * 12;
    result.tracks = calloc(track_count, sizeof *result.tracks);
    result.values = calloc(track_count * floats + key_count, sizeof *result.values);
    for (uint32_t i = 0; i < key_count && result.values != NULL; i++) {
        result.values[i] = KEYFRAMES_DURATION * (float)i / (float)key_count;
    }
    for (uint32_t i = 0; i < track_count && result.tracks != NULL && result.values != NULL; i++) {
        lmb_track_def *track = &result.tracks[i];
        float *values = result.values + key_count + i * floats;
        *track = (lmb_track_def){.joint = i / 3, .property = (lmb_property)(i % 3), .key_count = key_count};
        track->interpolation = i % 7 == 3   ? LMB_INTERPOLATION_STEP
                               : i % 7 == 5 ? LMB_INTERPOLATION_CUBIC_SPLINE
                                            : LMB_INTERPOLATION_LINEAR;
        track->times = result.values;
        track->values = values;
        const size_t width = track->property == LMB_PROPERTY_ROTATION ? 4 : 3;
        const bool spline = track->interpolation == LMB_INTERPOLATION_CUBIC_SPLINE;
        const double phase = random_between(&source, 0.0, 6.0);
        for (uint32_t key = 0; key < key_count; key++) { // splines with tangents of zero
            wave_key(track, (double)track->times[key], phase, values + (spline ? 3 * key + 1 : key) * width);
        }
    }
    result.clip = (lmb_clip_def){
        .name = "waves", .duration = KEYFRAMES_DURATION, .tracks = result.tracks, .track_count = (uint32_t)track_count};
    return result;
}

void keyframes_destroy(keyframes *owned) {
    free(owned->tracks);
    free(owned->values);
}
