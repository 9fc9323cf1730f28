// Reads the file of a graph written as JSON. Apart from the reader of the text, because it is for an import.
#include "file.h"

#include <limber/graph_json.h>

#include <inttypes.h>
#include <string.h>

// Memory for the file's text.
#define BASE_BUDGET ((size_t)64 << 20)

static void log_warnings(const lmb_graph_json *graph, const lmb_host *host, const char *name) {
    for (uint32_t i = 0; i < lmb_graph_json_warning_count(graph); i++) {
        const lmb_graph_problem *warning = lmb_graph_json_warning_at(graph, i);
        const char *place = warning->file[0] != '\0' ? warning->file : name;
        lmb_host_log(host, LMB_LOG_WARNING, "%s: line %" PRIu32 ", column %" PRIu32 ": %s%s%s", place, warning->line,
                     warning->column, warning->path, warning->path[0] == '\0' ? "" : ": ", warning->message);
    }
}

// Where files are that a graph includes.
typedef struct folder {
    lmb_importer *importer;
    const char *path; // of the graph
} folder;

static lmb_result read_included(void *user, const char *path, const char **text, size_t *size, lmb_error *error) {
    folder *in = user;
    lmb_importer *importer = in->importer;
    const char *slash = strrchr(in->path, '/');
    const size_t length = slash != NULL ? (size_t)(slash - in->path) + 1 : 0, name = strlen(path) + 1;
    char *whole = lmb_pool_allocate(&importer->scratch, length + name, 1);
    const uint8_t *bytes = NULL;
    if (whole == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory");
    }
    memcpy(whole, in->path, length);
    memcpy(whole + length, path, name);
    lmb_error *outer = importer->error;
    importer->error = error;
    const bool is_read = lmb_file_read(importer, whole, path, &bytes, size);
    const lmb_result result = importer->result;
    importer->error = outer;
    importer->result = LMB_OK;
    *text = (const char *)bytes;
    return is_read ? LMB_OK : result;
}

static lmb_result create_from_text(const lmb_graph_source *source, const lmb_host *host, lmb_graph **graph,
                                   lmb_error *error) {
    lmb_graph_json *json = NULL;
    const lmb_host resolved = lmb_host_resolve(host);
    lmb_result result = lmb_graph_json_read(source, host, &json, NULL, error);
    if (result == LMB_OK) {
        log_warnings(json, &resolved, source->name);
        result = lmb_graph_create(lmb_graph_json_def(json), host, graph, error);
    }
    lmb_graph_json_destroy(json);
    return result;
}

lmb_result lmb_graph_create_from_file(const char *path, const lmb_import *import, const lmb_host *host,
                                      lmb_graph **graph, lmb_error *error) {
    if (graph != NULL) {
        *graph = NULL;
    }
    if (path == NULL || import == NULL || graph == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "lmb_graph_create_from_file: %s is NULL",
                        path == NULL     ? "path"
                        : import == NULL ? "import"
                                         : "graph");
    }
    lmb_import file = {.budget = {.host = lmb_host_resolve(host), .limit = BASE_BUDGET}};
    lmb_importer importer = {.import = &file, .scratch = {.budget = &file.budget}, .name = path, .error = error};
    const uint8_t *text = NULL;
    size_t size = 0;
    if (lmb_file_read(&importer, path, "", &text, &size)) {
        folder in = {&importer, path};
        const lmb_graph_source source = {.text = (const char *)text,
                                         .size = size,
                                         .name = path,
                                         .rig = import->rig,
                                         .clips = import->clips,
                                         .clip_count = (uint32_t)import->clip_count,
                                         .read_file = read_included,
                                         .read_file_user = &in};
        importer.result = create_from_text(&source, host, graph, error);
    }
    lmb_pool_clear(&importer.scratch);
    return importer.result;
}
