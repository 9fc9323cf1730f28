/// @file control.h
/// @ingroup control
/// Stage 1 of a frame: advances everything in a graph that changes over time, once per character. lmb_cpu_run() and
/// lmb_gpu_batch_record() do so; lmb_control_run() does it alone.
///
/// Reads the parameters and events of the host, keeps a state for each character, and writes parameters: those that the
/// definitions below name, and those that the graph appends (lmb_graph_info.parameter_count), such as times of clips
/// and weights of states. The kernel and the CPU are compiled from one source and give the same bits.
///
/// A graph's descriptor (lmb_graph_def) has
/// - **players** (lmb_player_def): a clip's node that has one advances its own time;
/// - **groups** (lmb_group_def): players that stay in phase;
/// - **machines** (lmb_machine_def): nodes that fade between their states by transitions;
/// - **fades** (lmb_fade_def): weights that events fade in and out;
/// - **smoothed parameters** (lmb_smoothed_def): each follows another parameter with a delay;
/// - **computed parameters** (lmb_computed_def): each is computed from other values;
/// - a **character motion** (lmb_motion_def): the position and yaw of the character.
///
/// Nodes of inverse kinematics may report whether they reach their targets (#lmb_reached_slot): the parameters for that
/// are written before everything else.
///
/// A frame has these steps, in this order:
/// 1. Smoothed parameters advance. Then computed parameters are evaluated, then the character motion moves as its
///    parameters request, then those computed parameters are evaluated that read its velocity.
/// 2. Machines take transitions, outer machines before those inside their states (lmb_machine_def).
/// 3. The time in states and fades advances by the frame's step. This gives the weights of states, then the computed
///    parameters that read them, and then the weights of all clips (graph.h, "Weights").
/// 4. Groups and players advance by the step and use these weights. A player moves while each state around it is
///    current, or has a weight and is not frozen (#LMB_FADE_FROZEN). A group stands still if all its players would.
///    Otherwise it moves; those of its players that would stand still stay in phase, but emit no events and give no
///    root motion. Players emit an event for everything that they pass, also at weight 0: notifies in the order of
///    passing, then ended or looped, once. Players without a group come first, in the order of nodes, then group by
///    group. Emitted events are for the host; machines do not see them. Their root motion moves the character motion.
/// 5. The times of clips are written to the parameters.
///
/// So the pose shown, sync groups, root motion and the weights of events agree in each frame. If a transition is due
/// inside the frame, the step is cut there, and steps 2 to 4 run for each piece (lmb_transition_def, "Exact times").
///
/// A character's state (lmb_graph_info.state_words) holds all that is kept between frames: times of players, current
/// states and fades, weights, values of smoothed parameters, the character motion, the phase of updates, the time since
/// the last one, and counters. Offsets of inertialization are kept beside it (inertia.h). Functions of this header take
/// it as `state`, and a state of a machine as `machine_state`.
///
/// **Values** have curves as in a graph. When a control reads a value, a finite magnitude below 2^-40 becomes 0, and a
/// finite one above 2^40 becomes 2^40 with its sign, because devices differ in whether a subnormal is above 0. Values
/// that are not finite stay so, and each declaration says how it handles them.
#ifndef LIMBER_CONTROL_H
#define LIMBER_CONTROL_H

#include <limber/inertia.h>
#include <limber/root_motion.h>
#include <limber/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup control
/// @{

typedef struct lmb_graph lmb_graph;

/// Time is in ticks of 1/705,600,000 s.
///
/// Every usual frame rate divides this number, so a day of steps of 1/60 s ends on exactly their sum. Positions in
/// clips are kept to 1/65,536 of a tick, and rates are rounded to 1/65,536. A position is therefore exact, whatever
/// steps led to it. Ties are rounded away from 0. Seconds given as a float are the simplest fraction of a second that
/// is a whole number of ticks and converts to the same float, or else the nearest tick: 0.4f is 282,240,000 ticks, 24
/// frames of 1/60 s. Times written to parameters are seconds as a float, with a relative error of at most 3e-7.
#define LMB_TICKS_PER_SECOND UINT64_C(705600000)
#define LMB_MAX_STEP_TICKS (60 * LMB_TICKS_PER_SECOND) ///< of one frame
#define LMB_MAX_CONTROL_SECONDS 100000.0f              ///< of a clip, a fade, a delay
#define LMB_MAX_PLAYERS 256u                           ///< of a graph
#define LMB_MAX_MARKERS 16u                            ///< of a player
#define LMB_MAX_NOTIFIES 64u                           ///< of a player
#define LMB_MAX_WARPS 8u                               ///< of a player
#define LMB_MAX_REPETITIONS 16777215u                  ///< of a player
#define LMB_MAX_MACHINES 32u                           ///< of a graph; each fade counts as one
#define LMB_MAX_MACHINE_DEPTH 4u                       ///< of machines within each other's states
#define LMB_MAX_STATES 64u                             ///< of a machine
#define LMB_MAX_TRANSITIONS 256u                       ///< of a machine
#define LMB_MAX_TERMS 16u                              ///< of a condition
#define LMB_MAX_TAG_RULES 32u                          ///< of a machine that matches motion
#define LMB_MAX_TRIGGERS 64u                           ///< of a graph; an event counts for each machine it waits in
#define LMB_MAX_EMITTED_EVENTS 256u                    ///< of a character in a frame
#define LMB_MAX_EVENTS 65536u                          ///< of a graph
#define LMB_MAX_EVENTS_SENT 16u        ///< to one character in one frame; further ones are ignored and counted
#define LMB_MAX_TRANSITIONS_A_FRAME 8u ///< of one machine, in each piece of a frame
#define LMB_MAX_PIECES_A_FRAME 16u     ///< into which the step of a frame is cut
#define LMB_MAX_CONTROL_WEIGHTS 4096u  ///< of the nodes of a graph that has a control

/// Returns seconds as a step, clamped to 0 to #LMB_MAX_STEP_TICKS. NaN gives 0.
///
/// A double that equals a float is converted as that float (#LMB_TICKS_PER_SECOND): 1 / 60.f and 1 / 60.0 are both
/// 11,760,000 ticks. Any other double is rounded to the nearest tick.
LMB_API uint64_t lmb_ticks_from_seconds(double seconds);

/// What a player does at either end of its clip.
typedef enum lmb_end {
    LMB_END_LOOP, ///< continues at the other end
    LMB_END_HOLD, ///< stays at the end
    /// Stays at the end. If the clip is itself the pose of a state or a fade, or the first input of a make-additive
    /// that is, that pose then drops out: its weight is 0. If no other state of the machine has a weight, the machine
    /// gives the rest pose.
    LMB_END_ONCE,
    LMB_END_PING_PONG, ///< turns around
    LMB_END_COUNT
} lmb_end;

/// An event at a time in a clip.
///
/// A player that moves forwards passes a notify at time t when its time was at most t and becomes greater than t, or
/// when it reaches the end of the clip and t is there. A player that moves backwards passes it when its time was
/// greater than t and becomes t or less. A notify is emitted once for each time it is passed, in the order of passing;
/// of several at one time, backwards the last one first. Where a player turns around, a notify at that end is emitted
/// once, when the player arrives there. A loop that plays backwards passes a notify at the clip's duration when it goes
/// on from 0 to there.
typedef struct lmb_notify_def {
    float time;     ///< seconds, within the clip
    uint32_t event; ///< emitted to the host
} lmb_notify_def;

/// At 0 s, no event, which is refused until it is set.
LMB_API lmb_notify_def lmb_default_notify_def(void);

