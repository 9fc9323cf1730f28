#include "control.h"

#include "number.h"

#include "../shaders/ops/layout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The writers of parameters, in the order in which they write within a frame. A computed parameter counts as written by
// the last writer of its inputs, but not earlier than BY_SMOOTHED.
enum { BY_HOST, BY_SMOOTHED, BY_CHARACTER_MOTION, BY_MACHINE, BY_REST };

typedef struct checker {
    const lmb_control_def *def;
    lmb_error *error;
    uint8_t writers[LMB_MAX_PARAMETERS];
} checker;

// The subject of a check, for messages: "machine 2: transition 4".
typedef struct place {
    const char *what;
    uint32_t index;
    const char *part; // or NULL
    uint32_t part_index;
} place;

// Prints "control: player 3", or the node or fade that the player or machine was made from.
static void print_place(const lmb_control_def *def, place at, char text[64]) {
    const bool is_player = strcmp(at.what, "player") == 0, is_machine = strcmp(at.what, "machine") == 0;
    if (is_player && def->player_nodes != NULL) {
        snprintf(text, 64, "graph: node %u (clip): player", (unsigned)def->player_nodes[at.index]);
    } else if (is_machine && def->machine_origins != NULL) {
        const lmb_control_origin *origin = &def->machine_origins[at.index];
        const bool is_fade = origin->node == LMB_NONE;
        snprintf(text, 64, is_fade ? "graph: fade %u" : "graph: node %u (machine)",
                 (unsigned)(is_fade ? origin->fade : origin->node));
    } else {
        snprintf(text, 64, "control: %s %u", at.what, (unsigned)at.index);
    }
}

static lmb_result fail_at(const checker *c, place at, const char *field, const char *why) {
    char text[64];
    print_place(c->def, at, text);
    if (at.part != NULL) {
        return lmb_fail(c->error, LMB_ERROR_ARGUMENT, "%s: %s %u: %s: %s", text, at.part, (unsigned)at.part_index,
                        field, why);
    }
    return lmb_fail(c->error, LMB_ERROR_ARGUMENT, "%s: %s: %s", text, field, why);
}

static lmb_result check_count(const checker *c, const char *what, const void *list, uint32_t count, uint32_t most) {
    if (count > 0 && list == NULL) {
        return lmb_fail(c->error, LMB_ERROR_ARGUMENT, "control: the %s are NULL", what);
    }
    if (count > most) {
        return lmb_fail(c->error, LMB_ERROR_LIMIT, "control: %u %s, and at most %u are possible", (unsigned)count, what,
                        (unsigned)most);
    }
    return LMB_OK;
}

static lmb_result check_part_count(const checker *c, place at, const char *what, const void *list, uint32_t count,
                                   uint32_t most) {
    if (count > 0 && list == NULL) {
        return fail_at(c, at, what, "they are NULL");
    }
    return count <= most ? LMB_OK : fail_at(c, at, what, "there are too many");
}

static lmb_result check_value(const checker *c, place at, const char *field, lmb_value value) {
    const char *fault = lmb_value_fault(value, c->def->parameter_count);
    if (fault == NULL && value.kind == LMB_VALUE_PARAMETER && c->writers[value.parameter] > BY_CHARACTER_MOTION) {
        fault = "reads a parameter that a player, a group or a machine writes, or that is computed from one";
    }
    return fault == NULL ? LMB_OK : fail_at(c, at, field, fault);
}

// Checks a value that is needed before the character motion.
static lmb_result check_early_value(const checker *c, place at, const char *field, lmb_value value) {
    const lmb_result result = check_value(c, at, field, value);
    return result == LMB_OK && value.kind == LMB_VALUE_PARAMETER && c->writers[value.parameter] == BY_CHARACTER_MOTION
               ? fail_at(c, at, field, "reads what the character motion writes")
               : result;
}

// Checks that a value does not read a parameter that is computed at index `first` or later.
static lmb_result check_not_computed(const checker *c, place at, const char *field, lmb_value value, uint32_t first) {
    for (uint32_t i = first; i < c->def->computed_count && value.kind == LMB_VALUE_PARAMETER; i++) {
        if (c->def->computed[i].parameter == value.parameter) {
            return fail_at(c, at, field, "reads a parameter that is computed after it");
        }
    }
    return LMB_OK;
}

static lmb_result check_seconds(const checker *c, place at, const char *field, float seconds, float most) {
    return seconds >= 0.0f && seconds <= most ? LMB_OK : fail_at(c, at, field, "out of range");
}

