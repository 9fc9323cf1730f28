// Walks over a motion graph that follow a path on the ground, after Kovar, Gleicher and Pighin, "Motion Graphs" (2002).
//
// A search goes depth first, the part with the lowest cost so far first, and leaves out what costs as much as the best
// walk that it has found: costs never fall. Open walks are on a stack, of which only the ends are kept: what leads to
// the one on top is in `trail`. A walk is made of the first parts of what each search finds.
//
// How far a part moves its character and what it travels do not depend on where it begins, so both are measured once.
// All arithmetic is float64, by operations that are rounded in the same way everywhere.
#include "base/float_environment.h"
#include "clip/clip.h"
#include "graph.h"
#include "take.h"

#include <limber/math.h>
#include <math.h>
#include <string.h>

#define NO_MOMENT 0.05 // of the time between moments: the last one before the end of a part is not nearer to it

struct lmb_motion_walk {
    lmb_host host;
    lmb_arena memory;
    lmb_motion_walk_step *steps;
    lmb_motion_walk_moment *moments; // NULL until all steps are known
    lmb_motion_walk_content content; // its lists are those above
};

lmb_motion_walk_def lmb_default_motion_walk_def(void) {
    return (lmb_motion_walk_def){.first_part = LMB_NONE,
                                 .look_ahead = 2.0f,
                                 .keep = 0.5f,
                                 .settle = 0.25f,
                                 .progress = 0.1f,
                                 .tolerance = 1.0f,
                                 .max_appended = 200000,
                                 .max_steps = 4096};
}

// ---- Checks.

static bool require(lmb_error *error, bool holds, const char *why) {
    return holds || lmb_refuse(error, LMB_ERROR_ARGUMENT, "motion walk: %s", why);
}

static bool is_above_zero(float value, float most) {
    return value > 0.0f && value <= most;
}

static bool check_numbers(const lmb_motion_walk_def *def, lmb_error *error) {
    bool is_somewhere = lmb_motion_in_range(def->yaw, -LMB_MAX_MOTION, LMB_MAX_MOTION);
    for (int i = 0; i < 3; i++) {
        is_somewhere = is_somewhere && lmb_motion_in_range(def->position[i], -LMB_MAX_MOTION, LMB_MAX_MOTION);
    }
    return require(error, is_somewhere, "the position or the yaw is not finite, or too large") &&
           require(error, def->first_part == LMB_NONE || def->first_part < def->graph->content.part_count,
                   "there is no such first part") &&
           require(error, is_above_zero(def->look_ahead, LMB_MAX_MOTION_SECONDS),
                   "the search does not look above 0, up to 10 seconds ahead") &&
           require(error, is_above_zero(def->keep, def->look_ahead),
                   "what is kept of a search is not above 0, or more than it looks ahead") &&
           require(error, lmb_motion_in_range(def->settle, 0.0f, LMB_MAX_MOTION_SECONDS),
                   "the time to settle is not 0 to 10 seconds") &&
           require(error, is_above_zero(def->progress, LMB_MAX_MOTION), "the progress is not above 0, or too large") &&
           require(error, is_above_zero(def->tolerance, LMB_MAX_MOTION),
                   "the tolerance is not above 0, or too large") &&
           require(error, def->max_appended > 0, "a search may append no part") &&
           require(error, def->max_steps > 0 && def->max_steps <= LMB_MAX_MOTION_WALK_STEPS,
                   "a walk has 1 to 65536 steps");
}

static bool check_takes(const lmb_motion_walk_def *def, lmb_error *error) {
    bool valid = require(error, def->takes != NULL, "the takes are NULL") &&
                 require(error, def->take_count == def->graph->take_count, "the graph has another number of takes");
    for (uint32_t i = 0; valid && i < def->take_count; i++) {
        const lmb_motion_take *take = &def->takes[i];
        const char *why = "it has no clip";
        valid = take->clip != NULL;
        if (valid) {
            why = "its clip is not as long as that of the graph";
            valid = lmb_clip_get_info(take->clip)->duration == def->graph->durations[i];
        }
        valid = (valid && lmb_motion_check_root(take, &why)) ||
                lmb_refuse(error, LMB_ERROR_ARGUMENT, "motion walk: take %u: %s", (unsigned)i, why);
    }
    return valid;
}

