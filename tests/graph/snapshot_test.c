// Snapshots of characters, fingerprints of graphs, and differences of states.
#include <limber/pack.h>

#include "refusal.h"
#include "suite.h"
#include "walkers.h"

enum { FRAMES = 90, SAVED = 31 };

static uint64_t hashes[FRAMES]; // of a frame's states, inertia and palettes, in the order of characters
static uint32_t seen[2];        // how often a target was not reached, and was

static walkers *create(void) {
    memset(hashes, 0, sizeof hashes);
    memset(seen, 0, sizeof seen);
    return walkers_create(walker_graph(), LMB_CPU_FAST);
}

static void run_frame(walkers *c, uint32_t frame, const uint32_t characters[WALKERS_ROWS]) {
    walkers_run(c, frame, characters, WALKERS_ROWS);
    const size_t states = c->state_words, inertia = c->inertia_words;
    uint64_t rows[WALKERS_ROWS][3];
    for (uint32_t row = 0; row < WALKERS_ROWS; row++) {
        seen[c->reached[row]]++;
        uint32_t palette[WALKERS_PALETTE];
        memcpy(palette, c->palettes + row * WALKERS_PALETTE, sizeof palette);
        uint64_t *hash = rows[characters[row]];
        hash[0] = lmb_hash_words(c->states + row * states, states);
        hash[1] = lmb_hash_words(c->inertia + row * inertia, inertia);
        hash[2] = lmb_hash_words(palette, WALKERS_PALETTE);
    }
    uint32_t all[sizeof rows / sizeof(uint32_t)];
    memcpy(all, rows, sizeof rows);
    hashes[frame] = lmb_hash_words(all, sizeof all / sizeof all[0]);
}

static const uint32_t shuffled[WALKERS_ROWS] = {3, 6, 0, 5, 1, 4, 2};

static void *save(walkers *c, const lmb_character_words *from, uint64_t tag, size_t *size) {
    *size = lmb_snapshot_size(c->graph, from->count);
    void *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(lmb_snapshot_save(c->graph, from, tag, bytes, *size, NULL), LMB_OK);
    return bytes;
}

static void frames_run_again_have_the_same_bits(void **state) {
    (void)state;
    walkers *c = create();
    size_t size = 0;
    void *bytes = NULL;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        if (frame == SAVED) {
            const lmb_character_words all = walkers_words(c);
            bytes = save(c, &all, 100 + frame, &size);
        }
        run_frame(c, frame, walkers_in_order);
    }
    assert_true(seen[0] > 50 && seen[1] > 50);
    uint64_t first[FRAMES];
    memcpy(first, hashes, sizeof first);
    // Back in their rows, then in others.
    for (int run = 0; run < 2; run++) {
        lmb_character_words all = walkers_words(c);
        uint32_t rows[WALKERS_ROWS];
        for (uint32_t row = 0; row < WALKERS_ROWS; row++) {
            rows[shuffled[row]] = row;
        }
        all.characters = run == 1 ? rows : NULL;
        memset(c->palettes, 0, sizeof c->palettes);
        memset(c->reached, run == 0 ? 0 : 1, sizeof c->reached);
        memset(c->parameters, 0xff, sizeof c->parameters);
        assert_int_equal(lmb_snapshot_restore(c->graph, bytes, size, &all, NULL), LMB_OK);
        for (uint32_t frame = SAVED; frame < FRAMES; frame++) {
            run_frame(c, frame, run == 1 ? shuffled : walkers_in_order);
            assert_true(hashes[frame] == first[frame]);
        }
    }
    lmb_snapshot found;
    assert_int_equal(lmb_snapshot_open(bytes, size, &found, NULL), LMB_OK);
    assert_int_equal(found.character_count, WALKERS_ROWS);
    assert_true(found.tag == 100 + SAVED && found.fingerprint == lmb_graph_fingerprint(c->graph) && !found.is_sealed);
    free(bytes);
    walkers_destroy(c);
}

