// One function for each section serves both directions: it writes what the capture has, or reads it into the capture.
#include "capture_file.h"

#include "file.h"

#include "base/host.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "LIMBCAP\n"
#define MAGIC_SIZE 8u

typedef struct header {
    char magic[MAGIC_SIZE];
    uint32_t version;
    uint32_t section_count;
    struct {
        uint64_t size;
        uint64_t hash;
    } sections[CAPTURE_SECTIONS];
    uint64_t hash; // of all before it
} header;
_Static_assert(sizeof(header) == 24 + 16 * CAPTURE_SECTIONS, "the header has padding");

void capture_release(capture *capture) {
    lmb_pack_close(capture->pack);
    lmb_arena_release(&capture->pool);
    *capture = (struct capture){0};
}

// ---- Numbers, texts and arrays.

typedef struct stream {
    bool reads;     // or writes
    uint8_t *bytes; // the whole file
    size_t at;
    size_t end;          // of the section, or of the memory to write to
    const char *section; // its name
    capture *capture;
    bool failed;
    lmb_error *error;
} stream;

static void fail_here(stream *s, lmb_result result, const char *why) {
    if (!s->failed) {
        lmb_fail(s->error, result, "capture: section '%s', byte %zu: %s", s->section, s->at, why);
    }
    s->failed = true;
}

static void grow(stream *s, size_t size) {
    if (s->failed || size <= s->end - s->at) {
        return;
    }
    uint8_t *larger = realloc(s->bytes, (s->at + size) * 2);
    if (larger == NULL) {
        s->failed = true;
        return;
    }
    s->bytes = larger;
    s->end = (s->at + size) * 2;
}

// Returns the next bytes of the file and moves behind them, or returns NULL.
static uint8_t *advance(stream *s, size_t size) {
    if (!s->reads) {
        grow(s, size);
    } else if (size > s->end - s->at) {
        fail_here(s, LMB_ERROR_FORMAT, "it ends too early");
    }
    if (s->failed) {
        return NULL;
    }
    s->at += size;
    return s->bytes + s->at - size;
}

static void pass_bytes(stream *s, void *bytes, size_t size) {
    uint8_t *at = size == 0 ? NULL : advance(s, size);
    if (at != NULL) {
        memcpy(s->reads ? bytes : at, s->reads ? at : bytes, size);
    }
}

static void pass_word(stream *s, uint32_t *word) {
    pass_bytes(s, word, sizeof *word);
}

// Passes a count of things that have at least `min_bytes` bytes each. Fails if more are announced than can follow.
static void pass_count(stream *s, uint32_t *count, size_t min_bytes, uint32_t most) {
    pass_word(s, count);
    if (s->reads && !s->failed && (*count > most || *count > (s->end - s->at) / min_bytes)) {
        fail_here(s, LMB_ERROR_FORMAT, "a number is too large");
    }
    *count = s->failed ? 0 : *count;
}

// Returns zeroed memory, which a capture that is read owns.
static void *get_memory(stream *s, size_t count, size_t size) {
    void *memory = s->failed ? NULL : lmb_arena_allocate(&s->capture->pool, count, size);
    if (memory == NULL) {
        fail_here(s, LMB_ERROR_MEMORY, "no memory");
    }
    return memory;
}

// Returns the array, or the one that was read.
static const void *pass_array(stream *s, const void *array, size_t words) {
    void *passed = s->reads ? get_memory(s, words, sizeof(uint32_t)) : (void *)(uintptr_t)array;
    pass_bytes(s, passed, words * sizeof(uint32_t));
    return passed;
}

// Passes an array that takes the whole section.
static const void *pass_all_words(stream *s, const void *array, size_t words_each, size_t *count) {
    const size_t size = s->end - s->at;
    if (s->reads && size % (4 * words_each) != 0) {
        fail_here(s, LMB_ERROR_FORMAT, "it is of no whole number of words");
    }
    *count = s->reads ? size / (4 * words_each) : *count;
    return pass_array(s, array, *count * words_each);
}

