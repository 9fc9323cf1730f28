#include <limber/root_motion.h>

#include "clip.h"
#include "clip_layout.h"
#include "clip_motion.h"
#include "environment.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.141592653589793
// Below this a parent's matrix cannot be taken back.
#define LEAST_DETERMINANT 1e-18
// Scales of an ancestor that differ by more, relative, would shear what is turned beneath it.
#define UNEVEN 1e-4

struct lmb_root_motion {
    lmb_host host;
    lmb_clip *clip;
    float *keys;
    lmb_motion_track track;
};

// Where the joint is in model space, and what it hangs from.
typedef struct placed {
    lmb_transform local;
    matrix parent;
    double parent_rotation[4];
    double rotation[4];
    double position[3];
} placed;

typedef struct extraction {
    const lmb_rig *rig;
    const lmb_clip *clip;
    const lmb_root_motion_def *def;
    const lmb_host *host;
    lmb_error *error;
    float *keys; // of the motion
    uint32_t key_count;
    float *times; // of the joint's new keys
    uint32_t time_count;
    float *translations;
    float *rotations;
    lmb_track_def *tracks;
    uint8_t *weights;
} extraction;

lmb_root_motion_def lmb_default_root_motion_def(void) {
    return (lmb_root_motion_def){.x = true, .z = true, .yaw = true, .rate = 30.0f};
}

static lmb_result fail(const extraction *e, lmb_result result, const char *why) {
    return lmb_fail(e->error, result, "root motion: clip '%s': %s", lmb_clip_name(e->clip), why);
}

// ---- Where the joint is. ----