static lmb_result check_event(const checker *c, place at, const char *field, uint32_t event) {
    return event == LMB_NONE || event < c->def->event_count ? LMB_OK : fail_at(c, at, field, "there is no such event");
}

static lmb_result claim_parameter(checker *c, place at, const char *field, uint32_t parameter, uint8_t writer) {
    if (parameter == LMB_NONE) {
        return LMB_OK;
    }
    if (parameter >= c->def->parameter_count) {
        return fail_at(c, at, field, "there is no such parameter");
    }
    if (c->writers[parameter] != BY_HOST) {
        return fail_at(c, at, field, "something else writes this parameter");
    }
    c->writers[parameter] = writer;
    return LMB_OK;
}

// Runs before values are checked, so that their reads of these parameters can be reported.
static lmb_result claim_parameters(checker *c) {
    const lmb_control_def *def = c->def;
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; i < def->player_count && result == LMB_OK; i++) {
        const place at = {.what = "player", .index = i};
        result = claim_parameter(c, at, "time_parameter", def->players[i].time_parameter, BY_REST);
        if (result == LMB_OK) {
            result = claim_parameter(c, at, "weight_parameter", def->players[i].weight_parameter, BY_MACHINE);
        }
    }
    for (uint32_t i = 0; i < def->group_count && result == LMB_OK; i++) {
        const place at = {.what = "group", .index = i};
        result = claim_parameter(c, at, "velocity_parameter", def->groups[i].velocity_parameter, BY_REST);
    }
    for (uint32_t i = 0; i < def->machine_count && result == LMB_OK; i++) {
        const lmb_control_machine_def *machine = &def->machines[i];
        place at = {.what = "machine", .index = i};
        result = check_part_count(c, at, "states", machine->states, machine->state_count, LMB_MAX_STATES);
        at.part = "state";
        for (uint32_t j = 0; j < machine->state_count && result == LMB_OK; j++) {
            at.part_index = j;
            result = claim_parameter(c, at, "weight_parameter", machine->states[j].weight_parameter, BY_MACHINE);
        }
        at.part = NULL;
        if (result == LMB_OK) {
            result = check_part_count(c, at, "transitions", machine->transitions, machine->transition_count,
                                      LMB_MAX_TRANSITIONS);
        }
        const bool profiled = result == LMB_OK && lmb_control_profile_count(machine) > 0;
        for (uint32_t j = 0; j < PROFILED_NUMBERS(machine->state_count) && profiled && result == LMB_OK; j++) {
            result = machine->profile_parameter < def->parameter_count
                         ? claim_parameter(c, at, "profile_parameter", machine->profile_parameter + j, BY_MACHINE)
                         : fail_at(c, at, "profile_parameter", "there is no such parameter");
        }
    }
    for (uint32_t i = 0; i < LMB_INERTIA_PARAMETERS && def->inertialize && result == LMB_OK; i++) {
        const place at = {.what = "inertia parameter", .index = i};
        const uint32_t first = def->inertia_parameters;
        result = first < def->parameter_count ? claim_parameter(c, at, "inertia_parameters", first + i, BY_REST)
                                              : fail_at(c, at, "inertia_parameters", "there is no such parameter");
    }
    for (uint32_t i = 0; i < 3 && def->motion != NULL && result == LMB_OK; i++) {
        const place at = {.what = "character motion", .index = 0};
        result =
            claim_parameter(c, at, "velocity_parameters", def->motion->velocity_parameters[i], BY_CHARACTER_MOTION);
    }
    return result;
}

static lmb_result check_smoothed(checker *c) {
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; i < c->def->smoothed_count && result == LMB_OK; i++) {
        const lmb_smoothed_def *smoothed = &c->def->smoothed[i];
        const place at = {.what = "smoothed parameter", .index = i};
        result = check_early_value(c, at, "source", smoothed->source);
        // Otherwise CPU and GPU could differ: one would read the value of the frame before, the other the host's.
        for (uint32_t j = i; j < c->def->smoothed_count && result == LMB_OK; j++) {
            if (smoothed->source.kind == LMB_VALUE_PARAMETER &&
                smoothed->source.parameter == c->def->smoothed[j].parameter) {
                result = fail_at(c, at, "source", "reads what this smoothed parameter or a later one writes");
            }
        }
        if (result == LMB_OK) {
            result = check_not_computed(c, at, "source", smoothed->source, 0);
        }
        if (result == LMB_OK) {
            result = check_seconds(c, at, "half_life", smoothed->half_life, LMB_MAX_CONTROL_SECONDS);
        }
        if (result == LMB_OK && smoothed->parameter == LMB_NONE) {
            result = fail_at(c, at, "parameter", "there is none");
        }
        if (result == LMB_OK) {
            result = claim_parameter(c, at, "parameter", smoothed->parameter, BY_SMOOTHED);
        }
    }
    return result;
}

