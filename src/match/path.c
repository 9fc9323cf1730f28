// Where a character will be if it approaches a desired velocity and heading as critically damped springs do.
#include "math/inline_ops.h"

#include "../../shaders/ops/number.h"
#include "base/float_environment.h"
#include "database.h"

#include <limber/math.h>

#define MAX_HALF_LIFE 10.0f
// A shorter one counts as none.
#define MIN_HALF_LIFE 1e-4f
#define TWICE_LN_2 1.38629436f

lmb_desired_motion lmb_default_desired_motion(void) {
    return (lmb_desired_motion){.half_life = 0.27f};
}

// How far springs are after a time.
typedef struct spring {
    float turned; // of the desired turn
    float moved;  // seconds of the difference between the velocities
} spring;

static spring spring_at(float time, float half_life) {
    if (!(half_life >= MIN_HALF_LIFE)) {
        return (spring){1.0f, 0.0f};
    }
    const float halves = time * reciprocal(half_life), at = TWICE_LN_2 * halves;
    const float left = exponential2(snap(-2.0f * halves));
    return (spring){1.0f - left * (1.0f + at), (2.0f - left * (2.0f + at)) * (half_life * (1.0f / TWICE_LN_2))};
}

static LMB_NOINLINE void predict(const lmb_motion_database *database, const lmb_desired_motion *motion,
                                 lmb_motion_path *path) {
    const float half_life = snap(motion->half_life), turn = snap(motion->desired_turn);
    for (int i = 0; i < 3; i++) {
        const float time = database->header->times[i];
        const spring spring = spring_at(time, half_life < MAX_HALF_LIFE ? half_life : MAX_HALF_LIFE);
        for (int k = 0; k < 2; k++) {
            const float desired = snap(motion->desired_velocity[k]);
            path->positions[i][k] = snap(desired * time + (snap(motion->velocity[k]) - desired) * spring.moved);
        }
        path->headings[i][0] = lmb_sine(turn * spring.turned);
        path->headings[i][1] = lmb_cosine(turn * spring.turned);
    }
}

lmb_motion_path lmb_motion_database_path(const lmb_motion_database *database, const lmb_desired_motion *motion) {
    lmb_motion_path path;
    lmb_environment callers;
    lmb_environment_enter(&callers);
    predict(database, motion, &path);
    lmb_environment_leave(&callers);
    return path;
}
