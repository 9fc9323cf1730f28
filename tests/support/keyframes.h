// Clips for tests: random tracks of every channel and interpolation, owned by the caller.
#ifndef LIMBER_TESTS_SUPPORT_KEYFRAMES_H
#define LIMBER_TESTS_SUPPORT_KEYFRAMES_H

#include "random.h"

#include <limber/clip.h>

#define KEYFRAMES_DURATION 2.5f
// The largest magnitude of values, and of tangents multiplied by the time between keys.
#define KEYFRAMES_MAGNITUDE 16.0

typedef struct keyframes {
    lmb_clip_def clip;
    lmb_track_def *tracks;
    float *values;
} keyframes;

// Creates tracks for all channels of joints [0, joint_count), with 1 to `most_keys` keys each within 2.5 s. Some
// channels get no track and use the rest pose. Interpolations alternate. Neighbouring rotations differ by less than 120
// degrees and splines bend gently, so that none passes near zero, where the direction would be undefined.
keyframes keyframes_create(uint32_t joint_count, uint32_t most_keys, uint64_t seed);

// Creates smooth tracks that share their key times, for all channels of all joints: waves, full turns, constants. Some
// are steps or splines.
keyframes keyframes_create_waves(uint32_t joint_count, uint32_t key_count, uint64_t seed);
void keyframes_destroy(keyframes *owned);

#endif
