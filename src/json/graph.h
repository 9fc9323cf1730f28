// A graph written as JSON, while it is read. Tables of fields describe the objects, including those of the operations.
#ifndef LIMBER_SRC_JSON_GRAPH_H
#define LIMBER_SRC_JSON_GRAPH_H

#include "json.h"
#include "text.h"

#include "base/fields.h"

#include <limber/graph_json.h>

typedef struct lmb_graph_stated {
    float value;
    uint32_t at; // the JSON value that states it, or LMB_NONE
} lmb_graph_stated;

// A parameter, or the defaults and range that one use of it states.
typedef struct lmb_graph_declared {
    const char *name;
    lmb_graph_stated initial;
    lmb_graph_stated min;
    lmb_graph_stated max;
    uint32_t share_at; // the first use as a number from 0 to 1, or 0
    bool is_written;   // by the control: uses cannot find it by its name
    bool is_computed;
    bool is_late; // a fade's weight, or computed from one: not known yet when transitions are taken and rates are read
} lmb_graph_declared;

// The weight of a fade, found by the fade's name.
typedef struct lmb_graph_named {
    const char *name;
    uint32_t parameter;
    uint32_t count;   // number of fades with this name
    uint32_t used_at; // the first use, or LMB_NONE
} lmb_graph_named;

struct lmb_graph_json {
    lmb_budget budget;
    lmb_pool pool;           // of everything below
    lmb_graph_def def;       // its clips are the source's, then those of other characters and the copies from which
                             // root motion was extracted
    lmb_node_def *nodes;     // of the definition, as the other lists that change after they were added
    const char **node_names; // [node], NULL for none
    const char **node_comments;
    lmb_graph_place *places; // [node]
    lmb_index mask_index;
    lmb_index limits_index;
    uint32_t **joint_map_tables; // of the joint maps
    uint32_t part_count;
    lmb_index part_index;
    lmb_graph_declared *parameters;
    lmb_index parameter_index; // by name
    lmb_graph_named *fade_names;
    uint32_t fade_name_count;
    const lmb_player_def **leaders; // the first player of each group
    lmb_fade_def *fades;
    bool has_character_motion;
    lmb_motion_def motion;
    lmb_value update_every;
    lmb_index event_index; // by name
    lmb_graph_problem *warnings;
    uint32_t warning_count;
};

// The state of a machine, or the fade, for which a pose is read.
typedef struct lmb_graph_owner {
    const char *name;  // of the state or fade; NULL outside of both
    uint32_t depth;    // how many machines are nested
    uint32_t end_node; // the first clip that plays in it, or LMB_NONE
    bool holds;        // clips without "play" hold at their ends
} lmb_graph_owner;

// The state from which a transition starts.
typedef struct lmb_graph_left {
    uint32_t pose;  // its node
    uint32_t first; // node that was read with it
    uint32_t end;   // the node past the last one; 0 if there is no single state, or if its pose was not read
    uint32_t end_node;
    bool is_any;
} lmb_graph_left;

// The values that were read from a machine's own text.
typedef struct lmb_graph_insert {
    uint32_t first;
    uint32_t end;    // 0 if there are none
    size_t size;     // of that text
    size_t replaced; // position of the object in the graph's text that they replace
    uint32_t warning_count;
} lmb_graph_insert;

// The number of members that only the outermost object may have.
#define LMB_GRAPH_ROOT_FIELDS 11
// Max nesting of poses, those of definitions included.
#define LMB_GRAPH_POSE_DEPTH LMB_JSON_DEPTH

// A file that the text includes. Its values follow those of the text, and so does its own text.
typedef struct lmb_graph_included {
    const char *path;
    size_t start;   // in reader->json.text
    uint32_t first; // value
    uint32_t end;   // 0 while its text has not been read
    bool is_being_read;
} lmb_graph_included;

// A definition of the outermost object, or a copy of one that has arguments.
typedef struct lmb_graph_defined {
    const char *name;
    uint32_t value;     // of its pose
    uint32_t arguments; // the object with their defaults; LMB_NONE for a definition without them and for a copy
    bool is_included;   // from a file
    bool is_used;
    bool is_checked; // what it says of its arguments
    bool is_wrong;   // that, and it was reported
    uint32_t first;  // of its readings, or LMB_NONE
} lmb_graph_defined;

