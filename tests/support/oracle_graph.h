// Random graphs with a control, and what a host does with them for some frames.
#ifndef LIMBER_TESTS_SUPPORT_ORACLE_GRAPH_H
#define LIMBER_TESTS_SUPPORT_ORACLE_GRAPH_H

#include "tools/random_curves.h"

#include <limber/graph.h>

enum {
    GRAPH_NODES = 24,
    GRAPH_MACHINES = 6,
    GRAPH_STATES = 4,
    GRAPH_TRANSITIONS = 16,
    GRAPH_TERMS = 3,
    GRAPH_PLAYERS = 16,
    GRAPH_GROUPS = 2,
    GRAPH_FADES = 2,
    GRAPH_CLIPS = 8,
    GRAPH_MASKS = 8,
    GRAPH_MAPS = 2,
    GRAPH_PARAMETERS = 48,
    GRAPH_JOINTS = 4,
    GRAPH_MOTION_KEYS = 5,
    GRAPH_SENT = 4, // events below this are sent
    GRAPH_EVENTS = 100,
    GRAPH_CHARACTERS = 3,
    GRAPH_FRAMES = 60,
    GRAPH_SENT_A_FRAME = 4
};

typedef struct random_player {
    lmb_player_def def;
    lmb_motion_track track;
    float keys[GRAPH_MOTION_KEYS][4];
    float rotations[GRAPH_MOTION_KEYS][4];
    float markers[4];
    lmb_notify_def notifies[2];
    float duration;
    uint32_t node, scope;
} random_player;

typedef struct random_machine {
    lmb_machine_def def;
    lmb_state_def states[GRAPH_STATES];
    lmb_transition_def transitions[GRAPH_TRANSITIONS];
    lmb_term terms[GRAPH_TRANSITIONS][GRAPH_TERMS];
    uint32_t node;
} random_machine;

// What the host does in one frame: the same step for all characters, and each one's parameters and events.
typedef struct random_frame {
    uint64_t step;
    float rows[GRAPH_CHARACTERS][GRAPH_PARAMETERS];
    uint32_t events[GRAPH_CHARACTERS][GRAPH_SENT_A_FRAME];
    uint32_t event_counts[GRAPH_CHARACTERS];
} random_frame;

// A descriptor with all that it points to, and a script. Large; it must not be moved once it is made.
typedef struct random_graph {
    uint64_t source; // of random numbers
    lmb_rig *rig;
    lmb_clip *clips[GRAPH_CLIPS];
    float durations[GRAPH_CLIPS];
    lmb_node_def nodes[GRAPH_NODES];
    uint32_t scopes[GRAPH_NODES]; // the state that a node is in: a number of its own, 0 for none
    bool additive[GRAPH_NODES];
    uint32_t scope_count, machine_count, player_count, mask_count;
    random_player players[GRAPH_PLAYERS];
    random_machine machines[GRAPH_MACHINES];
    lmb_group_def groups[GRAPH_GROUPS];
    uint32_t marker_counts[GRAPH_GROUPS];
    lmb_fade_def fades[GRAPH_FADES];
    uint8_t masks[GRAPH_MASKS][GRAPH_JOINTS];
    const uint8_t *mask_list[GRAPH_MASKS];
    lmb_mirror_def mirrors[3];
    uint32_t partners[2][GRAPH_JOINTS];
    lmb_joint_map_def maps[GRAPH_MAPS];
    uint32_t map_joints[GRAPH_MAPS][GRAPH_JOINTS];
    lmb_motion_def motion;
    random_curves curves;
    lmb_value update_every;
    uint32_t phases[GRAPH_CHARACTERS]; // of updates, LMB_NONE for that of the index
    float low[GRAPH_PARAMETERS], high[GRAPH_PARAMETERS];
    lmb_graph_def def;
    random_frame frames[GRAPH_FRAMES];
} random_graph;

// Makes the graph of a seed. random_graph_destroy() releases its rig and clips.
void random_graph_create(random_graph *graph, uint64_t seed);
void random_graph_destroy(random_graph *graph);
// Writes the nodes, players and machines of a graph to the standard error stream.
void random_graph_print(const random_graph *graph);

#endif
