// Random controls on the CPU: single characters on a processor that flushes subnormals give the same bits as many
// characters at a time on one that does not. The state after each frame passes the check of states.
#include "control_random.h"
#include "program_loop.h"

#include <fenv.h>

#if defined(__x86_64__) && defined(__GLIBC__)
#include <xmmintrin.h>

static bool flushing;

// Replaces the function of the C library: the default environment, which the library enters, flushes if `flushing` is
// set.
int fesetenv(const fenv_t *environment) {
    _mm_setcsr(environment != FE_DFL_ENV ? environment->__mxcsr : flushing ? 0x1f80u | 0x8040u : 0x1f80u);
    return 0;
}

static uint64_t compare(uint32_t number) {
    control_random *random = control_random_create(number);
    control_random_result kept = control_random_result_create(random), flushed = control_random_result_create(random);
    uint64_t compared = 0;
    for (uint32_t frame = 0; frame < CONTROL_RANDOM_FRAMES; frame++) {
        control_random_run(random, frame, CONTROL_RANDOM_CHARACTERS, &kept);
        flushing = true;
        control_random_run(random, frame, 1, &flushed);
        flushing = false;
        compared += control_random_expect_same(random, number, frame, &kept, &flushed);
        lmb_error error = {0};
        if (lmb_control_check_states(random->control, kept.state, CONTROL_RANDOM_CHARACTERS, &error) != LMB_OK) {
            fail_msg("control %u, frame %u: %s", number, frame, error.message);
        }
    }
    control_random_result_destroy(&kept);
    control_random_result_destroy(&flushed);
    control_random_destroy(random);
    return compared;
}

static void same_bits_with_flushing(void **state) {
    (void)state;
    program_loop loop =
        program_loop_start("controls", 0, suite_number("LIMBER_PROGRAMS", suite_is_slow() ? 20 : 200), 1);
    while (program_loop_next(&loop)) {
        loop.values += compare(loop.program);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_with_flushing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77; // this test cannot set flushing here
}

#endif
