#include "graph_run.h"

#include <limber/transfer.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "play_clock.h"
#include "random.h"

#define GOLDEN 0.61803399 // parts of the golden ratio are spread evenly
#define SPREAD 4.0        // seconds by which the characters of a crowd begin apart
#define LARGEST_SETTING 1e6f
#define SAMPLED_RUNS 9u
#define SAMPLED_FRAMES 12u
#define SAMPLED_STEP 0.19 // seconds: in no ratio to the usual lengths of clips
#define SCATTERED_FRAMES 16u
#define SCATTERED_STEP 0.23 // seconds

// Returns a number in [0, 1) for a character, 0 for the first one.
static double apart(uint32_t character) {
    return fmod(character * GOLDEN, 1.0);
}

// ---- Settings.

// Returns whether a clip reads a parameter as its time.
static bool times_a_clip(const lmb_graph_def *def, uint32_t parameter) {
    bool found = false;
    for (uint32_t i = 0; i < def->node_count && !found; i++) {
        const lmb_node_def *node = &def->nodes[i];
        found = node->op == LMB_OP_CLIP && node->player == NULL && node->time.kind == LMB_VALUE_PARAMETER &&
                node->time.parameter == parameter;
    }
    return found;
}

// A slider needs a range, and a text may have none.
static void set_range(const lmb_graph_parameter *parameter, graph_setting *setting) {
    const bool has_range = parameter->min < parameter->max;
    setting->min = fmaxf(has_range ? parameter->min : fminf(parameter->initial, 0.0f), -LARGEST_SETTING);
    setting->max = fminf(has_range ? parameter->max : fmaxf(parameter->initial, 1.0f), LARGEST_SETTING);
    if (!(setting->min < setting->max)) {
        setting->min = -LARGEST_SETTING;
        setting->max = LARGEST_SETTING;
    }
    setting->value = fminf(fmaxf(parameter->initial, setting->min), setting->max);
}

static void add_settings(graph_run *run) {
    for (uint32_t i = 0; i < run->parameter_count; i++) {
        const lmb_graph_parameter parameter = lmb_graph_parameter_at(run->graph, i);
        if (!parameter.is_written && parameter.name[0] != '\0') {
            graph_setting *setting = &run->settings[run->setting_count++];
            *setting = (graph_setting){.name = parameter.name, .parameter = i};
            set_range(&parameter, setting);
            const bool is_clock = play_is_clock(run->def, i);
            setting->max = is_clock ? fminf(setting->max, (float)PLAY_CLOCK_SECONDS) : setting->max;
            setting->is_time = setting->plays = is_clock || times_a_clip(run->def, i);
        }
    }
}

graph_setting *graph_run_find(const graph_run *run, const char *name) {
    for (uint32_t i = 0; i < run->setting_count; i++) {
        if (strcmp(run->settings[i].name, name) == 0) {
            return &run->settings[i];
        }
    }
    return NULL;
}

static float fit(const graph_setting *setting, float value) {
    return value >= setting->min ? fminf(value, setting->max) : setting->min; // NaN gives min
}

static float *own_of(const graph_run *run, float *values, const graph_setting *setting, uint32_t character) {
    return &values[(size_t)character * run->setting_count + (size_t)(setting - run->settings)];
}

void graph_run_set(graph_run *run, graph_setting *setting, float value) {
    setting->value = fit(setting, value);
    setting->plays = false;
    for (uint32_t i = 0; i < run->character_count; i++) {
        *own_of(run, run->own, setting, i) = NAN;
    }
    run->changed = true;
}

void graph_run_set_own(graph_run *run, const graph_setting *setting, uint32_t character, float value) {
    *own_of(run, run->own, setting, character) = fit(setting, value);
    run->changed = true;
}

float graph_run_value(const graph_run *run, const graph_setting *setting, uint32_t character) {
    const float own = *own_of(run, run->own, setting, character);
    return isnan(own) ? setting->value : own;
}

bool graph_run_hears(const graph_run *run, uint32_t event) {
    const lmb_graph_def *def = run->def;
    bool heard = false;
    for (uint32_t i = 0; i < def->fade_count; i++) {
        heard = heard || def->fades[i].in_event == event || def->fades[i].out_event == event;
    }
    for (uint32_t i = 0; i < def->node_count; i++) {
        const lmb_machine_def *machine = def->nodes[i].op == LMB_OP_MACHINE ? def->nodes[i].machine : NULL;
        for (uint32_t k = 0; machine != NULL && k < machine->transition_count; k++) {
            heard = heard || machine->transitions[k].event == event;
            for (uint32_t t = 0; t < machine->transitions[k].term_count; t++) {
                const lmb_term *term = &machine->transitions[k].terms[t];
                heard = heard || (term->operand == LMB_OPERAND_TRIGGER && term->event == event);
            }
        }
    }
    return heard;
}

void graph_run_send(graph_run *run, uint32_t event, uint32_t character) {
    const uint32_t first = character == LMB_NONE ? 0 : character;
    const uint32_t count = character == LMB_NONE ? run->character_count : 1;
    const uint32_t room = run->character_count * LMB_MAX_EVENTS_SENT;
    if (run->state_words == 0 || run->event_count + count > room) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        run->events[run->event_count++] = (lmb_event){first + i, event};
    }
    run->changed = true;
}

// ---- Memory: the frames of the ring, and behind them the seed, from which the first frame goes on.

