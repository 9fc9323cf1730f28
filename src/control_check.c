#include "control.h"

#include "graph.h"
#include "number.h"

#include "../shaders/ops/layout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Checks return false if they fail, and store the error. So a list of checks is a conjunction.
typedef struct checker {
    const lmb_control_def *def;
    lmb_error *error;
    uint8_t *writers; // [parameter]
} checker;

// The subject of a check, for messages: "machine 2: transition 4".
typedef struct place {
    const char *what;
    uint32_t index;
    const char *part; // or NULL
    uint32_t part_index;
} place;

// Prints "graph: smoothed parameter 3", or the node or fade that the player or machine was made from.
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
        snprintf(text, 64, "graph: %s %u", at.what, (unsigned)at.index);
    }
}

static bool require(const checker *c, place at, bool condition, const char *field, const char *why) {
    if (condition) {
        return true;
    }
    char text[64];
    print_place(c->def, at, text);
    if (at.part != NULL) {
        return lmb_refuse(c->error, LMB_ERROR_ARGUMENT, "%s: %s %u: %s: %s", text, at.part, (unsigned)at.part_index,
                          field, why);
    }
    return lmb_refuse(c->error, LMB_ERROR_ARGUMENT, "%s: %s: %s", text, field, why);
}

static bool check_list(const checker *c, const char *what, const void *list, uint32_t count, uint32_t most) {
    return lmb_check_list(c->error, "graph", what, list, count, most);
}

static bool check_part_count(const checker *c, place at, const char *what, const void *list, uint32_t count,
                             uint32_t most) {
    return require(c, at, count == 0 || list != NULL, what, "they are NULL") &&
           require(c, at, count <= most, what, "there are too many");
}

static bool check_each(const checker *c, uint32_t count, bool (*check)(const checker *c, uint32_t index)) {
    bool valid = true;
    for (uint32_t i = 0; i < count && valid; i++) {
        valid = check(c, i);
    }
    return valid;
}

// Returns the number of parameters that values, groups, the character motion, and smoothed and computed parameters may
// name.
static uint32_t named_count(const checker *c) {
    return c->def->parameter_count - c->def->added_parameters;
}

static bool check_value(const checker *c, place at, const char *field, lmb_value value) {
    const char *fault = lmb_value_fault(value, named_count(c));
    if (fault == NULL && value.kind == LMB_VALUE_PARAMETER && c->writers[value.parameter] > LMB_BY_CHARACTER_MOTION) {
        fault = "reads a parameter that a player, a group or a machine writes, or that is computed from one";
    }
    return require(c, at, fault == NULL, field, fault);
}

// Checks a value that is needed before the character motion.
static bool check_early_value(const checker *c, place at, const char *field, lmb_value value) {
    return check_value(c, at, field, value) &&
           require(c, at, value.kind != LMB_VALUE_PARAMETER || c->writers[value.parameter] != LMB_BY_CHARACTER_MOTION,
                   field, "reads what the character motion writes");
}

// Checks that a value does not read a parameter that is computed at index `first` or later.
static bool check_not_computed(const checker *c, place at, const char *field, lmb_value value, uint32_t first) {
    bool is_late = false;
    for (uint32_t i = first; i < c->def->computed_count && value.kind == LMB_VALUE_PARAMETER; i++) {
        is_late = is_late || c->def->computed[i].parameter == value.parameter;
    }
    return require(c, at, !is_late, field, "reads a parameter that is computed after it");
}

static bool check_seconds(const checker *c, place at, const char *field, float seconds, float most) {
    return require(c, at, seconds >= 0.0f && seconds <= most, field, "out of range");
}

static bool check_event(const checker *c, place at, const char *field, uint32_t event) {
    return require(c, at, event == LMB_NONE || event < c->def->event_count, field, "there is no such event");
}

static bool claim_parameter(const checker *c, place at, const char *field, uint32_t parameter, uint8_t writer) {
    if (parameter == LMB_NONE) {
        return true;
    }
    if (!require(c, at, parameter < c->def->parameter_count, field, "there is no such parameter") ||
        !require(c, at, c->writers[parameter] == LMB_BY_HOST, field, "something else writes this parameter")) {
        return false;
    }
    c->writers[parameter] = writer;
    return true;
}

