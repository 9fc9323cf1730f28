// Blocks of motion databases: what is opened is what was written, and damaged blocks are refused.
#include "failing_host.h"
#include "random_motion.h"
#include "refusal.h"

enum { DATABASES = 20, SEARCHES = 50 };

static lmb_motion_database *create_database(random_source *source) {
    lmb_motion_database *database = random_motion_database(source, NULL);
    assert_non_null(database);
    return database;
}

// A database whose rows have so many features.
static lmb_motion_database *create_with_features(random_source *source, uint32_t count) {
    for (int i = 0; i < 1000; i++) {
        lmb_motion_database *database = create_database(source);
        if (lmb_motion_database_get_info(database)->feature_count == count) {
            return database;
        }
        lmb_motion_database_destroy(database);
    }
    fail_msg("no database has %u features", (unsigned)count);
    return NULL;
}

// Copies the block, so that it can be changed.
static unsigned char *copy_block(const lmb_motion_database *database, size_t *size) {
    const void *block = lmb_motion_database_block(database, size);
    unsigned char *copy = malloc(*size);
    assert_non_null(copy);
    return memcpy(copy, block, *size);
}

static void expect_same_answers(random_source *source, const lmb_motion_database *a, const lmb_motion_database *b) {
    for (int i = 0; i < SEARCHES; i++) {
        const lmb_motion_search_def search = random_motion_search(source, a);
        const lmb_motion_match in_a = lmb_motion_database_search(a, &search),
                               in_b = lmb_motion_database_search(b, &search);
        assert_true(in_a.row == in_b.row && in_a.mirrored == in_b.mirrored && in_a.cost == in_b.cost);
        const lmb_motion_row row_a = lmb_motion_database_row(a, search.current_row),
                             row_b = lmb_motion_database_row(b, search.current_row);
        assert_int_equal(row_a.take, row_b.take);
        assert_true(row_a.time == row_b.time);
        const uint32_t take = random_below(source, 5);
        const float time = (float)random_between(source, -1.0, 4.0);
        assert_int_equal(lmb_motion_database_find_row(a, take, time), lmb_motion_database_find_row(b, take, time));
        const lmb_motion_path path = {{{time, -time}, {0.0f, time}}, {{0.6f, 0.8f}, {-1.0f, 0.0f}}};
        int16_t of_a[LMB_MOTION_ROW_SIZE], of_b[LMB_MOTION_ROW_SIZE];
        lmb_motion_database_query(a, search.recent_rows[0], i % 2 == 0, &path, of_a);
        lmb_motion_database_query(b, search.recent_rows[0], i % 2 == 0, &path, of_b);
        assert_memory_equal(of_a, of_b, sizeof of_a);
    }
}

static void an_opened_database_is_the_same(void **state) {
    (void)state;
    random_source source = {3};
    bool have_further_joints = false;
    for (int i = 0; i < DATABASES; i++) {
        lmb_motion_database *database = create_database(&source), *opened = NULL;
        size_t size, opened_size;
        const void *block = lmb_motion_database_block(database, &size);
        assert_int_equal(lmb_motion_database_open(block, size, NULL, &opened, NULL), LMB_OK);
        const void *again = lmb_motion_database_block(opened, &opened_size);
        assert_int_equal(opened_size, size);
        assert_memory_equal(block, again, size);
        assert_int_equal(lmb_motion_database_get_info(opened)->is_mirrored,
                         lmb_motion_database_get_info(database)->is_mirrored);
        const uint32_t features = lmb_motion_database_get_info(database)->feature_count;
        assert_int_equal(lmb_motion_database_get_info(opened)->feature_count, features);
        have_further_joints |= features > LMB_MOTION_FEATURES;
        expect_same_answers(&source, database, opened);
        lmb_motion_database_destroy(opened);
        lmb_motion_database_destroy(database);
    }
    assert_true(have_further_joints);
}

