// Limbs whose ends are not below their mids, in float64. With the feet under the root or the body, all is as with feet
// under the shins while the base keeps them there: locks, strides, slopes. Where the base moves feet apart, ankles and
// tips of shins meet where the formulas of ik.h put them. The same of limbs that reach for a target, and faulty nodes.
#include "ik_rig.h"
#include "kept_paths.h"
#include "random.h"
#include "refusal.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEET = 2, CHARACTERS = SUITE_SANITIZED ? 9 : 33, FRAMES = 60 };
enum {
    TIME,
    WEIGHT,
    PLANTED,
    SPEED = PLANTED + FEET,
    GROUND,
    NORMAL = GROUND + 3 * FEET,
    PARAMETERS = NORMAL + 3 * FEET
};

typedef float pose_rows[CHARACTERS][LMB_POSE_COMPONENTS][IK_JOINTS];

typedef struct crowd {
    ik_place place;
    lmb_rig *rig;
    lmb_graph *graph;
    kept_paths paths;
    float parameters[CHARACTERS][PARAMETERS];
    float transforms[CHARACTERS][12];
    oracle_transform base[CHARACTERS][IK_JOINTS];   // model transforms
    oracle_transform solved[CHARACTERS][IK_JOINTS]; // those of the result
    oracle_transform locals[CHARACTERS][IK_JOINTS]; // of the result
    pose_rows poses;
    pose_rows shown;
} crowd;

