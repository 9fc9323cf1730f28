// Blend spaces: weights against the float64 oracle, and properties of the definition. Input i moves joint i by 1, so
// the translations of a result are the weights.
#include "refusal.h"
#include "scene.h"
#include "space_oracle.h"

#include "program/program.h"

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POSITIONS (4096u / suite_stride())
#define MOST_JOINTS LMB_MAX_SPACE_INPUTS

// A step of 1e-4 of the range changes no weight by more than this.
#define MOST_CHANGE 0.01

typedef struct space_scene {
    test_scene scene;
    uint32_t joints; // one per input, at least 16
    lmb_clip_def clips[MOST_JOINTS];
    lmb_track_def tracks[MOST_JOINTS];
    double ranges[2];
    double min[2];
} space_scene;

static lmb_rig *create_roots(uint32_t count) {
    lmb_joint_def joints[MOST_JOINTS];
    for (uint32_t i = 0; i < count; i++) {
        joints[i] = lmb_default_joint_def();
    }
    const lmb_rig_def def = {.joints = joints, .joint_count = count};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

static lmb_node_def *space_of(space_scene *s) {
    return &s->scene.nodes[s->scene.node_count - 1];
}

// Starts a space of this many inputs, all at position 0. Parameters 0 and 1 are the sampled position.
static void start(space_scene *s, lmb_op op, uint32_t inputs, uint32_t positions) {
    static const float zero = 0.0f, one[3] = {1.0f, 0.0f, 0.0f};
    s->joints = inputs > 16 ? inputs : 16;
    scene_start(&s->scene, create_roots(s->joints), positions, 2);
    for (uint32_t i = 0; i < inputs; i++) {
        s->tracks[i] = (lmb_track_def){i, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 1, &zero, one};
        s->clips[i] = (lmb_clip_def){.tracks = &s->tracks[i], .track_count = 1};
        scene_add(&s->scene, LMB_OP_CLIP, LMB_NONE, LMB_NONE)->clip = lmb_constant((float)i);
    }
    s->scene.clips = s->clips;
    s->scene.clip_count = inputs;
    lmb_node_def *node = scene_add(&s->scene, op, LMB_NONE, LMB_NONE);
    node->input_count = inputs;
    for (uint32_t i = 0; i < inputs; i++) {
        node->inputs[i] = i;
    }
    node->coordinates[0] = lmb_parameter(0);
    node->coordinates[1] = lmb_parameter(1);
}

static void measure(space_scene *s) {
    const lmb_node_def *node = space_of(s);
    for (int axis = 0; axis < 2; axis++) {
        double max = -HUGE_VAL;
        s->min[axis] = HUGE_VAL;
        for (uint32_t i = 0; i < node->input_count; i++) {
            s->min[axis] = fmin(s->min[axis], (double)node->positions[i][axis]);
            max = fmax(max, (double)node->positions[i][axis]);
        }
        s->ranges[axis] = max - s->min[axis];
    }
}

// Draws input positions with at least this distance, relative to the ranges.
static void draw_places(space_scene *s, random_source *source, double apart, const double sizes[2]) {
    lmb_node_def *node = space_of(s);
    for (uint32_t i = 0; i < node->input_count;) {
        bool is_apart = true;
        double drawn[2];
        for (int axis = 0; axis < 2; axis++) {
            drawn[axis] = random_between(source, -1.0, 1.0);
            node->positions[i][axis] = (float)(drawn[axis] * sizes[axis]);
        }
        for (uint32_t k = 0; k < i; k++) {
            is_apart = is_apart && hypot((double)node->positions[k][0] / sizes[0] - drawn[0],
                                         (double)node->positions[k][1] / sizes[1] - drawn[1]) > 2.0 * apart;
        }
        i += is_apart;
    }
    measure(s);
}

static float *position(space_scene *s, uint32_t character) {
    return scene_parameter(&s->scene, character, 0);
}

// Draws sample positions. Half are within the range of the inputs, half are up to `margin` times the range outside.
static void draw_positions(space_scene *s, random_source *source, double margin) {
    for (uint32_t i = 0; i < s->scene.character_count; i++) {
        const double out = i % 2 == 0 ? 0.0 : margin;
        for (int axis = 0; axis < 2; axis++) {
            position(s, i)[axis] = (float)(s->min[axis] + s->ranges[axis] * random_between(source, -out, 1.0 + out));
        }
    }
}

static double weight(const space_scene *s, uint32_t character, uint32_t input) {
    return (double)*scene_component(&s->scene, s->scene.buffers[LMB_OUTPUT_LOCAL], character, input, 0);
}

static void expect_sums_of_one(const space_scene *s) {
    for (uint32_t i = 0; i < s->scene.character_count; i++) {
        double sum = 0.0;
        for (uint32_t input = 0; input < s->joints; input++) {
            assert_true(weight(s, i, input) >= 0.0 && weight(s, i, input) <= 1.0 + 1e-6);
            sum += weight(s, i, input);
        }
        assert_true(fabs(sum - 1.0) <= 1e-6);
    }
}

// Returns the largest difference from the oracle.
static double error_of(space_scene *s) {
    double largest = 0.0;
    for (uint32_t i = 0; i < s->scene.character_count; i++) {
        double expected[LMB_MAX_SPACE_INPUTS];
        space_oracle_weights(space_of(s), (double)position(s, i)[0], (double)position(s, i)[1], expected);
        for (uint32_t input = 0; input < s->joints; input++) {
            const double error = fabs(weight(s, i, input) - expected[input]);
            largest = error <= largest ? largest : error;
        }
    }
    return largest;
}

// At the position of each input, its weight is exactly 1 and all others are 0.
static void expect_exact_places(space_scene *s) {
    const lmb_node_def *node = space_of(s);
    for (uint32_t i = 0; i < s->scene.character_count; i++) {
        memcpy(position(s, i), node->positions[i % node->input_count], 2 * sizeof(float));
    }
    scene_run(&s->scene);
    for (uint32_t i = 0; i < s->scene.character_count; i++) {
        for (uint32_t input = 0; input < s->joints; input++) {
            const double expected = input == i % node->input_count ? 1.0 : 0.0;
            if (weight(s, i, input) != expected) {
                fail_msg("at place %u input %u weighs %a", i % node->input_count, input, weight(s, i, input));
            }
        }
    }
}

// Returns the largest change of a weight in steps of 1e-4 of the range, along lines between drawn positions.
static double largest_change(space_scene *s, random_source *source, double margin) {
    double largest = 0.0;
    for (uint32_t line = 0; line < 4; line++) {
        double from[2], angle = random_between(source, -3.15, 3.15);
        for (int axis = 0; axis < 2; axis++) {
            from[axis] = s->min[axis] + s->ranges[axis] * random_between(source, -margin, 1.0 + margin);
        }
        for (uint32_t i = 0; i < s->scene.character_count; i++) {
            const double along = 1e-4 * ((double)i - s->scene.character_count / 2.0);
            position(s, i)[0] = (float)(from[0] + along * cos(angle) * s->ranges[0]);
            position(s, i)[1] = (float)(from[1] + along * sin(angle) * s->ranges[1]);
        }
        scene_run(&s->scene);
        for (uint32_t i = 1; i < s->scene.character_count; i++) {
            for (uint32_t input = 0; input < s->joints; input++) {
                largest = fmax(largest, fabs(weight(s, i, input) - weight(s, i - 1, input)));
            }
        }
    }
    return largest;
}

static void a_line_against_the_oracle(void **state) {
    (void)state;
    random_source source = {1};
    double largest = 0.0, change = 0.0;
    for (uint32_t inputs = 2; inputs <= LMB_MAX_SPACE_INPUTS; inputs += inputs < 17 ? 1 : 47) {
        space_scene s;
        start(&s, LMB_OP_SPACE1D, inputs, inputs <= 16 ? POSITIONS : POSITIONS / 4);
        const double sizes[2] = {inputs % 3 == 0 ? 1e-3 : inputs % 3 == 1 ? 1.0 : 700.0, 1.0};
        draw_places(&s, &source, 0.02, sizes);
        lmb_node_def *node = space_of(&s);
        for (uint32_t i = 0; i < inputs; i++) {
            // Unsorted, with a distance between all positions.
            const uint32_t rank = (i * 7) % (inputs <= 16 ? 16 : 64);
            node->positions[i][0] = (float)(sizes[0] * ((double)rank + random_between(&source, 0.0, 0.25) - 5.0));
            node->positions[i][1] = NAN; // ignored
        }
        measure(&s);
        s.ranges[1] = s.min[1] = 1.0;
        draw_positions(&s, &source, 0.5);
        scene_run(&s.scene);
        expect_sums_of_one(&s);
        largest = fmax(largest, error_of(&s));
        change = fmax(change, largest_change(&s, &source, 0.2));
        for (uint32_t i = 0; i < inputs; i++) {
            node->positions[i][1] = 0.0f;
        }
        expect_exact_places(&s);
        scene_end(&s.scene);
    }
    print_message("space1d: weights off by %.2g, a step changes %.2g\n", largest, change);
    assert_true(largest <= 1e-6);
    assert_true(change <= MOST_CHANGE);
}

static void the_ends_of_a_line(void **state) {
    (void)state;
    static const float given[][2] = {{-1e30f, 0.0f}, {-INFINITY, 0.0f}, {INFINITY, 1.0f}, {1e30f, 1.0f},
                                     {2.0f, 1.0f},   {-3.0f, 0.0f},     {-0.0f, 0.6f},    {0x1p-45f, 0.6f}};
    space_scene s;
    start(&s, LMB_OP_SPACE1D, 2, sizeof given / sizeof *given);
    space_of(&s)->positions[0][0] = 2.0f;
    space_of(&s)->positions[1][0] = -3.0f;
    for (uint32_t i = 0; i < s.scene.character_count; i++) {
        position(&s, i)[0] = given[i][0];
    }
    scene_run(&s.scene);
    for (uint32_t i = 0; i < s.scene.character_count; i++) {
        assert_true(fabs(weight(&s, i, 0) - (double)given[i][1]) <= 1e-7);
        assert_true(i >= 6 || weight(&s, i, 0) == (double)given[i][1]);
        assert_true(fabs(weight(&s, i, 1) - (1.0 - (double)given[i][1])) <= 1e-7);
    }
    assert_int_equal(s.scene.refused[LMB_REFUSED_WEIGHT], 0);
    scene_end(&s.scene);
}

static void grids_against_the_oracle(void **state) {
    (void)state;
    static const uint32_t shapes[][2] = {{2, 2}, {3, 3}, {4, 4}, {5, 3}, {3, 5},  {2, 8}, {8, 2},
                                         {1, 4}, {4, 1}, {7, 3}, {8, 8}, {16, 4}, {64, 1}};
    random_source source = {2};
    double largest = 0.0, change = 0.0;
    for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++) {
        const uint32_t columns = shapes[shape][0], rows = shapes[shape][1];
        space_scene s;
        start(&s, LMB_OP_SPACE2D, columns * rows, columns * rows <= 21 ? POSITIONS : POSITIONS / 4);
        lmb_node_def *node = space_of(&s);
        node->space2d = LMB_SPACE2D_GRID;
        float xs[LMB_MAX_SPACE_INPUTS], ys[LMB_MAX_SPACE_INPUTS];
        for (uint32_t i = 0; i < LMB_MAX_SPACE_INPUTS; i++) {
            xs[i] = (float)(90.0 * ((i * 3) % columns) + random_between(&source, 0.0, 30.0));
            ys[i] = (float)(0.5 * ((i * 7) % rows) + random_between(&source, 0.0, 0.25));
        }
        for (uint32_t i = 0; i < columns * rows; i++) {
            node->positions[i][0] = xs[i % columns];
            node->positions[i][1] = ys[i / columns];
        }
        measure(&s);
        s.ranges[0] = fmax(s.ranges[0], 1.0);
        s.ranges[1] = fmax(s.ranges[1], 1.0);
        draw_positions(&s, &source, 0.5);
        scene_run(&s.scene);
        expect_sums_of_one(&s);
        largest = fmax(largest, error_of(&s));
        change = fmax(change, largest_change(&s, &source, 0.2));
        expect_exact_places(&s);
        scene_end(&s.scene);
    }
    print_message("grids: weights off by %.2g, a step changes %.2g\n", largest, change);
    assert_true(largest <= 1e-6);
    assert_true(change <= MOST_CHANGE);
}

