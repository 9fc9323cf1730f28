// Runs the waves of a kernel's workgroups.
#include "rdna_profiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 100 * 1000 * 1000 }; // per workgroup

// The initial registers of a wave in RADV of Mesa 22.3: the address of the push constants, whose high word is implied;
// the first push constants themselves; the number of workgroups in x, y and z; and the index of this workgroup. A
// kernel that reads few push constants has those that it reads, and no address.
enum { FIRST_REGISTER = 2, PUSH_WORDS = 8, AXES = 3 };
#define PUSH_ADDRESS UINT64_C(0xffff800000010000)

static void write_scalar(wave *wave, uint32_t index, uint64_t value, bool wide) {
    wave->sgprs[index] = (uint32_t)value;
    if (wide) {
        wave->sgprs[index + 1] = (uint32_t)(value >> 32);
    }
}

static void run_lanes(workgroup *group, wave *wave, const instruction *in) {
    (void)group;
    const operand *to = &in->operands[0];
    uint32_t across[SIMD_WIDTH]; // read before a lane writes
    for (uint32_t lane = 0; lane < SIMD_WIDTH && in->across != 0; lane++) {
        across[lane] = read_lane(wave, &in->operands[1], lane ^ in->across);
    }
    for (uint32_t lane = next_lane(wave, 0); lane < SIMD_WIDTH; lane = next_lane(wave, lane + 1)) {
        uint32_t sources[3] = {0};
        for (uint32_t i = 1; i < in->operand_count && i <= 3; i++) {
            sources[i - 1] = read_lane(wave, &in->operands[i], lane);
        }
        sources[0] = in->across != 0 ? across[lane] : sources[0];
        uint32_t result = in->lane->run(sources[0], sources[1], sources[2]);
        result = in->factor != 0.0f ? scale_float(result, in->factor) : result;
        const uint32_t written = to->mask << to->shift, before = in->keeps_rest ? wave->vgprs[to->index][lane] : 0;
        wave->vgprs[to->index][lane] = (before & ~written) | (result << to->shift & written);
    }
}

// 64-bit shifts; their first source is the shift count.
static void run_64_bit_lanes(workgroup *group, wave *wave, const instruction *in) {
    (void)group;
    for (uint32_t lane = next_lane(wave, 0); lane < SIMD_WIDTH; lane = next_lane(wave, lane + 1)) {
        const uint64_t value = in->scalar->run(read_lane_64(wave, &in->operands[2], lane),
                                               read_lane(wave, &in->operands[1], lane), 64, false);
        wave->vgprs[in->operands[0].index][lane] = (uint32_t)value;
        wave->vgprs[in->operands[0].index + 1][lane] = (uint32_t)(value >> 32);
    }
}

static void run_compare(workgroup *group, wave *wave, const instruction *in) {
    (void)group;
    const operand *sources = &in->operands[in->to_exec ? 0 : 1];
    uint64_t mask = 0;
    for (uint32_t lane = next_lane(wave, 0); lane < SIMD_WIDTH; lane = next_lane(wave, lane + 1)) {
        const bool holds = compare(in->compare, read_lane(wave, &sources[0], lane), read_lane(wave, &sources[1], lane));
        mask |= (uint64_t)holds << lane;
    }
    write_scalar(wave, in->to_exec ? RDNA_EXEC : in->operands[0].index, mask, true);
}

static void run_select(workgroup *group, wave *wave, const instruction *in) {
    (void)group;
    const uint64_t mask = read_scalar_64(wave, &in->operands[3]);
    for (uint32_t lane = next_lane(wave, 0); lane < SIMD_WIDTH; lane = next_lane(wave, lane + 1)) {
        const operand *source = &in->operands[mask >> lane & 1u ? 2 : 1];
        wave->vgprs[in->operands[0].index][lane] = read_lane(wave, source, lane);
    }
}

