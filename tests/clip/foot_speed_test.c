// The foot speed of clips in place: steppers whose feet go at known speeds, and the mannequin's clips, whose speeds are
// known from how they are made.
#include "failing_host.h"
#include "refusal.h"
#include "stepper.h"
#include "suite.h"

#include "mannequin.h"

#include <limber/root_motion.h>
#include <math.h>
#include <string.h>

static void steppers_have_the_speed_of_their_feet(void **state) {
    (void)state;
    static const struct {
        float size, x, z;
    } rows[] = {{1.0f, 0.0f, 1.4f},     {1.0f, 0.0f, -0.7f},  {1.0f, 0.8f, 0.0f},  {1.0f, -0.3f, 2.0f},
                {100.0f, 0.0f, 140.0f}, {0.01f, 0.0f, 0.01f}, {1.0f, 0.0f, 0.01f}, {1.0f, 0.0f, 0.0f}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lmb_rig *rig = stepper_create_rig(rows[i].size);
        lmb_clip *clip = stepper_create_clip(rig, rows[i].size, rows[i].x, rows[i].z, 0.5f);
        lmb_foot_speed speed = {{9.0f, 9.0f, 9.0f}, 9.0f, 9.0f, 9.0f};
        assert_int_equal(lmb_root_motion_measure_feet(rig, clip, NULL, &speed, NULL), LMB_OK);
        const bool stands = hypot((double)rows[i].x, (double)rows[i].z) < 0.03 * (double)rows[i].size;
        const double near = 1e-3 * (double)rows[i].size;
        assert_true(fabs((double)speed.velocity[0] - (stands ? 0.0 : (double)rows[i].x)) < near);
        assert_true(speed.velocity[1] == 0.0f);
        assert_true(stands ? speed.slide == 0.0f : speed.slide < 1e-3f);
        // The left foot is on the ground in the first half: its mean on the circle has the length 2 / pi.
        assert_float_equal(speed.phase, (stands ? 0.0f : 0.25f), 0.01f);
        assert_float_equal(speed.alternation, (stands ? 0.0f : 0.637f), 0.01f);
        assert_true(fabs((double)speed.velocity[2] - (stands ? 0.0 : (double)rows[i].z)) < near);
        lmb_clip_destroy(clip);
        lmb_rig_destroy(rig);
    }
}

// Hands that hang nearly as low as the feet, and swing four times as far.
static void low_hands_are_no_feet(void **state) {
    (void)state;
    enum { HIPS, LEFT_FOOT, RIGHT_FOOT, LEFT_HAND, RIGHT_HAND, JOINTS, KEYS = 5 };
    static const float places[JOINTS][3] = {
        {0.0f, 1.0f, 0.0f}, {0.1f, -1.0f, 0.0f}, {-0.1f, -1.0f, 0.0f}, {0.3f, -0.92f, 0.0f}, {-0.3f, -0.92f, 0.0f}};
    static const float times[KEYS] = {0.0f, 0.25f, 0.5f, 0.75f, 1.0f};
    lmb_joint_def joints[JOINTS];
    float values[JOINTS - 1][KEYS][3];
    lmb_track_def tracks[JOINTS - 1];
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : 0;
        memcpy(joints[i].rest.translation, places[i], sizeof places[i]);
        for (uint32_t key = 0; key < KEYS && i > 0; key++) {
            // Left ones go back until the middle of the clip, right ones forward.
            const float back = (key < 3 ? 0.25f - times[key] : times[key] - 0.75f) * (i % 2 == 1 ? 1.0f : -1.0f);
            const bool is_lifted = key == (i % 2 == 1 ? 3 : 1);
            values[i - 1][key][0] = places[i][0];
            values[i - 1][key][1] = places[i][1] + (is_lifted ? 0.1f : 0.0f);
            values[i - 1][key][2] = back * (i >= LEFT_HAND ? 4.0f : 1.0f);
        }
        if (i > 0) {
            tracks[i - 1] =
                (lmb_track_def){i, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, KEYS, times, values[i - 1][0]};
        }
    }
    lmb_rig *rig = NULL;
    lmb_clip *clip = NULL;
    lmb_clip_def def = lmb_default_clip_def();
    def.tracks = tracks;
    def.track_count = JOINTS - 1;
    assert_int_equal(lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = JOINTS}, NULL, &rig, NULL), LMB_OK);
    assert_int_equal(lmb_clip_create(rig, &def, NULL, &clip, NULL), LMB_OK);
    lmb_foot_speed speed;
    assert_int_equal(lmb_root_motion_measure_feet(rig, clip, NULL, &speed, NULL), LMB_OK);
    assert_float_equal(speed.velocity[2], 1.0f, 0.01f);
    assert_float_equal(speed.phase, 0.25f, 0.02f);
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
}

