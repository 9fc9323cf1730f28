// Cuts a part out of a clip: keys inside it keep their values, and its two ends get keys of what the clip has there.
//
// Times are subtracted in ticks, so a key of the part is at the tick that it has in the clip, minus that of the start.
// A line is cut into lines and a cubic into cubics, so the part is the clip between its ends, apart from the rounding
// of the keys at the ends and of times.
#include "base/float_environment.h"
#include "base/seconds.h"
#include "clip.h"
#include "given.h"
#include "math/quaternion.h"
#include "rig/rig.h"

#include <math.h>
#include <string.h>

typedef struct cutting {
    const lmb_rig *rig;
    const lmb_clip *clip;
    const lmb_clip_part_def *def;
    lmb_arena memory;
    uint64_t start; // ticks
    lmb_track_def *tracks;
    uint32_t track_count;
} cutting;

lmb_clip_part_def lmb_default_clip_part_def(void) {
    return (lmb_clip_part_def){0};
}

static float part_time(const cutting *c, float time) {
    const uint64_t ticks = lmb_ticks_of_float(time);
    return (float)((double)(ticks - c->start) / (double)LMB_TICKS_PER_SECOND);
}

static const float *values_of(const lmb_track_def *from, uint32_t key) {
    const uint32_t cubic = from->interpolation == LMB_INTERPOLATION_CUBIC_SPLINE ? 3 : 1;
    return from->values + (size_t)key * cubic * lmb_property_width(from->property);
}

// Slerps as far as `u`, the short way.
static void slerp(const float *from, const float *to, double u, float *result) {
    double dot = 0.0, weights[2], turned[4];
    for (int i = 0; i < 4; i++) {
        dot += (double)from[i] * (double)to[i];
    }
    lmb_slerp_weights(dot, u, weights);
    for (int i = 0; i < 4; i++) {
        turned[i] = (double)from[i] * weights[0] + (double)to[i] * weights[1];
    }
    lmb_quaternion_normalize(turned);
    for (int i = 0; i < 4; i++) {
        result[i] = (float)turned[i];
    }
}

// Returns a number that an angle has after another one, moved by whole turns to be nearest to it.
static double unwrap(const cutting *c, const lmb_track_def *from, double before, double after) {
    const bool is_angle = from->property == LMB_PROPERTY_FLOAT && c->rig->def.channels[from->joint].angle;
    return is_angle ? after - 360.0 * round((after - before) / 360.0) : after;
}

// Writes the key that a track has at a time between two of its keys. A cubic spline's has the tangents of the cubic.
static void find_border(const cutting *c, const lmb_track_def *from, uint32_t key, float time, float *border) {
    const uint32_t width = lmb_property_width(from->property);
    const double duration = (double)from->times[key + 1] - (double)from->times[key];
    const double u = ((double)time - (double)from->times[key]) / duration, v = 1.0 - u;
    const float *a = values_of(from, key), *b = values_of(from, key + 1);
    if (from->interpolation == LMB_INTERPOLATION_LINEAR && from->property == LMB_PROPERTY_ROTATION) {
        slerp(a, b, u, border);
        return;
    }
    for (uint32_t i = 0; i < width; i++) {
        if (from->interpolation == LMB_INTERPOLATION_LINEAR) {
            border[i] = (float)((double)a[i] + (unwrap(c, from, (double)a[i], (double)b[i]) - (double)a[i]) * u);
            continue;
        }
        const double p = (double)a[width + i], q = unwrap(c, from, p, (double)b[width + i]);
        const double m = duration * (double)a[2 * width + i], n = duration * (double)b[i];
        const double slope = 6.0 * u * v * (q - p) + m * v * (1.0 - 3.0 * u) + n * u * (3.0 * u - 2.0);
        border[width + i] =
            (float)(p * (1.0 + 2.0 * u) * v * v + m * u * v * v + q * u * u * (3.0 - 2.0 * u) - n * u * u * v);
        border[i] = border[2 * width + i] = (float)(slope / duration);
    }
}

