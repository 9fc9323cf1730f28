// Profiles: totals, the window, events, refused arguments.
#include "suite.h"

#include "failing_host.h"
#include "refusal.h"
#include "scenario.h"

#include <limber/profile.h>

static const char *const names[] = {"first", "second"};

static lmb_profile *create(uint32_t window, uint32_t event_count) {
    const lmb_profile_def def = {.stages = names, .stage_count = 2, .window = window, .event_count = event_count};
    lmb_profile *profile = NULL;
    assert_int_equal(lmb_profile_create(&def, NULL, &profile, NULL), LMB_OK);
    return profile;
}

static int compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Compares with directly computed sums and medians, with many equal durations.
static void totals_are_those_of_all_samples_and_the_median_of_the_newest(void **state) {
    (void)state;
    enum { SAMPLES = 500 };
    static const uint32_t windows[] = {1, 2, 7, 64, 499, 500, 501};
    static uint64_t durations[SAMPLES];
    for (size_t w = 0; w < sizeof windows / sizeof windows[0]; w++) {
        lmb_profile *profile = create(windows[w], 0);
        uint64_t random = 1, sum = 0, min = UINT64_MAX, most = 0;
        for (uint32_t i = 0; i < SAMPLES; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            durations[i] = (random >> 33) % 40;
            sum += durations[i];
            min = durations[i] < min ? durations[i] : min;
            most = durations[i] > most ? durations[i] : most;
            assert_true(lmb_profile_add(profile, 1, 1000 * i, 1000 * i + durations[i]));
            uint64_t sorted[SAMPLES], history[SAMPLES];
            const uint32_t kept = i + 1 < windows[w] ? i + 1 : windows[w];
            memcpy(sorted, durations + (i + 1 - kept), kept * sizeof sorted[0]);
            assert_int_equal(lmb_profile_history(profile, 1, history, SAMPLES), kept);
            assert_memory_equal(history, sorted, kept * sizeof sorted[0]);
            qsort(sorted, kept, sizeof sorted[0], compare);
            const lmb_profile_totals total = lmb_profile_total(profile, 1);
            assert_int_equal(total.count, i + 1);
            assert_int_equal(total.sum, sum);
            assert_int_equal(total.min, min);
            assert_int_equal(total.max, most);
            assert_int_equal(total.median, sorted[(kept - 1) / 2]);
            assert_int_equal(total.newest, durations[i]);
        }
        assert_int_equal(lmb_profile_total(profile, 0).count, 0);
        uint64_t last[2];
        const uint32_t count = windows[w] < 2 ? 1 : 2;
        assert_int_equal(lmb_profile_history(profile, 1, last, 2), count);
        assert_int_equal(last[count - 1], durations[SAMPLES - 1]);
        lmb_profile_destroy(profile);
    }
}

static void events_come_in_order_and_the_newest_stay(void **state) {
    (void)state;
    lmb_profile *profile = create(0, 5);
    lmb_profile_event events[8];
    for (uint64_t i = 0; i < 3; i++) {
        lmb_profile_add(profile, (uint32_t)i % 2, 10 * i, 10 * i + 1);
    }
    assert_int_equal(lmb_profile_take(profile, events, 2), 2);
    assert_int_equal(events[1].begin, 10);
    for (uint64_t i = 3; i < 10; i++) {
        lmb_profile_add(profile, (uint32_t)i % 2, 10 * i, 10 * i + 1);
    }
    assert_int_equal(lmb_profile_dropped(profile), 3);
    assert_int_equal(lmb_profile_take(profile, events, 8), 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(events[i].stage, (i + 5) % 2);
        assert_int_equal(events[i].begin, 10 * (i + 5));
        assert_int_equal(events[i].end, 10 * (i + 5) + 1);
    }
    assert_int_equal(lmb_profile_take(profile, events, 8), 0);
    lmb_profile_add(profile, 0, 1, 2);
    lmb_profile_clear(profile);
    assert_int_equal(lmb_profile_take(profile, events, 8), 0);
    assert_int_equal(lmb_profile_dropped(profile), 0);
    assert_int_equal(lmb_profile_total(profile, 0).count, 0);
    lmb_profile_add(profile, 0, 1, 4);
    assert_int_equal(lmb_profile_total(profile, 0).median, 3);
    assert_int_equal(lmb_profile_total(profile, 0).min, 3);
    lmb_profile_destroy(profile);
}

