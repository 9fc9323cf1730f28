// Which arms of branches move before the branch, in modules of one branch.
#include "failing_host.h"
#include "suite.h"

#include "../../shaders/hoist.h"

#include <spirv/unified1/spirv.h>

// Ids of a module: types, a condition, two values, the header of the branch, its arms, where they merge, and results.
enum { FLOAT = 1, BOOL, CONDITION, VALUE, POINTER, HEADER, YES, NO, MERGE, RESULT, BOUND = RESULT + 40 };
enum { MOST_WORDS = 400, HEADER_WORDS = 5 };

typedef struct module {
    uint32_t words[MOST_WORDS];
    size_t count;
} module;

static void emit(module *m, uint32_t op, const uint32_t *operands, uint32_t count) {
    assert_true(m->count + count + 1 <= MOST_WORDS);
    m->words[m->count++] = (count + 1) << 16 | op;
    for (uint32_t i = 0; i < count; i++) {
        m->words[m->count++] = operands[i];
    }
}

#define EMIT(m, op, ...)                                                                                               \
    emit(m, op, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

// What a case changes in a branch whose arms are a negation and an addition.
typedef struct branch {
    bool without_else;      // the condition leads to YES or to MERGE
    bool specialises;       // the condition is a specialisation constant
    bool loads;             // an arm loads
    bool leaves;            // an arm returns
    uint32_t more;          // further instructions in an arm
    uint32_t more_branches; // further predecessors of MERGE
} branch;

static module module_with(branch b) {
    module m = {.words = {SpvMagicNumber, 0x10500, 0, BOUND, 0}, .count = HEADER_WORDS};
    EMIT(&m, SpvOpTypeFloat, FLOAT, 32);
    EMIT(&m, SpvOpTypeBool, BOOL);
    EMIT(&m, b.specialises ? SpvOpSpecConstantTrue : SpvOpConstantTrue, BOOL, CONDITION);
    EMIT(&m, SpvOpConstant, FLOAT, VALUE, 0);
    EMIT(&m, SpvOpLabel, HEADER);
    EMIT(&m, SpvOpSelectionMerge, MERGE, SpvSelectionControlMaskNone);
    EMIT(&m, SpvOpBranchConditional, CONDITION, YES, b.without_else ? MERGE : NO);
    EMIT(&m, SpvOpLabel, YES);
    EMIT(&m, SpvOpFNegate, FLOAT, RESULT, VALUE);
    for (uint32_t i = 0; i < b.more; i++) {
        EMIT(&m, SpvOpFAdd, FLOAT, RESULT + 10 + i, RESULT, VALUE);
    }
    if (b.loads) {
        EMIT(&m, SpvOpLoad, FLOAT, RESULT + 1, POINTER);
    }
    if (b.leaves) {
        emit(&m, SpvOpReturn, NULL, 0);
    } else {
        EMIT(&m, SpvOpBranch, MERGE);
    }
    if (!b.without_else) {
        EMIT(&m, SpvOpLabel, NO);
        EMIT(&m, SpvOpFAdd, FLOAT, RESULT + 2, VALUE, VALUE);
        EMIT(&m, SpvOpBranch, MERGE);
    }
    for (uint32_t i = 0; i < b.more_branches; i++) {
        EMIT(&m, SpvOpLabel, RESULT + 30 + i);
        EMIT(&m, SpvOpBranch, MERGE);
    }
    EMIT(&m, SpvOpLabel, MERGE);
    emit(&m, SpvOpReturn, NULL, 0);
    return m;
}

static lmb_spirv hoist(const module *m, size_t *branches) {
    const lmb_host host = lmb_host_resolve(NULL);
    lmb_spirv result;
    lmb_error error;
    assert_int_equal(hoist_branches(&host, m->words, m->count, &result, branches, &error), LMB_OK);
    return result;
}

static void expect_unchanged(branch b) {
    const lmb_host host = lmb_host_resolve(NULL);
    const module m = module_with(b);
    size_t branches;
    lmb_spirv result = hoist(&m, &branches);
    assert_int_equal(branches, 0);
    assert_int_equal(result.count, m.count);
    assert_memory_equal(result.words, m.words, m.count * sizeof *m.words);
    lmb_spirv_release(&host, &result);
}

// The instructions of both arms are between the header's label and its branch, in order, and the arms are empty.
static void expect_moved(branch b, const uint32_t *ops, size_t count) {
    const lmb_host host = lmb_host_resolve(NULL);
    const module m = module_with(b);
    size_t branches, at = HEADER_WORDS;
    lmb_spirv result = hoist(&m, &branches);
    assert_int_equal(branches, 1);
    assert_int_equal(result.count, m.count);
    assert_memory_equal(result.words, m.words, HEADER_WORDS * sizeof *m.words);
    while (spirv_opcode(result.words[at]) != SpvOpLabel) {
        at += spirv_length(result.words[at]);
    }
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(spirv_opcode(result.words[at]), ops[i]);
        at += spirv_length(result.words[at]);
    }
    assert_int_equal(at, result.count);
    lmb_spirv_release(&host, &result);
}