// A value of a copy.
typedef struct lmb_graph_copied {
    uint32_t origin;   // the value of the text
    uint32_t copy;     // the copy of the definition that has the origin, or LMB_NONE if it is in no definition's copy
    uint32_t argument; // {"argument": NAME} in the definition, if this is the value of an argument; or LMB_NONE
} lmb_graph_copied;

// The copies of definitions with arguments, in the scratch pool.
typedef struct lmb_graph_copies {
    struct lmb_graph_copy *list;
    uint32_t count;
    lmb_index index;
    lmb_graph_copied *values; // for each value from `first`
    uint32_t value_count;
    uint32_t first;       // value of reader->json that a copy added, or 0
    uint32_t room;        // number of values that reader->json has memory for, if there are copies
    uint32_t given_count; // values of the arguments of all uses
    bool are_full;        // a limit was reported
} lmb_graph_copies;

// A comparison of a parameter with a number, in a condition.
typedef struct lmb_graph_compared {
    uint32_t value;
    lmb_term_kind kind;
    uint32_t parameter;
    float number;
    bool leaves; // it is all that the first transition of a state needs
} lmb_graph_compared;

// The values of the text that name an event first: where it is emitted, and where it is awaited; or LMB_NONE.
typedef struct lmb_graph_event_uses {
    uint32_t emitted, awaited;
} lmb_graph_event_uses;

typedef struct lmb_graph_walk {
    bool is_measured;
    lmb_foot_speed speed;
} lmb_graph_walk;

typedef struct lmb_graph_reader lmb_graph_reader;
typedef struct lmb_graph_writer lmb_graph_writer;
struct lmb_graph_reader {
    // Reads such a member of any pose; returns false if it is another one.
    bool (*read_root_member)(lmb_graph_reader *reader, uint32_t key, uint32_t object);
    const lmb_graph_source *source;
    lmb_graph_insert insert;
    const char *text;             // of the graph, without a byte order mark
    size_t size;                  // 0 if a machine's text is the whole graph
    size_t all_size;              // of reader->json.text
    lmb_graph_included *included; // in the scratch pool
    uint32_t included_count;
    lmb_graph_json *graph;
    lmb_pool scratch;
    lmb_json json;
    lmb_name *joints; // sorted, in the scratch pool
    lmb_name *channels;
    lmb_name *clips;
    const lmb_graph_character *character; // of the innermost retarget, or NULL
    float longest;                        // duration of the longest clip, in seconds
    const lmb_rig *moving_rig;            // for which the joint that travels was found last, or NULL
    lmb_root_motion_def moving;           // for what it was found, and the joint
    uint32_t *partners; // of the joints, found by name; NULL until a mirror needs them; in the graph's pool
    uint32_t *channel_partners;
    uint32_t *objects; // for each node, the object it was read from; in the scratch pool
    lmb_graph_owner owner;
    struct lmb_machine_reader *machine; // the innermost one being read
    lmb_graph_left left;                // the state from which the transition being read starts
    uint32_t player_count;
    struct lmb_graph_sync *syncs; // players that begin at the times of others, in the scratch pool
    uint32_t sync_count;
    uint32_t machine_count;       // including fades
    lmb_graph_compared *compared; // in the scratch pool
    uint32_t compared_count;
    lmb_graph_event_uses *event_uses; // for each event, in the scratch pool
    uint32_t event_use_count;
    lmb_graph_walk *walks; // of the graph's clips, in the scratch pool; NULL until one is measured
    uint32_t inertia_at;   // the first inertialized transition, or LMB_NONE
    lmb_graph_problem first;
    lmb_graph_problems *problems; // or NULL
    uint32_t problem_count;
    uint32_t root_keys[LMB_GRAPH_ROOT_FIELDS]; // keys of these fields, or 0
    lmb_graph_defined *defined;                // in the scratch pool, as all of the definitions; then their copies
    uint32_t defined_count;
    lmb_index defined_index;
    lmb_graph_copies copies;
    struct lmb_graph_used *used;
    uint32_t used_count;
    struct lmb_graph_faded *faded; // for each fade
    uint32_t pose_depth;           // how deep poses are nested
    uint32_t use_depth;            // how deep definitions are
    uint32_t depth;                // how deep computed values are nested
    bool is_full;                  // a limit on nodes or parameters was reported
    lmb_result result;             // not LMB_OK if memory ran out: reading then ends
};

// The members that an object may have.
typedef struct lmb_graph_field lmb_graph_field;

