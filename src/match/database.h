// Internal view of a motion database.
#ifndef LIMBER_SRC_MATCH_DATABASE_H
#define LIMBER_SRC_MATCH_DATABASE_H

#include "base/host.h"

#include <limber/motion_database.h>

// Rows in a small and in a large box.
#define SMALL_BOX 16u
#define LARGE_BOX 64u

// The rows from `first` of a take, in the order of time, and how many last ones cannot be found.
typedef struct motion_take {
    uint32_t first, count;
    bool loop;
} motion_take;

// The extremes of the numbers of some rows, and the tags that any and all of them have.
typedef struct motion_box {
    int16_t low[LMB_MOTION_ROW_SIZE], high[LMB_MOTION_ROW_SIZE];
    uint32_t any, all;
} motion_box;

// A moment is a row before rows are sorted: take by take, in the order of time.
struct lmb_motion_database {
    lmb_host host;
    lmb_arena memory; // of all arrays
    double rate;
    double means[LMB_MOTION_FEATURES], factors[LMB_MOTION_FEATURES]; // of the normalisation
    float scale;
    float times[3]; // of the path, seconds ahead
    uint32_t take_count, row_count;
    uint32_t found_count; // rows from here on cannot be found
    motion_take *takes;
    uint32_t *row_of;                        // [moment]
    uint32_t *moment_of;                     // [row]
    uint32_t *take_of;                       // [row]
    uint32_t *tags;                          // [row]
    int16_t (*numbers)[LMB_MOTION_ROW_SIZE]; // [row]
    motion_box *small, *large;               // of the rows that can be found
};

// Computes the features of all moments of a take, [moment][LMB_MOTION_FEATURES]. features.c.
void lmb_motion_features(const lmb_motion_database_def *def, const lmb_motion_take *take, uint32_t count,
                         double (*features)[LMB_MOTION_FEATURES]);

// Returns the time of a moment of a take.
float lmb_motion_time(double rate, uint32_t index);

// Sorts rows so that neighbours are alike, and makes their boxes. sort.c.
void lmb_motion_sort(lmb_motion_database *database, const int16_t (*numbers)[LMB_MOTION_ROW_SIZE], const uint32_t *tags,
                     const bool *can_be_found);

#endif
