// The results of `limber profile`, and their output.
#ifndef LIMBER_SRC_CLI_PROFILE_H
#define LIMBER_SRC_CLI_PROFILE_H

#include "device.h" // volk comes before Vulkan's own header

#include <limber/cost.h>
#include <limber/gpu_profile.h>

// A side that ran the crowd.
typedef struct profiled_side {
    const char *name; // of the path or of the device
    const lmb_profile *times;
    uint32_t bandwidth; // GB per second, as the caller gave it, or 0
} profiled_side;

typedef struct profile_report {
    const char *file;
    lmb_batch batch;
    uint32_t frames;
    profiled_side sides[2]; // the CPU, and the device if there is one
    uint32_t side_count;
    lmb_gpu_bytes bytes[LMB_GPU_MAX_BYTES_ROWS];
    uint32_t bytes_count;
    uint64_t inertia_bytes; // inertialization data on the CPU; 0 if the program does not inertialize
    const lmb_graph_def *program;
    const lmb_node_cost *costs; // of its nodes
    double rest;                // nanoseconds of the rest pose
} profile_report;

void profile_report_print(const profile_report *report);
void profile_report_print_json(const profile_report *report);

#endif
