// Motion databases: checks, the rows of takes, their normalisation, and what a game asks of them.
#include "math/inline_ops.h"

#include "../../shaders/ops/matching.h"
#include "base/float_environment.h"
#include "clip/clip.h"
#include "database.h"
#include "rig/rig.h"
#include "take.h"

#include <math.h>
#include <string.h>

#define MAX_WEIGHT 1000.0f
// A deviation up to this, times the lengths that occur, is rounding.
#define ROUNDING 1e-5

// Groups of features, which share a deviation.
typedef struct group {
    uint32_t first, end;
    enum { POSITIONS, VELOCITIES, HEADINGS } kind;
} group;
#define GROUPS 7
static const group groups[GROUPS] = {{0, 3, POSITIONS},    {3, 6, POSITIONS},   {6, 9, VELOCITIES}, {9, 12, VELOCITIES},
                                     {12, 15, VELOCITIES}, {15, 21, POSITIONS}, {21, 27, HEADINGS}};

lmb_motion_take lmb_default_motion_take(void) {
    return (lmb_motion_take){0};
}

lmb_motion_database_def lmb_default_motion_database_def(void) {
    return (lmb_motion_database_def){.left_foot = LMB_NONE,
                                     .right_foot = LMB_NONE,
                                     .hips = LMB_NONE,
                                     .rate = 30.0f,
                                     .times = {1.0f / 3.0f, 2.0f / 3.0f, 1.0f},
                                     .end = 0.3f,
                                     .weights = {0.75f, 1.0f, 1.0f, 1.0f, 1.5f}};
}

// ---- Checks.

static bool refuse(lmb_error *error, const char *why) {
    return lmb_refuse(error, LMB_ERROR_ARGUMENT, "motion database: %s", why);
}

static bool require(lmb_error *error, bool holds, const char *why) {
    return holds || refuse(error, why);
}

static bool check_joints(const lmb_motion_database_def *def, lmb_error *error) {
    const struct {
        const char *name;
        uint32_t joint;
    } joints[3] = {{"left foot", def->left_foot}, {"right foot", def->right_foot}, {"hips", def->hips}};
    for (int i = 0; i < 3; i++) {
        if (joints[i].joint >= def->rig->joint_count) {
            return lmb_refuse(error, LMB_ERROR_ARGUMENT, "motion database: %s: the rig has %u joints, and no joint %u",
                              joints[i].name, (unsigned)def->rig->joint_count, (unsigned)joints[i].joint);
        }
    }
    return require(error, def->left_foot != def->right_foot, "both feet are the same joint") &&
           require(error, def->hips != def->left_foot && def->hips != def->right_foot, "the hips are a foot");
}

static bool check_numbers(const lmb_motion_database_def *def, lmb_error *error) {
    const lmb_motion_weights *w = &def->weights;
    const float weights[5] = {w->foot_positions, w->foot_velocities, w->hip_velocity, w->path, w->headings};
    for (int i = 0; i < 5; i++) {
        if (!lmb_motion_in_range(weights[i], 0.0f, MAX_WEIGHT)) {
            return refuse(error, "a weight is not between 0 and 1000");
        }
    }
    return require(error, lmb_motion_in_range(def->rate, 1.0f, LMB_MAX_MOTION_RATE),
                   "the rate is not between 1 and 240 rows a second") &&
           require(error, lmb_motion_in_range(def->end, 0.0f, LMB_MAX_MOTION_SECONDS),
                   "the end is not between 0 and 10 seconds") &&
           require(error,
                   def->times[0] > 0.0f && def->times[1] > def->times[0] && def->times[2] > def->times[1] &&
                       def->times[2] <= LMB_MAX_MOTION_SECONDS,
                   "the times ahead do not ascend from above 0 to at most 10 seconds");
}

// Also counts the rows.
static bool check(const lmb_motion_database_def *def, uint32_t *rows, lmb_error *error) {
    const uint32_t count = def->take_count;
    bool valid = require(error, def->rig != NULL, "the rig is NULL") &&
                 require(error, count > 0, "there are no takes") &&
                 lmb_check_list(error, "motion database", "takes", def->takes, count, LMB_MAX_MOTION_TAKES) &&
                 check_joints(def, error) && check_numbers(def, error);
    *rows = 0;
    for (uint32_t i = 0; valid && i < count; i++) {
        valid = lmb_motion_check_take(error, "motion database", def->rig, def->takes, i, def->rate);
        *rows += valid ? lmb_motion_count_rows(&def->takes[i], def->rate) : 0;
        if (valid && *rows > LMB_MAX_MOTION_ROWS) {
            valid = lmb_refuse(error, LMB_ERROR_LIMIT, "motion database: takes 0 to %u have more than %u rows",
                               (unsigned)i, (unsigned)LMB_MAX_MOTION_ROWS);
        }
    }
    return valid;
}

// ---- Creation.

static uint32_t tags_at(const lmb_motion_take *take, float time) {
    uint32_t tags = take->tags;
    for (uint32_t i = 0; i < take->range_count; i++) {
        tags |= time >= take->ranges[i].start && time <= take->ranges[i].end ? take->ranges[i].tags : 0;
    }
    return tags;
}

