// Files of captured frames: damaged in every way, and with arbitrary contents.
#include "capture_folder.h"
#include "command.h"
#include "scene.h"

#include "tools/capture_file.h"
#include "tools/capture_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPTURE                                                                                                        \
    "\"" LIMBER_CLI "\" capture small.gltf --graph graph.json --script script.txt --fps 10 --frames 4 "                \
    "--characters 3 --output small.capture"

static uint8_t *small_capture(size_t *size) {
    command_output output = command_run("%s", CAPTURE);
    assert_string_equal(output.err, "");
    assert_int_equal(output.status, 0);
    command_output_release(&output);
    return capture_read_bytes("small.capture", size);
}

static void expect_unreadable(const uint8_t *bytes, size_t size, const char *part) {
    capture read;
    lmb_error error = {0};
    lmb_result result = capture_read(bytes, size, &read, &error);
    if (result == LMB_OK || error.result != result || strstr(error.message, part) == NULL) {
        fail_msg("%d, '%s' does not report '%s'", (int)result, error.message, part);
    }
}

// The command reads every file that it writes, whatever its size: this one ends with 65 MiB of zeros.
static void large_captures_are_read(void **state) {
    (void)state;
    size_t size;
    uint8_t *bytes = small_capture(&size);
    FILE *file = fopen("large.capture", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fseek(file, 65 << 20, SEEK_SET), 0);
    assert_int_equal(fputc(0, file), 0);
    fclose(file);
    free(bytes);
    command_output output = command_run("%s", "\"" LIMBER_CLI "\" replay large.capture");
    assert_int_equal(output.status, 1);
    assert_non_null(strstr(output.err, "something follows the last section"));
    command_output_release(&output);
    remove("large.capture");
}

static void what_is_damaged_is_named(void **state) {
    (void)state;
    size_t size;
    uint8_t *bytes = small_capture(&size);
    uint8_t *copy = malloc(size + 1);
    assert_non_null(copy);
    for (size_t length = 0; length < size; length++) {
        expect_unreadable(bytes, length, "capture: ");
    }
    for (size_t at = 0; at < size; at++) {
        memcpy(copy, bytes, size);
        copy[at] ^= 0x40;
        expect_unreadable(copy, size, "capture: ");
    }
    memcpy(copy, bytes, size);
    copy[size] = 0;
    expect_unreadable(copy, size + 1, "something follows the last section");
    copy[8] = 4;
    expect_unreadable(copy, size, "of version 4");
    copy[0] = 'l';
    expect_unreadable(copy, size, "no capture");
    memcpy(copy, bytes, size);
    copy[size - 3] ^= 1;
    expect_unreadable(copy, size, "section 'results', byte ");
    free(copy);
    free(bytes);
}

// The hash is corrected, so only the contents are invalid: the file is refused, or it runs.
static void nothing_in_a_file_is_trusted(void **state) {
    (void)state;
    size_t size;
    uint8_t *bytes = small_capture(&size);
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    uint32_t refused = 0, ran = 0;
    for (size_t at = 8; at < size; at++) {
        memcpy(copy, bytes, size);
        memset(copy + at, values[at % 5], at + 4 <= size ? 1 + at % 4 : 1);
        capture read;
        capture_scene scene = {0};
        capture_results results = {0};
        lmb_error error = {0};
        if (!capture_seal(copy, size) || capture_read(copy, size, &read, &error) != LMB_OK) {
            refused++;
            continue;
        }
        lmb_result result = capture_scene_create(&read, &scene, &error);
        if (result == LMB_OK) {
            result = capture_run(&scene, false, NULL, &results, &error);
        }
        refused += result != LMB_OK;
        ran += result == LMB_OK;
        capture_results_release(&results);
        capture_scene_destroy(&scene);
        capture_release(&read);
    }
    assert_true(refused > 100 && ran > 100);
    free(copy);
    free(bytes);
}

