// Runs what a capture holds, on the CPU or on a device, and tells what each operation comes to.
#ifndef LIMBER_SRC_CLI_CAPTURE_RUN_H
#define LIMBER_SRC_CLI_CAPTURE_RUN_H

#include "capture_file.h"
#include "play_side.h"

#include "../graph_moving.h"

#include <limber/graph_json.h>

// A capture's graph, and what is created from it.
typedef struct capture_scene {
    const capture *capture;
    lmb_graph_json *text;
    lmb_moving moving;   // what moves by itself in it
    lmb_graph_def poses; // the graph's nodes, which read parameters alone
    lmb_graph *graph;
    const lmb_control *control; // the graph's, or NULL
} capture_scene;

typedef struct capture_results {
    capture_result *list;
    uint32_t count;
    char device[CAPTURE_DEVICE_SIZE]; // that ran it, or "reference"
} capture_results;

// Creates everything, and checks that parameters, states and events are such as it takes. On failure nothing is left.
lmb_result capture_scene_create(const capture *capture, capture_scene *scene, lmb_error *error);
// A zeroed one is fine.
void capture_scene_destroy(capture_scene *scene);

// In order: the control's state and what it told; the local transforms that each node of the program comes to, except for those
// inside parts, whose poses are of other joints; what the last one inertialized comes to; then every stage of the whole; then the palettes of control and poses
// together. Nodes are run on a device only where its local transforms are not the reference's: else they are the
// reference's too. On failure nothing is left.
lmb_result capture_run(const capture_scene *scene, bool gpu, const char *device, capture_results *results,
                       lmb_error *error);
// A zeroed one is fine.
void capture_results_release(capture_results *results);

#endif
