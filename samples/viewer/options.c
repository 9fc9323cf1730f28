// Parses the viewer's command line.
#include "options.h"

#include "terminal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CHARACTERS 1000000u
#define MAX_FRAMES 1000000000u
#define MAX_SIZE 16384u

const char options_usage[] =
    "usage: limber-viewer [FILE...] [options]\n"
    "\n"
    "Shows a crowd, sampled, blended and skinned on the GPU. FILE is glTF, FBX, Collada or\n"
    "BVH; further ones add their clips, matched by joint name. Without any, the mannequin.\n"
    "\n"
    "  --characters N      how many (default 300, or those of a demo)\n"
    "  --device NAME|INDEX part of a device's name, or its index as `limber devices` lists it\n"
    "  --size WxH          of the window or the picture (default 1280x720)\n"
    "  --frames N          end after N frames (headless default: 60)\n"
    "  --screenshot OUT    write the last frame as a PNG\n"
    "  --headless          draw without a display\n"
    "  --demo NAME         directional, jump, walk-run, wave, body-turn, aim or wander: a graph that moves by "
    "itself;\n"
    "                      without a display, as its script says. Of a FILE it plays the clips named alike\n"
    "  --clip NAME=CLIP    a demo plays the file's CLIP where its graph says NAME (several times)\n"
    "  --every N           with --screenshot: also of every Nth frame, its number before the ending\n"
    "  --graph FILE|JSON   draw a graph's poses side by side, once and without a display: what its outermost\n"
    "                      operation takes in, and what it gives\n"
    "  --set NAME=VALUE    a parameter of the graph (several times)\n"
    "  --row N             what the outermost operation takes in, alone; the last N of them are results\n"
    "  --label TEXT        below the first pose, again below the second, and so on, in place of their names\n"
    "  --times             show how long each stage takes\n"
    "  --trace OUT         write a trace for chrome://tracing or Perfetto\n"
    "  --validate          with the Khronos validation layer; fails where it has something to say\n"
    "  --help              this text\n";

static bool complain(const char *message, const char *what) {
    terminal_error("limber-viewer: %s%s%s (see --help)\n", message, what != NULL ? " " : "", what != NULL ? what : "");
    return false;
}

static bool parse_number(const char *text, const char **end, uint32_t largest, uint32_t *number) {
    if (*text < '0' || *text > '9') {
        return false;
    }
    char *stop = NULL;
    errno = 0;
    unsigned long value = strtoul(text, &stop, 10);
    *end = stop;
    *number = (uint32_t)value;
    return errno == 0 && value >= 1 && value <= largest;
}

static bool parse_count(const char *text, uint32_t largest, uint32_t *number) {
    const char *end = NULL;
    return parse_number(text, &end, largest, number) && *end == '\0';
}

static bool parse_size(const char *text, options *options) {
    const char *end = NULL;
    return parse_number(text, &end, MAX_SIZE, &options->width) && *end == 'x' &&
           parse_count(end + 1, MAX_SIZE, &options->height);
}

static bool add_text(const char *name, const char *text, const char **texts, uint32_t most, uint32_t *count) {
    if (*count == most) {
        return complain("too many of", name);
    }
    texts[(*count)++] = text;
    return true;
}

// Parses an option that has a value. Returns whether the value is well formed.
static bool parse_valued(const char *name, const char *value, options *options) {
    if (strcmp(name, "--characters") == 0) {
        return parse_count(value, MAX_CHARACTERS, &options->characters) ||
               complain("--characters wants a number from 1 to 1000000, not", value);
    }
    if (strcmp(name, "--frames") == 0) {
        return parse_count(value, MAX_FRAMES, &options->frames) || complain("--frames wants a number, not", value);
    }
    if (strcmp(name, "--size") == 0) {
        options->sized = true;
        return parse_size(value, options) || complain("--size wants WIDTHxHEIGHT up to 16384, not", value);
    }
    if (strcmp(name, "--every") == 0) {
        return parse_count(value, MAX_FRAMES, &options->every) || complain("--every wants a number, not", value);
    }
    if (strcmp(name, "--demo") == 0) {
        options->demo = demo_find(value);
        return options->demo != NULL || complain("there is no demo", value);
    }
    if (strcmp(name, "--clip") == 0) {
        return add_text(name, value, options->clips, DEMO_CLIPS, &options->clip_count);
    }
    if (strcmp(name, "--row") == 0) {
        return parse_count(value, COMPARISON_FIGURES, &options->comparison.row) ||
               complain("--row wants a number, not", value);
    }
    if (strcmp(name, "--set") == 0) {
        return add_text(name, value, options->comparison.settings, COMPARISON_SETTINGS,
                        &options->comparison.setting_count);
    }
    if (strcmp(name, "--label") == 0) {
        return add_text(name, value, options->comparison.labels, COMPARISON_FIGURES, &options->comparison.label_count);
    }
    if (strcmp(name, "--graph") == 0) {
        options->comparison.graph = value;
    } else if (strcmp(name, "--device") == 0) {
        options->device = value;
    } else if (strcmp(name, "--trace") == 0) {
        options->trace = value;
    } else {
        options->screenshot = value;
    }
    return true;
}

static bool takes_value(const char *name) {
    static const char *const valued[] = {"--characters", "--frames", "--size", "--device", "--screenshot",
                                         "--trace",      "--graph",  "--set",  "--row",    "--label",
                                         "--demo",       "--every",  "--clip"};
    for (size_t i = 0; i < sizeof valued / sizeof *valued; i++) {
        if (strcmp(name, valued[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool parse_flag(const char *name, options *options) {
    if (strcmp(name, "--headless") == 0) {
        options->headless = true;
    } else if (strcmp(name, "--times") == 0) {
        options->times = true;
    } else if (strcmp(name, "--validate") == 0) {
        options->validate = true;
    } else if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        options->help = true;
    } else {
        return complain("unknown option", name);
    }
    return true;
}

bool options_parse(int argument_count, char **arguments, options *options) {
    *options = (struct options){.files = arguments + 1, .width = 1280, .height = 720};
    for (int i = 1; i < argument_count; i++) {
        const char *name = arguments[i];
        if (takes_value(name)) {
            i++;
            if (i == argument_count) {
                return complain("a value is missing after", name);
            }
            if (!parse_valued(name, arguments[i], options)) {
                return false;
            }
        } else if (name[0] == '-') {
            if (!parse_flag(name, options)) {
                return false;
            }
        } else {
            arguments[1 + options->file_count++] = arguments[i];
        }
    }
    if (options->comparison.graph != NULL) {
        options->headless = true;
        options->frames = 1;
    } else if (options->comparison.setting_count + options->comparison.label_count + options->comparison.row > 0) {
        return complain("--set, --label and --row need --graph", NULL);
    }
    if (options->demo != NULL && options->comparison.graph != NULL) {
        return complain("--demo shows no --graph", NULL);
    }
    if (options->clip_count > 0 && (options->demo == NULL || options->file_count == 0)) {
        return complain("--clip needs --demo and a file", NULL);
    }
    if (options->characters == 0) {
        options->characters = options->demo != NULL ? options->demo->characters : 300;
    }
    if (options->headless && options->frames == 0) {
        options->frames = 60;
    }
    return true;
}
