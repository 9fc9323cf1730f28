// Writes graphs as JSON from the tables that read them: fields that have their default are left out. It knows the poses
// of a graph; what advances by itself, streamed clips and retargets are refused.
//
// Whether a field has its default is found by writing it twice without a text, once from the node and once from what
// the reader begins with: only lengths and hashes are compared.
#include "write.h"

#include "base/host.h"
#include "base/number.h"

#include <inttypes.h>
#include <limber/math.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- Bytes.

static void put_byte(lmb_graph_writer *writer, char byte) {
    writer->hash = (writer->hash ^ (uint8_t)byte) * 0x100000001b3u;
    if (!writer->is_silent && writer->length < writer->room) {
        writer->text[writer->length] = byte;
    }
    writer->length++;
}

void lmb_graph_put_bytes(lmb_graph_writer *writer, const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        put_byte(writer, bytes[i]);
    }
}

void lmb_graph_put(lmb_graph_writer *writer, const char *text) {
    lmb_graph_put_bytes(writer, text, strlen(text));
}

void lmb_graph_put_integer(lmb_graph_writer *writer, int64_t number) {
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, number);
    lmb_graph_put(writer, text);
}

// Puts the fewest digits that are read as the same float, with a point in every locale.
void lmb_graph_put_number(lmb_graph_writer *writer, float number) {
    char text[40];
    for (int digits = 1; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)number);
        char *comma = strchr(text, ',');
        if (comma != NULL) {
            *comma = '.';
        }
        if ((float)lmb_strtod(text, strlen(text)) == number) {
            break;
        }
    }
    if (!isfinite(number)) {
        lmb_graph_refuse(writer, "a number that is not finite");
    }
    lmb_graph_put(writer, text);
}

// Returns the code point of a well-formed sequence.
static uint32_t decode(const char *text, size_t size) {
    uint32_t code_point = (unsigned char)text[0] & (size == 1 ? 0x7fu : 0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        code_point = code_point << 6 | ((unsigned char)text[i] & 0x3fu);
    }
    return code_point;
}

static void put_escape(lmb_graph_writer *writer, uint32_t code_point) {
    char text[16];
    if (code_point >= 0x10000) {
        snprintf(text, sizeof text, "\\u%04x\\u%04x", (unsigned)(0xd800 + ((code_point - 0x10000) >> 10)),
                 (unsigned)(0xdc00 + (code_point & 0x3ff)));
    } else {
        snprintf(text, sizeof text, "\\u%04x", (unsigned)code_point);
    }
    lmb_graph_put(writer, text);
}

// Puts printable ASCII as it is, and everything else as escapes, so that any terminal can show the text.
void lmb_graph_put_string(lmb_graph_writer *writer, const char *text) {
    size_t left = text == NULL ? 0 : strlen(text);
    put_byte(writer, '"');
    while (left > 0) {
        const size_t size = lmb_text_sequence(text, left);
        if (size == 0) {
            lmb_graph_refuse(writer, "a name that is not UTF-8");
            break;
        }
        const uint32_t code_point = decode(text, size);
        if (code_point < ' ' || code_point > '~' || code_point == '"' || code_point == '\\') {
            put_escape(writer, code_point);
        } else {
            put_byte(writer, *text);
        }
        text += size;
        left -= size;
    }
    put_byte(writer, '"');
}

void lmb_graph_put_key(lmb_graph_writer *writer, bool *is_first, const char *key) {
    lmb_graph_put(writer, *is_first ? "" : ",");
    *is_first = false;
    lmb_graph_put_string(writer, key);
    put_byte(writer, ':');
}

void lmb_graph_refuse(lmb_graph_writer *writer, const char *what) {
    if (writer->fault == NULL) {
        writer->fault = what;
        writer->fault_node = writer->node;
    }
}

// ---- Fields.

static const void *at(const void *target, const lmb_graph_field *field) {
    return (const char *)target + field->offset;
}

// Returns whether a field writes the same from two targets.
static bool is_default(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target,
                       const void *initial) {
    lmb_graph_writer of_target = *writer, of_initial = *writer;
    of_target.is_silent = of_initial.is_silent = true;
    field->kind->write(&of_target, field, target);
    field->kind->write(&of_initial, field, initial);
    return of_target.length == of_initial.length && of_target.hash == of_initial.hash;
}

