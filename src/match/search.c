// The search of a motion database: the row with the smallest cost, and of those the first.
//
// A box is left out if its nearest point costs more than the best row so far, or as much and its rows come later. So
// the result is that of looking at all rows, in any order. The nearest large box is looked at first: it has a row that
// is nearly the best. A mirrored row costs as much as the row does for the mirrored query.
#include "math/inline_ops.h"

#include "../../shaders/ops/matching.h"
#include "base/float_environment.h"
#include "database.h"

#include <string.h>

_Static_assert(LMB_MOST_MOTION_RANGES == MOST_LEFT_OUT, "ranges of a search");

typedef struct search {
    const lmb_motion_rows *rows;
    const lmb_motion_question *question;
    int16_t queries[2][LMB_MOTION_ROW_SIZE]; // of rows, and of mirrored rows
    uint64_t best;                           // cost and choice of the best so far, or UINT64_MAX
} search;

lmb_motion_search_def lmb_default_motion_search_def(void) {
    return (lmb_motion_search_def){.current_row = LMB_NONE, .current_bonus = 1.0f, .window = 0.2f};
}

lmb_motion_rows lmb_motion_rows_of(const lmb_motion_database *database) {
    return (lmb_motion_rows){.are_mirrored = database->header->is_mirrored != 0,
                             .mirrors = database->header->mirrors,
                             .row_count = database->header->row_count,
                             .found_count = database->header->found_count,
                             .takes = database->takes,
                             .moment_of = database->moment_of,
                             .take_of = database->take_of,
                             .tags = database->tags,
                             .numbers = (const int16_t(*)[LMB_MOTION_ROW_SIZE])database->numbers,
                             .small = database->small,
                             .large = database->large};
}

void lmb_motion_mirror(const uint32_t mirrors[LMB_MOTION_ROW_SIZE], const int16_t numbers[LMB_MOTION_ROW_SIZE],
                       int16_t mirrored[LMB_MOTION_ROW_SIZE]) {
    for (uint32_t i = 0; i < LMB_MOTION_ROW_SIZE; i++) {
        mirrored[i] = (int16_t)mirrored_number((uint16_t)numbers[mirrors[i] & MATCH_MIRROR_FROM], mirrors[i]);
    }
}

static uint64_t rank_of(uint32_t cost, uint32_t row, uint32_t mirrored) {
    return (uint64_t)cost << 32 | (row + mirrored * MATCH_MIRRORED);
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

static bool fits(const search *s, uint32_t any, uint32_t all) {
    return tags_fit(any, all, s->question->required, s->question->forbidden);
}

static bool is_out(const search *s, uint32_t row) {
    const uint32_t moment = s->rows->moment_of[row];
    for (uint32_t i = 0; i < s->question->left_out_count; i++) {
        if (moment >= s->question->left_out[i].first && moment <= s->question->left_out[i].last) {
            return true;
        }
    }
    return false;
}

static void look_at_rows(search *s, uint32_t mirrored, uint32_t first, uint32_t end) {
    for (uint32_t row = first; row < end; row++) {
        const uint64_t rank = rank_of(cost_of(s->queries[mirrored], s->rows->numbers[row]), row, mirrored);
        if (rank < s->best && fits(s, s->rows->tags[row], s->rows->tags[row]) && !is_out(s, row)) {
            s->best = rank;
        }
    }
}

static void look_at_box(search *s, uint32_t mirrored, uint32_t first) {
    const lmb_motion_rows *rows = s->rows;
    const uint32_t end = first + LARGE_BOX < rows->found_count ? first + LARGE_BOX : rows->found_count;
    for (uint32_t at = first; at < end; at += SMALL_BOX) {
        const motion_box *box = &rows->small[at / SMALL_BOX];
        if (fits(s, box->any, box->all) && rank_of(bound_of(s->queries[mirrored], box), at, mirrored) < s->best) {
            look_at_rows(s, mirrored, at, at + SMALL_BOX < end ? at + SMALL_BOX : end);
        }
    }
}

static void look_at_current(search *s) {
    const uint32_t choice = s->question->current, mirrored = choice >= MATCH_MIRRORED, row = row_of_choice(choice);
    if (choice != LMB_NONE && fits(s, s->rows->tags[row], s->rows->tags[row])) {
        const uint32_t cost = cost_of(s->queries[mirrored], s->rows->numbers[row]), bonus = s->question->bonus;
        s->best = rank_of(bonus < cost ? cost - bonus : 0, row, mirrored);
    }
}

// The rows of large boxes that a search may look at, and the box that is nearest to the query.
typedef struct boxes {
    uint32_t bounds[MOST_MATCH_ROWS / LARGE_BOX]; // of the costs in each; UINT32_MAX: no row fits
    uint32_t nearest;
} boxes;

static void bound_boxes(const search *s, uint32_t mirrored, uint32_t count, boxes *boxes) {
    boxes->nearest = 0;
    for (uint32_t i = 0; i < count; i++) {
        const motion_box *box = &s->rows->large[i];
        boxes->bounds[i] = fits(s, box->any, box->all) ? bound_of(s->queries[mirrored], box) : UINT32_MAX;
        boxes->nearest = boxes->bounds[i] < boxes->bounds[boxes->nearest] ? i : boxes->nearest;
    }
}

static void look_at_boxes(search *s, uint32_t mirrored, uint32_t count, const boxes *boxes) {
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bound = boxes->bounds[i];
        if (i != boxes->nearest && bound < UINT32_MAX && rank_of(bound, i * LARGE_BOX, mirrored) < s->best) {
            look_at_box(s, mirrored, i * LARGE_BOX);
        }
    }
}

