// A program written as JSON, while it is read. Objects are read by tables of fields; operations are such tables too.
#ifndef LIMBER_SRC_IMPORT_GRAPH_H
#define LIMBER_SRC_IMPORT_GRAPH_H

#include "index.h"
#include "json.h"
#include "machine_text.h"
#include "names.h"

#include <limber/graph_json.h>

typedef struct lmb_graph_stated {
    float value;
    uint32_t at; // the JSON value that states it, or LMB_NONE
} lmb_graph_stated;

// A parameter, or what one use of it states.
typedef struct lmb_graph_declared {
    const char *name;
    lmb_graph_stated initial;
    lmb_graph_stated min;
    lmb_graph_stated max;
    bool is_written; // by the control: no use finds it by its name
    bool is_computed;
    bool is_late; // a fade's weight, or computed from one: not known where transitions are taken and rates are read
} lmb_graph_declared;

// A fade's weight, by the fade's name.
typedef struct lmb_graph_named {
    const char *name;
    uint32_t parameter;
    uint32_t count;   // of fades of this name
    uint32_t used_at; // the first use, or LMB_NONE
} lmb_graph_named;

struct lmb_graph_json {
    lmb_budget budget;
    lmb_pool pool; // of everything below
    lmb_graph_def def;
    lmb_node_def *nodes;
    size_t node_capacity;
    uint8_t **masks;
    size_t mask_capacity;
    lmb_index mask_index;
    lmb_mirror_def *mirrors;
    size_t mirror_capacity;
    lmb_joint_limit_def **joint_limits;
    size_t limits_capacity;
    lmb_index limits_index;
    lmb_joint_map_def *joint_maps;
    size_t part_capacity;
    lmb_index part_index;
    lmb_channel_range **ranges; // beside the limits
    size_t ranges_capacity;
    const lmb_clip **clips; // the source's, then what is left of those whose motion was taken
    size_t clip_capacity;
    lmb_graph_declared *parameters;
    size_t parameter_capacity;
    lmb_index parameter_index; // by name

    lmb_smoothed_def *smoothed;
    size_t smoothed_capacity;
    lmb_computed_def *computed;
    size_t computed_capacity;
    lmb_graph_named *fade_names;
    uint32_t fade_name_count;
    size_t fade_name_capacity;
    lmb_group_def *groups;
    const lmb_player_def **leaders; // of each group
    size_t group_capacity;
    size_t leader_capacity;
    lmb_fade_def *fades;
    size_t fade_capacity;
    bool has_character_motion;
    lmb_motion_def motion;
    lmb_value update_every;
    const char **events;
    size_t event_capacity;
    lmb_index event_index; // by name
    lmb_graph_problem *warnings;
    uint32_t warning_count;
    size_t warning_capacity;
};

// The state of a machine, or the fade, that a pose is read for.
typedef struct lmb_graph_owner {
    const char *name;  // the state's; NULL in none
    uint32_t depth;    // of machines
    uint32_t end_node; // the first clip that plays in it, or LMB_NONE
    bool holds;        // clips hold at their ends, where they do not say otherwise
} lmb_graph_owner;

// The state that a transition leaves.
typedef struct lmb_graph_left {
    uint32_t first; // node of its pose
    uint32_t end;   // the node past the last one; 0 where it leaves no one state, or its pose was not read
    uint32_t end_node;
    bool is_any;
} lmb_graph_left;

// What is in the text that is read for something else in the source's text.
typedef struct lmb_graph_insert {
    size_t start;
    size_t end;      // in the text that is read; 0 where there is nothing
    size_t replaced; // bytes of the source's text
} lmb_graph_insert;

// "lod", "max-lods", "max-emitted-events", "update-every", "interpolate-updates".
#define LMB_GRAPH_ROOT_FIELDS 5

