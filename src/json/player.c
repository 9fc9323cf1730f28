// Reads how clips play: players, groups, events and markers; root motion of clips and the character motion.
#include "graph.h"

#include "base/number.h"
#include "control/control.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define A_VELOCITY "a velocity is x, y and z"
#define MOTION(member) offsetof(lmb_motion_def, member)
#define PLAY(member) offsetof(play, member)

// ---- Root motion of a clip. ----

// Reads letters, each at most once. Sets one of x, y and z for each.
static void read_axes(lmb_graph_reader *reader, uint32_t value, bool *const axes[3]) {
    for (int i = 0; i < 3; i++) {
        *axes[i] = false;
    }
    if (!lmb_graph_expect(reader, value, LMB_JSON_STRING)) {
        return;
    }
    const lmb_json_value *text = &reader->json.values[value];
    bool known = true;
    for (size_t i = text->start; i < text->end; i++) {
        const char letter = reader->json.text[i];
        bool *axis = letter >= 'x' && letter <= 'z' ? axes[letter - 'x'] : NULL;
        known = known && axis != NULL && !*axis;
        if (known) {
            *axis = true;
        }
    }
    if (!known) {
        lmb_graph_report(reader, value, "axes are letters of \"xyz\", each once at most");
    }
}

static void read_motion_joint(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    if (lmb_graph_expect(reader, value, LMB_JSON_STRING)) {
        ((lmb_root_motion_def *)target)->joint = lmb_graph_find_clip_joint(reader, value);
    }
}

static const lmb_graph_kind kind_motion_joint = {read_motion_joint, "{'type':'string'}", NULL};

static void read_extracted(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    lmb_root_motion_def *def = target;
    read_axes(reader, value, (bool *[3]){&def->x, &def->y, &def->z});
}

static const lmb_graph_kind kind_extracted = {read_extracted, "@axes", NULL};

static void read_closed(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    lmb_root_motion_def *def = target;
    read_axes(reader, value, (bool *[3]){&def->close_x, &def->close_y, &def->close_z});
}

static const lmb_graph_kind kind_closed = {read_closed, "@axes", NULL};

static const char *const references[] = {"first-frame", "rest-pose", "absolute", NULL};

static const lmb_graph_field motion_members[] = {
    {.name = "joint", .about = "The joint whose motion is extracted.", .kind = &kind_motion_joint},
    {.name = "axes", .about = "The axes along which the character moves; xz by default.", .kind = &kind_extracted},
    {.name = "pitch",
     .about = "Whether turns about the x axis are extracted.",
     .kind = &lmb_kind_boolean,
     .offset = offsetof(lmb_root_motion_def, pitch)},
    {.name = "yaw",
     .about = "Whether turns about the vertical axis are extracted; true by default.",
     .kind = &lmb_kind_boolean,
     .offset = offsetof(lmb_root_motion_def, yaw)},
    {.name = "roll",
     .about = "Whether turns about the z axis are extracted.",
     .kind = &lmb_kind_boolean,
     .offset = offsetof(lmb_root_motion_def, roll)},
    {.name = "rate",
     .about = "Keys a second.",
     .kind = &lmb_kind_number,
     .offset = offsetof(lmb_root_motion_def, rate),
     .min = 1e-3f,
     .max = 1000.0f},
    {.name = "reference",
     .about = "What the motion is measured from.",
     .kind = &lmb_kind_choice,
     .offset = offsetof(lmb_root_motion_def, reference),
     .choices = references},
    {.name = "close", .about = "Axes along which the motion ends where it begins.", .kind = &kind_closed},
    {.name = "close-turn",
     .about = "Whether the motion ends facing as it began.",
     .kind = &lmb_kind_boolean,
     .offset = offsetof(lmb_root_motion_def, close_turn)},
};
static const lmb_graph_fields motion_fields = {LMB_FIELDS("\"motion\"", motion_members)};

static bool extracts_the_same(const lmb_root_motion_def *a, const lmb_root_motion_def *b) {
    return a->x == b->x && a->y == b->y && a->z == b->z && a->pitch == b->pitch && a->yaw == b->yaw &&
           a->roll == b->roll;
}

// Finds the joint whose motion is extracted if the text does not name one.
static uint32_t find_moving_joint(lmb_graph_reader *reader, const lmb_rig *rig, const lmb_root_motion_def *def) {
    const lmb_graph_character *other = reader->character;
    if (reader->moving_rig == rig && extracts_the_same(&reader->moving, def)) {
        return reader->moving.joint;
    }
    const lmb_host host = lmb_pool_host(&reader->graph->pool);
    const lmb_clip *const *clips = other != NULL ? other->clips : reader->source->clips;
    uint32_t joint = 0;
    if (lmb_root_motion_find_joint(rig, clips, other != NULL ? other->clip_count : reader->source->clip_count, def,
                                   &host, &joint, NULL) != LMB_OK) {
        lmb_graph_fail_memory(reader);
        return 0;
    }
    reader->moving_rig = rig;
    reader->moving = *def;
    reader->moving.joint = joint;
    return joint;
}

// Warns of something in the motion of a clip, unless another use of the clip did.
static void warn_once(lmb_graph_reader *reader, uint32_t value, const char *message) {
    for (uint32_t i = 0; i < reader->graph->warning_count; i++) {
        if (strcmp(reader->graph->warnings[i].message, message) == 0) {
            return;
        }
    }
    lmb_graph_warn(reader, value, "%s", message);
}

// Returns the length of the longest bone in the rest pose, in model space.
static double longest_bone(const lmb_rig *rig) {
    const lmb_rig_def *rig_def = lmb_rig_get_def(rig);
    double square = 0.0;
    for (uint32_t joint = 0; joint < rig_def->joint_count; joint++) {
        lmb_affine above = lmb_affine_from_transform(lmb_transform_identity());
        for (uint32_t k = rig_def->joints[joint].parent; k != LMB_NONE; k = rig_def->joints[k].parent) {
            above = lmb_affine_multiply(lmb_affine_from_transform(rig_def->joints[k].rest), above);
        }
        const lmb_transform rest = rig_def->joints[joint].rest;
        double bone = 0.0;
        for (int row = 0; row < 3; row++) {
            const double way = (double)above.m[row][0] * (double)rest.translation[0] +
                               (double)above.m[row][1] * (double)rest.translation[1] +
                               (double)above.m[row][2] * (double)rest.translation[2];
            bone += way * way;
        }
        square = fmax(square, bone);
    }
    return sqrt(square);
}

