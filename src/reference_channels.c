// The float channels on the reference. Apart from reference.c, whose evaluator is inlined as a compiler sees fit with what
// stands beside it.
#include "reference.h"

#include "graph.h"

#include "../shaders/ops/channels.h"

void lmb_reference_run_channels(const lmb_batch *batch, const lmb_batch_outputs *outputs, size_t character,
                                const struct frame *at) {
    frame f = *at;
    uint32_t joints = batch->program->joint_count, channels = batch->program->channel_count;
    for (uint32_t channel = 0; channel < channels; channel++) {
        f.joint = joints + channel;
        float value = evaluate_channel(f);
        if (batch->outputs & LMB_OUTPUT_LOCAL) {
            float *pose = outputs->stages[LMB_STAGE_LOCAL] + character * f.program[PROGRAM_POSE_FLOATS];
            pose[(size_t)POSE_COMPONENTS * joints + channel] = value;
        }
        if (batch->outputs & LMB_OUTPUT_CHANNELS) {
            outputs->stages[LMB_STAGE_CHANNELS][character * channels + channel] = value;
        }
    }
}
