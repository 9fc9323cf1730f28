#include "graph_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_line.h"
#include "file.h"
#include "graphics.h"
#include "measure.h"
#include "terminal.h"

#define KEPT_FRAMES 900u // 15 seconds at 60 frames per second
#define KEPT_BYTES ((size_t)64 << 20)
#define LISTED 5u // mistakes and warnings
#define LARGEST_TEXT 480u

// ---- Opening.

static lmb_result read_script(graph_view *view, lmb_error *error) {
    char *text = NULL;
    size_t size = 0;
    if (view->def.script == NULL) {
        return LMB_OK;
    }
    if (file_read(view->def.script, FILE_LARGEST_TEXT, &text, &size, error)) {
        return error->result;
    }
    lmb_error found;
    const lmb_result result = play_script_read(text, size, &view->script, &found);
    free(text);
    return result == LMB_OK ? LMB_OK : viewer_fail(error, result, "%s: %.400s", view->def.script, found.message);
}

static lmb_result read_names(graph_view *view, lmb_error *error) {
    char *text = NULL;
    size_t size = 0;
    if (view->def.names == NULL || file_read(view->def.names, FILE_LARGEST_TEXT, &text, &size, error)) {
        return view->def.names == NULL ? LMB_OK : error->result;
    }
    const lmb_result result = lmb_graph_aliases_read(text, size, view->def.names, NULL, &view->aliases, error);
    free(text);
    return result;
}

static graph_file_character character_of(const graph_view *view, const character *character) {
    return (graph_file_character){.rig = character->rig,
                                  .clips = view->clips,
                                  .clip_count = character_clip_count(character),
                                  .sources = character->sources.named,
                                  .source_count = character->sources.count,
                                  .poses = character->poses,
                                  .pose_count = character->pose_count,
                                  .aliases = view->aliases};
}

lmb_result graph_view_open(const graph_view_def *def, character *character, graph_view *view, lmb_error *error) {
    static const char rest[] = "{\"op\": \"rest\"}";
    const uint32_t count = character_clip_count(character);
    const char *slash = strrchr(def->file, '/');
    *view = (graph_view){.def = *def,
                         .name = slash != NULL && slash[1] != '\0' ? slash + 1 : def->file,
                         .character = character,
                         .held_place = LMB_NONE,
                         .needed_place = LMB_NONE,
                         .clips = malloc((count + (size_t)1) * sizeof(lmb_clip *))};
    for (uint32_t i = 0; i < count && view->clips != NULL; i++) {
        view->clips[i] = character_clip(character, i);
    }
    if (view->clips != NULL) {
        const graph_file_character of = character_of(view, character);
        view->fallback = graph_version_read(&of, "rest", rest, sizeof rest - 1);
    }
    if (view->fallback == NULL) {
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory for %u clips", count);
    }
    return read_names(view, error) ? error->result : read_script(view, error);
}

static lmb_result create_run(const graph_view *view, const graph_device_version *version, graph_run **run,
                             graph_weights **weights, lmb_error *error) {
    const graph_run_def def = {.def = lmb_graph_json_def(version->text->json),
                               .graph = version->text->graph,
                               .character_count = view->crowd->count,
                               .memory = KEPT_BYTES,
                               .frames = version->kept_frames};
    if (graph_run_create(&def, run, error)) {
        return error->result;
    }
    if (graph_weights_create(def.def, def.graph, weights, error)) {
        graph_run_destroy(*run);
        return error->result;
    }
    return LMB_OK;
}

// In a crowd, the character that is watched is marked.
static void watch(graph_view *view, uint32_t character) {
    static const float mark[3] = {0.90f, 0.16f, 0.50f};
    crowd_member *members = view->crowd->members;
    if (view->crowd->count > 1) {
        memcpy(members[view->watched].placement.tint, view->tint, sizeof view->tint);
        memcpy(view->tint, members[character].placement.tint, sizeof view->tint);
        memcpy(members[character].placement.tint, mark, sizeof mark);
    }
    view->watched = character;
}