static size_t moment_bytes(const graph_run *run) {
    const size_t of_all = (size_t)run->setting_count + 4 * (size_t)run->target_count + run->scene_floats;
    const size_t floats = (size_t)run->setting_count + 4 * (size_t)run->point_count + LMB_MATRIX_COMPONENTS +
                          run->palette_floats + run->parameter_count;
    const size_t words = (size_t)run->state_words + run->emitted_words + run->reached_words + run->inertia_words;
    return sizeof(float) * of_all + run->character_count * (sizeof(float) * floats + sizeof(uint32_t) * words);
}

static void lay_out_moment(graph_run *run, uint32_t index) {
    graph_moment *moment = &run->moments[index];
    const size_t characters = run->character_count;
    moment->settings = (float *)((char *)run->memory + index * moment_bytes(run));
    moment->own = moment->settings + run->setting_count;
    moment->places = moment->own + characters * run->setting_count;
    moment->points = moment->places + 4 * (size_t)run->target_count;
    moment->transforms = moment->points + characters * run->point_count * 4;
    moment->palettes = moment->transforms + characters * LMB_MATRIX_COMPONENTS;
    moment->scene = moment->palettes + characters * run->palette_floats;
    moment->parameters = moment->scene + run->scene_floats;
    moment->states = (uint32_t *)(moment->parameters + (size_t)run->character_count * run->parameter_count);
    moment->emitted = moment->states + (size_t)run->character_count * run->state_words;
    moment->reached = moment->emitted + (size_t)run->character_count * run->emitted_words;
    moment->inertia = moment->reached + (size_t)run->character_count * run->reached_words;
    moment->place = index;
}

static graph_moment *seed_of(const graph_run *run) {
    return &run->moments[run->capacity];
}

static void fill_seed(graph_run *run) {
    graph_moment *seed = seed_of(run);
    for (uint32_t i = 0; i < run->character_count; i++) {
        lmb_graph_defaults(run->graph, seed->parameters + (size_t)i * run->parameter_count);
    }
    for (uint32_t i = 0; i < run->setting_count; i++) {
        seed->settings[i] = run->settings[i].value;
    }
    if (run->scene != NULL) {
        play_scene_save(run->scene, seed->scene);
        memcpy(seed->transforms, play_scene_transforms(run->scene),
               (size_t)run->character_count * LMB_MATRIX_COMPONENTS * sizeof(float));
    } else {
        memcpy(seed->transforms, run->starts, (size_t)run->character_count * LMB_MATRIX_COMPONENTS * sizeof(float));
    }
}

static void place_targets(graph_run *run) {
    for (uint32_t i = 0; i < run->target_count; i++) {
        memcpy(run->places[i], run->targets[i].model, sizeof run->targets[i].model);
        run->places[i][3] = 0.0f;
    }
}

static bool create_characters(graph_run *run) {
    const size_t count = run->character_count;
    run->own = malloc((count * run->parameter_count + 1) * sizeof *run->own);
    run->starts = calloc(count * LMB_MATRIX_COMPONENTS, sizeof *run->starts);
    for (size_t i = 0; run->own != NULL && i < count * run->parameter_count; i++) {
        run->own[i] = NAN;
    }
    for (size_t i = 0; run->starts != NULL && i < count * 3; i++) {
        run->starts[i / 3 * LMB_MATRIX_COMPONENTS + i % 3 * 5] = 1.0f;
    }
    run->target_count = graph_targets_find(run->def, run->targets);
    place_targets(run);
    return run->own != NULL && run->starts != NULL;
}

static bool create_memory(const graph_run_def *def, graph_run *run) {
    const size_t events = (size_t)run->character_count * LMB_MAX_EVENTS_SENT;
    run->settings = calloc((size_t)run->parameter_count + 1, sizeof *run->settings);
    run->events = calloc(events, sizeof *run->events);
    run->scratch = calloc(events, sizeof *run->scratch);
    if (run->settings == NULL || run->events == NULL || run->scratch == NULL || !create_characters(run)) {
        return false;
    }
    add_settings(run);
    const size_t bytes = moment_bytes(run) + 1;
    const size_t fitting = def->memory / bytes < def->frames ? def->memory / bytes : def->frames;
    run->capacity = fitting > 2 ? (uint32_t)fitting : 2;
    run->moments = calloc((size_t)run->capacity + 1, sizeof *run->moments);
    run->memory = calloc((size_t)run->capacity + 1, bytes);
    if (run->moments == NULL || run->memory == NULL) {
        return false;
    }
    for (uint32_t i = 0; i <= run->capacity; i++) {
        lay_out_moment(run, i);
    }
    fill_seed(run);
    return true;
}

static lmb_result create_scene(const graph_run_def *def, graph_run *run, lmb_error *error) {
    const play_scene_def scene = {.text = def->scene,
                                  .size = def->scene_size,
                                  .name = def->scene_name,
                                  .rig = def->def->rig,
                                  .graph = def->graph,
                                  .character_count = def->character_count,
                                  .unit = def->unit,
                                  .names = def->names};
    if (def->scene == NULL) {
        return LMB_OK;
    }
    if (play_scene_create(&scene, &run->scene, error)) {
        return error->result;
    }
    run->scene_floats = (uint32_t)((play_scene_state_size(run->scene) + sizeof(float) - 1) / sizeof(float));
    if (play_scene_needs_palettes(run->scene)) {
        run->palette_floats = lmb_graph_get_info(def->graph)->joint_count * LMB_MATRIX_COMPONENTS;
    }
    return LMB_OK;
}