// One character of a list comes back, and the others go on.
static void lists_and_ranges_name_characters(void **state) {
    (void)state;
    walkers *c = create();
    for (uint32_t frame = 0; frame < SAVED; frame++) {
        run_frame(c, frame, walkers_in_order);
    }
    const uint32_t list[2] = {5, 1}, words = c->state_words, inertia = c->inertia_words;
    lmb_character_words some = walkers_words(c);
    some.characters = list;
    some.count = 2;
    size_t size;
    void *bytes = save(c, &some, 0, &size);
    lmb_snapshot found;
    assert_int_equal(lmb_snapshot_open(bytes, size, &found, NULL), LMB_OK);
    for (uint32_t i = 0; i < 2; i++) {
        assert_memory_equal(found.states + i * words, c->states + list[i] * words, words * sizeof(uint32_t));
        assert_memory_equal(found.inertia + i * inertia, c->inertia + list[i] * inertia, inertia * sizeof(uint32_t));
    }
    uint32_t before[WALKERS_ROWS * WALKERS_STATE];
    memcpy(before, c->states, sizeof before);
    lmb_character_words range = walkers_words(c);
    range.first = 2;
    range.count = 2;
    assert_int_equal(lmb_snapshot_restore(c->graph, bytes, size, &range, NULL), LMB_OK);
    for (uint32_t row = 0; row < WALKERS_ROWS; row++) {
        const uint32_t from = row == 2 ? 5 : row == 3 ? 1 : row;
        assert_memory_equal(c->states + row * words, before + from * words, words * sizeof(uint32_t));
    }
    free(bytes);
    walkers_destroy(c);
}

// ---- What is refused.

static void other_graphs_are_refused(void **state) {
    (void)state;
    // The second has the first one's states exchanged, and a state of one passes the check of states in the other.
    walkers *c = create(),
            *other = walkers_create(walker_graph_of(WALKER_GRAPH("hop", "walk", "jump", "land", "0.25")), LMB_CPU_FAST);
    const lmb_character_words all = walkers_words(c), others = walkers_words(other);
    run_frame(c, 0, walkers_in_order);
    assert_int_equal(lmb_state_check(other->graph, c->states, WALKERS_ROWS, NULL), LMB_OK);
    size_t size;
    void *bytes = save(c, &all, 0, &size);
    assert_int_equal(size, lmb_snapshot_size(other->graph, WALKERS_ROWS));
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_snapshot_restore(other->graph, bytes, size, &others, &error), &error, LMB_ERROR_FORMAT,
                  "snapshot: ", "it belongs to another graph");
    CHECK_REFUSAL(lmb_snapshot_check(other->graph, bytes, size, &error), &error, LMB_ERROR_FORMAT,
                  "snapshot: ", "it belongs to another graph");
    assert_int_equal(other->states[0], 0);
    free(bytes);
    walkers_destroy(c);
    walkers_destroy(other);
}

static void strangers_are_checked(void **state) {
    (void)state;
    walkers *c = create();
    lmb_character_words all = walkers_words(c);
    for (uint32_t frame = 0; frame < SAVED; frame++) {
        run_frame(c, frame, walkers_in_order);
    }
    size_t size;
    uint32_t *words = save(c, &all, 7, &size);
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_snapshot_check(c->graph, words, size, &error), &error, LMB_ERROR_FORMAT,
                  "snapshot: ", "not sealed");
    assert_int_equal(lmb_snapshot_seal(words, size, NULL), LMB_OK);
    assert_int_equal(lmb_snapshot_check(c->graph, words, size, &error), LMB_OK);
    // Any changed bit is found.
    for (size_t at = 0; at < size / sizeof *words; at += at < LMB_SNAPSHOT_HEADER_WORDS ? 1 : 61) {
        words[at] ^= 1u << at % 32;
        assert_int_equal(lmb_snapshot_check(c->graph, words, size, &error), LMB_ERROR_FORMAT);
        words[at] ^= 1u << at % 32;
    }
    // A sealed snapshot whose words have no meaning.
    words[LMB_SNAPSHOT_HEADER_WORDS] = 9;
    assert_int_equal(lmb_snapshot_seal(words, size, NULL), LMB_OK);
    CHECK_REFUSAL(lmb_snapshot_check(c->graph, words, size, &error), &error, LMB_ERROR_FORMAT,
                  "control: state of character 0: ", "");
    free(words);
    walkers_destroy(c);
}

