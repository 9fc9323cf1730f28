// A static pose is sampled by running a graph of one clip node on the reference, so that it has the bits that a frame
// would have.
#include "static_pose.h"

#include "base/host.h"
#include "command_line.h"

#include <limber/cpu.h>
#include <stdlib.h>
#include <string.h>

lmb_result static_pose_split(const char *text, static_pose_text *parts, lmb_error *error) {
    const char *equals = strchr(text, '='), *at = strrchr(text, '@');
    if (equals == NULL || equals == text || at == NULL || at < equals || !option_read_float(at + 1, &parts->time)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "not of the form NAME=CLIP@TIME, with a finite number of seconds");
    }
    parts->name_length = (size_t)(equals - text);
    parts->clip = equals + 1;
    parts->clip_length = (size_t)(at - equals - 1);
    return LMB_OK;
}

static lmb_result run(const lmb_graph *graph, float *local, lmb_error *error) {
    lmb_cpu *cpu = NULL;
    if (lmb_cpu_create(graph, LMB_CPU_REFERENCE, NULL, &cpu, error)) {
        return error->result;
    }
    const lmb_batch_def batch = {graph, 1, LMB_OUTPUT_LOCAL_BIT};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_LOCAL] = local};
    const lmb_result result = lmb_cpu_run(cpu, &batch, &(lmb_batch_inputs){0}, &outputs, error);
    lmb_cpu_destroy(cpu);
    return result;
}

lmb_result static_pose_sample(const lmb_rig *rig, const lmb_clip *clip, float time, lmb_transform *joints,
                              float *channels, lmb_error *error) {
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.time = lmb_constant(time);
    const lmb_graph_def def = {.rig = rig, .clips = &clip, .clip_count = 1, .nodes = &node, .node_count = 1};
    const size_t joint_count = lmb_rig_get_def(rig)->joint_count, channel_count = lmb_rig_get_def(rig)->channel_count;
    lmb_graph *graph = NULL;
    if (lmb_graph_create(&def, NULL, &graph, error)) {
        return error->result;
    }
    float *local = calloc(joint_count * LMB_POSE_COMPONENTS + channel_count + 1, sizeof *local);
    const lmb_result result =
        local != NULL ? run(graph, local, error) : lmb_fail(error, LMB_ERROR_MEMORY, "no memory for a static pose");
    for (size_t joint = 0; result == LMB_OK && joint < joint_count; joint++) {
        float values[LMB_POSE_COMPONENTS];
        for (size_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
            values[i] = local[i * joint_count + joint];
        }
        memcpy(&joints[joint], values, sizeof joints[joint]);
    }
    if (result == LMB_OK && channel_count > 0) {
        memcpy(channels, local + joint_count * LMB_POSE_COMPONENTS, channel_count * sizeof *channels);
    }
    free(local);
    lmb_graph_destroy(graph);
    return result;
}
