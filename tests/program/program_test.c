// Programs: validation and printing.
#include "failing_host.h"
#include "refusal.h"
#include "scene.h"

#include <limber/cpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 4 };

// A valid program, of which each test breaks one thing. Nodes 0 to 9 use every operation.
typedef struct recipe {
    lmb_rig *rig;
    lmb_clip *clip;
    const lmb_clip *clips[2];
    uint8_t mask[JOINTS];
    const uint8_t *masks[2];
    lmb_node_def nodes[16];
    lmb_graph_def def;
} recipe;

enum { REST, CLIP, POSE_0, POSE_1, BLEND, MASKED, WEIGHTED, DIFFERENCE, ADDITIVE, NODES };

static lmb_clip *clip_of(const lmb_rig *rig) {
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_clip_create(rig, &(lmb_clip_def){.name = "still"}, NULL, &clip, NULL), LMB_OK);
    return clip;
}

static void set_inputs(lmb_node_def *node, lmb_op op, uint32_t first, uint32_t second) {
    node->op = op;
    node->inputs[0] = first;
    node->inputs[1] = second;
    node->input_count = 2;
}

static void start(recipe *r) {
    memset(r, 0, sizeof *r);
    r->rig = scene_rig(JOINTS, SCENE_CHAIN, 80);
    r->clip = clip_of(r->rig);
    r->clips[0] = r->clips[1] = r->clip;
    r->masks[0] = r->masks[1] = r->mask;
    for (uint32_t i = 0; i < 16; i++) {
        r->nodes[i] = lmb_default_node_def();
    }
    r->nodes[CLIP].op = LMB_OP_CLIP;
    r->nodes[CLIP].clip = lmb_parameter(2);
    r->nodes[CLIP].time = lmb_parameter(0);
    r->nodes[POSE_0].op = r->nodes[POSE_1].op = LMB_OP_POSE;
    r->nodes[POSE_1].pose = 1;
    set_inputs(&r->nodes[BLEND], LMB_OP_BLEND, REST, CLIP);
    r->nodes[BLEND].weight = lmb_parameter(1);
    set_inputs(&r->nodes[MASKED], LMB_OP_MASKED, BLEND, POSE_0);
    r->nodes[MASKED].mask = 1;
    set_inputs(&r->nodes[WEIGHTED], LMB_OP_WEIGHTED, MASKED, POSE_1);
    r->nodes[WEIGHTED].weights[0] = lmb_constant(1.0f);
    r->nodes[WEIGHTED].weights[1] = lmb_parameter(1);
    set_inputs(&r->nodes[DIFFERENCE], LMB_OP_MAKE_ADDITIVE, POSE_1, POSE_0);
    set_inputs(&r->nodes[ADDITIVE], LMB_OP_ADDITIVE, WEIGHTED, DIFFERENCE);
    r->def = (lmb_graph_def){.rig = r->rig,
                             .clips = r->clips,
                             .clip_count = 2,
                             .masks = r->masks,
                             .mask_count = 2,
                             .nodes = r->nodes,
                             .node_count = NODES,
                             .parameter_count = 3};
}

static void end(recipe *r) {
    lmb_clip_destroy(r->clip);
    lmb_rig_destroy(r->rig);
}

