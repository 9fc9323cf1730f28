// `limber play`: a graph that moves by itself, driven by a script, told frame by frame.
#include "command.h"
#include "graph_file.h"
#include "json.h"
#include "options.h"
#include "play_script.h"
#include "play_side.h"
#include "text_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RATE 1000000u
#define PATH_SIZE 512

typedef struct playing {
    const char *file; // the first
    uint32_t file_count;
    const char *graph_text;
    const char *machine_name;
    option_texts static_poses;
    const char *script_name;
    uint32_t rate; // frames a second
    uint32_t frame_count;
    bool changes_alone;
    bool as_json;

    character character;
    graph_file graph;
    play_script script;
    uint32_t next_line; // of the script
    uint64_t passed;    // ticks
    float *row;         // what every character's parameters begin with
    lmb_program *program;
    lmb_control *control;
    play_side side;
    char path[PATH_SIZE]; // of states, in this frame
} playing;

static lmb_result fail_script(const playing *playing, const play_line *line, const char *what, lmb_error *error) {
    error->result = LMB_ERROR_FORMAT;
    snprintf(error->message, sizeof error->message, "%s: line %u, column %u: %s '%s'", playing->script_name,
             (unsigned)line->number, (unsigned)line->column, what, line->name);
    return LMB_ERROR_FORMAT;
}

// Every name before anything runs.
static lmb_result check_script(const playing *playing, lmb_error *error) {
    const lmb_graph *graph = playing->graph.graph;
    for (uint32_t i = 0; i < playing->script.count; i++) {
        const play_line *line = &playing->script.lines[i];
        if (!line->sets && lmb_graph_find_event(graph, line->name) == LMB_NONE) {
            return fail_script(playing, line, "the graph has no event", error);
        }
        uint32_t parameter = line->sets ? lmb_graph_find_parameter(graph, line->name) : 0;
        if (line->sets && parameter == LMB_NONE) {
            return fail_script(playing, line, "the graph has no parameter", error);
        }
        if (line->sets) {
            const lmb_graph_parameter range = lmb_graph_parameter_at(graph, parameter);
            if (!(line->value >= range.least && line->value <= range.greatest)) {
                return fail_script(playing, line, "out of range:", error);
            }
        }
        if (line->character != LMB_NONE && line->character >= playing->side.character_count) {
            return fail_script(playing, line, "there is no such character for", error);
        }
    }
    return LMB_OK;
}

static lmb_result read_script(playing *playing, lmb_error *error) {
    char *text = NULL;
    size_t size = 0;
    if (playing->script_name == NULL) {
        return LMB_OK;
    }
    lmb_result result = text_file_read(playing->script_name, &text, &size, error);
    if (result == LMB_OK) {
        lmb_error found;
        result = play_script_read(text, size, &playing->script, &found);
        if (result != LMB_OK) {
            error->result = result;
            snprintf(error->message, sizeof error->message, "%s: %.400s", playing->script_name, found.message);
        }
    }
    free(text);
    return result == LMB_OK ? check_script(playing, error) : result;
}

// As many events as the busiest moment of the script sends, to all characters.
static uint32_t count_events(const playing *playing) {
    uint64_t most = 0, now = 0;
    for (uint32_t i = 0; i < playing->script.count; i++) {
        const play_line *line = &playing->script.lines[i];
        now += line->sets ? 0 : line->character == LMB_NONE ? playing->side.character_count : 1;
        most = now > most ? now : most;
    }
    return most < (1u << 24) ? (uint32_t)most : 1u << 24;
}

static lmb_result create(playing *playing, lmb_error *error) {
    const lmb_graph *graph = playing->graph.graph;
    const lmb_control_def *control = lmb_graph_control_def(graph);
    if (control == NULL) {
        error->result = LMB_ERROR_ARGUMENT;
        snprintf(error->message, sizeof error->message,
                 "nothing in the graph moves by itself: it has no machine, and no clip that plays");
        return LMB_ERROR_ARGUMENT;
    }
    lmb_control_def def = *control;
    def.told_capacity = 32;
    lmb_result result = lmb_program_create(lmb_graph_program_def(graph), NULL, &playing->program, error);
    if (result == LMB_OK && lmb_program_pose_count(playing->program) > 0) {
        error->result = LMB_ERROR_UNSUPPORTED;
        snprintf(error->message, sizeof error->message,
                 "the graph reads pose buffers, and there is nobody to fill them");
        return LMB_ERROR_UNSUPPORTED;
    }
    if (result == LMB_OK) {
        result = lmb_control_create(&def, NULL, &playing->control, error);
    }
    playing->side.program = playing->program;
    playing->side.control = playing->control;
    playing->side.events_a_frame = count_events(playing);
    return result == LMB_OK ? play_side_create(&playing->side, error) : result;
}

