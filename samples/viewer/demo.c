// Runs demos on the CPU, and sends their parameters and events to the device.
#include "demo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <limber/root_motion.h>

#include "demo_clips.h"
#include "graphics.h"
#include "random.h"

// Stores the measured speed of a clip's node that a space has at the speed of a gait. Ignores a clip that moves in
// place.
static void note_speed(demo *demo, const lmb_graph_def *def, uint32_t node, float measured) {
    for (const lmb_node_def *space = def->nodes; space < def->nodes + def->node_count; space++) {
        for (uint32_t i = 0; space->op == LMB_OP_SPACE1D && measured > 0.0f && i < space->input_count; i++) {
            if (space->inputs[i] == node && space->positions[i][0] == DEMO_WALK_SPEED) {
                demo->walk_speed = measured;
            } else if (space->inputs[i] == node && space->positions[i][0] == DEMO_RUN_SPEED) {
                demo->run_speed = measured;
            }
        }
    }
}

// Replaces the root motion of a clip's player by a track that moves with the clip's foot speed.
static lmb_result measure_player(demo *demo, const character *character, const lmb_graph_def *def, uint32_t node,
                                 lmb_player_def *player, float way[2][4], lmb_motion_track *track, lmb_error *error) {
    const lmb_clip *clip = def->clips[(uint32_t)def->nodes[node].clip.constant];
    lmb_foot_speed speed = {0};
    lmb_result result = lmb_root_motion_measure_feet(character->rig, clip, NULL, &speed, error);
    for (size_t axis = 0; axis < 3; axis++) {
        way[1][axis] = speed.velocity[axis] * lmb_clip_get_info(clip)->duration;
    }
    note_speed(demo, def, node, character->unit * hypotf(speed.velocity[0], speed.velocity[2]));
    *track = (lmb_motion_track){.key_count = 2, .keys = way[0]};
    player->motion = track;
    return result;
}

// Velocities in the text are those of the mannequin's clips, so they are measured for the clips of a file.
static lmb_result create_measured(demo *demo, const character *character, lmb_graph_def def, lmb_graph **graph,
                                  lmb_error *error) {
    lmb_node_def *nodes = malloc(def.node_count * sizeof *nodes);
    lmb_player_def *players = malloc(def.node_count * sizeof *players);
    float(*ways)[2][4] = calloc(def.node_count, sizeof *ways);
    lmb_motion_track *tracks = calloc(def.node_count, sizeof *tracks);
    lmb_result result = LMB_OK;
    if (nodes == NULL || players == NULL || ways == NULL || tracks == NULL) {
        result = viewer_fail(error, LMB_ERROR_MEMORY, "no memory for %u nodes", def.node_count);
    }
    for (uint32_t i = 0; result == LMB_OK && i < def.node_count; i++) {
        const lmb_player_def *player = def.nodes[i].player;
        nodes[i] = def.nodes[i];
        if (player != NULL && (player->velocity != 0.0f || player->motion != NULL)) {
            players[i] = *player;
            nodes[i].player = &players[i];
            result = measure_player(demo, character, &def, i, &players[i], ways[i], &tracks[i], error);
        }
    }
    def.nodes = nodes;
    result = result == LMB_OK ? lmb_graph_create(&def, NULL, graph, error) : result;
    free(tracks);
    free(ways);
    free(players);
    free(nodes);
    return result;
}

static lmb_result create_graph(demo *demo, const lmb_graph_json *text, character *character, lmb_error *error) {
    const lmb_graph_def *def = lmb_graph_json_def(text);
    const bool measures = character->file.mannequin == NULL && demo->kind->source == NULL && def->motion != NULL;
    lmb_graph *graph = NULL;
    if (measures ? create_measured(demo, character, *def, &graph, error) : lmb_graph_create(def, NULL, &graph, error)) {
        return error->result;
    }
    lmb_graph_destroy(character->graph);
    demo->graph = character->graph = graph;
    demo->parameter_count = lmb_graph_get_info(graph)->parameter_count;
    return LMB_OK;
}

