// `limber sample` and `limber eval`: print the poses of a clip, or of a graph written as JSON, at given times.
#include "command.h"
#include "poses.h"
#include "terminal.h"

#include "../host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct evaluation {
    uint32_t file_count;
    const char *clip_text;  // what `sample` shows,
    const char *graph_text; // and `eval`
    bool loop;
    option_seconds times;
    option_texts settings;
    option_texts static_poses;
    bool print_program;
    bool as_json;

    character character;
    graph_file graph;
    const lmb_clip *clip;
    lmb_graph *program;
    float *parameters; // a row for each time
    float *buffers[LMB_MAX_POSES];
    poses poses;
} evaluation;

static lmb_result fail_memory(lmb_error *error) {
    return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for the inputs");
}

static const char *name_parameter(const evaluation *evaluation, uint32_t index) {
    return lmb_graph_parameter_at(evaluation->program, index).name;
}

static const char *name_clip(const evaluation *evaluation, uint32_t index) {
    return lmb_clip_name(evaluation->character.clips[index]);
}

// Appends the names of all that there is to the error's message.
static lmb_result list_names(const evaluation *evaluation, uint32_t count,
                             const char *(*name)(const struct evaluation *of, uint32_t index), lmb_error *error) {
    for (uint32_t i = 0; i < count; i++) {
        const size_t used = strlen(error->message);
        snprintf(error->message + used, sizeof error->message - used, "%s %s", i == 0 ? ":" : ",", name(evaluation, i));
    }
    return error->result;
}

static uint32_t find_parameter(const lmb_graph *graph, const char *name, size_t length) {
    for (uint32_t i = 0; i < lmb_graph_parameter_count(graph); i++) {
        const char *known = lmb_graph_parameter_at(graph, i).name;
        if (strlen(known) == length && memcmp(known, name, length) == 0) {
            return i;
        }
    }
    return LMB_NONE;
}

// Applies a setting NAME=VALUE. Names may contain equals signs, numbers do not.
static lmb_result apply_setting(const evaluation *evaluation, const char *setting, float *row, lmb_error *error) {
    const lmb_graph *graph = evaluation->program;
    const char *equals = strrchr(setting, '=');
    float value = 0.0f;
    if (equals == NULL || !option_read_float(equals + 1, &value)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "--set %s: not of the form NAME=VALUE, with a finite number",
                        setting);
    }
    size_t length = (size_t)(equals - setting);
    uint32_t index = find_parameter(graph, setting, length);
    if (index == LMB_NONE) {
        const uint32_t count = lmb_graph_parameter_count(graph);
        lmb_fail(error, LMB_ERROR_ARGUMENT, "--set %s: no parameter '%.*s' among its %u", setting, (int)length, setting,
                 (unsigned)count);
        return list_names(evaluation, count, name_parameter, error);
    }
    const lmb_graph_parameter parameter = lmb_graph_parameter_at(graph, index);
    if (value < parameter.min || value > parameter.max) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "--set %s: outside its range, %g to %g", setting,
                        (double)parameter.min, (double)parameter.max);
    }
    row[index] = value;
    return LMB_OK;
}

static lmb_result fill_parameters(evaluation *evaluation, lmb_error *error) {
    const lmb_graph *graph = evaluation->program;
    uint32_t count = lmb_graph_parameter_count(graph);
    uint32_t time = lmb_graph_find_parameter(graph, "time");
    evaluation->parameters = calloc((size_t)evaluation->times.count * count + 1, sizeof(float));
    if (evaluation->parameters == NULL) {
        return fail_memory(error);
    }
    for (uint32_t pose = 0; pose < evaluation->times.count; pose++) {
        float *row = evaluation->parameters + (size_t)pose * count;
        lmb_graph_defaults(graph, row);
        for (uint32_t i = 0; i < evaluation->settings.count; i++) {
            lmb_result result = apply_setting(evaluation, evaluation->settings.values[i], row, error);
            if (result != LMB_OK) {
                return result;
            }
        }
        if (time != LMB_NONE) {
            row[time] = evaluation->times.values[pose];
        }
    }
    return LMB_OK;
}

static bool has_clips(const lmb_graph_def *def) {
    bool found = false;
    for (uint32_t i = 0; i < def->node_count; i++) {
        found = found || def->nodes[i].op == LMB_OP_CLIP;
    }
    return found;
}

