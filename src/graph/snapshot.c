// Snapshots of characters. States, inertialization and reached targets are three arrays, so characters that follow each
// other are copied at once. Packed snapshots are a stream of tokens: snapshot.h has their form.
#include "snapshot.h"

#include "base/host.h"

#include <string.h>

#define MAGIC_LOW 0x53424d4cu   // "LMBS"
#define MAGIC_HIGH 0x0a50414eu  // "NAP\n"
#define PACKED_LOW 0x53424d4cu  // "LMBS"
#define PACKED_HIGH 0x0a4b504eu // "NPK\n"

// The header, as it is stored.
typedef struct header {
    uint32_t magic[2];
    uint32_t version;
    uint32_t character_count;
    uint32_t state_words;
    uint32_t inertia_words;
    uint32_t fingerprint[2];
    uint32_t tag[2];
    uint32_t hash[2]; // 0: not sealed
    uint32_t reached_words;
    uint32_t reserved;
} header;

_Static_assert(sizeof(header) == LMB_SNAPSHOT_HEADER_WORDS * sizeof(uint32_t), "the header is packed");

static uint64_t wide(const uint32_t words[2]) {
    return (uint64_t)words[1] << 32 | words[0];
}

static void store_wide(uint32_t words[2], uint64_t value) {
    words[0] = (uint32_t)value;
    words[1] = (uint32_t)(value >> 32);
}

static bool is_aligned(const void *bytes) {
    return (uintptr_t)bytes % sizeof(uint32_t) == 0;
}

// Words of one character.
static uint64_t character_words(const header *h) {
    return (uint64_t)h->state_words + h->inertia_words + h->reached_words;
}

static uint32_t state_words(const lmb_graph *graph) {
    return lmb_graph_get_info(graph)->state_words;
}

// The header of a snapshot of this graph.
static header header_of(const lmb_graph *graph, uint32_t count, uint64_t tag) {
    header h = {.magic = {MAGIC_LOW, MAGIC_HIGH},
                .version = LMB_SNAPSHOT_VERSION,
                .character_count = count,
                .state_words = state_words(graph),
                .inertia_words = lmb_graph_get_info(graph)->inertia_words,
                .reached_words = lmb_graph_get_info(graph)->reached_count};
    store_wide(h.fingerprint, lmb_graph_fingerprint(graph));
    store_wide(h.tag, tag);
    return h;
}

size_t lmb_snapshot_size(const lmb_graph *graph, uint32_t count) {
    const header h = header_of(graph, count, 0);
    return sizeof h + (size_t)(character_words(&h) * sizeof(uint32_t)) * count;
}

// Checks that all characters are rows of the batch, and that what is needed of them is there.
static lmb_result check_characters(const lmb_graph *graph, const lmb_character_words *of, lmb_error *error) {
    const header h = header_of(graph, of->count, 0);
    const char *missing = h.state_words > 0 && of->states == NULL      ? "states"
                          : h.inertia_words > 0 && of->inertia == NULL ? "inertia"
                          : h.reached_words > 0 && of->reached == NULL ? "reached"
                                                                       : NULL;
    if (missing != NULL && of->count > 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT,
                        "snapshot: %s: it is NULL, or not read back, and the graph has such words", missing);
    }
    if (of->characters == NULL && (of->first > of->row_count || of->count > of->row_count - of->first)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "snapshot: characters %u to %llu: the batch has %u",
                        (unsigned)of->first, (unsigned long long)of->first + of->count, (unsigned)of->row_count);
    }
    for (uint32_t i = 0; of->characters != NULL && i < of->count; i++) {
        if (of->characters[i] >= of->row_count) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "snapshot: characters[%u]: there is no character %u of %u",
                            (unsigned)i, (unsigned)of->characters[i], (unsigned)of->row_count);
        }
    }
    return LMB_OK;
}

enum { HASHED_AT_ONCE = 64 };

