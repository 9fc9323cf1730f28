// Writes a control's block: what stage 1 needs to know of players, groups, machines and root motion, in words that the
// CPU and the GPU read alike. The same code runs twice. The first run has no block and only counts words; take()
// assigns offsets in both. So offsets must not depend on what has been written.
//
// Records of machines and players come first, so that everything after them can refer to them by offset. Then, in
// order: keys of curves; smoothed parameters; each player's notifies and uses; groups; states, transitions and terms of
// machines; the character motion; inertialization; and tables that are the same in every frame. Words of a character's
// state are assigned in the same order, so equal descriptors have equal states.
//
// - Seconds become fine ticks (2^-16 of a tick). A float stands for the simplest fraction of a second near it, so that
//   steps of 1/60 s add up to a duration exactly.
// - Transitions are sorted by priority. Each state has a list of those that need no event.
// - A motion track becomes displacements and rotations relative to its first key. Mirrors reflect root motion, so a
//   player has a record for each reflection in which the graph uses its clip.
// - Divisions and square roots are done here, in double precision; kernels multiply.
#include "control.h"

#include "base/float_environment.h"
#include "base/number.h"
#include "base/seconds.h"
#include "match/database.h"
#include "math/quaternion.h"
#include "program/compiler.h"

#include "../../shaders/ops/control_layout.h"
#include "../../shaders/ops/layout.h"

#include <math.h>
#include <string.h>

#define TURN 6.283185307179586 // in radians
#define REFLECTIONS 8u         // of root motion, by any of three axes

// State of writing a block. `block` is NULL while only its size is counted.
typedef struct writer {
    const lmb_moving *moving;
    const lmb_graph_def *def;
    const lmb_graph *graph; // or NULL
    uint32_t *block;
    uint32_t size;
    uint32_t state_words;
    lmb_curves curves;
    uint32_t machines; // offset of their records
    uint32_t players;
    bool weighs; // the graph plays a player's clip
    lmb_decisions decisions;
    uint32_t decision_records; // offset
    uint32_t player_draw;      // where the state has the draw of the next player that begins at random times
    uint32_t matching_count;
    // [player]: a bit for each reflection by mirrors of its root motion, which has a record for each. At least one.
    uint8_t reflections[LMB_MAX_PLAYERS];
} writer;

uint64_t lmb_control_fine(float seconds) {
    const uint64_t whole = lmb_whole_ticks(seconds, (double)LMB_TICKS_PER_SECOND);
    return whole > 0 ? whole << FINE_BITS
                     : (uint64_t)llround((double)seconds * (double)LMB_TICKS_PER_SECOND * (double)(1u << FINE_BITS));
}

static LMB_NOINLINE uint64_t find_step(double seconds) {
    const float same = (float)seconds;
    const uint64_t whole = (double)same == seconds ? lmb_whole_ticks(same, (double)LMB_TICKS_PER_SECOND) : 0;
    return whole > 0 ? whole : (uint64_t)llround(seconds * (double)LMB_TICKS_PER_SECOND);
}

uint64_t lmb_ticks_from_seconds(double seconds) {
    if (!(seconds > 0.0)) {
        return 0;
    }
    if (seconds >= (double)(LMB_MAX_STEP_TICKS / LMB_TICKS_PER_SECOND)) {
        return LMB_MAX_STEP_TICKS;
    }
    lmb_environment callers;
    lmb_environment_enter(&callers);
    const uint64_t step = find_step(seconds);
    lmb_environment_leave(&callers);
    return step;
}

static uint32_t take(writer *w, uint64_t words) {
    uint32_t at = w->size;
    w->size += (uint32_t)words;
    return at;
}

static void put(const writer *w, uint32_t at, uint32_t word) {
    if (w->block != NULL) {
        w->block[at] = word;
    }
}

static void put_number(const writer *w, uint32_t at, float number) {
    put(w, at, BITS(number));
}

static void put_time(const writer *w, uint32_t at, float seconds) {
    uint64_t fine = lmb_control_fine(seconds);
    put(w, at, (uint32_t)fine);
    put(w, at + 1, (uint32_t)(fine >> 32));
}

static void put_value(const writer *w, uint32_t at, lmb_value value) {
    if (w->block != NULL) {
        lmb_value_write(value, w->curves, w->block + at);
        w->block[FIELD(CONTROL, flags)] |= value.curve != LMB_CURVE_LINEAR ? CONTROL_CURVES : 0;
    }
}

static uint32_t player_record(const writer *w, uint32_t player) {
    return player == LMB_NONE ? CONTROL_NONE : w->players + player * WORDS_OF(PLAYER);
}

static uint32_t machine_record(const writer *w, uint32_t machine) {
    return machine == LMB_NONE ? CONTROL_NONE : w->machines + machine * WORDS_OF(MACHINE);
}

static uint32_t take_state(writer *w, uint32_t words) {
    uint32_t at = w->state_words;
    w->state_words += words;
    return at;
}

static void write_smoothed(writer *w) {
    uint32_t at = take(w, (uint64_t)w->def->smoothed_count * WORDS_OF(SMOOTHED));
    put(w, FIELD(CONTROL, smoothed), at);
    for (uint32_t i = 0; i < w->def->smoothed_count; i++, at += WORDS_OF(SMOOTHED)) {
        const lmb_smoothed_def *smoothed = &w->def->smoothed[i];
        // A half-life too short for a float division follows at once.
        float rate = smoothed->half_life >= 1e-6f ? (float)(1.0 / (double)smoothed->half_life) : 0.0f;
        rate = smoothed->speed > 0.0f ? -fmaxf(smoothed->speed, 0x1p-40f) : rate; // devices may flush smaller ones
        put_value(w, at + FIELD(SMOOTHED, source), smoothed->source);
        put_number(w, at + FIELD(SMOOTHED, rate), rate);
        put(w, at + FIELD(SMOOTHED, parameter), smoothed->parameter);
        put(w, at + FIELD(SMOOTHED, state), take_state(w, 1));
    }
}

static void write_notifies(writer *w, uint32_t record, const lmb_player_def *player) {
    uint32_t at = take(w, (uint64_t)player->notify_count * WORDS_OF(NOTIFY));
    put(w, record + FIELD(PLAYER, notifies), at);
    put(w, record + FIELD(PLAYER, notify_count), player->notify_count);
    for (uint32_t i = 0; i < player->notify_count; i++, at += WORDS_OF(NOTIFY)) {
        put_time(w, at, player->notifies[i].time);
        put(w, at + 2, player->notifies[i].event);
    }
}

// Returns a use's word of CLIP_USE.motion.
static uint32_t motion_use(const uint32_t *use) {
    return use[FIELD(USE, motion)] | ((use[FIELD(USE, flags)] & CLIP_NEGATED) != 0 ? CLIP_USE_NEGATED : 0) |
           (use[FIELD(USE, flags)] >> CLIP_REFLECTION_SHIFT) << CLIP_USE_REFLECTION_SHIFT;
}

