// The frames of one character: transitions, times in states, fades and updates, as control.h describes them.
//
// An update of a character is cut into pieces. In each piece machines take transitions, outer ones first; the time in
// states and fades advances; weights follow (oracle_weights.c); then players and groups advance (oracle_players.c) and
// move the character (oracle_motion.c).
#include "oracle_control.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Scopes

bool oracle_scope_is_current(const oracle_character *c, oracle_scope scope) {
    while (scope.machine != LMB_NONE) {
        if (c->machines[scope.machine].current != scope.state) {
            return false;
        }
        scope = c->graph->machines[scope.machine].scope;
    }
    return true;
}

// Whether what runs in a state moves: each state around it is current, or has a weight and is not frozen.
bool oracle_scope_moves(const oracle_character *c, oracle_scope scope) {
    while (scope.machine != LMB_NONE) {
        const oracle_machine_state *machine = &c->machines[scope.machine];
        const bool plays = machine->weights[scope.state] > 0.0 && !machine->frozen[scope.state];
        if (machine->current != scope.state && !plays) {
            return false;
        }
        scope = c->graph->machines[scope.machine].scope;
    }
    return true;
}

static bool scope_is_inside(const oracle_character *c, oracle_scope scope, uint32_t machine, uint32_t state) {
    while (scope.machine != LMB_NONE) {
        if (scope.machine == machine && scope.state == state) {
            return true;
        }
        scope = c->graph->machines[scope.machine].scope;
    }
    return false;
}

static double scope_weight(const oracle_character *c, oracle_scope scope) {
    double weight = 1.0;
    while (scope.machine != LMB_NONE) {
        weight *= c->machines[scope.machine].weights[scope.state];
        scope = c->graph->machines[scope.machine].scope;
    }
    return weight;
}

// ---- Beginning

static uint32_t player_of(const oracle_character *c, uint32_t node) {
    for (uint32_t i = 0; i < c->graph->player_count; i++) {
        if (c->graph->players[i].node == node) {
            return i;
        }
    }
    return LMB_NONE;
}

static void step_draw(uint32_t *draw) {
    *draw = (uint32_t)(UINT64_C(747796405) * *draw + UINT64_C(2891336453));
}

// A part of a player's clip in 2^-32, rounded down, in units.
static int64_t part_of(const oracle_player *player, uint64_t share) {
    const uint64_t upper = (uint64_t)player->duration >> 32, lower = (uint64_t)player->duration & UINT32_MAX;
    return (int64_t)(upper * share + (lower * share >> 32));
}

// Where a player begins, in units. `phase` is in 2^-32; or OWN_OFFSET, which a player may draw; or that another player
// says where.
enum { OWN_OFFSET = -1, OTHER_TIME = -2 };

static int64_t start_time(oracle_character *c, uint32_t index, int64_t phase) {
    const oracle_player *player = &c->graph->players[index];
    if (phase == OWN_OFFSET && player->def->random_offset) {
        step_draw(&c->player_draws[index]);
        return part_of(player, c->player_draws[index]);
    }
    if (phase == OWN_OFFSET) {
        return player->offset;
    }
    return phase < UINT32_MAX                 ? part_of(player, (uint64_t)phase)
           : player->def->end == LMB_END_LOOP ? 0
                                              : player->duration;
}

static void begin_player(oracle_character *c, uint32_t index, int64_t phase) {
    oracle_player_state *player = &c->players[index];
    if (c->graph->players[index].def->group == LMB_NONE && phase != OTHER_TIME) {
        player->time = start_time(c, index, phase);
        const bool ends = oracle_stays_at_end(&c->graph->players[index]) && oracle_is_at_end(c, index);
        c->close = ends && phase != OWN_OFFSET ? "a clip begins at its end" : c->close;
    }
    player->direction = 1;
    player->has_turned = false;
    player->ended = 0;
    player->waited = 0;
    player->passed_in_piece = player->passed_in_frame = false;
}

static bool draws(const oracle_machine *machine) {
    bool found = false;
    for (uint32_t i = 0; i < machine->transition_count; i++) {
        for (uint32_t k = 0; k < machine->transitions[i].term_count; k++) {
            const lmb_operand operand = machine->transitions[i].terms[k].operand;
            found = found || operand == LMB_OPERAND_DRAW || operand == LMB_OPERAND_CHOICE;
        }
    }
    return found;
}