static void place_crowd(graph_view *view) {
    crowd *crowd = view->crowd;
    crowd_place(crowd);
    crowd_place_single(crowd);
    for (uint32_t i = 0; i < crowd->count; i++) {
        const crowd_placement *placement = &crowd->members[i].placement;
        view->starts[i] = (crowd_start){.position = {placement->position[0], placement->position[1]},
                                        .facing = atan2f(placement->heading[1], placement->heading[0])};
    }
    memcpy(view->tint, crowd->members[view->watched].placement.tint, sizeof view->tint);
    watch(view, view->watched);
}

lmb_result graph_view_start(graph_view *view, crowd *crowd, device *device, lmb_gpu *gpu, uint32_t frame_count,
                            bool waits, lmb_error *error) {
    const graph_device_def def = {.device = device,
                                  .gpu = gpu,
                                  .character_count = crowd->count,
                                  .frame_count = frame_count,
                                  .kept_frames = KEPT_FRAMES,
                                  .waits = waits};
    const graph_file_character of = character_of(view, crowd->character);
    graph_file file;
    view->crowd = crowd;
    view->starts = calloc(crowd->count, sizeof *view->starts);
    if (view->starts == NULL) {
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory for %u characters", crowd->count);
    }
    place_crowd(view);
    if (graph_file_open(view->def.file, &of, &file, error)) {
        return error->result;
    }
    graph_version *fallback = view->fallback;
    view->fallback = NULL;
    if (graph_device_create(&def, fallback, &file, &view->device, error)) {
        return error->result;
    }
    return create_run(view, graph_device_shown(view->device), &view->run, &view->weights, error);
}

void graph_view_close_device(graph_view *view) {
    graph_weights_destroy(view->weights);
    graph_run_destroy(view->run);
    graph_device_destroy(view->device);
    view->weights = NULL;
    view->run = NULL;
    view->device = NULL;
}

void graph_view_close(graph_view *view) {
    graph_version_destroy(view->fallback);
    play_script_release(&view->script);
    lmb_graph_aliases_destroy(view->aliases);
    free(view->starts);
    free((void *)view->clips);
    *view = (graph_view){0};
}

lmb_gpu_batch *graph_view_batch(const graph_view *view) {
    return graph_device_shown(view->device)->batch;
}

// ---- What the settings, the script and the file say.

// Shows a note in the panel, and prints it.
static void note(graph_view *view, const char *text) {
    snprintf(view->note, sizeof view->note, "%s", text);
    terminal_error("limber-viewer: %s\n", text);
    view->has_failed = true;
}

static void set_parameter(graph_view *view, const char *name, float value) {
    graph_setting *setting = graph_run_find(view->run, name);
    char text[200];
    if (setting != NULL) {
        graph_run_set(view->run, setting, value);
        return;
    }
    snprintf(text, sizeof text, "the graph has no parameter '%s' to set", name);
    note(view, text);
}

static void apply_settings(graph_view *view) {
    for (uint32_t i = 0; i < view->def.setting_count; i++) {
        const char *setting = view->def.settings[i];
        const char *equals = strrchr(setting, '=');
        char name[100] = "", text[200];
        float value;
        const size_t length = equals != NULL ? (size_t)(equals - setting) : 0;
        if (equals == NULL || length >= sizeof name || !option_read_float(equals + 1, &value)) {
            snprintf(text, sizeof text, "--set %s: not NAME=NUMBER", setting);
            note(view, text);
        } else {
            memcpy(name, setting, length);
            set_parameter(view, name, value);
        }
    }
}

static void apply_line(graph_view *view, const play_line *line) {
    const uint32_t event = line->sets ? LMB_NONE : lmb_graph_find_event(view->run->graph, line->name);
    const bool is_known = line->character == LMB_NONE || (!line->sets && line->character < view->crowd->count);
    char text[200];
    if (!is_known) {
        snprintf(text, sizeof text, "line %u of the script: %s", (unsigned)line->number,
                 line->sets ? "a parameter is set for all characters" : "there is no such character");
        note(view, text);
    } else if (line->sets) {
        set_parameter(view, line->name, line->value);
    } else if (event != LMB_NONE) {
        graph_run_send(view->run, event, line->character);
    } else {
        snprintf(text, sizeof text, "the graph has no event '%s' to send", line->name);
        note(view, text);
    }
}

