// The viewer: arguments, images, traces, packs.
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "hostile.h"
#include "suite.h"
#include "trace_tree.h"
#include "viewer_run.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stb/stb_image.h>

#define WIDTH 160
#define HEIGHT 120

// Sky at the top, ground at the bottom, and characters between: many colours, and three different parts.
static void expect_scene(const char *path) {
    int width = 0;
    int height = 0;
    int channels = 0;
    uint8_t *pixels = stbi_load(path, &width, &height, &channels, 3);
    assert_non_null(pixels);
    assert_int_equal(width, WIDTH);
    assert_int_equal(height, HEIGHT);
    static bool seen[1 << 12];
    memset(seen, 0, sizeof seen);
    unsigned colors = 0;
    unsigned long edges = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const uint8_t *pixel = pixels + (size_t)i * 3;
        size_t color = (size_t)(pixel[0] >> 4) << 8 | (size_t)(pixel[1] >> 4) << 4 | (size_t)(pixel[2] >> 4);
        colors += !seen[color];
        seen[color] = true;
        edges += i % WIDTH != 0 && abs(pixel[0] - pixel[-3]) > 24;
    }
    bool blue_above = pixels[2] > pixels[0];
    stbi_image_free(pixels);
    assert_true(blue_above);
    assert_in_range(colors, 40, 4096);
    assert_in_range(edges, 200, WIDTH * HEIGHT / 2);
}

static void expect_crowd(const char *file, const char *name) {
    char arguments[1500];
    char picture[100];
    snprintf(picture, sizeof picture, "viewer_test_%s.png", name);
    remove(picture);
    snprintf(arguments, sizeof arguments, "%s --headless --frames 3 --characters 9 --size %dx%d --screenshot %s", file,
             WIDTH, HEIGHT, picture);
    viewer_result run = viewer_run("", arguments);
    viewer_expect(&run, 0, "characters: 9 of ");
    viewer_expect(&run, 0, "\nbit-exact: ");
    viewer_expect(&run, 0, " values compared, 0 differ");
    assert_null(strstr(run.output, "bit-exact: 0 values"));
    expect_scene(picture);
}

static void expect_file(const char *file, const char *name) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", LIMBER_ASSETS, file);
    FILE *found = fopen(path, "rb");
    if (found == NULL) {
        print_message("%s is not there\n", path);
        skip();
    }
    fclose(found);
    expect_crowd(path, name);
}

static void draws_the_mannequin(void **state) {
    (void)state;
    expect_crowd("", "mannequin");
    expect_crowd("mannequin-face", "mannequin-face");
}

static void draws_the_fox(void **state) {
    (void)state;
    expect_file("Fox.glb", "fox");
}

static void draws_the_man(void **state) {
    (void)state;
    expect_file("cesium_man.gltf", "man");
}

// The fox, with its clips loaded again from a second file.
static void draws_a_character_in_two_files(void **state) {
    (void)state;
    suite_full_only();
    char paths[1300];
    snprintf(paths, sizeof paths, "%s/Fox.glb", LIMBER_ASSETS);
    if (access(paths, R_OK) != 0) {
        print_message("%s is not there\n", paths);
        skip();
    }
    snprintf(paths, sizeof paths, "%s/Fox.glb %s/Fox.glb", LIMBER_ASSETS, LIMBER_ASSETS);
    expect_crowd(paths, "two_files");
}

static void draws_a_pack(void **state) {
    (void)state;
    command_output output = command_run("\"" LIMBER_CLI "\" pack mannequin --output viewer_test.lmb");
    assert_int_equal(output.status, 0);
    command_output_release(&output);
    expect_crowd("viewer_test.lmb", "pack");
}

// Checks the JSON. It contains the device's timestamps if the driver has some.
static void expect_trace(const char *path, int frames, bool timestamps) {
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    int wholes = 0, stages = 0;
    trace_tree_expect(text, 1, &wholes, &stages);
    assert_int_equal(wholes, frames);
    assert_int_equal(stages, frames * 4);
    trace_tree_expect(text, 2, &wholes, &stages);
    if (timestamps) {
        assert_int_equal(wholes, frames);
        assert_true(stages >= frames * 2);
    }
}