// Returns how many keys are at or before a time.
static uint32_t keys_until(const lmb_track_def *from, float time) {
    uint32_t low = 0, high = from->key_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (from->times[middle] <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Returns whether a track needs a key of its own at a time: it moves there, and has no key there.
static bool needs_border(const lmb_track_def *from, float time, uint32_t until) {
    return from->interpolation != LMB_INTERPOLATION_STEP && until > 0 && until < from->key_count &&
           from->times[until - 1] < time;
}

// Appends a key. Of two keys at one time the later one stays.
static void put_key(lmb_track_def *part, float *times, float *values, float time, const float *value, uint32_t stride) {
    if (part->key_count > 0 && time <= times[part->key_count - 1]) {
        part->key_count--;
    }
    times[part->key_count] = time;
    memcpy(values + (size_t)part->key_count * stride, value, stride * sizeof *values);
    part->key_count++;
}

// Cuts a track. Before its first key and after its last one it rests, and so does the part.
static bool cut_track(cutting *c, const lmb_track_def *from) {
    const float start = c->def->start, end = c->def->end;
    const uint32_t stride = (uint32_t)(values_of(from, 1) - values_of(from, 0));
    const uint32_t before = keys_until(from, start), until = keys_until(from, end);
    const bool begins = needs_border(from, start, before), ends = needs_border(from, end, until);
    const uint32_t most = until - before + 3;
    float *times = lmb_arena_allocate(&c->memory, most, sizeof *times);
    float *values = lmb_arena_allocate(&c->memory, most, stride * sizeof *values);
    if (times == NULL || values == NULL) {
        return false;
    }
    lmb_track_def *part = &c->tracks[c->track_count++];
    *part = *from;
    part->key_count = 0;
    part->times = times;
    part->values = values;
    float border[12];
    if (begins) {
        find_border(c, from, before - 1, start, border);
        put_key(part, times, values, 0.0f, border, stride);
    } else if (before > 0) {
        put_key(part, times, values, 0.0f, values_of(from, before - 1), stride);
    }
    for (uint32_t key = before; key < until; key++) {
        put_key(part, times, values, part_time(c, from->times[key]), values_of(from, key), stride);
    }
    if (ends) {
        find_border(c, from, until - 1, end, border);
        put_key(part, times, values, part_time(c, end), border, stride);
    } else if (part->key_count == 0) {
        put_key(part, times, values, 0.0f, values_of(from, 0), stride); // it moves only later
    }
    return true;
}

// Cuts all tracks that the clip was given.
static bool cut_tracks(cutting *c) {
    const uint32_t *words = c->clip->words;
    for (uint32_t joint = 0; joint < c->rig->def.joint_count; joint++) {
        for (uint32_t property = 0; property < PROPERTIES; property++) {
            const lmb_track_def from = lmb_given_track(words, (lmb_property)property, joint);
            if (from.key_count > 0 && !cut_track(c, &from)) {
                return false;
            }
        }
    }
    for (uint32_t channel = 0; channel < words[FIELD(CLIP, float_count)]; channel++) {
        const lmb_track_def from = lmb_given_track(words, LMB_PROPERTY_FLOAT, channel);
        if (from.key_count > 0 && !cut_track(c, &from)) {
            return false;
        }
    }
    return true;
}

static lmb_result cut(cutting *c, const lmb_host *host, lmb_clip **part, lmb_error *error) {
    const uint32_t joints = c->rig->def.joint_count, channels = c->rig->def.channel_count;
    c->tracks = lmb_arena_allocate(&c->memory, (size_t)joints * PROPERTIES + channels, sizeof *c->tracks);
    uint8_t *weights = lmb_arena_allocate(&c->memory, (size_t)joints + channels, sizeof *weights);
    lmb_environment callers;
    lmb_environment_enter(&callers);
    c->start = lmb_ticks_of_float(c->def->start);
    const bool made = c->tracks != NULL && weights != NULL && cut_tracks(c);
    const float duration = part_time(c, c->def->end);
    lmb_environment_leave(&callers);
    if (!made) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "cut: clip '%s': no memory", lmb_clip_get_info(c->clip)->name);
    }
    const lmb_clip_def def = {.name = c->def->name != NULL ? c->def->name : lmb_clip_get_info(c->clip)->name,
                              .duration = duration,
                              .tracks = c->tracks,
                              .track_count = c->track_count,
                              .joint_weights = lmb_given_weights(c->clip->words, weights),
                              .additive = lmb_clip_get_info(c->clip)->is_additive};
    return lmb_clip_create(c->rig, &def, host, part, error);
}

lmb_result lmb_clip_cut(const lmb_rig *rig, const lmb_clip *clip, const lmb_clip_part_def *def, const lmb_host *host,
                        lmb_clip **part, lmb_error *error) {
    if (part != NULL) {
        *part = NULL;
    }
    const char *missing = rig == NULL    ? "the rig"
                          : clip == NULL ? "the clip"
                          : def == NULL  ? "the descriptor"
                          : part == NULL ? "the result"
                                         : NULL;
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cut: %s is NULL", missing);
    }
    const char *why = lmb_clip_get_info(clip)->joint_count != rig->def.joint_count ||
                              lmb_clip_get_info(clip)->channel_count != rig->def.channel_count
                          ? "it is not of the rig's joint and channel count"
                      : clip->words[FIELD(CLIP, packed)] != 0 ? "it is compressed; cut it before that"
                      : !(def->start >= 0.0f && def->end > def->start && def->end <= lmb_clip_get_info(clip)->duration)
                          ? "the part does not go from a time to a later one, within the clip"
                      : lmb_ticks_of_float(def->end) == lmb_ticks_of_float(def->start) ? "the part takes no tick"
                                                                                       : NULL;
    if (why != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cut: clip '%s': %s", lmb_clip_get_info(clip)->name, why);
    }
    const lmb_host resolved = lmb_host_resolve(host);
    cutting c = {.rig = rig, .clip = clip, .def = def, .memory = {.host = &resolved}};
    const lmb_result result = cut(&c, host, part, error);
    lmb_arena_release(&c.memory);
    return result;
}
