// Takes for tests of motion matching and motion graphs: a rig, random clips with root motion, loops and others, and in
// float64 where their joints are and where they have moved their character, written from motion_database.h.
#ifndef LIMBER_TESTS_SUPPORT_MOTION_TAKES_H
#define LIMBER_TESTS_SUPPORT_MOTION_TAKES_H

#include "random.h"
#include "suite.h"

#include <limber/motion_database.h>

enum { ROOT, HIPS, SPINE, LEFT_THIGH, LEFT_SHIN, LEFT_FOOT, RIGHT_THIGH, RIGHT_FOOT, TAKE_JOINTS };
enum { TAKE_TRACKS = 5, TAKE_KEYS = 24, TAKE_RANGES = 3 };

static inline void *allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    assert_non_null(memory);
    return memory;
}

static inline void assert_near(double value, double expected, double bound, const char *what) {
    if (!(fabs(value - expected) <= bound)) {
        fail_msg("%s: %.9g instead of %.9g", what, value, expected);
    }
}

// A take with everything that it is made of.
typedef struct take_source {
    lmb_motion_take take;
    lmb_clip *clip;
    lmb_clip_def clip_def;
    lmb_motion_track motion;
    lmb_track_def tracks[TAKE_TRACKS];
    float times[TAKE_KEYS], values[TAKE_TRACKS][TAKE_KEYS * 9], motion_keys[TAKE_KEYS * 4];
    lmb_motion_tag_range ranges[TAKE_RANGES];
} take_source;

typedef enum travel {
    TRAVEL_NONE,
    TRAVEL_VELOCITY, // constant
    TRAVEL_STRAIGHT, // by a motion track without yaw
    TRAVEL_TURNING,
    TRAVELS
} travel;

// Where a character is in the plane and in height, and where it heads.
typedef struct place {
    double p[3], yaw;
} place;

// A rig whose root is turned and scaled, as exporters write it, and whose feet are at different depths.
lmb_rig *make_take_rig(void);

// A take in which everything moves. A loop has the same pose at both ends.
void make_random_take(take_source *t, const lmb_rig *rig, double duration, bool loop, travel kind, double rate,
                      random_source *source);

void release_takes(take_source *takes, uint32_t count);

uint32_t count_take_moments(const take_source *t, double rate);

// The place b as it is seen from a.
place place_seen_from(const place *a, const place *b);

// The place that b is, seen from a.
place place_go_on(const place *a, const place *b);

// Where a take has moved its character at any time, seen from where it begins.
place take_place_at(const take_source *t, double time, double rate);

// Positions of the joints in the model, as the clip has them.
void take_positions_at(const lmb_rig *rig, const take_source *t, double time, double positions[TAKE_JOINTS][3]);

// A clip that moves joints along straight lines, from what `from` says to what `to` says.
void make_line_take(take_source *t, const lmb_rig *rig, float duration, uint32_t joint, const float from[3],
                    const float to[3]);

#endif