// Additions and subtractions with carry out, and with carry in if there is a fifth operand.
static void run_carry(workgroup *group, wave *wave, const instruction *in) {
    (void)group;
    const uint64_t carry_mask = in->operand_count > 4 ? read_scalar_64(wave, &in->operands[4]) : 0;
    uint64_t mask = 0;
    for (uint32_t lane = next_lane(wave, 0); lane < SIMD_WIDTH; lane = next_lane(wave, lane + 1)) {
        const uint64_t result = in->scalar->run(read_lane(wave, &in->operands[2], lane),
                                                read_lane(wave, &in->operands[3], lane), 32, carry_mask >> lane & 1u);
        wave->vgprs[in->operands[0].index][lane] = (uint32_t)result;
        mask |= (result >> 32 & 1u) << lane;
    }
    write_scalar(wave, in->operands[1].index, mask, true);
}

// Reads lane 0 if no lane is active.
static void run_read_first_lane(workgroup *group, wave *wave, const instruction *in) {
    (void)group;
    const uint32_t lane = next_lane(wave, 0) % SIMD_WIDTH;
    write_scalar(wave, in->operands[0].index, read_lane(wave, &in->operands[1], lane), false);
}

// Reading and writing a lane ignore EXEC.
static void run_read_lane(workgroup *group, wave *wave, const instruction *in) {
    (void)group;
    const uint32_t lane = read_scalar(wave, &in->operands[2], 0) % SIMD_WIDTH;
    write_scalar(wave, in->operands[0].index, read_lane(wave, &in->operands[1], lane), false);
}

static void run_write_lane(workgroup *group, wave *wave, const instruction *in) {
    (void)group;
    const uint32_t lane = read_scalar(wave, &in->operands[2], 0) % SIMD_WIDTH;
    wave->vgprs[in->operands[0].index][lane] = read_scalar(wave, &in->operands[1], 0);
}

// Reads from the other half of 32 lanes: from the lane that four bits of a scalar select. RADV does so with all lanes
// active, so what inactive ones give is not emulated.
static void run_permute_across(workgroup *group, wave *wave, const instruction *in) {
    enum { ROW = 16 };
    uint32_t found[SIMD_WIDTH];
    if (exec_of(wave) != UINT64_MAX) {
        group->problem = "a permutation with inactive lanes";
        return;
    }
    for (uint32_t lane = 0; lane < SIMD_WIDTH; lane++) {
        const uint32_t selects = read_scalar(wave, &in->operands[lane % ROW < ROW / 2 ? 2 : 3], 0);
        const uint32_t from = (lane / ROW ^ 1u) * ROW + (selects >> lane % (ROW / 2) * 4 & 15u);
        found[lane] = read_lane(wave, &in->operands[1], from);
    }
    memcpy(wave->vgprs[in->operands[0].index], found, sizeof found);
}

static void run_swap(workgroup *group, wave *wave, const instruction *in) {
    (void)group;
    uint32_t *a = wave->vgprs[in->operands[0].index], *b = wave->vgprs[in->operands[1].index];
    for (uint32_t lane = next_lane(wave, 0); lane < SIMD_WIDTH; lane = next_lane(wave, lane + 1)) {
        const uint32_t swapped = a[lane];
        a[lane] = b[lane];
        b[lane] = swapped;
    }
}

static uint64_t read_typed(const wave *wave, const instruction *in, uint32_t index) {
    if (index >= in->operand_count) {
        return 0;
    }
    const uint32_t value = read_scalar(wave, &in->operands[index], 0);
    return in->bits == 64  ? read_scalar_64(wave, &in->operands[index])
           : in->is_signed ? (uint64_t)(int64_t)(int32_t)value
                           : value;
}

