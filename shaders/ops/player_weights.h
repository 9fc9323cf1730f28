// Weights of the players' clips: for each player, the sum over its uses in the program. They are computed after the
// states' weights, and before players move.
#ifndef LMB_OPS_PLAYER_WEIGHTS_H
#define LMB_OPS_PLAYER_WEIGHTS_H

#include "state_weights.h"

#ifdef LMB_GLSL
evaluation weights_evaluation(control c);
#else
OP evaluation weights_evaluation(control c) {
    evaluation e = {.program = c.program, .parameters = c.parameters, .refused = c.refused, .weights = c.weights};
#ifdef LMB_SIMD_WIDTH
    e.character = c.character;
#endif
    return e;
}
#endif

#ifdef LMB_SIMD_WIDTH
// Out of line, because poses run it, too. The includer defines it.
static void weigh_nodes_apart(const evaluation *e);
#endif

// The weight of a player. If the program does not use its clip, its state's weight.
OP real weigh_player(control c, evaluation e, address player) {
    uint count = LOAD(c.block, player + PLAYER_USE_COUNT);
    address use = LOAD(c.block, player + PLAYER_USES);
    real weight = SPLAT(0.0f);
    for (address i = 0u; i < count; i++) {
        weight = weight + load_weight(e, LOAD(c.block, use + CLIP_USE_WEIGHT));
        use = use + CLIP_USE_WORDS;
    }
    if (count == 0u) {
        weight = whole_weight(c, LOAD(c.block, player + PLAYER_MACHINE), LOAD(c.block, player + PLAYER_MACHINE_STATE));
        if (LOAD(c.block, player + PLAYER_LAST_END) == PLAYER_DROPS_OUT) {
            word flags = state_word(c, LOAD(c.block, player + PLAYER_STATE) + PLAYING_FLAGS);
            weight = SELECT((flags & PLAYING_ENDED) != 0u, SPLAT(0.0f), weight);
        }
    }
    return snap(weight);
}

// The motion weight of a player's clip, where it has the reflection of the record. If the program does not use the
// clip, the player's weight.
OP real weigh_motion(control c, evaluation e, address motion) {
    address player = LOAD(c.block, motion + MOTION_PLAYER);
    uint reflection = LOAD(c.block, motion + MOTION_REFLECTION);
    uint count = LOAD(c.block, player + PLAYER_USE_COUNT);
    address use = LOAD(c.block, player + PLAYER_USES) + CLIP_USE_MOTION;
    real weight = SPLAT(0.0f);
    for (address i = 0u; i < count; i++) {
        uint used = LOAD(c.block, use);
        if (used >> CLIP_USE_REFLECTION_SHIFT == reflection) {
            real own = load_weight(e, used & CLIP_USE_INDEX);
            weight = (used & CLIP_USE_NEGATED) != 0u ? weight - own : weight + own;
        }
        use = use + CLIP_USE_WORDS;
    }
    if (count == 0u) {
        weight = state_number(c, LOAD(c.block, player + PLAYER_STATE) + PLAYING_WEIGHT);
    }
    return snap(weight);
}

OP void weigh_players(control c) {
    evaluation e = weights_evaluation(c);
    if ((LOAD(c.block, CONTROL_FLAGS) & CONTROL_WEIGHS) != 0u) {
#ifdef LMB_SIMD_WIDTH
        weigh_nodes_apart(&e);
#else
        weigh_nodes(e);
#endif
    }
    address player = LOAD(c.block, CONTROL_PLAYERS);
    address end = player + LOAD(c.block, CONTROL_PLAYER_COUNT) * PLAYER_WORDS;
    for (; player < end; player += PLAYER_WORDS) {
        address at = LOAD(c.block, player + PLAYER_STATE) + PLAYING_WEIGHT;
        set_state_word(c, at, BITS(weigh_player(c, e, player)));
    }
    address character_motion = LOAD(c.block, CONTROL_CHARACTER_MOTION);
    if (USES_CHARACTER_MOTION && character_motion != CONTROL_NONE) {
        address motion = LOAD(c.block, character_motion + CHARACTER_MOTION_TRACKS);
        address motions_end = motion + LOAD(c.block, character_motion + CHARACTER_MOTION_TRACK_COUNT) * MOTION_WORDS;
        if (USES_MOTION_RULES && (LOAD(c.block, CONTROL_FLAGS) & CONTROL_WEIGHS) != 0u) {
            weigh_motions(e);
        }
        for (; motion < motions_end; motion += MOTION_WORDS) {
            set_state_word(c, LOAD(c.block, motion + MOTION_WEIGHT), BITS(weigh_motion(c, e, motion)));
            set_state_word(c, LOAD(c.block, motion + MOTION_STATE) + MOTION_SPAN_HOW, ALL_WORD(0u));
        }
    }
}

#endif
