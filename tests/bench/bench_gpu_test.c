// limber-bench on a device: the JSON contains its result and the device's limits.
#include "command.h"
#include "json_tree.h"
#include "suite.h"
#include "trace_tree.h"

#include <device.h>

#include <limber/cpu.h>
#include <stdio.h>
#include <stdlib.h>

static void a_trace_has_paths_and_devices(void **state) {
    (void)state;
    assert_true(command_enter_folder());
    command_output output =
        command_run("\"%s\" --device 0 --seconds 0.001 --joints 24 --characters 17 --trace trace.json", LIMBER_BENCH);
    if (output.status != 0) {
        fail_msg("status %d\n%s", output.status, output.err);
    }
    char *text = command_read_file("trace.json");
    assert_non_null(text);
    int wholes = 0, stages = 0;
    trace_tree_expect(text, 1, &wholes, &stages); // the reference
    assert_true(wholes > 0 && stages > 0);
    trace_tree_expect(text, LMB_CPU_PATH_COUNT + 1, &wholes, &stages);
    assert_true(wholes > 0 && stages > 0);
    free(text);
    command_output_release(&output);
    command_leave_folder();
}

static void a_device_has_limits_and_results(void **state) {
    (void)state;
    assert_true(command_enter_folder());
    command_output output =
        command_run("\"%s\" --device 0 --seconds 0.001 --json --joints 24 --characters 17", LIMBER_BENCH);
    if (output.status != 0) {
        fail_msg("status %d\n%s", output.status, output.err);
    }
    json_tree tree = json_tree_read(output.out);
    int limits = json_tree_member(&tree, json_tree_member(&tree, 0, "context"), "limits");
    int results = json_tree_member(&tree, 0, "benchmarks");
    int limit = json_tree_item(&tree, limits, json_tree_size(&tree, limits) - 1);
    int result = json_tree_item(&tree, results, json_tree_size(&tree, results) - 1);
    device device;
    lmb_error error;
    assert_int_equal(device_open(&(device_request){.name = "0"}, &device, &error), LMB_OK);
    json_tree_expect_text(&tree, json_tree_member(&tree, limit, "backend"), device.properties.deviceName);
    char name[300];
    snprintf(name, sizeof name, "%s%s", device.properties.deviceName,
             device.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU ? ", per core" : "");
    json_tree_expect_text(&tree, json_tree_member(&tree, result, "backend"), name);
    device_close(&device);
    assert_true(json_tree_number(&tree, json_tree_member(&tree, limit, "operations_per_second")) > 1e6);
    assert_true(json_tree_number(&tree, json_tree_member(&tree, limit, "copied_bytes_per_second")) > 1e6);
    assert_true(json_tree_number(&tree, json_tree_member(&tree, result, "us_per_character")) > 0.0);
    json_tree_release(&tree);
    command_output_release(&output);
    command_leave_folder();
}

static void a_device_runs_machines(void **state) {
    (void)state;
    assert_true(command_enter_folder());
    command_output output = command_run(
        "\"%s\" --device 0 --seconds 0.001 --json --workload machines --joints 24 --characters 17", LIMBER_BENCH);
    if (output.status != 0) {
        fail_msg("status %d\n%s", output.status, output.err);
    }
    json_tree tree = json_tree_read(output.out);
    int results = json_tree_member(&tree, 0, "benchmarks");
    int row = json_tree_item(&tree, results, json_tree_size(&tree, results) - 1);
    json_tree_expect_text(&tree, json_tree_member(&tree, row, "workload"), "machines");
    assert_true(json_tree_number(&tree, json_tree_member(&tree, row, "us_per_character")) > 0.0);
    int share = json_tree_member(&tree, row, "control_share");
    if (share >= 0) { // if it has timestamps
        assert_true(json_tree_number(&tree, share) > 0.0);
    }
    json_tree_release(&tree);
    command_output_release(&output);
    command_leave_folder();
}

static void a_device_runs_nodes_and_skins(void **state) {
    (void)state;
    static const char *const names[] = {"override", "chain", "retarget", "skin-dual-quaternion", "skin-morph"};
    assert_true(command_enter_folder());
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        command_output output =
            command_run("\"%s\" --device 0 --seconds 0.001 --json --workload %s --joints 29 --characters 3",
                        LIMBER_BENCH, names[i]);
        if (output.status != 0) {
            fail_msg("status %d\n%s", output.status, output.err);
        }
        json_tree tree = json_tree_read(output.out);
        int results = json_tree_member(&tree, 0, "benchmarks");
        int row = json_tree_item(&tree, results, json_tree_size(&tree, results) - 1);
        json_tree_expect_text(&tree, json_tree_member(&tree, row, "workload"), names[i]);
        assert_true(json_tree_number(&tree, json_tree_member(&tree, row, "us_per_character")) > 0.0);
        assert_true(json_tree_member(&tree, row, "more_us") >= 0);
        json_tree_release(&tree);
        command_output_release(&output);
    }
    command_leave_folder();
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
        cmocka_unit_test(a_device_has_limits_and_results), cmocka_unit_test(a_device_runs_machines),
        cmocka_unit_test(a_device_runs_nodes_and_skins), cmocka_unit_test(a_trace_has_paths_and_devices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
