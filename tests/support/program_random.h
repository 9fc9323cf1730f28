// Random programs of up to 64 operations. The reference and another side run each program for hundreds of characters on
// rigs of several sizes, and all bits are compared. A program that differs is shrunk, printed, and fails the test.
#ifndef LIMBER_TESTS_SUPPORT_PROGRAM_RANDOM_H
#define LIMBER_TESTS_SUPPORT_PROGRAM_RANDOM_H

#include "program_loop.h"

#include <crowd.h>
#include <limber/cpu.h>

// Characters to run a second time, some of them outside the batch.
typedef struct program_list {
    const uint32_t *characters;
    uint32_t count;
} program_list;

// A side that runs a batch like lmb_cpu_run() and then, unless the list is NULL, like lmb_cpu_run_list().
typedef struct program_side {
    const char *name;
    void (*run)(const struct program_side *side, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                const lmb_batch_outputs *outputs, const program_list *list);
    void *user;
    uint32_t characters; // the number that a program runs for; 0 for 203
} program_side;

// Runs a batch, then the list, on a path of the CPU.
void program_random_run_cpu(lmb_cpu_path path, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                            const lmb_batch_outputs *outputs, const program_list *list);

// Compares the programs of a loop that started at `first`.
void program_random_compare(const program_side *side, program_loop loop, uint32_t first);

// Removes operations from a crowd's program while the side still differs.
void program_random_shrink(const program_side *side, crowd *crowd);
// Returns whether the side differs on the crowd's inputs. Writes the difference to `text` in one line, if it is not
// NULL.
bool program_random_differs(const program_side *side, const crowd *crowd, char *text, size_t size);

#endif
