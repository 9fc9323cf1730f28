// `limber play`: runs a graph that moves by itself, driven by a script, and prints it frame by frame.
#include "play.h"

#include "file.h"
#include "json.h"
#include "play_clock.h"
#include "terminal.h"

#include "base/host.h"

#include <limber/explain.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 512

// ---- The run. `limber capture` does the same.

static const char *event_name_at(const void *graph, uint32_t index) {
    return lmb_graph_event_name(graph, index);
}

// Checks the name of a line, and the value of a parameter.
static lmb_result check_line(const play_run *run, const play_line *line, lmb_error *error) {
    const lmb_graph *graph = run->graph;
    const size_t length = strlen(line->name);
    const uint32_t index = line->sets ? command_find_parameter(graph, line->name, length, error)
                                      : command_find_name("no event", line->name, length, event_name_at, graph,
                                                          lmb_graph_get_info(graph)->event_count, error);
    if (index == LMB_NONE) {
        return error->result;
    }
    if (line->sets) {
        const lmb_graph_parameter range = lmb_graph_parameter_at(graph, index);
        if (!(line->value >= range.min && line->value <= range.max)) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "%s: %g is outside %g to %g", line->name, (double)line->value,
                            (double)range.min, (double)range.max);
        }
    }
    return line->character == LMB_NONE || line->character < run->character_count
               ? LMB_OK
               : lmb_fail(error, LMB_ERROR_ARGUMENT, "there is no character %" PRIu32 " for '%s': there are %" PRIu32,
                          line->character, line->name, run->character_count);
}

// Checks every name before anything runs.
static lmb_result check_script(const play_run *run, lmb_error *error) {
    for (uint32_t i = 0; i < run->script.count; i++) {
        const play_line *line = &run->script.lines[i];
        lmb_error found;
        if (check_line(run, line, &found) != LMB_OK) {
            return lmb_fail(error, LMB_ERROR_FORMAT, "%s: line %u, column %u: %.400s", run->script_name,
                            (unsigned)line->number, (unsigned)line->column, found.message);
        }
    }
    return LMB_OK;
}

static lmb_result read_script(play_run *run, lmb_error *error) {
    char *text;
    size_t size;
    lmb_error found;
    if (run->script_name == NULL) {
        return LMB_OK;
    }
    if (file_read(run->script_name, FILE_LARGEST_TEXT, &text, &size, error)) {
        return error->result;
    }
    const lmb_result result = play_script_read(text, size, &run->script, &found);
    free(text);
    return result == LMB_OK ? check_script(run, error)
                            : lmb_fail(error, result, "%s: %.400s", run->script_name, found.message);
}

// Counts all events of the script, an upper bound of the events in one frame.
static uint32_t count_events(const play_run *run) {
    uint64_t most = 0, now = 0;
    for (uint32_t i = 0; i < run->script.count; i++) {
        const play_line *line = &run->script.lines[i];
        now += line->sets ? 0 : line->character == LMB_NONE ? run->character_count : 1;
        most = now > most ? now : most;
    }
    return most < (1u << 24) ? (uint32_t)most : 1u << 24;
}

// Returns whether the run counts a parameter: a clock of the host that no line of the script sets.
static bool is_counted(const play_run *run, uint32_t parameter) {
    const lmb_graph_parameter found = lmb_graph_parameter_at(run->graph, parameter);
    bool counted = !found.is_written && play_is_clock(run->subject.def, parameter);
    for (uint32_t i = 0; i < run->script.count && counted; i++) {
        counted = !run->script.lines[i].sets || strcmp(run->script.lines[i].name, found.name) != 0;
    }
    return counted;
}