static void run_scalar(workgroup *group, wave *wave, const instruction *in) {
    (void)group;
    const scalar_operation *operation = in->scalar;
    const uint32_t first = operation->scc == SCC_RESULT ? 0 : 1;
    const uint64_t a = read_typed(wave, in, first), b = read_typed(wave, in, first + 1);
    const uint64_t result = operation->run(a, b, in->bits, wave->scc);
    if (operation->scc != SCC_RESULT) {
        // Operations that count or find bits have a 32-bit result.
        write_scalar(wave, in->operands[0].index, result, in->bits == 64 && strstr(operation->name, "_i32") == NULL);
    }
    wave->scc = operation->scc == SCC_KEPT    ? wave->scc
                : operation->scc == SCC_FIRST ? result == a
                : operation->scc != SCC_CARRY ? result != 0
                : in->is_signed               ? (int64_t)result != (int32_t)result
                                              : result >> 32 & 1u;
}

static void run_save_exec(workgroup *group, wave *wave, const instruction *in) {
    (void)group;
    const uint64_t before = exec_of(wave);
    const uint64_t after = in->scalar->run(read_scalar_64(wave, &in->operands[1]), before, 64, false);
    write_scalar(wave, in->operands[0].index, before, true);
    write_scalar(wave, RDNA_EXEC, after, true);
    wave->scc = after != 0;
}

static void branch_where(wave *wave, const instruction *in, bool taken) {
    if (taken) {
        wave->at = in->target;
    }
}

static void run_branch(workgroup *group, wave *wave, const instruction *in) {
    (void)group;
    branch_where(wave, in, true);
}

static void run_branch_scc0(workgroup *group, wave *wave, const instruction *in) {
    (void)group;
    branch_where(wave, in, !wave->scc);
}

static void run_branch_scc1(workgroup *group, wave *wave, const instruction *in) {
    (void)group;
    branch_where(wave, in, wave->scc);
}

static void run_branch_execz(workgroup *group, wave *wave, const instruction *in) {
    (void)group;
    branch_where(wave, in, exec_of(wave) == 0);
}

static void run_branch_execnz(workgroup *group, wave *wave, const instruction *in) {
    (void)group;
    branch_where(wave, in, exec_of(wave) != 0);
}

static void run_branch_vccz(workgroup *group, wave *wave, const instruction *in) {
    (void)group;
    branch_where(wave, in, (wave->sgprs[RDNA_VCC] | wave->sgprs[RDNA_VCC + 1]) == 0);
}

static void run_branch_vccnz(workgroup *group, wave *wave, const instruction *in) {
    (void)group;
    branch_where(wave, in, (wave->sgprs[RDNA_VCC] | wave->sgprs[RDNA_VCC + 1]) != 0);
}

static void run_nothing(workgroup *group, wave *wave, const instruction *in) {
    (void)group, (void)wave, (void)in;
}

static void run_barrier(workgroup *group, wave *wave, const instruction *in) {
    (void)group, (void)in;
    wave->waits = true;
}

static void run_end(workgroup *group, wave *wave, const instruction *in) {
    (void)group, (void)in;
    wave->done = true;
}

static const void *find_push(const workgroup *group, uint64_t address, uint32_t bytes) {
    const bool inside = address >= PUSH_ADDRESS && address + bytes <= PUSH_ADDRESS + RDNA_PUSH_BYTES;
    return inside ? group->dispatch->push + (address - PUSH_ADDRESS) : NULL;
}

static void run_scalar_load(workgroup *group, wave *wave, const instruction *in) {
    const uint64_t address = read_scalar_64(wave, &in->operands[1]) + read_scalar(wave, &in->operands[2], 0) +
                             (uint64_t)(int64_t)in->offsets[0];
    const uint32_t bytes = in->words * (uint32_t)sizeof(uint32_t);
    const void *push = find_push(group, address, bytes);
    const void *from = push != NULL ? push : group->dispatch->memory(address, bytes);
    if (from == NULL) {
        group->problem = "a scalar load from outside of all memory";
        return;
    }
    memcpy(&wave->sgprs[in->operands[0].index], from, bytes);
}

// Returns the location of a lane's access to global memory; NULL with a problem.
static unsigned char *find_global(workgroup *group, const wave *wave, const instruction *in, uint32_t lane) {
    unsigned char *found =
        group->dispatch->memory(global_address(wave, in, lane), in->words * (uint32_t)sizeof(uint32_t));
    if (found == NULL) {
        group->problem = "an access outside of all memory";
    }
    return found;
}

