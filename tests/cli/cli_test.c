// The command `limber` without a GPU: its output, refused arguments, and exit status.
#include "command.h"
#include "json_tree.h"
#include "mannequin.h"
#include "suite.h"
#include "trace_tree.h"

#include "tools/crowd.h"
#include "tools/json.h"
#include "tools/trace.h"

#include <float.h>
#include <limber/cpu.h>
#include <limber/import.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOINT_COUNT 3

static void expect_contains(const char *text, const char *part) {
    if (text == NULL || strstr(text, part) == NULL) {
        fail_msg("'%s' is not in:\n%s", part, text == NULL ? "(nothing)" : text);
    }
}

static void expect_starts(const char *text, const char *start) {
    if (text == NULL || strncmp(text, start, strlen(start)) != 0) {
        fail_msg("does not start with '%s':\n%s", start, text == NULL ? "(nothing)" : text);
    }
}

// Runs the command. It must succeed and write nothing to stderr.
static command_output run_well(const char *arguments) {
    command_output output = command_run("\"%s\" %s", LIMBER_CLI, arguments);
    if (output.status != 0) {
        fail_msg("limber %s: status %d\n%s", arguments, output.status, output.err);
    }
    assert_string_equal(output.err, "");
    return output;
}

// Runs the command. It must exit with this status, write this message to stderr, and nothing to stdout.
static void run_badly(int status, const char *arguments, const char *message) {
    command_output output = command_run("\"%s\" %s", LIMBER_CLI, arguments);
    if (output.status != status) {
        fail_msg("limber %s: status %d instead of %d\n%s", arguments, output.status, status, output.err);
    }
    assert_string_equal(output.out, "");
    expect_contains(output.err, message);
    command_output_release(&output);
}

static void write_file(const char *name, const char *text) {
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void wrong_usage_is_reported_and_ends_with_2(void **state) {
    (void)state;
    static const struct {
        const char *arguments;
        const char *message;
    } rows[] = {
        {"", "usage: limber COMMAND"},
        {"walk", "limber: unknown command 'walk'"},
        {"--walk", "limber: unknown command '--walk'"},
        {"info", "limber: info: no file given"},
        {"info --yaml small.gltf", "limber: info: unknown option '--yaml'"},
        {"info --json=yes small.gltf", "limber: info: --json must be given without a value"},
        {"info --jso small.gltf", "limber: info: unknown option '--jso'"},
        {"devices small.gltf", "limber: devices: unexpected argument 'small.gltf'"},
        {"sample --clip 0 --time 0", "limber: sample: no file given"},
        {"sample small.gltf --time 0", "limber: sample: no --clip given"},
        {"sample small.gltf --clip 0", "limber: sample: no --time given"},
        {"sample small.gltf --clip 0 --time", "limber: sample: --time needs a value"},
        {"sample small.gltf --clip", "limber: sample: --clip needs a value"},
        {"sample small.gltf --clip 0 --time soon", "--time must be a finite number of seconds, not 'soon'"},
        {"sample small.gltf --clip 0 --time nan", "--time must be a finite number of seconds, not 'nan'"},
        {"sample small.gltf --clip 0 --time -inf", "--time must be a finite number of seconds, not '-inf'"},
        {"sample small.gltf --clip 0 --time 1e39", "--time must be a finite number of seconds, not '1e39'"},
        {"sample small.gltf --clip 0 --time 0x1", "--time must be a finite number of seconds, not '0x1'"},
        {"sample small.gltf --clip 0 --time 1s", "--time must be a finite number of seconds, not '1s'"},
        {"sample small.gltf --clip 0 --time ''", "--time must be a finite number of seconds, not ''"},
        {"sample small.gltf --clip 0 --time 0 --backend cuda", "--backend must be reference or gpu, not 'cuda'"},
        {"sample small.gltf --clip 0 --time 0 --device 0", "limber: sample: --device needs --backend gpu"},
        {"eval --graph '{}' --time 0", "limber: eval: no file given"},
        {"eval small.gltf --time 0", "limber: eval: no --graph given"},
        {"eval small.gltf --graph '{}' --time 0 --backend cpu", "--backend must be reference or gpu, not 'cpu'"},
        {"eval small.gltf --graph '{}' --time 0 --device 0", "limber: eval: --device needs --backend gpu"},
        {"graph --graph '{}'", "limber: graph: no file given"},
        {"graph small.gltf", "limber: graph: neither --graph nor --machine given"},
        {"graph small.gltf --graph '{}' --dot=svg", "limber: graph: --dot must be given without a value"},
        {"compare", "limber: compare: no file given"},
        {"compare small.gltf --characters 0", "--characters must be a whole number, 1 or more, not '0'"},
        {"compare small.gltf --characters -3", "--characters must be a whole number, 1 or more, not '-3'"},
        {"compare small.gltf --characters 4294967295", "--characters must be a whole number"},
        {"compare small.gltf --graphs 0", "--graphs must be a whole number, 1 or more, not '0'"},
        {"compare small.gltf --graphs 2 --graph rest.json", "--graphs is of random ones, --graph gives one"},
        {"compare small.gltf --frames 1.5", "--frames must be a whole number, 1 or more, not '1.5'"},
        {"compare small.gltf --seed x", "--seed must be a whole number, 0 or more, not 'x'"},
        {"compare small.gltf --seed 18446744073709551616", "--seed must be a whole number"},
        {"profile", "limber: profile: no file given"},
        {"profile small.gltf --frames 0", "--frames must be a whole number, 1 or more, not '0'"},
        {"profile small.gltf --cpu-bandwidth -1", "--cpu-bandwidth must be a whole number, 1 or more, not '-1'"},
        {"profile small.gltf --random-graph 4294967296", "limber: profile: --random-graph must be below 4294967296"},
        {"profile small.gltf --trace", "limber: profile: --trace needs a value"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        run_badly(2, rows[i].arguments, rows[i].message);
    }
}

static void a_file_that_fails_is_named_and_ends_with_1(void **state) {
    (void)state;
    run_badly(1, "info nowhere.glb", "limber: nowhere.glb: ");
    run_badly(1, "sample nowhere.glb --clip 0 --time 0", "limber: nowhere.glb: ");
    run_badly(1, "compare nowhere.glb", "limber: nowhere.glb: ");
    run_badly(1, "graph nowhere.glb --graph {}", "limber: nowhere.glb: ");
    run_badly(1, "sample ./mannequin --clip 0 --time 0", "limber: ./mannequin: ");
    run_badly(1, "profile nowhere.glb --no-device", "limber: nowhere.glb: ");
    run_badly(1, "profile small.gltf --no-device --trace nowhere/trace.json", "nowhere/trace.json: ");
    FILE *file = fopen("broken.gltf", "wb");
    assert_non_null(file);
    fputs("{\"asset\":", file);
    fclose(file);
    run_badly(1, "info broken.gltf", "limber: broken.gltf: ");
    run_badly(1, "info --json -- broken.gltf", "limber: broken.gltf: ");
    run_badly(1, "info -- --json", "limber: --json: ");
    run_badly(1, "sample small.gltf --clip Run --time 0",
              "limber: small.gltf: no clip 'Run' among its 2; there are Bend, caf");
    run_badly(1, "sample small.gltf --clip 2 --time 0", "limber: small.gltf: no clip '2'");
    run_badly(1, "sample small.gltf --clip '' --time 0", "limber: small.gltf: no clip ''");
}

// Pipes that nothing writes or reads, given as each file that a command opens. `timeout` ends a command that waits.
static void no_command_waits_for_a_pipe(void **state) {
    (void)state;
    static const char *const arguments[] = {
        "info pipe",
        "info small.gltf pipe",
        "info pipe small.gltf",
        "sample pipe --clip 0 --time 0",
        "eval pipe --graph '{\"op\":\"rest\"}' --time 0",
        "eval small.gltf --graph pipe --time 0",
        "eval small.gltf --character a=pipe --graph '{\"op\":\"rest\"}' --time 0",
        "graph small.gltf --graph pipe",
        "graph small.gltf --machine pipe",
        "play small.gltf --graph pipe",
        "play mannequin --graph " LIMBER_SAMPLES "/demos/wave.json --script pipe",
        "play mannequin --graph " LIMBER_SAMPLES "/demos/wave.json --scene pipe",
        "capture small.gltf --graph pipe --output a.capture",
        "replay pipe",
        "compare pipe",
        "profile pipe --no-device",
        "profile small.gltf --no-device --characters 9 --frames 3 --trace pipe",
        "pack pipe --output a.lmb",
        "pack small.gltf --graph pipe --output a.lmb",
        "pack small.gltf --output pipe",
    };
    command_output output = command_run("mkfifo pipe");
    assert_int_equal(output.status, 0);
    command_output_release(&output);
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
        output = command_run("timeout 20 \"%s\" %s", LIMBER_CLI, arguments[i]);
        if (output.status != 1 || strstr(output.err, "it is a pipe") == NULL) {
            fail_msg("limber %s: status %d\n%s", arguments[i], output.status, output.err);
        }
        command_output_release(&output);
    }
    assert_int_equal(remove("pipe"), 0);
}

static void output_that_cannot_be_written_is_a_failure(void **state) {
    (void)state;
    FILE *full = fopen("/dev/full", "wb");
    if (full == NULL) {
        skip();
    }
    fclose(full);
    command_output output = command_run("{ \"%s\" info small.gltf >/dev/full; echo \"status $?\"; }", LIMBER_CLI);
    assert_string_equal(output.out, "status 1\n");
    expect_starts(output.err, "limber: standard output: ");
    command_output_release(&output);
}

static void help_and_version_go_to_stdout(void **state) {
    (void)state;
    command_output output = run_well("--version");
    char version[40];
    snprintf(version, sizeof version, "limber %d.%d.%d\n", LMB_VERSION_MAJOR, LMB_VERSION_MINOR, LMB_VERSION_PATCH);
    assert_string_equal(output.out, version);
    command_output_release(&output);
    output = run_well("--help");
    expect_starts(output.out, "usage: limber COMMAND");
    command_output_release(&output);
    static const struct {
        const char *name;
        const char *option;
    } commands[] = {{"devices", "--json"}, {"info", "--json"},    {"sample", "--json"},    {"eval", "--json"},
                    {"graph", "--dot"},    {"play", "--changes"}, {"capture", "--output"}, {"replay", "--backend"},
                    {"compare", "--json"}, {"profile", "--json"}};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        char text[100];
        snprintf(text, sizeof text, "%s --help", commands[i].name);
        output = run_well(text);
        snprintf(text, sizeof text, "usage: limber %s ", commands[i].name);
        expect_starts(output.out, text);
        expect_contains(output.out, commands[i].option);
        command_output_release(&output);
    }
}

static void the_schema_of_graphs_is_printed(void **state) {
    (void)state;
    command_output output = run_well("graph --schema");
    json_tree tree = json_tree_read(output.out);
    json_tree_expect_text(&tree, json_tree_member(&tree, 0, "title"), "A graph of Limber");
    json_tree_release(&tree);
    command_output_release(&output);
}

static void a_graph_is_printed_as_json(void **state) {
    (void)state;
    const char *const json = "graph small.gltf --json --graph '{\"op\":\"scale\",\"weight\":0.10,\"shortest\":true,"
                             "\"pose\":{\"op\":\"rest\"}}'";
    command_output output = run_well(json);
    assert_string_equal(output.out, "{\"op\":\"scale\",\"pose\":{\"op\":\"rest\"},\"weight\":0.1}\n");
    command_output_release(&output);
    run_badly(1,
              "graph small.gltf --json --graph "
              "'{\"op\":\"machine\",\"states\":[{\"name\":\"a\",\"pose\":{\"op\":\"rest\"}}]}'",
              "machines cannot be written as JSON");
}

