// Reads root motion of clips and the character motion.
#include "graph.h"

#include "../number.h"

#include <math.h>
#include <string.h>

// ---- Root motion of a clip. ----

static void read_joint(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    if (lmb_graph_expect(reader, value, LMB_JSON_STRING)) {
        ((lmb_root_motion_def *)target)->joint = lmb_graph_find_joint(reader, value);
    }
}

// Reads letters, each at most once.
static void read_axes(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    lmb_root_motion_def *def = target;
    def->x = def->y = def->z = false;
    if (!lmb_graph_expect(reader, value, LMB_JSON_STRING)) {
        return;
    }
    const lmb_json_value *text = &reader->json.values[value];
    bool known = true;
    for (size_t i = text->start; i < text->end; i++) {
        const char letter = reader->json.text[i];
        bool *axis = letter == 'x' ? &def->x : letter == 'y' ? &def->y : letter == 'z' ? &def->z : NULL;
        known = known && axis != NULL && !*axis;
        if (known) {
            *axis = true;
        }
    }
    if (!known) {
        lmb_graph_report(reader, value, "axes are letters of \"xyz\", each once at most");
    }
}

static const lmb_graph_field motion_members[] = {
    {.name = "joint", .read = read_joint},
    {.name = "axes", .read = read_axes},
    {.name = "yaw", .read = lmb_graph_read_boolean, .offset = offsetof(lmb_root_motion_def, yaw)},
    {.name = "rate",
     .read = lmb_graph_read_plain,
     .offset = offsetof(lmb_root_motion_def, rate),
     .min = 1e-3f,
     .max = 1000.0f},
};
static const lmb_graph_fields motion_fields = {"\"motion\"", motion_members, 4, NULL};

static void add_clip(lmb_graph_reader *reader, const lmb_clip *clip) {
    lmb_graph_json *graph = reader->graph;
    const lmb_clip **clips = lmb_graph_grow(reader, &graph->pool, graph->clips, graph->def.clip_count,
                                            &graph->clip_capacity, sizeof(const lmb_clip *));
    if (clips != NULL) {
        graph->clips = clips;
        graph->def.clips = clips;
        clips[graph->def.clip_count++] = clip;
    }
}

// Extracts root motion from a clip. Adds the remaining clip to the graph and sets `index` to it.
static void take_motion(lmb_graph_reader *reader, uint32_t value, const lmb_clip *clip, lmb_player_def *player,
                        lmb_value *index) {
    lmb_root_motion_def def = lmb_default_root_motion_def();
    const uint32_t before = reader->problem_count;
    if (reader->json.values[value].type == LMB_JSON_OBJECT) {
        lmb_graph_read_fields(reader, &motion_fields, value, &def);
    }
    if (clip == NULL || reader->problem_count > before || reader->result != LMB_OK) {
        return;
    }
    lmb_root_motion *motion = NULL;
    lmb_error error;
    const lmb_host host = lmb_pool_host(&reader->graph->pool);
    const lmb_result result = lmb_root_motion_extract(reader->source->rig, clip, &def, &host, &motion, &error);
    if (result == LMB_ERROR_MEMORY) {
        reader->result = reader->graph->budget.exceeded ? LMB_ERROR_LIMIT : LMB_ERROR_MEMORY;
    } else if (result != LMB_OK) {
        lmb_graph_report(reader, value, "%s", error.message);
    } else {
        player->motion = lmb_root_motion_track(motion);
        *index = lmb_constant((float)reader->graph->def.clip_count);
        add_clip(reader, lmb_root_motion_clip(motion));
    }
}

static const lmb_graph_field key_number = {.min = -LMB_MAX_MOTION, .max = LMB_MAX_MOTION};

static void read_key(lmb_graph_reader *reader, uint32_t value, float *key) {
    const lmb_json_value *values = reader->json.values;
    if (!lmb_graph_expect(reader, value, LMB_JSON_ARRAY)) {
        return;
    }
    if (values[value].count != 4) {
        lmb_graph_report(reader, value, "a key is x, y, z and yaw");
        return;
    }
    uint32_t i = 0;
    for (uint32_t at = value + 1; at < values[value].next; at = values[at].next, i++) {
        lmb_graph_read_plain(reader, &key_number, at, &key[i]);
    }
}

