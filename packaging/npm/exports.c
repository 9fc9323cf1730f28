// The functions of limber.wasm, which index.js calls. Objects are addresses. A function that can fail returns NULL or
// false, and error_text() says why. Structs and pairs of values are returned in `answer`, a few words that index.js
// reads before its next call. Indices that do not exist give what the getters of the library give for them.
#include "threads.h"

#include <emscripten.h>
#include <limber/cpu.h>
#include <limber/explain.h>
#include <limber/graph_json.h>
#include <limber/import.h>
#include <limber/pack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT EMSCRIPTEN_KEEPALIVE
#pragma clang diagnostic ignored "-Wmissing-prototypes" // nothing in C calls them

// A file: a pack, or what the importer reads.
typedef struct file {
    void *bytes; // of a pack, which stays in use
    lmb_pack *pack;
    lmb_import *import;
    lmb_pack_def content; // an import has no graphs
} file;

// What a thread has of its own to run a part of a batch.
typedef struct part {
    lmb_cpu *cpu;
    uint32_t refused[LMB_REFUSAL_COUNT];
    lmb_result result;
    lmb_error error;
} part;

// Characters that run one graph, with all memory that this needs.
typedef struct batch {
    const lmb_graph *graph;
    part *parts; // one for each thread
    uint32_t part_count;
    lmb_batch_def def;
    lmb_batch_inputs inputs;
    lmb_batch_outputs outputs;
    lmb_control_frame frame;
    uint32_t refused[LMB_REFUSAL_COUNT];
    uint32_t state_words, inertia_words, reached_count, emitted_words;
    float *parameters, *points, *transforms, *poses[LMB_MAX_POSES];
    lmb_event *events; // those of the next step, followed by as much room for sorting
    uint32_t event_count, event_room;
    uint64_t *hashes; // a character each
} batch;

// Arrays of a batch beside its outputs, which come first: lmb_output. index.js has the same numbers.
enum {
    MEMORY_PARAMETERS = LMB_OUTPUT_COUNT,
    MEMORY_STATES,
    MEMORY_INERTIA,
    MEMORY_MOTIONS,
    MEMORY_POINTS,
    MEMORY_TRANSFORMS,
    MEMORY_REACHED,
    MEMORY_EMITTED,
    MEMORY_POSES,
};

// What file_count(), file_name(), graph_count() and graph_name() count and name.
enum { OF_JOINTS, OF_CLIPS, OF_GRAPHS, OF_MESHES, OF_IMAGES, OF_SOCKETS, OF_CHANNELS, OF_NOTES };
enum { OF_PARAMETERS, OF_EVENTS, OF_MACHINES, OF_PLAYERS, OF_GRAPH_JOINTS };

_Static_assert(LMB_OUTPUT_COUNT == 8 && LMB_OUTPUT_PALETTE == 2 && LMB_REFUSAL_COUNT == 6, "numbers in index.js");
_Static_assert(sizeof(lmb_vertex) == 96, "VERTEX_FLOATS in index.js");
_Static_assert(offsetof(lmb_matching_report, played) == 48 && offsetof(lmb_matching_report, found) == 136 &&
                   offsetof(lmb_matching_report, seconds) == 224 && LMB_MATCHING_RECENT == 4,
               "words of matching() in index.js");
_Static_assert(offsetof(lmb_transition_report, needs_end) == 12 && offsetof(lmb_transition_report, is_at_end) == 13 &&
                   offsetof(lmb_transition_report, condition_holds) == 24 &&
                   offsetof(lmb_transition_report, applies) == 25 && offsetof(lmb_transition_report, terms) == 32 &&
                   sizeof(lmb_transition_report) == 32 + LMB_MAX_TERMS * sizeof(lmb_term_report) && LMB_MAX_TERMS == 16,
               "words of explain() in index.js");
_Static_assert(offsetof(lmb_term_report, left_parameter) == 12 && offsetof(lmb_term_report, operand) == 24 &&
                   offsetof(lmb_term_report, holds) == 36 && sizeof(lmb_term_report) == 40 && LMB_TERM_EQUAL == 4,
               "words of explain() in index.js");

static lmb_error error;
static lmb_graph_problems problems; // of the last text that was read; after success its warnings
static lmb_graph_json *text_read;   // after graph_of_text(), until text_end()
static union {
    uint32_t words[40];
    float floats[40];
    double doubles[20];
} answer;

static bool fail(lmb_result result, const char *message) {
    error.result = result;
    snprintf(error.message, sizeof error.message, "%s", message);
    return false;
}

static void *zeroed(size_t count, size_t size, bool *failed) {
    void *memory = calloc(count > 0 ? count : 1, size);
    *failed = *failed || memory == NULL;
    return memory;
}

static void *answer_hash(uint64_t hash) {
    answer.words[0] = (uint32_t)hash;
    answer.words[1] = (uint32_t)(hash >> 32);
    return &answer;
}

EXPORT const char *error_text(void) {
    return error.message;
}

EXPORT const char *error_name(void) {
    return lmb_result_name(error.result);
}

