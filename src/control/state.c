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
    const uint32_t *record = block + block[FIELD(CONTROL, players)] + index * WORDS_OF(PLAYER);
    const uint32_t *playing = c->state + record[FIELD(PLAYER, state)];
    const uint64_t duration = wide(record + FIELD(PLAYER, duration)), place = wide(playing + FIELD(PLAYING, place));
    const uint32_t ended = playing[FIELD(PLAYING, flags)] >> PLAYING_ENDED_SHIFT;
    const uint64_t waited =
        record[FIELD(PLAYER, waited)] != CONTROL_NONE ? wide(c->state + record[FIELD(PLAYER, waited)]) : 0;
    const bool turns = record[FIELD(PLAYER, end)] == PLAYER_TURNS;
    const uint32_t flags =
        PLAYING_ENDED | PLAYING_PASSED | PLAYING_PASSED_IN_FRAME | (turns && place == 0 ? PLAYING_TURNED : 0);
    return require(c, place <= (turns ? 2 * duration : duration), "player", index, "it is past its clip") &&
           require(c, (playing[FIELD(PLAYING, flags)] & ~flags & ((1u << PLAYING_ENDED_SHIFT) - 1)) == 0, "player",
                   index, "there are no such flags") &&
           require(c, waited <= wide(record + FIELD(PLAYER, delay)), "player", index,
                   "it waits for longer than its delay") &&
           require(c, ended <= record[FIELD(PLAYER, repetitions)], "player", index, "it has no such repetition") &&
           require(c, is_within(playing[FIELD(PLAYING, weight)], 0.0f, LMB_LARGEST), "player", index,
                   "its weight is " IN_RANGE);
}

// Checks the state of a fade with a blend profile.
static bool check_profiled(const checker *c, uint32_t index, const uint32_t *words, uint32_t states) {
    const bool valid = words[FIELD(PROFILED, fade)] <= LMB_MAX_TRANSITIONS && words[FIELD(PROFILED, over)] <= 1 &&
                       is_within(words[FIELD(PROFILED, time)], 0.0f, 1.0f) &&
                       is_within(words[FIELD(PROFILED, share)], 0.0f, 1.0f) &&
                       are_within(words + WORDS_OF(PROFILED), states * WORDS_OF(PROFILED_END), 0.0f, LARGEST_WEIGHT);
    return require(c, valid, "machine", index, "what its joints weigh is out of range");
}

// Checks a state's weight, and its weight when the fade began, which says whether the state is frozen.
static bool check_weights(const uint32_t *weights, uint32_t states) {
    bool valid = true;
    for (uint32_t i = 0; i < states && valid; i++, weights += WORDS_OF(STATE_WEIGHT)) {
        valid = is_within(weights[0], 0.0f, LARGEST_WEIGHT) &&
                is_within(weights[FIELD(STATE_WEIGHT, began)] & ~MACHINE_FROZEN, 0.0f, LARGEST_WEIGHT);
    }
    return valid;
}

// Checks the state to which a machine travels. `table`: that of one of its states.
static bool check_travel(const checker *c, const uint32_t *table, uint32_t states) {
    if ((table[FIELD(TABLE, flags)] & TABLE_TRAVELS) == 0) {
        return true;
    }
    const uint32_t *block = c->control->block;
    const uint32_t *travels = block + table[WORDS_OF(TABLE) + table[FIELD(TABLE, transition_count)]];
    const uint32_t to = c->state[travels[FIELD(TRAVEL, state)]];
    return to == 0 ||
           (to <= states &&
            travels[WORDS_OF(TRAVEL) + (to - 1) * WORDS_OF(DESTINATION) + FIELD(DESTINATION, event)] != CONTROL_NONE);
}

static bool check_machine(const checker *c, uint32_t index) {
    const uint32_t *block = c->control->block;
    const uint32_t *record = block + block[FIELD(CONTROL, machines)] + index * WORDS_OF(MACHINE);
    const uint32_t *machine = c->state + record[FIELD(MACHINE, state)];
    const uint32_t states = record[FIELD(MACHINE, state_count)],
                   fade = machine[FIELD(MACHINE_NOW, fade)] - record[FIELD(MACHINE, transitions)];
    const uint32_t *table = block + block[record[FIELD(MACHINE, states)] + FIELD(STATE, table)];
    const uint32_t profiles = table[FIELD(TABLE, profiles)];
    return require(c, machine[FIELD(MACHINE_NOW, current)] < states, "machine", index, "there is no such state") &&
           require(c,
                   machine[FIELD(MACHINE_NOW, fade)] == 0 ||
                       (fade % WORDS_OF(TRANSITION) == 0 &&
                        fade / WORDS_OF(TRANSITION) < record[FIELD(MACHINE, transition_count)]),
                   "machine", index, "there is no such transition") &&
           require(c, check_weights(machine + WORDS_OF(MACHINE_NOW), states), "machine", index,
                   "a weight is not 0, or from 2^-40 to 1") &&
           require(c, check_travel(c, table, states), "machine", index, "it travels to no state that it can") &&
           (profiles == CONTROL_NONE ||
            check_profiled(c, index, c->state + block[profiles + FIELD(MACHINE_PROFILES, state)], states));
}

