#include "program_loop.h"

#include <limber/control.h>
#include <stdio.h>
#include <time.h>
#ifdef _WIN32
#include <windows.h>
#endif

#define USUAL_COUNT 50u
#define FEW_COUNT 12u // if a program takes long

uint32_t program_random_count(void) {
    return suite_number("LIMBER_PROGRAMS", suite_is_slow() ? FEW_COUNT : USUAL_COUNT);
}

static double now(void) {
#ifdef _WIN32
    return 1e-3 * (double)GetTickCount64();
#else
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
#endif
}

program_loop program_loop_start(const char *name, uint32_t first, uint32_t count, uint32_t share) {
    const uint32_t from = suite_first() > 0 ? suite_first() : first;
    const double started = now();
    return (program_loop){.name = name,
                          .program = from - 1,
                          .first = from,
                          .end = from + count,
                          .started = started,
                          .seconds = (double)suite_seconds() / share,
                          .printed = started};
}

// tests/nightly.sh reads the last of these lines for each name.
static void print_loop(const program_loop *loop) {
    printf("random programs: %s: %u programs from number %u, %llu values compared, hash %016llx\n", loop->name,
           loop->done, loop->first, (unsigned long long)loop->values, (unsigned long long)loop->hash);
    fflush(stdout);
}

void program_loop_hash(program_loop *loop, const void *words, size_t count) {
    const uint64_t pair[] = {loop->hash, lmb_hash_words(words, count)};
    loop->hash = lmb_hash_words((const uint32_t *)pair, 4);
}

bool program_loop_next(program_loop *loop) {
    const double time = now();
    loop->program++;
    loop->done = loop->program - loop->first;
    const bool more = loop->seconds > 0.0 ? time - loop->started < loop->seconds : loop->program != loop->end;
    if (!more || time - loop->printed > 5.0) { // a loop that is stopped from outside has printed its progress
        print_loop(loop);
        loop->printed = time;
    }
    return more;
}
