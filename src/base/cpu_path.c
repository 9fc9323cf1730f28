// Chooses a CPU path at run time: what this build has (LMB_HAS_SIMD_*), and what the processor has.
#include "cpu_path.h"

static const char *const names[LMB_CPU_PATH_COUNT] = {
    [LMB_CPU_REFERENCE] = "reference", [LMB_CPU_FAST] = "fast",       [LMB_CPU_SIMD_4] = "simd 4",
    [LMB_CPU_SIMD_8] = "simd 8",       [LMB_CPU_SIMD_16] = "simd 16",
};

// 0 if this build lacks the path. The fast path is another name of one of the others.
#define LANES(lanes) [LMB_CPU_SIMD_##lanes] = lanes,
static const uint32_t lanes_of[LMB_CPU_PATH_COUNT] = {[LMB_CPU_REFERENCE] = 1, LMB_SIMD_PATHS(LANES)};

const lmb_cpu_path lmb_cpu_widest_first[LMB_CPU_WIDTHS] = {LMB_CPU_SIMD_16, LMB_CPU_SIMD_8, LMB_CPU_SIMD_4,
                                                           LMB_CPU_REFERENCE};

const char *lmb_cpu_path_name(lmb_cpu_path path) {
    return (unsigned)path < LMB_CPU_PATH_COUNT ? names[path] : "unknown path";
}

uint32_t lmb_cpu_lanes(lmb_cpu_path path) {
    return (unsigned)path < LMB_CPU_PATH_COUNT ? lanes_of[path] : 0;
}

static bool machine_has(lmb_cpu_path path) {
#if defined(LMB_HAS_SIMD_8) || defined(LMB_HAS_SIMD_16)
    if (path == LMB_CPU_SIMD_8) {
        return __builtin_cpu_supports("avx2");
    }
    if (path == LMB_CPU_SIMD_16) {
#ifdef LMB_AVX512_EMULATED
        return __builtin_cpu_supports("avx2");
#else
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
    }
#endif
    (void)path;
    return true;
}

bool lmb_cpu_has(lmb_cpu_path path) {
    return path == LMB_CPU_FAST || (lmb_cpu_lanes(path) > 0 && machine_has(path));
}

lmb_cpu_path lmb_cpu_resolve(lmb_cpu_path path) {
    for (int i = 0; path == LMB_CPU_FAST && i < LMB_CPU_WIDTHS; i++) {
        if (lmb_cpu_has(lmb_cpu_widest_first[i])) {
            path = lmb_cpu_widest_first[i];
        }
    }
    return path;
}