// Computed parameters alone do not make poses depend on earlier frames.
static bool depends_on_frames(const lmb_graph *graph, const lmb_graph_def *def) {
    return lmb_graph_player_count(graph) > 0 || lmb_graph_machine_count(graph) > 0 || def->smoothed_count > 0 ||
           def->motion != NULL;
}

// Runs the control to evaluate computed parameters.
static lmb_result run_control(const evaluation *evaluation, lmb_error *error) {
    const lmb_control *control = lmb_graph_control(evaluation->program);
    const uint32_t count = evaluation->times.count;
    uint32_t *state = calloc((size_t)count * lmb_control_state_words(control) + 1, sizeof *state);
    const lmb_control_frame frame = {.character_count = count, .state = state, .parameters = evaluation->parameters};
    lmb_result result = state == NULL ? fail_memory(error) : LMB_OK;
    if (result == LMB_OK && control != NULL) {
        result = lmb_control_run(control, &frame, 0, count, error);
    }
    free(state);
    return result;
}

// A graph with players, machines, smoothed parameters or character motion has no pose without earlier frames. A time
// that no clip reads would be printed above poses that do not depend on it. A graph without clips has one pose at all
// times.
static lmb_result check_times(evaluation *evaluation, lmb_error *error) {
    const lmb_graph *graph = evaluation->program;
    if (evaluation->print_program) {
        return LMB_OK;
    }
    if (depends_on_frames(graph, graph_file_def(&evaluation->graph))) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT,
                        "--graph: its poses depend on the frames before them; 'limber play' runs it");
    }
    if (lmb_graph_find_parameter(graph, "time") != LMB_NONE) {
        return LMB_OK;
    }
    if (has_clips(graph_file_def(&evaluation->graph)) && evaluation->times.count > 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT,
                        "--time: no clip of this graph reads the parameter \"time\"; give what they read with --set");
    }
    if (evaluation->times.count == 0) {
        evaluation->times.values = malloc(sizeof(float));
        if (evaluation->times.values == NULL) {
            return fail_memory(error);
        }
        evaluation->times.values[evaluation->times.count++] = NAN;
    }
    return LMB_OK;
}

// Fills a pose buffer with the rest pose for every character, or with identities if the buffer has other joints than
// the rig.
static lmb_result fill_pose(evaluation *evaluation, uint32_t pose, lmb_error *error) {
    const lmb_rig *rig = evaluation->character.rig;
    uint32_t joint_count = lmb_graph_pose_joint_count(evaluation->program, pose);
    bool is_whole = joint_count == lmb_rig_joint_count(rig);
    size_t floats = lmb_graph_pose_floats(evaluation->program, pose), poses = evaluation->times.count;
    float *buffer = evaluation->buffers[pose] = calloc(poses * floats + 1, sizeof(float));
    if (buffer == NULL) {
        return fail_memory(error);
    }
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        lmb_transform rest = is_whole ? lmb_rig_joint_rest(rig, joint) : lmb_transform_identity();
        float components[LMB_POSE_COMPONENTS];
        memcpy(components, &rest, sizeof components);
        for (size_t i = 0; i < poses * LMB_POSE_COMPONENTS; i++) {
            float *at = buffer + i / LMB_POSE_COMPONENTS * floats;
            at[i % LMB_POSE_COMPONENTS * joint_count + joint] = components[i % LMB_POSE_COMPONENTS];
        }
    }
    const size_t joint_floats = (size_t)LMB_POSE_COMPONENTS * joint_count;
    for (size_t i = 0; i < poses; i++) {
        for (size_t channel = 0; channel < floats - joint_floats; channel++) {
            buffer[i * floats + joint_floats + channel] = lmb_rig_channel_rest(rig, (uint32_t)channel);
        }
    }
    return LMB_OK;
}

// Runs the poses, one for each time.
static lmb_result run(evaluation *evaluation, const lmb_batch_inputs *inputs, lmb_error *error) {
    evaluation->poses.rig = evaluation->character.rig;
    evaluation->poses.program = evaluation->program;
    evaluation->poses.count = evaluation->times.count;
    return poses_run(&evaluation->poses, inputs, error);
}

static lmb_result run_graph(evaluation *evaluation, lmb_error *error) {
    lmb_result result = fill_parameters(evaluation, error);
    result = result == LMB_OK ? run_control(evaluation, error) : result;
    lmb_batch_inputs inputs = {.parameters = evaluation->parameters};
    for (uint32_t i = 0; i < lmb_graph_pose_count(evaluation->program) && result == LMB_OK; i++) {
        result = fill_pose(evaluation, i, error);
        inputs.poses[i] = evaluation->buffers[i];
    }
    return result == LMB_OK ? run(evaluation, &inputs, error) : result;
}

