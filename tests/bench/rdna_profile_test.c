// The emulator of RDNA 2: what it counts of a kernel, the cycles of its model, and some results, for kernels written
// here.
#include "suite.h"

#include "kernels/rdna_profile.h"

static _Alignas(RDNA_SECTOR) uint32_t memory[256];
static bool memory_is_shared;

static void *find_memory(uint64_t address, uint32_t bytes) {
    const uint64_t at = address - (uint64_t)(uintptr_t)memory;
    return at + bytes <= sizeof memory ? (char *)memory + at : NULL;
}

static bool is_shared(uint64_t address) {
    (void)address;
    return memory_is_shared;
}

// Runs a kernel of one workgroup, whose s[2:3] is the address of the memory.
static rdna_profile run(const char *assembly, uint32_t invocations) {
    rdna_profile profile = {.groups = 0};
    rdna_dispatch dispatch = {.groups = {1, 1},
                              .invocations = invocations,
                              .lds_bytes = 512,
                              .push_words = 2,
                              .memory = find_memory,
                              .is_shared = is_shared,
                              .profile = &profile};
    const uint64_t address = (uint64_t)(uintptr_t)memory;
    rdna_counts counts = {0};
    rdna_kernel *kernel = NULL;
    lmb_error error;
    memcpy(dispatch.push, &address, sizeof address);
    assert_int_equal(rdna_read(assembly, &kernel, &error), LMB_OK);
    assert_int_equal(rdna_run(kernel, &dispatch, &counts, &error), LMB_OK);
    rdna_destroy(kernel);
    assert_int_equal(profile.groups, 1);
    return profile;
}

// Adds a word to itself: v0 is the number of the invocation.
static const char doubling[] = "\tv_lshlrev_b32_e32 v1, 2, v0\n"
                               "\tglobal_load_dword v2, v1, s[2:3]\n"
                               "\ts_waitcnt vmcnt(0)\n"
                               "\tv_add_f32_e32 v3, v2, v2\n"
                               "\ts_barrier\n"
                               "\tglobal_store_dword v1, v3, s[2:3]\n"
                               "\ts_endpgm\n";

static void half_waves_without_a_lane_are_not_counted(void **state) {
    (void)state;
    const rdna_profile few = run(doubling, 24), more = run(doubling, 40);
    const rdna_row load = few.intervals[0].kinds[RDNA_LOAD], loads = more.intervals[0].kinds[RDNA_LOAD];
    assert_int_equal(load.instructions, 1);
    assert_int_equal(load.lanes, 24);
    assert_int_equal(loads.instructions, 2);
    assert_int_equal(loads.lanes, 40);
    assert_int_equal(more.intervals[0].kinds[RDNA_HINT].instructions, 0);
}

static void counts_are_those_between_barriers(void **state) {
    (void)state;
    const rdna_profile profile = run(doubling, 64);
    assert_int_equal(profile.interval_count, 2);
    assert_int_equal(profile.intervals[0].kinds[RDNA_INTEGER].instructions, 2);
    assert_int_equal(profile.intervals[0].kinds[RDNA_FLOAT].instructions, 2);
    assert_int_equal(profile.intervals[0].kinds[RDNA_BARRIER].instructions, 2);
    assert_int_equal(profile.intervals[0].kinds[RDNA_STORE].instructions, 0);
    assert_int_equal(profile.intervals[1].kinds[RDNA_STORE].instructions, 2);
    assert_int_equal(profile.intervals[1].kinds[RDNA_BRANCH].instructions, 2);
}

static void sectors_are_counted_once_an_instruction(void **state) {
    (void)state;
    const rdna_profile dense = run(doubling, 64);
    const rdna_profile same = run("\tv_mov_b32_e32 v1, 16\n"
                                  "\tglobal_load_dwordx2 v[2:3], v1, s[2:3] offset:12\n"
                                  "\ts_endpgm\n",
                                  64);
    assert_int_equal((uintptr_t)memory % RDNA_SECTOR, 0);
    assert_int_equal(dense.intervals[0].kinds[RDNA_LOAD].sectors, 8);
    assert_int_equal(same.intervals[0].kinds[RDNA_LOAD].sectors, 4); // words 7 and 8, for two half waves
}

// The least of 32 lanes, as RADV finds it: of pairs, fours, eights and rows of 16, then with the other row.
static void lanes_read_each_other(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 64; i++) {
        memory[i] = 1000 - i * 37 % 64;
    }
    run("\tv_lshlrev_b32_e32 v1, 2, v0\n"
        "\tglobal_load_dword v3, v1, s[2:3]\n"
        "\ts_waitcnt vmcnt(0)\n"
        "\tv_min_u32_dpp v3, v3, v3 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf fi:1\n"
        "\tglobal_store_dword v1, v3, s[2:3] offset:256\n"
        "\tv_min_u32_dpp v3, v3, v3 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf fi:1\n"
        "\tv_min_u32_dpp v3, v3, v3 row_half_mirror row_mask:0xf bank_mask:0xf fi:1\n"
        "\tv_min_u32_dpp v3, v3, v3 row_mirror row_mask:0xf bank_mask:0xf fi:1\n"
        "\tglobal_store_dword v1, v3, s[2:3] offset:512\n"
        "\tv_permlanex16_b32 v4, v3, 0, 0\n"
        "\tv_min_u32_e32 v3, v3, v4\n"
        "\tglobal_store_dword v1, v3, s[2:3] offset:768\n"
        "\ts_endpgm\n",
        64);
    static const uint32_t lanes[] = {2, 16, 32};
    for (uint32_t which = 0; which < 3; which++) {
        for (uint32_t i = 0; i < 64; i++) {
            uint32_t min = UINT32_MAX;
            for (uint32_t k = i / lanes[which] * lanes[which]; k < (i / lanes[which] + 1) * lanes[which]; k++) {
                min = memory[k] < min ? memory[k] : min;
            }
            assert_int_equal(memory[64 * (which + 1) + i], min);
        }
    }
}

