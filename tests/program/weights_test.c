// Stage 1: the weight of each use of a clip in the pose, against float64 with the rules of graph.h, and its motion
// weight and reflection, with those of control.h, for random trees of operations. A weight is 0 if and only if one of
// its factors is 0.
#include "random.h"
#include "suite.h"

#include <limber/batch.h>
#include <stdlib.h>

#include "program/program.h"

#include "../../shaders/ops/motion_weights.h"

enum { MOST_NODES = 400, MOST_CLIPS = 400, TREES = 3000, MASKS = 3, MIRRORS = 3, CHOSEN_WEIGHT = 60 };

// The masks' values for joint 0, the only joint.
static const uint8_t joint_0[MASKS] = {255, 0, 100};

typedef struct tree {
    lmb_node_def nodes[MOST_NODES];
    uint32_t count;
    random_source random, thresholds;
} tree;

// Often returns an end of the range.
static float draw_weight(random_source *random, float min, float largest) {
    switch (random_below(random, 5)) {
    case 0:
        return 0.0f;
    case 1:
        return largest;
    case 2:
        return (float)random_between(random, 0.0, 1e-4) * largest;
    default:
        return (float)random_between(random, (double)min, (double)largest);
    }
}

static const struct {
    lmb_op op;
    uint32_t min, most; // inputs
} choices[] = {{LMB_OP_BLEND, 2, 2},     {LMB_OP_MASKED, 2, 2},   {LMB_OP_ADDITIVE, 2, 2},
               {LMB_OP_PARTIAL, 2, 2},   {LMB_OP_WEIGHTED, 2, 6}, {LMB_OP_LAYERS, 2, 6},
               {LMB_OP_BILINEAR, 4, 4},  {LMB_OP_ADD, 2, 2},      {LMB_OP_SUBTRACT_SCALE_ADD, 3, 3},
               {LMB_OP_TRILINEAR, 8, 8}, {LMB_OP_SCALE, 1, 1},    {LMB_OP_MAKE_ADDITIVE, 2, 2},
               {LMB_OP_SPACE1D, 2, 6},   {LMB_OP_OVERRIDE, 1, 1}, {LMB_OP_SUBTRACT, 2, 2},
               {LMB_OP_MIRROR, 1, 1}};

static uint32_t draw_node(tree *tree, uint32_t depth) {
    lmb_node_def node = lmb_default_node_def();
    if (depth > 0 && random_below(&tree->random, 5) > 0) {
        const uint32_t which = random_below(&tree->random, sizeof choices / sizeof choices[0]);
        node.op = choices[which].op;
        node.input_count =
            choices[which].min + random_below(&tree->random, choices[which].most - choices[which].min + 1);
        node.unclamped = random_below(&tree->random, 2) == 0;
        const bool is_masked = random_below(&tree->random, 2) == 0 || node.op != LMB_OP_ADDITIVE;
        const uint32_t mask = random_below(&tree->random, MASKS);
        node.mask = is_masked ? mask : LMB_NONE;
        node.mirror = random_below(&tree->random, MIRRORS);
        const bool any = node.op == LMB_OP_SCALE || node.op == LMB_OP_SUBTRACT_SCALE_ADD ||
                         (node.op == LMB_OP_ADDITIVE && node.unclamped);
        node.weight = lmb_constant(draw_weight(&tree->random, any ? -4.0f : 0.0f, any ? 4.0f : 1.0f));
        for (uint32_t i = 0; i < node.input_count; i++) {
            node.weights[i] = lmb_constant(draw_weight(&tree->random, 0.0f, node.op == LMB_OP_LAYERS ? 1.0f : 100.0f));
            node.priorities[i] = (int32_t)random_below(&tree->random, 3);
            node.positions[i][0] = (float)i;
            node.masks[i] = random_below(&tree->random, 2) == 0 ? LMB_NONE : random_below(&tree->random, MASKS);
        }
        if (random_below(&tree->thresholds, 2) == 0) {
            node.threshold = draw_weight(&tree->thresholds, 0.0f, 1.0f);
        }
        for (uint32_t i = 0; i < 3; i++) {
            node.coordinates[i] =
                lmb_constant(node.op == LMB_OP_SPACE1D ? (float)random_between(&tree->random, -1.0, 6.0)
                                                       : draw_weight(&tree->random, 0.0f, 1.0f));
        }
        for (uint32_t i = 0; i < node.input_count; i++) {
            node.inputs[i] = draw_node(tree, depth - 1);
        }
    } else {
        node.op = LMB_OP_CLIP;
        node.clip = lmb_parameter(0);
        node.joint_weights = random_below(&tree->random, 3) > 0 ? random_below(&tree->random, MASKS) : LMB_NONE;
    }
    assert_true(tree->count < MOST_NODES);
    tree->nodes[tree->count] = node;
    return tree->count++;
}

