// Writes the JSON schema (draft 7) of graphs from the tables that read them.
//
// The schema of a field is the text of its kind. In such a text ' stands for ", @NAME for a reference to a definition,
// $inside for the schema of the object inside, and another word that begins with $ for what differs from field to field
// (put_word()). An operation is a definition with its fields. A pose requires the fields of the operation that its "op"
// names; the outermost one may have more.
#include "matching.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct schema {
    char *text;
    size_t size;
    size_t length; // of the whole text, also if it does not fit
    uint32_t depth;
    bool in_string;
} schema;

// ---- Characters: objects and arrays near the top have a line for each element.

enum { LINES_DEPTH = 4 };

static void put_byte(schema *schema, char byte) {
    if (schema->length + 1 < schema->size) {
        schema->text[schema->length] = byte;
    }
    schema->length++;
}

static void put_line(schema *schema) {
    put_byte(schema, '\n');
    for (uint32_t i = 0; i < schema->depth; i++) {
        put_byte(schema, ' ');
    }
}

static void put_open(schema *schema, char byte) {
    put_byte(schema, byte);
    schema->depth++;
    if (schema->depth <= LINES_DEPTH) {
        put_line(schema);
    }
}

static void put_close(schema *schema, char byte) {
    schema->depth--;
    if (schema->depth < LINES_DEPTH) {
        put_line(schema);
    }
    put_byte(schema, byte);
}

static void put_between(schema *schema, char byte) {
    put_byte(schema, byte);
    if (byte == ',' && schema->depth <= LINES_DEPTH) {
        put_line(schema);
    } else {
        put_byte(schema, ' ');
    }
}

static void put(schema *schema, char byte) {
    if (schema->in_string) {
        put_byte(schema, byte);
    } else if (byte == '{' || byte == '[') {
        put_open(schema, byte);
    } else if (byte == '}' || byte == ']') {
        put_close(schema, byte);
    } else if (byte == ',' || byte == ':') {
        put_between(schema, byte);
    } else {
        put_byte(schema, byte);
    }
    schema->in_string ^= byte == '"';
}

// Puts a text in which ' stands for ".
static void put_json(schema *schema, const char *text) {
    for (; *text != '\0'; text++) {
        put(schema, *text == '\'' ? '"' : *text);
    }
}

// Puts a string; none of them needs an escape.
static void put_string(schema *schema, const char *text) {
    put(schema, '"');
    for (; *text != '\0'; text++) {
        put(schema, *text);
    }
    put(schema, '"');
}

static void put_comma(schema *schema, bool *is_first) {
    if (!*is_first) {
        put(schema, ',');
    }
    *is_first = false;
}

// Puts a number, with a point in every locale.
static void put_number(schema *schema, float number) {
    char text[64];
    snprintf(text, sizeof text, fabsf(number) >= 1.0f || number == 0.0f ? "%.0f" : "%.6g", (double)number);
    for (const char *c = text; *c != '\0'; c++) {
        put(schema, *c == ',' ? '.' : *c);
    }
}

// Puts a description, in which $ stands for the default.
static void put_about(schema *schema, const char *about, const lmb_field *row) {
    put(schema, '"');
    for (; *about != '\0'; about++) {
        if (*about == '$') {
            put_number(schema, *(const float *)row->initial);
        } else {
            put(schema, *about);
        }
    }
    put(schema, '"');
}

static void put_names(schema *schema, const char *const *names) {
    bool is_first = true;
    for (; *names != NULL; names++) {
        put_comma(schema, &is_first);
        put_string(schema, *names);
    }
}

static void put_curves(schema *schema) {
    bool is_first = true;
    for (int curve = 0; curve < LMB_CURVE_COUNT; curve++) {
        if (curve != LMB_CURVE_BEZIER) {
            put_comma(schema, &is_first);
            put_string(schema, lmb_curve_name((lmb_curve)curve));
        }
    }
}

// ---- Texts of kinds.

static void put_members(schema *schema, const lmb_graph_fields *fields);

// Puts what the words of a text stand for, except $inside.
static void put_word(schema *schema, const char *word, const lmb_graph_field *field) {
    if (strcmp(word, "range") == 0) {
        put_json(schema, "'minimum':");
        put_number(schema, field->min);
        put_json(schema, ",'maximum':");
        put_number(schema, field->max);
    } else if (strcmp(word, "min") == 0) {
        put_number(schema, field->min);
    } else if (strcmp(word, "max") == 0) {
        put_number(schema, field->max);
    } else if (strcmp(word, "count") == 0) {
        put_number(schema, (float)field->count);
    } else if (strcmp(word, "choices") == 0) {
        put_names(schema, field->choices);
    } else if (strcmp(word, "curves") == 0) {
        put_curves(schema);
    }
}

