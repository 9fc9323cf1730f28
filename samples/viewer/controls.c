// Applies keys and mouse movements to the crowd, the camera and a demo.
#include "controls.h"

#include "terminal.h"

#include <stdio.h>
#include <string.h>

#include <GLFW/glfw3.h>

#define RADIANS_PER_PIXEL 0.006f
#define ZOOM_PER_NOTCH 0.9f
#define STEP_SECONDS (1.0 / 60.0)
#define SPEED_FACTOR 1.25

#define EVERYWHERE (CONTROLS_CROWD | CONTROLS_DEMO | CONTROLS_GRAPH)

// A key may do several things, each in some modes.
static const struct {
    uint32_t modes;
    const char *key, *effect;
} keys[] = {{CONTROLS_CROWD | CONTROLS_DEMO, "drag", "orbit"},
            {CONTROLS_GRAPH, "drag", "orbit, or move a target"},
            {CONTROLS_GRAPH, "click", "watch a character"},
            {EVERYWHERE, "wheel", "closer, farther"},
            {CONTROLS_CROWD | CONTROLS_GRAPH | CONTROLS_PAUSES, "space", "pause"},
            {CONTROLS_PRESSES, "space", "an event of the demo"},
            {EVERYWHERE, ".", "one frame, paused"},
            {CONTROLS_GRAPH, ",", "a frame back"},
            {CONTROLS_CROWD, "1 to 9", "one clip for everybody"},
            {CONTROLS_WAVES, "W", "everybody waves"},
            {EVERYWHERE, "+ -", "faster, slower"},
            {CONTROLS_SLIDERS, "arrows", "sliders of the demo"},
            {EVERYWHERE, "J", "joints: axes, names"},
            {CONTROLS_MATCHES, "T", "paths of motion matching"},
            {EVERYWHERE, "R", "camera back"},
            {EVERYWHERE, "G", "times of stages"},
            {EVERYWHERE, "H", "these keys"},
            {EVERYWHERE, "Esc", "end"}};

static const char *name_modes(uint32_t modes) {
    return (modes & EVERYWHERE) == EVERYWHERE                     ? ""
           : modes == CONTROLS_GRAPH                              ? " (--graph)"
           : modes == CONTROLS_MATCHES                            ? " (motion matching)"
           : (modes & (CONTROLS_CROWD | CONTROLS_WAVES)) == modes ? " (a crowd)"
           : (modes & CONTROLS_CROWD) != 0                        ? ""
                                                                  : " (--demo)";
}

void controls_print_keys(void) {
    terminal_print("\nKeys in the window:\n");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        terminal_print("  %-19s %s%s\n", keys[i].key, keys[i].effect, name_modes(keys[i].modes));
    }
}

void controls_show_keys(const controls *controls, ui *ui) {
    ui_begin_window(ui, "keys");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if ((keys[i].modes & controls->modes) != 0) {
            ui_value(ui, keys[i].effect, keys[i].key);
        }
    }
    ui_end_window(ui);
}

static void choose_base(crowd *crowd, uint32_t base) {
    if (base < crowd->character->base_count) {
        crowd->chosen = crowd->chosen == base ? LMB_NONE : base;
    }
}

static void scale_speed(controls *controls, double factor) {
    double speed = controls->speed * factor;
    if (speed > 0.05 && speed < 8.0) {
        controls->speed = speed;
    }
}

static void press(controls *controls, int key, crowd *crowd, camera *camera) {
    if (key >= GLFW_KEY_1 && key <= GLFW_KEY_9 && (controls->modes & CONTROLS_CROWD) != 0) {
        choose_base(crowd, (uint32_t)(key - GLFW_KEY_1));
    }
    switch (key) {
    case GLFW_KEY_SPACE:
        controls->paused = !controls->paused && (controls->modes & CONTROLS_PRESSES) == 0;
        break;
    case GLFW_KEY_PERIOD:
        controls->paused = true;
        controls->steps++;
        break;
    case GLFW_KEY_W:
        crowd->all_wave = (controls->modes & CONTROLS_WAVES) != 0 && !crowd->all_wave;
        break;
    case GLFW_KEY_EQUAL:
    case GLFW_KEY_KP_ADD:
        scale_speed(controls, SPEED_FACTOR);
        break;
    case GLFW_KEY_MINUS:
    case GLFW_KEY_KP_SUBTRACT:
        scale_speed(controls, 1.0 / SPEED_FACTOR);
        break;
    case GLFW_KEY_J:
        controls->joints = (controls->joints + 1) % CONTROLS_JOINT_KINDS;
        break;
    case GLFW_KEY_T:
        controls->paths = !controls->paths;
        break;
    case GLFW_KEY_R:
        *camera = controls->camera;
        break;
    case GLFW_KEY_G:
        controls->times = !controls->times;
        break;
    case GLFW_KEY_H:
        controls->help = !controls->help;
        break;
    case GLFW_KEY_ESCAPE:
        controls->quit = true;
        break;
    default:
        break;
    }
}

