// Reports problems with their place, and reads the members of objects by tables of fields.
#include "graph.h"
#include "write.h"

#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- Problems: errors and warnings with their path, line and column.

#define FEW_FIELDS 8u   // an object with more: the nearest are named
#define SEGMENT_MAX 60u // max bytes of a key in a path

// A path that drops its beginning when it becomes too long.
typedef struct path {
    char *text;
    size_t size;
    size_t length;
} path;

static void append(path *path, const char *text, size_t length) {
    length = length < SEGMENT_MAX ? length : SEGMENT_MAX;
    if (path->length + length + 1 > path->size) {
        size_t kept = path->size / 2;
        memmove(path->text + 3, path->text + path->length - kept, kept);
        memcpy(path->text, "...", 3);
        path->length = kept + 3;
    }
    memcpy(path->text + path->length, text, length);
    path->length += length;
    path->text[path->length] = '\0';
}

static void append_index(path *path, uint32_t index) {
    char text[16];
    int length = snprintf(text, sizeof text, "[%" PRIu32 "]", index);
    append(path, text, (size_t)length);
}

static void append_key(path *path, const lmb_json *json, uint32_t key) {
    if (path->length > 0) {
        append(path, ".", 1);
    }
    append(path, json->text + json->values[key].start, json->values[key].end - json->values[key].start);
}

// Values are in the order of the text, so a value's path consists of the values that contain it.
static void write_path(const lmb_json *json, uint32_t root, uint32_t value, char *text, size_t size) {
    path path = {.text = text, .size = size};
    text[0] = '\0';
    for (uint32_t at = root; at != value;) {
        bool array = json->values[at].type == LMB_JSON_ARRAY;
        uint32_t index = 0;
        uint32_t child = at + 1;
        for (; json->values[child].next <= value; child = json->values[child].next) {
            index++;
        }
        if (array) {
            append_index(&path, index);
        } else {
            append_key(&path, json, child);
        }
        at = array || child == value ? child : child + 1;
    }
    lmb_text_make_line(text);
}

// Returns whether a value was read from a machine's own text.
static bool is_inserted(const lmb_graph_reader *reader, uint32_t value) {
    value = lmb_graph_origin(reader, value);
    return value >= reader->insert.first && value < reader->insert.end;
}

// Writes the name of the state, or "any", that contains a value of a machine's own text.
static void write_state(const lmb_graph_reader *reader, uint32_t value, char *text, size_t size) {
    const lmb_json *json = &reader->json;
    path path = {.text = text, .size = size};
    const uint32_t states = lmb_graph_find_member(reader, reader->insert.first, "states");
    const uint32_t any = lmb_graph_find_member(reader, reader->insert.first, "any");
    text[0] = '\0';
    for (uint32_t at = states + 1; at < json->values[states].next; at = json->values[at].next) {
        if (value >= at && value < json->values[at].next) {
            append_key(&path, json, lmb_graph_find_member(reader, at, "name"));
        }
    }
    if (value >= any && value < json->values[any].next) {
        append(&path, "any", 3);
    }
    lmb_text_make_line(text);
}

// Returns where a value is in the text. The text of a string starts after its quote.
static size_t offset_of(const lmb_json *json, uint32_t value) {
    const lmb_json_value *at = &json->values[value];
    return at->start - (at->type == LMB_JSON_STRING && at->start > 0 && json->text[at->start - 1] == '"' ? 1 : 0);
}

// Writes where a value of a machine's own text is in that text.
static void write_own_place(const lmb_graph_reader *reader, uint32_t value, lmb_graph_problem *problem) {
    const lmb_json *json = &reader->json;
    const size_t size = reader->size + reader->insert.size;
    uint32_t stated = value;
    while (json->values[stated].start >= size) { // a word that is not in the text belongs to what precedes it
        stated--;
    }
    problem->file[0] = '\0';
    write_state(reader, value, problem->path, sizeof problem->path);
    lmb_json_locate(json->text + reader->size, offset_of(json, stated) - reader->size, &problem->line,
                    &problem->column);
}

