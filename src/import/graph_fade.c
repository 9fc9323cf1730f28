#include "graph.h"

#include <string.h>

// Fades of poses that events start.

// The members of a fade while they are read.
typedef struct members {
    lmb_fade_def def;
    uint32_t restart_at;
} members;

// Skips a member that was read before all others.
static void read_known(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)reader;
    (void)field;
    (void)value;
    (void)target;
}

static void read_restart(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    ((members *)target)->restart_at = value;
    lmb_graph_read_boolean(reader, field, value, target);
}

#define SECONDS(key, member)                                                                                           \
    { .name = key, .read = lmb_graph_read_plain, .offset = offsetof(members, member), .max = LMB_MAX_CONTROL_SECONDS }

static const lmb_graph_field fade_members[] = {
    {.name = "in", .required = true, .read = lmb_graph_read_event, .offset = offsetof(members, def.in_event)},
    {.name = "out", .read = lmb_graph_read_event, .offset = offsetof(members, def.out_event)},
    {.name = "at-end", .read = lmb_graph_read_boolean, .offset = offsetof(members, def.at_end)},
    SECONDS("after", def.after),
    SECONDS("seconds", def.in_seconds),
    SECONDS("out-seconds", def.out_seconds),
    {.name = "curve", .read = lmb_graph_read_fade_curve, .offset = offsetof(members, def.curve)},
    {.name = "restart", .read = read_restart, .offset = offsetof(members, def.restart)},
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

// Returns the fade's own name, or that of its "in" event.
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
        return "fade"; // the error is reported where the event is read
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

static void add_fade(lmb_graph_reader *reader, lmb_graph_fade *fade) {
    lmb_graph_json *graph = reader->graph;
    lmb_fade_def *fades =
        lmb_graph_grow(reader, &graph->pool, graph->fades, graph->def.fade_count, &graph->fade_capacity, sizeof *fades);
    if (fades == NULL) {
        return;
    }
    graph->fades = fades;
    const bool begins = begins_in(reader, fade->at);
    fade->parameter = lmb_graph_name_fade(reader, fade->name, begins ? 1.0f : 0.0f, fade->at);
    fade->index = graph->def.fade_count++;
    fades[fade->index] = lmb_default_fade_def();
    fades[fade->index].name = fade->name;
    fades[fade->index].parameter = fade->parameter;
    fades[fade->index].begins_in = begins;
}

// Adds the fade before its pose is read, so that it comes before the machines inside the pose.
void lmb_graph_begin_fade(lmb_graph_reader *reader, uint32_t object, const char *member, lmb_graph_fade *fade) {
    uint32_t value = member == NULL ? LMB_NONE : find_member(reader, object, member);
    *fade = (lmb_graph_fade){.at = LMB_NONE, .index = LMB_NONE};
    if (value == LMB_NONE || !lmb_graph_is_fade(reader, value)) {
        return;
    }
    fade->at = value;
    fade->name = find_name(reader, value);
    fade->end_at = find_member(reader, value, "at-end");
    if (reader->result == LMB_OK && lmb_graph_begin_machine(reader, value)) {
        add_fade(reader, fade);
    }
}

uint32_t lmb_graph_read_faded_pose(lmb_graph_reader *reader, lmb_graph_fade *fade, uint32_t value) {
    if (fade->index == LMB_NONE) {
        return lmb_graph_read_pose(reader, value);
    }
    const lmb_graph_owner outside = reader->owner;
    reader->owner = (lmb_graph_owner){.name = fade->name,
                                      .depth = outside.depth + 1,
                                      .end_node = LMB_NONE,
                                      .holds = ends_with_clip(reader, fade->end_at)};
    uint32_t node = lmb_graph_read_pose(reader, value);
    fade->is_read = true;
    fade->pose = node;
    fade->plays = reader->owner.end_node != LMB_NONE;
    reader->owner = outside;
    return node;
}

lmb_value lmb_graph_read_fade(lmb_graph_reader *reader, lmb_graph_fade *fade) {
    members members = {.def = lmb_default_fade_def()};
    lmb_fade_def *read = &members.def;
    read->out_seconds = -1.0f;
    lmb_graph_read_fields(reader, &fade_fields, fade->at, &members);
    read->out_seconds = read->out_seconds < 0.0f ? read->in_seconds : read->out_seconds;
    if (read->restart && read->in_event != LMB_NONE && read->in_event == read->out_event) {
        lmb_graph_report(reader, members.restart_at, "the event fades out what it would begin anew");
    }
    if (fade->index != LMB_NONE) {
        lmb_fade_def *def = &reader->graph->fades[fade->index];
        read->name = def->name;
        read->parameter = def->parameter;
        read->begins_in = def->begins_in;
        read->pose = def->pose;
        *def = *read;
    }
    return lmb_parameter(fade->parameter);
}

void lmb_graph_end_fade(lmb_graph_reader *reader, const lmb_graph_fade *fade) {
    if (fade->index != LMB_NONE && fade->is_read) {
        reader->graph->fades[fade->index].pose = fade->pose;
    }
    if (fade->index != LMB_NONE && fade->is_read && reader->result == LMB_OK && !fade->plays &&
        ends_with_clip(reader, fade->end_at)) {
        lmb_graph_report(reader, fade->end_at, "no clip plays in what is faded, so it has no end");
    }
}
