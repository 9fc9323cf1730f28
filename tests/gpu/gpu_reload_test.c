// A batch and its readback made again for another graph: characters go on with the bits of the CPU, what the new graph
// cannot have is left out, and after a failure nothing is left.
#include "gpu_suite.h"

#include "foot_walk.h"
#include "refusal.h"

#include <gpu_side.h>
#include <limber/gpu_reload.h>

enum { FRAMES = 30, KEPT = LMB_READBACK_STATES_BIT | LMB_READBACK_INERTIA_BIT | LMB_READBACK_MOTIONS_BIT };

typedef struct scene {
    device device;
    lmb_gpu *gpu;
    walk walk;
    gpu_side old;
    lmb_gpu_readback *readback;
} scene;

static void begin(scene *s) {
    lmb_error error = {0};
    *s = (scene){0};
    open_device(&s->device);
    const lmb_gpu_def gpu_def = device_gpu_def(&s->device);
    assert_ok(lmb_gpu_create(&gpu_def, NULL, &s->gpu, &error), &error);
    walk_begin(&s->walk, &(walk_def){.lock_distance = 0.15f, .release_half_life = 0.06f, .moves = true});
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.own_transforms = true;
    def.emits_events = true;
    assert_ok(gpu_side_create_as(&s->device, s->gpu, &s->walk.batch, def, &s->old, &error), &error);
    lmb_gpu_readback_def readback = lmb_default_gpu_readback_def();
    readback.batch = s->old.batch;
    readback.contents = KEPT;
    readback.frame_count = 3;
    assert_ok(lmb_gpu_readback_create(s->gpu, &readback, &s->readback, &error), &error);
}

static void end(scene *s) {
    lmb_gpu_readback_destroy(s->readback);
    gpu_side_destroy(&s->old);
    walk_end(&s->walk);
    lmb_gpu_destroy(s->gpu); // logs what is left
    close_device(&s->device);
}

static void read_back(scene *s, lmb_gpu_readback *readback) {
    lmb_error error = {0};
    VkCommandPool pool;
    VkCommandBuffer commands;
    assert_ok(device_begin(&s->device, &pool, &commands, &error), &error);
    assert_ok(lmb_gpu_readback_record(readback, 0, commands, &error), &error);
    assert_ok(device_submit_and_wait(&s->device, pool, commands, &error), &error);
    assert_ok(lmb_gpu_readback_completed(readback, 0, &error), &error);
}

// Runs a frame on the device alone, and reads it back.
static void run_old(scene *s, uint32_t frame, float *models) {
    lmb_error error = {0};
    const lmb_batch_inputs inputs = {.parameters = s->walk.parameters, .control = &s->walk.frame};
    // The frame's state is the CPU's.
    const lmb_control_frame own = {
        .step = s->walk.frame.step, .number = frame, .character_count = WALK_CHARACTERS, .parameters = NULL};
    lmb_batch_inputs given = inputs;
    given.control = &own;
    assert_ok(gpu_side_run(&s->old, &given, &(lmb_batch_outputs){.buffers[LMB_OUTPUT_MODEL] = models}, &error), &error);
    read_back(s, s->readback);
}

// Runs a frame of the new batch.
static void run_new(scene *s, const lmb_gpu_reloaded *made, lmb_gpu_graph *upload, uint32_t slot, float *models) {
    lmb_error error = {0};
    VkCommandPool pool;
    lmb_gpu_record_info info = lmb_default_gpu_record_info();
    info.slot = slot;
    info.step = s->walk.frame.step;
    info.number = s->walk.frame.number;
    memcpy(lmb_gpu_batch_parameters(made->batch, slot), s->walk.parameters,
           (size_t)WALK_CHARACTERS * s->walk.row * sizeof(float));
    assert_ok(device_begin(&s->device, &pool, &info.commands, &error), &error);
    if (upload != NULL) {
        assert_ok(lmb_gpu_graph_record_upload(upload, info.commands, &error), &error);
    }
    assert_ok(lmb_gpu_batch_record(made->batch, &info, &error), &error);
    assert_ok(device_submit_and_wait(&s->device, pool, info.commands, &error), &error);
    assert_ok(device_read_output(&s->device, made->batch, slot, LMB_OUTPUT_MODEL, models, &error), &error);
}