static void load_words(wave *wave, uint32_t index, uint32_t lane, uint32_t count, const unsigned char *from) {
    for (uint32_t i = 0; i < count; i++) {
        memcpy(&wave->vgprs[index + i][lane], from + i * sizeof(uint32_t), sizeof(uint32_t));
    }
}

static void store_words(const wave *wave, uint32_t index, uint32_t lane, uint32_t count, unsigned char *to) {
    for (uint32_t i = 0; i < count; i++) {
        memcpy(to + i * sizeof(uint32_t), &wave->vgprs[index + i][lane], sizeof(uint32_t));
    }
}

static void run_load(workgroup *group, wave *wave, const instruction *in) {
    group->counts->loads++;
    for (uint32_t lane = next_lane(wave, 0); lane < SIMD_WIDTH && group->problem == NULL;
         lane = next_lane(wave, lane + 1)) {
        const unsigned char *from = find_global(group, wave, in, lane);
        if (from != NULL) {
            load_words(wave, in->operands[0].index, lane, in->words, from);
        }
    }
}

static void run_store(workgroup *group, wave *wave, const instruction *in) {
    for (uint32_t lane = next_lane(wave, 0); lane < SIMD_WIDTH && group->problem == NULL;
         lane = next_lane(wave, lane + 1)) {
        unsigned char *to = find_global(group, wave, in, lane);
        if (to != NULL) {
            store_words(wave, in->operands[1].index, lane, in->words, to);
        }
    }
}

static void apply_lane(unsigned char *to, const instruction *in, uint32_t operand) {
    uint32_t value;
    memcpy(&value, to, sizeof value);
    value = in->lane->run(value, operand, 0);
    memcpy(to, &value, sizeof value);
}

static void run_atomic(workgroup *group, wave *wave, const instruction *in) {
    for (uint32_t lane = next_lane(wave, 0); lane < SIMD_WIDTH && group->problem == NULL;
         lane = next_lane(wave, lane + 1)) {
        unsigned char *to = find_global(group, wave, in, lane);
        if (to != NULL) {
            apply_lane(to, in, read_lane(wave, &in->operands[1], lane));
        }
    }
}

// Returns the location of an access to LDS; NULL with a problem.
static unsigned char *find_lds(workgroup *group, uint32_t address, int32_t offset, uint32_t words) {
    const uint64_t at = (uint64_t)address + (uint32_t)offset;
    if (at + words * sizeof(uint32_t) > group->dispatch->lds_bytes) {
        group->problem = "an access outside of LDS";
        return NULL;
    }
    return group->lds + at;
}

static void run_lds_read(workgroup *group, wave *wave, const instruction *in) {
    for (uint32_t lane = next_lane(wave, 0); lane < SIMD_WIDTH; lane = next_lane(wave, lane + 1)) {
        const unsigned char *from = find_lds(group, read_lane(wave, &in->operands[1], lane), in->offsets[0], in->words);
        if (from != NULL) {
            load_words(wave, in->operands[0].index, lane, in->words, from);
        }
    }
}

static void run_lds_write(workgroup *group, wave *wave, const instruction *in) {
    for (uint32_t lane = next_lane(wave, 0); lane < SIMD_WIDTH; lane = next_lane(wave, lane + 1)) {
        unsigned char *to = find_lds(group, read_lane(wave, &in->operands[0], lane), in->offsets[0], in->words);
        if (to != NULL) {
            store_words(wave, in->operands[1].index, lane, in->words, to);
        }
    }
}

