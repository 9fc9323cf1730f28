// Every operation, written as JSON, on the mannequin and on a character from a file: a crowd on the device, with and
// without a pipeline for the program, and on the SIMD paths, against the reference. Only the mannequin has pipelines,
// and only for programs that read poses instead of clips: drivers that run on the processor take long for each, mostly
// because of clips.
#include "keyframes.h"
#include "program_random_gpu.h"
#include "scene.h"

#include "gpu/gpu.h"
#include "gpu/specialized.h"

#include <limber/cpu.h>
#include <limber/graph_json.h>
#include <limber/import.h>
#include <mannequin.h>
#include <string.h>

#define MOST_CLIPS (MANNEQUIN_CLIP_COUNT + 2)

static device opened;
static lmb_gpu *gpu;
static lmb_gpu *interpreting_gpu;

// A character. '@' and '#' in a text stand for the names of two of its joints, '$', '%' and '&' for a joint, its parent
// and the parent of that.
typedef struct character {
    const char *name;
    const lmb_rig *rig;
    const lmb_clip *clips[MOST_CLIPS];
    uint32_t clip_count;
    // Whether each program also runs in its own pipeline. Drivers on the processor take minutes for all of them, so
    // only one character has them. gpu_bits_test has pipelines for rigs of other sizes.
    bool pipelines;
} character;

#define CLIP(index) "{\"op\":\"clip\",\"clip\":" index "}"
#define ADDED(index) "{\"op\":\"clip\",\"clip\":" index ",\"additive\":true}"
#define WEIGHT "\"weight\":{\"param\":\"w\"},"
#define ADDITIVE(base)                                                                                                 \
    "{\"op\":\"additive\"," WEIGHT "\"base\":" base ",\"add\":{\"op\":\"clip\",\"clip\":2,\"additive\":true}}"
#define MASKED(a, b) "{\"op\":\"masked\"," WEIGHT "\"mask\":{\"@\":200},\"a\":" a ",\"b\":" b "}"