static void both_arms_move(void **state) {
    (void)state;
    const uint32_t ops[] = {SpvOpLabel, SpvOpFNegate, SpvOpFAdd,  SpvOpSelectionMerge, SpvOpBranchConditional,
                            SpvOpLabel, SpvOpBranch,  SpvOpLabel, SpvOpBranch,         SpvOpLabel,
                            SpvOpReturn};
    expect_moved((branch){0}, ops, sizeof ops / sizeof *ops);
}

static void an_arm_without_else_moves(void **state) {
    (void)state;
    const uint32_t ops[] = {SpvOpLabel, SpvOpFNegate, SpvOpSelectionMerge, SpvOpBranchConditional,
                            SpvOpLabel, SpvOpBranch,  SpvOpLabel,          SpvOpReturn};
    expect_moved((branch){.without_else = true}, ops, sizeof ops / sizeof *ops);
}

static void other_arms_stay(void **state) {
    (void)state;
    expect_unchanged((branch){.loads = true});
    expect_unchanged((branch){.leaves = true, .without_else = true});
    expect_unchanged((branch){.specialises = true});
    expect_unchanged((branch){.more_branches = 1});
    expect_unchanged((branch){.more = HOIST_MOST_INSTRUCTIONS});
    size_t branches;
    const lmb_host host = lmb_host_resolve(NULL);
    const module most = module_with((branch){.more = HOIST_MOST_INSTRUCTIONS - 1});
    lmb_spirv result = hoist(&most, &branches);
    assert_int_equal(branches, 1);
    lmb_spirv_release(&host, &result);
}

static void what_is_no_module_is_refused(void **state) {
    (void)state;
    const lmb_host host = lmb_host_resolve(NULL);
    lmb_spirv result;
    size_t branches;
    lmb_error error;
    module m = module_with((branch){0});
    m.words[HEADER_WORDS] = 0;
    assert_int_equal(hoist_branches(&host, m.words, m.count, &result, &branches, &error), LMB_ERROR_FORMAT);
}

static lmb_result hoist_with(const lmb_host *host, lmb_error *error, void *user) {
    const module *m = user;
    lmb_spirv spirv = {0};
    size_t branches;
    const lmb_result result = hoist_branches(host, m->words, m->count, &spirv, &branches, error);
    lmb_spirv_release(host, &spirv);
    return result;
}

static void allocations_may_fail(void **state) {
    (void)state;
    module m = module_with((branch){0});
    failing_host_try_all(hoist_with, &m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_arms_move),       cmocka_unit_test(an_arm_without_else_moves),
        cmocka_unit_test(other_arms_stay),      cmocka_unit_test(what_is_no_module_is_refused),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests_name("hoist", tests, NULL, NULL);
}