static bool needs_poses(const graph_run *run) {
    return run->reached_words > 0 || run->palette_floats > 0;
}

static lmb_result create_poses(graph_run *run, lmb_error *error) {
    const lmb_batch_def batch = {run->graph, run->character_count, LMB_OUTPUT_LOCAL_BIT};
    const size_t floats = lmb_batch_output_floats(&batch, LMB_OUTPUT_LOCAL); // float channels among them
    run->poses = malloc(run->character_count * floats * sizeof *run->poses);
    return run->poses != NULL ? lmb_cpu_create(run->graph, LMB_CPU_FAST, NULL, &run->cpu, error)
                              : viewer_fail(error, LMB_ERROR_MEMORY, "no memory for poses");
}

lmb_result graph_run_create(const graph_run_def *def, graph_run **run, lmb_error *error) {
    graph_run *created = calloc(1, sizeof *created);
    *run = NULL;
    if (created != NULL) {
        *created = (graph_run){.def = def->def,
                               .graph = def->graph,
                               .character_count = def->character_count,
                               .parameter_count = lmb_graph_get_info(def->graph)->parameter_count,
                               .point_count = lmb_graph_get_info(def->graph)->point_count,
                               .state_words = lmb_graph_get_info(def->graph)->state_words};
        if (created->state_words > 0) {
            created->emitted_words = lmb_graph_get_info(created->graph)->emitted_words;
            created->reached_words = lmb_graph_get_info(def->graph)->reached_count;
        }
        if (create_scene(def, created, error)) {
            graph_run_destroy(created);
            return error->result;
        }
        created->inertia_words = needs_poses(created) ? lmb_graph_get_info(def->graph)->inertia_words : 0;
    }
    if (created == NULL || !create_memory(def, created)) {
        graph_run_destroy(created);
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory for %u characters", (unsigned)def->character_count);
    }
    if (needs_poses(created) && create_poses(created, error)) {
        graph_run_destroy(created);
        return error->result;
    }
    *run = created;
    return LMB_OK;
}

void graph_run_destroy(graph_run *run) {
    if (run != NULL) {
        lmb_cpu_destroy(run->cpu);
        play_scene_destroy(run->scene);
        free(run->own);
        free(run->starts);
        free(run->poses);
        free(run->settings);
        free(run->events);
        free(run->scratch);
        free(run->moments);
        free(run->memory);
        free(run);
    }
}

// ---- Frames.

const graph_moment *graph_run_moment(const graph_run *run, uint32_t back) {
    return back < run->current ? &run->moments[(run->first + run->current - 1 - back) % run->capacity] : NULL;
}

const float *graph_run_parameters(const graph_run *run, const graph_moment *moment, uint32_t character) {
    return moment->parameters + (size_t)character * run->parameter_count;
}

const uint32_t *graph_run_state(const graph_run *run, const graph_moment *moment, uint32_t character) {
    return moment->states + (size_t)character * run->state_words;
}

// Returns a value that is `more` beyond min, wrapped into the range.
static float wrap(const graph_setting *setting, double more) {
    const double range = (double)setting->max - (double)setting->min;
    return (float)((double)setting->min + more - range * floor(more / range));
}

static void write_setting(const graph_run *run, const graph_setting *setting, graph_moment *moment) {
    const double range = (double)setting->max - (double)setting->min;
    const double more = (double)setting->value - (double)setting->min;
    for (uint32_t i = 0; i < run->character_count; i++) {
        float *value = &moment->parameters[(size_t)i * run->parameter_count + setting->parameter];
        const float own = *own_of(run, moment->own, setting, i);
        *value = !isnan(own) ? own : setting->plays ? wrap(setting, more + range * apart(i)) : setting->value;
    }
}

static void write_settings(graph_run *run, double seconds, graph_moment *moment) {
    memcpy(moment->own, run->own, (size_t)run->character_count * run->setting_count * sizeof *moment->own);
    memcpy(moment->places, run->places, run->target_count * sizeof *run->places);
    for (uint32_t i = 0; i < run->setting_count; i++) {
        graph_setting *setting = &run->settings[i];
        if (setting->plays) {
            setting->value = wrap(setting, (double)setting->value - (double)setting->min + seconds);
        }
        moment->settings[i] = setting->value;
        write_setting(run, setting, moment);
    }
}

static lmb_control_frame frame_of(const graph_run *run, const graph_moment *moment) {
    return (lmb_control_frame){.number = moment->number,
                               .character_count = run->character_count,
                               .state = moment->states,
                               .parameters = moment->parameters,
                               .reached = moment->reached}; // still those of the frame before
}

// Runs the poses for the targets that they reach, and for a scene that follows the feet.
static lmb_result run_poses(const graph_run *run, const graph_moment *moment, lmb_error *error) {
    const bool keeps = run->palette_floats > 0;
    const lmb_batch_def batch = {run->graph, run->character_count,
                                 keeps ? LMB_OUTPUT_PALETTE_BIT : LMB_OUTPUT_LOCAL_BIT};
    const lmb_batch_inputs inputs = {
        .parameters = moment->parameters, .points = moment->points, .transforms = moment->transforms};
    lmb_batch_outputs outputs = {.inertia = moment->inertia, .reached = moment->reached};
    outputs.buffers[keeps ? LMB_OUTPUT_PALETTE : LMB_OUTPUT_LOCAL] = keeps ? moment->palettes : run->poses;
    return lmb_cpu_run_poses(run->cpu, &batch, &inputs, &outputs, 0, run->character_count, error);
}

