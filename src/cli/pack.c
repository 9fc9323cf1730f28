// `limber pack`: writes a character and its graphs into one file, which the core library alone reads.
#include "command.h"
#include "file.h"
#include "terminal.h"

#include "base/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct named_graph {
    char *name;
    lmb_graph_json *json;   // NULL if it is that of a pack
    lmb_graph_def def;      // with compressed clips, if they are compressed
    const lmb_clip **clips; // of the descriptor; NULL where a slot is empty
    lmb_clip_slot_def *slots;
} named_graph;

typedef struct packing {
    subject subject;
    const char *path;
    const char *streamed_path; // or NULL
    option_texts graph_texts;
    option_texts machine_texts;
    option_distance error;
    option_distance shell;
    option_texts joint_texts;
    lmb_joint_tolerance *tolerances;
    uint32_t tolerance_count;

    named_graph *graphs;
    uint32_t graph_count;
    const lmb_clip **sources; // of the character, then those that only graphs have
    const lmb_clip **clips;   // what is written for each
    uint32_t clip_count;
    uint32_t own_count;    // of the character
    lmb_clip **compressed; // [clip_count], or NULL where a clip is written as it is
    size_t source_bytes;   // of all clips
    mannequin_skin *skin;  // of the mannequin
    float worst;           // the largest error reached
    lmb_arena pool;
} packing;

// The bound of the compression is also that of rounded scales. `target` is the packing.
static const char *read_error(const char *text, void *target) {
    packing *p = target;
    const char *const wrong = option_read_distance(text, &p->error);
    p->subject.import.scale_error = wrong == NULL ? p->error.value : 0.0f;
    return wrong;
}

static lmb_result no_memory(lmb_error *error) {
    return lmb_fail(error, LMB_ERROR_MEMORY, "no memory");
}

// ---- Names of graphs.

// Splits [NAME=]TEXT. Without a name, it is the name of the file, without folder and ending. Returns NULL if there is
// none, or no memory.
static char *split_name(packing *p, const char *given, const char **text) {
    const char *equals = strchr(given, '=');
    const bool is_named = equals != NULL && given[strspn(given, " \t\r\n")] != '{';
    const char *first = given;
    size_t length = is_named ? (size_t)(equals - given) : 0;
    *text = is_named ? equals + 1 : given;
    if (!is_named) {
        const char *slash = strrchr(given, '/');
        first = slash != NULL ? slash + 1 : given;
        const char *dot = strrchr(first, '.');
        length = given[strspn(given, " \t\r\n")] == '{' ? 0
                 : dot != NULL && dot > first           ? (size_t)(dot - first)
                                                        : strlen(first);
    }
    char *name = length > 0 ? lmb_arena_allocate(&p->pool, length + 1, 1) : NULL;
    if (name != NULL) {
        memcpy(name, first, length);
    }
    return name;
}

static lmb_result fail_name(const packing *p, const char *option, const char *given, lmb_error *error) {
    return p->pool.failed
               ? no_memory(error)
               : lmb_fail(error, LMB_ERROR_ARGUMENT, "%s %.100s: it has no name; give NAME=...", option, given);
}

static named_graph *find_graph(packing *p, const char *name) {
    for (uint32_t i = 0; i < p->graph_count; i++) {
        if (strcmp(p->graphs[i].name, name) == 0) {
            return &p->graphs[i];
        }
    }
    return NULL;
}

// ---- Reading graphs.

// Reads a graph; either text may be NULL.
static lmb_result add_graph(packing *p, char *name, const char *graph_text, const char *machine_name,
                            lmb_error *error) {
    subject *subject = &p->subject;
    if (find_graph(p, name) != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "two graphs are called '%.100s'", name);
    }
    subject->graph_text = graph_text;
    subject->machine_name = machine_name;
    const lmb_result result = subject_read_graph(subject, error);
    if (result == LMB_OK) {
        subject_warn(subject);
        p->graphs[p->graph_count++] = (named_graph){.name = name, .json = subject->json, .def = *subject->def};
        subject->json = NULL;
    }
    return result;
}