EXPORT const char *path_name(uint32_t path) {
    return path < LMB_CPU_PATH_COUNT && lmb_cpu_has((lmb_cpu_path)path) ? lmb_cpu_path_name((lmb_cpu_path)path) : "";
}

EXPORT const char *output_name(uint32_t output) {
    return output < LMB_OUTPUT_COUNT ? lmb_output_name((lmb_output)output) : "";
}

EXPORT const char *kind_name(uint32_t kind) {
    return kind < LMB_TERM_COUNT ? lmb_term_kind_name((lmb_term_kind)kind) : "";
}

EXPORT const char *operand_name(uint32_t operand) {
    return operand < LMB_OPERAND_COUNT ? lmb_operand_name((lmb_operand)operand) : "";
}

EXPORT void *hash_words(const uint32_t *words, size_t count) {
    return answer_hash(lmb_hash_words(words, count));
}

// ---- Characters.

EXPORT void file_close(file *f) {
    lmb_pack_close(f->pack);
    lmb_import_destroy(f->import);
    free(f->bytes);
    free(f);
}

// Takes the bytes, which malloc() returned, also if it fails.
EXPORT file *file_open(void *bytes, size_t size, const char *name) {
    bool failed = false;
    file *f = zeroed(1, sizeof *f, &failed);
    if (failed) {
        free(bytes);
        fail(LMB_ERROR_MEMORY, "no memory");
        return NULL;
    }
    f->bytes = bytes;
    if (lmb_pack_is_pack(bytes, size)) {
        failed = lmb_pack_open(bytes, size, NULL, &f->pack, &error) != LMB_OK;
    } else {
        failed = lmb_import_memory(bytes, size, name, NULL, NULL, &f->import, &error) != LMB_OK;
        free(f->bytes);
        f->bytes = NULL;
    }
    if (failed) {
        file_close(f);
        return NULL;
    }
    f->content = f->pack != NULL ? *lmb_pack_get_def(f->pack) : lmb_import_pack_def(f->import);
    return f;
}

EXPORT uint32_t file_count(const file *f, uint32_t of) {
    switch (of) {
    case OF_JOINTS:
        return lmb_rig_get_def(f->content.rig)->joint_count;
    case OF_CLIPS:
        return f->content.clip_count;
    case OF_GRAPHS:
        return f->content.graph_count;
    case OF_MESHES:
        return f->content.mesh_count;
    case OF_IMAGES:
        return f->content.image_count;
    case OF_SOCKETS:
        return lmb_rig_get_def(f->content.rig)->socket_count;
    case OF_CHANNELS:
        return lmb_rig_get_def(f->content.rig)->channel_count;
    case OF_NOTES:
        return f->import != NULL ? lmb_import_get_content(f->import)->note_count : 0;
    default:
        return 0;
    }
}

EXPORT const char *file_name(const file *f, uint32_t of, uint32_t index) {
    if (index >= file_count(f, of)) {
        return "";
    }
    switch (of) {
    case OF_JOINTS:
        return lmb_rig_get_def(f->content.rig)->joints[index].name;
    case OF_CLIPS:
        return lmb_clip_get_info(f->content.clips[index])->name;
    case OF_GRAPHS:
        return f->content.graphs[index].name;
    case OF_MESHES:
        return f->content.meshes[index].name;
    case OF_IMAGES:
        return f->content.images[index].name;
    case OF_SOCKETS:
        return lmb_rig_get_def(f->content.rig)->sockets[index].name;
    case OF_CHANNELS:
        return lmb_rig_get_def(f->content.rig)->channels[index].name;
    default:
        return lmb_import_get_content(f->import)->notes[index];
    }
}

EXPORT uint32_t file_joint_parent(const file *f, uint32_t joint) {
    const lmb_rig_def *rig = lmb_rig_get_def(f->content.rig);
    return joint < rig->joint_count ? rig->joints[joint].parent : LMB_NONE;
}

EXPORT double file_clip_duration(const file *f, uint32_t clip) {
    return clip < f->content.clip_count ? (double)lmb_clip_get_info(f->content.clips[clip])->duration : 0.0;
}

EXPORT void *file_mesh(const file *f, uint32_t index) {
    if (index >= f->content.mesh_count) {
        return NULL;
    }
    const lmb_mesh *mesh = &f->content.meshes[index];
    const uintptr_t words[] = {(uintptr_t)mesh->vertices,
                               mesh->vertex_count,
                               (uintptr_t)mesh->indices,
                               mesh->index_count,
                               (uintptr_t)mesh->tangents,
                               (uintptr_t)mesh->colors,
                               (uintptr_t)mesh->material,
                               mesh->influence_count,
                               mesh->double_sided,
                               mesh->image,
                               mesh->metallic_roughness_image,
                               mesh->normal_image};
    enum { WORDS = sizeof words / sizeof words[0] };
    const float floats[] = {mesh->base_color[0], mesh->base_color[1], mesh->base_color[2], mesh->base_color[3],
                            mesh->metallic,      mesh->roughness,     mesh->normal_scale};
    for (uint32_t i = 0; i < WORDS; i++) {
        answer.words[i] = (uint32_t)words[i];
    }
    memcpy(answer.floats + WORDS, floats, sizeof floats);
    return &answer;
}

