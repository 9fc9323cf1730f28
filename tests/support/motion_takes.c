// Takes for tests of motion matching and motion graphs.
#include "motion_takes.h"

#include "oracle.h"
#include "suite.h"

#include <math.h>

lmb_rig *make_take_rig(void) {
    static const uint32_t parents[TAKE_JOINTS] = {LMB_NONE, ROOT, HIPS, HIPS, LEFT_THIGH, LEFT_SHIN, HIPS, RIGHT_THIGH};
    static const float places[TAKE_JOINTS][3] = {{0.1f, 0.2f, -0.1f}, {0.0f, 0.0f, 2.0f},  {0.0f, 0.0f, 0.5f},
                                                 {0.2f, 0.0f, -0.1f}, {0.0f, 0.1f, -0.9f}, {0.0f, 0.0f, -0.8f},
                                                 {-0.2f, 0.0f, 0.0f}, {0.0f, -0.2f, -1.7f}};
    lmb_joint_def joints[TAKE_JOINTS];
    for (uint32_t i = 0; i < TAKE_JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = parents[i];
        memcpy(joints[i].rest.translation, places[i], sizeof places[i]);
    }
    joints[ROOT].rest.rotation[0] = -0.6f;
    joints[ROOT].rest.rotation[3] = 0.8f;
    joints[RIGHT_THIGH].rest.rotation[1] = 0.28f;
    joints[RIGHT_THIGH].rest.rotation[3] = 0.96f;
    for (int i = 0; i < 3; i++) {
        joints[ROOT].rest.scale[i] = 0.5f;
        joints[SPINE].rest.scale[i] = 1.5f;
        joints[RIGHT_THIGH].rest.scale[i] = 0.8f + 0.3f * (float)i;
    }
    const lmb_rig_def def = {.joints = joints, .joint_count = TAKE_JOINTS};
    lmb_rig *rig = NULL;
    lmb_error error = {0};
    assert_ok(lmb_rig_create(&def, NULL, &rig, &error), &error);
    return rig;
}

static void make_clip(take_source *t, const lmb_rig *rig) {
    lmb_error error = {0};
    assert_ok(lmb_clip_create(rig, &t->clip_def, NULL, &t->clip, &error), &error);
    t->take.clip = t->clip;
}

// A track with values for any property: small turns about any axis, positions up to 0.3 from `at`, scales around 1.
static void random_track(take_source *t, uint32_t track, uint32_t joint, lmb_property property, const float *at,
                         bool loop, random_source *source) {
    const uint32_t keys = t->tracks[0].key_count;
    const bool spline = property == LMB_PROPERTY_TRANSLATION && joint == LEFT_FOOT;
    const uint32_t width = property == LMB_PROPERTY_ROTATION ? 4 : 3, stride = spline ? 9 : width;
    float *values = t->values[track];
    for (uint32_t key = 0; key < keys; key++, values += stride) {
        float turn[3], *value = spline ? values + 3 : values;
        for (uint32_t i = 0; i < stride; i++) {
            values[i] = (float)random_between(source, -0.3, 0.3);
        }
        memcpy(turn, value, sizeof turn);
        for (uint32_t i = 0; i < 3; i++) {
            value[i] += property == LMB_PROPERTY_SCALE ? 1.0f : property == LMB_PROPERTY_TRANSLATION ? at[i] : 0.0f;
        }
        if (width == 4) {
            const double square = (double)turn[0] * (double)turn[0] + (double)turn[1] * (double)turn[1] +
                                  (double)turn[2] * (double)turn[2];
            value[3] = (float)sqrt(1.0 - square);
        }
        if (loop && key == keys - 1) {
            memcpy(values, t->values[track], stride * sizeof *values);
        }
    }
    t->tracks[track] =
        (lmb_track_def){joint, property, spline ? LMB_INTERPOLATION_CUBIC_SPLINE : LMB_INTERPOLATION_LINEAR,
                        keys,  t->times, t->values[track]};
}

