// `limber sample` and `limber eval`: print the poses of a clip, or of a graph written as JSON, at given times. Every
// time is one character of a batch.
#include "command.h"
#include "gpu_side.h"
#include "json.h"
#include "terminal.h"

#include "base/host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PRINTED                                                                                                        \
    (LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_MODEL_BIT | LMB_OUTPUT_DUAL_QUATERNIONS_BIT | LMB_OUTPUT_BOUNDS_BIT |           \
     LMB_OUTPUT_CHANNELS_BIT)

typedef struct evaluation {
    subject subject;
    const char *clip_text; // of `sample`
    bool loop;
    option_seconds times;
    option_texts settings;
    bool prints_graph;
    bool lacks_time;
    bool as_json;

    const lmb_clip *clip; // of `sample`
    lmb_graph *graph;
    side side; // a character for each time
} evaluation;

// ---- The inputs.

// Applies a setting NAME=VALUE. Names may contain equals signs, numbers do not.
static lmb_result apply_setting(const lmb_graph *graph, const char *setting, float *row, lmb_error *error) {
    const char *equals = strrchr(setting, '=');
    float value = 0.0f;
    if (equals == NULL || !option_read_float(equals + 1, &value)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "not of the form NAME=VALUE, with a finite number");
    }
    const uint32_t index = command_find_parameter(graph, setting, (size_t)(equals - setting), error);
    if (index == LMB_NONE) {
        return error->result;
    }
    const lmb_graph_parameter parameter = lmb_graph_parameter_at(graph, index);
    if (value < parameter.min || value > parameter.max) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "outside its range, %g to %g", (double)parameter.min,
                        (double)parameter.max);
    }
    row[index] = value;
    return LMB_OK;
}

static lmb_result fill_parameters(evaluation *evaluation, lmb_error *error) {
    const lmb_graph *graph = evaluation->graph;
    const uint32_t count = lmb_graph_get_info(graph)->parameter_count;
    const uint32_t time = evaluation->clip != NULL ? 0 : lmb_graph_find_parameter(graph, "time");
    for (uint32_t pose = 0; pose < evaluation->times.count; pose++) {
        float *row = evaluation->side.parameters + (size_t)pose * count;
        lmb_graph_defaults(graph, row);
        for (uint32_t i = 0; i < evaluation->settings.count; i++) {
            const char *setting = evaluation->settings.values[i];
            lmb_error found = {0};
            if (apply_setting(graph, setting, row, &found) != LMB_OK) {
                return lmb_fail(error, found.result, "--set %s: %s", setting, found.message);
            }
        }
        if (time != LMB_NONE) {
            row[time] = evaluation->times.values[pose];
        }
    }
    return LMB_OK;
}

// Fills a pose buffer with the rest pose for every character, or with identities if the buffer has other joints than
// the rig.
static void fill_pose(evaluation *evaluation, uint32_t pose) {
    const lmb_rig *rig = evaluation->subject.character.rig;
    const uint32_t joint_count = lmb_graph_pose_joint_count(evaluation->graph, pose);
    const uint32_t channels = lmb_graph_pose_floats(evaluation->graph, pose) - LMB_POSE_COMPONENTS * joint_count;
    const bool is_whole = joint_count == lmb_rig_get_def(rig)->joint_count;
    float *at = evaluation->side.poses[pose];
    for (uint32_t character = 0; character < evaluation->times.count; character++) {
        for (uint32_t joint = 0; joint < joint_count; joint++) {
            const lmb_transform rest = is_whole ? lmb_rig_get_def(rig)->joints[joint].rest : lmb_transform_identity();
            float components[LMB_POSE_COMPONENTS];
            memcpy(components, &rest, sizeof components);
            for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
                at[i * joint_count + joint] = components[i];
            }
        }
        at += LMB_POSE_COMPONENTS * joint_count;
        for (uint32_t channel = 0; channel < channels; channel++) {
            *at++ = lmb_rig_get_def(rig)->channels[channel].rest;
        }
    }
}

// ---- Running.

// Computed parameters alone do not make poses depend on earlier frames.
static bool depends_on_frames(const lmb_graph *graph, const lmb_graph_def *def) {
    return lmb_graph_get_info(graph)->player_count > 0 || lmb_graph_get_info(graph)->machine_count > 0 ||
           def->smoothed_count > 0 || def->motion != NULL;
}

