// `limber capture` and `limber replay`, on the CPU and on a device: a replay gives the captured result, and reports a
// difference. Runs once per driver.
#include "capture_folder.h"
#include "command.h"
#include "gpu_suite.h"

#include "tools/capture_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "\"" LIMBER_CLI "\" "
#define CAPTURE COMMAND "capture small.gltf --graph graph.json --script script.txt "

static void run(int status, const char *line, const char *on_out, const char *on_err) {
    command_output output = command_run("%s", line);
    if (output.status != status || strstr(output.out, on_out) == NULL || strstr(output.err, on_err) == NULL) {
        fail_msg("%s: status %d instead of %d, '%s' and '%s'\n%s%s", line, output.status, status, on_out, on_err,
                 output.out, output.err);
    }
    command_output_release(&output);
}

// During a fade, with events in the captured frame: on each side, and from each side to the other.
static void a_frame_comes_to_the_same_again(void **state) {
    (void)state;
    run(0, CAPTURE "--fps 10 --frames 4 --characters 5 --output here.capture",
        "frame 3 of 5 characters, on reference: ", "");
    run(0, COMMAND "replay here.capture", "0 differ", "");
    run(0, COMMAND "replay here.capture --backend gpu", "captured on reference, replayed on ", "");
    run(0, CAPTURE "--fps 10 --frames 4 --characters 5 --output there.capture --backend gpu",
        "frame 3 of 5 characters, on ", "");
    run(0, COMMAND "replay there.capture", "replayed on reference\nsame: ", "");
    size_t size, other;
    uint8_t *here = capture_read_bytes("here.capture", &size), *there = capture_read_bytes("there.capture", &other);
    capture one, two;
    assert_int_equal(capture_read(here, size, &one, NULL), LMB_OK);
    assert_int_equal(capture_read(there, other, &two, NULL), LMB_OK);
    assert_int_equal(one.event_count, 5);
    assert_true(one.step == LMB_TICKS_PER_SECOND / 10);
    assert_int_equal(one.result_count, two.result_count);
    assert_int_equal(one.state_words, two.state_words);
    assert_memory_equal(one.state, two.state, one.state_words * sizeof *one.state);
    for (uint32_t i = 0; i < one.result_count; i++) {
        assert_string_equal(one.results[i].name, two.results[i].name);
        assert_true(one.results[i].hash == two.results[i].hash);
    }
    assert_string_equal(one.results[0].name, "control: state");
    assert_string_equal(one.results[2].name, "node 0: clip");
    capture_release(&one);
    capture_release(&two);
    free(here);
    free(there);
}

static void graphs_that_stand_still_are_captured_too(void **state) {
    (void)state;
    run(0,
        COMMAND "capture mannequin --graph '{\"op\":\"blend\",\"a\":{\"op\":\"pose\",\"pose\":\"low\"},\"b\":{\"op\":"
                "\"clip\",\"clip\":\"run\"},\"weight\":{\"param\":\"w\"}}' --pose low=crouch@0 --frames 1 "
                "--output still.capture",
        "frame 0 of 1 characters", "");
    run(0, COMMAND "replay still.capture", "same: ", "");
    run(0,
        COMMAND "capture mannequin --machine \"" LIMBER_SAMPLES "/jump/jump.txt\" --script \"" LIMBER_SAMPLES
                "/jump/tap.txt\" --frames 40 --output jump.capture",
        "frame 39 of 1 characters", "");
    run(0, COMMAND "replay jump.capture", "same: ", "");
}

// During an inertialization, with its memory from before the frame, on either side.
static void what_inertialization_keeps_is_captured(void **state) {
    (void)state;
    static const char script[] = "0.1 send JUMP_PRESS\n0.3 send JUMP_RELEASE\n";
    capture_write_bytes("jump.txt", script, strlen(script));
    static const char *const backends[] = {"reference", "gpu"};
    uint64_t hashes[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        char line[400], path[32];
        snprintf(path, sizeof path, "%s.capture", backends[i]);
        snprintf(line, sizeof line,
                 COMMAND "capture mannequin --machine \"" LIMBER_SAMPLES
                         "/demos/jump.machine\" --script jump.txt --frames 22 --backend %s --output %s",
                 backends[i], path);
        command_output output = command_run("%s", line);
        assert_int_equal(output.status, 0);
        // It would report that a second run of the frame gave another result.
        assert_string_equal(output.err, "");
        command_output_release(&output);
        snprintf(line, sizeof line, COMMAND "replay %s", path);
        run(0, line, "same: ", "");
        snprintf(line, sizeof line, COMMAND "replay %s --backend gpu", path);
        run(0, line, "same: ", "");
        size_t size;
        uint8_t *bytes = capture_read_bytes(path, &size);
        capture read;
        assert_int_equal(capture_read(bytes, size, &read, NULL), LMB_OK);
        assert_true(read.kept_words > 0);
        for (uint32_t k = 1; k < read.result_count; k++) {
            if (strcmp(read.results[k].name, "inertialized") == 0) {
                hashes[i] = read.results[k].hash;
                assert_true(hashes[i] != read.results[k - 1].hash);
            }
        }
        capture_release(&read);
        free(bytes);
    }
    assert_true(hashes[0] != 0 && hashes[0] == hashes[1]);
}