static const char *const texts[LMB_OP_COUNT] = {
    [LMB_OP_REST] = "{\"op\":\"rest\"}",
    [LMB_OP_CLIP] = "{\"op\":\"clip\",\"clip\":{\"param\":\"gait\"},\"rate\":{\"param\":\"rate\",\"min\":-2,\"max\":3},"
                    "\"offset\":{\"param\":\"phase\"}}",
    [LMB_OP_POSE] = "{\"op\":\"pose\",\"pose\":1}",
    [LMB_OP_BLEND] = "{\"op\":\"blend\"," WEIGHT "\"curve\":\"uniform-s\",\"a\":" CLIP("0") ",\"b\":" CLIP("1") "}",
    [LMB_OP_MASKED] = MASKED(CLIP("0"), CLIP("1")),
    [LMB_OP_OVERRIDE] = "{\"op\":\"override\"," WEIGHT "\"mask\":{\"@\":200},\"pose\":1,\"base\":" CLIP("0") "}",
    [LMB_OP_WEIGHTED] = "{\"op\":\"weighted\",\"inputs\":[{\"weight\":{\"param\":\"x\",\"max\":4},\"pose\":" CLIP(
        "0") "},{\"pose\":" ADDITIVE(CLIP("1")) "},{\"weight\":{\"param\":\"y\"},\"pose\":" MASKED("{\"op\":\"rest\"}",
                                                                                                   CLIP("2")) "}]}",
    [LMB_OP_MAKE_ADDITIVE] =
        "{\"op\":\"make-additive\",\"pose\":" CLIP("1") ",\"reference\":{\"op\":\"pose\",\"pose\":0}}",
    [LMB_OP_LAYERS] = "{\"op\":\"layers\",\"lod\":{\"param\":\"lod\"},\"inputs\":[{\"fade\":{\"param\":\"x\"},"
                      "\"mask\":{\"@\":200},"
                      "\"pose\":" CLIP("0") "},{\"priority\":2,\"fade\":{\"param\":\"y\"},\"pose\":" MASKED(
                          "{\"op\":\"rest\"}", CLIP("2")) "},{\"fade\":{\"param\":\"z\"},"
                                                          "\"priority\":-1,"
                                                          "\"pose\":" CLIP("1") "}]}",
    [LMB_OP_WEIGHTED_MATRIX] = "{\"op\":\"weighted-matrix\",\"inputs\":[{\"weight\":{\"param\":\"x\"},\"pose\":" CLIP(
        "0") "},{\"weight\":{\"param\":\"y\"},\"pose\":" CLIP("1") "},{\"pose\":{\"op\":\"rest\"}}]}",
    [LMB_OP_SPACE1D] = "{\"op\":\"space1d\",\"at\":{\"param\":\"x\"},\"inputs\":[{\"at\":1.5,\"pose\":" CLIP(
        "1") "},{\"at\":-3,\"pose\":{\"op\":\"rest\"}},{\"at\":0.25,\"pose\":" CLIP("0") "},{\"at\":6,"
                                                                                         "\"pose\":" CLIP("2") "}]"
                                                                                                               "}",
    // A flat triangle at the hull, with a grid and bands inside.
    [LMB_OP_SPACE2D] =
        "{\"op\":\"space2d\",\"x\":{\"param\":\"x\"},\"y\":{\"param\":\"y\",\"max\":9},\"inputs\":[{\"at\":[0,0],"
        "\"pose\":" CLIP("1") "},{\"at\":[4,0.5],\"pose\":{\"op\":\"rest\"}},{\"at\":[2,3],\"pose\":" CLIP(
            "0") "},{\"at\":[2,0.26],"
                 "\"pose\":" CLIP(
                     "2") "},{\"at\":[1.5,1.5],\"pose\":{\"op\":\"space2d\",\"kind\":\"grid\",\"x\":{\"param\":\"x\"},"
                          "\"y\":{\"param\":\"z\"},\"inputs\":[{\"at\":[0,0],\"pose\":" CLIP(
                              "0") "},{\"at\":[1,0],\"pose\":" CLIP("1") "},"
                                                                         "{\"at\":[0,2],\"pose\":" CLIP(
                                                                             "2") "},{\"at\":[1,2],\"pose\":{\"op\":"
                                                                                  "\"rest\"}}]}},{\"at\":[3,2],"
                                                                                  "\"pose\":{"
                                                                                  "\"op\":\"space2d\",\"kind\":"
                                                                                  "\"freeform\",\"x\":{\"param\":\"y\"}"
                                                                                  ",\"y\":{\"param\":\"z\"},\"inputs\":"
                                                                                  "[{\"at\":[0,0],"
                                                                                  "\"pose\":" CLIP(
                                                                                      "0") "},{\"at\":[1,0],"
                                                                                           "\"pose\":" CLIP(
                                                                                               "1") "},{"
                                                                                                    "\"at"
                                                                                                    "\":["
                                                                                                    "0,-2]"
                                                                                                    ",\"po"
                                                                                                    "se\""
                                                                                                    ":" CLIP(
                                                                                                        "2") "}]}}]}",
    [LMB_OP_ADD] = "{\"op\":\"add\",\"a\":" CLIP("0") ",\"b\":{\"op\":\"clip\",\"clip\":1,\"additive\":true}}",
    [LMB_OP_SUBTRACT] = "{\"op\":\"subtract\",\"a\":" CLIP("0") ",\"b\":" CLIP("1") "}",
    [LMB_OP_SCALE] =
        "{\"op\":\"scale\",\"weight\":{\"param\":\"f\",\"min\":-4,\"max\":4},\"shortest\":false,\"pose\":" CLIP(
            "0") "}",
    [LMB_OP_SUBTRACT_SCALE_ADD] = "{\"op\":\"subtract-scale-add\",\"weight\":{\"param\":\"f\"},\"base\":" CLIP(
        "0") ",\"a\":" CLIP("1") ",\"b\":{\"op\":\"rest\"}}",
    [LMB_OP_BILINEAR] = "{\"op\":\"bilinear\",\"s\":{\"param\":\"x\"},\"t\":{\"param\":\"y\"},\"interpolation\":"
                        "\"nlerp\",\"poses\":[" CLIP("0") "," CLIP("1") "," CLIP("2") ",{\"op\":\"rest\"}]}",
    [LMB_OP_TRILINEAR] =
        "{\"op\":\"trilinear\",\"s\":{\"param\":\"x\"},\"t\":{\"param\":\"y\"},\"u\":0.25,\"interpolation\":\"lerp\","
        "\"poses\":[" CLIP("0") "," CLIP("1") "," CLIP("2") ",{\"op\":\"rest\"},{\"op\":\"rest\"}," CLIP("0") "," CLIP(
            "1") "," CLIP("2") "]}",
    [LMB_OP_ADDITIVE] = ADDITIVE(MASKED(CLIP("0"), CLIP("1"))),
    [LMB_OP_PARTIAL] = "{\"op\":\"partial\"," WEIGHT
                       "\"a\":" CLIP("0") ",\"b\":{\"op\":\"clip\",\"clip\":1,\"joint-weights\":{\"@\":120}}}",
    [LMB_OP_CLAMP] = "{\"op\":\"clamp\",\"joint-limits\":{\"@\":{\"twist\":{\"axis\":\"x\",\"min\":-5,\"max\":20},"
                     "\"swing\":2,\"scale\":{\"min\":0.5,\"max\":0.75}}},\"pose\":" CLIP("1") "}",
    [LMB_OP_IK_TWO_BONE] =
        "{\"op\":\"ik-two-bone\"," WEIGHT "\"start\":\"&\",\"mid\":\"%\",\"end\":\"$\",\"target\":[{\"param\":\"x\"},"
        "{\"param\":\"y\"},0.5],\"pole\":[0.5,{\"param\":\"z\"},-1],\"mid-axis\":[1,0,1],"
        "\"soften\":0.75,\"twist\":{\"param\":\"t\"},\"reached\":{\"index\":2},\"base\":" CLIP("0") "}",
    [LMB_OP_IK_AIM] = "{\"op\":\"ik-aim\"," WEIGHT
                      "\"joints\":{\"$\":0.5,\"&\":1},\"target\":[{\"param\":\"x\"},-0.5,{\"param\":\"y\"}],"
                      "\"pole\":[0,1,{\"param\":\"z\"}],\"forward\":[0,0,1],\"offset\":[0.1,0.2,0],\"limit\":1.5,"
                      "\"twist\":{\"param\":\"t\"},\"reached\":{\"index\":0},\"base\":" CLIP("0") "}",
    [LMB_OP_FOOT_PLACEMENT] =
        "{\"op\":\"foot-placement\"," WEIGHT
        "\"pelvis\":\"~\",\"feet\":[{\"hip\":\"&\",\"knee\":\"%\",\"ankle\":\"$\",\"ground\":[0,{\"param\":\"y\"},0.5],"
        "\"normal\":[{\"param\":\"x\"},1,0.25],\"knee-axis\":[1,0,1]}],\"max-lowering\":0.75,\"max-angle\":0.5,"
        "\"speed\":1.5,\"clip-speed\":{\"param\":\"z\"},\"direction\":[0,0.25,{\"param\":\"y\"}],"
        "\"base\":" CLIP("0") "}",
    [LMB_OP_TWIST] = "{\"op\":\"twist\"," WEIGHT "\"source\":\"&\",\"joints\":{\"$\":-0.5},\"axis\":[1,2,0],"
                     "\"base\":" CLIP("0") "}",
    [LMB_OP_CHAIN] = "{\"op\":\"chain\"," WEIGHT "\"start\":\"&\",\"end\":\"$\",\"time\":{\"param\":\"x\"},"
                     "\"velocity\":[{\"param\":\"y\"},0,1],\"base\":" CLIP("0") "}",
    [LMB_OP_COMBINE] = "{\"op\":\"combine\",\"inputs\":[{\"pose\":" CLIP(
        "0") "},{\"joints\":[\"@\"],\"pose\":{\"op\":\"blend\"," WEIGHT
             "\"a\":{\"op\":\"pose\",\"pose\":1},\"b\":" CLIP(
                 "{\"param\":\"c\"}") "}},{\"joints\":{\"#\":\"@\"},\"pose\":" ADDITIVE(CLIP("1")) "}]}",
    [LMB_OP_RETARGET] =
        "{\"op\":\"retarget\",\"from\":\"self\",\"align-above\":0.5,\"joints\":{\"~\":\"~\",\"&\":\"$\","
        "\"$\":\"&\"},\"pose\":{\"op\":\"blend\"," WEIGHT "\"a\":{\"op\":\"clip\",\"clip\":\"?\"},\"b\":{\"op\":"
        "\"pose\",\"pose\":1}}}",
    [LMB_OP_MIRROR] = "{\"op\":\"mirror\",\"axis\":\"x\",\"pose\":" ADDITIVE(CLIP("1")) "}",
};