void lmb_graph_write_members(lmb_graph_writer *writer, const lmb_graph_fields *fields, const void *target,
                             const void *initial, bool *is_first) {
    for (size_t i = 0; i < fields->count && writer->fault == NULL; i++) {
        const lmb_graph_field field = lmb_graph_complete(fields, i);
        if (field.kind->write != NULL && (field.required || !is_default(writer, &field, target, initial))) {
            lmb_graph_put_key(writer, is_first, field.name);
            field.kind->write(writer, &field, target);
        }
    }
}

void lmb_graph_write_fields(lmb_graph_writer *writer, const lmb_graph_fields *fields, const void *target,
                            const void *initial) {
    bool is_first = true;
    put_byte(writer, '{');
    lmb_graph_write_members(writer, fields, target, initial, &is_first);
    put_byte(writer, '}');
}

void lmb_graph_write_boolean(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    lmb_graph_put(writer, *(const bool *)at(target, field) ? "true" : "false");
}

void lmb_graph_write_integer(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    lmb_graph_put_integer(writer, *(const int32_t *)at(target, field));
}

void lmb_graph_write_number(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    lmb_graph_put_number(writer, *(const float *)at(target, field));
}

void lmb_graph_write_numbers(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const float *numbers = at(target, field);
    for (uint32_t i = 0; i < field->count; i++) {
        lmb_graph_put(writer, i == 0 ? "[" : ",");
        lmb_graph_put_number(writer, numbers[i]);
    }
    put_byte(writer, ']');
}

// Puts nothing for a value without a name, which is a default.
void lmb_graph_write_choice(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const int value = *(const int *)at(target, field);
    int count = 0;
    while (field->choices[count] != NULL) {
        count++;
    }
    if (value < count) {
        lmb_graph_put_string(writer, field->choices[value]);
    }
}

static void put_parameter(lmb_graph_writer *writer, uint32_t parameter) {
    const lmb_graph_def *def = writer->def;
    char name[32];
    snprintf(name, sizeof name, "parameter%" PRIu32, parameter);
    if (parameter >= def->parameter_count) {
        lmb_graph_refuse(writer, "a parameter that does not exist");
    } else {
        lmb_graph_put_string(writer, def->parameters != NULL ? def->parameters[parameter].name : name);
    }
}

static void put_value(lmb_graph_writer *writer, lmb_value value) {
    const bool is_curved = value.curve != LMB_CURVE_LINEAR;
    if (is_curved) {
        lmb_graph_put(writer, "{\"curve\":");
        lmb_graph_put_curve(writer, value.curve, value.control);
        lmb_graph_put(writer, ",\"of\":");
    }
    if (value.kind == LMB_VALUE_CONSTANT) {
        lmb_graph_put_number(writer, value.constant);
    } else {
        lmb_graph_put(writer, "{\"param\":");
        put_parameter(writer, value.parameter);
        put_byte(writer, '}');
    }
    lmb_graph_put(writer, is_curved ? "}" : "");
}

void lmb_graph_write_value(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    put_value(writer, *(const lmb_value *)at(target, field));
}

// A curve is written with its value.
void lmb_graph_write_nothing(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    (void)writer;
    (void)field;
    (void)target;
}

// ---- Joints and channels.

static bool is_first_of_name(const lmb_rig *rig, uint32_t joint) {
    return lmb_rig_find_joint(rig, lmb_rig_get_def(rig)->joints[joint].name) == joint;
}

void lmb_graph_put_joint(lmb_graph_writer *writer, uint32_t joint) {
    const lmb_rig *rig = writer->def->rig;
    if (joint >= lmb_rig_get_def(rig)->joint_count) {
        lmb_graph_refuse(writer, "a joint that does not exist");
    } else if (!is_first_of_name(rig, joint)) {
        lmb_graph_refuse(writer, "a joint with the name of another");
    } else {
        lmb_graph_put_string(writer, lmb_rig_get_def(rig)->joints[joint].name);
    }
}

