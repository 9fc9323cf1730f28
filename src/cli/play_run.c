#include "play_run.h"

#include "command.h"
#include "text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RATE 1000000u

static lmb_result fail_script(const play_run *run, const play_line *line, const char *what, lmb_error *error) {
    error->result = LMB_ERROR_FORMAT;
    snprintf(error->message, sizeof error->message, "%s: line %u, column %u: %s '%s'", run->script_name,
             (unsigned)line->number, (unsigned)line->column, what, line->name);
    return LMB_ERROR_FORMAT;
}

// Checks every name before anything runs.
static lmb_result check_script(const play_run *run, lmb_error *error) {
    const lmb_graph *graph = run->graph;
    for (uint32_t i = 0; i < run->script.count; i++) {
        const play_line *line = &run->script.lines[i];
        if (!line->sets && lmb_graph_find_event(graph, line->name) == LMB_NONE) {
            return fail_script(run, line, "the graph has no event", error);
        }
        uint32_t parameter = line->sets ? lmb_graph_find_parameter(graph, line->name) : 0;
        if (line->sets && parameter == LMB_NONE) {
            return fail_script(run, line, "the graph has no parameter", error);
        }
        if (line->sets) {
            const lmb_graph_parameter range = lmb_graph_parameter_at(graph, parameter);
            if (!(line->value >= range.min && line->value <= range.max)) {
                return fail_script(run, line, "out of range:", error);
            }
        }
        if (line->character != LMB_NONE && line->character >= run->side.character_count) {
            return fail_script(run, line, "there is no such character for", error);
        }
    }
    return LMB_OK;
}

static lmb_result read_script(play_run *run, lmb_error *error) {
    char *text = NULL;
    size_t size = 0;
    if (run->script_name == NULL) {
        return LMB_OK;
    }
    lmb_result result = text_file_read(run->script_name, TEXT_FILE_LARGEST, &text, &size, error);
    if (result == LMB_OK) {
        lmb_error found;
        result = play_script_read(text, size, &run->script, &found);
        if (result != LMB_OK) {
            error->result = result;
            snprintf(error->message, sizeof error->message, "%s: %.400s", run->script_name, found.message);
        }
    }
    free(text);
    return result == LMB_OK ? check_script(run, error) : result;
}

// Counts all events of the script, an upper bound of the events in one frame.
static uint32_t count_events(const play_run *run) {
    uint64_t most = 0, now = 0;
    for (uint32_t i = 0; i < run->script.count; i++) {
        const play_line *line = &run->script.lines[i];
        now += line->sets ? 0 : line->character == LMB_NONE ? run->side.character_count : 1;
        most = now > most ? now : most;
    }
    return most < (1u << 24) ? (uint32_t)most : 1u << 24;
}

static lmb_result create(play_run *run, lmb_error *error) {
    if (lmb_graph_control(run->graph) == NULL && !run->may_stand_still) {
        error->result = LMB_ERROR_ARGUMENT;
        snprintf(error->message, sizeof error->message,
                 "nothing in the graph moves by itself: it has no machine, and no clip that plays");
        return LMB_ERROR_ARGUMENT;
    }
    if (lmb_graph_pose_count(run->graph) > 0) {
        error->result = LMB_ERROR_UNSUPPORTED;
        snprintf(error->message, sizeof error->message,
                 "the graph reads pose buffers, and there is nobody to fill them");
        return LMB_ERROR_UNSUPPORTED;
    }
    run->side.graph = run->graph;
    run->side.control = lmb_graph_control(run->graph);
    run->side.events_a_frame = count_events(run);
    return play_side_create(&run->side, error);
}

static lmb_result fill_row(play_run *run, lmb_error *error) {
    const lmb_graph *graph = run->graph;
    uint32_t count = lmb_graph_parameter_count(graph);
    run->row = calloc((size_t)run->side.character_count * count + 1, sizeof(float));
    if (run->row == NULL) {
        error->result = LMB_ERROR_MEMORY;
        snprintf(error->message, sizeof error->message, "no memory for the parameters");
        return LMB_ERROR_MEMORY;
    }
    for (size_t character = 0; character < run->side.character_count; character++) {
        lmb_graph_defaults(graph, run->row + character * count);
    }
    return LMB_OK;
}

