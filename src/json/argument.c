// Definitions with arguments. For each use with other arguments there is a copy of the definition, in which the values
// of the arguments are in place. The values of a copy are appended to those of the text, so everything else reads them
// as if they were in it. Copies are found by their arguments, so uses with the same ones have the same copy.
//
// A copy is made when its use is read. Callers may hold a pointer to the values meanwhile: the list that it points to
// stays as it is when the values get more room.
#include "graph.h"

#include <stdio.h>
#include <string.h>

#define MAX_ARGUMENTS 64u            // of a definition
#define MAX_GIVEN_VALUES (1u << 20)  // that arguments have in all uses, since each use compares them
#define MAX_COPIES 4096u             // of all definitions
#define MAX_COPIED_VALUES (1u << 18) // in all copies

// A copy of a definition.
struct lmb_graph_copy {
    uint32_t of;      // the definition
    uint32_t defined; // the copy, among the definitions
    uint32_t use;     // the object for which it was made
    uint32_t *given;  // the value of each argument
};

const lmb_graph_copied *lmb_graph_copied_at(const lmb_graph_reader *reader, uint32_t value) {
    const bool is_copied = reader->copies.first != 0 && value >= reader->copies.first;
    return is_copied ? &reader->copies.values[value - reader->copies.first] : NULL;
}

uint32_t lmb_graph_origin(const lmb_graph_reader *reader, uint32_t value) {
    const lmb_graph_copied *copied = lmb_graph_copied_at(reader, value);
    return copied != NULL ? copied->origin : value;
}

// Returns the copy whose definition has a value, or LMB_NONE.
static uint32_t copy_of(const lmb_graph_reader *reader, uint32_t value) {
    const lmb_graph_copied *copied = lmb_graph_copied_at(reader, value);
    return copied != NULL ? copied->copy : LMB_NONE;
}

uint32_t lmb_graph_use_of(const lmb_graph_reader *reader, uint32_t copy) {
    return reader->copies.list[copy].use;
}

// ---- Names of arguments. They are compared as they are written.

// Returns the name in {"argument": NAME}, or LMB_NONE if the value is something else.
static uint32_t argument_name(const lmb_graph_reader *reader, uint32_t value) {
    const lmb_json_value *values = reader->json.values;
    const bool is_one = values[value].type == LMB_JSON_OBJECT && values[value].count == 1 &&
                        lmb_graph_is_text(reader, value + 1, "argument") && values[value + 2].type == LMB_JSON_STRING;
    return is_one ? value + 2 : LMB_NONE;
}

bool lmb_graph_refuse_argument(lmb_graph_reader *reader, uint32_t value) {
    const bool is_argument = argument_name(reader, value) != LMB_NONE;
    if (is_argument) {
        lmb_graph_report(reader, value, "no definition with \"arguments\" is around this argument");
    }
    return is_argument;
}

// Returns the index of an argument, or LMB_NONE if the object has none of this name.
static uint32_t find_argument(const lmb_graph_reader *reader, uint32_t arguments, uint32_t name) {
    const lmb_json_value *values = reader->json.values;
    uint32_t index = 0;
    for (uint32_t key = arguments + 1; key < values[arguments].next; key = values[key].next, index++) {
        if (lmb_graph_is_same_text(reader, key, name)) {
            return index;
        }
    }
    return LMB_NONE;
}

static const char *text_at(const void *names, uint32_t index) {
    return ((const char *const *)names)[index];
}

// Reports that a definition has no argument of a name, and which ones it has.
static void report_name(lmb_graph_reader *reader, uint32_t arguments, uint32_t value) {
    const lmb_json_value *values = reader->json.values;
    const char **names =
        lmb_graph_allocate(reader, &reader->scratch, (size_t)values[arguments].count + 1, sizeof *names);
    const char *name = lmb_graph_text(reader, &reader->scratch, value);
    uint32_t count = 0;
    for (uint32_t key = arguments + 1; names != NULL && key < values[arguments].next; key = values[key].next) {
        names[count] = lmb_graph_text(reader, &reader->scratch, key);
        count += names[count] != NULL;
    }
    if (names != NULL && name != NULL) {
        lmb_graph_report_name(reader, value, "the definition has no argument", name,
                              (lmb_graph_names){text_at, names, count});
    }
}

// Marks the arguments that a definition uses, and reports those that it does not have.
static void mark_used(lmb_graph_reader *reader, const lmb_graph_defined *defined, bool *is_used) {
    const lmb_json_value *values = reader->json.values;
    for (uint32_t i = defined->value; i < values[defined->value].next; i++) {
        if (i == defined->arguments) {
            i = values[i].next - 1;
            continue;
        }
        const uint32_t name = argument_name(reader, i);
        const uint32_t index = name == LMB_NONE ? LMB_NONE : find_argument(reader, defined->arguments, name);
        if (index != LMB_NONE) {
            is_used[index] = true;
        } else if (name != LMB_NONE) {
            report_name(reader, defined->arguments, name);
        }
    }
}

