// Time as whole numbers of 64 bits: sums, products and quotients that are exact on every device. Control code alone uses
// these; there is one lane.
#ifndef LMB_OPS_TICKS_H
#define LMB_OPS_TICKS_H

#include "ticks_parts.h"

#if defined(LMB_GLSL) || !defined(__SIZEOF_INT128__)
#include "ticks_words.h"
#else
#include "ticks_wide.h"
#endif

// How a place moved: where to, and how often past an end.
STRUCT(passage)
ticks from;
ticks to;
uint ends;
bool backwards;
END_STRUCT(passage)

// Around a length, by a distance.
OP passage move_around(ticks from, ticks by, ticks around, bool backwards) {
    passage p;
    p.from = from;
    p.to = from;
    p.ends = 0u;
    p.backwards = backwards;
    if (no_ticks(around)) {
        return p;
    }
    if (!backwards) {
        ticks_quotient q = divide_ticks(add_ticks(from, by), around);
        p.to = q.rest;
        p.ends = q.times;
    } else if (!ticks_less(from, by)) {
        p.to = subtract_ticks(from, by);
    } else {
        ticks_quotient q = divide_ticks(subtract_ticks(by, from), around);
        p.ends = q.times + (no_ticks(q.rest) ? 0u : 1u);
        p.to = no_ticks(q.rest) ? q.rest : subtract_ticks(around, q.rest);
    }
    return p;
}

OP ticks ticks_of_fine(ticks a) {
    uint high = ticks_high(a);
    return make_ticks((ticks_low(a) >> FINE_BITS) | (high << (32u - FINE_BITS)), high >> FINE_BITS);
}

// How many ticks at a rate in 2^-16 take a fine distance, rounded up; the rate is above 0. What takes 2^48 of them and
// more takes as many as there can be.
OP ticks ticks_at_rate(ticks fine, uint rate) {
    if ((rate >> FINE_BITS) == 0u && ticks_high(fine) >= rate << FINE_BITS) {
        return make_ticks(0xffffffffu, 0xffffffffu);
    }
    ticks_quotient upper = divide_ticks(fine, make_ticks(rate << FINE_BITS, rate >> (32u - FINE_BITS)));
    ticks_quotient lower = divide_ticks(upper.rest, make_ticks(rate, 0u));
    ticks found = make_ticks(upper.times << FINE_BITS, upper.times >> (32u - FINE_BITS));
    return add_ticks(found, make_ticks(lower.times + (no_ticks(lower.rest) ? 0u : 1u), 0u));
}

// Seconds, within 3e-7, relative.
OP real seconds_of_fine(ticks fine) {
    return real_of_fine(fine) * 1.41723355e-09f;
}

#endif