static void a_profile_reports_stages_and_nodes(void **state) {
    (void)state;
    command_output output = run_well("profile small.gltf --no-device --characters 40 --frames 3 --cpu-bandwidth 7");
    expect_contains(output.out, "joints 3, characters 40, frames 3, keeps 3200 bytes\n"); // of its chain
    expect_contains(output.out, "\n  run                 3 ");
    expect_contains(output.out, " % of the floor: the palettes' bytes at 7 GB/s\n");
    expect_contains(output.out, "     weighted          1 ");
    command_output_release(&output);
}

static void a_profile_as_json_has_the_same(void **state) {
    (void)state;
    const char *const line = "profile small.gltf --no-device --characters 40 --frames 20 --random-graph 1 --json";
    command_output output = run_well(line);
    json_tree tree = json_tree_read(output.out);
    json_tree_expect_keys(&tree, 0, "file joints characters frames inertia_bytes sides bytes rest_ns nodes");
    const int sides = json_tree_member(&tree, 0, "sides");
    assert_int_equal(json_tree_size(&tree, sides), 1);
    const int side = json_tree_item(&tree, sides, 0);
    json_tree_expect_keys(&tree, side, "name stages floor_share");
    const int stages = json_tree_member(&tree, side, "stages");
    static const char *const names[] = {"run", "pose", "model"};
    static const int samples[] = {20, 1, 1};
    assert_int_equal(json_tree_size(&tree, stages), 3);
    for (int i = 0; i < 3; i++) {
        const int stage = json_tree_item(&tree, stages, i);
        json_tree_expect_keys(&tree, stage, "stage samples median_ns min_ns max_ns sum_ns");
        json_tree_expect_text(&tree, json_tree_member(&tree, stage, "stage"), names[i]);
        assert_int_equal((int)json_tree_number(&tree, json_tree_member(&tree, stage, "samples")), samples[i]);
        const double median = json_tree_number(&tree, json_tree_member(&tree, stage, "median_ns"));
        assert_true(median >= json_tree_number(&tree, json_tree_member(&tree, stage, "min_ns")));
        assert_true(median <= json_tree_number(&tree, json_tree_member(&tree, stage, "max_ns")));
    }
    const int nodes = json_tree_member(&tree, 0, "nodes");
    const int count = json_tree_size(&tree, nodes);
    assert_true(count > 1);
    for (int i = 0; i < count; i++) {
        const int node = json_tree_item(&tree, nodes, i);
        json_tree_expect_keys(&tree, node, "operation inputs uses ns_alone ns_with_inputs");
        assert_true(json_tree_number(&tree, json_tree_member(&tree, node, "ns_alone")) <=
                    json_tree_number(&tree, json_tree_member(&tree, node, "ns_with_inputs")));
    }
    json_tree_release(&tree);
    command_output_release(&output);
}

static void a_profile_of_a_graph_has_its_nodes(void **state) {
    (void)state;
    command_output output =
        run_well("profile small.gltf --no-device --characters 40 --frames 2 --graph "
                 "'{\"op\": \"blend\", \"weight\": {\"param\": \"speed\"}, \"a\": {\"op\": \"clip\", "
                 "\"clip\": \"Bend\"}, \"b\": {\"op\": \"rest\"}}'");
    expect_contains(output.out, "\n2      blend             1 ");
    assert_null(strstr(output.out, "\n3 "));
    command_output_release(&output);
    run_badly(1, "profile small.gltf --no-device --graph '{\"op\": \"walk\"}'", "--graph: ");
}

// 36 words per joint, on the CPU as on a device.
static void a_profile_inertializes(void **state) {
    (void)state;
    static const char line[] =
        "profile small.gltf --no-device --characters 40 --frames 40 %s --graph "
        "'{\"op\":\"machine\",\"states\":[{\"name\":\"a\",\"pose\":{\"op\":\"clip\",\"clip\":\"Bend\"},\"transitions\":"
        "[{\"to\":\"b\",\"after\":1,\"kind\":\"%s\"}]},{\"name\":\"b\",\"pose\":{\"op\":\"rest\"}}]}'";
    char text[sizeof line + 20];
    snprintf(text, sizeof text, line, "", "inertialized");
    command_output output = run_well(text);
    expect_contains(output.out, "joints 3, characters 40, frames 40, inertialized with 17280 bytes\n");
    expect_contains(output.out, "\n  run                40 ");
    expect_contains(output.out, "\n  control            40 ");
    command_output_release(&output);
    for (uint32_t i = 0; i < 2; i++) {
        snprintf(text, sizeof text, line, "--json", i == 0 ? "smooth" : "inertialized");
        output = run_well(text);
        json_tree tree = json_tree_read(output.out);
        assert_true(json_tree_number(&tree, json_tree_member(&tree, 0, "inertia_bytes")) == (i == 0 ? 0.0 : 17280.0));
        json_tree_release(&tree);
        command_output_release(&output);
    }
}

static void a_trace_of_the_cpu_has_every_run(void **state) {
    (void)state;
    command_output output = run_well("profile small.gltf --no-device --characters 9 --frames 33 --trace trace.json");
    char *text = command_read_file("trace.json");
    assert_non_null(text);
    int wholes = 0, stages = 0;
    trace_tree_expect(text, 1, &wholes, &stages);
    assert_int_equal(wholes, 33);
    assert_int_equal(stages, 4); // runs 16 and 32 after the first are estimated, with two stages each
    free(text);
    command_output_release(&output);
}

static void a_trace_has_the_control_within_its_run(void **state) {
    (void)state;
    command_output output =
        run_well("profile small.gltf --no-device --characters 9 --frames 33 --trace trace.json --graph "
                 "'{\"op\": \"clip\", \"clip\": \"Bend\", \"play\": {}}'");
    char *text = command_read_file("trace.json");
    assert_non_null(text);
    int wholes = 0, stages = 0;
    trace_tree_expect(text, 1, &wholes, &stages);
    assert_int_equal(wholes, 33);
    assert_int_equal(stages, 33 + 4);
    free(text);
    command_output_release(&output);
}

static void a_trace_that_cannot_be_written_is_a_failure(void **state) {
    (void)state;
    FILE *full = fopen("/dev/full", "wb");
    if (full == NULL) {
        skip();
    }
    fclose(full);
    run_badly(1, "profile small.gltf --no-device --characters 9 --frames 3 --trace /dev/full", "/dev/full: ");
}

// Names come from drivers and files. Times are exact to the nanosecond.
static void a_trace_is_well_formed_whatever_the_names(void **state) {
    (void)state;
    trace trace;
    lmb_error error;
    assert_int_equal(trace_open("names.json", &trace, &error), LMB_OK);
    trace_name_process(&trace, 7, "\"\\\n\xff");
    trace_name_tracks(&trace, 7, 1, "a\tb", "");
    trace_event(&trace, 7, 1, "]}", 18446744073709551614u, 18446744073709551615u);
    trace_event(&trace, 7, 2, "x", 1000000000001u, 1000000002010u);
    assert_int_equal(trace_close(&trace, &error), LMB_OK);
    assert_int_equal(trace_close(&trace, &error), LMB_OK);
    char *text = command_read_file("names.json");
    assert_non_null(text);
    json_tree tree = json_tree_read(text);
    json_tree_expect_keys(&tree, 0, "displayTimeUnit traceEvents");
    assert_int_equal(json_tree_size(&tree, json_tree_member(&tree, 0, "traceEvents")), 5);
    json_tree_release(&tree);
    expect_contains(text, "\"ts\": 18446744073709551.614, \"dur\": 0.001}");
    expect_contains(text, "\"ts\": 1000000000.001, \"dur\": 2.009}");
    free(text);
}

static void info_reports_joints_and_clips(void **state) {
    (void)state;
    command_output output = run_well("info small.gltf");
    expect_starts(output.out, "notes: 0\njoints: 3, depth 3\n");
    expect_contains(output.out, "elbow \"left\"");
    expect_contains(output.out, "clips: 2\n");
    expect_contains(output.out, "Bend");
    expect_contains(output.out, "1.250");
    expect_contains(output.out, "meshes: 0, images: 0\n");
    command_output_release(&output);
}

static void lengths_of_bvh_files_have_a_unit(void **state) {
    (void)state;
    write_file("unit.bvh", "HIERARCHY ROOT Hips\n{ OFFSET 0 0 0 CHANNELS 1 Yposition }\n"
                           "MOTION Frames: 2 Frame Time: 1 2 4\n");
    command_output output = run_well("sample unit.bvh --clip Motion --time 1");
    expect_contains(output.out, " 0.0400");
    command_output_release(&output);
    output = run_well("sample unit.bvh --clip Motion --time 1 --bvh-unit 0.0254");
    expect_contains(output.out, " 0.1016");
    command_output_release(&output);
    run_badly(2, "info unit.bvh --bvh-unit 1e7", "--bvh-unit must be a length in metres, 1e-6 to 1e6, not '1e7'");
}

static void scale_noise_is_rounded(void **state) {
    (void)state;
    write_file("noise.gltf",
               "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"Hips\",\"scale\":[1.00001,1,1]}]}");
    static const char note[] =
        "scale noise: 0 scales of tracks and 1 of the rest pose rounded, which differ by at most 1e-05";
    command_output output = run_well("info noise.gltf");
    expect_contains(output.out, note);
    command_output_release(&output);
    output = run_well("info --exact-scales noise.gltf");
    assert_null(strstr(output.out, "scale noise"));
    command_output_release(&output);
}

static void a_take_is_split(void **state) {
    (void)state;
    command_output output = run_well("info mannequin --split walk=left:0-0.5,right:0.5-1 --split run=start:0-0.25");
    expect_contains(output.out, "left ");
    expect_contains(output.out, "right ");
    expect_contains(output.out, "start ");
    assert_null(strstr(output.out, " walk "));
    command_output_release(&output);
    command_output whole = run_well("sample mannequin --clip walk --time 0.625");
    output = run_well("sample mannequin --split walk=left:0-0.5,right:0.5-1 --clip right --time 0.125");
    // All joints, after the clip and the time, to the digits that are printed.
    assert_string_equal(strstr(output.out, "  joint"), strstr(whole.out, "  joint"));
    command_output_release(&whole);
    command_output_release(&output);
    run_badly(1, "info mannequin --split walk=left", "limber: --split walk=left: 'left' is not NAME:FROM-TO");
    run_badly(1, "info mannequin --split walk", "limber: --split walk: 'walk' is not CLIP=NAME:FROM-TO");
    run_badly(1, "info mannequin --split walk=left:0-1,", "limber: --split walk=left:0-1,: '' is not NAME:FROM-TO");
    run_badly(1, "info mannequin --split swim=a:0-1", "limber: part 'a' of 'swim': there is no such clip");
    run_badly(1, "info mannequin --split walk=a:0-2",
              "limber: part 'a' of 'walk': cut: clip 'walk': the part does not");
}