static lmb_result read_graph(const demo *demo, const char *const *clips, uint32_t clip_count,
                             const character *character, lmb_graph_json **graph, lmb_error *error) {
    const demo_kind *kind = demo->kind;
    const char *text = (const char *)kind->text;
    if (character->file.mannequin != NULL || kind->source != NULL) {
        return character_read_graph(character, kind->name, text, kind->size, graph, error);
    }
    const demo_clips_def def = {kind->name, text, kind->size, clips, clip_count};
    char *fitted = NULL;
    if (demo_clips_fit(&def, character, &fitted, error)) {
        return error->result;
    }
    lmb_result result = character_read_graph(character, kind->name, fitted, strlen(fitted), graph, error);
    free(fitted);
    return result;
}

static void set_ranges(demo *demo) {
    demo->run_speed = fmaxf(demo->run_speed, 1.1f * demo->walk_speed);
    for (uint32_t i = 0; i < demo->kind->slider_count; i++) {
        demo_slider *range = &demo->ranges[i];
        *range = demo->kind->sliders[i];
        if (strcmp(range->name, "speed") == 0) {
            range->max = demo->run_speed;
            range->initial = demo->walk_speed;
        }
        demo->sliders[i] = range->initial;
    }
}

lmb_result demo_open(const demo_kind *kind, const char *const *clips, uint32_t clip_count, character *character,
                     demo *demo, lmb_error *error) {
    *demo = (struct demo){.kind = kind, .walk_speed = DEMO_WALK_SPEED, .run_speed = DEMO_RUN_SPEED, .scripted = true};
    lmb_graph_json *text = NULL;
    lmb_result result = read_graph(demo, clips, clip_count, character, &text, error);
    if (result == LMB_OK) {
        result = create_graph(demo, text, character, error);
    }
    lmb_graph_json_destroy(text);
    const bool is_of_file = character->file.mannequin == NULL;
    if (result == LMB_ERROR_FORMAT && is_of_file) { // the text is good, and the file is another one
        const lmb_error reason = *error;
        return viewer_fail(error, result, "the demo %s does not fit the file, which lacks what it names: %.300s",
                           kind->name, reason.message);
    }
    if (result != LMB_OK) {
        return result;
    }
    lmb_error found;
    if (play_script_read((const char *)kind->script, kind->script_size, &demo->script, &found)) {
        return viewer_fail(error, LMB_ERROR_FORMAT, "%s.script: %.400s", kind->name, found.message);
    }
    set_ranges(demo);
    if (kind->scene != NULL) { // whose points are relative to the character's own origin
        memset(character->origin, 0, sizeof character->origin);
    }
    return LMB_OK;
}

#define TURN 6.28318531f
#define SCENE_RADIUS 20.0f // metres that the camera sees clearly

// Notes where a character is.
static void locate(demo *demo, uint32_t character, float heading) {
    pedestrian *own = &demo->people->list[character];
    memcpy(own->position, demo->crowd->members[character].placement.position, sizeof own->position);
    own->heading = heading;
}

static void place_walkers(demo *demo) {
    crowd *crowd = demo->crowd;
    crowd->radius *= demo->kind->spread;
    crowd_place_single(crowd);
    for (uint32_t i = 0; i < crowd->count; i++) {
        crowd_placement *placement = &crowd->members[i].placement;
        demo_walker *walker = &demo->walkers[i];
        for (size_t axis = 0; axis < 2; axis++) {
            walker->start.position[axis] = placement->position[axis] *= demo->kind->spread;
        }
        walker->start.facing = crowd->count > 1 ? TURN * random_chance(i, 20) : 0.0f;
        locate(demo, i, walker->start.facing);
    }
}

