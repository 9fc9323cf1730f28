// Runs the scenario on the reference in every floating-point environment that a caller may have set, on every CPU path,
// and expects the golden hash each time. It uses no test library, so it runs wherever the library runs.
#include "control_scenario.h"
#include "scenario.h"

#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
static void set_flushing(bool flush) {
    _mm_setcsr(flush ? _mm_getcsr() | 0x8040u : _mm_getcsr() & ~0x8040u);
}
static bool is_flushing(void) {
    return (_mm_getcsr() & 0x8040u) == 0x8040u;
}
#elif defined(__aarch64__)
static uint64_t control(void) {
    uint64_t value;
    __asm__ volatile("mrs %0, fpcr" : "=r"(value));
    return value;
}
static void set_flushing(bool flush) {
    uint64_t bit = UINT64_C(1) << 24;
    uint64_t value = flush ? control() | bit : control() & ~bit;
    __asm__ volatile("msr fpcr, %0" : : "r"(value));
}
static bool is_flushing(void) {
    return control() >> 24 & 1;
}
#else
static void set_flushing(bool flush) {
    (void)flush;
}
static bool is_flushing(void) {
    return false;
}
#endif

static lmb_result run(const scenario *s, lmb_cpu_path path, scenario_hashes *hashes, lmb_error *error) {
    lmb_cpu *cpu = NULL;
    lmb_result result = lmb_cpu_create(s->program, path, NULL, &cpu, error);
    lmb_batch_outputs outputs = scenario_outputs_create(s);
    for (int frame = 0; frame < SCENARIO_FRAMES && result == LMB_OK; frame++) {
        const lmb_batch_inputs inputs = scenario_inputs(s, frame, &outputs);
        result = lmb_cpu_run(cpu, &s->batch, &inputs, &outputs, error);
        *hashes = scenario_hash(s, &outputs, *hashes);
    }
    scenario_outputs_destroy(&outputs);
    lmb_cpu_destroy(cpu);
    return result;
}

// Returns false after printing the reason if the environment changed the result or was not restored.
static bool check(lmb_cpu_path path, const char *name, int rounding, bool flush) {
    scenario s;
    lmb_error error = {0};
    scenario_hashes hashes = {0, 0};
    fesetround(rounding);
    const int rounds = fegetround(); // WebAssembly knows one way alone
    set_flushing(flush);
    bool flushes = is_flushing();
    lmb_result result = scenario_create(&s, &error);
    if (result == LMB_OK) {
        result = run(&s, path, &hashes, &error);
    }
    scenario_destroy(&s);
    bool restored = fegetround() == rounds && is_flushing() == flushes;
    fesetenv(FE_DFL_ENV);
    set_flushing(false);
    bool same = result == LMB_OK && scenario_is_golden(hashes);
    printf("%-10s %-20s 0x%016" PRIx64 " 0x%016" PRIx64 "%s%s%s\n", lmb_cpu_path_name(path), name, hashes.poses,
           hashes.outputs, same ? "" : " differs from the golden hash", restored ? "" : " environment not restored",
           result == LMB_OK ? "" : error.message);
    return same && restored;
}

// The same for controls.
static bool check_control(bool moves, const char *name, int rounding, bool flush) {
    control_scenario s;
    lmb_error error = {0};
    uint64_t hash = 0;
    fesetround(rounding);
    const int rounds = fegetround(); // WebAssembly knows one way alone
    set_flushing(flush);
    lmb_result result = moves ? motion_scenario_create(&s, CONTROL_GOLDEN_CHARACTERS, &error)
                              : control_scenario_create(&s, CONTROL_GOLDEN_CHARACTERS, &error);
    for (uint32_t frame = 0; frame < CONTROL_GOLDEN_FRAMES && result == LMB_OK; frame++) {
        control_scenario_begin_frame(&s, frame);
        result = control_scenario_run(&s, frame, &error);
    }
    bool restored = fegetround() == rounds;
    fesetenv(FE_DFL_ENV);
    set_flushing(false);
    if (result == LMB_OK) {
        hash = control_scenario_hash(&s);
    }
    control_scenario_destroy(&s);
    bool same = hash == (moves ? motion_scenario_golden : control_scenario_golden);
    printf("%-10s %-20s 0x%016" PRIx64 "%s%s%s\n", moves ? "motion" : "control", name, hash,
           same ? "" : " differs from the golden hash", restored ? "" : " environment not restored",
           result == LMB_OK ? "" : error.message);
    return same && restored;
}

// The slow test: `golden long`.
static bool check_long(void) {
    control_scenario s;
    lmb_error error = {0};
    uint64_t hash = 0;
    lmb_result result = motion_scenario_create(&s, CONTROL_LONG_CHARACTERS, &error);
    for (uint32_t frame = 0; frame < CONTROL_LONG_FRAMES && result == LMB_OK; frame++) {
        control_scenario_begin_frame(&s, frame);
        result = control_scenario_run(&s, frame, &error);
    }
    if (result == LMB_OK) {
        hash = control_scenario_hash(&s);
    }
    control_scenario_destroy(&s);
    bool same = hash == motion_scenario_long_golden;
    printf("%-10s %-20s 0x%016" PRIx64 "%s%s\n", "motion", "10,000 frames", hash,
           same ? "" : " differs from the golden hash", result == LMB_OK ? "" : error.message);
    return same;
}

int main(int argument_count, char **arguments) {
    bool same = true;
    if (argument_count > 1 && strcmp(arguments[1], "long") == 0) {
        return check_long() ? 0 : 1;
    }
    for (int moves = 0; moves < 2; moves++) {
        same = check_control(moves, "default", FE_TONEAREST, false) && same;
        same = check_control(moves, "flush to zero", FE_TONEAREST, true) && same;
        same = check_control(moves, "upward", FE_UPWARD, false) && same;
    }
    for (int i = 0; i < LMB_CPU_PATH_COUNT; i++) {
        lmb_cpu_path path = (lmb_cpu_path)i;
        if (!lmb_cpu_has(path)) {
            printf("%-10s not on this machine\n", lmb_cpu_path_name(path));
            continue;
        }
        same = check(path, "default", FE_TONEAREST, false) && same;
        same = check(path, "flush to zero", FE_TONEAREST, true) && same;
        same = check(path, "upward", FE_UPWARD, false) && same;
        same = check(path, "downward, flushing", FE_DOWNWARD, true) && same;
        same = check(path, "toward zero", FE_TOWARDZERO, false) && same;
    }
    return same ? 0 : 1;
}