static void scattered(lmb_space2d kind, const char *title, double bound) {
    random_source source = {3 + (uint64_t)kind};
    static const double sizes[][2] = {{1.0, 1.0}, {1e-5, 1e-5}, {3e6, 3e6}, {3.0, 1.0}};
    double largest = 0.0, change = 0.0;
    for (uint32_t round = 0; round < 31; round++) {
        const uint32_t inputs = round < 28 ? 3 + round % 14 : round == 28 ? 17 : LMB_MAX_SPACE_INPUTS;
        space_scene s;
        start(&s, LMB_OP_SPACE2D, inputs, inputs <= 16 ? POSITIONS / 4 : POSITIONS / 16);
        space_of(&s)->space2d = kind;
        draw_places(&s, &source, 0.05, sizes[round % 4]);
        draw_positions(&s, &source, round % 3 == 0 ? 0.1 : 2.0);
        scene_run(&s.scene);
        expect_sums_of_one(&s);
        const double error = error_of(&s);
        largest = fmax(largest, error);
        change = fmax(change, largest_change(&s, &source, 0.3));
        expect_exact_places(&s);
        scene_end(&s.scene);
    }
    print_message("%s: weights off by %.2g, a step changes %.2g\n", title, largest, change);
    assert_true(largest <= bound);
    assert_true(change <= MOST_CHANGE);
}

