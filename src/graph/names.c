// Names and initial values are kept in arrays of one arena. The text of all names is one allocation: the code that
// writes them runs twice, first without memory to count the characters. The graph's own parameters have joined names,
// such as "Walk.time".
#include "names.h"

#include "program/clip_slot.h"

#include "../../shaders/ops/layout.h"

#include <stdio.h>
#include <string.h>

// The number of a machine's states is the difference of two first states.
struct lmb_graph_names {
    lmb_arena memory;
    const char *text; // all names
    size_t text_size;
    lmb_graph_parameter *parameters;
    const char **events;
    const char **players;
    float *durations; // of players
    const char **groups;
    const char **machines;
    const char **states;
    uint32_t *first_states; // [machine + 1]
    uint32_t (*owners)[2];  // [machine] machine and state
    bool *match_motion;     // [machine]
    uint32_t *player_of;    // [node], or LMB_NONE
    uint32_t *machine_of;   // [node], then [fade]
    uint32_t node_count;
    uint32_t fade_count;
    uint32_t parameter_count;
    uint32_t event_count;
    uint32_t player_count;
    uint32_t group_count;
    uint32_t machine_count;
};

// Names are visited twice: to count their characters, and to copy them. While counting, all names are NULL.
typedef struct writer {
    lmb_graph_names *names;
    const lmb_graph_def *def;
    const lmb_moving *moving; // or NULL
    char *text;               // NULL while counting
    size_t size;
} writer;

static const char *keep(writer *w, const char *owner, const char *name) {
    const char *own = name != NULL ? name : "", *first = owner != NULL ? owner : "";
    const size_t before = strlen(first), size = before + strlen(own) + 1;
    char *to = w->text != NULL ? w->text + w->size : NULL;
    if (to != NULL) {
        memcpy(to, first, before);
        memcpy(to + before, own, size - before);
    }
    w->size += size;
    return to;
}

// Keeps the name of one of the graph's own parameters: "Walk.time".
static const char *keep_joined(writer *w, const char *owner, const char *name) {
    const char *first = keep(w, owner, ".");
    w->size--;
    keep(w, NULL, name);
    return first;
}

static const char *clip_name(const lmb_graph_def *def, uint32_t node) {
    return lmb_graph_clip_name(def, (uint32_t)def->nodes[node].clip.constant);
}

static void add_parameter(writer *w, uint32_t index, const char *name, float initial, float max) {
    w->names->parameters[index] =
        (lmb_graph_parameter){.name = name, .initial = initial, .max = max, .is_written = true};
}

static void write_node_parameters(writer *w, uint32_t index) {
    const lmb_node_def *node = &w->def->nodes[index];
    const uint32_t first = w->moving->first_parameters[index];
    if (first == LMB_NONE) {
        return;
    }
    if (node->op != LMB_OP_MACHINE) {
        const float duration = lmb_graph_clip_duration(w->def, (uint32_t)node->clip.constant);
        add_parameter(w, first, keep_joined(w, clip_name(w->def, index), "time"), node->player->offset, duration);
        return;
    }
    const uint32_t states = node->machine->state_count;
    for (uint32_t i = 0; i < states; i++) {
        const char *name = keep_joined(w, node->machine->name, node->machine->states[i].name);
        add_parameter(w, first + i, name, i == 0 ? 1.0f : 0.0f, 1.0f);
    }
    for (uint32_t i = 0; i < PROFILED_NUMBERS(states) && lmb_graph_profile_count(node) > 0; i++) {
        const char *name = keep_joined(w, node->machine->name, "profile");
        add_parameter(w, first + states + i, name, 0.0f, i < PROFILED_WHICH(states) ? 1.0f : LMB_MAX_TRANSITIONS);
    }
}