static lmb_result run_control(graph_run *run, double seconds, const graph_moment *moment, lmb_error *error) {
    lmb_control_frame frame = frame_of(run, moment);
    lmb_events_sort(run->events, run->scratch, run->event_count);
    frame.step = lmb_ticks_from_seconds(seconds);
    frame.events = run->events;
    frame.event_count = run->event_count;
    frame.emitted = moment->emitted;
    return lmb_control_run(run->graph, &frame, 0, run->character_count, error);
}

// The characters of a crowd begin at different times.
static lmb_result begin_apart(const graph_run *run, const graph_moment *moment, lmb_error *error) {
    for (uint32_t i = 1; i < run->character_count; i++) {
        lmb_control_frame frame = frame_of(run, moment);
        frame.step = lmb_ticks_from_seconds(SPREAD * apart(i));
        if (lmb_control_run(run->graph, &frame, i, 1, error)) {
            return error->result;
        }
    }
    return LMB_OK;
}

// Runs a character through random events with parameters of its own; its position stays.
static lmb_result scatter(graph_run *run, const graph_moment *moment, uint32_t character, lmb_error *error) {
    uint32_t *state = moment->states + (size_t)character * run->state_words;
    const uint32_t events = lmb_graph_get_info(run->graph)->event_count;
    const lmb_motion motion = lmb_state_motion(run->graph, state);
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; result == LMB_OK && i < SCATTERED_FRAMES; i++) {
        lmb_control_frame frame = frame_of(run, moment);
        const lmb_event event = {character, (uint32_t)((float)events * random_chance(character, 3 * i))};
        frame.events = &event;
        frame.event_count =
            events > 0 && graph_run_hears(run, event.event) && random_chance(character, 3 * i + 1) < 0.5f;
        frame.step = lmb_ticks_from_seconds(SCATTERED_STEP * (0.5 + (double)random_chance(character, 3 * i + 2)));
        result = lmb_control_run(run->graph, &frame, character, 1, error);
    }
    if (result == LMB_OK && lmb_graph_get_info(run->graph)->has_motion) {
        result = lmb_state_set_motion(run->graph, state, &motion, error);
    }
    return result;
}

void graph_run_scatter(graph_run *run) {
    run->scatters = true;
    run->changed = true;
    for (uint32_t i = 1; i < run->character_count; i++) {
        for (uint32_t k = 0; k < run->setting_count; k++) {
            const graph_setting *setting = &run->settings[k];
            const float share = random_chance(i, 1000 + k);
            if (!setting->is_time) {
                graph_run_set_own(run, setting, i, setting->min + share * (setting->max - setting->min));
            }
        }
    }
}

static lmb_result scatter_all(graph_run *run, const graph_moment *moment, lmb_error *error) {
    lmb_result result = LMB_OK;
    for (uint32_t i = 1; run->scatters && result == LMB_OK && i < run->character_count; i++) {
        result = scatter(run, moment, i, error);
    }
    run->scatters = false;
    return result;
}

// ---- The world: where characters are, and their targets.

const float *graph_run_transform(const graph_run *run, const graph_moment *moment, uint32_t character) {
    (void)run;
    return moment->transforms + (size_t)character * LMB_MATRIX_COMPONENTS;
}

static lmb_affine matrix_at(const float *matrices, uint32_t character) {
    lmb_affine matrix;
    memcpy(&matrix, matrices + (size_t)character * LMB_MATRIX_COMPONENTS, sizeof matrix);
    return matrix;
}

void graph_run_place(graph_run *run, const float *transforms) {
    const size_t bytes = (size_t)run->character_count * LMB_MATRIX_COMPONENTS * sizeof *transforms;
    memcpy(run->starts, transforms, bytes);
    if (run->scene == NULL && run->count == 0) {
        memcpy(seed_of(run)->transforms, transforms, bytes);
    }
}

static void advance_scene(const graph_run *run, double seconds, const graph_moment *last, graph_moment *next) {
    const bool follows = run->has_begun && run->palette_floats > 0;
    const play_scene_frame frame = {.seconds = next->time,
                                    .step = seconds,
                                    .states = next->states,
                                    .palettes = follows ? last->palettes : NULL,
                                    .eye = run->has_eye ? run->eye : NULL};
    const size_t characters = run->character_count;
    play_scene_restore(run->scene, last->scene);
    play_scene_advance(run->scene, &frame);
    play_scene_save(run->scene, next->scene);
    memcpy(next->points, play_scene_points(run->scene), characters * run->point_count * 4 * sizeof(float));
    memcpy(next->transforms, play_scene_transforms(run->scene), characters * LMB_MATRIX_COMPONENTS * sizeof(float));
}

static void follow_motions(const graph_run *run, const graph_moment *moment) {
    for (uint32_t i = 0; i < run->character_count; i++) {
        lmb_affine matrix = matrix_at(run->starts, i);
        if (lmb_graph_get_info(run->graph)->has_motion) {
            matrix = lmb_affine_multiply(matrix, lmb_state_matrix(run->graph, graph_run_state(run, moment, i)));
        }
        memcpy(moment->transforms + (size_t)i * LMB_MATRIX_COMPONENTS, &matrix, sizeof matrix);
    }
}

// Returns the matrix from the model space in which a target's place is given to the world.
static lmb_affine target_matrix(const graph_run *run, const graph_moment *moment, uint32_t character) {
    return matrix_at(run->targets_stay ? run->starts : moment->transforms, character);
}

