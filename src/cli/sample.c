// `limber sample`: prints the poses of a clip at given times.
#include "character.h"
#include "command.h"
#include "command_line.h"
#include "poses.h"
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sampling {
    const char *file; // the first file
    uint32_t file_count;
    const char *clip_text;
    option_seconds times;
    bool loop;
    bool as_json;

    character character;
    const lmb_clip *clip;
    lmb_graph *program;
    poses poses;
} sampling;

static lmb_result no_such_clip(const sampling *sampling, lmb_error *error) {
    uint32_t count = sampling->character.clip_count;
    error->result = LMB_ERROR_ARGUMENT;
    int used = snprintf(error->message, sizeof error->message, "no clip '%s' among its %u", sampling->clip_text, count);
    for (uint32_t i = 0; i < count && used > 0 && (size_t)used < sizeof error->message; i++) {
        used += snprintf(error->message + used, sizeof error->message - (size_t)used, "%s %s", i == 0 ? ":" : ",",
                         lmb_clip_name(sampling->character.clips[i]));
    }
    return error->result;
}

// A name takes precedence over an index, so that every clip can be selected by either.
static lmb_result find_clip(sampling *sampling, lmb_error *error) {
    const char *text = sampling->clip_text;
    for (uint32_t i = 0; i < sampling->character.clip_count; i++) {
        const lmb_clip *clip = sampling->character.clips[i];
        if (strcmp(lmb_clip_name(clip), text) == 0) {
            sampling->clip = clip;
            return LMB_OK;
        }
    }
    if (text[0] != '\0' && strlen(text) < 10 && text[strspn(text, "0123456789")] == '\0') {
        unsigned long index = strtoul(text, NULL, 10);
        sampling->clip = index < sampling->character.clip_count ? sampling->character.clips[index] : NULL;
    }
    return sampling->clip != NULL ? LMB_OK : no_such_clip(sampling, error);
}

// Creates a program with one operation, the clip. Its time is each character's only parameter.
static lmb_result create_program(sampling *sampling, lmb_error *error) {
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.time = lmb_parameter(0);
    node.loop = sampling->loop;
    const lmb_graph_def def = {.rig = sampling->character.rig,
                               .clips = &sampling->clip,
                               .clip_count = 1,
                               .nodes = &node,
                               .node_count = 1,
                               .parameter_count = 1};
    return lmb_graph_create(&def, NULL, &sampling->program, error);
}

static lmb_result sample(sampling *sampling, lmb_error *error) {
    lmb_result result = find_clip(sampling, error);
    if (result == LMB_OK) {
        result = create_program(sampling, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    sampling->poses.rig = sampling->character.rig;
    sampling->poses.program = sampling->program;
    sampling->poses.count = sampling->times.count;
    const lmb_batch_inputs inputs = {.parameters = sampling->times.values};
    return poses_run(&sampling->poses, &inputs, error);
}

static void write_json(const sampling *sampling) {
    json json = {.stream = stdout};
    json_begin_object(&json, NULL);
    json_text(&json, "clip", lmb_clip_name(sampling->clip));
    json_float(&json, "duration", lmb_clip_duration(sampling->clip));
    poses_write(&sampling->poses, sampling->times.values, &json);
    json_end_object(&json);
    terminal_print("\n");
}

static void print_text(const sampling *sampling) {
    terminal_print("clip %s, %.3f s, on %s\n", lmb_clip_name(sampling->clip), (double)lmb_clip_duration(sampling->clip),
                   poses_place(&sampling->poses));
    for (uint32_t pose = 0; pose < sampling->times.count; pose++) {
        poses_print(&sampling->poses, pose, sampling->times.values[pose]);
    }
}

static void release(sampling *sampling) {
    poses_release(&sampling->poses);
    lmb_graph_destroy(sampling->program);
    character_close(&sampling->character);
    free(sampling->times.values);
}

// Checks what the option table cannot check. Returns 0, or the exit status of wrong usage.
static int check_usage(sampling *sampling, const char *backend) {
    if (sampling->clip_text == NULL) {
        return usage_error("sample", "no --clip given");
    }
    if (sampling->times.count == 0) {
        return usage_error("sample", "no --time given");
    }
    return poses_choose_backend(&sampling->poses, "sample", backend);
}

static int read_usage(sampling *sampling, int argc, char **argv, bool *proceed) {
    const char *backend = "reference";
    const option options[] = {
        {"--clip", OPTION_TEXT, &sampling->clip_text, "NAME|INDEX", "the clip; a name wins over an index"},
        {"--time", OPTION_SECONDS, &sampling->times, "SECONDS", "a time; may be given many times"},
        {"--loop", OPTION_FLAG, &sampling->loop, NULL, "loop over the clip instead of holding its ends"},
        {"--backend", OPTION_TEXT, &backend, "BACKEND", "reference (default) or gpu"},
        {"--device", OPTION_TEXT, &sampling->poses.device_name, "NAME|INDEX", "part of a device's name, or its index"},
        {"--json", OPTION_FLAG, &sampling->as_json, NULL, "print JSON"}};
    const usage usage = {
        .command = "sample",
        .synopsis = "FILE... --clip NAME|INDEX --time SECONDS [--time ...] [--loop]\n"
                    "                     [--backend reference|gpu] [--device NAME|INDEX] [--json]",
        .text =
            "Samples a clip at each time, as one batch with one character for each, and prints for every joint the\n"
            "local transform (relative to its parent) and where it is in model space, and the bounding box of the\n"
            "skinned meshes, lowest and highest corner. JSON has the whole model matrix, row-major 3x4, the dual\n"
            "quaternion that skins, floats that read back to the same bits, and -1 as the parent of a "
            "root.\n" CHARACTER_HELP,
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .takes_files = true};
    int status = 0;
    *proceed = command_line_read(&usage, argc, argv, &sampling->file_count, &status);
    if (*proceed) {
        status = check_usage(sampling, backend);
        *proceed = status == 0;
    }
    return status;
}

int command_sample(int argc, char **argv) {
    sampling sampling = {.times.values = calloc((size_t)argc + 1, sizeof(float))};
    lmb_error error = {0};
    if (sampling.times.values == NULL) {
        snprintf(error.message, sizeof error.message, "no memory for the times");
        return command_failed("sample", &error);
    }
    bool proceed = false;
    int status = read_usage(&sampling, argc, argv, &proceed);
    sampling.file = argv[0];
    if (proceed && character_open(argv, sampling.file_count, &sampling.character, &error) != LMB_OK) {
        status = command_failed(NULL, &error);
    } else if (proceed && sample(&sampling, &error) != LMB_OK) {
        status = command_failed(sampling.file, &error);
    } else if (proceed && sampling.as_json) {
        write_json(&sampling);
    } else if (proceed) {
        print_text(&sampling);
    }
    release(&sampling);
    return status;
}