// A node's weights in the pose and in root motion, and the mirrors around it.
typedef struct share {
    double pose, motion;
    uint32_t reflection;
} share;

// The weights of a tree's clips, in the order of their use.
typedef struct weights {
    share of[MOST_CLIPS];
    uint32_t count;
} weights;

static share times(share own, double factor) {
    return (share){own.pose * factor, own.motion * factor, own.reflection};
}

// The shares of a sum's inputs at joint 0; of layers those with masks and joint weights.
static void root_shares(const tree *tree, const lmb_node_def *node, double *shares);

static double chosen_weight(const lmb_node_def *clip) {
    return clip->joint_weights != LMB_NONE ? joint_0[clip->joint_weights] : CHOSEN_WEIGHT;
}

static double root_blend(double w, double a, double b) {
    return !(a > 0.0) ? 1.0 : !(b > 0.0) ? 0.0 : b > a ? (b - a + w * a) / b : w * b / a;
}

// The joint weight of joint 0.
static double joint_weight(const tree *tree, uint32_t index) {
    const lmb_node_def *node = &tree->nodes[index];
    double shares[LMB_MAX_INPUTS], largest = 0.0, left = 1.0;
    switch (node->op) {
    case LMB_OP_CLIP:
        return chosen_weight(node);
    case LMB_OP_PARTIAL: {
        const double a = joint_weight(tree, node->inputs[0]), b = joint_weight(tree, node->inputs[1]);
        const double blend = root_blend((double)node->weight.constant, a, b);
        return a > 0.0 && b > 0.0 ? floor((1.0 - blend) * a + blend * b + 0.5) : fmax(a, b);
    }
    case LMB_OP_LAYERS:
    case LMB_OP_WEIGHTED:
    case LMB_OP_SPACE1D:
        root_shares(tree, node, shares);
        for (uint32_t i = 0; i < node->input_count; i++) {
            left -= shares[i];
            largest = shares[i] > 0.0 ? fmax(largest, joint_weight(tree, node->inputs[i])) : largest;
        }
        return left > 1e-9 ? 255.0 : largest; // the rest pose has all joints
    default:
        return joint_weight(tree, node->inputs[0]);
    }
}

static void expect(const tree *tree, uint32_t index, share own, weights *all);

static void expect_corners(const tree *tree, const lmb_node_def *node, uint32_t first, uint32_t positions, share own,
                           weights *all) {
    if (positions == 0) {
        expect(tree, node->inputs[first], own, all);
        return;
    }
    const double w = (double)node->coordinates[positions - 1].constant;
    expect_corners(tree, node, first, positions - 1, times(own, 1.0 - w), all);
    expect_corners(tree, node, first + (1u << (positions - 1)), positions - 1, times(own, w), all);
}

// `shares` are multiplied by the layers' fades. `covers` is the fraction of each fade that applies at all joints; it
// reduces the layers below.
static void expect_layers(const lmb_node_def *node, const double *covers, double *shares) {
    const double threshold = fmax((double)node->threshold, exp2(-60.0));
    double left = 1.0;
    for (int priority = 2; priority >= 0; priority--) {
        double sum = 0.0;
        for (uint32_t i = 0; i < node->input_count; i++) {
            sum += node->priorities[i] == priority ? (double)node->weights[i].constant * covers[i] : 0.0;
        }
        for (uint32_t i = 0; i < node->input_count; i++) {
            if (node->priorities[i] == priority) {
                shares[i] = left * fmin(shares[i] * (double)node->weights[i].constant / fmax(sum, threshold), 1.0);
            }
        }
        left *= 1.0 - fmin(sum / threshold, 1.0);
    }
}

static void root_shares(const tree *tree, const lmb_node_def *node, double *shares) {
    double covers[LMB_MAX_INPUTS], total = 0.0;
    const double x = fmin(fmax((double)node->coordinates[0].constant, 0.0), node->input_count - 1.0);
    for (uint32_t i = 0; i < node->input_count; i++) {
        const lmb_node_def *below = &tree->nodes[node->inputs[i]];
        if (node->op == LMB_OP_LAYERS) {
            covers[i] = (node->masks[i] == LMB_NONE ? 1.0 : joint_0[node->masks[i]] / 255.0) *
                        (below->op == LMB_OP_CLIP ? chosen_weight(below) / 255.0 : 1.0);
            shares[i] = covers[i];
        } else {
            shares[i] = node->op == LMB_OP_SPACE1D ? fmax(1.0 - fabs(x - i), 0.0) : (double)node->weights[i].constant;
        }
        total += shares[i];
    }
    if (node->op == LMB_OP_LAYERS) {
        expect_layers(node, covers, shares);
        return;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        shares[i] = total > 0.0 ? shares[i] / total : 0.0;
    }
}

