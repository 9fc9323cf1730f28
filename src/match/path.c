// Where a character will be if it approaches a desired velocity and heading as critically damped springs do, and the
// query for that.
#include "math/inline_ops.h"

#include "../../shaders/ops/matching.h"
#include "base/float_environment.h"
#include "database.h"

#define MAX_HALF_LIFE 10.0f
// A shorter one counts as none.
#define MIN_HALF_LIFE 1e-4f
#define TWICE_LN_2 1.38629436f

lmb_desired_motion lmb_default_desired_motion(void) {
    return (lmb_desired_motion){.half_life = 0.27f};
}

float lmb_motion_spring(float half_life) {
    const float bounded = half_life < MAX_HALF_LIFE ? half_life : MAX_HALF_LIFE;
    return bounded >= MIN_HALF_LIFE ? TWICE_LN_2 * reciprocal(bounded) : 0.0f;
}

void lmb_motion_ahead(float time, float half_life, float *ahead) {
    const float rate = lmb_motion_spring(half_life), at = rate * time, period = reciprocal(rate);
    const float left = exponential2(snap(at * -1.44269502f)); // 1 / ln 2
    const float gone = 1.0f - left;
    ahead[0] = time;
    ahead[1] = rate > 0.0f ? 1.0f - left * (1.0f + at) : 1.0f;
    ahead[2] = gone * period;
    ahead[3] = (gone * period - left * time) * period;
}

static LMB_NOINLINE void predict(const lmb_motion_database *database, const lmb_desired_motion *motion,
                                 lmb_motion_path *path) {
    const float rate = lmb_motion_spring(snap(motion->half_life));
    const word turn = angle_of_turns(turns_of_radians(snap(motion->desired_turn)));
    for (int i = 0; i < 3; i++) {
        float ahead[AHEAD_WORDS];
        lmb_motion_ahead(database->header->times[i], snap(motion->half_life), ahead);
        for (int k = 0; k < 2; k++) {
            const float desired = snap(motion->desired_velocity[k]);
            const approach f = make_approach(snap(motion->velocity[k]), snap(motion->acceleration[k]), desired, rate);
            path->positions[i][k] = place_ahead(f, desired, ahead[0], ahead[2], ahead[3]);
        }
        const direction heading = heading_ahead(turn, ahead[1]);
        path->headings[i][0] = heading.sine;
        path->headings[i][1] = heading.cosine;
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

static LMB_NOINLINE void normalize_path(const motion_header *header, const lmb_motion_path *path, int16_t *query) {
    for (uint32_t i = MATCH_PATH; i < MATCH_FEATURES; i++) {
        const uint32_t at = i - MATCH_PATH, heading = at - 6;
        const float feature = at < 6 ? path->positions[at / 2][at % 2] : path->headings[heading / 2][heading % 2];
        const float mean = lmb_motion_mean(header, i);
        query[i] = (int16_t)match_number(is_nan(feature) ? mean : snap(feature), mean, lmb_motion_factor(header, i));
    }
}

void lmb_motion_database_query(const lmb_motion_database *database, uint32_t row, bool mirrored,
                               const lmb_motion_path *path, int16_t query[LMB_MOTION_ROW_SIZE]) {
    lmb_environment callers;
    lmb_environment_enter(&callers);
    memset(query, 0, LMB_MOTION_ROW_SIZE * sizeof *query);
    if (row < database->header->row_count && mirrored) {
        lmb_motion_mirror(database->header->mirrors, database->numbers[row], query);
    } else if (row < database->header->row_count) {
        memcpy(query, database->numbers[row], LMB_MOTION_ROW_SIZE * sizeof *query);
    }
    normalize_path(database->header, path, query);
    lmb_environment_leave(&callers);
}