static bool waits_for(const oracle_machine *machine, uint32_t event) {
    bool found = false;
    for (uint32_t i = 0; i < machine->transition_count; i++) {
        for (uint32_t k = 0; k < machine->transitions[i].term_count; k++) {
            const lmb_term *term = &machine->transitions[i].terms[k];
            found = found || (term->operand == LMB_OPERAND_TRIGGER && term->event == event);
        }
    }
    return found;
}

// The seed of a character's draw, by the steps in control.h.
static uint32_t draw_seed(uint32_t character, uint32_t index) {
    uint32_t x = (character + 1) * 0x9e3779b9u + index;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

// The draws that have none yet take their seeds.
static void seed_draws(oracle_character *c) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->graph->machine_count; i++) {
        if (draws(&c->graph->machines[i])) {
            c->draws[i] = c->draws[i] == 0 ? draw_seed(c->index, count) : c->draws[i];
            count++;
        }
    }
    for (uint32_t i = 0; i < c->graph->player_count; i++) {
        if (c->graph->players[i].def->random_offset) {
            c->player_draws[i] = c->player_draws[i] == 0 ? draw_seed(c->index, count) : c->player_draws[i];
            count++;
        }
    }
}

static void begin_machine(oracle_character *c, uint32_t index) {
    oracle_machine_state *machine = &c->machines[index];
    memset(machine, 0, sizeof *machine);
    machine->weights[0] = machine->begun[0] = 1.0;
    step_draw(&c->draws[index]);
}

// Begins the groups whose players are in `begins` and did not move until then.
static void begin_groups(oracle_character *c, const bool *begins, const bool *moved, int64_t phase) {
    for (uint32_t g = 0; g < c->graph->def->group_count; g++) {
        uint32_t first = LMB_NONE, any = LMB_NONE;
        bool moves = false;
        for (uint32_t i = c->graph->player_count; i-- > 0;) {
            if (c->graph->players[i].def->group != g) {
                continue;
            }
            moves = moves || (moved[i] && !begins[i]);
            any = begins[i] ? i : any;
            first = begins[i] && oracle_scope_is_current(c, c->graph->players[i].scope) ? i : first;
        }
        first = first == LMB_NONE ? any : first;
        if (!moves && first != LMB_NONE) {
            oracle_begin_group(c, g, first, start_time(c, first, phase));
            oracle_follow_group(c, g);
        }
    }
}

static void begin_character(oracle_character *c) {
    bool begins[ORACLE_PLAYERS], moved[ORACLE_PLAYERS] = {false};
    memset(c->waits, 0, sizeof c->waits);
    seed_draws(c);
    for (uint32_t i = 0; i < c->graph->machine_count; i++) {
        begin_machine(c, i);
    }
    for (uint32_t i = 0; i < c->graph->player_count; i++) {
        begins[i] = true;
        begin_player(c, i, OWN_OFFSET);
    }
    begin_groups(c, begins, moved, OWN_OFFSET);
    memset(&c->counts, 0, sizeof c->counts);
    c->has_begun = true;
}

void oracle_begin(oracle_character *c, const oracle_graph *graph, uint32_t index, uint32_t phase) {
    memset(c, 0, sizeof *c);
    c->graph = graph;
    c->phase = phase;
    c->index = index;
    c->motion = c->step = c->shown = oracle_no_motion;
}

// Begins everything in a state anew. `moved` says which players moved until then.
static void restart_state(oracle_character *c, uint32_t machine, uint32_t state, const bool *moved, int64_t phase) {
    bool begins[ORACLE_PLAYERS] = {false};
    for (uint32_t i = 0; i < c->graph->machine_count; i++) {
        if (scope_is_inside(c, c->graph->machines[i].scope, machine, state)) {
            begin_machine(c, i);
        }
    }
    for (uint32_t i = 0; i < c->graph->player_count; i++) {
        if (scope_is_inside(c, c->graph->players[i].scope, machine, state)) {
            begins[i] = true;
        }
    }
    for (uint32_t i = 0; i < c->graph->player_count; i++) {
        const uint32_t node = c->graph->players[i].def->sync_node;
        const uint32_t other = node != LMB_NONE ? player_of(c, node) : LMB_NONE;
        const bool is_synced = other != LMB_NONE && !begins[other];
        if (begins[i]) {
            begin_player(c, i, is_synced ? OTHER_TIME : phase);
        }
        if (begins[i] && is_synced) {
            const int64_t duration = c->graph->players[i].duration, time = c->players[other].time;
            const bool loops = c->graph->players[i].def->end == LMB_END_LOOP;
            c->players[i].time = time < duration ? time : loops ? time % duration : duration;
        }
    }
    begin_groups(c, begins, moved, phase);
}

