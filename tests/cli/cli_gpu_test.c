// The parts of the command `limber`, and limber-hello, that need a Vulkan device. Runs once per driver.
#include "command.h"
#include "json_tree.h"
#include "suite.h"
#include "trace_tree.h"

#include "tools/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reads the numbers of the last line of `limber compare`. Nothing may follow this line.
static void read_summary(const char *text, unsigned long long *values, unsigned long long *differ) {
    const char *line = strstr(text, "\nbit-exact: ");
    assert_non_null(line);
    int end = 0;
    assert_int_equal(sscanf(line, "\nbit-exact: %llu values compared, %llu differ%n", values, differ, &end), 2);
    assert_string_equal(line + end, "\n");
}

// Reads the driver of the first device directly from Vulkan.
static void read_driver(char *text, size_t size) {
    device device;
    VkPhysicalDevice physical[DEVICE_MAX];
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &driver};
    assert_int_equal(device_open_instance(&(device_request){0}, &device, NULL), LMB_OK);
    assert_true(device_list(&device, physical) > 0);
    vkGetPhysicalDeviceProperties2(physical[0], &properties);
    device_close(&device);
    snprintf(text, size, "%s%s%s", driver.driverName, driver.driverInfo[0] != '\0' ? " " : "", driver.driverInfo);
}

static void devices_are_listed_with_the_probe(void **state) {
    (void)state;
    command_output output = command_expect(0, "\"" LIMBER_CLI "\" devices");
    assert_string_equal(output.err, "");
    assert_int_equal(strncmp(output.out, "0: ", 3), 0);
    char driver[520], line[560];
    read_driver(driver, sizeof driver);
    snprintf(line, sizeof line, "\n   driver: %s\n", driver);
    const char *emitted = strstr(output.out, "\n   driver: ");
    assert_non_null(emitted);
    assert_int_equal(strncmp(emitted, line, strlen(line)), 0);
    assert_non_null(strstr(output.out, "\n   same bits: yes, "));
    command_output_release(&output);
}

static void devices_as_json_have_the_same(void **state) {
    (void)state;
    command_output output = command_expect(0, "\"" LIMBER_CLI "\" devices --json");
    json_tree tree = json_tree_read(output.out);
    json_tree_expect_keys(&tree, 0, "devices");
    int devices = json_tree_member(&tree, 0, "devices");
    bool any = false;
    for (int i = 0; i < json_tree_size(&tree, devices); i++) {
        int device = json_tree_item(&tree, devices, i);
        json_tree_expect_keys(&tree, device,
                              "index name type vulkan driver same_bits declares_rte cases failures reason");
        assert_int_equal((int)json_tree_number(&tree, json_tree_member(&tree, device, "index")), i);
        if (i == 0) {
            char driver[520];
            read_driver(driver, sizeof driver);
            json_tree_expect_text(&tree, json_tree_member(&tree, device, "driver"), driver);
        }
        if (json_tree_is_true(&tree, json_tree_member(&tree, device, "same_bits"))) {
            any = true;
            assert_true(json_tree_number(&tree, json_tree_member(&tree, device, "cases")) > 0);
            assert_true(json_tree_number(&tree, json_tree_member(&tree, device, "failures")) == 0);
            assert_true(json_tree_is_null(&tree, json_tree_member(&tree, device, "reason")));
        }
    }
    assert_true(any);
    json_tree_release(&tree);
    command_output_release(&output);
}

static void the_gpu_samples_what_the_reference_samples(void **state) {
    (void)state;
    const char *const arguments =
        "sample small.gltf --clip 1 --loop --time 0 --time 0.3 --time 0.77 --time -8 --time 1e7 --json";
    char line[1000];
    snprintf(line, sizeof line, "\"%s\" %s", LIMBER_CLI, arguments);
    command_output reference = command_expect(0, line);
    snprintf(line, sizeof line, "\"%s\" %s --backend gpu --device 0", LIMBER_CLI, arguments);
    command_output gpu = command_expect(0, line);
    assert_string_equal(gpu.err, "");
    json_tree tree = json_tree_read(gpu.out);
    json_tree_expect_keys(&tree, 0, "clip duration backend device poses");
    json_tree_expect_text(&tree, json_tree_member(&tree, 0, "backend"), "gpu");
    json_tree_release(&tree);
    const char *a = strstr(reference.out, "\"poses\": ");
    const char *b = strstr(gpu.out, "\"poses\": ");
    assert_non_null(a);
    assert_non_null(b);
    assert_string_equal(a, b);
    command_output_release(&reference);
    command_output_release(&gpu);
}