static lmb_result check_computed(checker *c) {
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; i < c->def->computed_count && result == LMB_OK; i++) {
        const lmb_computed_def *computed = &c->def->computed[i];
        const place at = {.what = "computed parameter", .index = i};
        uint8_t writer = BY_SMOOTHED;
        if ((unsigned)computed->kind >= LMB_COMPUTED_COUNT) {
            return fail_at(c, at, "kind", "unknown");
        }
        for (uint32_t j = 0; j < lmb_computed_input_count(computed->kind) && result == LMB_OK; j++) {
            const lmb_value input = computed->inputs[j];
            const char *fault = lmb_value_fault(input, c->def->parameter_count);
            const uint8_t read =
                fault == NULL && input.kind == LMB_VALUE_PARAMETER ? c->writers[input.parameter] : BY_HOST;
            if (read == BY_REST) {
                fault = "reads a time or a velocity that a player or a group writes";
            }
            result = fault != NULL ? fail_at(c, at, "inputs", fault) : check_not_computed(c, at, "inputs", input, i);
            writer = read > writer ? read : writer;
        }
        if (result == LMB_OK && computed->parameter == LMB_NONE) {
            result = fail_at(c, at, "parameter", "there is none");
        }
        if (result == LMB_OK) {
            result = claim_parameter(c, at, "parameter", computed->parameter, writer);
        }
    }
    return result;
}

// Checks that a limit is 0, or in the range in which it has an effect within a frame.
static lmb_result check_limit(const checker *c, place at, const char *field, float limit) {
    return limit == 0.0f || (limit >= 1e-6f && limit <= 1048576.0f)
               ? LMB_OK
               : fail_at(c, at, field, "neither 0 nor 1e-6 to 2^20");
}

static lmb_result check_character_motion(const checker *c) {
    const lmb_motion_def *character_motion = c->def->motion;
    const place at = {.what = "character motion", .index = 0};
    if (character_motion == NULL) {
        return LMB_OK;
    }
    lmb_result result = check_limit(c, at, "acceleration", character_motion->acceleration);
    if (result == LMB_OK) {
        result = check_limit(c, at, "deceleration", character_motion->deceleration);
    }
    if (result == LMB_OK) {
        result = check_limit(c, at, "turn_rate", character_motion->turn_rate);
    }
    if (result == LMB_OK) {
        result = check_early_value(c, at, "heading", character_motion->heading);
    }
    for (uint32_t i = 0; i < 3 && result == LMB_OK; i++) {
        result = check_early_value(c, at, "velocity", character_motion->velocity[i]);
    }
    return result;
}

// Checks an owning state: a state of a machine before `machine_count`, or none.
static lmb_result check_owner(const checker *c, place at, uint32_t machine, uint32_t state, uint32_t machine_count) {
    if (machine == LMB_NONE) {
        return LMB_OK;
    }
    if (machine >= machine_count) {
        return fail_at(c, at, "machine", "there is no such machine before it");
    }
    return state < c->def->machines[machine].state_count ? LMB_OK : fail_at(c, at, "state", "there is no such state");
}

static lmb_result check_marks(const checker *c, place at, const lmb_control_player_def *player) {
    lmb_result result = check_part_count(c, at, "markers", player->markers, player->marker_count, LMB_MAX_MARKERS);
    for (uint32_t i = 0; i < player->marker_count && result == LMB_OK; i++) {
        float time = player->markers[i];
        if (!(time >= 0.0f && time < player->duration) || (i > 0 && time <= player->markers[i - 1])) {
            result = fail_at(c, at, "markers", "they are not ascending within the duration");
        }
    }
    if (result == LMB_OK) {
        result = check_part_count(c, at, "notifies", player->notifies, player->notify_count, LMB_MAX_NOTIFIES);
    }
    for (uint32_t i = 0; i < player->notify_count && result == LMB_OK; i++) {
        float time = player->notifies[i].time;
        if (!(time >= 0.0f && time <= player->duration) || (i > 0 && time < player->notifies[i - 1].time)) {
            result = fail_at(c, at, "notifies", "they are not in order within the duration");
        } else if (player->notifies[i].event >= c->def->event_count) {
            result = fail_at(c, at, "notifies", "there is no such event");
        }
    }
    return result;
}

