// Memory layout of a control's block and of a character's state.
#ifndef LMB_OPS_CONTROL_LAYOUT_H
#define LMB_OPS_CONTROL_LAYOUT_H

#include "layout.h"
#include "match_layout.h"
#include "ticks.h"

// The block consists of words. Offsets count words from its start. Character states contain offsets of transitions, and
// golden hashes cover states: append new data after existing data. The header:
//
// CONTROL.alone is an offset: [player] offset of its record, for players in no group. Then [phase + 1] offsets of
// computed parameters: where those of each COMPUTED_... phase begin, and where the last ones end.
RECORD(CONTROL)
uint alone;
uint parameters;
uint state_words;
uint smoothed; // offset: [smoothed parameter] SMOOTHED
uint smoothed_count;
uint players; // offset: [player] PLAYER
uint player_count;
uint groups; // offset: [group] GROUP
uint group_count;
uint machines; // offset: [machine] MACHINE
uint machine_count;
uint alone_count;
uint emitted_capacity;
WORDS(5, update_every); // value
uint character_motion;  // offset of its record, or CONTROL_NONE
uint inertia;           // offset of its record, or CONTROL_NONE
uint flags;             // CONTROL_WEIGHS, CONTROL_INTERPOLATES, CONTROL_..._CURVES
// Behind these with CONTROL_DECIDES. The words of all draws are behind each other in the state.
uint decisions; // offset: [decision] DECISION
uint decision_count;
uint draws; // offset in the state
uint draw_count;
// Behind these with CONTROL_MATCHES.
uint matchings; // offset: [matching] MATCHING
uint matching_count;
END_RECORD(CONTROL, 27)
#define CONTROL_HEADER_WORDS FIELD(CONTROL, decisions)
#define CONTROL_DECIDING_WORDS (FIELD(CONTROL, matchings) - FIELD(CONTROL, decisions))
#define CONTROL_MATCHING_WORDS (WORDS_OF(CONTROL) - FIELD(CONTROL, matchings))

#define CONTROL_WEIGHS 1u       // the program gives weights to the clips of players
#define CONTROL_INTERPOLATES 2u // continuous quantities advance between updates
#define CONTROL_CURVES 4u       // a value has a curve
#define CONTROL_USER_CURVES 8u  // the graph has curves of its own
#define CONTROL_DECIDES 16u     // conditions read triggers or draws, or players begin at draws
#define CONTROL_MATCHES 32u     // machines take states by motion matching

#define CONTROL_NONE 0xffffffffu

// Values are in place: VALUE.

RECORD(SMOOTHED)
WORDS(5, source); // value
FLOAT(rate);      // half-lives per second, 0 to take the value at once, or minus a constant speed
uint parameter;
uint state; // offset in the state: float
END_RECORD(SMOOTHED, 8)

RECORD(COMPUTED)
uint kind; // COMPUTED_ADD and so on, in the order of lmb_computed_kind
uint parameter;
uint input_count;
WORDS(25, inputs); // [input] value
END_RECORD(COMPUTED, 28)
#define MOST_COMPUTED_INPUTS 5u
#define COMPUTED_ADD 0u
#define COMPUTED_SUBTRACT 1u
#define COMPUTED_MULTIPLY 2u
#define COMPUTED_MIN 3u
#define COMPUTED_MAX 4u
#define COMPUTED_CLAMP 5u
#define COMPUTED_REMAP 6u
// Phases, in which they are computed: before the character motion, after it, after the weights of states and players.
#define COMPUTED_EARLY 0u
#define COMPUTED_MOVED 1u
#define COMPUTED_WEIGHED 2u
#define COMPUTED_PHASES 3u

