// Inserts a machine's text into the text of a graph.
#include "graph.h"

#include <string.h>

static const char opening[] = "{\"op\":\"machine\"";

// Returns whether an object is a machine that has no members except a name.
static bool is_open(const lmb_graph_reader *reader, uint32_t object, uint32_t *name) {
    const lmb_json_value *values = reader->json.values;
    bool twice;
    uint32_t op = lmb_json_member(&reader->json, object, "op", &twice);
    *name = lmb_json_member(&reader->json, object, "name", &twice);
    uint32_t members = *name == LMB_NONE ? 1 : 2;
    bool named = *name == LMB_NONE || values[*name].type == LMB_JSON_STRING;
    return op != LMB_NONE && values[op].type == LMB_JSON_STRING && lmb_graph_is_text(reader, op, "machine") && named &&
           values[object].count == members;
}

static char *write(char *at, const char *text, size_t length) {
    memcpy(at, text, length);
    return at + length;
}

// Reads the text with the machine inserted from `start` to `end`. If the machine's text has no name, it gets the name
// at the value `name`.
static bool read_inserted(lmb_graph_reader *reader, size_t start, size_t end, uint32_t name) {
    static const char key[] = ",\"name\":\"";
    const lmb_machine_text *machine = reader->machine;
    const lmb_json_value *named = name == LMB_NONE || machine->has_name ? NULL : &reader->json.values[name];
    size_t name_length = named == NULL ? 0 : named->end - named->start;
    size_t room = reader->size - (end - start) + sizeof opening + machine->size + sizeof key + name_length + 1;
    char *text = lmb_graph_allocate(reader, &reader->scratch, room, 1);
    if (text == NULL) {
        return false;
    }
    char *at = write(text, reader->text, start);
    at = write(at, opening, strlen(opening));
    if (named != NULL) {
        at = write(at, key, strlen(key));
        at = write(at, reader->text + named->start, name_length);
        at = write(at, "\"", 1);
    }
    at = write(at, machine->json, machine->size);
    reader->insert = (lmb_graph_insert){.start = start, .end = (size_t)(at - text), .replaced = end - start};
    at = write(at, reader->text + end, reader->size - end);
    lmb_json_error error;
    if (lmb_json_read(text, (size_t)(at - text), &reader->scratch, &reader->json, &error)) {
        return true;
    }
    if (error.result == LMB_ERROR_MEMORY) {
        reader->result = reader->graph->budget.exceeded ? LMB_ERROR_LIMIT : LMB_ERROR_MEMORY;
    } else {
        // The only possible error: the inserted text is nested deeper than JSON may be.
        lmb_graph_report_text(reader, &(lmb_json_error){.line = 1, .column = 1, .reason = error.reason});
    }
    return false;
}

bool lmb_graph_insert_machine(lmb_graph_reader *reader) {
    if (reader->machine->source == reader->source) {
        return read_inserted(reader, 0, reader->size, LMB_NONE);
    }
    const lmb_json *json = &reader->json;
    for (uint32_t i = 0; i < json->count; i++) {
        uint32_t name;
        if (json->values[i].type == LMB_JSON_OBJECT && is_open(reader, i, &name)) {
            return read_inserted(reader, json->values[i].start, json->values[i].end, name);
        }
    }
    lmb_graph_report(reader, 0, "there is no machine without states, for those of the machine's own text");
    return false;
}