static void write_inertia_parameters(writer *w) {
    static const struct {
        const char *name;
        float max;
    } parameters[LMB_INERTIA_PARAMETERS] = {[LMB_INERTIA_NUMBER] = {"number", (float)LMB_MAX_INERTIA_NUMBER},
                                            [LMB_INERTIA_STEP] = {"step", LMB_MAX_CONTROL_SECONDS},
                                            [LMB_INERTIA_TRIGGERED] = {"switched", (float)LMB_MAX_INERTIA_NUMBER},
                                            [LMB_INERTIA_TIME] = {"time", LMB_MAX_CONTROL_SECONDS},
                                            [LMB_INERTIA_DURATION] = {"duration", LMB_MAX_CONTROL_SECONDS}};
    const uint32_t first = w->moving->inertia_parameters;
    for (uint32_t i = 0; first != LMB_NONE && i < LMB_INERTIA_PARAMETERS; i++) {
        const char *name = keep_joined(w, "inertia", parameters[i].name);
        add_parameter(w, first + i, name, 0.0f, parameters[i].max);
    }
}

static void mark(const writer *w, uint32_t parameter) {
    if (parameter < w->def->parameter_count) {
        w->names->parameters[parameter].is_written = true;
    }
}

// Marks parameters of the descriptor that the graph writes.
static void mark_written(const writer *w) {
    const lmb_graph_def *def = w->def;
    for (uint32_t i = 0; i < def->node_count; i++) {
        const lmb_reached_slot *reached = lmb_graph_reached_of(&def->nodes[i]);
        if (reached != NULL && reached->is_reported) {
            mark(w, reached->parameter);
        }
        const lmb_machine_def *machine = def->nodes[i].op == LMB_OP_MACHINE ? def->nodes[i].machine : NULL;
        if (machine != NULL && machine->matching != NULL) {
            mark(w, machine->matching->mirrored);
        }
    }
    for (uint32_t i = 0; i < def->smoothed_count; i++) {
        mark(w, def->smoothed[i].parameter);
    }
    for (uint32_t i = 0; i < def->computed_count; i++) {
        mark(w, def->computed[i].parameter);
    }
    for (uint32_t i = 0; i < def->fade_count; i++) {
        mark(w, def->fades[i].parameter);
    }
    for (uint32_t i = 0; i < def->group_count; i++) {
        mark(w, def->groups[i].velocity_parameter);
    }
    for (uint32_t i = 0; def->motion != NULL && i < 3; i++) {
        mark(w, def->motion->velocity_parameters[i]);
    }
}

static void write_parameters(writer *w) {
    for (uint32_t i = 0; i < w->def->parameter_count; i++) {
        const lmb_parameter_def *from = w->def->parameters != NULL ? &w->def->parameters[i] : NULL;
        w->names->parameters[i] = (lmb_graph_parameter){.name = keep(w, NULL, from != NULL ? from->name : NULL),
                                                        .initial = from != NULL ? from->initial : 0.0f,
                                                        .min = from != NULL ? from->min : 0.0f,
                                                        .max = from != NULL ? from->max : 0.0f};
    }
    for (uint32_t i = 0; w->moving != NULL && i < w->def->node_count; i++) {
        write_node_parameters(w, i);
    }
    if (w->moving != NULL) {
        write_inertia_parameters(w);
    }
    mark_written(w);
}

static void write_machine(writer *w, uint32_t index) {
    const lmb_moving_machine *from = &w->moving->machines[index];
    lmb_graph_names *names = w->names;
    const uint32_t first = names->first_states[index];
    names->machines[index] = keep(w, NULL, from->def.name);
    for (uint32_t i = 0; i < from->def.state_count; i++) {
        names->states[first + i] = keep(w, NULL, from->def.states[i].name);
    }
    names->first_states[index + 1] = first + from->def.state_count;
    names->owners[index][0] = from->machine;
    names->owners[index][1] = from->state;
    names->match_motion[index] = from->def.matching != NULL;
}

static void write_all(writer *w) {
    const lmb_graph_names *names = w->names;
    write_parameters(w);
    for (uint32_t i = 0; i < names->event_count; i++) {
        names->events[i] = keep(w, NULL, w->def->event_names != NULL ? w->def->event_names[i] : NULL);
    }
    for (uint32_t i = 0; i < names->player_count; i++) {
        names->players[i] = keep(w, NULL, clip_name(w->def, w->moving->players[i].node));
        names->durations[i] = w->moving->players[i].duration;
    }
    for (uint32_t i = 0; i < names->group_count; i++) {
        names->groups[i] = keep(w, NULL, w->def->groups[i].name);
    }
    for (uint32_t i = 0; i < names->machine_count; i++) {
        write_machine(w, i);
    }
}

