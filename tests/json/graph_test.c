// Programs written as JSON: the graph that a text becomes, and the reported problems of malformed texts.
#include "failing_host.h"
#include "graph_text.h"
#include "reading.h"

#include <fenv.h>
#include <limber/cpu.h>
#include <limber/graph_json.h>
#include <limber/import.h>
#include <limber/pack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HIPS, SPINE, HEAD, LEFT_ARM, RIGHT_ARM, JOINTS };
enum { CHANNELS = 3 }; // float channels
enum { WALK, RUN, WAVE, CLIPS };

static lmb_rig *rig;
static lmb_clip *clips[CLIPS];

static lmb_clip *create_clip(const char *name, float duration, float bend) {
    const float times[2] = {0.0f, duration};
    const float turns[8] = {0.0f, 0.0f, 0.0f, 1.0f, bend, 0.25f, 0.0f, 1.0f};
    const float moves[6] = {0.0f, 1.0f, 0.0f, bend, 2.0f, 0.5f};
    const lmb_track_def tracks[] = {{HIPS, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, moves},
                                    {HEAD, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, 2, times, turns},
                                    {LEFT_ARM, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, 2, times, turns}};
    lmb_clip *clip = NULL;
    assert_int_equal(
        lmb_clip_create(rig, &(lmb_clip_def){.name = name, .tracks = tracks, .track_count = 3}, NULL, &clip, NULL),
        LMB_OK);
    return clip;
}

static int set_up(void **state) {
    (void)state;
    static const char *const names[JOINTS] = {"Hips", "Spine", "Head", "Left\"Arm", "Hips"};
    static const uint32_t parents[JOINTS] = {LMB_NONE, HIPS, SPINE, SPINE, SPINE};
    lmb_joint_def joints[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].name = names[i];
        joints[i].parent = parents[i];
        joints[i].rest.translation[1] = 1.0f;
    }
    static const lmb_channel_def channels[CHANNELS] = {{"smile_l", 0, false}, {"smile_r", 0, false}, {"look", 0, true}};
    const lmb_rig_def def = {.joints = joints, .joint_count = JOINTS, .channels = channels, .channel_count = CHANNELS};
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    clips[WALK] = create_clip("Walk", 1.0f, 0.5f);
    clips[RUN] = create_clip("Run", 0.75f, -1.0f);
    clips[WAVE] = create_clip("Wave", 2.0f, 0.125f);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    for (uint32_t i = 0; i < CLIPS; i++) {
        lmb_clip_destroy(clips[i]);
    }
    lmb_rig_destroy(rig);
    return 0;
}

static lmb_graph_source source_of(const char *text) {
    return graph_source(text, rig, clips, CLIPS);
}

// An unnamed pose and "crouch", with identities for all joints.
static lmb_static_pose_def *given_poses(void) {
    static lmb_transform joints[JOINTS];
    static lmb_static_pose_def poses[2] = {{NULL, joints, JOINTS, NULL}, {"crouch", joints, JOINTS, NULL}};
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_transform_identity();
    }
    return poses;
}

static lmb_graph_json *read_graph(const char *text) {
    lmb_graph_source source = source_of(text);
    source.static_poses = given_poses();
    source.static_pose_count = 2;
    lmb_graph_json *graph = NULL;
    lmb_error error = {0};
    if (lmb_graph_json_read(&source, NULL, &graph, NULL, &error) != LMB_OK) {
        fail_msg("%s\n%s", text, error.message);
    }
    return graph;
}

static void expect_created(const lmb_graph_def *def) {
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    if (lmb_graph_create(def, NULL, &graph, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    lmb_graph_destroy(graph);
}

static void expect_number(lmb_value value, lmb_value expected) {
    assert_int_equal(value.kind, expected.kind);
    assert_int_equal(value.parameter, expected.parameter);
    assert_int_equal(value.curve, expected.curve);
    assert_memory_equal(value.control, expected.control, sizeof value.control);
    assert_true(value.constant == expected.constant || expected.kind == LMB_VALUE_PARAMETER);
}

// ---- The graph that a text becomes. ----

static void expect_node(const lmb_node_def *node, const lmb_node_def *expected) {
    assert_int_equal(node->op, expected->op);
    assert_int_equal(node->input_count, expected->input_count);
    for (uint32_t i = 0; i < expected->input_count; i++) {
        assert_int_equal(node->inputs[i], expected->inputs[i]);
        expect_number(node->weights[i], expected->weights[i]);
        assert_int_equal(node->priorities[i], expected->priorities[i]);
        assert_int_equal(node->masks[i], expected->masks[i]);
        assert_memory_equal(node->positions[i], expected->positions[i], sizeof node->positions[i]);
    }
    expect_number(node->weight, expected->weight);
    expect_number(node->clip, expected->clip);
    expect_number(node->time, expected->time);
    expect_number(node->rate, expected->rate);
    expect_number(node->offset, expected->offset);
    assert_int_equal(node->loop, expected->op == LMB_OP_CLIP ? expected->loop : node->loop);
    assert_int_equal(node->mask, expected->mask);
    assert_int_equal(node->mirror, expected->mirror);
    assert_int_equal(node->joint_limits, expected->joint_limits);
    assert_int_equal(node->pose, expected->pose);
    assert_int_equal(node->static_pose, expected->static_pose);
    assert_int_equal(node->space2d, expected->space2d);
    assert_int_equal(node->discrete, expected->discrete);
    assert_int_equal(node->linear_scale, expected->linear_scale);
    assert_true(node->threshold == expected->threshold);
    for (int i = 0; i < 3; i++) {
        expect_number(node->coordinates[i], expected->coordinates[i]);
    }
}

static void expect_nodes(const char *text, const lmb_node_def *nodes, uint32_t count) {
    lmb_graph_json *graph = read_graph(text);
    const lmb_graph_def *def = lmb_graph_json_def(graph);
    assert_int_equal(def->node_count, count);
    for (uint32_t i = 0; i < count; i++) {
        expect_node(&def->nodes[i], &nodes[i]);
    }
    expect_created(def);
    lmb_graph_json_destroy(graph);
}

static lmb_node_def clip_node(uint32_t clip, lmb_value time) {
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.clip = lmb_constant((float)clip);
    node.time = time;
    node.loop = true;
    return node;
}

static lmb_node_def two_inputs(lmb_op op, uint32_t a, uint32_t b) {
    lmb_node_def node = lmb_default_node_def();
    node.op = op;
    node.inputs[0] = a;
    node.inputs[1] = b;
    node.input_count = 2;
    return node;
}

static void sources(void **state) {
    (void)state;
    lmb_node_def node = lmb_default_node_def();
    expect_nodes("{'op':'rest'}", &node, 1);
    node = clip_node(RUN, lmb_parameter(0));
    expect_nodes("\xEF\xBB\xBF {'op':'clip','clip':'Run'}", &node, 1);
    node.loop = false;
    node.time = lmb_constant(0.5f);
    node.rate = lmb_constant(-1.25f);
    node.offset = lmb_parameter(0);
    expect_nodes("{'clip':'Run','offset':{'param':'phase'},'time':0.5,'op':'clip','loop':false,'rate':-1.25}", &node,
                 1);
    node = clip_node(0, lmb_parameter(1));
    node.clip = lmb_parameter(0);
    expect_nodes("{'op':'clip','clip':{'param':'gait'}}", &node, 1);
    node.clip = lmb_constant(2.0f);
    node.time = lmb_parameter(0);
    expect_nodes("{'op':'clip','clip':2}", &node, 1);
    node = lmb_default_node_def();
    node.op = LMB_OP_POSE;
    node.pose = 7;
    expect_nodes("{'op':'pose','pose':7}", &node, 1);
}

static void blends(void **state) {
    (void)state;
    lmb_node_def nodes[4] = {clip_node(WALK, lmb_parameter(1)), clip_node(RUN, lmb_parameter(1))};
    nodes[1].rate = lmb_constant(1.2f);
    nodes[2] = two_inputs(LMB_OP_BLEND, 0, 1);
    nodes[2].weight = lmb_parameter(0);
    nodes[2].weight.curve = LMB_CURVE_UNIFORM_S;
    expect_nodes("{'op':'blend','weight':{'param':'speed'},'curve':'uniform-s','a':{'op':'clip','clip':'Walk'},"
                 "'b':{'op':'clip','clip':'Run','rate':1.2}}",
                 nodes, 3);
    expect_nodes("{'op':'blend','weight':{'curve':'uniform-s','of':{'param':'speed'}},'a':{'op':'clip','clip':'Walk'},"
                 "'b':{'op':'clip','clip':'Run','rate':1.2}}",
                 nodes, 3);
    // Inputs keep their order, whatever the order in the text.
    nodes[0].time = nodes[1].time = lmb_parameter(0);
    nodes[2] = two_inputs(LMB_OP_BLEND, 1, 0);
    nodes[2].weight = lmb_constant(0.25f);
    expect_nodes("{'b':{'op':'clip','clip':'Walk'},'weight':0.25,'op':'blend',"
                 "'a':{'op':'clip','clip':'Run','rate':1.2}}",
                 nodes, 3);
}

static void weighted_inputs(void **state) {
    (void)state;
    lmb_node_def nodes[4] = {lmb_default_node_def(), clip_node(WAVE, lmb_parameter(1)), lmb_default_node_def()};
    nodes[3] = two_inputs(LMB_OP_WEIGHTED, 0, 1);
    nodes[3].inputs[2] = 2;
    nodes[3].input_count = 3;
    nodes[3].weights[0] = lmb_parameter(0);
    nodes[3].weights[2] = lmb_constant(4.5f);
    expect_nodes("{'op':'weighted','inputs':[{'weight':{'param':'x'},'pose':{'op':'rest'}},"
                 "{'pose':{'op':'clip','clip':'Wave'}},{'pose':{'op':'rest'},'weight':4.5}]}",
                 nodes, 4);
}

static void curves_of_any_number(void **state) {
    (void)state;
    lmb_node_def nodes[3] = {clip_node(RUN, lmb_parameter(0)), lmb_default_node_def()};
    nodes[0].time.curve = LMB_CURVE_UNIFORM_S;
    nodes[0].rate = lmb_parameter(1);
    nodes[0].rate.curve = LMB_CURVE_UNIFORM_S;
    nodes[2] = two_inputs(LMB_OP_WEIGHTED, 0, 1);
    nodes[2].weights[0] = lmb_constant(0.5f);
    nodes[2].weights[1] = lmb_parameter(2);
    nodes[2].weights[0].curve = nodes[2].weights[1].curve = LMB_CURVE_UNIFORM_S;
    static const char text[] = "{'op':'weighted','inputs':[{'curve':'uniform-s','weight':0.5,"
                               "'pose':{'op':'clip','clip':'Run','time':{'curve':'uniform-s','of':{'param':'phase'}},"
                               "'rate':{'of':{'param':'rate'},'curve':'uniform-s'}}},"
                               "{'weight':{'curve':'uniform-s','of':{'param':'x'}},'pose':{'op':'rest'}}]}";
    expect_nodes(text, nodes, 3);
    // A value with a curve has the range 0 to 1.
    lmb_graph_json *graph = read_graph(text);
    const lmb_graph_def *def = lmb_graph_json_def(graph);
    lmb_graph *created = NULL;
    assert_int_equal(lmb_graph_create(def, NULL, &created, NULL), LMB_OK);
    assert_true(def->parameters[0].max == 1.0f);
    assert_true(def->parameters[1].initial == 1.0f);
    float row[8];
    assert_in_range(lmb_graph_get_info(created)->parameter_count, 2, 8);
    lmb_graph_defaults(created, row);
    for (uint32_t i = 0; i < lmb_graph_get_info(created)->parameter_count; i++) {
        assert_true(row[i] == def->parameters[i].initial);
    }
    lmb_graph_destroy(created);
    lmb_graph_json_destroy(graph);
}

static void every_curve(void **state) {
    (void)state;
    for (int curve = 0; curve < LMB_CURVE_COUNT; curve++) {
        lmb_node_def nodes[3] = {lmb_default_node_def(), lmb_default_node_def(), two_inputs(LMB_OP_BLEND, 0, 1)};
        char name[64], text[256];
        nodes[2].weight = lmb_parameter(0);
        nodes[2].weight.curve = (lmb_curve)curve;
        snprintf(name, sizeof name, "\"%s\"", lmb_curve_name((lmb_curve)curve));
        if (curve == LMB_CURVE_BEZIER) {
            nodes[2].weight.control[0] = -0.5f;
            nodes[2].weight.control[1] = 16.0f;
            snprintf(name, sizeof name, "{'bezier':[-0.5,16]}");
        }
        snprintf(text, sizeof text,
                 "{'op':'blend','curve':%s,'weight':{'param':'x'},'a':{'op':'rest'},'b':{'op':'rest'}}", name);
        expect_nodes(text, nodes, 3);
    }
}

static void expect_same_clip(const lmb_clip *clip, const lmb_clip *expected) {
    size_t size, expected_size;
    const uint32_t *words = lmb_clip_block(clip, &size), *others = lmb_clip_block(expected, &expected_size);
    assert_int_equal(size, expected_size);
    assert_memory_equal(words, others, size);
}

static lmb_clip *cut_by_hand(const lmb_clip *clip, float start, float end) {
    const lmb_clip_part_def def = {.start = start, .end = end};
    lmb_clip *part = NULL;
    assert_int_equal(lmb_clip_cut(rig, clip, &def, NULL, &part, NULL), LMB_OK);
    return part;
}

// Writes a graph into a pack and opens it. The clips of the nodes are the same bits.
static void expect_packed(const lmb_graph_def *def) {
    static uint32_t bytes[1 << 14];
    const lmb_pack_graph named = {"graph", def};
    lmb_pack_def pack_def = lmb_default_pack_def();
    pack_def.rig = rig;
    pack_def.graphs = &named;
    pack_def.graph_count = 1;
    size_t size = 0;
    lmb_pack *pack = NULL;
    assert_int_equal(lmb_pack_write(&pack_def, NULL, bytes, sizeof bytes, &size, NULL), LMB_OK);
    assert_int_equal(lmb_pack_open(bytes, size, NULL, &pack, NULL), LMB_OK);
    const lmb_graph_def *read = lmb_pack_find_graph(pack, "graph");
    for (uint32_t i = 0; i < def->node_count; i++) {
        if (def->nodes[i].op == LMB_OP_CLIP) {
            expect_same_clip(read->clips[(uint32_t)read->nodes[i].clip.constant],
                             def->clips[(uint32_t)def->nodes[i].clip.constant]);
        }
    }
    lmb_pack_close(pack);
}

// A part of a clip becomes a clip of the graph: the same bits as one that is cut by hand. Poses with the same part
// share it.
static void parts_of_clips(void **state) {
    (void)state;
    static const char text[] =
        "{'op':'additive','base':{'op':'weighted','inputs':["
        "{'weight':1,'pose':{'op':'clip','clip':'Walk','from':0.3,'to':0.7,'time':0.1}},"
        "{'weight':1,'pose':{'op':'clip','clip':2,'to':0.7}},{'weight':1,'pose':{'op':'clip','clip':'Walk'}},"
        "{'weight':1,'pose':{'op':'clip','clip':'Walk','from':0.7}}]},"
        "'add':{'op':'clip','clip':'Walk','to':0.7,'from':0.3,'additive':true}}";
    static const struct {
        uint32_t clip;
        float start, end;
    } expected[] = {{WALK, 0.3f, 0.7f}, {WAVE, 0.0f, 0.7f}, {WALK, 0.7f, 1.0f}};
    static const uint32_t played[] = {CLIPS, CLIPS + 1, WALK, CLIPS + 2, LMB_NONE, CLIPS, CLIPS};
    lmb_graph_json *graph = read_graph(text);
    const lmb_graph_def *def = lmb_graph_json_def(graph);
    assert_int_equal(def->clip_count, CLIPS + 3);
    assert_int_equal(def->clip_origin_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(def->clip_origins[i].clip, CLIPS + i);
        assert_int_equal(def->clip_origins[i].of, expected[i].clip);
        lmb_clip *part = cut_by_hand(clips[expected[i].clip], expected[i].start, expected[i].end);
        expect_same_clip(def->clips[CLIPS + i], part);
        lmb_clip_destroy(part);
    }
    for (uint32_t i = 0; i < sizeof played / sizeof *played; i++) {
        assert_true(def->nodes[i].op != LMB_OP_CLIP || def->nodes[i].clip.constant == (float)played[i]);
    }
    expect_created(def);
    expect_packed(def);
    const lmb_clip_origin nowhere[] = {{CLIPS, WALK, 0.3f, 0.7f}, {CLIPS, CLIPS + 3, 0.3f, 0.7f}};
    lmb_graph_def changed = *def;
    lmb_error error = {0};
    changed.clip_origins = nowhere;
    changed.clip_origin_count = 2;
    CHECK_REFUSAL(lmb_graph_check(&changed, &error), &error, LMB_ERROR_ARGUMENT, "clip origin 1: it names a clip that");
    changed.clip_origins = NULL;
    CHECK_REFUSAL(lmb_graph_check(&changed, &error), &error, LMB_ERROR_ARGUMENT, "the clip origins are NULL");
    lmb_graph_json_destroy(graph);
}

#define BLEND_BY(curve) "{'op':'blend','weight':{'param':'x'},'curve':" curve ",'a':{'op':'rest'},'b':{'op':'rest'}}"

// Reads the graph of a blend, and compares the keys of its curve.
static void expect_keys(const char *text, const lmb_curve_key *keys, uint32_t count) {
    lmb_graph_json *graph = read_graph(text);
    const lmb_graph_def *def = lmb_graph_json_def(graph);
    assert_int_equal(def->nodes[2].weight.curve, lmb_user_curve(0));
    assert_int_equal(def->curve_count, 1);
    assert_int_equal(def->curves[0].key_count, count);
    for (uint32_t i = 0; i < count; i++) {
        const lmb_curve_key *key = &def->curves[0].keys[i];
        assert_true(key->x == keys[i].x && key->y == keys[i].y && key->stepped == keys[i].stepped);
        assert_memory_equal(key->in, keys[i].in, sizeof key->in);
        assert_memory_equal(key->out, keys[i].out, sizeof key->out);
    }
    expect_created(def);
    lmb_graph_json_destroy(graph);
}

static void curves_of_its_own(void **state) {
    (void)state;
    lmb_curve_key keys[4];
    lmb_css_keys(0.25f, 0.1f, 0.25f, 1.0f, keys);
    expect_keys(BLEND_BY("{'bezier':[0.25,0.1,0.25,1]}"), keys, 2);
    keys[0] = lmb_key(-1.0f, 2.0f);
    keys[1] = lmb_key(0.5f, 1.0f);
    expect_keys(BLEND_BY("{'keys':[[-1,2],[0.5,1]]}"), keys, 2);
    // A slope before and after a key, one for both, and none, which takes that of the line.
    keys[2] = lmb_key(2.0f, 4.0f);
    keys[3] = lmb_key(3.0f, 4.0f);
    lmb_set_slopes(&keys[0], -2.0f / 3.0f, 0.25f, &keys[1]);
    lmb_set_slopes(&keys[1], 0.75f, 3.0f, &keys[2]);
    lmb_set_slopes(&keys[2], 3.0f, 0.0f, &keys[3]);
    expect_keys(BLEND_BY("{'keys':[[-1,2],[0.5,1,0.25,0.75],[2,4,3],[3,4]]}"), keys, 4);
    keys[0] = lmb_key(0.0f, 0.5f);
    keys[0].stepped = true;
    keys[1] = lmb_key(1.0f, 0.0f);
    keys[1].out[0] = 0.5f;
    keys[1].out[1] = -0.25f;
    keys[2] = lmb_key(2.0f, 4.0f);
    keys[2].in[0] = -1.0f;
    expect_keys(BLEND_BY("{'keys':[{'x':0,'y':0.5,'stepped':true},{'x':1,'y':0,'out':[0.5,-0.25]},"
                         "{'y':4,'x':2,'in':[-1,0]}]}"),
                keys, 3);
}

// Equal curves are one. A parameter inside has the range of the keys, and a number may be outside, as in C.
static void equal_curves_are_one(void **state) {
    (void)state;
    lmb_graph_json *graph =
        read_graph("{'op':'weighted','inputs':[{'pose':{'op':'rest'},'weight':{'of':{'param':'speed'},"
                   "'curve':{'keys':[[2,0],[6,1]]}}},"
                   "{'pose':{'op':'rest'},'weight':{'curve':{'keys':[[2,0],{'x':6,'y':1}]},'of':5}},"
                   "{'pose':{'op':'rest'},'weight':{'curve':{'bezier':[0,0,1,1]},'of':{'param':'y'}}},"
                   "{'pose':{'op':'rest'},'weight':{'curve':{'keys':[[2,0.25],[6,1]]},'of':-1.5}}]}");
    const lmb_graph_def *def = lmb_graph_json_def(graph);
    assert_int_equal(def->curve_count, 3);
    assert_int_equal(def->nodes[4].weights[0].curve, lmb_user_curve(0));
    assert_int_equal(def->nodes[4].weights[1].curve, lmb_user_curve(0));
    assert_int_equal(def->nodes[4].weights[2].curve, lmb_user_curve(1));
    assert_true(def->parameters[0].min == 2.0f && def->parameters[0].max == 6.0f && def->parameters[0].initial == 2.0f);
    assert_true(def->nodes[4].weights[1].constant == 5.0f);
    assert_true(lmb_value_at(def->nodes[4].weights[1], NULL, def->curves) == 0.75f);
    assert_true(lmb_value_at(def->nodes[4].weights[3], NULL, def->curves) == 0.25f);
    expect_created(def);
    lmb_graph_json_destroy(graph);
}

static void layers(void **state) {
    (void)state;
    lmb_node_def nodes[4] = {lmb_default_node_def(), clip_node(WAVE, lmb_parameter(1)), lmb_default_node_def()};
    nodes[3] = two_inputs(LMB_OP_LAYERS, 0, 1);
    nodes[3].inputs[2] = 2;
    nodes[3].input_count = 3;
    nodes[3].weights[0] = lmb_parameter(0);
    nodes[3].weights[2] = lmb_constant(0.5f);
    nodes[3].priorities[1] = -3;
    nodes[3].priorities[2] = 1000000;
    expect_nodes("{'op':'layers','inputs':[{'fade':{'param':'x'},'pose':{'op':'rest'}},"
                 "{'priority':-3,'pose':{'op':'clip','clip':'Wave'}},"
                 "{'pose':{'op':'rest'},'fade':0.5,'priority':1000000}]}",
                 nodes, 4);
    nodes[3].masks[0] = 0;
    nodes[3].masks[2] = 1;
    nodes[3].weights[0] = nodes[3].weights[2] = lmb_constant(1.0f);
    nodes[3].priorities[1] = nodes[3].priorities[2] = 0;
    nodes[1].time = lmb_parameter(0);
    nodes[3].threshold = 0.25f;
    expect_nodes("{'op':'layers','threshold':0.25,'inputs':[{'pose':{'op':'rest'},'mask':{'Head':3}},"
                 "{'pose':{'op':'clip','clip':'Wave'}},{'pose':{'op':'rest'},'mask':{'Head':4}}]}",
                 nodes, 4);
}

static void spaces(void **state) {
    (void)state;
    lmb_node_def nodes[4] = {lmb_default_node_def(), clip_node(WAVE, lmb_parameter(1)), lmb_default_node_def()};
    nodes[3] = two_inputs(LMB_OP_SPACE1D, 0, 1);
    nodes[3].inputs[2] = 2;
    nodes[3].input_count = 3;
    nodes[3].coordinates[0] = lmb_parameter(0);
    nodes[3].positions[0][0] = 2.5f;
    nodes[3].positions[1][0] = -1.0f;
    nodes[3].positions[2][0] = 100.0f;
    expect_nodes("{'op':'space1d','at':{'param':'speed'},'inputs':[{'at':2.5,'pose':{'op':'rest'}},"
                 "{'pose':{'op':'clip','clip':'Wave'},'at':-1},{'pose':{'op':'rest'},'at':1e2}]}",
                 nodes, 4);
    nodes[3].discrete = nodes[3].linear_scale = true;
    expect_nodes("{'op':'space1d','discrete':true,'linear-scale':true,'at':{'param':'speed'},'inputs':[{'at':2.5,"
                 "'pose':{'op':'rest'}},{'pose':{'op':'clip','clip':'Wave'},'at':-1},{'pose':{'op':'rest'},'at':1e2}]}",
                 nodes, 4);
    nodes[3].discrete = nodes[3].linear_scale = false;
    nodes[3].op = LMB_OP_SPACE2D;
    nodes[3].space2d = LMB_SPACE2D_FREEFORM;
    nodes[3].coordinates[1] = lmb_constant(-7.0f);
    nodes[3].positions[1][1] = 3.0f;
    nodes[3].positions[2][1] = -0.5f;
    expect_nodes("{'op':'space2d','kind':'freeform','x':{'param':'speed'},'y':-7,"
                 "'inputs':[{'at':[2.5,0],'pose':{'op':'rest'}},{'pose':{'op':'clip','clip':'Wave'},'at':[-1,3]},"
                 "{'pose':{'op':'rest'},'at':[100,-0.5]}]}",
                 nodes, 4);
    nodes[3].space2d = LMB_SPACE2D_DIRECTIONAL;
    nodes[3].discrete = true;
    expect_nodes("{'op':'space2d','kind':'directional','discrete':true,'x':{'param':'speed'},'y':-7,"
                 "'inputs':[{'at':[2.5,0],'pose':{'op':'rest'}},{'pose':{'op':'clip','clip':'Wave'},'at':[-1,3]},"
                 "{'pose':{'op':'rest'},'at':[100,-0.5]}]}",
                 nodes, 4);
    // Triangles are the default. A parameter's range is that of the positions, and its default is 0 within that range.
    lmb_graph_json *graph =
        read_graph("{'op':'space2d','x':{'param':'x'},'y':{'param':'y','max':9},"
                   "'inputs':[{'at':[2.5,0],'pose':{'op':'rest'}},{'pose':{'op':'rest'},'at':[1,3]},"
                   "{'pose':{'op':'rest'},'at':[5,-0.5]}]}");
    const lmb_graph_def *def = lmb_graph_json_def(graph);
    const lmb_parameter_def x = def->parameters[0], y = def->parameters[1];
    assert_true(x.min == 1.0f && x.max == 5.0f && x.initial == 1.0f);
    assert_true(y.min == -0.5f && y.max == 9.0f && y.initial == 0.0f);
    assert_int_equal(def->nodes[def->node_count - 1].space2d, LMB_SPACE2D_TRIANGLES);
    lmb_graph_json_destroy(graph);
}

static void additives(void **state) {
    (void)state;
    lmb_node_def nodes[5] = {lmb_default_node_def(), clip_node(WAVE, lmb_parameter(0)),
                             clip_node(WAVE, lmb_constant(0.0f)), two_inputs(LMB_OP_MAKE_ADDITIVE, 1, 2),
                             two_inputs(LMB_OP_ADDITIVE, 0, 3)};
    nodes[1].rate = lmb_constant(2.0f);
    nodes[4].weight = lmb_constant(0.5f);
    expect_nodes("{'op':'additive','weight':0.5,'base':{'op':'rest'},"
                 "'add':{'op':'clip','clip':'Wave','rate':2,'additive':true}}",
                 nodes, 5);
    nodes[1] = lmb_default_node_def();
    nodes[2] = clip_node(WAVE, lmb_parameter(0));
    nodes[3] = two_inputs(LMB_OP_MAKE_ADDITIVE, 2, 1);
    expect_nodes("{'op':'additive','weight':0.5,'base':{'op':'rest'},"
                 "'add':{'op':'clip','clip':'Wave','reference':{'op':'rest'},'additive':true}}",
                 nodes, 5);
    expect_nodes("{'op':'additive','weight':0.5,'base':{'op':'rest'},"
                 "'add':{'op':'make-additive','reference':{'op':'rest'},'pose':{'op':'clip','clip':'Wave'}}}",
                 nodes, 5);
}

#define IN_TWO_BLENDS(a, b, c) "{'op':'blend','a':" a ",'b':{'op':'blend','a':" b ",'b':" c "}}"
#define MASKED(mask) "{'op':'masked','a':{'op':'rest'},'b':{'op':'rest'},'mask':" mask "}"

static void masks(void **state) {
    (void)state;
    lmb_graph_json *graph = read_graph(
        IN_TWO_BLENDS(MASKED("{'Head':0,'Spine':200,'Left\\u0022Arm':7}"), MASKED("{}"), MASKED("{'Hips':0}")));
    const lmb_graph_def *def = lmb_graph_json_def(graph);
    static const uint8_t expected[2][JOINTS] = {{0, 200, 0, 7, 200}, {0, 0, 0, 0, 0}};
    assert_int_equal(def->mask_count, 2);
    assert_memory_equal(def->masks[0], expected[0], JOINTS);
    assert_memory_equal(def->masks[1], expected[1], JOINTS);
    assert_int_equal(def->nodes[2].mask, 0);
    assert_int_equal(def->nodes[5].mask, 1);
    assert_int_equal(def->nodes[8].mask, 1); // the same bytes
    lmb_graph_json_destroy(graph);
    // The right arm has the same name as the hips, and a name refers to its first joint.
    graph = read_graph(MASKED("{'Hips':1,'Head':255}"));
    static const uint8_t first[JOINTS] = {1, 1, 255, 1, 1};
    assert_memory_equal(lmb_graph_json_def(graph)->masks[0], first, JOINTS);
    lmb_graph_json_destroy(graph);
    // Of names with a question mark those count that the rig has.
    graph = read_graph(MASKED("{'Hips':1,'Tail?':9,'Head?':255}"));
    assert_memory_equal(lmb_graph_json_def(graph)->masks[0], first, JOINTS);
    assert_int_equal(lmb_graph_json_warning_count(graph), 0);
    lmb_graph_json_destroy(graph);
}

#define MIRROR(members) "{'op':'mirror','pose':{'op':'rest'}," members "}"

static void mirrors(void **state) {
    (void)state;
    lmb_graph_json *graph = read_graph(
        IN_TWO_BLENDS(MIRROR("'axis':'z'"), MIRROR("'axis':'z','partners':{'Head':'Left\\u0022Arm','Spine':'Spine'}"),
                      MIRROR("'partners':{},'axis':'z'")));
    const lmb_graph_def *def = lmb_graph_json_def(graph);
    static const uint32_t expected[2][JOINTS] = {{HIPS, SPINE, HEAD, LEFT_ARM, RIGHT_ARM},
                                                 {HIPS, SPINE, LEFT_ARM, HEAD, RIGHT_ARM}};
    assert_int_equal(def->mirror_count, 2);
    assert_memory_equal(def->mirrors[0].partners, expected[0], sizeof expected[0]);
    assert_memory_equal(def->mirrors[1].partners, expected[1], sizeof expected[1]);
    assert_int_equal(def->mirrors[0].axis, LMB_AXIS_Z);
    const lmb_node_def *nodes = def->nodes;
    assert_int_equal(nodes[1].op, LMB_OP_MIRROR);
    assert_int_equal(nodes[1].input_count, 1);
    assert_int_equal(nodes[1].inputs[0], 0);
    assert_int_equal(nodes[1].mirror, 0);
    assert_int_equal(nodes[3].mirror, 1);
    assert_int_equal(nodes[5].mirror, 0); // the same partners
    expect_created(def);
    lmb_graph_json_destroy(graph);
}

// Partners that differ at rest by scale, or by a length that counts; not those whose tiny bones differ.
static void partners_that_differ_give_a_warning(void **state) {
    (void)state;
    static const struct {
        float scale, length, tiny;
        bool warns;
    } cases[] = {{1.0f, 1.0f, 0.01f, false},
                 {0.25f, 1.0f, 0.01f, true},
                 {1.0f, 0.5f, 0.01f, true},
                 {1.05f, 0.9f, 0.01f, false},
                 {1.0f, 1.0f, 0.02f, false}};
    static const char *const names[] = {"Hips", "ArmL", "ArmR", "HandL", "HandR"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lmb_joint_def joints[5];
        for (uint32_t k = 0; k < 5; k++) {
            joints[k] = lmb_default_joint_def();
            joints[k].name = names[k];
            joints[k].parent = k == 0 ? LMB_NONE : k < 3 ? 0 : k - 2;
        }
        joints[1].rest.translation[0] = 1.0f;
        joints[2].rest.translation[0] = -cases[i].length;
        joints[3].rest.translation[0] = 0.01f;
        joints[4].rest.translation[0] = -cases[i].tiny;
        joints[2].rest.scale[0] = joints[2].rest.scale[1] = joints[2].rest.scale[2] = cases[i].scale;
        lmb_rig *own = NULL;
        assert_int_equal(lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = 5}, NULL, &own, NULL), LMB_OK);
        for (int masked = 0; masked < 2; masked++) {
            // The cure that the warning names leaves none.
            static const char *const texts[] = {
                "{\"op\":\"mirror\",\"axis\":\"x\",\"pose\":{\"op\":\"rest\"}}",
                "{\"op\":\"masked\",\"mask\":{\"Hips\":255,\"ArmL\":0,\"ArmR\":0},\"a\":{\"op\":\"rest\"},\"b\":"
                "{\"op\":\"mirror\",\"axis\":\"x\",\"pose\":{\"op\":\"rest\"}}}"};
            const lmb_graph_source source = {.text = texts[masked], .size = strlen(texts[masked]), .rig = own};
            const bool warns = cases[i].warns && masked == 0;
            lmb_graph_json *graph = NULL;
            assert_int_equal(lmb_graph_json_read(&source, NULL, &graph, NULL, NULL), LMB_OK);
            assert_int_equal(lmb_graph_json_warning_count(graph), warns);
            if (warns) {
                const char *message = lmb_graph_json_warning_at(graph, 0)->message;
                assert_non_null(strstr(message, "at rest 'ArmL' and 'ArmR' have other scales or lengths"));
                assert_non_null(strstr(message, "\"masked\" around it"));
            }
            lmb_graph_json_destroy(graph);
        }
        lmb_rig_destroy(own);
    }
}