static bool check_path(const lmb_motion_walk_def *def, lmb_error *error) {
    bool valid =
        require(error, def->point_count >= 2, "a path has at least 2 points") &&
        lmb_check_list(error, "motion walk", "points", def->path, def->point_count, LMB_MAX_MOTION_WALK_POINTS);
    bool has_length = false;
    for (uint32_t i = 0; valid && i < 2 * def->point_count; i++) {
        valid = lmb_motion_in_range(def->path[i], -LMB_MAX_MOTION, LMB_MAX_MOTION) ||
                lmb_refuse(error, LMB_ERROR_ARGUMENT, "motion walk: point %u is not finite, or too large",
                           (unsigned)(i / 2));
        has_length = has_length || (valid && i >= 2 && def->path[i] != def->path[i - 2]);
    }
    return valid && require(error, has_length, "all points of the path are the same");
}

// ---- What does not change during a search.

// A moment of a part: where the character is, seen from the beginning of the part, and what it has travelled since the
// moment before.
typedef struct walk_moment {
    double x, z, advance, time;
} walk_moment;

typedef struct walk_part {
    uint32_t first, count; // moments
    place whole;           // where the end is, seen from the beginning
} walk_part;

// A walk, as far as a search needs it.
typedef struct walk_state {
    place at;
    double travelled, cost;
    uint32_t moments; // since the search began
    uint32_t settled; // moments since the last transition
    uint32_t segment; // of the path
    uint32_t part;    // the last one
    uint32_t depth;   // parts since the search began
} walk_state;

typedef struct walker {
    const lmb_motion_walk_def *def;
    const lmb_motion_graph *graph;
    lmb_motion_walk *walk;
    walk_part *parts;
    walk_moment *moments;
    double *lengths;                // [point]: of the path until there
    uint32_t horizon, kept, settle; // moments

    // Of a search.
    walk_state begin; // `part` is LMB_NONE at the beginning of the walk
    walk_state *open;
    uint32_t *trail, *best; // [depth]: parts
    uint32_t open_count, best_count, appended;
    double best_cost;
    bool is_cut;

    double time, deviation; // of what is kept; the sum over its moments
    lmb_arena scratch;
} walker;

static uint32_t count_moments(const lmb_motion_graph *graph, const lmb_motion_part *part) {
    const double count = ceil(((double)part->end - (double)part->start) * (double)graph->rate - NO_MOMENT);
    return count > 1.0 ? (uint32_t)count : 1;
}

// Returns where a part is after a time, seen from its beginning.
static place place_in_part(const walker *w, const lmb_motion_part *part, double since) {
    const motion_of_take take = lmb_motion_measure(NULL, &w->def->takes[part->take], w->graph->rate);
    const place begin = lmb_place_at(&take, (double)part->start), back = lmb_place_invert(&begin);
    const place there = lmb_place_at(&take, (double)part->start + since);
    return lmb_place_compose(&back, &there);
}

static void measure_part(walker *w, uint32_t index) {
    const lmb_motion_part *part = &w->graph->parts[index];
    walk_part *measured = &w->parts[index];
    walk_moment before = {0};
    for (uint32_t i = 0; i < measured->count; i++) {
        const bool is_last = i + 1 == measured->count;
        const double since = is_last ? (double)part->end - (double)part->start : (i + 1) / (double)w->graph->rate;
        measured->whole = place_in_part(w, part, since);
        walk_moment now = {.x = measured->whole.position[0], .z = measured->whole.position[2], .time = since};
        const double x = now.x - before.x, z = now.z - before.z;
        now.advance = fmax(sqrt(x * x + z * z), (double)w->def->progress * (since - before.time));
        w->moments[measured->first + i] = before = now;
    }
}

static void measure_path(walker *w) {
    for (uint32_t i = 1; i < w->def->point_count; i++) {
        const float *from = w->def->path + (size_t)2 * (i - 1);
        const double x = (double)from[2] - (double)from[0], z = (double)from[3] - (double)from[1];
        w->lengths[i] = w->lengths[i - 1] + sqrt(x * x + z * z);
    }
}

static uint32_t moments_of(const lmb_motion_graph *graph, float seconds, uint32_t lowest) {
    const uint32_t count = (uint32_t)floor((double)seconds * (double)graph->rate + 0.5);
    return count > lowest ? count : lowest;
}

