// Random motion matching for a machine that random tests have drawn: a database of arbitrary rows, without clips.
#ifndef LIMBER_TESTS_SUPPORT_RANDOM_MATCHING_H
#define LIMBER_TESTS_SUPPORT_RANDOM_MATCHING_H

#include "random.h"

#include "match/database.h"

#include <limber/control.h>

#include <string.h>

enum { RANDOM_MATCHING_TAKES = 4, RANDOM_MATCHING_ROWS = 400 };

// The takes that a machine's first states play.
typedef struct random_matching_takes {
    uint32_t count;
    float rate;
    uint32_t rows[RANDOM_MATCHING_TAKES];
    bool loops[RANDOM_MATCHING_TAKES];
} random_matching_takes;

static inline void random_matching_header(random_source *source, motion_header *header, float rate) {
    header->rate = rate;
    header->scale = (float)random_between(source, 1.0, 900.0);
    header->found_count = header->row_count - random_below(source, header->row_count);
    for (int i = 0; i < 3; i++) {
        header->times[i] = (float)(i + 1) / 3.0f;
    }
    for (uint32_t i = 0; i < LMB_MOTION_FEATURES; i++) {
        header->means[i] = random_between(source, -1.0, 1.0);
        header->factors[i] = random_between(source, 0.0, 3000.0);
    }
    random_source own = *source; // further draws leave those of the program as they are
    header->feature_count = LMB_MOTION_FEATURES + random_below(&own, 6);
    for (uint32_t i = LMB_MOTION_FEATURES; i < header->feature_count; i++) {
        header->mirrors[i] |= random_below(&own, 2) == 0 ? MATCH_MIRROR_NEGATES : 0;
    }
}

// Numbers are up to `spread`: of small ones many rows cost the same. `mirrored`: rows count mirrored, too. Returns NULL
// if there is no memory.
static inline lmb_motion_database *random_matching_database(random_source *source, const random_matching_takes *takes,
                                                            int32_t spread, bool mirrored) {
    uint32_t rows = 0;
    for (uint32_t i = 0; i < takes->count; i++) {
        rows += takes->rows[i];
    }
    lmb_motion_database *made = lmb_motion_allocate(NULL, takes->count, rows);
    if (made == NULL) {
        return NULL;
    }
    random_matching_header(source, made->header, takes->rate);
    made->header->is_mirrored = mirrored ? 1 : 0;
    uint32_t first = 0;
    for (uint32_t i = 0; i < takes->count; i++) {
        made->takes[i] = (motion_take){first, takes->rows[i], takes->loops[i]};
        first += takes->rows[i];
    }
    for (uint32_t row = 0; row < rows; row++) {
        made->tags[row] = random_below(source, 8);
        for (uint32_t i = 0; i < LMB_MOTION_ROW_SIZE; i++) {
            const int32_t number = (int32_t)random_below(source, 2 * (uint32_t)spread + 1) - spread;
            made->numbers[row][i] = i < made->header->feature_count ? (int16_t)number : 0;
        }
        made->moment_of[row] = row;
        const uint32_t other = random_below(source, row + 1);
        made->moment_of[row] = made->moment_of[other];
        made->moment_of[other] = row;
    }
    lmb_motion_derive(made);
    return made;
}

#endif
