// What graphs that match motion have in common: a state for each take, and what chooses among them.
#ifndef LIMBER_SRC_TOOLS_MATCHING_TAKES_H
#define LIMBER_SRC_TOOLS_MATCHING_TAKES_H

#include <limber/graph.h>
#include <limber/motion_database.h>

// Fills states that play takes, whose clips are in the order of the takes. States beyond these play the first ones
// again.
static inline void matching_fill_states(const lmb_motion_take *takes, uint32_t take_count, uint32_t state_count,
                                        lmb_player_def *players, lmb_state_def *states, lmb_node_def *nodes) {
    for (uint32_t i = 0; i < state_count; i++) {
        const lmb_motion_take *take = &takes[i % take_count];
        players[i] = lmb_default_player_def();
        players[i].end = take->loop ? LMB_END_LOOP : LMB_END_HOLD;
        players[i].motion = take->motion;
        states[i] = lmb_default_state_def();
        nodes[i] = lmb_playing_node(i % take_count, &players[i]);
    }
}

// Returns a search in a database, which must outlive it, for the velocity that the parameters 0 and 1 ask for.
static inline lmb_matching_def matching_by_velocity(const lmb_motion_database *database) {
    lmb_matching_def matching = lmb_default_matching_def();
    size_t size;
    matching.database = lmb_motion_database_block(database, &size);
    matching.database_words = (uint32_t)(size / sizeof(uint32_t));
    matching.velocity[0] = lmb_parameter(0);
    matching.velocity[1] = lmb_parameter(1);
    return matching;
}

// Adds a mirror of the last node, and the blend of both by a parameter. There must be room for both.
static inline void matching_add_mirror(lmb_graph_def *def, lmb_node_def *nodes, const lmb_mirror_def *mirror,
                                       uint32_t parameter) {
    const uint32_t plain = def->node_count - 1;
    nodes[plain + 1] = lmb_mirror_node(plain, 0);
    nodes[plain + 2] = lmb_blend_node(plain, plain + 1, lmb_parameter(parameter));
    def->node_count += 2;
    def->mirrors = mirror;
    def->mirror_count = 1;
}

#endif