static lmb_graph *created(const recipe *r) {
    lmb_graph *program = NULL;
    lmb_error error = {0};
    if (lmb_graph_create(&r->def, NULL, &program, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return program;
}

#define CHECK_REFUSED(r, expected, ...)                                                                                \
    do {                                                                                                               \
        lmb_graph *none = NULL;                                                                                        \
        lmb_error refusal = {0};                                                                                       \
        CHECK_REFUSAL(lmb_graph_create(&(r)->def, NULL, &none, &refusal), &refusal, expected, __VA_ARGS__);            \
        assert_null(none);                                                                                             \
    } while (0)

static void a_node_starts_at_rest(void **state) {
    (void)state;
    const lmb_node_def node = lmb_default_node_def();
    assert_int_equal(node.op, LMB_OP_REST);
    assert_int_equal(node.input_count, 0);
    assert_int_equal(node.weight.curve, LMB_CURVE_LINEAR);
    assert_true(node.weight.kind == LMB_VALUE_CONSTANT && node.weight.constant == 1.0f);
    assert_true(node.clip.kind == LMB_VALUE_CONSTANT && node.clip.constant == 0.0f);
    assert_true(node.time.kind == LMB_VALUE_CONSTANT && node.time.constant == 0.0f);
    assert_true(node.rate.kind == LMB_VALUE_CONSTANT && node.rate.constant == 1.0f);
    assert_true(node.offset.kind == LMB_VALUE_CONSTANT && node.offset.constant == 0.0f);
    assert_false(node.loop);
}

typedef struct printed {
    char text[4000];
    size_t length;
} printed;

static void append_line(void *user, const char *line) {
    printed *so_far = user;
    so_far->length +=
        (size_t)snprintf(so_far->text + so_far->length, sizeof so_far->text - so_far->length, "%s\n", line);
}

static void a_program_is_printed(void **state) {
    (void)state;
    recipe r;
    start(&r);
    r.nodes[CLIP].rate = lmb_constant(1.5f);
    r.nodes[CLIP].loop = true;
    r.nodes[MASKED].weight.curve = LMB_CURVE_UNIFORM_S;
    lmb_graph *program = created(&r);
    printed p = {0};
    lmb_graph_print(program, append_line, &p);
    assert_string_equal(p.text, "   0  s0   weighted begin\n"
                                "   1  s2   rest\n"
                                "   2  s3   clip           clip p2, time p0, rate 1.5, offset 0, looped\n"
                                "   3  s2   blend          s2 s3, weight p1\n"
                                "   4  s3   pose           buffer 0\n"
                                "   5  s2   masked         s2 s3, weight 1 uniform-s, mask 1\n"
                                "   6  s0   weighted add   s0 s1 s2, weight 1\n"
                                "   7  s2   pose           buffer 1\n"
                                "   8  s0   weighted add   s0 s1 s2, weight p1\n"
                                "   9  s0   weighted end   s0 s1\n"
                                "  10  s1   pose           buffer 1\n"
                                "  11  s2   pose           buffer 0\n"
                                "  12  s1   make_additive  s1 s2\n"
                                "  13  s0   additive       s0 s1, weight 1\n");
    p = (printed){0};
    static const lmb_parameter_def names[] = {{.name = "seconds"}, {.name = "speed"}, {.name = "gait"}};
    r.def.parameters = names;
    lmb_graph *named = created(&r);
    lmb_graph_print(named, append_line, &p);
    lmb_graph_destroy(named);
    assert_non_null(strstr(p.text, "clip gait, time seconds, rate 1.5"));
    assert_non_null(strstr(p.text, "s2 s3, weight speed\n"));
    lmb_graph_destroy(program);
    end(&r);
}

static void layers_are_printed(void **state) {
    (void)state;
    recipe r;
    start(&r);
    lmb_node_def *layers = &r.nodes[NODES - 1];
    set_inputs(layers, LMB_OP_LAYERS, CLIP, REST);
    layers->priorities[1] = 4;
    layers->masks[1] = 1;
    layers->weights[0] = lmb_parameter(1);
    lmb_graph *program = created(&r);
    printed p = {0};
    lmb_graph_print(program, append_line, &p);
    assert_string_equal(p.text,
                        "   0  s0   mean begin\n"
                        "   1  s2   clip           clip p2, time p0, clamped\n"
                        "   2  s0   mean add       s0 s1 s2, fade p1, layer 1 from above, nlerp, by joint\n"
                        "   3  s2   rest\n"
                        "   4  s0   mean add       s0 s1 s2, fade 1, layer 0 from above, mask 1, nlerp, by joint\n"
                        "   5  s2   rest\n"
                        "   6  s0   mean add       s0 s1 s2, what is left, nlerp, by joint\n"
                        "   7  s0   mean end       s0 s1\n");
    lmb_graph_destroy(program);
    end(&r);
}

static void a_descriptor_is_checked_alone(void **state) {
    (void)state;
    recipe r;
    lmb_error error = {0};
    start(&r);
    assert_int_equal(lmb_graph_check(&r.def, &error), LMB_OK);
    r.nodes[CLIP].offset = lmb_parameter(3);
    CHECK_REFUSAL(lmb_graph_check(&r.def, &error), &error, LMB_ERROR_ARGUMENT, "node 1 (clip)", "offset");
    CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "node 1 (clip)", "offset");
    r.nodes[CLIP].rate = lmb_constant(INFINITY);
    CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "node 1 (clip)", "rate");
    CHECK_REFUSAL(lmb_graph_check(NULL, &error), &error, LMB_ERROR_ARGUMENT, "descriptor");
    end(&r);
}

