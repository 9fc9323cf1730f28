// Builds clips from the animation stacks of an FBX file.
//
// FBX animates Euler angles, pivots and offsets by curves with tangents, in layers; a clip has translations,
// quaternions and scales. Each of these is a function of time that ufbx evaluates. A track has a key at each key time
// of the curves that it depends on. Between two keys, the line (for rotations the arc) between them is compared with
// the function at three points. If one of them is farther than a bound, a key in the middle is added, and both halves
// are checked again. Where the function jumps, the last value before the jump is a key just before the one that has the
// new value.
#include "fbx.h"

#include "math/quaternion.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Max distance of a track from the function between keys, at the points that are checked: by how much this moves a
// point that hangs on the joint, in parts of the longest chain of joints.
#define BOUND 2e-5
// Chains shorter than this, in parts of the longest one, count as if they were as long: meshes reach beyond joints.
#define SHORTEST_CHAIN 0.1
// Max distance of a weight.
#define WEIGHT_BOUND 1e-4
// Keys are not added at less than this distance, in seconds.
#define SHORTEST_SPAN (1.0 / 8192)
// An arc between two keys is unique below 180 degrees, so that no span turns about an axis by more than this.
#define LARGEST_TURN 170.0
#define MOST_PIECES 4096.0
// How far just before or just after a time is, in seconds, and in parts of the time: beyond the rounding of key times.
#define MOMENT 1e-9
#define RELATIVE_MOMENT 1e-13
// A transform that an animation only repeats differs from the rest pose by rounding errors.
#define SAME_AS_REST 1e-4
// A track that differs less from the rest pose is left out.
#define EQUAL_TO_REST 1e-6
// Decoding budget that each evaluation of a function uses.
#define EVALUATION_BYTES ((size_t)32)
// Repetitions of a curve beyond its ends that get keys of their own.
#define MOST_REPETITIONS 1024

// The lengths of chains of joints in the rest pose, in metres.
typedef struct chains {
    double *below; // each node: the longest one from it to a descendant
    double *unit;  // each node: of its local translation, in metres
    double longest;
} chains;

typedef struct animation {
    lmb_fbx *fbx;
    const chains *chains;
    const ufbx_anim_stack *stack;
    const char *name;
    uint32_t index;
    double begin, end; // of the stack's time
    lmb_pool pool;
    double *layer_times; // of curves that weigh layers
    uint32_t layer_time_count;
    lmb_track_def *tracks;
    uint32_t track_count;
    bool *animated; // [node][property]
    lmb_name_list unmatched;
    bool has_keys;
    bool has_motion; // a track differs from the rest pose
} animation;

// A function of time, and the keys of its track.
typedef struct key {
    float time; // of the clip
    float value[4];
} key;

typedef struct sample {
    double time; // of the stack
    double value[4];
} sample;

typedef struct function {
    animation *animation;
    lmb_property property;
    const ufbx_node *node;             // or
    const ufbx_blend_channel *channel; // with
    size_t shape;
    const char *number;      // of the node, or NULL
    const ufbx_node *scales; // with a child that has its scale, and which counts: so do those it inherits from; or NULL
    bool has_pivot;
    size_t cost;  // of an evaluation
    double bound; // lengths, radians, or parts of a scale or a weight
    double size;  // of values beyond which the bound is relative to their size
    int width;
    bool is_animated; // curves of this stack decide it
    double *times;
    uint32_t time_count;
    key *keys;
    uint32_t key_count;
    double last[4]; // the rotation of the last key, near which the next one is chosen
    bool has_line;  // it changes between keys
    bool jumps;
    bool jumps_after; // at a key, to the value that follows it
} function;

// ---- Functions ----

static const char *const property_names[] = {[LMB_PROPERTY_TRANSLATION] = "translation",
                                             [LMB_PROPERTY_ROTATION] = "rotation",
                                             [LMB_PROPERTY_SCALE] = "scale",
                                             [LMB_PROPERTY_FLOAT] = "weight"};

// What an evaluation takes: each layer, each shape of a channel, and each ancestor whose scale counts.
static size_t cost_of(const function *f) {
    size_t cost = f->animation->stack->layers.count + 1;
    cost += f->channel != NULL ? f->channel->keyframes.count : 0;
    for (const ufbx_node *node = f->scales; node != NULL && node->scale_helper != NULL;
         node = node->inherit_scale_node) {
        cost++;
    }
    return cost * EVALUATION_BYTES;
}