EXPORT void *file_image(const file *f, uint32_t index) {
    if (index >= f->content.image_count) {
        return NULL;
    }
    const lmb_image *image = &f->content.images[index];
    answer.words[0] = (uint32_t)(uintptr_t)image->bytes;
    answer.words[1] = (uint32_t)image->size;
    return &answer;
}

// ---- Graphs.

EXPORT lmb_graph *graph_of_pack(const file *f, uint32_t index) {
    lmb_graph *graph = NULL;
    problems.count = 0;
    if (index >= f->content.graph_count) {
        fail(LMB_ERROR_ARGUMENT, "there is no such graph in the file");
    } else {
        (void)lmb_graph_create(f->content.graphs[index].def, NULL, &graph, &error);
    }
    return graph;
}

// Writes the JSON schema of graphs, at most `size` bytes with a zero, and returns its length without.
EXPORT size_t graph_schema(char *text, size_t size) {
    return lmb_graph_json_schema(text, size);
}

// Calls readFile() of createGraph(). Returns the text in memory of malloc() and stores its size, or returns NULL.
__attribute__((import_module("limber"), import_name("read_file"))) char *page_read_file(const char *path, size_t *size);

// `user` keeps the text until the next call.
static lmb_result read_included(void *user, const char *path, const char **text, size_t *size, lmb_error *refusal) {
    char **kept = user;
    free(*kept);
    *text = *kept = page_read_file(path, size);
    if (*text == NULL) {
        snprintf(refusal->message, sizeof refusal->message, "readFile() returns no such file");
        return refusal->result = LMB_ERROR_FILE;
    }
    return LMB_OK;
}

// Keeps the warnings where index.js reads problems.
static void keep_warnings(const lmb_graph_json *json) {
    problems.count = lmb_graph_json_warning_count(json);
    for (uint32_t i = 0; i < problems.count && i < LMB_MAX_GRAPH_PROBLEMS; i++) {
        problems.list[i] = *lmb_graph_json_warning_at(json, i);
    }
}

EXPORT void text_end(void) {
    lmb_graph_json_destroy(text_read);
    text_read = NULL;
}

// Another character that a text names: two words of index.js.
typedef struct named_file {
    const char *name;
    const file *f;
} named_file;

// Returns the characters of a source in memory of malloc(), or NULL without memory.
static lmb_graph_character *characters_of(const named_file *named, uint32_t count) {
    bool failed = false;
    lmb_graph_character *characters = zeroed(count, sizeof *characters, &failed);
    for (uint32_t i = 0; i < count && !failed; i++) {
        const file *f = named[i].f;
        characters[i] = (lmb_graph_character){named[i].name, f->content.rig, f->content.clips, f->content.clip_count};
    }
    return characters;
}

// Reads aliases for a source, which must be destroyed after it. Without a text there are none.
static lmb_result read_aliases(const char *text, size_t size, lmb_graph_source *source, lmb_graph_aliases **aliases) {
    *aliases = NULL;
    const lmb_result result = text != NULL ? lmb_graph_aliases_read(text, size, NULL, NULL, aliases, &error) : LMB_OK;
    if (*aliases != NULL) {
        lmb_graph_aliases_use(*aliases, source);
    }
    return result;
}

// Reads a graph. Its messages begin with `name`, or "graph" if that is NULL. `aliases` may be NULL. Returns NULL if it
// fails.
static lmb_graph_json *read_graph(const file *f, const char *name, const char *text, size_t size, const char *aliases,
                                  size_t aliases_size, const named_file *named, uint32_t named_count,
                                  bool reads_files) {
    problems.count = 0;
    lmb_graph_character *characters = characters_of(named, named_count);
    if (characters == NULL) {
        fail(LMB_ERROR_MEMORY, "no memory");
        return NULL;
    }
    lmb_graph_source source = {.text = text,
                               .size = size,
                               .name = name,
                               .rig = f->content.rig,
                               .clips = f->content.clips,
                               .clip_count = f->content.clip_count,
                               .characters = characters,
                               .character_count = named_count};
    lmb_graph_aliases *names;
    char *included = NULL;
    lmb_graph_json *graph = NULL;
    if (reads_files) {
        source.read_file = read_included;
        source.read_file_user = &included;
    }
    if (read_aliases(aliases, aliases_size, &source, &names) == LMB_OK) {
        (void)lmb_graph_json_read(&source, NULL, &graph, &problems, &error);
    }
    free(included);
    free(characters);
    lmb_graph_aliases_destroy(names);
    return graph;
}

// Until text_end() there are the places of the graph's text.
EXPORT lmb_graph *graph_of_text(const file *f, const char *text, size_t size, const char *aliases, size_t aliases_size,
                                const named_file *named, uint32_t named_count, bool reads_files) {
    lmb_graph *graph = NULL;
    text_read = read_graph(f, NULL, text, size, aliases, aliases_size, named, named_count, reads_files);
    if (text_read != NULL) {
        keep_warnings(text_read);
        (void)lmb_graph_create(lmb_graph_json_def(text_read), NULL, &graph, &error);
    }
    return graph;
}

