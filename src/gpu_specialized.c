#include "gpu_specialized.h"

#include "graph.h"

#include "../shaders/ops/operations.h"

#include "character_specialized.spv.h"
#include "pose_specialized.spv.h"

// The time to compile is proportional to the number of instructions. Longer graphs are interpreted.
#define MOST_STEPS 32u

// The template's function for each instruction, and how it changes the number of poses held.
static const struct {
    const char *function;
    int pushed;
} steps[] = {
#define SOURCE_STEP(NAME, name, code, takes) [code] = {"run_" #name, 1},
#define UNARY_STEP(NAME, name, code, takes) [code] = {"run_" #name, 0},
#define BINARY_STEP(NAME, name, code, takes) [code] = {"run_" #name, -1},
#define SUM_STEPS(NAME, name, code, takes)                                                                             \
    [code] = {"run_" #name "_begin", 2}, [(code) + 1u] = {"run_" #name "_accumulate", -1},                             \
    [(code) + 2u] = {"run_" #name "_end", -1},
    EVERY_INSTRUCTION(SOURCE_STEP, UNARY_STEP, BINARY_STEP, SUM_STEPS)
#undef SOURCE_STEP
#undef UNARY_STEP
#undef BINARY_STEP
#undef SUM_STEPS
};

bool lmb_gpu_specialized_fit(const lmb_graph *graph) {
    return graph->joint_count > 0 && graph->block[PROGRAM_INSTRUCTION_COUNT] <= MOST_STEPS;
}

lmb_result lmb_gpu_specialized_module(const lmb_host *host, const lmb_graph *graph, bool all_stages, lmb_spirv *module,
                                      lmb_error *error) {
    lmb_spirv_call calls[2 * MOST_STEPS]; // every pass has at least one instruction
    uint32_t count = 0;
    const uint32_t passes = graph->block[PROGRAM_PASS_COUNT];
    for (uint32_t pass = 0; pass < passes; pass++) {
        if (passes > 1) {
            calls[count++] = (lmb_spirv_call){"run_pass", {pass, 0}, true};
        }
        uint32_t depth = 0;
        for (uint32_t i = first_of_pass(graph->block, pass); i < first_of_pass(graph->block, pass + 1u); i++) {
            uint32_t at = graph->block[PROGRAM_INSTRUCTIONS] + i * INSTRUCTION_WORDS;
            uint32_t code = graph->block[at + INSTRUCTION_OPERATION];
            calls[count++] = (lmb_spirv_call){steps[code].function, {at, depth}, false};
            depth += (uint32_t)steps[code].pushed;
        }
    }
    const uint32_t *words = all_stages ? kernel_character_specialized : kernel_pose_specialized;
    const size_t bytes = all_stages ? sizeof kernel_character_specialized : sizeof kernel_pose_specialized;
    return lmb_spirv_replace_body(host, words, bytes / sizeof *words, "run_straight_line", calls, count, module, error);
}

lmb_result lmb_gpu_specialized_create(lmb_gpu *gpu, const lmb_graph *graph, VkPipeline *pipeline,
                                      lmb_gpu_workgroup *shape, lmb_error *error) {
    *shape = lmb_gpu_find_shape(gpu->limits, graph->joint_count);
    lmb_spirv module;
    lmb_result result = lmb_gpu_specialized_module(&gpu->host, graph, shape->characters > 0, &module, error);
    if (result == LMB_OK) {
        lmb_kernel_constants constants = {.cubic = graph->uses_cubic,
                                          .curves = VK_TRUE,
                                          .scale = graph->uses_scale,
                                          .far = graph->uses_far,
                                          .packed = graph->uses_packed,
                                          .invocations = shape->invocations,
                                          .joints = graph->joint_count,
                                          .characters = shape->characters,
                                          .walks = shape->walks,
                                          .weights = graph->uses_weights,
                                          .parts = graph->uses_joint_maps,
                                          .lod = graph->uses_lod,
                                          .matrices = graph->gives_matrices,
                                          .poses = graph->stack,
                                          .inertia = graph->uses_inertia,
                                          .exchanges = graph->exchange_count > 0,
                                          .profiles = graph->uses_profiles,
                                          .chains = graph->uses_chains,
                                          .retargets = graph->uses_retargets};
        result = lmb_gpu_pipeline_create(gpu, module.words, module.count, constants, "limber graph", pipeline, error);
        lmb_spirv_release(&gpu->host, &module);
    }
    return result;
}
