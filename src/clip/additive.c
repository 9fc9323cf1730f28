// Bakes a clip minus a reference pose or clip into an additive clip, track by track. A track has a key at every instant
// at which one of its inputs has a key, and as many keys between these as the error bound needs.
#include "base/float_environment.h"
#include "clip.h"
#include "motion.h"
#include "rig/rig.h"

#include "../../shaders/ops/decompose.h"
#include "../../shaders/ops/interpolation.h"

#include <limber/additive.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_ERROR 1e-4
#define MOST_HALVINGS 8
#define SAME_TIME 0x1p-20f // as a fraction of the duration

// A time in the result, and the times in source and reference that correspond to it. Instants that are nearly equal are
// merged: then the two elements are the smallest and the largest time.
typedef struct instant {
    float time;
    float source[2];
    float reference[2];
    bool steps; // an input has a step here
} instant;

typedef struct key {
    float time;
    float value[4];
} key;

// A growing array.
typedef struct row {
    void *items;
    size_t count;
    size_t capacity;
} row;

typedef struct baker {
    const lmb_rig *rig;
    const lmb_clip *source;
    const lmb_clip_additive_def *def;
    lmb_host host;
    lmb_error *error;
    lmb_result result; // once it is not LMB_OK, all functions do nothing
    double bound;
    row instants; // of the current track
    bool slides;  // an input of the current track changes between its keys
    row keys;     // key, of the current track
    row times;    // float, of all tracks
    row values;   // float, of all tracks
    lmb_track_def *tracks;
    size_t *first_time; // [track]
    size_t *first_value;
    uint32_t track_count;
} baker;

// ---- Growing arrays. ----

static void *add_items(baker *b, row *row, size_t count, size_t size) {
    if (b->result == LMB_OK && row->count + count > row->capacity) {
        const size_t capacity = 2 * row->capacity + count + 16;
        void *items = lmb_host_allocate(&b->host, capacity, size);
        if (items == NULL) {
            b->result = lmb_fail(b->error, LMB_ERROR_MEMORY, "make additive: no memory for its keys");
            return NULL;
        }
        if (row->count > 0) {
            memcpy(items, row->items, row->count * size);
        }
        lmb_host_release(&b->host, row->items);
        row->items = items;
        row->capacity = capacity;
    }
    if (b->result != LMB_OK) {
        return NULL;
    }
    row->count += count;
    return (char *)row->items + (row->count - count) * size;
}

// ---- Evaluation of the operation. ----

static float source_duration(const baker *b) {
    return lmb_clip_get_info(b->source)->duration;
}

// Converts a time in the source to the time of the same phase in the reference; time_in_source() converts back.
static float reference_time(const baker *b, float time) {
    const float whole = source_duration(b);
    if (b->def->clip == NULL || whole == 0.0f) {
        return 0.0f;
    }
    const float own = lmb_clip_get_info(b->def->clip)->duration;
    const float phased = (float)((double)time / (double)whole * (double)own);
    return phased > own ? own : snap(phased);
}

static float time_in_source(const baker *b, float phased) {
    const float whole = source_duration(b), own = lmb_clip_get_info(b->def->clip)->duration;
    const float time = own == 0.0f ? 0.0f : (float)((double)phased / (double)own * (double)whole);
    return time > whole ? whole : snap(time);
}

static transform sample_source(const baker *b, uint32_t joint, float time) {
    return lmb_to_op_transform(lmb_clip_sample(b->source, b->rig, joint, time));
}

static transform sample_reference(const baker *b, uint32_t joint, float time) {
    if (b->def->pose != NULL) {
        return lmb_to_op_transform(lmb_snap_transform(&b->def->pose[joint]));
    }
    const lmb_clip *clip = b->def->clip != NULL ? b->def->clip : b->source;
    return lmb_to_op_transform(lmb_clip_sample(clip, b->rig, joint, b->def->clip != NULL ? time : 0.0f));
}