// Hashes words of one kind of at most HASHED_AT_ONCE characters from `begin` on. A row is three hashes, and this is
// number `kind` of them.
static void hash_rows(const lmb_character_words *of, uint32_t begin, uint32_t count, const uint32_t *rows,
                      uint32_t words, uint32_t kind, uint32_t hashes[HASHED_AT_ONCE][6]) {
    uint64_t found[HASHED_AT_ONCE];
    if (of->characters == NULL || words == 0) {
        lmb_hash_rows(words > 0 ? rows + ((size_t)of->first + begin) * words : NULL, words, count, found);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (of->characters != NULL && words > 0) {
            found[i] = lmb_hash_words(rows + (size_t)of->characters[begin + i] * words, words);
        }
        store_wide(hashes[i] + 2 * kind, found[i]);
    }
}

lmb_result lmb_characters_hash(const lmb_graph *graph, const lmb_character_words *of, uint64_t *hashes,
                               lmb_error *error) {
    if (graph == NULL || of == NULL || (hashes == NULL && of->count > 0)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "snapshot: the %s NULL",
                        graph == NULL ? "graph is"
                        : of == NULL  ? "characters are"
                                      : "hashes are");
    }
    const lmb_result result = check_characters(graph, of, error);
    const header h = header_of(graph, of->count, 0);
    for (uint32_t begin = 0; result == LMB_OK && begin < of->count; begin += HASHED_AT_ONCE) {
        const uint32_t left = of->count - begin, count = left < HASHED_AT_ONCE ? left : HASHED_AT_ONCE;
        uint32_t parts[HASHED_AT_ONCE][6];
        hash_rows(of, begin, count, of->states, h.state_words, 0, parts);
        hash_rows(of, begin, count, of->inertia, h.inertia_words, 1, parts);
        hash_rows(of, begin, count, of->reached, h.reached_words, 2, parts);
        lmb_hash_rows(parts[0], 6, count, hashes + begin);
    }
    return result;
}

// Copies rows of a batch to those of a snapshot.
static void save_rows(const lmb_character_words *from, const uint32_t *rows, uint32_t words, uint32_t *saved) {
    const size_t size = words * sizeof *rows;
    if (size > 0 && from->characters == NULL) {
        memcpy(saved, rows + (size_t)from->first * words, size * from->count);
        return;
    }
    for (uint32_t i = 0; size > 0 && i < from->count; i++) {
        memcpy(saved + (size_t)i * words, rows + (size_t)from->characters[i] * words, size);
    }
}

static void restore_rows(const lmb_character_words *to, const uint32_t *saved, uint32_t words, uint32_t *rows) {
    const size_t size = words * sizeof *rows;
    if (size > 0 && to->characters == NULL) {
        memcpy(rows + (size_t)to->first * words, saved, size * to->count);
        return;
    }
    for (uint32_t i = 0; size > 0 && i < to->count; i++) {
        memcpy(rows + (size_t)to->characters[i] * words, saved + (size_t)i * words, size);
    }
}

lmb_character_words lmb_snapshot_begin(const lmb_graph *graph, uint32_t count, uint64_t tag, void *bytes) {
    const header h = header_of(graph, count, tag);
    memcpy(bytes, &h, sizeof h);
    uint32_t *states = (uint32_t *)bytes + LMB_SNAPSHOT_HEADER_WORDS;
    uint32_t *inertia = states + (size_t)count * h.state_words;
    return (lmb_character_words){.states = states,
                                 .inertia = inertia,
                                 .reached = inertia + (size_t)count * h.inertia_words,
                                 .row_count = count,
                                 .count = count};
}

lmb_result lmb_snapshot_save(const lmb_graph *graph, const lmb_character_words *from, uint64_t tag, void *bytes,
                             size_t room, lmb_error *error) {
    if (graph == NULL || from == NULL || bytes == NULL || !is_aligned(bytes)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "snapshot: %s",
                        graph == NULL   ? "the graph is NULL"
                        : from == NULL  ? "the characters are NULL"
                        : bytes == NULL ? "the bytes are NULL"
                                        : "the bytes are not aligned to 4");
    }
    const lmb_result result = check_characters(graph, from, error);
    const size_t size = lmb_snapshot_size(graph, from->count);
    if (result == LMB_OK && room < size) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "snapshot: it takes %llu bytes, and there is room for %llu",
                        (unsigned long long)size, (unsigned long long)room);
    }
    if (result == LMB_OK) {
        const header h = header_of(graph, from->count, tag);
        const lmb_character_words rows = lmb_snapshot_begin(graph, from->count, tag, bytes);
        save_rows(from, from->states, h.state_words, rows.states);
        save_rows(from, from->inertia, h.inertia_words, rows.inertia);
        save_rows(from, from->reached, h.reached_words, rows.reached);
    }
    return result;
}

