#include "control_def.h"

#include <stdlib.h>

control_player_def default_control_player_def(void) {
    return (control_player_def){.rate = lmb_constant(1.0f),
                                .time_parameter = LMB_NONE,
                                .weight_parameter = LMB_NONE,
                                .ended_event = LMB_NONE,
                                .looped_event = LMB_NONE,
                                .machine = LMB_NONE};
}

control_state_def default_control_state_def(void) {
    return (control_state_def){.weight_parameter = LMB_NONE,
                               .end_player = LMB_NONE,
                               .entry_event = LMB_NONE,
                               .exit_event = LMB_NONE,
                               .travel_event = LMB_NONE};
}

control_def default_control_def(void) {
    return (control_def){.max_emitted_events = 8, .update_every = lmb_constant(1.0f)};
}

// The graph, and what it was split into.
typedef struct building {
    const control_def *from;
    lmb_graph_def graph;
    lmb_moving moving;
    lmb_node_def *nodes;
    lmb_player_def *players;
    lmb_machine_def *machines;
    lmb_state_def *states;        // of all machines
    lmb_moving_state *own_states; // likewise
    lmb_group_def *groups;
    lmb_fade_def *fades; // have the parameters of weights, which a graph can only name as those of fades
    lmb_smoothed_def *smoothed;
    lmb_computed_def *computed;
    lmb_motion_def motion;
} building;

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

static void add_weight(building *b, uint32_t parameter) {
    if (parameter != LMB_NONE) {
        b->fades[b->graph.fade_count++].parameter = parameter;
    }
}

static void build_players(building *b) {
    for (uint32_t i = 0; i < b->from->player_count; i++) {
        const control_player_def *from = &b->from->players[i];
        b->players[i] = (lmb_player_def){.rate = from->rate,
                                         .offset = from->offset,
                                         .end = from->end,
                                         .ended_event = from->ended_event,
                                         .looped_event = from->looped_event,
                                         .group = LMB_NONE,
                                         .markers = from->markers,
                                         .marker_count = from->marker_count,
                                         .notifies = from->notifies,
                                         .notify_count = from->notify_count,
                                         .velocity = from->velocity,
                                         .motion = from->motion,
                                         .warps = from->warps,
                                         .warp_count = from->warp_count,
                                         .repetitions = from->repetitions,
                                         .drops_out = from->drops_out,
                                         .delay = from->delay,
                                         .sync_node = from->sync > 0 ? from->sync - 1 : LMB_NONE,
                                         .random_offset = from->random_offset,
                                         .cookie = LMB_COOKIE};
        b->moving.players[i] = (lmb_moving_player){.node = i,
                                                   .def = &b->players[i],
                                                   .duration = from->duration,
                                                   .time_parameter = from->time_parameter,
                                                   .weight_parameter = from->weight_parameter,
                                                   .travel = 1.0f,
                                                   .machine = from->machine,
                                                   .state = from->state};
        b->nodes[i] = lmb_default_node_def();
        b->nodes[i].op = LMB_OP_CLIP;
        b->nodes[i].player = &b->players[i];
        b->moving.player_of[i] = i;
        add_weight(b, from->weight_parameter);
    }
}

static void build_groups(building *b) {
    for (uint32_t i = 0; i < b->from->group_count; i++) {
        const control_group_def *from = &b->from->groups[i];
        b->groups[i] = lmb_default_group_def();
        b->groups[i].cadence = from->cadence;
        b->groups[i].velocity_parameter = from->velocity_parameter;
        for (uint32_t k = 0; k < from->player_count; k++) {
            b->players[from->players[k]].group = i;
            b->players[from->players[k]].rate = from->rate;
        }
    }
}

static void build_machines(building *b) {
    uint32_t first = 0;
    for (uint32_t i = 0; i < b->from->machine_count; i++) {
        const control_machine_def *from = &b->from->machines[i];
        const lmb_matching_def *matching = b->from->matchings != NULL ? b->from->matchings[i] : NULL;
        const uint32_t node = b->from->player_count + i;
        for (uint32_t k = 0; k < from->state_count; k++) {
            const control_state_def *state = &from->states[k];
            b->own_states[first + k] = (lmb_moving_state){state->weight_parameter, state->end_player};
            b->states[first + k] = lmb_default_state_def();
            b->states[first + k].entry_event = state->entry_event;
            b->states[first + k].exit_event = state->exit_event;
            b->states[first + k].restart = state->restart;
            b->states[first + k].travel_event = state->travel_event;
            add_weight(b, state->weight_parameter);
        }
        b->machines[i] = (lmb_machine_def){.states = b->states + first,
                                           .state_count = from->state_count,
                                           .transitions = from->transitions,
                                           .transition_count = from->transition_count,
                                           .matching = matching};
        b->moving.machines[i] = (lmb_moving_machine){.node = node,
                                                     .def = b->machines[i],
                                                     .states = b->own_states + first,
                                                     .machine = from->machine,
                                                     .state = from->state,
                                                     .profile_parameter = from->profile_parameter};
        if (matching != NULL &&
            lmb_motion_database_open(matching->database, matching->database_words * sizeof(uint32_t), NULL,
                                     &b->moving.machines[i].database, NULL) != LMB_OK) {
            abort();
        }
        b->nodes[node] = lmb_default_node_def();
        b->nodes[node].op = LMB_OP_MACHINE;
        b->nodes[node].machine = &b->machines[i];
        b->moving.player_of[node] = LMB_NONE;
        b->moving.machine_of[node] = i;
        first += from->state_count;
    }
}

