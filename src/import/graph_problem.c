// Reports errors and warnings with their path, line and column.
#include "graph.h"

#include "text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
static void write_path(const lmb_json *json, uint32_t value, char *text, size_t size) {
    path path = {.text = text, .size = size};
    text[0] = '\0';
    for (uint32_t at = 0; at != value;) {
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

// Converts an offset in the text being read to one in the source's text. Inserted text is at the position of insertion.
static size_t source_offset(const lmb_graph_insert *insert, size_t offset) {
    if (offset < insert->start || insert->end == 0) {
        return offset;
    }
    return offset < insert->end ? insert->start : offset - insert->end + insert->start + insert->replaced;
}

static void write_place(const lmb_graph_reader *reader, uint32_t value, lmb_graph_problem *problem) {
    const lmb_json_value *at = &reader->json.values[value];
    // The text of a string starts after its quote.
    size_t offset = source_offset(&reader->insert, at->start - (at->type == LMB_JSON_STRING ? 1 : 0));
    problem->line = 1;
    problem->column = 1;
    for (size_t i = 0; i < offset; i++) {
        bool line_ends = reader->text[i] == '\n';
        problem->line += line_ends ? 1 : 0;
        problem->column = line_ends ? 1 : problem->column + 1;
    }
}

// Returns where to write the next problem, or NULL if there is no room.
static lmb_graph_problem *next_problem(lmb_graph_reader *reader) {
    uint32_t index = reader->problem_count++;
    if (reader->problems != NULL) {
        reader->problems->count = reader->problem_count;
        return index < LMB_MAX_GRAPH_PROBLEMS ? &reader->problems->list[index] : NULL;
    }
    return index == 0 ? &reader->first : NULL;
}

static void write_problem(const lmb_graph_reader *reader, uint32_t value, lmb_graph_problem *problem,
                          const char *format, va_list arguments) {
    write_path(&reader->json, value, problem->path, sizeof problem->path);
    write_place(reader, value, problem);
    vsnprintf(problem->message, sizeof problem->message, format, arguments);
    lmb_text_make_line(problem->message);
}

void lmb_graph_report(lmb_graph_reader *reader, uint32_t value, const char *format, ...) {
    lmb_graph_problem *problem = next_problem(reader);
    if (problem == NULL) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    write_problem(reader, value, problem, format, arguments);
    va_end(arguments);
    reader->first = reader->problem_count == 1 ? *problem : reader->first;
}

bool lmb_graph_is_inserted(const lmb_graph_reader *reader, uint32_t value) {
    const size_t start = reader->json.values[value].start;
    return start >= reader->insert.start && start < reader->insert.end;
}

void lmb_graph_warn(lmb_graph_reader *reader, uint32_t value, const char *format, ...) {
    lmb_graph_json *graph = reader->graph;
    lmb_graph_problem *warnings = lmb_graph_grow(reader, &graph->pool, graph->warnings, graph->warning_count,
                                                 &graph->warning_capacity, sizeof *warnings);
    if (warnings == NULL) {
        return;
    }
    graph->warnings = warnings;
    va_list arguments;
    va_start(arguments, format);
    write_problem(reader, value, &warnings[graph->warning_count++], format, arguments);
    va_end(arguments);
}

void lmb_graph_report_text(lmb_graph_reader *reader, const lmb_json_error *error) {
    lmb_graph_problem *problem = next_problem(reader);
    *problem = (lmb_graph_problem){.line = error->line, .column = error->column};
    snprintf(problem->message, sizeof problem->message, "%s", error->reason);
    reader->first = *problem;
}

bool lmb_graph_expect(lmb_graph_reader *reader, uint32_t value, lmb_json_type type) {
    lmb_json_type found = reader->json.values[value].type;
    if (found != type) {
        lmb_graph_report(reader, value, "%s, where %s was expected", lmb_json_type_name(found),
                         lmb_json_type_name(type));
    }
    return found == type;
}
