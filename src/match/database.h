// Internal view of a motion database.
#ifndef LIMBER_SRC_MATCH_DATABASE_H
#define LIMBER_SRC_MATCH_DATABASE_H

#include "base/host.h"

#include <limber/motion_database.h>

#include "../../shaders/ops/match_layout.h"

// The moments from `first` of a take, in the order of time. A moment is a row before rows are sorted.
typedef struct motion_take {
    uint32_t first, count;
    uint32_t loops; // 0 or 1
} motion_take;

// The extremes of the numbers of some rows, and the tags that any and all of them have.
typedef struct motion_box {
    int16_t low[LMB_MOTION_ROW_SIZE], high[LMB_MOTION_ROW_SIZE];
    uint32_t any, all;
} motion_box;

// What a block begins with. The arrays of the database that are marked with a star follow, in their order.
typedef struct motion_header {
    uint32_t magic, version;
    uint32_t take_count, row_count;
    uint32_t found_count; // rows from here on cannot be found
    float rate, scale;
    float times[3];                                                  // of the path, seconds ahead
    uint32_t is_mirrored;                                            // 1: rows count mirrored, too
    uint32_t feature_count;                                          // of a row; the numbers after them are 0
    uint32_t mirrors[LMB_MOTION_ROW_SIZE];                           // MATCH_MIRROR_FROM, MATCH_MIRROR_NEGATES
    double means[LMB_MOTION_ROW_SIZE], factors[LMB_MOTION_ROW_SIZE]; // of the normalisation
} motion_header;
_Static_assert(sizeof(motion_header) == 48 + 20 * LMB_MOTION_ROW_SIZE, "a block has no unused bytes");

struct lmb_motion_database {
    lmb_host host;
    lmb_motion_database_info info;
    lmb_arena memory; // of all arrays
    size_t size;      // of the block, in bytes
    motion_header *header;
    motion_take *takes;                      // * [take]
    uint32_t *moment_of;                     // * [row]
    uint32_t *tags;                          // * [row]
    int16_t (*numbers)[LMB_MOTION_ROW_SIZE]; // * [row]
    uint32_t *row_of;                        // [moment]
    uint32_t *take_of;                       // [row]
    motion_box *small, *large;               // of the rows that can be found
};

// Mean and factor by which a feature of a path becomes a number (match_number() in shaders/ops).
static inline float lmb_motion_mean(const motion_header *header, uint32_t feature) {
    return (float)header->means[feature];
}

static inline float lmb_motion_factor(const motion_header *header, uint32_t feature) {
    return (float)(header->factors[feature] * (double)header->scale);
}

// Allocates a database without contents, and returns NULL if there is no memory. block.c.
lmb_motion_database *lmb_motion_allocate(const lmb_host *host, uint32_t take_count, uint32_t row_count);
// Finds what follows from the contents of the block.
void lmb_motion_derive(lmb_motion_database *database);

// Computes the features of all moments of a take. features.c.
void lmb_motion_features(const lmb_motion_database_def *def, const lmb_motion_take *take, uint32_t count,
                         double (*features)[LMB_MOTION_ROW_SIZE]);

// ---- normalization.c.

#define LMB_MOST_MOTION_JOINTS (LMB_MOTION_ROW_SIZE - LMB_MOTION_FEATURES)

static inline uint32_t lmb_motion_count_axes(const lmb_motion_joint *joint) {
    return (uint32_t)joint->axes[0] + (uint32_t)joint->axes[1] + (uint32_t)joint->axes[2];
}

// Writes of which feature each one of a mirrored row comes, without further joints.
void lmb_motion_write_mirrors(uint32_t mirrors[LMB_MOTION_ROW_SIZE]);
// Writes how many features there are, and of which those of further joints in mirrored rows come.
void lmb_motion_count_features(motion_header *header, const lmb_motion_database_def *def);
// Finds means, factors and the scale.
void lmb_motion_normalize(motion_header *header, const lmb_motion_database_def *def,
                          double (*features)[LMB_MOTION_ROW_SIZE]);
// Returns a feature as a number of a row.
int16_t lmb_motion_number(const motion_header *header, uint32_t index, double feature);

// The rows of a database, in its own memory or in a control's block.
typedef struct lmb_motion_rows {
    bool are_mirrored;       // they count mirrored, too
    const uint32_t *mirrors; // [number]
    uint32_t row_count, found_count;
    const motion_take *takes;
    const uint32_t *moment_of, *take_of, *tags; // [row]
    const int16_t (*numbers)[LMB_MOTION_ROW_SIZE];
    const motion_box *small, *large;
} lmb_motion_rows;

lmb_motion_rows lmb_motion_rows_of(const lmb_motion_database *database);

// Moments from the first to the last.
typedef struct lmb_motion_range {
    uint32_t first, last;
} lmb_motion_range;

#define LMB_MOST_MOTION_RANGES (2 * (1 + LMB_MAX_MOTION_RECENT))

// A search in whole numbers.
typedef struct lmb_motion_question {
    int16_t query[LMB_MOTION_ROW_SIZE];
    uint32_t required, forbidden;
    uint32_t current; // choice (match_layout.h) that costs `bonus` less, or LMB_NONE
    uint32_t bonus;
    lmb_motion_range left_out[LMB_MOST_MOTION_RANGES];
    uint32_t left_out_count;
} lmb_motion_question;

// Finds the choice with the smallest cost, and of those the first: cost in the upper half, choice in the lower one.
// UINT64_MAX: no row fits. search.c.
uint64_t lmb_motion_find(const lmb_motion_rows *rows, const lmb_motion_question *question);
// Writes the numbers of a mirrored row. search.c.
void lmb_motion_mirror(const uint32_t mirrors[LMB_MOTION_ROW_SIZE], const int16_t numbers[LMB_MOTION_ROW_SIZE],
                       int16_t mirrored[LMB_MOTION_ROW_SIZE]);
// Returns seconds as whole rows, and a bonus as a cost.
uint32_t lmb_motion_rows_in(float rate, float seconds);
uint32_t lmb_motion_cost_of(float scale, float bonus);
// Writes how far springs are after a time: [AHEAD_WORDS]. path.c.
void lmb_motion_ahead(float time, float half_life, float *ahead);
// Returns the rate of a spring, 0 without a half-life.
float lmb_motion_spring(float half_life);

// Returns the time of a moment of a take.
static inline float lmb_motion_time(float rate, uint32_t index) {
    return (float)(index / (double)rate);
}

// Sorts rows so that neighbours are alike. sort.c.
void lmb_motion_sort(lmb_motion_database *database, const int16_t (*numbers)[LMB_MOTION_ROW_SIZE], const uint32_t *tags,
                     const bool *can_be_found);

#endif
