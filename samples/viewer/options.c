// Parses the viewer's command line.
#include "options.h"

#include <stdio.h>
#include <string.h>

#define MAX_CHARACTERS 1000000u
#define MAX_FRAMES 1000000000u
#define MAX_SIZE 16384u

_Static_assert(GRAPH_VIEW_SETTINGS == COMPARISON_SETTINGS, "--set is for both");

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

#define DEMO_HELP_SIZE 600
#define DEMO_HELP_LINE 80 // the names go on in the next line from here on

// Writes what "--demo" is, with the names of all demos.
static void write_demo_help(char text[DEMO_HELP_SIZE]) {
    size_t size = 0, line = 0;
    for (uint32_t i = 0; demo_name(i) != NULL; i++) {
        const bool breaks = size - line > DEMO_HELP_LINE;
        line = breaks ? size : line;
        const char *end = demo_name(i + 1) == NULL ? ":" : breaks ? ",\n" : ", ";
        size += (size_t)snprintf(text + size, DEMO_HELP_SIZE - size, "%s%s", demo_name(i), end);
    }
    snprintf(text + size, DEMO_HELP_SIZE - size,
             "\na graph that moves by itself;\n"
             "without a display, as its script says. Of a FILE it plays the clips named alike");
}

static const char *read_change(const char *text, void *target) {
    const char *equals = strchr(text, '=');
    char seconds[16] = {0};
    float value;
    memcpy(seconds, text, equals != NULL && (size_t)(equals - text) < sizeof seconds ? (size_t)(equals - text) : 0);
    return option_read_float(seconds, &value) && value >= 0.0f && equals[1] != '\0' ? read_text(text, target)
                                                                                    : "SECONDS=FILE";
}

static const char *read_input(const char *text, void *target) {
    return scripted_input_is_good(text) ? read_text(text, target)
                                        : "FRAME=KEY, or FRAME=press:X,Y, move:X,Y or lift:X,Y";
}

// Checks what --poses and --graph go together with.
static int check_graphs(const char *command, const options *options) {
    const comparison_def *comparison = &options->comparison;
    const graph_view_def *graph = &options->graph;
    const uint32_t kinds = (options->demo != NULL) + (comparison->graph != NULL) + (graph->file != NULL);
    if (kinds > 1) {
        return usage_error(command,
                           options->demo != NULL ? "--demo shows no --poses or --graph" : "--poses draws no --graph");
    }
    if (comparison->graph == NULL && comparison->label_count + comparison->row > 0) {
        return usage_error(command, "--label and --row need --poses");
    }
    if (graph->file == NULL && (graph->script != NULL || graph->names != NULL || graph->change_count > 0)) {
        return usage_error(command, "--script, --names and --change need --graph");
    }
    if (graph->file == NULL && (graph->scene != NULL || graph->scatters)) {
        return usage_error(command, "--scene and --scatter need --graph");
    }
    if (comparison->graph == NULL && graph->file == NULL && comparison->setting_count > 0) {
        return usage_error(command, "--set needs --poses or --graph");
    }
    return COMMAND_LINE_GOOD;
}

// Without files, a demo may choose.
static const char *find_mannequin(const options *options) {
    if (options->file_count > 0) {
        const char *name = options->files[0];
        return options->file_count == 1 && mannequin_find_creator(name) != NULL ? name : NULL;
    }
    return options->demo != NULL && options->demo->mannequin != NULL ? options->demo->mannequin : "mannequin";
}

