// Graphs that are allowed and do not do what they seem to say: each gives a warning, and its neighbours give none.
#include "figure.h"
#include "graph_text.h"
#include "ik_rig.h"
#include "suite.h"

#include <limber/graph_json.h>
#include <stdio.h>
#include <string.h>

// The only warning of a text; none if the path is NULL.
typedef struct trap {
    const char *text, *path, *message;
} trap;

static void expect_of_source(lmb_graph_source source, const trap *row) {
    lmb_graph_json *graph = NULL;
    lmb_error error = {0};
    source.text = json_text(row->text);
    source.size = strlen(row->text);
    if (lmb_graph_json_read(&source, NULL, &graph, NULL, &error) != LMB_OK) {
        fail_msg("%s\n%s", row->text, error.message);
    }
    const uint32_t count = lmb_graph_json_warning_count(graph);
    const lmb_graph_problem *first = count > 0 ? lmb_graph_json_warning_at(graph, 0) : NULL;
    const bool is_as_expected = row->path == NULL ? count == 0
                                                  : count == 1 && strcmp(first->path, row->path) == 0 &&
                                                        strstr(first->message, row->message) != NULL;
    if (!is_as_expected) {
        fail_msg("%s\n%u warnings, %s: %s\ninstead of %s: %s", row->text, count, count > 0 ? first->path : "",
                 count > 0 ? first->message : "", row->path != NULL ? row->path : "none",
                 row->path != NULL ? row->message : "");
    }
    lmb_graph_json_destroy(graph);
}

static void expect_traps(const trap *rows, size_t count) {
    const lmb_graph_character other = {"other", mannequin_rig(figure), figure_clips, MANNEQUIN_CLIP_COUNT};
    const lmb_graph_source source = {.rig = mannequin_rig(figure),
                                     .clips = figure_clips,
                                     .clip_count = MANNEQUIN_CLIP_COUNT,
                                     .characters = &other,
                                     .character_count = 1};
    for (size_t i = 0; i < count; i++) {
        expect_of_source(source, &rows[i]);
    }
}

#define EXPECT_TRAPS(rows) expect_traps(rows, sizeof(rows) / sizeof(rows)[0])
#define CLIP(name) "{'op':'clip','clip':'" name "'}"
#define PLAYED(name) "{'op':'clip','clip':'" name "','play':true}"