static bool claim_named(const checker *c, place at, const char *field, uint32_t parameter, uint8_t writer) {
    return require(c, at, parameter == LMB_NONE || parameter < named_count(c), field, "there is no such parameter") &&
           claim_parameter(c, at, field, parameter, writer);
}

// Claims `count` parameters from `first` on.
static bool claim_row(const checker *c, place at, const char *field, uint32_t first, uint32_t count, uint8_t writer) {
    bool valid = require(c, at, first < c->def->parameter_count, field, "there is no such parameter");
    for (uint32_t i = 0; i < count && valid; i++) {
        valid = claim_parameter(c, at, field, first + i, writer);
    }
    return valid;
}

static bool claim_of_machine(const checker *c, uint32_t index) {
    const lmb_control_machine_def *machine = &c->def->machines[index];
    place at = {.what = "machine", .index = index};
    bool valid = check_part_count(c, at, "states", machine->states, machine->state_count, LMB_MAX_STATES);
    for (uint32_t i = 0; i < machine->state_count && valid; i++) {
        const place state = {.what = "machine", .index = index, .part = "state", .part_index = i};
        valid = claim_parameter(c, state, "weight_parameter", machine->states[i].weight_parameter, LMB_BY_MACHINE);
    }
    return valid &&
           check_part_count(c, at, "transitions", machine->transitions, machine->transition_count,
                            LMB_MAX_TRANSITIONS) &&
           (lmb_control_profile_count(machine) == 0 ||
            claim_row(c, at, "profile_parameter", machine->profile_parameter, PROFILED_NUMBERS(machine->state_count),
                      LMB_BY_MACHINE));
}

// Runs before values are checked, so that their reads of these parameters can be reported.
static bool claim_parameters(const checker *c) {
    const lmb_control_def *def = c->def;
    bool valid = true;
    for (uint32_t i = 0; i < def->player_count && valid; i++) {
        const place at = {.what = "player", .index = i};
        valid = claim_parameter(c, at, "time_parameter", def->players[i].time_parameter, LMB_BY_REST) &&
                claim_parameter(c, at, "weight_parameter", def->players[i].weight_parameter, LMB_BY_MACHINE);
    }
    for (uint32_t i = 0; i < def->group_count && valid; i++) {
        const place at = {.what = "group", .index = i};
        valid = claim_named(c, at, "velocity_parameter", def->groups[i].velocity_parameter, LMB_BY_REST);
    }
    valid = valid && check_each(c, def->machine_count, claim_of_machine);
    for (uint32_t i = 0; i < LMB_INERTIA_PARAMETERS && def->inertialize && valid; i++) {
        const place at = {.what = "inertia parameter", .index = i};
        valid = claim_row(c, at, "inertia_parameters", def->inertia_parameters + i, 1, LMB_BY_REST);
    }
    for (uint32_t i = 0; i < 3 && def->motion != NULL && valid; i++) {
        const place at = {.what = "character motion"};
        valid = claim_named(c, at, "velocity_parameters", def->motion->velocity_parameters[i], LMB_BY_CHARACTER_MOTION);
    }
    return valid;
}

static bool check_smoothed(const checker *c, uint32_t index) {
    const lmb_smoothed_def *all = c->def->smoothed, *smoothed = &all[index];
    const place at = {.what = "smoothed parameter", .index = index};
    // Otherwise CPU and GPU could differ: one would read the value of the frame before, the other the host's.
    bool is_late = false;
    for (uint32_t i = index; i < c->def->smoothed_count && smoothed->source.kind == LMB_VALUE_PARAMETER; i++) {
        is_late = is_late || smoothed->source.parameter == all[i].parameter;
    }
    return check_early_value(c, at, "source", smoothed->source) &&
           require(c, at, !is_late, "source", "reads what this smoothed parameter or a later one writes") &&
           check_not_computed(c, at, "source", smoothed->source, 0) &&
           check_seconds(c, at, "half_life", smoothed->half_life, LMB_MAX_CONTROL_SECONDS) &&
           require(c, at, smoothed->parameter != LMB_NONE, "parameter", "there is none") &&
           claim_named(c, at, "parameter", smoothed->parameter, LMB_BY_SMOOTHED);
}

