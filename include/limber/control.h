/// @file control.h
/// What moves by itself in a graph: the first stage of a frame, which runs once per character. It reads the parameters
/// that the host sets and the events that it sends, keeps a state for each character, and writes the graph's own
/// parameters: times of clips and weights of states. One source for the kernel and for the CPU: the same bits frame
/// after frame.
///
/// A graph's descriptor has
/// - **players**, by which a clip's node plays by itself;
/// - **groups** of players that keep in phase;
/// - **machines**, nodes whose states transitions fade between;
/// - **fades**, weights that events fade in and out;
/// - **smoothed parameters**, which smooth a parameter;
/// - **computed parameters**, which combine numbers;
/// - a **character motion**: where the character is and which way it faces.
///
/// What happens in a frame, in this order:
/// 1. Smoothed parameters (smoothed parameters) move, then computed parameters are found, then the character motion moves by what parameters
///    want, then those computed parameters are found that read its velocity.
/// 2. Machines, parents before those inside their states, take transitions. First, as often as there is one, a transition
///    that needs no event; then the events sent, in the order sent, each moving a machine at most once, with what needs
///    no event again after each. At most #LMB_MAX_TRANSITIONS_A_FRAME at one time; further ones are left for the next
///    piece or frame and counted (lmb_control_counts). Every machine sees every event. One that nobody takes is gone
///    with the frame.
/// 3. Time goes on by the frame's step in states and fades. That gives the states' weights, then the computed parameters
///    that read them, and, by the rules of the graph (graph.h, "Weights"), the weights of every clip.
/// 4. Groups and players in states that have a weight (or in no state at all) move by the step, and use these weights.
///    What they pass is emitted as an event: notifies, in the order of passing, then ended or looped, once. The character motion goes
///    where they carry it.
/// 5. Times are written to the parameters.
///
/// So the pose shown, the sync groups, root motion and the weights of events agree in each frame.
///
/// **Exact times.** A transition that needs no event, and waits for a state's clip to end, for a clip's place
/// (lmb_term) or for its time in the state, happens at its own time inside the frame: the step is cut there, and 2 to 4
/// happen for each piece, events sent in the first one alone. The next state moves by the rest of the step. So how many
/// transitions there are does not depend on the frame rate. A transition due at the very end of a frame is the next
/// frame's. At most #LMB_MAX_PIECES_A_FRAME pieces; the last one is not cut. Of several such things that a transition
/// waits for, the last one counts. The end and the place of a clip in a sync group count at the end of its piece.
/// Parameters, conditions among them, are the frame's.
///
/// **Time** is in ticks of 1/705,600,000 s, which every usual frame rate divides: a day of steps of 1/60 s ends on
/// exactly their sum. Places in clips are kept to 1/65,536 of a tick, and rates are rounded to 1/65,536, so a place is
/// exact, whatever the steps that led to it. Seconds given as a float are rounded to the simplest part of a second that
/// gives the same float: 0.4f is 282,240,000 ticks, 24 frames of 1/60 s. What is written to a parameter is in seconds
/// as a float, within 3e-7 of it, relative.
///
/// **Players.** Each frame moves a player by step times rate, backwards where the rate is negative, as many times around
/// as it takes. Going past an end does what lmb_end says. A notify at time t is passed forwards where the time was at most
/// t and then is more (or at the clip's end, where that is reached), backwards where it was more than t and is not any
/// more; each once for each time it is passed, in the order of passing.
///
/// **Values** are shaped as in a graph. On input a magnitude below 2^-40 becomes 0 and one above 2^40 becomes 2^40,
/// because devices differ in whether a subnormal is above 0. A comparison takes an infinity as 2^40. A comparison with
/// NaN is false. Elsewhere what is not finite stays so, and each place says what becomes of it.
///
/// **Weights of clips.** A player's clip weighs what its node weighs in the graph; nobody states it. In root motion a
/// masked or partial pose of weight w, whose mask gives joint 0 the share m, passes m w to what lies over and 1 - m w to
/// what lies below, and an additive 1 and m w; layers pass on the shares that joint 0 has; in a combine only the input
/// that joint 0 comes from counts.
///
/// **Groups.** The players of a group have as many sync markers each (one by default, at lmb_player_def.offset: the
/// sync offset), and are matched piece by piece between them: with leader's position p between its markers m and m',
/// another player's is n + (p - m) / (m' - m) (n' - n), with n and n' its markers of the same number; past the last
/// marker comes the first one. With one marker that is t = mod((p - m + d) d' / d + n, d'). The leader is the first of
/// the group. It moves by step times the group's rate times r, where over the group's players w is the clip's weight, v
/// the velocity, l' the length of a player's piece and l that of the leader's:
/// - #LMB_CADENCE_VELOCITY: r = sum(w |v|) / sum(w |v| l' / l). The character travels at sum(w v), and no foot slides.
/// - #LMB_CADENCE_DURATION: r = sum(w l / l') / sum(w); for two, lerp(1, l / l', f).
///
/// The group's velocity is rate times sum(w v) / sum(w). Where all weigh 0, r is 1 and the velocity the leader's times
/// rate. All loop.
///
/// **Machines.** Exactly one state is current. A transition begins a fade from what is seen to its state: with f the share
/// of the fade's duration that has passed, shaped by the curve, the new state weighs lerp(w, 1, f) and every other one
/// w (1 - f), with w its weight when the fade began. So a fade that is interrupted goes on from what is seen, without
/// a jump, and weights sum to 1. One that is #LMB_FADE_INERTIALIZED weighs the new state alone from its first frame on. Where
/// a state is entered that weighs nothing, whose clip is at its end, or that says `restart`, its players begin at
/// their offsets and machines inside it at their initial states; another goes on where it is.
///
/// **Blend profiles.** A transition may have a mask that scales its fade's time joint by joint, as blend profiles of
/// Unreal do by their time factors. With p = mask/255 of a joint (or float channel) and t the part of the fade's time
/// that has passed, the joint's share is the curve of min(1, t / p), 1 where p is 0. The states' weights at the joint
/// follow from it as above, within 1e-6 / p; a state that drops out weighs nothing there either. All else knows the
/// whole time alone: states' weights, groups, root motion, notifies and what is reported.
/// A transition that interrupts such a fade leaves it, at each joint, at the share that it has there, and goes on from
/// those weights, without a jump at any joint. Its own fade then takes its whole time at all joints: a profile of its
/// own does not count, nor those of further ones, until a fade has come to its end.
///
/// **Updates.** A far character may be updated in some frames alone (lmb_graph_def.update_every). In the others it
/// stands still, unless lmb_graph_def.interpolate_updates says that it goes on. Then what is continuous goes on as it
/// would in an update: players by their rates (loops wrap, ends hold), groups, fades, smoothed parameters,
/// inertialization, and root motion as character motions show it. Nothing is decided and nothing emitted, and clips weigh in
/// groups and root motion what they did in the last update. All of this is shown and forgotten: the state, and what is
/// read from it, is in every frame what it is without the choice, to the bit. The next update begins with it, by all the
/// time since, so what it decides may have happened before: a clip that ended has held its end until then, and of an
/// inertialized transition, whose offset is that of the pose shown last, as much time is over as has passed since the
/// last update.
///
/// **The character motion** has a position and a yaw, the angle about the y axis that takes z to x: at 0 the character faces z. Positions
/// are kept to 2^-32 of the unit of length, up to 2^31 of them (beyond, they stay there), angles to 2^-32 of a turn, so
/// that what is added up over a long time is exactly the sum of what the frames moved. Each frame moves it twice, along its own axes:
/// - By what parameters want, where lmb_motion_def says so: half of the turn, the way, the other half. The velocity v goes
///   straight towards the wanted one w, by `acceleration` times the step where |w| > |v|, else by `deceleration`; the way is
///   that of a steady change, and of w for the rest of the step. The heading is turned to the short way, by `turn_rate`
///   times the step at most.
/// - By root motion: the sum of weight times way over all players with a motion track (root_motion.h) or a velocity. A
///   player's way is the motion at the place where it began, inverted, times that where it went, through as many loops
///   as lie between, backwards where it plays so; there and back where it turns around. So a clip that plays alone carries as far whatever the
///   steps are; what is blended is blended step by step, ways and turns alike, with this frame's weights.
/// A step's way is within 1e-6 of it, relative; and 1,000 loops end within 1e-5 of the distance travelled, given that the weights sum to 1.
///
/// A transition is taken where it leaves the current state (or any other state than its own, where it is from #LMB_NONE),
/// and all hold that it names: its event is sent; the state's clip is at its end; its condition holds; as much time has
/// passed in the state. Of several, the one with the greatest priority, then the first.
#ifndef LIMBER_CONTROL_H
#define LIMBER_CONTROL_H