static double weight_of(const lmb_motion_weights *weights, uint32_t index) {
    const float each[GROUPS] = {weights->foot_positions,  weights->foot_positions, weights->foot_velocities,
                                weights->foot_velocities, weights->hip_velocity,   weights->path,
                                weights->headings};
    return (double)each[index];
}

static double sum_of(const motion_header *header, double (*features)[LMB_MOTION_FEATURES], uint32_t index) {
    double sum = 0.0;
    for (uint32_t row = 0; row < header->row_count; row++) {
        sum += features[row][index];
    }
    return sum;
}

static double squares_of(const motion_header *header, double (*features)[LMB_MOTION_FEATURES], uint32_t index,
                         double mean) {
    double squares = 0.0;
    for (uint32_t row = 0; row < header->row_count; row++) {
        squares += (features[row][index] - mean) * (features[row][index] - mean);
    }
    return squares;
}

// Finds means and deviations, with those of the mirrored rows. Both are exactly symmetric then: those of one foot are
// those of the other one, and means along x have the other sign.
static void find_deviations(motion_header *header, double (*features)[LMB_MOTION_FEATURES],
                            double deviations[LMB_MOTION_FEATURES]) {
    const double count = header->row_count * (header->is_mirrored ? 2.0 : 1.0);
    for (uint32_t i = 0; i < LMB_MOTION_FEATURES; i++) {
        const uint32_t from = mirrored_from(i);
        const double sign = mirrored_number(1, i) == 1 ? 1.0 : -1.0;
        const double reflected = header->is_mirrored ? sign * sum_of(header, features, from) : 0.0;
        header->means[i] = (sum_of(header, features, i) + reflected) / count;
        double squares = squares_of(header, features, i, header->means[i]);
        squares += header->is_mirrored ? squares_of(header, features, from, sign * header->means[i]) : 0.0;
        deviations[i] = sqrt(squares / count);
    }
}

static double largest_of_feet(const motion_header *header, double (*features)[LMB_MOTION_FEATURES]) {
    double length = 0.0;
    for (uint32_t row = 0; row < header->row_count; row++) {
        for (uint32_t i = 0; i < groups[1].end; i++) {
            length = fmax(length, fabs(features[row][i]));
        }
    }
    return length;
}

// Finds the means, and the factors of the deviations and weights.
static void normalize(motion_header *header, const lmb_motion_weights *weights,
                      double (*features)[LMB_MOTION_FEATURES]) {
    double deviations[LMB_MOTION_FEATURES];
    const double length = largest_of_feet(header, features);
    find_deviations(header, features, deviations);
    for (uint32_t i = 0; i < GROUPS; i++) {
        double sum = 0.0;
        for (uint32_t k = groups[i].first; k < groups[i].end; k++) {
            sum += deviations[k];
        }
        const double deviation = sum / (groups[i].end - groups[i].first);
        const double unit = groups[i].kind == HEADINGS     ? 1.0
                            : groups[i].kind == VELOCITIES ? length * (double)header->rate
                                                           : length;
        for (uint32_t k = groups[i].first; k < groups[i].end; k++) {
            header->factors[k] = deviation > ROUNDING * unit ? weight_of(weights, i) / deviation : 0.0;
        }
    }
}

static void find_scale(motion_header *header, double (*features)[LMB_MOTION_FEATURES]) {
    double largest = 0.0;
    for (uint32_t row = 0; row < header->row_count; row++) {
        for (uint32_t i = 0; i < LMB_MOTION_FEATURES; i++) {
            largest = fmax(largest, fabs((features[row][i] - header->means[i]) * header->factors[i]));
        }
    }
    header->scale = largest > 0.0 ? (float)(LMB_MAX_MOTION_FEATURE / largest) : 0.0f;
}

static int16_t number_of(const motion_header *header, uint32_t index, double feature) {
    const double scaled = (feature - header->means[index]) * header->factors[index] * (double)header->scale;
    const double rounded = floor(scaled + 0.5); // NaN stays NaN
    return (int16_t)(rounded >= LMB_MAX_MOTION_FEATURE    ? LMB_MAX_MOTION_FEATURE
                     : rounded <= -LMB_MAX_MOTION_FEATURE ? -LMB_MAX_MOTION_FEATURE
                     : rounded == rounded                 ? rounded
                                                          : 0.0);
}

// Arrays by moment that only creation needs.
typedef struct moments {
    double (*features)[LMB_MOTION_FEATURES];
    int16_t (*numbers)[LMB_MOTION_ROW_SIZE];
    uint32_t *tags;
    bool *can_be_found;
} moments;

