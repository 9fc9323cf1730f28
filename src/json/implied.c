// Conditions that include or exclude each other: whether a transition applies whenever another one does, and whether
// two requirements of one can never hold at once. Both may be left open: then they are taken to be independent.
#include "graph.h"

#include <math.h>

// The numbers for which a comparison with a constant holds.
typedef struct interval {
    double min, max;
    bool is_min_open, is_max_open;
} interval;

// The requirements of a condition, all of which must hold: the last term of each.
typedef struct requirements {
    const lmb_term *terms;
    uint32_t ends[LMB_MAX_TERMS];
    uint32_t count;
} requirements;

static bool is_joint(const lmb_term *term) {
    return term->kind == LMB_TERM_AND || term->kind == LMB_TERM_OR;
}

// Returns the first term of what ends with a term.
static uint32_t start_of(const lmb_term *terms, uint32_t end) {
    uint32_t missing = 1;
    for (uint32_t i = end + 1; i-- > 0;) {
        missing += is_joint(&terms[i]) ? 1 : 0;
        missing -= is_joint(&terms[i]) ? 0 : 1;
        if (missing == 0) {
            return i;
        }
    }
    return 0;
}

static requirements find_requirements(const lmb_transition_def *def) {
    requirements found = {.terms = def->terms};
    uint32_t open[LMB_MAX_TERMS + 1], open_count = 0;
    if (def->term_count > 0) {
        open[open_count++] = def->term_count - 1;
    }
    while (open_count > 0) {
        const uint32_t end = open[--open_count];
        if (def->terms[end].kind == LMB_TERM_AND) {
            open[open_count++] = start_of(def->terms, end - 1) - 1;
            open[open_count++] = end - 1;
        } else {
            found.ends[found.count++] = end;
        }
    }
    return found;
}

static bool is_same_value(lmb_value a, lmb_value b) {
    const bool is_curved = a.curve != LMB_CURVE_LINEAR;
    return a.kind == b.kind && a.curve == b.curve &&
           (a.kind == LMB_VALUE_CONSTANT ? a.constant == b.constant : a.parameter == b.parameter) &&
           (!is_curved || (a.control[0] == b.control[0] && a.control[1] == b.control[1]));
}

static bool is_same_term(const lmb_term *a, const lmb_term *b) {
    return a->kind == b->kind &&
           (is_joint(a) ||
            (a->operand == b->operand && is_same_value(a->left, b->left) && is_same_value(a->right, b->right) &&
             a->player_node == b->player_node && a->machine_node == b->machine_node && a->event == b->event));
}

static bool is_number(lmb_value value) {
    return value.kind == LMB_VALUE_CONSTANT && value.curve == LMB_CURVE_LINEAR;
}

// Turns a comparison round so that its right side is a number. Returns false if neither side is one.
static bool normalise(lmb_term *term) {
    static const lmb_term_kind flipped[] = {[LMB_TERM_LESS] = LMB_TERM_GREATER,
                                            [LMB_TERM_LESS_EQUAL] = LMB_TERM_GREATER_EQUAL,
                                            [LMB_TERM_GREATER] = LMB_TERM_LESS,
                                            [LMB_TERM_GREATER_EQUAL] = LMB_TERM_LESS_EQUAL,
                                            [LMB_TERM_EQUAL] = LMB_TERM_EQUAL};
    if (!is_joint(term) && term->operand == LMB_OPERAND_VALUE && is_number(term->left)) {
        const lmb_value number = term->left;
        term->left = term->right;
        term->right = number;
        term->kind = flipped[term->kind];
    }
    return !is_joint(term) && is_number(term->right);
}

static interval interval_of(const lmb_term *term) {
    const double at = (double)term->right.constant;
    const lmb_term_kind kind = term->kind;
    const bool is_below = kind == LMB_TERM_LESS || kind == LMB_TERM_LESS_EQUAL;
    const bool is_above = kind == LMB_TERM_GREATER || kind == LMB_TERM_GREATER_EQUAL;
    return (interval){is_below ? -INFINITY : at, is_above ? INFINITY : at, kind == LMB_TERM_GREATER,
                      kind == LMB_TERM_LESS};
}

