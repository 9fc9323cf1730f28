// Motion databases: checks, the rows of takes, their normalisation, and what a game asks of them.
#include "database.h"

#include "base/float_environment.h"
#include "clip/clip.h"
#include "rig/rig.h"

#include <math.h>
#include <string.h>

#define MAX_RATE 240.0f
#define MAX_SECONDS 10.0f
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
enum { PATH_FEATURE = 15, HEADING_FEATURE = 21 };

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

static bool in_range(float value, float low, float high) {
    return value >= low && value <= high;
}

static bool check_numbers(const lmb_motion_database_def *def, lmb_error *error) {
    const lmb_motion_weights *w = &def->weights;
    const float weights[5] = {w->foot_positions, w->foot_velocities, w->hip_velocity, w->path, w->headings};
    for (int i = 0; i < 5; i++) {
        if (!in_range(weights[i], 0.0f, MAX_WEIGHT)) {
            return refuse(error, "a weight is not between 0 and 1000");
        }
    }
    return require(error, in_range(def->rate, 1.0f, MAX_RATE), "the rate is not between 1 and 240 rows a second") &&
           require(error, in_range(def->end, 0.0f, MAX_SECONDS), "the end is not between 0 and 10 seconds") &&
           require(error,
                   def->times[0] > 0.0f && def->times[1] > def->times[0] && def->times[2] > def->times[1] &&
                       def->times[2] <= MAX_SECONDS,
                   "the times ahead do not ascend from above 0 to at most 10 seconds");
}

static bool check_motion(const lmb_motion_take *take, const char **why) {
    const lmb_motion_track *track = take->motion;
    bool valid = true;
    for (int i = 0; i < 3; i++) {
        valid = valid && in_range(take->velocity[i], -LMB_MAX_MOTION, LMB_MAX_MOTION);
    }
    *why = "its velocity is not finite, or too large";
    if (track == NULL || !valid) {
        return valid;
    }
    *why = "its motion has rotations";
    if (track->rotations != NULL) {
        return false;
    }
    *why = "its motion has no keys, too few or too many";
    if (track->keys == NULL || track->key_count < 2 || track->key_count > LMB_MAX_MOTION_KEYS) {
        return false;
    }
    *why = "a key of its motion is not finite, or too large";
    for (size_t i = 0; valid && i < (size_t)track->key_count * 4; i++) {
        valid = in_range(track->keys[i], -LMB_MAX_MOTION, LMB_MAX_MOTION);
    }
    return valid;
}

static bool check_ranges(const lmb_motion_take *take, const char **why) {
    *why = "its ranges are NULL";
    bool valid = take->ranges != NULL || take->range_count == 0;
    for (uint32_t i = 0; valid && i < take->range_count; i++) {
        *why = "a range of tags does not end after its start";
        valid = take->ranges[i].start <= take->ranges[i].end && isfinite(take->ranges[i].start) &&
                isfinite(take->ranges[i].end);
    }
    return valid;
}

// Returns the rows of a take.
static uint32_t count_rows(const lmb_motion_take *take, double rate) {
    const float duration = lmb_clip_duration(take->clip);
    uint32_t count = (uint32_t)fmin((double)duration * rate, 2.0 * LMB_MAX_MOTION_ROWS);
    for (float time = lmb_motion_time(rate, count); take->loop ? time < duration : time <= duration;) {
        time = lmb_motion_time(rate, ++count);
    }
    while (count > 0 &&
           (take->loop ? lmb_motion_time(rate, count - 1) >= duration : lmb_motion_time(rate, count - 1) > duration)) {
        count--;
    }
    return count;
}

static bool check_take(const lmb_motion_database_def *def, uint32_t index, lmb_error *error) {
    const lmb_motion_take *take = &def->takes[index];
    const char *why = "has no clip";
    bool valid = take->clip != NULL;
    if (valid) {
        why = "its clip is for another number of joints";
        valid = lmb_clip_joint_count(take->clip) == def->rig->joint_count;
    }
    if (valid) {
        why = "its clip is an additive";
        valid = !lmb_clip_is_additive(take->clip);
    }
    if (valid) {
        why = "its clip is shorter than two rows";
        valid = count_rows(take, (double)def->rate) >= 2;
    }
    return (valid && check_motion(take, &why) && check_ranges(take, &why)) ||
           lmb_refuse(error, LMB_ERROR_ARGUMENT, "motion database: take %u: %s", (unsigned)index, why);
}

