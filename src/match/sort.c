// Sorts the rows of a motion database so that neighbours are alike.
//
// Rows that cannot be found come last, and rows with the same tags are together. Within these, a range of rows is split
// where boxes end, along the number that differs most in it, until it is no larger than a box. Equal numbers are in the
// order of the moments, so the result does not depend on how it is sorted.
#include "database.h"

// What moments are sorted by, beside their numbers.
#define BY_TAGS LMB_MOTION_ROW_SIZE

typedef struct sorting {
    const int16_t (*numbers)[LMB_MOTION_ROW_SIZE]; // [moment]
    const uint32_t *tags;                          // [moment]
    const bool *can_be_found;                      // [moment]
    uint32_t feature_count;
    uint32_t *moments; // [row], sorted
} sorting;

static bool is_before(const sorting *s, uint32_t a, uint32_t b, uint32_t by) {
    if (by < LMB_MOTION_ROW_SIZE && s->numbers[a][by] != s->numbers[b][by]) {
        return s->numbers[a][by] < s->numbers[b][by];
    }
    if (by == BY_TAGS && s->can_be_found[a] != s->can_be_found[b]) {
        return s->can_be_found[a];
    }
    return by == BY_TAGS && s->tags[a] != s->tags[b] ? s->tags[a] < s->tags[b] : a < b;
}

// Hoare's partition: returns the end of a first part that is before the rest. Neither is empty.
static uint32_t partition(const sorting *s, uint32_t first, uint32_t end, uint32_t by) {
    const uint32_t pivot = s->moments[first + (end - first - 1) / 2];
    uint32_t low = first, high = end - 1;
    for (;; low++, high--) {
        while (is_before(s, s->moments[low], pivot, by)) {
            low++;
        }
        while (is_before(s, pivot, s->moments[high], by)) {
            high--;
        }
        if (low >= high) {
            return high + 1;
        }
        const uint32_t moved = s->moments[low];
        s->moments[low] = s->moments[high];
        s->moments[high] = moved;
    }
}

// Moves the first moments in the order to the front, up to `middle`.
static void select_first(const sorting *s, uint32_t first, uint32_t end, uint32_t middle, uint32_t by) {
    while (end - first > 1) {
        const uint32_t between = partition(s, first, end, by);
        if (middle < between) {
            end = between;
        } else {
            first = between;
        }
    }
}

static void sort(const sorting *s, uint32_t first, uint32_t end, uint32_t by) {
    while (end - first > 1) {
        const uint32_t between = partition(s, first, end, by);
        // The smaller part first: the calls are at most 17 deep.
        if (between - first < end - between) {
            sort(s, first, between, by);
            first = between;
        } else {
            sort(s, between, end, by);
            end = between;
        }
    }
}

static uint32_t widest_number(const sorting *s, uint32_t first, uint32_t end) {
    int32_t widest = -1;
    uint32_t found = 0;
    for (uint32_t number = 0; number < s->feature_count; number++) {
        int32_t low = INT16_MAX, high = INT16_MIN;
        for (uint32_t i = first; i < end; i++) {
            const int32_t value = s->numbers[s->moments[i]][number];
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        if (high - low > widest) {
            widest = high - low;
            found = number;
        }
    }
    return found;
}

// Returns the multiple of a box's rows that is nearest to the middle of a range, or `first` if none is inside.
static uint32_t find_split(uint32_t first, uint32_t end, uint32_t box) {
    const uint32_t middle = first + (end - first) / 2, nearest = (middle + box / 2) / box * box;
    return nearest > first && nearest < end ? nearest : first;
}

static void split(const sorting *s, uint32_t first, uint32_t end) {
    for (;;) {
        uint32_t at = end - first > LARGE_BOX ? find_split(first, end, LARGE_BOX) : first;
        at = at == first && end - first > 1 ? find_split(first, end, SMALL_BOX) : at;
        if (at == first) {
            sort(s, first, end, LMB_NONE);
            return;
        }
        select_first(s, first, end, at, widest_number(s, first, end));
        split(s, first, at); // halves: at most 17 deep
        first = at;
    }
}

void lmb_motion_sort(lmb_motion_database *database, const int16_t (*numbers)[LMB_MOTION_ROW_SIZE], const uint32_t *tags,
                     const bool *can_be_found) {
    const sorting s = {numbers, tags, can_be_found, database->header->feature_count, database->moment_of};
    const uint32_t count = database->header->row_count;
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        s.moments[i] = i;
        found += can_be_found[i] ? 1 : 0;
    }
    database->header->found_count = found;
    sort(&s, 0, count, BY_TAGS);
    for (uint32_t first = 0, end; first < found; first = end) {
        end = first + 1;
        while (end < found && tags[s.moments[end]] == tags[s.moments[first]]) {
            end++;
        }
        split(&s, first, end);
    }
    for (uint32_t row = 0; row < count; row++) {
        database->tags[row] = tags[s.moments[row]];
        for (uint32_t i = 0; i < LMB_MOTION_ROW_SIZE; i++) {
            database->numbers[row][i] = numbers[s.moments[row]][i];
        }
    }
}