// Creates the scene, and what runs the poses for it.
static lmb_result create_scene(demo *demo, lmb_error *error) {
    const crowd *crowd = demo->crowd;
    const play_scene_def def = {.text = (const char *)demo->kind->scene,
                                .size = demo->kind->scene_size,
                                .name = demo->kind->name,
                                .rig = crowd->character->rig,
                                .graph = demo->graph,
                                .character_count = crowd->count,
                                .unit = crowd->character->unit};
    if (play_scene_create(&def, &demo->scene, error)) {
        return error->result;
    }
    demo->crowd->radius = fmaxf(crowd->radius, SCENE_RADIUS);
    if (!play_scene_needs_palettes(demo->scene)) {
        return LMB_OK;
    }
    const size_t joints = lmb_graph_get_info(demo->graph)->joint_count,
                 words = lmb_graph_get_info(demo->graph)->inertia_words;
    demo->palettes = calloc(crowd->count * joints * LMB_MATRIX_COMPONENTS + 1, sizeof(float));
    demo->inertia = calloc(crowd->count * words + 1, sizeof(uint32_t));
    if (demo->palettes == NULL || demo->inertia == NULL) {
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory for the poses of %u characters", crowd->count);
    }
    return lmb_cpu_create(demo->graph, LMB_CPU_FAST, NULL, &demo->cpu, error);
}

// Puts the crowd where the scene has its characters.
static void place_in_scene(demo *demo) {
    crowd *crowd = demo->crowd;
    for (uint32_t i = 0; i < crowd->count; i++) {
        crowd_place_by(crowd, play_scene_transforms(demo->scene) + (size_t)i * LMB_MATRIX_COMPONENTS,
                       &crowd->members[i].placement);
    }
}

static void advance_scene(demo *demo, double seconds, const float eye[3]) {
    const play_scene_frame frame = {.seconds = demo->time + seconds,
                                    .step = seconds,
                                    .states = demo->states,
                                    .palettes = demo->has_palettes ? demo->palettes : NULL,
                                    .eye = eye};
    play_scene_advance(demo->scene, &frame);
    place_in_scene(demo);
}

// Runs the poses of the frame, with the bits that they have on the device.
static lmb_result run_poses(demo *demo, lmb_error *error) {
    const lmb_batch_def batch = {demo->graph, demo->crowd->count, LMB_OUTPUT_PALETTE_BIT};
    const lmb_batch_inputs inputs = {.parameters = demo->parameters,
                                     .points = play_scene_points(demo->scene),
                                     .transforms = play_scene_transforms(demo->scene)};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_PALETTE] = demo->palettes, .inertia = demo->inertia};
    demo->has_palettes = true;
    return lmb_cpu_run_poses(demo->cpu, &batch, &inputs, &outputs, 0, batch.character_count, error);
}

static size_t point_bytes(const demo *demo) {
    return (size_t)demo->crowd->count * lmb_graph_get_info(demo->graph)->point_count * 4 * sizeof(float);
}

static size_t transform_bytes(const demo *demo) {
    const size_t bytes = (size_t)demo->crowd->count * LMB_MATRIX_COMPONENTS * sizeof(float);
    return lmb_graph_get_info(demo->graph)->uses_transforms ? bytes : 0;
}

lmb_result demo_bind(demo *demo, device *device, lmb_gpu_batch *batch, uint32_t frame_count, lmb_error *error) {
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    const size_t points = point_bytes(demo), transforms = transform_bytes(demo);
    demo->device = device;
    for (uint32_t i = 0; i < frame_count; i++) {
        if (points > 0 && (device_buffer_create(device, points, usage, true, &demo->points[i], error) ||
                           lmb_gpu_batch_bind_points(batch, i, demo->points[i].address, error))) {
            return error->result;
        }
        if (transforms > 0 && (device_buffer_create(device, transforms, usage, true, &demo->transforms[i], error) ||
                               lmb_gpu_batch_bind_transforms(batch, i, demo->transforms[i].address, error))) {
            return error->result;
        }
    }
    return LMB_OK;
}

void demo_unbind(demo *demo) {
    for (uint32_t i = 0; demo->device != NULL && i < DEMO_FRAMES; i++) {
        device_buffer_destroy(demo->device, &demo->points[i]);
        device_buffer_destroy(demo->device, &demo->transforms[i]);
    }
}

static void fill_defaults(demo *demo) {
    for (uint32_t i = 0; i < demo->crowd->count; i++) {
        lmb_graph_defaults(demo->graph, demo->parameters + (size_t)i * demo->parameter_count);
    }
}