// ---- Conditions, and when they become true

// Ticks of a player's delay that are left.
static int64_t delay_left(const oracle_character *c, uint32_t player) {
    return oracle_ticks(c->graph->players[player].def->delay) - c->players[player].waited;
}

// When a player that does not follow a group first is at `time` or beyond, in ticks; `past` if it must be beyond.
static int64_t ticks_until(const oracle_character *c, uint32_t player, int64_t time, bool past) {
    const int64_t rate = oracle_rate(c, player) * c->players[player].direction, now = c->players[player].time;
    const uint32_t repetitions = c->graph->players[player].def->repetitions;
    const bool is_over = repetitions > 0 && c->players[player].ended == repetitions;
    if (rate == 0 || is_over || c->graph->players[player].def->group != LMB_NONE) {
        return ORACLE_NEVER;
    }
    const int64_t distance = rate > 0 ? time - now : now - time, speed = rate > 0 ? rate : -rate;
    const int64_t moves = past ? distance / speed + 1 : (distance + speed - 1) / speed;
    return distance < 0 ? ORACLE_NEVER : moves > 0 ? moves + delay_left(c, player) : 0;
}

// When a player next reaches an end, in ticks: 0 if it stays there.
static int64_t next_end(const oracle_character *c, uint32_t player) {
    const oracle_player *p = &c->graph->players[player];
    const int64_t rate = oracle_rate(c, player) * c->players[player].direction, end = rate > 0 ? p->duration : 0;
    if (oracle_stays_at_end(p) && oracle_is_at_end(c, player)) {
        return 0;
    }
    if (p->def->repetitions > 0 && rate != 0) {
        const int64_t time = c->players[player].time, room = rate > 0 ? p->duration - time : time;
        const int64_t later = (int64_t)(p->def->repetitions - c->players[player].ended - 1) * p->duration;
        const int64_t speed = rate > 0 ? rate : -rate;
        return ((room > 0 ? room : p->duration) + later + speed - 1) / speed + delay_left(c, player);
    }
    if (p->def->end == LMB_END_PING_PONG && c->players[player].time == end && rate != 0) { // it has turned around there
        const int64_t speed = rate > 0 ? rate : -rate;
        return (p->duration + speed - 1) / speed + delay_left(c, player);
    }
    return ticks_until(c, player, end, rate < 0 && p->def->end == LMB_END_LOOP);
}

// Ticks until `at_end` is met: 0 if it is now.
static int64_t end_due(const oracle_character *c, uint32_t player, bool event) {
    const oracle_player_state *state = &c->players[player];
    const bool passed = event ? state->passed_in_frame : state->passed_in_piece;
    return passed && !oracle_stays_at_end(&c->graph->players[player]) ? 0 : next_end(c, player);
}

static bool compare(lmb_term_kind kind, double left, double right) {
    switch (kind) {
    case LMB_TERM_LESS:
        return left < right;
    case LMB_TERM_LESS_EQUAL:
        return left <= right;
    case LMB_TERM_GREATER:
        return left > right;
    case LMB_TERM_GREATER_EQUAL:
        return left >= right;
    default:
        return left == right;
    }
}

static uint32_t machine_of(const oracle_character *c, uint32_t node) {
    uint32_t machine = 0;
    while (c->graph->machines[machine].node != node) {
        machine++;
    }
    return machine;
}

// The left side of a term that does not change with time.
static double left_side(const oracle_character *c, uint32_t machine, const lmb_term *term) {
    switch (term->operand) {
    case LMB_OPERAND_STATE:
        return c->machines[machine_of(c, term->machine_node)].current;
    case LMB_OPERAND_TRIGGER:
        return c->waits[machine][term->event] ? 1.0 : 0.0;
    case LMB_OPERAND_DRAW:
        return floor(c->draws[machine] / 256.0) / 16777216.0;
    case LMB_OPERAND_CHOICE:
        return floor((uint32_t)(c->draws[machine] * 0x9e3779b9u) / 256.0) / 16777216.0;
    default:
        return oracle_value(term->left, c->row, c->graph->def->curves);
    }
}

