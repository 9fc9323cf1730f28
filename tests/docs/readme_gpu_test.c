// The C example of README.md on a device: its function records a frame whose matrices are those of the reference.
#include "gpu_suite.h"

#include <limber/cpu.h>

enum { CHARACTERS = 3, FRAMES = 4 };
#define STEP 0.125 // seconds: exact ticks

// Defined in README.md.
VkDeviceAddress record_crowd(lmb_gpu_batch *crowd, uint32_t frame, VkCommandBuffer commands, double seconds,
                             lmb_error *error);

typedef struct crowd {
    gpu_device opened;
    lmb_graph *graph;
    lmb_gpu_graph *on_device;
    lmb_gpu_batch *batch;
} crowd;

// A joint that moves by 1 along x in a second, and turns by 90 degrees about z.
static lmb_graph *create_graph(void) {
    static const float times[2] = {0.0f, 1.0f}, positions[6] = {0, 0, 0, 1, 0, 0};
    static const float turns[8] = {0, 0, 0, 1, 0, 0, 0.707106769f, 0.707106769f};
    const lmb_track_def tracks[2] = {{0, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, positions},
                                     {0, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, 2, times, turns}};
    const lmb_joint_def joint = lmb_default_joint_def();
    const lmb_rig_def rig_def = {.joints = &joint, .joint_count = 1};
    const lmb_clip_def clip_def = {.tracks = tracks, .track_count = 2};
    const lmb_player_def player = lmb_default_player_def();
    lmb_rig *rig = NULL;
    lmb_clip *clip = NULL;
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    assert_ok(lmb_rig_create(&rig_def, NULL, &rig, &error), &error);
    assert_ok(lmb_clip_create(rig, &clip_def, NULL, &clip, &error), &error);
    lmb_node_def node = lmb_clip_node(0, lmb_constant(0.0f));
    node.player = &player;
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = rig;
    def.clips = (const lmb_clip *const *)&clip;
    def.clip_count = 1;
    def.nodes = &node;
    def.node_count = 1;
    assert_ok(lmb_graph_create(&def, NULL, &graph, &error), &error);
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
    return graph;
}

static void start(crowd *c, uint32_t slots) {
    *c = (crowd){.graph = create_graph()};
    lmb_error error = {0};
    assert_ok(gpu_device_open(NULL, false, &c->opened, &error), &error);
    assert_ok(lmb_gpu_graph_create(c->opened.gpu, c->graph, &c->on_device, &error), &error);
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.graph = c->on_device;
    def.character_count = CHARACTERS;
    def.outputs = LMB_OUTPUT_PALETTE_BIT;
    def.slot_count = slots;
    assert_ok(lmb_gpu_batch_create(c->opened.gpu, &def, &c->batch, &error), &error);
}

static void end(crowd *c) {
    lmb_error error = {0};
    lmb_gpu_batch_destroy(c->batch);
    lmb_gpu_graph_destroy(c->on_device);
    assert_ok(gpu_device_close(&c->opened, LMB_OK, &error), &error);
    lmb_graph_destroy(c->graph);
}

// Records and runs a frame, with the upload in the first. Returns the address of its matrices.
static VkDeviceAddress run(crowd *c, uint32_t frame) {
    device *device = &c->opened.device;
    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_error error = {0};
    assert_ok(device_begin(device, &pool, &commands, &error), &error);
    if (frame == 0) {
        assert_ok(lmb_gpu_graph_record_upload(c->on_device, commands, &error), &error);
    }
    const VkDeviceAddress address = record_crowd(c->batch, frame, commands, STEP, &error);
    const lmb_result result = device_finish(device, pool, commands, LMB_OK, &error);
    assert_ok(result, &error);
    return address;
}

static void it_records_what_the_reference_computes(void **state) {
    (void)state;
    crowd c;
    start(&c, 2);
    const lmb_batch_def batch = {c.graph, CHARACTERS, LMB_OUTPUT_PALETTE_BIT};
    float *parameters = calloc(CHARACTERS, lmb_graph_get_info(c.graph)->parameter_count * sizeof *parameters);
    uint32_t *states = calloc((size_t)CHARACTERS * lmb_graph_get_info(c.graph)->state_words, 4);
    float expected[CHARACTERS][12], got[CHARACTERS][12];
    lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_PALETTE] = &expected[0][0]};
    lmb_control_frame frame = lmb_default_control_frame();
    const lmb_batch_inputs inputs = {.control = &frame};
    lmb_cpu *cpu = NULL;
    lmb_error error = {0};
    assert_true(states != NULL && parameters != NULL);
    assert_ok(lmb_cpu_create(c.graph, LMB_CPU_REFERENCE, NULL, &cpu, &error), &error);
    frame.step = lmb_ticks_from_seconds(STEP);
    frame.character_count = CHARACTERS;
    frame.state = states;
    frame.parameters = parameters;
    for (frame.number = 0; frame.number < FRAMES; frame.number++) {
        const VkDeviceAddress address = run(&c, frame.number);
        lmb_gpu_span span;
        assert_true(lmb_gpu_batch_output(c.batch, frame.number % 2, LMB_OUTPUT_PALETTE, 0, &span));
        assert_true(address == span.address && address != 0);
        assert_ok(
            device_read_output(&c.opened.device, c.batch, frame.number % 2, LMB_OUTPUT_PALETTE, &got[0][0], &error),
            &error);
        assert_ok(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error), &error);
        assert_memory_equal(got, expected, sizeof got);
        assert_true(expected[0][3] > 0.1f * (float)frame.number); // it moves
    }
    lmb_cpu_destroy(cpu);
    free(parameters);
    free(states);
    end(&c);
}

static void it_returns_no_address_if_it_fails(void **state) {
    (void)state;
    crowd c;
    start(&c, 1); // the function expects two frames in flight
    assert_true(run(&c, 0) != 0);
    assert_true(run(&c, 1) == 0);
    end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_records_what_the_reference_computes),
                                       cmocka_unit_test(it_returns_no_address_if_it_fails)};
    return run_gpu_suite("readme", tests, sizeof tests / sizeof *tests);
}
