// Reads a graph written as JSON, and a state machine written as text.
#include "write.h"

#include "base/float_environment.h"
#include "base/number.h"
#include "control/moving.h"
#include "program/program.h"

#include <limber/machine.h>

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Memory budget of any text, and what each byte of it adds. Masks of large rigs need the most.
#define BASE_BUDGET ((size_t)64 << 20)
#define BUDGET_PER_BYTE 1024u

// ---- Members that only the outermost object may have, in addition to the fields of its operation.

static void read_levels(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    lmb_error error;
    uint32_t problems = reader->problem_count;
    uint8_t *table = lmb_graph_read_joint_bytes(reader, value, LMB_MAX_LODS - 1, LMB_MAX_LODS - 1, false);
    if (table != NULL && reader->problem_count == problems &&
        lmb_rig_check_max_lods(reader->source->rig, table, &error) != LMB_OK) {
        lmb_graph_report(reader, value, "%s", error.message);
    }
    ((lmb_graph_def *)target)->max_lods = table;
}

static const lmb_graph_kind kind_levels = {
    read_levels, "{'type':'object','additionalProperties':{'type':'integer','minimum':0,'maximum':$max}}", NULL};

static void read_update_every(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    lmb_graph_json *graph = reader->graph;
    lmb_graph_def *def = target;
    lmb_graph_read_value(reader, field, value, &graph->update_every);
    def->update_every = &graph->update_every;
    const uint32_t parameter = lmb_value_reads(graph->update_every);
    if (parameter < def->parameter_count && graph->parameters[parameter].is_written) {
        lmb_graph_report(reader, value, "a constant or a parameter of the host was expected");
    }
}

static const lmb_graph_kind kind_update_every = {read_update_every, "{'anyOf':[{'type':'number',$range},@value]}",
                                                 NULL};

typedef enum root_member {
    ROOT_SCHEMA,
    ROOT_DEFINE,
    ROOT_INCLUDE,
    ROOT_PARAMETERS,
    ROOT_LOD,
    ROOT_MAX_LODS,
    ROOT_MAX_EMITTED_EVENTS,
    ROOT_UPDATE_EVERY,
    ROOT_INTERPOLATE_UPDATES,
    ROOT_CHARACTER_MOTION,
    ROOT_STREAMED_CLIPS
} root_member;

const lmb_graph_root_member lmb_graph_root_members[LMB_GRAPH_ROOT_FIELDS] = {
    [ROOT_SCHEMA] = {"a schema",
                     {.name = "$schema", .kind = &lmb_kind_comment, .about = "Where an editor finds this schema."}},
    [ROOT_DEFINE] = {"definitions",
                     {.name = "define",
                      .about = "Poses with names, which others use.",
                      .kind = &lmb_kind_later,
                      .schema = "{'type':'object','additionalProperties':{'anyOf':[@pose,"
                                "{'type':'object','required':['arguments'],"
                                "'properties':{'arguments':{'type':'object'}}}]}}"}},
    [ROOT_INCLUDE] = {"files that are included",
                      {.name = "include",
                       .about = "Files below the folder of this one, whose definitions poses may use.",
                       .kind = &lmb_kind_later,
                       .schema =
                           "{'type':'array','items':{'type':'string','minLength':1},'minItems':1,'maxItems':$count}",
                       .count = LMB_MAX_INCLUDES}},
    [ROOT_PARAMETERS] = {"a list of parameters",
                         {.name = "parameters",
                          .about = "The first parameters, in their order; others follow in the order of their uses.",
                          .kind = &lmb_kind_later,
                          .schema = "{'type':'array','items':@declared-parameter}"}},
    [ROOT_LOD] = {"levels of detail",
                  {.name = "lod",
                   .about = "The level of detail, 0 to 7.",
                   .kind = &lmb_kind_value,
                   .offset = offsetof(lmb_graph_def, lod),
                   .max = LMB_MAX_LODS - 1,
                   .parameter_max = LMB_MAX_LODS - 1}},
    [ROOT_MAX_LODS] = {"levels of detail",
                       {.name = "max-lods",
                        .about = "The last level at which joints are computed; others take that of their parents.",
                        .kind = &kind_levels,
                        .max = LMB_MAX_LODS - 1}},
    [ROOT_MAX_EMITTED_EVENTS] = {"a limit of emitted events",
                                 {.name = "max-emitted-events",
                                  .about = "How many events of a character a frame reports; 8 by default.",
                                  .kind = &lmb_kind_integer,
                                  .offset = offsetof(lmb_graph_def, max_emitted_events),
                                  .min = 1.0f,
                                  .max = LMB_MAX_EMITTED_EVENTS}},
    [ROOT_UPDATE_EVERY] = {"updates",
                           {.name = "update-every",
                            .about = "Updates a character once in this many frames.",
                            .kind = &kind_update_every,
                            .min = 1.0f,
                            .max = 16.0f,
                            .initial = 1.0f,
                            .parameter_min = 1.0f,
                            .parameter_max = 16.0f}},
    [ROOT_INTERPOLATE_UPDATES] = {"updates",
                                  {.name = "interpolate-updates",
                                   .about = "Whether a character moves between its updates; false by default.",
                                   .kind = &lmb_kind_boolean,
                                   .offset = offsetof(lmb_graph_def, interpolate_updates)}},
    // Read after everything else.
    [ROOT_CHARACTER_MOTION] = {"character motion",
                               {.name = "character-motion", .kind = &lmb_kind_later, .schema = "@character-motion"}},
    [ROOT_STREAMED_CLIPS] = {"streamed clips",
                             {.name = "streamed-clips",
                              .about = "The names of clips that get slots.",
                              .kind = &lmb_kind_later,
                              .schema = "{'type':'array','items':@name,'minItems':1,'maxItems':$count}",
                              .count = LMB_MAX_CLIP_SLOTS}},
};