// Reports a default that is an argument itself.
static void check_defaults(lmb_graph_reader *reader, uint32_t arguments) {
    for (uint32_t i = arguments + 1; i < reader->json.values[arguments].next; i++) {
        if (argument_name(reader, i) != LMB_NONE) {
            lmb_graph_report(reader, i, "a default has no arguments");
        }
    }
}

// Checks what a definition says of its arguments.
static void check_arguments(lmb_graph_reader *reader, const lmb_graph_defined *defined) {
    const lmb_json_value *values = reader->json.values;
    const uint32_t arguments = defined->arguments;
    if (!lmb_graph_expect(reader, arguments, LMB_JSON_OBJECT)) {
        return;
    }
    if (values[arguments].count > MAX_ARGUMENTS) {
        lmb_graph_report(reader, arguments, "%u arguments, where at most %u were expected",
                         (unsigned)values[arguments].count, MAX_ARGUMENTS);
        return;
    }
    bool is_used[MAX_ARGUMENTS] = {false};
    check_defaults(reader, arguments);
    mark_used(reader, defined, is_used);
    uint32_t index = 0;
    for (uint32_t key = arguments + 1; key < values[arguments].next; key = values[key].next, index++) {
        if (values[key].start == values[key].end) {
            lmb_graph_report(reader, key, LMB_EMPTY_NAME);
        } else if (lmb_graph_is_text(reader, key, "argument")) { // "with": {"argument": "x"} would be one itself
            lmb_graph_report(reader, key, "an argument needs another name");
        } else if (find_argument(reader, arguments, key) != index) {
            lmb_graph_report(reader, key, "given twice");
        } else if (!is_used[index]) {
            lmb_graph_warn(reader, key, "the definition does not use this argument");
        }
    }
}

// Reports a limit, once: after it no copy is read, for the last one may be incomplete.
static void report_limit(lmb_graph_reader *reader, uint32_t use, uint32_t max, const char *what) {
    if (!reader->copies.are_full) {
        lmb_graph_report(reader, use, "more than %u %s", (unsigned)max, what);
    }
    reader->copies.are_full = true;
}

// ---- Values of arguments.

// Finds the values of the arguments for a use. Returns NULL after an error.
static uint32_t *find_given(lmb_graph_reader *reader, uint32_t arguments, uint32_t object, uint32_t with) {
    const lmb_json_value *values = reader->json.values;
    const uint32_t problems = reader->problem_count;
    uint32_t *given = lmb_graph_allocate(reader, &reader->scratch, (size_t)values[arguments].count + 1, sizeof *given);
    if (given == NULL) {
        return NULL;
    }
    for (uint32_t key = with + 1; with != LMB_NONE && key < values[with].next; key = values[key].next) {
        const uint32_t index = find_argument(reader, arguments, key);
        if (index == LMB_NONE) {
            report_name(reader, arguments, key);
        } else if (given[index] != 0) {
            lmb_graph_report(reader, key, "given twice");
        } else {
            given[index] = key + 1;
        }
    }
    uint32_t index = 0;
    for (uint32_t key = arguments + 1; key < values[arguments].next; key = values[key].next, index++) {
        if (given[index] == 0 && values[key + 1].type == LMB_JSON_NULL && reader->problem_count == problems) {
            const char *name = lmb_graph_text(reader, &reader->scratch, key);
            lmb_graph_report(reader, object, "the argument '%.80s' is missing", name == NULL ? "" : name);
        }
        given[index] = given[index] == 0 ? key + 1 : given[index];
        reader->copies.given_count += values[given[index]].next - given[index];
    }
    if (reader->copies.given_count > MAX_GIVEN_VALUES) {
        report_limit(reader, object, MAX_GIVEN_VALUES, "values of arguments in all uses");
    }
    return reader->problem_count == problems ? given : NULL;
}

// Numbers are the same if they have the same value; everything else must be written alike, apart from spaces.
static bool is_same_value(const lmb_graph_reader *reader, uint32_t a, uint32_t b) {
    const lmb_json *json = &reader->json;
    const uint32_t size = json->values[a].next - a;
    bool is_same = json->values[b].next - b == size;
    for (uint32_t i = 0; is_same && i < size; i++) {
        const lmb_json_value *x = &json->values[a + i], *y = &json->values[b + i];
        is_same = x->type == y->type && x->next - a == y->next - b;
        if (is_same && x->type == LMB_JSON_NUMBER) {
            is_same = lmb_json_number(json, a + i) == lmb_json_number(json, b + i);
        } else if (is_same && x->type != LMB_JSON_ARRAY && x->type != LMB_JSON_OBJECT) {
            is_same = lmb_graph_is_same_text(reader, a + i, b + i);
        }
    }
    return is_same;
}