static double distance(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// How far two rotations are apart, as quaternions.
static double rotation_distance(const double a[4], const double b[4]) {
    const double sign = oracle_quaternion_dot(a, b) < 0.0 ? -1.0 : 1.0;
    double square = 0.0;
    for (int i = 0; i < 4; i++) {
        square += (a[i] - sign * b[i]) * (a[i] - sign * b[i]);
    }
    return sqrt(square);
}

static lmb_node_def feet_node(bool keeps) {
    lmb_node_def node = lmb_default_node_def();
    lmb_feet_def *feet = &node.feet;
    node.op = LMB_OP_FOOT_PLACEMENT;
    node.input_count = 1;
    node.weight = lmb_parameter(WEIGHT);
    feet->pelvis = IK_BODY;
    feet->foot_count = FEET;
    feet->max_lowering = 10.0f;
    feet->max_angle = 1.0f;
    for (uint32_t side = 0; side < FEET; side++) {
        lmb_foot_def *foot = &feet->feet[side];
        *foot = lmb_default_foot_def();
        foot->hip = ik_leg(side, IK_THIGH);
        foot->knee = ik_leg(side, IK_SHIN);
        foot->ankle = ik_foot(side);
        foot->knee_axis[0] = -1.0f;
        foot->knee_axis[2] = 0.0f;
        foot->planted = lmb_parameter(PLANTED + side);
        for (uint32_t k = 0; k < 3; k++) {
            foot->ground[k] = lmb_parameter(GROUND + 3 * side + k);
            foot->normal[k] = lmb_parameter(NORMAL + 3 * side + k);
        }
    }
    if (keeps) {
        feet->space = LMB_IK_WORLD;
        feet->time = lmb_parameter(TIME);
        feet->speed = lmb_parameter(SPEED);
        feet->lock_distance = 0.2f;
        feet->ground_half_life = 0.05f;
        feet->pelvis_half_life = 0.03f;
    }
    return node;
}

static lmb_node_def limb_node(void) {
    lmb_value target[3];
    for (uint32_t k = 0; k < 3; k++) {
        target[k] = lmb_parameter(GROUND + k);
    }
    lmb_node_def node = lmb_two_bone_node(0, ik_leg(0, IK_THIGH), ik_leg(0, IK_SHIN), ik_foot(0), target);
    node.two_bone.mid_axis[0] = -1.0f;
    node.two_bone.mid_axis[2] = 0.0f;
    node.weight = lmb_parameter(WEIGHT);
    return node;
}

static lmb_result create_graph(const lmb_rig *rig, lmb_node_def node, lmb_graph **graph, lmb_error *error) {
    lmb_node_def nodes[2] = {lmb_default_node_def(), node};
    nodes[0].op = LMB_OP_POSE;
    const lmb_graph_def def = {.rig = rig, .nodes = nodes, .node_count = 2, .parameter_count = PARAMETERS};
    return lmb_graph_create(&def, NULL, graph, error);
}

static crowd *start_crowd(ik_place place, lmb_node_def node) {
    crowd *c = calloc(1, sizeof *c);
    assert_non_null(c);
    lmb_error error = {0};
    c->place = place;
    c->rig = ik_rig_create(place);
    if (create_graph(c->rig, node, &c->graph, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    kept_paths_start(&c->paths, c->graph, CHARACTERS);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        c->parameters[i][WEIGHT] = 1.0f;
        c->parameters[i][SPEED] = 1.0f;
        for (uint32_t side = 0; side < FEET; side++) {
            c->parameters[i][NORMAL + 3 * side + 1] = 1.0f;
        }
        c->transforms[i][0] = c->transforms[i][5] = c->transforms[i][10] = 1.0f;
    }
    return c;
}

static void end_crowd(crowd *c) {
    kept_paths_end(&c->paths);
    lmb_graph_destroy(c->graph);
    lmb_rig_destroy(c->rig);
    free(c);
}

static void turn(oracle_transform *t, double x, double y, double z) {
    const double angle = sqrt(x * x + y * y + z * z), share = angle > 0.0 ? sin(angle / 2.0) / angle : 0.0;
    double q[4] = {x * share, y * share, z * share, cos(angle / 2.0)}, product[4];
    oracle_quaternion_multiply(t->rotation, q, product);
    memcpy(t->rotation, product, sizeof product);
}

// Writes the base of a character: legs that walk, and feet at the ends of the shins, `apart` from there in each axis
// at most.
static void write_base(crowd *c, uint32_t character, double phase, double apart) {
    oracle_transform locals[IK_JOINTS];
    random_source own = random_branch(7, character);
    ik_rest(c->place, locals);
    locals[IK_BODY].translation[1] += 0.02 * sin(2.0 * phase) - 0.03;
    turn(&locals[IK_BODY], 0.0, random_between(&own, -1.0, 1.0), 0.1 * sin(phase));
    for (uint32_t side = 0; side < FEET; side++) {
        const double swing = phase + (side == 0 ? 0.0 : 3.14159265);
        turn(&locals[ik_leg(side, IK_THIGH)], 0.5 * sin(swing) - 0.3, 0.05, 0.05);
        turn(&locals[ik_leg(side, IK_SHIN)], 0.7 + 0.3 * cos(swing), 0.0, 0.0);
    }
    ik_models(c->place, locals, c->base[character]);
    for (uint32_t side = 0; side < FEET; side++) {
        const uint32_t foot = ik_foot(side);
        oracle_transform model = c->base[character][ik_leg(side, IK_SHIN_END)];
        turn(&model, 0.3 * sin(phase), 0.2, 1.0);
        for (int k = 0; k < 3; k++) {
            model.translation[k] += random_between(&own, -apart, apart);
        }
        locals[foot] = ik_local(&c->base[character][ik_parent(c->place, foot)], &model);
    }
    ik_models(c->place, locals, c->base[character]);
    for (uint32_t joint = 0; joint < IK_JOINTS; joint++) {
        for (uint32_t k = 0; k < 3; k++) {
            c->poses[character][k][joint] = (float)locals[joint].translation[k];
            c->poses[character][7 + k][joint] = (float)locals[joint].scale[k];
        }
        for (uint32_t k = 0; k < 4; k++) {
            c->poses[character][3 + k][joint] = (float)locals[joint].rotation[k];
        }
    }
}

static void set_ground(crowd *c, uint32_t character, uint32_t side, double height, double slope) {
    float *row = c->parameters[character];
    row[GROUND + 3 * side + 1] = (float)height;
    row[NORMAL + 3 * side] = (float)slope;
    row[NORMAL + 3 * side + 2] = (float)(-0.5 * slope);
}

static void run(crowd *c) {
    const lmb_batch_inputs inputs = {
        .parameters = &c->parameters[0][0], .poses = {&c->poses[0][0][0]}, .transforms = &c->transforms[0][0]};
    kept_paths_run_all(&c->paths, &inputs, &c->shown[0][0][0]);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        for (uint32_t joint = 0; joint < IK_JOINTS; joint++) {
            oracle_transform *local = &c->locals[i][joint];
            for (uint32_t k = 0; k < 4; k++) {
                local->rotation[k] = (double)c->shown[i][3 + k][joint];
            }
            for (uint32_t k = 0; k < 3; k++) {
                local->translation[k] = (double)c->shown[i][k][joint];
                local->scale[k] = (double)c->shown[i][7 + k][joint];
            }
        }
        ik_models(c->place, c->locals[i], c->solved[i]);
    }
}

// Returns where the shin ends: fixed in its space, where the rest pose has the foot.
static void find_tip(const crowd *c, uint32_t character, uint32_t side, double tip[3]) {
    memcpy(tip, c->solved[character][ik_leg(side, IK_SHIN_END)].translation, 3 * sizeof *tip);
}

// The frames of feet that are locked, with strides, on slopes that change, for one of the places of the feet.
static void write_frame(crowd *c, uint32_t frame) {
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        const double phase = 0.15 * frame + i;
        write_base(c, i, phase, 0.0);
        c->parameters[i][TIME] = (float)(frame / 40.0);
        c->parameters[i][SPEED] = i % 3 == 0 ? 1.4f : 1.0f;
        c->transforms[i][3] = (float)(0.01 * frame);
        c->transforms[i][7] = 0.1f;
        for (uint32_t side = 0; side < FEET; side++) {
            c->parameters[i][PLANTED + side] = sin(phase + 3.0 * side) > 0.0 ? 1.0f : 0.0f;
            set_ground(c, i, side, 0.1 * sin(0.05 * frame + side) - 0.1, 0.3 * sin(0.1 * frame));
            c->parameters[i][NORMAL + 3 * side + 1] = i % 5 == 1 && side == 1 && frame % 20 < 5 ? 0.0f : 1.0f;
        }
    }
}