#include <limber/inertia.h>
#include <limber/root_motion.h>
#include <limber/value.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LMB_TICKS_PER_SECOND UINT64_C(705600000)
#define LMB_MAX_STEP_TICKS (60 * LMB_TICKS_PER_SECOND) ///< of one frame
#define LMB_MAX_CONTROL_SECONDS 100000.0f              ///< of a clip, a fade, a delay
#define LMB_MAX_PLAYERS 256u
#define LMB_MAX_MARKERS 16u  ///< of a player
#define LMB_MAX_NOTIFIES 64u ///< of a player
#define LMB_MAX_MACHINES 32u
#define LMB_MAX_MACHINE_DEPTH 4u       ///< of machines within each other's states
#define LMB_MAX_STATES 64u             ///< of a machine
#define LMB_MAX_TRANSITIONS 256u       ///< of a machine
#define LMB_MAX_TERMS 16u              ///< of a condition
#define LMB_MAX_EMITTED_EVENTS 256u    ///< events emitted of a character in a frame
#define LMB_MAX_EVENTS 65536u          ///< of a graph
#define LMB_MAX_EVENTS_SENT 16u        ///< to one character in one frame; more are passed over and counted
#define LMB_MAX_TRANSITIONS_A_FRAME 8u ///< of one machine, in each piece of a frame
#define LMB_MAX_PIECES_A_FRAME 16u     ///< into which its step is cut
#define LMB_MAX_CONTROL_WEIGHTS 4096u  ///< of the nodes of a graph that has a control