static lmb_result refuse_format(lmb_error *error, const char *why) {
    return lmb_fail(error, LMB_ERROR_FORMAT, "snapshot: %s", why);
}

// Whether a snapshot of `room` bytes after its header has the characters that it says. It divides, because the product
// of both may exceed 64 bits.
static bool fits_characters(const header *h, uint64_t room) {
    const uint64_t each = character_words(h) * sizeof(uint32_t);
    return each == 0 ? room == 0 : room % each == 0 && room / each == h->character_count;
}

// Checks the header, and stores it.
static lmb_result load_header(const void *bytes, size_t size, header *h, lmb_error *error) {
    if (bytes == NULL || !is_aligned(bytes)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "snapshot: the bytes are %s",
                        bytes == NULL ? "NULL" : "not aligned to 4");
    }
    if (size < sizeof *h) {
        return refuse_format(error, "it ends inside its header");
    }
    memcpy(h, bytes, sizeof *h);
    if (h->magic[0] != MAGIC_LOW || h->magic[1] != MAGIC_HIGH) {
        return refuse_format(error, "the bytes are no snapshot");
    }
    if (h->version != LMB_SNAPSHOT_VERSION) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "snapshot: it has version %u instead of %u", (unsigned)h->version,
                        LMB_SNAPSHOT_VERSION);
    }
    if (!fits_characters(h, size - sizeof *h)) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "snapshot: %llu bytes are not those of %u characters of %llu bytes",
                        (unsigned long long)size, (unsigned)h->character_count,
                        (unsigned long long)(character_words(h) * sizeof(uint32_t)));
    }
    return h->reserved == 0 ? LMB_OK : refuse_format(error, "its reserved word is not 0");
}

lmb_result lmb_snapshot_open(const void *bytes, size_t size, lmb_snapshot *snapshot, lmb_error *error) {
    if (snapshot == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "snapshot: the result is NULL");
    }
    *snapshot = (lmb_snapshot){0};
    header h;
    const lmb_result result = load_header(bytes, size, &h, error);
    if (result == LMB_OK) {
        const uint32_t *states = (const uint32_t *)bytes + LMB_SNAPSHOT_HEADER_WORDS;
        const uint32_t *inertia = states + (size_t)h.character_count * h.state_words;
        *snapshot = (lmb_snapshot){.character_count = h.character_count,
                                   .fingerprint = wide(h.fingerprint),
                                   .tag = wide(h.tag),
                                   .is_sealed = wide(h.hash) != 0,
                                   .states = states,
                                   .inertia = inertia,
                                   .reached = inertia + (size_t)h.character_count * h.inertia_words};
    }
    return result;
}

// The hash of the header, without the hash itself, and of all rows.
static uint64_t hash_all(const header *from, const void *bytes, size_t size) {
    header h = *from;
    uint32_t words[LMB_SNAPSHOT_HEADER_WORDS];
    store_wide(h.hash, lmb_hash_words((const uint32_t *)bytes + LMB_SNAPSHOT_HEADER_WORDS,
                                      size / sizeof(uint32_t) - LMB_SNAPSHOT_HEADER_WORDS));
    memcpy(words, &h, sizeof words);
    return lmb_hash_words(words, LMB_SNAPSHOT_HEADER_WORDS);
}

lmb_result lmb_snapshot_seal(void *bytes, size_t size, lmb_error *error) {
    header h;
    const lmb_result result = load_header(bytes, size, &h, error);
    if (result == LMB_OK) {
        store_wide(h.hash, hash_all(&h, bytes, size));
        memcpy(bytes, &h, sizeof h);
    }
    return result;
}