// Returns the text of --machine for the graph of that name, or NULL. Marks it as used.
static const char *take_machine(packing *p, const char *graph, bool *used) {
    for (uint32_t i = 0; i < p->machine_texts.count; i++) {
        const char *text;
        const char *name = split_name(p, p->machine_texts.values[i], &text);
        if (name != NULL && strcmp(name, graph) == 0) {
            used[i] = true;
            return text;
        }
    }
    return NULL;
}

static void add_packed_graphs(packing *p) {
    const lmb_pack *pack = p->subject.character.pack;
    const uint32_t count = pack == NULL ? 0 : lmb_pack_get_def(pack)->graph_count;
    for (uint32_t i = 0; i < count; i++) {
        const lmb_pack_graph *graph = &lmb_pack_get_def(pack)->graphs[i];
        p->graphs[p->graph_count++] = (named_graph){.name = (char *)(uintptr_t)graph->name, .def = *graph->def};
    }
}

static lmb_result add_graphs(packing *p, lmb_error *error) {
    bool *used = lmb_arena_allocate(&p->pool, p->machine_texts.count, sizeof *used);
    lmb_result result = p->pool.failed ? no_memory(error) : LMB_OK;
    add_packed_graphs(p);
    for (uint32_t i = 0; result == LMB_OK && i < p->graph_texts.count; i++) {
        const char *text;
        char *name = split_name(p, p->graph_texts.values[i], &text);
        result = name == NULL ? fail_name(p, "--graph", p->graph_texts.values[i], error)
                              : add_graph(p, name, text, take_machine(p, name, used), error);
    }
    for (uint32_t i = 0; result == LMB_OK && i < p->machine_texts.count; i++) {
        const char *text;
        char *name = split_name(p, p->machine_texts.values[i], &text);
        if (name == NULL) {
            result = fail_name(p, "--machine", p->machine_texts.values[i], error);
        } else if (!used[i]) {
            result = add_graph(p, name, NULL, text, error);
        }
    }
    return result;
}

// ---- Clips.

// Returns the index of a clip in a list, or the length of the list.
static uint32_t index_of(const lmb_clip *const *list, uint32_t count, const lmb_clip *clip) {
    uint32_t index = 0;
    while (index < count && list[index] != clip) {
        index++;
    }
    return index;
}

static lmb_result list_clips(packing *p, lmb_error *error) {
    const subject *subject = &p->subject;
    size_t most = subject->character.clip_count;
    for (uint32_t i = 0; i < p->graph_count; i++) {
        most += p->graphs[i].def.clip_count;
    }
    p->sources = lmb_arena_allocate(&p->pool, most, sizeof *p->sources);
    p->clips = lmb_arena_allocate(&p->pool, most, sizeof *p->clips);
    p->compressed = lmb_arena_allocate(&p->pool, most, sizeof *p->compressed);
    if (p->pool.failed) {
        return no_memory(error);
    }
    for (uint32_t i = 0; i < subject->character.clip_count; i++) {
        p->sources[p->clip_count++] = subject->character.clips[i];
    }
    p->own_count = p->clip_count;
    for (uint32_t i = 0; i < p->graph_count; i++) {
        const lmb_graph_def *def = &p->graphs[i].def;
        for (uint32_t k = 0; k < def->clip_count; k++) {
            const uint32_t index = index_of(p->sources, p->clip_count, def->clips[k]);
            if (def->clips[k] != NULL && index == p->clip_count) {
                p->sources[p->clip_count++] = def->clips[k];
            }
        }
    }
    return LMB_OK;
}

// ---- Compression.

static const char *joint_name_at(const void *rig, uint32_t index) {
    return lmb_rig_get_def(rig)->joints[index].name;
}

// Reads the numbers behind NAME=, DISTANCE or DISTANCE,SHELL. Returns false if it is neither.
static bool read_tolerance(const char *given, lmb_joint_tolerance *tolerance) {
    char numbers[64] = "";
    if (snprintf(numbers, sizeof numbers, "%s", given) >= (int)sizeof numbers) {
        return false;
    }
    char *comma = strchr(numbers, ',');
    if (comma != NULL) {
        *comma = '\0';
    }
    *tolerance = (lmb_joint_tolerance){0};
    return option_read_float(numbers, &tolerance->error) && tolerance->error >= 0.0f &&
           (comma == NULL ||
            (option_read_float(comma + 1, &tolerance->shell_distance) && tolerance->shell_distance >= 0.0f));
}

