// Motion graphs: which steps can reach each other, and the parts into which transitions cut takes.
#include "graph.h"
#include "base/float_environment.h"
#include "cloud.h"
#include "database.h"
#include "rig/rig.h"

#include <math.h>
#include <string.h>

#define MOST_TRIED 64u // transitions of which the one goes that costs least
#define SEARCHED 10.0f // times the threshold: how far takes that are left out are searched

lmb_motion_graph_def lmb_default_motion_graph_def(void) {
    return (lmb_motion_graph_def){.rate = 30.0f, .window = 1.0f / 3.0f, .threshold = 0.1f, .max_jump = 0.2f};
}

// ---- Checks.

static bool require(lmb_error *error, bool holds, const char *why) {
    return holds || lmb_refuse(error, LMB_ERROR_ARGUMENT, "motion graph: %s", why);
}

static bool check_weights(const lmb_motion_graph_def *def, lmb_error *error) {
    bool valid = true, counts = def->joint_weights == NULL;
    for (uint32_t i = 0; def->joint_weights != NULL && i < def->rig->def.joint_count; i++) {
        valid = valid && lmb_motion_in_range(def->joint_weights[i], 0.0f, LMB_MAX_MOTION);
        counts = counts || def->joint_weights[i] > 0.0f;
    }
    for (uint32_t i = 0; def->joint_weights == NULL && i < def->rig->def.joint_count; i++) {
        counts = i == 0 ? !def->rig->def.joints[i].is_extra : counts || !def->rig->def.joints[i].is_extra;
    }
    return require(error, valid, "a joint's weight is below 0, not finite, or too large") &&
           require(error, counts, "no joint counts");
}

static bool check_numbers(const lmb_motion_graph_def *def, lmb_error *error) {
    return require(error, lmb_motion_in_range(def->rate, 1.0f, LMB_MAX_MOTION_RATE),
                   "the rate is not between 1 and 240 moments a second") &&
           require(error, def->window > 0.0f && def->window <= LMB_MAX_MOTION_SECONDS,
                   "the window is not above 0, up to 10 seconds") &&
           require(error, def->threshold > 0.0f && def->threshold <= LMB_MAX_MOTION,
                   "the threshold is not above 0, or too large") &&
           require(error, lmb_motion_in_range(def->max_jump, 0.0f, LMB_MAX_MOTION),
                   "the jump is below 0, or too large") &&
           require(error, def->max_parts != 1, "a graph has at least 2 parts") &&
           require(error, def->map == NULL || (def->map_size > 0 && def->map_size <= LMB_MAX_MOTION_MAP),
                   "the map has no size, or is too large");
}

static bool check(const lmb_motion_graph_def *def, lmb_error *error) {
    bool valid = require(error, def->rig != NULL, "the rig is NULL") &&
                 require(error, def->take_count > 0, "there are no takes") &&
                 lmb_check_list(error, "motion graph", "takes", def->takes, def->take_count, LMB_MAX_MOTION_TAKES) &&
                 check_numbers(def, error) && check_weights(def, error);
    uint32_t moments = 0;
    for (uint32_t i = 0; valid && i < def->take_count; i++) {
        valid = lmb_motion_check_take(error, "motion graph", def->rig, def->takes, i, def->rate);
        moments += valid ? lmb_motion_count_rows(&def->takes[i], def->rate) : 0;
        if (valid && moments > LMB_MAX_MOTION_GRAPH_MOMENTS) {
            valid = lmb_refuse(error, LMB_ERROR_LIMIT, "motion graph: takes 0 to %u have more than %u moments",
                               (unsigned)i, (unsigned)LMB_MAX_MOTION_GRAPH_MOMENTS);
        }
    }
    return valid;
}

// ---- Steps that reach each other.