static bool has_clips(const lmb_graph_def *def) {
    bool found = false;
    for (uint32_t i = 0; i < def->node_count; i++) {
        found = found || def->nodes[i].op == LMB_OP_CLIP;
    }
    return found;
}

// A graph with players, machines, smoothed parameters or character motion has no pose without earlier frames. A time
// that no clip reads would be printed above poses that do not depend on it. A graph without clips has one pose at all
// times, which is printed without a time.
static lmb_result check_times(evaluation *evaluation, lmb_error *error) {
    const lmb_graph_def *def = evaluation->subject.def;
    if (depends_on_frames(evaluation->graph, def)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT,
                        "--graph: its poses depend on the frames before them; 'limber play' runs it, and prints where "
                        "joints are with --joints");
    }
    if (lmb_graph_find_parameter(evaluation->graph, "time") != LMB_NONE) {
        return LMB_OK;
    }
    if (has_clips(def) && evaluation->times.count > 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT,
                        "--time: no clip of this graph reads the parameter \"time\"; give what they read with --set");
    }
    if (evaluation->times.count == 0) {
        evaluation->times.values = malloc(sizeof(float));
        if (evaluation->times.values == NULL) {
            return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for the inputs");
        }
        evaluation->times.values[evaluation->times.count++] = NAN;
    }
    return LMB_OK;
}

static lmb_result run(evaluation *evaluation, lmb_error *error) {
    side *side = &evaluation->side;
    side->batch = (lmb_batch_def){evaluation->graph, evaluation->times.count,
                                  PRINTED & lmb_graph_get_info(evaluation->graph)->outputs};
    side->gpu = evaluation->subject.gpu;
    side->device_name = evaluation->subject.device_name;
    if (side_create(side, error) || fill_parameters(evaluation, error)) {
        return error->result;
    }
    for (uint32_t i = 0; i < lmb_graph_get_info(evaluation->graph)->pose_count; i++) {
        fill_pose(evaluation, i);
    }
    return side_run(side, 0, 0, error);
}

// A name takes precedence over an index, so that every clip can be selected by either.
static lmb_result find_clip(evaluation *evaluation, lmb_error *error) {
    const char *text = evaluation->clip_text;
    const subject *subject = &evaluation->subject;
    uint64_t index = 0;
    evaluation->clip = subject_find_clip(subject, text, strlen(text), error);
    if (evaluation->clip == NULL && option_read_whole(text, UINT32_MAX, &index) &&
        index < subject->character.clip_count) {
        evaluation->clip = subject->character.clips[index];
    }
    return evaluation->clip != NULL ? LMB_OK : error->result;
}

// Creates a graph of one node, the clip. Its time is each character's only parameter.
static lmb_result create_clip_graph(evaluation *evaluation, lmb_error *error) {
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.time = lmb_parameter(0);
    node.loop = evaluation->loop;
    const lmb_graph_def def = {.rig = evaluation->subject.character.rig,
                               .clips = &evaluation->clip,
                               .clip_count = 1,
                               .nodes = &node,
                               .node_count = 1,
                               .parameter_count = 1};
    const lmb_result result = find_clip(evaluation, error);
    return result == LMB_OK ? lmb_graph_create(&def, NULL, &evaluation->graph, error) : result;
}

// ---- Printing.

// Returns the floats of an output of a pose, from the element `index` of `size` floats on.
static const float *output_of(const evaluation *evaluation, lmb_output output, uint32_t pose, uint32_t index,
                              uint32_t size) {
    return evaluation->side.outputs.buffers[output] +
           (size_t)pose * lmb_batch_output_floats(&evaluation->side.batch, output) + (size_t)index * size;
}

// Returns whether there are local transforms, which a graph that ends with matrices does not have.
static bool has_locals(const evaluation *evaluation) {
    return evaluation->side.outputs.buffers[LMB_OUTPUT_LOCAL] != NULL;
}

static void print_floats(const char *format, const float *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        terminal_print(i == 0 ? "  " : " ");
        terminal_print(format, (double)values[i]);
    }
}