static void expect_same_poses(const char *arguments) {
    char line[1500];
    snprintf(line, sizeof line, "\"%s\" %s", LIMBER_CLI, arguments);
    command_output reference = command_expect(0, line);
    snprintf(line, sizeof line, "\"%s\" %s --backend gpu --device 0", LIMBER_CLI, arguments);
    command_output gpu = command_expect(0, line);
    assert_string_equal(gpu.err, "");
    const char *a = strstr(reference.out, "\"poses\": ");
    const char *b = strstr(gpu.out, "\"poses\": ");
    assert_non_null(a);
    assert_non_null(b);
    assert_string_equal(a, b);
    command_output_release(&reference);
    command_output_release(&gpu);
}

// Every operation, in one program.
#define GRAPH                                                                                                          \
    "'{\"op\":\"weighted\",\"inputs\":[{\"weight\":{\"param\":\"x\",\"max\":4},\"pose\":{\"op\":\"additive\","         \
    "\"weight\":"                                                                                                      \
    "{\"param\":\"w\"},\"curve\":\"uniform-s\",\"base\":{\"op\":\"masked\",\"mask\":{\"root\":64,\"node_2\":255},"     \
    "\"a\":{"                                                                                                          \
    "\"op\":\"rest\"},\"b\":{\"op\":\"clip\",\"clip\":{\"param\":\"gait\"},\"rate\":{\"param\":\"rate\",\"default\":"  \
    "0.75},"                                                                                                           \
    "\"offset\":0.5}},\"add\":{\"op\":\"clip\",\"clip\":\"Bend\",\"additive\":true}}},{\"pose\":{\"op\":\"additive\"," \
    "\"weight\":"                                                                                                      \
    "{\"param\":\"w\"},\"base\":{\"op\":\"pose\",\"pose\":1},\"add\":{\"op\":\"make-additive\",\"pose\":{\"op\":"      \
    "\"clip\","                                                                                                        \
    "\"clip\":1,"                                                                                                      \
    "\"loop\":false},\"reference\":{\"op\":\"rest\"}}}}]}'"

static void a_program_written_as_json_is_the_same_on_the_gpu(void **state) {
    (void)state;
    expect_same_poses("eval small.gltf --json --time 0 --time 0.3 --time -8 --set w=0.3 --set gait=1 --graph " GRAPH);
}

static void a_crowd_that_runs_it_is_compared(void **state) {
    (void)state;
    command_output output = command_expect(0, "\"" LIMBER_CLI "\" compare small.gltf --frames 2 --graph " GRAPH);
    unsigned long long values = 0, differ = 1;
    read_summary(output.out, &values, &differ);
    assert_int_equal(values, 2 * (1000 * (3 * (34 + 12 + 8) + 6) + LMB_REFUSAL_COUNT));
    assert_int_equal(differ, 0);
    assert_non_null(strstr(output.out, "graphs 1,"));
    assert_null(strstr(output.out, "refused clips 0,")); // some are refused on purpose
    command_output_release(&output);
}

static void a_sample_on_the_gpu_names_its_device(void **state) {
    (void)state;
    command_output output =
        command_expect(0, "\"" LIMBER_CLI "\" sample small.gltf --clip Bend --time 0.5 --backend gpu");
    assert_int_equal(strncmp(output.out, "clip Bend, 1.250 s, on ", 23), 0);
    assert_null(strstr(output.out, "the reference"));
    command_output_release(&output);
}

static void a_device_that_is_not_there_is_a_failure(void **state) {
    (void)state;
    static const char *const lines[] = {
        "\"" LIMBER_CLI "\" sample small.gltf --clip 0 --time 0 --backend gpu --device 99",
        "\"" LIMBER_CLI "\" compare small.gltf --device 99",
        "\"" LIMBER_CLI "\" profile small.gltf --device 99",
        "\"" LIMBER_CLI "\" compare small.gltf --device 'no such device'",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        command_output output = command_expect(1, lines[i]);
        assert_string_equal(output.out, "");
        assert_int_equal(strncmp(output.err, "limber: small.gltf: ", 20), 0);
        command_output_release(&output);
    }
}

// A driver list without a driver.
static void no_driver_is_a_failure(void **state) {
    (void)state;
    command_output output =
        command_expect(1, "VK_DRIVER_FILES=none.json VK_ICD_FILENAMES=none.json \"" LIMBER_CLI "\" devices");
    assert_string_equal(output.out, "");
    assert_non_null(strstr(output.err, "limber: devices: "));
    command_output_release(&output);
}