static void feet_elsewhere_move_as_below_the_shins(void **state) {
    (void)state;
    crowd *crowds[IK_PLACES];
    double worst = 0.0, worst_turn = 0.0, most = 0.0;
    for (int place = 0; place < IK_PLACES; place++) {
        crowds[place] = start_crowd((ik_place)place, feet_node(true));
    }
    const crowd *expected = crowds[IK_UNDER_SHINS];
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        for (int place = 0; place < IK_PLACES; place++) {
            write_frame(crowds[place], frame);
            run(crowds[place]);
        }
        for (int place = 0; place < IK_UNDER_SHINS; place++) {
            for (uint32_t i = 0; i < CHARACTERS; i++) {
                for (uint32_t joint = 0; joint < IK_JOINTS; joint++) {
                    const oracle_transform *is = &crowds[place]->solved[i][joint],
                                           *belongs = &expected->solved[i][joint];
                    worst = fmax(worst, distance(is->translation, belongs->translation));
                    worst_turn = fmax(worst_turn, rotation_distance(is->rotation, belongs->rotation));
                    most = fmax(most, distance(is->translation, crowds[place]->base[i][joint].translation));
                }
            }
        }
    }
    print_message("positions %.2g apart, rotations %.2g; moved by up to %.2g\n", worst, worst_turn, most);
    assert_true(most > 0.2);
    assert_true(worst < 2e-5 && worst_turn < 2e-5);
    for (int place = 0; place < IK_PLACES; place++) {
        end_crowd(crowds[place]);
    }
}

// The place of an ankle in model space by the formula of ik.h, with up as y.
static void find_place(const crowd *c, uint32_t character, uint32_t side, double place[3]) {
    const float *row = c->parameters[character];
    const double *ankle = c->base[character][ik_foot(side)].translation;
    double normal[3], dot = 0.0, length = 0.0;
    for (int k = 0; k < 3; k++) {
        normal[k] = (double)row[NORMAL + 3 * side + k];
        length += normal[k] * normal[k];
    }
    for (int k = 0; k < 3; k++) {
        normal[k] /= sqrt(length);
        dot += ((double)row[GROUND + 3 * side + k] - ankle[k]) * normal[k];
        place[k] = ankle[k];
    }
    place[1] += (dot + ankle[1]) / normal[1];
}