static void info_marks_extra_joints(void **state) {
    (void)state;
    command_output output = run_well("info \"" LIMBER_CORPUS "/import_fuzz/complete.glb\"");
    expect_contains(output.out, "joints: 5, depth 3\n  3 of the skeleton, 2 extra: ");
    expect_contains(output.out, "      3  Hat                               parent 0  extra\n");
    command_output_release(&output);
    output = run_well("info --skeleton-only \"" LIMBER_CORPUS "/import_fuzz/complete.glb\"");
    expect_contains(output.out, "joints: 3, depth 3\n      0  Root\n");
    assert_null(strstr(output.out, "extra"));
    command_output_release(&output);
    output = run_well("info --json \"" LIMBER_CORPUS "/import_fuzz/complete.glb\"");
    json_tree tree = json_tree_read(output.out);
    const int joints = json_tree_member(&tree, 0, "joints");
    for (int i = 0; i < 5; i++) {
        const int extra = json_tree_member(&tree, json_tree_item(&tree, joints, i), "extra");
        assert_int_equal(json_tree_is_true(&tree, extra), i >= 3);
    }
    json_tree_release(&tree);
    command_output_release(&output);
}

static void info_names_morph_targets(void **state) {
    (void)state;
    command_output output = run_well("info \"" LIMBER_CORPUS "/import_fuzz/complete.glb\"");
    expect_contains(output.out, "         morph target Hat_0 ");
    command_output_release(&output);
    output = run_well("info --json \"" LIMBER_CORPUS "/import_fuzz/complete.glb\"");
    json_tree tree = json_tree_read(output.out);
    const int mesh = json_tree_item(&tree, json_tree_member(&tree, 0, "meshes"), 0);
    json_tree_expect_keys(&tree, mesh,
                          "name vertices triangles influences material base_color metallic roughness double_sided "
                          "vertex_colors image metallic_roughness_image normal_image targets");
    const int skin = json_tree_item(&tree, json_tree_member(&tree, 0, "meshes"), 2);
    const int color = json_tree_member(&tree, skin, "base_color");
    assert_int_equal(json_tree_size(&tree, color), 4);
    assert_true(json_tree_float(&tree, json_tree_item(&tree, color, 1)) == 0.25f);
    assert_true(json_tree_is_true(&tree, json_tree_member(&tree, skin, "double_sided")));
    const int targets = json_tree_member(&tree, mesh, "targets");
    assert_int_equal(json_tree_size(&tree, targets), 1);
    json_tree_expect_text(&tree, json_tree_item(&tree, targets, 0), "Hat_0");
    json_tree_release(&tree);
    command_output_release(&output);
}

// How fast feet walk: the mannequin's walk by 1.25 m a second forwards, and a strafe along x.
static void info_says_how_fast_feet_walk(void **state) {
    (void)state;
    command_output output = run_well("info mannequin --speed");
    expect_contains(output.out, "along x           z       slide       phase\n");
    command_output_release(&output);
    output = run_well("info mannequin --speed --json");
    json_tree tree = json_tree_read(output.out);
    const int clips = json_tree_member(&tree, 0, "clips");
    const int walk = json_tree_member(&tree, json_tree_item(&tree, clips, MANNEQUIN_WALK), "foot_speed");
    const int strafe = json_tree_member(&tree, json_tree_item(&tree, clips, MANNEQUIN_STRAFE_LEFT), "foot_speed");
    assert_float_equal(json_tree_float(&tree, json_tree_item(&tree, walk, 2)), 1.25f, 0.02f);
    assert_float_equal(json_tree_float(&tree, json_tree_item(&tree, walk, 0)), 0.0f, 0.02f);
    assert_true(json_tree_float(&tree, json_tree_item(&tree, strafe, 0)) > 0.5f);
    const int slide = json_tree_member(&tree, json_tree_item(&tree, clips, MANNEQUIN_WALK), "foot_slide");
    assert_float_equal(json_tree_float(&tree, slide), 0.05f, 0.02f);
    const int phase = json_tree_member(&tree, json_tree_item(&tree, clips, MANNEQUIN_WALK), "foot_phase");
    assert_float_equal(json_tree_float(&tree, phase), 0.34f, 0.05f);
    json_tree_release(&tree);
    command_output_release(&output);
}

// A head that is turned round in the rest pose and faces forward in the clip, and a neck that does not move.
static void info_says_where_axes_point_in_clips(void **state) {
    (void)state;
    write_file(
        "turned.gltf",
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"neck\",\"children\":[1]},"
        "{\"name\":\"head\",\"translation\":[0,1,0],\"rotation\":[0,1,0,0]}],"
        "\"buffers\":[{\"byteLength\":40,\"uri\":\"data:application/"
        "octet-stream;base64,AAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAACAPw==\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":8},{\"buffer\":0,\"byteOffset\":8,\"byteLength\":32}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\",\"min\":[0],"
        "\"max\":[1]},{\"bufferView\":1,\"componentType\":5126,\"count\":2,\"type\":\"VEC4\"}],"
        "\"animations\":[{\"name\":\"look\",\"samplers\":[{\"input\":0,\"output\":1}],\"channels\":[{\"sampler\":0,"
        "\"target\":{\"node\":1,\"path\":\"rotation\"}}]}]}");
    command_output output = run_well("info turned.gltf --axes");
    expect_contains(output.out,
                    "head                              parent 0\n"
                    "         x -1.0000  0.0000  0.0000  y  0.0000  1.0000  0.0000  z  0.0000  0.0000 -1.0000\n"
                    "         x  1.0000  0.0000  0.0000  y  0.0000  1.0000  0.0000  z  0.0000  0.0000  1.0000  in the "
                    "clips\n");
    assert_null(strstr(strstr(output.out, "in the clips") + 1, "in the clips"));
    command_output_release(&output);
    output = run_well("info --json --axes turned.gltf");
    json_tree tree = json_tree_read(output.out);
    const int joints = json_tree_member(&tree, 0, "joints"), head = json_tree_item(&tree, joints, 1);
    json_tree_expect_keys(&tree, json_tree_item(&tree, joints, 0), "name parent extra axes children");
    json_tree_expect_keys(&tree, head, "name parent extra axes axes_in_clips children");
    const int z = json_tree_member(&tree, json_tree_member(&tree, head, "axes_in_clips"), "z");
    assert_float_equal(json_tree_float(&tree, json_tree_item(&tree, z, 2)), 1.0f, 1e-6f);
    json_tree_release(&tree);
    command_output_release(&output);
}

// A hip turned by a quarter about z, its knee along its x, twice the size; a toe along no axis, and a helper at the
// knee.
static void info_says_where_axes_point(void **state) {
    (void)state;
    write_file("axes.gltf",
               "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"hip\",\"children\":[1],\"translation\":[0,1,0],"
               "\"rotation\":[0,0,-0.70710678,0.70710678],\"scale\":[2,2,2]},{\"name\":\"knee\",\"children\":[2,3],"
               "\"translation\":[0.25,0,0]},{\"name\":\"toe\",\"translation\":[0,-0.3,0.4]},{\"name\":\"helper\"}]}");
    command_output output = run_well("info axes.gltf --axes");
    expect_contains(output.out, "x  0.0000 -1.0000  0.0000  y  1.0000  0.0000  0.0000  z  0.0000  0.0000  1.0000\n");
    expect_contains(output.out, "         +x to knee, 0.0 degrees off, 0.5000 m\n");
    expect_contains(output.out, "         +z to toe, 36.9 degrees off, 1.0000 m\n");
    expect_contains(output.out, "         helper is at the joint\n");
    command_output_release(&output);
    output = run_well("info --json --axes axes.gltf");
    json_tree tree = json_tree_read(output.out);
    int joints = json_tree_member(&tree, 0, "joints"), knee = json_tree_item(&tree, joints, 1);
    json_tree_expect_keys(&tree, knee, "name parent extra axes children");
    const int axes = json_tree_member(&tree, knee, "axes"), children = json_tree_member(&tree, knee, "children");
    json_tree_expect_keys(&tree, axes, "x y z");
    static const char *const keys[] = {"x", "y", "z"};
    static const float expected[3][3] = {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};
    for (int i = 0; i < 9; i++) {
        const int direction = json_tree_member(&tree, axes, keys[i / 3]);
        assert_float_equal(json_tree_float(&tree, json_tree_item(&tree, direction, i % 3)), expected[i / 3][i % 3],
                           1e-6f);
    }
    assert_int_equal(json_tree_size(&tree, children), 2);
    const int toe = json_tree_item(&tree, children, 0), helper = json_tree_item(&tree, children, 1);
    json_tree_expect_keys(&tree, toe, "name joint axis degrees distance");
    json_tree_expect_text(&tree, json_tree_member(&tree, toe, "axis"), "+z");
    assert_float_equal(json_tree_float(&tree, json_tree_member(&tree, toe, "degrees")), 36.869898f, 1e-4f);
    assert_float_equal(json_tree_float(&tree, json_tree_member(&tree, helper, "distance")), 0, 0);
    json_tree_release(&tree);
    command_output_release(&output);
}

static void info_as_json_has_the_same(void **state) {
    (void)state;
    command_output output = run_well("info --json small.gltf");
    json_tree tree = json_tree_read(output.out);
    json_tree_expect_keys(&tree, 0, "file notes depth joints channels clips meshes images");
    json_tree_expect_text(&tree, json_tree_member(&tree, 0, "file"), "small.gltf");
    int joints = json_tree_member(&tree, 0, "joints");
    assert_int_equal(json_tree_size(&tree, joints), JOINT_COUNT);
    static const char *const names[JOINT_COUNT] = {"root", "elbow \\\"left\\\"", "node_2"};
    for (int i = 0; i < JOINT_COUNT; i++) {
        int joint = json_tree_item(&tree, joints, i);
        json_tree_expect_keys(&tree, joint, "name parent extra");
        json_tree_expect_text(&tree, json_tree_member(&tree, joint, "name"), names[i]);
        assert_int_equal((int)json_tree_number(&tree, json_tree_member(&tree, joint, "parent")), i - 1);
    }
    int clips = json_tree_member(&tree, 0, "clips");
    assert_int_equal(json_tree_size(&tree, clips), 2);
    int clip = json_tree_item(&tree, clips, 1);
    json_tree_expect_keys(&tree, clip, "name duration tracks keys bytes");
    json_tree_expect_text(&tree, json_tree_member(&tree, clip, "name"), "caf\xc3\xa9 \\\"1\\\"\\\\");
    assert_true(json_tree_float(&tree, json_tree_member(&tree, clip, "duration")) == 1.25f);
    assert_int_equal((int)json_tree_number(&tree, json_tree_member(&tree, clip, "tracks")), 2);
    assert_int_equal((int)json_tree_number(&tree, json_tree_member(&tree, clip, "keys")), 6);
    assert_int_equal(json_tree_size(&tree, json_tree_member(&tree, 0, "meshes")), 0);
    assert_int_equal(json_tree_size(&tree, json_tree_member(&tree, 0, "notes")), 0);
    json_tree_release(&tree);
    command_output_release(&output);
}

// The library's own results for a clip at some times.
typedef struct expected_poses {
    lmb_import *import;
    lmb_graph *program;
    float local[4 * LMB_POSE_COMPONENTS * JOINT_COUNT];
    float model[4 * LMB_MATRIX_COMPONENTS * JOINT_COUNT];
    float dual_quaternions[4 * LMB_DUAL_COMPONENTS * JOINT_COUNT];
    float bounds[4 * LMB_BOX_COMPONENTS];
} expected_poses;

