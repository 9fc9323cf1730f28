// What the subcommands share. A subject is opened step by step (character, static poses, other characters, graph),
// because each step looks up names in those before it. Messages about an unknown name list the names that exist.
#include "command.h"

#include "file.h"
#include "gpu_side.h"
#include "static_pose.h"
#include "terminal.h"

#include "base/host.h"

#include <limber/machine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int command_end(const char *place, lmb_result result, const lmb_error *error) {
    if (result != LMB_OK && error->message[0] != '\0') {
        terminal_error("limber: %s%s%s\n", place == NULL ? "" : place, place == NULL ? "" : ": ", error->message);
    }
    return result == LMB_OK ? 0 : 1;
}

const char *command_read_backend(const char *text, void *target) {
    bool *gpu = target;
    *gpu = strcmp(text, "gpu") == 0;
    return *gpu || strcmp(text, "reference") == 0 ? NULL : "reference or gpu";
}

int subject_read(subject *subject, const usage *usage, int argc, char **argv) {
    const int status = command_line_read(usage, argc, argv, &subject->file_count);
    subject->files = argv;
    if (status != COMMAND_LINE_GOOD) {
        return status;
    }
    if (subject->needs_graph && subject->graph_text == NULL && subject->machine_name == NULL) {
        return usage_error(usage->command, "neither --graph nor --machine given");
    }
    return subject->device_name == NULL || subject->gpu ? COMMAND_LINE_GOOD
                                                        : usage_error(usage->command, "--device needs --backend gpu");
}

uint32_t command_find_name(const char *what, const char *name, size_t length, lmb_name_at *at, const void *of,
                           uint32_t count, lmb_error *error) {
    for (uint32_t i = 0; i < count; i++) {
        if (strlen(at(of, i)) == length && memcmp(at(of, i), name, length) == 0) {
            return i;
        }
    }
    lmb_fail(error, LMB_ERROR_ARGUMENT, "%s '%.*s' among its %u", what, (int)length, name, (unsigned)count);
    lmb_append_names(error->message, sizeof error->message, name, length, at, of, count);
    return LMB_NONE;
}

// Returns the name of the parameter that is `index`-th of those that can be set.
static const char *settable_name_at(const void *graph, uint32_t index) {
    uint32_t at = 0;
    lmb_graph_parameter found = lmb_graph_parameter_at(graph, at);
    for (uint32_t left = index; found.is_written || left > 0; found = lmb_graph_parameter_at(graph, at)) {
        left -= found.is_written ? 0 : 1;
        at++;
    }
    return found.name;
}

uint32_t command_find_parameter(const lmb_graph *graph, const char *name, size_t length, lmb_error *error) {
    uint32_t count = 0;
    bool is_written = false;
    for (uint32_t i = 0; i < lmb_graph_get_info(graph)->parameter_count; i++) {
        const lmb_graph_parameter found = lmb_graph_parameter_at(graph, i);
        const bool is_named = strlen(found.name) == length && memcmp(found.name, name, length) == 0;
        if (is_named && !found.is_written) {
            return i;
        }
        is_written = is_written || is_named;
        count += found.is_written ? 0 : 1;
    }
    if (is_written) {
        lmb_fail(error, LMB_ERROR_ARGUMENT, "'%.*s' cannot be set: the graph writes it", (int)length, name);
        return LMB_NONE;
    }
    lmb_fail(error, LMB_ERROR_ARGUMENT, "no parameter '%.*s' among its %u", (int)length, name, (unsigned)count);
    lmb_append_names(error->message, sizeof error->message, name, length, settable_name_at, graph, count);
    return LMB_NONE;
}

// ---- The character.

static const char *clip_name_at(const void *subject, uint32_t index) {
    return lmb_clip_get_info(((const struct subject *)subject)->character.clips[index])->name;
}

const lmb_clip *subject_find_clip(const subject *subject, const char *name, size_t length, lmb_error *error) {
    const uint32_t index =
        command_find_name("no clip", name, length, clip_name_at, subject, subject->character.clip_count, error);
    return index == LMB_NONE ? NULL : subject->character.clips[index];
}

