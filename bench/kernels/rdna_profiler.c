// Counts instructions, and computes when each could issue.
#include "rdna_profiler.h"

#include <stdlib.h>
#include <string.h>

// Cycles until a result can be used, by what provides it.
static const double latencies[RDNA_CAUSE_COUNT] = {
    [RDNA_FOR_ISSUE] = 1,        [RDNA_FOR_ARITHMETIC] = 4.5,   [RDNA_FOR_LDS] = 29,     [RDNA_FOR_SCALAR] = 38,
    [RDNA_FOR_FIRST_CACHE] = 38, [RDNA_FOR_SECOND_CACHE] = 250, [RDNA_FOR_MEMORY] = 650, [RDNA_FOR_BARRIER] = 20};

// When data is there, and what provides it.
typedef struct arrival {
    double at; // cycle
    rdna_cause cause;
} arrival;

typedef struct timed_wave {
    double now; // cycle
    arrival registers[RDNA_REGISTERS];
    double waits[RDNA_MOST_INTERVALS][RDNA_CAUSE_COUNT];
} timed_wave;

typedef struct loaded_sector {
    uint64_t sector; // or 0
    arrival arrival;
} loaded_sector;

enum { SECTOR_SLOTS = 1 << 15 };

struct rdna_profiler {
    const rdna_dispatch *dispatch;
    uint32_t interval; // of the workgroup
    uint32_t wave_count;
    loaded_sector loaded[SECTOR_SLOTS]; // a hash table of what the workgroup has loaded
    uint32_t loaded_count;
    timed_wave waves[];
};

rdna_profiler *rdna_profiler_create(const rdna_dispatch *dispatch, uint32_t wave_count) {
    rdna_profiler *profiler = calloc(1, sizeof *profiler + wave_count * sizeof *profiler->waves);
    if (profiler != NULL) {
        profiler->dispatch = dispatch;
        profiler->wave_count = wave_count;
    }
    return profiler;
}

void rdna_profiler_destroy(rdna_profiler *profiler) {
    free(profiler);
}

void rdna_profiler_begin(rdna_profiler *profiler) {
    profiler->interval = 0;
    memset(profiler->loaded, 0, sizeof profiler->loaded);
    profiler->loaded_count = 0;
    memset(profiler->waves, 0, profiler->wave_count * sizeof *profiler->waves);
}

// Returns the entry of a sector, which is new if its sector is 0; NULL if the table is full.
static loaded_sector *find_loaded(rdna_profiler *profiler, uint64_t sector) {
    uint64_t slot = (sector * UINT64_C(0x9e3779b97f4a7c15) >> 32) % SECTOR_SLOTS;
    while (profiler->loaded[slot].sector != 0 && profiler->loaded[slot].sector != sector) {
        slot = (slot + 1) % SECTOR_SLOTS;
    }
    const bool is_full = profiler->loaded[slot].sector == 0 && profiler->loaded_count == SECTOR_SLOTS / 2;
    return is_full ? NULL : &profiler->loaded[slot];
}

// Loads a sector. One that another wave has begun to load arrives for both.
static arrival load_sector(rdna_profiler *profiler, uint64_t sector, double now) {
    const arrival first_cache = {now + latencies[RDNA_FOR_FIRST_CACHE], RDNA_FOR_FIRST_CACHE};
    loaded_sector *entry = find_loaded(profiler, sector);
    if (entry == NULL) {
        return first_cache;
    }
    if (entry->sector == 0) {
        const bool is_shared = profiler->dispatch->is_shared(sector * RDNA_SECTOR);
        const rdna_cause cause = is_shared ? RDNA_FOR_SECOND_CACHE : RDNA_FOR_MEMORY;
        *entry = (loaded_sector){sector, {now + latencies[cause], cause}};
        profiler->loaded_count++;
        profiler->dispatch->profile->intervals[profiler->interval].fetched++;
    }
    return entry->arrival.at > first_cache.at ? entry->arrival : first_cache;
}

// The sectors that a half wave accesses.
typedef struct sector_set {
    uint64_t sectors[2 * RDNA_SUBGROUP];
    uint32_t count;
} sector_set;

static void add_sector(sector_set *set, uint64_t sector) {
    for (uint32_t i = set->count; i > 0; i--) { // neighbours are most often the same
        if (set->sectors[i - 1] == sector) {
            return;
        }
    }
    set->sectors[set->count++] = sector;
}

static sector_set find_sectors(const wave *wave, const instruction *in, uint32_t first_lane) {
    sector_set set = {.count = 0};
    const uint32_t end = first_lane + RDNA_SUBGROUP;
    for (uint32_t lane = next_lane(wave, first_lane); lane < end; lane = next_lane(wave, lane + 1)) {
        const uint64_t address = global_address(wave, in, lane);
        add_sector(&set, address / RDNA_SECTOR);
        add_sector(&set, (address + in->words * sizeof(uint32_t) - 1) / RDNA_SECTOR);
    }
    return set;
}

static uint32_t count_bits(uint64_t mask) {
    uint32_t count = 0;
    for (; mask != 0; mask &= mask - 1) {
        count++;
    }
    return count;
}