// Checks which options go together, and applies what they imply.
static int complete(const char *command, options *options) {
    const comparison_def *comparison = &options->comparison;
    const int status = check_graphs(command, options);
    if (status != COMMAND_LINE_GOOD) {
        return status;
    }
    if (comparison->graph != NULL) {
        options->headless = true;
        options->frames = options->frames == 0 ? 1 : options->frames;
    }
    memcpy(options->graph.settings, comparison->settings, sizeof comparison->settings);
    options->graph.setting_count = comparison->setting_count;
    options->mannequin = find_mannequin(options);
    if (options->clip_count > 0 && options->mannequin != NULL) {
        return usage_error(command, "--clip needs a file");
    }
    if (options->source_count > 0 && comparison->graph == NULL && options->graph.file == NULL) {
        return usage_error(command, "--character needs --graph or --poses");
    }
    if (options->pose_count > 0 && comparison->graph == NULL && options->graph.file == NULL) {
        return usage_error(command, "--pose needs --graph or --poses");
    }
    if (options->demo != NULL && options->demo->source != NULL) {
        options->sources[options->source_count++] = options->demo->source;
    }
    if (options->input.count > 0 && !options->headless) {
        return usage_error(command, "--input needs --headless");
    }
    if (options->plain && !options->headless) {
        return usage_error(command, "--plain needs --headless");
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
    text_list sources = {options->sources, SOURCES - 1, &options->source_count}; // one is that of a demo
    text_list poses = {options->poses, CHARACTER_POSES, &options->pose_count};
    text_list splits = {options->splits, VIEWER_SPLITS, &options->split_count};
    text_list settings = {comparison->settings, COMPARISON_SETTINGS, &comparison->setting_count};
    text_list changes = {options->graph.changes, GRAPH_VIEW_CHANGES, &options->graph.change_count};
    text_list inputs = {options->input.texts, SCRIPTED_INPUTS, &options->input.count};
    text_list labels = {comparison->labels, COMPARISON_FIGURES, &comparison->label_count};
    char about_demos[DEMO_HELP_SIZE];
    write_demo_help(about_demos);
    const option table[] = {
        {"--characters", OPTION_LIMITED, &(option_limited){&options->characters, MAX_CHARACTERS}, "N",
         "how many (300, 1 of --graph, or those of a demo; at most 60 if the device is a CPU)"},
        {"--device", OPTION_TEXT, &options->device, "NAME|INDEX",
         "part of a device's name, or its index as `limber devices` lists it"},
        {"--size", OPTION_OTHER, &(option_other){read_size, options}, "WxH", "of the window or the picture (1280x720)"},
        {"--frames", OPTION_LIMITED, &(option_limited){&options->frames, MAX_FRAMES}, "N",
         "end after N frames (without a display: 60)"},
        {"--screenshot", OPTION_TEXT, &options->screenshot, "OUT", "write the last frame as a PNG"},
        {"--headless", OPTION_FLAG, &options->headless, NULL, "draw without a display"},
        {"--demo", OPTION_OTHER, &(option_other){read_demo, &options->demo}, "NAME", about_demos},
        {"--clip", OPTION_OTHER, &(option_other){read_text, &clips}, "NAME=CLIP",
         "the file's CLIP is idle, walk or run, or what a demo's graph calls NAME (several times)"},
        {"--character", OPTION_OTHER, &(option_other){read_text, &sources}, "NAME=FILE,...",
         "another character, whose clips a \"retarget\" in the graph plays on FILE; 'mannequin' is\n"
         "the built-in one (several times)"},
        {"--pose", OPTION_OTHER, &(option_other){read_text, &poses}, "NAME=CLIP@TIME",
         "a static pose for --graph or --poses, from a clip at a time (several times)"},
        {"--every", OPTION_LIMITED, &(option_limited){&options->every, MAX_FRAMES}, "N",
         "with --screenshot: also of every Nth frame, its number before the ending"},
        {"--graph", OPTION_TEXT, &options->graph.file, "FILE",
         "show a graph (JSON, or a machine's text) with its parameters, events, states and weights;\n"
         "saving FILE shows it anew at once"},
        {"--names", OPTION_TEXT, &options->graph.names, "FILE",
         "the character's clips and joints for names in --graph, as JSON"},
        {"--set", OPTION_OTHER, &(option_other){read_text, &settings}, "NAME=VALUE",
         "a parameter of the graph (several times)"},
        {"--script", OPTION_TEXT, &options->graph.script, "FILE",
         "what happens in --graph, and when, as in `limber play`: 'TIME send EVENT',\n"
         "'TIME set NAME VALUE', a line each, at the end of which may be the number of a character"},
        {"--scene", OPTION_TEXT, &options->graph.scene, "FILE",
         "what is around the characters of --graph, as in `limber play`: ground, rails, a camera"},
        {"--scatter", OPTION_FLAG, &options->graph.scatters, NULL,
         "the characters of --graph, but the first, begin in random states with random parameters"},
        {"--change", OPTION_OTHER, &(option_other){read_change, &changes}, "SECONDS=FILE",
         "show another graph from then on, as if --graph had been saved with its content\n(several times)"},
        {"--poses", OPTION_TEXT, &comparison->graph, "FILE|JSON",
         "draw a graph's poses side by side, without a display: what its outermost operation\n"
         "takes in, and what it gives; once, or --frames times, while its \"time\" passes"},
        {"--row", OPTION_LIMITED, &(option_limited){&comparison->row, COMPARISON_FIGURES}, "N",
         "what the outermost operation takes in, alone; the last N of them are results"},
        {"--label", OPTION_OTHER, &(option_other){read_text, &labels}, "TEXT",
         "below the first pose, again below the second, and so on, in place of their names"},
        {"--times", OPTION_FLAG, &options->times, NULL, "show how long each stage takes"},
        {"--plain", OPTION_FLAG, &options->plain, NULL,
         "with --headless: no windows over the picture; targets stay marked"},
        {"--trace", OPTION_TEXT, &options->trace, "OUT", "write a trace for chrome://tracing or Perfetto"},
        {"--input", OPTION_OTHER, &(option_other){read_input, &inputs}, "FRAME=WHAT",
         "without a display: a key before a frame, or what the pointer does: press:X,Y, move:X,Y or\n"
         "lift:X,Y in pixels (several times)"},
        {"--skeleton-only", OPTION_FLAG, &options->skeleton_only, NULL, CHARACTER_FILE_SKELETON_HELP},
        {"--exact-scales", OPTION_FLAG, &options->exact_scales, NULL, CHARACTER_FILE_SCALES_HELP},
        {"--split", OPTION_OTHER, &(option_other){read_text, &splits}, "CLIP=NAME:FROM-TO,...",
         CHARACTER_FILE_SPLIT_HELP " (several times)"},
        {"--bvh-unit", OPTION_OTHER, &(option_other){character_file_read_unit, &options->bvh_unit}, "METRES",
         CHARACTER_FILE_UNIT_HELP},
        {"--validate", OPTION_FLAG, &options->validate, NULL,
         "with the Khronos validation layer; fails where it has something to say"},
        {0}};
    const usage usage = {.command = "limber-viewer",
                         .synopsis = "[FILE...] [options]",
                         .text =
                             "Shows a crowd, sampled, blended and skinned on the GPU. FILE is glTF, FBX, Collada,\n"
                             "BVH or a pack, as 'limber pack' writes it; further ones add their clips, matched by\n"
                             "joint name. Without any, the mannequin, as with 'mannequin' in place of FILE;\n"
                             "'mannequin-face' is the same with eyes, a mouth and morph targets, 'mannequin-takes'\n"
                             "the same with long takes, 'mannequin-child' one of other proportions without clips.\n"
                             "The characters of a file stand, walk and run by its clips with such names; if there are\n"
                             "none, each plays one of its clips. --graph shows one of them with a graph of your own.\n",
                         .options = table,
                         .files = OPTION_ANY_FILES};
    const int status = command_line_read(&usage, argument_count - 1, arguments + 1, &options->file_count);
    return status == COMMAND_LINE_GOOD ? complete(usage.command, options) : status;
}
