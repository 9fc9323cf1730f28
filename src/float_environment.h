// The floating-point environment in which bits are made: round to nearest, nothing flushed. Every public call that
// computes floats enters it first and leaves it last, so that the caller's own environment changes nothing.
//
// The arithmetic itself must be in a function of its own that is not inlined into the one that enters and leaves:
// compilers move float operations across these calls, as C lets them without FENV_ACCESS.
#ifndef LIMBER_SRC_FLOAT_ENVIRONMENT_H
#define LIMBER_SRC_FLOAT_ENVIRONMENT_H

#include <fenv.h>
#include <float.h>

#if FLT_EVAL_METHOD != 0
#error "Limber needs float arithmetic in float: build with SSE2 or an equivalent"
#endif

#if defined(__GNUC__)
#define LMB_NOINLINE __attribute__((noinline))
#else
#define LMB_NOINLINE
#endif

// FE_DFL_ENV clears flushing as well: it is the state at graph start, MXCSR or FPCR included.
static inline void lmb_environment_enter(fenv_t *callers) {
    fegetenv(callers);
    fesetenv(FE_DFL_ENV);
}

static inline void lmb_environment_leave(const fenv_t *callers) {
    fesetenv(callers);
}

#endif