static void a_program_reports_what_it_is(void **state) {
    (void)state;
    recipe r;
    start(&r);
    lmb_graph *program = created(&r);
    end(&r); // it keeps neither rig nor clips
    assert_int_equal(lmb_graph_get_info(program)->joint_count, JOINTS);
    assert_int_equal(lmb_graph_get_info(program)->parameter_count, 3);
    assert_int_equal(lmb_graph_get_info(program)->pose_count, 2);
    lmb_graph_destroy(program);
    lmb_graph_destroy(NULL);
}

static void poses_are_counted_by_the_largest_used(void **state) {
    (void)state;
    recipe r;
    start(&r);
    r.def.node_count = 1;
    lmb_graph *program = created(&r);
    assert_int_equal(lmb_graph_get_info(program)->pose_count, 0);
    lmb_graph_destroy(program);
    r.nodes[0].op = LMB_OP_POSE;
    r.nodes[0].pose = LMB_MAX_POSES - 1;
    program = created(&r);
    assert_int_equal(lmb_graph_get_info(program)->pose_count, LMB_MAX_POSES);
    lmb_graph_destroy(program);
    end(&r);
}

static void counts_have_limits(void **state) {
    (void)state;
    recipe r;
    start(&r);
    r.def.node_count = 0;
    CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "node");
    r.def.node_count = LMB_MAX_NODES + 1;
    CHECK_REFUSED(&r, LMB_ERROR_LIMIT, "4096");
    r.def.node_count = NODES;
    r.def.parameter_count = LMB_MAX_PARAMETERS + 1;
    CHECK_REFUSED(&r, LMB_ERROR_LIMIT, "parameter", "1024");
    r.def.parameter_count = LMB_MAX_PARAMETERS;
    lmb_graph_destroy(created(&r));
    r.def.parameter_count = 2;
    CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "node 1", "clip", "parameter");
    end(&r);
}

static void missing_pointers(void **state) {
    (void)state;
    recipe r;
    start(&r);
    lmb_graph *program = NULL;
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_graph_create(NULL, NULL, &program, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    CHECK_REFUSAL(lmb_graph_create(&r.def, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    assert_int_equal(lmb_graph_create(NULL, NULL, &program, NULL), LMB_ERROR_ARGUMENT);
    const lmb_graph_def whole = r.def;
    r.def.rig = NULL;
    CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "rig");
    r.def = whole;
    r.def.nodes = NULL;
    CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "node");
    r.def = whole;
    r.def.clips = NULL;
    CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "clip");
    r.def = whole;
    r.def.masks = NULL;
    CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "mask");
    r.def = whole;
    r.clips[1] = NULL;
    CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "clip 1");
    r.clips[1] = r.clip;
    r.masks[1] = NULL;
    CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "mask 1");
    end(&r);
}

static void clips_of_another_rig(void **state) {
    (void)state;
    recipe r;
    start(&r);
    lmb_rig *other = scene_rig(JOINTS + 1, SCENE_CHAIN, 81);
    lmb_clip *clip = clip_of(other);
    r.clips[1] = clip;
    CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "clip 1", "joints");
    lmb_clip_destroy(clip);
    lmb_rig_destroy(other);
    end(&r);
}

