/// @file cost.h
/// What each node of a graph costs: measured on the CPU, with the host's clock. A path of the CPU runs the same
/// operations as the kernels, so the shares are a guide to those on a GPU too, no more than that: a GPU hides the latency
/// of memory otherwise.
///
/// How: for each node, the graph that ends there, without hierarchy and outputs, is evaluated for the given characters,
/// once to warm up and then several times; the least time counts. What a node costs by itself is that time less the times
/// of its inputs, each of them less the time of a graph that is the rest pose alone. Differences of measured times are
/// noisy: what comes out below 0 is reported as 0.
#ifndef LIMBER_COST_H
#define LIMBER_COST_H

#include <limber/cpu_profile.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LMB_MAX_COST_ROUNDS 10000u

/// Start from zero; no round count takes 9.
typedef struct lmb_cost_def {
    const lmb_graph_def *graph;
    lmb_cpu_path path;
    lmb_clock clock;
    const lmb_batch_inputs *inputs; ///< as many characters' as stated next
    uint32_t character_count;       ///< 1 or more: as many as matter, since clips and branches depend on them
    uint32_t rounds;                ///< at most #LMB_MAX_COST_ROUNDS
} lmb_cost_def;

/// Nanoseconds for one character, all its joints together.
typedef struct lmb_node_cost {
    double alone;       ///< of one evaluation of the node, its inputs not counted
    double with_inputs; ///< of one evaluation of the node and of all that it stands on
    uint32_t uses;      ///< how often the graph evaluates it: 0 where the result does not depend on it
} lmb_node_cost;

/// Writes a cost for each node of the graph. `rest`, which may be NULL, is the time of the rest pose alone, which is
/// part of none: the whole graph takes about that and the sum of `alone` times `uses`, less where clips weigh nothing
/// in it, since each node is measured at weight 1. It takes memory for a copy of the graph, and time: rounds times
/// nodes. Fails with what lmb_graph_create() and lmb_cpu_create() fail with, and with #LMB_ERROR_ARGUMENT where
/// something needed is NULL or there are no characters, #LMB_ERROR_LIMIT on too many rounds.
LMB_API lmb_result lmb_cost_measure(const lmb_cost_def *def, const lmb_host *host, lmb_node_cost *costs, double *rest,
                                    lmb_error *error);

#ifdef __cplusplus
}
#endif

#endif