static void run_library(uint32_t clip_index, bool loop, const float *times, uint32_t count, expected_poses *expected) {
    lmb_error error;
    assert_int_equal(lmb_import_file("small.gltf", NULL, &expected->import, &error), LMB_OK);
    const lmb_clip *clip = lmb_import_get_content(expected->import)->clips[clip_index];
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.time = lmb_parameter(0);
    node.loop = loop;
    const lmb_graph_def def = {.rig = lmb_import_get_content(expected->import)->rig,
                               .clips = &clip,
                               .clip_count = 1,
                               .nodes = &node,
                               .node_count = 1,
                               .parameter_count = 1};
    assert_int_equal(lmb_graph_create(&def, NULL, &expected->program, &error), LMB_OK);
    lmb_cpu *cpu = NULL;
    assert_int_equal(lmb_cpu_create(expected->program, LMB_CPU_REFERENCE, NULL, &cpu, &error), LMB_OK);
    const lmb_batch_def batch = {expected->program, count,
                                 LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_MODEL_BIT | LMB_OUTPUT_DUAL_QUATERNIONS_BIT |
                                     LMB_OUTPUT_BOUNDS_BIT};
    const lmb_batch_inputs inputs = {.parameters = times};
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_LOCAL] = expected->local,
                                                   [LMB_OUTPUT_MODEL] = expected->model,
                                                   [LMB_OUTPUT_DUAL_QUATERNIONS] = expected->dual_quaternions,
                                                   [LMB_OUTPUT_BOUNDS] = expected->bounds}};
    assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error), LMB_OK);
    lmb_cpu_destroy(cpu);
}

static void expect_same_bits(float a, float b) {
    assert_memory_equal(&a, &b, sizeof a);
}

// Compares the floats of a JSON array with every `stride`th of `values`.
static void expect_floats(const json_tree *tree, int array, const float *values, int count, int stride) {
    assert_int_equal(json_tree_size(tree, array), count);
    for (int i = 0; i < count; i++) {
        expect_same_bits(json_tree_float(tree, json_tree_item(tree, array, i)), values[i * stride]);
    }
}

static void expect_joint(const json_tree *tree, int node, int joint, const float *local, const float *model,
                         const float *dual_quaternion) {
    json_tree_expect_keys(tree, node, "name parent translation rotation scale model dual_quaternion");
    assert_int_equal((int)json_tree_number(tree, json_tree_member(tree, node, "parent")), joint - 1);
    expect_floats(tree, json_tree_member(tree, node, "translation"), local + joint, 3, JOINT_COUNT);
    expect_floats(tree, json_tree_member(tree, node, "rotation"), local + 3 * JOINT_COUNT + joint, 4, JOINT_COUNT);
    expect_floats(tree, json_tree_member(tree, node, "scale"), local + 7 * JOINT_COUNT + joint, 3, JOINT_COUNT);
    expect_floats(tree, json_tree_member(tree, node, "model"), model + joint * 12, 12, 1);
    expect_floats(tree, json_tree_member(tree, node, "dual_quaternion"), dual_quaternion + joint * 8, 8, 1);
}

static void expect_poses(const json_tree *tree, const float *times, int count, const expected_poses *expected) {
    json_tree_expect_text(tree, json_tree_member(tree, 0, "backend"), "reference");
    assert_true(json_tree_is_null(tree, json_tree_member(tree, 0, "device")));
    int poses = json_tree_member(tree, 0, "poses");
    assert_int_equal(json_tree_size(tree, poses), count);
    for (int i = 0; i < count; i++) {
        int pose = json_tree_item(tree, poses, i);
        json_tree_expect_keys(tree, pose, "time bounds joints channels");
        expect_floats(tree, json_tree_member(tree, pose, "bounds"), expected->bounds + i * 6, 6, 1);
        expect_same_bits(json_tree_float(tree, json_tree_member(tree, pose, "time")), times[i]);
        int joints = json_tree_member(tree, pose, "joints");
        assert_int_equal(json_tree_size(tree, joints), JOINT_COUNT);
        for (int joint = 0; joint < JOINT_COUNT; joint++) {
            expect_joint(tree, json_tree_item(tree, joints, joint), joint, expected->local + i * 10 * JOINT_COUNT,
                         expected->model + i * 12 * JOINT_COUNT, expected->dual_quaternions + i * 8 * JOINT_COUNT);
        }
    }
}

// The command's poses must be those of a clip at `sampled`, with the printed times `times`.
static void expect_run(const char *arguments, const char *keys, uint32_t clip, bool loop, const float *times,
                       const float *sampled, int count) {
    expected_poses expected = {0};
    run_library(clip, loop, sampled, (uint32_t)count, &expected);
    command_output output = run_well(arguments);
    json_tree tree = json_tree_read(output.out);
    json_tree_expect_keys(&tree, 0, keys);
    expect_poses(&tree, times, count, &expected);
    json_tree_release(&tree);
    command_output_release(&output);
    lmb_graph_destroy(expected.program);
    lmb_import_destroy(expected.import);
}

static void expect_sample(const char *arguments, uint32_t clip, bool loop, const float *times, int count) {
    expect_run(arguments, "clip duration backend device poses", clip, loop, times, times, count);
    command_output output = run_well(arguments);
    json_tree tree = json_tree_read(output.out);
    assert_true(json_tree_float(&tree, json_tree_member(&tree, 0, "duration")) == 1.25f);
    json_tree_release(&tree);
    command_output_release(&output);
}

static void sampled_values_read_back_to_the_librarys_bits(void **state) {
    (void)state;
    const float times[] = {0.3f, -7.0f, 1e6f, 0.7f};
    expect_sample("sample small.gltf --clip Bend --time 0.3 --time -7 --time 1e6 --time=0.7 --json", 0, false, times,
                  4);
    expect_sample("sample small.gltf --clip 1 --json --time 0.3 --loop --time -7 --time 1e6 --time .7", 1, true, times,
                  4);
    expect_sample("sample --backend reference --json --clip 'caf\xc3\xa9 \"1\"\\' --time 0.3 small.gltf", 1, false,
                  times, 1);
}

// A second file of the same joints adds its clips after the first file's.
static void further_files_add_their_clips(void **state) {
    (void)state;
    command_output output = run_well("info small.gltf small.gltf --json");
    json_tree tree = json_tree_read(output.out);
    assert_int_equal(json_tree_size(&tree, json_tree_member(&tree, 0, "clips")), 4);
    assert_int_equal(json_tree_size(&tree, json_tree_member(&tree, 0, "joints")), JOINT_COUNT);
    json_tree_release(&tree);
    command_output_release(&output);
    output = run_well("sample --clip 3 small.gltf --time 0 -- small.gltf");
    command_output_release(&output);
    run_badly(1, "info small.gltf nowhere.glb", "limber: nowhere.glb: ");
}

static void a_sample_as_text_names_every_joint(void **state) {
    (void)state;
    command_output output = run_well("sample small.gltf --clip Bend --time 0.5 --time 1");
    expect_starts(output.out, "clip Bend, 1.250 s, on the reference\ntime 0.5 s\n");
    expect_contains(output.out, "root");
    expect_contains(output.out, "elbow \"left\"");
    expect_contains(output.out, "node_2");
    expect_contains(output.out, "0.60000  0.80000");
    expect_contains(output.out, "time 1 s\n");
    command_output_release(&output);
}

#define EVAL_KEYS "parameters backend device poses"

static void a_program_written_as_json_is_evaluated(void **state) {
    (void)state;
    static const float times[] = {0.25f, -1.0f, 8.0f};
    static const float moved[] = {0.75f, -0.5f, 8.5f};
    expect_run("eval small.gltf --graph '{\"op\":\"clip\",\"clip\":\"Bend\"}' --time .25 --time -1 --time 8 --json",
               EVAL_KEYS, 0, true, times, times, 3);
    write_file("graph.json", " {\"op\": \"clip\", \"loop\": false, \"clip\": 1,\n"
                             "\"offset\": {\"param\": \"by=\", \"max\": 2}}\n");
    expect_run("eval small.gltf --json --graph graph.json --time .25 --set by==0.5 --time -1 --time 8", EVAL_KEYS, 1,
               false, times, moved, 3);
    // A static pose of the command line equals the clip at its time. Other pose buffers hold the rest pose.
    command_output fixed = run_well("eval small.gltf --graph '{\"op\":\"clip\",\"clip\":\"Bend\",\"time\":0.25}'");
    command_output named =
        run_well("eval small.gltf --graph '{\"op\":\"pose\",\"pose\":\"bent\"}' --pose bent=Bend@0.25");
    assert_string_equal(fixed.out, named.out);
    command_output_release(&fixed);
    command_output_release(&named);
    command_output buffer = run_well("eval small.gltf --graph '{\"op\":\"pose\",\"pose\":3}' --time 0");
    command_output rest = run_well("eval small.gltf --graph '{\"op\":\"rest\"}' --time 0");
    assert_string_equal(buffer.out, rest.out);
    expect_starts(rest.out, "graph on the reference\ntime 0 s\n  joint  name ");
    command_output_release(&buffer);
    command_output_release(&rest);
}

// A time that no clip reads is refused, because the output would not depend on it.
static void a_time_that_no_clip_reads_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *graph, *message;
    } rows[] = {
        {"{\"op\":\"clip\",\"clip\":\"Bend\",\"time\":{\"param\":\"phase\"}}", "give what they read with --set"},
        {"{\"op\":\"clip\",\"clip\":\"Bend\",\"time\":0.25}", "give what they read with --set"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char arguments[200];
        snprintf(arguments, sizeof arguments, "eval small.gltf --time 0.5 --graph '%s'", rows[i].graph);
        run_badly(1, arguments, rows[i].message);
        snprintf(arguments, sizeof arguments, "eval small.gltf --graph '%s'", rows[i].graph);
        command_output output = run_well(arguments);
        expect_starts(output.out, "graph on the reference\n  joint  name ");
        command_output_release(&output);
    }
    command_output phase =
        run_well("eval small.gltf --json --set phase=0.25 --graph '{\"op\":\"clip\",\"clip\":\"Bend\","
                 "\"time\":{\"param\":\"phase\"}}'");
    command_output fixed = run_well("eval small.gltf --json --graph '{\"op\":\"clip\",\"clip\":\"Bend\","
                                    "\"time\":0.25}'");
    assert_string_equal(strstr(phase.out, "\"poses\""), strstr(fixed.out, "\"poses\""));
    assert_null(strstr(phase.out, "\"time\""));
    command_output_release(&phase);
    command_output_release(&fixed);
    run_badly(2, "eval small.gltf --graph '{\"op\":\"clip\",\"clip\":\"Bend\"}'",
              "limber: eval: no --time given: clips read the parameter");
#define PLAYS "--graph '{\"op\":\"clip\",\"clip\":\"Bend\",\"play\":true}'"
    run_badly(1, "eval small.gltf --time 0.5 " PLAYS, "'limber play' runs it");
    run_badly(1, "eval small.gltf " PLAYS, "'limber play' runs it");
    command_output printed = run_well("eval small.gltf --print " PLAYS);
    command_output_release(&printed);
#undef PLAYS
}