// The window with the diagrams covers the sky at the upper left; the rest shows the scene. The validation layer reports
// nothing.
static void shows_the_times_of_stages(void **state) {
    (void)state;
#define TIMES                                                                                                          \
    "--times --headless --frames 5 --characters 3 --size 400x300 --screenshot viewer_test_graph.png "                  \
    "--trace viewer_test_trace.json"
    viewer_result run = viewer_run("", "--validate " TIMES);
    if (run.status != 0 && strstr(run.output, "not installed") != NULL) {
        print_message("the validation layer is not installed\n");
        run = viewer_run("", TIMES);
    }
    viewer_expect(&run, 0, "bit-exact: ");
    assert_null(strstr(run.output, "alidation"));
    expect_trace("viewer_test_trace.json", 5, strstr(run.output, "has no timestamps") == NULL);
    int width = 0, height = 0, channels = 0;
    uint8_t *pixels = stbi_load("viewer_test_graph.png", &width, &height, &channels, 3);
    assert_non_null(pixels);
    static const uint8_t window[3] = {23, 26, 31};
    unsigned dark = 0, bright = 0;
    for (int y = 8; y < 100; y++) {
        for (int x = 8; x < 180; x++) {
            const uint8_t *pixel = pixels + ((size_t)y * (size_t)width + (size_t)x) * 3;
            dark += abs(pixel[0] - window[0]) <= 1 && abs(pixel[1] - window[1]) <= 1 && abs(pixel[2] - window[2]) <= 1;
            bright += pixel[0] > 160 && pixel[1] > 160 && pixel[2] > 155;
        }
    }
    const bool blue_beside = pixels[3 * (width - 1) + 2] > pixels[3 * (width - 1)];
    stbi_image_free(pixels);
    assert_in_range(dark, 92 * 172 / 2, 92 * 172);
    assert_in_range(bright, 200, 92 * 172 / 4); // letters
    assert_true(blue_beside);
}

// The strip of names is at the bottom. Two figures stand next to each other: both halves have as many edges, but
// different ones.
static void draws_the_poses_of_a_graph(void **state) {
    (void)state;
    remove("viewer_test_poses.png");
    viewer_result run = viewer_run(
        "", "--poses '{\"op\":\"mirror\",\"axis\":\"x\",\"pose\":{\"op\":\"clip\",\"clip\":\"greeting\"}}' "
            "--split wave=greeting:0-1 --set time=0.4 --label one --label two --screenshot viewer_test_poses.png");
    viewer_expect(&run, 0, "characters: 2 of ");
    viewer_expect(&run, 0, "\nbit-exact: ");
    int width = 0, height = 0, channels = 0;
    uint8_t *pixels = stbi_load("viewer_test_poses.png", &width, &height, &channels, 3);
    assert_non_null(pixels);
    assert_true(width > height);
    unsigned edges[2] = {0, 0};
    for (int i = 0; i < width * height; i++) {
        if (i % width != 0 && abs(pixels[(size_t)3 * i] - pixels[(size_t)3 * i - 3]) > 24) {
            edges[i % width > width / 2]++;
        }
    }
    const uint8_t *corner = pixels + ((size_t)height - 1) * width * 3;
    assert_in_range(corner[0], 22, 24);
    stbi_image_free(pixels);
    assert_in_range(edges[0], 500, width * height / 4);
    assert_in_range(edges[1], 500, width * height / 4);
    assert_int_not_equal(edges[0], edges[1]);
}

