#include "graph_view.h"

#include <float.h>
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
#define LOWEST_SPEED 0.05f
#define HIGHEST_SPEED 4.0f
#define LISTED 5u // mistakes and warnings
#define LARGEST_TEXT 480u
#define SCENE_RADIUS 20.0f   // metres that the camera sees clearly
#define GRIP 0.025f          // picture heights: how near to a target the pointer must be
#define DIRECTION_SHARE 0.3f // of the character's height: the length at which directions are drawn

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

static lmb_result read_scene(graph_view *view, lmb_error *error) {
    return view->def.scene != NULL
               ? file_read(view->def.scene, FILE_LARGEST_TEXT, &view->scene, &view->scene_size, error)
               : LMB_OK;
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
                         .dragged = LMB_NONE,
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
    return read_names(view, error) || read_script(view, error) || read_scene(view, error) ? error->result : LMB_OK;
}

// The rest pose, which is shown until there is a graph, has no scene.
static lmb_result create_run(const graph_view *view, const graph_device_version *version, bool has_scene,
                             graph_run **run, graph_weights **weights, lmb_error *error) {
    lmb_graph_source names = {0};
    if (view->aliases != NULL) {
        lmb_graph_aliases_use(view->aliases, &names);
    }
    const graph_run_def def = {.def = lmb_graph_json_def(version->text->json),
                               .graph = version->text->graph,
                               .character_count = view->crowd->count,
                               .memory = KEPT_BYTES,
                               .frames = version->kept_frames,
                               .scene = has_scene ? view->scene : NULL,
                               .scene_size = view->scene_size,
                               .scene_name = view->def.scene,
                               .unit = view->character->unit,
                               .names = &names};
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

// Tells the run where the characters are.
static lmb_result place_run(const graph_view *view, graph_run *run, lmb_error *error) {
    const crowd *crowd = view->crowd;
    float(*matrices)[LMB_MATRIX_COMPONENTS] = malloc(crowd->count * sizeof *matrices);
    if (matrices == NULL) {
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory for %u characters", crowd->count);
    }
    for (uint32_t i = 0; i < crowd->count; i++) {
        crowd_matrix(crowd, &view->starts[i], matrices[i]);
    }
    graph_run_place(run, matrices[0]);
    free(matrices);
    return LMB_OK;
}

static void place_crowd(graph_view *view) {
    crowd *crowd = view->crowd;
    crowd_place(crowd);
    crowd_place_single(crowd);
    for (uint32_t i = 0; i < crowd->count; i++) {
        view->starts[i] = crowd->members[i].placement;
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
                                  .waits = waits,
                                  .compiles = device->properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU};
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
    return create_run(view, graph_device_shown(view->device), false, &view->run, &view->weights, error)
               ? error->result
               : place_run(view, view->run, error);
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
    free(view->scene);
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

// Sets a parameter of all characters, or of one.
static void set_parameter(graph_view *view, const char *name, float value, uint32_t character) {
    graph_setting *setting = graph_run_find(view->run, name);
    char text[200];
    if (setting == NULL) {
        snprintf(text, sizeof text, "the graph has no parameter '%s' to set", name);
        note(view, text);
    } else if (!(value >= setting->min && value <= setting->max)) {
        snprintf(text, sizeof text, "%s: %g is outside %g to %g", name, (double)value, (double)setting->min,
                 (double)setting->max);
        note(view, text);
    } else if (character == LMB_NONE) {
        graph_run_set(view->run, setting, value);
    } else {
        graph_run_set_own(view->run, setting, character, value);
    }
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
            set_parameter(view, name, value, LMB_NONE);
        }
    }
}

static void apply_line(graph_view *view, const play_line *line) {
    const uint32_t event = line->sets ? LMB_NONE : lmb_graph_find_event(view->run->graph, line->name);
    char text[200];
    if (line->character != LMB_NONE && line->character >= view->crowd->count) {
        snprintf(text, sizeof text, "line %u of the script: there is no character %u: there are %u",
                 (unsigned)line->number, (unsigned)line->character, (unsigned)view->crowd->count);
        note(view, text);
    } else if (line->sets) {
        set_parameter(view, line->name, line->value, line->character);
    } else if (event != LMB_NONE) {
        graph_run_send(view->run, event, line->character);
    } else {
        snprintf(text, sizeof text, "the graph has no event '%s' to send", line->name);
        note(view, text);
    }
}