// Computes both rotations in model space, from the joint upwards as the operation does.
static void find_model_rotations(const baker *b, uint32_t joint, const instant *at, quaternion *a, quaternion *r) {
    for (uint32_t above = b->rig->def.joints[joint].parent; above != LMB_NONE;
         above = b->rig->def.joints[above].parent) {
        *a = quaternion_polish(quaternion_multiply(sample_source(b, above, at->source[1]).q, *a));
        *r = quaternion_polish(quaternion_multiply(sample_reference(b, above, at->reference[1]).q, *r));
    }
}

static void fail_shear(baker *b, uint32_t joint, float time) {
    if (b->result == LMB_OK) {
        b->result = lmb_fail(b->error, LMB_ERROR_ARGUMENT,
                             "make additive '%s': joint '%s' at %g s: as matrices the difference shears",
                             lmb_clip_get_info(b->source)->name, b->rig->def.joints[joint].name, (double)time);
    }
}

static transform find_additive(baker *b, uint32_t joint, const instant *at) {
    transform a = sample_source(b, joint, at->source[1]);
    transform r = sample_reference(b, joint, at->reference[1]);
    if (b->def->space == LMB_SPACE_MODEL) {
        find_model_rotations(b, joint, at, &a.q, &r.q);
        return subtract_transforms(a, r);
    }
    if (b->def->form == LMB_FORM_AFFINE) {
        const decomposed quotient = decompose_quotient(a, r);
        if (quotient.shears) {
            fail_shear(b, joint, at->time);
        }
        return quotient.whole;
    }
    transform difference = subtract_transforms(a, r);
    if (b->def->form == LMB_FORM_LOCAL) {
        difference.q = quaternion_polish(quaternion_multiply(quaternion_conjugate(r.q), a.q));
    }
    return difference;
}

static key find_key_of(baker *b, uint32_t property, uint32_t joint, const instant *at) {
    const lmb_transform found = lmb_from_op_transform(find_additive(b, joint, at));
    key key = {.time = at->time};
    if (property == PROPERTY_ROTATION) {
        memcpy(key.value, found.rotation, sizeof found.rotation);
    } else {
        memcpy(key.value, property == PROPERTY_TRANSLATION ? found.translation : found.scale, sizeof found.scale);
    }
    return key;
}

// ---- Instants. ----

static void add_instants(baker *b, const lmb_clip *clip, uint32_t property, uint32_t joint) {
    const track t = load_track(clip->words, 0, property, joint);
    if (t.mode == MODE_REST || t.keys <= 1) {
        return;
    }
    const bool is_source = clip == b->source;
    b->slides = b->slides || t.mode != MODE_STEP;
    for (uint32_t i = 0; i < t.keys; i++) {
        const float given = REAL(clip->words[t.times + i]);
        const float time = is_source ? given : time_in_source(b, given);
        const float other = is_source ? reference_time(b, given) : given;
        instant *at = add_items(b, &b->instants, 1, sizeof *at);
        if (at == NULL) {
            return;
        }
        *at = (instant){time, {time, time}, {other, other}, t.mode == MODE_STEP && i > 0};
    }
}

// Adds the instants of source and reference. The reference's count only if it is another clip, whose phase advances.
static void add_both(baker *b, uint32_t property, uint32_t joint) {
    add_instants(b, b->source, property, joint);
    if (b->def->clip != NULL && b->def->clip != b->source && source_duration(b) > 0.0f) {
        add_instants(b, b->def->clip, property, joint);
    }
}

static int compare_instants(const void *a, const void *b) {
    const float x = ((const instant *)a)->time, y = ((const instant *)b)->time;
    return x < y ? -1 : x > y ? 1 : 0;
}

static void merge_instants(baker *b) {
    const float same = SAME_TIME * source_duration(b);
    instant *all = b->instants.items;
    size_t kept = 0;
    for (size_t i = 0; i < b->instants.count; i++) {
        if (kept == 0 || all[i].time - all[kept - 1].time > same) {
            all[kept++] = all[i];
            continue;
        }
        instant *into = &all[kept - 1];
        into->source[0] = fminf(into->source[0], all[i].source[0]);
        into->source[1] = fmaxf(into->source[1], all[i].source[1]);
        into->reference[0] = fminf(into->reference[0], all[i].reference[0]);
        into->reference[1] = fmaxf(into->reference[1], all[i].reference[1]);
        into->steps = into->steps || all[i].steps;
    }
    b->instants.count = kept;
}

