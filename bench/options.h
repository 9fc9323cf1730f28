// The command line of limber-bench.
#ifndef LIMBER_BENCH_OPTIONS_H
#define LIMBER_BENCH_OPTIONS_H

#include "command_line.h"
#include "workload.h"

enum { OPTIONS_MOST_NUMBERS = 16, OPTIONS_MOST_SCENES = 32 };

typedef struct numbers {
    uint32_t values[OPTIONS_MOST_NUMBERS];
    uint32_t count;
} numbers;

// One workload on one actor, at several sizes.
typedef struct scene {
    workload_kind workload;
    actor_kind clips;
    bool compressed;
    uint32_t joints;
    numbers characters;
} scene;

typedef struct options {
    scene scenes[OPTIONS_MOST_SCENES];
    uint32_t scene_count;
    double seconds;       // to spend on each backend and size
    double longest_frame; // seconds; a backend that is expected to need more time per frame is left out
    const char *device;   // NULL: all devices
    const char *trace;    // file of the trace, or NULL
    bool no_devices;
    bool json;
} options;

// Returns COMMAND_LINE_GOOD, or the exit status with which the bench must end.
int options_read(int count, char **arguments, options *options);

#endif