// A foot that is below the hips after 3/10 of its time on the ground moves by 1/0.6 of the velocity until then and by
// 1/1.4 later: the latter is the median, against which it slides by 4/3 for 3/10 of the time.
static void uneven_steps_slide(void **state) {
    (void)state;
    lmb_rig *rig = stepper_create_rig(1.0f);
    lmb_clip *clip = stepper_create_clip(rig, 1.0f, 0.3f, 1.4f, 0.3f);
    lmb_foot_speed speed;
    assert_int_equal(lmb_root_motion_measure_feet(rig, clip, NULL, &speed, NULL), LMB_OK);
    assert_float_equal(speed.velocity[0], 0.3f / 1.4f, 1e-3f);
    assert_float_equal(speed.velocity[2], 1.0f, 1e-3f);
    assert_float_equal(speed.slide, 0.4f, 0.03f);
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
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
        lmb_foot_speed speed;
        assert_int_equal(
            lmb_root_motion_measure_feet(mannequin_rig(figure), mannequin_clip(figure, ids[i]), NULL, &speed, &error),
            LMB_OK);
        const float most = 0.01f * hypotf(travel.left, travel.forward);
        assert_true(fabsf(speed.velocity[0] - travel.left) <= most);
        assert_true(fabsf(speed.velocity[2] - travel.forward) <= most);
        assert_true(speed.slide < 0.2f);
    }
    mannequin_destroy(figure);
}

static lmb_result measure_with(const lmb_host *host, lmb_error *error, void *user) {
    const lmb_rig *rig = ((const void *const *)user)[0];
    const lmb_clip *clip = ((const void *const *)user)[1];
    lmb_foot_speed speed;
    return lmb_root_motion_measure_feet(rig, clip, host, &speed, error);
}

static void what_is_missing_or_fails_is_said(void **state) {
    (void)state;
    lmb_rig *rig = stepper_create_rig(1.0f);
    lmb_clip *clip = stepper_create_clip(rig, 1.0f, 0.0f, 1.0f, 0.5f);
    const lmb_joint_def joint = lmb_default_joint_def();
    const lmb_rig_def def = {.joints = &joint, .joint_count = 1};
    lmb_rig *other = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &other, NULL), LMB_OK);
    lmb_error error = {0};
    lmb_foot_speed speed;
    CHECK_REFUSAL(lmb_root_motion_measure_feet(NULL, clip, NULL, &speed, &error), &error, LMB_ERROR_ARGUMENT,
                  "foot speed: ", "the rig is NULL");
    CHECK_REFUSAL(lmb_root_motion_measure_feet(rig, NULL, NULL, &speed, &error), &error, LMB_ERROR_ARGUMENT,
                  "foot speed: ", "the clip is NULL");
    CHECK_REFUSAL(lmb_root_motion_measure_feet(rig, clip, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT,
                  "foot speed: ", "the result is NULL");
    CHECK_REFUSAL(lmb_root_motion_measure_feet(other, clip, NULL, &speed, &error), &error, LMB_ERROR_ARGUMENT,
                  "foot speed: ", "the clip is for 9 joints, and the rig has 1");
    const void *given[2] = {rig, clip};
    failing_host_try_all(measure_with, given);
    lmb_clip *still = NULL;
    assert_int_equal(lmb_clip_create(rig, &(lmb_clip_def){.name = "still"}, NULL, &still, NULL), LMB_OK);
    assert_int_equal(lmb_root_motion_measure_feet(rig, still, NULL, &speed, NULL), LMB_OK);
    assert_true(speed.velocity[0] == 0.0f && speed.velocity[1] == 0.0f && speed.velocity[2] == 0.0f);
    lmb_clip_destroy(still);
    lmb_clip_destroy(clip);
    lmb_rig_destroy(other);
    lmb_rig_destroy(rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(steppers_have_the_speed_of_their_feet),
                                       cmocka_unit_test(uneven_steps_slide), cmocka_unit_test(low_hands_are_no_feet),
                                       cmocka_unit_test(feet_say_how_fast_a_clip_walks),
                                       cmocka_unit_test(what_is_missing_or_fails_is_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
