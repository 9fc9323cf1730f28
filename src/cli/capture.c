// `limber capture` writes a frame of a crowd into a file, with everything needed to run it again. `limber replay` does
// so, and reports whether every operation has the same result.
#include "capture_run.h"
#include "file.h"
#include "play.h"
#include "terminal.h"

#include "../host.h"

#include <stdlib.h>
#include <string.h>

typedef struct capturing {
    play_run run;
    const char *path;
    uint32_t *state;   // before the captured frame
    uint32_t *inertia; // likewise
} capturing;

static size_t state_words(const capturing *capturing) {
    return (size_t)capturing->run.side.character_count * lmb_control_state_words(capturing->run.side.control);
}

static size_t inertia_words(const capturing *capturing) {
    return (size_t)capturing->run.side.character_count * lmb_graph_inertia_words(capturing->run.graph);
}

// Runs up to the beginning of the last frame, and saves the state there.
static lmb_result run_before(capturing *capturing, lmb_error *error) {
    play_run *run = &capturing->run;
    lmb_result result = LMB_OK;
    for (uint32_t frame = 0; frame + 1 < run->frame_count && result == LMB_OK; frame++) {
        play_run_begin_frame(run, frame);
        result = play_run_step(run, frame, error);
    }
    capturing->state = calloc(state_words(capturing) + 1, sizeof *capturing->state);
    capturing->inertia = calloc(inertia_words(capturing) + 1, sizeof *capturing->inertia);
    if (result == LMB_OK && (capturing->state == NULL || capturing->inertia == NULL)) {
        result = lmb_fail(error, LMB_ERROR_MEMORY, "no memory for the states");
    }
    // Before the first frame the data is zero, also on devices.
    if (result == LMB_OK && run->frame_count > 1) {
        result = play_side_read_inertia(&run->side, capturing->inertia, error);
    }
    if (result == LMB_OK) {
        memcpy(capturing->state, run->side.state, state_words(capturing) * sizeof *capturing->state);
        play_run_begin_frame(run, run->frame_count - 1);
    }
    return result;
}

static capture describe(const capturing *capturing) {
    const play_run *run = &capturing->run;
    const uint32_t number = run->frame_count - 1;
    return (capture){.number = number,
                     .character_count = run->side.character_count,
                     .step = play_run_ticks(run, number) - run->passed,
                     .max_emitted_events = lmb_control_emitted_words(run->side.control) / 2,
                     .rig = run->character.rig,
                     .clips = run->character.clips,
                     .clip_count = run->character.clip_count,
                     .graph = run->graph_text == NULL  ? NULL
                              : run->text.text != NULL ? run->text.text
                                                       : run->graph_text,
                     .graph_size = run->text.size,
                     .machine = run->text.machine_text,
                     .machine_size = run->text.machine_size,
                     .static_poses = run->text.static_poses,
                     .static_pose_count = run->text.static_pose_count,
                     .parameters = run->row,
                     .parameter_count = (size_t)run->side.character_count * lmb_graph_parameter_count(run->graph),
                     .state = capturing->state,
                     .state_words = state_words(capturing),
                     .inertia = capturing->inertia,
                     .inertia_words = inertia_words(capturing),
                     .events = run->side.events,
                     .event_count = run->side.event_count};
}

// Runs the frame again, and warns if the result differs, as on a device that does not repeat its results.
static void warn_of_difference(capturing *capturing, const capture_results *results, lmb_error *error) {
    play_run *run = &capturing->run;
    const lmb_batch batch = {run->graph, run->side.character_count, LMB_OUTPUT_PALETTE};
    size_t floats = lmb_batch_stage_floats(&batch, LMB_STAGE_PALETTE) * (size_t)batch.character_count;
    lmb_result result = play_run_step(run, run->frame_count - 1, error);
    if (result != LMB_OK ||
        file_hash(run->side.palettes, floats * sizeof(float)) != results->list[results->count - 1].hash) {
        terminal_error("limber: capture: the frame came out differently when it was run again\n");
    }
}

static lmb_result write_capture(capturing *capturing, lmb_error *error) {
    lmb_result result = run_before(capturing, error);
    if (result != LMB_OK) {
        return result;
    }
    capture capture = describe(capturing);
    capture_scene scene = {0};
    capture_results results = {0};
    result = capture_scene_create(&capture, &scene, error);
    if (result == LMB_OK) {
        result = capture_run(&scene, capturing->run.side.gpu, capturing->run.side.device_name, &results, error);
    }
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
    capture_scene_destroy(&scene);
    return result;
}