// Checks the weights of root motion, which stay as they are between updates.
static bool check_motion_weights(const checker *c) {
    const uint32_t *block = c->control->block;
    const uint32_t *record = block + block[FIELD(CONTROL, character_motion)];
    bool valid = true;
    for (uint32_t i = 0; i < record[FIELD(CHARACTER_MOTION, track_count)] && valid; i++) {
        const uint32_t *motion = block + record[FIELD(CHARACTER_MOTION, tracks)] + i * WORDS_OF(MOTION);
        const uint32_t player = (motion[FIELD(MOTION, player)] - block[FIELD(CONTROL, players)]) / WORDS_OF(PLAYER);
        valid = require(c, is_within(c->state[motion[FIELD(MOTION, weight)]], -LMB_LARGEST, LMB_LARGEST), "player",
                        player, "its weight in root motion is " IN_RANGE);
    }
    return valid;
}

// The position may be anything. Root motion is overwritten in every frame before it is read.
static bool check_character_motion(const checker *c) {
    const uint32_t *block = c->control->block;
    const uint32_t *record = block + block[FIELD(CONTROL, character_motion)];
    const uint32_t *moving = c->state + record[FIELD(CHARACTER_MOTION, state)];
    const bool full = record[FIELD(CHARACTER_MOTION, place_words)] == WORDS_OF(MOVING_FULLY);
    const uint32_t end =
        record[FIELD(CHARACTER_MOTION, place_words)] + (full ? WORDS_OF(MOVED_FULLY) : WORDS_OF(MOVED));
    bool valid = !full || require(c, are_within(moving + FIELD(MOVING_FULLY, orientation), 4, -1.001f, 1.001f),
                                  "character motion's word", FIELD(MOVING_FULLY, orientation),
                                  "its orientation is not a unit quaternion");
    for (uint32_t i = record[FIELD(CHARACTER_MOTION, place_words)]; i < end && valid; i++) {
        valid = require(c, is_within(moving[i], -LMB_LARGEST, LMB_LARGEST), "character motion's word", i, IN_RANGE);
    }
    const uint32_t remaining = record[FIELD(CHARACTER_MOTION, remaining)];
    for (uint32_t i = 0; remaining != CONTROL_NONE && i < WORDS_OF(REMAINING) && valid; i++) {
        const uint32_t word = c->state[remaining + i];
        valid = require(c, i == FIELD(REMAINING, switched) ? word <= 1 : is_within(word, -2097152.0f, 2097152.0f),
                        "remaining velocity's word", i, IN_RANGE);
    }
    return valid;
}

static bool check_update_phase(const checker *c) {
    return require(c, c->state[FIELD(CHARACTER, update_phase)] - 1u < UPDATE_PHASES, "word",
                   FIELD(CHARACTER, update_phase), "there is no such phase of updates");
}

// A trigger waits or does not; a draw may be anything.
static bool check_triggers(const checker *c) {
    const uint32_t *block = c->control->block;
    bool valid = true;
    for (uint32_t i = WORDS_OF(CHARACTER); lmb_control_decides(c->control) && i < block[FIELD(CONTROL, draws)] && valid;
         i++) {
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
            i - placed.first < placed.count || i == FIELD(CHARACTER, update_phase) || i - seeds.first < seeds.count;
        valid = require(c, c->state[i] == 0 || may_be_set, "word", i, "it has not begun, and not all is 0");
    }
    return valid && (c->state[FIELD(CHARACTER, update_phase)] == 0 || check_update_phase(c)) &&
           (placed.count == 0 || check_character_motion(c));
}

