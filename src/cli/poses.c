#include "poses.h"

#include "terminal.h"

#include "../host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PRINTED                                                                                                        \
    (LMB_OUTPUT_LOCAL | LMB_OUTPUT_MODEL | LMB_OUTPUT_DUAL_QUATERNIONS | LMB_OUTPUT_BOUNDS | LMB_OUTPUT_CHANNELS)

static lmb_result create_outputs(poses *poses, lmb_error *error) {
    const uint32_t printed = PRINTED & lmb_graph_outputs(poses->program);
    poses->batch = (lmb_batch){.graph = poses->program, .character_count = poses->count, .outputs = printed};
    lmb_result result = lmb_batch_check(&poses->batch, error);
    return result == LMB_OK ? outputs_create(&poses->batch, &poses->outputs, error) : result;
}

static lmb_result run_gpu(poses *poses, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                          lmb_error *error) {
    gpu_device opened;
    gpu_side side = {0};
    lmb_result result = gpu_device_open(poses->device_name, false, &opened, error);
    if (result != LMB_OK) {
        return result;
    }
    memcpy(poses->device, opened.device.properties.deviceName, sizeof poses->device);
    result = gpu_side_create(&opened.device, opened.gpu, &poses->batch, 0, &side, error);
    if (result == LMB_OK) {
        result = gpu_side_run(&side, inputs, outputs, error);
    }
    gpu_side_destroy(&side);
    return gpu_device_close(&opened, result, error);
}

lmb_result poses_run(poses *poses, const lmb_batch_inputs *inputs, lmb_error *error) {
    lmb_result result = create_outputs(poses, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_batch_outputs outputs = poses->outputs;
    outputs.inertia = NULL; // one frame alone
    return poses->gpu ? run_gpu(poses, inputs, &outputs, error) : reference_run(&poses->batch, inputs, &outputs, error);
}

void poses_release(poses *poses) {
    outputs_destroy(&poses->outputs);
}

const char *poses_place(const poses *poses) {
    return poses->gpu ? poses->device : "the reference";
}

// Returns the floats of a stage of a pose, from the element `index` of `size` floats on.
static const float *stage_of(const poses *poses, lmb_stage stage, uint32_t pose, uint32_t index, uint32_t size) {
    return poses->outputs.stages[stage] + (size_t)pose * lmb_batch_stage_floats(&poses->batch, stage) +
           (size_t)index * size;
}

// Gathers the ten floats of a joint of a pose from a stage buffer in which joints are the innermost index.
static void gather(const poses *poses, uint32_t pose, uint32_t joint, float components[LMB_POSE_COMPONENTS]) {
    uint32_t joint_count = lmb_graph_joint_count(poses->program);
    const float *local = stage_of(poses, LMB_STAGE_LOCAL, pose, 0, 0);
    for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
        components[i] = local[(size_t)i * joint_count + joint];
    }
}

static const float *model_of(const poses *poses, uint32_t pose, uint32_t joint) {
    return stage_of(poses, LMB_STAGE_MODEL, pose, joint, LMB_MATRIX_COMPONENTS);
}

static float channel_of(const poses *poses, uint32_t pose, uint32_t channel) {
    return *stage_of(poses, LMB_STAGE_CHANNELS, pose, channel, 1);
}

static void print_channels(const poses *poses, uint32_t pose) {
    uint32_t count = lmb_graph_channel_count(poses->program);
    if (count > 0) {
        terminal_print("  channel  %-24s  %10s\n", "name", "value");
    }
    for (uint32_t i = 0; i < count; i++) {
        terminal_print("  %7u  %-24s  %10.5f%s\n", i, lmb_rig_channel_name(poses->rig, i),
                       (double)channel_of(poses, pose, i), lmb_rig_channel_is_angle(poses->rig, i) ? " degrees" : "");
    }
}

// Returns whether there are local transforms, which a program that ends with matrices does not have.
static bool has_locals(const poses *poses) {
    return poses->outputs.stages[LMB_STAGE_LOCAL] != NULL;
}

static void print_matrix(const poses *poses, uint32_t pose, uint32_t joint) {
    const float *model = model_of(poses, pose, joint);
    terminal_print("  %5u  %-24s", joint, lmb_rig_joint_name(poses->rig, joint));
    for (uint32_t i = 0; i < LMB_MATRIX_COMPONENTS; i++) {
        terminal_print("%s%10.5f", i % 4 == 0 ? "  " : " ", (double)model[i]);
    }
    terminal_print("\n");
}

