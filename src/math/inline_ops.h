// Include before shaders/ops. Inlines all operations in optimised builds, as the SIMD paths always do.
//
// The structs of the operations (transforms, quaternions, vectors) consist of floats. A call that is not inlined passes
// them through memory: floats are stored one at a time, and a copy of the struct loads sixteen bytes at a time. A
// processor cannot forward one load from several pending stores, so each copy waits until these stores complete. The
// wait differs by processor. On a processor with a long wait it took two thirds of the reference's time.
//
// GCC 12 at -O1 inlines some of the operations itself, and without this header it generates wrong code for the
// reference. -fno-ivopts also avoids that.
#ifndef LIMBER_SRC_MATH_INLINE_OPS_H
#define LIMBER_SRC_MATH_INLINE_OPS_H

#ifdef LMB_OPS_LANGUAGE_H
#error "an operation was included before this, so that it would not be inlined"
#endif

// Builds that instrument code take minutes to compile long functions.
#ifdef __has_feature
#define LMB_INSTRUMENTED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define LMB_INSTRUMENTED 1
#else
#define LMB_INSTRUMENTED 0
#endif
#if defined(__GNUC__) && defined(__OPTIMIZE__) && !LMB_INSTRUMENTED
#define LMB_INLINE_OPS __attribute__((always_inline))
#endif

#endif