// Four nested machines. A machine holds two poses while it evaluates a third.
#define LEVEL(weight, pose)                                                                                            \
    "{\"op\":\"weighted\",\"inputs\":[{\"weight\":{\"param\":\"" weight "\"},\"pose\":" CLIP("0") "},{\"pose\":" pose  \
                                                                                                  "}]}"

// More options of operations.
static const struct {
    lmb_op op;
    const char *text;
} choices[] = {
    {LMB_OP_WEIGHTED,
     "{\"op\":\"weighted\",\"interpolation\":\"slerp\",\"inputs\":[{\"weight\":{\"param\":\"x\"},\"pose\":" CLIP(
         "0") "},{\"pose\":" CLIP("1") "},{\"weight\":{\"param\":\"y\"},\"pose\":" CLIP("2") "}]}"},
    {LMB_OP_WEIGHTED,
     "{\"op\":\"weighted\",\"interpolation\":\"lerp\",\"shortest\":false,\"inputs\":[{\"weight\":{\"param\":"
     "\"x\"},\"pose\":" CLIP("0") "},{\"pose\":" CLIP("1") "}]}"},
    {LMB_OP_WEIGHTED,
     LEVEL("w", LEVEL("x", LEVEL("y", LEVEL("z", "{\"op\":\"bilinear\",\"s\":{\"param\":\"s\"},\"t\":0.5,\"poses\":"
                                                 "[" CLIP("0") "," CLIP("1") "," CLIP("2") "," CLIP("1") "]}"))))},
    {LMB_OP_ADDITIVE,
     "{\"op\":\"additive\",\"form\":\"affine\",\"unclamped\":true,\"mask\":{\"@\":120},\"weight\":{\"param\":"
     "\"w\",\"min\":-4,\"max\":4},\"base\":" CLIP(
         "0") ",\"add\":{\"op\":\"clip\",\"clip\":1,\"additive\":true,\"form\":\"affine\"}}"},
    {LMB_OP_ADDITIVE,
     "{\"op\":\"additive\",\"space\":\"model\",\"weight\":{\"param\":\"w\"},\"mask\":{\"@\":120},\"base\":" CLIP(
         "0") ",\"add\":{\"op\":\"clip\",\"clip\":1,\"additive\":true,\"space\":\"model\"}}"},
    {LMB_OP_ADDITIVE,
     "{\"op\":\"mirror\",\"axis\":\"x\",\"pose\":{\"op\":\"additive\",\"space\":\"model\",\"weight\":{\"param\":\"w\"},"
     "\"base\":{\"op\":\"additive\",\"base\":{\"op\":\"pose\",\"pose\":0},\"add\":" ADDED(
         "1") "},"
              "\"add\":{\"op\":\"make-additive\",\"space\":\"model\",\"pose\":{\"op\":\"additive\","
              "\"base\":" CLIP("0") ",\"add\":" ADDED("2") "},\"reference\":{\"op\":\"rest\"}}}}"},
    {LMB_OP_SPACE2D,
     "{\"op\":\"space2d\",\"kind\":\"directional\",\"linear-scale\":true,\"x\":{\"param\":\"x\"},\"y\":{\"param\":"
     "\"y\"},"
     "\"inputs\":[{\"at\":[0,0],\"pose\":" CLIP("0") "},{\"at\":[0,0.5],\"pose\":" CLIP(
         "1") "},{\"at\":[0.75,-0.5],\"pose\":" CLIP("2") "},{\"at\":[-1,-1],\"pose\":{\"op\":\"space1d\","
                                                          "\"discrete\":true,\"at\":{\"param\":\"z\"},\"inputs\":[{"
                                                          "\"at\":0,\"pose\":" CLIP("1") "},{\"at\":1,\"pose\":{"
                                                                                         "\"op\":\"rest\"}}]}}]}"},
    {LMB_OP_LAYERS,
     "{\"op\":\"layers\",\"threshold\":0.3,\"linear-scale\":true,\"inputs\":[{\"fade\":{\"param\":\"x\"},\"mask\":{"
     "\"@\":99},\"pose\":" CLIP("0") "},{\"fade\":{\"param\":\"y\"},\"pose\":" CLIP(
         "1") "},{\"fade\":{\"param\":\"z\"},\"mask\":{\"@\":20},\"priority\":1,\"pose\":" CLIP("2") "}]}"},
    {LMB_OP_LAYERS, "{\"op\":\"additive\",\"base\":" CLIP("0") ",\"add\":{\"op\":\"layers\",\"inputs\":[{\"fade\":{"
                                                               "\"param\":\"x\"},\"mask\":{\"@\":99},\"pose\":" ADDED(
                                                                   "1") "},{\"fade\":{\"param\":\"y\"},\"priority\":1,"
                                                                        "\"pose\":" ADDED("2") "}]}}"},
};

