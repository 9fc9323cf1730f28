// Poses and additives: which types each operation accepts and returns, and the result of additives without a pose
// below.
#include "suite.h"

#include <limber/additive.h>
#include <limber/cpu.h>

#include <stdio.h>
#include <string.h>

enum { JOINTS = 3, CLIPS = 2, POSE_CLIP = 0, ADDITIVE_CLIP = 1 };

typedef struct world {
    lmb_rig *rig;
    lmb_clip *clips[CLIPS];
    lmb_node_def nodes[16];
    uint32_t node_count;
} world;

static const lmb_channel_def channel = {.name = "blink", .rest = 0.75f};

static void start(world *w) {
    *w = (world){0};
    lmb_joint_def joints[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
        joints[i].rest.translation[1] = 2.0f;
        joints[i].rest.rotation[0] = 0.6f;
        joints[i].rest.rotation[3] = 0.8f;
    }
    const lmb_rig_def def = {.joints = joints, .joint_count = JOINTS, .channels = &channel, .channel_count = 1};
    assert_int_equal(lmb_rig_create(&def, NULL, &w->rig, NULL), LMB_OK);
    static const float time = 0.0f, up[] = {0.0f, 1.0f, 0.0f};
    const lmb_track_def track = {.joint = 1, .key_count = 1, .times = &time, .values = up};
    for (uint32_t i = 0; i < CLIPS; i++) {
        const lmb_clip_def clip = {
            .name = "a", .tracks = &track, .track_count = 1, .duration = 1.0f, .additive = i == ADDITIVE_CLIP};
        assert_int_equal(lmb_clip_create(w->rig, &clip, NULL, &w->clips[i], NULL), LMB_OK);
    }
}

static void end(world *w) {
    for (uint32_t i = 0; i < CLIPS; i++) {
        lmb_clip_destroy(w->clips[i]);
    }
    lmb_rig_destroy(w->rig);
}

// Adds a node with the inputs up to the first LMB_NONE.
static uint32_t add(world *w, lmb_op op, uint32_t first, uint32_t second, uint32_t third) {
    const uint32_t inputs[] = {first, second, third};
    lmb_node_def *node = &w->nodes[w->node_count];
    *node = lmb_default_node_def();
    node->op = op;
    node->mask = op == LMB_OP_MASKED ? 0 : LMB_NONE;
    for (uint32_t i = 0; i < 3 && inputs[i] != LMB_NONE; i++) {
        node->inputs[node->input_count++] = inputs[i];
    }
    return w->node_count++;
}

static uint32_t add_clip(world *w, uint32_t clip) {
    const uint32_t node = add(w, LMB_OP_CLIP, LMB_NONE, LMB_NONE, LMB_NONE);
    w->nodes[node].clip = clip < CLIPS ? lmb_constant((float)clip) : lmb_parameter(0);
    return node;
}

static lmb_graph_def def_of(const world *w) {
    static const uint32_t partners[JOINTS] = {0, 1, 2};
    static const lmb_mirror_def mirror = {.axis = LMB_AXIS_X, .partners = partners};
    static const lmb_joint_limit_def limits[JOINTS];
    static const lmb_joint_limit_def *const rows[] = {limits};
    static const uint8_t mask[JOINTS + 1] = {255, 255, 255, 255};
    static const uint8_t *const masks[] = {mask};
    static const uint32_t joints[JOINTS] = {LMB_NONE, 1, 2};
    static const lmb_joint_map_def part = {joints, JOINTS};
    return (lmb_graph_def){.rig = w->rig,
                           .clips = (const lmb_clip *const *)w->clips,
                           .clip_count = CLIPS,
                           .masks = masks,
                           .mask_count = 1,
                           .nodes = w->nodes,
                           .node_count = w->node_count,
                           .parameter_count = 1,
                           .mirrors = &mirror,
                           .mirror_count = 1,
                           .joint_limits = rows,
                           .joint_limits_count = 1,
                           .joint_maps = &part,
                           .joint_map_count = 1};
}

