// Descriptors as tables: a row for each field of a struct. A descriptor's default, the checks of its ranges, its form
// in a pack (record.h) and its ranges in JSON (json/graph.h) follow from the rows. Code checks what relates fields to
// each other, or to the rest of a graph. Tables are in fields.c, those of a pack's own parts in pack/records.c;
// field_rows.h has the macros for rows.
#ifndef LIMBER_SRC_BASE_FIELD_H
#define LIMBER_SRC_BASE_FIELD_H

#include <limber/base.h>

typedef struct lmb_fields lmb_fields;

typedef enum lmb_field_kind {
    // Words: elements of four bytes each.
    LMB_FIELD_WORDS,  // uint32_t, int32_t, float or an enumeration, without a range
    LMB_FIELD_JOINT,  // uint32_t: a joint of the rig
    LMB_FIELD_INDEX,  // uint32_t: LMB_NONE, or below `most`
    LMB_FIELD_EVENT,  // uint32_t: LMB_NONE, or an event of the graph
    LMB_FIELD_COUNT,  // uint32_t: 1 to `most`
    LMB_FIELD_CHOICE, // an enumeration: below `most`
    LMB_FIELD_NUMBER, // float: from `min` to `max`
    LMB_FIELD_AXIS,   // float[3]: not 0, of any length up to 2^40
    // Structs that have a table.
    LMB_FIELD_INSIDE,
    LMB_FIELD_VALUE, // lmb_value
    LMB_FIELD_POINT, // lmb_value[3], unless the lmb_point_slot at `slot` says that it is in the buffer of points
    // Others.
    LMB_FIELD_BOOL,
    LMB_FIELD_TEXT,  // const char *
    LMB_FIELD_CLIP,  // const lmb_clip *
    LMB_FIELD_LIST,  // a pointer to elements
    LMB_FIELD_OTHER, // has no form in a pack
    LMB_FIELD_TRUE,  // bool: has no form in a pack, and is true in what is read from one
    LMB_FIELD_COOKIE // LMB_COOKIE
} lmb_field_kind;

// The number of elements of a list.
typedef enum lmb_list_length {
    LMB_LENGTH_STATED,   // in the field at `length_offset`, which has no row of its own
    LMB_LENGTH_FIELD,    // in the field at `length_offset`, which has an earlier row
    LMB_LENGTH_ONE,      // a pointer to a single element
    LMB_LENGTH_JOINTS,   // of the rig
    LMB_LENGTH_CHANNELS, // of the rig
    LMB_LENGTH_BYTES,    // joints and channels of the rig
    LMB_LENGTH_POSE      // channels of the rig if the field at `length_offset` is its number of joints, else 0
} lmb_list_length;

typedef struct lmb_field {
    const char *name;
    size_t offset;
    lmb_field_kind kind;
    uint32_t count; // words, structs and bools: elements, one after the other
    // Elements of the default in turn, the last one for all others; NULL: zeros. Values have their constants here, a
    // bool a word.
    const void *initial;
    uint32_t initial_count;
    float min, max; // of numbers, and of what may be one: an index, coordinates of an axis, constants of values
    uint32_t most;
    const char *why; // of an index that is out of range
    size_t slot;     // of a point
    bool is_counted; // the uint32_t at `used` says how many elements are checked
    size_t used;
    const lmb_fields *inside; // structs; list: of the elements, or NULL if they are plain
    size_t size;              // list of plain elements: bytes of each, whole words or 1
    lmb_list_length length;   // list
    size_t length_offset;
    size_t length_size; // 4, or that of size_t
    // If not 0: only structs whose first word is one less are stored with this field. All others ignore it, so it may
    // point anywhere.
    uint32_t only_of;
} lmb_field;

struct lmb_fields {
    size_t size; // of the struct, at most LMB_FIELDS_LARGEST
    const lmb_field *rows;
    uint32_t count;
};

#define LMB_FIELDS_LARGEST 4096u

// Returns the size of one of a field's elements, of words, structs and bools.
size_t lmb_field_element_size(const lmb_field *field);
// Returns whether the elements are structs that have a table.
bool lmb_field_is_inside(const lmb_field *field);

// Returns the row of what is at an offset of a struct, or of a struct inside; NULL if none has a size that is known.
LMB_API const lmb_field *lmb_fields_find(const lmb_fields *fields, size_t offset);

// Stores the default of a struct.
LMB_API void lmb_fields_default(const lmb_fields *fields, void *def);

// What indices are compared with.
typedef struct lmb_field_context {
    uint32_t joint_count;
    uint32_t parameter_count;
    uint32_t event_count;
    uint32_t curve_count;
} lmb_field_context;

// The first field of a struct that is out of its range.
typedef struct lmb_field_fault {
    char field[64]; // "feet[0].ground[1]"
    char why[80];
} lmb_field_fault;

// Returns whether all fields are in their ranges. If not, stores the first one that is not.
bool lmb_fields_check(const lmb_fields *fields, const void *def, const lmb_field_context *context,
                      lmb_field_fault *fault);

#endif
