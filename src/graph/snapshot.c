// Snapshots of characters. States, inertialization and reached targets are three arrays, so characters that follow each
// other are copied at once.
#include "snapshot.h"

#include "base/host.h"

#include <string.h>

#define MAGIC_LOW 0x53424d4cu  // "LMBS"
#define MAGIC_HIGH 0x0a50414eu // "NAP\n"

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
    return lmb_control_state_words(lmb_graph_control(graph));
}

// The header of a snapshot of this graph.
static header header_of(const lmb_graph *graph, uint32_t count, uint64_t tag) {
    header h = {.magic = {MAGIC_LOW, MAGIC_HIGH},
                .version = LMB_SNAPSHOT_VERSION,
                .character_count = count,
                .state_words = state_words(graph),
                .inertia_words = lmb_graph_inertia_words(graph),
                .reached_words = lmb_graph_reached_count(graph)};
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
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "snapshot: %s: it is NULL, and the graph has such words", missing);
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
        memcpy(bytes, &h, sizeof h);
        uint32_t *states = (uint32_t *)bytes + LMB_SNAPSHOT_HEADER_WORDS;
        uint32_t *inertia = states + (size_t)h.character_count * h.state_words;
        save_rows(from, from->states, h.state_words, states);
        save_rows(from, from->inertia, h.inertia_words, inertia);
        save_rows(from, from->reached, h.reached_words, inertia + (size_t)h.character_count * h.inertia_words);
    }
    return result;
}

static lmb_result refuse_format(lmb_error *error, const char *why) {
    return lmb_fail(error, LMB_ERROR_FORMAT, "snapshot: %s", why);
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
    const uint64_t each = character_words(h) * sizeof(uint32_t);
    const uint64_t room = size - sizeof *h;
    // It divides, because the product of both may exceed 64 bits.
    const bool fits = each == 0 ? room == 0 : room % each == 0 && room / each == h->character_count;
    if (!fits) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "snapshot: %llu bytes are not those of %u characters of %llu bytes",
                        (unsigned long long)size, (unsigned)h->character_count, (unsigned long long)each);
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
    store_wide(h.hash, lmb_control_hash((const uint32_t *)bytes + LMB_SNAPSHOT_HEADER_WORDS,
                                        size / sizeof(uint32_t) - LMB_SNAPSHOT_HEADER_WORDS));
    memcpy(words, &h, sizeof words);
    return lmb_control_hash(words, LMB_SNAPSHOT_HEADER_WORDS);
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
        result = lmb_control_check_states(lmb_graph_control(graph), (const uint32_t *)bytes + LMB_SNAPSHOT_HEADER_WORDS,
                                          h.character_count, error);
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
