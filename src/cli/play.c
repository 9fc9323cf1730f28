// `limber play`: runs a graph that moves by itself, driven by a script, and prints it frame by frame.
#include "play.h"

#include "file.h"
#include "json.h"
#include "terminal.h"

#include "../host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 512

// ---- The run. `limber capture` does the same.

static lmb_result fail_script(const play_run *run, const play_line *line, const char *what, lmb_error *error) {
    return lmb_fail(error, LMB_ERROR_FORMAT, "%s: line %u, column %u: %s '%s'", run->script_name,
                    (unsigned)line->number, (unsigned)line->column, what, line->name);
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
    lmb_result result = file_read(run->script_name, FILE_LARGEST_TEXT, &text, &size, error);
    if (result == LMB_OK) {
        lmb_error found;
        result = play_script_read(text, size, &run->script, &found);
        if (result != LMB_OK) {
            lmb_fail(error, result, "%s: %.400s", run->script_name, found.message);
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
        return lmb_fail(error, LMB_ERROR_ARGUMENT,
                        "nothing in the graph moves by itself: it has no machine, and no clip that plays");
    }
    if (lmb_graph_pose_count(run->graph) > 0) {
        return lmb_fail(error, LMB_ERROR_UNSUPPORTED, "the graph reads pose buffers, and there is nobody to fill them");
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
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for the parameters");
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

int play_run_read(play_run *run, const usage *usage, int argc, char **argv) {
    const int status = command_line_read(usage, argc, argv, &run->file_count);
    if (status == COMMAND_LINE_GOOD && run->graph_text == NULL && run->machine_name == NULL) {
        return usage_error(usage->command, "neither --graph nor --machine given");
    }
    return status == COMMAND_LINE_GOOD ? command_check_backend(usage->command, run->side.gpu, run->side.device_name)
                                       : status;
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
    if (character_open(files, run->file_count, &run->character, &error) != LMB_OK) {
        return command_failed(NULL, &error);
    }
    if (!graph_file_read(run->graph_text, run->machine_name, &run->character, &run->static_poses, &run->text)) {
        return 1;
    }
    graph_file_warn(&run->text);
    if (create_graph(run, &error) != LMB_OK) {
        return command_failed(files[0], &error);
    }
    if (read_script(run, &error) != LMB_OK) {
        return command_failed(NULL, &error);
    }
    return open_run(run, &error) == LMB_OK ? 0 : command_failed(files[0], &error);
}

int play_run_close(play_run *run, const char *command, int status) {
    lmb_error error = {0};
    const lmb_result closed = play_side_destroy(&run->side, LMB_OK, &error);
    lmb_graph_destroy(run->graph);
    play_script_release(&run->script);
    free(run->row);
    graph_file_release(&run->text);
    character_close(&run->character);
    free(run->static_poses.values);
    return closed == LMB_OK || status != 0 ? status : command_failed(command, &error);
}

// ---- The command.

typedef struct playing {
    play_run run;
    bool changes_alone;
    bool as_json;
    char path[PATH_SIZE]; // of current states, in this frame
} playing;

// Hashes the states, emitted events and palettes of all characters.
static uint64_t hash_frame(const playing *playing) {
    const play_side *side = &playing->run.side;
    const lmb_batch batch = {side->graph, side->character_count, LMB_OUTPUT_PALETTE};
    size_t characters = side->character_count;
    uint32_t emitted_words = lmb_control_emitted_words(side->control);
    uint64_t hash = lmb_control_hash(side->state, characters * lmb_control_state_words(side->control));
    for (size_t i = 0; i < characters; i++) {
        const uint32_t *emitted = side->emitted + i * emitted_words;
        uint32_t kept = emitted[0] < emitted_words / 2 ? 1 + 2 * emitted[0] : emitted_words;
        hash = hash * 31 + lmb_control_hash(emitted, kept);
    }
    size_t floats = lmb_batch_stage_floats(&batch, LMB_STAGE_PALETTE);
    for (size_t i = 0; i < characters * floats; i++) {
        uint32_t bits;
        memcpy(&bits, &side->palettes[i], sizeof bits);
        hash = hash * 31 + bits;
    }
    return hash;
}

// Writes "jump:float", or "life:move/gait:run" if a machine runs inside a state.
static void write_path(const playing *playing, char *path, size_t size) {
    const lmb_graph *graph = playing->run.graph;
    const play_side *side = &playing->run.side;
    size_t used = 0;
    path[0] = '\0';
    for (uint32_t i = 0; i < lmb_graph_machine_count(graph) && used < size; i++) {
        bool current = true;
        uint32_t state, owner = lmb_graph_machine_owner(graph, i, &state);
        const bool is_inner = owner != LMB_NONE;
        for (; owner != LMB_NONE; owner = lmb_graph_machine_owner(graph, owner, &state)) {
            current = current && lmb_control_current_state(side->control, side->state, owner) == state;
        }
        if (current) {
            state = lmb_control_current_state(side->control, side->state, i);
            int more = snprintf(path + used, size - used, "%s%s:%s",
                                used == 0  ? ""
                                : is_inner ? "/"
                                           : " ",
                                lmb_graph_machine_name(graph, i), lmb_graph_state_name(graph, i, state));
            used += more > 0 ? (size_t)more : 0;
        }
    }
}

// Returns whether the current states differ from those of the frame before.
static bool follow_path(playing *playing) {
    char path[PATH_SIZE];
    write_path(playing, path, sizeof path);
    bool changes = strcmp(path, playing->path) != 0;
    memcpy(playing->path, path, sizeof path);
    return changes;
}

static double seconds_of(uint64_t ticks) {
    return (double)ticks / (double)LMB_TICKS_PER_SECOND;
}

static void print_frame(const playing *playing, uint32_t frame) {
    const play_side *side = &playing->run.side;
    const lmb_graph *graph = playing->run.graph;
    terminal_print("%6u %9.4f  %-24s", (unsigned)frame, seconds_of(playing->run.passed), playing->path);
    for (uint32_t i = 0; i < lmb_graph_player_count(graph); i++) {
        float weight = lmb_control_player_weight(side->control, side->state, i);
        if (weight > 0.0f) {
            const double seconds = seconds_of(lmb_control_player_ticks(side->control, side->state, i));
            terminal_print("  %s %.4f x%.4f", lmb_graph_player_name(graph, i), seconds, (double)weight);
        }
    }
    if (lmb_control_has_motion(side->control)) {
        const lmb_motion character_motion = lmb_control_motion(side->control, side->state);
        terminal_print("  at %.4f %.4f %.4f yaw %.4f", character_motion.position[0], character_motion.position[1],
                       character_motion.position[2], character_motion.yaw);
    }
    uint32_t capacity = lmb_control_emitted_words(side->control) / 2;
    for (uint32_t i = 0; i < side->emitted[0] && i < capacity; i++) {
        terminal_print("  !%s", lmb_graph_event_name(graph, side->emitted[1 + 2 * i]));
    }
    terminal_print("  0x%016" PRIx64 "\n", hash_frame(playing));
}

static void write_character_motion(const play_side *side, json *json) {
    if (lmb_control_has_motion(side->control)) {
        const lmb_motion character_motion = lmb_control_motion(side->control, side->state);
        json_begin_array(json, "position");
        for (int i = 0; i < 3; i++) {
            json_float(json, NULL, (float)character_motion.position[i]);
        }
        json_end_array(json);
        json_float(json, "yaw", (float)character_motion.yaw);
    }
}

static void write_frame(const playing *playing, uint32_t frame, json *json) {
    const play_side *side = &playing->run.side;
    const lmb_graph *graph = playing->run.graph;
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, hash_frame(playing));
    json_begin_object(json, NULL);
    json_unsigned(json, "frame", frame);
    json_unsigned(json, "ticks", playing->run.passed);
    json_text(json, "path", playing->path);
    json_begin_array(json, "clips");
    for (uint32_t i = 0; i < lmb_graph_player_count(graph); i++) {
        float weight = lmb_control_player_weight(side->control, side->state, i);
        if (weight > 0.0f) {
            json_begin_object(json, NULL);
            json_text(json, "clip", lmb_graph_player_name(graph, i));
            json_unsigned(json, "ticks", lmb_control_player_ticks(side->control, side->state, i));
            json_float(json, "weight", weight);
            json_end_object(json);
        }
    }
    json_end_array(json);
    write_character_motion(side, json);
    json_begin_array(json, "events");
    uint32_t capacity = lmb_control_emitted_words(side->control) / 2;
    for (uint32_t i = 0; i < side->emitted[0] && i < capacity; i++) {
        json_text(json, NULL, lmb_graph_event_name(graph, side->emitted[1 + 2 * i]));
    }
    json_end_array(json);
    json_text(json, "hash", hash);
    json_end_object(json);
}

static lmb_result play(playing *playing, lmb_error *error) {
    json json = {.stream = stdout};
    if (playing->as_json) {
        json_begin_object(&json, NULL);
        json_begin_array(&json, "frames");
    }
    lmb_result result = LMB_OK;
    for (uint32_t frame = 0; frame < playing->run.frame_count && result == LMB_OK; frame++) {
        play_run_begin_frame(&playing->run, frame);
        result = play_run_step(&playing->run, frame, error);
        bool changes = follow_path(playing) || frame == 0;
        bool emits_events = result == LMB_OK && (changes || !playing->changes_alone);
        if (emits_events && playing->as_json) {
            write_frame(playing, frame, &json);
        } else if (emits_events) {
            print_frame(playing, frame);
        }
    }
    if (playing->as_json) {
        json_end_array(&json);
        json_end_object(&json);
        terminal_print("\n");
    }
    return result;
}

static int read_usage(playing *playing, int argc, char **argv) {
    const option options[] = {PLAY_RUN_OPTIONS(&playing->run),
                              {"--changes", OPTION_FLAG, &playing->changes_alone, NULL,
                               "the first frame, and those with other states than the one before"},
                              OPTION_JSON(&playing->as_json),
                              {0}};
    const usage usage = {
        .command = "limber play",
        .synopsis = "FILE... --graph FILE|JSON [--machine FILE] [--pose NAME=CLIP@TIME ...] [--script FILE]\n"
                    "                   [--fps N] [--frames N] [--characters N] [--changes]\n"
                    "                   [--backend reference|gpu] [--device NAME|INDEX] [--json]\n"
                    "       limber play FILE... --machine FILE ...",
        .text =
            "Runs a graph that moves by itself, as include/limber/graph_json.h and machine.h describe it, and prints "
            "for\n"
            "each frame its number and time, the current states, the clips that weigh something with their times and\n"
            "weights, where character motion stands and faces, the events emitted, and a hash of all characters' "
            "states and\n"
            "palettes. Every backend prints the same.\n" CHARACTER_HELP,
        .options = options,
        .files = OPTION_SOME_FILES};
    return play_run_read(&playing->run, &usage, argc, argv);
}

int command_play(int argc, char **argv) {
    playing playing = {.run = {PLAY_RUN_DEFAULTS}};
    lmb_error error = {0};
    int status = read_usage(&playing, argc, argv);
    if (status == COMMAND_LINE_GOOD) {
        status = play_run_open(&playing.run, argv);
        if (status == 0 && play(&playing, &error) != LMB_OK) {
            status = command_failed(argv[0], &error);
        }
    }
    return play_run_close(&playing.run, "play", status);
}