// Returns the JSON of a machine's text, terminated, in memory of malloc(); or NULL.
EXPORT char *machine_json(const file *f, const char *text, size_t size, const char *aliases, size_t aliases_size) {
    lmb_graph_source source = {.text = text,
                               .size = size,
                               .name = "machine",
                               .rig = f->content.rig,
                               .clips = f->content.clips,
                               .clip_count = f->content.clip_count};
    lmb_graph_aliases *names;
    char *json = NULL;
    size_t written = 0;
    problems.count = 0;
    lmb_result result = read_aliases(aliases, aliases_size, &source, &names);
    if (result == LMB_OK) {
        result = lmb_machine_json_write(&source, NULL, NULL, 0, &written, &problems, &error);
    }
    if (result == LMB_OK && (json = calloc(written + 1, 1)) == NULL) {
        fail(LMB_ERROR_MEMORY, "no memory");
    } else if (result == LMB_OK &&
               lmb_machine_json_write(&source, NULL, json, written, &written, NULL, &error) != LMB_OK) {
        free(json);
        json = NULL;
    }
    lmb_graph_aliases_destroy(names);
    return json;
}

EXPORT void graph_destroy(lmb_graph *graph) {
    lmb_graph_destroy(graph);
}

EXPORT uint32_t problem_count(void) {
    return problems.count < LMB_MAX_GRAPH_PROBLEMS ? problems.count : LMB_MAX_GRAPH_PROBLEMS;
}

EXPORT void *problem_at(uint32_t index) {
    const lmb_graph_problem *problem = &problems.list[index];
    answer.words[0] = problem->line;
    answer.words[1] = problem->column;
    answer.words[2] = (uint32_t)(uintptr_t)problem->path;
    answer.words[3] = (uint32_t)(uintptr_t)problem->message;
    answer.words[4] = (uint32_t)(uintptr_t)problem->file;
    return &answer;
}

EXPORT uint32_t graph_count(const lmb_graph *graph, uint32_t of) {
    switch (of) {
    case OF_PARAMETERS:
        return lmb_graph_get_info(graph)->parameter_count;
    case OF_EVENTS:
        return lmb_graph_get_info(graph)->event_count;
    case OF_MACHINES:
        return lmb_graph_get_info(graph)->machine_count;
    case OF_PLAYERS:
        return lmb_graph_get_info(graph)->player_count;
    case OF_GRAPH_JOINTS:
        return lmb_graph_get_info(graph)->joint_count;
    default:
        return 0;
    }
}

EXPORT const char *graph_name(const lmb_graph *graph, uint32_t of, uint32_t index) {
    switch (of) {
    case OF_PARAMETERS:
        return lmb_graph_parameter_at(graph, index).name;
    case OF_EVENTS:
        return lmb_graph_event_name(graph, index);
    case OF_MACHINES:
        return lmb_graph_machine_at(graph, index).name;
    default:
        return lmb_graph_player_at(graph, index).name;
    }
}

// Returns the fade of a machine, or LMB_NONE.
static uint32_t fade_of(const lmb_graph *graph, uint32_t machine) {
    uint32_t fade = 0;
    while (fade < lmb_graph_get_info(graph)->fade_count && lmb_graph_fade_machine(graph, fade) != machine) {
        fade++;
    }
    return fade < lmb_graph_get_info(graph)->fade_count ? fade : LMB_NONE;
}

EXPORT bool graph_is_fade(const lmb_graph *graph, uint32_t machine) {
    return fade_of(graph, machine) != LMB_NONE;
}

// Returns the node of the text from which a player or a machine is, or LMB_NONE. A fade is from the pose that it fades.
static uint32_t node_of(const lmb_graph *graph, uint32_t of, uint32_t index) {
    const lmb_graph_def *def = lmb_graph_json_def(text_read);
    const uint32_t fade = of == OF_MACHINES ? fade_of(graph, index) : LMB_NONE;
    if (fade != LMB_NONE) {
        return def->fades[fade].pose;
    }
    for (uint32_t node = 0; node < def->node_count; node++) {
        if (index == (of == OF_MACHINES ? lmb_graph_node_machine(graph, node) : lmb_graph_node_player(graph, node))) {
            return node;
        }
    }
    return LMB_NONE;
}

// Returns the path and the file of the pose of a player or a machine in the last text; NULL if there is none.
EXPORT void *graph_place(const lmb_graph *graph, uint32_t of, uint32_t index) {
    const uint32_t node = text_read != NULL ? node_of(graph, of, index) : LMB_NONE;
    if (node == LMB_NONE) {
        return NULL;
    }
    const lmb_graph_place place = lmb_graph_json_place(text_read, node);
    answer.words[0] = (uint32_t)(uintptr_t)place.path;
    answer.words[1] = (uint32_t)(uintptr_t)place.file;
    return &answer;
}

EXPORT void *graph_parameter(const lmb_graph *graph, uint32_t index) {
    const lmb_graph_parameter parameter = lmb_graph_parameter_at(graph, index);
    answer.floats[0] = parameter.initial;
    answer.floats[1] = parameter.min;
    answer.floats[2] = parameter.max;
    answer.words[3] = parameter.is_written;
    return &answer;
}