static void put_reference(schema *schema, const char *name) {
    put_json(schema, "'$ref':'#/definitions/");
    put_json(schema, name);
    put(schema, '"');
}

// Puts the word after @ or $, and returns where the text continues.
static const char *put_special(schema *schema, const char *text, const lmb_graph_field *field) {
    char word[32];
    const size_t length = strspn(text + 1, "abcdefghijklmnopqrstuvwxyz-");
    snprintf(word, sizeof word, "%.*s", (int)length, text + 1);
    const bool is_object = text[0] == '@' || strcmp(word, "inside") == 0;
    if (!is_object) {
        put_word(schema, word, field);
    } else {
        put(schema, '{');
        if (text[0] == '@') {
            put_reference(schema, word);
        } else {
            put_members(schema, field->inside);
        }
        put(schema, '}');
    }
    return text + 1 + length;
}

static void put_text(schema *schema, const char *text, const char *end, const lmb_graph_field *field) {
    while (text < end) {
        if (*text == '@' || (*text == '$' && !schema->in_string)) {
            text = put_special(schema, text, field);
        } else {
            put(schema, *text == '\'' ? '"' : *text);
            text++;
        }
    }
}

// Puts the schema of a value, which is an object, with a description as its first member unless that is NULL.
static void put_value(schema *schema, const char *about, const char *text, const lmb_graph_field *field) {
    put(schema, '{');
    if (about != NULL) {
        put_json(schema, "'description':");
        put_about(schema, about, field->row);
        put(schema, ',');
    }
    if (text[0] == '@') {
        put_reference(schema, text + 1);
    } else if (text[0] == '$') {
        put_members(schema, field->inside);
    } else {
        put_text(schema, text + 1, text + strlen(text) - 1, field);
    }
    put(schema, '}');
}

// ---- Objects.

static void put_key(schema *schema, const char *key) {
    put_string(schema, key);
    put(schema, ':');
}

static void put_field(schema *schema, const lmb_graph_field *field) {
    put_key(schema, field->name);
    put_value(schema, field->about, field->schema != NULL ? field->schema : field->kind->schema, field);
}

// Puts the fields of an object after what precedes them.
static void put_fields(schema *schema, const lmb_graph_fields *fields, bool is_first) {
    for (size_t i = 0; i < fields->count; i++) {
        const lmb_graph_field field = lmb_graph_complete(fields, i);
        put_comma(schema, &is_first);
        put_field(schema, &field);
    }
}

// Puts the names of the fields that are required. `first` precedes them unless it is NULL.
static void put_required(schema *schema, const char *first, const lmb_graph_fields *fields) {
    bool is_first = true;
    put_json(schema, "'required':[");
    if (first != NULL) {
        put_comma(schema, &is_first);
        put_string(schema, first);
    }
    for (size_t i = 0; i < fields->count; i++) {
        if (fields->fields[i].required) {
            put_comma(schema, &is_first);
            put_string(schema, fields->fields[i].name);
        }
    }
    put(schema, ']');
}

static void put_also(schema *schema, const char *also) {
    put_json(schema, ",'additionalProperties':false");
    if (also != NULL) {
        put(schema, ',');
        put_json(schema, also);
    }
}

// Puts the members of an object's schema.
static void put_members(schema *schema, const lmb_graph_fields *fields) {
    put_json(schema, "'type':'object','properties':{");
    put_fields(schema, fields, true);
    put_json(schema, "},");
    put_required(schema, NULL, fields);
    put_also(schema, fields->also);
}

// ---- Operations and poses. The definition of an operation is op-NAME.

// Puts that an operation may have the members of every pose, which put_op() describes. A machine has a name of its own.
static void put_node_members(schema *schema, const lmb_graph_operation *operation) {
    for (int i = 0; i < LMB_GRAPH_NODE_FIELDS; i++) {
        if (!lmb_graph_has_field(&operation->fields, lmb_graph_node_members[i].name)) {
            put(schema, ',');
            put_key(schema, lmb_graph_node_members[i].name);
            put_json(schema, "true");
        }
    }
}

static void put_operation(schema *schema, const lmb_graph_operation *operation) {
    put_json(schema, "'op-");
    put_json(schema, operation->name);
    put_json(schema, "':{'description':");
    put_string(schema, operation->about);
    put_json(schema, ",'properties':{'op':{'const':");
    put_string(schema, operation->name);
    put(schema, '}');
    put_fields(schema, &operation->fields, false);
    put_node_members(schema, operation);
    put_json(schema, "},");
    put_required(schema, "op", &operation->fields);
    put_also(schema, operation->also);
    put(schema, '}');
}