static void comparing_as_json_counts_every_stage(void **state) {
    (void)state;
    suite_full_only();
    command_output output =
        command_expect(0, "\"" LIMBER_CLI "\" compare small.gltf --characters 400 --seed 18446744073709551615 --json");
    json_tree tree = json_tree_read(output.out);
    json_tree_expect_keys(&tree, 0, "file device graphs characters frames seed outputs values differ first");
    assert_int_equal((int)json_tree_number(&tree, json_tree_member(&tree, 0, "graphs")), 4);
    assert_int_equal((int)json_tree_number(&tree, json_tree_member(&tree, 0, "frames")), 4);
    const double characters = 400 * 4 * 4;
    const double floats[9] = {3 * 10, 3 * 12, 3 * 12, 3 * 12, 3 * 8, 6, 0, 0, LMB_REFUSAL_COUNT / 400.0};
    static const char *const names[9] = {"local",  "model",   "palette",  "previous palette", "dual quaternions",
                                         "bounds", "sockets", "channels", "refusals"};
    int outputs = json_tree_member(&tree, 0, "outputs");
    assert_int_equal(json_tree_size(&tree, outputs), 9);
    double sum = 0.0;
    for (int i = 0; i < 9; i++) {
        int row = json_tree_item(&tree, outputs, i);
        json_tree_expect_keys(&tree, row, "output values differ");
        json_tree_expect_text(&tree, json_tree_member(&tree, row, "output"), names[i]);
        double values = json_tree_number(&tree, json_tree_member(&tree, row, "values"));
        // Programs whose last operation gives matrices have no local transforms and no dual quaternions.
        if (i == LMB_OUTPUT_LOCAL || i == LMB_OUTPUT_DUAL_QUATERNIONS) {
            assert_true(values > 0.0 && values <= characters * floats[i]);
        } else {
            assert_int_equal((int)values, (int)(characters * floats[i] + 0.5));
        }
        assert_true(json_tree_number(&tree, json_tree_member(&tree, row, "differ")) == 0);
        sum += values;
    }
    assert_true(json_tree_number(&tree, json_tree_member(&tree, 0, "values")) == sum);
    assert_true(sum >= 1000000.0);
    assert_true(json_tree_is_null(&tree, json_tree_member(&tree, 0, "first")));
    json_tree_release(&tree);
    command_output_release(&output);
}

static void a_profile_has_both_sides_and_the_bytes(void **state) {
    (void)state;
    command_output output =
        command_expect(0, "\"" LIMBER_CLI "\" profile small.gltf --random-graph 1 --characters 40 --frames 5 --json "
                          "--device-bandwidth 3 --trace trace.json");
    json_tree tree = json_tree_read(output.out);
    const int sides = json_tree_member(&tree, 0, "sides");
    assert_int_equal(json_tree_size(&tree, sides), 2);
    const int device = json_tree_item(&tree, sides, 1);
    assert_true(json_tree_number(&tree, json_tree_member(&tree, device, "floor_share")) > 0.0);
    const int stages = json_tree_member(&tree, device, "stages");
    assert_true(json_tree_size(&tree, stages) >= 3);
    const int frame = json_tree_item(&tree, stages, 0);
    json_tree_expect_text(&tree, json_tree_member(&tree, frame, "stage"), "frame");
    assert_int_equal((int)json_tree_number(&tree, json_tree_member(&tree, frame, "samples")), 5);
    const int bytes = json_tree_member(&tree, 0, "bytes");
    bool palette = false;
    for (int i = 0; i < json_tree_size(&tree, bytes); i++) {
        const int row = json_tree_item(&tree, bytes, i);
        json_tree_expect_keys(&tree, row, "name buffers bytes");
        palette = palette || json_tree_number(&tree, json_tree_member(&tree, row, "bytes")) == 40 * 3 * 48;
    }
    assert_true(palette);
    json_tree_release(&tree);
    command_output_release(&output);
    char *text = command_read_file("trace.json");
    assert_non_null(text);
    int wholes = 0, parts = 0;
    trace_tree_expect(text, 1, &wholes, &parts);
    assert_int_equal(wholes, 5);
    trace_tree_expect(text, 2, &wholes, &parts);
    assert_int_equal(wholes, 5);
    assert_true(parts >= 10);
    free(text);
}

#define STILL "\"" LIMBER_CLI "\" compare still.gltf --characters 100 --frames 2 "

