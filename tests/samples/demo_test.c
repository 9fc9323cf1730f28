// The viewer's demos: each runs its script, gives the same bits on the device as on the CPU, and shows motion.
#define _POSIX_C_SOURCE 200809L
#include "suite.h"
#include "viewer_run.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_image.h>

#define WIDTH 480
#define HEIGHT 360
#define FOX LIMBER_ASSETS "/Fox.glb"

static uint8_t *load(const char *path) {
    int width = 0, height = 0, channels = 0;
    uint8_t *pixels = stbi_load(path, &width, &height, &channels, 3);
    if (pixels == NULL) {
        fail_msg("%s is no picture", path);
    }
    assert_int_equal(width, WIDTH);
    assert_int_equal(height, HEIGHT);
    return pixels;
}

// Counts below the window of the demo, because it shows changing numbers.
static unsigned count_changes(const uint8_t *a, const uint8_t *b) {
    unsigned changes = 0;
    for (size_t i = (size_t)WIDTH * (HEIGHT * 2 / 5); i < (size_t)WIDTH * HEIGHT; i++) {
        changes += abs(a[3 * i] - b[3 * i]) > 24;
    }
    return changes;
}

// Counts edges from left to right: those of a figure and its shadow, which empty ground does not have.
static unsigned count_edges(const uint8_t *pixels) {
    unsigned edges = 0;
    for (size_t i = (size_t)WIDTH * (HEIGHT * 2 / 5); i < (size_t)WIDTH * HEIGHT; i++) {
        edges += i % WIDTH != 0 && abs(pixels[3 * i] - pixels[3 * i - 3]) > 24;
    }
    return edges;
}

static viewer_result expect_demo(const char *name, const char *options) {
    char arguments[1024], first_path[100], last_path[100];
    snprintf(first_path, sizeof first_path, "demo_test_%s-0048.png", name);
    snprintf(last_path, sizeof last_path, "demo_test_%s.png", name);
    remove(first_path);
    remove(last_path);
    snprintf(arguments, sizeof arguments,
             "--demo %s %s --headless --frames 96 --every 48 --size %dx%d --screenshot demo_test_%s.png", name, options,
             WIDTH, HEIGHT, name);
    viewer_result run = viewer_run("", arguments);
    viewer_expect(&run, 0, "control: bit-exact: ");
    viewer_expect(&run, 0, "\nbit-exact: ");
    assert_null(strstr(run.output, "control: bit-exact: 0 words"));
    uint8_t *first = load(first_path), *last = load(last_path);
    assert_in_range(count_edges(first), 300, WIDTH * HEIGHT / 2);
    assert_in_range(count_edges(last), 300, WIDTH * HEIGHT / 2);
    assert_in_range(count_changes(first, last), 300, WIDTH * HEIGHT);
    stbi_image_free(first);
    stbi_image_free(last);
    return run;
}

static void expect_ahead(const viewer_result *result, double way) {
    viewer_expect(result, 0, "first character: at ");
    double left = 1.0, ahead = 0.0;
    const char *emitted = strstr(result->output, "first character: at ");
    assert_int_equal(sscanf(emitted, "first character: at %lf, %lf metres", &left, &ahead), 2);
    assert_true(left > -0.05 && left < 0.05);
    if (ahead < 0.9 * way || ahead > 1.1 * way) {
        fail_msg("%g metres in the place of %g", ahead, way);
    }
}

// The distance follows from the slider's speed, which the velocity approaches at 2 metres per second squared and which
// the script then raises. The clips of a file move the character as far as its feet move, and standing clips have no
// weight.
static void expect_displacement(const viewer_result *result, double walk, double run, double scale) {
    const double fast = 2.0 * run / 3.0;
    expect_ahead(result, scale * (walk - walk * walk / 4.0 + 0.6 * fast - (fast - walk) * (fast - walk) / 4.0));
}

static void directional_walks(void **state) {
    (void)state;
    suite_full_only();
    const viewer_result run = expect_demo("directional", "");
    // The script's speed after half a second, smoothed with a half-life of 0.1 s, for the rest of 96 frames.
    expect_ahead(&run, 1.25 * (1.1 - 0.1 / 0.693));
}

static void jump_jumps(void **state) {
    (void)state;
    suite_full_only();
    expect_demo("jump", "");
}

static void walk_run_goes_on(void **state) {
    (void)state;
    suite_full_only();
    const viewer_result run = expect_demo("walk-run", "");
    expect_displacement(&run, 1.25, 3.0, 1.0);
}

static void wave_waves(void **state) {
    (void)state;
    suite_full_only();
    expect_demo("wave", "");
}

static void body_turns(void **state) {
    (void)state;
    suite_full_only();
    expect_demo("body-turn", "");
}

static void aim_points(void **state) {
    (void)state;
    expect_demo("aim", "");
}

static void crowd_wanders(void **state) {
    (void)state;
    expect_demo("wander", "--characters 60");
}

static void a_crowd_matches_motion(void **state) {
    (void)state;
    suite_full_only();
    expect_demo("match", "--characters 24");
}

static void feet_are_on_stairs(void **state) {
    (void)state;
    expect_demo("stairs", "--characters 14");
}

