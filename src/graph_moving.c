#include "graph_moving.h"

#include "control.h"
#include "graph_compiler.h"
#include "number.h"

#include "../shaders/ops/layout.h"

#include <string.h>

// The state that owns a pose, as indices. The machine is LMB_NONE if no state owns it.
typedef struct owner {
    uint32_t machine;
    uint32_t state;
} owner;

// A pose that is still to be visited.
typedef struct visit {
    uint32_t node;
    owner owner; // without its own fade
} visit;

// The transitions of a fade: in, again, out, at the end, after a time.
#define FADE_TRANSITIONS 5u

typedef struct lowering {
    lmb_moving *moving;
    const lmb_graph_def *def;
    lmb_error *error; // not NULL. Checks return false if they fail, and store it
    lmb_node_def *nodes;
    lmb_control_player_def *players;
    lmb_control_group_def *groups;
    uint32_t *members; // players of groups, one group after another
    lmb_control_machine_def *machines;
    lmb_control_state_def *states; // of all machines, one machine after another in the order in which they are found
    lmb_transition_def *fade_transitions;
    lmb_transition_def *transitions; // of machines, one after another
    lmb_term *terms;                 // of these transitions
    uint32_t transition_count;
    uint32_t term_count;
    owner *owners; // [node]
    bool *reached; // [node]
    bool *moves;   // [node]: whether a clip plays or a machine runs in it
    visit *visits;
    uint32_t visit_count;
    uint32_t state_count;
    uint32_t *fade_machines; // [fade]
} lowering;

static bool plays(const lmb_node_def *node) {
    return node->op == LMB_OP_CLIP && node->player != NULL;
}

static bool refuse_node(const lowering *l, uint32_t node, const char *what) {
    return lmb_refuse(l->error, LMB_ERROR_ARGUMENT, "graph: node %u (%s): %s", (unsigned)node,
                      lmb_op_name(l->def->nodes[node].op), what);
}

static bool refuse_fade(const lowering *l, uint32_t fade, const char *what) {
    return lmb_refuse(l->error, LMB_ERROR_ARGUMENT, "graph: fade %u: %s", (unsigned)fade, what);
}

bool lmb_graph_moves(const lmb_graph_def *def) {
    bool moves = def->smoothed_count > 0 || def->computed_count > 0 || def->fade_count > 0 || def->group_count > 0 ||
                 def->motion != NULL;
    const uint32_t count = def->nodes != NULL && def->node_count <= LMB_MAX_NODES ? def->node_count : 0;
    for (uint32_t i = 0; i < count && !moves; i++) {
        moves = plays(&def->nodes[i]) || def->nodes[i].op == LMB_OP_MACHINE;
    }
    return moves;
}

// Returns the fade of which a node is the pose, or LMB_NONE.
static uint32_t find_fade(const lmb_graph_def *def, uint32_t node) {
    uint32_t fade = 0;
    while (fade < def->fade_count && def->fades[fade].pose != node) {
        fade++;
    }
    return fade < def->fade_count ? fade : LMB_NONE;
}

// ---- Checks that neither the nodes' own checks nor those of the control include, and checks of counts by which lists
// are read here.

static bool is_time(float seconds) {
    return seconds >= 0.0f && seconds <= LMB_MAX_CONTROL_SECONDS;
}

static const char *find_fault(const lowering *l, uint32_t index) {
    const lmb_fade_def *fade = &l->def->fades[index];
    const uint32_t events = l->def->event_count;
    return fade->cookie != LMB_COOKIE                                        ? "it is not from lmb_default_fade_def()"
           : fade->parameter >= l->def->parameter_count                      ? "parameter: there is no such parameter"
           : fade->pose != LMB_NONE && fade->pose >= l->def->node_count      ? "pose: there is no such node"
           : find_fade(l->def, fade->pose) < index && fade->pose != LMB_NONE ? "pose: another fade has it"
           : fade->in_event >= events                                        ? "in_event: there is no such event"
           : fade->out_event != LMB_NONE && fade->out_event >= events        ? "out_event: there is no such event"
           : fade->restart && fade->in_event == fade->out_event              ? "restart: the same event fades it out"
           : !is_time(fade->in_seconds)                                      ? "in_seconds: out of range"
           : !is_time(fade->out_seconds)                                     ? "out_seconds: out of range"
           : !(fade->after < 0.0f) && !is_time(fade->after)                  ? "after: out of range"
                                                                             : NULL;
}