// A trunk whose bone points elsewhere than that of the other character, and an arm, which may.
static void a_trunk_that_is_turned_gives_a_warning(void **state) {
    (void)state;
    static const struct {
        float spine[3], arm[3];
        const char *text, *warning;
    } cases[] = {
        {{0.0f, 1.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, "", NULL},
        {{0.0f, 0.7f, 0.7f}, {0.0f, -1.0f, 0.0f}, "", NULL},
        {{0.0f, 0.0f, 1.0f},
         {1.0f, 0.0f, 0.0f},
         "",
         "'Hips' is turned by 90 degrees, with all below it, so that its bone "
         "points as that of 'Hips': list it in \"not-aligned\""},
        {{0.0f, 0.0f, 1.0f}, {1.0f, 0.0f, 0.0f}, ",'not-aligned':['Hips']", NULL},
    };
    static const char *const names[] = {"Hips", "Spine", "Arm", "Hand"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lmb_rig *rigs[2] = {NULL, NULL};
        for (int k = 0; k < 2; k++) {
            lmb_joint_def joints[4];
            for (uint32_t joint = 0; joint < 4; joint++) {
                joints[joint] = lmb_default_joint_def();
                joints[joint].name = names[joint];
                joints[joint].parent = joint == 0 ? LMB_NONE : joint - 1;
            }
            joints[1].rest.translation[1] = joints[2].rest.translation[0] = joints[3].rest.translation[0] = 1.0f;
            if (k == 0) {
                memcpy(joints[1].rest.translation, cases[i].spine, sizeof cases[i].spine);
                memcpy(joints[3].rest.translation, cases[i].arm, sizeof cases[i].arm);
            }
            const lmb_rig_def def = {.joints = joints, .joint_count = 4};
            assert_int_equal(lmb_rig_create(&def, NULL, &rigs[k], NULL), LMB_OK);
        }
        char text[200];
        snprintf(text, sizeof text, "{'op':'retarget','from':'other','pose':{'op':'rest'}%s}", cases[i].text);
        const char *const quoted = json_text(text);
        const lmb_graph_character other = {.name = "other", .rig = rigs[1]};
        const lmb_graph_source source = {
            .text = quoted, .size = strlen(quoted), .rig = rigs[0], .characters = &other, .character_count = 1};
        lmb_graph_json *graph = NULL;
        lmb_error error = {0};
        if (lmb_graph_json_read(&source, NULL, &graph, NULL, &error) != LMB_OK) {
            fail_msg("%s", error.message);
        }
        assert_int_equal(lmb_graph_json_warning_count(graph), cases[i].warning != NULL);
        if (cases[i].warning != NULL) {
            assert_non_null(strstr(lmb_graph_json_warning_at(graph, 0)->message, cases[i].warning));
        }
        lmb_graph_json_destroy(graph);
        lmb_rig_destroy(rigs[0]);
        lmb_rig_destroy(rigs[1]);
    }
}

// A head that the rest pose turns round and the clips do not: of this rig, or of the other one.
static void a_rest_that_is_turned_gives_a_warning(void **state) {
    (void)state;
    static const struct {
        bool own, other;
        const char *text, *warning;
    } cases[] = {{false, false, "", NULL},
                 {true, false, "", "state \"target-pose\""},
                 {true, false, ",'target-pose':{'clip':'stand'}", NULL},
                 {false, true, "", "state \"source-pose\""},
                 {false, true, ",'source-pose':{'clip':'stand'}", NULL}};
    static const float times[1] = {0.0f}, forward[4] = {0.0f, 0.0f, 0.0f, 1.0f};
    const lmb_track_def track = {1, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, 1, times, forward};
    const lmb_clip_def clip_def = {.name = "stand", .tracks = &track, .track_count = 1, .duration = 1.0f};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lmb_rig *rigs[2] = {NULL, NULL};
        lmb_clip *clip[2] = {NULL, NULL};
        for (int k = 0; k < 2; k++) {
            lmb_joint_def joints[2] = {lmb_default_joint_def(), lmb_default_joint_def()};
            joints[0].name = "Hips";
            joints[0].parent = LMB_NONE;
            joints[1].name = "Head";
            joints[1].parent = 0;
            joints[1].rest.translation[1] = 1.0f;
            if (k == 0 ? cases[i].own : cases[i].other) {
                joints[1].rest.rotation[1] = 1.0f;
                joints[1].rest.rotation[3] = 0.0f;
            }
            const lmb_rig_def rig_def = {.joints = joints, .joint_count = 2};
            assert_int_equal(lmb_rig_create(&rig_def, NULL, &rigs[k], NULL), LMB_OK);
            assert_int_equal(lmb_clip_create(rigs[k], &clip_def, NULL, &clip[k], NULL), LMB_OK);
        }
        char text[200];
        snprintf(text, sizeof text, "{'op':'retarget','from':'other','pose':{'op':'clip','clip':'stand'}%s}",
                 cases[i].text);
        const char *const quoted = json_text(text);
        const lmb_graph_character other = {
            .name = "other", .rig = rigs[1], .clips = (const lmb_clip *const *)&clip[1], .clip_count = 1};
        const lmb_graph_source source = {.text = quoted,
                                         .size = strlen(quoted),
                                         .rig = rigs[0],
                                         .clips = (const lmb_clip *const *)&clip[0],
                                         .clip_count = 1,
                                         .characters = &other,
                                         .character_count = 1};
        lmb_graph_json *graph = NULL;
        lmb_error error = {0};
        if (lmb_graph_json_read(&source, NULL, &graph, NULL, &error) != LMB_OK) {
            fail_msg("%s", error.message);
        }
        assert_int_equal(lmb_graph_json_warning_count(graph), cases[i].warning != NULL);
        if (cases[i].warning != NULL) {
            const char *message = lmb_graph_json_warning_at(graph, 0)->message;
            assert_non_null(strstr(message, "joint 'Head' is turned round in the rest pose"));
            assert_non_null(strstr(message, cases[i].warning));
        }
        lmb_graph_json_destroy(graph);
        for (int k = 0; k < 2; k++) {
            lmb_clip_destroy(clip[k]);
            lmb_rig_destroy(rigs[k]);
        }
    }
}

#define COMBINE(inputs) "{'op':'combine','inputs':[" inputs "]}"
#define IN(joints, pose) "{'joints':" joints ",'pose':" pose "}"

static void combined(void **state) {
    (void)state;
    lmb_graph_json *graph = read_graph("{'op':'combine','inputs':[{'pose':{'op':'pose','pose':'crouch'}},"
                                       "{'joints':['Head','Spine'],'pose':{'op':'pose','pose':2}},"
                                       "{'joints':{'Head':'Spine','Hips':'Hips'},'pose':{'op':'rest'}},"
                                       "{'joints':['Head','Spine'],'pose':{'op':'rest'}}]}");
    const lmb_graph_def *def = lmb_graph_json_def(graph);
    static const uint32_t expected[2][JOINTS] = {{LMB_NONE, 1, 0, LMB_NONE, LMB_NONE},
                                                 {HIPS, LMB_NONE, SPINE, LMB_NONE, LMB_NONE}};
    assert_int_equal(def->joint_map_count, 2);
    assert_int_equal(def->joint_maps[0].joint_count, 2);
    assert_int_equal(def->joint_maps[1].joint_count, JOINTS);
    assert_memory_equal(def->joint_maps[0].joints, expected[0], sizeof expected[0]);
    assert_memory_equal(def->joint_maps[1].joints, expected[1], sizeof expected[1]);
    const lmb_node_def *node = &def->nodes[def->node_count - 1];
    assert_int_equal(node->op, LMB_OP_COMBINE);
    assert_int_equal(node->input_count, 4);
    assert_int_equal(node->joint_maps[0], LMB_NONE);
    assert_int_equal(node->joint_maps[1], 0);
    assert_int_equal(node->joint_maps[2], 1);
    assert_int_equal(node->joint_maps[3], 0); // the same joints
    assert_int_equal(def->nodes[0].static_pose, 1);
    assert_int_equal(def->nodes[1].static_pose, LMB_NONE);
    assert_int_equal(def->nodes[1].pose, 2);
    lmb_graph *program = NULL;
    assert_int_equal(lmb_graph_create(def, NULL, &program, NULL), LMB_OK);
    assert_int_equal(lmb_graph_pose_joint_count(program, 2), 2);
    lmb_graph_destroy(program);
    lmb_graph_json_destroy(graph);
}

#define CLAMP(limits) "{'op':'clamp','pose':{'op':'rest'},'joint-limits':" limits "}"

static void limits(void **state) {
    (void)state;
    static const char text[] = "{'op':'blend','a':{'op':'clamp','pose':{'op':'rest'},'joint-limits':{"
                               "'Spine':{'twist':{'axis':'x','min':-30,'max':20},'swing':45},"
                               "'Head':{'angles':{'min':[-1,-2,-3],'max':90},'translation':{'min':-0.5,'max':[1,2,3]},"
                               "'scale':{'min':0.5,'max':2}}}},"
                               "'b':{'op':'clamp','pose':{'op':'rest'},'joint-limits':{'Hips':{'twist':{}}}}}";
    lmb_graph_json *graph = read_graph(text);
    const lmb_graph_def *def = lmb_graph_json_def(graph);
    assert_int_equal(def->joint_limits_count, 2);
    assert_int_equal(def->nodes[1].op, LMB_OP_CLAMP);
    assert_int_equal(def->nodes[1].joint_limits, 0);
    assert_int_equal(def->nodes[3].joint_limits, 1);
    lmb_joint_limit_def expected = lmb_default_joint_limit_def();
    assert_memory_equal(&def->joint_limits[0][HIPS], &expected, sizeof expected);
    expected.set = LMB_JOINT_LIMIT_TWIST | LMB_JOINT_LIMIT_SWING;
    expected.twist_axis = LMB_AXIS_X;
    expected.twist_min = -30.0f;
    expected.twist_max = 20.0f;
    expected.swing = 45.0f;
    assert_memory_equal(&def->joint_limits[0][SPINE], &expected, sizeof expected);
    const lmb_joint_limit_def *head = &def->joint_limits[0][HEAD];
    assert_int_equal(head->set, LMB_JOINT_LIMIT_ANGLES | LMB_JOINT_LIMIT_TRANSLATION | LMB_JOINT_LIMIT_SCALE);
    for (int i = 0; i < 3; i++) {
        assert_true(head->angle_min[i] == -1.0f - (float)i && head->angle_max[i] == 90.0f);
        assert_true(head->translation_min[i] == -0.5f && head->translation_max[i] == 1.0f + (float)i);
        assert_true(head->scale_min[i] == 0.5f && head->scale_max[i] == 2.0f);
    }
    const lmb_joint_limit_def *hips = &def->joint_limits[1][HIPS];
    assert_true(hips->twist_axis == LMB_AXIS_Y && hips->twist_min == -180.0f && hips->twist_max == 180.0f);
    expect_created(def);
    lmb_graph_json_destroy(graph);
}

