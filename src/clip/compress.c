// Searches for the smallest packing of a clip that stays within its error bound. First it removes as many of the shared
// key times as some fraction of the bound allows. Then it chooses the bits of each track, first by an estimate, then
// one bit at a time. The search samples the clip; then deviation.c bounds the error at all times. If that is above
// the bound, the search is repeated with a smaller one.
#include "base/float_environment.h"
#include "clip.h"
#include "deviation.h"
#include "motion.h"
#include "pack.h"

#include <math.h>

// Levels: packings of a property in the order of their size.
#define LEVEL_REST 0u
#define LEVEL_CONSTANT 1u // each level above it has one bit more

#define MOST_SEARCHES 6

// Samples for each interval between key times: in an interval, splines may differ from keys everywhere.
#define LINEAR_PARTS 2u
#define SPLINE_PARTS 4u

#define SHARES 4
// Fractions of the bound that removing key times may use.
static const double shares[SHARES] = {0.0, 0.25, 0.5, 0.75};

typedef struct compressor {
    const lmb_rig *rig;
    const lmb_clip *source;
    lmb_host host;
    lmb_arena memory; // of all arrays
    double bound;
    uint32_t joints;
    uint32_t times; // key times of all tracks
    uint32_t parts; // samples for each interval between them
    bool *fixed;    // [property][joint]: tracks that are kept or left out as they are
    motion motion;
    float *sample_times;
    lmb_transform *source_local;
    uint32_t *frame_samples;
    frames frames;
    uint32_t *frame_of; // [sample]
    float *fraction_of; // [sample]
    packing *packings;  // [property][joint]
    uint32_t *levels;
    deviating_joint *deviating; // [joint], scratch
    lmb_transform *pose;        // [joint], scratch
    matrix *pose_model;
    lmb_transform *column; // [sample], scratch
    uint32_t *scratch;     // of a packed track
    packing *best;
    uint32_t *best_samples;
    uint32_t best_count;
    uint64_t best_size;
} compressor;

static track source_track(const compressor *c, uint32_t property, uint32_t joint) {
    return load_track(c->source->words, 0, property, joint);
}

// Returns whether a track is constant or changes only in steps.
static bool is_step(track t) {
    return t.mode == MODE_STEP || (t.keys == 1 && t.mode != MODE_CUBIC);
}

static bool is_fixed(const compressor *c, uint32_t property, uint32_t joint) {
    return c->fixed[(size_t)property * c->joints + joint];
}

static void find_fixed(const compressor *c) {
    for (uint32_t i = 0; i < PROPERTIES * c->joints; i++) {
        const uint32_t property = i / c->joints, joint = i % c->joints;
        c->fixed[i] = is_step(source_track(c, property, joint)) ||
                      (property == PROPERTY_ROTATION && lmb_deviation_is_wild(c->source, joint));
    }
}

static uint32_t most_bits(uint32_t property) {
    return property == PROPERTY_ROTATION ? PACKED_MOST_ROTATION_BITS : PACKED_MOST_VECTOR_BITS;
}

static uint32_t level_kept(uint32_t property) {
    return LEVEL_CONSTANT + most_bits(property) + 1;
}

static packing *packing_of(const compressor *c, uint32_t property, uint32_t joint) {
    return &c->packings[(size_t)property * c->joints + joint];
}

static uint32_t *level_of(const compressor *c, uint32_t property, uint32_t joint) {
    return &c->levels[(size_t)property * c->joints + joint];
}

// ---- The source's samples. ----

static uint64_t count_times(const compressor *c) {
    uint64_t count = 0;
    uint32_t last = 0;
    for (uint32_t i = 0; i < PROPERTIES * c->joints; i++) {
        const track t = source_track(c, i / c->joints, i % c->joints);
        count += t.times != last ? t.keys : 0;
        last = t.times;
    }
    return count;
}