static void multiply_rotations(const double a[4], const double b[4], double result[4]) {
    const double product[4] = {
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
    memcpy(result, product, sizeof product);
}

static void conjugate(const double a[4], double result[4]) {
    const double product[4] = {-a[0], -a[1], -a[2], a[3]};
    memcpy(result, product, sizeof product);
}

static void rotation_of(const lmb_transform *local, double result[4]) {
    double square = 0.0;
    for (int i = 0; i < 4; i++) {
        square += (double)local->rotation[i] * (double)local->rotation[i];
    }
    for (int i = 0; i < 4; i++) {
        result[i] = (double)local->rotation[i] / sqrt(square);
    }
}

static bool is_uneven(const float scale[3]) {
    const double x = fabs((double)scale[0]), y = fabs((double)scale[1]), z = fabs((double)scale[2]);
    const double largest = fmax(fmax(x, y), z);
    const bool mirrors = scale[0] * scale[1] < 0.0f || scale[1] * scale[2] < 0.0f;
    return mirrors || largest - fmin(fmin(x, y), z) > UNEVEN * largest;
}

// False where an ancestor's scale forbids what is to be taken.
static bool place_joint(const extraction *e, float time, placed *at) {
    const double none[4] = {0.0, 0.0, 0.0, 1.0};
    at->local = lmb_clip_sample(e->clip, e->rig, e->def->joint, time);
    at->parent = (matrix){{{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}}};
    memcpy(at->parent_rotation, none, sizeof none);
    bool usable = true;
    for (uint32_t joint = e->rig->parents[e->def->joint]; joint != LMB_NONE; joint = e->rig->parents[joint]) {
        const lmb_transform local = lmb_clip_sample(e->clip, e->rig, joint, time);
        const matrix own = lmb_matrix_of(&local);
        double rotation[4];
        at->parent = lmb_matrix_multiply(&own, &at->parent);
        rotation_of(&local, rotation);
        multiply_rotations(rotation, at->parent_rotation, at->parent_rotation);
        usable = usable && !(e->def->yaw && is_uneven(local.scale));
    }
    double own[4];
    rotation_of(&at->local, own);
    multiply_rotations(at->parent_rotation, own, at->rotation);
    for (int row = 0; row < 3; row++) {
        const double *m = at->parent.m[row];
        at->position[row] = m[0] * (double)at->local.translation[0] + m[1] * (double)at->local.translation[1] +
                            m[2] * (double)at->local.translation[2] + m[3];
    }
    return usable;
}

// ---- The motion. ----

// Turned about y: a quarter takes z to x.
static void turn(const double v[3], double yaw, double result[3]) {
    const double x = v[0] * cos(yaw) + v[2] * sin(yaw);
    const double z = v[2] * cos(yaw) - v[0] * sin(yaw);
    result[0] = x;
    result[1] = v[1];
    result[2] = z;
}

// The twist about y from one rotation to another, as near as it can be to what it was before.
static double yaw_between(const double from[4], const double to[4], double before) {
    double back[4], turned[4];
    conjugate(from, back);
    multiply_rotations(to, back, turned);
    if (hypot(turned[1], turned[3]) < 1e-9) {
        return before;
    }
    const double yaw = 2.0 * atan2(turned[1], turned[3]);
    return yaw + 2.0 * PI * round((before - yaw) / (2.0 * PI));
}

static float key_time(const extraction *e, uint32_t key) {
    return (float)((double)lmb_clip_duration(e->clip) * key / (e->key_count - 1));
}

static lmb_result find_motion(const extraction *e) {
    placed first = {0};
    double yaw = 0.0;
    for (uint32_t key = 0; key < e->key_count; key++) {
        placed now;
        if (!place_joint(e, key_time(e, key), &now)) {
            return fail(e, LMB_ERROR_ARGUMENT,
                        "an ancestor of the joint has scales that differ, and yaw is to be taken");
        }
        if (key == 0) {
            first = now;
        }
        yaw = e->def->yaw ? yaw_between(first.rotation, now.rotation, yaw) : 0.0;
        double turned[3];
        turn(first.position, yaw, turned);
        const bool taken[3] = {e->def->x, e->def->y, e->def->z};
        float *numbers = e->keys + 4 * (size_t)key;
        for (int i = 0; i < 3; i++) {
            numbers[i] = taken[i] ? (float)(now.position[i] - turned[i]) : 0.0f;
        }
        numbers[3] = (float)yaw;
        for (int i = 0; i < 4; i++) {
            if (!(fabsf(numbers[i]) <= LMB_MAX_MOTION)) {
                return fail(e, LMB_ERROR_ARGUMENT, "the motion goes beyond 2^20");
            }
        }
    }
    return LMB_OK;
}

// The track as whoever plays it has it.
static void motion_at(const extraction *e, float time, double numbers[4]) {
    const double duration = (double)lmb_clip_duration(e->clip);
    const double at = duration > 0.0 ? (double)time / duration * (e->key_count - 1) : 0.0;
    uint32_t key = at < e->key_count - 2 ? (uint32_t)at : e->key_count - 2;
    const float *from = e->keys + 4 * (size_t)key, *to = from + 4;
    for (int i = 0; i < 4; i++) {
        numbers[i] = (double)from[i] + ((double)to[i] - (double)from[i]) * (at - key);
    }
}

// ---- What is left. ----

static bool solve(const matrix *parent, const double position[3], float result[3]) {
    const double(*m)[4] = parent->m;
    const double v[3] = {position[0] - m[0][3], position[1] - m[1][3], position[2] - m[2][3]};
    double cofactors[3][3];
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            const int a = (row + 1) % 3, b = (row + 2) % 3, c = (column + 1) % 3, d = (column + 2) % 3;
            cofactors[row][column] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
        }
    }
    const double determinant = m[0][0] * cofactors[0][0] + m[0][1] * cofactors[0][1] + m[0][2] * cofactors[0][2];
    for (int i = 0; i < 3; i++) {
        result[i] = (float)((cofactors[0][i] * v[0] + cofactors[1][i] * v[1] + cofactors[2][i] * v[2]) / determinant);
    }
    return fabs(determinant) >= LEAST_DETERMINANT;
}

