// Default descriptors, the creation of a control, and what a host reads from a character's state or writes to it.
//
// A state is words in the layout of shaders/ops/control_layout.h. Its owner may be the host, a device or a file, so
// functions here use only the control's block and the given words. Positions are fixed-point numbers of 64 bits, and a
// yaw is a fraction of a turn in 32 bits. So they are as precise far from the origin as near it.
#include "control.h"

#include "base/float_environment.h"
#include "math/inline_ops.h"
#include "math/quaternion.h"

#include "../../shaders/ops/full_motion.h"
#include "../../shaders/ops/machines.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define TURN 6.283185307179586 // in radians

_Static_assert(LMB_EMITTED_EVENT_WORDS == WORDS_OF(EMITTED), "the words of an emitted event");
_Static_assert(LMB_EMITTED_NOTIFY == BY_NOTIFY && LMB_EMITTED_LOOPED == BY_LOOP && LMB_EMITTED_ENDED == BY_END &&
                   LMB_EMITTED_ENTRY == BY_ENTRY && LMB_EMITTED_EXIT == BY_EXIT,
               "what emits events");
_Static_assert(LMB_MAX_PLAYERS <= 1u << 16 && LMB_MAX_NOTIFIES <= 1u << (EMITTED_INDEX_SHIFT - EMITTED_PART_SHIFT) &&
                   LMB_MAX_STATES <= 1u << (EMITTED_INDEX_SHIFT - EMITTED_PART_SHIFT),
               "the source of an emitted event is a word");
_Static_assert(LMB_MOTION_FLOATS == MOTION_FLOATS && LMB_FULL_MOTION_FLOATS == FULL_MOTION_FLOATS, "a motion's row");
lmb_control_frame lmb_default_control_frame(void) {
    return (lmb_control_frame){0};
}

lmb_smoothed_def lmb_smoothed_parameter(lmb_value source, float half_life, uint32_t parameter) {
    lmb_smoothed_def def = lmb_default_smoothed_def();
    def.source = source;
    def.half_life = half_life;
    def.parameter = parameter;
    return def;
}

lmb_result lmb_control_create(const lmb_moving *moving, const lmb_graph *graph, const lmb_host *host,
                              lmb_control **control, lmb_error *error) {
    *control = NULL;
    lmb_environment callers;
    lmb_environment_enter(&callers);
    uint32_t state_words;
    uint32_t size = lmb_control_write(moving, graph, NULL, &state_words);
    lmb_environment_leave(&callers);
    lmb_host resolved = lmb_host_resolve(host);
    lmb_control *created = lmb_host_allocate(&resolved, 1, sizeof *created);
    uint32_t *block = lmb_host_allocate(&resolved, size, sizeof *block);
    if (created == NULL || block == NULL) {
        lmb_host_release(&resolved, created);
        lmb_host_release(&resolved, block);
        return lmb_fail(error, LMB_ERROR_MEMORY, "control: no memory for %u words", (unsigned)size);
    }
    lmb_environment_enter(&callers);
    lmb_control_write(moving, graph, block, &state_words);
    lmb_environment_leave(&callers);
    *created = (lmb_control){.host = resolved,
                             .graph = graph,
                             .parameter_count = moving->poses.parameter_count,
                             .event_count = moving->def->event_count,
                             .max_emitted_events = moving->max_emitted_events,
                             .state_words = state_words,
                             .machine_count = moving->machine_count,
                             .size = size,
                             .block = block};
    *control = created;
    return LMB_OK;
}

void lmb_control_destroy(lmb_control *control) {
    if (control == NULL) {
        return;
    }
    lmb_host host = control->host;
    lmb_host_release(&host, control->block);
    lmb_host_release(&host, control);
}

const char *lmb_control_missing(const lmb_graph *graph, const uint32_t *state) {
    return graph == NULL            ? "the graph is NULL"
           : graph->control == NULL ? "nothing in the graph advances by itself"
           : state == NULL          ? "the state is NULL"
                                    : NULL;
}

uint32_t lmb_control_inertia_parameters(const lmb_control *control) {
    const uint32_t at = control->block[FIELD(CONTROL, inertia)];
    return at != CONTROL_NONE ? control->block[at + FIELD(INERTIALIZED, parameter)] : LMB_NONE;
}

