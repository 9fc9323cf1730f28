// Takes of databases and of motion graphs: their checks, their moments, and where the character is at a time.
#include "take.h"

#include "clip/clip.h"
#include "database.h"
#include "rig/rig.h"

#include <math.h>

// ---- Checks.

bool lmb_motion_check_root(const lmb_motion_take *take, const char **why) {
    const lmb_motion_track *track = take->motion;
    bool valid = true;
    for (int i = 0; i < 3; i++) {
        valid = valid && lmb_motion_in_range(take->velocity[i], -LMB_MAX_MOTION, LMB_MAX_MOTION);
    }
    *why = "its velocity is not finite, or too large";
    if (track == NULL || !valid) {
        return valid;
    }
    *why = "its motion has rotations";
    if (track->rotations != NULL) {
        return false;
    }
    *why = "its motion has no keys, too few or too many";
    if (track->keys == NULL || track->key_count < 2 || track->key_count > LMB_MAX_MOTION_KEYS) {
        return false;
    }
    *why = "a key of its motion is not finite, or too large";
    for (size_t i = 0; valid && i < (size_t)track->key_count * 4; i++) {
        valid = lmb_motion_in_range(track->keys[i], -LMB_MAX_MOTION, LMB_MAX_MOTION);
    }
    return valid;
}

static bool check_ranges(const lmb_motion_take *take, const char **why) {
    *why = "its ranges are NULL";
    bool valid = take->ranges != NULL || take->range_count == 0;
    for (uint32_t i = 0; valid && i < take->range_count; i++) {
        *why = "a range of tags does not end after its start";
        valid = take->ranges[i].start <= take->ranges[i].end && isfinite(take->ranges[i].start) &&
                isfinite(take->ranges[i].end);
    }
    return valid;
}

uint32_t lmb_motion_count_rows(const lmb_motion_take *take, float rate) {
    const float duration = lmb_clip_get_info(take->clip)->duration;
    uint32_t count = (uint32_t)fmin((double)duration * (double)rate, LMB_MAX_MOTION_ROWS + 1.0);
    for (float time = lmb_motion_time(rate, count);
         count <= LMB_MAX_MOTION_ROWS && (take->loop ? time < duration : time <= duration);) {
        time = lmb_motion_time(rate, ++count);
    }
    while (count > 0 &&
           (take->loop ? lmb_motion_time(rate, count - 1) >= duration : lmb_motion_time(rate, count - 1) > duration)) {
        count--;
    }
    return count;
}

bool lmb_motion_check_take(lmb_error *error, const char *owner, const lmb_rig *rig, const lmb_motion_take *takes,
                           uint32_t index, float rate) {
    const lmb_motion_take *take = &takes[index];
    const char *why = "it has no clip";
    bool valid = take->clip != NULL;
    if (valid) {
        why = "its clip is for another number of joints";
        valid = lmb_clip_get_info(take->clip)->joint_count == rig->def.joint_count;
    }
    if (valid) {
        why = "its clip is an additive";
        valid = !lmb_clip_get_info(take->clip)->is_additive;
    }
    if (valid) {
        why = "its clip is shorter than two rows";
        valid = lmb_motion_count_rows(take, rate) >= 2;
    }
    return (valid && lmb_motion_check_root(take, &why) && check_ranges(take, &why)) ||
           lmb_refuse(error, LMB_ERROR_ARGUMENT, "%s: take %u: %s", owner, (unsigned)index, why);
}

// ---- Places.

place lmb_place_compose(const place *a, const place *b) {
    place c = {a->sine * b->cosine + a->cosine * b->sine, a->cosine * b->cosine - a->sine * b->sine, {0}};
    c.position[0] = a->position[0] + (a->cosine * b->position[0] + a->sine * b->position[2]);
    c.position[1] = a->position[1] + b->position[1];
    c.position[2] = a->position[2] + (a->cosine * b->position[2] - a->sine * b->position[0]);
    return c;
}

place lmb_place_invert(const place *a) {
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
    const place back = lmb_place_invert(&first);
    return lmb_place_compose(&back, &now);
}

// Returns the place after a time: a loop goes on at its other end, another clip at its last velocity.
place lmb_place_at(const motion_of_take *m, double time) {
    if (!m->take->loop) {
        place reached = place_within(m, fmin(time, m->duration));
        for (int i = 0; i < 3 && time > m->duration; i++) {
            reached.position[i] += m->velocity[i] * (time - m->duration);
        }
        return reached;
    }
    const double turns = floor(time / m->duration);
    place result = place_within(m, fmin(fmax(time - turns * m->duration, 0.0), m->duration));
    const place back = lmb_place_invert(&m->end);
    for (double i = 0.0; i < fabs(turns); i += 1.0) {
        result = lmb_place_compose(turns > 0.0 ? &m->end : &back, &result);
    }
    return result;
}

motion_of_take lmb_motion_measure(const lmb_rig *rig, const lmb_motion_take *take, float rate) {
    motion_of_take m = {.rig = rig,
                        .take = take,
                        .duration = (double)lmb_clip_get_info(take->clip)->duration,
                        .step = 1.0 / (double)rate};
    m.end = place_within(&m, m.duration);
    const double from = fmax(m.duration - m.step, 0.0);
    const place before = place_within(&m, from);
    for (int i = 0; i < 3; i++) {
        m.velocity[i] = (m.end.position[i] - before.position[i]) / (m.duration - from);
    }
    return m;
}
