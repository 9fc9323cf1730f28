// Conditions that read whether a limb reached its target in the frame before, on a device: states and what nodes report
// have the bits of the CPU in every frame.
#include "gpu_suite.h"
#include "reached_scene.h"

#include <gpu_side.h>

static void frames_have_the_bits_of_the_cpu(void **state) {
    (void)state;
    reached_scene scene;
    lmb_error error = {0};
    reached_start(&scene);
    side sides[2];
    for (uint32_t i = 0; i < 2; i++) {
        sides[i] = (side){.batch = {scene.graph, REACHED_CHARACTERS, LMB_OUTPUT_LOCAL_BIT}, .gpu = i == 1};
        assert_ok(side_create(&sides[i], &error), &error);
    }
    const size_t words = lmb_graph_get_info(scene.graph)->state_words * REACHED_CHARACTERS;
    uint32_t reached = 0;
    for (uint32_t frame = 0; frame < 12; frame++) {
        for (uint32_t i = 0; i < 2; i++) {
            reached_fill(&scene, frame, sides[i].parameters);
            assert_ok(side_run(&sides[i], LMB_TICKS_PER_SECOND / 60, frame, &error), &error);
        }
        assert_memory_equal(sides[0].state, sides[1].state, words * sizeof(uint32_t));
        assert_memory_equal(sides[0].outputs.reached, sides[1].outputs.reached,
                            REACHED_CHARACTERS * REACHED_WORDS * sizeof(uint32_t));
        assert_memory_equal(sides[0].outputs.buffers[LMB_OUTPUT_LOCAL], sides[1].outputs.buffers[LMB_OUTPUT_LOCAL],
                            REACHED_CHARACTERS * 3 * LMB_POSE_COMPONENTS * sizeof(float));
        for (uint32_t i = 0; i < REACHED_CHARACTERS; i++) {
            reached += sides[1].outputs.reached[i * REACHED_WORDS + 1];
        }
    }
    assert_in_range(reached, 100, 12 * REACHED_CHARACTERS - 100);
    for (uint32_t i = 0; i < 2; i++) {
        assert_ok(side_destroy(&sides[i], LMB_OK, &error), &error);
    }
    reached_end(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(frames_have_the_bits_of_the_cpu)};
    return run_gpu_suite("reached", tests, 1);
}