static lmb_result fill_row(play_run *run, lmb_error *error) {
    const uint32_t count = lmb_graph_get_info(run->graph)->parameter_count;
    run->row = lmb_arena_allocate(&run->subject.pool, (size_t)run->character_count * count, sizeof(float));
    run->counts = lmb_arena_allocate(&run->subject.pool, count, sizeof *run->counts);
    for (uint32_t i = 0; i < count && run->counts != NULL; i++) {
        run->counts[i] = is_counted(run, i);
    }
    if (run->subject.pool.failed) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for the parameters");
    }
    for (size_t character = 0; character < run->character_count; character++) {
        lmb_graph_defaults(run->graph, run->row + character * count);
    }
    return LMB_OK;
}

static lmb_result read_scene(play_run *run, lmb_error *error) {
    char *text;
    size_t size;
    if (run->scene_name == NULL) {
        return LMB_OK;
    }
    const size_t count = run->character_count;
    run->scene_states =
        lmb_arena_allocate(&run->subject.pool, count * lmb_graph_get_info(run->graph)->state_words, sizeof(uint32_t));
    run->scene_parameters =
        lmb_arena_allocate(&run->subject.pool, count * lmb_graph_get_info(run->graph)->parameter_count, sizeof(float));
    run->scene_events = lmb_arena_allocate(&run->subject.pool, 2 * (size_t)count_events(run), sizeof(lmb_event));
    if (run->subject.pool.failed) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for a scene");
    }
    if (file_read(run->scene_name, FILE_LARGEST_TEXT, &text, &size, error)) {
        return error->result;
    }
    const play_scene_def def = {.text = text,
                                .size = size,
                                .name = run->scene_name,
                                .rig = run->subject.character.rig,
                                .graph = run->graph,
                                .character_count = run->character_count,
                                .unit = 1.0f,
                                .names = &run->subject.names};
    const lmb_result result = play_scene_create(&def, &run->scene, error);
    free(text);
    return result;
}

static lmb_result create_graph(play_run *run, lmb_error *error) {
    lmb_graph_def def = *run->subject.def;
    def.max_emitted_events = def.max_emitted_events > 32 ? def.max_emitted_events : 32;
    const lmb_result result = lmb_graph_create(&def, NULL, &run->graph, error);
    return result;
}

static lmb_result create_side(play_run *run, lmb_error *error) {
    if (lmb_graph_get_info(run->graph)->state_words == 0 && !run->may_stand_still && run->scene == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT,
                        "nothing in the graph moves by itself: it has no machine, and no clip that plays");
    }
    if (lmb_graph_get_info(run->graph)->pose_count > 0) {
        return lmb_fail(error, LMB_ERROR_UNSUPPORTED, "the graph reads pose buffers, and there is nobody to fill them");
    }
    run->side = (side){.batch = {run->graph, run->character_count,
                                 LMB_OUTPUT_PALETTE_BIT | (run->joint_names != NULL ? LMB_OUTPUT_MODEL_BIT : 0)},
                       .events_a_frame = count_events(run),
                       .gpu = run->subject.gpu,
                       .has_points = run->scene != NULL,
                       .device_name = run->subject.device_name};
    return side_create(&run->side, error);
}

static lmb_result open_run(play_run *run, lmb_error *error) {
    subject_warn(&run->subject);
    if (create_graph(run, error)) {
        return error->result;
    }
    if (read_script(run, error) || read_scene(run, error)) {
        run->subject.place = NULL; // the message names the script or the scene
        return error->result;
    }
    return create_side(run, error) || fill_row(run, error) ? error->result : LMB_OK;
}

static void apply_line(play_run *run, const play_line *line) {
    const lmb_graph *graph = run->graph;
    uint32_t first = line->character == LMB_NONE ? 0 : line->character;
    uint32_t end = line->character == LMB_NONE ? run->character_count : first + 1;
    uint32_t found = line->sets ? lmb_graph_find_parameter(graph, line->name) : lmb_graph_find_event(graph, line->name);
    size_t count = lmb_graph_get_info(graph)->parameter_count;
    for (uint32_t i = first; i < end; i++) {
        if (line->sets) {
            run->row[i * count + found] = line->value;
        } else if (run->side.event_count < run->side.events_a_frame) {
            run->side.events[run->side.event_count++] = (lmb_event){i, found};
        }
    }
}