// What an override takes in is the base and the static pose.
static void draws_the_pose_of_an_override(void **state) {
    (void)state;
    viewer_result run =
        viewer_run("", "--poses '{\"op\":\"override\",\"pose\":\"still\",\"mask\":{\"left_clavicle\":255},"
                       "\"base\":{\"op\":\"clip\",\"clip\":\"walk\"}}' --pose still=float@0.5 --size 240x100");
    viewer_expect(&run, 0, "characters: 3 of ");
    viewer_expect(&run, 0, "\nbit-exact: ");
}

static void save(const char *path, const char *text) {
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, strlen(text), stream), strlen(text));
    assert_int_equal(fclose(stream), 0);
}

// What the view of a graph shows: pixels of the colours of mistakes and of weights, in the two columns, and edges of
// the scene between them.
typedef struct view_counts {
    unsigned mistakes, weights, edges;
} view_counts;

static view_counts count_view(const char *path) {
    int width = 0, height = 0, channels = 0;
    uint8_t *pixels = stbi_load(path, &width, &height, &channels, 3);
    assert_non_null(pixels);
    view_counts counts = {0, 0, 0};
    for (int i = 1; i < width * height; i++) {
        const uint8_t *pixel = pixels + (size_t)3 * i;
        const int x = i % width;
        counts.mistakes += x < width / 3 && pixel[0] > 200 && abs(pixel[1] - 133) < 30 && abs(pixel[2] - 115) < 30;
        counts.weights += x > 2 * width / 3 && pixel[0] > 220 && abs(pixel[1] - 153) < 12 && abs(pixel[2] - 64) < 20;
        counts.edges += x > width * 2 / 5 && x < width * 3 / 5 && abs(pixel[0] - pixel[-3]) > 24;
    }
    stbi_image_free(pixels);
    return counts;
}

#define GOOD_GRAPH "viewer_test_good.json"
#define BAD_GRAPH "viewer_test_bad.json"

static void save_graphs(void) {
    save(GOOD_GRAPH, "{\"op\": \"space1d\", \"at\": {\"param\": \"speed\"}, \"inputs\": [\n"
                     " {\"at\": 0, \"pose\": {\"op\": \"clip\", \"clip\": \"walk\", \"play\": true}},\n"
                     " {\"at\": 1, \"pose\": {\"op\": \"clip\", \"clip\": \"run\", \"play\": true}}]}\n");
    save(BAD_GRAPH, "{\"op\": \"space1d\", \"at\": {\"param\": \"speed\"}, \"inputs\": [\n"
                    " {\"at\": 0, \"pose\": {\"op\": \"clip\", \"clip\": \"swim\"}}, 7]}\n");
}

// A graph is shown with the weights of its nodes. When its file is replaced by one with mistakes, these are listed, and
// the graph goes on; when they are mended, they are gone.
static void shows_a_graph_again_when_it_is_saved(void **state) {
    (void)state;
    save_graphs();
    remove("viewer_test_view.png");
    viewer_result run =
        viewer_run("", "--graph " GOOD_GRAPH " --headless --frames 24 --every 8 --size 640x360 --set speed=0.5 "
                       "--change 0.2=" BAD_GRAPH " --change 0.35=" GOOD_GRAPH " --screenshot viewer_test_view.png");
    viewer_expect(&run, 1, "line 2, column 43: inputs[0].pose.clip: ");
    viewer_expect(&run, 1, "the characters go on");
    viewer_expect(&run, 1, GOOD_GRAPH ": shown\n");
    viewer_expect(&run, 1, "\nbit-exact: ");
    const view_counts before = count_view("viewer_test_view-0008.png");
    const view_counts during = count_view("viewer_test_view-0016.png");
    const view_counts after = count_view("viewer_test_view.png");
    assert_in_range(before.mistakes, 0, 5);
    assert_in_range(during.mistakes, 60, 640 * 360 / 10);
    assert_in_range(after.mistakes, 0, 5);
    for (int i = 0; i < 3; i++) {
        const view_counts counts = i == 0 ? before : i == 1 ? during : after;
        assert_in_range(counts.weights, 100, 2000); // one whole and two halves
        assert_in_range(counts.edges, 200, 640 * 360 / 10);
    }
}

