// The mannequin of the samples, with as many joints as the bench asks for. Additional joints are chains at the hands,
// which curl, so that they cost what fingers cost. Clips are resampled at 30 Hz, like those of the procedural actor.
#include "actor.h"

#include <mannequin.h>

#include <math.h>
#include <stdlib.h>

// Joints in addition to the mannequin's own: ten chains that start at the hands. With 67 joints in all, each finger has
// four and each thumb three. With more joints the chains become longer, like hair or cloth.
enum { CHAINS = 10 };

static uint32_t extra_parent(const lmb_rig *body, uint32_t joint) {
    uint32_t extra = joint - lmb_rig_get_def(body)->joint_count;
    return extra >= CHAINS ? joint - CHAINS : lmb_rig_find_joint(body, extra % 2 == 0 ? "left_hand" : "right_hand");
}

static lmb_result create_rig(const lmb_rig *body, uint32_t joints, lmb_rig **rig, lmb_error *error) {
    const lmb_rig_def *rig_def = lmb_rig_get_def(body);
    lmb_joint_def *defs = malloc(joints * sizeof *defs);
    if (defs == NULL) {
        return actor_no_memory(error);
    }
    for (uint32_t i = 0; i < joints; i++) {
        bool own = i < rig_def->joint_count;
        defs[i] = lmb_default_joint_def();
        defs[i].parent = own ? rig_def->joints[i].parent : extra_parent(body, i);
        if (own) {
            defs[i].name = rig_def->joints[i].name;
            defs[i].rest = rig_def->joints[i].rest;
        } else {
            defs[i].rest.translation[1] = -0.025f;
        }
    }
    lmb_rig_def def = {.joints = defs, .joint_count = joints};
    lmb_result result = lmb_rig_create(&def, NULL, rig, error);
    free(defs);
    return result;
}

static void fill_key(const actor *actor, const lmb_transform *pose, uint32_t body_joints, uint32_t joints, float phase,
                     lmb_transform *key) {
    for (uint32_t joint = 0; joint < joints; joint++) {
        key[joint] = joint < body_joints ? pose[joint] : lmb_rig_get_def(actor->rig)->joints[joint].rest;
        if (joint >= body_joints) { // a curl that increases and decreases
            float half_angle = 0.15f + 0.1f * sinf(phase + 0.3f * (float)joint);
            key[joint].rotation[2] = sinf(half_angle);
            key[joint].rotation[3] = cosf(half_angle);
        }
    }
}

lmb_result actor_take_mannequin_clip(const actor *actor, const lmb_rig *body, const lmb_clip *clip, lmb_clip **taken,
                                     lmb_error *error) {
    const lmb_clip_info *info = lmb_clip_get_info(clip);
    uint32_t joints = lmb_rig_get_def(actor->rig)->joint_count, body_joints = lmb_rig_get_def(body)->joint_count;
    keyframes whole = {0}, own = {0};
    lmb_result result = keyframes_create(info->duration, joints, &whole, error);
    if (result == LMB_OK) {
        result = keyframes_create(info->duration, body_joints, &own, error);
    }
    if (result == LMB_OK) {
        result = keyframes_sample(&own, body, clip, 0.0f, error);
    }
    if (result == LMB_OK) {
        for (uint32_t key = 0; key < whole.count; key++) {
            float phase = 6.2831853f * (float)key / (float)(whole.count - 1);
            fill_key(actor, keyframes_pose(&own, key), body_joints, joints, phase, keyframes_pose(&whole, key));
        }
        result = keyframes_clip(&whole, actor->rig, info->name, taken, error);
    }
    keyframes_destroy(&own);
    keyframes_destroy(&whole);
    return result;
}

static lmb_result create_mask(const mannequin *mannequin, actor *actor, lmb_error *error) {
    uint32_t joints = lmb_rig_get_def(actor->rig)->joint_count,
             body_joints = lmb_rig_get_def(mannequin_rig(mannequin))->joint_count;
    actor->upper_body = malloc(joints);
    if (actor->upper_body == NULL) {
        return actor_no_memory(error);
    }
    for (uint32_t i = 0; i < joints; i++) {
        actor->upper_body[i] = i < body_joints ? mannequin_upper_body_mask(mannequin)[i]
                                               : actor->upper_body[lmb_rig_get_def(actor->rig)->joints[i].parent];
    }
    return LMB_OK;
}

lmb_result actor_create_mannequin(uint32_t joints, actor *actor, lmb_error *error) {
    static const mannequin_clip_id ids[ACTOR_CLIPS] = {MANNEQUIN_WALK, MANNEQUIN_RUN, MANNEQUIN_STRAFE_LEFT,
                                                       MANNEQUIN_LEAN};
    mannequin *mannequin = NULL;
    lmb_result result = mannequin_create(NULL, &mannequin, error);
    if (result == LMB_OK) {
        result = create_rig(mannequin_rig(mannequin), joints, &actor->rig, error);
    }
    for (uint32_t i = 0; i < ACTOR_CLIPS && result == LMB_OK; i++) {
        result = actor_take_mannequin_clip(actor, mannequin_rig(mannequin), mannequin_clip(mannequin, ids[i]),
                                           &actor->clips[i], error);
    }
    if (result == LMB_OK) {
        result = create_mask(mannequin, actor, error);
    }
    mannequin_destroy(mannequin);
    return result;
}
