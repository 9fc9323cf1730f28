// `limber play` on the CPU and on a device: the same text in each frame, and the states expected from the script. Runs
// once per driver.
#include "command.h"
#include "gpu_suite.h"
#include "json_tree.h"

#include <mannequin.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PLAY "\"" LIMBER_CLI "\" play small.gltf "
#define PLAY_MANNEQUIN "\"" LIMBER_CLI "\" play mannequin "
#define CAPTURE_MANNEQUIN "\"" LIMBER_CLI "\" capture mannequin "
#define GRAPH "--graph graph.json --script script.txt "

static const char graph[] =
    "{\"op\":\"machine\",\"name\":\"body\",\"character-motion\":{\"velocity\":[0,0,{\"param\":\"speed\"}],"
    "\"acceleration\":2},"
    "\"states\":[\n"
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

// Returns the line of a frame, which begins with the frame's number.
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
    command_output here = command_expect(0, PLAY GRAPH "--fps 30 --frames 90 --characters 37");
    command_output there = command_expect(0, PLAY GRAPH "--fps 30 --frames 90 --characters 37 --backend gpu");
    assert_string_equal(here.out, there.out);
    command_output_release(&there);
    expect_in_frame(here.out, 0, "body:idle");
    expect_in_frame(here.out, 2, "body:idle");
    expect_in_frame(here.out, 3, "body:go");
    expect_in_frame(here.out, 3, "!WENT");
    expect_in_frame(here.out, 10, "body:fast");
    command_output_release(&here);
    here = command_expect(0, PLAY GRAPH "--fps 10 --frames 5 --json");
    there = command_expect(0, PLAY GRAPH "--fps 10 --frames 5 --json --backend gpu");
    assert_string_equal(here.out, there.out);
    json_tree tree = json_tree_read(here.out);
    int frames = json_tree_member(&tree, 0, "frames");
    assert_int_equal(json_tree_size(&tree, frames), 5);
    json_tree_expect_keys(&tree, json_tree_item(&tree, frames, 1), "frame ticks path clips position yaw events hash");
    json_tree_release(&tree);
    command_output_release(&here);
    command_output_release(&there);
}

// Conditions on numbers that drivers may flush: each machine compares its own parameter, smoothed or not, with 0. Only
// the states count, so they have no clips, and there are two graphs: drivers compile clips and long graphs slowly.
#define MACHINE(name, value)                                                                                           \
    "{\"pose\":{\"op\":\"machine\",\"name\":\"" name "\",\"states\":[{\"name\":\"a\",\"pose\":{\"op\":\"rest\"},"      \
    "\"transitions\":[{\"to\":\"b\",\"when\":{\">\":[{\"param\":" value ",\"min\":-1,\"max\":1},0]}}]},"               \
    "{\"name\":\"b\",\"pose\":{\"op\":\"rest\"}}]}}"

static void subnormal_numbers_decide_alike(void **state) {
    (void)state;
    static const char *const graphs[] = {
        MACHINE("subnormal", "\"s\"") "," MACHINE("negative", "\"n\""),
        MACHINE("tiny", "\"t\"") "," MACHINE("small", "\"x\"") "," MACHINE("decayed", "\"d\",\"smooth\":0.05")};
    static const char *const scripts[] = {"0.1 set s 1e-40\n0.1 set n -1e-40\n",
                                          "0.1 set t 9.0e-13\n0.1 set x 9.1e-13\n0.1 set d 1e-39\n"};
    static const char *const expected[][3] = {{"subnormal:a", "negative:a"}, {"tiny:a", "small:b", "decayed:a"}};
    for (size_t i = 0; i < 2; i++) {
        char text[2000];
        snprintf(text, sizeof text, "{\"op\":\"weighted\",\"inputs\":[%s]}\n", graphs[i]);
        write_text("border.json", text);
        write_text("border.txt", scripts[i]);
        command_output here = command_expect(0, PLAY "--graph border.json --script border.txt --fps 30 --frames 9");
        command_output there =
            command_expect(0, PLAY "--graph border.json --script border.txt --fps 30 --frames 9 --backend gpu");
        assert_string_equal(here.out, there.out);
        for (size_t k = 0; k < 3 && expected[i][k] != NULL; k++) {
            expect_in_frame(here.out, 8, expected[i][k]);
        }
        command_output_release(&here);
        command_output_release(&there);
    }
}