static void triangles_against_the_oracle(void **state) {
    (void)state;
    scattered(LMB_SPACE2D_TRIANGLES, "triangles", 2e-5);
}

static void bands_against_the_oracle(void **state) {
    (void)state;
    scattered(LMB_SPACE2D_FREEFORM, "freeform", 2e-5);
}

// Draws directions all round, less than 150 degrees apart, and the origin as the last position.
static void draw_directions(space_scene *s, random_source *source, double size) {
    lmb_node_def *node = space_of(s);
    const uint32_t count = node->input_count - 1;
    for (uint32_t i = 0; i < count; i++) {
        const double angle = 6.2831853 * (i + random_between(source, -0.2, 0.2)) / count;
        const double distance = size * random_between(source, 0.3, 1.0);
        node->positions[i][0] = (float)(distance * cos(angle));
        node->positions[i][1] = (float)(distance * sin(angle));
    }
    measure(s);
}

static void directions_against_the_oracle(void **state) {
    (void)state;
    random_source source = {20};
    double largest = 0.0, change = 0.0;
    for (uint32_t round = 0; round < 24; round++) {
        static const double sizes[] = {1.0, 1e-5, 3e6, 200.0};
        const uint32_t inputs = round < 22 ? 4 + round % 10 : round == 22 ? 17 : LMB_MAX_SPACE_INPUTS;
        space_scene s;
        start(&s, LMB_OP_SPACE2D, inputs, inputs <= 16 ? POSITIONS / 4 : POSITIONS / 16);
        space_of(&s)->space2d = LMB_SPACE2D_DIRECTIONAL;
        draw_directions(&s, &source, sizes[round % 4]);
        draw_positions(&s, &source, round % 3 == 0 ? 0.1 : 2.0);
        scene_run(&s.scene);
        expect_sums_of_one(&s);
        largest = fmax(largest, error_of(&s));
        change = fmax(change, inputs <= 16 ? largest_change(&s, &source, 0.3) : 0.0);
        expect_exact_places(&s);
        scene_end(&s.scene);
    }
    print_message("directional: weights off by %.2g, a step changes %.2g\n", largest, change);
    assert_true(largest <= 2e-5);
    assert_true(change <= MOST_CHANGE);
}

// Without the origin, and with only two directions, opposite to each other: weights change without jumps all round.
static void opposite_directions(void **state) {
    (void)state;
    space_scene s;
    start(&s, LMB_OP_SPACE2D, 2, 360);
    space_of(&s)->space2d = LMB_SPACE2D_DIRECTIONAL;
    space_of(&s)->positions[0][1] = 2.0f;
    space_of(&s)->positions[1][1] = -2.0f;
    for (uint32_t i = 0; i < 360; i++) {
        position(&s, i)[0] = (float)(3.0 * sin(i * 3.14159265358979 / 180.0));
        position(&s, i)[1] = (float)(3.0 * cos(i * 3.14159265358979 / 180.0));
    }
    position(&s, 359)[0] = position(&s, 359)[1] = 0.0f; // no direction
    scene_run(&s.scene);
    for (uint32_t i = 0; i < 359; i++) {
        assert_true(fabs(weight(&s, i, 1) - (i <= 180 ? i : 360 - i) / 180.0) <= 1e-6);
    }
    assert_true(weight(&s, 359, 0) == 0.5 && weight(&s, 359, 1) == 0.5);
    scene_end(&s.scene);
}

// Opposite to directions that are more than 180 degrees apart, weights jump, but they have a sum.
static void directions_far_apart(void **state) {
    (void)state;
    static const float positions[3][2] = {{1.0f, 0.0f}, {0.0f, 1.0f}, {0.0f, 0.0f}};
    random_source source = {21};
    space_scene s;
    start(&s, LMB_OP_SPACE2D, 3, POSITIONS);
    space_of(&s)->space2d = LMB_SPACE2D_DIRECTIONAL;
    memcpy(space_of(&s)->positions, positions, sizeof positions);
    measure(&s);
    draw_positions(&s, &source, 1.0); // also opposite to all directions
    scene_run(&s.scene);
    expect_sums_of_one(&s);
    assert_true(error_of(&s) <= 2e-6);
    scene_end(&s.scene);
}

