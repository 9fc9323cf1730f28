// The loop of suites that run numbered random cases.
#ifndef LIMBER_TESTS_SUPPORT_PROGRAM_LOOP_H
#define LIMBER_TESTS_SUPPORT_PROGRAM_LOOP_H

#include "suite.h"

// Runs random programs one after the other, from the first number and for the count that a suite gives. LIMBER_FIRST
// and LIMBER_SECONDS in the environment (tests/README.md) override them. Prints the numbers of programs and of values,
// and the hash.
typedef struct program_loop {
    const char *name; // printed
    uint32_t program; // the number of the current program
    uint32_t done;
    uint64_t values; // the number of compared values, counted by the loop's body
    uint64_t hash;   // of the reference's results, by program_loop_hash(); equal on every system
    uint32_t first, end;
    double started, seconds, printed;
} program_loop;

// A share of 3 means that the suite has three such loops; each gets a third of LIMBER_SECONDS.
program_loop program_loop_start(const char *name, uint32_t first, uint32_t count, uint32_t share);
// Returns whether there is another program; its number is then `loop->program`.
bool program_loop_next(program_loop *loop);

// Adds words to the hash of the loop.
void program_loop_hash(program_loop *loop, const void *words, size_t count);

// Returns the number of programs that a suite compares: LIMBER_PROGRAMS in the environment, or 50.
uint32_t program_random_count(void);

#endif
