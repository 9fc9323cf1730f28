// What "auto" finds: the axes about which limbs bend, and the velocities of clips in place.
#include "figure.h"
#include "graph_text.h"
#include "ik_rig.h"
#include "stepper.h"
#include "suite.h"

#include <limber/graph_json.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Reads a text, in which ' stands for ", with the first of the mannequin's clips. Returns NULL if `refusal` is not:
// then it is refused so.
static lmb_graph_json *read_text(const lmb_rig *rig, uint32_t clip_count, const char *text, const char *refusal) {
    const char *const quoted = json_text(text);
    const lmb_graph_source source = {
        .text = quoted, .size = strlen(quoted), .rig = rig, .clips = figure_clips, .clip_count = clip_count};
    lmb_graph_json *graph = NULL;
    lmb_error error = {0};
    const lmb_result result = lmb_graph_json_read(&source, NULL, &graph, NULL, &error);
    if (refusal == NULL && result != LMB_OK) {
        fail_msg("%s", error.message);
    } else if (refusal != NULL) {
        assert_int_not_equal(result, LMB_OK);
        assert_non_null(strstr(error.message, refusal));
    }
    return graph;
}

static lmb_graph_json *read_of_mannequin(const char *text, const char *refusal) {
    return read_text(mannequin_rig(figure), MANNEQUIN_CLIP_COUNT, text, refusal);
}