// A walk to the horizon has at most `depth` parts. For each of them those that may follow are open, and at first all.
static bool allocate(walker *w) {
    const lmb_motion_graph *graph = w->graph;
    const lmb_motion_walk_def *def = w->def;
    uint32_t moments = 0, fewest = UINT32_MAX, most = 0;
    w->parts = lmb_arena_allocate(&w->scratch, graph->content.part_count, sizeof *w->parts);
    for (uint32_t i = 0; w->parts != NULL && i < graph->content.part_count; i++) {
        const uint32_t count = count_moments(graph, &graph->parts[i]),
                       successors = 1 + graph->parts[i].transition_count;
        w->parts[i] = (walk_part){.first = moments, .count = count};
        moments += count;
        fewest = count < fewest ? count : fewest;
        most = successors > most ? successors : most;
    }
    w->horizon = moments_of(graph, def->look_ahead, 1);
    w->kept = moments_of(graph, def->keep, 1);
    w->settle = moments_of(graph, def->settle, 0);
    const size_t depth = (size_t)w->horizon / fewest + 2, open = graph->content.part_count + depth * most;
    w->moments = lmb_arena_allocate(&w->scratch, moments, sizeof *w->moments);
    w->lengths = lmb_arena_allocate(&w->scratch, def->point_count, sizeof *w->lengths);
    w->trail = lmb_arena_allocate(&w->scratch, depth, sizeof *w->trail);
    w->best = lmb_arena_allocate(&w->scratch, depth, sizeof *w->best);
    w->open = lmb_arena_allocate(&w->scratch, open < def->max_appended ? open : def->max_appended, sizeof *w->open);
    w->walk->steps = lmb_arena_allocate(&w->walk->memory, def->max_steps, sizeof *w->walk->steps);
    return !w->scratch.failed && !w->walk->memory.failed;
}

// ---- Along a part.

static double path_length(const walker *w) {
    return w->lengths[w->def->point_count - 1];
}

static bool has_arrived(const walker *w, const walk_state *end) {
    return end->travelled >= path_length(w);
}

// Goes on to a moment of a part that begins at `begin`. Returns the square of the distance from the path.
static double go_to_moment(const walker *w, const place *begin, const walk_moment *moment, walk_state *end) {
    const double x = begin->position[0] + (begin->cosine * moment->x + begin->sine * moment->z);
    const double z = begin->position[2] + (begin->cosine * moment->z - begin->sine * moment->x);
    end->at.position[0] = x;
    end->at.position[2] = z;
    end->travelled += moment->advance;
    end->moments++;
    while (end->segment + 2 < w->def->point_count && end->travelled >= w->lengths[end->segment + 1]) {
        end->segment++;
    }
    const double *lengths = w->lengths + end->segment;
    const double length = lengths[1] - lengths[0];
    const double share = length > 0.0 ? fmin((end->travelled - lengths[0]) / length, 1.0) : 1.0;
    const float *from = w->def->path + (size_t)2 * end->segment;
    const double off[2] = {x - ((double)from[0] + ((double)from[2] - (double)from[0]) * share),
                           z - ((double)from[1] + ((double)from[3] - (double)from[1]) * share)};
    return off[0] * off[0] + off[1] * off[1];
}

// Sines of floats are not quite exact, and a walk is long.
static place go_on(const place *begin, const place *whole) {
    place result = lmb_place_compose(begin, whole);
    const double length = sqrt(result.sine * result.sine + result.cosine * result.cosine);
    result.sine /= length;
    result.cosine /= length;
    return result;
}

// ---- A search.

static bool is_complete(const walker *w, const walk_state *end) {
    return end->moments >= w->horizon || has_arrived(w, end);
}

// Returns how many moments after the last transition a walk is that goes on with a part. The first one needs none.
static uint32_t settled_after(const walker *w, const walk_state *from, uint32_t part) {
    const bool is_next = from->part != LMB_NONE && w->graph->parts[from->part].next == part;
    const uint32_t before = from->part == LMB_NONE ? w->settle : is_next ? from->settled : 0;
    return before + w->parts[part].count;
}

// Appends a part. What is behind the horizon costs nothing. Returns false if the walk leaves the tolerance anywhere or
// is not better than the best one.
static bool append(const walker *w, const walk_state *from, uint32_t part, walk_state *end) {
    const walk_part *own = &w->parts[part];
    const double most = (double)w->def->tolerance * (double)w->def->tolerance;
    bool goes_on = true;
    *end = *from;
    end->settled = settled_after(w, from, part);
    end->part = part;
    end->depth++;
    for (uint32_t i = 0; goes_on && i < own->count && !has_arrived(w, end); i++) {
        const double square = go_to_moment(w, &from->at, &w->moments[own->first + i], end);
        end->cost += end->moments <= w->horizon ? square : 0.0;
        goes_on = square <= most && end->cost < w->best_cost;
    }
    end->at = go_on(&from->at, &own->whole);
    return goes_on;
}