typedef struct lmb_graph_reader {
    const lmb_graph_source *source;
    const lmb_machine_text *machine; // of a text of its own, or NULL
    lmb_graph_insert insert;
    const char *text; // the source's, without a mark of its order of bytes
    size_t size;
    lmb_graph_json *graph;
    lmb_pool scratch;
    lmb_json json;
    lmb_name *joints; // sorted, in the scratch pool
    lmb_name *channels;
    lmb_name *clips;
    float longest;      // seconds, of the clips
    uint32_t *partners; // of the joints by their names, or NULL where nothing asked for them yet; the graph's
    uint32_t *channel_partners;
    uint32_t *objects; // for each node the object that it comes from, in the scratch pool
    size_t object_capacity;
    lmb_graph_owner owner;
    lmb_graph_left left; // the state that the transition leaves which is read
    uint32_t motion_at;  // the member's name, or 0
    uint32_t player_count;
    uint32_t machine_count; // fades among them
    uint32_t inertia_at;    // the first transition that is inertialized, or LMB_NONE
    lmb_graph_problem first;
    lmb_graph_problems *problems; // or NULL
    uint32_t problem_count;
    uint32_t root_keys[LMB_GRAPH_ROOT_FIELDS]; // their keys, or 0
    uint32_t depth;                            // of computed numbers inside each other
    bool is_full;                              // a limit on nodes or parameters was reported
    lmb_result result;                         // no longer LMB_OK where memory is lacking: reading then ends
} lmb_graph_reader;

// One member that an object may have. `read` stores what it finds at `offset` of its target.
typedef struct lmb_graph_field lmb_graph_field;
struct lmb_graph_field {
    const char *name;
    bool required;
    void (*read)(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);
    size_t offset;
    const char *const *choices; // names in the order of the enumeration, then NULL
    float min;                  // of a number in this place
    float max;
    float initial; // of a parameter in this place, where no use states it, and its range
    float parameter_min;
    float parameter_max;
};

typedef struct lmb_graph_fields {
    const char *what; // the object, for messages
    const lmb_graph_field *fields;
    size_t count;
    const char *selector; // a member that has been read already, or NULL
} lmb_graph_fields;

// A pose that events fade in and out, while the object is read that weighs it.
typedef struct lmb_graph_fade {
    uint32_t at;    // the weight's value that says so, or LMB_NONE
    uint32_t index; // of the fade, or LMB_NONE where there was no room
    const char *name;
    uint32_t end_at; // "at-end", or LMB_NONE
    uint32_t parameter;
    uint32_t pose; // node, once it was read
    bool is_read;  // the pose was
    bool plays;    // and a clip plays in it
} lmb_graph_fade;

// An operation's node while its object is read; offsets of its fields count from its start.
typedef struct lmb_graph_node {
    lmb_node_def def;
    uint32_t object;
    bool is_additive;
    uint32_t reference; // node of the pose that an additive clip is a difference from, or LMB_NONE
    uint32_t reference_at;
    lmb_axis axis;      // of a mirror
    uint32_t *partners; // that it states, or NULL
    uint32_t partners_at;
    uint32_t play_at; // of a clip, or LMB_NONE
    uint32_t name_at; // of a machine, or LMB_NONE, as the next two
    uint32_t initial_at;
    uint32_t any_at;
    uint32_t states_at;
    lmb_graph_fade fade;
    uint32_t *channel_partners;
    int8_t *channel_signs;
} lmb_graph_node;

// graph_problem.c: notes a mistake at a JSON value.
void lmb_graph_report(lmb_graph_reader *reader, uint32_t value, const char *format, ...) LMB_PRINTF(3, 4);
// One at a place in the text, of what is no JSON.
void lmb_graph_report_text(lmb_graph_reader *reader, const lmb_json_error *error);
// Something that is allowed, but hardly meant.
void lmb_graph_warn(lmb_graph_reader *reader, uint32_t value, const char *format, ...) LMB_PRINTF(3, 4);
// Whether it comes from the text of a machine, which warns by itself of states that cannot be reached.
bool lmb_graph_is_inserted(const lmb_graph_reader *reader, uint32_t value);
// Reports another type than this one; false where it did.
bool lmb_graph_expect(lmb_graph_reader *reader, uint32_t value, lmb_json_type type);

