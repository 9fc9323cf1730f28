// Takes for motion matching on three joints: a character that changes its speed and turns every one and a half seconds,
// with feet that step accordingly, and a little noise as captured motion has.
#ifndef LIMBER_SRC_TOOLS_WALK_TAKES_H
#define LIMBER_SRC_TOOLS_WALK_TAKES_H

#include <limber/motion_database.h>

#include <math.h>

enum { WALK_HIPS, WALK_LEFT_FOOT, WALK_RIGHT_FOOT, WALK_JOINTS, WALK_KEYS = 1000 };

typedef struct walk_take {
    float times[WALK_KEYS], speeds[WALK_KEYS], motion[WALK_KEYS][4], joints[WALK_JOINTS][WALK_KEYS][3];
    lmb_motion_track track;
    lmb_clip *clip;
} walk_take;

// Returns a number from -1 to 1.
static inline float walk_draw(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 8388608.0f - 1.0f;
}

static inline void walk_move(walk_take *take, uint32_t *state) {
    const float step = 1.0f / 30.0f;
    float speed = 1.0f, desired = 1.0f, turn = 0.0f, phase = 0.0f, x = 0.0f, z = 0.0f, yaw = 0.0f;
    for (uint32_t i = 0; i < WALK_KEYS; i++) {
        if (i % 45 == 0) {
            desired = 2.0f + 2.0f * walk_draw(state);
            turn = 2.0f * walk_draw(state);
        }
        speed += 0.1f * (desired - speed);
        yaw += turn * step;
        x += sinf(yaw) * speed * step;
        z += cosf(yaw) * speed * step;
        phase += 3.6f * speed * step;
        take->times[i] = (float)i * step;
        take->speeds[i] = speed;
        const float motion[4] = {x, 0.0f, z, yaw}, reach = 0.15f * speed, lift = 0.05f * speed;
        const float joints[WALK_JOINTS][3] = {
            [WALK_HIPS] = {0.02f * sinf(phase), 0.95f + 0.02f * sinf(2.0f * phase), 0.0f},
            [WALK_LEFT_FOOT] = {0.1f, 0.1f + lift * fmaxf(0.0f, sinf(phase)), reach * cosf(phase)},
            [WALK_RIGHT_FOOT] = {-0.1f, 0.1f + lift * fmaxf(0.0f, -sinf(phase)), -reach * cosf(phase)}};
        for (int k = 0; k < 4; k++) {
            take->motion[i][k] = motion[k];
        }
        for (int joint = 0; joint < WALK_JOINTS; joint++) {
            for (int k = 0; k < 3; k++) {
                take->joints[joint][i][k] = joints[joint][k] + 0.002f * walk_draw(state);
            }
        }
    }
    take->track = (lmb_motion_track){.key_count = WALK_KEYS, .keys = take->motion[0]};
}

static inline lmb_result walk_make_named(const lmb_rig *rig, walk_take *take, const char *name, uint32_t *state,
                                         lmb_error *error) {
    walk_move(take, state);
    lmb_track_def tracks[WALK_JOINTS];
    for (uint32_t joint = 0; joint < WALK_JOINTS; joint++) {
        tracks[joint] = lmb_default_track_def();
        tracks[joint].joint = joint;
        tracks[joint].key_count = WALK_KEYS;
        tracks[joint].times = take->times;
        tracks[joint].values = take->joints[joint][0];
    }
    lmb_clip_def def = lmb_default_clip_def();
    def.name = name;
    def.tracks = tracks;
    def.track_count = WALK_JOINTS;
    return lmb_clip_create(rig, &def, NULL, &take->clip, error);
}

static inline lmb_result walk_make_take(const lmb_rig *rig, walk_take *take, uint32_t *state, lmb_error *error) {
    return walk_make_named(rig, take, NULL, state, error);
}

static inline lmb_result walk_make_rig(lmb_rig **rig, lmb_error *error) {
    static const char *const names[WALK_JOINTS] = {"hips", "left foot", "right foot"};
    lmb_joint_def joints[WALK_JOINTS];
    for (uint32_t i = 0; i < WALK_JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].name = names[i];
    }
    lmb_rig_def def = lmb_default_rig_def();
    def.joints = joints;
    def.joint_count = WALK_JOINTS;
    return lmb_rig_create(&def, NULL, rig, error);
}

// Fills the takes of a database, and all else that its definition needs. `takes` has `count` of them.
static inline lmb_motion_database_def walk_database_def(const lmb_rig *rig, const walk_take *made, uint32_t count,
                                                        lmb_motion_take *takes) {
    for (uint32_t i = 0; i < count; i++) {
        takes[i] = lmb_default_motion_take();
        takes[i].clip = made[i].clip;
        takes[i].motion = &made[i].track;
    }
    lmb_motion_database_def def = lmb_default_motion_database_def();
    def.rig = rig;
    def.hips = WALK_HIPS;
    def.left_foot = WALK_LEFT_FOOT;
    def.right_foot = WALK_RIGHT_FOOT;
    def.takes = takes;
    def.take_count = count;
    return def;
}

#endif