RECORD(PLAYER)
WORDS(2, duration); // of fine ticks, as all times in the block
WORDS(2, offset);   // where it begins; or where the state has the draw that says so, and CONTROL_NONE
WORDS(5, rate);     // value
uint end;           // PLAYER_LOOPS, PLAYER_HOLDS, PLAYER_DROPS_OUT or PLAYER_TURNS
uint time_parameter;
uint weight_parameter;
uint ended_event;
uint looped_event;
uint machine; // offset of its machine's record, or CONTROL_NONE
uint machine_state;
uint notifies; // offset: [notify]: time, event
uint notify_count;
uint state; // offset in the state
uint uses;  // offset: [use] CLIP_USE: where the program plays its clip
uint use_count;
uint is_grouped;  // 1 if a group moves it
uint repetitions; // 0: it goes on at its ends for ever, or stays at the first
uint last_end;    // what it does at an end where it stays: PLAYER_HOLDS or PLAYER_DROPS_OUT; else PLAYER_LOOPS
WORDS(2, delay);  // ticks
uint waited;      // offset in the state of the ticks of it that have passed, or CONTROL_NONE
uint sync;        // offset of the record of the player at whose time it begins, or CONTROL_NONE
END_RECORD(PLAYER, 28)

RECORD(CLIP_USE)
uint weight; // index of a weight of the program: in the pose
uint motion; // index of its motion weight, CLIP_USE_NEGATED, and the axes by which mirrors reflect it
END_RECORD(CLIP_USE, 2)
#define CLIP_USE_INDEX 0xffffu
#define CLIP_USE_NEGATED 0x10000u // minus that weight
#define CLIP_USE_REFLECTION_SHIFT 17u

RECORD(NOTIFY)
WORDS(2, time);
uint event;
END_RECORD(NOTIFY, 3)

#define PLAYER_LOOPS 0u
#define PLAYER_HOLDS 1u
#define PLAYER_DROPS_OUT 2u
#define PLAYER_TURNS 3u

RECORD(GROUP)
WORDS(5, rate); // value
uint members;   // offset: [member] MEMBER, then the markers
uint member_count;
uint marker_count; // of each member
uint velocity_parameter;
uint cadence; // CADENCE_DURATION, CADENCE_VELOCITY or CADENCE_LENGTH, and CADENCE_VARIES
END_RECORD(GROUP, 10)
#define CADENCE_DURATION 0u
#define CADENCE_VELOCITY 1u
#define CADENCE_VARIES 2u // flag: the leader's rate differs between pieces
#define CADENCE_LENGTH 4u

RECORD(MEMBER)
uint player;  // offset of its record
uint markers; // offset: times
FLOAT(velocity);
// Offset: [piece] float. With CADENCE_DURATION, the length of the leader's piece over the length of this member's
// piece. With CADENCE_VELOCITY, the distance that this member moves in its piece over the time that the leader takes
// for the piece. With CADENCE_LENGTH, the length of this member's piece over the length of the leader's piece.
uint pieces;
END_RECORD(MEMBER, 4)

// The root motion of a player. Where mirrors play the clip reflected, another record has the reflected keys.
RECORD(MOTION)
uint keys;      // offset: [key][MOTION_KEY_WORDS], the last one twice
uint intervals; // number of intervals between keys, all of the same length
uint shift;     // right shift that makes a position in the clip fit into a word
uint inverse;   // 2^63 over the duration, shifted likewise
uint turns;     // 1 if any key has a rotation
uint player;    // offset of its player's record
uint state;     // offset in the state: MOTION_SPAN_..., the same for all records of a player
uint lengths;   // offset: [key] float: length of the path up to it, the last one twice; only with warps
uint warps;     // offset: [warp] WARP, by ascending times
uint warp_count;
uint rotations;  // offset: [key][MOTION_ROTATION_WORDS], or 0 if the keys' turns are the rotation
uint reflection; // the axes by which the keys are reflected, as in CLIP_USE.motion
uint weight;     // offset in the state: float: sum of the motion weights with this reflection
END_RECORD(MOTION, 13)
#define MOTION_KEY_WORDS 4u // floats: x, y, z, turns, relative to the first key

// A rotation relative to the first key, the axis about which the interval that begins there turns, and its turns.
#define MOTION_ROTATION_WORDS 8u

RECORD(WARP)
WORDS(2, start);
WORDS(2, end);
WORDS(15, target); // three values
WORDS(5, heading); // value
uint flags;
END_RECORD(WARP, 25)
#define WARP_TO_HEIGHT 1u  // y is warped too
#define WARP_TO_HEADING 2u // the heading is warped too

