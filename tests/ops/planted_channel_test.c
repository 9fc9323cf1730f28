// Feet planted by float channels, on all paths of the CPU, beside feet that the host plants at the same times: all
// matrices and all that is kept have the same bits.
#include "planted_scene.h"
#include "refusal.h"

#include <limber/retarget.h>
#include <string.h>

enum { FRAMES = 250 };

static float transforms[PLANTED_CHARACTERS][12];

static void run(planted_scene *s, lmb_cpu *cpu) {
    lmb_error error = {0};
    const lmb_batch_inputs inputs = {.control = &s->frame};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_MODEL] = s->models, .inertia = s->memory};
    s->frame.matrices = &transforms[0][0];
    assert_ok(lmb_cpu_run(cpu, &s->batch, &inputs, &outputs, &error), &error);
}

static void expect_same(lmb_cpu_path path, bool is_mirrored) {
    planted_scene by_channels, by_host;
    lmb_cpu *cpus[2];
    lmb_error error = {0};
    uint32_t planted = 0;
    planted_begin(&by_channels, true, is_mirrored);
    planted_begin(&by_host, false, is_mirrored);
    assert_ok(lmb_cpu_create(by_channels.graph, path, NULL, &cpus[0], &error), &error);
    assert_ok(lmb_cpu_create(by_host.graph, LMB_CPU_REFERENCE, NULL, &cpus[1], &error), &error);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        planted_move(&by_channels, frame);
        planted_move(&by_host, frame);
        run(&by_channels, cpus[0]);
        run(&by_host, cpus[1]);
        const size_t floats = (size_t)PLANTED_CHARACTERS * PLANTED_JOINTS * 12;
        assert_memory_equal(by_channels.models, by_host.models, floats * sizeof(float));
        const size_t words = (size_t)PLANTED_CHARACTERS * lmb_graph_get_info(by_host.graph)->inertia_words;
        assert_memory_equal(by_channels.memory, by_host.memory, words * sizeof(uint32_t));
        for (uint32_t i = 0; i < PLANTED_CHARACTERS; i++) {
            planted += planted_inside(&by_host, i, 0) && planted_inside(&by_host, i, 1);
        }
    }
    assert_in_range(planted, 500, FRAMES * PLANTED_CHARACTERS / 2);
    for (uint32_t i = 0; i < 2; i++) {
        lmb_cpu_destroy(cpus[i]);
    }
    planted_end(&by_channels);
    planted_end(&by_host);
}

static void channels_plant_feet(void **state) {
    (void)state;
    expect_same(LMB_CPU_REFERENCE, false);
}

// Channels have no partners here: which foot a clip plants follows from the ankles.
static void mirrored_clips_plant_the_other_feet(void **state) {
    (void)state;
    expect_same(LMB_CPU_REFERENCE, true);
    expect_same(LMB_CPU_FAST, true);
}

static void channels_plant_feet_in_lanes(void **state) {
    (void)state;
    expect_same(LMB_CPU_FAST, false);
}

// A clip of another rig has other channels, or none: it plants no foot.
static void clips_of_a_retarget_do_not_plant(void **state) {
    (void)state;
    const float times[2] = {0.0f, 1.0f}, values[6] = {0.0f, 0.8f, 0.0f, 0.0f, 0.9f, 0.0f};
    const lmb_track_def track = {0, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, values};
    const lmb_clip_def clip_def = {.tracks = &track, .track_count = 1};
    const lmb_joint_def joint = lmb_default_joint_def();
    const lmb_rig_def rig_def = {.joints = &joint, .joint_count = 1};
    lmb_rig *rig = NULL;
    lmb_clip *clip = NULL;
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    planted_scene scene;
    planted_begin(&scene, true, false);
    assert_ok(lmb_rig_create(&rig_def, NULL, &rig, &error), &error);
    assert_ok(lmb_clip_create(rig, &clip_def, NULL, &clip, &error), &error);
    const lmb_clip *const clips[] = {clip};
    const uint32_t table[PLANTED_JOINTS] = {0, LMB_NONE, LMB_NONE, LMB_NONE, LMB_NONE, LMB_NONE, LMB_NONE};
    const lmb_retarget_def retarget = lmb_retarget_of(rig, table);
    const lmb_player_def player = lmb_default_player_def();
    const lmb_node_def nodes[] = {lmb_playing_node(0, &player), lmb_retarget_node(0, 0), planted_feet(1, true)};
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = scene.rig;
    def.clips = clips;
    def.clip_count = 1;
    def.retargets = &retarget;
    def.retarget_count = 1;
    def.nodes = nodes;
    def.node_count = 3;
    def.parameter_count = PLANTED_PARAMETERS;
    CHECK_REFUSAL(lmb_graph_create(&def, NULL, &graph, &error), &error, LMB_ERROR_ARGUMENT, "feet[0].planted_channel",
                  "no clip that plays below the node has a track");
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
    planted_end(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(channels_plant_feet),
        cmocka_unit_test(channels_plant_feet_in_lanes),
        cmocka_unit_test(mirrored_clips_plant_the_other_feet),
        cmocka_unit_test(clips_of_a_retarget_do_not_plant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