static lmb_result check_motion(const checker *c, place at, const lmb_motion_track *motion) {
    if (motion->keys == NULL || motion->key_count < 2 || motion->key_count > LMB_MAX_MOTION_KEYS) {
        return fail_at(c, at, "motion", motion->keys == NULL ? "the keys are NULL" : "2 to 65,536 keys are possible");
    }
    for (size_t i = 0; i < (size_t)motion->key_count * 4; i++) {
        if (!(fabsf(motion->keys[i]) <= LMB_MAX_MOTION)) {
            return fail_at(c, at, "motion", "a number is not finite, or beyond 2^20");
        }
    }
    return LMB_OK;
}

static lmb_result check_player(const checker *c, uint32_t index) {
    const lmb_control_player_def *player = &c->def->players[index];
    const place at = {.what = "player", .index = index};
    lmb_result result = check_seconds(c, at, "duration", player->duration, LMB_MAX_CONTROL_SECONDS);
    if (result == LMB_OK) {
        result = check_value(c, at, "rate", player->rate);
    }
    if (result == LMB_OK) {
        result = check_seconds(c, at, "offset", player->offset, player->duration);
    }
    if (result == LMB_OK && (unsigned)player->end >= LMB_END_COUNT) {
        result = fail_at(c, at, "end", "unknown");
    }
    if (result == LMB_OK) {
        result = check_event(c, at, "ended_event", player->ended_event);
    }
    if (result == LMB_OK) {
        result = check_event(c, at, "looped_event", player->looped_event);
    }
    if (result == LMB_OK) {
        result = check_owner(c, at, player->machine, player->state, c->def->machine_count);
    }
    if (result == LMB_OK && !(fabsf(player->velocity) <= LMB_LARGEST)) {
        result = fail_at(c, at, "velocity", "not a finite number up to 2^40");
    }
    if (result == LMB_OK && player->motion != NULL) {
        result = check_motion(c, at, player->motion);
    }
    return result == LMB_OK ? check_marks(c, at, player) : result;
}

static uint32_t count_markers(const lmb_control_player_def *player) {
    return player->marker_count > 0 ? player->marker_count : 1;
}

static lmb_result check_member(const checker *c, uint32_t group, uint32_t index) {
    const lmb_control_group_def *def = &c->def->groups[group];
    const place at = {.what = "group", .index = group, .part = "place", .part_index = index};
    const uint32_t number = def->players[index];
    if (number >= c->def->player_count) {
        return fail_at(c, at, "player", "there is no such player");
    }
    const lmb_control_player_def *player = &c->def->players[number];
    if (player->end != LMB_END_LOOP || !(player->duration > 0.0f)) {
        return fail_at(c, at, "player", "it does not loop, or its duration is 0");
    }
    if (count_markers(player) != count_markers(&c->def->players[def->players[0]])) {
        return fail_at(c, at, "player", "it has not as many markers as the first");
    }
    for (uint32_t i = 0; i <= group; i++) {
        uint32_t count = i < group ? c->def->groups[i].player_count : index;
        for (uint32_t j = 0; j < count; j++) {
            if (c->def->groups[i].players[j] == number) {
                return fail_at(c, at, "player", "it has a place already");
            }
        }
    }
    return def->cadence != LMB_CADENCE_VELOCITY || lmb_player_velocity(player) != 0.0f
               ? LMB_OK
               : fail_at(c, at, "player", "it has no velocity for the group's cadence");
}

static lmb_result check_group(const checker *c, uint32_t index) {
    const lmb_control_group_def *group = &c->def->groups[index];
    const place at = {.what = "group", .index = index};
    lmb_result result = check_part_count(c, at, "players", group->players, group->player_count, LMB_MAX_PLAYERS);
    if (result == LMB_OK && group->player_count == 0) {
        result = fail_at(c, at, "players", "there are none");
    }
    if (result == LMB_OK) {
        result = check_value(c, at, "rate", group->rate);
    }
    if (result == LMB_OK && (unsigned)group->cadence >= LMB_CADENCE_COUNT) {
        result = fail_at(c, at, "cadence", "unknown");
    }
    for (uint32_t i = 0; i < group->player_count && result == LMB_OK; i++) {
        result = check_member(c, index, i);
    }
    return result;
}

