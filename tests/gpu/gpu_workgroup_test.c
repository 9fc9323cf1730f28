// The distribution of characters to workgroups: within every limit, for any device and rig.
#include "suite.h"

#include "gpu/workgroup.h"

// The size of the arrays in shaders/character_specialized.comp.
static uint64_t bytes(lmb_gpu_workgroup shape, uint32_t joints) {
    const uint64_t matrices = 16 * ((3 * (uint64_t)joints) | 1);
    return shape.characters * (matrices + 8 + 24 + 4);
}

static void shapes_stay_within_limits(void **state) {
    (void)state;
    static const uint32_t memories[] = {0, 16384, 32768, 49152, 65536};
    static const uint32_t invocations[] = {128, 256, 1024};
    static const uint32_t subgroups[] = {4, 8, 16, 32, 64};
    uint32_t none = 0;
    for (uint32_t i = 0; i < 5 * 3 * 5 * 2; i++) {
        const lmb_gpu_limits limits = {.workgroup_bytes = memories[i % 5],
                                       .workgroup_invocations = invocations[i / 5 % 3],
                                       .subgroup = subgroups[i / 15 % 5],
                                       .is_cpu = i >= 75};
        for (uint32_t joints = 1; joints < 1500; joints += 1 + joints / 16) {
            const lmb_gpu_workgroup shape = lmb_gpu_find_shape(limits, joints, 0);
            assert_true(bytes(shape, joints) <= limits.workgroup_bytes);
            if (shape.characters == 0) {
                none++;
                assert_true(bytes((lmb_gpu_workgroup){.characters = 1}, joints) > limits.workgroup_bytes);
            } else {
                assert_true(shape.invocations > 0 && shape.invocations <= limits.workgroup_invocations);
                assert_int_equal(shape.invocations % limits.subgroup, 0);
                assert_int_equal(shape.invocations % shape.characters, 0);
            }
            assert_true(!shape.walks || (limits.is_cpu && shape.characters == shape.invocations));
        }
    }
    assert_true(none > 0);
}

// Three invocations of a subgroup divide the rows of a matrix. Bits of weights need workgroup memory.
static void small_subgroups_and_many_weights_have_no_shape(void **state) {
    (void)state;
    lmb_gpu_limits limits = {.workgroup_bytes = 4096, .workgroup_invocations = 128, .subgroup = 2};
    assert_int_equal(lmb_gpu_find_shape(limits, 67, 0).characters, 0);
    limits.subgroup = 32;
    assert_int_equal(lmb_gpu_find_shape(limits, 67, 0).characters, 1);
    assert_int_equal(lmb_gpu_find_shape(limits, 67, 4096).characters, 1);
    assert_int_equal(lmb_gpu_find_shape(limits, 67, 8192).characters, 0);
}

// Checks the statements of the comments for a small, a medium and a large rig on large devices.
static void a_workgroup_leaves_few_invocations_idle(void **state) {
    (void)state;
    static const struct {
        uint32_t joints, subgroup, memory, most, characters, invocations;
    } cases[] = {{67, 32, 49152, 1024, 2, 160},    {24, 32, 49152, 1024, 4, 96},   {200, 32, 49152, 1024, 1, 224},
                 {1000, 32, 49152, 1024, 1, 1024}, {1000, 32, 49152, 256, 1, 256}, {1, 32, 49152, 1024, 128, 128},
                 {67, 64, 65536, 1024, 16, 768},   {67, 64, 49152, 1024, 8, 576},  {67, 64, 65536, 256, 16, 256},
                 {67, 64, 49152, 128, 8, 128}};
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const lmb_gpu_limits limits = {
            .workgroup_bytes = cases[i].memory, .workgroup_invocations = cases[i].most, .subgroup = cases[i].subgroup};
        const lmb_gpu_workgroup shape = lmb_gpu_find_shape(limits, cases[i].joints, 0);
        assert_int_equal(shape.characters, cases[i].characters);
        assert_int_equal(shape.invocations, cases[i].invocations);
    }
}

static void small_crowds_share_sources(void **state) {
    (void)state;
    static const struct {
        uint32_t characters, sources, parts;
    } cases[] = {{1, 0, 1},     {1, 1, 1},     {1, 64, 64},   {16, 4, 4},     {16383, 4, 4},     {16383, 64, 4},
                 {16384, 4, 3}, {32767, 4, 2}, {32768, 4, 1}, {100000, 4, 1}, {UINT32_MAX, 4, 1}};
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lmb_gpu_limits limits = {.subgroup = 32};
        assert_int_equal(lmb_gpu_weights_parts(limits, cases[i].characters, cases[i].sources), cases[i].parts);
        limits.is_cpu = true;
        assert_int_equal(lmb_gpu_weights_parts(limits, cases[i].characters, cases[i].sources), 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_stay_within_limits),
                                       cmocka_unit_test(small_crowds_share_sources),
                                       cmocka_unit_test(small_subgroups_and_many_weights_have_no_shape),
                                       cmocka_unit_test(a_workgroup_leaves_few_invocations_idle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
