// Random numbers for tests: those of the command's crowds, and rotations.
#ifndef LIMBER_TESTS_RANDOM_H
#define LIMBER_TESTS_RANDOM_H

#include "../src/cli/random.h"

#include <math.h>

// A unit quaternion, every direction alike.
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

#endif