static void follow_script(graph_view *view) {
    const double seconds = view->seconds - view->shown_at + 1e-9;
    while (view->has_shown && view->next_line < view->script.count &&
           view->script.lines[view->next_line].seconds <= seconds) {
        apply_line(view, &view->script.lines[view->next_line++]);
    }
}

static void follow_changes(graph_view *view) {
    double seconds;
    while (view->next_change < view->def.change_count) {
        const char *change = view->def.changes[view->next_change];
        const char *equals = strchr(change, '=');
        if (equals == NULL || (seconds = atof(change), seconds > view->seconds + 1e-9)) {
            return;
        }
        graph_device_follow(view->device, equals + 1);
        view->next_change++;
    }
}

static lmb_result replace(graph_view *view, const graph_device_version *version, uint32_t number, lmb_error *error) {
    graph_run *run = NULL;
    graph_weights *weights = NULL;
    if (create_run(view, version, &run, &weights, error)) {
        return error->result;
    }
    const bool goes_on = graph_run_continue(run, view->run);
    graph_weights_destroy(view->weights);
    graph_run_destroy(view->run);
    view->run = run;
    view->weights = weights;
    view->held_place = LMB_NONE;
    view->mistaken = NULL;
    view->note[0] = '\0';
    graph_device_show(view->device, number);
    if (view->has_shown) {
        terminal_error("limber-viewer: %s: read again; %s\n", view->name,
                       goes_on ? "the characters go on" : "the characters begin anew");
    }
    return LMB_OK;
}

static void print_mistakes(const graph_view *view) {
    const graph_version *mistaken = view->mistaken;
    if (mistaken->problems.count == 0) {
        terminal_error("limber-viewer: %s\n", mistaken->error.message);
    }
    for (uint32_t i = 0; i < mistaken->problems.count && i < LMB_MAX_GRAPH_PROBLEMS; i++) {
        const lmb_graph_problem *problem = &mistaken->problems.list[i];
        terminal_error("limber-viewer: %s: line %u, column %u: %s%s%s\n",
                       problem->file[0] != '\0' ? problem->file : view->name, (unsigned)problem->line,
                       (unsigned)problem->column, problem->path, problem->path[0] != '\0' ? ": " : "",
                       problem->message);
    }
}

// Measures the character in the poses of the graph: clips alone may travel where the graph extracts their root motion,
// and a retarget gives poses that are not among the character's clips.
static lmb_result measure(graph_view *view, lmb_error *error) {
    float *rows = NULL;
    uint32_t count = 0;
    lmb_result result = graph_run_sample(view->run, &rows, &count, error);
    if (result == LMB_OK) {
        result = character_measure_graph(view->character, view->run->graph, rows, count, error);
    }
    free(rows);
    if (result == LMB_OK) {
        place_crowd(view);
    }
    return result;
}

bool graph_view_needs_camera(graph_view *view) {
    const bool needs = view->has_shown && !view->is_framed;
    view->is_framed = view->has_shown;
    return needs;
}

static lmb_result follow_file(graph_view *view, uint32_t number, lmb_error *error) {
    const graph_device_version *version = graph_device_poll(view->device);
    if (version == NULL) {
        return LMB_OK;
    }
    if (version->batch == NULL) {
        view->mistaken = version->text;
        view->has_failed = true;
        print_mistakes(view);
        return LMB_OK;
    }
    if (replace(view, version, number, error)) {
        return error->result;
    }
    if (!view->has_shown) {
        view->has_shown = true;
        view->shown_at = view->seconds;
        apply_settings(view);
        return measure(view, error);
    }
    return LMB_OK;
}

// ---- Frames.