static void shows_the_rest_pose_until_a_graph_is_good(void **state) {
    (void)state;
    save_graphs();
    viewer_result run = viewer_run("", "--graph " BAD_GRAPH " --headless --frames 2 --size 640x360 --characters 3 "
                                       "--screenshot viewer_test_view.png");
    viewer_expect(&run, 1, "line 2, column 43: inputs[0].pose.clip: ");
    viewer_expect(&run, 1, "\nbit-exact: ");
    assert_in_range(count_view("viewer_test_view.png").mistakes, 60, 640 * 360 / 10);
    run = viewer_run("", "--graph no_such_file.json --headless --frames 1 --size 64x48");
    viewer_expect(&run, 1, "no_such_file.json: ");
}

// A script, a crowd, transitions that are inertialized, and a graph that replaces them, under the validation layer.
static void plays_a_script_in_a_graph(void **state) {
    (void)state;
    save_graphs();
    save("viewer_test_view.machine", "machine jump fade 0.1\nstand { GO crouch fade 0.2 inertialized }\n"
                                     "crouch { after 0.1 stand }\n");
    save("viewer_test_view.script", "0.05 send GO\n0.1 send GO 4\n0.3 set speed 0.25\n");
#define SCRIPTED                                                                                                       \
    "--graph viewer_test_view.machine --headless --frames 30 --size 320x200 --characters 5 "                           \
    "--script viewer_test_view.script --change 0.25=" GOOD_GRAPH
    viewer_result run = viewer_run("", "--validate " SCRIPTED);
    if (run.status != 0 && strstr(run.output, "not installed") != NULL) {
        print_message("the validation layer is not installed\n");
        run = viewer_run("", SCRIPTED);
    }
    viewer_expect(&run, 0, "read again; the characters begin anew");
    assert_null(strstr(run.output, "alidation"));
    run = viewer_run("", "--graph " GOOD_GRAPH " --headless --frames 5 --size 64x48 --script viewer_test_view.script");
    viewer_expect(&run, 1, "the graph has no event 'GO' to send");
    run = viewer_run("", "--graph " GOOD_GRAPH " --headless --frames 1 --size 64x48 --set pace=1");
    viewer_expect(&run, 1, "the graph has no parameter 'pace' to set");
    run = viewer_run("", "--graph " GOOD_GRAPH " --headless --frames 1 --size 64x48 --set speed=fast");
    viewer_expect(&run, 1, "--set speed=fast: not NAME=NUMBER");
    run = viewer_run("", "--graph " GOOD_GRAPH " --headless --frames 1 --size 64x48 --script " GOOD_GRAPH);
    viewer_expect(&run, 1, GOOD_GRAPH ": line 1, column 1: ");
}

#define REACH_GRAPH "viewer_test_reach.json"

static void save_reach(void) {
    save(REACH_GRAPH,
         "{\"op\": \"ik-two-bone\", \"start\": \"right_upper_arm\", \"mid\": \"right_forearm\",\n"
         " \"end\": \"right_hand\", \"mid-axis\": \"auto\", \"target\": {\"point\": 0}, \"space\": \"world\",\n"
         " \"base\": {\"op\": \"clip\", \"clip\": \"idle\", \"play\": true}}\n");
}

// Counts pixels of a color near a place.
static unsigned count_near(const char *path, int x, int y, int radius, const uint8_t color[3]) {
    int width = 0, height = 0, channels = 0;
    uint8_t *pixels = stbi_load(path, &width, &height, &channels, 3);
    assert_non_null(pixels);
    unsigned count = 0;
    for (int i = 0; i < width * height; i++) {
        const uint8_t *pixel = pixels + (size_t)3 * i;
        count += abs(i % width - x) <= radius && abs(i / width - y) <= radius && abs(pixel[0] - color[0]) < 30 &&
                 abs(pixel[1] - color[1]) < 30 && abs(pixel[2] - color[2]) < 30;
    }
    stbi_image_free(pixels);
    return count;
}