// Finds the instants of a track, in order; there is at least one.
static void find_instants(baker *b, uint32_t property, uint32_t joint) {
    b->instants.count = 0;
    b->slides = false;
    if (b->def->space == LMB_SPACE_MODEL && property == PROPERTY_ROTATION) {
        for (uint32_t above = joint; above != LMB_NONE; above = b->rig->def.joints[above].parent) {
            add_both(b, property, above);
        }
    } else if (b->def->form == LMB_FORM_AFFINE) {
        for (uint32_t each = 0; each < PROPERTIES; each++) {
            add_both(b, each, joint);
        }
    } else {
        add_both(b, property, joint);
    }
    if (b->instants.count == 0) {
        instant *first = add_items(b, &b->instants, 1, sizeof *first);
        if (first != NULL) {
            *first = (instant){.time = 0.0f};
        }
    }
    if (b->result == LMB_OK) {
        qsort(b->instants.items, b->instants.count, sizeof(instant), compare_instants);
        merge_instants(b);
    }
}

// ---- Tracks. ----

static bool strays(const baker *b, uint32_t property, const key *from, const key *to, float fraction,
                   const key *found) {
    float between[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    if (property == PROPERTY_ROTATION) {
        const quaternion q =
            quaternion_slerp(make_quaternion(from->value[0], from->value[1], from->value[2], from->value[3]),
                             make_quaternion(to->value[0], to->value[1], to->value[2], to->value[3]), fraction);
        memcpy(between, &q, sizeof q);
    } else {
        for (int i = 0; i < 3; i++) {
            between[i] = lerp(from->value[i], to->value[i], fraction);
        }
    }
    double dot = 1.0;
    if (property == PROPERTY_ROTATION) {
        dot = 0.0;
        for (int i = 0; i < 4; i++) {
            dot += (double)between[i] * (double)found->value[i];
        }
    }
    for (int i = 0; i < (property == PROPERTY_ROTATION ? 4 : 3); i++) {
        const double value = (dot < 0.0 ? -1.0 : 1.0) * (double)found->value[i];
        const double unit = property == PROPERTY_ROTATION ? 1.0 : fmax(1.0, fabs(value));
        // The tolerance is smaller than the bound, because values between the tested quarters may deviate slightly
        // more.
        if (fabs((double)between[i] - value) > 0.75 * b->bound * unit) {
            return true;
        }
    }
    return false;
}

static instant instant_between(const baker *b, const key *from, const key *to, float fraction) {
    const float time = snap(from->time + (to->time - from->time) * fraction);
    const float other = reference_time(b, time);
    return (instant){time, {time, time}, {other, other}, false};
}

static void add_key(baker *b, const key *added) {
    key *at = add_items(b, &b->keys, 1, sizeof *at);
    if (at != NULL) {
        *at = *added;
    }
}

// Adds the keys after `from` up to and including `to`.
static void add_between(baker *b, uint32_t property, uint32_t joint, const key *from, const key *to, int halvings) {
    bool halves = false;
    key middle = *to;
    for (int quarter = 1; quarter <= 3 && halvings < MOST_HALVINGS; quarter++) {
        const instant at = instant_between(b, from, to, 0.25f * (float)quarter);
        if (!(at.time > from->time && at.time < to->time) || b->result != LMB_OK) {
            halves = false;
            break;
        }
        const key found = find_key_of(b, property, joint, &at);
        const float fraction = (at.time - from->time) / (to->time - from->time);
        halves = halves || strays(b, property, from, to, fraction, &found);
        middle = quarter == 2 ? found : middle;
    }
    if (halves) {
        add_between(b, property, joint, from, &middle, halvings + 1);
        add_between(b, property, joint, &middle, to, halvings + 1);
    } else {
        add_key(b, to);
    }
}

// Returns the last float time before a step, in the result, the source and the reference.
static instant instant_before(const instant *at) {
    const float source = nextafterf(at->source[0], 0.0f), reference = nextafterf(at->reference[0], 0.0f);
    return (instant){nextafterf(at->time, 0.0f), {source, source}, {reference, reference}, false};
}

static void find_keys(baker *b, uint32_t property, uint32_t joint, bool steps) {
    const instant *all = b->instants.items;
    b->keys.count = 0;
    key last = find_key_of(b, property, joint, &all[0]);
    add_key(b, &last);
    for (size_t i = 1; i < b->instants.count && b->result == LMB_OK; i++) {
        const key next = find_key_of(b, property, joint, &all[i]);
        if (steps) {
            add_key(b, &next);
        } else if (all[i].steps && all[i].time > 0x1p-30f) {
            const instant before = instant_before(&all[i]);
            const key until = find_key_of(b, property, joint, &before);
            add_between(b, property, joint, &last, &until, 0);
            add_key(b, &next);
        } else {
            add_between(b, property, joint, &last, &next, 0);
        }
        last = next;
    }
}

// Gives each rotation the sign that is nearer to the key before it, and reduces a constant track to one key.
static void settle_keys(baker *b, uint32_t property) {
    key *all = b->keys.items;
    bool still = true;
    for (size_t i = 1; i < b->keys.count; i++) {
        double dot = 0.0;
        for (int k = 0; k < 4; k++) {
            dot += (double)all[i].value[k] * (double)all[i - 1].value[k];
        }
        for (int k = 0; k < 4 && property == PROPERTY_ROTATION && dot < 0.0; k++) {
            all[i].value[k] = -all[i].value[k];
        }
        still = still && memcmp(all[i].value, all[0].value, sizeof all[0].value) == 0;
    }
    b->keys.count = still ? 1 : b->keys.count;
}

static void bake_track(baker *b, uint32_t property, uint32_t joint) {
    find_instants(b, property, joint);
    if (b->result != LMB_OK) {
        return;
    }
    const bool steps = !b->slides;
    find_keys(b, property, joint, steps);
    if (b->result != LMB_OK) {
        return;
    }
    settle_keys(b, property);
    const uint32_t width = lmb_property_width((lmb_property)property);
    const size_t count = b->keys.count;
    const key *keys = b->keys.items;
    float *times = add_items(b, &b->times, count, sizeof *times);
    float *values = add_items(b, &b->values, count * width, sizeof *values);
    if (times == NULL || values == NULL) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        times[i] = keys[i].time;
        memcpy(values + i * width, keys[i].value, width * sizeof *values);
    }
    b->first_time[b->track_count] = b->times.count - count;
    b->first_value[b->track_count] = b->values.count - count * width;
    b->tracks[b->track_count++] =
        (lmb_track_def){.joint = joint,
                        .property = (lmb_property)property,
                        .interpolation = steps ? LMB_INTERPOLATION_STEP : LMB_INTERPOLATION_LINEAR,
                        .key_count = (uint32_t)count};
}