/// Warps the root motion of a clip, so that the character reaches a target at a time in the clip: hands on the wall
/// that it vaults over, the seat that it sits down on. Start from lmb_default_warp_def().
///
/// While the clip plays forwards from `start` to `end`, take the root motion that remains until `end`, and put it where
/// it ends at the target: this is the path. The character is at some offset from the path. It moves along the path,
/// while the offset shrinks to 0 in proportion to the length that remains, so a clip that rests does not slide. If no
/// length remains, it shrinks in proportion to the time that remains. The heading's offset, on the shorter side, always
/// shrinks in proportion to the time. With G(t) the character's place on the path at the time t of the clip, s(t) the
/// length that remains, and e(t) the offset:
///
///     position(t') = G(t') + e(t) s(t') / s(t)
///
/// A straight motion stays straight: it is scaled and turned towards the target, as Unreal's skew warp does. Where a
/// motion is curved, the skew warp depends on the steps, and this does not. Targets behind the character, and ones that
/// move, are reached as well.
///
/// **Weight.** The warped displacement replaces that of the clip in the sum of root motion, with the clip's motion
/// weight (lmb_motion_def). The character is at the target when the clip passes `end` with a weight of 1, whatever
/// happened before: fades, desired velocities, or a position that the host has set. At a weight w below 1, each step
/// makes up for the share w of what it would at 1. So do not let a fade overlap `end`: the step that passes it jumps by
/// the share w of the distance that was left. A mirror reflects the clip's root motion before it is warped, and not the
/// target: the path is the reflected one, and ends at the target.
///
/// **Edges.** Nothing is warped while the clip plays backwards; lmb_graph_create() refuses warps of a clip with
/// #LMB_END_PING_PONG. A clip that
/// loops is warped in each loop; if a step passes more than one whole loop, only one of these moves the character. If x
/// or z is not finite, neither is warped; if y or the heading is not finite, it is not warped.
///
/// **Error.** If the step that passes `end` begins with the distance d from the target and the length s of the path
/// left, the position misses the target by at most 1e-6 (d + s), and the heading by 1e-6 times the radians that are
/// left.
typedef struct lmb_warp_def {
    float start; ///< seconds in the clip, from 0; not before the end of the warp before it
    float end;   ///< seconds in the clip: above `start`, up to its duration. Give it the time of a notify to see it
    lmb_value
        target[3]; ///< x, y, z in the space of the character motion's position; read in each step, clamped to +-2^30
    bool warps_height;     ///< whether y is warped; if not, the clip moves it
    bool turns_to_heading; ///< whether the yaw is warped to `heading`; if not, the clip turns the character
    lmb_value heading;     ///< radians
    uint32_t cookie;       ///< of lmb_default_warp_def(): any other number is refused
} lmb_warp_def;

/// From 0 s, to the origin, height included, whatever the heading; the end is at 0 s, which is refused until it is set.
LMB_API lmb_warp_def lmb_default_warp_def(void);

/// Makes a clip's node advance its own time: lmb_node_def.player. Start from lmb_default_player_def().
///
/// Each frame moves a player by step times rate, backwards if the rate is negative, and around the clip as many times
/// as needed. `end` says what happens at the ends.
///
/// **Repetitions.** With `repetitions` N, a player of #LMB_END_LOOP or #LMB_END_PING_PONG stays at the N-th end that it
/// reaches in the direction of play. A ping-pong repetition is one way, there or back. So a loop of N repetitions plays
/// forwards from 0 to the duration N times, and backwards from 0 as often. `looped_event` is emitted at the ends before
/// the last one, `ended_event` at the last one. That is also the end of the player's state (lmb_transition_def.at_end).
/// A player that has ended stays, whatever its rate, until it begins anew. N times the duration is at most
/// #LMB_MAX_CONTROL_SECONDS. A player in a group has no repetitions.
///
/// **Random beginnings.** So that a crowd is not in step, a player with `random_offset` has a word d in the character's
/// state. Whenever it would begin at its offset, d becomes 747796405 d + 2891336453 modulo 2^32, and it begins at
/// d / 2^32 of the clip's duration, rounded down to its unit of time. A phase or a clip that says where it begins
/// (lmb_start, `sync_node`) replaces the draw. In a group only the player that the group begins with draws
/// (lmb_group_def); its sync marker stays at `offset`. The first d is a seed, as those of machines that draw are
/// (lmb_term, "Random numbers"): players follow these machines, in the order of nodes.
///
/// **Weights of clips.** A player's clip has the weight of its node in the graph (graph.h, "Weights"), the sum of all
/// uses of the node; no field states it. Groups and emitted events use this weight. Root motion has weights of its own,
/// which have signs (lmb_motion_def, "Motion weights").
typedef struct lmb_player_def {
    /// Clamped to -64 to 64. 0 pauses, and so does a value that is not finite. The first player of a group has the
    /// group's rate.
    lmb_value rate;
    /// Seconds, where it begins, 0 to the clip's duration; in a group it may begin in the phase of others
    /// (lmb_group_def). The first frame already advances it by its step; a step of 0 shows the beginning.
    float offset;
    lmb_end end;
    uint32_t ended_event;  ///< emitted when it reaches an end and stays there; or #LMB_NONE
    uint32_t looped_event; ///< emitted when it goes past an end, or turns around; or #LMB_NONE
    uint32_t group;        ///< index of a sync group, or #LMB_NONE. Clips of a group loop, and are longer than 0 s
    const float *markers;  ///< sync markers: seconds, ascending, within [0, duration); NULL: one at `offset`
    uint32_t marker_count;
    const lmb_notify_def *notifies; ///< in the order of their times
    uint32_t notify_count;
    /// The clip's speed in units a second, for the cadence of its group. 0: the average horizontal speed of the motion
    /// track. If the clip has no motion track and there is a character motion, the clip also moves the character
    /// forwards, along z, at this speed. If it has one, only the track moves the character.
    float velocity;
    const lmb_motion_track *motion; ///< the clip's root motion, copied; NULL: `velocity` moves it
    const lmb_warp_def *warps;      ///< in the order of their times; without a character motion they have no effect
    uint32_t warp_count;            ///< up to #LMB_MAX_WARPS
    float delay;                    ///< seconds that it waits at its beginning, whenever it begins; not in a group
    /// The node of another clip that plays. When a state is entered anew, the player begins at that clip's time, within
    /// its own duration, in place of `offset`; not if both begin. #LMB_NONE, or in a group: it does not.
    uint32_t sync_node;
    uint32_t repetitions; ///< after which a loop or a ping-pong ends; 0: it goes on for ever
    bool drops_out; ///< after the last repetition, as #LMB_END_ONCE does; else it stays there, as #LMB_END_HOLD does
    /// Begins at a random time of its clip in place of `offset`, another one each time ("Random beginnings").
    bool random_offset;
    uint32_t cookie; ///< of lmb_default_player_def(): any other number is refused
} lmb_player_def;

/// Loops at rate 1 from 0 for ever, in no group, with no delay; no events, markers, notifies or motion.
LMB_API lmb_player_def lmb_default_player_def(void);

/// How a group's rate follows from the weights of its clips. lmb_group_def has the formulas.
typedef enum lmb_cadence {
    LMB_CADENCE_DEFAULT,  ///< by velocities if every clip has one, else by durations
    LMB_CADENCE_DURATION, ///< rates are blended
    LMB_CADENCE_VELOCITY, ///< velocities are blended; every clip must have one
    LMB_CADENCE_LENGTH,   ///< lengths are blended, as blend trees of Unity and blend spaces of Unreal and Godot do
    LMB_CADENCE_COUNT
} lmb_cadence;

