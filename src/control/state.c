// Checks states that a host restores, for example from a saved game. A check covers what the kernels rely on: indices
// are in range, times are within their clips, and every float is one that a kernel could have stored. A character that
// has not begun is all 0, except what a host may set before its first frame.
#include "control.h"

#include "../../shaders/ops/control_layout.h"

#include <math.h>
#include <string.h>

_Static_assert(LONGEST_WAIT == 17 * LMB_MAX_STEP_TICKS, "the longest wait");
#define LARGEST_WEIGHT 1.001f // sums of rounded shares can be slightly above 1
#define SMALLEST 0x2b800000u  // bits of 2^-40: the kernels store no smaller number, and no negative zero
#define MAGNITUDE 0x7fffffffu // the bits of a float without its sign
#define IN_RANGE "not 0, or from 2^-40 to 2^40"

typedef struct checker {
    const lmb_graph_info *info;
    const lmb_control *control;
    const uint32_t *state; // of the character
    uint32_t character;
    lmb_error *error; // not NULL. Checks return false if they fail, and store it
} checker;

static bool require(const checker *c, bool condition, const char *what, uint32_t index, const char *why) {
    return condition || lmb_refuse(c->error, LMB_ERROR_FORMAT, "control: state of character %u: %s %u: %s",
                                   (unsigned)c->character, what, (unsigned)index, why);
}

static uint64_t wide(const uint32_t *words) {
    return (uint64_t)words[1] << 32 | words[0];
}

// Returns whether a float is in a range, and one that the kernels store: on numbers below 2^-40 devices do not agree,
// because some flush subnormals. Returns false for NaN.
static bool is_within(uint32_t bits, float min, float max) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return (bits == 0 || (bits & MAGNITUDE) >= SMALLEST) && value >= min && value <= max;
}

// Returns whether `count` words are numbers in a range.
static bool are_within(const uint32_t *words, uint32_t count, float min, float max) {
    bool within = true;
    for (uint32_t i = 0; i < count; i++) {
        within = within && is_within(words[i], min, max);
    }
    return within;
}

static bool check_player(const checker *c, uint32_t index) {
    const uint32_t *block = c->control->block;
    const uint32_t *record = block + block[CONTROL_PLAYERS] + index * PLAYER_WORDS;
    const uint32_t *playing = c->state + record[PLAYER_STATE];
    const uint64_t duration = wide(record + PLAYER_DURATION), place = wide(playing + PLAYING_PLACE);
    const uint32_t ended = playing[PLAYING_FLAGS] >> PLAYING_ENDED_SHIFT;
    const uint64_t waited = record[PLAYER_WAITED] != CONTROL_NONE ? wide(c->state + record[PLAYER_WAITED]) : 0;
    const bool turns = record[PLAYER_END] == PLAYER_TURNS;
    const uint32_t flags =
        PLAYING_ENDED | PLAYING_PASSED | PLAYING_PASSED_IN_FRAME | (turns && place == 0 ? PLAYING_TURNED : 0);
    return require(c, place <= (turns ? 2 * duration : duration), "player", index, "it is past its clip") &&
           require(c, (playing[PLAYING_FLAGS] & ~flags & ((1u << PLAYING_ENDED_SHIFT) - 1)) == 0, "player", index,
                   "there are no such flags") &&
           require(c, waited <= wide(record + PLAYER_DELAY), "player", index, "it waits for longer than its delay") &&
           require(c, ended <= record[PLAYER_REPETITIONS], "player", index, "it has no such repetition") &&
           require(c, is_within(playing[PLAYING_WEIGHT], 0.0f, LMB_LARGEST), "player", index,
                   "its weight is " IN_RANGE);
}

// Checks the state of a fade with a blend profile.
static bool check_profiled(const checker *c, uint32_t index, const uint32_t *words, uint32_t states) {
    const bool valid = words[PROFILED_FADE] <= LMB_MAX_TRANSITIONS && words[PROFILED_OVER] <= 1 &&
                       is_within(words[PROFILED_TIME], 0.0f, 1.0f) && is_within(words[PROFILED_SHARE], 0.0f, 1.0f) &&
                       are_within(words + PROFILED_ENDS, states * PROFILED_ENDS_WORDS, 0.0f, LARGEST_WEIGHT);
    return require(c, valid, "machine", index, "what its joints weigh is out of range");
}