static void random_travel(take_source *t, travel kind, random_source *source) {
    if (kind == TRAVEL_VELOCITY) {
        for (int i = 0; i < 3; i++) {
            t->take.velocity[i] = (float)random_between(source, -2.0, 2.0);
        }
    }
    if (kind < TRAVEL_STRAIGHT) {
        return;
    }
    t->motion = (lmb_motion_track){.key_count = 2 + random_below(source, TAKE_KEYS - 1), .keys = t->motion_keys};
    const double step = (double)lmb_clip_get_info(t->clip)->duration / (t->motion.key_count - 1);
    for (uint32_t i = 0; i < 4 * t->motion.key_count; i++) {
        const double speed = i % 4 == 3 ? (kind == TRAVEL_TURNING ? 3.0 : 0.0) : 1.5;
        const double from = i < 4 ? random_between(source, -2.0, 2.0) : (double)t->motion_keys[i - 4];
        t->motion_keys[i] = (float)(from + (i < 4 ? 0.0 : step * speed * random_between(source, -0.7, 1.0)));
    }
    t->take.motion = &t->motion;
    t->take.velocity[1] = 77.0f; // does not count
}

// Ranges that begin and end anywhere, or at rows.
static void random_tags(take_source *t, double rate, random_source *source) {
    const double duration = (double)lmb_clip_get_info(t->clip)->duration;
    t->take.tags = random_below(source, 4);
    t->take.range_count = random_below(source, TAKE_RANGES + 1);
    t->take.ranges = t->ranges;
    for (uint32_t i = 0; i < t->take.range_count; i++) {
        double start = random_between(source, -0.2, duration), end = random_between(source, start, duration + 0.5);
        if (random_below(source, 2) == 0) {
            start = floor(start * rate) / rate;
            end = floor(end * rate) / rate;
        }
        t->ranges[i] = (lmb_motion_tag_range){(float)start, (float)end, 1u << random_below(source, 5)};
    }
}

void make_random_take(take_source *t, const lmb_rig *rig, double duration, bool loop, travel kind, double rate,
                      random_source *source) {
    static const float hips[3] = {0.0f, 0.0f, 2.0f}, foot[3] = {0.0f, 0.1f, -0.8f};
    const uint32_t keys = 2 + random_below(source, TAKE_KEYS - 1);
    t->tracks[0].key_count = keys;
    for (uint32_t i = 0; i < keys; i++) {
        t->times[i] = (float)(duration * i / (keys - 1));
    }
    random_track(t, 0, HIPS, LMB_PROPERTY_TRANSLATION, hips, loop, source);
    random_track(t, 1, LEFT_THIGH, LMB_PROPERTY_ROTATION, NULL, loop, source);
    random_track(t, 2, RIGHT_THIGH, LMB_PROPERTY_ROTATION, NULL, loop, source);
    random_track(t, 3, LEFT_SHIN, LMB_PROPERTY_SCALE, NULL, loop, source);
    random_track(t, 4, LEFT_FOOT, LMB_PROPERTY_TRANSLATION, foot, loop, source);
    t->clip_def = lmb_default_clip_def();
    t->clip_def.tracks = t->tracks;
    t->clip_def.track_count = TAKE_TRACKS;
    t->take = lmb_default_motion_take();
    t->take.loop = loop;
    make_clip(t, rig);
    random_travel(t, kind, source);
    random_tags(t, rate, source);
}

void release_takes(take_source *takes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        lmb_clip_destroy(takes[i].clip);
    }
    free(takes);
}

uint32_t count_take_moments(const take_source *t, double rate) {
    const float duration = lmb_clip_get_info(t->take.clip)->duration;
    uint32_t count = 0;
    while (t->take.loop ? (float)(count / rate) < duration : (float)(count / rate) <= duration) {
        count++;
    }
    return count;
}

static void turn(const double p[3], double yaw, double turned[3]) {
    const double x = p[0], z = p[2];
    turned[0] = x * cos(yaw) + z * sin(yaw);
    turned[1] = p[1];
    turned[2] = z * cos(yaw) - x * sin(yaw);
}

place place_seen_from(const place *a, const place *b) {
    const double way[3] = {b->p[0] - a->p[0], b->p[1] - a->p[1], b->p[2] - a->p[2]};
    place result = {.yaw = b->yaw - a->yaw};
    turn(way, -a->yaw, result.p);
    return result;
}