static bool read_root_member(lmb_graph_reader *reader, uint32_t key, uint32_t object) {
    int i = 0;
    while (i < LMB_GRAPH_ROOT_FIELDS && !lmb_graph_is_text(reader, key, lmb_graph_root_members[i].field.name)) {
        i++;
    }
    if (i == LMB_GRAPH_ROOT_FIELDS) {
        return false;
    }
    if (object != 0) {
        lmb_graph_report(reader, key, "the outermost pose alone has %s", lmb_graph_root_members[i].what);
    } else if (reader->root_keys[i] != 0) {
        lmb_graph_report(reader, key, "given twice");
    } else {
        reader->root_keys[i] = key;
        lmb_graph_root_members[i].field.kind->read(reader, &lmb_graph_root_members[i].field, key + 1,
                                                   &reader->graph->def);
    }
    return true;
}

static void finish_root(lmb_graph_reader *reader) {
    const uint32_t level = reader->root_keys[ROOT_LOD];
    const uint32_t levels = reader->root_keys[ROOT_MAX_LODS];
    if (level == 0 && levels != 0) {
        lmb_graph_report(reader, levels, "max-lods, and no \"lod\" that chooses among them");
    }
    if (level == 0 || levels != 0) {
        return;
    }
    lmb_graph_json *graph = reader->graph;
    uint32_t joint_count = lmb_rig_get_def(reader->source->rig)->joint_count;
    uint8_t *table = lmb_graph_allocate(reader, &graph->pool, joint_count, 1);
    if (table != NULL) {
        lmb_result result = lmb_rig_suggest_max_lods(reader->source->rig, &graph->budget.host, table, NULL);
        reader->result = reader->result == LMB_OK ? result : reader->result;
        graph->def.max_lods = table;
    }
}

// ---- Streamed clips: those that get a slot.

// Returns whether a node plays the clip of that index. A parameter may choose any of the source's clips.
static bool is_played(const lmb_graph_reader *reader, uint32_t clip) {
    const lmb_graph_json *graph = reader->graph;
    bool played = false;
    for (uint32_t i = 0; i < graph->def.node_count && !played; i++) {
        const lmb_node_def *node = &graph->nodes[i];
        const bool chosen = node->clip.kind != LMB_VALUE_CONSTANT || node->clip.curve != LMB_CURVE_LINEAR;
        played = node->op == LMB_OP_CLIP &&
                 (chosen ? clip < reader->source->clip_count : node->clip.constant == (float)clip);
    }
    return played;
}

