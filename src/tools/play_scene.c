// A scene is read from JSON by tables of fields: a row has a name, a function and the target. The first error is
// reported with line and column, and stops the reading.
//
// Each frame places the characters by their root motion and follows their feet. The ground is known under each foot,
// but a foot also needs the height of a riser before it steps on it. So a moving foot looks ahead along its velocity,
// and its height follows as a critically damped spring does. Points are then filled in for inverse kinematics: ground,
// normals, the camera, positions on rails.
#include "play_scene.h"

#include "random.h"

#include "base/host.h"
#include "json/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAY_SCENE_TRACKS 16u
#define PLAY_SCENE_KEYS 64u
#define PLAY_SCENE_JOINTS 4u
#define NAME_SIZE 64u
#define MOST_FIELDS 16u // of an object
#define RADIANS 0.0174532925f
#define LARGEST 1e6f
#define LOOK_AHEAD 0.15f // seconds
#define LOOKS 32u
#define FREQUENCY 30.0f // of smoothed heights, radians a second
#define RIDE_SAMPLES 64u

// Keys of one time and up to six values each.
typedef struct track {
    float (*keys)[7];
    uint32_t count;
    uint32_t width; // values
    bool eases;     // in and out at each key; otherwise linear
} track;

typedef enum source { SOURCE_SECONDS, SOURCE_KEYS, SOURCE_PHASE } source;

typedef struct setting {
    source source;
    uint32_t parameter;
    track track;
    float shift;
} setting;

typedef enum point_kind { POINT_UNUSED, POINT_GROUND, POINT_NORMAL, POINT_CAMERA, POINT_RAIL, POINT_PLACE } point_kind;

typedef struct point {
    point_kind kind;
    uint32_t which;  // joint of `joints`, or rail
    float at[3];     // in the character's space; of a place in world space
    float offset[3]; // in world space
} point;

// A joint under which the ground is found.
typedef struct foot_joint {
    uint32_t joint;
    float bind[3]; // its position in the bind pose
} foot_joint;

typedef struct foot {
    float position[3]; // in the frame before
    float ground;      // smoothed height
    float speed;       // of that
    float normal[3];
    bool begun;
} foot;

typedef struct member {
    float start[2]; // x, z
    float facing;
    float phase;
    float position[3];
    foot feet[PLAY_SCENE_JOINTS];
} member;

struct play_scene {
    lmb_host host;
    lmb_arena arena;
    const lmb_graph *graph;
    uint32_t character_count;
    uint32_t joint_count;
    uint32_t point_count; // of the graph
    float unit;
    uint32_t columns;
    float apart[2], start[2];
    float facing, stride;
    setting settings[PLAY_SCENE_TRACKS];
    uint32_t setting_count;
    play_scene_strip strips[PLAY_SCENE_STRIPS];
    uint32_t strip_count;
    float ride;
    track rails[PLAY_SCENE_RAILS];
    uint32_t rail_count;
    track eye;
    float target[3];
    bool has_target;
    point points[LMB_MAX_POINTS];
    foot_joint joints[PLAY_SCENE_JOINTS];
    uint32_t foot_count;
    member *members;
    float *point_floats;
    float *transforms;
};

// ---- Reading.

typedef struct reader {
    const play_scene_def *def;
    play_scene *scene;
    lmb_json json;
    lmb_error *error;
    bool failed;
} reader;

static void fail_at(reader *reader, uint32_t value, const char *message) {
    uint32_t line, column;
    lmb_json_locate(reader->def->text, reader->json.values[value].start, &line, &column);
    if (!reader->failed) {
        lmb_fail(reader->error, LMB_ERROR_FORMAT, "%s: line %u, column %u: %s", reader->def->name, line, column,
                 message);
    }
    reader->failed = true;
}

static bool expect(reader *reader, uint32_t value, lmb_json_type type) {
    char message[80];
    const lmb_json_type found = reader->json.values[value].type;
    snprintf(message, sizeof message, "%s, where %s was expected", lmb_json_type_name(found), lmb_json_type_name(type));
    if (found != type) {
        fail_at(reader, value, message);
    }
    return found == type;
}

static bool expect_array(reader *reader, uint32_t value, uint32_t min, uint32_t max) {
    char message[80];
    if (!expect(reader, value, LMB_JSON_ARRAY)) {
        return false;
    }
    const uint32_t count = reader->json.values[value].count;
    snprintf(message, sizeof message, "%u elements, where %u to %u were expected", (unsigned)count, (unsigned)min,
             (unsigned)max);
    if (count < min || count > max) {
        fail_at(reader, value, message);
    }
    return count >= min && count <= max;
}

static float read_number(reader *reader, uint32_t value, float min) {
    if (!expect(reader, value, LMB_JSON_NUMBER)) {
        return min;
    }
    const double number = lmb_json_number(&reader->json, value);
    if (!(number >= (double)min && number <= (double)LARGEST)) {
        fail_at(reader, value, "the number is out of range");
        return min;
    }
    return (float)number;
}