static void a_file_without_clips_is_compared_in_its_rest_pose(void **state) {
    (void)state;
    FILE *file = fopen("still.gltf", "wb");
    assert_non_null(file);
    fputs("{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"scale\":[1,2,3]}]}",
          file);
    fclose(file);
    // The first random graph has every operation, which drivers compile for half a minute.
    command_output output = command_expect(
        0, suite_is_quick() ? STILL "--graph '{\"op\":\"mirror\",\"axis\":\"x\",\"pose\":{\"op\":\"rest\"}}'"
                            : STILL "--graphs 1");
    unsigned long long values = 0, differ = 1;
    read_summary(output.out, &values, &differ);
    assert_int_equal(values, 2 * (100 * (34 + 12 + 8 + 6) + LMB_REFUSAL_COUNT));
    assert_int_equal(differ, 0);
    command_output_release(&output);
}

// For any character: other tests cover the single operations.
#define REAL                                                                                                           \
    "'{\"op\":\"additive\",\"weight\":{\"param\":\"w\"},\"base\":{\"op\":\"blend\",\"weight\":{\"param\":\"x\"},"      \
    "\"a\":{"                                                                                                          \
    "\"op\":\"rest\"},\"b\":{\"op\":\"clip\",\"clip\":{\"param\":\"clip\"}}},\"add\":{\"op\":\"clip\",\"clip\":0,"     \
    "\"additive\":true}}'"

static void real_characters_are_compared(void **state) {
    (void)state;
    static const char *const names[] = {"Fox.glb", "cesium_man.gltf"};
    int found = 0;
    for (int i = 0; i < 2; i++) {
        char line[1000];
        snprintf(line, sizeof line, "%s/%s", LIMBER_ASSETS, names[i]);
        FILE *file = fopen(line, "rb");
        if (file == NULL) {
            continue;
        }
        fclose(file);
        found++;
        snprintf(line, sizeof line, "\"%s\" compare '%s/%s' --frames 2 --graph " REAL, LIMBER_CLI, LIMBER_ASSETS,
                 names[i]);
        command_output output = command_expect(0, line);
        unsigned long long values = 0, differ = 1;
        read_summary(output.out, &values, &differ);
        assert_true(values >= 1000000);
        assert_int_equal(differ, 0);
        command_output_release(&output);
    }
    if (found < 2) {
        skip(); // LIMBER_ASSETS lacks Fox.glb or cesium_man.gltf
    }
}

// The whole output is one line, so a message of the validation layer on stdout would be noticed.
static void hello_says_that_its_palettes_are_bit_exact(void **state) {
    (void)state;
    char line[1000];
    snprintf(line, sizeof line, "%s \"%s\"",
             gpu_device_validates() ? "VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation "
                                      "VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT"
                                    : "",
             LIMBER_HELLO);
    command_output output = command_expect(0, line);
    assert_string_equal(output.err, "");
    assert_int_equal(strncmp(output.out, "hello: 64 characters x 3 joints on ", 35), 0);
    const char *end = strstr(output.out, ": palettes bit-exact\n");
    assert_non_null(end);
    assert_string_equal(end, ": palettes bit-exact\n");
    assert_ptr_equal(strchr(output.out, '\n'), output.out + strlen(output.out) - 1);
    command_output_release(&output);
}

static int enter(void **state) {
    (void)state;
    return command_enter_folder() && command_write_small_gltf("small.gltf") ? 0 : -1;
}

static int leave(void **state) {
    (void)state;
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
        cmocka_unit_test(devices_are_listed_with_the_probe),
        cmocka_unit_test(devices_as_json_have_the_same),
        cmocka_unit_test(the_gpu_samples_what_the_reference_samples),
        cmocka_unit_test(a_program_written_as_json_is_the_same_on_the_gpu),
        cmocka_unit_test(a_crowd_that_runs_it_is_compared),
        cmocka_unit_test(a_sample_on_the_gpu_names_its_device),
        cmocka_unit_test(a_device_that_is_not_there_is_a_failure),
        cmocka_unit_test(no_driver_is_a_failure),
        cmocka_unit_test(comparing_as_json_counts_every_stage),
        cmocka_unit_test(a_profile_has_both_sides_and_the_bytes),
        cmocka_unit_test(a_file_without_clips_is_compared_in_its_rest_pose),
        cmocka_unit_test(real_characters_are_compared),
        cmocka_unit_test(hello_says_that_its_palettes_are_bit_exact),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