static lmb_result fill_row(playing *playing, lmb_error *error) {
    const lmb_graph *graph = playing->graph.graph;
    uint32_t count = lmb_graph_parameter_count(graph);
    playing->row = calloc((size_t)playing->side.character_count * count + 1, sizeof(float));
    if (playing->row == NULL) {
        error->result = LMB_ERROR_MEMORY;
        snprintf(error->message, sizeof error->message, "no memory for the parameters");
        return LMB_ERROR_MEMORY;
    }
    for (size_t character = 0; character < playing->side.character_count; character++) {
        for (uint32_t i = 0; i < count; i++) {
            playing->row[character * count + i] = lmb_graph_parameter_at(graph, i).initial;
        }
    }
    return LMB_OK;
}

static void apply_line(playing *playing, const play_line *line) {
    const lmb_graph *graph = playing->graph.graph;
    uint32_t first = line->character == LMB_NONE ? 0 : line->character;
    uint32_t end = line->character == LMB_NONE ? playing->side.character_count : first + 1;
    uint32_t found = line->sets ? lmb_graph_find_parameter(graph, line->name) : lmb_graph_find_event(graph, line->name);
    size_t count = lmb_graph_parameter_count(graph);
    for (uint32_t i = first; i < end; i++) {
        if (line->sets) {
            playing->row[i * count + found] = line->value;
        } else if (playing->side.event_count < playing->side.events_a_frame) {
            playing->side.events[playing->side.event_count++] = (lmb_event){i, found};
        }
    }
}

// A line belongs to the first frame that is not before its time; frame k is at k / rate.
static void begin_frame(playing *playing, uint32_t frame) {
    playing->side.event_count = 0;
    while (playing->next_line < playing->script.count &&
           playing->script.lines[playing->next_line].seconds <= frame / (double)playing->rate + 1e-9) {
        apply_line(playing, &playing->script.lines[playing->next_line++]);
    }
    memcpy(playing->side.parameters, playing->row,
           (size_t)playing->side.character_count * lmb_graph_parameter_count(playing->graph.graph) * sizeof(float));
}

// Of all characters: states, what was told, palettes.
static uint64_t hash_frame(const playing *playing) {
    const play_side *side = &playing->side;
    const lmb_batch batch = {side->program, side->character_count, LMB_OUTPUT_PALETTE};
    size_t characters = side->character_count;
    uint32_t told_words = lmb_control_told_words(side->control);
    uint64_t hash = lmb_control_hash(side->state, characters * lmb_control_state_words(side->control));
    for (size_t i = 0; i < characters; i++) {
        const uint32_t *told = side->told + i * told_words;
        uint32_t kept = told[0] < told_words / 2 ? 1 + 2 * told[0] : told_words;
        hash = hash * 31 + lmb_control_hash(told, kept);
    }
    size_t floats = lmb_batch_stage_floats(&batch, LMB_STAGE_PALETTE);
    for (size_t i = 0; i < characters * floats; i++) {
        uint32_t bits;
        memcpy(&bits, &side->palettes[i], sizeof bits);
        hash = hash * 31 + bits;
    }
    return hash;
}

// "jump:float", or "life:move/gait:run" where a machine runs within a state.
static void write_path(const playing *playing, char *path, size_t size) {
    const lmb_control_def *def = lmb_graph_control_def(playing->graph.graph);
    size_t used = 0;
    path[0] = '\0';
    for (uint32_t i = 0; i < def->machine_count && used < size; i++) {
        const lmb_machine_def *machine = &def->machines[i];
        bool current = true;
        for (const lmb_machine_def *at = machine; at->machine != LMB_NONE; at = &def->machines[at->machine]) {
            current =
                current && lmb_control_current_state(playing->control, playing->side.state, at->machine) == at->state;
        }
        if (current) {
            uint32_t state = lmb_control_current_state(playing->control, playing->side.state, i);
            int more = snprintf(path + used, size - used, "%s%s:%s",
                                used == 0                      ? ""
                                : machine->machine == LMB_NONE ? " "
                                                               : "/",
                                lmb_graph_machine_name(playing->graph.graph, i),
                                lmb_graph_state_name(playing->graph.graph, i, state));
            used += more > 0 ? (size_t)more : 0;
        }
    }
}