// Merges two ascending arrays into their union; `merged` has room for both.
static uint32_t merge(const float *a, uint32_t a_count, const uint32_t *b, uint32_t b_count, float *merged) {
    uint32_t count = 0;
    for (uint32_t i = 0, j = 0; i < a_count || j < b_count;) {
        const bool from_a = j == b_count || (i < a_count && a[i] <= REAL(b[j]));
        const float time = from_a ? a[i++] : REAL(b[j++]);
        if (count == 0 || merged[count - 1] < time) {
            merged[count++] = time;
        }
    }
    return count;
}

// Fills sample_times, which has room for SPLINE_PARTS times the result of count_times(), with key times and times
// between them.
static void gather_times(compressor *c, float *rows) {
    uint32_t count = 0, last = 0;
    for (uint32_t i = 0; i < PROPERTIES * c->joints; i++) {
        const track t = source_track(c, i / c->joints, i % c->joints);
        if (t.times != last) {
            const uint32_t merged = merge(rows, count, c->source->words + t.times, t.keys, c->sample_times);
            memcpy(rows, c->sample_times, merged * sizeof *rows);
            count = merged;
        }
        last = t.times;
    }
    c->times = count;
    c->parts = c->source->words[FIELD(CLIP, cubic)] != 0 ? SPLINE_PARTS : LINEAR_PARTS;
    c->motion.samples = count > 0 ? c->parts * (count - 1) + 1 : 0; // a rig without joints has none
    for (uint32_t i = 0; i < c->motion.samples; i++) {
        const float *from = &rows[i / c->parts];
        const float part = (float)(i % c->parts) / (float)c->parts;
        c->sample_times[i] = part == 0.0f ? *from : snap((1.0f - part) * from[0] + part * from[1]);
    }
}

static void sample(const compressor *c, const lmb_clip *clip, lmb_transform *local) {
    for (uint32_t joint = 0; joint < c->joints; joint++) {
        for (uint32_t i = 0; i < c->motion.samples; i++) {
            *local++ = lmb_clip_sample(clip, c->rig, joint, c->sample_times[i]);
        }
    }
}

static void sample_source(compressor *c) {
    sample(c, c->source, c->source_local);
    lmb_motion_model(&c->motion, c->source_local, c->motion.source_model);
    lmb_motion_levers(&c->motion);
}

// ---- Key times. ----

static void interpolate(uint32_t property, const float *from, const float *to, float fraction, float *result) {
    if (property == PROPERTY_ROTATION) {
        const quaternion q = snap_quaternion(quaternion_slerp_unnormalized(
            make_quaternion(from[0], from[1], from[2], from[3]), make_quaternion(to[0], to[1], to[2], to[3]),
            slerp_prepare(1.0f - fraction), slerp_prepare(fraction), false));
        memcpy(result, &q, sizeof q);
    } else {
        const vector v = snap_vector(
            lerp_vectors(make_vector(from[0], from[1], from[2]), make_vector(to[0], to[1], to[2]), fraction));
        memcpy(result, &v, sizeof v);
    }
}

static float fraction_between(const compressor *c, uint32_t from, uint32_t to, uint32_t sample) {
    const float start = c->sample_times[from];
    return clamp_real(snap((c->sample_times[sample] - start) * (1.0f / (c->sample_times[to] - start))), 0.0f, 1.0f);
}

// Returns the error at a sample if the pose is interpolated between two other samples.
static double gap_at(const compressor *c, uint32_t from, uint32_t to, uint32_t sample) {
    const uint32_t samples = c->motion.samples;
    const float fraction = fraction_between(c, from, to, sample);
    for (uint32_t joint = 0; joint < c->joints; joint++) {
        const lmb_transform *row = &c->source_local[(size_t)joint * samples];
        for (uint32_t property = 0; property < PROPERTIES; property++) {
            const float *start = lmb_property_in(&row[from], property), *end = lmb_property_in(&row[to], property);
            float *result = lmb_property_of(&c->pose[joint], property);
            if (is_fixed(c, property, joint)) {
                memcpy(result, lmb_property_in(&row[sample], property),
                       lmb_property_width((lmb_property)property) * sizeof *result);
            } else {
                interpolate(property, start, end, fraction, result);
            }
        }
    }
    return lmb_motion_distance(&c->motion, sample, c->pose, c->pose_model);
}

