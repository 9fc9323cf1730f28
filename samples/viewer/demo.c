#include "demo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "demo_clips.h"
#include "graphics.h"
#include "stride.h"

// A player's clip: the one whose node its time is written for.
static const lmb_clip *clip_of_player(const demo *demo, const lmb_player_def *player) {
    const lmb_program_def *program = lmb_graph_program_def(demo->graph);
    for (uint32_t i = 0; i < program->node_count; i++) {
        const lmb_node_def *node = &program->nodes[i];
        if (node->op == LMB_OP_CLIP && node->time.parameter == player->time_parameter) {
            return program->clips[(uint32_t)node->clip.constant];
        }
    }
    return NULL;
}

// Of the clip that stands for the one of a speed that the text states. One on the spot has none of its own.
static void note_speed(demo *demo, float stated, float measured) {
    if (stated == DEMO_WALK_SPEED && measured > 0.0f) {
        demo->walk_speed = measured;
    } else if (stated == DEMO_RUN_SPEED && measured > 0.0f) {
        demo->run_speed = measured;
    }
}

// What the text says of the mannequin's clips does not hold for a file's: those carry as far as their feet go.
static lmb_result create_measured(demo *demo, const character *character, lmb_error *error) {
    lmb_control_def def = *lmb_graph_control_def(demo->graph);
    lmb_player_def *players = malloc((def.player_count + (size_t)1) * sizeof *players);
    float(*ways)[2][4] = calloc(def.player_count + (size_t)1, sizeof *ways);
    lmb_motion_track *tracks = calloc(def.player_count + (size_t)1, sizeof *tracks);
    lmb_result result = LMB_OK;
    if (players == NULL || ways == NULL || tracks == NULL) {
        result = graphics_fail(error, LMB_ERROR_MEMORY, "no memory for %u players", def.player_count);
    }
    for (uint32_t i = 0; result == LMB_OK && i < def.player_count; i++) {
        const lmb_clip *clip = clip_of_player(demo, &def.players[i]);
        float velocity[2] = {0.0f, 0.0f};
        players[i] = def.players[i];
        if (clip == NULL || (players[i].velocity == 0.0f && players[i].motion == NULL)) {
            continue;
        }
        result = stride_measure(character, clip, velocity, error);
        for (size_t axis = 0; axis < 2; axis++) {
            ways[i][1][2 * axis] = velocity[axis] / character->unit * players[i].duration;
        }
        note_speed(demo, players[i].velocity, hypotf(velocity[0], velocity[1]));
        tracks[i] = (lmb_motion_track){.key_count = 2, .keys = ways[i][0]};
        players[i].motion = &tracks[i];
    }
    def.players = players;
    result = result == LMB_OK ? lmb_control_create(&def, character->program, NULL, &demo->control, error) : result;
    free(tracks);
    free(ways);
    free(players);
    return result;
}

static lmb_result create_program(demo *demo, character *character, lmb_error *error) {
    const lmb_program_def *def = lmb_graph_program_def(demo->graph);
    const lmb_control_def *control = lmb_graph_control_def(demo->graph);
    lmb_program *program = NULL;
    if (lmb_program_create(def, NULL, &program, error)) {
        return error->result;
    }
    lmb_program_destroy(character->program);
    character->program = program;
    demo->parameter_count = lmb_program_parameter_count(program);
    if (control == NULL) {
        return LMB_OK;
    }
    const bool measures = character->import != NULL && control->mover != NULL;
    return measures ? create_measured(demo, character, error)
                    : lmb_control_create(control, program, NULL, &demo->control, error);
}

static lmb_result read_graph(demo *demo, const char *const *clips, uint32_t clip_count, const character *character,
                             lmb_error *error) {
    const demo_kind *kind = demo->kind;
    const char *text = (const char *)kind->text;
    if (character->import == NULL) {
        return character_read_graph(character, kind->name, text, kind->size, &demo->graph, error);
    }
    const demo_clips_def def = {kind->name, text, kind->size, clips, clip_count};
    char *fitted = NULL;
    if (demo_clips_fit(&def, character, &fitted, error)) {
        return error->result;
    }
    lmb_result result = character_read_graph(character, kind->name, fitted, strlen(fitted), &demo->graph, error);
    free(fitted);
    return result;
}

static void set_ranges(demo *demo) {
    demo->run_speed = fmaxf(demo->run_speed, 1.1f * demo->walk_speed);
    for (uint32_t i = 0; i < demo->kind->slider_count; i++) {
        demo_slider *range = &demo->ranges[i];
        *range = demo->kind->sliders[i];
        if (strcmp(range->name, "speed") == 0) {
            range->greatest = demo->run_speed;
            range->initial = demo->walk_speed;
        }
        demo->sliders[i] = range->initial;
    }
}