// Marks the clips of that name that nodes play; several if root motion was extracted from copies.
static void mark_streamed(lmb_graph_reader *reader, uint32_t value, bool *streamed) {
    const lmb_graph_def *def = &reader->graph->def;
    const char *name = lmb_graph_read_name(reader, value, LMB_EMPTY_NAME);
    const char *meant = name != NULL ? lmb_graph_resolve_clip(reader, name) : NULL;
    bool exists = false, played = false, twice = false;
    for (uint32_t i = 0; name != NULL && i < def->clip_count; i++) {
        const bool named = strcmp(lmb_clip_get_info(def->clips[i])->name, meant) == 0;
        exists = exists || named;
        if (named && is_played(reader, i)) {
            twice = twice || streamed[i];
            played = streamed[i] = true;
        }
    }
    if (name != NULL && name[0] != '\0' && !exists) {
        lmb_graph_report_name(reader, value, "there is no clip", name, lmb_graph_clip_names(reader->source));
    } else if (name != NULL && name[0] != '\0' && !played) {
        lmb_graph_report(reader, value, "no pose plays this clip");
    } else if (twice) {
        lmb_graph_report(reader, value, "given twice");
    }
}

static void read_streamed_clips(lmb_graph_reader *reader, uint32_t key) {
    lmb_graph_json *graph = reader->graph;
    if (key == 0 || !lmb_graph_expect_count(reader, key + 1, 1, LMB_MAX_CLIP_SLOTS, "streamed clips")) {
        return;
    }
    bool *streamed = lmb_graph_allocate(reader, &reader->scratch, graph->def.clip_count, sizeof *streamed);
    const lmb_json_value *values = reader->json.values;
    for (uint32_t i = key + 2; streamed != NULL && i < values[key + 1].next; i = values[i].next) {
        mark_streamed(reader, i, streamed);
    }
    bool fits = streamed != NULL;
    for (uint32_t i = 0; fits && i < graph->def.clip_count; i++) {
        if (streamed[i]) {
            lmb_clip_slot_def slot = lmb_clip_slot_for(graph->def.clips[i]);
            slot.clip = i;
            fits = lmb_graph_append(reader, &graph->pool, &graph->def.clip_slots, &graph->def.clip_slot_count, &slot,
                                    sizeof slot);
        }
    }
}

// ---- The document.

