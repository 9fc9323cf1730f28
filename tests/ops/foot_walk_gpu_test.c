// A walk with locked feet on a device, whose control advances there too, against the reference: model matrices and the
// memory that both keep, frame by frame. World transforms come from the host, or from the batch's own motion.
#include "gpu_suite.h"

#include "foot_walk.h"
#include "refusal.h"

#include <gpu_side.h>

enum { FRAMES = 90, PLACED_FRAME = 40 };

typedef struct sides {
    device device;
    lmb_gpu *gpu;
    gpu_side on_device;
    walk here, there;
} sides;

static void begin(sides *s, const walk_def *def) {
    lmb_error error = {0};
    *s = (sides){0};
    open_device(&s->device);
    const lmb_gpu_def gpu_def = device_gpu_def(&s->device);
    assert_ok(lmb_gpu_create(&gpu_def, NULL, &s->gpu, &error), &error);
    walk_begin(&s->here, def);
    walk_begin(&s->there, def);
    lmb_gpu_batch_def batch = lmb_default_gpu_batch_def();
    batch.events_a_frame = 1;
    batch.emits_events = true;
    batch.own_transforms = def->moves;
    assert_ok(gpu_side_create_as(&s->device, s->gpu, &s->there.batch, batch, &s->on_device, &error), &error);
}

static void end(sides *s) {
    gpu_side_destroy(&s->on_device);
    walk_end(&s->here);
    walk_end(&s->there);
    lmb_gpu_destroy(s->gpu);
    close_device(&s->device);
}

// Places a character on both sides, with the next frame.
static void place(sides *s, uint32_t character, const lmb_motion *motion) {
    lmb_error error = {0};
    uint32_t *state = s->here.state + (size_t)character * lmb_graph_get_info(s->here.graph)->state_words;
    assert_ok(lmb_state_set_motion(s->here.graph, state, motion, &error), &error);
    assert_ok(lmb_gpu_batch_place(s->on_device.batch, 0, character, motion, &error), &error);
}

static void expect_same_bits(sides *s, uint32_t frame) {
    lmb_error error = {0};
    const walk *here = &s->here;
    walk *there = &s->there;
    walk_move(&s->here, frame);
    walk_move(there, frame);
    walk_run(&s->here);
    const lmb_batch_inputs inputs = {
        .parameters = there->parameters, .control = &there->frame, .transforms = &there->transforms[0][0]};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_MODEL] = there->models};
    assert_ok(gpu_side_run(&s->on_device, &inputs, &outputs, &error), &error);
    assert_ok(device_read_inertia(&s->device, s->on_device.batch, there->memory, &error), &error);
    assert_memory_equal(here->models, there->models, (size_t)WALK_CHARACTERS * here->joints * 12 * sizeof(float));
    const size_t words = (size_t)WALK_CHARACTERS * lmb_graph_get_info(here->graph)->inertia_words;
    assert_memory_equal(here->memory, there->memory, words * sizeof(uint32_t));
}

static void expect_refused_without_motion(sides *s) {
    lmb_error error = {0};
    gpu_side none = {0};
    assert_int_equal(lmb_gpu_batch_matrices(s->on_device.batch, 0).size, 0);
    lmb_gpu_batch_def batch = lmb_default_gpu_batch_def();
    batch.own_transforms = true;
    CHECK_REFUSAL(gpu_side_create_as(&s->device, s->gpu, &s->there.batch, batch, &none, &error), &error,
                  LMB_ERROR_ARGUMENT, "own_transforms: the graph has no character motion");
}

static void locks_have_the_same_bits(void **state) {
    (void)state;
    static sides s;
    begin(&s, &(walk_def){.lock_distance = 0.15f, .release_half_life = 0.06f});
    expect_refused_without_motion(&s);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        expect_same_bits(&s, frame);
    }
    end(&s);
}

