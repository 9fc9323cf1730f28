// Runs the poses of a batch on the reference or on a device, and prints them. `sample` and `eval` share this.
#ifndef LIMBER_SRC_CLI_POSES_H
#define LIMBER_SRC_CLI_POSES_H

#include "gpu_side.h"
#include "json.h"

#include <limber/batch.h>

typedef struct poses {
    // Set by the caller.
    const lmb_rig *rig;
    const lmb_graph *program;
    uint32_t count; // one character per pose
    bool gpu;
    const char *device_name; // as asked for; NULL for the best

    lmb_batch batch;
    lmb_batch_outputs outputs;                     // only stages that are printed
    char device[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE]; // the one used
} poses;

lmb_result poses_run(poses *poses, const lmb_batch_inputs *inputs, lmb_error *error);
// Accepts a zeroed one.
void poses_release(poses *poses);

// Returns "the reference", or the name of the device that ran the poses.
const char *poses_place(const poses *poses);
// Prints one pose as a table. Omits a time that is NaN, as poses_write() does.
void poses_print(const poses *poses, uint32_t pose, float time);
// Writes where the poses were run, and each pose.
void poses_write(const poses *poses, const float *times, json *json);

#endif