static bool prepare_names(lmb_graph_reader *reader) {
    const lmb_graph_source *source = reader->source;
    lmb_graph_json *graph = reader->graph;
    graph->def = (lmb_graph_def){.rig = source->rig,
                                 .static_poses = source->static_poses,
                                 .static_pose_count = source->static_pose_count,
                                 .lod = lmb_constant(0.0f)};
    uint32_t joint_count = lmb_rig_get_def(source->rig)->joint_count,
             channel_count = lmb_rig_get_def(source->rig)->channel_count;
    reader->joints = lmb_graph_allocate(reader, &reader->scratch, joint_count, sizeof(lmb_name));
    reader->channels = lmb_graph_allocate(reader, &reader->scratch, channel_count, sizeof(lmb_name));
    reader->clips = lmb_graph_allocate(reader, &reader->scratch, source->clip_count, sizeof(lmb_name));
    if (reader->joints == NULL || reader->channels == NULL || reader->clips == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < joint_count; i++) {
        reader->joints[i] = (lmb_name){lmb_rig_get_def(source->rig)->joints[i].name, i};
    }
    for (uint32_t i = 0; i < channel_count; i++) {
        reader->channels[i] = (lmb_name){lmb_rig_get_def(source->rig)->channels[i].name, i};
    }
    for (uint32_t i = 0; i < source->clip_count; i++) {
        const lmb_clip *clip = source->clips[i];
        reader->clips[i] = (lmb_name){lmb_clip_get_info(clip)->name, i};
        reader->longest = fmaxf(reader->longest, lmb_clip_get_info(clip)->duration);
        if (!lmb_graph_append(reader, &graph->pool, &graph->def.clips, &graph->def.clip_count, &clip, sizeof clip)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < source->character_count; i++) {
        const lmb_graph_character *character = &source->characters[i];
        for (uint32_t k = 0; k < character->clip_count; k++) {
            reader->longest = fmaxf(reader->longest, lmb_clip_get_info(character->clips[k])->duration);
        }
    }
    lmb_names_sort(reader->joints, joint_count);
    lmb_names_sort(reader->channels, channel_count);
    lmb_names_sort(reader->clips, source->clip_count);
    return true;
}

static bool read_text(lmb_graph_reader *reader, const lmb_graph_source *machine) {
    if (machine != reader->source) {
        reader->text = lmb_graph_text_of(reader->source, &reader->size);
    }
    reader->all_size = reader->size;
    return machine == NULL ? lmb_graph_read_json(reader, reader->text, reader->size)
                           : lmb_graph_read_machine_text(reader, machine);
}

// Returns whether a graph of one node and its inputs would be rejected. If the node is below a joint map or a retarget,
// it is checked as the input of a combine with this joint map or of this retarget, which temporarily replaces the next
// node; there is one.
static bool is_refused(const lmb_graph_reader *reader, uint32_t node, uint32_t joint_map, lmb_error *error) {
    lmb_graph_def def = reader->graph->def;
    def.node_count = node + 1;
    if (joint_map == LMB_NONE) {
        return lmb_graph_check_poses(&def, error) != LMB_OK;
    }
    lmb_node_def *next = &reader->graph->nodes[node + 1];
    const lmb_node_def kept = *next;
    *next = lmb_default_node_def();
    const bool is_retarget = joint_map >= def.joint_map_count;
    next->op = is_retarget ? LMB_OP_RETARGET : LMB_OP_COMBINE;
    next->input_count = 1;
    next->inputs[0] = node;
    next->joint_maps[0] = is_retarget ? LMB_NONE : joint_map;
    next->retarget = is_retarget ? joint_map - def.joint_map_count : 0;
    def.node_count++;
    bool refused = lmb_graph_check_poses(&def, error) != LMB_OK;
    *next = kept;
    return refused;
}

// Returns the member of an object that a message names as a field of the descriptor, "two_bone.mid_axis: ", or the
// object. What the member says is skipped in the message, apart from an index.
static uint32_t find_named_member(const lmb_graph_reader *reader, uint32_t object, const char **message) {
    const size_t length = strspn(*message, "abcdefghijklmnopqrstuvwxyz0123456789_.[]");
    char name[40];
    size_t count = 0, at = 0;
    for (; at < length && (*message)[at] != '[' && count + 1 < sizeof name; at++) {
        const char letter = (*message)[at];
        name[count] = letter == '_' ? '-' : letter;
        count = letter == '.' ? 0 : count + 1;
    }
    name[count] = '\0';
    const uint32_t member = (*message)[length] == ':' ? lmb_graph_find_member(reader, object, name) : LMB_NONE;
    *message += member != LMB_NONE && at == length ? length + 2 : 0;
    return member != LMB_NONE ? member : object;
}

// Returns the member to which a message belongs that names a field of the descriptor which the text has elsewhere, and
// sets the message to that in words of the text. Returns LMB_NONE for any other message.
static uint32_t find_elsewhere(const lmb_graph_reader *reader, uint32_t object, const char **message) {
    static const char *const keeping[] = {"lock-distance", "ground-half-life", "pelvis-half-life"};
    unsigned index = 0;
    int length = 0;
    uint32_t at = LMB_NONE;
    if (sscanf(*message, "positions[%u]: the same position%n", &index, &length) == 1 && length > 0) {
        at = lmb_graph_find_member(
            reader, lmb_graph_find_element(reader, lmb_graph_find_member(reader, object, "inputs"), index), "at");
        *message = at != LMB_NONE ? "another input is at the same position" : *message;
        return at;
    }
    if (sscanf(*message, "feet[%u].planted_from: %n", &index, &length) == 1 && length > 0) {
        at = lmb_graph_find_member(reader,
                                   lmb_graph_find_element(reader, lmb_graph_find_member(reader, object, "feet"), index),
                                   "planted-markers");
        *message += at != LMB_NONE ? length : 0;
        return at;
    }
    const bool has_no_time = strncmp(*message, "time: it is a constant", 22) == 0 &&
                             lmb_graph_find_member(reader, object, "time") == LMB_NONE;
    for (int i = 0; i < 3 && has_no_time && at == LMB_NONE; i++) {
        at = lmb_graph_find_member(reader, object, keeping[i]);
    }
    *message = at != LMB_NONE ? "without \"time\" no foot would be locked and nothing smoothed: write \"time\": "
                                "{\"param\": \"time\"}"
                              : *message;
    return at;
}

// Reports what a check found in a node: at the input or the member that the message names, or else at its object.
static void report_check(lmb_graph_reader *reader, uint32_t node, const char *message) {
    const lmb_graph_def *def = &reader->graph->def;
    unsigned named = 0, input = 0;
    int length = 0;
    if (sscanf(message, "graph: node %u (%*[^)]): %n", &named, &length) == 1 && length > 0) {
        message += length;
        node = named < node ? named : node;
    }
    uint32_t at = reader->objects[node];
    length = 0;
    if (sscanf(message, "inputs[%u]: %n", &input, &length) == 1 && length > 0) {
        message += length;
        // Above the node that is checked is one that stands for what is around it.
        const bool is_own = named == node && input < def->nodes[node].input_count;
        at = is_own ? reader->objects[def->nodes[node].inputs[input]] : at;
    } else {
        const uint32_t elsewhere = find_elsewhere(reader, at, &message);
        at = elsewhere != LMB_NONE ? elsewhere : find_named_member(reader, at, &message);
    }
    lmb_graph_report(reader, at, "%s", message);
}

// Some errors concern the whole graph, such as poses nested too deep for it. They are reported at the innermost
// operation that causes them.
static void check_program(lmb_graph_reader *reader) {
    const lmb_graph_def *def = &reader->graph->def;
    lmb_error error;
    uint32_t refused = def->node_count - 1, joint_map = LMB_NONE;
    if (!is_refused(reader, refused, joint_map, &error)) {
        return;
    }
    for (uint32_t i = 0; i < def->nodes[refused].input_count; i++) {
        const lmb_node_def *node = &def->nodes[refused];
        uint32_t inner = node->op == LMB_OP_COMBINE    ? node->joint_maps[i]
                         : node->op == LMB_OP_RETARGET ? lmb_graph_retarget_map(def, node->retarget)
                                                       : joint_map;
        if (is_refused(reader, node->inputs[i], inner, &error)) {
            refused = node->inputs[i];
            joint_map = inner;
            i = UINT32_MAX; // continues with its first input
        }
    }
    is_refused(reader, refused, joint_map, &error);
    report_check(reader, refused, error.message);
}

static void finish_moving(lmb_graph_reader *reader) {
    lmb_graph_json *graph = reader->graph;
    const uint32_t count = graph->def.parameter_count;
    lmb_parameter_def *parameters = lmb_graph_allocate(reader, &graph->pool, count, sizeof *parameters);
    for (uint32_t i = 0; parameters != NULL && i < count; i++) {
        const lmb_graph_declared *from = &graph->parameters[i];
        parameters[i] = (lmb_parameter_def){from->name, from->initial.value, from->min.value, from->max.value};
    }
    graph->def.parameters = parameters;
    graph->def.fades = graph->fades;
    graph->def.motion = graph->has_character_motion ? &graph->motion : NULL;
}

// Reports that a transition waits for an end, or begins in step with a clip, where no clip plays in the state alone.
// Returns false if the message says something else.
static bool report_end(lmb_graph_reader *reader, uint32_t node, const char *message) {
    static const char *const fields[][2] = {{"at_end", "end"}, {"start", "start"}};
    const lmb_machine_def *machine = reader->graph->def.nodes[node].machine;
    unsigned index = 0;
    int length = 0;
    if (machine == NULL || sscanf(message, "transition %u: %n", &index, &length) != 1 || length == 0 ||
        index >= machine->transition_count || machine->transitions[index].from == LMB_NONE) {
        return false;
    }
    const char *name = machine->states[machine->transitions[index].from].name;
    const uint32_t states = lmb_graph_find_member(reader, reader->objects[node], "states");
    uint32_t state = LMB_NONE, at = LMB_NONE;
    for (unsigned i = 0; i < machine->state_count && state == LMB_NONE; i++) {
        const uint32_t element = lmb_graph_find_element(reader, states, i);
        const uint32_t of = element != LMB_NONE ? lmb_graph_find_member(reader, element, "name") : LMB_NONE;
        state = of != LMB_NONE && lmb_graph_is_text(reader, of, name) ? element : LMB_NONE;
    }
    const uint32_t list = state != LMB_NONE ? lmb_graph_find_member(reader, state, "transitions") : LMB_NONE;
    for (int k = 0; k < 2 && list != LMB_NONE; k++) {
        const bool is_named = strncmp(message + length, fields[k][0], strlen(fields[k][0])) == 0;
        for (unsigned i = 0; is_named && at == LMB_NONE && lmb_graph_find_element(reader, list, i) != LMB_NONE; i++) {
            at = lmb_graph_find_member(reader, lmb_graph_find_element(reader, list, i), fields[k][1]);
        }
    }
    if (at != LMB_NONE) {
        lmb_graph_report(reader, at,
                         "no clip plays in '%.60s' alone, whose end would be its own: one of a definition that other "
                         "states use, too, is in none of them",
                         name);
    }
    return at != LMB_NONE;
}

// By now all errors of players, machines and so on have been reported; this check makes sure.
static void check_moving(lmb_graph_reader *reader) {
    lmb_error error;
    const lmb_host host = lmb_pool_host(&reader->scratch);
    const lmb_result result = lmb_graph_check_moving(&reader->graph->def, &host, &error);
    if (result == LMB_ERROR_MEMORY) {
        lmb_graph_fail_memory(reader);
    } else if (result != LMB_OK) {
        const lmb_graph_def *def = &reader->graph->def;
        unsigned named = 0;
        int length = 0;
        if (sscanf(error.message, "graph: node %u (%*[^)]): %n", &named, &length) == 1 && length > 0 &&
            named < def->node_count) {
            if (!report_end(reader, named, error.message + length)) {
                lmb_graph_report(reader, reader->objects[named], "%s", error.message + length);
            }
            return;
        }
        const bool is_matrix = def->nodes[def->node_count - 1].op == LMB_OP_WEIGHTED_MATRIX;
        lmb_graph_report(reader, is_matrix && reader->inertia_at != LMB_NONE ? reader->inertia_at : 0, "%s",
                         error.message);
    }
}

static LMB_NOINLINE void read_document(lmb_graph_reader *reader, const lmb_graph_source *machine) {
    if (!prepare_names(reader) || !read_text(reader, machine)) {
        return;
    }
    const uint32_t parameters = lmb_graph_find_member(reader, 0, "parameters");
    if (parameters != LMB_NONE) {
        lmb_graph_read_parameters(reader, parameters);
    }
    const uint32_t definitions = lmb_graph_find_member(reader, 0, "define");
    if (definitions != LMB_NONE) {
        lmb_graph_read_definitions(reader, definitions, false);
    }
    const uint32_t includes = lmb_graph_find_member(reader, 0, "include");
    if (includes != LMB_NONE) {
        lmb_graph_read_includes(reader, includes);
    }
    lmb_graph_read_pose(reader, 0);
    lmb_graph_read_character_motion(reader, reader->root_keys[ROOT_CHARACTER_MOTION]);
    lmb_graph_finish_parameters(reader);
    lmb_graph_finish_players(reader);
    lmb_graph_finish_fades(reader);
    lmb_graph_finish_definitions(reader);
    finish_root(reader);
    lmb_graph_json *graph = reader->graph;
    graph->def.nodes = graph->nodes;
    graph->def.node_names = graph->node_names;
    graph->def.node_comments = graph->node_comments;
    read_streamed_clips(reader, reader->root_keys[ROOT_STREAMED_CLIPS]);
    finish_moving(reader);
    if (reader->result == LMB_OK && reader->problem_count == 0) {
        check_program(reader);
    }
    if (reader->result == LMB_OK && reader->problem_count == 0 && lmb_graph_moves(&graph->def)) {
        check_moving(reader);
    }
    if (reader->result == LMB_OK && reader->problem_count == 0) {
        lmb_graph_warn_of_traps(reader);
        lmb_graph_keep_places(reader);
    }
}

lmb_result lmb_graph_fail_reading(const lmb_graph_reader *reader, lmb_error *error) {
    const char *name = reader->source->name == NULL ? "graph" : reader->source->name;
    if (reader->result == LMB_ERROR_LIMIT) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "%.160s: it would take more memory than a text of this size is given",
                        name);
    }
    if (reader->result != LMB_OK) {
        return lmb_fail(error, reader->result, "%.160s: the host has no memory", name);
    }
    const lmb_graph_problem *first = &reader->first;
    name = first->file[0] != '\0' ? first->file : name;
    uint32_t more = reader->problem_count - 1;
    if (more == 0) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "%.160s: line %" PRIu32 ", column %" PRIu32 ": %s%s%s", name,
                        first->line, first->column, first->path, first->path[0] == '\0' ? "" : ": ", first->message);
    }
    return lmb_fail(error, LMB_ERROR_FORMAT,
                    "%.80s: line %" PRIu32 ", column %" PRIu32 ": %s%s%.150s; %" PRIu32 " more mistake%s", name,
                    first->line, first->column, first->path, first->path[0] == '\0' ? "" : ": ", first->message, more,
                    more == 1 ? "" : "s");
}