static void the_nearest_input(void **state) {
    (void)state;
    random_source source = {22};
    for (uint32_t round = 0; round < 12; round++) {
        const uint32_t inputs = round < 10 ? 2 + round : round == 10 ? 17 : LMB_MAX_SPACE_INPUTS;
        space_scene s;
        start(&s, round % 2 == 0 ? LMB_OP_SPACE1D : LMB_OP_SPACE2D, inputs, POSITIONS / 4);
        space_of(&s)->discrete = true;
        draw_places(&s, &source, 0.01, (const double[]){1.0, 3.0});
        draw_positions(&s, &source, 2.0);
        scene_run(&s.scene);
        expect_sums_of_one(&s);
        assert_true(error_of(&s) == 0.0);
        scene_end(&s.scene);
    }
}

// Between two inputs the first one counts, whatever its position. Kinds do not matter: these positions are on a line.
static void the_first_of_two_nearest(void **state) {
    (void)state;
    for (uint32_t kind = 0; kind <= LMB_SPACE2D_COUNT; kind++) {
        space_scene s;
        start(&s, kind < LMB_SPACE2D_COUNT ? LMB_OP_SPACE2D : LMB_OP_SPACE1D, 3, 6);
        space_of(&s)->discrete = true;
        space_of(&s)->space2d = kind < LMB_SPACE2D_COUNT ? (lmb_space2d)kind : LMB_SPACE2D_TRIANGLES;
        static const float given[6] = {2.0f, 4.0f, 1.99f, 4.01f, -1e30f, INFINITY};
        static const uint32_t nearest[6] = {0, 0, 2, 1, 2, 1};
        space_of(&s)->positions[0][0] = 3.0f;
        space_of(&s)->positions[1][0] = 5.0f;
        space_of(&s)->positions[2][0] = 1.0f;
        for (uint32_t i = 0; i < 6; i++) {
            position(&s, i)[0] = given[i];
        }
        scene_run(&s.scene);
        for (uint32_t i = 0; i < 18; i++) {
            assert_true(weight(&s, i / 3, i % 3) == (i % 3 == nearest[i / 3] ? 1.0 : 0.0));
        }
        scene_end(&s.scene);
    }
}

// A triangle at the hull that is flatter than 1/64 is removed, and so is a triangle above its side. Weights there are
// linear along the hull.
static void flat_triangles_give_way(void **state) {
    (void)state;
    // Inputs 3 to 6 are at decreasing distances from the side from 0 to 1.
    static const float positions[][2] = {{0.0f, 0.0f},    {8.0f, 0.0f},     {4.0f, 6.0f},    {4.0f, 0.05f},
                                         {2.0f, 0.0625f}, {3.0f, 0x1p-20f}, {6.0f, 0x1p-40f}};
    random_source source = {5};
    for (uint32_t inputs = 4; inputs <= 7; inputs++) {
        space_scene s;
        start(&s, LMB_OP_SPACE2D, inputs, POSITIONS);
        memcpy(space_of(&s)->positions, positions, sizeof positions);
        measure(&s);
        // Sample positions across the side and beyond its ends.
        for (uint32_t i = 0; i < POSITIONS; i++) {
            position(&s, i)[0] = (float)random_between(&source, -1.0, 9.0);
            position(&s, i)[1] = (float)random_between(&source, -0.1, 0.1);
        }
        scene_run(&s.scene);
        expect_sums_of_one(&s);
        const double error = error_of(&s), change = largest_change(&s, &source, 0.0);
        print_message("flat triangles, %u places: weights off by %.2g, a step changes %.2g\n", inputs, error, change);
        assert_true(error <= 2e-5);
        assert_true(change <= MOST_CHANGE);
        expect_exact_places(&s);
        // Below the side, only its two nearest inputs along the side have a weight.
        position(&s, 0)[0] = 5.0f;
        position(&s, 0)[1] = -2.0f;
        scene_run(&s.scene);
        const uint32_t next = inputs < 7 ? 1 : 6;
        const double expected = inputs < 7 ? 0.25 : 0.5;
        assert_true(fabs(weight(&s, 0, next) - expected) <= 1e-6);
        assert_true(fabs(weight(&s, 0, 3) - (1.0 - expected)) <= 1e-6);
        scene_end(&s.scene);
    }
}

// If the range is the height of a triangle and the other axis is long, nothing is flat.
static void axes_of_unlike_units(void **state) {
    (void)state;
    random_source source = {6};
    space_scene s;
    start(&s, LMB_OP_SPACE2D, 5, POSITIONS);
    static const float positions[5][2] = {{0.0f, -180.0f}, {0.0f, 180.0f}, {6.0f, 0.0f}, {3.0f, 1.0f}, {0.0f, 0.0f}};
    memcpy(space_of(&s)->positions, positions, sizeof positions);
    measure(&s);
    draw_positions(&s, &source, 0.0);
    scene_run(&s.scene);
    expect_sums_of_one(&s);
    assert_true(error_of(&s) <= 2e-5);
    assert_true(largest_change(&s, &source, 0.5) <= MOST_CHANGE);
    expect_exact_places(&s);
    scene_end(&s.scene);
}