// Reads a track of keys in the text.
static void read_keys(lmb_graph_reader *reader, uint32_t value, lmb_player_def *player) {
    const lmb_json_value *values = reader->json.values;
    const uint32_t count = values[value].count;
    if (count < 2 || count > LMB_MAX_MOTION_KEYS) {
        lmb_graph_report(reader, value, "%u keys, and 2 to 65,536 are possible", (unsigned)count);
        return;
    }
    lmb_pool *pool = &reader->graph->pool;
    float *keys = lmb_graph_allocate(reader, pool, (size_t)count * 4, sizeof *keys);
    lmb_motion_track *track = lmb_graph_allocate(reader, pool, 1, sizeof *track);
    if (keys == NULL || track == NULL) {
        return;
    }
    size_t key = 0;
    for (uint32_t at = value + 1; at < values[value].next; at = values[at].next, key++) {
        read_key(reader, at, keys + 4 * key);
    }
    *track = (lmb_motion_track){.key_count = count, .keys = keys};
    player->motion = track;
}

void lmb_graph_read_motion(lmb_graph_reader *reader, uint32_t value, const lmb_clip *clip, lmb_player_def *player,
                           lmb_value *index) {
    const lmb_json_type type = reader->json.values[value].type;
    reader->graph->has_character_motion = true;
    if (type == LMB_JSON_ARRAY) {
        read_keys(reader, value, player);
    } else if (type == LMB_JSON_OBJECT || (type == LMB_JSON_BOOLEAN && lmb_json_boolean(&reader->json, value))) {
        take_motion(reader, value, clip, player, index);
    } else {
        lmb_graph_report(reader, value, "neither true, nor an object, nor an array of keys");
    }
}

// ---- Character motion. ----

static void read_velocity(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *values = reader->json.values;
    if (!lmb_graph_expect(reader, value, LMB_JSON_ARRAY)) {
        return;
    }
    if (values[value].count != 3) {
        lmb_graph_report(reader, value, "a velocity is x, y and z");
        return;
    }
    lmb_graph_field number = *field;
    for (uint32_t at = value + 1; at < values[value].next; at = values[at].next) {
        lmb_graph_read_value(reader, &number, at, target);
        lmb_graph_expect_early(reader, at, *(const lmb_value *)(const void *)((const char *)target + number.offset));
        number.offset += sizeof(lmb_value);
    }
}

static void read_heading(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    lmb_motion_def *character_motion = target;
    character_motion->turns_to_heading = true;
    lmb_graph_read_value(reader, field, value, target);
    lmb_graph_expect_early(reader, value, character_motion->heading);
}

// Reads a limit: 0, or a value that character motion accepts.
static void read_limit(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    float *limit = (float *)(void *)((char *)target + field->offset);
    lmb_graph_read_plain(reader, field, value, target);
    if (*limit != 0.0f && *limit < 1e-6f) {
        lmb_graph_report(reader, value, "neither 0, which is no limit, nor 1e-6 at least");
    }
}

// Skips a member that is read after all others, so that other uses of its parameters can be reported.
static void skip(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)reader;
    (void)field;
    (void)value;
    (void)target;
}

#define PI_FLOAT 3.14159274f
#define VELOCITY_RANGE .parameter_min = -10.0f, .parameter_max = 10.0f

static const lmb_graph_field character_motion_members[] = {
    {.name = "velocity",
     .read = read_velocity,
     .offset = offsetof(lmb_motion_def, velocity),
     .min = -1048576.0f,
     .max = 1048576.0f,
     VELOCITY_RANGE},
    {.name = "heading",
     .read = read_heading,
     .offset = offsetof(lmb_motion_def, heading),
     .min = -1048576.0f,
     .max = 1048576.0f,
     .parameter_min = -PI_FLOAT,
     .parameter_max = PI_FLOAT},
    {.name = "acceleration", .read = read_limit, .offset = offsetof(lmb_motion_def, acceleration), .max = 1048576.0f},
    {.name = "deceleration", .read = read_limit, .offset = offsetof(lmb_motion_def, deceleration), .max = 1048576.0f},
    {.name = "turn-rate", .read = read_limit, .offset = offsetof(lmb_motion_def, turn_rate), .max = 1048576.0f},
    {.name = "actual-velocity", .read = skip},
};
static const lmb_graph_fields character_motion_fields = {"\"character-motion\"", character_motion_members, 6, NULL};