// Writes where the graph plays a clip at the time that a player writes. Returns the reflections in which the clip moves
// the character, a bit for each.
static uint32_t write_uses(writer *w, uint32_t record, uint32_t time_parameter) {
    const uint32_t *program = w->graph != NULL ? w->graph->program : NULL;
    const uint32_t sources = program != NULL && time_parameter != LMB_NONE ? program[FIELD(PROGRAM, sources)] : 0;
    uint32_t count = 0, reflections = 0;
    put(w, record + FIELD(PLAYER, uses), w->size);
    for (uint32_t i = 0; i < sources; i++) {
        const uint32_t *use = program + program[FIELD(PROGRAM, uses)] + i * WORDS_OF(USE);
        if (program[use[FIELD(USE, time)] + FIELD(VALUE, parameter)] == time_parameter &&
            (use[FIELD(USE, flags)] & CLIP_REPEATS) == 0) {
            const uint32_t at = take(w, WORDS_OF(CLIP_USE)), motion = motion_use(use);
            put(w, at + FIELD(CLIP_USE, weight), use[FIELD(USE, weight)]);
            put(w, at + FIELD(CLIP_USE, motion), motion);
            w->weighs = true;
            reflections |= use[FIELD(USE, motion)] != WEIGHT_NONE ? 1u << (motion >> CLIP_USE_REFLECTION_SHIFT) : 0;
            count++;
        }
    }
    put(w, record + FIELD(PLAYER, use_count), count);
    return reflections;
}

static void write_player(writer *w, uint32_t index) {
    const lmb_moving_player *player = &w->moving->players[index];
    const lmb_player_def *def = player->def;
    uint32_t at = player_record(w, index);
    put_time(w, at + FIELD(PLAYER, duration), player->duration);
    // A looping clip is never at its end.
    put_time(w, at + FIELD(PLAYER, offset),
             def->end == LMB_END_LOOP && def->offset == player->duration ? 0.0f : def->offset);
    if (def->random_offset) {
        put(w, at + FIELD(PLAYER, offset), w->player_draw++);
        put(w, at + FIELD(PLAYER, offset) + 1, CONTROL_NONE);
    }
    put_value(w, at + FIELD(PLAYER, rate), def->rate);
    put(w, at + FIELD(PLAYER, end), (uint32_t)def->end);
    put(w, at + FIELD(PLAYER, time_parameter), player->time_parameter);
    put(w, at + FIELD(PLAYER, weight_parameter), player->weight_parameter);
    put(w, at + FIELD(PLAYER, ended_event), def->ended_event);
    put(w, at + FIELD(PLAYER, looped_event), def->looped_event);
    put(w, at + FIELD(PLAYER, machine), machine_record(w, player->machine));
    put(w, at + FIELD(PLAYER, machine_state), player->state);
    put(w, at + FIELD(PLAYER, state), take_state(w, WORDS_OF(PLAYING)));
    put(w, at + FIELD(PLAYER, is_grouped), def->group != LMB_NONE);
    const uint64_t delay = lmb_control_fine(def->delay) >> FINE_BITS;
    const uint32_t synced = def->sync_node != LMB_NONE ? w->moving->player_of[def->sync_node] : LMB_NONE;
    put(w, at + FIELD(PLAYER, delay), (uint32_t)delay);
    put(w, at + FIELD(PLAYER, delay) + 1, (uint32_t)(delay >> 32));
    put(w, at + FIELD(PLAYER, waited), delay > 0 ? take_state(w, 2) : CONTROL_NONE);
    put(w, at + FIELD(PLAYER, sync), player_record(w, synced));
    put(w, at + FIELD(PLAYER, repetitions), def->repetitions);
    put(w, at + FIELD(PLAYER, last_end), (uint32_t)lmb_player_last_end(def));
    write_notifies(w, at, def);
    const uint32_t reflections = write_uses(w, at, player->time_parameter);
    w->reflections[index] = (uint8_t)(reflections != 0 ? reflections : 1);
}

// Returns the first player of a group from that index on, or NULL.
static const lmb_moving_player *find_member(const writer *w, uint32_t group, uint32_t first) {
    for (uint32_t i = first; i < w->moving->player_count; i++) {
        if (w->moving->players[i].def->group == group) {
            return &w->moving->players[i];
        }
    }
    return NULL;
}

static uint32_t find_cadence(const writer *w, uint32_t group) {
    const lmb_cadence cadence = w->def->groups[group].cadence;
    bool all_move = cadence == LMB_CADENCE_DEFAULT || cadence == LMB_CADENCE_VELOCITY;
    for (uint32_t i = 0; i < w->moving->player_count; i++) {
        const lmb_moving_player *player = &w->moving->players[i];
        all_move = all_move && (player->def->group != group || lmb_player_velocity(player) != 0.0f);
    }
    return all_move ? CADENCE_VELOCITY : cadence == LMB_CADENCE_LENGTH ? CADENCE_LENGTH : CADENCE_DURATION;
}

static ticks ticks_of_seconds(float seconds) {
    const uint64_t fine = lmb_control_fine(seconds);
    return make_ticks((uint32_t)fine, (uint32_t)(fine >> 32));
}

// Returns the length of the piece from one of a player's markers to the next. The last piece wraps around the clip's
// end to the first marker.
static ticks piece_size(const lmb_moving_player *player, uint32_t piece) {
    const lmb_player_def *def = player->def;
    if (def->marker_count == 0) {
        return ticks_of_seconds(player->duration);
    }
    const ticks begin = ticks_of_seconds(def->markers[piece]);
    if (piece + 1 < def->marker_count) {
        return subtract_ticks(ticks_of_seconds(def->markers[piece + 1]), begin);
    }
    return subtract_ticks(ticks_of_seconds(player->duration), subtract_ticks(begin, ticks_of_seconds(def->markers[0])));
}

// Returns CADENCE_VARIES if the numbers of the pieces differ, else 0.
static uint32_t write_pieces(writer *w, uint32_t member, const lmb_moving_player *leader, uint32_t cadence,
                             const lmb_moving_player *player) {
    const uint32_t count = leader->def->marker_count > 0 ? leader->def->marker_count : 1;
    const uint32_t at = take(w, count);
    const float speed = cadence == CADENCE_LENGTH ? 1.0f : fabsf(lmb_player_velocity(player));
    uint32_t varies = 0;
    float first = 0.0f;
    put(w, member + FIELD(MEMBER, pieces), at);
    for (uint32_t piece = 0; piece < count; piece++) {
        const float led = seconds_of_fine(piece_size(leader, piece));
        const float own = seconds_of_fine(piece_size(player, piece));
        const float number =
            cadence == CADENCE_DURATION ? led * reciprocal(own) : snap(speed * (own * reciprocal(led)));
        put_number(w, at + piece, number);
        first = piece == 0 ? number : first;
        varies = BITS(number) != BITS(first) ? CADENCE_VARIES : varies;
    }
    return varies;
}

static uint32_t write_member(writer *w, uint32_t record, const lmb_moving_player *leader, uint32_t cadence, uint32_t at,
                             const lmb_moving_player *player) {
    const lmb_player_def *def = player->def;
    uint32_t count = def->marker_count > 0 ? def->marker_count : 1;
    uint32_t markers = take(w, UINT64_C(2) * count);
    put(w, at + FIELD(MEMBER, player), player_record(w, (uint32_t)(player - w->moving->players)));
    put(w, at + FIELD(MEMBER, markers), markers);
    put_number(w, at + FIELD(MEMBER, velocity), lmb_player_velocity(player));
    put(w, record + FIELD(GROUP, marker_count), count);
    float offset = def->offset == player->duration ? 0.0f : def->offset;
    for (uint32_t i = 0; i < count; i++) {
        put_time(w, markers + 2 * i, def->marker_count > 0 ? def->markers[i] : offset);
    }
    return write_pieces(w, at, leader, cadence, player);
}