static uint32_t count_states(const lmb_moving *moving) {
    uint32_t states = 0;
    for (uint32_t i = 0; moving != NULL && i < moving->machine_count; i++) {
        states += moving->machines[i].def.state_count;
    }
    return states;
}

static bool allocate(lmb_graph_names *names, const lmb_moving *moving) {
    lmb_arena *memory = &names->memory;
    const size_t nodes = names->node_count, numbers = nodes + names->fade_count;
    names->parameters = lmb_arena_allocate(memory, names->parameter_count, sizeof *names->parameters);
    names->events = lmb_arena_allocate(memory, names->event_count, sizeof *names->events);
    names->players = lmb_arena_allocate(memory, names->player_count, sizeof *names->players);
    names->durations = lmb_arena_allocate(memory, names->player_count, sizeof *names->durations);
    names->groups = lmb_arena_allocate(memory, names->group_count, sizeof *names->groups);
    names->machines = lmb_arena_allocate(memory, names->machine_count, sizeof *names->machines);
    names->states = lmb_arena_allocate(memory, count_states(moving), sizeof *names->states);
    names->first_states = lmb_arena_allocate(memory, (size_t)names->machine_count + 1, sizeof *names->first_states);
    names->owners = lmb_arena_allocate(memory, names->machine_count, sizeof *names->owners);
    names->match_motion = lmb_arena_allocate(memory, names->machine_count, sizeof *names->match_motion);
    names->player_of = lmb_arena_allocate(memory, nodes, sizeof *names->player_of);
    names->machine_of = lmb_arena_allocate(memory, numbers, sizeof *names->machine_of);
    for (size_t i = 0; !memory->failed && i < nodes; i++) {
        names->player_of[i] = moving != NULL ? moving->player_of[i] : LMB_NONE;
    }
    for (size_t i = 0; !memory->failed && i < numbers; i++) {
        names->machine_of[i] = moving != NULL ? moving->machine_of[i] : LMB_NONE;
    }
    return !memory->failed;
}

lmb_graph_names *lmb_graph_names_create(const lmb_graph_def *def, const lmb_moving *moving, const lmb_host *host) {
    lmb_graph_names *names = lmb_host_allocate(host, 1, sizeof *names);
    if (names == NULL) {
        return NULL;
    }
    *names = (lmb_graph_names){
        .memory = {.host = host},
        .node_count = def->node_count,
        .fade_count = def->fade_count,
        .parameter_count = moving != NULL ? moving->poses.parameter_count : def->parameter_count,
        .event_count = def->event_count,
        .player_count = moving != NULL ? moving->player_count : 0,
        .group_count = def->group_count,
        .machine_count = moving != NULL ? moving->machine_count : 0,
    };
    writer w = {.names = names, .def = def, .moving = moving};
    if (allocate(names, moving)) {
        write_all(&w);
        w.text = lmb_arena_allocate(&names->memory, w.size + 1, 1);
    }
    if (names->memory.failed) {
        lmb_graph_names_destroy(names, host);
        return NULL;
    }
    names->text = w.text;
    names->text_size = w.size;
    w.size = 0;
    write_all(&w);
    return names;
}

void lmb_graph_names_destroy(lmb_graph_names *names, const lmb_host *host) {
    if (names != NULL) {
        names->memory.host = host;
        lmb_arena_release(&names->memory);
        lmb_host_release(host, names);
    }
}

void lmb_graph_names_count(const lmb_graph_names *names, lmb_graph_info *info) {
    info->event_count = names->event_count;
    info->player_count = names->player_count;
    info->group_count = names->group_count;
    info->machine_count = names->machine_count;
    info->fade_count = names->fade_count;
}

const char *lmb_graph_names_text(const lmb_graph_names *names, size_t *size) {
    *size = names->text_size;
    return names->text;
}