// Feet that the base moves apart from the shins: the ankle follows the ground, and the shin its ankle.
static void shins_meet_their_feet(void **state) {
    (void)state;
    for (int place = 0; place < IK_UNDER_SHINS; place++) {
        crowd *c = start_crowd((ik_place)place, feet_node(false));
        double worst = 0.0, worst_tip = 0.0, worst_turn = 0.0, min_gap = 1.0;
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            write_base(c, i, i, 0.04);
            for (uint32_t side = 0; side < FEET; side++) {
                set_ground(c, i, side, i % 4 == 0 ? 0.0 : -0.2, i % 4 == 0 ? 0.0 : 0.3);
            }
        }
        run(c);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            for (uint32_t side = 0; side < FEET; side++) {
                const oracle_transform *foot = &c->solved[i][ik_foot(side)], *base = &c->base[i][ik_foot(side)];
                double belongs[3], tip[3], tilted[4], arc[4];
                find_place(c, i, side, belongs);
                find_tip(c, i, side, tip);
                worst = fmax(worst, distance(foot->translation, belongs));
                worst_tip = fmax(worst_tip, distance(tip, foot->translation));
                min_gap = fmin(min_gap, distance(base->translation, c->base[i][ik_leg(side, IK_SHIN_END)].translation));
                // The shortest arc from y to the normal.
                const float *n = &c->parameters[i][NORMAL + 3 * side];
                const double length =
                    sqrt((double)n[0] * (double)n[0] + (double)n[1] * (double)n[1] + (double)n[2] * (double)n[2]);
                const double q[4] = {(double)n[2], 0.0, -(double)n[0], length + (double)n[1]};
                assert_true(oracle_quaternion_normalise(q, arc));
                oracle_quaternion_multiply(arc, base->rotation, tilted);
                worst_turn = fmax(worst_turn, rotation_distance(tilted, foot->rotation));
            }
        }
        print_message("ankles %.2g, tips %.2g, rotations %.2g; apart before by %.2g or more\n", worst, worst_tip,
                      worst_turn, min_gap);
        assert_true(min_gap > 0.001);
        assert_true(worst < 1e-5 && worst_tip < 1e-5 && worst_turn < 2e-5);
        end_crowd(c);
    }
}

// An ankle whose place is out of reach is where its straight leg ends; at weight 1/2, half of the way.
static void feet_stay_at_their_legs(void **state) {
    (void)state;
    lmb_node_def node = feet_node(false);
    node.feet.max_lowering = 0.0f;
    crowd *c = start_crowd(IK_UNDER_ROOT, node);
    double worst = 0.0, worst_leg = 0.0, worst_half = 0.0;
    oracle_transform whole[CHARACTERS][IK_JOINTS];
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        write_base(c, i, i, 0.02);
        for (uint32_t side = 0; side < FEET; side++) {
            set_ground(c, i, side, -3.0, 0.0);
        }
    }
    run(c);
    memcpy(whole, c->locals, sizeof whole);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        for (uint32_t side = 0; side < FEET; side++) {
            double tip[3];
            find_tip(c, i, side, tip);
            worst = fmax(worst, distance(tip, c->solved[i][ik_foot(side)].translation));
            const double leg = distance(tip, c->solved[i][ik_leg(side, IK_THIGH)].translation);
            worst_leg = fmax(worst_leg, fabs(leg - 2.0 * (0.22 + 0.2)));
        }
        c->parameters[i][WEIGHT] = 0.5f;
    }
    run(c);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        for (uint32_t side = 0; side < FEET; side++) {
            const uint32_t foot = ik_foot(side);
            for (uint32_t k = 0; k < 3; k++) {
                const double half = 0.5 * ((double)c->poses[i][k][foot] + whole[i][foot].translation[k]);
                worst_half = fmax(worst_half, fabs(c->locals[i][foot].translation[k] - half));
            }
        }
    }
    print_message("from the tip %.2g, legs %.2g, half the weight %.2g\n", worst, worst_leg, worst_half);
    assert_true(worst < 1e-5 && worst_leg < 1e-5 && worst_half < 1e-6);
    end_crowd(c);
}

// Returns how far any joint but some has changed in its own space.
static double change_of_others(const crowd *c, uint32_t i, const uint32_t *but, uint32_t count) {
    double most = 0.0;
    for (uint32_t joint = 0; joint < IK_JOINTS; joint++) {
        bool changes = false;
        for (uint32_t k = 0; k < count; k++) {
            changes = changes || but[k] == joint;
        }
        for (uint32_t k = 0; k < LMB_POSE_COMPONENTS && !changes; k++) {
            most = fmax(most, fabs((double)c->shown[i][k][joint] - (double)c->poses[i][k][joint]));
        }
    }
    return most;
}