static unsigned count_changed_near(const char *before, const char *after, int x, int y, int radius) {
    int width = 0, height = 0, channels = 0;
    uint8_t *pixels = stbi_load(before, &width, &height, &channels, 3);
    uint8_t *others = stbi_load(after, &width, &height, &channels, 3);
    assert_true(pixels != NULL && others != NULL);
    unsigned count = 0;
    for (int i = 0; i < width * height; i++) {
        count += abs(i % width - x) <= radius && abs(i / width - y) <= radius &&
                 abs(pixels[(size_t)3 * i] - others[(size_t)3 * i]) > 24;
    }
    stbi_image_free(pixels);
    stbi_image_free(others);
    return count;
}

// The pointer drags a target, and the arm follows it to where there was only sky.
static void a_target_is_dragged(void **state) {
    (void)state;
    static const uint8_t mark[3] = {255, 214, 51};
    save_reach();
    remove("viewer_test_reach.png");
    viewer_result run = viewer_run("", "--graph " REACH_GRAPH " --headless --frames 8 --size 640x400 --every 4 "
                                       "--input 4=press:300,194 --input 5=move:420,120 --input 6=lift:420,120 "
                                       "--screenshot viewer_test_reach.png");
    viewer_expect(&run, 0, "\nbit-exact: ");
    assert_in_range(count_near("viewer_test_reach-0004.png", 300, 194, 9, mark), 20, 300);
    assert_in_range(count_near("viewer_test_reach-0004.png", 420, 120, 9, mark), 0, 0);
    assert_in_range(count_near("viewer_test_reach.png", 420, 120, 9, mark), 20, 300);
    assert_in_range(count_changed_near("viewer_test_reach-0004.png", "viewer_test_reach.png", 400, 124, 8), 60, 289);
}

// Counts pixels of the windows' background in a part of a picture of 640x400.
static unsigned count_background(const char *path, int left, int right, int top, int bottom) {
    int width = 0, height = 0, channels = 0;
    uint8_t *pixels = stbi_load(path, &width, &height, &channels, 3);
    assert_non_null(pixels);
    assert_true(width == 640 && height == 400);
    unsigned count = 0;
    for (int y = top; y < bottom; y++) {
        for (int x = left; x < right; x++) {
            const uint8_t *pixel = pixels + ((size_t)y * (size_t)width + (size_t)x) * 3;
            count += abs(pixel[0] - 23) <= 1 && abs(pixel[1] - 26) <= 1 && abs(pixel[2] - 31) <= 1;
        }
    }
    stbi_image_free(pixels);
    return count;
}

// Counts pixels near a place that have the colour of the character that is watched: more blue than green.
static unsigned count_purple(const char *path, int x, int y, int radius) {
    int width = 0, height = 0, channels = 0;
    uint8_t *pixels = stbi_load(path, &width, &height, &channels, 3);
    assert_non_null(pixels);
    unsigned count = 0;
    for (int i = 0; i < width * height; i++) {
        const uint8_t *pixel = pixels + (size_t)3 * i;
        count += abs(i % width - x) <= radius && abs(i / width - y) <= radius && pixel[0] > pixel[2] + 6 &&
                 pixel[2] > pixel[1] + 12;
    }
    stbi_image_free(pixels);
    return count;
}