static void a_compiled_program_is_printed(void **state) {
    (void)state;
#define WALK                                                                                                           \
    "'{\"op\":\"additive\",\"weight\":{\"param\":\"speed\",\"default\":0.5},\"curve\":\"uniform-s\","                  \
    "\"base\":{\"op\":\"rest\"},\"add\":{\"op\":\"clip\",\"clip\":\"Bend\",\"additive\":true}}'"
    command_output output = run_well("eval small.gltf --print --graph " WALK);
    assert_string_equal(output.out, "parameter speed: 0.5, from 0 to 1\n"
                                    "parameter time: 0, from 0 to 1.25\n"
                                    "   0  s0   rest\n"
                                    "   1  s1   clip           clip 0, time time, looped\n"
                                    "   2  s2   clip           clip 0, time 0, looped\n"
                                    "   3  s1   make_additive  s1 s2\n"
                                    "   4  s0   additive       s0 s1, weight speed uniform-s\n");
    command_output_release(&output);
    output = run_well("eval small.gltf --print --json --graph " WALK);
    json_tree tree = json_tree_read(output.out);
    json_tree_expect_keys(&tree, 0, "parameters instructions");
    int parameters = json_tree_member(&tree, 0, "parameters");
    assert_int_equal(json_tree_size(&tree, parameters), 2);
    json_tree_expect_keys(&tree, json_tree_item(&tree, parameters, 1), "name default min max");
    assert_int_equal(json_tree_size(&tree, json_tree_member(&tree, 0, "instructions")), 5);
    json_tree_release(&tree);
    command_output_release(&output);
}

static void a_clip_that_nothing_plays_gives_a_warning(void **state) {
    (void)state;
    static const char play[] = "play small.gltf --frames 1 --graph '{\"op\":\"clip\",\"clip\":\"Nod\",\"play\":true}' "
                               "--clip Nod=Bend";
    char line[200];
    command_output output = run_well(play);
    assert_string_equal(output.err, "");
    command_output_release(&output);
    snprintf(line, sizeof line, "%s --clip 'Nood=caf\xc3\xa9 \"1\"\\'", play);
    output = command_run("\"%s\" %s", LIMBER_CLI, line);
    assert_int_equal(output.status, 0);
    expect_contains(output.err, "--clip Nood=caf");
    expect_contains(output.err, ": warning: nothing in the graph plays 'caf");
    command_output_release(&output);
}

// One graph plays for a character with other names, from a file of names and from --clip, which comes first.
static void names_of_a_graph_stand_for_those_of_a_character(void **state) {
    (void)state;
    write_file("small.names.json", "{\"clips\":{\"Nod\":\"Bend\",\"Other\":\"Bend\"}}");
    static const char graph[] = "'{\"op\":\"clip\",\"clip\":\"%s\"}'";
    char expected[200], named[200], line[600];
    snprintf(expected, sizeof expected, graph, "Bend");
    snprintf(named, sizeof named, graph, "Nod");
    snprintf(line, sizeof line, "eval small.gltf --time 0.5 --graph %s", expected);
    command_output bend = run_well(line);
    static const char *const options[] = {"--names small.names.json", "--clip Nod=Bend",
                                          "--clip Other=Bend --names small.names.json"};
    for (int i = 0; i < 3; i++) {
        snprintf(line, sizeof line, "eval small.gltf --time 0.5 --graph %s %s", named, options[i]);
        command_output output = run_well(line);
        assert_string_equal(output.out, bend.out);
        command_output_release(&output);
    }
    command_output_release(&bend);
    snprintf(line, sizeof line,
             "graph small.gltf --json --clip 'Nod=caf\xc3\xa9 \"1\"\\' --names small.names.json --graph %s", named);
    command_output output = run_well(line);
    expect_contains(output.out, "caf\\u00e9");
    command_output_release(&output);
}

static void every_mistake_of_a_graph_is_reported(void **state) {
    (void)state;
    command_output output = command_run("\"%s\" eval small.gltf --time 0 --graph '{\"op\":\"blend\",\"weight\":2,\n"
                                        "\"a\":{\"op\":\"clip\",\"clip\":\"Fly\"},\"b\":{}}'",
                                        LIMBER_CLI);
    assert_int_equal(output.status, 1);
    assert_string_equal(output.out, "");
    assert_string_equal(output.err,
                        "limber: --graph: line 1, column 24: weight: 2 is outside 0 to 1\n"
                        "limber: --graph: line 2, column 25: a.clip: there is no clip of this name; there are Bend, "
                        "caf\xc3\xa9 \"1\"\\\n"
                        "limber: --graph: line 2, column 36: b: a pose needs the field \"op\" or \"use\"\n");
    command_output_release(&output);
    write_file("broken.json", "{\"op\":");
    run_badly(1, "eval small.gltf --time 0 --graph broken.json",
              "limber: broken.json: line 1, column 7: the text ends");
    run_badly(1, "compare small.gltf --graph broken.json", "limber: broken.json: line 1, column 7: the text ends");
    run_badly(1, "eval small.gltf --time 0 --graph '{\"op\":\"rest\"}' --pose a=Bend",
              "a=Bend: not of the form NAME=CLIP@TIME");
    run_badly(1, "eval small.gltf --time 0 --graph '{\"op\":\"rest\"}' --pose =Bend@1", "=Bend@1: not of the form");
    run_badly(1, "eval small.gltf --time 0 --graph '{\"op\":\"rest\"}' --pose a=Bent@1",
              "a=Bent@1: no clip 'Bent' among its 2; there are Bend, caf");
    run_badly(1, "eval small.gltf --time 0 --graph '{\"op\":\"rest\"}' --clip Bend",
              "--clip Bend: not of the form NAME=CLIP");
    run_badly(1, "eval small.gltf --time 0 --graph '{\"op\":\"rest\"}' --clip =Bend", "--clip =Bend: not of the form");
    run_badly(1, "eval small.gltf --time 0 --graph '{\"op\":\"rest\"}' --clip a=Bent",
              "the alias 'a' stands for the clip 'Bent', and there is none of this name; there are Bend, caf");
    run_badly(1, "eval small.gltf --time 0 --graph '{\"op\":\"rest\"}' --names nowhere.json", "nowhere.json: ");
    write_file("wrong.names.json", "{\"clips\":\n{\"a\":1}}");
    run_badly(1, "eval small.gltf --time 0 --graph '{\"op\":\"rest\"}' --names wrong.names.json",
              "limber: wrong.names.json: line 2, column 6: clips.a: a number");
    run_badly(1, "eval small.gltf --time 0 --graph nowhere.json", "limber: nowhere.json: ");
    run_badly(1, "eval nowhere.glb --time 0 --graph '{}'", "limber: nowhere.glb: ");
    run_badly(1, "eval small.gltf --time 0 --set a=1 --graph " WALK,
              "limber: small.gltf: --set a=1: no parameter 'a' among its 2; there are speed, time");
    run_badly(1, "eval small.gltf --time 0 --set speed=1.5 --graph " WALK, "speed=1.5: outside its range, 0 to 1");
    run_badly(1, "eval small.gltf --time 0 --set speed --graph " WALK, "--set speed: not of the form NAME=VALUE");
    run_badly(1, "eval small.gltf --time 0 --set speed=nan --graph " WALK, "not of the form NAME=VALUE");
    char *text = malloc(5000);
    assert_non_null(text);
    char *end = text + sprintf(text, "{\"op\":\"rest\"");
    for (int i = 0; i < 40; i++) {
        end += sprintf(end, ",\"%d\":%d", i, i);
    }
    sprintf(end, "}");
    write_file("many.json", text);
    run_badly(1, "eval small.gltf --time 0 --graph many.json", "limber: many.json: and 8 more mistakes\n");
    free(text);
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
}

// A machine inside a machine, and all options of a transition.
static const char nested_machine[] =
    "{\"op\":\"machine\",\"name\":\"life\",\"states\":[\n"
    "{\"name\":\"still\",\"pose\":{\"op\":\"clip\",\"clip\":\"Bend\",\"play\":{\"end\":\"ping-pong\"}},\n"
    " \"transitions\":[{\"to\":\"a \\\"move\\\\\",\"event\":\"GO\",\"after\":0.5,\"priority\":-2,\"kind\":\"frozen\",\n"
    "  \"fade\":0.25,\"curve\":\"linear\",\"when\":{\"or\":[{\"and\":[{\"<\":[{\"param\":\"speed\"},1]},\n"
    "   {\"==\":[{\"param\":\"speed\"},0]},{\">=\":[2,{\"curve\":\"smoothstep\",\"of\":{\"param\":\"speed\"}}]}]},\n"
    "   {\">\":[{\"param\":\"haste\"},0.5]}]}}]},\n"
    "{\"name\":\"a \\\"move\\\\\",\"pose\":{\"op\":\"machine\",\"name\":\"gait\",\"states\":[\n"
    "  "
    "{\"name\":\"walk\",\"pose\":{\"op\":\"clip\",\"clip\":\"Bend\"},\"transitions\":[{\"to\":\"walk\",\"end\":true}]}]"
    "}}],\n"
    " \"any\":[{\"to\":\"still\",\"event\":\"STOP\"}]}\n";

static void machines_are_printed(void **state) {
    (void)state;
    write_text("nested.json", nested_machine);
    command_output output = run_well("graph small.gltf --graph nested.json");
    assert_string_equal(output.out, "machine life\n"
                                    "  still (initial): Bend ping-pong\n"
                                    "    GO after 0.5 when (speed < 1 and speed == 0 and 2 >= smoothstep(speed)) or "
                                    "haste > 0.5 -> "
                                    "a \"move\\, fade 0.25 linear frozen, priority -2\n"
                                    "  a \"move\\\n"
                                    "  any\n"
                                    "    STOP -> still, fade 0.2 smoothstep\n"
                                    "machine gait, within the state a \"move\\ of life\n"
                                    "  walk (initial): Bend holds\n"
                                    "    END -> walk, fade 0.2 smoothstep\n");
    command_output_release(&output);
}

static void what_a_character_keeps_is_printed(void **state) {
    (void)state;
    write_text("nested.json", nested_machine);
    command_output output = run_well("graph small.gltf --graph nested.json --state");
    assert_memory_equal(output.out, "fingerprint 0x", 14);
    const char *rest = strchr(output.out, '\n');
    assert_non_null(rest);
    // Seven words; two players of four; two machines of two states and of one; seven for the
    // restart, and 36 for each of three joints.
    assert_string_equal(rest, "\na character keeps 592 bytes\n      28  character\n      32  players\n"
                              "      72  machines and fades\n     460  inertialization\n");
    command_output_release(&output);
}

// Draws the graph if dot is installed; otherwise compares only the text.
static void machines_are_drawn(void **state) {
    (void)state;
    write_text("nested.json", nested_machine);
    command_output output = run_well("graph small.gltf --graph nested.json --dot");
    assert_string_equal(output.out, "digraph limber {\nnode [shape=box, style=rounded];\n"
                                    "subgraph cluster_0 {\nlabel=\"life\";\n"
                                    "m0s0 [label=\"still\"];\nm0s1 [label=\"a \\\"move\\\\\"];\n"
                                    "m0 [label=\"\", shape=point];\nm0 -> m0s0;\nm0any [label=\"any\", style=dotted];\n"
                                    "m0s0 -> m0s1 [label=\"GO after 0.5 when (speed < 1 and speed == 0 and "
                                    "2 >= smoothstep(speed)) or haste > 0.5\"];\n"
                                    "m0any -> m0s0 [label=\"STOP\"];\n"
                                    "subgraph cluster_1 {\nlabel=\"gait\";\nm1s0 [label=\"walk\"];\n"
                                    "m1 [label=\"\", shape=point];\nm1 -> m1s0;\nm1s0 -> m1s0 [label=\"END\"];\n}\n"
                                    "m0s1 -> m1 [style=dashed, arrowhead=none];\n}\n}\n");
    command_output_release(&output);
    output =
        command_run("! command -v dot || \"%s\" graph small.gltf --graph nested.json --dot | dot -Tsvg", LIMBER_CLI);
    assert_int_equal(output.status, 0);
    assert_string_equal(output.err, "");
    command_output_release(&output);
}