// Returns whether a track leads somewhere: its end is farther from its beginning than a hundredth of the rig's longest
// bone, or of a radian, and than a quarter of the space that it takes, or it takes the space of half of that bone, or
// one and a half radians. A pelvis that sways to and fro in a clip in place does neither.
static bool travels(const lmb_rig *rig, const lmb_motion_track *track) {
    const double bone = longest_bone(rig);
    bool moves = track->rotations != NULL;
    for (uint32_t i = 0; i < 4; i++) {
        const double unit = i < 3 ? bone : 1.0;
        double low = (double)track->keys[i], high = low;
        for (uint32_t key = 1; key < track->key_count; key++) {
            low = fmin(low, (double)track->keys[4 * key + i]);
            high = fmax(high, (double)track->keys[4 * key + i]);
        }
        const double net = fabs((double)track->keys[4 * (track->key_count - 1) + i] - (double)track->keys[i]);
        moves = moves || (net > 0.01 * unit && net > 0.25 * (high - low)) || high - low > (i < 3 ? 0.5 * unit : 1.5);
    }
    return moves;
}

// Sets a motion of a player that moves nothing, so that the sway of a clip in place stays in the clip.
static void stand_still(lmb_graph_reader *reader, lmb_player_def *player) {
    lmb_pool *pool = &reader->graph->pool;
    float *keys = lmb_graph_allocate(reader, pool, 8, sizeof *keys);
    lmb_motion_track *track = lmb_graph_allocate(reader, pool, 1, sizeof *track);
    player->motion = NULL;
    if (keys != NULL && track != NULL) {
        memset(keys, 0, 8 * sizeof *keys);
        *track = (lmb_motion_track){.key_count = 2, .keys = keys};
        player->motion = track;
    }
}

// Extracts root motion from a clip, which inside a retarget is one of the other character. Adds the remaining clip to
// the graph and sets `index` to it.
static void take_motion(lmb_graph_reader *reader, uint32_t value, const lmb_clip *clip, lmb_player_def *player,
                        lmb_value *index) {
    lmb_root_motion_def def = lmb_default_root_motion_def();
    const uint32_t before = reader->problem_count;
    def.joint = LMB_NONE;
    if (reader->json.values[value].type == LMB_JSON_OBJECT) {
        lmb_graph_read_fields(reader, &motion_fields, value, &def);
    }
    if (clip == NULL || reader->problem_count > before || reader->result != LMB_OK) {
        return;
    }
    lmb_root_motion *motion = NULL;
    lmb_error error;
    const lmb_host host = lmb_pool_host(&reader->graph->pool);
    const lmb_rig *rig = reader->character != NULL ? reader->character->rig : reader->source->rig;
    const bool is_found = def.joint == LMB_NONE;
    def.joint = is_found ? find_moving_joint(reader, rig, &def) : def.joint;
    if (reader->result != LMB_OK) {
        return;
    }
    const lmb_result result = lmb_root_motion_extract(rig, clip, &def, &host, &motion, &error);
    if (result == LMB_ERROR_MEMORY) {
        lmb_graph_fail_memory(reader);
    } else if (result != LMB_OK) {
        lmb_graph_report(reader, value, "%s", error.message);
    } else {
        char message[LMB_GRAPH_MESSAGE_SIZE];
        // Another reference says where the joint stays, also in a clip that stands.
        const bool moves_only = def.reference == LMB_MOTION_REFERENCE_FIRST_FRAME && !def.close_x && !def.close_y &&
                                !def.close_z && !def.close_turn;
        player->motion = lmb_root_motion_track(motion);
        if (moves_only && !travels(rig, player->motion)) {
            snprintf(
                message, sizeof message,
                "the clip '%.60s' does not travel, so its root motion moves nothing: what moves a clip in place is its "
                "velocity, which auto measures",
                lmb_clip_get_info(clip)->name);
            warn_once(reader, value, message);
            lmb_root_motion_destroy(motion);
            stand_still(reader, player);
            return;
        } else if (is_found && def.joint != 0) {
            snprintf(message, sizeof message,
                     "joint 0 '%.60s' does not travel, so the root motion is that of '%.60s'; \"joint\" names another",
                     lmb_rig_get_def(rig)->joints[0].name, lmb_rig_get_def(rig)->joints[def.joint].name);
            warn_once(reader, value, message);
        }
        *index = lmb_constant((float)reader->graph->def.clip_count);
        const lmb_clip *rest = lmb_root_motion_clip(motion);
        lmb_graph_json *graph = reader->graph;
        lmb_graph_append(reader, &graph->pool, &graph->def.clips, &graph->def.clip_count, &rest, sizeof rest);
    }
}

static const lmb_graph_field key_number = {.count = 4, .min = -LMB_MAX_MOTION, .max = LMB_MAX_MOTION};

// Returns whether a value is an array of so many elements; reports another one as `what` says.
static bool expect_array(lmb_graph_reader *reader, uint32_t value, uint32_t count, const char *what) {
    if (!lmb_graph_expect(reader, value, LMB_JSON_ARRAY)) {
        return false;
    }
    if (reader->json.values[value].count != count) {
        lmb_graph_report(reader, value, "%s", what);
    }
    return reader->json.values[value].count == count;
}

// Reads a track of keys in the text.
static void read_keys(lmb_graph_reader *reader, uint32_t value, lmb_player_def *player) {
    const lmb_json_value *values = reader->json.values;
    const uint32_t count = values[value].count;
    if (!lmb_graph_expect_count(reader, value, 2, LMB_MAX_MOTION_KEYS, "keys")) {
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
        if (expect_array(reader, at, 4, "a key is x, y, z and yaw")) {
            lmb_graph_read_floats(reader, &key_number, at, keys + 4 * key);
            const float turn = key > 0 ? keys[4 * key + 3] - keys[4 * key - 1] : keys[3];
            lmb_graph_check_angle(reader, at, (double)turn, 2.0f);
        }
    }
    *track = (lmb_motion_track){.key_count = count, .keys = keys};
    player->motion = track;
}

// Reads the root motion of a clip. If it is extracted from the clip, `index` becomes that of the remaining clip.
static void read_root_motion(lmb_graph_reader *reader, uint32_t value, const lmb_clip *clip, lmb_player_def *player,
                             lmb_value *index) {
    const lmb_json_type type = reader->json.values[value].type;
    reader->graph->has_character_motion = true;
    if (type == LMB_JSON_ARRAY) {
        read_keys(reader, value, player);
    } else if (type == LMB_JSON_OBJECT || lmb_graph_is_true(reader, value)) {
        take_motion(reader, value, clip, player, index);
    } else {
        lmb_graph_report(reader, value, "neither true, nor an object, nor an array of keys");
    }
}

