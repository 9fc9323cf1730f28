// Motion weights end to end: how far a character moves in a step, for random graphs that add, subtract, scale, blend
// and mirror the same clips, against float64 with the rules of lmb_motion_def. With yaw alone, and with full rotation.
#include "random.h"
#include "suite.h"

#include <limber/graph.h>
#include <math.h>
#include <string.h>

enum { PLAYERS = 3, MOST_NODES = 40, MIRRORS = 3, GRAPHS = 400, MOST_WORDS = 256, REFLECTIONS = 8 };

#define QUARTER (LMB_TICKS_PER_SECOND / 4)

static const float keys[PLAYERS][8] = {{0, 0, 0, 0, 0.5f, 0.1f, 1.5f, 0.75f},
                                       {0, 0, 0, 0, -1.25f, 0.2f, 3.0f, -0.5f},
                                       {0, 0, 0, 0, 0.25f, -0.5f, -0.75f, 2.0f}};
// The axis and the angle of each track's second rotation.
static const double axes[PLAYERS][3] = {{0.6, 0.0, 0.8}, {0.48, 0.8, 0.36}, {0.0, -0.6, 0.8}};
static const double angles[PLAYERS] = {0.9, -1.6, 2.5};

typedef struct plan {
    lmb_node_def nodes[MOST_NODES];
    uint32_t count;
    random_source random;
} plan;

static const struct {
    lmb_op op;
    uint32_t inputs;
} choices[] = {{LMB_OP_BLEND, 2},  {LMB_OP_ADD, 2},      {LMB_OP_SUBTRACT, 2}, {LMB_OP_SCALE, 1},
               {LMB_OP_MIRROR, 1}, {LMB_OP_ADDITIVE, 2}, {LMB_OP_MIRROR, 1},   {LMB_OP_MAKE_ADDITIVE, 2}};

// Draws nodes after the players, each of earlier ones.
static void draw(plan *p) {
    const uint32_t count = PLAYERS + 1 + random_below(&p->random, 8);
    for (p->count = PLAYERS; p->count < count; p->count++) {
        const uint32_t which = random_below(&p->random, sizeof choices / sizeof choices[0]);
        lmb_node_def *node = &p->nodes[p->count];
        *node = lmb_default_node_def();
        node->op = choices[which].op;
        node->input_count = choices[which].inputs;
        node->mirror = random_below(&p->random, MIRRORS);
        node->unclamped = true;
        const bool is_signed = node->op == LMB_OP_SCALE || node->op == LMB_OP_ADDITIVE;
        node->weight = lmb_constant((float)random_between(&p->random, is_signed ? -2.0 : 0.0, is_signed ? 2.0 : 1.0));
        for (uint32_t i = 0; i < node->input_count; i++) {
            node->inputs[i] = i == 0 && p->count > PLAYERS ? p->count - 1 : random_below(&p->random, p->count);
        }
    }
}

// The motion weights of the players, apart for each reflection.
typedef struct motions {
    double of[PLAYERS][REFLECTIONS];
} motions;

static void weigh(const plan *p, uint32_t index, double m, uint32_t reflection, motions *all) {
    const lmb_node_def *node = &p->nodes[index];
    const double w = (double)node->weight.constant;
    const bool subtracts = node->op == LMB_OP_SUBTRACT || node->op == LMB_OP_MAKE_ADDITIVE;
    if (node->op == LMB_OP_CLIP) {
        all->of[index][reflection] += m;
        return;
    }
    const double first = node->op == LMB_OP_BLEND ? (1.0 - w) * m : node->op == LMB_OP_SCALE ? w * m : m;
    const double second = node->op == LMB_OP_BLEND || node->op == LMB_OP_ADDITIVE ? w * m : subtracts ? -m : m;
    reflection ^= node->op == LMB_OP_MIRROR ? 1u << node->mirror : 0;
    weigh(p, node->inputs[0], first, reflection, all);
    if (node->input_count > 1) {
        weigh(p, node->inputs[1], second, reflection, all);
    }
}