static void evaluate_transform(const function *f, double time, double *value) {
    static const uint32_t parts[] = {UFBX_TRANSFORM_FLAG_INCLUDE_TRANSLATION, UFBX_TRANSFORM_FLAG_INCLUDE_ROTATION,
                                     UFBX_TRANSFORM_FLAG_INCLUDE_SCALE};
    const uint32_t flags = UFBX_TRANSFORM_FLAG_EXPLICIT_INCLUDES | parts[f->property];
    const ufbx_transform transform = ufbx_evaluate_transform_flags(f->animation->stack->anim, f->node, time, flags);
    const double *from = f->property == LMB_PROPERTY_ROTATION ? transform.rotation.v
                         : f->property == LMB_PROPERTY_SCALE  ? transform.scale.v
                                                              : transform.translation.v;
    memcpy(value, from, (size_t)f->width * sizeof *from);
    if (f->property == LMB_PROPERTY_ROTATION) {
        lmb_quaternion_normalize(value);
    }
}

// Evaluates the function at a time. Fails if a value is not finite.
static bool evaluate(function *f, double time, sample *sample) {
    const animation *animation = f->animation;
    *sample = (struct sample){.time = time};
    if (!lmb_importer_decode(animation->fbx->tables.importer, f->cost)) {
        return false;
    }
    if (f->channel != NULL) {
        const double weight = ufbx_evaluate_blend_weight(animation->stack->anim, f->channel, time);
        sample->value[0] = lmb_fbx_shape_weight(f->channel, f->shape, weight);
    } else if (f->number != NULL) {
        sample->value[0] = ufbx_evaluate_prop(animation->stack->anim, &f->node->element, f->number, time).value_real;
    } else {
        evaluate_transform(f, time, sample->value);
    }
    bool is_finite = true;
    for (int i = 0; i < f->width; i++) {
        is_finite = is_finite && fabs(sample->value[i]) <= (double)LMB_LARGEST;
    }
    return is_finite || lmb_importer_fail(animation->fbx->tables.importer, LMB_ERROR_FORMAT,
                                          "animation '%.100s': the %s of '%.100s' is no number below 2^40 at %g s",
                                          animation->name, f->number != NULL ? f->number : property_names[f->property],
                                          f->node != NULL ? f->node->name.data : f->channel->name.data, time);
}