static bool check_lists(const lowering *l) {
    const lmb_graph_def *def = l->def;
    bool valid = lmb_check_list(l->error, "graph", "groups", def->groups, def->group_count, LMB_MAX_PLAYERS) &&
                 lmb_check_list(l->error, "graph", "fades", def->fades, def->fade_count, LMB_MAX_MACHINES) &&
                 lmb_check_list(l->error, "graph", "smoothed parameters", def->smoothed, def->smoothed_count,
                                LMB_MAX_PARAMETERS) &&
                 lmb_check_list(l->error, "graph", "computed parameters", def->computed, def->computed_count,
                                LMB_MAX_PARAMETERS);
    for (uint32_t i = 0; valid && i < def->fade_count; i++) {
        const char *fault = find_fault(l, i);
        valid = fault == NULL || refuse_fade(l, i, fault);
    }
    return valid;
}

static bool check_cookie(const lowering *l, uint32_t cookie, const char *what, uint32_t index, const char *type) {
    return cookie == LMB_COOKIE ||
           lmb_refuse(l->error, LMB_ERROR_ARGUMENT, "graph: %s %u: it is not from lmb_default_%s_def()", what,
                      (unsigned)index, type);
}

static bool check_cookies(const lowering *l) {
    const lmb_graph_def *def = l->def;
    bool valid =
        def->motion == NULL || def->motion->cookie == LMB_COOKIE ||
        lmb_refuse(l->error, LMB_ERROR_ARGUMENT, "graph: character motion: it is not from lmb_default_motion_def()");
    for (uint32_t i = 0; valid && i < def->group_count; i++) {
        valid = check_cookie(l, def->groups[i].cookie, "group", i, "group");
    }
    for (uint32_t i = 0; valid && i < def->smoothed_count; i++) {
        valid = check_cookie(l, def->smoothed[i].cookie, "smoothed parameter", i, "smoothed");
    }
    for (uint32_t i = 0; valid && i < def->computed_count; i++) {
        valid = check_cookie(l, def->computed[i].cookie, "computed parameter", i, "computed");
    }
    return valid;
}

static const char *find_transition_fault(const lmb_transition_def *transition) {
    return transition->cookie != LMB_COOKIE ? "machine: transitions: one is not from lmb_default_transition_def()"
           : transition->term_count > 0 && transition->terms == NULL ? "machine: transitions: terms: they are NULL"
           : transition->term_count > LMB_MAX_TERMS                  ? "machine: transitions: terms: there are too many"
                                                                     : NULL;
}

static bool check_machine(const lowering *l, uint32_t index) {
    const lmb_node_def *node = &l->def->nodes[index];
    const lmb_machine_def *machine = node->machine;
    const char *fault =
        machine == NULL                             ? "machine: it is NULL"
        : machine->states == NULL                   ? "machine: states: they are NULL"
        : machine->state_count != node->input_count ? "machine: it has another number of states than inputs"
        : machine->transition_count > 0 && machine->transitions == NULL ? "machine: transitions: they are NULL"
        : machine->transition_count > LMB_MAX_TRANSITIONS               ? "machine: transitions: there are too many"
                                                                        : NULL;
    for (uint32_t i = 0; fault == NULL && i < machine->state_count; i++) {
        fault =
            machine->states[i].cookie != LMB_COOKIE ? "machine: states: one is not from lmb_default_state_def()" : NULL;
    }
    for (uint32_t i = 0; fault == NULL && i < machine->transition_count; i++) {
        fault = find_transition_fault(&machine->transitions[i]);
    }
    bool valid = fault == NULL || refuse_node(l, index, fault);
    for (uint32_t i = 0; valid && i < machine->transition_count; i++) {
        const uint32_t profile = machine->transitions[i].profile;
        valid = profile == LMB_NONE || profile < l->def->mask_count ||
                lmb_refuse(l->error, LMB_ERROR_ARGUMENT,
                           "graph: node %u (machine): machine: transition %u: profile: there is no such mask",
                           (unsigned)index, (unsigned)i);
    }
    return valid;
}

