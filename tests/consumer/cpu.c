// A separate program in the common subset of C17 and C++20. It runs a small batch on the reference and on the widest
// path of the CPU, and exits with 0 if the bits agree. With CONSUMER_IMPORT it also links limber::import.
#include <limber/cpu.h>
#ifdef CONSUMER_IMPORT
#include <limber/import.h>
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHARACTERS 21u
#define JOINTS 3u
#define PALETTE_FLOATS (CHARACTERS * JOINTS * LMB_MATRIX_COMPONENTS)

static void check(lmb_result result, const lmb_error *error) {
    if (result != LMB_OK) {
        fprintf(stderr, "consumer: %s\n", error->message);
        exit(EXIT_FAILURE);
    }
}

// A chain of three joints. The second one turns; parameter 0 is the time.
static lmb_graph *create_graph(void) {
    lmb_error error;
    lmb_joint_def joints[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
        joints[i].rest.translation[1] = 0.5f;
    }
    lmb_rig_def rig_def;
    memset(&rig_def, 0, sizeof rig_def);
    rig_def.joints = joints;
    rig_def.joint_count = JOINTS;
    lmb_rig *rig;
    check(lmb_rig_create(&rig_def, NULL, &rig, &error), &error);

    const float times[] = {0.0f, 1.0f};
    const float rotations[] = {0.0f, 0.0f, 0.0f, 1.0f, 0.6f, 0.0f, 0.0f, 0.8f};
    lmb_track_def track;
    memset(&track, 0, sizeof track);
    track.joint = 1;
    track.property = LMB_PROPERTY_ROTATION;
    track.interpolation = LMB_INTERPOLATION_LINEAR;
    track.key_count = 2;
    track.times = times;
    track.values = rotations;
    lmb_clip_def clip_def;
    memset(&clip_def, 0, sizeof clip_def);
    clip_def.name = "turn";
    clip_def.tracks = &track;
    clip_def.track_count = 1;
    lmb_clip *clip;
    check(lmb_clip_create(rig, &clip_def, NULL, &clip, &error), &error);

    const lmb_node_def node = lmb_clip_node(0, lmb_parameter(0));
    const lmb_clip *const clips[] = {clip};
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = rig;
    def.clips = clips;
    def.clip_count = 1;
    def.nodes = &node;
    def.node_count = 1;
    def.parameter_count = 1;
    lmb_graph *graph;
    check(lmb_graph_create(&def, NULL, &graph, &error), &error);
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
    return graph;
}

static void run(const lmb_graph *graph, lmb_cpu_path path, float *palette) {
    lmb_error error;
    float parameters[CHARACTERS];
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        parameters[i] = 0.047f * (float)i;
    }
    lmb_cpu *cpu;
    check(lmb_cpu_create(graph, path, NULL, &cpu, &error), &error);
    lmb_batch_def batch;
    memset(&batch, 0, sizeof batch);
    batch.graph = graph;
    batch.character_count = CHARACTERS;
    batch.outputs = LMB_OUTPUT_PALETTE_BIT;
    lmb_batch_inputs inputs;
    memset(&inputs, 0, sizeof inputs);
    inputs.parameters = parameters;
    lmb_batch_outputs outputs;
    memset(&outputs, 0, sizeof outputs);
    outputs.buffers[LMB_OUTPUT_PALETTE] = palette;
    check(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error), &error);
    lmb_cpu_destroy(cpu);
}

int main(void) {
    static float reference[PALETTE_FLOATS], fast[PALETTE_FLOATS], zero[PALETTE_FLOATS];
    lmb_graph *graph = create_graph();
    run(graph, LMB_CPU_REFERENCE, reference);
    run(graph, LMB_CPU_FAST, fast);
    lmb_graph_destroy(graph);
#ifdef CONSUMER_IMPORT
    lmb_import_destroy(NULL);
#endif
    const bool good = memcmp(reference, fast, sizeof fast) == 0 && memcmp(reference, zero, sizeof zero) != 0;
    printf("%s\n", good ? "the bits agree" : "the bits differ");
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