static bool is_taken(const world *w, lmb_error *error) {
    const lmb_graph_def def = def_of(w);
    const lmb_result result = lmb_graph_check(&def, error);
    assert_true(result == LMB_OK || result == LMB_ERROR_ARGUMENT);
    return result == LMB_OK;
}

// Returns whether a node can be a pose, which can be clamped, and an additive, which can be added to the rest pose.
static char type_of(world *w, uint32_t node) {
    lmb_error error;
    const uint32_t count = w->node_count;
    add(w, LMB_OP_CLAMP, node, LMB_NONE, LMB_NONE);
    const bool is_pose = is_taken(w, &error);
    w->node_count = count;
    add(w, LMB_OP_ADDITIVE, add(w, LMB_OP_REST, LMB_NONE, LMB_NONE, LMB_NONE), node, LMB_NONE);
    const bool is_additive = is_taken(w, &error);
    w->node_count = count;
    return is_pose && is_additive ? 'e' : is_pose ? 'p' : is_additive ? 'a' : '-';
}

// Adds a leaf of this type: a pose, an additive, or either.
static uint32_t add_leaf(world *w, char type) {
    return type == 'e' ? add(w, LMB_OP_POSE, LMB_NONE, LMB_NONE, LMB_NONE)
                       : add_clip(w, type == 'p' ? POSE_CLIP : ADDITIVE_CLIP);
}

static void what_each_operation_takes_and_gives(void **state) {
    (void)state;
    static const struct {
        lmb_op op;
        const char *rules; // input types, then the result or - for a refusal, repeated
    } rows[] = {{LMB_OP_BLEND, "pp:p aa:a ee:e pe:p ea:a pa:- ap:-"},
                {LMB_OP_MASKED, "pp:p aa:a ee:e pe:p ea:a pa:- ap:-"},
                {LMB_OP_PARTIAL, "pp:p aa:a ee:e pe:p ea:a pa:- ap:-"},
                {LMB_OP_WEIGHTED, "pp:p aaa:a eee:e epe:p eea:a eap:- epa:-"},
                {LMB_OP_LAYERS, "pp:p aaa:a eee:e epe:p eea:a eap:- epa:-"},
                {LMB_OP_COMBINE, "p:p a:a e:e pp:p aa:a pa:-"},
                {LMB_OP_SPACE1D, "ppp:p aaa:a ee:e epa:-"},
                {LMB_OP_SPACE2D, "ppp:p aaa:a eee:e ppa:-"},
                {LMB_OP_MAKE_ADDITIVE, "pp:a aa:a ee:a pe:a pa:- ap:-"},
                {LMB_OP_ADDITIVE, "pa:p pe:p aa:a ea:e pp:- ap:- ep:-"},
                {LMB_OP_MIRROR, "p:p a:a e:e"},
                {LMB_OP_CLAMP, "p:p e:p a:-"},
                {LMB_OP_SCALE, "p:p a:a e:e"},
                {LMB_OP_ADD, "pp:p pa:p ap:p aa:a pe:p ea:e ee:e"},
                {LMB_OP_SUBTRACT, "pp:a pa:p ap:a aa:a pe:e ee:e"},
                {LMB_OP_SUBTRACT_SCALE_ADD, "ppp:p ppa:a aap:p aaa:a paa:p"}};
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        for (const char *rule = rows[row].rules; *rule != '\0'; rule += *rule == ' ') {
            world w;
            start(&w);
            uint32_t inputs[3] = {LMB_NONE, LMB_NONE, LMB_NONE};
            for (uint32_t i = 0; *rule != ':'; i++, rule++) {
                inputs[i] = add_leaf(&w, *rule);
            }
            const uint32_t node = add(&w, rows[row].op, inputs[0], inputs[1], inputs[2]);
            for (uint32_t i = 0; i < 3; i++) {
                w.nodes[node].positions[i][0] = (float)i;
                w.nodes[node].positions[i][1] = (float)(i * i);
            }
            lmb_error error = {0};
            const char found = is_taken(&w, &error) ? type_of(&w, node) : '-';
            if (found != rule[1]) {
                fail_msg("%s gives %c, not %c at \"%s\": %s", lmb_op_name(rows[row].op), found, rule[1], rule,
                         error.message);
            }
            rule += 2;
            end(&w);
        }
    }
}

