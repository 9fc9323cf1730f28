// Counts the iterations of loops in shaders/ops that a source included after it runs on the CPU, except those of the
// evaluator, which kernels do not have.
#ifndef LIMBER_TESTS_GPU_LOOPS_COUNTED_H
#define LIMBER_TESTS_GPU_LOOPS_COUNTED_H

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern uint64_t loops_counted;

#define LOOP_PASSED                                                                                                    \
    (loops_counted += strstr(__FILE__, "shaders/ops/") != NULL && strstr(__FILE__, "program.h") == NULL &&             \
                      strstr(__FILE__, "simd.h") == NULL)

#ifdef __clang__
#pragma clang diagnostic ignored "-Wkeyword-macro"
#endif

// A loop counts once more than it runs.
// clang-format off
#define for(...) if (LOOP_PASSED, 0) {} else for (__VA_ARGS__) if (LOOP_PASSED, 0) {} else
#define while(...) while (LOOP_PASSED, __VA_ARGS__)
// clang-format on

#endif