const char *const pack_part_names[LMB_PACK_PART_COUNT] = {"rig", "clips", "meshes", "images", "graphs"};

void subject_print_parts(const lmb_pack *pack) {
    const lmb_pack_def *content = lmb_pack_get_def(pack);
    const uint32_t counts[LMB_PACK_PART_COUNT] = {lmb_rig_get_def(content->rig)->joint_count, content->clip_count,
                                                  content->mesh_count, content->image_count, content->graph_count};
    for (uint32_t i = 0; i < LMB_PACK_PART_COUNT; i++) {
        terminal_print("  %-8s  %6u%s  %10zu bytes\n", pack_part_names[i], counts[i],
                       i == LMB_PACK_RIG ? " joints" : "       ", lmb_pack_part_bytes(pack, (lmb_pack_part)i));
    }
}

// ---- Static poses.

static lmb_result read_pose(subject *subject, const char *text, lmb_error *error) {
    static_pose_text parts;
    if (static_pose_split(text, &parts, error)) {
        return error->result;
    }
    const lmb_clip *clip = subject_find_clip(subject, parts.clip, parts.clip_length, error);
    if (clip == NULL) {
        return error->result;
    }
    const uint32_t joint_count = lmb_rig_get_def(subject->character.rig)->joint_count;
    char *name = lmb_arena_allocate(&subject->pool, parts.name_length + 1, 1);
    lmb_transform *joints = lmb_arena_allocate(&subject->pool, joint_count, sizeof *joints);
    float *channels =
        lmb_arena_allocate(&subject->pool, lmb_rig_get_def(subject->character.rig)->channel_count, sizeof *channels);
    if (subject->pool.failed) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory");
    }
    subject->static_poses[subject->static_pose_count++] = (lmb_static_pose_def){name, joints, joint_count, channels};
    memcpy(name, text, parts.name_length);
    return static_pose_sample(subject->character.rig, clip, parts.time, joints, channels, error);
}

static lmb_result read_poses(subject *subject, lmb_error *error) {
    subject->static_poses = lmb_arena_allocate(&subject->pool, subject->poses.count, sizeof *subject->static_poses);
    if (subject->static_poses == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for static poses");
    }
    for (uint32_t i = 0; i < subject->poses.count; i++) {
        lmb_error found = {0};
        if (read_pose(subject, subject->poses.values[i], &found)) {
            return lmb_fail(error, found.result, "--pose %s: %s", subject->poses.values[i], found.message);
        }
    }
    return LMB_OK;
}

// ---- Other characters.

// Reads NAME=FILE,FILE... The character is closed with the subject, also if this fails.
static lmb_result read_character(subject *subject, uint32_t index, const char *text, lmb_error *error) {
    const size_t size = strlen(text) + 1;
    char *name = lmb_arena_allocate(&subject->pool, size, 1);
    char **files = lmb_arena_allocate(&subject->pool, size, sizeof *files);
    if (subject->pool.failed) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory");
    }
    memcpy(name, text, size);
    const uint32_t file_count = option_split_files(name, files);
    if (file_count == 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "not of the form NAME=FILE");
    }
    character_file *other = &subject->others[index];
    lmb_import_def def = subject->import;
    def.split_count = 0;
    def.paths = (const char *const *)files;
    def.path_count = file_count;
    const lmb_result result = character_file_open(&def, other, error);
    subject->named[index] = (lmb_graph_character){name, other->rig, other->clips, other->clip_count};
    return result;
}

static lmb_result read_characters(subject *subject, lmb_error *error) {
    const uint32_t count = subject->characters.count;
    subject->others = lmb_arena_allocate(&subject->pool, count, sizeof *subject->others);
    subject->named = lmb_arena_allocate(&subject->pool, count, sizeof *subject->named);
    if (subject->pool.failed) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for other characters");
    }
    for (uint32_t i = 0; i < count; i++) {
        lmb_error found = {0};
        if (read_character(subject, i, subject->characters.values[i], &found)) {
            return lmb_fail(error, found.result, "--character %s: %s", subject->characters.values[i], found.message);
        }
    }
    return LMB_OK;
}