// A kind of field: how its value is read, and what the schema says of it. The text is JSON with ' in place of ", and
// has words for what differs from field to field, which schema.c lists.
typedef struct lmb_graph_kind {
    // Stores the value at the field's offset of the target.
    void (*read)(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);
    const char *schema;
    // Writes the value at the field's offset of the target, or nothing if it has none. NULL: it is not written.
    void (*write)(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target);
} lmb_graph_kind;

typedef struct lmb_graph_fields {
    const char *what; // name of the object in messages
    const lmb_graph_field *fields;
    size_t count;
    // Reads other members than the fields; returns false if there is no such member. May be NULL.
    bool (*read_other)(lmb_graph_reader *reader, uint32_t key, uint32_t object, void *target);
    const char *also;        // more members of the object in the schema, or NULL
    const lmb_fields *table; // of the descriptor that begins at `start` of the target, or NULL
    size_t start;
} lmb_graph_fields;
#define LMB_FIELDS(name, members) .what = (name), .fields = (members), .count = sizeof(members) / sizeof(members)[0]
// The same of a descriptor that begins at an offset of the target: the table lmb_TABLE_fields has it.
#define LMB_FIELDS_OF(rows, at, name, members) LMB_FIELDS(name, members), .table = &lmb_##rows##_fields, .start = (at)

struct lmb_graph_field {
    const char *name;
    bool required;
    const lmb_graph_kind *kind;
    const char *schema;   // in place of that of its kind, or NULL
    const char *about;    // what an editor shows, in which $ is the default of the row; or NULL if the name says it
    const lmb_field *row; // of the descriptor, or NULL: found by lmb_graph_complete()
    size_t offset;
    size_t slot;                // of a point: offset of its lmb_point_slot
    const char *const *choices; // names in the order of the enumeration, then NULL
    const lmb_graph_fields *inside;
    const char *what; // name of the elements of an array in messages
    uint32_t count;   // of them, or the max; 0: that of the row
    float min;        // range of a constant; a max of 0: that of the row, and its min if this is 0, too
    float max;
    bool is_factor; // of time or speed: a parameter begins with the default of the row
    float initial;  // default and range of a parameter, if no use states them
    float parameter_min;
    float parameter_max;
    float turns;   // of an angle in radians: more of them are most likely degrees; 0 for other numbers
    float doubted; // seconds: more of them are most likely milliseconds; 0 for other numbers
};
// A number of a descriptor, and one of seconds.
#define LMB_NUMBER_FIELD(key, at, text)                                                                                \
    { .name = key, .about = text, .kind = &lmb_kind_number, .offset = at }
#define LMB_SECONDS_FIELD(key, at, text)                                                                               \
    { .name = key, .about = text, .kind = &lmb_kind_number, .offset = at, .doubted = 60.0f }
// Small enough that every integer up to it is a float.
#define LMB_PRIORITY_RANGE .min = -1000000.0f, .max = 1000000.0f
#define LMB_ANY_NUMBER .min = -LMB_LARGEST, .max = LMB_LARGEST

// A pose that events fade in and out, while the object with its weight is read.
typedef struct lmb_graph_fade {
    uint32_t at;    // the value of the weight, if it is a fade; else LMB_NONE
    uint32_t index; // of the fade, or LMB_NONE if the graph has no room for it
    const char *name;
    uint32_t end_at; // "at-end", or LMB_NONE
    uint32_t parameter;
    bool is_read; // the pose was read
    bool plays;   // a clip of the pose plays
} lmb_graph_fade;

// The node of an operation while its object is read. Offsets of the operation's fields are relative to this struct.
typedef struct lmb_graph_node {
    lmb_graph_fade fade; // of the weight
    lmb_node_def def;
    uint32_t object;
    bool is_additive;
    bool has_goal;
    const char *name, *comment; // or NULL
    float from, to;             // of a clip: the part that it plays; `to` INFINITY goes to its end
    uint32_t reference;         // node of the reference pose of an additive clip, or LMB_NONE
    lmb_mirror_def mirror;      // the partners that it states, or NULL
    lmb_retarget_def retarget;  // what its object states
} lmb_graph_node;

// alias.c: returns the target of an alias, or the name itself.
const char *lmb_graph_resolve(const lmb_graph_alias *aliases, uint32_t count, const char *name);
// The same for the name of a clip, which inside a retarget is one of another character; and of a joint or channel.
const char *lmb_graph_resolve_clip(const lmb_graph_reader *reader, const char *name);
const char *lmb_graph_resolve_joint(const lmb_graph_reader *reader, const char *name);
// Checks the aliases of a source.
lmb_result lmb_graph_check_aliases(const lmb_graph_source *source, lmb_error *error);

