// The modules of random graphs' own pipelines, with the words of each graph's block as constants: every float operation
// still rounds on its own, loads at known places are gone, and the test spirv_disassembly validates the modules.
#include "suite.h"

#include "../../shaders/exact.h"
#include "crowd.h"
#include "gpu/specialized.h"
#include "program/program.h"

#include "../../shaders/ops/layout.h"

#include <spirv/unified1/spirv.h>
#include <stdio.h>
#include <string.h>

enum { MODULES = LIMBER_MODULES, JOINTS = 5 };

static lmb_host host;

static void expect_ok(lmb_result result, const lmb_error *error) {
    if (result != LMB_OK) {
        fail_msg("%s", error->message);
    }
}

static uint32_t count_loads(const lmb_spirv *module) {
    uint32_t count = 0;
    for (size_t at = SPIRV_HEADER_WORDS; at < module->count; at += spirv_length(module->words[at])) {
        count += spirv_opcode(module->words[at]) == SpvOpLoad;
    }
    return count;
}

static void write_module(uint32_t number, const lmb_spirv *module) {
    char path[1024];
    snprintf(path, sizeof path, "%s/specialised-%u.spv", LIMBER_BINARY, number);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(module->words, sizeof *module->words, module->count, file), module->count);
    fclose(file);
}

// Makes the module of a graph as the library does.
static void specialise(const lmb_graph *graph, uint32_t number) {
    lmb_error error = {0};
    lmb_spirv whole, plain, module;
    expect_ok(lmb_gpu_specialized_module(&host, graph, number % 3 != 0, &whole, &error), &error);
    const lmb_kernel_constants constants = lmb_gpu_graph_constants(graph);
    uint32_t values[sizeof constants / sizeof(uint32_t)];
    memcpy(values, &constants, sizeof values);
    lmb_spirv_known known = {values, sizeof values / sizeof values[0], NULL};
    expect_ok(lmb_spirv_specialize(&host, whole.words, whole.count, &known, &plain, &error), &error);
    const uint32_t *words = graph->program;
    const lmb_spirv_block block = {words, words[FIELD(PROGRAM, size)], words[FIELD(PROGRAM, clips)],
                                   words[FIELD(PROGRAM, data)]};
    known.block = &block;
    expect_ok(lmb_spirv_specialize(&host, whole.words, whole.count, &known, &module, &error), &error);
    expect_ok(exact_check(&host, module.words, module.count, &error), &error);
    assert_true(count_loads(&module) < count_loads(&plain));
    assert_true(module.count < plain.count);
    write_module(number, &module);
    lmb_spirv_release(&host, &module);
    lmb_spirv_release(&host, &plain);
    lmb_spirv_release(&host, &whole);
}

static void modules_of_random_graphs(void **state) {
    (void)state;
    lmb_joint_def joints[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
    }
    const lmb_rig_def rig_def = {.joints = joints, .joint_count = JOINTS};
    static const float times[] = {0.0f, 1.0f};
    static const float values[] = {0, 0, 0, 1, 0.6f, 0, 0, 0.8f};
    const lmb_track_def track = {1, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, 2, times, values};
    const lmb_clip_def clip_def = {.name = "clip", .tracks = &track, .track_count = 1};
    lmb_rig *rig = NULL;
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    expect_ok(lmb_rig_create(&rig_def, NULL, &rig, &error), &error);
    expect_ok(lmb_clip_create(rig, &clip_def, NULL, &clip, &error), &error);
    uint32_t made = 0;
    for (uint64_t seed = 0; made < MODULES && seed < 100 * MODULES; seed++) {
        const crowd_def def = {.rig = rig,
                               .clips = (const lmb_clip *const *)&clip,
                               .clip_count = 1,
                               .character_count = 1,
                               .seed = seed,
                               .program = 1 + (uint32_t)(seed % 4)};
        crowd crowd;
        expect_ok(crowd_create(&def, &crowd, &error), &error);
        const lmb_gpu_limits limits = {.instructions = LMB_GPU_MOST_SPECIALIZED};
        if (lmb_gpu_specialized_fit(limits, crowd.program) &&
            crowd.program->program[FIELD(PROGRAM, instruction_count)] > 4) {
            specialise(crowd.program, made++);
        }
        crowd_destroy(&crowd);
    }
    assert_int_equal(made, MODULES);
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
}

int main(void) {
    host = lmb_host_resolve(NULL);
    const struct CMUnitTest tests[] = {cmocka_unit_test(modules_of_random_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
