// The sample renderer without a display: its picture shows something, its motion vectors are those of what is in the
// picture, characters outside the picture are not drawn, and unusable files are named.
#include "command.h"
#include "suite.h"

#include "tools/device.h"

#include <stb/stb_image.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NO_MOTION = 128, STEPS = 8 }; // of the picture of motion vectors, for each pixel

typedef struct picture {
    unsigned char *pixels; // RGB
    int width, height;
} picture;

typedef struct frame {
    picture color, motion;
    unsigned drawn, characters, footsteps;
} frame;

static picture read_picture(const char *path) {
    picture read = {0};
    int channels;
    read.pixels = stbi_load(path, &read.width, &read.height, &channels, 3);
    assert_non_null(read.pixels);
    return read;
}

static command_output run_renderer(const char *pack, uint32_t frames) {
    command_output output = command_run(
        "%s \"%s\" \"%s\" %u",
        gpu_device_validates() ? "VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation "
                                 "VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT"
                               : "",
        LIMBER_RENDERER, pack, frames);
    if (strstr(output.out, "Validation") != NULL || strstr(output.err, "Validation") != NULL) {
        fail_msg("%s%s", output.out, output.err);
    }
    return output;
}

// Draws so many frames, and returns the last one.
static frame draw(const char *pack, uint32_t frames) {
    command_output output = run_renderer(pack, frames);
    frame last = {0};
    unsigned counted = 0;
    if (output.status != 0 || sscanf(output.out, "%u frames, %u of %u characters drawn, %u footsteps", &counted,
                                     &last.drawn, &last.characters, &last.footsteps) != 4) {
        fail_msg("status %d: %s%s", output.status, output.out, output.err);
    }
    assert_int_equal(counted, frames);
    command_output_release(&output);
    last.color = read_picture("renderer.png");
    last.motion = read_picture("renderer-motion.png");
    assert_int_equal(last.color.width, last.motion.width);
    assert_int_equal(last.color.height, last.motion.height);
    return last;
}

static void release(frame *frame) {
    stbi_image_free(frame->color.pixels);
    stbi_image_free(frame->motion.pixels);
}

// The last frame in which all characters are drawn, because none has a box yet, and the first one without those outside
// the picture. Two tests look at them.
static frame all_drawn, some_drawn;

static void draw_first_frames(void) {
    if (some_drawn.color.pixels == NULL) {
        all_drawn = draw(LIMBER_RENDERER_PACK, 2);
        some_drawn = draw(LIMBER_RENDERER_PACK, 3);
    }
}

static const unsigned char *pixel(const picture *picture, int x, int y) {
    return picture->pixels + 3 * ((size_t)y * (size_t)picture->width + (size_t)x);
}

static void make_pack(const char *arguments) {
    command_output output = command_run("\"" LIMBER_CLI "\" pack %s", arguments);
    if (output.status != 0) {
        fail_msg("%s", output.err);
    }
    command_output_release(&output);
}

// The suit of a character in the sun; nothing else is as light.
static bool is_light(const unsigned char *p) {
    return p[0] > 215 && p[2] < p[0];
}

// Characters are light, the ground is darker, shadows are darker still, and the sky is blue.
static void the_picture_shows_characters_on_a_ground(void **state) {
    (void)state;
    draw_first_frames();
    const frame last = some_drawn;
    uint32_t light = 0, ground = 0, shadow = 0, sky = 0;
    for (int y = 0; y < last.color.height; y++) {
        for (int x = 0; x < last.color.width; x++) {
            const unsigned char *p = pixel(&last.color, x, y);
            light += is_light(p);
            ground += p[0] > 140 && p[0] < 180 && p[2] < p[0];
            shadow += p[0] < 105 && p[0] > 70 && p[2] <= p[0] + 6;
            sky += p[2] > p[0] + 10 && p[2] > 200;
        }
    }
    const uint32_t all = (uint32_t)(last.color.width * last.color.height);
    if (light < all / 100 || ground < all / 4 || shadow < all / 500 || sky < all / 20) {
        fail_msg("of %u pixels %u are light, %u ground, %u shadow and %u sky", all, light, ground, shadow, sky);
    }
    assert_int_equal(last.characters, 100);
}

