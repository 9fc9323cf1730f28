// Runs a graph on the CPU for a crowd with fixed inputs, and writes every result into a file.
#ifndef LIMBER_TESTS_SUPPORT_PACK_RUN_H
#define LIMBER_TESTS_SUPPORT_PACK_RUN_H

#include <limber/cpu.h>
#include <stdio.h>

// Writes states, emitted events, local transforms and palettes of each frame. Returns false if anything fails.
bool pack_run(const lmb_graph *graph, FILE *file);

#endif