EXPORT double graph_player_duration(const lmb_graph *graph, uint32_t player) {
    return (double)lmb_graph_player_at(graph, player).duration;
}

EXPORT uint32_t graph_state_count(const lmb_graph *graph, uint32_t machine) {
    return lmb_graph_machine_at(graph, machine).state_count;
}

EXPORT const char *graph_state_name(const lmb_graph *graph, uint32_t machine, uint32_t state) {
    return lmb_graph_state_name(graph, machine, state);
}

EXPORT void *graph_fingerprint(const lmb_graph *graph) {
    return answer_hash(lmb_graph_fingerprint(graph));
}

// ---- Packs.

// A graph that is added to those of a file, or replaces the one of its name.
typedef struct added_graph {
    char *name;
    lmb_graph_json *json;
} added_graph;

// A pack that is being written.
typedef struct packing {
    const file *f;
    added_graph *added;
    uint32_t added_count;
    void *bytes;
} packing;

EXPORT packing *pack_begin(const file *f) {
    bool failed = false;
    packing *p = zeroed(1, sizeof *p, &failed);
    if (failed) {
        fail(LMB_ERROR_MEMORY, "no memory");
        return NULL;
    }
    p->f = f;
    return p;
}

EXPORT void pack_end(packing *p) {
    for (uint32_t i = 0; i < p->added_count; i++) {
        lmb_graph_json_destroy(p->added[i].json);
        free(p->added[i].name);
    }
    free(p->added);
    free(p->bytes);
    free(p);
}

// The rest is as for graph_of_text(). The other characters must exist until pack_end().
EXPORT bool pack_add(packing *p, const char *name, const char *text, size_t size, const char *aliases,
                     size_t aliases_size, const named_file *named, uint32_t named_count, bool reads_files) {
    bool failed = false;
    added_graph *more = realloc(p->added, (p->added_count + (size_t)1) * sizeof *more);
    char *copy = zeroed(strlen(name) + 1, 1, &failed);
    p->added = more != NULL ? more : p->added;
    problems.count = 0;
    if (failed || more == NULL) {
        free(copy);
        return fail(LMB_ERROR_MEMORY, "no memory");
    }
    memcpy(copy, name, strlen(name));
    lmb_graph_json *json = read_graph(p->f, copy, text, size, aliases, aliases_size, named, named_count, reads_files);
    p->added[p->added_count++] = (added_graph){copy, json};
    return json != NULL;
}

// Returns the number of graphs of the file and of those that are added, and stores them.
static uint32_t list_graphs(const packing *p, lmb_pack_graph *graphs) {
    const uint32_t stored = file_count(p->f, OF_GRAPHS);
    uint32_t count = stored;
    for (uint32_t i = 0; i < stored; i++) {
        graphs[i] = p->f->content.graphs[i];
    }
    for (uint32_t i = 0; i < p->added_count; i++) {
        uint32_t at = 0;
        while (at < stored && strcmp(graphs[at].name, p->added[i].name) != 0) {
            at++;
        }
        at = at < stored ? at : count++;
        graphs[at] = (lmb_pack_graph){p->added[i].name, lmb_graph_json_def(p->added[i].json)};
    }
    return count;
}

// Returns where the bytes are until pack_end(), and their number; or NULL.
EXPORT void *pack_write(packing *p) {
    const file *f = p->f;
    bool failed = false;
    lmb_pack_def def = f->content;
    lmb_pack_graph *graphs = zeroed((size_t)file_count(f, OF_GRAPHS) + p->added_count, sizeof *graphs, &failed);
    if (failed) {
        fail(LMB_ERROR_MEMORY, "no memory");
        return NULL;
    }
    def.graphs = graphs;
    def.graph_count = list_graphs(p, graphs);
    size_t size = 0;
    failed = lmb_pack_write(&def, NULL, NULL, 0, &size, &error) != LMB_OK;
    p->bytes = failed ? NULL : malloc(size);
    if (p->bytes != NULL) {
        failed = lmb_pack_write(&def, NULL, p->bytes, size, &size, &error) != LMB_OK;
    } else if (!failed) {
        failed = true;
        fail(LMB_ERROR_MEMORY, "no memory for the pack");
    }
    free(graphs);
    answer.words[0] = (uint32_t)(uintptr_t)p->bytes;
    answer.words[1] = (uint32_t)size;
    return failed ? NULL : &answer;
}

// ---- Batches.

EXPORT void batch_destroy(batch *b) {
    for (uint32_t i = 0; i < b->part_count; i++) {
        lmb_cpu_destroy(b->parts[i].cpu);
    }
    for (int i = 0; i < LMB_OUTPUT_COUNT; i++) {
        free(b->outputs.buffers[i]);
    }
    for (uint32_t i = 0; i < LMB_MAX_POSES; i++) {
        free(b->poses[i]);
    }
    free(b->outputs.inertia);
    free(b->outputs.reached);
    free(b->frame.state);
    free(b->frame.emitted);
    free(b->frame.motions);
    free(b->parts);
    free(b->parameters);
    free(b->points);
    free(b->transforms);
    free(b->events);
    free(b->hashes);
    free(b);
}

