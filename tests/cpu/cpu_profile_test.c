// Profiles of the CPU with a test clock: which runs are timed, their stages, that profiles change no bit; and the cost
// of nodes.
#include "suite.h"

#include "failing_host.h"
#include "refusal.h"
#include "scenario.h"

#include <limber/cost.h>
#include <limber/cpu_pool.h>
#include <limber/cpu_profile.h>

static scenario shared;

// Advances by one each time it is read.
static uint64_t count_looks(void *user) {
    uint64_t *looks = user;
    return ++*looks;
}

static lmb_cpu_profile *create_profile(uint64_t *looks) {
    static const char *const own[] = {"game"};
    const lmb_cpu_profile_def def = {.clock = {count_looks, looks}, .stages = own, .stage_count = 1};
    lmb_cpu_profile *profile = NULL;
    assert_int_equal(lmb_cpu_profile_create(&def, NULL, &profile, NULL), LMB_OK);
    return profile;
}

static lmb_cpu *create_cpu(lmb_cpu_path path) {
    lmb_cpu *cpu = NULL;
    assert_int_equal(lmb_cpu_create(shared.program, path, NULL, &cpu, NULL), LMB_OK);
    return cpu;
}

static bool gives_golden_hashes(lmb_cpu *cpu) {
    scenario_hashes hashes = {0, 0};
    lmb_batch_outputs outputs = scenario_outputs_create(&shared);
    for (int frame = 0; frame < SCENARIO_FRAMES; frame++) {
        const lmb_batch_inputs inputs = scenario_inputs(&shared, frame, &outputs);
        assert_int_equal(lmb_cpu_run(cpu, &shared.batch, &inputs, &outputs, NULL), LMB_OK);
        hashes = scenario_hash(&shared, &outputs, hashes);
    }
    scenario_outputs_destroy(&outputs);
    return scenario_is_golden(hashes);
}

// Refusals are part of the hashed outputs: work that is repeated for an estimate counts only once.
static void bits_are_the_same_with_a_profile(void **state) {
    (void)state;
    for (int path = 0; path < LMB_CPU_PATH_COUNT; path++) {
        if (!lmb_cpu_has((lmb_cpu_path)path)) {
            continue;
        }
        uint64_t looks = 0;
        lmb_cpu_profile *profile = create_profile(&looks);
        lmb_cpu *cpu = create_cpu((lmb_cpu_path)path);
        lmb_cpu_set_profile(cpu, profile);
        assert_true(gives_golden_hashes(cpu));
        lmb_profile *times = lmb_cpu_profile_times(profile);
        assert_int_equal(lmb_profile_total(times, LMB_CPU_STAGE_RUN).count, SCENARIO_FRAMES);
        assert_int_equal(looks, 2 * SCENARIO_FRAMES + 4);
        lmb_cpu_set_profile(cpu, NULL);
        assert_true(gives_golden_hashes(cpu));
        assert_int_equal(looks, 2 * SCENARIO_FRAMES + 4);
        lmb_cpu_destroy(cpu);
        lmb_cpu_profile_destroy(profile);
    }
}