// A rig whose rotations a normalisation would change.
static void a_rig_keeps_its_bits(void **state) {
    (void)state;
    lmb_rig *rig = scene_rig(97, SCENE_TREE, 7);
    const lmb_node_def node = lmb_default_node_def();
    lmb_graph_def graph = lmb_default_graph_def();
    graph.rig = rig;
    graph.nodes = &node;
    graph.node_count = 1;
    const capture written = {.character_count = 1, .device = "nowhere", .graph = &graph};
    assert_int_equal(capture_write(&written, "rig.capture", NULL), LMB_OK);
    size_t size;
    uint8_t *bytes = capture_read_bytes("rig.capture", &size);
    capture read;
    assert_int_equal(capture_read(bytes, size, &read, NULL), LMB_OK);
    assert_string_equal(read.device, "nowhere");
    assert_int_equal(lmb_rig_get_def(read.graph->rig)->joint_count, 97);
    for (uint32_t i = 0; i < 97; i++) {
        const lmb_transform rest[2] = {lmb_rig_get_def(rig)->joints[i].rest,
                                       lmb_rig_get_def(read.graph->rig)->joints[i].rest};
        const lmb_affine inverse[2] = {lmb_rig_get_def(rig)->joints[i].inverse_bind,
                                       lmb_rig_get_def(read.graph->rig)->joints[i].inverse_bind};
        assert_memory_equal(&rest[0], &rest[1], sizeof rest[0]);
        assert_memory_equal(&inverse[0], &inverse[1], sizeof inverse[0]);
        assert_true(lmb_rig_get_def(rig)->joints[i].radius == lmb_rig_get_def(read.graph->rig)->joints[i].radius);
        assert_int_equal(lmb_rig_get_def(rig)->joints[i].parent, lmb_rig_get_def(read.graph->rig)->joints[i].parent);
        assert_string_equal(lmb_rig_get_def(rig)->joints[i].name, lmb_rig_get_def(read.graph->rig)->joints[i].name);
    }
    assert_int_equal(lmb_rig_get_def(rig)->socket_count, lmb_rig_get_def(read.graph->rig)->socket_count);
    for (uint32_t i = 0; i < lmb_rig_get_def(rig)->socket_count; i++) {
        const lmb_transform local[2] = {lmb_rig_get_def(rig)->sockets[i].local,
                                        lmb_rig_get_def(read.graph->rig)->sockets[i].local};
        assert_memory_equal(&local[0], &local[1], sizeof local[0]);
        assert_int_equal(lmb_rig_get_def(rig)->sockets[i].joint, lmb_rig_get_def(read.graph->rig)->sockets[i].joint);
        assert_string_equal(lmb_rig_get_def(rig)->sockets[i].name, lmb_rig_get_def(read.graph->rig)->sockets[i].name);
    }
    capture_release(&read);
    // A pack without a graph in its place.
    const size_t table = 16, body = table + 16 * CAPTURE_SECTIONS + 8;
    uint64_t frame, graph_size;
    memcpy(&frame, bytes + table + 16 * CAPTURE_FRAME, 8);
    memcpy(&graph_size, bytes + table + 16 * CAPTURE_GRAPH, 8);
    uint8_t *section = bytes + body + frame;
    size_t packed = 0;
    assert_int_equal(lmb_pack_write(&(lmb_pack_def){.rig = rig}, NULL, section, graph_size, &packed, NULL), LMB_OK);
    memmove(section + packed, section + graph_size, size - (size_t)(section + graph_size - bytes));
    size -= graph_size - packed;
    memcpy(bytes + table + 16 * CAPTURE_GRAPH, &(uint64_t){packed}, 8);
    assert_true(capture_seal(bytes, size));
    expect_unreadable(bytes, size, "it has no graph");
    free(bytes);
    lmb_rig_destroy(rig);
}

static int leave(void **state) {
    (void)state;
    command_leave_folder();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_captures_are_read), cmocka_unit_test(what_is_damaged_is_named),
        cmocka_unit_test(nothing_in_a_file_is_trusted), cmocka_unit_test(a_rig_keeps_its_bits)};
    return cmocka_run_group_tests(tests, capture_enter, leave);
}