static void characters_go_on(void **state) {
    (void)state;
    static scene s;
    lmb_error error = {0};
    begin(&s);
    const size_t bytes = (size_t)WALK_CHARACTERS * s.walk.joints * 12 * sizeof(float);
    float *models = malloc(bytes);
    assert_non_null(models);
    lmb_gpu_readback_frame frame, newest = {0};
    for (uint32_t i = 0; i < FRAMES; i++) {
        walk_move(&s.walk, i);
        run_old(&s, i, models);
        walk_run(&s.walk);
        assert_memory_equal(models, s.walk.models, bytes);
        while (lmb_gpu_readback_next(s.readback, &frame)) {
            newest = frame;
        }
    }
    assert_int_equal(newest.number, FRAMES - 1);
    lmb_gpu_graph *graph = NULL;
    assert_ok(lmb_gpu_graph_create(s.gpu, s.walk.graph, &graph, &error), &error);
    lmb_gpu_reload_def def = lmb_default_gpu_reload_def();
    def.batch = s.old.batch;
    def.readback = s.readback;
    def.frame = &newest;
    def.graph = graph;
    lmb_gpu_reloaded made;
    assert_ok(lmb_gpu_batch_reload(&def, &made, &error), &error);
    assert_int_equal(lmb_graph_transfer_lost_count(made.transfer), 0);
    assert_int_equal(lmb_gpu_batch_description(made.batch).outputs, LMB_OUTPUT_MODEL_BIT);
    for (uint32_t i = FRAMES; i < FRAMES + 5; i++) {
        walk_move(&s.walk, i);
        run_new(&s, &made, i == FRAMES ? graph : NULL, 0, models);
        walk_run(&s.walk);
        assert_memory_equal(models, s.walk.models, bytes);
    }
    lmb_graph_transfer_destroy(made.transfer);
    lmb_gpu_readback_destroy(made.readback);
    lmb_gpu_batch_destroy(made.batch);
    lmb_gpu_graph_destroy(graph);
    free(models);
    end(&s);
}

// The characters wait in one frame slot. A first frame of another one would show them at their beginning.
static void another_slot_is_refused_first(void **state) {
    (void)state;
    static scene s;
    lmb_error error = {0};
    begin(&s);
    const size_t bytes = (size_t)WALK_CHARACTERS * s.walk.joints * 12 * sizeof(float);
    float *models = malloc(bytes);
    assert_non_null(models);
    lmb_gpu_batch_def batch = lmb_default_gpu_batch_def();
    batch.graph = s.old.program;
    batch.character_count = WALK_CHARACTERS;
    batch.outputs = LMB_OUTPUT_MODEL_BIT;
    batch.own_transforms = true;
    lmb_gpu_reloaded first = {0}, made;
    assert_ok(lmb_gpu_batch_create(s.gpu, &batch, &first.batch, &error), &error);
    lmb_gpu_readback_def readback = lmb_default_gpu_readback_def();
    readback.batch = first.batch;
    readback.contents = KEPT;
    assert_ok(lmb_gpu_readback_create(s.gpu, &readback, &first.readback, &error), &error);
    for (uint32_t i = 0; i < FRAMES; i++) {
        walk_move(&s.walk, i);
        run_new(&s, &first, NULL, 0, models);
        walk_run(&s.walk);
    }
    assert_memory_equal(models, s.walk.models, bytes);
    read_back(&s, first.readback);
    lmb_gpu_readback_frame frame;
    assert_true(lmb_gpu_readback_next(first.readback, &frame));

    lmb_gpu_reload_def def = lmb_default_gpu_reload_def();
    def.batch = first.batch;
    def.readback = first.readback;
    def.frame = &frame;
    def.graph = s.old.program;
    assert_ok(lmb_gpu_batch_reload(&def, &made, &error), &error);
    VkCommandPool pool;
    lmb_gpu_record_info info = lmb_default_gpu_record_info();
    info.slot = 1;
    assert_ok(device_begin(&s.device, &pool, &info.commands, &error), &error);
    CHECK_REFUSAL(lmb_gpu_batch_record(made.batch, &info, &error), &error, LMB_ERROR_STATE,
                  "frame slot 1: the reloaded characters wait in frame slot 0, which must be first");
    assert_ok(device_submit_and_wait(&s.device, pool, info.commands, &error), &error);
    for (uint32_t i = FRAMES; i < FRAMES + 3; i++) {
        walk_move(&s.walk, i);
        run_new(&s, &made, NULL, (i - FRAMES) % 2, models);
        walk_run(&s.walk);
        assert_memory_equal(models, s.walk.models, bytes);
    }
    lmb_graph_transfer_destroy(made.transfer);
    lmb_gpu_readback_destroy(made.readback);
    lmb_gpu_batch_destroy(made.batch);
    lmb_gpu_readback_destroy(first.readback);
    lmb_gpu_batch_destroy(first.batch);
    free(models);
    end(&s);
}