static lmb_result check_graph(const lmb_graph *graph, const header *h, lmb_error *error) {
    const uint64_t own = lmb_graph_fingerprint(graph), other = wide(h->fingerprint);
    if (own != other) {
        return lmb_fail(error, LMB_ERROR_FORMAT,
                        "snapshot: it belongs to another graph: its fingerprint is 0x%016llx instead of 0x%016llx",
                        (unsigned long long)other, (unsigned long long)own);
    }
    const header expected = header_of(graph, h->character_count, 0);
    const bool fits = h->state_words == expected.state_words && h->inertia_words == expected.inertia_words &&
                      h->reached_words == expected.reached_words;
    return fits ? LMB_OK : refuse_format(error, "its characters have other words than those of the graph");
}

lmb_result lmb_snapshot_check(const lmb_graph *graph, const void *bytes, size_t size, lmb_error *error) {
    if (graph == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "snapshot: the graph is NULL");
    }
    header h;
    lmb_result result = load_header(bytes, size, &h, error);
    if (result == LMB_OK) {
        result = check_graph(graph, &h, error);
    }
    if (result == LMB_OK && wide(h.hash) == 0) {
        result = refuse_format(error, "it is not sealed");
    }
    if (result == LMB_OK && wide(h.hash) != hash_all(&h, bytes, size)) {
        result = refuse_format(error, "it is damaged: its hash is another one");
    }
    if (result == LMB_OK && h.state_words > 0) {
        result = lmb_state_check(graph, (const uint32_t *)bytes + LMB_SNAPSHOT_HEADER_WORDS, h.character_count, error);
    }
    return result;
}

// Copies one character's words of a kind.
static void take_row(const uint32_t *saved, uint32_t words, uint32_t index, uint32_t *row) {
    if (words > 0) {
        memcpy(row, saved + (size_t)index * words, words * sizeof *row);
    }
}

lmb_result lmb_snapshot_take(const lmb_graph *graph, const void *bytes, size_t size, uint32_t index,
                             const lmb_character_words *to, lmb_error *error) {
    header h;
    lmb_result result = load_header(bytes, size, &h, error);
    if (result == LMB_OK) {
        result = check_graph(graph, &h, error);
    }
    if (result == LMB_OK && index >= h.character_count) {
        result = lmb_fail(error, LMB_ERROR_ARGUMENT, "snapshot: there is no character %u of %u", (unsigned)index,
                          (unsigned)h.character_count);
    }
    if (result == LMB_OK) {
        const uint32_t *words = (const uint32_t *)bytes + LMB_SNAPSHOT_HEADER_WORDS;
        const uint32_t *inertia = words + (size_t)h.character_count * h.state_words;
        take_row(words, h.state_words, index, to->states);
        take_row(inertia, h.inertia_words, index, to->inertia);
        take_row(inertia + (size_t)h.character_count * h.inertia_words, h.reached_words, index, to->reached);
    }
    return result;
}

lmb_result lmb_snapshot_restore(const lmb_graph *graph, const void *bytes, size_t size, const lmb_character_words *to,
                                lmb_error *error) {
    if (graph == NULL || to == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "snapshot: the %s NULL",
                        graph == NULL ? "graph is" : "characters are");
    }
    header h;
    lmb_result result = load_header(bytes, size, &h, error);
    if (result == LMB_OK) {
        result = check_graph(graph, &h, error);
    }
    if (result == LMB_OK && h.character_count != to->count) {
        result = lmb_fail(error, LMB_ERROR_FORMAT, "snapshot: it has %u characters instead of %u",
                          (unsigned)h.character_count, (unsigned)to->count);
    }
    if (result == LMB_OK) {
        result = check_characters(graph, to, error);
    }
    if (result == LMB_OK) {
        const uint32_t *words = (const uint32_t *)bytes + LMB_SNAPSHOT_HEADER_WORDS;
        const uint32_t *inertia = words + (size_t)h.character_count * h.state_words;
        restore_rows(to, words, h.state_words, to->states);
        restore_rows(to, inertia, h.inertia_words, to->inertia);
        restore_rows(to, inertia + (size_t)h.character_count * h.inertia_words, h.reached_words, to->reached);
    }
    return result;
}

