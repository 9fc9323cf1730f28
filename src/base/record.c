// Writing compares a struct with its default, field by field and with nested records in the same way, and stores what
// differs. Without memory it only counts bytes.
//
// Reading does not trust the bytes. It starts from the default and checks every count against what is left of the pack
// before it allocates. All memory of a pack is limited by its size, so that a small file cannot ask for much. Local
// variables form a list from the outermost struct to the current field, for messages such as
// "graphs[0].nodes[3].weight".
#include "record.h"

#include <assert.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#define BITS_A_WORD 31u
#define MORE_BITS 0x80000000u
#define MOST_FIELDS 62u

// The default of a record.
typedef struct defaults {
    alignas(max_align_t) uint8_t bytes[LMB_FIELDS_LARGEST];
} defaults;

static void initialize(const lmb_fields *fields, void *element) {
    assert(fields->size <= LMB_FIELDS_LARGEST && fields->count <= MOST_FIELDS);
    lmb_fields_default(fields, element);
    const bool flag = true;
    for (uint32_t i = 0; i < fields->count; i++) {
        if (fields->rows[i].kind == LMB_FIELD_TRUE) {
            memcpy((uint8_t *)element + fields->rows[i].offset, &flag, sizeof flag);
        }
    }
}

static const void *load_pointer(const lmb_field *field, const uint8_t *element) {
    const void *pointer;
    memcpy(&pointer, element + field->offset, sizeof pointer);
    return pointer;
}

// Returns the number that a field of a struct states.
static size_t load_length(const lmb_field *field, const uint8_t *element) {
    uint32_t length;
    size_t wide;
    memcpy(&length, element + field->length_offset, sizeof length);
    memcpy(&wide, element + field->length_offset, field->length_size == sizeof wide ? sizeof wide : 0);
    return field->length_size == sizeof wide ? wide : length;
}

static void store_length(const lmb_field *field, uint8_t *element, uint32_t length) {
    const size_t wide = length;
    if (field->length_size == sizeof wide) {
        memcpy(element + field->length_offset, &wide, sizeof wide);
    } else {
        memcpy(element + field->length_offset, &length, sizeof length);
    }
}

// Returns the number of a list's elements. If it is stated, the struct must have it already.
static size_t length_of(const lmb_record_context *context, const lmb_field *field, const uint8_t *element) {
    switch (field->length) {
    case LMB_LENGTH_STATED:
    case LMB_LENGTH_FIELD:
        return load_length(field, element);
    case LMB_LENGTH_ONE:
        return 1;
    case LMB_LENGTH_JOINTS:
        return context->joint_count;
    case LMB_LENGTH_CHANNELS:
        return context->channel_count;
    case LMB_LENGTH_BYTES:
        return (size_t)context->joint_count + context->channel_count;
    case LMB_LENGTH_POSE:
        return load_length(field, element) == context->joint_count ? context->channel_count : 0;
    }
    return 0;
}

// ---- Writing.

void lmb_record_put(lmb_record_writer *writer, const void *bytes, size_t size) {
    static const uint8_t zeros[4];
    const size_t padding = (0 - size) & 3u;
    if (writer->bytes != NULL && writer->size <= writer->room && size + padding <= writer->room - writer->size) {
        memcpy(writer->bytes + writer->size, size > 0 ? bytes : zeros, size);
        memcpy(writer->bytes + writer->size + size, zeros, padding);
    }
    writer->size += size + padding;
}

static void put_word(lmb_record_writer *writer, uint32_t word) {
    lmb_record_put(writer, &word, sizeof word);
}

static void put_length(lmb_record_writer *writer, const lmb_field *field, size_t length) {
    if (length > UINT32_MAX && writer->too_long == NULL) {
        writer->too_long = field->name;
    }
    put_word(writer, (uint32_t)length);
}

// Returns how many of a field's elements, from the first one on, are stored: those after them equal the default's. 0
// leaves the field out.
static size_t stored_count(const lmb_record_context *context, const lmb_field *field, const uint8_t *element,
                           const uint8_t *from);

static bool differs(const lmb_record_context *context, const lmb_fields *fields, const uint8_t *a, const uint8_t *b) {
    for (uint32_t i = 0; i < fields->count; i++) {
        if (stored_count(context, &fields->rows[i], a, b) > 0) {
            return true;
        }
    }
    return false;
}