// Fills in the points of targets that the scene does not move.
static void write_targets(const graph_run *run, const graph_moment *moment) {
    for (uint32_t i = 0; i < run->character_count; i++) {
        const lmb_affine to_world = target_matrix(run, moment, i);
        lmb_affine to_model;
        lmb_affine_invert(matrix_at(moment->transforms, i), &to_model);
        for (uint32_t k = 0; k < run->target_count; k++) {
            const graph_target *target = &run->targets[k];
            float *point = moment->points + ((size_t)i * run->point_count + target->point) * 4;
            if (run->scene == NULL || run->places[k][3] != 0.0f) {
                graph_targets_transform(&to_world, target->is_direction, run->places[k], point);
                if (!target->is_world) {
                    graph_targets_transform(&to_model, target->is_direction, point, point);
                }
            }
        }
    }
}

lmb_affine graph_run_matrix(const graph_run *run, uint32_t character) {
    return matrix_at(graph_run_moment(run, 0)->transforms, character);
}

void graph_run_target(const graph_run *run, uint32_t target, uint32_t character, float length, float position[3]) {
    const graph_moment *moment = graph_run_moment(run, 0);
    const graph_target *found = &run->targets[target];
    const lmb_affine matrix = matrix_at(moment->transforms, character);
    const float *point = moment->points + ((size_t)character * run->point_count + found->point) * 4;
    float size = 0.0f;
    memcpy(position, point, 3 * sizeof *position);
    if (!found->is_world) {
        graph_targets_transform(&matrix, found->is_direction, position, position);
    }
    if (found->is_direction) {
        float from[3];
        graph_targets_transform(&matrix, false, found->from, from);
        for (size_t axis = 0; axis < 3; axis++) {
            size += position[axis] * position[axis];
        }
        for (size_t axis = 0; axis < 3; axis++) {
            position[axis] = from[axis] + length * position[axis] / fmaxf(sqrtf(size), 1e-6f);
        }
    }
}

void graph_run_drag(graph_run *run, uint32_t target, uint32_t character, const float position[3]) {
    const graph_moment *moment = graph_run_moment(run, 0);
    const graph_target *moved = &run->targets[target];
    float *place = run->places[target], way[3];
    lmb_affine to_model;
    lmb_affine_invert(target_matrix(run, moment, character), &to_model);
    memcpy(way, position, sizeof way);
    if (moved->is_direction) {
        const lmb_affine matrix = matrix_at(moment->transforms, character);
        float from[3];
        graph_targets_transform(&matrix, false, moved->from, from);
        for (size_t axis = 0; axis < 3; axis++) {
            way[axis] -= from[axis];
        }
    }
    graph_targets_transform(&to_model, moved->is_direction, way, place);
    place[3] = 1.0f;
    run->changed = true;
}

void graph_run_release_targets(graph_run *run) {
    place_targets(run);
    run->changed = true;
}

void graph_run_let_targets_stay(graph_run *run, bool stay, uint32_t character) {
    const lmb_affine before = target_matrix(run, graph_run_moment(run, 0), character);
    lmb_affine after;
    run->targets_stay = stay;
    lmb_affine_invert(target_matrix(run, graph_run_moment(run, 0), character), &after);
    for (uint32_t i = 0; i < run->target_count; i++) {
        graph_targets_transform(&before, run->targets[i].is_direction, run->places[i], run->places[i]);
        graph_targets_transform(&after, run->targets[i].is_direction, run->places[i], run->places[i]);
    }
    run->changed = true;
}

// ---- A frame.

static const graph_moment *last_moment(const graph_run *run) {
    return run->current > 0 ? graph_run_moment(run, 0) : seed_of(run);
}

lmb_result graph_run_step(graph_run *run, double seconds, lmb_error *error) {
    const graph_moment *last = last_moment(run);
    graph_moment *next = &run->moments[(run->first + run->current) % run->capacity];
    memcpy(next->settings, last->settings, moment_bytes(run));
    next->time = last->time + seconds;
    next->number = run->has_begun ? last->number + 1 : 0;
    write_settings(run, seconds, next);
    if (run->scene != NULL) {
        play_scene_set_parameters(run->scene, next->time, next->parameters);
    }
    if (run->state_words > 0 && ((!run->has_begun && run->scene == NULL && begin_apart(run, next, error)) ||
                                 scatter_all(run, next, error) || run_control(run, seconds, next, error))) {
        return error->result;
    }
    if (run->scene != NULL) {
        advance_scene(run, seconds, last, next);
    } else {
        follow_motions(run, next);
    }
    write_targets(run, next);
    if (run->cpu != NULL && run_poses(run, next, error)) {
        return error->result;
    }
    run->event_count = 0;
    run->changed = false;
    run->has_begun = true;
    if (run->current == run->capacity) {
        run->first = (run->first + 1) % run->capacity;
    } else {
        run->current++;
    }
    run->count = run->current;
    return LMB_OK;
}

void graph_run_go(graph_run *run, uint32_t frame) {
    if (run->count > 0) {
        run->current = frame < 1 ? 1 : frame > run->count ? run->count : frame;
        const graph_moment *moment = graph_run_moment(run, 0);
        for (uint32_t i = 0; i < run->setting_count; i++) {
            run->settings[i].value = moment->settings[i];
        }
        memcpy(run->own, moment->own, (size_t)run->character_count * run->setting_count * sizeof *run->own);
        memcpy(run->places, moment->places, run->target_count * sizeof *run->places);
    }
}