static LMB_NOINLINE void fill(lmb_motion_database *database, const lmb_motion_database_def *def, const moments *m) {
    motion_header *header = database->header;
    const uint32_t end = (uint32_t)(def->end * def->rate + 0.5f);
    uint32_t first = 0;
    for (uint32_t i = 0; i < header->take_count; i++) {
        const uint32_t count = lmb_motion_count_rows(&def->takes[i], def->rate);
        database->takes[i] = (motion_take){first, count, def->takes[i].loop ? 1 : 0};
        lmb_motion_features(def, &def->takes[i], count, m->features + first);
        for (uint32_t k = 0; k < count; k++) {
            m->tags[first + k] = tags_at(&def->takes[i], lmb_motion_time(header->rate, k));
            m->can_be_found[first + k] = def->takes[i].loop || k + end < count;
        }
        first += count;
    }
    normalize(header, &def->weights, m->features);
    find_scale(header, m->features);
    for (uint32_t moment = 0; moment < header->row_count; moment++) {
        for (uint32_t i = 0; i < LMB_MOTION_FEATURES; i++) {
            m->numbers[moment][i] = number_of(header, i, m->features[moment][i]);
        }
    }
    lmb_motion_sort(database, (const int16_t(*)[LMB_MOTION_ROW_SIZE])m->numbers, m->tags, m->can_be_found);
    lmb_motion_derive(database);
}

lmb_result lmb_motion_database_create(const lmb_motion_database_def *def, const lmb_host *host,
                                      lmb_motion_database **database, lmb_error *error) {
    lmb_error ignored;
    error = error != NULL ? error : &ignored;
    if (database != NULL) {
        *database = NULL;
    }
    if (def == NULL || database == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "motion database: the %s is NULL",
                        def == NULL ? "definition" : "result");
    }
    uint32_t rows;
    if (!check(def, &rows, error)) {
        return error->result;
    }
    const lmb_host resolved = lmb_host_resolve(host);
    lmb_arena scratch = {.host = &resolved};
    const moments m = {
        lmb_arena_allocate(&scratch, rows, sizeof *m.features), lmb_arena_allocate(&scratch, rows, sizeof *m.numbers),
        lmb_arena_allocate(&scratch, rows, sizeof *m.tags), lmb_arena_allocate(&scratch, rows, sizeof *m.can_be_found)};
    lmb_motion_database *made = scratch.failed ? NULL : lmb_motion_allocate(host, def->take_count, rows);
    if (made != NULL) {
        made->header->rate = def->rate;
        memcpy(made->header->times, def->times, sizeof def->times);
        made->header->is_mirrored = def->mirrored;
        lmb_environment callers;
        lmb_environment_enter(&callers);
        fill(made, def, &m);
        lmb_environment_leave(&callers);
    }
    lmb_arena_release(&scratch);
    *database = made;
    return made != NULL ? LMB_OK
                        : lmb_fail(error, LMB_ERROR_MEMORY, "motion database: no memory for %u rows", (unsigned)rows);
}

// ---- Rows and queries.

uint32_t lmb_motion_database_row_count(const lmb_motion_database *database) {
    return database->header->row_count;
}

lmb_motion_row lmb_motion_database_row(const lmb_motion_database *database, uint32_t row) {
    if (row >= database->header->row_count) {
        return (lmb_motion_row){.take = LMB_NONE};
    }
    const uint32_t take = database->take_of[row], index = database->moment_of[row] - database->takes[take].first;
    return (lmb_motion_row){take, lmb_motion_time(database->header->rate, index), database->tags[row],
                            row < database->header->found_count};
}

uint32_t lmb_motion_database_find_row(const lmb_motion_database *database, uint32_t take, float time) {
    if (take >= database->header->take_count) {
        return LMB_NONE;
    }
    const motion_take *own = &database->takes[take];
    const double at = time > 0.0f ? (double)time * (double)database->header->rate : 0.0;
    uint32_t index = at < own->count - 1 ? (uint32_t)at : own->count - 1;
    // Times of rows are rounded to floats.
    while (index + 1 < own->count && lmb_motion_time(database->header->rate, index + 1) <= time) {
        index++;
    }
    while (index > 0 && lmb_motion_time(database->header->rate, index) > time) {
        index--;
    }
    return database->row_of[own->first + index];
}

const int16_t *lmb_motion_database_features(const lmb_motion_database *database, uint32_t row) {
    return row < database->header->row_count ? database->numbers[row] : NULL;
}

bool lmb_motion_database_is_mirrored(const lmb_motion_database *database) {
    return database->header->is_mirrored != 0;
}

float lmb_motion_database_scale(const lmb_motion_database *database) {
    return database->header->scale;
}

static LMB_NOINLINE void normalize_features(const motion_header *header, const float *features, int16_t *numbers) {
    for (uint32_t i = 0; i < LMB_MOTION_FEATURES; i++) {
        numbers[i] = number_of(header, i, (double)features[i]);
    }
}

void lmb_motion_database_normalize(const lmb_motion_database *database, const float features[LMB_MOTION_FEATURES],
                                   int16_t numbers[LMB_MOTION_ROW_SIZE]) {
    lmb_environment callers;
    lmb_environment_enter(&callers);
    memset(numbers, 0, LMB_MOTION_ROW_SIZE * sizeof *numbers);
    normalize_features(database->header, features, numbers);
    lmb_environment_leave(&callers);
}