void lmb_graph_put_channel(lmb_graph_writer *writer, uint32_t channel, bool among_joints) {
    const lmb_rig *rig = writer->def->rig;
    if (channel >= lmb_rig_get_def(rig)->channel_count) {
        lmb_graph_refuse(writer, "a channel that does not exist");
        return;
    }
    const char *name = lmb_rig_get_def(rig)->channels[channel].name;
    if (lmb_rig_find_channel(rig, name) != channel || (among_joints && lmb_rig_find_joint(rig, name) != LMB_NONE)) {
        lmb_graph_refuse(writer, "a channel with the name of another, or of a joint");
    }
    lmb_graph_put_string(writer, name);
}

void lmb_graph_write_joint(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const uint32_t joint = *(const uint32_t *)at(target, field);
    if (joint != LMB_NONE) {
        lmb_graph_put_joint(writer, joint);
    }
}

// Puts the bytes of joints that differ from those of their parents, and of channels that are not 0.
void lmb_graph_put_joint_bytes(lmb_graph_writer *writer, const uint8_t *bytes, uint8_t of_root, bool with_channels) {
    const lmb_rig *rig = writer->def->rig;
    const uint32_t joints = lmb_rig_get_def(rig)->joint_count;
    bool is_first = true;
    put_byte(writer, '{');
    for (uint32_t joint = 0; joint < joints; joint++) {
        const uint32_t parent = lmb_rig_get_def(rig)->joints[joint].parent;
        if (bytes[joint] != (parent == LMB_NONE ? of_root : bytes[parent])) {
            lmb_graph_put(writer, is_first ? "" : ",");
            is_first = false;
            lmb_graph_put_joint(writer, joint);
            put_byte(writer, ':');
            lmb_graph_put_integer(writer, bytes[joint]);
        }
    }
    for (uint32_t channel = 0; with_channels && channel < lmb_rig_get_def(rig)->channel_count; channel++) {
        if (bytes[joints + channel] != 0) {
            lmb_graph_put(writer, is_first ? "" : ",");
            is_first = false;
            lmb_graph_put_channel(writer, channel, true);
            put_byte(writer, ':');
            lmb_graph_put_integer(writer, bytes[joints + channel]);
        }
    }
    put_byte(writer, '}');
}

void lmb_graph_write_mask(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const uint32_t mask = *(const uint32_t *)at(target, field);
    if (mask != LMB_NONE) {
        lmb_graph_put_joint_bytes(writer, writer->def->masks[mask], 0, true);
    }
}

// ---- The graph.

static const char *find_refused(const lmb_graph_def *def) {
    const char *refused = def->clip_slot_count > 0                                ? "clips that are streamed"
                          : def->retarget_count > 0                               ? "retargets"
                          : def->smoothed_count > 0                               ? "smoothed parameters"
                          : def->computed_count > 0                               ? "computed parameters"
                          : def->fade_count > 0                                   ? "fades"
                          : def->motion != NULL                                   ? "character motion"
                          : def->event_count > 0                                  ? "events"
                          : def->update_every != NULL || def->interpolate_updates ? "updates of characters"
                          : def->inertialize                                      ? "inertialization by the host"
                                                                                  : NULL;
    for (uint32_t i = 0; i < def->node_count && refused == NULL; i++) {
        refused = def->nodes[i].op == LMB_OP_MACHINE                                ? "machines"
                  : def->nodes[i].op == LMB_OP_CLIP && def->nodes[i].player != NULL ? "clips that play"
                                                                                    : NULL;
    }
    return refused;
}

// Returns what the reader would refuse in a parameter, or NULL.
static const char *find_fault(const lmb_graph_def *def, uint32_t index) {
    const lmb_parameter_def *parameter = &def->parameters[index];
    const char *fault = parameter->name == NULL || parameter->name[0] == '\0' ? "a parameter without a name"
                        : !(parameter->initial >= parameter->min && parameter->initial <= parameter->max)
                            ? "a parameter whose value is outside its range"
                            : NULL;
    for (uint32_t i = 0; i < index && fault == NULL; i++) {
        fault = strcmp(def->parameters[i].name, parameter->name) == 0 ? "two parameters of one name" : NULL;
    }
    return fault;
}

