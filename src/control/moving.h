// Splits a graph in which something moves by itself into nodes that only read parameters, and the players and machines
// that write these parameters. A clip that plays reads its time from a parameter, a machine becomes a weighted sum, and
// a fade becomes a machine of two states.
//
// The added parameters follow the host's, in the order of the nodes: one for a clip that plays, and for a machine one
// for each state and those of its blend profiles; then those of inertialization. So the first nodes of a graph have the
// same parameters without the nodes after them.
#ifndef LIMBER_SRC_CONTROL_MOVING_H
#define LIMBER_SRC_CONTROL_MOVING_H

#include "base/host.h"

#include <limber/graph.h>
#include <limber/motion_database.h>

typedef struct lmb_moving_player {
    uint32_t node;
    const lmb_player_def *def;
    float duration;            // of the clip, in seconds
    uint32_t time_parameter;   // written: time in the clip, in seconds
    uint32_t weight_parameter; // written: its state's weight in its machine, 0 after it dropped out; or LMB_NONE
    float travel;              // factor of the displacements of its root motion
    uint32_t machine;          // plays while that machine's `state` has a weight; LMB_NONE: always
    uint32_t state;
} lmb_moving_player;

typedef struct lmb_moving_state {
    uint32_t weight_parameter; // written: its weight in its machine; or LMB_NONE
    uint32_t end_player;       // the player whose end is the end of the state; or LMB_NONE
} lmb_moving_state;

typedef struct lmb_moving_machine {
    uint32_t node; // LMB_NONE: made from the fade
    uint32_t fade;
    lmb_machine_def def;
    lmb_moving_state *states;
    uint32_t machine; // an earlier machine in whose `state` it runs; or LMB_NONE
    uint32_t state;
    lmb_motion_database *database; // of its matching, or NULL
    uint32_t profile_parameter;    // written if it has blend profiles: the first of PROFILED_NUMBERS parameters
} lmb_moving_machine;

typedef struct lmb_moving {
    lmb_host host;
    const lmb_graph_def *def;
    lmb_graph_def poses; // reads all parameters, the added ones included
    lmb_moving_player *players;
    uint32_t player_count;
    lmb_moving_machine *machines; // outer ones first
    uint32_t machine_count;
    uint32_t max_emitted_events;
    lmb_value update_every;
    uint32_t inertia_parameters; // written: the first of LMB_INERTIA_PARAMETERS; LMB_NONE: no machine inertializes
    uint32_t *player_of;         // [node], or LMB_NONE
    uint32_t *machine_of;        // [node], then [fade], or LMB_NONE
    uint32_t *first_parameters;  // [node]: the first added one, or LMB_NONE
    uint8_t writers[LMB_MAX_PARAMETERS]; // of the host's parameters: LMB_BY_...
    lmb_arena memory;
} lmb_moving;

// The writers of parameters, in the order in which they write within a frame. A computed parameter counts as written by
// the last writer of its inputs, but not earlier than LMB_BY_SMOOTHED.
enum { LMB_BY_HOST, LMB_BY_SMOOTHED, LMB_BY_CHARACTER_MOTION, LMB_BY_MACHINE, LMB_BY_REST };

// Returns whether anything in the graph moves by itself.
LMB_API bool lmb_graph_moves(const lmb_graph_def *def);
// Returns whether a node is a clip that plays.
bool lmb_node_plays(const lmb_node_def *node);
// Returns whether a transition may be taken while that state is current.
static inline bool lmb_transition_leaves(const lmb_transition_def *transition, uint32_t state) {
    return transition->from == state ||
           (transition->from == LMB_NONE && (transition->to != state || transition->to_self));
}
// Returns what a player does at an end where it stays; LMB_END_LOOP if it goes on at all ends.
static inline lmb_end lmb_player_last_end(const lmb_player_def *player) {
    const bool goes_on = player->end == LMB_END_LOOP || player->end == LMB_END_PING_PONG;
    const lmb_end last = player->drops_out ? LMB_END_ONCE : LMB_END_HOLD;
    return !goes_on ? player->end : player->repetitions > 0 ? last : LMB_END_LOOP;
}
// Returns whether an operand is a time in a clip.
static inline bool lmb_operand_is_place(lmb_operand operand) {
    return operand == LMB_OPERAND_PHASE || operand == LMB_OPERAND_REMAINING;
}
// Returns whether an operand is a random number of the machine.
static inline bool lmb_operand_is_drawn(lmb_operand operand) {
    return operand == LMB_OPERAND_DRAW || operand == LMB_OPERAND_CHOICE;
}
// Returns whether a machine can travel to one of its states.
static inline bool lmb_machine_travels(const lmb_machine_def *machine) {
    bool travels = false;
    for (uint32_t i = 0; i < machine->state_count; i++) {
        travels = travels || machine->states[i].travel_event != LMB_NONE;
    }
    return travels;
}
#define LMB_MOST_TRAVEL_COST 65536u
// Splits a descriptor whose nodes have been checked. Fails with LMB_ERROR_ARGUMENT, LMB_ERROR_LIMIT, LMB_ERROR_MEMORY,
// and then leaves nothing allocated.
LMB_API lmb_result lmb_moving_create(const lmb_graph_def *def, const lmb_host *host, lmb_moving *moving,
                                     lmb_error *error);
// A trigger or a draw of a machine (decision.c).
typedef struct lmb_decision {
    uint32_t machine;
    uint32_t event; // of a trigger; LMB_NONE: a draw
} lmb_decision;
#define LMB_MAX_DECISIONS (LMB_MAX_TRIGGERS + 1 + LMB_MAX_MACHINES) // with one that is too many

typedef struct lmb_decisions {
    lmb_decision list[LMB_MAX_DECISIONS]; // triggers, then draws
    uint32_t count;
    uint32_t draw_count;
    uint32_t player_draw_count; // of players that begin at random times: their draws follow those of machines
} lmb_decisions;

// Lists the triggers and draws of a graph. What is beyond the room is left out: a graph with more than LMB_MAX_TRIGGERS
// triggers is refused.
void lmb_moving_decisions(const lmb_moving *moving, lmb_decisions *decisions);
// Returns whether a machine can restart a state that still has a weight, by a fade that takes time (restart.c).
bool lmb_moving_restarts_seen(const lmb_moving *moving, const lmb_moving_machine *machine);
// Checks what moves by itself completely, except for what splitting needs, and finds the writers of parameters
// (check.c). Fails with LMB_ERROR_ARGUMENT, LMB_ERROR_LIMIT.
LMB_API lmb_result lmb_moving_check(lmb_moving *moving, lmb_error *error);
LMB_API void lmb_moving_release(lmb_moving *moving);

#endif