lmb_result graph_view_begin(graph_view *view, uint32_t slot, uint32_t number, lmb_error *error) {
    return graph_device_begin(view->device, slot, number, error);
}

static void move_characters(graph_view *view) {
    const graph_moment *moment = graph_run_moment(view->run, 0);
    if (!lmb_control_has_motion(view->run->control)) {
        return;
    }
    for (uint32_t i = 0; i < view->crowd->count; i++) {
        const lmb_motion motion = lmb_control_motion(view->run->control, graph_run_state(view->run, moment, i));
        crowd_follow_motion(view->crowd, &view->starts[i], &motion, &view->crowd->members[i].placement);
    }
}

void graph_view_way(const graph_view *view, float way[2]) {
    const crowd *crowd = view->crowd;
    way[0] = way[1] = 0.0f;
    for (uint32_t i = 0; i < crowd->count; i++) {
        for (size_t axis = 0; axis < 2; axis++) {
            const float moved = crowd->members[i].placement.position[axis] - view->starts[i].position[axis];
            way[axis] += moved / (float)crowd->count;
        }
    }
}

static lmb_result step(graph_view *view, double seconds, lmb_error *error) {
    const graph_moment *before = graph_run_moment(view->run, 0);
    const bool steps = before == NULL || seconds > 0.0 || view->run->changed;
    view->needed_place = before != NULL ? before->place : LMB_NONE;
    return steps ? graph_run_step(view->run, seconds, error) : LMB_OK;
}

// As in `limber play`, the first frame is at time 0, and a line of the script takes effect in the first frame that is
// not before its time.
lmb_result graph_view_advance(graph_view *view, double seconds, uint32_t slot, uint32_t number, lmb_error *error) {
    const double passed = number > 0 ? seconds : 0.0;
    view->seconds += passed;
    follow_changes(view);
    if (follow_file(view, number, error)) {
        return error->result;
    }
    follow_script(view);
    if (step(view, passed, error)) {
        return error->result;
    }
    move_characters(view);
    float *parameters = lmb_gpu_batch_parameters(graph_view_batch(view), slot);
    const graph_run *run = view->run;
    if (parameters != NULL) {
        memcpy(parameters, graph_run_moment(run, 0)->parameters,
               (size_t)run->character_count * run->parameter_count * sizeof *parameters);
    }
    return LMB_OK;
}

lmb_result graph_view_record(graph_view *view, VkCommandBuffer commands, uint32_t slot, lmb_gpu_profile *profile,
                             lmb_error *error) {
    const uint32_t place = graph_run_moment(view->run, 0)->place;
    const graph_device_frame frame = {.commands = commands,
                                      .slot = slot,
                                      .profile = profile,
                                      .place = place,
                                      .restored_place =
                                          view->needed_place != view->held_place ? view->needed_place : LMB_NONE};
    view->held_place = place;
    return graph_device_record(view->device, &frame, error);
}

static void pause(graph_view_time time) {
    *time.paused = true;
    *time.steps = 0;
}

void graph_view_step_back(graph_view *view, graph_view_time time) {
    pause(time);
    if (view->run->current > 1) {
        graph_run_go(view->run, view->run->current - 1);
    }
}

void graph_view_step(graph_view *view, graph_view_time time) {
    pause(time);
    if (view->run->current < view->run->count) {
        graph_run_go(view->run, view->run->current + 1);
    } else {
        *time.steps = 1;
    }
}

// ---- The windows.

static void show_problems(ui *ui, const lmb_graph_problem *list, uint32_t count, ui_tone tone) {
    char text[LARGEST_TEXT];
    for (uint32_t i = 0; i < count && i < LISTED; i++) {
        snprintf(text, sizeof text, "line %u, column %u", (unsigned)list[i].line, (unsigned)list[i].column);
        ui_toned_text(ui, tone, text);
        snprintf(text, sizeof text, "%s%s%s", list[i].path, list[i].path[0] != '\0' ? ": " : "", list[i].message);
        ui_text(ui, text);
    }
    if (count > LISTED) {
        snprintf(text, sizeof text, "and %u more", (unsigned)(count - LISTED));
        ui_toned_text(ui, tone, text);
    }
}