uint32_t lmb_graph_node_player(const lmb_graph *graph, uint32_t node) {
    return node < graph->names->node_count ? graph->names->player_of[node] : LMB_NONE;
}

uint32_t lmb_graph_node_machine(const lmb_graph *graph, uint32_t node) {
    return node < graph->names->node_count ? graph->names->machine_of[node] : LMB_NONE;
}

uint32_t lmb_graph_fade_machine(const lmb_graph *graph, uint32_t fade) {
    const lmb_graph_names *names = graph->names;
    return fade < names->fade_count ? names->machine_of[names->node_count + fade] : LMB_NONE;
}

static const char *name_at(const char *const *names, uint32_t count, uint32_t index) {
    return index < count ? names[index] : "";
}

lmb_graph_parameter lmb_graph_parameter_at(const lmb_graph *graph, uint32_t index) {
    return index < graph->names->parameter_count ? graph->names->parameters[index] : (lmb_graph_parameter){.name = ""};
}

uint32_t lmb_graph_find_parameter(const lmb_graph *graph, const char *name) {
    const lmb_graph_names *names = graph == NULL || name == NULL ? NULL : graph->names;
    for (uint32_t i = 0; names != NULL && i < names->parameter_count; i++) {
        if (!names->parameters[i].is_written && strcmp(names->parameters[i].name, name) == 0) {
            return i;
        }
    }
    return LMB_NONE;
}

void lmb_graph_defaults(const lmb_graph *graph, float *row) {
    for (uint32_t i = 0; i < graph->names->parameter_count; i++) {
        row[i] = graph->names->parameters[i].initial;
    }
}

uint32_t lmb_graph_find_event(const lmb_graph *graph, const char *name) {
    const lmb_graph_names *names = graph == NULL || name == NULL ? NULL : graph->names;
    for (uint32_t i = 0; names != NULL && i < names->event_count; i++) {
        if (strcmp(names->events[i], name) == 0) {
            return i;
        }
    }
    return LMB_NONE;
}

const char *lmb_graph_event_name(const lmb_graph *graph, uint32_t event) {
    return name_at(graph->names->events, graph->names->event_count, event);
}

const char *lmb_graph_group_name(const lmb_graph *graph, uint32_t group) {
    return name_at(graph->names->groups, graph->names->group_count, group);
}

lmb_graph_player lmb_graph_player_at(const lmb_graph *graph, uint32_t index) {
    const lmb_graph_names *names = graph->names;
    return index < names->player_count ? (lmb_graph_player){names->players[index], names->durations[index]}
                                       : (lmb_graph_player){.name = ""};
}

lmb_graph_machine lmb_graph_machine_at(const lmb_graph *graph, uint32_t index) {
    const lmb_graph_names *names = graph->names;
    if (index >= names->machine_count) {
        return (lmb_graph_machine){.name = "", .owner = LMB_NONE, .owner_state = LMB_NONE};
    }
    return (lmb_graph_machine){.name = names->machines[index],
                               .state_count = names->first_states[index + 1] - names->first_states[index],
                               .owner = names->owners[index][0],
                               .owner_state = names->owners[index][1],
                               .matches_motion = names->match_motion[index]};
}

const char *lmb_graph_state_name(const lmb_graph *graph, uint32_t machine, uint32_t state) {
    const uint32_t count = lmb_graph_machine_at(graph, machine).state_count;
    return count > 0 ? name_at(graph->names->states + graph->names->first_states[machine], count, state) : "";
}

void lmb_graph_emitter_name(const lmb_graph *graph, const lmb_emitted_event *event, char *text, size_t size) {
    const uint32_t source = event->source;
    if (event->kind == LMB_EMITTED_ENTRY || event->kind == LMB_EMITTED_EXIT) {
        snprintf(text, size, "%s/%s", lmb_graph_machine_at(graph, source).name,
                 lmb_graph_state_name(graph, source, event->part));
    } else {
        snprintf(text, size, "%s", lmb_graph_player_at(graph, source).name);
    }
}
