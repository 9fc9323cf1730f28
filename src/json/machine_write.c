// Writes the JSON values of a machine, which its own text was read into, as a text: a line for each state, with its
// transitions below it.
#include "write.h"

#include <string.h>

typedef struct printing {
    lmb_graph_writer *writer;
    const lmb_json *json;
} printing;

// A list of keys ends with NULL.
typedef const char *const *keys;

static bool is_text(const lmb_json *json, uint32_t value, const char *text) {
    const size_t length = json->values[value].end - json->values[value].start;
    return length == strlen(text) && memcmp(json->text + json->values[value].start, text, length) == 0;
}

static bool is_among(const lmb_json *json, uint32_t key, keys list) {
    while (*list != NULL && !is_text(json, key, *list)) {
        list++;
    }
    return *list != NULL;
}

static uint32_t find_member(const printing *p, uint32_t object, const char *key) {
    bool twice;
    return lmb_json_member(p->json, object, key, &twice);
}

static void put_slice(const printing *p, uint32_t value) {
    const lmb_json_value *from = &p->json->values[value];
    lmb_graph_put_bytes(p->writer, p->json->text + from->start, from->end - from->start);
}

static void put_value(const printing *p, uint32_t value);

static void put_member(const printing *p, uint32_t key, bool *is_first) {
    lmb_graph_put(p->writer, *is_first ? "\"" : ", \"");
    *is_first = false;
    put_slice(p, key);
    lmb_graph_put(p->writer, "\": ");
    put_value(p, key + 1);
}

// Puts members of an object: those of `first` in the order of this list, then the others, without those of `later`.
// What reading them gives depends on no order but that of events and parameters, and these come after `first`.
static void put_members(const printing *p, uint32_t object, keys first, keys later) {
    const lmb_json_value *values = p->json->values;
    bool is_first = true;
    for (keys at = first; *at != NULL; at++) {
        const uint32_t value = find_member(p, object, *at);
        if (value != LMB_NONE) {
            put_member(p, value - 1, &is_first);
        }
    }
    for (uint32_t key = object + 1; key < values[object].next; key = values[key].next) {
        if (!is_among(p->json, key, first) && !is_among(p->json, key, later)) {
            put_member(p, key, &is_first);
        }
    }
}

static const char *const none[] = {NULL};

// Returns whether an object is a condition that joins only one, which it can do without.
static bool joins_one(const printing *p, uint32_t object) {
    static const char *const joints[] = {"and", "or", NULL};
    const lmb_json_value *values = p->json->values;
    return values[object].type == LMB_JSON_OBJECT && values[object].count == 1 &&
           is_among(p->json, object + 1, joints) && values[object + 2].type == LMB_JSON_ARRAY &&
           values[object + 2].count == 1;
}

static void put_value(const printing *p, uint32_t value) {
    const lmb_json_value *values = p->json->values;
    while (joins_one(p, value)) {
        value += 3; // the object, its key, the array
    }
    switch (values[value].type) {
    case LMB_JSON_OBJECT:
        lmb_graph_put(p->writer, "{");
        put_members(p, value, none, none);
        lmb_graph_put(p->writer, "}");
        break;
    case LMB_JSON_ARRAY:
        lmb_graph_put(p->writer, "[");
        for (uint32_t at = value + 1; at < values[value].next; at = values[at].next) {
            lmb_graph_put(p->writer, at == value + 1 ? "" : ", ");
            put_value(p, at);
        }
        lmb_graph_put(p->writer, "]");
        break;
    case LMB_JSON_STRING: // JSON has the escapes of the machine's text
        lmb_graph_put(p->writer, "\"");
        put_slice(p, value);
        lmb_graph_put(p->writer, "\"");
        break;
    default:
        put_slice(p, value);
    }
}

// Puts a member with a line for each element of its array, or nothing if that is empty. `before` precedes the key.
static void put_lines(const printing *p, uint32_t object, const char *before, const char *key, const char *line,
                      void (*put)(const printing *p, uint32_t element)) {
    const lmb_json_value *values = p->json->values;
    const uint32_t list = find_member(p, object, key);
    if (values[list].count == 0) {
        return;
    }
    lmb_graph_put(p->writer, before);
    lmb_graph_put(p->writer, key);
    lmb_graph_put(p->writer, "\": [");
    for (uint32_t at = list + 1; at < values[list].next; at = values[at].next) {
        lmb_graph_put(p->writer, at == list + 1 ? "" : ",");
        lmb_graph_put(p->writer, line);
        put(p, at);
    }
    lmb_graph_put(p->writer, "]");
}

static void put_transition(const printing *p, uint32_t transition) {
    static const char *const first[] = {"to", NULL};
    lmb_graph_put(p->writer, "{");
    put_members(p, transition, first, none);
    lmb_graph_put(p->writer, "}");
}

static void put_state(const printing *p, uint32_t state) {
    static const char *const first[] = {"name", "pose", NULL};
    static const char *const later[] = {"transitions", NULL};
    lmb_graph_put(p->writer, "{");
    put_members(p, state, first, later);
    put_lines(p, state, ", \"", later[0], "\n    ", put_transition);
    lmb_graph_put(p->writer, "}");
}

void lmb_graph_write_machine(lmb_graph_writer *writer, const lmb_json *json) {
    static const char *const first[] = {"op", "name", "initial", NULL};
    static const char *const later[] = {"states", "any", NULL};
    const printing p = {writer, json};
    lmb_graph_put(writer, "{");
    put_members(&p, 0, first, later);
    put_lines(&p, 0, ", \"", later[0], "\n  ", put_state);
    put_lines(&p, 0, ",\n \"", later[1], "\n  ", put_transition);
    lmb_graph_put(writer, "}\n");
}
