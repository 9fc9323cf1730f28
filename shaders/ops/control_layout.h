// Memory layout of a control's block and of a character's state.
#ifndef LMB_OPS_CONTROL_LAYOUT_H
#define LMB_OPS_CONTROL_LAYOUT_H

#include "layout.h"
#include "match_layout.h"
#include "ticks.h"

// The block consists of words. Offsets count words from its start. Character states contain offsets of transitions, and
// golden hashes cover states: append new data after existing data. The header:
//
// CONTROL_ALONE is an offset: [player] offset of its record, for players in no group. Then [phase + 1] offsets of
// computed parameters: where those of each COMPUTED_... phase begin, and where the last ones end.
#define CONTROL_ALONE 0u
#define CONTROL_PARAMETERS 1u
#define CONTROL_STATE_WORDS 2u
#define CONTROL_SMOOTHED 3u // offset: [smoothed parameter][SMOOTHED_WORDS]
#define CONTROL_SMOOTHED_COUNT 4u
#define CONTROL_PLAYERS 5u // offset: [player][PLAYER_WORDS]
#define CONTROL_PLAYER_COUNT 6u
#define CONTROL_GROUPS 7u // offset: [group][GROUP_WORDS]
#define CONTROL_GROUP_COUNT 8u
#define CONTROL_MACHINES 9u // offset: [machine][MACHINE_WORDS]
#define CONTROL_MACHINE_COUNT 10u
#define CONTROL_ALONE_COUNT 11u
#define CONTROL_EMITTED_CAPACITY 12u
#define CONTROL_UPDATE_EVERY 13u     // value
#define CONTROL_CHARACTER_MOTION 18u // offset of its record, or CONTROL_NONE
#define CONTROL_INERTIA 19u          // offset of its record, or CONTROL_NONE
#define CONTROL_FLAGS 20u            // CONTROL_WEIGHS, CONTROL_INTERPOLATES, CONTROL_..._CURVES
#define CONTROL_HEADER_WORDS 21u
// Behind these with CONTROL_DECIDES. The words of all draws are behind each other in the state.
#define CONTROL_DECISIONS 21u // offset: [decision][DECISION_WORDS]
#define CONTROL_DECISION_COUNT 22u
#define CONTROL_DRAWS 23u // offset in the state
#define CONTROL_DRAW_COUNT 24u
#define CONTROL_DECIDING_WORDS 4u
// Behind these with CONTROL_MATCHES.
#define CONTROL_MATCHINGS 25u // offset: [matching][MATCHING_WORDS]
#define CONTROL_MATCHING_COUNT 26u
#define CONTROL_MATCHING_WORDS 2u

#define CONTROL_WEIGHS 1u       // the program gives weights to the clips of players
#define CONTROL_INTERPOLATES 2u // continuous quantities advance between updates
#define CONTROL_CURVES 4u       // a value has a curve
#define CONTROL_USER_CURVES 8u  // the graph has curves of its own
#define CONTROL_DECIDES 16u     // conditions read triggers or draws, or players begin at draws
#define CONTROL_MATCHES 32u     // machines take states by motion matching

#define CONTROL_NONE 0xffffffffu

// An inline value, as a program's VALUE_...: a parameter's index or CONTROL_NONE, the bits of the constant, the curve,
// two control points.
#define CONTROL_VALUE_WORDS 5u

#define SMOOTHED_SOURCE 0u // value
#define SMOOTHED_RATE 5u   // float: half-lives per second, 0 to take the value at once, or minus a constant speed
#define SMOOTHED_PARAMETER 6u
#define SMOOTHED_STATE 7u // offset in the state: float
#define SMOOTHED_WORDS 8u

#define COMPUTED_KIND 0u // COMPUTED_ADD and so on, in the order of lmb_computed_kind
#define COMPUTED_PARAMETER 1u
#define COMPUTED_INPUT_COUNT 2u
#define COMPUTED_INPUTS 3u // [input] value
#define COMPUTED_WORDS 28u
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