uint64_t lmb_motion_find(const lmb_motion_rows *rows, const lmb_motion_question *question) {
    search s = {.rows = rows, .question = question, .best = UINT64_MAX};
    boxes boxes[2];
    const uint32_t count = (rows->found_count + LARGE_BOX - 1) / LARGE_BOX, ways = rows->are_mirrored ? 2 : 1;
    memcpy(s.queries[0], question->query, sizeof s.queries[0]);
    lmb_motion_mirror(rows->mirrors, question->query, s.queries[1]);
    look_at_current(&s);
    for (uint32_t way = 0; way < ways && count > 0; way++) {
        bound_boxes(&s, way, count, &boxes[way]);
        if (boxes[way].bounds[boxes[way].nearest] < UINT32_MAX) {
            look_at_box(&s, way, boxes[way].nearest * LARGE_BOX);
        }
    }
    for (uint32_t way = 0; way < ways && count > 0; way++) {
        look_at_boxes(&s, way, count, &boxes[way]);
    }
    return s.best;
}

uint32_t lmb_motion_rows_in(float rate, float seconds) {
    const double rows = (double)seconds * (double)rate + 0.5;
    return rows >= (double)LMB_MAX_MOTION_ROWS ? LMB_MAX_MOTION_ROWS : rows >= 1.0 ? (uint32_t)rows : 0;
}

uint32_t lmb_motion_cost_of(float scale, float bonus) {
    const double cost = (double)bonus * (double)scale * (double)scale;
    return cost >= 4294967295.0 ? UINT32_MAX : cost >= 1.0 ? (uint32_t)cost : 0;
}

// ---- The search of a host.

static left_out leave_out_row(left_out l, const lmb_motion_database *database, uint32_t row, uint32_t rows) {
    const uint32_t *takes = (const uint32_t *)database->takes;
    return leave_out_around(l, takes, database->take_of[row] * WORDS_OF(TAKE), database->moment_of[row], rows);
}

static LMB_NOINLINE void ask(const lmb_motion_database *database, const lmb_motion_search_def *def,
                             lmb_motion_question *question) {
    const motion_header *header = database->header;
    const uint32_t rows = lmb_motion_rows_in(header->rate, def->window);
    left_out without = {.count = 0};
    for (uint32_t i = 0; i < LMB_MOTION_ROW_SIZE; i++) {
        const int16_t number = def->query[i];
        question->query[i] = number > LMB_MAX_MOTION_FEATURE    ? LMB_MAX_MOTION_FEATURE
                             : number < -LMB_MAX_MOTION_FEATURE ? -LMB_MAX_MOTION_FEATURE
                                                                : number;
    }
    for (uint32_t i = 0; i < def->recent_count && i < LMB_MAX_MOTION_RECENT; i++) {
        if (def->recent_rows[i] < header->row_count) {
            without = leave_out_row(without, database, def->recent_rows[i], rows);
        }
    }
    if (def->current_row < header->row_count) {
        const bool is_mirrored = header->is_mirrored != 0 && def->current_is_mirrored;
        without = leave_out_row(without, database, def->current_row, rows);
        question->current = def->current_row + (is_mirrored ? MATCH_MIRRORED : 0);
    }
    question->bonus = lmb_motion_cost_of(header->scale, def->current_bonus);
    question->left_out_count = without.count;
    for (uint32_t i = 0; i < without.count; i++) {
        question->left_out[i] = (lmb_motion_range){without.first[i], without.last[i]};
    }
}

lmb_motion_match lmb_motion_database_search(const lmb_motion_database *database, const lmb_motion_search_def *def) {
    const lmb_motion_rows rows = lmb_motion_rows_of(database);
    lmb_motion_question question = {
        .required = def->required_tags, .forbidden = def->forbidden_tags, .current = LMB_NONE};
    lmb_environment callers;
    lmb_environment_enter(&callers);
    ask(database, def, &question);
    lmb_environment_leave(&callers);
    const uint64_t best = lmb_motion_find(&rows, &question);
    if (best == UINT64_MAX) {
        return (lmb_motion_match){.row = LMB_NONE};
    }
    const uint32_t choice = (uint32_t)best;
    return (lmb_motion_match){
        .row = row_of_choice(choice), .mirrored = choice >= MATCH_MIRRORED, .cost = (uint32_t)(best >> 32)};
}
