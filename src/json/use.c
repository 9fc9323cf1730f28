// Definitions: poses that have names, and their uses. A definition is read where the text uses it first; further uses
// are the same node. So what plays in it exists once, whatever the number of uses. Inside a retarget the clips are
// those of another character, so a definition is read once for each character that it is used for.
#include "graph.h"

#include <stdio.h>
#include <string.h>

typedef enum use_state { USE_BEING_READ, USE_READ, USE_WRONG } use_state;

// A definition that was read for a character.
struct lmb_graph_used {
    uint32_t defined;
    const lmb_graph_character *character;
    use_state state;
    uint32_t node;
    uint32_t count; // uses
    uint32_t next;  // reading of the same definition, or LMB_NONE
};

static const char *name_at(const void *graph, uint32_t index) {
    return ((const lmb_graph_reader *)graph)->defined[index].name;
}

static uint32_t find_defined(const lmb_graph_reader *reader, const char *name) {
    uint32_t i = lmb_index_first(&reader->defined_index, lmb_index_hash_text(name));
    while (i != LMB_NONE && strcmp(reader->defined[i].name, name) != 0) {
        i = lmb_index_next(&reader->defined_index, i);
    }
    return i;
}

void lmb_graph_read_definitions(lmb_graph_reader *reader, uint32_t object, bool is_included) {
    const lmb_json_value *values = reader->json.values;
    if (!lmb_graph_expect(reader, object, LMB_JSON_OBJECT)) {
        return;
    }
    for (uint32_t key = object + 1; key < values[object].next && reader->result == LMB_OK; key = values[key].next) {
        const lmb_graph_defined added = {.name = lmb_graph_text(reader, &reader->graph->pool, key),
                                         .value = key + 1,
                                         .arguments = lmb_graph_find_member(reader, key + 1, "arguments"),
                                         .is_included = is_included,
                                         .first = LMB_NONE};
        if (added.name == NULL) {
            continue;
        }
        if (added.name[0] == '\0') {
            lmb_graph_report(reader, key, LMB_EMPTY_NAME);
        }
        if (find_defined(reader, added.name) != LMB_NONE) {
            lmb_graph_report(reader, key, "another definition has this name");
        }
        lmb_graph_append(reader, &reader->scratch, &reader->defined, &reader->defined_count, &added, sizeof added);
        if (reader->result == LMB_OK &&
            !lmb_index_add(&reader->defined_index, &reader->scratch, lmb_index_hash_text(added.name))) {
            lmb_graph_fail_memory(reader);
        }
    }
}

// Returns the reading of a definition for the present character, or LMB_NONE.
static uint32_t find_used(const lmb_graph_reader *reader, uint32_t defined) {
    uint32_t i = reader->defined[defined].first;
    while (i != LMB_NONE && reader->used[i].character != reader->character) {
        i = reader->used[i].next;
    }
    return i;
}

// Reports a definition in which it is used itself, and names those on the way.
static void report_cycle(lmb_graph_reader *reader, uint32_t value, uint32_t used) {
    char names[160] = "";
    for (uint32_t i = used; i < reader->used_count; i++) {
        if (reader->used[i].state == USE_BEING_READ) {
            lmb_graph_list_name(names, sizeof names, reader->defined[reader->used[i].defined].name);
        }
    }
    lmb_graph_report(reader, value, "a definition uses itself: %s", names);
}

// Reads a definition where it is used first.
static void read_definition(lmb_graph_reader *reader, uint32_t index) {
    const lmb_graph_defined defined = reader->defined[reader->used[index].defined]; // the list grows meanwhile
    lmb_graph_json *graph = reader->graph;
    const uint32_t problems = reader->problem_count;
    const uint32_t node = lmb_graph_read_pose(reader, defined.value);
    reader->used[index].node = node;
    reader->used[index].state = reader->problem_count == problems ? USE_READ : USE_WRONG;
    if (node < graph->def.node_count && graph->node_names[node] == NULL) {
        graph->node_names[node] = defined.name;
    }
}