static void write_group(writer *w, uint32_t at, uint32_t index) {
    const lmb_moving_player *players = w->moving->players, *leader = find_member(w, index, 0);
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->moving->player_count; i++) {
        count += players[i].def->group == index;
    }
    uint32_t member = take(w, (uint64_t)count * WORDS_OF(MEMBER));
    put_value(w, at + FIELD(GROUP, rate), leader->def->rate);
    put(w, at + FIELD(GROUP, members), member);
    put(w, at + FIELD(GROUP, member_count), count);
    put(w, at + FIELD(GROUP, velocity_parameter), w->def->groups[index].velocity_parameter);
    const uint32_t cadence = find_cadence(w, index);
    uint32_t varies = 0;
    for (const lmb_moving_player *player = leader; player != NULL; member += WORDS_OF(MEMBER)) {
        varies |= write_member(w, at, leader, cadence, member, player);
        player = find_member(w, index, (uint32_t)(player - players) + 1);
    }
    put(w, at + FIELD(GROUP, cadence), cadence | varies);
}

static void write_groups(writer *w) {
    const uint32_t at = take(w, (uint64_t)w->def->group_count * WORDS_OF(GROUP));
    put(w, FIELD(CONTROL, groups), at);
    for (uint32_t i = 0; i < w->def->group_count; i++) {
        write_group(w, at + i * WORDS_OF(GROUP), i);
    }
}

static void write_states(writer *w, uint32_t record, const lmb_moving_machine *machine) {
    uint32_t at = take(w, (uint64_t)machine->def.state_count * WORDS_OF(STATE));
    put(w, record + FIELD(MACHINE, states), at);
    put(w, record + FIELD(MACHINE, state_count), machine->def.state_count);
    for (uint32_t i = 0; i < machine->def.state_count; i++, at += WORDS_OF(STATE)) {
        put(w, at + FIELD(STATE, weight_parameter), machine->states[i].weight_parameter);
        put(w, at + FIELD(STATE, end_player), player_record(w, machine->states[i].end_player));
        put(w, at + FIELD(STATE, entry_event), machine->def.states[i].entry_event);
        put(w, at + FIELD(STATE, exit_event), machine->def.states[i].exit_event);
    }
}

static uint32_t player_of(const writer *w, const lmb_term *term) {
    return w->moving->player_of[term->player_node];
}

// Returns the time in the clip at which a player is at a term's phase, or has the term's time remaining.
static uint64_t find_place(const writer *w, const lmb_term *term) {
    const uint64_t duration = lmb_control_fine(w->moving->players[player_of(w, term)].duration);
    const float right = lmb_value_at(term->right, NULL, w->def->curves);
    uint64_t place = lmb_control_fine(right);
    if (term->operand == LMB_OPERAND_PHASE) {
        const uint64_t whole = lmb_whole_ticks(right, (double)(duration >> FINE_BITS));
        place = whole > 0 ? whole << FINE_BITS : (uint64_t)((double)right * (double)duration);
    }
    place = place < duration ? place : duration;
    return term->operand == LMB_OPERAND_PHASE ? place : duration - place;
}

// Comparisons of the remaining time are reversed, because the time in the clip grows as the remaining time shrinks.
static void write_place(const writer *w, uint32_t at, const lmb_term *term) {
    static const uint32_t turned[LMB_TERM_COUNT] = {
        [LMB_TERM_LESS] = TERM_GREATER, [LMB_TERM_LESS_EQUAL] = TERM_GREATER_EQUAL,
        [LMB_TERM_GREATER] = TERM_LESS, [LMB_TERM_GREATER_EQUAL] = TERM_LESS_EQUAL,
        [LMB_TERM_EQUAL] = TERM_EQUAL,
    };
    const uint64_t place = find_place(w, term);
    put(w, at + FIELD(TERM, kind),
        (term->operand == LMB_OPERAND_PHASE ? (uint32_t)term->kind : turned[term->kind]) | TERM_OF_PLACE);
    put(w, at + FIELD(PLACE_TERM, player), player_record(w, player_of(w, term)));
    put(w, at + FIELD(PLACE_TERM, place), (uint32_t)place);
    put(w, at + FIELD(PLACE_TERM, place) + 1, (uint32_t)(place >> 32));
}

// Returns the offset of the word that has the offset in the state of what a term reads.
static uint32_t find_state_word(const writer *w, uint32_t machine, const lmb_term *term) {
    if (term->operand == LMB_OPERAND_STATE) {
        return machine_record(w, w->moving->machine_of[term->machine_node]) + FIELD(MACHINE, state);
    }
    const uint32_t event = term->operand == LMB_OPERAND_TRIGGER ? term->event : LMB_NONE;
    uint32_t i = 0;
    while (w->decisions.list[i].machine != machine || w->decisions.list[i].event != event) {
        i++;
    }
    return w->decision_records + i * WORDS_OF(DECISION) + FIELD(DECISION, state);
}

static void write_state_term(const writer *w, uint32_t at, uint32_t machine, const lmb_term *term) {
    const bool is_draw = lmb_operand_is_drawn(term->operand);
    const uint32_t of = term->operand == LMB_OPERAND_TRIGGER  ? TERM_OF_TRIGGER
                        : term->operand == LMB_OPERAND_CHOICE ? TERM_OF_CHOICE
                                                              : 0;
    put(w, at + FIELD(TERM, kind), (uint32_t)term->kind | TERM_OF_STATE | of);
    put_value(w, at + FIELD(TERM, left), lmb_constant(is_draw ? 0x1p-24f : 1.0f));
    put_value(w, at + FIELD(TERM, right), term->right);
    put(w, at + FIELD(STATE_TERM, state), find_state_word(w, machine, term));
    put(w, at + FIELD(STATE_TERM, shift), is_draw ? 32 - DRAW_BITS : 0);
}

static void write_terms(writer *w, uint32_t machine, uint32_t record, const lmb_transition_def *transition) {
    uint32_t at = take(w, (uint64_t)transition->term_count * WORDS_OF(TERM));
    put(w, record + FIELD(TRANSITION, terms), at);
    put(w, record + FIELD(TRANSITION, term_count), transition->term_count);
    for (uint32_t i = 0; i < transition->term_count; i++, at += WORDS_OF(TERM)) {
        const lmb_term *term = &transition->terms[i];
        const lmb_operand operand = term->kind < LMB_TERM_AND ? term->operand : LMB_OPERAND_VALUE;
        if (lmb_operand_is_place(operand)) {
            write_place(w, at, term);
        } else if (operand != LMB_OPERAND_VALUE) {
            write_state_term(w, at, machine, term);
        } else {
            put(w, at + FIELD(TERM, kind), (uint32_t)term->kind);
            put_value(w, at + FIELD(TERM, left), term->left);
            put_value(w, at + FIELD(TERM, right), term->right);
        }
    }
}

// `profile` is 0 or, of the machine's transitions with a blend profile, one more than its index.
static void write_transition(writer *w, uint32_t machine, uint32_t at, const lmb_transition_def *transition,
                             uint32_t profile) {
    put(w, at + FIELD(TRANSITION, from), transition->from);
    put(w, at + FIELD(TRANSITION, to), transition->to);
    put(w, at + FIELD(TRANSITION, event), transition->event);
    static const uint32_t kinds[LMB_FADE_COUNT] = {
        [LMB_FADE_FROZEN] = TRANSITION_FREEZES, [LMB_FADE_INERTIALIZED] = TRANSITION_INERTIALIZES};
    static const uint32_t starts[LMB_START_COUNT] = {
        [LMB_START_PHASE] = TRANSITION_AT_PHASE, [LMB_START_SYNC] = TRANSITION_IN_SYNC};
    put(w, at + FIELD(TRANSITION, flags),
        (transition->at_end ? TRANSITION_AT_END : 0) | kinds[transition->kind] |
            (transition->to_self ? TRANSITION_TO_SELF : 0) | starts[transition->start] |
            profile << TRANSITION_PROFILE_SHIFT);
    put_time(w, at + FIELD(TRANSITION, after), transition->after > 0.0f ? transition->after : 0.0f);
    put_time(w, at + FIELD(TRANSITION, fade), transition->fade);
    write_terms(w, machine, at, transition);
}