static void read_numbers(reader *reader, uint32_t value, uint32_t count, float *numbers) {
    if (!expect_array(reader, value, count, count)) {
        return;
    }
    for (uint32_t i = 0, at = value + 1; i < count; i++, at = reader->json.values[at].next) {
        numbers[i] = read_number(reader, at, -LARGEST);
    }
}

static bool read_name(reader *reader, uint32_t value, char name[NAME_SIZE]) {
    name[0] = '\0';
    if (!expect(reader, value, LMB_JSON_STRING)) {
        return false;
    }
    if (lmb_json_string_room(&reader->json, value) > NAME_SIZE) {
        fail_at(reader, value, "the name is longer than 63 bytes");
        return false;
    }
    lmb_json_string(&reader->json, value, name);
    return true;
}

// A member that may be in an object, and what reads it.
typedef struct field {
    const char *name;
    void (*read)(reader *reader, uint32_t value, void *target);
    void *target;
} field;

// Reads the members of an object in the order of the fields.
static void read_fields(reader *reader, uint32_t object, const field *fields) {
    if (!expect(reader, object, LMB_JSON_OBJECT)) {
        return;
    }
    uint32_t values[MOST_FIELDS] = {0};
    for (uint32_t key = object + 1; key < reader->json.values[object].next && !reader->failed;
         key = reader->json.values[key].next) {
        char name[NAME_SIZE];
        const field *field = fields;
        if (!read_name(reader, key, name)) {
            return;
        }
        while (field->name != NULL && strcmp(field->name, name) != 0) {
            field++;
        }
        if (field->name == NULL) {
            char message[160] = "there is no field of this name; there are";
            for (field = fields; field->name != NULL; field++) {
                const size_t length = strlen(message);
                snprintf(message + length, sizeof message - length, "%s %s", field > fields ? "," : "", field->name);
            }
            fail_at(reader, key, message);
        } else if (values[field - fields] != 0) {
            fail_at(reader, key, "this field is given twice");
        } else {
            values[field - fields] = key + 1;
        }
    }
    for (uint32_t i = 0; fields[i].name != NULL && !reader->failed; i++) {
        if (values[i] != 0) {
            fields[i].read(reader, values[i], fields[i].target);
        }
    }
}

static void read_any(reader *reader, uint32_t value, void *target) {
    *(float *)target = read_number(reader, value, -LARGEST);
}

static void read_positive(reader *reader, uint32_t value, void *target) {
    *(float *)target = read_number(reader, value, 0.0f);
}

static void read_flag(reader *reader, uint32_t value, void *target) {
    if (expect(reader, value, LMB_JSON_BOOLEAN)) {
        *(bool *)target = lmb_json_boolean(&reader->json, value);
    }
}

static void read_pair(reader *reader, uint32_t value, void *target) {
    read_numbers(reader, value, 2, target);
}

static void read_triple(reader *reader, uint32_t value, void *target) {
    read_numbers(reader, value, 3, target);
}

static uint32_t read_index(reader *reader, uint32_t value, uint32_t count, const char *message) {
    const float number = read_number(reader, value, 0.0f);
    if (number != floorf(number) || number >= (float)count) {
        fail_at(reader, value, message);
        return 0;
    }
    return (uint32_t)number;
}

static uint32_t find_parameter(reader *reader, uint32_t value) {
    char name[NAME_SIZE];
    if (!read_name(reader, value, name)) {
        return 0;
    }
    const uint32_t parameter = lmb_graph_find_parameter(reader->def->graph, name);
    if (parameter == LMB_NONE) {
        fail_at(reader, value, "the graph has no parameter of this name");
        return 0;
    }
    return parameter;
}

// Reads one key: a time, then numbers or points.
static void read_key(reader *reader, uint32_t value, track *track, float *key) {
    const uint32_t points = track->width == 6 ? 2 : 0, count = points > 0 ? 3 : track->width + 1;
    const lmb_json_value *key_value = &reader->json.values[value];
    if (key_value->type != LMB_JSON_ARRAY || key_value->count != count) {
        fail_at(reader, value,
                points > 0          ? "a key is [seconds, [x, y, z], [x, y, z]]"
                : track->width == 3 ? "a key is [seconds, x, y, z]"
                                    : "a key is [seconds, value]");
        return;
    }
    uint32_t at = value + 1;
    key[0] = read_number(reader, at, 0.0f);
    for (uint32_t i = 0; i < (points > 0 ? points : track->width) && !reader->failed; i++) {
        at = reader->json.values[at].next;
        if (points > 0) {
            read_numbers(reader, at, 3, key + 1 + (size_t)3 * i);
        } else {
            key[1 + i] = read_number(reader, at, -LARGEST);
        }
    }
}

