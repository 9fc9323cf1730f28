// Random numbers for tests: the generator of the command's crowds, rotations, and values at the edges of ranges.
#ifndef LIMBER_TESTS_SUPPORT_RANDOM_H
#define LIMBER_TESTS_SUPPORT_RANDOM_H

#include "tools/random.h"

#include <limber/math.h>
#include <math.h>
#include <string.h>

// A unit quaternion, uniformly distributed.
static inline void random_rotation(random_source *source, float rotation[4]) {
    double q[4], square;
    do {
        square = 0.0;
        for (int i = 0; i < 4; i++) {
            q[i] = random_between(source, -1.0, 1.0);
            square += q[i] * q[i];
        }
    } while (square > 1.0 || square < 0.01);
    for (int i = 0; i < 4; i++) {
        rotation[i] = (float)(q[i] / sqrt(square));
    }
}

// Returns arbitrary bits, a value near a limit of the snapping rule, a value with few mantissa bits so that sums cancel
// exactly, or a usual value.
static inline float random_extreme(random_source *source) {
    static const uint32_t edges[] = {0x00000000u, 0x80000000u, 0x3f800000u, 0xbf800000u, 0x2b800000u, 0xab800000u,
                                     0x53800000u, 0xd3800000u, 0x2b7fffffu, 0x53800001u, 0x00000001u, 0x80000001u,
                                     0x007fffffu, 0x807fffffu, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0xff800001u,
                                     0x7f7fffffu, 0x3f000000u, 0x3f7fffffu};
    uint32_t bits;
    float value;
    switch (random_below(source, 8)) {
    case 0:
        bits = (uint32_t)random_bits(source);
        break;
    case 1:
    case 2:
        bits = edges[random_below(source, sizeof edges / sizeof edges[0])];
        break;
    case 3:
    case 4:
        bits = (127u - 42u + random_below(source, 85)) << 23 | (uint32_t)(random_bits(source) & 0x80700000u);
        break;
    case 5:
        bits = (127u - 42u + random_below(source, 85)) << 23 | (uint32_t)(random_bits(source) & 0x807fffffu);
        break;
    default:
        return (float)random_between(source, -1.5, 1.5);
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

// A value that builders accept.
static inline float random_allowed(random_source *source) {
    for (;;) {
        float value = random_extreme(source);
        if (fabsf(value) <= LMB_LARGEST) {
            return value;
        }
    }
}

#endif