// Returns how many transitions come before a transition: those of higher priority, and earlier ones of equal priority.
static uint32_t find_rank(const lmb_machine_def *machine, uint32_t index) {
    uint32_t rank = 0;
    for (uint32_t i = 0; i < machine->transition_count; i++) {
        int32_t other = machine->transitions[i].priority;
        int32_t own = machine->transitions[index].priority;
        rank += other > own || (other == own && i < index);
    }
    return rank;
}

static void write_machine(writer *w, uint32_t index) {
    const lmb_moving_machine *machine = &w->moving->machines[index];
    const lmb_machine_def *def = &machine->def;
    uint32_t at = machine_record(w, index), profiles = 0;
    write_states(w, at, machine);
    uint32_t transitions = take(w, (uint64_t)def->transition_count * WORDS_OF(TRANSITION));
    put(w, at + FIELD(MACHINE, transitions), transitions);
    put(w, at + FIELD(MACHINE, transition_count), def->transition_count);
    put(w, at + FIELD(MACHINE, outer), machine_record(w, machine->machine));
    put(w, at + FIELD(MACHINE, outer_state), machine->state);
    put(w, at + FIELD(MACHINE, state),
        take_state(w, WORDS_OF(MACHINE_NOW) + def->state_count * WORDS_OF(STATE_WEIGHT)));
    for (uint32_t i = 0; i < def->transition_count; i++) {
        const bool has_profile = def->transitions[i].profile != LMB_NONE;
        profiles += has_profile;
        write_transition(w, index, transitions + find_rank(def, i) * WORDS_OF(TRANSITION), &def->transitions[i],
                         has_profile ? profiles : 0);
    }
}

// Root motion.

static bool has_root_motion(const writer *w, uint32_t player) {
    const lmb_player_def *def = w->moving->players[player].def;
    return w->def->motion != NULL && (def->motion != NULL || def->velocity != 0.0f || def->warp_count > 0);
}

// A motion track as a record has it: a player's, reflected by the mirrors around some of its uses.
typedef struct motion_source {
    const lmb_motion_track *track;
    double travel;       // factor of translations
    uint32_t reflection; // a bit for each axis that changes sign
} motion_source;

static double axis_sign(uint32_t reflection, uint32_t axis) {
    return (reflection >> axis & 1) != 0 ? -1.0 : 1.0;
}

// The sign by which the turn about an axis changes: reflected by one of the other two axes, it turns the other way.
static double turn_sign(uint32_t reflection, uint32_t axis) {
    return axis_sign(reflection, (axis + 1) % 3) * axis_sign(reflection, (axis + 2) % 3);
}

// The rotation of a track at a key: its own, or that of its yaw.
static void load_rotation(const lmb_motion_track *track, uint32_t key, double rotation[4]) {
    if (track->rotations == NULL) {
        lmb_quaternion_from_yaw((double)track->keys[4 * (size_t)key + 3], rotation);
    } else {
        lmb_quaternion_from(track->rotations + 4 * (size_t)key, rotation);
    }
}

// The rotation from one key to another, along the axes at the first.
static void rotation_between_keys(const lmb_motion_track *track, uint32_t from, uint32_t to, double rotation[4]) {
    double first[4], last[4];
    load_rotation(track, from, first);
    load_rotation(track, to, last);
    lmb_quaternion_conjugate(first, first);
    lmb_quaternion_multiply(first, last, rotation);
}

// Writes a key's displacement relative to the first key, and `turns`, its turns since then.
static void put_key(const writer *w, uint32_t at, motion_source from, uint32_t key, double turns) {
    const lmb_motion_track *track = from.track;
    const float *first = track->keys, *own = track->keys + 4 * (size_t)key;
    double rotation[4], moved[3];
    for (int i = 0; i < 3; i++) {
        moved[i] = (double)own[i] - (double)first[i];
    }
    load_rotation(track, 0, rotation);
    lmb_quaternion_conjugate(rotation, rotation);
    lmb_quaternion_rotate(rotation, moved, moved);
    for (uint32_t i = 0; i < 3; i++) {
        put_number(w, at + i, snap((float)(axis_sign(from.reflection, i) * from.travel * moved[i])));
    }
    put_number(w, at + 3, snap((float)(turn_sign(from.reflection, 1) * turns)));
}

// Returns the turns of a key since the first one: from its yaw or, with rotations, their twist about y, on the side
// nearest to `before`.
static double turns_of_key(const lmb_motion_track *track, uint32_t key, double before) {
    if (track->rotations == NULL) {
        return ((double)track->keys[4 * (size_t)key + 3] - (double)track->keys[3]) / TURN;
    }
    double rotation[4];
    rotation_between_keys(track, 0, key, rotation);
    const double turns = 2.0 * lmb_arc_tangent64(rotation[1], rotation[3]) / TURN;
    return turns + rint(before - turns);
}

static void write_keys(writer *w, uint32_t record, motion_source from) {
    const lmb_motion_track *track = from.track;
    uint32_t keys = take(w, ((uint64_t)track->key_count + 1) * MOTION_KEY_WORDS);
    const bool full = w->def->motion->full_rotation && track->rotations != NULL;
    put(w, record + FIELD(MOTION, keys), keys);
    put(w, record + FIELD(MOTION, intervals), track->key_count - 1);
    bool turns = false;
    double before = 0.0;
    for (uint32_t i = 0; i <= track->key_count; i++) {
        const uint32_t key = i < track->key_count ? i : i - 1;
        before = full ? 0.0 : turns_of_key(track, key, before);
        put_key(w, keys + i * MOTION_KEY_WORDS, from, key, before);
        turns = turns || before != 0.0;
    }
    put(w, record + FIELD(MOTION, turns), turns);
}

// Writes the rotations of a track's keys, each with the axis and the turns of the interval after it.
static void write_rotations(writer *w, uint32_t record, motion_source from) {
    const lmb_motion_track *track = from.track;
    if (!w->def->motion->full_rotation || track->rotations == NULL) {
        return;
    }
    uint32_t at = take(w, ((uint64_t)track->key_count + 1) * MOTION_ROTATION_WORDS);
    put(w, record + FIELD(MOTION, rotations), at);
    for (uint32_t i = 0; i <= track->key_count; i++, at += MOTION_ROTATION_WORDS) {
        const uint32_t key = i < track->key_count ? i : i - 1, next = key + 1 < track->key_count ? key + 1 : key;
        double rotation[4], way[4];
        rotation_between_keys(track, 0, key, rotation);
        rotation_between_keys(track, key, next, way);
        const double sine = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
        const double sign = way[3] < 0.0 ? -1.0 : 1.0; // the short way
        for (uint32_t k = 0; k < 3; k++) {
            const double turned = turn_sign(from.reflection, k);
            put_number(w, at + k, snap((float)(turned * rotation[k])));
            put_number(w, at + 4 + k, sine > 0.0 ? snap((float)(turned * sign * way[k] / sine)) : 0.0f);
        }
        put_number(w, at + 3, snap((float)rotation[3]));
        put_number(w, at + 7, snap((float)(2.0 * lmb_arc_tangent64(sine, fabs(way[3])) / TURN)));
    }
}