// A tolerance is for a joint and all that hangs on it. A later one replaces those before it.
static lmb_result read_tolerances(packing *p, lmb_error *error) {
    const lmb_rig *rig = p->subject.character.rig;
    const uint32_t joint_count = lmb_rig_get_def(rig)->joint_count;
    p->tolerances = lmb_arena_allocate(&p->pool, (size_t)p->joint_texts.count * joint_count, sizeof *p->tolerances);
    bool *below = lmb_arena_allocate(&p->pool, joint_count, sizeof *below);
    for (uint32_t i = 0; !p->pool.failed && i < p->joint_texts.count; i++) {
        const char *given = p->joint_texts.values[i];
        const char *equals = strrchr(given, '=');
        lmb_joint_tolerance tolerance;
        lmb_error found;
        if (equals == NULL || !read_tolerance(equals + 1, &tolerance)) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT,
                            "--joint-error %.100s: NAME=DISTANCE or NAME=DISTANCE,SHELL was "
                            "expected",
                            given);
        }
        tolerance.joint =
            command_find_name("no joint", given, (size_t)(equals - given), joint_name_at, rig, joint_count, &found);
        if (tolerance.joint == LMB_NONE) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "--joint-error %.100s: %.300s", given, found.message);
        }
        for (uint32_t joint = 0; joint < joint_count; joint++) {
            const uint32_t parent = lmb_rig_get_def(rig)->joints[joint].parent;
            below[joint] = joint == tolerance.joint || (parent != LMB_NONE && below[parent]);
            if (below[joint]) {
                p->tolerances[p->tolerance_count] = tolerance;
                p->tolerances[p->tolerance_count++].joint = joint;
            }
        }
    }
    return p->pool.failed ? no_memory(error) : LMB_OK;
}

static lmb_result compress(packing *p, uint32_t index, lmb_error *error) {
    const lmb_clip_compression settings = {.error = p->error.value,
                                           .shell_distance = p->shell.value,
                                           .joints = p->tolerances,
                                           .joint_count = p->tolerance_count};
    lmb_clip_compression_report report = {0};
    lmb_error found;
    const lmb_result result = lmb_clip_compress(p->subject.character.rig, p->sources[index], &settings, NULL,
                                                &p->compressed[index], &report, &found);
    if (result != LMB_OK) {
        return lmb_fail(error, result, "clip '%.100s': %.300s", lmb_clip_get_info(p->sources[index])->name,
                        found.message);
    }
    p->clips[index] = p->compressed[index];
    p->worst = report.error > p->worst ? report.error : p->worst;
    return LMB_OK;
}

// A clip of a joint map is of another rig, and stays as it is.
static bool may_compress(const packing *p, const lmb_clip *clip) {
    return p->error.is_given &&
           lmb_clip_get_info(clip)->joint_count == lmb_rig_get_def(p->subject.character.rig)->joint_count &&
           lmb_clip_get_info(clip)->channel_count == lmb_rig_get_def(p->subject.character.rig)->channel_count;
}

// Fits slots to compressed clips: those that were for the source exactly then are for the compressed clip exactly, and
// all others have room for both.
static void fit_slot(lmb_clip_slot_def *slot, const lmb_clip *source, const lmb_clip *clip) {
    const lmb_clip_slot_def before = lmb_clip_slot_for(source), after = lmb_clip_slot_for(clip);
    slot->kinds = slot->kinds == before.kinds ? after.kinds : slot->kinds | after.kinds;
    slot->bytes = slot->bytes == before.bytes || slot->bytes < after.bytes ? after.bytes : slot->bytes;
}

static lmb_result use_clips(packing *p, named_graph *graph, lmb_error *error) {
    lmb_graph_def *def = &graph->def;
    graph->clips = lmb_arena_allocate(&p->pool, def->clip_count, sizeof *graph->clips);
    graph->slots = lmb_arena_allocate(&p->pool, def->clip_slot_count, sizeof *graph->slots);
    if (graph->clips == NULL || graph->slots == NULL) {
        return no_memory(error);
    }
    for (uint32_t i = 0; i < def->clip_count; i++) {
        graph->clips[i] = def->clips[i] != NULL ? p->clips[index_of(p->sources, p->clip_count, def->clips[i])] : NULL;
    }
    for (uint32_t i = 0; i < def->clip_slot_count; i++) {
        lmb_clip_slot_def *slot = &graph->slots[i];
        *slot = def->clip_slots[i];
        if (def->clips[slot->clip] != NULL) {
            fit_slot(slot, def->clips[slot->clip], graph->clips[slot->clip]);
        }
    }
    def->clips = graph->clips;
    def->clip_slots = graph->slots;
    return LMB_OK;
}