#define FADE                                                                                                           \
    "'{\"op\":\"blend\",\"a\":{\"op\":\"rest\"},\"b\":{\"op\":\"clip\",\"clip\":\"Bend\"},\"weight\":{\"in\":\"UP\","  \
    "\"at-end\":true,\"after\":0.5,\"seconds\":0.1,\"out-seconds\":0.3,\"curve\":\"linear\"}}'"

// A pose that events fade in and out is also a machine.
static void fades_are_printed_and_drawn(void **state) {
    (void)state;
    command_output output = run_well("graph small.gltf --graph " FADE);
    assert_string_equal(output.out, "machine UP\n"
                                    "  out (initial)\n"
                                    "    UP -> in, fade 0.1 linear\n"
                                    "  in: Bend holds\n"
                                    "    END -> out, fade 0.3 linear\n"
                                    "    after 0.5 -> out, fade 0.3 linear\n");
    command_output_release(&output);
    output = run_well("graph small.gltf --graph "
                      "'{\"op\":\"blend\",\"a\":{\"op\":\"rest\"},\"b\":{\"op\":\"rest\"},\"weight\":{\"in\":\"UP\","
                      "\"curve\":{\"bezier\":[0.25,0.1,0.25,1]}}}'");
    assert_string_equal(output.out, "machine UP\n"
                                    "  out (initial)\n"
                                    "    UP -> in, fade 0.2 user curve 0\n"
                                    "  in\n"
                                    "user curve 0: 0 0 out 0.25 0.1, 1 1 in -0.75 0\n");
    command_output_release(&output);
    output = run_well("graph small.gltf --dot --graph " FADE);
    assert_string_equal(output.out, "digraph limber {\nnode [shape=box, style=rounded];\n"
                                    "subgraph cluster_0 {\nlabel=\"UP\";\nm0s0 [label=\"out\"];\n"
                                    "m0s1 [label=\"in\"];\nm0 [label=\"\", shape=point];\nm0 -> m0s0;\n"
                                    "m0s0 -> m0s1 [label=\"UP\"];\nm0s1 -> m0s0 [label=\"END\"];\n"
                                    "m0s1 -> m0s0 [label=\"after 0.5\"];\n}\n}\n");
    command_output_release(&output);
    write_text("up.txt", "0.1 send UP\n");
    output = run_well("play small.gltf --fps 10 --frames 8 --changes --script up.txt --graph " FADE);
    expect_contains(output.out, "     0    0.0000  UP:out ");
    expect_contains(output.out, "     1    0.1000  UP:in ");
    expect_contains(output.out, "     6    0.6000  UP:out ");
    command_output_release(&output);
}

// What each transition from the current state requires, with its values.
static void reasons_are_printed(void **state) {
    (void)state;
    write_text("reasons.json",
               "{\"op\":\"machine\",\"name\":\"body\",\"states\":["
               "{\"name\":\"stand\",\"pose\":{\"op\":\"clip\",\"clip\":\"idle\"},\"transitions\":["
               "{\"to\":\"move\",\"after\":0.5,\"when\":{\"and\":[{\">\":[{\"param\":\"speed\",\"max\":3},0.25]},"
               "{\">\":[{\"phase\":\"idle\"},0.5]}]}},"
               "{\"to\":\"hop\",\"event\":\"JUMP\",\"when\":{\"<\":[{\"param\":\"speed\"},2]}}]},"
               "{\"name\":\"move\",\"pose\":{\"op\":\"clip\",\"clip\":\"walk\"},\"transitions\":["
               "{\"to\":\"stand\",\"end\":true}]},"
               "{\"name\":\"hop\",\"pose\":{\"op\":\"clip\",\"clip\":\"hop\"},\"transitions\":["
               "{\"to\":\"stand\",\"end\":true}]}]}");
    command_output output = run_well("play mannequin --graph reasons.json --frames 2 --fps 4 --reasons");
    expect_contains(output.out,
                    "body: to move: no; 0.25 s of 0.5 s: no; speed 0 > 0.25: no; time of idle 0.25 > 2: no; "
                    "and: no\n");
    expect_contains(output.out, "body: to hop: waits for JUMP; speed 0 < 2: yes\n");
    command_output_release(&output);
    output = run_well("play mannequin --graph reasons.json --frames 1 --reasons --json");
    expect_contains(output.out, "\"to\": \"hop\", \"applies\": true, \"event\": \"JUMP\"");
    expect_contains(output.out, "{\"kind\": \">\", \"left\": 0, \"right\": 0.25, \"left_parameter\": \"speed\", "
                                "\"holds\": false}");
    command_output_release(&output);
}

#define STATE(name, pose, to, event, fade)                                                                             \
    "{\"name\":\"" name "\",\"pose\":{\"op\":\"clip\"," pose "},\"transitions\":[{\"to\":\"" to                        \
    "\",\"event\":\"" event "\",\"fade\":" fade "}]}"
#define TWO_STATES(first, second) "{\"op\":\"machine\",\"name\":\"m\",\"states\":[" first "," second "]}"

// Numbers in float64, by hand.
static void clips_have_the_right_times(void **state) {
    (void)state;
    static const struct {
        const char *graph, *script, *arguments, *expected;
    } rows[] = {
        // The state of the first clip of a group is entered again while the other clip plays.
        {TWO_STATES(STATE("walk", "\"clip\":\"walk\",\"play\":{\"group\":\"g\"}", "run", "GO", "0.3"),
                    STATE("run", "\"clip\":\"run\",\"play\":{\"group\":\"g\"}", "walk", "BACK", "0.3")),
         "0.2 send GO\n1.1 send BACK\n", "--frames 67",
         "m:walk                    walk 0.4321 x0.0089  run 0.3025 x0.9911"},
        // A state is entered again in the frame after its clip looped.
        {TWO_STATES(STATE("a", "\"clip\":\"walk\",\"offset\":0.5", "b", "GO", "0.5"),
                    STATE("b", "\"clip\":\"idle\"", "a", "BACK", "0.5")),
         "0.4167 send GO\n0.5001 send BACK\n", "--frames 32", "m:a                       walk 0.0167 x"},
        // Markers of unequal pieces, at ten frames a second.
        {"{\"op\":\"blend\",\"weight\":0.5,\"character-motion\":true,\"a\":{\"op\":\"clip\",\"clip\":\"walk\",\"play\":"
         "{"
         "\"group\":\"g\",\"velocity\":1.25,\"markers\":[0.1,0.3],\"cadence\":\"duration\"}},\"b\":{\"op\":\"clip\","
         "\"clip\":\"run\",\"play\":{\"group\":\"g\",\"velocity\":3,\"markers\":[0.05,0.5]}}}",
         "", "--fps 10 --frames 101", "walk 0.1608 x0.5000  run 0.1869 x0.5000  at 0.0000 0.0000 25.4778 "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char arguments[200];
        write_file("times.json", rows[i].graph);
        write_file("times.txt", rows[i].script);
        snprintf(arguments, sizeof arguments, "play mannequin --graph times.json --script times.txt %s",
                 rows[i].arguments);
        command_output output = run_well(arguments);
        expect_contains(output.out, rows[i].expected);
        command_output_release(&output);
    }
}

// Returns the number of lines that begin with a number.
static unsigned count_frames(const char *text) {
    unsigned count = 0;
    for (const char *line = text; line != NULL && line[0] != '\0'; line = strchr(line, '\n'), line += line != NULL) {
        count += strtoul(line, NULL, 10) > 0 || strncmp(line, "     0 ", 7) == 0;
    }
    return count;
}

static void what_a_state_emits_is_printed_and_drawn(void **state) {
    (void)state;
    write_text("emits.txt", "calm = Bend entry IN exit \"O\\\"UT\" restart { GO high }\n"
                            "high = Bend exit LEFT { GO low }\nlow = Bend restart { GO calm }\n");
    command_output output = run_well("graph small.gltf --machine emits.txt");
    assert_string_equal(output.out, "machine machine\n"
                                    "  calm (initial): Bend loops, entry IN, exit O\"UT, restarts\n"
                                    "    GO -> high, fade 0.2 smoothstep\n"
                                    "  high: Bend loops, exit LEFT\n"
                                    "    GO -> low, fade 0.2 smoothstep\n"
                                    "  low: Bend loops, restarts\n"
                                    "    GO -> calm, fade 0.2 smoothstep\n");
    command_output_release(&output);
    output = run_well("graph small.gltf --machine emits.txt --dot");
    expect_contains(output.out, "m0s0 [label=\"calm\\nentry IN\\nexit O\\\"UT\"];\n"
                                "m0s1 [label=\"high\\nexit LEFT\"];\nm0s2 [label=\"low\"];\n");
    command_output_release(&output);
    output = run_well("graph small.gltf --graph '{\"op\":\"machine\",\"states\":[{\"name\":\"a\",\"entry\":\"E\","
                      "\"pose\":{\"op\":\"rest\"}}]}'");
    assert_string_equal(output.out, "machine machine\n  a (initial): entry E\n");
    command_output_release(&output);
}

static void inertialized_machines_are_printed_and_played(void **state) {
    (void)state;
    write_text("inert.txt", "machine body  calm = Bend { RISE high fade 0.5 inertialized }\n"
                            "high = Bend { END calm }\n");
    static const char json[] =
        "{\"op\":\"machine\",\"name\":\"body\",\"states\":[\n"
        "{\"name\":\"calm\",\"pose\":{\"op\":\"clip\",\"clip\":\"Bend\"},\n"
        "\"transitions\":[{\"to\":\"high\",\"event\":\"RISE\",\"fade\":0.5,\"kind\":\"%s\"}]},\n"
        "{\"name\":\"high\",\"pose\":{\"op\":\"rest\"},\"transitions\":[{\"to\":\"calm\",\"after\":0.25}]}]}\n";
    char text[sizeof json + 20];
    snprintf(text, sizeof text, json, "inertialized");
    write_text("inert.json", text);
    command_output output = run_well("graph small.gltf --graph inert.json");
    assert_string_equal(output.out, "machine body\n"
                                    "  calm (initial): Bend loops\n"
                                    "    RISE -> high, fade 0.5 inertialized\n"
                                    "  high\n"
                                    "    after 0.25 -> calm, fade 0.2 smoothstep\n");
    command_output_release(&output);
    output = run_well("graph small.gltf --machine inert.txt");
    expect_contains(output.out, "    RISE -> high, fade 0.5 inertialized\n");
    command_output_release(&output);
    // An inertialized offset is not a state weight: the new state has the full weight immediately.
    write_text("rise.txt", "0.25 send RISE\n");
    output = run_well("play small.gltf --graph inert.json --script rise.txt --fps 8 --frames 6");
    assert_int_equal(count_frames(output.out), 6);
    expect_contains(output.out, "     1    0.1250  body:calm                 Bend 0.1250 x1.0000");
    expect_contains(output.out, "     2    0.2500  body:high ");
    expect_contains(output.out, "     4    0.5000  body:calm ");
    command_output_release(&output);
    snprintf(text, sizeof text, json, "inertial");
    write_text("wrong.json", text);
    run_badly(
        1, "graph small.gltf --graph wrong.json",
        "limber: wrong.json: line 3, column 62: states[0].transitions[0].kind: unknown; there are smooth, frozen, "
        "inertialized");
    run_badly(1, "play small.gltf --graph wrong.json", "limber: wrong.json: line 3, column 62: ");
}

static void machines_come_as_text_too(void **state) {
    (void)state;
    write_text("machine.txt", "machine wave  calm = Bend { RISE high }  high = Bend { END calm }\n");
    command_output output = run_well("graph small.gltf --machine machine.txt");
    expect_starts(output.out, "machine wave\n  calm (initial): Bend loops\n    RISE -> high, fade 0.2 smoothstep\n");
    command_output_release(&output);
    output = run_well("graph small.gltf --machine machine.txt --graph '{\"op\":\"blend\",\"a\":{\"op\":\"rest\"},"
                      "\"b\":{\"op\":\"machine\"}}'");
    expect_starts(output.out, "machine wave\n");
    command_output_release(&output);
    write_text("alone.txt", "calm = Bend { }\nhigh = Bend { }\n");
    output = command_run("\"%s\" graph small.gltf --machine alone.txt", LIMBER_CLI);
    assert_int_equal(output.status, 0);
    expect_contains(output.err,
                    "limber: alone.txt: line 2, column 1: warning: high: no transitions lead to this state");
    command_output_release(&output);
    write_text("wrong.txt", "calm = Bend { RISE up }\nhigh = Bent { }\n");
    run_badly(1, "graph small.gltf --machine wrong.txt", "limber: wrong.txt: line 1, column 20: calm: ");
    run_badly(1, "graph small.gltf --machine wrong.txt", "limber: wrong.txt: line 2, column 8: high: ");
    run_badly(1, "graph small.gltf --machine nowhere.txt", "limber: nowhere.txt: ");
    run_badly(1, "graph small.gltf --graph '{\"op\":\"rest\"}' --machine machine.txt", "limber: --graph: ");
    run_badly(1, "graph small.gltf --graph '{\"op\":\"rest\"}'",
              "limber: --graph: it has no machine; --check checks any");
    run_badly(1, "graph small.gltf --check --graph '{\"op\":\"blend\",\"a\":{\"op\":\"rest\"}}'", "needs the field");
    command_output checked = run_well("graph small.gltf --check --graph '{\"op\":\"rest\"}'");
    expect_starts(checked.out, "good: 1 poses, 0 parameters, 0 events, 0 machines\n");
    command_output_release(&checked);
    run_badly(1, "graph small.gltf --graph '{\"op\":\"rests\"}'", "limber: --graph: line 1, column 7: op: ");
}

// The JSON of a machine's text is the same graph, and plays as the text does.
static void machines_as_text_are_printed_as_json(void **state) {
    (void)state;
    write_text("machine.txt", "machine wave  # and \xC3\xB6\n"
                              "calm = Bend { RISE \"h\xC3\xB6h \xE2\x80\xAE\xF3\xA0\x80\x81\" }\n"
                              "\"h\xC3\xB6h \xE2\x80\xAE\xF3\xA0\x80\x81\" = Bend { END calm }\n");
    command_output output = run_well("graph small.gltf --machine machine.txt --json");
    assert_string_equal(output.out,
                        "{\"op\": \"machine\", \"name\": \"wave\", \"states\": [\n"
                        "  {\"name\": \"calm\", \"pose\": {\"op\": \"clip\", \"clip\": \"Bend\"}, \"transitions\": [\n"
                        "    {\"to\": \"h\xC3\xB6h \\u202e\\udb40\\udc01\", \"event\": \"RISE\"}]},\n"
                        "  {\"name\": \"h\xC3\xB6h \\u202e\\udb40\\udc01\", \"pose\": {\"op\": \"clip\", \"clip\": "
                        "\"Bend\"}, \"transitions\": [\n"
                        "    {\"to\": \"calm\", \"end\": true}]}]}\n");
    write_text("machine.json", output.out);
    command_output_release(&output);
    output = run_well("graph small.gltf --machine machine.txt --state");
    command_output written = run_well("graph small.gltf --graph machine.json --state");
    assert_string_equal(written.out, output.out);
    command_output_release(&written);
    command_output_release(&output);
    run_badly(1,
              "graph small.gltf --json --machine machine.txt --graph "
              "'{\"op\":\"blend\",\"a\":{\"op\":\"rest\"},\"b\":{\"op\":\"machine\"}}'",
              "cannot be written as JSON");
    static const char *const samples[][2] = {{"jump/jump.txt", "jump/hold.txt"},
                                             {"jump/jump.txt", "jump/tap.txt"},
                                             {"demos/jump.machine", "demos/jump.script"}};
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        char text[1000], play[1000], arguments[2100];
        snprintf(text, sizeof text, "--machine \"%s/%s\"", LIMBER_SAMPLES, samples[i][0]);
        snprintf(play, sizeof play, "play mannequin --frames 200 --script \"%s/%s\"", LIMBER_SAMPLES, samples[i][1]);
        snprintf(arguments, sizeof arguments, "graph mannequin --json %s", text);
        output = run_well(arguments);
        write_text("jump.json", output.out);
        command_output_release(&output);
        snprintf(arguments, sizeof arguments, "%s %s", play, text);
        output = run_well(arguments);
        snprintf(arguments, sizeof arguments, "%s --graph jump.json", play);
        written = run_well(arguments);
        assert_string_equal(written.out, output.out);
        command_output_release(&written);
        command_output_release(&output);
    }
}