static void stages_are_estimated_at_every_sixteenth_run(void **state) {
    (void)state;
    uint64_t looks = 0;
    lmb_cpu_profile *profile = create_profile(&looks);
    lmb_profile *times = lmb_cpu_profile_times(profile);
    lmb_cpu *cpu = create_cpu(LMB_CPU_FAST);
    lmb_cpu_set_profile(cpu, profile);
    lmb_batch_outputs outputs = scenario_outputs_create(&shared);
    const lmb_batch_inputs inputs = {.parameters = shared.parameters[0], .poses = {shared.pose}};
    for (uint32_t i = 0; i < 2 * LMB_CPU_PROFILE_PERIOD; i++) {
        assert_int_equal(lmb_cpu_run_range(cpu, &shared.batch, &inputs, &outputs, i, 1, NULL), LMB_OK);
    }
    assert_int_equal(lmb_cpu_run_range(cpu, &shared.batch, &inputs, &outputs, 0, 0, NULL), LMB_OK);
    assert_int_equal(lmb_profile_total(times, LMB_CPU_STAGE_RUN).count, 2 * LMB_CPU_PROFILE_PERIOD);
    assert_int_equal(lmb_profile_total(times, LMB_CPU_STAGE_POSE).count, 2);
    assert_int_equal(lmb_profile_total(times, LMB_CPU_STAGE_MODEL).count, 2);
    lmb_profile_event events[3];
    assert_int_equal(lmb_profile_take(times, events, 3), 3);
    assert_int_equal(events[0].stage, LMB_CPU_STAGE_RUN);
    assert_int_equal(events[1].stage, LMB_CPU_STAGE_POSE);
    assert_int_equal(events[2].stage, LMB_CPU_STAGE_MODEL);
    assert_true(events[1].begin == events[0].begin && events[2].begin == events[1].end &&
                events[2].end == events[0].end);
    assert_string_equal(lmb_profile_stage_name(times, LMB_CPU_STAGE_MODEL), "model");
    assert_string_equal(lmb_profile_stage_name(times, LMB_CPU_STAGE_COUNT), "game");
    assert_true(lmb_profile_add(times, LMB_CPU_STAGE_COUNT, 0, 1));
    scenario_outputs_destroy(&outputs);
    lmb_cpu_destroy(cpu);
    lmb_cpu_profile_destroy(profile);
}

static void each_thread_of_a_pool_has_its_own(void **state) {
    (void)state;
    enum { THREADS = 3 };
    uint64_t looks[THREADS] = {0}, runs = 0;
    lmb_cpu_profile *profiles[THREADS];
    lmb_cpu_pool *pool = NULL;
    assert_int_equal(lmb_cpu_pool_create(shared.program, LMB_CPU_FAST, THREADS, NULL, &pool, NULL), LMB_OK);
    for (uint32_t i = 0; i < THREADS; i++) {
        profiles[i] = create_profile(&looks[i]);
        lmb_cpu_set_profile(lmb_cpu_pool_cpu(pool, i), profiles[i]);
    }
    assert_null(lmb_cpu_pool_cpu(pool, THREADS));
    lmb_batch_outputs outputs = scenario_outputs_create(&shared);
    const lmb_batch_inputs inputs = {.parameters = shared.parameters[0], .poses = {shared.pose}};
    assert_int_equal(lmb_cpu_pool_run(pool, &shared.batch, &inputs, &outputs, NULL), LMB_OK);
    lmb_cpu_pool_destroy(pool);
    for (uint32_t i = 0; i < THREADS; i++) {
        runs += lmb_profile_total(lmb_cpu_profile_times(profiles[i]), LMB_CPU_STAGE_RUN).count;
        lmb_cpu_profile_destroy(profiles[i]);
    }
    assert_int_equal(runs, (SCENARIO_CHARACTERS + 15) / 16); // 16 characters per run
    scenario_outputs_destroy(&outputs);
}