void play_run_begin_frame(play_run *run, uint32_t frame) {
    run->side.event_count = 0;
    while (run->next_line < run->script.count &&
           play_line_is_due(&run->script.lines[run->next_line], frame / (double)run->rate, 1.0 / run->rate)) {
        apply_line(run, &run->script.lines[run->next_line++]);
    }
    const size_t count = lmb_graph_get_info(run->graph)->parameter_count;
    for (size_t i = 0; i < run->character_count * count; i++) {
        run->row[i] = run->counts[i % count] ? (float)fmod(frame / (double)run->rate, PLAY_CLOCK_SECONDS) : run->row[i];
    }
    memcpy(run->side.parameters, run->row, run->character_count * count * sizeof(float));
}

// The scene's points of a frame need to know where its control moves the characters, so it runs here first. It has the
// same bits on a device.
static lmb_result run_scene(play_run *run, uint32_t frame, lmb_error *error) {
    const uint64_t step = play_run_ticks(run, frame) - run->passed;
    const size_t count = (size_t)run->character_count * lmb_graph_get_info(run->graph)->parameter_count;
    const uint32_t events = run->side.event_count;
    play_scene_set_parameters(run->scene, (double)play_run_ticks(run, frame) / (double)LMB_TICKS_PER_SECOND,
                              run->side.parameters);
    if (lmb_graph_get_info(run->graph)->state_words > 0) {
        memcpy(run->scene_parameters, run->side.parameters, count * sizeof(float));
        memcpy(run->scene_events, run->side.events, events * sizeof(lmb_event));
        lmb_events_sort(run->scene_events, run->scene_events + events, events);
        const lmb_control_frame control = {.step = step,
                                           .number = frame,
                                           .character_count = run->character_count,
                                           .state = run->scene_states,
                                           .parameters = run->scene_parameters,
                                           .events = run->scene_events,
                                           .event_count = events,
                                           .reached = run->side.outputs.reached};
        if (lmb_control_run(run->graph, &control, 0, run->character_count, error)) {
            return error->result;
        }
    }
    const play_scene_frame moment = {.seconds = (double)play_run_ticks(run, frame) / (double)LMB_TICKS_PER_SECOND,
                                     .step = (double)step / (double)LMB_TICKS_PER_SECOND,
                                     .states = run->scene_states,
                                     .palettes = frame > 0 ? run->side.outputs.buffers[LMB_OUTPUT_PALETTE] : NULL};
    play_scene_advance(run->scene, &moment);
    run->side.points = play_scene_points(run->scene);
    run->side.transforms = play_scene_transforms(run->scene);
    return LMB_OK;
}

lmb_result play_run_step(play_run *run, uint32_t frame, lmb_error *error) {
    lmb_result result = run->scene != NULL ? run_scene(run, frame, error) : LMB_OK;
    if (result == LMB_OK) {
        result = side_run(&run->side, play_run_ticks(run, frame) - run->passed, frame, error);
    }
    run->passed = play_run_ticks(run, frame);
    return result;
}

uint64_t play_run_ticks(const play_run *run, uint32_t frame) {
    return (uint64_t)frame * LMB_TICKS_PER_SECOND / run->rate;
}

lmb_result play_run_all(subject *subject, lmb_error *error) {
    play_run *run = (play_run *)subject;
    const bool failed = open_run(run, error) || run->body(run, error);
    const lmb_result result = side_destroy(&run->side, failed ? error->result : LMB_OK, error);
    play_scene_destroy(run->scene);
    lmb_graph_destroy(run->graph);
    play_script_release(&run->script);
    return result;
}

// ---- The command.

typedef struct playing {
    play_run run;
    bool changes_alone;
    bool has_reasons;
    bool as_json;
    uint32_t *joints;
    uint32_t joint_count;
    uint64_t character;   // that is printed
    char path[PATH_SIZE]; // of current states, in this frame
    lmb_transition_report reports[LMB_MAX_TRANSITIONS];
} playing;