// Writes where a value is in the text or in an included file. One of a machine's own text is where it was inserted.
static void write_place(const lmb_graph_reader *reader, uint32_t value, lmb_graph_problem *problem) {
    const lmb_json *json = &reader->json;
    const lmb_graph_included *file = lmb_graph_file_of(reader, value);
    const size_t start = file != NULL ? file->start : 0;
    write_path(json, file != NULL ? file->first : 0, value, problem->path, sizeof problem->path);
    const size_t offset = is_inserted(reader, value) ? reader->insert.replaced : offset_of(json, value);
    lmb_json_locate(json->text + start, offset - start, &problem->line, &problem->column);
    const size_t length = file != NULL ? strlen(file->path) : 0, room = sizeof problem->file - 1;
    snprintf(problem->file, sizeof problem->file, "%s",
             file != NULL ? file->path + (length > room ? length - room : 0) : "");
    lmb_text_make_line(problem->file);
}

static const char *keep_text(lmb_graph_reader *reader, const char *text) {
    const size_t size = strlen(text) + 1;
    char *kept = lmb_graph_allocate(reader, &reader->graph->pool, size, 1);
    return kept != NULL ? memcpy(kept, text, size) : NULL;
}

void lmb_graph_keep_places(lmb_graph_reader *reader) {
    const size_t room = (LMB_JSON_DEPTH + 1) * (SEGMENT_MAX + 1) + 1;
    const uint32_t count = reader->graph->def.node_count;
    lmb_graph_place *places = lmb_graph_allocate(reader, &reader->graph->pool, count, sizeof *places);
    char *path = lmb_graph_allocate(reader, &reader->scratch, room, 1);
    for (uint32_t i = 0; places != NULL && path != NULL && i < count; i++) {
        const uint32_t value = lmb_graph_origin(reader, reader->objects[i]);
        const lmb_graph_included *file = lmb_graph_file_of(reader, value);
        write_path(&reader->json, file != NULL ? file->first : 0, value, path, room);
        places[i].path = keep_text(reader, path);
        places[i].file = file != NULL ? file->path : "";
    }
    reader->graph->places = places;
}

// For a value of a definition's copy, writes what it replaces, if it is the value of an argument, and the uses, from
// the innermost one: " (for define.at.clip, used at line 3, column 5, at line 9, column 7)". Names their file if it is
// another one than that of the problem.
static void write_uses(const lmb_graph_reader *reader, const lmb_graph_copied *copied, const lmb_graph_problem *problem,
                       char *text, size_t size) {
    lmb_graph_problem at = {0};
    size_t length = 0;
    const char *word = " (";
    if (copied->argument != LMB_NONE) {
        write_place(reader, copied->argument, &at);
        length += (size_t)snprintf(text, size, " (for %.60s", at.path);
        word = ", ";
    }
    const char *file = problem->file;
    for (const char *used = "used "; copied != NULL && copied->copy != LMB_NONE; used = "") {
        if (size - length < 80) { // the outer uses of many
            length += (size_t)snprintf(text + length, size - length, ", ...");
            break;
        }
        const uint32_t use = lmb_graph_use_of(reader, copied->copy);
        write_place(reader, lmb_graph_origin(reader, use), &at);
        length += (size_t)snprintf(text + length, size - length, "%s%sat line %" PRIu32 ", column %" PRIu32, word, used,
                                   at.line, at.column);
        if (strcmp(at.file, file) != 0) {
            length +=
                (size_t)snprintf(text + length, size - length, " of %.40s", at.file[0] != '\0' ? at.file : "the graph");
        }
        copied = lmb_graph_copied_at(reader, use);
        word = ", ";
    }
    snprintf(text + length, size - length, length > 0 ? ")" : "");
}

static void write_problem(const lmb_graph_reader *reader, uint32_t value, bool is_in_own_text,
                          lmb_graph_problem *problem, const char *format, va_list arguments) {
    const lmb_graph_copied *copied = lmb_graph_copied_at(reader, value);
    char uses[160] = "";
    if (is_in_own_text) {
        write_own_place(reader, lmb_graph_origin(reader, value), problem);
    } else {
        write_place(reader, lmb_graph_origin(reader, value), problem);
    }
    if (copied != NULL) {
        write_uses(reader, copied, problem, uses, sizeof uses);
    }
    vsnprintf(problem->message, sizeof problem->message - strlen(uses), format, arguments);
    lmb_text_make_line(problem->message);
    lmb_text_make_line(uses);
    strcat(problem->message, uses);
}

void lmb_graph_add_problem(lmb_graph_reader *reader, const lmb_graph_problem *problem) {
    const uint32_t index = reader->problem_count++;
    reader->first = index == 0 ? *problem : reader->first;
    if (reader->problems != NULL) {
        reader->problems->count = reader->problem_count;
    }
    if (reader->problems != NULL && index < LMB_MAX_GRAPH_PROBLEMS) {
        reader->problems->list[index] = *problem;
    }
}

