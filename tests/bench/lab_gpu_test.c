// limber-lab on a device: a short run prints all small kernels, and frames whose palettes have the reference's bits;
// packed by bench/lab.sh, it does the same in another folder.
#include "command.h"
#include "suite.h"

#include <device.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_row(const char *text, const char *part) {
    if (text == NULL || strstr(text, part) == NULL) {
        fail_msg("there is no row '%s' in:\n%s", part, text == NULL ? "(nothing)" : text);
    }
}

// The table must have so many rows of frames, all with the reference's bits.
static void expect_frames(const char *text, int count) {
    expect_row(text, "\nframes ");
    int rows = 0;
    for (const char *line = strchr(strstr(text, "\nframes ") + 1, '\n'); line != NULL; line = strchr(line, '\n')) {
        line++;
        const char *end = strchr(line, '\n');
        if (end == NULL || strcmp(end - 2, " s\n") == 0) { // the last line: the seconds of the whole run
            break;
        }
        if (strncmp(end - 5, " same", 5) != 0) {
            fail_msg("other bits: %.*s", (int)(end - line), line);
        }
        rows++;
    }
    assert_int_equal(rows, count);
}

static void a_short_run_has_the_bits_of_the_reference(void **state) {
    (void)state;
    assert_true(command_enter_folder());
    command_output output = command_run("\"%s\" --device 0 --short", LIMBER_LAB);
    if (output.status != 0) {
        fail_msg("status %d\n%s", output.status, output.err);
    }
    static const char *const names[] = {"dispatch, barrier ",
                                        "indirect dispatch, barrier ",
                                        "latency of a multiplication or addition ",
                                        "latency of a load from workgroup memory ",
                                        "latency of a load, 16 KiB (first cache) ",
                                        "barrier in a workgroup of 32 ",
                                        "resident workgroups of 32 invocations and 1024 bytes ",
                                        "memory type 0:"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        expect_row(output.out, names[i]);
    }
    expect_frames(output.out, 3);
    command_output_release(&output);
    command_leave_folder();
}

static void a_packed_run_has_them_too(void **state) {
    (void)state;
    assert_true(command_enter_folder());
    command_output output = command_run("LIMBER_BUILD=\"%s/..\" PACKING=0 bash \"%s/bench/lab.sh\" pack packed",
                                        LIMBER_BINARY, LIMBER_SOURCES);
    if (output.status != 0) {
        fail_msg("pack: status %d\n%s", output.status, output.err);
    }
    command_output_release(&output);
    output = command_run("LAB_OPTIONS='--device 0 --short --frames' bash packed/lab.sh run out");
    if (output.status != 0) {
        fail_msg("run: status %d\n%s\n%s", output.status, output.out, output.err);
    }
    command_output_release(&output);
    char *lab = command_read_file("out/lab.txt"), *plain = command_read_file("out/plain.txt");
    char *machine = command_read_file("out/machine.txt");
    expect_frames(lab, 3);
    expect_row(plain, "\nframes ");
    expect_row(machine, "same bits: yes");
    free(lab);
    free(plain);
    free(machine);
    command_leave_folder();
}

static void wrong_usage_ends_with_2(void **state) {
    (void)state;
    assert_true(command_enter_folder());
    command_output output = command_run("\"%s\" --quick", LIMBER_LAB);
    assert_int_equal(output.status, 2);
    expect_row(output.err, "unknown option '--quick'");
    command_output_release(&output);
    output = command_run("\"%s\" --device \"no such device\" --short", LIMBER_LAB);
    assert_int_equal(output.status, 1);
    assert_string_equal(output.out, "");
    expect_row(output.err, "no such device");
    command_output_release(&output);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_short_run_has_the_bits_of_the_reference),
                                       cmocka_unit_test(a_packed_run_has_them_too),
                                       cmocka_unit_test(wrong_usage_ends_with_2)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
