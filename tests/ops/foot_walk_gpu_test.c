// A walk with locked feet on a device, whose control advances there too, against the reference: model matrices and the
// memory that both keep, frame by frame.
#include "gpu_suite.h"

#include "foot_walk.h"

#include <gpu_side.h>

enum { FRAMES = 90 };

static void locks_have_the_same_bits(void **state) {
    (void)state;
    lmb_error error = {0};
    device device;
    lmb_gpu *gpu = NULL;
    gpu_side on_device = {0};
    static walk here, there;
    open_device(&device);
    const lmb_gpu_def def = device_gpu_def(&device);
    assert_ok(lmb_gpu_create(&def, NULL, &gpu, &error), &error);
    walk_begin(&here, 0.15f, 0.06f, NULL);
    walk_begin(&there, 0.15f, 0.06f, NULL);
    assert_ok(gpu_side_create_moving(&device, gpu, &there.batch, 1, &on_device, &error), &error);
    const size_t words = (size_t)WALK_CHARACTERS * lmb_graph_inertia_words(here.graph);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        walk_move(&here, frame);
        walk_move(&there, frame);
        walk_run(&here);
        const lmb_batch_inputs inputs = {
            .parameters = there.parameters, .control = &there.frame, .transforms = &there.transforms[0][0]};
        const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_MODEL] = there.models};
        assert_ok(gpu_side_run(&on_device, &inputs, &outputs, &error), &error);
        assert_ok(device_read_inertia(&device, on_device.batch, there.memory, &error), &error);
        assert_memory_equal(here.models, there.models, (size_t)WALK_CHARACTERS * here.joints * 12 * sizeof(float));
        assert_memory_equal(here.memory, there.memory, words * sizeof(uint32_t));
    }
    gpu_side_destroy(&on_device);
    walk_end(&here);
    walk_end(&there);
    lmb_gpu_destroy(gpu);
    close_device(&device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks_have_the_same_bits),
    };
    return run_gpu_suite("foot_walk_gpu", tests, sizeof tests / sizeof tests[0]);
}