// H and G add windows, at the lower ends of the columns, and the tree of nodes with its weights stays. J draws joints,
// and a click chooses the character that has a colour of its own. All windows are inside the picture.
static void keys_add_windows_and_a_click_chooses(void **state) {
    (void)state;
    static const uint8_t bone[3] = {242, 242, 237};
    remove("viewer_test_keys.png");
    viewer_result run =
        viewer_run("", "--graph " LIMBER_SAMPLES "/demos/wander.json --headless --frames 6 --every 2 --size 640x400 "
                       "--characters 3 --input 2=H --input 2=G --input 2=J --input 4=H --input 4=press:283,170 "
                       "--input 5=lift:284,170 --screenshot viewer_test_keys.png");
    viewer_expect(&run, 0, "\nbit-exact: ");
    const char *const first = "viewer_test_keys-0002.png", *const second = "viewer_test_keys-0004.png";
    const char *const last = "viewer_test_keys.png";
    assert_in_range(count_background(first, 8, 230, 300, 358), 0, 100);
    assert_in_range(count_background(first, 410, 630, 300, 358), 0, 100);
    assert_in_range(count_background(second, 8, 230, 300, 358), 2000, 222 * 58);
    assert_in_range(count_background(second, 410, 630, 300, 358), 5000, 220 * 58);
    assert_in_range(count_background(last, 410, 630, 300, 358), 0, 100);
    assert_in_range(count_background(second, 0, 640, 396, 400), 0, 0);
    assert_in_range(count_view(second).weights, 100, 2000);
    assert_in_range(count_near(first, 343, 170, 12, bone), 0, 10);
    assert_in_range(count_near(second, 343, 170, 12, bone), 20, 300);
    assert_true(count_purple(first, 343, 160, 30) > count_purple(first, 275, 160, 30) + 300);
    assert_true(count_purple(last, 275, 160, 30) > count_purple(last, 343, 160, 30) + 300);
}

// After a reload that keeps the states the user goes back to a frame before it, in the midst of an inertialized
// transition, and plays on; joints are drawn meanwhile. The validation layer reports nothing.
static void goes_back_over_a_reload(void **state) {
    (void)state;
    save("viewer_test_view.machine", "machine jump fade 0.1\nstand { GO crouch fade 0.4 inertialized }\n"
                                     "crouch { after 9 stand }\n");
    save("viewer_test_tuned.machine", "machine jump fade 0.1\nstand { GO crouch fade 0.3 inertialized }\n"
                                      "crouch { after 9 stand }\n");
    save("viewer_test_view.script", "0.05 send GO\n");
#define BACK                                                                                                           \
    "--graph viewer_test_view.machine --headless --frames 24 --size 320x200 --characters 2 "                           \
    "--script viewer_test_view.script --change 0.2=viewer_test_tuned.machine --input 14=, --input 15=, --input 16=, "  \
    "--input 17=, --input 18=, --input 18=J --input 19=space"
    viewer_result run = viewer_run("", "--validate " BACK);
    if (run.status != 0 && strstr(run.output, "not installed") != NULL) {
        print_message("the validation layer is not installed\n");
        run = viewer_run("", BACK);
    }
    viewer_expect(&run, 0, "read again; the characters go on");
    viewer_expect(&run, 0, "viewer_test_view.machine: shown\n");
    viewer_expect(&run, 0, "\nbit-exact: ");
    assert_null(strstr(run.output, "alidation"));
}

#define STAIRS LIMBER_SAMPLES "/demos/stairs"

// A scene around a graph of the user's own, and values and events of single characters, which are in random states.
static void shows_a_graph_in_a_scene(void **state) {
    (void)state;
    save_graphs();
    save_reach();
    viewer_result run = viewer_run("", "--graph " STAIRS ".json --scene " STAIRS ".scene --headless --frames 30 "
                                       "--size 160x120 --characters 5");
    viewer_expect(&run, 0, "\nbit-exact: ");
    run = viewer_run("", "--graph " REACH_GRAPH " --scene " STAIRS ".scene --headless --frames 1 --size 64x48");
    viewer_expect(&run, 1, STAIRS ".scene: line 1, column ");
    run = viewer_run("", "--graph " GOOD_GRAPH " --scene no_such_file --headless");
    viewer_expect(&run, 1, "no_such_file: ");
    save("viewer_test_view.script", "0 set speed 0.5 1\n0 set speed 9\n0 set speed 0.25 7\n");
    run = viewer_run("", "--graph " GOOD_GRAPH " --script viewer_test_view.script --scatter --characters 3 --headless "
                         "--frames 5 --size 64x48");
    viewer_expect(&run, 1, "speed: 9 is outside 0 to 1");
    viewer_expect(&run, 1, "line 3 of the script: there is no character 7: there are 3");
    viewer_expect(&run, 1, "\nbit-exact: ");
}