static lmb_gpu_graph *create_rest(const scene *s, lmb_graph **graph) {
    lmb_error error = {0};
    lmb_gpu_graph *created = NULL;
    lmb_node_def rest = lmb_default_node_def();
    lmb_graph_def def = lmb_default_graph_def();
    rest.op = LMB_OP_REST;
    def.rig = mannequin_rig(s->walk.body);
    def.nodes = &rest;
    def.node_count = 1;
    assert_ok(lmb_graph_create(&def, NULL, graph, &error), &error);
    assert_ok(lmb_gpu_graph_create(s->gpu, *graph, &created, &error), &error);
    return created;
}

// A graph without a control: no emitted events, no own transforms, no motions, no states.
static void what_the_graph_cannot_have_is_left_out(void **state) {
    (void)state;
    static scene s;
    lmb_error error = {0};
    begin(&s);
    lmb_graph *plain = NULL;
    lmb_gpu_graph *graph = create_rest(&s, &plain);
    assert_int_equal(lmb_graph_get_info(plain)->state_words, 0);
    lmb_gpu_reload_def def = lmb_default_gpu_reload_def();
    def.batch = s.old.batch;
    def.graph = graph;
    lmb_gpu_reloaded made;
    for (int i = 0; i < 2; i++) {
        def.readback = i == 0 ? s.readback : NULL;
        assert_ok(lmb_gpu_batch_reload(&def, &made, &error), &error);
        assert_true(made.batch != NULL && made.readback == NULL && made.transfer == NULL);
        assert_int_equal(lmb_gpu_batch_matrices(made.batch, 0).size, 0);
        assert_int_equal(lmb_gpu_batch_motions(made.batch, 0).size, 0);
        lmb_gpu_batch_destroy(made.batch);
    }
    lmb_gpu_batch *refused = NULL;
    lmb_gpu_batch_def emitting = lmb_default_gpu_batch_def();
    emitting.graph = graph;
    emitting.character_count = WALK_CHARACTERS;
    emitting.emits_events = true;
    CHECK_REFUSAL(lmb_gpu_batch_create(s.gpu, &emitting, &refused, &error), &error, LMB_ERROR_ARGUMENT,
                  "emits_events: nothing in the graph emits events");
    lmb_gpu_graph_destroy(graph);
    lmb_graph_destroy(plain);
    end(&s);
}