static lmb_result check_source(const lmb_graph_source *source, lmb_graph_json *const *graph, lmb_error *error) {
    const char *missing = source == NULL         ? "the source"
                          : graph == NULL        ? "the result"
                          : source->text == NULL ? "the text"
                          : source->rig == NULL  ? "the rig"
                                                 : NULL;
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph: %s is NULL", missing);
    }
    for (uint32_t i = 0; i < source->clip_count; i++) {
        if (source->clips == NULL || source->clips[i] == NULL) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph: clip %" PRIu32 " is NULL", i);
        }
    }
    if (source->static_pose_count > 0 && source->static_poses == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph: the static poses are NULL");
    }
    for (uint32_t i = 0; i < source->character_count; i++) {
        const lmb_graph_character *character = source->characters == NULL ? NULL : &source->characters[i];
        const char *what = character == NULL         ? "the characters are NULL"
                           : character->name == NULL ? "a character has no name"
                           : character->rig == NULL  ? "a character has no rig"
                                                     : NULL;
        for (uint32_t k = 0; what == NULL && k < character->clip_count; k++) {
            what = character->clips == NULL || character->clips[k] == NULL ? "a clip of a character is NULL" : NULL;
        }
        if (what != NULL) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph: %s", what);
        }
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(source->characters[k].name, character->name) == 0) {
                return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph: two characters have the name '%.80s'",
                                character->name);
            }
        }
    }
    return lmb_graph_check_aliases(source, error);
}