static bool is_position(const lmb_term *term) {
    return term->operand == LMB_OPERAND_PHASE || term->operand == LMB_OPERAND_REMAINING;
}

// Ticks until a term of a machine is true: 0 if it is now.
static int64_t term_due(oracle_character *c, uint32_t machine, const lmb_term *term) {
    if (!is_position(term)) {
        return compare(term->kind, left_side(c, machine, term),
                       oracle_value(term->right, c->row, c->graph->def->curves))
                   ? 0
                   : ORACLE_NEVER;
    }
    const uint32_t player = player_of(c, term->player_node);
    const oracle_player *p = &c->graph->players[player];
    const bool is_phase = term->operand == LMB_OPERAND_PHASE;
    const double ticks = term->right.constant * (double)(p->duration / ORACLE_UNITS);
    const int64_t limit = (is_phase ? (int64_t)round(ticks) : oracle_ticks(term->right.constant)) * ORACLE_UNITS;
    const int64_t time = c->players[player].time;
    const int64_t left = is_phase ? time : p->duration - time;
    const double error = oracle_time_error(c, player);
    if (p->def->group != LMB_NONE && c->groups[p->def->group].error > 0.0 &&
        ((double)llabs(left - limit) <= error || (double)time <= error || (double)(p->duration - time) <= error)) {
        c->close = "a phase in a group";
    }
    if (compare(term->kind, (double)left, (double)limit)) {
        return 0;
    }
    const int64_t at = is_phase ? limit : p->duration - limit;
    const int64_t rate = oracle_rate(c, player) * c->players[player].direction;
    const bool greater = term->kind == LMB_TERM_GREATER || term->kind == LMB_TERM_GREATER_EQUAL;
    const bool strict = term->kind == LMB_TERM_GREATER || term->kind == LMB_TERM_LESS;
    if (term->kind == LMB_TERM_EQUAL || rate == 0 || (rate > 0) != (greater == is_phase)) {
        return ORACLE_NEVER;
    }
    if (at > p->duration || (strict && at == (rate > 0 ? p->duration : 0)) ||
        (p->def->end == LMB_END_LOOP && at == p->duration)) {
        return ORACLE_NEVER;
    }
    return ticks_until(c, player, at, strict);
}

// Whether a transition's condition is true, or would be with all positions in clips `reached`.
static bool condition_holds(oracle_character *c, uint32_t machine, const lmb_transition_def *transition, bool reached) {
    bool stack[LMB_MAX_TERMS];
    uint32_t top = 0;
    for (uint32_t i = 0; i < transition->term_count; i++) {
        const lmb_term *term = &transition->terms[i];
        if (term->kind == LMB_TERM_AND || term->kind == LMB_TERM_OR) {
            const bool b = stack[--top], a = stack[top - 1];
            stack[top - 1] = term->kind == LMB_TERM_AND ? a && b : a || b;
        } else {
            stack[top++] = (reached && is_position(term)) || term_due(c, machine, term) == 0;
        }
    }
    return transition->term_count == 0 || stack[0];
}

static int64_t after_due(const oracle_character *c, uint32_t machine, const lmb_transition_def *transition) {
    const int64_t left = transition->after < 0.0f ? 0 : oracle_ticks(transition->after) - c->machines[machine].time;
    return left < 0 ? 0 : left;
}

static bool holds(oracle_character *c, uint32_t machine, const lmb_transition_def *transition) {
    const uint32_t clip = c->graph->machines[machine].clips[c->machines[machine].current];
    if (transition->at_end && (clip == LMB_NONE || end_due(c, clip, transition->event != LMB_NONE) > 0)) {
        return false;
    }
    return after_due(c, machine, transition) == 0 && condition_holds(c, machine, transition, false);
}

static bool leaves(const oracle_character *c, uint32_t machine, const lmb_transition_def *transition) {
    const uint32_t current = c->machines[machine].current;
    return transition->from == LMB_NONE ? transition->to != current || transition->to_self
                                        : transition->from == current;
}

// ---- Travel