// Whether other states are current than in the frame before.
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
    const play_side *side = &playing->side;
    const lmb_graph *graph = playing->graph.graph;
    printf("%6u %9.4f  ", (unsigned)frame, seconds_of(playing->passed));
    command_print_text(playing->path, 24);
    for (uint32_t i = 0; i < lmb_graph_control_def(graph)->player_count; i++) {
        float weight = lmb_control_player_weight(side->control, side->state, i);
        if (weight > 0.0f) {
            printf("  ");
            command_print_text(lmb_graph_player_name(graph, i), 0);
            printf(" %.4f x%.4f", seconds_of(lmb_control_player_ticks(side->control, side->state, i)), (double)weight);
        }
    }
    if (lmb_control_has_mover(side->control)) {
        const lmb_mover mover = lmb_control_mover(side->control, side->state);
        printf("  at %.4f %.4f %.4f yaw %.4f", mover.position[0], mover.position[1], mover.position[2], mover.yaw);
    }
    uint32_t capacity = lmb_control_told_words(side->control) / 2;
    for (uint32_t i = 0; i < side->told[0] && i < capacity; i++) {
        printf("  !");
        command_print_text(lmb_graph_event_name(graph, side->told[1 + 2 * i]), 0);
    }
    printf("  0x%016" PRIx64 "\n", hash_frame(playing));
}

static void write_mover(const play_side *side, json *json) {
    if (lmb_control_has_mover(side->control)) {
        const lmb_mover mover = lmb_control_mover(side->control, side->state);
        json_begin_array(json, "position");
        for (int i = 0; i < 3; i++) {
            json_float(json, NULL, (float)mover.position[i]);
        }
        json_end_array(json);
        json_float(json, "yaw", (float)mover.yaw);
    }
}