// In the pose, an input with a mask or with joint weights may have its fade at some joints and nothing at others.
static void expect_sum(const tree *tree, const lmb_node_def *node, share own, weights *all) {
    double covers[LMB_MAX_INPUTS], poses[LMB_MAX_INPUTS], roots[LMB_MAX_INPUTS];
    root_shares(tree, node, roots);
    memcpy(poses, roots, sizeof poses);
    for (uint32_t i = 0; i < node->input_count && node->op == LMB_OP_LAYERS; i++) {
        const lmb_node_def *below = &tree->nodes[node->inputs[i]];
        covers[i] = node->masks[i] == LMB_NONE && below->op != LMB_OP_CLIP ? 1.0 : 0.0;
        poses[i] = 1.0;
    }
    if (node->op == LMB_OP_LAYERS) {
        expect_layers(node, covers, poses);
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        expect(tree, node->inputs[i], (share){own.pose * poses[i], own.motion * roots[i], own.reflection}, all);
    }
}

static void expect(const tree *tree, uint32_t index, share own, weights *all) {
    const lmb_node_def *node = &tree->nodes[index];
    const double w = (double)node->weight.constant;
    share below = own, over = times(own, fmin(fabs(w), 1.0));
    switch (node->op) {
    case LMB_OP_CLIP:
        all->of[all->count++] = own;
        return;
    case LMB_OP_BLEND:
        expect(tree, node->inputs[0], times(own, 1.0 - w), all);
        expect(tree, node->inputs[1], times(own, w), all);
        return;
    case LMB_OP_MASKED:
        below.motion = own.motion * (1.0 - w * joint_0[node->mask] / 255.0);
        over.motion = own.motion * w * joint_0[node->mask] / 255.0;
        break;
    case LMB_OP_OVERRIDE: // a pose buffer has no root motion
        below.motion = own.motion * (1.0 - w * joint_0[node->mask] / 255.0);
        expect(tree, node->inputs[0], below, all);
        return;
    case LMB_OP_ADDITIVE:
        over.motion = own.motion * fmax(w, node->unclamped ? w : 0.0) *
                      (node->mask != LMB_NONE ? joint_0[node->mask] / 255.0 : 1.0);
        break;
    case LMB_OP_PARTIAL: { // visible where the other is absent, whatever its weight
        const double blend = root_blend(w, joint_weight(tree, node->inputs[0]), joint_weight(tree, node->inputs[1]));
        over.pose = fmax(over.pose, own.pose * exp2(-40.0));
        below.motion = own.motion * (1.0 - blend);
        over.motion = own.motion * blend;
        break;
    }
    case LMB_OP_SCALE:
        over.motion = own.motion * w;
        expect(tree, node->inputs[0], over, all);
        return;
    case LMB_OP_MAKE_ADDITIVE:
    case LMB_OP_SUBTRACT:
        over = own;
        over.motion = -own.motion;
        break;
    case LMB_OP_SUBTRACT_SCALE_ADD:
        over.motion = own.motion * w;
        expect(tree, node->inputs[0], over, all);
        over.motion = -over.motion;
        expect(tree, node->inputs[1], over, all);
        expect(tree, node->inputs[2], own, all);
        return;
    case LMB_OP_MIRROR:
        own.reflection ^= 1u << node->mirror;
        expect(tree, node->inputs[0], own, all);
        return;
    case LMB_OP_BILINEAR:
    case LMB_OP_TRILINEAR:
        expect_corners(tree, node, 0, node->op == LMB_OP_BILINEAR ? 2 : 3, own, all);
        return;
    case LMB_OP_LAYERS:
    case LMB_OP_WEIGHTED:
    case LMB_OP_SPACE1D:
        expect_sum(tree, node, own, all);
        return;
    default:
        for (uint32_t i = 0; i < node->input_count; i++) {
            expect(tree, node->inputs[i], own, all);
        }
        return;
    }
    expect(tree, node->inputs[0], below, all);
    expect(tree, node->inputs[1], over, all);
}

static lmb_rig *create_rig(void) {
    const lmb_joint_def root = {
        .name = "root", .parent = LMB_NONE, .rest = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}};
    const lmb_rig_def def = {.joints = &root, .joint_count = 1};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

static void check(uint64_t seed, uint32_t clip, double weight, double expected) {
    if ((weight > 0.0) != (expected > 0.0) || fabs(weight - fmax(expected, 0.0)) > 1e-5) {
        fail_msg("tree %u: clip %u weighs %.9g, not %.9g", (unsigned)seed, (unsigned)clip, weight, expected);
    }
}

// Motion weights below 2^-40 are 0.
static void check_motion(uint64_t seed, uint32_t clip, double weight, double expected) {
    if (fabs(weight - expected) > 1e-5 * fmax(fabs(expected), 1.0) || (weight != 0.0 && fabs(weight) < exp2(-40.0))) {
        fail_msg("tree %u: clip %u weighs %.9g in root motion, not %.9g", (unsigned)seed, (unsigned)clip, weight,
                 expected);
    }
}