// Chooses transitions among the minima, and the steps that they keep: a step leads from a moment to the one after it in
// its take, and has the index of the latter. After a transition from one moment to another, the step that follows is
// the one behind the second moment: so what reaches each other are steps.
typedef struct choice {
    const motion_cloud *cloud;
    const motion_minimum *minima;
    uint32_t count; // of the minima that may be transitions
    bool *removed;  // [minimum]
    bool *kept;     // [step]
    uint32_t kept_count;
    uint32_t *next; // [moment]: that follows in its take, or LMB_NONE

    // Of the search of sets, by step: after Tarjan, "Depth-first search and linear graph algorithms" (1972), without
    // recursion.
    uint32_t *first, *edges;                             // [moment + 1], [minimum]: what minima lead to
    uint32_t *order, *low, *at, *open, *path;            // [step]
    bool *is_open;                                       // [step]
    uint32_t open_count, path_count, order_count, start; // `start`: of the steps that are kept, the first
} choice;

static void choice_allocate(choice *c, const motion_cloud *cloud, const motion_minima *minima, lmb_arena *memory) {
    const uint32_t moments = cloud->moment_count;
    *c = (choice){.cloud = cloud, .minima = minima->list};
    c->removed = lmb_arena_allocate(memory, minima->count, sizeof *c->removed);
    c->kept = lmb_arena_allocate(memory, moments, sizeof *c->kept);
    c->next = lmb_arena_allocate(memory, moments, sizeof *c->next);
    c->first = lmb_arena_allocate(memory, (size_t)moments + 2, sizeof *c->first);
    c->edges = lmb_arena_allocate(memory, minima->count, sizeof *c->edges);
    c->order = lmb_arena_allocate(memory, moments, sizeof *c->order);
    c->low = lmb_arena_allocate(memory, moments, sizeof *c->low);
    c->at = lmb_arena_allocate(memory, moments, sizeof *c->at);
    c->open = lmb_arena_allocate(memory, moments, sizeof *c->open);
    c->path = lmb_arena_allocate(memory, moments, sizeof *c->path);
    c->is_open = lmb_arena_allocate(memory, moments, sizeof *c->is_open);
    for (uint32_t take = 0; !memory->failed && take < cloud->take_count; take++) {
        const cloud_take *own = &cloud->takes[take];
        for (uint32_t i = 0; i < own->count; i++) {
            c->next[own->moment + i] = i + 1 < own->count ? own->moment + i + 1 : own->loops ? own->moment : LMB_NONE;
        }
    }
}

// Returns the step that follows a transition, or LMB_NONE.
static uint32_t step_after(const choice *c, uint32_t minimum) {
    return c->next[c->minima[minimum].to];
}

static void sort_edges(choice *c) {
    const uint32_t moments = c->cloud->moment_count;
    memset(c->first, 0, ((size_t)moments + 2) * sizeof *c->first);
    for (uint32_t i = 0; i < c->count; i++) {
        c->first[c->minima[i].from + 2] += c->removed[i] || step_after(c, i) == LMB_NONE ? 0 : 1;
    }
    for (uint32_t i = 2; i < moments + 2; i++) {
        c->first[i] += c->first[i - 1];
    }
    for (uint32_t i = 0; i < c->count; i++) {
        if (!c->removed[i] && step_after(c, i) != LMB_NONE) {
            c->edges[c->first[c->minima[i].from + 1]++] = step_after(c, i);
        }
    }
}

static void enter(choice *c, uint32_t moment) {
    c->order[moment] = c->low[moment] = c->order_count++;
    c->at[moment] = 0;
    c->open[c->open_count++] = moment;
    c->is_open[moment] = true;
    c->path[c->path_count++] = moment;
}

// Returns the successor of a step that the search has not looked at, or LMB_NONE after the last one.
static uint32_t take_successor(choice *c, uint32_t moment) {
    const uint32_t at = c->at[moment]++;
    if (at == 0 && c->next[moment] != LMB_NONE) {
        return c->next[moment];
    }
    const uint32_t edge = c->first[moment] + at - (c->next[moment] != LMB_NONE ? 1 : 0);
    return edge < c->first[moment + 1] ? c->edges[edge] : LMB_NONE;
}