// The same hemisphere as the key before.
static void put_rotation(const double rotation[4], const float *before, float *result) {
    double dot = 0.0;
    for (int i = 0; i < 4 && before != NULL; i++) {
        dot += rotation[i] * (double)before[i];
    }
    for (int i = 0; i < 4; i++) {
        result[i] = (float)(dot < 0.0 ? -rotation[i] : rotation[i]);
    }
}

static lmb_result find_rest(const extraction *e) {
    for (uint32_t key = 0; key < e->time_count; key++) {
        placed now;
        double motion[4], moved[3], back[3];
        place_joint(e, e->times[key], &now);
        motion_at(e, e->times[key], motion);
        for (int i = 0; i < 3; i++) {
            moved[i] = now.position[i] - motion[i];
        }
        turn(moved, -motion[3], back);
        if (!solve(&now.parent, back, e->translations + 3 * (size_t)key)) {
            return fail(e, LMB_ERROR_ARGUMENT, "an ancestor of the joint has a scale of 0");
        }
        const double turned_back[4] = {0.0, sin(-0.5 * motion[3]), 0.0, cos(0.5 * motion[3])};
        double inverse[4], rotation[4];
        conjugate(now.parent_rotation, inverse);
        multiply_rotations(turned_back, now.rotation, rotation);
        multiply_rotations(inverse, rotation, rotation);
        float *result = e->rotations + 4 * (size_t)key;
        put_rotation(rotation, key > 0 ? result - 4 : NULL, result);
    }
    return LMB_OK;
}

// ---- Times. ----

// Of a channel's track, or no keys where the clip leaves it to the rest pose.
static track given_track(const extraction *e, uint32_t channel, uint32_t joint) {
    const uint32_t *words = e->clip->words;
    track found = load_track(words, 0, channel, joint);
    const uint32_t left_to_rest = words[CLIP_TRACKS] + CHANNELS * TRACK_FIELDS * e->rig->joint_count;
    if (found.mode == MODE_STEP && found.keys == 1 && found.times == left_to_rest) {
        found.keys = 0;
    }
    return found;
}

// Those of a track that moves. Just before a step there is a key of its own.
static uint32_t add_times(const extraction *e, uint32_t channel, uint32_t joint, float *times) {
    const track found = given_track(e, channel, joint);
    uint32_t count = 0;
    for (uint32_t key = 0; key < found.keys && found.keys > 1; key++) {
        const float time = REAL(e->clip->words[found.times + key]);
        if (times != NULL) {
            times[count] = time;
        }
        count++;
        if (found.mode == MODE_STEP && key > 0) {
            if (times != NULL) {
                times[count] = nextafterf(time, 0.0f);
            }
            count++;
        }
    }
    return count;
}

static uint32_t collect_times(const extraction *e, float *times) {
    uint32_t count = 0;
    for (uint32_t joint = e->def->joint; joint != LMB_NONE; joint = e->rig->parents[joint]) {
        for (uint32_t channel = 0; channel < CHANNELS; channel++) {
            count += add_times(e, channel, joint, times != NULL ? times + count : NULL);
        }
    }
    for (uint32_t key = 0; key < e->key_count; key++, count++) {
        if (times != NULL) {
            times[count] = key_time(e, key);
        }
    }
    return count;
}

static int compare_times(const void *a, const void *b) {
    const float first = *(const float *)a, second = *(const float *)b;
    return (first > second) - (first < second);
}

static void sort_times(extraction *e) {
    qsort(e->times, e->time_count, sizeof *e->times, compare_times);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < e->time_count; i++) {
        if (e->times[i] > e->times[kept - 1]) {
            e->times[kept++] = e->times[i];
        }
    }
    e->time_count = kept;
}

// ---- The clip. ----

static const float *floats_at(const extraction *e, uint32_t at) {
    return (const float *)(const void *)(e->clip->words + at);
}

static bool is_replaced(const extraction *e, uint32_t channel, uint32_t joint) {
    return joint == e->def->joint &&
           (channel == LMB_CHANNEL_TRANSLATION || (channel == LMB_CHANNEL_ROTATION && e->def->yaw));
}

