// `limber compare`: runs a crowd, with random programs or a given one, on a device and on the reference, and compares
// every output bit by bit.
#include "command.h"
#include "crowd.h"
#include "gpu_side.h"
#include "json.h"
#include "terminal.h"

#include "base/host.h"

#include <inttypes.h>
#include <limber/compare.h>
#include <stdio.h>
#include <string.h>

#define PROGRAM_COUNT 4u
#define REFUSED_ONE_IN 61u
#define ALL_OUTPUTS ((1u << LMB_OUTPUT_COUNT) - 1)

typedef struct comparing {
    subject subject; // with a graph to run instead of random ones, if one is given
    uint32_t character_count;
    uint32_t frame_count;
    uint64_t seed;
    bool as_json;

    uint32_t program_count;
    gpu_device opened;
    char device[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    lmb_batch_outputs reference;
    lmb_batch_outputs gpu;

    lmb_comparison comparison;
    uint64_t refused[LMB_REFUSAL_COUNT]; // counted by the reference
    uint64_t counters;                   // refusal counters compared
    uint64_t counters_differ;
    char first[600]; // the first difference, as text
} comparing;

// Keeps the text of the first difference.
static void note_difference(comparing *comparing, uint32_t program, uint32_t frame, const char *what) {
    if (comparing->first[0] == '\0') {
        snprintf(comparing->first, sizeof comparing->first, "graph %u, frame %u: %s", program, frame, what);
    }
}

static void compare_refusals(comparing *comparing, uint32_t program, uint32_t frame) {
    static const char *const names[LMB_REFUSAL_COUNT] = {"clip", "time", "weight", "pose", "character", "shear"};
    for (uint32_t i = 0; i < LMB_REFUSAL_COUNT; i++) {
        comparing->refused[i] += comparing->reference.refused[i];
        comparing->counters++;
        if (comparing->reference.refused[i] != comparing->gpu.refused[i]) {
            char text[100];
            snprintf(text, sizeof text, "%s refused %u times by the reference, %u times by the device", names[i],
                     comparing->reference.refused[i], comparing->gpu.refused[i]);
            note_difference(comparing, program, frame, text);
            comparing->counters_differ++;
        }
    }
}

static lmb_result compare_frame(comparing *comparing, crowd *crowd, uint32_t frame, gpu_side *side, lmb_error *error) {
    const lmb_batch_def batch = crowd_batch(crowd, ALL_OUTPUTS);
    crowd_draw(crowd, frame);
    lmb_batch_inputs inputs = crowd_inputs(crowd);
    inputs.previous_palette = frame > 0 ? comparing->reference.buffers[LMB_OUTPUT_PALETTE] : NULL;
    if (reference_run(&batch, &inputs, &comparing->reference, error) ||
        gpu_side_run(side, &inputs, &comparing->gpu, error) ||
        lmb_compare(&batch, &comparing->reference, &comparing->gpu, 0, batch.character_count, &comparing->comparison,
                    error)) {
        return error->result;
    }
    if (comparing->comparison.has_first) {
        char text[400];
        lmb_comparison_describe(&comparing->comparison, text, sizeof text);
        note_difference(comparing, crowd->def.program, frame, text);
    }
    compare_refusals(comparing, crowd->def.program, frame);
    return LMB_OK;
}

static lmb_result compare_frames(comparing *comparing, crowd *crowd, lmb_error *error) {
    const lmb_batch_def batch = crowd_batch(crowd, ALL_OUTPUTS);
    const lmb_batch_def every = {batch.graph, batch.character_count, ALL_OUTPUTS};
    gpu_side side = {0};
    bool failed = outputs_create(&every, &comparing->reference, error) ||
                  outputs_create(&every, &comparing->gpu, error) ||
                  gpu_side_create(&comparing->opened.device, comparing->opened.gpu, &batch, 0, &side, error);
    for (uint32_t frame = 0; !failed && frame < comparing->frame_count; frame++) {
        failed = compare_frame(comparing, crowd, frame, &side, error);
    }
    gpu_side_destroy(&side);
    return failed ? error->result : LMB_OK;
}

static lmb_result compare_program(comparing *comparing, uint32_t program, lmb_error *error) {
    const crowd_def def = {.rig = comparing->subject.character.rig,
                           .clips = comparing->subject.character.clips,
                           .clip_count = comparing->subject.character.clip_count,
                           .character_count = comparing->character_count,
                           .seed = comparing->seed,
                           .program = program,
                           .given = comparing->subject.def,
                           .one_in = REFUSED_ONE_IN};
    crowd crowd;
    lmb_result result = crowd_create(&def, &crowd, error);
    if (result != LMB_OK) {
        return result;
    }
    result = compare_frames(comparing, &crowd, error);
    outputs_destroy(&comparing->reference);
    outputs_destroy(&comparing->gpu);
    crowd_destroy(&crowd);
    return result;
}

static lmb_result compare(comparing *comparing, lmb_error *error) {
    if (subject_open(&comparing->subject, error) ||
        gpu_device_open(comparing->subject.device_name, false, &comparing->opened, error)) {
        return error->result;
    }
    lmb_result result = LMB_OK;
    subject_warn(&comparing->subject);
    memcpy(comparing->device, comparing->opened.device.properties.deviceName, sizeof comparing->device);
    for (uint32_t program = 0; result == LMB_OK && program < comparing->program_count; program++) {
        result = compare_program(comparing, program, error);
    }
    return gpu_device_close(&comparing->opened, result, error);
}

static uint64_t total_values(const comparing *comparing) {
    return lmb_comparison_values(&comparing->comparison) + comparing->counters;
}

static uint64_t total_differs(const comparing *comparing) {
    return lmb_comparison_differs(&comparing->comparison) + comparing->counters_differ;
}

static void print_row(const char *output, uint64_t values, uint64_t differs) {
    terminal_print("%-16s  %14" PRIu64 "  %14" PRIu64 "\n", output, values, differs);
}

static void print_text(const comparing *comparing) {
    terminal_print("device  %s\n", comparing->device);
    terminal_print("crowd   joints %u, clips %u, graphs %u, characters %u, frames %u, seed %" PRIu64 "\n",
                   lmb_rig_get_def(comparing->subject.character.rig)->joint_count,
                   comparing->subject.character.clip_count, comparing->program_count, comparing->character_count,
                   comparing->frame_count, comparing->seed);
    terminal_print("refused clips %" PRIu64 ", times %" PRIu64 ", weights %" PRIu64 ", joints of pose buffers %" PRIu64
                   ", products that shear %" PRIu64 "\n\n",
                   comparing->refused[LMB_REFUSED_CLIP], comparing->refused[LMB_REFUSED_TIME],
                   comparing->refused[LMB_REFUSED_WEIGHT], comparing->refused[LMB_REFUSED_POSE],
                   comparing->refused[LMB_REFUSED_SHEAR]);
    terminal_print("%-16s  %14s  %14s\n", "output", "values", "differ");
    for (lmb_output output = 0; output < LMB_OUTPUT_COUNT; output++) {
        print_row(lmb_output_name(output), comparing->comparison.values[output], comparing->comparison.differs[output]);
    }
    print_row("refusals", comparing->counters, comparing->counters_differ);
    if (comparing->first[0] != '\0') {
        terminal_print("\nfirst difference: %s\n", comparing->first);
    }
    terminal_print("\nbit-exact: %" PRIu64 " values compared, %" PRIu64 " differ\n", total_values(comparing),
                   total_differs(comparing));
}

static void write_row(json *json, const char *output, uint64_t values, uint64_t differs) {
    json_begin_object(json, NULL);
    json_text(json, "output", output);
    json_unsigned(json, "values", values);
    json_unsigned(json, "differ", differs);
    json_end_object(json);
}

static void write_json(const comparing *comparing) {
    json json = json_begin(stdout);
    json_text(&json, "file", comparing->subject.place);
    json_text(&json, "device", comparing->device);
    json_unsigned(&json, "graphs", comparing->program_count);
    json_unsigned(&json, "characters", comparing->character_count);
    json_unsigned(&json, "frames", comparing->frame_count);
    json_unsigned(&json, "seed", comparing->seed);
    json_begin_array(&json, "outputs");
    for (lmb_output output = 0; output < LMB_OUTPUT_COUNT; output++) {
        write_row(&json, lmb_output_name(output), comparing->comparison.values[output],
                  comparing->comparison.differs[output]);
    }
    write_row(&json, "refusals", comparing->counters, comparing->counters_differ);
    json_end_array(&json);
    json_unsigned(&json, "values", total_values(comparing));
    json_unsigned(&json, "differ", total_differs(comparing));
    json_text(&json, "first", comparing->first[0] == '\0' ? NULL : comparing->first);
    json_end(&json);
}

int command_compare(int argc, char **argv) {
    comparing comparing = {.subject = {.gpu = true}, .character_count = 1000, .frame_count = 4, .seed = 1};
    const option options[] = {
        OPTION_GRAPH(&comparing.subject),
        OPTION_CHARACTER(&comparing.subject),
        OPTION_NAMES(&comparing.subject),
        OPTION_SKELETON(&comparing.subject),
        OPTION_SCALES(&comparing.subject),
        OPTION_SPLIT(&comparing.subject),
        OPTION_BVH_UNIT(&comparing.subject),
        {"--graphs", OPTION_COUNT, &comparing.program_count, "N", "random graphs (4)"},
        {"--characters", OPTION_COUNT, &comparing.character_count, "N", "characters of the crowd (1000)"},
        {"--frames", OPTION_COUNT, &comparing.frame_count, "N", "frames, each with inputs of its own (4)"},
        {"--seed", OPTION_NUMBER, &comparing.seed, "S", "what the crowd is drawn from (1)"},
        OPTION_DEVICE(&comparing.subject),
        OPTION_JSON(&comparing.as_json),
        {0}};
    const usage usage = {
        .command = "limber compare",
        .synopsis = "FILE... [--graph FILE|JSON [--character NAME=FILE,...] | --graphs N] [--characters N]\n"
                    "                      [--frames N] [--seed S] [--device NAME|INDEX] [--json]",
        .text =
            "Runs a crowd with random graphs, clips, times, weights, masks, additives and pose buffers on a Vulkan\n"
            "device and on the reference, and compares every output bit by bit, and the counters of refused inputs,\n"
            "some of which are drawn on purpose. With --graph it runs that graph alone, with parameters from all\n"
            "over their ranges. Exit status 1 where anything differs.\n" CHARACTER_HELP,
        .options = options,
        .files = OPTION_SOME_FILES};
    int status = subject_read(&comparing.subject, &usage, argc, argv);
    if (status != COMMAND_LINE_GOOD) {
        return status;
    }
    if (comparing.subject.graph_text != NULL && comparing.program_count != 0) {
        return usage_error(usage.command, "--graphs is of random ones, --graph gives one");
    }
    if (comparing.program_count == 0) {
        comparing.program_count = comparing.subject.graph_text == NULL ? PROGRAM_COUNT : 1;
    }
    lmb_error error = {0};
    const lmb_result result = compare(&comparing, &error);
    if (result == LMB_OK) {
        (comparing.as_json ? write_json : print_text)(&comparing);
    }
    status = command_end(comparing.subject.place, result, &error);
    subject_close(&comparing.subject);
    return total_differs(&comparing) == 0 ? status : 1;
}