static size_t stored_count(const lmb_record_context *context, const lmb_field *field, const uint8_t *element,
                           const uint8_t *from) {
    const char *text;
    uint32_t first;
    switch (field->kind) {
    case LMB_FIELD_OTHER:
    case LMB_FIELD_TRUE:
    case LMB_FIELD_COOKIE:
        return 0;
    case LMB_FIELD_TEXT:
        text = load_pointer(field, from);
        return load_pointer(field, element) != NULL &&
               (text == NULL || strcmp(text, load_pointer(field, element)) != 0);
    case LMB_FIELD_CLIP:
        return load_pointer(field, element) != NULL;
    case LMB_FIELD_LIST:
        memcpy(&first, element, sizeof first);
        return load_pointer(field, element) != NULL && (field->only_of == 0 || field->only_of == first + 1) &&
               (field->length != LMB_LENGTH_STATED || length_of(context, field, element) > 0);
    default:
        break;
    }
    const size_t size = lmb_field_element_size(field);
    const uint8_t *a = element + field->offset, *b = from + field->offset;
    size_t count = field->count;
    while (count > 0 && !(lmb_field_is_inside(field)
                              ? differs(context, field->inside, a + (count - 1) * size, b + (count - 1) * size)
                              : memcmp(a + (count - 1) * size, b + (count - 1) * size, size) != 0)) {
        count--;
    }
    return count;
}

static uint32_t index_of_clip(const lmb_record_context *context, const lmb_clip *clip) {
    uint32_t index = 0;
    while (index < context->clip_count && context->clips[index] != clip) {
        index++;
    }
    assert(index < context->clip_count);
    return context->clip_places != NULL ? context->clip_places[index] : index;
}

static void put_list(lmb_record_writer *writer, const lmb_field *field, const uint8_t *element) {
    const uint8_t *list = load_pointer(field, element);
    const size_t length = length_of(writer->context, field, element);
    if (field->length == LMB_LENGTH_STATED) {
        put_length(writer, field, length);
    }
    if (field->inside == NULL) {
        lmb_record_put(writer, list, length * field->size);
    }
    for (size_t i = 0; field->inside != NULL && i < length; i++) {
        lmb_record_write(writer, field->inside, list + i * field->inside->size);
    }
}

static void put_elements(lmb_record_writer *writer, const lmb_field *field, const uint8_t *element, size_t count) {
    const uint8_t *at = element + field->offset;
    if (field->count > 1) {
        put_word(writer, (uint32_t)count);
    }
    for (size_t i = 0; i < count; i++, at += lmb_field_element_size(field)) {
        if (lmb_field_is_inside(field)) {
            lmb_record_write(writer, field->inside, at);
        } else if (field->kind == LMB_FIELD_BOOL) {
            bool value;
            memcpy(&value, at, sizeof value);
            put_word(writer, value);
        } else {
            lmb_record_put(writer, at, sizeof(uint32_t));
        }
    }
}

static void put_field(lmb_record_writer *writer, const lmb_field *field, const uint8_t *element, size_t count) {
    if (field->kind == LMB_FIELD_LIST) {
        put_list(writer, field, element);
    } else if (field->kind == LMB_FIELD_CLIP) {
        put_word(writer, index_of_clip(writer->context, load_pointer(field, element)));
    } else if (field->kind == LMB_FIELD_TEXT) {
        const char *text = load_pointer(field, element);
        put_length(writer, field, strlen(text));
        lmb_record_put(writer, text, strlen(text) + 1);
    } else {
        put_elements(writer, field, element, count);
    }
}

void lmb_record_write(lmb_record_writer *writer, const lmb_fields *fields, const void *element) {
    defaults from;
    initialize(fields, from.bytes);
    size_t counts[MOST_FIELDS];
    uint32_t bits[(MOST_FIELDS + BITS_A_WORD - 1) / BITS_A_WORD] = {0};
    uint32_t last = 0; // word with a bit
    for (uint32_t i = 0; i < fields->count; i++) {
        counts[i] = stored_count(writer->context, &fields->rows[i], element, from.bytes);
        if (counts[i] > 0) {
            last = i / BITS_A_WORD;
            bits[last] |= 1u << i % BITS_A_WORD;
        }
    }
    for (uint32_t i = 0; i <= last; i++) {
        put_word(writer, bits[i] | (i < last ? MORE_BITS : 0));
    }
    for (uint32_t i = 0; i < fields->count; i++) {
        if (counts[i] > 0) {
            put_field(writer, &fields->rows[i], element, counts[i]);
        }
    }
}