RECORD(CHARACTER_MOTION)
uint state; // offset in the state
uint is_driven;
uint turns_to_heading;
WORDS(15, desired);  // three values
WORDS(5, heading);   // value
FLOAT(acceleration); // 0 is unlimited, as in the next two
FLOAT(deceleration);
FLOAT(turn_rate); // turns per second
WORDS(3, velocity_parameters);
uint root_motion; // offset: [player] offset in the state of its MOTION_SPAN_..., or CONTROL_NONE
uint tracks;      // offset: [motion] MOTION
uint track_count;
uint place_words;   // of the place in the state: those of MOVING, or with full rotation of MOVING_FULLY
uint remaining;     // offset in the state, REMAINING_..., or CONTROL_NONE
FLOAT(decay_rate);  // 1 / half-life
FLOAT(decay_scale); // half-life / ln 2
END_RECORD(CHARACTER_MOTION, 36)

RECORD(MACHINE)
uint states; // offset: [state] STATE
uint state_count;
uint transitions; // offset: [transition] TRANSITION, by descending priority
uint transition_count;
uint outer; // offset of the record of the machine that contains it, or CONTROL_NONE
uint outer_state;
uint state; // offset in the state
END_RECORD(MACHINE, 7)

RECORD(STATE)
uint weight_parameter;
uint end_player; // offset of its record, or CONTROL_NONE
uint entry_event;
uint exit_event;
uint table; // offset of its table
END_RECORD(STATE, 5)

RECORD(TABLE)
uint flags;            // TABLE_RESTARTS, TABLE_TRAVELS
uint transition_count; // number of transitions from this state that need no event
uint profiles;         // offset of the machine's blend profiles, or CONTROL_NONE
END_RECORD(TABLE, 3)
// Behind it: [transition] offset of its record, by descending priority.
#define TABLE_RESTARTS 1u // the state restarts if it is entered while it is seen
#define TABLE_TRAVELS 2u  // the offset of the machine's travels follows the transitions

// How a machine travels to a state.
RECORD(TRAVEL)
uint state; // offset in the state: 1 plus the state to which it travels, or 0
END_RECORD(TRAVEL, 1)
// Behind it: [state] DESTINATION.
RECORD(DESTINATION)
uint event; // that asks for it, or CONTROL_NONE
uint steps; // offset: [current state] offset of the transition to take
END_RECORD(DESTINATION, 2)

// A word of the state that conditions of a machine read: a trigger, which is 1 while its event waits, or a draw.
RECORD(DECISION)
uint event;   // of a trigger; CONTROL_NONE: a draw
uint machine; // offset of its record
uint state;   // offset in the state
END_RECORD(DECISION, 3)
#define DRAW_FACTOR 747796405u // a draw d becomes d DRAW_FACTOR + DRAW_STEP
#define DRAW_STEP 2891336453u
#define DRAW_BITS 24u             // the highest ones, which conditions read as a fraction
#define CHOICE_FACTOR 2654435769u // a draw d has a second number, d CHOICE_FACTOR, for a choice of several targets

RECORD(TRANSITION)
uint from;
uint to;
uint event;
uint flags;
WORDS(2, after);
uint terms; // offset: [term] TERM
uint term_count;
WORDS(2, fade);
uint curve; // offset: curve, two control points; with TRANSITION_AT_PHASE, the phase in 2^-32
END_RECORD(TRANSITION, 11)
#define TRANSITION_AT_END 1u
#define TRANSITION_FREEZES 2u
#define TRANSITION_INERTIALIZES 4u // the fade is an inertialization of the same duration
#define TRANSITION_TO_SELF 8u      // from any state: also from its own target
#define TRANSITION_TELEPORTS 16u   // a travel without a path
#define TRANSITION_AT_PHASE 32u    // the clips of the state that is entered begin at a given phase
#define TRANSITION_IN_SYNC 64u     // or at that of the clip of the state that is left
#define TRANSITION_JUMPS 128u      // to the row that a search found

