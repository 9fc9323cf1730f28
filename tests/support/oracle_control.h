// A float64 oracle of stage 1 of a frame: what a control does to one character, written from the public headers alone.
//
// Times of players without a group are exact integers; weights, phases of groups and motion are doubles. The oracle
// keeps no state words: it follows one character from its first frame on.
#ifndef LIMBER_TESTS_SUPPORT_ORACLE_CONTROL_H
#define LIMBER_TESTS_SUPPORT_ORACLE_CONTROL_H

#include <limber/graph.h>

enum {
    ORACLE_PLAYERS = 32,
    ORACLE_MACHINES = 16,
    ORACLE_STATES = 8,
    ORACLE_GROUPS = 4,
    ORACLE_TRANSITIONS = 32, // of one machine
    ORACLE_PARAMETERS = 64,
    ORACLE_EVENTS = 64,
    ORACLE_EMITTED = 512,
    ORACLE_MIRRORS = 8 // combinations of mirrored axes
};

#define ORACLE_UNITS 65536 // of a tick
#define ORACLE_UNITS_A_SECOND ((double)LMB_TICKS_PER_SECOND * ORACLE_UNITS)
#define ORACLE_NEVER INT64_MAX // a time

// The state that something runs inside; `machine` is LMB_NONE for what runs in no state.
typedef struct oracle_scope {
    uint32_t machine;
    uint32_t state;
} oracle_scope;

typedef struct oracle_player {
    const lmb_player_def *def;
    uint32_t node;
    oracle_scope scope;
    int64_t duration; // this and the following times in units
    int64_t offset;
    int64_t notifies[LMB_MAX_NOTIFIES];
    int64_t markers[LMB_MAX_MARKERS];
    uint32_t marker_count;
    double speed;      // of the clip, in length units a second
    double fastest[2]; // speed and turn between two keys
} oracle_player;

typedef struct oracle_machine {
    uint32_t node; // or LMB_NONE for a fade
    uint32_t fade; // or LMB_NONE
    oracle_scope scope;
    uint32_t state_count;
    lmb_state_def states[ORACLE_STATES];
    uint32_t poses[ORACLE_STATES]; // nodes, or LMB_NONE
    uint32_t clips[ORACLE_STATES]; // the players whose ends are the states' ends, or LMB_NONE
    uint32_t transition_count;
    lmb_transition_def transitions[ORACLE_TRANSITIONS];
} oracle_machine;

// What the oracle needs to know of a graph. `def` and all that it points to must outlive it.
typedef struct oracle_graph {
    const lmb_graph_def *def;
    uint32_t player_count;
    oracle_player players[ORACLE_PLAYERS]; // in the order of nodes
    uint32_t machine_count;
    oracle_machine machines[ORACLE_MACHINES]; // outer ones before those inside their states
    bool by_velocity[ORACLE_GROUPS], by_length[ORACLE_GROUPS];
} oracle_graph;

typedef struct oracle_emitted {
    uint32_t event;
    double weight;
    int32_t passes;
    lmb_emitted_kind kind;
    uint32_t source; // index of a player or machine of the oracle
    uint32_t part;
    double ticks; // of a passage that is not over: units from its beginning
    double error; // how far the library may be from this
} oracle_emitted;

// A displacement, or a position, with a yaw; with full rotation the quaternion replaces it.
typedef struct oracle_motion {
    double position[3];
    double yaw;
    double rotation[4];
} oracle_motion;

typedef struct oracle_machine_state {
    uint32_t current;
    int64_t time; // ticks in the current state
    double weights[ORACLE_STATES];
    double begun[ORACLE_STATES]; // weights when the fade began
    bool frozen[ORACLE_STATES];
    int64_t fade_time, fade; // ticks
    uint32_t transition;     // of the fade
    bool travels;
    uint32_t destination;
} oracle_machine_state;

typedef struct oracle_player_state {
    int64_t time; // units
    int direction;
    bool has_turned;                       // around at the end where it is
    uint32_t ended;                        // repetitions
    int64_t waited;                        // ticks of its delay
    bool passed_in_piece, passed_in_frame; // an end
    double weight;
    double motion[ORACLE_MIRRORS]; // motion weight of the uses under each combination of mirrors
} oracle_player_state;