// ---- Reading.

struct lmb_record_place {
    const lmb_record_place *outer;
    const char *name;
    size_t index;
    bool is_indexed;
};

// Appends "graphs[0].nodes[3].weight" to a message.
static void append_place(char *text, size_t size, const lmb_record_place *place) {
    if (place->outer != NULL) {
        append_place(text, size, place->outer);
    }
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", place->outer != NULL ? "." : "", place->name);
    used = strlen(text);
    if (place->is_indexed) {
        snprintf(text + used, size - used, "[%zu]", place->index);
    }
}

bool lmb_record_refuse(const lmb_record_reader *reader, lmb_result result, const char *why) {
    char place[300] = "";
    if (reader->place != NULL) {
        append_place(place, sizeof place, reader->place);
    }
    return lmb_refuse(reader->error, result, "pack: byte %zu: %s%s%s", reader->at, place, place[0] == '\0' ? "" : ": ",
                      why);
}

void *lmb_record_allocate(lmb_record_reader *reader, size_t count, size_t size) {
    // The limit is checked before the product can overflow.
    if (size > 0 && count > reader->allowed / size) {
        lmb_record_refuse(reader, LMB_ERROR_LIMIT, "it would take more memory than a pack of this size is given");
        return NULL;
    }
    reader->allowed -= count * size;
    void *memory = lmb_arena_allocate(reader->memory, count, size);
    if (memory == NULL) {
        lmb_record_refuse(reader, LMB_ERROR_MEMORY, "no memory");
    }
    return memory;
}

// Returns the next bytes, which are padded to whole words, or fails and returns NULL.
static const uint8_t *take(lmb_record_reader *reader, size_t size) {
    const size_t left = reader->size - reader->at; // whole words
    if (size > left) {
        lmb_record_refuse(reader, LMB_ERROR_FORMAT, "the pack ends inside it");
        return NULL;
    }
    const uint8_t *taken = reader->bytes + reader->at;
    reader->at += size + ((0 - size) & 3u);
    return taken;
}

static bool take_word(lmb_record_reader *reader, uint32_t *word) {
    const uint8_t *taken = take(reader, sizeof *word);
    if (taken != NULL) {
        memcpy(word, taken, sizeof *word);
    }
    return taken != NULL;
}

static bool take_bits(lmb_record_reader *reader, const lmb_fields *fields, uint64_t *bits) {
    uint32_t word = MORE_BITS;
    *bits = 0;
    for (uint32_t at = 0; word & MORE_BITS; at += BITS_A_WORD) {
        if (!take_word(reader, &word)) {
            return false;
        }
        const uint64_t part = word & ~MORE_BITS;
        const uint32_t known = at < fields->count ? fields->count - at : 0;
        if (at >= MOST_FIELDS || part >> known != 0) {
            return lmb_record_refuse(reader, LMB_ERROR_UNSUPPORTED, "it has a field that this library does not know");
        }
        *bits |= part << at;
    }
    return true;
}

static bool take_text(lmb_record_reader *reader, const lmb_field *field, uint8_t *element) {
    uint32_t length;
    if (!take_word(reader, &length)) {
        return false;
    }
    const uint8_t *text = take(reader, (size_t)length + 1);
    if (text == NULL) {
        return false;
    }
    if (memchr(text, '\0', (size_t)length + 1) != text + length) {
        return lmb_record_refuse(reader, LMB_ERROR_FORMAT, "a zero does not end the text, and only that");
    }
    memcpy(element + field->offset, &text, sizeof text);
    return true;
}

