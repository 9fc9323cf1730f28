// Records: memory that C writes and all languages read, declared once. A declaration looks like a struct, with the
// number of its words at the end, which is checked: uint, FLOAT(name), and WORDS(n, name) for n words that belong
// together.
//
// In C, a record is a struct. GLSL has no offsets of members, so there it is a constant that has the offset of each
// field in place of the field; compilers fold it. C checks the types of what is read, and compiles all that GLSL does.
#ifndef LMB_OPS_RECORD_H
#define LMB_OPS_RECORD_H

#ifdef LMB_GLSL

#define RECORD(record) struct record##_RECORD {
#define END_RECORD(record, words)                                                                                      \
    }                                                                                                                  \
    ;                                                                                                                  \
    const uint record##_RECORD_WORDS = words;                                                                          \
    const record##_RECORD record##_RECORD_FIELDS = record##_RECORD(COUNT_##words);
#define FLOAT(name) uint name
#define WORDS(n, name) WORDS_##n(name)
#define FIELD(record, field) record##_RECORD_FIELDS.field
#define WORDS_OF(record) record##_RECORD_WORDS
#define WORD_FIELD(record, field) FIELD(record, field)
#define FLOAT_FIELD(record, field) FIELD(record, field)

// The offsets of as many words, for the numbers of words that records have; and the words that fields have.
#define COUNT_1 0u
#define COUNT_2 COUNT_1, 1u
#define COUNT_3 COUNT_2, 2u
#define COUNT_4 COUNT_3, 3u
#define COUNT_5 COUNT_4, 4u
#define COUNT_6 COUNT_5, 5u
#define COUNT_7 COUNT_6, 6u
#define COUNT_8 COUNT_7, 7u
#define COUNT_9 COUNT_8, 8u
#define COUNT_10 COUNT_9, 9u
#define COUNT_11 COUNT_10, 10u
#define COUNT_12 COUNT_11, 11u
#define COUNT_13 COUNT_12, 12u
#define COUNT_14 COUNT_13, 13u
#define COUNT_16 COUNT_14, 14u, 15u
#define COUNT_17 COUNT_16, 16u
#define COUNT_20 COUNT_17, 17u, 18u, 19u
#define COUNT_21 COUNT_20, 20u
#define COUNT_25 COUNT_21, 21u, 22u, 23u, 24u
#define COUNT_26 COUNT_25, 25u
#define COUNT_27 COUNT_26, 26u
#define COUNT_28 COUNT_27, 27u
#define COUNT_31 COUNT_28, 28u, 29u, 30u
#define COUNT_36 COUNT_31, 31u, 32u, 33u, 34u, 35u
#define COUNT_38 COUNT_36, 36u, 37u
#define COUNT_44 COUNT_38, 38u, 39u, 40u, 41u, 42u, 43u
#define COUNT_45 COUNT_44, 44u
#define COUNT_113                                                                                                      \
    COUNT_45, 45u, 46u, 47u, 48u, 49u, 50u, 51u, 52u, 53u, 54u, 55u, 56u, 57u, 58u, 59u, 60u, 61u, 62u, 63u, 64u, 65u, \
        66u, 67u, 68u, 69u, 70u, 71u, 72u, 73u, 74u, 75u, 76u, 77u, 78u, 79u, 80u, 81u, 82u, 83u, 84u, 85u, 86u, 87u,  \
        88u, 89u, 90u, 91u, 92u, 93u, 94u, 95u, 96u, 97u, 98u, 99u, 100u, 101u, 102u, 103u, 104u, 105u, 106u, 107u,    \
        108u, 109u, 110u, 111u, 112u
#define WORDS_2(n) uint n, n##_1
#define WORDS_3(n) WORDS_2(n), n##_2
#define WORDS_4(n) WORDS_3(n), n##_3
#define WORDS_5(n) WORDS_4(n), n##_4
#define WORDS_6(n) WORDS_5(n), n##_5
#define WORDS_7(n) WORDS_6(n), n##_6
#define WORDS_8(n) WORDS_7(n), n##_7
#define WORDS_9(n) WORDS_8(n), n##_8
#define WORDS_10(n) WORDS_9(n), n##_9
#define WORDS_12(n) WORDS_10(n), n##_10, n##_11
#define WORDS_14(n) WORDS_12(n), n##_12, n##_13
#define WORDS_15(n)                                                                                                    \
    WORDS_10(n);                                                                                                       \
    WORDS_5(n##_10)
#define WORDS_16(n)                                                                                                    \
    WORDS_10(n);                                                                                                       \
    WORDS_6(n##_10)
#define WORDS_18(n)                                                                                                    \
    WORDS_10(n);                                                                                                       \
    WORDS_8(n##_10)
#define WORDS_24(n)                                                                                                    \
    WORDS_12(n);                                                                                                       \
    WORDS_12(n##_12)
#define WORDS_25(n)                                                                                                    \
    WORDS_15(n);                                                                                                       \
    WORDS_10(n##_15)
#define WORDS_26(n)                                                                                                    \
    WORDS_14(n);                                                                                                       \
    WORDS_12(n##_14)
#define WORDS_30(n)                                                                                                    \
    WORDS_15(n);                                                                                                       \
    WORDS_15(n##_15)

#else

#include <stddef.h>
#include <stdint.h>

typedef uint32_t uint;

#define RECORD(record) typedef struct record##_RECORD {
#define END_RECORD(record, words)                                                                                      \
    }                                                                                                                  \
    record##_RECORD;                                                                                                   \
    _Static_assert(sizeof(record##_RECORD) == 4 * words, "the words of " #record " were counted wrong");
#define FLOAT(name) float name
#define WORDS(n, name) uint name[n]
// The offset of a field in words, of any field or of one of this type.
#define FIELD(record, field) ((uint)(offsetof(record##_RECORD, field) / sizeof(uint)))
#define WORD_FIELD(record, field) _Generic(((const record##_RECORD *)0)->field, uint : FIELD(record, field))
#define FLOAT_FIELD(record, field) _Generic(((const record##_RECORD *)0)->field, float : FIELD(record, field))
#define WORDS_OF(record) ((uint)(sizeof(record##_RECORD) / sizeof(uint)))

#endif

// A field of a record in memory; HEADER: of the record with which the memory begins.
#define READ(base, at, record, field) LOAD(base, (at) + WORD_FIELD(record, field))
#define READ_FLOAT(base, at, record, field) LOAD_FLOAT(base, (at) + FLOAT_FIELD(record, field))
#define HEADER(base, record, field) LOAD(base, WORD_FIELD(record, field))
#define HEADER_FLOAT(base, record, field) LOAD_FLOAT(base, FLOAT_FIELD(record, field))

#endif