// Allocates what each character has, with initial parameters and world transforms at the origin.
static bool allocate(batch *b) {
    const size_t count = b->def.character_count;
    const uint32_t parameter_count = lmb_graph_get_info(b->graph)->parameter_count;
    bool failed = false;
    b->parameters = zeroed(count * parameter_count, sizeof(float), &failed);
    b->points = zeroed(count * lmb_graph_get_info(b->graph)->point_count * 4, sizeof(float), &failed);
    b->transforms = zeroed(count * LMB_MATRIX_COMPONENTS, sizeof(float), &failed);
    b->frame.state = zeroed(count * b->state_words, sizeof(uint32_t), &failed);
    b->frame.emitted = zeroed(count * b->emitted_words, sizeof(uint32_t), &failed);
    b->frame.motions = zeroed(count * lmb_graph_get_info(b->graph)->motion_floats, sizeof(float), &failed);
    b->outputs.inertia = zeroed(count * b->inertia_words, sizeof(uint32_t), &failed);
    b->outputs.reached = zeroed(count * b->reached_count, sizeof(uint32_t), &failed);
    b->hashes = zeroed(count, sizeof *b->hashes, &failed);
    for (int i = 0; i < LMB_OUTPUT_COUNT; i++) {
        if ((b->def.outputs >> i & 1) != 0) {
            b->outputs.buffers[i] =
                zeroed(count * lmb_batch_output_floats(&b->def, (lmb_output)i), sizeof(float), &failed);
        }
    }
    for (uint32_t i = 0; i < lmb_graph_get_info(b->graph)->pose_count; i++) {
        b->poses[i] = zeroed(count * lmb_graph_pose_floats(b->graph, i), sizeof(float), &failed);
        b->inputs.poses[i] = b->poses[i];
    }
    for (size_t i = 0; i < count && !failed; i++) {
        lmb_graph_defaults(b->graph, b->parameters + i * parameter_count);
        for (uint32_t row = 0; row < 3; row++) {
            b->transforms[i * LMB_MATRIX_COMPONENTS + row * 5] = 1.0f;
        }
    }
    return !failed || fail(LMB_ERROR_MEMORY, "no memory for the batch");
}

// Creates what each thread has of its own.
static bool create_parts(batch *b, lmb_cpu_path path) {
    bool failed = false;
    b->parts = zeroed(threads_count(), sizeof *b->parts, &failed);
    if (failed) {
        return fail(LMB_ERROR_MEMORY, "no memory for the batch");
    }
    for (uint32_t i = 0; i < threads_count() && !failed; i++, b->part_count++) {
        failed = lmb_cpu_create(b->graph, path, NULL, &b->parts[i].cpu, &error) != LMB_OK;
    }
    return !failed;
}

// With `own_transforms`, steps write the world transforms, from the character motion.
EXPORT batch *batch_create(const lmb_graph *graph, uint32_t count, uint32_t path, uint32_t outputs,
                           bool own_transforms) {
    bool failed = false;
    const lmb_batch_def def = {.graph = graph, .character_count = count, .outputs = outputs};
    if (lmb_batch_check(&def, &error) != LMB_OK) {
        return NULL;
    }
    if (own_transforms && !lmb_graph_get_info(graph)->has_motion) {
        fail(LMB_ERROR_ARGUMENT, "the graph moves no character, so it has no transforms of its own");
        return NULL;
    }
    batch *b = zeroed(1, sizeof *b, &failed);
    if (failed) {
        fail(LMB_ERROR_MEMORY, "no memory");
        return NULL;
    }
    b->graph = graph;
    b->def = def;
    b->state_words = lmb_graph_get_info(graph)->state_words;
    b->emitted_words = lmb_graph_get_info(graph)->emitted_words;
    b->inertia_words = lmb_graph_get_info(graph)->inertia_words;
    b->reached_count = lmb_graph_get_info(graph)->reached_count;
    if (!allocate(b) || !create_parts(b, (lmb_cpu_path)path)) {
        batch_destroy(b);
        return NULL;
    }
    b->frame.character_count = count;
    b->frame.parameters = b->parameters;
    b->frame.reached = b->outputs.reached;
    b->inputs.parameters = b->parameters;
    b->inputs.control = b->state_words > 0 ? &b->frame : NULL;
    b->inputs.points = b->points;
    b->inputs.transforms = own_transforms ? NULL : b->transforms;
    b->frame.matrices = own_transforms ? b->transforms : NULL;
    b->inputs.previous_palette = b->outputs.buffers[LMB_OUTPUT_PALETTE];
    return b;
}

EXPORT uint32_t batch_path(const batch *b) {
    return lmb_cpu_path_of(b->parts[0].cpu);
}

