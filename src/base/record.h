// Descriptors as words: one function writes, one reads any struct that has a table of fields (field.h).
//
// A record is stored as bits, one for each row in the order of the table, and then the fields whose bits are set. Bits
// are in words of 31; bit 31 of a word says that another one follows. A field that equals that of the default is left
// out. So a table may grow at its end: fields that a record lacks keep their defaults.
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

#include "field.h"
#include "host.h"

#include <limber/clip.h>

// What the lengths of lists and the indices of clips refer to.
typedef struct lmb_record_context {
    uint32_t joint_count;
    uint32_t channel_count;
    const lmb_clip *const *clips;
    const uint32_t *clip_places; // the indices under which they are written; NULL if they are those of the list
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
void lmb_record_write(lmb_record_writer *writer, const lmb_fields *fields, const void *element);

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
bool lmb_record_read(lmb_record_reader *reader, const lmb_fields *fields, void *element);
// Returns zeroed memory of the reader's arena, or fails and returns NULL.
void *lmb_record_allocate(lmb_record_reader *reader, size_t count, size_t size);
// Fails at the current place. Returns false.
bool lmb_record_refuse(const lmb_record_reader *reader, lmb_result result, const char *why);

#endif
