// Weights of the players' clips: for each player, the sum over its uses in the program. They are computed after the
// states' weights, and before players move.
#ifndef LMB_OPS_PLAYER_WEIGHTS_H
#define LMB_OPS_PLAYER_WEIGHTS_H

#include "machines.h"

#ifdef LMB_GLSL
frame weighing_frame(control c);
#else
OP frame weighing_frame(control c) {
    return (frame){.program = c.program, .parameters = c.parameters, .refused = c.refused, .weights = c.weights};
}
#endif

// The weight of a player. If the program does not use its clip, its state's weight.
OP real weigh_player(control c, frame f, address player, address which) {
    uint count = LOAD(c.block, player + PLAYER_USE_COUNT);
    address use = LOAD(c.block, player + PLAYER_USES);
    real weight = 0.0f;
    for (address i = 0u; i < count; i++) {
        weight = weight + load_weight(f, LOAD(c.block, use + which));
        use = use + CLIP_USE_WORDS;
    }
    if (count == 0u) {
        bool drops_out = LOAD(c.block, player + PLAYER_END) == PLAYER_DROPS_OUT;
        uint flags = state_word(c, LOAD(c.block, player + PLAYER_STATE) + PLAYING_FLAGS);
        weight = whole_weight(c, LOAD(c.block, player + PLAYER_MACHINE), LOAD(c.block, player + PLAYER_MACHINE_STATE));
        weight = drops_out && (flags & PLAYING_ENDED) != 0u ? 0.0f : weight;
    }
    return snap(weight);
}

OP void weigh_players(control c) {
    frame f = weighing_frame(c);
    if ((LOAD(c.block, CONTROL_FLAGS) & CONTROL_WEIGHS) != 0u) {
        weigh_nodes(f);
    }
    address player = LOAD(c.block, CONTROL_PLAYERS);
    address end = player + LOAD(c.block, CONTROL_PLAYER_COUNT) * PLAYER_WORDS;
    for (; player < end; player += PLAYER_WORDS) {
        address at = LOAD(c.block, player + PLAYER_STATE) + PLAYING_WEIGHT;
        set_state_word(c, at, BITS(weigh_player(c, f, player, CLIP_USE_WEIGHT)));
    }
    address character_motion = LOAD(c.block, CONTROL_CHARACTER_MOTION);
    if (USES_CHARACTER_MOTION && character_motion != CONTROL_NONE) {
        address motion = LOAD(c.block, character_motion + CHARACTER_MOTION_TRACKS);
        address motions_end = motion + LOAD(c.block, character_motion + CHARACTER_MOTION_TRACK_COUNT) * MOTION_WORDS;
        for (; motion < motions_end; motion += MOTION_WORDS) {
            address at = LOAD(c.block, motion + MOTION_STATE);
            address moved = LOAD(c.block, motion + MOTION_PLAYER);
            set_state_word(c, at + MOTION_SPAN_WEIGHT, BITS(weigh_player(c, f, moved, CLIP_USE_MOTION)));
            set_state_word(c, at + MOTION_SPAN_HOW, 0u);
        }
    }
}

// Between updates, players keep the weights of the last update. Only marks their root motion as not moved.
OP_NOINLINE void keep_player_weights(control c) {
    address character_motion = LOAD(c.block, CONTROL_CHARACTER_MOTION);
    if (USES_CHARACTER_MOTION && character_motion != CONTROL_NONE) {
        address motion = LOAD(c.block, character_motion + CHARACTER_MOTION_TRACKS);
        address motions_end = motion + LOAD(c.block, character_motion + CHARACTER_MOTION_TRACK_COUNT) * MOTION_WORDS;
        for (; motion < motions_end; motion += MOTION_WORDS) {
            set_state_word(c, LOAD(c.block, motion + MOTION_STATE) + MOTION_SPAN_HOW, 0u);
        }
    }
}

OP void weigh_all_players(CROWD all) {
    FOR_EACH(all, i) {
        control c = CHARACTER(all, i);
        if (c.moves && c.updates) {
            weigh_players(c);
        } else if (c.moves) {
            keep_player_weights(c);
        }
    }
}

#endif