static bool check(const lmb_motion_database_def *def, lmb_error *error) {
    const uint32_t count = def->take_count;
    bool valid = require(error, def->rig != NULL, "the rig is NULL") &&
                 require(error, count > 0, "there are no takes") &&
                 lmb_check_list(error, "motion database", "takes", def->takes, count, LMB_MAX_MOTION_TAKES) &&
                 check_joints(def, error) && check_numbers(def, error);
    uint64_t rows = 0;
    for (uint32_t i = 0; valid && i < count; i++) {
        valid = check_take(def, i, error);
        rows += valid ? count_rows(&def->takes[i], (double)def->rate) : 0;
        valid = valid && (rows <= LMB_MAX_MOTION_ROWS ||
                          lmb_refuse(error, LMB_ERROR_LIMIT,
                                     "motion database: takes 0 to %u have %llu rows, and %u are "
                                     "possible",
                                     (unsigned)i, (unsigned long long)rows, (unsigned)LMB_MAX_MOTION_ROWS));
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

// Finds the means, and the factors of the deviations and weights.
static void normalize(lmb_motion_database *database, const lmb_motion_weights *weights,
                      double (*features)[LMB_MOTION_FEATURES]) {
    double deviations[LMB_MOTION_FEATURES], length = 0.0;
    for (uint32_t i = 0; i < LMB_MOTION_FEATURES; i++) {
        double sum = 0.0, squares = 0.0;
        for (uint32_t row = 0; row < database->row_count; row++) {
            sum += features[row][i];
            length = i < groups[1].end ? fmax(length, fabs(features[row][i])) : length;
        }
        database->means[i] = sum / database->row_count;
        for (uint32_t row = 0; row < database->row_count; row++) {
            const double difference = features[row][i] - database->means[i];
            squares += difference * difference;
        }
        deviations[i] = sqrt(squares / database->row_count);
    }
    for (uint32_t i = 0; i < GROUPS; i++) {
        double sum = 0.0;
        for (uint32_t k = groups[i].first; k < groups[i].end; k++) {
            sum += deviations[k];
        }
        const double deviation = sum / (groups[i].end - groups[i].first);
        const double unit = groups[i].kind == HEADINGS     ? 1.0
                            : groups[i].kind == VELOCITIES ? length * database->rate
                                                           : length;
        for (uint32_t k = groups[i].first; k < groups[i].end; k++) {
            database->factors[k] = deviation > ROUNDING * unit ? weight_of(weights, i) / deviation : 0.0;
        }
    }
}

static void find_scale(lmb_motion_database *database, double (*features)[LMB_MOTION_FEATURES]) {
    double largest = 0.0;
    for (uint32_t row = 0; row < database->row_count; row++) {
        for (uint32_t i = 0; i < LMB_MOTION_FEATURES; i++) {
            largest = fmax(largest, fabs((features[row][i] - database->means[i]) * database->factors[i]));
        }
    }
    database->scale = largest > 0.0 ? (float)(LMB_MAX_MOTION_FEATURE / largest) : 0.0f;
}

static int16_t number_of(const lmb_motion_database *database, uint32_t index, double feature) {
    const double scaled = (feature - database->means[index]) * database->factors[index] * (double)database->scale;
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
    const uint32_t end = (uint32_t)(def->end * def->rate + 0.5f);
    for (uint32_t i = 0; i < database->take_count; i++) {
        const motion_take *own = &database->takes[i];
        lmb_motion_features(def, &def->takes[i], own->count, m->features + own->first);
        for (uint32_t k = 0; k < own->count; k++) {
            m->tags[own->first + k] = tags_at(&def->takes[i], lmb_motion_time(database->rate, k));
            m->can_be_found[own->first + k] = own->loop || k + end < own->count;
        }
    }
    normalize(database, &def->weights, m->features);
    find_scale(database, m->features);
    for (uint32_t moment = 0; moment < database->row_count; moment++) {
        for (uint32_t i = 0; i < LMB_MOTION_FEATURES; i++) {
            m->numbers[moment][i] = number_of(database, i, m->features[moment][i]);
        }
    }
    lmb_motion_sort(database, (const int16_t(*)[LMB_MOTION_ROW_SIZE])m->numbers, m->tags, m->can_be_found);
    for (uint32_t i = 0; i < database->take_count; i++) {
        for (uint32_t k = 0; k < database->takes[i].count; k++) {
            database->take_of[database->row_of[database->takes[i].first + k]] = i;
        }
    }
}

static void find_takes(lmb_motion_database *database, const lmb_motion_database_def *def) {
    for (uint32_t i = 0; i < def->take_count; i++) {
        motion_take *own = &database->takes[i];
        *own = (motion_take){database->row_count, count_rows(&def->takes[i], database->rate), def->takes[i].loop};
        database->row_count += own->count;
    }
}

static lmb_result create(const lmb_motion_database_def *def, lmb_motion_database *database, lmb_error *error) {
    database->rate = (double)def->rate;
    database->take_count = def->take_count;
    memcpy(database->times, def->times, sizeof database->times);
    database->takes = lmb_arena_allocate(&database->memory, def->take_count, sizeof *database->takes);
    if (database->takes != NULL) {
        find_takes(database, def);
    }
    const size_t rows = database->row_count;
    lmb_arena scratch = {.host = &database->host};
    const moments m = {
        lmb_arena_allocate(&scratch, rows, sizeof *m.features), lmb_arena_allocate(&scratch, rows, sizeof *m.numbers),
        lmb_arena_allocate(&scratch, rows, sizeof *m.tags), lmb_arena_allocate(&scratch, rows, sizeof *m.can_be_found)};
    database->row_of = lmb_arena_allocate(&database->memory, rows, sizeof *database->row_of);
    database->moment_of = lmb_arena_allocate(&database->memory, rows, sizeof *database->moment_of);
    database->take_of = lmb_arena_allocate(&database->memory, rows, sizeof *database->take_of);
    database->tags = lmb_arena_allocate(&database->memory, rows, sizeof *database->tags);
    database->numbers = lmb_arena_allocate(&database->memory, rows, sizeof *database->numbers);
    database->small = lmb_arena_allocate(&database->memory, rows / SMALL_BOX + 1, sizeof *database->small);
    database->large = lmb_arena_allocate(&database->memory, rows / LARGE_BOX + 1, sizeof *database->large);
    const bool failed = scratch.failed || database->memory.failed;
    if (!failed) {
        lmb_environment callers;
        lmb_environment_enter(&callers);
        fill(database, def, &m);
        lmb_environment_leave(&callers);
    }
    lmb_arena_release(&scratch);
    return failed ? lmb_fail(error, LMB_ERROR_MEMORY, "motion database: no memory for %zu rows", rows) : LMB_OK;
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
    if (!check(def, error)) {
        return error->result;
    }
    const lmb_host resolved = lmb_host_resolve(host);
    lmb_motion_database *made = lmb_host_allocate(&resolved, 1, sizeof *made);
    if (made == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "motion database: no memory");
    }
    made->host = resolved;
    made->memory.host = &made->host;
    const lmb_result result = create(def, made, error);
    if (result != LMB_OK) {
        lmb_motion_database_destroy(made);
        return result;
    }
    *database = made;
    return LMB_OK;
}

void lmb_motion_database_destroy(lmb_motion_database *database) {
    if (database != NULL) {
        const lmb_host host = database->host;
        lmb_arena_release(&database->memory);
        lmb_host_release(&host, database);
    }
}

// ---- Rows and queries.

uint32_t lmb_motion_database_row_count(const lmb_motion_database *database) {
    return database->row_count;
}

lmb_motion_row lmb_motion_database_row(const lmb_motion_database *database, uint32_t row) {
    if (row >= database->row_count) {
        return (lmb_motion_row){.take = LMB_NONE};
    }
    const uint32_t take = database->take_of[row], index = database->moment_of[row] - database->takes[take].first;
    return (lmb_motion_row){take, lmb_motion_time(database->rate, index), database->tags[row],
                            row < database->found_count};
}

uint32_t lmb_motion_database_find_row(const lmb_motion_database *database, uint32_t take, float time) {
    if (take >= database->take_count) {
        return LMB_NONE;
    }
    const motion_take *own = &database->takes[take];
    const double at = time > 0.0f ? (double)time * database->rate : 0.0;
    uint32_t index = at < own->count - 1 ? (uint32_t)at : own->count - 1;
    // Times of rows are rounded to floats.
    while (index + 1 < own->count && lmb_motion_time(database->rate, index + 1) <= time) {
        index++;
    }
    while (index > 0 && lmb_motion_time(database->rate, index) > time) {
        index--;
    }
    return database->row_of[own->first + index];
}

const int16_t *lmb_motion_database_features(const lmb_motion_database *database, uint32_t row) {
    return row < database->row_count ? database->numbers[row] : NULL;
}

float lmb_motion_database_scale(const lmb_motion_database *database) {
    return database->scale;
}

static LMB_NOINLINE void normalize_some(const lmb_motion_database *database, uint32_t first, uint32_t end,
                                        const float *features, int16_t *numbers) {
    for (uint32_t i = first; i < end; i++) {
        numbers[i] = number_of(database, i, (double)features[i - first]);
    }
}

void lmb_motion_database_normalize(const lmb_motion_database *database, const float features[LMB_MOTION_FEATURES],
                                   int16_t numbers[LMB_MOTION_ROW_SIZE]) {
    lmb_environment callers;
    lmb_environment_enter(&callers);
    memset(numbers, 0, LMB_MOTION_ROW_SIZE * sizeof *numbers);
    normalize_some(database, 0, LMB_MOTION_FEATURES, features, numbers);
    lmb_environment_leave(&callers);
}

void lmb_motion_database_query(const lmb_motion_database *database, uint32_t row, const lmb_motion_path *path,
                               int16_t query[LMB_MOTION_ROW_SIZE]) {
    lmb_environment callers;
    lmb_environment_enter(&callers);
    memset(query, 0, LMB_MOTION_ROW_SIZE * sizeof *query);
    if (row < database->row_count) {
        memcpy(query, database->numbers[row], PATH_FEATURE * sizeof *query);
    }
    normalize_some(database, PATH_FEATURE, HEADING_FEATURE, path->positions[0], query);
    normalize_some(database, HEADING_FEATURE, LMB_MOTION_FEATURES, path->headings[0], query);
    lmb_environment_leave(&callers);
}
