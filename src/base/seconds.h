// Seconds that floats stand for, in ticks.
#ifndef LIMBER_SRC_BASE_SECONDS_H
#define LIMBER_SRC_BASE_SECONDS_H

#include <limber/control.h>

// Among the numbers of ticks that give the same float, `share` of a whole, returns the multiple of the largest part of
// a second: 0.4 s is 282,240,000 ticks, not 282,240,004. Returns 0 if there is none.
uint64_t lmb_whole_ticks(float share, double whole);

// Returns the ticks of a time, at least 0: these, or else the nearest.
uint64_t lmb_ticks_of_float(float seconds);

#endif