// graph_field.c
void *lmb_graph_allocate(lmb_graph_reader *reader, lmb_pool *pool, size_t count, size_t size);
void *lmb_graph_grow(lmb_graph_reader *reader, lmb_pool *pool, void *array, size_t count, size_t *capacity,
                     size_t size);
// Adds the next thing to a table in the graph's pool.
bool lmb_graph_index(lmb_graph_reader *reader, lmb_index *index, uint64_t hash);
// A joint of that name, or past the joints a channel; LMB_NONE, reported, where there is neither.
uint32_t lmb_graph_find_part(lmb_graph_reader *reader, uint32_t key);
// A string, decoded, in a pool; NULL where there is no memory, or where it holds a zero, which is reported.
const char *lmb_graph_text(lmb_graph_reader *reader, lmb_pool *pool, uint32_t value);
// Whether a string, or a key, is a name that the reader knows.
bool lmb_graph_is_text(const lmb_graph_reader *reader, uint32_t value, const char *name);
// Reads the members of an object into a target.
void lmb_graph_read_fields(lmb_graph_reader *reader, const lmb_graph_fields *fields, uint32_t object, void *target);
// Kinds of fields: a bool; a uint32_t, whole and in the field's range; a float in the field's range; an enumeration.
void lmb_graph_read_boolean(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);
void lmb_graph_read_whole(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);
void lmb_graph_read_plain(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);
void lmb_graph_read_choice(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);

// graph_value.c: the parameter of that name that is not written, or LMB_NONE.
uint32_t lmb_graph_find_declared(const lmb_graph_json *graph, const char *name);
// A number, a parameter, a curve or a computed number, as an lmb_value.
void lmb_graph_read_value(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);
// The curve that is beside a number, at the offset of that.
void lmb_graph_read_curve(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);
// A parameter in a place of this field. What it states is joined with what other uses state.
lmb_value lmb_graph_use_parameter(lmb_graph_reader *reader, const lmb_graph_declared *use, const lmb_graph_field *field,
                                  uint32_t value);
// A parameter that the control writes, of a name of its own: "Walk.time" of "Walk" and "time".
uint32_t lmb_graph_add_written(lmb_graph_reader *reader, const char *owner, const char *what, float initial, float max,
                               uint32_t value);
// The parameter of that name, which the control writes from now on: uses of it were read before. Where there is none, a new
// one of this field; LMB_NONE where there is no room.
uint32_t lmb_graph_write_parameter(lmb_graph_reader *reader, const char *name, const lmb_graph_field *field,
                                   uint32_t value);
// A new parameter that follows one, or what did so for the same half-life before.
uint32_t lmb_graph_follow(lmb_graph_reader *reader, uint32_t source, float half_life, uint32_t value);
// Completes defaults and ranges once all uses are known.
void lmb_graph_finish_parameters(lmb_graph_reader *reader);

// graph_computed.c: whether a number is computed, or the weight of a fade; then that number, in a place of this field;
// and their defaults, once those of all parameters are known.
bool lmb_graph_is_computed(const lmb_graph_reader *reader, uint32_t value);
lmb_value lmb_graph_read_computed(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value);
void lmb_graph_finish_computed(lmb_graph_reader *reader);
// Reports a value that is not known where transitions are taken and rates are read.
void lmb_graph_expect_early(lmb_graph_reader *reader, uint32_t value, lmb_value read);
// The parameter for the weight of a fade that is read now, and begins with this one.
uint32_t lmb_graph_name_fade(lmb_graph_reader *reader, const char *name, float initial, uint32_t value);

// graph_mask.c: a byte for each joint, up to `greatest`; a joint that is not named has its parent's, a root `of_root`; behind
// them, if asked for, one for each channel, 0 where it is not named. In the graph's pool; NULL where there is no memory or no
// object. And a node's mask.
uint8_t *lmb_graph_read_joint_bytes(lmb_graph_reader *reader, uint32_t value, uint32_t max, uint32_t of_root,
                                    bool with_channels);
void lmb_graph_read_mask(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);

// graph_joint_map.c: a joint of the rig by its name, or LMB_NONE, which is reported; the part in which an input of a combine
// stands.
uint32_t lmb_graph_find_joint(lmb_graph_reader *reader, uint32_t value);
void lmb_graph_read_part(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);