// Closes the set of steps above `moment` on the stack, and keeps it if it is the largest one so far. Of sets of the
// same size the one with the first step is kept. A step alone does not reach itself.
static void close_set(choice *c, uint32_t moment) {
    uint32_t begin = c->open_count, start = LMB_NONE;
    do {
        begin--;
        c->is_open[c->open[begin]] = false;
        start = c->open[begin] < start ? c->open[begin] : start;
    } while (c->open[begin] != moment);
    const uint32_t size = c->open_count - begin;
    if (size > 1 && (size > c->kept_count || (size == c->kept_count && start < c->start))) {
        memset(c->kept, 0, c->cloud->moment_count * sizeof *c->kept);
        for (uint32_t i = begin; i < c->open_count; i++) {
            c->kept[c->open[i]] = true;
        }
        c->kept_count = size;
        c->start = start;
    }
    c->open_count = begin;
}

static void search_from(choice *c, uint32_t root) {
    enter(c, root);
    while (c->path_count > 0) {
        const uint32_t moment = c->path[c->path_count - 1], to = take_successor(c, moment);
        if (to == LMB_NONE) {
            c->path_count--;
            if (c->path_count > 0) {
                uint32_t *low = &c->low[c->path[c->path_count - 1]];
                *low = c->low[moment] < *low ? c->low[moment] : *low;
            }
            if (c->low[moment] == c->order[moment]) {
                close_set(c, moment);
            }
        } else if (c->order[to] == LMB_NONE) {
            enter(c, to);
        } else if (c->is_open[to]) {
            c->low[moment] = c->order[to] < c->low[moment] ? c->order[to] : c->low[moment];
        }
    }
}

static void find_largest(choice *c) {
    const uint32_t moments = c->cloud->moment_count;
    sort_edges(c);
    memset(c->kept, 0, moments * sizeof *c->kept);
    memset(c->order, 0xff, moments * sizeof *c->order);
    c->kept_count = c->order_count = c->open_count = c->path_count = 0;
    c->start = LMB_NONE;
    for (uint32_t i = 0; i < moments; i++) {
        if (c->order[i] == LMB_NONE) {
            search_from(c, i);
        }
    }
}

static bool is_kept(const choice *c, uint32_t step) {
    return step != LMB_NONE && c->kept[step];
}

static bool is_used(const choice *c, uint32_t minimum) {
    return !c->removed[minimum] && c->kept[c->minima[minimum].from] && is_kept(c, step_after(c, minimum));
}

static void choose_first(choice *c, uint32_t count) {
    memset(c->removed, 0, (count > c->count ? count : c->count) * sizeof *c->removed);
    c->count = count;
    find_largest(c);
}

// ---- Parts.

// Marks the moments at which parts begin or end. Returns the number of parts.
static uint32_t cut(const choice *c, bool *cuts) {
    const motion_cloud *cloud = c->cloud;
    uint32_t count = 0;
    memset(cuts, 0, cloud->moment_count * sizeof *cuts);
    for (uint32_t i = 0; i < c->count; i++) {
        if (is_used(c, i)) {
            cuts[c->minima[i].from] = cuts[c->minima[i].to] = true;
        }
    }
    for (uint32_t take = 0; take < cloud->take_count; take++) {
        const cloud_take *own = &cloud->takes[take];
        for (uint32_t i = own->moment; i < own->moment + own->count; i++) {
            const bool follows = is_kept(c, c->next[i]);
            cuts[i] = cuts[i] || c->kept[i] != follows || (i == own->moment && follows);
            count += cuts[i] && follows ? 1 : 0;
        }
    }
    return count;
}

// Removes a minimum if as many steps are kept without it.
static void remove_spare(choice *c, uint32_t minimum) {
    const uint32_t kept = c->kept_count;
    c->removed[minimum] = true;
    find_largest(c);
    if (c->kept_count != kept) {
        c->removed[minimum] = false;
        find_largest(c);
    }
}

