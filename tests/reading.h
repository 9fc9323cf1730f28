// A graph read from a text and created, with what moves by itself in it: for tests that look into it.
#ifndef LIMBER_TESTS_READING_H
#define LIMBER_TESTS_READING_H

#include "../src/graph_moving.h"

#include <limber/graph_json.h>

typedef struct reading {
    lmb_graph_json *json;
    lmb_graph *graph;
    const lmb_control_def *control; // NULL where nothing moves by itself
    lmb_moving moving;
} reading;

// Takes what was read. Fails the test where it is refused.
reading *reading_create(lmb_graph_json *json);
// NULL is fine.
void reading_destroy(reading *r);

#endif