RECORD(FADE_CURVE)
WORDS(3, curve);
END_RECORD(FADE_CURVE, 3)
#define TRANSITION_PROFILE_SHIFT 8u // in the flags, from this bit on: the number of its blend profile, or 0

// Motion matching of a machine: its first states are the takes of a database. An array of the database is at an offset.
RECORD(MATCHING)
uint machine; // offset of its record
uint state;   // offset in the state: MATCHED_...
uint jumps;   // offset: [take] transition
uint takes;   // [take] TAKE
uint take_count;
uint row_count;
uint found_count;    // rows from here on are not found
uint moments;        // [row]
uint rows;           // [moment]
uint take_of;        // [row]
uint tags;           // [row]
uint numbers;        // [row][MATCH_ROW_WORDS]
uint small_boxes;    // [box of SMALL_BOX rows][MATCH_BOX_WORDS]
uint large_boxes;    // [box of LARGE_BOX rows][MATCH_BOX_WORDS]
FLOAT(rate);         // rows a second
WORDS(2, step);      // of fine ticks: from row to row
WORDS(12, ahead);    // [3][AHEAD_WORDS] float
WORDS(24, normals);  // [feature of the path] float: mean, factor
WORDS(2, interval);  // ticks from search to search
uint recent;         // ticks
WORDS(10, velocity); // two values
WORDS(5, heading);   // value
FLOAT(change);       // the square of a change of velocity that asks for a search
uint turn;           // likewise a turn of the heading in 2^-32 of a turn
uint window;         // rows
uint bonus;          // cost
uint rules;          // offset: [rule] value, tags
uint rule_count;
uint faces;        // 1: the heading counts; 0: the character is to face where it goes
FLOAT(spring);     // 1/s; 0: what is desired is reached at once
uint mirrored;     // parameter: 1 if the take plays mirrored, or 0; CONTROL_NONE: rows do not count mirrored
uint follows;      // 1: the path is stated
FLOAT(first);      // 1 / the first time ahead
WORDS(30, places); // six values: x and z of the stated path
uint mirrors;      // [number of a row]: MATCH_MIRROR_FROM, MATCH_MIRROR_NEGATES
END_RECORD(MATCHING, 113)

// A time ahead, and how far springs are then (src/match/path.c): seconds; the share of a turn; factors of how much the
// velocity differs from the desired one, and of the acceleration plus the spring's rate times that.
#define AHEAD_WORDS 4u

RECORD(TAG_RULE)
WORDS(5, when);
uint tags;
END_RECORD(TAG_RULE, 6)

RECORD(MACHINE_PROFILES)
uint state;     // offset in the state: PROFILED_...
uint parameter; // the first of PROFILED_NUMBERS
END_RECORD(MACHINE_PROFILES, 2)

RECORD(TERM)
uint kind;
WORDS(5, left);
WORDS(5, right);
END_RECORD(TERM, 11)
#define TERM_LESS 0u
#define TERM_LESS_EQUAL 1u
#define TERM_GREATER 2u
#define TERM_GREATER_EQUAL 3u
#define TERM_EQUAL 4u
#define TERM_AND 5u
#define TERM_OR 6u
#define TERM_COMPARISON 7u // mask of the kind
// Flag of the kind: the term compares a player's time in its clip with a constant time.
#define TERM_OF_PLACE 8u

RECORD(PLACE_TERM)
uint kind;
uint player;     // offset of its record
WORDS(2, place); // ticks
WORDS(7, unused);
END_RECORD(PLACE_TERM, 11)

// Flag of the kind: the left side is a word of the state, shifted to the right, times the constant in TERM.left.
#define TERM_OF_STATE 16u
#define TERM_OF_TRIGGER 32u // beside it: the transition resets the word
#define TERM_OF_CHOICE 64u  // beside it: the word times CHOICE_FACTOR

RECORD(STATE_TERM)
uint kind;
WORDS(3, left);
uint state; // offset of the offset in the state
uint shift;
WORDS(5, right);
END_RECORD(STATE_TERM, 11)

RECORD(INERTIALIZED)
uint state;     // offset in the state
uint parameter; // the first of INERTIA_INPUT
END_RECORD(INERTIALIZED, 2)