// In a grid, each four neighbours are on a circle, and rows at the hull are collinear. All weights must follow from one
// triangulation.
static void places_on_circles_and_lines(void **state) {
    (void)state;
    random_source source = {7};
    for (uint32_t turn = 0; turn < 4; turn++) {
        space_scene s;
        start(&s, LMB_OP_SPACE2D, 16, POSITIONS);
        for (uint32_t i = 0; i < 16; i++) {
            const double x = (double)(i % 4), y = (double)(i / 4), angle = 0.4 * turn;
            space_of(&s)->positions[i][0] = (float)(x * cos(angle) - y * sin(angle));
            space_of(&s)->positions[i][1] = (float)(x * sin(angle) + y * cos(angle));
        }
        measure(&s);
        draw_positions(&s, &source, 0.3);
        scene_run(&s.scene);
        expect_sums_of_one(&s);
        for (uint32_t i = 0; i < POSITIONS; i++) {
            // The weighted mean of the inputs is the position, inside the hull.
            double x = 0.0, y = 0.0;
            uint32_t counted = 0;
            for (uint32_t input = 0; input < 16; input++) {
                x += weight(&s, i, input) * (double)space_of(&s)->positions[input][0];
                y += weight(&s, i, input) * (double)space_of(&s)->positions[input][1];
                counted += weight(&s, i, input) > 1e-6;
            }
            assert_true(counted <= 3);
            const double to[2] = {(double)position(&s, i)[0], (double)position(&s, i)[1]};
            const double angle = 0.4 * turn;
            const double u = to[0] * cos(angle) + to[1] * sin(angle), v = to[1] * cos(angle) - to[0] * sin(angle);
            const double off = hypot(u - fmin(fmax(u, 0.0), 3.0), v - fmin(fmax(v, 0.0), 3.0));
            assert_true(fabs(hypot(to[0] - x, to[1] - y) - off) <= 2e-5);
        }
        assert_true(largest_change(&s, &source, 0.2) <= MOST_CHANGE);
        expect_exact_places(&s);
        scene_end(&s.scene);
    }
}

// From far away, the nearest point of the hull and the gradient bands keep their direction. Beyond the max distance,
// they use the position at that distance.
static void positions_far_away(void **state) {
    (void)state;
    random_source source = {8};
    for (int kind = 0; kind < 2; kind++) {
        for (uint32_t round = 0; round < 8; round++) {
            space_scene s;
            start(&s, LMB_OP_SPACE2D, 3 + 2 * round - (round == 7), 512);
            space_of(&s)->space2d = kind == 0 ? LMB_SPACE2D_TRIANGLES : LMB_SPACE2D_FREEFORM;
            draw_places(&s, &source, 0.05, (const double[]){1.0, 1.0});
            const double range = fmax(s.ranges[0], s.ranges[1]);
            for (uint32_t i = 0; i < s.scene.character_count; i++) {
                const double angle = random_between(&source, 0.0, 6.3), out = exp2(random_between(&source, 0.0, 9.9));
                position(&s, i)[0] = (float)(s.min[0] + s.ranges[0] / 2.0 + out * range * cos(angle));
                position(&s, i)[1] = (float)(s.min[1] + s.ranges[1] / 2.0 + out * range * sin(angle));
            }
            scene_run(&s.scene);
            expect_sums_of_one(&s);
            for (uint32_t i = 0; i < s.scene.character_count; i++) {
                double expected[LMB_MAX_SPACE_INPUTS];
                const double x = (double)position(&s, i)[0], y = (double)position(&s, i)[1];
                space_oracle_weights(space_of(&s), x, y, expected);
                for (uint32_t input = 0; input < s.joints; input++) {
                    assert_true(fabs(weight(&s, i, input) - expected[input]) <= 1e-5 * hypot(x, y) / range);
                }
            }
            // Beyond the max distance.
            for (uint32_t i = 0; i < s.scene.character_count; i++) {
                const double angle = random_between(&source, 0.0, 6.3), out = i % 2 == 0 ? 1024.0 : 1e9;
                position(&s, i)[0] = (float)(s.min[0] + s.ranges[0] / 2.0 + out * range * cos(angle));
                position(&s, i)[1] = (float)(s.min[1] + s.ranges[1] / 2.0 + out * range * sin(angle));
                if (i % 8 == 7) {
                    position(&s, i)[0] = INFINITY;
                }
            }
            scene_run(&s.scene);
            expect_sums_of_one(&s);
            assert_int_equal(s.scene.refused[LMB_REFUSED_WEIGHT], 0);
            scene_end(&s.scene);
        }
    }
}

// Each coordinate that is not a number counts as one refusal per character, and 0 replaces it.
static void positions_that_are_no_number(void **state) {
    (void)state;
    for (int kind = -1; kind < (int)LMB_SPACE2D_COUNT; kind++) {
        static const float positions[4][2] = {{-1.0f, -1.0f}, {1.0f, -1.0f}, {-1.0f, 1.0f}, {1.0f, 1.0f}};
        space_scene s;
        start(&s, kind < 0 ? LMB_OP_SPACE1D : LMB_OP_SPACE2D, kind < 0 ? 2 : 4, 8);
        memcpy(space_of(&s)->positions, positions, sizeof positions);
        space_of(&s)->space2d = kind < 0 ? LMB_SPACE2D_TRIANGLES : (lmb_space2d)kind;
        for (uint32_t i = 0; i < 8; i++) {
            position(&s, i)[0] = i % 4 == 1 || i % 4 == 3 ? -NAN : 0.0f;
            position(&s, i)[1] = i % 4 >= 2 ? NAN : 0.0f;
        }
        scene_run(&s.scene);
        for (uint32_t i = 1; i < 8; i++) {
            for (uint32_t input = 0; input < 4; input++) {
                assert_true(weight(&s, i, input) == weight(&s, 0, input));
            }
        }
        assert_int_equal(s.scene.refused[LMB_REFUSED_WEIGHT], kind < 0 ? 4 : 8);
        scene_end(&s.scene);
    }
}

// A curve is applied to a value from 0 to 1.
static void curved_positions(void **state) {
    (void)state;
    static const float given[] = {0.0f, 0.25f, 0.5f, 1.0f, 2.0f, -1.0f, INFINITY, -INFINITY};
    space_scene s;
    start(&s, LMB_OP_SPACE1D, 2, sizeof given / sizeof *given);
    space_of(&s)->positions[1][0] = 1.0f;
    space_of(&s)->coordinates[0].curve = LMB_CURVE_QUADRATIC_IN;
    for (uint32_t i = 0; i < s.scene.character_count; i++) {
        position(&s, i)[0] = given[i];
    }
    scene_run(&s.scene);
    for (uint32_t i = 0; i < s.scene.character_count; i++) {
        const double x = fmin(fmax((double)given[i], 0.0), 1.0);
        assert_true(fabs(weight(&s, i, 1) - x * x) <= 2e-7);
    }
    scene_end(&s.scene);
}