// Checks a state's weight, and its weight when the fade began, which says whether the state is frozen.
static bool check_weights(const uint32_t *weights, uint32_t states) {
    bool valid = true;
    for (uint32_t i = 0; i < states && valid; i++, weights += MACHINE_STATE_WEIGHT_WORDS) {
        valid = is_within(weights[0], 0.0f, LARGEST_WEIGHT) &&
                is_within(weights[MACHINE_BEGAN] & ~MACHINE_FROZEN, 0.0f, LARGEST_WEIGHT);
    }
    return valid;
}

// Checks the state to which a machine travels. `table`: that of one of its states.
static bool check_travel(const checker *c, const uint32_t *table, uint32_t states) {
    if ((table[TABLE_FLAGS] & TABLE_TRAVELS) == 0) {
        return true;
    }
    const uint32_t *block = c->control->block;
    const uint32_t *travels = block + table[TABLE_TRANSITIONS + table[TABLE_TRANSITION_COUNT]];
    const uint32_t to = c->state[travels[TRAVEL_STATE]];
    return to == 0 || (to <= states &&
                       travels[TRAVEL_DESTINATIONS + (to - 1) * DESTINATION_WORDS + DESTINATION_EVENT] != CONTROL_NONE);
}

static bool check_machine(const checker *c, uint32_t index) {
    const uint32_t *block = c->control->block;
    const uint32_t *record = block + block[CONTROL_MACHINES] + index * MACHINE_WORDS;
    const uint32_t *machine = c->state + record[MACHINE_STATE];
    const uint32_t states = record[MACHINE_STATE_COUNT], fade = machine[MACHINE_FADE] - record[MACHINE_TRANSITIONS];
    const uint32_t *table = block + block[record[MACHINE_STATES] + STATE_TABLE];
    const uint32_t profiles = table[TABLE_PROFILES];
    return require(c, machine[MACHINE_CURRENT] < states, "machine", index, "there is no such state") &&
           require(c,
                   machine[MACHINE_FADE] == 0 ||
                       (fade % TRANSITION_WORDS == 0 && fade / TRANSITION_WORDS < record[MACHINE_TRANSITION_COUNT]),
                   "machine", index, "there is no such transition") &&
           require(c, check_weights(machine + MACHINE_WEIGHTS, states), "machine", index,
                   "a weight is not 0, or from 2^-40 to 1") &&
           require(c, check_travel(c, table, states), "machine", index, "it travels to no state that it can") &&
           (profiles == CONTROL_NONE ||
            check_profiled(c, index, c->state + block[profiles + PROFILES_STATE_WORDS], states));
}

// Checks the weights of root motion, which stay as they are between updates.
static bool check_motion_weights(const checker *c) {
    const uint32_t *block = c->control->block;
    const uint32_t *record = block + block[CONTROL_CHARACTER_MOTION];
    bool valid = true;
    for (uint32_t i = 0; i < record[CHARACTER_MOTION_TRACK_COUNT] && valid; i++) {
        const uint32_t *motion = block + record[CHARACTER_MOTION_TRACKS] + i * MOTION_WORDS;
        const uint32_t player = (motion[MOTION_PLAYER] - block[CONTROL_PLAYERS]) / PLAYER_WORDS;
        valid = require(c, is_within(c->state[motion[MOTION_WEIGHT]], -LMB_LARGEST, LMB_LARGEST), "player", player,
                        "its weight in root motion is " IN_RANGE);
    }
    return valid;
}