/// Stage 1 of a graph, compiled: lmb_graph_control(). It lives as long as its graph.
typedef struct lmb_control lmb_control;

/// What a player does at either end of its clip.
typedef enum lmb_end {
    LMB_END_LOOP,      ///< goes on at the other end
    LMB_END_HOLD,      ///< stays
    LMB_END_ONCE,      ///< stays; as the very pose of a state or a fade it weighs nothing from then on: it drops out
    LMB_END_PING_PONG, ///< turns around
    LMB_END_COUNT
} lmb_end;

/// An event at a time in a clip.
typedef struct lmb_notify_def {
    float time;     ///< seconds, within the clip
    uint32_t event; ///< emitted to the host
} lmb_notify_def;

/// How a clip plays by itself: the `player` of a clip's node. Start from lmb_default_player_def().
typedef struct lmb_player_def {
    lmb_value rate; ///< -64 to 64; 0 pauses. What is not finite counts as 0. The first of a group: the group's
    float offset;   ///< seconds, where it begins, 0 to the clip's duration
    lmb_end end;
    uint32_t ended_event;  ///< emitted when it comes to an end and stays there; or #LMB_NONE
    uint32_t looped_event; ///< emitted when it goes past an end, or turns around; or #LMB_NONE
    uint32_t group;        ///< index of a sync group, or #LMB_NONE. Its clips loop, and last more than 0 s
    const float *markers;  ///< sync markers: seconds, ascending, within [0, duration); NULL: one at `offset`
    uint32_t marker_count;
    const lmb_notify_def *notifies; ///< in the order of their times
    uint32_t notify_count;
    /// Of the clip: metres a second. Where it has no motion track, and there is character motion, it moves the character
    /// forwards, along z, as fast. 0: for its group, as fast as the motion track gets from end to end.
    float velocity;
    const lmb_motion_track *motion; ///< the clip's root motion, copied; NULL: as `velocity` says
} lmb_player_def;