place place_go_on(const place *a, const place *b) {
    place result = {.yaw = a->yaw + b->yaw};
    turn(b->p, a->yaw, result.p);
    for (int i = 0; i < 3; i++) {
        result.p[i] += a->p[i];
    }
    return result;
}

// The keys of a motion track at a time of the clip.
static place keys_at(const take_source *t, double time) {
    const lmb_motion_track *track = t->take.motion;
    const double at = time / (double)lmb_clip_get_info(t->take.clip)->duration * (track->key_count - 1);
    const uint32_t key = at < 0.0 ? 0 : at < track->key_count - 2 ? (uint32_t)at : track->key_count - 2;
    double numbers[4];
    for (uint32_t i = 0; i < 4; i++) {
        numbers[i] = oracle_lerp((double)track->keys[4 * key + i], (double)track->keys[4 * key + 4 + i], at - key);
    }
    return (place){{numbers[0], numbers[1], numbers[2]}, numbers[3]};
}

place take_place_at(const take_source *t, double time, double rate) {
    const double duration = (double)lmb_clip_get_info(t->take.clip)->duration;
    place result = {{0}, 0.0};
    if (t->take.motion == NULL) {
        for (int i = 0; i < 3; i++) {
            result.p[i] = (double)t->take.velocity[i] * time;
        }
        return result;
    }
    const place start = keys_at(t, 0.0), end = keys_at(t, duration), whole = place_seen_from(&start, &end);
    if (t->take.loop) {
        const double rounds = floor(time / duration);
        const place back = place_seen_from(&whole, &(place){{0}, 0.0});
        for (double i = 0.0; i < fabs(rounds); i += 1.0) {
            result = place_go_on(&result, rounds < 0.0 ? &back : &whole);
        }
        time -= rounds * duration;
    }
    if (time <= duration) {
        const place now = keys_at(t, time), since = place_seen_from(&start, &now);
        return place_go_on(&result, &since);
    }
    const place before = keys_at(t, fmax(duration - 1.0 / rate, 0.0)), last = place_seen_from(&start, &before);
    result = whole;
    for (int i = 0; i < 3; i++) {
        result.p[i] += (whole.p[i] - last.p[i]) / fmin(1.0 / rate, duration) * (time - duration);
    }
    return result;
}

void take_positions_at(const lmb_rig *rig, const take_source *t, double time, double positions[TAKE_JOINTS][3]) {
    oracle_transform local[TAKE_JOINTS];
    oracle_affine models[TAKE_JOINTS];
    oracle_choices choices = {0};
    const double duration = (double)lmb_clip_get_info(t->take.clip)->duration;
    // Durations are rounded to floats, so what is the beginning of a loop again may be a little before its end.
    const double rounds = t->take.loop ? floor(time / duration + 1e-7) : 0.0;
    time = oracle_clip_time(time - rounds * duration, duration, false);
    for (uint32_t joint = 0; joint < TAKE_JOINTS; joint++) {
        const lmb_transform given = lmb_rig_get_def(rig)->joints[joint].rest;
        const oracle_transform rest = oracle_transform_from_float(&given);
        assert_true(oracle_clip_sample(&t->clip_def, joint, time, &rest, &choices, &local[joint]));
    }
    oracle_model(rig, local, models, NULL);
    for (uint32_t joint = 0; joint < TAKE_JOINTS; joint++) {
        for (int axis = 0; axis < 3; axis++) {
            positions[joint][axis] = models[joint].m[axis][3];
        }
    }
}

void make_line_take(take_source *t, const lmb_rig *rig, float duration, uint32_t joint, const float from[3],
                    const float to[3]) {
    t->times[1] = duration;
    memcpy(t->values[0], from, 3 * sizeof *from);
    memcpy(t->values[0] + 3, to, 3 * sizeof *to);
    t->tracks[0] =
        (lmb_track_def){joint, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, t->times, t->values[0]};
    t->clip_def = lmb_default_clip_def();
    t->clip_def.tracks = t->tracks;
    t->clip_def.track_count = 1;
    t->take = lmb_default_motion_take();
    make_clip(t, rig);
}