static void read_track(reader *reader, uint32_t value, void *target) {
    track *track = target;
    if (!expect_array(reader, value, 1, PLAY_SCENE_KEYS)) {
        return;
    }
    track->count = reader->json.values[value].count;
    track->keys = lmb_arena_allocate(&reader->scene->arena, track->count, sizeof *track->keys);
    for (uint32_t i = 0, at = value + 1; track->keys != NULL && i < track->count && !reader->failed;
         i++, at = reader->json.values[at].next) {
        read_key(reader, at, track, track->keys[i]);
        if (i == 0 ? track->keys[0][0] != 0.0f : track->keys[i][0] <= track->keys[i - 1][0]) {
            fail_at(reader, at, "times begin at 0 and ascend");
        }
    }
}

static setting *add_setting(reader *reader, uint32_t value) {
    play_scene *scene = reader->scene;
    if (scene->setting_count == PLAY_SCENE_TRACKS) {
        fail_at(reader, value, "at most 16 parameters are possible");
        return NULL;
    }
    setting *setting = &scene->settings[scene->setting_count++];
    *setting = (struct setting){.track.width = 1};
    return setting;
}

static void read_phase(reader *reader, uint32_t value, void *target) {
    (void)target;
    setting *setting = add_setting(reader, value);
    if (setting != NULL) {
        setting->source = SOURCE_PHASE;
        setting->parameter = find_parameter(reader, value);
    }
}

// No columns count as one.
static void read_columns(reader *reader, uint32_t value, void *target) {
    *(uint32_t *)target = 1 + read_index(reader, value, 10000, "a whole number up to 9999 was expected");
    *(uint32_t *)target -= *(uint32_t *)target > 1;
}

static void read_rows(reader *reader, uint32_t value, void *target) {
    play_scene *scene = target;
    const field fields[] = {{"columns", read_columns, &scene->columns},
                            {"apart", read_pair, scene->apart},
                            {"start", read_pair, scene->start},
                            {"facing", read_any, &scene->facing},
                            {"phase", read_phase, NULL},
                            {"stride", read_any, &scene->stride},
                            {0}};
    read_fields(reader, value, fields);
}

static void read_setting(reader *reader, uint32_t key, setting *setting) {
    const uint32_t value = key + 1;
    setting->parameter = find_parameter(reader, key);
    if (reader->json.values[value].type == LMB_JSON_STRING) {
        char name[NAME_SIZE];
        read_name(reader, value, name);
        setting->source = SOURCE_SECONDS;
        if (strcmp(name, "seconds") != 0) {
            fail_at(reader, value, "\"seconds\" or an object was expected");
        }
    } else {
        const field fields[] = {{"keys", read_track, &setting->track},
                                {"shift", read_positive, &setting->shift},
                                {"ease", read_flag, &setting->track.eases},
                                {0}};
        setting->source = SOURCE_KEYS;
        read_fields(reader, value, fields);
        if (setting->track.count == 0) {
            fail_at(reader, value, "there are no keys");
        }
    }
}

static void read_parameters(reader *reader, uint32_t value, void *target) {
    (void)target;
    if (!expect(reader, value, LMB_JSON_OBJECT)) {
        return;
    }
    for (uint32_t key = value + 1; key < reader->json.values[value].next && !reader->failed;
         key = reader->json.values[key].next) {
        setting *setting = add_setting(reader, key);
        if (setting != NULL) {
            read_setting(reader, key, setting);
        }
    }
}

static void read_profile(reader *reader, uint32_t value, void *target) {
    play_scene_strip *strip = target;
    if (!expect_array(reader, value, 2, 256)) {
        return;
    }
    float(*keys)[2] = lmb_arena_allocate(&reader->scene->arena, reader->json.values[value].count, sizeof *keys);
    for (uint32_t i = 0, at = value + 1; keys != NULL && i < reader->json.values[value].count && !reader->failed;
         i++, at = reader->json.values[at].next) {
        read_numbers(reader, at, 2, keys[i]);
        if (i > 0 && keys[i][0] < keys[i - 1][0]) {
            fail_at(reader, at, "positions along z must not descend");
        }
    }
    strip->keys = (const float(*)[2])keys;
    strip->key_count = reader->json.values[value].count;
    if (!reader->failed && keys != NULL && keys[strip->key_count - 1][0] - keys[0][0] < 0.01f) {
        fail_at(reader, value, "the profile is too short");
    }
}

static void read_ground(reader *reader, uint32_t value, void *target) {
    play_scene *scene = target;
    if (!expect_array(reader, value, 0, PLAY_SCENE_STRIPS)) {
        return;
    }
    for (uint32_t at = value + 1; at < reader->json.values[value].next && !reader->failed;
         at = reader->json.values[at].next) {
        play_scene_strip *strip = &scene->strips[scene->strip_count++];
        const field fields[] = {
            {"from", read_any, &strip->from}, {"to", read_any, &strip->to}, {"profile", read_profile, strip}, {0}};
        read_fields(reader, at, fields);
        if (strip->key_count == 0 || strip->from >= strip->to) {
            fail_at(reader, at, "a strip needs a profile, and \"from\" below \"to\"");
        }
    }
}