static double dot(const double *a, const double *b, int width) {
    double sum = 0.0;
    for (int i = 0; i < width; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// The distance of two values, relative to the bound: for rotations the angle between them, for others relative to their
// own size if that is above the function's.
static double distance(const function *f, const double *a, const double *b) {
    const bool rotates = f->property == LMB_PROPERTY_ROTATION;
    const double sign = rotates && dot(a, b, 4) < 0.0 ? -1.0 : 1.0;
    double difference[4];
    for (int i = 0; i < f->width; i++) {
        difference[i] = a[i] - sign * b[i];
    }
    const double length = sqrt(dot(difference, difference, f->width));
    const double unit = rotates ? 0.5 : fmax(1.0, sqrt(dot(b, b, f->width)) / f->size);
    return length / (unit * f->bound);
}

static bool is_close(const function *f, const sample *a, const sample *b) {
    return distance(f, a->value, b->value) <= 1.0;
}

// The value of the track between two keys.
static void interpolate(const function *f, const sample *a, const sample *b, double part, double *value) {
    double weights[2] = {1.0 - part, part};
    if (f->property == LMB_PROPERTY_ROTATION) {
        lmb_slerp_weights(dot(a->value, b->value, 4), part, weights);
    }
    for (int i = 0; i < f->width; i++) {
        value[i] = weights[0] * a->value[i] + weights[1] * b->value[i];
    }
}

// ---- Keys ----

// Adds a key, unless the time is not after the last key's. Rotations keep the sign that is nearer to the last one.
static bool add_key(function *f, float time, const sample *sample) {
    lmb_importer *importer = f->animation->fbx->tables.importer;
    const bool rotates = f->property == LMB_PROPERTY_ROTATION;
    const double sign = rotates && f->key_count > 0 && dot(f->last, sample->value, 4) < 0.0 ? -1.0 : 1.0;
    key key = {.time = time};
    if (f->key_count > 0 && !(time > f->keys[f->key_count - 1].time)) {
        return true;
    }
    for (int i = 0; i < f->width; i++) {
        f->last[i] = sign * sample->value[i];
        key.value[i] = (float)f->last[i];
    }
    return lmb_importer_append(importer, &f->animation->pool, &f->keys, &f->key_count, &key, sizeof key);
}

static float clip_time(const function *f, double time) {
    return (float)(time - f->animation->begin);
}

static bool add_key_at(function *f, const sample *sample) {
    return add_key(f, clip_time(f, sample->time), sample);
}

// Adds keys between two samples. Recurses no deeper than the length of a stack can be halved.
static bool refine(function *f, const sample *a, const sample *b) {
    // The error of a parabola is largest in the middle, that of a cubic on both sides of it.
    static const double parts[] = {0.2113, 0.5, 0.7887};
    const double span = b->time - a->time;
    sample at[3];
    bool close = true;
    for (int i = 0; i < 3; i++) {
        double expected[4];
        if (!evaluate(f, a->time + parts[i] * span, &at[i])) {
            return false;
        }
        interpolate(f, a, b, parts[i], expected);
        close = close && distance(f, expected, at[i].value) <= 1.0;
    }
    if (close || span < 2.0 * SHORTEST_SPAN) {
        return true;
    }
    return refine(f, a, &at[1]) && add_key_at(f, &at[1]) && refine(f, &at[1], b);
}

// In how many pieces a span is checked, so that none turns by half a circle or more.
static double count_pieces(const function *f, double from, double to) {
    if (f->property != LMB_PROPERTY_ROTATION) {
        return 1.0;
    }
    const ufbx_anim *anim = f->animation->stack->anim;
    const ufbx_vec3 a = ufbx_evaluate_prop(anim, &f->node->element, UFBX_Lcl_Rotation, from).value_vec3;
    const ufbx_vec3 b = ufbx_evaluate_prop(anim, &f->node->element, UFBX_Lcl_Rotation, to).value_vec3;
    double most = 0.0;
    for (int i = 0; i < 3; i++) {
        most = fmax(most, fabs(b.v[i] - a.v[i]));
    }
    return fmax(fmin(ceil(most / LARGEST_TURN), MOST_PIECES), 1.0);
}

static bool refine_pieces(function *f, const sample *a, const sample *b) {
    const double pieces = count_pieces(f, a->time, b->time);
    sample from = *a;
    bool success = true;
    for (double i = 1.0; success && i <= pieces; i++) {
        sample to = *b;
        success = (i == pieces || evaluate(f, a->time + (b->time - a->time) * (i / pieces), &to)) &&
                  refine(f, &from, &to) && (i == pieces || add_key_at(f, &to));
        from = to;
    }
    return success;
}

// Adds the keys between the last key time and this one, to which the function comes with `arriving`.
static bool add_keys_before(function *f, const sample *after, const sample *arriving, const sample *at) {
    const uint32_t before = f->key_count;
    const bool jumps = !is_close(f, arriving, at);
    sample last = jumps ? *arriving : *at;
    last.time = at->time;
    if (!refine_pieces(f, after, &last)) {
        return false;
    }
    f->jumps = f->jumps || jumps;
    f->has_line = f->has_line || f->key_count > before || !is_close(f, after, &last);
    return !jumps || add_key(f, nextafterf(clip_time(f, at->time), -INFINITY), arriving);
}

// Adds the keys of a key time, and those between it and the one before. `after` is the value just after the last one.
static bool add_keys_to(function *f, sample *after, double time) {
    const double moment = fmax(MOMENT, fabs(time) * RELATIVE_MOMENT);
    sample arriving, at, leaving;
    if (!evaluate(f, time - moment, &arriving) || !evaluate(f, time, &at) || !evaluate(f, time + moment, &leaving) ||
        (f->key_count > 0 && !add_keys_before(f, after, &arriving, &at)) || !add_key_at(f, &at)) {
        return false;
    }
    *after = at;
    if (time < f->animation->end && !is_close(f, &at, &leaving)) {
        f->jumps_after = true;
        *after = leaving;
        after->time = time;
        return add_key(f, nextafterf(clip_time(f, time), INFINITY), &leaving);
    }
    return true;
}

// ---- Key times ----

static bool add_time(animation *animation, double **times, uint32_t *count, double time) {
    const bool is_inside = time >= animation->begin && time <= animation->end;
    return !is_inside ||
           lmb_importer_append(animation->fbx->tables.importer, &animation->pool, times, count, &time, sizeof time);
}

// Adds the key times of a curve that is repeated beyond its last key, or before its first one.
static bool add_repetitions(animation *animation, const ufbx_anim_curve *curve, bool after, double **times,
                            uint32_t *count) {
    const ufbx_extrapolation extrapolation = after ? curve->post_extrapolation : curve->pre_extrapolation;
    const double length = curve->max_time - curve->min_time;
    const bool mirrors = extrapolation.mode == UFBX_EXTRAPOLATION_MIRROR;
    const bool repeats = mirrors || extrapolation.mode == UFBX_EXTRAPOLATION_REPEAT ||
                         extrapolation.mode == UFBX_EXTRAPOLATION_REPEAT_RELATIVE;
    const double room = after ? animation->end - curve->max_time : curve->min_time - animation->begin;
    const double asked = extrapolation.repeat_count < 0 ? MOST_REPETITIONS : extrapolation.repeat_count;
    const double repetitions =
        repeats && length > 0.0 ? fmax(fmin(fmin(asked, MOST_REPETITIONS), ceil(room / length)), 0.0) : 0.0;
    bool success = lmb_importer_decode(animation->fbx->tables.importer,
                                       (size_t)repetitions * curve->keyframes.count * sizeof(double));
    for (double i = 1.0; success && i <= repetitions; i++) {
        const bool is_turned = mirrors && fmod(i, 2.0) == 1.0;
        const double shift = (after ? i : -i) * length;
        for (size_t k = 0; success && k < curve->keyframes.count; k++) {
            const double time = curve->keyframes.data[k].time;
            const double within = is_turned ? curve->min_time + curve->max_time - time : time;
            success = add_time(animation, times, count, within + shift);
        }
    }
    return success;
}

static bool add_curve_times(animation *animation, const ufbx_anim_value *value, double **times, uint32_t *count) {
    bool success = true;
    for (int axis = 0; success && axis < 3; axis++) {
        const ufbx_anim_curve *curve = value->curves[axis];
        for (size_t k = 0; success && curve != NULL && k < curve->keyframes.count; k++) {
            success = add_time(animation, times, count, curve->keyframes.data[k].time);
        }
        success = success && (curve == NULL || curve->keyframes.count == 0 ||
                              (add_repetitions(animation, curve, false, times, count) &&
                               add_repetitions(animation, curve, true, times, count)));
    }
    return success;
}

// Whether a property of a node changes a part of its transform. Pivots and offsets make translations of rotations and
// scales, so that every property counts there if a node has one.
static bool concerns(const function *f, const char *name) {
    if (f->number != NULL || (f->node != NULL && lmb_fbx_is_added(f->node, name))) {
        return f->number != NULL && strcmp(name, f->number) == 0;
    }
    const bool is_translation = strcmp(name, UFBX_Lcl_Translation) == 0;
    const bool is_rotation = strcmp(name, UFBX_Lcl_Rotation) == 0;
    const bool is_scale = strcmp(name, UFBX_Lcl_Scaling) == 0;
    switch (f->property) {
    case LMB_PROPERTY_TRANSLATION:
        return f->has_pivot || (!is_rotation && !is_scale);
    case LMB_PROPERTY_ROTATION:
        return !is_translation && !is_scale;
    case LMB_PROPERTY_SCALE:
        return is_scale;
    default:
        return strcmp(name, UFBX_DeformPercent) == 0;
    }
}

static bool is_geometry(const char *name) {
    return strncmp(name, "Geometric", 9) == 0 || strcmp(name, UFBX_Visibility) == 0;
}

static bool has_pivot(const ufbx_node *node) {
    static const char *const names[] = {UFBX_RotationPivot, UFBX_ScalingPivot, UFBX_RotationOffset, UFBX_ScalingOffset};
    bool has = false;
    for (int i = 0; i < 4; i++) {
        const ufbx_vec3 value = ufbx_find_vec3(&node->props, names[i], ufbx_zero_vec3);
        has = has || value.x != 0.0 || value.y != 0.0 || value.z != 0.0;
    }
    return has;
}

// Lists the times of the keys of an element's curves, of those that concern the function, in all layers.
static bool list_element(function *f, const ufbx_element *element, bool scales_alone) {
    animation *animation = f->animation;
    bool success = true;
    for (size_t i = 0; success && i < animation->stack->layers.count; i++) {
        const ufbx_anim_prop_list props = ufbx_find_anim_props(animation->stack->layers.data[i], element);
        for (size_t k = 0; success && k < props.count; k++) {
            const char *name = props.data[k].prop_name.data;
            const bool counts = scales_alone ? strcmp(name, UFBX_Lcl_Scaling) == 0 : concerns(f, name);
            if (counts && !is_geometry(name)) {
                f->is_animated = true;
                success = add_curve_times(animation, props.data[k].anim_value, &f->times, &f->time_count);
            }
        }
    }
    return success;
}

// Lists the times at which the track has keys in any case. Finds out whether the function changes at all.
static bool list_times(function *f, const ufbx_element *element) {
    animation *animation = f->animation;
    f->cost = cost_of(f);
    bool success = lmb_importer_decode(animation->fbx->tables.importer, f->cost) && list_element(f, element, false);
    for (const ufbx_node *node = f->scales; success && node != NULL && node->scale_helper != NULL;
         node = node->inherit_scale_node) {
        success = list_element(f, &node->scale_helper->element, true);
    }
    for (uint32_t i = 0; success && f->is_animated && i < animation->layer_time_count; i++) {
        success = add_time(animation, &f->times, &f->time_count, animation->layer_times[i]);
    }
    return success && (!f->is_animated || (add_time(animation, &f->times, &f->time_count, animation->begin) &&
                                           add_time(animation, &f->times, &f->time_count, animation->end)));
}

static int compare_times(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// ---- Tracks ----

static bool is_constant(const function *f) {
    bool same = true;
    for (uint32_t i = 1; same && i < f->key_count; i++) {
        double values[2][4];
        for (int k = 0; k < f->width; k++) {
            values[0][k] = f->keys[0].value[k];
            values[1][k] = f->keys[i].value[k];
        }
        same = distance(f, values[1], values[0]) <= 1.0;
    }
    return same;
}

// Before its first and after its last key, a track has their values; keys that only repeat them are left out.
static void trim(function *f) {
    const size_t size = (size_t)f->width * sizeof(float);
    while (f->key_count > 1 && memcmp(f->keys[f->key_count - 1].value, f->keys[f->key_count - 2].value, size) == 0) {
        f->key_count--;
    }
    uint32_t first = 0;
    while (first + 1 < f->key_count && memcmp(f->keys[first].value, f->keys[first + 1].value, size) == 0) {
        first++;
    }
    f->keys += first;
    f->key_count -= first;
}

// Leaves out the keys just before those at which the function jumps.
static void make_steps(function *f) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->key_count; i++) {
        if (i + 1 == f->key_count || nextafterf(f->keys[i].time, INFINITY) < f->keys[i + 1].time) {
            f->keys[count++] = f->keys[i];
        }
    }
    f->key_count = count;
}

static bool add_track(function *f, uint32_t joint) {
    animation *animation = f->animation;
    lmb_importer *importer = animation->fbx->tables.importer;
    const bool is_stepped = f->jumps && !f->jumps_after && !f->has_line;
    if (is_constant(f)) {
        f->key_count = 1;
        f->keys[0].time = 0.0f;
    } else if (is_stepped) {
        make_steps(f);
    } else {
        trim(f);
    }
    float *times = lmb_importer_allocate(importer, &animation->pool, f->key_count, sizeof *times);
    float *values = lmb_importer_allocate(importer, &animation->pool, f->key_count, (size_t)f->width * sizeof *values);
    for (uint32_t i = 0; times != NULL && values != NULL && i < f->key_count; i++) {
        times[i] = f->keys[i].time;
        memcpy(values + i * (size_t)f->width, f->keys[i].value, (size_t)f->width * sizeof *values);
    }
    const lmb_track_def track = {.joint = joint,
                                 .property = f->property,
                                 .interpolation = is_stepped ? LMB_INTERPOLATION_STEP : LMB_INTERPOLATION_LINEAR,
                                 .key_count = f->key_count,
                                 .times = times,
                                 .values = values};
    return times != NULL && values != NULL &&
           lmb_importer_append(importer, &animation->pool, &animation->tracks, &animation->track_count, &track,
                               sizeof track);
}

// Whether a track only repeats the rest pose, by rounding errors or beyond them.
static bool differs_from_rest(const function *f, const lmb_track_def *track, double tolerance) {
    const lmb_rig *rig = f->animation->fbx->tables.importer->import->rig;
    if (f->property != LMB_PROPERTY_FLOAT) {
        return lmb_gltf_leaves_rest(rig, track, tolerance);
    }
    bool differs = false;
    for (uint32_t i = 0; !differs && i < track->key_count; i++) {
        differs =
            !(fabs((double)track->values[i] - (double)lmb_rig_get_def(rig)->channels[track->joint].rest) <= tolerance);
    }
    return differs;
}

// Builds the track of a function that curves of this stack decide. One that keeps the rest pose is left out.
static bool build_track(function *f, uint32_t joint) {
    animation *animation = f->animation;
    sample after = {0};
    bool success = true;
    qsort(f->times, f->time_count, sizeof *f->times, compare_times);
    for (uint32_t i = 0; success && i < f->time_count; i++) {
        if (i == 0 || f->times[i] > f->times[i - 1]) {
            success = add_keys_to(f, &after, f->times[i]);
        }
    }
    success = success && add_track(f, joint);
    if (!success) {
        return false;
    }
    const lmb_track_def *track = &animation->tracks[animation->track_count - 1];
    animation->has_motion = animation->has_motion || differs_from_rest(f, track, SAME_AS_REST);
    if (!differs_from_rest(f, track, EQUAL_TO_REST)) {
        animation->track_count--;
    }
    lmb_pool_release(&animation->pool, f->times);
    return true;
}

// The node whose scale counts for a part of another node's transform, although that is not its parent's in the rig: a
// translation is within the scale of the parent, and a scale that is inherited by components has those above.
static const ufbx_node *scales_of(const ufbx_node *node, lmb_property property) {
    if (property == LMB_PROPERTY_TRANSLATION && !node->is_scale_helper) {
        return node->parent;
    }
    return property == LMB_PROPERTY_SCALE && node->is_scale_helper ? node->parent->inherit_scale_node : NULL;
}

static void set_bound(function *f, uint32_t node) {
    const chains *chains = f->animation->chains;
    const double below = fmax(chains->below[node], SHORTEST_CHAIN * chains->longest);
    const bool is_length = f->property == LMB_PROPERTY_TRANSLATION;
    f->size = is_length ? chains->longest / chains->unit[node] : 1.0;
    f->bound = BOUND * (is_length ? f->size : chains->longest / below);
}

static bool add_node_tracks(animation *animation, uint32_t index) {
    const lmb_fbx *fbx = animation->fbx;
    const lmb_gltf_node *node = &fbx->tables.nodes[index];
    const ufbx_node *source = fbx->sources[index];
    bool is_animated = false;
    for (int property = LMB_PROPERTY_TRANSLATION; property <= LMB_PROPERTY_SCALE; property++) {
        function f = {.animation = animation,
                      .property = (lmb_property)property,
                      .node = source,
                      .scales = scales_of(source, (lmb_property)property),
                      .has_pivot = has_pivot(source),
                      .width = property == LMB_PROPERTY_ROTATION ? 4 : 3};
        set_bound(&f, index);
        if (!list_times(&f, &source->element)) {
            return false;
        }
        animation->animated[index * 3 + (uint32_t)property] = f.is_animated;
        is_animated = is_animated || f.is_animated;
        if (f.is_animated && node->in_rig && !build_track(&f, node->joint)) {
            return false;
        }
    }
    animation->has_keys = animation->has_keys || is_animated;
    if (is_animated && !node->in_rig && fbx->is_moved[index]) {
        lmb_name_list_add(&animation->unmatched, node->name);
    }
    return true;
}

static bool add_shape_tracks(animation *animation, const ufbx_blend_channel *channel) {
    const lmb_fbx *fbx = animation->fbx;
    for (size_t i = 0; i < channel->keyframes.count; i++) {
        const uint32_t target = fbx->tables.channel_of[fbx->channel_at[channel->typed_id] + i];
        function f = {.animation = animation,
                      .property = LMB_PROPERTY_FLOAT,
                      .channel = channel,
                      .shape = i,
                      .bound = WEIGHT_BOUND,
                      .size = 1.0,
                      .width = 1};
        if (!list_times(&f, &channel->element)) {
            return false;
        }
        animation->has_keys = animation->has_keys || f.is_animated;
        if (f.is_animated && target == LMB_NONE) {
            lmb_name_list_add(&animation->unmatched, channel->name.data);
        } else if (f.is_animated && !build_track(&f, target)) {
            return false;
        }
    }
    return true;
}

static bool add_number_track(animation *animation, const lmb_fbx_number *number) {
    const uint32_t target = animation->fbx->tables.channel_of[number->channel];
    function f = {.animation = animation,
                  .property = LMB_PROPERTY_FLOAT,
                  .node = number->node,
                  .number = number->name,
                  .bound = WEIGHT_BOUND,
                  .size = 1.0,
                  .width = 1};
    if (!list_times(&f, &number->node->element)) {
        return false;
    }
    animation->has_keys = animation->has_keys || f.is_animated;
    if (f.is_animated && target == LMB_NONE) {
        lmb_name_list_add(&animation->unmatched, number->name);
    }
    return !f.is_animated || target == LMB_NONE || build_track(&f, target);
}

// Adds tracks that hold joints at this file's rest pose: in a file that adds clips, it can differ from the rig's.
static bool add_rest_tracks(animation *animation) {
    const lmb_gltf *tables = &animation->fbx->tables;
    bool success = true;
    for (uint32_t i = 0; success && i < tables->rest_count; i++) {
        const lmb_gltf_rest *rest = &tables->rests[i];
        success = animation->animated[rest->node * 3 + (uint32_t)rest->track.property] ||
                  lmb_importer_append(tables->importer, &animation->pool, &animation->tracks, &animation->track_count,
                                      &rest->track, sizeof rest->track);
    }
    return success;
}

// ---- Stacks ----

static void include_curves(const ufbx_anim_layer *layer, double *begin, double *end) {
    for (size_t i = 0; i < layer->anim_props.count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            const ufbx_anim_curve *curve = layer->anim_props.data[i].anim_value->curves[axis];
            if (curve != NULL && curve->keyframes.count > 0) {
                *begin = fmin(*begin, curve->min_time);
                *end = fmax(*end, curve->max_time);
            }
        }
    }
}