// field.c: reports an error at a JSON value.
void lmb_graph_report(lmb_graph_reader *reader, uint32_t value, const char *format, ...) LMB_PRINTF(3, 4);
// Keeps the place of each node, after a graph without problems was read.
void lmb_graph_keep_places(lmb_graph_reader *reader);
// For messages about a fade in the wrong place.
#define LMB_GRAPH_FADE_FORM "{\"in\": EVENT, \"seconds\": S}"

// Names among which one was searched.
typedef struct lmb_graph_names {
    lmb_name_at *at;
    const void *of;
    uint32_t count;
} lmb_graph_names;
// Writes that there is no such name, and which ones there are: all if they are few, else the nearest. Returns the
// message, which begins with `what`.
#define LMB_GRAPH_MESSAGE_SIZE 240u
const char *lmb_graph_no_name(const lmb_graph_reader *reader, const char *what, const char *name, size_t length,
                              const lmb_graph_names *names, char message[LMB_GRAPH_MESSAGE_SIZE]);
// Reports it at a value that is the name.
void lmb_graph_report_name(lmb_graph_reader *reader, uint32_t value, const char *what, const char *name,
                           lmb_graph_names names);
// Appends the nearest names to a message about a string or key.
void lmb_graph_add_nearest(const lmb_graph_reader *reader, uint32_t value, char *message, size_t size,
                           lmb_graph_names names);
// Adds an error.
void lmb_graph_add_problem(lmb_graph_reader *reader, const lmb_graph_problem *problem);
// Warns of something that is allowed but probably unintended.
void lmb_graph_warn(lmb_graph_reader *reader, uint32_t value, const char *format, ...) LMB_PRINTF(3, 4);
// Ends reading because there is no memory.
void lmb_graph_fail_memory(lmb_graph_reader *reader);
// Returns whether a value has this type; reports it if not.
bool lmb_graph_expect(lmb_graph_reader *reader, uint32_t value, lmb_json_type type);
// Returns whether a value is an array of `min` to `max` elements, whose name in messages is `what`; reports it if not.
bool lmb_graph_expect_count(lmb_graph_reader *reader, uint32_t value, uint32_t min, uint32_t max, const char *what);
// Reads a list of objects, 1 to `count` of the field, as a new array of elements of `size` bytes, each from `initial`.
// Advances `count` by each that it begins. Returns NULL after an error was reported.
void *lmb_graph_read_objects(lmb_graph_reader *reader, lmb_pool *pool, const lmb_graph_field *field, uint32_t value,
                             size_t size, const void *initial, uint32_t *count);
// Appends a name to a list of names, as far as there is room.
void lmb_graph_list_name(char *names, size_t size, const char *name);

// graph.c: makes the object of a text.
lmb_graph_json *lmb_graph_begin(const lmb_graph_source *source, const lmb_host *host);
// Fails with the first problem, or as reading ended.
lmb_result lmb_graph_fail_reading(const lmb_graph_reader *reader, lmb_error *error);

// Returns the text of a source without its byte order mark, which some editors write.
const char *lmb_graph_text_of(const lmb_graph_source *source, size_t *size);
// Reads JSON into reader->json.
bool lmb_graph_read_json(lmb_graph_reader *reader, const char *text, size_t size);
void *lmb_graph_allocate(lmb_graph_reader *reader, lmb_pool *pool, size_t count, size_t size);
// Appends as lmb_pool_append() does.
bool lmb_graph_append(lmb_graph_reader *reader, lmb_pool *pool, void *array, uint32_t *count, const void *element,
                      size_t size);
