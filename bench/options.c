// Parses the command line of limber-bench.
#include "options.h"

#include "terminal.h"

#include <limber/rig.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void options_print_usage(bool wrong) {
    terminal_print_lines(
        wrong ? stderr : stdout,
        "usage: limber-bench [--workload NAME] [--clips NAME] [--compress] [--joints N[,N...]]\n"
        "                    [--characters N[,N...]] [--all] [--seconds S] [--longest-frame S]\n"
        "                    [--device NAME|INDEX|none] [--json] [--trace FILE]\n"
        "\n"
        "Runs a workload on every path of the CPU and on every Vulkan device, in turns, and prints the median of\n"
        "microseconds a character, the quartiles, and the share of the floor, the larger of two, measured in the\n"
        "same run: the time in which the palette's bytes can be copied, and the time that as many multiplications\n"
        "and additions take as the reference makes. Paths of the CPU, and devices that are processors, are timed\n"
        "by what they have had of a core, other devices by the clock on the wall.\n"
        "  --workload       four-clips: three blended by weight, one added (default); two-clips: blended;\n"
        "                   masked: one clip over the upper body of another; distant: four-clips with half of the\n"
        "                   joints dropped; neighbours: so for every second character; machines: state machines\n"
        "                   over blend spaces and a layer, each character's own, control and poses also apart\n"
        "  --clips          procedural (default); mannequin: the built-in character's; pab: of FBX files\n"
        "  --compress       the clips through lmb_clip_compress\n"
        "  --joints         of the rig; default 67\n"
        "  --characters     crowd sizes; default 16,1000,10000\n"
        "  --all            every workload, clip set and size that README shows, instead of the above\n"
        "  --seconds        to spend on each backend and size; default 1\n"
        "  --longest-frame  a backend that would take more seconds for a frame is left out; default 8\n"
        "  --device         part of a device's name, its index, or none; default all\n"
        "  --json           JSON instead of a table, one line for each result\n"
        "  --trace          write every run and its stages for chrome://tracing or Perfetto, which takes time too\n");
}

static bool wrong(const char *option, const char *value) {
    terminal_error("limber-bench: %s: not '%s'\n", option, value);
    return false;
}

static bool read_numbers(const char *text, uint32_t largest, numbers *numbers) {
    numbers->count = 0;
    for (const char *at = text; *at != '\0';) {
        char *end;
        unsigned long number = strtoul(at, &end, 10);
        if (at[0] < '0' || at[0] > '9' || number == 0 || number > largest || numbers->count == OPTIONS_MOST_NUMBERS ||
            (*end != ',' && *end != '\0') || (*end == ',' && end[1] == '\0')) {
            return false;
        }
        numbers->values[numbers->count++] = (uint32_t)number;
        at = *end == ',' ? end + 1 : end;
    }
    return numbers->count > 0;
}

static bool read_seconds(const char *text, double *seconds) {
    char *end;
    *seconds = strtod(text, &end);
    return end != text && *end == '\0' && *seconds > 0.0 && *seconds <= 3600.0;
}

static bool read_workload(const char *text, workload_kind *kind) {
    for (int i = 0; i < WORKLOAD_KIND_COUNT; i++) {
        if (strcmp(text, workload_kind_name((workload_kind)i)) == 0) {
            *kind = (workload_kind)i;
            return true;
        }
    }
    return false;
}

static bool read_clips(const char *text, actor_kind *kind) {
    for (int i = 0; i < ACTOR_KIND_COUNT; i++) {
        if (strcmp(text, actor_kind_name((actor_kind)i)) == 0) {
            *kind = (actor_kind)i;
            return true;
        }
    }
    return false;
}

static const numbers usual_crowds = {{16, 1000, 10000}, 3};