// Writes the inverse of the duration, from which kernels compute the fraction of the duration that a position is. If
// the duration is below 2^31 in units of 2^-16 of a tick, the inverse is 0: every position before the end counts as the
// beginning.
static void write_inverse(const writer *w, uint32_t record, float seconds) {
    const uint64_t duration = lmb_control_fine(seconds);
    uint32_t shift = 0;
    while (duration >> shift > UINT32_MAX) {
        shift++;
    }
    // The rounded factor is never above the exact one, so that a fraction stays below 1.
    const double inverse = duration >= UINT64_C(1) << 31 ? ldexp(1.0, 63 + (int)shift) / (double)duration - 1.0 : 0.0;
    put(w, record + FIELD(MOTION, shift), shift);
    put(w, record + FIELD(MOTION, inverse), (uint32_t)inverse);
}

// Writes the length of the path up to each key.
static void write_lengths(writer *w, uint32_t record, const lmb_motion_track *track) {
    const uint32_t at = take(w, (uint64_t)track->key_count + 1);
    double length = 0.0;
    put(w, record + FIELD(MOTION, lengths), at);
    for (uint32_t i = 0; i <= track->key_count; i++) {
        const float *key = track->keys + 4 * (size_t)i;
        if (i > 0 && i < track->key_count) {
            const double x = (double)key[0] - (double)key[-4], y = (double)key[1] - (double)key[-3];
            const double z = (double)key[2] - (double)key[-2];
            length += sqrt(x * x + y * y + z * z);
        }
        put_number(w, at + i, snap((float)length));
    }
}

static void write_warps(writer *w, uint32_t record, const lmb_player_def *player, const lmb_motion_track *track) {
    put(w, record + FIELD(MOTION, warp_count), player->warp_count);
    if (player->warp_count == 0) {
        return;
    }
    write_lengths(w, record, track);
    uint32_t at = take(w, (uint64_t)player->warp_count * WORDS_OF(WARP));
    put(w, record + FIELD(MOTION, warps), at);
    for (uint32_t i = 0; i < player->warp_count; i++, at += WORDS_OF(WARP)) {
        const lmb_warp_def *warp = &player->warps[i];
        put_time(w, at + FIELD(WARP, start), warp->start);
        put_time(w, at + FIELD(WARP, end), warp->end);
        for (uint32_t k = 0; k < 3; k++) {
            put_value(w, at + FIELD(WARP, target) + k * WORDS_OF(VALUE), warp->target[k]);
        }
        put_value(w, at + FIELD(WARP, heading), warp->heading);
        put(w, at + FIELD(WARP, flags),
            (warp->warps_height ? WARP_TO_HEIGHT : 0) | (warp->turns_to_heading ? WARP_TO_HEADING : 0));
    }
}

// Writes a record of a player; `span` is where the player's MOTION_SPAN_... are in the state.
static void write_motion(writer *w, uint32_t at, uint32_t player, uint32_t reflection, uint32_t span, uint32_t weight) {
    const lmb_player_def *def = w->moving->players[player].def;
    const float duration = w->moving->players[player].duration;
    const float along[8] = {[6] = (float)((double)def->velocity * (double)duration)};
    const lmb_motion_track straight = {.key_count = 2, .keys = along};
    const motion_source from = {def->motion != NULL ? def->motion : &straight,
                                (double)w->moving->players[player].travel, reflection};
    write_keys(w, at, from);
    write_rotations(w, at, from);
    write_warps(w, at, def, from.track);
    write_inverse(w, at, duration);
    put(w, at + FIELD(MOTION, reflection), reflection);
    put(w, at + FIELD(MOTION, player), player_record(w, player));
    put(w, at + FIELD(MOTION, state), span);
    put(w, at + FIELD(MOTION, weight), weight);
}

// Writes the records of a player, one for each reflection. Returns the offset after them.
static uint32_t write_motions_of(writer *w, uint32_t at, uint32_t player) {
    const uint32_t span = take_state(w, WORDS_OF(MOTION_SPAN)), reflections = w->reflections[player];
    uint32_t weight = span + FIELD(MOTION_SPAN, weight);
    for (uint32_t reflection = 0; reflection < REFLECTIONS; reflection++) {
        if ((reflections >> reflection & 1) != 0) {
            write_motion(w, at, player, reflection, span, weight != LMB_NONE ? weight : take_state(w, 1));
            weight = LMB_NONE;
            at += WORDS_OF(MOTION);
        }
    }
    return at;
}

static uint32_t count_motions(const writer *w, uint32_t player) {
    uint32_t count = 0;
    for (uint32_t left = has_root_motion(w, player) ? w->reflections[player] : 0; left != 0; left &= left - 1) {
        count++;
    }
    return count;
}

static void write_motions(writer *w, uint32_t record) {
    uint32_t motion_count = 0;
    uint32_t motion_span = take(w, w->moving->player_count);
    for (uint32_t i = 0; i < w->moving->player_count; i++) {
        motion_count += count_motions(w, i);
    }
    uint32_t motions = take(w, (uint64_t)motion_count * WORDS_OF(MOTION));
    put(w, record + FIELD(CHARACTER_MOTION, root_motion), motion_span);
    put(w, record + FIELD(CHARACTER_MOTION, tracks), motions);
    put(w, record + FIELD(CHARACTER_MOTION, track_count), motion_count);
    for (uint32_t i = 0; i < w->moving->player_count; i++) {
        put(w, motion_span + i, has_root_motion(w, i) ? w->state_words : CONTROL_NONE);
        if (has_root_motion(w, i)) {
            motions = write_motions_of(w, motions, i);
        }
    }
}

static void write_remaining(writer *w, uint32_t at, float half_life) {
    const double bounded = half_life > 1e-3f ? (double)half_life : 1e-3;
    put(w, at + FIELD(CHARACTER_MOTION, remaining),
        half_life > 0.0f ? take_state(w, WORDS_OF(REMAINING)) : CONTROL_NONE);
    put_number(w, at + FIELD(CHARACTER_MOTION, decay_rate), (float)(1.0 / bounded));
    put_number(w, at + FIELD(CHARACTER_MOTION, decay_scale), (float)(bounded * 1.4426950408889634)); // 1 / ln 2
}

static bool is_driven(const lmb_motion_def *character_motion) {
    bool driven = character_motion->turns_to_heading;
    for (uint32_t i = 0; i < 3; i++) {
        const lmb_value desired = character_motion->velocity[i];
        driven = driven || desired.kind == LMB_VALUE_PARAMETER || desired.constant != 0.0f ||
                 character_motion->velocity_parameters[i] != LMB_NONE;
    }
    return driven;
}