static void show_mistakes(const graph_view *view, ui *ui) {
    const graph_version *mistaken = view->mistaken;
    ui_toned_text(ui, UI_TONE_WRONG,
                  view->has_shown ? "not shown; the last good one goes on" : "not shown; the rest pose instead");
    if (mistaken->problems.count == 0) {
        ui_text(ui, mistaken->error.message);
    }
    show_problems(ui, mistaken->problems.list, mistaken->problems.count, UI_TONE_WRONG);
}

static void show_file(const graph_view *view, ui *ui) {
    const lmb_graph_json *json = graph_device_shown(view->device)->text->json;
    const uint32_t warnings = lmb_graph_json_warning_count(json);
    char title[LARGEST_TEXT];
    snprintf(title, sizeof title, "%s###file", view->name); // another window may have the file's name
    ui_begin_window(ui, title);
    if (view->mistaken != NULL) {
        show_mistakes(view, ui);
    } else if (!view->has_shown) {
        ui_toned_text(ui, UI_TONE_QUIET, "being compiled");
    } else {
        ui_toned_text(ui, UI_TONE_GOOD, "shown as it was saved");
    }
    for (uint32_t i = 0; i < warnings && i < LISTED && view->mistaken == NULL; i++) {
        show_problems(ui, lmb_graph_json_warning_at(json, i), 1, UI_TONE_WARNING);
    }
    if (view->note[0] != '\0') {
        ui_toned_text(ui, UI_TONE_WARNING, view->note);
    }
    ui_end_window(ui);
}

static void show_setting(graph_run *run, graph_setting *setting, ui *ui) {
    float value = setting->value;
    const bool moved = setting->is_time
                           ? ui_playing_slider(ui, setting->name, setting->min, setting->max, &value, &setting->plays)
                           : ui_slider(ui, setting->name, setting->min, setting->max, &value);
    if (moved) {
        graph_run_set(run, setting, value);
    }
}

// Returns whether an event does something; others are only emitted.
static bool is_heard(const lmb_graph_def *def, uint32_t event) {
    bool heard = false;
    for (uint32_t i = 0; i < def->fade_count; i++) {
        heard = heard || def->fades[i].in_event == event || def->fades[i].out_event == event;
    }
    for (uint32_t i = 0; i < def->node_count; i++) {
        const lmb_machine_def *machine = def->nodes[i].op == LMB_OP_MACHINE ? def->nodes[i].machine : NULL;
        for (uint32_t k = 0; machine != NULL && k < machine->transition_count; k++) {
            heard = heard || machine->transitions[k].event == event;
        }
    }
    return heard;
}

static void show_inputs(graph_view *view, ui *ui) {
    graph_run *run = view->run;
    const uint32_t events = lmb_graph_event_count(run->graph);
    ui_begin_window(ui, "inputs");
    for (uint32_t i = 0; i < events; i++) {
        if (is_heard(run->def, i) && ui_button(ui, lmb_graph_event_name(run->graph, i))) {
            graph_run_send(run, i, LMB_NONE);
        }
    }
    if (run->control != NULL && ui_button(ui, "begin anew")) {
        graph_run_send(run, LMB_EVENT_RESET, LMB_NONE);
    }
    for (uint32_t i = 0; i < run->setting_count; i++) {
        show_setting(run, &run->settings[i], ui);
    }
    if (run->setting_count + events == 0) {
        ui_toned_text(ui, UI_TONE_QUIET, "no parameters, no events");
    }
    ui_end_window(ui);
}

// Returns whether the states that a machine is inside of are current.
static bool is_current(const graph_run *run, uint32_t machine, const uint32_t *state) {
    bool current = true;
    uint32_t owning = 0;
    uint32_t owner = lmb_graph_machine_owner(run->graph, machine, &owning);
    for (; owner != LMB_NONE; owner = lmb_graph_machine_owner(run->graph, owner, &owning)) {
        current = current && lmb_control_current_state(run->control, state, owner) == owning;
    }
    return current;
}