/// Keeps clips in phase: those whose players name the group. Start from lmb_default_group_def().
///
/// The leader is the first of them in the order of nodes; the group's rate is its rate. All of them loop. They all have
/// the same number of sync markers; without markers a player has one at lmb_player_def.offset, its sync offset. Except
/// for the rate, it makes no difference which player leads.
///
/// **Phase.** Players are matched piece by piece between their markers. If the leader's position p is between its
/// markers m and m', another player is at n + (p - m) / (m' - m) (n' - n), where n and n' are its own markers with the
/// same indices. The first marker follows the last one. With one marker each, and with d and d' the durations of the
/// leader and the player, this is t = mod((p - m + d) d' / d + n, d').
///
/// **Beginning.** When a state is entered anew (lmb_machine_def), its players take the group's phase if another player
/// of the group moved until then. So the phase of clips that play never jumps. Another player is one that does not
/// begin itself. It moved if, just before the transition, each state around it was current, or had a weight and was not
/// frozen. It may be the transition that stops it.
///
/// If no other player moved, the group begins at the offset of one of the players that begin, and all others take its
/// phase. It is the first, in the order of nodes, around which all states are current after the transition. If there is
/// none, it is the first that begins. The same holds when a character begins: then all players begin.
///
/// **Rate.** The leader moves by step times the group's rate times r, a product that is clamped to -64 to 64. If r
/// differs between pieces, the step is cut where the leader passes a marker, so that the result does not depend on the
/// frame rate. Each cut rounds the position by at most two of its units, and such a rate is rounded to 2^-24. The sums
/// are over the group's players: w is the weight of the clip, v its velocity, l' the length of the player's piece, and
/// l that of the leader's.
/// - #LMB_CADENCE_VELOCITY: r = sum(w |v|) / sum(w |v| l' / l). The character travels at sum(w v), and no foot slides.
/// - #LMB_CADENCE_DURATION: r = sum(w l / l') / sum(w). For two players of weights 1 - f and f this is
///   lerp(1, l / l', f).
/// - #LMB_CADENCE_LENGTH: r = sum(w) / sum(w l' / l). The leader's piece takes sum(w l') / sum(w): for two players of
///   weights 1 - f and f this is lerp(l, l', f).
///
/// The group's velocity is rate times sum(w v) / sum(w). If all weights are 0, r is 1 and the velocity is the leader's
/// times the rate.
typedef struct lmb_group_def {
    const char *name; ///< copied; NULL: ""
    lmb_cadence cadence;
    /// Written: the group's velocity in units a second; or #LMB_NONE. The clip, time, rate and offset of a clip's node
    /// may read it. Weights, coordinates and points of nodes may not, nor may any value of this header.
    uint32_t velocity_parameter;
    uint32_t cookie; ///< of lmb_default_group_def(): any other number is refused
} lmb_group_def;

/// Default cadence, no name, writes no parameter.
LMB_API lmb_group_def lmb_default_group_def(void);

/// A parameter that follows another one, exponentially or at a constant speed.
///
/// With y its value and x the source, each step changes y by (x - y) (1 - 2^(-step / half_life)). So each half-life
/// halves the difference, whatever the steps are. With a `speed`, each step moves y towards x by at most speed times
/// step, and `half_life` is 0. In a character's first frame y is x, or 0 if x is not finite there. Start from
/// lmb_default_smoothed_def().
///
/// **Halt.** A player whose rate is a parameter that follows another one with the speed 1 / T slows down to a stop
/// within T seconds after the host sets that one to 0, and speeds up again as fast. Each frame has the rate at its end,
/// as three.js's `halt` and `warp` do.
typedef struct lmb_smoothed_def {
    /// A constant, a parameter of the host, or an earlier smoothed parameter. If it is not finite, nothing changes.
    lmb_value source;
    float half_life;    ///< seconds; 0 follows at once
    uint32_t parameter; ///< written
    /// Change in a second, up to 2^20; one below 2^-40 counts as 2^-40. 0: `half_life` says how it follows.
    float speed;
    uint32_t cookie; ///< of lmb_default_smoothed_def(): any other number is refused
} lmb_smoothed_def;

/// A constant 0 that is followed at once; a parameter is needed.
LMB_API lmb_smoothed_def lmb_default_smoothed_def(void);
/// Makes a parameter that follows `source`.
LMB_API lmb_smoothed_def lmb_smoothed_parameter(lmb_value source, float half_life, uint32_t parameter);

#define LMB_MAX_COMPUTED_INPUTS 5u

/// How a parameter is computed from its inputs a, b, c, d and e.
///
/// Inputs and results are clamped to +-2^40. A magnitude below 2^-40 becomes 0, and so does an input that is NaN. Sums
/// and products are rounded once.
typedef enum lmb_computed_kind {
    LMB_COMPUTED_ADD,      ///< a + b
    LMB_COMPUTED_SUBTRACT, ///< a - b
    LMB_COMPUTED_MULTIPLY, ///< a b
    LMB_COMPUTED_MIN,      ///< the smaller of a and b
    LMB_COMPUTED_MAX,      ///< the larger of a and b
    LMB_COMPUTED_CLAMP,    ///< min(max(a, b), c): c if b is above c
    /// Maps a linearly from the range b to c onto the range d to e. Beyond the ends of the range it is exactly d or e.
    /// b may be above c. If b equals c, it is d below b and e from b on. Error: 1e-6 of the larger magnitude of d
    /// and e.
    LMB_COMPUTED_REMAP,
    LMB_COMPUTED_COUNT
} lmb_computed_kind;

/// A parameter that is computed from other values.
///
/// It is evaluated as soon as everything that it reads is known. What it reads decides when that is, and what may read
/// it:
/// - values of the host and smoothed parameters: before the character motion moves. Everything may read it except
///   smoothed parameters and `update_every`.
/// - the character motion's velocity: after the character motion has moved. Conditions, rates and nodes may read it.
/// - weights of fades: after these, in each piece of the frame. Only nodes and later computed parameters may read it.
///
/// So conditions and rates read its value at the beginning of the frame. An input must not read the velocity of a
/// group.
typedef struct lmb_computed_def {
    lmb_computed_kind kind;
    lmb_value inputs[LMB_MAX_COMPUTED_INPUTS]; ///< as many as the kind has
    uint32_t parameter;                        ///< written
    uint32_t cookie;                           ///< of lmb_default_computed_def(): any other number is refused
} lmb_computed_def;

/// Adds constants 0; a parameter is needed.
LMB_API lmb_computed_def lmb_default_computed_def(void);

/// Returns the value that a control computes from a row of parameters, bit for bit. `parameters` may be NULL if no
/// input reads one. `curves` are those of the graph, or NULL if no input has one of them.
LMB_API float lmb_computed_at(const lmb_computed_def *computed, const float *parameters, const lmb_curve_def *curves);

/// What a term of a condition does. Comparisons push a truth value; `and` and `or` join the last two.
typedef enum lmb_term_kind {
    LMB_TERM_LESS,          ///< left < right. This and the other comparisons are false if a side is NaN
    LMB_TERM_LESS_EQUAL,    ///< left <= right
    LMB_TERM_GREATER,       ///< left > right
    LMB_TERM_GREATER_EQUAL, ///< left >= right
    LMB_TERM_EQUAL,         ///< left == right
    LMB_TERM_AND,           ///< replaces the last two truth values: true if both are
    LMB_TERM_OR,            ///< replaces the last two truth values: true if at least one is
    LMB_TERM_COUNT
} lmb_term_kind;

/// The left side of a comparison.
typedef enum lmb_operand {
    LMB_OPERAND_VALUE,     ///< `left`
    LMB_OPERAND_PHASE,     ///< of `player_node`: its time in its clip divided by the clip's duration, 0 to 1
    LMB_OPERAND_REMAINING, ///< of `player_node`: the clip's duration minus its time in the clip, in seconds at rate 1
    LMB_OPERAND_STATE,     ///< the index of the current state of the machine `machine_node`
    LMB_OPERAND_TRIGGER,   ///< 1 while `event` waits, else 0
    LMB_OPERAND_DRAW,      ///< the machine's random number, at least 0 and below 1
    LMB_OPERAND_CHOICE,    ///< a second one, for a choice of several targets
    LMB_OPERAND_COUNT
} lmb_operand;