// ---- Continuing another run.

static void continue_setting(graph_run *run, const graph_setting *old) {
    graph_setting *setting = graph_run_find(run, old->name);
    if (setting != NULL) {
        graph_run_set(run, setting, old->value);
        setting->plays = setting->is_time && old->plays;
    }
}

static void continue_own_values(graph_run *run, const graph_run *before) {
    for (uint32_t i = 0; i < run->setting_count && run->character_count == before->character_count; i++) {
        const graph_setting *old = graph_run_find(before, run->settings[i].name);
        for (uint32_t k = 0; old != NULL && k < run->character_count; k++) {
            const float own = *own_of(before, before->own, old, k);
            if (!isnan(own)) {
                graph_run_set_own(run, &run->settings[i], k, own);
            }
        }
    }
}

static uint32_t find_target(const graph_run *run, const graph_target *like) {
    uint32_t i = 0;
    while (i < run->target_count &&
           (strcmp(run->targets[i].name, like->name) != 0 || run->targets[i].is_direction != like->is_direction)) {
        i++;
    }
    return i < run->target_count ? i : LMB_NONE;
}

static void continue_targets(graph_run *run, const graph_run *before) {
    run->targets_stay = before->targets_stay;
    for (uint32_t i = 0; i < run->target_count; i++) {
        const uint32_t old = find_target(before, &run->targets[i]);
        if (old != LMB_NONE) {
            memcpy(run->places[i], before->places[old], sizeof run->places[i]);
        }
    }
}

// Takes over what a scene needs of the last frame, so that feet go on.
static void continue_scene(const graph_run *run, const graph_run *before, const graph_moment *last) {
    const graph_moment *seed = seed_of(run);
    if (run->scene != NULL && run->scene_floats == before->scene_floats &&
        run->palette_floats == before->palette_floats) {
        memcpy(seed->scene, last->scene, run->scene_floats * sizeof *seed->scene);
        memcpy(seed->palettes, last->palettes,
               (size_t)run->character_count * run->palette_floats * sizeof *seed->palettes);
    }
}

static bool have_same_events(const graph_run *run, const graph_run *before) {
    const uint32_t count = lmb_graph_get_info(run->graph)->event_count;
    bool same = run->emitted_words == before->emitted_words && count == lmb_graph_get_info(before->graph)->event_count;
    for (uint32_t i = 0; same && i < count; i++) {
        same = strcmp(lmb_graph_event_name(run->graph, i), lmb_graph_event_name(before->graph, i)) == 0;
    }
    return same;
}

static void copy_words(void *target, const void *source, size_t words) {
    memcpy(target, source, words * sizeof(uint32_t));
}

// What converts the characters of the run before.
typedef struct continuation {
    graph_run *run;
    const graph_run *before;
    lmb_graph_transfer *transfer;
    uint32_t *unkept[2]; // zeros in place of words that the runs do not keep; what is converted to them is not used
    uint32_t *state;     // of a character
} continuation;

static uint32_t most_words(const graph_run *run) {
    const uint32_t inertia = lmb_graph_get_info(run->graph)->inertia_words,
                   reached = lmb_graph_get_info(run->graph)->reached_count;
    return inertia > reached ? inertia : reached;
}

static void end_continuation(continuation *c) {
    lmb_graph_transfer_destroy(c->transfer);
    free(c->unkept[0]);
    free(c->unkept[1]);
    free(c->state);
}

static bool begin_continuation(graph_run *run, const graph_run *before, continuation *c) {
    lmb_error ignored;
    *c = (continuation){.run = run, .before = before};
    c->unkept[0] = calloc((size_t)before->character_count * most_words(before) + 1, sizeof(uint32_t));
    c->unkept[1] = calloc((size_t)run->character_count * most_words(run) + 1, sizeof(uint32_t));
    c->state = malloc(((size_t)run->state_words + 1) * sizeof *c->state);
    return c->unkept[0] != NULL && c->unkept[1] != NULL && c->state != NULL &&
           run->character_count == before->character_count &&
           lmb_graph_transfer_create(before->graph, run->graph, NULL, &c->transfer, &ignored) == LMB_OK;
}

static lmb_character_words words_of(const graph_run *run, const graph_moment *moment, uint32_t *unkept) {
    return (lmb_character_words){.states = moment->states,
                                 .inertia = run->inertia_words > 0 ? moment->inertia : unkept,
                                 .reached = run->reached_words > 0 ? moment->reached : unkept,
                                 .row_count = run->character_count,
                                 .count = run->character_count};
}

static bool convert_characters(const continuation *c, const graph_moment *from, graph_moment *to) {
    const lmb_character_words old = words_of(c->before, from, c->unkept[0]);
    const lmb_character_words own = words_of(c->run, to, c->unkept[1]);
    lmb_error ignored;
    return lmb_graph_transfer_run(c->transfer, &old, &own, &ignored) == LMB_OK;
}

// Writes the parameters that the control writes, by a frame of no time, which does not change the state.
static void write_parameters(const continuation *c, const graph_moment *moment) {
    graph_moment own = *moment;
    for (uint32_t i = 0; i < c->run->character_count && c->run->state_words > 0; i++) {
        lmb_error ignored;
        uint32_t *state = moment->states + (size_t)i * c->run->state_words;
        memcpy(c->state, state, c->run->state_words * sizeof *state);
        const lmb_control_frame frame = frame_of(c->run, &own);
        lmb_control_run(c->run->graph, &frame, i, 1, &ignored);
        memcpy(state, c->state, c->run->state_words * sizeof *state);
    }
}

