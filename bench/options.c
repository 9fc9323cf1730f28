// Parses the command line of limber-bench.
#include "options.h"

#include <limber/rig.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const char *read_joints(const char *text, void *target) {
    return read_numbers(text, LMB_MAX_JOINTS, target) ? NULL : "numbers of joints, with commas between them";
}

static const char *read_characters(const char *text, void *target) {
    return read_numbers(text, 10000000, target) ? NULL : "numbers from 1 to 10000000, with commas between them";
}

static const char *read_seconds(const char *text, void *target) {
    double *seconds = target;
    char *end;
    *seconds = strtod(text, &end);
    return end != text && *end == '\0' && *seconds > 0.0 && *seconds <= 3600.0 ? NULL : "seconds, at most 3600";
}

static const char *read_workload(const char *text, void *target) {
    for (int i = 0; i < WORKLOAD_KIND_COUNT; i++) {
        if (strcmp(text, workload_kind_name((workload_kind)i)) == 0) {
            *(workload_kind *)target = (workload_kind)i;
            return NULL;
        }
    }
    return "four-clips, two-clips, masked, distant, neighbours, machines, ik-two-bone, ik-aim, foot-placement, stride, "
           "foot-lock, twist, chain, override, retarget, root-motion, warp, full-rotation, skin, skin-dual-quaternion, "
           "skin-morph, divergent, divergent-states, divergent-clips, divergent-fades, game or matching";
}

static const char *read_clips(const char *text, void *target) {
    for (int i = 0; i < ACTOR_KIND_COUNT; i++) {
        if (strcmp(text, actor_kind_name((actor_kind)i)) == 0) {
            *(actor_kind *)target = (actor_kind)i;
            return NULL;
        }
    }
    return "procedural, mannequin or pab";
}

static const numbers usual_crowds = {{16, 1000, 10000}, 3};

// The scenes that docs/figures.md shows: by size of the crowd, size of the rig, and other influences on the cost.
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
    {WORKLOAD_IK_TWO_BONE, ACTOR_MANNEQUIN, false, 67, {{1000}, 1}},
    {WORKLOAD_IK_AIM, ACTOR_MANNEQUIN, false, 67, {{1000}, 1}},
    {WORKLOAD_FOOT_PLACEMENT, ACTOR_MANNEQUIN, false, 67, {{1000}, 1}},
    {WORKLOAD_STRIDE, ACTOR_MANNEQUIN, false, 67, {{1000}, 1}},
    {WORKLOAD_FOOT_LOCK, ACTOR_MANNEQUIN, false, 67, {{1000}, 1}},
    {WORKLOAD_TWIST, ACTOR_MANNEQUIN, false, 67, {{1000}, 1}},
    {WORKLOAD_CHAIN, ACTOR_MANNEQUIN, false, 67, {{1000}, 1}},
    {WORKLOAD_OVERRIDE, ACTOR_MANNEQUIN, false, 67, {{1000}, 1}},
    {WORKLOAD_RETARGET, ACTOR_MANNEQUIN, false, 67, {{1000}, 1}},
    {WORKLOAD_ROOT_MOTION, ACTOR_MANNEQUIN, false, 67, {{1000}, 1}},
    {WORKLOAD_WARP, ACTOR_MANNEQUIN, false, 67, {{1000}, 1}},
    {WORKLOAD_FULL_ROTATION, ACTOR_MANNEQUIN, false, 67, {{1000}, 1}},
    {WORKLOAD_SKIN, ACTOR_MANNEQUIN, false, 67, {{1000}, 1}},
    {WORKLOAD_SKIN_DUAL_QUATERNION, ACTOR_MANNEQUIN, false, 67, {{1000}, 1}},
    {WORKLOAD_SKIN_MORPH, ACTOR_MANNEQUIN, false, 67, {{1000}, 1}},
};

// The arguments, before scenes are created from them.
typedef struct request {
    scene scene;
    numbers joints;
    bool all;
} request;

static void make_scenes(const request *request, options *options) {
    if (request->all) {
        memcpy(options->scenes, all_scenes, sizeof all_scenes);
        options->scene_count = sizeof all_scenes / sizeof *all_scenes;
        return;
    }
    for (uint32_t i = 0; i < request->joints.count; i++) {
        scene *scene = &options->scenes[options->scene_count++];
        *scene = request->scene;
        if (scene->clips == ACTOR_KIND_COUNT) {
            const bool has_base = workload_kind_base(scene->workload) != scene->workload;
            scene->clips = has_base || scene->workload == WORKLOAD_MATCHING ? ACTOR_MANNEQUIN : ACTOR_PROCEDURAL;
        }
        scene->joints = request->joints.values[i];
    }
}