static void write_character_motion(writer *w) {
    const lmb_motion_def *character_motion = w->def->motion;
    put(w, FIELD(CONTROL, character_motion), CONTROL_NONE);
    if (character_motion == NULL) {
        return;
    }
    uint32_t at = take(w, WORDS_OF(CHARACTER_MOTION));
    put(w, FIELD(CONTROL, character_motion), at);
    const uint32_t place = character_motion->full_rotation ? WORDS_OF(MOVING_FULLY) : WORDS_OF(MOVING);
    put(w, at + FIELD(CHARACTER_MOTION, place_words), place);
    put(w, at + FIELD(CHARACTER_MOTION, state),
        take_state(w, place + (character_motion->full_rotation ? WORDS_OF(MOVED_FULLY) : WORDS_OF(MOVED))));
    write_motions(w, at);
    write_remaining(w, at, character_motion->velocity_half_life);
    put(w, at + FIELD(CHARACTER_MOTION, is_driven), is_driven(character_motion));
    put(w, at + FIELD(CHARACTER_MOTION, turns_to_heading), character_motion->turns_to_heading);
    put_value(w, at + FIELD(CHARACTER_MOTION, heading), character_motion->heading);
    put_number(w, at + FIELD(CHARACTER_MOTION, acceleration), character_motion->acceleration);
    put_number(w, at + FIELD(CHARACTER_MOTION, deceleration), character_motion->deceleration);
    put_number(w, at + FIELD(CHARACTER_MOTION, turn_rate), (float)((double)character_motion->turn_rate / TURN));
    for (uint32_t i = 0; i < 3; i++) {
        put_value(w, at + FIELD(CHARACTER_MOTION, desired) + i * WORDS_OF(VALUE), character_motion->velocity[i]);
        put(w, at + FIELD(CHARACTER_MOTION, velocity_parameters) + i, character_motion->velocity_parameters[i]);
    }
}

static void write_inertia(writer *w) {
    put(w, FIELD(CONTROL, inertia), CONTROL_NONE);
    if (w->moving->inertia_parameters != LMB_NONE) {
        uint32_t at = take(w, WORDS_OF(INERTIALIZED));
        put(w, FIELD(CONTROL, inertia), at);
        put(w, at + FIELD(INERTIALIZED, state), take_state(w, WORDS_OF(INERTIAL)));
        put(w, at + FIELD(INERTIALIZED, parameter), w->moving->inertia_parameters);
    }
}

// Returns CONTROL_NONE if the machine has no blend profiles.
static uint32_t write_profiles(writer *w, const lmb_moving_machine *machine) {
    if (machine->node == LMB_NONE || lmb_graph_profile_count(&w->def->nodes[machine->node]) == 0) {
        return CONTROL_NONE;
    }
    const uint32_t at = take(w, WORDS_OF(MACHINE_PROFILES));
    put(w, at + FIELD(MACHINE_PROFILES, state),
        take_state(w, WORDS_OF(PROFILED) + machine->def.state_count * WORDS_OF(PROFILED_END)));
    put(w, at + FIELD(MACHINE_PROFILES, parameter), machine->profile_parameter);
    return at;
}

// Tables of what is the same in every frame, so that no frame has to compute it.

static void write_alone(writer *w) {
    put(w, FIELD(CONTROL, alone), w->size);
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->moving->player_count; i++) {
        if (w->moving->players[i].def->group == LMB_NONE) {
            put(w, take(w, 1), player_record(w, i));
            count++;
        }
    }
    put(w, FIELD(CONTROL, alone_count), count);
}

static uint32_t phase_of(uint8_t writer) {
    return writer < LMB_BY_CHARACTER_MOTION    ? COMPUTED_EARLY
           : writer == LMB_BY_CHARACTER_MOTION ? COMPUTED_MOVED
                                               : COMPUTED_WEIGHED;
}

// Writes the computed parameters, ordered by phase, then as in the descriptor. Their table follows that of the
// ungrouped players.
static void write_computed(writer *w) {
    const uint32_t table = take(w, COMPUTED_PHASES + 1);
    put(w, table, w->size);
    for (uint32_t phase = 0; phase < COMPUTED_PHASES; phase++) {
        for (uint32_t i = 0; i < w->def->computed_count; i++) {
            const lmb_computed_def *computed = &w->def->computed[i];
            const uint32_t count = lmb_computed_input_count(computed->kind);
            if (phase_of(w->moving->writers[computed->parameter]) != phase) {
                continue;
            }
            const uint32_t at = take(w, WORDS_OF(COMPUTED));
            put(w, at + FIELD(COMPUTED, kind), (uint32_t)computed->kind);
            put(w, at + FIELD(COMPUTED, parameter), computed->parameter);
            put(w, at + FIELD(COMPUTED, input_count), count);
            for (uint32_t j = 0; j < count; j++) {
                put_value(w, at + FIELD(COMPUTED, inputs) + j * WORDS_OF(VALUE), computed->inputs[j]);
            }
        }
        put(w, table + phase + 1, w->size);
    }
}

// Returns a word that has been written, or 0 while counting.
static uint32_t written(const writer *w, uint32_t at) {
    return w->block != NULL ? w->block[at] : 0;
}

// Finds, for each state, the rank of the transition by which it begins the shortest path to another one, or LMB_NONE.
// `order` has the machine's transitions by rank. Costs only shrink, so the search ends.
static void find_paths(const lmb_machine_def *machine, const uint32_t *order, uint32_t to, uint32_t *ranks) {
    uint32_t costs[LMB_MAX_STATES];
    for (uint32_t i = 0; i < machine->state_count; i++) {
        costs[i] = i == to ? 0 : LMB_NONE;
        ranks[i] = LMB_NONE;
    }
    for (bool shrinks = true; shrinks;) {
        shrinks = false;
        for (uint32_t i = 0; i < machine->transition_count * machine->state_count; i++) {
            const uint32_t rank = i / machine->state_count, from = i % machine->state_count;
            const lmb_transition_def *step = &machine->transitions[order[rank]];
            if (step->travel_cost == 0 || costs[step->to] == LMB_NONE || !lmb_transition_leaves(step, from)) {
                continue;
            }
            const uint32_t cost = costs[step->to] + step->travel_cost;
            if (cost < costs[from] || (cost == costs[from] && rank < ranks[from])) {
                shrinks = true;
                costs[from] = cost;
                ranks[from] = rank;
            }
        }
    }
}

// Writes a transition that goes to a state at once. Returns its offset.
static uint32_t write_teleport(writer *w, uint32_t to) {
    const uint32_t at = take(w, WORDS_OF(TRANSITION));
    put(w, at + FIELD(TRANSITION, to), to);
    put(w, at + FIELD(TRANSITION, event), CONTROL_NONE);
    put(w, at + FIELD(TRANSITION, flags), TRANSITION_TELEPORTS);
    return at;
}

// Writes how a machine travels. Returns its offset, or CONTROL_NONE if it does not.
static uint32_t write_travels(writer *w, const lmb_machine_def *machine, const uint32_t *order, uint32_t record) {
    if (!lmb_machine_travels(machine)) {
        return CONTROL_NONE;
    }
    const uint32_t at = take(w, WORDS_OF(TRAVEL) + machine->state_count * WORDS_OF(DESTINATION));
    put(w, at + FIELD(TRAVEL, state), take_state(w, 1));
    for (uint32_t to = 0; to < machine->state_count; to++) {
        const uint32_t destination = at + WORDS_OF(TRAVEL) + to * WORDS_OF(DESTINATION);
        put(w, destination + FIELD(DESTINATION, event), machine->states[to].travel_event);
        if (machine->states[to].travel_event == LMB_NONE) {
            continue;
        }
        uint32_t ranks[LMB_MAX_STATES];
        find_paths(machine, order, to, ranks);
        const uint32_t steps = take(w, machine->state_count), teleport = write_teleport(w, to);
        put(w, destination + FIELD(DESTINATION, steps), steps);
        for (uint32_t from = 0; from < machine->state_count; from++) {
            const bool has_path = ranks[from] != LMB_NONE && from != to;
            const uint32_t first = written(w, record + FIELD(MACHINE, transitions));
            put(w, steps + from, has_path ? first + ranks[from] * WORDS_OF(TRANSITION) : teleport);
        }
    }
    return at;
}

