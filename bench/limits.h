// How fast a machine can be at best, measured in the same run as the rest: what floors are made of.
#ifndef LIMBER_BENCH_LIMITS_H
#define LIMBER_BENCH_LIMITS_H

#include <device.h>

#include <limber/cpu.h>

typedef struct limits {
    double copied; // bytes a second that a copy between two buffers too large for a cache moves, the best of several
    double operations; // multiplications and additions a second, never contracted to one instruction
} limits;

// Of one core with the instructions of a path: lanes of 4, 8 or 16, or one for the reference. The copy is memcpy.
limits limits_of_cpu(lmb_cpu_path path);
// By limits_device_seconds().
lmb_result limits_of_device(device *device, limits *limits, lmb_error *error);

// Seconds on the clock by which a device is timed: the one on the wall; or, where the device is a processor, what all
// its threads have had of it, which is then the time of one core, and shows less of what else the machine does.
double limits_device_seconds(const device *device);

// Multiplications and additions a second with that many lanes; called only where the machine has the instructions.
double rate_lanes_1(void);
double rate_lanes_4(void);
double rate_lanes_8(void);
double rate_lanes_16(void);

#endif