lmb_result demo_open(const demo_kind *kind, const char *const *clips, uint32_t clip_count, character *character,
                     demo *demo, lmb_error *error) {
    *demo = (struct demo){.kind = kind, .walk_speed = DEMO_WALK_SPEED, .run_speed = DEMO_RUN_SPEED, .scripted = true};
    if (read_graph(demo, clips, clip_count, character, error)) {
        return error->result;
    }
    if (!demo_script_read((const char *)kind->script, kind->script_size, &demo->script)) {
        return graphics_fail(error, LMB_ERROR_FORMAT, "%s.script: line %u", kind->name, demo->script.count);
    }
    if (create_program(demo, character, error)) {
        return error->result;
    }
    set_ranges(demo);
    return LMB_OK;
}

#define TURN 6.28318531f

static void place_walkers(demo *demo) {
    crowd *crowd = demo->crowd;
    crowd->radius *= demo->kind->spread;
    for (uint32_t i = 0; i < crowd->count; i++) {
        crowd_placement *placement = &crowd->members[i].placement;
        if (crowd->count == 1) {
            *placement = (crowd_placement){.scale = 1.0f, .tint = {0.90f, 0.62f, 0.42f}, .heading = {1.0f, 0.0f}};
        }
        demo_walker *walker = &demo->walkers[i];
        for (size_t axis = 0; axis < 2; axis++) {
            walker->home[axis] = placement->position[axis] *= demo->kind->spread;
        }
        walker->heading = walker->facing = crowd->count > 1 ? TURN * crowd_chance(i, 20) : 0.0f;
    }
}

static void fill_defaults(demo *demo) {
    for (uint32_t i = 0; i < demo->crowd->count; i++) {
        lmb_graph_defaults(demo->graph, demo->parameters + (size_t)i * demo->parameter_count);
    }
}

lmb_result demo_start(demo *demo, crowd *crowd, lmb_error *error) {
    size_t count = crowd->count;
    size_t words = demo->control != NULL ? lmb_control_state_words(demo->control) : 0;
    demo->crowd = crowd;
    demo->walkers = calloc(count, sizeof *demo->walkers);
    demo->parameters = calloc(count * demo->parameter_count + 1, sizeof(float));
    demo->states = calloc(count * words + 1, sizeof(uint32_t));
    demo->cells = calloc((size_t)DEMO_CELLS * DEMO_CELLS, sizeof *demo->cells);
    if (demo->cells == NULL || demo->walkers == NULL || demo->parameters == NULL || demo->states == NULL) {
        return graphics_fail(error, LMB_ERROR_MEMORY, "no memory for %u characters", crowd->count);
    }
    place_walkers(demo);
    fill_defaults(demo);
    return LMB_OK;
}

lmb_result demo_start_device(demo *demo, lmb_gpu *gpu, lmb_gpu_batch *batch, lmb_error *error) {
    if (demo->control == NULL) {
        return LMB_OK;
    }
    lmb_gpu_control_def def = lmb_default_gpu_control_def();
    def.control = demo->control;
    def.batch = batch;
    def.events_a_frame = DEMO_EVENTS;
    return lmb_gpu_control_create(gpu, &def, &demo->gpu_control, error);
}

void demo_close_device(demo *demo) {
    lmb_gpu_control_destroy(demo->gpu_control);
    demo->gpu_control = NULL;
}

void demo_close(demo *demo) {
    lmb_control_destroy(demo->control);
    lmb_graph_destroy(demo->graph);
    free(demo->walkers);
    free(demo->cells);
    free(demo->parameters);
    free(demo->states);
    *demo = (struct demo){0};
}