uint32_t lmb_control_emitted_words(const lmb_control *control) {
    return EMITTED_COUNT_WORDS + WORDS_OF(EMITTED) * control->max_emitted_events;
}

uint32_t lmb_emitted_count(const lmb_graph *graph, const uint32_t *emitted) {
    const lmb_control *control = graph->control;
    const uint32_t room = control != NULL ? control->max_emitted_events : 0;
    return room > 0 && emitted[0] < room ? emitted[0] : room;
}

lmb_emitted_event lmb_emitted_event_at(const uint32_t *emitted, uint32_t index) {
    const uint32_t *words = emitted + EMITTED_COUNT_WORDS + (size_t)WORDS_OF(EMITTED) * index;
    const uint32_t source = words[FIELD(EMITTED, source)],
                   part_mask = (1u << (EMITTED_INDEX_SHIFT - EMITTED_PART_SHIFT)) - 1u;
    lmb_emitted_event event = {.event = words[FIELD(EMITTED, event)],
                               .kind = (lmb_emitted_kind)(source & ((1u << EMITTED_PART_SHIFT) - 1u)),
                               .source = source >> EMITTED_INDEX_SHIFT,
                               .part = source >> EMITTED_PART_SHIFT & part_mask};
    const uint64_t ticks = (uint64_t)words[FIELD(EMITTED, time) + 1] << 32 | words[FIELD(EMITTED, time)];
    memcpy(&event.weight, words + FIELD(EMITTED, weight), sizeof event.weight);
    memcpy(&event.passes, words + FIELD(EMITTED, passes), sizeof event.passes);
    memcpy(&event.ticks, &ticks, sizeof event.ticks);
    return event;
}

static void merge(const lmb_event *from, lmb_event *to, uint32_t first, uint32_t middle, uint32_t end) {
    uint32_t left = first, right = middle;
    for (uint32_t i = first; i < end; i++) {
        bool takes_left = left < middle && (right == end || from[left].character <= from[right].character);
        to[i] = takes_left ? from[left++] : from[right++];
    }
}

// Merge sort with runs of 1, 2, 4 and so on. It is stable and needs no memory except `scratch`.
void lmb_events_sort(lmb_event *events, lmb_event *scratch, uint32_t count) {
    lmb_event *from = events, *to = scratch;
    for (uint64_t run = 1; run < count; run *= 2) {
        for (uint64_t first = 0; first < count; first += 2 * run) {
            uint64_t middle = first + run < count ? first + run : count;
            uint64_t end = first + 2 * run < count ? first + 2 * run : count;
            merge(from, to, (uint32_t)first, (uint32_t)middle, (uint32_t)end);
        }
        lmb_event *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != events && count > 0) {
        memcpy(events, from, count * sizeof *events);
    }
}

lmb_result lmb_control_check_events(const lmb_control *control, const lmb_event *events, uint32_t count,
                                    uint32_t characters, lmb_error *error) {
    if (count > 0 && events == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "control: the events are NULL");
    }
    for (uint32_t i = 0; i < count; i++) {
        bool known = events[i].event < control->event_count || events[i].event == LMB_EVENT_RESET;
        bool sorted = i == 0 || events[i - 1].character <= events[i].character;
        if (!known || !sorted || events[i].character >= characters) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "control: event %u (%u for character %u): %s", (unsigned)i,
                            (unsigned)events[i].event, (unsigned)events[i].character,
                            events[i].event == LMB_NONE ? "it is LMB_NONE, as of a name that was not found"
                            : !known                    ? "there is no such event"
                            : !sorted                   ? "they are not sorted by character"
                                                        : "there is no such character");
        }
    }
    return LMB_OK;
}

lmb_state_counts lmb_state_get_counts(const lmb_graph *graph, const uint32_t *state) {
    return graph->control != NULL ? (lmb_state_counts){.transitions = state[FIELD(CHARACTER, transitions_left)],
                                                       .sent_events = state[FIELD(CHARACTER, events_lost)],
                                                       .emitted_events = state[FIELD(CHARACTER, lost_events)]}
                                  : (lmb_state_counts){0};
}

// Returns the record of a machine or of a player, or NULL if there is none.
static const uint32_t *find_machine(const lmb_graph *graph, uint32_t machine) {
    const uint32_t *block = graph->control != NULL ? graph->control->block : NULL;
    return block != NULL && machine < block[FIELD(CONTROL, machine_count)]
               ? block + block[FIELD(CONTROL, machines)] + machine * WORDS_OF(MACHINE)
               : NULL;
}