// The length of the shortest path from a state to another one that has at most `most` transitions, or infinity.
static double path_length(const oracle_machine *m, uint32_t from, uint32_t to, uint32_t most) {
    double shortest = from == to ? 0.0 : HUGE_VAL;
    for (uint32_t i = 0; i < m->transition_count && from != to && most > 0; i++) {
        const lmb_transition_def *t = &m->transitions[i];
        if ((t->from == from || (t->from == LMB_NONE && t->to != from)) && t->to != from && t->travel_cost > 0) {
            shortest = fmin(shortest, t->travel_cost + path_length(m, t->to, to, most - 1));
        }
    }
    return shortest;
}

enum { TELEPORT = ORACLE_TRANSITIONS };

// The next transition on the way to the machine's destination: on a shortest path, the one that comes first.
static uint32_t next_step(const oracle_character *c, uint32_t machine) {
    const oracle_machine *m = &c->graph->machines[machine];
    const uint32_t from = c->machines[machine].current, to = c->machines[machine].destination;
    const double length = path_length(m, from, to, m->state_count);
    uint32_t best = TELEPORT;
    for (uint32_t i = 0; i < m->transition_count && length < HUGE_VAL; i++) {
        const lmb_transition_def *t = &m->transitions[i];
        if ((t->from == from || t->from == LMB_NONE) && t->to != from && t->travel_cost > 0 &&
            t->travel_cost + path_length(m, t->to, to, m->state_count) == length &&
            (best == TELEPORT || t->priority > m->transitions[best].priority)) {
            best = i;
        }
    }
    return best;
}

// Ticks until the step is cut for a transition on the way, or until the machine `takes` it: 0 if it may now. An end
// that the clip has just passed, or never reaches, cuts nothing.
static int64_t step_due(const oracle_character *c, uint32_t machine, uint32_t index, bool takes) {
    if (index == TELEPORT) {
        return 0;
    }
    const oracle_machine_state *state = &c->machines[machine];
    const lmb_transition_def *transition = &c->graph->machines[machine].transitions[index];
    const uint32_t clip = c->graph->machines[machine].clips[state->current];
    const int64_t fades = state->fade > 0 ? state->fade - state->fade_time : 0;
    int64_t latest = after_due(c, machine, transition);
    latest = fades > latest ? fades : latest;
    if (transition->at_end) {
        const int64_t due = clip == LMB_NONE ? ORACLE_NEVER : takes ? end_due(c, clip, false) : next_end(c, clip);
        latest = due > latest && (takes || due != ORACLE_NEVER) ? due : latest;
    }
    return latest;
}

static void begin_travel(oracle_character *c, uint32_t machine, uint32_t event) {
    oracle_machine_state *state = &c->machines[machine];
    for (uint32_t i = 0; i < c->graph->machines[machine].state_count; i++) {
        if (c->graph->machines[machine].states[i].travel_event == event) {
            state->travels = i != state->current;
            state->destination = i;
        }
    }
}

// The transition that a machine takes for an event, or for none with LMB_NONE.
static uint32_t find_transition(oracle_character *c, uint32_t machine, uint32_t event) {
    const oracle_machine *m = &c->graph->machines[machine];
    if (c->machines[machine].travels && event == LMB_NONE) {
        const uint32_t step = next_step(c, machine);
        return step_due(c, machine, step, true) == 0 ? step : LMB_NONE;
    }
    uint32_t best = LMB_NONE;
    for (uint32_t i = 0; i < m->transition_count; i++) {
        const lmb_transition_def *transition = &m->transitions[i];
        if (transition->event == event && leaves(c, machine, transition) && holds(c, machine, transition) &&
            (best == LMB_NONE || transition->priority > m->transitions[best].priority)) {
            best = i;
        }
    }
    return best;
}

// Ticks until the step is cut for a transition: the latest of what it waits for, without what it never reaches.
// ORACLE_NEVER if its condition would not be true then.
static int64_t transition_due(oracle_character *c, uint32_t machine, const lmb_transition_def *transition) {
    const uint32_t clip = c->graph->machines[machine].clips[c->machines[machine].current];
    int64_t latest = after_due(c, machine, transition);
    if (transition->at_end && clip != LMB_NONE) {
        const int64_t due = next_end(c, clip);
        latest = due != ORACLE_NEVER && due > latest ? due : latest;
    }
    for (uint32_t i = 0; i < transition->term_count; i++) {
        if (transition->terms[i].kind != LMB_TERM_AND && transition->terms[i].kind != LMB_TERM_OR) {
            const int64_t due = term_due(c, machine, &transition->terms[i]);
            latest = due != ORACLE_NEVER && due > latest ? due : latest;
        }
    }
    return latest > 0 && condition_holds(c, machine, transition, true) ? latest : ORACLE_NEVER;
}