/// One term of a condition. A condition is a list of terms in postfix order: `and` and `or` follow the two that they
/// join.
///
/// Comparisons of values take an infinity as 2^40 with its sign. A value may be a parameter of the host, a smoothed
/// one, the character motion's velocity, or what is computed from these; not the weight of a fade or the velocity of a
/// group.
///
/// A phase or a remaining time is that at the beginning of the piece of the frame. It is compared with a constant,
/// exactly: a remaining time is converted as all seconds are, a phase is rounded to a tick of the clip. A transition
/// that waits for it happens at its exact time if the player reaches it while playing:
/// - forwards: a phase greater than (or equal to) the constant, or a remaining time less than (or equal to) it;
/// - backwards: a phase less than (or equal to) the constant, or a remaining time greater than (or equal to) it.
///
/// If the term becomes true in another way (a player loops, or restarts), this is seen at the beginning of the next
/// piece. A loop is never at phase 1.
///
/// **States.** A term may read the current state of any other machine, as it is when the term is evaluated: this
/// frame's if that machine ran before, in the order of machines, else the last frame's. While a state around the other
/// machine is not current, that is the last one.
///
/// **Triggers.** An event that is sent waits in each machine that names it as a trigger, also while the machine is not
/// current, until a transition of this machine is taken whose condition names it, on the way of a travel too. It is
/// there before all transitions of its frame. Sent again while it waits it counts once. #LMB_EVENT_RESET drops it. The
/// same event may also be the `event` of transitions, which does not wait.
///
/// **Random numbers.** A machine whose conditions read a draw or a choice has a word d in the character's state. Its
/// draw is the 24 highest bits of d divided by 2^24: exact, and the same everywhere. Its choice is likewise of
/// 2654435769 d modulo 2^32, so whether a transition is taken by a draw says nothing about which target a choice takes.
/// When the machine begins, and when it takes a transition, d becomes 747796405 d + 2891336453 modulo 2^32; so a draw
/// stays the same while its state is current. A character that begins with d = 0 takes the seed hash(s) of its index i
/// in the batch: s = (i + 1) 0x9e3779b9 + k for the k-th machine or player that draws, spread as the last words of
/// lmb_hash_words() are. lmb_state_set_seed() gives another one in place of i. A reset goes on with the present d.
typedef struct lmb_term {
    lmb_term_kind kind;
    lmb_value left; ///< of a comparison whose operand is a value
    /// Of a comparison. If the operand is a phase or a remaining time: a constant from 0 to 1, or from 0 to the clip's
    /// duration.
    lmb_value right;
    lmb_operand operand;   ///< of a comparison
    uint32_t player_node;  ///< of a phase or a remaining time: the node of a clip that has a player
    uint32_t machine_node; ///< of a state: the node of a machine
    uint32_t event;        ///< of a trigger
} lmb_term;

/// Compares constants 0; no player, machine or event.
LMB_API lmb_term lmb_default_term(void);

/// How a transition goes from the pose shown to that of its state.
typedef enum lmb_fade_kind {
    LMB_FADE_SMOOTH, ///< old and new states continue to play
    /// Old states stop where they are. Each stays frozen until it is entered again, also if another transition
    /// interrupts the fade, and where a Bezier takes its weight to 0 and back.
    LMB_FADE_FROZEN,
    /// The new state has the whole weight at once, and the offset of the pose shown before from the new pose decays:
    /// see inertia.h. `curve` is not used.
    LMB_FADE_INERTIALIZED,
    LMB_FADE_COUNT
} lmb_fade_kind;

/// Where the clips of a state begin when a transition makes the state begin anew (lmb_machine_def).
///
/// Clips that loop begin at 0 at phase 1, others at their ends. A sync group of which no other player moves begins
/// where the player that it follows begins (lmb_group_def). A phase is rounded down to a multiple of 2^-32 of a
/// duration.
typedef enum lmb_start {
    LMB_START_OFFSET, ///< each at its own lmb_player_def.offset
    LMB_START_PHASE,  ///< each at `start_phase` of its duration, as by Unity's transition offset
    /// Each at the phase of the clip whose end is the end of the state that is left: its time in the clip, divided by
    /// its duration. If that state has none, or its duration is 0, each begins at its own offset.
    LMB_START_SYNC,
    LMB_START_COUNT
} lmb_start;

/// A transition of a machine from a state to another. Start from lmb_default_transition_def().
///
/// A transition applies if it leaves the current state (with `from` #LMB_NONE: if `to` is not the current state, or
/// `to_self` is set) and all its requirements are met: its event is sent, the state's clip is at its end, its condition
/// is true, and the machine has been in the state for `after` seconds. If several apply, the one with the greatest
/// priority is taken; of equal ones, the first.
///
/// **Exact times.** A transition without an event that waits for the end of a state's clip, for a position in a clip
/// (lmb_term) or for the time in its state happens at its exact time inside the frame. The step is cut there, steps 2
/// to 4 of the frame (above) run for each piece, and events sent count in the first piece only (after a time without
/// updates: lmb_control_frame, "Events"). The new state plays for the rest of the step. So the number of transitions
/// does not depend on the frame rate.
/// - If a transition names several positions and times, the step is cut only at the latest, also where `or` joins them.
///   An earlier one is seen at the beginning of the next piece or frame.
/// - A transition that is due at the very end of a frame happens in the next frame.
/// - A step may also be cut where no transition follows: at the end of a loop, or where something that a transition
///   waits for is never met. An end or a position that the player does not reach, or that is in a sync group, does not
///   count. The step is cut at the latest of the others: when `after` or, in a travel, the fade is over. Then root
///   motion takes the weights of each piece, as in a frame of shorter steps.
/// - A frame has at most #LMB_MAX_PIECES_A_FRAME pieces; the last one is not cut. If events are sent after a time
///   without updates, it is kept for the frame's own step, and the one before it is not cut either.
/// - The step is not cut for the end of a clip in a sync group, or for a position in it: the transition happens at the
///   beginning of the next piece or frame.
/// - Parameters, also those in conditions, have one value for the whole frame.
///
/// **Restarts.** If a transition restarts a state that still has a weight (lmb_machine_def), and its fade takes more
/// than 0 s, it is inertialized, whatever its kind: one set of players cannot be at two times. It fades from the pose
/// that is shown, over its fade's time, and `curve` and `profile` are not used. A graph in which this can happen
/// inertializes by itself (inertia.h); one does not if `after` makes every such transition wait for the end of the
/// fade. If lmb_graph_def.inertialize is true, the host triggers it; without that, and above a #LMB_OP_WEIGHTED_MATRIX,
/// weights fade and the pose switches. A transition of a state to itself that does not restart it changes no pose: the
/// time in the state begins anew, and its events are emitted.
///
/// **Fades.** A transition fades from what is seen to its state. With f the share of the fade's duration that has
/// passed, after the curve, the new state weighs lerp(w, 1, f) and every other state w (1 - f), where w is its weight
/// when the fade began. So the weights sum to 1, and a transition that interrupts a fade continues from what is seen,
/// without a jump. With #LMB_FADE_INERTIALIZED the new state weighs 1 from the first frame on.
///
/// **Blend profiles.** A transition may have a mask that scales the time of its fade for each joint, as the time
/// factors of Unreal's blend profiles do. With p = mask/255 of a joint (or float channel) and t the part of the fade's
/// time that has passed, the joint's share is the curve of min(1, t / p); if p is 0, it is 1. The states' weights at
/// the joint follow from this share as above, within 1e-6 / p; a state that drops out weighs nothing there either.
/// Everything else uses the time without the mask: the states' weights, groups, root motion, notifies and the weights
/// reported.
///
/// A transition that interrupts such a fade stops it at each joint at the share that it has there, and continues from
/// those weights without a jump at any joint. Its own fade takes its full time at all joints. Its own profile is
/// ignored, and so are those of further transitions until a fade has ended.
typedef struct lmb_transition_def {
    uint32_t from;  ///< state, or #LMB_NONE: any except `to`, or with `to_self` any
    uint32_t to;    ///< state
    uint32_t event; ///< required; #LMB_NONE: needs none
    /// Requires that the state's clip (lmb_machine_def) is at its end. A clip that goes on at its end, in a loop or
    /// back, must have passed an end in the frame before or, for a transition without an event, in the piece before.
    bool at_end;
    float after;           ///< requires this many seconds in the state; below 0: no requirement
    const lmb_term *terms; ///< the condition that must be true
    uint32_t term_count;   ///< 0: no condition
    int32_t priority;      ///< the greatest is taken
    float fade;            ///< how long the states fade, in seconds; 0 switches
    /// Of the share of the fade's time; its result is clamped to [0, 1]. A curve of the graph must go from (0, 0) to
    /// (1, 1), and may overshoot between.
    lmb_curve curve;
    lmb_fade_kind kind;
    uint32_t profile;       ///< blend profile: index into the graph's masks, or #LMB_NONE; not if inertialized
    float curve_control[2]; ///< control points of #LMB_CURVE_BEZIER, each from -16 to 16
    bool to_self;           ///< only with `from` #LMB_NONE: also if `to` is the current state
    lmb_start start;        ///< where the clips of `to` begin
    float start_phase;      ///< of #LMB_START_PHASE, 0 to 1
    uint32_t travel_cost;   ///< its length on a path (lmb_machine_def, "Travel"), up to 65,536; 0: on no path
    uint32_t cookie;        ///< of lmb_default_transition_def(): any other number is refused
} lmb_transition_def;

/// From any state to state 0; 0.2 s, smoothstep, both states play, no profile; 1 on a path. It requires nothing, which
/// is refused until a requirement is set.
LMB_API lmb_transition_def lmb_default_transition_def(void);

