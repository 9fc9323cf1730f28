// Clips are sampled by the operations that kernels run, so that their rounding is measured too. Model matrices are
// float64, so that the measurement adds no error of its own.
//
// An error of a joint moves everything below it. Therefore deviations are distances in model space, at six virtual
// points around each joint that stand for the skin. A try computes only the joints below the one that changed, from the
// matrices that were accepted last.
#include "motion.h"

#include "clip.h"

#include <math.h>

static vector rest_of(const float *values) {
    return make_vector(values[0], values[1], values[2]);
}

static vector sample_vector_property(const lmb_clip *clip, uint32_t property, uint32_t joint, const float *rest,
                                     float time) {
    const uint32_t *words = clip->words;
    track t = load_track(words, 0, property, joint);
    if (t.mode == MODE_REST) {
        return rest_of(rest);
    }
    if (t.keys == 1 && t.mode < MODE_CUBIC) {
        return constant_vector(words, t);
    }
    key_position at = find_key(words, t, words[FIELD(CLIP, search)], time);
    return t.mode == MODE_PACKED ? sample_packed_vector(words, 0, t, &at) : sample_vector_track(words, t, &at);
}

static quaternion sample_rotation_channel(const lmb_clip *clip, uint32_t joint, const float *rest, float time) {
    const uint32_t *words = clip->words;
    track t = load_track(words, 0, PROPERTY_ROTATION, joint);
    if (t.mode == MODE_REST) {
        return make_quaternion(rest[0], rest[1], rest[2], rest[3]);
    }
    if (t.keys == 1 && t.mode < MODE_CUBIC) {
        return constant_rotation(words, t);
    }
    key_position at = find_key(words, t, words[FIELD(CLIP, search)], time);
    bool near = words[FIELD(CLIP, turns_far)] == 0;
    return t.mode == MODE_PACKED ? sample_packed_rotation(words, 0, t, &at, near)
                                 : sample_rotation_track(words, t, &at, near);
}

lmb_transform lmb_clip_sample(const lmb_clip *clip, const lmb_rig *rig, uint32_t joint, float time) {
    const lmb_transform *rest = &rig->def.joints[joint].rest;
    transform sampled;
    sampled.t = sample_vector_property(clip, PROPERTY_TRANSLATION, joint, rest->translation, time);
    sampled.q = sample_rotation_channel(clip, joint, rest->rotation, time);
    sampled.s = sample_vector_property(clip, PROPERTY_SCALE, joint, rest->scale, time);
    return lmb_from_op_transform(sampled);
}

matrix lmb_matrix_of(const lmb_transform *t) {
    const double x = (double)t->rotation[0], y = (double)t->rotation[1];
    const double z = (double)t->rotation[2], w = (double)t->rotation[3];
    const double two = 2.0 / (x * x + y * y + z * z + w * w);
    const double rotation[3][3] = {{1.0 - two * (y * y + z * z), two * (x * y - w * z), two * (x * z + w * y)},
                                   {two * (x * y + w * z), 1.0 - two * (x * x + z * z), two * (y * z - w * x)},
                                   {two * (x * z - w * y), two * (y * z + w * x), 1.0 - two * (x * x + y * y)}};
    matrix result;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            result.m[row][column] = rotation[row][column] * (double)t->scale[column];
        }
        result.m[row][3] = (double)t->translation[row];
    }
    return result;
}

matrix lmb_model_of(const lmb_transform *local, const matrix *parent) {
    matrix own = lmb_matrix_of(local);
    return parent != NULL ? lmb_matrix_multiply(parent, &own) : own;
}

double lmb_deviation_of(const matrix *a, const matrix *b, const lmb_tolerance *tolerance) {
    double largest = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double forth = 0.0, back = 0.0;
        for (int row = 0; row < 3; row++) {
            const double moved = a->m[row][3] - b->m[row][3];
            const double turned = (a->m[row][axis] - b->m[row][axis]) * tolerance->shell;
            forth += (moved + turned) * (moved + turned);
            back += (moved - turned) * (moved - turned);
        }
        const double larger = forth > back ? forth : back;
        largest = larger <= largest ? largest : larger;
    }
    return sqrt(largest) * tolerance->share;
}

static double distance_of_origins(const matrix *a, const matrix *b) {
    const double way[3] = {a->m[0][3] - b->m[0][3], a->m[1][3] - b->m[1][3], a->m[2][3] - b->m[2][3]};
    return lmb_length(way);
}

