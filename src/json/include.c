// Files that a text includes for their definitions. The host reads them (lmb_graph_source.read_file). Their values are
// appended to those of the text, so everything else reads them as if they were in it.
#include "graph.h"

#include "base/path.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

const lmb_graph_included *lmb_graph_file_of(const lmb_graph_reader *reader, uint32_t value) {
    for (uint32_t i = 0; i < reader->included_count; i++) {
        const lmb_graph_included *file = &reader->included[i];
        if (value >= file->first && value < file->end) {
            return file;
        }
    }
    return NULL;
}

static uint32_t find_file(const lmb_graph_reader *reader, const char *path) {
    uint32_t i = 0;
    while (i < reader->included_count && strcmp(reader->included[i].path, path) != 0) {
        i++;
    }
    return i;
}

// Reports a file that includes itself, and names those on the way.
static void report_cycle(lmb_graph_reader *reader, uint32_t value, uint32_t first) {
    char names[160] = "";
    for (uint32_t i = first; i < reader->included_count; i++) {
        if (reader->included[i].is_being_read) {
            lmb_graph_list_name(names, sizeof names, reader->included[i].path);
        }
    }
    lmb_graph_report(reader, value, "a file includes itself: %s", names);
}

// Appends a text and its values, which begin at 0. Returns false if memory ran out.
static bool append_values(lmb_graph_reader *reader, lmb_graph_included *file, const lmb_json *read, size_t size) {
    lmb_json *all = &reader->json;
    lmb_pool *scratch = &reader->scratch;
    char *text = lmb_graph_allocate(reader, scratch, reader->all_size + size, 1);
    lmb_json_value *values = lmb_graph_allocate(reader, scratch, (size_t)all->count + read->count, sizeof *values);
    if (text == NULL || values == NULL) {
        return false;
    }
    memcpy(text, all->text, reader->all_size);
    memcpy(text + reader->all_size, read->text, size);
    memcpy(values, all->values, all->count * sizeof *values);
    for (uint32_t i = 0; i < read->count; i++) {
        lmb_json_value *value = &values[all->count + i];
        *value = read->values[i];
        value->start += (uint32_t)reader->all_size;
        value->end += (uint32_t)reader->all_size;
        value->next += all->count;
    }
    file->start = reader->all_size;
    file->first = all->count;
    file->end = all->count + read->count;
    *all = (lmb_json){text, values, file->end};
    reader->all_size += size;
    return true;
}

// Reads the values of a file. Returns false after an error.
static bool read_values(lmb_graph_reader *reader, uint32_t value, uint32_t index) {
    const lmb_graph_source *source = reader->source;
    lmb_graph_included *file = &reader->included[index];
    lmb_graph_source own = {0};
    lmb_error error = {0};
    const lmb_result result = source->read_file(source->read_file_user, file->path, &own.text, &own.size, &error);
    if (result == LMB_ERROR_MEMORY) {
        reader->result = result;
        return false;
    }
    if (result != LMB_OK || own.text == NULL || own.size > INT_MAX - reader->all_size) {
        error.message[sizeof error.message - 1] = '\0';
        lmb_graph_report(reader, value, "%s",
                         result == LMB_OK           ? "the host gives no text, or 2 GiB or more of it"
                         : error.message[0] == '\0' ? lmb_result_name(result)
                                                    : error.message);
        return false;
    }
    size_t size;
    const char *text = lmb_graph_text_of(&own, &size);
    lmb_json read;
    lmb_json_error problem;
    if (!lmb_json_read(text, size, &reader->scratch, &read, &problem)) {
        lmb_graph_problem found = {.line = problem.line, .column = problem.column};
        snprintf(found.message, sizeof found.message, "%s", problem.reason);
        snprintf(found.file, sizeof found.file, "%.99s", file->path);
        if (problem.result == LMB_ERROR_MEMORY) {
            lmb_graph_fail_memory(reader);
        } else {
            lmb_graph_add_problem(reader, &found);
        }
        return false;
    }
    const bool is_read = append_values(reader, file, &read, size);
    lmb_pool_release(&reader->scratch, read.values);
    return is_read;
}

static void read_included(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    (void)target;
    lmb_graph_read_includes(reader, value);
}

static void read_definitions(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    (void)target;
    lmb_graph_read_definitions(reader, value, true);
}

// The members of a file that is no graph itself.
static const lmb_graph_kind kind_included = {read_included, "", NULL};
static const lmb_graph_kind kind_definitions = {read_definitions, "", NULL};
static const lmb_graph_field file_members[] = {
    {.name = "include", .kind = &kind_included},
    {.name = "define", .kind = &kind_definitions},
    {.name = "$schema", .kind = &lmb_kind_comment},
    LMB_COMMENT_FIELD,
};
static const lmb_graph_fields file_fields = {LMB_FIELDS("an included file", file_members)};

// Reads the definitions of a file. One that is a graph itself may have any members.
static void read_root(lmb_graph_reader *reader, uint32_t root) {
    if (!lmb_graph_expect(reader, root, LMB_JSON_OBJECT)) {
        return;
    }
    if (lmb_graph_find_member(reader, root, "op") == LMB_NONE) {
        lmb_graph_read_fields(reader, &file_fields, root, NULL);
        return;
    }
    const uint32_t includes = lmb_graph_find_member(reader, root, "include");
    const uint32_t definitions = lmb_graph_find_member(reader, root, "define");
    if (includes != LMB_NONE) {
        lmb_graph_read_includes(reader, includes);
    }
    if (definitions != LMB_NONE) {
        lmb_graph_read_definitions(reader, definitions, true);
    }
}

// Reads a file once.
static void include(lmb_graph_reader *reader, uint32_t value, const char *path) {
    const uint32_t index = find_file(reader, path);
    if (index < reader->included_count) {
        if (reader->included[index].is_being_read) {
            report_cycle(reader, value, index);
        }
        return;
    }
    if (index == LMB_MAX_INCLUDES) {
        lmb_graph_report(reader, value, "more than %u files", LMB_MAX_INCLUDES);
        return;
    }
    const lmb_graph_included added = {.path = path, .is_being_read = true};
    if (!lmb_graph_append(reader, &reader->scratch, &reader->included, &reader->included_count, &added, sizeof added)) {
        return;
    }
    if (read_values(reader, value, index)) {
        read_root(reader, reader->included[index].first);
    }
    reader->included[index].is_being_read = false;
}

void lmb_graph_read_includes(lmb_graph_reader *reader, uint32_t value) {
    if (!lmb_graph_expect_count(reader, value, 1, LMB_MAX_INCLUDES, "files")) {
        return;
    }
    // The list of values grows meanwhile.
    for (uint32_t at = value + 1; at < reader->json.values[value].next && reader->result == LMB_OK;
         at = reader->json.values[at].next) {
        const char *path =
            lmb_graph_expect(reader, at, LMB_JSON_STRING) ? lmb_graph_text(reader, &reader->graph->pool, at) : NULL;
        if (path == NULL) {
            continue;
        }
        if (!lmb_path_is_below(path)) {
            lmb_graph_report(reader, at, "not the name of a file below the folder of the graph");
        } else if (reader->source->read_file == NULL) {
            lmb_graph_report(reader, at, "the host reads no files that a graph includes");
        } else {
            include(reader, at, path);
        }
    }
}
