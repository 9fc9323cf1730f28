// Graphs as JSON in the sources of the tests, and the problems that malformed ones report.
#ifndef LIMBER_TESTS_SUPPORT_GRAPH_TEXT_H
#define LIMBER_TESTS_SUPPORT_GRAPH_TEXT_H

#include "refusal.h"

#include <limber/graph_json.h>
#include <stdio.h>

// Replaces each ' by ", so that texts in the sources need no escapes. Lines and columns stay the same. The next call
// overwrites the returned text.
static inline const char *json_text(const char *text) {
    static char json[1 << 19];
    const size_t size = strlen(text);
    assert_true(size < sizeof json);
    for (size_t i = 0; i <= size; i++) {
        json[i] = text[i] == '\'' ? '"' : text[i];
    }
    return json;
}

// The source of a graph with such a text and `count` clips.
static inline lmb_graph_source graph_source(const char *text, const lmb_rig *rig, lmb_clip *const *clips,
                                            uint32_t count) {
    return (lmb_graph_source){.text = json_text(text),
                              .size = strlen(text),
                              .rig = rig,
                              .clips = (const lmb_clip *const *)clips,
                              .clip_count = count};
}

// The only problem of a text. The reported message contains `message`.
typedef struct malformed_graph {
    const char *text;
    const char *path;
    uint32_t line, column;
    const char *message;
} malformed_graph;

static inline void expect_problem(const lmb_graph_source *source, const malformed_graph *row) {
    lmb_graph_json *graph = (lmb_graph_json *)(uintptr_t)source; // must become NULL
    static lmb_graph_problems problems;
    lmb_error error = {0};
    const lmb_result result = lmb_graph_json_read(source, NULL, &graph, &problems, &error);
    if (result != LMB_ERROR_FORMAT || problems.count != 1) {
        fail_msg("%s\n%s, %u problems, %s; the second %s", row->text, lmb_result_name(result), problems.count,
                 error.message, problems.list[1].message);
    }
    const lmb_graph_problem *found = &problems.list[0];
    assert_null(graph);
    if (strcmp(found->path, row->path) != 0 || found->line != row->line || found->column != row->column ||
        strstr(found->message, row->message) == NULL) {
        fail_msg("%s\n%u:%u: %s: %s\ninstead of\n%u:%u: %s: %s", row->text, found->line, found->column, found->path,
                 found->message, row->line, row->column, row->path, row->message);
    }
    char start[300];
    snprintf(start, sizeof start, "graph: line %u, column %u: %s%s", row->line, row->column, row->path,
             row->path[0] == '\0' ? "" : ": ");
    CHECK_REFUSAL(result, &error, LMB_ERROR_FORMAT, start, row->message);
}

#endif
