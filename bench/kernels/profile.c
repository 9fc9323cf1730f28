#include "profile.h"

#include "terminal.h"

// What shaders/character_specialized.comp does between barriers, in this order.
enum { PLACES, POSE, DESCENT, BIND, STORE, PHASE_COUNT };
static const char *const phase_names[PHASE_COUNT] = {"places", "pose", "descent", "bind", "store"};

// Each band of the hierarchy is an interval; all passes of the pose are between them and the places.
static uint32_t phase_of(uint32_t interval, uint32_t count, uint32_t bands) {
    const uint32_t to_end = count - interval;
    return interval == 0 ? PLACES : to_end == 1 ? STORE : to_end == 2 ? BIND : to_end < bands + 3 ? DESCENT : POSE;
}

static void add_interval(rdna_interval *sum, const rdna_interval *interval) {
    for (uint32_t i = 0; i < RDNA_KIND_COUNT; i++) {
        sum->kinds[i].instructions += interval->kinds[i].instructions;
        sum->kinds[i].lanes += interval->kinds[i].lanes;
        sum->kinds[i].sectors += interval->kinds[i].sectors;
    }
    sum->fetched += interval->fetched;
    for (uint32_t i = 0; i < RDNA_CAUSE_COUNT; i++) {
        sum->waits[i] += interval->waits[i];
    }
}

// Returns the active lanes of instructions of lanes, in percent.
static double lanes_in_use(const rdna_interval *sum) {
    uint64_t lanes = 0, instructions = 0;
    for (uint32_t i = 0; i < RDNA_KIND_COUNT; i++) {
        const bool is_scalar = i == RDNA_SCALAR || i == RDNA_SCALAR_LOAD || i == RDNA_BRANCH || i == RDNA_BARRIER;
        lanes += is_scalar ? 0 : sum->kinds[i].lanes;
        instructions += is_scalar ? 0 : sum->kinds[i].instructions;
    }
    return instructions > 0 ? 100.0 * (double)lanes / (double)(instructions * RDNA_SUBGROUP) : 100.0;
}

static void print_row(const profile_subject *subject, const char *phase, const rdna_interval *sum, uint32_t groups) {
    uint64_t instructions = 0;
    double cycles = 0;
    for (uint32_t i = 0; i < RDNA_KIND_COUNT; i++) {
        instructions += sum->kinds[i].instructions;
    }
    for (uint32_t i = 0; i < RDNA_CAUSE_COUNT; i++) {
        cycles += sum->waits[i];
    }
    const double each = (double)RDNA_SUBGROUP / subject->items;
    terminal_print("profile %s %s %s %.1f %.1f", subject->workload, subject->kernel, phase, lanes_in_use(sum),
                   (double)instructions * each);
    for (uint32_t i = 0; i < RDNA_BARRIER; i++) {
        terminal_print(" %.1f", (double)sum->kinds[i].instructions * each);
    }
    terminal_print(" %.2f %.2f %.0f", (double)sum->kinds[RDNA_LOAD].sectors / subject->items,
                   (double)sum->kinds[RDNA_STORE].sectors / subject->items, cycles / groups);
    for (uint32_t i = 0; i < RDNA_CAUSE_COUNT; i++) {
        terminal_print(" %.0f", sum->waits[i] / groups);
    }
    terminal_print(" %.2f\n", (double)sum->fetched / subject->items);
}

void profile_print(const profile_subject *subject, const rdna_profile *profile, bool by_phase) {
    rdna_interval sums[PHASE_COUNT] = {0}, all = {0};
    const uint32_t count = profile->interval_count;
    const bool has_phases = subject->bands > 0 && count >= subject->bands + 4;
    for (uint32_t i = 0; i < count; i++) {
        add_interval(&all, &profile->intervals[i]);
        if (has_phases) {
            add_interval(&sums[phase_of(i, count, subject->bands)], &profile->intervals[i]);
        }
    }
    for (uint32_t i = 0; i < PHASE_COUNT && has_phases && by_phase; i++) {
        print_row(subject, phase_names[i], &sums[i], profile->groups);
    }
    print_row(subject, "all", &all, profile->groups);
}