static const uint32_t *find_player(const lmb_graph *graph, uint32_t player) {
    const uint32_t *block = graph->control != NULL ? graph->control->block : NULL;
    return block != NULL && player < block[FIELD(CONTROL, player_count)]
               ? block + block[FIELD(CONTROL, players)] + player * WORDS_OF(PLAYER)
               : NULL;
}

uint32_t lmb_state_current(const lmb_graph *graph, const uint32_t *state, uint32_t machine) {
    const uint32_t *record = find_machine(graph, machine);
    return record != NULL ? state[record[FIELD(MACHINE, state)] + FIELD(MACHINE_NOW, current)] : LMB_NONE;
}

float lmb_state_weight(const lmb_graph *graph, const uint32_t *state, uint32_t machine, uint32_t machine_state) {
    const uint32_t *record = find_machine(graph, machine);
    if (record == NULL || machine_state >= record[FIELD(MACHINE, state_count)]) {
        return 0.0f;
    }
    return REAL(state[record[FIELD(MACHINE, state)] + WORDS_OF(MACHINE_NOW) + machine_state * WORDS_OF(STATE_WEIGHT)]);
}

lmb_player_state lmb_state_player(const lmb_graph *graph, const uint32_t *state, uint32_t player) {
    const uint32_t *record = find_player(graph, player);
    if (record == NULL) {
        return (lmb_player_state){0};
    }
    const uint32_t *playing = state + record[FIELD(PLAYER, state)];
    ticks place = make_ticks(playing[FIELD(PLAYING, place)], playing[FIELD(PLAYING, place) + 1]);
    if (record[FIELD(PLAYER, end)] == PLAYER_TURNS) {
        place = turned_time(place, make_ticks(record[FIELD(PLAYER, duration)], record[FIELD(PLAYER, duration) + 1]));
    }
    place = ticks_of_fine(place);
    return (lmb_player_state){.ticks = (uint64_t)ticks_high(place) << 32 | ticks_low(place),
                              .repetitions = playing[FIELD(PLAYING, flags)] >> PLAYING_ENDED_SHIFT,
                              .weight = REAL(playing[FIELD(PLAYING, weight)])};
}

// Returns the record of the character motion, or NULL.
static const uint32_t *find_motion(const lmb_control *control) {
    return lmb_control_has_motion(control) ? control->block + control->block[FIELD(CONTROL, character_motion)] : NULL;
}

// Returns the words of a character's motion, or NULL.
static const uint32_t *motion_words(const lmb_graph *graph, const uint32_t *state) {
    return graph->info.has_motion ? state + graph->info.motion_words.first : NULL;
}

bool lmb_control_has_motion(const lmb_control *control) {
    return control->block[FIELD(CONTROL, character_motion)] != CONTROL_NONE;
}

static bool rotates_fully(const lmb_control *control) {
    const uint32_t *record = find_motion(control);
    return record != NULL && record[FIELD(CHARACTER_MOTION, place_words)] == WORDS_OF(MOVING_FULLY);
}

static bool has_warps(const lmb_control *control) {
    const uint32_t *record = find_motion(control);
    bool has = false;
    for (uint32_t i = 0; record != NULL && i < record[FIELD(CHARACTER_MOTION, track_count)]; i++) {
        has |=
            control->block[record[FIELD(CHARACTER_MOTION, tracks)] + i * WORDS_OF(MOTION) + FIELD(MOTION, warp_count)] >
            0;
    }
    return has;
}

static bool has_profiles(const lmb_control *control) {
    bool has = false;
    for (uint32_t i = 0; i < control->machine_count; i++) {
        has |= block_profiles(control->block, control->block[FIELD(CONTROL, machines)] + i * WORDS_OF(MACHINE)) !=
               CONTROL_NONE;
    }
    return has;
}

static bool travels(const lmb_control *control) {
    bool any = false;
    for (uint32_t i = 0; i < control->machine_count; i++) {
        const uint32_t *machine = control->block + control->block[FIELD(CONTROL, machines)] + i * WORDS_OF(MACHINE);
        const uint32_t table = control->block[machine[FIELD(MACHINE, states)] + FIELD(STATE, table)];
        any |= (control->block[table + FIELD(TABLE, flags)] & TABLE_TRAVELS) != 0;
    }
    return any;
}

