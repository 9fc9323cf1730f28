// Checks that the fuzzers of JSON graphs apply to every graph that they read. A failed check ends the process.
#ifndef LIMBER_TESTS_FUZZ_GRAPH_FUZZING_H
#define LIMBER_TESTS_FUZZ_GRAPH_FUZZING_H

#include <limber/graph_json.h>

void require(bool holds, const char *what);
// Checks that each problem has a message and a position in the text.
void require_problems(const lmb_graph_problems *problems, const char *text, size_t size);
// Runs the graph's control, if there is one, over several frames that send every event. Writes the parameters.
void require_motion(const lmb_graph *graph, float *parameters);

#endif