// Returns which of the last minima that are used costs the fewest steps, or LMB_NONE.
static uint32_t find_cheapest(choice *c) {
    uint32_t cheapest = LMB_NONE, most = 0, tried = 0;
    for (uint32_t i = c->count; i-- > 0 && tried < MOST_TRIED;) {
        if (is_used(c, i)) {
            tried++;
            c->removed[i] = true;
            find_largest(c);
            cheapest = c->kept_count > most ? i : cheapest;
            most = c->kept_count > most ? c->kept_count : most;
            c->removed[i] = false;
            find_largest(c);
        }
    }
    return cheapest;
}

static bool fits(const choice *c, const lmb_motion_graph_def *def, bool *cuts) {
    uint32_t transitions = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        transitions += is_used(c, i) ? 1 : 0;
    }
    return (def->max_parts == 0 || cut(c, cuts) <= def->max_parts) &&
           (def->max_transitions == 0 || transitions <= def->max_transitions);
}

// Keeps the fewest first minima that keep as many steps, and as many more of them as fit.
static void keep_first(choice *c, const lmb_motion_graph_def *def, bool *cuts) {
    const uint32_t kept = c->kept_count;
    uint32_t low = 0, high = c->count, beyond = c->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        choose_first(c, middle);
        low = c->kept_count < kept ? middle + 1 : low;
        high = c->kept_count < kept ? high : middle;
    }
    choose_first(c, high);
    for (low = high; fits(c, def, cuts) && beyond - low > 1;) {
        const uint32_t middle = low + (beyond - low) / 2;
        choose_first(c, middle);
        const bool more = c->kept_count == kept && fits(c, def, cuts);
        low = more ? middle : low;
        beyond = more ? beyond : middle;
        choose_first(c, low);
    }
}

static void limit(choice *c, const lmb_motion_graph_def *def, bool *cuts) {
    if (fits(c, def, cuts)) {
        return;
    }
    keep_first(c, def, cuts);
    for (uint32_t i = c->count; i-- > 0 && !fits(c, def, cuts);) {
        if (is_used(c, i)) {
            remove_spare(c, i);
        }
    }
    while (!fits(c, def, cuts)) {
        const uint32_t cheapest = find_cheapest(c);
        if (cheapest == LMB_NONE) {
            memset(c->kept, 0, c->cloud->moment_count * sizeof *c->kept);
            c->kept_count = 0;
            return;
        }
        c->removed[cheapest] = true;
        find_largest(c);
    }
}

// Returns the time of a moment as the end of a part.
static float end_time(const motion_cloud *cloud, const lmb_motion_graph_def *def, uint32_t moment, bool is_loops_end) {
    const cloud_take *take = lmb_cloud_take_of(cloud, moment);
    return is_loops_end ? lmb_clip_get_info(def->takes[take - cloud->takes].clip)->duration
                        : lmb_motion_time(def->rate, moment - take->moment);
}