// Returns where a message about a value is: LMB_NONE, for which the text has no place, is about the whole.
static uint32_t place_of(const lmb_graph_reader *reader, uint32_t value) {
    return value < reader->json.count ? value : 0;
}

void lmb_graph_report(lmb_graph_reader *reader, uint32_t value, const char *format, ...) {
    lmb_graph_problem problem;
    value = place_of(reader, value);
    if (reader->problem_count < LMB_MAX_GRAPH_PROBLEMS) { // more are only counted: finding the place takes time
        va_list arguments;
        va_start(arguments, format);
        write_problem(reader, value, is_inserted(reader, value) && reader->size == 0, &problem, format, arguments);
        va_end(arguments);
    }
    lmb_graph_add_problem(reader, &problem);
}

// Names take time to compare, and problems that are only counted need none.
const char *lmb_graph_no_name(const lmb_graph_reader *reader, const char *what, const char *name, size_t length,
                              const lmb_graph_names *names, char message[LMB_GRAPH_MESSAGE_SIZE]) {
    snprintf(message, LMB_GRAPH_MESSAGE_SIZE, "%s of this name", what);
    if (reader->problem_count < LMB_MAX_GRAPH_PROBLEMS) {
        lmb_append_names(message, LMB_GRAPH_MESSAGE_SIZE, name, length, names->at, names->of, names->count);
    }
    return message;
}

void lmb_graph_report_name(lmb_graph_reader *reader, uint32_t value, const char *what, const char *name,
                           lmb_graph_names names) {
    char message[LMB_GRAPH_MESSAGE_SIZE];
    lmb_graph_report(reader, value, "%s", lmb_graph_no_name(reader, what, name, strlen(name), &names, message));
}

static const char *clip_name_at(const void *source, uint32_t index) {
    return lmb_clip_get_info(((const lmb_graph_source *)source)->clips[index])->name;
}

lmb_graph_names lmb_graph_clip_names(const lmb_graph_source *source) {
    return (lmb_graph_names){clip_name_at, source, source->clip_count};
}

static const char *joint_name_at(const void *rig, uint32_t index) {
    return lmb_rig_get_def(rig)->joints[index].name;
}

lmb_graph_names lmb_graph_joint_names(const lmb_rig *rig) {
    return (lmb_graph_names){joint_name_at, rig, lmb_rig_get_def(rig)->joint_count};
}

static const char *channel_name_at(const void *rig, uint32_t index) {
    return lmb_rig_get_def(rig)->channels[index].name;
}

lmb_graph_names lmb_graph_channel_names(const lmb_rig *rig) {
    return (lmb_graph_names){channel_name_at, rig, lmb_rig_get_def(rig)->channel_count};
}

// What is read several times, as a transition of several states, gives a warning once.
void lmb_graph_warn(lmb_graph_reader *reader, uint32_t value, const char *format, ...) {
    lmb_graph_json *graph = reader->graph;
    value = place_of(reader, value);
    const bool is_own = is_inserted(reader, value);
    lmb_graph_problem problem;
    va_list arguments;
    va_start(arguments, format);
    write_problem(reader, value, is_own, &problem, format, arguments);
    va_end(arguments);
    for (uint32_t i = 0; i < graph->warning_count; i++) {
        const lmb_graph_problem *other = &graph->warnings[i];
        if (other->line == problem.line && other->column == problem.column && strcmp(other->file, problem.file) == 0 &&
            strcmp(other->message, problem.message) == 0) {
            return;
        }
    }
    if (!lmb_graph_append(reader, &graph->pool, &graph->warnings, &graph->warning_count, &problem, sizeof problem)) {
        return;
    }
    // Warnings of a machine's own text come first.
    lmb_graph_problem *warnings = graph->warnings;
    const uint32_t at = is_own ? reader->insert.warning_count++ : graph->warning_count - 1;
    memmove(warnings + at + 1, warnings + at, (graph->warning_count - 1 - at) * sizeof *warnings);
    warnings[at] = problem;
}

bool lmb_graph_expect(lmb_graph_reader *reader, uint32_t value, lmb_json_type type) {
    lmb_json_type found = reader->json.values[value].type;
    if (found != type && !lmb_graph_refuse_argument(reader, value)) {
        lmb_graph_report(reader, value, "%s, where %s was expected", lmb_json_type_name(found),
                         lmb_json_type_name(type));
    }
    return found == type;
}