static bool check_inertia(const checker *c) {
    const uint32_t *block = c->control->block;
    const uint32_t *words = c->state + block[block[FIELD(CONTROL, inertia)] + FIELD(INERTIALIZED, state)];
    const float longest = (float)LONGEST_WAIT / (float)LMB_TICKS_PER_SECOND;
    const struct {
        uint32_t word;
        bool valid;
    } rows[] = {
        {FIELD(INERTIAL, number), words[FIELD(INERTIAL, number)] <= INERTIA_LAST_NUMBER},
        {FIELD(INERTIAL, switched), words[FIELD(INERTIAL, switched)] <= INERTIA_LAST_NUMBER},
        {FIELD(INERTIAL, step), is_within(words[FIELD(INERTIAL, step)], 0.0f, longest)},
        {FIELD(INERTIAL, step_before), is_within(words[FIELD(INERTIAL, step_before)], 0.0f, longest)},
        {FIELD(INERTIAL, duration), is_within(words[FIELD(INERTIAL, duration)], 0.0f, LMB_MAX_CONTROL_SECONDS)},
        {FIELD(INERTIAL, time),
         wide(words + FIELD(INERTIAL, time)) <= lmb_control_fine(LMB_MAX_CONTROL_SECONDS + longest)},
    };
    bool valid = true;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && valid; i++) {
        valid = require(c, rows[i].valid, "inertia's word", rows[i].word, "out of range");
    }
    return valid;
}

_Static_assert(FIELD(MATCHED, velocity) == FIELD(MATCHED, moving) + 4, "floats beside each other");

// Returns whether a search may find a choice.
static bool is_choice(const uint32_t *record, uint32_t choice) {
    const bool is_mirrored = choice >= MATCH_MIRRORED;
    const uint32_t row = is_mirrored ? choice - MATCH_MIRRORED : choice;
    return row < record[FIELD(MATCHING, found_count)] &&
           (!is_mirrored || record[FIELD(MATCHING, mirrored)] != CONTROL_NONE);
}

// Checks what a matching has found and chosen: rows of its database. Every search ends within its frame.
static bool check_matching(const checker *c, uint32_t index) {
    const uint32_t *block = c->control->block;
    const uint32_t *record = block + block[FIELD(CONTROL, matchings)] + index * WORDS_OF(MATCHING);
    const uint32_t *matched = c->state + record[FIELD(MATCHING, state)];
    const uint32_t found = matched[FIELD(MATCHED, found)];
    bool valid = (found == 0 || is_choice(record, found - 1)) && matched[FIELD(MATCHED, begun)] <= 1 &&
                 matched[FIELD(MATCHED, mirrored)] <= (record[FIELD(MATCHING, mirrored)] != CONTROL_NONE ? 1u : 0u);
    for (uint32_t i = 0; i < MOST_RECENT; i++) {
        valid = valid && matched[WORDS_OF(MATCHED) + i * WORDS_OF(RECENT)] <= record[FIELD(MATCHING, row_count)];
    }
    return require(c, valid, "matching", index, "there is no such row") &&
           require(c, are_within(matched + FIELD(MATCHED, moving), 6, -LMB_LARGEST, LMB_LARGEST), "matching", index,
                   "a velocity is " IN_RANGE);
}

static bool check_matchings(const checker *c) {
    const uint32_t *block = c->control->block;
    const uint32_t count =
        (block[FIELD(CONTROL, flags)] & CONTROL_MATCHES) != 0 ? block[FIELD(CONTROL, matching_count)] : 0;
    bool valid = true;
    for (uint32_t i = 0; i < count && valid; i++) {
        valid = check_matching(c, i);
    }
    return valid;
}

static bool check_begun(const checker *c) {
    const uint32_t *block = c->control->block;
    bool valid =
        require(c, c->state[FIELD(CHARACTER, begun)] == 1 && wide(c->state + FIELD(CHARACTER, waiting)) <= LONGEST_WAIT,
                "word", FIELD(CHARACTER, begun), "it waits for too long, or neither has begun nor has not") &&
        check_update_phase(c) && check_triggers(c);
    for (uint32_t i = 0; i < block[FIELD(CONTROL, smoothed_count)] && valid; i++) {
        const uint32_t at = block[block[FIELD(CONTROL, smoothed)] + i * WORDS_OF(SMOOTHED) + FIELD(SMOOTHED, state)];
        valid = require(c, is_within(c->state[at], -LMB_LARGEST, LMB_LARGEST), "smoothed parameter", i, IN_RANGE);
    }
    for (uint32_t i = 0; i < block[FIELD(CONTROL, player_count)] && valid; i++) {
        valid = check_player(c, i);
    }
    for (uint32_t i = 0; i < block[FIELD(CONTROL, machine_count)] && valid; i++) {
        valid = check_machine(c, i);
    }
    valid = valid && check_matchings(c);
    const bool moves = block[FIELD(CONTROL, character_motion)] != CONTROL_NONE;
    return valid && (!moves || (check_character_motion(c) && check_motion_weights(c))) &&
           (block[FIELD(CONTROL, inertia)] == CONTROL_NONE || check_inertia(c));
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
        valid = c.state[FIELD(CHARACTER, begun)] == 0 ? check_not_begun(&c) : check_begun(&c);
    }
    return valid ? LMB_OK : error->result;
}