static void messages_name_the_node_and_the_input(void **state) {
    (void)state;
    static const struct {
        lmb_op op;
        char inputs[3];
        const char *message;
    } rows[] = {
        {LMB_OP_ADDITIVE,
         {'p', 'p'},
         "(additive): inputs[1]: a pose; what is added is an additive, such as a make-additive"},
        {LMB_OP_LAYERS, {'e', 'p', 'a'}, "(layers): inputs[2]: an additive, where the inputs before it are poses"},
        {LMB_OP_BLEND, {'a', 'p'}, "(blend): inputs[1]: a pose, where the inputs before it are additives"},
        {LMB_OP_CLAMP, {'a'}, "(clamp): inputs[0]: an additive, and joint limits are those of poses"}};
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        world w;
        start(&w);
        uint32_t inputs[3] = {LMB_NONE, LMB_NONE, LMB_NONE};
        for (uint32_t i = 0; i < 3 && rows[row].inputs[i] != '\0'; i++) {
            inputs[i] = add_leaf(&w, rows[row].inputs[i]);
        }
        add(&w, rows[row].op, inputs[0], inputs[1], inputs[2]);
        char expected[200];
        snprintf(expected, sizeof expected, "graph: node %u %s", (unsigned)w.node_count - 1, rows[row].message);
        lmb_error error = {0};
        assert_false(is_taken(&w, &error));
        assert_string_equal(error.message, expected);
        end(&w);
    }
}

// A parameter chooses between clips of both types.
static void a_chosen_clip_is_either(void **state) {
    (void)state;
    world w;
    start(&w);
    assert_int_equal(type_of(&w, add_clip(&w, CLIPS)), 'e');
    assert_int_equal(type_of(&w, add_clip(&w, POSE_CLIP)), 'p');
    assert_int_equal(type_of(&w, add_clip(&w, ADDITIVE_CLIP)), 'a');
    lmb_clip_destroy(w.clips[POSE_CLIP]);
    w.clips[POSE_CLIP] = w.clips[ADDITIVE_CLIP];
    assert_int_equal(type_of(&w, add_clip(&w, CLIPS)), 'a');
    w.clips[POSE_CLIP] = NULL;
    end(&w);
}

static void check_clip(const lmb_clip *clip, bool additive) {
    size_t size;
    const void *block = lmb_clip_block(clip, &size);
    lmb_clip *opened = NULL;
    assert_int_equal(lmb_clip_get_info(clip)->is_additive, additive);
    assert_int_equal(lmb_clip_open(block, size, NULL, &opened, NULL), LMB_OK);
    assert_int_equal(lmb_clip_get_info(opened)->is_additive, additive);
    lmb_clip_destroy(opened);
}

static void a_clip_keeps_its_type(void **state) {
    (void)state;
    world w;
    start(&w);
    lmb_clip *difference = NULL;
    assert_int_equal(
        lmb_clip_make_additive(w.rig, w.clips[POSE_CLIP], &(lmb_clip_additive_def){0}, NULL, &difference, NULL),
        LMB_OK);
    check_clip(difference, true);
    lmb_clip_destroy(difference);
    for (uint32_t i = 0; i < CLIPS; i++) {
        lmb_clip *packed = NULL;
        check_clip(w.clips[i], i == ADDITIVE_CLIP);
        assert_int_equal(lmb_clip_compress(w.rig, w.clips[i], NULL, NULL, &packed, NULL, NULL), LMB_OK);
        check_clip(packed, i == ADDITIVE_CLIP);
        lmb_clip_destroy(packed);
    }
    size_t size;
    uint32_t words[1024];
    lmb_clip *opened = NULL;
    lmb_error error;
    const void *block = lmb_clip_block(w.clips[POSE_CLIP], &size);
    assert_true(size <= sizeof words);
    memcpy(words, block, size);
    words[19] = 2;
    assert_int_equal(lmb_clip_open(words, size, NULL, &opened, &error), LMB_ERROR_FORMAT);
    assert_string_equal(error.message, "clip block: word 19: it is neither 0 nor 1");
    end(&w);
}