// Shows the current state, and below it the transition to it. Without one there is an empty bar, so that nothing below
// it moves.
static void show_machine(const graph_view *view, uint32_t machine, const uint32_t *state, ui *ui) {
    const graph_run *run = view->run;
    const uint32_t current = lmb_control_current_state(run->control, state, machine);
    graph_transition transition = {0};
    char text[LARGEST_TEXT] = "";
    ui_value(ui, lmb_graph_machine_name(run->graph, machine),
             is_current(run, machine, state) ? lmb_graph_state_name(run->graph, machine, current) : "-");
    if (graph_run_transition(run, view->watched, machine, &transition)) {
        snprintf(text, sizeof text, "from %s, %.0f %%%s", lmb_graph_state_name(run->graph, machine, transition.from),
                 100.0 * (double)transition.share, transition.inertialized ? ", inertialized" : "");
    } else {
        transition.share = 0.0f;
    }
    ui_wide_progress(ui, text, transition.share);
}

static bool has_emitted_events(const graph_run *run) {
    bool found = false;
    for (uint32_t i = 0; i < lmb_graph_event_count(run->graph); i++) {
        found = found || !is_heard(run->def, i);
    }
    return found;
}

static void show_emitted(const graph_view *view, ui *ui) {
    lmb_emitted_event event;
    double ago = 0.0;
    char text[LARGEST_TEXT] = "-", name[LARGEST_TEXT / 2];
    if (graph_run_emitted(view->run, view->watched, &event, &ago)) {
        lmb_graph_emitter_name(view->run->graph, &event, name, sizeof name);
        snprintf(text, sizeof text, "%.60s by %s, %.2f s ago", lmb_graph_event_name(view->run->graph, event.event),
                 name, ago);
    }
    ui_value(ui, "emitted", text);
}

