// Random programs of up to 64 operations, run by the reference and by another side, every bit compared: over hundreds of
// characters on rigs of several sizes. A program that differs is shrunk, printed, and fails the test.
#ifndef LIMBER_TESTS_PROGRAM_RANDOM_H
#define LIMBER_TESTS_PROGRAM_RANDOM_H

#include "program_loop.h"

#include <crowd.h>

// A side that runs a batch, as lmb_cpu_run() does.
typedef struct program_side {
    const char *name;
    void (*run)(const struct program_side *side, const lmb_batch *batch, const lmb_batch_inputs *inputs,
                const lmb_batch_outputs *outputs);
    void *user;
    uint32_t characters; // that a program runs for, 0 for 203
} program_side;

// Compares the programs of a loop that was started at `first`.
void program_random_compare(const program_side *side, program_loop loop, uint32_t first);

// Drops operations from a crowd's program for as long as the side still differs.
void program_random_shrink(const program_side *side, crowd *crowd);
// Whether the side differs on the crowd's inputs. Says where, in one line, where `text` is not NULL.
bool program_random_differs(const program_side *side, const crowd *crowd, char *text, size_t size);

#endif