// ---- Names in graphs.

// Adds NAME=CLIP.
static lmb_result add_alias(subject *subject, const char *text, lmb_graph_alias *aliases, uint32_t *count,
                            lmb_error *error) {
    const char *equals = strchr(text, '=');
    const size_t length = equals != NULL ? (size_t)(equals - text) : 0;
    if (length == 0 || equals[1] == '\0') {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "--clip %.200s: not of the form NAME=CLIP", text);
    }
    char *name = lmb_arena_allocate(&subject->pool, length + 1, 1);
    if (name == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for names");
    }
    memcpy(name, text, length);
    aliases[(*count)++] = (lmb_graph_alias){name, equals + 1};
    return LMB_OK;
}

static bool has_alias(const lmb_graph_alias *aliases, uint32_t count, const char *name) {
    bool found = false;
    for (uint32_t i = 0; i < count && !found; i++) {
        found = strcmp(aliases[i].name, name) == 0;
    }
    return found;
}

static lmb_result read_names_file(subject *subject, lmb_error *error) {
    const char *path = subject->names_file;
    char *text = NULL;
    size_t size = 0;
    if (path == NULL || file_read(path, FILE_LARGEST_TEXT, &text, &size, error)) {
        return path == NULL ? LMB_OK : error->result;
    }
    const lmb_result result = lmb_graph_aliases_read(text, size, path, NULL, &subject->aliases, error);
    free(text);
    if (result == LMB_OK) {
        lmb_graph_aliases_use(subject->aliases, &subject->names);
    }
    return result;
}

// Those of --clip come before those of the file.
static lmb_result read_names(subject *subject, lmb_error *error) {
    if (read_names_file(subject, error)) {
        return error->result;
    }
    const lmb_graph_source of_file = subject->names;
    const size_t most = (size_t)subject->clip_aliases.count + of_file.clip_alias_count;
    lmb_graph_alias *aliases = lmb_arena_allocate(&subject->pool, most, sizeof *aliases);
    uint32_t count = 0;
    if (aliases == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for names");
    }
    for (uint32_t i = 0; i < subject->clip_aliases.count; i++) {
        if (add_alias(subject, subject->clip_aliases.values[i], aliases, &count, error)) {
            return error->result;
        }
    }
    for (uint32_t i = 0; i < of_file.clip_alias_count; i++) {
        if (!has_alias(aliases, subject->clip_aliases.count, of_file.clip_aliases[i].name)) {
            aliases[count++] = of_file.clip_aliases[i];
        }
    }
    subject->names.clip_aliases = aliases;
    subject->names.clip_alias_count = count;
    return LMB_OK;
}

// ---- The graph.

static void print_problems(const char *name, const lmb_graph_problems *problems) {
    uint32_t listed = problems->count < LMB_MAX_GRAPH_PROBLEMS ? problems->count : LMB_MAX_GRAPH_PROBLEMS;
    for (uint32_t i = 0; i < listed; i++) {
        const lmb_graph_problem *problem = &problems->list[i];
        terminal_error("limber: %s: line %u, column %u: %s%s%s\n", problem->file[0] != '\0' ? problem->file : name,
                       problem->line, problem->column, problem->path, problem->path[0] == '\0' ? "" : ": ",
                       problem->message);
    }
    if (problems->count > listed) {
        terminal_error("limber: %s: and %u more mistake%s\n", name, problems->count - listed,
                       problems->count - listed == 1 ? "" : "s");
    }
}