EXPORT void *batch_memory(batch *b, uint32_t which) {
    if (which < LMB_OUTPUT_COUNT) {
        return b->outputs.buffers[which];
    }
    switch (which) {
    case MEMORY_PARAMETERS:
        return b->parameters;
    case MEMORY_STATES:
        return b->frame.state;
    case MEMORY_INERTIA:
        return b->outputs.inertia;
    case MEMORY_MOTIONS:
        return b->frame.motions;
    case MEMORY_POINTS:
        return b->points;
    case MEMORY_TRANSFORMS:
        return b->transforms;
    case MEMORY_REACHED:
        return b->outputs.reached;
    case MEMORY_EMITTED:
        return b->frame.emitted;
    default:
        return which - MEMORY_POSES < LMB_MAX_POSES ? b->poses[which - MEMORY_POSES] : NULL;
    }
}

// Returns the words that a character has there.
EXPORT uint32_t batch_words(const batch *b, uint32_t which) {
    if (which < LMB_OUTPUT_COUNT) {
        return b->outputs.buffers[which] != NULL ? lmb_batch_output_floats(&b->def, (lmb_output)which) : 0;
    }
    switch (which) {
    case MEMORY_PARAMETERS:
        return lmb_graph_get_info(b->graph)->parameter_count;
    case MEMORY_STATES:
        return b->state_words;
    case MEMORY_INERTIA:
        return b->inertia_words;
    case MEMORY_MOTIONS:
        return lmb_graph_get_info(b->graph)->motion_floats;
    case MEMORY_POINTS:
        return lmb_graph_get_info(b->graph)->point_count * 4;
    case MEMORY_TRANSFORMS:
        return LMB_MATRIX_COMPONENTS;
    case MEMORY_REACHED:
        return b->reached_count;
    case MEMORY_EMITTED:
        return b->emitted_words;
    default:
        return which - MEMORY_POSES < lmb_graph_get_info(b->graph)->pose_count
                   ? lmb_graph_pose_floats(b->graph, which - MEMORY_POSES)
                   : 0;
    }
}

EXPORT uint32_t *batch_refused(batch *b) {
    return b->refused;
}

EXPORT bool batch_send(batch *b, uint32_t character, uint32_t event) {
    if (character >= b->def.character_count || event >= lmb_graph_get_info(b->graph)->event_count) {
        return fail(LMB_ERROR_ARGUMENT, "there is no such character or event");
    }
    if (b->event_count == b->event_room) {
        const uint32_t room = b->event_room > 0 ? 2 * b->event_room : 64;
        lmb_event *events = realloc(b->events, 2 * (size_t)room * sizeof *events);
        if (events == NULL) {
            return fail(LMB_ERROR_MEMORY, "no memory for events");
        }
        b->events = events;
        b->event_room = room;
    }
    b->events[b->event_count++] = (lmb_event){character, event};
    return true;
}

// Runs characters [first, first + count) in a thread.
static void run_part(void *user, uint32_t thread, uint32_t first, uint32_t count) {
    batch *b = user;
    part *own = &b->parts[thread];
    uint32_t refused[LMB_REFUSAL_COUNT] = {0};
    lmb_batch_outputs outputs = b->outputs;
    outputs.refused = refused;
    const lmb_result result = lmb_cpu_run_range(own->cpu, &b->def, &b->inputs, &outputs, first, count, &own->error);
    own->result = own->result == LMB_OK ? result : own->result;
    for (int kind = 0; kind < LMB_REFUSAL_COUNT; kind++) {
        own->refused[kind] += refused[kind];
    }
}

// Runs all characters by all threads.
static bool run_parts(batch *b) {
    for (uint32_t i = 0; i < b->part_count; i++) {
        b->parts[i].result = LMB_OK;
        memset(b->parts[i].refused, 0, sizeof b->parts[i].refused);
    }
    memset(b->refused, 0, sizeof b->refused);
    if (!threads_run(run_part, b, b->def.character_count)) {
        return fail(LMB_ERROR_STATE, "a thread has ended in the step, so a part of it is missing");
    }
    for (uint32_t i = 0; i < b->part_count; i++) {
        if (b->parts[i].result != LMB_OK) {
            error = b->parts[i].error;
            return false;
        }
        for (int kind = 0; kind < LMB_REFUSAL_COUNT; kind++) {
            b->refused[kind] += b->parts[i].refused[kind];
        }
    }
    return true;
}

EXPORT bool batch_step(batch *b, double seconds) {
    if (b->event_count > 0) {
        lmb_events_sort(b->events, b->events + b->event_room, b->event_count);
    }
    b->frame.step = lmb_ticks_from_seconds(seconds);
    b->frame.events = b->events;
    b->frame.event_count = b->event_count;
    const bool ran = run_parts(b);
    b->event_count = 0;
    b->frame.number += ran;
    return ran;
}

EXPORT uint32_t batch_emitted_count(const batch *b, uint32_t character) {
    return b->state_words == 0 || character >= b->def.character_count
               ? 0
               : lmb_emitted_count(b->graph, b->frame.emitted + (size_t)character * b->emitted_words);
}

EXPORT void *batch_emitted(const batch *b, uint32_t character, uint32_t index) {
    if (index >= batch_emitted_count(b, character)) {
        return NULL;
    }
    const lmb_emitted_event emitted =
        lmb_emitted_event_at(b->frame.emitted + (size_t)character * b->emitted_words, index);
    static char name[256];
    lmb_graph_emitter_name(b->graph, &emitted, name, sizeof name);
    answer.words[0] = emitted.event;
    answer.floats[1] = emitted.weight;
    answer.words[2] = (uint32_t)emitted.passes;
    answer.words[3] = (uint32_t)(uintptr_t)name;
    answer.doubles[2] = (double)emitted.ticks / (double)LMB_TICKS_PER_SECOND;
    return &answer;
}