#define PLAYER_DURATION 0u // two words of fine ticks, as all times in the block
#define PLAYER_OFFSET 2u   // where it begins; or where the state has the draw that says so, and CONTROL_NONE
#define PLAYER_RATE 4u     // value
#define PLAYER_END 9u      // PLAYER_LOOPS, PLAYER_HOLDS, PLAYER_DROPS_OUT or PLAYER_TURNS
#define PLAYER_TIME_PARAMETER 10u
#define PLAYER_WEIGHT_PARAMETER 11u
#define PLAYER_ENDED_EVENT 12u
#define PLAYER_LOOPED_EVENT 13u
#define PLAYER_MACHINE 14u // offset of its machine's record, or CONTROL_NONE
#define PLAYER_MACHINE_STATE 15u
#define PLAYER_NOTIFIES 16u // offset: [notify]: time, event
#define PLAYER_NOTIFY_COUNT 17u
#define PLAYER_STATE 18u // offset in the state
#define PLAYER_USES 19u  // offset: [use][CLIP_USE_WORDS]: where the program plays its clip
#define PLAYER_USE_COUNT 20u
#define PLAYER_IS_GROUPED 21u  // 1 if a group moves it
#define PLAYER_REPETITIONS 22u // 0: it goes on at its ends for ever, or stays at the first
#define PLAYER_LAST_END                                                                                                \
    23u                   // what it does at an end where it stays: PLAYER_HOLDS or PLAYER_DROPS_OUT; else PLAYER_LOOPS
#define PLAYER_DELAY 24u  // two words: ticks
#define PLAYER_WAITED 26u // offset in the state of the ticks of it that have passed, or CONTROL_NONE
#define PLAYER_SYNC 27u   // offset of the record of the player at whose time it begins, or CONTROL_NONE
#define PLAYER_WORDS 28u
#define CLIP_USE_WEIGHT 0u // index of a weight of the program: in the pose
#define CLIP_USE_MOTION 1u // index of its motion weight, CLIP_USE_NEGATED, and the axes by which mirrors reflect it
#define CLIP_USE_WORDS 2u
#define CLIP_USE_INDEX 0xffffu
#define CLIP_USE_NEGATED 0x10000u // minus that weight
#define CLIP_USE_REFLECTION_SHIFT 17u
#define NOTIFY_WORDS 3u

#define PLAYER_LOOPS 0u
#define PLAYER_HOLDS 1u
#define PLAYER_DROPS_OUT 2u
#define PLAYER_TURNS 3u

#define GROUP_RATE 0u    // value
#define GROUP_MEMBERS 5u // offset: [member][MEMBER_WORDS], then the markers
#define GROUP_MEMBER_COUNT 6u
#define GROUP_MARKER_COUNT 7u // of each member
#define GROUP_VELOCITY_PARAMETER 8u
#define GROUP_CADENCE 9u // CADENCE_DURATION, CADENCE_VELOCITY or CADENCE_LENGTH, and CADENCE_VARIES
#define GROUP_WORDS 10u
#define CADENCE_DURATION 0u
#define CADENCE_VELOCITY 1u
#define CADENCE_VARIES 2u // flag: the leader's rate differs between pieces
#define CADENCE_LENGTH 4u
#define MEMBER_PLAYER 0u   // offset of its record
#define MEMBER_MARKERS 1u  // offset: times
#define MEMBER_VELOCITY 2u // float
// Offset: [piece] float. With CADENCE_DURATION, the length of the leader's piece over the length of this member's
// piece. With CADENCE_VELOCITY, the distance that this member moves in its piece over the time that the leader takes
// for the piece. With CADENCE_LENGTH, the length of this member's piece over the length of the leader's piece.
#define MEMBER_PIECES 3u
#define MEMBER_WORDS 4u

// The root motion of a player. Where mirrors play the clip reflected, another record has the reflected keys.
#define MOTION_KEYS 0u      // offset: [key][MOTION_KEY_WORDS], the last one twice
#define MOTION_INTERVALS 1u // number of intervals between keys, all of the same length
#define MOTION_SHIFT 2u     // right shift that makes a position in the clip fit into a word
#define MOTION_INVERSE 3u   // 2^63 over the duration, shifted likewise
#define MOTION_TURNS 4u     // 1 if any key has a rotation
#define MOTION_PLAYER 5u    // offset of its player's record
#define MOTION_STATE 6u     // offset in the state: MOTION_SPAN_..., the same for all records of a player
#define MOTION_LENGTHS 7u   // offset: [key] float: length of the path up to it, the last one twice; only with warps
#define MOTION_WARPS 8u     // offset: [warp][WARP_WORDS], by ascending times
#define MOTION_WARP_COUNT 9u
#define MOTION_ROTATIONS 10u  // offset: [key][MOTION_ROTATION_WORDS], or 0 if the keys' turns are the rotation
#define MOTION_REFLECTION 11u // the axes by which the keys are reflected, as in CLIP_USE_MOTION
#define MOTION_WEIGHT 12u     // offset in the state: float: sum of the motion weights with this reflection
#define MOTION_WORDS 13u
#define MOTION_KEY_WORDS 4u // floats: x, y, z, turns, relative to the first key

