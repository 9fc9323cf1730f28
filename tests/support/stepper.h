// A figure that steps in place: its feet go at known speeds.
#ifndef LIMBER_TESTS_SUPPORT_STEPPER_H
#define LIMBER_TESTS_SUPPORT_STEPPER_H

#include "suite.h"

#include <limber/clip.h>
#include <limber/rig.h>

// A stepper: hips, an extra joint below the ground, one on the ground for a knee, and two legs of a thigh, a
// foot and toes.
enum {
    STEPPER_HIPS,
    STEPPER_PROP,
    STEPPER_POLE,
    STEPPER_LEFT_THIGH,
    STEPPER_LEFT_FOOT,
    STEPPER_LEFT_TOES,
    STEPPER_RIGHT_THIGH,
    STEPPER_RIGHT_FOOT,
    STEPPER_RIGHT_TOES,
    STEPPER_JOINTS,
    STEPPER_KEYS = 5
};
#define STEPPER_PERIOD 0.8f

static inline lmb_rig *stepper_create_rig(float size) {
    static const uint32_t parents[STEPPER_JOINTS] = {LMB_NONE,     STEPPER_HIPS,        STEPPER_HIPS,
                                                     STEPPER_HIPS, STEPPER_LEFT_THIGH,  STEPPER_LEFT_FOOT,
                                                     STEPPER_HIPS, STEPPER_RIGHT_THIGH, STEPPER_RIGHT_FOOT};
    static const float places[STEPPER_JOINTS][3] = {{0.0f, 1.0f, 0.0f},  {0.0f, -3.0f, 0.0f}, {0.0f, -1.0f, 1.0f},
                                                    {0.1f, 0.0f, 0.0f},  {0.0f, -0.9f, 0.0f}, {0.0f, -0.1f, 0.15f},
                                                    {-0.1f, 0.0f, 0.0f}, {0.0f, -0.9f, 0.0f}, {0.0f, -0.1f, 0.15f}};
    lmb_joint_def joints[STEPPER_JOINTS];
    for (uint32_t i = 0; i < STEPPER_JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = parents[i];
        joints[i].is_extra = i == STEPPER_PROP;
        for (int k = 0; k < 3; k++) {
            joints[i].rest.translation[k] = size * places[i][k];
        }
    }
    lmb_rig_def def = lmb_default_rig_def();
    def.joints = joints;
    def.joint_count = STEPPER_JOINTS;
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

// Each foot is on the ground for half of the time, while it moves against (x, z), then returns through the air. The
// right one is half a period later. A foot is below the hips after the share `first` of its way on the ground: with 0.5
// it moves evenly.
static inline lmb_clip *stepper_create_clip(const lmb_rig *rig, float size, float x, float z, float first) {
    static const float shares[STEPPER_KEYS] = {1.0f, 0.0f, -1.0f, 0.0f, 1.0f}; // of the reach
    const float reach = 0.25f * STEPPER_PERIOD;                                // in seconds of the velocity
    float times[STEPPER_KEYS], values[2][STEPPER_KEYS][3];
    lmb_track_def tracks[2];
    for (uint32_t foot = 0; foot < 2; foot++) {
        for (uint32_t key = 0; key < STEPPER_KEYS; key++) {
            const float share = foot == 0 ? shares[key] : -shares[key];
            times[key] = 0.5f * STEPPER_PERIOD * ((float)(key / 2) + (key % 2 != 0 ? first : 0.0f));
            values[foot][key][0] = x * reach * share;
            values[foot][key][1] = size * ((key == 3 - 2 * foot ? 0.5f : 0.0f) - 0.9f);
            values[foot][key][2] = z * reach * share;
        }
        tracks[foot] = (lmb_track_def){foot == 0 ? STEPPER_LEFT_FOOT : STEPPER_RIGHT_FOOT,
                                       LMB_PROPERTY_TRANSLATION,
                                       LMB_INTERPOLATION_LINEAR,
                                       STEPPER_KEYS,
                                       times,
                                       values[foot][0]};
    }
    lmb_clip_def def = lmb_default_clip_def();
    def.name = "steps";
    def.tracks = tracks;
    def.track_count = 2;
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    if (lmb_clip_create(rig, &def, NULL, &clip, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return clip;
}

#endif