static bool has_starts(const lmb_control *control) {
    bool any = false;
    for (uint32_t i = 0; i < control->machine_count; i++) {
        const uint32_t *machine = control->block + control->block[FIELD(CONTROL, machines)] + i * WORDS_OF(MACHINE);
        const uint32_t *transition = control->block + machine[FIELD(MACHINE, transitions)];
        for (uint32_t k = 0; k < machine[FIELD(MACHINE, transition_count)]; k++, transition += WORDS_OF(TRANSITION)) {
            any |= (transition[FIELD(TRANSITION, flags)] & (TRANSITION_AT_PHASE | TRANSITION_IN_SYNC)) != 0;
        }
    }
    return any;
}

static bool has_player_options(const lmb_control *control) {
    const uint32_t *block = control->block, *player = block + block[FIELD(CONTROL, players)];
    bool any = false;
    for (uint32_t i = 0; i < block[FIELD(CONTROL, player_count)]; i++, player += WORDS_OF(PLAYER)) {
        any |= player[FIELD(PLAYER, repetitions)] != 0 || player[FIELD(PLAYER, waited)] != CONTROL_NONE ||
               player[FIELD(PLAYER, sync)] != CONTROL_NONE || lmb_player_draw(player) != CONTROL_NONE;
    }
    return any;
}

// Whether conditions read the state.
static bool reads_state(const lmb_control *control) {
    bool any = lmb_control_decides(control);
    for (uint32_t i = 0; i < control->machine_count; i++) {
        const uint32_t *machine = control->block + control->block[FIELD(CONTROL, machines)] + i * WORDS_OF(MACHINE);
        const uint32_t *transition = control->block + machine[FIELD(MACHINE, transitions)];
        for (uint32_t k = 0; k < machine[FIELD(MACHINE, transition_count)]; k++, transition += WORDS_OF(TRANSITION)) {
            const uint32_t *term = control->block + transition[FIELD(TRANSITION, terms)];
            for (uint32_t t = 0; t < transition[FIELD(TRANSITION, term_count)]; t++, term += WORDS_OF(TERM)) {
                any |= (term[FIELD(TERM, kind)] & TERM_OF_STATE) != 0;
            }
        }
    }
    return any;
}

// Whether the character's velocity is kept over switches, which kernels compile with inertialization: its words change
// in every frame, also if no transition is inertialized.
static bool keeps_velocity(const lmb_control *control) {
    const uint32_t at = control->block[FIELD(CONTROL, character_motion)];
    return at != CONTROL_NONE && control->block[at + FIELD(CHARACTER_MOTION, remaining)] != CONTROL_NONE;
}

lmb_control_features lmb_control_find_features(const lmb_control *control) {
    const uint32_t *block = control->block, flags = block[FIELD(CONTROL, flags)];
    const bool weighs = (flags & CONTROL_WEIGHS) != 0;
    return (lmb_control_features){.motion = lmb_control_has_motion(control),
                                  .warps = has_warps(control),
                                  .full_rotation = rotates_fully(control),
                                  .groups = block[FIELD(CONTROL, group_count)] > 0,
                                  .inertia = block[FIELD(CONTROL, inertia)] != CONTROL_NONE || keeps_velocity(control),
                                  .profiles = has_profiles(control),
                                  .travel = travels(control),
                                  .starts = has_starts(control),
                                  .player_options = has_player_options(control),
                                  .decisions = reads_state(control),
                                  .matching = (flags & CONTROL_MATCHES) != 0,
                                  .interpolates = (flags & CONTROL_INTERPOLATES) != 0,
                                  .curves = (flags & CONTROL_CURVES) != 0 || (weighs && control->graph->uses_curves),
                                  .user_curves = (flags & CONTROL_USER_CURVES) != 0,
                                  .spaces = weighs && control->graph->uses_spaces,
                                  .motion_rules = weighs && lmb_control_has_motion(control) &&
                                                  control->graph->program[FIELD(PROGRAM, motion_rule_count)] > 0,
                                  .reached = control->graph != NULL && control->graph->info.reached_count > 0};
}