static const char *pass_text(stream *s, const char *text) {
    uint32_t length = s->reads ? 0 : (uint32_t)strlen(text);
    pass_count(s, &length, 1, UINT32_MAX);
    if (s->reads && !s->failed && memchr(s->bytes + s->at, '\0', length) != NULL) {
        fail_here(s, LMB_ERROR_FORMAT, "a text has a zero in it");
    }
    char *passed = s->reads ? get_memory(s, (size_t)length + 1, 1) : (char *)(uintptr_t)text;
    pass_bytes(s, passed, length);
    return s->failed ? NULL : passed;
}

// Passes a text in memory of a fixed size.
static void pass_short_text(stream *s, char *text, size_t room) {
    const char *passed = pass_text(s, text);
    if (passed != NULL && strlen(passed) >= room) {
        fail_here(s, LMB_ERROR_FORMAT, "a text is too long");
    } else if (passed != NULL && s->reads) {
        memcpy(text, passed, strlen(passed) + 1);
    }
}

// ---- The sections.

static void pass_frame(stream *s, capture *capture) {
    pass_word(s, &capture->number);
    pass_word(s, &capture->character_count);
    pass_bytes(s, &capture->step, sizeof capture->step);
    pass_word(s, &capture->max_emitted_events);
    pass_short_text(s, capture->device, sizeof capture->device);
}

// Passes the graph in a pack, which a capture that is read uses in place.
static void pass_graph(stream *s, capture *capture) {
    const char *name = "graph";
    size_t size = s->end - s->at;
    if (s->reads) {
        uint8_t *bytes = get_memory(s, size, 1);
        lmb_error error = {0};
        pass_bytes(s, bytes, size);
        if (!s->failed && lmb_pack_open(bytes, size, NULL, &capture->pack, &error) != LMB_OK) {
            fail_here(s, error.result, error.message);
        }
        capture->graph = s->failed ? NULL : lmb_pack_find_graph(capture->pack, name);
        if (!s->failed && capture->graph == NULL) {
            fail_here(s, LMB_ERROR_FORMAT, "it has no graph");
        }
        return;
    }
    const lmb_pack_graph graph = {name, capture->graph};
    const lmb_pack_def def = {.rig = capture->graph->rig, .graphs = &graph, .graph_count = 1};
    const bool fits = lmb_pack_write(&def, NULL, NULL, 0, &size, NULL) == LMB_OK;
    uint8_t *at = fits ? advance(s, size) : NULL;
    s->failed = at == NULL || lmb_pack_write(&def, NULL, at, size, &size, NULL) != LMB_OK;
}

static void pass_parameters(stream *s, capture *capture) {
    capture->parameters = pass_all_words(s, capture->parameters, 1, &capture->parameter_count);
}

static void pass_state(stream *s, capture *capture) {
    capture->state = pass_all_words(s, capture->state, 1, &capture->state_words);
}

static void pass_kept(stream *s, capture *capture) {
    capture->kept = pass_all_words(s, capture->kept, 1, &capture->kept_words);
}

static void pass_events(stream *s, capture *capture) {
    size_t count = capture->event_count;
    capture->events = pass_all_words(s, capture->events, 2, &count);
    if (count > UINT32_MAX) {
        fail_here(s, LMB_ERROR_FORMAT, "too many events");
    }
    capture->event_count = (uint32_t)count;
}

static void pass_results(stream *s, capture *capture) {
    const capture_result *given = capture->results;
    pass_count(s, &capture->result_count, 12, CAPTURE_MOST_RESULTS);
    capture_result *results = get_memory(s, capture->result_count, sizeof *results);
    capture->results = results;
    for (uint32_t i = 0; i < capture->result_count && !s->failed; i++) {
        results[i] = s->reads ? (capture_result){0} : given[i];
        pass_short_text(s, results[i].name, sizeof results[i].name);
        pass_bytes(s, &results[i].hash, sizeof results[i].hash);
    }
}

// ---- The file.

static const struct {
    const char *name;
    void (*pass)(stream *s, capture *capture);
} sections[CAPTURE_SECTIONS] = {
    [CAPTURE_FRAME] = {"frame", pass_frame},
    [CAPTURE_GRAPH] = {"graph", pass_graph},
    [CAPTURE_PARAMETERS] = {"parameters", pass_parameters},
    [CAPTURE_STATE] = {"state", pass_state},
    [CAPTURE_KEPT] = {"kept", pass_kept},
    [CAPTURE_EVENTS] = {"events", pass_events},
    [CAPTURE_RESULTS] = {"results", pass_results},
};