// Float channels appear next to joints in masks and limits, and have a separate table in mirrors.
static void channels(void **state) {
    (void)state;
    lmb_graph_json *graph = read_graph(MASKED("{'Spine':3,'look':77,'smile_l':9}"));
    static const uint8_t mask[JOINTS + CHANNELS] = {0, 3, 3, 3, 3, 9, 0, 77};
    assert_memory_equal(lmb_graph_json_def(graph)->masks[0], mask, sizeof mask);
    lmb_graph_json_destroy(graph);
    graph = read_graph(CLAMP("{'look':{'range':[-10,20.5]},'Head':{'swing':1}}"));
    const lmb_graph_def *def = lmb_graph_json_def(graph);
    assert_true(def->channel_ranges[0][2].min == -10.0f && def->channel_ranges[0][2].max == 20.5f);
    assert_true(def->channel_ranges[0][0].min == -LMB_LARGEST && def->channel_ranges[0][1].max == LMB_LARGEST);
    assert_int_equal(def->joint_limits[0][HEAD].set, LMB_JOINT_LIMIT_SWING);
    expect_created(def);
    lmb_graph_json_destroy(graph);
    graph = read_graph("{'op':'add','a':{'op':'mirror','axis':'x','pose':{'op':'rest'}},"
                       "'b':{'op':'mirror','axis':'x','pose':{'op':'rest'},"
                       "'channels':{'look':{'sign':-1},'smile_l':{'partner':'smile_r','sign':-1}}}}");
    def = lmb_graph_json_def(graph);
    static const uint32_t partners[CHANNELS] = {1, 0, 2};
    static const int8_t signs[CHANNELS] = {-1, -1, -1};
    assert_int_equal(def->mirror_count, 2);
    assert_null(def->mirrors[0].channel_signs);
    assert_memory_equal(def->mirrors[0].channel_partners, partners, sizeof partners);
    assert_memory_equal(def->mirrors[1].channel_partners, partners, sizeof partners);
    assert_memory_equal(def->mirrors[1].channel_signs, signs, sizeof signs);
    expect_created(def);
    lmb_graph_json_destroy(graph);
    static const struct {
        const char *text, *place, *what;
    } rows[] = {
        {MASKED("{'look':256}"), "mask.look", "outside 0 to 255"},
        {CLAMP("{'look':{'swing':1}}"), "joint-limits.look", "no such field"},
        {CLAMP("{'look':{}}"), "joint-limits.look", "range"},
        {CLAMP("{'look':{'range':1}}"), "joint-limits.look.range", "an array was expected"},
        {CLAMP("{'look':{'range':[1]}}"), "joint-limits.look.range", "2 were expected"},
        {CLAMP("{'look':{'range':[-400,0]}}"), "joint-limits", "channel 2 'look'"},
        {MIRROR("'axis':'x','channels':[]"), "channels", "an object was expected"},
        {MIRROR("'axis':'x','channels':{'Head':1}"), "channels.Head",
         "no channel of this name; there are smile_l, smile_r, look"},
        {MIRROR("'axis':'x','channels':{'look':1}"), "channels.look", "an object was expected"},
        {MIRROR("'axis':'x','channels':{'look':{'sign':0}}"), "channels.look.sign", "1 nor -1"},
        {MIRROR("'axis':'x','channels':{'look':'smile_l'}"), "channels", "an angle"},
        {MIRROR("'axis':'x','channels':{'smile_l':'smile_r','look':'smile_r'}"), "channels.look", "another partner"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const lmb_graph_source source = source_of(rows[i].text);
        lmb_error error = {0};
        graph = NULL;
        const lmb_result result = lmb_graph_json_read(&source, NULL, &graph, NULL, &error);
        check_refusal(result, &error, result, (const char *const[]){rows[i].place, rows[i].what}, 2);
        assert_true(result != LMB_OK);
        assert_null(graph);
    }
}

// An additive that is added otherwise than it was made gives a warning. Forms are the same in model space.
static void expect_form_refused(const char *text, const char *path, const char *message) {
    const lmb_graph_source source = source_of(text);
    lmb_graph_json *graph = NULL;
    static lmb_graph_problems problems;
    assert_int_equal(lmb_graph_json_read(&source, NULL, &graph, &problems, NULL), LMB_ERROR_FORMAT);
    assert_int_equal(problems.count, 1);
    assert_string_equal(problems.list[0].path, path);
    assert_string_equal(problems.list[0].message, message);
}

// An additive is added as it was made: what the node leaves out it takes, and anything else is refused.
static void additives_of_another_form_are_refused(void **state) {
    (void)state;
    static const char wave[] = "'clip':'Wave','additive':true";
    static const struct {
        const char *made, *added;
        lmb_form form;
        lmb_space space;
        const char *path, *message;
    } rows[] = {
        {"", "", LMB_FORM_LOCAL, LMB_SPACE_LOCAL, NULL, NULL},
        {",'form':'parent'", "", LMB_FORM_PARENT, LMB_SPACE_LOCAL, NULL, NULL},
        {",'space':'model'", "", LMB_FORM_LOCAL, LMB_SPACE_MODEL, NULL, NULL},
        {",'form':'affine'", ",'form':'affine'", LMB_FORM_AFFINE, LMB_SPACE_LOCAL, NULL, NULL},
        {",'form':'affine'", ",'space':'local'", LMB_FORM_AFFINE, LMB_SPACE_LOCAL, NULL, NULL},
        {",'space':'model'", ",'space':'model','form':'parent'", LMB_FORM_PARENT, LMB_SPACE_MODEL, NULL, NULL},
        {",'form':'parent'", ",'form':'local'", 0, 0, "form",
         "local, but what is added was made with \"form\": \"parent\"; write that, or leave it out here"},
        {"", ",'form':'affine'", 0, 0, "form",
         "affine, but what is added was made with \"form\": \"local\"; write that, or leave it out here"},
        {"", ",'space':'model'", 0, 0, "space",
         "model, but what is added was made with \"space\": \"local\"; write that, or leave it out here"},
        {",'space':'model'", ",'space':'local'", 0, 0, "space",
         "local, but what is added was made with \"space\": \"model\"; write that, or leave it out here"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        // Alone, as an input of a scale, and after a difference.
        static const char *const texts[] = {
            "{'op':'additive','base':{'op':'rest'},'add':{'op':'clip',%s%s}%s}",
            "{'op':'additive','base':{'op':'rest'},'add':{'op':'scale','weight':0.5,'pose':{'op':'clip',%s%s}}%s}",
            ("{'op':'additive','base':{'op':'rest'},'add':{'op':'subtract-scale-add','weight':0.5,'a':{'op':'rest'},"
             "'b':{'op':'rest'},'base':{'op':'clip',%s%s}}%s}")};
        for (int k = 0; k < 3; k++) {
            char text[400];
            snprintf(text, sizeof text, texts[k], wave, rows[i].made, rows[i].added);
            if (rows[i].message != NULL) {
                expect_form_refused(text, rows[i].path, rows[i].message);
                continue;
            }
            lmb_graph_json *graph = read_graph(text);
            const lmb_graph_def *def = lmb_graph_json_def(graph);
            assert_int_equal(def->nodes[def->node_count - 1].form, rows[i].form);
            assert_int_equal(def->nodes[def->node_count - 1].space, rows[i].space);
            assert_int_equal(lmb_graph_json_warning_count(graph), 0);
            expect_created(def);
            lmb_graph_json_destroy(graph);
        }
    }
    expect_form_refused(
        "{'op':'additive','base':{'op':'rest'},'add':{'op':'add','a':{'op':'clip','clip':'Wave',"
        "'additive':true},'b':{'op':'clip','clip':'Wave','additive':true,'form':'parent'}}}",
        "add", "additives of form local and space local, and of form parent and space local; give all the same");
}

#define LIMB(members) "{'op':'ik-two-bone','base':{'op':'rest'},'start':'Hips','mid':'Spine'," members "}"
#define AIM(members) "{'op':'ik-aim','base':{'op':'rest'},'target':[1,2,3]," members "}"

static void inverse_kinematics(void **state) {
    (void)state;
    lmb_graph_json *graph =
        read_graph(LIMB("'end':'Head','target':[1,{'param':'y'},-3],'mid-axis':[0,2,0],'soften':0.5,"
                        "'pole':[0,0,{'param':'z'}],'twist':0.25,'weight':{'param':'w'}"));
    const lmb_graph_def *def = lmb_graph_json_def(graph);
    assert_int_equal(def->nodes[1].op, LMB_OP_IK_TWO_BONE);
    const lmb_two_bone_def *limb = &def->nodes[1].two_bone;
    assert_int_equal(limb->start, HIPS);
    assert_int_equal(limb->mid, SPINE);
    assert_int_equal(limb->end, HEAD);
    expect_number(limb->target[0], lmb_constant(1.0f));
    expect_number(limb->target[1], lmb_parameter(0));
    expect_number(limb->pole[1], lmb_constant(0.0f));
    expect_number(limb->pole[2], lmb_parameter(1));
    expect_number(limb->twist, lmb_constant(0.25f));
    expect_number(def->nodes[1].weight, lmb_parameter(2));
    assert_true(limb->mid_axis[1] == 2.0f && limb->mid_axis[2] == 0.0f && limb->soften == 0.5f);
    expect_created(def);
    lmb_graph_json_destroy(graph);
    // From the joint that aims to its ancestors, in any order of the text.
    graph = read_graph(AIM("'joints':{'Spine':0.5,'Head':0.25,'Hips':1},'forward':[0,0,1],'offset':[1,2,3],'limit':2,"
                           "'twist':{'param':'turn'},'reached':{'index':5}"));
    def = lmb_graph_json_def(graph);
    const lmb_aim_def *aim = &def->nodes[1].aim;
    assert_int_equal(aim->joint_count, 3);
    assert_memory_equal(aim->joints, ((uint32_t[]){HEAD, SPINE, HIPS}), 3 * sizeof *aim->joints);
    assert_true(aim->shares[0] == 0.25f && aim->shares[1] == 0.5f && aim->shares[2] == 1.0f);
    assert_true(aim->forward[2] == 1.0f && aim->up[1] == 1.0f && aim->offset[2] == 3.0f && aim->limit == 2.0f);
    expect_number(aim->twist, lmb_parameter(0));
    assert_true(aim->reached.is_reported && aim->reached.index == 5);
    expect_created(def);
    lmb_graph_json_destroy(graph);
    // Points from the buffer, in world space.
    graph = read_graph(LIMB("'end':'Head','target':{'point':3},'pole':{'point':0},'space':'world'"));
    limb = &lmb_graph_json_def(graph)->nodes[1].two_bone;
    assert_true(limb->target_slot.in_buffer && limb->target_slot.index == 3 && limb->space == LMB_IK_WORLD);
    assert_true(limb->pole_slot.in_buffer && limb->pole_slot.index == 0);
    expect_created(lmb_graph_json_def(graph));
    lmb_graph_json_destroy(graph);
    graph = read_graph("{'op':'ik-aim','base':{'op':'rest'},'target':{'point':63},'joints':{'Head':1}}");
    aim = &lmb_graph_json_def(graph)->nodes[1].aim;
    assert_true(aim->target_slot.in_buffer && aim->target_slot.index == 63 && !aim->pole_slot.in_buffer);
    assert_int_equal(aim->space, LMB_IK_MODEL);
    expect_created(lmb_graph_json_def(graph));
    lmb_graph_json_destroy(graph);
    static const struct {
        const char *text, *place, *what;
    } rows[] = {
        {LIMB("'end':'Head','target':{'point':64}"), "target.point", "64 is outside 0 to 63"},
        {LIMB("'end':'Head','target':{'point':0.5}"), "target.point", "no whole number"},
        {LIMB("'end':'Head','target':{}"), "target", "needs the field \"point\""},
        {LIMB("'end':'Head','target':{'point':0,'x':1}"), "target.x", "no such field"},
        {LIMB("'end':'Head','target':[0,0,0],'space':'here'"), "space", "world"},
        {LIMB("'end':'Tail','target':[0,0,0]"), "end",
         "no joint of this name; there are Hips, Spine, Head, Left\"Arm, Hips"},
        {LIMB("'end':2,'target':[0,0,0]"), "end", "a number, where a string"},
        {LIMB("'end':'Spine','target':[0,0,0]"), ": end: ", "joint 1 'Spine' is not below"},
        {LIMB("'end':'Head'"), "ik-two-bone", "needs the field \"target\""},
        {LIMB("'end':'Head','target':[0,0]"), "target", "3 were expected"},
        {LIMB("'end':'Head','target':[0,0,true]"), "target[2]", "a number was expected"},
        {LIMB("'end':'Head','target':[0,0,0],'mid-axis':[0,0,0]"), ": mid-axis: ", "0"},
        {LIMB("'end':'Head','target':[0,0,0],'soften':2"), "soften", "2 is outside 0 to 1"},
        {AIM("'joints':{}"), "joints", "there are no joints"},
        {AIM("'joints':['Head']"), "joints", "an object was expected"},
        {AIM("'joints':{'Tail':1}"), "joints.Tail", "no joint of this name"},
        {AIM("'joints':{'Head':2}"), "joints.Head", "2 is outside 0 to 1"},
        {AIM("'joints':{'Head':1,'Head':1}"), "joints.Head", "given twice"},
        {AIM("'joints':{'Head':1,'Left\\u0022Arm':1}"), ": joints: ", "is not below"},
        {AIM("'joints':{'Head':1},'limit':-1"), "limit", "-1 is outside 0"},
        {AIM("'joints':{'Head':1},'reached':{'index':32}"), "reached.index", "32 is outside 0 to 31"},
        {AIM("'joints':{'Head':1},'reached':3"), "reached", "an object was expected"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const lmb_graph_source source = source_of(rows[i].text);
        lmb_error error = {0};
        const lmb_result result = lmb_graph_json_read(&source, NULL, &graph, NULL, &error);
        check_refusal(result, &error, result, (const char *const[]){rows[i].place, rows[i].what}, 2);
        assert_true(result != LMB_OK);
    }
}

#define TWIST(members) "{'op':'twist','base':{'op':'rest'},'source':'Spine'," members "}"

static void twists(void **state) {
    (void)state;
    lmb_graph_json *graph = read_graph(TWIST("'joints':{'Head':0.5,'Left\\u0022Arm':-1},'axis':[0,2,0],'weight':0.25"));
    const lmb_graph_def *def = lmb_graph_json_def(graph);
    const lmb_twist_def *twist = &def->nodes[1].twist;
    assert_int_equal(def->nodes[1].op, LMB_OP_TWIST);
    assert_int_equal(twist->source, SPINE);
    assert_int_equal(twist->joint_count, 2);
    assert_int_equal(twist->joints[0], HEAD);
    assert_true(twist->shares[0] == 0.5f && twist->shares[1] == -1.0f && twist->axis[1] == 2.0f);
    expect_number(def->nodes[1].weight, lmb_constant(0.25f));
    expect_created(def);
    lmb_graph_json_destroy(graph);
    static const struct {
        const char *text, *place, *what;
    } rows[] = {
        {"{'op':'twist','base':{'op':'rest'},'joints':{'Head':1}}", "twist", "needs the field \"source\""},
        {TWIST("'axis':[1,0,0]"), "twist", "needs the field \"joints\""},
        {TWIST("'joints':{}"), "joints", "0 joints, 1 to 8 were expected"},
        {TWIST("'joints':['Head']"), "joints", "an object was expected"},
        {TWIST("'joints':{'Tail':1}"), "joints.Tail", "no joint of this name"},
        {TWIST("'joints':{'Head':-2}"), "joints.Head", "-2 is outside -1 to 1"},
        {TWIST("'joints':{'Head':1,'Head':1}"), ": joints: ", "given twice"},
        {TWIST("'joints':{'Hips':1}"), ": joints: ", "the source or above it"},
        {TWIST("'joints':{'a':1,'b':1,'c':1,'d':1,'e':1,'f':1,'g':1,'h':1,'i':1}"), "joints", "9 joints"},
        {TWIST("'joints':{'Head':1},'axis':[0,0,0]"), ": axis: ", "0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const lmb_graph_source source = source_of(rows[i].text);
        lmb_error error = {0};
        const lmb_result result = lmb_graph_json_read(&source, NULL, &graph, NULL, &error);
        check_refusal(result, &error, result, (const char *const[]){rows[i].place, rows[i].what}, 2);
        assert_true(result != LMB_OK);
    }
}

#define CHAIN(members) "{'op':'chain','base':{'op':'rest'},'start':'Hips'," members "}"

static void chains(void **state) {
    (void)state;
    lmb_graph_json *graph = read_graph(
        CHAIN("'end':'Head','time':{'param':'t'},'velocity':[0,{'param':'v'},2],'gravity':[1,2,3],"
              "'stiffness':5,'damping':6,'teleport':7,'weight':0.25,'radii':[0.25],'weights':[1,0.5],'colliders':["
              "{'joint':'Hips','radius':0.5},{'joint':'Head','offset':[1,2,3],'tail':[4,5,6],'radius':2}]"));
    const lmb_graph_def *def = lmb_graph_json_def(graph);
    const lmb_chain_def *chain = &def->nodes[1].chain;
    assert_int_equal(def->nodes[1].op, LMB_OP_CHAIN);
    assert_int_equal(chain->start, HIPS);
    assert_int_equal(chain->end, HEAD);
    expect_number(chain->time, lmb_parameter(0));
    expect_number(chain->velocity[1], lmb_parameter(1));
    expect_number(chain->velocity[2], lmb_constant(2.0f));
    assert_true(chain->gravity[0] == 1.0f && chain->gravity[2] == 3.0f && chain->stiffness == 5.0f);
    assert_true(chain->damping == 6.0f && chain->teleport == 7.0f);
    assert_true(chain->radius_count == 1 && chain->radii[0] == 0.25f && chain->collider_count == 2);
    assert_true(chain->weight_count == 2 && chain->weights[0] == 1.0f && chain->weights[1] == 0.5f);
    const lmb_collider_def *colliders = chain->colliders;
    assert_true(colliders[0].joint == HIPS && colliders[0].radius == 0.5f && !colliders[0].is_capsule);
    assert_true(colliders[1].joint == HEAD && colliders[1].radius == 2.0f && colliders[1].is_capsule);
    assert_true(colliders[1].offset[1] == 2.0f && colliders[1].tail[2] == 6.0f);
    expect_number(def->nodes[1].weight, lmb_constant(0.25f));
    expect_created(def);
    lmb_graph_json_destroy(graph);
    static const struct {
        const char *text, *place, *what;
    } rows[] = {
        {CHAIN("'end':'Head'"), "chain", "needs the field \"time\""},
        {CHAIN("'time':0"), "chain", "needs the field \"end\""},
        {CHAIN("'time':0,'end':'Tail'"), "end", "no joint of this name"},
        {CHAIN("'time':0,'end':'Hips'"), ": end: ", "is not below"},
        {CHAIN("'time':0,'end':'Head','stiffness':-1"), "stiffness", "-1 is outside 0 to 1000"},
        {CHAIN("'time':0,'end':'Head','damping':2000"), "damping", "2000 is outside 0 to 1000"},
        {CHAIN("'time':0,'end':'Head','gravity':[1e9,0,0]"), "gravity[0]", "outside"},
        {CHAIN("'time':0,'end':'Head','gravity':[1,0]"), "gravity", "3 were expected"},
        {CHAIN("'time':0,'end':'Head','colliders':[{'joint':'Hips'}]"), "colliders[0]", "needs the field \"radius\""},
        {CHAIN("'time':0,'end':'Head','colliders':[{'joint':'No','radius':1}]"), "joint", "no joint of this name"},
        {CHAIN("'time':0,'end':'Head','radii':[-1]"), "radii", "-1 is outside 0 to 1.04858e+06"},
        {CHAIN("'time':0,'end':'Head','weights':[1,2]"), "weights[1]", "2 is outside 0 to 1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const lmb_graph_source source = source_of(rows[i].text);
        lmb_error error = {0};
        const lmb_result result = lmb_graph_json_read(&source, NULL, &graph, NULL, &error);
        check_refusal(result, &error, result, (const char *const[]){rows[i].place, rows[i].what}, 2);
        assert_true(result != LMB_OK);
    }
}

// An axis along the bone, which is y here, bends nothing.
static void an_axis_along_the_bone_gives_a_warning(void **state) {
    (void)state;
    static const struct {
        const char *text, *path;
    } rows[] = {
        {LIMB("'end':'Head','target':[0,0,0]"), NULL},
        {LIMB("'end':'Head','target':[0,0,0],'mid-axis':[1,1,0]"), NULL},
        {LIMB("'end':'Head','target':[0,0,0],'mid-axis':[0.5,-2,0]"), "mid-axis"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lmb_graph_json *graph = read_graph(rows[i].text);
        assert_int_equal(lmb_graph_json_warning_count(graph), rows[i].path != NULL);
        if (rows[i].path != NULL) {
            const lmb_graph_problem *warning = lmb_graph_json_warning_at(graph, 0);
            assert_string_equal(warning->path, rows[i].path);
            assert_string_equal(warning->message, "mid-axis is along the bone from 'Spine' to 'Head': a turn about it "
                                                  "does not bend the limb");
        }
        lmb_graph_json_destroy(graph);
    }
}

// What is allowed but most likely a mistake of units, or has no effect.
static void numbers_that_are_meant_otherwise_give_a_warning(void **state) {
    (void)state;
    static const struct {
        const char *text, *path, *message;
    } rows[] = {
        {"{'op':'masked','mask':{'Spine':1},'a':{'op':'rest'},'b':{'op':'rest'}}", "mask",
         "the largest share is 1 of 255: 255 is all of it"},
        {"{'op':'masked','mask':{'Spine':1,'Head':2},'a':{'op':'rest'},'b':{'op':'rest'}}", NULL, NULL},
        {"{'op':'masked','mask':{'Spine':0},'a':{'op':'rest'},'b':{'op':'rest'}}", "mask",
         "no joint has a share, so nothing of it shows: {\"Hips\": 255} gives it to a joint and all below it"},
        {AIM("'joints':{'Head':1},'forward':[0,0,1],'limit':60"), "limit",
         "60 radians are more than a whole turn; 60 degrees are 1.047 radians"},
        {AIM("'joints':{'Head':1},'forward':[0,0,1],'limit':4"), NULL, NULL},
        {AIM("'joints':{'Head':1},'forward':[0,0,1],'twist':-90"), "twist",
         "-90 radians are more than a whole turn; -90 degrees are -1.571 radians"},
        {"{'op':'clip','clip':'Wave','form':'parent'}", "form",
         "a form is for a clip with \"additive\": true, and this one has none"},
        {"{'op':'clip','clip':'Wave','space':'model'}", "space",
         "a space is for a clip with \"additive\": true, and this one has none"},
        {"{'op':'additive','base':{'op':'rest'},'add':{'op':'clip','clip':'Wave','space':'model','additive':true}}",
         NULL, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lmb_graph_json *graph = read_graph(rows[i].text);
        assert_int_equal(lmb_graph_json_warning_count(graph), rows[i].path != NULL);
        if (rows[i].path != NULL) {
            assert_string_equal(lmb_graph_json_warning_at(graph, 0)->path, rows[i].path);
            assert_string_equal(lmb_graph_json_warning_at(graph, 0)->message, rows[i].message);
        }
        lmb_graph_json_destroy(graph);
    }
}

#define FEET(members) "{'op':'foot-placement','base':{'op':'rest'},'pelvis':'Hips'," members "}"
#define FOOT "'hip':'Spine','knee':'Head','ankle':'Tip'"

#define GROUNDED(of_foot, of_feet) FEET("'feet':[{" FOOT ",'ground':[0,0,0],'normal':[0,1,0]" of_foot "}]" of_feet)

static void foot_placement(void **state) {
    (void)state;
    lmb_joint_def joints[4];
    static const char *const names[] = {"Hips", "Spine", "Head", "Tip"};
    for (uint32_t i = 0; i < 4; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].name = names[i];
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
    }
    lmb_rig *leg = NULL;
    lmb_graph_json *graph = NULL;
    assert_int_equal(lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = 4}, NULL, &leg, NULL), LMB_OK);
    char text[400];
    snprintf(text, sizeof text, "%s",
             FEET("'feet':[{" FOOT ",'ground':{'point':2},'normal':[0,{'param':'y'},1],'knee-axis':[1,0,0]}],"
                  "'up':[0,0,2],'max-lowering':0.25,'max-angle':0.5,'soften':0.75,'space':'world','weight':0.5"));
    for (char *at = text; *at != '\0'; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    lmb_graph_source source = {.text = text, .size = strlen(text), .rig = leg};
    lmb_error error = {0};
    assert_int_equal(lmb_graph_json_read(&source, NULL, &graph, NULL, &error), LMB_OK);
    const lmb_node_def *node = &lmb_graph_json_def(graph)->nodes[1];
    assert_int_equal(node->op, LMB_OP_FOOT_PLACEMENT);
    const lmb_feet_def *feet = &node->feet;
    const lmb_foot_def *foot = &feet->feet[0];
    assert_true(feet->pelvis == 0 && feet->foot_count == 1 && foot->hip == 1 && foot->knee == 2 && foot->ankle == 3);
    assert_true(foot->ground_slot.in_buffer && foot->ground_slot.index == 2 && !foot->normal_slot.in_buffer);
    assert_true(foot->knee_axis[0] == 1.0f && foot->knee_axis[2] == 0.0f && feet->up[2] == 2.0f && feet->up[1] == 0.0f);
    assert_true(feet->max_lowering == 0.25f && feet->max_angle == 0.5f && feet->soften == 0.75f);
    assert_int_equal(feet->space, LMB_IK_WORLD);
    expect_number(foot->normal[1], lmb_parameter(0));
    expect_number(foot->normal[2], lmb_constant(1.0f));
    expect_number(node->weight, lmb_constant(0.5f));
    assert_true(feet->lock_distance == 0.0f && foot->planted_from == LMB_NONE);
    expect_created(lmb_graph_json_def(graph));
    lmb_graph_json_destroy(graph);
    snprintf(
        text, sizeof text, "%s",
        FEET("'feet':[{" FOOT ",'ground':[0,0,0],'normal':[0,1,0],'planted':{'param':'p'}}],'time':{'param':'t'},"
             "'lock-distance':0.5,'release-half-life':0.25,'ground-half-life':2,'pelvis-half-life':3,'teleport':4"));
    for (char *at = text; *at != '\0'; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    source.size = strlen(text);
    assert_int_equal(lmb_graph_json_read(&source, NULL, &graph, NULL, &error), LMB_OK);
    feet = &lmb_graph_json_def(graph)->nodes[1].feet;
    expect_number(feet->feet[0].planted, lmb_parameter(0));
    expect_number(feet->time, lmb_parameter(1));
    assert_true(feet->lock_distance == 0.5f && feet->release_half_life == 0.25f && feet->ground_half_life == 2.0f);
    assert_true(feet->pelvis_half_life == 3.0f && feet->teleport == 4.0f);
    expect_created(lmb_graph_json_def(graph));
    lmb_graph_json_destroy(graph);
    static const struct {
        const char *text, *place, *what;
    } rows[] = {
        {GROUNDED("", ",'lock-distance':0.1"), ": lock-distance: ",
         "without \"time\" no foot would be locked and nothing smoothed: write \"time\": {\"param\": \"time\"}"},
        {GROUNDED("", ",'lock-distance':-1"), "lock-distance", "outside 0"},
        {GROUNDED("", ",'ground-half-life':1001"), "ground-half-life", "1001 is outside 0 to 1000"},
        {GROUNDED(",'planted-markers':[0]", ""), "planted-markers", "2 were expected"},
        {GROUNDED(",'planted-markers':[0,16]", ""), "planted-markers", "16 is outside 0 to 15"},
        {GROUNDED(",'planted-markers':[0,0.5]", ""), "planted-markers", "no whole number"},
        {GROUNDED(",'planted-markers':[0,1]", ",'lock-distance':1,'time':{'param':'t'}"), "feet[0].planted-markers",
         "no clip that plays below the node has these sync markers"},
        {GROUNDED(",'planted-channel':'smyle_l'", ""), "planted-channel", "the rig has no float channel of this name"},
        {FEET("'feet':[]"), "feet", "1 to 4"},
        {FEET("'feet':[1]"), "feet[0]", "an object was expected"},
        {FEET("'feet':[{" FOOT ",'ground':[0,0,0]}]"), "feet[0]", "needs the field \"normal\""},
        {FEET("'feet':[{" FOOT ",'ground':{'point':-1},'normal':[0,1,0]}]"), "feet[0].ground.point", "outside 0 to 63"},
        {FEET("'feet':[{" FOOT ",'ground':[0,0,0],'normal':[0,1,0]}],'max-lowering':-1"), "max-lowering", "outside 0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(text, sizeof text, "%s", rows[i].text);
        for (char *at = text; *at != '\0'; at++) {
            *at = *at == '\'' ? '"' : *at;
        }
        source.size = strlen(text);
        const lmb_result result = lmb_graph_json_read(&source, NULL, &graph, NULL, &error);
        check_refusal(result, &error, result, (const char *const[]){rows[i].place, rows[i].what}, 2);
        assert_true(result != LMB_OK);
    }
    lmb_rig_destroy(leg);
}

static void lods(void **state) {
    (void)state;
    lmb_graph_json *graph = read_graph("{'op':'rest'}");
    assert_null(lmb_graph_json_def(graph)->max_lods);
    lmb_graph_json_destroy(graph);
    // Joints without a size are children of the spine.
    static const uint8_t suggested[JOINTS] = {7, 7, 0, 0, 0};
    graph = read_graph("{'lod':{'param':'far'},'op':'rest'}");
    assert_memory_equal(lmb_graph_json_def(graph)->max_lods, suggested, JOINTS);
    expect_number(lmb_graph_json_def(graph)->lod, lmb_parameter(0));
    const lmb_parameter_def far = lmb_graph_json_def(graph)->parameters[0];
    assert_true(far.initial == 0.0f && far.min == 0.0f && far.max == 7.0f);
    lmb_graph_json_destroy(graph);
    // A joint that is not named has its parent's value.
    static const uint8_t given[JOINTS] = {7, 5, 2, 5, 5};
    graph = read_graph("{'op':'clip','clip':0,'lod':2.5,'max-lods':{'Head':2,'Spine':5}}");
    assert_memory_equal(lmb_graph_json_def(graph)->max_lods, given, JOINTS);
    expect_number(lmb_graph_json_def(graph)->lod, lmb_constant(2.5f));
    lmb_graph_json_destroy(graph);
}

// Streamed clips have slots like themselves, and are there from the beginning.
static void streamed_clips(void **state) {
    (void)state;
    lmb_graph_json *graph = read_graph("{'op':'blend','streamed-clips':['Wave','Walk'],'a':{'op':'clip','clip':'Walk'},"
                                       "'b':{'op':'clip','clip':{'param':'gait'}}}");
    const lmb_graph_def *def = lmb_graph_json_def(graph);
    static const uint32_t streamed[2] = {WALK, WAVE};
    assert_int_equal(def->clip_slot_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const lmb_clip *clip = clips[streamed[i]];
        size_t size;
        lmb_clip_block(clip, &size);
        assert_int_equal(def->clip_slots[i].clip, streamed[i]);
        assert_int_equal(def->clip_slots[i].bytes, size);
        assert_int_equal(def->clip_slots[i].kinds, lmb_clip_kinds(clip));
        assert_string_equal(def->clip_slots[i].name, lmb_clip_get_info(clip)->name);
        assert_true(def->clip_slots[i].duration == lmb_clip_get_info(clip)->duration &&
                    def->clips[streamed[i]] == clip);
    }
    expect_created(def);
    lmb_graph_json_destroy(graph);
    // With root motion the slot is that of the clip that remains, which has the same name.
    graph = read_graph("{'op':'clip','clip':'Walk','streamed-clips':['Walk'],'play':{'motion':true}}");
    def = lmb_graph_json_def(graph);
    assert_int_equal(def->clip_slot_count, 1);
    assert_true(def->clip_slots[0].clip >= CLIPS);
    assert_true((float)def->clip_slots[0].clip == def->nodes[0].clip.constant);
    assert_string_equal(def->clip_slots[0].name, "Walk");
    lmb_graph_json_destroy(graph);
}

static void parameters(void **state) {
    (void)state;
    static const lmb_graph_parameter expected[] = {
        {"gait", 0.0f, 0.0f, 2.9999998f, false}, {"speed", 0.25f, 0.0f, 1.0f, false}, {"pace", 1.0f, 0.0f, 2.0f, false},
        {"time", 0.0f, 0.0f, 2.0f, false},       {"low", -3.0f, -4.0f, -3.0f, false}, {"high", 5.0f, 5.0f, 5.0f, false},
        {"wave", 0.0f, 0.0f, 1.0f, false}, // a switch that nobody sets is off
    };
    lmb_graph_json *graph =
        read_graph("{'op':'blend','a':{'op':'clip','clip':{'param':'gait'},'rate':{'param':'speed'},"
                   "'offset':{'param':'pace','default':1,'max':2}},"
                   "'b':{'op':'weighted','inputs':[{'pose':{'op':'clip','clip':'Wave',"
                   "'rate':{'param':'low','max':-3,'min':-4},'offset':{'param':'high','min':5}}},"
                   "{'pose':{'op':'rest'},'weight':{'param':'wave'}}]},"
                   "'weight':{'param':'speed','min':0,'max':1,'default':0.25}}");
    const uint32_t count = sizeof expected / sizeof expected[0];
    assert_int_equal(lmb_graph_json_def(graph)->parameter_count, count);
    lmb_graph *created = NULL;
    assert_int_equal(lmb_graph_create(lmb_graph_json_def(graph), NULL, &created, NULL), LMB_OK);
    assert_int_equal(lmb_graph_get_info(created)->parameter_count, count);
    for (uint32_t i = 0; i < count; i++) {
        const lmb_graph_parameter found = lmb_graph_parameter_at(created, i);
        assert_string_equal(found.name, expected[i].name);
        assert_true(found.initial == expected[i].initial);
        assert_true(found.min == expected[i].min);
        assert_true(found.max == expected[i].max);
        assert_int_equal(lmb_graph_find_parameter(created, expected[i].name), i);
    }
    assert_int_equal(lmb_graph_find_parameter(created, "Speed"), LMB_NONE);
    assert_int_equal(lmb_graph_find_parameter(created, NULL), LMB_NONE);
    assert_int_equal(lmb_graph_find_parameter(NULL, "Speed"), LMB_NONE);
    assert_int_equal(lmb_graph_find_event(created, NULL), LMB_NONE);
    assert_int_equal(lmb_graph_find_event(NULL, "Speed"), LMB_NONE);
    lmb_graph_destroy(created);
    lmb_graph_json_destroy(graph);
}

// Numbers of a text do not depend on the caller's rounding mode.
static void the_callers_environment_changes_nothing(void **state) {
    (void)state;
    static const char text[] = "{'op':'clip','clip':0,'time':0.1}";
    const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (size_t i = 0; i < 3; i++) {
        fesetround(modes[i]);
        lmb_graph_json *graph = read_graph(text);
        assert_int_equal(fegetround(), modes[i]);
        fesetround(FE_TONEAREST);
        assert_true(lmb_graph_json_def(graph)->nodes[0].time.constant == 0.1f);
        lmb_graph_json_destroy(graph);
    }
}

// ---- Names, comments and definitions. ----

static void expect_text(const char *text, const char *expected) {
    char written[1000] = "";
    size_t size = 0;
    lmb_error error = {0};
    lmb_graph_json *graph = read_graph(text);
    if (lmb_graph_json_write(lmb_graph_json_def(graph), NULL, written, sizeof written - 1, &size, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    written[size] = '\0';
    assert_string_equal(written, json_text(expected));
    lmb_graph_json_destroy(graph);
}

static void names_and_comments_are_kept(void **state) {
    (void)state;
    static const char text[] = "{'op':'blend','name':'gait','comment':'for \\u00fc','a':{'op':'rest','comment':'at'},"
                               "'b':{'op':'clip','name':'w','clip':'Walk','time':0}}\n";
    lmb_graph_json *graph = read_graph(text);
    const lmb_graph_def *def = lmb_graph_json_def(graph);
    assert_null(def->node_names[0]);
    assert_string_equal(def->node_names[1], "w");
    assert_string_equal(def->node_names[2], "gait");
    assert_string_equal(def->node_comments[0], "at");
    assert_null(def->node_comments[1]);
    lmb_graph_json_destroy(graph);
    expect_text(text, text);
    // An additive clip is two clips and their difference, which has the name.
    graph = read_graph("{'op':'clip','clip':'Walk','time':0,'additive':true,'name':'nod'}");
    def = lmb_graph_json_def(graph);
    assert_int_equal(def->node_count, 3);
    assert_null(def->node_names[0]);
    assert_string_equal(def->node_names[2], "nod");
    lmb_graph_json_destroy(graph);
}

static void definitions_are_shared(void **state) {
    (void)state;
    // Nodes are in the order of their first uses.
    lmb_graph_json *graph = read_graph(
        "{'define':{'both':{'op':'blend','a':{'use':'one'},'b':{'op':'rest'}},'one':{'op':'clip','clip':'Run',"
        "'play':true}},'op':'weighted','inputs':[{'pose':{'use':'one'}},{'pose':{'use':'both'}},"
        "{'pose':{'use':'both','comment':'again'}}]}");
    const lmb_graph_def *def = lmb_graph_json_def(graph);
    assert_int_equal(lmb_graph_json_warning_count(graph), 0);
    assert_int_equal(def->node_count, 4);
    assert_int_equal(def->nodes[0].op, LMB_OP_CLIP);
    assert_int_equal(def->nodes[2].inputs[0], 0);
    assert_int_equal(def->nodes[3].inputs[0], 0);
    assert_int_equal(def->nodes[3].inputs[1], 2);
    assert_int_equal(def->nodes[3].inputs[2], 2);
    assert_string_equal(def->node_names[2], "both");
    lmb_graph_json_destroy(graph);
    // They are written again: names that two have, or none, are made.
    expect_text("{'op':'weighted','define':{'x':{'op':'scale','name':'m','pose':{'use':'y'},'weight':0.5},"
                "'y':{'op':'clip','clip':'Walk','time':1}},'inputs':[{'pose':{'use':'x'}},{'pose':{'use':'x'}},"
                "{'pose':{'use':'y'}}]}",
                "{'op':'weighted','inputs':[{'pose':{'use':'m'}},{'pose':{'use':'m'}},{'pose':{'use':'y'}}],"
                "'define':{'m':{'op':'scale','pose':{'use':'y'},'weight':0.5},'y':{'op':'clip','clip':'Walk',"
                "'time':1}}}\n");
    static const char twice[] =
        "{'op':'weighted','inputs':[{'pose':{'use':'m'}},{'pose':{'use':'m'}},{'pose':{'use':'shared 1'}},"
        "{'pose':{'use':'shared 1'}}],'define':{'m':{'op':'rest'},'shared 1':{'op':'pose','name':'m','pose':0}}}\n";
    expect_text(twice, twice);
    // A definition that no pose uses, and one for which nothing has a name.
    graph = read_graph("{'op':'rest',\n'define':{'a':{'op':'rset'}}}");
    assert_int_equal(lmb_graph_json_warning_count(graph), 1);
    assert_string_equal(lmb_graph_json_warning_at(graph, 0)->path, "define.a");
    assert_int_equal(lmb_graph_json_warning_at(graph, 0)->line, 2);
    assert_string_equal(lmb_graph_json_warning_at(graph, 0)->message,
                        "no pose uses this definition, so it was not checked");
    lmb_graph_json_destroy(graph);
    const lmb_node_def nodes[2] = {lmb_default_node_def(), lmb_blend_node(0, 0, lmb_constant(0.5f))};
    const lmb_graph_def unnamed = {.rig = rig, .nodes = nodes, .node_count = 2};
    char written[200] = "";
    size_t size = 0;
    assert_int_equal(lmb_graph_json_write(&unnamed, NULL, written, sizeof written, &size, NULL), LMB_OK);
    assert_string_equal(written, json_text("{'op':'blend','a':{'use':'shared 1'},'b':{'use':'shared 1'},'weight':0.5,"
                                           "'define':{'shared 1':{'op':'rest'}}}\n"));
}

static void definitions_have_arguments(void **state) {
    (void)state;
    // The same arguments give the same node, others another one, also through a definition that passes them on.
    expect_text("{'define':{'at':{'arguments':{'clip':'Run','time':null},'op':'clip','clip':{'argument':'clip'},"
                "'time':{'argument':'time'}},'half':{'op':'scale','weight':0.5,'arguments':{'t':3},"
                "'pose':{'use':'at','with':{'time':{'argument':'t'}}}}},'op':'weighted','inputs':["
                "{'pose':{'use':'at','with':{'time':1}}},{'pose':{'with':{'clip':'Walk','time':{'param':'x'}},"
                "'use':'at'}},{'pose':{'use':'at','with':{'clip':'Run','time':1}}},{'pose':{'use':'half'}}]}",
                "{'op':'weighted','parameters':[{'param':'x','default':0,'min':0,'max':2}],'inputs':[{'pose':{'use':'"
                "at'}},{'pose':{'op':'clip','name':'at','clip':'Walk',"
                "'time':{'param':'x'}}},{'pose':{'use':'at'}},{'pose':{'op':'scale','name':'half','pose':{'op':'clip',"
                "'name':'at','clip':'Run','time':3},'weight':0.5}}],'define':{'at':{'op':'clip','clip':'Run',"
                "'time':1}}}\n");
    // A mask, elements of lists and whole poses are values, too, and so is a use of the same definition. A definition
    // may be nothing but a use with some of the arguments.
    expect_text(
        "{'op':'blend','define':{'of':{'op':'masked','arguments':{'mask':{'Head':9},'a':null,'b':{'op':'rest'}},"
        "'mask':{'argument':'mask'},'a':{'argument':'a'},'b':{'argument':'b'},'weight':1},"
        "'head':{'use':'of','arguments':{'pose':null},'with':{'a':{'argument':'pose'}}}},"
        "'a':{'use':'of','with':{'mask':{'Spine':7},'a':{'use':'head','with':{'pose':{'op':'pose','pose':0}}}}},"
        "'b':{'op':'rest'},'weight':1}",
        "{'op':'blend','a':{'op':'masked','name':'of','a':{'op':'masked','name':'of','a':{'op':'pose','pose':0},"
        "'b':{'op':'rest'},'mask':{'Head':9}},'b':{'op':'rest'},'mask':{'Spine':7}},'b':{'op':'rest'}}\n");
}

static void copies_are_no_names(void **state) {
    (void)state;
    const lmb_graph_source source = source_of(
        "{'op':'blend','a':{'use':'d'},'b':{'use':'D'},'define':{'d':{'op':'rest','arguments':{}},'e':{'op':'rest'}}}");
    lmb_graph_json *graph = NULL;
    static lmb_graph_problems problems;
    assert_int_equal(lmb_graph_json_read(&source, NULL, &graph, &problems, NULL), LMB_ERROR_FORMAT);
    assert_string_equal(problems.list[0].message, "there is no definition of this name; there are d, e");
}

// Returns the number of nodes of two uses of a definition.
static uint32_t count_nodes_of(const char *first, const char *second) {
    char text[500];
    snprintf(text, sizeof text,
             "{'op':'blend','weight':0.5,'define':{'d':{'op':'scale','arguments':{'weight':null,'pose':{'op':'rest'}},"
             "'weight':{'argument':'weight'},'pose':{'argument':'pose'}}},'a':{'use':'d','with':%s},"
             "'b':{'use':'d','with':%s}}",
             first, second);
    lmb_graph_json *graph = read_graph(text);
    const uint32_t count = lmb_graph_json_def(graph)->node_count;
    lmb_graph_json_destroy(graph);
    return count;
}

// Several nodes of one pose have its place, and so have the copies of a definition. The value of an argument is where
// the use has it.
static void nodes_have_places(void **state) {
    (void)state;
    static const char *const paths[] = {"define.e.base",
                                        "define.e.add",
                                        "define.e.add",
                                        "define.e.add",
                                        "define.e",
                                        "inputs[1].pose.with.pose",
                                        "define.d",
                                        "inputs[2].pose.with.pose",
                                        "define.d",
                                        "inputs[3].pose",
                                        ""};
    lmb_graph_json *graph =
        read_graph("{'define':{'d':{'op':'scale','weight':0.5,'arguments':{'pose':null},'pose':{'argument':'pose'}},"
                   "'e':{'op':'additive','base':{'op':'rest'},'add':{'op':'clip','clip':'Wave','additive':true,"
                   "'time':{'param':'t'}}}},'op':'weighted','inputs':[{'pose':{'use':'e'}},"
                   "{'pose':{'use':'d','with':{'pose':{'op':'rest'}}}},"
                   "{'pose':{'use':'d','with':{'pose':{'op':'clip','clip':'Run','time':0}}}},"
                   "{'pose':{'comment':'t\xC3\xB6st','op':'clip','clip':'Walk','time':0}},{'pose':{'use':'e'}}]}");
    expect_paths(graph, paths, sizeof paths / sizeof *paths);
    lmb_graph_json_destroy(graph);
}

// No path is shortened at its beginning, as those of problems are. Of a key that is long, there is the beginning.
static void places_are_not_shortened(void **state) {
    (void)state;
    enum { DEPTH = 60, NAME = 70, KEPT = 60 };
    static char text[DEPTH * 40 + 2 * NAME + 100], name[NAME + 1], expected[DEPTH * 5 + KEPT + 20];
    memset(name, 'n', NAME);
    size_t length = (size_t)snprintf(text, sizeof text,
                                     "{'op':'scale','weight':0.5,'pose':{'use':'%s'},'define':{'%s':", name, name);
    for (int i = 0; i < DEPTH; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "{'op':'scale','weight':0.5,'pose':");
    }
    length += (size_t)snprintf(text + length, sizeof text - length, "{'op':'rest'}");
    memset(text + length, '}', DEPTH + 2);
    lmb_graph_json *graph = read_graph(text);
    length = (size_t)snprintf(expected, sizeof expected, "define.%.*s", KEPT, name);
    for (int i = 0; i < DEPTH; i++) {
        length += (size_t)snprintf(expected + length, sizeof expected - length, ".pose");
    }
    assert_true(length > sizeof((lmb_graph_problem *)NULL)->path);
    assert_int_equal(lmb_graph_json_def(graph)->node_count, DEPTH + 2);
    for (uint32_t i = 0; i <= DEPTH; i++) {
        assert_string_equal(lmb_graph_json_place(graph, i).path, expected);
        length -= strlen(".pose");
        expected[length] = '\0';
    }
    assert_string_equal(lmb_graph_json_place(graph, DEPTH + 1).path, "");
    lmb_graph_json_destroy(graph);
}

static void arguments_of_the_same_value_give_one_node(void **state) {
    (void)state;
    enum { ONE = 3, TWO = 5 };
    assert_int_equal(count_nodes_of("{'weight':0.5}", "{'weight':0.5}"), ONE);
    assert_int_equal(count_nodes_of("{'weight':0.5}", "{'weight' : 5e-1}"), ONE);
    assert_int_equal(count_nodes_of("{'weight':0}", "{'weight':-0.0}"), ONE);
    assert_int_equal(count_nodes_of("{'weight':1,'pose':{'op':'rest'}}", "{'pose':{ 'op': 'rest' },'weight':1}"), ONE);
    assert_int_equal(count_nodes_of("{'weight':1}", "{'pose':{'op':'rest'},'weight':1}"), ONE); // its default
    assert_int_equal(count_nodes_of("{'weight':{'param':'x'}}", "{'weight':{'param':'x'}}"), ONE);
    assert_int_equal(count_nodes_of("{'weight':0.5}", "{'weight':0.25}"), TWO);
    assert_int_equal(count_nodes_of("{'weight':{'param':'x'}}", "{'weight':{'param':'y'}}"), TWO);
    assert_int_equal(count_nodes_of("{'weight':1}", "{'weight':1,'pose':{'op':'pose','pose':0}}"), TWO);
    assert_int_equal(count_nodes_of("{'weight':1,'pose':{'op':'rest','comment':'1'}}", "{'weight':1}"), TWO);
}

static void arguments_that_nothing_uses_give_a_warning(void **state) {
    (void)state;
    lmb_graph_json *graph =
        read_graph("{'op':'blend','define':{'d':{'op':'rest',\n'arguments':{'x':1}},'e':{'op':'rest','arguments':"
                   "{'y':{'argument':7}}}},'a':{'use':'d'},'b':{'use':'d','with':{'x':3}}}");
    assert_int_equal(lmb_graph_json_def(graph)->node_count, 3);
    assert_int_equal(lmb_graph_json_warning_count(graph), 2);
    assert_string_equal(lmb_graph_json_warning_at(graph, 0)->path, "define.d.arguments.x");
    assert_int_equal(lmb_graph_json_warning_at(graph, 0)->line, 2);
    assert_string_equal(lmb_graph_json_warning_at(graph, 0)->message, "the definition does not use this argument");
    assert_string_equal(lmb_graph_json_warning_at(graph, 1)->path, "define.e");
    lmb_graph_json_destroy(graph);
    // A warning in a definition says which use it is about.
    graph = read_graph("{'op':'ik-two-bone','start':'Hips','mid':'Spine','end':'Head','target':[0,0,0],"
                       "'mid-axis':[1,0,0],'base':{'use':'d','with':\n{'x':1}},'define':{'d':{'op':'clip',"
                       "'arguments':{'x':null},'clip':'Walk','form':'local','time':{'argument':'x'}}}}");
    assert_int_equal(lmb_graph_json_warning_count(graph), 1);
    assert_string_equal(
        lmb_graph_json_warning_at(graph, 0)->message,
        "a form is for a clip with \"additive\": true, and this one has none (used at line 1, column 106)");
    lmb_graph_json_destroy(graph);
}

// ---- Includes. ----

// Files that a host has, by their paths. The text is in memory that the next call overwrites.
static const struct {
    const char *path, *text;
} files[] = {
    {"a.json", "{'$schema':'s','comment':'of a','include':['b/b.json','c.json'],'define':{'a':{'op':'blend',\n"
               "'a':{'use':'b'},'b':{'use':'c'}}}}"},
    {"b/b.json", "\xEF\xBB\xBF{'op':'rest','speed':1,'include':['c.json'],'define':{'b':{'op':'clip','clip':'Run',"
                 "'time':0}}}"},
    {"c.json", "{'define':{'c':{'op':'clip','clip':'Wave','time':0},'unused':{'op':'rest'}}}"},
    {"wrong.json", "{'define':{'w':{'op':'mirror','axis':'x',\n'pose':{'op':'clip','clip':'Wlak'}}}}"},
    {"broken.json", "{'define':\n{]"},
    {"list.json", "[]"},
    {"other.json", "{'define':{},\n'speed':1}"},
    {"twice.json", "{'define':{'c':{'op':'rest'}},\n'include':['c.json']}"},
    {"self.json", "{'include':['x/y.json']}"},
    {"x/y.json", "{'include':[\n'self.json']}"},
    {"argued.json", "{'define':{'w':{'op':'clip','arguments':{'clip':null},'clip':{'argument':'clip'},'time':\n'0'}}}"},
};
enum { FILES = sizeof files / sizeof files[0] };

static lmb_result read_included(void *user, const char *path, const char **text, size_t *size, lmb_error *error) {
    static char given[500];
    uint32_t *count = user;
    (*count)++;
    for (uint32_t i = 0; i < FILES; i++) {
        if (strcmp(files[i].path, path) == 0) {
            const size_t length = strlen(files[i].text);
            for (size_t k = 0; k <= length; k++) {
                given[k] = files[i].text[k] == '\'' ? '"' : files[i].text[k];
            }
            *text = given;
            *size = length;
            return LMB_OK;
        }
    }
    snprintf(error->message, sizeof error->message, "%s is not there", path);
    return error->result = LMB_ERROR_FILE;
}

static void definitions_of_files(void **state) {
    (void)state;
    uint32_t count = 0;
    lmb_graph_source source = source_of("{'op':'blend','include':['c.json','a.json'],'a':{'use':'a'},'b':{'use':'own'},"
                                        "'define':{'own':{'op':'mirror','axis':'x','pose':{'use':'c'}}}}");
    source.read_file = read_included;
    source.read_file_user = &count;
    lmb_graph_json *graph = NULL;
    lmb_error error = {0};
    if (lmb_graph_json_read(&source, NULL, &graph, NULL, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    const lmb_graph_def *def = lmb_graph_json_def(graph);
    assert_int_equal(count, 3); // each once
    assert_int_equal(lmb_graph_json_warning_count(graph), 0);
    assert_int_equal(def->node_count, 5);
    assert_true(def->nodes[0].clip.constant == (float)RUN && def->nodes[1].clip.constant == (float)WAVE);
    assert_int_equal(def->nodes[3].inputs[0], 1);
    static const lmb_graph_place places[] = {
        {"define.b", "b/b.json"}, {"define.c", "c.json"}, {"define.a", "a.json"}, {"define.own", ""}, {"", ""}};
    for (uint32_t i = 0; i < def->node_count; i++) {
        assert_string_equal(lmb_graph_json_place(graph, i).path, places[i].path);
        assert_string_equal(lmb_graph_json_place(graph, i).file, places[i].file);
    }
    lmb_graph_json_destroy(graph);
}

static void includes_that_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *include, *file, *path;
        uint32_t line, column;
        const char *message;
    } rows[] = {
        {"['nowhere.json']", "", "include[0]", 1, 26, "nowhere.json is not there"},
        {"['../a.json']", "", "include[0]", 1, 26, "not the name of a file below the folder of the graph"},
        {"['b/../../a.json']", "", "include[0]", 1, 26, "not the name of a file below"},
        {"['/a.json']", "", "include[0]", 1, 26, "not the name of a file below"},
        {"['']", "", "include[0]", 1, 26, "not the name of a file below"},
        {"['b//b.json']", "", "include[0]", 1, 26, "not the name of a file below"},
        {"['b/']", "", "include[0]", 1, 26, "not the name of a file below"},
        {"['./a.json']", "", "include[0]", 1, 26, "not the name of a file below"},
        {"['..\\\\a.json']", "", "include[0]", 1, 26, "not the name of a file below"},
        {"['C:a.json']", "", "include[0]", 1, 26, "not the name of a file below"},
        {"['a.json\\n']", "", "include[0]", 1, 26, "not the name of a file below"},
        {"[7]", "", "include[0]", 1, 26, "a number, where a string was expected"},
        {"[]", "", "include", 1, 25, "0 files, where 1 to 64 were expected"},
        {"'a.json'", "", "include", 1, 25, "a string, where an array was expected"},
        {"['wrong.json']", "wrong.json", "define.w.pose.clip", 2, 28, "there is no clip of this name; there are Walk"},
        {"['broken.json']", "broken.json", "", 2, 2, "a key in quotes was expected"},
        {"['list.json']", "list.json", "", 1, 1, "an array, where an object was expected"},
        {"['other.json']", "other.json", "speed", 2, 1, "an included file has no such field; it has include, define"},
        {"['twice.json']", "c.json", "define.c", 1, 12, "another definition has this name"},
        {"['self.json']", "x/y.json", "include[0]", 2, 1, "a file includes itself: self.json, x/y.json"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[300];
        uint32_t count = 0;
        snprintf(text, sizeof text, "{'op':'rest','include': %s}", rows[i].include);
        if (strcmp(rows[i].file, "wrong.json") == 0) {
            snprintf(text, sizeof text, "{'include':['wrong.json'],'op':'mirror','axis':'x','pose':{'use':'w'}}");
        }
        lmb_graph_source source = source_of(text);
        source.read_file = read_included;
        source.read_file_user = &count;
        lmb_graph_json *graph = NULL;
        static lmb_graph_problems problems;
        lmb_error error = {0};
        assert_int_equal(lmb_graph_json_read(&source, NULL, &graph, &problems, &error), LMB_ERROR_FORMAT);
        const lmb_graph_problem *found = &problems.list[0];
        if (problems.count != 1 || strcmp(found->path, rows[i].path) != 0 || strcmp(found->file, rows[i].file) != 0 ||
            found->line != rows[i].line || found->column != rows[i].column ||
            strstr(found->message, rows[i].message) == NULL) {
            fail_msg("%s\n%s: %u:%u: %s: %s, %u problems", text, found->file, found->line, found->column, found->path,
                     found->message, problems.count);
        }
        const char *place = rows[i].file[0] != '\0' ? rows[i].file : "graph";
        assert_true(strncmp(error.message, place, strlen(place)) == 0);
    }
    lmb_graph_source source = source_of("{'op':'rest','include':['a.json']}");
    lmb_graph_json *graph = NULL;
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_graph_json_read(&source, NULL, &graph, NULL, &error), &error, LMB_ERROR_FORMAT,
                  "include[0]: the host reads no files that a graph includes");
}

// A mistake in a definition of a file names the use of the graph, and one in an argument the field of the file.
static void arguments_of_files(void **state) {
    (void)state;
    static const struct {
        const char *clip, *file, *path, *message;
    } rows[] = {
        {"Walk", "argued.json", "define.w.time",
         "a string, where a number was expected, a parameter or a curve (used at line 1, column 60 of the graph)"},
        {"Wlak", "", "pose.with.clip", "there is no clip of this name; there are Walk, Run, Wave (for define.w.clip)"}};
    for (int i = 0; i < 2; i++) {
        char text[200];
        uint32_t count = 0;
        snprintf(text, sizeof text,
                 "{'include':['argued.json'],'op':'mirror','axis':'x','pose':{'use':'w','with':{'clip':'%s'}}}",
                 rows[i].clip);
        lmb_graph_source source = source_of(text);
        source.read_file = read_included;
        source.read_file_user = &count;
        lmb_graph_json *graph = NULL;
        static lmb_graph_problems problems;
        assert_int_equal(lmb_graph_json_read(&source, NULL, &graph, &problems, NULL), LMB_ERROR_FORMAT);
        assert_int_equal(problems.count, 1 + i);
        const lmb_graph_problem *found = &problems.list[0];
        assert_string_equal(found->file, rows[i].file);
        assert_string_equal(found->path, rows[i].path);
        assert_string_equal(found->message, rows[i].message);
    }
}

static lmb_result read_with_includes(const lmb_host *host, lmb_error *error, void *user) {
    uint32_t count = 0;
    lmb_graph_source source = source_of(user);
    source.read_file = read_included;
    source.read_file_user = &count;
    lmb_graph_json *graph = NULL;
    const lmb_result result = lmb_graph_json_read(&source, host, &graph, NULL, error);
    lmb_graph_json_destroy(graph);
    return result;
}

static void memory_for_includes_that_is_refused(void **state) {
    (void)state;
    char text[] = "{'op':'scale','weight':0.5,'include':['a.json'],'pose':{'use':'a'}}";
    failing_host_try_all(read_with_includes, text);
}

// ---- Aliases. ----

static lmb_result read_aliases(const char *text, lmb_graph_aliases **aliases, lmb_error *error) {
    const char *json = json_text(text);
    return lmb_graph_aliases_read(json, strlen(json), "robot.names.json", NULL, aliases, error);
}

// One text for many characters: its names of clips and joints stand for those of this one.
static void aliases_stand_for_names(void **state) {
    (void)state;
    static const char text[] =
        "{'op':'masked','mask':{'Kopf':255,'froh':7},'streamed-clips':['Gehen'],'a':{'op':'clip','clip':'Gehen',"
        "'time':0},'b':{'op':'weighted','inputs':[{'pose':{'op':'clip','clip':'Run','play':{'sync-with':'Gehen',"
        "'notifies':[{'channel':'froh','rising':'UP'}]}}},{'pose':{'op':'clip','clip':'Walk','time':0}},"
        "{'pose':{'op':'clip','clip':'Gehen','play':{'motion':{'joint':'Kopf'}}}}]}}";
    lmb_graph_aliases *aliases = NULL;
    lmb_error error = {0};
    // An alias may be the name of another clip, and then hides it.
    assert_int_equal(read_aliases("\xEF\xBB\xBF{'comment':'of a robot','clips':{'Gehen':'Wave','Walk':'Run'},'joints':"
                                  "{'Kopf':'Head','froh':'smile_r'}}",
                                  &aliases, &error),
                     LMB_OK);
    lmb_graph_source source = source_of(text);
    lmb_graph_aliases_use(aliases, &source);
    assert_int_equal(source.clip_alias_count, 2);
    lmb_graph_json *graph = NULL;
    if (lmb_graph_json_read(&source, NULL, &graph, NULL, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    const lmb_graph_def *def = lmb_graph_json_def(graph);
    assert_true(def->nodes[0].clip.constant == (float)WAVE);
    assert_true(def->nodes[1].clip.constant == (float)RUN && def->nodes[2].clip.constant == (float)RUN);
    assert_int_equal(def->nodes[1].player->sync_node, 3);
    assert_int_equal(def->masks[0][HEAD], 255);
    assert_int_equal(def->masks[0][JOINTS + 1], 7);
    assert_string_equal(lmb_clip_get_info(def->clips[def->clip_slots[0].clip])->name, "Wave");
    assert_non_null(def->nodes[3].player->motion);
    lmb_graph_json_destroy(graph);
    // Without them the names do not exist.
    source = source_of(text);
    assert_int_equal(lmb_graph_json_read(&source, NULL, &graph, NULL, NULL), LMB_ERROR_FORMAT);
    lmb_graph_aliases_destroy(aliases);
    lmb_graph_aliases_destroy(NULL);
}

static void aliases_that_are_refused(void **state) {
    (void)state;
    static const struct {
        lmb_graph_alias clips[2], joints[2];
        uint32_t clip_count, joint_count;
        const char *message;
    } lists[] = {
        {{{"A", "Wlak"}},
         {{0}},
         1,
         0,
         "'A' stands for the clip 'Wlak', and there is none of this name; there are Walk, Run, Wave"},
        {{{"A", "Walk"}, {"A", "Run"}}, {{0}}, 2, 0, "two aliases of clips are 'A'"},
        {{{NULL, "Walk"}}, {{0}}, 1, 0, "a name of an alias of a clip is NULL"},
        {{{0}}, {{"J", "Hip"}}, 0, 1, "'J' stands for the joint 'Hip', and there is none of this name; there are Hips"},
        {{{0}}, {{"J", NULL}}, 0, 1, "a name of an alias of a joint is NULL"},
    };
    lmb_graph_source source = source_of("{'op':'rest'}");
    lmb_graph_json *graph = NULL;
    lmb_error error = {0};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        source.clip_aliases = lists[i].clips;
        source.clip_alias_count = lists[i].clip_count;
        source.joint_aliases = lists[i].joints;
        source.joint_alias_count = lists[i].joint_count;
        CHECK_REFUSAL(lmb_graph_json_read(&source, NULL, &graph, NULL, &error), &error, LMB_ERROR_ARGUMENT,
                      lists[i].message);
    }
    static lmb_graph_alias many[LMB_MAX_ALIASES + 1];
    source.joint_aliases = many;
    source.joint_alias_count = LMB_MAX_ALIASES + 1;
    CHECK_REFUSAL(lmb_graph_json_read(&source, NULL, &graph, NULL, &error), &error, LMB_ERROR_LIMIT,
                  "more than 4096 aliases of joints");
    static char text[90000];
    char *at = text + sprintf(text, "{\"joints\":{");
    for (uint32_t i = 0; i <= LMB_MAX_ALIASES; i++) {
        at += sprintf(at, "%s\"%u\":\"Hips\"", i == 0 ? "" : ",", i);
    }
    sprintf(at, "}}");
    lmb_graph_aliases *crowded = NULL;
    CHECK_REFUSAL(lmb_graph_aliases_read(text, strlen(text), NULL, NULL, &crowded, &error), &error, LMB_ERROR_FORMAT,
                  "joints.4096: more than 4096 aliases");
    source.joint_aliases = NULL;
    CHECK_REFUSAL(lmb_graph_json_read(&source, NULL, &graph, NULL, &error), &error, LMB_ERROR_ARGUMENT,
                  "the aliases of joints are NULL");
    static const struct {
        const char *text, *message;
    } texts[] = {
        {"", "robot.names.json: line 1, column 1: the text ends"},
        {"[]", "robot.names.json: line 1, column 1: an array, where an object was expected"},
        {"{'clips':\n7}", "robot.names.json: line 2, column 1: clips: a number"},
        {"{'clip':{}}", "line 1, column 2: clip: a list of aliases has no such field; it has clips, joints, comment"},
        {"{'clips':{'A':1}}", "clips.A: a number, where a string was expected"},
        {"{'clips':{'':'Walk'}}", "a name without a character"},
        {"{'clips':{'A':''}}", "clips.A: a name without a character"},
        {"{'joints':{'A':'Hips','A':'Head'}}", "joints.A: given twice"},
        {"{'joints':{},'joints':{}}", "joints: given twice"},
    };
    lmb_graph_aliases *aliases = NULL;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        CHECK_REFUSAL(read_aliases(texts[i].text, &aliases, &error), &error, LMB_ERROR_FORMAT, texts[i].message);
        assert_null(aliases);
    }
    CHECK_REFUSAL(lmb_graph_aliases_read(NULL, 0, NULL, NULL, &aliases, &error), &error, LMB_ERROR_ARGUMENT,
                  "the text is NULL");
    CHECK_REFUSAL(lmb_graph_aliases_read("{}", 2, NULL, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT,
                  "the result is NULL");
    CHECK_REFUSAL(lmb_graph_aliases_read("{", 1, NULL, NULL, &aliases, &error), &error, LMB_ERROR_FORMAT,
                  "aliases: line 1");
}

static lmb_result read_and_destroy_aliases(const lmb_host *host, lmb_error *error, void *user) {
    lmb_graph_aliases *aliases = NULL;
    const lmb_result result = lmb_graph_aliases_read(user, strlen(user), NULL, host, &aliases, error);
    assert_true((result == LMB_OK) == (aliases != NULL));
    lmb_graph_aliases_destroy(aliases);
    return result;
}

static void memory_for_aliases_that_is_refused(void **state) {
    (void)state;
    char text[] = "{\"clips\":{\"A\":\"Walk\"},\"joints\":{\"B\":\"Hips\"}}";
    failing_host_try_all(read_and_destroy_aliases, text);
}

// ---- The reported problems of malformed texts. ----

static void expect_malformed(malformed_graph row) {
    const lmb_graph_source source = source_of(row.text);
    expect_problem(&source, &row);
}

#define BLEND(members) "{'op':'blend',\n'a':{'op':'rest'},'b':{'op':'rest'}," members "}"
#define BLEND2(a, b, define) "{'op':'blend','a':" a ",'b':" b ",\n'define':" define "}"
#define ARGUED(members)                                                                                                \
    "{'op':'blend','a':{'use':'d'," members "},'b':{'op':'rest'},'define':{'d':{'op':'clip','time':0,"                 \
    "'arguments':{'clip':null},'clip':{'argument':'clip'}}}}"
#define DEFINED(members) "{'op':'mirror','axis':'x','pose':{'use':'d'},'define':{'d':{'op':'rest'," members "}}}"
#define REST_INPUT "{'pose':{'op':'rest'}}"

static void malformed_texts(void **state) {
    (void)state;
    static const malformed_graph rows[] = {
        // Not JSON, or JSON of another kind.
        {"", "", 1, 1, "the text ends where a value was expected"},
        {"{'op':'rest'", "", 1, 13, "',' or '}' was expected"},
        {"{'op':\n'rest'} x", "", 2, 9, "something is behind the end"},
        {"[]", "", 1, 1, "an array, where an object was expected"},
        {"\"rest\"", "", 1, 1, "a string, where an object was expected"},
        {"{}", "", 1, 1, "a pose needs the field \"op\""},
        // Definitions.
        {"{'op':'mirror','axis':'x',\n'pose':{'use':'wakl'},'define':{'walk':{'op':'rest'},'run':{'op':'rest'}}}",
         "pose.use", 2, 15, "there is no definition of this name; there are walk, run"},
        {"{'op':'mirror','axis':'x',\n'pose':{'use':'walk'}}", "pose.use", 2, 15,
         "there is no definition of this name"},
        {"{'op':'mirror','axis':'x',\n'pose':{'use':7},'define':{}}", "pose.use", 2, 15,
         "a number, where a string was expected"},
        {"{'op':'mirror','axis':'x',\n'pose':{'use':'a'},'define':{'a':{'op':'rest'},'':{'op':'rest'}}}", "define.", 2,
         48, "a name without a character"},
        {"{'op':'mirror','axis':'x',\n'pose':{'use':'a','op':'rest'},'define':{'a':{'op':'rest'}}}", "pose.op", 2, 19,
         "a use has no such field; it has use, with, comment"},
        {"{'op':'mirror','axis':'x',\n'pose':{'use':'a','use':'a'},'define':{'a':{'op':'rest'}}}", "pose.use", 2, 19,
         "given twice"},
        {"{'op':'mirror','axis':'x','pose':{'use':'a'},'define':{\n'a':{'op':'rest'},'a':{'op':'rest'}}}", "define.a",
         2, 19, "another definition has this name"},
        {"{'op':'mirror','axis':'x','pose':{'use':'a'},'define':{\n'a':{'op':'rest','lod':1}}}", "define.a.lod", 2, 18,
         "the outermost pose alone has levels of detail"},
        {"{'op':'mirror','axis':'x','pose':{'use':'a'},'define':{\n'a':7}}", "define.a", 2, 5,
         "a number, where an object was expected"},
        {"{'op':'rest',\n'define':[]}", "define", 2, 10, "an array, where an object was expected"},
        {"{'op':'rest',\n'define':{},'define':{}}", "define", 2, 13, "given twice"},
        {"{'op':'mirror','axis':'x',\n'pose':{'op':'mirror','axis':'x','pose':{'op':'rest'},'define':{}}}",
         "pose.define", 2, 55, "the outermost pose alone has definitions"},
        {"{'use':'a',\n'define':{'a':{'op':'rest'}}}", "", 1, 1, "a pose needs the field \"op\""},
        // A definition that is wrong is reported once; one that uses itself is named.
        {BLEND2("{'use':'a'}", "{'use':'a'}", "{'a':{'op':'rset'}}"), "define.a.op", 2, 21,
         "there is no such operation; the nearest are rest"},
        {BLEND2("{'use':'c'}", "{'use':'a'}",
                "{'a':{'op':'mirror','axis':'x','pose':{'use':'b'}},'b':{'op':'mirror','axis':'x','pose':{'use':'a'}},"
                "'c':{'op':'rest'}}"),
         "define.b.pose.use", 2, 105, "a definition uses itself: a, b"},
        // Arguments.
        {ARGUED("'with':{'clap':'Run'}"), "a.with.clap", 1, 38,
         "the definition has no argument of this name; there is only clip"},
        {ARGUED("'with':{'clip':'Run','clip':'Run'}"), "a.with.clip", 1, 51, "given twice"},
        {ARGUED("'comment':''"), "a", 1, 19, "the argument 'clip' is missing"},
        {ARGUED("'with':{'clip':\n'Rum'}"), "a.with.clip", 2, 1,
         "there is no clip of this name; there are Walk, Run, Wave (for define.d.clip)"},
        {ARGUED("'with':\n7"), "a.with", 2, 1, "a number, where an object was expected"},
        {ARGUED("'with':{'clip':\n{'argument':'clip'}}"), "a.with.clip", 2, 1,
         "no definition with \"arguments\" is around this argument (for define.d.clip)"},
        {"{'op':'mirror','axis':'x','pose':{'use':'d','with':\n{'x':1}},'define':{'d':{'op':'rest'}}}", "pose.with", 1,
         45, "the definition has no \"arguments\""},
        {"{'op':'clip','clip':\n{'argument':'x'},'time':0}", "clip", 2, 1,
         "no definition with \"arguments\" is around this argument"},
        {"{'op':'rest','name':\n{'argument':'x'}}", "name", 2, 1,
         "no definition with \"arguments\" is around this argument"},
        {"{'op':'mirror','axis':'x','pose':\n{'argument':'x'}}", "pose", 2, 1,
         "no definition with \"arguments\" is around this argument"},
        {"{'op':'ik-aim','joints':{'Hips':1},'target':[0,\n{'argument':'x'},0],'base':{'op':'rest'}}", "target[1]", 2,
         1, "no definition with \"arguments\" is around this argument"},
        {"{'op':'rest',\n'arguments':{'x':1}}", "arguments", 2, 1,
         "\"rest\" has no arguments: only what \"define\" gives a name has some"},
        {DEFINED("'arguments':\n7"), "define.d.arguments", 2, 1, "a number, where an object was expected"},
        {DEFINED("'arguments':{\n'':1}"), "define.d.arguments.", 2, 1, "a name without a character"},
        {DEFINED("'arguments':{'x':1,\n'x':1},'name':{'argument':'x'}"), "define.d.arguments.x", 2, 1, "given twice"},
        {DEFINED("'arguments':{\n'argument':1}"), "define.d.arguments.argument", 2, 1,
         "an argument needs another name"},
        {DEFINED("'arguments':{'x':\n{'argument':'x'}}"), "define.d.arguments.x", 2, 1, "a default has no arguments"},
        {DEFINED("'arguments':{'text':'?'},'name':{'argument':\n'tex'}"), "define.d.name.argument", 2, 1,
         "the definition has no argument of this name; there is only text"},
        // Mistakes in a definition say which use it is about, from the innermost one.
        {DEFINED("'arguments':{'x':'?'},'comment':\n7,'name':{'argument':'x'}"), "define.d.comment", 2, 1,
         "a number, where a string was expected (used at line 1, column 34)"},
        {DEFINED("'arguments':{'x':\n7},'name':{'argument':'x'}"), "define.d.arguments.x", 2, 1,
         "a number, where a string was expected (for define.d.name, used at line 1, column 34)"},
        {"{'op':'mirror','axis':'x','pose':\n{'use':'a','with':{'x':0}},'define':{'a':{'op':'scale','weight':1,'pose':"
         "\n{'use':'b','with':{'y':{'argument':'x'}}},'arguments':{'x':null}},'b':{'arguments':{'y':null},"
         "\n'op':'rset','name':{'argument':'y'}}}}",
         "define.b.op", 4, 6, "(used at line 3, column 1, at line 2, column 1)"},
        {"{'op':'mirror','axis':'x','pose':\n{'use':'a','with':{'x':0}},'define':{'a':{'op':'scale','weight':1,'pose':"
         "\n{'use':'b','with':{'y':{'argument':'x'}}},'arguments':{'x':null}},'b':{'arguments':{'y':null},"
         "\n'op':'rest','name':{'argument':'y'}}}}",
         "pose.with.x", 2, 24, "a number, where a string was expected (for define.b.name)"},
        // Definitions that use themselves.
        {"{'op':'mirror','axis':'x','pose':{'use':'d'},'define':{'d':{'op':'mirror','axis':'x','arguments':{'x':1},"
         "'pose':\n{'use':'d','with':{'x':[{'argument':'x'}]}}}}}",
         "define.d.pose.use", 2, 8, "a definition uses itself: d (used at line 1, column 34)"},
        {"{'op':'mirror','axis':'x','pose':{'use':'d'},'define':{'d':{'op':'mirror','axis':'x','arguments':{'x':1},"
         "'pose':{'use':'e','with':{'y':{'argument':'x'}}}},'e':{'use':'d',\n'arguments':{'y':1},'with':{'x':2}}}}",
         "define.e.use", 1, 167, "a definition uses itself: d, e (used at line 1, column 113, at line 1, column 34)"},
        {"{'op':'mirror','axis':'x','pose':{'use':'d'},'define':{'d':{\n'use':'e','arguments':{'x':1}},"
         "\n'e':{'use':'d','with':{'x':2}}}}",
         "define.d.use", 2, 7, "a definition uses itself: e, d (used at line 3, column 5)"},
        // Names and comments.
        {"{'op':'rest',\n'name':7}", "name", 2, 8, "a number, where a string was expected"},
        {"{'op':'rest',\n'name':'a','name':'b'}", "name", 2, 12, "given twice"},
        {"{'op':'rest',\n'comment':[]}", "comment", 2, 11, "an array, where a string was expected"},
        {"{'op':'weighted',\n'inputs':[{'pose':{'op':'rest'},'comment':1},{'pose':{'op':'rest'}}]}",
         "inputs[0].comment", 2, 43, "a number, where a string was expected"},
        // Operations and fields.
        {"{'op':'wlak'}", "op", 1, 7, "there is no such operation; the nearest are "},
        {"{'op':'foot-placment'}", "op", 1, 7, "there is no such operation; the nearest are foot-placement, "},
        {"{'op':'clip','clip':0,'additve':true}", "additve", 1, 23,
         "\"clip\" has no such field; the nearest are additive, "},
        {"{'op':'rest','pose':0}", "pose", 1, 14, "\"rest\" has no such field; it has "},
        {"{'op':'fade'}", "op", 1, 7, "a fade is no operation, but the weight of one: {\"in\": EVENT, \"seconds\": S}"},
        {"{'op':'rest','fade':1}", "fade", 1, 14, "\"rest\" has no fade: transitions have one, and a weight that"},
        {"{'op':'res'}", "op", 1, 7, "there is no such operation"},
        {"{'op':'rest\\u0000'}", "op", 1, 7, "there is no such operation"},
        {"{'op':3}", "op", 1, 7, "a number, where a string was expected"},
        {"{'op':'rest','op':'rest'}", "op", 1, 19, "given twice"},
        {"{'op':'rest','clip':'Walk'}", "clip", 1, 14, "\"rest\" has no such field; it has none"},
        {BLEND("'wieght':1"), "wieght", 2, 37, "\"blend\" has no such field; it has a, b, weight, curve"},
        {BLEND("'weight':1,'weight':1"), "weight", 2, 48, "given twice"},
        {"{'op':'blend','a':{'op':'rest'}}", "", 1, 1, "\"blend\" needs the field \"b\""},
        {"{'op':'blend','b':{'op':'rest'},'a':[1]}", "a", 1, 37, "an array, where an object"},
        {"{'op':'blend','b':{'op':'rest'},'a':{'op':'x'}}", "a.op", 1, 43, "there is no such operation"},
        // Numbers.
        {BLEND("'weight':'1'"), "weight", 2, 46, "a string, where a number was expected, a parameter or a curve"},
        {BLEND("'weight':null"), "weight", 2, 46, "null, where a number was expected, a parameter or a curve"},
        {BLEND("'weight':1.5"), "weight", 2, 46, "1.5 is outside 0 to 1"},
        {BLEND("'weight':-1e999"), "weight", 2, 46, "-inf is outside 0 to 1"},
        {BLEND("'weight':{}"), "weight", 2, 46, "a parameter needs the field \"param\""},
        {BLEND("'weight':{'param':1}"), "weight.param", 2, 55, "a number, where a string was expected"},
        {BLEND("'weight':{'param':''}"), "weight.param", 2, 55, "a parameter without a name"},
        {BLEND("'weight':{'param':'a\\u0000'}"), "weight.param", 2, 55, "a name with a zero in it"},
        {BLEND("'weight':{'param':'a','unit':1}"), "weight.unit", 2, 59, "a parameter has no such field"},
        {BLEND("'weight':{'param':'a','default':true}"), "weight.default", 2, 69, "a boolean, where a number"},
        {BLEND("'weight':{'param':'a','min':1e13}"), "weight.min", 2, 65, "is outside"},
        {BLEND("'weight':{'param':'a','min':1,'max':0}"), "weight.max", 2, 73, "0 is below \"min\", 1"},
        {BLEND("'weight':{'param':'a','max':1,'default':2}"), "weight.default", 2, 77, "2 is outside 0 to 1"},
        {"{'op':'blend','a':{'op':'blend',\n'a':{'op':'rest'},'b':{'op':'rest'},'weight':{'param':'p','default':1}},"
         "'b':{'op':'blend',\n'a':{'op':'rest'},'b':{'op':'rest'},'weight':{'param':'p','default':0.5}}}",
         "b.weight.default", 3, 69, "0.5, but another use of this parameter says 1"},
        // Curves.
        {BLEND("'curve':'uniform'"), "curve", 2, 45, "there is no such curve; the nearest are uniform-s, "},
        {BLEND("'curve':'bezier'"), "curve", 2, 45, "a Bezier has control points: {\"bezier\": [c0, c1]}"},
        {BLEND("'curve':{}"), "curve", 2, 45, "a curve is either a bezier or keys"},
        {BLEND("'curve':{'bezier':[0,1],'keys':[[0,0],[1,1]]}"), "curve", 2, 45, "a curve is either a bezier or keys"},
        {BLEND("'curve':{'bezier':[1]}"), "curve.bezier", 2, 55, "1 control points, where 2 to 4"},
        {BLEND("'curve':{'bezier':[0,1,1]}"), "curve.bezier", 2, 55, "3 control points, where 2 or 4 were expected"},
        {BLEND("'curve':{'bezier':[0,0,1.5,1]}"), "curve.bezier", 2, 55, "x of a control point is outside 0 to 1"},
        {BLEND("'curve':{'bezier':[0,2e6,1,1]}"), "curve.bezier[1]", 2, 58, "2e+06 is outside"},
        {BLEND("'curve':{'keys':[[0,0]]}"), "curve.keys", 2, 53, "1 keys, where 2 to 64 were expected"},
        {BLEND("'curve':{'keys':[[0,0],1]}"), "curve.keys[1]", 2, 60, "a number, where an array was expected"},
        {BLEND("'curve':{'keys':[[0,0],[1]]}"), "curve.keys[1]", 2, 60, "1 numbers of a key, where 2 to 4"},
        {BLEND("'curve':{'keys':[[0,0],[1,true]]}"), "curve.keys[1][1]", 2, 63, "a number was expected"},
        {BLEND("'curve':{'keys':[[0,0],[1,0],[1,1]]}"), "curve.keys[1]", 2, 60, "the next key is not after it"},
        {BLEND("'curve':{'keys':[{'x':0,'y':0,'out':[2,0]},[1,1]]}"), "curve.keys[0]", 2, 54, "out: it does not end"},
        {BLEND("'curve':{'keys':[[0,0],{'x':1,'y':0,'in':[0.5,0]}]}"), "curve.keys[0]", 2, 54, "in of the next key"},
        {BLEND("'curve':{'keys':[[0,0],{'x':1}]}"), "curve.keys[1]", 2, 60, "a key needs the field \"y\""},
        {BLEND("'curve':{'keys':[[0,0],{'x':1,'y':1,'slope':1}]}"), "curve.keys[1].slope", 2, 73, "no such field"},
        {BLEND("'curve':{'bezier':[0,16.5]}"), "curve.bezier[1]", 2, 58, "16.5 is outside -16 to 16"},
        {BLEND("'curve':0"), "curve", 2, 45, "a number, where a string was expected"},
        {BLEND("'weight':{'curve':'linear'}"), "weight", 2, 46, "a curve needs the field \"of\""},
        {BLEND("'weight':{'curve':'linear','of':2}"), "weight.of", 2, 69, "2 is outside 0 to 1"},
        {BLEND("'weight':{'curve':'uniform-s','of':1},'curve':'uniform-s'"), "curve", 2, 83, "a second curve"},
        {BLEND("'curve':'uniform-s','weight':{'curve':'uniform-s','of':1}"), "weight", 2, 66, "a second curve"},
        {BLEND("'weight':{'curve':'linear','of':{'curve':'linear','of':1}}"), "weight.of", 2, 69,
         "a curve inside a curve"},
        {"{'op':'clip','clip':0,'time':{'curve':'linear','of':2}}", "time.of", 1, 53, "2 is outside 0 to 1"},
        // Options.
        {BLEND("'interpolation':'lurp'"), "interpolation", 2, 53, "unknown; there are slerp, nlerp, lerp"},
        {BLEND("'shortest':1"), "shortest", 2, 48, "a number, where a boolean was expected"},
        {"{'op':'bilinear','poses':[],'s':0,'t':0}", "poses", 1, 26, "0 poses, where 4 were expected"},
        {"{'op':'scale','pose':{'op':'rest'},'weight':5}", "weight", 1, 45, "5 is outside -4 to 4"},
        {"{'op':'additive','weight':2,'base':{'op':'rest'},'add':{'op':'rest'}}", "", 1, 1,
         "a weight of 2 is for an additive with \"unclamped\""},
        // Clips.
        {"{'op':'clip'}", "", 1, 1, "\"clip\" needs the field \"clip\""},
        {"{'op':'clip','clip':'walk'}", "clip", 1, 21, "there is no clip of this name"},
        {"{'op':'clip','clip':'W\\u0000'}", "clip", 1, 21, "a name with a zero in it"},
        {"{'op':'clip','clip':3}", "clip", 1, 21, "no clip of this index: there are 3"},
        {"{'op':'clip','clip':-1}", "clip", 1, 21, "no clip of this index: there are 3"},
        {"{'op':'clip','clip':0,'time':'now'}", "time", 1, 30, "a string, where a number"},
        {"{'op':'clip','clip':0,'time':1e13}", "time", 1, 30, "is outside"},
        {"{'op':'clip','clip':0,'rate':[1]}", "rate", 1, 30, "an array, where a number"},
        {"{'op':'clip','clip':0,'loop':1}", "loop", 1, 30, "a number, where a boolean was expected"},
        {"{'op':'clip','clip':0,'from':'a'}", "from", 1, 30, "a number was expected"},
        {"{'op':'clip','clip':0,'from':-1}", "from", 1, 30, "is outside"},
        {"{'op':'clip','clip':0,'from':1}", "from", 1, 30, "from 1 to 1: it goes from a time to a later one"},
        {"{'op':'clip','clip':0,'from':0.5,'to':0.25}", "from", 1, 30, "from 0.5 to 0.25: it goes"},
        {"{'op':'clip','clip':0,'to':1.5}", "to", 1, 28,
         "from 0 to 1.5: it goes from a time to a later one, and the "
         "clip takes 1 s"},
        {"{'op':'clip','clip':0,'to':0}", "to", 1, 28, "from 0 to 0"},
        {"{'op':'clip','clip':0,'to':1e-10}", "to", 1, 28, "the part takes no tick"},
        {"{'op':'clip','clip':{'param':'p'},'to':0.5}", "to", 1, 40, "a clip that a parameter chooses has no part"},
        {"{'op':'clip','clip':0,'additive':1}", "additive", 1, 34, "a number, where a boolean was expected"},
        {"{'op':'clip','clip':0,'reference':{'op':'rest'}}", "reference", 1, 35, "\"additive\": true"},
        {"{'op':'clip','clip':0,'additive':true,'reference':{'op':'x'}}", "reference.op", 1, 57,
         "there is no such operation"},
        // Poses, masks, inputs.
        {"{'op':'pose'}", "", 1, 1, "\"pose\" needs the field \"pose\""},
        {"{'op':'pose','pose':8}", "pose", 1, 21, "8 is outside 0 to 7"},
        {"{'op':'pose','pose':0.5}", "pose", 1, 21, "0.5 is no whole number"},
        {"{'op':'pose','pose':'idle'}", "pose", 1, 21, "there is no static pose of this name"},
        // Levels of detail.
        {"{'op':'rest','lod':8}", "lod", 1, 20, "8 is outside 0 to 7"},
        {"{'op':'rest','lod':'far'}", "lod", 1, 20, "a string, where a number"},
        {"{'op':'rest','lod':1,'lod':1}", "lod", 1, 22, "given twice"},
        {"{'op':'rest','max-lods':{}}", "max-lods", 1, 14, "max-lods, and no \"lod\" that chooses"},
        {"{'op':'rest','lod':1,'max-lods':{'Tail':1}}", "max-lods.Tail", 1, 34, "the rig has no joint"},
        {"{'op':'rest','lod':1,'max-lods':{'Head':8}}", "max-lods.Head", 1, 41, "8 is outside 0 to 7"},
        {"{'op':'rest','lod':1,'max-lods':{'Spine':1,'Head':2}}", "max-lods", 1, 33,
         "joint 2 'Head': 2, but its parent 'Spine' is dropped after 1"},
        {"{'op':'rest','lod':1,'max-lods':{'Hips':1}}", "max-lods", 1, 33, "a root's is 7"},
        {"{'op':'mirror','axis':'x','pose':{'op':'rest','lod':1}}", "pose.lod", 1, 47,
         "the outermost pose alone has levels of detail"},
        {"{'op':'rest','streamed-clips':'Walk'}", "streamed-clips", 1, 31, "a string, where an array"},
        {"{'op':'rest','streamed-clips':[]}", "streamed-clips", 1, 31, "0 streamed clips"},
        {"{'op':'rest','streamed-clips':[1]}", "streamed-clips[0]", 1, 32, "a number, where a string"},
        {"{'op':'rest','streamed-clips':['']}", "streamed-clips[0]", 1, 32, "a name without a character"},
        {"{'op':'rest','streamed-clips':['Wlak']}", "streamed-clips[0]", 1, 32, "no clip of this name"},
        {"{'op':'rest','streamed-clips':['Walk']}", "streamed-clips[0]", 1, 32, "no pose plays this clip"},
        {"{'op':'clip','clip':'Walk','streamed-clips':['Walk','Walk']}", "streamed-clips[1]", 1, 53, "given twice"},
        {"{'op':'mirror','axis':'x','pose':{'op':'rest','streamed-clips':['Walk']}}", "pose.streamed-clips", 1, 47,
         "the outermost pose alone has streamed clips"},
        {MASKED("{'Tail':1}"), "mask.Tail", 1, 60,
         "the rig has no joint of this name; there are Hips, Spine, Head, Left\"Arm, Hips, smile_l, smile_r, look"},
        {MASKED("{'Head':256}"), "mask.Head", 1, 67, "256 is outside 0 to 255"},
        {MASKED("{'Head':1.25}"), "mask.Head", 1, 67, "1.25 is no whole number"},
        {MASKED("{'Head':true}"), "mask.Head", 1, 67, "a boolean, where a number"},
        {MASKED("{'Head':1,'\\u0048ead':1}"), "mask.\\u0048ead", 1, 69, "given twice"},
        {MASKED("[1]"), "mask", 1, 59, "an array, where an object was expected"},
        {COMBINE(""), "inputs", 1, 26, "0 inputs, where 1 to 16 were expected"},
        {COMBINE(IN("[]", "{'op':'rest'}")), "inputs[0].joints", 1, 37, "no joints"},
        {COMBINE(IN("3", "{'op':'rest'}")), "inputs[0].joints", 1, 37, "a number, where an object"},
        {COMBINE(IN("['Head','Tail']", "{'op':'rest'}")), "inputs[0].joints[1]", 1, 45,
         "the rig has no joint of this name"},
        {COMBINE(IN("['Head','Head']", "{'op':'rest'}")), "inputs[0].joints[1]", 1, 45, "given twice"},
        {COMBINE(IN("{'Head':'Tail'}", "{'op':'rest'}")), "inputs[0].joints.Head", 1, 45,
         "the rig has no joint of this name"},
        {COMBINE(IN("{'Head':3}", "{'op':'rest'}")), "inputs[0].joints.Head", 1, 45, "a number, where a string"},
        {COMBINE(IN("['Head']", "{'op':'clip','clip':'Walk'}")), "inputs[0].pose.clip", 1, 73,
         "it has 5 joints, and joint map 0, in which it is, 1"},
        {CLAMP("1"), "joint-limits", 1, 51, "a number, where an object"},
        {CLAMP("{'Tail':{}}"), "joint-limits.Tail", 1, 52, "the rig has no joint of this name"},
        {CLAMP("{'Head':1}"), "joint-limits.Head", 1, 59, "a number, where an object"},
        {CLAMP("{'Head':{'roll':1}}"), "joint-limits.Head.roll", 1, 60,
         "a joint's limits has no such field; it has trans"},
        {CLAMP("{'Head':{'swing':181}}"), "joint-limits.Head.swing", 1, 68, "181 is outside 0 to 180"},
        {CLAMP("{'Head':{'twist':{'axis':'a'}}}"), "joint-limits.Head.twist.axis", 1, 76, "unknown; there are x, y"},
        {CLAMP("{'Head':{'scale':{'min':1}}}"), "joint-limits.Head.scale", 1, 68, "a range needs the field \"max\""},
        {CLAMP("{'Head':{'scale':{'min':1,'max':[1,2]}}}"), "joint-limits.Head.scale.max", 1, 83, "2 numbers, where 3"},
        {CLAMP("{'Head':{'scale':{'min':2,'max':1}}}"), "joint-limits", 1, 51, "'Head': scale: min is above"},
        {MIRROR("'axis':'w'"), "axis", 1, 44, "unknown; there are x, y, z"},
        {"{'op':'mirror','pose':{'op':'rest'}}", "", 1, 1, "\"mirror\" needs the field \"axis\""},
        {MIRROR("'axis':'x','partners':[]"), "partners", 1, 59, "an array, where an object was expected"},
        {MIRROR("'axis':'x','partners':{'Tail':'Head'}"), "partners.Tail", 1, 60, "no joint of this name"},
        {MIRROR("'axis':'x','partners':{'Head':'Tail'}"), "partners.Head", 1, 67, "no joint of this name"},
        {MIRROR("'axis':'x','partners':{'Head':1}"), "partners.Head", 1, 67, "a number, where a string"},
        {MIRROR("'axis':'x','partners':{'Head':'Spine'}"), "partners", 1, 59,
         "joint 1 'Spine': its partner's parent is not its parent's partner"},
        {MIRROR("'axis':'x','partners':{'Head':'Left\\u0022Arm','Spine':'Head'}"), "partners.Spine", 1, 91,
         "one of the two has another partner"},
        {"{'op':'weighted','inputs':{}}", "inputs", 1, 27, "an object, where an array was expected"},
        {"{'op':'weighted','inputs':[" REST_INPUT "]}", "inputs", 1, 27, "1 inputs, where 2 to 16 were expected"},
        {"{'op':'weighted','inputs':[" REST_INPUT ",1]}", "inputs[1]", 1, 51, "a number, where an object"},
        {"{'op':'weighted','inputs':[" REST_INPUT ",{'weight':1}]}", "inputs[1]", 1, 51,
         "an input needs the field \"pose\""},
        {"{'op':'weighted','inputs':[" REST_INPUT ",{'weight':-1,'pose':{'op':'rest'}}]}", "inputs[1].weight", 1, 61,
         "-1 is outside 0 to"},
#define SPACE_INPUT(at) "{'pose':{'op':'rest'},'at':" at "}"
        {"{'op':'space1d','inputs':[" SPACE_INPUT("0") "," SPACE_INPUT("1") "]}", "", 1, 1,
         "\"space1d\" needs the field \"at\""},
        {"{'op':'space1d','at':1,'inputs':[" SPACE_INPUT("0") "," REST_INPUT "]}", "inputs[1]", 1, 64,
         "an input needs the field \"at\""},
        {"{'op':'space1d','at':1,'inputs':[" SPACE_INPUT("0") "," SPACE_INPUT("[1,2]") "]}", "inputs[1].at", 1, 91,
         "an array, where a number was expected"},
        {"{'op':'space1d','at':1,'inputs':[" SPACE_INPUT("0") "," SPACE_INPUT("{'param':'x'}") "]}", "inputs[1].at", 1,
         91, "an object, where a number was expected"},
        {"{'op':'space1d','at':1,'inputs':[" SPACE_INPUT("0") "," SPACE_INPUT("2e12") "]}", "inputs[1].at", 1, 91,
         "2e+12 is outside"},
        {"{'op':'space1d','at':1,'inputs':[" SPACE_INPUT("3") "," SPACE_INPUT("3") "]}", "inputs[1].at", 1, 91,
         "another input is at the same position"},
        {"{'op':'clip','clip':0,\n'offset':'random'}", "offset", 2, 10,
         "\"random\" is the \"offset\" of a clip that plays: write it inside \"play\""},
        {"{'op':'space2d','x':0,'y':0,'inputs':[" SPACE_INPUT("1") "," SPACE_INPUT("[1,2]") "]}", "inputs[0].at", 1, 66,
         "a number, where an array was expected"},
        {"{'op':'space2d','x':0,'y':0,'inputs':[" SPACE_INPUT("[1,2,3]") "," SPACE_INPUT("[1,2]") "]}", "inputs[0].at",
         1, 66, "3 coordinates, where 2 were expected"},
        {"{'op':'space2d','x':0,'y':0,'inputs':[" SPACE_INPUT("[1,true]") "," SPACE_INPUT("[1,2]") "]}",
         "inputs[0].at[1]", 1, 69, "a boolean, where a number was expected"},
        {"{'op':'space2d','x':0,'y':0,'kind':'square','inputs':[{'pose':{'op':'rest'},'at':[1,1]},"
         "{'pose':{'op':'rest'},'at':[1,2]}]}",
         "kind", 1, 36, "unknown; there are triangles, grid, freeform, directional"},
        {"{'op':'space2d','x':0,'y':0,'inputs':[" SPACE_INPUT("[1,1]") "," SPACE_INPUT("[1,2]") "]}", "", 1, 1,
         "positions: all are on the line through positions[0] and positions[1]"},
        {"{'op':'blend','a':{'op':'rest'},\n'b':{'op':'additive','base':{'op':'rest'},'add':{'op':'rest'}}}", "b.add",
         2, 49, "a pose; what is added is an additive, such as a make-additive"},
        {"{'op':'layers','inputs':[" REST_INPUT ",{'mask':{'Hand':1},'pose':{'op':'rest'}}]}", "inputs[1].mask.Hand", 1,
         58, "the rig has no joint of this name"},
        {"{'op':'layers','inputs':[" REST_INPUT ",{'priority':0.5,'pose':{'op':'rest'}}]}", "inputs[1].priority", 1, 61,
         "0.5 is no whole number"},
        {"{'op':'layers','inputs':[" REST_INPUT ",{'weight':1,'pose':{'op':'rest'}}]}", "inputs[1].weight", 1, 50,
         "has no such field; it has pose, fade, priority"},
        {"{'op':'additive','base':{'op':'weighted','inputs':[" REST_INPUT
         ",{'pose':{'op':'clip','clip':'Jump'}}]},'add':{'op':'rest'}}",
         "base.inputs[1].pose.clip", 1, 103, "there is no clip of this name"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        expect_malformed(rows[i]);
    }
}

// Appends to a text that has enough room.
static char *append(char *end, const char *text) {
    size_t length = strlen(text);
    memcpy(end, text, length + 1);
    return end + length;
}

static char *nested(uint32_t depth, const char *open, const char *innermost, const char *close) {
    char *text = malloc(depth * (strlen(open) + strlen(close)) + strlen(innermost) + 1);
    assert_non_null(text);
    char *end = text;
    for (uint32_t i = 0; i < depth; i++) {
        end = append(end, open);
    }
    end = append(end, innermost);
    for (uint32_t i = 0; i < depth; i++) {
        end = append(end, close);
    }
    return text;
}

static void poses_inside_each_other(void **state) {
    (void)state;
    static const char first[] = "{'op':'blend','b':{'op':'rest'},'a':";
    static const char second[] = "{'op':'blend','a':{'op':'rest'},'b':";
    // Nodes that nest in the first input keep the stack small; nested in the second, each needs one more pose.
    char *text = nested(200, first, "{'op':'rest'}", "}");
    lmb_graph_json_destroy(read_graph(text));
    free(text);
    text = nested(LMB_MAX_STACK - 1, second, "{'op':'rest'}", "}");
    lmb_graph_json_destroy(read_graph(text));
    free(text);
    text = nested(LMB_MAX_STACK + 2, second, "{'op':'rest'}", "}");
    // Reported at the innermost blend that alone would need too much.
    expect_malformed((malformed_graph){text, "b.b", 1, 73, "more than 11 poses at once"});
    free(text);
    text = nested(300, first, "{'op':'rest'}", "}");
    expect_malformed((malformed_graph){text, "", 1, (uint32_t)(255 * strlen(first) + strlen("{'op':'blend','b':")) + 1,
                                       "more than 256"});
    free(text);
}

static lmb_graph_problems problems_of(const char *text) {
    const lmb_graph_source source = source_of(text);
    lmb_graph_json *graph = NULL;
    lmb_graph_problems problems;
    assert_int_equal(lmb_graph_json_read(&source, NULL, &graph, &problems, NULL), LMB_ERROR_FORMAT);
    return problems;
}

static void long_paths_keep_their_end(void **state) {
    (void)state;
    char *text = nested(100, "{'op':'additive','add':{'op':'rest'},'base':",
                        "{'op':'clip','clip':'A name with \\t in it, as long as this one is, is cut'}", "}");
    const lmb_graph_problems problems = problems_of(text);
    const char *path = problems.list[0].path;
    assert_int_equal(strncmp(path, "...", 3), 0);
    assert_true(strlen(path) > 90);
    assert_string_equal(path + strlen(path) - 20, ".base.base.base.clip");
    free(text);
}

static void inputs_have_a_limit(void **state) {
    (void)state;
    char text[2000];
    char *end = append(text, "{'op':'weighted','inputs':[");
    for (uint32_t i = 0; i <= LMB_MAX_INPUTS; i++) {
        end = append(end, i == 0 ? REST_INPUT : "," REST_INPUT);
    }
    append(end, "]}");
    expect_malformed((malformed_graph){text, "inputs", 1, 27, "17 inputs, where 2 to 16 were expected"});
}

// Writes a space with this many inputs, in columns and rows or on a line. Each input's position is its number.
static const char *write_space(bool is_line, uint32_t inputs) {
    static char text[8000];
    char *end = append(text, is_line ? "{'op':'space1d','at':{'param':'x'},'inputs':["
                                     : "{'op':'space2d','kind':'grid','x':{'param':'x'},'y':{'param':'y'},'inputs':[");
    for (uint32_t i = 0; i < inputs; i++) {
        end += sprintf(end, is_line ? "%s{'pose':{'op':'rest'},'at':%u}" : "%s{'pose':{'op':'rest'},'at':[%u,%u]}",
                       i == 0 ? "" : ",", is_line ? i : i % 8, i / 8);
    }
    append(end, "]}");
    return text;
}

static void spaces_take_more_inputs(void **state) {
    (void)state;
    for (uint32_t is_line = 0; is_line < 2; is_line++) {
        lmb_graph_json *graph = read_graph(write_space(is_line, LMB_MAX_SPACE_INPUTS));
        const lmb_graph_def *def = lmb_graph_json_def(graph);
        const lmb_node_def *node = &def->nodes[def->node_count - 1];
        assert_int_equal(node->input_count, 64);
        for (uint32_t i = 0; i < 64; i++) {
            assert_int_equal(node->inputs[i], i);
            assert_true(node->positions[i][0] == (float)(is_line ? i : i % 8));
            assert_true(is_line || node->positions[i][1] == (float)(i / 8));
        }
        assert_true(def->parameters[0].max == (is_line ? 63.0f : 7.0f));
        lmb_graph_json_destroy(graph);
    }
    expect_malformed(
        (malformed_graph){write_space(true, 65), "inputs", 1, 45, "65 inputs, where 2 to 64 were expected"});
    expect_malformed(
        (malformed_graph){write_space(false, 65), "inputs", 1, 76, "65 inputs, where 2 to 64 were expected"});
}

// Weighted blends of 16 inputs, nested three deep: 4096 rest poses and 273 blends.
static void operations_have_a_limit(void **state) {
    (void)state;
    char *text = malloc(400000);
    assert_non_null(text);
    char *end = append(text, "{'op':'weighted','inputs':[");
    for (uint32_t i = 0; i < 4096; i++) {
        end = append(end, i == 0 ? "" : ",");
        for (uint32_t opened = i % 256 == 0 ? 2 : i % 16 == 0 ? 1 : 0; opened > 0; opened--) {
            end = append(end, "{'pose':{'op':'weighted','inputs':[");
        }
        end = append(end, REST_INPUT);
        for (uint32_t closed = i % 256 == 255 ? 2 : i % 16 == 15 ? 1 : 0; closed > 0; closed--) {
            end = append(end, "]}}");
        }
    }
    append(end, "]}");
    const lmb_graph_problems problems = problems_of(text);
    assert_int_equal(problems.count, 1);
    assert_string_equal(problems.list[0].message, "more than 4096 operations");
    free(text);
}

static void parameters_have_a_limit(void **state) {
    (void)state;
    char *text = malloc(400000);
    assert_non_null(text);
    char *end = text;
    const uint32_t count = LMB_MAX_PARAMETERS + 6;
    end = append(end, "{'op':'weighted','inputs':[");
    for (uint32_t i = 0; i < count; i++) {
        end = append(end, i == 0 ? "" : ",");
        end = append(end, i % 16 == 0 ? "{'pose':{'op':'weighted','inputs':[" : "");
        end += sprintf(end, "{'weight':{'param':'p%u'},'pose':{'op':'rest'}}", i);
        end = append(end, i % 16 == 15 || i + 1 == count ? "]}}" : "");
    }
    append(end, "]}");
    const lmb_graph_problems problems = problems_of(text);
    assert_int_equal(problems.count, 2); // the outermost has more inputs than 16
    assert_string_equal(problems.list[0].path, "inputs");
    assert_string_equal(problems.list[1].path, "inputs[64].pose.inputs[0].weight");
    assert_string_equal(problems.list[1].message, "more than 1024 parameters");
    free(text);
}

// Poses of definitions count for the depth.
static void deep_definitions(void **state) {
    (void)state;
    static char text[40000];
    for (uint32_t depth = 254; depth <= 255; depth++) {
        char *end = append(text, "{'op':'scale','weight':0.5,'pose':{'use':'d0'},'define':{");
        for (uint32_t i = 0; i < depth; i++) {
            end += sprintf(end, "'d%u':{'op':'scale','weight':0.5,'pose':{'use':'d%u'}},", i, i + 1);
        }
        end += sprintf(end, "'d%u':{'op':'rest'}}}", depth);
        const lmb_graph_source source = source_of(text);
        lmb_graph_json *graph = NULL;
        lmb_error error = {0};
        const lmb_result result = lmb_graph_json_read(&source, NULL, &graph, NULL, &error);
        if (depth == 254) {
            assert_int_equal(result, LMB_OK);
            assert_int_equal(lmb_graph_json_def(graph)->node_count, 256);
        } else {
            CHECK_REFUSAL(result, &error, LMB_ERROR_FORMAT,
                          "define.d255: more than 256 nested poses, those of definitions included");
        }
        lmb_graph_json_destroy(graph);
    }
}

// Definitions that are nothing but uses of others.
static void long_ways_through_definitions(void **state) {
    (void)state;
    static char text[20000];
    for (uint32_t depth = 255; depth <= 256; depth++) {
        char *end = append(text, "{'op':'scale','weight':0.5,'pose':{'use':'d0'},'define':{");
        for (uint32_t i = 0; i < depth; i++) {
            end += sprintf(end, "'d%u':{'use':'d%u'},", i, i + 1);
        }
        end += sprintf(end, "'d%u':{'op':'rest'}}}", depth);
        const lmb_graph_source source = source_of(text);
        lmb_graph_json *graph = NULL;
        lmb_error error = {0};
        const lmb_result result = lmb_graph_json_read(&source, NULL, &graph, NULL, &error);
        if (depth == 255) {
            assert_int_equal(result, LMB_OK);
        } else {
            CHECK_REFUSAL(result, &error, LMB_ERROR_FORMAT,
                          "define.d255.use: more than 256 definitions that use each other");
        }
        lmb_graph_json_destroy(graph);
    }
}

// Each definition puts its argument into one more list. The last one does so twice, alike.
static lmb_result read_nested_arguments(uint32_t depth, lmb_error *error) {
    static char text[40000];
    char *end = append(text, "{'op':'scale','weight':0.5,'pose':{'use':'d0'},'define':{");
    for (uint32_t i = 0; i < depth; i++) {
        end += sprintf(end, "'d%u':{'use':'d%u','arguments':{'x':0},'with':{'x':[{'argument':'x'}]}},", i, i + 1);
    }
    sprintf(end,
            "'d%u':{'op':'blend','arguments':{'x':0},'a':{'use':'e','with':{'x':[{'argument':'x'}]}},"
            "'b':{'use':'e','with':{'x':[{'argument':'x'}]}}},'e':{'op':'mirror','axis':'x','arguments':{'x':0},"
            "'pose':{'use':'rest','with':{'x':[{'argument':'x'}]}}},'rest':{'op':'rest','arguments':{'x':0}}}}",
            depth);
    const lmb_graph_source source = source_of(text);
    lmb_graph_json *graph = NULL;
    const lmb_result result = lmb_graph_json_read(&source, NULL, &graph, NULL, error);
    lmb_graph_json_destroy(graph);
    return result;
}

// Returns whether 4096 uses that each have another argument, and one more, are too many copies. Their definition has no
// node of its own. The graph is refused anyway: it is too large to evaluate.
static bool are_too_many(uint32_t last) {
    static char text[300000];
    char *end = append(text, "{'op':'blend','define':{'d':{'use':'e','arguments':{'x':0}},'e':{'op':'rest'}},"
                             "'a':{'op':'space1d','at':0,'inputs':[");
    for (uint32_t i = 0; i < 4096; i++) {
        if (i % 64 == 0) {
            end += sprintf(end, "%s{'at':%u,'pose':{'op':'space1d','at':0,'inputs':[", i == 0 ? "" : "]}},", i);
        }
        end += sprintf(end, "%s{'at':%u,'pose':{'use':'d','with':{'x':%u}}}", i % 64 == 0 ? "" : ",", i, i);
    }
    sprintf(end, "]}}]},'b':{'use':'d','with':{'x':%u}}}", last);
    const lmb_graph_source source = source_of(text);
    lmb_graph_json *graph = NULL;
    lmb_error error = {0};
    const lmb_result result = lmb_graph_json_read(&source, NULL, &graph, NULL, &error);
    assert_int_equal(result, LMB_ERROR_FORMAT);
    return strstr(error.message, "b: more than 4096 uses that differ in their arguments") != NULL;
}

// Expects that uses of a definition, whose argument has 100,000 elements by default, are refused.
static void expect_refused_lists(uint32_t uses, const char *name, const char *message) {
    static char text[310000];
    char *end = append(text, "{'op':'weighted','define':{'d':{'op':'rest','name':");
    end = append(end, name);
    end = append(end, ",'arguments':{'y':'','x':[[]");
    for (uint32_t i = 0; i < 100000; i++) {
        end = append(end, ",[]");
    }
    end = append(end, "]}}},'inputs':[{'pose':{'op':'rest'}}");
    for (uint32_t i = 0; i < uses; i++) {
        end = append(end, ",{'pose':{'use':'d'}}");
    }
    append(end, "]}");
    const lmb_graph_source source = source_of(text);
    lmb_graph_json *graph = NULL;
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_graph_json_read(&source, NULL, &graph, NULL, &error), &error, LMB_ERROR_FORMAT, message);
    assert_null(strstr(error.message, ", and ")); // it is reported once
}

static void arguments_have_limits(void **state) {
    (void)state;
    lmb_error error = {0};
    assert_int_equal(read_nested_arguments(251, &error), LMB_OK);
    CHECK_REFUSAL(read_nested_arguments(252, &error), &error, LMB_ERROR_FORMAT,
                  "define.d252.a: more than 256 nested values, those of arguments included");
    assert_null(strstr(error.message, ", and "));
    assert_false(are_too_many(0));
    assert_true(are_too_many(4096));
    // 100,000 values, three times in one copy.
    expect_refused_lists(1, "[{'argument':'x'},{'argument':'x'},{'argument':'x'}]",
                         "inputs[1].pose: more than 262144 values in copies of definitions with arguments");
    // Each use compares them; ten are below the limit.
    expect_refused_lists(14, "{'argument':'y'}", "inputs[11].pose: more than 1048576 values of arguments in all uses");
    // 65 arguments.
    char text[2000];
    char *end =
        append(text, "{'op':'mirror','axis':'x','pose':{'use':'d'},'define':{'d':{'op':'rest','arguments':{'a':0");
    for (uint32_t i = 0; i < 64; i++) {
        end += sprintf(end, ",'%u':0", i);
    }
    append(end, "}}}}");
    expect_malformed(
        (malformed_graph){text, "define.d.arguments", 1, 85, "65 arguments, where at most 64 were expected"});
}

static void all_problems_are_reported(void **state) {
    (void)state;
    static const char text[] =
        "{'op':'blend','weight':7,\n 'a':{'op':'clip','clip':'Jump','speed':1},\n"
        " 'b':{'op':'masked','a':{'op':'rset'},'b':{'op':'rest'},\n      'mask':{'Tail':1,'Head':999}}}";
    static const struct {
        const char *path;
        uint32_t line;
    } expected[] = {{"weight", 1}, {"a.clip", 2},      {"a.speed", 2},
                    {"b.a.op", 3}, {"b.mask.Tail", 4}, {"b.mask.Head", 4}};
    const lmb_graph_source source = source_of(text);
    lmb_graph_json *graph = NULL;
    lmb_graph_problems problems;
    lmb_error error = {0};
    lmb_result result = lmb_graph_json_read(&source, NULL, &graph, &problems, &error);
    assert_int_equal(problems.count, 6);
    for (uint32_t i = 0; i < problems.count; i++) {
        assert_string_equal(problems.list[i].path, expected[i].path);
        assert_int_equal(problems.list[i].line, expected[i].line);
    }
    CHECK_REFUSAL(result, &error, LMB_ERROR_FORMAT,
                  "graph: line 1, column 24: weight: 7 is outside 0 to 1; 5 more mistakes");
}

static void problems_past_the_list_are_counted(void **state) {
    (void)state;
    char text[2000];
    char *end = append(text, "{'op':'rest'");
    for (uint32_t i = 0; i < LMB_MAX_GRAPH_PROBLEMS + 8; i++) {
        end += sprintf(end, ",'x%u':0", i);
    }
    append(end, "}");
    lmb_graph_source source = source_of(text);
    source.name = "idle.json";
    lmb_graph_json *graph = NULL;
    static lmb_graph_problems problems;
    lmb_error error = {0};
    lmb_result result = lmb_graph_json_read(&source, NULL, &graph, &problems, &error);
    assert_int_equal(problems.count, LMB_MAX_GRAPH_PROBLEMS + 8);
    assert_string_equal(problems.list[LMB_MAX_GRAPH_PROBLEMS - 1].path, "x31");
    CHECK_REFUSAL(result, &error, LMB_ERROR_FORMAT, "idle.json: line 1, column 14: x0: ", "; 39 more mistakes");
    // The message is also available without the list.
    lmb_error alone = {0};
    result = lmb_graph_json_read(&source, NULL, &graph, NULL, &alone);
    assert_string_equal(alone.message, error.message);
    assert_int_equal(result, LMB_ERROR_FORMAT);
}

static void missing_pointers(void **state) {
    (void)state;
    lmb_graph_json *graph = NULL;
    lmb_error error = {0};
    lmb_graph_source source = source_of("{'op':'rest'}");
    CHECK_REFUSAL(lmb_graph_json_read(NULL, NULL, &graph, NULL, &error), &error, LMB_ERROR_ARGUMENT, "source");
    CHECK_REFUSAL(lmb_graph_json_read(&source, NULL, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT, "result");
    source.rig = NULL;
    CHECK_REFUSAL(lmb_graph_json_read(&source, NULL, &graph, NULL, &error), &error, LMB_ERROR_ARGUMENT, "rig");
    source = source_of("");
    source.text = NULL;
    CHECK_REFUSAL(lmb_graph_json_read(&source, NULL, &graph, NULL, &error), &error, LMB_ERROR_ARGUMENT, "text");
    const lmb_clip *holes[2] = {clips[0], NULL};
    source = source_of("{'op':'rest'}");
    source.clips = holes;
    source.clip_count = 2;
    CHECK_REFUSAL(lmb_graph_json_read(&source, NULL, &graph, NULL, &error), &error, LMB_ERROR_ARGUMENT, "clip 1");
    source.clips = NULL;
    source.clip_count = 0;
    assert_int_equal(lmb_graph_json_read(&source, NULL, &graph, NULL, &error), LMB_OK);
    lmb_graph_json_destroy(graph);
    lmb_graph_json_destroy(NULL);
    source.text = json_text("{'op':'clip','clip':0}");
    source.size = strlen(source.text);
    CHECK_REFUSAL(lmb_graph_json_read(&source, NULL, &graph, NULL, &error), &error, LMB_ERROR_FORMAT,
                  "clip: there are no clips");
}

static lmb_result create_and_destroy(const lmb_host *host, lmb_error *error, void *user) {
    const lmb_graph_source source = source_of(user);
    lmb_graph_json *graph = NULL;
    lmb_result result = lmb_graph_json_read(&source, host, &graph, NULL, error);
    assert_true((result == LMB_OK) == (graph != NULL));
    lmb_graph_json_destroy(graph);
    return result;
}

static void memory_that_is_refused(void **state) {
    (void)state;
    char text[] = "{'op':'additive','weight':{'param':'a'},'base':{'op':'masked','a':{'op':'rest'},'b':{'op':'rest'},"
                  "'mask':{'Head':255}},"
                  "'add':{'op':'clip','clip':'Wave','additive':true,'rate':{'param':'b'}}}";
    failing_host_try_all(create_and_destroy, text);
    char curves[] = BLEND_BY("{'keys':[[0,0],[0.5,1,2],[1,1]]}");
    failing_host_try_all(create_and_destroy, curves);
    char distant[] = "{'op':'rest','lod':{'param':'a'}}";
    failing_host_try_all(create_and_destroy, distant);
    char defined[] = "{'op':'blend','a':{'use':'a'},'b':{'use':'a'},'define':{'a':{'op':'rest','name':'n'}}}";
    failing_host_try_all(create_and_destroy, defined);
    char argued[] = ARGUED("'with':{'clip':'Run'}");
    failing_host_try_all(create_and_destroy, argued);
}

// ---- Graphs of files. ----

#define GRAPH_FILE "graph_test.json"

static lmb_import *import_hips(void) {
    const char *text = json_text("{'asset':{'version':'2.0'},'nodes':[{'name':'Hips'}]}");
    lmb_import *import = NULL;
    lmb_error error = {0};
    if (lmb_import_memory(text, strlen(text), NULL, NULL, NULL, &import, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return import;
}

static void write_graph(const char *text) {
    FILE *file = fopen(GRAPH_FILE, "wb");
    assert_non_null(file);
    fputs(json_text(text), file);
    assert_int_equal(fclose(file), 0);
}

static int remove_graph(void **state) {
    (void)state;
    remove(GRAPH_FILE);
    return 0;
}

static void keep_line(void *user, lmb_log_level level, const char *message) {
    assert_int_equal(level, LMB_LOG_WARNING);
    snprintf(user, 500, "%s", message);
}

static void the_graph_of_a_file_needs_no_import(void **state) {
    (void)state;
    lmb_import *import = import_hips();
    write_graph("{'op':'blend','weight':{'param':'wave'},'a':{'op':'rest'},'b':{'op':'rest'}}");
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    if (lmb_graph_create_from_file(GRAPH_FILE, import, NULL, &graph, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    lmb_import_destroy(import);
    assert_int_equal(lmb_graph_get_info(graph)->joint_count, 1);
    assert_int_equal(lmb_graph_find_parameter(graph, "wave"), 0);
    lmb_graph_destroy(graph);
}

static void warnings_of_a_file_are_logged(void **state) {
    (void)state;
    lmb_import *import = import_hips();
    write_graph("{'op':'machine','states':[\n{'name':'a','pose':{'op':'rest'}},\n{'name':'b','pose':{'op':'rest'}}]}");
    char line[500] = "";
    const lmb_host host = {.log = keep_line, .user = line};
    lmb_graph *graph = NULL;
    assert_int_equal(lmb_graph_create_from_file(GRAPH_FILE, import, &host, &graph, NULL), LMB_OK);
    assert_string_equal(line, GRAPH_FILE ": line 3, column 9: states[1].name: no transitions lead to this state");
    lmb_graph_destroy(graph);
    lmb_import_destroy(import);
}

static void files_that_are_refused(void **state) {
    (void)state;
    lmb_import *import = import_hips();
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    write_graph("{'op':'rest',\n'speed':1}");
    CHECK_REFUSAL(lmb_graph_create_from_file(NULL, import, NULL, &graph, &error), &error, LMB_ERROR_ARGUMENT, "path");
    CHECK_REFUSAL(lmb_graph_create_from_file(GRAPH_FILE, NULL, NULL, &graph, &error), &error, LMB_ERROR_ARGUMENT,
                  "import is NULL");
    CHECK_REFUSAL(lmb_graph_create_from_file(GRAPH_FILE, import, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT,
                  "graph is NULL");
    CHECK_REFUSAL(lmb_graph_create_from_file("nowhere.json", import, NULL, &graph, &error), &error, LMB_ERROR_FILE,
                  "nowhere.json: cannot be opened");
    CHECK_REFUSAL(lmb_graph_create_from_file(".", import, NULL, &graph, &error), &error, LMB_ERROR_FILE, ".: ");
    CHECK_REFUSAL(lmb_graph_create_from_file(GRAPH_FILE, import, NULL, &graph, &error), &error, LMB_ERROR_FORMAT,
                  GRAPH_FILE ": line 2, column 1: speed: ");
    write_graph("");
    CHECK_REFUSAL(lmb_graph_create_from_file(GRAPH_FILE, import, NULL, &graph, &error), &error, LMB_ERROR_FORMAT,
                  GRAPH_FILE ": line 1, column 1");
    assert_null(graph);
    lmb_import_destroy(import);
}

static lmb_result create_from_file(const lmb_host *host, lmb_error *error, void *user) {
    lmb_graph *graph = NULL;
    lmb_result result = lmb_graph_create_from_file(GRAPH_FILE, user, host, &graph, error);
    assert_true((result == LMB_OK) == (graph != NULL));
    lmb_graph_destroy(graph);
    return result;
}

static void memory_for_a_file_that_is_refused(void **state) {
    (void)state;
    lmb_import *import = import_hips();
    write_graph("{'op':'rest'}");
    failing_host_try_all(create_from_file, import);
    lmb_import_destroy(import);
}

static lmb_rig *make_leg(void) {
    static const char *const names[3] = {"thigh", "shin", "foot"};
    lmb_joint_def joints[3] = {lmb_default_joint_def(), lmb_default_joint_def(), lmb_default_joint_def()};
    lmb_rig *leg = NULL;
    for (uint32_t i = 0; i < 3; i++) {
        joints[i].name = names[i];
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
    }
    assert_int_equal(lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = 3}, NULL, &leg, NULL), LMB_OK);
    return leg;
}

// Reads a graph of a leg that may play clips of another leg, "other". Returns NULL if it was refused as expected.
static lmb_graph_json *read_graph_of_leg(const lmb_rig *leg, const char *text, const char *refusal) {
    const lmb_graph_character other = {"other", leg, NULL, 0};
    const lmb_graph_source from = {
        .text = text, .size = strlen(text), .rig = leg, .characters = &other, .character_count = 1};
    lmb_graph_json *json = NULL;
    lmb_error error = {0};
    const lmb_result result = lmb_graph_json_read(&from, NULL, &json, NULL, &error);
    if (refusal != NULL) {
        CHECK_REFUSAL(result, &error, LMB_ERROR_FORMAT, refusal);
        assert_null(json);
    } else {
        assert_int_equal(result, LMB_OK);
    }
    return json;
}

// In JSON a goal is the first retarget in the base, and replaces the target.
static void goals_are_read(void **state) {
    (void)state;
    static const struct {
        const char *members, *base, *refusal;
    } cases[] = {
        {"\"goal\":true", "{\"op\":\"retarget\",\"from\":\"other\",\"pose\":{\"op\":\"rest\"}}", NULL},
        {"\"soften\":1", "{\"op\":\"rest\"}", "or \"goal\""},
        {"\"goal\":true,\"target\":[0,0,0]", "{\"op\":\"rest\"}", "not also \"goal\""},
        {"\"goal\":true", "{\"op\":\"rest\"}", "there is no retarget in the base"},
        {"\"goal\":true", "{\"op\":\"retarget\",\"from\":\"nobody\",\"pose\":{\"op\":\"rest\"}}", "other"},
    };
    lmb_rig *leg = make_leg();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "{\"op\":\"ik-two-bone\",\"start\":\"thigh\",\"mid\":\"shin\",\"end\":\"foot\",%s,\"base\":%s}",
                 cases[i].members, cases[i].base);
        lmb_graph_json *json = read_graph_of_leg(leg, text, cases[i].refusal);
        if (json != NULL) {
            const lmb_graph_def *def = lmb_graph_json_def(json);
            assert_int_equal(def->nodes[def->node_count - 1].goal, def->node_count - 2);
        }
        lmb_graph_json_destroy(json);
    }
    lmb_rig_destroy(leg);
}

// A retarget may be the outermost pose, with what only that has.
static void retargets_are_read(void **state) {
    (void)state;
    static const struct {
        const char *members, *refusal;
    } refused[] = {
        {"\"from\":\"other\"", "\"retarget\" needs the field \"pose\""},
        {"\"from\":\"other\",\"pose\":{\"op\":\"rest\"},\"foot\":\"toe\"", "the rig has no joint"},
        {"\"from\":\"other\",\"pose\":{\"op\":\"rest\"},\"turn\":[0,0,1]", "3 coordinates"},
        {"\"from\":\"other\",\"pose\":{\"op\":\"rest\"},\"joints\":{\"shin\":\"toe\"}", "other has no joint"},
        {"\"from\":\"other\",\"pose\":{\"op\":\"rest\"},\"lod\":1,\"lod\":1", "given twice"},
        {"\"from\":\"other\",\"pose\":{\"op\":\"rest\"},\"foot\":\"shin\",\"foot\":\"shin\"", "given twice"},
        {"\"from\":\"other\",\"pose\":{\"op\":\"rest\"},\"root\":1", "has no such field"},
    };
    lmb_rig *leg = make_leg();
    lmb_graph_json *json = read_graph_of_leg(
        leg,
        "{\"op\":\"retarget\",\"lod\":2,\"from\":\"other\",\"pose\":{\"op\":\"rest\"},\"foot\":\"foot\","
        "\"not-aligned\":[\"shin\"],\"align-above\":0.5,\"scales\":{\"shin\":2,\"foot\":3},\"root-scale\":4,"
        "\"turn\":[0,1,0,0],\"max-lods\":{\"foot\":1}}",
        NULL);
    const lmb_graph_def *def = lmb_graph_json_def(json);
    const lmb_retarget_def *retarget = &def->retargets[0];
    static const uint8_t aligned[3] = {1, 0, 1};
    static const float scales[3] = {1.0f, 2.0f, 3.0f}, turn[4] = {0.0f, 1.0f, 0.0f, 0.0f};
    static const uint32_t joints[3] = {0, 1, 2};
    assert_int_equal(def->retarget_count, 1);
    assert_int_equal(retarget->source_joint_count, 3);
    assert_memory_equal(retarget->joints, joints, sizeof joints);
    assert_memory_equal(retarget->aligned, aligned, sizeof aligned);
    assert_memory_equal(retarget->scales, scales, sizeof scales);
    assert_memory_equal(retarget->turn, turn, sizeof turn);
    assert_float_equal(retarget->align_above, 0.5f, 0.0);
    assert_float_equal(retarget->root_scale, 4.0f, 0.0);
    assert_int_equal(retarget->foot, 2);
    assert_float_equal(def->lod.constant, 2.0f, 0.0);
    assert_int_equal(def->max_lods[2], 1);
    lmb_graph_json_destroy(json);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        char text[400];
        snprintf(text, sizeof text, "{\"op\":\"retarget\",%s}", refused[i].members);
        assert_null(read_graph_of_leg(leg, text, refused[i].refusal));
    }
    lmb_rig_destroy(leg);
}

enum { LEG_TURN, LEG_HALF, LEG_ADDITIVE, LEG_CLIPS }; // the second is a clip of a rig of two joints

// A clip whose joint 1 moves and turns.
static lmb_clip *make_leg_clip(const lmb_rig *of, const char *name, bool additive) {
    static const float times[2] = {0.0f, 1.0f};
    static const float turns[8] = {0.0f, 0.0f, 0.0f, 1.0f, 1.0f, 0.5f, 0.0f, 1.0f};
    static const float moves[6] = {0.0f, 1.0f, 0.0f, 0.5f, 2.0f, -1.0f};
    static const lmb_track_def tracks[] = {{1, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, moves},
                                           {1, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, 2, times, turns}};
    const lmb_clip_def def = {.name = name, .tracks = tracks, .track_count = 2, .additive = additive};
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_clip_create(of, &def, NULL, &clip, NULL), LMB_OK);
    return clip;
}

// Checks that a pose has the bits with which a graph of the clip plays at this time.
static void expect_played(const lmb_rig *leg, const lmb_clip *clip, float time, const lmb_transform *pose) {
    lmb_node_def node = lmb_clip_node(0, lmb_constant(time));
    node.loop = false;
    const lmb_graph_def def = {.rig = leg, .clips = &clip, .clip_count = 1, .nodes = &node, .node_count = 1};
    float played[LMB_POSE_COMPONENTS][3];
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_LOCAL] = played[0]}};
    lmb_graph *graph = NULL;
    lmb_cpu *cpu = NULL;
    assert_int_equal(lmb_graph_create(&def, NULL, &graph, NULL), LMB_OK);
    assert_int_equal(lmb_cpu_create(graph, LMB_CPU_REFERENCE, NULL, &cpu, NULL), LMB_OK);
    const lmb_batch_def batch = {graph, 1, LMB_OUTPUT_LOCAL_BIT};
    assert_int_equal(lmb_cpu_run(cpu, &batch, &(lmb_batch_inputs){0}, &outputs, NULL), LMB_OK);
    for (uint32_t joint = 0; joint < 3; joint++) {
        const float *components = (const float *)&pose[joint];
        for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
            assert_memory_equal(&components[i], &played[i][joint], sizeof(float));
        }
    }
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(graph);
}

// The root motion of a clip inside a retarget is that of a joint of the other character, whose rig has other joints.
static void motion_inside_a_retarget_is_of_the_other_character(void **state) {
    (void)state;
    lmb_joint_def joints[5];
    static const char *const names[5] = {"ground", "Hips", "thigh", "shin", "foot"};
    lmb_rig *leg = make_leg(), *body = NULL;
    lmb_error error = {0};
    for (uint32_t i = 0; i < 5; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].name = names[i];
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
    }
    assert_int_equal(lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = 5}, NULL, &body, NULL), LMB_OK);
    lmb_clip *clip = make_leg_clip(body, "go", false); // moves joint 1 by 0.5, 1, -1
    const lmb_clip *const others[] = {clip};
    const lmb_graph_character other = {"other", body, others, 1};
    lmb_graph_source from = {.rig = leg, .characters = &other, .character_count = 1};
#define INSIDE(motion)                                                                                                 \
    "{\"op\":\"retarget\",\"from\":\"other\",\"pose\":{\"op\":\"clip\",\"clip\":\"go\",\"play\":{\"motion\":" motion   \
    "}}}"
    from.text = INSIDE("{\"joint\":\"Hips\",\"yaw\":false}");
    from.size = strlen(from.text);
    lmb_graph_json *json = NULL;
    assert_int_equal(lmb_graph_json_read(&from, NULL, &json, NULL, &error), LMB_OK);
    const lmb_graph_def *def = lmb_graph_json_def(json);
    const lmb_motion_track *track = def->nodes[0].player->motion;
    assert_non_null(track);
    const float *first = track->keys, *last = track->keys + 4 * (size_t)(track->key_count - 1);
    assert_float_equal(last[0] - first[0], 0.5, 1e-5);
    assert_float_equal(last[2] - first[2], -1.0, 1e-5);
    assert_int_equal(lmb_clip_get_info(def->clips[def->clip_count - 1])->joint_count, 5);
    assert_int_equal(lmb_graph_check(def, &error), LMB_OK);
    lmb_graph_json_destroy(json);
    // A part of a clip of the other character.
    from.text = "{\"op\":\"retarget\",\"from\":\"other\",\"pose\":{\"op\":\"clip\",\"clip\":\"go\",\"to\":0.5}}";
    from.size = strlen(from.text);
    assert_int_equal(lmb_graph_json_read(&from, NULL, &json, NULL, &error), LMB_OK);
    def = lmb_graph_json_def(json);
    assert_true(lmb_clip_get_info(def->clips[1])->joint_count == 5 &&
                lmb_clip_get_info(def->clips[1])->duration == 0.5f);
    assert_true(def->nodes[0].clip.constant == 1.0f);
    lmb_graph_json_destroy(json);
    from.text = INSIDE("{\"joint\":\"toe\"}");
    from.size = strlen(from.text);
    CHECK_REFUSAL(lmb_graph_json_read(&from, NULL, &json, NULL, &error), &error, LMB_ERROR_FORMAT,
                  "motion.joint: other has no joint of this name; there are ground, Hips, thigh, shin, foot");
    lmb_clip_destroy(clip);
    lmb_rig_destroy(body);
    lmb_rig_destroy(leg);
}

// Names that match by chance give a warning; the joints that do not move are named.
static void few_joints_of_a_retarget_give_a_warning(void **state) {
    (void)state;
    static const char text[] = "{\"op\":\"retarget\",\"from\":\"other\",\n\"pose\":{\"op\":\"rest\"}}";
    static const char *const names[6] = {"hip", "knee", "ankle", "ball", "toe", "foot"};
    lmb_joint_def joints[6];
    lmb_rig *leg = make_leg(), *other_leg = NULL;
    lmb_error error = {0};
    for (uint32_t i = 0; i < 6; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].name = names[i];
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
    }
    assert_int_equal(lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = 6}, NULL, &other_leg, NULL),
                     LMB_OK);
    for (uint32_t few = 0; few < 2; few++) {
        const lmb_graph_character other = {"other", few ? other_leg : leg, NULL, 0};
        const lmb_graph_source from = {
            .text = text, .size = sizeof text - 1, .rig = leg, .characters = &other, .character_count = 1};
        lmb_graph_json *json = NULL;
        assert_int_equal(lmb_graph_json_read(&from, NULL, &json, NULL, &error), LMB_OK);
        assert_int_equal(lmb_graph_json_warning_count(json), few);
        if (few) {
            const lmb_graph_problem *warning = lmb_graph_json_warning_at(json, 0);
            assert_string_equal(warning->message, "only 1 of 3 joints have the name of a joint of other: give "
                                                  "\"joints\"; without motion are thigh, shin");
            assert_int_equal(warning->line, 1);
        }
        lmb_graph_json_destroy(json);
    }
    lmb_rig_destroy(other_leg);
    lmb_rig_destroy(leg);
}

