// Two templates in shaders/ have the code of every operation, as a function whose parameters are an instruction's
// offset and the number of poses held. Here the graph's instructions become calls of these functions with constant
// arguments, which replace the body of an empty function in the module (spirv/calls.c). Then loads from the block
// become constants too, and code that cannot run is removed (spirv/specialize.c). Words that may change later, those of
// clips and their table, stay loads.
//
// Inputs of a sum that are clips are a run, which is one call: a loop over the inputs that have a weight. So a kernel
// has the code that samples a clip once for a run, and characters that play different states of a machine cost what
// one state costs.
//
// The kernel runs all stages if one workgroup holds a character and its loops stay within a driver's limit. Otherwise
// it runs only the pose, with an invocation for each joint.
#include "specialized.h"

#include "loops.h"
#include "program/program.h"

#include "../../shaders/ops/operations.h"

#include "character_specialized.spv.h"
#include "pose_specialized.spv.h"

// The template's function for each instruction, and how it changes the number of poses held. And the function that
// loads its operand, if it has one, and how far that is behind the operand's index. For the addition of a sum's input,
// the function that computes a run of inputs.
static const struct {
    const char *function;
    int pushed;
    const char *hold;
    uint32_t after;
    const char *run;
} steps[] = {
#define HOLD(takes)                                                                                                    \
    ((takes)&TAKES_CLIP) != 0 ? "run_hold_source" : ((takes)&TAKES_WEIGHT) != 0 ? "run_hold_weight" : NULL
#define SOURCE_STEP(NAME, name, code, takes) [code] = {"run_" #name, 1, HOLD(takes), 0, NULL},
#define UNARY_STEP(NAME, name, code, takes) [code] = {"run_" #name, 0, HOLD(takes), 0, NULL},
#define BINARY_STEP(NAME, name, code, takes) [code] = {"run_" #name, -1, HOLD(takes), 0, NULL},
#define SUM_STEPS(NAME, name, code, takes)                                                                             \
    [code] = {"run_" #name "_begin", 2, NULL, 0, NULL},                                                                \
    [(code) + 1u] = {"run_" #name "_accumulate", -1, "run_hold_weight", 0, "run_" #name "_clips"},                     \
    [(code) + 2u] = {"run_" #name "_end", -1, "run_hold_weight", 1, NULL},
    EVERY_INSTRUCTION(SOURCE_STEP, UNARY_STEP, BINARY_STEP, SUM_STEPS)
#undef HOLD
#undef SOURCE_STEP
#undef UNARY_STEP
#undef BINARY_STEP
#undef SUM_STEPS
};

// The calls that replace the bodies of the template's functions. An instruction has its own and that of its operand; at
// most as many inputs are skipped, with three calls for each; and every pass has an instruction.
typedef struct program_calls {
    lmb_spirv_call run[6 * LMB_GPU_MOST_SPECIALIZED];
    uint32_t run_count;
    lmb_spirv_call hold[MOST_HELD];
    uint32_t hold_count;
} program_calls;

// The fewest inputs that are a run. A kernel with four clips of their own is 7 % faster on an H200 than one with a run
// of three of them; with six clips, of which a character plays one to three, the run is 14 % faster.
#define FEWEST_IN_RUN 4u

// Returns how many inputs of a sum, from an instruction on, are a run: clips with consecutive weights, each followed by
// its addition to the sum. Layers have none, because their weights differ by joint.
static uint32_t count_run(const uint32_t *program, uint32_t first, uint32_t end) {
    const uint32_t *clip = program + program[FIELD(PROGRAM, instructions)] + (size_t)first * WORDS_OF(INSTRUCTION);
    const uint32_t *add = clip + WORDS_OF(INSTRUCTION);
    const uint32_t code = first + 1 < end ? add[FIELD(INSTRUCTION, operation)] : OPERATION_REST;
    const bool is_sum = steps[code].run != NULL;
    const bool has_layers = code == OPERATION_MEAN + 1u && (add[FIELD(BLEND, choices)] & CHOICE_LAYERS) != 0;
    uint32_t length = 0;
    for (uint32_t i = first; i + 1 < end && is_sum && !has_layers; i += 2) {
        const size_t at = (size_t)(i - first) * WORDS_OF(INSTRUCTION);
        if (clip[at + FIELD(INSTRUCTION, operation)] != OPERATION_CLIP ||
            add[at + FIELD(INSTRUCTION, operation)] != code ||
            add[at + FIELD(BLEND, weight)] != add[FIELD(BLEND, weight)] + length) {
            break;
        }
        length++;
    }
    return length >= FEWEST_IN_RUN ? length : 0;
}

// Returns the inputs in all runs of a graph, and how many runs they are.
static uint32_t count_runs(const uint32_t *program, uint32_t *runs) {
    uint32_t inputs = 0;
    *runs = 0;
    for (uint32_t pass = 0; pass < program[FIELD(PROGRAM, pass_count)]; pass++) {
        const uint32_t end = first_of_pass(program, pass + 1u);
        for (uint32_t i = first_of_pass(program, pass); i < end; i++) {
            const uint32_t length = count_run(program, i, end);
            *runs += length > 0;
            inputs += length;
            i += length > 0 ? 2u * length - 1u : 0;
        }
    }
    return inputs;
}

bool lmb_gpu_specialized_fit(lmb_gpu_limits limits, const lmb_graph *graph) {
    uint32_t runs;
    const uint32_t inputs = count_runs(graph->program, &runs);
    return graph->info.joint_count > 0 &&
           graph->program[FIELD(PROGRAM, instruction_count)] - 2u * inputs + runs <= limits.instructions;
}

static void add_call(program_calls *calls, const char *function, uint32_t first, uint32_t second) {
    calls->run[calls->run_count++] = (lmb_spirv_call){.function = function, .arguments = {first, second}};
}

static void add_decision(program_calls *calls, const char *function, uint32_t about) {
    add_call(calls, function, about, 0);
    calls->run[calls->run_count - 1].decides = true;
}

static void end_decision(program_calls *calls) {
    calls->run[calls->run_count - 1].ends++;
}

static void call_instruction(const uint32_t *program, uint32_t at, uint32_t *depth, program_calls *calls) {
    const uint32_t code = program[at + FIELD(INSTRUCTION, operation)];
    if (steps[code].hold != NULL) {
        const uint32_t index = program[at + FIELD(BLEND, weight)] + steps[code].after, operand = calls->hold_count;
        const bool holds = operand < MOST_HELD;
        if (holds) {
            calls->hold[calls->hold_count++] =
                (lmb_spirv_call){.function = steps[code].hold, .arguments = {index, operand}};
        }
        add_call(calls, "run_operand", holds ? operand : NOT_HELD, 0);
    }
    add_call(calls, steps[code].function, at, *depth);
    *depth += (uint32_t)steps[code].pushed;
}

static void call_run(const uint32_t *program, uint32_t at, uint32_t depth, uint32_t length, program_calls *calls) {
    add_call(calls, "run_length", length, 0);
    add_call(calls, steps[program[at + WORDS_OF(INSTRUCTION) + FIELD(INSTRUCTION, operation)]].run, at, depth);
}

// The instructions that run only if a weight is above 0 have a decision around them. An invocation takes it for its
// character; a processor's driver runs both sides.
typedef struct decisions {
    const uint32_t *skips;
    uint32_t next, end;                        // of the pass's
    uint32_t open_ends[LMB_SPIRV_MOST_NESTED]; // the instructions behind those that have begun
    uint32_t open;
} decisions;

// Begins those of which `at` is the first instruction; of a run, which does so for each input, only those around it.
static void begin_decisions(decisions *d, uint32_t at, uint32_t run_end, uint32_t depth, program_calls *calls) {
    for (; d->next < d->end; d->next++) {
        const uint32_t *skip = d->skips + (size_t)d->next * WORDS_OF(SKIP);
        const uint32_t first = skip[FIELD(SKIP, first)], end = skip[FIELD(SKIP, end)];
        if (first > at) {
            break;
        }
        if (first < at || end < run_end || d->open + 1 == LMB_SPIRV_MOST_NESTED) {
            continue;
        }
        if (skip[FIELD(SKIP, absent)] != 0) {
            add_decision(calls, "run_unneeded", skip[FIELD(SKIP, weight)]);
            add_call(calls, "run_absent", skip[FIELD(SKIP, absent)], depth);
            end_decision(calls);
        }
        add_decision(calls, "run_needed", skip[FIELD(SKIP, weight)]);
        d->open_ends[d->open++] = end;
    }
}

static void call_pass(const uint32_t *program, uint32_t pass, program_calls *calls) {
    const uint32_t end = first_of_pass(program, pass + 1u);
    decisions d = {.skips = program + program[FIELD(PROGRAM, skips)],
                   .next = skip_of_pass(program, pass),
                   .end = skip_of_pass(program, pass + 1u)};
    uint32_t depth = 0;
    for (uint32_t i = first_of_pass(program, pass); i < end;) {
        const uint32_t at = program[FIELD(PROGRAM, instructions)] + i * WORDS_OF(INSTRUCTION);
        const uint32_t length = count_run(program, i, end), after = i + (length > 0 ? 2u * length : 1u);
        begin_decisions(&d, i, after, depth, calls);
        if (length > 0) {
            call_run(program, at, depth, length, calls);
        } else {
            call_instruction(program, at, &depth, calls);
        }
        for (; d.open > 0 && d.open_ends[d.open - 1] == after; d.open--) {
            end_decision(calls);
        }
        i = after;
    }
}

static void call_program(const uint32_t *program, program_calls *calls) {
    const uint32_t passes = program[FIELD(PROGRAM, pass_count)];
    *calls = (program_calls){.run_count = 0};
    for (uint32_t pass = 0; pass < passes; pass++) {
        if (passes > 1) {
            add_decision(calls, "run_pass", pass);
        }
        call_pass(program, pass, calls);
        if (passes > 1) {
            end_decision(calls);
        }
    }
}

lmb_result lmb_gpu_specialized_module(const lmb_host *host, const lmb_graph *graph, bool all_stages, lmb_spirv *module,
                                      lmb_error *error) {
    program_calls calls;
    call_program(graph->program, &calls);
    const uint32_t *words = all_stages ? kernel_character_specialized : kernel_pose_specialized;
    const size_t bytes = all_stages ? sizeof kernel_character_specialized : sizeof kernel_pose_specialized;
    lmb_spirv run = {0};
    lmb_result result = lmb_spirv_replace_body(host, words, bytes / sizeof *words, "run_straight_line", calls.run,
                                               calls.run_count, &run, error);
    if (result != LMB_OK || !all_stages) {
        *module = run;
        return result;
    }
    result = lmb_spirv_replace_body(host, run.words, run.count, "run_hold_operands", calls.hold, calls.hold_count,
                                    module, error);
    lmb_spirv_release(host, &run);
    return result;
}

lmb_kernel_constants lmb_gpu_graph_constants(const lmb_graph *graph) {
    return (lmb_kernel_constants){.cubic = graph->uses_cubic,
                                  .curves = VK_TRUE,
                                  .user_curves = graph->uses_user_curves,
                                  .scale = graph->uses_scale,
                                  .far = graph->uses_far,
                                  .packed = graph->uses_packed,
                                  .weights = graph->uses_weights,
                                  .parts = graph->uses_joint_maps,
                                  .lod = graph->uses_lod,
                                  .matrices = graph->gives_matrices,
                                  .poses = graph->info.stack,
                                  .inertia = graph->uses_inertia,
                                  .exchanges = graph->info.exchange_count > 0,
                                  .profiles = graph->uses_profiles,
                                  .chains = graph->uses_chains,
                                  .colliders = graph->uses_colliders,
                                  .reached = graph->info.reached_count > 0,
                                  .detached = graph->uses_detached,
                                  .retargets = graph->uses_retargets};
}

// Returns the weights of a character of which its kernel needs to know which are above 0.
static uint32_t weighed_weights(const lmb_graph *graph) {
    uint32_t runs;
    return count_runs(graph->program, &runs) > 0 ? graph->program[FIELD(PROGRAM, weights)] : 0;
}

bool lmb_gpu_has_results(const lmb_graph *graph) {
    const uint32_t *program = graph->program;
    return program[FIELD(PROGRAM, rule_count)] + program[FIELD(PROGRAM, sources)] +
               program[FIELD(PROGRAM, point_count)] >
           0;
}

// Has a workgroup load stage 1's results ahead: each invocation a word at most, two for the record of a source, which
// has two sectors, and one for a weight. Not with runs: they leave out inputs, so most would be loaded in vain.
static void load_ahead(const lmb_graph *graph, lmb_gpu_workgroup shape, lmb_kernel_constants *constants) {
    const uint32_t sources = graph->program[FIELD(PROGRAM, sources)], weights = graph->program[FIELD(PROGRAM, weights)];
    const bool reads_all = !shape.walks && constants->weighed == 0 && lmb_gpu_has_results(graph);
    if (reads_all && shape.characters > 0 && 2 * sources + weights <= shape.invocations / shape.characters) {
        constants->ahead_sources = sources;
        constants->ahead_weights = weights;
    }
}

static lmb_kernel_constants shape_constants(const lmb_gpu *gpu, const lmb_graph *graph, lmb_gpu_workgroup shape) {
    lmb_kernel_constants constants = lmb_gpu_graph_constants(graph);
    constants.invocations = shape.invocations;
    constants.joints = graph->info.joint_count;
    constants.characters = shape.characters;
    constants.walks = shape.walks;
    constants.weighed = weighed_weights(graph);
    constants.block = gpu->limits.block;
    load_ahead(graph, shape, &constants);
    return constants;
}

// Creates the graph's module for a shape, and finds how many iterations of loops an invocation of it runs at most.
static lmb_result create_module(lmb_gpu *gpu, const lmb_graph *graph, lmb_gpu_workgroup shape, lmb_spirv *module,
                                uint64_t *loops, lmb_error *error) {
    const bool all_stages = shape.characters > 0;
    const uint32_t *words = graph->program;
    // Clips may be added to a running graph and removed.
    const lmb_spirv_block block = {words, words[FIELD(PROGRAM, size)], words[FIELD(PROGRAM, clips)],
                                   words[FIELD(PROGRAM, data)]};
    lmb_spirv whole = {0};
    uint32_t own = 0;
    *module = (lmb_spirv){0};
    lmb_result result = lmb_gpu_specialized_module(&gpu->host, graph, all_stages, &whole, error);
    if (result == LMB_OK) {
        result = lmb_gpu_specialize(gpu, whole.words, whole.count, shape_constants(gpu, graph, shape), &block, module,
                                    error);
        lmb_spirv_release(&gpu->host, &whole);
    }
    if (result == LMB_OK) {
        result = lmb_spirv_count_loops(&gpu->host, module->words, module->count, &own, error);
    }
    *loops = all_stages ? lmb_gpu_character_loops(graph, own) : lmb_gpu_pose_loops(graph, own, false);
    return result;
}

lmb_result lmb_gpu_specialized_create(lmb_gpu *gpu, const lmb_graph *graph, VkPipeline *pipeline,
                                      lmb_gpu_workgroup *shape, lmb_error *error) {
    *shape = lmb_gpu_find_shape(gpu->limits, graph->info.joint_count, weighed_weights(graph));
    lmb_spirv module;
    uint64_t loops;
    lmb_result result = create_module(gpu, graph, *shape, &module, &loops, error);
    if (result == LMB_OK && shape->characters > 0 && loops > gpu->limits.loops) {
        // An invocation per joint, and per pass.
        *shape = (lmb_gpu_workgroup){0};
        lmb_spirv_release(&gpu->host, &module);
        result = create_module(gpu, graph, *shape, &module, &loops, error);
    }
    if (result == LMB_OK) {
        result = lmb_gpu_check_loops(gpu, "pose", loops, error);
    }
    if (result == LMB_OK) {
        result = lmb_gpu_pipeline_create_from(gpu, &module, shape_constants(gpu, graph, *shape), "limber graph",
                                              pipeline, error);
    }
    lmb_spirv_release(&gpu->host, &module);
    return result;
}
