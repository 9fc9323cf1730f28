// Parses the viewer's command line.
#include "options.h"

#include <string.h>

#define MAX_CHARACTERS 1000000u
#define MAX_FRAMES 1000000000u
#define MAX_SIZE 16384u

// Texts in an array of a fixed size.
typedef struct text_list {
    const char **texts;
    uint32_t most;
    uint32_t *count;
} text_list;

static const char *read_text(const char *text, void *target) {
    const text_list *list = target;
    if (*list->count == list->most) {
        return "given fewer times";
    }
    list->texts[(*list->count)++] = text;
    return NULL;
}

static const char *read_size(const char *text, void *target) {
    options *options = target;
    char width[8] = {0};
    const size_t length = strcspn(text, "x");
    uint64_t sides[2] = {0};
    memcpy(width, text, length < sizeof width ? length : 0);
    const bool valid = text[length] == 'x' && option_read_whole(width, MAX_SIZE, &sides[0]) &&
                       option_read_whole(text + length + 1, MAX_SIZE, &sides[1]) && sides[0] > 0 && sides[1] > 0;
    options->width = (uint32_t)sides[0];
    options->height = (uint32_t)sides[1];
    return valid ? NULL : "WIDTHxHEIGHT up to 16384";
}

static const char *read_demo(const char *text, void *target) {
    const demo_kind *demo = demo_find(text);
    *(const demo_kind **)target = demo;
    return demo != NULL ? NULL : "the name of a demo";
}

// Checks which options go together, and applies what they imply.
static int complete(const char *command, options *options) {
    const comparison_def *comparison = &options->comparison;
    if (comparison->graph != NULL) {
        options->headless = true;
        options->frames = 1;
    } else if (comparison->setting_count + comparison->label_count + comparison->row > 0) {
        return usage_error(command, "--set, --label and --row need --graph");
    }
    if (options->demo != NULL && comparison->graph != NULL) {
        return usage_error(command, "--demo shows no --graph");
    }
    if (options->clip_count > 0 && options->file_count == 0) {
        return usage_error(command, "--clip needs a file");
    }
    if (options->headless && options->frames == 0) {
        options->frames = 60;
    }
    return COMMAND_LINE_GOOD;
}

int options_parse(int argument_count, char **arguments, options *options) {
    *options = (struct options){.files = arguments + 1, .width = 1280, .height = 720};
    comparison_def *comparison = &options->comparison;
    text_list clips = {options->clips, DEMO_CLIPS, &options->clip_count};
    text_list settings = {comparison->settings, COMPARISON_SETTINGS, &comparison->setting_count};
    text_list labels = {comparison->labels, COMPARISON_FIGURES, &comparison->label_count};
    const option table[] = {
        {"--characters", OPTION_LIMITED, &(option_limited){&options->characters, MAX_CHARACTERS}, "N",
         "how many (300, or those of a demo; at most 60 if the device is a CPU)"},
        {"--device", OPTION_TEXT, &options->device, "NAME|INDEX",
         "part of a device's name, or its index as `limber devices` lists it"},
        {"--size", OPTION_OTHER, &(option_other){read_size, options}, "WxH", "of the window or the picture (1280x720)"},
        {"--frames", OPTION_LIMITED, &(option_limited){&options->frames, MAX_FRAMES}, "N",
         "end after N frames (without a display: 60)"},
        {"--screenshot", OPTION_TEXT, &options->screenshot, "OUT", "write the last frame as a PNG"},
        {"--headless", OPTION_FLAG, &options->headless, NULL, "draw without a display"},
        {"--demo", OPTION_OTHER, &(option_other){read_demo, &options->demo}, "NAME",
         "directional, jump, walk-run, wave, body-turn, aim or wander: a graph that moves by itself;\n"
         "without a display, as its script says. Of a FILE it plays the clips named alike"},
        {"--clip", OPTION_OTHER, &(option_other){read_text, &clips}, "NAME=CLIP",
         "the file's CLIP is idle, walk or run, or what a demo's graph calls NAME (several times)"},
        {"--every", OPTION_LIMITED, &(option_limited){&options->every, MAX_FRAMES}, "N",
         "with --screenshot: also of every Nth frame, its number before the ending"},
        {"--graph", OPTION_TEXT, &comparison->graph, "FILE|JSON",
         "draw a graph's poses side by side, once and without a display: what its outermost\n"
         "operation takes in, and what it gives"},
        {"--set", OPTION_OTHER, &(option_other){read_text, &settings}, "NAME=VALUE",
         "a parameter of the graph (several times)"},
        {"--row", OPTION_LIMITED, &(option_limited){&comparison->row, COMPARISON_FIGURES}, "N",
         "what the outermost operation takes in, alone; the last N of them are results"},
        {"--label", OPTION_OTHER, &(option_other){read_text, &labels}, "TEXT",
         "below the first pose, again below the second, and so on, in place of their names"},
        {"--times", OPTION_FLAG, &options->times, NULL, "show how long each stage takes"},
        {"--trace", OPTION_TEXT, &options->trace, "OUT", "write a trace for chrome://tracing or Perfetto"},
        {"--validate", OPTION_FLAG, &options->validate, NULL,
         "with the Khronos validation layer; fails where it has something to say"},
        {0}};
    const usage usage = {.command = "limber-viewer",
                         .synopsis = "[FILE...] [options]",
                         .text =
                             "Shows a crowd, sampled, blended and skinned on the GPU. FILE is glTF, FBX, Collada or\n"
                             "BVH; further ones add their clips, matched by joint name. Without any, the mannequin.\n"
                             "The characters of a file stand, walk and run by its clips with such names; if there are\n"
                             "none, each plays one of its clips.\n",
                         .options = table,
                         .files = OPTION_ANY_FILES};
    const int status = command_line_read(&usage, argument_count - 1, arguments + 1, &options->file_count);
    return status == COMMAND_LINE_GOOD ? complete(usage.command, options) : status;
}
