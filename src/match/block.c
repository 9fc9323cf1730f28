// The block of a motion database: its layout, its checks, and what follows from it.
#include "database.h"

#include "base/float_environment.h"

#include <math.h>
#include <string.h>

#define MAGIC 0x424d4d4cu // "LMMB"
#define VERSION 3u

static size_t block_size(uint32_t take_count, uint32_t row_count) {
    const size_t row = 2 * sizeof(uint32_t) + LMB_MOTION_ROW_SIZE * sizeof(int16_t);
    return sizeof(motion_header) + take_count * sizeof(motion_take) + row_count * row;
}

lmb_motion_database *lmb_motion_allocate(const lmb_host *host, uint32_t take_count, uint32_t row_count) {
    const lmb_host resolved = lmb_host_resolve(host);
    lmb_motion_database *made = lmb_host_allocate(&resolved, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->host = resolved;
    made->memory.host = &made->host;
    made->size = block_size(take_count, row_count);
    made->header = lmb_arena_allocate(&made->memory, 1, made->size);
    made->row_of = lmb_arena_allocate(&made->memory, row_count, sizeof *made->row_of);
    made->take_of = lmb_arena_allocate(&made->memory, row_count, sizeof *made->take_of);
    made->small = lmb_arena_allocate(&made->memory, row_count / SMALL_BOX + 1, sizeof *made->small);
    made->large = lmb_arena_allocate(&made->memory, row_count / LARGE_BOX + 1, sizeof *made->large);
    if (made->memory.failed) {
        lmb_motion_database_destroy(made);
        return NULL;
    }
    *made->header =
        (motion_header){.magic = MAGIC, .version = VERSION, .take_count = take_count, .row_count = row_count};
    made->header->feature_count = LMB_MOTION_FEATURES;
    lmb_motion_write_mirrors(made->header->mirrors);
    made->takes = (motion_take *)(made->header + 1);
    made->moment_of = (uint32_t *)(made->takes + take_count);
    made->tags = made->moment_of + row_count;
    made->numbers = (int16_t(*)[LMB_MOTION_ROW_SIZE])(made->tags + row_count);
    return made;
}

void lmb_motion_database_destroy(lmb_motion_database *database) {
    if (database != NULL) {
        const lmb_host host = database->host;
        lmb_arena_release(&database->memory);
        lmb_host_release(&host, database);
    }
}

static void find_box(const lmb_motion_database *database, uint32_t first, uint32_t rows, motion_box *box) {
    *box = (motion_box){.all = UINT32_MAX};
    for (uint32_t row = first; row < first + rows && row < database->header->found_count; row++) {
        box->any |= database->tags[row];
        box->all &= database->tags[row];
        for (uint32_t i = 0; i < LMB_MOTION_ROW_SIZE; i++) {
            const int16_t number = database->numbers[row][i];
            box->low[i] = row == first || number < box->low[i] ? number : box->low[i];
            box->high[i] = row == first || number > box->high[i] ? number : box->high[i];
        }
    }
}

void lmb_motion_derive(lmb_motion_database *database) {
    const motion_header *header = database->header;
    for (uint32_t row = 0; row < header->row_count; row++) {
        database->row_of[database->moment_of[row]] = row;
    }
    for (uint32_t take = 0; take < header->take_count; take++) {
        for (uint32_t i = 0; i < database->takes[take].count; i++) {
            database->take_of[database->row_of[database->takes[take].first + i]] = take;
        }
    }
    for (uint32_t first = 0; first < header->found_count; first += SMALL_BOX) {
        find_box(database, first, SMALL_BOX, &database->small[first / SMALL_BOX]);
    }
    for (uint32_t first = 0; first < header->found_count; first += LARGE_BOX) {
        find_box(database, first, LARGE_BOX, &database->large[first / LARGE_BOX]);
    }
    database->info = (lmb_motion_database_info){.row_count = header->row_count,
                                                .feature_count = header->feature_count,
                                                .is_mirrored = header->is_mirrored != 0,
                                                .scale = header->scale};
}

// ---- Checks of a block.

static bool refuse(lmb_error *error, const char *why) {
    return lmb_refuse(error, LMB_ERROR_FORMAT, "motion database block: %s", why);
}

static bool require(lmb_error *error, bool holds, const char *why) {
    return holds || refuse(error, why);
}

static bool check_sizes(const motion_header *header, size_t size, lmb_error *error) {
    return require(error, header->magic == MAGIC, "these are other bytes") &&
           require(error, header->version == VERSION, "it has another version") &&
           require(error, header->take_count > 0 && header->take_count <= LMB_MAX_MOTION_TAKES,
                   "it has no takes, or too many") &&
           require(error, header->is_mirrored <= 1, "whether its rows count mirrored is out of range") &&
           require(error, header->row_count <= LMB_MAX_MOTION_ROWS, "it has too many rows") &&
           require(error, size == block_size(header->take_count, header->row_count),
                   "its size is not that of its takes and rows") &&
           require(error, header->found_count <= header->row_count, "more rows can be found than it has");
}

static LMB_NOINLINE bool check_numbers(const motion_header *header, lmb_error *error) {
    bool valid =
        require(error, header->rate >= 1.0f && header->rate <= LMB_MAX_MOTION_RATE, "its rate is out of range");
    valid = valid && require(error, header->scale >= 0.0f && isfinite(header->scale), "its scale is out of range");
    for (int i = 0; valid && i < 3; i++) {
        const bool ascends = header->times[i] > (i > 0 ? header->times[i - 1] : 0.0f);
        valid = require(error, ascends && header->times[i] <= LMB_MAX_MOTION_SECONDS, "a time ahead is out of range");
    }
    for (uint32_t i = 0; valid && i < LMB_MOTION_ROW_SIZE; i++) {
        const bool is_finite = isfinite(header->means[i]) && isfinite(header->factors[i]);
        valid = require(error, is_finite && header->factors[i] >= 0.0, "its normalisation is out of range");
    }
    return valid;
}

// Checks that mirrored rows exchange features as limber/motion_database.h says, and that mirroring twice gives the row.
static bool check_mirrors(const motion_header *header, lmb_error *error) {
    bool valid =
        require(error, header->feature_count >= LMB_MOTION_FEATURES && header->feature_count <= LMB_MOTION_ROW_SIZE,
                "the number of its features is out of range");
    uint32_t usual[LMB_MOTION_ROW_SIZE];
    lmb_motion_write_mirrors(usual);
    valid = valid && require(error, memcmp(header->mirrors, usual, LMB_MOTION_FEATURES * sizeof *usual) == 0,
                             "a feature of mirrored rows is another one");
    for (uint32_t i = 0; valid && i < LMB_MOTION_ROW_SIZE; i++) {
        const uint32_t mirror = header->mirrors[i], from = mirror & MATCH_MIRROR_FROM, end = header->feature_count;
        const uint32_t back = from < LMB_MOTION_ROW_SIZE ? header->mirrors[from] : mirror;
        valid = require(error,
                        (i < end ? from < end : from == i) && back == (i | (mirror & MATCH_MIRROR_NEGATES)) &&
                            (mirror | MATCH_MIRROR_NEGATES) == (from | MATCH_MIRROR_NEGATES),
                        "a feature of mirrored rows is out of range");
    }
    return valid;
}

static bool check_takes(const lmb_motion_database *database, lmb_error *error) {
    uint32_t rows = 0;
    for (uint32_t i = 0; i < database->header->take_count; i++) {
        const motion_take *take = &database->takes[i];
        if (take->first != rows || take->count < 2 || take->count > database->header->row_count - rows ||
            take->loops > 1) {
            return refuse(error, "a take is out of range");
        }
        rows += take->count;
    }
    return require(error, rows == database->header->row_count, "it has rows without a take");
}

static bool check_rows(lmb_motion_database *database, lmb_error *error) {
    const uint32_t count = database->header->row_count;
    for (uint32_t row = 0; row < count; row++) {
        database->row_of[row] = LMB_NONE;
    }
    for (uint32_t row = 0; row < count; row++) {
        const uint32_t moment = database->moment_of[row];
        if (moment >= count || database->row_of[moment] != LMB_NONE) {
            return refuse(error, "two rows are one moment, or one is out of range");
        }
        database->row_of[moment] = row;
        for (uint32_t i = 0; i < LMB_MOTION_ROW_SIZE; i++) {
            const int32_t number = database->numbers[row][i],
                          most = i < database->header->feature_count ? LMB_MAX_MOTION_FEATURE : 0;
            if (number > most || number < -most) {
                return refuse(error, "a number of a row is out of range");
            }
        }
    }
    return true;
}

static bool check(lmb_motion_database *database, lmb_error *error) {
    lmb_environment callers;
    lmb_environment_enter(&callers);
    const bool valid = check_numbers(database->header, error);
    lmb_environment_leave(&callers);
    return valid && check_mirrors(database->header, error) && check_takes(database, error) &&
           check_rows(database, error);
}

lmb_result lmb_motion_database_open(const void *bytes, size_t size, const lmb_host *host,
                                    lmb_motion_database **database, lmb_error *error) {
    lmb_error ignored;
    error = error != NULL ? error : &ignored;
    if (database != NULL) {
        *database = NULL;
    }
    if (bytes == NULL || database == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "motion database block: %s is NULL",
                        bytes == NULL ? "it" : "the result");
    }
    motion_header header;
    if (size < sizeof header) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "motion database block: %zu bytes are too few", size);
    }
    memcpy(&header, bytes, sizeof header);
    if (!check_sizes(&header, size, error)) {
        return error->result;
    }
    lmb_motion_database *made = lmb_motion_allocate(host, header.take_count, header.row_count);
    if (made == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "motion database block: no memory for %zu bytes", size);
    }
    memcpy(made->header, bytes, size);
    if (!check(made, error)) {
        lmb_motion_database_destroy(made);
        return error->result;
    }
    lmb_motion_derive(made);
    *database = made;
    return LMB_OK;
}

const void *lmb_motion_database_block(const lmb_motion_database *database, size_t *size) {
    if (size != NULL) {
        *size = database->size;
    }
    return database->header;
}
