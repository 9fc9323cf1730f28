// A character of any number of joints, without files. Every joint rotates about an axis of its own in every clip, so no
// track is constant and none can be left out: the most work that a rig of this size can be.
#include "actor.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>

// Returns the parent: up to six limbs fork from the first joints, and the other joints extend them in turn, like
// fingers and toes.
static uint32_t parent_of(uint32_t joint) {
    return joint == 0 ? LMB_NONE : joint < 7 ? (joint - 1) / 2 : joint - 6;
}

static lmb_result create_rig(uint32_t joints, lmb_rig **rig, lmb_error *error) {
    lmb_joint_def *defs = malloc(joints * sizeof *defs);
    if (defs == NULL) {
        return actor_no_memory(error);
    }
    for (uint32_t i = 0; i < joints; i++) {
        defs[i] = lmb_default_joint_def();
        defs[i].parent = parent_of(i);
        defs[i].rest.translation[1] = i == 0 ? 1.0f : 0.1f;
    }
    lmb_rig_def def = {.joints = defs, .joint_count = joints};
    lmb_result result = lmb_rig_create(&def, NULL, rig, error);
    free(defs);
    return result;
}

// Rotates back and forth about the joint's own axis.
static void fill_rotation(float *key, uint32_t joint, float phase, uint32_t seed) {
    uint32_t state = seed + joint * 7919u;
    float axis[3], length = 0.0f;
    for (int i = 0; i < 3; i++) {
        axis[i] = (float)(random_next(&state) % 2001) / 1000.0f - 1.0f;
        length += axis[i] * axis[i];
    }
    float half_angle = 0.3f * sinf(phase + (float)(joint % 5));
    float sine = sinf(half_angle) / sqrtf(length + 1e-6f);
    for (int i = 0; i < 3; i++) {
        key[i] = axis[i] * sine;
    }
    key[3] = cosf(half_angle);
}

static lmb_result create_clip(actor *actor, uint32_t index, float duration, lmb_error *error) {
    keyframes keyframes;
    lmb_result result = keyframes_create(duration, lmb_rig_get_def(actor->rig)->joint_count, &keyframes, error);
    if (result != LMB_OK) {
        return result;
    }
    for (uint32_t key = 0; key < keyframes.count; key++) {
        float phase = 6.2831853f * (float)key / (float)(keyframes.count - 1);
        for (uint32_t joint = 0; joint < keyframes.joints; joint++) {
            lmb_transform *transform = keyframes_pose(&keyframes, key) + joint;
            *transform = lmb_rig_get_def(actor->rig)->joints[joint].rest;
            fill_rotation(transform->rotation, joint, phase, index);
        }
        keyframes_pose(&keyframes, key)->translation[1] = 1.0f + 0.03f * sinf(2.0f * phase);
    }
    result = keyframes_clip(&keyframes, actor->rig, "procedural", &actor->clips[index], error);
    keyframes_destroy(&keyframes);
    return result;
}

lmb_result actor_create_procedural(uint32_t joints, actor *actor, lmb_error *error) {
    static const float durations[ACTOR_CLIPS] = {1.0f, 0.8f, 0.6f, 2.0f};
    lmb_result result = create_rig(joints, &actor->rig, error);
    for (uint32_t i = 0; i < ACTOR_CLIPS && result == LMB_OK; i++) {
        result = create_clip(actor, i, durations[i], error);
    }
    if (result != LMB_OK) {
        return result;
    }
    actor->upper_body = calloc(joints, 1);
    if (actor->upper_body == NULL) {
        return actor_no_memory(error);
    }
    for (uint32_t i = 2; i < joints; i++) { // limbs of the second fork
        actor->upper_body[i] = i == 2 || actor->upper_body[parent_of(i)] != 0 ? 255 : 0;
    }
    return LMB_OK;
}