// Accesses two locations, whose offsets are in units of values.
static void run_lds_read_two(workgroup *group, wave *wave, const instruction *in) {
    const int32_t size = (int32_t)(in->words * sizeof(uint32_t));
    for (uint32_t lane = next_lane(wave, 0); lane < SIMD_WIDTH; lane = next_lane(wave, lane + 1)) {
        const uint32_t address = read_lane(wave, &in->operands[1], lane); // read first, because the first value may
                                                                          // overwrite it
        for (uint32_t i = 0; i < 2; i++) {
            const unsigned char *from = find_lds(group, address, in->offsets[i] * size, in->words);
            if (from != NULL) {
                load_words(wave, in->operands[0].index + i * in->words, lane, in->words, from);
            }
        }
    }
}

static void run_lds_write_two(workgroup *group, wave *wave, const instruction *in) {
    const int32_t size = (int32_t)(in->words * sizeof(uint32_t));
    for (uint32_t lane = next_lane(wave, 0); lane < SIMD_WIDTH; lane = next_lane(wave, lane + 1)) {
        for (uint32_t i = 0; i < 2; i++) {
            unsigned char *to =
                find_lds(group, read_lane(wave, &in->operands[0], lane), in->offsets[i] * size, in->words);
            if (to != NULL) {
                store_words(wave, in->operands[1 + i].index, lane, in->words, to);
            }
        }
    }
}

static void run_lds_atomic(workgroup *group, wave *wave, const instruction *in) {
    for (uint32_t lane = next_lane(wave, 0); lane < SIMD_WIDTH; lane = next_lane(wave, lane + 1)) {
        unsigned char *to = find_lds(group, read_lane(wave, &in->operands[0], lane), in->offsets[0], 1);
        if (to != NULL) {
            apply_lane(to, in, read_lane(wave, &in->operands[1], lane));
        }
    }
}

// Instructions that are not just an operation of rdna_operations.h.
static const struct {
    const char *name;
    rdna_step step;
    uint32_t words;
    const char *lane;
} steps[] = {
    {"s_waitcnt", run_nothing, 0, NULL},
    {"s_waitcnt_vscnt", run_nothing, 0, NULL},
    {"s_clause", run_nothing, 0, NULL},
    {"s_nop", run_nothing, 0, NULL},
    {"s_inst_prefetch", run_nothing, 0, NULL},
    {"s_code_end", run_nothing, 0, NULL},
    {"s_endpgm", run_end, 0, NULL},
    {"s_barrier", run_barrier, 0, NULL},
    {"s_branch", run_branch, 0, NULL},
    {"s_cbranch_scc0", run_branch_scc0, 0, NULL},
    {"s_cbranch_scc1", run_branch_scc1, 0, NULL},
    {"s_cbranch_execz", run_branch_execz, 0, NULL},
    {"s_cbranch_execnz", run_branch_execnz, 0, NULL},
    {"s_cbranch_vccz", run_branch_vccz, 0, NULL},
    {"s_cbranch_vccnz", run_branch_vccnz, 0, NULL},
    {"v_cndmask_b32", run_select, 0, NULL},
    {"v_readfirstlane_b32", run_read_first_lane, 0, NULL},
    {"v_readlane_b32", run_read_lane, 0, NULL},
    {"v_writelane_b32", run_write_lane, 0, NULL},
    {"v_permlanex16_b32", run_permute_across, 0, NULL},
    {"v_swap_b32", run_swap, 0, NULL},
    {"s_load_dword", run_scalar_load, 1, NULL},
    {"s_load_dwordx2", run_scalar_load, 2, NULL},
    {"s_load_dwordx4", run_scalar_load, 4, NULL},
    {"s_load_dwordx8", run_scalar_load, 8, NULL},
    {"global_load_dword", run_load, 1, NULL},
    {"global_load_dwordx2", run_load, 2, NULL},
    {"global_load_dwordx3", run_load, 3, NULL},
    {"global_load_dwordx4", run_load, 4, NULL},
    {"global_store_dword", run_store, 1, NULL},
    {"global_store_dwordx2", run_store, 2, NULL},
    {"global_store_dwordx3", run_store, 3, NULL},
    {"global_store_dwordx4", run_store, 4, NULL},
    {"global_atomic_add", run_atomic, 1, "v_add_nc_u32"},
    {"ds_read_b32", run_lds_read, 1, NULL},
    {"ds_read_b64", run_lds_read, 2, NULL},
    {"ds_read_b96", run_lds_read, 3, NULL},
    {"ds_read_b128", run_lds_read, 4, NULL},
    {"ds_write_b32", run_lds_write, 1, NULL},
    {"ds_write_b64", run_lds_write, 2, NULL},
    {"ds_write_b96", run_lds_write, 3, NULL},
    {"ds_write_b128", run_lds_write, 4, NULL},
    {"ds_read2_b32", run_lds_read_two, 1, NULL},
    {"ds_read2_b64", run_lds_read_two, 2, NULL},
    {"ds_write2_b32", run_lds_write_two, 1, NULL},
    {"ds_write2_b64", run_lds_write_two, 2, NULL},
    {"ds_read2st64_b32", run_lds_read_two, 1, NULL},
    {"ds_write2st64_b32", run_lds_write_two, 1, NULL},
    {"ds_or_b32", run_lds_atomic, 1, "v_or_b32"},
    {"ds_min_u32", run_lds_atomic, 1, "v_min_u32"},
    {"ds_max_u32", run_lds_atomic, 1, "v_max_u32"},
};

