// Motion matching on a device: states and poses have the bits of the CPU in every frame, with searches, jumps, events
// and frames between updates, and with rows that count mirrored.
#include "gpu_suite.h"
#include "matching_scene.h"
#include "random_matching.h"

#include <gpu_side.h>

// Expects at least so many changes of takes, and if rows count mirrored, as many characters that play mirrored and that
// do not.
static void compare(const matching_scene *scene, uint32_t frames, uint32_t min_changes) {
    lmb_error error = {0};
    lmb_graph *graph = NULL;
    assert_ok(lmb_graph_create(&scene->def, NULL, &graph, &error), &error);
    side sides[2];
    for (uint32_t i = 0; i < 2; i++) {
        sides[i] = (side){.batch = {graph, MATCHING_CHARACTERS, LMB_OUTPUT_LOCAL_BIT},
                          .events_a_frame = MATCHING_CHARACTERS,
                          .gpu = i == 1};
        assert_ok(side_create(&sides[i], &error), &error);
    }
    const uint32_t words = lmb_graph_get_info(graph)->state_words, row = lmb_graph_get_info(graph)->parameter_count;
    uint32_t takes[MATCHING_CHARACTERS] = {0}, changes = 0, mirrored = 0;
    for (uint32_t frame = 0; frame < frames; frame++) {
        for (uint32_t i = 0; i < 2; i++) {
            sides[i].event_count = 0;
            for (uint32_t c = 0; c < MATCHING_CHARACTERS; c++) {
                matching_ask(c, frame, sides[i].parameters + (size_t)c * row);
                if (frame == 50 && c % 4 == 0) {
                    sides[i].events[sides[i].event_count++] = (lmb_event){c, c % 8 == 0 ? 0 : LMB_EVENT_RESET};
                }
            }
            assert_ok(side_run(&sides[i], LMB_TICKS_PER_SECOND / (frame % 5 == 0 ? 20 : 60), frame, &error), &error);
        }
        assert_memory_equal(sides[0].state, sides[1].state, MATCHING_CHARACTERS * words * sizeof(uint32_t));
        assert_memory_equal(sides[0].outputs.buffers[LMB_OUTPUT_LOCAL], sides[1].outputs.buffers[LMB_OUTPUT_LOCAL],
                            MATCHING_CHARACTERS * WALK_JOINTS * LMB_POSE_COMPONENTS * sizeof(float));
        for (uint32_t c = 0; c < MATCHING_CHARACTERS; c++) {
            const uint32_t take = lmb_state_current(graph, sides[1].state + (size_t)c * words, 0);
            changes += take != takes[c];
            takes[c] = take;
            mirrored += scene->matching.mirrored != LMB_NONE &&
                        sides[0].parameters[(size_t)c * row + scene->matching.mirrored] == 1.0f;
        }
    }
    assert_in_range(changes, min_changes, UINT32_MAX);
    if (scene->matching.mirrored != LMB_NONE) {
        assert_in_range(mirrored, min_changes, frames * MATCHING_CHARACTERS - min_changes);
    }
    for (uint32_t i = 0; i < 2; i++) {
        assert_ok(side_destroy(&sides[i], LMB_OK, &error), &error);
    }
    lmb_graph_destroy(graph);
}

static void frames_have_the_bits_of_the_cpu(void **state) {
    (void)state;
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        matching_scene scene;
        matching_start(&scene, mirrored == 1);
        compare(&scene, 100, 20);
        matching_follow(&scene, mirrored == 1);
        scene.motion.velocity_half_life = 0.15f;
        compare(&scene, 60, 20);
        matching_end(&scene);
    }
}

static void frames_between_updates_have_the_bits_of_the_cpu(void **state) {
    (void)state;
    matching_scene scene;
    matching_start(&scene, true);
    const lmb_value every = lmb_constant(3.0f);
    scene.def.update_every = &every;
    scene.def.interpolate_updates = true;
    scene.matching.faces_heading = true;
    compare(&scene, 100, 20);
    matching_end(&scene);
}

// Takes of 32,768 rows in which little prunes: arbitrary rows, or rows of which many cost the same.
static void compare_large(uint32_t takes, uint32_t rows, bool ties, bool mirrored) {
    matching_scene scene;
    matching_start(&scene, mirrored);
    random_source source = random_branch(rows, ties);
    random_matching_takes counts = {.count = takes, .rate = 30.0f};
    lmb_clip *clips[SCENE_TAKES] = {0};
    lmb_error error = {0};
    for (uint32_t i = 0; i < SCENE_TAKES; i++) {
        counts.rows[i] = rows;
        counts.loops[i] = scene.takes[i].loop;
        lmb_clip_def def = lmb_default_clip_def();
        def.duration = 1100.0f;
        assert_ok(lmb_clip_create(scene.rig, &def, NULL, &clips[i], &error), &error);
    }
    const int32_t spread = ties ? 1 : LMB_MAX_MOTION_FEATURE;
    lmb_motion_database *database = random_matching_database(&source, &counts, spread, mirrored);
    assert_non_null(database);
    size_t size;
    scene.matching.database = lmb_motion_database_block(database, &size);
    scene.matching.database_words = (uint32_t)(size / sizeof(uint32_t));
    scene.def.clips = (const lmb_clip *const *)clips;
    compare(&scene, 8, 1);
    for (uint32_t i = 0; i < SCENE_TAKES; i++) {
        lmb_clip_destroy(clips[i]);
    }
    lmb_motion_database_destroy(database);
    matching_end(&scene);
}

static void large_databases_and_ties_have_the_bits_of_the_cpu(void **state) {
    (void)state;
    compare_large(SCENE_TAKES, LMB_MAX_MOTION_ROWS / SCENE_TAKES, false, false);
    compare_large(SCENE_TAKES, LMB_MAX_MOTION_ROWS / SCENE_TAKES, false, true);
    compare_large(SCENE_TAKES, 1000, true, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_have_the_bits_of_the_cpu),
        cmocka_unit_test(frames_between_updates_have_the_bits_of_the_cpu),
        cmocka_unit_test(large_databases_and_ties_have_the_bits_of_the_cpu),
    };
    return run_gpu_suite("matching", tests, sizeof tests / sizeof tests[0]);
}