static void print_joint(const evaluation *evaluation, uint32_t pose, uint32_t joint) {
    const float *model = output_of(evaluation, LMB_OUTPUT_MODEL, pose, joint, LMB_MATRIX_COMPONENTS);
    terminal_print("  %5u  %-24s", joint, lmb_rig_get_def(evaluation->subject.character.rig)->joints[joint].name);
    if (has_locals(evaluation)) {
        const lmb_transform local = side_local(&evaluation->side, pose, joint);
        print_floats("%10.4f", local.translation, 3);
        print_floats("%8.5f", local.rotation, 4);
        print_floats("%8.4f", local.scale, 3);
        print_floats("%10.4f", (float[]){model[3], model[7], model[11]}, 3);
    } else {
        for (uint32_t row = 0; row < 3; row++) {
            print_floats("%10.5f", model + 4 * row, 4);
        }
    }
    terminal_print("\n");
}

static void print_channels(const evaluation *evaluation, uint32_t pose) {
    const lmb_rig *rig = evaluation->subject.character.rig;
    const uint32_t count = lmb_graph_get_info(evaluation->graph)->channel_count;
    if (count > 0) {
        terminal_print("  channel  %-24s  %10s\n", "name", "value");
    }
    for (uint32_t i = 0; i < count; i++) {
        terminal_print("  %7u  %-24s  %10.5f%s\n", i, lmb_rig_get_def(rig)->channels[i].name,
                       (double)*output_of(evaluation, LMB_OUTPUT_CHANNELS, pose, i, 1),
                       lmb_rig_get_def(rig)->channels[i].angle ? " degrees" : "");
    }
}

static void print_pose(const evaluation *evaluation, uint32_t pose) {
    const float time = evaluation->times.values[pose];
    if (!isnan(time)) {
        terminal_print("time %g s\n", (double)time);
    }
    if (has_locals(evaluation)) {
        terminal_print("  joint  %-24s  %32s  %35s  %26s  %32s\n", "name", "translation", "rotation x y z w", "scale",
                       "position in model space");
    } else {
        terminal_print("  joint  %-24s  matrix in model space, row by row\n", "name");
    }
    for (uint32_t joint = 0; joint < lmb_graph_get_info(evaluation->graph)->joint_count; joint++) {
        print_joint(evaluation, pose, joint);
    }
    print_channels(evaluation, pose);
    const float *box = output_of(evaluation, LMB_OUTPUT_BOUNDS, pose, 0, 0);
    terminal_print("  bounds  %.4f %.4f %.4f  to  %.4f %.4f %.4f\n", (double)box[0], (double)box[1], (double)box[2],
                   (double)box[3], (double)box[4], (double)box[5]);
}

static void print_instruction(void *user, const char *line) {
    (void)user;
    terminal_print("%s\n", line);
}

static void print_graph(const lmb_graph *graph) {
    for (uint32_t i = 0; i < lmb_graph_get_info(graph)->parameter_count; i++) {
        const lmb_graph_parameter parameter = lmb_graph_parameter_at(graph, i);
        terminal_print("parameter %s: %g, from %g to %g\n", parameter.name, (double)parameter.initial,
                       (double)parameter.min, (double)parameter.max);
    }
    lmb_graph_print(graph, print_instruction, NULL);
}

static void print_text(const evaluation *evaluation) {
    if (evaluation->prints_graph) {
        print_graph(evaluation->graph);
        return;
    }
    const char *place = evaluation->subject.gpu ? side_name(&evaluation->side) : "the reference";
    if (evaluation->clip != NULL) {
        terminal_print("clip %s, %.3f s, on %s\n", lmb_clip_get_info(evaluation->clip)->name,
                       (double)lmb_clip_get_info(evaluation->clip)->duration, place);
    } else {
        terminal_print("graph on %s\n", place);
    }
    for (uint32_t pose = 0; pose < evaluation->times.count; pose++) {
        print_pose(evaluation, pose);
    }
}

// ---- JSON.