/// Loops at rate 1 from 0, in no group; no events, markers, notifies or motion.
LMB_API lmb_player_def lmb_default_player_def(void);

/// How fast the clips of a group go; the formulas are above.
typedef enum lmb_cadence {
    LMB_CADENCE_DEFAULT,  ///< by velocities where every clip has one, else by durations
    LMB_CADENCE_DURATION, ///< rates are blended
    LMB_CADENCE_VELOCITY, ///< velocities are blended; every clip has one
    LMB_CADENCE_COUNT
} lmb_cadence;

/// Clips that keep in phase: those whose players name it. The first of them in the order of nodes is the leader, whose
/// rate is the group's. Start from lmb_default_group_def().
typedef struct lmb_group_def {
    const char *name; ///< copied; NULL: ""
    lmb_cadence cadence;
    uint32_t velocity_parameter; ///< written: metres a second, times the rate; or #LMB_NONE
} lmb_group_def;

/// Default cadence, no name, writes no parameter.
LMB_API lmb_group_def lmb_default_group_def(void);

/// A parameter that follows another: y += (x - y) (1 - 2^(-step / half_life)), so that each half-life halves what is left,
/// whatever the steps. In a character's first frame y is x.
typedef struct lmb_smoothed_def {
    lmb_value source;   ///< the host's or an earlier smoothed parameter's; what is not finite changes nothing
    float half_life;    ///< seconds; 0 follows at once
    uint32_t parameter; ///< written
} lmb_smoothed_def;

#define LMB_MAX_COMPUTED_INPUTS 5u

/// How a parameter is computed from its inputs a, b, c, d and e. Inputs and results are clamped to +-2^40; a magnitude
/// below 2^-40 is 0, and so is an input that is NaN. Sums and products are rounded once.
typedef enum lmb_computed_kind {
    LMB_COMPUTED_ADD,      ///< a + b
    LMB_COMPUTED_SUBTRACT, ///< a - b
    LMB_COMPUTED_MULTIPLY, ///< a b
    LMB_COMPUTED_MIN,      ///< the smaller of a and b
    LMB_COMPUTED_MAX,      ///< the larger
    LMB_COMPUTED_CLAMP,    ///< min(max(a, b), c): c where b is above c
    /// Maps a from the range b to c onto the range d to e: linear; d and e beyond its ends, exactly. b may be above c.
    /// Where b equals c: d below it, e from there on. Within 1e-6 of the larger magnitude of d and e.
    LMB_COMPUTED_REMAP,
    LMB_COMPUTED_COUNT
} lmb_computed_kind;

/// A parameter that is computed from others. It is known once all that it reads is:
/// - from what the host and smoothed parameters write: before the character motion. All but smoothed parameters and `update_every` may read it.
/// - from the character motion's velocity: after the character motion. Conditions, rates and the graph may read it.
/// - from weights of states or players: after those, in each piece of the frame. The graph alone may read it.
///
/// Conditions and rates so see what it is at the beginning of the frame. None may read a time or a velocity that
/// players and groups write.
typedef struct lmb_computed_def {
    lmb_computed_kind kind;
    lmb_value inputs[LMB_MAX_COMPUTED_INPUTS]; ///< those that the kind has
    uint32_t parameter;                        ///< written
} lmb_computed_def;

/// What it comes to for a row of parameters, which may be NULL where it reads none: the same bits.
LMB_API float lmb_computed_at(const lmb_computed_def *computed, const float *parameters);

typedef enum lmb_term_kind {
    LMB_TERM_LESS,          ///< left < right; pushes a truth, as all six do. NaN compares false
    LMB_TERM_LESS_EQUAL,    ///< left <= right
    LMB_TERM_GREATER,       ///< left > right
    LMB_TERM_GREATER_EQUAL, ///< left >= right
    LMB_TERM_EQUAL,         ///< left == right
    LMB_TERM_AND,           ///< replaces the last two truths by whether both hold
    LMB_TERM_OR,            ///< ... whether one does
    LMB_TERM_COUNT
} lmb_term_kind;

