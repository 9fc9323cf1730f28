// `limber sample`: the poses of a clip at given times.
#include "command.h"
#include "gpu_device.h"
#include "gpu_side.h"
#include "json.h"
#include "options.h"

#include <limber/cpu.h>
#include <limber/import.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sampling {
    const char *file; // the first
    uint32_t file_count;
    const char *clip_text;
    option_seconds times;
    bool loop;
    bool gpu;
    const char *device_name; // as asked for; NULL for the best
    bool as_json;

    lmb_import *import;
    const lmb_clip *clip;
    lmb_program *program;
    lmb_batch batch;
    float *local;
    float *model;
    char device[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE]; // the one used
} sampling;

static lmb_result fail(lmb_error *error, lmb_result result, const char *message) {
    error->result = result;
    snprintf(error->message, sizeof error->message, "%s", message);
    return result;
}

static lmb_result no_such_clip(const sampling *sampling, lmb_error *error) {
    uint32_t count = lmb_import_clip_count(sampling->import);
    error->result = LMB_ERROR_ARGUMENT;
    int used = snprintf(error->message, sizeof error->message, "no clip '%s' among its %u", sampling->clip_text, count);
    for (uint32_t i = 0; i < count && used > 0 && (size_t)used < sizeof error->message; i++) {
        used += snprintf(error->message + used, sizeof error->message - (size_t)used, "%s %s", i == 0 ? ":" : ",",
                         lmb_clip_name(lmb_import_clip(sampling->import, i)));
    }
    return error->result;
}

// A name wins over an index, so that every clip can be reached by either.
static lmb_result find_clip(sampling *sampling, lmb_error *error) {
    const char *text = sampling->clip_text;
    for (uint32_t i = 0; i < lmb_import_clip_count(sampling->import); i++) {
        const lmb_clip *clip = lmb_import_clip(sampling->import, i);
        if (strcmp(lmb_clip_name(clip), text) == 0) {
            sampling->clip = clip;
            return LMB_OK;
        }
    }
    if (text[0] != '\0' && strlen(text) < 10 && text[strspn(text, "0123456789")] == '\0') {
        sampling->clip = lmb_import_clip(sampling->import, (uint32_t)strtoul(text, NULL, 10));
    }
    return sampling->clip != NULL ? LMB_OK : no_such_clip(sampling, error);
}

// One operation, the clip, at the time that is each character's only parameter.
static lmb_result create_program(sampling *sampling, lmb_error *error) {
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.time = lmb_parameter(0);
    node.loop = sampling->loop;
    const lmb_program_def def = {.rig = lmb_import_rig(sampling->import),
                                 .clips = &sampling->clip,
                                 .clip_count = 1,
                                 .nodes = &node,
                                 .node_count = 1,
                                 .parameter_count = 1};
    return lmb_program_create(&def, NULL, &sampling->program, error);
}

static lmb_result create_batch(sampling *sampling, lmb_error *error) {
    sampling->batch = (lmb_batch){.program = sampling->program,
                                  .character_count = sampling->times.count,
                                  .outputs = LMB_OUTPUT_LOCAL | LMB_OUTPUT_MODEL};
    lmb_result result = lmb_batch_check(&sampling->batch, error);
    if (result != LMB_OK) {
        return result;
    }
    size_t count = sampling->times.count;
    sampling->local = calloc(count * lmb_batch_stage_floats(&sampling->batch, LMB_STAGE_LOCAL), sizeof(float));
    sampling->model = calloc(count * lmb_batch_stage_floats(&sampling->batch, LMB_STAGE_MODEL), sizeof(float));
    return sampling->local != NULL && sampling->model != NULL
               ? LMB_OK
               : fail(error, LMB_ERROR_MEMORY, "no memory for the poses");
}

static lmb_result run_reference(sampling *sampling, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                                lmb_error *error) {
    lmb_cpu *cpu = NULL;
    lmb_result result = lmb_cpu_create(sampling->program, LMB_CPU_REFERENCE, NULL, &cpu, error);
    if (result == LMB_OK) {
        result = lmb_cpu_run(cpu, &sampling->batch, inputs, outputs, error);
    }
    lmb_cpu_destroy(cpu);
    return result;
}

