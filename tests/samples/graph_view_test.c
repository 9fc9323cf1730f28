// The parts of the viewer's graph view that need no device: following a file, running its graph with a history, and the
// weights of its nodes.
#define _POSIX_C_SOURCE 200809L
#include "folder.h"
#include "suite.h"

#include "../../samples/mannequin.h"
#include "../../samples/viewer/graph_file.h"
#include "../../samples/viewer/graph_run.h"
#include "../../samples/viewer/graph_weights.h"

#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#define LATER 1000 // seconds: the file was changed long ago
#define STEP (1.0 / 60.0)

static struct {
    mannequin *mannequin;
    const lmb_clip *clips[MANNEQUIN_CLIP_COUNT];
    graph_file_character character;
    char folder[FOLDER_PATH];
    char path[FOLDER_PATH + 16];
} scene;

static int open_scene(void **state) {
    (void)state;
    lmb_error error;
    if (mannequin_create(NULL, &scene.mannequin, &error) != LMB_OK || !folder_create_temporary(scene.folder)) {
        return -1;
    }
    for (uint32_t i = 0; i < MANNEQUIN_CLIP_COUNT; i++) {
        scene.clips[i] = mannequin_clip(scene.mannequin, (mannequin_clip_id)i);
    }
    scene.character = (graph_file_character){
        .rig = mannequin_rig(scene.mannequin), .clips = scene.clips, .clip_count = MANNEQUIN_CLIP_COUNT};
    snprintf(scene.path, sizeof scene.path, "%s/graph.json", scene.folder);
    return 0;
}

static int close_scene(void **state) {
    (void)state;
    remove(scene.path);
    folder_remove(scene.folder);
    mannequin_destroy(scene.mannequin);
    return 0;
}

static void save(const char *text) {
    FILE *stream = fopen(scene.path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, strlen(text), stream), strlen(text));
    assert_int_equal(fclose(stream), 0);
}

static int64_t changed_at(void) {
    struct stat found;
    assert_int_equal(stat(scene.path, &found), 0);
    return (int64_t)found.st_mtime;
}

static graph_file follow(void) {
    graph_file file;
    lmb_error error;
    assert_int_equal(graph_file_open(scene.path, &scene.character, &file, &error), LMB_OK);
    return file;
}

// ---- The file.

// Expects a new version with a graph or, if `says` is not NULL, one whose message contains it.
static void expect_version(graph_file *file, const char *says) {
    graph_version *version = NULL;
    assert_true(graph_file_poll(file, changed_at(), &version));
    assert_non_null(version);
    if (says == NULL && version->graph == NULL) {
        fail_msg("%s", version->error.message);
    }
    if (says != NULL) {
        assert_null(version->graph);
        if (strstr(version->error.message, says) == NULL) {
            fail_msg("no '%s' in: %s", says, version->error.message);
        }
    }
    graph_version_destroy(version);
}

static void expect_no_version(graph_file *file, int64_t now) {
    graph_version *version = NULL;
    assert_false(graph_file_poll(file, now, &version));
    assert_null(version);
}

#define REST "{\"op\": \"rest\"}"

static void a_changed_file_is_read_again(void **state) {
    (void)state;
    save(REST);
    graph_file file = follow();
    expect_version(&file, NULL);
    expect_no_version(&file, changed_at());
    save(REST); // the same content
    expect_no_version(&file, changed_at());
    save("{\"op\": \"clip\", \"clip\": \"walk\"}");
    expect_version(&file, NULL);
    save("machine m\nstand { GO walk }\nwalk { GO stand }\n");
    expect_version(&file, NULL);
    expect_no_version(&file, changed_at() + LATER);
}

static void save_beside(const char *name, const char *text) {
    char path[FOLDER_PATH + 32];
    snprintf(path, sizeof path, "%s/%s", scene.folder, name);
    if (text == NULL) {
        remove(path);
        return;
    }
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, strlen(text), stream), strlen(text));
    assert_int_equal(fclose(stream), 0);
}

#define DEFINES(POSE) "{\"define\": {\"base\": " POSE "}}"

// Also a file that an included one includes, that has a mistake, or that is missing at first.
static void a_changed_file_that_is_included_is_read_again(void **state) {
    (void)state;
    save_beside("a.json", NULL);
    save("{\"op\": \"mirror\", \"axis\": \"x\", \"include\": [\"a.json\"], \"pose\": {\"use\": \"base\"}}");
    graph_file file = follow();
    expect_version(&file, "a.json");
    expect_no_version(&file, changed_at());
    save_beside("a.json", DEFINES(REST));
    expect_version(&file, NULL);
    expect_no_version(&file, changed_at());
    save_beside("a.json", DEFINES("{\"op\": \"clip\", \"clip\": \"wlak\"}"));
    expect_version(&file, "a.json: line 1, column 44");
    save_beside("a.json", "{\"include\": [\"b.json\"]}");
    save_beside("b.json", DEFINES("{\"op\": \"clip\", \"clip\": \"walk\"}"));
    expect_version(&file, NULL);
    save_beside("b.json", DEFINES("{\"op\": \"clip\", \"clip\": \"idle\"}"));
    expect_version(&file, NULL);
    expect_no_version(&file, changed_at() + LATER);
    save(REST);
    expect_version(&file, NULL);
    save_beside("b.json", DEFINES(REST)); // nothing includes it any more
    expect_no_version(&file, changed_at());
    save_beside("a.json", NULL);
    save_beside("b.json", NULL);
}

// Sets the time of the last change.
static void set_change(int64_t seconds) {
    const struct timespec times[2] = {{(time_t)seconds, 0}, {(time_t)seconds, 0}};
    assert_int_equal(utimensat(AT_FDCWD, scene.path, times, 0), 0);
}

