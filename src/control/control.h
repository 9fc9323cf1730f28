// Internal view of a control: one block of words that the CPU and the GPU read in the same form. The layout is in
// shaders/ops/control_layout.h.
#ifndef LIMBER_SRC_CONTROL_CONTROL_H
#define LIMBER_SRC_CONTROL_CONTROL_H

#include "math/float64.h"
#include "moving.h"
#include "program/program.h"

#include <math.h>

// The longest wait in ticks, by the words of shaders/ops/control_layout.h. That is not included here: sources choose
// first how operations are inlined.
#define LONGEST_WAIT ((uint64_t)LONGEST_WAIT_HIGH << 32 | LONGEST_WAIT_LOW)

struct lmb_control {
    lmb_host host;
    const lmb_graph *graph; // plays the players' clips, or NULL
    uint32_t parameter_count;
    uint32_t event_count;
    uint32_t max_emitted_events;
    uint32_t state_words;
    uint32_t machine_count;
    uint32_t size; // words
    uint32_t *block;
};

// Creates the control of a descriptor that was split and checked. Fails with LMB_ERROR_MEMORY. It is immutable. `graph`
// has the moving descriptor's poses and must outlive it; NULL only in tests: no player's clip has a weight of its own.
LMB_API lmb_result lmb_control_create(const lmb_moving *moving, const lmb_graph *graph, const lmb_host *host,
                                      lmb_control **control, lmb_error *error);
// Accepts NULL.
LMB_API void lmb_control_destroy(lmb_control *control);

// Writes the block unless `block` is NULL. Returns its size in words and stores the size of a character's state in
// `state_words`.
uint32_t lmb_control_write(const lmb_moving *moving, const lmb_graph *graph, uint32_t *block, uint32_t *state_words);

// Returns a clip's velocity: the stated one, or if that is 0 the average velocity of its motion track from end to end.
// A magnitude below 2^-40 counts as 0.
static inline float lmb_clip_velocity(float stated, const lmb_motion_track *track, float duration) {
    double velocity = fabsf(stated) < 0x1p-40f ? 0.0 : (double)stated;
    if (velocity == 0.0 && track != NULL && duration > 0.0f) {
        const float *first = track->keys, *last = first + 4 * ((size_t)track->key_count - 1);
        velocity = lmb_length64((double)last[0] - (double)first[0], (double)last[2] - (double)first[2]);
        velocity = fmin(velocity / (double)duration, (double)LMB_LARGEST);
    }
    return velocity < 0x1p-40 && velocity > -0x1p-40 ? 0.0f : (float)velocity;
}

static inline float lmb_player_velocity(const lmb_moving_player *player) {
    return lmb_clip_velocity(player->def->velocity, player->def->motion, player->duration);
}

// What a control uses, so that a kernel can omit the rest.
typedef struct lmb_control_features {
    bool motion;
    bool warps;
    bool full_rotation;
    bool groups;
    bool inertia;
    bool profiles;
    bool travel;
    bool starts;
    bool player_options; // repetitions, a delay, a player to be in sync with, a random beginning
    bool decisions;      // conditions that read the state
    bool matching;       // motion matching
    bool interpolates;
    bool curves;       // of values, also of the graph whose weights it computes
    bool user_curves;  // of the graph's own
    bool spaces;       // of this graph
    bool motion_rules; // of this graph, for its motion weights
    bool reached;      // of this graph, by its nodes
} lmb_control_features;

lmb_control_features lmb_control_find_features(const lmb_control *control);

// What lmb_graph_info has of a control.
uint32_t lmb_control_emitted_words(const lmb_control *control);
uint32_t lmb_control_motion_floats(const lmb_control *control);
bool lmb_control_has_motion(const lmb_control *control);
// Stores it all. What the control lacks stays 0.
LMB_API void lmb_control_count(const lmb_control *control, lmb_graph_info *info);

// Returns why functions of a character's state cannot run, or NULL.
const char *lmb_control_missing(const lmb_graph *graph, const uint32_t *state);

// Returns the first parameter that is written for inertialization, or LMB_NONE.
uint32_t lmb_control_inertia_parameters(const lmb_control *control);

// Returns where the state has the draw of a player's record, or CONTROL_NONE if it does not begin at random times.
uint32_t lmb_player_draw(const uint32_t *record);
// Returns whether conditions read triggers or draws, or players begin at draws.
bool lmb_control_decides(const lmb_control *control);

// Writes lmb_graph_info.motion_words alone, as lmb_state_set_motion() does, for a control that has a character motion.
lmb_result lmb_control_motion_to_words(const lmb_control *control, const lmb_motion *motion, uint32_t *words,
                                       lmb_error *error);

// Converts seconds, at least 0, to units of 2^-16 of a tick.
uint64_t lmb_control_fine(float seconds);

// Checks that events are sorted, known, and of characters in the batch.
lmb_result lmb_control_check_events(const lmb_control *control, const lmb_event *events, uint32_t count,
                                    uint32_t characters, lmb_error *error);

#endif