static bool check_player(const lowering *l, uint32_t index) {
    const lmb_node_def *node = &l->def->nodes[index];
    const char *fault = node->player->cookie != LMB_COOKIE ? "player: it is not from lmb_default_player_def()"
                        : node->clip.kind == LMB_VALUE_PARAMETER || node->clip.curve != LMB_CURVE_LINEAR
                            ? "player: a clip that plays is a constant"
                        : node->player->group != LMB_NONE && node->player->group >= l->def->group_count
                            ? "player: group: there is no such group"
                            : NULL;
    return fault == NULL || refuse_node(l, index, fault);
}

static bool check_nodes(const lowering *l) {
    bool valid = true;
    for (uint32_t i = 0; i < l->def->node_count && valid; i++) {
        valid = plays(&l->def->nodes[i])                ? check_player(l, i)
                : l->def->nodes[i].op == LMB_OP_MACHINE ? check_machine(l, i)
                                                        : true;
    }
    return valid;
}

// Returns a fault of the values of a node that plays or is a machine, or NULL.
static const char *find_value_fault(const lowering *l, const lmb_node_def *node) {
    const uint32_t parameters = l->def->parameter_count;
    const uint32_t transitions = node->op == LMB_OP_MACHINE ? node->machine->transition_count : 0;
    const char *fault = plays(node) ? lmb_value_fault(node->player->rate, parameters) : NULL;
    for (uint32_t i = 0; i < transitions; i++) {
        const lmb_transition_def *transition = &node->machine->transitions[i];
        for (uint32_t k = 0; k < transition->term_count && fault == NULL; k++) {
            fault = lmb_value_fault(transition->terms[k].left, parameters);
            fault = fault == NULL ? lmb_value_fault(transition->terms[k].right, parameters) : fault;
        }
    }
    return fault;
}

// Checks nodes that the result does not use, because the control does not have them.
static bool check_unused(const lowering *l) {
    bool valid = true;
    for (uint32_t i = 0; i < l->def->node_count && valid; i++) {
        const char *fault = l->reached[i] ? NULL : find_value_fault(l, &l->def->nodes[i]);
        valid = fault == NULL || refuse_node(l, i, fault);
    }
    return valid;
}

// ---- Memory.

void lmb_moving_release(lmb_moving *moving) {
    moving->memory.host = &moving->host; // it may have been copied
    lmb_arena_release(&moving->memory);
}

static bool allocate_all(lowering *l, lmb_arena *scratch) {
    const lmb_graph_def *def = l->def;
    uint32_t players = 0, machines = def->fade_count, states = 2 * def->fade_count;
    size_t visits = 1, transitions = 0, terms = 0;
    for (uint32_t i = 0; i < def->node_count; i++) {
        const lmb_node_def *node = &def->nodes[i];
        players += plays(node);
        machines += node->op == LMB_OP_MACHINE;
        states += node->op == LMB_OP_MACHINE ? node->input_count : 0;
        visits += node->input_count;
        transitions += node->op == LMB_OP_MACHINE ? node->machine->transition_count : 0;
        for (uint32_t k = 0; node->op == LMB_OP_MACHINE && k < node->machine->transition_count; k++) {
            terms += node->machine->transitions[k].term_count;
        }
    }
    lmb_moving *moving = l->moving;
    l->nodes = lmb_arena_allocate(&moving->memory, def->node_count, sizeof *l->nodes);
    l->players = lmb_arena_allocate(&moving->memory, players, sizeof *l->players);
    l->groups = lmb_arena_allocate(&moving->memory, def->group_count, sizeof *l->groups);
    l->members = lmb_arena_allocate(&moving->memory, players, sizeof *l->members);
    l->machines = lmb_arena_allocate(&moving->memory, machines, sizeof *l->machines);
    l->states = lmb_arena_allocate(&moving->memory, states, sizeof *l->states);
    l->fade_transitions =
        lmb_arena_allocate(&moving->memory, (size_t)FADE_TRANSITIONS * def->fade_count, sizeof *l->fade_transitions);
    l->transitions = lmb_arena_allocate(&moving->memory, transitions, sizeof *l->transitions);
    l->terms = lmb_arena_allocate(&moving->memory, terms, sizeof *l->terms);
    l->fade_machines = lmb_arena_allocate(&moving->memory, def->fade_count, sizeof *l->fade_machines);
    moving->player_nodes = lmb_arena_allocate(&moving->memory, players, sizeof *moving->player_nodes);
    moving->machines = lmb_arena_allocate(&moving->memory, machines, sizeof *moving->machines);
    moving->first_parameters = lmb_arena_allocate(&moving->memory, def->node_count, sizeof *moving->first_parameters);
    l->owners = lmb_arena_allocate(scratch, def->node_count, sizeof *l->owners);
    l->reached = lmb_arena_allocate(scratch, def->node_count, sizeof *l->reached);
    l->moves = lmb_arena_allocate(scratch, def->node_count, sizeof *l->moves);
    l->visits = lmb_arena_allocate(scratch, visits, sizeof *l->visits);
    return !(moving->memory.failed || scratch->failed) ||
           lmb_refuse(l->error, LMB_ERROR_MEMORY, "graph: no memory for what moves by itself");
}