static void a_clip_weighs_what_the_nodes_above_it_leave(void **state) {
    (void)state;
    static const uint8_t *const masks[MASKS] = {joint_0, joint_0 + 1, joint_0 + 2};
    static const uint8_t chosen_joint_0 = CHOSEN_WEIGHT;
    static const uint32_t partner = 0;
    static const lmb_mirror_def mirrors[MIRRORS] = {
        {LMB_AXIS_X, &partner, NULL, NULL}, {LMB_AXIS_Y, &partner, NULL, NULL}, {LMB_AXIS_Z, &partner, NULL, NULL}};
    lmb_rig *rig = create_rig();
    // A parameter chooses the clips, so they can be poses and additives.
    lmb_clip *both[2] = {NULL};
    for (uint32_t i = 0; i < 2; i++) {
        const lmb_clip_def still = {
            .name = "still", .duration = 1.0f, .additive = i == 1, .joint_weights = i == 0 ? &chosen_joint_0 : NULL};
        assert_int_equal(lmb_clip_create(rig, &still, NULL, &both[i], NULL), LMB_OK);
    }
    const uint32_t chosen = 0; // the bits of 0.0f
    tree *tree = malloc(sizeof *tree);
    weights *all = malloc(sizeof *all);
    uint32_t zeros = 0, clips = 0, apart = 0, backwards = 0;
    for (uint64_t seed = 0; seed < TREES; seed++) {
        tree->count = 0;
        tree->random = (random_source){seed};
        tree->thresholds = random_branch(seed, 1);
        const uint32_t last = draw_node(tree, 3);
        const lmb_graph_def def = {.rig = rig,
                                   .clips = (const lmb_clip *const *)both,
                                   .clip_count = 2,
                                   .parameter_count = 1,
                                   .nodes = tree->nodes,
                                   .node_count = tree->count,
                                   .masks = masks,
                                   .mask_count = MASKS,
                                   .mirrors = mirrors,
                                   .mirror_count = MIRRORS};
        lmb_graph *program = NULL;
        lmb_error error = {0};
        if (lmb_graph_create(&def, NULL, &program, &error) != LMB_OK) {
            fail_msg("%s", error.message);
        }
        stored_weight stored[16 * MOST_NODES];
        source sources[MOST_CLIPS];
        key_search searches[MOST_CLIPS];
        uint32_t refused[LMB_REFUSAL_COUNT] = {0};
        assert_true(program->program[FIELD(PROGRAM, control_weights)] <= sizeof stored / sizeof stored[0]);
        assert_true(program->program[FIELD(PROGRAM, sources)] <= MOST_CLIPS);
        const evaluation e = {.program = program->program,
                              .parameters = &chosen,
                              .refused = refused,
                              .counts = true,
                              .weights = stored,
                              .sources = sources,
                              .searches = searches};
        weigh_nodes(e);
        weigh_motions(e);
        find_sources(e, 0, 1);
        all->count = 0;
        expect(tree, last, (share){1.0, 1.0, 0}, all);
        assert_int_equal(all->count, program->program[FIELD(PROGRAM, sources)]);
        for (uint32_t i = 0; i < all->count; i++) {
            const uint32_t *use = program->program + program->program[FIELD(PROGRAM, uses)] + i * WORDS_OF(USE);
            const double motion = (double)stored[use[FIELD(USE, motion)]].value;
            check(seed, i, (double)sources[i].weight, all->of[i].pose);
            check_motion(seed, i, (use[FIELD(USE, flags)] & CLIP_NEGATED) != 0 ? -motion : motion, all->of[i].motion);
            assert_int_equal(use[FIELD(USE, flags)] >> CLIP_REFLECTION_SHIFT, all->of[i].reflection);
            zeros += sources[i].weight == 0.0f;
            apart += fabs(all->of[i].motion - all->of[i].pose) > 1e-5 && all->of[i].motion != 0.0;
            backwards += all->of[i].motion < 0.0;
        }
        clips += all->count;
        lmb_graph_destroy(program);
    }
    print_message("%u clips, %u of which weigh nothing, %u differ in root motion, and %u move backwards\n",
                  (unsigned)clips, (unsigned)zeros, (unsigned)apart, (unsigned)backwards);
    assert_true(clips > 2 * TREES && apart > clips / 32 && backwards > clips / 32 && zeros > clips / 8 &&
                clips - zeros > clips / 8);
    free(all);
    free(tree);
    lmb_clip_destroy(both[0]);
    lmb_clip_destroy(both[1]);
    lmb_rig_destroy(rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_clip_weighs_what_the_nodes_above_it_leave)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