static int read_usage(capturing *capturing, int argc, char **argv) {
    const option options[] = {PLAY_RUN_OPTIONS(&capturing->run),
                              {"--output", OPTION_TEXT, &capturing->path, "FILE", "where the capture goes"},
                              {0}};
    const usage usage = {
        .command = "limber capture",
        .synopsis = "FILE... --graph FILE|JSON --output FILE [--machine FILE] [--pose NAME=CLIP@TIME ...]\n"
                    "                      [--script FILE] [--fps N] [--frames N] [--characters N]\n"
                    "                      [--backend reference|gpu] [--device NAME|INDEX]",
        .text =
            "Runs a graph as 'limber play' does, and writes the last frame into a file: the rig and its clips, the\n"
            "graph, the parameters, the control's states and what inertialization keeps before the frame, its\n"
            "events, the device, and a hash of the result of each operation and each stage. 'limber replay' runs\n"
            "it again, here or elsewhere.\n" CHARACTER_HELP,
        .options = options,
        .files = OPTION_SOME_FILES};
    const int status = play_run_read(&capturing->run, &usage, argc, argv);
    return status == COMMAND_LINE_GOOD && capturing->path == NULL ? usage_error(usage.command, "no --output given")
                                                                  : status;
}

int command_capture(int argc, char **argv) {
    capturing capturing = {.run = {PLAY_RUN_DEFAULTS, .may_stand_still = true}};
    lmb_error error = {0};
    int status = read_usage(&capturing, argc, argv);
    if (status == COMMAND_LINE_GOOD) {
        status = play_run_open(&capturing.run, argv);
        if (status == 0 && write_capture(&capturing, &error) != LMB_OK) {
            status = command_failed("capture", &error);
        }
    }
    free(capturing.state);
    free(capturing.inertia);
    return play_run_close(&capturing.run, "capture", status);
}

// ---- Replaying.

typedef struct replaying {
    const char *device_name;
    bool gpu;
    uint32_t file_count;
} replaying;

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

static int emit(const char *name, const capture *capture, const capture_results *results) {
    if (!has_same_names(capture, results)) {
        const lmb_error error = {.message = "its graph is compiled to other operations by this version"};
        return command_failed(name, &error);
    }
    terminal_print("frame %u of %u characters, captured on %s, replayed on %s\n", (unsigned)capture->number,
                   (unsigned)capture->character_count, capture->device, results->device);
    uint32_t differ = compare(capture, results);
    terminal_print("%s: %u results compared, %u differ\n", differ == 0 ? "same" : "differs", (unsigned)results->count,
                   (unsigned)differ);
    return differ == 0 ? 0 : 1;
}

static int replay(const replaying *replaying, const char *name, const capture *capture) {
    capture_scene scene = {0};
    capture_results results = {0};
    lmb_error error = {0};
    lmb_result result = capture_scene_create(capture, &scene, &error);
    if (result == LMB_OK) {
        result = capture_run(&scene, replaying->gpu, replaying->device_name, &results, &error);
    }
    int status = result == LMB_OK ? emit(name, capture, &results) : command_failed(name, &error);
    capture_results_release(&results);
    capture_scene_destroy(&scene);
    return status;
}

static int run_command(const replaying *replaying, const char *name) {
    char *bytes = NULL;
    size_t size = 0;
    capture capture = {0};
    lmb_error error = {0};
    if (file_read(name, FILE_ANY_SIZE, &bytes, &size, &error) != LMB_OK) {
        return command_failed(NULL, &error);
    }
    lmb_result result = capture_read(bytes, size, &capture, &error);
    free(bytes);
    int status = result == LMB_OK ? replay(replaying, name, &capture) : command_failed(name, &error);
    capture_release(&capture);
    return status;
}

int command_replay(int argc, char **argv) {
    replaying replaying = {0};
    const option options[] = {OPTION_BACKEND(&replaying.gpu), OPTION_DEVICE(&replaying.device_name), {0}};
    const usage usage = {
        .command = "limber replay",
        .synopsis = "FILE [--backend reference|gpu] [--device NAME|INDEX]",
        .text =
            "Runs a frame again that 'limber capture' wrote, and compares what each operation and each stage comes\n"
            "to with what it came to then. Exit status 1 where anything differs; the first that does is named.\n",
        .options = options,
        .files = OPTION_SOME_FILES};
    int status = command_line_read(&usage, argc, argv, &replaying.file_count);
    if (status == COMMAND_LINE_GOOD && replaying.file_count > 1) {
        return usage_error(usage.command, "more than one file given");
    }
    if (status == COMMAND_LINE_GOOD) {
        status = command_check_backend(usage.command, replaying.gpu, replaying.device_name);
    }
    return status == COMMAND_LINE_GOOD ? run_command(&replaying, argv[0]) : status;
}