// ---- Transitions

// The phase at which a transition has clips begin, in 2^-32, rounded down.
static int64_t find_start(const oracle_character *c, uint32_t machine, const lmb_transition_def *transition) {
    if (transition->start == LMB_START_PHASE) {
        return (int64_t)fmin(floor((double)transition->start_phase * 0x1p32), 0xffffffffp0);
    }
    const uint32_t clip = c->graph->machines[machine].clips[c->machines[machine].current];
    if (transition->start != LMB_START_SYNC || clip == LMB_NONE || c->graph->players[clip].duration == 0) {
        return OWN_OFFSET;
    }
    uint64_t rest = (uint64_t)c->players[clip].time, whole = (uint64_t)c->graph->players[clip].duration, found = 0;
    for (int bit = 31; bit >= 0; bit--) { // a quotient of 64 bits by 64
        rest *= 2;
        found |= rest >= whole ? (uint64_t)1 << bit : 0;
        rest -= rest >= whole ? whole : 0;
    }
    return (int64_t)found;
}

static void emit_state(oracle_character *c, lmb_emitted_kind kind, uint32_t machine, uint32_t state) {
    const lmb_state_def *def = &c->graph->machines[machine].states[state];
    const oracle_emitted emitted = {.event = kind == LMB_EMITTED_ENTRY ? def->entry_event : def->exit_event,
                                    .weight = scope_weight(c, (oracle_scope){machine, state}),
                                    .kind = kind,
                                    .source = machine,
                                    .part = state,
                                    .ticks = (double)c->piece_time};
    oracle_emit(c, &emitted);
}

static void take_transition(oracle_character *c, uint32_t machine, uint32_t index) {
    const oracle_machine *m = &c->graph->machines[machine];
    lmb_transition_def at_once = lmb_default_transition_def();
    at_once.fade = 0.0f;
    at_once.to = c->machines[machine].destination;
    const lmb_transition_def *transition = index == TELEPORT ? &at_once : &m->transitions[index];
    oracle_machine_state *state = &c->machines[machine];
    const uint32_t from = state->current, to = transition->to;
    const bool restarts = state->weights[to] == 0.0 || m->states[to].restart ||
                          (m->clips[to] != LMB_NONE && oracle_stays_at_end(&c->graph->players[m->clips[to]]) &&
                           oracle_is_at_end(c, m->clips[to]));
    const bool inertialized = transition->kind == LMB_FADE_INERTIALIZED || (restarts && state->weights[to] > 0.0);
    const int64_t phase = find_start(c, machine, transition);
    bool moved[ORACLE_PLAYERS];
    for (uint32_t i = 0; i < c->graph->player_count; i++) {
        moved[i] = oracle_scope_moves(c, c->graph->players[i].scope);
    }
    emit_state(c, LMB_EMITTED_EXIT, machine, from);
    for (uint32_t i = 0; i < m->state_count; i++) {
        const bool freezes = transition->kind == LMB_FADE_FROZEN && !inertialized;
        state->frozen[i] = i != to && (state->frozen[i] || freezes);
    }
    memcpy(state->begun, state->weights, sizeof state->begun);
    state->current = to;
    state->time = state->fade_time = 0;
    state->transition = index;
    state->fade = inertialized ? 0 : oracle_ticks(transition->fade);
    if (state->fade == 0) {
        for (uint32_t i = 0; i < m->state_count; i++) {
            state->weights[i] = state->begun[i] = i == to ? 1.0 : 0.0;
            state->frozen[i] = false;
        }
    }
    emit_state(c, LMB_EMITTED_ENTRY, machine, to);
    if (restarts) {
        restart_state(c, machine, to, moved, phase);
    }
    for (uint32_t i = 0; i < transition->term_count; i++) {
        if (transition->terms[i].operand == LMB_OPERAND_TRIGGER) {
            c->waits[machine][transition->terms[i].event] = false;
        }
    }
    step_draw(&c->draws[machine]);
}