// Words of the header, in its order.
enum {
    MAGIC,
    VERSION,
    TAKES,
    ROWS,
    FOUND,
    RATE,
    SCALE,
    TIMES,
    MIRRORED = TIMES + 3,
    FEATURES,
    MIRRORS,
    MEANS = MIRRORS + LMB_MOTION_ROW_SIZE,
    FACTORS = MEANS + 2 * LMB_MOTION_ROW_SIZE,
    TAKE_WORDS = FACTORS + 2 * LMB_MOTION_ROW_SIZE
};
enum { NEGATES = 0x100 }; // of a mirror; else it is a feature

typedef struct damage {
    uint32_t word, value;
    const char *why;
} damage;

// Restores the block.
static void expect_damages_refused(unsigned char *block, size_t size, const damage *damages, size_t count) {
    for (size_t i = 0; i < count; i++) {
        unsigned char kept[4];
        memcpy(kept, block + (size_t)4 * damages[i].word, 4);
        memcpy(block + (size_t)4 * damages[i].word, &damages[i].value, 4);
        lmb_motion_database *opened = (lmb_motion_database *)(uintptr_t)8;
        lmb_error error;
        const lmb_result result = lmb_motion_database_open(block, size, NULL, &opened, &error);
        CHECK_REFUSAL(result, &error, LMB_ERROR_FORMAT, "motion database block: ", damages[i].why);
        assert_null(opened);
        memcpy(block + (size_t)4 * damages[i].word, kept, 4);
    }
}

static void damage_is_refused(void **state) {
    (void)state;
    random_source source = {5};
    lmb_motion_database *database = create_with_features(&source, LMB_MOTION_ROW_SIZE - 1);
    const uint32_t rows = lmb_motion_database_get_info(database)->row_count;
    size_t size;
    unsigned char *block = copy_block(database, &size);
    uint32_t takes;
    memcpy(&takes, block + 4 * TAKES, 4);
    const uint32_t moments = TAKE_WORDS + 3 * takes, numbers = moments + 2 * rows;
    const damage damages[] = {
        {MAGIC, 1, "other bytes"},
        {VERSION, 1, "another version"},
        {TAKES, 0, "no takes"},
        {TAKES, 65537, "too many"},
        {TAKES, takes + 1, "size"},
        {ROWS, LMB_MAX_MOTION_ROWS + 1, "too many rows"},
        {ROWS, rows - 1, "size"},
        {FOUND, rows + 1, "more rows can be found"},
        {RATE, 0x7fc00000u, "rate"},
        {RATE, 0x43710000u, "rate"}, // 241
        {SCALE, 0x7f800000u, "scale"},
        {SCALE, 0xbf800000u, "scale"},
        {TIMES, 0, "time ahead"},
        {TIMES + 1, 0x3e000000u, "time ahead"}, // not after the first
        {TIMES + 2, 0x41300000u, "time ahead"}, // 11
        {MIRRORED, 2, "whether its rows count mirrored"},
        {MEANS + 1, 0x7ff00000u, "normalisation"},
        {FACTORS + 1, 0xbff00000u, "normalisation"}, // a factor of -1
        {TAKE_WORDS - 1, 0x7ff80000u, "normalisation"},
        {TAKE_WORDS, 1, "take is out of range"},
        {TAKE_WORDS + 1, 1, "take is out of range"},
        {TAKE_WORDS + 1, rows + 1, "take is out of range"},
        {TAKE_WORDS + 2, 2, "take is out of range"},
        {moments, rows, "out of range"},
        {numbers, 0x00001000u, "number of a row"},      // 4096
        {numbers + 15, 0x00010000u, "number of a row"}, // behind the features
    };
    expect_damages_refused(block, size, damages, sizeof damages / sizeof *damages);
    uint32_t moment;
    memcpy(&moment, block + (size_t)4 * moments, 4);
    memcpy(block + (size_t)4 * (moments + 1), &moment, 4);
    lmb_motion_database *opened = NULL;
    lmb_error error;
    CHECK_REFUSAL(lmb_motion_database_open(block, size, NULL, &opened, &error), &error, LMB_ERROR_FORMAT,
                  "two rows are one moment");
    free(block);
    lmb_motion_database_destroy(database);
}

static uint32_t read_word(const unsigned char *block, uint32_t word) {
    uint32_t value;
    memcpy(&value, block + (size_t)4 * word, 4);
    return value;
}