// Checks a term on a clip's phase or remaining time.
static lmb_result check_place(const checker *c, place at, const lmb_term *term) {
    if ((unsigned)term->operand >= LMB_OPERAND_COUNT) {
        return fail_at(c, at, "terms: operand", "unknown");
    }
    if (term->player_node >= c->def->player_count) {
        return fail_at(c, at, "terms: player_node", "there is no such player");
    }
    const char *fault = lmb_value_fault(term->right, c->def->parameter_count);
    if (fault == NULL && term->right.kind == LMB_VALUE_PARAMETER) {
        fault = "a clip's phase or remaining time is compared with a constant";
    }
    if (fault == NULL) {
        const float most = term->operand == LMB_OPERAND_PHASE ? 1.0f : c->def->players[term->player_node].duration;
        const float right = lmb_value_at(term->right, NULL);
        fault = right >= 0.0f && right <= most ? NULL : "out of range";
    }
    return fault == NULL ? LMB_OK : fail_at(c, at, "terms: right", fault);
}

static lmb_result check_condition(const checker *c, place at, const lmb_transition_def *transition) {
    lmb_result result = check_part_count(c, at, "terms", transition->terms, transition->term_count, LMB_MAX_TERMS);
    uint32_t truths = 0;
    for (uint32_t i = 0; i < transition->term_count && result == LMB_OK; i++) {
        const lmb_term *term = &transition->terms[i];
        if ((unsigned)term->kind >= LMB_TERM_COUNT) {
            result = fail_at(c, at, "terms", "unknown kind");
        } else if (term->kind == LMB_TERM_AND || term->kind == LMB_TERM_OR) {
            result = truths >= 2 ? LMB_OK : fail_at(c, at, "terms", "nothing to join");
            truths--;
        } else {
            truths++;
            if (term->operand != LMB_OPERAND_VALUE) {
                result = check_place(c, at, term);
                continue;
            }
            result = check_value(c, at, "terms: left", term->left);
            if (result == LMB_OK) {
                result = check_value(c, at, "terms: right", term->right);
            }
        }
    }
    if (result == LMB_OK && transition->term_count > 0 && truths != 1) {
        result = fail_at(c, at, "terms", "they do not come to one truth");
    }
    return result;
}

static lmb_result check_transition(const checker *c, uint32_t machine_index, uint32_t index) {
    const lmb_control_machine_def *machine = &c->def->machines[machine_index];
    const lmb_transition_def *transition = &machine->transitions[index];
    const place at = {.what = "machine", .index = machine_index, .part = "transition", .part_index = index};
    if (transition->from != LMB_NONE && transition->from >= machine->state_count) {
        return fail_at(c, at, "from", "there is no such state");
    }
    if (transition->to >= machine->state_count) {
        return fail_at(c, at, "to", "there is no such state");
    }
    bool needs =
        transition->event != LMB_NONE || transition->at_end || transition->after >= 0.0f || transition->term_count > 0;
    if (!needs) {
        return fail_at(c, at, "event", "the transition needs nothing to be taken");
    }
    if (transition->at_end && transition->from != LMB_NONE &&
        machine->states[transition->from].end_player == LMB_NONE) {
        return fail_at(c, at, "at_end", "the state has no end_player");
    }
    lmb_result result = check_event(c, at, "event", transition->event);
    if (result == LMB_OK && !(transition->after <= LMB_MAX_CONTROL_SECONDS)) {
        result = fail_at(c, at, "after", "out of range");
    }
    if (result == LMB_OK) {
        result = check_seconds(c, at, "fade", transition->fade, LMB_MAX_CONTROL_SECONDS);
    }
    if (result == LMB_OK && ((unsigned)transition->curve >= LMB_CURVE_COUNT || transition->curve == LMB_CURVE_BEZIER)) {
        result = fail_at(c, at, "curve", "unknown, or a Bezier");
    }
    if (result == LMB_OK && (unsigned)transition->kind >= LMB_FADE_COUNT) {
        result = fail_at(c, at, "kind", "unknown");
    }
    if (result == LMB_OK && transition->kind == LMB_FADE_INERTIALIZED && !c->def->inertialize) {
        result = fail_at(c, at, "kind", "the control does not inertialize");
    }
    if (result == LMB_OK && transition->profile != LMB_NONE) {
        result = transition->kind == LMB_FADE_INERTIALIZED
                     ? fail_at(c, at, "profile", "a transition that is inertialized has none")
                 : transition->profile >= LMB_MAX_TRANSITIONS ? fail_at(c, at, "profile", "out of range")
                                                              : LMB_OK;
    }
    return result == LMB_OK ? check_condition(c, at, transition) : result;
}