// ---- Parameters.

// Returns the parameters of a machine: the weights of its states, and those that joints need for a fade with a blend
// profile.
static uint32_t count_weights(const lmb_node_def *node) {
    const uint32_t states = node->machine->state_count;
    return states + (lmb_graph_profile_count(node) > 0 ? PROFILED_NUMBERS(states) : 0);
}

static bool number_parameters(lowering *l) {
    const lmb_graph_def *def = l->def;
    uint32_t count = def->parameter_count;
    bool inertialized = false;
    for (uint32_t i = 0; i < def->node_count; i++) {
        const lmb_node_def *node = &def->nodes[i];
        const uint32_t own = plays(node) ? 1 : node->op == LMB_OP_MACHINE ? count_weights(node) : 0;
        l->moving->first_parameters[i] = own > 0 ? count : LMB_NONE;
        count += own;
        for (uint32_t k = 0; l->reached[i] && node->op == LMB_OP_MACHINE && k < node->machine->transition_count; k++) {
            inertialized = inertialized || node->machine->transitions[k].kind == LMB_FADE_INERTIALIZED;
        }
    }
    lmb_graph_def *poses = &l->moving->poses;
    *poses = *def;
    if (inertialized && def->inertialize) {
        return lmb_refuse(l->error, LMB_ERROR_ARGUMENT,
                          "graph: inertialize: a machine does it already, by a transition that is inertialized");
    }
    if (inertialized) {
        poses->inertialize = true;
        poses->inertia_parameters = count;
        count += LMB_INERTIA_PARAMETERS;
    }
    poses->parameter_count = count;
    if (count > LMB_MAX_PARAMETERS) {
        return lmb_refuse(l->error, LMB_ERROR_LIMIT,
                          "graph: %u parameters, those of clips and states among them, and at most %u are possible",
                          (unsigned)count, LMB_MAX_PARAMETERS);
    }
    lmb_control_def *control = &l->moving->control;
    control->parameter_count = count;
    control->added_parameters = count - def->parameter_count;
    control->inertialize = inertialized;
    control->inertia_parameters = poses->inertia_parameters;
    return true;
}

// ---- Owning states: from the last node down, machines before those inside their states.

static uint32_t add_machine(lowering *l, owner outside, uint32_t states, lmb_control_origin from) {
    const uint32_t index = l->moving->control.machine_count++;
    l->machines[index] = (lmb_control_machine_def){.states = l->states + l->state_count,
                                                   .state_count = states,
                                                   .machine = outside.machine,
                                                   .state = outside.state};
    l->moving->machines[index] = from;
    for (uint32_t i = 0; i < states; i++) {
        l->states[l->state_count++] = lmb_default_control_state_def();
    }
    return index;
}

// Returns the state of a fade in which its pose has a weight.
static uint32_t in_state(const lmb_fade_def *fade) {
    return fade->begins_in ? 0 : 1;
}

// Finds the state that owns a visited pose: that of its fade if it has one.
static bool enter(lowering *l, const visit *at, owner *own) {
    const uint32_t fade = find_fade(l->def, at->node);
    *own = at->owner;
    if (fade == LMB_NONE) {
        return true;
    }
    uint32_t *machine = &l->fade_machines[fade];
    if (*machine == LMB_NONE) {
        *machine = add_machine(l, at->owner, 2, (lmb_control_origin){LMB_NONE, fade});
    }
    *own = (owner){*machine, in_state(&l->def->fades[fade])};
    return (l->machines[*machine].machine == at->owner.machine && l->machines[*machine].state == at->owner.state) ||
           refuse_fade(l, fade, "its pose is used in several states");
}

