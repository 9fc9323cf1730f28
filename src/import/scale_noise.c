// Rounds scale noise: scales that differ from 1, or from the rest pose, by no more than exporters' rounding. Rigs and
// clips without a scale other than 1 take shorter code.
//
// A scale that is off by a part d of it moves the points below its joint by at most d times their distance from it.
// This distance is bounded by the lengths of the bones in between: those of the rest pose for a rig, and the longest
// ones of all keys for a clip. From the roots to the leaves, a joint is rounded if it and its ancestors together move
// no point by more than the bound.
#include "importer.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 1e-4
// Parts of the longest chain of joints.
#define DEFAULT_BOUND 1e-4
#define SHELL 0.02 // distance of the skin from its joints

typedef struct bone {
    const lmb_track_def *track; // of its scale, or NULL
    double off;    // the largest part of its scale that rounding takes away; INFINITY if it cannot be rounded
    double scale;  // the largest component; behind find_reaches() with those of the ancestors
    double length; // of its translation; behind find_reaches() in model space
    double reach;  // the largest distance of a point that moves with it, in model space
    double moved;  // the largest distance by which rounding moves such a point
    bool rounds;
} bone;

// ---- The range of a track's values ----

typedef struct range {
    double min[3], max[3];
    bool is_valid;
} range;

static void include(range *r, const float *value, const float *tangent, double third) {
    for (int axis = 0; axis < 3; axis++) {
        const double x = (double)value[axis] + (tangent == NULL ? 0.0 : (double)tangent[axis] * third);
        r->min[axis] = x < r->min[axis] ? x : r->min[axis];
        r->max[axis] = x > r->max[axis] ? x : r->max[axis];
        r->is_valid = r->is_valid && isfinite(x);
    }
}

// Contains the values at all times: a spline stays between its Bézier control points. Invalid tracks are left to
// lmb_clip_create(), which refuses them.
static range find_range(const lmb_track_def *track) {
    range r = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, track->key_count > 0};
    const bool is_spline = track->interpolation == LMB_INTERPOLATION_CUBIC_SPLINE;
    for (uint32_t key = 0; key < track->key_count; key++) {
        const float *values = track->values + (size_t)key * (is_spline ? 9 : 3);
        include(&r, values + (is_spline ? 3 : 0), NULL, 0.0);
        if (key > 0) {
            const double third = ((double)track->times[key] - (double)track->times[key - 1]) / 3.0;
            r.is_valid = r.is_valid && third > 0.0;
            if (is_spline) {
                include(&r, values + 3, values, -third);
                include(&r, values - 6, values - 3, third);
            }
        }
    }
    r.is_valid = r.is_valid && track->times[0] >= 0.0f;
    return r;
}

static double largest_of(const range *r, int axis) {
    return fmax(fabs(r->min[axis]), fabs(r->max[axis]));
}

static range range_of(const float value[3]) {
    const lmb_track_def track = {.key_count = 1, .times = &(float){0.0f}, .values = value};
    return find_range(&track);
}

// ---- Bones ----

static void set_length(bone *b, const range *translations) {
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        square += largest_of(translations, axis) * largest_of(translations, axis);
    }
    b->length = sqrt(square);
}

// `rounded` is what the scale becomes.
static void set_scale(bone *b, const range *scales, const float rounded[3]) {
    b->off = scales->is_valid ? 0.0 : INFINITY;
    b->scale = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const double to = (double)rounded[axis];
        const double difference = fmax(fabs(scales->min[axis] - to), fabs(scales->max[axis] - to));
        b->off = fmax(b->off, difference == 0.0 ? 0.0 : difference / fabs(to));
        b->scale = fmax(b->scale, fmax(largest_of(scales, axis), fabs(to)));
    }
}

// Sets the bones of the rest pose, whose scales become `rounded`, or stay as they are if that is NULL.
static void set_rest(const lmb_rig *rig, const float *rounded, bone *bones) {
    for (uint32_t joint = 0; joint < lmb_rig_get_def(rig)->joint_count; joint++) {
        const lmb_transform rest = lmb_rig_get_def(rig)->joints[joint].rest;
        const range translation = range_of(rest.translation), scale = range_of(rest.scale);
        bones[joint] = (bone){0};
        set_length(&bones[joint], &translation);
        set_scale(&bones[joint], &scale, rounded != NULL ? rounded : rest.scale);
    }
}

// Takes lengths and scales into model space.
static void find_reaches(const lmb_rig *rig, bone *bones, double shell) {
    const lmb_rig_def *rig_def = lmb_rig_get_def(rig);
    const uint32_t count = rig_def->joint_count;
    for (uint32_t joint = 0; joint < count; joint++) {
        const uint32_t parent = rig_def->joints[joint].parent;
        const double above = parent == LMB_NONE ? 1.0 : bones[parent].scale;
        bones[joint].length *= above;
        bones[joint].scale *= above;
        bones[joint].reach = shell;
    }
    for (uint32_t joint = count; joint-- > 0;) {
        const uint32_t parent = rig_def->joints[joint].parent;
        if (parent != LMB_NONE) {
            bones[parent].reach = fmax(bones[parent].reach, bones[joint].length + bones[joint].reach);
        }
    }
}

