// Reads how clips play: players, groups, events and markers.
#include "graph.h"

#include "../control.h"

#include <string.h>

// The "play" object of a clip.
typedef struct play {
    lmb_player_def def;
    float duration; // of the clip
    const char *group;
    uint32_t group_at;
    uint32_t end_at;
    uint32_t rate_at;
    lmb_cadence cadence; // of its group
    uint32_t cadence_at;
    uint32_t motion_at;
} play;

uint32_t lmb_graph_find_named_event(const lmb_graph_json *graph, const char *name) {
    uint32_t i = lmb_index_first(&graph->event_index, lmb_index_hash_text(name));
    while (i != LMB_NONE && strcmp(graph->events[i], name) != 0) {
        i = lmb_index_next(&graph->event_index, i);
    }
    return i;
}

void lmb_graph_read_event(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    lmb_graph_json *graph = reader->graph;
    if (!lmb_graph_expect(reader, value, LMB_JSON_STRING)) {
        return;
    }
    const char *name = lmb_graph_text(reader, &graph->pool, value);
    if (name == NULL) {
        return;
    }
    uint32_t event = lmb_graph_find_named_event(graph, name);
    if (name[0] == '\0' || strcmp(name, "END") == 0) {
        lmb_graph_report(reader, value, "%s",
                         name[0] == '\0' ? "an event without a name"
                                         : "END is no event; an end is reported by \"end\": true");
    } else if (event == LMB_NONE) {
        const char **events = lmb_graph_grow(reader, &graph->pool, graph->events, graph->def.event_count,
                                             &graph->event_capacity, sizeof *events);
        if (events == NULL) {
            return;
        }
        graph->events = events;
        if (!lmb_graph_index(reader, &graph->event_index, lmb_index_hash_text(name))) {
            return;
        }
        event = graph->def.event_count++;
        events[event] = name;
    }
    *(uint32_t *)(void *)((char *)target + field->offset) = event;
}

// Reads seconds from 0 to the clip's duration.
static void read_seconds(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    lmb_graph_field within = *field;
    within.max = ((const play *)target)->duration;
    lmb_graph_read_plain(reader, &within, value, target);
}

static void read_kept_choice(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    ((play *)target)->end_at = value;
    lmb_graph_read_choice(reader, field, value, target);
}

static void read_kept_rate(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    play *read = target;
    read->rate_at = value;
    lmb_graph_read_value(reader, field, value, target);
    lmb_graph_expect_early(reader, value, read->def.rate);
}

static void read_kept_cadence(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    ((play *)target)->cadence_at = value;
    lmb_graph_read_choice(reader, field, value, target);
}

static void read_motion(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)reader;
    (void)field;
    ((play *)target)->motion_at = value;
}

static void read_group(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    play *read = target;
    if (lmb_graph_expect(reader, value, LMB_JSON_STRING)) {
        read->group = lmb_graph_text(reader, &reader->graph->pool, value);
        read->group_at = value;
    }
}

// Returns whether a value is an array of 1 to `most` elements; reports another type or too many elements.
static bool expect_list(lmb_graph_reader *reader, uint32_t value, const char *what, uint32_t most) {
    if (!lmb_graph_expect(reader, value, LMB_JSON_ARRAY)) {
        return false;
    }
    uint32_t count = reader->json.values[value].count;
    if (count > most) {
        lmb_graph_report(reader, value, "%u %s, where at most %u are possible", (unsigned)count, what, (unsigned)most);
    }
    return count > 0 && count <= most;
}