// ---- Packed snapshots.

// The first bytes of a packed snapshot.
typedef struct packed_header {
    header h; // with another magic
    uint32_t has_base;
    uint32_t base_tag[2];
} packed_header;

_Static_assert(sizeof(packed_header) == (LMB_SNAPSHOT_HEADER_WORDS + 3) * sizeof(uint32_t), "the header is packed");

enum { TOKEN_SKIP = 0, TOKEN_AGAIN = 5, TOKEN_HIGH = 6 }; // 1 to 4: as many bytes
enum { KIND_BITS = 3, SKIP_BITS = 5, SKIP_MAX = (1 << SKIP_BITS) - 1, LONG_SKIP_MAX = (1 << (SKIP_BITS + 16)) - 1 };

// The rows of one kind in a snapshot, and what they are compared with: the same row of the base, or the one before.
typedef struct section {
    size_t first, count; // words after the header
    uint32_t row;
} section;

static uint32_t divide(const header *h, section sections[3]) {
    const uint32_t rows[3] = {h->state_words, h->inertia_words, h->reached_words};
    size_t first = 0;
    for (uint32_t i = 0; i < 3; i++) {
        sections[i] = (section){first, (size_t)rows[i] * h->character_count, rows[i]};
        first += sections[i].count;
    }
    return 3;
}

// Returns the word with which a word is compared. `at` counts from the first of the section.
static uint32_t compared(const section *s, const uint32_t *words, const uint32_t *base, size_t at) {
    return base != NULL ? base[s->first + at] : at >= s->row ? words[s->first + at - s->row] : 0;
}

// Where bytes are written. It counts those that have no room.
typedef struct packer {
    unsigned char *bytes;
    size_t room, size;
    size_t skipped; // words that are not written yet
    uint32_t last;  // difference
    uint32_t again; // 1 plus the number of the token TOKEN_AGAIN if it was the last one, or 0
} packer;

static void put(packer *p, uint32_t byte) {
    if (p->size < p->room) {
        p->bytes[p->size] = (unsigned char)byte;
    }
    p->size++;
}

// Writes a token, with all words that are skipped before it.
static void put_token(packer *p, uint32_t kind) {
    while (p->skipped > SKIP_MAX || (kind == TOKEN_SKIP && p->skipped > 0)) {
        const uint32_t skip = p->skipped < LONG_SKIP_MAX ? (uint32_t)p->skipped : LONG_SKIP_MAX;
        put(p, TOKEN_SKIP | (skip & SKIP_MAX) << KIND_BITS);
        put(p, skip >> SKIP_BITS);
        put(p, skip >> (SKIP_BITS + 8));
        p->skipped -= skip;
    }
    if (kind != TOKEN_SKIP) {
        put(p, kind | (uint32_t)p->skipped << KIND_BITS);
        p->skipped = 0;
    }
    p->again = 0;
}

static void put_difference(packer *p, uint32_t difference) {
    if (difference == p->last && p->again > 0 && p->again <= 255 && p->skipped == 0) {
        p->size--; // its number
        put(p, p->again++);
        return;
    }
    if (difference == p->last) {
        put_token(p, TOKEN_AGAIN);
        put(p, 0);
        p->again = 1;
        return;
    }
    p->last = difference;
    if ((difference & 0xffff) == 0) {
        put_token(p, TOKEN_HIGH);
        put(p, difference >> 16);
        put(p, difference >> 24);
        return;
    }
    const uint32_t count = difference >> 24 != 0 ? 4 : difference >> 16 != 0 ? 3 : difference >> 8 != 0 ? 2 : 1;
    put_token(p, count);
    for (uint32_t i = 0; i < count; i++) {
        put(p, difference >> 8 * i);
    }
}

static void pack_section(packer *p, const section *s, const uint32_t *words, const uint32_t *base) {
    for (size_t at = 0; at < s->count; at++) {
        const uint32_t difference = words[s->first + at] ^ compared(s, words, base, at);
        if (difference == 0) {
            p->skipped++;
        } else {
            put_difference(p, difference);
        }
    }
}