static double sign_of(uint32_t reflection, uint32_t axis) {
    return (reflection >> axis & 1) != 0 ? -1.0 : 1.0;
}

// The displacement of a step of a quarter of each clip.
static void expect(const motions *all, double moved[3], double *yaw, double q[4]) {
    memset(moved, 0, 3 * sizeof *moved);
    memset(q, 0, 4 * sizeof *q);
    *yaw = 0.0;
    double rest = 1.0;
    for (uint32_t i = 0; i < PLAYERS * REFLECTIONS; i++) {
        const uint32_t player = i / REFLECTIONS, reflection = i % REFLECTIONS;
        const double m = all->of[player][reflection], half = angles[player] / 8.0;
        for (uint32_t k = 0; k < 3; k++) {
            moved[k] += m * sign_of(reflection, k) * (double)keys[player][4 + k] / 4.0;
            // An axis of rotation keeps its sign where both other axes do, and turns around with one of them.
            const double turned = sign_of(reflection, (k + 1) % 3) * sign_of(reflection, (k + 2) % 3);
            q[k] += m * turned * axes[player][k] * sin(half);
        }
        *yaw += m * sign_of(reflection, 0) * sign_of(reflection, 2) * (double)keys[player][7] / 4.0;
        q[3] += fabs(m) * cos(half);
        rest -= fabs(m);
    }
    q[3] += rest;
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (uint32_t k = 0; k < 4; k++) {
        q[k] /= length;
    }
}

static void expect_near(uint32_t graph, double actual, double expected, double bound) {
    if (!(fabs(actual - expected) <= bound)) {
        fail_msg("graph %u: %.9g is not %.9g", (unsigned)graph, actual, expected);
    }
}

static const lmb_joint_def root = {
    .name = "root", .parent = LMB_NONE, .rest = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}};
static const uint32_t partner = 0;
static const lmb_mirror_def mirrors[MIRRORS] = {
    {LMB_AXIS_X, &partner, NULL, NULL}, {LMB_AXIS_Y, &partner, NULL, NULL}, {LMB_AXIS_Z, &partner, NULL, NULL}};

static lmb_motion run(const lmb_graph *graph, uint32_t steps, float *parameters) {
    static uint32_t state[MOST_WORDS];
    lmb_error error = {0};
    assert_true(lmb_graph_get_info(graph)->state_words <= MOST_WORDS);
    memset(state, 0, sizeof state);
    for (uint32_t i = 0; i < steps; i++) {
        const lmb_control_frame frame = {
            .step = QUARTER, .number = i, .character_count = 1, .state = state, .parameters = parameters};
        if (lmb_control_run(graph, &frame, 0, 1, &error) != LMB_OK) {
            fail_msg("%s", error.message);
        }
    }
    assert_int_equal(lmb_state_check(graph, state, 1, &error), LMB_OK);
    return lmb_state_motion(graph, state);
}

typedef struct stage {
    lmb_rig *rig;
    lmb_clip *clips[PLAYERS];
    float rotations[PLAYERS][8];
    lmb_motion_track tracks[PLAYERS];
    lmb_player_def players[PLAYERS];
    lmb_motion_def motion;
    lmb_graph_def def;
} stage;

static void begin(stage *s, bool full_rotation) {
    const lmb_rig_def rig_def = {.joints = &root, .joint_count = 1};
    memset(s, 0, sizeof *s);
    assert_int_equal(lmb_rig_create(&rig_def, NULL, &s->rig, NULL), LMB_OK);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        const lmb_clip_def clip = {.name = "still", .duration = 1.0f};
        assert_int_equal(lmb_clip_create(s->rig, &clip, NULL, &s->clips[i], NULL), LMB_OK);
        s->rotations[i][3] = 1.0f;
        for (uint32_t k = 0; k < 3; k++) {
            s->rotations[i][4 + k] = (float)(axes[i][k] * sin(angles[i] / 2.0));
        }
        s->rotations[i][7] = (float)cos(angles[i] / 2.0);
        s->tracks[i] = (lmb_motion_track){2, keys[i], full_rotation ? s->rotations[i] : NULL};
        s->players[i] = lmb_default_player_def();
        s->players[i].motion = &s->tracks[i];
    }
    s->motion = lmb_default_motion_def();
    s->motion.full_rotation = full_rotation;
    s->def = lmb_default_graph_def();
    s->def.rig = s->rig;
    s->def.clips = (const lmb_clip *const *)s->clips;
    s->def.clip_count = PLAYERS;
    s->def.mirrors = mirrors;
    s->def.mirror_count = MIRRORS;
    s->def.motion = &s->motion;
}