// The position may be anything. Root motion is overwritten in every frame before it is read.
static bool check_character_motion(const checker *c) {
    const uint32_t *block = c->control->block;
    const uint32_t *record = block + block[CONTROL_CHARACTER_MOTION];
    const uint32_t *moving = c->state + record[CHARACTER_MOTION_STATE];
    const bool full = record[CHARACTER_MOTION_PLACE_WORDS] == MOVING_FULL_PLACE_WORDS;
    const uint32_t end = record[CHARACTER_MOTION_PLACE_WORDS] + (full ? MOVED_FULL_WORDS : MOVED_WORDS);
    bool valid =
        !full || require(c, are_within(moving + MOVING_ORIENTATION, 4, -1.001f, 1.001f), "character motion's word",
                         MOVING_ORIENTATION, "its orientation is not a unit quaternion");
    for (uint32_t i = record[CHARACTER_MOTION_PLACE_WORDS]; i < end && valid; i++) {
        valid = require(c, is_within(moving[i], -LMB_LARGEST, LMB_LARGEST), "character motion's word", i, IN_RANGE);
    }
    const uint32_t remaining = record[CHARACTER_MOTION_REMAINING];
    for (uint32_t i = 0; remaining != CONTROL_NONE && i < REMAINING_WORDS && valid; i++) {
        const uint32_t word = c->state[remaining + i];
        valid = require(c, i == REMAINING_SWITCHED ? word <= 1 : is_within(word, -2097152.0f, 2097152.0f),
                        "remaining velocity's word", i, IN_RANGE);
    }
    return valid;
}

static bool check_update_phase(const checker *c) {
    return require(c, c->state[CHARACTER_UPDATE_PHASE] - 1u < UPDATE_PHASES, "word", CHARACTER_UPDATE_PHASE,
                   "there is no such phase of updates");
}

// A trigger waits or does not; a draw may be anything.
static bool check_triggers(const checker *c) {
    const uint32_t *block = c->control->block;
    bool valid = true;
    for (uint32_t i = CHARACTER_WORDS; lmb_control_decides(c->control) && i < block[CONTROL_DRAWS] && valid; i++) {
        valid = require(c, c->state[i] <= 1, "word", i, "a trigger is 0 or 1");
    }
    return valid;
}

// Before its first frame a character may have been placed, and have a phase of updates and seeds.
static bool check_not_begun(const checker *c) {
    const lmb_word_range placed = c->info->motion_words, seeds = c->info->seed_words;
    bool valid = true;
    for (uint32_t i = 0; i < c->control->state_words && valid; i++) {
        const bool may_be_set =
            i - placed.first < placed.count || i == CHARACTER_UPDATE_PHASE || i - seeds.first < seeds.count;
        valid = require(c, c->state[i] == 0 || may_be_set, "word", i, "it has not begun, and not all is 0");
    }
    return valid && (c->state[CHARACTER_UPDATE_PHASE] == 0 || check_update_phase(c)) &&
           (placed.count == 0 || check_character_motion(c));
}

static bool check_inertia(const checker *c) {
    const uint32_t *block = c->control->block;
    const uint32_t *words = c->state + block[block[CONTROL_INERTIA] + INERTIAL_STATE];
    const float longest = (float)LONGEST_WAIT / (float)LMB_TICKS_PER_SECOND;
    const struct {
        uint32_t word;
        bool valid;
    } rows[] = {
        {INERTIAL_NUMBER, words[INERTIAL_NUMBER] <= INERTIA_LAST_NUMBER},
        {INERTIAL_SWITCHED, words[INERTIAL_SWITCHED] <= INERTIA_LAST_NUMBER},
        {INERTIAL_STEP, is_within(words[INERTIAL_STEP], 0.0f, longest)},
        {INERTIAL_STEP_BEFORE, is_within(words[INERTIAL_STEP_BEFORE], 0.0f, longest)},
        {INERTIAL_DURATION, is_within(words[INERTIAL_DURATION], 0.0f, LMB_MAX_CONTROL_SECONDS)},
        {INERTIAL_TIME, wide(words + INERTIAL_TIME) <= lmb_control_fine(LMB_MAX_CONTROL_SECONDS + longest)},
    };
    bool valid = true;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && valid; i++) {
        valid = require(c, rows[i].valid, "inertia's word", rows[i].word, "out of range");
    }
    return valid;
}

_Static_assert(MATCHED_VELOCITY == MATCHED_MOVING + 4, "floats beside each other");