double lmb_rig_extent(const lmb_rig *rig, matrix *models) {
    double largest = 0.0;
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        const uint32_t parent = rig->def.joints[joint].parent;
        models[joint] = lmb_model_of(&rig->def.joints[joint].rest, parent != LMB_NONE ? &models[parent] : NULL);
        for (uint32_t other = 0; other < joint; other++) {
            const double distance = distance_of_origins(&models[joint], &models[other]);
            largest = distance > largest ? distance : largest;
        }
    }
    return largest;
}

void lmb_motion_model(const motion *m, const lmb_transform *local, matrix *models) {
    for (uint32_t joint = 0; joint < m->rig->def.joint_count; joint++) {
        const uint32_t parent = m->rig->def.joints[joint].parent;
        for (uint32_t sample = 0; sample < m->samples; sample++) {
            const size_t at = (size_t)joint * m->samples + sample;
            models[at] =
                lmb_model_of(&local[at], parent != LMB_NONE ? &models[(size_t)parent * m->samples + sample] : NULL);
        }
    }
}

void lmb_motion_levers(motion *m) {
    for (uint32_t joint = 0; joint < m->rig->def.joint_count; joint++) {
        const matrix *tip = &m->source_model[(size_t)joint * m->samples];
        const lmb_tolerance own = m->tolerances[joint];
        m->levers[joint] = (lmb_lever){own.share, own.share * own.shell};
        for (uint32_t above = m->rig->def.joints[joint].parent; above != LMB_NONE;
             above = m->rig->def.joints[above].parent) {
            const matrix *joint_above = &m->source_model[(size_t)above * m->samples];
            lmb_lever *lever = &m->levers[above];
            lever->moves = fmax(lever->moves, own.share);
            lever->turns = fmax(lever->turns, own.share * (distance_of_origins(tip, joint_above) + own.shell));
        }
    }
}

static bool is_affected(const motion *m, uint32_t joint, uint32_t first) {
    const uint32_t parent = m->rig->def.joints[joint].parent;
    return first == LMB_NONE || joint == first || (parent != LMB_NONE && m->affected[parent]);
}

double lmb_motion_try(motion *m, uint32_t first, double limit, uint32_t *worst) {
    double largest = 0.0;
    for (uint32_t joint = 0; joint < m->rig->def.joint_count; joint++) {
        const uint32_t parent = m->rig->def.joints[joint].parent;
        m->affected[joint] = is_affected(m, joint, first);
        if (!m->affected[joint]) {
            continue;
        }
        const matrix *parents = NULL;
        if (parent != LMB_NONE) {
            parents = (m->affected[parent] ? m->trial : m->model) + (size_t)parent * m->samples;
        }
        for (uint32_t sample = 0; sample < m->samples; sample++) {
            const size_t at = (size_t)joint * m->samples + sample;
            m->trial[at] = lmb_model_of(&m->local[at], parents != NULL ? parents + sample : NULL);
            const double distance = lmb_deviation_of(&m->trial[at], &m->source_model[at], &m->tolerances[joint]);
            if (!(distance <= largest)) {
                largest = distance;
                *worst = joint;
                if (!(distance <= limit)) {
                    return distance;
                }
            }
        }
    }
    return largest;
}

void lmb_motion_accept(motion *m) {
    for (uint32_t joint = 0; joint < m->rig->def.joint_count; joint++) {
        if (m->affected[joint]) {
            const size_t at = (size_t)joint * m->samples;
            memcpy(m->model + at, m->trial + at, m->samples * sizeof *m->model);
        }
    }
}

double lmb_motion_distance(const motion *m, uint32_t sample, const lmb_transform *local, matrix *models) {
    double largest = 0.0;
    for (uint32_t joint = 0; joint < m->rig->def.joint_count; joint++) {
        const uint32_t parent = m->rig->def.joints[joint].parent;
        models[joint] = lmb_model_of(&local[joint], parent != LMB_NONE ? &models[parent] : NULL);
        const size_t at = (size_t)joint * m->samples + sample;
        const double distance = lmb_deviation_of(&models[joint], &m->source_model[at], &m->tolerances[joint]);
        largest = distance <= largest ? largest : distance;
    }
    return largest;
}