// Finds an instruction such as "s_and_b64": an operation and its type.
static bool find_typed(const char *name, instruction *in) {
    const char *type = strrchr(name, '_');
    if (type == NULL || strlen(type) < 4 || strstr("16 32 64", type + 2) == NULL) {
        return false;
    }
    in->is_signed = type[1] == 'i';
    in->bits = type[2] == '6' ? 64 : 32;
    in->scalar = find_scalar_operation(name, (uint32_t)(type - name));
    in->step = name[0] == 's' ? run_scalar : in->bits == 64 ? run_64_bit_lanes : run_carry;
    return in->scalar != NULL;
}

static bool find_save_exec(const char *name, instruction *in) {
    const char *suffix = strstr(name, "_saveexec_b64");
    in->scalar = suffix != NULL ? find_scalar_operation(name, (uint32_t)(suffix - name)) : NULL;
    in->step = run_save_exec;
    return in->scalar != NULL;
}

static bool find_compare_step(const char *name, instruction *in) {
    in->to_exec = strncmp(name, "v_cmpx_", 7) == 0;
    in->step = run_compare;
    return (in->to_exec || strncmp(name, "v_cmp_", 6) == 0) && find_compare(name + (in->to_exec ? 7 : 6), &in->compare);
}

bool rdna_find_step(const char *name, instruction *in) {
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (strcmp(name, steps[i].name) == 0) {
            in->step = steps[i].step;
            in->words = steps[i].words;
            in->lane = steps[i].lane != NULL ? find_lane_operation(steps[i].lane) : NULL;
            in->cycles = name[0] == 'v';
            return true;
        }
    }
    in->lane = find_lane_operation(name);
    if (in->lane != NULL) {
        in->step = run_lanes;
        in->cycles = in->lane->cycles;
        return true;
    }
    const bool found = find_compare_step(name, in) || find_save_exec(name, in) || find_typed(name, in);
    in->cycles = name[0] != 'v' ? 0 : in->step == run_64_bit_lanes ? 2 : 1;
    return found;
}

static void start_wave(const workgroup *group, uint32_t number, const uint32_t index[2]) {
    const rdna_dispatch *dispatch = group->dispatch;
    wave *wave = &group->waves[number];
    const uint32_t left = dispatch->invocations - number * SIMD_WIDTH;
    memset(wave, 0, sizeof *wave);
    for (uint32_t lane = 0; lane < SIMD_WIDTH; lane++) {
        wave->vgprs[0][lane] = number * SIMD_WIDTH + lane;
    }
    write_scalar(wave, RDNA_EXEC, left >= SIMD_WIDTH ? UINT64_MAX : (UINT64_C(1) << left) - 1u, true);
    const bool has_pointer = dispatch->push_words == 0;
    const uint32_t words = has_pointer ? PUSH_WORDS : dispatch->push_words;
    uint32_t *at = &wave->sgprs[FIRST_REGISTER];
    if (has_pointer) {
        *at++ = (uint32_t)PUSH_ADDRESS;
    }
    memcpy(at, dispatch->push, words * sizeof *at);
    at += words;
    for (uint32_t axis = 0; axis < AXES; axis++) {
        at[axis] = axis < 2 ? dispatch->groups[axis] : 1;
        at[AXES + axis] = axis < 2 ? index[axis] : 0;
    }
}

