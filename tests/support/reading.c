#include "reading.h"

#include "refusal.h"

#include <stdlib.h>

reading *reading_create(lmb_graph_json *json) {
    reading *r = calloc(1, sizeof *r);
    lmb_error error = {0};
    assert_non_null(r);
    r->json = json;
    if (lmb_graph_create(lmb_graph_json_def(json), NULL, &r->graph, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    if (lmb_graph_moves(lmb_graph_json_def(json))) {
        assert_int_equal(lmb_moving_create(lmb_graph_json_def(json), NULL, &r->moving, &error), LMB_OK);
        r->control = &r->moving;
    }
    return r;
}

void reading_destroy(reading *r) {
    if (r != NULL) {
        lmb_moving_release(&r->moving);
        lmb_graph_destroy(r->graph);
        lmb_graph_json_destroy(r->json);
        free(r);
    }
}

void expect_paths(const lmb_graph_json *json, const char *const *paths, uint32_t count) {
    assert_int_equal(lmb_graph_json_def(json)->node_count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_string_equal(lmb_graph_json_place(json, i).path, paths[i]);
        assert_string_equal(lmb_graph_json_place(json, i).file, "");
    }
}