static lmb_result run_gpu(sampling *sampling, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                          lmb_error *error) {
    gpu_device opened;
    lmb_result result = gpu_device_open(sampling->device_name, false, &opened, error);
    if (result != LMB_OK) {
        return result;
    }
    memcpy(sampling->device, opened.device.properties.deviceName, sizeof sampling->device);
    gpu_side side;
    result = gpu_side_create(&opened.device, opened.gpu, &sampling->batch, 0, &side, error);
    if (result == LMB_OK) {
        result = gpu_side_run(&side, inputs, outputs, error);
        gpu_side_destroy(&side);
    }
    lmb_error validation;
    lmb_result closed = gpu_device_close(&opened, &validation);
    if (result == LMB_OK && closed != LMB_OK) {
        *error = validation;
        return closed;
    }
    return result;
}

static lmb_result sample(sampling *sampling, lmb_error *error) {
    lmb_result result = find_clip(sampling, error);
    if (result == LMB_OK) {
        result = create_program(sampling, error);
    }
    if (result == LMB_OK) {
        result = create_batch(sampling, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    const lmb_batch_inputs inputs = {.parameters = sampling->times.values};
    const lmb_batch_outputs outputs = {.stages = {sampling->local, sampling->model, NULL}};
    return sampling->gpu ? run_gpu(sampling, &inputs, &outputs, error)
                         : run_reference(sampling, &inputs, &outputs, error);
}

// The ten floats of one joint of one pose, out of a stage buffer whose joints are innermost.
static void gather(const sampling *sampling, uint32_t pose, uint32_t joint, float components[LMB_POSE_COMPONENTS]) {
    uint32_t joint_count = lmb_program_joint_count(sampling->program);
    const float *local = sampling->local + (size_t)pose * LMB_POSE_COMPONENTS * joint_count;
    for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
        components[i] = local[(size_t)i * joint_count + joint];
    }
}

static const float *model_of(const sampling *sampling, uint32_t pose, uint32_t joint) {
    size_t joint_count = lmb_program_joint_count(sampling->program);
    return sampling->model + (pose * joint_count + joint) * LMB_MATRIX_COMPONENTS;
}

static void write_joint(json *json, const sampling *sampling, uint32_t pose, uint32_t joint) {
    const lmb_rig *rig = lmb_import_rig(sampling->import);
    uint32_t parent = lmb_rig_joint_parent(rig, joint);
    float components[LMB_POSE_COMPONENTS];
    gather(sampling, pose, joint, components);
    json_begin_object(json, NULL);
    json_text(json, "name", lmb_rig_joint_name(rig, joint));
    json_integer(json, "parent", parent == LMB_NONE ? -1 : (int64_t)parent);
    json_floats(json, "translation", components, 3);
    json_floats(json, "rotation", components + 3, 4);
    json_floats(json, "scale", components + 7, 3);
    json_floats(json, "model", model_of(sampling, pose, joint), LMB_MATRIX_COMPONENTS);
    json_end_object(json);
}

static void write_json(const sampling *sampling) {
    json json = {.stream = stdout};
    json_begin_object(&json, NULL);
    json_text(&json, "clip", lmb_clip_name(sampling->clip));
    json_float(&json, "duration", lmb_clip_duration(sampling->clip));
    json_text(&json, "backend", sampling->gpu ? "gpu" : "reference");
    json_text(&json, "device", sampling->gpu ? sampling->device : NULL);
    json_begin_array(&json, "poses");
    for (uint32_t pose = 0; pose < sampling->times.count; pose++) {
        json_begin_object(&json, NULL);
        json_float(&json, "time", sampling->times.values[pose]);
        json_begin_array(&json, "joints");
        for (uint32_t joint = 0; joint < lmb_program_joint_count(sampling->program); joint++) {
            write_joint(&json, sampling, pose, joint);
        }
        json_end_array(&json);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
    putchar('\n');
}

static void print_joint(const sampling *sampling, uint32_t pose, uint32_t joint) {
    float c[LMB_POSE_COMPONENTS];
    gather(sampling, pose, joint, c);
    const float *model = model_of(sampling, pose, joint);
    printf("  %5u  ", joint);
    command_print_text(lmb_rig_joint_name(lmb_import_rig(sampling->import), joint), 24);
    printf("  %10.4f %10.4f %10.4f", (double)c[0], (double)c[1], (double)c[2]);
    printf("  %8.5f %8.5f %8.5f %8.5f", (double)c[3], (double)c[4], (double)c[5], (double)c[6]);
    printf("  %8.4f %8.4f %8.4f", (double)c[7], (double)c[8], (double)c[9]);
    printf("  %10.4f %10.4f %10.4f\n", (double)model[3], (double)model[7], (double)model[11]);
}

static void print_text(const sampling *sampling) {
    fputs("clip ", stdout);
    command_print_text(lmb_clip_name(sampling->clip), 0);
    printf(", %.3f s, on %s\n", (double)lmb_clip_duration(sampling->clip),
           sampling->gpu ? sampling->device : "the reference");
    for (uint32_t pose = 0; pose < sampling->times.count; pose++) {
        printf("time %g s\n", (double)sampling->times.values[pose]);
        printf("  joint  %-24s  %32s  %35s  %26s  %32s\n", "name", "translation", "rotation x y z w", "scale",
               "position in model space");
        for (uint32_t joint = 0; joint < lmb_program_joint_count(sampling->program); joint++) {
            print_joint(sampling, pose, joint);
        }
    }
}

static void release(sampling *sampling) {
    free(sampling->local);
    free(sampling->model);
    lmb_program_destroy(sampling->program);
    lmb_import_destroy(sampling->import);
    free(sampling->times.values);
}

// What options alone cannot tell. 0, or the exit status of wrong usage.
static int check_usage(sampling *sampling, const char *backend) {
    if (strcmp(backend, "gpu") != 0 && strcmp(backend, "reference") != 0) {
        return usage_error("sample", "--backend must be reference or gpu, not '%s'", backend);
    }
    sampling->gpu = strcmp(backend, "gpu") == 0;
    if (sampling->clip_text == NULL) {
        return usage_error("sample", "no --clip given");
    }
    if (sampling->times.count == 0) {
        return usage_error("sample", "no --time given");
    }
    if (sampling->device_name != NULL && !sampling->gpu) {
        return usage_error("sample", "--device needs --backend gpu");
    }
    return 0;
}

static int read_usage(sampling *sampling, int argc, char **argv, bool *proceed) {
    const char *backend = "reference";
    const option options[] = {
        {"--clip", OPTION_TEXT, &sampling->clip_text, "NAME|INDEX", "the clip; a name wins over an index"},
        {"--time", OPTION_SECONDS, &sampling->times, "SECONDS", "a time; may be given many times"},
        {"--loop", OPTION_FLAG, &sampling->loop, NULL, "loop over the clip instead of holding its ends"},
        {"--backend", OPTION_TEXT, &backend, "BACKEND", "reference (default) or gpu"},
        {"--device", OPTION_TEXT, &sampling->device_name, "NAME|INDEX", "part of a device's name, or its index"},
        {"--json", OPTION_FLAG, &sampling->as_json, NULL, "print JSON"}};
    const usage usage = {
        .command = "sample",
        .synopsis = "FILE... --clip NAME|INDEX --time SECONDS [--time ...] [--loop]\n"
                    "                     [--backend reference|gpu] [--device NAME|INDEX] [--json]",
        .text =
            "Samples a clip at each time, as one batch with one character for each, and prints for every joint the\n"
            "local transform (relative to its parent) and where it stands in model space. JSON has the whole model\n"
            "matrix, row-major 3x4, floats that read back to the same bits, and -1 as the parent of a root. Files "
            "after\n"
            "the first add clips, matched by joint name.\n",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .takes_files = true};
    int status = 0;
    *proceed = options_read(&usage, argc, argv, &sampling->file_count, &status);
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
        fail(&error, LMB_ERROR_MEMORY, "no memory for the times");
        return command_failed("sample", &error);
    }
    bool proceed = false;
    int status = read_usage(&sampling, argc, argv, &proceed);
    sampling.file = argv[0];
    if (proceed &&
        lmb_import_files((const char *const *)argv, sampling.file_count, NULL, &sampling.import, &error) != LMB_OK) {
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