// Fills in parts, and which part begins and ends at a moment: [moment], or LMB_NONE.
static void make_parts(lmb_motion_graph *graph, const choice *c, const lmb_motion_graph_def *def, const bool *cuts,
                       uint32_t *begins, uint32_t *ends) {
    const motion_cloud *cloud = c->cloud;
    uint32_t count = 0;
    memset(begins, 0xff, cloud->moment_count * sizeof *begins);
    memset(ends, 0xff, cloud->moment_count * sizeof *ends);
    for (uint32_t moment = 0; moment < cloud->moment_count; moment++) {
        if (cuts[moment] && is_kept(c, c->next[moment])) {
            uint32_t end = c->next[moment];
            while (!cuts[end]) {
                end = c->next[end];
            }
            const cloud_take *take = lmb_cloud_take_of(cloud, moment);
            lmb_motion_part *part = &graph->parts[count];
            part->take = (uint32_t)(take - cloud->takes);
            part->start = lmb_motion_time(def->rate, moment - take->moment);
            part->end = end_time(cloud, def, end, end <= moment);
            part->next = end; // a moment, until all parts are known
            begins[moment] = count;
            ends[end] = count++;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        graph->parts[i].next = begins[graph->parts[i].next];
    }
}

static void make_transitions(lmb_motion_graph *graph, const choice *c, const uint32_t *begins, const uint32_t *ends) {
    for (uint32_t i = 0; i < c->count; i++) {
        if (is_used(c, i)) {
            graph->parts[ends[c->minima[i].from]].transition_count++;
        }
    }
    for (uint32_t i = 1; i < graph->content.part_count; i++) {
        graph->parts[i].first_transition = graph->parts[i - 1].first_transition + graph->parts[i - 1].transition_count;
    }
    for (uint32_t i = 0; i < graph->content.part_count; i++) {
        graph->parts[i].transition_count = 0;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        const motion_minimum *m = &c->minima[i];
        if (is_used(c, i)) {
            lmb_motion_part *from = &graph->parts[ends[m->from]];
            graph->transitions[from->first_transition + from->transition_count++] =
                (lmb_motion_transition){ends[m->from], begins[m->to], m->distance, m->jump};
        }
    }
}

// ---- Takes.

static uint32_t count_kept(const choice *c, const cloud_take *take) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < take->count; i++) {
        const uint32_t moment = take->moment + i;
        count += c->kept[moment] || is_kept(c, c->next[moment]) ? 1 : 0;
    }
    return count;
}

// Finds how many first minima keep a moment of each take: more than `low`, at most `high`. All takes are looked at for
// each number that is tried.
static void find_joining(lmb_motion_graph *graph, choice *c, uint32_t below, uint32_t count, uint32_t *low,
                         uint32_t *high) {
    const motion_cloud *cloud = c->cloud;
    for (uint32_t i = 0; i < cloud->take_count; i++) {
        low[i] = below;
        high[i] = count + 1;
    }
    for (uint32_t take = 0; take < cloud->take_count; take++) {
        while (graph->takes[take].kept == 0 && high[take] - low[take] > 1) {
            const uint32_t middle = low[take] + (high[take] - low[take]) / 2;
            choose_first(c, middle);
            for (uint32_t i = take; i < cloud->take_count; i++) {
                const bool joins = count_kept(c, &cloud->takes[i]) > 0;
                high[i] = joins && middle > low[i] && middle < high[i] ? middle : high[i];
                low[i] = !joins && middle > low[i] && middle < high[i] ? middle : low[i];
            }
        }
        if (graph->takes[take].kept == 0) {
            graph->takes[take].joining_threshold = high[take] > count ? HUGE_VALF : c->minima[high[take] - 1].distance;
        }
    }
}

// ---- Creation.

typedef struct making {
    const lmb_motion_graph_def *def;
    lmb_motion_graph *graph;
    motion_cloud cloud;
    motion_minima minima;
    choice choice;
    bool *cuts;
    uint32_t *begins, *ends;
    matrix *models;
    lmb_arena scratch;
} making;

static bool allocate_graph(making *m) {
    lmb_motion_graph *graph = m->graph;
    graph->content.part_count = cut(&m->choice, m->cuts);
    for (uint32_t i = 0; i < m->choice.count; i++) {
        graph->content.transition_count += is_used(&m->choice, i) ? 1 : 0;
    }
    graph->parts = lmb_arena_allocate(&graph->memory, graph->content.part_count, sizeof *graph->parts);
    graph->transitions =
        lmb_arena_allocate(&graph->memory, graph->content.transition_count, sizeof *graph->transitions);
    graph->takes = lmb_arena_allocate(&graph->memory, m->cloud.take_count, sizeof *graph->takes);
    graph->durations = lmb_arena_allocate(&graph->memory, m->cloud.take_count, sizeof *graph->durations);
    return !graph->memory.failed;
}

