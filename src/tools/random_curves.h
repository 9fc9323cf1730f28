// Random curves of a graph's own.
#ifndef LIMBER_SRC_TOOLS_RANDOM_CURVES_H
#define LIMBER_SRC_TOOLS_RANDOM_CURVES_H

#include "random.h"

#include <limber/value.h>

#define RANDOM_CURVES 6u
#define RANDOM_FADE_CURVES 3u // the first ones go from (0, 0) to (1, 1)
#define RANDOM_CURVE_KEYS 5u

typedef struct random_curves {
    lmb_curve_key keys[RANDOM_CURVES][RANDOM_CURVE_KEYS];
    lmb_curve_def defs[RANDOM_CURVES]; // of these keys
} random_curves;

static inline float random_float(random_source *random, double min, double max) {
    return (float)random_between(random, min, max);
}

// Draws the handles between two keys: none, those of slopes, or any that fit.
static inline void random_curve_segment(random_source *random, bool gentle, lmb_curve_key *from, lmb_curve_key *to) {
    const double width = (double)to->x - (double)from->x;
    const double min = gentle ? 0.2 * width : 0.0, max = gentle ? 0.5 * width : 0.999 * width,
                 high = gentle ? 0.3 : 1.0;
    switch (random_below(random, 4)) {
    case 0:
        from->stepped = random_below(random, 2) == 0 && !gentle;
        break;
    case 1: {
        const float out = random_float(random, -3.0, 3.0);
        lmb_set_slopes(from, out, random_float(random, -3.0, 3.0), to);
        break;
    }
    default:
        from->out[0] = random_float(random, min, max);
        from->out[1] = random_float(random, -high, high);
        to->in[0] = -random_float(random, min, max);
        to->in[1] = random_float(random, -high, high);
        break;
    }
}

static inline void random_curve_keys(random_source *random, bool gentle, bool fades, lmb_curve_key *keys,
                                     lmb_curve_def *def) {
    const uint32_t count = 2 + random_below(random, RANDOM_CURVE_KEYS - 1);
    const float first = fades ? 0.0f : random_float(random, -1.0, 0.5),
                last = fades ? 1.0f : random_float(random, 0.75, 3.0);
    const float width = (last - first) / (float)(count - 1);
    *def = lmb_default_curve_def();
    def->keys = keys;
    def->key_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const bool is_end = i == 0 || i == count - 1;
        const float x = first + width * ((float)i + (is_end ? 0.0f : random_float(random, -0.3, 0.3)));
        keys[i] = lmb_key(i == count - 1 ? last : x, random_float(random, -0.5, 1.5));
    }
    if (fades) {
        keys[0].y = 0.0f;
        keys[count - 1].y = 1.0f;
    }
    for (uint32_t i = 0; i + 1 < count; i++) {
        random_curve_segment(random, gentle, &keys[i], &keys[i + 1]);
    }
}

static inline void random_curves_draw_all(random_curves *curves, random_source *random, bool gentle) {
    for (uint32_t i = 0; i < RANDOM_CURVES; i++) {
        random_curve_keys(random, gentle, i < RANDOM_FADE_CURVES, curves->keys[i], &curves->defs[i]);
    }
    const double min = gentle ? 0.2 : 0.0;
    float points[4];
    for (int i = 0; i < 4; i++) {
        points[i] = i % 2 == 0 ? random_float(random, min, 1.0 - min) : random_float(random, -1.0, 2.0);
    }
    lmb_css_keys(points[0], points[1], points[2], points[3], curves->keys[0]);
    curves->keys[0][0].stepped = false;
    curves->defs[0].key_count = 2;
}

// Draws all curves: CSS's Beziers, keys with slopes, with handles, without any, and steps. Some leave [0, 1].
static inline void random_curves_draw(random_curves *curves, random_source *random) {
    random_curves_draw_all(curves, random, false);
}

// The same without steps and steep slopes, where an error of x would be a large error of y.
static inline void random_curves_draw_gentle(random_curves *curves, random_source *random) {
    random_curves_draw_all(curves, random, true);
}

// Returns any curve, or one of the first `own` ones of the graph's.
static inline lmb_curve random_curve(random_source *random, uint32_t own) {
    const uint32_t drawn = random_below(random, LMB_CURVE_COUNT + own);
    return drawn < LMB_CURVE_COUNT ? (lmb_curve)drawn : lmb_user_curve(drawn - LMB_CURVE_COUNT);
}

#endif
