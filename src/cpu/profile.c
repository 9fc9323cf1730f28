// Pose and model stages alternate in a run, for each vector of characters, so a clock between them would cost more than
// they do. Instead, once in LMB_CPU_PROFILE_PERIOD runs, the graphs of a few characters are evaluated again without
// outputs. Their time is the share of the pose; the rest of the run is the model stage.
#include "cpu.h"

#include "control/run.h"

#include <string.h>

// The maximum number of characters from which the stages of a run are estimated.
#define SAMPLE 64u

struct lmb_cpu_profile {
    lmb_host host;
    lmb_clock clock;
    lmb_profile *times;
    uint64_t runs;
    uint64_t control; // nanoseconds of the control, of which the run is still to come
};

lmb_cpu_profile_def lmb_default_cpu_profile_def(void) {
    return (lmb_cpu_profile_def){0};
}

lmb_result lmb_cpu_profile_create(const lmb_cpu_profile_def *def, const lmb_host *host, lmb_cpu_profile **profile,
                                  lmb_error *error) {
    if (profile != NULL) {
        *profile = NULL;
    }
    if (def == NULL || profile == NULL || def->clock.now == NULL || (def->stage_count > 0 && def->stages == NULL)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu profile: %s is NULL",
                        def == NULL              ? "the descriptor"
                        : profile == NULL        ? "the result"
                        : def->clock.now == NULL ? "the clock"
                                                 : "the list of stages");
    }
    if (def->stage_count > LMB_MAX_PROFILE_STAGES - LMB_CPU_STAGE_COUNT) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "cpu profile: %u stages of the host's own, and at most %u are possible",
                        (unsigned)def->stage_count, LMB_MAX_PROFILE_STAGES - LMB_CPU_STAGE_COUNT);
    }
    const char *names[LMB_MAX_PROFILE_STAGES] = {[LMB_CPU_STAGE_RUN] = "run",
                                                 [LMB_CPU_STAGE_CONTROL] = "control",
                                                 [LMB_CPU_STAGE_POSE] = "pose",
                                                 [LMB_CPU_STAGE_MODEL] = "model"};
    for (uint32_t i = 0; i < def->stage_count; i++) {
        names[LMB_CPU_STAGE_COUNT + i] = def->stages[i];
    }
    const lmb_profile_def times = {.stages = names,
                                   .stage_count = LMB_CPU_STAGE_COUNT + def->stage_count,
                                   .window = def->window,
                                   .event_count = def->event_count};
    lmb_host resolved = lmb_host_resolve(host);
    lmb_cpu_profile *created = lmb_host_allocate(&resolved, 1, sizeof *created);
    if (created == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "cpu profile: no memory");
    }
    lmb_result result = lmb_profile_create(&times, &resolved, &created->times, error);
    if (result != LMB_OK) {
        lmb_host_release(&resolved, created);
        return result;
    }
    created->host = resolved;
    created->clock = def->clock;
    *profile = created;
    return LMB_OK;
}

void lmb_cpu_profile_destroy(lmb_cpu_profile *profile) {
    if (profile == NULL) {
        return;
    }
    lmb_host host = profile->host;
    lmb_profile_destroy(profile->times);
    lmb_host_release(&host, profile);
}

lmb_profile *lmb_cpu_profile_times(lmb_cpu_profile *profile) {
    return profile->times;
}

static uint64_t look(const lmb_cpu_profile *profile) {
    return profile->clock.now(profile->clock.user);
}

// Estimates the nanoseconds that the graphs of all characters take, from the first of them. Uses the shorter of two
// times, because the first run may fill a cache.
static double estimate_pose(const lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                            const lmb_characters *characters) {
    lmb_characters sample = *characters;
    sample.count = characters->count < SAMPLE ? characters->count : SAMPLE;
    uint64_t min = UINT64_MAX;
    for (int round = 0; round < 2; round++) {
        uint64_t begin = look(cpu->profile);
        lmb_cpu_evaluate(cpu, batch, inputs, &sample);
        uint64_t taken = look(cpu->profile) - begin;
        min = taken < min ? taken : min;
    }
    return (double)min / sample.count * characters->count;
}

static lmb_result run_control(const lmb_cpu *cpu, const lmb_control_frame *frame, uint32_t first, uint32_t count,
                              lmb_error *error) {
    const uint64_t begin = look(cpu->profile);
    const lmb_result result = lmb_control_run_path(cpu->graph, cpu->path, frame, first, count, error);
    const uint64_t end = look(cpu->profile);
    cpu->profile->control = result == LMB_OK && end >= begin ? end - begin : 0;
    return result;
}

static void run_poses(const lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                      const lmb_batch_outputs *outputs, const lmb_characters *characters) {
    lmb_cpu_profile *profile = cpu->profile;
    bool estimates = profile->runs++ % LMB_CPU_PROFILE_PERIOD == 0;
    double pose = estimates ? estimate_pose(cpu, batch, inputs, characters) : 0.0;
    uint64_t begin = look(profile);
    lmb_cpu_run_characters(cpu, batch, inputs, outputs, characters);
    uint64_t end = look(profile);
    // The estimate came between the control and this run. The event of the control ends where the run begins.
    const uint64_t control = profile->control < begin ? begin - profile->control : 0;
    lmb_profile_add(profile->times, LMB_CPU_STAGE_RUN, control, end);
    if (profile->control > 0) {
        lmb_profile_add(profile->times, LMB_CPU_STAGE_CONTROL, control, begin);
    }
    profile->control = 0;
    if (estimates && end >= begin) {
        uint64_t middle = pose < (double)(end - begin) ? begin + (uint64_t)pose : end;
        lmb_profile_add(profile->times, LMB_CPU_STAGE_POSE, begin, middle);
        lmb_profile_add(profile->times, LMB_CPU_STAGE_MODEL, middle, end);
    }
}

void lmb_cpu_set_profile(lmb_cpu *cpu, lmb_cpu_profile *profile) {
    static const lmb_cpu_profiler profiler = {.control = run_control, .run = run_poses};
    cpu->profile = profile;
    cpu->profiler = &profiler;
}