// A rotation relative to the first key, the axis about which the interval that begins there turns, and its turns.
#define MOTION_ROTATION_WORDS 8u

#define WARP_START 0u    // two words
#define WARP_END 2u      // two words
#define WARP_TARGET 4u   // three values
#define WARP_HEADING 19u // value
#define WARP_FLAGS 24u
#define WARP_WORDS 25u
#define WARP_TO_HEIGHT 1u  // y is warped too
#define WARP_TO_HEADING 2u // the heading is warped too

#define CHARACTER_MOTION_STATE 0u // offset in the state
#define CHARACTER_MOTION_IS_DRIVEN 1u
#define CHARACTER_MOTION_TURNS_TO_HEADING 2u
#define CHARACTER_MOTION_DESIRED 3u       // three values
#define CHARACTER_MOTION_HEADING 18u      // value
#define CHARACTER_MOTION_ACCELERATION 23u // float; 0 is unlimited, as in the next two
#define CHARACTER_MOTION_DECELERATION 24u
#define CHARACTER_MOTION_TURN_RATE 25u // turns per second
#define CHARACTER_MOTION_VELOCITY_PARAMETERS 26u
#define CHARACTER_MOTION_ROOT_MOTION 29u // offset: [player] offset in the state of its MOTION_SPAN_..., or CONTROL_NONE
#define CHARACTER_MOTION_TRACKS 30u      // offset: [motion][MOTION_WORDS]
#define CHARACTER_MOTION_TRACK_COUNT 31u
#define CHARACTER_MOTION_PLACE_WORDS 32u // of the place in the state: with full rotation MOVING_FULL_PLACE_WORDS
#define CHARACTER_MOTION_REMAINING 33u   // offset in the state, REMAINING_..., or CONTROL_NONE
#define CHARACTER_MOTION_DECAY_RATE 34u  // float: 1 / half-life
#define CHARACTER_MOTION_DECAY_SCALE 35u // float: half-life / ln 2
#define CHARACTER_MOTION_WORDS 36u

#define MACHINE_STATES 0u // offset: [state][STATE_WORDS]
#define MACHINE_STATE_COUNT 1u
#define MACHINE_TRANSITIONS 2u // offset: [transition][TRANSITION_WORDS], by descending priority
#define MACHINE_TRANSITION_COUNT 3u
#define MACHINE_OUTER 4u // offset of the record of the machine that contains it, or CONTROL_NONE
#define MACHINE_OUTER_STATE 5u
#define MACHINE_STATE 6u // offset in the state
#define MACHINE_WORDS 7u

#define STATE_WEIGHT_PARAMETER 0u
#define STATE_END_PLAYER 1u // offset of its record, or CONTROL_NONE
#define STATE_ENTRY_EVENT 2u
#define STATE_EXIT_EVENT 3u
#define STATE_TABLE 4u // offset of its table
#define STATE_WORDS 5u
#define TABLE_FLAGS 0u            // TABLE_RESTARTS, TABLE_TRAVELS
#define TABLE_TRANSITION_COUNT 1u // number of transitions from this state that need no event
#define TABLE_PROFILES 2u         // offset of the machine's blend profiles, or CONTROL_NONE
#define TABLE_TRANSITIONS 3u      // [transition] offset of its record, by descending priority
#define TABLE_RESTARTS 1u         // the state restarts if it is entered while it is seen
#define TABLE_TRAVELS 2u          // the offset of the machine's travels follows the transitions

// How a machine travels to a state.
#define TRAVEL_STATE 0u        // offset in the state: 1 plus the state to which it travels, or 0
#define TRAVEL_DESTINATIONS 1u // [state][DESTINATION_WORDS]
#define DESTINATION_EVENT 0u   // that asks for it, or CONTROL_NONE
#define DESTINATION_STEPS 1u   // offset: [current state] offset of the transition to take
#define DESTINATION_WORDS 2u

