// The windows of a motion graph: clouds of points over the ground, and the minima of the distances between them.
#ifndef LIMBER_SRC_MATCH_CLOUD_H
#define LIMBER_SRC_MATCH_CLOUD_H

#include "math/matrix.h"
#include "take.h"

#include <limber/motion_graph.h>

// A take has a frame for each moment, then, if it loops, those with which its last windows end.
typedef struct cloud_take {
    uint32_t frame;   // the first
    uint32_t moment;  // the first
    uint32_t count;   // of moments
    uint32_t windows; // so many first moments have one
    bool loops;
} cloud_take;

enum { CLOUD_X, CLOUD_Y, CLOUD_Z, CLOUD_PLANE, CLOUD_HEIGHT, CLOUD_SUMS };

typedef struct motion_cloud {
    uint32_t window; // in moments
    uint32_t take_count, frame_count, moment_count, joint_count;
    cloud_take *takes;
    uint32_t *take_of;        // [frame]
    uint32_t *take_at;        // [moment]
    double *points[3];        // [joint][frame]: x, y, z, times the root of the joint's share
    double *roots;            // [joint]
    place *places;            // [frame]
    double *sums[CLOUD_SUMS]; // [frame]: means over the points of the window of x, y, z, x^2 + z^2 and y^2
} motion_cloud;

// Where the distance has a minimum: `to` is like `from`. Moments of all takes.
typedef struct motion_minimum {
    uint32_t from, to;
    float distance, jump;
} motion_minimum;

// The smallest one within a window's length in both directions, in ascending order of their distances.
typedef struct motion_minima {
    motion_minimum *list;
    uint32_t count;
} motion_minima;

// Counts moments and frames, and allocates. A failed allocation shows in the arena.
void lmb_cloud_allocate(motion_cloud *cloud, const lmb_motion_graph_def *def, lmb_arena *memory);
// `models` has room for all joints of the rig.
void lmb_cloud_fill(motion_cloud *cloud, const lmb_motion_graph_def *def, matrix *models);
// Returns false without memory. The list is the host's memory, also then.
bool lmb_cloud_minima(const motion_cloud *cloud, const lmb_motion_graph_def *def, float limit, const lmb_host *host,
                      motion_minima *minima);

// Returns the take of a moment.
static inline const cloud_take *lmb_cloud_take_of(const motion_cloud *cloud, uint32_t moment) {
    return &cloud->takes[cloud->take_at[moment]];
}

#endif