static void visit_inputs(lowering *l, uint32_t index, owner own) {
    const lmb_node_def *node = &l->def->nodes[index];
    const bool is_machine = node->op == LMB_OP_MACHINE;
    if (is_machine) {
        own.machine = add_machine(l, own, node->input_count, (lmb_control_origin){index, LMB_NONE});
    }
    for (uint32_t i = node->input_count; i-- > 0;) {
        own.state = is_machine ? i : own.state;
        l->visits[l->visit_count++] = (visit){node->inputs[i], own};
    }
}

static void find_moving(const lowering *l) {
    for (uint32_t i = 0; i < l->def->node_count; i++) {
        const lmb_node_def *node = &l->def->nodes[i];
        l->moves[i] = plays(node) || node->op == LMB_OP_MACHINE || find_fade(l->def, i) != LMB_NONE;
        for (uint32_t k = 0; k < node->input_count; k++) {
            l->moves[i] = l->moves[i] || l->moves[node->inputs[k]];
        }
    }
}

static bool find_owners(lowering *l) {
    const owner none = {LMB_NONE, 0};
    find_moving(l);
    for (uint32_t i = 0; i < l->def->fade_count; i++) {
        l->fade_machines[i] = LMB_NONE;
    }
    l->visits[l->visit_count++] = (visit){l->def->node_count - 1, none};
    while (l->visit_count > 0) {
        const visit at = l->visits[--l->visit_count];
        owner own;
        if (!enter(l, &at, &own)) {
            return false;
        }
        const owner before = l->owners[at.node];
        if (!l->reached[at.node]) {
            l->reached[at.node] = true;
            l->owners[at.node] = own;
            visit_inputs(l, at.node, own);
        } else if (l->moves[at.node] && (before.machine != own.machine || before.state != own.state)) {
            return refuse_node(l, at.node, "it moves by itself, and is used in several states");
        }
    }
    for (uint32_t i = 0; i < l->def->fade_count; i++) { // fades without a pose
        if (l->fade_machines[i] == LMB_NONE) {
            l->fade_machines[i] = add_machine(l, none, 2, (lmb_control_origin){LMB_NONE, i});
        }
    }
    return true;
}

// ---- Players and groups.

static lmb_control_state_def *state_of(lowering *l, owner own) {
    // The states were allocated here, so they may be written.
    return (lmb_control_state_def *)(uintptr_t)&l->machines[own.machine].states[own.state];
}

static void add_player(lowering *l, uint32_t index) {
    const lmb_node_def *node = &l->def->nodes[index];
    const lmb_player_def *from = node->player;
    const owner own = l->owners[index];
    const uint32_t player = l->moving->control.player_count++;
    l->players[player] = (lmb_control_player_def){
        .duration = lmb_clip_duration(l->def->clips[(uint32_t)node->clip.constant]),
        .rate = from->rate,
        .offset = from->offset,
        .end = from->end,
        .time_parameter = l->moving->first_parameters[index],
        .weight_parameter = LMB_NONE,
        .ended_event = from->ended_event,
        .looped_event = from->looped_event,
        .machine = own.machine,
        .state = own.state,
        .markers = from->markers,
        .marker_count = from->marker_count,
        .notifies = from->notifies,
        .notify_count = from->notify_count,
        .velocity = from->velocity,
        .motion = from->motion,
        .warps = from->warps,
        .warp_count = from->warp_count,
    };
    l->moving->player_nodes[player] = index;
    if (own.machine != LMB_NONE && state_of(l, own)->end_player == LMB_NONE) {
        state_of(l, own)->end_player = player;
    }
}

static bool fill_groups(lowering *l) {
    const lmb_control_def *control = &l->moving->control;
    uint32_t *members = l->members;
    for (uint32_t i = 0; i < l->def->group_count; i++) {
        lmb_control_group_def *group = &l->groups[i];
        *group = (lmb_control_group_def){.players = members,
                                         .cadence = l->def->groups[i].cadence,
                                         .velocity_parameter = l->def->groups[i].velocity_parameter};
        for (uint32_t k = 0; k < control->player_count; k++) {
            if (l->def->nodes[l->moving->player_nodes[k]].player->group == i) {
                members[group->player_count++] = k;
            }
        }
        if (group->player_count == 0) {
            return lmb_refuse(l->error, LMB_ERROR_ARGUMENT, "graph: group %u: no clip plays in it", (unsigned)i);
        }
        group->rate = l->players[members[0]].rate;
        members += group->player_count;
    }
    return true;
}