static uint64_t join(uint64_t hash, uint64_t with) {
    const uint64_t both[2] = {hash, with};
    return lmb_index_hash(both, sizeof both);
}

// Returns a hash that is equal for the same values.
static uint64_t hash_value(const lmb_json *json, uint32_t value, uint64_t hash) {
    for (uint32_t i = value; i < json->values[value].next; i++) {
        const lmb_json_value *at = &json->values[i];
        hash = join(hash, at->type);
        if (at->type == LMB_JSON_NUMBER) {
            const double number = lmb_json_number(json, i) + 0.0; // -0 becomes 0
            hash = join(hash, lmb_index_hash(&number, sizeof number));
        } else if (at->type != LMB_JSON_ARRAY && at->type != LMB_JSON_OBJECT) {
            hash = join(hash, lmb_index_hash(json->text + at->start, at->end - at->start));
        }
    }
    return hash;
}

static uint64_t hash_given(const lmb_graph_reader *reader, uint32_t of, const uint32_t *given, uint32_t count) {
    uint64_t hash = of;
    for (uint32_t i = 0; i < count; i++) {
        hash = hash_value(&reader->json, given[i], hash);
    }
    return hash;
}

// Returns the copy of a definition with these arguments, or LMB_NONE.
static uint32_t find_copy(const lmb_graph_reader *reader, uint64_t hash, uint32_t of, const uint32_t *given,
                          uint32_t count) {
    uint32_t copy = lmb_index_first(&reader->copies.index, hash);
    for (; copy != LMB_NONE; copy = lmb_index_next(&reader->copies.index, copy)) {
        bool is_same = reader->copies.list[copy].of == of;
        for (uint32_t i = 0; is_same && i < count; i++) {
            is_same = is_same_value(reader, reader->copies.list[copy].given[i], given[i]);
        }
        if (is_same) {
            return copy;
        }
    }
    return LMB_NONE;
}

// ---- Copies.

typedef struct copier {
    lmb_graph_reader *reader;
    uint32_t arguments; // of the definition
    const uint32_t *given;
    uint32_t copy;
    uint32_t use; // for messages
} copier;

static bool make_room(lmb_graph_reader *reader) {
    lmb_json *json = &reader->json;
    if (json->count < reader->copies.room) {
        return true;
    }
    const uint32_t room = json->count + (json->count < 1024 ? 1024 : json->count);
    lmb_json_value *values = lmb_graph_allocate(reader, &reader->scratch, room, sizeof *values);
    if (values == NULL) {
        return false;
    }
    memcpy(values, json->values, json->count * sizeof *values);
    json->values = values;
    reader->copies.room = room;
    return true;
}

// Adds a value, which is inside of the value of an argument unless that is LMB_NONE.
static bool add_value(const copier *copier, uint32_t from, uint32_t argument) {
    lmb_graph_reader *reader = copier->reader;
    lmb_json *json = &reader->json;
    if (reader->copies.value_count >= MAX_COPIED_VALUES) {
        report_limit(reader, copier->use, MAX_COPIED_VALUES, "values in copies of definitions with arguments");
        return false;
    }
    const bool is_default = from > copier->arguments && from < json->values[copier->arguments].next;
    const lmb_graph_copied copied = {.origin = lmb_graph_origin(reader, from),
                                     .copy = argument == LMB_NONE || is_default ? copier->copy : copy_of(reader, from),
                                     .argument = argument};
    if (!make_room(reader) || !lmb_graph_append(reader, &reader->scratch, &reader->copies.values,
                                                &reader->copies.value_count, &copied, sizeof copied)) {
        return false;
    }
    json->values[json->count] = json->values[from];
    json->count++;
    return true;
}

// Copies a value of the definition with the values of arguments in place; or a value of `argument` as it is, unless
// that is LMB_NONE. Returns false after an error.
static bool copy_value(const copier *copier, uint32_t from, uint32_t argument, uint32_t depth) {
    lmb_json *json = &copier->reader->json;
    const uint32_t name = argument == LMB_NONE ? argument_name(copier->reader, from) : LMB_NONE;
    if (name != LMB_NONE) {
        const uint32_t given = copier->given[find_argument(copier->reader, copier->arguments, name)];
        return copy_value(copier, given, from, depth);
    }
    if (depth > LMB_JSON_DEPTH) {
        report_limit(copier->reader, copier->use, LMB_JSON_DEPTH, "nested values, those of arguments included");
        return false;
    }
    const uint32_t added = json->count, end = json->values[from].next;
    const bool is_object = json->values[from].type == LMB_JSON_OBJECT;
    bool is_copied = add_value(copier, from, argument);
    uint32_t next;
    for (uint32_t child = from + 1; is_copied && child < end; child = next) {
        next = json->values[child].next;
        if (!is_object) {
            is_copied = copy_value(copier, child, argument, depth + 1);
        } else if (child + 1 == copier->arguments) { // the copy has none
            json->values[added].count--;
        } else {
            const uint32_t key = json->count;
            is_copied = add_value(copier, child, argument) && copy_value(copier, child + 1, argument, depth + 1);
            json->values[key].next = json->count;
        }
    }
    json->values[added].next = json->count;
    return is_copied;
}