lmb_result demo_start(demo *demo, crowd *crowd, lmb_error *error) {
    size_t count = crowd->count;
    size_t words = lmb_graph_get_info(demo->graph)->state_words;
    demo->crowd = crowd;
    demo->walkers = calloc(count, sizeof *demo->walkers);
    demo->parameters = calloc(count * demo->parameter_count + 1, sizeof(float));
    demo->states = calloc(count * words + 1, sizeof(uint32_t));
    demo->people = calloc(1, sizeof *demo->people);
    if (demo->people != NULL) {
        demo->people->list = calloc(count, sizeof *demo->people->list);
        demo->people->count = crowd->count;
    }
    if (demo->people == NULL || demo->people->list == NULL || demo->walkers == NULL || demo->parameters == NULL ||
        demo->states == NULL) {
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory for %u characters", crowd->count);
    }
    demo->people->room = fmaxf(2.0f * crowd->character->width / crowd->character->height, 1.0f);
    demo->people->walk_speed = DEMO_WALK_SPEED;
    demo->people->run_speed = DEMO_RUN_SPEED;
    place_walkers(demo);
    demo->people->radius = crowd->radius;
    fill_defaults(demo);
    return demo->kind->scene != NULL ? create_scene(demo, error) : LMB_OK;
}

void demo_close(demo *demo) {
    play_script_release(&demo->script);
    play_scene_destroy(demo->scene);
    lmb_cpu_destroy(demo->cpu);
    free(demo->palettes);
    free(demo->inertia);
    free(demo->walkers);
    if (demo->people != NULL) {
        free(demo->people->list);
        free(demo->people);
    }
    free(demo->parameters);
    free(demo->states);
    *demo = (struct demo){0};
}

void demo_set(demo *demo, const char *slider, float value) {
    for (uint32_t i = 0; i < demo->kind->slider_count; i++) {
        const demo_slider *own = &demo->ranges[i];
        if (strcmp(own->name, slider) == 0) {
            demo->sliders[i] = fminf(fmaxf(value, own->min), own->max);
        }
    }
}

void demo_set_parameter(demo *demo, uint32_t character, const char *name, float value) {
    uint32_t index = lmb_graph_find_parameter(demo->graph, name);
    if (index != LMB_NONE) {
        demo->parameters[(size_t)character * demo->parameter_count + index] = value;
    }
}

void demo_send(demo *demo, uint32_t character, const char *event) {
    uint32_t index = lmb_graph_find_event(demo->graph, event);
    if (index != LMB_NONE && demo->event_count < DEMO_EVENTS) {
        demo->events[demo->event_count++] = (lmb_event){character, index};
    }
}

const char *demo_state(const demo *demo, uint32_t character) {
    if (lmb_graph_get_info(demo->graph)->machine_count == 0) {
        return "";
    }
    const uint32_t *state = demo->states + (size_t)character * lmb_graph_get_info(demo->graph)->state_words;
    return lmb_graph_state_name(demo->graph, 0, lmb_state_current(demo->graph, state, 0));
}

// A script's values are for the mannequin; returns the factor for this character.
static float scale_of(const demo *demo, const char *slider) {
    for (uint32_t i = 0; i < demo->kind->slider_count; i++) {
        if (strcmp(demo->ranges[i].name, slider) == 0) {
            return demo->ranges[i].max / demo->kind->sliders[i].max;
        }
    }
    return 1.0f;
}

static void follow_script(demo *demo) {
    const play_script *script = &demo->script;
    while (demo->scripted && demo->next_line < script->count && script->lines[demo->next_line].seconds <= demo->time) {
        const play_line *line = &script->lines[demo->next_line++];
        if (line->sets) {
            demo_set(demo, line->name, line->value * scale_of(demo, line->name));
        } else {
            demo_send(demo, 0, line->name);
        }
    }
}

