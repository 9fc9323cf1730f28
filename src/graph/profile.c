// Statistics of stages, and a list of events, without allocations after creation. Both are rings: when one is full, the
// newest entry replaces the oldest. The window of a stage exists twice, in order of time and sorted, so that the median
// is found at once. A new duration moves part of the sorted copy, which is short.
#include "base/host.h"

#include <limber/profile.h>

#include <string.h>

#define DEFAULT_WINDOW 128u
#define DEFAULT_EVENTS 1024u

typedef struct stage_samples {
    char *name;
    uint64_t count, sum, min, max;
    uint64_t *newest; // [window], a ring: sample n is at n modulo the window
    uint64_t *sorted; // the same, ascending
} stage_samples;

struct lmb_profile {
    lmb_host host;
    lmb_arena memory; // of all arrays
    uint32_t stage_count;
    uint32_t window;
    stage_samples *stages;
    uint64_t *durations; // memory of the stages' rings
    char *names;
    lmb_profile_event *events; // [event_capacity], a ring
    uint32_t event_capacity;
    uint32_t event_count;
    uint32_t first_event;
    uint64_t dropped;
};

static lmb_result check_def(const lmb_profile_def *def, lmb_profile **profile, lmb_error *error) {
    if (def == NULL || profile == NULL || def->stages == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "profile: %s is NULL",
                        def == NULL       ? "the descriptor"
                        : profile == NULL ? "the result"
                                          : "the list of stages");
    }
    if (def->stage_count == 0 || def->stage_count > LMB_MAX_PROFILE_STAGES) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "profile: %u stages are not 1 to %u", (unsigned)def->stage_count,
                        LMB_MAX_PROFILE_STAGES);
    }
    for (uint32_t i = 0; i < def->stage_count; i++) {
        if (def->stages[i] == NULL) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "profile: the name of stage %u is NULL", (unsigned)i);
        }
    }
    if (def->window > LMB_MAX_PROFILE_WINDOW) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "profile: a window of %u samples, and at most %u are possible",
                        (unsigned)def->window, LMB_MAX_PROFILE_WINDOW);
    }
    if (def->event_count > LMB_MAX_PROFILE_EVENTS) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "profile: %u events, and at most %u are possible",
                        (unsigned)def->event_count, LMB_MAX_PROFILE_EVENTS);
    }
    return LMB_OK;
}

static size_t name_bytes(const lmb_profile_def *def) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < def->stage_count; i++) {
        bytes += strlen(def->stages[i]) + 1;
    }
    return bytes;
}

static void set_up_stages(lmb_profile *profile, const lmb_profile_def *def) {
    char *name = profile->names;
    for (uint32_t i = 0; i < def->stage_count; i++) {
        stage_samples *stage = &profile->stages[i];
        size_t length = strlen(def->stages[i]) + 1;
        memcpy(name, def->stages[i], length);
        stage->name = name;
        stage->newest = profile->durations + (size_t)i * 2 * profile->window;
        stage->sorted = stage->newest + profile->window;
        name += length;
    }
}

lmb_profile_def lmb_default_profile_def(void) {
    return (lmb_profile_def){0};
}

lmb_result lmb_profile_create(const lmb_profile_def *def, const lmb_host *host, lmb_profile **profile,
                              lmb_error *error) {
    if (profile != NULL) {
        *profile = NULL;
    }
    lmb_result result = check_def(def, profile, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_host resolved = lmb_host_resolve(host);
    lmb_profile *created = lmb_host_allocate(&resolved, 1, sizeof *created);
    if (created == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "profile: no memory");
    }
    created->host = resolved;
    created->stage_count = def->stage_count;
    created->window = def->window != 0 ? def->window : DEFAULT_WINDOW;
    created->event_capacity = def->event_count != 0 ? def->event_count : DEFAULT_EVENTS;
    created->memory.host = &created->host;
    created->stages = lmb_arena_allocate(&created->memory, def->stage_count, sizeof *created->stages);
    created->durations =
        lmb_arena_allocate(&created->memory, (size_t)def->stage_count * 2 * created->window, sizeof(uint64_t));
    created->names = lmb_arena_allocate(&created->memory, name_bytes(def), 1);
    created->events = lmb_arena_allocate(&created->memory, created->event_capacity, sizeof *created->events);
    if (created->memory.failed) {
        lmb_profile_destroy(created);
        return lmb_fail(error, LMB_ERROR_MEMORY, "profile: no memory for %u stages", (unsigned)def->stage_count);
    }
    set_up_stages(created, def);
    *profile = created;
    return LMB_OK;
}

void lmb_profile_destroy(lmb_profile *profile) {
    if (profile == NULL) {
        return;
    }
    lmb_host host = profile->host;
    lmb_arena_release(&profile->memory);
    lmb_host_release(&host, profile);
}