static void end(stage *s) {
    for (uint32_t i = 0; i < PLAYERS; i++) {
        lmb_clip_destroy(s->clips[i]);
    }
    lmb_rig_destroy(s->rig);
}

static void random_graphs(void **state) {
    (void)state;
    static plan p;
    uint32_t several = 0;
    for (uint32_t full = 0; full < 2; full++) {
        stage s;
        begin(&s, full != 0);
        for (uint32_t i = 0; i < PLAYERS; i++) {
            p.nodes[i] = lmb_playing_node(i, &s.players[i]);
        }
        for (uint32_t number = 0; number < GRAPHS; number++) {
            lmb_graph *graph = NULL;
            lmb_error error = {0};
            p.random = (random_source){number};
            do { // until it mixes no poses and additives
                draw(&p);
                s.def.nodes = p.nodes;
                s.def.node_count = p.count;
            } while (lmb_graph_create(&s.def, NULL, &graph, &error) == LMB_ERROR_ARGUMENT);
            if (graph == NULL) {
                fail_msg("%s", error.message);
            }
            motions all = {0};
            float parameters[PLAYERS + 1] = {0};
            double moved[3], yaw, q[4], scale = 1.0;
            weigh(&p, p.count - 1, 1.0, 0, &all);
            expect(&all, moved, &yaw, q);
            for (uint32_t i = 0; i < PLAYERS; i++) {
                uint32_t used = 0;
                for (uint32_t k = 0; k < REFLECTIONS; k++) {
                    scale += fabs(all.of[i][k]);
                    used += all.of[i][k] != 0.0;
                }
                several += used > 1;
            }
            const lmb_motion reached = run(graph, 1, parameters);
            for (uint32_t k = 0; k < 3; k++) {
                expect_near(number, reached.position[k], moved[k], 2e-6 * scale);
            }
            double dot = 0.0;
            for (uint32_t k = 0; k < 4; k++) {
                dot += reached.rotation[k] * q[k];
            }
            if (full != 0) {
                expect_near(number, sqrt(fmax(2.0 - 2.0 * fabs(dot), 0.0)), 0.0, 3e-6 * scale * scale);
            } else {
                expect_near(number, remainder(reached.yaw - yaw, 6.283185307179586), 0.0, 2e-6 * scale);
            }
            lmb_graph_destroy(graph);
        }
        end(&s);
    }
    assert_true(several > GRAPHS / 4); // clips that a graph plays reflected and as they are
}

