// The search of a motion database: the row with the smallest cost, and of those the first.
//
// A box is left out if its nearest point costs more than the best row so far, or as much and its rows come later. So
// the result is that of looking at all rows, in any order. The nearest large box is looked at first: it has a row that
// is nearly the best.
#include "database.h"

#include "base/float_environment.h"

// Moments that are left out, both ends included.
typedef struct interval {
    uint32_t first, last;
} interval;

typedef struct search {
    const lmb_motion_database *database;
    int16_t query[LMB_MOTION_ROW_SIZE];
    uint32_t required, forbidden;
    interval left_out[2 * (1 + LMB_MAX_MOTION_RECENT)];
    uint32_t left_out_count;
    uint64_t best; // cost and row of the best so far, or UINT64_MAX
} search;

lmb_motion_search_def lmb_default_motion_search_def(void) {
    return (lmb_motion_search_def){.current_row = LMB_NONE, .current_bonus = 1.0f, .window = 0.2f};
}

static uint64_t rank_of(uint32_t cost, uint32_t row) {
    return (uint64_t)cost << 32 | row;
}

// Differences fit 16 bits, so compilers multiply and add pairs of them by one instruction.
static uint32_t cost_of(const int16_t *query, const int16_t *row) {
    int32_t sum = 0;
    for (uint32_t i = 0; i < LMB_MOTION_ROW_SIZE; i++) {
        const int16_t difference = (int16_t)(query[i] - row[i]);
        sum += difference * difference;
    }
    return (uint32_t)sum;
}

// Returns the cost of the point of a box that is nearest to the query.
static uint32_t bound_of(const int16_t *query, const motion_box *box) {
    int32_t sum = 0;
    for (uint32_t i = 0; i < LMB_MOTION_ROW_SIZE; i++) {
        const int16_t above = query[i] > box->low[i] ? query[i] : box->low[i],
                      nearest = above < box->high[i] ? above : box->high[i];
        const int16_t difference = (int16_t)(query[i] - nearest);
        sum += difference * difference;
    }
    return (uint32_t)sum;
}

static bool tags_fit(const search *s, uint32_t any, uint32_t all) {
    return (any & s->required) == s->required && (all & s->forbidden) == 0;
}

static bool is_left_out(const search *s, uint32_t row) {
    const uint32_t moment = s->database->moment_of[row];
    for (uint32_t i = 0; i < s->left_out_count; i++) {
        if (moment >= s->left_out[i].first && moment <= s->left_out[i].last) {
            return true;
        }
    }
    return false;
}

static void look_at_rows(search *s, uint32_t first, uint32_t end) {
    for (uint32_t row = first; row < end; row++) {
        const uint64_t rank = rank_of(cost_of(s->query, s->database->numbers[row]), row);
        if (rank < s->best && tags_fit(s, s->database->tags[row], s->database->tags[row]) && !is_left_out(s, row)) {
            s->best = rank;
        }
    }
}

static void look_at_box(search *s, uint32_t first) {
    const lmb_motion_database *d = s->database;
    const uint32_t end = first + LARGE_BOX < d->header->found_count ? first + LARGE_BOX : d->header->found_count;
    for (uint32_t at = first; at < end; at += SMALL_BOX) {
        const motion_box *box = &d->small[at / SMALL_BOX];
        if (tags_fit(s, box->any, box->all) && rank_of(bound_of(s->query, box), at) < s->best) {
            look_at_rows(s, at, at + SMALL_BOX < end ? at + SMALL_BOX : end);
        }
    }
}

static void leave_out(search *s, uint32_t first, uint32_t last) {
    s->left_out[s->left_out_count++] = (interval){first, last};
}

