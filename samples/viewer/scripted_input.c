#include "scripted_input.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <GLFW/glfw3.h>

typedef struct action {
    unsigned frame;
    int key;    // GLFW_KEY_..., or 0
    char verb;  // 'p'ress, 'm'ove or 'l'ift
    float x, y; // pixels
} action;

// Returns the key of that name, or 0.
static int find_key(const char *name) {
    static const struct {
        const char *name;
        int key;
    } named[] = {{"space", GLFW_KEY_SPACE},
                 {".", GLFW_KEY_PERIOD},
                 {",", GLFW_KEY_COMMA},
                 {"+", GLFW_KEY_EQUAL},
                 {"-", GLFW_KEY_MINUS}};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (strcmp(named[i].name, name) == 0) {
            return named[i].key;
        }
    }
    // GLFW's names of letters and digits are their capitals in ASCII.
    return name[0] != '\0' && name[1] == '\0' && isalnum((unsigned char)name[0]) ? toupper((unsigned char)name[0]) : 0;
}

static bool read_action(const char *text, action *action) {
    char verb[8] = "", rest = '\0';
    int length = 0;
    *action = (struct action){0};
    if (sscanf(text, "%u=%n", &action->frame, &length) != 1 || length == 0) {
        return false;
    }
    if (sscanf(text + length, "%7[a-z]:%f,%f%c", verb, &action->x, &action->y, &rest) == 3) {
        action->verb = verb[0];
        return strcmp(verb, "press") == 0 || strcmp(verb, "move") == 0 || strcmp(verb, "lift") == 0;
    }
    action->key = find_key(text + length);
    return action->key != 0;
}

bool scripted_input_is_good(const char *text) {
    action action;
    return read_action(text, &action);
}

static void move(scripted_input *script, const action *action, VkExtent2D extent, window_input *input) {
    const float at[2] = {action->x / (float)extent.width, action->y / (float)extent.height};
    if (script->held) {
        input->drag_x += (at[0] - script->at[0]) * (float)extent.width;
        input->drag_y += (at[1] - script->at[1]) * (float)extent.height;
    }
    memcpy(script->at, at, sizeof at);
    memcpy(input->at, at, sizeof at);
}

void scripted_input_take(scripted_input *script, uint32_t frame, VkExtent2D extent, window_input *input) {
    *input = (window_input){.at = {script->at[0], script->at[1]}};
    for (uint32_t i = 0; i < script->count; i++) {
        action action;
        if (!read_action(script->texts[i], &action) || action.frame != frame) {
            continue;
        }
        if (action.key != 0 && input->key_count < WINDOW_MAX_KEYS) {
            input->keys[input->key_count++] = action.key;
        } else if (action.key == 0) {
            move(script, &action, extent, input);
        }
        if (action.verb == 'p') {
            script->held = true;
            window_input_press(input, script->pressed_at);
        } else if (action.verb == 'l') {
            script->held = false;
            window_input_lift(input, script->pressed_at);
        }
    }
}