bool lmb_graph_expect_count(lmb_graph_reader *reader, uint32_t value, uint32_t min, uint32_t max, const char *what) {
    if (!lmb_graph_expect(reader, value, LMB_JSON_ARRAY)) {
        return false;
    }
    const uint32_t found = reader->json.values[value].count;
    if (min == max && found != min) {
        lmb_graph_report(reader, value, "%u %s, where %u were expected", (unsigned)found, what, (unsigned)min);
    } else if (min == 0 && found > max) {
        lmb_graph_report(reader, value, "%u %s, where at most %u were expected", (unsigned)found, what, (unsigned)max);
    } else if (found < min || found > max) {
        lmb_graph_report(reader, value, "%u %s, where %u to %u were expected", (unsigned)found, what, (unsigned)min,
                         (unsigned)max);
    }
    return found >= min && found <= max;
}

void lmb_graph_list_name(char *names, size_t size, const char *name) {
    const size_t length = strlen(names);
    snprintf(names + length, size - length, "%s%s", length == 0 ? "" : ", ", name);
}

// ---- Fields.

void lmb_graph_fail_memory(lmb_graph_reader *reader) {
    reader->result = reader->graph->budget.exceeded ? LMB_ERROR_LIMIT : LMB_ERROR_MEMORY;
}

static void *fail_without(lmb_graph_reader *reader, void *memory) {
    if (memory == NULL) {
        lmb_graph_fail_memory(reader);
    }
    return memory;
}

void *lmb_graph_allocate(lmb_graph_reader *reader, lmb_pool *pool, size_t count, size_t size) {
    return fail_without(reader, lmb_pool_allocate(pool, count, size));
}

bool lmb_graph_append(lmb_graph_reader *reader, lmb_pool *pool, void *array, uint32_t *count, const void *element,
                      size_t size) {
    return lmb_pool_append(pool, array, count, element, size) || fail_without(reader, NULL) != NULL;
}

bool lmb_graph_index(lmb_graph_reader *reader, lmb_index *index, uint64_t hash) {
    return lmb_index_add(index, &reader->graph->pool, hash) || fail_without(reader, NULL) != NULL;
}

const char *lmb_graph_text(lmb_graph_reader *reader, lmb_pool *pool, uint32_t value) {
    char *text = lmb_graph_allocate(reader, pool, lmb_json_string_room(&reader->json, value), 1);
    if (text == NULL) {
        return NULL;
    }
    if (lmb_json_string(&reader->json, value, text) != strlen(text)) {
        lmb_graph_report(reader, value, "a name with a zero in it");
        lmb_pool_release(pool, text);
        return NULL;
    }
    return text;
}

const char *lmb_graph_read_name(lmb_graph_reader *reader, uint32_t value, const char *if_empty) {
    if (value == LMB_NONE || !lmb_graph_expect(reader, value, LMB_JSON_STRING)) {
        return NULL;
    }
    const char *name = lmb_graph_text(reader, &reader->graph->pool, value);
    if (name != NULL && name[0] == '\0') {
        lmb_graph_report(reader, value, "%s", if_empty);
    }
    return name;
}

const char *lmb_graph_text_of(const lmb_graph_source *source, size_t *size) {
    const size_t mark = source->size >= 3 && memcmp(source->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    *size = source->size - mark;
    return source->text + mark;
}

bool lmb_graph_read_json(lmb_graph_reader *reader, const char *text, size_t size) {
    lmb_json_error error;
    if (lmb_json_read(text, size, &reader->scratch, &reader->json, &error)) {
        return true;
    }
    if (error.result == LMB_ERROR_MEMORY) {
        return fail_without(reader, NULL) != NULL;
    }
    lmb_graph_problem problem = {.line = error.line, .column = error.column};
    snprintf(problem.message, sizeof problem.message, "%s", error.reason);
    lmb_graph_add_problem(reader, &problem);
    return false;
}

static void skip(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)reader;
    (void)field;
    (void)value;
    (void)target;
}

const lmb_graph_kind lmb_kind_later = {skip, NULL, NULL};

bool lmb_graph_is_text(const lmb_graph_reader *reader, uint32_t key, const char *name) {
    // The names in question need no escapes, so a string with an escape is a different one.
    size_t length = strlen(name);
    const lmb_json_value *value = &reader->json.values[key];
    return value->end - value->start == length && memcmp(reader->json.text + value->start, name, length) == 0;
}

