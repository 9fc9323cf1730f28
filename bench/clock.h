// The clock.
#ifndef LIMBER_BENCH_CLOCK_H
#define LIMBER_BENCH_CLOCK_H

// Seconds on a clock that only goes forward.
double clock_seconds(void);

#endif