static void nodes_that_do_not_fit(void **state) {
    (void)state;
    static const uint32_t inputs[] = {MASKED, ADDITIVE, NODES, LMB_NONE};
    recipe r;
    start(&r);
    r.nodes[DIFFERENCE].op = LMB_OP_COUNT;
    CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "node 7", "operation");
    r.nodes[DIFFERENCE].op = (lmb_op)-1;
    CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "node 7", "operation");
    r.nodes[DIFFERENCE].op = LMB_OP_MAKE_ADDITIVE;
    for (uint32_t i = 0; i < 4; i++) { // not before the node
        r.nodes[MASKED].inputs[1] = inputs[i];
        CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "node 5", "input");
    }
    r.nodes[MASKED].inputs[1] = POSE_0;
    for (uint32_t node = BLEND; node < NODES; node++) {
        static const uint32_t counts[] = {0, 1, 3, LMB_MAX_INPUTS + 1, LMB_NONE};
        for (uint32_t i = 0; i < 5; i++) {
            if (node == WEIGHTED && counts[i] == 3) {
                continue;
            }
            char place[16];
            snprintf(place, sizeof place, "node %u", node);
            r.nodes[node].input_count = counts[i];
            CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, place, "input");
            r.nodes[node].input_count = 2;
        }
    }
    r.nodes[MASKED].mask = 2;
    CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "node 5", "mask");
    r.nodes[MASKED].mask = LMB_NONE;
    CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "node 5", "mask");
    r.nodes[MASKED].mask = 0;
    r.nodes[POSE_1].pose = LMB_MAX_POSES;
    CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "node 3", "pose");
    r.nodes[POSE_1].pose = 1;
    r.nodes[BLEND].interpolation = LMB_MIX_COUNT;
    CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "interpolation", "unknown");
    r.nodes[BLEND].interpolation = LMB_MIX_SLERP;
    r.nodes[ADDITIVE].form = LMB_FORM_COUNT;
    CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "form", "unknown");
    r.nodes[ADDITIVE].form = LMB_FORM_LOCAL;
    r.nodes[ADDITIVE].mask = 99;
    CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "mask", "no such mask");
    r.nodes[ADDITIVE].mask = LMB_NONE;
    static const uint32_t curved[] = {BLEND, MASKED, ADDITIVE};
    for (uint32_t i = 0; i < 3; i++) {
        char place[16];
        snprintf(place, sizeof place, "node %u", curved[i]);
        r.nodes[curved[i]].weight.curve = LMB_CURVE_COUNT;
        CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, place, "curve");
        r.nodes[curved[i]].weight.curve = LMB_CURVE_BEZIER;
        r.nodes[curved[i]].weight.control[1] = 17.0f;
        CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, place, "control point");
        r.nodes[curved[i]].weight.control[1] = NAN;
        CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, place, "control point");
        r.nodes[curved[i]].weight.control[1] = 16.0f;
        r.nodes[curved[i]].weight.curve = LMB_CURVE_LINEAR;
    }
    lmb_graph_destroy(created(&r));
    end(&r);
}

static void values_that_do_not_fit(void **state) {
    (void)state;
    recipe r;
    start(&r);
    const struct {
        uint32_t node;
        lmb_value *value;
        const char *field;
    } values[] = {{CLIP, &r.nodes[CLIP].clip, "clip"},
                  {CLIP, &r.nodes[CLIP].time, "time"},
                  {BLEND, &r.nodes[BLEND].weight, "weight"},
                  {MASKED, &r.nodes[MASKED].weight, "weight"},
                  {ADDITIVE, &r.nodes[ADDITIVE].weight, "weight"},
                  {WEIGHTED, &r.nodes[WEIGHTED].weights[0], "weights[0]"},
                  {WEIGHTED, &r.nodes[WEIGHTED].weights[1], "weights[1]"}};
    static const float bad[] = {NAN, INFINITY, -INFINITY, 1.2e12f, -1.2e12f};
    for (uint32_t i = 0; i < sizeof values / sizeof *values; i++) {
        const lmb_value kept = *values[i].value;
        char place[16];
        snprintf(place, sizeof place, "node %u", values[i].node);
        *values[i].value = lmb_parameter(3);
        CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, place, values[i].field, "parameter");
        *values[i].value = lmb_parameter(LMB_NONE - 1);
        CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, place, values[i].field, "parameter");
        values[i].value->kind = LMB_VALUE_KIND_COUNT;
        CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, place, values[i].field, "kind");
        for (uint32_t k = 0; k < 5; k++) {
            *values[i].value = lmb_constant(bad[k]);
            CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, place, values[i].field);
        }
        *values[i].value = kept;
    }
    // Fields that an operation does not use are ignored.
    r.nodes[REST].weight = r.nodes[REST].clip = r.nodes[POSE_0].time = lmb_parameter(1000);
    r.nodes[REST].mask = r.nodes[REST].pose = r.nodes[BLEND].pose = 1000;
    r.nodes[WEIGHTED].weights[2] = lmb_constant(NAN);
    r.nodes[DIFFERENCE].weight = lmb_constant(NAN);
    r.nodes[BLEND].inputs[2] = 1000;
    lmb_graph_destroy(created(&r));
    end(&r);
}

