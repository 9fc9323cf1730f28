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
    uint count = READ(c.block, player, PLAYER, use_count);
    address use = READ(c.block, player, PLAYER, uses);
    real weight = SPLAT(0.0f);
    for (address i = 0u; i < count; i++) {
        weight = weight + load_weight(e, READ(c.block, use, CLIP_USE, weight));
        use = use + WORDS_OF(CLIP_USE);
    }
    if (count == 0u) {
        weight = whole_weight(c, READ(c.block, player, PLAYER, machine), READ(c.block, player, PLAYER, machine_state));
        if (READ(c.block, player, PLAYER, last_end) == PLAYER_DROPS_OUT) {
            word flags = state_word(c, READ(c.block, player, PLAYER, state) + FIELD(PLAYING, flags));
            weight = SELECT((flags & PLAYING_ENDED) != 0u, SPLAT(0.0f), weight);
        }
    }
    return snap(weight);
}

// The motion weight of a player's clip, where it has the reflection of the record. If the program does not use the
// clip, the player's weight.
OP real weigh_motion(control c, evaluation e, address motion) {
    address player = READ(c.block, motion, MOTION, player);
    uint reflection = READ(c.block, motion, MOTION, reflection);
    uint count = READ(c.block, player, PLAYER, use_count);
    address use = READ(c.block, player, PLAYER, uses) + FIELD(CLIP_USE, motion);
    real weight = SPLAT(0.0f);
    for (address i = 0u; i < count; i++) {
        uint used = LOAD(c.block, use);
        if (used >> CLIP_USE_REFLECTION_SHIFT == reflection) {
            real own = load_weight(e, used & CLIP_USE_INDEX);
            weight = (used & CLIP_USE_NEGATED) != 0u ? weight - own : weight + own;
        }
        use = use + WORDS_OF(CLIP_USE);
    }
    if (count == 0u) {
        weight = state_number(c, READ(c.block, player, PLAYER, state) + FIELD(PLAYING, weight));
    }
    return snap(weight);
}

OP void weigh_players(control c) {
    evaluation e = weights_evaluation(c);
    if ((HEADER(c.block, CONTROL, flags) & CONTROL_WEIGHS) != 0u) {
#ifdef LMB_SIMD_WIDTH
        weigh_nodes_apart(&e);
#else
        weigh_nodes(e);
#endif
    }
    address player = HEADER(c.block, CONTROL, players);
    address end = player + HEADER(c.block, CONTROL, player_count) * WORDS_OF(PLAYER);
    for (; player < end; player += WORDS_OF(PLAYER)) {
        address at = READ(c.block, player, PLAYER, state) + FIELD(PLAYING, weight);
        set_state_word(c, at, BITS(weigh_player(c, e, player)));
    }
    address character_motion = HEADER(c.block, CONTROL, character_motion);
    if (USES_CHARACTER_MOTION && character_motion != CONTROL_NONE) {
        address motion = READ(c.block, character_motion, CHARACTER_MOTION, tracks);
        address motions_end =
            motion + READ(c.block, character_motion, CHARACTER_MOTION, track_count) * WORDS_OF(MOTION);
        if (USES_MOTION_RULES && (HEADER(c.block, CONTROL, flags) & CONTROL_WEIGHS) != 0u) {
            weigh_motions(e);
        }
        for (; motion < motions_end; motion += WORDS_OF(MOTION)) {
            set_state_word(c, READ(c.block, motion, MOTION, weight), BITS(weigh_motion(c, e, motion)));
            set_state_word(c, READ(c.block, motion, MOTION, state) + FIELD(MOTION_SPAN, how), ALL_WORD(0u));
        }
    }
}

#endif