static void read_rails(reader *reader, uint32_t value, void *target) {
    play_scene *scene = target;
    if (!expect_array(reader, value, 0, PLAY_SCENE_RAILS)) {
        return;
    }
    for (uint32_t at = value + 1; at < reader->json.values[value].next && !reader->failed;
         at = reader->json.values[at].next) {
        track *track = &scene->rails[scene->rail_count++];
        track->width = 6;
        track->eases = true;
        read_track(reader, at, track);
    }
}

static void read_camera_target(reader *reader, uint32_t value, void *target) {
    ((play_scene *)target)->has_target = true;
    read_triple(reader, value, ((play_scene *)target)->target);
}

static void read_camera(reader *reader, uint32_t value, void *target) {
    play_scene *scene = target;
    scene->eye.width = 3;
    scene->eye.eases = true;
    const field fields[] = {{"eye", read_track, &scene->eye}, {"target", read_camera_target, scene}, {0}};
    read_fields(reader, value, fields);
    if (scene->eye.count == 0) {
        fail_at(reader, value, "the camera has no eye");
    }
}

// Stores the position of a joint in the bind pose: what its inverse bind matrix takes to the origin.
static void find_bind(const lmb_rig *rig, uint32_t joint, float bind[3]) {
    lmb_affine matrix;
    lmb_affine_invert(lmb_rig_get_def(rig)->joints[joint].inverse_bind, &matrix); // or the identity
    for (int row = 0; row < 3; row++) {
        bind[row] = matrix.m[row][3];
    }
}

// Returns the joint of a name, or of what the name stands for; LMB_NONE if there is none.
static uint32_t find_named(const play_scene_def *def, const char *name) {
    const lmb_graph_source *names = def->names;
    for (uint32_t i = 0; names != NULL && i < names->joint_alias_count; i++) {
        if (strcmp(names->joint_aliases[i].name, name) == 0) {
            return lmb_rig_find_joint(def->rig, names->joint_aliases[i].target);
        }
    }
    return lmb_rig_find_joint(def->rig, name);
}

static const char *joint_name_at(const void *rig, uint32_t index) {
    return lmb_rig_get_def(rig)->joints[index].name;
}

static void read_joint(reader *reader, uint32_t value, point *point, point_kind kind) {
    play_scene *scene = reader->scene;
    char name[NAME_SIZE];
    if (!read_name(reader, value, name)) {
        return;
    }
    const uint32_t joint = find_named(reader->def, name);
    uint32_t which = 0;
    while (which < scene->foot_count && scene->joints[which].joint != joint) {
        which++;
    }
    if (joint == LMB_NONE || which == PLAY_SCENE_JOINTS) {
        const lmb_rig *rig = reader->def->rig;
        char none[200] = "there is no joint of this name";
        lmb_append_names(none, sizeof none, name, strlen(name), joint_name_at, rig, lmb_rig_get_def(rig)->joint_count);
        fail_at(reader, value, joint == LMB_NONE ? none : "at most 4 joints are possible");
        return;
    }
    if (which == scene->foot_count) {
        scene->joints[scene->foot_count++].joint = joint;
        find_bind(reader->def->rig, joint, scene->joints[which].bind);
    }
    *point = (struct point){.kind = kind, .which = which};
}

static void read_ground_point(reader *reader, uint32_t value, void *target) {
    read_joint(reader, value, target, POINT_GROUND);
}

static void read_normal_point(reader *reader, uint32_t value, void *target) {
    read_joint(reader, value, target, POINT_NORMAL);
}

static void read_camera_point(reader *reader, uint32_t value, void *target) {
    if (expect(reader, value, LMB_JSON_BOOLEAN)) {
        ((point *)target)->kind = POINT_CAMERA;
        if (!lmb_json_boolean(&reader->json, value)) {
            fail_at(reader, value, "true was expected");
        }
    }
}

static void read_rail_point(reader *reader, uint32_t value, void *target) {
    point *point = target;
    point->kind = POINT_RAIL;
    point->which = read_index(reader, value, reader->scene->rail_count, "there is no rail of this index");
}

static void read_place(reader *reader, uint32_t value, void *target) {
    ((point *)target)->kind = POINT_PLACE;
    read_triple(reader, value, ((point *)target)->at);
}

