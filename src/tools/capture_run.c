// Runs a captured frame in parts, so that the first difference between two machines names an operation:
// - the control, with states and emitted events;
// - each node as the end of a graph of its own, without inertialization;
// - all outputs of the whole graph, and control and poses in one run, as they were captured.
//
// Parts after the control start from the reference's parameters, so an error in the control does not spread to them.
// Each result is a hash. A device runs single nodes only if the whole graph differs there.
#include "capture_run.h"

#include "file.h"

#include "base/host.h"
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Max results in addition to those of nodes.
#define MOST_OTHERS (5u + LMB_OUTPUT_COUNT)

typedef struct running {
    const capture_scene *scene;
    bool gpu;
    side side;                 // its device runs everything else, too
    side reference;            // gives the parameters after the control
    lmb_batch_outputs outputs; // all outputs
    capture_results *results;
} running;

static lmb_result fail(lmb_error *error, lmb_result result, const char *message) {
    return lmb_fail(error, result, "capture: %s", message);
}

// ---- The scene.

static lmb_result create_graph(capture_scene *scene, lmb_error *error) {
    lmb_graph_def def = *scene->capture->graph;
    def.max_emitted_events = scene->capture->max_emitted_events;
    if (lmb_graph_create(&def, NULL, &scene->graph, error)) {
        return error->result;
    }
    scene->poses = def;
    if (lmb_graph_get_info(scene->graph)->state_words == 0) {
        return LMB_OK;
    }
    const lmb_result result = lmb_moving_create(&def, NULL, &scene->moving, error);
    scene->poses = scene->moving.poses;
    return result;
}

static lmb_result check_fit(const capture_scene *scene, lmb_error *error) {
    const capture *capture = scene->capture;
    const uint64_t characters = capture->character_count;
    const lmb_batch_def batch = {scene->graph, capture->character_count, LMB_OUTPUT_PALETTE_BIT};
    const struct {
        const char *section;
        size_t words;
        uint64_t words_each;
    } sections[] = {{"parameters", capture->parameter_count, lmb_graph_get_info(scene->graph)->parameter_count},
                    {"state", capture->state_words, lmb_graph_get_info(scene->graph)->state_words},
                    {"kept", capture->kept_words, side_kept_words(scene->graph, 1)}};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        if (characters == 0 || sections[i].words != characters * sections[i].words_each) {
            return lmb_fail(error, LMB_ERROR_FORMAT,
                            "capture: section '%s' is not as long as its characters and graph need",
                            sections[i].section);
        }
    }
    if (capture->step > LMB_MAX_STEP_TICKS) {
        return fail(error, LMB_ERROR_FORMAT, "section 'frame': the step is too long");
    }
    if (lmb_graph_get_info(scene->graph)->pose_count > 0) {
        return fail(error, LMB_ERROR_UNSUPPORTED, "the graph reads pose buffers, and there is nobody to fill them");
    }
    for (uint32_t i = 0; i < capture->event_count; i++) {
        const lmb_event *event = &capture->events[i];
        bool known = event->event == LMB_EVENT_RESET || event->event < lmb_graph_get_info(scene->graph)->event_count;
        if (event->character >= characters || !known) {
            return fail(error, LMB_ERROR_FORMAT, "section 'events': there is no such character or event");
        }
    }
    const bool failed = lmb_batch_check(&batch, error) ||
                        (lmb_graph_get_info(scene->graph)->state_words > 0 &&
                         lmb_state_check(scene->graph, capture->state, capture->character_count, error));
    return failed ? error->result : LMB_OK;
}

lmb_result capture_scene_create(const capture *capture, capture_scene *scene, lmb_error *error) {
    *scene = (capture_scene){.capture = capture};
    const bool failed = create_graph(scene, error) || check_fit(scene, error);
    if (failed) {
        capture_scene_destroy(scene);
    }
    return failed ? error->result : LMB_OK;
}

void capture_scene_destroy(capture_scene *scene) {
    lmb_moving_release(&scene->moving);
    lmb_graph_destroy(scene->graph);
    *scene = (capture_scene){0};
}

// ---- Results.

static void add(running *r, const char *name, uint64_t hash) {
    capture_result *result = &r->results->list[r->results->count++];
    snprintf(result->name, sizeof result->name, "%s", name);
    result->hash = hash;
}