static void apply_sliders(demo *demo) {
    for (uint32_t i = 0; i < demo->kind->slider_count; i++) {
        for (uint32_t k = 0; k < demo->crowd->count; k++) {
            demo_set_parameter(demo, k, demo->kind->sliders[i].name, demo->sliders[i]);
        }
    }
}

static lmb_result run_control(demo *demo, lmb_error *error) {
    lmb_events_sort(demo->events, demo->scratch, demo->event_count);
    const lmb_control_frame frame = {.step = demo->step,
                                     .number = demo->number,
                                     .character_count = demo->crowd->count,
                                     .state = demo->states,
                                     .parameters = demo->parameters,
                                     .events = demo->events,
                                     .event_count = demo->event_count};
    return lmb_graph_get_info(demo->graph)->state_words > 0
               ? lmb_control_run(demo->graph, &frame, 0, demo->crowd->count, error)
               : LMB_OK;
}

static bool has_character_motion(const demo *demo) {
    return lmb_graph_get_info(demo->graph)->has_motion;
}

// Moves a character. The path of the character motion starts at the walker's start position and is in the character's
// units.
static void move(demo *demo, uint32_t character, float seconds) {
    crowd_placement *placement = &demo->crowd->members[character].placement;
    demo_walker *walker = &demo->walkers[character];
    const uint32_t *state = demo->states + (size_t)character * lmb_graph_get_info(demo->graph)->state_words;
    const lmb_motion character_motion = lmb_state_motion(demo->graph, state);
    const float before[2] = {placement->position[0], placement->position[1]};
    const float heading = crowd_follow_motion(demo->crowd, &walker->start, &character_motion, placement);
    locate(demo, character, heading);
    const float way = hypotf(placement->position[0] - before[0], placement->position[1] - before[1]);
    walker->speed = seconds > 0.0f ? way / seconds : walker->speed;
}

lmb_result demo_advance(demo *demo, double seconds, const float eye[3], lmb_error *error) {
    demo->step = lmb_ticks_from_seconds(seconds);
    follow_script(demo);
    apply_sliders(demo);
    if (demo->kind->steer != NULL) {
        demo->kind->steer(demo, seconds);
    }
    if (demo->scene != NULL) {
        play_scene_set_parameters(demo->scene, demo->time + seconds, demo->parameters);
    }
    if (run_control(demo, error)) {
        return error->result;
    }
    for (uint32_t i = 0; has_character_motion(demo) && demo->scene == NULL && i < demo->crowd->count; i++) {
        move(demo, i, (float)seconds);
    }
    if (demo->scene != NULL) {
        advance_scene(demo, seconds, eye);
    }
    if (demo->cpu != NULL && run_poses(demo, error)) {
        return error->result;
    }
    demo->time += seconds;
    return LMB_OK;
}

// Writes where the scene has the characters, or without one where their motion has brought them.
static void write_transforms(const demo *demo, void *target) {
    if (demo->scene != NULL) {
        memcpy(target, play_scene_transforms(demo->scene), transform_bytes(demo));
        return;
    }
    lmb_affine *matrices = target;
    for (uint32_t i = 0; i < demo->crowd->count; i++) {
        matrices[i] =
            lmb_state_matrix(demo->graph, demo->states + (size_t)i * lmb_graph_get_info(demo->graph)->state_words);
    }
}

// Writes the parameters for the device. Those that the control writes are NaN, so that a missing write on the device
// shows.
lmb_result demo_write(demo *demo, lmb_gpu_batch *batch, uint32_t frame, lmb_error *error) {
    float *target = lmb_gpu_batch_parameters(batch, frame);
    size_t count = (size_t)demo->crowd->count * demo->parameter_count;
    for (size_t i = 0; i < count; i++) {
        uint32_t parameter = (uint32_t)(i % demo->parameter_count);
        bool written = lmb_graph_parameter_at(demo->graph, parameter).is_written;
        target[i] = written ? NAN : demo->parameters[i];
    }
    if (demo->points[frame].mapped != NULL) {
        memcpy(demo->points[frame].mapped, play_scene_points(demo->scene), point_bytes(demo));
    }
    if (demo->transforms[frame].mapped != NULL) {
        write_transforms(demo, demo->transforms[frame].mapped);
    }
    for (uint32_t i = 0; lmb_graph_get_info(demo->graph)->state_words > 0 && i < demo->event_count; i++) {
        const lmb_event *event = &demo->events[i];
        if (lmb_gpu_batch_send(batch, frame, event->character, event->event, error)) {
            return error->result;
        }
    }
    demo->event_count = 0;
    demo->number++;
    return LMB_OK;
}