static void continue_settings(const continuation *c, const graph_moment *old, const graph_moment *moment) {
    const graph_run *run = c->run;
    for (uint32_t i = 0; i < run->setting_count; i++) {
        const graph_setting *setting = graph_run_find(c->before, run->settings[i].name);
        moment->settings[i] = setting != NULL ? old->settings[setting - c->before->settings] : run->settings[i].value;
        for (uint32_t k = 0; k < run->character_count; k++) {
            moment->own[(size_t)k * run->setting_count + i] =
                setting != NULL ? *own_of(c->before, old->own, setting, k) : NAN;
        }
    }
}

// Stores a frame of the run before as one of this run. Its place in the ring is the same. Returns false if its
// characters cannot be converted.
static bool continue_moment(const continuation *c, const graph_moment *old, graph_moment *moment) {
    const graph_run *run = c->run, *before = c->before;
    const size_t characters = run->character_count;
    moment->time = old->time;
    moment->number = old->number;
    continue_settings(c, old, moment);
    copy_words(moment->transforms, old->transforms, characters * LMB_MATRIX_COMPONENTS);
    if (run->target_count == before->target_count && run->point_count == before->point_count) {
        copy_words(moment->places, old->places, 4 * (size_t)run->target_count);
        copy_words(moment->points, old->points, characters * run->point_count * 4);
    }
    if (run->scene_floats == before->scene_floats && run->palette_floats == before->palette_floats) {
        copy_words(moment->scene, old->scene, run->scene_floats);
        copy_words(moment->palettes, old->palettes, characters * run->palette_floats);
    }
    if (have_same_events(run, before)) {
        copy_words(moment->emitted, old->emitted, characters * run->emitted_words);
    }
    const bool converted = convert_characters(c, old, moment);
    lmb_graph_transfer_parameters(c->transfer, old->parameters, moment->parameters, run->character_count);
    write_parameters(c, moment);
    return converted;
}

// Takes over the frames that are kept, so that the user can go back to them. Where others keep something by a frame's
// place in the ring, it stays valid, so rings of another size are left out.
static void continue_frames(const continuation *c) {
    graph_run *run = c->run;
    const graph_run *before = c->before;
    bool converted = run->capacity == before->capacity;
    for (uint32_t i = 0; converted && i < before->count; i++) {
        const uint32_t place = (before->first + i) % run->capacity;
        converted = continue_moment(c, &before->moments[place], &run->moments[place]);
    }
    if (converted) {
        run->first = before->first;
        run->count = before->count;
        run->current = before->current;
        run->changed = run->current == run->count;
    }
}

// Whether a machine or a player has the same name in both, so that something goes on.
static bool have_common_parts(const graph_run *run, const graph_run *before) {
    bool found = false;
    for (uint32_t i = 0; i < lmb_graph_get_info(run->graph)->machine_count; i++) {
        for (uint32_t k = 0; k < lmb_graph_get_info(before->graph)->machine_count; k++) {
            found = found ||
                    strcmp(lmb_graph_machine_at(run->graph, i).name, lmb_graph_machine_at(before->graph, k).name) == 0;
        }
    }
    for (uint32_t i = 0; i < lmb_graph_get_info(run->graph)->player_count; i++) {
        for (uint32_t k = 0; k < lmb_graph_get_info(before->graph)->player_count; k++) {
            found = found ||
                    strcmp(lmb_graph_player_at(run->graph, i).name, lmb_graph_player_at(before->graph, k).name) == 0;
        }
    }
    return found;
}

static void name_lost(const lmb_graph_transfer *transfer, char *lost, size_t size) {
    const uint32_t count = lmb_graph_transfer_lost_count(transfer);
    lost[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        const size_t length = strlen(lost);
        snprintf(lost + length, size - length, "%s%s", i > 0 ? ", " : "", lmb_graph_transfer_lost(transfer, i));
    }
}

bool graph_run_continue(graph_run *run, const graph_run *before, char *lost, size_t size) {
    const graph_moment *last = last_moment(before);
    graph_moment *seed = seed_of(run);
    continuation c;
    lost[0] = '\0';
    for (uint32_t i = 0; i < before->setting_count; i++) {
        continue_setting(run, &before->settings[i]);
    }
    continue_own_values(run, before);
    continue_targets(run, before);
    graph_run_place(run, before->starts);
    seed->time = last->time;
    const bool converted = begin_continuation(run, before, &c) && run->state_words > 0 && before->state_words > 0 &&
                           before->has_begun && convert_characters(&c, last, seed);
    const bool goes_on = converted && have_common_parts(run, before);
    if (goes_on) {
        run->has_begun = true;
        seed->number = last->number;
        name_lost(c.transfer, lost, size);
        continue_scene(run, before, last);
        continue_frames(&c);
    }
    end_continuation(&c);
    return goes_on;
}

// ---- Samples of what the graph shows.

void graph_run_first_points(const graph_run *run, float *points) {
    memset(points, 0, (size_t)run->point_count * 4 * sizeof *points);
    for (uint32_t i = 0; i < run->target_count; i++) {
        memcpy(points + (size_t)run->targets[i].point * 4, run->targets[i].model, sizeof run->targets[i].model);
    }
}

