// Finds where float tracks cross a threshold. A step crosses at its key, a line where it meets the threshold. A cubic
// is cut where its slope is 0; then each part crosses once at most, and bisection finds where.
#include "base/float_environment.h"
#include "clip.h"
#include "layout.h"

#include <float.h>
#include <math.h>

// Halvings of an interval from 0 to 1.
#define HALVINGS 60

// A track between two keys, as a polynomial of a parameter from 0 to 1: of[i] is the factor of its i-th power.
typedef struct curve {
    double of[4];
} curve;

typedef struct search {
    float threshold;
    lmb_crossing *crossings; // or NULL
    float *times;            // instead; or NULL
    uint32_t capacity;
    uint32_t count;
} search;

static void add(search *s, float time, bool rises) {
    if (s->crossings != NULL && s->count < s->capacity) {
        s->crossings[s->count] = (lmb_crossing){time, rises};
    }
    if (s->times != NULL) {
        s->times[s->count] = time;
    }
    s->count++;
}

static double value_at(const curve *c, double u) {
    return ((c->of[3] * u + c->of[2]) * u + c->of[1]) * u + c->of[0];
}

// Returns the curve between a key and the next one.
static curve curve_between(const uint32_t *words, const track *t, uint32_t key) {
    const uint32_t stride = lmb_key_stride(LMB_PROPERTY_FLOAT, t->mode), middle = stride / 2;
    const uint32_t *from = words + t->values + (size_t)key * stride + middle, *to = from + stride;
    const double a = (double)REAL(from[0]), b = (double)REAL(to[0]);
    if (t->mode == MODE_STEP) {
        return (curve){{a, 0.0, 0.0, 0.0}};
    }
    if (t->mode == MODE_LINEAR) {
        return (curve){{a, b - a, 0.0, 0.0}};
    }
    const double interval = (double)REAL(words[t->times + key + 1]) - (double)REAL(words[t->times + key]);
    const double out = interval * (double)REAL(from[1]), in = interval * (double)REAL(to[-1]);
    return (curve){{a, out, 3.0 * (b - a) - 2.0 * out - in, 2.0 * (a - b) + out + in}};
}

// Stores where the slope is 0 inside, in ascending order, between 0 and 1. Returns the number of ends.
static int find_parts(const curve *c, double ends[4]) {
    const double square = 3.0 * c->of[3], linear = 2.0 * c->of[2], constant = c->of[1];
    const double discriminant = linear * linear - 4.0 * square * constant;
    int count = 0;
    ends[count++] = 0.0;
    if (discriminant > 0.0) {
        const double sum = -0.5 * (linear + (linear < 0.0 ? -1.0 : 1.0) * sqrt(discriminant));
        const double roots[2] = {square != 0.0 ? sum / square : 2.0, sum != 0.0 ? constant / sum : 2.0};
        const double low = fmin(roots[0], roots[1]), high = fmax(roots[0], roots[1]);
        ends[count] = low;
        count += low > 0.0 && low < 1.0;
        ends[count] = high;
        count += high > 0.0 && high < 1.0 && high > ends[count - 1];
    }
    ends[count++] = 1.0;
    return count;
}

// Returns where a part of the curve, which has one end above the threshold and one not, crosses it.
static double bisect(const curve *c, double low, double high, double threshold) {
    const bool rises = value_at(c, high) > threshold;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = 0.5 * (low + high);
        if ((value_at(c, middle) > threshold) == rises) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return low;
}

static void search_interval(search *s, const uint32_t *words, const track *t, uint32_t key) {
    const curve c = curve_between(words, t, key);
    const double from = (double)REAL(words[t->times + key]), to = (double)REAL(words[t->times + key + 1]);
    const double threshold = (double)s->threshold;
    double ends[4];
    const int count = find_parts(&c, ends);
    bool is_above = value_at(&c, 0.0) > threshold;
    for (int i = 1; i < count && t->mode != MODE_STEP; i++) {
        const bool was_above = is_above;
        is_above = value_at(&c, ends[i]) > threshold;
        if (was_above != is_above) {
            add(s, (float)(from + (to - from) * bisect(&c, ends[i - 1], ends[i], threshold)), is_above);
        }
    }
    const uint32_t stride = lmb_key_stride(LMB_PROPERTY_FLOAT, t->mode);
    const float next = REAL(words[t->values + (size_t)(key + 1) * stride + stride / 2]);
    if (is_above != (next > s->threshold)) { // a step, or what rounding left
        add(s, (float)to, !is_above);
    }
}

static void search_track(search *s, const lmb_clip *clip, const track *t, bool loops) {
    const uint32_t *words = clip->words;
    const uint32_t stride = lmb_key_stride(LMB_PROPERTY_FLOAT, t->mode);
    const float first = REAL(words[t->values + stride / 2]);
    const float last = REAL(words[t->values + (size_t)(t->keys - 1) * stride + stride / 2]);
    if (loops && (first > s->threshold) != (last > s->threshold)) {
        add(s, 0.0f, first > s->threshold);
    }
    for (uint32_t key = 0; key + 1 < t->keys; key++) {
        search_interval(s, words, t, key);
    }
}

lmb_result lmb_clip_find_crossings(const lmb_clip *clip, uint32_t channel, float threshold, bool loops,
                                   lmb_crossing *crossings, uint32_t capacity, uint32_t *count, lmb_error *error) {
    if (count != NULL) {
        *count = 0;
    }
    const char *why = clip == NULL                                       ? "the clip is NULL"
                      : count == NULL                                    ? "the count is NULL"
                      : channel >= clip->words[FIELD(CLIP, float_count)] ? "there is no such float channel"
                      : !isfinite(threshold)                             ? "the threshold is not finite"
                      : crossings == NULL && capacity > 0                ? "there is room for crossings, and no memory"
                                                                         : NULL;
    if (why != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "crossings: %s", why);
    }
    const uint32_t *words = clip->words;
    const track t = load_kept_track(words, 0, words[FIELD(CLIP, floats)] + channel * WORDS_OF(TRACK));
    search s = {.threshold = threshold, .crossings = crossings, .capacity = capacity};
    if (t.mode != MODE_REST) {
        lmb_environment callers;
        lmb_environment_enter(&callers);
        search_track(&s, clip, &t, loops);
        lmb_environment_leave(&callers);
    }
    *count = s.count;
    return LMB_OK;
}

uint32_t lmb_clip_find_turns(const lmb_clip *clip, uint32_t channel, float threshold, float *times) {
    const uint32_t *words = clip->words;
    const track t = load_kept_track(words, 0, words[FIELD(CLIP, floats)] + channel * WORDS_OF(TRACK));
    search s = {.threshold = threshold, .times = times};
    if (t.mode != MODE_REST) {
        lmb_environment callers;
        lmb_environment_enter(&callers);
        if (REAL(words[t.values + lmb_key_stride(LMB_PROPERTY_FLOAT, t.mode) / 2]) > threshold) {
            add(&s, -FLT_MAX, true);
        }
        search_track(&s, clip, &t, false);
        lmb_environment_leave(&callers);
    }
    return s.count;
}