static bool check_computed(const checker *c, uint32_t index) {
    const lmb_computed_def *computed = &c->def->computed[index];
    const place at = {.what = "computed parameter", .index = index};
    uint8_t writer = LMB_BY_SMOOTHED;
    bool valid = require(c, at, (unsigned)computed->kind < LMB_COMPUTED_COUNT, "kind", "unknown");
    for (uint32_t i = 0; valid && i < lmb_computed_input_count(computed->kind); i++) {
        const lmb_value input = computed->inputs[i];
        const char *fault = lmb_value_fault(input, named_count(c));
        const uint8_t read =
            fault == NULL && input.kind == LMB_VALUE_PARAMETER ? c->writers[input.parameter] : LMB_BY_HOST;
        if (read == LMB_BY_REST) {
            fault = "reads a time or a velocity that a player or a group writes";
        }
        valid = require(c, at, fault == NULL, "inputs", fault) && check_not_computed(c, at, "inputs", input, index);
        writer = read > writer ? read : writer;
    }
    return valid && require(c, at, computed->parameter != LMB_NONE, "parameter", "there is none") &&
           claim_named(c, at, "parameter", computed->parameter, writer);
}

// Checks that a limit is 0, or in the range in which it has an effect within a frame.
static bool check_limit(const checker *c, place at, const char *field, float limit) {
    return require(c, at, limit == 0.0f || (limit >= 1e-6f && limit <= 1048576.0f), field,
                   "neither 0 nor 1e-6 to 2^20");
}

static bool check_character_motion(const checker *c) {
    const lmb_motion_def *motion = c->def->motion;
    const place at = {.what = "character motion"};
    return motion == NULL || (check_limit(c, at, "acceleration", motion->acceleration) &&
                              check_limit(c, at, "deceleration", motion->deceleration) &&
                              check_limit(c, at, "turn_rate", motion->turn_rate) &&
                              check_early_value(c, at, "heading", motion->heading) &&
                              check_early_value(c, at, "velocity", motion->velocity[0]) &&
                              check_early_value(c, at, "velocity", motion->velocity[1]) &&
                              check_early_value(c, at, "velocity", motion->velocity[2]));
}

// Checks an owning state: a state of a machine before `machine_count`, or none.
static bool check_owner(const checker *c, place at, uint32_t machine, uint32_t state, uint32_t machine_count) {
    return machine == LMB_NONE ||
           (require(c, at, machine < machine_count, "machine", "there is no such machine before it") &&
            require(c, at, state < c->def->machines[machine].state_count, "state", "there is no such state"));
}

static bool check_marks(const checker *c, place at, const lmb_control_player_def *player) {
    const float duration = player->duration;
    bool valid = check_part_count(c, at, "markers", player->markers, player->marker_count, LMB_MAX_MARKERS);
    for (uint32_t i = 0; i < player->marker_count && valid; i++) {
        const float time = player->markers[i];
        valid = require(c, at, time >= 0.0f && time < duration && (i == 0 || time > player->markers[i - 1]), "markers",
                        "they are not ascending within the duration");
    }
    valid = valid && check_part_count(c, at, "notifies", player->notifies, player->notify_count, LMB_MAX_NOTIFIES);
    for (uint32_t i = 0; i < player->notify_count && valid; i++) {
        const float time = player->notifies[i].time;
        valid = require(c, at, time >= 0.0f && time <= duration && (i == 0 || time >= player->notifies[i - 1].time),
                        "notifies", "they are not in order within the duration") &&
                require(c, at, player->notifies[i].event < c->def->event_count, "notifies", "there is no such event");
    }
    return valid;
}

