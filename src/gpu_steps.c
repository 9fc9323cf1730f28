#include "gpu_steps.h"

#include "program.h"

#include "../shaders/ops/operations.h"

#include "pose_steps.spv.h"
#include "pose_steps_plain.spv.h"

// Compiling takes time in proportion to the instructions; past this the interpreter serves.
#define MOST_STEPS 32u

// The template's function for each instruction, and how many poses more are held after it.
static const struct {
    const char *function;
    int pushed;
    bool wraps; // takes the level of WRAP_LEVEL as well
} steps[] = {
#define SOURCE_STEP(NAME, name, code, prepare, takes) [code] = {"step_" #name, 1, false},
#define UNARY_STEP(NAME, name, code, prepare, takes) [code] = {"step_" #name, 0, false},
#define BINARY_STEP(NAME, name, code, prepare, takes) [code] = {"step_" #name, -1, false},
#define FOLD_STEPS(NAME, name, code, prepare, takes)                                                                   \
    [code] = {"step_" #name "_begin", 2, false}, [(code) + 1u] = {"step_" #name "_accumulate", -1, false},             \
    [(code) + 2u] = {"step_" #name "_end", -1, false},
#define WRAP_STEPS(NAME, name, code, prepare, takes)                                                                   \
    [code] = {"step_" #name "_joint", 0, true}, [(code) + 1u] = {"step_" #name, 0, true},
    OPERATIONS(SOURCE_STEP, UNARY_STEP, BINARY_STEP, FOLD_STEPS, WRAP_STEPS)
#undef SOURCE_STEP
#undef UNARY_STEP
#undef BINARY_STEP
#undef FOLD_STEPS
#undef WRAP_STEPS
};

bool lmb_gpu_steps_fit(const lmb_program *program) {
    return program->block[PROGRAM_INSTRUCTION_COUNT] <= MOST_STEPS;
}

lmb_result lmb_gpu_steps_module(const lmb_host *host, const lmb_program *program, lmb_spirv *module, lmb_error *error) {
    lmb_spirv_call calls[MOST_STEPS];
    uint32_t count = program->block[PROGRAM_INSTRUCTION_COUNT];
    uint32_t depth = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = program->block[PROGRAM_INSTRUCTIONS] + i * INSTRUCTION_WORDS;
        uint32_t code = program->block[at + INSTRUCTION_OPERATION];
        uint32_t level = steps[code].wraps ? program->block[at + WRAP_LEVEL] : 0;
        calls[i] = (lmb_spirv_call){steps[code].function, {at, depth | level << 8}};
        depth += (uint32_t)steps[code].pushed;
    }
    const uint32_t *words = program->uses_packed ? kernel_pose_steps : kernel_pose_steps_plain;
    size_t size = program->uses_packed ? sizeof kernel_pose_steps : sizeof kernel_pose_steps_plain;
    return lmb_spirv_replace_body(host, words, size / sizeof *words, "step_through", calls, count, module, error);
}

lmb_result lmb_gpu_steps_create(lmb_gpu *gpu, const lmb_program *program, VkPipeline *pipeline, lmb_error *error) {
    lmb_spirv module;
    lmb_result result = lmb_gpu_steps_module(&gpu->host, program, &module, error);
    if (result == LMB_OK) {
        lmb_kernel_uses uses = {program->uses_cubic, program->uses_scale, program->uses_far, program->uses_packed};
        result = lmb_gpu_pipeline_create(gpu, module.words, module.count, uses, "limber program", pipeline, error);
        lmb_spirv_release(&gpu->host, &module);
    }
    return result;
}