// Returns a character's state, or NULL.
static uint32_t *state_of(const batch *b, uint32_t character) {
    return b->state_words == 0 || character >= b->def.character_count
               ? NULL
               : b->frame.state + (size_t)character * b->state_words;
}

EXPORT uint32_t batch_current_state(const batch *b, uint32_t character, uint32_t machine) {
    const uint32_t *state = state_of(b, character);
    return state == NULL ? LMB_NONE : lmb_state_current(b->graph, state, machine);
}

EXPORT double batch_state_weight(const batch *b, uint32_t character, uint32_t machine, uint32_t index) {
    const uint32_t *state = state_of(b, character);
    return state == NULL ? 0.0 : (double)lmb_state_weight(b->graph, state, machine, index);
}

EXPORT double batch_player_weight(const batch *b, uint32_t character, uint32_t player) {
    const uint32_t *state = state_of(b, character);
    return state == NULL ? 0.0 : (double)lmb_state_player(b->graph, state, player).weight;
}

EXPORT double batch_player_time(const batch *b, uint32_t character, uint32_t player) {
    const uint32_t *state = state_of(b, character);
    return state == NULL ? 0.0 : (double)lmb_state_player(b->graph, state, player).ticks / (double)LMB_TICKS_PER_SECOND;
}

static const float *parameters_of(const batch *b, uint32_t character) {
    return b->parameters + (size_t)character * lmb_graph_get_info(b->graph)->parameter_count;
}

// Returns how many transitions leave the current state of a machine, and where the words of their reports are.
EXPORT void *batch_explain(const batch *b, uint32_t character, uint32_t machine) {
    static lmb_transition_report reports[LMB_MAX_TRANSITIONS];
    const uint32_t *state = state_of(b, character);
    answer.words[0] = state == NULL ? 0
                                    : lmb_state_explain(b->graph, state, parameters_of(b, character), machine, reports,
                                                        LMB_MAX_TRANSITIONS);
    answer.words[1] = (uint32_t)(uintptr_t)reports;
    return &answer;
}

// Returns the words of a lmb_matching_report, or NULL if the machine plays no take.
EXPORT void *batch_matching(const batch *b, uint32_t character, uint32_t machine) {
    static lmb_matching_report report;
    const uint32_t *state = state_of(b, character);
    const bool matches =
        state != NULL && lmb_state_explain_matching(b->graph, state, parameters_of(b, character), machine, &report);
    return matches ? &report : NULL;
}

static lmb_character_words all_words(const batch *b) {
    return (lmb_character_words){.states = b->frame.state,
                                 .inertia = b->outputs.inertia,
                                 .reached = b->outputs.reached,
                                 .row_count = b->def.character_count,
                                 .count = b->def.character_count};
}

// Moves a character or, with `respawns`, begins it anew there.
EXPORT bool batch_place(const batch *b, uint32_t character, double x, double y, double z, double yaw, bool respawns) {
    const lmb_character_words words = all_words(b);
    const lmb_motion motion = {.position = {x, y, z}, .yaw = yaw};
    const bool has_motion = lmb_graph_get_info(b->graph)->has_motion;
    return (respawns ? lmb_characters_respawn(b->graph, &words, character, has_motion ? &motion : NULL, &error)
                     : lmb_characters_place(b->graph, &words, character, &motion, &error)) == LMB_OK;
}

EXPORT size_t batch_snapshot_size(const batch *b) {
    return lmb_snapshot_size(b->graph, b->def.character_count);
}

// The tag of a snapshot is the number of the frame that follows.
EXPORT bool batch_save(const batch *b, void *bytes, size_t size) {
    const lmb_character_words words = all_words(b);
    return lmb_snapshot_save(b->graph, &words, b->frame.number, bytes, size, &error) == LMB_OK &&
           lmb_snapshot_seal(bytes, size, &error) == LMB_OK;
}

EXPORT bool batch_restore(batch *b, const void *bytes, size_t size) {
    const lmb_character_words words = all_words(b);
    lmb_snapshot snapshot;
    if (lmb_snapshot_check(b->graph, bytes, size, &error) != LMB_OK ||
        lmb_snapshot_open(bytes, size, &snapshot, &error) != LMB_OK ||
        lmb_snapshot_restore(b->graph, bytes, size, &words, &error) != LMB_OK) {
        return false;
    }
    b->frame.number = (uint32_t)snapshot.tag;
    return true;
}

// One hash of all characters' words: lmb_hash_words() of the hash of each.
EXPORT void *batch_hash(batch *b) {
    const lmb_character_words words = all_words(b);
    if (lmb_characters_hash(b->graph, &words, b->hashes, &error) != LMB_OK) {
        return NULL;
    }
    return answer_hash(lmb_hash_words((const uint32_t *)b->hashes, (size_t)b->def.character_count * 2));
}
