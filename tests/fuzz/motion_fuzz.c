// Untrusted blocks of motion databases: opening one refuses it, or gives a database whose searches find what a loop
// over all rows finds. The mutator starts from valid blocks and keeps the first words of the header, which random data
// would never match.
#include "random_motion.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 20, SEARCHES = 4 };
// Words of the header of a block, and what they contain.
enum { MIRRORS = 12, NEGATES = 256 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static void require(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "motion_fuzz: %s\n", what);
        abort();
    }
}

// The numbers of a row, or of the mirrored one: the block says of which number each of those is, and with which sign.
static void read_numbers(const lmb_motion_database *database, uint32_t row, bool mirrored,
                         int16_t result[LMB_MOTION_ROW_SIZE]) {
    const unsigned char *block = lmb_motion_database_block(database, NULL);
    const int16_t *numbers = lmb_motion_database_features(database, row);
    memcpy(result, numbers, LMB_MOTION_ROW_SIZE * sizeof *result);
    for (uint32_t i = 0; i < LMB_MOTION_ROW_SIZE && mirrored; i++) {
        uint32_t mirror;
        memcpy(&mirror, block + 4 * (MIRRORS + i), sizeof mirror);
        const int16_t number = numbers[mirror % NEGATES];
        result[i] = (int16_t)(mirror >= NEGATES ? -number : number);
    }
}

static uint32_t cost_of(const int16_t *query, const int16_t *numbers) {
    uint32_t cost = 0;
    for (uint32_t i = 0; i < LMB_MOTION_ROW_SIZE; i++) {
        const int32_t limited = query[i] > LMB_MAX_MOTION_FEATURE    ? LMB_MAX_MOTION_FEATURE
                                : query[i] < -LMB_MAX_MOTION_FEATURE ? -LMB_MAX_MOTION_FEATURE
                                                                     : query[i];
        cost += (uint32_t)((limited - numbers[i]) * (limited - numbers[i]));
    }
    return cost;
}

// Without a row that plays, and without recent ones.
static void search(const lmb_motion_database *database, random_source *source) {
    const lmb_motion_database_info *info = lmb_motion_database_get_info(database);
    lmb_motion_search_def def = random_motion_search(source, database);
    require(lmb_motion_database_search(database, &def).row < info->row_count ||
                lmb_motion_database_search(database, &def).row == LMB_NONE,
            "the row does not exist");
    def.current_row = LMB_NONE;
    def.recent_count = 0;
    const lmb_motion_match found = lmb_motion_database_search(database, &def);
    lmb_motion_match best = {.row = LMB_NONE, .cost = UINT32_MAX};
    const uint32_t rows = info->row_count;
    for (uint32_t i = 0; i < (info->is_mirrored ? 2 * rows : rows); i++) {
        const uint32_t row = i % rows;
        const lmb_motion_row moment = lmb_motion_database_row(database, row);
        int16_t numbers[LMB_MOTION_ROW_SIZE];
        read_numbers(database, row, i >= rows, numbers);
        const uint32_t cost = cost_of(def.query, numbers);
        const bool fits = moment.can_be_found && (moment.tags & def.required_tags) == def.required_tags &&
                          (moment.tags & def.forbidden_tags) == 0;
        if (fits && cost < best.cost) {
            best = (lmb_motion_match){.row = row, .mirrored = i >= rows, .cost = cost};
        }
    }
    require(found.row == best.row && found.mirrored == best.mirrored, "a loop over all rows finds another row");
}

// By default inputs have at most 4,096 bytes, less than the blocks that the mutator starts from. Given options win.
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    static char option[] = "-max_len=65536";
    char **options = calloc((size_t)*argc + 2, sizeof *options); // in use until the end
    require(options != NULL, "no memory");
    options[0] = (*argv)[0];
    options[1] = option;
    memcpy(options + 2, *argv + 1, ((size_t)*argc - 1) * sizeof *options);
    *argc += 1;
    *argv = options;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lmb_motion_database *database = NULL;
    lmb_error error;
    if (lmb_motion_database_open(data, size, NULL, &database, &error) != LMB_OK) {
        require(database == NULL && memchr(error.message, '\0', sizeof error.message) > (void *)error.message,
                "refused without a message");
        return 0;
    }
    size_t block_size;
    require(memcmp(lmb_motion_database_block(database, &block_size), data, size) == 0 && block_size == size,
            "not the block given");
    random_source source = {size};
    for (uint32_t i = 0; i < SEARCHES && lmb_motion_database_get_info(database)->row_count > 0; i++) {
        search(database, &source);
    }
    lmb_motion_database_destroy(database);
    return 0;
}

static size_t write_seed(uint8_t *data, size_t max_size, unsigned int seed) {
    random_source source = {seed};
    lmb_motion_database *database = random_motion_database(&source, NULL);
    require(database != NULL, "no seed");
    size_t size;
    const void *block = lmb_motion_database_block(database, &size);
    size = size < max_size ? size : max_size;
    memcpy(data, block, size);
    lmb_motion_database_destroy(database);
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    if (size < KEPT || seed % 16 == 0) {
        return write_seed(data, max_size, seed);
    }
    uint8_t kept[KEPT];
    memcpy(kept, data, KEPT);
    const size_t changed = LLVMFuzzerMutate(data, size, seed % 4 == 0 ? max_size : size);
    if (seed % 8 != 1 && changed >= KEPT) {
        memcpy(data, kept, KEPT);
    }
    return changed;
}
