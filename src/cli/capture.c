// `limber capture` writes a frame of a crowd into a file, with everything needed to run it again. `limber replay` does
// so, and reports whether every operation has the same result.
#include "capture_run.h"
#include "file.h"
#include "play.h"
#include "terminal.h"

#include "base/host.h"

#include <stdlib.h>
#include <string.h>

typedef struct capturing {
    play_run run;
    const char *path;
    uint32_t *state; // before the captured frame
    uint32_t *kept;  // likewise
} capturing;

static size_t state_words(const capturing *capturing) {
    return (size_t)capturing->run.character_count * lmb_graph_get_info(capturing->run.graph)->state_words;
}

static size_t kept_words(const capturing *capturing) {
    return side_kept_words(capturing->run.graph, capturing->run.character_count);
}

// Runs up to the beginning of the last frame, and saves the state there.
static lmb_result run_before(capturing *capturing, lmb_error *error) {
    play_run *run = &capturing->run;
    capturing->state = lmb_arena_allocate(&run->subject.pool, state_words(capturing), sizeof *capturing->state);
    capturing->kept = lmb_arena_allocate(&run->subject.pool, kept_words(capturing), sizeof *capturing->kept);
    if (run->subject.pool.failed) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for the states");
    }
    for (uint32_t frame = 0; frame + 1 < run->frame_count; frame++) {
        play_run_begin_frame(run, frame);
        if (play_run_step(run, frame, error)) {
            return error->result;
        }
    }
    // Before the first frame the data is zero, also on devices.
    if (run->frame_count > 1 && side_read_kept(&run->side, capturing->kept, error)) {
        return error->result;
    }
    memcpy(capturing->state, run->side.state, state_words(capturing) * sizeof *capturing->state);
    play_run_begin_frame(run, run->frame_count - 1);
    return LMB_OK;
}

static capture describe(const capturing *capturing) {
    const play_run *run = &capturing->run;
    const uint32_t number = run->frame_count - 1;
    return (capture){.number = number,
                     .character_count = run->character_count,
                     .step = play_run_ticks(run, number) - run->passed,
                     .max_emitted_events =
                         (uint32_t)(lmb_graph_get_info(run->graph)->emitted_words / LMB_EMITTED_EVENT_WORDS),
                     .graph = run->subject.def,
                     .parameters = run->row,
                     .parameter_count = (size_t)run->character_count * lmb_graph_get_info(run->graph)->parameter_count,
                     .state = capturing->state,
                     .state_words = state_words(capturing),
                     .kept = capturing->kept,
                     .kept_words = kept_words(capturing),
                     .events = run->side.events,
                     .event_count = run->side.event_count};
}

// Runs the frame again, and warns if the result differs, as on a device that does not repeat its results.
static void warn_of_difference(capturing *capturing, const capture_results *results, lmb_error *error) {
    play_run *run = &capturing->run;
    const size_t floats = lmb_batch_output_floats(&run->side.batch, LMB_OUTPUT_PALETTE) * (size_t)run->character_count;
    const lmb_result result = play_run_step(run, run->frame_count - 1, error);
    if (result != LMB_OK || file_hash(run->side.outputs.buffers[LMB_OUTPUT_PALETTE], floats * sizeof(float)) !=
                                results->list[results->count - 1].hash) {
        terminal_error("limber: capture: the frame came out differently when it was run again\n");
    }
}

// Runs a captured frame on the subject's backend. The results are the caller's to release, also if this fails.
static lmb_result run_capture(const subject *subject, const capture *capture, capture_results *results,
                              lmb_error *error) {
    capture_scene scene;
    const bool failed = capture_scene_create(capture, &scene, error) ||
                        capture_run(&scene, subject->gpu, subject->device_name, results, error);
    capture_scene_destroy(&scene);
    return failed ? error->result : LMB_OK;
}

static lmb_result write_capture(play_run *run, lmb_error *error) {
    capturing *capturing = (struct capturing *)run;
    if (run_before(capturing, error)) {
        return error->result;
    }
    capturing->run.subject.place = NULL; // from here on messages name the capture or its file
    capture capture = describe(capturing);
    capture_results results = {0};
    lmb_result result = run_capture(&run->subject, &capture, &results, error);
    if (result == LMB_OK) {
        memcpy(capture.device, results.device, sizeof capture.device);
        capture.results = results.list;
        capture.result_count = results.count;
        result = capture_write(&capture, capturing->path, error);
    }
    if (result == LMB_OK) {
        terminal_print("frame %u of %u characters, on %s: %u results, in %s\n", (unsigned)capture.number,
                       (unsigned)capture.character_count, capture.device, (unsigned)results.count, capturing->path);
        warn_of_difference(capturing, &results, error);
    }
    capture_results_release(&results);
    return result;
}