static void a_zeroed_value_is_the_constant_0(void **state) {
    (void)state;
    const float parameters[1] = {7.0f};
    const lmb_value zero = {0};
    assert_true(lmb_value_at(zero, parameters, NULL) == 0.0f);
    assert_true(lmb_value_at(zero, NULL, NULL) == 0.0f);
}

static void a_clip_needs_clips(void **state) {
    (void)state;
    recipe r;
    start(&r);
    r.def.clips = NULL;
    r.def.clip_count = 0;
    CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "node 1", "clip");
    r.def.clips = r.clips;
    r.def.clip_count = 2;
    r.def.masks = NULL;
    r.def.mask_count = 0;
    CHECK_REFUSED(&r, LMB_ERROR_ARGUMENT, "node 5", "mask");
    r.def.node_count = 5; // up to the blend, which needs no mask
    lmb_graph_destroy(created(&r));
    end(&r);
}

// Nodes that nest in the first input keep the stack small; nested in the second input, each needs one more pose.
static void stacks_have_a_limit(void **state) {
    (void)state;
    recipe r;
    start(&r);
    r.nodes[0].op = LMB_OP_POSE;
    for (uint32_t i = 1; i < 16; i++) {
        set_inputs(&r.nodes[i], LMB_OP_BLEND, i - 1, 0);
    }
    r.def.node_count = 16;
    lmb_graph *program = created(&r);
    const uint32_t flat = lmb_graph_get_info(program)->stack;
    assert_true(flat <= 2);
    lmb_graph_destroy(program);
    uint32_t previous = 0;
    for (uint32_t count = 1; count <= 16; count++) {
        if (count > 1) {
            set_inputs(&r.nodes[count - 1], LMB_OP_BLEND, 0, count - 2);
        }
        r.def.node_count = count;
        lmb_error error = {0};
        const lmb_result result = lmb_graph_create(&r.def, NULL, &program, &error);
        if (previous == LMB_MAX_STACK) {
            CHECK_REFUSAL(result, &error, LMB_ERROR_LIMIT, "11");
            continue;
        }
        assert_int_equal(result, LMB_OK);
        assert_int_equal(lmb_graph_get_info(program)->stack, previous + 1);
        previous = lmb_graph_get_info(program)->stack;
        lmb_graph_destroy(program);
    }
    assert_int_equal(previous, LMB_MAX_STACK);
    end(&r);
}

// Nodes that use others many times, with small stacks: two levels of 300 are about 90,000 operations, and more levels
// would run for hours. The check refuses them immediately.
static void nodes_used_often_do_not_explode(void **state) {
    (void)state;
    enum { LEVELS = 6, EACH = 300, ALL = LEVELS * EACH + 1 };
    recipe r;
    start(&r);
    lmb_node_def *nodes = calloc(ALL, sizeof *nodes);
    assert_non_null(nodes);
    for (uint32_t i = 0; i < ALL; i++) {
        nodes[i] = lmb_default_node_def();
        if (i > 0) {
            set_inputs(&nodes[i], LMB_OP_BLEND, i - 1, (i - 1) / EACH * EACH);
        }
    }
    r.def.nodes = nodes;
    r.def.node_count = EACH + 1;
    lmb_graph_destroy(created(&r));
    for (uint32_t level = 2; level <= LEVELS; level++) {
        r.def.node_count = level * EACH + 1;
        CHECK_REFUSED(&r, LMB_ERROR_LIMIT, "65536");
    }
    free(nodes);
    end(&r);
}