static void follow_script(graph_view *view, double step) {
    const double seconds = view->seconds - view->shown_at;
    while (view->has_shown && view->next_line < view->script.count &&
           play_line_is_due(&view->script.lines[view->next_line], seconds, step)) {
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

// Runs a graph in place of the one before, of which `lost` gets what does not go on. Fails with #LMB_ERROR_FORMAT if
// the scene does not fit it.
static lmb_result run_instead(graph_view *view, const graph_device_version *version, bool *goes_on,
                              char lost[LARGEST_TEXT], lmb_error *error) {
    graph_run *run = NULL;
    graph_weights *weights = NULL;
    if (create_run(view, version, true, &run, &weights, error)) {
        return error->result;
    }
    *goes_on = graph_run_continue(run, view->run, lost, LARGEST_TEXT);
    graph_weights_destroy(view->weights);
    graph_run_destroy(view->run);
    view->run = run;
    view->weights = weights;
    view->dragged = LMB_NONE;
    return LMB_OK;
}

static lmb_result replace(graph_view *view, const graph_device_version *version, uint32_t number, lmb_error *error) {
    bool goes_on = false;
    char lost[LARGEST_TEXT];
    if (run_instead(view, version, &goes_on, lost, error)) {
        return error->result;
    }
    view->held_place = LMB_NONE;
    view->mistaken = NULL;
    view->note[0] = '\0';
    graph_device_show(view->device, number);
    if (view->has_shown) {
        terminal_error("limber-viewer: %s: read again; the characters %s%s%s\n", view->name,
                       goes_on ? "go on" : "begin anew", lost[0] != '\0' ? " without " : "", lost);
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
    float *rows = NULL, points[LMB_MAX_POINTS * 4];
    uint32_t count = 0;
    lmb_result result = graph_run_sample(view->run, &rows, &count, error);
    graph_run_first_points(view->run, points);
    if (result == LMB_OK) {
        result = character_measure_graph(view->character, view->run->graph, rows, points, count, error);
    }
    free(rows);
    return result;
}

// What comes with the first graph of the file: the settings, and the size of the character in its poses. The scene is
// created again for that size.
static lmb_result begin(graph_view *view, lmb_error *error) {
    bool goes_on = false;
    char lost[LARGEST_TEXT];
    view->has_shown = true;
    view->shown_at = view->seconds;
    apply_settings(view);
    if (measure(view, error)) {
        return error->result;
    }
    place_crowd(view);
    view->crowd->radius = view->scene != NULL ? fmaxf(view->crowd->radius, SCENE_RADIUS) : view->crowd->radius;
    if (view->scene != NULL && run_instead(view, graph_device_shown(view->device), &goes_on, lost, error)) {
        return error->result;
    }
    if (view->def.scatters) {
        graph_run_scatter(view->run);
    }
    return place_run(view, view->run, error);
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
    lmb_result result = version->batch != NULL ? replace(view, version, number, error) : LMB_ERROR_FORMAT;
    if (result == LMB_ERROR_FORMAT) {
        if (version->batch != NULL) {
            version->text->error = *error;
        }
        view->mistaken = version->text;
        view->has_failed = true;
        print_mistakes(view);
        return LMB_OK;
    }
    return result == LMB_OK && !view->has_shown ? begin(view, error) : result;
}

// ---- Frames.

lmb_result graph_view_begin(graph_view *view, uint32_t slot, uint32_t number, lmb_error *error) {
    bool is_first = false;
    const lmb_result result = graph_device_begin(view->device, slot, number, &is_first, error);
    if (result == LMB_OK && is_first && view->has_shown) {
        terminal_error("limber-viewer: %s: shown\n", view->name);
    }
    return result;
}

static void move_characters(graph_view *view) {
    const graph_moment *moment = graph_run_moment(view->run, 0);
    for (uint32_t i = 0; i < view->crowd->count; i++) {
        crowd_place_by(view->crowd, graph_run_transform(view->run, moment, i), &view->crowd->members[i].placement);
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

static void write_inputs(const graph_view *view, uint32_t slot) {
    const graph_run *run = view->run;
    const graph_moment *moment = graph_run_moment(run, 0);
    const graph_device_version *shown = graph_device_shown(view->device);
    const size_t characters = run->character_count;
    float *parameters = lmb_gpu_batch_parameters(shown->batch, slot);
    if (parameters != NULL) {
        memcpy(parameters, moment->parameters, characters * run->parameter_count * sizeof *parameters);
    }
    if (shown->points[slot].mapped != NULL) {
        memcpy(shown->points[slot].mapped, moment->points, characters * run->point_count * 4 * sizeof(float));
    }
    if (shown->transforms[slot].mapped != NULL) {
        memcpy(shown->transforms[slot].mapped, moment->transforms, characters * LMB_MATRIX_COMPONENTS * sizeof(float));
    }
}

// As in `limber play`, the first frame is at time 0, and a line of the script takes effect in the frame nearest to its
// time.
lmb_result graph_view_advance(graph_view *view, double seconds, const float eye[3], uint32_t slot, uint32_t number,
                              lmb_error *error) {
    const double passed = number > 0 ? seconds : 0.0;
    view->seconds += passed;
    follow_changes(view);
    if (follow_file(view, number, error)) {
        return error->result;
    }
    follow_script(view, seconds);
    view->run->has_eye = eye != NULL;
    if (eye != NULL) {
        memcpy(view->run->eye, eye, sizeof view->run->eye);
    }
    if (step(view, passed, error)) {
        return error->result;
    }
    move_characters(view);
    write_inputs(view, slot);
    return LMB_OK;
}

const play_scene *graph_view_scene(const graph_view *view, double *seconds) {
    const graph_moment *moment = view->run != NULL ? graph_run_moment(view->run, 0) : NULL;
    *seconds = moment != NULL ? moment->time : 0.0;
    return moment != NULL ? view->run->scene : NULL;
}

lmb_batch_inputs graph_view_inputs(const graph_view *view, uint32_t slot) {
    const graph_device_version *shown = graph_device_shown(view->device);
    return (lmb_batch_inputs){.points = shown->points[slot].mapped, .transforms = shown->transforms[slot].mapped};
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

// ---- The pointer.

static float distance_to(const float a[2], const float b[2], float aspect) {
    return hypotf((a[0] - b[0]) * aspect, a[1] - b[1]);
}

static void find_target_position(const graph_view *view, uint32_t target, float position[3]) {
    graph_run_target(view->run, target, view->watched, DIRECTION_SHARE * view->character->height, position);
}

// A direction that the scene gives, such as a normal, is not shown.
static bool is_left_to_scene(const graph_view *view, uint32_t target) {
    const graph_run *run = view->run;
    return run->scene != NULL && run->targets[target].is_direction && run->places[target][3] == 0.0f;
}

// Returns the target near the pointer, or LMB_NONE.
static uint32_t pick_target(const graph_view *view, const graph_view_pointer *pointer, const camera_view *camera) {
    uint32_t nearest = LMB_NONE;
    float min = GRIP;
    for (uint32_t i = 0; i < view->run->target_count; i++) {
        float position[3], at[2];
        find_target_position(view, i, position);
        const float distance = !is_left_to_scene(view, i) && camera_project(camera, position, at)
                                   ? distance_to(at, pointer->at, camera->aspect)
                                   : FLT_MAX;
        if (distance < min) {
            min = distance;
            nearest = i;
        }
    }
    return nearest;
}

// Moves the dragged target to the pointer, in the plane across the view in which it is.
static void drag(const graph_view *view, const graph_view_pointer *pointer, const camera_view *camera) {
    float position[3], ray[3], depth = 0.0f;
    find_target_position(view, view->dragged, position);
    camera_ray(camera, pointer->at, ray);
    for (size_t axis = 0; axis < 3; axis++) {
        depth += camera->forward[axis] * (position[axis] - camera->eye[axis]);
    }
    for (size_t axis = 0; axis < 3; axis++) {
        position[axis] = camera->eye[axis] + depth * ray[axis];
    }
    graph_run_drag(view->run, view->dragged, view->watched, position);
}

// Returns the character in front whose upright extent the pointer is on, or LMB_NONE.
static uint32_t pick_character(const graph_view *view, const graph_view_pointer *pointer, const camera_view *camera) {
    const crowd *crowd = view->crowd;
    uint32_t nearest = LMB_NONE;
    float min = FLT_MAX;
    for (uint32_t i = 0; i < crowd->count; i++) {
        const crowd_placement *placement = &crowd->members[i].placement;
        const float height = placement->scale * crowd->character->height;
        const float low[3] = {placement->position[0], placement->lift, placement->position[1]};
        const float high[3] = {low[0], low[1] + height, low[2]};
        float feet[2], head[2], depth = 0.0f;
        if (!camera_project(camera, low, feet) || !camera_project(camera, high, head)) {
            continue;
        }
        for (size_t axis = 0; axis < 3; axis++) {
            depth += camera->forward[axis] * (low[axis] - camera->eye[axis]);
        }
        const float share = (pointer->at[1] - head[1]) / fmaxf(feet[1] - head[1], 1e-6f);
        const float middle = head[0] + share * (feet[0] - head[0]);
        const float half = 0.25f * placement->scale * crowd->character->width / (depth * camera->rise);
        if (share > -0.05f && share < 1.05f && fabsf(pointer->at[0] - middle) * camera->aspect < half && depth < min) {
            min = depth;
            nearest = i;
        }
    }
    return nearest;
}

bool graph_view_point(graph_view *view, const graph_view_pointer *pointer, const camera_view *camera) {
    if (graph_run_moment(view->run, 0) == NULL) {
        return false;
    }
    if (pointer->pressed) {
        view->dragged = pick_target(view, pointer, camera);
    }
    const bool takes = view->dragged != LMB_NONE;
    if (takes) {
        drag(view, pointer, camera);
    }
    const uint32_t clicked = pointer->clicked && !takes ? pick_character(view, pointer, camera) : LMB_NONE;
    if (clicked != LMB_NONE) {
        watch(view, clicked);
    }
    if (pointer->released) {
        view->dragged = LMB_NONE;
    }
    return takes;
}

void graph_view_show_targets(const graph_view *view, const camera_view *camera, ui *ui) {
    for (uint32_t i = 0; graph_run_moment(view->run, 0) != NULL && i < view->run->target_count; i++) {
        const graph_target *target = &view->run->targets[i];
        float position[3], at[2], start[2];
        if (is_left_to_scene(view, i)) {
            continue;
        }
        find_target_position(view, i, position);
        if (!camera_project(camera, position, at)) {
            continue;
        }
        if (target->is_direction) {
            const lmb_affine matrix = graph_run_matrix(view->run, view->watched);
            float from[3];
            graph_targets_transform(&matrix, false, target->from, from);
            if (camera_project(camera, from, start)) {
                ui_line(ui, start, at, UI_MARK_TARGET);
            }
        }
        ui_mark(ui, at, UI_MARK_TARGET, target->name, i == view->dragged);
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
        ui_toned_text(ui, UI_TONE_QUIET, "being read");
    } else if (graph_device_is_compiling(view->device)) {
        ui_toned_text(ui, UI_TONE_QUIET, "shown; its kernel is being compiled");
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

// Returns the character whose inputs the windows show and change, or LMB_NONE for those of all.
static uint32_t input_character(const graph_view *view) {
    return view->of_one && view->crowd->count > 1 ? view->watched : LMB_NONE;
}

static void show_setting(graph_view *view, graph_setting *setting, ui *ui) {
    const uint32_t character = input_character(view);
    float value = character == LMB_NONE ? setting->value : graph_run_value(view->run, setting, character);
    const bool moved = setting->is_time && character == LMB_NONE
                           ? ui_playing_slider(ui, setting->name, setting->min, setting->max, &value, &setting->plays)
                           : ui_slider(ui, setting->name, setting->min, setting->max, &value);
    if (moved && character == LMB_NONE) {
        graph_run_set(view->run, setting, value);
    } else if (moved) {
        graph_run_set_own(view->run, setting, character, value);
    }
}

static void show_targets(graph_view *view, ui *ui) {
    graph_run *run = view->run;
    bool stays = run->targets_stay;
    if (run->target_count == 0) {
        return;
    }
    if (ui_button(ui, "targets back")) {
        graph_run_release_targets(run);
    }
    if (run->scene == NULL && ui_check(ui, "targets stay in place", &stays)) {
        graph_run_let_targets_stay(run, stays, view->watched);
    }
}

static void show_inputs(graph_view *view, ui *ui) {
    graph_run *run = view->run;
    const uint32_t events = lmb_graph_get_info(run->graph)->event_count;
    ui_begin_window(ui, "inputs");
    if (view->crowd->count > 1) {
        ui_check(ui, "of this character alone", &view->of_one);
    }
    for (uint32_t i = 0; i < events; i++) {
        if (graph_run_hears(run, i) && ui_button(ui, lmb_graph_event_name(run->graph, i))) {
            graph_run_send(run, i, input_character(view));
        }
    }
    if (run->state_words > 0 && ui_button(ui, "begin anew")) {
        graph_run_send(run, LMB_EVENT_RESET, input_character(view));
    }
    if (view->crowd->count > 1 && run->setting_count + events > 0 && ui_button(ui, "scatter")) {
        graph_run_scatter(run);
    }
    for (uint32_t i = 0; i < run->setting_count; i++) {
        show_setting(view, &run->settings[i], ui);
    }
    show_targets(view, ui);
    if (run->setting_count + events + run->target_count == 0) {
        ui_toned_text(ui, UI_TONE_QUIET, "no parameters, no events");
    }
    ui_end_window(ui);
}

// Returns whether the states that a machine is inside of are current.
static bool is_current(const graph_run *run, uint32_t machine, const uint32_t *state) {
    bool current = true;
    lmb_graph_machine inner = lmb_graph_machine_at(run->graph, machine);
    for (; inner.owner != LMB_NONE; inner = lmb_graph_machine_at(run->graph, inner.owner)) {
        current = current && lmb_state_current(run->graph, state, inner.owner) == inner.owner_state;
    }
    return current;
}

// Shows the current state, and below it the transition to it. Without one there is an empty bar, so that nothing below
// it moves.
static void show_machine(const graph_view *view, uint32_t machine, const uint32_t *state, ui *ui) {
    const graph_run *run = view->run;
    const uint32_t current = lmb_state_current(run->graph, state, machine);
    graph_transition transition = {0};
    char text[LARGEST_TEXT] = "";
    ui_value(ui, lmb_graph_machine_at(run->graph, machine).name,
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
    for (uint32_t i = 0; i < lmb_graph_get_info(run->graph)->event_count; i++) {
        found = found || !graph_run_hears(run, i);
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
    const uint32_t count = lmb_graph_get_info(view->run->graph)->machine_count;
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
    const double seconds = fmax((double)lmb_graph_player_at(run->graph, player).duration, 1e-6);
    return (float)((double)lmb_state_player(run->graph, tree->state, player).ticks / (double)LMB_TICKS_PER_SECOND /
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
        snprintf(text, size, "%s", lmb_clip_get_info(tree->def->clips[clip])->name);
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

void graph_view_show_time(graph_view *view, graph_view_time time, ui *ui) {
    graph_run *run = view->run;
    float speed = (float)*time.speed;
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
    if (ui_small_slider(ui, "speed", "speed %.2f", LOWEST_SPEED, HIGHEST_SPEED, &speed)) {
        *time.speed = (double)speed;
    }
    snprintf(text, sizeof text, "%.2f s, frame %u", moment->time, (unsigned)moment->number);
    if (ui_whole_slider(ui, "frame", false, 1, run->count, text, &frame)) {
        pause(time);
        graph_run_go(run, frame);
    }
    ui_end_window(ui);
}

void graph_view_show_inputs(graph_view *view, ui *ui) {
    show_file(view, ui);
    show_inputs(view, ui);
}

void graph_view_show_graph(graph_view *view, ui *ui) {
    const graph_run *run = view->run;
    const graph_moment *moment = graph_run_moment(run, 0);
    const float *parameters = graph_run_parameters(run, moment, view->watched);
    const uint32_t *state = run->state_words > 0 ? graph_run_state(run, moment, view->watched) : NULL;
    show_machines(view, state, ui);
    show_tree(view, parameters, state, ui);
}