static void heads_follow_the_camera(void **state) {
    (void)state;
    suite_full_only();
    expect_demo("look", "");
}

static void hands_are_on_the_rail(void **state) {
    (void)state;
    suite_full_only();
    expect_demo("rail", "");
}

static void faces_are_skinned_in_compute(void **state) {
    (void)state;
    const viewer_result run = expect_demo("faces", "--characters 6");
    viewer_expect(&run, 0, "skinned vertices: bit-exact: ");
    assert_null(strstr(run.output, "skinned vertices: bit-exact: 0 values"));
}

// It moves as far as its legs are long, compared with the mannequin's.
static void a_child_walks(void **state) {
    (void)state;
    suite_full_only();
    const viewer_result run = expect_demo("child", "");
    expect_displacement(&run, 1.25, 3.0, 0.5401);
}

static void other_characters_are_checked(void **state) {
    (void)state;
    viewer_result run = viewer_run("", "--character other=mannequin --headless");
    viewer_expect(&run, 2, "--character needs --graph or --poses");
    run = viewer_run("", "--poses {} --character other --headless");
    viewer_expect(&run, 1, "--character other: not of the form NAME=FILE");
    run = viewer_run("", "--poses {} --character other=no_such_file.glb --headless");
    viewer_expect(&run, 1, "--character other=no_such_file.glb: ");
}

static void a_tail_swings(void **state) {
    (void)state;
    suite_full_only();
    expect_demo("tail", FOX);
    const viewer_result run = viewer_run("", "--demo tail --headless");
    viewer_expect(&run, 1, "the demo tail is for Fox.glb, which is not part of Limber: give its path");
}

// With a file whose clips have other names.
static void a_fox_walks(void **state) {
    (void)state;
    const viewer_result run = expect_demo("walk-run", FOX);
    expect_displacement(&run, 1.176, 2.526, 1.0);
}

static void foxes_wander(void **state) {
    (void)state;
    suite_full_only();
    expect_demo("wander", FOX " --clip wave=Survey --characters 40");
}

static void demos_that_a_file_has_no_clips_for_are_refused(void **state) {
    (void)state;
    viewer_result run = viewer_run("", "--demo wander " FOX " --headless");
    viewer_expect(&run, 1,
                  "the demo wander plays 'wave', and the file's clips are 'Survey', 'Walk', 'Run': see --clip");
    run = viewer_run("", "--demo walk-run --clip jump=Run " FOX " --headless");
    viewer_expect(&run, 1, "--clip jump=Run: the demo walk-run plays no 'jump'");
    run = viewer_run("", "--demo jump " FOX " --headless");
    viewer_expect(&run, 1, "there is no clip of this name");
    run = viewer_run("", "--demo child " FOX " --headless");
    viewer_expect(&run, 1, "the demo child does not fit the file, which lacks what it names: child: line 1, column ");
}

// No messages, with synchronization validation.
static void validation_layer_is_silent(void **state) {
    (void)state;
    viewer_result run = viewer_run("", "--validate --demo jump --headless --frames 4 --size 64x64");
    if (run.status != 0 && strstr(run.output, "not installed") != NULL) {
        print_message("the validation layer is not installed\n");
        skip();
    }
    viewer_expect(&run, 0, "control: bit-exact: ");
    assert_null(strstr(run.output, "alidation"));
}

static void unknown_demos_are_refused(void **state) {
    (void)state;
    viewer_result run = viewer_run("", "--demo no_such_demo --headless");
    viewer_expect(&run, 2, "--demo must be the name of a demo, not 'no_such_demo'");
    run = viewer_run("", "--demo walk-run --poses {} --headless");
    viewer_expect(&run, 2, "--demo shows no --poses or --graph");
    run = viewer_run("", "--demo walk-run --clip walk=Walk --headless");
    viewer_expect(&run, 2, "--clip needs a file");
    run = viewer_run("", "mannequin --clip walk=Walk --headless");
    viewer_expect(&run, 2, "--clip needs a file");
    run = viewer_run("", "--every 0 --headless");
    viewer_expect(&run, 2, "--every must be a whole number");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directional_walks),
        cmocka_unit_test(jump_jumps),
        cmocka_unit_test(walk_run_goes_on),
        cmocka_unit_test(wave_waves),
        cmocka_unit_test(body_turns),
        cmocka_unit_test(aim_points),
        cmocka_unit_test(crowd_wanders),
        cmocka_unit_test(a_crowd_matches_motion),
        cmocka_unit_test(feet_are_on_stairs),
        cmocka_unit_test(heads_follow_the_camera),
        cmocka_unit_test(hands_are_on_the_rail),
        cmocka_unit_test(faces_are_skinned_in_compute),
        cmocka_unit_test(a_child_walks),
        cmocka_unit_test(other_characters_are_checked),
        cmocka_unit_test(a_tail_swings),
        cmocka_unit_test(a_fox_walks),
        cmocka_unit_test(foxes_wander),
        cmocka_unit_test(demos_that_a_file_has_no_clips_for_are_refused),
        cmocka_unit_test(validation_layer_is_silent),
        cmocka_unit_test(unknown_demos_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