// Reports a point that is not one thing, and a place that is on no rail.
static void check_point(reader *reader, uint32_t object, const point *point) {
    static const char *const kinds[] = {"ground", "normal", "camera", "place", "rail"};
    const lmb_json *json = &reader->json;
    bool twice;
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        count += lmb_json_member(json, object, kinds[i], &twice) != LMB_NONE;
    }
    const uint32_t at = lmb_json_member(json, object, "at", &twice);
    if (at != LMB_NONE && point->kind != POINT_RAIL) {
        fail_at(reader, at,
                "\"at\" is a place along a rail, and there is no \"rail\" beside it: {\"place\": [x, y, z]} is one in "
                "world space");
    } else if (count != 1) {
        fail_at(reader, object,
                count == 0 ? "a point needs one of ground, normal, camera, place, rail"
                           : "a point is one of ground, normal, camera, place, rail: another point may be the other");
    }
}

static void read_points(reader *reader, uint32_t value, void *target) {
    play_scene *scene = target;
    if (!expect_array(reader, value, 0, LMB_MAX_POINTS)) {
        return;
    }
    uint32_t index = 0;
    for (uint32_t at = value + 1; at < reader->json.values[value].next && !reader->failed;
         at = reader->json.values[at].next) {
        point *point = &scene->points[index++];
        const field fields[] = {{"ground", read_ground_point, point},   {"normal", read_normal_point, point},
                                {"camera", read_camera_point, point},   {"place", read_place, point},
                                {"rail", read_rail_point, point},       {"at", read_triple, point->at},
                                {"offset", read_triple, point->offset}, {0}};
        read_fields(reader, at, fields);
        if (!reader->failed) {
            check_point(reader, at, point);
        }
    }
}

static void read_all(reader *reader) {
    play_scene *scene = reader->scene;
    const field fields[] = {{"rows", read_rows, scene},     {"parameters", read_parameters, NULL},
                            {"ground", read_ground, scene}, {"ride", read_positive, &scene->ride},
                            {"rails", read_rails, scene},   {"camera", read_camera, scene},
                            {"points", read_points, scene}, {0}};
    read_fields(reader, 0, fields);
    for (uint32_t i = 0; i < scene->point_count; i++) {
        const bool has_eye = scene->eye.count > 0;
        if (scene->points[i].kind == POINT_CAMERA && !has_eye) {
            fail_at(reader, 0, "a point is the camera, and there is none");
        }
    }
    if (scene->point_count > 0 && scene->points[scene->point_count - 1].kind == POINT_UNUSED) {
        char message[100];
        snprintf(message, sizeof message, "the graph reads more points than the scene has: \"points\" needs %u",
                 (unsigned)scene->point_count);
        fail_at(reader, 0, message);
    }
}

static lmb_result read_text(const play_scene_def *def, play_scene *scene, lmb_error *error) {
    lmb_budget budget = {.host = lmb_host_resolve(NULL), .limit = (size_t)64 << 20};
    lmb_pool memory = {.budget = &budget};
    reader reader = {.def = def, .scene = scene, .error = error};
    lmb_json_error found;
    if (lmb_json_read(def->text, def->size, &memory, &reader.json, &found)) {
        read_all(&reader);
    } else {
        reader.failed = true;
        lmb_fail(error, found.result, "%s: line %u, column %u: %s", def->name, (unsigned)found.line,
                 (unsigned)found.column, found.reason);
    }
    lmb_pool_clear(&memory);
    return reader.failed ? error->result : LMB_OK;
}

// ---- Values.

// A track begins again at its last key.
static void track_at(const track *track, double seconds, float *values) {
    const double end = (double)track->keys[track->count - 1][0];
    const float time = end > 0.0 ? (float)fmod(seconds, end) : 0.0f;
    uint32_t i = 0;
    while (i + 2 < track->count && time >= track->keys[i + 1][0]) {
        i++;
    }
    const float *a = track->keys[i], *b = track->keys[i + 1 < track->count ? i + 1 : i];
    const float s = b[0] > a[0] ? (time - a[0]) / (b[0] - a[0]) : 0.0f;
    const float share = track->eases ? s * s * (3.0f - 2.0f * s) : s;
    for (uint32_t k = 0; k < track->width; k++) {
        values[k] = a[1 + k] + share * (b[1 + k] - a[1 + k]);
    }
}

void play_scene_set_parameters(const play_scene *scene, double seconds, float *parameters) {
    const uint32_t count = lmb_graph_get_info(scene->graph)->parameter_count;
    for (uint32_t i = 0; i < scene->character_count; i++) {
        for (uint32_t k = 0; k < scene->setting_count; k++) {
            const setting *setting = &scene->settings[k];
            float *value = &parameters[(size_t)i * count + setting->parameter];
            if (setting->source == SOURCE_KEYS) {
                track_at(&setting->track, seconds + (double)(setting->shift * random_chance(i, 3 + k)), value);
            } else {
                *value = setting->source == SOURCE_PHASE ? scene->members[i].phase : (float)fmod(seconds, 1024.0);
            }
        }
    }
}

// ---- The ground.