void demo_set(demo *demo, const char *slider, float value) {
    for (uint32_t i = 0; i < demo->kind->slider_count; i++) {
        const demo_slider *own = &demo->ranges[i];
        if (strcmp(own->name, slider) == 0) {
            demo->sliders[i] = fminf(fmaxf(value, own->least), own->greatest);
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
    const lmb_control_def *control = lmb_graph_control_def(demo->graph);
    if (control == NULL || control->machine_count == 0) {
        return "";
    }
    const uint32_t *state = demo->states + (size_t)character * lmb_control_state_words(demo->control);
    return lmb_graph_state_name(demo->graph, 0, lmb_control_current_state(demo->control, state, 0));
}

// A script's values are for the mannequin.
static float scale_of(const demo *demo, const char *slider) {
    for (uint32_t i = 0; i < demo->kind->slider_count; i++) {
        if (strcmp(demo->ranges[i].name, slider) == 0) {
            return demo->ranges[i].greatest / demo->kind->sliders[i].greatest;
        }
    }
    return 1.0f;
}

static void follow_script(demo *demo) {
    const demo_script_line *line;
    while (demo->scripted && (line = demo_script_take(&demo->script, demo->time)) != NULL) {
        if (line->sends) {
            demo_send(demo, 0, line->name);
        } else {
            demo_set(demo, line->name, line->value * scale_of(demo, line->name));
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
    lmb_control_sort_events(demo->events, demo->scratch, demo->event_count);
    const lmb_control_frame frame = {.step = demo->step,
                                     .number = demo->number,
                                     .character_count = demo->crowd->count,
                                     .state = demo->states,
                                     .parameters = demo->parameters,
                                     .events = demo->events,
                                     .event_count = demo->event_count};
    return demo->control != NULL ? lmb_control_run(demo->control, &frame, 0, demo->crowd->count, error) : LMB_OK;
}

static bool has_mover(const demo *demo) {
    return demo->control != NULL && lmb_control_has_mover(demo->control);
}

// The mover's way begins at home, in the character's own units.
static void move(demo *demo, uint32_t character, float seconds) {
    crowd_placement *placement = &demo->crowd->members[character].placement;
    demo_walker *walker = &demo->walkers[character];
    const uint32_t *state = demo->states + (size_t)character * lmb_control_state_words(demo->control);
    const lmb_mover mover = lmb_control_mover(demo->control, state);
    const double unit = (double)placement->scale * (double)demo->crowd->character->unit;
    const double left = unit * mover.position[0], ahead = unit * mover.position[2];
    const double c = cos((double)walker->facing), s = sin((double)walker->facing);
    const float place[2] = {walker->home[0] + (float)(c * left + s * ahead),
                            walker->home[1] + (float)(c * ahead - s * left)};
    const float way = hypotf(place[0] - placement->position[0], place[1] - placement->position[1]);
    walker->speed = seconds > 0.0f ? way / seconds : walker->speed;
    walker->heading = walker->facing + (float)mover.yaw;
    memcpy(placement->position, place, sizeof place);
    placement->heading[0] = cosf(walker->heading);
    placement->heading[1] = sinf(walker->heading);
}

lmb_result demo_advance(demo *demo, double seconds, lmb_error *error) {
    demo->step = (uint64_t)llround(seconds * (double)LMB_TICKS_PER_SECOND);
    follow_script(demo);
    apply_sliders(demo);
    if (demo->kind->steer != NULL) {
        demo->kind->steer(demo, seconds);
    }
    if (run_control(demo, error)) {
        return error->result;
    }
    for (uint32_t i = 0; has_mover(demo) && i < demo->crowd->count; i++) {
        move(demo, i, (float)seconds);
    }
    demo->time += seconds;
    return LMB_OK;
}

// What the control writes on the device is left for it to write: NaN where it did not.
lmb_result demo_write(demo *demo, lmb_gpu_batch *batch, uint32_t frame, lmb_error *error) {
    float *target = lmb_gpu_batch_parameters(batch, frame);
    size_t count = (size_t)demo->crowd->count * demo->parameter_count;
    for (size_t i = 0; i < count; i++) {
        uint32_t parameter = (uint32_t)(i % demo->parameter_count);
        bool written = lmb_graph_parameter_at(demo->graph, parameter).is_written;
        target[i] = written ? NAN : demo->parameters[i];
    }
    for (uint32_t i = 0; demo->gpu_control != NULL && i < demo->event_count; i++) {
        const lmb_event *event = &demo->events[i];
        if (lmb_gpu_control_send(demo->gpu_control, frame, event->character, event->event, error)) {
            return error->result;
        }
    }
    demo->event_count = 0;
    demo->number++;
    return LMB_OK;
}

lmb_result demo_verify(const demo *demo, device *device, lmb_gpu_batch *batch, uint32_t frame, uint64_t *compared,
                       uint64_t *differ, lmb_error *error) {
    size_t count = demo->crowd->count;
    memcpy(lmb_gpu_batch_parameters(batch, frame), demo->parameters, count * demo->parameter_count * sizeof(float));
    *compared = *differ = 0;
    if (demo->gpu_control == NULL) {
        return LMB_OK;
    }
    size_t words = count * lmb_control_state_words(demo->control);
    lmb_gpu_span span = lmb_gpu_control_state(demo->gpu_control);
    uint32_t *states = malloc(words * sizeof *states);
    if (states == NULL) {
        return graphics_fail(error, LMB_ERROR_MEMORY, "no memory for the states of %u characters", demo->crowd->count);
    }
    lmb_result result = device_read_span(device, &span, states, error);
    for (*compared = 0; result == LMB_OK && *compared < words; ++*compared) {
        *differ += states[*compared] != demo->states[*compared];
    }
    free(states);
    return result;
}