static void wrong_sizes_are_refused(void **state) {
    (void)state;
    walkers *c = create();
    lmb_character_words all = walkers_words(c);
    size_t size;
    uint32_t *words = save(c, &all, 0, &size);
    lmb_error error = {0};
    const size_t sizes[] = {0, 4, sizeof *words * LMB_SNAPSHOT_HEADER_WORDS, size - 4, size - 1, size + 4};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        CHECK_REFUSAL(
            lmb_snapshot_restore(c->graph, words, sizes[i], &all, &error), &error, LMB_ERROR_FORMAT,
            "snapshot: ", sizes[i] < 56 ? "it ends inside its header" : "bytes are not those of 7 characters");
    }
    words[3] = 6;
    CHECK_REFUSAL(lmb_snapshot_restore(c->graph, words, size, &all, &error), &error, LMB_ERROR_FORMAT,
                  "snapshot: ", "bytes are not those of 6 characters");
    words[3] = 7;
    all.count = 6;
    CHECK_REFUSAL(lmb_snapshot_restore(c->graph, words, size, &all, &error), &error, LMB_ERROR_FORMAT,
                  "snapshot: ", "it has 7 characters instead of 6");
    CHECK_REFUSAL(lmb_snapshot_save(c->graph, &all, 0, words, 100, &error), &error, LMB_ERROR_LIMIT,
                  "snapshot: ", "there is room for 100");
    words[2] = 9;
    CHECK_REFUSAL(lmb_snapshot_open(words, size, &(lmb_snapshot){0}, &error), &error, LMB_ERROR_FORMAT,
                  "snapshot: ", "version 9");
    words[0] = 0;
    CHECK_REFUSAL(lmb_snapshot_open(words, size, &(lmb_snapshot){0}, &error), &error, LMB_ERROR_FORMAT,
                  "snapshot: ", "no snapshot");
    free(words);
    walkers_destroy(c);
}

static void wrong_arguments_are_refused(void **state) {
    (void)state;
    walkers *c = create();
    lmb_character_words all = walkers_words(c);
    size_t size;
    uint32_t *words = save(c, &all, 0, &size);
    lmb_error error = {0};
    const uint32_t outside[WALKERS_ROWS] = {0, 1, 2, 7};
    lmb_character_words wrong[6] = {all, all, all, all, all, all};
    wrong[0].states = NULL;
    wrong[1].inertia = NULL;
    wrong[2].reached = NULL;
    wrong[3].first = 1;
    wrong[4].first = 9;
    wrong[5].characters = outside;
    static const char *const messages[] = {"states: it is NULL",  "inertia: it is NULL",
                                           "reached: it is NULL", "characters 1 to 8",
                                           "characters 9 to 16",  "characters[3]: there is no character 7 of 7"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK_REFUSAL(lmb_snapshot_save(c->graph, &wrong[i], 0, words, size, &error), &error, LMB_ERROR_ARGUMENT,
                      "snapshot: ", messages[i]);
        CHECK_REFUSAL(lmb_snapshot_restore(c->graph, words, size, &wrong[i], &error), &error, LMB_ERROR_ARGUMENT,
                      "snapshot: ", messages[i]);
    }
    CHECK_REFUSAL(lmb_snapshot_save(NULL, &all, 0, words, size, &error), &error, LMB_ERROR_ARGUMENT,
                  "snapshot: ", "the graph is NULL");
    CHECK_REFUSAL(lmb_snapshot_save(c->graph, NULL, 0, words, size, &error), &error, LMB_ERROR_ARGUMENT,
                  "snapshot: ", "the characters are NULL");
    CHECK_REFUSAL(lmb_snapshot_save(c->graph, &all, 0, NULL, size, &error), &error, LMB_ERROR_ARGUMENT,
                  "snapshot: ", "the bytes are NULL");
    CHECK_REFUSAL(lmb_snapshot_save(c->graph, &all, 0, (char *)words + 1, size, &error), &error, LMB_ERROR_ARGUMENT,
                  "snapshot: ", "not aligned");
    CHECK_REFUSAL(lmb_snapshot_seal(NULL, size, &error), &error, LMB_ERROR_ARGUMENT, "snapshot: ", "NULL");
    CHECK_REFUSAL(lmb_snapshot_open(words, size, NULL, &error), &error, LMB_ERROR_ARGUMENT, "snapshot: ", "NULL");
    CHECK_REFUSAL(lmb_snapshot_check(NULL, words, size, &error), &error, LMB_ERROR_ARGUMENT, "snapshot: ", "NULL");
    CHECK_REFUSAL(lmb_snapshot_restore(c->graph, words, size, NULL, &error), &error, LMB_ERROR_ARGUMENT,
                  "snapshot: ", "the characters are NULL");
    free(words);
    walkers_destroy(c);
}