uint32_t lmb_graph_find_member(const lmb_graph_reader *reader, uint32_t object, const char *name) {
    const lmb_json_value *values = reader->json.values;
    const bool is_object = object != LMB_NONE && values[object].type == LMB_JSON_OBJECT;
    for (uint32_t key = object + 1; is_object && key < values[object].next; key = values[key].next) {
        if (lmb_graph_is_text(reader, key, name)) {
            return key + 1;
        }
    }
    return LMB_NONE;
}

uint32_t lmb_graph_find_element(const lmb_graph_reader *reader, uint32_t list, uint32_t index) {
    const lmb_json_value *values = reader->json.values;
    if (list == LMB_NONE || values[list].type != LMB_JSON_ARRAY || index >= values[list].count) {
        return LMB_NONE;
    }
    uint32_t at = list + 1;
    for (uint32_t i = 0; i < index; i++) {
        at = values[at].next;
    }
    return at;
}

bool lmb_graph_is_same_text(const lmb_graph_reader *reader, uint32_t a, uint32_t b) {
    const lmb_json_value *x = &reader->json.values[a], *y = &reader->json.values[b];
    return x->end - x->start == y->end - y->start &&
           memcmp(reader->json.text + x->start, reader->json.text + y->start, x->end - x->start) == 0;
}

bool lmb_graph_is_true(const lmb_graph_reader *reader, uint32_t value) {
    return value != LMB_NONE && reader->json.values[value].type == LMB_JSON_BOOLEAN &&
           lmb_json_boolean(&reader->json, value);
}

void lmb_graph_add_nearest(const lmb_graph_reader *reader, uint32_t value, char *message, size_t size,
                           lmb_graph_names names) {
    const lmb_json_value *text = &reader->json.values[value];
    if (reader->problem_count < LMB_MAX_GRAPH_PROBLEMS) {
        lmb_append_names(message, size, reader->json.text + text->start, text->end - text->start, names.at, names.of,
                         names.count);
    }
}

static const char *field_name_at(const void *fields, uint32_t index) {
    return ((const lmb_graph_fields *)fields)->fields[index].name;
}

// Fields of engines that this format calls otherwise. Words are compared without case, '-' and '_'.
typedef struct foreign_field {
    const char *word;
    const char *field; // that the object has
    const char *how;   // it is said here; or NULL, if that field is it
} foreign_field;

// Fields that only such an object has.
#define TRANSITION "start-phase"
#define STATE "restart"
#define MACHINE "states"
#define CLIP "play"
#define PLAY "repetitions"
#define EXIT_TIME                                                                                                      \
    "an exit time is \"when\": {\">=\": [{\"phase\": true}, 0.9]}, and the end of the clip is \"end\": true"