// To bake float channels as well, extend this after the joints' properties.
static LMB_NOINLINE void bake_tracks(baker *b) {
    for (uint32_t property = 0; property < PROPERTIES; property++) {
        for (uint32_t joint = 0; joint < b->rig->def.joint_count && b->result == LMB_OK; joint++) {
            bake_track(b, property, joint);
        }
    }
}

static void build(baker *b, lmb_clip **clip) {
    for (uint32_t i = 0; i < b->track_count; i++) {
        b->tracks[i].times = (const float *)b->times.items + b->first_time[i];
        b->tracks[i].values = (const float *)b->values.items + b->first_value[i];
    }
    const uint32_t weights = b->source->words[FIELD(CLIP, weights)];
    const lmb_clip_def def = {.name = b->def->name != NULL ? b->def->name : lmb_clip_get_info(b->source)->name,
                              .duration = source_duration(b),
                              .tracks = b->tracks,
                              .track_count = b->track_count,
                              .joint_weights = weights != 0 ? (const uint8_t *)(b->source->words + weights) : NULL,
                              .additive = true};
    b->result = lmb_clip_create(b->rig, &def, &b->host, clip, b->error);
}

static bool pose_is_usable(const lmb_transform *pose, uint32_t joints, uint32_t *offender) {
    for (*offender = 0; *offender < joints; ++*offender) {
        float values[sizeof(lmb_transform) / sizeof(float)], unit[4];
        size_t at;
        memcpy(values, &pose[*offender], sizeof values);
        if (!lmb_usable(values, sizeof values / sizeof *values, &at) ||
            !lmb_normalize_rotation(pose[*offender].rotation, unit)) {
            return false;
        }
    }
    return true;
}