// The state, the emitted events and the parameters of the character that is printed.
static const uint32_t *state_of(const playing *playing) {
    return playing->run.side.state + (size_t)playing->character * lmb_graph_get_info(playing->run.graph)->state_words;
}

static const uint32_t *emitted_of(const playing *playing) {
    return playing->run.side.emitted +
           (size_t)playing->character * lmb_graph_get_info(playing->run.graph)->emitted_words;
}

static const float *parameters_of(const playing *playing) {
    return playing->run.side.parameters +
           (size_t)playing->character * lmb_graph_get_info(playing->run.graph)->parameter_count;
}

// Hashes the states, emitted events and palettes of all characters.
static uint64_t hash_frame(const playing *playing) {
    const side *side = &playing->run.side;
    const size_t characters = side->batch.character_count;
    uint64_t hash = lmb_hash_words(side->state, characters * lmb_graph_get_info(playing->run.graph)->state_words);
    hash =
        hash * 31 + lmb_hash_words(side->emitted, characters * lmb_graph_get_info(playing->run.graph)->emitted_words);
    size_t floats = lmb_batch_output_floats(&side->batch, LMB_OUTPUT_PALETTE);
    for (size_t i = 0; i < characters * floats; i++) {
        uint32_t bits;
        memcpy(&bits, &side->outputs.buffers[LMB_OUTPUT_PALETTE][i], sizeof bits);
        hash = hash * 31 + bits;
    }
    return hash;
}

// Returns whether all states around a machine are current.
static bool is_current(const playing *playing, uint32_t machine) {
    const lmb_graph *graph = playing->run.graph;
    bool current = true;
    lmb_graph_machine inner = lmb_graph_machine_at(graph, machine);
    for (; inner.owner != LMB_NONE; inner = lmb_graph_machine_at(graph, inner.owner)) {
        const uint32_t state = lmb_state_current(graph, state_of(playing), inner.owner);
        current = current && state == inner.owner_state;
    }
    return current;
}

