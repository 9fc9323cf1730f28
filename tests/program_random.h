// Random programs of up to 64 operations, run by the reference and by another side, every bit compared: over hundreds of
// characters on rigs of several sizes. A program that differs is shrunk, printed, and fails the test.
#ifndef LIMBER_TESTS_PROGRAM_RANDOM_H
#define LIMBER_TESTS_PROGRAM_RANDOM_H

#include "suite.h"

#include <crowd.h>

// A side that runs a batch, as lmb_cpu_run() does.
typedef struct program_side {
    const char *name;
    void (*run)(const struct program_side *side, const lmb_batch *batch, const lmb_batch_inputs *inputs,
                const lmb_batch_outputs *outputs);
    void *user;
    uint32_t characters; // that a program runs for, 0 for 203
} program_side;

// Programs that a test compares: 50, or as many as LIMBER_PROGRAMS in the environment says (a night has time for 1,000).
uint32_t program_random_count(void);

// Compares the programs numbered [first, end).
void program_random_compare(const program_side *side, uint32_t first, uint32_t end);

// Drops operations from a crowd's program for as long as the side still differs.
void program_random_shrink(const program_side *side, crowd *crowd);
// Whether the side differs on the crowd's inputs. Says where, in one line, where `text` is not NULL.
bool program_random_differs(const program_side *side, const crowd *crowd, char *text, size_t size);

#endif
