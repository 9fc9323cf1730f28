// Descriptors as their default functions return them. A default either works, or is refused for what it lacks.
#include "refusal.h"

#include <limber/additive.h>
#include <limber/batch.h>
#include <limber/cost.h>
#include <limber/cpu_profile.h>
#include <string.h>

// A rig of one joint, and a clip of one key.
typedef struct things {
    lmb_rig *rig;
    lmb_clip *clip;
} things;

static things create_things(void) {
    things t = {0};
    const lmb_joint_def joint = lmb_default_joint_def();
    const lmb_channel_def channel = lmb_default_channel_def();
    lmb_rig_def rig = lmb_default_rig_def();
    rig.joints = &joint;
    rig.joint_count = 1;
    rig.channels = &channel;
    rig.channel_count = 1;
    assert_int_equal(lmb_rig_create(&rig, NULL, &t.rig, NULL), LMB_OK);
    static const float time = 0.0f, value[3] = {1.0f, 2.0f, 3.0f};
    lmb_track_def track = lmb_default_track_def();
    track.joint = 0;
    track.key_count = 1;
    track.times = &time;
    track.values = value;
    lmb_clip_def clip = lmb_default_clip_def();
    clip.tracks = &track;
    clip.track_count = 1;
    assert_int_equal(lmb_clip_create(t.rig, &clip, NULL, &t.clip, NULL), LMB_OK);
    return t;
}

static void destroy_things(things *t) {
    lmb_clip_destroy(t->clip);
    lmb_rig_destroy(t->rig);
}

static void defaults_that_work(void **state) {
    (void)state;
    things t = create_things();
    assert_string_equal(lmb_rig_get_def(t.rig)->channels[0].name, "channel_0");
    lmb_clip *clip = NULL;
    const lmb_clip_compression compression = lmb_default_clip_compression();
    assert_int_equal(lmb_clip_compress(t.rig, t.clip, &compression, NULL, &clip, NULL, NULL), LMB_OK);
    lmb_clip_destroy(clip);
    const lmb_clip_additive_def additive = lmb_default_clip_additive_def();
    assert_int_equal(lmb_clip_make_additive(t.rig, t.clip, &additive, NULL, &clip, NULL), LMB_OK);
    assert_true(lmb_clip_get_info(clip)->is_additive);
    lmb_clip_destroy(clip);

    const lmb_node_def node = lmb_default_node_def();
    const lmb_parameter_def parameter = lmb_default_parameter_def();
    static const uint32_t partner = 0;
    lmb_mirror_def mirror = lmb_default_mirror_def();
    mirror.partners = &partner;
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = t.rig;
    def.nodes = &node;
    def.node_count = 1;
    def.parameters = &parameter;
    def.parameter_count = 1;
    def.mirrors = &mirror;
    def.mirror_count = 1;
    lmb_graph *graph = NULL;
    assert_int_equal(lmb_graph_create(&def, NULL, &graph, NULL), LMB_OK);
    lmb_batch_def batch = lmb_default_batch_def();
    batch.graph = graph;
    assert_int_equal(lmb_batch_check(&batch, NULL), LMB_OK);
    assert_int_equal(batch.outputs, LMB_OUTPUT_PALETTE_BIT);
    lmb_graph_destroy(graph);
    destroy_things(&t);
}

static void defaults_that_lack_something(void **state) {
    (void)state;
    things t = create_things();
    lmb_error error;
    const lmb_rig_def rig = lmb_default_rig_def();
    lmb_rig *no_rig = NULL;
    CHECK_REFUSAL(lmb_rig_create(&rig, NULL, &no_rig, &error), &error, LMB_ERROR_ARGUMENT, "joint");
    const lmb_track_def track = lmb_default_track_def();
    lmb_clip_def clip = lmb_default_clip_def();
    clip.tracks = &track;
    clip.track_count = 1;
    lmb_clip *no_clip = NULL;
    CHECK_REFUSAL(lmb_clip_create(t.rig, &clip, NULL, &no_clip, &error), &error, LMB_ERROR_ARGUMENT, "track 0");
    const lmb_batch_def batch = lmb_default_batch_def();
    CHECK_REFUSAL(lmb_batch_check(&batch, &error), &error, LMB_ERROR_ARGUMENT, "graph");
    const lmb_profile_def profile = lmb_default_profile_def();
    lmb_profile *no_profile = NULL;
    CHECK_REFUSAL(lmb_profile_create(&profile, NULL, &no_profile, &error), &error, LMB_ERROR_ARGUMENT, "");
    const lmb_cpu_profile_def cpu_profile = lmb_default_cpu_profile_def();
    lmb_cpu_profile *no_cpu_profile = NULL;
    CHECK_REFUSAL(lmb_cpu_profile_create(&cpu_profile, NULL, &no_cpu_profile, &error), &error, LMB_ERROR_ARGUMENT, "");
    const lmb_cost_def cost = lmb_default_cost_def();
    CHECK_REFUSAL(lmb_cost_measure(&cost, NULL, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT, "");
    destroy_things(&t);
}

// Everything that a graph takes, each refused while it is as its default function returns it.
static void defaults_that_graphs_refuse(void **state) {
    (void)state;
    things t = create_things();
    const lmb_clip *const clips[] = {t.clip};
    const lmb_notify_def notify = lmb_default_notify_def();
    const lmb_machine_def machine = lmb_default_machine_def();
    const lmb_joint_map_def joint_map = lmb_default_joint_map_def();
    const lmb_static_pose_def static_pose = lmb_default_static_pose_def();
    const lmb_mirror_def mirror = lmb_default_mirror_def();
    lmb_player_def player = lmb_default_player_def();
    player.notifies = &notify;
    player.notify_count = 1;
    const lmb_node_def nodes[] = {lmb_playing_node(0, &player), lmb_machine_node(NULL, &machine),
                                  lmb_default_node_def()};
    const lmb_clip_slot_def slot = lmb_default_clip_slot_def();
    lmb_graph_def defs[6];
    for (int i = 0; i < 6; i++) {
        defs[i] = lmb_default_graph_def();
        defs[i].rig = t.rig;
        defs[i].clips = clips;
        defs[i].clip_count = 1;
        defs[i].nodes = &nodes[i < 2 ? i : 2];
        defs[i].node_count = 1;
    }
    defs[2].joint_maps = &joint_map;
    defs[2].joint_map_count = 1;
    defs[3].static_poses = &static_pose;
    defs[3].static_pose_count = 1;
    defs[4].mirrors = &mirror;
    defs[4].mirror_count = 1;
    defs[5].clip_slots = &slot;
    defs[5].clip_slot_count = 1;
    static const char *const words[6] = {"event", "machine", "joint map", "static pose", "mirror", "clip slot"};
    for (int i = 0; i < 6; i++) {
        lmb_error error;
        defs[i].event_count = 2; // so that event 0 exists
        CHECK_REFUSAL(lmb_graph_check(&defs[i], &error), &error, LMB_ERROR_ARGUMENT, words[i]);
    }
    destroy_things(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(defaults_that_work),
                                       cmocka_unit_test(defaults_that_lack_something),
                                       cmocka_unit_test(defaults_that_graphs_refuse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