static double longest_chain(const lmb_rig *rig, bone *bones) {
    set_rest(rig, NULL, bones);
    find_reaches(rig, bones, 0.0);
    double longest = 0.0;
    for (uint32_t joint = 0; joint < lmb_rig_get_def(rig)->joint_count; joint++) {
        longest = fmax(longest, bones[joint].reach);
    }
    return longest;
}

// Marks the joints that are rounded.
static void choose(const lmb_importer *importer, const lmb_rig *rig, bone *bones, double chain) {
    const double bound = importer->scale_error > 0.0 ? importer->scale_error : DEFAULT_BOUND * chain;
    find_reaches(rig, bones, SHELL * chain);
    for (uint32_t joint = 0; joint < lmb_rig_get_def(rig)->joint_count; joint++) {
        bone *b = &bones[joint];
        const uint32_t parent = lmb_rig_get_def(rig)->joints[joint].parent;
        const double before = parent == LMB_NONE ? 0.0 : bones[parent].moved;
        const double after = before + (b->off > 0.0 ? b->off * b->reach : 0.0);
        b->rounds = b->off < TOLERANCE && (b->off == 0.0 || after <= bound);
        b->moved = b->rounds ? after : before;
    }
}

static void report(lmb_importer *importer, const bone *b, uint32_t *count) {
    *count += b->off > 0.0;
    importer->noise.largest = fmax(importer->noise.largest, b->off);
}

// ---- Rigs and clips ----

bool lmb_scale_noise_round_rest(lmb_importer *importer, lmb_joint_def *joints, uint32_t joint_count) {
    static const float one[3] = {1.0f, 1.0f, 1.0f};
    const lmb_rig *rig = importer->import->rig;
    bone *bones = lmb_importer_scratch(importer, joint_count, sizeof *bones);
    if (bones == NULL) {
        return false;
    }
    const double chain = longest_chain(rig, bones);
    set_rest(rig, one, bones);
    choose(importer, rig, bones, chain);
    for (uint32_t i = 0; i < joint_count; i++) {
        const bone *b = &bones[lmb_rig_joint_of_def(rig, i)];
        if (b->rounds) {
            report(importer, b, &importer->noise.rests);
            memcpy(joints[i].rest.scale, one, sizeof one);
        }
    }
    lmb_pool_release(&importer->scratch, bones);
    return true;
}

// Adds the tracks of a clip to the rest pose.
static void set_tracks(const lmb_rig *rig, const lmb_clip_def *clip, bone *bones) {
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const lmb_track_def *track = &clip->tracks[i];
        if (track->property == LMB_PROPERTY_TRANSLATION) {
            const range translations = find_range(track);
            set_length(&bones[track->joint], &translations);
        } else if (track->property == LMB_PROPERTY_SCALE) {
            bone *b = &bones[track->joint];
            const lmb_transform rest = lmb_rig_get_def(rig)->joints[track->joint].rest;
            const range scales = find_range(track);
            set_scale(b, &scales, rest.scale);
            b->off = b->track != NULL ? INFINITY : b->off; // two tracks: lmb_clip_create() refuses them
            b->track = track;
        }
    }
}

static bool has_scales(const lmb_clip_def *clip) {
    uint32_t i = 0;
    while (i < clip->track_count && clip->tracks[i].property != LMB_PROPERTY_SCALE) {
        i++;
    }
    return i < clip->track_count;
}

bool lmb_scale_noise_round_clip(lmb_importer *importer, lmb_clip_def *clip, lmb_track_def **kept) {
    const lmb_rig *rig = importer->import->rig;
    *kept = NULL;
    if (!has_scales(clip)) {
        return true;
    }
    bone *bones = lmb_importer_scratch(importer, lmb_rig_get_def(rig)->joint_count, sizeof *bones);
    *kept = lmb_importer_scratch(importer, clip->track_count, sizeof **kept);
    if (bones == NULL || *kept == NULL) {
        return false;
    }
    const double chain = longest_chain(rig, bones);
    set_rest(rig, NULL, bones);
    set_tracks(rig, clip, bones);
    choose(importer, rig, bones, chain);
    uint32_t count = 0;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const lmb_track_def *track = &clip->tracks[i];
        const bone *b = track->property == LMB_PROPERTY_SCALE ? &bones[track->joint] : NULL;
        if (b != NULL && b->rounds) {
            report(importer, b, &importer->noise.tracks);
        } else {
            (*kept)[count++] = *track;
        }
    }
    clip->tracks = *kept;
    clip->track_count = count;
    lmb_pool_release(&importer->scratch, bones);
    return true;
}

bool lmb_scale_noise_note(lmb_importer *importer) {
    const scale_noise noise = importer->noise;
    importer->noise = (scale_noise){0};
    return noise.rests + noise.tracks == 0 ||
           lmb_importer_note(
               importer, "scale noise: %u %s of tracks and %u of the rest pose rounded, which differ by at most %.2g",
               (unsigned)noise.tracks, noise.tracks == 1 ? "scale" : "scales", (unsigned)noise.rests, noise.largest);
}