// Takes transitions without an event until none applies. Returns false if the machine stops at the limit.
static bool take_all(oracle_character *c, uint32_t machine, uint32_t *taken) {
    uint32_t index;
    while ((index = find_transition(c, machine, LMB_NONE)) != LMB_NONE) {
        if (*taken == LMB_MAX_TRANSITIONS_A_FRAME) {
            c->counts.transitions++;
            return false;
        }
        take_transition(c, machine, index);
        c->machines[machine].travels =
            c->machines[machine].travels && c->machines[machine].current != c->machines[machine].destination;
        ++*taken;
    }
    return true;
}

static void run_machine(oracle_character *c, uint32_t machine, const uint32_t *events, uint32_t event_count) {
    uint32_t taken = 0;
    bool runs = take_all(c, machine, &taken);
    for (uint32_t i = 0; i < event_count && runs; i++) {
        const uint32_t index = find_transition(c, machine, events[i]);
        if (index == LMB_NONE) {
            begin_travel(c, machine, events[i]);
            runs = take_all(c, machine, &taken);
            continue;
        }
        if (taken == LMB_MAX_TRANSITIONS_A_FRAME) {
            c->counts.transitions++;
            return;
        }
        take_transition(c, machine, index);
        c->machines[machine].travels = false;
        taken++;
        runs = take_all(c, machine, &taken);
    }
}

// ---- One piece of a frame

static void advance_machine(oracle_character *c, uint32_t machine, int64_t ticks) {
    oracle_machine_state *state = &c->machines[machine];
    const oracle_machine *m = &c->graph->machines[machine];
    state->time += ticks;
    state->fade_time += ticks;
    if (state->fade == 0) {
        return;
    }
    const lmb_transition_def *transition = &m->transitions[state->transition];
    const double share = state->fade_time >= state->fade ? 1.0 : (double)state->fade_time / (double)state->fade;
    const double curved =
        oracle_control_curve(transition->curve, transition->curve_control, share, c->graph->def->curves);
    const double f = curved < 0.0 ? 0.0 : curved > 1.0 ? 1.0 : curved;
    for (uint32_t i = 0; i < m->state_count; i++) {
        const double w = state->begun[i];
        state->weights[i] = i == state->current ? w + (1.0 - w) * f : w * (1.0 - f);
        if (state->weights[i] > 0.0 && state->weights[i] < 1e-6) {
            c->close = "a state's weight is nearly 0";
        }
    }
    state->fade = share == 1.0 ? 0 : state->fade;
}

static void write_fades(oracle_character *c) {
    for (uint32_t i = 0; i < c->graph->machine_count; i++) {
        const oracle_machine *m = &c->graph->machines[i];
        if (m->fade != LMB_NONE) {
            const lmb_fade_def *fade = &c->graph->def->fades[m->fade];
            const uint32_t in = fade->begins_in ? 0 : 1;
            c->row[fade->parameter] = oracle_drops_out(c, i, in) ? 0.0 : c->machines[i].weights[in];
        }
    }
}

static void run_piece(oracle_character *c, int64_t ticks) {
    for (uint32_t i = 0; i < c->graph->machine_count; i++) {
        if (oracle_scope_moves(c, c->graph->machines[i].scope)) {
            advance_machine(c, i, ticks);
        }
    }
    write_fades(c);
    oracle_weights(c);
    oracle_advance_players(c, ticks);
}

// What is shown in a frame without an update: everything goes on with the weights of the last update.
static void show_between(oracle_character *c) {
    static oracle_character copy;
    copy = *c;
    for (uint32_t i = 0; i < c->graph->machine_count; i++) {
        if (oracle_scope_moves(&copy, c->graph->machines[i].scope)) {
            advance_machine(&copy, i, (int64_t)c->waited);
        }
    }
    oracle_advance_players(&copy, (int64_t)c->waited);
    c->close = copy.close;
    c->shown = copy.motion;
    memcpy(c->shown_slack, copy.slack, sizeof c->shown_slack);
}

// ---- Frames

