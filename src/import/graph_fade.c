#include "graph.h"

#include <string.h>

// What a pose is faded in and out by: a machine of two states, one in which it is seen and one in which nothing is.

// Its members while they are read.
typedef struct members {
    uint32_t in; // events, or LMB_NONE
    uint32_t out;
    uint32_t out_at;
    bool at_end;
    float after; // below 0: not at all
    float seconds;
    float out_seconds; // below 0: as many
    lmb_curve curve;
    bool restarts;
    uint32_t restart_at;
} members;

// Read before all the others.
static void read_known(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)reader;
    (void)field;
    (void)value;
    (void)target;
}

static void read_out(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    ((members *)target)->out_at = value;
    lmb_graph_read_event(reader, field, value, target);
}

static void read_restart(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    ((members *)target)->restart_at = value;
    lmb_graph_read_boolean(reader, field, value, target);
}

#define SECONDS(key, member)                                                                                           \
    {                                                                                                                  \
        .name = key, .read = lmb_graph_read_plain, .offset = offsetof(members, member),                                \
        .greatest = LMB_MAX_CONTROL_SECONDS                                                                            \
    }

static const lmb_graph_field fade_members[] = {
    {.name = "in", .required = true, .read = lmb_graph_read_event, .offset = offsetof(members, in)},
    {.name = "out", .read = read_out, .offset = offsetof(members, out)},
    {.name = "at-end", .read = lmb_graph_read_boolean, .offset = offsetof(members, at_end)},
    SECONDS("after", after),
    SECONDS("seconds", seconds),
    SECONDS("out-seconds", out_seconds),
    {.name = "curve", .read = lmb_graph_read_fade_curve, .offset = offsetof(members, curve)},
    {.name = "restart", .read = read_restart, .offset = offsetof(members, restarts)},
    {.name = "initial", .read = read_known},
    {.name = "name", .read = read_known},
};
static const lmb_graph_fields fade_fields = {"a fade", fade_members, sizeof fade_members / sizeof fade_members[0],
                                             NULL};

static uint32_t find_member(const lmb_graph_reader *reader, uint32_t object, const char *name) {
    bool twice;
    return lmb_json_member(&reader->json, object, name, &twice);
}

bool lmb_graph_is_fade(const lmb_graph_reader *reader, uint32_t value) {
    return reader->json.values[value].type == LMB_JSON_OBJECT &&
           (find_member(reader, value, "in") != LMB_NONE || find_member(reader, value, "out") != LMB_NONE);
}

static bool ends_with_clip(const lmb_graph_reader *reader, uint32_t at) {
    return at != LMB_NONE && reader->json.values[at].type == LMB_JSON_BOOLEAN && lmb_json_boolean(&reader->json, at);
}

// Its own, or that of the event that asks for it.
static const char *find_name(lmb_graph_reader *reader, uint32_t value) {
    uint32_t at = find_member(reader, value, "name");
    if (at != LMB_NONE) {
        const char *name = lmb_graph_read_name(reader, at);
        return name == NULL ? "fade" : name;
    }
    at = find_member(reader, value, "in");
    bool is_named = at != LMB_NONE && reader->json.values[at].type == LMB_JSON_STRING;
    char *name =
        is_named ? lmb_graph_allocate(reader, &reader->graph->pool, lmb_json_string_room(&reader->json, at), 1) : NULL;
    if (name == NULL) {
        return "fade"; // which is a mistake that is told in its place
    }
    lmb_json_string(&reader->json, at, name);
    return name;
}

static bool begins_in(lmb_graph_reader *reader, uint32_t value) {
    static const char *const states[] = {"out", "in", NULL};
    static const lmb_graph_field choice = {.choices = states};
    uint32_t at = find_member(reader, value, "initial");
    int state = 0;
    if (at != LMB_NONE) {
        lmb_graph_read_choice(reader, &choice, at, &state);
    }
    return state == 1;
}

static void add_states(lmb_graph_reader *reader, lmb_graph_fade *fade) {
    lmb_pool *pool = &reader->graph->pool;
    lmb_state_def *states = lmb_graph_allocate(reader, pool, 2, sizeof *states);
    const char **names = lmb_graph_allocate(reader, pool, 2, sizeof *names);
    if (states == NULL || names == NULL) {
        return;
    }
    states[0] = states[1] = lmb_default_state_def();
    names[fade->state] = "in";
    names[1 - fade->state] = "out";
    lmb_machine_def *machine = &reader->graph->machines[fade->machine];
    machine->states = fade->states = states;
    machine->state_count = 2;
    reader->graph->machine_names[fade->machine].states = names;
}