/// A state of a machine. Start from lmb_default_state_def().
typedef struct lmb_state_def {
    const char *name;     ///< copied; NULL: ""
    uint32_t entry_event; ///< emitted when a transition leads to it, not when the machine begins; or #LMB_NONE
    uint32_t exit_event;  ///< emitted when a transition leaves it, before the other state's entry; or #LMB_NONE
    bool restart;         ///< restarts if it is entered while its weight is still above 0
    /// Asks the machine to travel to this state (lmb_machine_def, "Travel"); or #LMB_NONE. No two states have the same.
    uint32_t travel_event;
    uint32_t cookie; ///< of lmb_default_state_def(): any other number is refused
} lmb_state_def;

/// No name or events; does not restart.
LMB_API lmb_state_def lmb_default_state_def(void);

/// Tags that the rows of a search must have, or must not have.
typedef struct lmb_tag_rule_def {
    uint32_t tags;  ///< bits, as those of the database's takes
    lmb_value when; ///< above 0.5: all of them; below -0.5: none of them; otherwise they do not matter
} lmb_tag_rule_def;

/// No tags, which do not matter.
LMB_API lmb_tag_rule_def lmb_default_tag_rule_def(void);

/// Motion matching (motion_database.h) in a machine: its first states are the takes of a database, and instead of
/// transitions, searches say which one plays, and from where. Start from lmb_default_matching_def().
///
/// State i is take i: its clip, which is that of the take, plays with the take's root motion, loops if the take does
/// and otherwise holds, and is in no group. The character has a character motion (lmb_graph_def.motion), which these
/// clips move, without `full_rotation`. Later states, and transitions, are those of any machine: while a state is
/// current that is no take, nothing is searched.
///
/// **Search.** At the end of a frame a character searches if
/// - it is its first frame in the machine, or its turn, which comes once in each `interval`: those of a crowd are
///   spread by the characters' indices, and the searches below do not change them;
/// - `velocity` has changed by more than `velocity_change` since the last search, the heading by more than
///   `heading_change`, or other tags are required or forbidden;
/// - the take ends: its last rows, which are not found, or its end.
///
/// The query has the pose of the row that plays and the path to what the parameters ask for
/// (lmb_motion_database_path()), or the stated one: from a velocity of its own, which follows `velocity` by the spring
/// of `half_life` and begins at 0, and from the character's heading. Left out are the rows within `window` of the one
/// that plays, and of the last four that were chosen in the last `recent` seconds. The row that plays costs `bonus`
/// less, unless the take ends: then it is left out as well.
///
/// **Mirrored rows.** If rows of the database count mirrored, a search may find a mirrored one. From the jump on,
/// `mirrored` is 1, else 0: the node around the machine is a blend by that parameter of the machine's pose (at 0) and
/// of a mirror of it across x (at 1). Nodes and computed parameters may read it, as weights of fades. It changes in
/// jumps alone, so other states of the machine are mirrored as the take before them was; a machine that begins anew is
/// not mirrored. Nothing checks that there is a mirror. `"mirrored": true` in a graph as JSON makes all of that.
///
/// **Jump.** The next frame begins with the row that was found, if it is not the one that plays: a transition to the
/// take's state, inertialized over `fade`, which begins at the row's time and then advances by the step. It emits the
/// events of both states. The machine begins with the first row of take 0.
typedef struct lmb_matching_def {
    /// The block of a database (lmb_motion_database_block()), which is checked and copied, and its length in words.
    const uint32_t *database;
    uint32_t database_words;
    /// Desired velocity along x and z of the world, units a second, clamped to +-2^20; not finite counts as 0.
    lmb_value velocity[2];
    /// Whether it is to be at the places of `path`, as of a path finder, and not where `velocity` leads. The desired
    /// velocity then is that to the first place, and `velocity` is not read.
    bool follows_path;
    /// Where it is to be after each of the database's times, along x and z of the world, from where it is; clamped to
    /// +-2^20; not finite counts as 0.
    lmb_value path[3][2];
    /// Whether it is to face `heading`; if not, where `velocity` goes, or ahead without one. With a path: from each
    /// place to the next; if they are less than 1e-6 apart, as at the place before.
    bool faces_heading;
    lmb_value heading;     ///< desired yaw in radians; if it is not finite, it is to face ahead
    float half_life;       ///< seconds after which about half of the difference from what is asked is gone, 0 to 10
    float interval;        ///< seconds from turn to turn, 1/120 to 10
    float velocity_change; ///< units a second, 0 to 1,000
    float heading_change;  ///< radians, 0 to 3.14
    float window;          ///< seconds, 0 to 10, as lmb_motion_search_def.window
    float recent;          ///< seconds, 0 to 5
    float bonus;           ///< 0 to 1,000, as lmb_motion_search_def.current_bonus
    float fade;            ///< seconds of inertialization; 0: at once
    const lmb_tag_rule_def *rules;
    uint32_t rule_count; ///< up to #LMB_MAX_TAG_RULES
    uint32_t mirrored;   ///< parameter, written; #LMB_NONE exactly if rows of the database do not count mirrored
    uint32_t cookie;     ///< of lmb_default_matching_def(): any other number is refused
} lmb_matching_def;

/// No database, which is refused until it is set; no velocity, no path, faces where it goes; half-life 0.27 s, every
/// 0.1 s, at changes above 0.5 units a second and 0.5 radians; window 0.2 s, recent 1 s, bonus 1; fades over 0.25 s; no
/// parameter of mirrored rows.
LMB_API lmb_matching_def lmb_default_matching_def(void);

/// A state machine: what a node of #LMB_OP_MACHINE does. The inputs of the node are the poses of the states, in their
/// order.
///
/// Exactly one state is current. A state's clip, whose end is the state's end, is the first clip in the order of nodes
/// that has a player and is in the state's pose, but not in a machine or a fade inside that pose, nor in another state.
///
/// A node that several states use belongs to the innermost state around all its uses. Its players and machines go on
/// while any of these states is entered or left, play while that state does, and are not the end of an inner one.
///
/// A state that is entered begins anew if its weight is 0, if it has `restart`, or if its clip stays at its end
/// (#LMB_END_HOLD, #LMB_END_ONCE, lmb_player_def.repetitions) and has reached it. Then its players begin at their
/// offsets, where the transition says (lmb_start), or in the phase of their group (lmb_group_def), and the machines
/// inside it at their initial states. Any other state continues where it is,
/// also right after its clip looped or turned around.
///
/// A transition that restarts a state of weight above 0 is inertialized (lmb_transition_def, "Restarts").
///
/// **Order of transitions.** In each piece of a frame a machine first takes transitions that need no event, until none
/// applies. Then it handles the events sent to the character, in the order sent. Each event causes at most one
/// transition, and after each event the machine again takes those that need none. Every machine sees every event; an
/// event that causes no transition is dropped at the end of the frame. A machine takes at most
/// #LMB_MAX_TRANSITIONS_A_FRAME transitions in a piece. Then it stops, which is counted (lmb_state_counts): a
/// transition without an event that still applies follows in the next piece or frame; an event that would cause one,
/// and events not handled yet, are dropped for this machine. A machine inside a state of another one takes transitions
/// only while that state is current.
///
/// **Travel.** An event that causes no transition, and is the `travel_event` of a state, makes the machine travel to
/// that state, as travel() of Godot's AnimationNodeStateMachinePlayback does:
/// - It takes the path of transitions from the current state whose `travel_cost` have the least sum. If several paths
///   have this sum, it takes at each state the transition that would be taken first: the greatest priority, then the
///   first.
/// - A transition on the path needs neither its event nor its condition. It happens, at its exact time, once the fade
///   before it is over and its `at_end` and `after` are met. An inertialized transition has no fade to wait for.
/// - Without a path the machine is in the state at once, without a fade.
/// - Meanwhile it takes no other transition without an event. An event that causes a transition ends the travel, and a
///   travel event goes to another state instead. Travel also ends when the machine begins anew.
///
/// A state is entered on the way as by any transition. To go to a state at once, as Godot's start() does, use a
/// transition from any state with an event, `to_self` and a fade of 0.
typedef struct lmb_machine_def {
    const char *name;            ///< copied; NULL: ""
    const lmb_state_def *states; ///< one for each input of the node; state 0 is the initial one
    uint32_t state_count;        ///< as many as the node has inputs
    const lmb_transition_def *transitions;
    uint32_t transition_count;
    const lmb_matching_def *matching; ///< searches choose among the first states; or NULL
} lmb_machine_def;