// ---- Packed snapshots.

// A snapshot of every frame, packed against the one before, and alone.
static void packed_snapshots_come_back(void **state) {
    (void)state;
    walkers *c = create();
    const lmb_character_words all = walkers_words(c);
    const size_t size = lmb_snapshot_size(c->graph, WALKERS_ROWS), room = lmb_snapshot_packed_bound(size);
    uint32_t *saved[2] = {malloc(size), malloc(size)}, *back = malloc(size);
    unsigned char *packed = malloc(room + 1);
    assert_true(saved[0] != NULL && saved[1] != NULL && back != NULL && packed != NULL);
    size_t alone = 0, against = 0;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        uint32_t *now = saved[frame % 2], *before = saved[1 - frame % 2];
        run_frame(c, frame, walkers_in_order);
        assert_int_equal(lmb_snapshot_save(c->graph, &all, frame, now, size, NULL), LMB_OK);
        assert_int_equal(lmb_snapshot_seal(now, size, NULL), LMB_OK);
        for (uint32_t i = 0; i < (frame > 0 ? 2 : 1); i++) {
            const uint32_t *base = i == 1 ? before : NULL;
            size_t packed_size, back_size;
            memset(packed, 0xee, room + 1);
            assert_int_equal(lmb_snapshot_pack(now, size, base, size, packed, room, &packed_size, NULL), LMB_OK);
            assert_true(packed_size <= room && packed[packed_size] == 0xee);
            assert_false(lmb_pack_is_pack(packed, packed_size));
            assert_int_equal(lmb_snapshot_unpack(packed, packed_size, base, size, back, size, &back_size, NULL),
                             LMB_OK);
            assert_true(back_size == size);
            assert_memory_equal(back, now, size);
            assert_int_equal(lmb_snapshot_check(c->graph, back, size, NULL), LMB_OK);
            *(i == 1 ? &against : &alone) += packed_size;
        }
    }
    assert_true(alone < size * FRAMES / 2 && against < alone);
    // The worst that words can be takes no more than the bound, and every length of skipped words comes back.
    for (uint32_t stride = 1; stride < 200; stride++) {
        memcpy(saved[0], saved[1], size);
        for (size_t at = LMB_SNAPSHOT_HEADER_WORDS; at < size / sizeof *back; at += stride) {
            saved[0][at] ^= stride % 3 == 0 ? 0x00010000u : 0x80000001u + (uint32_t)(at % (stride % 7 + 1));
        }
        size_t packed_size, back_size;
        assert_int_equal(lmb_snapshot_pack(saved[0], size, saved[1], size, packed, room, &packed_size, NULL), LMB_OK);
        assert_int_equal(lmb_snapshot_unpack(packed, packed_size, saved[1], size, back, size, &back_size, NULL),
                         LMB_OK);
        assert_memory_equal(back, saved[0], size);
    }
    free(packed);
    free(back);
    free(saved[0]);
    free(saved[1]);
    walkers_destroy(c);
}

