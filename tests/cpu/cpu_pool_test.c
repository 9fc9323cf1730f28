// The pool: the golden hash from any number of threads on every path; ranges, poses, lists and the control alone, as by
// one thread; and refused arguments.
#include "suite.h"

#include "failing_host.h"
#include "refusal.h"
#include "scenario.h"

#include <limber/cpu_pool.h>
#include <stdlib.h>
#include <string.h>

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

// ---- A graph that moves by itself and keeps memory ----

enum { CROWD = 301, BONES = 9, TIME = 0, RATE, CROWD_PARAMETERS, LISTED = 2 * CROWD };

typedef struct crowd {
    lmb_rig *rig;
    lmb_clip *clip;
    lmb_graph *graph;
} crowd;

// What a frame reads and writes.
typedef struct buffers {
    lmb_batch_def batch;
    lmb_control_frame frame;
    lmb_batch_inputs inputs;
    lmb_batch_outputs outputs;
    float *parameters, *palette, *previous;
    uint32_t *state, *memory;
    uint32_t refused[LMB_REFUSAL_COUNT];
    size_t parameter_bytes, palette_bytes, state_bytes, memory_bytes;
} buffers;

static crowd make_crowd(void) {
    static const float times[2] = {0.0f, 1.0f}, values[6] = {0.0f, 0.0f, 0.0f, 1.0f, 0.5f, 0.0f};
    crowd m = {0};
    lmb_joint_def joints[BONES];
    for (uint32_t i = 0; i < BONES; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
        joints[i].rest.translation[1] = 0.2f;
    }
    const lmb_rig_def rig = {.joints = joints, .joint_count = BONES};
    lmb_error error = {0};
    assert_int_equal(lmb_rig_create(&rig, NULL, &m.rig, &error), LMB_OK);
    const lmb_track_def track = {.joint = 0,
                                 .property = LMB_PROPERTY_TRANSLATION,
                                 .interpolation = LMB_INTERPOLATION_LINEAR,
                                 .key_count = 2,
                                 .times = times,
                                 .values = values};
    const lmb_clip_def clip = {.name = "sway", .tracks = &track, .track_count = 1};
    assert_int_equal(lmb_clip_create(m.rig, &clip, NULL, &m.clip, &error), LMB_OK);
    lmb_player_def player = lmb_default_player_def();
    player.rate = lmb_parameter(RATE);
    const lmb_node_def nodes[2] = {lmb_playing_node(0, &player), lmb_chain_node(0, 1, BONES - 1, lmb_parameter(TIME))};
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = m.rig;
    def.clips = (const lmb_clip *const *)&m.clip;
    def.clip_count = 1;
    def.nodes = nodes;
    def.node_count = 2;
    def.parameter_count = CROWD_PARAMETERS;
    if (lmb_graph_create(&def, NULL, &m.graph, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return m;
}

static void release_crowd(crowd *m) {
    lmb_graph_destroy(m->graph);
    lmb_clip_destroy(m->clip);
    lmb_rig_destroy(m->rig);
}

static buffers make_buffers(const lmb_graph *graph) {
    const lmb_graph_info *info = lmb_graph_get_info(graph);
    buffers m = {.batch = {graph, CROWD, LMB_OUTPUT_PALETTE_BIT | LMB_OUTPUT_PREVIOUS_PALETTE_BIT}};
    m.parameter_bytes = (size_t)CROWD * info->parameter_count * sizeof(float);
    m.palette_bytes = CROWD * lmb_batch_output_floats(&m.batch, LMB_OUTPUT_PALETTE) * sizeof(float);
    m.state_bytes = (size_t)CROWD * info->state_words * sizeof(uint32_t);
    m.memory_bytes = (size_t)CROWD * info->inertia_words * sizeof(uint32_t);
    assert_true(m.memory_bytes > 0);
    m.parameters = calloc(1, m.parameter_bytes);
    m.palette = calloc(1, m.palette_bytes);
    m.previous = calloc(1, m.palette_bytes);
    m.state = calloc(1, m.state_bytes);
    m.memory = calloc(1, m.memory_bytes);
    assert_true(m.parameters != NULL && m.palette != NULL && m.previous != NULL && m.state != NULL && m.memory != NULL);
    return m;
}

static void release_buffers(buffers *m) {
    free(m->parameters);
    free(m->palette);
    free(m->previous);
    free(m->state);
    free(m->memory);
}

// `m` must not move after this.
static void begin_frame(buffers *m, uint32_t number) {
    const size_t row = m->parameter_bytes / sizeof(float) / CROWD;
    for (uint32_t i = 0; i < CROWD; i++) {
        m->parameters[i * row + TIME] = (float)number / 30.0f;
        m->parameters[i * row + RATE] = 0.5f + (float)(i % 7) * 0.25f;
    }
    m->frame = lmb_default_control_frame();
    m->frame.step = number == 0 ? 0 : LMB_TICKS_PER_SECOND / 30;
    m->frame.number = number;
    m->frame.character_count = CROWD;
    m->frame.state = m->state;
    m->frame.parameters = m->parameters;
    m->inputs = (lmb_batch_inputs){.parameters = m->parameters, .control = &m->frame};
    m->outputs =
        (lmb_batch_outputs){.buffers = {[LMB_OUTPUT_PALETTE] = m->palette, [LMB_OUTPUT_PREVIOUS_PALETTE] = m->previous},
                            .inertia = m->memory,
                            .refused = m->refused};
}

static void expect_same(const buffers *a, const buffers *b) {
    assert_memory_equal(a->parameters, b->parameters, a->parameter_bytes);
    assert_memory_equal(a->state, b->state, a->state_bytes);
    assert_memory_equal(a->memory, b->memory, a->memory_bytes);
    assert_memory_equal(a->palette, b->palette, a->palette_bytes);
    assert_memory_equal(a->previous, b->previous, a->palette_bytes);
    assert_memory_equal(a->refused, b->refused, sizeof a->refused);
}

// ---- The kinds of runs, by one thread and by the pool ----

// Characters in any order, some of them twice, some of them unknown. It ascends in even frames.
static uint32_t list_characters(uint32_t frame, uint32_t list[LISTED]) {
    uint32_t count = 0, random = 7u * frame + 1u;
    while (count < LISTED) {
        random = random * 1664525u + 1013904223u;
        list[count] = frame % 2 == 0 ? count : (random >> 8) % (CROWD + 9u);
        count++;
    }
    return frame % 2 == 0 ? CROWD : LISTED;
}

typedef enum run_kind { RUN_FRAMES, RUN_RANGES, RUN_POSES, RUN_LISTS, RUN_KINDS } run_kind;

static void run_alone(lmb_cpu *cpu, run_kind kind, uint32_t frame, buffers *m) {
    uint32_t list[LISTED];
    const uint32_t listed = list_characters(frame, list);
    if (kind == RUN_FRAMES) {
        assert_int_equal(lmb_cpu_run(cpu, &m->batch, &m->inputs, &m->outputs, NULL), LMB_OK);
    } else if (kind == RUN_RANGES) {
        assert_int_equal(lmb_cpu_run_range(cpu, &m->batch, &m->inputs, &m->outputs, 3, 290, NULL), LMB_OK);
    } else if (kind == RUN_POSES) {
        assert_int_equal(lmb_control_run(m->batch.graph, &m->frame, 1, 298, NULL), LMB_OK);
        assert_int_equal(lmb_cpu_run_poses(cpu, &m->batch, &m->inputs, &m->outputs, 5, 201, NULL), LMB_OK);
    } else {
        assert_int_equal(lmb_control_run(m->batch.graph, &m->frame, 0, CROWD, NULL), LMB_OK);
        assert_int_equal(lmb_cpu_run_list(cpu, &m->batch, &m->inputs, &m->outputs, list, listed, NULL), LMB_OK);
    }
}

static void run_in_pool(lmb_cpu_pool *pool, run_kind kind, uint32_t frame, buffers *m) {
    uint32_t list[LISTED];
    const uint32_t listed = list_characters(frame, list);
    if (kind == RUN_FRAMES) {
        assert_int_equal(lmb_cpu_pool_run(pool, &m->batch, &m->inputs, &m->outputs, NULL), LMB_OK);
    } else if (kind == RUN_RANGES) {
        assert_int_equal(lmb_cpu_pool_run_range(pool, &m->batch, &m->inputs, &m->outputs, 3, 290, NULL), LMB_OK);
    } else if (kind == RUN_POSES) {
        assert_int_equal(lmb_cpu_pool_run_control(pool, &m->frame, 1, 298, NULL), LMB_OK);
        assert_int_equal(lmb_cpu_pool_run_poses(pool, &m->batch, &m->inputs, &m->outputs, 5, 201, NULL), LMB_OK);
    } else {
        assert_int_equal(lmb_cpu_pool_run_control(pool, &m->frame, 0, CROWD, NULL), LMB_OK);
        assert_int_equal(lmb_cpu_pool_run_list(pool, &m->batch, &m->inputs, &m->outputs, list, listed, NULL), LMB_OK);
    }
}

static void compare_kind(const crowd *m, run_kind kind, uint32_t threads) {
    lmb_cpu *cpu = NULL;
    lmb_cpu_pool *pool = NULL;
    assert_int_equal(lmb_cpu_create(m->graph, LMB_CPU_FAST, NULL, &cpu, NULL), LMB_OK);
    assert_int_equal(lmb_cpu_pool_create(m->graph, LMB_CPU_FAST, threads, NULL, &pool, NULL), LMB_OK);
    buffers alone = make_buffers(m->graph), together = make_buffers(m->graph);
    for (uint32_t frame = 0; frame < 4; frame++) {
        begin_frame(&alone, frame);
        begin_frame(&together, frame);
        run_alone(cpu, kind, frame, &alone);
        run_in_pool(pool, kind, frame, &together);
        expect_same(&alone, &together);
        assert_true(kind != RUN_LISTS || (together.refused[LMB_REFUSED_CHARACTER] > 0) == (frame % 2 != 0));
    }
    release_buffers(&alone);
    release_buffers(&together);
    lmb_cpu_pool_destroy(pool);
    lmb_cpu_destroy(cpu);
}

static void every_kind_gives_the_bits_of_one_thread(void **state) {
    (void)state;
    crowd m = make_crowd();
    for (int kind = 0; kind < RUN_KINDS; kind++) {
        compare_kind(&m, (run_kind)kind, 2);
        compare_kind(&m, (run_kind)kind, 5);
    }
    release_crowd(&m);
}

// Every function refuses what its relative without threads refuses, also ranges whose ends wrap around.
static void wrong_parts_are_refused(void **state) {
    (void)state;
    crowd m = make_crowd();
    buffers all = make_buffers(m.graph);
    lmb_cpu_pool *pool = NULL;
    lmb_error error = {0};
    const uint32_t list[1] = {0};
    assert_int_equal(lmb_cpu_pool_create(m.graph, LMB_CPU_FAST, 3, NULL, &pool, NULL), LMB_OK);
    begin_frame(&all, 0);
    CHECK_REFUSAL(lmb_cpu_pool_run_range(pool, &all.batch, &all.inputs, &all.outputs, 4, CROWD - 3, &error), &error,
                  LMB_ERROR_ARGUMENT, "characters 4 and 298", "301");
    CHECK_REFUSAL(lmb_cpu_pool_run_poses(pool, &all.batch, &all.inputs, &all.outputs, UINT32_MAX - 15, 64, &error),
                  &error, LMB_ERROR_ARGUMENT, "characters 4294967280 and 64");
    CHECK_REFUSAL(lmb_cpu_pool_run_control(pool, &all.frame, 1, UINT32_MAX, &error), &error, LMB_ERROR_ARGUMENT,
                  "characters 1 and 4294967295");
    CHECK_REFUSAL(lmb_cpu_pool_run_control(pool, NULL, 0, 1, &error), &error, LMB_ERROR_ARGUMENT, "the frame is NULL");
    CHECK_REFUSAL(lmb_cpu_pool_run_control(NULL, &all.frame, 0, 1, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    CHECK_REFUSAL(lmb_cpu_pool_run_list(pool, &all.batch, &all.inputs, &all.outputs, NULL, 1, &error), &error,
                  LMB_ERROR_ARGUMENT, "the list of characters is NULL");
    assert_int_equal(lmb_cpu_pool_run_list(pool, &all.batch, &all.inputs, &all.outputs, NULL, 0, &error), LMB_OK);
    CHECK_REFUSAL(lmb_cpu_pool_run_list(pool, NULL, &all.inputs, &all.outputs, list, 1, &error), &error,
                  LMB_ERROR_ARGUMENT, "NULL");
    CHECK_REFUSAL(lmb_cpu_pool_run_list(NULL, &all.batch, &all.inputs, &all.outputs, list, 1, &error), &error,
                  LMB_ERROR_ARGUMENT, "NULL");
    lmb_cpu_pool_destroy(pool);
    // A graph without a control.
    assert_int_equal(lmb_cpu_pool_create(shared.program, LMB_CPU_FAST, 2, NULL, &pool, NULL), LMB_OK);
    CHECK_REFUSAL(lmb_cpu_pool_run_control(pool, &all.frame, 0, 1, &error), &error, LMB_ERROR_ARGUMENT,
                  "nothing in the graph advances by itself");
    lmb_cpu_pool_destroy(pool);
    release_buffers(&all);
    release_crowd(&m);
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
        cmocka_unit_test(every_kind_gives_the_bits_of_one_thread),
        cmocka_unit_test(wrong_parts_are_refused),
        cmocka_unit_test(failed_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, create_shared, destroy_shared);
}