uint32_t lmb_control_motion_floats(const lmb_control *control) {
    return !lmb_control_has_motion(control) ? 0 : rotates_fully(control) ? LMB_FULL_MOTION_FLOATS : LMB_MOTION_FLOATS;
}

void lmb_control_count(const lmb_control *control, lmb_graph_info *info) {
    const uint32_t *motion = find_motion(control), *block = control->block;
    info->state_words = control->state_words;
    info->emitted_words = lmb_control_emitted_words(control);
    info->has_motion = lmb_control_has_motion(control);
    info->rotates_fully = rotates_fully(control);
    info->motion_floats = lmb_control_motion_floats(control);
    if (motion != NULL) {
        info->motion_words =
            (lmb_word_range){motion[FIELD(CHARACTER_MOTION, state)], motion[FIELD(CHARACTER_MOTION, place_words)]};
    }
    info->update_phase_words = (lmb_word_range){FIELD(CHARACTER, update_phase), 1};
    if (lmb_control_decides(control)) {
        info->seed_words = (lmb_word_range){block[FIELD(CONTROL, draws)], block[FIELD(CONTROL, draw_count)]};
    }
}

// Reads a unit quaternion. All 0 is no rotation.
static void read_rotation(const uint32_t words[4], double rotation[4]) {
    float given[4];
    memcpy(given, words, sizeof given);
    lmb_quaternion_from(given, rotation);
}

// The twist of a rotation about y, in radians, at least -pi and below pi.
static double twist_about_y(const double rotation[4]) {
    const double twist = 2.0 * lmb_arc_tangent64(rotation[1], rotation[3]);
    return twist >= 0.5 * TURN ? twist - TURN : twist < -0.5 * TURN ? twist + TURN : twist;
}

static LMB_NOINLINE lmb_motion find_character_motion(const lmb_graph *graph, const uint32_t *state) {
    lmb_motion character_motion = {.rotation = {0.0, 0.0, 0.0, 1.0}};
    const uint32_t *words = motion_words(graph, state);
    for (uint32_t i = 0; i < 3 && words != NULL; i++) {
        character_motion.position[i] = (double)(int32_t)words[2 * i + 1] + ldexp((double)words[2 * i], -32);
    }
    if (words != NULL && graph->info.rotates_fully) {
        read_rotation(words + FIELD(MOVING_FULLY, orientation), character_motion.rotation);
        character_motion.yaw = twist_about_y(character_motion.rotation);
    } else if (words != NULL) {
        character_motion.yaw = ldexp((double)(int32_t)words[FIELD(MOVING, yaw)], -32) * TURN;
        lmb_quaternion_from_yaw(character_motion.yaw, character_motion.rotation);
    }
    return character_motion;
}

lmb_motion lmb_state_motion(const lmb_graph *graph, const uint32_t *state) {
    lmb_environment callers;
    lmb_environment_enter(&callers);
    const lmb_motion character_motion = find_character_motion(graph, state);
    lmb_environment_leave(&callers);
    return character_motion;
}

lmb_affine lmb_state_matrix(const lmb_graph *graph, const uint32_t *state) {
    const lmb_control *control = graph->control;
    lmb_environment callers;
    lmb_environment_enter(&callers);
    affine matrix = affine_from_transform(identity_transform());
    if (graph->info.has_motion) {
        const struct control c = {.block = control->block, .state = (uint32_t *)(uintptr_t)state}; // is only read
        matrix = matrix_of_motion(c, control->block[FIELD(CONTROL, character_motion)]);
    }
    lmb_affine result;
    memcpy(&result, &matrix, sizeof result);
    lmb_environment_leave(&callers);
    return result;
}

// Converts an angle from radians to 2^-32 of a turn.
static uint32_t find_angle(double radians) {
    const double turns = fmod(radians, TURN) / TURN;
    return (uint32_t)(int64_t)llround(ldexp(turns, 32));
}

// Writes a rotation or, if all its numbers are 0, the yaw. Returns false if the rotation's length is below 2^-40, above
// 2^40, or not a number.
static bool write_orientation(const lmb_motion *from, uint32_t words[4]) {
    double of_yaw[4], square = 0.0;
    lmb_quaternion_from_yaw(fmod(from->yaw, 2.0 * TURN), of_yaw); // of any size
    bool given = false;
    for (int i = 0; i < 4; i++) {
        square += from->rotation[i] * from->rotation[i];
        given = given || from->rotation[i] != 0.0;
    }
    const double length = sqrt(square);
    for (int i = 0; i < 4; i++) {
        words[i] = BITS(snap((float)(given ? from->rotation[i] / length : of_yaw[i])));
    }
    return !given || (length >= 0x1p-40 && length <= 0x1p40);
}