// A word of the state that conditions of a machine read: a trigger, which is 1 while its event waits, or a draw.
#define DECISION_EVENT 0u   // of a trigger; CONTROL_NONE: a draw
#define DECISION_MACHINE 1u // offset of its record
#define DECISION_STATE 2u   // offset in the state
#define DECISION_WORDS 3u
#define DRAW_FACTOR 747796405u // a draw d becomes d DRAW_FACTOR + DRAW_STEP
#define DRAW_STEP 2891336453u
#define DRAW_BITS 24u             // the highest ones, which conditions read as a fraction
#define CHOICE_FACTOR 2654435769u // a draw d has a second number, d CHOICE_FACTOR, for a choice of several targets

#define TRANSITION_FROM 0u
#define TRANSITION_TO 1u
#define TRANSITION_EVENT 2u
#define TRANSITION_FLAGS 3u
#define TRANSITION_AFTER 4u // two words
#define TRANSITION_TERMS 6u // offset: [term][TERM_WORDS]
#define TRANSITION_TERM_COUNT 7u
#define TRANSITION_FADE 8u   // two words
#define TRANSITION_CURVE 10u // offset: curve, two control points; with TRANSITION_AT_PHASE, the phase in 2^-32
#define TRANSITION_WORDS 11u
#define TRANSITION_AT_END 1u
#define TRANSITION_FREEZES 2u
#define TRANSITION_INERTIALIZES 4u // the fade is an inertialization of the same duration
#define TRANSITION_TO_SELF 8u      // from any state: also from its own target
#define TRANSITION_TELEPORTS 16u   // a travel without a path
#define TRANSITION_AT_PHASE 32u    // the clips of the state that is entered begin at a given phase
#define TRANSITION_IN_SYNC 64u     // or at that of the clip of the state that is left
#define TRANSITION_JUMPS 128u      // to the row that a search found
#define FADE_CURVE_WORDS 3u
#define TRANSITION_PROFILE_SHIFT 8u // in the flags, from this bit on: the number of its blend profile, or 0

// Motion matching of a machine: its first states are the takes of a database. An array of the database is at an offset.
#define MATCHING_MACHINE 0u // offset of its record
#define MATCHING_STATE 1u   // offset in the state: MATCHED_...
#define MATCHING_JUMPS 2u   // offset: [take] transition
#define MATCHING_TAKES 3u   // [take][TAKE_WORDS]
#define MATCHING_TAKE_COUNT 4u
#define MATCHING_ROW_COUNT 5u
#define MATCHING_FOUND_COUNT 6u // rows from here on are not found
#define MATCHING_MOMENTS 7u     // [row]
#define MATCHING_ROWS 8u        // [moment]
#define MATCHING_TAKE_OF 9u     // [row]
#define MATCHING_TAGS 10u       // [row]
#define MATCHING_NUMBERS 11u    // [row][MATCH_ROW_WORDS]
#define MATCHING_SMALL 12u      // [box of SMALL_BOX rows][MATCH_BOX_WORDS]
#define MATCHING_LARGE 13u      // [box of LARGE_BOX rows][MATCH_BOX_WORDS]
#define MATCHING_RATE 14u       // float: rows a second
#define MATCHING_STEP 15u       // two words of fine ticks: from row to row
#define MATCHING_AHEAD 17u      // [3][AHEAD_WORDS] float
#define MATCHING_NORMALS 29u    // [feature of the path] float: mean, factor
#define MATCHING_INTERVAL 53u   // two words: ticks from search to search
#define MATCHING_RECENT 55u     // ticks
#define MATCHING_VELOCITY 56u   // two values
#define MATCHING_HEADING 66u    // value
#define MATCHING_CHANGE 71u     // float: the square of a change of velocity that asks for a search
#define MATCHING_TURN 72u       // likewise a turn of the heading in 2^-32 of a turn
#define MATCHING_WINDOW 73u     // rows
#define MATCHING_BONUS 74u      // cost
#define MATCHING_RULES 75u      // offset: [rule] value, tags
#define MATCHING_RULE_COUNT 76u
#define MATCHING_FACES 77u    // 1: the heading counts; 0: the character is to face where it goes
#define MATCHING_SPRING 78u   // float: 1/s; 0: what is desired is reached at once
#define MATCHING_MIRRORED 79u // parameter: 1 if the take plays mirrored, or 0; CONTROL_NONE: rows do not count mirrored
#define MATCHING_FOLLOWS 80u  // 1: the path is stated
#define MATCHING_FIRST 81u    // float: 1 / the first time ahead
#define MATCHING_PLACES 82u   // six values: x and z of the stated path
#define MATCHING_MIRRORS 112u // [number of a row]: MATCH_MIRROR_FROM, MATCH_MIRROR_NEGATES
#define MATCHING_WORDS 113u
// A time ahead, and how far springs are then (src/match/path.c): seconds; the share of a turn; factors of how much the
// velocity differs from the desired one, and of the acceleration plus the spring's rate times that.
#define AHEAD_WORDS 4u
#define TAG_RULE_TAGS CONTROL_VALUE_WORDS
#define TAG_RULE_WORDS (CONTROL_VALUE_WORDS + 1u)