static void keep_best(walker *w, const walk_state *end) {
    memcpy(w->best, w->trail, (size_t)(end->depth - 1) * sizeof *w->best);
    w->best[end->depth - 1] = end->part;
    w->best_count = end->depth;
    w->best_cost = end->cost;
}

// Puts a walk on the stack, below those that cost less, and above those that cost the same and were found later. `base`
// is where the walks begin that were found with it.
static void push(walker *w, const walk_state *end, uint32_t base) {
    uint32_t at = w->open_count++;
    for (; at > base && w->open[at - 1].cost <= end->cost; at--) {
        w->open[at] = w->open[at - 1];
    }
    w->open[at] = *end;
}

static void try_part(walker *w, const walk_state *from, uint32_t part, uint32_t base) {
    walk_state end;
    if (w->appended == w->def->max_appended) {
        w->is_cut = true;
        return;
    }
    w->appended++;
    if (append(w, from, part, &end)) {
        if (is_complete(w, &end)) {
            keep_best(w, &end);
        } else {
            push(w, &end, base);
        }
    }
}

static void try_successors(walker *w, const walk_state *from) {
    const uint32_t base = w->open_count;
    if (from->part == LMB_NONE) {
        const bool is_any = w->def->first_part == LMB_NONE;
        const uint32_t first = is_any ? 0 : w->def->first_part;
        for (uint32_t i = first; i < (is_any ? w->graph->content.part_count : first + 1); i++) {
            try_part(w, from, i, base);
        }
        return;
    }
    const lmb_motion_part *part = &w->graph->parts[from->part];
    if (part->next != LMB_NONE) {
        try_part(w, from, part->next, base);
    }
    const bool is_settled = part->next == LMB_NONE || from->settled >= w->settle;
    for (uint32_t i = 0; is_settled && i < part->transition_count; i++) {
        try_part(w, from, w->graph->transitions[part->first_transition + i].to, base);
    }
}

static void search(walker *w) {
    w->open_count = w->best_count = w->appended = 0;
    w->best_cost = HUGE_VAL;
    w->is_cut = false;
    try_successors(w, &w->begin);
    while (w->open_count > 0 && !w->is_cut) {
        const walk_state end = w->open[--w->open_count];
        if (end.cost < w->best_cost) {
            w->trail[end.depth - 1] = end.part;
            try_successors(w, &end);
        }
    }
    w->walk->content.summary.searches++;
    w->walk->content.summary.cut_searches += w->is_cut ? 1 : 0;
    w->walk->content.summary.appended += w->appended;
}

// ---- The walk.

// Writes where a walk is as floats.
static void write_place(const place *at, float position[3], float *yaw) {
    for (int i = 0; i < 3; i++) {
        position[i] = (float)at->position[i];
    }
    *yaw = lmb_arc_tangent((float)at->sine, (float)at->cosine);
}

// Goes through a part until its end or that of the path.
static void keep_part(walker *w, uint32_t part) {
    const walk_part *own = &w->parts[part];
    const place begin = w->begin.at;
    lmb_motion_walk *walk = w->walk;
    lmb_motion_walk_step *step = &walk->steps[walk->content.step_count++];
    double since = 0.0;
    uint32_t i = 0;
    *step = (lmb_motion_walk_step){.part = part, .time = (float)w->time};
    write_place(&begin, step->position, &step->yaw);
    for (; i < own->count && !has_arrived(w, &w->begin); i++) {
        const walk_moment *moment = &w->moments[own->first + i];
        const double deviation = sqrt(go_to_moment(w, &begin, moment, &w->begin));
        since = moment->time;
        w->deviation += deviation;
        walk->content.summary.most_deviation = fmaxf(walk->content.summary.most_deviation, (float)deviation);
        if (walk->moments != NULL) {
            walk->moments[walk->content.moment_count] =
                (lmb_motion_walk_moment){(float)(w->time + since),
                                         {(float)w->begin.at.position[0], (float)w->begin.at.position[2]},
                                         (float)deviation};
        }
        walk->content.moment_count++;
    }
    w->begin.settled = settled_after(w, &w->begin, part);
    w->begin.part = part;
    w->begin.at = go_on(&begin, &own->whole);
    w->time += since;
    if (i < own->count) {
        const place way = place_in_part(w, &w->graph->parts[part], since);
        w->begin.at = go_on(&begin, &way);
    }
}