static void limbs_reach_with_their_tips(void **state) {
    (void)state;
    for (int place = 0; place < IK_UNDER_SHINS; place++) {
        crowd *c = start_crowd((ik_place)place, limb_node());
        const double reach = 2.0 * (0.22 + 0.2);
        double worst = 0.0, worst_tip = 0.0, others = 0.0, turned = 0.0;
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            random_source own = random_branch(9, i);
            write_base(c, i, i, 0.5);
            const double *start = c->base[i][ik_leg(0, IK_THIGH)].translation;
            double direction[3], length = 0.0;
            for (uint32_t k = 0; k < 3; k++) {
                direction[k] = random_between(&own, -1.0, 1.0);
                length += direction[k] * direction[k];
            }
            // Every third target is out of reach.
            const double away = i % 3 == 0 ? 1.5 * reach : random_between(&own, 0.2, 0.95) * reach;
            for (uint32_t k = 0; k < 3; k++) {
                c->parameters[i][GROUND + k] = (float)(start[k] + away * direction[k] / sqrt(length));
            }
        }
        run(c);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            const uint32_t changed[] = {ik_leg(0, IK_THIGH), ik_leg(0, IK_SHIN), ik_foot(0)};
            const double *start = c->base[i][ik_leg(0, IK_THIGH)].translation;
            const oracle_transform *end = &c->solved[i][ik_foot(0)];
            double tip[3], belongs[3], away = 0.0;
            find_tip(c, i, 0, tip);
            for (uint32_t k = 0; k < 3; k++) {
                belongs[k] = (double)c->parameters[i][GROUND + k];
            }
            away = distance(start, belongs);
            for (uint32_t k = 0; k < 3 && away > reach; k++) {
                belongs[k] = start[k] + (belongs[k] - start[k]) * reach / away;
            }
            worst = fmax(worst, distance(end->translation, belongs));
            worst_tip = fmax(worst_tip, distance(end->translation, tip));
            others = fmax(others, change_of_others(c, i, changed, 3));
            for (uint32_t k = 3; k < LMB_POSE_COMPONENTS; k++) {
                turned = fmax(turned, fabs((double)c->shown[i][k][ik_foot(0)] - (double)c->poses[i][k][ik_foot(0)]));
            }
        }
        print_message("ends %.2g, tips %.2g, others %.2g, turned %.2g\n", worst, worst_tip, others, turned);
        assert_true(worst < 1e-5 && worst_tip < 1e-5 && others < 1e-6 && turned < 1e-6);
        // At weight 0 nothing changes.
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            c->parameters[i][WEIGHT] = 0.0f;
        }
        run(c);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            assert_true(change_of_others(c, i, NULL, 0) < 1e-6);
        }
        end_crowd(c);
    }
}

static lmb_result check_node(ik_place place, lmb_node_def node, lmb_error *error) {
    lmb_rig *rig = ik_rig_create(place);
    lmb_graph *graph = NULL;
    const lmb_result result = create_graph(rig, node, &graph, error);
    lmb_graph_destroy(graph);
    lmb_rig_destroy(rig);
    return result;
}

#define REFUSED(place, node, ...)                                                                                      \
    CHECK_REFUSAL(check_node(place, node, &error), &error, LMB_ERROR_ARGUMENT, __VA_ARGS__)

// An end is below the mid or apart from the start.
static void ends_in_the_way_are_refused(void **state) {
    (void)state;
    lmb_error error = {0};
    lmb_node_def node = limb_node();
    node.two_bone.end = IK_BODY;
    REFUSED(IK_UNDER_ROOT, node, "end", "joint 1 'joint 1' is not below", "and not apart from joint 3");
    node.two_bone.end = ik_leg(0, IK_THIGH);
    REFUSED(IK_UNDER_ROOT, node, "end", "not apart");
    node.two_bone.mid = ik_leg(0, IK_SHIN_END);
    node.two_bone.end = ik_leg(0, IK_SHIN);
    REFUSED(IK_UNDER_ROOT, node, "end", "not apart");
    node = feet_node(false);
    node.feet.feet[1].ankle = ik_foot(0) + 1;
    REFUSED(IK_UNDER_ROOT, node, "feet[0]", "above or below a joint of another foot");
    node = feet_node(false);
    node.feet.feet[0].ankle = ik_leg(1, IK_SHIN_END);
    REFUSED(IK_UNDER_ROOT, node, "feet[0]", "above or below a joint of another foot");
    node = feet_node(false);
    node.feet.feet[0].ankle = IK_SPINE;
    assert_int_equal(check_node(IK_UNDER_ROOT, node, &error), LMB_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feet_elsewhere_move_as_below_the_shins),
        cmocka_unit_test(shins_meet_their_feet),
        cmocka_unit_test(feet_stay_at_their_legs),
        cmocka_unit_test(limbs_reach_with_their_tips),
        cmocka_unit_test(ends_in_the_way_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