// Stores height and slope of a profile, beyond a riser at z itself.
static void profile_at(const play_scene_strip *strip, float z, float *height, float *slope) {
    const float first = strip->keys[0][0], period = strip->keys[strip->key_count - 1][0] - first;
    const float at = z - period * floorf((z - first) / period);
    uint32_t i = 0;
    while (i + 2 < strip->key_count && at >= strip->keys[i + 1][0]) {
        i++;
    }
    const float *a = strip->keys[i], *b = strip->keys[i + 1];
    *slope = b[0] > a[0] ? (b[1] - a[1]) / (b[0] - a[0]) : 0.0f;
    *height = a[1] + *slope * (at - a[0]);
}

static void ground_at(const play_scene *scene, float x, float z, float *height, float *slope) {
    *height = *slope = 0.0f;
    for (uint32_t i = 0; i < scene->strip_count; i++) {
        if (x >= scene->strips[i].from && x < scene->strips[i].to) {
            profile_at(&scene->strips[i], z, height, slope);
        }
    }
}

float play_scene_ground(const play_scene *scene, float x, float z, float normal[3]) {
    float height, slope;
    ground_at(scene, x, z, &height, &slope);
    if (normal != NULL) {
        const float length = sqrtf(1.0f + slope * slope);
        normal[0] = 0.0f;
        normal[1] = 1.0f / length;
        normal[2] = -slope / length;
    }
    return height;
}

static float mean_height(const play_scene *scene, const float place[2], float heading) {
    if (scene->ride == 0.0f) {
        return play_scene_ground(scene, place[0], place[1], NULL);
    }
    double sum = 0.0;
    for (uint32_t i = 0; i < RIDE_SAMPLES; i++) {
        const float way = scene->ride * (((float)i + 0.5f) / (float)RIDE_SAMPLES - 0.5f);
        sum += (double)play_scene_ground(scene, place[0] + way * sinf(heading), place[1] + way * cosf(heading), NULL);
    }
    return (float)(sum / RIDE_SAMPLES);
}

// Stores where a joint was in the frame before.
static void find_joint(const play_scene *scene, const play_scene_frame *frame, uint32_t character, uint32_t which,
                       float position[3]) {
    const foot_joint *joint = &scene->joints[which];
    const float *rows = frame->palettes + ((size_t)character * scene->joint_count + joint->joint) * 12;
    const float *matrix = scene->transforms + (size_t)character * 12;
    float model[3];
    for (int i = 0; i < 3; i++) {
        const float *row = rows + 4 * i;
        model[i] = row[0] * joint->bind[0] + row[1] * joint->bind[1] + row[2] * joint->bind[2] + row[3];
    }
    for (int i = 0; i < 3; i++) {
        const float *row = matrix + 4 * i;
        position[i] = row[0] * model[0] + row[1] * model[1] + row[2] * model[2] + row[3];
    }
}

// Returns the height of the ground under a moving joint, and of the risers that it soon steps up. A foot that is
// planted does not move, and gets the ground under it.
static float height_ahead(const play_scene *scene, const float position[3], const float velocity[2]) {
    float height, slope, risers = 0.0f, highest = 0.0f;
    ground_at(scene, position[0], position[2], &height, &slope);
    const float under = height, step = LOOK_AHEAD / (float)LOOKS;
    for (uint32_t i = 1; i <= LOOKS; i++) {
        const float time = step * (float)i, before = height, slope_before = slope;
        ground_at(scene, position[0] + time * velocity[0], position[2] + time * velocity[1], &height, &slope);
        risers += height - before - 0.5f * (slope + slope_before) * step * velocity[1];
        highest = fmaxf(highest, risers);
    }
    return under + highest;
}

// Moves a value to a goal as a critically damped spring does.
static void approach(float *value, float *speed, float goal, float step) {
    const float way = *value - goal, moved = (*speed + FREQUENCY * way) * step, left = expf(-FREQUENCY * step);
    *speed = (*speed - FREQUENCY * moved) * left;
    *value = goal + (way + moved) * left;
}

static void move_foot(const play_scene *scene, const float position[3], float step, foot *foot) {
    float normal[3], velocity[2] = {0.0f, 0.0f};
    if (foot->begun && step > 0.0f) {
        velocity[0] = (position[0] - foot->position[0]) / step;
        velocity[1] = (position[2] - foot->position[2]) / step;
    }
    const float height = height_ahead(scene, position, velocity);
    play_scene_ground(scene, position[0], position[2], normal);
    // The smoothed height moves with the slope; only steps are smoothed.
    foot->ground = foot->begun ? foot->ground - normal[2] / normal[1] * (position[2] - foot->position[2]) : height;
    approach(&foot->ground, &foot->speed, height, step);
    for (int i = 0; i < 3; i++) {
        const float share = foot->begun ? 1.0f - expf(-14.0f * step) : 1.0f;
        foot->normal[i] += share * (normal[i] - foot->normal[i]);
        foot->position[i] = position[i];
    }
    foot->begun = true;
}