// Returns whether a use is in a copy of the definition that it uses, which is reported, and names those on the way. In
// the value of an argument, what counts is where it is written.
static bool is_cycle(lmb_graph_reader *reader, uint32_t object, uint32_t of) {
    char names[160] = "", more[160];
    uint32_t copy = copy_of(reader, object);
    while (copy != LMB_NONE) {
        const struct lmb_graph_copy *at = &reader->copies.list[copy];
        snprintf(more, sizeof more, "%.70s%s%.80s", reader->defined[at->of].name, names[0] == '\0' ? "" : ", ", names);
        memcpy(names, more, sizeof names);
        if (at->of == of) {
            lmb_graph_report(reader, lmb_graph_find_member(reader, object, "use"), "a definition uses itself: %s",
                             names);
            return true;
        }
        copy = copy_of(reader, at->use);
    }
    return false;
}

// Adds a copy. Returns it among the definitions, or LMB_NONE after an error.
static uint32_t add_copy(lmb_graph_reader *reader, uint32_t object, uint32_t of, uint32_t *given, uint64_t hash) {
    if (reader->copies.count >= MAX_COPIES) {
        report_limit(reader, object, MAX_COPIES, "uses that differ in their arguments");
        return LMB_NONE;
    }
    reader->copies.first = reader->copies.first == 0 ? reader->json.count : reader->copies.first;
    const struct lmb_graph_copy copy = {of, reader->defined_count, object, given};
    const copier copier = {reader, reader->defined[of].arguments, given, reader->copies.count, object};
    lmb_graph_defined defined = {.name = reader->defined[of].name,
                                 .value = reader->json.count,
                                 .arguments = LMB_NONE,
                                 .is_used = true,
                                 .first = LMB_NONE};
    lmb_pool *scratch = &reader->scratch;
    if (!lmb_graph_append(reader, scratch, &reader->copies.list, &reader->copies.count, &copy, sizeof copy) ||
        !lmb_graph_append(reader, scratch, &reader->defined, &reader->defined_count, &defined, sizeof defined)) {
        return LMB_NONE;
    }
    if (!lmb_index_add(&reader->copies.index, scratch, hash)) {
        lmb_graph_fail_memory(reader);
        return LMB_NONE;
    }
    return copy_value(&copier, reader->defined[of].value, LMB_NONE, 0) ? copy.defined : LMB_NONE;
}

// Checks a definition's arguments at its first use. Returns whether they are right.
static bool has_right_arguments(lmb_graph_reader *reader, uint32_t defined) {
    const uint32_t problems = reader->problem_count;
    if (!reader->defined[defined].is_checked) {
        check_arguments(reader, &reader->defined[defined]);
        reader->defined[defined].is_checked = true;
        reader->defined[defined].is_wrong = reader->problem_count > problems;
    }
    return !reader->defined[defined].is_wrong && reader->result == LMB_OK;
}

uint32_t lmb_graph_argue(lmb_graph_reader *reader, uint32_t object, uint32_t defined) {
    const uint32_t arguments = reader->defined[defined].arguments;
    const uint32_t with = lmb_graph_find_member(reader, object, "with");
    if (with != LMB_NONE && reader->json.values[with].type != LMB_JSON_OBJECT) {
        return LMB_NONE; // it is reported when it is read
    }
    if (arguments == LMB_NONE) {
        if (with != LMB_NONE && reader->json.values[with].count > 0) {
            lmb_graph_report(reader, with - 1, "the definition has no \"arguments\"");
        }
        return defined;
    }
    if (reader->copies.are_full || !has_right_arguments(reader, defined) || is_cycle(reader, object, defined)) {
        return LMB_NONE;
    }
    uint32_t *given = find_given(reader, arguments, object, with);
    if (given == NULL) {
        return LMB_NONE;
    }
    const uint32_t count = reader->json.values[arguments].count;
    const uint64_t hash = hash_given(reader, defined, given, count);
    const uint32_t copy = find_copy(reader, hash, defined, given, count);
    if (copy == LMB_NONE) {
        return add_copy(reader, object, defined, given, hash);
    }
    lmb_pool_release(&reader->scratch, given);
    return reader->copies.list[copy].defined;
}