// Of which feature each one of a mirrored row is: mirrored twice, a row is itself.
static void mirrors_that_are_damaged_are_refused(void **state) {
    (void)state;
    random_source source = {8};
    const uint32_t count = LMB_MOTION_FEATURES + 3;
    lmb_motion_database *database = create_with_features(&source, count);
    size_t size;
    unsigned char *block = copy_block(database, &size);
    assert_int_equal(read_word(block, FEATURES), count);
    assert_int_equal(read_word(block, MIRRORS), 3 | NEGATES);
    assert_int_equal(read_word(block, MIRRORS + 4), 1);
    assert_int_equal(read_word(block, MIRRORS + count), count);
    static const char number[] = "number of its features", mirror[] = "feature of mirrored rows";
    const damage damages[] = {
        {FEATURES, 0, number},
        {FEATURES, LMB_MOTION_FEATURES - 1, number},
        {FEATURES, LMB_MOTION_ROW_SIZE + 1, number},
        {FEATURES, UINT32_MAX, number},
        {FEATURES, LMB_MOTION_FEATURES, ""}, // numbers behind them, or mirrors
        {MIRRORS, 3, mirror},                // another sign than its partner
        {MIRRORS + 4, 1 | NEGATES, mirror},
        {MIRRORS + 4, 4, mirror}, // of itself, but of its partner, too
        {MIRRORS + 4, 2, mirror}, // which has another partner
        {MIRRORS + 4, count, mirror},
        {MIRRORS + 4, LMB_MOTION_ROW_SIZE, mirror},
        {MIRRORS + 4, 0xff, mirror},
        {MIRRORS + 4, 1 | 2 * NEGATES, mirror},
        {MIRRORS + 4, UINT32_MAX, mirror},
        {MIRRORS + count - 1, 0, mirror},
        {MIRRORS + count, 4, mirror}, // behind the features
        {MIRRORS + count, count + 1, mirror},
    };
    expect_damages_refused(block, size, damages, sizeof damages / sizeof *damages);
    // Of a feature behind them, which is of that one.
    const uint32_t one = 13, other = count;
    memcpy(block + (size_t)4 * (MIRRORS + other), &one, 4);
    expect_damages_refused(block, size, &(damage){MIRRORS + one, other, mirror}, 1);
    // Two behind them.
    const uint32_t next = count + 1;
    memcpy(block + (size_t)4 * (MIRRORS + other), &next, 4);
    expect_damages_refused(block, size, &(damage){MIRRORS + next, other, mirror}, 1);
    free(block);
    lmb_motion_database_destroy(database);
}

static void other_sizes_and_nothing_are_refused(void **state) {
    (void)state;
    random_source source = {6};
    lmb_motion_database *database = create_database(&source), *opened = NULL;
    size_t size;
    unsigned char *block = copy_block(database, &size);
    lmb_error error;
    for (size_t bytes = 0; bytes < size; bytes += 1 + bytes / 7) {
        CHECK_REFUSAL(lmb_motion_database_open(block, bytes, NULL, &opened, &error), &error, LMB_ERROR_FORMAT,
                      "motion database block: ");
    }
    CHECK_REFUSAL(lmb_motion_database_open(NULL, size, NULL, &opened, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    CHECK_REFUSAL(lmb_motion_database_open(block, size, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    free(block);
    lmb_motion_database_destroy(database);
}

typedef struct block {
    const void *bytes;
    size_t size;
} block;

static lmb_result open_block(const lmb_host *host, lmb_error *error, void *user) {
    const block *given = user;
    lmb_motion_database *opened = NULL;
    const lmb_result result = lmb_motion_database_open(given->bytes, given->size, host, &opened, error);
    lmb_motion_database_destroy(opened);
    return result;
}

static void memory_may_run_out(void **state) {
    (void)state;
    random_source source = {7};
    lmb_motion_database *database = create_database(&source);
    block given;
    given.bytes = lmb_motion_database_block(database, &given.size);
    failing_host_try_all(open_block, &given);
    lmb_motion_database_destroy(database);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_opened_database_is_the_same),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(mirrors_that_are_damaged_are_refused),
        cmocka_unit_test(other_sizes_and_nothing_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