// The states and their order do not depend on the frame rate, and each is entered within a frame of its time.
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

// The jump sample. An event is processed in its frame; an end occurs after the duration of the state's clip.
#define JUMP PLAY_MANNEQUIN "--machine \"" LIMBER_SAMPLES "/jump/jump.txt\" "
#define MOST_STEPS 8

typedef struct step {
    const char *state;
    double event;            // the time when it is sent; if negative, the end of
    mannequin_clip_id ended; // this clip, which started with the previous state
} step;

static const step held[MOST_STEPS] = {{"jump:stand", 0.0, 0},
                                      {"jump:stand2crouch", 0.5, 0},
                                      {"jump:crouch", -1.0, MANNEQUIN_STAND_TO_CROUCH},
                                      {"jump:takeoff", 1.5, 0},
                                      {"jump:float", -1.0, MANNEQUIN_TAKEOFF},
                                      {"jump:land", 2.5, 0},
                                      {"jump:stand", -1.0, MANNEQUIN_LAND}};
static const step tapped[MOST_STEPS] = {{"jump:stand", 0.0, 0}, {"jump:stand2crouch", 0.5, 0},
                                        {"jump:hop", 0.6, 0},   {"jump:float", -1.0, MANNEQUIN_HOP},
                                        {"jump:land", 1.5, 0},  {"jump:stand", -1.0, MANNEQUIN_LAND}};

static bool read_frame(const char *line, unsigned *frame, double *seconds, char state[64]) {
    return sscanf(line, "%u %lf %63s", frame, seconds, state) == 3;
}

// One line per frame. The states must be those of the steps, entered within half a frame of the event's time, and
// within a frame of a clip's end after that.
static void expect_steps(const char *text, const step *steps, unsigned rate, const mannequin *mannequin) {
    double expected = 0.0;
    char now[64] = "";
    for (unsigned number = 0; *text != '\0'; number++, text = strchr(text, '\n') + 1) {
        double seconds;
        char state[64];
        unsigned frame;
        assert_true(read_frame(text, &frame, &seconds, state));
        assert_int_equal(frame, number);
        assert_true(fabs(seconds - (double)frame / rate) < 1e-4);
        if (strcmp(state, now) == 0) {
            continue;
        }
        assert_non_null(steps->state);
        assert_string_equal(state, steps->state);
        expected = steps->event >= 0.0
                       ? steps->event
                       : expected + (double)lmb_clip_get_info(mannequin_clip(mannequin, steps->ended))->duration;
        if (fabs(seconds - expected) > (steps->event >= 0.0 ? 0.5 : 1.5) / rate + 1e-4) {
            fail_msg("at %u fps %s is entered at %f instead of %f", rate, state, seconds, expected);
        }
        memcpy(now, state, sizeof now);
        steps++;
    }
    assert_null(steps->state);
}

static command_output run_jump(const char *script, unsigned rate, const char *backend) {
    command_output output = command_run(JUMP "--script \"" LIMBER_SAMPLES "/jump/%s.txt\" --fps %u --frames %u "
                                             "--backend %s",
                                        script, rate, 4 * rate, backend);
    assert_string_equal(output.err, "");
    assert_int_equal(output.status, 0);
    return output;
}

// Only half of the cases run on the device, because some devices compile the program slowly.
static void a_jump_is_as_high_as_the_press_is_long(void **state) {
    (void)state;
    static const struct {
        const char *script;
        const step *steps;
        unsigned rate;
        bool on_device;
    } rows[] = {{"hold", held, 30, true},   {"hold", held, 60, false}, {"hold", held, 144, true},
                {"tap", tapped, 30, false}, {"tap", tapped, 60, true}, {"tap", tapped, 144, false}};
    mannequin *mannequin = NULL;
    assert_int_equal(mannequin_create(NULL, &mannequin, NULL), LMB_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        command_output here = run_jump(rows[i].script, rows[i].rate, "reference");
        expect_steps(here.out, rows[i].steps, rows[i].rate, mannequin);
        if (rows[i].on_device) {
            command_output there = run_jump(rows[i].script, rows[i].rate, "gpu");
            assert_string_equal(here.out, there.out);
            command_output_release(&there);
        }
        command_output_release(&here);
    }
    mannequin_destroy(mannequin);
}