int command_capture(int argc, char **argv) {
    capturing capturing = {.run = {PLAY_RUN_DEFAULTS, .may_stand_still = true, .body = write_capture}};
    const option options[] = {{"--output", OPTION_TEXT, &capturing.path, "FILE", "where the capture goes"},
                              PLAY_RUN_OPTIONS(&capturing.run),
                              {0}};
    const usage usage = {
        .command = "limber capture",
        .synopsis = "FILE... --graph FILE|JSON --output FILE [--machine FILE] [--pose NAME=CLIP@TIME ...]\n"
                    "                      [--script FILE] [--fps N] [--frames N] [--characters N]\n"
                    "                      [--backend reference|gpu] [--device NAME|INDEX]",
        .text =
            "Runs a graph as 'limber play' does, and writes the last frame into a file: the rig and its clips, the\n"
            "graph, the parameters, the control's states and what inertialization keeps before the frame, its\n"
            "events, the device, and a hash of the result of each operation and each output. 'limber replay' runs\n"
            "it again, here or elsewhere.\n" CHARACTER_HELP,
        .options = options,
        .files = OPTION_SOME_FILES,
        .required_count = 1};
    return subject_command(&capturing.run.subject, &usage, argc, argv, play_run_all);
}

// ---- Replaying.

// Prints and returns how many results differ.
static uint32_t compare(const capture *capture, const capture_results *results) {
    uint32_t differ = 0;
    for (uint32_t i = 0; i < results->count; i++) {
        if (capture->results[i].hash != results->list[i].hash) {
            differ++;
            terminal_print("%s  %s\n", differ == 1 ? "first difference:" : "                 ", results->list[i].name);
        }
    }
    return differ;
}

static bool has_same_names(const capture *capture, const capture_results *results) {
    bool same = capture->result_count == results->count;
    for (uint32_t i = 0; same && i < results->count; i++) {
        same = strcmp(capture->results[i].name, results->list[i].name) == 0;
    }
    return same;
}

static lmb_result print_results(const capture *capture, const capture_results *results, bool *differs,
                                lmb_error *error) {
    if (!has_same_names(capture, results)) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "its graph is compiled to other operations by this version");
    }
    terminal_print("frame %u of %u characters, captured on %s, replayed on %s\n", (unsigned)capture->number,
                   (unsigned)capture->character_count, capture->device, results->device);
    const uint32_t differ = compare(capture, results);
    terminal_print("%s: %u results compared, %u differ\n", differ == 0 ? "same" : "differs", (unsigned)results->count,
                   (unsigned)differ);
    *differs = differ > 0;
    return LMB_OK;
}

static int replay_file(const subject *subject) {
    char *bytes = NULL;
    size_t size = 0;
    capture capture = {0};
    capture_results results = {0};
    bool differs = false;
    lmb_error error = {0};
    if (file_read(subject->files[0], FILE_ANY_SIZE, &bytes, &size, &error)) {
        return command_end(NULL, error.result, &error);
    }
    const bool failed = capture_read(bytes, size, &capture, &error) ||
                        run_capture(subject, &capture, &results, &error) ||
                        print_results(&capture, &results, &differs, &error);
    free(bytes);
    capture_results_release(&results);
    capture_release(&capture);
    return differs ? 1 : command_end(subject->files[0], failed ? error.result : LMB_OK, &error);
}

int command_replay(int argc, char **argv) {
    subject subject = {0};
    const option options[] = {OPTION_BACKEND(&subject), OPTION_DEVICE(&subject), {0}};
    const usage usage = {
        .command = "limber replay",
        .synopsis = "FILE [--backend reference|gpu] [--device NAME|INDEX]",
        .text =
            "Runs a frame again that 'limber capture' wrote, and compares what each operation and each output comes\n"
            "to with what it came to then. Exit status 1 where anything differs; the first that does is named.\n",
        .options = options,
        .files = OPTION_ONE_FILE};
    const int status = subject_read(&subject, &usage, argc, argv);
    return status == COMMAND_LINE_GOOD ? replay_file(&subject) : status;
}