#define SECONDS_OF_FADE "the seconds of its fade are \"fade\""
#define START_PHASE "\"start\": \"phase\" with \"start-phase\" begins within the clip"
#define CLIP_POSE "\"pose\": {\"op\": \"clip\", \"clip\": NAME}"
#define ENDS "\"end\" is \"loop\", \"hold\", \"once\" or \"ping-pong\""
#define INITIAL "\"initial\" is the name of the state"
#define IN_PLAY "\"play\" has it"
static const foreign_field foreign_fields[] = {
    {"exittime", TRANSITION, EXIT_TIME},
    {"hasexittime", TRANSITION, EXIT_TIME},
    {"duration", TRANSITION, SECONDS_OF_FADE},
    {"transitionduration", TRANSITION, SECONDS_OF_FADE},
    {"blendtime", TRANSITION, SECONDS_OF_FADE},
    {"crossfade", TRANSITION, SECONDS_OF_FADE},
    {"time", TRANSITION, SECONDS_OF_FADE ", and those in the state \"after\""},
    {"offset", TRANSITION, START_PHASE},
    {"transitionoffset", TRANSITION, START_PHASE},
    {"target", TRANSITION, "\"to\" is the name of the state"},
    {"trigger", TRANSITION, "\"event\": NAME, or \"when\": {\"trigger\": NAME}, which waits"},
    {"conditions", TRANSITION, "\"when\": {\"and\": [...]}"},
    {"condition", "when", NULL},
    {"speed", STATE, "its clip has a \"rate\""},
    {"clip", STATE, CLIP_POSE},
    {"motion", STATE, CLIP_POSE},
    {"animation", STATE, CLIP_POSE},
    {"default", MACHINE, INITIAL},
    {"defaultstate", MACHINE, INITIAL},
    {"initialstate", MACHINE, INITIAL},
    {"entry", MACHINE, INITIAL},
    {"anystate", MACHINE, "\"any\" is a list of transitions"},
    {"transitions", MACHINE, "each state has its own, and \"any\" those of all"},
    {"animation", "clip", NULL},
    {"speed", CLIP, "here it is \"rate\""},
    {"playrate", CLIP, "here it is \"rate\""},
    {"timescale", CLIP, "here it is \"rate\""},
    {"end", CLIP, IN_PLAY},
    {"motion", CLIP, IN_PLAY},
    {"rootmotion", CLIP, "\"play\": {\"motion\": true}"},
    {"applyrootmotion", CLIP, "\"play\": {\"motion\": true}"},
    {"group", CLIP, IN_PLAY},
    {"velocity", CLIP, IN_PLAY},
    {"markers", CLIP, IN_PLAY},
    {"notifies", CLIP, IN_PLAY},
    {"repetitions", CLIP, IN_PLAY},
    {"delay", CLIP, IN_PLAY},
    {"speed", PLAY, "here it is \"rate\""},
    {"playrate", PLAY, "here it is \"rate\""},
    {"timescale", PLAY, "here it is \"rate\""},
    {"loop", PLAY, ENDS},
    {"wrapmode", PLAY, ENDS},
    {"rootmotion", PLAY, "\"motion\": true"},
    {"applyrootmotion", PLAY, "\"motion\": true"},
    {"events", "notifies", NULL},
    {"syncgroup", "group", NULL},
    {"speed", "turn-rate", "\"velocity\" is x, y and z"},
    {"alpha", "weight", NULL},
    {"children", "inputs", NULL},
    {"param", "point", "x, y and z that are parameters are a list, [{\"param\": NAME}, 0, 0]"},
    {"parameter", "at", NULL},
    {"param", "at", NULL},
    {"threshold", "at", NULL},
    {"avatarmask", "mask", NULL},
    {"bones", "joints", NULL},
    {"polevector", "pole", NULL},
};