size_t lmb_snapshot_packed_bound(size_t size) {
    // A word takes at most its token and four bytes, and less if others are skipped before it; and the end.
    return sizeof(packed_header) + size / sizeof(uint32_t) * 5 + 3;
}

// Whether two snapshots have the same characters, as far as their headers say.
static bool are_alike(const header *a, const header *b) {
    return a->character_count == b->character_count && a->state_words == b->state_words &&
           a->inertia_words == b->inertia_words && a->reached_words == b->reached_words &&
           wide(a->fingerprint) == wide(b->fingerprint);
}

lmb_result lmb_snapshot_pack(const void *bytes, size_t size, const void *base, size_t base_size, void *packed,
                             size_t room, size_t *packed_size, lmb_error *error) {
    if (packed == NULL || packed_size == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "snapshot: the packed %s NULL",
                        packed == NULL ? "bytes are" : "size is");
    }
    packed_header to = {.has_base = base != NULL};
    header of_base = {0};
    *packed_size = 0;
    lmb_result result = load_header(bytes, size, &to.h, error);
    if (result == LMB_OK && base != NULL) {
        result = load_header(base, base_size, &of_base, error);
        memcpy(to.base_tag, of_base.tag, sizeof to.base_tag);
    }
    if (result == LMB_OK && base != NULL && !are_alike(&to.h, &of_base)) {
        result = lmb_fail(error, LMB_ERROR_ARGUMENT, "snapshot: the base has other characters, or another graph");
    }
    if (result != LMB_OK) {
        return result;
    }
    section sections[3];
    packer p = {.bytes = packed, .room = room, .size = sizeof to};
    const uint32_t *words = (const uint32_t *)bytes + LMB_SNAPSHOT_HEADER_WORDS;
    const uint32_t *others = base != NULL ? (const uint32_t *)base + LMB_SNAPSHOT_HEADER_WORDS : NULL;
    for (uint32_t i = 0, count = divide(&to.h, sections); i < count; i++) {
        pack_section(&p, &sections[i], words, others);
    }
    put_token(&p, TOKEN_SKIP);
    *packed_size = p.size;
    if (p.size > room) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "snapshot: packed it takes %llu bytes, and there is room for %llu",
                        (unsigned long long)p.size, (unsigned long long)room);
    }
    to.h.magic[0] = PACKED_LOW;
    to.h.magic[1] = PACKED_HIGH;
    memcpy(packed, &to, sizeof to);
    return LMB_OK;
}

// What is read of a packed snapshot.
typedef struct unpacker {
    const unsigned char *bytes;
    size_t size, at;
    bool failed;    // it ended too early
    size_t skips;   // words of the last token that are still to come: equal ones,
    size_t differs; // and then those that differ
    uint32_t last;  // by this
} unpacker;

static uint32_t get(unpacker *u) {
    u->failed = u->failed || u->at == u->size;
    return u->failed ? 0 : u->bytes[u->at++];
}

static void get_token(unpacker *u) {
    const uint32_t token = get(u), kind = token & ((1 << KIND_BITS) - 1);
    u->skips = token >> KIND_BITS;
    u->differs = kind != TOKEN_SKIP;
    if (kind == TOKEN_SKIP) {
        u->skips |= get(u) << SKIP_BITS;
        u->skips |= (size_t)get(u) << (SKIP_BITS + 8);
        u->failed = u->failed || u->skips == 0;
    } else if (kind == TOKEN_AGAIN) {
        u->differs += get(u);
    } else if (kind == TOKEN_HIGH) {
        u->last = get(u) << 16;
        u->last |= get(u) << 24;
    } else {
        u->failed = u->failed || kind > 4;
        u->last = 0;
        for (uint32_t i = 0; i < kind && !u->failed; i++) {
            u->last |= get(u) << 8 * i;
        }
    }
}

// Returns the difference of the next word.
static uint32_t next_difference(unpacker *u) {
    while (u->skips == 0 && u->differs == 0 && !u->failed) {
        get_token(u);
    }
    if (u->skips > 0) {
        u->skips--;
        return 0;
    }
    u->differs -= u->differs > 0;
    return u->last;
}