static void run_gpu(const program_side *side, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                    const lmb_batch_outputs *outputs, const program_list *list) {
    program_random_run_gpu(&opened, side->user, batch, inputs, outputs, list);
}

static void run_fast(const program_side *side, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                     const lmb_batch_outputs *outputs, const program_list *list) {
    (void)side;
    program_random_run_cpu(LMB_CPU_FAST, batch, inputs, outputs, list);
}

// Replaces a clip number at time 0 by the pose of the same number. Both texts have the same length.
static void replace_clips(char *text) {
    static const char clip[] = "{\"op\":\"clip\",\"clip\":", pose[] = "{\"op\":\"pose\",\"pose\":";
    for (; (text = strstr(text, clip)) != NULL; text++) {
        if (text[sizeof clip - 1] < '4' && text[sizeof clip] == '}') {
            memcpy(text, pose, sizeof pose - 1);
        }
    }
}

// Returns the joint whose name a letter stands for, or LMB_NONE. The last joint of a rig has ancestors.
static uint32_t joint_of(const lmb_rig *rig, char letter) {
    const lmb_rig_def *rig_def = lmb_rig_get_def(rig);
    const uint32_t joints = rig_def->joint_count;
    const uint32_t parent = rig_def->joints[joints - 1].parent, above = rig_def->joints[parent].parent;
    return letter == '@'   ? joints / 3
           : letter == '#' ? joints / 2
           : letter == '$' ? joints - 1
           : letter == '%' ? parent
           : letter == '&' ? above
           : letter == '~' ? rig_def->joints[above].parent
                           : LMB_NONE;
}