// Adds the next element to a table in the graph's pool.
bool lmb_graph_index(lmb_graph_reader *reader, lmb_index *index, uint64_t hash);
// Returns a decoded string in a pool; NULL if memory ran out or if it contains a zero, which is reported.
const char *lmb_graph_text(lmb_graph_reader *reader, lmb_pool *pool, uint32_t value);
// Returns a name in the graph's pool; NULL if it is not a string. An empty name is reported as `if_empty` says, and
// returned as "".
#define LMB_EMPTY_NAME "a name without a character"
const char *lmb_graph_read_name(lmb_graph_reader *reader, uint32_t value, const char *if_empty);
// Returns the value of an object's member, the first of several; LMB_NONE if there is none or if it is no object.
uint32_t lmb_graph_find_member(const lmb_graph_reader *reader, uint32_t object, const char *name);
// Returns whether a value is the boolean true.
bool lmb_graph_is_true(const lmb_graph_reader *reader, uint32_t value);
// Returns an element of an array; LMB_NONE if there is none or if it is no array.
uint32_t lmb_graph_find_element(const lmb_graph_reader *reader, uint32_t list, uint32_t index);
// Returns whether two strings, keys or words are written alike.
bool lmb_graph_is_same_text(const lmb_graph_reader *reader, uint32_t a, uint32_t b);
// Returns whether a string or key is a given name.
bool lmb_graph_is_text(const lmb_graph_reader *reader, uint32_t value, const char *name);
bool lmb_graph_has_field(const lmb_graph_fields *fields, const char *name);
// Returns a field with its row in the table, and the range and the count that it leaves to the row.
lmb_graph_field lmb_graph_complete(const lmb_graph_fields *fields, size_t index);
// Reads the members of an object into a target.
void lmb_graph_read_fields(lmb_graph_reader *reader, const lmb_graph_fields *fields, uint32_t object, void *target);
// Warns of an angle in radians that is more than so many turns: it is most likely in degrees.
void lmb_graph_check_angle(lmb_graph_reader *reader, uint32_t value, double radians, float turns);
// Readers of fields: an int32_t or uint32_t in the field's range; a float in the field's range; an array of `count`
// consecutive floats; an enumeration.
void lmb_graph_read_integer(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);
void lmb_graph_read_floats(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);
void lmb_graph_read_plain(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);
void lmb_graph_read_choice(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);

// Of objects that are no pose.
#define LMB_COMMENT_FIELD                                                                                              \
    { .name = "comment", .about = "A comment, which has no effect.", .kind = &lmb_kind_comment }

// The kinds of fields that several files use. Those of `later` are read before or after all others, and say in their
// tables what the schema says of them; those of `object` have fields inside.
extern const lmb_graph_kind lmb_kind_later, lmb_kind_text, lmb_kind_comment, lmb_kind_boolean, lmb_kind_integer,
    lmb_kind_number, lmb_kind_numbers, lmb_kind_choice, lmb_kind_object;    // field.c
extern const lmb_graph_kind lmb_kind_value, lmb_kind_early, lmb_kind_curve; // value.c
extern const lmb_graph_kind lmb_kind_shape; // curve.c: the curve of an lmb_value, for any use
extern const lmb_graph_kind lmb_kind_joint, lmb_kind_mask, lmb_kind_joint_map, lmb_kind_limits; // joints.c
extern const lmb_graph_kind lmb_kind_partners, lmb_kind_channel_partners;                       // joints.c
extern const lmb_graph_kind lmb_kind_not_aligned, lmb_kind_scales;                              // retarget.c
extern const lmb_graph_kind lmb_kind_event;     // player.c: one that is awaited
extern const lmb_graph_kind lmb_kind_emitted;   // player.c
extern const lmb_graph_kind lmb_kind_bend_axis; // bend.c

// A part of the schema that others name with '@': a text as that of a kind, and the fields inside.
typedef struct lmb_graph_definition {
    const char *name; // NULL after the last one of a file
    const char *about;
    const char *schema;
    const lmb_graph_fields *inside;
} lmb_graph_definition;
extern const lmb_graph_definition lmb_graph_operation_definitions[], lmb_graph_value_definitions[],
    lmb_graph_curve_definitions[], lmb_graph_joint_definitions[], lmb_graph_retarget_definitions[],
    lmb_graph_player_definitions[], lmb_graph_machine_definitions[], lmb_graph_use_definitions[];

// An operation. `finish` adds the node and further nodes that it needs, and returns the index of the node that is the
// pose.
typedef struct lmb_graph_operation {
    const char *name;
    const char *about; // the first sentence of its section in docs/graph-reference.md
    lmb_op op;
    uint32_t input_count;
    lmb_graph_fields fields; // `what`, `also` and `read_other` are those of every operation
    uint32_t (*finish)(lmb_graph_reader *reader, const lmb_graph_node *node);
    const char *also; // as that of lmb_graph_fields
} lmb_graph_operation;
extern const lmb_graph_operation lmb_graph_operations[LMB_OP_COUNT];

// The members that every pose may have beside the fields of its operation.
#define LMB_GRAPH_NODE_FIELDS 2
extern const lmb_graph_field lmb_graph_node_members[LMB_GRAPH_NODE_FIELDS];