/// What a comparison has on its left.
typedef enum lmb_operand {
    LMB_OPERAND_VALUE,     ///< `left`
    LMB_OPERAND_PHASE,     ///< of `player`: its time in its clip over the clip's duration, 0 to 1
    LMB_OPERAND_REMAINING, ///< of `player`: the clip's duration less its time in the clip, in seconds at rate 1
    LMB_OPERAND_COUNT
} lmb_operand;

/// A piece of a condition, which is written as a stack machine has it: what is compared first, then how it is joined.
///
/// A phase or what remains is that at the beginning of the frame's piece. It is compared with a constant, exactly: the
/// constant becomes a time in the clip, rounded as all seconds are. A transition that waits for it happens at its own
/// time where the player gets there as it plays: forwards to a phase of at least, or a rest of at most, backwards to a
/// phase of at most, or a rest of at least that. What comes about otherwise (a player loops, or begins anew) is seen at
/// the beginning of the next piece. A loop is never at phase 1.
typedef struct lmb_term {
    lmb_term_kind kind;
    lmb_value left;      ///< of a comparison
    lmb_value right;     ///< where the operand is no value, a constant: 0 to 1, or 0 to the clip's duration
    lmb_operand operand; ///< of a comparison
    uint32_t player;     ///< of a phase or what remains: the node of a clip that plays
} lmb_term;

typedef enum lmb_fade_kind {
    LMB_FADE_SMOOTH, ///< both go on playing
    LMB_FADE_FROZEN, ///< what is faded from stops where it is
    /// What is faded to weighs all at once, and what the pose lacks of the one shown before decays: inertia.h. `curve` is not
    /// used.
    LMB_FADE_INERTIALIZED,
    LMB_FADE_COUNT
} lmb_fade_kind;

/// Start from lmb_default_transition_def().
typedef struct lmb_transition_def {
    uint32_t from;  ///< state, or #LMB_NONE: any but `to`
    uint32_t to;    ///< state
    uint32_t event; ///< #LMB_NONE: needs none
    bool at_end; ///< needs the state's `end_player` at its end: ended, or, where it loops, past it in the frame before
    float after; ///< needs as many seconds in the state; below 0: needs none
    const lmb_term *terms; ///< needs this condition
    uint32_t term_count;   ///< 0: needs none
    int32_t priority;      ///< the greatest is taken
    float fade;            ///< seconds; 0 switches
    lmb_curve curve;       ///< any but a Bezier
    lmb_fade_kind kind;
    uint32_t profile; ///< blend profile: one of the graph's masks, or #LMB_NONE; not of one that is inertialized
} lmb_transition_def;

/// From any state, to state 0, nothing needed, which is refused until something is; 0.2 s, smoothstep, both go on, no
/// profile.
LMB_API lmb_transition_def lmb_default_transition_def(void);

/// Start from lmb_default_state_def().
typedef struct lmb_state_def {
    const char *name;     ///< copied; NULL: ""
    uint32_t entry_event; ///< emitted as a transition leads to it, not as the machine begins; or #LMB_NONE
    uint32_t exit_event;  ///< emitted as a transition leads away from it, before the other's entry; or #LMB_NONE
    bool restart;         ///< begins anew where it is entered while it still weighs something
} lmb_state_def;

/// No name or events; does not restart.
LMB_API lmb_state_def lmb_default_state_def(void);

/// What a node of #LMB_OP_MACHINE does: its inputs are the poses of its states, in their order. A state's clip, whose
/// end is the state's, is the first clip in the order of nodes that plays in the state's pose and in no machine or fade
/// inside it.
typedef struct lmb_machine_def {
    const char *name;            ///< copied; NULL: ""
    const lmb_state_def *states; ///< one for each input of the node; state 0 is the initial one
    uint32_t state_count;        ///< as many as the node has inputs
    const lmb_transition_def *transitions;
    uint32_t transition_count;
} lmb_machine_def;