static bool gap_fits(const compressor *c, uint32_t from, uint32_t to, double limit) {
    for (uint32_t sample = from + 1; sample < to; sample++) {
        if (!(gap_at(c, from, to, sample) <= limit)) {
            return false;
        }
    }
    return true;
}

// Returns the last key time up to which the gap from `from` fits. Doubles the distance until it does not fit, then
// bisects.
static uint32_t farthest_fit(const compressor *c, uint32_t from, double limit) {
    const uint32_t last = c->motion.samples - 1;
    uint32_t good = from + c->parts, bad = last + c->parts, stride = c->parts;
    while (good < last) {
        uint32_t next = good + stride < last ? good + stride : last;
        if (!gap_fits(c, from, next, limit)) {
            bad = next;
            break;
        }
        good = next;
        stride *= 2;
    }
    while (bad - good > c->parts) {
        const uint32_t middle = good + (bad - good) / (2 * c->parts) * c->parts;
        if (gap_fits(c, from, middle, limit)) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    return good;
}

static void choose_frames(compressor *c, double share) {
    const uint32_t last = c->motion.samples - 1;
    uint32_t count = 0;
    c->frame_samples[count++] = 0;
    for (uint32_t from = 0; from < last;) {
        const uint32_t next = from + c->parts;
        from = share > 0.0 && next < last ? farthest_fit(c, from, share * c->bound) : next;
        c->frame_samples[count++] = from;
    }
    c->frames.count = count;
    for (uint32_t sample = 0, frame = 0; sample <= last; sample++) {
        frame += frame + 1 < count && c->frame_samples[frame + 1] <= sample;
        const uint32_t from = c->frame_samples[frame];
        c->frame_of[sample] = frame;
        c->fraction_of[sample] =
            frame + 1 < count ? fraction_between(c, from, c->frame_samples[frame + 1], sample) : 0.0f;
    }
}

// ---- One property of one joint. ----

static void copy_property(const compressor *c, uint32_t property, uint32_t joint, const lmb_transform *from,
                          size_t stride) {
    lmb_transform *row = c->motion.local + (size_t)joint * c->motion.samples;
    for (uint32_t sample = 0; sample < c->motion.samples; sample++, from += stride) {
        memcpy(lmb_property_of(&row[sample], property), lmb_property_in(from, property),
               lmb_property_width((lmb_property)property) * sizeof(float));
    }
}

// Finds the middle of the property's range, or copies its only key.
static void find_constant(const compressor *c, uint32_t property, uint32_t joint, float constant[4]) {
    const track t = source_track(c, property, joint);
    const uint32_t width = lmb_property_width((lmb_property)property);
    if (is_step(t)) {
        memcpy(constant, c->source->words + t.values, width * sizeof *constant);
        return;
    }
    const lmb_transform *row = c->source_local + (size_t)joint * c->motion.samples;
    const float *first = lmb_property_in(row, property);
    float low[4], high[4], unit[4];
    memcpy(low, first, width * sizeof *low);
    memcpy(high, first, width * sizeof *high);
    for (uint32_t sample = 1; sample < c->motion.samples; sample++) {
        const float *value = lmb_property_in(&row[sample], property);
        double dot = 0.0;
        for (uint32_t i = 0; i < width; i++) {
            dot += (double)value[i] * (double)first[i];
        }
        const float sign = width == 4 && dot < 0.0 ? -1.0f : 1.0f;
        for (uint32_t i = 0; i < width; i++) {
            low[i] = sign * value[i] < low[i] ? sign * value[i] : low[i];
            high[i] = sign * value[i] > high[i] ? sign * value[i] : high[i];
        }
    }
    for (uint32_t i = 0; i < width; i++) {
        constant[i] = snap(0.5f * low[i] + 0.5f * high[i]);
    }
    if (width == 4) {
        memcpy(constant, lmb_normalize_rotation(constant, unit) || lmb_normalize_rotation(first, unit) ? unit : first,
               sizeof unit);
    }
}

static void unpack_channel(const compressor *c, uint32_t property, uint32_t joint, uint32_t bits) {
    const packed_place place = lmb_clip_pack_track(&c->frames, property, joint, bits, c->scratch);
    const packed_range range =
        property == PROPERTY_ROTATION ? rotation_range(c->scratch, place, 0) : vector_range(c->scratch, 0);
    lmb_transform *row = c->motion.local + (size_t)joint * c->motion.samples;
    float from[4], to[4];
    for (uint32_t sample = 0; sample < c->motion.samples; sample++) {
        const uint32_t frame = c->frame_of[sample];
        const uint32_t after = frame + 1 < c->frames.count ? frame + 1 : frame;
        if (property == PROPERTY_ROTATION) {
            const quaternion a = packed_rotation(c->scratch, place, range, frame);
            const quaternion b = packed_rotation(c->scratch, place, range, after);
            memcpy(from, &a, sizeof a);
            memcpy(to, &b, sizeof b);
        } else {
            const vector a = packed_vector(c->scratch, place, range, frame);
            const vector b = packed_vector(c->scratch, place, range, after);
            memcpy(from, &a, sizeof a);
            memcpy(to, &b, sizeof b);
        }
        interpolate(property, from, to, c->fraction_of[sample], lmb_property_of(&row[sample], property));
    }
}

static void set_level(const compressor *c, uint32_t property, uint32_t joint, uint32_t level) {
    packing *p = packing_of(c, property, joint);
    *level_of(c, property, joint) = level;
    *p = (packing){.kind = ENTRY_REST};
    if (level == LEVEL_REST) {
        copy_property(c, property, joint, &c->rig->def.joints[joint].rest, 0);
    } else if (level == level_kept(property)) {
        p->kind = ENTRY_KEPT;
        copy_property(c, property, joint, c->source_local + (size_t)joint * c->motion.samples, 1);
    } else if (level == LEVEL_CONSTANT) {
        lmb_transform constant;
        p->kind = ENTRY_CONSTANT;
        find_constant(c, property, joint, p->constant);
        memcpy(lmb_property_of(&constant, property), p->constant,
               lmb_property_width((lmb_property)property) * sizeof *p->constant);
        copy_property(c, property, joint, &constant, 0);
    } else {
        p->kind = ENTRY_PACKED;
        p->bits = level - LEVEL_CONSTANT;
        unpack_channel(c, property, joint, p->bits);
    }
}

// Returns the lowest level that a property may have. An additive clip cannot use the rest pose, because its rest is no
// change.
static uint32_t min_level(const compressor *c) {
    return lmb_clip_get_info(c->source)->is_additive ? LEVEL_CONSTANT : LEVEL_REST;
}

// Fixed tracks are kept as they are, except for step tracks whose value is the same throughout.
static void set_fixed(const compressor *c, uint32_t property, uint32_t joint) {
    const track t = source_track(c, property, joint);
    const uint32_t *values = c->source->words + t.values;
    const size_t width = lmb_property_width((lmb_property)property), bytes = width * sizeof *values;
    bool constant = is_step(t);
    for (uint32_t key = 1; key < t.keys && constant; key++) {
        constant = memcmp(values + key * width, values, bytes) == 0;
    }
    const bool rests =
        constant && memcmp(values, lmb_property_in(&c->rig->def.joints[joint].rest, property), bytes) == 0;
    set_level(c, property, joint, rests ? min_level(c) : constant ? LEVEL_CONSTANT : level_kept(property));
}

// ---- Bits. ----

// Returns the largest distance of a property's values from `from`.
static double spread(const compressor *c, uint32_t property, uint32_t joint, const float *from) {
    const lmb_transform *row = c->source_local + (size_t)joint * c->motion.samples;
    const uint32_t width = lmb_property_width((lmb_property)property);
    double largest = 0.0;
    for (uint32_t sample = 0; sample < c->motion.samples; sample++) {
        const float *value = lmb_property_in(&row[sample], property);
        double apart = 0.0, together = 0.0;
        for (uint32_t i = 0; i < width; i++) {
            const double a = (double)value[i], b = (double)from[i];
            apart += (a - b) * (a - b);
            together += (a + b) * (a + b);
        }
        const double square = width == 4 && together < apart ? together : apart;
        largest = square > largest ? square : largest;
    }
    return (width == 4 ? 2.0 : 1.0) * sqrt(largest);
}

// Estimates the smallest level whose own error is at most `tolerance`.
static uint32_t level_for(const compressor *c, uint32_t property, uint32_t joint, double tolerance) {
    const lmb_lever levers = c->motion.levers[joint];
    const double lever = property == PROPERTY_TRANSLATION ? levers.moves : levers.turns;
    if (min_level(c) == LEVEL_REST &&
        spread(c, property, joint, lmb_property_in(&c->rig->def.joints[joint].rest, property)) * lever <= tolerance) {
        return LEVEL_REST;
    }
    float constant[4];
    find_constant(c, property, joint, constant);
    double error = spread(c, property, joint, constant) * lever;
    uint32_t level = LEVEL_CONSTANT;
    while (error > tolerance && level < LEVEL_CONSTANT + most_bits(property)) {
        error *= 0.5;
        level++;
    }
    return level;
}

static void set_all(const compressor *c, double tolerance) {
    for (uint32_t property = 0; property < PROPERTIES; property++) {
        for (uint32_t joint = 0; joint < c->joints; joint++) {
            if (is_fixed(c, property, joint)) {
                set_fixed(c, property, joint);
            } else {
                set_level(c, property, joint, level_for(c, property, joint, tolerance));
            }
        }
    }
}

// Keeps all properties of a joint and its ancestors as they are. Returns whether that changed anything.
static bool keep_chain(const compressor *c, uint32_t joint) {
    bool changed = false;
    for (; joint != LMB_NONE; joint = c->rig->def.joints[joint].parent) {
        for (uint32_t property = 0; property < PROPERTIES; property++) {
            if (*level_of(c, property, joint) != level_kept(property) && !is_fixed(c, property, joint)) {
                set_level(c, property, joint, level_kept(property));
                changed = true;
            }
        }
    }
    return changed;
}

// Finds the coarsest starting point that stays within the bound. Returns false if there is none.
static bool find_start(compressor *c) {
    uint32_t worst = 0;
    double tolerance = 4.0 * c->bound;
    for (int halving = 0; halving < 20; halving++, tolerance *= 0.70710678) {
        set_all(c, tolerance);
        if (lmb_motion_try(&c->motion, LMB_NONE, c->bound, &worst) <= c->bound) {
            lmb_motion_accept(&c->motion);
            return true;
        }
    }
    while (keep_chain(c, worst)) {
        if (lmb_motion_try(&c->motion, LMB_NONE, c->bound, &worst) <= c->bound) {
            lmb_motion_accept(&c->motion);
            return true;
        }
    }
    return false;
}

// Lowers a property by one level if the bound allows it.
static bool lower(compressor *c, uint32_t property, uint32_t joint) {
    const uint32_t level = *level_of(c, property, joint);
    if (level == min_level(c) || is_fixed(c, property, joint)) {
        return false;
    }
    const packing before = *packing_of(c, property, joint);
    const size_t row = (size_t)joint * c->motion.samples;
    uint32_t worst = 0;
    memcpy(c->column, c->motion.local + row, c->motion.samples * sizeof *c->column);
    set_level(c, property, joint, level - 1);
    if (lmb_motion_try(&c->motion, joint, c->bound, &worst) <= c->bound) {
        lmb_motion_accept(&c->motion);
        return true;
    }
    memcpy(c->motion.local + row, c->column, c->motion.samples * sizeof *c->column);
    *packing_of(c, property, joint) = before;
    *level_of(c, property, joint) = level;
    return false;
}

// Goes from the leaves up, because there are more leaves and each affects only itself.
static void lower_all(compressor *c) {
    for (uint32_t joint = c->joints; joint-- > 0;) {
        for (uint32_t property = 0; property < PROPERTIES; property++) {
            while (lower(c, property, joint)) {
            }
        }
    }
}

// ---- The whole search. ----

static void search(compressor *c) {
    if (c->joints == 0) {
        c->best_size = lmb_clip_pack_write(c->source, &c->frames, c->packings, c->scratch, NULL);
        return;
    }
    for (int i = 0; i < SHARES; i++) {
        choose_frames(c, shares[i]);
        if (!find_start(c)) {
            continue;
        }
        lower_all(c);
        const uint64_t size = lmb_clip_pack_write(c->source, &c->frames, c->packings, c->scratch, NULL);
        if (size != 0 && size < c->best_size) {
            c->best_size = size;
            c->best_count = c->frames.count;
            memcpy(c->best, c->packings, (size_t)PROPERTIES * c->joints * sizeof *c->best);
            memcpy(c->best_samples, c->frame_samples, c->best_count * sizeof *c->best_samples);
        }
    }
}

// Bounds the error at all times.
static double measure(compressor *c, const lmb_clip *clip) {
    uint32_t worst = 0;
    sample(c, clip, c->motion.local);
    deviation d = {.rig = c->rig,
                   .source = c->source,
                   .clip = clip,
                   .tolerances = c->motion.tolerances,
                   .times = c->sample_times,
                   .count = c->times,
                   .stride = c->parts,
                   .joints = c->deviating,
                   .largest = lmb_motion_try(&c->motion, LMB_NONE, INFINITY, &worst)};
    return lmb_deviation_bound(&d);
}

static void report_packings(const compressor *c, lmb_clip_compression_report *report) {
    for (uint32_t i = 0; i < PROPERTIES * c->joints; i++) {
        const uint32_t kind = c->best[i].kind;
        report->rest_count += kind == ENTRY_REST;
        report->constant_count += kind == ENTRY_CONSTANT;
        report->packed_count += kind == ENTRY_PACKED;
        report->kept_count += kind == ENTRY_KEPT;
    }
    report->frame_count = report->packed_count != 0 ? c->best_count : 0;
}

// Writes the best packing over the clip's words, which hold the source. Returns a bound of its error, or infinity if it
// is not smaller than the source.
static double write_best(compressor *c, lmb_clip *clip) {
    if (c->best_size >= c->source->size) {
        return INFINITY;
    }
    c->frames.count = c->best_count;
    c->frames.of_sample = c->best_samples;
    memset(clip->words, 0, c->source->size * sizeof *clip->words);
    clip->size = (uint32_t)lmb_clip_pack_write(c->source, &c->frames, c->best, c->scratch, clip->words);
    c->frames.of_sample = c->frame_samples;
    return lmb_clip_check(clip->words, clip->size, NULL) == LMB_OK ? measure(c, clip) : (double)INFINITY;
}

// Returns the error of the smallest clip that was found within the bound. If there is none, returns infinity, and the
// clip holds the source.
static double search_within(compressor *c, double bound, lmb_clip *clip) {
    for (int i = 0; i < MOST_SEARCHES; i++) {
        c->best_size = c->source->size;
        search(c);
        const double error = write_best(c, clip);
        if (error <= bound) {
            return error;
        }
        if (!(error < (double)INFINITY)) {
            break;
        }
        c->bound *= (1.0 - 0.001 * (double)(1u << 2 * i)) * bound / error; // more each time
    }
    clip->size = c->source->size;
    memcpy(clip->words, c->source->words, clip->size * sizeof *clip->words);
    return INFINITY;
}

static lmb_result no_memory(const compressor *c, lmb_error *error) {
    return lmb_fail(error, LMB_ERROR_MEMORY, "clip '%s': no memory for compressing it",
                    lmb_clip_get_info(c->source)->name);
}

static bool allocate_times(compressor *c) {
    const uint64_t most = count_times(c);
    float *rows = lmb_arena_allocate(&c->memory, most, sizeof *rows);
    c->sample_times = lmb_arena_allocate(&c->memory, SPLINE_PARTS * most, sizeof *c->sample_times);
    if (!c->memory.failed) {
        gather_times(c, rows);
    }
    return !c->memory.failed;
}

static bool allocate_samples(compressor *c) {
    const size_t samples = c->motion.samples, joints = c->joints, all = samples * joints,
                 properties = PROPERTIES * joints;
    lmb_arena *memory = &c->memory;
    motion *m = &c->motion;
    m->local = lmb_arena_allocate(memory, all, sizeof *m->local);
    m->source_model = lmb_arena_allocate(memory, all, sizeof *m->source_model);
    m->model = lmb_arena_allocate(memory, all, sizeof *m->model);
    m->trial = lmb_arena_allocate(memory, all, sizeof *m->trial);
    m->affected = lmb_arena_allocate(memory, joints, sizeof *m->affected);
    m->levers = lmb_arena_allocate(memory, joints, sizeof *m->levers);
    m->tolerances = lmb_arena_allocate(memory, joints, sizeof *m->tolerances);
    c->source_local = lmb_arena_allocate(memory, all, sizeof *c->source_local);
    c->frame_samples = lmb_arena_allocate(memory, c->times, sizeof *c->frame_samples);
    c->frame_of = lmb_arena_allocate(memory, samples, sizeof *c->frame_of);
    c->fraction_of = lmb_arena_allocate(memory, samples, sizeof *c->fraction_of);
    c->packings = lmb_arena_allocate(memory, properties, sizeof *c->packings);
    c->fixed = lmb_arena_allocate(memory, properties, sizeof *c->fixed);
    c->deviating = lmb_arena_allocate(memory, joints, lmb_deviation_joint_bytes());
    c->levels = lmb_arena_allocate(memory, properties, sizeof *c->levels);
    c->pose = lmb_arena_allocate(memory, joints, sizeof *c->pose);
    c->pose_model = lmb_arena_allocate(memory, joints, sizeof *c->pose_model);
    c->column = lmb_arena_allocate(memory, samples, sizeof *c->column);
    c->scratch =
        lmb_arena_allocate(memory, PACKED_TRACK_HEAD + (size_t)PACKED_TRACK_FRAME * c->times, sizeof *c->scratch);
    c->best = lmb_arena_allocate(memory, properties, sizeof *c->best);
    c->best_samples = lmb_arena_allocate(memory, c->times, sizeof *c->best_samples);
    c->frames = (frames){.rig = c->rig,
                         .source = c->source_local,
                         .samples = m->samples,
                         .of_sample = c->frame_samples,
                         .times = c->sample_times};
    return !memory->failed;
}

static void set_tolerances(const compressor *c, const lmb_clip_compression *settings, double bound, double extent) {
    const double shell = settings->shell_distance > 0.0f ? (double)settings->shell_distance
                         : extent > 0.0                  ? 0.02 * extent
                                                         : 1.0;
    for (uint32_t joint = 0; joint < c->joints; joint++) {
        c->motion.tolerances[joint] = (lmb_tolerance){shell, 1.0};
    }
    for (uint32_t i = 0; i < settings->joint_count; i++) {
        const lmb_joint_tolerance *own = &settings->joints[i];
        c->motion.tolerances[own->joint] =
            (lmb_tolerance){own->shell_distance > 0.0f ? (double)own->shell_distance : shell,
                            own->error > 0.0f && bound > 0.0 ? bound / (double)own->error : 1.0};
    }
}

static LMB_NOINLINE lmb_result compress(compressor *c, const lmb_clip_compression *settings, lmb_clip *clip,
                                        lmb_clip_compression_report *report, lmb_error *error) {
    if (!allocate_times(c) || !allocate_samples(c)) {
        return no_memory(c, error);
    }
    const double extent = lmb_rig_extent(c->rig, c->pose_model);
    const float bound = settings->error > 0.0f ? settings->error : (float)(1e-4 * extent);
    set_tolerances(c, settings, (double)bound, extent);
    // The search uses a slightly smaller bound, because sampling the block rounds differently.
    c->bound = 0.999 * (double)bound;
    find_fixed(c);
    sample_source(c);
    *report = (lmb_clip_compression_report){.bound = bound, .source_bytes = c->source->size * sizeof *clip->words};
    const double reached = search_within(c, (double)bound, clip);
    if (reached < (double)INFINITY) {
        report->error = fminf((float)(reached * (1.0 + 0x1p-23)), bound);
        report_packings(c, report);
    } else {
        report->kept_count = PROPERTIES * c->joints;
    }
    report->bytes = clip->size * sizeof *clip->words;
    return LMB_OK;
}

static bool is_distance(float value) {
    return value >= 0.0f && value <= LMB_LARGEST;
}

static lmb_result check_arguments(const lmb_rig *rig, const lmb_clip *source, const lmb_clip_compression *settings,
                                  lmb_clip **clip, lmb_error *error) {
    if (rig == NULL || source == NULL || clip == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "clip compression: %s is NULL",
                        rig == NULL      ? "the rig"
                        : source == NULL ? "the source"
                                         : "the result");
    }
    *clip = NULL;
    if (source->words[FIELD(CLIP, joints)] != rig->def.joint_count) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "clip '%s': it is for %u joints, and the rig has %u",
                        lmb_clip_get_info(source)->name, (unsigned)source->words[FIELD(CLIP, joints)],
                        (unsigned)rig->def.joint_count);
    }
    if (source->words[FIELD(CLIP, float_count)] != rig->def.channel_count) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "clip '%s': it is for %u float channels, and the rig has %u",
                        lmb_clip_get_info(source)->name, (unsigned)source->words[FIELD(CLIP, float_count)],
                        (unsigned)rig->def.channel_count);
    }
    for (uint32_t i = 0; i < settings->joint_count; i++) {
        const lmb_joint_tolerance *own = settings->joints != NULL ? &settings->joints[i] : NULL;
        const char *fault = own == NULL                          ? "NULL"
                            : own->joint >= rig->def.joint_count ? "joint: the rig has no such joint"
                            : !is_distance(own->error)           ? "error: not a number from 0 to 2^40"
                            : !is_distance(own->shell_distance)  ? "shell_distance: not a number from 0 to 2^40"
                                                                 : NULL;
        if (fault != NULL) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "clip '%s': joints[%u]: %s", lmb_clip_get_info(source)->name,
                            (unsigned)i, fault);
        }
    }
    const char *fault = source->words[FIELD(CLIP, packed)] != 0  ? "it is compressed already"
                        : !is_distance(settings->error)          ? "error: not a number from 0 to 2^40"
                        : !is_distance(settings->shell_distance) ? "shell_distance: not a number from 0 to 2^40"
                                                                 : NULL;
    return fault == NULL ? LMB_OK
                         : lmb_fail(error, LMB_ERROR_ARGUMENT, "clip '%s': %s", lmb_clip_get_info(source)->name, fault);
}