// The built-in character needs no file.
static void the_mannequin_is_built_in(void **state) {
    (void)state;
    command_output output = run_well("sample mannequin --clip walk --time 0.5");
    expect_starts(output.out, "clip walk, 1.000 s, on ");
    command_output_release(&output);
    output = run_well("eval mannequin --graph '{\"op\":\"clip\",\"clip\":\"hop\"}' --time 0.1");
    expect_contains(output.out, "pelvis");
    command_output_release(&output);
    run_badly(1, "sample mannequin --clip rum --time 0", "no clip 'rum' among its 29; the nearest are run, ");
    run_badly(1, "eval mannequin --graph '{\"op\":\"rest\"}' --pose low=crouc@0",
              "limber: --pose low=crouc@0: no clip 'crouc' among its 29; the nearest are crouch, ");
    output = run_well("info mannequin");
    expect_starts(output.out, "joints: 29, depth 10\n");
    expect_contains(output.out, "\nclips: 29\n");
    command_output_release(&output);
    output = run_well("info mannequin --json");
    json_tree tree = json_tree_read(output.out);
    json_tree_expect_keys(&tree, 0, "file notes depth joints channels clips meshes images");
    json_tree_release(&tree);
    command_output_release(&output);
}

static void real_characters_are_sampled(void **state) {
    (void)state;
    static const char *const names[] = {"Fox.glb", "cesium_man.gltf"};
    static const int joint_counts[] = {24, 19};
    int found = 0;
    for (int i = 0; i < 2; i++) {
        char arguments[1000];
        snprintf(arguments, sizeof arguments, "%s/%s", LIMBER_ASSETS, names[i]);
        FILE *file = fopen(arguments, "rb");
        if (file == NULL) {
            continue;
        }
        fclose(file);
        found++;
        snprintf(arguments, sizeof arguments, "sample '%s/%s' --clip 0 --time 0.5 --json", LIMBER_ASSETS, names[i]);
        command_output output = run_well(arguments);
        json_tree tree = json_tree_read(output.out);
        int pose = json_tree_item(&tree, json_tree_member(&tree, 0, "poses"), 0);
        // The rig of a file with a skin also contains the joints' ancestors.
        assert_true(json_tree_size(&tree, json_tree_member(&tree, pose, "joints")) >= joint_counts[i]);
        json_tree_release(&tree);
        command_output_release(&output);
    }
    if (found < 2) {
        skip(); // LIMBER_ASSETS lacks Fox.glb or cesium_man.gltf
    }
}

static void json_is_well_formed_whatever_the_text(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *written;
    } rows[] = {
        {"", ""},
        {"a\"b\\c/d", "a\\\"b\\\\c/d"},
        {"\x01\n\x7f", "\\u0001\\u000a\\u007f"},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"\xc0\x80", "\\ufffd\\ufffd"},                       // overlong
        {"\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd"},            // a surrogate
        {"\xf4\x90\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd"}, // above U+10FFFF
        {"x\xe2\x82", "x\\ufffd\\ufffd"},                     // truncated
        {"\xe2\x28\xa1", "\\ufffd(\\ufffd"},
    };
    FILE *file = fopen("written.json", "wb");
    assert_non_null(file);
    json json = {.stream = file};
    json_begin_array(&json, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_text(&json, NULL, rows[i].text);
    }
    json_end_array(&json);
    fclose(file);
    char *text = command_read_file("written.json");
    json_tree tree = json_tree_read(text);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_tree_expect_text(&tree, json_tree_item(&tree, 0, (int)i), rows[i].written);
    }
    json_tree_release(&tree);
    free(text);
}

static void json_numbers_read_back(void **state) {
    (void)state;
    static const float floats[] = {0.0f,    -0.0f,    0.1f,       1.0f / 3.0f, FLT_MIN,      FLT_TRUE_MIN,
                                   FLT_MAX, -FLT_MAX, 16777217.f, 1e-20f,      LMB_SMALLEST, LMB_LARGEST};
    const uint32_t count = sizeof floats / sizeof floats[0];
    FILE *file = fopen("written.json", "wb");
    assert_non_null(file);
    json json = {.stream = file};
    json_begin_object(&json, NULL);
    json_floats(&json, "floats", floats, count);
    json_float(&json, "nan", NAN);
    json_float(&json, "infinity", -INFINITY);
    json_unsigned(&json, "unsigned", UINT64_MAX);
    json_index(&json, "integer", LMB_NONE);
    json_bool(&json, "bool", true);
    json_text(&json, "text", NULL);
    json_end_object(&json);
    fclose(file);
    char *text = command_read_file("written.json");
    json_tree tree = json_tree_read(text);
    json_tree_expect_keys(&tree, 0, "floats nan infinity unsigned integer bool text");
    expect_floats(&tree, json_tree_member(&tree, 0, "floats"), floats, (int)count, 1);
    assert_true(json_tree_is_null(&tree, json_tree_member(&tree, 0, "nan")));
    assert_true(json_tree_is_null(&tree, json_tree_member(&tree, 0, "infinity")));
    expect_contains(text, "\"unsigned\": 18446744073709551615, \"integer\": -1, \"bool\": true, \"text\": null}");
    json_tree_release(&tree);
    free(text);
}

// ---- The crowd that `limber compare` and the GPU tests run. ----

static lmb_rig *create_crowd_rig(void) {
    lmb_joint_def joints[5];
    for (uint32_t i = 0; i < 5; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
    }
    const lmb_rig_def def = {.joints = joints, .joint_count = 5};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

static lmb_clip *create_crowd_clip(const lmb_rig *rig) {
    static const float times[] = {0.0f, 1.0f};
    static const float values[] = {0, 0, 0, 1, 0.6f, 0, 0, 0.8f};
    const lmb_track_def track = {1, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, 2, times, values};
    const lmb_clip_def def = {.name = "clip", .tracks = &track, .track_count = 1};
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_clip_create(rig, &def, NULL, &clip, NULL), LMB_OK);
    return clip;
}

static void crowds_of_every_seed_can_be_created(void **state) {
    (void)state;
    lmb_rig *rig = create_crowd_rig();
    lmb_clip *clip = create_crowd_clip(rig);
    const uint64_t seeds = SUITE_SANITIZED ? 20 : 300;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        for (uint32_t program = 0; program < 5; program++) {
            const crowd_def def = {.rig = rig,
                                   .clips = (const lmb_clip *const *)&clip,
                                   .clip_count = seed % 2 == 0 ? 1 : 0,
                                   .character_count = 3,
                                   .seed = seed,
                                   .program = program};
            crowd crowd;
            lmb_error error;
            if (crowd_create(&def, &crowd, &error) != LMB_OK) {
                fail_msg("seed %u, program %u: %s", (unsigned)seed, program, error.message);
            }
            crowd_destroy(&crowd);
        }
    }
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
}

