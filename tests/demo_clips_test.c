// Which clips of a file the viewer's demos play, and their measured foot speed, which is known for the mannequin's
// clips.
#include "suite.h"

#include "../samples/viewer/demo_clips.h"
#include "../samples/viewer/foot_speed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FOX LIMBER_ASSETS "/Fox.glb"

static const char walk_and_stand[] = "{\"op\": \"blend\", \"a\": {\"op\": \"clip\", \"clip\": \"walk\"},\n"
                                     " \"b\": {\"op\": \"clip\", \"clip\": \"idle\", \"play\": true}}";

static character open_character(const char *file) {
    character character;
    lmb_error error;
    const character_def def = {.files = &file, .file_count = file != NULL, .tallest = 100.0f};
    if (character_open(&def, &character, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return character;
}

// A foot rolls, so its centre is not completely still while it is on the ground.
static void feet_say_how_fast_a_clip_walks(void **state) {
    (void)state;
    character character = open_character(NULL);
    static const mannequin_clip_id ids[] = {MANNEQUIN_IDLE,      MANNEQUIN_WALK,        MANNEQUIN_RUN,
                                            MANNEQUIN_WALK_BACK, MANNEQUIN_STRAFE_LEFT, MANNEQUIN_STRAFE_RIGHT,
                                            MANNEQUIN_WAVE};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const mannequin_travel travel = mannequin_clip_travel(ids[i]);
        float velocity[2];
        lmb_error error;
        assert_int_equal(stride_measure(&character, character_clip(&character, (uint32_t)ids[i]), velocity, &error),
                         LMB_OK);
        float most = 0.01f * hypotf(travel.left, travel.forward);
        assert_true(fabsf(velocity[0] - travel.left) <= most);
        assert_true(fabsf(velocity[1] - travel.forward) <= most);
    }
    character_close(&character);
}

static void a_fox_runs_faster_than_it_walks(void **state) {
    (void)state;
    character character = open_character(FOX);
    float walk[2], run[2], stand[2];
    lmb_error error;
    assert_int_equal(stride_measure(&character, character_clip(&character, 0), stand, &error), LMB_OK);
    assert_int_equal(stride_measure(&character, character_clip(&character, 1), walk, &error), LMB_OK);
    assert_int_equal(stride_measure(&character, character_clip(&character, 2), run, &error), LMB_OK);
    assert_true(stand[0] == 0.0f && stand[1] == 0.0f);
    assert_true(walk[1] > 0.8f && walk[1] < 1.5f && fabsf(walk[0]) < 0.05f);
    assert_true(run[1] > 1.5f * walk[1] && fabsf(run[0]) < 0.05f);
    character_close(&character);
}

static void expect_fitted(const character *character, const char *const *stated, uint32_t stated_count,
                          const char *expected) {
    const demo_clips_def def = {"test", walk_and_stand, sizeof walk_and_stand - 1, stated, stated_count};
    char *text = NULL;
    lmb_error error;
    if (demo_clips_fit(&def, character, &text, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    assert_string_equal(text, expected);
    free(text);
}

static void clips_are_found_by_name_and_by_meaning(void **state) {
    (void)state;
    character fox = open_character(FOX), mannequin = open_character(NULL);
    expect_fitted(&fox, NULL, 0,
                  "{\"op\": \"blend\", \"a\": {\"op\": \"clip\", \"clip\": \"Walk\"},\n"
                  " \"b\": {\"op\": \"clip\", \"clip\": \"Survey\", \"play\": true}}");
    const char *const stated[] = {"idle=Run"};
    expect_fitted(&fox, stated, 1,
                  "{\"op\": \"blend\", \"a\": {\"op\": \"clip\", \"clip\": \"Walk\"},\n"
                  " \"b\": {\"op\": \"clip\", \"clip\": \"Run\", \"play\": true}}");
    // An exact name has priority over names that contain it, such as "walk_back".
    expect_fitted(&mannequin, NULL, 0, walk_and_stand);
    character_close(&mannequin);
    character_close(&fox);
}

// Each name fits better than the next one.
static void names_fit_in_this_order(void **state) {
    (void)state;
    static const struct {
        const char *word, *names[6];
    } rows[] = {{"walk", {"Walk", "Walking", "RobotWalking", "Walk_Forwards", "WalkJump", "Walk_Back"}},
                {"walk", {"Armature|walk", "human_walk", "humanwalk_1", "WalkToRun"}},
                {"run", {"RUN", "Running", "Robot_Running", "RunLeft"}},
                {"idle", {"idle", "Idle2", "Robot_Idle", "Idle_Turn"}}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        for (size_t i = 1; i < 6 && rows[row].names[i] != NULL; i++) {
            assert_true(character_name_misfit(rows[row].names[i - 1], rows[row].word) <
                        character_name_misfit(rows[row].names[i], rows[row].word));
        }
    }
    static const char *const others[] = {"Trunk", "Grunt", "Death", "", "run|Death"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(character_name_misfit(others[i], "run"), UINT32_MAX);
    }
}

static void expect_bases(const char *file, const char *clips, bool blends, const char *const *names, uint32_t count) {
    character character;
    lmb_error error;
    const character_def def = {
        .files = &file, .file_count = 1, .clips = &clips, .clip_count = clips != NULL, .tallest = 100.0f};
    if (character_open(&def, &character, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(character.base_count, count);
    assert_int_equal(character.blends, blends);
    for (uint32_t i = 0; i < count; i++) {
        assert_string_equal(character.base_names[i], names[i]);
    }
    character_close(&character);
}

static void a_crowd_stands_walks_and_runs_if_it_can(void **state) {
    (void)state;
    expect_bases(FOX, NULL, true, (const char *const[]){"Survey", "Walk", "Run"}, 3);
    expect_bases(FOX, "idle=Run", true, (const char *const[]){"Run", "Walk", "Run"}, 3);
    expect_bases(LIMBER_ASSETS "/cesium_man.gltf", NULL, false, (const char *const[]){"animation_0"}, 1);
    const character_def bad = {.files = (const char *const[]){FOX},
                               .file_count = 1,
                               .clips = (const char *const[]){"walk=Trot"},
                               .clip_count = 1};
    character character;
    lmb_error error;
    assert_int_equal(character_open(&bad, &character, &error), LMB_ERROR_ARGUMENT);
    assert_string_equal(error.message, "--clip walk=Trot: the file's clips are 'Survey', 'Walk', 'Run'");
}

static void expect_refused(const character *character, const char *stated, const char *message) {
    const demo_clips_def def = {"test", walk_and_stand, sizeof walk_and_stand - 1, &stated, stated != NULL ? 1 : 0};
    char *text = NULL;
    lmb_error error;
    assert_int_equal(demo_clips_fit(&def, character, &text, &error), LMB_ERROR_ARGUMENT);
    assert_null(text);
    assert_string_equal(error.message, message);
}

static void clips_that_are_not_there_are_named(void **state) {
    (void)state;
    character man = open_character(LIMBER_ASSETS "/cesium_man.gltf"), fox = open_character(FOX);
    expect_refused(&man, NULL, "the demo test plays 'walk', and the file's clips are 'animation_0': see --clip");
    expect_refused(&fox, "idle=Sit",
                   "the demo test plays 'Sit', and the file's clips are 'Survey', 'Walk', 'Run': see --clip");
    expect_refused(&fox, "jump=Run", "--clip jump=Run: the demo test plays no 'jump'");
    expect_refused(&fox, "walk", "--clip walk: not NAME=CLIP");
    character_close(&fox);
    character_close(&man);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feet_say_how_fast_a_clip_walks),          cmocka_unit_test(a_fox_runs_faster_than_it_walks),
        cmocka_unit_test(clips_are_found_by_name_and_by_meaning),  cmocka_unit_test(names_fit_in_this_order),
        cmocka_unit_test(a_crowd_stands_walks_and_runs_if_it_can), cmocka_unit_test(clips_that_are_not_there_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
