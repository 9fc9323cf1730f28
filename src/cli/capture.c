// `limber capture`: writes a frame of a crowd into a file, with everything needed to run it again.
#include "capture_run.h"
#include "command.h"
#include "command_line.h"
#include "play_run.h"
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct capturing {
    play_run run;
    const char *path;
    uint32_t *state;   // before the captured frame
    uint32_t *inertia; // likewise
} capturing;

static lmb_result no_memory(lmb_error *error) {
    error->result = LMB_ERROR_MEMORY;
    snprintf(error->message, sizeof error->message, "no memory for the states");
    return LMB_ERROR_MEMORY;
}

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
        result = no_memory(error);
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
        capture_hash(run->side.palettes, floats * sizeof(float)) != results->list[results->count - 1].hash) {
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

static int read_usage(capturing *capturing, int argc, char **argv, bool *proceed) {
    const char *backend = "reference";
    const option options[] = {PLAY_RUN_OPTIONS(&capturing->run, &backend),
                              {"--output", OPTION_TEXT, &capturing->path, "FILE", "where the capture goes"}};
    const usage usage = {
        .command = "capture",
        .synopsis = "FILE... --graph FILE|JSON --output FILE [--machine FILE] [--pose NAME=CLIP@TIME ...]\n"
                    "                      [--script FILE] [--fps N] [--frames N] [--characters N]\n"
                    "                      [--backend reference|gpu] [--device NAME|INDEX]",
        .text =
            "Runs a graph as 'limber play' does, and writes the last frame into a file: the rig and its clips, the\n"
            "graph, the parameters, the control's states and what inertialization keeps before the frame, its\n"
            "events, the device, and a hash of the result of each operation and each stage. 'limber replay' runs\n"
            "it again, here or elsewhere.\n" CHARACTER_HELP,
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .takes_files = true};
    int status = 0;
    *proceed = command_line_read(&usage, argc, argv, &capturing->run.file_count, &status);
    if (*proceed && capturing->path == NULL) {
        *proceed = false;
        return usage_error("capture", "no --output given");
    }
    if (*proceed) {
        status = play_run_check(&capturing->run, "capture", backend);
        *proceed = status == 0;
    }
    return status;
}

int command_capture(int argc, char **argv) {
    capturing capturing = {0};
    lmb_error error = {.message = "no memory for the static poses"};
    if (!play_run_begin(&capturing.run, argc)) {
        return command_failed("capture", &error);
    }
    capturing.run.may_stand_still = true;
    bool proceed = false;
    int status = read_usage(&capturing, argc, argv, &proceed);
    if (proceed) {
        status = play_run_open(&capturing.run, argv);
    }
    if (proceed && status == 0 && write_capture(&capturing, &error) != LMB_OK) {
        status = command_failed("capture", &error);
    }
    free(capturing.state);
    free(capturing.inertia);
    lmb_result closed = play_run_close(&capturing.run, &error);
    return closed == LMB_OK || status != 0 ? status : command_failed("capture", &error);
}