// A member that only the outermost object may have, and what messages call it.
typedef struct lmb_graph_root_member {
    const char *what;
    lmb_graph_field field;
} lmb_graph_root_member;
extern const lmb_graph_root_member lmb_graph_root_members[LMB_GRAPH_ROOT_FIELDS];

// value.c: reads an lmb_value: a constant, a parameter, a curve or a computed value.
void lmb_graph_read_value(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);
// Reads the curve beside a value, which is stored at the same offset.
void lmb_graph_read_curve(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);
// curve.c: the values that a curve distinguishes.
typedef struct lmb_graph_range {
    float min;
    float max;
} lmb_graph_range;
lmb_graph_range lmb_graph_curve_range(const lmb_graph_def *def, lmb_curve curve);
// Stores a value and keeps its curve, which may have been read already.
void lmb_graph_set_value(lmb_value *result, lmb_value value);
// Uses a parameter as the value of this field. Merges the default and range that this use states with those of other
// uses.
lmb_value lmb_graph_use_parameter(lmb_graph_reader *reader, const lmb_graph_declared *use, const lmb_graph_field *field,
                                  uint32_t value);
// Adds a parameter that the control writes. Its name joins `owner` and `what`: "Walk.time" of "Walk" and "time".
uint32_t lmb_graph_add_written(lmb_graph_reader *reader, const char *owner, const char *what, float initial, float max,
                               uint32_t value);
// Makes the control write the parameter of that name; earlier uses stay valid. Adds a parameter of this field if there
// is none. Returns LMB_NONE if there is no room.
uint32_t lmb_graph_write_parameter(lmb_graph_reader *reader, const char *name, const lmb_graph_field *field,
                                   uint32_t value);
// Reads the list of parameters that keep their places, before everything else.
void lmb_graph_read_parameters(lmb_graph_reader *reader, uint32_t value);
// Completes defaults and ranges after all uses are known.
void lmb_graph_finish_parameters(lmb_graph_reader *reader);
// player.c: finds the clips at whose times others begin.
void lmb_graph_finish_players(lmb_graph_reader *reader);

// Reads a value like lmb_graph_read_value(), and reports one that is not known yet when transitions are taken and rates
// are read. lmb_graph_expect_early() does that for a value that was read.
void lmb_graph_read_early(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);
void lmb_graph_expect_early(lmb_graph_reader *reader, uint32_t value, lmb_value read);
// Returns the parameter for the weight of the fade being read; `initial` is the weight at the start.
uint32_t lmb_graph_name_fade(lmb_graph_reader *reader, const char *name, float initial, uint32_t value);

// joints.c: reads a byte for each joint, at most `max`. A joint that is not named has its parent's byte, a root
// `of_root`. If `with_channels`, a byte for each channel follows, 0 if it is not named. The bytes are in the graph's
// pool; returns NULL if memory ran out or the value is no object.
uint8_t *lmb_graph_read_joint_bytes(lmb_graph_reader *reader, uint32_t value, uint32_t max, uint32_t of_root,
                                    bool with_channels);

// Returns the joint of that name; reports it and returns LMB_NONE if there is none.
uint32_t lmb_graph_find_joint(lmb_graph_reader *reader, uint32_t value);

// Returns the index of a mirror with the partners that the node has read.
uint32_t lmb_graph_add_mirror(lmb_graph_reader *reader, const lmb_graph_node *node);

// Reports what only the checks of a graph find in a mirror, joint limits or a retarget, which are in `def` alone.
void lmb_graph_check_alone(lmb_graph_reader *reader, lmb_graph_def def, uint32_t at);

// operation.c: returns the index of a static pose of the source by its name; reports it and returns LMB_NONE if
// there is none.
uint32_t lmb_graph_find_static_pose(lmb_graph_reader *reader, uint32_t value);

// retarget.c: adds a retarget and the pose inside. Finds a clip of the other character by its name, LMB_NONE for none;
// and the joint of a clip, of the other character inside a retarget; reports it and returns LMB_NONE if there is none.
uint32_t lmb_graph_add_retarget(lmb_graph_reader *reader, const lmb_graph_node *node);
uint32_t lmb_graph_find_source_clip(lmb_graph_reader *reader, const char *name);
uint32_t lmb_graph_find_clip_joint(lmb_graph_reader *reader, uint32_t value);

// operation.c: reads a pose and all poses inside it, and returns the index of its node. After an error was
// reported, the index has no meaning.
uint32_t lmb_graph_read_pose(lmb_graph_reader *reader, uint32_t value);
// Reads a pose that may be a use. Sets `use` to it, or to LMB_NONE.
uint32_t lmb_graph_read_pose_or_use(lmb_graph_reader *reader, uint32_t value, uint32_t *use);
uint32_t lmb_graph_add_node(lmb_graph_reader *reader, const lmb_node_def *def, uint32_t object);