bool capture_seal(void *bytes, size_t size) {
    header head;
    size_t at = sizeof head;
    if (size < sizeof head) {
        return false;
    }
    memcpy(&head, bytes, sizeof head);
    for (uint32_t i = 0; i < CAPTURE_SECTIONS; i++) {
        const uint64_t length = head.sections[i].size;
        if (length > size - at) {
            return false;
        }
        head.sections[i].hash = file_hash((uint8_t *)bytes + at, length);
        at += length;
    }
    head.hash = file_hash(&head, offsetof(header, hash));
    memcpy(bytes, &head, sizeof head);
    return true;
}

lmb_result capture_write(const capture *capture, const char *path, lmb_error *error) {
    struct capture copy = *capture;
    copy.pool = (lmb_arena){0};
    stream s = {.capture = &copy};
    header head = {.version = CAPTURE_VERSION, .section_count = CAPTURE_SECTIONS};
    memcpy(head.magic, MAGIC, MAGIC_SIZE);
    advance(&s, sizeof head);
    for (uint32_t i = 0; i < CAPTURE_SECTIONS && !s.failed; i++) {
        const size_t begin = s.at;
        s.section = sections[i].name;
        sections[i].pass(&s, &copy);
        head.sections[i].size = s.at - begin;
    }
    const bool sealed = !s.failed && capture_seal(memcpy(s.bytes, &head, sizeof head), s.at);
    const lmb_result result =
        sealed ? file_write(path, s.bytes, s.at, error) : lmb_fail(error, LMB_ERROR_MEMORY, "no memory for a capture");
    free(s.bytes);
    lmb_arena_release(&copy.pool);
    return result;
}

static lmb_result read_header(const uint8_t *bytes, size_t size, header *head, lmb_error *error) {
    if (size < sizeof *head || memcmp(bytes, MAGIC, MAGIC_SIZE) != 0) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "capture: no capture, or only its begin");
    }
    memcpy(head, bytes, sizeof *head);
    if (head->version != CAPTURE_VERSION) {
        return lmb_fail(error, LMB_ERROR_UNSUPPORTED, "capture: of version %u, and this reads version %u",
                        (unsigned)head->version, CAPTURE_VERSION);
    }
    if (head->hash != file_hash(head, offsetof(header, hash)) || head->section_count != CAPTURE_SECTIONS) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "capture: the header is damaged: its hash is another");
    }
    return LMB_OK;
}

static void read_section(stream *s, const header *head, uint32_t section, size_t size) {
    const uint64_t length = head->sections[section].size;
    s->section = sections[section].name;
    s->end = s->at;
    if (length > size - s->at) {
        fail_here(s, LMB_ERROR_FORMAT, "the file ends within it");
    } else if (file_hash(s->bytes + s->at, length) != head->sections[section].hash) {
        fail_here(s, LMB_ERROR_FORMAT, "it is damaged: its hash is another");
    } else {
        s->end = s->at + length;
        sections[section].pass(s, s->capture);
        if (s->at != s->end) {
            fail_here(s, LMB_ERROR_FORMAT, "more than was expected");
        }
    }
}

lmb_result capture_read(const void *bytes, size_t size, capture *capture, lmb_error *error) {
    *capture = (struct capture){0};
    header head;
    lmb_error found = {.result = read_header(bytes, size, &head, error)};
    if (found.result != LMB_OK) {
        return found.result;
    }
    stream s = {
        .reads = true, .bytes = (uint8_t *)(uintptr_t)bytes, .at = sizeof head, .capture = capture, .error = &found};
    for (uint32_t i = 0; i < CAPTURE_SECTIONS && !s.failed; i++) {
        read_section(&s, &head, i, size);
    }
    if (!s.failed && s.at != size) {
        lmb_fail(&found, LMB_ERROR_FORMAT, "capture: something follows the last section");
    }
    if (found.result != LMB_OK) {
        capture_release(capture);
        lmb_fail(error, found.result, "%s", found.message);
    }
    return found.result;
}
