// Clocks of the bench.
#ifndef LIMBER_BENCH_CLOCK_H
#define LIMBER_BENCH_CLOCK_H

// Returns seconds of a monotonic clock.
double clock_seconds(void);

// Returns the processor seconds used by this thread. Unlike the clock above, it stops while other threads run.
double clock_thread_seconds(void);

// Returns the processor seconds used by all threads of this process.
double clock_process_seconds(void);

#endif