static lmb_result prepare_clips(packing *p, lmb_error *error) {
    lmb_result result = list_clips(p, error);
    result = result == LMB_OK ? read_tolerances(p, error) : result;
    for (uint32_t i = 0; result == LMB_OK && i < p->clip_count; i++) {
        size_t bytes;
        lmb_clip_block(p->sources[i], &bytes);
        p->source_bytes += bytes;
        p->clips[i] = p->sources[i];
        if (may_compress(p, p->sources[i])) {
            result = compress(p, i, error);
        }
    }
    for (uint32_t i = 0; result == LMB_OK && i < p->graph_count; i++) {
        result = use_clips(p, &p->graphs[i], error);
    }
    return result;
}

// ---- Streamed clips, which go into a pack of their own.

// Moves the clips in the graphs' slots to `streamed`, which has room for all clips. Returns their number.
static uint32_t take_streamed(packing *p, const lmb_clip **streamed) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->graph_count; i++) {
        for (uint32_t k = 0; k < p->graphs[i].def.clip_slot_count; k++) {
            const lmb_clip **clip = &p->graphs[i].clips[p->graphs[i].slots[k].clip];
            if (*clip != NULL && index_of(streamed, count, *clip) == count) {
                streamed[count++] = *clip;
            }
            *clip = NULL;
        }
    }
    return count;
}

// Removes streamed clips from the character's own.
static uint32_t keep_others(packing *p, const lmb_clip *const *streamed, uint32_t count, const lmb_clip **kept) {
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < p->own_count; i++) {
        if (index_of(streamed, count, p->clips[i]) == count) {
            kept[kept_count++] = p->clips[i];
        }
    }
    return kept_count;
}

// ---- Writing.

// Opens what was written, because only a pack that opens is of use, and prints the size of its parts.
static lmb_result print_parts(const packing *p, const char *path, const void *bytes, size_t size, lmb_error *error) {
    lmb_pack *pack = NULL;
    const lmb_result result = lmb_pack_open(bytes, size, NULL, &pack, error);
    if (result == LMB_OK) {
        terminal_print("%s: %zu bytes\n", path, size);
        subject_print_parts(pack);
        if (p->error.is_given && path == p->path) {
            terminal_print("clips took %zu bytes before compression, and deviate by at most %g\n", p->source_bytes,
                           (double)p->worst);
        }
    }
    lmb_pack_close(pack);
    return result;
}

static lmb_result write_def(const packing *p, const lmb_pack_def *def, const char *path, lmb_error *error) {
    size_t size = 0;
    void *bytes = NULL;
    const bool failed = character_file_write_pack(def, &bytes, &size, error) ||
                        print_parts(p, path, bytes, size, error) || file_write(path, bytes, size, error);
    free(bytes);
    return failed ? error->result : LMB_OK;
}

static lmb_result write_pack(packing *p, lmb_error *error) {
    lmb_pack_def def, later = lmb_default_pack_def();
    lmb_pack_graph *graphs = lmb_arena_allocate(&p->pool, p->graph_count, sizeof *graphs);
    const lmb_clip **streamed = lmb_arena_allocate(&p->pool, p->clip_count, sizeof *streamed);
    const lmb_clip **kept = lmb_arena_allocate(&p->pool, p->own_count, sizeof *kept);
    if (p->pool.failed) {
        return no_memory(error);
    }
    if (character_file_pack_def(&p->subject.character, &p->pool, &p->skin, &def, error)) {
        return error->result;
    }
    for (uint32_t i = 0; i < p->graph_count; i++) {
        graphs[i] = (lmb_pack_graph){p->graphs[i].name, &p->graphs[i].def};
    }
    def.clips = p->clips;
    def.clip_count = p->own_count;
    def.graphs = graphs;
    def.graph_count = p->graph_count;
    if (p->streamed_path == NULL) {
        return write_def(p, &def, p->path, error);
    }
    later.rig = def.rig;
    later.clips = streamed;
    later.clip_count = take_streamed(p, streamed);
    def.clips = kept;
    def.clip_count = keep_others(p, streamed, later.clip_count, kept);
    if (later.clip_count == 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "--streamed: no graph has \"streamed-clips\"");
    }
    return write_def(p, &def, p->path, error) || write_def(p, &later, p->streamed_path, error) ? error->result : LMB_OK;
}