static void write_frame(const playing *playing, uint32_t frame, json *json) {
    const play_side *side = &playing->side;
    const lmb_graph *graph = playing->graph.graph;
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, hash_frame(playing));
    json_begin_object(json, NULL);
    json_unsigned(json, "frame", frame);
    json_unsigned(json, "ticks", playing->passed);
    json_text(json, "path", playing->path);
    json_begin_array(json, "clips");
    for (uint32_t i = 0; i < lmb_graph_control_def(graph)->player_count; i++) {
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
    write_mover(side, json);
    json_begin_array(json, "events");
    uint32_t capacity = lmb_control_told_words(side->control) / 2;
    for (uint32_t i = 0; i < side->told[0] && i < capacity; i++) {
        json_text(json, NULL, lmb_graph_event_name(graph, side->told[1 + 2 * i]));
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
    for (uint32_t frame = 0; frame < playing->frame_count && result == LMB_OK; frame++) {
        uint64_t now = (uint64_t)frame * LMB_TICKS_PER_SECOND / playing->rate;
        begin_frame(playing, frame);
        result = play_side_run(&playing->side, now - playing->passed, frame, error);
        playing->passed = now;
        bool changes = follow_path(playing) || frame == 0;
        bool tells = result == LMB_OK && (changes || !playing->changes_alone);
        if (tells && playing->as_json) {
            write_frame(playing, frame, &json);
        } else if (tells) {
            print_frame(playing, frame);
        }
    }
    if (playing->as_json) {
        json_end_array(&json);
        json_end_object(&json);
        putchar('\n');
    }
    return result;
}

static int check_usage(playing *playing, const char *backend) {
    if (playing->graph_text == NULL && playing->machine_name == NULL) {
        return usage_error("play", "neither --graph nor --machine given");
    }
    if (strcmp(backend, "gpu") != 0 && strcmp(backend, "reference") != 0) {
        return usage_error("play", "--backend must be reference or gpu, not '%s'", backend);
    }
    playing->side.gpu = strcmp(backend, "gpu") == 0;
    if (playing->side.device_name != NULL && !playing->side.gpu) {
        return usage_error("play", "--device needs --backend gpu");
    }
    if (playing->rate > MOST_RATE) {
        return usage_error("play", "--fps may be %u at most", MOST_RATE);
    }
    return 0;
}

static int read_usage(playing *playing, int argc, char **argv, bool *proceed) {
    const char *backend = "reference";
    const option options[] = {
        {"--graph", OPTION_TEXT, &playing->graph_text, "FILE|JSON", "a file of JSON, or the JSON itself"},
        {"--machine", OPTION_TEXT, &playing->machine_name, "FILE",
         "a machine's text, for the graph's machine without states, or alone"},
        {"--pose", OPTION_TEXTS, &playing->static_poses, "NAME=CLIP@TIME", "a static pose, from a clip at a time"},
        {"--script", OPTION_TEXT, &playing->script_name, "FILE",
         "what the host does: 'TIME send EVENT [CHARACTER]',\n"
         "                          'TIME set NAME VALUE [CHARACTER]', a line each"},
        {"--fps", OPTION_COUNT, &playing->rate, "N", "frames a second (60)"},
        {"--frames", OPTION_COUNT, &playing->frame_count, "N", "frames (60); the first is at time 0"},
        {"--characters", OPTION_COUNT, &playing->side.character_count, "N",
         "characters (1), of which the first is told of"},
        {"--backend", OPTION_TEXT, &backend, "BACKEND", "reference (default) or gpu"},
        {"--device", OPTION_TEXT, &playing->side.device_name, "NAME|INDEX", "part of a device's name, or its index"},
        {"--changes", OPTION_FLAG, &playing->changes_alone, NULL,
         "the first frame, and those with other states than the one before"},
        {"--json", OPTION_FLAG, &playing->as_json, NULL, "print JSON"}};
    const usage usage = {
        .command = "play",
        .synopsis = "FILE... --graph FILE|JSON [--machine FILE] [--pose NAME=CLIP@TIME ...] [--script FILE]\n"
                    "                   [--fps N] [--frames N] [--characters N] [--changes]\n"
                    "                   [--backend reference|gpu] [--device NAME|INDEX] [--json]\n"
                    "       limber play FILE... --machine FILE ...",
        .text =
            "Runs a graph that moves by itself, as include/limber/graph.h and machine.h describe it, and prints for\n"
            "each frame its number and time, the current states, the clips that weigh something with their times and\n"
            "weights, where a mover stands and faces, the events told, and a hash of all characters' states and\n"
            "palettes. Every backend prints the same.\n" CHARACTER_HELP,
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .takes_files = true};
    int status = 0;
    *proceed = options_read(&usage, argc, argv, &playing->file_count, &status);
    if (*proceed) {
        status = check_usage(playing, backend);
        *proceed = status == 0;
    }
    return status;
}

static int run_command(playing *playing, char **files) {
    lmb_error error = {0};
    if (character_open(files, playing->file_count, &playing->character, &error) != LMB_OK) {
        return command_failed(NULL, &error);
    }
    if (!graph_file_read_machine(playing->graph_text, playing->machine_name, &playing->character,
                                 &playing->static_poses, &playing->graph)) {
        return 1;
    }
    graph_file_warn(&playing->graph);
    lmb_result result = read_script(playing, &error);
    if (result != LMB_OK) {
        return command_failed(NULL, &error);
    }
    result = create(playing, &error);
    if (result == LMB_OK) {
        result = fill_row(playing, &error);
    }
    if (result == LMB_OK) {
        result = play(playing, &error);
    }
    return result == LMB_OK ? 0 : command_failed(playing->file, &error);
}

static int release(playing *playing, int status) {
    lmb_error error = {0};
    lmb_result closed = play_side_destroy(&playing->side, &error);
    lmb_control_destroy(playing->control);
    lmb_program_destroy(playing->program);
    play_script_release(&playing->script);
    free(playing->row);
    graph_file_release(&playing->graph);
    character_close(&playing->character);
    free(playing->static_poses.values);
    return closed == LMB_OK || status != 0 ? status : command_failed("play", &error);
}

int command_play(int argc, char **argv) {
    playing playing = {.static_poses.values = calloc((size_t)argc + 1, sizeof(const char *)),
                       .rate = 60,
                       .frame_count = 60,
                       .side = {.character_count = 1}};
    if (playing.static_poses.values == NULL) {
        lmb_error error = {.message = "no memory for the static poses"};
        return command_failed("play", &error);
    }
    bool proceed = false;
    int status = read_usage(&playing, argc, argv, &proceed);
    if (proceed) {
        playing.file = argv[0];
        status = run_command(&playing, argv);
    }
    return release(&playing, status);
}