// Returns whether a search may find a choice.
static bool is_choice(const uint32_t *record, uint32_t choice) {
    const bool is_mirrored = choice >= MATCH_MIRRORED;
    const uint32_t row = is_mirrored ? choice - MATCH_MIRRORED : choice;
    return row < record[MATCHING_FOUND_COUNT] && (!is_mirrored || record[MATCHING_MIRRORED] != CONTROL_NONE);
}

// Checks what a matching has found and chosen: rows of its database. Every search ends within its frame.
static bool check_matching(const checker *c, uint32_t index) {
    const uint32_t *block = c->control->block;
    const uint32_t *record = block + block[CONTROL_MATCHINGS] + index * MATCHING_WORDS;
    const uint32_t *matched = c->state + record[MATCHING_STATE];
    const uint32_t found = matched[MATCHED_FOUND];
    bool valid = (found == 0 || is_choice(record, found - 1)) && matched[MATCHED_BEGUN] <= 1 &&
                 matched[MATCHED_MIRRORED] <= (record[MATCHING_MIRRORED] != CONTROL_NONE ? 1u : 0u);
    for (uint32_t i = 0; i < MOST_RECENT; i++) {
        valid = valid && matched[MATCHED_RECENT + i * MATCHED_RECENT_WORDS] <= record[MATCHING_ROW_COUNT];
    }
    return require(c, valid, "matching", index, "there is no such row") &&
           require(c, are_within(matched + MATCHED_MOVING, 6, -LMB_LARGEST, LMB_LARGEST), "matching", index,
                   "a velocity is " IN_RANGE);
}

static bool check_matchings(const checker *c) {
    const uint32_t *block = c->control->block;
    const uint32_t count = (block[CONTROL_FLAGS] & CONTROL_MATCHES) != 0 ? block[CONTROL_MATCHING_COUNT] : 0;
    bool valid = true;
    for (uint32_t i = 0; i < count && valid; i++) {
        valid = check_matching(c, i);
    }
    return valid;
}

static bool check_begun(const checker *c) {
    const uint32_t *block = c->control->block;
    bool valid = require(c, c->state[CHARACTER_BEGUN] == 1 && wide(c->state + CHARACTER_WAITING) <= LONGEST_WAIT,
                         "word", CHARACTER_BEGUN, "it waits for too long, or neither has begun nor has not") &&
                 check_update_phase(c) && check_triggers(c);
    for (uint32_t i = 0; i < block[CONTROL_SMOOTHED_COUNT] && valid; i++) {
        const uint32_t at = block[block[CONTROL_SMOOTHED] + i * SMOOTHED_WORDS + SMOOTHED_STATE];
        valid = require(c, is_within(c->state[at], -LMB_LARGEST, LMB_LARGEST), "smoothed parameter", i, IN_RANGE);
    }
    for (uint32_t i = 0; i < block[CONTROL_PLAYER_COUNT] && valid; i++) {
        valid = check_player(c, i);
    }
    for (uint32_t i = 0; i < block[CONTROL_MACHINE_COUNT] && valid; i++) {
        valid = check_machine(c, i);
    }
    valid = valid && check_matchings(c);
    const bool moves = block[CONTROL_CHARACTER_MOTION] != CONTROL_NONE;
    return valid && (!moves || (check_character_motion(c) && check_motion_weights(c))) &&
           (block[CONTROL_INERTIA] == CONTROL_NONE || check_inertia(c));
}

lmb_result lmb_state_check(const lmb_graph *graph, const uint32_t *states, uint32_t count, lmb_error *error) {
    static const uint32_t none[1];
    const char *missing = lmb_control_missing(graph, count > 0 ? states : none);
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "control: states: %s", missing);
    }
    const lmb_control *control = graph->control;
    lmb_error unread;
    error = error != NULL ? error : &unread;
    bool valid = true;
    for (uint32_t i = 0; i < count && valid; i++) {
        const checker c = {&graph->info, control, states + (size_t)i * control->state_words, i, error};
        valid = c.state[CHARACTER_BEGUN] == 0 ? check_not_begun(&c) : check_begun(&c);
    }
    return valid ? LMB_OK : error->result;
}