// The scenes that README shows: by size of the crowd, size of the rig, and other influences on the cost.
static const scene all_scenes[] = {
    {WORKLOAD_FOUR_CLIPS, ACTOR_PROCEDURAL, false, 24, {{1000}, 1}},
    {WORKLOAD_FOUR_CLIPS, ACTOR_PROCEDURAL, false, 67, {{16, 100, 1000, 10000, 100000, 1000000}, 6}},
    {WORKLOAD_FOUR_CLIPS, ACTOR_PROCEDURAL, false, 200, {{1000}, 1}},
    {WORKLOAD_FOUR_CLIPS, ACTOR_PROCEDURAL, false, 1000, {{1000}, 1}},
    {WORKLOAD_TWO_CLIPS, ACTOR_PROCEDURAL, false, 67, {{1000}, 1}},
    {WORKLOAD_MASKED, ACTOR_PROCEDURAL, false, 67, {{1000}, 1}},
    {WORKLOAD_MACHINES, ACTOR_PROCEDURAL, false, 67, {{1000}, 1}},
    {WORKLOAD_FOUR_CLIPS, ACTOR_MANNEQUIN, false, 67, {{1000}, 1}},
    {WORKLOAD_FOUR_CLIPS, ACTOR_MANNEQUIN, true, 67, {{1000}, 1}},
    {WORKLOAD_FOUR_CLIPS, ACTOR_PAB, false, 67, {{1000}, 1}},
    {WORKLOAD_FOUR_CLIPS, ACTOR_PAB, true, 67, {{1000}, 1}},
};

// The arguments, before scenes are created from them.
typedef struct request {
    scene scene;
    numbers joints;
    bool all;
} request;

static bool read_option(const char *name, const char *value, request *request, options *options) {
    if (strcmp(name, "--workload") == 0) {
        return read_workload(value, &request->scene.workload);
    }
    if (strcmp(name, "--clips") == 0) {
        return read_clips(value, &request->scene.clips);
    }
    if (strcmp(name, "--joints") == 0) {
        return read_numbers(value, LMB_MAX_JOINTS, &request->joints);
    }
    if (strcmp(name, "--characters") == 0) {
        return read_numbers(value, 10000000, &request->scene.characters);
    }
    if (strcmp(name, "--seconds") == 0) {
        return read_seconds(value, &options->seconds);
    }
    if (strcmp(name, "--longest-frame") == 0) {
        return read_seconds(value, &options->longest_frame);
    }
    if (strcmp(name, "--trace") == 0) {
        options->trace = value;
        return true;
    }
    if (strcmp(name, "--device") == 0) {
        options->no_devices = strcmp(value, "none") == 0;
        options->device = options->no_devices ? NULL : value;
        return true;
    }
    return false;
}

static bool read_flag(const char *name, request *request, options *options) {
    bool *flag = strcmp(name, "--json") == 0       ? &options->json
                 : strcmp(name, "--all") == 0      ? &request->all
                 : strcmp(name, "--compress") == 0 ? &request->scene.compressed
                 : strcmp(name, "--help") == 0     ? &options->help
                                                   : NULL;
    if (flag != NULL) {
        *flag = true;
    }
    return flag != NULL;
}

static void make_scenes(const request *request, options *options) {
    if (request->all) {
        memcpy(options->scenes, all_scenes, sizeof all_scenes);
        options->scene_count = sizeof all_scenes / sizeof *all_scenes;
        return;
    }
    for (uint32_t i = 0; i < request->joints.count; i++) {
        scene *scene = &options->scenes[options->scene_count++];
        *scene = request->scene;
        scene->joints = request->joints.values[i];
    }
}

bool options_read(int count, char **arguments, options *options) {
    *options = (struct options){.seconds = 1.0, .longest_frame = 8.0};
    request request = {.scene = {.characters = usual_crowds}, .joints = {{67}, 1}};
    for (int i = 1; i < count; i++) {
        if (read_flag(arguments[i], &request, options)) {
            continue;
        }
        if (i + 1 == count || !read_option(arguments[i], arguments[i + 1], &request, options)) {
            return wrong(arguments[i], i + 1 < count ? arguments[i + 1] : "");
        }
        i++;
    }
    make_scenes(&request, options);
    return true;
}