static void count_instruction(const wave *wave, const instruction *in, rdna_row *row) {
    const uint64_t mask = exec_of(wave);
    for (uint32_t first = 0; first < SIMD_WIDTH; first += RDNA_SUBGROUP) {
        const uint32_t lanes = count_bits(mask >> first & UINT32_MAX);
        row->instructions += lanes > 0;
        row->lanes += lanes;
        if (lanes > 0 && (in->kind == RDNA_LOAD || in->kind == RDNA_STORE)) {
            row->sectors += find_sectors(wave, in, first).count;
        }
    }
}

static void wait_for_operands(timed_wave *timed, uint32_t interval, const instruction *in) {
    arrival last = {timed->now, RDNA_FOR_ISSUE};
    for (uint32_t i = 0; i < in->reads.count; i++) {
        const register_range range = in->reads.ranges[i];
        for (uint32_t k = range.first; k < range.first + range.count && k < RDNA_REGISTERS; k++) {
            last = timed->registers[k].at > last.at ? timed->registers[k] : last;
        }
    }
    timed->waits[interval][last.cause] += last.at - timed->now;
    timed->waits[interval][RDNA_FOR_ISSUE] += latencies[RDNA_FOR_ISSUE];
    timed->now = last.at + latencies[RDNA_FOR_ISSUE];
}

// Returns when the last sector of a load is there.
static arrival load(rdna_profiler *profiler, const wave *wave, const instruction *in, double now) {
    arrival last = {now, RDNA_FOR_FIRST_CACHE};
    for (uint32_t first = 0; first < SIMD_WIDTH; first += RDNA_SUBGROUP) {
        const sector_set set = find_sectors(wave, in, first);
        for (uint32_t i = 0; i < set.count; i++) {
            const arrival sector = load_sector(profiler, set.sectors[i], now);
            last = sector.at > last.at ? sector : last;
        }
    }
    return last;
}

static arrival find_result(rdna_profiler *profiler, const wave *wave, const instruction *in, double now) {
    if (in->kind == RDNA_LOAD) {
        return load(profiler, wave, in, now);
    }
    const rdna_cause cause = in->kind == RDNA_LDS_READ      ? RDNA_FOR_LDS
                             : in->kind == RDNA_SCALAR_LOAD ? RDNA_FOR_SCALAR
                                                            : RDNA_FOR_ARITHMETIC;
    return (arrival){now + latencies[cause], cause};
}

void rdna_profiler_step(rdna_profiler *profiler, uint32_t number, const wave *wave, const instruction *in) {
    timed_wave *timed = &profiler->waves[number];
    if (in->kind == RDNA_HINT) {
        return;
    }
    count_instruction(wave, in, &profiler->dispatch->profile->intervals[profiler->interval].kinds[in->kind]);
    wait_for_operands(timed, profiler->interval, in);
    const arrival result = find_result(profiler, wave, in, timed->now);
    for (uint32_t i = 0; i < in->writes.count; i++) {
        const register_range range = in->writes.ranges[i];
        for (uint32_t k = range.first; k < range.first + range.count && k < RDNA_REGISTERS; k++) {
            timed->registers[k] = result;
        }
    }
}

static double latest_wave(const rdna_profiler *profiler) {
    double latest = 0;
    for (uint32_t i = 0; i < profiler->wave_count; i++) {
        latest = profiler->waves[i].now > latest ? profiler->waves[i].now : latest;
    }
    return latest;
}

// Waves that have ended wait for the others, too: a workgroup keeps its place until then.
static void wait_for_all(rdna_profiler *profiler, double until) {
    for (uint32_t i = 0; i < profiler->wave_count; i++) {
        timed_wave *timed = &profiler->waves[i];
        timed->waits[profiler->interval][RDNA_FOR_BARRIER] += until - timed->now;
        timed->now = until;
    }
}

static void add_workgroup(const rdna_profiler *profiler, rdna_profile *profile) {
    profile->groups++;
    profile->cycles += profiler->waves[0].now;
    for (uint32_t i = 0; i < RDNA_MOST_INTERVALS; i++) {
        for (uint32_t k = 0; k < RDNA_CAUSE_COUNT; k++) {
            double sum = 0;
            for (uint32_t n = 0; n < profiler->wave_count; n++) {
                sum += profiler->waves[n].waits[i][k];
            }
            profile->intervals[i].waits[k] += sum / profiler->wave_count;
        }
    }
}

void rdna_profiler_join(rdna_profiler *profiler, bool is_end) {
    rdna_profile *profile = profiler->dispatch->profile;
    if (profile->interval_count < profiler->interval + 1) {
        profile->interval_count = profiler->interval + 1;
    }
    wait_for_all(profiler, latest_wave(profiler) + (is_end ? 0 : latencies[RDNA_FOR_BARRIER]));
    if (is_end) {
        add_workgroup(profiler, profile);
    } else if (profiler->interval + 1 < RDNA_MOST_INTERVALS) {
        profiler->interval++;
    }
}