static void wrong_descriptors_are_named(void **state) {
    (void)state;
    uint64_t looks = 0;
    const lmb_cpu_profile_def good = {.clock = {count_looks, &looks}};
    lmb_cpu_profile *profile = NULL;
    lmb_error error;
    CHECK_REFUSAL(lmb_cpu_profile_create(NULL, NULL, &profile, &error), &error, LMB_ERROR_ARGUMENT, "descriptor");
    CHECK_REFUSAL(lmb_cpu_profile_create(&good, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT, "result");
    lmb_cpu_profile_def bad = {0};
    CHECK_REFUSAL(lmb_cpu_profile_create(&bad, NULL, &profile, &error), &error, LMB_ERROR_ARGUMENT, "clock");
    bad = good;
    bad.stage_count = 1;
    CHECK_REFUSAL(lmb_cpu_profile_create(&bad, NULL, &profile, &error), &error, LMB_ERROR_ARGUMENT, "stages");
    const char *const names[LMB_MAX_PROFILE_STAGES] = {"a"};
    bad.stages = names;
    bad.stage_count = LMB_MAX_PROFILE_STAGES;
    CHECK_REFUSAL(lmb_cpu_profile_create(&bad, NULL, &profile, &error), &error, LMB_ERROR_LIMIT, "64 stages");
    bad.stage_count = 2;
    CHECK_REFUSAL(lmb_cpu_profile_create(&bad, NULL, &profile, &error), &error, LMB_ERROR_ARGUMENT, "stage 5");
    assert_null(profile);
    lmb_cpu_profile_destroy(NULL);
}

static lmb_result create_and_destroy(const lmb_host *host, lmb_error *error, void *user) {
    const lmb_cpu_profile_def def = {.clock = {count_looks, user}};
    lmb_cpu_profile *profile = NULL;
    lmb_result result = lmb_cpu_profile_create(&def, host, &profile, error);
    lmb_cpu_profile_destroy(profile);
    return result;
}

static void every_allocation_that_fails_leaves_nothing(void **state) {
    (void)state;
    uint64_t looks = 0;
    failing_host_try_all(create_and_destroy, &looks);
}

// ---- The cost of nodes. ----

#define CHARACTERS 8u

// Two clips and their blend, which a second blend uses twice, and a node that nothing uses.
typedef struct costing {
    lmb_node_def nodes[6];
    const lmb_clip *clips[3];
    lmb_graph_def program;
    lmb_batch_inputs inputs;
    uint64_t looks;
    lmb_cost_def def;
} costing;

static void prepare_costing(costing *costing) {
    static const float parameters[CHARACTERS] = {0.0f};
    *costing = (struct costing){0};
    for (int i = 0; i < 6; i++) {
        costing->nodes[i] = lmb_default_node_def();
    }
    costing->nodes[0].op = LMB_OP_CLIP;
    costing->nodes[0].time = lmb_parameter(0);
    costing->nodes[1].op = LMB_OP_CLIP;
    costing->nodes[2].op = LMB_OP_BLEND;
    costing->nodes[2].inputs[1] = 1;
    costing->nodes[2].input_count = 2;
    costing->nodes[5].op = LMB_OP_BLEND;
    costing->nodes[5].inputs[0] = 2;
    costing->nodes[5].inputs[1] = 2;
    costing->nodes[5].input_count = 2;
    costing->nodes[4].op = LMB_OP_POSE; // of a buffer that does not exist
    costing->clips[0] = shared.clips[0];
    costing->program = (lmb_graph_def){.rig = shared.rig,
                                       .clips = costing->clips,
                                       .clip_count = 1,
                                       .nodes = costing->nodes,
                                       .node_count = 6,
                                       .parameter_count = 1};
    costing->inputs.parameters = parameters;
    costing->def = (lmb_cost_def){.graph = &costing->program,
                                  .clock = {count_looks, &costing->looks},
                                  .inputs = &costing->inputs,
                                  .character_count = CHARACTERS,
                                  .rounds = 3};
}

static uint64_t turned_clock(void *user) {
    // Two reads of the clock are one round. The rounds of a program are four, and the first one is a warm-up. The
    // programs are the rest pose, then the nodes 0, 1, 2 and 5.
    static const uint64_t taken[5][4] = {{1, 800, 900, 850},
                                         {1, 2400, 2500, 2600},
                                         {1, 3300, 3200, 3300},
                                         {1, 6000, 6400, 6100},
                                         {1, 11000, 10400, 12000}};
    uint64_t *looks = user;
    const uint64_t look = (*looks)++, round = look / 2;
    assert_true(round < 20);
    return 1000000 * round + (look % 2 == 0 ? 0 : taken[round / 4][round % 4]);
}

static void costs_are_differences_of_minimum_times(void **state) {
    (void)state;
    costing costing;
    prepare_costing(&costing);
    costing.def.clock.now = turned_clock;
    lmb_node_cost costs[6];
    double rest = 0.0;
    lmb_error error;
    lmb_result result = lmb_cost_measure(&costing.def, NULL, costs, &rest, &error);
    if (result != LMB_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(costing.looks, 40);
    static const uint32_t uses[] = {2, 2, 2, 0, 0, 1};
    static const double with_inputs[] = {200, 300, 650, 0, 0, 1200}, alone[] = {200, 300, 150, 0, 0, 0};
    assert_true(rest == 100.0);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(costs[i].uses, uses[i]);
        assert_true(costs[i].with_inputs == with_inputs[i]);
        assert_true(costs[i].alone == alone[i]);
    }
}

static void wrong_costings_are_named(void **state) {
    (void)state;
    costing costing;
    prepare_costing(&costing);
    lmb_node_cost costs[6];
    lmb_error error;
    CHECK_REFUSAL(lmb_cost_measure(NULL, NULL, costs, NULL, &error), &error, LMB_ERROR_ARGUMENT, "descriptor");
    CHECK_REFUSAL(lmb_cost_measure(&costing.def, NULL, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT, "result");
    lmb_cost_def bad = costing.def;
    bad.graph = NULL;
    CHECK_REFUSAL(lmb_cost_measure(&bad, NULL, costs, NULL, &error), &error, LMB_ERROR_ARGUMENT, "graph");
    bad = costing.def;
    bad.inputs = NULL;
    CHECK_REFUSAL(lmb_cost_measure(&bad, NULL, costs, NULL, &error), &error, LMB_ERROR_ARGUMENT, "inputs");
    bad = costing.def;
    bad.clock.now = NULL;
    CHECK_REFUSAL(lmb_cost_measure(&bad, NULL, costs, NULL, &error), &error, LMB_ERROR_ARGUMENT, "clock");
    bad = costing.def;
    bad.character_count = 0;
    CHECK_REFUSAL(lmb_cost_measure(&bad, NULL, costs, NULL, &error), &error, LMB_ERROR_ARGUMENT, "no characters");
    bad = costing.def;
    bad.rounds = LMB_MAX_COST_ROUNDS + 1;
    CHECK_REFUSAL(lmb_cost_measure(&bad, NULL, costs, NULL, &error), &error, LMB_ERROR_LIMIT, "rounds");
    bad = costing.def;
    bad.path = LMB_CPU_PATH_COUNT;
    CHECK_REFUSAL(lmb_cost_measure(&bad, NULL, costs, NULL, &error), &error, LMB_ERROR_ARGUMENT, "path");
    costing.inputs.parameters = NULL;
    CHECK_REFUSAL(lmb_cost_measure(&costing.def, NULL, costs, NULL, &error), &error, LMB_ERROR_ARGUMENT, "parameters");
    prepare_costing(&costing);
    costing.nodes[5].inputs[1] = 4;
    CHECK_REFUSAL(lmb_cost_measure(&costing.def, NULL, costs, NULL, &error), &error, LMB_ERROR_ARGUMENT,
                  "pose buffer 0");
    costing.nodes[5].inputs[1] = 5;
    CHECK_REFUSAL(lmb_cost_measure(&costing.def, NULL, costs, NULL, &error), &error, LMB_ERROR_ARGUMENT, "node 5");
}

static lmb_result measure(const lmb_host *host, lmb_error *error, void *user) {
    lmb_node_cost costs[6];
    return lmb_cost_measure(user, host, costs, NULL, error);
}

static void every_allocation_that_fails_ends_a_costing(void **state) {
    (void)state;
    costing costing;
    prepare_costing(&costing);
    failing_host_try_all(measure, &costing.def);
}

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_the_same_with_a_profile),
        cmocka_unit_test(stages_are_estimated_at_every_sixteenth_run),
        cmocka_unit_test(each_thread_of_a_pool_has_its_own),
        cmocka_unit_test(wrong_descriptors_are_named),
        cmocka_unit_test(every_allocation_that_fails_leaves_nothing),
        cmocka_unit_test(costs_are_differences_of_minimum_times),
        cmocka_unit_test(wrong_costings_are_named),
        cmocka_unit_test(every_allocation_that_fails_ends_a_costing),
    };
    return cmocka_run_group_tests(tests, create_shared, destroy_shared);
}