static void print_joint(const poses *poses, uint32_t pose, uint32_t joint) {
    float c[LMB_POSE_COMPONENTS];
    gather(poses, pose, joint, c);
    const float *model = model_of(poses, pose, joint);
    terminal_print("  %5u  %-24s", joint, lmb_rig_joint_name(poses->rig, joint));
    terminal_print("  %10.4f %10.4f %10.4f", (double)c[0], (double)c[1], (double)c[2]);
    terminal_print("  %8.5f %8.5f %8.5f %8.5f", (double)c[3], (double)c[4], (double)c[5], (double)c[6]);
    terminal_print("  %8.4f %8.4f %8.4f", (double)c[7], (double)c[8], (double)c[9]);
    terminal_print("  %10.4f %10.4f %10.4f\n", (double)model[3], (double)model[7], (double)model[11]);
}

void poses_print(const poses *poses, uint32_t pose, float time) {
    if (!isnan(time)) {
        terminal_print("time %g s\n", (double)time);
    }
    if (has_locals(poses)) {
        terminal_print("  joint  %-24s  %32s  %35s  %26s  %32s\n", "name", "translation", "rotation x y z w", "scale",
                       "position in model space");
    } else {
        terminal_print("  joint  %-24s  matrix in model space, row by row\n", "name");
    }
    for (uint32_t joint = 0; joint < lmb_graph_joint_count(poses->program); joint++) {
        (has_locals(poses) ? print_joint : print_matrix)(poses, pose, joint);
    }
    print_channels(poses, pose);
    const float *box = stage_of(poses, LMB_STAGE_BOUNDS, pose, 0, 0);
    terminal_print("  bounds  %.4f %.4f %.4f  to  %.4f %.4f %.4f\n", (double)box[0], (double)box[1], (double)box[2],
                   (double)box[3], (double)box[4], (double)box[5]);
}

static void write_joint(json *json, const poses *poses, uint32_t pose, uint32_t joint) {
    uint32_t parent = lmb_rig_joint_parent(poses->rig, joint);
    json_begin_object(json, NULL);
    json_text(json, "name", lmb_rig_joint_name(poses->rig, joint));
    json_integer(json, "parent", parent == LMB_NONE ? -1 : (int64_t)parent);
    if (has_locals(poses)) {
        float components[LMB_POSE_COMPONENTS];
        gather(poses, pose, joint, components);
        json_floats(json, "translation", components, 3);
        json_floats(json, "rotation", components + 3, 4);
        json_floats(json, "scale", components + 7, 3);
    }
    json_floats(json, "model", model_of(poses, pose, joint), LMB_MATRIX_COMPONENTS);
    if (has_locals(poses)) {
        json_floats(json, "dual_quaternion",
                    stage_of(poses, LMB_STAGE_DUAL_QUATERNIONS, pose, joint, LMB_DUAL_COMPONENTS), LMB_DUAL_COMPONENTS);
    }
    json_end_object(json);
}

void poses_write(const poses *poses, const float *times, json *json) {
    json_text(json, "backend", poses->gpu ? "gpu" : "reference");
    json_text(json, "device", poses->gpu ? poses->device : NULL);
    json_begin_array(json, "poses");
    for (uint32_t pose = 0; pose < poses->count; pose++) {
        json_begin_object(json, NULL);
        if (!isnan(times[pose])) {
            json_float(json, "time", times[pose]);
        }
        json_floats(json, "bounds", stage_of(poses, LMB_STAGE_BOUNDS, pose, 0, 0), LMB_BOX_COMPONENTS);
        json_begin_array(json, "joints");
        for (uint32_t joint = 0; joint < lmb_graph_joint_count(poses->program); joint++) {
            write_joint(json, poses, pose, joint);
        }
        json_end_array(json);
        json_begin_array(json, "channels");
        for (uint32_t channel = 0; channel < lmb_graph_channel_count(poses->program); channel++) {
            json_begin_object(json, NULL);
            json_text(json, "name", lmb_rig_channel_name(poses->rig, channel));
            json_float(json, "value", channel_of(poses, pose, channel));
            json_end_object(json);
        }
        json_end_array(json);
        json_end_object(json);
    }
    json_end_array(json);
}