// Room is taken before the pose is read, so that the machine stands before those inside it.
void lmb_graph_begin_fade(lmb_graph_reader *reader, uint32_t object, const char *member, lmb_graph_fade *fade) {
    uint32_t value = member == NULL ? LMB_NONE : find_member(reader, object, member);
    *fade = (lmb_graph_fade){.at = LMB_NONE, .machine = LMB_NONE, .pose_at = LMB_NONE};
    if (value == LMB_NONE || !lmb_graph_is_fade(reader, value)) {
        return;
    }
    fade->at = value;
    fade->name = find_name(reader, value);
    fade->state = begins_in(reader, value) ? 0 : 1;
    fade->end_at = find_member(reader, value, "at-end");
    if (reader->result == LMB_OK) {
        fade->machine = lmb_graph_begin_machine(reader, fade->name, value);
    }
    if (fade->machine != LMB_NONE) {
        add_states(reader, fade);
    }
    if (fade->states != NULL) {
        fade->parameter = lmb_graph_add_written(reader, fade->name, "in", fade->state == 0 ? 1.0f : 0.0f, 1.0f, value);
    }
}

uint32_t lmb_graph_read_faded_pose(lmb_graph_reader *reader, lmb_graph_fade *fade, uint32_t value) {
    if (fade->states == NULL) {
        return lmb_graph_read_pose(reader, value);
    }
    const lmb_graph_home outside = reader->home;
    reader->home = (lmb_graph_home){.machine = fade->machine,
                                    .state = fade->state,
                                    .name = fade->name,
                                    .end_player = LMB_NONE,
                                    .depth = outside.depth + 1,
                                    .holds = ends_with_clip(reader, fade->end_at),
                                    .played_at = LMB_NONE};
    fade->pose_at = value;
    uint32_t node = lmb_graph_read_pose(reader, value);
    fade->home = reader->home;
    reader->home = outside;
    return node;
}

// What begins a fade, in the order in which one of several is taken.
static void write_transitions(lmb_transition_def *transitions, uint32_t *count, const members *read, uint32_t in) {
    lmb_transition_def def = lmb_default_transition_def();
    def.curve = read->curve;
    def.fade = read->seconds;
    def.from = 1 - in;
    def.to = in;
    def.event = read->in;
    transitions[(*count)++] = def;
    if (read->restarts) {
        def.from = in;
        transitions[(*count)++] = def;
    }
    def.fade = read->out_seconds < 0.0f ? read->seconds : read->out_seconds;
    def.from = in;
    def.to = 1 - in;
    def.event = read->out;
    if (def.event != LMB_NONE) {
        transitions[(*count)++] = def;
    }
    def.event = LMB_NONE;
    def.at_end = true;
    if (read->at_end) {
        transitions[(*count)++] = def;
    }
    def.at_end = false;
    def.after = read->after;
    if (def.after >= 0.0f) {
        transitions[(*count)++] = def;
    }
}

lmb_value lmb_graph_read_fade(lmb_graph_reader *reader, lmb_graph_fade *fade) {
    enum { MOST_TRANSITIONS = 5 };
    members read = {.in = LMB_NONE,
                    .out = LMB_NONE,
                    .after = -1.0f,
                    .seconds = lmb_default_transition_def().fade,
                    .out_seconds = -1.0f,
                    .curve = lmb_default_transition_def().curve};
    lmb_graph_read_fields(reader, &fade_fields, fade->at, &read);
    if (read.restarts && read.in != LMB_NONE && read.in == read.out) {
        lmb_graph_report(reader, read.restart_at, "the event fades out what it would begin anew");
    }
    lmb_transition_def *transitions =
        fade->states == NULL ? NULL
                             : lmb_graph_allocate(reader, &reader->graph->pool, MOST_TRANSITIONS, sizeof *transitions);
    if (transitions != NULL) {
        lmb_machine_def *machine = &reader->graph->machines[fade->machine];
        fade->states[fade->state].restart = read.restarts;
        write_transitions(transitions, &machine->transition_count, &read, fade->state);
        machine->transitions = transitions;
    }
    return lmb_parameter(fade->parameter);
}

void lmb_graph_end_fade(lmb_graph_reader *reader, const lmb_graph_fade *fade) {
    if (fade->states == NULL || fade->pose_at == LMB_NONE || reader->result != LMB_OK) {
        return;
    }
    lmb_graph_weigh_state(reader, &fade->home, fade->pose_at, fade->parameter, &fade->states[fade->state]);
    if (ends_with_clip(reader, fade->end_at) && fade->home.end_player == LMB_NONE) {
        lmb_graph_report(reader, fade->end_at, "no clip plays in what is faded, so it has no end");
    }
}