// The time from LocalStart to LocalStop. Exporters leave out a start of 0. If the file has no stop, the time of all
// curves.
static void find_span(animation *animation) {
    const ufbx_anim_stack *stack = animation->stack;
    const double second = (double)animation->fbx->scene->metadata.ktime_second;
    animation->begin = (double)ufbx_find_int(&stack->props, "LocalStart", 0) / second;
    animation->end = (double)ufbx_find_int(&stack->props, "LocalStop", 0) / second;
    if (animation->begin < animation->end) {
        return;
    }
    animation->begin = INFINITY;
    animation->end = -INFINITY;
    for (size_t i = 0; i < animation->stack->layers.count; i++) {
        include_curves(animation->stack->layers.data[i], &animation->begin, &animation->end);
    }
    if (!(animation->begin <= animation->end)) {
        animation->begin = animation->end = 0.0;
    }
}

// Lists the key times of the curves that weigh layers.
static bool list_layer_times(animation *animation) {
    const ufbx_anim_layer_list *layers = &animation->stack->layers;
    const size_t pairs = layers->count * layers->count;
    bool success = lmb_importer_decode(animation->fbx->tables.importer, pairs * EVALUATION_BYTES);
    for (size_t i = 0; success && i < pairs; i++) {
        const ufbx_anim_layer *in = layers->data[i / layers->count], *of = layers->data[i % layers->count];
        const ufbx_anim_prop_list props = ufbx_find_anim_props(in, &of->element);
        for (size_t k = 0; success && k < props.count; k++) {
            success = add_curve_times(animation, props.data[k].anim_value, &animation->layer_times,
                                      &animation->layer_time_count);
        }
    }
    return success;
}