// In a graph, over a static pose, with output only when the state changes.
static void a_jump_may_be_part_of_a_graph(void **state) {
    (void)state;
    command_output output =
        command_expect(0, JUMP "--graph '{\"op\":\"blend\",\"weight\":0.75,\"a\":{\"op\":\"pose\",\"pose\":\"low\"},"
                               "\"b\":{\"op\":\"machine\"}}' --pose low=crouch@0 --script \"" LIMBER_SAMPLES
                               "/jump/tap.txt\" --fps 30 --frames 70 --changes");
    assert_string_equal(output.err, "");
    static const unsigned frames[] = {0, 15, 18, 29, 45, 66};
    static const char *const states[] = {"stand", "stand2crouch", "hop", "float", "land", "stand"};
    const char *line = output.out;
    for (size_t i = 0; i < 6; i++, line = strchr(line, '\n') + 1) {
        double seconds;
        char name[64];
        unsigned frame;
        assert_true(read_frame(line, &frame, &seconds, name));
        assert_int_equal(frame, frames[i]);
        assert_string_equal(name + strlen("jump:"), states[i]);
    }
    assert_string_equal(line, "");
    // Of the blend's 0.75: after a sixth of the second fade, which started halfway through the first, the hop has 2/27.
    expect_in_frame(output.out, 18, "stand 0.6000 x0.3472  stand2crouch 0.1333 x0.3472  hop 0.0333 x0.0556");
    command_output_release(&output);
}

#define WAVE_DEMO                                                                                                      \
    PLAY_MANNEQUIN "--graph \"" LIMBER_SAMPLES "/demos/wave.json\" --script wave.txt --fps 20 --frames 60 "

