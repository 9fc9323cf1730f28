// Time as 64-bit integers, whose sums, products and quotients are exact on every device. Only control code, which has a
// single lane, uses them.
#ifndef LMB_OPS_TICKS_H
#define LMB_OPS_TICKS_H

#include "ticks_parts.h"

#if defined(LMB_GLSL) || !defined(__SIZEOF_INT128__)
#include "ticks_words.h"
#else
#include "ticks_wide.h"
#endif

// A move of a position: from, to, and how many times it passed an end.
STRUCT(passage)
ticks from;
ticks to;
uint ends;
bool backwards;
END_STRUCT(passage)

// Moves a position by a distance, wrapping at the length `around`.
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

// The number of ticks, rounded up, that a fine distance takes at a rate in units of 2^-16. The rate must be above 0. If
// the result were 2^48 or more, returns the maximum.
OP ticks ticks_at_rate(ticks fine, uint rate) {
    if ((rate >> FINE_BITS) == 0u && ticks_high(fine) >= rate << FINE_BITS) {
        return make_ticks(0xffffffffu, 0xffffffffu);
    }
    ticks_quotient upper = divide_ticks(fine, make_ticks(rate << FINE_BITS, rate >> (32u - FINE_BITS)));
    ticks_quotient lower = divide_ticks(upper.rest, make_ticks(rate, 0u));
    ticks found = make_ticks(upper.times << FINE_BITS, upper.times >> (32u - FINE_BITS));
    return add_ticks(found, make_ticks(lower.times + (no_ticks(lower.rest) ? 0u : 1u), 0u));
}

// Converts to seconds, with a relative error of at most 3e-7.
OP real seconds_of_fine(ticks fine) {
    return real_of_fine(fine) * 1.41723355e-09f;
}

#endif