// ---- A frame.

void play_scene_rail(const play_scene *scene, uint32_t index, double seconds, float ends[2][3]) {
    track_at(&scene->rails[index], seconds, ends[0]);
}

static void find_on_rail(const play_scene *scene, const play_scene_frame *frame, const float *matrix,
                         const point *point, float *target) {
    float ends[2][3], at[3], along = 0.0f, square = 0.0f;
    play_scene_rail(scene, point->which, frame->seconds, ends);
    for (int i = 0; i < 3; i++) {
        const float *row = matrix + 4 * i;
        const float unit = 1.0f / scene->unit;
        at[i] = unit * (row[0] * point->at[0] + row[1] * point->at[1] + row[2] * point->at[2]) + row[3];
    }
    for (int i = 0; i < 3; i++) {
        const float way = ends[1][i] - ends[0][i];
        along += way * (at[i] - ends[0][i]);
        square += way * way;
    }
    const float share = square > 0.0f ? fminf(fmaxf(along / square, 0.0f), 1.0f) : 0.0f;
    for (int i = 0; i < 3; i++) {
        target[i] = ends[0][i] + share * (ends[1][i] - ends[0][i]) + point->offset[i];
    }
}

static void fill_point(const play_scene *scene, const play_scene_frame *frame, uint32_t character, const point *point,
                       const float eye[3], float *target) {
    const member *member = &scene->members[character];
    const foot *foot = &member->feet[point->kind == POINT_GROUND || point->kind == POINT_NORMAL ? point->which : 0];
    switch (point->kind) {
    case POINT_GROUND:
        target[0] = foot->position[0];
        target[1] = foot->ground;
        target[2] = foot->position[2];
        break;
    case POINT_NORMAL:
        memcpy(target, foot->normal, sizeof foot->normal);
        break;
    case POINT_CAMERA:
        memcpy(target, eye, 3 * sizeof(float));
        break;
    case POINT_RAIL:
        find_on_rail(scene, frame, scene->transforms + (size_t)character * 12, point, target);
        break;
    case POINT_PLACE:
        memcpy(target, point->at, sizeof point->at);
        break;
    case POINT_UNUSED:
        break;
    }
}

static void place(play_scene *scene, const play_scene_frame *frame, uint32_t character) {
    member *member = &scene->members[character];
    lmb_motion motion = {0};
    if (lmb_graph_get_info(scene->graph)->has_motion) {
        motion = lmb_state_motion(scene->graph,
                                  frame->states + (size_t)character * lmb_graph_get_info(scene->graph)->state_words);
    }
    const double c = cos((double)member->facing), s = sin((double)member->facing), unit = (double)scene->unit;
    const float heading = member->facing + (float)motion.yaw;
    const float place[2] = {member->start[0] + (float)(unit * (c * motion.position[0] + s * motion.position[2])),
                            member->start[1] + (float)(unit * (c * motion.position[2] - s * motion.position[0]))};
    const float cosine = scene->unit * cosf(heading), sine = scene->unit * sinf(heading);
    member->position[0] = place[0];
    member->position[1] = mean_height(scene, place, heading);
    member->position[2] = place[1];
    const float matrix[12] = {cosine, 0.0f, sine,   member->position[0], 0.0f, scene->unit, 0.0f, member->position[1],
                              -sine,  0.0f, cosine, member->position[2]};
    memcpy(scene->transforms + (size_t)character * 12, matrix, sizeof matrix);
}

// In the first frame feet are where the characters are.
static void move_feet(play_scene *scene, const play_scene_frame *frame, uint32_t character) {
    member *member = &scene->members[character];
    for (uint32_t i = 0; i < scene->foot_count; i++) {
        float position[3];
        if (frame->palettes != NULL) {
            find_joint(scene, frame, character, i, position);
            move_foot(scene, position, (float)frame->step, &member->feet[i]);
        }
    }
}

static bool find_camera(const play_scene *scene, double seconds, float eye[3], float target[3]) {
    float way[3];
    if (scene->eye.count == 0) {
        return false;
    }
    play_scene_displacement(scene, way);
    track_at(&scene->eye, seconds, eye);
    for (int i = 0; i < 3; i++) {
        eye[i] += way[i];
        target[i] = scene->target[i] + way[i];
    }
    return true;
}

void play_scene_advance(play_scene *scene, const play_scene_frame *frame) {
    float eye[3] = {0.0f, 0.0f, 0.0f}, target[3], way[3];
    for (uint32_t i = 0; i < scene->character_count; i++) {
        move_feet(scene, frame, i);
        place(scene, frame, i);
        for (uint32_t k = 0; k < scene->foot_count && frame->palettes == NULL; k++) {
            foot *foot = &scene->members[i].feet[k];
            *foot = (struct foot){.ground = scene->members[i].position[1], .normal = {0.0f, 1.0f, 0.0f}};
        }
    }
    play_scene_displacement(scene, way);
    if (frame->eye != NULL && (scene->has_target || scene->eye.count == 0)) {
        memcpy(eye, frame->eye, sizeof eye);
    } else {
        find_camera(scene, frame->seconds, eye, target);
    }
    for (uint32_t i = 0; i < scene->character_count; i++) {
        for (uint32_t k = 0; k < scene->point_count; k++) {
            fill_point(scene, frame, i, &scene->points[k], eye,
                       scene->point_floats + ((size_t)i * scene->point_count + k) * 4);
        }
    }
}