// The demo's wave over the gait fades in within 0.4 s and out within 0.6 s, and restarts each time.
static void a_wave_fades_in_and_out_on_request(void **state) {
    (void)state;
    write_text("wave.txt", "0.5 send WAVE\n1.5 send STOP\n1.8 send WAVE\n2.3 send STOP\n");
    command_output here = command_expect(0, WAVE_DEMO);
    command_output there = command_expect(0, WAVE_DEMO "--backend gpu");
    assert_string_equal(here.out, there.out);
    command_output_release(&there);
    static const struct {
        unsigned frame;
        const char *text;
    } rows[] = {{9, "wave:out"},
                {10, "wave:in"},
                {13, "wave 0.2000 x0.5000"},
                {17, "wave 0.4000 x1.0000"},
                {29, "wave 1.0000 x1.0000"},
                {30, "wave:out"},
                {35, "wave 1.3000 x0.5000"},
                {36, "wave:in"},
                {39, "wave 1.5000 x0.7500"}, // in the middle between a half and 1
                {43, "wave 0.1000 x1.0000"}, // after one loop
                {45, "wave 0.2000 x1.0000"},
                {46, "wave:out"},
                {51, "wave 0.5000 x0.5000"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect_in_frame(here.out, rows[i].frame, rows[i].text);
    }
    // Its weight is 0 after 0.6 s, counted from the frame that processes the event.
    assert_non_null(strstr(find_frame(here.out, 56), "  wave "));
    assert_null(strstr(find_frame(here.out, 57), "  wave "));
    command_output_release(&here);
}

// A clock of what keeps a state counts by itself, unless the script sets it; and it has no end.
static void clocks_count_by_themselves(void **state) {
    (void)state;
    write_text("chain.json",
               "{\"op\":\"chain\",\"start\":\"left_upper_arm\",\"end\":\"left_fingers\",\"stiffness\":1,"
               "\"time\":{\"param\":\"now\"},\"base\":{\"op\":\"clip\",\"clip\":\"run\",\"play\":true}}\n");
    char script[1000] = "";
    for (unsigned i = 0; i < 32; i++) {
        snprintf(script + strlen(script), sizeof script - strlen(script), "%.6f set now %.6f\n", i / 64.0, i / 64.0);
    }
    write_text("counted.txt", script);
    write_text("still.txt", "0 set now 0\n");
    write_text("far.txt", "0 set now 5000\n");
#define CHAIN PLAY_MANNEQUIN "--graph chain.json --fps 64 --frames 32 "
    command_output alone = command_expect(0, CHAIN);
    command_output counted = command_expect(0, CHAIN "--script counted.txt");
    command_output still = command_expect(0, CHAIN "--script still.txt");
    assert_string_equal(alone.out, counted.out);
    assert_string_not_equal(alone.out, still.out);
    command_output_release(&still);
    command_output_release(&counted);
    command_output_release(&alone);
    command_output far = command_expect(0, CHAIN "--script far.txt");
    command_output_release(&far);
}

// Where joints are in model space, of a character that is not the first.
static void joints_are_printed(void **state) {
    (void)state;
    write_text("stand.json", "{\"op\":\"clip\",\"clip\":\"idle\",\"play\":{\"rate\":{\"param\":\"pace\"}}}\n");
    write_text("pace.txt", "0 set pace 0 1\n");
#define STAND PLAY_MANNEQUIN "--graph stand.json --script pace.txt --frames 30 --characters 2 --joints head,left_foot "
    command_output first = command_expect(0, STAND), other = command_expect(0, STAND "--watch 1"),
                   there = command_expect(0, STAND "--watch 1 --backend gpu");
    command_output pose =
        command_expect(0, "\"" LIMBER_CLI "\" eval mannequin --time 0 --graph '{\"op\":\"clip\",\"clip\":\"idle\"}'");
    char joint[64] = "  head ";
    float x, y, z;
    const char *line = strstr(pose.out, "  head  ");
    assert_non_null(line);
    assert_int_equal(sscanf(line, " head %*f %*f %*f %*f %*f %*f %*f %*f %*f %*f %f %f %f", &x, &y, &z), 3);
    snprintf(joint, sizeof joint, "  head %.4f %.4f %.4f  left_foot ", (double)x, (double)y, (double)z);
    expect_in_frame(other.out, 29, joint); // stands still
    expect_in_frame(first.out, 0, joint);
    assert_null(strstr(find_frame(first.out, 29), joint));
    assert_string_equal(other.out, there.out);
    command_output_release(&pose);
    command_output_release(&there);
    command_output_release(&other);
    command_output_release(&first);
    command_output json = command_expect(0, STAND "--json --frames 1");
    assert_non_null(strstr(json.out, "\"joints\": [{\"joint\": \"head\", \"position\": ["));
    command_output_release(&json);
    command_refuse(1, STAND "--joints head,haed", "--joints: no joint 'haed' among its 29; the nearest are head");
    command_refuse(1, STAND "--watch 2", "--watch 2: there are 2, numbered from 0");
}

// Without a scene the world is where the character motion begins: a hand stays at its target while the character moves.
static void a_target_in_the_world_stays(void **state) {
    (void)state;
    write_text("reach.json",
               "{\"op\":\"ik-two-bone\",\"start\":\"left_upper_arm\",\"mid\":\"left_forearm\",\"end\":\"left_hand\","
               "\"mid-axis\":\"auto\",\"space\":\"world\",\"target\":[0.3,1.2,0.4],\"character-motion\":{\"velocity\":"
               "[0,0,0.3]},\"base\":{\"op\":\"clip\",\"clip\":\"idle\",\"play\":true}}\n");
    command_output moved =
        command_expect(0, PLAY_MANNEQUIN "--graph reach.json --fps 10 --frames 6 --joints left_hand");
    expect_in_frame(moved.out, 0, "  left_hand 0.3000 1.2000 0.4000 ");
    expect_in_frame(moved.out, 5, "at 0.0000 0.0000 0.1500 yaw 0.0000  left_hand 0.3000 1.2000 0.2500 ");
    command_output_release(&moved);
}

static void mistakes_are_reported(void **state) {
    (void)state;
    write_text("wrong.txt", "0 send GO\n1 send FLY\n");
    write_text("range.txt", "0 set speed 7\n");
    write_text("name.txt", "0 set sped 7\n");
    write_text("whom.txt", "0 send GO 1\n");
    write_text("broken.txt", "0 send\n");
    command_refuse(2, PLAY, "neither --graph nor --machine given");
    command_refuse(2, PLAY "--graph graph.json --backend cpu", "--backend must be");
    command_refuse(2, PLAY "--graph graph.json --device 0", "--device needs --backend gpu");
    command_refuse(2, PLAY "--graph graph.json --fps 2000000", "--fps");
    command_refuse(1, PLAY "--graph '{\"op\":\"rest\"}'", "nothing in the graph moves by itself");
    command_refuse(1, PLAY "--machine nowhere.txt", "nowhere.txt: ");
    command_refuse(1, PLAY "--machine broken.txt", "broken.txt: line 1, column ");
    command_refuse(1, PLAY "--graph graph.json --script nowhere.txt", "nowhere.txt: ");
    command_refuse(1, PLAY "--graph graph.json --script wrong.txt",
                   "wrong.txt: line 2, column 8: no event 'FLY' among its 3; there are AGAIN, GO, WENT");
    command_refuse(1, PLAY "--graph graph.json --script range.txt", "range.txt: line 1, column 7: speed: ");
    command_refuse(1, PLAY "--graph graph.json --script name.txt", "no parameter 'sped' among its ");
    command_refuse(1, PLAY "--graph graph.json --script whom.txt", "there is no character 1 for 'GO': there are 1");
    command_refuse(1, PLAY "--graph graph.json --script broken.txt", "broken.txt: line 1, column 7: ");
}

#define WALKS                                                                                                          \
    "'{\"op\":\"blend\",\"character-motion\":{\"actual-velocity\":[null,null,\"pace\"]},"                              \
    "\"a\":{\"op\":\"clip\",\"clip\":\"walk\",\"play\":{\"velocity\":\"auto\"}},"                                      \
    "\"b\":{\"op\":\"machine\",\"name\":\"m\",\"states\":[{\"name\":\"a\",\"pose\":{\"op\":\"rest\"}}]},"              \
    "\"weight\":{\"param\":\"speed\"}}'"

// What the graph writes cannot be set, by `play` or `capture`, and is not among the names that are listed.
static void a_script_sets_no_parameter_that_the_graph_writes(void **state) {
    (void)state;
    static const char *const written[] = {"walk.time", "pace", "m.a"};
    write_text("slip.txt", "0 set sped 0.5\n");
    command_refuse(1, PLAY_MANNEQUIN "--graph " WALKS " --script slip.txt",
                   "slip.txt: line 1, column 7: no parameter 'sped' among its 1; there is only speed\n");
    for (int i = 0; i < 3; i++) {
        char text[100], message[100];
        snprintf(text, sizeof text, "0 set %s 0.5\n", written[i]);
        snprintf(message, sizeof message, "written.txt: line 1, column 7: '%s' cannot be set: the graph writes it",
                 written[i]);
        write_text("written.txt", text);
        command_refuse(1, PLAY_MANNEQUIN "--graph " WALKS " --script written.txt", message);
        command_refuse(1, CAPTURE_MANNEQUIN "--graph " WALKS " --script written.txt --output none", message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_device_prints_what_the_reference_prints),
                                       cmocka_unit_test(subnormal_numbers_decide_alike),
                                       cmocka_unit_test(the_path_does_not_depend_on_the_frame_rate),
                                       cmocka_unit_test(a_jump_is_as_high_as_the_press_is_long),
                                       cmocka_unit_test(a_jump_may_be_part_of_a_graph),
                                       cmocka_unit_test(a_wave_fades_in_and_out_on_request),
                                       cmocka_unit_test(clocks_count_by_themselves),
                                       cmocka_unit_test(joints_are_printed),
                                       cmocka_unit_test(a_target_in_the_world_stays),
                                       cmocka_unit_test(mistakes_are_reported),
                                       cmocka_unit_test(a_script_sets_no_parameter_that_the_graph_writes)};
    return run_gpu_suite_with("play", tests, sizeof tests / sizeof tests[0], enter, NULL);
}