lmb_graph_json *lmb_graph_begin(const lmb_graph_source *source, const lmb_host *host) {
    lmb_host resolved = lmb_host_resolve(host);
    lmb_graph_json *graph = lmb_host_allocate(&resolved, 1, sizeof *graph);
    if (graph != NULL) {
        size_t room = SIZE_MAX - BASE_BUDGET;
        size_t bytes = source->size < room / BUDGET_PER_BYTE ? source->size * BUDGET_PER_BYTE : room;
        graph->budget = (lmb_budget){.host = resolved, .limit = BASE_BUDGET + bytes};
        graph->pool = (lmb_pool){.budget = &graph->budget};
    }
    return graph;
}

// If `written` is not NULL, the machine is the whole graph, and what was read from it is written.
static lmb_result read_graph(const lmb_graph_source *source, const lmb_graph_source *machine, const lmb_host *host,
                             lmb_graph_json **graph, lmb_graph_writer *written, lmb_graph_problems *problems,
                             lmb_error *error) {
    *graph = NULL;
    lmb_graph_reader reader = {.source = source,
                               .text = "",
                               .problems = problems,
                               .graph = lmb_graph_begin(source, host),
                               .read_root_member = read_root_member,
                               .inertia_at = LMB_NONE,
                               .owner = {.end_node = LMB_NONE}};
    if (reader.graph == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "graph: the host has no memory");
    }
    reader.scratch = (lmb_pool){.budget = &reader.graph->budget};
    lmb_environment callers;
    lmb_environment_enter(&callers);
    read_document(&reader, machine);
    lmb_environment_leave(&callers);
    const bool failed = reader.result != LMB_OK || reader.problem_count > 0;
    if (!failed && written != NULL) {
        lmb_graph_write_machine(written, &reader.json);
    }
    lmb_pool_clear(&reader.scratch);
    if (failed) {
        lmb_result result = lmb_graph_fail_reading(&reader, error);
        lmb_graph_json_destroy(reader.graph);
        return result;
    }
    *graph = reader.graph;
    return LMB_OK;
}

