// The float environment in which all results are computed: round to nearest, subnormals not flushed. Every public call
// that computes floats enters it first and leaves it last, so the caller's own environment has no effect on results.
//
// The arithmetic itself must be in a separate function that is not inlined into the one that enters and leaves. Without
// FENV_ACCESS, C allows compilers to move float operations across these calls.
#ifndef LIMBER_SRC_BASE_FLOAT_ENVIRONMENT_H
#define LIMBER_SRC_BASE_FLOAT_ENVIRONMENT_H

#include <float.h>

#if FLT_EVAL_METHOD != 0
#error "Limber needs float arithmetic in float: build with SSE2 or an equivalent"
#endif

#if defined(__GNUC__)
#define LMB_NOINLINE __attribute__((noinline))
#else
#define LMB_NOINLINE
#endif

#if defined(_WIN32) && (defined(__x86_64__) || defined(_M_X64))

#include <xmmintrin.h>

// The fesetenv() of mingw-w64 leaves rounding and flushing as they are. MXCSR is all that affects SSE and AVX.
typedef unsigned int lmb_environment;

static inline void lmb_environment_enter(lmb_environment *callers) {
    *callers = _mm_getcsr();
    _mm_setcsr(0x1f80); // the state at program start: no exceptions, to nearest, no flushing
}

static inline void lmb_environment_leave(const lmb_environment *callers) {
    _mm_setcsr(*callers);
}

#else

#include <fenv.h>

typedef fenv_t lmb_environment;

// FE_DFL_ENV also clears flushing: it is the state at program start, including MXCSR or FPCR.
static inline void lmb_environment_enter(lmb_environment *callers) {
    fegetenv(callers);
    fesetenv(FE_DFL_ENV);
}

static inline void lmb_environment_leave(const lmb_environment *callers) {
    fesetenv(callers);
}

#endif

#endif