// include.c: reads the files of a list, and the definitions in them.
void lmb_graph_read_includes(lmb_graph_reader *reader, uint32_t value);
// Returns the file that has a value, or NULL.
const lmb_graph_included *lmb_graph_file_of(const lmb_graph_reader *reader, uint32_t value);

// use.c: finds the names of the definitions in an object, which is that of the text or of a file.
void lmb_graph_read_definitions(lmb_graph_reader *reader, uint32_t object, bool is_included);
// Reads a pose that is a use, and returns the node of its definition. Sets the index of the use, LMB_NONE after an
// error was reported.
uint32_t lmb_graph_read_use(lmb_graph_reader *reader, uint32_t object, uint32_t *use);
// Returns whether there are several of a use's definition, after all was read.
bool lmb_graph_is_shared(const lmb_graph_reader *reader, uint32_t use);
// Warns of definitions without a use.
void lmb_graph_finish_definitions(lmb_graph_reader *reader);

// argument.c: returns the definition that a use stands for: the given one or, if that has arguments, its copy with
// those of the use. Returns LMB_NONE after an error was reported.
uint32_t lmb_graph_argue(lmb_graph_reader *reader, uint32_t object, uint32_t defined);
// Reports {"argument": NAME} that no copy has replaced; returns false if the value is something else.
bool lmb_graph_refuse_argument(lmb_graph_reader *reader, uint32_t value);
// Returns what is known of a value of a copy; NULL if it is a value of the text.
const lmb_graph_copied *lmb_graph_copied_at(const lmb_graph_reader *reader, uint32_t value);
// Returns the value of the text that a value is a copy of.
uint32_t lmb_graph_origin(const lmb_graph_reader *reader, uint32_t value);
// Returns the use for which a copy was made.
uint32_t lmb_graph_use_of(const lmb_graph_reader *reader, uint32_t copy);

// bend.c: takes the axis about which a limb bends, from its first joint to its last one, if the member says "auto".
// Warns if a stated axis is along the bone or opposite to that about which the limb bends, if the limb bends about
// another one than that which nobody stated, or if the end is that of another limb.
void lmb_graph_take_bend(lmb_graph_reader *reader, uint32_t object, const char *member, const uint32_t joints[3],
                         float axis[3]);
// Warns if the forward axis of a joint that aims points backwards in the mean of all clips, against z of model space;
// if nobody stated it, and it points neither ahead nor along a bone; or if it is the up axis, too.
void lmb_graph_check_aim(lmb_graph_reader *reader, uint32_t object, uint32_t joint, const float forward[3],
                         const float up[3]);
// Returns the matrix of a joint in model space at a time of a clip, or in the rest pose at NULL.
lmb_affine lmb_graph_model_of(const lmb_rig *rig, const lmb_clip *clip, float time, uint32_t joint);
// Returns whether an axis of a joint points the other way in the clips than in the rest pose.
bool lmb_graph_is_turned(const lmb_rig *rig, const lmb_clip *const *clips, uint32_t clip_count, uint32_t joint);

// implied.c: returns whether a transition applies whenever another one of the state does.
bool lmb_graph_applies_with(const lmb_transition_def *def, const lmb_transition_def *other);
// Returns between which random numbers of its machine a transition may apply.
typedef struct lmb_graph_chance {
    double min, max;
} lmb_graph_chance;
lmb_graph_chance lmb_graph_chance_of(const lmb_transition_def *def);
// Finds two comparisons that a transition needs and that never hold at once.
bool lmb_graph_find_exclusion(const lmb_transition_def *def, const lmb_term *pair[2]);