// A file system that counts in seconds: two contents of one length and time.
static void a_young_file_is_read_even_if_its_time_is_the_same(void **state) {
    (void)state;
    save("{\"op\": \"clip\", \"clip\": \"walk\"}");
    const int64_t now = changed_at();
    set_change(now);
    graph_file file = follow();
    expect_version(&file, NULL);
    save("{\"op\": \"clip\", \"clip\": \"idle\"}");
    set_change(now);
    expect_no_version(&file, now + LATER); // it looks as before
    expect_version(&file, NULL);
}

static void mistakes_have_places(void **state) {
    (void)state;
    save("{\"op\": \"blend\", \"weight\": 0.5,\n \"a\": {\"op\": \"clip\", \"clip\": \"wlak\"},\n \"c\": 1}");
    graph_file file = follow();
    graph_version *version = NULL;
    assert_true(graph_file_poll(&file, changed_at(), &version));
    assert_null(version->graph);
    assert_int_equal(version->error.result, LMB_ERROR_FORMAT);
    assert_true(version->problems.count >= 2);
    assert_int_equal(version->problems.list[0].line, 2);
    assert_int_equal(version->problems.list[0].column, 30);
    assert_string_equal(version->problems.list[0].path, "a.clip");
    assert_non_null(strstr(version->problems.list[0].message, "walk"));
    graph_version_destroy(version);
    save(REST);
    expect_version(&file, NULL);
    save("{\"op\": \"rest\"");
    expect_version(&file, "graph.json: line 1");
    save("");
    expect_version(&file, "graph.json: ");
    save("{\"op\": \"pose\", \"pose\": 0}");
    expect_version(&file, "there is nobody to fill them");
}

static void a_missing_file_is_waited_for(void **state) {
    (void)state;
    remove(scene.path);
    graph_file file = follow();
    graph_version *version = NULL;
    assert_true(graph_file_poll(&file, 0, &version));
    assert_null(version->graph);
    assert_int_equal(version->error.result, LMB_ERROR_FILE);
    assert_int_equal(version->problems.count, 0);
    assert_non_null(strstr(version->error.message, scene.path));
    graph_version_destroy(version);
    expect_no_version(&file, 0);
    save(REST);
    expect_version(&file, NULL);
    remove(scene.path);
    assert_true(graph_file_poll(&file, 0, &version));
    graph_version_destroy(version);
    save(REST);
    expect_version(&file, NULL);
}

static void a_long_path_is_refused(void **state) {
    (void)state;
    static char path[2 * GRAPH_FILE_PATH];
    memset(path, 'a', sizeof path - 1);
    graph_file file;
    lmb_error error;
    assert_int_equal(graph_file_open(path, &scene.character, &file, &error), LMB_ERROR_FILE);
}

// ---- The run.

typedef struct running {
    graph_version *version;
    graph_run *run;
    graph_weights *weights;
} running;