// ---- Character motion. ----

// Reads three values, for x, y and z.
static void read_coordinates(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *values = reader->json.values;
    if (!expect_array(reader, value, 3, field->what)) {
        return;
    }
    lmb_graph_field number = *field;
    for (uint32_t at = value + 1; at < values[value].next; at = values[at].next) {
        lmb_graph_read_early(reader, &number, at, target);
        number.offset += sizeof(lmb_value);
    }
}

static const lmb_graph_kind kind_coordinates = {
    read_coordinates,
    "{'type':'array','items':{'anyOf':[{'type':'number',$range},@early-value]},'minItems':3,'maxItems':3}", NULL};

static void read_heading(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    ((lmb_motion_def *)target)->turns_to_heading = true;
    lmb_graph_read_early(reader, field, value, target);
}

static const lmb_graph_kind kind_heading = {read_heading, "{'anyOf':[{'type':'number',$range},@early-value]}", NULL};

// Reads a limit: 0, or a value that character motion accepts.
static void read_limit(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    float *limit = (float *)(void *)((char *)target + field->offset);
    lmb_graph_read_plain(reader, field, value, target);
    if (*limit != 0.0f && *limit < 1e-6f) {
        lmb_graph_report(reader, value, "neither 0, which is no limit, nor 1e-6 at least");
    }
}

static const lmb_graph_kind kind_limit = {
    read_limit, "{'anyOf':[{'const':0},{'type':'number','minimum':0.000001,'maximum':$max}]}", NULL};

#define PI_FLOAT 3.14159274f
#define VELOCITY_RANGE .parameter_min = -10.0f, .parameter_max = 10.0f
#define HEADING_RANGE                                                                                                  \
    .min = -1048576.0f, .max = 1048576.0f, .parameter_min = -PI_FLOAT, .parameter_max = PI_FLOAT, .turns = 1.0f

static const lmb_graph_field character_motion_members[] = {
    {.name = "velocity",
     .about = "The desired velocity: x, y and z.",
     .kind = &kind_coordinates,
     .offset = MOTION(velocity),
     .what = A_VELOCITY,
     .min = -1048576.0f,
     .max = 1048576.0f,
     VELOCITY_RANGE},
    {.name = "heading",
     .about = "The desired heading, in radians.",
     .kind = &kind_heading,
     .offset = MOTION(heading),
     HEADING_RANGE},
    {.name = "acceleration",
     .about = "The limit of acceleration; 0 is none.",
     .kind = &kind_limit,
     .offset = MOTION(acceleration),
     .max = 1048576.0f},
    {.name = "deceleration",
     .about = "The limit of deceleration; 0 is none.",
     .kind = &kind_limit,
     .offset = MOTION(deceleration),
     .max = 1048576.0f},
    {.name = "turn-rate",
     .about = "The limit of turning, in radians a second; 0 is none.",
     .kind = &kind_limit,
     .offset = MOTION(turn_rate),
     .max = 1048576.0f,
     .turns = 4.0f}, // a second
    LMB_NUMBER_FIELD(
        "velocity-half-life", MOTION(velocity_half_life),
        "Seconds after which half of the difference in velocity at an inertialized transition is gone; 0: at once."),
    {.name = "actual-velocity",
     .about = "The parameters to which the velocity is written, for x, y and z.",
     .kind = &lmb_kind_later,
     .schema = "{'type':'array','items':{'anyOf':[{'type':'null'},@name]},'minItems':3,'maxItems':3}"},
    {.name = "full-rotation",
     .about = "Whether root motion turns the character about all axes.",
     .kind = &lmb_kind_boolean,
     .offset = MOTION(full_rotation)},
};
static const lmb_graph_fields character_motion_fields = {
    LMB_FIELDS_OF(motion, 0, "\"character-motion\"", character_motion_members)};