// Keeps the first parts of what a search has found. Returns whether the walk goes on.
static bool keep_first(walker *w) {
    w->begin.moments = 0;
    for (uint32_t i = 0; i < w->best_count && w->begin.moments < w->kept && !has_arrived(w, &w->begin); i++) {
        if (w->walk->content.step_count == w->def->max_steps) {
            w->walk->content.summary.end = LMB_MOTION_WALK_LIMITED;
            return false;
        }
        keep_part(w, w->best[i]);
    }
    w->begin.moments = 0;
    return !has_arrived(w, &w->begin);
}

static void walk_along(walker *w) {
    for (bool goes_on = true; goes_on;) {
        search(w);
        if (w->best_count == 0) {
            w->walk->content.summary.end = w->is_cut ? LMB_MOTION_WALK_LIMITED : LMB_MOTION_WALK_LOST;
        }
        goes_on = w->best_count > 0 && keep_first(w);
    }
}

static void go_to_begin(walker *w) {
    const lmb_motion_walk_def *def = w->def;
    w->begin = (walk_state){.at = {lmb_sine(def->yaw), lmb_cosine(def->yaw), {0}}, .part = LMB_NONE};
    for (int i = 0; i < 3; i++) {
        w->begin.at.position[i] = (double)def->position[i];
    }
    w->time = w->deviation = 0.0;
}

// Goes through the walk again, now that its moments are counted.
static bool trace(walker *w) {
    lmb_motion_walk *walk = w->walk;
    const uint32_t steps = walk->content.step_count;
    walk->moments = lmb_arena_allocate(&walk->memory, walk->content.moment_count, sizeof *walk->moments);
    walk->content.step_count = walk->content.moment_count = 0;
    go_to_begin(w);
    for (uint32_t i = 0; walk->moments != NULL && i < steps; i++) {
        keep_part(w, walk->steps[i].part);
    }
    return walk->moments != NULL;
}

static LMB_NOINLINE bool make(walker *w) {
    lmb_motion_walk_summary *summary = &w->walk->content.summary;
    if (!allocate(w)) {
        return false;
    }
    for (uint32_t i = 0; i < w->graph->content.part_count; i++) {
        measure_part(w, i);
    }
    measure_path(w);
    go_to_begin(w);
    walk_along(w);
    if (!trace(w)) {
        return false;
    }
    write_place(&w->begin.at, summary->position, &summary->yaw);
    summary->time = (float)w->time;
    summary->travelled = (float)w->begin.travelled;
    summary->path_length = (float)path_length(w);
    summary->mean_deviation =
        w->walk->content.moment_count > 0 ? (float)(w->deviation / w->walk->content.moment_count) : 0.0f;
    return true;
}

lmb_result lmb_motion_walk_create(const lmb_motion_walk_def *def, const lmb_host *host, lmb_motion_walk **walk,
                                  lmb_error *error) {
    lmb_error ignored;
    error = error != NULL ? error : &ignored;
    if (walk != NULL) {
        *walk = NULL;
    }
    if (!require(error, def != NULL, "the definition is NULL") || !require(error, walk != NULL, "the result is NULL") ||
        !require(error, def->graph != NULL, "the graph is NULL") || !check_numbers(def, error) ||
        !check_takes(def, error) || !check_path(def, error)) {
        return error->result;
    }
    const lmb_host resolved = lmb_host_resolve(host);
    lmb_motion_walk *made = lmb_host_allocate(&resolved, 1, sizeof *made);
    bool success = made != NULL;
    if (success) {
        made->host = resolved;
        made->memory.host = &made->host;
        walker w = {.def = def, .graph = def->graph, .walk = made, .scratch = {.host = &resolved}};
        lmb_environment callers;
        lmb_environment_enter(&callers);
        success = make(&w);
        lmb_environment_leave(&callers);
        lmb_arena_release(&w.scratch);
    }
    if (!success) {
        lmb_motion_walk_destroy(made);
        return lmb_fail(error, LMB_ERROR_MEMORY, "motion walk: no memory");
    }
    made->content.steps = made->steps;
    made->content.moments = made->moments;
    *walk = made;
    return LMB_OK;
}

void lmb_motion_walk_destroy(lmb_motion_walk *walk) {
    if (walk != NULL) {
        const lmb_host host = walk->host;
        lmb_arena_release(&walk->memory);
        lmb_host_release(&host, walk);
    }
}

const lmb_motion_walk_content *lmb_motion_walk_get_content(const lmb_motion_walk *walk) {
    return &walk->content;
}
