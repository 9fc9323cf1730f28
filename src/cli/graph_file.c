#include "graph_file.h"

#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_FILE ((size_t)64 << 20)

// What is no object is the name of a file: no graph begins otherwise.
static bool is_text(const char *argument) {
    return argument[strspn(argument, " \t\r\n")] == '{';
}

static bool fail(const char *place, const char *message) {
    lmb_error error = {0};
    snprintf(error.message, sizeof error.message, "%s", message);
    command_failed(place, &error);
    return false;
}

// The whole stream, in memory that grows.
static bool read_stream(const char *name, FILE *stream, char **text, size_t *size) {
    size_t capacity = 0;
    *size = 0;
    for (size_t got = 1; got > 0; *size += got) {
        if (*size == capacity) {
            capacity = capacity == 0 ? 65536 : capacity * 2;
            char *larger = capacity > LARGEST_FILE ? NULL : realloc(*text, capacity);
            if (larger == NULL) {
                return fail(name, capacity > LARGEST_FILE ? "more than 64 MiB" : "no memory");
            }
            *text = larger;
        }
        got = fread(*text + *size, 1, capacity - *size, stream);
    }
    return !ferror(stream) || fail(name, strerror(errno));
}

static bool read_file(const char *name, char **text, size_t *size) {
    FILE *stream = fopen(name, "rb");
    if (stream == NULL) {
        return fail(name, strerror(errno));
    }
    bool success = read_stream(name, stream, text, size);
    fclose(stream);
    return success;
}

static void tell(const char *name, const lmb_graph_problems *problems) {
    uint32_t listed = problems->count < LMB_MAX_GRAPH_PROBLEMS ? problems->count : LMB_MAX_GRAPH_PROBLEMS;
    for (uint32_t i = 0; i < listed; i++) {
        const lmb_graph_problem *problem = &problems->list[i];
        fprintf(stderr, "limber: %s: line %u, column %u: %s%s%s\n", name, problem->line, problem->column, problem->path,
                problem->path[0] == '\0' ? "" : ": ", problem->message);
    }
    if (problems->count > listed) {
        fprintf(stderr, "limber: %s: and %u more\n", name, problems->count - listed);
    }
}

static bool read_graph(const lmb_graph_source *source, graph_file *file) {
    static lmb_graph_problems problems;
    lmb_error error = {0};
    if (lmb_graph_read(source, NULL, &file->graph, &problems, &error) == LMB_OK) {
        return true;
    }
    if (problems.count > 0) {
        tell(source->name, &problems);
    } else {
        command_failed(NULL, &error);
    }
    return false;
}

bool graph_file_read(const char *argument, const lmb_import *import, graph_file *file) {
    *file = (graph_file){.clip_count = lmb_import_clip_count(import)};
    lmb_graph_source source = {.text = argument,
                               .size = strlen(argument),
                               .name = "--graph",
                               .rig = lmb_import_rig(import),
                               .clip_count = file->clip_count};
    file->clips = calloc((size_t)file->clip_count + 1, sizeof *file->clips);
    bool success = file->clips != NULL || fail("--graph", "no memory");
    for (uint32_t i = 0; success && i < file->clip_count; i++) {
        file->clips[i] = lmb_import_clip(import, i);
    }
    source.clips = file->clips;
    if (success && !is_text(argument)) {
        success = read_file(argument, &file->text, &source.size);
        source.text = file->text;
        source.name = argument;
    }
    success = success && read_graph(&source, file);
    if (!success) {
        graph_file_release(file);
    }
    return success;
}

crowd_range *graph_file_ranges(const graph_file *file) {
    uint32_t count = file->graph == NULL ? 0 : lmb_graph_parameter_count(file->graph);
    crowd_range *ranges = calloc((size_t)count + 1, sizeof *ranges);
    for (uint32_t i = 0; ranges != NULL && i < count; i++) {
        const lmb_graph_parameter parameter = lmb_graph_parameter_at(file->graph, i);
        ranges[i] = (crowd_range){parameter.least, parameter.greatest};
    }
    return ranges;
}

void graph_file_release(graph_file *file) {
    lmb_graph_destroy(file->graph);
    free(file->clips);
    free(file->text);
    *file = (graph_file){0};
}