static void show_machines(graph_view *view, const uint32_t *state, ui *ui) {
    const uint32_t count = lmb_graph_machine_count(view->run->graph);
    const bool emits = has_emitted_events(view->run);
    char text[LARGEST_TEXT];
    if (count == 0 && !emits && view->crowd->count == 1) {
        return;
    }
    ui_begin_window(ui, "states");
    if (view->crowd->count > 1) {
        uint32_t watched = view->watched;
        snprintf(text, sizeof text, "%u of %u", (unsigned)view->watched, (unsigned)view->crowd->count);
        if (ui_whole_slider(ui, "character", true, 0, view->crowd->count - 1, text, &watched)) {
            watch(view, watched);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        show_machine(view, i, state, ui);
    }
    if (emits) {
        show_emitted(view, ui);
    }
    ui_end_window(ui);
}

// The row of a node in the tree.
typedef struct tree {
    const graph_view *view;
    const lmb_graph_def *def;
    const float *parameters;
    const uint32_t *state;
    ui *ui;
} tree;

static float progress_of(const tree *tree, uint32_t node) {
    const graph_run *run = tree->view->run;
    const uint32_t player = lmb_graph_node_player(run->graph, node);
    if (player == LMB_NONE) {
        return -1.0f;
    }
    const double seconds = fmax((double)lmb_graph_player_duration(run->graph, player), 1e-6);
    return (float)((double)lmb_control_player_ticks(run->control, tree->state, player) / (double)LMB_TICKS_PER_SECOND /
                   seconds);
}

// Names an input where its position alone does not say what it is.
static void name_input(const tree *tree, uint32_t node, uint32_t input, char *text, size_t size) {
    const lmb_node_def *def = &tree->def->nodes[node];
    if (def->op == LMB_OP_MACHINE) {
        snprintf(text, size, "%s", def->machine->states[input].name);
    } else if (def->op == LMB_OP_SPACE1D) {
        snprintf(text, size, "%g", (double)def->positions[input][0]);
    } else if (def->op == LMB_OP_SPACE2D) {
        snprintf(text, size, "%g, %g", (double)def->positions[input][0], (double)def->positions[input][1]);
    } else {
        text[0] = '\0';
    }
}

static void name_node(const tree *tree, uint32_t node, char *text, size_t size) {
    const lmb_node_def *def = &tree->def->nodes[node];
    const uint32_t clip = (uint32_t)def->clip.constant;
    if (def->op == LMB_OP_CLIP && def->clip.kind == LMB_VALUE_CONSTANT && clip < tree->def->clip_count) {
        snprintf(text, size, "%s", lmb_clip_name(tree->def->clips[clip]));
    } else if (def->op == LMB_OP_MACHINE && def->machine->name != NULL && def->machine->name[0] != '\0') {
        snprintf(text, size, "machine %s", def->machine->name);
    } else {
        snprintf(text, size, "%s", lmb_op_name(def->op));
    }
}

static void show_node(const tree *tree, uint32_t node, const char *before, uint32_t id, float weight) {
    const lmb_node_def *def = &tree->def->nodes[node];
    char name[LARGEST_TEXT / 2], text[LARGEST_TEXT];
    name_node(tree, node, name, sizeof name);
    const bool is_both = before[0] == '\0' || strcmp(before, name) == 0; // a state often has its clip's name
    snprintf(text, sizeof text, "%s%s%s", is_both ? "" : before, is_both ? "" : ": ", name);
    const ui_row row = {.id = id,
                        .text = text,
                        .share = weight,
                        .progress = weight > 0.0f ? progress_of(tree, node) : -1.0f,
                        .is_leaf = def->input_count == 0};
    if (!ui_begin_row(tree->ui, &row)) {
        return;
    }
    float shares[LMB_MAX_SPACE_INPUTS];
    graph_weights_shares(tree->view->weights, node, tree->parameters, tree->state, shares);
    for (uint32_t i = 0; i < def->input_count; i++) {
        name_input(tree, node, i, name, sizeof name);
        show_node(tree, def->inputs[i], name, i, weight * shares[i]);
    }
    ui_end_row(tree->ui);
}

static void show_tree(const graph_view *view, const float *parameters, const uint32_t *state, ui *ui) {
    const tree tree = {view, view->run->def, parameters, state, ui};
    ui_begin_window(ui, "nodes and their weights");
    show_node(&tree, tree.def->node_count - 1, "", 0, 1.0f);
    ui_end_window(ui);
}

static void show_time(graph_view *view, graph_view_time time, ui *ui) {
    graph_run *run = view->run;
    const graph_moment *moment = graph_run_moment(run, 0);
    uint32_t frame = run->current;
    char text[LARGEST_TEXT];
    ui_begin_bottom_window(ui, "time");
    if (ui_button(ui, *time.paused ? "play" : "pause")) {
        *time.paused = !*time.paused;
    }
    if (ui_button(ui, "back")) {
        graph_view_step_back(view, time);
    }
    if (ui_button(ui, "step")) {
        graph_view_step(view, time);
    }
    snprintf(text, sizeof text, "%.2f s, frame %u", moment->time, (unsigned)moment->number);
    if (ui_whole_slider(ui, "frame", false, 1, run->count, text, &frame)) {
        pause(time);
        graph_run_go(run, frame);
    }
    ui_end_window(ui);
}

void graph_view_show(graph_view *view, graph_view_time time, bool is_right_free, ui *ui) {
    const graph_run *run = view->run;
    const graph_moment *moment = graph_run_moment(run, 0);
    const float *parameters = graph_run_parameters(run, moment, view->watched);
    const uint32_t *state = run->control != NULL ? graph_run_state(run, moment, view->watched) : NULL;
    ui_keep_left_column(ui);
    show_file(view, ui);
    show_inputs(view, ui);
    ui_begin_right_column(ui);
    if (is_right_free) {
        show_machines(view, state, ui);
        show_tree(view, parameters, state, ui);
    }
    show_time(view, time, ui);
}
