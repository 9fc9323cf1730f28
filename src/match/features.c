// The features of the moments of a clip.
//
// The place of a character is its root motion since the beginning of its clip. Where it is ahead of a moment, or where
// a joint was before, is a place relative to that of the moment.
#include "clip/clip.h"
#include "clip/motion.h"
#include "database.h"
#include "rig/rig.h"
#include "take.h"

#include <math.h>

// Finds a joint's position in the model at a time of the clip.
static void find_position(const motion_of_take *m, uint32_t joint, double time, double position[3]) {
    position[0] = position[1] = position[2] = 0.0;
    for (; joint != LMB_NONE; joint = m->rig->def.joints[joint].parent) {
        const lmb_transform local = lmb_clip_sample(m->take->clip, m->rig, joint, (float)time);
        const matrix matrix = lmb_matrix_of(&local);
        double moved[3];
        for (int i = 0; i < 3; i++) {
            moved[i] = lmb_dot(matrix.m[i], position) + matrix.m[i][3];
        }
        for (int i = 0; i < 3; i++) {
            position[i] = moved[i];
        }
    }
}

// Finds where a joint is at another time, in the frame of the character at `here`, whose inverse is given.
static void find_relative(const motion_of_take *m, const place *back, uint32_t joint, double time, double position[3]) {
    const place there = lmb_place_at(m, time), relative = lmb_place_compose(back, &there);
    // Times of rows are rounded, so what is the beginning of a loop again may be a little before its end.
    const double turns = m->take->loop ? floor(time / m->duration + 1e-6) : 0.0;
    const double wrapped = fmax(time - turns * m->duration, 0.0);
    place joints = {.cosine = 1.0};
    find_position(m, joint, wrapped, joints.position);
    const place moved = lmb_place_compose(&relative, &joints);
    for (int i = 0; i < 3; i++) {
        position[i] = moved.position[i];
    }
}

static void find_velocity(const motion_of_take *m, const place *back, uint32_t joint, double from, double to,
                          double velocity[3]) {
    double before[3], after[3];
    find_relative(m, back, joint, from, before);
    find_relative(m, back, joint, to, after);
    for (int i = 0; i < 3; i++) {
        velocity[i] = (after[i] - before[i]) / (to - from);
    }
}

// Finds the features of further joints.
static void find_joints(const lmb_motion_database_def *def, const motion_of_take *m, const place *back, double time,
                        double from, double to, double *features) {
    for (uint32_t i = 0; i < def->joint_count; i++) {
        const lmb_motion_joint *joint = &def->joints[i];
        double all[3];
        if (joint->is_velocity) {
            find_velocity(m, back, joint->joint, from, to, all);
        } else {
            find_position(m, joint->joint, time, all);
        }
        for (int k = 0; k < 3; k++) {
            if (joint->axes[k]) {
                *features++ = all[k];
            }
        }
    }
}

void lmb_motion_features(const lmb_motion_database_def *def, const lmb_motion_take *take, uint32_t count,
                         double (*features)[LMB_MOTION_ROW_SIZE]) {
    const motion_of_take m = lmb_motion_measure(def->rig, take, def->rate);
    for (uint32_t i = 0; i < count; i++) {
        double *own = features[i];
        const double time = (double)lmb_motion_time(def->rate, i);
        const place here = lmb_place_at(&m, time), back = lmb_place_invert(&here);
        find_position(&m, def->left_foot, time, own);
        find_position(&m, def->right_foot, time, own + 3);
        const double from = i == 0 && !take->loop ? time : time - m.step;
        const double to = i == count - 1 && !take->loop ? time : time + m.step;
        find_velocity(&m, &back, def->left_foot, from, to, own + 6);
        find_velocity(&m, &back, def->right_foot, from, to, own + 9);
        find_velocity(&m, &back, def->hips, from, to, own + 12);
        for (uint32_t k = 0; k < 3; k++) {
            const place there = lmb_place_at(&m, time + (double)def->times[k]),
                        ahead = lmb_place_compose(&back, &there);
            own[15 + 2 * k] = ahead.position[0];
            own[16 + 2 * k] = ahead.position[2];
            own[21 + 2 * k] = ahead.sine;
            own[22 + 2 * k] = ahead.cosine;
        }
        find_joints(def, &m, &back, time, from, to, own + LMB_MOTION_FEATURES);
    }
}
