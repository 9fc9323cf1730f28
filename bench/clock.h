// The clock.
#ifndef LIMBER_BENCH_CLOCK_H
#define LIMBER_BENCH_CLOCK_H

// Seconds on a clock that only goes forward.
double clock_seconds(void);

// Seconds of a processor that this thread has had: unlike the above it stands still while others have it.
double clock_thread_seconds(void);

// The same of all threads of this process, added up.
double clock_process_seconds(void);

#endif