static void batches_are_checked(void **state) {
    (void)state;
    recipe r;
    start(&r);
    lmb_graph *program = created(&r);
    lmb_error error = {0};
    lmb_batch_def batch = {program, 5, LMB_OUTPUT_MODEL_BIT};
    assert_int_equal(lmb_batch_check(&batch, &error), LMB_OK);
    assert_int_equal(lmb_batch_output_floats(&batch, LMB_OUTPUT_LOCAL), 10 * JOINTS);
    assert_int_equal(lmb_batch_output_floats(&batch, LMB_OUTPUT_MODEL), 12 * JOINTS);
    assert_int_equal(lmb_batch_output_floats(&batch, LMB_OUTPUT_PALETTE), 12 * JOINTS);
    batch.outputs = 0;
    CHECK_REFUSAL(lmb_batch_check(&batch, &error), &error, LMB_ERROR_ARGUMENT, "output");
    batch.outputs = 1u << LMB_OUTPUT_COUNT;
    CHECK_REFUSAL(lmb_batch_check(&batch, &error), &error, LMB_ERROR_ARGUMENT, "output");
    batch.outputs = LMB_OUTPUT_MODEL_BIT | LMB_OUTPUT_PREVIOUS_PALETTE_BIT;
    CHECK_REFUSAL(lmb_batch_check(&batch, &error), &error, LMB_ERROR_ARGUMENT, "previous palette");
    batch.outputs = LMB_OUTPUT_LOCAL_BIT;
    batch.graph = NULL;
    CHECK_REFUSAL(lmb_batch_check(&batch, &error), &error, LMB_ERROR_ARGUMENT, "graph");
    lmb_graph_destroy(program);
    end(&r);
}

enum { CHARACTERS = 5 };

typedef struct buffers {
    float parameters[CHARACTERS * 3];
    float poses[2][CHARACTERS * JOINTS * LMB_POSE_COMPONENTS];
    float local[CHARACTERS * JOINTS * LMB_POSE_COMPONENTS];
    float matrices[2][CHARACTERS * JOINTS * LMB_MATRIX_COMPONENTS];
    uint32_t refused[LMB_REFUSAL_COUNT];
} buffers;

static lmb_batch_inputs inputs_of(const buffers *b) {
    return (lmb_batch_inputs){.parameters = b->parameters, .poses = {b->poses[0], b->poses[1]}};
}

static lmb_batch_outputs outputs_of(buffers *b) {
    return (lmb_batch_outputs){.buffers = {b->local, b->matrices[0], b->matrices[1]}, .refused = b->refused};
}

static void fill(buffers *b, uint64_t seed) {
    random_source source = {seed};
    memset(b, 0xff, sizeof *b);
    memset(b->refused, 0, sizeof b->refused);
    for (uint32_t i = 0; i < CHARACTERS * 3; i++) {
        b->parameters[i] = (float)random_between(&source, 0.0, 1.0);
    }
    for (uint32_t i = 0; i < 2 * CHARACTERS * JOINTS * LMB_POSE_COMPONENTS; i++) {
        b->poses[i / (CHARACTERS * JOINTS * LMB_POSE_COMPONENTS)][i % (CHARACTERS * JOINTS * LMB_POSE_COMPONENTS)] =
            (float)random_between(&source, 0.5, 2.0);
    }
}

static void runs_are_checked(void **state) {
    (void)state;
    recipe r;
    start(&r);
    lmb_graph *program = created(&r), *other = created(&r);
    lmb_cpu *cpu = NULL;
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_cpu_create(NULL, LMB_CPU_REFERENCE, NULL, &cpu, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    CHECK_REFUSAL(lmb_cpu_create(program, LMB_CPU_REFERENCE, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    assert_int_equal(lmb_cpu_create(program, LMB_CPU_REFERENCE, NULL, &cpu, NULL), LMB_OK);
    static buffers b;
    fill(&b, 82);
    lmb_batch_def batch = {program, CHARACTERS, LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_MODEL_BIT | LMB_OUTPUT_PALETTE_BIT};
    lmb_batch_inputs inputs = inputs_of(&b);
    lmb_batch_outputs outputs = outputs_of(&b);
    assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error), LMB_OK);
    inputs.parameters = NULL;
    CHECK_REFUSAL(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error), &error, LMB_ERROR_ARGUMENT, "parameters");
    inputs = inputs_of(&b);
    inputs.poses[1] = NULL;
    CHECK_REFUSAL(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error), &error, LMB_ERROR_ARGUMENT, "pose");
    inputs = inputs_of(&b);
    for (int output = 0; output <= LMB_OUTPUT_PALETTE; output++) {
        outputs.buffers[output] = NULL;
        CHECK_REFUSAL(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error), &error, LMB_ERROR_ARGUMENT,
                      lmb_output_name((lmb_output)output));
        outputs = outputs_of(&b);
    }
    CHECK_REFUSAL(lmb_cpu_run(cpu, NULL, &inputs, &outputs, &error), &error, LMB_ERROR_ARGUMENT, "");
    CHECK_REFUSAL(lmb_cpu_run(cpu, &batch, NULL, &outputs, &error), &error, LMB_ERROR_ARGUMENT, "");
    CHECK_REFUSAL(lmb_cpu_run(cpu, &batch, &inputs, NULL, &error), &error, LMB_ERROR_ARGUMENT, "");
    CHECK_REFUSAL(lmb_cpu_run(NULL, &batch, &inputs, &outputs, &error), &error, LMB_ERROR_ARGUMENT, "");
    batch.graph = other;
    CHECK_REFUSAL(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error), &error, LMB_ERROR_ARGUMENT, "graph");
    batch.graph = program;
    CHECK_REFUSAL(lmb_cpu_run_range(cpu, &batch, &inputs, &outputs, 3, 3, &error), &error, LMB_ERROR_ARGUMENT, "");
    CHECK_REFUSAL(lmb_cpu_run_range(cpu, &batch, &inputs, &outputs, LMB_NONE, 2, &error), &error, LMB_ERROR_ARGUMENT,
                  "");
    batch.character_count = 0;
    assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error), LMB_OK);
    outputs.refused = NULL;
    batch.character_count = CHARACTERS;
    assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error), LMB_OK);
    lmb_cpu_destroy(cpu);
    lmb_cpu_destroy(NULL);
    lmb_graph_destroy(program);
    lmb_graph_destroy(other);
    end(&r);
}