static const lmb_interpolation interpolations[] = {[MODE_STEP] = LMB_INTERPOLATION_STEP,
                                                   [MODE_LINEAR] = LMB_INTERPOLATION_LINEAR,
                                                   [MODE_CUBIC] = LMB_INTERPOLATION_CUBIC_SPLINE};

static uint32_t copy_floats(const extraction *e, uint32_t count) {
    const uint32_t *words = e->clip->words;
    const uint32_t channels = words[CLIP_FLOAT_COUNT];
    for (uint32_t channel = 0; channel < channels; channel++) {
        const uint32_t *found = words + words[CLIP_FLOATS] + channel;
        if (found[TRACK_MODE * channels] != MODE_REST) {
            e->tracks[count++] = (lmb_track_def){.joint = channel,
                                                 .channel = LMB_CHANNEL_FLOAT,
                                                 .interpolation = interpolations[found[TRACK_MODE * channels]],
                                                 .key_count = found[TRACK_KEYS * channels],
                                                 .times = floats_at(e, found[TRACK_TIMES * channels]),
                                                 .values = floats_at(e, found[TRACK_VALUES * channels])};
        }
    }
    return count;
}

static uint32_t copy_tracks(const extraction *e) {
    uint32_t count = 0;
    for (uint32_t joint = 0; joint < e->rig->joint_count; joint++) {
        for (uint32_t channel = 0; channel < CHANNELS; channel++) {
            const track found = given_track(e, channel, joint);
            const bool replaced = is_replaced(e, channel, joint);
            if (replaced) {
                e->tracks[count++] =
                    (lmb_track_def){.joint = joint,
                                    .channel = (lmb_channel)channel,
                                    .interpolation = LMB_INTERPOLATION_LINEAR,
                                    .key_count = e->time_count,
                                    .times = e->times,
                                    .values = channel == LMB_CHANNEL_TRANSLATION ? e->translations : e->rotations};
            } else if (found.keys > 0) {
                e->tracks[count++] = (lmb_track_def){.joint = joint,
                                                     .channel = (lmb_channel)channel,
                                                     .interpolation = interpolations[found.mode],
                                                     .key_count = found.keys,
                                                     .times = floats_at(e, found.times),
                                                     .values = floats_at(e, found.values)};
            }
        }
    }
    return copy_floats(e, count);
}

static lmb_result build_clip(const extraction *e, lmb_clip **clip) {
    const uint32_t *words = e->clip->words;
    const uint32_t weights = words[CLIP_WEIGHTS];
    for (uint32_t i = 0; i < e->rig->joint_count + e->rig->channel_count && weights != 0; i++) {
        e->weights[i] = (uint8_t)(words[weights + i / 4] >> 8 * (i % 4));
    }
    const lmb_clip_def def = {.name = lmb_clip_name(e->clip),
                              .duration = lmb_clip_duration(e->clip),
                              .tracks = e->tracks,
                              .track_count = copy_tracks(e),
                              .joint_weights = weights != 0 ? e->weights : NULL};
    return lmb_clip_create(e->rig, &def, e->host, clip, e->error);
}

static LMB_NOINLINE lmb_result compute(extraction *e) {
    lmb_result result = find_motion(e);
    collect_times(e, e->times);
    sort_times(e);
    return result == LMB_OK ? find_rest(e) : result;
}

static lmb_result run(extraction *e, lmb_clip **clip) {
    const size_t joints = e->rig->joint_count, floats = e->rig->channel_count;
    e->time_count = collect_times(e, NULL);
    e->keys = lmb_host_allocate(e->host, (size_t)e->key_count * 4, sizeof *e->keys);
    e->times = lmb_host_allocate(e->host, e->time_count, sizeof *e->times);
    e->translations = lmb_host_allocate(e->host, (size_t)e->time_count * 3, sizeof *e->translations);
    e->rotations = lmb_host_allocate(e->host, (size_t)e->time_count * 4, sizeof *e->rotations);
    e->tracks = lmb_host_allocate(e->host, joints * CHANNELS + floats, sizeof *e->tracks);
    e->weights = lmb_host_allocate(e->host, joints + floats, sizeof *e->weights);
    if (e->keys == NULL || e->times == NULL || e->translations == NULL || e->rotations == NULL || e->tracks == NULL ||
        e->weights == NULL) {
        return fail(e, LMB_ERROR_MEMORY, "no memory");
    }
    fenv_t callers;
    lmb_environment_enter(&callers);
    const lmb_result result = compute(e);
    lmb_environment_leave(&callers);
    return result == LMB_OK ? build_clip(e, clip) : result;
}

