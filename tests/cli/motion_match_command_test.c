// `limber motion-match`: the graph that it writes is without a warning and goes where it is asked to, sideways, too; it
// says what the clips lack; and what it refuses.
#include "capture_folder.h"
#include "command.h"
#include "suite.h"

#include <limber/motion_database.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "\"" LIMBER_CLI "\" motion-match "

static int enter(void **state) {
    (void)state;
    return command_enter_folder() && command_write_small_gltf("small.gltf") ? 0 : 1;
}

static int leave(void **state) {
    (void)state;
    command_leave_folder();
    return 0;
}

static void expect(const char *text, const char *part) {
    if (strstr(text, part) == NULL) {
        fail_msg("'%s' is not in\n%s", part, text);
    }
}

// Asks for a velocity for 5 seconds, and returns how far the character then is along x and z, and its yaw.
static void walk(const char *character, double x, double z, double at[3]) {
    char line[300];
    FILE *script = fopen("walk.script", "w");
    assert_non_null(script);
    fprintf(script, "0 set x %g\n0 set z %g\n", x, z);
    assert_int_equal(fclose(script), 0);
    snprintf(line, sizeof line, "\"%s\" play %s --graph match.json --script walk.script --frames 300", LIMBER_CLI,
             character);
    char *text = command_read(line);
    const char *last = NULL;
    for (const char *found = text; (found = strstr(found, " at ")) != NULL; found++) {
        last = found;
    }
    assert_non_null(last);
    assert_int_equal(sscanf(last, " at %lf %*f %lf yaw %lf", &at[0], &at[1], &at[2]), 3);
    free(text);
}

static void takes_go_where_they_are_asked_to(void **state) {
    (void)state;
    char *text = command_read(
        COMMAND "mannequin-takes --clip \"take 1\" --clip \"take 2\" --clip \"take 3\" --output match.json");
    expect(text, "left foot 'left_foot', right foot 'right_foot', hips 'pelvis'\n");
    expect(text, "take 1                   itself      no     60.00\n");
    expect(text,
           "speed               forwards     backwards   to the left  to the right  turning left turning right\n");
    assert_null(strstr(text, "no moment goes to"));
    free(text);
    free(command_read("\"" LIMBER_CLI "\" graph mannequin-takes --graph match.json --check"));
    for (int i = 0; i < 4; i++) {
        const double angle = 1.5 * i, x = 1.2 * sin(angle), z = 1.2 * cos(angle);
        double at[3];
        walk("mannequin-takes", x, z, at);
        assert_true((at[0] * x + at[1] * z) / 1.2 > 4.0); // of 6 m
        assert_true(fabs(at[0] * z - at[1] * x) / 1.2 < 2.0);
        assert_true(fabs(remainder(at[2] - angle, 6.283185307179586)) < 0.5);
    }
}

// Loops in place move as their feet say, also sideways, and only so fast.
static void loops_say_what_they_lack(void **state) {
    (void)state;
    char *text = command_read(
        COMMAND "mannequin --clip idle --clip walk --clip strafe_left --clip turn_left --output match.json");
    expect(text, "idle                     -          yes      4.00\n");
    expect(text, "walk                     by feet    yes      1.00\n");
    expect(text, "turn_left                -          yes      0.80\n"); // it slides
    expect(text, "no moment goes backwards\n");
    expect(text, "no moment goes to the right\n");
    expect(text, "no moment goes turning left\n");
    expect(text, "no moment goes at 0.00 to 1.09 a second forwards\n");
    assert_null(strstr(text, "to the left\n"));
    free(text);
    free(command_read("\"" LIMBER_CLI "\" graph mannequin --graph match.json --check"));
    text = command_read(COMMAND "mannequin --split aim=pose:1-1.05,rest:1.1-2 --output match.json");
    expect(text, "left out as shorter than 0.1 s: 1\n");
    expect(text, "\nrest  ");
    assert_null(strstr(text, "\npose  "));
    free(text);
}