// Writes "jump:float", or "life:move/gait:run" if a machine runs inside a state.
static void write_path(const playing *playing, char *path, size_t size) {
    const lmb_graph *graph = playing->run.graph;
    const uint32_t *states = state_of(playing);
    size_t used = 0;
    path[0] = '\0';
    for (uint32_t i = 0; i < lmb_graph_get_info(graph)->machine_count && used < size; i++) {
        const lmb_graph_machine machine = lmb_graph_machine_at(graph, i);
        if (is_current(playing, i)) {
            const uint32_t state = lmb_state_current(graph, states, i);
            int more = snprintf(path + used, size - used, "%s%s:%s",
                                used == 0                   ? ""
                                : machine.owner != LMB_NONE ? "/"
                                                            : " ",
                                machine.name, lmb_graph_state_name(graph, i, state));
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

// When an event of a frame happened, in ticks since the beginning.
static uint64_t time_of_event(const playing *playing, uint32_t frame, const lmb_emitted_event *event) {
    return (frame > 0 ? play_run_ticks(&playing->run, frame - 1) : 0) + (uint64_t)event->ticks;
}

// Returns where a joint is in model space.
static void find_position(const playing *playing, uint32_t joint, float position[3]) {
    const side *side = &playing->run.side;
    const float *model = side->outputs.buffers[LMB_OUTPUT_MODEL] +
                         (size_t)playing->character * lmb_batch_output_floats(&side->batch, LMB_OUTPUT_MODEL) +
                         (size_t)joint * LMB_MATRIX_COMPONENTS;
    for (int row = 0; row < 3; row++) {
        position[row] = model[4 * row + 3];
    }
}

static void print_joints(const playing *playing) {
    for (uint32_t i = 0; i < playing->joint_count; i++) {
        float position[3];
        find_position(playing, playing->joints[i], position);
        terminal_print("  %s %.4f %.4f %.4f",
                       lmb_rig_get_def(playing->run.subject.character.rig)->joints[playing->joints[i]].name,
                       (double)position[0], (double)position[1], (double)position[2]);
    }
}

static void print_frame(const playing *playing, uint32_t frame) {
    const lmb_graph *graph = playing->run.graph;
    terminal_print("%6u %9.4f  %-24s", (unsigned)frame, seconds_of(playing->run.passed), playing->path);
    for (uint32_t i = 0; i < lmb_graph_get_info(graph)->player_count; i++) {
        const lmb_player_state player = lmb_state_player(graph, state_of(playing), i);
        if (player.weight > 0.0f) {
            terminal_print("  %s %.4f x%.4f", lmb_graph_player_at(graph, i).name, seconds_of(player.ticks),
                           (double)player.weight);
        }
    }
    if (lmb_graph_get_info(graph)->has_motion) {
        const lmb_motion character_motion = lmb_state_motion(graph, state_of(playing));
        terminal_print("  at %.4f %.4f %.4f yaw %.4f", character_motion.position[0], character_motion.position[1],
                       character_motion.position[2], character_motion.yaw);
    }
    print_joints(playing);
    for (uint32_t i = 0; i < lmb_emitted_count(graph, emitted_of(playing)); i++) {
        const lmb_emitted_event event = lmb_emitted_event_at(emitted_of(playing), i);
        char name[PATH_SIZE];
        lmb_graph_emitter_name(graph, &event, name, sizeof name);
        terminal_print("  !%s %.4f %s", lmb_graph_event_name(graph, event.event),
                       seconds_of(time_of_event(playing, frame, &event)), name);
    }
    terminal_print("  0x%016" PRIx64 "\n", hash_frame(playing));
}

static const char *yes(bool holds) {
    return holds ? "yes" : "no";
}

// Prints a side of a comparison: a constant, or a parameter with its value.
static void print_side(const playing *playing, float value, uint32_t parameter) {
    if (parameter != LMB_NONE) {
        terminal_print("%s ", lmb_graph_parameter_at(playing->run.graph, parameter).name);
    }
    terminal_print("%g", (double)value);
}

// Returns the name of a state of the machine of a term, or "".
static const char *state_name(const playing *playing, const lmb_term_report *term, float index) {
    return index >= 0.0f && index < (float)LMB_MAX_STATES
               ? lmb_graph_state_name(playing->run.graph, term->machine, (uint32_t)index)
               : "";
}

static void print_term(const playing *playing, const lmb_term_report *term) {
    terminal_print("; ");
    if (term->kind < LMB_TERM_AND) {
        const lmb_graph *graph = playing->run.graph;
        if (term->player != LMB_NONE) {
            terminal_print("time of %s ", lmb_graph_player_at(graph, term->player).name);
        } else if (term->operand == LMB_OPERAND_STATE) {
            terminal_print("state of %s %s ", lmb_graph_machine_at(graph, term->machine).name,
                           state_name(playing, term, term->left));
        } else if (term->operand == LMB_OPERAND_TRIGGER) {
            terminal_print("trigger %s ", lmb_graph_event_name(graph, term->event));
        } else if (term->operand != LMB_OPERAND_VALUE) {
            terminal_print("%s ", lmb_operand_name(term->operand));
        }
        print_side(playing, term->left, term->left_parameter);
        terminal_print(" %s ", lmb_term_kind_name(term->kind));
        print_side(playing, term->right, term->right_parameter);
        if (term->operand == LMB_OPERAND_STATE) {
            terminal_print(" %s", state_name(playing, term, term->right));
        }
    } else {
        terminal_print("%s", lmb_term_kind_name(term->kind));
    }
    terminal_print(": %s", yes(term->holds));
}

static void print_reason(const playing *playing, uint32_t machine, const lmb_transition_report *report) {
    const lmb_graph *graph = playing->run.graph;
    terminal_print("%18s%s: to %s: ", "", lmb_graph_machine_at(graph, machine).name,
                   lmb_graph_state_name(graph, machine, report->to));
    if (report->event == LMB_NONE) {
        terminal_print("%s", yes(report->applies));
    } else {
        terminal_print(report->applies ? "waits for %s" : "no; event %s", lmb_graph_event_name(graph, report->event));
    }
    if (report->needs_end) {
        terminal_print("; at the end: %s", yes(report->is_at_end));
    }
    if (report->after > 0.0f) {
        terminal_print("; %g s of %g s: %s", (double)report->seconds, (double)report->after,
                       yes(report->seconds >= report->after));
    }
    for (uint32_t i = 0; i < report->term_count; i++) {
        print_term(playing, &report->terms[i]);
    }
    terminal_print("\n");
}

static void write_term(const playing *playing, const lmb_term_report *term, json *json) {
    const lmb_graph *graph = playing->run.graph;
    json_begin_object(json, NULL);
    json_text(json, "kind", lmb_term_kind_name(term->kind));
    if (term->kind < LMB_TERM_AND) {
        json_float(json, "left", term->left);
        json_float(json, "right", term->right);
    }
    if (term->player != LMB_NONE) {
        json_text(json, "clip", lmb_graph_player_at(graph, term->player).name);
    }
    if (term->machine != LMB_NONE) {
        json_text(json, "machine", lmb_graph_machine_at(graph, term->machine).name);
    }
    if (term->event != LMB_NONE) {
        json_text(json, "trigger", lmb_graph_event_name(graph, term->event));
    }
    if (term->operand == LMB_OPERAND_DRAW) {
        json_bool(json, "is_draw", true);
    }
    if (term->operand == LMB_OPERAND_CHOICE) {
        json_bool(json, "is_choice", true);
    }
    if (term->left_parameter != LMB_NONE) {
        json_text(json, "left_parameter", lmb_graph_parameter_at(graph, term->left_parameter).name);
    }
    if (term->right_parameter != LMB_NONE) {
        json_text(json, "right_parameter", lmb_graph_parameter_at(graph, term->right_parameter).name);
    }
    json_bool(json, "holds", term->holds);
    json_end_object(json);
}

static void write_reason(const playing *playing, uint32_t machine, const lmb_transition_report *report, json *json) {
    const lmb_graph *graph = playing->run.graph;
    json_begin_object(json, NULL);
    json_text(json, "machine", lmb_graph_machine_at(graph, machine).name);
    json_text(json, "to", lmb_graph_state_name(graph, machine, report->to));
    json_bool(json, "applies", report->applies);
    if (report->event != LMB_NONE) {
        json_text(json, "event", lmb_graph_event_name(graph, report->event));
    }
    if (report->needs_end) {
        json_bool(json, "is_at_end", report->is_at_end);
    }
    json_float(json, "after", report->after);
    json_float(json, "seconds", report->seconds);
    json_begin_array(json, "terms");
    for (uint32_t i = 0; i < report->term_count; i++) {
        write_term(playing, &report->terms[i], json);
    }
    json_end_array(json);
    json_end_object(json);
}

// Prints a line for each transition that leaves a current state, in the order in which they are tried; or writes an
// object for each if `json` is not NULL.
static void show_reasons(playing *playing, json *json) {
    const play_run *run = &playing->run;
    for (uint32_t i = 0; i < lmb_graph_get_info(run->graph)->machine_count; i++) {
        const uint32_t count = is_current(playing, i)
                                   ? lmb_state_explain(run->graph, state_of(playing), parameters_of(playing), i,
                                                       playing->reports, LMB_MAX_TRANSITIONS)
                                   : 0;
        for (uint32_t k = 0; k < count; k++) {
            if (json != NULL) {
                write_reason(playing, i, &playing->reports[k], json);
            } else {
                print_reason(playing, i, &playing->reports[k]);
            }
        }
    }
}

static void write_character_motion(const playing *playing, json *json) {
    if (lmb_graph_get_info(playing->run.graph)->has_motion) {
        const lmb_motion character_motion = lmb_state_motion(playing->run.graph, state_of(playing));
        json_begin_array(json, "position");
        for (int i = 0; i < 3; i++) {
            json_float(json, NULL, (float)character_motion.position[i]);
        }
        json_end_array(json);
        json_float(json, "yaw", (float)character_motion.yaw);
    }
}

static void write_joints(const playing *playing, json *json) {
    if (playing->joint_count > 0) {
        json_begin_array(json, "joints");
        for (uint32_t i = 0; i < playing->joint_count; i++) {
            float position[3];
            find_position(playing, playing->joints[i], position);
            json_begin_object(json, NULL);
            json_text(json, "joint",
                      lmb_rig_get_def(playing->run.subject.character.rig)->joints[playing->joints[i]].name);
            json_begin_array(json, "position");
            for (int k = 0; k < 3; k++) {
                json_float(json, NULL, position[k]);
            }
            json_end_array(json);
            json_end_object(json);
        }
        json_end_array(json);
    }
}

static void write_event(const playing *playing, uint32_t frame, const lmb_emitted_event *event, json *json) {
    static const char *const kinds[LMB_EMITTED_COUNT] = {[LMB_EMITTED_NOTIFY] = "notify",
                                                         [LMB_EMITTED_LOOPED] = "looped",
                                                         [LMB_EMITTED_ENDED] = "ended",
                                                         [LMB_EMITTED_ENTRY] = "entry",
                                                         [LMB_EMITTED_EXIT] = "exit"};
    char name[PATH_SIZE];
    lmb_graph_emitter_name(playing->run.graph, event, name, sizeof name);
    json_begin_object(json, NULL);
    json_text(json, "event", lmb_graph_event_name(playing->run.graph, event->event));
    json_unsigned(json, "ticks", time_of_event(playing, frame, event));
    json_text(json, "kind", kinds[event->kind]);
    json_text(json, "source", name);
    json_float(json, "weight", event->weight);
    json_float(json, "passes", (float)event->passes);
    json_end_object(json);
}

static void write_frame(playing *playing, uint32_t frame, json *json) {
    const lmb_graph *graph = playing->run.graph;
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, hash_frame(playing));
    json_begin_object(json, NULL);
    json_unsigned(json, "frame", frame);
    json_unsigned(json, "ticks", playing->run.passed);
    json_text(json, "path", playing->path);
    json_begin_array(json, "clips");
    for (uint32_t i = 0; i < lmb_graph_get_info(graph)->player_count; i++) {
        const lmb_player_state player = lmb_state_player(graph, state_of(playing), i);
        if (player.weight > 0.0f) {
            json_begin_object(json, NULL);
            json_text(json, "clip", lmb_graph_player_at(graph, i).name);
            json_unsigned(json, "ticks", player.ticks);
            json_float(json, "weight", player.weight);
            json_end_object(json);
        }
    }
    json_end_array(json);
    write_character_motion(playing, json);
    write_joints(playing, json);
    json_begin_array(json, "events");
    for (uint32_t i = 0; i < lmb_emitted_count(graph, emitted_of(playing)); i++) {
        const lmb_emitted_event event = lmb_emitted_event_at(emitted_of(playing), i);
        write_event(playing, frame, &event, json);
    }
    json_end_array(json);
    if (playing->has_reasons) {
        json_begin_array(json, "transitions");
        show_reasons(playing, json);
        json_end_array(json);
    }
    json_text(json, "hash", hash);
    json_end_object(json);
}

static const char *joint_name_at(const void *rig, uint32_t index) {
    return lmb_rig_get_def(rig)->joints[index].name;
}

// Finds the joints to print by their names, or by what the names stand for.
static lmb_result find_joints(playing *playing, lmb_error *error) {
    const lmb_rig *rig = playing->run.subject.character.rig;
    const lmb_graph_source *names = &playing->run.subject.names;
    const char *at = playing->run.joint_names;
    playing->joints =
        at == NULL ? NULL : lmb_arena_allocate(&playing->run.subject.pool, strlen(at) + 1, sizeof(uint32_t));
    if (at != NULL && playing->joints == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for the joints");
    }
    while (at != NULL) {
        const size_t length = strcspn(at, ",");
        const char *name = at;
        size_t size = length;
        for (uint32_t i = 0; i < names->joint_alias_count; i++) {
            const lmb_graph_alias *alias = &names->joint_aliases[i];
            if (strlen(alias->name) == length && memcmp(alias->name, at, length) == 0) {
                name = alias->target;
                size = strlen(name);
            }
        }
        lmb_error found;
        const uint32_t joint =
            command_find_name("no joint", name, size, joint_name_at, rig, lmb_rig_get_def(rig)->joint_count, &found);
        if (joint == LMB_NONE) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "--joints: %.400s", found.message);
        }
        playing->joints[playing->joint_count++] = joint;
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return LMB_OK;
}

static lmb_result play(play_run *run, lmb_error *error) {
    playing *playing = (struct playing *)run;
    json json = {.stream = stdout};
    if (playing->has_reasons && run->subject.gpu) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "--reasons needs the reference: parameters stay on the device");
    }
    if (find_joints(playing, error)) {
        return error->result;
    }
    if (playing->character >= run->character_count) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "--watch %" PRIu64 ": there are %" PRIu32 ", numbered from 0",
                        playing->character, run->character_count);
    }
    if (playing->as_json) {
        json = json_begin(stdout);
        json_begin_array(&json, "frames");
    }
    lmb_result result = LMB_OK;
    for (uint32_t frame = 0; frame < playing->run.frame_count && result == LMB_OK; frame++) {
        play_run_begin_frame(&playing->run, frame);
        result = play_run_step(&playing->run, frame, error);
        const bool changes = follow_path(playing) || frame == 0;
        const bool is_shown = result == LMB_OK && (changes || !playing->changes_alone);
        if (is_shown && playing->as_json) {
            write_frame(playing, frame, &json);
        } else if (is_shown) {
            print_frame(playing, frame);
            if (playing->has_reasons) {
                show_reasons(playing, NULL);
            }
        }
    }
    if (playing->as_json) {
        json_end_array(&json);
        json_end(&json);
    }
    return result;
}