lmb_clip_compression lmb_default_clip_compression(void) {
    return (lmb_clip_compression){0};
}

lmb_result lmb_clip_compress(const lmb_rig *rig, const lmb_clip *source, const lmb_clip_compression *settings,
                             const lmb_host *host, lmb_clip **clip, lmb_clip_compression_report *report,
                             lmb_error *error) {
    if (clip != NULL) {
        *clip = NULL;
    }
    const lmb_clip_compression defaults = {0};
    settings = settings != NULL ? settings : &defaults;
    lmb_result result = check_arguments(rig, source, settings, clip, error);
    if (result != LMB_OK) {
        return result;
    }
    compressor c = {.rig = rig, .source = source, .host = lmb_host_resolve(host), .joints = rig->def.joint_count};
    c.memory.host = &c.host;
    c.motion.rig = rig;
    lmb_clip_compression_report reported = {0};
    lmb_clip *created = lmb_host_allocate(&c.host, 1, sizeof *created);
    uint32_t *words = lmb_host_allocate(&c.host, source->size, sizeof *words);
    if (created == NULL || words == NULL) {
        result = no_memory(&c, error);
    } else {
        memcpy(words, source->words, source->size * sizeof *words);
        *created = (lmb_clip){.host = c.host, .size = source->size, .words = words};
        lmb_environment callers;
        lmb_environment_enter(&callers);
        result = compress(&c, settings, created, &reported, error);
        lmb_environment_leave(&callers);
    }
    lmb_arena_release(&c.memory);
    if (result != LMB_OK) {
        lmb_host_release(&c.host, words);
        lmb_host_release(&c.host, created);
        return result;
    }
    created->info = lmb_clip_read_info(created->words);
    *clip = created;
    if (report != NULL) {
        *report = reported;
    }
    return LMB_OK;
}