// traps.c: warns of what is allowed and most likely not meant, after a graph without problems was read.
void lmb_graph_warn_of_traps(lmb_graph_reader *reader);
// Returns the member of the "play" of a clip's node, or of the clip; LMB_NONE if neither has it.
uint32_t lmb_graph_find_of_clip(const lmb_graph_reader *reader, uint32_t node, const char *member);
// Returns whether two names differ, and in the case of their letters alone.
bool lmb_graph_differs_in_case(const char *a, const char *b);
// Returns the member of a clip, or the clip's object if it has none.
uint32_t lmb_graph_place_of(const lmb_graph_reader *reader, uint32_t node, const char *member);
// Returns the name of the clip of a node that has a player.
const char *lmb_graph_name_of_clip(const lmb_graph_def *def, uint32_t node);
// Returns whether a value is this constant at any time.
bool lmb_graph_is_constant(lmb_value value, float constant);
// Marks the poses below a node, with itself.
void lmb_graph_mark_below(const lmb_graph_def *def, uint32_t index, bool *below);
// joints.c: warns of partners of a mirror that differ at rest, where it shows.
void lmb_graph_warn_of_partners(lmb_graph_reader *reader, uint32_t index, const uint8_t *mask);
// How a node is shown: as it is, mirrored, or both.
#define LMB_SHOWN_AS_IT_IS 1u
#define LMB_SHOWN_MIRRORED 2u
// steps.c: returns how each node is shown, in the scratch pool; NULL if there is no memory. `shown`: for each node,
// whether the result shows it.
uint8_t *lmb_graph_find_ways(lmb_graph_reader *reader, const bool *shown);
// planting.c: warns of feet that are planted while a clip lifts them, as by the markers of another character.
void lmb_graph_warn_of_planting(lmb_graph_reader *reader, const bool *shown);
// steps.c: warns of feet that walk along x, by more than this share of their way along z. Returns whether it does.
bool lmb_graph_warn_of_sideways(lmb_graph_reader *reader, uint32_t value, const char *clip, const lmb_foot_speed *walk,
                                float share);
// steps.c: the warnings of steps and motion.
void lmb_graph_warn_of_steps(lmb_graph_reader *reader, const bool *shown);
// node_traps.c: likewise those of single nodes.
void lmb_graph_warn_of_nodes(lmb_graph_reader *reader, const bool *shown);

// part.c: replaces the clip of a node by the part that the node states, if it states one.
void lmb_graph_take_part(lmb_graph_reader *reader, lmb_graph_node *node);

// player.c: adds a player for a clip that has "play", or that is in a state and has no "time". The player then
// sets the clip's time.
void lmb_graph_add_player(lmb_graph_reader *reader, const lmb_graph_node *node, lmb_node_def *clip);

// loop.c: returns a state from which transitions without events lead back to it while the same conditions hold,
// or LMB_NONE. Writes the names of the states on that path to `text`.
#define LMB_GRAPH_LOOP_TEXT 160u
uint32_t lmb_graph_find_loop(lmb_graph_reader *reader, const lmb_machine_def *machine, char text[LMB_GRAPH_LOOP_TEXT]);

// Reads the character motion at a key, or its default at 0. Other uses of the parameters that it writes come first.
void lmb_graph_read_character_motion(lmb_graph_reader *reader, uint32_t key);

// machine.c: adds a machine, which becomes a pose that blends the poses of its states.
uint32_t lmb_graph_add_machine(lmb_graph_reader *reader, const lmb_graph_node *node);
// Counts another machine in the state being read; returns false if there are too many, which is reported.
bool lmb_graph_begin_machine(lmb_graph_reader *reader, uint32_t object);
// Returns whether the value of a weight is a fade. lmb_graph_begin_fade() is called before the object
// with this member is read, then its pose and its value are read in any order, then lmb_graph_end_fade() is called.
bool lmb_graph_is_fade(const lmb_graph_reader *reader, uint32_t value);
void lmb_graph_begin_fade(lmb_graph_reader *reader, uint32_t object, const char *member, lmb_graph_fade *fade);
uint32_t lmb_graph_read_faded_pose(lmb_graph_reader *reader, lmb_graph_fade *fade, uint32_t value);
lmb_value lmb_graph_read_fade(lmb_graph_reader *reader, lmb_graph_fade *fade);
void lmb_graph_end_fade(lmb_graph_reader *reader, const lmb_graph_fade *fade);
// Completes fades of definitions after all uses are known.
void lmb_graph_finish_fades(lmb_graph_reader *reader);

// The names of a source's clips; of the joints of a rig, and of its channels.
lmb_graph_names lmb_graph_clip_names(const lmb_graph_source *source);
lmb_graph_names lmb_graph_joint_names(const lmb_rig *rig);
lmb_graph_names lmb_graph_channel_names(const lmb_rig *rig);

// machine_text.c: reads the compact text of a machine into reader->json. It is the whole graph if reader->size is 0;
// otherwise it replaces the first machine without states in the graph's text. Returns false if that failed.
bool lmb_graph_read_machine_text(lmb_graph_reader *reader, const lmb_graph_source *machine);

#endif
