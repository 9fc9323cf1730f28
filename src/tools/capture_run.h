// Runs a captured frame on the CPU or on a device, and reports the result of each operation.
#ifndef LIMBER_SRC_TOOLS_CAPTURE_RUN_H
#define LIMBER_SRC_TOOLS_CAPTURE_RUN_H

#include "capture_file.h"
#include "gpu_side.h"

#include "control/moving.h"

// A capture's graph, and the objects created from it.
typedef struct capture_scene {
    const capture *capture;
    lmb_moving moving;   // the parts of the graph that move by themselves
    lmb_graph_def poses; // the graph's nodes, which only read parameters
    lmb_graph *graph;
} capture_scene;

typedef struct capture_results {
    capture_result *list;
    uint32_t count;
    char device[CAPTURE_DEVICE_SIZE]; // that ran it, or "reference"
} capture_results;

// Creates everything, and checks that parameters, states and events fit the graph. On failure nothing is left
// allocated.
lmb_result capture_scene_create(const capture *capture, capture_scene *scene, lmb_error *error);
// Accepts a zeroed one.
void capture_scene_destroy(capture_scene *scene);

// Stores the results in this order:
// - the control's state and the events it emitted;
// - the local transforms of each node, except nodes inside joint maps, whose poses have other joints;
// - the last node's local transforms after inertialization, if the graph inertializes;
// - every output of the whole graph;
// - the palettes of control and poses run together.
//
// Nodes run on a device only if the graph's local transforms there differ from the reference's. Otherwise their results
// are those of the reference. On failure nothing is left allocated.
lmb_result capture_run(const capture_scene *scene, bool gpu, const char *device, capture_results *results,
                       lmb_error *error);
// Accepts a zeroed one.
void capture_results_release(capture_results *results);

#endif