static bool check_warp(const checker *c, uint32_t index, uint32_t number) {
    const lmb_control_player_def *player = &c->def->players[index];
    const lmb_warp_def *warp = &player->warps[number];
    const place at = {.what = "player", .index = index, .part = "warp", .part_index = number};
    return require(c, at, warp->cookie == LMB_COOKIE, "cookie", "it is not from lmb_default_warp_def()") &&
           require(c, at, warp->start >= (number > 0 ? warp[-1].end : 0.0f), "start",
                   "it is below 0, or before the end of the warp before it") &&
           require(c, at, warp->end > warp->start && warp->end <= player->duration, "end",
                   "it is not after the start, within the duration") &&
           check_value(c, at, "target", warp->target[0]) && check_value(c, at, "target", warp->target[1]) &&
           check_value(c, at, "target", warp->target[2]) && check_value(c, at, "heading", warp->heading);
}

static bool check_warps(const checker *c, uint32_t index) {
    const lmb_control_player_def *player = &c->def->players[index];
    const place at = {.what = "player", .index = index};
    bool valid = check_part_count(c, at, "warps", player->warps, player->warp_count, LMB_MAX_WARPS) &&
                 require(c, at, player->warp_count == 0 || player->end != LMB_END_PING_PONG, "warps",
                         "a clip that turns around has none");
    for (uint32_t i = 0; i < player->warp_count && valid; i++) {
        valid = check_warp(c, index, i);
    }
    return valid;
}

static bool check_motion(const checker *c, place at, const lmb_motion_track *motion) {
    bool valid = require(c, at, motion->keys != NULL, "motion", "the keys are NULL") &&
                 require(c, at, motion->key_count >= 2 && motion->key_count <= LMB_MAX_MOTION_KEYS, "motion",
                         "2 to 65,536 keys are possible");
    for (size_t i = 0; valid && i < (size_t)motion->key_count * 4; i++) {
        valid = require(c, at, fabsf(motion->keys[i]) <= LMB_MAX_MOTION, "motion",
                        "a number is not finite, or beyond 2^20");
    }
    return valid;
}

static bool check_player(const checker *c, uint32_t index) {
    const lmb_control_player_def *player = &c->def->players[index];
    const place at = {.what = "player", .index = index};
    return check_seconds(c, at, "duration", player->duration, LMB_MAX_CONTROL_SECONDS) &&
           check_value(c, at, "rate", player->rate) &&
           check_seconds(c, at, "offset", player->offset, player->duration) &&
           require(c, at, (unsigned)player->end < LMB_END_COUNT, "end", "unknown") &&
           check_event(c, at, "ended_event", player->ended_event) &&
           check_event(c, at, "looped_event", player->looped_event) &&
           check_owner(c, at, player->machine, player->state, c->def->machine_count) &&
           require(c, at, fabsf(player->velocity) <= LMB_LARGEST, "velocity", "not a finite number up to 2^40") &&
           (player->motion == NULL || check_motion(c, at, player->motion)) && check_marks(c, at, player) &&
           check_warps(c, index);
}

static uint32_t count_markers(const lmb_control_player_def *player) {
    return player->marker_count > 0 ? player->marker_count : 1;
}

// Returns whether a player is in a group before `group`, or in that one before place `count`.
static bool has_place(const checker *c, uint32_t player, uint32_t group, uint32_t count) {
    bool found = false;
    for (uint32_t i = 0; i <= group; i++) {
        for (uint32_t k = 0; k < (i < group ? c->def->groups[i].player_count : count); k++) {
            found = found || c->def->groups[i].players[k] == player;
        }
    }
    return found;
}

static bool check_member(const checker *c, uint32_t group, uint32_t index) {
    const lmb_control_group_def *def = &c->def->groups[group];
    const place at = {.what = "group", .index = group, .part = "member", .part_index = index};
    const uint32_t number = def->players[index];
    if (!require(c, at, number < c->def->player_count, "player", "there is no such player")) {
        return false;
    }
    const lmb_control_player_def *player = &c->def->players[number], *first = &c->def->players[def->players[0]];
    return require(c, at, player->end == LMB_END_LOOP && player->duration > 0.0f, "player",
                   "it does not loop, or its duration is 0") &&
           require(c, at, count_markers(player) == count_markers(first), "player",
                   "it has not as many markers as the first") &&
           require(c, at, !has_place(c, number, group, index), "player", "it is in a group already") &&
           require(c, at, def->cadence != LMB_CADENCE_VELOCITY || lmb_player_velocity(player) != 0.0f, "player",
                   "it has no velocity for the group's cadence");
}