// Returns the index of the first of `count` ascending durations that is not below `duration`.
static uint32_t find_sorted(const uint64_t *sorted, uint32_t count, uint64_t duration) {
    uint32_t low = 0;
    while (count > 0) {
        uint32_t half = count / 2;
        if (sorted[low + half] < duration) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

static uint32_t kept(const lmb_profile *profile, const stage_samples *stage) {
    return stage->count < profile->window ? (uint32_t)stage->count : profile->window;
}

// Adds a duration to the window, and removes the oldest one if the window is full.
static void add_to_window(const lmb_profile *profile, stage_samples *stage, uint64_t duration) {
    uint32_t count = kept(profile, stage);
    uint64_t *slot = &stage->newest[stage->count % profile->window];
    if (count == profile->window) {
        uint32_t gone = find_sorted(stage->sorted, count, *slot);
        count--;
        memmove(stage->sorted + gone, stage->sorted + gone + 1, (count - gone) * sizeof *stage->sorted);
    }
    uint32_t place = find_sorted(stage->sorted, count, duration);
    memmove(stage->sorted + place + 1, stage->sorted + place, (count - place) * sizeof *stage->sorted);
    stage->sorted[place] = duration;
    *slot = duration;
}

static void add_event(lmb_profile *profile, lmb_profile_event event) {
    if (profile->event_count == profile->event_capacity) {
        profile->first_event = (profile->first_event + 1) % profile->event_capacity;
        profile->event_count--;
        profile->dropped++;
    }
    profile->events[((uint64_t)profile->first_event + profile->event_count) % profile->event_capacity] = event;
    profile->event_count++;
}

bool lmb_profile_add(lmb_profile *profile, uint32_t stage, uint64_t begin, uint64_t end) {
    if (stage >= profile->stage_count || end < begin) {
        return false;
    }
    stage_samples *samples = &profile->stages[stage];
    uint64_t duration = end - begin;
    add_to_window(profile, samples, duration);
    samples->min = samples->count == 0 || duration < samples->min ? duration : samples->min;
    samples->max = duration > samples->max ? duration : samples->max;
    samples->sum += duration;
    samples->count++;
    add_event(profile, (lmb_profile_event){stage, begin, end});
    return true;
}

void lmb_profile_clear(lmb_profile *profile) {
    for (uint32_t i = 0; i < profile->stage_count; i++) {
        stage_samples *stage = &profile->stages[i];
        stage->count = stage->sum = stage->min = stage->max = 0;
    }
    profile->event_count = 0;
    profile->first_event = 0;
    profile->dropped = 0;
}

uint32_t lmb_profile_stage_count(const lmb_profile *profile) {
    return profile->stage_count;
}

const char *lmb_profile_stage_name(const lmb_profile *profile, uint32_t stage) {
    return stage < profile->stage_count ? profile->stages[stage].name : "";
}

lmb_profile_totals lmb_profile_total(const lmb_profile *profile, uint32_t stage) {
    if (stage >= profile->stage_count || profile->stages[stage].count == 0) {
        return (lmb_profile_totals){0};
    }
    const stage_samples *samples = &profile->stages[stage];
    return (lmb_profile_totals){.count = samples->count,
                                .sum = samples->sum,
                                .min = samples->min,
                                .max = samples->max,
                                .median = samples->sorted[(kept(profile, samples) - 1) / 2],
                                .newest = samples->newest[(samples->count - 1) % profile->window]};
}

uint32_t lmb_profile_history(const lmb_profile *profile, uint32_t stage, uint64_t *durations, uint32_t count) {
    if (stage >= profile->stage_count) {
        return 0;
    }
    const stage_samples *samples = &profile->stages[stage];
    uint32_t found = kept(profile, samples) < count ? kept(profile, samples) : count;
    for (uint32_t i = 0; i < found; i++) {
        durations[i] = samples->newest[(samples->count - found + i) % profile->window];
    }
    return found;
}

uint32_t lmb_profile_take(lmb_profile *profile, lmb_profile_event *events, uint32_t count) {
    uint32_t taken = profile->event_count < count ? profile->event_count : count;
    for (uint32_t i = 0; i < taken; i++) {
        events[i] = profile->events[((uint64_t)profile->first_event + i) % profile->event_capacity];
    }
    profile->first_event = (uint32_t)(((uint64_t)profile->first_event + taken) % profile->event_capacity);
    profile->event_count -= taken;
    return taken;
}

uint64_t lmb_profile_dropped(const lmb_profile *profile) {
    return profile->dropped;
}

double lmb_profile_floor_share(const lmb_batch_def *batch, double bytes_per_second, double nanoseconds) {
    if (!(bytes_per_second > 0.0) || !(nanoseconds > 0.0) || lmb_batch_check(batch, NULL) != LMB_OK) {
        return 0.0;
    }
    double floats = 0.0;
    for (int stage = 0; stage < LMB_OUTPUT_COUNT; stage++) {
        if (batch->outputs >> stage & 1u) {
            floats += lmb_batch_output_floats(batch, (lmb_output)stage);
        }
    }
    double bytes = floats * sizeof(float) * batch->character_count;
    return bytes / bytes_per_second * 1e9 / nanoseconds;
}