int command_play(int argc, char **argv) {
    playing playing = {.run = {PLAY_RUN_DEFAULTS, .body = play}};
    const option options[] = {
        PLAY_RUN_OPTIONS(&playing.run),
        {"--scene", OPTION_TEXT, &playing.run.scene_name, "FILE",
         "what is around the characters, as samples/demos/*.scene: ground, rails, a camera"},
        {"--joints", OPTION_TEXT, &playing.run.joint_names, "NAME,...", "also where these joints are in model space"},
        {"--watch", OPTION_NUMBER, &playing.character, "N", "the character that is printed (0)"},
        {"--changes", OPTION_FLAG, &playing.changes_alone, NULL,
         "the first frame, and those with other states than the one before"},
        {"--reasons", OPTION_FLAG, &playing.has_reasons, NULL,
         "also, for each transition from a current state, what it requires and whether it is met"},
        OPTION_JSON(&playing.as_json),
        {0}};
    const usage usage = {
        .command = "limber play",
        .synopsis = "FILE... --graph FILE|JSON [--machine FILE] [--pose NAME=CLIP@TIME ...] [--script FILE]\n"
                    "                   [--scene FILE] [--fps N] [--frames N] [--characters N] [--watch N]\n"
                    "                   [--joints NAME,...] [--changes] [--reasons]\n"
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
    return subject_command(&playing.run.subject, &usage, argc, argv, play_run_all);
}
