// Macros for tables of fields. Define DEF as the struct before rows; rows are in the order in which a pack stores them:
// add new ones at the end of a table.
#ifndef LIMBER_SRC_BASE_FIELD_ROWS_H
#define LIMBER_SRC_BASE_FIELD_ROWS_H

#include "fields.h"

#include <limber/graph.h>

#include <stddef.h>

#define AT(member) .name = #member, .offset = offsetof(DEF, member)
#define SIZE(member) sizeof(((DEF *)0)->member)
// The default: elements of a type.
#define FIRST(type, ...)                                                                                               \
    .initial = (const type[]){__VA_ARGS__}, .initial_count = sizeof((const type[]){__VA_ARGS__}) / sizeof(type)
#define FINITE .min = -LMB_LARGEST, .max = LMB_LARGEST
#define COUNTED(number) .used = offsetof(DEF, number), .is_counted = true

// Words that are 0, have a default, or are LMB_NONE.
#define WORDS(member)                                                                                                  \
    { AT(member), .kind = LMB_FIELD_WORDS, .count = SIZE(member) / 4 }
#define FLOATS(member, ...)                                                                                            \
    { AT(member), .kind = LMB_FIELD_WORDS, .count = SIZE(member) / 4, FIRST(float, __VA_ARGS__) }
#define WORDS_FROM(member, ...)                                                                                        \
    { AT(member), .kind = LMB_FIELD_WORDS, .count = SIZE(member) / 4, FIRST(uint32_t, __VA_ARGS__) }
#define NONE(member) WORDS_FROM(member, LMB_NONE)

// Words in a range. Those whose row ends in `number` are arrays, of which so many elements count.
#define JOINT(member)                                                                                                  \
    { AT(member), .kind = LMB_FIELD_JOINT, .count = 1, FIRST(uint32_t, LMB_NONE) }
#define JOINTS(member, number)                                                                                         \
    { AT(member), .kind = LMB_FIELD_JOINT, .count = SIZE(member) / 4, COUNTED(number), FIRST(uint32_t, LMB_NONE) }
#define INDEX(member, below, fault)                                                                                    \
    {                                                                                                                  \
        AT(member), .kind = LMB_FIELD_INDEX, .count = 1, .most = (below), .max = (below)-1, .why = (fault),            \
                    FIRST(uint32_t, LMB_NONE)                                                                          \
    }
#define EVENT(member)                                                                                                  \
    { AT(member), .kind = LMB_FIELD_EVENT, .count = 1, FIRST(uint32_t, LMB_NONE) }
#define COUNT(member, largest)                                                                                         \
    { AT(member), .kind = LMB_FIELD_COUNT, .count = 1, .most = (largest) }
// An enumeration, which is 0 at first.
#define CHOICE(member, names)                                                                                          \
    { AT(member), .kind = LMB_FIELD_CHOICE, .count = 1, .most = (names) }
#define NUMBER(member, smallest, largest, first)                                                                       \
    { AT(member), .kind = LMB_FIELD_NUMBER, .count = 1, .min = (smallest), .max = (largest), FIRST(float, first) }
#define NUMBERS(member, number, smallest, largest, first)                                                              \
    {                                                                                                                  \
        AT(member), .kind = LMB_FIELD_NUMBER, .count = SIZE(member) / 4, COUNTED(number), .min = (smallest),           \
                    .max = (largest), FIRST(float, first)                                                              \
    }
#define TRIPLE(member, smallest, largest, ...)                                                                         \
    { AT(member), .kind = LMB_FIELD_NUMBER, .count = 3, .min = (smallest), .max = (largest), FIRST(float, __VA_ARGS__) }
#define PAIR(member, smallest, largest)                                                                                \
    { AT(member), .kind = LMB_FIELD_NUMBER, .count = 2, .min = (smallest), .max = (largest) }
#define AXIS(member, ...)                                                                                              \
    { AT(member), .kind = LMB_FIELD_AXIS, .count = 3, FINITE, FIRST(float, __VA_ARGS__) }

