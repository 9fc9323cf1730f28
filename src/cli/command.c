#include "command.h"

#include "file.h"
#include "gpu_side.h"
#include "reader.h"
#include "terminal.h"

#include "../host.h"

#include <limber/machine.h>
#include <stdlib.h>
#include <string.h>

int command_failed(const char *place, const lmb_error *error) {
    terminal_error("limber: %s%s%s\n", place == NULL ? "" : place, place == NULL ? "" : ": ", error->message);
    return 1;
}

const char *command_read_backend(const char *text, void *target) {
    bool *gpu = target;
    *gpu = strcmp(text, "gpu") == 0;
    return *gpu || strcmp(text, "reference") == 0 ? NULL : "reference or gpu";
}

int command_check_backend(const char *command, bool gpu, const char *device_name) {
    return device_name == NULL || gpu ? COMMAND_LINE_GOOD : usage_error(command, "--device needs --backend gpu");
}

// ---- The character.

static lmb_result open_mannequin(character *character, lmb_error *error) {
    lmb_result result = mannequin_create(NULL, &character->mannequin, error);
    if (result == LMB_OK) {
        character->rig = mannequin_rig(character->mannequin);
        character->clip_count = MANNEQUIN_CLIP_COUNT;
    }
    return result;
}

static lmb_result open_files(char *const *files, uint32_t count, character *character, lmb_error *error) {
    lmb_result result = reader_import((const char *const *)files, count, &character->import, error);
    if (result == LMB_OK) {
        character->rig = lmb_import_rig(character->import);
        character->clip_count = lmb_import_clip_count(character->import);
    }
    return result;
}

static lmb_result list_clips(character *character, lmb_error *error) {
    character->clips = calloc((size_t)character->clip_count + 1, sizeof(lmb_clip *));
    if (character->clips == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for a list of clips");
    }
    for (uint32_t i = 0; i < character->clip_count; i++) {
        character->clips[i] = character->mannequin != NULL ? mannequin_clip(character->mannequin, (mannequin_clip_id)i)
                                                           : lmb_import_clip(character->import, i);
    }
    return LMB_OK;
}

lmb_result character_open(char *const *files, uint32_t count, character *character, lmb_error *error) {
    *character = (struct character){0};
    lmb_result result = count == 1 && strcmp(files[0], "mannequin") == 0 ? open_mannequin(character, error)
                                                                         : open_files(files, count, character, error);
    if (result == LMB_OK) {
        result = list_clips(character, error);
    }
    if (result != LMB_OK) {
        character_close(character);
    }
    return result;
}

void character_close(character *character) {
    free(character->clips);
    lmb_import_destroy(character->import);
    mannequin_destroy(character->mannequin);
    *character = (struct character){0};
}

const lmb_clip *character_find_clip(const character *character, const char *name, size_t length) {
    for (uint32_t i = 0; i < character->clip_count; i++) {
        const char *known = lmb_clip_name(character->clips[i]);
        if (strlen(known) == length && memcmp(known, name, length) == 0) {
            return character->clips[i];
        }
    }
    return NULL;
}

// ---- Graphs.

// Returns whether the argument is JSON, which begins with an object. Any other argument is the name of a file.
static bool is_text(const char *argument) {
    return argument[strspn(argument, " \t\r\n")] == '{';
}

static bool fail(const char *place, const char *message) {
    lmb_error error = {0};
    lmb_fail(&error, LMB_ERROR_ARGUMENT, "%s", message);
    command_failed(place, &error);
    return false;
}

static bool read_file(const char *name, char **text, size_t *size) {
    lmb_error error = {0};
    return file_read(name, FILE_LARGEST_TEXT, text, size, &error) == LMB_OK || (command_failed(NULL, &error), false);
}

static void emit(const char *name, const lmb_graph_problems *problems) {
    uint32_t listed = problems->count < LMB_MAX_GRAPH_PROBLEMS ? problems->count : LMB_MAX_GRAPH_PROBLEMS;
    for (uint32_t i = 0; i < listed; i++) {
        const lmb_graph_problem *problem = &problems->list[i];
        terminal_error("limber: %s: line %u, column %u: %s%s%s\n", name, problem->line, problem->column, problem->path,
                       problem->path[0] == '\0' ? "" : ": ", problem->message);
    }
    if (problems->count > listed) {
        terminal_error("limber: %s: and %u more\n", name, problems->count - listed);
    }
}

// `machine` is NULL if there is none, `source` is NULL if there is only a machine.
static bool read_graph(const lmb_graph_source *source, const lmb_graph_source *machine, graph_file *file) {
    static lmb_graph_problems problems;
    lmb_error error = {0};
    lmb_result result = machine == NULL ? lmb_graph_json_read(source, NULL, &file->json, &problems, &error)
                                        : lmb_machine_read(machine, source, NULL, &file->json, &problems, &error);
    if (result == LMB_OK) {
        return true;
    }
    if (problems.count > 0) {
        emit(source == NULL ? machine->name : source->name, &problems);
    } else {
        command_failed(NULL, &error);
    }
    return false;
}

// Reads the machine alone first, so that any error in the combination is the graph's.
static bool read_with_machine(const char *name, const lmb_graph_source *source, bool is_alone, graph_file *file) {
    lmb_graph_source machine = *source;
    if (!read_file(name, &file->machine_text, &file->machine_size)) {
        return false;
    }
    machine.name = name;
    machine.text = file->machine_text;
    machine.size = file->machine_size;
    if (!read_graph(NULL, &machine, file)) {
        return false;
    }
    file->machine_warnings = lmb_graph_json_warning_count(file->json);
    if (is_alone) {
        return true;
    }
    lmb_graph_json_destroy(file->json);
    file->json = NULL;
    return read_graph(source, &machine, file);
}