// Ranges give the bits of the whole batch and affect no other character. Each set of outputs gives the same bits as all
// together.
static void ranges_and_outputs_do_not_matter(void **state) {
    (void)state;
    recipe r;
    start(&r);
    lmb_graph *program = created(&r);
    lmb_cpu *cpu = NULL;
    assert_int_equal(lmb_cpu_create(program, LMB_CPU_REFERENCE, NULL, &cpu, NULL), LMB_OK);
    static buffers whole, part;
    fill(&whole, 83);
    whole.parameters[2] = -1.0f; // refused, so that the counters are not 0
    whole.parameters[7] = NAN;
    const lmb_batch_def all = {program, CHARACTERS,
                               LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_MODEL_BIT | LMB_OUTPUT_PALETTE_BIT};
    const lmb_batch_inputs inputs = inputs_of(&whole);
    const lmb_batch_outputs outputs = outputs_of(&whole), part_outputs = outputs_of(&part);
    assert_int_equal(lmb_cpu_run(cpu, &all, &inputs, &outputs, NULL), LMB_OK);
    assert_int_equal(whole.refused[LMB_REFUSED_CLIP], 1);
    for (uint32_t first = 0; first < CHARACTERS; first++) {
        fill(&part, 83);
        const buffers before = part;
        assert_int_equal(lmb_cpu_run_range(cpu, &all, &inputs, &part_outputs, first, 1, NULL), LMB_OK);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            const buffers *expected = i == first ? &whole : &before;
            const size_t pose = JOINTS * LMB_POSE_COMPONENTS, matrices = JOINTS * LMB_MATRIX_COMPONENTS;
            assert_memory_equal(part.local + i * pose, expected->local + i * pose, pose * sizeof(float));
            for (uint32_t k = 0; k < 2; k++) {
                assert_memory_equal(part.matrices[k] + i * matrices, expected->matrices[k] + i * matrices,
                                    matrices * sizeof(float));
            }
        }
    }
    fill(&part, 83);
    static const uint32_t counts[] = {2, 0, 3};
    uint32_t refused[LMB_REFUSAL_COUNT] = {0};
    for (uint32_t i = 0, first = 0; i < 3; first += counts[i++]) {
        assert_int_equal(lmb_cpu_run_range(cpu, &all, &inputs, &part_outputs, first, counts[i], NULL), LMB_OK);
        for (uint32_t kind = 0; kind < LMB_REFUSAL_COUNT; kind++) {
            refused[kind] += part.refused[kind];
        }
    }
    assert_memory_equal(part.local, whole.local, sizeof whole.local);
    assert_memory_equal(part.matrices, whole.matrices, sizeof whole.matrices);
    assert_memory_equal(refused, whole.refused, sizeof whole.refused);
    for (uint32_t bits = 1; bits < 8; bits++) {
        fill(&part, 83);
        const buffers before = part;
        const lmb_batch_def some = {program, CHARACTERS, bits};
        lmb_batch_outputs desired = part_outputs;
        for (uint32_t output = 0; output <= LMB_OUTPUT_PALETTE; output++) {
            desired.buffers[output] = (bits >> output & 1u) != 0 ? desired.buffers[output] : NULL;
        }
        assert_int_equal(lmb_cpu_run(cpu, &some, &inputs, &desired, NULL), LMB_OK);
        assert_memory_equal(part.local, (bits & 1u) != 0 ? whole.local : before.local, sizeof whole.local);
        for (uint32_t k = 0; k < 2; k++) {
            assert_memory_equal(part.matrices[k], (bits >> (k + 1) & 1u) != 0 ? whole.matrices[k] : before.matrices[k],
                                sizeof whole.matrices[k]);
        }
    }
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(program);
    end(&r);
}