static void damaged_packed_snapshots_are_refused(void **state) {
    (void)state;
    walkers *c = create();
    const lmb_character_words all = walkers_words(c);
    size_t size, packed_size, back_size = 0;
    run_frame(c, 0, walkers_in_order);
    uint32_t *base = save(c, &all, 70, &size);
    run_frame(c, 1, walkers_in_order);
    uint32_t *words = save(c, &all, 71, &size), *back = malloc(size);
    assert_int_equal(lmb_snapshot_seal(words, size, NULL), LMB_OK);
    unsigned char *packed = calloc(lmb_snapshot_packed_bound(size), 1);
    assert_true(back != NULL && packed != NULL);
    assert_int_equal(
        lmb_snapshot_pack(words, size, base, size, packed, lmb_snapshot_packed_bound(size), &packed_size, NULL),
        LMB_OK);
    lmb_error error = {0};
    // Any changed byte, and any shorter one.
    for (size_t at = 0; at < packed_size; at++) {
        packed[at] ^= (unsigned char)(1 << at % 8);
        assert_true(lmb_snapshot_unpack(packed, packed_size, base, size, back, size, &back_size, NULL) != LMB_OK ||
                    lmb_snapshot_check(c->graph, back, back_size, NULL) != LMB_OK);
        packed[at] ^= (unsigned char)(1 << at % 8);
        assert_int_equal(lmb_snapshot_unpack(packed, at, base, size, back, size, &back_size, NULL), LMB_ERROR_FORMAT);
    }
    CHECK_REFUSAL(lmb_snapshot_unpack(packed, 40, base, size, back, size, &back_size, &error), &error, LMB_ERROR_FORMAT,
                  "packed: it ends inside its header");
    CHECK_REFUSAL(lmb_snapshot_unpack(packed, packed_size - 1, base, size, back, size, &back_size, &error), &error,
                  LMB_ERROR_FORMAT, "packed: its bytes are not those of all its words");
    CHECK_REFUSAL(lmb_snapshot_unpack(packed, packed_size + 1, base, size, back, size, &back_size, &error), &error,
                  LMB_ERROR_FORMAT, "packed: its bytes are not those of all its words");
    CHECK_REFUSAL(lmb_snapshot_unpack(words, size, base, size, back, size, &back_size, &error), &error,
                  LMB_ERROR_FORMAT, "no packed snapshot");
    CHECK_REFUSAL(lmb_snapshot_unpack(packed, packed_size, base, size, back, size - 4, &back_size, &error), &error,
                  LMB_ERROR_LIMIT, "there is room for");
    assert_true(back_size == size);
    CHECK_REFUSAL(lmb_snapshot_unpack(packed, packed_size, NULL, 0, back, size, &back_size, &error), &error,
                  LMB_ERROR_FORMAT, "it needs its base, the snapshot with the tag 70");
    CHECK_REFUSAL(lmb_snapshot_unpack(packed, packed_size, words, size, back, size, &back_size, &error), &error,
                  LMB_ERROR_FORMAT, "its base has the tag 70, and the one given 71");
    base[LMB_SNAPSHOT_HEADER_WORDS] ^= 1; // another base with this tag
    assert_int_equal(lmb_snapshot_unpack(packed, packed_size, base, size, back, size, &back_size, &error), LMB_OK);
    CHECK_REFUSAL(lmb_snapshot_check(c->graph, back, size, &error), &error, LMB_ERROR_FORMAT, "damaged");
    base[6] ^= 1; // of another graph
    CHECK_REFUSAL(lmb_snapshot_unpack(packed, packed_size, base, size, back, size, &back_size, &error), &error,
                  LMB_ERROR_FORMAT, "its base has other characters, or another graph");
    CHECK_REFUSAL(lmb_snapshot_pack(words, size, base, size, packed, 9, &packed_size, &error), &error,
                  LMB_ERROR_ARGUMENT, "the base has other characters, or another graph");
    CHECK_REFUSAL(lmb_snapshot_pack(words, size, NULL, 0, packed, 9, &packed_size, &error), &error, LMB_ERROR_LIMIT,
                  "there is room for 9");
    CHECK_REFUSAL(lmb_snapshot_pack(words, size, NULL, 0, NULL, 9, &packed_size, &error), &error, LMB_ERROR_ARGUMENT,
                  "NULL");
    CHECK_REFUSAL(lmb_snapshot_unpack(NULL, 9, NULL, 0, back, size, &back_size, &error), &error, LMB_ERROR_ARGUMENT,
                  "NULL");
    free(base);
    free(words);
    free(back);
    free(packed);
    walkers_destroy(c);
}

