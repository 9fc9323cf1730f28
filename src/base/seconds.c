// Seconds as ticks. A float stands for the simplest fraction of a second near it, so that steps of 1/60 s add up to a
// duration exactly.
#include "seconds.h"

#include <math.h>

uint64_t lmb_whole_ticks(float share, double whole) {
    const double ticks = (double)share * whole;
    const double bound = 0.5 * ((double)share - (double)nextafterf(share, 0.0f)) * whole;
    static const uint32_t threes[] = {1, 3, 9}, fives[] = {1, 5, 25, 125, 625, 3125}, sevens[] = {1, 7, 49};
    uint32_t largest = 0;
    _Static_assert(LMB_TICKS_PER_SECOND == 512u * 9u * 3125u * 49u, "the parts of a second");
    for (uint32_t i = 0; i < 10 * 3 * 6 * 3; i++) {
        const uint32_t part = (1u << i % 10) * threes[i / 10 % 3] * fives[i / 30 % 6] * sevens[i / 180];
        if (part > largest && fabs(rint(ticks / part) * part - ticks) < bound) {
            largest = part;
        }
    }
    return largest > 0 ? (uint64_t)rint(ticks / largest) * largest : 0;
}

uint64_t lmb_ticks_of_float(float seconds) {
    const double per_second = (double)LMB_TICKS_PER_SECOND;
    const uint64_t whole = lmb_whole_ticks(seconds, per_second);
    return whole > 0 ? whole : (uint64_t)llround((double)seconds * per_second);
}
