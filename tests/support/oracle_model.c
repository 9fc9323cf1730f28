// What the oracle takes from the descriptor of a graph: players, machines and fades, and the states that they are in.
#include "oracle_control.h"

#include <math.h>
#include <string.h>

static void add_player(oracle_graph *graph, uint32_t node, oracle_scope scope) {
    const lmb_player_def *def = graph->def->nodes[node].player;
    oracle_player *player = &graph->players[graph->player_count++];
    memset(player, 0, sizeof *player);
    player->def = def;
    player->node = node;
    player->scope = scope;
    player->duration =
        oracle_ticks(lmb_clip_get_info(graph->def->clips[(uint32_t)graph->def->nodes[node].clip.constant])->duration) *
        ORACLE_UNITS;
    player->offset = oracle_ticks(def->offset) * ORACLE_UNITS;
    for (uint32_t i = 0; i < def->notify_count; i++) {
        player->notifies[i] = oracle_ticks(def->notifies[i].time) * ORACLE_UNITS;
    }
    player->marker_count = def->markers == NULL ? 1 : def->marker_count;
    for (uint32_t i = 0; i < player->marker_count; i++) {
        player->markers[i] = def->markers == NULL ? player->offset : oracle_ticks(def->markers[i]) * ORACLE_UNITS;
    }
    player->speed = oracle_average_speed(player);
    oracle_find_fastest(player);
}

static lmb_transition_def fade_transition(const lmb_fade_def *fade, uint32_t from, uint32_t to, uint32_t event,
                                          float seconds) {
    lmb_transition_def transition = lmb_default_transition_def();
    transition.from = from;
    transition.to = to;
    transition.event = event;
    transition.after = -1.0f;
    transition.fade = seconds;
    transition.curve = fade->curve;
    memcpy(transition.curve_control, fade->curve_control, sizeof transition.curve_control);
    return transition;
}

static void add_fade(oracle_graph *graph, uint32_t index, oracle_scope scope) {
    const lmb_fade_def *fade = &graph->def->fades[index];
    oracle_machine *machine = &graph->machines[graph->machine_count++];
    memset(machine, 0, sizeof *machine);
    const uint32_t in = fade->begins_in ? 0 : 1, out = 1 - in;
    machine->node = LMB_NONE;
    machine->fade = index;
    machine->scope = scope;
    machine->state_count = 2;
    machine->states[0] = machine->states[1] = lmb_default_state_def();
    machine->states[in].restart = fade->restart;
    machine->poses[in] = fade->pose;
    machine->poses[out] = LMB_NONE;
    lmb_transition_def *list = machine->transitions;
    uint32_t count = 0;
    list[count++] = fade_transition(fade, out, in, fade->in_event, fade->in_seconds);
    if (fade->restart) {
        list[count++] = fade_transition(fade, in, in, fade->in_event, fade->in_seconds);
    }
    if (fade->out_event != LMB_NONE) {
        list[count++] = fade_transition(fade, in, out, fade->out_event, fade->out_seconds);
    }
    if (fade->at_end) {
        list[count] = fade_transition(fade, in, out, LMB_NONE, fade->out_seconds);
        list[count++].at_end = true;
    }
    if (fade->after >= 0.0f) {
        list[count] = fade_transition(fade, in, out, LMB_NONE, fade->out_seconds);
        list[count++].after = fade->after;
    }
    machine->transition_count = count;
}

static void add_machine(oracle_graph *graph, uint32_t node, oracle_scope scope) {
    const lmb_machine_def *def = graph->def->nodes[node].machine;
    oracle_machine *machine = &graph->machines[graph->machine_count++];
    memset(machine, 0, sizeof *machine);
    machine->node = node;
    machine->fade = LMB_NONE;
    machine->scope = scope;
    machine->state_count = def->state_count;
    memcpy(machine->states, def->states, def->state_count * sizeof *def->states);
    memcpy(machine->poses, graph->def->nodes[node].inputs, def->state_count * sizeof(uint32_t));
    machine->transition_count = def->transition_count;
    if (def->transition_count > 0) {
        memcpy(machine->transitions, def->transitions, def->transition_count * sizeof *def->transitions);
    }
}