// Structs, one or an array.
#define INSIDE(member, type, table)                                                                                    \
    { AT(member), .kind = LMB_FIELD_INSIDE, .count = SIZE(member) / sizeof(type), .inside = &lmb_##table##_fields }
#define INSIDES(member, type, table, number)                                                                           \
    {                                                                                                                  \
        AT(member), .kind = LMB_FIELD_INSIDE, .count = SIZE(member) / sizeof(type), .inside = &lmb_##table##_fields,   \
                    COUNTED(number)                                                                                    \
    }
#define VALUES(member, ...)                                                                                            \
    {                                                                                                                  \
        AT(member), .kind = LMB_FIELD_VALUE, .count = SIZE(member) / sizeof(lmb_value), .inside = &lmb_value_fields,   \
                    FINITE, FIRST(float, __VA_ARGS__)                                                                  \
    }
#define POINT(member, ...)                                                                                             \
    {                                                                                                                  \
        AT(member), .kind = LMB_FIELD_POINT, .count = 3, .inside = &lmb_value_fields,                                  \
                    .slot = offsetof(DEF, member##_slot), FINITE, FIRST(float, __VA_ARGS__)                            \
    }

#define BOOL(member)                                                                                                   \
    { AT(member), .kind = LMB_FIELD_BOOL, .count = 1 }
#define INITIALLY_TRUE(member)                                                                                         \
    { AT(member), .kind = LMB_FIELD_BOOL, .count = 1, FIRST(uint32_t, 1) }
#define TEXT(member)                                                                                                   \
    { AT(member), .kind = LMB_FIELD_TEXT }
#define EMPTY_TEXT(member)                                                                                             \
    { AT(member), .kind = LMB_FIELD_TEXT, .initial = "" }
#define OTHER(member)                                                                                                  \
    { AT(member), .kind = LMB_FIELD_OTHER }
#define TRUE_IN_PACKS(member)                                                                                          \
    { AT(member), .kind = LMB_FIELD_TRUE }
#define COOKIE()                                                                                                       \
    { AT(cookie), .kind = LMB_FIELD_COOKIE }

// Lists whose length is in the member `number`: of structs, and of plain elements.
#define LENGTH(number) .length_offset = offsetof(DEF, number), .length_size = SIZE(number)
#define LIST(member, number, table)                                                                                    \
    { AT(member), .kind = LMB_FIELD_LIST, .inside = &lmb_##table##_fields, LENGTH(number) }
#define PLAIN_LIST(member, number)                                                                                     \
    { AT(member), .kind = LMB_FIELD_LIST, .size = sizeof(*((DEF *)0)->member), LENGTH(number) }
// The same if the number has an earlier row.
#define KNOWN_LIST(member, number, table)                                                                              \
    { AT(member), .kind = LMB_FIELD_LIST, .inside = &lmb_##table##_fields, .length = LMB_LENGTH_FIELD, LENGTH(number) }
#define KNOWN_PLAIN_LIST(member, bytes, number)                                                                        \
    { AT(member), .kind = LMB_FIELD_LIST, .size = (bytes), .length = LMB_LENGTH_FIELD, LENGTH(number) }
// Lists of another length.
#define LIST_OF(how, member, table)                                                                                    \
    { AT(member), .kind = LMB_FIELD_LIST, .inside = &lmb_##table##_fields, .length = (how) }
#define PLAIN_LIST_OF(how, member)                                                                                     \
    { AT(member), .kind = LMB_FIELD_LIST, .size = sizeof(*((DEF *)0)->member), .length = (how) }

// A pointer to a single struct, which only nodes of one operation have.
#define ONLY_OF(operation, member, table)                                                                              \
    {                                                                                                                  \
        AT(member), .kind = LMB_FIELD_LIST, .inside = &lmb_##table##_fields, .length = LMB_LENGTH_ONE,                 \
                    .only_of = operation + 1                                                                           \
    }

// Defines the table of DEF, lmb_NAME_fields, which has the rows NAME_rows.
#define TABLE(name)                                                                                                    \
    const lmb_fields lmb_##name##_fields = {sizeof(DEF), name##_rows, sizeof name##_rows / sizeof name##_rows[0]}

// Defines the public function that returns the default of lmb_TYPE by the table lmb_NAME_fields.
#define DEFAULT(type, name)                                                                                            \
    lmb_##type lmb_default_##type(void) {                                                                              \
        lmb_##type def;                                                                                                \
        lmb_fields_default(&lmb_##name##_fields, &def);                                                                \
        return def;                                                                                                    \
    }

#endif
