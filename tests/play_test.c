// `limber play` on the CPU and on a device: the same text frame by frame, and the states that the script leads to. Runs
// once for each driver.
#include "command.h"
#include "gpu_suite.h"
#include "json_tree.h"

#include <stdio.h>
#include <string.h>

#define PLAY "\"" LIMBER_COMMAND "\" play small.gltf "
#define GRAPH "--graph graph.json --script script.txt "

static const char graph[] =
    "{\"op\":\"machine\",\"name\":\"body\",\"states\":[\n"
    "{\"name\":\"idle\",\"pose\":{\"op\":\"clip\",\"clip\":\"Bend\",\"play\":{\"looped\":\"AGAIN\"}},\n"
    " \"transitions\":[{\"to\":\"go\",\"event\":\"GO\",\"fade\":0.1}]},\n"
    "{\"name\":\"go\",\"entry\":\"WENT\",\"pose\":{\"op\":\"clip\",\"clip\":\"Bend\"},\n"
    " \"transitions\":[{\"to\":\"idle\",\"end\":true},\n"
    "  {\"to\":\"fast\",\"when\":{\">\":[{\"param\":\"speed\",\"smooth\":0.05},0.5]}}]},\n"
    "{\"name\":\"fast\",\"pose\":{\"op\":\"rest\"},\"transitions\":[{\"to\":\"idle\",\"after\":0.2}]}]}\n";

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
}

static int enter(void **state) {
    (void)state;
    if (!command_enter_folder() || !command_write_small_gltf("small.gltf")) {
        return 1;
    }
    write_text("graph.json", graph);
    write_text("script.txt", "0.1 send GO\n0.2 set speed 1\n0.6 set speed 0\n0.7 send GO 0\n");
    return 0;
}

static command_output run(int status, const char *line) {
    command_output output = command_run("%s", line);
    if (output.status != status) {
        fail_msg("%s: status %d instead of %d\n%s", line, output.status, status, output.err);
    }
    return output;
}

// The text of a frame, which begins its line with its number.
static const char *find_frame(const char *text, unsigned frame) {
    char begin[16];
    snprintf(begin, sizeof begin, "%6u ", frame);
    const char *found = strncmp(text, begin, strlen(begin)) == 0 ? text : NULL;
    for (; found == NULL && text != NULL; text = strchr(text, '\n')) {
        text += *text == '\n';
        found = strncmp(text, begin, strlen(begin)) == 0 ? text : NULL;
    }
    assert_non_null(found);
    return found;
}

static void expect_in_frame(const char *text, unsigned frame, const char *part) {
    const char *line = find_frame(text, frame), *end = strchr(line, '\n');
    const char *found = strstr(line, part);
    if (found == NULL || found > end) {
        fail_msg("frame %u lacks '%s': %.*s", frame, part, (int)(end - line), line);
    }
}

static void a_device_prints_what_the_reference_prints(void **state) {
    (void)state;
    command_output here = run(0, PLAY GRAPH "--fps 30 --frames 90 --characters 37");
    command_output there = run(0, PLAY GRAPH "--fps 30 --frames 90 --characters 37 --backend gpu");
    assert_string_equal(here.out, there.out);
    command_output_release(&there);
    expect_in_frame(here.out, 0, "body:idle");
    expect_in_frame(here.out, 2, "body:idle");
    expect_in_frame(here.out, 3, "body:go");
    expect_in_frame(here.out, 3, "!WENT");
    expect_in_frame(here.out, 10, "body:fast");
    command_output_release(&here);
    here = run(0, PLAY GRAPH "--fps 10 --frames 5 --json");
    there = run(0, PLAY GRAPH "--fps 10 --frames 5 --json --backend gpu");
    assert_string_equal(here.out, there.out);
    json_tree tree = json_tree_read(here.out);
    int frames = json_tree_member(&tree, 0, "frames");
    assert_int_equal(json_tree_size(&tree, frames), 5);
    json_tree_expect_keys(&tree, json_tree_item(&tree, frames, 1), "frame ticks path clips events hash");
    json_tree_release(&tree);
    command_output_release(&here);
    command_output_release(&there);
}

// The states in their order, whatever the frame rate, and each within a frame of its time.
static void the_path_does_not_depend_on_the_frame_rate(void **state) {
    (void)state;
    static const unsigned rates[] = {30, 60, 144};
    static const struct {
        double seconds;
        const char *state;
    } path[] = {{0.05, "body:idle"}, {0.14, "body:go"}, {0.4, "body:fast"}, {0.6, "body:idle"}, {0.75, "body:go"}};
    for (size_t r = 0; r < 3; r++) {
        command_output output = command_run(PLAY GRAPH "--fps %u --frames %u", rates[r], rates[r]);
        assert_int_equal(output.status, 0);
        for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
            expect_in_frame(output.out, (unsigned)(path[i].seconds * rates[r] + 0.5), path[i].state);
        }
        command_output_release(&output);
    }
}

static void expect_failure(int status, const char *line, const char *part) {
    command_output output = run(status, line);
    if (strstr(output.err, part) == NULL) {
        fail_msg("%s: '%s' does not tell of '%s'", line, output.err, part);
    }
    command_output_release(&output);
}

static void mistakes_are_told(void **state) {
    (void)state;
    write_text("wrong.txt", "0 send GO\n1 send FLY\n");
    write_text("range.txt", "0 set speed 7\n");
    write_text("name.txt", "0 set sped 7\n");
    write_text("whom.txt", "0 send GO 1\n");
    write_text("broken.txt", "0 send\n");
    expect_failure(2, PLAY, "neither --graph nor --machine given");
    expect_failure(2, PLAY "--graph graph.json --backend cpu", "--backend must be");
    expect_failure(2, PLAY "--graph graph.json --device 0", "--device needs --backend gpu");
    expect_failure(2, PLAY "--graph graph.json --fps 2000000", "--fps");
    expect_failure(1, PLAY "--graph '{\"op\":\"rest\"}'", "nothing in the graph moves by itself");
    expect_failure(1, PLAY "--graph graph.json --script nowhere.txt", "nowhere.txt: ");
    expect_failure(1, PLAY "--graph graph.json --script wrong.txt",
                   "wrong.txt: line 2, column 8: the graph has no event 'FLY'");
    expect_failure(1, PLAY "--graph graph.json --script range.txt", "range.txt: line 1, column 7: out of range");
    expect_failure(1, PLAY "--graph graph.json --script name.txt", "the graph has no parameter 'sped'");
    expect_failure(1, PLAY "--graph graph.json --script whom.txt", "there is no such character");
    expect_failure(1, PLAY "--graph graph.json --script broken.txt", "broken.txt: line 1, column 7: ");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_device_prints_what_the_reference_prints),
                                       cmocka_unit_test(the_path_does_not_depend_on_the_frame_rate),
                                       cmocka_unit_test(mistakes_are_told)};
    return run_gpu_suite_with("play", tests, sizeof tests / sizeof tests[0], enter, NULL);
}