// Runs the nodes on every path and compares the local transforms and the channel.
static void expect_pose(const world *w, const lmb_transform *expected, float blink) {
    const lmb_graph_def def = def_of(w);
    lmb_graph *program = NULL;
    lmb_error error;
    if (lmb_graph_create(&def, NULL, &program, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    for (int path = 0; path < LMB_CPU_PATH_COUNT; path++) {
        lmb_cpu *cpu = NULL;
        if (!lmb_cpu_has((lmb_cpu_path)path)) {
            continue;
        }
        assert_int_equal(lmb_cpu_create(program, (lmb_cpu_path)path, NULL, &cpu, NULL), LMB_OK);
        const lmb_batch_def batch = {program, 1, LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_CHANNELS_BIT};
        const float parameter = 0.0f;
        float local[LMB_POSE_COMPONENTS * JOINTS + 1], channels[1];
        const lmb_batch_inputs inputs = {.parameters = &parameter};
        const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_LOCAL] = local, [LMB_OUTPUT_CHANNELS] = channels}};
        assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
        for (uint32_t i = 0; i < LMB_POSE_COMPONENTS * JOINTS; i++) {
            float values[LMB_POSE_COMPONENTS];
            memcpy(values, &expected[i % JOINTS], sizeof values);
            assert_float_equal(local[i], values[i / JOINTS], 1e-6f);
        }
        assert_float_equal(channels[0], blink, 1e-6f);
        lmb_cpu_destroy(cpu);
    }
    lmb_graph_destroy(program);
}

static const lmb_transform none = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};

// Below layers of additives there is no change, so half a layer is half of its additive.
static void below_additives_is_no_change(void **state) {
    (void)state;
    lmb_transform expected[JOINTS] = {none, none, none};
    world w;
    start(&w);
    expected[1].translation[1] = 0.5f;
    uint32_t clip = add_clip(&w, ADDITIVE_CLIP);
    uint32_t layers = add(&w, LMB_OP_LAYERS, clip, clip, LMB_NONE);
    w.nodes[layers].weights[0] = lmb_constant(0.25f);
    w.nodes[layers].weights[1] = lmb_constant(0.25f);
    expect_pose(&w, expected, 0.0f);
    // With masks.
    w.nodes[layers].masks[0] = w.nodes[layers].masks[1] = 0;
    expect_pose(&w, expected, 0.0f);
    // Added to a pose.
    lmb_transform raised[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        raised[i] = lmb_rig_get_def(w.rig)->joints[i].rest;
    }
    raised[1].translation[1] += 0.5f;
    add(&w, LMB_OP_ADDITIVE, add(&w, LMB_OP_REST, LMB_NONE, LMB_NONE, LMB_NONE), layers, LMB_NONE);
    expect_pose(&w, raised, 0.75f);
    // All weights are 0.
    w.node_count = 1;
    layers = add(&w, LMB_OP_WEIGHTED, clip, clip, LMB_NONE);
    w.nodes[layers].weights[0] = w.nodes[layers].weights[1] = lmb_constant(0.0f);
    expected[1].translation[1] = 0.0f;
    expect_pose(&w, expected, 0.0f);
    // Joints of no joint map, and float channels, which no joint map has.
    w.node_count = 1;
    w.nodes[add(&w, LMB_OP_COMBINE, clip, LMB_NONE, LMB_NONE)].joint_maps[0] = 0;
    expected[1].translation[1] = 1.0f;
    expect_pose(&w, expected, 0.0f);
    end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_each_operation_takes_and_gives),
        cmocka_unit_test(messages_name_the_node_and_the_input),
        cmocka_unit_test(a_chosen_clip_is_either),
        cmocka_unit_test(a_clip_keeps_its_type),
        cmocka_unit_test(below_additives_is_no_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
