// `limber motion-graph`: the machine that it writes is a graph without a warning, which goes on for ever without a gap,
// moves the character as its clips do, and comes to all states; walks that follow a path; and what it refuses.
#include "command.h"
#include "suite.h"

#include <limber/control.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "\"" LIMBER_CLI "\" motion-graph "
#define FRAMES "3600"

static int enter(void **state) {
    (void)state;
    return command_enter_folder() && command_write_small_gltf("small.gltf") ? 0 : 1;
}

static int leave(void **state) {
    (void)state;
    command_leave_folder();
    return 0;
}

static uint32_t count(const char *text, const char *part) {
    uint32_t found = 0;
    for (; (text = strstr(text, part)) != NULL; text++) {
        found++;
    }
    return found;
}

// Where a joint is in the world, from a line of `limber play`. A machine of clips that stand has no character motion.
static void read_place(const char *line, const char *joint, double place[3]) {
    const char *at = strstr(line, "  at "), *own = strstr(line, joint);
    float motion[4] = {0.0f}, model[3];
    assert_non_null(own);
    if (at != NULL) {
        assert_int_equal(sscanf(at, " at %f %f %f yaw %f", &motion[0], &motion[1], &motion[2], &motion[3]), 4);
    }
    assert_int_equal(sscanf(own + strlen(joint), "%f %f %f", &model[0], &model[1], &model[2]), 3);
    const double sine = sin((double)motion[3]), cosine = cos((double)motion[3]);
    place[0] = (double)motion[0] + cosine * (double)model[0] + sine * (double)model[2];
    place[1] = (double)motion[1] + (double)model[1];
    place[2] = (double)motion[2] + cosine * (double)model[2] - sine * (double)model[0];
}

// Plays a minute, in which no joint may move faster than 10 m/s. Returns how far the pelvis went along the ground.
static double play_without_a_gap(const char *character, const char *graph) {
    static const char *const joints[] = {"pelvis ", "head ", "left_foot ", "right_hand "};
    char line[300];
    snprintf(line, sizeof line,
             "\"%s\" play %s --graph %s --frames " FRAMES " --joints pelvis,head,left_foot,right_hand", LIMBER_CLI,
             character, graph);
    char *text = command_read(line);
    double before[4][3] = {{0}}, way = 0.0, fastest = 0.0;
    uint32_t frames = 0;
    for (char *at = strtok(text, "\n"); at != NULL; at = strtok(NULL, "\n"), frames++) {
        for (uint32_t i = 0; i < 4; i++) {
            double now[3];
            read_place(at, joints[i], now);
            const double x = now[0] - before[i][0], y = now[1] - before[i][1], z = now[2] - before[i][2];
            fastest = frames > 0 ? fmax(fastest, sqrt(x * x + y * y + z * z)) : 0.0;
            way += i == 0 && frames > 0 ? hypot(x, z) : 0.0;
            memcpy(before[i], now, sizeof now);
        }
    }
    free(text);
    assert_int_equal(frames, atoi(FRAMES));
    assert_true(fastest < 10.0 / 60.0);
    return way;
}

// All moments of a take but its end are kept, in at most as many states as a machine may have.
static void long_takes_become_a_machine(void **state) {
    (void)state;
    char *text =
        command_read(COMMAND "mannequin-takes --clip \"take 1\" --clip walk --output takes.json --picture takes.svg");
    assert_non_null(strstr(text, "take 1                   itself      no     1801     179"));
    assert_non_null(strstr(text, "walk                     by feet    yes       30       30"));
    free(text);
    char *graph = command_read_file("takes.json");
    assert_non_null(graph);
    const uint32_t states = count(graph, "{\"name\": ");
    assert_in_range(states, 20, LMB_MAX_STATES);
    assert_true(count(graph, "inertialized") >= states / 4);
    free(graph);
    char *picture = command_read_file("takes.svg");
    assert_non_null(picture);
    assert_in_range(count(picture, "<circle "), 10, 192);
    assert_int_equal(count(picture, "<text x='-154'"), 2);
    free(picture);
    assert_true(play_without_a_gap("mannequin-takes", "takes.json") > 10.0);
}

