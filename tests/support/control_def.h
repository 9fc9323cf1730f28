// A control as tests describe it: players, groups and machines by indices, without nodes that blend their clips. The
// parameters that they write are any parameters. Terms are as in <limber/control.h>, except that lmb_term.player_node
// is a player's index, and lmb_term.machine_node a machine's plus the number of players.
#ifndef LIMBER_TESTS_SUPPORT_CONTROL_DEF_H
#define LIMBER_TESTS_SUPPORT_CONTROL_DEF_H

#include "control/control.h"

// Start from default_control_player_def().
typedef struct control_player_def {
    float duration; // of the clip: seconds, 0 to #LMB_MAX_CONTROL_SECONDS
    lmb_value rate; // -64 to 64; 0 pauses. A value that is not finite counts as 0
    float offset;   // start time in the clip: seconds, 0 to the duration
    lmb_end end;
    uint32_t time_parameter; // written: time in the clip, seconds
    // Written: its state's weight in its machine (1 if in none), 0 after it dropped out; or #LMB_NONE.
    uint32_t weight_parameter;
    uint32_t ended_event;  // emitted when it stops at an end; or #LMB_NONE
    uint32_t looped_event; // emitted when it passes an end or turns around; or #LMB_NONE
    uint32_t machine;      // plays while that machine's `state` has a weight; #LMB_NONE: always
    uint32_t state;
    const float *markers; // sync markers: seconds, ascending, within [0, duration); NULL: one at `offset`
    uint32_t marker_count;
    const lmb_notify_def *notifies; // in order of time
    uint32_t notify_count;
    // The clip's velocity in metres a second. If there is character motion and the clip has no motion track, it moves
    // the character forwards along z. If it is 0, the sync group uses the average velocity of the motion track from
    // end to end.
    float velocity;
    const lmb_motion_track *motion; // the clip's root motion, copied; NULL: as `velocity` says
    const lmb_warp_def *warps;
    uint32_t warp_count;
    uint32_t repetitions; // 0: for ever
    bool drops_out;
    float delay;
    uint32_t sync; // 1 plus the index of the player at whose time it begins, or 0
    bool random_offset;
} control_player_def;

// Loops at rate 1 from 0, in no machine; duration 0, no parameters, events, markers, notifies or motion.
control_player_def default_control_player_def(void);

typedef struct control_group_def {
    const uint32_t *players; // each is in one group only
    uint32_t player_count;   // 1 or more
    lmb_cadence cadence;
    lmb_value rate;              // as a player's; the players' own rates are not used
    uint32_t velocity_parameter; // written: velocity in metres a second, times the rate; or #LMB_NONE
} control_group_def;

// Start from default_control_state_def().
typedef struct control_state_def {
    uint32_t weight_parameter; // written: its weight in its machine; or #LMB_NONE
    uint32_t end_player;       // the player whose end is the end of the state; or #LMB_NONE
    uint32_t entry_event;      // emitted when a transition enters it, not when the machine begins; or #LMB_NONE
    uint32_t exit_event; // emitted when a transition leaves it, before the entry event of the next state; or #LMB_NONE
    bool restart;        // starts anew when it is entered while it still has a weight
    uint32_t travel_event;
} control_state_def;

// No parameter, player or events; does not restart.
control_state_def default_control_state_def(void);

typedef struct control_machine_def {
    const control_state_def *states;
    uint32_t state_count; // 1 to #LMB_MAX_STATES; state 0 is the initial one
    const lmb_transition_def *transitions;
    uint32_t transition_count;
    uint32_t machine; // an earlier machine in whose `state` it runs; or #LMB_NONE
    uint32_t state;
    // Written if a transition has a profile: the first of PROFILED_NUMBERS parameters (shaders/ops/layout.h). A
    // transition's `profile` is then its index among the machine's transitions that have one.
    uint32_t profile_parameter;
} control_machine_def;

// Start from default_control_def().
typedef struct control_def {
    uint32_t parameter_count;         // as the graph's; one place of the control, or the host, writes each
    uint32_t event_count;             // event numbers are below it
    const lmb_smoothed_def *smoothed; // in the order of their updates; one may follow an earlier one
    uint32_t smoothed_count;
    const lmb_computed_def *computed; // in the order of evaluation; one may read an earlier one
    uint32_t computed_count;          // up to #LMB_MAX_PARAMETERS
    const control_player_def *players;
    uint32_t player_count;
    const control_group_def *groups;
    uint32_t group_count;
    const control_machine_def *machines;
    uint32_t machine_count;
    const lmb_matching_def *const *matchings; // [machine], or NULL; NULL: none
    uint32_t max_emitted_events;              // events emitted per character and frame; more are only counted
    // Frames between updates: a whole number from 1 to 16, rounded down. A character is updated in a frame if the
    // frame number plus the character's index is divisible by it, or if it receives events. An update advances it by
    // all the time since its last one. In other frames the character does not change.
    lmb_value update_every;
    bool interpolate_updates;     // as lmb_graph_def.interpolate_updates
    const lmb_motion_def *motion; // NULL: no character motion, and motion tracks have no effect
    // Whether transitions may be #LMB_FADE_INERTIALIZED. The offset decays once per character, for all machines
    // together. A later transition restarts it, and of several in one frame the longest `fade` counts.
    // lmb_graph_def.inertialize applies it. A character that begins, or begins anew, has no pose before it and hence
    // no offset.
    bool inertialize;
    // Written if `inertialize`: the first of #LMB_INERTIA_PARAMETERS parameters, the same as in the graph.
    uint32_t inertia_parameters;
    const lmb_curve_def *curves; // as lmb_graph_def.curves
    uint32_t curve_count;
} control_def;

// No machines, players or parameters, no character motion, an update in every frame, 8 events emitted.
control_def default_control_def(void);

// Creates a graph that has a control and nothing else, for functions of states. The control is that of a graph in which
// player i is node i and the machines follow, and plays the clips of `played`; NULL: no graph plays the clips, and
// players weigh what their states do. `played` must outlive it. Groups are led by their player with the lowest index.
// Fails as lmb_moving_check() and lmb_control_create() do. Indices of players, machines and states must be valid.
lmb_result control_create(const control_def *def, const lmb_graph *played, const lmb_host *host, lmb_graph **graph,
                          lmb_error *error);

#endif