// ---- Machines.

static uint32_t find_player(const lowering *l, uint32_t node) {
    for (uint32_t i = 0; i < l->moving->control.player_count; i++) {
        if (l->moving->player_nodes[i] == node) {
            return i;
        }
    }
    return LMB_NONE;
}

// Assigns the parameter of a state's weight to the state, except if the state's pose is a clip that drops out: then to
// its player.
static void weigh_state(lowering *l, owner own, uint32_t pose, uint32_t parameter) {
    if (pose != LMB_NONE && l->def->nodes[pose].op == LMB_OP_MAKE_ADDITIVE) {
        pose = l->def->nodes[pose].inputs[0]; // an additive clip
    }
    const uint32_t player = pose != LMB_NONE ? find_player(l, pose) : LMB_NONE;
    if (player != LMB_NONE && l->players[player].end == LMB_END_ONCE) {
        l->players[player].weight_parameter = parameter;
    } else {
        state_of(l, own)->weight_parameter = parameter;
    }
}

// Copies transitions. In the copy, conditions name players instead of nodes, and blend profiles are numbered.
static const lmb_transition_def *copy_transitions(lowering *l, const lmb_machine_def *machine) {
    lmb_transition_def *to = l->transitions + l->transition_count;
    uint32_t profiles = 0;
    for (uint32_t i = 0; i < machine->transition_count; i++) {
        lmb_term *terms = l->terms + l->term_count;
        to[i] = machine->transitions[i];
        to[i].profile = to[i].profile != LMB_NONE ? profiles++ : LMB_NONE;
        to[i].terms = to[i].terms != NULL ? terms : NULL;
        for (uint32_t k = 0; to[i].terms != NULL && k < to[i].term_count; k++) {
            terms[k] = machine->transitions[i].terms[k];
            terms[k].player_node = terms[k].operand != LMB_OPERAND_VALUE ? find_player(l, terms[k].player_node) : 0;
        }
        l->term_count += to[i].terms != NULL ? to[i].term_count : 0;
    }
    l->transition_count += machine->transition_count;
    return to;
}

static void fill_machine(lowering *l, uint32_t index, uint32_t node_index) {
    const lmb_node_def *node = &l->def->nodes[node_index];
    const lmb_machine_def *machine = node->machine;
    l->machines[index].transitions = copy_transitions(l, machine);
    l->machines[index].transition_count = machine->transition_count;
    l->machines[index].profile_parameter = l->moving->first_parameters[node_index] + machine->state_count;
    for (uint32_t i = 0; i < machine->state_count; i++) {
        const owner own = {index, i};
        lmb_control_state_def *state = state_of(l, own);
        state->entry_event = machine->states[i].entry_event;
        state->exit_event = machine->states[i].exit_event;
        state->restart = machine->states[i].restart;
        weigh_state(l, own, node->inputs[i], l->moving->first_parameters[node_index] + i);
    }
}

// Writes the transitions in the order in which one of several is taken.
static uint32_t write_transitions(const lmb_fade_def *fade, lmb_transition_def *transitions) {
    const uint32_t in = in_state(fade), out = 1 - in;
    uint32_t count = 0;
    lmb_transition_def def = lmb_default_transition_def();
    def.curve = fade->curve;
    def.fade = fade->in_seconds;
    def.from = out;
    def.to = in;
    def.event = fade->in_event;
    transitions[count++] = def;
    if (fade->restart) {
        def.from = in;
        transitions[count++] = def;
    }
    def.fade = fade->out_seconds;
    def.from = in;
    def.to = out;
    def.event = fade->out_event;
    if (def.event != LMB_NONE) {
        transitions[count++] = def;
    }
    def.event = LMB_NONE;
    def.at_end = true;
    if (fade->at_end) {
        transitions[count++] = def;
    }
    def.at_end = false;
    def.after = fade->after;
    if (def.after >= 0.0f) {
        transitions[count++] = def;
    }
    return count;
}

