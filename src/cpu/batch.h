// Internal batch functions beyond the public header.
#ifndef LIMBER_SRC_CPU_BATCH_H
#define LIMBER_SRC_CPU_BATCH_H

#include <limber/batch.h>

// Returns the number of floats in one row of an output. A row is one joint, one socket, or the whole character.
uint32_t lmb_output_components(lmb_output output);

// Checks that there is all that a graph reads, except the frame of its control. `owner` begins the message.
lmb_result lmb_batch_check_inputs(const lmb_graph *graph, const lmb_batch_inputs *inputs, const char *owner,
                                  lmb_error *error);

#include "program/program.h"

// Returns whether to evaluate float channels: if an output needs them, or if the rig has no joints, so that refusals
// are still counted.
static inline bool lmb_batch_runs_channels(const lmb_batch_def *batch) {
    const bool asked = (batch->outputs & (LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_CHANNELS_BIT)) != 0;
    return batch->graph->info.channel_count > 0 && (asked || batch->graph->info.joint_count == 0);
}

#endif