lmb_result lmb_graph_json_read(const lmb_graph_source *source, const lmb_host *host, lmb_graph_json **graph,
                               lmb_graph_problems *problems, lmb_error *error) {
    if (graph != NULL) {
        *graph = NULL;
    }
    if (problems != NULL) {
        problems->count = 0;
    }
    lmb_result result = check_source(source, graph, error);
    return result == LMB_OK ? read_graph(source, NULL, host, graph, NULL, problems, error) : result;
}

lmb_result lmb_machine_read(const lmb_graph_source *machine, const lmb_graph_source *graph, const lmb_host *host,
                            lmb_graph_json **result, lmb_graph_problems *problems, lmb_error *error) {
    if (result != NULL) {
        *result = NULL;
    }
    if (problems != NULL) {
        problems->count = 0;
    }
    lmb_result checked = check_source(machine, result, error);
    if (checked != LMB_OK) {
        return checked;
    }
    if (graph == NULL) {
        return read_graph(machine, machine, host, result, NULL, problems, error);
    }
    lmb_graph_source outer = *graph;
    outer.rig = machine->rig;
    outer.clips = machine->clips;
    outer.clip_count = machine->clip_count;
    outer.clip_aliases = machine->clip_aliases;
    outer.clip_alias_count = machine->clip_alias_count;
    outer.joint_aliases = machine->joint_aliases;
    outer.joint_alias_count = machine->joint_alias_count;
    checked = check_source(&outer, result, error);
    return checked == LMB_OK ? read_graph(&outer, machine, host, result, NULL, problems, error) : checked;
}