// Samples the pose of a clip at a time with the reference.
static lmb_result sample(const lmb_rig *rig, const lmb_clip *clip, float time, lmb_transform *joints, float *channels,
                         lmb_error *error) {
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.time = lmb_constant(time);
    const lmb_graph_def def = {.rig = rig, .clips = &clip, .clip_count = 1, .nodes = &node, .node_count = 1};
    lmb_graph *program = NULL;
    uint32_t count = lmb_rig_joint_count(rig);
    uint32_t channel_count = lmb_rig_channel_count(rig);
    float *local = calloc((size_t)count * LMB_POSE_COMPONENTS + channel_count + 1, sizeof(float));
    lmb_result result = local == NULL ? LMB_ERROR_MEMORY : lmb_graph_create(&def, NULL, &program, error);
    const lmb_batch batch = {program, 1, LMB_OUTPUT_LOCAL};
    const lmb_batch_inputs inputs = {0};
    lmb_batch_outputs outputs = {0};
    outputs.stages[LMB_STAGE_LOCAL] = local;
    if (result == LMB_OK) {
        result = reference_run(&batch, &inputs, &outputs, error);
    }
    for (uint32_t joint = 0; result == LMB_OK && joint < count; joint++) {
        float values[LMB_POSE_COMPONENTS];
        for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
            values[i] = local[(size_t)i * count + joint];
        }
        memcpy(&joints[joint], values, sizeof values);
    }
    if (result == LMB_OK) {
        memcpy(channels, local + (size_t)count * LMB_POSE_COMPONENTS, channel_count * sizeof *channels);
    }
    lmb_graph_destroy(program);
    free(local);
    return result;
}

// Reads NAME=CLIP@TIME. A name contains no equals sign, a time no @.
static bool read_static_pose(const char *text, const character *character, graph_file *file) {
    const char *equals = strchr(text, '='), *at = strrchr(text, '@');
    float time = 0.0f;
    if (equals == NULL || equals == text || at == NULL || at < equals || !option_read_float(at + 1, &time)) {
        return fail(text, "not of the form NAME=CLIP@TIME, with a finite number of seconds");
    }
    const lmb_clip *clip = character_find_clip(character, equals + 1, (size_t)(at - equals - 1));
    if (clip == NULL) {
        return fail(text, "there is no clip of this name");
    }
    const lmb_rig *rig = character->rig;
    char *name = calloc((size_t)(equals - text) + 1, 1);
    lmb_transform *joints = calloc((size_t)lmb_rig_joint_count(rig) + 1, sizeof *joints);
    float *channels = calloc((size_t)lmb_rig_channel_count(rig) + 1, sizeof *channels);
    file->static_poses[file->static_pose_count++] =
        (lmb_static_pose_def){name, joints, lmb_rig_joint_count(rig), channels};
    lmb_error error = {0};
    if (name == NULL || joints == NULL || channels == NULL) {
        return fail(text, "no memory");
    }
    memcpy(name, text, (size_t)(equals - text));
    return sample(rig, clip, time, joints, channels, &error) == LMB_OK || fail(text, error.message);
}

static bool read_static_poses(const option_texts *poses, const character *character, graph_file *file) {
    uint32_t count = poses == NULL ? 0 : poses->count;
    file->static_poses = calloc((size_t)count + 1, sizeof *file->static_poses);
    bool success = file->static_poses != NULL || fail("--pose", "no memory");
    for (uint32_t i = 0; success && i < count; i++) {
        success = read_static_pose(poses->values[i], character, file);
    }
    return success;
}

static bool read_source(const char *argument, lmb_graph_source *source, graph_file *file) {
    source->name = "--graph";
    source->text = argument;
    source->size = argument == NULL ? 0 : strlen(argument);
    bool success = true;
    if (argument != NULL && !is_text(argument)) {
        success = read_file(argument, &file->text, &source->size);
        source->text = file->text;
        source->name = argument;
    }
    file->name = source->name;
    file->size = source->size;
    return success;
}

bool graph_file_read(const char *argument, const char *machine, const character *character, const option_texts *poses,
                     graph_file *file) {
    *file = (graph_file){.machine_name = machine};
    lmb_graph_source source = {.rig = character->rig, .clips = character->clips, .clip_count = character->clip_count};
    bool success = read_source(argument, &source, file) && read_static_poses(poses, character, file);
    source.static_poses = file->static_poses;
    source.static_pose_count = file->static_pose_count;
    success = success && (machine == NULL ? read_graph(&source, NULL, file)
                                          : read_with_machine(machine, &source, argument == NULL, file));
    if (!success) {
        graph_file_release(file);
    }
    return success;
}

void graph_file_warn(const graph_file *file) {
    for (uint32_t i = 0; i < lmb_graph_json_warning_count(file->json); i++) {
        const lmb_graph_problem *warning = lmb_graph_json_warning_at(file->json, i);
        terminal_error("limber: %s: line %u, column %u: warning: %s: %s\n",
                       i < file->machine_warnings ? file->machine_name : file->name, warning->line, warning->column,
                       warning->path, warning->message);
    }
}

const lmb_graph_def *graph_file_def(const graph_file *file) {
    return file->json != NULL ? lmb_graph_json_def(file->json) : NULL;
}

void graph_file_release(graph_file *file) {
    lmb_graph_json_destroy(file->json);
    for (uint32_t i = 0; i < file->static_pose_count; i++) {
        free((void *)(uintptr_t)file->static_poses[i].name);
        free((void *)(uintptr_t)file->static_poses[i].joints);
        free((void *)(uintptr_t)file->static_poses[i].channels);
    }
    free(file->static_poses);
    free(file->text);
    free(file->machine_text);
    *file = (graph_file){0};
}
