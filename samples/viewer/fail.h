// How the viewer's functions fail.
#ifndef LIMBER_SAMPLES_VIEWER_FAIL_H
#define LIMBER_SAMPLES_VIEWER_FAIL_H

#include <limber/base.h>

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
// Stores a result and a message. Returns the result.
lmb_result
viewer_fail(lmb_error *error, lmb_result result, const char *format, ...);

#endif