// What the control does not write must be bound.
static void expect_refused_without_control(sides *s) {
    lmb_error error = {0};
    VkCommandPool pool = VK_NULL_HANDLE;
    lmb_gpu_record_info info = lmb_default_gpu_record_info();
    assert_ok(device_begin(&s->device, &pool, &info.commands, &error), &error);
    info.poses_alone = true;
    CHECK_REFUSAL(lmb_gpu_batch_record(s->on_device.batch, &info, &error), &error, LMB_ERROR_STATE,
                  "the world transforms of frame slot 0 are not bound");
    assert_ok(device_submit_and_wait(&s->device, pool, info.commands, &error), &error);
}

// What is bound is taken in place of the batch's own, as on the CPU.
static void expect_bound_ones(sides *s) {
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    lmb_error error = {0};
    device_buffer *buffer = &s->on_device.transforms;
    assert_ok(device_buffer_create(&s->device, sizeof s->there.transforms, usage, true, buffer, &error), &error);
    assert_ok(lmb_gpu_batch_bind_transforms(s->on_device.batch, 0, buffer->address, &error), &error);
    float bound[WALK_CHARACTERS][12] = {{0}};
    for (uint32_t i = 0; i < WALK_CHARACTERS; i++) {
        bound[i][2] = bound[i][5] = bound[i][8] = 1.0f;
        bound[i][3] = 0.02f * (float)i;
    }
    walk_move(&s->here, FRAMES);
    walk_move(&s->there, FRAMES);
    lmb_batch_inputs inputs = {
        .parameters = s->there.parameters, .control = &s->there.frame, .transforms = &bound[0][0]};
    const lmb_batch_outputs there = {.buffers[LMB_OUTPUT_MODEL] = s->there.models};
    assert_ok(gpu_side_run(&s->on_device, &inputs, &there, &error), &error);
    inputs.control = &s->here.frame;
    const lmb_batch_outputs here = {.buffers[LMB_OUTPUT_MODEL] = s->here.models, .inertia = s->here.memory};
    assert_ok(lmb_cpu_run(s->here.cpu, &s->here.batch, &inputs, &here, &error), &error);
    assert_memory_equal(s->here.models, s->there.models, (size_t)WALK_CHARACTERS * s->here.joints * 12 * sizeof(float));
}

static void expect_own_transforms(bool full_rotation) {
    static sides s;
    lmb_error error = {0};
    begin(&s, &(walk_def){
                  .lock_distance = 0.15f, .release_half_life = 0.06f, .moves = true, .full_rotation = full_rotation});
    const lmb_gpu_span span = lmb_gpu_batch_matrices(s.on_device.batch, 0);
    assert_int_equal(span.offset % 256, 0);
    assert_int_equal(span.size, sizeof s.there.transforms);
    expect_refused_without_control(&s);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        if (frame % PLACED_FRAME == 0) {
            for (uint32_t i = frame / PLACED_FRAME; i < WALK_CHARACTERS; i++) {
                place(&s, i, &(lmb_motion){.position = {2.0 * i, 0.1 * i, 500.0 + frame}, .yaw = 1.1 * i});
            }
        }
        expect_same_bits(&s, frame);
        assert_ok(device_read_span(&s.device, &span, s.there.transforms, &error), &error);
        assert_memory_equal(s.here.transforms, s.there.transforms, sizeof s.here.transforms);
    }
    expect_bound_ones(&s);
    end(&s);
}

// Each kind of rotation needs a kernel. control_random_gpu_test has the matrices of both.
static void own_transforms_have_the_same_bits(void **state) {
    (void)state;
    expect_own_transforms(false);
    if (!suite_is_quick()) {
        expect_own_transforms(true);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks_have_the_same_bits),
        cmocka_unit_test(own_transforms_have_the_same_bits),
    };
    return run_gpu_suite("foot_walk_gpu", tests, sizeof tests / sizeof tests[0]);
}
