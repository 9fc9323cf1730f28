// Descriptors as words: a table describes each struct, and one function writes, one reads any struct that has a table.
// So a new field of a descriptor needs one row.
//
// A record is stored as bits, one for each row in the order of the table, and then the fields whose bits are set. Bits
// are in words of 31; bit 31 of a word says that another one follows. A field that equals that of the record's default
// is left out. So a table may grow at its end: fields that a record lacks keep their defaults.
//
//   words, bools    the elements, a word each. An array begins with their number: those at its end that equal the
//                   default's are left out
//   inside          records, preceded in the same way by their number
//   text            its length, its bytes, a zero, and zeros up to a whole word
//   clip            its index
//   list            its length if no other field states it, then records, or plain elements padded to whole words
//
// Texts and plain elements are used in place when a record is read; memory is allocated only for lists of records.
#ifndef LIMBER_SRC_BASE_RECORD_H
#define LIMBER_SRC_BASE_RECORD_H

#include "host.h"

#include <limber/clip.h>

typedef struct lmb_record lmb_record;

typedef enum lmb_record_kind {
    LMB_RECORD_WORDS,   // uint32_t, int32_t, float or an enumeration
    LMB_RECORD_BOOLS,   // a word each, 0 or 1
    LMB_RECORD_INSIDE,  // structs that have a table
    LMB_RECORD_TEXT,    // const char *
    LMB_RECORD_CLIP,    // const lmb_clip *
    LMB_RECORD_LIST,    // a pointer to elements
    LMB_RECORD_LEFT_OUT // is not stored and keeps its default
} lmb_record_kind;

// The number of elements of a list.
typedef enum lmb_record_length {
    LMB_LENGTH_STATED,   // is stored with the list and in the field at `length_offset`
    LMB_LENGTH_FIELD,    // is in the field at `length_offset`, which has an earlier row
    LMB_LENGTH_ONE,      // a pointer to a single element
    LMB_LENGTH_JOINTS,   // of the rig
    LMB_LENGTH_CHANNELS, // of the rig
    LMB_LENGTH_BYTES,    // joints and channels of the rig
    LMB_LENGTH_POSE      // channels of the rig if the field at `length_offset` is its number of joints, else 0
} lmb_record_length;

typedef struct lmb_record_field {
    const char *name;
    size_t offset;
    lmb_record_kind kind;
    uint32_t count;           // words, bools, inside: elements, one after the other
    const lmb_record *record; // inside; list: of the elements, or NULL if they are plain
    size_t size;              // list of plain elements: bytes of each, whole words or 1
    lmb_record_length length; // list
    size_t length_offset;
    size_t length_size; // 4, or that of size_t
    // If not 0: only records whose first word is one less are written with this field. All others ignore it, so it may
    // point anywhere.
    uint32_t only_of;
} lmb_record_field;

struct lmb_record {
    size_t size; // of the struct, at most LMB_RECORD_LARGEST
    // Stores the default; NULL if it is all zeros.
    void (*initialize)(void *element);
    const lmb_record_field *fields;
    uint32_t field_count;
};

#define LMB_RECORD_LARGEST 4096u

// What the lengths of lists and the indices of clips refer to.
typedef struct lmb_record_context {
    uint32_t joint_count;
    uint32_t channel_count;
    const lmb_clip *const *clips;
    uint32_t clip_count;
} lmb_record_context;

// Bytes that are written as far as there is room. `size` counts all.
typedef struct lmb_record_writer {
    const lmb_record_context *context;
    uint8_t *bytes; // or NULL
    size_t room;
    size_t size;
    const char *too_long; // the first field with 2^32 elements or more, or NULL
} lmb_record_writer;

// Appends bytes, and zeros up to a whole word.
void lmb_record_put(lmb_record_writer *writer, const void *bytes, size_t size);
void lmb_record_write(lmb_record_writer *writer, const lmb_record *record, const void *element);

// A place in the structs that are read, for messages.
typedef struct lmb_record_place lmb_record_place;

typedef struct lmb_record_reader {
    const lmb_record_context *context;
    const uint8_t *bytes; // aligned to 4
    size_t size;          // whole words
    size_t at;
    lmb_arena *memory;
    size_t allowed; // bytes that may still be allocated
    const lmb_record_place *place;
    lmb_error *error; // not NULL
} lmb_record_reader;

// Reads a record into `element`, a struct of the record's size, whatever that contains. Returns false if it fails, and
// stores the error, whose message names the field and the byte.
bool lmb_record_read(lmb_record_reader *reader, const lmb_record *record, void *element);
// Returns zeroed memory of the reader's arena, or fails and returns NULL.
void *lmb_record_allocate(lmb_record_reader *reader, size_t count, size_t size);
// Fails at the current place. Returns false.
bool lmb_record_refuse(const lmb_record_reader *reader, lmb_result result, const char *why);

#endif