static void write_joint(json *json, const evaluation *evaluation, uint32_t pose, uint32_t joint) {
    json_begin_named(json, lmb_rig_get_def(evaluation->subject.character.rig)->joints[joint].name);
    json_index(json, "parent", lmb_rig_get_def(evaluation->subject.character.rig)->joints[joint].parent);
    if (has_locals(evaluation)) {
        const lmb_transform local = side_local(&evaluation->side, pose, joint);
        json_floats(json, "translation", local.translation, 3);
        json_floats(json, "rotation", local.rotation, 4);
        json_floats(json, "scale", local.scale, 3);
    }
    json_floats(json, "model", output_of(evaluation, LMB_OUTPUT_MODEL, pose, joint, LMB_MATRIX_COMPONENTS),
                LMB_MATRIX_COMPONENTS);
    if (has_locals(evaluation)) {
        json_floats(json, "dual_quaternion",
                    output_of(evaluation, LMB_OUTPUT_DUAL_QUATERNIONS, pose, joint, LMB_DUAL_COMPONENTS),
                    LMB_DUAL_COMPONENTS);
    }
    json_end_object(json);
}

static void write_pose(json *json, const evaluation *evaluation, uint32_t pose) {
    json_begin_object(json, NULL);
    if (!isnan(evaluation->times.values[pose])) {
        json_float(json, "time", evaluation->times.values[pose]);
    }
    json_floats(json, "bounds", output_of(evaluation, LMB_OUTPUT_BOUNDS, pose, 0, 0), LMB_BOX_COMPONENTS);
    json_begin_array(json, "joints");
    for (uint32_t joint = 0; joint < lmb_graph_get_info(evaluation->graph)->joint_count; joint++) {
        write_joint(json, evaluation, pose, joint);
    }
    json_end_array(json);
    json_begin_array(json, "channels");
    for (uint32_t channel = 0; channel < lmb_graph_get_info(evaluation->graph)->channel_count; channel++) {
        json_begin_named(json, lmb_rig_get_def(evaluation->subject.character.rig)->channels[channel].name);
        json_float(json, "value", *output_of(evaluation, LMB_OUTPUT_CHANNELS, pose, channel, 1));
        json_end_object(json);
    }
    json_end_array(json);
    json_end_object(json);
}