// graph_mirror.c: a mirror's partners; then the index of a mirror with what the node has read.
void lmb_graph_read_partners(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);
void lmb_graph_read_channel_partners(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value,
                                     void *target);
uint32_t lmb_graph_add_mirror(lmb_graph_reader *reader, const lmb_graph_node *node);

// graph_joint_limits.c: a node's limits.
void lmb_graph_read_limits(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);

// graph_root.c: reads a member of a pose's object where it belongs to levels of detail, or limits emitted events;
// false where it does not. Then what the levels leave out.
bool lmb_graph_read_root_field(lmb_graph_reader *reader, uint32_t key, uint32_t object);
void lmb_graph_finish_root(lmb_graph_reader *reader);

// graph_operation.c: a pose and all inside it. The index of its node; what it is does not matter once a problem was
// reported.
uint32_t lmb_graph_read_pose(lmb_graph_reader *reader, uint32_t value);
uint32_t lmb_graph_add_node(lmb_graph_reader *reader, const lmb_node_def *def, uint32_t object);

// graph_player.c: a player for a clip that says how it plays, or that is in a state and says no time. Its time is then
// the clip's.
void lmb_graph_add_player(lmb_graph_reader *reader, const lmb_graph_node *node, lmb_node_def *clip);
// The event of that name, or LMB_NONE; and an event's name, as its number.
uint32_t lmb_graph_find_named_event(const lmb_graph_json *graph, const char *name);
void lmb_graph_read_event(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);

// graph_loop.c: a state that transitions without events lead away from and back to while the same conditions hold, or
// LMB_NONE; `text` then names the states on the way.
#define LMB_GRAPH_LOOP_TEXT 160u
uint32_t lmb_graph_find_loop(lmb_graph_reader *reader, const lmb_machine_def *machine, char text[LMB_GRAPH_LOOP_TEXT]);

// graph_motion.c: how a clip carries its character; where that is taken out of it, the index becomes that of what is left.
void lmb_graph_read_motion(lmb_graph_reader *reader, uint32_t value, const lmb_clip *clip, lmb_player_def *player,
                           lmb_value *index);
// Whether a member is the outermost object's of the character motion, which is read after all else.
bool lmb_graph_find_character_motion(lmb_graph_reader *reader, uint32_t key, uint32_t object);
void lmb_graph_read_character_motion(lmb_graph_reader *reader);

// graph_machine.c: a machine, which becomes a pose that weighs its states' ones.
uint32_t lmb_graph_add_machine(lmb_graph_reader *reader, const lmb_graph_node *node);
// Another machine, in the state that is read; false where it is one too many, which was reported.
bool lmb_graph_begin_machine(lmb_graph_reader *reader, uint32_t object);
// A name of one character at least, in the graph's pool; NULL where it is none.
const char *lmb_graph_read_name(lmb_graph_reader *reader, uint32_t value);
// A curve by its name alone: a fade has no number that it could shape.
void lmb_graph_read_fade_curve(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);

// graph_fade.c: whether a weight's value is a fade; one begins before the object that has it as this member is read, its
// pose and its value are read in any order, and then it ends.
bool lmb_graph_is_fade(const lmb_graph_reader *reader, uint32_t value);
void lmb_graph_begin_fade(lmb_graph_reader *reader, uint32_t object, const char *member, lmb_graph_fade *fade);
uint32_t lmb_graph_read_faded_pose(lmb_graph_reader *reader, lmb_graph_fade *fade, uint32_t value);
lmb_value lmb_graph_read_fade(lmb_graph_reader *reader, lmb_graph_fade *fade);
void lmb_graph_end_fade(lmb_graph_reader *reader, const lmb_graph_fade *fade);

// graph_insert.c: the machine's text put into a graph, for the machine there that has no states, or alone where the source is
// the machine's. False where that failed.
bool lmb_graph_insert_machine(lmb_graph_reader *reader);

// graph_condition.c: what a transition needs of parameters and clips, as its terms.
void lmb_graph_read_condition(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target);

#endif