static size_t transform_bytes(const play_scene *scene) {
    return (size_t)scene->character_count * LMB_MATRIX_COMPONENTS * sizeof *scene->transforms;
}

size_t play_scene_state_size(const play_scene *scene) {
    return scene->character_count * sizeof *scene->members + transform_bytes(scene);
}

void play_scene_save(const play_scene *scene, void *state) {
    const size_t members = scene->character_count * sizeof *scene->members;
    memcpy(state, scene->members, members);
    memcpy((char *)state + members, scene->transforms, transform_bytes(scene));
}

void play_scene_restore(play_scene *scene, const void *state) {
    const size_t members = scene->character_count * sizeof *scene->members;
    memcpy(scene->members, state, members);
    memcpy(scene->transforms, (const char *)state + members, transform_bytes(scene));
}

bool play_scene_camera(const play_scene *scene, double seconds, float eye[3], float target[3]) {
    return scene->has_target && find_camera(scene, seconds, eye, target);
}

void play_scene_displacement(const play_scene *scene, float displacement[3]) {
    double sums[3] = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < scene->character_count; i++) {
        const member *member = &scene->members[i];
        sums[0] += (double)(member->position[0] - member->start[0]);
        sums[1] += (double)member->position[1];
        sums[2] += (double)(member->position[2] - member->start[1]);
    }
    for (int i = 0; i < 3; i++) {
        displacement[i] = scene->character_count > 0 ? (float)(sums[i] / scene->character_count) : 0.0f;
    }
}

// ---- The scene.

static void place_members(play_scene *scene) {
    for (uint32_t i = 0; i < scene->character_count; i++) {
        member *member = &scene->members[i];
        const float column = (float)(i % scene->columns) - 0.5f * (float)(scene->columns - 1);
        member->phase = random_chance(i, 1);
        member->facing = RADIANS * scene->facing;
        member->start[0] = scene->start[0] + column * scene->apart[0];
        member->start[1] =
            scene->start[1] - (float)(i / scene->columns) * scene->apart[1] + scene->stride * member->phase;
        member->position[0] = member->start[0];
        member->position[2] = member->start[1];
    }
}

lmb_result play_scene_create(const play_scene_def *def, play_scene **result, lmb_error *error) {
    play_scene *scene = calloc(1, sizeof *scene);
    *result = NULL;
    if (scene == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for a scene");
    }
    scene->host = lmb_host_resolve(NULL);
    scene->arena.host = &scene->host;
    scene->graph = def->graph;
    scene->character_count = def->character_count;
    scene->joint_count = lmb_graph_get_info(def->graph)->joint_count;
    scene->point_count = lmb_graph_get_info(def->graph)->point_count;
    scene->unit = def->unit;
    scene->columns = 1;
    scene->apart[0] = scene->apart[1] = 1.0f;
    lmb_result code = read_text(def, scene, error);
    const size_t count = scene->character_count;
    scene->members = lmb_arena_allocate(&scene->arena, count, sizeof *scene->members);
    scene->point_floats = lmb_arena_allocate(&scene->arena, count * scene->point_count * 4, sizeof(float));
    scene->transforms = lmb_arena_allocate(&scene->arena, count * 12, sizeof(float));
    if (code == LMB_OK && scene->arena.failed) {
        code = lmb_fail(error, LMB_ERROR_MEMORY, "no memory for a scene of %u characters", (unsigned)count);
    }
    if (code != LMB_OK) {
        play_scene_destroy(scene);
        return code;
    }
    place_members(scene);
    *result = scene;
    return LMB_OK;
}

void play_scene_destroy(play_scene *scene) {
    if (scene != NULL) {
        lmb_arena_release(&scene->arena);
        free(scene);
    }
}

const float *play_scene_points(const play_scene *scene) {
    return scene->point_floats;
}

const float *play_scene_transforms(const play_scene *scene) {
    return scene->transforms;
}

bool play_scene_needs_palettes(const play_scene *scene) {
    return scene->foot_count > 0;
}

uint32_t play_scene_strip_count(const play_scene *scene) {
    return scene->strip_count;
}

play_scene_strip play_scene_strip_at(const play_scene *scene, uint32_t index) {
    return scene->strips[index];
}

uint32_t play_scene_rail_count(const play_scene *scene) {
    return scene->rail_count;
}
