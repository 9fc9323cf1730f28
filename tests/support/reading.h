// A graph that was read from JSON and created, with its control: for tests that inspect them.
#ifndef LIMBER_TESTS_SUPPORT_READING_H
#define LIMBER_TESTS_SUPPORT_READING_H

#include "control/moving.h"

#include <limber/graph_json.h>

typedef struct reading {
    lmb_graph_json *json;
    lmb_graph *graph;
    const lmb_moving *control; // NULL if the graph has no control
    lmb_moving moving;
} reading;

// Takes ownership of the JSON. Fails the test if the graph is refused.
reading *reading_create(lmb_graph_json *json);
// Accepts NULL.
void reading_destroy(reading *r);
// Fails the test unless these are the paths of all nodes, in their order.
void expect_paths(const lmb_graph_json *json, const char *const *paths, uint32_t count);

#endif