/// A weight that events fade in and out. It writes a parameter, for a node to weigh a pose by; anything else may read it
/// as well. Clips in that pose play while the weight is above 0; they begin at their offsets, and machines anew, when it
/// is faded in from 0. A fade works as a machine of two states. Start from lmb_default_fade_def().
typedef struct lmb_fade_def {
    const char *name;   ///< copied; NULL: ""
    uint32_t parameter; ///< written: its weight, 0 to 1
    uint32_t pose;      ///< the node that is faded, of this fade alone; or #LMB_NONE
    uint32_t in_event;  ///< fades it in; again, while it is in, nothing, or a restart
    uint32_t out_event; ///< fades it out; or #LMB_NONE. It may be the same, which then goes back and forth
    bool at_end;        ///< fades out at the end of the first clip that plays in the pose
    float after;        ///< seconds after which it fades out by itself; below 0: does not
    float in_seconds;   ///< 0 switches
    float out_seconds;
    lmb_curve curve; ///< any but a Bezier
    bool restart;    ///< `in_event` begins the pose anew while it is in; then not the `out_event` too
    bool begins_in;  ///< a character begins with a weight of 1
} lmb_fade_def;

/// No pose; no parameter or events, which is refused; 0.2 s, smoothstep; begins at 0.
LMB_API lmb_fade_def lmb_default_fade_def(void);

/// Where a character goes. Start from lmb_default_motion_def().
typedef struct lmb_motion_def {
    /// Wanted, along the character's own axes: units a second, clamped to +-2^20; what is not finite counts as 0.
    lmb_value velocity[3];
    bool turns_to_heading; ///< whether it turns to `heading`
    lmb_value heading;     ///< wanted yaw in radians; what is not finite turns nothing
    float acceleration;    ///< units a second squared, 1e-6 to 2^20; 0: at once
    float deceleration;    ///< likewise
    float turn_rate;       ///< radians a second, 1e-6 to 2^20; 0: at once
    /// Written: the velocity that it has of what is wanted. Conditions and players may read them. Or #LMB_NONE.
    uint32_t velocity_parameters[3];
} lmb_motion_def;

/// Wants no velocity, does not steer, has no limits, writes no parameters: only clips move it.
LMB_API lmb_motion_def lmb_default_motion_def(void);

LMB_API uint32_t lmb_control_parameter_count(const lmb_control *control);
/// Words of a character's state. All 0 is the state of a character that has not begun. States are plain words without
/// addresses: copied away and back they give a rollback, compared they tell whether two sides agree, and a character's
/// may be zeroed to begin it anew without touching the others; its character motion is then at 0. NULL, which a graph has in which
/// nothing moves by itself, has 0 of these words and of those that follow, and no character motion.
LMB_API uint32_t lmb_control_state_words(const lmb_control *control);
/// Words of a character's emitted events: how many there were, then as many pairs as lmb_graph_def.max_emitted_events of an
/// event and the bits of a float, the weight of what emitted it: of a notify, ended or looped the clip's; of an entry or
/// exit its state's in its machine, times that machine's state's and so on.
LMB_API uint32_t lmb_control_emitted_words(const lmb_control *control);

/// An event for a character. #LMB_EVENT_RESET begins the character anew, before what is sent to it after; its character motion stands,
/// but stays where it is.
typedef struct lmb_event {
    uint32_t character;
    uint32_t event;
} lmb_event;

#define LMB_EVENT_RESET 0xfffffffeu

/// Sorts events by character; those of one character keep their order. `scratch` is as long as `events`.
LMB_API void lmb_control_sort_events(lmb_event *events, lmb_event *scratch, uint32_t count);

/// One frame. Caller-owned memory, aligned to 4. Start from zero.
typedef struct lmb_control_frame {
    uint64_t step;            ///< ticks, at most #LMB_MAX_STEP_TICKS
    uint32_t number;          ///< of the frame; counts up by one, and wraps
    uint32_t character_count; ///< of the batch
    uint32_t *state;          ///< uint32_t [C][lmb_control_state_words()]
    float *parameters;        ///< float [C][P]: the host's are read, the control's written. May be NULL where P is 0
    const lmb_event *events;  ///< sorted by character; may be NULL where there are none
    uint32_t event_count;
    uint32_t *emitted; ///< uint32_t [C][lmb_control_emitted_words()], written anew; may be NULL
    float *motions;    ///< float [C][#LMB_MOTION_FLOATS], written where there is character motion; may be NULL
} lmb_control_frame;