#define PROFILES_STATE_WORDS 0u // offset in the state: PROFILED_...
#define PROFILES_PARAMETER 1u   // the first of PROFILED_NUMBERS
#define PROFILES_WORDS 2u

#define TERM_KIND 0u
#define TERM_LEFT 1u
#define TERM_RIGHT 6u
#define TERM_WORDS 11u
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
#define TERM_PLAYER 1u // offset of its record
#define TERM_PLACE 2u  // two words
// Flag of the kind: the left side is a word of the state, shifted to the right, times the constant in TERM_LEFT.
#define TERM_OF_STATE 16u
#define TERM_OF_TRIGGER 32u // beside it: the transition resets the word
#define TERM_OF_CHOICE 64u  // beside it: the word times CHOICE_FACTOR
#define TERM_STATE 4u       // offset of the offset in the state
#define TERM_SHIFT 5u

#define INERTIAL_STATE 0u     // offset in the state
#define INERTIAL_PARAMETER 1u // the first of INERTIA_PARAMETERS
#define INERTIAL_RECORD_WORDS 2u

// A character's state. Before its first frame all words are 0, except those that the host has set: the place of its
// character motion and the phase of its updates.
#define CHARACTER_BEGUN 0u
#define CHARACTER_WAITING 1u // ticks that have passed but are not yet applied, two words
#define CHARACTER_TRANSITIONS_LEFT 3u
#define CHARACTER_EVENTS_LOST 4u
#define CHARACTER_LOST_EVENTS 5u
#define CHARACTER_UPDATE_PHASE 6u // plus 1; 0 before the first frame if the index gives it
#define CHARACTER_WORDS 7u
#define LONGEST_WAIT_LOW 0x922d9800u // the two words of the longest wait that counts: 17 steps of LMB_MAX_STEP_TICKS,
#define LONGEST_WAIT_HIGH 167u       // which is one more than the longest period
#define UPDATE_PHASES 720720u        // the smallest number that all periods of updates divide

#define PLAYING_PLACE 0u // two words
#define PLAYING_FLAGS 2u
#define PLAYING_WEIGHT 3u          // float: weight of its clip in the pose
#define PLAYING_WORDS 4u           // then, with a delay, two for PLAYER_WAITED
#define PLAYING_ENDED 1u           // it stays at an end
#define PLAYING_PASSED 2u          // it passed an end when it last moved
#define PLAYING_PASSED_IN_FRAME 4u // or in an earlier piece of the same frame
#define PLAYING_TURNED 8u          // it turned around at the beginning of its clip and has not left it
#define PLAYING_ENDED_SHIFT 8u     // from this bit on: how many of its repetitions have ended
#define MOST_REPETITIONS 0xffffffu

#define MACHINE_CURRENT 0u
#define MACHINE_TIME 1u    // in the current state, two words
#define MACHINE_FADE 3u    // offset of the transition that fades, or 0
#define MACHINE_FADED 4u   // two words
#define MACHINE_WEIGHTS 6u // [state]: float, its weight; weight when the fade began, with MACHINE_FROZEN
#define MACHINE_STATE_WEIGHT_WORDS 2u
#define MACHINE_BEGAN 1u           // of these two
#define MACHINE_FROZEN 0x80000000u // the state is frozen, until it is entered

// State of a machine with blend profiles: the fade that has a profile. If another fade begins before it ends, the fade
// with the profile stops at the progress that it has.
#define PROFILED_FADE 0u  // the number of its profile, or 0
#define PROFILED_TIME 1u  // float: fraction of its time that has passed
#define PROFILED_OVER 2u  // 1 if another fade has begun over it
#define PROFILED_SHARE 3u // float: the share of that other fade
// Float [state]: the weights of the state before and after the fade, both as they were when the other fade began.
#define PROFILED_ENDS 4u
#define PROFILED_ENDS_WORDS 2u