// Copies what a test may have written without a default function.
static void build_parameters(building *b) {
    for (uint32_t i = 0; i < b->from->smoothed_count; i++) {
        b->smoothed[i] = b->from->smoothed[i];
        b->smoothed[i].cookie = LMB_COOKIE;
    }
    for (uint32_t i = 0; i < b->from->computed_count; i++) {
        b->computed[i] = b->from->computed[i];
        b->computed[i].cookie = LMB_COOKIE;
    }
    if (b->from->motion != NULL) {
        b->motion = *b->from->motion;
        b->motion.cookie = LMB_COOKIE;
    }
}

static void build(building *b, const control_def *def) {
    uint32_t states = 0;
    for (uint32_t i = 0; i < def->machine_count; i++) {
        states += def->machines[i].state_count;
    }
    const uint32_t nodes = def->player_count + def->machine_count;
    b->from = def;
    b->nodes = allocate(nodes, sizeof *b->nodes);
    b->players = allocate(def->player_count, sizeof *b->players);
    b->machines = allocate(def->machine_count, sizeof *b->machines);
    b->states = allocate(states, sizeof *b->states);
    b->own_states = allocate(states, sizeof *b->own_states);
    b->groups = allocate(def->group_count, sizeof *b->groups);
    b->fades = allocate(states + def->player_count, sizeof *b->fades);
    b->smoothed = allocate(def->smoothed_count, sizeof *b->smoothed);
    b->computed = allocate(def->computed_count, sizeof *b->computed);
    b->graph = (lmb_graph_def){.nodes = b->nodes,
                               .node_count = nodes,
                               .parameter_count = def->parameter_count,
                               .event_count = def->event_count,
                               .mask_count = LMB_MAX_TRANSITIONS,
                               .smoothed = b->smoothed,
                               .smoothed_count = def->smoothed_count,
                               .computed = b->computed,
                               .computed_count = def->computed_count,
                               .groups = b->groups,
                               .group_count = def->group_count,
                               .fades = b->fades,
                               .motion = def->motion != NULL ? &b->motion : NULL,
                               .curves = def->curves,
                               .curve_count = def->curve_count,
                               .interpolate_updates = def->interpolate_updates};
    b->moving = (lmb_moving){.def = &b->graph,
                             .poses = {.parameter_count = def->parameter_count},
                             .players = allocate(def->player_count, sizeof *b->moving.players),
                             .player_count = def->player_count,
                             .machines = allocate(def->machine_count, sizeof *b->moving.machines),
                             .machine_count = def->machine_count,
                             .max_emitted_events = def->max_emitted_events,
                             .update_every = def->update_every,
                             .inertia_parameters = def->inertialize ? def->inertia_parameters : LMB_NONE,
                             .player_of = allocate(nodes, sizeof *b->moving.player_of),
                             .machine_of = allocate(nodes, sizeof *b->moving.machine_of)};
    build_players(b);
    build_groups(b);
    build_machines(b);
    build_parameters(b);
}

static void release(building *b) {
    for (uint32_t i = 0; i < b->from->machine_count; i++) {
        lmb_motion_database_destroy(b->moving.machines[i].database);
    }
    void *const all[] = {b->nodes,
                         b->players,
                         b->machines,
                         b->states,
                         b->own_states,
                         b->groups,
                         b->fades,
                         b->smoothed,
                         b->computed,
                         b->moving.players,
                         b->moving.machines,
                         b->moving.player_of,
                         b->moving.machine_of};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

lmb_result control_create(const control_def *def, const lmb_graph *played, const lmb_host *host, lmb_graph **graph,
                          lmb_error *error) {
    building b = {0};
    *graph = NULL;
    build(&b, def);
    lmb_control *control = NULL;
    lmb_result result = lmb_moving_check(&b.moving, error);
    if (result == LMB_OK) {
        result = lmb_control_create(&b.moving, played, host, &control, error);
    }
    release(&b);
    if (result != LMB_OK) {
        return result;
    }
    const lmb_host resolved = lmb_host_resolve(host);
    lmb_graph *created = lmb_host_allocate(&resolved, 1, sizeof *created);
    if (created == NULL) {
        lmb_control_destroy(control);
        return lmb_fail(error, LMB_ERROR_MEMORY, "control: no memory");
    }
    *created = (lmb_graph){.host = resolved, .info = {.parameter_count = def->parameter_count}, .control = control};
    lmb_control_count(control, &created->info);
    *graph = created;
    return LMB_OK;
}