static bool create_clip(animation *animation) {
    lmb_importer *importer = animation->fbx->tables.importer;
    if (!animation->has_motion) {
        return lmb_importer_note(importer, "animation '%.200s' %s: left out", animation->name,
                                 animation->has_keys ? "moves no joint of the rig" : "has no keys");
    }
    if (!add_rest_tracks(animation)) {
        return false;
    }
    const lmb_clip_def def = {.name = animation->name,
                              .duration = (float)(animation->end - animation->begin),
                              .tracks = animation->tracks,
                              .track_count = animation->track_count};
    const lmb_gltf_place place = lmb_gltf_place_of("animation '%.90s'", animation->name);
    return lmb_importer_add_clip(importer, place.text, &def);
}

static bool build_clip(animation *animation) {
    lmb_fbx *fbx = animation->fbx;
    lmb_gltf *tables = &fbx->tables;
    find_span(animation);
    animation->animated =
        lmb_importer_allocate(tables->importer, &animation->pool, tables->node_count, 3 * sizeof(bool));
    bool success = animation->animated != NULL && list_layer_times(animation);
    for (uint32_t i = 0; success && i < tables->node_count; i++) {
        success = add_node_tracks(animation, i);
    }
    for (size_t i = 0; success && i < fbx->scene->blend_channels.count; i++) {
        success = add_shape_tracks(animation, fbx->scene->blend_channels.data[i]);
    }
    for (uint32_t i = 0; success && i < fbx->number_count; i++) {
        success = add_number_track(animation, &fbx->numbers[i]);
    }
    return success && lmb_gltf_note_unmatched(tables, animation->name, &animation->unmatched) && create_clip(animation);
}

