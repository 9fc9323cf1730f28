// `limber play`: runs a graph that moves by itself, driven by a script, and prints it frame by frame.
#include "command.h"
#include "json.h"
#include "command_line.h"
#include "play_run.h"
#include "terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PATH_SIZE 512

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

static int read_usage(playing *playing, int argc, char **argv, bool *proceed) {
    const char *backend = "reference";
    const option options[] = {PLAY_RUN_OPTIONS(&playing->run, &backend),
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
            "Runs a graph that moves by itself, as include/limber/graph_json.h and machine.h describe it, and prints "
            "for\n"
            "each frame its number and time, the current states, the clips that weigh something with their times and\n"
            "weights, where character motion stands and faces, the events emitted, and a hash of all characters' "
            "states and\n"
            "palettes. Every backend prints the same.\n" CHARACTER_HELP,
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .takes_files = true};
    int status = 0;
    *proceed = command_line_read(&usage, argc, argv, &playing->run.file_count, &status);
    if (*proceed) {
        status = play_run_check(&playing->run, "play", backend);
        *proceed = status == 0;
    }
    return status;
}

int command_play(int argc, char **argv) {
    playing playing = {0};
    lmb_error error = {.message = "no memory for the static poses"};
    if (!play_run_begin(&playing.run, argc)) {
        return command_failed("play", &error);
    }
    bool proceed = false;
    int status = read_usage(&playing, argc, argv, &proceed);
    if (proceed) {
        status = play_run_open(&playing.run, argv);
    }
    if (proceed && status == 0 && play(&playing, &error) != LMB_OK) {
        status = command_failed(playing.run.file, &error);
    }
    lmb_result closed = play_run_close(&playing.run, &error);
    return closed == LMB_OK || status != 0 ? status : command_failed("play", &error);
}