static double waits(const rdna_profile *profile, rdna_cause cause) {
    double sum = 0.0;
    for (uint32_t i = 0; i < profile->interval_count; i++) {
        sum += profile->intervals[i].waits[cause];
    }
    return sum;
}

// Six instructions issue. The load waits 4.5 cycles for its address, and the sum for the load.
static void an_instruction_waits_for_its_operands(void **state) {
    (void)state;
    memory_is_shared = false;
    rdna_profile profile = run(doubling, 32);
    assert_float_equal(waits(&profile, RDNA_FOR_ISSUE), 6.0, 0.0);
    assert_float_equal(waits(&profile, RDNA_FOR_ARITHMETIC), 4.5, 0.0);
    assert_float_equal(waits(&profile, RDNA_FOR_MEMORY), 650.0, 0.0);
    assert_float_equal(waits(&profile, RDNA_FOR_BARRIER), 20.0, 0.0);
    assert_float_equal(profile.cycles, 680.5, 0.0);
    memory_is_shared = true;
    profile = run(doubling, 32);
    assert_float_equal(waits(&profile, RDNA_FOR_MEMORY), 0.0, 0.0);
    assert_float_equal(waits(&profile, RDNA_FOR_SECOND_CACHE), 250.0, 0.0);
}

// The second wave of a workgroup finds the first one's sector under way; after a barrier it is in the first cache.
static void waves_share_what_they_load(void **state) {
    (void)state;
    memory_is_shared = false;
    const rdna_profile profile = run("\tv_mov_b32_e32 v1, 16\n"
                                     "\tglobal_load_dword v2, v1, s[2:3]\n"
                                     "\tv_add_f32_e32 v3, v2, v2\n"
                                     "\ts_barrier\n"
                                     "\tglobal_load_dword v4, v1, s[2:3]\n"
                                     "\tv_add_f32_e32 v3, v4, v4\n"
                                     "\ts_endpgm\n",
                                     128);
    assert_float_equal(waits(&profile, RDNA_FOR_MEMORY), 650.0, 0.0);
    assert_float_equal(waits(&profile, RDNA_FOR_FIRST_CACHE), 38.0, 0.0);
    assert_float_equal(waits(&profile, RDNA_FOR_SECOND_CACHE), 0.0, 0.0);
    assert_int_equal(profile.intervals[0].fetched, 1);
    assert_int_equal(profile.intervals[1].fetched, 0);
}

// A select waits for its mask, and all instructions of lanes for EXEC, which then has fewer lanes.
static void masks_are_operands(void **state) {
    (void)state;
    const rdna_profile profile = run("\tv_cmp_lt_u32_e32 vcc, v0, v1\n"
                                     "\tv_cndmask_b32_e32 v2, v0, v1, vcc\n"
                                     "\tv_cmpx_eq_u32_e32 0, v0\n"
                                     "\tv_mov_b32_e32 v3, 0\n"
                                     "\ts_endpgm\n",
                                     64);
    assert_float_equal(waits(&profile, RDNA_FOR_ARITHMETIC), 9.0, 0.0);
    assert_int_equal(profile.intervals[0].kinds[RDNA_MOVE].instructions, 1);
    assert_int_equal(profile.intervals[0].kinds[RDNA_MOVE].lanes, 1);
    assert_int_equal(profile.intervals[0].kinds[RDNA_SELECT].lanes, 3 * 64);
}

// Instructions of searches, and the numbers of workgroups after two push constants.
static void numbers_are_those_of_the_hardware(void **state) {
    (void)state;
    run("\ts_movk_i32 s20, 0x12\n"
        "\ts_addk_i32 s20, 0xffff\n"
        "\ts_mulk_i32 s20, 0x3\n"
        "\ts_pack_ll_b32_b16 s21, s20, s4\n"
        "\tv_lshlrev_b32_e32 v1, 2, v0\n"
        "\tv_mov_b32_e32 v2, s21\n"
        "\tv_mov_b32_e32 v3, s7\n"
        "\tds_write2st64_b32 v1, v2, v3 offset1:1\n"
        "\tds_read_b32 v4, v1 offset:256\n"
        "\tds_read2st64_b32 v[5:6], v1 offset1:1\n"
        "\tglobal_store_dword v1, v5, s[2:3]\n"
        "\tglobal_store_dword v1, v4, s[2:3] offset:64\n"
        "\tglobal_store_dword v1, v6, s[2:3] offset:128\n"
        "\ts_endpgm\n",
        16);
    assert_int_equal(memory[3], 0x00010033);
    assert_int_equal(memory[16 + 3], 0);
    assert_int_equal(memory[32 + 3], 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(half_waves_without_a_lane_are_not_counted),
                                       cmocka_unit_test(counts_are_those_between_barriers),
                                       cmocka_unit_test(sectors_are_counted_once_an_instruction),
                                       cmocka_unit_test(lanes_read_each_other),
                                       cmocka_unit_test(an_instruction_waits_for_its_operands),
                                       cmocka_unit_test(waves_share_what_they_load),
                                       cmocka_unit_test(masks_are_operands),
                                       cmocka_unit_test(numbers_are_those_of_the_hardware)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