static void put_parameters(lmb_graph_writer *writer, bool *is_first) {
    const lmb_graph_def *def = writer->def;
    if (def->parameter_count == 0) {
        return;
    }
    lmb_graph_put_key(writer, is_first, "parameters");
    for (uint32_t i = 0; i < def->parameter_count; i++) {
        const lmb_parameter_def none = {NULL, 0.0f, 0.0f, 0.0f};
        const lmb_parameter_def *parameter = def->parameters != NULL ? &def->parameters[i] : &none;
        const char *fault = def->parameters != NULL ? find_fault(def, i) : NULL;
        if (fault != NULL) {
            lmb_graph_refuse(writer, fault);
            return;
        }
        lmb_graph_put(writer, i == 0 ? "[{\"param\":" : "},{\"param\":");
        put_parameter(writer, i);
        lmb_graph_put(writer, ",\"default\":");
        lmb_graph_put_number(writer, parameter->initial);
        lmb_graph_put(writer, ",\"min\":");
        lmb_graph_put_number(writer, parameter->min);
        lmb_graph_put(writer, ",\"max\":");
        lmb_graph_put_number(writer, parameter->max);
    }
    lmb_graph_put(writer, "}]");
}

// ---- Definitions: the nodes that are inputs of several nodes, in the order in which the text uses them first. So the
// text does not depend on the order of the nodes.

static const char *name_of(const lmb_graph_def *def, uint32_t node) {
    return def->node_names != NULL && def->node_names[node] != NULL ? def->node_names[node] : "";
}

// Returns whether the name of a node is that of none of the first definitions.
static bool has_own_name(const lmb_graph_writer *writer, uint32_t node, uint32_t count) {
    const char *name = name_of(writer->def, node);
    bool is_own = name[0] != '\0';
    for (uint32_t i = 0; i < count && is_own; i++) {
        is_own = writer->shared[writer->definitions[i]].number != 0 ||
                 strcmp(name_of(writer->def, writer->definitions[i]), name) != 0;
    }
    return is_own;
}

static void make_name(uint32_t number, char made[32]) {
    snprintf(made, 32, "shared %" PRIu32, number);
}

// Returns the first number from that one on whose name no node has.
static uint32_t find_number(const lmb_graph_writer *writer, uint32_t number) {
    char made[32];
    for (uint32_t i = 0; i < writer->def->node_count; i++) {
        make_name(number, made);
        if (strcmp(name_of(writer->def, i), made) == 0) {
            number++;
            i = UINT32_MAX; // all nodes again
        }
    }
    return number;
}

// Adds the definition of a node, with its own name or a made one.
static void define(lmb_graph_writer *writer, uint32_t node) {
    if (!has_own_name(writer, node, writer->definition_count)) {
        writer->made_count = find_number(writer, writer->made_count + 1);
        writer->shared[node].number = writer->made_count;
    }
    writer->shared[node].is_defined = true;
    writer->definitions[writer->definition_count++] = node;
}

static void put_definition_name(lmb_graph_writer *writer, uint32_t node) {
    char made[32];
    make_name(writer->shared[node].number, made);
    lmb_graph_put_string(writer, writer->shared[node].number != 0 ? made : name_of(writer->def, node));
}

bool lmb_graph_names_definition(const lmb_graph_writer *writer, uint32_t node) {
    return writer->shared[node].is_defined && writer->shared[node].number == 0;
}

void lmb_graph_put_use(lmb_graph_writer *writer, uint32_t node) {
    if (!writer->shared[node].is_defined) {
        define(writer, node);
    }
    lmb_graph_put(writer, "{\"use\":");
    put_definition_name(writer, node);
    put_byte(writer, '}');
}

// Puts the definitions that were used so far, and those that these use.
void lmb_graph_put_definitions(lmb_graph_writer *writer) {
    writer->depth = 1;
    for (uint32_t i = 0; i < writer->definition_count && writer->fault == NULL; i++) {
        lmb_graph_put(writer, i == 0 ? ",\"define\":{" : ",");
        put_definition_name(writer, writer->definitions[i]);
        put_byte(writer, ':');
        lmb_graph_write_operation(writer, writer->definitions[i]);
    }
    lmb_graph_put(writer, writer->definition_count > 0 ? "}" : "");
}