// `machine` is NULL if there is none, `source` is NULL if there is only a machine.
static lmb_result create_graph(subject *subject, const lmb_graph_source *source, const lmb_graph_source *machine,
                               lmb_error *error) {
    static lmb_graph_problems problems;
    lmb_graph_json_destroy(subject->json);
    subject->json = NULL;
    lmb_result result = machine == NULL ? lmb_graph_json_read(source, NULL, &subject->json, &problems, error)
                                        : lmb_machine_read(machine, source, NULL, &subject->json, &problems, error);
    if (result == LMB_OK) {
        subject->def = lmb_graph_json_def(subject->json);
    } else if (problems.count > 0) {
        print_problems(source == NULL ? machine->name : source->name, &problems);
        error->message[0] = '\0';
    }
    return result;
}

// Reads the text of a graph, which is JSON if it begins with an object, and the name of a file otherwise. Stores the
// content of a file in `content`.
static lmb_result read_text(subject *subject, lmb_graph_source *source, char **content, lmb_error *error) {
    const char *given = subject->graph_text;
    lmb_result result = LMB_OK;
    subject->text_name = "--graph";
    subject->folder.beside = NULL;
    source->size = given == NULL ? 0 : strlen(given);
    if (given != NULL && given[strspn(given, " \t\r\n")] != '{') {
        subject->text_name = given;
        subject->folder.beside = given;
        result = file_read(given, FILE_LARGEST_TEXT, content, &source->size, error);
    }
    source->name = subject->text_name;
    source->text = *content != NULL ? *content : given;
    return result;
}

// Reads the machine alone first, so that any error in the combination is the graph's.
static lmb_result read_machine(subject *subject, const lmb_graph_source *source, lmb_error *error) {
    free(subject->machine_text);
    subject->machine_text = NULL;
    lmb_graph_source *machine = &subject->machine;
    *machine = *source;
    machine->name = subject->machine_name;
    lmb_result result =
        file_read(subject->machine_name, FILE_LARGEST_TEXT, &subject->machine_text, &machine->size, error);
    if (result != LMB_OK) {
        return result;
    }
    machine->text = subject->machine_text;
    result = create_graph(subject, NULL, machine, error);
    subject->machine_warnings = result == LMB_OK ? lmb_graph_json_warning_count(subject->json) : 0;
    if (result == LMB_OK && subject->graph_text != NULL) {
        result = create_graph(subject, source, machine, error);
    }
    return result;
}

static lmb_result find_graph(subject *subject, lmb_error *error) {
    subject->def = lmb_pack_find_graph(subject->character.pack, subject->graph_text);
    subject->text_name = subject->graph_text;
    if (subject->machine_name != NULL || subject->poses.count > 0 || subject->characters.count > 0 ||
        subject->clip_aliases.count > 0 || subject->names_file != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "--%s: the graph '%s' of a pack is no text",
                        subject->machine_name != NULL     ? "machine"
                        : subject->poses.count > 0        ? "pose"
                        : subject->characters.count > 0   ? "character"
                        : subject->clip_aliases.count > 0 ? "clip"
                                                          : "names",
                        subject->graph_text);
    }
    return LMB_OK;
}

static const char *graph_name_at(const void *pack, uint32_t index) {
    return lmb_pack_get_def(pack)->graphs[index].name;
}

// The text was neither a graph of the pack nor JSON, and there is no such file.
static lmb_result fail_graph(const subject *subject, lmb_error *error) {
    const char *name = subject->graph_text;
    command_find_name("--graph: no such file, and no graph", name, strlen(name), graph_name_at, subject->character.pack,
                      lmb_pack_get_def(subject->character.pack)->graph_count, error);
    return error->result;
}

lmb_result subject_read_graph(subject *subject, lmb_error *error) {
    if (subject->character.pack != NULL && lmb_pack_find_graph(subject->character.pack, subject->graph_text) != NULL) {
        return find_graph(subject, error);
    }
    lmb_graph_source source = {.rig = subject->character.rig,
                               .clips = subject->character.clips,
                               .clip_count = subject->character.clip_count,
                               .static_poses = subject->static_poses,
                               .static_pose_count = subject->static_pose_count,
                               .characters = subject->named,
                               .character_count = subject->characters.count,
                               .clip_aliases = subject->names.clip_aliases,
                               .clip_alias_count = subject->names.clip_alias_count,
                               .joint_aliases = subject->names.joint_aliases,
                               .joint_alias_count = subject->names.joint_alias_count,
                               .read_file = file_read_included,
                               .read_file_user = &subject->folder};
    char *content = NULL;
    lmb_result result = read_text(subject, &source, &content, error);
    if (result != LMB_OK) {
        return result == LMB_ERROR_FILE && subject->character.pack != NULL ? fail_graph(subject, error) : result;
    }
    result = subject->machine_name == NULL ? create_graph(subject, &source, NULL, error)
                                           : read_machine(subject, &source, error);
    free(content);
    return result;
}