static running run_in_scene(const char *text, const char *surroundings, uint32_t characters, uint32_t frames) {
    lmb_error error;
    running running = {.version = graph_version_read(&scene.character, "graph", text, strlen(text))};
    assert_non_null(running.version);
    if (running.version->graph == NULL) {
        fail_msg("%s", running.version->error.message);
    }
    const graph_run_def def = {.def = lmb_graph_json_def(running.version->json),
                               .graph = running.version->graph,
                               .character_count = characters,
                               .memory = (size_t)64 << 20,
                               .frames = frames,
                               .scene = surroundings,
                               .scene_size = surroundings != NULL ? strlen(surroundings) : 0,
                               .scene_name = "scene",
                               .unit = 1.0f};
    if (graph_run_create(&def, &running.run, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(graph_weights_create(def.def, def.graph, &running.weights, &error), LMB_OK);
    return running;
}

static running run_text(const char *text, uint32_t characters, uint32_t frames) {
    return run_in_scene(text, NULL, characters, frames);
}

static void end(running *running) {
    graph_weights_destroy(running->weights);
    graph_run_destroy(running->run);
    graph_version_destroy(running->version);
}

static void step(const running *running, uint32_t frames) {
    lmb_error error;
    for (uint32_t i = 0; i < frames; i++) {
        assert_int_equal(graph_run_step(running->run, STEP, &error), LMB_OK);
    }
}

static void set(const running *running, const char *name, float value) {
    graph_setting *setting = graph_run_find(running->run, name);
    assert_non_null(setting);
    graph_run_set(running->run, setting, value);
}

static void send(const running *running, const char *name) {
    const uint32_t event = lmb_graph_find_event(running->run->graph, name);
    assert_int_not_equal(event, LMB_NONE);
    graph_run_send(running->run, event, LMB_NONE);
}

// Continues a run, and expects this to be lost.
static bool go_on(const running *after, const running *before, const char *expected) {
    char lost[480];
    const bool goes_on = graph_run_continue(after->run, before->run, lost, sizeof lost);
    if (strstr(lost, expected) == NULL || (expected[0] == '\0' && lost[0] != '\0')) {
        fail_msg("lost: '%s' instead of '%s'", lost, expected);
    }
    return goes_on;
}

#define SPACE_OF_A_AND(b)                                                                                              \
    "{\"op\": \"blend\", \"weight\": {\"param\": \"a\", \"default\": 0.25},\n"                                         \
    " \"a\": {\"op\": \"clip\", \"clip\": \"walk\", \"play\": {\"rate\": {\"param\": \"" b                             \
    "\", \"default\": 1, \"min\": 0, \"max\": 1.5}}},\n"                                                               \
    " \"b\": {\"op\": \"clip\", \"clip\": \"run\", \"play\": true}}"

static void settings_keep_their_values_by_name(void **state) {
    (void)state;
    running before = run_text(SPACE_OF_A_AND("b"), 1, 10);
    assert_int_equal(before.run->setting_count, 2);
    assert_true(graph_run_find(before.run, "a")->value == 0.25f);
    set(&before, "a", 0.75f);
    set(&before, "b", 9.0f); // clamped
    assert_true(graph_run_find(before.run, "b")->value == 1.5f);
    step(&before, 3);
    running after = run_text(SPACE_OF_A_AND("c"), 1, 10);
    assert_true(go_on(&after, &before, "parameter \"b\"")); // the same players
    assert_true(graph_run_find(after.run, "a")->value == 0.75f);
    assert_true(graph_run_find(after.run, "c")->value == 1.0f);
    assert_null(graph_run_find(after.run, "b"));
    end(&before);
    step(&after, 1);
    const graph_moment *moment = graph_run_moment(after.run, 0);
    assert_true(graph_run_parameters(after.run, moment, 0)[graph_run_find(after.run, "a")->parameter] == 0.75f);
    assert_int_equal(moment->number, 3);
    // A smaller range clamps what is taken over.
    running narrow = run_text("{\"op\": \"blend\", \"weight\": {\"param\": \"a\", \"min\": 0, \"max\": 0.5},\n"
                              " \"a\": {\"op\": \"rest\"}, \"b\": {\"op\": \"rest\"}}",
                              1, 10);
    assert_false(go_on(&narrow, &after, "")); // it has no states
    assert_true(graph_run_find(narrow.run, "a")->value == 0.5f);
    end(&narrow);
    end(&after);
}

#define MACHINE(second, fade)                                                                                          \
    "{\"op\": \"machine\", \"name\": \"m\", \"character-motion\": true, \"states\": [\n"                               \
    " {\"name\": \"stand\", \"pose\": {\"op\": \"clip\", \"clip\": \"idle\"},\n"                                       \
    "  \"transitions\": [{\"to\": \"" second "\", \"event\": \"GO\", \"fade\": " fade "}]},\n"                         \
    " {\"name\": \"" second "\", \"pose\": {\"op\": \"clip\", \"clip\": \"walk\", \"play\": {\"velocity\": 1}},\n"     \
    "  \"transitions\": [{\"to\": \"stand\", \"event\": \"STOP\", \"fade\": 0.2, \"kind\": \"inertialized\"}]}]}"

static const char *state_name(const running *running) {
    const graph_moment *moment = graph_run_moment(running->run, 0);
    const uint32_t current = lmb_state_current(running->run->graph, graph_run_state(running->run, moment, 0), 0);
    return lmb_graph_state_name(running->run->graph, 0, current);
}

static double position(const running *running) {
    const graph_moment *moment = graph_run_moment(running->run, 0);
    return lmb_state_motion(running->run->graph, graph_run_state(running->run, moment, 0)).position[2];
}

static void characters_go_on_where_they_are(void **state) {
    (void)state;
    running before = run_text(MACHINE("go", "0.4"), 1, 100);
    send(&before, "GO");
    step(&before, 60);
    assert_string_equal(state_name(&before), "go");
    const double way = position(&before);
    assert_true(way > 0.5);
    // Another fade time: the state goes on.
    running tuned = run_text(MACHINE("go", "0.1"), 1, 100);
    assert_true(go_on(&tuned, &before, ""));
    step(&tuned, 1);
    assert_string_equal(state_name(&tuned), "go");
    assert_true(position(&tuned) > way && position(&tuned) < way + 0.1);
    // Another state: the machine begins anew, at the same place.
    running renamed = run_text(MACHINE("march", "0.4"), 1, 100);
    assert_true(go_on(&renamed, &before, "machine \"m\": state \"go\""));
    step(&renamed, 1);
    assert_string_equal(state_name(&renamed), "stand");
    assert_true(fabs(position(&renamed) - way) < 0.1);
    end(&renamed);
    end(&tuned);
    end(&before);
}

// Goes back and plays the same again: the same bits. What came after is dropped.
static void frames_can_be_shown_again(void **state) {
    (void)state;
    running running = run_text(MACHINE("go", "0.4"), 3, 50);
    const graph_run *run = running.run;
    const size_t words = (size_t)run->character_count * run->state_words;
    send(&running, "GO");
    step(&running, 20);
    assert_int_equal(run->count, 20);
    uint32_t *fifth = malloc(words * sizeof *fifth), *sixth = malloc(words * sizeof *sixth);
    memcpy(fifth, graph_run_moment(run, 15)->states, words * sizeof *fifth);
    memcpy(sixth, graph_run_moment(run, 14)->states, words * sizeof *sixth);
    graph_run_go(running.run, 5);
    assert_int_equal(run->current, 5);
    assert_memory_equal(graph_run_moment(run, 0)->states, fifth, words * sizeof *fifth);
    assert_null(graph_run_moment(run, 5));
    graph_run_go(running.run, 20); // nothing is lost until a frame runs
    graph_run_go(running.run, 5);
    step(&running, 1);
    assert_int_equal(run->count, 6);
    assert_memory_equal(graph_run_moment(run, 0)->states, sixth, words * sizeof *sixth);
    graph_run_go(running.run, 0);
    assert_int_equal(run->current, 1);
    graph_run_go(running.run, 99);
    assert_int_equal(run->current, 6);
    free(fifth);
    free(sixth);
    end(&running);
}

#define WITH(parameter, weight)                                                                                        \
    "{\"op\": \"blend\", \"weight\": {\"param\": \"" parameter "\"}, \"a\": {\"op\": \"clip\", \"clip\": \"wave\",\n"  \
    " \"play\": true}, \"b\": {\"op\": \"blend\", \"weight\": " weight ", \"a\": {\"op\": \"rest\"},\n"                \
    " \"b\": {\"op\": \"clip\", \"clip\": \"walk\", \"play\": true}}}"

// After a change that keeps the states, the user can go back to the frames before it, and play on from there.
static void frames_stay_over_a_reload(void **state) {
    (void)state;
    running before = run_text(WITH("a", "0.5"), 2, 50);
    set(&before, "a", 0.25f);
    step(&before, 60); // the ring has wrapped
    set(&before, "a", 0.75f);
    step(&before, 5);
    const size_t words = (size_t)2 * before.run->state_words;
    uint32_t *tenth = malloc(words * sizeof *tenth);
    memcpy(tenth, graph_run_moment(before.run, 10)->states, words * sizeof *tenth);
    running after = run_text(WITH("a", "0.75"), 2, 50);
    assert_true(go_on(&after, &before, ""));
    assert_int_equal(after.run->count, 50);
    step(&after, 1);
    assert_int_equal(graph_run_moment(after.run, 0)->number, 65);
    assert_int_equal(graph_run_moment(after.run, 1)->number, 64);
    assert_memory_equal(graph_run_moment(after.run, 11)->states, tenth, words * sizeof *tenth);
    graph_run_go(after.run, 39);
    assert_int_equal(graph_run_moment(after.run, 0)->number, 54);
    graph_setting *a = graph_run_find(after.run, "a");
    assert_true(a->value == 0.25f); // as it was then
    assert_true(graph_run_parameters(after.run, graph_run_moment(after.run, 0), 1)[a->parameter] == 0.25f);
    step(&after, 1);
    assert_int_equal(after.run->count, 40);
    assert_int_equal(graph_run_moment(after.run, 0)->number, 55);
    // A frame back, a change of the text: what came after stays.
    graph_run_go(after.run, 30);
    running renamed = run_text(WITH("b", "0.75"), 2, 50);
    assert_true(go_on(&renamed, &after, "parameter \"a\""));
    assert_int_equal(renamed.run->current, 30);
    assert_int_equal(renamed.run->count, 40);
    const graph_setting *b = graph_run_find(renamed.run, "b");
    const graph_moment *moment = graph_run_moment(renamed.run, 0);
    assert_true(graph_run_parameters(renamed.run, moment, 1)[b->parameter] == b->value);
    // Clips go on at the times that they had in that frame.
    const float *old = graph_run_parameters(after.run, graph_run_moment(after.run, 0), 1);
    for (uint32_t i = 0; i < renamed.run->parameter_count; i++) {
        assert_true(i == b->parameter || graph_run_parameters(renamed.run, moment, 1)[i] == old[i]);
    }
    running other = run_text(MACHINE("go", "0.4"), 2, 50);
    // Another graph: a player goes on, and frames show what it has in their states.
    assert_true(go_on(&other, &renamed, "player of clip \"wave\""));
    assert_int_equal(other.run->count, 40);
    end(&other);
    end(&renamed);
    end(&after);
    end(&before);
    free(tenth);
}

static void only_the_last_frames_are_kept(void **state) {
    (void)state;
    running running = run_text(SPACE_OF_A_AND("b"), 1, 4);
    step(&running, 3);
    set(&running, "a", 0.5f);
    step(&running, 7);
    assert_int_equal(running.run->count, 4);
    assert_int_equal(graph_run_moment(running.run, 0)->number, 9);
    assert_int_equal(graph_run_moment(running.run, 3)->number, 6);
    assert_null(graph_run_moment(running.run, 4));
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(graph_run_moment(running.run, i)->place < 4);
    }
    set(&running, "a", 1.0f);
    step(&running, 1);
    graph_run_go(running.run, 2); // its settings come back
    assert_true(graph_run_find(running.run, "a")->value == 0.5f);
    assert_true(fabs(graph_run_moment(running.run, 0)->time - 9.0 * STEP) < 1e-9);
    end(&running);
}

static void times_of_clips_play_by_themselves(void **state) {
    (void)state;
    running running = run_text("{\"op\": \"clip\", \"clip\": \"walk\"}", 2, 10);
    graph_setting *time = graph_run_find(running.run, "time");
    assert_non_null(time);
    assert_true(time->is_time && time->plays);
    const float longest = time->max;
    lmb_error error;
    assert_int_equal(graph_run_step(running.run, (double)longest + 0.25, &error), LMB_OK);
    assert_true(fabsf(time->value - 0.25f) < 1e-4f); // wrapped
    const graph_moment *moment = graph_run_moment(running.run, 0);
    const float first = graph_run_parameters(running.run, moment, 0)[time->parameter];
    const float second = graph_run_parameters(running.run, moment, 1)[time->parameter];
    assert_true(first == time->value && fabsf(second - first) > 0.05f); // a crowd is not in step
    set(&running, "time", 0.5f);
    step(&running, 5);
    moment = graph_run_moment(running.run, 0);
    assert_true(time->value == 0.5f && graph_run_parameters(running.run, moment, 1)[time->parameter] == 0.5f);
    end(&running);
}

static void a_crowd_begins_apart_and_hears_every_event(void **state) {
    (void)state;
    running running = run_text(MACHINE("go", "0.4"), 5, 10);
    const graph_run *run = running.run;
    step(&running, 1);
    const graph_moment *moment = graph_run_moment(run, 0);
    for (uint32_t i = 1; i < 5; i++) {
        assert_true(lmb_state_player(run->graph, graph_run_state(run, moment, i), 0).ticks !=
                    lmb_state_player(run->graph, graph_run_state(run, moment, 0), 0).ticks);
    }
    send(&running, "GO");
    assert_true(run->changed);
    step(&running, 1);
    assert_false(run->changed);
    moment = graph_run_moment(run, 0);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(lmb_state_current(run->graph, graph_run_state(run, moment, i), 0), 1);
    }
    graph_run_send(running.run, lmb_graph_find_event(run->graph, "STOP"), 3);
    step(&running, 1);
    moment = graph_run_moment(run, 0);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(lmb_state_current(run->graph, graph_run_state(run, moment, i), 0), i != 3);
    }
    for (uint32_t i = 0; i < 100; i++) { // more than fit are ignored
        send(&running, "STOP");
    }
    step(&running, 1);
    end(&running);
}

