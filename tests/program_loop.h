// The loop of suites that go through random cases, which have numbers.
#ifndef LIMBER_TESTS_PROGRAM_LOOP_H
#define LIMBER_TESTS_PROGRAM_LOOP_H

#include "suite.h"

// Random programs one after the other: as many as a suite asks for, from the number that it says, or what the
// environment says instead (tests/README.md): LIMBER_FIRST, LIMBER_SECONDS. Prints how many programs and values it came
// to.
typedef struct program_loop {
    const char *name; // that it prints
    uint32_t program; // the number of this turn's
    uint32_t done;
    uint64_t values; // compared, which the body counts
    uint32_t first, end;
    double started, seconds, printed;
} program_loop;

// A share of 3 means that the suite has three such loops, each with a third of LIMBER_SECONDS.
program_loop program_loop_start(const char *name, uint32_t first, uint32_t count, uint32_t share);
// Whether there is another program, which then is `loop->program`.
bool program_loop_next(program_loop *loop);

// Programs that a suite compares: 50, or as many as LIMBER_PROGRAMS in the environment says.
uint32_t program_random_count(void);

#endif
