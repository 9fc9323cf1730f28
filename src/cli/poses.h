// Poses of a batch, run on the reference or on a device, and printed: what `sample` and `eval` share.
#ifndef LIMBER_SRC_CLI_POSES_H
#define LIMBER_SRC_CLI_POSES_H

#include "gpu_device.h"
#include "json.h"

#include <limber/batch.h>

typedef struct poses {
    // Set by who runs them.
    const lmb_rig *rig;
    const lmb_graph *program;
    uint32_t count; // one character each
    bool gpu;
    const char *device_name; // as asked for; NULL for the best

    lmb_batch batch;
    float *stages[LMB_STAGE_COUNT];                // NULL where nothing of it is printed
    char device[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE]; // the one used
} poses;

// Takes what --backend and --device say. 0, or the exit status of wrong usage of that command.
int poses_choose_backend(poses *poses, const char *command, const char *backend);

lmb_result poses_run(poses *poses, const lmb_batch_inputs *inputs, lmb_error *error);
// A zeroed one is fine.
void poses_release(poses *poses);

// "the reference", or the name of the device that ran them.
const char *poses_place(const poses *poses);
// Prints one pose as a table. A time that is NaN is left out, here and in the next one.
void poses_print(const poses *poses, uint32_t pose, float time);
// Writes where all of them were run, and each.
void poses_write(const poses *poses, const float *times, json *json);

#endif