static lmb_graph_json *read_graph(const character *on, const char *text, bool clips) {
    char named[4000];
    size_t length = 0;
    for (; *text != '\0'; text++) {
        const char letter[2] = {*text, '\0'};
        const uint32_t joint = joint_of(on->rig, *text);
        length += (size_t)snprintf(named + length, sizeof named - length, "%s",
                                   joint != LMB_NONE ? lmb_rig_get_def(on->rig)->joints[joint].name
                                   : *text == '?'    ? lmb_clip_get_info(on->clips[0])->name
                                                     : letter);
        assert_true(length < sizeof named);
    }
    if (!clips) {
        replace_clips(named);
    }
    const lmb_graph_character self = {"self", on->rig, on->clips, on->clip_count};
    const lmb_graph_source source = {.text = named,
                                     .size = length,
                                     .rig = on->rig,
                                     .clips = on->clips,
                                     .clip_count = on->clip_count,
                                     .characters = &self,
                                     .character_count = 1};
    lmb_graph_json *graph = NULL;
    lmb_error error;
    assert_ok(lmb_graph_json_read(&source, NULL, &graph, NULL, &error), &error);
    return graph;
}

static bool holds(const lmb_graph_def *def, lmb_op op) {
    bool found = false;
    for (uint32_t i = 0; i < def->node_count; i++) {
        found = found || def->nodes[i].op == op;
    }
    return found;
}

