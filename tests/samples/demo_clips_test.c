// Which clips of a file the viewer's demos play, and their measured foot speed, which is known for the mannequin's
// clips. Where a character is while it plays a graph.
#define _POSIX_C_SOURCE 200809L
#include "suite.h"

#include "../../samples/viewer/demo_clips.h"
#include "../../samples/viewer/graph_file.h"
#include "../../samples/viewer/graph_run.h"
#include "../../samples/viewer/measure.h"
#include "clip/clip.h"
#include "file.h"
#include "reader.h"

#include <limber/root_motion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOX LIMBER_ASSETS "/Fox.glb"
#define PAB LIMBER_ASSETS "/pab/"

static const char walk_and_stand[] = "{\"op\": \"blend\", \"a\": {\"op\": \"clip\", \"clip\": \"walk\"},\n"
                                     " \"b\": {\"op\": \"clip\", \"clip\": \"idle\", \"play\": true}}";

static character open_character(const char *file) {
    character character;
    lmb_error error;
    const char *const given = file != NULL ? file : "mannequin";
    const character_def def = {.import = {.paths = &given, .path_count = 1}, .tallest = 100.0f};
    if (file != NULL && access(file, R_OK) != 0) {
        print_message("%s is not there: skipped\n", file);
        skip();
    }
    if (character_open(&def, &character, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return character;
}

static void a_fox_runs_faster_than_it_walks(void **state) {
    (void)state;
    character character = open_character(FOX);
    enum { STAND, WALK, RUN, CLIPS };
    lmb_foot_speed of[CLIPS];
    lmb_error error;
    for (uint32_t i = 0; i < CLIPS; i++) {
        assert_int_equal(
            lmb_root_motion_measure_feet(character.rig, character_clip(&character, i), NULL, &of[i], &error), LMB_OK);
        of[i].velocity[0] *= character.unit;
        of[i].velocity[2] *= character.unit;
    }
    assert_true(of[STAND].velocity[0] == 0.0f && of[STAND].velocity[2] == 0.0f);
    assert_true(of[WALK].velocity[2] > 0.8f && of[WALK].velocity[2] < 1.5f && fabsf(of[WALK].velocity[0]) < 0.05f);
    assert_true(of[RUN].velocity[2] > 1.5f * of[WALK].velocity[2] && fabsf(of[RUN].velocity[0]) < 0.05f);
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
        .import = {.paths = &file, .path_count = 1}, .clips = &clips, .clip_count = clips != NULL, .tallest = 100.0f};
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
    const character_def bad = {.import = {.paths = (const char *const[]){FOX}, .path_count = 1},
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

// A static pose has the channels and the joints of its clip at the time, and is known to graphs by its name.
static void static_poses_are_those_of_clips(void **state) {
    (void)state;
    static const char text[] = "{\"op\":\"override\",\"pose\":\"fall\",\"mask\":{\"left_clavicle\":255},"
                               "\"base\":{\"op\":\"clip\",\"clip\":\"walk\"}}";
    static const char *const bad[][2] = {
        {"fall", "--pose fall: not of the form NAME=CLIP@TIME, with a finite number of seconds"},
        {"=float@1", "--pose =float@1: not of the form"},
        {"fall=float@x", "--pose fall=float@x: not of the form"},
        {"fall=flat@1", "--pose fall=flat@1: the clips are 'idle', 'walk', "}};
    character character;
    lmb_error error = {0};
    character_def def = {.import = {.paths = (const char *const[]){"mannequin"}, .path_count = 1},
                         .poses = (const char *const[]){"fall=float@0.5"},
                         .pose_count = 1,
                         .tallest = 100.0f};
    assert_int_equal(character_open(&def, &character, &error), LMB_OK);
    assert_int_equal(character.pose_count, 1);
    assert_string_equal(character.poses[0].name, "fall");
    const lmb_clip *clip = character_clip_named(&character, "float");
    for (uint32_t joint = 0; joint < lmb_rig_get_def(character.rig)->joint_count; joint++) {
        const lmb_transform expected = lmb_clip_sample(clip, character.rig, joint, 0.5f);
        const float *a = (const float *)&expected, *b = (const float *)&character.poses[0].joints[joint];
        for (size_t i = 0; i < sizeof expected / sizeof *a; i++) {
            assert_float_equal(a[i], b[i], 1e-6);
        }
    }
    lmb_graph_json *graph = NULL;
    assert_int_equal(character_read_graph(&character, "test", text, sizeof text - 1, &graph, &error), LMB_OK);
    assert_int_equal(lmb_graph_json_def(graph)->nodes[1].static_pose, 0);
    lmb_graph_json_destroy(graph);
    character_close(&character);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        def.poses = &bad[i][0];
        assert_int_equal(character_open(&def, &character, &error), LMB_ERROR_ARGUMENT);
        assert_memory_equal(error.message, bad[i][1], strlen(bad[i][1]));
    }
}

// Reads a graph of samples/characters, and runs it for rows of its parameters.
static float *sample_graph(const character *character, const char *path, graph_version **version, uint32_t *count) {
    const lmb_clip *clips[16];
    lmb_error error = {0};
    char *text = NULL;
    size_t size = 0;
    const uint32_t clip_count = character_clip_count(character);
    assert_in_range(clip_count, 1, 16);
    for (uint32_t i = 0; i < clip_count; i++) {
        clips[i] = character_clip(character, i);
    }
    const graph_file_character of = {.rig = character->rig, .clips = clips, .clip_count = clip_count};
    assert_int_equal(file_read(path, FILE_LARGEST_TEXT, &text, &size, &error), LMB_OK);
    *version = graph_version_read(&of, path, text, size);
    free(text);
    assert_non_null(*version);
    if ((*version)->graph == NULL) {
        fail_msg("%s", (*version)->error.message);
    }
    const graph_run_def def = {
        .def = lmb_graph_json_def((*version)->json), .graph = (*version)->graph, .character_count = 1, .frames = 2};
    graph_run *run = NULL;
    float *rows = NULL;
    assert_int_equal(graph_run_create(&def, &run, &error), LMB_OK);
    assert_int_equal(graph_run_sample(run, &rows, count, &error), LMB_OK);
    graph_run_destroy(run);
    return rows;
}

// Returns how far the middle of the poses is from the character's origin along the ground at most, in its heights.
static float farthest_middle(const character *character, const float *rows, uint32_t count) {
    measure_bounds *bounds = calloc(count, sizeof *bounds);
    lmb_error error = {0};
    float farthest = 0.0f;
    assert_non_null(bounds);
    assert_int_equal(measure_poses(character, rows, count, 0.0f, bounds, &error), LMB_OK);
    for (uint32_t i = 0; i < count; i++) {
        const float x = 0.5f * (bounds[i].low[0] + bounds[i].high[0]);
        const float z = 0.5f * (bounds[i].low[2] + bounds[i].high[2]);
        farthest = fmaxf(farthest, hypotf(x, z) / character->height);
    }
    free(bounds);
    return farthest;
}

// The clips of the man travel by more than a metre, and his graph extracts their root motion.
static void a_graph_is_measured_without_the_travel_of_its_clips(void **state) {
    (void)state;
    static const char *const files[] = {PAB "skeleton.fbx", PAB "walk.fbx", PAB "jog.fbx", PAB "run.fbx"};
    character man;
    lmb_error error = {0};
    graph_version *version = NULL;
    uint32_t count = 0;
    const character_def def = {.import = {.paths = files, .path_count = 4}, .tallest = 100.0f};
    const lmb_result opened = access(files[0], R_OK) == 0 ? character_open(&def, &man, &error) : LMB_ERROR_FILE;
    if (opened == LMB_ERROR_FILE || opened == LMB_ERROR_UNSUPPORTED) {
        print_message("%s is not there, or Assimp is not: skipped\n", files[0]);
        skip();
    }
    assert_int_equal(opened, LMB_OK);
    float *rows = sample_graph(&man, LIMBER_SAMPLES "/characters/pab.json", &version, &count);
    assert_int_equal(count, 3 * 12); // the speed as it is, at its min and at its max
    lmb_graph_destroy(man.graph);
    man.graph = version->graph;
    version->graph = NULL;
    assert_true(farthest_middle(&man, rows, count) > 0.25f); // still measured by the clips
    assert_int_equal(character_measure_graph(&man, man.graph, rows, NULL, count, &error), LMB_OK);
    const float farthest = farthest_middle(&man, rows, count);
    print_message("%.2f m high, %.2f m wide, at most %.2f heights from the middle\n", (double)man.height,
                  (double)man.width, (double)farthest);
    assert_true(man.height > 1.5f && man.height < 2.1f && man.width < 1.3f);
    assert_true(farthest < 0.15f);
    assert_in_range(man.contact_count, 2, CHARACTER_CONTACTS);
    free(rows);
    graph_version_destroy(version);
    character_close(&man);
}

// A robot whose feet hang under its root, as those of rigs with inverse kinematics do, beside a pole without a mesh.
static const char robot[] =
    "{\"asset\": {\"version\": \"2.0\"}, \"scenes\": [{\"nodes\": [0]}], \"scene\": 0, \"nodes\": [\n"
    " {\"name\": \"root\", \"children\": [1, 2, 3, 4]},\n"
    " {\"name\": \"body\", \"translation\": [0, 1, 0], \"mesh\": 0},\n"
    " {\"name\": \"left\", \"translation\": [0.2, 0.1, 0], \"mesh\": 0},\n"
    " {\"name\": \"right\", \"translation\": [-0.2, 0.1, 0], \"mesh\": 0},\n"
    " {\"name\": \"pole\", \"translation\": [0, 0.1, 0.9]}],\n"
    " \"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}}]}],\n"
    " \"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\",\n"
    "  \"min\": [-0.05, -0.1, 0], \"max\": [0.05, 0, 0.3]}],\n"
    " \"bufferViews\": [{\"buffer\": 0, \"byteLength\": 36}], \"buffers\": [{\"byteLength\": 36,\n"
    "  \"uri\": \"data:application/octet-stream;base64,zcxMvc3MzL0AAAAAzcxMPc3MzL0AAAAAAAAAAAAAAACamZk+\"}]}\n";

// The shades of contacts are below the feet, wherever these hang.
static void contacts_are_below_the_feet(void **state) {
    (void)state;
    static const char path[] = "demo_clips_test_robot.gltf";
    lmb_error error;
    assert_int_equal(file_write(path, robot, sizeof robot - 1, &error), LMB_OK);
    character character = open_character(path);
    assert_int_equal(character.contact_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const character_contact *contact = &character.contacts[i];
        assert_true(fabsf(fabsf(contact->position[0]) - 0.2f) < 1e-4f);
        assert_true(fabsf(contact->position[1] - 0.05f) < 1e-4f && fabsf(contact->position[2] - 0.15f) < 1e-4f);
    }
    assert_true(character.contacts[0].position[0] * character.contacts[1].position[0] < 0.0f);
    character_close(&character);
    remove(path);
    // Between heel and toes, for two feet and for four paws.
    character = open_character(NULL);
    assert_int_equal(character.contact_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const char *name = lmb_rig_get_def(character.rig)->joints[character.contacts[i].joint].name;
        assert_non_null(strstr(name, "_toes"));
        assert_true(character.contacts[i].position[2] > 0.0f && character.contacts[i].position[2] < 0.15f);
    }
    character_close(&character);
    character = open_character(FOX);
    assert_int_equal(character.contact_count, 4);
    character_close(&character);
}

int main(int argc, char **argv) {
    reader_serve(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_below_the_feet),
        cmocka_unit_test(a_fox_runs_faster_than_it_walks),
        cmocka_unit_test(clips_are_found_by_name_and_by_meaning),
        cmocka_unit_test(names_fit_in_this_order),
        cmocka_unit_test(a_crowd_stands_walks_and_runs_if_it_can),
        cmocka_unit_test(clips_that_are_not_there_are_named),
        cmocka_unit_test(a_graph_is_measured_without_the_travel_of_its_clips),
        cmocka_unit_test(static_poses_are_those_of_clips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