// A clip without a time among clips that play.
static void a_clip_that_rests_beside_others(void **state) {
    (void)state;
    static const trap rows[] = {
        {"{'op':'blend','a':" PLAYED("walk") ",'b':" CLIP("run") "}", "b",
         "'run' rests at its beginning unless the host sets the parameter \"time\", while other clips play: write "
         "\"play\": true, or \"time\": 0 if it shall rest"},
        {"{'op':'additive','base':" PLAYED("walk") ",'add':{'op':'clip','clip':'lean','additive':true}}", "add",
         "'lean' rests"},
        {"{'op':'layers','inputs':[{'pose':" CLIP("idle") "},{'pose':" PLAYED("wave") ",'mask':{'chest':255}}]}",
         "inputs[0].pose", "'idle' rests"},
        {"{'op':'blend','define':{'gait':" CLIP("walk") "},'a':{'use':'gait'},'b':{'op':'blend','a':{'use':'gait'},"
                                                        "'b':" PLAYED("run") "}}",
         "define.gait", "'walk' rests"},
        {"{'op':'blend','a':" CLIP("idle") ",'b':{'op':'machine','states':[{'name':'a','pose':" CLIP("run") "}]}}", "a",
         "'idle' rests"},
        {"{'op':'blend','a':" PLAYED("walk") ",'b':{'op':'clip','clip':'run','time':0}}", NULL, NULL},
        {"{'op':'blend','a':" PLAYED("walk") ",'b':{'op':'clip','clip':'run','time':{'param':'time'}}}", NULL, NULL},
        {"{'op':'blend','parameters':[{'param':'time'}],'a':" PLAYED("walk") ",'b':" CLIP("run") "}", NULL, NULL},
        {"{'op':'blend','a':" CLIP("walk") ",'b':" CLIP("run") "}", NULL, NULL},
        {"{'op':'blend','a':" PLAYED("walk") ",'b':" PLAYED("run") "}", NULL, NULL},
        {"{'op':'blend','a':" PLAYED("walk") ",'b':{'op':'clip','clip':{'param':'which'}}}", NULL, NULL},
        {"{'op':'additive','base':" PLAYED("walk") ",'add':{'op':'make-additive','pose':" PLAYED(
             "wave") ",'reference':" CLIP("idle") "}}",
         NULL, NULL},
        {"{'op':'additive','base':" PLAYED("walk") ",'add':{'op':'clip','clip':'wave','additive':true,'play':true,"
                                                   "'reference':" CLIP("idle") "}}",
         NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

#define MACHINE(pose, condition)                                                                                       \
    "{'op':'machine','states':[{'name':'a','pose':" pose ",'transitions':[{'to':'b','when':" condition "}]},"          \
    "{'name':'b','pose':" CLIP("idle") "}]}"
#define HOLDS "{'op':'clip','clip':'walk','play':{'end':'hold'}}"
#define WHEN "states[0].transitions[0].when"
#define PHASE(compares, number) "{'" compares "':[{'phase':'walk'}," number "]}"
#define REMAINS(compares, number) "{'" compares "':[{'remaining':true}," number "]}"

// A loop is never at its end, no clip is beyond it, and none is exactly at another phase.
static void a_phase_that_is_never_reached(void **state) {
    (void)state;
    static const trap rows[] = {
        {MACHINE(CLIP("walk"), PHASE(">=", "1")), WHEN ".>=",
         "'walk' loops, so it is never at its end, and this is never true: write \"end\": true for the end of a cycle, "
         "or {\">=\": [{\"phase\": true}, 0.99]}"},
        {MACHINE(CLIP("walk"), PHASE("==", "1")), WHEN ".==", "loops"},
        {MACHINE(CLIP("walk"), PHASE(">", "1")), WHEN ".>", "loops"},
        {MACHINE(CLIP("walk"), REMAINS("<=", "0")), WHEN ".<=", "or {\"<=\": [{\"remaining\": true}, 0.05]}"},
        {MACHINE(CLIP("walk"), REMAINS("==", "0")), WHEN ".==", "loops"},
        {MACHINE(CLIP("walk"), REMAINS("<", "0")), WHEN ".<", "loops"},
        {MACHINE(CLIP("walk"), "{'and':[" PHASE(">=", "0.5") "," PHASE(">=", "1") "]}"), WHEN ".and[1].>=", "loops"},
        {MACHINE(CLIP("walk"), "{'not':" PHASE("<", "1") "}"), WHEN ".not.<", "loops"},
        {MACHINE(HOLDS, PHASE(">", "1")), WHEN ".>", "never true: the phase of 'walk' is from 0 to 1"},
        {MACHINE(HOLDS, REMAINS("<", "0")), WHEN ".<", "never true: what remains of 'walk' is from 0 to 1"},
        {MACHINE(CLIP("walk"), PHASE("<", "0")), WHEN ".<", "never true"},
        {MACHINE(CLIP("walk"), PHASE("==", "0.5")),
         WHEN ".==", "'walk' is hardly ever exactly there in a frame: write >=, which is met at its exact time"},
        {MACHINE(CLIP("walk"), REMAINS("==", "0.5")), WHEN ".==", "write <="},
        {"{'op':'machine','states':[{'name':'a','pose':" CLIP("walk") "},{'name':'b','pose':" CLIP(
             "walk") "},"
                     "{'name':'c','pose':" CLIP("idle") "}],'any':[{'to':'c','from':['a','b'],'when':" PHASE(
                         ">=", "1") "},"
                                    "{'to':'a','event':'A'},{'to':'b','event':'B'}]}",
         "any[0].when.>=", "loops"},
        {MACHINE(HOLDS, PHASE(">=", "1")), NULL, NULL},
        {MACHINE(HOLDS, PHASE("==", "1")), NULL, NULL},
        {MACHINE(HOLDS, REMAINS("<=", "0")), NULL, NULL},
        {MACHINE(CLIP("walk"), PHASE(">=", "0.99")), NULL, NULL},
        {MACHINE(CLIP("walk"), PHASE("<", "1")), NULL, NULL},
        {MACHINE(CLIP("walk"), PHASE("!=", "1")), NULL, NULL},
        {MACHINE(CLIP("walk"), REMAINS("<=", "0.05")), NULL, NULL},
        {MACHINE("{'op':'clip','clip':'walk','play':{'repetitions':2}}", PHASE(">=", "1")), NULL, NULL},
        {MACHINE("{'op':'clip','clip':'walk','play':{'end':'ping-pong'}}", PHASE(">=", "1")), NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

// A mask of which no joint has a share hides what it masks.
static void a_mask_without_a_share(void **state) {
    (void)state;
    static const trap rows[] = {
        {"{'op':'masked','mask':{},'a':" PLAYED("walk") ",'b':" PLAYED("wave") "}", "mask",
         "no joint has a share, so nothing of it shows: {\"root\": 255} gives it to a joint and all below it"},
        {"{'op':'masked','mask':{'root':0,'head':0},'a':" PLAYED("walk") ",'b':" PLAYED("wave") "}", "mask",
         "no joint"},
        {"{'op':'layers','inputs':[{'pose':" PLAYED("walk") "},{'pose':" PLAYED("wave") ",'mask':{}}]}",
         "inputs[1].mask", "nothing of it shows"},
        {"{'op':'additive','base':" PLAYED("walk") ",'add':{'op':'clip','clip':'lean','additive':true,'time':0.1},"
                                                   "'mask':{'head':0}}",
         "mask", "nothing of it shows"},
        {"{'op':'machine','states':[{'name':'a','pose':" CLIP("walk") ",'transitions':[{'to':'b','event':'GO',"
                                                                      "'profile':{}}]},{'name':'b','pose':" CLIP(
                                                                          "idle") "}]}",
         "states[0].transitions[0].profile", "no joint has a share, so all joints switch at once"},
        {"{'op':'masked','mask':{'chest':255},'a':" PLAYED("walk") ",'b':" PLAYED("wave") "}", NULL, NULL},
        {"{'op':'masked','mask':{'root':0,'head':2},'a':" PLAYED("walk") ",'b':" PLAYED("wave") "}", NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

#define LIMB(side, members)                                                                                            \
    "{'op':'ik-two-bone','base':" PLAYED("walk") ",'start':'" side "_upper_arm','mid':'" side "_forearm',"             \
                                                 "'end':'" side "_hand','target':[0,1,0]" members "}"
#define LEG(members)                                                                                                   \
    "{'op':'foot-placement','base':" PLAYED(                                                                           \
        "walk") ",'pelvis':'pelvis','feet':[{'hip':'left_thigh',"                                                      \
                "'knee':'left_shin','ankle':'left_foot','ground':[0,0,0],'normal':[0,1,0]" members "}]}"

// The default axis of a limb is z. The limbs of the mannequin bend about others.
static void an_axis_that_nobody_stated(void **state) {
    (void)state;
    static const trap rows[] = {
        {LIMB("left", ""), "",
         "without \"mid-axis\" it is [0, 0, 1], and in the rest pose 'left_forearm' bends about [0.7"},
        {LIMB("right", ""), "", "write \"mid-axis\": \"auto\""},
        {LEG(""), "feet[0]",
         "without \"knee-axis\" it is [0, 0, 1], and in the rest pose 'left_shin' bends about [-1, "},
        {LIMB("left", ",'mid-axis':'auto'"), NULL, NULL},
        {LIMB("left", ",'mid-axis':[0,0,1]"), NULL, NULL},
        {LEG(",'knee-axis':'auto'"), NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

// The knees of the mannequin bend about -x, its left elbow about [0.7, 0.7, 0].
static void an_axis_that_is_opposite(void **state) {
    (void)state;
    static const trap rows[] = {
        {LEG(",'knee-axis':[1,0,0]"), "feet[0].knee-axis",
         "nearly opposite to the axis about which 'left_shin' bends, [-1, 0, 0], so the limb bends the wrong way: "
         "\"auto\" finds that axis"},
        {LEG(",'knee-axis':[2,0.8,0]"), "feet[0].knee-axis", "opposite"},
        {LIMB("left", ",'mid-axis':[-1,0,0]"), "mid-axis",
         "nearly opposite to the axis about which 'left_forearm' bends, [0.7, 0.7, 0]"},
        {LEG(",'knee-axis':[-1,0,0]"), NULL, NULL},
        {LEG(",'knee-axis':[0.3,0,1]"), NULL, NULL},
        {LIMB("left", ",'mid-axis':[1,0,0]"), NULL, NULL},
        {LIMB("left", ",'mid-axis':[0,0,-1]"), NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

#define ARM_TO(end)                                                                                                    \
    "{'op':'ik-two-bone','base':" PLAYED("walk") ",'start':'left_upper_arm','mid':'left_forearm','end':'" end          \
                                                 "','target':[0,1,0],'mid-axis':'auto'}"
#define LEG_TO(ankle)                                                                                                  \
    "{'op':'foot-placement','base':" PLAYED("walk") ",'pelvis':'pelvis','feet':[{'hip':'left_thigh',"                  \
                                                    "'knee':'left_shin','ankle':'" ankle                               \
                                                    "','ground':[0,0,0],'normal':[0,1,0],'knee-axis':[-1,0,0]}]}"

static void an_end_of_another_limb(void **state) {
    (void)state;
    static const trap rows[] = {
        {ARM_TO("right_hand"), "end", "'right_hand' is of another limb, not below 'left_forearm': is it 'left_hand'?"},
        {LEG_TO("right_foot"), "feet[0].ankle",
         "'right_foot' is of another limb, not below 'left_shin': is it 'left_foot'?"},
        {LEG_TO("head"), "feet[0].ankle", "'head' is below 'neck', not below 'left_shin': is it the end of another"},
        {ARM_TO("left_hand"), NULL, NULL},
        {ARM_TO("left_fingers"), NULL, NULL},
        {LEG_TO("left_foot"), NULL, NULL},
    };
    EXPECT_TRAPS(rows);
    for (int place = 0; place < IK_PLACES; place++) {
        const trap row = {"{'op':'foot-placement','base':{'op':'rest'},'pelvis':'joint 1','feet':[{'hip':'joint 3',"
                          "'knee':'joint 4','ankle':'joint 9','ground':[0,0,0],'normal':[0,1,0],'knee-axis':"
                          "'auto'}]}",
                          NULL, NULL};
        lmb_rig *rig = ik_rig_create((ik_place)place);
        expect_of_source((lmb_graph_source){.rig = rig}, &row);
        lmb_rig_destroy(rig);
    }
}

// An elbow that bends about z, as the default says; or about -z; or that is straight: along z, or bent by a clip.
static void the_default_axis_may_fit(void **state) {
    (void)state;
    static const struct {
        float mid[3], end[3];
        bool has_clip;
        trap row;
    } rows[] = {
        {{0, 1, 0}, {-0.5f, 1, 0}, false, {.path = "", .message = "in the rest pose 'b' bends about [0, 0, -1]"}},
        {{0, 1, 0}, {0.5f, 1, 0}, false, {.path = NULL}},
        {{0, 0, 1}, {0, 0, 1}, false, {.path = "", .message = "mid-axis is along the bone from 'b' to 'c'"}},
        {{0, 1, 0}, {0, 1, 0}, false, {.path = NULL}},
        {{0, 1, 0}, {0, 1, 0}, true, {.path = "", .message = "in the clips 'b' bends about [-1, 0, 0]"}}};
    static const float times[1] = {0.0f}, bent[4] = {0.6f, 0.0f, 0.0f, 0.8f};
    const lmb_track_def track = {1, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, 1, times, bent};
    const lmb_clip_def clip_def = {.name = "bend", .tracks = &track, .track_count = 1, .duration = 1.0f};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static const char *const names[] = {"a", "b", "c"};
        lmb_joint_def joints[3];
        for (uint32_t k = 0; k < 3; k++) {
            joints[k] = lmb_default_joint_def();
            joints[k].name = names[k];
            joints[k].parent = k == 0 ? LMB_NONE : k - 1;
        }
        memcpy(joints[1].rest.translation, rows[i].mid, sizeof rows[i].mid);
        memcpy(joints[2].rest.translation, rows[i].end, sizeof rows[i].end);
        const lmb_rig_def def = {.joints = joints, .joint_count = 3};
        lmb_rig *rig = NULL;
        lmb_clip *clip = NULL;
        assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
        assert_int_equal(lmb_clip_create(rig, &clip_def, NULL, &clip, NULL), LMB_OK);
        trap row = rows[i].row;
        row.text = "{'op':'ik-two-bone','base':{'op':'rest'},'start':'a','mid':'b','end':'c','target':[0,1,0]}";
        expect_of_source(
            (lmb_graph_source){.rig = rig, .clips = (const lmb_clip *const *)&clip, .clip_count = rows[i].has_clip},
            &row);
        lmb_clip_destroy(clip);
        lmb_rig_destroy(rig);
    }
}

#define AIM(joint, members)                                                                                            \
    "{'op':'ik-aim','base':" PLAYED("idle") ",'joints':{'" joint "':1},'target':[0,1,9]" members "}"

// The default axis that aims is x, which points to the side of a head; that of the clavicle is along its bone.
static void an_aim_that_nobody_pointed(void **state) {
    (void)state;
    static const trap rows[] = {
        {AIM("head", ""), "",
         "without \"forward\" the axis that aims is [1, 0, 0], which points neither ahead nor along a bone of 'head': "
         "write \"forward\": [0, 0, 1]"},
        {AIM("head", ",'forward':[0,1,0],'pole':[0,0,1]"), "pole",
         "\"forward\" and \"up\" are one axis, [0, 1, 0], so nothing turns about the line to the target: write an "
         "\"up\" across it"},
        {AIM("head", ",'forward':[0,0,1],'up':[0,0,-2]"), "up", "are one axis"},
        {AIM("head", ",'forward':[0,1,0],'twist':0.5"), "twist", "are one axis"},
        {AIM("head", ",'forward':[0,0,1]"), NULL, NULL},
        {AIM("head", ",'forward':[1,0,0]"), NULL, NULL},
        {AIM("head", ",'forward':[0,1,0]"), NULL, NULL},
        {AIM("head", ",'forward':[0,0,1],'pole':[0,1,0]"), NULL, NULL},
        {AIM("left_clavicle", ""), NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

#define MOVES(members) "{'op':'clip','clip':'walk','play':true,'character-motion':{" members "}}"
#define TRACK(keys) "{'op':'clip','clip':'walk','play':{'motion':[" keys "]}}"
#define LIMITS(of_head) "{'op':'clamp','pose':{'op':'rest'},'joint-limits':{'head':{" of_head "}}}"

// Degrees where the format has radians, and the other way.
static void an_angle_of_the_other_unit(void **state) {
    (void)state;
    static const trap rows[] = {
        {MOVES("'heading':90"), "character-motion.heading",
         "90 radians are more than a whole turn; 90 degrees are 1.571 radians"},
        {MOVES("'heading':{'param':'h','default':7,'max':12}"), "character-motion.heading.default",
         "7 radians are more than"},
        {MOVES("'heading':{'param':'h','max':180}"), "character-motion.heading.max",
         "180 radians are more than 2 whole turns; 180 degrees are 3.142 radians"},
        {MOVES("'heading':0,'turn-rate':180"), "character-motion.turn-rate", "180 radians are more than 4 whole turns"},
        {TRACK("[0,0,0,0],[0,0,0,90]"), "play.motion[1]",
         "90 radians are more than 2 whole turns; 90 degrees are 1.571 radians"},
        {TRACK("[0,0,0,0],[0,0,0,1],[0,0,0,-44]"), "play.motion[2]", "-45 radians"},
        {"{'op':'clip','clip':'walk','play':{'warps':[{'end':0.5,'target':[0,0,1],'heading':90}]}}",
         "play.warps[0].heading", "90 radians"},
        {"{'op':'retarget','from':'other','align-above':15,'pose':{'op':'clip','clip':'walk','play':true}}",
         "align-above", "15 radians"},
        {LIMITS("'swing':0.78"), "joint-limits.head", "no angle is above 0.78 degrees; 0.78 radians are 44.69 degrees"},
        {LIMITS("'twist':{'max':1.5708}"), "joint-limits.head", "1.57 radians are 90 degrees"},
        {LIMITS("'angles':{'min':[-1.2,0,0],'max':0.5}"), "joint-limits.head", "1.2 radians"},
        {MOVES("'heading':3.14,'turn-rate':12"), NULL, NULL},
        {MOVES("'heading':{'param':'h','default':1,'min':-7,'max':7}"), NULL, NULL},
        {TRACK("[0,0,0,0],[0,0,0,12.5],[0,0,0,25]"), NULL, NULL},
        {LIMITS("'swing':2"), NULL, NULL},
        {LIMITS("'swing':45.5,'twist':{'min':-0.5}"), NULL, NULL},
        {LIMITS("'twist':{'axis':'x'}"), NULL, NULL},
        {LIMITS("'translation':{'min':-0.5,'max':0.5}"), NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

#define ONCE "{'op':'clip','clip':'wave','play':{'end':'once'}}"
#define STATES(pose, needs)                                                                                            \
    "{'op':'machine','states':[{'name':'a','pose':" pose ",'transitions':[{'to':'b'," needs "}]},"                     \
    "{'name':'b','pose':" CLIP("idle") ",'transitions':[{'to':'a','event':'BACK'}]}]}"
#define WEIGHTED(of_a, of_b)                                                                                           \
    "{'op':'weighted','inputs':[{'pose':" PLAYED("walk") of_a "},{'pose':" PLAYED("run") of_b "}]}"

// A clip that drops out of its state, weights that are all 0, and an additive alone show the rest pose, or less.
static void a_rest_pose_that_nobody_meant(void **state) {
    (void)state;
    static const trap rows[] = {
        {STATES(ONCE, "'event':'GO'"), "states[0].pose.play.end",
         "after its end 'a' shows the rest pose until an event leads on: \"hold\" holds the last frame, and a "
         "transition "
         "with \"end\": true leads on by itself"},
        {STATES("{'op':'clip','clip':'wave','play':{'repetitions':2,'drops-out':true}}", "'event':'GO'"),
         "states[0].pose.play.drops-out", "false holds the last frame"},
        {"{'op':'machine','states':[{'name':'only','pose':" ONCE "}]}", "states[0].pose.play.end", "'only' shows"},
        {STATES(ONCE, "'end':true"), NULL, NULL},
        {STATES(ONCE, "'after':1"), NULL, NULL},
        {STATES("{'op':'clip','clip':'wave','play':{'end':'hold'}}", "'event':'GO'"), NULL, NULL},
        {STATES("{'op':'clip','clip':'wave','play':{'repetitions':2}}", "'event':'GO'"), NULL, NULL},
        {STATES("{'op':'blend','a':" PLAYED("idle") ",'b':" ONCE "}", "'event':'GO'"), NULL, NULL},
        {"{'op':'additive','base':" PLAYED(
             "walk") ",'add':{'op':'machine','states':[{'name':'a','pose':"
                     "{'op':'clip','clip':'wave','additive':true,'play':{'end':'once'}}}]}}",
         NULL, NULL},
        {"{'op':'machine','states':[{'name':'a','pose':" ONCE
         "},{'name':'b','pose':" CLIP("idle") "}],'any':[{'to':'b','end':true,'from':['a']},{'to':'a','event':'GO'}]}",
         NULL, NULL},
        {ONCE, NULL, NULL},
        {"{'op':'blend','weight':{'in':'GO'},'a':" PLAYED("walk") ",'b':" ONCE "}", NULL, NULL},
        {WEIGHTED(",'weight':{'param':'x'}", ",'weight':{'param':'y'}"), "",
         "at first no input has a weight, so it shows the rest pose: a parameter with \"default\": 1, or a fade with "
         "\"initial\": \"in\", shows one"},
        {WEIGHTED(",'weight':{'in':'IN','out':'OUT'}", ",'weight':0"), "", "at first no input has a weight"},
        {"{'op':'layers','inputs':[{'pose':" PLAYED("walk") ",'fade':{'param':'x'}},{'pose':" PLAYED(
             "run") ",'fade':{'param':'y'}}]}",
         "", "at first no input has a weight"},
        {WEIGHTED(",'weight':{'param':'x'}", ""), NULL, NULL},
        {WEIGHTED(",'weight':{'param':'x','default':1}", ",'weight':{'param':'y'}"), NULL, NULL},
        {WEIGHTED(",'weight':{'in':'IN','out':'OUT','initial':'in'}", ",'weight':{'param':'y'}"), NULL, NULL},
        {WEIGHTED(",'weight':{'param':'x'}", ",'weight':{'subtract':[1,{'param':'x'}]}"), NULL, NULL},
        {"{'op':'clip','clip':'wave','play':true,'additive':true}", "",
         "the result is an additive, which is a change of a pose and shows no character: it is the \"add\" of an "
         "\"additive\""},
        {"{'op':'mirror','axis':'x','pose':{'op':'clip','clip':'wave','play':true,'additive':true}}", "",
         "the result is an additive"},
    };
    EXPECT_TRAPS(rows);
}

// A name of a list of names that differs by a letter from one in the text, which then is the character's own.
static void a_name_that_is_misspelt(void **state) {
    (void)state;
    static const struct {
        lmb_graph_alias clip, joint;
        const char *path, *message;
    } rows[] = {{{"wlak", "run"},
                 {0},
                 "base.clip",
                 "this is the character's own 'walk': its names have 'wlak', which is nowhere in the graph; is 'walk' "
                 "meant there?"},
                {{"Walk", "run"}, {0}, "base.clip", "its names have 'Walk'"},
                {{"walks", "run"}, {0}, "base.clip", "its names have 'walks'"},
                {{0}, {"hed", "neck"}, "joints.head", "own 'head': its names have 'hed'"},
                {{"walk", "run"}, {"head", "neck"}, NULL, NULL},
                {{"walk2", "run"}, {"jaw", "neck"}, NULL, NULL},
                {{"wakl2", "run"}, {"heel", "neck"}, NULL, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const trap row = {"{'op':'ik-aim','joints':{'head':1},'forward':[0,0,1],'target':[0,1,9],\n"
                          "'base':{'op':'clip','clip':'walk','play':true}}",
                          rows[i].path, rows[i].message};
        expect_of_source((lmb_graph_source){.rig = mannequin_rig(figure),
                                            .clips = figure_clips,
                                            .clip_count = MANNEQUIN_CLIP_COUNT,
                                            .clip_aliases = &rows[i].clip,
                                            .clip_alias_count = rows[i].clip.name != NULL,
                                            .joint_aliases = &rows[i].joint,
                                            .joint_alias_count = rows[i].joint.name != NULL},
                         &row);
    }
}

#define NAMED(a, b)                                                                                                    \
    "{'op':'blend','weight':{'param':'" a "'},'a':" PLAYED("walk") ",'b':{'op':'blend','weight':{'param':'" b          \
                                                                   "'},'a':" PLAYED("run") ",'b':" PLAYED("idle") "}}"
#define EVENTS(a, b)                                                                                                   \
    "{'op':'machine','states':[{'name':'a','pose':" CLIP(                                                              \
        "walk") ",'transitions':[{'to':'b','event':'" a "'}]},"                                                        \
                "{'name':'b','pose':" CLIP("idle") ",'transitions':[{'to':'a','event':'" b "'}]}]}"
#define GROUPS(a, b)                                                                                                   \
    "{'op':'blend','a':{'op':'clip','clip':'walk','play':{'group':'" a "'}},"                                          \
    "'b':{'op':'clip','clip':'run','play':{'group':'" b "'}}}"

// A letter that is missing makes another parameter, event or group.
static void a_slip_makes_another_name(void **state) {
    (void)state;
    static const trap rows[] = {
        {NAMED("speed", "sped"), "b.weight.param",
         "the parameter 'sped' is another one than 'speed', from which it differs by a letter: is it the same?"},
        {NAMED("sped", "speed"), "b.weight.param", "'speed' is another one than 'sped'"},
        {NAMED("speed", "spede"), "b.weight.param", "'spede' is another one than 'speed'"},
        {"{'op':'blend','weight':{'param':'sped'},'a':" PLAYED("walk") ",'b':" NAMED("speed", "speed") "}",
         "weight.param", "'sped' is another one than 'speed'"},
        {EVENTS("JUMP", "JMUP"), "states[1].transitions[0].event", "the event 'JMUP' is another one than 'JUMP'"},
        {GROUPS("steps", "stes"), "b.play.group", "the group 'stes' is another one than 'steps'"},
        {NAMED("speed", "speed"), NULL, NULL},
        {NAMED("speed", "speeds"), NULL, NULL},
        {NAMED("move_x", "move_y"), NULL, NULL},
        {NAMED("step_12", "step_112"), NULL, NULL},
        {NAMED("step_12", "step_21"), NULL, NULL},
        {NAMED("arm", "amr"), NULL, NULL},
        {EVENTS("HIT_L", "HIT_R"), NULL, NULL},
        {EVENTS("FIRE", "HIRE"), NULL, NULL},
        {EVENTS("JUMP", "JUMPS"), "states[1].transitions[0].event", "'JUMPS' is another one than 'JUMP'"},
        {GROUPS("steps", "step"), "b.play.group",
         "the group 'step' is another one than 'steps', from which it differs "},
        {GROUPS("Steps", "steps"), "b.play.group",
         "'steps' is another one than 'Steps', from which it differs in case"},
        {EVENTS("GO", "Go"), "states[1].transitions[0].event", "'Go' is another one than 'GO'"},
        {NAMED("Speed", "speed"), "b.weight.param", "in case alone: is it the same?"},
        {EVENTS("G", "g"), NULL, NULL},
        {"{'op':'machine','states':[{'name':'walk','pose':" CLIP("walk") ",'transitions':[{'to':'Walk','event':'GO'}]},"
                                                                         "{'name':'Walk','pose':" CLIP("idle") "}]}",
         "states[1].name", "the state 'Walk' is another one than 'walk', from which it differs in case alone"},
    };
    EXPECT_TRAPS(rows);
}

#define SELF(state, pose, transition)                                                                                  \
    "{'op':'machine','states':[{'name':'a'," state "'pose':" pose ",'transitions':[" transition ",{'to':'b',"          \
    "'event':'GO'}]},{'name':'b','pose':" CLIP("hop") ",'transitions':[{'to':'a','end':true}]}]}"
#define ONE_WAY(transitions)                                                                                           \
    "{'op':'machine','states':[{'name':'a','pose':" PLAYED(                                                            \
        "idle") ",'transitions':[" transitions                                                                         \
                "]},{'name':'b','pose':" CLIP("hop") ",'transitions':[{'to':'a','end':true}]}]}"
#define OF_FIRST "states[0].transitions[0]."

// A state that leads to itself without a restart, while its clip goes on.
static void a_state_that_leads_to_itself(void **state) {
    (void)state;
    static const trap rows[] = {
        {SELF("", PLAYED("idle"), "{'to':['a','b'],'end':true}"), OF_FIRST "to[0]",
         "'a' does not begin again, so its clip is still at its end, and the draw is repeated at once until another "
         "state comes: write \"restart\": true in the state, or \"after\": SECONDS in place of \"end\""},
        {SELF("", PLAYED("idle"), "{'to':['b',{'state':'a','weight':2}],'end':true}"), OF_FIRST "to[1]", "the draw"},
        {SELF("", PLAYED("idle"), "{'to':'a','event':'AGAIN'}"), OF_FIRST "to",
         "'a' goes on as if nothing happened: write \"restart\": true in the state if it shall begin again"},
        {"{'op':'machine','states':[{'name':'a','pose':" PLAYED("walk") "},{'name':'b','pose':" CLIP(
             "idle") "}],"
                     "'any':[{'to':'a','event':'A','to-self':true},{'to':'b','event':'B'}]}",
         "any[0].to", "'a' goes on as if nothing happened"},
        {SELF("'restart':true,", PLAYED("idle"), "{'to':['a','b'],'end':true}"), NULL, NULL},
        {SELF("'restart':true,", PLAYED("idle"), "{'to':'a','event':'AGAIN'}"), NULL, NULL},
        {SELF("", PLAYED("idle"), "{'to':['a','b'],'after':0.8}"), NULL, NULL},
        {SELF("", PLAYED("idle"), "{'to':['a','b'],'event':'DRAW'}"), NULL, NULL},
        {SELF("'entry':'CAME',", PLAYED("idle"), "{'to':'a','event':'AGAIN'}"), NULL, NULL},
        {SELF("", CLIP("hop"), "{'to':'a','end':true}"), NULL, NULL},
        {"{'op':'machine','states':[{'name':'a','pose':" PLAYED("walk") "},{'name':'b','pose':" CLIP(
             "idle") "}],"
                     "'any':[{'to':'a','event':'A'},{'to':'b','event':'B'}]}",
         NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

// An event at the end of a loop, and transitions that another one comes before.
static void a_transition_that_is_hardly_taken(void **state) {
    (void)state;
    static const trap rows[] = {
        {SELF("", PLAYED("idle"), "{'to':'b','event':'OUT','end':true}"), OF_FIRST "end",
         "the clip goes on at its end, so this is taken only if 'OUT' comes in that very frame: \"when\": "
         "{\"trigger\": EVENT} in place of \"event\" waits for the end"},
        {SELF("", CLIP("idle"), "{'to':'b','event':'OUT','end':true}"), NULL, NULL},
        {SELF("", PLAYED("idle"), "{'to':'b','when':{'trigger':'OUT'},'end':true}"), NULL, NULL},
        {SELF("", PLAYED("idle"), "{'to':'b','event':'GO'}"), "states[0].transitions[1].event",
         "never taken: another transition of the state applies whenever this one does, and comes first: put this one "
         "before it if it needs more, or give it a greater \"priority\"; a list in \"to\" draws one of several "
         "states"},
        {SELF("", PLAYED("idle"), "{'to':'b','event':'GO','after':1,'priority':-1}"), OF_FIRST "event", "never taken"},
        {SELF("", PLAYED("idle"), "{'to':'b','event':'GO','after':1}"), NULL, NULL},
        {SELF("", PLAYED("idle"), "{'to':'b','event':'GO','when':{'param':'fast'}}"), NULL, NULL},
        {SELF("'travel':'HOME',", PLAYED("idle"), "{'to':'b','event':'GO'}"), NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

#define ANY(transitions)                                                                                               \
    "{'op':'machine','states':[{'name':'a','restart':true,'pose':" PLAYED("idle") ",'transitions':[{'to':'b','event':" \
                                                                                  "'GO'}]},{'name':'b','restart':"     \
                                                                                  "true,'pose':" CLIP(                 \
                                                                                      "hop") ",'transitions':[{'to':'" \
                                                                                             "a','end':true}]}],'any'" \
                                                                                             ":[" transitions "]}"

// The number of a chance is drawn when its state is entered, not when an event comes.
static void a_chance_that_is_drawn_once(void **state) {
    (void)state;
    static const trap rows[] = {
        {SELF("", PLAYED("idle"), "{'to':'b','event':'HIT','when':{'random':0.25}}"), OF_FIRST "when",
         "the number is drawn when the state is entered, and stays: at 0.25 or more 'HIT' is never answered; a last "
         "transition to the state itself, with this event, draws anew"},
        {ONE_WAY("{'to':'b','end':true,'when':{'random':0.5}}"), OF_FIRST "when",
         "the number is drawn when the state is entered, and stays: at 0.5 or more the state is never left; a last "
         "transition to the state itself, with \"after\", draws anew"},
        {ONE_WAY("{'to':'b','after':1,'when':{'random':0.2}},{'to':'b','after':2,'when':{'random':0.75}}"),
         "states[0].transitions[1].when", "at 0.75 or more the state is never left"},
        {ONE_WAY("{'to':'b','after':1,'when':{'random':0.2}},{'to':'b','after':2,'when':{'not':{'random':0.2}}}"), NULL,
         NULL},
        {ONE_WAY("{'to':'b','after':1,'when':{'random':0.2}},{'to':'a','after':2}"), NULL, NULL},
        {ONE_WAY("{'to':'b','when':{'or':[{'random':0.2},{'param':'go'}]}}"), NULL, NULL},
        {ONE_WAY("{'to':'b','end':true,'when':{'random':{'param':'luck'}}}"), NULL, NULL},
        {SELF("", PLAYED("idle"), "{'to':'b','after':2,'when':{'random':0.25}}"), NULL, NULL},
        {SELF("", PLAYED("idle"), "{'to':'b','event':'HIT','when':{'random':0.25}},{'to':'a','event':'HIT'}"), NULL,
         NULL},
        {ANY("{'to':['a','b'],'event':'HIT','when':{'random':0.5},'to-self':true}"), "any[0].when",
         "at 0.5 or more 'HIT' is never answered; a last transition to the state itself, in each state in place of "
         "here, draws anew"},
        {ANY("{'to':'b','event':'HIT','when':{'random':0.5}},{'to':'a','event':'HIT','to-self':true}"), NULL, NULL},
        {ANY("{'to':'b','after':1,'when':{'random':0.5}}"), NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

// The graph hears none of its own events.
static void an_event_of_its_own(void **state) {
    (void)state;
    static const trap rows[] = {
        {SELF("", "{'op':'clip','clip':'wave','play':{'end':'hold','ended':'DONE'}}", "{'to':'b','event':'DONE'}"),
         OF_FIRST "event",
         "'DONE' is emitted by the graph itself, and what it emits goes to the host alone: unless the host sends it, "
         "too, nothing happens here"},
        {SELF("'entry':'CAME',", PLAYED("idle"), "{'to':'b','when':{'trigger':'CAME'}}"), OF_FIRST "when.trigger",
         "'CAME' is emitted"},
        {"{'op':'blend','weight':{'in':'STEP','out':'GO'},'a':{'op':'clip','clip':'walk','play':{'notifies':[{'time':0."
         "3,"
         "'event':'STEP'}]}},'b':" PLAYED("wave") "}",
         "weight.in", "'STEP' is emitted"},
        {SELF("", "{'op':'clip','clip':'wave','play':{'end':'hold','ended':'DONE'}}", "{'to':'b','end':true}"), NULL,
         NULL},
    };
    EXPECT_TRAPS(rows);
}

#define TWO(first, second)                                                                                             \
    "{'op':'machine','states':[{'name':'a','pose':" CLIP("idle") ",'transitions':[{'to':'b'," first                    \
                                                                 "},{'to':'c'," second "}]},{'name':'b','pose':" CLIP( \
                                                                     "walk") "},{'name':"                              \
                                                                             "'c','pose':" CLIP("run") "}]}"
#define ABOVE(number) "{'>':[{'param':'speed'}," #number "]}"
#define BELOW(number) "{'<':[{'param':'speed'}," #number "]}"
#define SECOND "states[0].transitions[1]"

// A transition that applies only when another one does, which comes first.
static void a_transition_that_is_never_taken(void **state) {
    (void)state;
    static const trap rows[] = {
        {TWO("'when':" ABOVE(1), "'when':" ABOVE(2)), SECOND ".when", "never taken"},
        {TWO("'when':" ABOVE(1), "'when':" ABOVE(1)), SECOND ".when", "never taken"},
        {TWO("'when':" ABOVE(1), "'event':'GO','when':" ABOVE(1)), SECOND ".when", "never taken"},
        {TWO("'when':" ABOVE(1), "'after':1,'when':{'and':[{'param':'fast'}," ABOVE(1.5) "]}"), SECOND ".when",
         "never taken"},
        {TWO("'when':{'not':{'<=':[{'param':'speed'},1]}}", "'when':{'<':[2,{'param':'speed'}]}"), SECOND ".when",
         "never taken"},
        {TWO("'when':{'or':[{'param':'fast'}," ABOVE(1) "]}", "'when':" ABOVE(2)), SECOND ".when", "never taken"},
        {TWO("'when':{'or':[{'param':'fast'}," ABOVE(1) "]}",
             "'when':{'and':[{'param':'slow'},{'or':[{'param':'fast'}," ABOVE(1) "]}]}"),
         SECOND ".when", "never taken"},
        {TWO("'when':{'==':[{'param':'speed'},1]}", "'when':{'==':[{'param':'speed'},1]}"), SECOND ".when", "never"},
        {TWO("'when':{'random':0.5}", "'when':{'random':0.3}},{'to':'a','after':9"), SECOND ".when", "never taken"},
        {TWO("'when':{'trigger':'GO'}", "'after':1,'when':{'trigger':'GO'}"), SECOND ".when", "never taken"},
        {TWO("'end':true,'after':1", "'event':'GO','end':true,'after':2"), SECOND ".event", "never taken"},
        {TWO("'after':1", "'after':2"), SECOND, "never taken"},
        {TWO("'when':" ABOVE(1), "'priority':1,'when':" ABOVE(0)), "states[0].transitions[0].when", "never taken"},
        {TWO("'when':" ABOVE(2), "'when':" ABOVE(1)), NULL, NULL},
        {TWO("'when':" ABOVE(1), "'when':{'>=':[{'param':'speed'},1]}"), NULL, NULL},
        {TWO("'when':" ABOVE(1), "'priority':1,'when':" ABOVE(2)), NULL, NULL},
        {TWO("'when':" ABOVE(1), "'when':{'>':[{'param':'turn'},2]}"), NULL, NULL},
        {TWO("'when':{'and':[{'param':'fast'}," ABOVE(1) "]}", "'when':" ABOVE(2)), NULL, NULL},
        {TWO("'when':" ABOVE(1), "'when':{'or':[{'param':'fast'}," ABOVE(2) "]}"), NULL, NULL},
        {TWO("'event':'GO','when':" ABOVE(1), "'when':" ABOVE(2)), NULL, NULL},
        {TWO("'event':'GO','when':" ABOVE(1), "'event':'ON','when':" ABOVE(2)), NULL, NULL},
        {TWO("'after':1,'when':" ABOVE(1), "'when':" ABOVE(2)), NULL, NULL},
        {TWO("'after':2", "'after':1"), NULL, NULL},
        {TWO("'end':true,'when':" ABOVE(1), "'when':" ABOVE(2)), NULL, NULL},
        {TWO("'when':{'random':0.3}", "'when':{'random':0.5}},{'to':'a','after':9"), NULL, NULL},
        {TWO("'when':{'trigger':'GO'}", "'when':{'trigger':'ON'}"), NULL, NULL},
        {TWO("'when':" BELOW(1), "'when':" ABOVE(1)), NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

#define PLAYS(clip, members) "{'op':'clip','clip':'" clip "','play':{" members "}}"
#define MOVED(clip, motion) "{'op':'blend','character-motion':" motion ",'a':" clip ",'b':{'op':'rest'}}"
#define PAIR(a, b) "{'op':'blend','a':" a ",'b':" b "}"

// A velocity without a character motion, a character motion that nothing moves, and two velocities at once.
static void a_motion_that_is_none_or_two(void **state) {
    (void)state;
    static const trap rows[] = {
        {PLAYS("walk", "'velocity':1.25"), "play.velocity",
         "it moves nothing, as the graph has no character motion: write \"character-motion\": true in the outermost "
         "pose"},
        {MOVED(PLAYED("walk"), "true"), "character-motion",
         "nothing moves the character: no clip has a \"velocity\" or a \"motion\", and no velocity is stated here"},
        {MOVED(PLAYS("walk", "'velocity':1.25"), "{'velocity':[0,0,1.25]}"), "character-motion.velocity",
         "the velocities of clips are added, as that of 'walk': the character moves by both together, where one of "
         "them is enough"},
        {PAIR(PLAYS("walk", "'velocity':1.25,'group':'s'"), PLAYS("run", "'velocity':3,'group':'s'")), NULL, NULL},
        {MOVED(PLAYS("walk", "'velocity':1.25"), "true"), NULL, NULL},
        {MOVED(PLAYED("walk"), "{'velocity':[0,0,{'param':'speed'}]}"), NULL, NULL},
        {MOVED(PLAYS("walk", "'velocity':1.25"), "{'velocity':[0,0,{'param':'nudge'}]}"), NULL, NULL},
        {MOVED(PLAYS("walk", "'velocity':1.25"), "{'velocity':[0,0,{'param':'speed','default':1}]}"),
         "character-motion.velocity", "both together"},
        {MOVED(PLAYED("walk"), "{'heading':{'param':'yaw'}}"), NULL, NULL},
        {MOVED(PLAYS("walk", "'motion':[[0,0,0,0],[0,0,1,0]]"), "true"), NULL, NULL},
        {"{'op':'space1d','character-motion':{'velocity':[0,0,{'param':'speed'}]},'at':{'param':'speed'},'inputs':["
         "{'at':0,'pose':" PLAYED("idle") "},{'at':1,'pose':" PLAYS("walk", "'velocity':1.25") "}]}",
         "character-motion.velocity", "both together"},
        {MOVED(PLAYS("walk", "'velocity':125"), "true"), "a.play.velocity",
         "the feet of 'walk' walk by 1.25 a second along z, so at 125 they slide: \"auto\" takes what is measured"},
        {MOVED(PLAYS("walk_back", "'velocity':0.85"), "true"), "a.play.velocity", "at 0.85 they slide"},
        {MOVED(PLAYS("strafe_left", "'velocity':0.6"), "true"), "a.play.velocity",
         "the feet of 'strafe_left' walk sideways, by 0.6 a second along x"},
        {MOVED(PLAYS("walk", "'velocity':2"), "true"), NULL, NULL},
        {MOVED(PLAYS("idle", "'velocity':2"), "true"), NULL, NULL},
        {"{'op':'blend','character-motion':true,'a':" PLAYS("walk", "'velocity':1.25,'group':'s'") ",'b':" PLAYS(
             "run", "'group':'s'") "}",
         "b.play.group",
         "'run' has no \"velocity\", while 'walk' of its group has one: it slows the character down, although its feet "
         "walk by 2.98 a second"},
        {"{'op':'blend','character-motion':true,'a':" PLAYS("walk", "'velocity':1.25,'group':'s'") ",'b':" PLAYS(
             "idle", "'group':'s'") "}",
         NULL, NULL},
        {MOVED(PLAYS("walk", "'velocity':1.25"), "{'velocity':[{'param':'side'},0,0]}"), NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

#define STEPS(clip, members) PLAYS(clip, "'group':'steps'" members)
#define MIRRORED(pose) "{'op':'mirror','axis':'x','pose':" pose "}"

// Walks of a group that are half a cycle apart, as a walk and its mirror image are.
static void steps_out_of_phase(void **state) {
    (void)state;
    static const trap rows[] = {
        {PAIR(STEPS("walk", ""), MIRRORED(STEPS("walk", ""))), "b.pose",
         "the steps of 'walk' mirrored are out of phase with those of 'walk' in its group, by 0.5 of a cycle: "
         "\"offset\": 0.5 brings the same foot down"},
        {PAIR(STEPS("walk", ""), STEPS("run", ",'offset':0.3")), "b.play.offset",
         "the steps of 'run' are out of phase with those of 'walk' in its group, by "},
        {PAIR(STEPS("walk", ""), MIRRORED(STEPS("walk", ",'offset':0.5"))), NULL, NULL},
        {PAIR(MIRRORED(STEPS("walk", "")), MIRRORED(STEPS("run", ""))), NULL, NULL},
        {PAIR(MIRRORED(MIRRORED(STEPS("walk", ""))), STEPS("run", "")), NULL, NULL},
        {PAIR(STEPS("strafe_left", ""), STEPS("strafe_right", "")), NULL, NULL},
        {PAIR(STEPS("idle", ""), MIRRORED(STEPS("idle", ""))), NULL, NULL},
        {PAIR(STEPS("walk", ""), MIRRORED(PLAYS("walk", "'group':'other'"))), NULL, NULL},
        {"{'define':{'w':" STEPS("walk", "") "},'op':'blend','a':{'use':'w'},'b':" MIRRORED("{'use':'w'}") "}",
         "define.w",
         "'walk' is shown as it is and mirrored, whose steps are half a cycle apart: where both are blended, write the "
         "clip twice, and give one an \"offset\" of half its duration"},
    };
    EXPECT_TRAPS(rows);
}

#define WHOLE_MASK(mask, b) "{'op':'masked','character-motion':true,'mask':" mask ",'a':" PLAYED("idle") ",'b':" b "}"
#define AHEAD(members, motion) MOVED(PLAYS("walk", members), motion)

#define SYNCED(start, to)                                                                                              \
    "{'op':'machine','states':[{'name':'a','pose':" PLAYED("walk") ",'transitions':[{'to':'b','event':'GO'" start      \
                                                                   "}]},{'name':'b','pose':" to                        \
                                                                   ",'transitions':[{'to':'a','event':'BACK'}]}]}"

// A transition in phase to a clip whose other foot stands then.
static void a_phase_of_the_other_foot(void **state) {
    (void)state;
    static const trap rows[] = {
        {SYNCED(",'start':'sync'", MIRRORED(PLAYED("walk"))), "states[1].pose",
         "\"start\": \"sync\" comes here from 'a' when the other foot stands, so they pass through each other: give "
         "both "
         "clips one \"group\", and this one an \"offset\" of half its duration"},
        {SYNCED(",'start':'sync'", PLAYED("run")), NULL, NULL},
        {SYNCED(",'start':'sync'", MIRRORED(MIRRORED(PLAYED("run")))), NULL, NULL},
        {SYNCED("", MIRRORED(PLAYED("walk"))), NULL, NULL},
        {SYNCED(",'start':'sync'", MIRRORED(PLAYED("idle"))), NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

// Motion that a mask or a heading takes back.
static void a_motion_that_is_taken_back(void **state) {
    (void)state;
    static const trap rows[] = {
        {WHOLE_MASK("{'pelvis':255}", PLAYS("walk", "'velocity':1.25")), "mask",
         "\"b\" does not move the character: its share at the first joint, 'root', counts, and that is 0"},
        {WHOLE_MASK("{'pelvis':255}", MIRRORED(PLAYS("walk", "'velocity':1.25"))), "mask", "does not move"},
        {WHOLE_MASK("{'root':255}", PLAYS("walk", "'velocity':1.25")), NULL, NULL},
        {WHOLE_MASK("{'root':255,'chest':0}", PLAYS("walk", "'velocity':1.25")), NULL, NULL},
        {"{'op':'masked','character-motion':true,'mask':{'chest':255},'a':" PLAYS(
             "walk", "'velocity':1.25") ",'b':" PLAYS("run", "'velocity':3") "}",
         NULL, NULL},
        {AHEAD("'motion':[[0,0,0,0],[0,0,0,1.5]]", "{'heading':{'param':'yaw'}}"), "a.play.motion",
         "'walk' turns the character by 1.5, and \"heading\" turns it back: turn by one of both"},
        {AHEAD("'motion':[[0,0,0,0],[0,0,1,0]]", "{'heading':{'param':'yaw'}}"), NULL, NULL},
        {AHEAD("'motion':[[0,0,0,0],[0,0,0,1.5]]", "true"), NULL, NULL},
        {"{'define':{'w':" STEPS(
             "walk",
             "") "},'op':'masked','mask':{'root':255,'left_hand':0},'a':{'use':'w'},'b':" MIRRORED("{'use':'w'}") "}",
         NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

#define ENDING(members) SELF("", PLAYS("walk", members), "{'to':'b','end':true}")

// Events that a clip never emits, an end that comes at once or never, and a phase that is not used.
static void an_end_that_is_none(void **state) {
    (void)state;
    static const trap rows[] = {
        {PLAYS("walk", "'ended':'E'"), "play.ended",
         "never emitted: 'walk' goes on for ever: \"looped\" is emitted each time, and \"end\": \"hold\" or "
         "\"repetitions\" end it"},
        {PLAYS("walk", "'ended':'E','end':'ping-pong'"), "play.ended", "never emitted"},
        {PLAYS("wave", "'looped':'L','end':'hold'"), "play.looped",
         "never emitted: 'wave' stays at its first end, where \"ended\" is emitted"},
        {PLAYS("wave", "'looped':'L','end':'once'"), "play.looped", "never emitted"},
        {PLAYS("wave", "'looped':'L','repetitions':1"), "play.looped", "never emitted"},
        {PLAYS("walk", "'ended':'E','repetitions':2,'looped':'L'"), NULL, NULL},
        {PLAYS("walk", "'looped':'L'"), NULL, NULL},
        {PLAYS("walk", "'looped':'L','end':'ping-pong'"), NULL, NULL},
        {PLAYS("wave", "'ended':'E','end':'hold'"), NULL, NULL},
        {PLAYS("wave", "'ended':'E','end':'once'"), NULL, NULL},
        {PLAYS("idle", "'rate':-1,'end':'hold'"), "play.rate",
         "'idle' plays backwards from its beginning, so it is at its end at once: write \"offset\": 4"},
        {PLAYS("walk", "'rate':-1,'end':'once'"), "play.rate", "at its end at once"},
        {SELF("", "{'op':'clip','clip':'walk','rate':-1}", "{'to':'b','end':true}"), "states[0].pose.rate",
         "at its end at once"},
        {PLAYS("walk", "'rate':-1,'end':'hold','offset':1"), NULL, NULL},
        {PLAYS("walk", "'rate':-1"), NULL, NULL},
        {PLAYS("walk", "'rate':1,'end':'hold'"), NULL, NULL},
        {PLAYS("walk", "'rate':{'param':'r','min':-1,'default':-1},'end':'hold'"), NULL, NULL},
        {SELF("", PLAYS("walk", "'rate':-1,'end':'hold'"),
              "{'to':'b','end':true},{'to':'b','event':'ON','start':'phase','start-phase':1}"),
         NULL, NULL},
        {ENDING("'rate':0"), OF_FIRST "end", "never taken: the clip's \"rate\" is 0, so it never comes to its end"},
        {ENDING("'rate':0.5"), NULL, NULL},
        {ENDING("'rate':{'param':'r'}"), NULL, NULL},
        {SELF("", PLAYS("walk", "'rate':0"), "{'to':'b','after':1}"), NULL, NULL},
        {SELF("", PLAYED("walk"), "{'to':'b','event':'ON','start-phase':0.5}"), OF_FIRST "start-phase",
         "not used: write \"start\": \"phase\" beside it"},
        {SELF("", PLAYED("walk"), "{'to':'b','event':'ON','start':'sync','start-phase':0.5}"), OF_FIRST "start-phase",
         "not used"},
        {SELF("", PLAYED("walk"), "{'to':'b','event':'ON','start':'phase','start-phase':0.5}"), NULL, NULL},
        {SELF("", PLAYED("walk"), "{'to':'b','event':'ON','start':'phase'}"), NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

#define FEET(of_foot, members)                                                                                         \
    "{'op':'foot-placement','base':{'op':'clip','clip':'walk','play':{'group':'s','markers':[0.05,0.55]}},'pelvis':"   \
    "'pelvis','feet':[{'hip':'left_thigh','knee':'left_shin','ankle':'left_foot','ground':[0,0,0],'normal':[0,1,0],"   \
    "'knee-axis':'auto'" of_foot "}]" members "}"
#define CHAIN(time)                                                                                                    \
    "{'op':'chain','base':" PLAYED("walk") ",'start':'left_upper_arm','end':'left_fingers','time':" time "}"
#define NOW ",'time':{'param':'now'}"
#define GROUND(up)                                                                                                     \
    "{'op':'foot-placement','base':" PLAYED(                                                                           \
        "walk") ",'pelvis':'pelvis','feet':[{'hip':'left_thigh','knee':'left_shin','ankle':'left_foot',"               \
                "'ground':[0,0,0],'normal':" up ",'knee-axis':'auto'}]}"
#define STACK_OF(clip, above)                                                                                          \
    "{'op':'layers','inputs':[{'pose':" PLAYED("walk") "},{'priority':1,'pose':" PLAYED(clip) above "}]}"

// Feet that are planted and not locked, or the other way; strides that never change; and a time that stands still.
static void a_state_that_never_changes(void **state) {
    (void)state;
    static const trap rows[] = {
        {FEET(",'planted-markers':[0,1]", NOW), "feet[0].planted-markers",
         "not used: a planted foot is locked with a \"lock-distance\" above 0"},
        {FEET(",'planted':{'param':'stands'}", ",'lock-distance':0" NOW), "feet[0].planted", "not used"},
        {FEET("", ",'lock-distance':0.3" NOW), "lock-distance",
         "nothing plants a foot, so none is locked: write \"planted-markers\", \"planted-channel\" or \"planted\" in "
         "the feet"},
        {FEET("", ",'speed':{'param':'speed'},'clip-speed':{'param':'speed'}"), "clip-speed",
         "the same parameter as \"speed\", so the stride never changes: it is the speed of the clip"},
        {CHAIN("0"), "time",
         "it does not pass, so nothing swings: write a parameter that the host advances, as {\"param\": \"now\"}"},
        {FEET(",'planted-markers':[0,1]", ",'lock-distance':0.3" NOW), NULL, NULL},
        {FEET(",'planted':{'param':'stands'}", ",'lock-distance':0.3" NOW), NULL, NULL},
        {FEET("", ",'speed':{'param':'speed'},'clip-speed':1.25"), NULL, NULL},
        {FEET("", ",'speed':{'param':'speed'},'clip-speed':{'param':'own'}"), NULL, NULL},
        {FEET("", ""), NULL, NULL},
        {FEET(",'planted-markers':[1,0]", ",'lock-distance':0.3" NOW), "feet[0].planted-markers",
         "in 'walk' 'left_foot' is lifted between these markers, and stands from "},
        {CHAIN("{'param':'now'}"), NULL, NULL},
        {"{'op':'blend','weight':{'remap':[{'param':'s'},3,3,0,1]},'a':" PLAYED("walk") ",'b':" PLAYED("run") "}",
         "weight.remap", "from 3 to 3 is no range, so it is a step there"},
        {"{'op':'blend','weight':{'remap':[{'param':'s'},3,2,0,1]},'a':" PLAYED("walk") ",'b':" PLAYED("run") "}", NULL,
         NULL},
        {"{'op':'blend','weight':{'remap':[{'param':'s'},1,{'param':'t'},0,1]},'a':" PLAYED("walk") ",'b':" PLAYED(
             "run") "}",
         NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

// Ground and gravity of a character that stands along z, and a weight in percent.
static void another_convention(void **state) {
    (void)state;
    static const trap rows[] = {
        {"{'op':'chain','base':" PLAYED("walk") ",'start':'left_upper_arm','end':'left_fingers'" NOW
                                                ",'gravity':[0,0,-9.81]}",
         "gravity", "along z, and the character stands along y: write [0, -9.81, 0]"},
        {"{'op':'chain','base':" PLAYED("walk") ",'start':'left_upper_arm','end':'left_fingers'" NOW
                                                ",'gravity':[0,-9.81,2]}",
         NULL, NULL},
        {"{'op':'chain','base':" PLAYED("walk") ",'start':'left_upper_arm','end':'left_fingers'" NOW
                                                ",'gravity':[3,0,0]}",
         NULL, NULL},
        {GROUND("[0,0,1]"), "feet[0].normal", "it does not point up, along [0, 1, 0]"},
        {GROUND("[0,-1,0]"), "feet[0].normal", "it does not point up"},
        {GROUND("[0,0.2,1]"), NULL, NULL},
        {GROUND("[0,0,0]"), NULL, NULL},
        {GROUND("[{'param':'x'},0,1]"), NULL, NULL},
        {"{'op':'blend','weight':{'param':'mix','min':0,'max':100},'a':" PLAYED("walk") ",'b':" PLAYED("run") "}",
         "weight",
         "'mix' is from 0 to 100, and above 1 it counts as 1 here: {\"remap\": [{\"param\": \"mix\"}, 0, 100, 0, 1]} "
         "takes the whole range"},
        {"{'op':'blend','weight':{'remap':[{'param':'mix','min':0,'max':100},0,100,0,1]},'a':" PLAYED(
             "walk") ",'b':" PLAYED("run") "}",
         NULL, NULL},
        {"{'op':'blend','weight':{'param':'mix','min':0,'max':4},'a':" PLAYED("walk") ",'b':" PLAYED("run") "}", NULL,
         NULL},
    };
    EXPECT_TRAPS(rows);
}

#define OUTER(transition, inner)                                                                                       \
    "{'op':'machine','states':[{'name':'a','pose':{'op':'machine','states':[{'name':'x','pose':" PLAYED(               \
        "idle") ",'transitions':[{'to':'y','event':'" inner                                                            \
                "'}]},{'name':'y','pose':" PLAYED("walk") ",'transitions':[{'to':'x',"                                 \
                                                          "'event':'BACK'}]}]},'transitions':[{'to':'b'," transition   \
                                                          "}]},{'name':'b','pose':" CLIP(                              \
                                                              "hop") ",'transitions':[{'to':'a','end':true}]}]}"

// A machine in a state that its event leaves.
static void an_event_that_leaves_the_machine(void **state) {
    (void)state;
    static const trap rows[] = {
        {OUTER("'event':'GO'", "GO"), "states[0].pose",
         "'GO' also leaves the state around this machine, at once, so what this one does with it is hardly seen"},
        {OUTER("'event':'GO'", "ON"), NULL, NULL},
        {OUTER("'event':'GO','after':1", "GO"), NULL, NULL},
        {OUTER("'event':'GO','when':{'param':'x'}", "GO"), NULL, NULL},
        {OUTER("'when':{'param':'x'}", "GO"), NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

#define IN_STATES(a, b)                                                                                                \
    "{'op':'machine','states':[{'name':'a','pose':" a                                                                  \
    ",'transitions':[{'to':'b','event':'GO'}]},{'name':'b','pose':" b ",'transitions':[{'to':'a','event':'BACK'}]}]}"

// A clip of the spine as the whole pose of a state.
static void a_part_as_a_whole_pose(void **state) {
    (void)state;
    static const trap rows[] = {
        {IN_STATES(PLAYED("idle"), PLAYED("lean")), "states[1].pose",
         "'lean' has 5 tracks and a clip of another state 27: joints without one go to the rest pose here"},
        {IN_STATES(PLAYED("idle"), PLAYED("wave")), NULL, NULL},
        {IN_STATES(PLAYED("idle"), STACK_OF("lean", ",'mask':{'chest':255}")), NULL, NULL},
        {IN_STATES(PLAYED("lean"), PLAYED("twist")), NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

// A clip whose joints are not those of its mask.
static void a_mask_of_resting_joints(void **state) {
    (void)state;
    static const trap rows[] = {
        {STACK_OF("lean", ",'mask':{'left_thigh':255}"), "inputs[1].pose",
         "'lean' moves no joint of its \"mask\", which so has the rest pose"},
        {STACK_OF("lean", ",'mask':{'chest':255}"), NULL, NULL},
        {STACK_OF("lean", ",'mask':{'left_thigh':255,'chest':10}"), NULL, NULL},
        {STACK_OF("wave", ",'mask':{'left_thigh':255}"), NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

// Seconds that are most likely milliseconds.
static void a_time_in_milliseconds(void **state) {
    (void)state;
    static const trap rows[] = {
        {SELF("", CLIP("idle"), "{'to':'b','event':'OUT','fade':200}"), OF_FIRST "fade",
         "200 seconds are more than a minute; 200 milliseconds are 0.2"},
        {SELF("", CLIP("idle"), "{'to':'b','after':500}"), OF_FIRST "after", "500 milliseconds are 0.5"},
        {"{'op':'blend','weight':{'in':'IN','seconds':300},'a':" PLAYED("walk") ",'b':" PLAYED("run") "}",
         "weight.seconds", "300 seconds"},
        {"{'op':'blend','weight':{'param':'w','smooth':200},'a':" PLAYED("walk") ",'b':" PLAYED("run") "}",
         "weight.smooth", "200 seconds"},
        {PLAYS("walk", "'delay':100"), "play.delay", "100 seconds"},
        {SELF("", CLIP("idle"), "{'to':'b','after':60,'fade':0.5}"), NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

#define AIMS(shares, members)                                                                                          \
    "{'op':'ik-aim','joints':{" shares "},'forward':[0,0,1],'target':[0,1,9]" members ",'base':" PLAYED("idle") "}"

// A joint that leaves nothing to those above it.
static void shares_of_an_aim_that_are_never_used(void **state) {
    (void)state;
    static const trap rows[] = {
        {AIMS("'head':1,'neck':0.5,'chest':0.4", ""), "joints",
         "'head' comes first and takes all of the turn, so that 'neck' never turns: the last one of the joints above "
         "has the share 1"},
        {AIMS("'chest':1,'neck':1,'head':0.5", ""), "joints", "'neck' comes first"},
        {AIMS("'head':0.5,'neck':0.5,'chest':1", ""), NULL, NULL},
        {AIMS("'head':1,'neck':0.5", ",'limit':1.2"), NULL, NULL},
        {AIMS("'head':1", ""), NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

#define STACK(below, above)                                                                                            \
    "{'op':'layers','inputs':[{'pose':" PLAYED("walk") below "},{'pose':" PLAYED("wave") above "}]}"
#define LINE(range, a, b)                                                                                              \
    "{'op':'space1d','at':{'param':'speed'" range "},'inputs':[{'at':0,'pose':" a "},{'at':3,'pose':" b "}]}"
#define ADDED(pose, reference)                                                                                         \
    "{'op':'additive','base':" PLAYED("walk") ",'add':{'op':'make-additive','pose':" pose ",'reference':" reference "}}"
#define NEEDS(condition) SELF("", CLIP("idle"), "{'to':'b','when':" condition "}")
#define SPEED "{'param':'speed','min':0,'max':1}"

// What is never seen or met, and clips that are not in step.
static void a_part_that_is_never_seen(void **state) {
    (void)state;
    static const trap rows[] = {
        {STACK("", ",'priority':1"), "inputs[0].pose",
         "never seen: inputs[1] has a greater \"priority\", and neither a \"mask\" nor a \"fade\""},
        {STACK(",'priority':2", ""), "inputs[1].pose", "never seen: inputs[0]"},
        {STACK("", ",'priority':1,'mask':{'chest':255}"), NULL, NULL},
        {STACK(",'mask':{'head':128}", ",'priority':1,'mask':{'chest':255}"), "inputs[0].pose",
         "never seen: inputs[1] has a greater \"priority\", and its \"mask\" covers the same joints"},
        {STACK(",'mask':{'chest':255}", ",'priority':1,'mask':{'head':255}"), NULL, NULL},
        {STACK(",'mask':{'head':128}", ",'priority':1,'mask':{'chest':128}"), NULL, NULL},
        {STACK("", ",'priority':1,'fade':{'param':'f'}"), NULL, NULL},
        {STACK("", ""), NULL, NULL},
        {LINE(",'min':0,'max':1", PLAYED("idle"), PLAYED("walk")), "inputs[1].at",
         "3 is never reached: 'speed' is from 0 to 1"},
        {LINE(",'min':1,'max':3", PLAYED("idle"), PLAYED("walk")), "inputs[0].at", "0 is never reached"},
        {LINE(",'min':0,'max':3", PLAYED("idle"), PLAYED("walk")), NULL, NULL},
        {LINE("", PLAYED("idle"), PLAYED("walk")), NULL, NULL},
        {"{'op':'space1d','character-motion':true,'at':{'param':'speed'},'inputs':[{'at':1,'pose':" PLAYS(
             "walk", "'velocity':1") "},{'at':3,'pose':" PLAYS("run", "'velocity':3") "}]}",
         "inputs[1].pose",
         "'walk' and 'run' have no common \"group\", so their steps are not in phase: write \"group\": \"steps\" in "
         "both"},
        {LINE("", PLAYED("walk"), PLAYS("run", "'group':'s'")), "inputs[1].pose.play.group", "no common \"group\""},
        {LINE("", PLAYED("walk"), PLAYED("turn_left")), NULL, NULL},
        {LINE("", "{'op':'clip','clip':'walk','time':0.5}", PLAYED("run")), NULL, NULL},
        {LINE("", PLAYS("walk", "'velocity':1,'group':'s'"), PLAYS("run", "'velocity':3,'group':'s'")), NULL, NULL},
        {ADDED(PLAYED("lean"), PLAYED("lean")), "add", "it adds nothing, as the pose and its reference are the same"},
        {ADDED(PLAYED("lean"), "{'op':'clip','clip':'lean','time':0}"), NULL, NULL},
        {NEEDS("{'>':[" SPEED ",1.5]}"), OF_FIRST "when.>", "never true: 'speed' is from 0 to 1"},
        {NEEDS("{'<':[1.5," SPEED "]}"), OF_FIRST "when.<", "never true"},
        {NEEDS("{'not':{'<=':[" SPEED ",1]}}"), OF_FIRST "when.not.<=", "never true"},
        {NEEDS("{'<':[" SPEED ",0]}"), OF_FIRST "when.<", "never true"},
        {NEEDS("{'==':[" SPEED ",2]}"), OF_FIRST "when.==", "never true"},
        {NEEDS("{'and':[" ABOVE(1) "," BELOW(0.5) "]}"), OF_FIRST "when",
         "never true: two of its comparisons of 'speed' exclude each other"},
        {NEEDS("{'and':[" ABOVE(1) ",{'param':'fast'}," BELOW(1) "]}"), OF_FIRST "when", "exclude each other"},
        {NEEDS("{'and':[{'trigger':'OUT'},{'not':{'trigger':'OUT'}}]}"), OF_FIRST "when", "comparisons exclude"},
        {NEEDS("{'and':[" ABOVE(0.5) "," BELOW(1) "]}"), NULL, NULL},
        {NEEDS("{'or':[" ABOVE(1) "," BELOW(0.5) "]}"), NULL, NULL},
        {NEEDS("{'and':[{'>=':[{'param':'speed'},1]},{'<=':[{'param':'speed'},1]}]}"), NULL, NULL},
        {NEEDS("{'random':0}"), OF_FIRST "when.random", "never true: its chance is 0"},
        {NEEDS("{'not':{'random':0}}"), NULL, NULL},
        {NEEDS("{'random':0.1}"), NULL, NULL},
        {NEEDS("{'>=':[" SPEED ",0]}"),
         OF_FIRST "when.>=", "always true, so the state is left at once: 'speed' is from 0 to 1"},
        {NEEDS("{'not':{'>':[" SPEED ",1]}}"), OF_FIRST "when.not.>", "always true"},
        {NEEDS("{'<':[" SPEED ",1.5]}"), OF_FIRST "when.<", "always true"},
        {NEEDS("{'>':[" SPEED ",-1]}"), OF_FIRST "when.>", "always true"},
        {NEEDS("{'>':[" SPEED ",0]}"), NULL, NULL},
        {NEEDS("{'and':[{'>=':[" SPEED ",0]},{'param':'fast'}]}"), NULL, NULL},
        {TWO("'when':{'>':[" SPEED ",0.5]}", "'when':{'>=':[" SPEED ",0]}"), NULL, NULL},
        {TWO("'when':{'>=':[" SPEED ",0]}", "'priority':1,'when':{'>':[" SPEED ",0.5]}"), NULL, NULL},
        {NEEDS("{'>=':[" SPEED ",1]}"), NULL, NULL},
        {NEEDS("{'<':[" SPEED ",0.5]}"), NULL, NULL},
        {NEEDS("{'>':[{'param':'speed'},1.5]}"), NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

// A random beginning of a clip that ends, and one in a group that another clip begins.
static void a_random_beginning_that_is_none(void **state) {
    (void)state;
    static const trap rows[] = {
        {PLAYS("wave", "'offset':'random','end':'hold'"), "play.offset",
         "'wave' does not loop, so it begins anywhere inside, and what comes before is not seen: leave \"offset\" out, "
         "or let the clip loop"},
        {PAIR(PLAYS("walk", "'group':'s'"), PLAYS("run", "'group':'s','offset':'random'")), "b.play.offset",
         "not drawn: the group begins with its first clip, which does not begin at a random time; write it there"},
        {PAIR(PLAYS("walk", "'group':'s','offset':'random'"), PLAYS("run", "'group':'s'")), NULL, NULL},
        {PLAYS("walk", "'offset':'random'"), NULL, NULL},
        {"{'op':'machine','states':[{'name':'a','pose':" PLAYS(
             "walk", "'group':'s'") ",'transitions':[{'to':'b',"
                                    "'event':'GO'}]},{'name':'b','pose':" PLAYS("run",
                                                                                "'group':'s','offset':'random'") "}]}",
         NULL, NULL},
    };
    EXPECT_TRAPS(rows);
}

#define LEAVES(member)                                                                                                 \
    "{'op':'machine','states':[{'name':'a','pose':" CLIP("walk") ",'transitions':[{'to':'b','event':'GO',\n" member    \
                                                                 "}]},{'name':'b','pose':" CLIP("idle") "}]}"
#define ENTERS(members) "{'op':'machine',\n" members ",'states':[{'name':'a','pose':" CLIP("walk") "}]}"
#define OF_TRANSITION "states[0].transitions[0]."

// Fields that other engines have: the message says how this format has them.
static void words_of_other_engines(void **state) {
    (void)state;
    static const malformed_graph rows[] = {
        {LEAVES("'exitTime':0.9"), OF_TRANSITION "exitTime", 2, 1,
         "a transition has no such field: an exit time is \"when\": {\">=\": [{\"phase\": true}, 0.9]}, and the end of "
         "the clip is \"end\": true"},
        {LEAVES("'has_exit_time':true"), OF_TRANSITION "has_exit_time", 2, 1, "an exit time is"},
        {LEAVES("'duration':0.2"), OF_TRANSITION "duration", 2, 1, "the seconds of its fade are \"fade\""},
        {LEAVES("'Transition-Duration':0.2"), OF_TRANSITION "Transition-Duration", 2, 1, "are \"fade\""},
        {LEAVES("'offset':0.2"), OF_TRANSITION "offset", 2, 1, "\"start\": \"phase\" with \"start-phase\""},
        {LEAVES("'trigger':'JUMP'"), OF_TRANSITION "trigger", 2, 1, "\"event\": NAME, or "},
        {LEAVES("'conditions':[]"), OF_TRANSITION "conditions", 2, 1, "\"when\": {\"and\": [...]}"},
        {LEAVES("'condition':{}"), OF_TRANSITION "condition", 2, 1, "here it is \"when\""},
        {LEAVES("'durations':1"), OF_TRANSITION "durations", 2, 1, "; the nearest are "},
        {ENTERS("'anyState':[]"), "anyState", 2, 1, "\"any\" is a list of transitions"},
        {ENTERS("'defaultState':'a'"), "defaultState", 2, 1, "\"initial\" is the name of the state"},
        {"{'op':'machine','states':[{'name':'a','pose':" CLIP("walk") ",\n'speed':2}]}", "states[0].speed", 2, 1,
         "a state has no such field: its clip has a \"rate\""},
        {"{'op':'clip','clip':'walk',\n'speed':2}", "speed", 2, 1, "\"clip\" has no such field: here it is \"rate\""},
        {"{'op':'clip','clip':'walk',\n'group':'steps'}", "group", 2, 1, "\"play\" has it"},
        {"{'op':'clip','clip':'walk','play':{\n'playRate':2}}", "play.playRate", 2, 1, "here it is \"rate\""},
        {"{'op':'clip','clip':'walk','play':{\n'loop':true}}", "play.loop", 2, 1, "\"end\" is \"loop\", \"hold\""},
        {"{'op':'blend','a':{'op':'rest'},'b':{'op':'rest'},\n'alpha':1}", "alpha", 2, 1, "here it is \"weight\""},
        {"{'op':'clip','clip':'walk',\n'applyRootMotion':true}", "applyRootMotion", 2, 1,
         "\"play\": {\"motion\": true}"},
        {"{'op':'clip','clip':'walk','play':{\n'apply_root_motion':true}}", "play.apply_root_motion", 2, 1,
         "\"motion\": true"},
        {"{'op':'space1d','at':{'param':'s'},'inputs':[{'at':0,'pose':{'op':'rest'}},{'at':1,'pose':{'op':'rest'}}],"
         "\n'children':[]}",
         "children", 2, 1, "here it is \"inputs\""},
        {"{'op':\n'blendTree'}", "op", 2, 1, "no such operation: here it is \"space1d\" or \"space2d\""},
        {"{'op':\n'AnimSequencePlayer'}", "op", 2, 1, "here it is \"clip\" with \"play\": true"},
        {"{'op':'ik-aim','joints':{'head':1},'base':{'op':'rest'},'target':{'point':0,\n'param':'t'}}", "target.param",
         2, 1, "x, y and z that are parameters are a list, [{\"param\": NAME}, 0, 0]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const lmb_graph_source source = {.text = json_text(rows[i].text),
                                         .size = strlen(rows[i].text),
                                         .rig = mannequin_rig(figure),
                                         .clips = figure_clips,
                                         .clip_count = MANNEQUIN_CLIP_COUNT};
        expect_problem(&source, &rows[i]);
    }
}

// What is a text, a list or a name too much: the message says what is written there.
static void forms_of_other_engines(void **state) {
    (void)state;
    static const malformed_graph rows[] = {
        {"{'op':'blend','a':{'op':'rest'},'b':{'op':'rest'},'weight':\n'speed'}", "weight", 2, 1,
         "a parameter is {\"param\": \"speed\"}"},
        {"{'op':'blend','a':{'op':'rest'},'b':{'op':'rest'},'weight':\n'0.5'}", "weight", 2, 1,
         "a string, where a number was expected, a parameter or a curve"},
        {LEAVES("'when':'speed > 0.1'"), OF_TRANSITION "when", 2, 8,
         "a condition is {\">\": [{\"param\": \"speed\"}, 0.1]}"},
        {LEAVES("'when':{'>':['speed',0.1]}"), OF_TRANSITION "when.>[0]", 2, 14, "is {\"param\": \"speed\"}"},
        {"{'op':'masked','a':{'op':'rest'},'b':{'op':'rest'},'mask':\n['chest']}", "mask", 2, 1,
         "an array, where an object was expected: {NAME: 255} of joints and channels"},
        {"{'op':'masked','a':{'op':'rest'},'b':{'op':'rest'},'mask':{'left_hand':255,\n'palm':0}}", "mask.palm", 2, 1,
         "given twice: 'left_hand' is the same one"},
        {"{'op':'machine','states':[{'name':'a','pose':" CLIP(
             "walk") ",'transitions':[{'event':'GO','to':\n'Exit'}]}]}",
         OF_TRANSITION "to", 2, 1, "\"out\" in place of \"to\" leads to a state of the machine around"},
        {"{'op':'machine','states':[{'name':'a','pose':{'op':'machine','states':[{'name':'x','pose':" CLIP(
             "walk") "}]},'transitions':[{'to':'b',\n'end':true}]},{'name':'b','pose':" CLIP("idle") "}]}",
         OF_TRANSITION "end", 2, 7, "a machine plays in it, whose transitions lead out with \"out\" and \"end\""},
        {"{'op':'machine','define':{'g':" CLIP(
             "walk") "},'states':[{'name':'a','pose':{'use':'g'},'transitions':[{'to':"
                     "'b','event':'GO'}]},{'name':'b','pose':{'use':'g'},"
                     "'transitions':[{'to':'a',\n'end':true}]}]}",
         "states[1].transitions[0].end", 2, 7, "its pose is one of \"define\" that is used before, too"},
    };
    static const lmb_graph_alias aliases[] = {{"palm", "left_hand"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const lmb_graph_source source = {.text = json_text(rows[i].text),
                                         .size = strlen(rows[i].text),
                                         .rig = mannequin_rig(figure),
                                         .clips = figure_clips,
                                         .clip_count = MANNEQUIN_CLIP_COUNT,
                                         .joint_aliases = aliases,
                                         .joint_alias_count = 1};
        expect_problem(&source, &rows[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clip_that_rests_beside_others),
        cmocka_unit_test(a_phase_that_is_never_reached),
        cmocka_unit_test(a_mask_without_a_share),
        cmocka_unit_test(an_axis_that_nobody_stated),
        cmocka_unit_test(an_axis_that_is_opposite),
        cmocka_unit_test(an_end_of_another_limb),
        cmocka_unit_test(the_default_axis_may_fit),
        cmocka_unit_test(an_aim_that_nobody_pointed),
        cmocka_unit_test(an_angle_of_the_other_unit),
        cmocka_unit_test(a_rest_pose_that_nobody_meant),
        cmocka_unit_test(a_name_that_is_misspelt),
        cmocka_unit_test(words_of_other_engines),
        cmocka_unit_test(forms_of_other_engines),
        cmocka_unit_test(a_slip_makes_another_name),
        cmocka_unit_test(a_state_that_leads_to_itself),
        cmocka_unit_test(a_transition_that_is_hardly_taken),
        cmocka_unit_test(shares_of_an_aim_that_are_never_used),
        cmocka_unit_test(a_chance_that_is_drawn_once),
        cmocka_unit_test(an_event_of_its_own),
        cmocka_unit_test(a_transition_that_is_never_taken),
        cmocka_unit_test(a_motion_that_is_none_or_two),
        cmocka_unit_test(steps_out_of_phase),
        cmocka_unit_test(a_phase_of_the_other_foot),
        cmocka_unit_test(a_motion_that_is_taken_back),
        cmocka_unit_test(an_end_that_is_none),
        cmocka_unit_test(a_state_that_never_changes),
        cmocka_unit_test(another_convention),
        cmocka_unit_test(an_event_that_leaves_the_machine),
        cmocka_unit_test(a_mask_of_resting_joints),
        cmocka_unit_test(a_part_as_a_whole_pose),
        cmocka_unit_test(a_time_in_milliseconds),
        cmocka_unit_test(a_part_that_is_never_seen),
        cmocka_unit_test(a_random_beginning_that_is_none),
    };
    return cmocka_run_group_tests(tests, figure_start, figure_finish);
}
