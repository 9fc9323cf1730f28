// Include before shaders/ops: has all operations inlined where a build optimises, as lanes always have them.
//
// Their structs (transforms, quaternions, vectors) are floats. Passed to a function that is not inlined they go through
// memory: floats are stored one by one, and a copy of a struct loads sixteen bytes at a time. A processor forwards no load
// from several stores that are on their way, so each copy waits until they are done; how long differs by processor.
// On one that waits long, two thirds of the reference's time went so.
//
// GCC 12 at -O1, which inlines some of them alone, makes wrong code of the reference without this (-fno-ivopts mends
// it, too).
#ifndef LIMBER_SRC_INLINE_OPS_H
#define LIMBER_SRC_INLINE_OPS_H

// What instruments long functions takes minutes to compile them.
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