// A value of one character's own stays until the value of all is set, and comes back with an earlier frame.
static void characters_have_values_of_their_own(void **state) {
    (void)state;
    running running = run_text(SPACE_OF_A_AND("b"), 3, 10);
    graph_setting *a = graph_run_find(running.run, "a"), *b = graph_run_find(running.run, "b");
    set(&running, "a", 0.5f);
    graph_run_set_own(running.run, a, 1, 0.75f);
    graph_run_set_own(running.run, b, 1, 9.0f); // clamped
    step(&running, 1);
    const graph_moment *moment = graph_run_moment(running.run, 0);
    for (uint32_t i = 0; i < 3; i++) {
        const float expected = i == 1 ? 0.75f : 0.5f;
        assert_true(graph_run_parameters(running.run, moment, i)[a->parameter] == expected);
        assert_true(graph_run_value(running.run, a, i) == expected);
    }
    assert_true(graph_run_parameters(running.run, moment, 1)[b->parameter] == 1.5f);
    set(&running, "a", 0.25f);
    step(&running, 1);
    moment = graph_run_moment(running.run, 0);
    assert_true(graph_run_parameters(running.run, moment, 1)[a->parameter] == 0.25f);
    graph_run_go(running.run, 1);
    assert_true(graph_run_value(running.run, a, 1) == 0.75f && graph_run_value(running.run, a, 2) == 0.5f);
    struct running after = run_text(SPACE_OF_A_AND("c"), 3, 10);
    go_on(&after, &running, "parameter \"b\"");
    assert_true(graph_run_value(after.run, graph_run_find(after.run, "a"), 1) == 0.75f);
    end(&after);
    end(&running);
}