// A name takes precedence over an index, so that every clip can be selected by either.
static lmb_result find_clip(evaluation *evaluation, lmb_error *error) {
    const char *text = evaluation->clip_text;
    const character *character = &evaluation->character;
    uint64_t index = 0;
    evaluation->clip = character_find_clip(character, text, strlen(text));
    if (evaluation->clip == NULL && option_read_whole(text, UINT32_MAX, &index) && index < character->clip_count) {
        evaluation->clip = character->clips[index];
    }
    if (evaluation->clip == NULL) {
        lmb_fail(error, LMB_ERROR_ARGUMENT, "no clip '%s' among its %u", text, (unsigned)character->clip_count);
        list_names(evaluation, character->clip_count, name_clip, error);
    }
    return evaluation->clip != NULL ? LMB_OK : error->result;
}

// Runs a program of one operation, the clip. Its time is each character's only parameter.
static lmb_result run_clip(evaluation *evaluation, lmb_error *error) {
    lmb_result result = find_clip(evaluation, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.time = lmb_parameter(0);
    node.loop = evaluation->loop;
    const lmb_graph_def def = {.rig = evaluation->character.rig,
                               .clips = &evaluation->clip,
                               .clip_count = 1,
                               .nodes = &node,
                               .node_count = 1,
                               .parameter_count = 1};
    const lmb_batch_inputs inputs = {.parameters = evaluation->times.values};
    result = lmb_graph_create(&def, NULL, &evaluation->program, error);
    return result == LMB_OK ? run(evaluation, &inputs, error) : result;
}

static void write_parameters(json *json, const lmb_graph *graph) {
    json_begin_array(json, "parameters");
    for (uint32_t i = 0; i < lmb_graph_parameter_count(graph); i++) {
        const lmb_graph_parameter parameter = lmb_graph_parameter_at(graph, i);
        json_begin_object(json, NULL);
        json_text(json, "name", parameter.name);
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
    const lmb_graph *graph = evaluation->program;
    json json = {.stream = stdout};
    json_begin_object(&json, NULL);
    if (evaluation->clip != NULL) {
        json_text(&json, "clip", lmb_clip_name(evaluation->clip));
        json_float(&json, "duration", lmb_clip_duration(evaluation->clip));
    } else {
        write_parameters(&json, graph);
    }
    if (evaluation->print_program) {
        json_begin_array(&json, "instructions");
        lmb_graph_print(graph, write_instruction, &json);
        json_end_array(&json);
    } else {
        poses_write(&evaluation->poses, evaluation->times.values, &json);
    }
    json_end_object(&json);
    terminal_print("\n");
}

static void print_instruction(void *user, const char *line) {
    (void)user;
    terminal_print("%s\n", line);
}

static void print_program(const evaluation *evaluation) {
    const lmb_graph *graph = evaluation->program;
    for (uint32_t i = 0; i < lmb_graph_parameter_count(graph); i++) {
        const lmb_graph_parameter parameter = lmb_graph_parameter_at(graph, i);
        terminal_print("parameter %s: %g, from %g to %g\n", parameter.name, (double)parameter.initial,
                       (double)parameter.min, (double)parameter.max);
    }
    lmb_graph_print(graph, print_instruction, NULL);
}

static void print_text(const evaluation *evaluation) {
    if (evaluation->print_program) {
        print_program(evaluation);
        return;
    }
    if (evaluation->clip != NULL) {
        terminal_print("clip %s, %.3f s", lmb_clip_name(evaluation->clip), (double)lmb_clip_duration(evaluation->clip));
        terminal_print(", on %s\n", poses_place(&evaluation->poses));
    } else {
        terminal_print("graph on %s\n", poses_place(&evaluation->poses));
    }
    for (uint32_t pose = 0; pose < evaluation->times.count; pose++) {
        poses_print(&evaluation->poses, pose, evaluation->times.values[pose]);
    }
}

// ---- The commands.

static int show(const evaluation *evaluation) {
    (evaluation->as_json ? write_json : print_text)(evaluation);
    return 0;
}

static void release(evaluation *evaluation) {
    poses_release(&evaluation->poses);
    free(evaluation->parameters);
    for (uint32_t i = 0; i < LMB_MAX_POSES; i++) {
        free(evaluation->buffers[i]);
    }
    lmb_graph_destroy(evaluation->program);
    graph_file_release(&evaluation->graph);
    character_close(&evaluation->character);
    free(evaluation->times.values);
    free(evaluation->settings.values);
    free(evaluation->static_poses.values);
}

static int read_sample(evaluation *evaluation, int argc, char **argv) {
    const option options[] = {
        {"--clip", OPTION_TEXT, &evaluation->clip_text, "NAME|INDEX", "the clip; a name wins over an index"},
        {"--time", OPTION_SECONDS, &evaluation->times, "SECONDS", "a time; may be given many times"},
        {"--loop", OPTION_FLAG, &evaluation->loop, NULL, "loop over the clip instead of holding its ends"},
        OPTION_BACKEND(&evaluation->poses.gpu),
        OPTION_DEVICE(&evaluation->poses.device_name),
        OPTION_JSON(&evaluation->as_json),
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
        .files = OPTION_SOME_FILES};
    const int status = command_line_read(&usage, argc, argv, &evaluation->file_count);
    if (status != COMMAND_LINE_GOOD) {
        return status;
    }
    if (evaluation->clip_text == NULL) {
        return usage_error(usage.command, "no --clip given");
    }
    if (evaluation->times.count == 0) {
        return usage_error(usage.command, "no --time given");
    }
    return command_check_backend(usage.command, evaluation->poses.gpu, evaluation->poses.device_name);
}

static int sample(evaluation *evaluation, char **files) {
    lmb_error error = {0};
    if (character_open(files, evaluation->file_count, &evaluation->character, &error) != LMB_OK) {
        return command_failed(NULL, &error);
    }
    return run_clip(evaluation, &error) == LMB_OK ? show(evaluation) : command_failed(files[0], &error);
}

int command_sample(int argc, char **argv) {
    evaluation evaluation = {0};
    int status = read_sample(&evaluation, argc, argv);
    if (status == COMMAND_LINE_GOOD) {
        status = sample(&evaluation, argv);
    }
    release(&evaluation);
    return status;
}

static int read_eval(evaluation *evaluation, int argc, char **argv) {
    const option options[] = {
        {"--graph", OPTION_TEXT, &evaluation->graph_text, "FILE|JSON", "a file of JSON, or the JSON itself"},
        {"--time", OPTION_SECONDS, &evaluation->times, "SECONDS",
         "the parameter \"time\", where clips read it; may be given many times"},
        {"--set", OPTION_TEXTS, &evaluation->settings, "NAME=VALUE", "another parameter, in its range"},
        {"--pose", OPTION_TEXTS, &evaluation->static_poses, "NAME=CLIP@TIME", "a static pose, from a clip at a time"},
        {"--print", OPTION_FLAG, &evaluation->print_program, NULL, "print parameters and instructions instead"},
        OPTION_BACKEND(&evaluation->poses.gpu),
        OPTION_DEVICE(&evaluation->poses.device_name),
        OPTION_JSON(&evaluation->as_json),
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
        .files = OPTION_SOME_FILES};
    const int status = command_line_read(&usage, argc, argv, &evaluation->file_count);
    if (status != COMMAND_LINE_GOOD) {
        return status;
    }
    if (evaluation->graph_text == NULL) {
        return usage_error(usage.command, "no --graph given");
    }
    return command_check_backend(usage.command, evaluation->poses.gpu, evaluation->poses.device_name);
}

static int eval(evaluation *evaluation, char **files) {
    lmb_error error = {0};
    if (character_open(files, evaluation->file_count, &evaluation->character, &error) != LMB_OK) {
        return command_failed(NULL, &error);
    }
    if (!graph_file_read(evaluation->graph_text, NULL, &evaluation->character, &evaluation->static_poses,
                         &evaluation->graph)) {
        return 1;
    }
    if (lmb_graph_create(graph_file_def(&evaluation->graph), NULL, &evaluation->program, &error) != LMB_OK ||
        check_times(evaluation, &error) != LMB_OK) {
        return command_failed(files[0], &error);
    }
    if (evaluation->times.count == 0 && !evaluation->print_program) {
        return usage_error("limber eval", "no --time given");
    }
    if (!evaluation->print_program && run_graph(evaluation, &error) != LMB_OK) {
        return command_failed(files[0], &error);
    }
    return show(evaluation);
}

int command_eval(int argc, char **argv) {
    evaluation evaluation = {0};
    int status = read_eval(&evaluation, argc, argv);
    if (status == COMMAND_LINE_GOOD) {
        status = eval(&evaluation, argv);
    }
    release(&evaluation);
    return status;
}
