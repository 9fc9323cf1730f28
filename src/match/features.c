// The features of the moments of a clip.
//
// All arithmetic is float64 by operations that are rounded in the same way everywhere, and sines are those of
// limber/math.h, so a database has the same bits on every processor. The place of a character is its root motion since
// the beginning of its clip. Where it is ahead of a moment, or where a joint was before, is a place relative to that of
// the moment.
#include "clip/clip.h"
#include "clip/motion.h"
#include "database.h"
#include "rig/rig.h"

#include <math.h>

// A turn about y, then a displacement.
typedef struct place {
    double sine, cosine, position[3];
} place;

typedef struct motion_of_take {
    const lmb_rig *rig;
    const lmb_motion_take *take;
    double duration, step; // seconds, in a row
    place end;             // at the end of the clip
    double velocity[3];    // there, over the ground
} motion_of_take;

static place compose(const place *a, const place *b) {
    place c = {a->sine * b->cosine + a->cosine * b->sine, a->cosine * b->cosine - a->sine * b->sine, {0}};
    c.position[0] = a->position[0] + (a->cosine * b->position[0] + a->sine * b->position[2]);
    c.position[1] = a->position[1] + b->position[1];
    c.position[2] = a->position[2] + (a->cosine * b->position[2] - a->sine * b->position[0]);
    return c;
}

static place invert(const place *a) {
    const double *p = a->position;
    return (place){
        -a->sine, a->cosine, {-(a->cosine * p[0] - a->sine * p[2]), -p[1], -(a->cosine * p[2] + a->sine * p[0])}};
}

// Returns the place after a time of the clip, from 0 to its duration.
static place place_within(const motion_of_take *m, double time) {
    const lmb_motion_track *track = m->take->motion;
    if (track == NULL) {
        place moved = {.cosine = 1.0};
        for (int i = 0; i < 3; i++) {
            moved.position[i] = (double)m->take->velocity[i] * time;
        }
        return moved;
    }
    const double at = time / m->duration * (track->key_count - 1);
    const uint32_t key = at < track->key_count - 2 ? (uint32_t)at : track->key_count - 2;
    const float *from = track->keys + (size_t)key * 4, *to = from + 4;
    double values[4];
    for (int i = 0; i < 4; i++) {
        values[i] = (double)from[i] + ((double)to[i] - (double)from[i]) * (at - key);
    }
    const float start = track->keys[3], yaw = (float)values[3];
    const place first = {lmb_sine(start), lmb_cosine(start), {track->keys[0], track->keys[1], track->keys[2]}};
    const place now = {lmb_sine(yaw), lmb_cosine(yaw), {values[0], values[1], values[2]}};
    const place back = invert(&first);
    return compose(&back, &now);
}

// Returns the place after a time: a loop goes on at its other end, another clip at its last velocity.
static place place_at(const motion_of_take *m, double time) {
    if (!m->take->loop) {
        place reached = place_within(m, fmin(time, m->duration));
        for (int i = 0; i < 3 && time > m->duration; i++) {
            reached.position[i] += m->velocity[i] * (time - m->duration);
        }
        return reached;
    }
    const double turns = floor(time / m->duration);
    place result = place_within(m, fmin(fmax(time - turns * m->duration, 0.0), m->duration));
    const place back = invert(&m->end);
    for (double i = 0.0; i < fabs(turns); i += 1.0) {
        result = compose(turns > 0.0 ? &m->end : &back, &result);
    }
    return result;
}

static motion_of_take measure_take(const lmb_motion_database_def *def, const lmb_motion_take *take) {
    motion_of_take m = {.rig = def->rig,
                        .take = take,
                        .duration = (double)lmb_clip_duration(take->clip),
                        .step = 1.0 / (double)def->rate};
    m.end = place_within(&m, m.duration);
    const double from = fmax(m.duration - m.step, 0.0);
    const place before = place_within(&m, from);
    for (int i = 0; i < 3; i++) {
        m.velocity[i] = (m.end.position[i] - before.position[i]) / (m.duration - from);
    }
    return m;
}

// Finds a joint's position in the model at a time of the clip.
static void find_position(const motion_of_take *m, uint32_t joint, double time, double position[3]) {
    position[0] = position[1] = position[2] = 0.0;
    for (; joint != LMB_NONE; joint = m->rig->parents[joint]) {
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
    const place there = place_at(m, time), relative = compose(back, &there);
    // Times of rows are rounded, so what is the beginning of a loop again may be a little before its end.
    const double turns = m->take->loop ? floor(time / m->duration + 1e-6) : 0.0;
    const double wrapped = fmax(time - turns * m->duration, 0.0);
    place joints = {.cosine = 1.0};
    find_position(m, joint, wrapped, joints.position);
    const place moved = compose(&relative, &joints);
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

void lmb_motion_features(const lmb_motion_database_def *def, const lmb_motion_take *take, uint32_t count,
                         double (*features)[LMB_MOTION_FEATURES]) {
    const motion_of_take m = measure_take(def, take);
    for (uint32_t i = 0; i < count; i++) {
        double *own = features[i];
        const double time = (double)lmb_motion_time(def->rate, i);
        const place here = place_at(&m, time), back = invert(&here);
        find_position(&m, def->left_foot, time, own);
        find_position(&m, def->right_foot, time, own + 3);
        const double from = i == 0 && !take->loop ? time : time - m.step;
        const double to = i == count - 1 && !take->loop ? time : time + m.step;
        find_velocity(&m, &back, def->left_foot, from, to, own + 6);
        find_velocity(&m, &back, def->right_foot, from, to, own + 9);
        find_velocity(&m, &back, def->hips, from, to, own + 12);
        for (uint32_t k = 0; k < 3; k++) {
            const place there = place_at(&m, time + (double)def->times[k]), ahead = compose(&back, &there);
            own[15 + 2 * k] = ahead.position[0];
            own[16 + 2 * k] = ahead.position[2];
            own[21 + 2 * k] = ahead.sine;
            own[22 + 2 * k] = ahead.cosine;
        }
    }
}