// The name of a stack that has none, or of one whose name another has.
static const char *name_of(lmb_fbx *fbx, const ufbx_anim_stack *stack, uint32_t index, lmb_gltf_names *names) {
    const lmb_gltf_place unnamed = lmb_gltf_place_of("animation_%" PRIu32, index);
    return lmb_gltf_make_unique(fbx->tables.importer, names, stack->name.length > 0 ? stack->name.data : unnamed.text);
}

// The largest length of the image of a unit axis; 1 if that is 0.
static double largest_scale(const lmb_affine *matrix) {
    double largest = 0.0;
    for (int column = 0; column < 3; column++) {
        double axis[3];
        for (int row = 0; row < 3; row++) {
            axis[row] = (double)matrix->m[row][column];
        }
        largest = fmax(largest, sqrt(dot(axis, axis, 3)));
    }
    return largest > 0.0 ? largest : 1.0;
}

// Measures chains. Without any, a metre is the longest one.
static bool measure_chains(lmb_fbx *fbx, chains *chains) {
    const lmb_gltf *tables = &fbx->tables;
    lmb_affine *models = lmb_importer_scratch(tables->importer, tables->node_count, sizeof *models);
    chains->below = lmb_importer_scratch(tables->importer, tables->node_count, sizeof *chains->below);
    chains->longest = 0.0;
    chains->unit = lmb_importer_scratch(tables->importer, tables->node_count, sizeof *chains->unit);
    if (models == NULL || chains->below == NULL || chains->unit == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < tables->node_count; i++) {
        const lmb_gltf_node *node = &tables->nodes[i];
        const lmb_affine local = lmb_affine_from_transform(node->rest);
        models[i] = node->parent == LMB_NONE ? local : lmb_affine_multiply(models[node->parent], local);
        chains->unit[i] = node->parent == LMB_NONE ? 1.0 : largest_scale(&models[node->parent]);
    }
    for (uint32_t i = tables->node_count; i-- > 0;) {
        const lmb_gltf_node *node = &tables->nodes[i];
        if (node->in_rig && node->parent != LMB_NONE && tables->nodes[node->parent].in_rig) {
            double offset[3];
            for (int row = 0; row < 3; row++) {
                offset[row] = (double)models[i].m[row][3] - (double)models[node->parent].m[row][3];
            }
            const double length = chains->below[i] + sqrt(dot(offset, offset, 3));
            chains->below[node->parent] = fmax(chains->below[node->parent], length);
            chains->longest = fmax(chains->longest, length);
        }
    }
    chains->longest = chains->longest > 0.0 ? chains->longest : 1.0;
    lmb_pool_release(&tables->importer->scratch, models);
    return true;
}

