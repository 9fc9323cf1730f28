// Untrusted packs: opening one reports an error, or gives graphs that run, and what is written again opens. The fuzzer
// corrects size and checksum first, because otherwise nothing else would be tested.
#include "pack_bytes.h"
#include "packed.h"

#include <limber/cpu.h>
#include <limber/pack.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_NODES = 64, MOST_JOINTS = 64, MOST_GRAPHS = 4, FRAMES = 3 }; // of what runs; more only take time

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "pack_fuzz: %s\n", what);
        abort();
    }
}

static void *get(size_t count, size_t size) {
    void *memory = calloc(count > 0 ? count : 1, size);
    require(memory != NULL, "no memory");
    return memory;
}

static void run_frames(const lmb_graph *graph, const lmb_batch_def *batch, const lmb_batch_inputs *inputs) {
    const lmb_graph_info *info = lmb_graph_get_info(graph);
    const size_t floats = lmb_batch_output_floats(batch, LMB_OUTPUT_PALETTE);
    float *palette = get(floats, sizeof *palette);
    uint32_t *state = get(info->state_words, sizeof *state);
    uint32_t *inertia = get(info->inertia_words, sizeof *inertia);
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_PALETTE] = palette}, .inertia = inertia};
    lmb_cpu *cpu = NULL;
    require(lmb_cpu_create(graph, LMB_CPU_REFERENCE, NULL, &cpu, NULL) == LMB_OK, "no cpu");
    for (uint32_t number = 0; number < FRAMES; number++) {
        const lmb_event event = {0, number};
        lmb_control_frame frame = {.step = (uint64_t)number * 123456789,
                                   .number = number,
                                   .character_count = 1,
                                   .state = state,
                                   .parameters = (float *)(uintptr_t)inputs->parameters,
                                   .events = &event,
                                   .event_count = number < info->event_count ? 1 : 0};
        lmb_batch_inputs moving = *inputs;
        moving.control = info->state_words == 0 ? NULL : &frame;
        require((info->state_words == 0 ? lmb_cpu_run_poses(cpu, batch, &moving, &outputs, 0, 1, NULL)
                                        : lmb_cpu_run(cpu, batch, &moving, &outputs, NULL)) == LMB_OK,
                "it does not run");
        for (size_t i = 0; i < floats; i++) {
            require(fabsf(palette[i]) <= LMB_LARGEST, "a value out of range");
        }
    }
    lmb_cpu_destroy(cpu);
    free(palette);
    free(state);
    free(inertia);
}

static void run(const lmb_graph_def *def) {
    uint64_t room = 0;
    for (uint32_t i = 0; i < def->clip_slot_count; i++) {
        room += def->clip_slots[i].bytes;
    }
    if (room > (uint64_t)64 << 20) { // a graph takes what its slots ask for
        return;
    }
    lmb_graph *graph = NULL;
    lmb_error error;
    const lmb_result result = lmb_graph_create(def, NULL, &graph, &error);
    require(result == LMB_OK, result == LMB_OK ? "" : error.message); // it was checked
    const lmb_batch_def batch = {graph, 1, LMB_OUTPUT_PALETTE_BIT};
    float *parameters = get(lmb_graph_get_info(graph)->parameter_count, sizeof *parameters);
    lmb_batch_inputs inputs = {.parameters = parameters};
    lmb_graph_defaults(graph, parameters);
    for (uint32_t i = 0; i < LMB_MAX_POSES; i++) {
        inputs.poses[i] =
            get(lmb_graph_pose_floats(graph, i < lmb_graph_get_info(graph)->pose_count ? i : 0), sizeof(float));
    }
    float *points = get((size_t)lmb_graph_get_info(graph)->point_count * 4, sizeof *points);
    const lmb_affine transform = {{{1.0f, 0.0f, 0.0f, 3.0f}, {0.0f, 1.0f, 0.0f, 2.0f}, {0.0f, 0.0f, 1.0f, 1.0f}}};
    inputs.points = points;
    inputs.transforms = &transform.m[0][0];
    if (lmb_batch_check(&batch, NULL) == LMB_OK) {
        run_frames(graph, &batch, &inputs);
    }
    for (uint32_t i = 0; i < LMB_MAX_POSES; i++) {
        free((void *)(uintptr_t)inputs.poses[i]);
    }
    free(points);
    free(parameters);
    lmb_graph_destroy(graph);
}

// Writes what the pack has, which must open, and must be the same when it is written again.
static void require_same_again(const lmb_pack *pack) {
    size_t size, again_size;
    void *bytes = packed(lmb_pack_get_def(pack), &size);
    lmb_pack *read = NULL;
    require(bytes != NULL, "it is not written again");
    require(lmb_pack_open(bytes, size, NULL, &read, NULL) == LMB_OK, "what is written again does not open");
    void *again = packed(lmb_pack_get_def(read), &again_size);
    require(again != NULL && size == again_size && memcmp(bytes, again, size) == 0,
            "it changes each time it is written");
    lmb_pack_close(read);
    free(bytes);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *bytes = get(size, 1);
    lmb_pack *pack = NULL;
    lmb_error error = {0};
    size -= size % 4;
    memcpy(bytes, data, size);
    pack_seal(bytes, size);
    const lmb_result result = lmb_pack_open(bytes, size, NULL, &pack, &error);
    if (result != LMB_OK) {
        require(pack == NULL && error.result == result && strncmp(error.message, "pack: ", 6) == 0,
                "a failure that is not reported");
        free(bytes);
        return 0;
    }
    const bool runs = lmb_rig_get_def(lmb_pack_get_def(pack)->rig)->joint_count <= MOST_JOINTS;
    for (uint32_t i = 0; runs && i < lmb_pack_get_def(pack)->graph_count && i < MOST_GRAPHS; i++) {
        const lmb_graph_def *def = lmb_pack_get_def(pack)->graphs[i].def;
        if (def->node_count <= MOST_NODES) {
            run(def);
        }
    }
    require_same_again(pack);
    lmb_pack_close(pack);
    free(bytes);
    return 0;
}