// Whether the target was reached before the captured frame decides what that frame shows.
static void reached_targets_are_captured(void **state) {
    (void)state;
    static const char graph[] =
        "{\"op\":\"blend\",\"weight\":{\"param\":\"there\"},\"a\":{\"op\":\"rest\"},\"b\":{\"op\":\"ik-aim\","
        "\"joints\":{\"head\":1},\"forward\":[0,0,1],\"up\":[0,1,0],\"target\":[0.3,1.6,2],\"reached\":{\"index\":0,"
        "\"parameter\":\"there\"},\"base\":{\"op\":\"clip\",\"clip\":\"walk\",\"play\":true}}}";
    capture_write_bytes("aim.json", graph, strlen(graph));
    static const char *const backends[] = {"reference", "gpu"};
    for (int i = 0; i < 2; i++) {
        char line[400];
        snprintf(line, sizeof line,
                 COMMAND "capture mannequin --graph aim.json --frames 4 --backend %s --output aim.capture",
                 backends[i]);
        command_output output = command_run("%s", line);
        assert_int_equal(output.status, 0);
        assert_string_equal(output.err, "");
        command_output_release(&output);
        size_t size;
        uint8_t *bytes = capture_read_bytes("aim.capture", &size);
        capture read;
        assert_int_equal(capture_read(bytes, size, &read, NULL), LMB_OK);
        assert_int_equal(read.kept_words, 1);
        assert_int_equal(read.kept[0], 1);
        capture_release(&read);
        free(bytes);
        run(0, COMMAND "replay aim.capture", "same: ", "");
        run(0, COMMAND "replay aim.capture --backend gpu", "same: ", "");
    }
}

// Simulates a captured device with an error in that operation and in all results that depend on it.
static void the_first_operation_that_differs_is_named(void **state) {
    (void)state;
    run(0, CAPTURE "--fps 10 --frames 4 --characters 3 --output whole.capture", "", "");
    size_t size;
    uint8_t *bytes = capture_read_bytes("whole.capture", &size);
    static const char *const names[] = {"node 1: clip", "output: model"};
    for (size_t i = 0; i < 2; i++) {
        size_t at = 0;
        while (memcmp(bytes + at, names[i], strlen(names[i])) != 0) {
            at++;
            assert_true(at + 32 < size);
        }
        bytes[at + strlen(names[i])] ^= 0x10;
    }
    capture_write_bytes("damaged.capture", bytes, size);
    run(1, COMMAND "replay damaged.capture", "", "damaged.capture: capture: section 'results', byte ");
    assert_true(capture_seal(bytes, size));
    capture_write_bytes("wrong.capture", bytes, size);
    run(1, COMMAND "replay wrong.capture",
        "first difference:  node 1: clip\n                   output: model\ndiffers: ", "");
    run(1, COMMAND "replay wrong.capture --backend gpu", "first difference:  node 1: clip\n", "");
    free(bytes);
}

static void mistakes_are_reported(void **state) {
    (void)state;
    run(2, COMMAND "capture small.gltf --graph graph.json", "", "no --output given");
    run(2, COMMAND "capture small.gltf --output a.capture", "", "capture: neither --graph nor --machine given");
    run(1, CAPTURE "--characters 3 --output nowhere/a.capture", "", "nowhere/a.capture: ");
    run(2, COMMAND "replay small.gltf graph.json", "", "more than one file given");
    run(2, COMMAND "replay a.capture --backend cuda", "", "--backend must be");
    run(2, COMMAND "replay a.capture --device 0", "", "--device needs --backend gpu");
    run(1, COMMAND "replay nowhere.capture", "", "nowhere.capture: ");
    run(1, COMMAND "replay graph.json", "", "graph.json: capture: no capture");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_frame_comes_to_the_same_again),
                                       cmocka_unit_test(graphs_that_stand_still_are_captured_too),
                                       cmocka_unit_test(what_inertialization_keeps_is_captured),
                                       cmocka_unit_test(reached_targets_are_captured),
                                       cmocka_unit_test(the_first_operation_that_differs_is_named),
                                       cmocka_unit_test(mistakes_are_reported)};
    return run_gpu_suite_with("capture", tests, sizeof tests / sizeof tests[0], capture_enter, NULL);
}