// Returns whether a value is a parameter, or computed from it.
static bool reads(const lmb_graph_json *graph, lmb_value value, uint32_t parameter) {
    bool found = lmb_value_reads(value) == parameter;
    for (uint32_t i = 0; i < graph->def.computed_count && value.kind == LMB_VALUE_PARAMETER && !found; i++) {
        for (uint32_t k = 0; k < LMB_MAX_COMPUTED_INPUTS && graph->def.computed[i].parameter == value.parameter; k++) {
            found = found || reads(graph, graph->def.computed[i].inputs[k], parameter);
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
        if (lmb_value_reads(graph->def.smoothed[i].source) == parameter) {
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
    const char *name = lmb_graph_read_name(reader, value, LMB_EMPTY_NAME);
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
    const uint32_t list = lmb_graph_find_member(reader, object, "actual-velocity");
    if (list == LMB_NONE || !expect_array(reader, list, 3, A_VELOCITY)) {
        return;
    }
    uint32_t axis = 0;
    for (uint32_t at = list + 1; at < values[list].next && reader->result == LMB_OK; at = values[at].next, axis++) {
        if (values[at].type != LMB_JSON_NULL) {
            name_velocity(reader, at, axis);
        }
    }
}

void lmb_graph_read_character_motion(lmb_graph_reader *reader, uint32_t key) {
    lmb_graph_json *graph = reader->graph;
    graph->motion = lmb_default_motion_def();
    if (key == 0 || reader->result != LMB_OK) {
        return;
    }
    graph->has_character_motion = true;
    const uint32_t value = key + 1;
    const lmb_json_type type = reader->json.values[value].type;
    if (type == LMB_JSON_OBJECT) {
        lmb_graph_read_fields(reader, &character_motion_fields, value, &graph->motion);
        read_actual_velocity(reader, value);
    } else if (!lmb_graph_is_true(reader, value)) {
        lmb_graph_report(reader, value, "neither true nor an object");
    }
}

// ---- Players.

// The "play" object of a clip.
typedef struct play {
    lmb_player_def def;
    uint32_t at;          // the value of "play", or LMB_NONE
    float duration;       // of the clip
    const lmb_clip *clip; // or NULL, if there is none of that name
    const char *group;
    lmb_cadence cadence; // of its group
    uint32_t sync;       // the value of "sync-with", or LMB_NONE
} play;

// A player that begins at the time of another clip, which may come later in the text.
struct lmb_graph_sync {
    lmb_player_def *player;
    uint32_t node;  // its own
    uint32_t value; // the name of the other clip
    bool is_own;    // no clip of another character
};

// A warp, while it is read.
typedef struct warp_reading {
    lmb_warp_def def;
    const play *play;
} warp_reading;

#define WARP(member) offsetof(warp_reading, member)

// Returns the event of that name, or LMB_NONE.
static uint32_t find_event(const lmb_graph_json *graph, const char *name) {
    uint32_t i = lmb_index_first(&graph->event_index, lmb_index_hash_text(name));
    while (i != LMB_NONE && strcmp(graph->def.event_names[i], name) != 0) {
        i = lmb_index_next(&graph->event_index, i);
    }
    return i;
}

// Returns the event of a name, which it adds if it is new, or LMB_NONE after a problem.
static uint32_t find_or_add_event(lmb_graph_reader *reader, uint32_t value) {
    static const lmb_graph_event_uses none = {LMB_NONE, LMB_NONE};
    lmb_graph_json *graph = reader->graph;
    const char *name = lmb_graph_read_name(reader, value, "an event without a name");
    if (name == NULL || name[0] == '\0') {
        return LMB_NONE;
    }
    uint32_t event = find_event(graph, name);
    if (strcmp(name, "END") == 0) {
        lmb_graph_report(reader, value, "END is no event; an end is reported by \"end\": true");
    } else if (event == LMB_NONE) {
        event = graph->def.event_count;
        if (!lmb_graph_append(reader, &graph->pool, &graph->def.event_names, &graph->def.event_count, &name,
                              sizeof name) ||
            !lmb_graph_append(reader, &reader->scratch, &reader->event_uses, &reader->event_use_count, &none,
                              sizeof none) ||
            !lmb_graph_index(reader, &graph->event_index, lmb_index_hash_text(name))) {
            event = LMB_NONE;
        }
    }
    return event;
}

// Reads an event, and notes where the text first emits it or awaits it.
static void read_event(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const uint32_t event = find_or_add_event(reader, value);
    if (event != LMB_NONE) {
        lmb_graph_event_uses *uses = &reader->event_uses[event];
        uint32_t *at = field->kind == &lmb_kind_emitted ? &uses->emitted : &uses->awaited;
        *at = *at == LMB_NONE ? value : *at;
        *(uint32_t *)(void *)((char *)target + field->offset) = event;
    }
}

const lmb_graph_kind lmb_kind_event = {read_event, "@event", NULL};
const lmb_graph_kind lmb_kind_emitted = {read_event, "@event", NULL};

// Reads seconds from 0 to the clip's duration, or that the clip begins at random times.
static void read_offset(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    play *read = target;
    if (lmb_graph_is_text(reader, value, "random")) {
        read->def.random_offset = true;
    } else if (reader->json.values[value].type == LMB_JSON_STRING) {
        lmb_graph_report(reader, value, "neither a number of seconds nor \"random\"");
    } else {
        lmb_graph_field within = *field;
        within.max = read->duration;
        lmb_graph_read_plain(reader, &within, value, target);
    }
}

static const lmb_graph_kind kind_offset = {read_offset, "{'anyOf':[{'const':'random'},{'type':'number','minimum':0}]}",
                                           NULL};

// Standing feet that slide by more than this share of the way at the clip's own velocity are seen to slide.
#define SEEN_SLIDE 0.25f

// Returns whether a value is inside a foot placement that locks.
static bool is_locked(const lmb_graph_reader *reader, uint32_t value) {
    const lmb_json_value *values = reader->json.values;
    bool found = false;
    for (uint32_t i = 0; i < value && !found; i++) {
        if (values[i].type == LMB_JSON_OBJECT && values[i].next > value) {
            const uint32_t op = lmb_graph_find_member(reader, i, "op");
            found = op != LMB_NONE && lmb_graph_is_text(reader, op, "foot-placement") &&
                    lmb_graph_find_member(reader, i, "lock-distance") != LMB_NONE;
        }
    }
    return found;
}

// Measures the velocity of a clip in place, along z. A clip whose root motion is taken has the velocity of that.
static void measure_velocity(lmb_graph_reader *reader, uint32_t value, play *read) {
    const lmb_rig *rig = reader->character != NULL ? reader->character->rig : reader->source->rig;
    const lmb_host host = lmb_pool_host(&reader->graph->pool);
    lmb_foot_speed speed;
    if (lmb_graph_find_member(reader, read->at, "motion") != LMB_NONE) {
        lmb_graph_report(reader, value, "a clip with \"motion\" has the velocity of that");
    } else if (read->clip == NULL) {
        return; // its name was not found
    } else if (lmb_root_motion_measure_feet(rig, read->clip, &host, &speed, NULL) != LMB_OK) {
        lmb_graph_fail_memory(reader);
    } else if (speed.velocity[0] == 0.0f && speed.velocity[2] == 0.0f) {
        lmb_graph_warn(reader, value, "in the clip '%.60s' no foot takes steps, so it has no velocity",
                       lmb_clip_get_info(read->clip)->name);
    } else {
        read->def.velocity = speed.velocity[2];
        if (speed.slide > SEEN_SLIDE && is_locked(reader, value)) {
            return; // as this would advise
        }
        if (speed.slide > SEEN_SLIDE) {
            lmb_graph_warn(reader, value,
                           "the standing feet of '%.60s' do not move evenly: at %.3g a second they slide by %.0f %% of "
                           "the way: lock them, by \"foot-placement\"",
                           lmb_clip_get_info(read->clip)->name, (double)speed.velocity[2],
                           (double)(100.0f * speed.slide));
        } else {
            lmb_graph_warn_of_sideways(reader, value, lmb_clip_get_info(read->clip)->name, &speed, 0.1f);
        }
    }
}

static void read_velocity(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    if (lmb_graph_is_text(reader, value, "auto")) {
        measure_velocity(reader, value, target);
    } else {
        lmb_graph_read_plain(reader, field, value, target);
    }
}

static const lmb_graph_kind kind_velocity = {read_velocity, "{'anyOf':[{'const':'auto'},{'type':'number',$range}]}",
                                             NULL};

static void read_group(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    play *read = target;
    if (lmb_graph_expect(reader, value, LMB_JSON_STRING)) {
        read->group = lmb_graph_text(reader, &reader->graph->pool, value);
    }
}

static const lmb_graph_kind kind_group = {read_group, "{'type':'string'}", NULL};

static void read_sync(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    if (lmb_graph_expect(reader, value, LMB_JSON_STRING)) {
        ((play *)target)->sync = value;
    }
}

static const lmb_graph_kind kind_sync = {read_sync, "{'type':'string'}", NULL};

// Returns the node of the first other clip of a name that plays, or LMB_NONE.
static uint32_t find_synced(lmb_graph_reader *reader, const struct lmb_graph_sync *sync) {
    const lmb_graph_json *graph = reader->graph;
    const char *name = lmb_graph_text(reader, &reader->scratch, sync->value);
    name = name != NULL && sync->is_own ? lmb_graph_resolve_clip(reader, name) : name;
    for (uint32_t i = 0; i < graph->def.node_count && name != NULL; i++) {
        const lmb_node_def *node = &graph->nodes[i];
        if (i != sync->node && node->op == LMB_OP_CLIP && node->player != NULL &&
            strcmp(lmb_clip_get_info(graph->def.clips[(uint32_t)node->clip.constant])->name, name) == 0) {
            return i;
        }
    }
    return LMB_NONE;
}

void lmb_graph_finish_players(lmb_graph_reader *reader) {
    for (uint32_t i = 0; i < reader->sync_count && reader->result == LMB_OK; i++) {
        const struct lmb_graph_sync *sync = &reader->syncs[i];
        sync->player->sync_node = find_synced(reader, sync);
        if (sync->player->sync_node == LMB_NONE) {
            lmb_graph_report(reader, sync->value, "no other clip of this name plays");
        }
    }
}

// Returns memory for the elements of an array; NULL after an error.
static void *begin_list(lmb_graph_reader *reader, uint32_t value, uint32_t most, const char *what, size_t size) {
    const bool fits = lmb_graph_expect_count(reader, value, 0, most, what);
    return fits ? lmb_graph_allocate(reader, &reader->graph->pool, reader->json.values[value].count, size) : NULL;
}

static void read_markers(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    play *read = target;
    const lmb_json_value *values = reader->json.values;
    float *markers = begin_list(reader, value, field->count, "markers", sizeof *markers);
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

static const lmb_graph_kind kind_markers = {
    read_markers, "{'type':'array','items':{'type':'number','minimum':0},'maxItems':$count}", NULL};

static const lmb_graph_field notify_members[] = {
    {.name = "time",
     .about = "Seconds in the clip.",
     .required = true,
     .kind = &lmb_kind_number,
     .offset = offsetof(lmb_notify_def, time),
     .max = LMB_MAX_CONTROL_SECONDS},
    {.name = "event",
     .about = "The event that is emitted.",
     .required = true,
     .kind = &lmb_kind_emitted,
     .offset = offsetof(lmb_notify_def, event)},
};
static const lmb_graph_fields notify_fields = {LMB_FIELDS("a notify", notify_members)};

// Events where a float channel crosses a threshold, while they are read.
typedef struct crossing_reading {
    const char *channel;
    float threshold;
    uint32_t rising, falling;
} crossing_reading;

static void read_channel(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    ((crossing_reading *)target)->channel = lmb_graph_read_name(reader, value, "a channel without a name");
}

static const lmb_graph_kind kind_channel = {read_channel, "{'type':'string','minLength':1}", NULL};

static const lmb_graph_field crossing_members[] = {
    {.name = "channel",
     .about = "The float channel whose track in the clip crosses the threshold.",
     .required = true,
     .kind = &kind_channel},
    {.name = "threshold",
     .about = "A value is above if it is greater; 0.5 by default.",
     .kind = &lmb_kind_number,
     .offset = offsetof(crossing_reading, threshold),
     LMB_ANY_NUMBER},
    {.name = "rising",
     .about = "The event where the value becomes greater.",
     .kind = &lmb_kind_emitted,
     .offset = offsetof(crossing_reading, rising)},
    {.name = "falling",
     .about = "The event where it becomes equal or less.",
     .kind = &lmb_kind_emitted,
     .offset = offsetof(crossing_reading, falling)},
};
static const lmb_graph_fields crossing_fields = {LMB_FIELDS("a crossing", crossing_members)};

// Puts a notify behind those that are not later.
static void insert_notify(play *read, lmb_notify_def *notifies, lmb_notify_def added) {
    uint32_t at = read->def.notify_count++;
    for (; at > 0 && notifies[at - 1].time > added.time; at--) {
        notifies[at] = notifies[at - 1];
    }
    notifies[at] = added;
}

// Returns whether the text has the player loop. Its end may be read later.
static bool is_loop(const lmb_graph_reader *reader, const play *read) {
    const uint32_t end = lmb_graph_find_member(reader, read->at, "end");
    return end == LMB_NONE || lmb_graph_is_text(reader, end, "loop");
}

// Adds a notify for each crossing of a threshold.
static void add_crossings(lmb_graph_reader *reader, uint32_t value, play *read, lmb_notify_def *notifies) {
    crossing_reading given = {.threshold = 0.5f, .rising = LMB_NONE, .falling = LMB_NONE};
    lmb_crossing found[LMB_MAX_NOTIFIES];
    const uint32_t problems = reader->problem_count;
    lmb_graph_read_fields(reader, &crossing_fields, value, &given);
    if (reader->problem_count != problems || read->clip == NULL || given.channel == NULL) {
        return;
    }
    const lmb_rig *rig = reader->character != NULL ? reader->character->rig : reader->source->rig;
    const uint32_t channel = lmb_rig_find_channel(
        rig, reader->character != NULL ? given.channel : lmb_graph_resolve_joint(reader, given.channel));
    uint32_t count = 0;
    if (given.rising == LMB_NONE && given.falling == LMB_NONE) {
        lmb_graph_report(reader, value, "a crossing needs the event \"rising\" or \"falling\"");
    } else if (lmb_clip_find_crossings(read->clip, channel, given.threshold, is_loop(reader, read), found,
                                       LMB_MAX_NOTIFIES, &count, NULL) != LMB_OK) {
        lmb_graph_report_name(reader, lmb_graph_find_member(reader, value, "channel"), "the rig has no float channel",
                              given.channel, lmb_graph_channel_names(rig));
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t event = i >= LMB_MAX_NOTIFIES ? LMB_NONE : found[i].rises ? given.rising : given.falling;
        if (i == LMB_MAX_NOTIFIES || (event != LMB_NONE && read->def.notify_count == LMB_MAX_NOTIFIES)) {
            lmb_graph_report(reader, value, "more than %u notifies in all", LMB_MAX_NOTIFIES);
            return;
        }
        if (event != LMB_NONE) {
            insert_notify(read, notifies, (lmb_notify_def){found[i].time, event});
        }
    }
}

// Adds a notify at a stated time, which is not before `earliest`. Returns its time.
static float add_notify(lmb_graph_reader *reader, uint32_t value, play *read, float earliest,
                        lmb_notify_def *notifies) {
    lmb_notify_def given = {0};
    lmb_graph_read_fields(reader, &notify_fields, value, &given);
    if (given.time > read->duration || given.time < earliest) {
        lmb_graph_report(reader, value,
                         "a time of %g: notifies are in the order of their times, within the clip, which takes %g s",
                         (double)given.time, (double)read->duration);
    }
    if (read->def.notify_count == LMB_MAX_NOTIFIES) {
        lmb_graph_report(reader, value, "more than %u notifies in all", LMB_MAX_NOTIFIES);
        return given.time;
    }
    insert_notify(read, notifies, given);
    return given.time;
}

static void read_notifies(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    play *read = target;
    const lmb_json_value *values = reader->json.values;
    if (!lmb_graph_expect_count(reader, value, 0, field->count, "notifies")) {
        return;
    }
    lmb_notify_def *notifies = lmb_graph_allocate(reader, &reader->graph->pool, field->count, sizeof *notifies);
    float last = 0.0f;
    read->def.notifies = notifies;
    for (uint32_t at = value + 1; at < values[value].next && reader->result == LMB_OK; at = values[at].next) {
        if (!lmb_graph_expect(reader, at, LMB_JSON_OBJECT)) {
            continue;
        }
        if (lmb_graph_find_member(reader, at, "channel") != LMB_NONE) {
            add_crossings(reader, at, read, notifies);
        } else {
            last = add_notify(reader, at, read, last, notifies);
        }
    }
}

static const lmb_graph_kind kind_notifies = {
    read_notifies, "{'type':'array','items':{'anyOf':[$inside,@crossing]},'maxItems':$count}", NULL};

// Reads the end of a warp: seconds, or the event of a notify of the clip.
static void read_warp_end(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const warp_reading *read = target;
    const lmb_player_def *player = &read->play->def;
    lmb_graph_field within = *field;
    within.max = read->play->duration;
    if (reader->json.values[value].type != LMB_JSON_STRING) {
        lmb_graph_read_plain(reader, &within, value, target);
        return;
    }
    const char *name = lmb_graph_read_name(reader, value, "an event without a name");
    const uint32_t event = name != NULL && name[0] != '\0' ? find_event(reader->graph, name) : LMB_NONE;
    uint32_t i = 0;
    while (i < player->notify_count && (event == LMB_NONE || player->notifies[i].event != event)) {
        i++;
    }
    if (i < player->notify_count) {
        ((warp_reading *)target)->def.end = player->notifies[i].time;
    } else if (name != NULL && name[0] != '\0') {
        lmb_graph_report(reader, value, "no notify of the clip has this event");
    }
}

static const lmb_graph_kind kind_warp_end = {
    read_warp_end, "{'anyOf':[{'type':'number','minimum':0},{'type':'string','minLength':1}]}", NULL};

static void read_warp_heading(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    ((warp_reading *)target)->def.turns_to_heading = true;
    lmb_graph_read_early(reader, field, value, target);
}

static const lmb_graph_kind kind_warp_heading = {read_warp_heading, "{'anyOf':[{'type':'number',$range},@early-value]}",
                                                 NULL};

static const lmb_graph_field warp_members[] = {
    {.name = "start",
     .about = "Seconds in the clip; 0 by default.",
     .kind = &lmb_kind_number,
     .offset = WARP(def.start),
     .max = LMB_MAX_CONTROL_SECONDS},
    {.name = "end",
     .about = "Seconds in the clip, or the event of a notify.",
     .required = true,
     .kind = &kind_warp_end,
     .offset = WARP(def.end)},
    {.name = "target",
     .about = "The place that is reached: x, y and z.",
     .required = true,
     .kind = &kind_coordinates,
     .offset = WARP(def.target),
     .what = "a target is x, y and z",
     .parameter_min = -10.0f,
     .parameter_max = 10.0f},
    {.name = "height",
     .about = "Whether the height is reached, too; true by default.",
     .kind = &lmb_kind_boolean,
     .offset = WARP(def.warps_height)},
    {.name = "heading",
     .about = "The yaw that is reached, in radians.",
     .kind = &kind_warp_heading,
     .offset = WARP(def.heading),
     HEADING_RANGE},
};
static const lmb_graph_fields warp_fields = {LMB_FIELDS_OF(warp, WARP(def), "a warp", warp_members)};

// Reads warps, after the notifies.
static void read_warps(lmb_graph_reader *reader, uint32_t value, play *read) {
    const lmb_json_value *values = reader->json.values;
    lmb_warp_def *warps = begin_list(reader, value, LMB_MAX_WARPS, "warps", sizeof *warps);
    if (warps == NULL) {
        return;
    }
    uint32_t count = 0;
    for (uint32_t at = value + 1; at < values[value].next && reader->result == LMB_OK; at = values[at].next, count++) {
        warp_reading own = {.def = lmb_default_warp_def(), .play = read};
        const uint32_t before = reader->problem_count;
        if (lmb_graph_expect(reader, at, LMB_JSON_OBJECT)) {
            lmb_graph_read_fields(reader, &warp_fields, at, &own);
        }
        warps[count] = own.def;
        const float earliest = count > 0 ? warps[count - 1].end : 0.0f;
        if (reader->problem_count == before && !(own.def.start >= earliest && own.def.end > own.def.start)) {
            lmb_graph_report(reader, at, "from %g to %g s: warps are in the order of their times, and take some time",
                             (double)own.def.start, (double)own.def.end);
        }
    }
    if (count > 0 && read->def.end == LMB_END_PING_PONG) {
        lmb_graph_report(reader, value, "a clip that turns around has no warps");
    }
    reader->graph->has_character_motion = true;
    read->def.warps = warps;
    read->def.warp_count = count;
}

static const char *const ends[] = {
    [LMB_END_LOOP] = "loop", [LMB_END_HOLD] = "hold", [LMB_END_ONCE] = "once", [LMB_END_PING_PONG] = "ping-pong", NULL};

static const char *const cadences[] = {[LMB_CADENCE_DEFAULT] = "default",
                                       [LMB_CADENCE_DURATION] = "duration",
                                       [LMB_CADENCE_VELOCITY] = "velocity",
                                       [LMB_CADENCE_LENGTH] = "length",
                                       NULL};

static const lmb_graph_field play_members[] = {
    {.name = "end",
     .about = "What the clip does at its end.",
     .kind = &lmb_kind_choice,
     .offset = PLAY(def.end),
     .choices = ends},
    {.name = "repetitions",
     .about = "After how many repetitions a loop or a ping-pong ends; 0 is never.",
     .kind = &lmb_kind_integer,
     .offset = PLAY(def.repetitions),
     .max = (float)LMB_MAX_REPETITIONS},
    {.name = "drops-out",
     .about = "Whether it drops out after the last repetition, as one played once does, in place of holding.",
     .kind = &lmb_kind_boolean,
     .offset = PLAY(def.drops_out)},
    {.name = "rate",
     .about = "A factor of the speed; $ by default.",
     .kind = &lmb_kind_early,
     .offset = PLAY(def.rate),
     .min = -64.0f,
     .max = 64.0f,
     .is_factor = true,
     .parameter_max = 2.0f},
    {.name = "offset",
     .about = "Where the clip begins, in seconds; or 'random', for another time in each character.",
     .kind = &kind_offset,
     .offset = PLAY(def.offset)},
    LMB_SECONDS_FIELD("delay", PLAY(def.delay), "How long the clip waits at its beginning, in seconds."),
    {.name = "sync-with", .about = "The clip at whose time it begins when its state is entered.", .kind = &kind_sync},
    {.name = "group", .about = "The sync group of the clip.", .kind = &kind_group},
    {.name = "cadence",
     .about = "How the rate of the group is found.",
     .kind = &lmb_kind_choice,
     .offset = PLAY(cadence),
     .choices = cadences},
    {.name = "markers",
     .about = "The times of sync markers, in seconds.",
     .kind = &kind_markers,
     .offset = PLAY(def.markers),
     .count = LMB_MAX_MARKERS},
    {.name = "velocity",
     .about = "The velocity at which the character moves in the clip, along z; 'auto' measures that of its feet.",
     .kind = &kind_velocity,
     .offset = PLAY(def.velocity)},
    {.name = "motion",
     .about = "The root motion: true or an object extract it from the clip, an array of x, y, z and yaw gives it.",
     .kind = &lmb_kind_later,
     .schema = "{'anyOf':[{'const':true},@motion,{'type':'array','items':{'type':'array',"
               "'items':{'type':'number',$range},'minItems':4,'maxItems':4},'minItems':2,'maxItems':$count}]}",
     .count = LMB_MAX_MOTION_KEYS,
     .min = -LMB_MAX_MOTION,
     .max = LMB_MAX_MOTION},
    {.name = "ended",
     .about = "The event that the end of the clip emits.",
     .kind = &lmb_kind_emitted,
     .offset = PLAY(def.ended_event)},
    {.name = "looped",
     .about = "The event that each loop emits.",
     .kind = &lmb_kind_emitted,
     .offset = PLAY(def.looped_event)},
    {.name = "notifies",
     .about = "Events at times in the clip, or where its float channels cross a threshold.",
     .kind = &kind_notifies,
     .inside = &notify_fields,
     .count = LMB_MAX_NOTIFIES},
    {.name = "warps",
     .about = "Changes of the root motion, so that the character reaches places.",
     .kind = &lmb_kind_later,
     .schema = "{'type':'array','items':$inside,'maxItems':$count}",
     .inside = &warp_fields,
     .count = LMB_MAX_WARPS},
};
static const lmb_graph_fields play_fields = {LMB_FIELDS_OF(player, PLAY(def), "\"play\"", play_members),
                                             .also =
                                                 "'dependencies':{'cadence':['group'],'drops-out':['repetitions']}"};

const lmb_graph_definition lmb_graph_player_definitions[] = {
    {"play", "How the clip plays by itself.", "{'anyOf':[{'const':true},$inside]}", &play_fields},
    {"crossing", "Events where a float channel of the clip crosses a threshold.", "$inside", &crossing_fields},
    {"event", "The name of an event.", "{'type':'string','minLength':1,'not':{'const':'END'}}", NULL},
    {"motion", "How root motion is extracted from the clip.", "$inside", &motion_fields},
    {"axes", "Letters of xyz, each once at most.",
     "{'enum':['','x','y','z','xy','xz','yz','xyz','yx','zx','zy','xzy','yxz','yzx','zxy','zyx']}", NULL},
    {"character-motion", "How the character moves.", "{'anyOf':[{'const':true},$inside]}", &character_motion_fields},
    {NULL, NULL, NULL, NULL},
};

// Returns the value of a member of "play", or LMB_NONE.
static uint32_t find_stated(const lmb_graph_reader *reader, const play *read, const char *name) {
    return read->at == LMB_NONE ? LMB_NONE : lmb_graph_find_member(reader, read->at, name);
}

// Checks when a clip begins, and how often it repeats.
static void check_course(lmb_graph_reader *reader, const play *read) {
    const lmb_player_def *player = &read->def;
    const uint32_t at = find_stated(reader, read, player->repetitions > 0 ? "repetitions" : "drops-out");
    const bool goes_on = player->end == LMB_END_LOOP || player->end == LMB_END_PING_PONG;
    const bool begins = player->delay > 0.0f || read->sync != LMB_NONE;
    if (read->group != NULL && begins) {
        lmb_graph_report(reader, find_stated(reader, read, player->delay > 0.0f ? "delay" : "sync-with"),
                         "a clip in a group begins with the group");
    }
    const char *why = player->repetitions == 0 ? (player->drops_out ? "without \"repetitions\"" : NULL)
                      : !goes_on               ? "a clip that stays at its first end has no repetitions"
                      : read->group != NULL    ? "a clip in a group plays for ever"
                      : (double)player->repetitions * (double)read->duration > (double)LMB_MAX_CONTROL_SECONDS
                          ? "the repetitions take more than 100,000 s"
                          : NULL;
    if (why != NULL) {
        lmb_graph_report(reader, at, "%s", why);
    }
}

// Reads "play". Reports members that must not be beside it.
static void read_play(lmb_graph_reader *reader, const lmb_graph_node *node, play *read) {
    static const char *const others[] = {"time", "rate", "offset", "loop"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        uint32_t at = lmb_graph_find_member(reader, node->object, others[i]);
        if (at != LMB_NONE) {
            lmb_graph_report(reader, at, "a clip with \"play\" has %s",
                             i == 0   ? "its time from that"
                             : i == 3 ? "an \"end\" inside it"
                                      : "this inside it");
        }
    }
    lmb_json_type type = reader->json.values[read->at].type;
    if (type == LMB_JSON_OBJECT) {
        lmb_graph_read_fields(reader, &play_fields, read->at, read);
        check_course(reader, read);
    } else if (!lmb_graph_is_true(reader, read->at)) {
        lmb_graph_report(reader, read->at, "neither true nor an object");
    }
}

// Sets up the player of a clip that is in a state and has no "play", from the members that the clip has instead.
static void take_from_clip(lmb_graph_reader *reader, const lmb_graph_node *node, play *read) {
    read->def.rate = node->def.rate;
    lmb_graph_expect_early(reader, lmb_graph_find_member(reader, node->object, "rate"), read->def.rate);
    if (!node->def.loop) {
        read->def.end = LMB_END_HOLD;
    }
    uint32_t at = lmb_graph_find_member(reader, node->object, "offset");
    if (at != LMB_NONE && (node->def.offset.kind == LMB_VALUE_PARAMETER ||
                           !(node->def.offset.constant >= 0.0f && node->def.offset.constant <= read->duration))) {
        lmb_graph_report(reader, at,
                         "the clip plays from here on: a number from 0 to %g; characters differ by a first state with "
                         "\"after\": 0 that leads \"to\" one of several",
                         (double)read->duration);
    } else if (at != LMB_NONE) {
        read->def.offset = node->def.offset.constant;
    }
}

static uint32_t find_group(const lmb_graph_json *graph, const char *name) {
    uint32_t group = 0;
    while (group < graph->def.group_count && strcmp(graph->def.groups[group].name, name) != 0) {
        group++;
    }
    return group;
}

static void add_group(lmb_graph_reader *reader, const play *read, const lmb_player_def *leader) {
    lmb_graph_json *graph = reader->graph;
    uint32_t leader_count = graph->def.group_count;
    lmb_group_def group = lmb_default_group_def();
    group.name = read->group;
    group.cadence = read->cadence;
    if (lmb_graph_append(reader, &graph->pool, &graph->leaders, &leader_count, &leader, sizeof leader)) {
        lmb_graph_append(reader, &graph->pool, &graph->def.groups, &graph->def.group_count, &group, sizeof group);
    }
}

static uint32_t markers_of(const lmb_player_def *player) {
    return player->marker_count == 0 ? 1 : player->marker_count;
}

static void check_member(lmb_graph_reader *reader, const play *read, const lmb_player_def *leader) {
    const uint32_t group = find_stated(reader, read, "group"), end = find_stated(reader, read, "end");
    const uint32_t rate = find_stated(reader, read, "rate"), cadence = find_stated(reader, read, "cadence");
    if (read->def.end != LMB_END_LOOP || !(read->duration > 0.0f)) {
        lmb_graph_report(reader, end == LMB_NONE ? group : end, "clips of a group loop, and take some time");
    }
    if (leader == NULL) {
        return;
    }
    if (rate != LMB_NONE) {
        lmb_graph_report(reader, rate, "a group has the rate of its first clip");
    }
    if (cadence != LMB_NONE) {
        lmb_graph_report(reader, cadence, "a group has the cadence of its first clip");
    }
    if (markers_of(&read->def) != markers_of(leader)) {
        lmb_graph_report(reader, group, "clips of a group have as many markers each: this one %u, the first %u",
                         (unsigned)markers_of(&read->def), (unsigned)markers_of(leader));
    }
}

static void join_group(lmb_graph_reader *reader, const play *read, lmb_player_def *player) {
    lmb_graph_json *graph = reader->graph;
    if (read->group == NULL) {
        if (find_stated(reader, read, "cadence") != LMB_NONE) {
            lmb_graph_report(reader, find_stated(reader, read, "cadence"), "a cadence is a group's, and there is none");
        }
        return;
    }
    const uint32_t index = find_group(graph, read->group);
    const bool leads = index == graph->def.group_count;
    check_member(reader, read, leads ? NULL : graph->leaders[index]);
    const lmb_cadence cadence = leads ? read->cadence : graph->def.groups[index].cadence;
    if (cadence == LMB_CADENCE_VELOCITY &&
        lmb_clip_velocity(player->velocity, player->motion, read->duration) == 0.0f) {
        lmb_graph_report(reader, find_stated(reader, read, leads ? "cadence" : "group"),
                         "the clip has no velocity, which the cadence of its group needs");
    }
    player->group = index;
    if (leads) {
        add_group(reader, read, player);
    }
}

static bool can_play(lmb_graph_reader *reader, const lmb_graph_node *node, const play *read, const lmb_clip *clip) {
    uint32_t at = read->at == LMB_NONE ? node->object : read->at;
    const char *why = reader->player_count == LMB_MAX_PLAYERS ? "more than 256 clips that play"
                      : node->def.clip.kind == LMB_VALUE_PARAMETER
                          ? "a clip that a parameter chooses has no player: it needs a \"time\""
                      : clip != NULL && lmb_clip_get_info(clip)->duration > LMB_MAX_CONTROL_SECONDS
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
        node->def.clip.kind == LMB_VALUE_CONSTANT && node->def.clip.constant < (float)reader->graph->def.clip_count;
    uint32_t index = is_known ? (uint32_t)node->def.clip.constant : LMB_NONE;
    const lmb_clip *played = index == LMB_NONE ? NULL : reader->graph->def.clips[index];
    play read = {
        .def = lmb_default_player_def(), .at = lmb_graph_find_member(reader, node->object, "play"), .sync = LMB_NONE};
    if (!can_play(reader, node, &read, played)) {
        return;
    }
    lmb_graph_owner *owner = &reader->owner;
    read.clip = played;
    read.duration = played == NULL ? LMB_MAX_CONTROL_SECONDS : lmb_clip_get_info(played)->duration;
    if (read.at == LMB_NONE) {
        read.def.end = owner->holds ? LMB_END_HOLD : LMB_END_LOOP;
        take_from_clip(reader, node, &read);
    } else {
        read_play(reader, node, &read);
    }
    const uint32_t motion = find_stated(reader, &read, "motion"), warps = find_stated(reader, &read, "warps");
    if (warps != LMB_NONE) {
        read_warps(reader, warps, &read);
    }
    if (motion != LMB_NONE) {
        read_root_motion(reader, motion, played, &read.def, &clip->clip);
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
    if (read.sync != LMB_NONE) {
        const struct lmb_graph_sync sync = {player, reader->graph->def.node_count, read.sync,
                                            reader->character == NULL};
        lmb_graph_append(reader, &reader->scratch, &reader->syncs, &reader->sync_count, &sync, sizeof sync);
    }
    reader->player_count++;
    owner->end_node = owner->end_node == LMB_NONE ? reader->graph->def.node_count : owner->end_node; // the node that is
                                                                                                     // added next
    clip->player = player;
    clip->time = lmb_constant(0.0f);
    clip->rate = lmb_constant(1.0f);
    clip->offset = lmb_constant(0.0f);
    clip->loop = false;
}