// Writes a state's table of transitions that need no event. `order` has the machine's transitions by rank.
static void write_state_table(writer *w, const lmb_machine_def *machine, const uint32_t *order, uint32_t record,
                              uint32_t state, uint32_t profiles, uint32_t travels) {
    const uint32_t at = take(w, WORDS_OF(TABLE)), first = written(w, record + FIELD(MACHINE, transitions));
    uint32_t count = 0;
    for (uint32_t rank = 0; rank < machine->transition_count; rank++) {
        const lmb_transition_def *transition = &machine->transitions[order[rank]];
        if (lmb_transition_leaves(transition, state) && transition->event == LMB_NONE) {
            put(w, take(w, 1), first + rank * WORDS_OF(TRANSITION));
            count++;
        }
    }
    put(w, at + FIELD(TABLE, profiles), profiles);
    if (travels != CONTROL_NONE) {
        put(w, take(w, 1), travels);
    }
    put(w, at + FIELD(TABLE, flags),
        (machine->states[state].restart ? TABLE_RESTARTS : 0) | (travels != CONTROL_NONE ? TABLE_TRAVELS : 0));
    put(w, at + FIELD(TABLE, transition_count), count);
    put(w, written(w, record + FIELD(MACHINE, states)) + state * WORDS_OF(STATE) + FIELD(STATE, table), at);
}

// Writes the curves of a machine's transitions. `order` has these by rank.
static void write_curves(writer *w, const lmb_machine_def *machine, const uint32_t *order, uint32_t record) {
    uint32_t transition = written(w, record + FIELD(MACHINE, transitions));
    for (uint32_t rank = 0; rank < machine->transition_count; rank++, transition += WORDS_OF(TRANSITION)) {
        const lmb_transition_def *def = &machine->transitions[order[rank]];
        const uint32_t at = take(w, WORDS_OF(FADE_CURVE));
        put(w, transition + FIELD(TRANSITION, curve), at);
        if (w->block != NULL) {
            lmb_curve_write(def->curve, def->curve_control, w->curves, w->block + at);
        }
        if (def->start == LMB_START_PHASE) {
            put(w, take(w, 1), (uint32_t)fmin((double)def->start_phase * 0x1p32, 0xffffffffp0));
        }
    }
}

static void write_tables(writer *w) {
    write_alone(w);
    write_computed(w);
    for (uint32_t i = 0; i < w->moving->machine_count; i++) {
        const lmb_machine_def *machine = &w->moving->machines[i].def;
        const uint32_t profiles = write_profiles(w, &w->moving->machines[i]);
        uint32_t order[LMB_MAX_TRANSITIONS];
        for (uint32_t k = 0; k < machine->transition_count; k++) {
            order[find_rank(machine, k)] = k;
        }
        const uint32_t travels = write_travels(w, machine, order, machine_record(w, i));
        for (uint32_t state = 0; state < machine->state_count; state++) {
            write_state_table(w, machine, order, machine_record(w, i), state, profiles, travels);
        }
        write_curves(w, machine, order, machine_record(w, i));
    }
}

static bool has_decisions(const writer *w) {
    return w->decisions.count + w->decisions.player_draw_count > 0;
}

// Writes what comes first where conditions read triggers or draws, or players draw, so that these can refer to it.
static void write_decisions(writer *w) {
    const uint32_t count = w->decisions.count, triggers = count - w->decisions.draw_count;
    if (!has_decisions(w)) {
        return;
    }
    const uint32_t first = take_state(w, count + w->decisions.player_draw_count);
    w->player_draw = first + count;
    w->size += w->matching_count > 0 ? 0 : CONTROL_DECIDING_WORDS;
    w->decision_records = take(w, (uint64_t)count * WORDS_OF(DECISION));
    put(w, FIELD(CONTROL, decisions), w->decision_records);
    put(w, FIELD(CONTROL, decision_count), count);
    put(w, FIELD(CONTROL, draws), first + triggers);
    put(w, FIELD(CONTROL, draw_count), w->decisions.draw_count + w->decisions.player_draw_count);
}

// Motion matching.

static void put_words(const writer *w, uint32_t at, const void *words, size_t size) {
    if (w->block != NULL) {
        memcpy(w->block + at, words, size);
    }
}

// Writes an array of a database behind all else, and its offset into a field.
static void put_array(writer *w, uint32_t field, const void *words, size_t size) {
    const uint32_t at = take(w, size / sizeof(uint32_t));
    put(w, field, at);
    put_words(w, at, words, size);
}

static void write_rows(writer *w, uint32_t at, const lmb_motion_database *database) {
    const motion_header *header = database->header;
    const size_t rows = header->row_count, found = header->found_count;
    put(w, at + FIELD(MATCHING, take_count), header->take_count);
    put(w, at + FIELD(MATCHING, row_count), header->row_count);
    put(w, at + FIELD(MATCHING, found_count), header->found_count);
    put_array(w, at + FIELD(MATCHING, mirrors), header->mirrors, sizeof header->mirrors);
    put_array(w, at + FIELD(MATCHING, takes), database->takes, header->take_count * sizeof *database->takes);
    put_array(w, at + FIELD(MATCHING, moments), database->moment_of, rows * sizeof *database->moment_of);
    put_array(w, at + FIELD(MATCHING, rows), database->row_of, rows * sizeof *database->row_of);
    put_array(w, at + FIELD(MATCHING, take_of), database->take_of, rows * sizeof *database->take_of);
    put_array(w, at + FIELD(MATCHING, tags), database->tags, rows * sizeof *database->tags);
    put_array(w, at + FIELD(MATCHING, numbers), database->numbers, rows * sizeof *database->numbers);
    put_array(w, at + FIELD(MATCHING, small_boxes), database->small,
              (found + SMALL_BOX - 1) / SMALL_BOX * sizeof(motion_box));
    put_array(w, at + FIELD(MATCHING, large_boxes), database->large,
              (found + LARGE_BOX - 1) / LARGE_BOX * sizeof(motion_box));
}

// Writes how numbers of a query follow from a path, and how a path follows from a course.
static void write_path(const writer *w, uint32_t at, const lmb_motion_database *database, float half_life) {
    const motion_header *header = database->header;
    put_number(w, at + FIELD(MATCHING, spring), lmb_motion_spring(half_life));
    for (uint32_t i = 0; i < 3; i++) {
        float ahead[AHEAD_WORDS];
        lmb_motion_ahead(header->times[i], half_life, ahead);
        for (uint32_t k = 0; k < AHEAD_WORDS; k++) {
            put_number(w, at + FIELD(MATCHING, ahead) + i * AHEAD_WORDS + k, ahead[k]);
        }
    }
    for (uint32_t i = MATCH_PATH; i < MATCH_FEATURES; i++) {
        const uint32_t normal = at + FIELD(MATCHING, normals) + 2 * (i - MATCH_PATH);
        put_number(w, normal, lmb_motion_mean(header, i));
        put_number(w, normal + 1, lmb_motion_factor(header, i));
    }
}

static void write_jumps(writer *w, uint32_t at, uint32_t take_count, float fade) {
    const uint32_t first = take(w, (uint64_t)take_count * WORDS_OF(TRANSITION));
    put(w, at + FIELD(MATCHING, jumps), first);
    for (uint32_t i = 0; i < take_count; i++) {
        const uint32_t jump = first + i * WORDS_OF(TRANSITION);
        put(w, jump + FIELD(TRANSITION, from), CONTROL_NONE);
        put(w, jump + FIELD(TRANSITION, to), i);
        put(w, jump + FIELD(TRANSITION, event), CONTROL_NONE);
        put(w, jump + FIELD(TRANSITION, flags), TRANSITION_JUMPS | (fade > 0.0f ? TRANSITION_INERTIALIZES : 0));
        put_time(w, jump + FIELD(TRANSITION, fade), fade);
    }
}