static lmb_result check(extraction *e) {
    const char *why = e->def->joint >= e->rig->joint_count ? "there is no such joint"
                      : lmb_clip_joint_count(e->clip) != e->rig->joint_count ||
                              lmb_clip_channel_count(e->clip) != e->rig->channel_count
                          ? "it is not of the rig's joint and channel count"
                      : e->clip->words[CLIP_PACKED] != 0 ? "it is compressed; take its motion before that"
                      : !(e->def->rate >= 1e-3f && e->def->rate <= 1000.0f)
                          ? "the rate is not from 1e-3 to 1,000 keys a second"
                          : NULL;
    if (why != NULL) {
        return fail(e, LMB_ERROR_ARGUMENT, why);
    }
    const double intervals = ceil((double)lmb_clip_duration(e->clip) * (double)e->def->rate);
    if (!(intervals < LMB_MAX_MOTION_KEYS)) {
        return fail(e, LMB_ERROR_LIMIT, "its motion would take more than 65,536 keys");
    }
    e->key_count = intervals < 1.0 ? 2 : (uint32_t)intervals + 1;
    return LMB_OK;
}

lmb_result lmb_root_motion_extract(const lmb_rig *rig, const lmb_clip *clip, const lmb_root_motion_def *def,
                                   const lmb_host *host, lmb_root_motion **motion, lmb_error *error) {
    if (motion != NULL) {
        *motion = NULL;
    }
    const char *missing = rig == NULL      ? "the rig"
                          : clip == NULL   ? "the clip"
                          : def == NULL    ? "the descriptor"
                          : motion == NULL ? "the result"
                                           : NULL;
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "root motion: %s is NULL", missing);
    }
    const lmb_host resolved = lmb_host_resolve(host);
    extraction e = {.rig = rig, .clip = clip, .def = def, .host = &resolved, .error = error};
    lmb_result result = check(&e);
    if (result != LMB_OK) {
        return result;
    }
    lmb_clip *left = NULL;
    result = run(&e, &left);
    lmb_root_motion *created = result == LMB_OK ? lmb_host_allocate(&resolved, 1, sizeof *created) : NULL;
    if (created != NULL) {
        *created = (lmb_root_motion){
            .host = resolved, .clip = left, .keys = e.keys, .track = {.key_count = e.key_count, .keys = e.keys}};
        *motion = created;
    } else {
        lmb_clip_destroy(left);
        lmb_host_release(&resolved, e.keys);
        result = result == LMB_OK ? fail(&e, LMB_ERROR_MEMORY, "no memory") : result;
    }
    lmb_host_release(&resolved, e.times);
    lmb_host_release(&resolved, e.translations);
    lmb_host_release(&resolved, e.rotations);
    lmb_host_release(&resolved, e.tracks);
    lmb_host_release(&resolved, e.weights);
    return result;
}

void lmb_root_motion_destroy(lmb_root_motion *motion) {
    if (motion == NULL) {
        return;
    }
    lmb_host host = motion->host;
    lmb_clip_destroy(motion->clip);
    lmb_host_release(&host, motion->keys);
    lmb_host_release(&host, motion);
}

const lmb_motion_track *lmb_root_motion_track(const lmb_root_motion *motion) {
    return &motion->track;
}

const lmb_clip *lmb_root_motion_clip(const lmb_root_motion *motion) {
    return motion->clip;
}