static void read_markers(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    play *read = target;
    const lmb_json_value *values = reader->json.values;
    if (!expect_list(reader, value, "markers", LMB_MAX_MARKERS)) {
        return;
    }
    float *markers = lmb_graph_allocate(reader, &reader->graph->pool, values[value].count, sizeof *markers);
    if (markers == NULL) {
        return;
    }
    lmb_graph_field within = *field;
    within.offset = 0;
    within.max = read->duration;
    uint32_t count = 0;
    for (uint32_t at = value + 1; at < values[value].next; at = values[at].next, count++) {
        markers[count] = -1.0f;
        lmb_graph_read_plain(reader, &within, at, &markers[count]);
        if (markers[count] == read->duration ||
            (count > 0 && markers[count] >= 0.0f && markers[count] <= markers[count - 1])) {
            lmb_graph_report(reader, at, "%g: markers ascend, and are before the clip's end", (double)markers[count]);
        }
    }
    read->def.markers = markers;
    read->def.marker_count = count;
}

static const lmb_graph_field notify_members[] = {
    {.name = "time",
     .required = true,
     .read = lmb_graph_read_plain,
     .offset = offsetof(lmb_notify_def, time),
     .max = LMB_MAX_CONTROL_SECONDS},
    {.name = "event", .required = true, .read = lmb_graph_read_event, .offset = offsetof(lmb_notify_def, event)},
};
static const lmb_graph_fields notify_fields = {"a notify", notify_members, 2, NULL};

static void read_notifies(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    play *read = target;
    const lmb_json_value *values = reader->json.values;
    if (!expect_list(reader, value, "notifies", LMB_MAX_NOTIFIES)) {
        return;
    }
    lmb_notify_def *notifies = lmb_graph_allocate(reader, &reader->graph->pool, values[value].count, sizeof *notifies);
    if (notifies == NULL) {
        return;
    }
    uint32_t count = 0;
    for (uint32_t at = value + 1; at < values[value].next && reader->result == LMB_OK; at = values[at].next, count++) {
        if (lmb_graph_expect(reader, at, LMB_JSON_OBJECT)) {
            lmb_graph_read_fields(reader, &notify_fields, at, &notifies[count]);
        }
        float time = notifies[count].time;
        if (time > read->duration || (count > 0 && time < notifies[count - 1].time)) {
            lmb_graph_report(
                reader, at, "a time of %g: notifies are in the order of their times, within the clip, which takes %g s",
                (double)time, (double)read->duration);
        }
    }
    read->def.notifies = notifies;
    read->def.notify_count = count;
}

static const char *const ends[] = {
    [LMB_END_LOOP] = "loop", [LMB_END_HOLD] = "hold", [LMB_END_ONCE] = "once", [LMB_END_PING_PONG] = "ping-pong", NULL};

static const char *const cadences[] = {
    [LMB_CADENCE_DEFAULT] = "default", [LMB_CADENCE_DURATION] = "duration", [LMB_CADENCE_VELOCITY] = "velocity", NULL};

#define RATE_RANGE .min = -64.0f, .max = 64.0f, .initial = 1.0f, .parameter_max = 2.0f

static const lmb_graph_field play_members[] = {
    {.name = "end", .read = read_kept_choice, .offset = offsetof(play, def.end), .choices = ends},
    {.name = "rate", .read = read_kept_rate, .offset = offsetof(play, def.rate), RATE_RANGE},
    {.name = "offset", .read = read_seconds, .offset = offsetof(play, def.offset)},
    {.name = "group", .read = read_group},
    {.name = "cadence", .read = read_kept_cadence, .offset = offsetof(play, cadence), .choices = cadences},
    {.name = "markers", .read = read_markers},
    {.name = "velocity",
     .read = lmb_graph_read_plain,
     .offset = offsetof(play, def.velocity),
     .min = -LMB_LARGEST,
     .max = LMB_LARGEST},
    {.name = "motion", .read = read_motion},
    {.name = "ended", .read = lmb_graph_read_event, .offset = offsetof(play, def.ended_event)},
    {.name = "looped", .read = lmb_graph_read_event, .offset = offsetof(play, def.looped_event)},
    {.name = "notifies", .read = read_notifies},
};
static const lmb_graph_fields play_fields = {"\"play\"", play_members, sizeof play_members / sizeof play_members[0],
                                             NULL};