/// For renderers, of each character: x, y, z, and yaw in radians from -pi on to below pi, each within 1e-6 of it, relative.
#define LMB_MOTION_FLOATS 4u

/// Moves characters [first, first + count) on by one frame, on the CPU. Several threads may do so with ranges that do not
/// overlap. Allocates nothing; the caller's floating-point environment changes nothing and is restored. Fails with
/// #LMB_ERROR_ARGUMENT where a needed pointer is NULL, the step is too long, characters are outside the batch, or events are not sorted, are of
/// a character outside the batch or not below lmb_graph_def.event_count.
LMB_API lmb_result lmb_control_run(const lmb_control *control, const lmb_control_frame *frame, uint32_t first,
                                   uint32_t count, lmb_error *error);

/// Whether states that come from a file or a network, uint32_t [count][lmb_control_state_words()], are such as this control
/// could have left: nothing in them is trusted, and only those that pass may be run. Fails with #LMB_ERROR_FORMAT (message:
/// character, player or machine) and #LMB_ERROR_ARGUMENT.
LMB_API lmb_result lmb_control_check_states(const lmb_control *control, const uint32_t *states, uint32_t count,
                                            lmb_error *error);

/// What a character's state tells.
typedef struct lmb_control_counts {
    uint32_t transitions_left; ///< those that a frame had no room for
    uint32_t events_lost;      ///< beyond #LMB_MAX_EVENTS_SENT
    uint32_t lost_events;      ///< beyond lmb_graph_def.max_emitted_events
} lmb_control_counts;

/// Since the character began; each wraps.
LMB_API lmb_control_counts lmb_control_state_counts(const lmb_control *control, const uint32_t *state);
/// A machine's current state. `state` is one character's. Before its first frame: 0.
LMB_API uint32_t lmb_control_current_state(const lmb_control *control, const uint32_t *state, uint32_t machine);
/// A state's weight in its machine.
LMB_API float lmb_control_state_weight(const lmb_control *control, const uint32_t *state, uint32_t machine,
                                       uint32_t machine_state);
/// A player's place in its clip, in ticks, rounded down.
LMB_API uint64_t lmb_control_player_ticks(const lmb_control *control, const uint32_t *state, uint32_t player);
/// What a player's clip weighs in the pose, as of the last frame in which the character was updated.
LMB_API float lmb_control_player_weight(const lmb_control *control, const uint32_t *state, uint32_t player);
/// Where a character stands and faces.
typedef struct lmb_motion {
    double position[3]; ///< -2^31 on to below 2^31
    double yaw;         ///< radians, -pi on to below pi
} lmb_motion;

#define LMB_MOTION_WORDS 7u ///< of a character's state that hold its character motion's place

/// Whether it has one.
LMB_API bool lmb_control_has_motion(const lmb_control *control);
/// `state` is one character's; without character motion all is 0.
LMB_API lmb_motion lmb_control_motion(const lmb_control *control, const uint32_t *state);
/// Puts a character somewhere, between frames, before its first one too; its velocity stays. Any yaw will do. Fails with #LMB_ERROR_ARGUMENT where
/// something is NULL, there is no character motion, or a number is not finite or out of range.
LMB_API lmb_result lmb_control_set_motion(const lmb_control *control, uint32_t *state,
                                          const lmb_motion *character_motion, lmb_error *error);
/// Where in a character's state the #LMB_MOTION_WORDS are that lmb_control_set_motion() writes, and no others: on a device, those alone need
/// be copied to lmb_gpu_batch_state(). #LMB_NONE without character motion.
LMB_API uint32_t lmb_control_motion_word(const lmb_control *control);
/// How far clips carried the character in the last frame, along its own axes at the beginning of that: x, y, z, and yaw in
/// radians, for a host that moves it in its own way.
LMB_API void lmb_control_root_motion(const lmb_control *control, const uint32_t *state, float displacement[4]);

/// FNV-1a, 64 bits, over words in their order, least significant byte first: for comparing states and the like.
LMB_API uint64_t lmb_control_hash(const uint32_t *words, size_t count);

#ifdef __cplusplus
}
#endif

#endif