// Nothing moves, neither the characters nor the camera.
static void a_still_crowd_has_no_motion(void **state) {
    (void)state;
    make_pack("mannequin --output still.lmb --graph "
              "'still={\"op\":\"clip\",\"clip\":\"stand\",\"play\":{\"rate\":0},\"character-motion\":true}'");
    frame last = draw("still.lmb", 4);
    for (int y = 0; y < last.motion.height; y++) {
        for (int x = 0; x < last.motion.width; x++) {
            const unsigned char *p = pixel(&last.motion, x, y);
            if (p[0] != NO_MOTION || p[1] != NO_MOTION) {
                fail_msg("pixel %d, %d moves by %d, %d eighths", x, y, p[0] - NO_MOTION, p[1] - NO_MOTION);
            }
        }
    }
    assert_int_equal(last.footsteps, 0);
    release(&last);
}

// Returns whether a pixel differs, by more than shading does, from all pixels around a point of the picture before.
// Edges are not smoothed, so they are exact to a pixel only.
static bool differs(const picture *now, int x, int y, const picture *before, double at_x, double at_y) {
    const unsigned char *p = pixel(now, x, y);
    for (int i = 0; i < 9; i++) {
        const int from_x = (int)lround(at_x) + i % 3 - 1, from_y = (int)lround(at_y) + i / 3 - 1;
        if (from_x < 0 || from_y < 0 || from_x >= before->width || from_y >= before->height) {
            return false;
        }
        const unsigned char *q = pixel(before, from_x, from_y);
        if (abs(p[0] - q[0]) + abs(p[1] - q[1]) + abs(p[2] - q[2]) < 60) {
            return false;
        }
    }
    return true;
}

// The picture before, moved by the vectors, is the picture, at characters: shadows on the ground do not move by the
// vectors of the ground. A character that only the first one draws would show, too.
static void motion_vectors_lead_to_the_picture_before(void **state) {
    (void)state;
    draw_first_frames();
    const frame before = all_drawn, now = some_drawn;
    uint32_t moving = 0, with = 0, without = 0, against = 0;
    for (int y = 0; y < now.color.height; y++) {
        for (int x = 0; x < now.color.width; x++) {
            const unsigned char *vector = pixel(&now.motion, x, y);
            const double right = (double)(vector[0] - NO_MOTION) / STEPS,
                         down = (double)(vector[1] - NO_MOTION) / STEPS;
            if (is_light(pixel(&now.color, x, y)) && hypot(right, down) > 2.0) {
                moving++;
                with += differs(&now.color, x, y, &before.color, x - right, y - down);
                without += differs(&now.color, x, y, &before.color, x, y);
                against += differs(&now.color, x, y, &before.color, x + right, y + down);
            }
        }
    }
    printf("of %u pixels that move, %u differ with their vectors, %u without, %u against them\n", moving, with, without,
           against);
    assert_true(moving > 500 && without > moving / 10);
    assert_true(with < without / 5);
    assert_true(without < against);
}

// What is read back is late, but arrives.
static void only_characters_in_the_picture_are_drawn(void **state) {
    (void)state;
    frame last = draw(LIMBER_RENDERER_PACK, 12);
    assert_true(last.drawn > 20 && last.drawn < 80);
    assert_true(last.footsteps > 20 && last.footsteps < 300);
    release(&last);
}

static void unusable_files_are_named(void **state) {
    (void)state;
    command_output output = run_renderer("absent.lmb", 1);
    assert_int_equal(output.status, 1);
    assert_string_equal(output.err, "limber-renderer: absent.lmb cannot be read\n");
    command_output_release(&output);
    make_pack("mannequin --output rest.lmb --graph 'rest={\"op\":\"rest\"}'");
    output = run_renderer("rest.lmb", 1);
    assert_int_equal(output.status, 1);
    assert_non_null(strstr(output.err, "no graph with a character motion"));
    command_output_release(&output);
}

static int enter(void **state) {
    (void)state;
    return command_enter_folder() ? 0 : -1;
}

static int leave(void **state) {
    (void)state;
    release(&all_drawn);
    release(&some_drawn);
    command_leave_folder();
    return 0;
}

int main(void) {
    device device;
    lmb_error error;
    if (device_open(&(device_request){0}, &device, &error) != LMB_OK) {
        printf("skipped: %s\n", error.message);
        return 77;
    }
    device_close(&device);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_picture_shows_characters_on_a_ground),
        cmocka_unit_test(a_still_crowd_has_no_motion),
        cmocka_unit_test(motion_vectors_lead_to_the_picture_before),
        cmocka_unit_test(only_characters_in_the_picture_are_drawn),
        cmocka_unit_test(unusable_files_are_named),
    };
    suite_filter();
    return cmocka_run_group_tests_name("renderer", tests, enter, leave);
}