static bool check_group(const checker *c, uint32_t index) {
    const lmb_control_group_def *group = &c->def->groups[index];
    const place at = {.what = "group", .index = index};
    bool valid = check_part_count(c, at, "players", group->players, group->player_count, LMB_MAX_PLAYERS) &&
                 require(c, at, group->player_count > 0, "players", "there are none") &&
                 check_value(c, at, "rate", group->rate) &&
                 require(c, at, (unsigned)group->cadence < LMB_CADENCE_COUNT, "cadence", "unknown");
    for (uint32_t i = 0; i < group->player_count && valid; i++) {
        valid = check_member(c, index, i);
    }
    return valid;
}

// Checks a term on a clip's phase or remaining time.
static bool check_place(const checker *c, place at, const lmb_term *term) {
    if (!require(c, at, (unsigned)term->operand < LMB_OPERAND_COUNT, "terms: operand", "unknown") ||
        !require(c, at, term->player_node < c->def->player_count, "terms: player_node", "there is no such player")) {
        return false;
    }
    const char *fault = lmb_value_fault(term->right, named_count(c));
    if (fault == NULL && term->right.kind == LMB_VALUE_PARAMETER) {
        fault = "a clip's phase or remaining time is compared with a constant";
    }
    if (fault == NULL) {
        const float most = term->operand == LMB_OPERAND_PHASE ? 1.0f : c->def->players[term->player_node].duration;
        const float right = lmb_value_at(term->right, NULL);
        fault = right >= 0.0f && right <= most ? NULL : "out of range";
    }
    return require(c, at, fault == NULL, "terms: right", fault);
}

static bool check_condition(const checker *c, place at, const lmb_transition_def *transition) {
    bool valid = check_part_count(c, at, "terms", transition->terms, transition->term_count, LMB_MAX_TERMS);
    uint32_t truths = 0;
    for (uint32_t i = 0; i < transition->term_count && valid; i++) {
        const lmb_term *term = &transition->terms[i];
        if (term->kind == LMB_TERM_AND || term->kind == LMB_TERM_OR) {
            valid = require(c, at, truths >= 2, "terms", "nothing to join");
            truths--;
        } else {
            valid = require(c, at, (unsigned)term->kind < LMB_TERM_COUNT, "terms", "unknown kind") &&
                    (term->operand != LMB_OPERAND_VALUE ? check_place(c, at, term)
                                                        : check_value(c, at, "terms: left", term->left) &&
                                                              check_value(c, at, "terms: right", term->right));
            truths++;
        }
    }
    return valid &&
           require(c, at, transition->term_count == 0 || truths == 1, "terms", "they do not result in one condition");
}

static bool needs_something(const lmb_transition_def *transition) {
    return transition->event != LMB_NONE || transition->at_end || transition->after >= 0.0f ||
           transition->term_count > 0;
}

static bool check_transition(const checker *c, uint32_t machine_index, uint32_t index) {
    const lmb_control_machine_def *machine = &c->def->machines[machine_index];
    const lmb_transition_def *transition = &machine->transitions[index];
    const place at = {.what = "machine", .index = machine_index, .part = "transition", .part_index = index};
    const uint32_t from = transition->from, profile = transition->profile;
    const bool inertializes = transition->kind == LMB_FADE_INERTIALIZED;
    return require(c, at, from == LMB_NONE || from < machine->state_count, "from", "there is no such state") &&
           require(c, at, transition->to < machine->state_count, "to", "there is no such state") &&
           require(c, at, needs_something(transition), "event", "the transition needs nothing to be taken") &&
           require(c, at, !transition->at_end || from == LMB_NONE || machine->states[from].end_player != LMB_NONE,
                   "at_end", "the state has no end_player") &&
           check_event(c, at, "event", transition->event) &&
           require(c, at, transition->after <= LMB_MAX_CONTROL_SECONDS, "after", "out of range") &&
           check_seconds(c, at, "fade", transition->fade, LMB_MAX_CONTROL_SECONDS) &&
           require(c, at, (unsigned)transition->curve < LMB_CURVE_COUNT && transition->curve != LMB_CURVE_BEZIER,
                   "curve", "unknown, or a Bezier") &&
           require(c, at, (unsigned)transition->kind < LMB_FADE_COUNT, "kind", "unknown") &&
           require(c, at, !inertializes || c->def->inertialize, "kind", "the control does not inertialize") &&
           require(c, at, profile == LMB_NONE || !inertializes, "profile",
                   "a transition that is inertialized has none") &&
           require(c, at, profile == LMB_NONE || profile < LMB_MAX_TRANSITIONS, "profile", "out of range") &&
           check_condition(c, at, transition);
}

