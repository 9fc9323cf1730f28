// Bounds of the iterations of loops: never below what the reference counts on random graphs, and above the limit of
// lavapipe where that is known to end loops early.
#include "keyframes.h"
#include "long_chains.h"
#include "scene.h"
#include "suite.h"

#include "gpu/loops.h"
#include "gpu/specialized.h"

#include "../../shaders/ops/layout.h"

#include <crowd.h>
#include <limber/cpu.h>
#include <string.h>

#include "channels.spv.h"
#include "pose.spv.h"
#include "weights.spv.h"

enum { LIMIT = 65535, CLIPS = 3, GRAPHS = 60 };

extern uint64_t loops_counted;
static lmb_host host;

static void expect_ok(lmb_result result, const lmb_error *error) {
    if (result != LMB_OK) {
        fail_msg("%s", error->message);
    }
}

#define COUNT_LOOPS(kernel) count_loops(kernel, sizeof kernel / sizeof *kernel)

static uint32_t count_loops(const uint32_t *words, size_t count) {
    lmb_error error = {0};
    uint32_t loops = 0;
    expect_ok(lmb_spirv_count_loops(&host, words, count, &loops, &error), &error);
    return loops;
}

// Counts the loops of a graph's own kernel.
static uint32_t count_own(const lmb_graph *graph, bool all_stages) {
    lmb_error error = {0};
    lmb_spirv whole, module;
    expect_ok(lmb_gpu_specialized_module(&host, graph, all_stages, &whole, &error), &error);
    const lmb_kernel_constants constants = lmb_gpu_graph_constants(graph);
    uint32_t values[sizeof constants / sizeof(uint32_t)];
    memcpy(values, &constants, sizeof values);
    const uint32_t *words = graph->program;
    const lmb_spirv_block block = {words, words[FIELD(PROGRAM, size)], words[FIELD(PROGRAM, clips)],
                                   words[FIELD(PROGRAM, data)]};
    const lmb_spirv_known known = {values, sizeof values / sizeof values[0], &block};
    expect_ok(lmb_spirv_specialize(&host, whole.words, whole.count, &known, &module, &error), &error);
    const uint32_t own = count_loops(module.words, module.count);
    lmb_spirv_release(&host, &whole);
    lmb_spirv_release(&host, &module);
    return own;
}

static uint64_t character_bound(const lmb_graph *graph) {
    return lmb_gpu_character_loops(graph, count_own(graph, true));
}

static uint64_t pose_bound(const lmb_graph *graph) {
    return lmb_gpu_pose_loops(graph, count_own(graph, false), false);
}

// Returns the iterations of all stages for the worst of a crowd's characters.
static uint64_t count_iterations(const crowd *crowd) {
    lmb_error error = {0};
    const lmb_batch_def batch = crowd_batch(crowd, LMB_OUTPUT_LOCAL_BIT);
    const lmb_batch_inputs inputs = crowd_inputs(crowd);
    const size_t floats = lmb_batch_output_floats(&batch, LMB_OUTPUT_LOCAL);
    const lmb_batch_outputs outputs = {
        .buffers[LMB_OUTPUT_LOCAL] = calloc(batch.character_count * floats, sizeof(float)),
        .inertia = calloc((size_t)batch.character_count * lmb_graph_get_info(batch.graph)->inertia_words + 1,
                          sizeof(uint32_t))};
    uint64_t most = 0;
    lmb_cpu *cpu = NULL;
    assert_true(outputs.buffers[LMB_OUTPUT_LOCAL] != NULL && outputs.inertia != NULL);
    expect_ok(lmb_cpu_create(batch.graph, LMB_CPU_REFERENCE, NULL, &cpu, &error), &error);
    for (uint32_t i = 0; i < batch.character_count; i++) {
        loops_counted = 0;
        expect_ok(lmb_cpu_run_list(cpu, &batch, &inputs, &outputs, &i, 1, &error), &error);
        most = loops_counted > most ? loops_counted : most;
    }
    lmb_cpu_destroy(cpu);
    free(outputs.buffers[LMB_OUTPUT_LOCAL]);
    free(outputs.inertia);
    return most;
}

// The bound for a character, over all of its kernels.
static uint64_t whole_bound(const lmb_graph *graph) {
    const lmb_gpu_limits limits = {.instructions = LMB_GPU_MOST_SPECIALIZED_ON_CPU};
    const uint64_t pose = lmb_gpu_specialized_fit(limits, graph)
                              ? character_bound(graph)
                              : graph->info.joint_count * graph->program[FIELD(PROGRAM, pass_count)] *
                                    lmb_gpu_pose_loops(graph, COUNT_LOOPS(kernel_pose), true);
    return pose + lmb_gpu_weights_loops(graph, COUNT_LOOPS(kernel_weights)) +
           graph->info.channel_count * graph->program[FIELD(PROGRAM, pass_count)] *
               lmb_gpu_channels_loops(graph, COUNT_LOOPS(kernel_channels));
}

static void bounds_hold(void **state) {
    (void)state;
    lmb_error error = {0};
    lmb_rig *rig = scene_rig(29, SCENE_TREE, 29);
    keyframes keys[CLIPS];
    lmb_clip *clips[CLIPS];
    for (uint32_t i = 0; i < CLIPS; i++) {
        keys[i] = keyframes_create(29, 2 + 9 * i, i);
        expect_ok(lmb_clip_create(rig, &keys[i].clip, NULL, &clips[i], &error), &error);
    }
    double closest = 0.0;
    for (uint32_t program = 1; program <= GRAPHS; program++) {
        const crowd_def def = {.rig = rig,
                               .clips = (const lmb_clip *const *)clips,
                               .clip_count = CLIPS,
                               .character_count = 2,
                               .seed = 20261127,
                               .program = program,
                               .most_nodes = 1 + program * 7 % RANDOM_PROGRAM_NODES};
        crowd crowd;
        expect_ok(crowd_create(&def, &crowd, &error), &error);
        // A graph that results in matrices has no local transforms.
        if ((lmb_graph_get_info(crowd.program)->outputs & LMB_OUTPUT_LOCAL_BIT) == 0) {
            crowd_destroy(&crowd);
            continue;
        }
        crowd_draw(&crowd, 0);
        const uint64_t bound = whole_bound(crowd.program), counted = count_iterations(&crowd);
        if (counted > bound) {
            fail_msg("program %u: %llu iterations, and the bound is %llu", program, (unsigned long long)counted,
                     (unsigned long long)bound);
        }
        closest = (double)counted / (double)bound > closest ? (double)counted / (double)bound : closest;
        crowd_destroy(&crowd);
    }
    assert_true(closest > 0.02); // loops were counted
    for (uint32_t i = 0; i < CLIPS; i++) {
        lmb_clip_destroy(clips[i]);
        keyframes_destroy(&keys[i]);
    }
    lmb_rig_destroy(rig);
}

// They are too long for one invocation, not for an invocation per joint.
static void long_chains_need_an_invocation_per_joint(void **state) {
    (void)state;
    lmb_rig *rig = NULL;
    lmb_graph *graph = long_chains_create(&rig);
    assert_true(character_bound(graph) > LIMIT);
    assert_true(pose_bound(graph) < 2000);
    lmb_graph_destroy(graph);
    lmb_rig_destroy(rig);
}

int main(void) {
    host = lmb_host_resolve(NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(long_chains_need_an_invocation_per_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