/// No name and no states, which is refused until they are set.
LMB_API lmb_machine_def lmb_default_machine_def(void);

/// A weight that events fade in and out. Start from lmb_default_fade_def().
///
/// The weight is written to a parameter, from which a node takes the weight of a pose. Other nodes and computed
/// parameters may read it as well; conditions, rates and other values of the control may not. Clips in that pose play
/// while it is faded in, and until the weight is 0. When it is faded in from 0, or its clip stays at its end and has
/// reached it, they begin as in a state of a machine (lmb_machine_def). A fade works as a machine of two states.
typedef struct lmb_fade_def {
    const char *name;       ///< copied; NULL: ""
    uint32_t parameter;     ///< written: its weight, 0 to 1
    uint32_t pose;          ///< the node that is faded, which no other fade may have; or #LMB_NONE
    uint32_t in_event;      ///< fades it in; while it is in, does nothing, or restarts it if `restart`
    uint32_t out_event;     ///< fades it out; or #LMB_NONE. It may be `in_event`, which then alternates
    bool at_end;            ///< fades out at the end of the pose's first clip with a player, in the order of nodes
    float after;            ///< seconds after `in_event`, fade-in included, when it fades out by itself; below 0: never
    float in_seconds;       ///< 0 switches
    float out_seconds;      ///< 0 switches
    lmb_curve curve;        ///< of both directions, as that of a transition
    bool restart;           ///< every `in_event` restarts the pose, also in a fade; `out_event` must be another event
    bool begins_in;         ///< a character begins with a weight of 1
    float curve_control[2]; ///< control points of #LMB_CURVE_BEZIER, each from -16 to 16
    uint32_t cookie;        ///< of lmb_default_fade_def(): any other number is refused
} lmb_fade_def;

/// No pose; 0.2 s, smoothstep; begins at 0. It has no parameter and no events, which is refused until they are set.
LMB_API lmb_fade_def lmb_default_fade_def(void);

/// How the character motion moves: the position and yaw of a character. Start from lmb_default_motion_def().
///
/// The character motion needs y up and z forward; everything else works with any axes, except extraction
/// (root_motion.h), feet and mirrors as far as they name axes. It is not applied to poses: a renderer puts the
/// character there. Yaw is the angle about the y axis that takes z to x; at 0 the character faces z. Positions are kept
/// to 2^-32 of the unit of length, up to 2^31 units (beyond, they stay there). Angles are kept to 2^-32 of a turn. So
/// the sum over a long time is exactly the sum of the frames' displacements.
///
/// Each frame moves the character twice, along its own axes:
/// - **By `velocity` and `heading`**, if they are set: half of the turn, the displacement, then the other half. The
///   velocity changes in a straight line towards the desired one: by `acceleration` times the step if the desired
///   velocity has the greater magnitude, else by `deceleration` times the step. The displacement is that of a constant
///   acceleration, then of the desired velocity for the rest of the step. The character turns towards `heading` the
///   short way, by at most `turn_rate` times the step.
/// - **By root motion**: the sum of motion weight times displacement over all players that have a motion track
///   (root_motion.h) or a velocity. A player's displacement is the inverse of the motion where it began, times the
///   motion where it arrived, through all loops in between; backwards if it plays backwards, there and back if it turns
///   around. So a clip that plays alone moves the character equally far whatever the steps are. Blended clips are
///   blended in each step with the weights of this frame, displacements and turns alike. A clip may have warps
///   (lmb_warp_def).
///
/// **Remaining velocity.** An inertialized transition, and a jump of motion matching, change at once which clips move
/// the character, so its velocity jumps. With `velocity_half_life` H above 0 it does not. The difference d between the
/// velocity in the step before and the clips' velocity in the step after, along the character's own axes and of its
/// turn, is added to root motion and decays: it is d 2^(-t/H) after t seconds, and a step that begins then adds d
/// 2^(-t/H) (1 - 2^(-step/H)) H / ln 2. At the next transition, the velocity before is the sum of both. Velocities are
/// clamped to +-2^20. A clip with a warp ends a little beside its target.
///
/// **Motion weights.** Root motion is blended as the translation of joint 0 is. Each use of a node has a signed motion
/// weight M, beside its weight W in the pose (graph.h, "Weights"). The last node has M = 1. With w a node's clamped,
/// signed weight and m its mask at joint 0 (1 without a mask), a node passes on:
/// - #LMB_OP_BLEND: (1-w) M to a, w M to b. #LMB_OP_BILINEAR and #LMB_OP_TRILINEAR do as the blends that they consist
///   of.
/// - #LMB_OP_MASKED: (1 - m w) M to a, m w M to b. #LMB_OP_OVERRIDE: (1 - m w) M.
/// - #LMB_OP_PARTIAL: (1 - blend) M to a, blend M to b, with `blend` at joint 0. If one input lacks joint 0, the other
///   has M; if both do, b has M.
/// - #LMB_OP_ADDITIVE: M to the base, m w M to the additive. #LMB_OP_MAKE_ADDITIVE: M to a, -M to r.
/// - #LMB_OP_ADD: M to both. #LMB_OP_SUBTRACT: M to a, -M to b. #LMB_OP_SCALE: w M. #LMB_OP_SUBTRACT_SCALE_ADD: w M to
///   a, -w M to b, M to base.
/// - #LMB_OP_WEIGHTED, #LMB_OP_WEIGHTED_MATRIX, #LMB_OP_LAYERS, #LMB_OP_MACHINE and blend spaces: M times each input's
///   share; in layers with masks or joint weights, and in fades with a blend profile, the share at joint 0.
/// - #LMB_OP_COMBINE: M to the input that joint 0 comes from, 0 to the others.
/// - #LMB_OP_MIRROR: M, and the displacement is reflected as joint 0 is. Across the plane x = 0, x and the yaw change
///   sign; across z = 0, z and the yaw; across y = 0, y alone. A rotation keeps the sign of w and of its part along the
///   normal; the other two parts change theirs. Two equal mirrors cancel. Inside a mirror the partner of joint 0 is
///   what joint 0 is outside, for masks and joint weights.
/// - #LMB_OP_RETARGET: M, and the displacement is scaled and turned (retarget.h, "Scale of the root").
/// - Every other operation: M to its first input.
///
/// A magnitude of M below 2^-40 is 0. The motion weight of a player's clip is the sum of M over all uses of its node.
/// Uses in mirrors are summed apart, for each reflection, and their displacements are added. A negative sum moves the
/// character backwards; if the sum is 0, the clip moves nothing, whatever it weighs in the pose. Whether a clip is
/// sampled or plays, the cadence of its group, and the weights of events depend on W alone. A clip that a parameter
/// chooses has the joint weights of the chosen clip, except that one with a slot has joint 0 fully (clip_slot.h).
///
/// **Full rotation.** With `full_rotation` the orientation is a unit quaternion, and root motion turns the character
/// about all axes (lmb_motion_track.rotations): it falls over, swims, climbs. Everything is composed in this order:
/// 1. A clip's displacement in a step: its passages from loop to loop, in the order of time, each a rotation and a
///    translation along the axes before it.
/// 2. All clips of a step: translations are the sum of M times translation. The rotation is the normalised sum of |M|
///    times quaternion (w at least 0; its inverse if M is negative), and of no rotation times 1 minus the sum of |M|.
/// 3. Position and orientation: the position moves along the orientation's axes, then the rotation is applied on the
///    right.
///
/// `velocity` is along the character's axes, whatever its orientation. `heading` turns the character about the y axis
/// of the world, half before and half after the displacement, until its z axis is above or below that direction; a
/// character that faces within 1e-3 radians of straight up or down does not turn. An orientation is rounded by up to
/// 3e-7 radians in each step. Clips have no warps.
///
/// The displacement of a step has a relative error of at most 1e-6. 1,000 loops end within 1e-5 of the distance
/// travelled, if the weights sum to 1.
typedef struct lmb_motion_def {
    /// Desired velocity along the character's own axes: units a second, clamped to +-2^20. A value that is not finite
    /// counts as 0.
    lmb_value velocity[3];
    bool turns_to_heading; ///< whether it turns to `heading`
    lmb_value heading;     ///< desired yaw in radians; if it is not finite, nothing turns
    float acceleration;    ///< units a second squared, 1e-6 to 2^20; 0: at once
    float deceleration;    ///< units a second squared, 1e-6 to 2^20; 0: at once
    float turn_rate;       ///< radians a second, 1e-6 to 2^20; 0: at once
    /// Seconds, 0 to 10; 0: no velocity remains after inertialized transitions and jumps. Below 1e-3 it counts as that.
    /// Not with `full_rotation`.
    float velocity_half_life;
    /// Written: the velocity reached so far, along the character's own axes, without root motion; or #LMB_NONE.
    /// Conditions and players may read it.
    uint32_t velocity_parameters[3];
    /// Three rotations instead of the yaw alone. See above.
    bool full_rotation;
    uint32_t cookie; ///< of lmb_default_motion_def(): any other number is refused
} lmb_motion_def;