// Runs a character from the beginning, with a setting at `value` unless it is NULL.
static lmb_result sample_run(const graph_run *run, const graph_setting *changed, float value, float *rows,
                             lmb_error *error) {
    const graph_run_def def = {.def = run->def, .graph = run->graph, .character_count = 1, .frames = 2};
    graph_run *own = NULL;
    if (graph_run_create(&def, &own, error)) {
        return error->result;
    }
    for (uint32_t i = 0; i < run->setting_count; i++) {
        own->settings[i] = run->settings[i];
    }
    if (changed != NULL) {
        graph_run_set(own, graph_run_find(own, changed->name), value);
    }
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; result == LMB_OK && i < SAMPLED_FRAMES; i++) {
        result = graph_run_step(own, i > 0 ? SAMPLED_STEP : 0.0, error);
        if (result == LMB_OK) {
            memcpy(rows + (size_t)i * run->parameter_count, graph_run_moment(own, 0)->parameters,
                   run->parameter_count * sizeof *rows);
        }
    }
    graph_run_destroy(own);
    return result;
}

lmb_result graph_run_sample(const graph_run *run, float **rows, uint32_t *count, lmb_error *error) {
    const size_t floats = (size_t)SAMPLED_FRAMES * run->parameter_count;
    *count = 0;
    *rows = calloc(SAMPLED_RUNS * floats + 1, sizeof **rows);
    if (*rows == NULL) {
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory to measure the graph");
    }
    lmb_result result = sample_run(run, NULL, 0.0f, *rows, error);
    uint32_t runs = 1;
    for (uint32_t i = 0; result == LMB_OK && i < run->setting_count && runs + 2 <= SAMPLED_RUNS; i++) {
        const graph_setting *setting = &run->settings[i];
        for (uint32_t end = 0; result == LMB_OK && end < 2 && !setting->is_time; end++) {
            result = sample_run(run, setting, end == 0 ? setting->min : setting->max, *rows + runs++ * floats, error);
        }
    }
    *count = runs * SAMPLED_FRAMES;
    return result;
}

// ---- Events and transitions.

bool graph_run_emitted(const graph_run *run, uint32_t character, lmb_emitted_event *event, double *ago) {
    const graph_moment *now = graph_run_moment(run, 0);
    const graph_moment *moment = run->state_words > 0 ? now : NULL;
    for (uint32_t back = 0; moment != NULL; moment = graph_run_moment(run, ++back)) {
        const uint32_t *emitted = moment->emitted + (size_t)character * run->emitted_words;
        const uint32_t count = lmb_emitted_count(run->graph, emitted);
        if (count > 0) {
            *event = lmb_emitted_event_at(emitted, count - 1);
            *ago = now->time - moment->time;
            return true;
        }
    }
    return false;
}

static const lmb_machine_def *find_machine(const graph_run *run, uint32_t machine) {
    for (uint32_t i = 0; i < run->def->node_count; i++) {
        if (run->def->nodes[i].op == LMB_OP_MACHINE && lmb_graph_node_machine(run->graph, i) == machine) {
            return run->def->nodes[i].machine;
        }
    }
    return NULL; // of a fade
}

static bool is_inertialized(const graph_run *run, uint32_t machine, uint32_t from, uint32_t to) {
    const lmb_machine_def *def = find_machine(run, machine);
    bool found = false;
    for (uint32_t i = 0; def != NULL && i < def->transition_count; i++) {
        const lmb_transition_def *transition = &def->transitions[i];
        found = found || (transition->kind == LMB_FADE_INERTIALIZED && transition->to == to &&
                          (transition->from == from || transition->from == LMB_NONE));
    }
    return found;
}

// Finds the state before the current one, and when it was left, in the frames that are kept.
static uint32_t find_state_before(const graph_run *run, uint32_t character, uint32_t machine, double *left) {
    const graph_moment *moment = graph_run_moment(run, 0);
    const uint32_t current = lmb_state_current(run->graph, graph_run_state(run, moment, character), machine);
    for (uint32_t back = 1; (*left = moment->time, moment = graph_run_moment(run, back)) != NULL; back++) {
        const uint32_t state = lmb_state_current(run->graph, graph_run_state(run, moment, character), machine);
        if (state != current) {
            return state;
        }
    }
    return LMB_NONE;
}

bool graph_run_transition(const graph_run *run, uint32_t character, uint32_t machine, graph_transition *transition) {
    const graph_moment *now = graph_run_moment(run, 0);
    const uint32_t inertia = lmb_graph_get_info(run->graph)->inertia_parameters;
    if (now == NULL || run->state_words == 0) {
        return false;
    }
    const uint32_t *state = graph_run_state(run, now, character);
    const float *row = graph_run_parameters(run, now, character);
    const uint32_t to = lmb_state_current(run->graph, state, machine);
    const float weight = lmb_state_weight(run->graph, state, machine, to);
    const float decay = inertia != LMB_NONE ? row[inertia + LMB_INERTIA_DURATION] : 0.0f;
    const float decayed = decay > 0.0f ? row[inertia + LMB_INERTIA_TIME] / decay : 1.0f;
    double left = 0.0;
    if (weight >= 1.0f && decayed >= 1.0f) {
        return false;
    }
    const uint32_t from = find_state_before(run, character, machine, &left);
    const bool offset = weight >= 1.0f;
    *transition = (graph_transition){from, offset ? decayed : weight, offset};
    return from != LMB_NONE &&
           (!offset || (now->time - left <= (double)decay && is_inertialized(run, machine, from, to)));
}