// ---- Fingerprints.

static uint64_t fingerprint_of(const char *text) {
    lmb_graph *graph = walker_graph_of(text);
    const uint64_t fingerprint = lmb_graph_fingerprint(graph);
    lmb_graph_destroy(graph);
    return fingerprint;
}

// Equal for equal graphs, and another one for each change.
static void a_fingerprint_names_a_graph(void **state) {
    (void)state;
    uint64_t found[] = {
        fingerprint_of(WALKER_GRAPH("walk", "hop", "jump", "land", "0.25")),
        fingerprint_of(WALKER_GRAPH("hop", "walk", "jump", "land", "0.25")),
        fingerprint_of(WALKER_GRAPH("walk", "hop", "jump", "fall", "0.25")),
        fingerprint_of(WALKER_GRAPH("walk", "hop", "land", "jump", "0.25")),
        fingerprint_of(WALKER_GRAPH("walk", "hop", "jump", "land", "0.26")),
        fingerprint_of(WALKER_GRAPH("walk", "stand", "jump", "land", "0.25")),
        0,
    };
    const size_t count = sizeof found / sizeof found[0];
    lmb_clip *kept = walker_clips[1];
    walker_clips[1] = walker_clip(1, 1.0001f);
    found[count - 1] = fingerprint_of(WALKER_GRAPH("walk", "hop", "jump", "land", "0.25"));
    lmb_clip_destroy(walker_clips[1]);
    walker_clips[1] = kept;
    assert_true(found[0] == fingerprint_of(WALKER_GRAPH("walk", "hop", "jump", "land", "0.25")));
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            assert_true(found[i] != found[k]);
        }
    }
}

// The same on every machine: a change of the compiled form or of a scenario's bits changes this number.
static void a_fingerprint_is_the_same_everywhere(void **state) {
    (void)state;
    const uint64_t fingerprint = fingerprint_of(WALKER_GRAPH("walk", "hop", "jump", "land", "0.25"));
    if (fingerprint != UINT64_C(0x727cc4ddf326b256)) {
        fail_msg("if the compiled form or the bits changed on purpose, it is 0x%016llx",
                 (unsigned long long)fingerprint);
    }
}

static void clips_in_slots_are_no_part_of_it(void **state) {
    (void)state;
    lmb_clip_slot_def slot = lmb_clip_slot_for(walker_clips[1]);
    slot.clip = 1;
    lmb_node_def nodes[2] = {lmb_clip_node(1, lmb_constant(0.5f)), lmb_clip_node(2, lmb_constant(0.25f))};
    const lmb_clip *with[WALKER_CLIPS] = {walker_clips[0], walker_clips[1], walker_clips[2]},
                   *without[WALKER_CLIPS] = {walker_clips[0], NULL, walker_clips[2]};
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = walker_rig;
    def.clips = with;
    def.clip_count = WALKER_CLIPS;
    def.nodes = nodes;
    def.node_count = 2;
    def.clip_slots = &slot;
    def.clip_slot_count = 1;
    lmb_graph *full, *empty;
    assert_int_equal(lmb_graph_create(&def, NULL, &full, NULL), LMB_OK);
    def.clips = without;
    assert_int_equal(lmb_graph_create(&def, NULL, &empty, NULL), LMB_OK);
    assert_true(lmb_graph_fingerprint(full) == lmb_graph_fingerprint(empty));
    lmb_graph_destroy(full);
    lmb_graph_destroy(empty);
}