static void a_scattered_crowd_is_in_different_states(void **state) {
    (void)state;
    running running = run_text(MACHINE("go", "0.4"), 40, 10), plain = run_text(MACHINE("go", "0.4"), 40, 10);
    const graph_run *run = running.run;
    uint32_t counts[2] = {0, 0};
    graph_run_scatter(running.run);
    step(&running, 1);
    step(&plain, 1);
    const graph_moment *moment = graph_run_moment(run, 0);
    for (uint32_t i = 0; i < 40; i++) {
        const uint32_t *words = graph_run_state(run, moment, i);
        const lmb_motion motion = lmb_state_motion(run->graph, words);
        counts[lmb_state_current(run->graph, words, 0)]++;
        assert_true(fabs(motion.position[2]) < 1.1 * STEP); // nobody has moved before this frame
    }
    assert_true(counts[0] >= 8 && counts[1] >= 8);
    assert_memory_equal(moment->states, graph_run_moment(plain.run, 0)->states, run->state_words * sizeof(uint32_t));
    end(&plain);
    end(&running);
}

#define REACHING(space)                                                                                                \
    "{\"op\": \"ik-two-bone\", \"start\": \"left_thigh\", \"mid\": \"left_shin\", \"end\": \"left_foot\",\n"           \
    " \"character-motion\": true, \"mid-axis\": [-1, 0, 0], \"target\": {\"point\": 1}, \"pole\": {\"point\": 0}, "    \
    "\"space\": \"" space "\",\n"                                                                                      \
    " \"base\": {\"op\": \"machine\", \"states\": [{\"name\": \"go\",\n"                                               \
    "  \"pose\": {\"op\": \"clip\", \"clip\": \"walk\", \"play\": {\"velocity\": 1}}}]}}"

static void expect_near(const float *point, float x, float y, float z) {
    const float expected[3] = {x, y, z};
    for (size_t axis = 0; axis < 3; axis++) {
        if (fabsf(point[axis] - expected[axis]) > 1e-4f) {
            fail_msg("axis %zu: %g in place of %g", axis, (double)point[axis], (double)expected[axis]);
        }
    }
}

// The second character stands 3 metres to the left, turned to +X, and is twice as large.
static const float places[2][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, {0, 0, 2, 3, 0, 2, 0, 0, -2, 0, 0, 0}};

static void targets_are_where_the_user_drags_them(void **state) {
    (void)state;
    running running = run_text(REACHING("world"), 2, 10);
    graph_run *run = running.run;
    graph_run_place(run, places[0]);
    step(&running, 1);
    assert_int_equal(run->target_count, 2);
    const graph_target *target = &run->targets[0];
    assert_string_equal(target->name, "target of left_foot");
    assert_string_equal(run->targets[1].name, "pole of left_shin");
    assert_true(run->targets[1].is_direction && !target->is_direction && target->point == 1);
    const float *points = graph_run_moment(run, 0)->points; // [character][2][4]
    const float *first = target->model, speed = 1.0f * (float)STEP;
    const float ahead = graph_run_matrix(run, 0).m[2][3], beside = graph_run_matrix(run, 1).m[0][3];
    assert_true(fabsf(ahead - speed) < 1e-4f && beside > 4.0f); // it began at another time
    expect_near(points + 4, first[0], first[1], first[2] + ahead);
    expect_near(points + 12, beside + 2 * first[2], 2 * first[1], -2 * first[0]);
    expect_near(points + 8, 2, 0, 0); // the pole ahead
    graph_run_drag(run, 0, 1, (const float[3]){beside + 0.5f, 1.0f, -0.5f});
    const float *from = run->targets[1].from;
    graph_run_drag(run, 1, 0, (const float[3]){from[0], from[1] + 2.0f, from[2] + ahead});
    step(&running, 1);
    points = graph_run_moment(run, 0)->points;
    const float way = ahead + speed; // they have moved on, and the targets with them
    expect_near(points + 12, beside + 0.5f + 2.0f * speed, 1.0f, -0.5f);
    expect_near(points + 4, 0.25f, 0.5f, 0.25f + way);
    expect_near(points, 0, 2, 0);
    float position[3];
    graph_run_target(run, 1, 0, 0.5f, position);
    expect_near(position, from[0], from[1] + 0.5f, from[2] + way);
    graph_run_let_targets_stay(run, true, 0);
    step(&running, 5);
    points = graph_run_moment(run, 0)->points;
    expect_near(points + 4, 0.25f, 0.5f, 0.25f + way); // and now stay
    graph_run_go(run, 1);
    step(&running, 1);
    expect_near(graph_run_moment(run, 0)->points + 4, first[0], first[1], first[2]);
    end(&running);
}

