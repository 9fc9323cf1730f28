// `limber replay`: runs a captured frame again, and reports whether every operation has the same result.
#include "capture_run.h"
#include "command.h"
#include "command_line.h"
#include "terminal.h"
#include "text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (text_file_read(name, TEXT_FILE_ANY_SIZE, &bytes, &size, &error) != LMB_OK) {
        return command_failed(NULL, &error);
    }
    lmb_result result = capture_read(bytes, size, &capture, &error);
    free(bytes);
    int status = result == LMB_OK ? replay(replaying, name, &capture) : command_failed(name, &error);
    capture_release(&capture);
    return status;
}

static int check_usage(replaying *replaying, const char *backend) {
    if (replaying->file_count > 1) {
        return usage_error("replay", "more than one file given");
    }
    if (strcmp(backend, "gpu") != 0 && strcmp(backend, "reference") != 0) {
        return usage_error("replay", "--backend must be reference or gpu, not '%s'", backend);
    }
    replaying->gpu = strcmp(backend, "gpu") == 0;
    if (replaying->device_name != NULL && !replaying->gpu) {
        return usage_error("replay", "--device needs --backend gpu");
    }
    return 0;
}

int command_replay(int argc, char **argv) {
    replaying replaying = {0};
    const char *backend = "reference";
    const option options[] = {
        {"--backend", OPTION_TEXT, &backend, "BACKEND", "reference (default) or gpu"},
        {"--device", OPTION_TEXT, &replaying.device_name, "NAME|INDEX", "part of a device's name, or its index"}};
    const usage usage = {
        .command = "replay",
        .synopsis = "FILE [--backend reference|gpu] [--device NAME|INDEX]",
        .text =
            "Runs a frame again that 'limber capture' wrote, and compares what each operation and each stage comes\n"
            "to with what it came to then. Exit status 1 where anything differs; the first that does is named.\n",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .takes_files = true};
    int status = 0;
    if (!command_line_read(&usage, argc, argv, &replaying.file_count, &status)) {
        return status;
    }
    status = check_usage(&replaying, backend);
    return status == 0 ? run_command(&replaying, argv[0]) : status;
}