lmb_result subject_open(subject *subject, lmb_error *error) {
    const bool has_graph = subject->graph_text != NULL || subject->machine_name != NULL;
    subject->import.paths = (const char *const *)subject->files;
    subject->import.path_count = subject->file_count;
    if (character_file_read_splits(subject->splits.values, subject->splits.count, &subject->pool, &subject->import,
                                   error) ||
        character_file_open(&subject->import, &subject->character, error) || read_poses(subject, error) ||
        read_characters(subject, error) || read_names(subject, error) ||
        (has_graph && subject_read_graph(subject, error))) {
        return error->result;
    }
    subject->place = subject->files[0];
    return LMB_OK;
}

// Returns whether a node of the graph plays a clip of this name.
static bool plays_clip(const lmb_graph_def *def, const char *name) {
    bool found = false;
    for (uint32_t i = 0; i < def->node_count && !found; i++) {
        const lmb_node_def *node = &def->nodes[i];
        const uint32_t clip = node->op == LMB_OP_CLIP ? (uint32_t)node->clip.constant : def->clip_count;
        found = node->clip.kind == LMB_VALUE_PARAMETER ||
                (clip < def->clip_count && strcmp(lmb_clip_get_info(def->clips[clip])->name, name) == 0);
    }
    return found;
}

// A clip of --clip that nothing plays: its name in the graph is another one.
static void warn_of_clips(const subject *subject) {
    for (uint32_t i = 0; i < subject->clip_aliases.count && subject->json != NULL; i++) {
        const char *value = subject->clip_aliases.values[i], *clip = strchr(value, '=') + 1;
        if (!plays_clip(subject->def, clip)) {
            terminal_error("limber: --clip %s: warning: nothing in the graph plays '%s'\n", value, clip);
        }
    }
}

void subject_warn(const subject *subject) {
    warn_of_clips(subject);
    const uint32_t count = subject->json == NULL ? 0 : lmb_graph_json_warning_count(subject->json);
    for (uint32_t i = 0; i < count; i++) {
        const lmb_graph_problem *warning = lmb_graph_json_warning_at(subject->json, i);
        terminal_error("limber: %s: line %u, column %u: warning: %s%s%s\n",
                       warning->file[0] != '\0'        ? warning->file
                       : i < subject->machine_warnings ? subject->machine_name
                                                       : subject->text_name,
                       warning->line, warning->column, warning->path, warning->path[0] == '\0' ? "" : ": ",
                       warning->message);
    }
}

int subject_command(subject *subject, const usage *usage, int argc, char **argv, subject_body *body) {
    lmb_error error = {0};
    int status = subject_read(subject, usage, argc, argv);
    if (status == COMMAND_LINE_GOOD) {
        const bool failed = subject_open(subject, &error) || body(subject, &error);
        status = command_end(subject->place, failed ? error.result : LMB_OK, &error);
    }
    subject_close(subject);
    return status;
}

void subject_close(subject *subject) {
    lmb_graph_json_destroy(subject->json);
    free(subject->machine_text);
    lmb_graph_aliases_destroy(subject->aliases);
    character_file_close(&subject->character);
    free(subject->poses.values);
    for (uint32_t i = 0; subject->others != NULL && i < subject->characters.count; i++) {
        character_file_close(&subject->others[i]);
    }
    free(subject->characters.values);
    free(subject->clip_aliases.values);
    free(subject->folder.text);
    free(subject->splits.values);
    lmb_arena_release(&subject->pool);
}
