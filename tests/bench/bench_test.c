// limber-bench: accepted arguments, and JSON with a result for every requested path, rig and crowd.
#include "command.h"
#include "json_tree.h"
#include "suite.h"

#include <limber/cpu.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RESULT_KEYS                                                                                                    \
    "backend workload clips compressed joints characters us_per_character low high samples copy_floor_us "             \
    "arithmetic_floor_us share_of_floor"

static int enter(void **state) {
    (void)state;
    return command_enter_folder() ? 0 : 1;
}

static int leave(void **state) {
    (void)state;
    command_leave_folder();
    return 0;
}

static void expect_contains(const char *text, const char *part) {
    if (text == NULL || strstr(text, part) == NULL) {
        fail_msg("'%s' is not in:\n%s", part, text == NULL ? "(nothing)" : text);
    }
}

static command_output run_well(const char *arguments) {
    command_output output = command_run("\"%s\" --device none --seconds 0.001 %s", LIMBER_BENCH, arguments);
    if (output.status != 0) {
        fail_msg("limber-bench %s: status %d\n%s", arguments, output.status, output.err);
    }
    return output;
}

static void wrong_usage_is_reported_and_ends_with_2(void **state) {
    (void)state;
    static const struct {
        const char *arguments;
        const char *message;
    } rows[] = {
        {"--walk", "unknown option '--walk'"},
        {"--characters", "--characters needs a value"},
        {"--characters 0", "--characters must be numbers from 1 to 10000000, with commas between them, not '0'"},
        {"--characters 16,", "commas between them, not '16,'"},
        {"--characters 16,x", "commas between them, not '16,x'"},
        {"--characters -16", "commas between them, not '-16'"},
        {"--characters 10000001", "commas between them, not '10000001'"},
        {"--joints 70000", "--joints must be numbers of joints, with commas between them, not '70000'"},
        {"--seconds nan", "--seconds must be seconds, at most 3600, not 'nan'"},
        {"--seconds 0", "--seconds must be seconds, at most 3600, not '0'"},
        {"--workload five-clips", "divergent-fades, game or matching, not 'five-clips'"},
        {"--clips horse", "--clips must be procedural, mannequin or pab, not 'horse'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        command_output output = command_run("\"%s\" %s", LIMBER_BENCH, rows[i].arguments);
        assert_int_equal(output.status, 2);
        assert_string_equal(output.out, "");
        expect_contains(output.err, rows[i].message);
        expect_contains(output.err, "Try 'limber-bench --help'");
        command_output_release(&output);
    }
}

static void help_is_no_error(void **state) {
    (void)state;
    command_output output = command_run("\"%s\" --help", LIMBER_BENCH);
    assert_int_equal(output.status, 0);
    expect_contains(output.out, "usage: limber-bench");
    assert_string_equal(output.err, "");
    command_output_release(&output);
}

// The paths that the bench runs, in order.
static int list_paths(lmb_cpu_path paths[LMB_CPU_PATH_COUNT]) {
    int count = 0;
    for (int i = 0; i < LMB_CPU_PATH_COUNT; i++) {
        if (i != LMB_CPU_FAST && lmb_cpu_has((lmb_cpu_path)i)) {
            paths[count++] = (lmb_cpu_path)i;
        }
    }
    return count;
}

static void expect_positive(const json_tree *tree, int object, const char *key) {
    if (!(json_tree_number(tree, json_tree_member(tree, object, key)) > 0.0)) {
        fail_msg("%s is not positive", key);
    }
}

static void expect_limits(const json_tree *tree, const lmb_cpu_path *paths, int path_count) {
    int context = json_tree_member(tree, 0, "context");
    int limits = json_tree_member(tree, context, "limits");
    json_tree_expect_keys(tree, context, "date compiler limits");
    assert_int_equal(json_tree_size(tree, limits), path_count);
    for (int i = 0; i < path_count; i++) {
        int row = json_tree_item(tree, limits, i);
        json_tree_expect_keys(tree, row, "backend copied_bytes_per_second operations_per_second");
        json_tree_expect_text(tree, json_tree_member(tree, row, "backend"), lmb_cpu_path_name(paths[i]));
        expect_positive(tree, row, "copied_bytes_per_second");
        expect_positive(tree, row, "operations_per_second");
    }
}