// All components of poses against the oracle. Inputs of weight 0 change no bit.
static void whole_poses(void **state) {
    (void)state;
    random_source source = {9};
    for (uint32_t kind = 0; kind <= LMB_SPACE2D_COUNT; kind++) {
        static const float positions[8][2] = {{0.0f, 0.0f}, {1.0f, 0.0f}, {2.0f, 0.0f}, {3.0f, 0.0f},
                                              {0.0f, 1.0f}, {1.0f, 1.0f}, {2.0f, 1.0f}, {3.0f, 1.0f}};
        test_scene scenes[2];
        for (int i = 0; i < 2; i++) {
            random_source poses = {10 + kind};
            scene_start(&scenes[i], scene_rig(13, SCENE_TREE, 11), 65, 2);
            for (uint32_t pose = 0; pose < 8; pose++) {
                scene_fill_pose(&scenes[i], pose, &poses);
                scene_add_pose_node(&scenes[i], pose);
            }
            const bool is_line = kind == LMB_SPACE2D_COUNT;
            lmb_node_def *node = scene_add(&scenes[i], is_line ? LMB_OP_SPACE1D : LMB_OP_SPACE2D, 0, 1);
            node->input_count = is_line ? 4 : 8;
            node->space2d = is_line ? LMB_SPACE2D_TRIANGLES : (lmb_space2d)kind;
            node->linear_scale = kind % 2 == 0;
            memcpy(node->positions, positions, sizeof positions);
            for (uint32_t input = 0; input < 8; input++) {
                node->inputs[input] = input;
                // The oracle does not support four positions on a circle. All positions of the hull stay on it, so that
                // the columns remain separate.
                const float bow = node->positions[input][0] * (3.0f - node->positions[input][0]);
                const float bent = input < 4 ? -0.05f * bow : 0.07f * bow;
                node->positions[input][1] += kind == LMB_SPACE2D_TRIANGLES ? bent : 0.0f;
            }
            node->coordinates[0] = lmb_parameter(0);
            node->coordinates[1] = lmb_parameter(1);
        }
        for (uint32_t i = 0; i < 65 * 2; i++) {
            scenes[0].parameters[i] = scenes[1].parameters[i] = (float)random_between(&source, -0.5, 1.0);
        }
        scene_run(&scenes[0]);
        scene_bounds bounds = SCENE_BOUNDS;
        bounds.magnitude = 10.0;
        bounds.rotation = 3e-6; // similar weights whose rotations point against each other
        bounds.scale = 6e-6;
        scene_compare_local(&scenes[0], "whole poses of a space", bounds);
        // Below x = 1, inputs in the columns at 2 and 3 have no weight, except with gradient bands.
        const bool has_bands = kind == LMB_SPACE2D_FREEFORM || kind == LMB_SPACE2D_DIRECTIONAL;
        for (uint32_t i = 0; !has_bands && i < 65 * 13 * LMB_POSE_COMPONENTS; i++) {
            scenes[1].poses[3][i] = scenes[1].poses[7][i] = (float)(i % 7) - 3.0f;
        }
        scene_run(&scenes[1]);
        scene_expect_output(&scenes[1], LMB_OUTPUT_LOCAL, scenes[0].buffers[LMB_OUTPUT_LOCAL]);
        scene_end(&scenes[0]);
        scene_end(&scenes[1]);
    }
}

// The order of inputs changes no weight.
static void the_order_of_inputs(void **state) {
    (void)state;
    random_source source = {12};
    for (int kind = 0; kind < (int)LMB_SPACE2D_COUNT; kind++) {
        space_scene s, other;
        start(&s, LMB_OP_SPACE2D, 12, 1024);
        start(&other, LMB_OP_SPACE2D, 12, 1024);
        space_of(&s)->space2d = space_of(&other)->space2d = (lmb_space2d)kind;
        draw_places(&s, &source, 0.05, (const double[]){1.0, 1.0});
        for (uint32_t i = 0; i < 12; i++) {
            if (kind == LMB_SPACE2D_GRID) {
                space_of(&s)->positions[i][0] = (float)(i % 4) - 1.5f;
                space_of(&s)->positions[i][1] = (float)(i / 4) - 1.0f;
            }
            memcpy(space_of(&other)->positions[i * 7 % 12], space_of(&s)->positions[i], 2 * sizeof(float));
        }
        draw_positions(&s, &source, 0.5);
        memcpy(other.scene.parameters, s.scene.parameters, 1024 * 2 * sizeof(float));
        scene_run(&s.scene);
        scene_run(&other.scene);
        for (uint32_t i = 0; i < 1024; i++) {
            for (uint32_t input = 0; input < 12; input++) {
                assert_true(fabs(weight(&s, i, input) - weight(&other, i, input * 7 % 12)) <= 2e-5);
            }
        }
        scene_end(&s.scene);
        scene_end(&other.scene);
    }
}

static void paths_agree(void **state) {
    (void)state;
    random_source source = {13};
    for (uint32_t round = 0; round < 10; round++) {
        const int kind = (int)(round % 5) - 1;
        const uint32_t columns = round < 5 ? 4 : 8;
        space_scene s;
        start(&s, kind < 0 ? LMB_OP_SPACE1D : LMB_OP_SPACE2D, columns * columns, 1000);
        space_of(&s)->space2d = kind < 0 ? LMB_SPACE2D_TRIANGLES : (lmb_space2d)kind;
        draw_places(&s, &source, 0.04, (const double[]){2.0, 3.0});
        for (uint32_t i = 0; i < columns * columns && kind == LMB_SPACE2D_GRID; i++) {
            space_of(&s)->positions[i][0] = (float)(i % columns) - 1.5f;
            space_of(&s)->positions[i][1] = (float)(i / columns) - 1.0f;
        }
        draw_positions(&s, &source, 0.5);
        for (uint32_t i = 0; i < 1000; i += 10) {
            position(&s, i)[i / 10 % 2] = i % 20 == 0 ? NAN : 1e20f;
        }
        scene_run_all_paths(&s.scene);
        space_of(&s)->discrete = true;
        scene_run_all_paths(&s.scene);
        scene_end(&s.scene);
    }
}