static lmb_result check_state(const checker *c, uint32_t machine, uint32_t index) {
    const lmb_control_state_def *state = &c->def->machines[machine].states[index];
    const place at = {.what = "machine", .index = machine, .part = "state", .part_index = index};
    if (state->end_player != LMB_NONE && state->end_player >= c->def->player_count) {
        return fail_at(c, at, "end_player", "there is no such player");
    }
    lmb_result result = check_event(c, at, "entry_event", state->entry_event);
    return result == LMB_OK ? check_event(c, at, "exit_event", state->exit_event) : result;
}

static lmb_result check_machine(const checker *c, uint32_t index) {
    const lmb_control_machine_def *machine = &c->def->machines[index];
    const place at = {.what = "machine", .index = index};
    if (machine->state_count == 0) {
        return fail_at(c, at, "states", "there are none");
    }
    lmb_result result = check_owner(c, at, machine->machine, machine->state, index);
    uint32_t depth = 1;
    for (uint32_t outer = machine->machine; outer != LMB_NONE && result == LMB_OK; depth++) {
        outer = c->def->machines[outer].machine; // it comes earlier, so it is checked already
    }
    if (result == LMB_OK && depth > LMB_MAX_MACHINE_DEPTH) {
        result = fail_at(c, at, "machine", "machines stand too deep within each other");
    }
    for (uint32_t i = 0; i < machine->state_count && result == LMB_OK; i++) {
        result = check_state(c, index, i);
    }
    for (uint32_t i = 0; i < machine->transition_count && result == LMB_OK; i++) {
        result = check_transition(c, index, i);
    }
    return result;
}

static lmb_result check_counts(const checker *c) {
    const lmb_control_def *def = c->def;
    if (def->parameter_count > LMB_MAX_PARAMETERS || def->max_emitted_events > LMB_MAX_EMITTED_EVENTS) {
        return lmb_fail(c->error, LMB_ERROR_LIMIT, "control: too many %s",
                        def->parameter_count > LMB_MAX_PARAMETERS ? "parameters" : "events emitted");
    }
    if (def->event_count >= LMB_EVENT_RESET) {
        return lmb_fail(c->error, LMB_ERROR_LIMIT, "control: too many events");
    }
    lmb_result result = check_count(c, "smoothed parameters", def->smoothed, def->smoothed_count, LMB_MAX_PARAMETERS);
    if (result == LMB_OK) {
        result = check_count(c, "computed parameters", def->computed, def->computed_count, LMB_MAX_PARAMETERS);
    }
    if (result == LMB_OK) {
        result = check_count(c, "players", def->players, def->player_count, LMB_MAX_PLAYERS);
    }
    if (result == LMB_OK) {
        result = check_count(c, "groups", def->groups, def->group_count, LMB_MAX_PLAYERS);
    }
    return result == LMB_OK ? check_count(c, "machines", def->machines, def->machine_count, LMB_MAX_MACHINES) : result;
}

lmb_result lmb_control_check_def(const lmb_control_def *def, lmb_error *error) {
    checker c = {.def = def, .error = error};
    lmb_result result = check_counts(&c);
    if (result == LMB_OK) {
        result = claim_parameters(&c);
    }
    if (result == LMB_OK) {
        result = check_smoothed(&c);
    }
    if (result == LMB_OK) {
        result = check_computed(&c);
    }
    if (result == LMB_OK) {
        result = check_character_motion(&c);
    }
    for (uint32_t i = 0; i < def->machine_count && result == LMB_OK; i++) {
        result = check_machine(&c, i);
    }
    for (uint32_t i = 0; i < def->player_count && result == LMB_OK; i++) {
        result = check_player(&c, i);
    }
    for (uint32_t i = 0; i < def->group_count && result == LMB_OK; i++) {
        result = check_group(&c, i);
    }
    const place character = {.what = "character", .index = 0};
    if (result == LMB_OK) {
        result = check_value(&c, character, "update_every", def->update_every);
    }
    return result == LMB_OK ? check_not_computed(&c, character, "update_every", def->update_every, 0) : result;
}
