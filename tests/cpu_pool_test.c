// The pool: the golden hash from any number of threads on every path, and refused arguments.
#include "suite.h"

#include "failing_host.h"
#include "refusal.h"
#include "scenario.h"

#include <limber/cpu_pool.h>

static scenario shared;

static int create_shared(void **state) {
    (void)state;
    lmb_error error;
    return scenario_create(&shared, &error) == LMB_OK ? 0 : -1;
}

static int destroy_shared(void **state) {
    (void)state;
    scenario_destroy(&shared);
    return 0;
}

static bool gives_golden_hashes(lmb_cpu_pool *pool) {
    scenario_hashes hashes = {0, 0};
    lmb_batch_outputs outputs = scenario_outputs_create(&shared);
    for (int frame = 0; frame < SCENARIO_FRAMES; frame++) {
        const lmb_batch_inputs inputs = scenario_inputs(&shared, frame, &outputs);
        assert_int_equal(lmb_cpu_pool_run(pool, &shared.batch, &inputs, &outputs, NULL), LMB_OK);
        hashes = scenario_hash(&shared, &outputs, hashes);
    }
    scenario_outputs_destroy(&outputs);
    return scenario_is_golden(hashes);
}

static void any_number_of_threads_gives_the_golden_hash(void **state) {
    (void)state;
    const uint32_t threads[] = {1, 2, 3, 8, 31};
    for (int path = 0; path < LMB_CPU_PATH_COUNT; path++) {
        const size_t step = suite_is_slow() ? 2 : 1;
        for (size_t i = 0; i < sizeof threads / sizeof threads[0] && lmb_cpu_has((lmb_cpu_path)path); i += step) {
            lmb_cpu_pool *pool = NULL;
            assert_int_equal(lmb_cpu_pool_create(shared.program, (lmb_cpu_path)path, threads[i], NULL, &pool, NULL),
                             LMB_OK);
            // More than once, because threads sleep and wake between batches.
            for (int round = suite_is_slow(); round < 3; round++) {
                assert_true(gives_golden_hashes(pool));
            }
            lmb_cpu_pool_destroy(pool);
        }
    }
}

static void many_short_rounds(void **state) {
    (void)state;
    lmb_cpu_pool *pool = NULL;
    assert_int_equal(lmb_cpu_pool_create(shared.program, LMB_CPU_FAST, 4, NULL, &pool, NULL), LMB_OK);
    lmb_batch_outputs outputs = scenario_outputs_create(&shared);
    const lmb_batch_inputs inputs = {.parameters = shared.parameters[0], .poses = {shared.pose}};
    for (uint32_t i = 0; i < 2000; i += suite_stride()) {
        lmb_batch_def batch = shared.batch;
        batch.character_count = i % 3; // also none
        assert_int_equal(lmb_cpu_pool_run(pool, &batch, &inputs, &outputs, NULL), LMB_OK);
    }
    scenario_outputs_destroy(&outputs);
    lmb_cpu_pool_destroy(pool);
}

static void wrong_arguments_are_refused(void **state) {
    (void)state;
    lmb_cpu_pool *pool = NULL;
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_cpu_pool_create(NULL, LMB_CPU_FAST, 1, NULL, &pool, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    CHECK_REFUSAL(lmb_cpu_pool_create(shared.program, LMB_CPU_FAST, 0, NULL, &pool, &error), &error, LMB_ERROR_LIMIT,
                  "0 threads");
    CHECK_REFUSAL(lmb_cpu_pool_create(shared.program, LMB_CPU_FAST, 257, NULL, &pool, &error), &error, LMB_ERROR_LIMIT,
                  "257 threads");
    CHECK_REFUSAL(lmb_cpu_pool_create(shared.program, (lmb_cpu_path)99, 1, NULL, &pool, &error), &error,
                  LMB_ERROR_ARGUMENT, "path");
    assert_null(pool);
    assert_int_equal(lmb_cpu_pool_create(shared.program, LMB_CPU_FAST, 3, NULL, &pool, NULL), LMB_OK);
    lmb_batch_outputs outputs = scenario_outputs_create(&shared);
    lmb_batch_inputs inputs = {.parameters = NULL, .poses = {shared.pose}};
    CHECK_REFUSAL(lmb_cpu_pool_run(pool, &shared.batch, &inputs, &outputs, &error), &error, LMB_ERROR_ARGUMENT,
                  "parameters");
    CHECK_REFUSAL(lmb_cpu_pool_run(pool, NULL, &inputs, &outputs, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    CHECK_REFUSAL(lmb_cpu_pool_run(pool, &shared.batch, &inputs, NULL, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    // The pool still works.
    assert_true(gives_golden_hashes(pool));
    scenario_outputs_destroy(&outputs);
    lmb_cpu_pool_destroy(pool);
    lmb_cpu_pool_destroy(NULL);
}

static lmb_result create_and_destroy(const lmb_host *host, lmb_error *error, void *user) {
    (void)user;
    lmb_cpu_pool *pool = NULL;
    const lmb_result result = lmb_cpu_pool_create(shared.program, LMB_CPU_FAST, 3, host, &pool, error);
    assert_true((pool != NULL) == (result == LMB_OK));
    lmb_cpu_pool_destroy(pool);
    return result;
}

static void failed_allocations_leave_nothing(void **state) {
    (void)state;
    failing_host_try_all(create_and_destroy, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_golden_hash),
        cmocka_unit_test(many_short_rounds),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(failed_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, create_shared, destroy_shared);
}