// A character's state. Before its first frame all words are 0, except those that the host has set: the place of its
// character motion and the phase of its updates.
RECORD(CHARACTER)
uint begun;
WORDS(2, waiting); // ticks that have passed but are not yet applied
uint transitions_left;
uint events_lost;
uint lost_events;
uint update_phase; // plus 1; 0 before the first frame if the index gives it
END_RECORD(CHARACTER, 7)
#define LONGEST_WAIT_LOW 0x922d9800u // the two words of the longest wait that counts: 17 steps of LMB_MAX_STEP_TICKS,
#define LONGEST_WAIT_HIGH 167u       // which is one more than the longest period
#define UPDATE_PHASES 720720u        // the smallest number that all periods of updates divide

RECORD(PLAYING)
WORDS(2, place);
uint flags;
FLOAT(weight); // weight of its clip in the pose
END_RECORD(PLAYING, 4)
// Behind it, with a delay: two words for PLAYER.waited.
#define PLAYING_ENDED 1u           // it stays at an end
#define PLAYING_PASSED 2u          // it passed an end when it last moved
#define PLAYING_PASSED_IN_FRAME 4u // or in an earlier piece of the same frame
#define PLAYING_TURNED 8u          // it turned around at the beginning of its clip and has not left it
#define PLAYING_ENDED_SHIFT 8u     // from this bit on: how many of its repetitions have ended
#define MOST_REPETITIONS 0xffffffu

RECORD(MACHINE_NOW)
uint current;
WORDS(2, time); // in the current state
uint fade;      // offset of the transition that fades, or 0
WORDS(2, faded);
END_RECORD(MACHINE_NOW, 6)
// Behind it: [state] STATE_WEIGHT.
RECORD(STATE_WEIGHT)
FLOAT(weight);
uint began; // weight when the fade began, with MACHINE_FROZEN
END_RECORD(STATE_WEIGHT, 2)
#define MACHINE_FROZEN 0x80000000u // the state is frozen, until it is entered

// State of a machine with blend profiles: the fade that has a profile. If another fade begins before it ends, the fade
// with the profile stops at the progress that it has.
RECORD(PROFILED)
uint fade;    // the number of its profile, or 0
FLOAT(time);  // fraction of its time that has passed
uint over;    // 1 if another fade has begun over it
FLOAT(share); // the share of that other fade
END_RECORD(PROFILED, 4)

// Float [state]: the weights of the state before and after the fade, both as they were when the other fade began.
RECORD(PROFILED_END)
FLOAT(before);
FLOAT(after);
END_RECORD(PROFILED_END, 2)

// State of a matching.
RECORD(MATCHED)
uint found;         // 0, MATCH_ASKED, or 1 plus the choice (match_layout.h) that a search found
uint begun;         // 1 after its first frame
WORDS(2, waited);   // ticks since the last search
WORDS(4, moving);   // floats: velocity along x and z, and acceleration, which follow the desired velocity
WORDS(2, velocity); // floats: what the last search asked for
uint heading;
uint required;
uint forbidden;
uint mirrored; // 1: the take plays mirrored
END_RECORD(MATCHED, 14)
// Behind it: [MOST_RECENT] RECENT.
RECORD(RECENT)
uint row;   // 1 plus a row that was chosen, or 0
uint since; // ticks since then
END_RECORD(RECENT, 2)
#define MOST_RECENT 4u
#define MATCHED_WORDS (WORDS_OF(MATCHED) + MOST_RECENT * WORDS_OF(RECENT))
#define MATCH_ASKED 0xffffffffu // a search

RECORD(MOVING)
WORDS(6, position); // three of two words
uint yaw;           // in 2^-32 of a turn
END_RECORD(MOVING, 7)

// With full rotation.
RECORD(MOVING_FULLY)
WORDS(7, moving);
WORDS(4, orientation); // floats: quaternion; all 0 is no rotation
END_RECORD(MOVING_FULLY, 11)

// After the place.
RECORD(MOVED)
WORDS(3, velocity); // floats: velocity of the motion that parameters drive
WORDS(4, by_clips); // floats: root motion of the clips in this frame
END_RECORD(MOVED, 7)