static lmb_result create_and_destroy(const lmb_host *host, lmb_error *error, void *user) {
    const recipe *r = user;
    lmb_graph *program = NULL;
    const lmb_result result = lmb_graph_create(&r->def, host, &program, error);
    assert_true((result == LMB_OK) == (program != NULL));
    lmb_graph_destroy(program);
    return result;
}

static lmb_result create_and_destroy_cpu(const lmb_host *host, lmb_error *error, void *user) {
    lmb_cpu *cpu = NULL;
    const lmb_result result = lmb_cpu_create(user, LMB_CPU_REFERENCE, host, &cpu, error);
    assert_true((result == LMB_OK) == (cpu != NULL));
    lmb_cpu_destroy(cpu);
    return result;
}

static void memory_that_is_refused(void **state) {
    (void)state;
    recipe r;
    start(&r);
    failing_host_try_all(create_and_destroy, &r);
    lmb_graph *program = created(&r);
    failing_host_try_all(create_and_destroy_cpu, program);
    lmb_graph_destroy(program);
    end(&r);
}

// Frames allocate nothing: all host allocations occur before.
static void running_allocates_nothing(void **state) {
    (void)state;
    recipe r;
    start(&r);
    failing_host counts = {0};
    const lmb_host host = failing_host_of(&counts);
    lmb_graph *program = NULL;
    lmb_cpu *cpu = NULL;
    assert_int_equal(lmb_graph_create(&r.def, &host, &program, NULL), LMB_OK);
    assert_int_equal(lmb_cpu_create(program, LMB_CPU_REFERENCE, &host, &cpu, NULL), LMB_OK);
    const uint32_t asked = counts.asked;
    static buffers b;
    fill(&b, 84);
    const lmb_batch_def batch = {program, CHARACTERS, LMB_OUTPUT_PALETTE_BIT};
    const lmb_batch_inputs inputs = inputs_of(&b);
    const lmb_batch_outputs outputs = outputs_of(&b);
    assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
    assert_int_equal(counts.asked, asked);
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(program);
    assert_int_equal(counts.live, 0);
    r.nodes[MASKED].mask = 7;
    assert_int_equal(lmb_graph_create(&r.def, &host, &program, NULL), LMB_ERROR_ARGUMENT);
    assert_int_equal(counts.live, 0);
    end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_starts_at_rest),
        cmocka_unit_test(a_program_reports_what_it_is),
        cmocka_unit_test(a_program_is_printed),
        cmocka_unit_test(layers_are_printed),
        cmocka_unit_test(a_descriptor_is_checked_alone),
        cmocka_unit_test(poses_are_counted_by_the_largest_used),
        cmocka_unit_test(counts_have_limits),
        cmocka_unit_test(missing_pointers),
        cmocka_unit_test(clips_of_another_rig),
        cmocka_unit_test(nodes_that_do_not_fit),
        cmocka_unit_test(values_that_do_not_fit),
        cmocka_unit_test(a_zeroed_value_is_the_constant_0),
        cmocka_unit_test(a_clip_needs_clips),
        cmocka_unit_test(stacks_have_a_limit),
        cmocka_unit_test(nodes_used_often_do_not_explode),
        cmocka_unit_test(batches_are_checked),
        cmocka_unit_test(runs_are_checked),
        cmocka_unit_test(ranges_and_outputs_do_not_matter),
        cmocka_unit_test(memory_that_is_refused),
        cmocka_unit_test(running_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