lmb_result lmb_machine_json_write(const lmb_graph_source *machine, const lmb_host *host, char *text, size_t room,
                                  size_t *size, lmb_graph_problems *problems, lmb_error *error) {
    if (size != NULL) {
        *size = 0;
    }
    if (problems != NULL) {
        problems->count = 0;
    }
    if (size == NULL || (text == NULL && room > 0)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph: %s is NULL", size == NULL ? "the size" : "the buffer");
    }
    lmb_graph_json *graph = NULL;
    lmb_graph_writer writer = {.text = text, .room = room};
    lmb_result result = check_source(machine, &graph, error);
    if (result == LMB_OK) {
        result = read_graph(machine, machine, host, &graph, &writer, problems, error);
    }
    lmb_graph_json_destroy(graph);
    *size = writer.length; // 0 on failure
    return result;
}

void lmb_graph_json_destroy(lmb_graph_json *graph) {
    if (graph == NULL) {
        return;
    }
    lmb_host host = graph->budget.host;
    lmb_pool_clear(&graph->pool);
    lmb_host_release(&host, graph);
}

const lmb_graph_def *lmb_graph_json_def(const lmb_graph_json *graph) {
    return &graph->def;
}

lmb_graph_place lmb_graph_json_place(const lmb_graph_json *graph, uint32_t node) {
    assert(node < graph->def.node_count);
    return graph->places[node];
}

uint32_t lmb_graph_json_warning_count(const lmb_graph_json *graph) {
    return graph->warning_count;
}

const lmb_graph_problem *lmb_graph_json_warning_at(const lmb_graph_json *graph, uint32_t index) {
    assert(index < graph->warning_count);
    return &graph->warnings[index];
}