static void compare(const character *on, lmb_op op, const program_side *sides, uint32_t side_count, crowd *crowd) {
    crowd_draw(crowd, 1);
    for (uint32_t i = 0; i < side_count; i++) {
        char text[300];
        if (program_random_differs(&sides[i], crowd, text, sizeof text)) {
            fail_msg("operation %d on %s, on %s: %s", op, on->name, sides[i].name, text);
        }
    }
}

static void compare_on(const character *on, lmb_op op, const char *text, bool pipelines, bool clips) {
    const program_side others[] = {{"the device's interpreter", run_gpu, interpreting_gpu, 0},
                                   {"the fast path", run_fast, NULL, 0}};
    const program_side pipeline = {"the device", run_gpu, gpu, 0};
    lmb_graph_json *graph = read_graph(on, text, clips);
    const lmb_graph_def *def = lmb_graph_json_def(graph);
    assert_true(holds(def, op));
    const crowd_def crowd_def = {.rig = on->rig,
                                 .clips = on->clips,
                                 .clip_count = on->clip_count,
                                 .character_count = 67,
                                 .seed = 20261121 + suite_first(),
                                 .given = def,
                                 .one_in = 61};
    crowd crowd;
    lmb_error error;
    assert_ok(crowd_create(&crowd_def, &crowd, &error), &error);
    // Drivers take longest for the interpreting kernel. gpu_bits_test runs it in every set.
    const uint32_t first = suite_is_quick() ? 1 : 0;
    compare(on, op, pipelines ? &pipeline : others + first, pipelines ? 1 : 2 - first, &crowd);
    crowd_destroy(&crowd);
    lmb_graph_json_destroy(graph);
}

static void compare_text(const character *on, lmb_op op, const char *text) {
    if (text == NULL) {
        fail_msg("operation %d has no text in this test's table", op);
    }
    compare_on(on, op, text, false, true);
    if (on->pipelines) {
        // Poses of a joint map have other joints, so a pose buffer cannot replace a clip there.
        compare_on(on, op, text, true, op == LMB_OP_COMBINE);
    }
}

static void compare_operations(const character *on) {
    for (uint32_t op = 0; op < LMB_OP_MACHINE; op++) {
        compare_text(on, (lmb_op)op, texts[op]);
    }
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        compare_text(on, choices[i].op, choices[i].text);
    }
}

// Clips of a rig of two joints for a joint map of two joints. A parameter chooses one of them among all clips.
static lmb_clip *create_small_clip(uint64_t seed) {
    lmb_rig *rig = scene_rig(2, SCENE_CHAIN, seed);
    keyframes keys = keyframes_create(2, 7, seed);
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_clip_create(rig, &keys.clip, NULL, &clip, NULL), LMB_OK);
    keyframes_destroy(&keys);
    lmb_rig_destroy(rig);
    return clip;
}

static void small_parts(character *on) {
    char text[1000];
    lmb_clip *small[2] = {create_small_clip(1), create_small_clip(2)};
    const uint32_t whole = on->clip_count;
    on->clips[on->clip_count++] = small[0];
    on->clips[on->clip_count++] = small[1];
    snprintf(text, sizeof text,
             "{\"op\":\"combine\",\"inputs\":[{\"pose\":" CLIP(
                 "{\"param\":\"any\"}") "},{\"joints\":[\"@\",\"#\"],"
                                        "\"pose\":{\"op\":\"blend\"," WEIGHT
                                        "\"a\":{\"op\":\"clip\",\"clip\":%u},\"b\":{\"op\":\"clip\","
                                        "\"clip\":{\"param\":\"any\"}}}},{\"joints\":[\"#\",\"@\"],\"pose\":{\"op\":"
                                        "\"layers\",\"inputs\":["
                                        "{\"fade\":{\"param\":\"f\"},\"pose\":{\"op\":\"clip\",\"clip\":%u}},{\"pose\":"
                                        "{\"op\":\"pose\","
                                        "\"pose\":0},\"fade\":0.25}]}}]}",
             whole, whole + 1);
    compare_text(on, LMB_OP_COMBINE, text);
    on->clip_count = whole;
    lmb_clip_destroy(small[0]);
    lmb_clip_destroy(small[1]);
}

