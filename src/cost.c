#include "cpu.h"
#include "environment.h"
#include "graph.h"

#include <limber/cost.h>

#define DEFAULT_ROUNDS 9u

static lmb_result check_def(const lmb_cost_def *def, const lmb_node_cost *costs, lmb_error *error) {
    const char *missing = def == NULL              ? "the descriptor"
                          : costs == NULL          ? "the result"
                          : def->program == NULL   ? "the program"
                          : def->inputs == NULL    ? "the list of inputs"
                          : def->clock.now == NULL ? "the clock"
                                                   : NULL;
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cost: %s is NULL", missing);
    }
    if (def->character_count == 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cost: there are no characters");
    }
    if (def->rounds > LMB_MAX_COST_ROUNDS) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "cost: %u rounds, and at most %u are possible", (unsigned)def->rounds,
                        LMB_MAX_COST_ROUNDS);
    }
    return lmb_graph_check(def->program, error);
}

static lmb_result check_inputs(const lmb_cost_def *def, const lmb_graph *program, lmb_error *error) {
    if (lmb_graph_parameter_count(program) > 0 && def->inputs->parameters == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cost: the parameters are NULL");
    }
    for (uint32_t i = 0; i < lmb_graph_pose_count(program); i++) {
        if (def->inputs->poses[i] == NULL) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "cost: pose buffer %u is NULL", (unsigned)i);
        }
    }
    return LMB_OK;
}

// The least time of several rounds, for one character.
static double time_rounds(const lmb_cost_def *def, const lmb_cpu *cpu, const lmb_batch *batch) {
    uint32_t rounds = def->rounds != 0 ? def->rounds : DEFAULT_ROUNDS;
    uint64_t least = UINT64_MAX;
    fenv_t callers;
    lmb_environment_enter(&callers);
    for (uint32_t round = 0; round <= rounds; round++) {
        uint64_t begin = def->clock.now(def->clock.user);
        lmb_cpu_evaluate(cpu, batch, def->inputs, 0, batch->character_count);
        uint64_t taken = def->clock.now(def->clock.user) - begin;
        least = round > 0 && taken < least ? taken : least;
    }
    lmb_environment_leave(&callers);
    return (double)least / batch->character_count;
}

static lmb_result time_program(const lmb_cost_def *def, const lmb_graph_def *program_def, uint32_t part,
                               const lmb_host *host, double *nanoseconds, lmb_error *error) {
    lmb_graph *program = NULL;
    lmb_result result = lmb_graph_create_in(program_def, part, host, &program, error);
    if (result != LMB_OK) {
        return result;
    }
    const uint32_t outputs = program->gives_matrices ? LMB_OUTPUT_MODEL : LMB_OUTPUT_LOCAL;
    const lmb_batch batch = {program, def->character_count, outputs};
    lmb_cpu *cpu = NULL;
    result = check_inputs(def, program, error);
    if (result == LMB_OK) {
        result = lmb_batch_check(&batch, error);
    }
    if (result == LMB_OK) {
        result = lmb_cpu_create(program, def->path, host, &cpu, error);
    }
    if (result == LMB_OK) {
        *nanoseconds = time_rounds(def, cpu, &batch);
    }
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(program);
    return result;
}

// A part in which each node stands, or LMB_NONE: that of its first use from the end on.
static void find_parts(const lmb_graph_def *program, const lmb_node_cost *costs, uint32_t *parts) {
    for (uint32_t i = 0; i < program->node_count; i++) {
        parts[i] = LMB_NONE;
    }
    for (uint32_t i = program->node_count; i-- > 0;) {
        const lmb_node_def *node = &program->nodes[i];
        for (uint32_t input = 0; costs[i].uses > 0 && input < node->input_count; input++) {
            parts[node->inputs[input]] = node->op == LMB_OP_COMBINE ? node->parts[input] : parts[i];
        }
    }
}

// Those of a node are complete once every node behind it has been seen.
static void count_uses(const lmb_graph_def *program, lmb_node_cost *costs) {
    for (uint32_t i = 0; i < program->node_count; i++) {
        costs[i] = (lmb_node_cost){0};
    }
    costs[program->node_count - 1].uses = 1;
    for (uint32_t i = program->node_count; i-- > 0;) {
        for (uint32_t input = 0; input < program->nodes[i].input_count; input++) {
            costs[program->nodes[i].inputs[input]].uses += costs[i].uses;
        }
    }
}

static double above_zero(double value) {
    return value > 0.0 ? value : 0.0;
}

lmb_result lmb_cost_measure(const lmb_cost_def *def, const lmb_host *host, lmb_node_cost *costs, double *rest,
                            lmb_error *error) {
    lmb_result result = check_def(def, costs, error);
    if (result != LMB_OK) {
        return result;
    }
    const lmb_host resolved = lmb_host_resolve(host);
    uint32_t *parts = lmb_host_allocate(&resolved, def->program->node_count, sizeof *parts);
    if (parts == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "cost: no memory for %u nodes", (unsigned)def->program->node_count);
    }
    const lmb_node_def resting = lmb_default_node_def();
    lmb_graph_def program = *def->program;
    double base = 0.0;
    program.nodes = &resting;
    program.node_count = 1;
    result = time_program(def, &program, LMB_NONE, host, &base, error);
    program.nodes = def->program->nodes;
    count_uses(def->program, costs);
    find_parts(def->program, costs, parts);
    for (uint32_t i = 0; i < def->program->node_count && result == LMB_OK; i++) {
        const lmb_node_def *node = &program.nodes[i];
        program.node_count = i + 1;
        double nanoseconds = 0.0;
        if (costs[i].uses == 0) {
            continue;
        }
        result = time_program(def, &program, parts[i], host, &nanoseconds, error);
        costs[i].with_inputs = above_zero(nanoseconds - base);
        double inputs = 0.0;
        for (uint32_t input = 0; input < node->input_count; input++) {
            inputs += costs[node->inputs[input]].with_inputs;
        }
        costs[i].alone = above_zero(costs[i].with_inputs - inputs);
    }
    lmb_host_release(&resolved, parts);
    if (rest != NULL) {
        *rest = base;
    }
    return result;
}
