// Checks what moves by itself in a graph, and finds the writers of its parameters.
#include "control.h"

#include "base/fields.h"
#include "base/number.h"
#include "match/database.h"
#include "program/clip_slot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Checks return false if they fail, and store the error. So a list of checks is a conjunction.
typedef struct checker {
    const lmb_moving *moving;
    const lmb_graph_def *def;
    lmb_error *error;
    uint8_t *writers; // [parameter]
} checker;

// The subject of a check, for messages: "node 2 (machine): transition 4".
typedef struct place {
    const char *what;
    uint32_t index;
    const char *of;   // or NULL
    const char *part; // or NULL
    uint32_t part_index;
} place;

static place player_at(uint32_t node) {
    return (place){.what = "node", .index = node, .of = " (clip): player"};
}

static place machine_at(uint32_t node, const char *part, uint32_t part_index) {
    return (place){.what = "node", .index = node, .of = " (machine)", .part = part, .part_index = part_index};
}

static bool require(const checker *c, place at, bool condition, const char *field, const char *why) {
    if (condition) {
        return true;
    }
    char part[48] = "";
    if (at.part != NULL) {
        snprintf(part, sizeof part, ": %s %u", at.part, (unsigned)at.part_index);
    }
    return lmb_refuse(c->error, LMB_ERROR_ARGUMENT, "graph: %s %u%s%s: %s: %s", at.what, (unsigned)at.index,
                      at.of != NULL ? at.of : "", part, field, why);
}