static character create_mannequin(mannequin **mannequin) {
    lmb_error error;
    *mannequin = NULL;
    assert_ok(mannequin_create(NULL, mannequin, &error), &error);
    character created = {"the mannequin", mannequin_rig(*mannequin), {NULL}, MANNEQUIN_CLIP_COUNT, true};
    for (uint32_t i = 0; i < MANNEQUIN_CLIP_COUNT; i++) {
        created.clips[i] = mannequin_clip(*mannequin, (mannequin_clip_id)i);
    }
    return created;
}

static void every_operation_on_the_mannequin(void **state) {
    (void)state;
    mannequin *mannequin;
    character character = create_mannequin(&mannequin);
    compare_operations(&character);
    small_parts(&character);
    mannequin_destroy(mannequin);
}

static void every_operation_on_the_fox(void **state) {
    (void)state;
    lmb_import *import = NULL;
    lmb_error error;
    lmb_result result = lmb_import_file(LIMBER_ASSETS "/Fox.glb", NULL, &import, &error);
    if (result == LMB_ERROR_FILE) {
        skip(); // LIMBER_ASSETS lacks Fox.glb
    }
    assert_ok(result, &error);
    character character = {
        "the fox", lmb_import_get_content(import)->rig, {NULL}, lmb_import_get_content(import)->clip_count, false};
    assert_int_equal(character.clip_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        character.clips[i] = lmb_import_get_content(import)->clips[i];
    }
    compare_operations(&character);
    lmb_import_destroy(import);
}

// Appends a sum of clips to a text. `weight` is the beginning of a weight, which ends with a digit from 0 to 4.
static size_t write_sum(const character *on, const char *sum, const char *weight, uint32_t count, char *text,
                        size_t size) {
    const char *end = strchr(weight, '{') != NULL ? "\"}" : "";
    size_t length = (size_t)snprintf(text, size, "{%s", sum);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(length < size);
        length += (size_t)snprintf(
            text + length, size - length, "%s{\"weight\":%s%u%s,\"pose\":{\"op\":\"clip\",\"clip\":%u}}",
            i > 0 ? "," : ",\"inputs\":[", weight, (unsigned)(i % 5), end, (unsigned)(i * i % on->clip_count));
    }
    assert_true(length + 2 < size);
    return length + (size_t)snprintf(text + length, size - length, "]}");
}

// Compares a blend of two sums of clips, of which some have no weight. The weights of the second one are in two words
// of bits if there are enough.
static void compare_run(const character *on, const char *sum, const char *weight, uint32_t count) {
    char text[4000];
    size_t length = (size_t)snprintf(text, sizeof text, "{\"op\":\"blend\"," WEIGHT "\"a\":");
    length += write_sum(on, sum, weight, count, text + length, sizeof text - length);
    length += (size_t)snprintf(text + length, sizeof text - length, ",\"b\":");
    length += write_sum(on, sum, weight, count, text + length, sizeof text - length);
    assert_true(length + 1 < sizeof text);
    snprintf(text + length, sizeof text - length, "}");
    compare_on(on, LMB_OP_WEIGHTED, text, true, true);
}

// A graph of more instructions than a kernel of its own may have otherwise.
static void runs_of_clips(void **state) {
    (void)state;
    mannequin *mannequin;
    character character = create_mannequin(&mannequin);
    compare_run(&character, "\"op\":\"weighted\"", "{\"param\":\"w", LMB_MAX_INPUTS);
    compare_run(&character, "\"op\":\"weighted\",\"interpolation\":\"slerp\"", "", 5);
    compare_run(&character, "\"op\":\"weighted\",\"shortest\":false", "{\"param\":\"w", 4);
    mannequin_destroy(mannequin);
}

// A state of a machine as games have them: its inputs have weights of their own.
#define NESTED_STATE(weight)                                                                                           \
    "{\"weight\":" weight ",\"pose\":{\"op\":\"blend\"," WEIGHT "\"a\":{\"op\":\"space1d\",\"at\":{\"param\":\"x\"},"  \
    "\"inputs\":[{\"at\":0,\"pose\":" CLIP("0") "},{\"at\":0.5,\"pose\":" CLIP("1") "},{\"at\":1,\"pose\":" CLIP(      \
        "2") "}]},"                                                                                                    \
             "\"b\":{\"op\":\"additive\",\"weight\":{\"param\":\"y\"},\"base\":" CLIP("1") ",\"add\":" ADDED(          \
                 "2") "}}}"

