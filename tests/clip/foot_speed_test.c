// The foot speed of clips in place: walkers whose feet go at known speeds, and the mannequin's clips, whose speeds are
// known from how they are made.
#include "failing_host.h"
#include "refusal.h"
#include "suite.h"

#include "mannequin.h"

#include <limber/root_motion.h>
#include <math.h>
#include <string.h>

// A walker: hips, an extra joint below the ground, one on the ground for a knee, and two legs of a thigh, a
// foot and toes.
enum { HIPS, PROP, POLE, LEFT_THIGH, LEFT_FOOT, LEFT_TOES, RIGHT_THIGH, RIGHT_FOOT, RIGHT_TOES, JOINTS, KEYS = 5 };
#define PERIOD 0.8f

static lmb_rig *make_rig(float size) {
    static const uint32_t parents[JOINTS] = {LMB_NONE,  HIPS, HIPS,        HIPS,      LEFT_THIGH,
                                             LEFT_FOOT, HIPS, RIGHT_THIGH, RIGHT_FOOT};
    static const float places[JOINTS][3] = {{0.0f, 1.0f, 0.0f},  {0.0f, -3.0f, 0.0f}, {0.0f, -1.0f, 1.0f},
                                            {0.1f, 0.0f, 0.0f},  {0.0f, -0.9f, 0.0f}, {0.0f, -0.1f, 0.15f},
                                            {-0.1f, 0.0f, 0.0f}, {0.0f, -0.9f, 0.0f}, {0.0f, -0.1f, 0.15f}};
    lmb_joint_def joints[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = parents[i];
        joints[i].is_extra = i == PROP;
        for (int k = 0; k < 3; k++) {
            joints[i].rest.translation[k] = size * places[i][k];
        }
    }
    lmb_rig_def def = lmb_default_rig_def();
    def.joints = joints;
    def.joint_count = JOINTS;
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

// Each foot is on the ground for half of the time, while it moves against (x, z), then returns through the air. The
// right one is half a period later.
static lmb_clip *make_clip(const lmb_rig *rig, float size, float x, float z) {
    static const float shares[KEYS] = {1.0f, 0.0f, -1.0f, 0.0f, 1.0f}; // of the reach
    const float reach = 0.25f * PERIOD;                                // in seconds of the velocity
    float times[KEYS], values[2][KEYS][3];
    lmb_track_def tracks[2];
    for (uint32_t foot = 0; foot < 2; foot++) {
        for (uint32_t key = 0; key < KEYS; key++) {
            const float share = foot == 0 ? shares[key] : -shares[key];
            times[key] = 0.25f * PERIOD * (float)key;
            values[foot][key][0] = x * reach * share;
            values[foot][key][1] = size * ((key == 3 - 2 * foot ? 0.2f : 0.0f) - 0.9f);
            values[foot][key][2] = z * reach * share;
        }
        tracks[foot] = (lmb_track_def){foot == 0 ? LEFT_FOOT : RIGHT_FOOT,
                                       LMB_PROPERTY_TRANSLATION,
                                       LMB_INTERPOLATION_LINEAR,
                                       KEYS,
                                       times,
                                       values[foot][0]};
    }
    lmb_clip_def def = lmb_default_clip_def();
    def.name = "steps";
    def.tracks = tracks;
    def.track_count = 2;
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    if (lmb_clip_create(rig, &def, NULL, &clip, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return clip;
}

static void walkers_have_the_speed_of_their_feet(void **state) {
    (void)state;
    static const struct {
        float size, x, z;
    } rows[] = {{1.0f, 0.0f, 1.4f},     {1.0f, 0.0f, -0.7f},  {1.0f, 0.8f, 0.0f},  {1.0f, -0.3f, 2.0f},
                {100.0f, 0.0f, 140.0f}, {0.01f, 0.0f, 0.01f}, {1.0f, 0.0f, 0.01f}, {1.0f, 0.0f, 0.0f}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lmb_rig *rig = make_rig(rows[i].size);
        lmb_clip *clip = make_clip(rig, rows[i].size, rows[i].x, rows[i].z);
        float velocity[3] = {9.0f, 9.0f, 9.0f};
        assert_int_equal(lmb_root_motion_measure_feet(rig, clip, NULL, velocity, NULL), LMB_OK);
        const bool stands = hypot((double)rows[i].x, (double)rows[i].z) < 0.03 * (double)rows[i].size;
        const double near = 1e-3 * (double)rows[i].size;
        assert_true(fabs((double)velocity[0] - (stands ? 0.0 : (double)rows[i].x)) < near);
        assert_true(velocity[1] == 0.0f);
        assert_true(fabs((double)velocity[2] - (stands ? 0.0 : (double)rows[i].z)) < near);
        lmb_clip_destroy(clip);
        lmb_rig_destroy(rig);
    }
}

// A foot rolls, so its middle is not completely still while it is on the ground.
static void feet_say_how_fast_a_clip_walks(void **state) {
    (void)state;
    static const mannequin_clip_id ids[] = {MANNEQUIN_IDLE,      MANNEQUIN_WALK,        MANNEQUIN_RUN,
                                            MANNEQUIN_WALK_BACK, MANNEQUIN_STRAFE_LEFT, MANNEQUIN_STRAFE_RIGHT,
                                            MANNEQUIN_WAVE};
    mannequin *figure = NULL;
    lmb_error error = {0};
    assert_int_equal(mannequin_create(NULL, &figure, &error), LMB_OK);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const mannequin_travel travel = mannequin_clip_travel(ids[i]);
        float velocity[3];
        assert_int_equal(
            lmb_root_motion_measure_feet(mannequin_rig(figure), mannequin_clip(figure, ids[i]), NULL, velocity, &error),
            LMB_OK);
        const float most = 0.01f * hypotf(travel.left, travel.forward);
        assert_true(fabsf(velocity[0] - travel.left) <= most);
        assert_true(fabsf(velocity[2] - travel.forward) <= most);
    }
    mannequin_destroy(figure);
}

static lmb_result measure_with(const lmb_host *host, lmb_error *error, void *user) {
    const lmb_rig *rig = ((const void *const *)user)[0];
    const lmb_clip *clip = ((const void *const *)user)[1];
    float velocity[3];
    return lmb_root_motion_measure_feet(rig, clip, host, velocity, error);
}

static void what_is_missing_or_fails_is_said(void **state) {
    (void)state;
    lmb_rig *rig = make_rig(1.0f);
    lmb_clip *clip = make_clip(rig, 1.0f, 0.0f, 1.0f);
    const lmb_joint_def joint = lmb_default_joint_def();
    const lmb_rig_def def = {.joints = &joint, .joint_count = 1};
    lmb_rig *other = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &other, NULL), LMB_OK);
    lmb_error error = {0};
    float velocity[3];
    CHECK_REFUSAL(lmb_root_motion_measure_feet(NULL, clip, NULL, velocity, &error), &error, LMB_ERROR_ARGUMENT,
                  "foot speed: ", "the rig is NULL");
    CHECK_REFUSAL(lmb_root_motion_measure_feet(rig, NULL, NULL, velocity, &error), &error, LMB_ERROR_ARGUMENT,
                  "foot speed: ", "the clip is NULL");
    CHECK_REFUSAL(lmb_root_motion_measure_feet(rig, clip, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT,
                  "foot speed: ", "the result is NULL");
    CHECK_REFUSAL(lmb_root_motion_measure_feet(other, clip, NULL, velocity, &error), &error, LMB_ERROR_ARGUMENT,
                  "foot speed: ", "the clip is for 9 joints, and the rig has 1");
    const void *given[2] = {rig, clip};
    failing_host_try_all(measure_with, given);
    lmb_clip *still = NULL;
    assert_int_equal(lmb_clip_create(rig, &(lmb_clip_def){.name = "still"}, NULL, &still, NULL), LMB_OK);
    assert_int_equal(lmb_root_motion_measure_feet(rig, still, NULL, velocity, NULL), LMB_OK);
    assert_true(velocity[0] == 0.0f && velocity[1] == 0.0f && velocity[2] == 0.0f);
    lmb_clip_destroy(still);
    lmb_clip_destroy(clip);
    lmb_rig_destroy(other);
    lmb_rig_destroy(rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(walkers_have_the_speed_of_their_feet),
                                       cmocka_unit_test(feet_say_how_fast_a_clip_walks),
                                       cmocka_unit_test(what_is_missing_or_fails_is_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