static uint32_t find_member(const lmb_graph_reader *reader, uint32_t object, const char *name) {
    bool twice;
    return lmb_json_member(&reader->json, object, name, &twice);
}

// Reads "play". Reports members that must not be beside it.
static void read_play(lmb_graph_reader *reader, const lmb_graph_node *node, play *read) {
    static const char *const others[] = {"time", "rate", "offset", "loop"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        uint32_t at = find_member(reader, node->object, others[i]);
        if (at != LMB_NONE) {
            lmb_graph_report(reader, at, "a clip with \"play\" has %s",
                             i == 0   ? "its time from that"
                             : i == 3 ? "an \"end\" inside it"
                                      : "this inside it");
        }
    }
    lmb_json_type type = reader->json.values[node->play_at].type;
    if (type == LMB_JSON_OBJECT) {
        lmb_graph_read_fields(reader, &play_fields, node->play_at, read);
    } else if (type != LMB_JSON_BOOLEAN || !lmb_json_boolean(&reader->json, node->play_at)) {
        lmb_graph_report(reader, node->play_at, "neither true nor an object");
    }
}

// Sets up the player of a clip that is in a state and has no "play", from the members that the clip has instead.
static void take_from_clip(lmb_graph_reader *reader, const lmb_graph_node *node, play *read) {
    read->def.rate = node->def.rate;
    lmb_graph_expect_early(reader, find_member(reader, node->object, "rate"), read->def.rate);
    if (!node->def.loop) {
        read->def.end = LMB_END_HOLD;
    }
    uint32_t at = find_member(reader, node->object, "offset");
    if (at != LMB_NONE && (node->def.offset.kind == LMB_VALUE_PARAMETER ||
                           !(node->def.offset.constant >= 0.0f && node->def.offset.constant <= read->duration))) {
        lmb_graph_report(reader, at, "the clip plays from here on: a number from 0 to %g", (double)read->duration);
    } else if (at != LMB_NONE) {
        read->def.offset = node->def.offset.constant;
    }
}

static uint32_t find_group(const lmb_graph_json *graph, const char *name) {
    uint32_t group = 0;
    while (group < graph->def.group_count && strcmp(graph->groups[group].name, name) != 0) {
        group++;
    }
    return group;
}

static void add_group(lmb_graph_reader *reader, const play *read, const lmb_player_def *leader) {
    lmb_graph_json *graph = reader->graph;
    uint32_t count = graph->def.group_count;
    lmb_group_def *groups =
        lmb_graph_grow(reader, &graph->pool, graph->groups, count, &graph->group_capacity, sizeof *groups);
    graph->groups = groups == NULL ? graph->groups : groups;
    const lmb_player_def **leaders =
        lmb_graph_grow(reader, &graph->pool, graph->leaders, count, &graph->leader_capacity, sizeof *leaders);
    graph->leaders = leaders == NULL ? graph->leaders : leaders;
    if (groups == NULL || leaders == NULL) {
        return;
    }
    groups[count] = lmb_default_group_def();
    groups[count].name = read->group;
    groups[count].cadence = read->cadence;
    leaders[count] = leader;
    graph->def.group_count++;
}

static uint32_t markers_of(const lmb_player_def *player) {
    return player->marker_count == 0 ? 1 : player->marker_count;
}

static void check_member(lmb_graph_reader *reader, const play *read, const lmb_player_def *leader) {
    if (read->def.end != LMB_END_LOOP || !(read->duration > 0.0f)) {
        lmb_graph_report(reader, read->end_at == LMB_NONE ? read->group_at : read->end_at,
                         "clips of a group loop, and take some time");
    }
    if (leader == NULL) {
        return;
    }
    if (read->rate_at != LMB_NONE) {
        lmb_graph_report(reader, read->rate_at, "a group has the rate of its first clip");
    }
    if (read->cadence_at != LMB_NONE) {
        lmb_graph_report(reader, read->cadence_at, "a group has the cadence of its first clip");
    }
    if (markers_of(&read->def) != markers_of(leader)) {
        lmb_graph_report(reader, read->group_at,
                         "clips of a group have as many markers each: this one %u, the first %u",
                         (unsigned)markers_of(&read->def), (unsigned)markers_of(leader));
    }
}