// In model space a target that moves with the character does not change.
static void targets_in_model_space_stay_as_they_are(void **state) {
    (void)state;
    running running = run_text(REACHING("model"), 2, 10);
    graph_run_place(running.run, places[0]);
    step(&running, 5);
    const float *first = running.run->targets[0].model;
    expect_near(graph_run_moment(running.run, 0)->points + 12, first[0], first[1], first[2]);
    const float beside = graph_run_matrix(running.run, 1).m[0][3];
    graph_run_drag(running.run, 0, 1, (const float[3]){beside + 1.0f, 2, 0});
    step(&running, 1);
    expect_near(graph_run_moment(running.run, 0)->points + 4, 0, 1, 0.5f);
    end(&running);
}

// The foot reaches the target at x = 0.14, and not the one at 9. The state follows a frame later.
static void conditions_read_which_targets_were_reached(void **state) {
    (void)state;
    running running = run_text(
        "{\"op\": \"ik-two-bone\", \"start\": \"left_thigh\", \"mid\": \"left_shin\",\n"
        " \"end\": \"left_foot\", \"mid-axis\": [-1, 0, 0], \"pole\": [0, 0, 1],\n"
        " \"target\": [{\"param\": \"x\", \"default\": 0.14, \"min\": 0, \"max\": 9}, 0.42, 0.18],\n"
        " \"reached\": {\"index\": 1, \"parameter\": \"there\"},\n"
        " \"base\": {\"op\": \"machine\", \"states\": [\n"
        "  {\"name\": \"away\", \"pose\": {\"op\": \"rest\"},\n"
        "   \"transitions\": [{\"to\": \"at it\", \"when\": {\">\": [{\"param\": \"there\"}, 0.5]}, \"fade\": 0}]},\n"
        "  {\"name\": \"at it\", \"pose\": {\"op\": \"rest\"},\n"
        "   \"transitions\": [{\"to\": \"away\", \"when\": {\"<\": [{\"param\": \"there\"}, 0.5]}, \"fade\": 0}]}]}}",
        3, 10);
    step(&running, 1);
    assert_string_equal(state_name(&running), "away");
    step(&running, 1);
    assert_string_equal(state_name(&running), "at it");
    set(&running, "x", 9.0f);
    step(&running, 1);
    assert_string_equal(state_name(&running), "at it");
    step(&running, 1);
    assert_string_equal(state_name(&running), "away");
    graph_run_go(running.run, 2); // where the target was reached
    step(&running, 1);
    assert_string_equal(state_name(&running), "at it");
    end(&running);
}

// Local transforms have float channels behind the joints: memory for them, too. Sanitizers see it.
static void targets_are_reached_by_a_character_with_channels(void **state) {
    (void)state;
    mannequin *face = NULL;
    lmb_error error;
    assert_int_equal(mannequin_create_with_face(NULL, &face, &error), LMB_OK);
    const graph_file_character kept = scene.character;
    const lmb_clip *const clip = mannequin_clip(face, MANNEQUIN_WALK);
    scene.character = (graph_file_character){.rig = mannequin_rig(face), .clips = &clip, .clip_count = 1};
    assert_true(lmb_rig_get_def(scene.character.rig)->channel_count > 0);
    running running = run_text(
        "{\"op\": \"ik-two-bone\", \"start\": \"left_thigh\", \"mid\": \"left_shin\", \"end\": \"left_foot\",\n"
        " \"mid-axis\": [-1, 0, 0], \"target\": [0.14, 0.42, 0.18], \"reached\": {\"index\": 0},\n"
        " \"base\": {\"op\": \"clip\", \"clip\": \"walk\", \"play\": true}}",
        3, 10);
    const lmb_batch_def batch = {running.run->graph, 3, LMB_OUTPUT_LOCAL_BIT};
    const size_t bytes = 3 * lmb_batch_output_floats(&batch, LMB_OUTPUT_LOCAL) * sizeof(float);
    assert_true(malloc_usable_size(running.run->poses) >= bytes);
    step(&running, 2);
    end(&running);
    scene.character = kept;
    mannequin_destroy(face);
}

static void emitted_events_are_found_in_the_frames(void **state) {
    (void)state;
    running running = run_text("{\"op\": \"clip\", \"clip\": \"walk\", \"play\": {\"notifies\": [\n"
                               " {\"time\": 0.1, \"event\": \"STEP\"}, {\"time\": 0.3, \"event\": \"OTHER\"}]}}",
                               2, 100);
    lmb_emitted_event event;
    double ago;
    step(&running, 5);
    assert_false(graph_run_emitted(running.run, 0, &event, &ago));
    step(&running, 7); // the sixth frame passes 0.1 s
    assert_true(graph_run_emitted(running.run, 0, &event, &ago));
    assert_string_equal(lmb_graph_event_name(running.run->graph, event.event), "STEP");
    assert_true(fabs(ago - 5.0 * STEP) < 1e-9 || fabs(ago - 6.0 * STEP) < 1e-9);
    step(&running, 10);
    assert_true(graph_run_emitted(running.run, 0, &event, &ago));
    assert_string_equal(lmb_graph_event_name(running.run->graph, event.event), "OTHER");
    graph_run_go(running.run, 12);
    assert_true(graph_run_emitted(running.run, 0, &event, &ago));
    assert_string_equal(lmb_graph_event_name(running.run->graph, event.event), "STEP");
    end(&running);
}