static void write_rules(writer *w, uint32_t at, const lmb_matching_def *def) {
    const uint32_t first = take(w, (uint64_t)def->rule_count * WORDS_OF(TAG_RULE));
    put(w, at + FIELD(MATCHING, rules), first);
    put(w, at + FIELD(MATCHING, rule_count), def->rule_count);
    for (uint32_t i = 0; i < def->rule_count; i++) {
        put_value(w, first + i * WORDS_OF(TAG_RULE), def->rules[i].when);
        put(w, first + i * WORDS_OF(TAG_RULE) + FIELD(TAG_RULE, tags), def->rules[i].tags);
    }
}

static void put_ticks(const writer *w, uint32_t at, uint64_t ticks) {
    put(w, at, (uint32_t)ticks);
    put(w, at + 1, (uint32_t)(ticks >> 32));
}

static void write_matching(writer *w, uint32_t at, uint32_t machine) {
    const lmb_matching_def *def = w->moving->machines[machine].def.matching;
    const lmb_motion_database *database = w->moving->machines[machine].database;
    const float rate = database->header->rate;
    put(w, at + FIELD(MATCHING, machine), machine_record(w, machine));
    put(w, at + FIELD(MATCHING, state), take_state(w, MATCHED_WORDS));
    put_number(w, at + FIELD(MATCHING, rate), rate);
    put_ticks(w, at + FIELD(MATCHING, step),
              (uint64_t)llround((double)LMB_TICKS_PER_SECOND * (double)(1u << FINE_BITS) / (double)rate));
    put_ticks(w, at + FIELD(MATCHING, interval), lmb_control_fine(def->interval) >> FINE_BITS);
    put(w, at + FIELD(MATCHING, recent), (uint32_t)(lmb_control_fine(def->recent) >> FINE_BITS));
    put_value(w, at + FIELD(MATCHING, velocity), def->velocity[0]);
    put_value(w, at + FIELD(MATCHING, velocity) + WORDS_OF(VALUE), def->velocity[1]);
    put_value(w, at + FIELD(MATCHING, heading), def->heading);
    put(w, at + FIELD(MATCHING, faces), def->faces_heading);
    put(w, at + FIELD(MATCHING, mirrored), def->mirrored);
    put(w, at + FIELD(MATCHING, follows), def->follows_path);
    put_number(w, at + FIELD(MATCHING, first), 1.0f / database->header->times[0]);
    for (uint32_t i = 0; i < 6; i++) {
        put_value(w, at + FIELD(MATCHING, places) + i * WORDS_OF(VALUE), def->path[i / 2][i % 2]);
    }
    put_number(w, at + FIELD(MATCHING, change), def->velocity_change * def->velocity_change);
    put(w, at + FIELD(MATCHING, turn), (uint32_t)((double)def->heading_change / TURN * 0x1p32));
    put(w, at + FIELD(MATCHING, window), lmb_motion_rows_in(rate, def->window));
    put(w, at + FIELD(MATCHING, bonus), lmb_motion_cost_of(database->header->scale, def->bonus));
    write_path(w, at, database, def->half_life);
    write_jumps(w, at, database->header->take_count, def->fade);
    write_rules(w, at, def);
    write_rows(w, at, database);
}

// Reserves the header of matching before all else.
static void reserve_matchings(writer *w) {
    for (uint32_t i = 0; i < w->moving->machine_count; i++) {
        w->matching_count += w->moving->machines[i].def.matching != NULL;
    }
    if (w->matching_count > 0) {
        w->size = CONTROL_HEADER_WORDS + CONTROL_DECIDING_WORDS + CONTROL_MATCHING_WORDS;
    }
}

static void write_matchings(writer *w) {
    if (w->matching_count == 0) {
        return;
    }
    uint32_t at = take(w, (uint64_t)w->matching_count * WORDS_OF(MATCHING));
    put(w, FIELD(CONTROL, matchings), at);
    put(w, FIELD(CONTROL, matching_count), w->matching_count);
    for (uint32_t i = 0; i < w->moving->machine_count; i++) {
        if (w->moving->machines[i].def.matching != NULL) {
            write_matching(w, at, i);
            at += WORDS_OF(MATCHING);
        }
    }
}

static void write_decision_records(const writer *w) {
    for (uint32_t i = 0; i < w->decisions.count; i++) {
        const uint32_t at = w->decision_records + i * WORDS_OF(DECISION);
        put(w, at + FIELD(DECISION, event), w->decisions.list[i].event);
        put(w, at + FIELD(DECISION, machine), machine_record(w, w->decisions.list[i].machine));
        put(w, at + FIELD(DECISION, state), WORDS_OF(CHARACTER) + i);
    }
}

static void write_header(const writer *w) {
    const lmb_moving *moving = w->moving;
    put(w, FIELD(CONTROL, parameters), moving->poses.parameter_count);
    put(w, FIELD(CONTROL, state_words), w->state_words);
    put(w, FIELD(CONTROL, smoothed_count), w->def->smoothed_count);
    put(w, FIELD(CONTROL, players), w->players);
    put(w, FIELD(CONTROL, player_count), moving->player_count);
    put(w, FIELD(CONTROL, group_count), w->def->group_count);
    put(w, FIELD(CONTROL, machines), w->machines);
    put(w, FIELD(CONTROL, machine_count), moving->machine_count);
    put(w, FIELD(CONTROL, emitted_capacity), moving->max_emitted_events);
    put_value(w, FIELD(CONTROL, update_every), moving->update_every);
    if (w->block != NULL) { // which has CONTROL_CURVES from its values
        w->block[FIELD(CONTROL, flags)] |=
            (w->weighs ? CONTROL_WEIGHS : 0) | (w->def->interpolate_updates ? CONTROL_INTERPOLATES : 0) |
            (w->curves.count > 0 ? CONTROL_USER_CURVES : 0) | (has_decisions(w) ? CONTROL_DECIDES : 0) |
            (w->matching_count > 0 ? CONTROL_MATCHES : 0);
    }
}

uint32_t lmb_control_write(const lmb_moving *moving, const lmb_graph *graph, uint32_t *block, uint32_t *state_words) {
    writer w = {.moving = moving,
                .def = moving->def,
                .graph = graph,
                .block = block,
                .size = CONTROL_HEADER_WORDS,
                .state_words = WORDS_OF(CHARACTER),
                .curves = {.defs = moving->def->curves, .count = moving->def->curve_count}};
    reserve_matchings(&w);
    lmb_moving_decisions(moving, &w.decisions);
    write_decisions(&w);
    w.machines = take(&w, (uint64_t)moving->machine_count * WORDS_OF(MACHINE));
    write_decision_records(&w);
    w.players = take(&w, (uint64_t)moving->player_count * WORDS_OF(PLAYER));
    w.curves.at = take(&w, lmb_curves_words(w.curves));
    if (block != NULL) {
        lmb_curves_write(w.curves, block);
    }
    write_smoothed(&w);
    for (uint32_t i = 0; i < moving->player_count; i++) {
        write_player(&w, i);
    }
    write_groups(&w);
    for (uint32_t i = 0; i < moving->machine_count; i++) {
        write_machine(&w, i);
    }
    write_character_motion(&w);
    write_inertia(&w);
    write_tables(&w);
    write_matchings(&w);
    write_header(&w);
    *state_words = w.state_words;
    return w.size;
}
