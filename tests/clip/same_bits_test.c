// What is computed when clips are changed and graphs are created has the same bits everywhere, though it needs angles:
// the fingerprint of a graph of a clip without its root motion and of a part of it, with joint limits, a limited limb
// and root motion that turns.
#include "suite.h"

#include <limber/clip.h>
#include <limber/graph.h>
#include <limber/root_motion.h>
#include <math.h>

enum { HIPS, THIGH, SHIN, FOOT, JOINTS, KEYS = 41 };

// Only operations that are exact, or rounded in one way.
static void turn(int x, int y, int z, int w, float rotation[4]) {
    const double length = sqrt((double)(x * x + y * y + z * z + w * w));
    const int numbers[4] = {x, y, z, w};
    for (int i = 0; i < 4; i++) {
        rotation[i] = (float)(numbers[i] / length);
    }
}

static lmb_rig *make_rig(void) {
    static const char *const names[JOINTS] = {"hips", "thigh", "shin", "foot"};
    lmb_joint_def joints[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].name = names[i];
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
        joints[i].rest.translation[1] = i == 0 ? 0.9f : -0.4f;
        joints[i].rest.translation[2] = i == SHIN ? 0.05f : 0.0f;
    }
    lmb_rig_def def = lmb_default_rig_def();
    def.joints = joints;
    def.joint_count = JOINTS;
    lmb_rig *rig = NULL;
    lmb_error error = {0};
    assert_ok(lmb_rig_create(&def, NULL, &rig, &error), &error);
    return rig;
}

// A walk in a curve that leans.
static lmb_clip *make_clip(const lmb_rig *rig) {
    float times[KEYS], places[KEYS][3], turns[2][KEYS][4];
    for (int i = 0; i < KEYS; i++) {
        times[i] = (float)i / 20.0f;
        places[i][0] = 0.003f * (float)(i * i);
        places[i][1] = 0.9f + 0.01f * (float)(i % 3);
        places[i][2] = 0.07f * (float)i;
        turn(i % 5 - 2, 2 * i, i % 7 - 3, 60 - i, turns[0][i]);
        turn(20 + i % 11, i % 4 - 2, 1, 50, turns[1][i]);
    }
    const lmb_track_def tracks[] = {
        {HIPS, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, KEYS, times, places[0]},
        {HIPS, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, KEYS, times, turns[0][0]},
        {SHIN, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, KEYS, times, turns[1][0]},
    };
    lmb_clip_def def = lmb_default_clip_def();
    def.name = "curve";
    def.duration = times[KEYS - 1];
    def.tracks = tracks;
    def.track_count = sizeof tracks / sizeof *tracks;
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    assert_ok(lmb_clip_create(rig, &def, NULL, &clip, &error), &error);
    return clip;
}

static void make_limits(lmb_joint_limit_def limits[JOINTS]) {
    for (uint32_t i = 0; i < JOINTS; i++) {
        limits[i] = lmb_default_joint_limit_def();
    }
    limits[THIGH].set = LMB_JOINT_LIMIT_TWIST | LMB_JOINT_LIMIT_SWING;
    limits[THIGH].twist_min = -17.3f;
    limits[THIGH].twist_max = 41.9f;
    limits[THIGH].swing = 77.7f;
    limits[FOOT].set = LMB_JOINT_LIMIT_ANGLES;
    for (int i = 0; i < 3; i++) {
        limits[FOOT].angle_min[i] = -11.1f * (float)(i + 1);
        limits[FOOT].angle_max[i] = 23.3f * (float)(i + 1);
    }
}

static void fingerprints_are_the_same_everywhere(void **state) {
    (void)state;
    lmb_rig *rig = make_rig();
    lmb_clip *whole = make_clip(rig), *part = NULL;
    lmb_root_motion_def motion_def = lmb_default_root_motion_def();
    motion_def.joint = HIPS;
    lmb_root_motion *motion = NULL;
    lmb_clip_part_def part_def = lmb_default_clip_part_def();
    part_def.start = 0.313f;
    part_def.end = 1.777f;
    lmb_error error = {0};
    assert_ok(lmb_root_motion_extract(rig, whole, &motion_def, NULL, &motion, &error), &error);
    assert_ok(lmb_clip_cut(rig, whole, &part_def, NULL, &part, &error), &error);
    const lmb_clip *const clips[] = {lmb_root_motion_clip(motion), part};
    lmb_joint_limit_def limits[JOINTS];
    make_limits(limits);
    const lmb_joint_limit_def *const all_limits = limits;
    lmb_player_def player = lmb_default_player_def();
    player.motion = lmb_root_motion_track(motion);
    const lmb_value head[3] = {lmb_constant(0.3f), lmb_constant(0.2f), lmb_constant(0.4f)};
    const float forward[3] = {0.0f, 0.0f, 1.0f};
    lmb_node_def aim = lmb_aim_node(3, THIGH, forward, head);
    aim.aim.limit = 1.234f;
    const lmb_node_def nodes[] = {lmb_playing_node(0, &player), lmb_clip_node(1, lmb_parameter(0)),
                                  lmb_blend_node(0, 1, lmb_constant(0.5f)), lmb_clamp_node(2, 0), aim};
    const lmb_motion_def character = lmb_default_motion_def();
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = rig;
    def.clips = clips;
    def.clip_count = 2;
    def.joint_limits = &all_limits;
    def.joint_limits_count = 1;
    def.nodes = nodes;
    def.node_count = sizeof nodes / sizeof *nodes;
    def.parameter_count = 1;
    def.motion = &character;
    lmb_graph *graph = NULL;
    assert_ok(lmb_graph_create(&def, NULL, &graph, &error), &error);
    if (lmb_graph_fingerprint(graph) != 0xebb278067f7dc5c5u) {
        fail_msg("the fingerprint is 0x%016llx", (unsigned long long)lmb_graph_fingerprint(graph));
    }
    lmb_graph_destroy(graph);
    lmb_clip_destroy(part);
    lmb_clip_destroy(whole);
    lmb_root_motion_destroy(motion);
    lmb_rig_destroy(rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fingerprints_are_the_same_everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