// Feet that the host's time moves: no own transforms and no motions, but what else was read back.
static void some_contents_of_the_readback_are_left(void **state) {
    (void)state;
    static scene s;
    static walk plain;
    lmb_error error = {0};
    begin(&s);
    walk_begin(&plain, &(walk_def){0});
    lmb_gpu_graph *graph = NULL;
    assert_ok(lmb_gpu_graph_create(s.gpu, plain.graph, &graph, &error), &error);
    lmb_gpu_reload_def def = lmb_default_gpu_reload_def();
    def.batch = s.old.batch;
    def.readback = s.readback;
    def.graph = graph;
    lmb_gpu_reloaded made;
    assert_ok(lmb_gpu_batch_reload(&def, &made, &error), &error);
    assert_true(made.batch != NULL && made.readback != NULL && made.transfer == NULL);
    lmb_gpu_readback_destroy(made.readback);
    lmb_gpu_batch_destroy(made.batch);
    lmb_gpu_graph_destroy(graph);
    walk_end(&plain);
    end(&s);
}

static void mistakes_are_named(void **state) {
    (void)state;
    static scene s;
    lmb_error error = {0};
    begin(&s);
    lmb_gpu_reloaded made;
    lmb_gpu_graph *graph = NULL;
    float *models = calloc((size_t)WALK_CHARACTERS * s.walk.joints * 12, sizeof *models);
    assert_non_null(models);
    walk_move(&s.walk, 0);
    run_old(&s, 0, models);
    lmb_gpu_readback_frame frame;
    assert_true(lmb_gpu_readback_next(s.readback, &frame));
    assert_ok(lmb_gpu_graph_create(s.gpu, s.walk.graph, &graph, &error), &error);
    lmb_gpu_reload_def good = lmb_default_gpu_reload_def();
    good.batch = s.old.batch;
    good.readback = s.readback;
    good.frame = &frame;
    good.graph = graph;
    lmb_gpu_reload_def bad[6];
    for (int i = 0; i < 6; i++) {
        bad[i] = good;
    }
    lmb_gpu_readback_frame empty = frame;
    empty.states = NULL;
    bad[0].batch = NULL;
    bad[1].graph = NULL;
    bad[2].readback = NULL;
    bad[3].readback = s.old.readback;
    bad[4].slot = 9;
    bad[5].frame = &empty;
    static const char *const messages[] = {"the batch is NULL",
                                           "the graph is NULL",
                                           "a frame and no readback",
                                           "another batch",
                                           "frame slot 9 is not one of 1",
                                           "NULL"};
    lmb_gpu_readback *other = NULL;
    lmb_gpu_batch_def batch = lmb_default_gpu_batch_def();
    batch.graph = graph;
    batch.character_count = 1;
    lmb_gpu_batch *unrelated = NULL;
    assert_ok(lmb_gpu_batch_create(s.gpu, &batch, &unrelated, &error), &error);
    lmb_gpu_readback_def readback = lmb_default_gpu_readback_def();
    readback.batch = unrelated;
    readback.contents = LMB_READBACK_STATES_BIT;
    assert_ok(lmb_gpu_readback_create(s.gpu, &readback, &other, &error), &error);
    bad[3].readback = other;
    for (int i = 0; i < 6; i++) {
        CHECK_REFUSAL(lmb_gpu_batch_reload(&bad[i], &made, &error), &error, LMB_ERROR_ARGUMENT, messages[i]);
        assert_true(made.batch == NULL && made.readback == NULL && made.transfer == NULL);
    }
    CHECK_REFUSAL(lmb_gpu_batch_reload(NULL, &made, &error), &error, LMB_ERROR_ARGUMENT, "descriptor is NULL");
    CHECK_REFUSAL(lmb_gpu_batch_reload(&good, NULL, &error), &error, LMB_ERROR_ARGUMENT, "result is NULL");
    lmb_gpu_readback_destroy(other);
    lmb_gpu_batch_destroy(unrelated);
    lmb_gpu_graph_destroy(graph); // has no batches left
    free(models);
    end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_go_on),
        cmocka_unit_test(another_slot_is_refused_first),
        cmocka_unit_test(what_the_graph_cannot_have_is_left_out),
        cmocka_unit_test(some_contents_of_the_readback_are_left),
        cmocka_unit_test(mistakes_are_named),
    };
    return run_gpu_suite("gpu_reload", tests, sizeof tests / sizeof tests[0]);
}
