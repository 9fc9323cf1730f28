// Motion databases: checks, the rows of takes, and what a game asks of them.
#include "database.h"
#include "base/float_environment.h"
#include "clip/clip.h"
#include "rig/rig.h"
#include "take.h"

#include <math.h>
#include <string.h>

#define MAX_WEIGHT 1000.0f

lmb_motion_take lmb_default_motion_take(void) {
    return (lmb_motion_take){0};
}

lmb_motion_joint lmb_default_motion_joint(void) {
    return (lmb_motion_joint){.joint = LMB_NONE, .axes = {true, true, true}, .weight = 1.0f, .mirror = LMB_NONE};
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
        if (joints[i].joint >= def->rig->def.joint_count) {
            return lmb_refuse(error, LMB_ERROR_ARGUMENT, "motion database: %s: the rig has %u joints, and no joint %u",
                              joints[i].name, (unsigned)def->rig->def.joint_count, (unsigned)joints[i].joint);
        }
    }
    return require(error, def->left_foot != def->right_foot, "both feet are the same joint") &&
           require(error, def->hips != def->left_foot && def->hips != def->right_foot, "the hips are a foot");
}

static bool refuse_joint(lmb_error *error, uint32_t index, const char *why) {
    return lmb_refuse(error, LMB_ERROR_ARGUMENT, "motion database: joint feature %u: %s", (unsigned)index, why);
}

// Checks that the mirror image of a joint's features is there, and that theirs are these.
static bool check_mirror(const lmb_motion_database_def *def, uint32_t index, lmb_error *error) {
    const lmb_motion_joint *joint = &def->joints[index], *other = joint;
    if (joint->mirror != LMB_NONE) {
        if (joint->mirror >= def->joint_count) {
            return refuse_joint(error, index, "its mirror image is out of range");
        }
        other = &def->joints[joint->mirror];
        const uint32_t back = other->mirror != LMB_NONE ? other->mirror : joint->mirror;
        if (back != index) {
            return refuse_joint(error, index, "it is not the mirror image of its mirror image");
        }
    }
    const bool is_alike = joint->is_velocity == other->is_velocity && joint->weight == other->weight &&
                          memcmp(joint->axes, other->axes, sizeof joint->axes) == 0;
    return is_alike || refuse_joint(error, index, "its mirror image has other axes, another kind or another weight");
}

static bool check_joint_features(const lmb_motion_database_def *def, lmb_error *error) {
    if (!lmb_check_list(error, "motion database", "joints", def->joints, def->joint_count, LMB_MOST_MOTION_JOINTS)) {
        return false;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < def->joint_count; i++) {
        const lmb_motion_joint *joint = &def->joints[i];
        if (joint->joint >= def->rig->def.joint_count) {
            return refuse_joint(error, i, "the rig has no such joint");
        }
        if (lmb_motion_count_axes(joint) == 0) {
            return refuse_joint(error, i, "it has no axis");
        }
        if (!lmb_motion_in_range(joint->weight, 0.0f, MAX_WEIGHT)) {
            return refuse_joint(error, i, "its weight is not between 0 and 1000");
        }
        if (!check_mirror(def, i, error)) {
            return false;
        }
        count += lmb_motion_count_axes(joint);
    }
    return count <= LMB_MOST_MOTION_JOINTS ||
           lmb_refuse(error, LMB_ERROR_LIMIT, "motion database: joints have %u features, and there is room for %u",
                      (unsigned)count, (unsigned)LMB_MOST_MOTION_JOINTS);
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
                 check_joints(def, error) && check_joint_features(def, error) && check_numbers(def, error);
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

// Arrays by moment that only creation needs.
typedef struct moments {
    double (*features)[LMB_MOTION_ROW_SIZE];
    int16_t (*numbers)[LMB_MOTION_ROW_SIZE];
    uint32_t *tags;
    bool *can_be_found;
} moments;

static LMB_NOINLINE void fill(lmb_motion_database *database, const lmb_motion_database_def *def, const moments *m) {
    motion_header *header = database->header;
    const uint32_t end = (uint32_t)(def->end * def->rate + 0.5f);
    lmb_motion_count_features(header, def);
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
    lmb_motion_normalize(header, def, m->features);
    for (uint32_t moment = 0; moment < header->row_count; moment++) {
        for (uint32_t i = 0; i < header->feature_count; i++) {
            m->numbers[moment][i] = lmb_motion_number(header, i, m->features[moment][i]);
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

const lmb_motion_database_info *lmb_motion_database_get_info(const lmb_motion_database *database) {
    return &database->info;
}