static bool check_state(const checker *c, uint32_t machine, uint32_t index) {
    const lmb_control_state_def *state = &c->def->machines[machine].states[index];
    const place at = {.what = "machine", .index = machine, .part = "state", .part_index = index};
    return require(c, at, state->end_player == LMB_NONE || state->end_player < c->def->player_count, "end_player",
                   "there is no such player") &&
           check_event(c, at, "entry_event", state->entry_event) && check_event(c, at, "exit_event", state->exit_event);
}

// Returns how many machines are around a machine, with itself. Outer machines come earlier, so they are checked.
static uint32_t find_depth(const checker *c, uint32_t index) {
    uint32_t depth = 0;
    for (; index != LMB_NONE; depth++) {
        index = c->def->machines[index].machine;
    }
    return depth;
}

static bool check_machine(const checker *c, uint32_t index) {
    const lmb_control_machine_def *machine = &c->def->machines[index];
    const place at = {.what = "machine", .index = index};
    bool valid = require(c, at, machine->state_count > 0, "states", "there are none") &&
                 check_owner(c, at, machine->machine, machine->state, index) &&
                 require(c, at, find_depth(c, index) <= LMB_MAX_MACHINE_DEPTH, "machine",
                         "machines stand too deep within each other");
    for (uint32_t i = 0; i < machine->state_count && valid; i++) {
        valid = check_state(c, index, i);
    }
    for (uint32_t i = 0; i < machine->transition_count && valid; i++) {
        valid = check_transition(c, index, i);
    }
    return valid;
}

static bool check_counts(const checker *c) {
    const lmb_control_def *def = c->def;
    const char *many = def->parameter_count > LMB_MAX_PARAMETERS          ? "parameters"
                       : def->max_emitted_events > LMB_MAX_EMITTED_EVENTS ? "events emitted"
                       : def->event_count >= LMB_EVENT_RESET              ? "events"
                                                                          : NULL;
    if (many != NULL) {
        return lmb_refuse(c->error, LMB_ERROR_LIMIT, "graph: too many %s", many);
    }
    return check_list(c, "smoothed parameters", def->smoothed, def->smoothed_count, LMB_MAX_PARAMETERS) &&
           check_list(c, "computed parameters", def->computed, def->computed_count, LMB_MAX_PARAMETERS) &&
           check_list(c, "players", def->players, def->player_count, LMB_MAX_PLAYERS) &&
           check_list(c, "groups", def->groups, def->group_count, LMB_MAX_PLAYERS) &&
           check_list(c, "machines", def->machines, def->machine_count, LMB_MAX_MACHINES);
}

lmb_result lmb_control_check_def(const lmb_control_def *def, uint8_t writers[LMB_MAX_PARAMETERS], lmb_error *error) {
    lmb_error unread;
    const checker c = {.def = def, .error = error != NULL ? error : &unread, .writers = writers};
    const place character = {.what = "character"};
    memset(writers, LMB_BY_HOST, LMB_MAX_PARAMETERS);
    const bool valid =
        check_counts(&c) && claim_parameters(&c) && check_each(&c, def->smoothed_count, check_smoothed) &&
        check_each(&c, def->computed_count, check_computed) && check_character_motion(&c) &&
        check_each(&c, def->machine_count, check_machine) && check_each(&c, def->player_count, check_player) &&
        check_each(&c, def->group_count, check_group) &&
        check_value(&c, character, "update_every", def->update_every) &&
        check_not_computed(&c, character, "update_every", def->update_every, 0);
    return valid ? LMB_OK : c.error->result;
}