static void unpack_section(unpacker *u, const section *s, const uint32_t *base, uint32_t *words) {
    for (size_t at = 0; at < s->count && !u->failed; at++) {
        const uint32_t difference = next_difference(u);
        words[s->first + at] = compared(s, words, base, at) ^ difference;
    }
}

// Checks what is before the tokens, and stores the snapshot's header.
static lmb_result load_packed(const void *packed, size_t size, packed_header *from, lmb_error *error) {
    if (size < sizeof *from) {
        return refuse_format(error, "packed: it ends inside its header");
    }
    memcpy(from, packed, sizeof *from);
    if (from->h.magic[0] != PACKED_LOW || from->h.magic[1] != PACKED_HIGH) {
        return refuse_format(error, "packed: the bytes are no packed snapshot");
    }
    from->h.magic[0] = MAGIC_LOW;
    from->h.magic[1] = MAGIC_HIGH;
    if (from->h.version != LMB_SNAPSHOT_VERSION) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "snapshot: packed: it has version %u instead of %u",
                        (unsigned)from->h.version, LMB_SNAPSHOT_VERSION);
    }
    return from->has_base <= 1 && from->h.reserved == 0 ? LMB_OK
                                                        : refuse_format(error, "packed: a word of its header is wrong");
}

static lmb_result check_base(const packed_header *from, const void *base, size_t size, lmb_error *error) {
    header h;
    if (base == NULL) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "snapshot: packed: it needs its base, the snapshot with the tag %llu",
                        (unsigned long long)wide(from->base_tag));
    }
    const lmb_result result = load_header(base, size, &h, error);
    if (result == LMB_OK && wide(h.tag) != wide(from->base_tag)) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "snapshot: packed: its base has the tag %llu, and the one given %llu",
                        (unsigned long long)wide(from->base_tag), (unsigned long long)wide(h.tag));
    }
    if (result == LMB_OK && !are_alike(&h, &from->h)) {
        return refuse_format(error, "packed: its base has other characters, or another graph");
    }
    return result;
}

lmb_result lmb_snapshot_unpack(const void *packed, size_t packed_size, const void *base, size_t base_size, void *bytes,
                               size_t room, size_t *size, lmb_error *error) {
    if (packed == NULL || bytes == NULL || size == NULL || !is_aligned(bytes)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "snapshot: %s",
                        packed == NULL  ? "the packed bytes are NULL"
                        : bytes == NULL ? "the bytes are NULL"
                        : size == NULL  ? "the size is NULL"
                                        : "the bytes are not aligned to 4");
    }
    *size = 0;
    packed_header from;
    lmb_result result = load_packed(packed, packed_size, &from, error);
    if (result == LMB_OK && from.has_base != 0) {
        result = check_base(&from, base, base_size, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    const uint64_t each = character_words(&from.h) * sizeof(uint32_t);
    if (each > 0 && from.h.character_count > (SIZE_MAX - sizeof from.h) / each) {
        return refuse_format(error, "packed: its characters do not fit in memory");
    }
    *size = sizeof from.h + (size_t)each * from.h.character_count;
    if (*size > room) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "snapshot: unpacked it takes %llu bytes, and there is room for %llu",
                        (unsigned long long)*size, (unsigned long long)room);
    }
    section sections[3];
    unpacker u = {.bytes = packed, .size = packed_size, .at = sizeof from};
    uint32_t *words = (uint32_t *)bytes + LMB_SNAPSHOT_HEADER_WORDS;
    const uint32_t *others = from.has_base != 0 ? (const uint32_t *)base + LMB_SNAPSHOT_HEADER_WORDS : NULL;
    memcpy(bytes, &from.h, sizeof from.h);
    for (uint32_t i = 0, count = divide(&from.h, sections); i < count; i++) {
        unpack_section(&u, &sections[i], others, words);
    }
    const bool is_whole = !u.failed && u.at == u.size && u.skips == 0 && u.differs == 0;
    return is_whole ? LMB_OK : refuse_format(error, "packed: its bytes are not those of all its words");
}