// A walk and a step to the left go to the right, too. Of the takes, one is enough.
static void mirrored_moments_count_too(void **state) {
    (void)state;
    char *text =
        command_read(COMMAND "mannequin --clip idle --clip walk --clip strafe_left --mirrored --output match.json");
    expect(text, " stand; the others count mirrored, too\n");
    expect(text, "no moment goes backwards\n");
    assert_null(strstr(text, "to the right\n"));
    free(text);
    free(command_read("\"" LIMBER_CLI "\" graph mannequin --graph match.json --check"));
    free(command_read(COMMAND "mannequin-takes --clip \"take 1\" --mirrored --output match.json"));
    text = command_read_file("match.json");
    expect(text, "\"mirrored\": true");
    free(text);
    for (int i = 0; i < 2; i++) {
        double at[3];
        walk("mannequin-takes", i == 0 ? 1.2 : -1.2, 0.0, at);
        assert_true(fabs(at[0]) > 4.0 && (at[0] > 0.0) == (i == 0));
    }
}

// A program opens the database, whose takes are the clips in their order.
static void programs_get_the_database(void **state) {
    (void)state;
    free(command_read(COMMAND
                      "mannequin-takes --clip \"take 2\" --clip \"take 1\" --mirrored --output match.json --database "
                      "walk.lmm"));
    size_t size;
    uint8_t *bytes = capture_read_bytes("walk.lmm", &size);
    lmb_motion_database *database = NULL;
    lmb_error error = {0};
    assert_non_null(bytes);
    assert_ok(lmb_motion_database_open(bytes, size, NULL, &database, &error), &error);
    assert_int_equal(lmb_motion_database_get_info(database)->row_count, 2 * 1801);
    assert_true(lmb_motion_database_get_info(database)->is_mirrored);
    assert_int_equal(lmb_motion_database_row(database, lmb_motion_database_find_row(database, 1, 60.0f)).take, 1);
    lmb_motion_database_destroy(database);
    free(bytes);
}

static void what_is_refused(void **state) {
    (void)state;
    command_refuse(2, COMMAND "mannequin --clip walk", "--output");
    command_refuse(1, COMMAND "mannequin --clip stroll --output x.json", "--clip stroll: no clip");
    command_refuse(1, COMMAND "mannequin --left-foot paw --output x.json", "--left-foot: no joint 'paw'");
    command_refuse(1, COMMAND "mannequin --left-foot left_hand --mirrored --output x.json",
                   "--mirrored: by their names, 'left_hand' is the mirror image of 'right_hand'");
    command_refuse(1, COMMAND "mannequin --hips left_thigh --mirrored --output x.json",
                   "--mirrored: by their names, 'left_thigh' is the mirror image of 'right_thigh'");
    command_refuse(1, COMMAND "mannequin --left-foot head --mirrored --output x.json",
                   "--mirrored: the name of 'head' does not say what is its mirror image");
    command_refuse(1, COMMAND "mannequin --left-foot pelvis --output x.json", "motion database: ");
    command_refuse(1, COMMAND "small.gltf --output x.json",
                   "the rest pose does not show which joint that is: name it with --right-foot");
    command_refuse(1, COMMAND "mannequin --clip idle --clip walk --output missing/x.json", "missing/x.json: ");
    command_refuse(1, COMMAND "mannequin --clip idle --clip walk --output x.json --database missing/x.lmm",
                   "missing/x.lmm: ");
    // Nothing differs: a pose, clips that stand, and one that always goes alike.
    command_refuse(1, COMMAND "mannequin --split aim=still:1-1.4 --clip still --output x.json",
                   "nothing to search by: the feet are always at the same places");
    command_refuse(1, COMMAND "mannequin --clip idle --clip wave --output x.json",
                   "nothing to search by: the character always goes alike");
    command_refuse(1, COMMAND "mannequin --clip walk --output x.json",
                   "nothing to search by: the character always goes alike");
    assert_null(command_read_file("x.json"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_go_where_they_are_asked_to),
        cmocka_unit_test(loops_say_what_they_lack),
        cmocka_unit_test(mirrored_moments_count_too),
        cmocka_unit_test(programs_get_the_database),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