// Returns whether a value is a parameter, or computed from it.
static bool reads(const lmb_graph_json *graph, lmb_value value, uint32_t parameter) {
    bool found = lmb_value_reads(value) == parameter;
    for (uint32_t i = 0; i < graph->def.computed_count && value.kind == LMB_VALUE_PARAMETER && !found; i++) {
        for (uint32_t k = 0; k < LMB_MAX_COMPUTED_INPUTS && graph->computed[i].parameter == value.parameter; k++) {
            found = found || reads(graph, graph->computed[i].inputs[k], parameter);
        }
    }
    return found;
}

// Returns why the character motion cannot write a parameter, or NULL.
static const char *find_reader(const lmb_graph_json *graph, uint32_t parameter) {
    const lmb_motion_def *character_motion = &graph->motion;
    bool is_read = reads(graph, character_motion->heading, parameter);
    for (uint32_t i = 0; i < 3; i++) {
        is_read = is_read || reads(graph, character_motion->velocity[i], parameter);
    }
    for (uint32_t i = 0; i < graph->def.smoothed_count; i++) {
        if (lmb_value_reads(graph->smoothed[i].source) == parameter) {
            return "what the character motion writes cannot be smoothed";
        }
    }
    return is_read ? "what the character motion writes cannot be what it wants" : NULL;
}

static bool is_named_already(const lmb_graph_json *graph, uint32_t axis, const char *name) {
    for (uint32_t i = 0; i < axis; i++) {
        const uint32_t parameter = graph->motion.velocity_parameters[i];
        if (parameter != LMB_NONE && strcmp(graph->parameters[parameter].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void name_velocity(lmb_graph_reader *reader, uint32_t value, uint32_t axis) {
    static const lmb_graph_field field = {VELOCITY_RANGE};
    lmb_graph_json *graph = reader->graph;
    const char *name = lmb_graph_read_name(reader, value);
    if (name == NULL || name[0] == '\0') {
        return;
    }
    if (is_named_already(graph, axis, name)) {
        lmb_graph_report(reader, value, "given twice");
        return;
    }
    const uint32_t parameter = lmb_graph_write_parameter(reader, name, &field, value);
    const char *why = parameter == LMB_NONE ? NULL : find_reader(graph, parameter);
    graph->motion.velocity_parameters[axis] = parameter;
    if (why != NULL) {
        lmb_graph_report(reader, value, "%s", why);
    }
}

// Reads the names of the parameters that the character motion writes, each a name or null.
static void read_actual_velocity(lmb_graph_reader *reader, uint32_t object) {
    const lmb_json_value *values = reader->json.values;
    bool twice;
    const uint32_t list = lmb_json_member(&reader->json, object, "actual-velocity", &twice);
    if (list == LMB_NONE || !lmb_graph_expect(reader, list, LMB_JSON_ARRAY)) {
        return;
    }
    if (values[list].count != 3) {
        lmb_graph_report(reader, list, "a velocity is x, y and z");
        return;
    }
    uint32_t axis = 0;
    for (uint32_t at = list + 1; at < values[list].next && reader->result == LMB_OK; at = values[at].next, axis++) {
        if (values[at].type != LMB_JSON_NULL) {
            name_velocity(reader, at, axis);
        }
    }
}

bool lmb_graph_find_character_motion(lmb_graph_reader *reader, uint32_t key, uint32_t object) {
    if (!lmb_graph_is_text(reader, key, "character-motion")) {
        return false;
    }
    if (object != 0) {
        lmb_graph_report(reader, key, "the outermost pose alone has character motion");
    } else if (reader->motion_at != 0) {
        lmb_graph_report(reader, key, "given twice");
    } else {
        reader->motion_at = key;
    }
    return true;
}

void lmb_graph_read_character_motion(lmb_graph_reader *reader) {
    lmb_graph_json *graph = reader->graph;
    graph->motion = lmb_default_motion_def();
    if (reader->motion_at == 0 || reader->result != LMB_OK) {
        return;
    }
    graph->has_character_motion = true;
    const uint32_t value = reader->motion_at + 1;
    const lmb_json_type type = reader->json.values[value].type;
    if (type == LMB_JSON_OBJECT) {
        lmb_graph_read_fields(reader, &character_motion_fields, value, &graph->motion);
        read_actual_velocity(reader, value);
    } else if (type != LMB_JSON_BOOLEAN || !lmb_json_boolean(&reader->json, value)) {
        lmb_graph_report(reader, value, "neither true nor an object");
    }
}