// Returns whether two terms compare the same thing with numbers, and the numbers for which they hold.
static bool find_intervals(const lmb_term *a, const lmb_term *b, interval intervals[2]) {
    lmb_term x = *a, y = *b;
    if (!normalise(&x) || !normalise(&y)) {
        return false;
    }
    intervals[0] = interval_of(&x);
    intervals[1] = interval_of(&y);
    y.kind = x.kind;
    y.right = x.right;
    return is_same_term(&x, &y);
}

// Returns whether a comparison holds whenever another one does.
static bool follows(const lmb_term *term, const lmb_term *from) {
    interval of[2];
    if (!find_intervals(term, from, of)) {
        return is_same_term(term, from);
    }
    const bool is_min = of[1].min > of[0].min || (of[1].min == of[0].min && (!of[0].is_min_open || of[1].is_min_open));
    const bool is_max = of[1].max < of[0].max || (of[1].max == of[0].max && (!of[0].is_max_open || of[1].is_max_open));
    return is_min && is_max;
}

// Returns whether what ends with a term is one of the requirements, as it stands.
static bool is_required(const lmb_term *terms, uint32_t end, const requirements *of) {
    const uint32_t size = end + 1 - start_of(terms, end);
    bool found = false;
    for (uint32_t i = 0; i < of->count && !found; i++) {
        const uint32_t other = of->ends[i];
        found = other + 1 - start_of(of->terms, other) == size;
        for (uint32_t k = 0; k < size && found; k++) {
            found = is_same_term(&terms[end - k], &of->terms[other - k]);
        }
    }
    return found;
}

// Returns whether a condition holds whenever the requirements do. Evaluates it with what follows from them as true.
static bool holds_with(const lmb_transition_def *def, const requirements *given) {
    bool stack[LMB_MAX_TERMS + 1] = {true};
    uint32_t depth = 0;
    for (uint32_t i = 0; i < def->term_count; i++) {
        const lmb_term *term = &def->terms[i];
        if (is_joint(term)) {
            const bool a = stack[depth - 1], b = stack[depth];
            const bool holds = term->kind == LMB_TERM_AND ? a && b : a || b;
            stack[--depth] = holds || is_required(def->terms, i, given);
            continue;
        }
        bool holds = false;
        for (uint32_t k = 0; k < given->count && !holds; k++) {
            const lmb_term *from = &given->terms[given->ends[k]];
            holds = !is_joint(from) && follows(term, from);
        }
        stack[++depth] = holds;
    }
    return stack[depth];
}

bool lmb_graph_applies_with(const lmb_transition_def *def, const lmb_transition_def *other) {
    const bool fits = (def->event == LMB_NONE || def->event == other->event) && (!def->at_end || other->at_end) &&
                      (def->after < 0.0f || def->after <= other->after);
    const requirements given = find_requirements(other);
    return fits && holds_with(def, &given);
}

lmb_graph_chance lmb_graph_chance_of(const lmb_transition_def *def) {
    const requirements found = find_requirements(def);
    lmb_graph_chance chance = {0.0, 1.0};
    for (uint32_t i = 0; i < found.count; i++) {
        const lmb_term *term = &def->terms[found.ends[i]];
        if (!is_joint(term) && term->operand == LMB_OPERAND_DRAW && is_number(term->right)) {
            const interval of = interval_of(term);
            chance.min = fmax(chance.min, of.min);
            chance.max = fmin(chance.max, of.max);
        }
    }
    return chance;
}

bool lmb_graph_find_exclusion(const lmb_transition_def *def, const lmb_term *pair[2]) {
    const requirements found = find_requirements(def);
    for (uint32_t i = 0; i < found.count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            interval of[2];
            pair[0] = &def->terms[found.ends[i]];
            pair[1] = &def->terms[found.ends[k]];
            if (find_intervals(pair[0], pair[1], of)) {
                const double min = fmax(of[0].min, of[1].min), max = fmin(of[0].max, of[1].max);
                const bool is_open = (of[0].is_min_open && of[0].min == min) ||
                                     (of[1].is_min_open && of[1].min == min) ||
                                     (of[0].is_max_open && of[0].max == max) || (of[1].is_max_open && of[1].max == max);
                if (min > max || (min == max && is_open)) {
                    return true;
                }
            }
        }
    }
    return false;
}