bool lmb_fbx_build_clips(lmb_fbx *fbx) {
    lmb_importer *importer = fbx->tables.importer;
    lmb_gltf_names names = {0};
    chains chains;
    bool success = lmb_gltf_list_rests(&fbx->tables) && measure_chains(fbx, &chains);
    for (uint32_t i = 0; success && i < fbx->scene->anim_stacks.count; i++) {
        animation animation = {.fbx = fbx,
                               .chains = &chains,
                               .stack = fbx->scene->anim_stacks.data[i],
                               .index = i,
                               .pool = {.budget = &importer->import->budget}};
        animation.name = name_of(fbx, animation.stack, i, &names);
        success = animation.name != NULL && build_clip(&animation);
        lmb_pool_clear(&animation.pool);
    }
    return success &&
           lmb_importer_note_names(importer, "animations are renamed, since others have their names", &names.renamed);
}

// ---- What moves ----

static bool curve_leaves(const ufbx_anim_curve *curve, double rest) {
    const double tolerance = SAME_AS_REST * fmax(1.0, fabs(rest));
    return curve != NULL && curve->keyframes.count > 0 &&
           (fabs(curve->min_value - rest) > tolerance || fabs(curve->max_value - rest) > tolerance);
}

static bool is_moved(const ufbx_scene *scene, const ufbx_node *node) {
    bool moved = false;
    for (size_t i = 0; !moved && i < scene->anim_layers.count; i++) {
        const ufbx_anim_prop_list props = ufbx_find_anim_props(scene->anim_layers.data[i], &node->element);
        for (size_t k = 0; !moved && k < props.count; k++) {
            const ufbx_anim_prop *prop = &props.data[k];
            const bool scales = strcmp(prop->prop_name.data, UFBX_Lcl_Scaling) == 0;
            const ufbx_vec3 otherwise = {.x = scales, .y = scales, .z = scales};
            const ufbx_vec3 rest = ufbx_find_vec3(&node->props, prop->prop_name.data, otherwise);
            const bool counts = !is_geometry(prop->prop_name.data) && !lmb_fbx_is_added(node, prop->prop_name.data);
            for (int axis = 0; axis < 3 && counts; axis++) {
                moved = moved || curve_leaves(prop->anim_value->curves[axis], rest.v[axis]);
            }
        }
    }
    return moved;
}

bool lmb_fbx_find_moved(lmb_fbx *fbx) {
    lmb_importer *importer = fbx->tables.importer;
    const size_t searches = (size_t)fbx->tables.node_count * fbx->scene->anim_layers.count;
    fbx->is_moved = lmb_importer_scratch(importer, fbx->tables.node_count, sizeof *fbx->is_moved);
    if (fbx->is_moved == NULL || !lmb_importer_decode(importer, searches * EVALUATION_BYTES)) {
        return false;
    }
    for (uint32_t i = 0; i < fbx->tables.node_count; i++) {
        fbx->is_moved[i] = is_moved(fbx->scene, fbx->sources[i]);
    }
    return true;
}