static bool knows_node(const oracle_graph *graph, uint32_t node) {
    for (uint32_t i = 0; i < graph->player_count; i++) {
        if (graph->players[i].node == node) {
            return true;
        }
    }
    for (uint32_t i = 0; i < graph->machine_count; i++) {
        if (graph->machines[i].node == node) {
            return true;
        }
    }
    return false;
}

// Finds the machines of a node and its inputs, outer ones before those inside, and the scope of each player.
static void visit(oracle_graph *graph, uint32_t index, oracle_scope scope, bool *seen) {
    const lmb_node_def *node = &graph->def->nodes[index];
    for (uint32_t i = 0; i < graph->def->fade_count && !seen[index]; i++) {
        if (graph->def->fades[i].pose == index) {
            add_fade(graph, i, scope);
            scope.machine = graph->machine_count - 1;
            scope.state = graph->def->fades[i].begins_in ? 0 : 1;
        }
    }
    if (seen[index]) {
        return;
    }
    seen[index] = true;
    if (node->op == LMB_OP_CLIP && node->player != NULL && !knows_node(graph, index)) {
        add_player(graph, index, scope);
    }
    if (node->op != LMB_OP_MACHINE) {
        for (uint32_t i = 0; i < node->input_count; i++) {
            visit(graph, node->inputs[i], scope, seen);
        }
        return;
    }
    add_machine(graph, index, scope);
    const uint32_t machine = graph->machine_count - 1;
    for (uint32_t i = 0; i < node->input_count; i++) {
        visit(graph, node->inputs[i], (oracle_scope){machine, i}, seen);
    }
}

static void sort_players(oracle_graph *graph) {
    for (uint32_t i = 1; i < graph->player_count; i++) {
        for (uint32_t j = i; j > 0 && graph->players[j].node < graph->players[j - 1].node; j--) {
            const oracle_player player = graph->players[j];
            graph->players[j] = graph->players[j - 1];
            graph->players[j - 1] = player;
        }
    }
}

static void find_clips(oracle_graph *graph) {
    for (uint32_t m = 0; m < graph->machine_count; m++) {
        for (uint32_t s = 0; s < graph->machines[m].state_count; s++) {
            graph->machines[m].clips[s] = LMB_NONE;
            for (uint32_t i = graph->player_count; i-- > 0;) {
                if (graph->players[i].scope.machine == m && graph->players[i].scope.state == s) {
                    graph->machines[m].clips[s] = i;
                }
            }
        }
    }
}

void oracle_graph_create(oracle_graph *graph, const lmb_graph_def *def) {
    bool seen[256] = {false};
    graph->def = def;
    graph->player_count = graph->machine_count = 0;
    visit(graph, def->node_count - 1, (oracle_scope){LMB_NONE, 0}, seen);
    for (uint32_t i = 0; i < def->fade_count; i++) {
        if (def->fades[i].pose == LMB_NONE) {
            add_fade(graph, i, (oracle_scope){LMB_NONE, 0});
        }
    }
    sort_players(graph);
    find_clips(graph);
    for (uint32_t g = 0; g < def->group_count; g++) {
        bool all = true;
        for (uint32_t i = 0; i < graph->player_count; i++) {
            all = all && (graph->players[i].def->group != g || graph->players[i].speed != 0.0);
        }
        graph->by_velocity[g] =
            def->groups[g].cadence == LMB_CADENCE_DEFAULT ? all : def->groups[g].cadence == LMB_CADENCE_VELOCITY;
        graph->by_length[g] = def->groups[g].cadence == LMB_CADENCE_LENGTH;
    }
}