static lmb_result pack(packing *p, lmb_error *error) {
    const uint32_t packed =
        p->subject.character.pack == NULL ? 0 : lmb_pack_get_def(p->subject.character.pack)->graph_count;
    p->graphs =
        lmb_arena_allocate(&p->pool, (size_t)packed + p->graph_texts.count + p->machine_texts.count, sizeof *p->graphs);
    p->subject.place = NULL;
    const bool failed = (p->graphs == NULL && no_memory(error)) || add_graphs(p, error) || prepare_clips(p, error) ||
                        write_pack(p, error);
    return failed ? error->result : LMB_OK;
}

static void release(packing *p) {
    for (uint32_t i = 0; i < p->graph_count; i++) {
        lmb_graph_json_destroy(p->graphs[i].json);
    }
    for (uint32_t i = 0; i < p->clip_count; i++) {
        lmb_clip_destroy(p->compressed[i]);
    }
    mannequin_skin_destroy(p->skin);
    lmb_arena_release(&p->pool);
}

static lmb_result pack_subject(subject *subject, lmb_error *error) {
    packing *p = (packing *)subject;
    const lmb_result result = pack(p, error);
    release(p);
    return result;
}

int command_pack(int argc, char **argv) {
    packing p = {0};
    const option options[] = {
        {"--output", OPTION_TEXT, &p.path, "FILE", "the file to write, usually with the ending .lmb"},
        {"--streamed", OPTION_TEXT, &p.streamed_path, "FILE",
         "a second pack, for the clips that graphs have as\n\"streamed-clips\"; --output then lacks them"},
        {"--graph", OPTION_TEXTS, &p.graph_texts, "[NAME=]FILE",
         "a graph, which is called as its file unless NAME is given;\nNAME=JSON gives the JSON itself"},
        {"--machine", OPTION_TEXTS, &p.machine_texts, "[NAME=]FILE",
         "a machine's text, for the graph of that name, or alone"},
        OPTION_POSE(&p.subject),
        OPTION_CHARACTER(&p.subject),
        OPTION_NAMES(&p.subject),
        OPTION_SKELETON(&p.subject),
        OPTION_SCALES(&p.subject),
        OPTION_SPLIT(&p.subject),
        OPTION_BVH_UNIT(&p.subject),
        {"--error", OPTION_OTHER, &(option_other){read_error, &p}, "DISTANCE",
         "compress clips so that no point of the skin moves further\nthan this; 0 takes 0.01 % of the rig's extent"},
        {"--shell", OPTION_OTHER, &(option_other){option_read_distance, &p.shell}, "DISTANCE",
         "of the skin from the joints; 0 takes 2 % of the extent"},
        {"--joint-error", OPTION_TEXTS, &p.joint_texts, "NAME=DISTANCE[,SHELL]",
         "another error, and shell, for a joint and those below it"},
        {0}};
    const usage usage = {
        .command = "limber pack",
        .synopsis =
            "FILE... --output FILE [--streamed FILE] [--graph [NAME=]FILE ...]\n"
            "                   [--machine [NAME=]FILE ...] [--pose NAME=CLIP@TIME ...]\n"
            "                   [--error DISTANCE] [--shell DISTANCE] [--joint-error NAME=DISTANCE[,SHELL] ...]",
        .text =
            "Writes a pack: rig, clips, meshes and graphs of a character in one file. lmb_pack_open() in the core\n"
            "library reads it (include/limber/pack.h), without an importer and without JSON. Without --error clips\n"
            "are written as they are. The graphs of a pack that is read are written, too.\n" CHARACTER_HELP,
        .options = options,
        .files = OPTION_SOME_FILES,
        .required_count = 1};
    const int status = subject_command(&p.subject, &usage, argc, argv, pack_subject);
    free(p.graph_texts.values);
    free(p.machine_texts.values);
    free(p.joint_texts.values);
    return status;
}