static bool check_cookie(const checker *c, place at, uint32_t cookie, const char *type) {
    char why[64];
    snprintf(why, sizeof why, "it is not from lmb_default_%s_def()", type);
    return require(c, at, cookie == LMB_COOKIE, "cookie", why);
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

static bool check_value(const checker *c, place at, const char *field, lmb_value value) {
    const char *fault = lmb_value_fault(value, c->def->parameter_count, c->def->curve_count);
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

// Checks the ranges of all fields of a struct.
static bool check_ranges(const checker *c, place at, const lmb_fields *fields, const void *def) {
    const lmb_field_context context = {.parameter_count = c->def->parameter_count,
                                       .event_count = c->def->event_count,
                                       .curve_count = c->def->curve_count};
    lmb_field_fault fault;
    return lmb_fields_check(fields, def, &context, &fault) || require(c, at, false, fault.field, fault.why);
}

static bool claim(const checker *c, place at, const char *field, uint32_t parameter, uint8_t writer) {
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

// Runs before values are checked, so that their reads of these parameters can be reported.
static bool claim_parameters(const checker *c) {
    const lmb_graph_def *def = c->def;
    bool valid = true;
    for (uint32_t i = 0; i < def->node_count && valid; i++) {
        const place at = {.what = "node", .index = i};
        const lmb_reached_slot *reached = lmb_graph_reached_of(&def->nodes[i]);
        valid =
            reached == NULL || !reached->is_reported || claim(c, at, "reached", reached->parameter, LMB_BY_SMOOTHED);
    }
    for (uint32_t i = 0; i < def->node_count && valid; i++) {
        const lmb_matching_def *matching = def->nodes[i].op == LMB_OP_MACHINE ? def->nodes[i].machine->matching : NULL;
        valid = matching == NULL ||
                claim(c, machine_at(i, NULL, 0), "matching: mirrored", matching->mirrored, LMB_BY_MACHINE);
    }
    for (uint32_t i = 0; i < def->group_count && valid; i++) {
        const place at = {.what = "group", .index = i};
        valid = check_cookie(c, at, def->groups[i].cookie, "group") &&
                claim(c, at, "velocity_parameter", def->groups[i].velocity_parameter, LMB_BY_REST);
    }
    for (uint32_t i = 0; i < def->fade_count && valid; i++) {
        const place at = {.what = "fade", .index = i};
        valid = claim(c, at, "parameter", def->fades[i].parameter, LMB_BY_MACHINE);
    }
    for (uint32_t i = 0; i < 3 && def->motion != NULL && valid; i++) {
        const place at = {.what = "character motion"};
        valid = check_cookie(c, at, def->motion->cookie, "motion") &&
                claim(c, at, "velocity_parameters", def->motion->velocity_parameters[i], LMB_BY_CHARACTER_MOTION);
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
    return check_cookie(c, at, smoothed->cookie, "smoothed") && check_ranges(c, at, &lmb_smoothed_fields, smoothed) &&
           require(c, at, smoothed->speed == 0.0f || smoothed->half_life == 0.0f, "speed", "beside a half-life") &&
           check_early_value(c, at, "source", smoothed->source) &&
           require(c, at, !is_late, "source", "reads what this smoothed parameter or a later one writes") &&
           check_not_computed(c, at, "source", smoothed->source, 0) &&
           require(c, at, smoothed->parameter != LMB_NONE, "parameter", "there is none") &&
           claim(c, at, "parameter", smoothed->parameter, LMB_BY_SMOOTHED);
}

static bool check_computed(const checker *c, uint32_t index) {
    const lmb_computed_def *computed = &c->def->computed[index];
    const place at = {.what = "computed parameter", .index = index};
    uint8_t writer = LMB_BY_SMOOTHED;
    bool valid = check_cookie(c, at, computed->cookie, "computed") &&
                 require(c, at, (unsigned)computed->kind < LMB_COMPUTED_COUNT, "kind", "unknown");
    for (uint32_t i = 0; valid && i < lmb_computed_input_count(computed->kind); i++) {
        const lmb_value input = computed->inputs[i];
        const char *fault = lmb_value_fault(input, c->def->parameter_count, c->def->curve_count);
        const uint8_t read =
            fault == NULL && input.kind == LMB_VALUE_PARAMETER ? c->writers[input.parameter] : LMB_BY_HOST;
        if (read == LMB_BY_REST) {
            fault = "reads a time or a velocity that a player or a group writes";
        }
        valid = require(c, at, fault == NULL, "inputs", fault) && check_not_computed(c, at, "inputs", input, index);
        writer = read > writer ? read : writer;
    }
    return valid && require(c, at, computed->parameter != LMB_NONE, "parameter", "there is none") &&
           claim(c, at, "parameter", computed->parameter, writer);
}

// Checks that a limit is 0, or in the range in which it has an effect within a frame.
static bool check_limit(const checker *c, place at, const char *field, float limit) {
    return require(c, at, limit == 0.0f || (limit >= 1e-6f && limit <= 1048576.0f), field,
                   "neither 0 nor 1e-6 to 2^20");
}

static bool check_character_motion(const checker *c) {
    const lmb_motion_def *motion = c->def->motion;
    const place at = {.what = "character motion"};
    return motion == NULL ||
           (check_limit(c, at, "acceleration", motion->acceleration) &&
            check_limit(c, at, "deceleration", motion->deceleration) &&
            check_limit(c, at, "turn_rate", motion->turn_rate) && check_ranges(c, at, &lmb_motion_fields, motion) &&
            require(c, at, motion->velocity_half_life == 0.0f || !motion->full_rotation, "velocity_half_life",
                    "the character motion has full rotation") &&
            check_early_value(c, at, "heading", motion->heading) &&
            check_early_value(c, at, "velocity", motion->velocity[0]) &&
            check_early_value(c, at, "velocity", motion->velocity[1]) &&
            check_early_value(c, at, "velocity", motion->velocity[2]));
}

static bool check_marks(const checker *c, place at, const lmb_player_def *player, float duration) {
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

static bool check_warp(const checker *c, place at, const lmb_player_def *player, float duration, uint32_t number) {
    const lmb_warp_def *warp = &player->warps[number];
    at.part = "warp";
    at.part_index = number;
    return check_cookie(c, at, warp->cookie, "warp") &&
           require(c, at, warp->start >= (number > 0 ? warp[-1].end : 0.0f), "start",
                   "it is below 0, or before the end of the warp before it") &&
           require(c, at, warp->end > warp->start && warp->end <= duration, "end",
                   "it is not after the start, within the duration") &&
           check_value(c, at, "target", warp->target[0]) && check_value(c, at, "target", warp->target[1]) &&
           check_value(c, at, "target", warp->target[2]) && check_value(c, at, "heading", warp->heading);
}

static bool check_warps(const checker *c, place at, const lmb_player_def *player, float duration) {
    bool valid = check_part_count(c, at, "warps", player->warps, player->warp_count, LMB_MAX_WARPS) &&
                 require(c, at, player->warp_count == 0 || player->end != LMB_END_PING_PONG, "warps",
                         "a clip that turns around has none") &&
                 require(c, at, player->warp_count == 0 || c->def->motion == NULL || !c->def->motion->full_rotation,
                         "warps", "a character motion with full rotation has none");
    for (uint32_t i = 0; i < player->warp_count && valid; i++) {
        valid = check_warp(c, at, player, duration, i);
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
    for (size_t i = 0; valid && motion->rotations != NULL && i < motion->key_count; i++) {
        const float *q = motion->rotations + 4 * i;
        const float square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        valid = require(c, at, fabsf(square - 1.0f) <= 2e-3f, "motion", "a rotation is not a unit quaternion");
    }
    return valid;
}

static bool check_repetitions(const checker *c, place at, const lmb_player_def *player, float duration) {
    const bool goes_on = player->end == LMB_END_LOOP || player->end == LMB_END_PING_PONG;
    return require(c, at, player->repetitions <= LMB_MAX_REPETITIONS, "repetitions", "there are too many") &&
           require(c, at, player->repetitions == 0 || goes_on, "repetitions", "the clip stays at its first end") &&
           require(c, at, player->repetitions == 0 || player->group == LMB_NONE, "repetitions",
                   "a clip in a group plays for ever") &&
           require(c, at, (double)player->repetitions * (double)duration <= (double)LMB_MAX_CONTROL_SECONDS,
                   "repetitions", "they take more than 100,000 s") &&
           require(c, at, player->repetitions > 0 || !player->drops_out, "drops_out", "there are no repetitions");
}

static bool check_beginning(const checker *c, place at, const lmb_player_def *player, uint32_t node) {
    const uint32_t other = player->sync_node;
    return require(c, at, player->delay == 0.0f || player->group == LMB_NONE, "delay", "a clip in a group has none") &&
           require(c, at, other == LMB_NONE || player->group == LMB_NONE, "sync_node",
                   "a clip in a group has the group's phase") &&
           require(c, at,
                   other == LMB_NONE ||
                       (other < c->def->node_count && other != node && lmb_node_plays(&c->def->nodes[other]) &&
                        (c->moving->player_of[other] != LMB_NONE || c->moving->player_of[node] == LMB_NONE)),
                   "sync_node", "no other clip plays there");
}

static float duration_of(const checker *c, uint32_t node) {
    const uint32_t player = c->moving->player_of[node];
    return player != LMB_NONE ? c->moving->players[player].duration
                              : lmb_graph_clip_duration(c->def, (uint32_t)c->def->nodes[node].clip.constant);
}

// Checks nodes that the result does not use, too.
static bool check_player(const checker *c, uint32_t node) {
    const lmb_player_def *player = c->def->nodes[node].player;
    const place at = player_at(node);
    const float duration = duration_of(c, node);
    return require(c, at, duration >= 0.0f && duration <= LMB_MAX_CONTROL_SECONDS, "duration", "out of range") &&
           check_ranges(c, at, &lmb_player_fields, player) && check_value(c, at, "rate", player->rate) &&
           require(c, at, player->offset >= 0.0f && player->offset <= duration, "offset", "out of range") &&
           (player->motion == NULL || check_motion(c, at, player->motion)) && check_marks(c, at, player, duration) &&
           check_warps(c, at, player, duration) && check_repetitions(c, at, player, duration) &&
           check_beginning(c, at, player, node);
}

static uint32_t count_markers(const lmb_player_def *player) {
    return player->marker_count > 0 ? player->marker_count : 1;
}

static bool check_member(const checker *c, uint32_t group, uint32_t index, const lmb_moving_player *player,
                         const lmb_moving_player *first) {
    const place at = {.what = "group", .index = group, .part = "member", .part_index = index};
    return require(c, at, player->def->end == LMB_END_LOOP && player->duration > 0.0f, "player",
                   "it does not loop, or its duration is 0") &&
           require(c, at, count_markers(player->def) == count_markers(first->def), "player",
                   "it has not as many markers as the first") &&
           require(c, at, c->def->groups[group].cadence != LMB_CADENCE_VELOCITY || lmb_player_velocity(player) != 0.0f,
                   "player", "it has no velocity for the group's cadence");
}

static bool check_group(const checker *c, uint32_t index) {
    const lmb_group_def *group = &c->def->groups[index];
    const place at = {.what = "group", .index = index};
    const lmb_moving_player *first = NULL;
    bool valid = check_ranges(c, at, &lmb_group_fields, group);
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->moving->player_count && valid; i++) {
        const lmb_moving_player *player = &c->moving->players[i];
        if (player->def->group == index) {
            first = first == NULL ? player : first;
            valid = check_member(c, index, count++, player, first);
        }
    }
    return valid && (first != NULL ||
                     lmb_refuse(c->error, LMB_ERROR_ARGUMENT, "graph: group %u: no clip plays in it", (unsigned)index));
}

// Checks a term on a clip's phase or remaining time.
static bool check_place(const checker *c, place at, const lmb_term *term) {
    const uint32_t node = term->player_node;
    const bool plays = node < c->def->node_count && lmb_node_plays(&c->def->nodes[node]);
    // Only a machine that the result does not use may name a player that it does not use.
    if (!require(c, at,
                 plays && (c->moving->player_of[node] != LMB_NONE || c->moving->machine_of[at.index] == LMB_NONE),
                 "terms: player_node", "there is no such player")) {
        return false;
    }
    const char *fault = lmb_value_fault(term->right, c->def->parameter_count, c->def->curve_count);
    if (fault == NULL && term->right.kind == LMB_VALUE_PARAMETER) {
        fault = "a clip's phase or remaining time is compared with a constant";
    }
    if (fault == NULL) {
        const float most = term->operand == LMB_OPERAND_PHASE ? 1.0f : duration_of(c, node);
        const float right = lmb_value_at(term->right, NULL, c->def->curves);
        fault = right >= 0.0f && right <= most ? NULL : "out of range";
    }
    return require(c, at, fault == NULL, "terms: right", fault);
}

// Checks a term on the state of a machine, a trigger or a draw.
static bool check_decision(const checker *c, place at, const lmb_term *term) {
    const uint32_t node = term->machine_node, own = c->moving->machine_of[at.index];
    const bool is_machine = node < c->def->node_count && c->def->nodes[node].op == LMB_OP_MACHINE;
    // Only a machine that the result does not use may name one that it does not use.
    return require(c, at,
                   term->operand != LMB_OPERAND_STATE ||
                       (is_machine && (c->moving->machine_of[node] != LMB_NONE || own == LMB_NONE)),
                   "terms: machine_node", "there is no such machine") &&
           require(c, at, term->operand != LMB_OPERAND_TRIGGER || term->event < c->def->event_count, "terms: event",
                   "there is no such event") &&
           check_value(c, at, "terms: right", term->right);
}

static bool check_term(const checker *c, place at, const lmb_term *term) {
    return require(c, at, (unsigned)term->kind < LMB_TERM_COUNT, "terms", "unknown kind") &&
           require(c, at, (unsigned)term->operand < LMB_OPERAND_COUNT, "terms: operand", "unknown") &&
           (lmb_operand_is_place(term->operand) ? check_place(c, at, term)
            : term->operand != LMB_OPERAND_VALUE
                ? check_decision(c, at, term)
                : check_value(c, at, "terms: left", term->left) && check_value(c, at, "terms: right", term->right));
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
            valid = check_term(c, at, term);
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

static bool check_transition(const checker *c, uint32_t node, uint32_t index) {
    const lmb_machine_def *machine = c->def->nodes[node].machine;
    const lmb_transition_def *transition = &machine->transitions[index];
    const place at = machine_at(node, "transition", index);
    const uint32_t from = transition->from, own = c->moving->machine_of[node];
    const bool knows_ends = own != LMB_NONE && from != LMB_NONE;
    const bool has_end =
        knows_ends && from < machine->state_count && c->moving->machines[own].states[from].end_player != LMB_NONE;
    const char *curve_fault = lmb_fade_curve_fault(transition->curve, transition->curve_control, c->def);
    return check_cookie(c, at, transition->cookie, "transition") &&
           check_ranges(c, at, &lmb_transition_fields, transition) &&
           require(c, at, from == LMB_NONE || from < machine->state_count, "from", "there is no such state") &&
           require(c, at, transition->to < machine->state_count, "to", "there is no such state") &&
           require(c, at, !transition->to_self || from == LMB_NONE, "to_self",
                   "only a transition from any state has it") &&
           require(c, at, needs_something(transition), "event", "the transition needs nothing to be taken") &&
           require(c, at, transition->travel_cost <= LMB_MOST_TRAVEL_COST, "travel_cost", "it is above 65536") &&
           require(c, at, !transition->at_end || !knows_ends || has_end, "at_end",
                   "no clip of its own plays in the state") &&
           require(c, at, transition->start != LMB_START_SYNC || !knows_ends || has_end, "start",
                   "no clip of its own plays in the state that it leaves") &&
           require(c, at, curve_fault == NULL, "curve", curve_fault) &&
           require(c, at, transition->profile == LMB_NONE || transition->profile < c->def->mask_count, "profile",
                   "there is no such mask") &&
           require(c, at, transition->profile == LMB_NONE || transition->kind != LMB_FADE_INERTIALIZED, "profile",
                   "a transition that is inertialized has none") &&
           check_condition(c, at, transition);
}

static bool check_state(const checker *c, uint32_t node, uint32_t index) {
    const lmb_state_def *states = c->def->nodes[node].machine->states;
    const uint32_t event = states[index].travel_event;
    const place at = machine_at(node, "state", index);
    bool is_own = true;
    for (uint32_t i = 0; i < index && event != LMB_NONE; i++) {
        is_own = is_own && states[i].travel_event != event;
    }
    return check_cookie(c, at, states[index].cookie, "state") &&
           check_ranges(c, at, &lmb_state_fields, &states[index]) &&
           require(c, at, is_own, "travel_event", "another state has it");
}

static bool check_rules(const checker *c, place at, const lmb_matching_def *matching) {
    bool valid = check_part_count(c, at, "matching: rules", matching->rules, matching->rule_count, LMB_MAX_TAG_RULES);
    for (uint32_t i = 0; valid && i < matching->rule_count; i++) {
        valid = check_value(c, at, "matching: rules", matching->rules[i].when);
    }
    return valid;
}

// Checks the state of a take.
static bool check_take(const checker *c, uint32_t machine, uint32_t take) {
    const lmb_moving_machine *own = &c->moving->machines[machine];
    const motion_take *rows = &own->database->takes[take];
    const place at = machine_at(own->node, "state", take);
    const uint32_t end_player = own->states[take].end_player;
    if (!require(c, at, end_player != LMB_NONE, "matching", "no clip of its own plays in the state of a take")) {
        return false;
    }
    const lmb_moving_player *player = &c->moving->players[end_player];
    const float last = lmb_motion_time(own->database->header->rate, rows->count - 1);
    return require(c, at, player->def->group == LMB_NONE, "matching", "its clip is in a group") &&
           require(c, at, player->def->end == (rows->loops != 0 ? LMB_END_LOOP : LMB_END_HOLD), "matching",
                   rows->loops != 0 ? "its clip does not loop, and the take does"
                                    : "its clip does not hold at its end, and the take is no loop") &&
           require(c, at,
                   player->def->delay == 0.0f && player->def->sync_node == LMB_NONE && !player->def->random_offset,
                   "matching", "its clip begins with a delay, at a random time, or at the time of another one") &&
           require(c, at, last <= player->duration + 1e-3f, "matching", "its clip is shorter than the take");
}

static bool check_path(const checker *c, place at, const lmb_matching_def *matching) {
    bool valid = true;
    for (uint32_t i = 0; valid && i < 6; i++) {
        valid = check_value(c, at, "matching: path", matching->path[i / 2][i % 2]);
    }
    return valid;
}

static bool check_mirrored(const checker *c, place at, const lmb_motion_database *database, uint32_t parameter) {
    const bool is_mirrored = lmb_motion_database_get_info(database)->is_mirrored;
    return require(c, at, is_mirrored || parameter == LMB_NONE, "matching: mirrored",
                   "rows of its database do not count mirrored") &&
           require(c, at, !is_mirrored || parameter != LMB_NONE, "matching: mirrored",
                   "rows of its database count mirrored, and no parameter says whether a take plays so");
}

static bool check_matching(const checker *c, uint32_t node) {
    const lmb_matching_def *matching = c->def->nodes[node].machine->matching;
    const place at = machine_at(node, NULL, 0);
    const uint32_t own = c->moving->machine_of[node];
    bool valid = check_ranges(c, at, &lmb_matching_fields, matching) &&
                 check_value(c, at, "matching: velocity", matching->velocity[0]) &&
                 check_value(c, at, "matching: velocity", matching->velocity[1]) &&
                 check_value(c, at, "matching: heading", matching->heading) && check_path(c, at, matching) &&
                 check_rules(c, at, matching) &&
                 require(c, at, c->def->motion != NULL, "matching", "there is no character motion") &&
                 require(c, at, !c->def->motion->full_rotation, "matching", "the character motion has full rotation");
    const uint32_t takes = valid && own != LMB_NONE ? c->moving->machines[own].database->header->take_count : 0;
    valid = valid &&
            (own == LMB_NONE || check_mirrored(c, at, c->moving->machines[own].database, matching->mirrored)) &&
            require(c, at, takes <= c->def->nodes[node].machine->state_count, "matching",
                    "its database has more takes than the machine has states");
    for (uint32_t i = 0; valid && i < takes; i++) {
        valid = check_take(c, own, i);
    }
    return valid;
}

// Checks nodes that the result does not use, too.
static bool check_machine(const checker *c, uint32_t node) {
    const lmb_machine_def *machine = c->def->nodes[node].machine;
    bool valid = true;
    for (uint32_t i = 0; i < machine->state_count && valid; i++) {
        valid = check_state(c, node, i);
    }
    for (uint32_t i = 0; i < machine->transition_count && valid; i++) {
        valid = check_transition(c, node, i);
    }
    return valid && (machine->matching == NULL || check_matching(c, node));
}

static bool check_node(const checker *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    return lmb_node_plays(node) ? check_player(c, index) : node->op != LMB_OP_MACHINE || check_machine(c, index);
}

// Checks how many machines are around a machine, with itself.
static bool check_depth(const checker *c, uint32_t index) {
    const lmb_moving_machine *machine = &c->moving->machines[index];
    const bool is_fade = machine->node == LMB_NONE;
    const place fade = {.what = "fade", .index = machine->fade};
    uint32_t depth = 0;
    for (; index != LMB_NONE; depth++) {
        index = c->moving->machines[index].machine;
    }
    return require(c, is_fade ? fade : machine_at(machine->node, NULL, 0), depth <= LMB_MAX_MACHINE_DEPTH, "machine",
                   "machines stand too deep within each other");
}

static bool check_counts(const checker *c) {
    const lmb_moving *moving = c->moving;
    return lmb_check_count(c->error, "graph", "events emitted", moving->max_emitted_events, LMB_MAX_EMITTED_EVENTS) &&
           lmb_check_count(c->error, "graph", "players", moving->player_count, LMB_MAX_PLAYERS) &&
           lmb_check_count(c->error, "graph", "machines", moving->machine_count, LMB_MAX_MACHINES);
}

static bool check_triggers(const checker *c) {
    lmb_decisions decisions;
    lmb_moving_decisions(c->moving, &decisions);
    return lmb_check_count(c->error, "graph", "triggers", decisions.count - decisions.draw_count, LMB_MAX_TRIGGERS);
}

lmb_result lmb_moving_check(lmb_moving *moving, lmb_error *error) {
    lmb_error unread;
    const lmb_graph_def *def = moving->def;
    const checker c = {moving, def, error != NULL ? error : &unread, moving->writers};
    const place character = {.what = "character"};
    memset(moving->writers, LMB_BY_HOST, sizeof moving->writers);
    const bool valid =
        check_counts(&c) && claim_parameters(&c) && check_each(&c, def->smoothed_count, check_smoothed) &&
        check_each(&c, def->computed_count, check_computed) && check_character_motion(&c) &&
        check_each(&c, moving->machine_count, check_depth) && check_each(&c, def->node_count, check_node) &&
        check_triggers(&c) && check_each(&c, def->group_count, check_group) &&
        check_value(&c, character, "update_every", moving->update_every) &&
        require(&c, character,
                moving->update_every.kind != LMB_VALUE_PARAMETER ||
                    c.writers[moving->update_every.parameter] == LMB_BY_HOST,
                "update_every", "reads a parameter that the host does not write");
    return valid ? LMB_OK : c.error->result;
}