static void expect_result(const json_tree *tree, int row, lmb_cpu_path path, int joints, int characters) {
    char name[64];
    json_tree_expect_keys(tree, row, RESULT_KEYS);
    snprintf(name, sizeof name, "CPU %s, per core", lmb_cpu_path_name(path));
    json_tree_expect_text(tree, json_tree_member(tree, row, "backend"), name);
    json_tree_expect_text(tree, json_tree_member(tree, row, "workload"), "four-clips");
    json_tree_expect_text(tree, json_tree_member(tree, row, "clips"), "procedural");
    assert_false(json_tree_is_true(tree, json_tree_member(tree, row, "compressed")));
    assert_int_equal((int)json_tree_number(tree, json_tree_member(tree, row, "joints")), joints);
    assert_int_equal((int)json_tree_number(tree, json_tree_member(tree, row, "characters")), characters);
    double low = json_tree_number(tree, json_tree_member(tree, row, "low"));
    double median = json_tree_number(tree, json_tree_member(tree, row, "us_per_character"));
    double high = json_tree_number(tree, json_tree_member(tree, row, "high"));
    assert_true(low > 0.0 && low <= median && median <= high);
    double copy = json_tree_number(tree, json_tree_member(tree, row, "copy_floor_us"));
    double arithmetic = json_tree_number(tree, json_tree_member(tree, row, "arithmetic_floor_us"));
    double share = json_tree_number(tree, json_tree_member(tree, row, "share_of_floor"));
    double expected = (copy > arithmetic ? copy : arithmetic) / median;
    assert_true(copy > 0.0 && arithmetic > 0.0);
    assert_true(share > 0.999 * expected && share < 1.001 * expected);
}

static void json_has_a_result_for_every_path_rig_and_crowd(void **state) {
    (void)state;
    static const int joints[2] = {5, 24}, characters[2] = {1, 17};
    lmb_cpu_path paths[LMB_CPU_PATH_COUNT];
    int path_count = list_paths(paths);
    command_output output = run_well("--json --joints 5,24 --characters 1,17");
    assert_string_equal(output.err, "");
    json_tree tree = json_tree_read(output.out);
    json_tree_expect_keys(&tree, 0, "context benchmarks");
    expect_limits(&tree, paths, path_count);
    int results = json_tree_member(&tree, 0, "benchmarks");
    assert_int_equal(json_tree_size(&tree, results), 4 * path_count);
    for (int i = 0; i < 4 * path_count; i++) {
        int scene = i / path_count;
        expect_result(&tree, json_tree_item(&tree, results, i), paths[i % path_count], joints[scene / 2],
                      characters[scene % 2]);
    }
    json_tree_release(&tree);
    command_output_release(&output);
}

static void every_workload_and_set_of_clips_runs(void **state) {
    (void)state;
    static const char *const arguments[] = {
        "--workload distant --characters 1 --joints 67",
        "--workload neighbours --characters 2 --joints 67",
        "--workload two-clips --characters 1 --joints 67",
        "--workload masked --characters 1 --joints 67",
        "--clips mannequin --characters 1 --joints 67",
        "--clips mannequin --characters 1 --joints 24",
        "--clips mannequin --characters 1 --joints 200",
        "--compress --characters 1 --joints 7",
        "--workload masked --characters 1 --joints 1",
        "--workload machines --characters 9 --joints 67",
        "--workload machines --clips mannequin --characters 2 --joints 24",
        "--workload matching --characters 9 --joints 67",
    };
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i += suite_stride()) {
        command_output output = run_well(arguments[i]);
        expect_contains(output.out, "CPU reference, per core");
        assert_string_equal(output.err, "");
        command_output_release(&output);
    }
}

static void control_and_poses_are_reported_apart(void **state) {
    (void)state;
    lmb_cpu_path paths[LMB_CPU_PATH_COUNT];
    int path_count = list_paths(paths);
    command_output output = run_well("--json --workload machines --joints 24 --characters 17");
    json_tree tree = json_tree_read(output.out);
    int results = json_tree_member(&tree, 0, "benchmarks");
    assert_int_equal(json_tree_size(&tree, results), path_count);
    for (int i = 0; i < path_count; i++) {
        int row = json_tree_item(&tree, results, i);
        json_tree_expect_keys(&tree, row, RESULT_KEYS " control_us pose_us control_share");
        double control = json_tree_number(&tree, json_tree_member(&tree, row, "control_us"));
        double poses = json_tree_number(&tree, json_tree_member(&tree, row, "pose_us"));
        double share = json_tree_number(&tree, json_tree_member(&tree, row, "control_share"));
        assert_true(control > 0.0 && poses > 0.0);
        assert_true(share > 0.999 * control / poses && share < 1.001 * control / poses);
    }
    json_tree_release(&tree);
    command_output_release(&output);
    output = run_well("--workload machines --joints 24 --characters 17");
    expect_contains(output.out, "us control  us poses  control/poses\n");
    command_output_release(&output);
    output = run_well("--joints 24 --characters 17");
    assert_null(strstr(output.out, "us control"));
    command_output_release(&output);
}

