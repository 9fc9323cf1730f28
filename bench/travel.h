// Characters whose clips play by themselves and move them: root motion, warped or with all rotations.
#ifndef LIMBER_BENCH_TRAVEL_H
#define LIMBER_BENCH_TRAVEL_H

#include "workload.h"

enum {
    TRAVEL_PARAMETERS = 4, // the rate of the clips; x, z and heading of the target
    TRAVEL_CLIPS = 3,      // the clips that move the character; the last one is an additive
    TRAVEL_KEYS = 31,
};

// What the nodes of a graph point at until it is created.
typedef struct travel {
    lmb_motion_def motion;
    lmb_player_def players[ACTOR_CLIPS];
    lmb_motion_track tracks[TRAVEL_CLIPS];
    lmb_warp_def warp;
    float keys[TRAVEL_CLIPS][TRAVEL_KEYS][4];
    float rotations[TRAVEL_CLIPS][TRAVEL_KEYS][4];
} travel;

// Returns whether a workload's clips play by themselves and move the character.
bool travel_has(workload_kind kind);

// Makes the players and the character motion of a workload. `travel` must stay where it is.
void travel_make(workload_kind kind, const actor *actor, travel *travel);

// Writes the host's parameters to [characters][lmb_graph_info.parameter_count]; those that the graph writes are
// unchanged.
void travel_fill(const lmb_graph *graph, uint32_t characters, uint32_t frame, float *parameters);

#endif