static int64_t next_cut(oracle_character *c) {
    int64_t cut = ORACLE_NEVER;
    for (uint32_t i = 0; i < c->graph->machine_count; i++) {
        const oracle_machine *m = &c->graph->machines[i];
        if (!oracle_scope_is_current(c, m->scope)) {
            continue;
        }
        if (c->machines[i].travels) {
            const int64_t due = step_due(c, i, next_step(c, i), false);
            cut = due > 0 && due < cut ? due : cut;
        }
        for (uint32_t j = 0; j < m->transition_count && !c->machines[i].travels; j++) {
            if (m->transitions[j].event == LMB_NONE && leaves(c, i, &m->transitions[j])) {
                const int64_t due = transition_due(c, i, &m->transitions[j]);
                cut = due < cut ? due : cut;
            }
        }
    }
    return cut;
}

static void take_transitions(oracle_character *c, const uint32_t *events, uint32_t event_count) {
    for (uint32_t i = 0; i < c->graph->machine_count; i++) {
        for (uint32_t k = 0; k < event_count; k++) {
            if (waits_for(&c->graph->machines[i], events[k])) {
                c->waits[i][events[k]] = true;
            }
        }
    }
    for (uint32_t i = 0; i < c->graph->machine_count; i++) {
        if (oracle_scope_is_current(c, c->graph->machines[i].scope)) {
            run_machine(c, i, events, event_count);
        }
    }
}

// Advances a character by a step whose events take effect at its beginning, in up to `pieces` pieces. Returns how many.
// c->piece_time is where the step begins.
static uint32_t advance(oracle_character *c, uint64_t step, const uint32_t *events, uint32_t event_count,
                        uint32_t pieces) {
    int64_t left = (int64_t)step;
    uint32_t piece = 0;
    for (; piece == 0 || left > 0; piece++) {
        take_transitions(c, events, piece == 0 ? event_count : 0);
        for (uint32_t i = 0; i < c->graph->player_count && piece == 0; i++) {
            c->players[i].passed_in_frame = false;
        }
        const int64_t cut = piece + 1 == pieces ? ORACLE_NEVER : next_cut(c);
        const int64_t ticks = cut < left ? cut : left;
        run_piece(c, ticks);
        left -= ticks;
        c->piece_time += ticks;
    }
    return piece;
}

// An update: by the time since the last one, and by the frame's own step, at whose beginning events take effect. A
// reset begins a character that has not begun in this frame.
static void update(oracle_character *c, bool is_first, uint64_t step, const uint32_t *events, uint32_t event_count) {
    uint32_t first = event_count, pieces = LMB_MAX_PIECES_A_FRAME;
    while (first > 0 && events[first - 1] != LMB_EVENT_RESET) {
        first--;
    }
    c->piece_time = first > 0 ? 0 : -(int64_t)c->waited;
    if (first > 0 && !is_first) {
        begin_character(c);
    } else if (event_count > 0 && c->waited > 0) {
        pieces -= advance(c, c->waited, NULL, 0, pieces - 1);
    }
    step += event_count == 0 ? c->waited : 0;
    c->waited = 0;
    const uint32_t count = event_count - first;
    c->counts.sent_events += count > LMB_MAX_EVENTS_SENT ? count - LMB_MAX_EVENTS_SENT : 0;
    advance(c, step, events + first, count > LMB_MAX_EVENTS_SENT ? LMB_MAX_EVENTS_SENT : count, pieces);
    c->shown = c->motion;
    memcpy(c->shown_slack, c->slack, sizeof c->shown_slack);
}

static uint32_t period_of(const oracle_character *c) {
    const lmb_value *every = c->graph->def->update_every;
    const double value = every == NULL ? 1.0 : oracle_value(*every, c->row, c->graph->def->curves);
    return !isfinite(value) ? 1 : (uint32_t)floor(fmin(fmax(value, 1.0), 16.0));
}

void oracle_frame(oracle_character *c, uint64_t step, uint32_t number, const float *row, const uint32_t *events,
                  uint32_t event_count) {
    for (uint32_t i = 0; i < c->graph->def->parameter_count; i++) {
        c->row[i] = row[i];
    }
    write_fades(c);
    c->emitted_count = 0;
    c->step = oracle_no_motion;
    const bool is_first = !c->has_begun;
    if (is_first) {
        begin_character(c);
    }
    if ((number + c->phase) % period_of(c) != 0 && event_count == 0 && !is_first) { // the first frame is an update
        c->waited += step;
        if (c->graph->def->interpolate_updates) {
            show_between(c);
        }
        return;
    }
    update(c, is_first, step, events, event_count);
}