// Runs a wave until a barrier, the end, or a problem. Returns the line of the last instruction, at which a problem
// occurred.
static uint32_t run_wave(workgroup *group, wave *wave, uint32_t *steps_left) {
    const instruction *in = NULL;
    wave->waits = false;
    while (!wave->waits && !wave->done && group->problem == NULL) {
        if (wave->at >= group->kernel->count || *steps_left == 0) {
            group->problem = "the kernel does not end";
            break;
        }
        in = &group->kernel->instructions[wave->at++];
        --*steps_left;
        group->counts->valu += in->cycles > 0;
        group->counts->cycles += 2u * in->cycles; // for both halves of the wave
        if (group->profiler != NULL) {
            rdna_profiler_step(group->profiler, (uint32_t)(wave - group->waves), wave, in);
        }
        in->step(group, wave, in);
    }
    return in != NULL ? in->line : 0;
}

// Runs all waves in turns, from barrier to barrier.
static lmb_result run_group(workgroup *group, const uint32_t index[2], lmb_error *error) {
    uint32_t steps_left = MOST_STEPS, running = group->wave_count;
    memset(group->lds, 0xcd, group->dispatch->lds_bytes);
    for (uint32_t i = 0; i < group->wave_count; i++) {
        start_wave(group, i, index);
    }
    if (group->profiler != NULL) {
        rdna_profiler_begin(group->profiler);
    }
    while (running > 0) {
        running = 0;
        for (uint32_t i = 0; i < group->wave_count; i++) {
            const uint32_t line = run_wave(group, &group->waves[i], &steps_left);
            if (group->problem != NULL) {
                error->result = LMB_ERROR_LIMIT;
                snprintf(error->message, sizeof error->message, "line %u of the disassembly: %s", (unsigned)line,
                         group->problem);
                return error->result;
            }
            running += !group->waves[i].done;
        }
        if (group->profiler != NULL) {
            rdna_profiler_join(group->profiler, running == 0);
        }
    }
    return LMB_OK;
}

lmb_result rdna_run(const rdna_kernel *kernel, const rdna_dispatch *dispatch, rdna_counts *counts, lmb_error *error) {
    workgroup group = {.kernel = kernel,
                       .dispatch = dispatch,
                       .counts = counts,
                       .lds = malloc(dispatch->lds_bytes + 1),
                       .wave_count = (dispatch->invocations + SIMD_WIDTH - 1) / SIMD_WIDTH};
    group.waves = calloc(group.wave_count, sizeof *group.waves);
    if (dispatch->profile != NULL) {
        group.profiler = rdna_profiler_create(dispatch, group.wave_count);
    }
    lmb_result result = LMB_OK;
    if (group.lds == NULL || group.waves == NULL || (dispatch->profile != NULL && group.profiler == NULL)) {
        *error = (lmb_error){.result = LMB_ERROR_MEMORY, .message = "no memory"};
        result = LMB_ERROR_MEMORY;
    }
    for (uint32_t y = 0; y < dispatch->groups[1]; y++) {
        for (uint32_t x = 0; x < dispatch->groups[0] && result == LMB_OK; x++) {
            result = run_group(&group, (const uint32_t[2]){x, y}, error);
        }
    }
    rdna_profiler_destroy(group.profiler);
    free(group.waves);
    free(group.lds);
    return result;
}
