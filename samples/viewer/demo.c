#include "demo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graphics.h"
#include "travel.h"

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
    return control != NULL ? lmb_control_create(control, NULL, &demo->control, error) : LMB_OK;
}

lmb_result demo_open(const demo_kind *kind, character *character, demo *demo, lmb_error *error) {
    *demo = (struct demo){.kind = kind, .scripted = true};
    if (character_read_graph(character, kind->name, (const char *)kind->text, kind->size, &demo->graph, error)) {
        return error->result;
    }
    if (!demo_script_read((const char *)kind->script, kind->script_size, &demo->script)) {
        return graphics_fail(error, LMB_ERROR_FORMAT, "%s.script: line %u", kind->name, demo->script.count);
    }
    for (uint32_t i = 0; i < kind->slider_count; i++) {
        demo->sliders[i] = kind->sliders[i].initial;
    }
    return create_program(demo, character, error);
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
        placement->position[0] *= demo->kind->spread;
        placement->position[1] *= demo->kind->spread;
        demo->walkers[i].heading = crowd->count > 1 ? TURN * crowd_chance(i, 20) : 0.0f;
    }
}

static void fill_defaults(demo *demo) {
    for (uint32_t i = 0; i < demo->crowd->count * demo->parameter_count; i++) {
        demo->parameters[i] = lmb_graph_parameter_at(demo->graph, i % demo->parameter_count).initial;
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
        const demo_slider *own = &demo->kind->sliders[i];
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

static void follow_script(demo *demo) {
    const demo_script_line *line;
    while (demo->scripted && (line = demo_script_take(&demo->script, demo->time)) != NULL) {
        if (line->sends) {
            demo_send(demo, 0, line->name);
        } else {
            demo_set(demo, line->name, line->value);
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

static void move(demo *demo, uint32_t character, float seconds) {
    crowd_placement *placement = &demo->crowd->members[character].placement;
    demo_walker *walker = &demo->walkers[character];
    mannequin_travel travel = travel_of_pose(lmb_graph_program_def(demo->graph), lmb_graph_control_def(demo->graph),
                                             demo->parameters + (size_t)character * demo->parameter_count);
    float c = cosf(walker->heading), s = sinf(walker->heading), way = seconds * placement->scale;
    placement->position[0] += way * (c * travel.left + s * travel.forward);
    placement->position[1] += way * (c * travel.forward - s * travel.left);
    walker->speed = hypotf(travel.left, travel.forward) * placement->scale;
    walker->heading += seconds * (travel.turn + walker->turn);
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
    for (uint32_t i = 0; i < demo->crowd->count; i++) {
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

static lmb_result read_states(const demo *demo, device *device, const device_buffer *buffer, lmb_error *error) {
    lmb_gpu_span span = lmb_gpu_control_state(demo->gpu_control);
    VkCommandPool pool;
    VkCommandBuffer commands;
    if (device_begin(device, &pool, &commands, error)) {
        return error->result;
    }
    const VkMemoryBarrier before = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT};
    const VkMemoryBarrier after = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                   .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                   .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    const VkBufferCopy copy = {.srcOffset = span.offset, .size = span.size};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &before,
                         0, NULL, 0, NULL);
    vkCmdCopyBuffer(commands, span.buffer, buffer->buffer, 1, &copy);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &after, 0, NULL, 0,
                         NULL);
    return device_submit_and_wait(device, pool, commands, error);
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
    device_buffer buffer = {0};
    lmb_result result =
        device_buffer_create(device, words * sizeof(uint32_t), VK_BUFFER_USAGE_TRANSFER_DST_BIT, true, &buffer, error);
    if (result == LMB_OK) {
        result = read_states(demo, device, &buffer, error);
    }
    for (*compared = 0; result == LMB_OK && *compared < words; ++*compared) {
        *differ += ((const uint32_t *)buffer.mapped)[*compared] != demo->states[*compared];
    }
    device_buffer_destroy(device, &buffer);
    return result;
}

#define LINE 24.0f // at a scale of 1.5
#define BAR_LEFT 150.0f
#define BAR_WIDTH 180.0f
#define PANEL_WIDTH 350.0f
#define WIDE 900.0f // pixels: a smaller picture has a smaller panel, as long as letters can be read
#define SMALLEST 0.667f

static float panel_scale(const overlay *overlay) {
    return fmaxf(fminf((float)overlay->extent.width / WIDE, 1.0f), SMALLEST);
}

static void draw_line(overlay *overlay, float top, const char *text) {
    float scale = panel_scale(overlay);
    overlay_text(overlay, 12.0f * scale, top * scale, 1.5f * scale, text);
}

// One in a group weighs there what it weighs in its blend.
static float weight_in_group(const demo *demo, uint32_t player) {
    const lmb_control_def *control = lmb_graph_control_def(demo->graph);
    for (uint32_t i = 0; i < control->group_count; i++) {
        for (uint32_t k = 0; k < control->groups[i].player_count; k++) {
            const lmb_group_player *place = &control->groups[i].players[k];
            if (place->player == player) {
                return place->weight.parameter != LMB_NONE ? demo->parameters[place->weight.parameter]
                                                           : place->weight.constant;
            }
        }
    }
    return 1.0f;
}

static bool is_seen(const demo *demo, uint32_t player) {
    return !demo->kind->hides_clips && weight_in_group(demo, player) > 0.0f &&
           lmb_control_player_weight(demo->control, demo->states, player) > 0.0f;
}

// How far each clip is that is seen.
static void draw_players(const demo *demo, overlay *overlay, float top) {
    const lmb_control_def *control = lmb_graph_control_def(demo->graph);
    float scale = panel_scale(overlay);
    for (uint32_t i = 0; control != NULL && i < control->player_count; i++) {
        const lmb_player_def *player = &control->players[i];
        float phase = demo->parameters[player->time_parameter] / fmaxf(player->duration, 1e-6f);
        if (is_seen(demo, i)) {
            draw_line(overlay, top, lmb_graph_player_name(demo->graph, i));
            overlay_rectangle(overlay, BAR_LEFT * scale, top * scale, BAR_WIDTH * scale, 12.0f * scale, OVERLAY_LINE);
            overlay_rectangle(overlay, BAR_LEFT * scale, top * scale, BAR_WIDTH * phase * scale, 12.0f * scale,
                              OVERLAY_ORANGE);
            top += LINE;
        }
    }
}

static void draw_counts(const demo *demo, overlay *overlay, float top) {
    const lmb_control_def *control = lmb_graph_control_def(demo->graph);
    for (uint32_t i = 0; i < control->machines[0].state_count; i++) {
        const char *name = lmb_graph_state_name(demo->graph, 0, i);
        char text[64];
        uint32_t count = 0;
        for (uint32_t k = 0; k < demo->crowd->count; k++) {
            count += strcmp(demo_state(demo, k), name) == 0;
        }
        snprintf(text, sizeof text, "%s: %u", name, count);
        draw_line(overlay, top, text);
        top += LINE;
    }
}

static bool has_machine(const demo *demo) {
    const lmb_control_def *control = lmb_graph_control_def(demo->graph);
    return control != NULL && control->machine_count > 0;
}

// Of the panel: the title, sliders, and what moves by itself.
static uint32_t count_lines(const demo *demo) {
    const lmb_control_def *control = lmb_graph_control_def(demo->graph);
    uint32_t lines = 1 + demo->kind->slider_count;
    if (demo->crowd->count > 1) {
        return lines + (has_machine(demo) ? control->machines[0].state_count : 0);
    }
    for (uint32_t i = 0; control != NULL && i < control->player_count; i++) {
        lines += is_seen(demo, i);
    }
    return lines + has_machine(demo);
}

void demo_draw(const demo *demo, overlay *overlay) {
    float top = 12.0f, scale = panel_scale(overlay);
    char text[64];
    overlay_rectangle(overlay, 0.0f, 0.0f, PANEL_WIDTH * scale, ((float)count_lines(demo) * LINE + 14.0f) * scale,
                      OVERLAY_PANEL);
    draw_line(overlay, top, demo->kind->title);
    for (uint32_t i = 0; i < demo->kind->slider_count; i++) {
        snprintf(text, sizeof text, "%s: %.2f", demo->kind->sliders[i].name, (double)demo->sliders[i]);
        draw_line(overlay, top += LINE, text);
    }
    if (demo->crowd->count > 1 && has_machine(demo)) {
        draw_counts(demo, overlay, top + LINE);
    } else if (demo->crowd->count == 1) {
        if (has_machine(demo)) {
            snprintf(text, sizeof text, "%s: %s", lmb_graph_machine_name(demo->graph, 0), demo_state(demo, 0));
            draw_line(overlay, top += LINE, text);
        }
        draw_players(demo, overlay, top + LINE);
    }
}

void demo_show(demo *demo, panel *panel) {
    for (uint32_t i = 0; i < demo->kind->slider_count; i++) {
        const demo_slider *slider = &demo->kind->sliders[i];
        panel_slider(panel, slider->name, slider->least, slider->greatest, &demo->sliders[i]);
    }
    for (uint32_t i = 0; i < lmb_graph_event_count(demo->graph); i++) {
        const char *event = lmb_graph_event_name(demo->graph, i);
        if (panel_button(panel, event)) {
            for (uint32_t k = 0; k < demo->crowd->count; k++) {
                demo_send(demo, k, event);
            }
        }
    }
    if (has_machine(demo) && demo->crowd->count == 1) {
        panel_text(panel, demo_state(demo, 0));
    }
}