/// No desired velocity or heading, no limits, writes no parameters: only clips move it.
LMB_API lmb_motion_def lmb_default_motion_def(void);

#define LMB_EMITTED_EVENT_WORDS 6u ///< of an emitted event in a character's words

/// What emits an event.
typedef enum lmb_emitted_kind {
    LMB_EMITTED_NOTIFY, ///< a player passed a notify: lmb_player_def.notifies
    LMB_EMITTED_LOOPED, ///< lmb_player_def.looped_event
    LMB_EMITTED_ENDED,  ///< lmb_player_def.ended_event
    LMB_EMITTED_ENTRY,  ///< lmb_state_def.entry_event
    LMB_EMITTED_EXIT,   ///< lmb_state_def.exit_event
    LMB_EMITTED_COUNT
} lmb_emitted_kind;

/// An event that a character emitted.
///
/// **Time.** `ticks` counts from the beginning of the frame's own step (lmb_control_frame.step): the event happened
/// that long after the end of the frame before. It is from 0 to the step. If the character has waited for its update
/// (lmb_graph_def.update_every), it is negative for what happened while it waited.
/// - Entry and exit: when the transition is taken. That is where the step is cut for it (lmb_transition_def, "Exact
///   times"), or the beginning of the step. Events that the host sends count at 0.
/// - A notify: when the player is at the notify's time, rounded up to a tick. In a step that plays several loops each
///   passage has its own time. The same holds backwards and at a negative rate. Forwards a notify at the very end of a
///   step is emitted by the next step, at 0; backwards by this step, at its end.
/// - Ended: when the player reaches the end. Looped: when it is at the first of the ends that `passes` counts, at
///   which a loop backwards is at 0. The other ends follow after a duration each, divided by the rate.
///
/// So the end of the frame before plus `ticks` is one number, however time is divided into frames. It is exact to the
/// rounding of the last tick, except in a sync group. There a player counts as moving evenly in each piece of the step,
/// and times are rounded down: up to two ticks early in steps of up to 6 s, if the rate of the group is the same in the
/// whole piece.
///
/// **Order.** Events are in the order of steps 2 to 4 of a frame, piece by piece, not sorted by time.
typedef struct lmb_emitted_event {
    uint32_t event;
    /// Of its source. For a notify, ended or looped: the weight of the clip. For an entry or exit: the weight of the
    /// state in its machine, times that of the state which this machine is in, and so on. That is its weight when the
    /// transition is taken, before the step: 0 for the entry of a state that fades in.
    float weight;
    /// How often and which way. For `looped`: how many ends the player passed in this piece of the frame. For ended and
    /// a notify: 1. Negative if the player plays backwards; for a notify, if its clip does. 0 for an entry or exit.
    int32_t passes;
    lmb_emitted_kind kind;
    uint32_t source; ///< player (lmb_graph_player_at()); for an entry or exit: machine (lmb_graph_machine_at())
    uint32_t part;   ///< of a notify: its index in the player's; of an entry or exit: the state; else 0
    int64_t ticks;   ///< when, since the frame's step began
} lmb_emitted_event;

/// Returns how many events are stored in a character's words (lmb_graph_info.emitted_words), at most
/// lmb_graph_def.max_emitted_events; 0 if nothing in the graph advances by itself.
LMB_API uint32_t lmb_emitted_count(const lmb_graph *graph, const uint32_t *emitted);
/// Returns the event with that index, which must be below lmb_emitted_count().
LMB_API lmb_emitted_event lmb_emitted_event_at(const uint32_t *emitted, uint32_t index);

/// An event for a character.
///
/// It takes effect where the step of its frame begins (lmb_control_frame, "Events"). #LMB_EVENT_RESET begins the
/// character anew, its counts included (lmb_state_get_counts()), except its chains (chain.h) and feet (ik.h). Only
/// events sent after it count, also towards #LMB_MAX_EVENTS_SENT. A character motion keeps its position and
/// orientation.
typedef struct lmb_event {
    uint32_t character;
    uint32_t event;
} lmb_event;

#define LMB_EVENT_RESET 0xfffffffeu

/// Sorts events by character; those of one character keep their order. `scratch` is as long as `events`.
LMB_API void lmb_events_sort(lmb_event *events, lmb_event *scratch, uint32_t count);

/// One frame. Caller-owned memory, aligned to 4. Start from lmb_default_control_frame().
///
/// **Updates.** A far character may be updated in only some of the frames (lmb_graph_def.update_every). In the others
/// it does not move, unless lmb_graph_def.interpolate_updates is set. Then everything continuous goes on as it would in
/// an update: players by their rates (loops wrap, ends hold), groups, fades, smoothed parameters, inertialization, and
/// the character motion with its root motion. A player whose state has lost its weight does not move, as in an
/// update. No decisions are made and no events are emitted, and clips have the weights of the last
/// update in groups and root motion.
///
/// **Events.** Events update a character in the frame in which they are sent, and take effect where that frame's own
/// step begins. If time has passed since the last update, the step is cut there: the update first advances the
/// character by that time, without the events. Steps 2 to 4 of a frame then run as in two frames. So a fade that an
/// event begins has advanced by the frame's own step, whatever `update_every` is. #LMB_EVENT_RESET drops the time
/// before it.
///
/// These frames change only what is shown, never the state: in every frame the state, and what is read from it, has the
/// same bits as without interpolate_updates. The next update begins with that state and advances it by all the time
/// since the last update. So what it decides without an event may have been due earlier. A clip that has ended holds
/// its end until then. The offset of an inertialized transition is taken from the pose shown last. In an update with
/// events, the decay of one in the frame's own step has advanced by that step; otherwise by all the time since the last
/// update.
typedef struct lmb_control_frame {
    uint64_t step;            ///< ticks, at most #LMB_MAX_STEP_TICKS
    uint32_t number;          ///< of the frame; counts up by one, and wraps
    uint32_t character_count; ///< of the batch
    uint32_t *state;          ///< uint32_t [C][lmb_graph_info.state_words]
    float *parameters;        ///< float [C][P]: the host's are read, the control's written. May be NULL if P is 0
    const lmb_event *events;  ///< of the whole batch, sorted by character; may be NULL if there are none
    uint32_t event_count;
    uint32_t *emitted; ///< uint32_t [C][lmb_graph_info.emitted_words], overwritten; may be NULL
    float *motions;    ///< float [C][lmb_graph_info.motion_floats], written if there is a character motion; may be NULL
    /// uint32_t [C][lmb_graph_info.reached_count]: lmb_batch_outputs.reached of the frame before, for parameters of
    /// #lmb_reached_slot. NULL: no target is reached.
    const uint32_t *reached;
    /// float [C][3][4], row-major: lmb_state_matrix() of where each character is shown, written if there is a
    /// character motion; may be NULL. A run of poses takes them as world transforms if lmb_batch_inputs.transforms is
    /// NULL. With lmb_graph_def.interpolate_updates they have the motion between updates, as `motions` has.
    float *matrices;
} lmb_control_frame;

/// No step, no characters, no memory.
LMB_API lmb_control_frame lmb_default_control_frame(void);