// The legs of the mannequin are straight in the rest pose: its clips bend them.
static void limbs_of_the_mannequin_bend_about_their_axes(void **state) {
    (void)state;
    static const struct {
        const char *joints;
        float axis[3];
    } rows[] = {{"'start':'left_thigh','mid':'left_shin','end':'left_foot'", {-1.0f, 0.0f, 0.0f}},
                {"'start':'right_thigh','mid':'right_shin','end':'right_foot'", {-1.0f, 0.0f, 0.0f}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[500];
        snprintf(text, sizeof text, "{'op':'ik-two-bone','base':{'op':'rest'},%s,'target':[0,0,0],'mid-axis':'auto'}",
                 rows[i].joints);
        lmb_graph_json *graph = read_of_mannequin(text, NULL);
        const float *axis = lmb_graph_json_def(graph)->nodes[1].two_bone.mid_axis;
        double dot = 0.0;
        for (int k = 0; k < 3; k++) {
            dot += (double)axis[k] * (double)rows[i].axis[k];
        }
        assert_true(dot > 0.995);
        lmb_graph_json_destroy(graph);
    }
    lmb_graph_json *graph = read_of_mannequin("{'op':'foot-placement','base':{'op':'rest'},'pelvis':'pelvis','feet':[{"
                                              "'hip':'left_thigh','knee':'left_shin','ankle':'left_foot','knee-axis':"
                                              "'auto','ground':[0,0,0],'normal':[0,1,0]}]}",
                                              NULL);
    assert_true(lmb_graph_json_def(graph)->nodes[1].feet.feet[0].knee_axis[0] < -0.99f);
    lmb_graph_json_destroy(graph);
}

// A limb whose mid is bent by `bend` radians about an axis of its own space, with a turned joint between start and mid.
static lmb_rig *make_limb(double bend, const double axis[3]) {
    static const char *const names[] = {"start", "between", "mid", "end"};
    lmb_joint_def joints[4];
    for (uint32_t i = 0; i < 4; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].name = names[i];
        joints[i].parent = i > 0 ? i - 1 : LMB_NONE;
        joints[i].rest.translation[1] = i > 0 ? 1.0f : 0.0f;
    }
    joints[0].rest.scale[0] = joints[0].rest.scale[1] = joints[0].rest.scale[2] = 2.0f;
    for (int k = 0; k < 3; k++) {
        joints[2].rest.rotation[k] = (float)(axis[k] * sin(0.5 * bend));
    }
    joints[2].rest.rotation[3] = (float)cos(0.5 * bend);
    lmb_rig_def def = lmb_default_rig_def();
    def.joints = joints;
    def.joint_count = 4;
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

#define LIMB(start, end)                                                                                               \
    "{'op':'ik-two-bone','base':{'op':'rest'},'start':'" start "','mid':'mid','end':'" end                             \
    "','target':[0,0,0],'mid-axis':'auto'}"

// A positive turn about the axis straightens the limb: it goes against the bend.
static void a_limb_bends_as_in_the_rest_pose(void **state) {
    (void)state;
    static const double axes[][3] = {{1.0, 0.0, 0.0}, {-1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {0.6, 0.0, -0.8}};
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
        for (double bend = 0.1; bend < 3.0; bend += 0.7) {
            lmb_rig *rig = make_limb(bend, axes[i]);
            lmb_graph_json *graph = read_text(rig, 0, LIMB("start", "end"), NULL);
            const float *axis = lmb_graph_json_def(graph)->nodes[1].two_bone.mid_axis;
            for (int k = 0; k < 3; k++) {
                assert_true(fabs((double)axis[k] + axes[i][k]) < 1e-5);
            }
            lmb_graph_json_destroy(graph);
            lmb_rig_destroy(rig);
        }
    }
    lmb_rig *straight = make_limb(0.0, axes[0]);
    read_text(straight, 0, LIMB("start", "end"),
              "mid-axis: 'start', 'mid' and 'end' are in a line in the rest pose and in all clips");
    read_text(straight, 0, LIMB("end", "end"), "mid: joint ");
    read_text(straight, 0, LIMB("end", "start"), "mid: joint ");
    lmb_rig_destroy(straight);
}

// A foot that is not below its shin counts where the rest pose has it.
static void legs_bend_to_feet_that_are_elsewhere(void **state) {
    (void)state;
    for (int place = 0; place < IK_PLACES; place++) {
        lmb_rig *rig = ik_rig_create((ik_place)place);
        char text[300];
        snprintf(text, sizeof text,
                 "{'op':'ik-two-bone','base':{'op':'rest'},'start':'joint %u','mid':'joint %u','end':'joint %u',"
                 "'target':[0,0,0],'mid-axis':'auto'}",
                 (unsigned)ik_leg(0, IK_THIGH), (unsigned)ik_leg(0, IK_SHIN), (unsigned)ik_foot(0));
        lmb_graph_json *graph = read_text(rig, 0, text, NULL);
        const float *axis = lmb_graph_json_def(graph)->nodes[1].two_bone.mid_axis;
        assert_true(axis[0] < -0.9999f && fabsf(axis[1]) < 1e-3f && fabsf(axis[2]) < 1e-3f);
        lmb_graph_json_destroy(graph);
        lmb_rig_destroy(rig);
    }
}

static void clips_in_place_have_the_velocity_of_their_feet(void **state) {
    (void)state;
    static const struct {
        const char *clip;
        mannequin_clip_id id;
        const char *warning;
    } rows[] = {{"walk", MANNEQUIN_WALK, NULL},
                {"walk_back", MANNEQUIN_WALK_BACK, NULL},
                {"idle", MANNEQUIN_IDLE, "no foot takes steps"},
                {"strafe_left", MANNEQUIN_STRAFE_LEFT, "walk sideways"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "{'op':'clip','clip':'%s','play':{'velocity':'auto'},'character-motion':{'heading':0}}", rows[i].clip);
        lmb_graph_json *graph = read_of_mannequin(text, NULL);
        const double measured = (double)lmb_graph_json_def(graph)->nodes[0].player->velocity;
        const double stated = (double)mannequin_clip_travel(rows[i].id).forward;
        assert_true(fabs(measured - stated) <= 0.01 * fabs(stated) + 0.01);
        assert_int_equal(lmb_graph_json_warning_count(graph), rows[i].warning != NULL);
        if (rows[i].warning != NULL) {
            assert_non_null(strstr(lmb_graph_json_warning_at(graph, 0)->message, rows[i].warning));
        }
        lmb_graph_json_destroy(graph);
    }
    read_of_mannequin("{'op':'clip','clip':'walk','play':{'velocity':'auto','motion':true}}",
                      "velocity: a clip with \"motion\" has the velocity of that");
    read_of_mannequin("{'op':'clip','clip':'walk','play':{'velocity':'fast'}}", "velocity: ");
    read_of_mannequin("{'op':'clip','clip':'wlak','play':{'velocity':'auto'}}", "of this name");
}

// Feet whose steps are uneven: at the speed of most of a step they slide for the rest of it, unless they are locked.
static void uneven_steps_give_a_warning(void **state) {
    (void)state;
    lmb_rig *rig = stepper_create_rig(1.0f);
    static const char *const texts[] = {
        "{'character-motion':true,'op':'clip','clip':'steps','play':{'velocity':'auto'}}",
        "{'character-motion':true,'op':'clip','clip':'steps','play':{'velocity':'auto'}}",
        "{'character-motion':true,'op':'foot-placement','pelvis':'joint_0','time':{'param':'now'},'lock-distance':0.3,"
        "'feet':[{'hip':'joint_3','knee':'joint_4','ankle':'joint_5','knee-axis':[1,0,0],'ground':[0,0,0],'normal':[0,"
        "1,0],'planted':{'param':'stands'}}],'base':{'op':'clip','clip':'steps','play':{'velocity':'auto'}}}"};
    for (int i = 0; i < 3; i++) {
        lmb_clip *clip = stepper_create_clip(rig, 1.0f, 0.0f, 1.4f, i > 0 ? 0.3f : 0.45f);
        const lmb_graph_source source = graph_source(json_text(texts[i]), rig, &clip, 1);
        lmb_graph_json *graph = NULL;
        lmb_error error = {0};
        if (lmb_graph_json_read(&source, NULL, &graph, NULL, &error) != LMB_OK) {
            fail_msg("%s", error.message);
        }
        assert_int_equal(lmb_graph_json_warning_count(graph), i == 1);
        if (i == 1) {
            const lmb_graph_problem *warning = lmb_graph_json_warning_at(graph, 0);
            assert_string_equal(warning->path, "play.velocity");
            assert_non_null(strstr(warning->message, "the standing feet of 'steps' do not move evenly: at 1 a second "
                                                     "they slide by 42 % of the way"));
        }
        lmb_graph_json_destroy(graph);
        lmb_clip_destroy(clip);
    }
    lmb_rig_destroy(rig);
}

// The axis of an aim that points backwards in the clips gives a warning with the other way.
static void an_aim_that_points_backwards_gives_a_warning(void **state) {
    (void)state;
    static const struct {
        const char *joint, *forward;
        bool warns;
    } rows[] = {{"head", "[0,0,1]", false},
                {"head", "[0,0,-1]", true},
                {"head", "[0,1,0]", false},
                {"head", "[0.2,0,-1]", true},
                {"left_hand", "[0,0,1]", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "{'op':'ik-aim','joints':{'%s':1},'forward':%s,'target':[0,1,9],'base':{'op':'rest'}}", rows[i].joint,
                 rows[i].forward);
        lmb_graph_json *graph = read_of_mannequin(text, NULL);
        assert_int_equal(lmb_graph_json_warning_count(graph), rows[i].warns);
        if (rows[i].warns) {
            const char *message = lmb_graph_json_warning_at(graph, 0)->message;
            assert_non_null(strstr(message, "points backwards in the clips, so that an aim ahead turns 'head' round"));
            assert_non_null(strstr(message, i == 1 ? "is it [0, 0, 1]?" : "is it [-0.2, 0, 1]?"));
        }
        lmb_graph_json_destroy(graph);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(limbs_of_the_mannequin_bend_about_their_axes),
                                       cmocka_unit_test(a_limb_bends_as_in_the_rest_pose),
                                       cmocka_unit_test(legs_bend_to_feet_that_are_elsewhere),
                                       cmocka_unit_test(an_aim_that_points_backwards_gives_a_warning),
                                       cmocka_unit_test(uneven_steps_give_a_warning),
                                       cmocka_unit_test(clips_in_place_have_the_velocity_of_their_feet)};
    return cmocka_run_group_tests(tests, figure_start, figure_finish);
}