static size_t stage_bytes(const running *r, lmb_output output) {
    const lmb_batch_def batch = {r->scene->graph, r->scene->capture->character_count, LMB_OUTPUT_PALETTE_BIT};
    return (size_t)lmb_batch_output_floats(&batch, output) * batch.character_count * sizeof(float);
}

// Runs control and poses together, as in the captured frame.
static lmb_result run_frame(const capture_scene *scene, side *side, lmb_error *error) {
    const capture *capture = scene->capture;
    side->batch = (lmb_batch_def){scene->graph, capture->character_count, LMB_OUTPUT_PALETTE_BIT};
    side->events_a_frame = capture->event_count;
    if (side_create(side, error) || side_restore(side, capture->state, capture->kept, error)) {
        return error->result;
    }
    memcpy(side->parameters, capture->parameters, capture->parameter_count * sizeof(float));
    if (capture->event_count > 0) {
        memcpy(side->events, capture->events, capture->event_count * sizeof *side->events);
    }
    side->event_count = capture->event_count;
    return side_run(side, capture->step, capture->number, error);
}

static lmb_result run_sides(running *r, const char *device, lmb_error *error) {
    const capture *capture = r->scene->capture;
    r->side = (side){.gpu = r->gpu, .device_name = device};
    if (run_frame(r->scene, &r->side, error) || run_frame(r->scene, &r->reference, error)) {
        return error->result;
    }
    const size_t emitted = (size_t)capture->character_count * lmb_graph_get_info(r->scene->graph)->emitted_words;
    snprintf(r->results->device, sizeof r->results->device, "%s", side_name(&r->side));
    add(r, "control: state", file_hash(r->side.state, capture->state_words * sizeof(uint32_t)));
    add(r, "control: events emitted", file_hash(r->side.emitted, emitted * sizeof(uint32_t)));
    return LMB_OK;
}

static lmb_result run_on_device(running *r, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                                const lmb_batch_outputs *outputs, lmb_error *error) {
    gpu_side side;
    device *device = &r->side.opened.device;
    // The first frame zeroes the inertialization data.
    const bool failed = gpu_side_create(device, r->side.opened.gpu, batch, 0, &side, error) ||
                        gpu_side_run(&side, inputs, outputs, error) ||
                        (lmb_graph_get_info(batch->graph)->inertia_words > 0 &&
                         (device_write_inertia(device, side.batch, outputs->inertia, error) ||
                          gpu_side_run(&side, inputs, outputs, error)));
    gpu_side_destroy(&side);
    return failed ? error->result : LMB_OK;
}

static lmb_result run_poses(running *r, const lmb_graph *graph, bool gpu, uint32_t output_bits, lmb_error *error) {
    const lmb_batch_def batch = {graph, r->scene->capture->character_count, output_bits};
    const lmb_batch_inputs inputs = {.parameters = r->reference.parameters};
    lmb_batch_outputs outputs = r->outputs;
    outputs.inertia = NULL;
    if (lmb_graph_get_info(graph)->inertia_words > 0) {
        const capture *capture = r->scene->capture;
        outputs.inertia = r->outputs.inertia;
        memcpy(outputs.inertia, capture->kept,
               (size_t)capture->character_count * lmb_graph_get_info(r->scene->graph)->inertia_words *
                   sizeof *outputs.inertia);
    }
    return gpu ? run_on_device(r, &batch, &inputs, &outputs, error) : reference_run(&batch, &inputs, &outputs, error);
}

static uint32_t output_bits_of(const running *r) {
    return lmb_graph_get_info(r->scene->graph)->outputs & ~LMB_OUTPUT_PREVIOUS_PALETTE_BIT;
}

