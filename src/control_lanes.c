// Stages of a control for a character in each lane of a vector: control_lanes.h. Compiled for each vector width.
#include "control_lanes.h"

#include <limber/batch.h>

#include "inline_ops.h"

#include "../shaders/ops/player_weights.h"

#define JOIN_NAMES(a, b) a##b
#define NAME_LANES(a, lanes) JOIN_NAMES(a, lanes)

_Static_assert(LMB_CONTROL_TOGETHER % SIMD_WIDTH == 0, "characters that run together fill vectors");

// Gives each lane a character. Lanes without one repeat the last one, and are not stored.
static control take_characters(const lmb_control_lanes *all, uint32_t first, uint32_t **states) {
    control c = {.block = all->block, .program = all->program, .states = states, .parameters = all->parameters};
    word bit = ALL_WORD(0u);
    for (uint32_t lane = 0; lane < SIMD_WIDTH; lane++) {
        const uint32_t character = first + lane < all->count ? first + lane : all->count - 1;
        states[lane] = all->states[character];
        LANE(c.character, lane) = character;
        LANE(bit, lane) = first + lane < all->count ? all->active >> (first + lane) & 1u : 0u;
    }
    c.counts = bit != 0u;
    c.row = c.character * all->parameter_count;
    return c;
}

void NAME_LANES(lmb_control_weigh_, SIMD_WIDTH)(const lmb_control_lanes *all) {
    stored_weight weights[LMB_CONTROL_LANE_WEIGHTS];
    uint32_t refused[LMB_REFUSAL_COUNT] = {0}; // not used: later stages count refusals
    for (uint32_t first = 0; first < all->count; first += SIMD_WIDTH) {
        uint32_t *states[SIMD_WIDTH];
        control c = take_characters(all, first, states);
        if (ANY(c.counts)) {
            c.weights = weights;
            c.refused = refused;
            weigh_players(c);
        }
    }
}