// Floors to 2^-32. A multiple of it below 2^31 is exact in 64 bits.
static void write_position(double position, uint32_t words[2]) {
    const int64_t fixed = (int64_t)floor(ldexp(position, 32));
    words[0] = (uint32_t)fixed;
    words[1] = (uint32_t)((uint64_t)fixed >> 32);
}

static LMB_NOINLINE lmb_result write_motion(const lmb_control *control, const lmb_motion *character_motion,
                                            uint32_t words[WORDS_OF(MOVING_FULLY)], lmb_error *error) {
    for (uint32_t i = 0; i < 3; i++) {
        const double position = character_motion->position[i];
        if (!(position >= -2147483648.0 && position < 2147483648.0)) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT,
                            "control: character motion: %g is not a position from -2^31 to 2^31", position);
        }
        write_position(position, words + (size_t)2 * i);
    }
    if (!isfinite(character_motion->yaw)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "control: character motion: the yaw is not a finite number");
    }
    if (!rotates_fully(control)) {
        words[FIELD(MOVING, yaw)] = find_angle(character_motion->yaw);
    } else if (!write_orientation(character_motion, words + FIELD(MOVING_FULLY, orientation))) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "control: character motion: the rotation is not a quaternion");
    }
    return LMB_OK;
}

lmb_result lmb_control_motion_to_words(const lmb_control *control, const lmb_motion *motion, uint32_t *words,
                                       lmb_error *error) {
    uint32_t written[WORDS_OF(MOVING_FULLY)] = {0};
    lmb_environment callers;
    lmb_environment_enter(&callers);
    const lmb_result result = write_motion(control, motion, written, error);
    lmb_environment_leave(&callers);
    if (result == LMB_OK) {
        memcpy(words, written, find_motion(control)[FIELD(CHARACTER_MOTION, place_words)] * sizeof *words);
    }
    return result;
}

lmb_result lmb_state_set_motion(const lmb_graph *graph, uint32_t *state, const lmb_motion *character_motion,
                                lmb_error *error) {
    const char *missing = graph == NULL              ? "the graph is NULL"
                          : state == NULL            ? "the state is NULL"
                          : character_motion == NULL ? "the motion is NULL"
                          : !graph->info.has_motion  ? "the graph has none"
                                                     : NULL;
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "control: character motion: %s", missing);
    }
    return lmb_control_motion_to_words(graph->control, character_motion, state + graph->info.motion_words.first, error);
}

uint32_t lmb_state_update_phase(const lmb_graph *graph, const uint32_t *state) {
    return graph->control != NULL ? state[FIELD(CHARACTER, update_phase)] - 1u : LMB_NONE; // LMB_NONE for 0
}

lmb_result lmb_state_set_update_phase(const lmb_graph *graph, uint32_t *state, uint32_t phase, lmb_error *error) {
    const char *missing = lmb_control_missing(graph, state);
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "control: phase of updates: %s", missing);
    }
    state[FIELD(CHARACTER, update_phase)] = phase % UPDATE_PHASES + 1u;
    return LMB_OK;
}

lmb_root_displacement lmb_state_root_motion(const lmb_graph *graph, const uint32_t *state) {
    lmb_root_displacement moved = {.rotation = {0.0, 0.0, 0.0, 1.0}};
    const uint32_t *words = motion_words(graph, state);
    if (words == NULL) {
        return moved;
    }
    words += graph->info.motion_words.count;
    for (uint32_t i = 0; i < 3; i++) {
        moved.translation[i] = REAL(words[FIELD(MOVED, by_clips) + i]);
    }
    if (graph->info.rotates_fully) {
        read_rotation(words + FIELD(MOVED_FULLY, rotation), moved.rotation);
        moved.yaw = (float)twist_about_y(moved.rotation);
    } else {
        const float turns = REAL(words[FIELD(MOVED, by_clips) + 3]);
        lmb_quaternion_from_yaw(TURN * (double)turns, moved.rotation);
        moved.yaw = turns * (float)TURN;
    }
    return moved;
}