static void press_in_demo(demo *demo, int key) {
    static const struct {
        int key;
        uint32_t slider;
        float step; // share of the slider's range
    } sliders[] = {
        {GLFW_KEY_LEFT, 0, -0.1f}, {GLFW_KEY_RIGHT, 0, 0.1f}, {GLFW_KEY_DOWN, 1, -0.1f}, {GLFW_KEY_UP, 1, 0.1f}};
    for (size_t i = 0; i < sizeof sliders / sizeof *sliders; i++) {
        if (key == sliders[i].key && sliders[i].slider < demo->kind->slider_count) {
            const demo_slider *slider = &demo->ranges[sliders[i].slider];
            demo_set(demo, slider->name,
                     demo->sliders[sliders[i].slider] + sliders[i].step * (slider->max - slider->min));
        }
    }
    if (key == GLFW_KEY_SPACE && demo->kind->pressed != NULL) {
        demo_send(demo, 0, demo->kind->pressed);
    }
}

void controls_apply_to_demo(const window_input *input, demo *demo) {
    for (uint32_t i = 0; i < input->key_count; i++) {
        press_in_demo(demo, input->keys[i]);
    }
    for (uint32_t i = 0; i < input->released_count; i++) {
        if (input->released[i] == GLFW_KEY_SPACE && demo->kind->released != NULL) {
            demo_send(demo, 0, demo->kind->released);
        }
    }
}

void controls_apply_to_graph(controls *controls, window_input *input, graph_view *view) {
    const graph_view_time time = {&controls->paused, &controls->steps, &controls->speed};
    uint32_t others = 0;
    for (uint32_t i = 0; i < input->key_count; i++) {
        if (input->keys[i] == GLFW_KEY_COMMA) {
            graph_view_step_back(view, time);
        } else if (input->keys[i] == GLFW_KEY_PERIOD) {
            graph_view_step(view, time);
        } else {
            input->keys[others++] = input->keys[i];
        }
    }
    input->key_count = others;
}

void controls_apply(controls *controls, const window_input *input, crowd *crowd, camera *camera) {
    controls->quit = controls->quit || input->closed;
    for (uint32_t i = 0; i < input->key_count; i++) {
        press(controls, input->keys[i], crowd, camera);
    }
    camera_orbit(camera, -RADIANS_PER_PIXEL * input->drag_x, RADIANS_PER_PIXEL * input->drag_y);
    for (float notches = input->wheel; notches > 0.0f; notches -= 1.0f) {
        camera_zoom(camera, ZOOM_PER_NOTCH);
    }
    for (float notches = input->wheel; notches < 0.0f; notches += 1.0f) {
        camera_zoom(camera, 1.0f / ZOOM_PER_NOTCH);
    }
}

double controls_take_time(controls *controls, double elapsed) {
    if (!controls->paused) {
        return elapsed * controls->speed;
    }
    if (controls->steps == 0) {
        return 0.0;
    }
    controls->steps--;
    return STEP_SECONDS;
}

void controls_describe(const controls *controls, const crowd *crowd, char *text, size_t size) {
    const character *character = crowd->character;
    const char *slash = strrchr(character->name, '/');
    const bool has_bases = (controls->modes & CONTROLS_CROWD) != 0;
    snprintf(text, size, "limber-viewer: %u of %s%s%s%s, speed %.2f%s (H: help)", crowd->count,
             slash != NULL ? slash + 1 : character->name, has_bases ? ", " : "",
             !has_bases                  ? ""
             : crowd->chosen != LMB_NONE ? character->base_names[crowd->chosen]
                                         : "mixed",
             crowd->all_wave ? ", all wave" : "", controls->speed, controls->paused ? ", paused" : "");
}