static void transitions_are_found_in_the_frames(void **state) {
    (void)state;
    running running = run_text(MACHINE("go", "0.5"), 1, 200);
    graph_transition transition;
    step(&running, 5);
    assert_false(graph_run_transition(running.run, 0, 0, &transition));
    send(&running, "GO");
    step(&running, 15); // halfway
    assert_true(graph_run_transition(running.run, 0, 0, &transition));
    assert_int_equal(transition.from, 0);
    assert_true(fabsf(transition.share - 0.5f) < 0.05f);
    assert_false(transition.inertialized);
    step(&running, 20);
    assert_false(graph_run_transition(running.run, 0, 0, &transition));
    send(&running, "STOP");
    step(&running, 6);
    assert_true(graph_run_transition(running.run, 0, 0, &transition));
    assert_int_equal(transition.from, 1);
    assert_true(transition.inertialized && transition.share > 0.3f && transition.share < 0.7f);
    step(&running, 10);
    assert_false(graph_run_transition(running.run, 0, 0, &transition));
    graph_run_go(running.run, 15);
    assert_true(graph_run_transition(running.run, 0, 0, &transition));
    end(&running);
}

// ---- Weights.

// Adds the weights of all nodes, from this one down, of which there may be several uses.
static void add_weights(const running *running, uint32_t node, float weight, float *weights) {
    const graph_moment *moment = graph_run_moment(running->run, 0);
    const uint32_t *state =
        lmb_graph_get_info(running->run->graph)->state_words > 0 ? graph_run_state(running->run, moment, 0) : NULL;
    float shares[LMB_MAX_SPACE_INPUTS];
    weights[node] += weight;
    graph_weights_shares(running->weights, node, graph_run_parameters(running->run, moment, 0), state, shares);
    for (uint32_t i = 0; i < running->run->def->nodes[node].input_count; i++) {
        add_weights(running, running->run->def->nodes[node].inputs[i], weight * shares[i], weights);
    }
}

// The control computes the weights of clips that play by itself. Both must agree.
static void expect_weights_of_players(const running *running) {
    const graph_run *run = running->run;
    const uint32_t *state = graph_run_state(run, graph_run_moment(run, 0), 0);
    static float weights[LMB_MAX_NODES];
    memset(weights, 0, sizeof weights);
    add_weights(running, run->def->node_count - 1, 1.0f, weights);
    for (uint32_t i = 0; i < run->def->node_count; i++) {
        const uint32_t player = lmb_graph_node_player(run->graph, i);
        if (player == LMB_NONE) {
            continue;
        }
        const float reported = lmb_state_player(run->graph, state, player).weight;
        if (fabsf(weights[i] - reported) > 1e-5f) {
            fail_msg("node %u: %g, and the control says %g", i, (double)weights[i], (double)reported);
        }
    }
}

static void read_text(const char *path, char *text, size_t size) {
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    text[fread(text, 1, size - 1, stream)] = '\0';
    assert_int_equal(fclose(stream), 0);
}

// Feet follow stairs; frames shown again and played on give the same bits; a held target is the user's.
static void feet_follow_a_scene(void **state) {
    (void)state;
    static char text[20000], stairs[20000];
    read_text(LIMBER_SAMPLES "/demos/stairs.json", text, sizeof text);
    read_text(LIMBER_SAMPLES "/demos/stairs.scene", stairs, sizeof stairs);
    running running = run_in_scene(text, stairs, 4, 400);
    graph_run *run = running.run;
    const size_t floats = (size_t)4 * run->point_count * 4;
    float highest = 0.0f, *kept = malloc(floats * sizeof *kept);
    assert_true(run->point_count >= 2 && run->target_count == run->point_count);
    for (uint32_t i = 0; i < 300; i++) {
        step(&running, 1);
        const float *points = graph_run_moment(run, 0)->points;
        for (uint32_t k = 0; k < 4; k++) {
            highest = fmaxf(highest, points[(size_t)k * run->point_count * 4 + 1]);
        }
    }
    assert_true(highest > 0.3f); // several steps up
    memcpy(kept, graph_run_moment(run, 0)->points, floats * sizeof *kept);
    graph_run_go(run, 200);
    step(&running, 100);
    assert_memory_equal(graph_run_moment(run, 0)->points, kept, floats * sizeof *kept);
    graph_run_drag(run, 0, 0, (const float[3]){1, 2, 3});
    step(&running, 1);
    float position[3];
    graph_run_target(run, 0, 0, 1.0f, position);
    assert_true(fabsf(position[1] - 2.0f) < 0.1f);
    graph_run_release_targets(run);
    step(&running, 1);
    graph_run_target(run, 0, 0, 1.0f, position);
    assert_true(position[1] < 1.5f);
    free(kept);
    end(&running);
}

static void weights_are_those_that_the_control_reports(void **state) {
    (void)state;
    static const char *const demos[] = {"aim.json",    "body-turn.json", "directional.json", "jump.machine",
                                        "wander.json", "walk-run.json",  "wave.json"};
    for (size_t i = 0; i < sizeof demos / sizeof *demos; i++) {
        char path[500];
        static char text[20000];
        snprintf(path, sizeof path, "%s/demos/%s", LIMBER_SAMPLES, demos[i]);
        read_text(path, text, sizeof text);
        running running = run_text(text, 1, 10);
        for (uint32_t k = 0; k < 40; k++) {
            graph_setting *settings = running.run->settings;
            for (uint32_t n = 0; n < running.run->setting_count; n++) {
                const float share = (float)((k * 7 + n * 3) % 11) / 10.0f;
                graph_run_set(running.run, &settings[n], settings[n].min + share * (settings[n].max - settings[n].min));
            }
            if (k % 5 == 0 && lmb_graph_get_info(running.run->graph)->event_count > 0) {
                graph_run_send(running.run, k % lmb_graph_get_info(running.run->graph)->event_count, LMB_NONE);
            }
            step(&running, 1);
            expect_weights_of_players(&running);
        }
        end(&running);
    }
}

#define CLIP "{\"op\": \"clip\", \"clip\": \"idle\", \"play\": true}"
#define INPUT(at) "{\"at\": " at ", \"pose\": " CLIP "}"