static bool choose_parts(making *m) {
    const motion_cloud *cloud = &m->cloud;
    choice *c = &m->choice;
    uint32_t below = 0;
    while (below < m->minima.count && m->minima.list[below].distance < m->def->threshold) {
        below++;
    }
    m->graph->content.minimum_count = below;
    choose_first(c, below);
    limit(c, m->def, m->cuts);
    if (!allocate_graph(m)) {
        return false;
    }
    make_parts(m->graph, c, m->def, m->cuts, m->begins, m->ends);
    make_transitions(m->graph, c, m->begins, m->ends);
    for (uint32_t i = 0; i < cloud->take_count; i++) {
        m->graph->takes[i] = (lmb_motion_graph_take){cloud->takes[i].count, count_kept(c, &cloud->takes[i]), 0.0f};
        m->graph->durations[i] = lmb_clip_get_info(m->def->takes[i].clip)->duration;
    }
    if (c->kept_count > 0) {
        find_joining(m->graph, c, below, m->minima.count, m->begins, m->ends);
    }
    return true;
}

static LMB_NOINLINE bool make(making *m) {
    const lmb_host *host = &m->graph->host;
    const uint32_t takes = m->def->take_count;
    lmb_cloud_allocate(&m->cloud, m->def, &m->scratch);
    m->models = lmb_arena_allocate(&m->scratch, m->def->rig->def.joint_count, sizeof *m->models);
    if (m->scratch.failed) {
        return false;
    }
    lmb_cloud_fill(&m->cloud, m->def, m->models);
    if (!lmb_cloud_minima(&m->cloud, m->def, m->def->threshold * SEARCHED, host, &m->minima)) {
        return false;
    }
    const uint32_t most = m->cloud.moment_count > takes ? m->cloud.moment_count : takes;
    choice_allocate(&m->choice, &m->cloud, &m->minima, &m->scratch);
    m->cuts = lmb_arena_allocate(&m->scratch, m->cloud.moment_count, sizeof *m->cuts);
    m->begins = lmb_arena_allocate(&m->scratch, most, sizeof *m->begins);
    m->ends = lmb_arena_allocate(&m->scratch, most, sizeof *m->ends);
    return !m->scratch.failed && choose_parts(m);
}

lmb_result lmb_motion_graph_create(const lmb_motion_graph_def *def, const lmb_host *host, lmb_motion_graph **graph,
                                   lmb_error *error) {
    lmb_error ignored;
    error = error != NULL ? error : &ignored;
    if (graph != NULL) {
        *graph = NULL;
    }
    if (def == NULL || graph == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "motion graph: the %s is NULL",
                        def == NULL ? "definition" : "result");
    }
    if (!check(def, error)) {
        return error->result;
    }
    const lmb_host resolved = lmb_host_resolve(host);
    lmb_motion_graph *made = lmb_host_allocate(&resolved, 1, sizeof *made);
    bool success = made != NULL;
    if (success) {
        made->host = resolved;
        made->memory.host = &made->host;
        made->take_count = def->take_count;
        made->rate = def->rate;
        making m = {.def = def, .graph = made, .scratch = {.host = &resolved}};
        lmb_environment callers;
        lmb_environment_enter(&callers);
        success = make(&m);
        lmb_environment_leave(&callers);
        lmb_arena_release(&m.scratch);
        lmb_host_release(&resolved, m.minima.list);
    }
    if (success && made->content.part_count > 0) {
        made->content.parts = made->parts;
        made->content.transitions = made->transitions;
        made->content.takes = made->takes;
        *graph = made;
        return LMB_OK;
    }
    const bool is_empty = success;
    lmb_motion_graph_destroy(made);
    return is_empty ? lmb_fail(error, LMB_ERROR_ARGUMENT,
                               "motion graph: no moment can be reached again: raise the threshold, or mark loops")
                    : lmb_fail(error, LMB_ERROR_MEMORY, "motion graph: no memory");
}

void lmb_motion_graph_destroy(lmb_motion_graph *graph) {
    if (graph != NULL) {
        const lmb_host host = graph->host;
        lmb_arena_release(&graph->memory);
        lmb_host_release(&host, graph);
    }
}

const lmb_motion_graph_content *lmb_motion_graph_get_content(const lmb_motion_graph *graph) {
    return &graph->content;
}