lmb_result demo_compare_with_reference(const demo *demo, device *device, lmb_gpu_batch *batch, uint32_t frame,
                                       uint64_t *compared, uint64_t *differ, lmb_error *error) {
    size_t count = demo->crowd->count;
    memcpy(lmb_gpu_batch_parameters(batch, frame), demo->parameters, count * demo->parameter_count * sizeof(float));
    *compared = *differ = 0;
    if (lmb_graph_get_info(demo->graph)->state_words == 0) {
        return LMB_OK;
    }
    size_t words = count * lmb_graph_get_info(demo->graph)->state_words;
    lmb_gpu_span span = lmb_gpu_batch_state(batch);
    uint32_t *states = malloc(words * sizeof *states);
    if (states == NULL) {
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory for the states of %u characters", demo->crowd->count);
    }
    lmb_result result = device_read_span(device, &span, states, error);
    for (*compared = 0; result == LMB_OK && *compared < words; ++*compared) {
        *differ += states[*compared] != demo->states[*compared];
    }
    free(states);
    return result;
}

static bool has_machine(const demo *demo) {
    return lmb_graph_get_info(demo->graph)->machine_count > 0;
}

static void show_events(demo *demo, ui *ui) {
    for (uint32_t i = 0; i < lmb_graph_get_info(demo->graph)->event_count; i++) {
        const char *event = lmb_graph_event_name(demo->graph, i);
        if (ui_button(ui, event)) {
            for (uint32_t k = 0; k < demo->crowd->count; k++) {
                demo_send(demo, k, event);
            }
        }
    }
}

// Shows the progress of each clip that the character plays.
static void show_players(const demo *demo, ui *ui) {
    for (uint32_t i = 0; !demo->kind->hides_clips && i < lmb_graph_get_info(demo->graph)->player_count; i++) {
        const lmb_player_state player = lmb_state_player(demo->graph, demo->states, i);
        if (player.weight > 0.0f) {
            const double ticks = (double)player.ticks;
            const double seconds = fmax((double)lmb_graph_player_at(demo->graph, i).duration, 1e-6);
            ui_progress(ui, lmb_graph_player_at(demo->graph, i).name,
                        (float)(ticks / (double)LMB_TICKS_PER_SECOND / seconds));
        }
    }
}

// Shows how many characters are in each state.
static void show_counts(const demo *demo, ui *ui) {
    for (uint32_t i = 0; i < lmb_graph_machine_at(demo->graph, 0).state_count; i++) {
        const char *name = lmb_graph_state_name(demo->graph, 0, i);
        char text[16];
        uint32_t count = 0;
        for (uint32_t k = 0; k < demo->crowd->count; k++) {
            count += strcmp(demo_state(demo, k), name) == 0;
        }
        snprintf(text, sizeof text, "%u", count);
        ui_value(ui, name, text);
    }
}

void demo_show(demo *demo, ui *ui) {
    ui_begin_window(ui, demo->kind->name);
    ui_text(ui, demo->kind->title);
    for (uint32_t i = 0; i < demo->kind->slider_count; i++) {
        const demo_slider *slider = &demo->ranges[i];
        ui_slider(ui, slider->name, slider->min, slider->max, &demo->sliders[i]);
    }
    show_events(demo, ui);
    if (demo->crowd->count == 1) {
        if (has_machine(demo)) {
            ui_value(ui, lmb_graph_machine_at(demo->graph, 0).name, demo_state(demo, 0));
        }
        show_players(demo, ui);
    } else if (has_machine(demo)) {
        show_counts(demo, ui);
    }
    ui_end_window(ui);
}