int options_read(int count, char **arguments, options *options) {
    *options = (struct options){.seconds = 1.0, .longest_frame = 8.0};
    request request = {.scene = {.clips = ACTOR_KIND_COUNT, .characters = usual_crowds}, .joints = {{67}, 1}};
    const option table[] = {
        {"--workload", OPTION_OTHER, &(option_other){read_workload, &request.scene.workload}, "NAME",
         "four-clips: three blended by weight, one added (default); two-clips: blended;\n"
         "masked: one clip over the upper body of another; distant: four-clips with half of the\n"
         "joints dropped; neighbours: so for every second character; machines: state machines\n"
         "over blend spaces and a layer, each character's own, control and poses also apart;\n"
         "ik-two-bone, ik-aim, foot-placement, twist, chain, override: such a node over four-clips\n"
         "of the mannequin, beside four-clips alone; stride: foot-placement that warps strides;\n"
         "foot-lock: foot-placement that locks feet and smooths; retarget: its clips through a\n"
         "retarget; root-motion: they play by themselves and move the character; warp,\n"
         "full-rotation: the same, one of them warped to a target, or with all rotations, beside\n"
         "root-motion; skin, skin-dual-quaternion, skin-morph: its 1,400 vertices too (dual\n"
         "quaternions written besides palettes; four morph targets); each character its own: divergent\n"
         "(one to three of six states), divergent-states (one of twenty), divergent-clips (a node that\n"
         "plays one of twenty), divergent-fades (two such nodes), game (ten states with blend spaces, a\n"
         "layer and two additives); matching: each matches motion of\n"
         "four minutes of the mannequin's takes, control, with the searches, and poses also apart"},
        {"--clips", OPTION_OTHER, &(option_other){read_clips, &request.scene.clips}, "NAME",
         "procedural (default); mannequin: the built-in character's, default where it is needed;\n"
         "pab: of FBX files"},
        {"--compress", OPTION_FLAG, &request.scene.compressed, NULL, "the clips through lmb_clip_compress"},
        {"--joints", OPTION_OTHER, &(option_other){read_joints, &request.joints}, "N[,N...]", "of the rig (67)"},
        {"--characters", OPTION_OTHER, &(option_other){read_characters, &request.scene.characters}, "N[,N...]",
         "crowd sizes (16,1000,10000)"},
        {"--all", OPTION_FLAG, &request.all, NULL,
         "every workload, clip set and size of docs/figures.md, instead of the above"},
        {"--seconds", OPTION_OTHER, &(option_other){read_seconds, &options->seconds}, "S",
         "to spend on each backend and size (1)"},
        {"--longest-frame", OPTION_OTHER, &(option_other){read_seconds, &options->longest_frame}, "S",
         "a backend that would take more seconds for a frame is left out (8)"},
        {"--device", OPTION_TEXT, &options->device, "NAME|INDEX|none", "part of a device's name, or its index (all)"},
        {"--json", OPTION_FLAG, &options->json, NULL, "JSON instead of a table, one line for each result"},
        {"--trace", OPTION_TEXT, &options->trace, "FILE",
         "write every run and its stages for chrome://tracing or Perfetto, which takes time too"},
        {0}};
    const usage usage = {
        .command = "limber-bench",
        .synopsis = "[options]",
        .text =
            "Runs a workload on every path of the CPU and on every Vulkan device, in turns, and prints the median of\n"
            "microseconds a character, the quartiles, and the share of the floor, the larger of two, measured in the\n"
            "same run: the time in which the palette's bytes can be copied, and the time that as many multiplications\n"
            "and additions take as the reference makes. Paths of the CPU, and devices that are processors, are timed\n"
            "by what they have had of a core, other devices by their timestamps.\n",
        .options = table};
    const int status = command_line_read(&usage, count - 1, arguments + 1, NULL);
    options->no_devices = options->device != NULL && strcmp(options->device, "none") == 0;
    options->device = options->no_devices ? NULL : options->device;
    make_scenes(&request, options);
    return status;
}
