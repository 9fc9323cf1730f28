// What the fuzzers of a program's texts ask of whatever was read. What does not hold ends the process.
#ifndef LIMBER_TESTS_GRAPH_FUZZING_H
#define LIMBER_TESTS_GRAPH_FUZZING_H

#include <limber/graph_json.h>

void require(bool holds, const char *what);
// Each mistake has a message, and a place in the text.
void require_problems(const lmb_graph_problems *problems, const char *text, size_t size);
// What moves by itself does so, over frames in which every event is sent. Writes parameters; none moves where there is no
// control.
void require_motion(const lmb_graph *graph, float *parameters);

#endif