static void what_is_not_there_is_nothing(void **state) {
    (void)state;
    lmb_profile *profile = create(0, 0);
    uint64_t duration;
    assert_int_equal(lmb_profile_stage_count(profile), 2);
    assert_string_equal(lmb_profile_stage_name(profile, 1), "second");
    assert_string_equal(lmb_profile_stage_name(profile, 2), "");
    assert_false(lmb_profile_add(profile, 2, 0, 1));
    assert_false(lmb_profile_add(profile, 0, 1, 0));
    assert_int_equal(lmb_profile_total(profile, 0).count, 0);
    assert_int_equal(lmb_profile_total(profile, 2).count, 0);
    assert_int_equal(lmb_profile_history(profile, 2, &duration, 1), 0);
    lmb_profile_destroy(profile);
    lmb_profile_destroy(NULL);
}

static void wrong_descriptors_are_named(void **state) {
    (void)state;
    static const char *const unnamed[] = {"first", NULL};
    const lmb_profile_def good = {.stages = names, .stage_count = 2};
    lmb_profile *profile = NULL;
    lmb_error error;
    CHECK_REFUSAL(lmb_profile_create(NULL, NULL, &profile, &error), &error, LMB_ERROR_ARGUMENT, "descriptor");
    CHECK_REFUSAL(lmb_profile_create(&good, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT, "result");
    lmb_profile_def bad = good;
    bad.stages = NULL;
    CHECK_REFUSAL(lmb_profile_create(&bad, NULL, &profile, &error), &error, LMB_ERROR_ARGUMENT, "stages");
    bad.stages = unnamed;
    CHECK_REFUSAL(lmb_profile_create(&bad, NULL, &profile, &error), &error, LMB_ERROR_ARGUMENT, "stage 1");
    bad = good;
    bad.stage_count = 0;
    CHECK_REFUSAL(lmb_profile_create(&bad, NULL, &profile, &error), &error, LMB_ERROR_LIMIT, "0 stages");
    bad.stage_count = LMB_MAX_PROFILE_STAGES + 1;
    CHECK_REFUSAL(lmb_profile_create(&bad, NULL, &profile, &error), &error, LMB_ERROR_LIMIT, "65 stages");
    bad = good;
    bad.window = LMB_MAX_PROFILE_WINDOW + 1;
    CHECK_REFUSAL(lmb_profile_create(&bad, NULL, &profile, &error), &error, LMB_ERROR_LIMIT, "window");
    bad = good;
    bad.event_count = LMB_MAX_PROFILE_EVENTS + 1;
    CHECK_REFUSAL(lmb_profile_create(&bad, NULL, &profile, &error), &error, LMB_ERROR_LIMIT, "events");
    assert_null(profile);
}

static lmb_result create_and_destroy(const lmb_host *host, lmb_error *error, void *user) {
    (void)user;
    const lmb_profile_def def = {.stages = names, .stage_count = 2};
    lmb_profile *profile = NULL;
    lmb_result result = lmb_profile_create(&def, host, &profile, error);
    lmb_profile_destroy(profile);
    return result;
}

static void every_allocation_that_fails_leaves_nothing(void **state) {
    (void)state;
    failing_host_try_all(create_and_destroy, NULL);
}

static void the_floor_is_what_the_outputs_take(void **state) {
    (void)state;
    scenario scenario;
    lmb_error error;
    assert_int_equal(scenario_create(&scenario, &error), LMB_OK);
    lmb_batch_def batch = scenario.batch;
    batch.outputs = LMB_OUTPUT_PALETTE_BIT;
    const double bytes = 48.0 * lmb_graph_get_info(batch.graph)->joint_count * batch.character_count;
    assert_true(lmb_profile_floor_share(&batch, bytes, 1e9) == 1.0);
    assert_true(lmb_profile_floor_share(&batch, bytes, 4e9) == 0.25);
    batch.outputs = LMB_OUTPUT_PALETTE_BIT | LMB_OUTPUT_LOCAL_BIT;
    const double both = lmb_profile_floor_share(&batch, bytes, 1e9);
    assert_true(both > 88.0 / 48.0 - 1e-9 && both < 88.0 / 48.0 + 1e-9);
    assert_true(lmb_profile_floor_share(&batch, 0.0, 1e9) == 0.0);
    assert_true(lmb_profile_floor_share(&batch, 1e9, 0.0) == 0.0);
    assert_true(lmb_profile_floor_share(&batch, 1e9, -1.0) == 0.0);
    assert_true(lmb_profile_floor_share(NULL, 1e9, 1.0) == 0.0);
    scenario_destroy(&scenario);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_are_those_of_all_samples_and_the_median_of_the_newest),
        cmocka_unit_test(events_come_in_order_and_the_newest_stay),
        cmocka_unit_test(what_is_not_there_is_nothing),
        cmocka_unit_test(wrong_descriptors_are_named),
        cmocka_unit_test(every_allocation_that_fails_leaves_nothing),
        cmocka_unit_test(the_floor_is_what_the_outputs_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