// Leaves out the moments of a row's take around it, up to `rows` away.
static void leave_out_around(search *s, uint32_t row, uint32_t rows) {
    const motion_take *take = &s->database->takes[s->database->take_of[row]];
    const uint32_t at = s->database->moment_of[row] - take->first, before = at < rows ? at : rows,
                   after = take->count - 1 - at < rows ? take->count - 1 - at : rows;
    const uint32_t first = take->first + at;
    leave_out(s, first - before, first + after);
    const uint32_t wrapped = rows < take->count ? rows : take->count - 1;
    if (take->loops > 0 && wrapped > before) {
        leave_out(s, take->first + take->count - (wrapped - before), take->first + take->count - 1);
    } else if (take->loops > 0 && wrapped > after) {
        leave_out(s, take->first, take->first + (wrapped - after) - 1);
    }
}

static uint32_t rows_in(const lmb_motion_database *database, float seconds) {
    const double rows = (double)seconds * (double)database->header->rate + 0.5;
    return rows >= (double)LMB_MAX_MOTION_ROWS ? LMB_MAX_MOTION_ROWS : rows >= 1.0 ? (uint32_t)rows : 0;
}

static void look_at_current(search *s, const lmb_motion_search_def *def) {
    const lmb_motion_database *d = s->database;
    const uint32_t row = def->current_row;
    if (tags_fit(s, d->tags[row], d->tags[row])) {
        const double bonus = (double)def->current_bonus * (double)d->header->scale * (double)d->header->scale;
        const uint32_t cost = cost_of(s->query, d->numbers[row]), less = bonus >= (double)cost ? cost
                                                                         : bonus >= 1.0        ? (uint32_t)bonus
                                                                                               : 0;
        s->best = rank_of(cost - less, row);
    }
}

static LMB_NOINLINE void begin(search *s, const lmb_motion_search_def *def) {
    for (uint32_t i = 0; i < LMB_MOTION_ROW_SIZE; i++) {
        const int16_t number = def->query[i];
        s->query[i] = number > LMB_MAX_MOTION_FEATURE    ? LMB_MAX_MOTION_FEATURE
                      : number < -LMB_MAX_MOTION_FEATURE ? -LMB_MAX_MOTION_FEATURE
                                                         : number;
    }
    const uint32_t rows = rows_in(s->database, def->window);
    for (uint32_t i = 0; i < def->recent_count && i < LMB_MAX_MOTION_RECENT; i++) {
        if (def->recent_rows[i] < s->database->header->row_count) {
            leave_out_around(s, def->recent_rows[i], rows);
        }
    }
    if (def->current_row < s->database->header->row_count) {
        leave_out_around(s, def->current_row, rows);
        look_at_current(s, def);
    }
}

lmb_motion_match lmb_motion_database_search(const lmb_motion_database *database, const lmb_motion_search_def *def) {
    search s = {
        .database = database, .required = def->required_tags, .forbidden = def->forbidden_tags, .best = UINT64_MAX};
    uint32_t bounds[LMB_MAX_MOTION_ROWS / LARGE_BOX];
    const uint32_t count = (database->header->found_count + LARGE_BOX - 1) / LARGE_BOX;
    uint32_t nearest = 0;
    lmb_environment callers;
    lmb_environment_enter(&callers);
    begin(&s, def);
    lmb_environment_leave(&callers);
    for (uint32_t i = 0; i < count; i++) {
        const bool fits = tags_fit(&s, database->large[i].any, database->large[i].all);
        bounds[i] = fits ? bound_of(s.query, &database->large[i]) : UINT32_MAX;
        nearest = bounds[i] < bounds[nearest] ? i : nearest;
    }
    if (count > 0 && bounds[nearest] < UINT32_MAX) {
        look_at_box(&s, nearest * LARGE_BOX);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i != nearest && bounds[i] < UINT32_MAX && rank_of(bounds[i], i * LARGE_BOX) < s.best) {
            look_at_box(&s, i * LARGE_BOX);
        }
    }
    return s.best == UINT64_MAX ? (lmb_motion_match){LMB_NONE, 0}
                                : (lmb_motion_match){(uint32_t)s.best, (uint32_t)(s.best >> 32)};
}