// ---- Differences.

static void differences_have_names(void **state) {
    (void)state;
    walkers *c = create();
    run_frame(c, 0, walkers_in_order);
    const uint32_t words = c->state_words;
    uint32_t *a = c->states, *b = c->states + words;
    char text[160];
    memcpy(b, a, words * sizeof *b);
    assert_false(lmb_graph_state_difference(c->graph, a, b, text, sizeof text));
    assert_string_equal(text, "");
    for (uint32_t frame = 1; frame < 4; frame++) {
        run_frame(c, frame, walkers_in_order); // in frame 3 an event takes character 0 from "walk" to "hop"
    }
    memcpy(b, c->states + 2 * words, words * sizeof *b);
    assert_true(lmb_graph_state_difference(c->graph, a, b, text, sizeof text));
    assert_string_equal(text, "machine \"body\": state \"hop\", \"walk\"");
    memcpy(b, a, words * sizeof *b);
    const lmb_word_range moved = lmb_graph_get_info(c->graph)->motion_words;
    b[moved.first + 1] += 5;
    assert_true(lmb_graph_state_difference(c->graph, a, b, text, sizeof text));
    assert_memory_equal(text, "character motion: (0, 0, ", 25);
    memcpy(b, a, words * sizeof *b);
    b[1]++;
    assert_true(lmb_graph_state_difference(c->graph, a, b, text, sizeof text));
    assert_string_equal(text, "word 1: 0x00000000, 0x00000001");
    // Every word that differs is found.
    for (uint32_t i = 0; i < words; i++) {
        memcpy(b, a, words * sizeof *b);
        b[i] ^= 1;
        assert_true(lmb_graph_state_difference(c->graph, a, b, text, sizeof text) && text[0] != '\0');
    }
    walkers_destroy(c);
}

static void sizes_add_up(void **state) {
    (void)state;
    lmb_graph *graph = walker_graph();
    const lmb_state_sizes sizes = lmb_graph_state_sizes(graph);
    assert_int_equal(sizes.character + sizes.smoothed + sizes.players + sizes.machines + sizes.motion +
                         sizes.inertialization,
                     lmb_graph_get_info(graph)->state_words);
    assert_int_equal(sizes.joints + sizes.chains_and_feet, lmb_graph_get_info(graph)->inertia_words);
    // Two states, two players, one smoothed rate; two bones of 20 words.
    assert_int_equal(sizes.machines, 6 + 2 * 2);
    assert_int_equal(sizes.players, 2 * 4);
    assert_int_equal(sizes.smoothed, 1);
    assert_int_equal(sizes.joints, WALKER_JOINTS * 26);
    assert_int_equal(sizes.chains_and_feet, 2 * 20);
    // A place, what moved, and the span of a motion.
    assert_int_equal(sizes.motion, 7 + 7 + 5);
    lmb_graph_destroy(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(frames_run_again_have_the_same_bits),
                                       cmocka_unit_test(lists_and_ranges_name_characters),
                                       cmocka_unit_test(other_graphs_are_refused),
                                       cmocka_unit_test(strangers_are_checked),
                                       cmocka_unit_test(wrong_sizes_are_refused),
                                       cmocka_unit_test(wrong_arguments_are_refused),
                                       cmocka_unit_test(packed_snapshots_come_back),
                                       cmocka_unit_test(damaged_packed_snapshots_are_refused),
                                       cmocka_unit_test(a_fingerprint_names_a_graph),
                                       cmocka_unit_test(a_fingerprint_is_the_same_everywhere),
                                       cmocka_unit_test(clips_in_slots_are_no_part_of_it),
                                       cmocka_unit_test(differences_have_names),
                                       cmocka_unit_test(sizes_add_up)};
    return cmocka_run_group_tests(tests, walker_set_up, walker_tear_down);
}