// Fewer states keep fewer moments; the same command writes the same bytes; loops go on as themselves.
static void short_clips_become_a_machine(void **state) {
    (void)state;
    free(command_read(COMMAND
                      "mannequin --threshold 0.2 --clip walk --clip run --clip idle --clip stand --output a.json"));
    free(command_read(COMMAND
                      "mannequin --threshold 0.2 --clip walk --clip run --clip idle --clip stand --output b.json"));
    char *text =
        command_read(COMMAND "mannequin --threshold 0.2 --clip walk --clip run --clip idle --clip stand --states 4 "
                             "--output c.json");
    char *first = command_read_file("a.json"), *second = command_read_file("b.json"),
         *third = command_read_file("c.json");
    assert_true(first != NULL && second != NULL && third != NULL);
    assert_string_equal(first, second);
    assert_in_range(count(third, "{\"name\": "), 2, 4);
    assert_true(count(first, "{\"name\": ") > 4);
    assert_non_null(strstr(text, "run                      by feet"));
    play_without_a_gap("mannequin", "a.json");
    play_without_a_gap("mannequin", "c.json");
    free(text);
    free(first);
    free(second);
    free(third);
}

static void write_text_file(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

#define WALKS COMMAND "mannequin-takes --clip \"take 1\" --clip walk --output walk.json "
#define SHORT_WALKS COMMAND "mannequin --clip walk --output walk.json "

// Reads the lines of a walk: times rise, and each but the first one enters a clip elsewhere. Returns their number.
static uint32_t read_walk(const char *text) {
    const char *at = strstr(text, "    time  clip");
    float before = -1.0f, end = -1.0f;
    uint32_t lines = 0;
    assert_non_null(at);
    for (at = strchr(at, '\n') + 1; at[0] == ' '; at = strchr(at, '\n') + 1) {
        float time, from, to, x, z, yaw;
        assert_int_equal(sscanf(at, "%f", &time), 1);
        assert_int_equal(sscanf(at + 34, "%f %f %f %f %f", &from, &to, &x, &z, &yaw), 5);
        assert_true(time > before && from < to && fabsf(x) < 4.0f && fabsf(z) < 4.0f && fabsf(yaw) < 3.1420f);
        if (lines == 0) {
            assert_true(time == 0.0f && x == 0.0f && z == 0.0f); // the first point, towards the second
            assert_true(fabsf(yaw - 0.782f) < 0.002f);
        }
        assert_true(from != end);
        before = time;
        end = to;
        lines++;
    }
    return lines;
}

// A figure eight of 5 m, as points and as a file: the same lines.
static void a_walk_follows_a_figure_eight(void **state) {
    (void)state;
    char points[2000] = "", line[2400];
    for (int i = 0; i <= 48; i++) {
        const double turn = i * 6.283185307179586 / 48.0;
        const size_t used = strlen(points);
        snprintf(points + used, sizeof points - used, "%s%.3f,%.3f",
                 i == 0       ? ""
                 : i % 7 == 0 ? "\n"
                              : " ",
                 1.25 * sin(2.0 * turn), 2.5 * sin(turn));
    }
    write_text_file("eight.txt", points);
    snprintf(line, sizeof line, WALKS "--walk \"%s\" --walk-picture eight.svg", points);
    char *given = command_read(line), *read = command_read(WALKS "--walk eight.txt");
    assert_string_equal(given, read);
    const char *summary = strstr(given, " parts follow ");
    float length, whole, seconds, mean, most;
    assert_non_null(summary);
    assert_int_equal(sscanf(summary, " parts follow %f of %f m in %f s, %f m from the path on average, at most %f",
                            &length, &whole, &seconds, &mean, &most),
                     5);
    assert_true(length == whole && fabsf(whole - 15.2f) < 0.1f && seconds > 8.0f && seconds < 40.0f);
    assert_true(mean < 0.2f && most < 0.5f);
    char *picture = command_read_file("eight.svg");
    assert_non_null(picture);
    const uint32_t lines = read_walk(given);
    assert_in_range(lines, 5, 120);
    assert_int_equal(count(picture, "<circle "), lines);
    assert_int_equal(count(picture, "<path "), 3);
    free(picture);
    free(given);
    free(read);
}

// What is wrong with a path is said before anything is compared; a walk that gets lost is printed, then refused.
static void paths_that_are_refused(void **state) {
    (void)state;
    write_text_file("wrong.txt", "0,0 1,1\n\n 2,2 3;3\n");
    command_refuse(1, SHORT_WALKS "--walk wrong.txt", "limber: wrong.txt:3: '3;3' is not a point, x,z");
    command_refuse(1, SHORT_WALKS "--walk \"0,0 1,1 2,x\"", "limber: --walk: point 2: '2,x' is not x,z");
    command_refuse(1, SHORT_WALKS "--walk \"0,0 1,1,1\"", "limber: --walk: point 1: '1,1,1' is not x,z");
    command_refuse(1, SHORT_WALKS "--walk none.txt", "none.txt");
    command_refuse(1, SHORT_WALKS "--walk-picture x.svg", "limber: --walk-picture needs --walk");
    command_refuse(1, SHORT_WALKS "--walk-within 1", "limber: --walk-within needs --walk");
    command_refuse(1, SHORT_WALKS "--walk-ahead 1", "limber: --walk-ahead needs --walk");
    command_refuse(1, SHORT_WALKS "--walk \"0,0 0,0\"", "--walk: motion walk: all points of the path are the same");
    write_text_file("one.txt", "0,0\n");
    command_refuse(1, SHORT_WALKS "--walk one.txt", "one.txt: motion walk: a path has at least 2 points");
    command_refuse(1, SHORT_WALKS "--walk \"0,0 0,3\" --walk-ahead 11", "10 seconds ahead");
    command_refuse(1, SHORT_WALKS "--walk \"0,0 0,3\" --walk-within 0", "the tolerance is not above 0");
    command_refuse(1, SHORT_WALKS "--walk \"0,0 0,3\" --walk-picture folder/x.svg", "folder/x.svg");
    command_output output = command_run("%s", COMMAND "mannequin --clip walk --threshold 0.05 --output walk.json "
                                                      "--walk \"0,0 0,4 4,4\" --walk-within 0.5");
    assert_int_equal(output.status, 1);
    assert_non_null(strstr(output.err, "limber: --walk: the walk ends after "));
    assert_non_null(strstr(output.err, "of 8.000 m of the path: no walk stays within 0.5 m of it"));
    assert_non_null(strstr(output.out, "of 8.000 m in "));
    command_output_release(&output);
}

static void what_is_refused(void **state) {
    (void)state;
    command_refuse(2, COMMAND "mannequin", "--output");
    command_refuse(1, COMMAND "mannequin --output x.json --clip wlak", "--clip wlak: no clip 'wlak'");
    command_refuse(1, COMMAND "mannequin --output x.json --once wlak", "--once wlak: no clip 'wlak'");
    command_refuse(1, COMMAND "mannequin --output x.json --joint hip", "--joint: no joint 'hip'");
    command_refuse(2, COMMAND "mannequin --output x.json --threshold -1", "a number, 0 or more");
    command_refuse(1, COMMAND "mannequin --output x.json --threshold 0", "motion graph: the threshold is not above 0");
    command_refuse(1, COMMAND "mannequin --output x.json --states 1", "motion graph: a graph has at least 2 parts");
    command_refuse(2, COMMAND "mannequin --output x.json --states 65", "64");
    command_refuse(1, COMMAND "mannequin --output x.json --clip takeoff", "no moment can be reached again");
    command_refuse(1, COMMAND "mannequin --output folder/x.json", "folder/x.json");
    command_refuse(1, COMMAND "mannequin --output x.json --picture folder/x.svg", "folder/x.svg");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(long_takes_become_a_machine),
                                       cmocka_unit_test(short_clips_become_a_machine),
                                       cmocka_unit_test(a_walk_follows_a_figure_eight),
                                       cmocka_unit_test(paths_that_are_refused), cmocka_unit_test(what_is_refused)};
    return cmocka_run_group_tests(tests, enter, leave);
}