// Finds the nodes with several uses. Returns how deep poses are nested.
static uint32_t find_shared(const lmb_graph_def *def, lmb_graph_shared *shared) {
    for (uint32_t i = 0; i < def->node_count; i++) {
        shared[i].depth = 1;
        for (uint32_t k = 0; k < def->nodes[i].input_count; k++) {
            lmb_graph_shared *input = &shared[def->nodes[i].inputs[k]];
            input->uses++;
            shared[i].depth = shared[i].depth > input->depth ? shared[i].depth : input->depth + 1;
        }
    }
    return shared[def->node_count - 1].depth;
}

static void write_graph(lmb_graph_writer *writer) {
    const lmb_graph_def *def = writer->def;
    writer->node = def->node_count - 1;
    if (find_shared(def, writer->shared) > LMB_GRAPH_POSE_DEPTH) {
        lmb_graph_refuse(writer, "poses that are nested so deep");
        return;
    }
    lmb_graph_write_operation(writer, def->node_count - 1);
    writer->node = def->node_count - 1;
    if (writer->fault == NULL && writer->written != def->node_count) {
        lmb_graph_refuse(writer, "nodes that are no input");
    }
}

// Puts the members that only the outermost pose has.
void lmb_graph_put_root(lmb_graph_writer *writer, bool *is_first) {
    const lmb_graph_def *def = writer->def;
    put_parameters(writer, is_first);
    if (def->max_emitted_events > 0) {
        lmb_graph_put_key(writer, is_first, "max-emitted-events");
        lmb_graph_put_integer(writer, def->max_emitted_events);
    }
    if (def->max_lods != NULL) {
        lmb_graph_put_key(writer, is_first, "lod");
        put_value(writer, def->lod);
        lmb_graph_put_key(writer, is_first, "max-lods");
        lmb_graph_put_joint_bytes(writer, def->max_lods, LMB_MAX_LODS - 1, false);
    }
}

lmb_result lmb_graph_json_write(const lmb_graph_def *def, const lmb_host *host, char *text, size_t room, size_t *size,
                                lmb_error *error) {
    if (size != NULL) {
        *size = 0;
    }
    if (def == NULL || size == NULL || (text == NULL && room > 0)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph: %s is NULL",
                        def == NULL    ? "the descriptor"
                        : size == NULL ? "the size"
                                       : "the text");
    }
    lmb_graph *graph = NULL;
    const lmb_result result = lmb_graph_create(def, host, &graph, error); // checks it
    lmb_graph_destroy(graph);
    if (result != LMB_OK) {
        return result;
    }
    const char *refused = find_refused(def);
    if (refused != NULL) {
        return lmb_fail(error, LMB_ERROR_UNSUPPORTED, "graph: %s cannot be written as JSON", refused);
    }
    const lmb_host resolved = lmb_host_resolve(host);
    lmb_graph_shared *shared = lmb_host_allocate(&resolved, def->node_count, sizeof *shared);
    uint32_t *definitions = lmb_host_allocate(&resolved, def->node_count, sizeof *definitions);
    lmb_graph_writer writer = {.def = def,
                               .text = text,
                               .room = room,
                               .shared = shared,
                               .definitions = definitions,
                               .hash = 0xcbf29ce484222325u};
    const bool has_memory = shared != NULL && definitions != NULL;
    if (has_memory) {
        write_graph(&writer);
    }
    lmb_host_release(&resolved, shared);
    lmb_host_release(&resolved, definitions);
    if (!has_memory) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "graph: the host has no memory");
    }
    if (writer.fault != NULL) {
        return lmb_fail(error, LMB_ERROR_UNSUPPORTED, "graph: node %" PRIu32 ": %s cannot be written as JSON",
                        writer.fault_node, writer.fault);
    }
    put_byte(&writer, '\n');
    *size = writer.length;
    return LMB_OK;
}