// Runs the crowd's frame 0 on the reference.
static void run_crowd(const lmb_rig *rig, const lmb_clip *clip, uint64_t seed, uint32_t one_in, float *local,
                      uint32_t refused[LMB_REFUSAL_COUNT]) {
    const crowd_def def = {.rig = rig,
                           .clips = &clip,
                           .clip_count = 1,
                           .character_count = 100,
                           .seed = seed,
                           .program = 0,
                           .one_in = one_in};
    crowd crowd;
    lmb_cpu *cpu = NULL;
    assert_int_equal(crowd_create(&def, &crowd, NULL), LMB_OK);
    assert_int_equal(lmb_cpu_create(crowd.program, LMB_CPU_REFERENCE, NULL, &cpu, NULL), LMB_OK);
    crowd_draw(&crowd, 0);
    const lmb_batch_def batch = crowd_batch(&crowd, LMB_OUTPUT_LOCAL_BIT);
    const lmb_batch_inputs inputs = crowd_inputs(&crowd);
    const lmb_batch_outputs outputs = {.buffers = {local}, .refused = refused};
    assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
    lmb_cpu_destroy(cpu);
    crowd_destroy(&crowd);
}

static void a_seed_decides_the_crowd(void **state) {
    (void)state;
    lmb_rig *rig = create_crowd_rig();
    lmb_clip *clip = create_crowd_clip(rig);
    static float local[4][100 * LMB_POSE_COMPONENTS * 5];
    uint32_t refused[4][LMB_REFUSAL_COUNT] = {{0}};
    run_crowd(rig, clip, 7, 0, local[0], refused[0]);
    run_crowd(rig, clip, 7, 0, local[1], refused[1]);
    run_crowd(rig, clip, 8, 0, local[2], refused[2]);
    run_crowd(rig, clip, 7, 20, local[3], refused[3]);
    assert_memory_equal(local[0], local[1], sizeof local[0]);
    assert_memory_not_equal(local[0], local[2], sizeof local[0]);
    for (int i = 0; i < LMB_REFUSAL_COUNT; i++) {
        // Shears depend on the poses, and a crowd runs without a list of characters.
        assert_true(refused[0][i] == 0 || i == LMB_REFUSED_SHEAR);
        assert_true(refused[3][i] > 0 || i == LMB_REFUSED_CHARACTER || i == LMB_REFUSED_SHEAR);
    }
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
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

static bool exists(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file != NULL) {
        fclose(file);
    }
    return file != NULL;
}

// The viewer's demos are files, and the command plays each by its script, in its scene.
static void demos_are_data_alone(void **state) {
    (void)state;
    static const struct {
        const char *graph, *script;
        const char *shown[4]; // in some frame
        const char *character, *scene, *source;
    } rows[] = {
        {.graph = "--graph directional.json",
         .script = "directional.script",
         .shown = {" walk ", " walk_back ", " strafe_left ", " strafe_right "}},
        {.graph = "--graph walk-run.json", .script = "walk-run.script", .shown = {" idle 0", " walk ", " run "}},
        {.graph = "--graph wave.json", .script = "wave.script", .shown = {"wave:in", "wave:out", " wave ", " run "}},
        {.graph = "--graph body-turn.json", .script = "body-turn.script", .shown = {" walk "}},
        {.graph = "--graph aim.json",
         .script = "aim.script",
         .shown = {" aim_left_up ", " aim_right_up ", " aim_left_down "}},
        {.graph = "--graph wander.json", .shown = {"wander:stand"}},
        {.graph = "--machine jump.machine",
         .script = "jump.script",
         .shown = {"jump:hop", "jump:takeoff", "jump:float", "jump:land"}},
        {.graph = "--graph stairs.json",
         .script = "stairs.script",
         .shown = {" at 0.0000 0.0000 11.2292 "},
         .scene = "stairs"},
        {.graph = "--graph look.json",
         .script = "look.script",
         .shown = {"look:in", "look:out"},
         .character = "mannequin-face",
         .scene = "look"},
        {.graph = "--graph rail.json", .script = "rail.script", .shown = {"hold:in", "hold:out"}, .scene = "rail"},
        {.graph = "--graph faces.json",
         .script = "faces.script",
         .shown = {"wave:in", "wave:out"},
         .character = "mannequin-face",
         .scene = "faces"},
        {.graph = "--graph child.json",
         .script = "child.script",
         .shown = {" idle ", " walk ", " run "},
         .character = "mannequin-child",
         .source = "--character adult=mannequin"},
        {.graph = "--graph tail.json",
         .script = "tail.script",
         .shown = {" Survey ", " Walk ", " Run "},
         .character = LIMBER_ASSETS "/Fox.glb",
         .scene = "tail"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char script[600] = "", scene[600] = "";
        if (rows[i].script != NULL) {
            snprintf(script, sizeof script, "--script \"%s/%s\"", LIMBER_SAMPLES "/demos", rows[i].script);
        }
        if (rows[i].scene != NULL) {
            snprintf(scene, sizeof scene, "--scene \"%s/%s.scene\"", LIMBER_SAMPLES "/demos", rows[i].scene);
        }
        const char *character = rows[i].character != NULL ? rows[i].character : "mannequin";
        if (strchr(character, '/') != NULL && !exists(character)) {
            print_message("%s: not here\n", character);
            continue;
        }
        const char *file = strchr(rows[i].graph, ' ') + 1;
        command_output output =
            command_run("\"%s\" play \"%s\" %.*s \"%s/%s\" %s %s %s --frames 540", LIMBER_CLI, character,
                        (int)(file - rows[i].graph), rows[i].graph, LIMBER_SAMPLES "/demos", file, script, scene,
                        rows[i].source != NULL ? rows[i].source : "");
        if (output.status != 0 || output.err[0] != '\0') {
            fail_msg("%s: status %d: %s", rows[i].graph, output.status, output.err);
        }
        for (int k = 0; k < 4 && rows[i].shown[k] != NULL; k++) {
            if (strstr(output.out, rows[i].shown[k]) == NULL) {
                fail_msg("%s shows no '%s'", rows[i].graph, rows[i].shown[k]);
            }
        }
        command_output_release(&output);
    }
}

// The step that passes the notify ends at the target, and the clip goes on from there.
static void warped_clips_reach_their_targets(void **state) {
    (void)state;
    static const char *const rows[][2] = {{"mannequin", "walk"}, {LIMBER_ASSETS "/Fox.glb", "Walk"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strchr(rows[i][0], '/') != NULL && !exists(rows[i][0])) {
            print_message("%s: not here\n", rows[i][0]);
            continue;
        }
        FILE *file = fopen("warp.json", "w");
        assert_non_null(file);
        fprintf(
            file,
            "{\"op\":\"clip\",\"clip\":\"%s\",\"play\":{\"end\":\"hold\",\"velocity\":1.4,\"notifies\":[{\"time\":0.5,"
            "\"event\":\"THERE\"}],\"warps\":[{\"start\":0.1,\"end\":\"THERE\",\"target\":[{\"param\":\"x\","
            "\"default\":1},"
            "0.5,-2],\"heading\":1.5}]}}",
            rows[i][1]);
        assert_int_equal(fclose(file), 0);
        command_output output = command_run("\"%s\" play \"%s\" --graph warp.json --frames 34", LIMBER_CLI, rows[i][0]);
        if (output.status != 0) {
            fail_msg("%s: %s", rows[i][0], output.err);
        }
        expect_contains(output.out, " 0.5000 x1.0000  at 1.0000 0.5000 -2.0000 yaw 1.5000 ");
        char emitted[100];
        snprintf(emitted, sizeof emitted, "yaw 1.5000  !THERE 0.5000 %s  0x", rows[i][1]);
        expect_contains(output.out, " 0.5167 x1.0000  at 1.0233 0.5000 -1.9983 yaw 1.5000  !THERE ");
        expect_contains(output.out, emitted);
        command_output_release(&output);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warped_clips_reach_their_targets),
        cmocka_unit_test(demos_are_data_alone),
        cmocka_unit_test(wrong_usage_is_reported_and_ends_with_2),
        cmocka_unit_test(a_file_that_fails_is_named_and_ends_with_1),
        cmocka_unit_test(no_command_waits_for_a_pipe),
        cmocka_unit_test(output_that_cannot_be_written_is_a_failure),
        cmocka_unit_test(help_and_version_go_to_stdout),
        cmocka_unit_test(the_schema_of_graphs_is_printed),
        cmocka_unit_test(a_graph_is_printed_as_json),
        cmocka_unit_test(a_profile_reports_stages_and_nodes),
        cmocka_unit_test(a_profile_as_json_has_the_same),
        cmocka_unit_test(a_profile_of_a_graph_has_its_nodes),
        cmocka_unit_test(a_profile_inertializes),
        cmocka_unit_test(a_trace_of_the_cpu_has_every_run),
        cmocka_unit_test(a_trace_has_the_control_within_its_run),
        cmocka_unit_test(a_trace_that_cannot_be_written_is_a_failure),
        cmocka_unit_test(a_trace_is_well_formed_whatever_the_names),
        cmocka_unit_test(info_reports_joints_and_clips),
        cmocka_unit_test(lengths_of_bvh_files_have_a_unit),
        cmocka_unit_test(scale_noise_is_rounded),
        cmocka_unit_test(a_take_is_split),
        cmocka_unit_test(info_marks_extra_joints),
        cmocka_unit_test(info_names_morph_targets),
        cmocka_unit_test(info_says_how_fast_feet_walk),
        cmocka_unit_test(info_says_where_axes_point),
        cmocka_unit_test(info_says_where_axes_point_in_clips),
        cmocka_unit_test(info_as_json_has_the_same),
        cmocka_unit_test(sampled_values_read_back_to_the_librarys_bits),
        cmocka_unit_test(further_files_add_their_clips),
        cmocka_unit_test(a_sample_as_text_names_every_joint),
        cmocka_unit_test(a_program_written_as_json_is_evaluated),
        cmocka_unit_test(a_time_that_no_clip_reads_is_refused),
        cmocka_unit_test(a_compiled_program_is_printed),
        cmocka_unit_test(names_of_a_graph_stand_for_those_of_a_character),
        cmocka_unit_test(a_clip_that_nothing_plays_gives_a_warning),
        cmocka_unit_test(every_mistake_of_a_graph_is_reported),
        cmocka_unit_test(machines_are_printed),
        cmocka_unit_test(what_a_character_keeps_is_printed),
        cmocka_unit_test(machines_are_drawn),
        cmocka_unit_test(fades_are_printed_and_drawn),
        cmocka_unit_test(reasons_are_printed),
        cmocka_unit_test(clips_have_the_right_times),
        cmocka_unit_test(what_a_state_emits_is_printed_and_drawn),
        cmocka_unit_test(inertialized_machines_are_printed_and_played),
        cmocka_unit_test(machines_come_as_text_too),
        cmocka_unit_test(machines_as_text_are_printed_as_json),
        cmocka_unit_test(the_mannequin_is_built_in),
        cmocka_unit_test(real_characters_are_sampled),
        cmocka_unit_test(json_is_well_formed_whatever_the_text),
        cmocka_unit_test(json_numbers_read_back),
        cmocka_unit_test(crowds_of_every_seed_can_be_created),
        cmocka_unit_test(a_seed_decides_the_crowd),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