static void fill_fade(lowering *l, uint32_t index) {
    const lmb_fade_def *fade = &l->def->fades[index];
    const owner own = {l->fade_machines[index], in_state(fade)};
    lmb_transition_def *transitions = l->fade_transitions + (size_t)FADE_TRANSITIONS * index;
    lmb_control_machine_def *machine = &l->machines[own.machine];
    machine->transitions = transitions;
    machine->transition_count = write_transitions(fade, transitions);
    state_of(l, own)->restart = fade->restart;
    weigh_state(l, own, fade->pose, fade->parameter);
}

static bool check_fades(lowering *l) {
    bool valid = true;
    for (uint32_t i = 0; i < l->def->fade_count && valid; i++) {
        const owner own = {l->fade_machines[i], in_state(&l->def->fades[i])};
        valid = !l->def->fades[i].at_end || state_of(l, own)->end_player != LMB_NONE ||
                refuse_fade(l, i, "at_end: no clip plays in its pose");
    }
    return valid;
}

static void fill_machines(lowering *l) {
    for (uint32_t i = 0; i < l->moving->control.machine_count; i++) {
        const lmb_control_origin *from = &l->moving->machines[i];
        if (from->node != LMB_NONE) {
            fill_machine(l, i, from->node);
        } else {
            fill_fade(l, from->fade);
        }
    }
}

// ---- Nodes.

static void write_nodes(lowering *l) {
    memcpy(l->nodes, l->def->nodes, l->def->node_count * sizeof *l->nodes);
    for (uint32_t i = 0; i < l->def->node_count; i++) {
        lmb_node_def *node = &l->nodes[i];
        if (plays(node)) {
            node->time = lmb_parameter(l->moving->first_parameters[i]);
            node->rate = lmb_constant(1.0f);
            node->offset = lmb_constant(0.0f);
            node->loop = false;
        }
        if (node->op == LMB_OP_MACHINE) {
            node->weights[0] = lmb_parameter(l->moving->first_parameters[i]); // the others follow: count_weights()
        }
    }
    l->moving->poses.nodes = l->nodes;
}

static void write_control(lowering *l) {
    lmb_control_def *control = &l->moving->control;
    control->event_count = l->def->event_count;
    control->smoothed = l->def->smoothed;
    control->smoothed_count = l->def->smoothed_count;
    control->computed = l->def->computed;
    control->computed_count = l->def->computed_count;
    control->players = l->players;
    control->player_nodes = l->moving->player_nodes;
    control->machine_origins = l->moving->machines;
    control->groups = l->groups;
    control->group_count = l->def->group_count;
    control->machines = l->machines;
    control->motion = l->def->motion;
    control->max_emitted_events =
        l->def->max_emitted_events > 0 ? l->def->max_emitted_events : control->max_emitted_events;
    control->interpolate_updates = l->def->interpolate_updates;
    control->update_every = l->def->update_every != NULL ? *l->def->update_every : control->update_every;
}

static bool lower(lowering *l, lmb_arena *scratch) {
    if (!check_lists(l) || !check_cookies(l) || !check_nodes(l) || !allocate_all(l, scratch) || !find_owners(l) ||
        !check_unused(l) || !number_parameters(l)) {
        return false;
    }
    for (uint32_t i = 0; i < l->def->node_count; i++) {
        if (plays(&l->def->nodes[i]) && l->reached[i]) {
            add_player(l, i);
        }
    }
    if (!fill_groups(l) || !check_fades(l)) {
        return false;
    }
    fill_machines(l);
    write_nodes(l);
    write_control(l);
    return true;
}

lmb_result lmb_moving_create(const lmb_graph_def *def, const lmb_host *host, lmb_moving *moving, lmb_error *error) {
    *moving = (lmb_moving){.host = lmb_host_resolve(host), .control = lmb_default_control_def()};
    moving->memory.host = &moving->host;
    lmb_error unread;
    lowering l = {.moving = moving, .def = def, .error = error != NULL ? error : &unread};
    lmb_arena scratch = {.host = &moving->host};
    const bool valid = lower(&l, &scratch);
    lmb_arena_release(&scratch);
    if (!valid) {
        lmb_moving_release(moving);
    }
    return valid ? LMB_OK : l.error->result;
}