static void refuses_bad_graphs(void **state) {
    (void)state;
    static const struct {
        const char *arguments;
        int status;
        const char *says;
    } bad[] = {{"--poses no_such_file.json", 1, "no_such_file.json: "},
               {"--poses '{\"op\":\"nothing\"}'", 1, "--poses: line 1"},
               {"--poses '{\"op\":\"pose\",\"pose\":0}'", 1, "there are no pose buffers here"},
               {"--poses '{\"op\":\"rest\"}' --set speed=1", 1, "--set speed=1: "},
               {"--poses '{\"op\":\"rest\"}' --set speed", 1, "--set speed: "},
               {"--set speed=1", 2, "--set needs --poses or --graph"},
               {"--poses '{\"op\":\"rest\"}' --row 17", 2, "--row must be a whole number from 1 to 16"},
               {"--poses {} --graph x.json", 2, "--poses draws no --graph"},
               {"--demo wave --graph x.json", 2, "--demo shows no --poses or --graph"},
               {"--pose still=Walk@0", 2, "--pose needs --graph or --poses"},
               {"--poses '{\"op\":\"pose\",\"pose\":\"still\"}' --pose still=Trot@0", 1,
                "--pose still=Trot@0: the clips are 'Survey', 'Walk', 'Run'"},
               {"--script x", 2, "--script, --names and --change need --graph"},
               {"--scene x", 2, "--scene and --scatter need --graph"},
               {"--input 1=H", 2, "--input needs --headless"},
               {"--plain", 2, "--plain needs --headless"},
               {"--headless --input 1=press:1", 2, "--input must be FRAME=KEY, or FRAME=press:X,Y"},
               {"--graph x.json --label one", 2, "--label and --row need --poses"},
               {"--graph x.json --change soon=x.json", 2, "--change must be SECONDS=FILE"},
               {"--graph x.json --script no_such_file --headless", 1, "no_such_file: "}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char arguments[1000]; // with a file, which opens faster than the mannequin
        snprintf(arguments, sizeof arguments, "%s %s/Fox.glb", bad[i].arguments, LIMBER_ASSETS);
        viewer_result run = viewer_run("", arguments);
        viewer_expect(&run, bad[i].status, bad[i].says);
    }
}

static void refuses_a_trace_that_it_cannot_write(void **state) {
    (void)state;
    viewer_result run = viewer_run("", "--headless --frames 1 --size 64x64 --trace no_such_folder/trace.json");
    viewer_expect(&run, 1, "no_such_folder/trace.json: ");
}

static void refuses_bad_arguments(void **state) {
    (void)state;
    static const char *const bad[] = {"--characters 0", "--characters", "--trace",
                                      "--size 10",      "--frames x",   "--nonsense"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        viewer_result run = viewer_run("", bad[i]);
        viewer_expect(&run, 2, "limber-viewer: ");
    }
    viewer_result help = viewer_run("", "--help");
    viewer_expect(&help, 0, "usage: limber-viewer");
}

static void names_what_is_missing(void **state) {
    (void)state;
    viewer_result file = viewer_run("", "no_such_file.glb --headless");
    viewer_expect(&file, 1, "no_such_file.glb");
    viewer_result second = viewer_run("", "no_such_file.glb no_such_clip.glb --headless");
    viewer_expect(&second, 1, "no_such_file.glb");
    viewer_result split = viewer_run("", "--headless --split wave=greeting:1-0");
    viewer_expect(&split, 1, "part 'greeting' of 'wave'");
    viewer_result device = viewer_run("", "--headless --device no_such_device");
    viewer_expect(&device, 1, "no_such_device");
    viewer_result display = viewer_run("env -u DISPLAY -u WAYLAND_DISPLAY", "");
    viewer_expect(&display, 1, "--headless");
}