// Runs the program that ends with a node. Skips nodes inside joint maps: they cannot run alone, because their clips and
// poses have other joints.
static lmb_result run_node(running *r, uint32_t node, bool gpu, lmb_error *error) {
    lmb_graph_def def = r->scene->poses;
    def.node_count = node + 1;
    def.inertialize = false;
    lmb_graph *program = NULL;
    lmb_result result = lmb_graph_create_in(&def, LMB_NONE, NULL, &program, error);
    if (result == LMB_ERROR_ARGUMENT) {
        return LMB_OK;
    }
    if (result == LMB_OK) {
        result = run_poses(r, program, gpu, LMB_OUTPUT_LOCAL_BIT, error);
    }
    lmb_graph_destroy(program);
    if (result == LMB_OK) {
        char name[CAPTURE_NAME_SIZE];
        snprintf(name, sizeof name, "node %u: %s", (unsigned)node, lmb_op_name(def.nodes[node].op));
        add(r, name, file_hash(r->outputs.buffers[LMB_OUTPUT_LOCAL], stage_bytes(r, LMB_OUTPUT_LOCAL)));
    }
    return result;
}

static lmb_result run_nodes(running *r, bool gpu, lmb_error *error) {
    const uint32_t count = r->scene->poses.node_count;
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; i < count && result == LMB_OK; i++) {
        result = run_node(r, i, gpu, error);
    }
    if (result == LMB_OK && lmb_graph_get_info(r->scene->graph)->inertia_words > 0) {
        result = run_poses(r, r->scene->graph, gpu, output_bits_of(r), error);
        add(r, "inertialized", file_hash(r->outputs.buffers[LMB_OUTPUT_LOCAL], stage_bytes(r, LMB_OUTPUT_LOCAL)));
    }
    return result;
}

// A device takes long to compile a program for each node. So nodes run on the device only if the whole graph's result
// there differs from the CPU's.
static lmb_result find_nodes(running *r, uint64_t whole, lmb_error *error) {
    const uint32_t before = r->results->count;
    lmb_result result = run_nodes(r, false, error);
    if (result == LMB_OK && r->results->list[r->results->count - 1].hash != whole) {
        r->results->count = before;
        result = run_nodes(r, r->gpu, error);
    }
    return result;
}

static lmb_result run_stages(running *r, uint64_t hashes[LMB_OUTPUT_COUNT], lmb_error *error) {
    lmb_result result = run_poses(r, r->scene->graph, r->gpu, output_bits_of(r), error);
    for (lmb_output output = 0; output < LMB_OUTPUT_COUNT; output++) {
        hashes[output] = file_hash(r->outputs.buffers[output], stage_bytes(r, output));
    }
    return result;
}

static void add_stages(running *r, const uint64_t hashes[LMB_OUTPUT_COUNT]) {
    for (lmb_output output = 0; output < LMB_OUTPUT_COUNT; output++) {
        char name[CAPTURE_NAME_SIZE];
        snprintf(name, sizeof name, "output: %s", lmb_output_name(output));
        if ((output_bits_of(r) & (1u << output)) != 0) {
            add(r, name, hashes[output]);
        }
    }
}

static lmb_result run_all(running *r, const char *device, lmb_error *error) {
    const lmb_batch_def every = {r->scene->graph, r->scene->capture->character_count, (1u << LMB_OUTPUT_COUNT) - 1};
    uint64_t outputs[LMB_OUTPUT_COUNT];
    if (outputs_create(&every, &r->outputs, error) || run_sides(r, device, error) || run_stages(r, outputs, error) ||
        find_nodes(r, outputs[LMB_OUTPUT_LOCAL], error)) {
        return error->result;
    }
    add_stages(r, outputs);
    add(r, "control and poses: palette",
        file_hash(r->side.outputs.buffers[LMB_OUTPUT_PALETTE], stage_bytes(r, LMB_OUTPUT_PALETTE)));
    return LMB_OK;
}

lmb_result capture_run(const capture_scene *scene, bool gpu, const char *device, capture_results *results,
                       lmb_error *error) {
    *results = (capture_results){.list = calloc(scene->poses.node_count + MOST_OTHERS, sizeof *results->list)};
    running r = {.scene = scene, .gpu = gpu, .results = results};
    lmb_result result = results->list == NULL ? fail(error, LMB_ERROR_MEMORY, "no memory") : run_all(&r, device, error);
    result = side_destroy(&r.reference, side_destroy(&r.side, result, error), error);
    outputs_destroy(&r.outputs);
    if (result != LMB_OK) {
        capture_results_release(results);
    }
    return result;
}

void capture_results_release(capture_results *results) {
    free(results->list);
    *results = (capture_results){0};
}