// Returns the index of a use of a definition for the present character; LMB_NONE after an error was reported.
static uint32_t use_definition(lmb_graph_reader *reader, uint32_t value, uint32_t defined) {
    uint32_t index = find_used(reader, defined);
    if (index == LMB_NONE && reader->use_depth == LMB_GRAPH_POSE_DEPTH) {
        lmb_graph_report(reader, value, "more than %u definitions that use each other", LMB_GRAPH_POSE_DEPTH);
    } else if (index == LMB_NONE) {
        const struct lmb_graph_used added = {
            .defined = defined, .character = reader->character, .next = reader->defined[defined].first};
        index = reader->used_count;
        if (!lmb_graph_append(reader, &reader->scratch, &reader->used, &reader->used_count, &added, sizeof added)) {
            return LMB_NONE;
        }
        reader->defined[defined].first = index;
        reader->use_depth++;
        read_definition(reader, index);
        reader->use_depth--;
    } else if (reader->used[index].state == USE_BEING_READ) {
        report_cycle(reader, value, index);
    }
    return index;
}

// A use that is read.
typedef struct use_target {
    uint32_t object;
    uint32_t use; // its index, or LMB_NONE
} use_target;

static void read_used(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    use_target *use = target;
    const char *name = lmb_graph_read_name(reader, value, LMB_EMPTY_NAME);
    if (name == NULL || name[0] == '\0') {
        return;
    }
    const uint32_t named = find_defined(reader, name);
    if (named == LMB_NONE) {
        lmb_graph_report_name(reader, value, "there is no definition", name,
                              (lmb_graph_names){name_at, reader, reader->defined_index.count});
        return;
    }
    reader->defined[named].is_used = true;
    const uint32_t defined = lmb_graph_argue(reader, use->object, named);
    use->use = defined != LMB_NONE ? use_definition(reader, value, defined) : LMB_NONE;
}

static const lmb_graph_kind kind_used = {read_used, "{'type':'string','minLength':1}", NULL};

// The values are read where the definition has them.
static void read_with(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    (void)target;
    lmb_graph_expect(reader, value, LMB_JSON_OBJECT);
}

static const lmb_graph_kind kind_with = {read_with, "{'type':'object'}", NULL};

static const lmb_graph_field use_members[] = {
    {.name = "use", .about = "The name of a definition.", .required = true, .kind = &kind_used},
    {.name = "with", .about = "Values of the definition's arguments.", .kind = &kind_with},
    LMB_COMMENT_FIELD,
};
static const lmb_graph_fields use_fields = {LMB_FIELDS("a use", use_members)};

const lmb_graph_definition lmb_graph_use_definitions[] = {
    {"use", "A definition, which is the same pose wherever it is used.", "$inside", &use_fields},
    {NULL, NULL, NULL, NULL},
};

uint32_t lmb_graph_read_use(lmb_graph_reader *reader, uint32_t object, uint32_t *use) {
    use_target target = {object, LMB_NONE};
    lmb_graph_read_fields(reader, &use_fields, object, &target);
    *use = target.use;
    if (*use == LMB_NONE || reader->used[*use].state != USE_READ) {
        *use = LMB_NONE;
        return 0;
    }
    reader->used[*use].count++;
    return reader->used[*use].node;
}

bool lmb_graph_is_shared(const lmb_graph_reader *reader, uint32_t use) {
    return reader->used[use].count > 1;
}

void lmb_graph_finish_definitions(lmb_graph_reader *reader) {
    for (uint32_t i = 0; i < reader->defined_count && reader->problem_count == 0 && reader->result == LMB_OK; i++) {
        if (!reader->defined[i].is_used && !reader->defined[i].is_included) {
            lmb_graph_warn(reader, reader->defined[i].value - 1, "no pose uses this definition, so it was not checked");
        }
    }
}
