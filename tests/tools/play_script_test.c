// The script of `limber play`: valid scripts, and every error with its line and column.
#include "suite.h"

#include "tools/play_script.h"

#include <string.h>

static void lines_are_read(void **state) {
    (void)state;
    const char *text = "# a script\n"
                       "0 send GO\n"
                       "\n"
                       "  0.5\tset speed -2.5e0 # faster\r\n"
                       "0.5 send STOP 3\n"
                       "12 set name# 1\n";
    play_script script;
    lmb_error error = {0};
    const char *good = strstr(text, "12 set");
    assert_int_equal(play_script_read(text, (size_t)(good - text), &script, &error), LMB_OK);
    assert_int_equal(script.count, 3);
    assert_string_equal(script.lines[0].name, "GO");
    assert_false(script.lines[0].sets);
    assert_int_equal(script.lines[0].character, LMB_NONE);
    assert_true(script.lines[1].sets);
    assert_string_equal(script.lines[1].name, "speed");
    assert_float_equal(script.lines[1].value, -2.5f, 0.0f);
    assert_true(script.lines[1].seconds == 0.5);
    assert_int_equal(script.lines[1].number, 4);
    assert_int_equal(script.lines[1].column, 11);
    assert_int_equal(script.lines[2].character, 3);
    play_script_release(&script);
    assert_int_equal(play_script_read(text, strlen(text), &script, &error), LMB_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "line 6, column 12: the value is missing"));
    assert_null(script.lines);
    assert_int_equal(play_script_read("", 0, &script, &error), LMB_OK);
    assert_int_equal(script.count, 0);
    play_script_release(&script);
}

// A line takes effect in the frame nearest to its time, or the later of two.
static void lines_are_due_in_the_nearest_frame(void **state) {
    (void)state;
    static const struct {
        double seconds;
        unsigned frame;
    } cases[] = {{0.0, 0},       {0.016667, 1}, {0.016666, 1}, {1.0 / 60.0, 1}, {0.008, 0},   {0.0084, 1},
                 {1.5 / 60., 2}, {0.033, 2},    {0.0334, 2},   {5.0, 300},      {5.008, 300}, {5.009, 301}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const play_line line = {.seconds = cases[i].seconds};
        unsigned frame = 0;
        while (!play_line_is_due(&line, frame / 60.0, 1.0 / 60.0)) {
            frame++;
        }
        assert_int_equal(frame, cases[i].frame);
    }
    const play_line line = {.seconds = 0.0};
    assert_true(play_line_is_due(&line, 0.0, 0.0)); // the first frame of a viewer takes no time
}

static void mistakes_are_reported_with_their_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"send GO", "line 1, column 1: a line begins with a time"},
        {"-1 send GO", "line 1, column 1: a line begins with a time"},
        {"nan send GO", "line 1, column 1: a line begins with a time"},
        {"0x10 send GO", "line 1, column 1: a line begins with a time"},
        {"1e9 send GO", "line 1, column 1: a line begins with a time"},
        {"1 send GO\n0.5 send GO", "line 2, column 1: the time is before"},
        {"1 throw GO", "line 1, column 3: after the time comes"},
        {"1", "line 1, column 2: after the time comes"},
        {"1 send", "line 1, column 7: the event's name is missing"},
        {"1 send # GO", "line 1, column 8: the event's name is missing"},
        {"1 set", "line 1, column 6: the parameter's name is missing"},
        {"1 set a", "line 1, column 8: the value is missing"},
        {"1 set a b", "line 1, column 9: 'b' is no number from -1e30 to 1e30"},
        {"1 set a 1e31", "line 1, column 9: '1e31' is no number from"},
        {"1 set a inf", "line 1, column 9: 'inf' is no number from"},
        {"1 send GO x", "line 1, column 11: the number of a character"},
        {"1 send GO 1.5", "line 1, column 11: the number of a character"},
        {"1 send GO -1", "line 1, column 11: the number of a character"},
        {"1 send GO 4294967295", "line 1, column 11: the number of a character"},
        {"1 send GO 1 2", "line 1, column 13: nothing may follow"},
        {"1 send aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "line 1, column 8: the name is longer"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        play_script script;
        lmb_error error = {0};
        assert_int_equal(play_script_read(cases[i].text, strlen(cases[i].text), &script, &error), LMB_ERROR_FORMAT);
        if (strstr(error.message, cases[i].message) == NULL) {
            fail_msg("'%s' gives '%s'", cases[i].text, error.message);
        }
        assert_null(script.lines);
        assert_int_equal(play_script_read(cases[i].text, strlen(cases[i].text), &script, NULL), LMB_ERROR_FORMAT);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_are_read),
                                       cmocka_unit_test(lines_are_due_in_the_nearest_frame),
                                       cmocka_unit_test(mistakes_are_reported_with_their_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