// Operations with the shares that follow from their formulas.
static void weights_follow_the_formulas(void **state) {
    (void)state;
    static const struct {
        const char *text;
        float shares[8];
    } rows[] = {{"{\"op\": \"blend\", \"weight\": 0.3, \"a\": " CLIP ", \"b\": " CLIP "}", {0.7f, 0.3f}},
                {"{\"op\": \"masked\", \"weight\": 0.3, \"mask\": {\"chest\": 255}, \"a\": " CLIP ", \"b\": " CLIP "}",
                 {1.0f, 0.3f}},
                {"{\"op\": \"additive\", \"weight\": -0.5, \"unclamped\": true, \"base\": " CLIP
                 ", \"add\": {\"op\": \"make-additive\", \"pose\": " CLIP ", \"reference\": " CLIP "}}",
                 {1.0f, 0.5f}},
                {"{\"op\": \"scale\", \"weight\": 0.4, \"pose\": " CLIP "}", {0.4f}},
                {"{\"op\": \"mirror\", \"axis\": \"x\", \"pose\": " CLIP "}", {1.0f}},
                {"{\"op\": \"weighted\", \"inputs\": [{\"weight\": 1, \"pose\": " CLIP
                 "}, {\"weight\": 3, \"pose\": " CLIP "}, {\"weight\": 0, \"pose\": " CLIP "}]}",
                 {0.25f, 0.75f, 0.0f}},
                {"{\"op\": \"bilinear\", \"s\": 0.25, \"t\": 0.5, \"poses\": [" CLIP ", " CLIP ", " CLIP ", " CLIP "]}",
                 {0.375f, 0.125f, 0.375f, 0.125f}},
                // Two layers below one of fade 0.5: theirs sum to more than 1.
                {"{\"op\": \"layers\", \"inputs\": [{\"fade\": 0.5, \"priority\": 0, \"pose\": " CLIP
                 "}, {\"fade\": 1, \"priority\": 0, \"pose\": " CLIP
                 "}, {\"fade\": 0.5, \"priority\": 7, \"pose\": " CLIP "}]}",
                 {0.5f / 1.5f * 0.5f, 1.0f / 1.5f * 0.5f, 0.5f}},
                // A layer with a mask takes nothing from those below.
                {"{\"op\": \"layers\", \"inputs\": [{\"fade\": 1, \"pose\": " CLIP
                 "}, {\"fade\": 0.5, \"priority\": 1, \"mask\": {\"chest\": 255}, \"pose\": " CLIP "}]}",
                 {1.0f, 0.5f}},
                {"{\"op\": \"space1d\", \"at\": 2, \"inputs\": [" INPUT("0") ", " INPUT("1") ", " INPUT("5") "]}",
                 {0.0f, 0.75f, 0.25f}},
                // A point in a triangle, by its barycentric coordinates.
                {"{\"op\": \"space2d\", \"x\": 0.25, \"y\": 0.5, \"inputs\": [" INPUT("[0, 0]") ", " INPUT(
                     "[1, 0]") ", " INPUT("[0, 1]") ", " INPUT("[-5, -5]") "]}",
                 {0.25f, 0.25f, 0.5f, 0.0f}},
                {"{\"op\": \"space2d\", \"kind\": \"grid\", \"x\": 0.25, \"y\": 0.5, \"inputs\": [" INPUT(
                     "[0, 0]") ", " INPUT("[1, 0]") ", " INPUT("[0, 1]") ", " INPUT("[1, 1]") "]}",
                 {0.375f, 0.125f, 0.375f, 0.125f}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        running running = run_text(rows[i].text, 1, 10);
        const lmb_graph_def *def = running.run->def;
        float shares[LMB_MAX_SPACE_INPUTS];
        step(&running, 2);
        const graph_moment *moment = graph_run_moment(running.run, 0);
        graph_weights_shares(running.weights, def->node_count - 1, graph_run_parameters(running.run, moment, 0),
                             graph_run_state(running.run, moment, 0), shares);
        for (uint32_t k = 0; k < LMB_MAX_SPACE_INPUTS; k++) {
            const float expected = k < 8 ? rows[i].shares[k] : 0.0f;
            if (fabsf(shares[k] - expected) > 1e-5f) {
                fail_msg("row %zu, input %u: %g", i, k, (double)shares[k]);
            }
        }
        expect_weights_of_players(&running);
        end(&running);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_changed_file_is_read_again),
        cmocka_unit_test(a_changed_file_that_is_included_is_read_again),
        cmocka_unit_test(a_young_file_is_read_even_if_its_time_is_the_same),
        cmocka_unit_test(mistakes_have_places),
        cmocka_unit_test(a_missing_file_is_waited_for),
        cmocka_unit_test(a_long_path_is_refused),
        cmocka_unit_test(settings_keep_their_values_by_name),
        cmocka_unit_test(characters_go_on_where_they_are),
        cmocka_unit_test(frames_can_be_shown_again),
        cmocka_unit_test(frames_stay_over_a_reload),
        cmocka_unit_test(only_the_last_frames_are_kept),
        cmocka_unit_test(times_of_clips_play_by_themselves),
        cmocka_unit_test(a_crowd_begins_apart_and_hears_every_event),
        cmocka_unit_test(characters_have_values_of_their_own),
        cmocka_unit_test(a_scattered_crowd_is_in_different_states),
        cmocka_unit_test(targets_are_where_the_user_drags_them),
        cmocka_unit_test(targets_in_model_space_stay_as_they_are),
        cmocka_unit_test(feet_follow_a_scene),
        cmocka_unit_test(conditions_read_which_targets_were_reached),
        cmocka_unit_test(targets_are_reached_by_a_character_with_channels),
        cmocka_unit_test(emitted_events_are_found_in_the_frames),
        cmocka_unit_test(transitions_are_found_in_the_frames),
        cmocka_unit_test(weights_are_those_that_the_control_reports),
        cmocka_unit_test(weights_follow_the_formulas),
    };
    return cmocka_run_group_tests(tests, open_scene, close_scene);
}
