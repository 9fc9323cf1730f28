// Nodes run together, so none can be timed alone. Instead a graph that ends with each node is created and timed: its
// cost is that time less those of its inputs. The fixed part of a run, which is the time of a graph of only the rest
// pose, is subtracted first. The shortest of several rounds counts, because everything else that happens on a machine
// only adds time.
#include "base/float_environment.h"
#include "batch.h"
#include "control/moving.h"
#include "cpu.h"
#include "program/program.h"

#include <limber/cost.h>

#define DEFAULT_ROUNDS 9u

static lmb_result check_def(const lmb_cost_def *def, const lmb_node_cost *costs, lmb_error *error) {
    const char *missing = def == NULL              ? "the descriptor"
                          : costs == NULL          ? "the result"
                          : def->graph == NULL     ? "the graph"
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
    return lmb_graph_check(def->graph, error);
}

// Returns the shortest time of several rounds, in nanoseconds per character. The first round only warms up.
static double time_rounds(const lmb_cost_def *def, const lmb_cpu *cpu, const lmb_batch_def *batch) {
    uint32_t rounds = def->rounds != 0 ? def->rounds : DEFAULT_ROUNDS;
    uint64_t min = UINT64_MAX;
    lmb_environment callers;
    lmb_environment_enter(&callers);
    for (uint32_t round = 0; round <= rounds; round++) {
        uint64_t begin = def->clock.now(def->clock.user);
        lmb_cpu_evaluate(cpu, batch, def->inputs, &(lmb_characters){.count = batch->character_count});
        uint64_t taken = def->clock.now(def->clock.user) - begin;
        min = round > 0 && taken < min ? taken : min;
    }
    lmb_environment_leave(&callers);
    return (double)min / batch->character_count;
}

static lmb_result time_program(const lmb_cost_def *def, const lmb_graph_def *program_def, uint32_t part,
                               const lmb_host *host, double *nanoseconds, lmb_error *error) {
    lmb_graph *graph = NULL;
    lmb_result result = lmb_graph_create_in(program_def, part, host, &graph, error);
    if (result != LMB_OK) {
        return result;
    }
    const uint32_t outputs = graph->gives_matrices ? LMB_OUTPUT_MODEL_BIT : LMB_OUTPUT_LOCAL_BIT;
    const lmb_batch_def batch = {graph, def->character_count, outputs};
    lmb_cpu *cpu = NULL;
    result = lmb_batch_check_inputs(graph, def->inputs, "cost", error);
    if (result == LMB_OK) {
        result = lmb_batch_check(&batch, error);
    }
    if (result == LMB_OK) {
        result = lmb_cpu_create(graph, def->path, host, &cpu, error);
    }
    if (result == LMB_OK) {
        *nanoseconds = time_rounds(def, cpu, &batch);
    }
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(graph);
    return result;
}

// Finds the joint map in effect at each node, or LMB_NONE. A node with several users gets the map of the first one.
static void find_parts(const lmb_graph_def *graph, const lmb_node_cost *costs, uint32_t *joint_maps) {
    for (uint32_t i = 0; i < graph->node_count; i++) {
        joint_maps[i] = LMB_NONE;
    }
    for (uint32_t i = graph->node_count; i-- > 0;) {
        const lmb_node_def *node = &graph->nodes[i];
        for (uint32_t input = 0; costs[i].uses > 0 && input < node->input_count; input++) {
            joint_maps[node->inputs[input]] = node->op == LMB_OP_COMBINE ? node->joint_maps[input]
                                              : node->op == LMB_OP_RETARGET
                                                  ? lmb_graph_retarget_map(graph, node->retarget)
                                                  : joint_maps[i];
        }
    }
}

// Counts the uses of each node. A node's count is complete once all nodes after it have been visited.
static void count_uses(const lmb_graph_def *graph, lmb_node_cost *costs) {
    for (uint32_t i = 0; i < graph->node_count; i++) {
        costs[i] = (lmb_node_cost){0};
    }
    costs[graph->node_count - 1].uses = 1;
    for (uint32_t i = graph->node_count; i-- > 0;) {
        for (uint32_t input = 0; input < graph->nodes[i].input_count; input++) {
            costs[graph->nodes[i].inputs[input]].uses += costs[i].uses;
        }
    }
}

static double above_zero(double value) {
    return value > 0.0 ? value : 0.0;
}

static lmb_result measure(const lmb_cost_def *def, const lmb_host *host, lmb_node_cost *costs, double *rest,
                          lmb_error *error) {
    lmb_result result = LMB_OK;
    const lmb_host resolved = lmb_host_resolve(host);
    uint32_t *joint_maps = lmb_host_allocate(&resolved, def->graph->node_count, sizeof *joint_maps);
    if (joint_maps == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "cost: no memory for %u nodes", (unsigned)def->graph->node_count);
    }
    const lmb_node_def resting = lmb_default_node_def();
    lmb_graph_def graph = *def->graph;
    double base = 0.0;
    graph.nodes = &resting;
    graph.node_count = 1;
    result = time_program(def, &graph, LMB_NONE, host, &base, error);
    graph.nodes = def->graph->nodes;
    count_uses(def->graph, costs);
    find_parts(def->graph, costs, joint_maps);
    for (uint32_t i = 0; i < def->graph->node_count && result == LMB_OK; i++) {
        const lmb_node_def *node = &graph.nodes[i];
        graph.node_count = i + 1;
        double nanoseconds = 0.0;
        if (costs[i].uses == 0) {
            continue;
        }
        result = time_program(def, &graph, joint_maps[i], host, &nanoseconds, error);
        costs[i].with_inputs = above_zero(nanoseconds - base);
        double inputs = 0.0;
        for (uint32_t input = 0; input < node->input_count; input++) {
            inputs += costs[node->inputs[input]].with_inputs;
        }
        costs[i].alone = above_zero(costs[i].with_inputs - inputs);
    }
    lmb_host_release(&resolved, joint_maps);
    if (rest != NULL) {
        *rest = base;
    }
    return result;
}

lmb_cost_def lmb_default_cost_def(void) {
    return (lmb_cost_def){.path = LMB_CPU_REFERENCE};
}

// Clips that play by themselves and machines are measured as nodes that read the parameters which the control writes.
lmb_result lmb_cost_measure(const lmb_cost_def *def, const lmb_host *host, lmb_node_cost *costs, double *rest,
                            lmb_error *error) {
    lmb_result result = check_def(def, costs, error);
    result = result == LMB_OK ? lmb_graph_check(def->graph, error) : result;
    if (result != LMB_OK || !lmb_graph_moves(def->graph)) {
        return result == LMB_OK ? measure(def, host, costs, rest, error) : result;
    }
    lmb_moving moving;
    result = lmb_moving_create(def->graph, host, &moving, error);
    if (result == LMB_OK) {
        lmb_cost_def taken = *def;
        taken.graph = &moving.poses;
        result = measure(&taken, host, costs, rest, error);
        lmb_moving_release(&moving);
    }
    return result;
}