static void append_line(void *user, const char *line) {
    strcat(user, line);
    strcat(user, "\n");
}

static void a_space_is_printed(void **state) {
    (void)state;
    static const lmb_space2d kinds[] = {LMB_SPACE2D_TRIANGLES, LMB_SPACE2D_GRID, LMB_SPACE2D_FREEFORM,
                                        LMB_SPACE2D_DIRECTIONAL, LMB_SPACE2D_GRID};
    static const char *const names[] = {"triangles", "grid", "freeform", "directional", "discrete"};
    for (int kind = -1; kind < 5; kind++) {
        space_scene s;
        start(&s, kind < 0 ? LMB_OP_SPACE1D : LMB_OP_SPACE2D, 4, 1);
        for (uint32_t i = 0; i < 4; i++) {
            s.scene.nodes[i].op = LMB_OP_REST;
            space_of(&s)->positions[i][0] = (float)(kind < 0 ? i : i % 2);
            space_of(&s)->positions[i][1] = (float)(i / 2);
        }
        space_of(&s)->space2d = kind < 0 ? LMB_SPACE2D_TRIANGLES : kinds[kind];
        space_of(&s)->discrete = kind == 4;
        space_of(&s)->coordinates[1] = lmb_constant(0.5f);
        const lmb_graph_def def = {
            .rig = s.scene.rig, .nodes = s.scene.nodes, .node_count = s.scene.node_count, .parameter_count = 2};
        lmb_graph *program = NULL;
        assert_int_equal(lmb_graph_create(&def, NULL, &program, NULL), LMB_OK);
        char text[2000] = "", expected[100];
        lmb_graph_print(program, append_line, text);
        snprintf(expected, sizeof expected, "weighted add   s0 s1 s2%s%s, input 2, %s p0%s", kind < 0 ? "" : ", ",
                 kind < 0 ? "" : names[kind], kind < 0 ? "at" : "x", kind < 0 ? "\n" : ", y 0.5\n");
        if (strstr(text, expected) == NULL) {
            fail_msg("no '%s' in\n%s", expected, text);
        }
        lmb_graph_destroy(program);
        scene_end(&s.scene);
    }
}

// ---- Positions that do not form a space. ----

static void expect_refused(const space_scene *s, const char *field, const char *what) {
    lmb_error error = {0};
    const lmb_graph_def def = {
        .rig = s->scene.rig, .nodes = s->scene.nodes, .node_count = s->scene.node_count, .parameter_count = 2};
    char place[64];
    const lmb_node_def *node = &s->scene.nodes[s->scene.node_count - 1];
    snprintf(place, sizeof place, "node %u (%s): %s:", s->scene.node_count - 1, lmb_op_name(node->op), field);
    CHECK_REFUSAL(lmb_graph_check(&def, &error), &error, LMB_ERROR_ARGUMENT, place, what);
}

// Like start(), with rest poses instead of clips.
static void start_checks(space_scene *s, lmb_op op, uint32_t inputs) {
    start(s, op, inputs, 1);
    for (uint32_t i = 0; i < inputs; i++) {
        s->scene.nodes[i].op = LMB_OP_REST;
    }
}

static void lines_that_are_refused(void **state) {
    (void)state;
    space_scene s;
    start_checks(&s, LMB_OP_SPACE1D, 4);
    lmb_node_def *node = space_of(&s);
    for (uint32_t i = 0; i < 4; i++) {
        node->positions[i][0] = (float)i;
    }
    node->positions[2][0] = 0.0f;
    expect_refused(&s, "positions[2]", "the same position as positions[0]");
    // Below the smallest magnitude, so it snaps to 0.
    node->positions[2][0] = 0x1p-41f;
    expect_refused(&s, "positions[2]", "the same position as positions[0]");
    node->positions[2][0] = NAN;
    expect_refused(&s, "positions[2]", "not a finite number up to 2^40");
    node->positions[2][0] = -0x1.8p40f;
    expect_refused(&s, "positions[2]", "not a finite number up to 2^40");
    node->positions[2][0] = 2.0f;
    node->coordinates[0] = lmb_parameter(2);
    expect_refused(&s, "coordinates[0]", "no such parameter");
    node->coordinates[0] = lmb_constant(INFINITY);
    expect_refused(&s, "coordinates[0]", "finite");
    node->coordinates[0] = lmb_constant(0.0f);
    node->coordinates[1] = lmb_constant(NAN); // ignored
    node->input_count = 1;
    expect_refused(&s, "inputs", "2 to 64");
    node->input_count = 65;
    expect_refused(&s, "inputs", "2 to 64");
    scene_end(&s.scene);
}

static void planes_that_are_refused(void **state) {
    (void)state;
    for (int kind = 0; kind < (int)LMB_SPACE2D_COUNT; kind++) {
        space_scene s;
        start_checks(&s, LMB_OP_SPACE2D, 4);
        lmb_node_def *node = space_of(&s);
        node->space2d = (lmb_space2d)kind;
        for (uint32_t i = 0; i < 4; i++) {
            node->positions[i][0] = (float)(i % 2);
            node->positions[i][1] = (float)(i / 2);
        }
        node->positions[3][0] = 0x1p-21f;
        node->positions[3][1] = 1.0f;
        expect_refused(&s, "positions[3]", "the same position as positions[2]");
        node->positions[3][1] = INFINITY;
        expect_refused(&s, "positions[3]", "not a finite number up to 2^40");
        node->positions[3][1] = 1.0f;
        node->positions[3][0] = 1.0f;
        node->coordinates[1] = lmb_parameter(2);
        expect_refused(&s, "coordinates[1]", "no such parameter");
        node->coordinates[1] = lmb_constant(0.0f);
        node->space2d = LMB_SPACE2D_COUNT;
        expect_refused(&s, "space2d", "unknown");
        scene_end(&s.scene);
    }
}