// Notes about a file, its name, labels, errors in a graph, and a demo's messages about its clips.
static void prints_hostile_names(void **state) {
    (void)state;
    static const char file[] = "viewer_test_hostile.gltf";
    static const struct {
        const char *arguments, *part;
    } rows[] = {
        {"viewer_test_hostile.gltf --frames 1 --characters 2", "pwned"},
        {"viewer_test_hostile.gltf --poses '{\"op\":\"" HOSTILE_JSON "\"}'", "there is no such operation"},
        {"viewer_test_hostile.gltf --poses '{" HOSTILE_BYTES "}'", "--poses"},
        {"viewer_test_hostile.gltf --poses '{\"op\":\"rest\"}' --set '" HOSTILE_BYTES "=1'", "pwned"},
        {"viewer_test_hostile.gltf --graph 'pwned" HOSTILE_BYTES "' --frames 1", "pwned"},
        {"viewer_test_hostile.gltf --graph viewer_test_hostile.json --frames 1", "there is no such operation"},
        {"viewer_test_hostile.gltf --graph viewer_test_hostile.json --frames 1 --set '" HOSTILE_BYTES "=1' --change "
         "'0=" GOOD_GRAPH "'",
         "pwned"},
        {"viewer_test_hostile.gltf --demo wave --clip 'wave=" HOSTILE_BYTES "'", "limber-viewer: "},
        {"'pwned" HOSTILE_BYTES ".gltf'", "pwned"},
        {"viewer_test_hostile.gltf --poses '" HOSTILE_BYTES "'", "pwned"},
        {"viewer_test_hostile.gltf --device '" HOSTILE_BYTES "'", "pwned"},
        {"viewer_test_hostile.gltf --frames 1 --characters 2 --screenshot 'nowhere/" HOSTILE_BYTES ".png'", "pwned"},
        {"viewer_test_hostile.gltf --trace 'nowhere/" HOSTILE_BYTES "'", "pwned"},
    };
    assert_true(hostile_write_gltf(file, false));
    save("viewer_test_hostile.json", "{\"op\":\"" HOSTILE_JSON "\"}");
    save(GOOD_GRAPH, "{\"op\": \"rest\"}");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char arguments[1000];
        snprintf(arguments, sizeof arguments, "--headless --size 64x48 %s", rows[i].arguments);
        viewer_result run = viewer_run("", arguments);
        hostile_expect_none(arguments, run.output);
        if (strstr(run.output, rows[i].part) == NULL) {
            fail_msg("%s: no '%s' in:\n%s", hostile_show(arguments), rows[i].part, run.output);
        }
    }
    remove(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_the_mannequin),
        cmocka_unit_test(draws_the_fox),
        cmocka_unit_test(draws_the_man),
        cmocka_unit_test(draws_a_character_in_two_files),
        cmocka_unit_test(draws_a_pack),
        cmocka_unit_test(shows_the_times_of_stages),
        cmocka_unit_test(draws_the_poses_of_a_graph),
        cmocka_unit_test(draws_the_pose_of_an_override),
        cmocka_unit_test(shows_a_graph_again_when_it_is_saved),
        cmocka_unit_test(shows_the_rest_pose_until_a_graph_is_good),
        cmocka_unit_test(plays_a_script_in_a_graph),
        cmocka_unit_test(a_target_is_dragged),
        cmocka_unit_test(goes_back_over_a_reload),
        cmocka_unit_test(keys_add_windows_and_a_click_chooses),
        cmocka_unit_test(shows_a_graph_in_a_scene),
        cmocka_unit_test(refuses_bad_graphs),
        cmocka_unit_test(refuses_a_trace_that_it_cannot_write),
        cmocka_unit_test(refuses_bad_arguments),
        cmocka_unit_test(names_what_is_missing),
        cmocka_unit_test(prints_hostile_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