// With full rotation.
RECORD(MOVED_FULLY)
WORDS(7, moved);
WORDS(4, rotation); // floats: quaternion of root motion
END_RECORD(MOVED_FULLY, 11)

// Velocities a second along the character's own axes: x, y, z and the turn.
RECORD(REMAINING)
uint switched;    // 1: the next step is after an inertialized transition
WORDS(4, shown);  // floats: the velocity of the step before
WORDS(4, offset); // floats: what is added
END_RECORD(REMAINING, 9)
#define REMAINING_VELOCITIES 4u

RECORD(INERTIAL)
uint number; // frame number
FLOAT(step_before);
uint switched;
FLOAT(duration); // 0 once it has passed
WORDS(2, time);
FLOAT(step); // duration of this frame
END_RECORD(INERTIAL, 7)

// Events that a character emits in a frame: how many, then these words for as many as there is room for.
RECORD(EMITTED)
uint event;
FLOAT(weight);
uint passes;    // int, in two's complement
uint source;    // BY_..., and from these bits on the notify or state, and the player or machine
WORDS(2, time); // ticks since the frame's own step began, in two's complement
END_RECORD(EMITTED, 6)
#define EMITTED_COUNT_WORDS 1u // before them
#define EMITTED_PART_SHIFT 8u
#define EMITTED_INDEX_SHIFT 16u
#define BY_NOTIFY 0u // in the order of lmb_emitted_kind
#define BY_LOOP 1u
#define BY_END 2u
#define BY_ENTRY 3u
#define BY_EXIT 4u

#define MOTION_FLOATS 4u      // of a character, for renderers: position and yaw
#define FULL_MOTION_FLOATS 7u // position and quaternion

RECORD(MOTION_SPAN)
FLOAT(weight);  // motion weight of its first record
WORDS(2, from); // position of its player before it moved
uint ends;      // number of ends that it has passed
uint how;       // 0: it does not move, or one of the two below
END_RECORD(MOTION_SPAN, 5)
#define MOTION_SPAN_FORWARDS 1u
#define MOTION_SPAN_BACKWARDS 2u

// For kernels that run a frame in parts: the parts, and what they keep of a character.
RECORD(PART)
uint flags;       // PART_BEGINS and so on
WORDS(2, pieces); // the first, and the end
WORDS(2, machines);
WORDS(2, players);
WORDS(2, groups);
uint rounds;
END_RECORD(PART, 10)
#define PART_BEGINS 1u
#define PART_RESUMES 2u
#define PART_CUTS 4u
#define PART_ENDS 8u
#define ARGUMENT_WORDS 3u // of an indirect dispatch

RECORD(KEPT)
uint flags;     // KEPT_BEGINS and so on
WORDS(2, step); // these four: two words
WORDS(2, left);
WORDS(2, later);
WORDS(2, duration);
uint held_count;
uint sent_first;
uint sent_count;
uint taken; // these three: of struct transition_progress
uint next;
uint event;
uint is_over;
END_RECORD(KEPT, 16)
#define KEPT_BEGINS 1u
#define KEPT_UPDATES 2u
#define KEPT_MOVES 4u
#define KEPT_GOES_ON 8u

#define MOST_EVENTS_SENT 16u
#define MOST_TRANSITIONS_A_FRAME 8u
#define MOST_PIECES 16u // into which a frame is divided
#define EVENT_RESET 0xfffffffeu
#define MOST_MACHINES_WITHIN 4u

// Stages that may run in the lanes of vectors (lanes.h).
#define STAGE_WEIGHTS 0u
#define STAGE_DRIVE 1u
#define STAGE_ROOT_MOTION 2u
#define STAGE_PLAYERS 3u
#define STAGE_GROUP 4u
#define STAGE_SMOOTHED 5u
#define STAGE_PLAYER_TIMES 6u
#define STAGE_TRANSITIONS 7u // finds where a transition applies
#define STAGE_STOPS 8u       // finds where one may be due within the step
#define STAGE_COUNT 9u

#endif