static void write_parameters(json *json, const lmb_graph *graph) {
    json_begin_array(json, "parameters");
    for (uint32_t i = 0; i < lmb_graph_get_info(graph)->parameter_count; i++) {
        const lmb_graph_parameter parameter = lmb_graph_parameter_at(graph, i);
        json_begin_named(json, parameter.name);
        json_float(json, "default", parameter.initial);
        json_float(json, "min", parameter.min);
        json_float(json, "max", parameter.max);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_instruction(void *user, const char *line) {
    json_text(user, NULL, line);
}

static void write_json(const evaluation *evaluation) {
    json json = json_begin(stdout);
    if (evaluation->clip != NULL) {
        json_text(&json, "clip", lmb_clip_get_info(evaluation->clip)->name);
        json_float(&json, "duration", lmb_clip_get_info(evaluation->clip)->duration);
    } else {
        write_parameters(&json, evaluation->graph);
    }
    if (evaluation->prints_graph) {
        json_begin_array(&json, "instructions");
        lmb_graph_print(evaluation->graph, write_instruction, &json);
        json_end_array(&json);
    } else {
        json_text(&json, "backend", evaluation->subject.gpu ? "gpu" : "reference");
        json_text(&json, "device", evaluation->subject.gpu ? side_name(&evaluation->side) : NULL);
        json_begin_array(&json, "poses");
        for (uint32_t pose = 0; pose < evaluation->times.count; pose++) {
            write_pose(&json, evaluation, pose);
        }
        json_end_array(&json);
    }
    json_end(&json);
}

// ---- The commands.

// Runs, prints the result, and destroys the graph.
static lmb_result finish(evaluation *evaluation, lmb_result result, lmb_error *error) {
    if (result == LMB_OK && !evaluation->prints_graph) {
        result = run(evaluation, error);
    }
    if (result == LMB_OK) {
        (evaluation->as_json ? write_json : print_text)(evaluation);
    }
    result = side_destroy(&evaluation->side, result, error);
    lmb_graph_destroy(evaluation->graph);
    return result;
}

static lmb_result sample(subject *subject, lmb_error *error) {
    evaluation *evaluation = (struct evaluation *)subject;
    return finish(evaluation, create_clip_graph(evaluation, error), error);
}

int command_sample(int argc, char **argv) {
    evaluation evaluation = {0};
    const option options[] = {
        {"--clip", OPTION_TEXT, &evaluation.clip_text, "NAME|INDEX", "the clip; a name wins over an index"},
        {"--time", OPTION_SECONDS, &evaluation.times, "SECONDS", "a time; may be given many times"},
        {"--loop", OPTION_FLAG, &evaluation.loop, NULL, "loop over the clip instead of holding its ends"},
        OPTION_SKELETON(&evaluation.subject),
        OPTION_SCALES(&evaluation.subject),
        OPTION_SPLIT(&evaluation.subject),
        OPTION_BVH_UNIT(&evaluation.subject),
        OPTION_BACKEND(&evaluation.subject),
        OPTION_DEVICE(&evaluation.subject),
        OPTION_JSON(&evaluation.as_json),
        {0}};
    const usage usage = {
        .command = "limber sample",
        .synopsis = "FILE... --clip NAME|INDEX --time SECONDS [--time ...] [--loop]\n"
                    "                     [--backend reference|gpu] [--device NAME|INDEX] [--json]",
        .text =
            "Samples a clip at each time, as one batch with one character for each, and prints for every joint the\n"
            "local transform (relative to its parent) and where it is in model space, and the bounding box of the\n"
            "skinned meshes, lowest and highest corner. JSON has the whole model matrix, row-major 3x4, the dual\n"
            "quaternion that skins, floats that read back to the same bits, and -1 as the parent of a "
            "root.\n" CHARACTER_HELP,
        .options = options,
        .files = OPTION_SOME_FILES,
        .required_count = 2};
    const int status = subject_command(&evaluation.subject, &usage, argc, argv, sample);
    free(evaluation.times.values);
    return status;
}

static lmb_result eval(subject *subject, lmb_error *error) {
    evaluation *evaluation = (struct evaluation *)subject;
    const bool failed = lmb_graph_create(subject->def, NULL, &evaluation->graph, error) ||
                        (!evaluation->prints_graph && check_times(evaluation, error));
    evaluation->lacks_time = !failed && !evaluation->prints_graph && evaluation->times.count == 0;
    return finish(evaluation, failed || evaluation->lacks_time ? LMB_ERROR_ARGUMENT : LMB_OK, error);
}

int command_eval(int argc, char **argv) {
    evaluation evaluation = {0};
    const option options[] = {
        OPTION_GRAPH(&evaluation.subject),
        {"--time", OPTION_SECONDS, &evaluation.times, "SECONDS",
         "the parameter \"time\", where clips read it; may be given many times"},
        {"--set", OPTION_TEXTS, &evaluation.settings, "NAME=VALUE", "another parameter, in its range"},
        OPTION_POSE(&evaluation.subject),
        OPTION_CHARACTER(&evaluation.subject),
        OPTION_NAMES(&evaluation.subject),
        OPTION_SKELETON(&evaluation.subject),
        OPTION_SCALES(&evaluation.subject),
        OPTION_SPLIT(&evaluation.subject),
        OPTION_BVH_UNIT(&evaluation.subject),
        {"--print", OPTION_FLAG, &evaluation.prints_graph, NULL, "print parameters and instructions instead"},
        OPTION_BACKEND(&evaluation.subject),
        OPTION_DEVICE(&evaluation.subject),
        OPTION_JSON(&evaluation.as_json),
        {0}};
    const usage usage = {
        .command = "limber eval",
        .synopsis = "FILE... --graph FILE|JSON [--time SECONDS ...] [--set NAME=VALUE ...]\n"
                    "                   [--pose NAME=CLIP@TIME ...]\n"
                    "                   [--print] [--backend reference|gpu] [--device NAME|INDEX] [--json]",
        .text = "Runs a graph written as JSON, as include/limber/graph_json.h describes it, at each time, and prints "
                "what\n"
                "'limber sample' prints. Parameters that are not set have their defaults; pose buffers hold the rest\n"
                "pose. Static poses, which the JSON may name, are those given. Every mistake in the JSON is reported\n"
                "with its place.\n" CHARACTER_HELP,
        .options = options,
        .files = OPTION_SOME_FILES,
        .required_count = 1};
    const int status = subject_command(&evaluation.subject, &usage, argc, argv, eval);
    free(evaluation.times.values);
    free(evaluation.settings.values);
    return evaluation.lacks_time
               ? usage_error(usage.command, "no --time given: clips read the parameter \"time\", in seconds")
               : status;
}
