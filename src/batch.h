// What the rest of the library asks of a batch beyond its public header.
#ifndef LIMBER_SRC_BATCH_H
#define LIMBER_SRC_BATCH_H

#include <limber/batch.h>

// Floats of one row of a stage: of a joint, of a socket, or of the whole character.
uint32_t lmb_stage_components(lmb_stage stage);

#include "graph.h"

// Whether float channels are evaluated: where they are asked for, and in place of joints where the rig has none, so that
// what is refused is counted.
static inline bool lmb_batch_runs_channels(const lmb_batch *batch) {
    const bool asked = (batch->outputs & (LMB_OUTPUT_LOCAL | LMB_OUTPUT_CHANNELS)) != 0;
    return batch->graph->channel_count > 0 && (asked || batch->graph->joint_count == 0);
}

#endif