// Returns whether a key is a word, without case, '-' and '_'.
static bool is_word(const lmb_graph_reader *reader, uint32_t key, const char *word) {
    const lmb_json_value *text = &reader->json.values[key];
    for (uint32_t i = text->start; i < text->end; i++) {
        const char c = reader->json.text[i];
        if (c == '-' || c == '_') {
            continue;
        }
        if (*word == '\0' || (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != *word) {
            return false;
        }
        word++;
    }
    return *word == '\0';
}

bool lmb_graph_has_field(const lmb_graph_fields *fields, const char *name) {
    bool found = false;
    for (size_t i = 0; i < fields->count && !found; i++) {
        found = strcmp(fields->fields[i].name, name) == 0;
    }
    return found;
}

// Reports a field that has another name here. Returns false if the key is no such word.
static bool report_foreign(lmb_graph_reader *reader, const lmb_graph_fields *fields, uint32_t key) {
    for (size_t i = 0; i < sizeof foreign_fields / sizeof *foreign_fields; i++) {
        const foreign_field *foreign = &foreign_fields[i];
        if (is_word(reader, key, foreign->word) && lmb_graph_has_field(fields, foreign->field)) {
            if (foreign->how != NULL) {
                lmb_graph_report(reader, key, "%s has no such field: %s", fields->what, foreign->how);
            } else {
                lmb_graph_report(reader, key, "%s has no such field: here it is \"%s\"", fields->what, foreign->field);
            }
            return true;
        }
    }
    return false;
}

// Of many fields the nearest come first, because a long list is cut off.
static void report_unknown(lmb_graph_reader *reader, const lmb_graph_fields *fields, uint32_t key) {
    char names[160] = "", message[LMB_GRAPH_MESSAGE_SIZE];
    if (lmb_graph_is_text(reader, key, "arguments")) {
        lmb_graph_report(reader, key, "%s has no arguments: only what \"define\" gives a name has some", fields->what);
        return;
    }
    if (lmb_graph_is_text(reader, key, "fade")) {
        lmb_graph_report(reader, key, "%s has no fade: transitions have one, and a weight that events change is %s",
                         fields->what, LMB_GRAPH_FADE_FORM);
        return;
    }
    if (report_foreign(reader, fields, key)) {
        return;
    }
    for (size_t i = 0; i < fields->count; i++) {
        lmb_graph_list_name(names, sizeof names, fields->fields[i].name);
    }
    snprintf(message, sizeof message, "%s has no such field", fields->what);
    if (fields->count > FEW_FIELDS) {
        lmb_graph_add_nearest(reader, key, message, sizeof message,
                              (lmb_graph_names){field_name_at, fields, (uint32_t)fields->count});
    }
    lmb_graph_report(reader, key, "%s; it has %s", message, names[0] == '\0' ? "none" : names);
}

lmb_graph_field lmb_graph_complete(const lmb_graph_fields *fields, size_t index) {
    lmb_graph_field field = fields->fields[index];
    const lmb_field *row = fields->table == NULL ? NULL : lmb_fields_find(fields->table, field.offset - fields->start);
    if (row == NULL) {
        return field;
    }
    field.row = row;
    field.count = field.count == 0 ? row->count : field.count;
    if (field.max == 0.0f) {
        // Without a lower end, negative numbers stand for none, which a text leaves out.
        field.min = field.min != 0.0f || row->min == -INFINITY ? field.min : row->min;
        field.max = fminf(row->max, LMB_LARGEST);
    }
    if (field.is_factor) {
        memcpy(&field.initial, row->initial, sizeof field.initial);
    }
    return field;
}

static void read_member(lmb_graph_reader *reader, const lmb_graph_fields *fields, uint32_t key, uint32_t object,
                        uint64_t *seen, void *target) {
    for (size_t i = 0; i < fields->count; i++) {
        if (!lmb_graph_is_text(reader, key, fields->fields[i].name)) {
            continue;
        }
        if (*seen >> i & 1u) {
            lmb_graph_report(reader, key, "given twice");
        } else if (!lmb_graph_refuse_argument(reader, key + 1)) {
            const lmb_graph_field field = lmb_graph_complete(fields, i);
            field.kind->read(reader, &field, key + 1, target);
        }
        *seen |= (uint64_t)1 << i;
        return;
    }
    if (fields->read_other == NULL || !fields->read_other(reader, key, object, target)) {
        report_unknown(reader, fields, key);
    }
}

void lmb_graph_read_fields(lmb_graph_reader *reader, const lmb_graph_fields *fields, uint32_t object, void *target) {
    const lmb_json_value *values = reader->json.values;
    uint64_t seen = 0;
    for (uint32_t key = object + 1; key < values[object].next && reader->result == LMB_OK; key = values[key].next) {
        read_member(reader, fields, key, object, &seen, target);
    }
    for (size_t i = 0; i < fields->count; i++) {
        if (fields->fields[i].required && !(seen >> i & 1u)) {
            lmb_graph_report(reader, object, "%s needs the field \"%s\"", fields->what, fields->fields[i].name);
        }
    }
}

static void read_text(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    if (lmb_graph_expect(reader, value, LMB_JSON_STRING)) {
        *(const char **)(void *)((char *)target + field->offset) = lmb_graph_text(reader, &reader->graph->pool, value);
    }
}

static void read_comment(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    (void)target;
    lmb_graph_expect(reader, value, LMB_JSON_STRING);
}

const lmb_graph_kind lmb_kind_comment = {read_comment, "{'type':'string'}", NULL};

static void write_text(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const char *text = *(const char *const *)(const void *)((const char *)target + field->offset);
    if (text != NULL && text[0] != '\0') {
        lmb_graph_put_string(writer, text);
    }
}

const lmb_graph_kind lmb_kind_text = {read_text, "{'type':'string'}", write_text};

static void read_boolean(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    if (lmb_graph_expect(reader, value, LMB_JSON_BOOLEAN)) {
        *(bool *)((char *)target + field->offset) = lmb_json_boolean(&reader->json, value);
    }
}

const lmb_graph_kind lmb_kind_boolean = {read_boolean, "{'type':'boolean'}", lmb_graph_write_boolean};

// Returns a number in the field's range; NaN, which no text can contain, after an error was reported.
static double read_number(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value) {
    if (!lmb_graph_expect(reader, value, LMB_JSON_NUMBER)) {
        return NAN;
    }
    double number = lmb_json_number(&reader->json, value);
    if (number >= (double)field->min && number <= (double)field->max) {
        return number;
    }
    lmb_graph_report(reader, value, "%g is outside %g to %g", number, (double)field->min, (double)field->max);
    return NAN;
}

void lmb_graph_read_integer(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    double number = read_number(reader, field, value);
    if (isnan(number)) {
        return;
    }
    if (number != floor(number)) {
        lmb_graph_report(reader, value, "%g is no whole number", number);
        return;
    }
    *(int32_t *)(void *)((char *)target + field->offset) = (int32_t)number;
}

const lmb_graph_kind lmb_kind_integer = {lmb_graph_read_integer, "{'type':'integer',$range}", lmb_graph_write_integer};

#define WHOLE_TURN 6.283186 // a bit more than 2 pi

void lmb_graph_check_angle(lmb_graph_reader *reader, uint32_t value, double radians, float turns) {
    if (fabs(radians) > (double)turns * WHOLE_TURN) {
        char most[40] = "a whole turn";
        if (turns != 1.0f) {
            snprintf(most, sizeof most, "%g whole turns", (double)turns);
        }
        lmb_graph_warn(reader, value, "%g radians are more than %s; %g degrees are %.4g radians", radians, most,
                       radians, radians * 0.017453292519943295);
    }
}

void lmb_graph_read_plain(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    double number = read_number(reader, field, value);
    if (field->turns > 0.0f && !isnan(number)) {
        lmb_graph_check_angle(reader, value, number, field->turns);
    }
    if (field->doubted > 0.0f && number > (double)field->doubted) {
        lmb_graph_warn(reader, value, "%g seconds are more than a minute; %g milliseconds are %g", number, number,
                       number / 1000.0);
    }
    if (!isnan(number)) {
        *(float *)(void *)((char *)target + field->offset) = (float)number;
    }
}

const lmb_graph_kind lmb_kind_number = {lmb_graph_read_plain, "{'type':'number',$range}", lmb_graph_write_number};

void lmb_graph_read_floats(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *values = reader->json.values;
    lmb_graph_field element = *field;
    if (!lmb_graph_expect_count(reader, value, field->count, field->count, field->what)) {
        return;
    }
    for (uint32_t at = value + 1; at < values[value].next; at = values[at].next) {
        lmb_graph_read_plain(reader, &element, at, target);
        element.offset += sizeof(float);
    }
}

const lmb_graph_kind lmb_kind_numbers = {
    lmb_graph_read_floats, "{'type':'array','items':{'type':'number',$range},'minItems':$count,'maxItems':$count}",
    lmb_graph_write_numbers};

static void read_object(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    if (lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        lmb_graph_read_fields(reader, field->inside, value, (char *)target + field->offset);
    }
}

void *lmb_graph_read_objects(lmb_graph_reader *reader, lmb_pool *pool, const lmb_graph_field *field, uint32_t value,
                             size_t size, const void *initial, uint32_t *count) {
    const lmb_json_value *values = reader->json.values;
    if (!lmb_graph_expect_count(reader, value, 1, field->count, field->what)) {
        return NULL;
    }
    char *list = lmb_graph_allocate(reader, pool, values[value].count, size);
    for (uint32_t at = value + 1; list != NULL && at < values[value].next && reader->result == LMB_OK;
         at = values[at].next) {
        char *object = list + size * (*count)++;
        memcpy(object, initial, size);
        if (lmb_graph_expect(reader, at, LMB_JSON_OBJECT)) {
            lmb_graph_read_fields(reader, field->inside, at, object);
        }
    }
    return list;
}

// Fields of these objects are all required.
static void write_object(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const void *object = (const char *)target + field->offset;
    lmb_graph_write_fields(writer, field->inside, object, object);
}

const lmb_graph_kind lmb_kind_object = {read_object, "$inside", write_object};

void lmb_graph_read_choice(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    if (!lmb_graph_expect(reader, value, LMB_JSON_STRING)) {
        return;
    }
    char names[160] = "";
    for (int i = 0; field->choices[i] != NULL; i++) {
        if (lmb_graph_is_text(reader, value, field->choices[i])) {
            *(int *)(void *)((char *)target + field->offset) = i;
            return;
        }
        lmb_graph_list_name(names, sizeof names, field->choices[i]);
    }
    lmb_graph_report(reader, value, "unknown; there are %s", names);
}

const lmb_graph_kind lmb_kind_choice = {lmb_graph_read_choice, "{'enum':[$choices]}", lmb_graph_write_choice};