static bool take_clip(lmb_record_reader *reader, const lmb_field *field, uint8_t *element) {
    uint32_t index;
    if (!take_word(reader, &index)) {
        return false;
    }
    if (index >= reader->context->clip_count) {
        return lmb_record_refuse(reader, LMB_ERROR_FORMAT, "the clip is out of range");
    }
    memcpy(element + field->offset, &reader->context->clips[index], sizeof(const lmb_clip *));
    return true;
}

static const void *take_records(lmb_record_reader *reader, const lmb_field *field, size_t length) {
    const lmb_fields *fields = field->inside;
    if (length > (reader->size - reader->at) / sizeof(uint32_t)) {
        lmb_record_refuse(reader, LMB_ERROR_FORMAT, "the pack ends inside it");
        return NULL;
    }
    uint8_t *list = lmb_record_allocate(reader, length, fields->size);
    lmb_record_place place = *reader->place;
    const lmb_record_place *outer = reader->place;
    place.is_indexed = field->length != LMB_LENGTH_ONE;
    reader->place = &place;
    for (place.index = 0; list != NULL && place.index < length; place.index++) {
        if (!lmb_record_read(reader, fields, list + place.index * fields->size)) {
            list = NULL;
        }
    }
    reader->place = outer;
    return list;
}

static bool take_list(lmb_record_reader *reader, const lmb_field *field, uint8_t *element) {
    if (field->length == LMB_LENGTH_STATED) {
        uint32_t stated;
        if (!take_word(reader, &stated)) {
            return false;
        }
        store_length(field, element, stated);
    }
    const size_t length = length_of(reader->context, field, element);
    const void *list;
    if (field->inside != NULL) {
        list = take_records(reader, field, length);
    } else if (length > reader->size / field->size) {
        return lmb_record_refuse(reader, LMB_ERROR_FORMAT, "the pack ends inside it");
    } else {
        list = take(reader, length * field->size);
    }
    memcpy(element + field->offset, &list, sizeof list);
    return list != NULL;
}

static bool take_elements(lmb_record_reader *reader, const lmb_field *field, uint8_t *element) {
    uint8_t *at = element + field->offset;
    uint32_t count = 1;
    if (field->count > 1 && !take_word(reader, &count)) {
        return false;
    }
    if (count > field->count) {
        return lmb_record_refuse(reader, LMB_ERROR_FORMAT, "it has too many elements");
    }
    for (uint32_t i = 0; i < count; i++, at += lmb_field_element_size(field)) {
        uint32_t word;
        if (lmb_field_is_inside(field)) {
            if (!lmb_record_read(reader, field->inside, at)) {
                return false;
            }
            continue;
        }
        if (!take_word(reader, &word)) {
            return false;
        }
        const bool value = word == 1;
        if (field->kind == LMB_FIELD_BOOL && word > 1) {
            return lmb_record_refuse(reader, LMB_ERROR_FORMAT, "it is true or false: 1 or 0");
        }
        memcpy(at, field->kind == LMB_FIELD_BOOL ? (const void *)&value : &word, lmb_field_element_size(field));
    }
    return true;
}

static bool take_field(lmb_record_reader *reader, const lmb_field *field, uint8_t *element) {
    switch (field->kind) {
    case LMB_FIELD_OTHER:
    case LMB_FIELD_TRUE:
    case LMB_FIELD_COOKIE:
        return lmb_record_refuse(reader, LMB_ERROR_FORMAT, "it cannot be stored");
    case LMB_FIELD_TEXT:
        return take_text(reader, field, element);
    case LMB_FIELD_CLIP:
        return take_clip(reader, field, element);
    case LMB_FIELD_LIST:
        return take_list(reader, field, element);
    default:
        break;
    }
    return take_elements(reader, field, element);
}

bool lmb_record_read(lmb_record_reader *reader, const lmb_fields *fields, void *element) {
    const lmb_record_place *outer = reader->place;
    uint64_t bits;
    initialize(fields, element);
    if (!take_bits(reader, fields, &bits)) {
        return false;
    }
    bool success = true;
    for (uint32_t i = 0; success && i < fields->count; i++) {
        if (bits >> i & 1) {
            const lmb_record_place place = {.outer = outer, .name = fields->rows[i].name};
            reader->place = &place;
            success = take_field(reader, &fields->rows[i], element);
            reader->place = outer;
        }
    }
    return success;
}