// State of a matching.
#define MATCHED_FOUND 0u    // 0, MATCH_ASKED, or 1 plus the choice (match_layout.h) that a search found
#define MATCHED_BEGUN 1u    // 1 after its first frame
#define MATCHED_WAITED 2u   // ticks since the last search, two words
#define MATCHED_MOVING 4u   // floats: velocity along x and z, and acceleration, which follow the desired velocity
#define MATCHED_VELOCITY 8u // floats: what the last search asked for
#define MATCHED_HEADING 10u
#define MATCHED_REQUIRED 11u
#define MATCHED_FORBIDDEN 12u
#define MATCHED_MIRRORED 13u // 1: the take plays mirrored
#define MATCHED_RECENT 14u   // [recent]: 1 plus a row that was chosen, or 0; ticks since then
#define MATCHED_RECENT_WORDS 2u
#define MOST_RECENT 4u
#define MATCHED_WORDS (MATCHED_RECENT + MOST_RECENT * MATCHED_RECENT_WORDS)
#define MATCH_ASKED 0xffffffffu // a search

#define MOVING_POSITION 0u // three of two words
#define MOVING_YAW 6u      // in 2^-32 of a turn
#define MOVING_PLACE_WORDS 7u
#define MOVING_ORIENTATION 7u // floats: quaternion, only with full rotation; all 0 is no rotation
#define MOVING_FULL_PLACE_WORDS 11u

// After the place.
#define MOVED_VELOCITY 0u // floats: velocity of the motion that parameters drive
#define MOVED_BY_CLIPS 3u // floats: root motion of the clips in this frame
#define MOVED_WORDS 7u
#define MOVED_ROTATION 7u // floats: quaternion of root motion, only with full rotation
#define MOVED_FULL_WORDS 11u

// Velocities a second along the character's own axes: x, y, z and the turn.
#define REMAINING_SWITCHED 0u // 1: the next step is after an inertialized transition
#define REMAINING_SHOWN 1u    // floats: the velocity of the step before
#define REMAINING_OFFSET 5u   // floats: what is added
#define REMAINING_VELOCITIES 4u
#define REMAINING_WORDS 9u

#define INERTIAL_NUMBER 0u      // frame number
#define INERTIAL_STEP_BEFORE 1u // float
#define INERTIAL_SWITCHED 2u
#define INERTIAL_DURATION 3u // float; 0 once it has passed
#define INERTIAL_TIME 4u     // two words
#define INERTIAL_STEP 6u     // float: duration of this frame
#define INERTIAL_WORDS 7u

// Events that a character emits in a frame: how many, then these words for as many as there is room for.
#define EMITTED_EVENT 0u
#define EMITTED_WEIGHT 1u // float
#define EMITTED_PASSES 2u // int, in two's complement
#define EMITTED_SOURCE 3u // BY_..., and from these bits on the notify or state, and the player or machine
#define EMITTED_TIME 4u   // two words: ticks since the frame's own step began, in two's complement
#define EMITTED_WORDS 6u
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

#define MOTION_SPAN_WEIGHT 0u // float: motion weight of its first record
#define MOTION_SPAN_FROM 1u   // two words: position of its player before it moved
#define MOTION_SPAN_ENDS 3u   // number of ends that it has passed
#define MOTION_SPAN_HOW 4u    // 0: it does not move, or one of the two below
#define MOTION_SPAN_WORDS 5u
#define MOTION_SPAN_FORWARDS 1u
#define MOTION_SPAN_BACKWARDS 2u

// For kernels that run a frame in parts: the parts, and what they keep of a character.
#define PART_FLAGS 0u  // PART_BEGINS and so on
#define PART_PIECES 1u // the first, and the end
#define PART_MACHINES 3u
#define PART_PLAYERS 5u
#define PART_GROUPS 7u
#define PART_ROUNDS 9u
#define PART_WORDS 10u
#define PART_BEGINS 1u
#define PART_RESUMES 2u
#define PART_CUTS 4u
#define PART_ENDS 8u
#define ARGUMENT_WORDS 3u // of an indirect dispatch
#define KEPT_FLAGS 0u     // KEPT_BEGINS and so on
#define KEPT_STEP 1u      // these four: two words
#define KEPT_LEFT 3u
#define KEPT_LATER 5u
#define KEPT_DURATION 7u
#define KEPT_HELD_COUNT 9u
#define KEPT_SENT_FIRST 10u
#define KEPT_SENT_COUNT 11u
#define KEPT_TAKEN 12u // these three: of struct transition_progress
#define KEPT_NEXT 13u
#define KEPT_EVENT 14u
#define KEPT_IS_OVER 15u
#define KEPT_WORDS 16u
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
