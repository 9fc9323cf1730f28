#include "suite.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stb/stb_image.h>

#define WIDTH 160
#define HEIGHT 120

typedef struct run {
    int status;
    char output[8192]; // stdout and stderr
} run;

static run run_viewer(const char *before, const char *arguments) {
    char command[2048];
    run run = {.status = -1};
    snprintf(command, sizeof command, "%s '%s' %s 2>&1", before, LIMBER_VIEWER, arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(run.output, 1, sizeof run.output - 1, pipe);
    run.output[length] = '\0';
    while (fgetc(pipe) != EOF) {
    }
    int status = pclose(pipe);
    run.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return run;
}

static void expect(const run *run, int status, const char *text) {
    if (run->status != status || strstr(run->output, text) == NULL) {
        fail_msg("expected status %d and \"%s\", got status %d and:\n%s", status, text, run->status, run->output);
    }
}

// Sky above, ground below, and characters between: many colors, and no two of these parts alike.
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
    run run = run_viewer("", arguments);
    expect(&run, 0, "characters: 9 of ");
    expect(&run, 0, "\nbit-exact: ");
    expect(&run, 0, " values compared, 0 differ");
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
}

static void draws_the_fox(void **state) {
    (void)state;
    expect_file("Fox.glb", "fox");
}

static void draws_the_man(void **state) {
    (void)state;
    expect_file("cesium_man.gltf", "man");
}

// The fox, and its clips once more from a second file.
static void draws_a_character_in_two_files(void **state) {
    (void)state;
    char paths[1300];
    snprintf(paths, sizeof paths, "%s/Fox.glb", LIMBER_ASSETS);
    if (access(paths, R_OK) != 0) {
        print_message("%s is not there\n", paths);
        skip();
    }
    snprintf(paths, sizeof paths, "%s/Fox.glb %s/Fox.glb", LIMBER_ASSETS, LIMBER_ASSETS);
    expect_crowd(paths, "two_files");
}

static void is_silent_under_validation(void **state) {
    (void)state;
    run run = run_viewer("", "--validate --headless --frames 3 --characters 3 --size 64x64");
    if (run.status != 0 && strstr(run.output, "not installed") != NULL) {
        print_message("the validation layer is not installed\n");
        skip();
    }
    expect(&run, 0, "bit-exact: ");
    assert_null(strstr(run.output, "alidation"));
}

static void refuses_bad_arguments(void **state) {
    (void)state;
    static const char *const bad[] = {"--characters 0", "--characters", "--size 10", "--frames x", "--nonsense"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        run run = run_viewer("", bad[i]);
        expect(&run, 2, "limber-viewer: ");
    }
    run help = run_viewer("", "--help");
    expect(&help, 0, "usage: limber-viewer");
}

static void names_what_is_missing(void **state) {
    (void)state;
    run file = run_viewer("", "no_such_file.glb --headless");
    expect(&file, 1, "no_such_file.glb");
    run second = run_viewer("", "no_such_file.glb no_such_clip.glb --headless");
    expect(&second, 1, "no_such_file.glb");
    run device = run_viewer("", "--headless --device no_such_device");
    expect(&device, 1, "no_such_device");
    run display = run_viewer("env -u DISPLAY -u WAYLAND_DISPLAY", "");
    expect(&display, 1, "--headless");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_the_mannequin),
        cmocka_unit_test(draws_the_fox),
        cmocka_unit_test(draws_the_man),
        cmocka_unit_test(draws_a_character_in_two_files),
        cmocka_unit_test(is_silent_under_validation),
        cmocka_unit_test(refuses_bad_arguments),
        cmocka_unit_test(names_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