static lmb_result check_arguments(const lmb_rig *rig, const lmb_clip *source, const lmb_clip_additive_def *def,
                                  lmb_clip *const *clip, lmb_error *error) {
    const char *fault =
        rig == NULL                                                      ? "the rig is NULL"
        : source == NULL                                                 ? "the source is NULL"
        : def == NULL                                                    ? "the descriptor is NULL"
        : clip == NULL                                                   ? "the result is NULL"
        : lmb_clip_get_info(source)->joint_count != rig->def.joint_count ? "the source is a clip of another rig"
        : def->clip != NULL && lmb_clip_get_info(def->clip)->joint_count != rig->def.joint_count
            ? "the reference is a clip of another rig"
        : def->clip != NULL && def->pose != NULL ? "both a pose and a clip are given as the reference"
        : (unsigned)def->form >= LMB_FORM_COUNT || (unsigned)def->space >= LMB_SPACE_COUNT ? "unknown form or space"
        : def->form == LMB_FORM_AFFINE && def->space == LMB_SPACE_MODEL ? "the affine form has no model space"
        : !(def->error >= 0.0f && def->error <= LMB_LARGEST)            ? "the error is not a number from 0 to 2^40"
                                                                        : NULL;
    if (fault != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "make additive: %s", fault);
    }
    uint32_t joint;
    if (def->pose != NULL && !pose_is_usable(def->pose, rig->def.joint_count, &joint)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT,
                        "make additive: the reference pose of joint '%s' is not of finite numbers up to 2^40, or its "
                        "rotation is zero",
                        rig->def.joints[joint].name);
    }
    return LMB_OK;
}

lmb_clip_additive_def lmb_default_clip_additive_def(void) {
    return (lmb_clip_additive_def){0};
}

lmb_result lmb_clip_make_additive(const lmb_rig *rig, const lmb_clip *source, const lmb_clip_additive_def *def,
                                  const lmb_host *host, lmb_clip **clip, lmb_error *error) {
    if (clip != NULL) {
        *clip = NULL;
    }
    const lmb_result checked = check_arguments(rig, source, def, clip, error);
    if (checked != LMB_OK) {
        return checked;
    }
    baker b = {.rig = rig, .source = source, .def = def, .host = lmb_host_resolve(host), .error = error};
    b.bound = def->error > 0.0f ? (double)def->error : USUAL_ERROR;
    const size_t tracks = (size_t)PROPERTIES * rig->def.joint_count;
    lmb_arena memory = {.host = &b.host};
    b.tracks = lmb_arena_allocate(&memory, tracks, sizeof *b.tracks);
    b.first_time = lmb_arena_allocate(&memory, tracks, sizeof *b.first_time);
    b.first_value = lmb_arena_allocate(&memory, tracks, sizeof *b.first_value);
    if (memory.failed) {
        b.result = lmb_fail(error, LMB_ERROR_MEMORY, "make additive: no memory for %zu tracks", tracks);
    } else {
        lmb_environment callers;
        lmb_environment_enter(&callers);
        bake_tracks(&b);
        lmb_environment_leave(&callers);
    }
    if (b.result == LMB_OK) {
        build(&b, clip);
    }
    const row *rows[] = {&b.instants, &b.keys, &b.times, &b.values};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lmb_host_release(&b.host, rows[i]->items);
    }
    lmb_arena_release(&memory);
    return b.result;
}