static void lines_in_the_plane(void **state) {
    (void)state;
    static const float lines[][4][2] = {
        {{0.0f, 0.0f}, {1.0f, 2.0f}, {-1.0f, -2.0f}, {2.0f, 4.0f}},
        {{3.0f, 0.0f}, {3.0f, 2.0f}, {3.0f, 1.0f}, {3.0f, 4.0f}},
        // Not exact in binary, as decimal positions are not.
        {{0.1f, 0.3f}, {0.2f, 0.6f}, {0.3f, 0.9f}, {0.7f, 2.1f}},
        {{0.0f, 0.0f}, {1.0f, 1.0f}, {0.5f, 0.51f}, {0.25f, 0.24f}},
    };
    static const uint32_t ends[][2] = {{2, 3}, {0, 3}, {0, 3}, {0, 1}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char what[80];
        space_scene s;
        start_checks(&s, LMB_OP_SPACE2D, 4);
        memcpy(space_of(&s)->positions, lines[i], sizeof lines[i]);
        snprintf(what, sizeof what, "all are on the line through positions[%u] and positions[%u]", ends[i][0],
                 ends[i][1]);
        expect_refused(&s, "positions", what);
        // With gradient bands they form a space.
        space_of(&s)->space2d = LMB_SPACE2D_FREEFORM;
        scene_run(&s.scene);
        space_of(&s)->space2d = LMB_SPACE2D_DIRECTIONAL;
        scene_run(&s.scene);
        scene_end(&s.scene);
    }
    space_scene s;
    start_checks(&s, LMB_OP_SPACE2D, 2);
    space_of(&s)->positions[1][0] = 1.0f;
    expect_refused(&s, "positions", "all are on the line through positions[0] and positions[1]");
    scene_end(&s.scene);
}

static void grids_that_lack_a_place(void **state) {
    (void)state;
    space_scene s;
    start_checks(&s, LMB_OP_SPACE2D, 5);
    lmb_node_def *node = space_of(&s);
    node->space2d = LMB_SPACE2D_GRID;
    static const float positions[5][2] = {{0.0f, 0.0f}, {2.0f, 0.0f}, {0.0f, 5.0f}, {7.0f, 5.0f}, {7.0f, 0.0f}};
    memcpy(node->positions, positions, sizeof positions);
    expect_refused(&s, "positions",
                   "no input is at (2, 5), where the column of positions[1] meets the row of positions[2]");
    scene_end(&s.scene);
}

static lmb_graph *create_scattered(lmb_space2d kind) {
    static const float positions[7][2] = {{0.1f, 0.2f},   {0.9f, 0.3f},   {0.4f, 1.1f}, {-0.7f, 0.35f},
                                          {-0.3f, -0.9f}, {0.65f, -0.5f}, {1.3f, 1.7f}};
    space_scene s;
    start(&s, LMB_OP_SPACE2D, 7, 1);
    for (uint32_t i = 0; i < 7; i++) {
        s.scene.nodes[i].op = LMB_OP_REST;
    }
    lmb_node_def *node = space_of(&s);
    node->space2d = kind;
    memcpy(node->positions, positions, sizeof positions);
    const lmb_graph_def def = {
        .rig = s.scene.rig, .nodes = s.scene.nodes, .node_count = s.scene.node_count, .parameter_count = 2};
    lmb_graph *graph = NULL;
    assert_int_equal(lmb_graph_create(&def, NULL, &graph, NULL), LMB_OK);
    scene_end(&s.scene);
    return graph;
}

// A graph's tables do not depend on the caller's rounding mode.
static void the_callers_environment_changes_nothing(void **state) {
    (void)state;
    static const lmb_space2d kinds[] = {LMB_SPACE2D_TRIANGLES, LMB_SPACE2D_FREEFORM, LMB_SPACE2D_DIRECTIONAL};
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (size_t kind = 0; kind < 3; kind++) {
        lmb_graph *expected = create_scattered(kinds[kind]);
        for (size_t i = 0; i < 3; i++) {
            fesetround(modes[i]);
            lmb_graph *graph = create_scattered(kinds[kind]);
            const int rounding = fegetround();
            fesetround(FE_TONEAREST);
            assert_int_equal(rounding, modes[i]);
            assert_int_equal(graph->size, expected->size);
            assert_memory_equal(graph->program, expected->program, graph->size * sizeof *graph->program);
            lmb_graph_destroy(graph);
        }
        lmb_graph_destroy(expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_against_the_oracle),
        cmocka_unit_test(the_ends_of_a_line),
        cmocka_unit_test(grids_against_the_oracle),
        cmocka_unit_test(triangles_against_the_oracle),
        cmocka_unit_test(bands_against_the_oracle),
        cmocka_unit_test(directions_against_the_oracle),
        cmocka_unit_test(opposite_directions),
        cmocka_unit_test(directions_far_apart),
        cmocka_unit_test(the_nearest_input),
        cmocka_unit_test(the_first_of_two_nearest),
        cmocka_unit_test(flat_triangles_give_way),
        cmocka_unit_test(axes_of_unlike_units),
        cmocka_unit_test(places_on_circles_and_lines),
        cmocka_unit_test(positions_far_away),
        cmocka_unit_test(positions_that_are_no_number),
        cmocka_unit_test(curved_positions),
        cmocka_unit_test(whole_poses),
        cmocka_unit_test(the_order_of_inputs),
        cmocka_unit_test(paths_agree),
        cmocka_unit_test(a_space_is_printed),
        cmocka_unit_test(lines_that_are_refused),
        cmocka_unit_test(planes_that_are_refused),
        cmocka_unit_test(lines_in_the_plane),
        cmocka_unit_test(grids_that_lack_a_place),
        cmocka_unit_test(the_callers_environment_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
