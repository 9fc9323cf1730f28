// Stages of a control for a character in each lane of a vector: control_lanes.h. Compiled for each vector width.
#include "control_lanes.h"

#include <limber/batch.h>

#include "inline_ops.h"

#include "../shaders/ops/player_weights.h"
#include "../shaders/ops/root_motion.h"

#define JOIN_NAMES(a, b) a##b
#define NAME_LANES(a, lanes) JOIN_NAMES(a, lanes)

_Static_assert(LMB_CONTROL_TOGETHER % SIMD_WIDTH == 0, "characters that run together fill vectors");

// Gives each lane a character. Lanes without one repeat the last one, and are not stored.
static control take_characters(const lmb_control_lanes *all, uint32_t first) {
    word lane = ALL_WORD(0u);
    for (uint32_t i = 0; i < SIMD_WIDTH; i++) {
        LANE(lane, i) = i;
    }
    control c = {.block = all->block,
                 .program = all->program,
                 .states = all->states + first,
                 .parameters = all->parameters,
                 .step = make_ticks(lmb_load_lanes(all->steps[0] + first), lmb_load_lanes(all->steps[1] + first))};
    c.counts = (ALL_WORD(all->active >> first) >> lane & 1u) != 0u;
    c.character = MINIMUM(lane + first, all->count - 1u);
    c.row = c.character * all->parameter_count;
    return c;
}

void NAME_LANES(lmb_control_weigh_, SIMD_WIDTH)(const lmb_control_lanes *all) {
    stored_weight weights[LMB_CONTROL_LANE_WEIGHTS];
    uint32_t refused[LMB_REFUSAL_COUNT] = {0}; // not used: later stages count refusals
    for (uint32_t first = 0; first < all->count; first += SIMD_WIDTH) {
        control c = take_characters(all, first);
        if (ANY(c.counts)) {
            c.weights = weights;
            c.refused = refused;
            weigh_players(c);
        }
    }
}

void NAME_LANES(lmb_control_drive_, SIMD_WIDTH)(const lmb_control_lanes *all) {
    for (uint32_t first = 0; first < all->count; first += SIMD_WIDTH) {
        const control c = take_characters(all, first);
        if (ANY(c.counts)) {
            drive_character_motion(c, c.block[CONTROL_CHARACTER_MOTION]);
        }
    }
}

void NAME_LANES(lmb_control_root_motion_, SIMD_WIDTH)(const lmb_control_lanes *all) {
    for (uint32_t first = 0; first < all->count; first += SIMD_WIDTH) {
        const control c = take_characters(all, first);
        if (ANY(c.counts)) {
            apply_root_motion(c, c.block[CONTROL_CHARACTER_MOTION]);
        }
    }
}
