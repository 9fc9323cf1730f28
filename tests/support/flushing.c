// Replaces a function of the C library: the default environment, which the library enters, flushes if that is set.
#include "flushing.h"

#include <fenv.h>

#if defined(__x86_64__) && defined(__GLIBC__)
#include <xmmintrin.h>

static bool flushing;

int fesetenv(const fenv_t *environment) {
    _mm_setcsr(environment != FE_DFL_ENV ? environment->__mxcsr : flushing ? 0x1f80u | 0x8040u : 0x1f80u);
    return 0;
}

bool flushing_is_possible(void) {
    return true;
}

void flushing_set(bool flushes) {
    flushing = flushes;
}

#else

bool flushing_is_possible(void) {
    return false;
}

void flushing_set(bool flushes) {
    (void)flushes;
}

#endif
