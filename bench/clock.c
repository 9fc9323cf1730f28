// Wall clock and processor time, from the system's most precise clocks that do not go back.
#define _POSIX_C_SOURCE 200809L

#include "clock.h"

#ifdef _WIN32

#include <windows.h>

double clock_seconds(void) {
    LARGE_INTEGER ticks, rate; // per second
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&rate);
    return (double)ticks.QuadPart / (double)rate.QuadPart;
}

// Windows counts in 100 ns.
static double seconds_of(FILETIME kernel, FILETIME user) {
    const double high = (double)kernel.dwHighDateTime + (double)user.dwHighDateTime;
    const double low = (double)kernel.dwLowDateTime + (double)user.dwLowDateTime;
    return 1e-7 * (4294967296.0 * high + low);
}

double clock_thread_seconds(void) {
    FILETIME created, ended, kernel, user;
    GetThreadTimes(GetCurrentThread(), &created, &ended, &kernel, &user);
    return seconds_of(kernel, user);
}

double clock_process_seconds(void) {
    FILETIME created, ended, kernel, user;
    GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user);
    return seconds_of(kernel, user);
}

#else

#include <time.h>

static double read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double clock_seconds(void) {
    return read_clock(CLOCK_MONOTONIC);
}

double clock_thread_seconds(void) {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

double clock_process_seconds(void) {
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

#endif