static void join_group(lmb_graph_reader *reader, const play *read, lmb_player_def *player) {
    lmb_graph_json *graph = reader->graph;
    if (read->group == NULL) {
        if (read->cadence_at != LMB_NONE) {
            lmb_graph_report(reader, read->cadence_at, "a cadence is a group's, and there is none");
        }
        return;
    }
    const uint32_t index = find_group(graph, read->group);
    const bool leads = index == graph->def.group_count;
    check_member(reader, read, leads ? NULL : graph->leaders[index]);
    const lmb_cadence cadence = leads ? read->cadence : graph->groups[index].cadence;
    if (cadence == LMB_CADENCE_VELOCITY &&
        lmb_clip_velocity(player->velocity, player->motion, read->duration) == 0.0f) {
        lmb_graph_report(reader, leads ? read->cadence_at : read->group_at,
                         "the clip has no velocity, which the cadence of its group needs");
    }
    player->group = index;
    if (leads) {
        add_group(reader, read, player);
    }
}

static bool can_play(lmb_graph_reader *reader, const lmb_graph_node *node, const lmb_clip *clip) {
    uint32_t at = node->play_at == LMB_NONE ? node->object : node->play_at;
    const char *why = reader->player_count == LMB_MAX_PLAYERS ? "more than 256 clips that play"
                      : node->def.clip.kind == LMB_VALUE_PARAMETER
                          ? "a clip that a parameter chooses has no player: it needs a \"time\""
                      : clip != NULL && lmb_clip_duration(clip) > LMB_MAX_CONTROL_SECONDS
                          ? "the clip takes more than 100,000 s"
                          : NULL;
    if (why != NULL) {
        lmb_graph_report(reader, at, "%s", why);
    }
    return why == NULL;
}

void lmb_graph_add_player(lmb_graph_reader *reader, const lmb_graph_node *node, lmb_node_def *clip) {
    // A clip whose name was not found has an index past the last clip.
    bool is_known =
        node->def.clip.kind == LMB_VALUE_CONSTANT && node->def.clip.constant < (float)reader->source->clip_count;
    uint32_t index = is_known ? (uint32_t)node->def.clip.constant : LMB_NONE;
    const lmb_clip *played = index == LMB_NONE ? NULL : reader->source->clips[index];
    if (!can_play(reader, node, played)) {
        return;
    }
    lmb_graph_owner *owner = &reader->owner;
    play read = {.def = lmb_default_player_def(),
                 .end_at = LMB_NONE,
                 .rate_at = LMB_NONE,
                 .cadence_at = LMB_NONE,
                 .motion_at = LMB_NONE};
    read.duration = played == NULL ? LMB_MAX_CONTROL_SECONDS : lmb_clip_duration(played);
    if (node->play_at == LMB_NONE) {
        read.def.end = owner->holds ? LMB_END_HOLD : LMB_END_LOOP;
        take_from_clip(reader, node, &read);
    } else {
        read_play(reader, node, &read);
    }
    if (read.motion_at != LMB_NONE) {
        lmb_graph_read_motion(reader, read.motion_at, played, &read.def, &clip->clip);
    }
    if (reader->result != LMB_OK || played == NULL) {
        return;
    }
    lmb_player_def *player = lmb_graph_allocate(reader, &reader->graph->pool, 1, sizeof *player);
    if (player == NULL) {
        return;
    }
    *player = read.def;
    join_group(reader, &read, player);
    reader->player_count++;
    owner->end_node = owner->end_node == LMB_NONE ? reader->graph->def.node_count : owner->end_node; // the node that is
                                                                                                     // added next
    clip->player = player;
    clip->time = lmb_constant(0.0f);
    clip->rate = lmb_constant(1.0f);
    clip->offset = lmb_constant(0.0f);
    clip->loop = false;
}