static void nodes_are_measured_beside_the_clips_alone(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool moves; // has a control
    } rows[] = {{"ik-two-bone", false},
                {"ik-aim", false},
                {"foot-placement", false},
                {"stride", false},
                {"twist", false},
                {"chain", false},
                {"override", false},
                {"retarget", false},
                {"root-motion", true},
                {"warp", true},
                {"full-rotation", true},
                {"skin", false},
                {"skin-dual-quaternion", false},
                {"skin-morph", false}};
    lmb_cpu_path paths[LMB_CPU_PATH_COUNT];
    const int path_count = list_paths(paths);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i += suite_stride()) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "--json --workload %s --joints 29 --characters 17", rows[i].name);
        command_output output = run_well(arguments);
        assert_string_equal(output.err, "");
        json_tree tree = json_tree_read(output.out);
        int results = json_tree_member(&tree, 0, "benchmarks");
        assert_int_equal(json_tree_size(&tree, results), path_count);
        for (int row = 0; row < path_count; row++) {
            int result = json_tree_item(&tree, results, row);
            json_tree_expect_keys(&tree, result,
                                  rows[i].moves ? RESULT_KEYS " control_us pose_us control_share more_us more_share"
                                                : RESULT_KEYS " more_us more_share");
            json_tree_expect_text(&tree, json_tree_member(&tree, result, "workload"), rows[i].name);
            json_tree_expect_text(&tree, json_tree_member(&tree, result, "clips"), "mannequin");
            double whole = json_tree_number(&tree, json_tree_member(&tree, result, "us_per_character"));
            double more = json_tree_number(&tree, json_tree_member(&tree, result, "more_us"));
            double share = json_tree_number(&tree, json_tree_member(&tree, result, "more_share"));
            assert_true(whole > 0.0);
            assert_true(fabs(share - more / whole) <= 1e-3 * fabs(share));
        }
        json_tree_release(&tree);
        command_output_release(&output);
    }
    command_output output = run_well("--workload chain --joints 29 --characters 17");
    expect_contains(output.out, "us more   of this\n");
    command_output_release(&output);
}

static void a_rig_without_the_joints_of_a_node_is_refused(void **state) {
    (void)state;
    static const char *const names[] = {"ik-aim", "skin"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        command_output output = command_run("\"%s\" --device none --seconds 0.001 --clips procedural --workload %s",
                                            LIMBER_BENCH, names[i]);
        assert_int_equal(output.status, 1);
        expect_contains(output.err, "mannequin");
        command_output_release(&output);
    }
}

static void files_that_are_missing_are_left_out_with_a_message(void **state) {
    (void)state;
    command_output output = run_well("--clips pab --characters 1");
    if (strstr(output.out, "CPU reference") == NULL) {
        expect_contains(output.err, "limber-bench: left out: four-clips, pab");
    }
    command_output_release(&output);
}

static void what_would_take_too_long_is_left_out_with_a_message(void **state) {
    (void)state;
    command_output output = run_well("--json --joints 24 --characters 16,1000000 --longest-frame 0.000001");
    lmb_cpu_path paths[LMB_CPU_PATH_COUNT];
    json_tree tree = json_tree_read(output.out);
    assert_int_equal(json_tree_size(&tree, json_tree_member(&tree, 0, "benchmarks")), list_paths(paths));
    expect_contains(output.err, "1000000 characters, reference: a frame would take");
    json_tree_release(&tree);
    command_output_release(&output);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_usage_is_reported_and_ends_with_2),
        cmocka_unit_test(help_is_no_error),
        cmocka_unit_test(json_has_a_result_for_every_path_rig_and_crowd),
        cmocka_unit_test(every_workload_and_set_of_clips_runs),
        cmocka_unit_test(control_and_poses_are_reported_apart),
        cmocka_unit_test(nodes_are_measured_beside_the_clips_alone),
        cmocka_unit_test(a_rig_without_the_joints_of_a_node_is_refused),
        cmocka_unit_test(files_that_are_missing_are_left_out_with_a_message),
        cmocka_unit_test(what_would_take_too_long_is_left_out_with_a_message),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
