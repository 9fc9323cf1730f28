/// @file cost.h
/// @ingroup profiles
/// Measures the cost of each node of a graph on the CPU, with the host's clock.
///
/// A CPU path runs the same operations as the kernels, so the shares are a guide to those on a GPU, but no more than
/// that: a GPU hides the latency of memory differently.
///
/// For each node, the graph that ends with it is evaluated for the given characters, without hierarchy and outputs,
/// once to warm up and then several times. The smallest time counts, minus the time of a graph that is only the rest
/// pose. The cost of the node itself is this minus the costs of its inputs, with theirs. Differences of measured times
/// are noisy: a result below 0 is reported as 0. Nothing is kept from run to run, so a chain (chain.h) is measured
/// without its simulation, and inertialization not at all.
#ifndef LIMBER_COST_H
#define LIMBER_COST_H

#include <limber/cpu_profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup profiles
/// @{

#define LMB_MAX_COST_ROUNDS 10000u

/// What to measure. Start from lmb_default_cost_def().
typedef struct lmb_cost_def {
    const lmb_graph_def *graph;
    lmb_cpu_path path;
    lmb_clock clock;
    /// Of `character_count` characters. The control is not run: `control` is ignored, and `parameters` has whole rows,
    /// lmb_graph_info.parameter_count floats each, as a run of the control has left them.
    const lmb_batch_inputs *inputs;
    uint32_t character_count; ///< 1 or more; take enough to be representative: their clips and branches count
    uint32_t rounds;          ///< at most #LMB_MAX_COST_ROUNDS; 0 takes 9
} lmb_cost_def;

/// The reference path, 9 rounds; graph, clock, inputs and characters are needed.
LMB_API lmb_cost_def lmb_default_cost_def(void);

/// Nanoseconds for one character, for all its joints together.
typedef struct lmb_node_cost {
    double alone;       ///< one evaluation of the node, without its inputs
    double with_inputs; ///< one evaluation of the node and of all its inputs, with theirs
    uint32_t uses;      ///< how often the graph evaluates it; 0 if the result does not depend on it
} lmb_node_cost;

/// Writes a cost for each node of the graph: `costs` has room for `graph->node_count`.
///
/// `rest`, which may be NULL, is the time of the rest pose alone, in nanoseconds for one character, which is not part
/// of any cost. The whole graph takes about that plus the sum of `alone` times `uses`; less if clips in it have a
/// weight of 0, because each node is measured at weight 1. The call takes memory for a copy of the graph, and time in
/// proportion to rounds times nodes. Fails as lmb_graph_create() and lmb_cpu_create() do, with #LMB_ERROR_ARGUMENT if a
/// needed pointer is NULL or there are no characters, and with #LMB_ERROR_LIMIT if there are too many rounds.
LMB_API lmb_result lmb_cost_measure(const lmb_cost_def *def, const lmb_host *host, lmb_node_cost *costs, double *rest,
                                    lmb_error *error);

/// @}

#ifdef __cplusplus
}
#endif

#endif