// The path of a mirrored clip with a warp is the reflected one, and the target stays where it is. So it arrives
// whatever weight the mirror has, and takes the way of the clip to the reflected target, reflected.
static void a_mirrored_warp_reaches_its_target(void **state) {
    (void)state;
    stage s;
    begin(&s, false);
    lmb_warp_def warp = lmb_default_warp_def();
    warp.end = 1.0f;
    for (uint32_t i = 0; i < 3; i++) {
        warp.target[i] = lmb_parameter(1 + i);
    }
    warp.turns_to_heading = true;
    warp.heading = lmb_parameter(4);
    s.players[1].warps = &warp;
    s.players[1].warp_count = 1;
    s.players[1].end = LMB_END_HOLD;
    lmb_node_def nodes[3] = {lmb_playing_node(1, &s.players[1]), lmb_mirror_node(0, 0),
                             lmb_blend_node(0, 1, lmb_parameter(0))};
    s.def.nodes = nodes;
    s.def.node_count = 3;
    s.def.parameter_count = 5;
    lmb_graph *graph = NULL;
    assert_int_equal(lmb_graph_create(&s.def, NULL, &graph, NULL), LMB_OK);
    float mirrored[] = {1.0f, 2.0f, 0.5f, -1.0f, 0.25f, 0.0f}, plain[] = {0.0f, -2.0f, 0.5f, -1.0f, -0.25f, 0.0f};
    for (uint32_t steps = 1; steps <= 5; steps++) {
        const lmb_motion a = run(graph, steps, mirrored), b = run(graph, steps, plain);
        expect_near(steps, a.position[0], -b.position[0], 1e-5);
        expect_near(steps, a.position[1], b.position[1], 1e-5);
        expect_near(steps, a.position[2], b.position[2], 1e-5);
        expect_near(steps, a.yaw, -b.yaw, 1e-5);
    }
    for (uint32_t i = 0; i < 4; i++) {
        mirrored[0] = (float)i / 3.0f;
        const lmb_motion reached = run(graph, 5, mirrored);
        expect_near(i, reached.position[0], 2.0, 1e-5);
        expect_near(i, reached.position[1], 0.5, 1e-5);
        expect_near(i, reached.position[2], -1.0, 1e-5);
        expect_near(i, reached.yaw, 0.25, 1e-5);
    }
    lmb_graph_destroy(graph);
    end(&s);
}

// Masked blends over each other, whose rules of motion weights need more room than vectors have, while the others alone
// would fit.
static void many_motion_weights(void **state) {
    (void)state;
    enum { BLENDS = 250, CHARACTERS = 3 }; // one alone takes no vectors
    static const uint8_t mask[] = {51};
    static const uint8_t *const masks[] = {mask};
    static lmb_node_def nodes[PLAYERS + BLENDS];
    const double share = 0.02 * 51.0 / 255.0;
    stage s;
    begin(&s, false);
    double m = 1.0;
    motions all = {0};
    for (uint32_t i = 0; i < PLAYERS; i++) {
        nodes[i] = lmb_playing_node(i, &s.players[i]);
    }
    for (uint32_t i = PLAYERS; i < PLAYERS + BLENDS; i++) {
        nodes[i] = lmb_masked_node(i == PLAYERS ? 0 : i - 1, i % PLAYERS, 0, lmb_constant(0.02f));
    }
    for (uint32_t i = PLAYERS + BLENDS; i-- > PLAYERS; m *= 1.0 - share) {
        all.of[i % PLAYERS][0] += m * share;
    }
    all.of[0][0] += m;
    s.def.masks = masks;
    s.def.mask_count = 1;
    s.def.nodes = nodes;
    s.def.node_count = PLAYERS + BLENDS;
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    if (lmb_graph_create(&s.def, NULL, &graph, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    uint32_t states[CHARACTERS * MOST_WORDS] = {0};
    float parameters[CHARACTERS * (PLAYERS + 1)] = {0};
    const uint32_t words = lmb_graph_get_info(graph)->state_words;
    assert_true(words <= MOST_WORDS && lmb_graph_get_info(graph)->parameter_count <= PLAYERS + 1);
    const lmb_control_frame frame = {
        .step = QUARTER, .character_count = CHARACTERS, .state = states, .parameters = parameters};
    assert_int_equal(lmb_control_run(graph, &frame, 0, CHARACTERS, &error), LMB_OK);
    double moved[3], yaw, q[4];
    expect(&all, moved, &yaw, q);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        const lmb_motion reached = lmb_state_motion(graph, states + (size_t)i * words);
        for (uint32_t k = 0; k < 3; k++) {
            expect_near(i, reached.position[k], moved[k], 1e-5);
        }
    }
    lmb_graph_destroy(graph);
    end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_graphs), cmocka_unit_test(many_motion_weights),
                                       cmocka_unit_test(a_mirrored_warp_reaches_its_target)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