static void other_characters_have_names_of_their_own(void **state) {
    (void)state;
    static const char text[] = "{\"op\":\"retarget\",\"from\":\"other\",\"pose\":{\"op\":\"rest\"}}";
    lmb_rig *leg = make_leg();
    const lmb_graph_character others[] = {{"other", leg, NULL, 0}, {"third", leg, NULL, 0}, {"other", leg, NULL, 0}};
    lmb_graph_source from = {
        .text = text, .size = sizeof text - 1, .rig = leg, .characters = others, .character_count = 3};
    lmb_graph_json *json = NULL;
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_graph_json_read(&from, NULL, &json, NULL, &error), &error, LMB_ERROR_ARGUMENT,
                  "two characters have the name 'other'");
    from.character_count = 0;
    CHECK_REFUSAL(lmb_graph_json_read(&from, NULL, &json, NULL, &error), &error, LMB_ERROR_FORMAT,
                  "from: no other character is given (--character NAME=FILE of the programs)");
    lmb_rig_destroy(leg);
}

// Reference poses of a retarget are clips at a time, each of its own character, or static poses.
static void reference_poses_are_read(void **state) {
    (void)state;
    static const struct {
        const char *members, *refusal;
    } cases[] = {
        {"\"source-pose\":{\"clip\":\"walk\"}", "turn"},
        {"\"target-pose\":{\"clip\":\"turn\"}", "bend"},
        {"\"source-pose\":{\"clip\":\"half\"}", "source-pose: this clip has 2 joints, and the rig 3"},
        {"\"source-pose\":{\"clip\":\"add\"}", "source-pose: this clip is an additive, and has no pose"},
        {"\"source-pose\":{\"time\":0}", "needs the field \"clip\""},
        {"\"source-pose\":{\"clip\":\"turn\",\"time\":-1}", "source-pose.time: -1 is outside"},
        {"\"source-pose\":{\"clip\":\"turn\",\"at\":1}", "has no such field"},
        {"\"source-pose\":{\"clip\":7}", "a string"},
        {"\"source-pose\":7", "an object"},
        {"\"source-pose\":\"none\"", "no static pose of this name"},
        {"\"target-pose\":\"short\"", "target-pose: this static pose has 2 joints, and the rig 3"},
        {"\"target-pose\":\"still\",\"target-pose\":\"still\"", "given twice"},
        {"\"pose\":{\"op\":\"additive\",\"base\":{\"op\":\"clip\",\"clip\":\"turn\"},\"add\":{\"op\":\"clip\",\"clip\":"
         "\"add\"}}",
         "pose.add: an additive, and only poses have a place in model space"},
        {"\"pose\":{\"op\":\"clip\",\"clip\":\"add\"}", "make additives of retargeted poses"},
        {"\"pose\":{\"op\":\"clip\",\"clip\":\"turn\",\"additive\":true}",
         "an additive, and only poses have a place in model space"},
        {"\"pose\":{\"op\":\"additive\",\"base\":{\"op\":\"clip\",\"clip\":\"turn\"},\"add\":{\"op\":\"clip\",\"clip\":"
         "\"turn\",\"additive\":true,\"reference\":{\"op\":\"rest\"}}}",
         NULL},
        {"\"source-pose\":{\"clip\":\"turn\",\"time\":0.25},\"target-pose\":{\"clip\":\"bend\",\"time\":9}", NULL},
        {"\"target-pose\":\"still\"", NULL},
    };
    lmb_rig *leg = make_leg(), *half = NULL;
    lmb_joint_def joints[2] = {lmb_default_joint_def(), lmb_default_joint_def()};
    joints[1].parent = 0;
    assert_int_equal(lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = 2}, NULL, &half, NULL), LMB_OK);
    lmb_clip *turn = make_leg_clip(leg, "turn", false), *short_clip = make_leg_clip(half, "half", false);
    lmb_clip *additive = make_leg_clip(leg, "add", true), *bend = make_leg_clip(leg, "bend", false);
    const lmb_clip *const others[LEG_CLIPS] = {turn, short_clip, additive}, *const own[1] = {bend};
    const lmb_transform still[3] = {lmb_transform_identity(), lmb_transform_identity(), lmb_transform_identity()};
    const lmb_static_pose_def poses[2] = {{"still", still, 3, NULL}, {"short", still, 2, NULL}};
    const lmb_graph_character other = {"other", leg, others, LEG_CLIPS};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[400];
        snprintf(text, sizeof text, "{\"op\":\"retarget\",\"from\":\"other\",%s%s}", cases[i].members,
                 strstr(cases[i].members, "\"pose\"") == NULL ? ",\"pose\":{\"op\":\"rest\"}" : "");
        const lmb_graph_source from = {.text = text,
                                       .size = strlen(text),
                                       .rig = leg,
                                       .clips = own,
                                       .clip_count = 1,
                                       .static_poses = poses,
                                       .static_pose_count = 2,
                                       .characters = &other,
                                       .character_count = 1};
        lmb_graph_json *json = NULL;
        lmb_error error = {0};
        const lmb_result result = lmb_graph_json_read(&from, NULL, &json, NULL, &error);
        if (cases[i].refusal != NULL) {
            CHECK_REFUSAL(result, &error, LMB_ERROR_FORMAT, cases[i].refusal);
            continue;
        }
        if (result != LMB_OK) {
            fail_msg("%s: %s", text, error.message);
        }
        const lmb_graph_def *def = lmb_graph_json_def(json);
        const lmb_retarget_def *retarget = &def->retargets[0];
        if (strstr(text, "source-pose") != NULL) {
            expect_played(leg, turn, 0.25f, retarget->source_pose);
            expect_played(leg, bend, 1.0f, retarget->target_pose);
            assert_int_equal(def->clip_count, 1); // a reference is not played
        } else {
            assert_null(retarget->source_pose);
            assert_true(retarget->target_pose == (strstr(text, "target-pose") != NULL ? still : NULL));
        }
        lmb_graph *graph = NULL;
        assert_int_equal(lmb_graph_create(def, NULL, &graph, NULL), LMB_OK);
        lmb_graph_destroy(graph);
        lmb_graph_json_destroy(json);
    }
    lmb_clip_destroy(turn);
    lmb_clip_destroy(short_clip);
    lmb_clip_destroy(additive);
    lmb_clip_destroy(bend);
    lmb_rig_destroy(half);
    lmb_rig_destroy(leg);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources),
        cmocka_unit_test(blends),
        cmocka_unit_test(weighted_inputs),
        cmocka_unit_test(curves_of_any_number),
        cmocka_unit_test(every_curve),
        cmocka_unit_test(curves_of_its_own),
        cmocka_unit_test(equal_curves_are_one),
        cmocka_unit_test(additives),
        cmocka_unit_test(parts_of_clips),
        cmocka_unit_test(additives_of_another_form_are_refused),
        cmocka_unit_test(an_axis_along_the_bone_gives_a_warning),
        cmocka_unit_test(numbers_that_are_meant_otherwise_give_a_warning),
        cmocka_unit_test(layers),
        cmocka_unit_test(spaces),
        cmocka_unit_test(masks),
        cmocka_unit_test(mirrors),
        cmocka_unit_test(partners_that_differ_give_a_warning),
        cmocka_unit_test(a_rest_that_is_turned_gives_a_warning),
        cmocka_unit_test(a_trunk_that_is_turned_gives_a_warning),
        cmocka_unit_test(combined),
        cmocka_unit_test(limits),
        cmocka_unit_test(channels),
        cmocka_unit_test(inverse_kinematics),
        cmocka_unit_test(goals_are_read),
        cmocka_unit_test(retargets_are_read),
        cmocka_unit_test(motion_inside_a_retarget_is_of_the_other_character),
        cmocka_unit_test(few_joints_of_a_retarget_give_a_warning),
        cmocka_unit_test(other_characters_have_names_of_their_own),
        cmocka_unit_test(reference_poses_are_read),
        cmocka_unit_test(foot_placement),
        cmocka_unit_test(twists),
        cmocka_unit_test(chains),
        cmocka_unit_test(lods),
        cmocka_unit_test(streamed_clips),
        cmocka_unit_test(parameters),
        cmocka_unit_test(the_callers_environment_changes_nothing),
        cmocka_unit_test(definitions_of_files),
        cmocka_unit_test(includes_that_are_refused),
        cmocka_unit_test(arguments_of_files),
        cmocka_unit_test(memory_for_includes_that_is_refused),
        cmocka_unit_test(names_and_comments_are_kept),
        cmocka_unit_test(aliases_stand_for_names),
        cmocka_unit_test(aliases_that_are_refused),
        cmocka_unit_test(memory_for_aliases_that_is_refused),
        cmocka_unit_test(definitions_are_shared),
        cmocka_unit_test(definitions_have_arguments),
        cmocka_unit_test(nodes_have_places),
        cmocka_unit_test(places_are_not_shortened),
        cmocka_unit_test(copies_are_no_names),
        cmocka_unit_test(arguments_of_the_same_value_give_one_node),
        cmocka_unit_test(arguments_that_nothing_uses_give_a_warning),
        cmocka_unit_test(deep_definitions),
        cmocka_unit_test(long_ways_through_definitions),
        cmocka_unit_test(arguments_have_limits),
        cmocka_unit_test(malformed_texts),
        cmocka_unit_test(poses_inside_each_other),
        cmocka_unit_test(long_paths_keep_their_end),
        cmocka_unit_test(inputs_have_a_limit),
        cmocka_unit_test(spaces_take_more_inputs),
        cmocka_unit_test(operations_have_a_limit),
        cmocka_unit_test(parameters_have_a_limit),
        cmocka_unit_test(all_problems_are_reported),
        cmocka_unit_test(problems_past_the_list_are_counted),
        cmocka_unit_test(missing_pointers),
        cmocka_unit_test(memory_that_is_refused),
        cmocka_unit_test_teardown(the_graph_of_a_file_needs_no_import, remove_graph),
        cmocka_unit_test_teardown(warnings_of_a_file_are_logged, remove_graph),
        cmocka_unit_test_teardown(files_that_are_refused, remove_graph),
        cmocka_unit_test_teardown(memory_for_a_file_that_is_refused, remove_graph),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
