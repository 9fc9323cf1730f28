// What a control is compiled from: a graph's players, groups, machines and fades once their nodes are known, and the
// parameters that they write. Words are those of control.h; an lmb_term names a player's number instead of its node.
#ifndef LIMBER_SRC_CONTROL_DEF_H
#define LIMBER_SRC_CONTROL_DEF_H

#include <limber/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Start from lmb_default_control_player_def().
typedef struct lmb_control_player_def {
    float duration; ///< of the clip: seconds, 0 to #LMB_MAX_CONTROL_SECONDS
    lmb_value rate; ///< -64 to 64; 0 pauses. What is not finite counts as 0
    float offset;   ///< seconds, where it begins, 0 to the duration
    lmb_end end;
    uint32_t time_parameter; ///< written: seconds in the clip
    uint32_t
        weight_parameter; ///< written: its state's weight in its machine (1 without), 0 once it dropped out; or #LMB_NONE
    uint32_t ended_event;  ///< told when it comes to stay at an end; or #LMB_NONE
    uint32_t looped_event; ///< told when it goes past an end, or turns around; or #LMB_NONE
    uint32_t machine;      ///< plays where that machine's `state` weighs something; #LMB_NONE: always
    uint32_t state;
    const float *markers; ///< sync markers: seconds, ascending, within [0, duration); NULL: one at `offset`
    uint32_t marker_count;
    const lmb_notify_def *notifies; ///< in the order of their times
    uint32_t notify_count;
    /// Of the clip: metres a second. Where it has no motion track, and there is character motion, it carries the character
    /// forwards, along z, as fast. 0: for its group, as fast as the motion track gets from end to end.
    float velocity;
    const lmb_motion_track *motion; ///< how the clip carries its character, copied; NULL: as `velocity` says
} lmb_control_player_def;

/// Loops at rate 1 from 0, in no machine; duration 0, no parameters, events, markers, notifies or motion.
LMB_API lmb_control_player_def lmb_default_control_player_def(void);

typedef struct lmb_control_group_def {
    const uint32_t *players; ///< each loops, has a duration above 0, and is in one group alone; the first is the leader
    uint32_t player_count;   ///< 1 or more
    lmb_cadence cadence;
    lmb_value rate;              ///< as that of a player, whose own is not used
    uint32_t velocity_parameter; ///< written: metres a second, times the rate; or #LMB_NONE
} lmb_control_group_def;

/// Start from lmb_default_control_state_def().
typedef struct lmb_control_state_def {
    uint32_t weight_parameter; ///< written: its weight in its machine; or #LMB_NONE
    uint32_t end_player;       ///< the player whose end is the state's; or #LMB_NONE
    uint32_t entry_event; ///< emitted to the host as a transition leads to it, not as the machine begins; or #LMB_NONE
    uint32_t
        exit_event; ///< emitted to the host as a transition leads away from it, before the other's entry; or #LMB_NONE
    bool restart;   ///< begins anew where it is entered while it still weighs something
} lmb_control_state_def;

/// No parameter, player or events; does not restart.
LMB_API lmb_control_state_def lmb_default_control_state_def(void);

typedef struct lmb_control_machine_def {
    const lmb_control_state_def *states;
    uint32_t state_count; ///< 1 to #LMB_MAX_STATES; state 0 is the initial one
    const lmb_transition_def *transitions;
    uint32_t transition_count;
    uint32_t machine; ///< a machine before this one, within whose `state` it runs; or #LMB_NONE
    uint32_t state;
    /// Written, where a transition has a profile: the first of PROFILED_NUMBERS parameters (shaders/ops/layout.h). A
    /// transition's `profile` is then its number among the machine's transitions that have one.
    uint32_t profile_parameter;
} lmb_control_machine_def;

/// What a machine is made of: a node of the graph, or a fade.
typedef struct lmb_control_origin {
    uint32_t node; ///< #LMB_NONE: a fade
    uint32_t fade;
} lmb_control_origin;

/// Of how many transitions.
LMB_API uint32_t lmb_control_profile_count(const lmb_control_machine_def *machine);

/// Start from lmb_default_control_def().
typedef struct lmb_control_def {
    uint32_t parameter_count; ///< the graph's. A parameter is written by one place of the control, or by the host
    uint32_t event_count;     ///< events are numbers below it
    const lmb_smoothed_def *smoothed; ///< in the order in which they move; one may follow an earlier one
    uint32_t smoothed_count;
    const lmb_computed_def *computed; ///< in the order in which they are found; one may read an earlier one
    uint32_t computed_count;          ///< up to #LMB_MAX_PARAMETERS
    const lmb_control_player_def *players;
    uint32_t player_count;
    const lmb_control_group_def *groups;
    uint32_t group_count;
    const lmb_control_machine_def *machines;
    uint32_t machine_count;
    const uint32_t *player_nodes;              ///< for messages: the node of each player; NULL: they have none
    const lmb_control_origin *machine_origins; ///< and of each machine what it is made of; or NULL
    uint32_t max_emitted_events;               ///< events emitted of one character and frame; more are counted alone
    /// Frames between updates: a whole number from 1 to 16, rounded down. A character is updated in frames where frame
    /// number plus its own is divisible by it, by all the time that has passed since, and in frames in which it is sent
    /// events; in others it stands still.
    lmb_value update_every;
    bool interpolate_updates;     ///< as lmb_graph_def.interpolate_updates
    const lmb_motion_def *motion; ///< NULL: there is none, and motion tracks count for nothing
    /// Whether transitions may be #LMB_FADE_INERTIALIZED: of every machine, and one decay for the whole character, which a later
    /// one begins anew; of several in a frame the longest `fade` counts. The graph's lmb_graph_def.inertialize does
    /// it. What a character begins with, or anew, has nothing before it.
    bool inertialize;
    uint32_t
        inertia_parameters; ///< written, where it does: the first of #LMB_INERTIA_PARAMETERS parameters, as the graph's
} lmb_control_def;

/// Nothing at all, no character motion, updated in every frame, 8 events emitted.
LMB_API lmb_control_def lmb_default_control_def(void);

/// Checks and compiles. `graph` is the one whose clips the players play, and must outlive the control; NULL where
/// there is none, or its weights do not matter. Fails with #LMB_ERROR_ARGUMENT (the message names the place; a value
/// that reads what players, groups or machines write, a parameter with two writers, a graph with another number of
/// parameters, one whose weights read times or velocities that players and groups write, which are known after them,
/// among all that is out of range), #LMB_ERROR_LIMIT, #LMB_ERROR_MEMORY. Immutable once created.
LMB_API lmb_result lmb_control_create(const lmb_control_def *def, const lmb_graph *graph, const lmb_host *host,
                                      lmb_control **control, lmb_error *error);
/// NULL is fine.
LMB_API void lmb_control_destroy(lmb_control *control);

#ifdef __cplusplus
}
#endif

#endif