// The phase of a group: the part `share` of the piece after the marker `piece` has passed.
typedef struct oracle_group_state {
    uint32_t piece;
    double share;
    double error; // how far the library may be from this, as a share: it rounds rates
} oracle_group_state;

typedef struct oracle_character {
    const oracle_graph *graph;
    bool has_begun;
    oracle_machine_state machines[ORACLE_MACHINES];
    oracle_player_state players[ORACLE_PLAYERS];
    oracle_group_state groups[ORACLE_GROUPS];
    double row[ORACLE_PARAMETERS]; // parameters, with those that the control writes
    oracle_motion motion;
    oracle_motion step;  // displacement of the last frame
    oracle_motion shown; // the motion for renderers, which goes on between updates
    double distance;     // travelled, the sum of absolute displacements
    double turned;       // the same of turns
    double slack[2];     // how far position and yaw may be off because times in groups are
    double shown_slack[2];
    uint32_t pieces; // run so far
    uint64_t waited; // ticks since the last update
    uint32_t phase;  // of updates
    uint32_t index;  // of the character, the seed of its draws
    uint32_t draws[ORACLE_MACHINES];
    uint32_t player_draws[ORACLE_PLAYERS];
    bool waits[ORACLE_MACHINES][ORACLE_EVENTS]; // triggers
    lmb_state_counts counts;
    int64_t piece_time; // when the piece begins, in ticks since the frame's own step began
    int64_t passed;     // units of the passage of the player that moves
    int64_t first_end;  // units from the beginning of its passage to the first end; below 0 if it has passed none
    uint32_t emitted_count;
    oracle_emitted emitted[ORACLE_EMITTED];
    const char *close; // why a decision of this run hangs on rounding, or NULL
} oracle_character;

// Ticks of a time in seconds, rounded as the header says.
int64_t oracle_ticks(float seconds);
double oracle_control_curve(lmb_curve curve, const float *control, double a, const lmb_curve_def *curves);
double oracle_value(lmb_value value, const double *row, const lmb_curve_def *curves);

// How far the library may be from a player's time, in units: 0 without a group.
double oracle_time_error(const oracle_character *character, uint32_t player);

void oracle_graph_create(oracle_graph *graph, const lmb_graph_def *def);
void oracle_begin(oracle_character *character, const oracle_graph *graph, uint32_t index, uint32_t phase);
// One frame. `row` has the host's parameters.
void oracle_frame(oracle_character *character, uint64_t step, uint32_t number, const float *row, const uint32_t *events,
                  uint32_t event_count);

// ---- Parts of it

// oracle_weights.c: computes the weights of all players from the last node down.
void oracle_weights(oracle_character *character);

// oracle_motion.c
extern const oracle_motion oracle_no_motion;
// The clip's average horizontal speed.
double oracle_average_speed(const oracle_player *player);
void oracle_find_fastest(oracle_player *player);
// Adds the displacement of a clip between two times of one passage to `sum`.
void oracle_add_passage(const oracle_player *player, int64_t begin, int64_t end, oracle_motion *sum);
// Moves the character by the displacements that its players passed in a piece of a frame.
void oracle_move(oracle_character *character, const oracle_motion *passed);

// oracle_players.c
int64_t oracle_rate(const oracle_character *character, uint32_t player); // in 1/65,536
bool oracle_stays_at_end(const oracle_player *player);                   // or at the last one of its repetitions
bool oracle_is_at_end(const oracle_character *character, uint32_t player);
// Whether a clip that is itself the pose of a state is at its end for good and drops out.
bool oracle_drops_out(const oracle_character *character, uint32_t machine, uint32_t state);
// Gives a group the phase that one of its players has at a time.
void oracle_begin_group(oracle_character *character, uint32_t group, uint32_t first, int64_t time);
void oracle_follow_group(oracle_character *character, uint32_t group);
void oracle_emit(oracle_character *character, const oracle_emitted *emitted);
// Advances players without a group, then groups, which move the character.
void oracle_advance_players(oracle_character *character, int64_t ticks);

// oracle_control.c
bool oracle_scope_is_current(const oracle_character *character, oracle_scope scope);
// Whether what runs in a state moves: each state around it is current, or has a weight and is not frozen.
bool oracle_scope_moves(const oracle_character *character, oracle_scope scope);

#endif