// The inputs of states and blends that a character does not show are left out. More instructions than a kernel of its
// own has on a processor.
static void unseen_inputs(void **state) {
    (void)state;
    mannequin *mannequin;
    character character = create_mannequin(&mannequin);
    gpu->limits.instructions = LMB_GPU_MOST_SPECIALIZED;
    compare_on(&character, LMB_OP_WEIGHTED,
               "{\"op\":\"weighted\",\"inputs\":[" NESTED_STATE("1") "," NESTED_STATE("0") "," NESTED_STATE(
                   "{\"param\":\"z\"}") "]}",
               true, true);
    gpu->limits.instructions = LMB_GPU_MOST_SPECIALIZED_ON_CPU;
    mannequin_destroy(mannequin);
}

// A retarget keeps the channels' rest values, so a clip's joint weight of a channel does not count in it.
static void channels_of_a_layer_in_a_retarget(void **state) {
    (void)state;
    enum { JOINTS = 4 };
    lmb_joint_def joints[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i > 0 ? i - 1 : LMB_NONE;
    }
    lmb_channel_def channel = lmb_default_channel_def();
    channel.rest = 0.25f;
    lmb_rig_def rig_def = lmb_default_rig_def();
    rig_def.joints = joints;
    rig_def.joint_count = JOINTS;
    rig_def.channels = &channel;
    rig_def.channel_count = 1;
    lmb_rig *rig = NULL;
    lmb_clip *clip = NULL;
    lmb_error error;
    assert_ok(lmb_rig_create(&rig_def, NULL, &rig, &error), &error);
    const float time = 0.0f, value = 3.0f;
    const uint8_t weights[JOINTS + 1] = {255, 255, 255, 255, 64};
    const lmb_track_def track = {0, LMB_PROPERTY_FLOAT, LMB_INTERPOLATION_STEP, 1, &time, &value};
    lmb_clip_def clip_def = lmb_default_clip_def();
    clip_def.name = "clip";
    clip_def.tracks = &track;
    clip_def.track_count = 1;
    clip_def.joint_weights = weights;
    assert_ok(lmb_clip_create(rig, &clip_def, NULL, &clip, &error), &error);
    const character character = {"a rig with a channel", rig, {clip}, 1, true};
    compare_text(&character, LMB_OP_RETARGET,
                 "{\"op\":\"retarget\",\"from\":\"self\",\"pose\":{\"op\":\"layers\",\"inputs\":["
                 "{\"fade\":{\"param\":\"x\"},\"pose\":{\"op\":\"clip\",\"clip\":\"?\"}},"
                 "{\"fade\":{\"param\":\"y\"},\"priority\":-1,\"pose\":{\"op\":\"clamp\",\"joint-limits\":"
                 "{\"channel_0\":{\"range\":[1,2]}},\"pose\":{\"op\":\"rest\"}}}]}}");
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
}

static int start(void **state) {
    (void)state;
    lmb_error error;
    open_device(&opened);
    lmb_gpu_def def = device_gpu_def(&opened);
    assert_ok(lmb_gpu_create(&def, NULL, &gpu, &error), &error);
    def.interpret_graphs = true;
    if (!suite_is_quick()) {
        assert_ok(lmb_gpu_create(&def, NULL, &interpreting_gpu, &error), &error);
    }
    return 0;
}

static int finish(void **state) {
    (void)state;
    lmb_gpu_destroy(interpreting_gpu);
    lmb_gpu_destroy(gpu);
    return device_close(&opened) == 0 ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_on_the_mannequin),
        cmocka_unit_test(every_operation_on_the_fox),
        cmocka_unit_test(channels_of_a_layer_in_a_retarget),
        cmocka_unit_test(runs_of_clips),
        cmocka_unit_test(unseen_inputs),
    };
    return run_gpu_suite_with("graph", tests, sizeof tests / sizeof tests[0], start, finish);
}