/// For renderers, for each character: x, y, z, and yaw in radians, at least -pi and below pi. Each has a relative error
/// of at most 1e-6.
#define LMB_MOTION_FLOATS 4u
/// The same with lmb_motion_def.full_rotation: x, y, z, and the quaternion's x, y, z, w.
#define LMB_FULL_MOTION_FLOATS 7u

/// Advances characters [first, first + count) by one frame, on the CPU.
///
/// Several threads may call it at once with ranges that do not overlap. Allocates nothing. The caller's floating-point
/// environment has no effect, and is restored.
///
/// Fails with #LMB_ERROR_ARGUMENT if a needed pointer is NULL, nothing in the graph advances by itself, the step is too
/// long, characters are outside the batch, or events are not sorted, are for a character outside the batch, or are
/// neither below lmb_graph_def.event_count nor #LMB_EVENT_RESET.
LMB_API lmb_result lmb_control_run(const lmb_graph *graph, const lmb_control_frame *frame, uint32_t first,
                                   uint32_t count, lmb_error *error);

/// Checks states that come from a file or a network, uint32_t [count][lmb_graph_info.state_words].
///
/// Succeeds if it is safe to run them: all indices, times and weights are in their ranges, and every float is 0 or from
/// 2^-40 to 2^40 in magnitude, as frames store them. So states that pass give the same bits on every device. That
/// weights fit together is not checked. Nothing in them is trusted; run only states that pass. Fails with
/// #LMB_ERROR_FORMAT (message: character, player or machine) and #LMB_ERROR_ARGUMENT.
LMB_API lmb_result lmb_state_check(const lmb_graph *graph, const uint32_t *states, uint32_t count, lmb_error *error);

/// Counts what was left out for lack of room.
typedef struct lmb_state_counts {
    uint32_t transitions;    ///< times a machine stopped at #LMB_MAX_TRANSITIONS_A_FRAME with a transition to take
    uint32_t sent_events;    ///< events sent beyond #LMB_MAX_EVENTS_SENT
    uint32_t emitted_events; ///< events emitted beyond lmb_graph_def.max_emitted_events
} lmb_state_counts;

/// Returns a character's counts since it began. Each wraps.
///
/// Here and below, `state` is one character's. If nothing in the graph advances by itself, it is not read, and results
/// are those of a character without machines, players and character motion.
LMB_API lmb_state_counts lmb_state_get_counts(const lmb_graph *graph, const uint32_t *state);
/// Returns a machine's current state; 0 before the first frame; #LMB_NONE if there is no such machine.
LMB_API uint32_t lmb_state_current(const lmb_graph *graph, const uint32_t *state, uint32_t machine);
/// Returns a state's weight in its machine; 0 if there is none.
LMB_API float lmb_state_weight(const lmb_graph *graph, const uint32_t *state, uint32_t machine, uint32_t machine_state);

/// What a character's state says of a player.
typedef struct lmb_player_state {
    uint64_t ticks;       ///< its time in its clip, rounded down
    uint32_t repetitions; ///< how many of its repetitions have ended since it began; 0 if it has none
    float weight;         ///< of its clip in the pose, as of the last frame in which the character was updated
} lmb_player_state;

/// Returns what the state says of a player; all 0 if there is no such player.
LMB_API lmb_player_state lmb_state_player(const lmb_graph *graph, const uint32_t *state, uint32_t player);

/// A character's position and orientation.
typedef struct lmb_motion {
    double position[3]; ///< at least -2^31 and below 2^31
    /// Radians; with full rotation the twist about the y axis. Read back at least -pi and below pi; to set, any number.
    double yaw;
    /// The same as a quaternion x, y, z, w; with full rotation the whole orientation. Read back of length 1; to set,
    /// as lmb_state_set_motion() says.
    double rotation[4];
} lmb_motion;

/// Returns a character's position and orientation; at the origin without a character motion. Sine, cosine and
/// arc tangent are the C library's, so last bits of angles and rotations may differ between systems: see
/// lmb_state_matrix().
LMB_API lmb_motion lmb_state_motion(const lmb_graph *graph, const uint32_t *state);
/// Returns the matrix that takes a character's model space to the world: of its position and orientation, as floats.
/// It has the same bits everywhere, and serves as a world transform (lmb_batch_inputs.transforms) or in a renderer. The
/// error of an entry is at most 1e-6 max(1, |entry|). The identity without a character motion.
LMB_API lmb_affine lmb_state_matrix(const lmb_graph *graph, const uint32_t *state);
/// Moves a character to a position and orientation, between frames, also before its first one. Its velocity does not
/// change.
///
/// The yaw may be any finite number. With full rotation the quaternion, of any length from 2^-40 to 2^40, gives the
/// orientation, and the yaw only if all numbers of the quaternion are 0. Without full rotation the quaternion is not
/// read. Fails with #LMB_ERROR_ARGUMENT if a pointer is NULL, there is no character motion, or a number is not finite
/// or out of range. Writes lmb_graph_info.motion_words alone.
LMB_API lmb_result lmb_state_set_motion(const lmb_graph *graph, uint32_t *state, const lmb_motion *character_motion,
                                        lmb_error *error);
/// Returns a character's phase of updates (lmb_graph_def.update_every), or #LMB_NONE before its first frame if none was
/// set.
LMB_API uint32_t lmb_state_update_phase(const lmb_graph *graph, const uint32_t *state);
/// Sets a character's phase of updates, between frames, also before its first one. It stays through resets.
///
/// Any number is allowed. Its remainder by 720,720, which every period divides, is stored. Fails with
/// #LMB_ERROR_ARGUMENT if a pointer is NULL.
LMB_API lmb_result lmb_state_set_update_phase(const lmb_graph *graph, uint32_t *state, uint32_t phase,
                                              lmb_error *error);
/// Gives a character's machines and players that draw (lmb_term, "Random numbers") other seeds, between frames, also
/// before its first one: those of a character with this index. They stay through resets. Nothing is written if none
/// draws.
///
/// Fails with #LMB_ERROR_ARGUMENT if a pointer is NULL.
LMB_API lmb_result lmb_state_set_seed(const lmb_graph *graph, uint32_t *state, uint32_t seed, lmb_error *error);

/// A displacement of a character by root motion, along the character's own axes at the beginning of a frame.
typedef struct lmb_root_displacement {
    float translation[3];
    float yaw;          ///< radians; with full rotation the twist about the y axis
    double rotation[4]; ///< the same as a unit quaternion x, y, z, w; with full rotation the whole rotation
} lmb_root_displacement;

/// Returns the displacement by root motion in the last frame, for a host that moves the character in its own way; none
/// without a lmb_graph_def.motion. With lmb_graph_def.update_every there is none between updates, and an update has all
/// since the last one. Such a host writes the position that it reached with lmb_state_set_motion().
LMB_API lmb_root_displacement lmb_state_root_motion(const lmb_graph *graph, const uint32_t *state);

/// Returns a 64-bit hash of words in their order, for comparing states and the like, at about the speed of memory. It
/// does not protect against words that someone chose. `words` may be NULL if `count` is 0.
///
/// All arithmetic is modulo 2^32; rotate(x, n) rotates to the left. A pair (a, b) takes two words (x, y) by
/// a = rotate(a + x, 13) ^ b, and then b = rotate(b + y, 19) + a.
/// - Eight lanes k = 0 to 7 are pairs that begin with ((k + 1) * 0x9e3779b9, (k + 9) * 0x9e3779b9).
/// - The words are padded with zeros to a multiple of 16. Of each 16 words w, lane k takes (w[k], w[k + 8]).
/// - A last pair begins with the lower and the upper 32 bits of `count`. It takes (a, b) of lanes 0 to 7 in order, and
///   then (0, 0) twice.
/// - Both words of this pair are spread: x = (x ^ x >> 16) * 0x85ebca6b, then x = (x ^ x >> 13) * 0xc2b2ae35, then
///   x = x ^ x >> 16. Word a is the lower half of the hash, b the upper half.
LMB_API uint64_t lmb_hash_words(const uint32_t *words, size_t count);
/// Writes lmb_hash_words() of each row: `hashes` has `row_count` elements, and `words` that many rows of `row_words`
/// words. For states, a row is a character: two hosts find out which characters differ.
LMB_API void lmb_hash_rows(const uint32_t *words, size_t row_words, size_t row_count, uint64_t *hashes);

/// @}

#ifdef __cplusplus
}
#endif

#endif