// Puts the operation of the outermost pose, which refers to the fields of the operation.
static void put_root_operation(schema *schema, const lmb_graph_operation *operation) {
    put_json(schema, "{'properties':{'op':true");
    for (size_t i = 0; i < operation->fields.count; i++) {
        const char *name = operation->fields.fields[i].name;
        put(schema, ',');
        put_key(schema, name);
        put_json(schema, "{'$ref':'#/definitions/op-");
        put_json(schema, operation->name);
        put_json(schema, "/properties/");
        put_json(schema, name);
        put_json(schema, "'}");
    }
    for (int i = 0; i < LMB_GRAPH_ROOT_FIELDS; i++) {
        put(schema, ',');
        put_key(schema, lmb_graph_root_members[i].field.name);
        put_json(schema, "true");
    }
    put_node_members(schema, operation);
    put_json(schema, "},");
    put_required(schema, NULL, &operation->fields);
    put_also(schema, operation->also);
    put(schema, '}');
}

// Puts a choice among the operations by "op".
static void put_choice(schema *schema, bool is_root) {
    bool is_first = true;
    put_json(schema, "'allOf':[");
    for (int i = 0; i < LMB_OP_COUNT; i++) {
        const lmb_graph_operation *operation = &lmb_graph_operations[i];
        put_comma(schema, &is_first);
        put_json(schema, "{'if':{'required':['op'],'properties':{'op':{'const':");
        put_string(schema, operation->name);
        put_json(schema, "}}},'then':");
        if (is_root) {
            put_root_operation(schema, operation);
        } else {
            put_json(schema, "{'$ref':'#/definitions/op-");
            put_json(schema, operation->name);
            put_json(schema, "'}");
        }
        put(schema, '}');
    }
    put(schema, ']');
}

// Puts "op" with the names of all operations, and the members of every pose.
static void put_op(schema *schema) {
    bool is_first = true;
    put_json(schema, "'op':{'description':'The operation.','enum':[");
    for (int i = 0; i < LMB_OP_COUNT; i++) {
        put_comma(schema, &is_first);
        put_string(schema, lmb_graph_operations[i].name);
    }
    put_json(schema, "]}");
    for (int i = 0; i < LMB_GRAPH_NODE_FIELDS; i++) {
        put(schema, ',');
        put_field(schema, &lmb_graph_node_members[i]);
    }
}

static void put_pose(schema *schema) {
    put_json(schema, "'pose':{'description':'A pose.','type':'object','anyOf':[{'required':['op'],"
                     "'not':{'required':['use']}},{'$ref':'#/definitions/use'}],'properties':{");
    put_op(schema);
    put_json(schema, "},");
    put_choice(schema, false);
    put(schema, '}');
}

static void put_definitions(schema *schema) {
    static const lmb_graph_definition *const lists[] = {
        lmb_graph_operation_definitions, lmb_graph_value_definitions,    lmb_graph_curve_definitions,
        lmb_graph_joint_definitions,     lmb_graph_retarget_definitions, lmb_graph_player_definitions,
        lmb_graph_machine_definitions,   lmb_graph_use_definitions,      lmb_graph_matching_definitions};
    put_json(schema, "'definitions':{");
    put_pose(schema);
    for (int i = 0; i < LMB_OP_COUNT; i++) {
        put(schema, ',');
        put_operation(schema, &lmb_graph_operations[i]);
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (const lmb_graph_definition *definition = lists[i]; definition->name != NULL; definition++) {
            const lmb_graph_field inside = {.inside = definition->inside};
            put(schema, ',');
            put_key(schema, definition->name);
            put_value(schema, definition->about, definition->schema, &inside);
        }
    }
    put(schema, '}');
}

size_t lmb_graph_json_schema(char *text, size_t size) {
    schema schema = {.text = text, .size = size};
    put_json(&schema, "{'$schema':'http://json-schema.org/draft-07/schema#','title':'A graph of Limber',"
                      "'type':'object','required':['op'],'properties':{");
    put_op(&schema);
    for (int i = 0; i < LMB_GRAPH_ROOT_FIELDS; i++) {
        put(&schema, ',');
        put_field(&schema, &lmb_graph_root_members[i].field);
    }
    put_json(&schema, "},'dependencies':{'max-lods':['lod']},");
    put_choice(&schema, true);
    put(&schema, ',');
    put_definitions(&schema);
    put(&schema, '}');
    put_byte(&schema, '\n');
    if (size > 0) {
        text[schema.length < size ? schema.length : size - 1] = '\0';
    }
    return schema.length;
}