static void apply_line(play_run *run, const play_line *line) {
    const lmb_graph *graph = run->graph;
    uint32_t first = line->character == LMB_NONE ? 0 : line->character;
    uint32_t end = line->character == LMB_NONE ? run->side.character_count : first + 1;
    uint32_t found = line->sets ? lmb_graph_find_parameter(graph, line->name) : lmb_graph_find_event(graph, line->name);
    size_t count = lmb_graph_parameter_count(graph);
    for (uint32_t i = first; i < end; i++) {
        if (line->sets) {
            run->row[i * count + found] = line->value;
        } else if (run->side.event_count < run->side.events_a_frame) {
            run->side.events[run->side.event_count++] = (lmb_event){i, found};
        }
    }
}

// A line takes effect in the first frame that is not before its time.
void play_run_begin_frame(play_run *run, uint32_t frame) {
    run->side.event_count = 0;
    while (run->next_line < run->script.count &&
           run->script.lines[run->next_line].seconds <= frame / (double)run->rate + 1e-9) {
        apply_line(run, &run->script.lines[run->next_line++]);
    }
    memcpy(run->side.parameters, run->row,
           (size_t)run->side.character_count * lmb_graph_parameter_count(run->graph) * sizeof(float));
}

lmb_result play_run_step(play_run *run, uint32_t frame, lmb_error *error) {
    lmb_result result = play_side_run(&run->side, play_run_ticks(run, frame) - run->passed, frame, error);
    run->passed = play_run_ticks(run, frame);
    return result;
}

uint64_t play_run_ticks(const play_run *run, uint32_t frame) {
    return (uint64_t)frame * LMB_TICKS_PER_SECOND / run->rate;
}

int play_run_check(play_run *run, const char *command, const char *backend) {
    if (run->graph_text == NULL && run->machine_name == NULL) {
        return usage_error(command, "neither --graph nor --machine given");
    }
    if (strcmp(backend, "gpu") != 0 && strcmp(backend, "reference") != 0) {
        return usage_error(command, "--backend must be reference or gpu, not '%s'", backend);
    }
    run->side.gpu = strcmp(backend, "gpu") == 0;
    if (run->side.device_name != NULL && !run->side.gpu) {
        return usage_error(command, "--device needs --backend gpu");
    }
    if (run->rate > MOST_RATE) {
        return usage_error(command, "--fps may be %u at most", MOST_RATE);
    }
    return 0;
}

static lmb_result create_graph(play_run *run, lmb_error *error) {
    lmb_graph_def def = *graph_file_def(&run->text);
    def.max_emitted_events = def.max_emitted_events > 32 ? def.max_emitted_events : 32;
    return lmb_graph_create(&def, NULL, &run->graph, error);
}

static lmb_result open_run(play_run *run, lmb_error *error) {
    lmb_result result = create(run, error);
    return result == LMB_OK ? fill_row(run, error) : result;
}

int play_run_open(play_run *run, char **files) {
    lmb_error error = {0};
    run->file = files[0];
    if (character_open(files, run->file_count, &run->character, &error) != LMB_OK) {
        return command_failed(NULL, &error);
    }
    if (!graph_file_read_machine(run->graph_text, run->machine_name, &run->character, &run->static_poses, &run->text)) {
        return 1;
    }
    graph_file_warn(&run->text);
    if (create_graph(run, &error) != LMB_OK) {
        return command_failed(run->file, &error);
    }
    if (read_script(run, &error) != LMB_OK) {
        return command_failed(NULL, &error);
    }
    return open_run(run, &error) == LMB_OK ? 0 : command_failed(run->file, &error);
}

lmb_result play_run_close(play_run *run, lmb_error *error) {
    lmb_result closed = play_side_destroy(&run->side, error);
    lmb_graph_destroy(run->graph);
    play_script_release(&run->script);
    free(run->row);
    graph_file_release(&run->text);
    character_close(&run->character);
    free(run->static_poses.values);
    return closed;
}

bool play_run_begin(play_run *run, int argc) {
    *run = (play_run){.static_poses.values = calloc((size_t)argc + 1, sizeof(const char *)),
                      .rate = 60,
                      .frame_count = 60,
                      .side = {.character_count = 1}};
    return run->static_poses.values != NULL;
}
