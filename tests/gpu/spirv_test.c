// The embedded modules contain no contraction and no instruction whose rounding devices may choose, and the same
// constants as C. Also tests the reader on malformed modules.
#include "suite.h"

#include "../../shaders/exact.h"
#include "../../shaders/lower.h"

#define SPV_ENABLE_UTILITY_CODE
#include <spirv/unified1/spirv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "character_specialized.spv.h"
#include "control.spv.h"
#include "match.spv.h"
#include "model.spv.h"
#include "pose.spv.h"
#include "pose_specialized.spv.h"
#include "probe.spv.h"
#include "ragdoll.spv.h"
#include "skin.spv.h"
#include "skin_dual.spv.h"
#include "weights.spv.h"

// The first word of an instruction.
#define OP(op, length) ((uint32_t)(length) << 16 | (op))

static const struct {
    const char *name;
    const uint32_t *words;
    size_t count;
} modules[] = {{"weights", kernel_weights, sizeof kernel_weights / 4},
               {"pose", kernel_pose, sizeof kernel_pose / 4},
               {"model", kernel_model, sizeof kernel_model / 4},
               {"control", kernel_control, sizeof kernel_control / 4},
               {"match", kernel_match, sizeof kernel_match / 4},
               {"pose_specialized", kernel_pose_specialized, sizeof kernel_pose_specialized / 4},
               {"character_specialized", kernel_character_specialized, sizeof kernel_character_specialized / 4},
               {"ragdoll", kernel_ragdoll, sizeof kernel_ragdoll / 4},
               {"skin", kernel_skin, sizeof kernel_skin / 4},
               {"skin_dual", kernel_skin_dual, sizeof kernel_skin_dual / 4},
               {"probe", kernel_probe, sizeof kernel_probe / 4}};

enum {
    MODULES = sizeof modules / sizeof modules[0],
    CONSTANTS = 26 // of the kernels
};

static lmb_host host;

static lmb_spirv copy_module(size_t index) {
    lmb_spirv copy = {malloc(modules[index].count * 4), modules[index].count};
    memcpy(copy.words, modules[index].words, copy.count * 4);
    return copy;
}

static void embedded_modules_pass(void **state) {
    (void)state;
    for (size_t i = 0; i < MODULES; i++) {
        lmb_error error = {0};
        if (exact_check(&host, modules[i].words, modules[i].count, &error) != LMB_OK) {
            fail_msg("%s: %s", modules[i].name, error.message);
        }
        size_t operations = exact_count_float_operations(modules[i].words, modules[i].count);
        printf("%s: %zu float operations\n", modules[i].name, operations);
        assert_true(operations > 50);
    }
}

static void one_bare_operation_is_found(void **state) {
    (void)state;
    lmb_spirv copy = copy_module(0);
    size_t at = 5;
    // Removes one NoContraction by turning it into another decoration.
    while ((copy.words[at] & 0xffff) != SpvOpDecorate || copy.words[at + 2] != SpvDecorationNoContraction) {
        at += copy.words[at] >> 16;
    }
    copy.words[at + 2] = SpvDecorationRelaxedPrecision;
    lmb_error error = {0};
    assert_int_equal(exact_check(&host, copy.words, copy.count, &error), LMB_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "lacks NoContraction"));
    // The build step adds it again.
    lmb_spirv exact;
    assert_int_equal(exact_forbid_contraction(&host, copy.words, copy.count, &exact, &error), LMB_OK);
    assert_int_equal(exact.count, copy.count + 3);
    assert_int_equal(exact_check(&host, exact.words, exact.count, &error), LMB_OK);
    lmb_spirv_release(&host, &exact);
    free(copy.words);
}

static void banned_operations_are_found(void **state) {
    (void)state;
    // Turns an addition into a division, a remainder, or a dot product.
    const uint32_t banned[] = {SpvOpFDiv, SpvOpFRem, SpvOpFMod, SpvOpVectorTimesScalar, SpvOpDot};
    for (size_t i = 0; i < sizeof banned / sizeof banned[0]; i++) {
        lmb_spirv copy = copy_module(1);
        size_t at = 5;
        while ((copy.words[at] & 0xffff) != SpvOpFAdd) {
            at += copy.words[at] >> 16;
        }
        copy.words[at] = (copy.words[at] & 0xffff0000u) | banned[i];
        lmb_error error = {0};
        assert_int_equal(exact_check(&host, copy.words, copy.count, &error), LMB_ERROR_FORMAT);
        assert_non_null(strstr(error.message, "not rounded alike"));
        free(copy.words);
    }
}

static void rounding_mode_is_declared_once(void **state) {
    (void)state;
    for (size_t i = 0; i < MODULES; i++) {
        lmb_spirv declared;
        lmb_error error;
        assert_int_equal(lmb_spirv_declare_rte(&host, modules[i].words, modules[i].count, &declared, &error), LMB_OK);
        int capabilities = 0, modes = 0, extensions = 0;
        for (size_t at = 5; at < declared.count; at += declared.words[at] >> 16) {
            capabilities += (declared.words[at] & 0xffff) == SpvOpCapability &&
                            declared.words[at + 1] == SpvCapabilityRoundingModeRTE;
            modes += (declared.words[at] & 0xffff) == SpvOpExecutionMode &&
                     declared.words[at + 2] == SpvExecutionModeRoundingModeRTE;
            if ((declared.words[at] & 0xffff) == SpvOpExtension &&
                strcmp((const char *)&declared.words[at + 1], "SPV_KHR_float_controls") == 0) {
                extensions++;
                assert_int_equal(capabilities, 1); // these come first
                assert_int_equal(modes, 0);
            }
        }
        assert_int_equal(extensions, 1);
        assert_int_equal(capabilities, 1);
        assert_int_equal(modes, 1);
        assert_int_equal(exact_check(&host, declared.words, declared.count, &error), LMB_OK);
        lmb_spirv_release(&host, &declared);
    }
}

// A program's kernel is the template with calls instead of a body.
static void specialised_modules_pass(void **state) {
    (void)state;
    const lmb_spirv_call calls[] = {
        {"run_pass", {0, 0}, true, 0},
        {"run_clip", {144, 0}, false, 1},
        {"run_pass", {1, 0}, true, 0},
        {"run_to_model", {152, 0}, false, 0},
        {"run_rest", {160, 1}, false, 0},
        {"run_apply", {168, 2}, false, 1},
        {"run_pass", {2, 0}, true, 0},
        {"run_weighted_begin", {16, 0}, false, 0},
        {"run_needed", {5, 0}, true, 0},
        {"run_clip", {24, 2}, false, 0},
        {"run_weighted_accumulate", {32, 3}, false, 1},
        {"run_rest", {40, 2}, false, 0},
        {"run_weighted_accumulate", {48, 3}, false, 0},
        {"run_weighted_end", {56, 2}, false, 0},
        {"run_unneeded", {6, 0}, true, 0},
        {"run_absent", {100, 1}, false, 1},
        {"run_needed", {6, 0}, true, 0},
        {"run_needed", {7, 0}, true, 0},
        {"run_pose", {64, 1}, false, 0},
        {"run_make_additive", {72, 2}, false, 2},
        {"run_rest", {80, 1}, false, 0},
        {"run_additive", {88, 2}, false, 0},
        {"run_clip", {96, 1}, false, 0},
        {"run_masked", {104, 2}, false, 0},
        {"run_clip", {112, 1}, false, 0},
        {"run_blend", {120, 2}, false, 0},
        {"run_to_local", {176, 1}, false, 0},
        {"run_add", {184, 2}, false, 1},
    };
    size_t call_count = sizeof calls / sizeof calls[0];
    lmb_spirv module;
    lmb_error error = {0};
    assert_int_equal(lmb_spirv_replace_body(&host, kernel_pose_specialized, sizeof kernel_pose_specialized / 4,
                                            "run_straight_line", calls, call_count, &module, &error),
                     LMB_OK);
    assert_int_equal(exact_check(&host, module.words, module.count, &error), LMB_OK);
    lmb_spirv_release(&host, &module);
    assert_int_equal(lmb_spirv_replace_body(&host, kernel_character_specialized,
                                            sizeof kernel_character_specialized / 4, "run_straight_line", calls,
                                            call_count, &module, &error),
                     LMB_OK);
    // Written for the disassembler, which runs after this suite.
    const uint32_t constants[CONSTANTS] = {1, 1, 1, [15] = 1}, words[200] = {0};
    const lmb_spirv_block block = {.words = words, .count = 200};
    lmb_spirv specialised;
    assert_int_equal(lmb_spirv_specialize(&host, module.words, module.count,
                                          &(lmb_spirv_known){constants, CONSTANTS, &block}, &specialised, &error),
                     LMB_OK);
    assert_int_equal(exact_check(&host, specialised.words, specialised.count, &error), LMB_OK);
    FILE *file = fopen(LIMBER_BINARY "/specialised.spv", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(specialised.words, 4, specialised.count, file), specialised.count);
    fclose(file);
    lmb_spirv_release(&host, &specialised);
    lmb_spirv_release(&host, &module);
}

static uint32_t count_instructions(const lmb_spirv *module, uint32_t op) {
    uint32_t count = 0;
    for (size_t at = 5; at < module->count; at += module->words[at] >> 16) {
        count += (module->words[at] & 0xffff) == op;
    }
    return count;
}

extern inline void SpvHasResultAndType(SpvOp opcode, bool *has_result, bool *has_type); // emits its code here

// Names and decorations refer to existing ids.
static void expect_targets_defined(const lmb_spirv *module) {
    bool *defined = calloc(module->words[3], sizeof *defined);
    assert_non_null(defined);
    for (size_t at = 5; at < module->count; at += module->words[at] >> 16) {
        const uint32_t op = module->words[at] & 0xffff;
        bool has_result, has_type;
        SpvHasResultAndType((SpvOp)op, &has_result, &has_type);
        if (has_result) {
            defined[module->words[at + (has_type ? 2 : 1)]] = true;
        }
    }
    for (size_t at = 5; at < module->count; at += module->words[at] >> 16) {
        const uint32_t op = module->words[at] & 0xffff;
        if (op == SpvOpName || op == SpvOpMemberName || op == SpvOpDecorate || op == SpvOpMemberDecorate) {
            if (!defined[module->words[at + 1]]) {
                fail_msg("word %zu: opcode %u is of id %u, which is not there", at, op, module->words[at + 1]);
            }
        }
    }
    free(defined);
}

// Functions of the template without a call are removed, with their names and decorations.
static void what_nothing_calls_is_gone(void **state) {
    (void)state;
    const lmb_spirv_call call = {"run_rest", {16, 0}, false, 0};
    static const struct {
        const uint32_t *words;
        size_t count;
    } templates[] = {{kernel_pose_specialized, sizeof kernel_pose_specialized / 4},
                     {kernel_character_specialized, sizeof kernel_character_specialized / 4}};
    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++) {
        lmb_spirv whole, module;
        lmb_error error = {0};
        assert_int_equal(lmb_spirv_replace_body(&host, templates[i].words, templates[i].count, "run_straight_line",
                                                &call, 1, &whole, &error),
                         LMB_OK);
        assert_int_equal(lmb_spirv_specialize(&host, whole.words, whole.count, &(lmb_spirv_known){0}, &module, &error),
                         LMB_OK);
        assert_int_equal(exact_check(&host, module.words, module.count, &error), LMB_OK);
        assert_true(count_instructions(&module, SpvOpFunction) <= 3); // main, the replaced function, run_rest
        assert_true(module.count < templates[i].count / 2);
        expect_targets_defined(&module);
        lmb_spirv_release(&host, &module);
        lmb_spirv_release(&host, &whole);
    }
}

// Every constant true and false, alone and in random combinations: modules stay valid and only get smaller.
static void closed_branches_are_gone(void **state) {
    (void)state;
    enum { RANDOM = 20 };
    uint32_t random = 1;
    for (size_t i = 0; i < MODULES; i++) {
        uint32_t blocks = UINT32_MAX;
        for (uint32_t k = 0; k < RANDOM; k++) {
            uint32_t constants[CONSTANTS] = {0};
            for (uint32_t bit = 0; bit < CONSTANTS; bit++) {
                random = random * 1664525u + 1013904223u;
                constants[bit] = k == 0 ? 1 : k == 1 ? 0 : random >> 31;
            }
            lmb_spirv module;
            lmb_error error = {0};
            const lmb_spirv_known known = {constants, CONSTANTS, NULL};
            assert_int_equal(lmb_spirv_specialize(&host, modules[i].words, modules[i].count, &known, &module, &error),
                             LMB_OK);
            assert_int_equal(exact_check(&host, module.words, module.count, &error), LMB_OK);
            assert_int_equal(count_instructions(&module, SpvOpSpecConstantTrue), 0);
            assert_int_equal(count_instructions(&module, SpvOpSpecConstantFalse), 0);
            expect_targets_defined(&module);
            blocks = k == 0 ? count_instructions(&module, SpvOpLabel) : blocks;
            assert_true(count_instructions(&module, SpvOpLabel) <= blocks || k != 1);
            lmb_spirv_release(&host, &module);
        }
    }
    // Without its most expensive features, a template shrinks to less than 3/4.
    const uint32_t none[CONSTANTS] = {0};
    lmb_spirv module;
    lmb_error error = {0};
    assert_int_equal(lmb_spirv_specialize(&host, kernel_character_specialized, sizeof kernel_character_specialized / 4,
                                          &(lmb_spirv_known){none, CONSTANTS, NULL}, &module, &error),
                     LMB_OK);
    assert_true(module.count < sizeof kernel_character_specialized / 4 * 3 / 4);
    lmb_spirv_release(&host, &module);
}

// A module that reads word `index` of its program, and computes `op` from the numbers `a` and `b`, in a body of the
// least instructions.
typedef struct small_module {
    uint32_t op, result_type, a, b;
    uint32_t index;
    bool as_float; // the word becomes a float too
} small_module;

enum {
    MAIN = 1,
    VOID,
    BOOL,
    UINT,
    FLOAT,
    FUNCTION,
    PROGRAM,
    HOLDER,
    TO_PROGRAM,
    TO_HOLDER,
    TO_MEMBER,
    TO_WORD,
    ZERO,
    INDEX,
    NUMBER_A,
    NUMBER_B,
    PUSH,
    LABEL,
    MEMBER,
    REFERENCE,
    PLACE,
    WORD,
    AS_FLOAT,
    RESULT,
    SMALL_BOUND
};

// Specialises the module, and returns the instruction that defines an id.
static const uint32_t *small_definition(const small_module *m, const lmb_spirv_block *block, uint32_t id,
                                        lmb_spirv *module) {
    const bool takes_one = m->op == SpvOpNot || m->op == SpvOpLogicalNot || m->op == SpvOpBitcast;
    const bool logical = m->op >= SpvOpLogicalEqual && m->op <= SpvOpLogicalNot;
    const uint32_t boolean[] = {OP(SpvOpConstantFalse, 3), OP(SpvOpConstantTrue, 3)};
    // clang-format off
    const uint32_t words[] = {
        SpvMagicNumber, 0x10500, 0, SMALL_BOUND, 0,
        OP(SpvOpEntryPoint, 4), SpvExecutionModelGLCompute, MAIN, 'm',
        OP(SpvOpMemberName, 5), HOLDER, 0, 0x676f7270, 0x006d6172, // "program"
        OP(SpvOpTypeVoid, 2), VOID,
        OP(SpvOpTypeBool, 2), BOOL,
        OP(SpvOpTypeInt, 4), UINT, 32, 0,
        OP(SpvOpTypeFloat, 3), FLOAT, 32,
        OP(SpvOpTypeFunction, 3), FUNCTION, VOID,
        OP(SpvOpTypeStruct, 3), PROGRAM, UINT,
        OP(SpvOpTypePointer, 4), TO_PROGRAM, SpvStorageClassPhysicalStorageBuffer, PROGRAM,
        OP(SpvOpTypeStruct, 3), HOLDER, TO_PROGRAM,
        OP(SpvOpTypePointer, 4), TO_HOLDER, SpvStorageClassPushConstant, HOLDER,
        OP(SpvOpTypePointer, 4), TO_MEMBER, SpvStorageClassPushConstant, TO_PROGRAM,
        OP(SpvOpTypePointer, 4), TO_WORD, SpvStorageClassPhysicalStorageBuffer, UINT,
        OP(SpvOpConstant, 4), UINT, ZERO, 0,
        OP(SpvOpConstant, 4), UINT, INDEX, m->index,
        logical ? boolean[m->a != 0] : OP(SpvOpConstant, 4), logical ? BOOL : UINT, NUMBER_A,
        logical ? OP(SpvOpNop, 1) : m->a,
        logical ? boolean[m->b != 0] : OP(SpvOpConstant, 4), logical ? BOOL : UINT, NUMBER_B,
        logical ? OP(SpvOpNop, 1) : m->b,
        OP(SpvOpVariable, 4), TO_HOLDER, PUSH, SpvStorageClassPushConstant,
        OP(SpvOpFunction, 5), VOID, MAIN, 0, FUNCTION,
        OP(SpvOpLabel, 2), LABEL,
        OP(SpvOpAccessChain, 5), TO_MEMBER, MEMBER, PUSH, ZERO,
        OP(SpvOpLoad, 4), TO_PROGRAM, REFERENCE, MEMBER,
        OP(SpvOpInBoundsAccessChain, 6), TO_WORD, PLACE, REFERENCE, ZERO, INDEX,
        OP(SpvOpLoad, 4), UINT, WORD, PLACE,
        OP(SpvOpBitcast, 4), m->as_float ? FLOAT : UINT, AS_FLOAT, WORD,
        OP(m->op, takes_one ? 4 : 5), m->result_type, RESULT, NUMBER_A, takes_one ? OP(SpvOpNop, 1) : NUMBER_B,
        OP(SpvOpReturn, 1),
        OP(SpvOpFunctionEnd, 1)};
    // clang-format on
    lmb_error error = {0};
    if (lmb_spirv_specialize(&host, words, sizeof words / sizeof words[0], &(lmb_spirv_known){NULL, 0, block}, module,
                             &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    const uint32_t *found = NULL;
    for (size_t at = 5; at < module->count; at += module->words[at] >> 16) {
        const uint32_t *instruction = module->words + at;
        bool has_result, has_type;
        SpvHasResultAndType((SpvOp)(instruction[0] & 0xffff), &has_result, &has_type);
        if (has_type && instruction[2] == id) {
            assert_null(found); // defined once
            found = instruction;
        }
    }
    assert_non_null(found);
    return found;
}

static void operations_on_integers_are_evaluated(void **state) {
    (void)state;
    static const struct {
        uint32_t op, a, b, expected;
    } rows[] = {{SpvOpIAdd, 7, 0xfffffffe, 5},
                {SpvOpISub, 3, 5, 0xfffffffe},
                {SpvOpIMul, 0x10001, 0x10003, 0x40003},
                {SpvOpUDiv, 0xffffffff, 16, 0x0fffffff},
                {SpvOpUMod, 0xffffffff, 16, 15},
                {SpvOpNot, 0x0f, 0, 0xfffffff0},
                {SpvOpBitcast, 0x80000001, 0, 0x80000001},
                {SpvOpShiftRightLogical, 0x80000000, 31, 1},
                {SpvOpShiftLeftLogical, 3, 31, 0x80000000},
                {SpvOpBitwiseAnd, 12, 10, 8},
                {SpvOpBitwiseOr, 12, 10, 14},
                {SpvOpBitwiseXor, 12, 10, 6},
                {SpvOpIEqual, 9, 9, 1},
                {SpvOpIEqual, 9, 8, 0},
                {SpvOpINotEqual, 9, 8, 1},
                {SpvOpUGreaterThan, 0x80000000, 1, 1},
                {SpvOpUGreaterThan, 1, 1, 0},
                {SpvOpUGreaterThanEqual, 1, 1, 1},
                {SpvOpULessThan, 0x80000000, 1, 0},
                {SpvOpULessThan, 1, 2, 1},
                {SpvOpULessThanEqual, 2, 2, 1},
                {SpvOpULessThanEqual, 3, 2, 0},
                {SpvOpLogicalNot, 1, 0, 0},
                {SpvOpLogicalAnd, 1, 1, 1},
                {SpvOpLogicalAnd, 1, 0, 0},
                {SpvOpLogicalOr, 0, 1, 1},
                {SpvOpLogicalEqual, 1, 1, 1},
                {SpvOpLogicalNotEqual, 1, 1, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bool logical = rows[i].op >= SpvOpLogicalEqual && rows[i].op <= SpvOpULessThanEqual;
        const small_module m = {.op = rows[i].op, .result_type = logical ? BOOL : UINT, .a = rows[i].a, .b = rows[i].b};
        lmb_spirv module;
        const uint32_t *found = small_definition(&m, NULL, RESULT, &module);
        const uint32_t op = found[0] & 0xffff;
        const uint32_t expected = !logical ? SpvOpConstant : rows[i].expected ? SpvOpConstantTrue : SpvOpConstantFalse;
        if (op != expected || (!logical && found[3] != rows[i].expected)) {
            fail_msg("row %zu: opcode %u", i, op);
        }
        lmb_spirv_release(&host, &module);
    }
    // What is not defined stays as it is.
    const small_module undefined[] = {{.op = SpvOpUDiv, .result_type = UINT, .a = 1},
                                      {.op = SpvOpUMod, .result_type = UINT, .a = 1},
                                      {.op = SpvOpShiftLeftLogical, .result_type = UINT, .a = 1, .b = 32},
                                      {.op = SpvOpShiftRightLogical, .result_type = UINT, .a = 1, .b = 32}};
    for (size_t i = 0; i < sizeof undefined / sizeof undefined[0]; i++) {
        lmb_spirv module;
        assert_int_equal(small_definition(&undefined[i], NULL, RESULT, &module)[0] & 0xffff, undefined[i].op);
        lmb_spirv_release(&host, &module);
    }
}

// Words of the block become constants, but not those that may change, and not those that become floats.
static void words_of_the_block_are_known(void **state) {
    (void)state;
    const uint32_t words[8] = {11, 12, 13, 14, 15, 16, 17, 18};
    const lmb_spirv_block block = {.words = words, .count = 8, .changing_from = 3, .changing_end = 5};
    const struct {
        uint32_t index;
        bool as_float, has_block, is_known;
    } rows[] = {{0, false, true, true},  {2, false, true, true},           {3, false, true, false},
                {4, false, true, false}, {5, false, true, true},           {7, false, true, true},
                {8, false, true, false}, {0xffffffff, false, true, false}, {2, true, true, false},
                {2, false, false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const small_module m = {
            .op = SpvOpIAdd, .result_type = UINT, .index = rows[i].index, .as_float = rows[i].as_float};
        lmb_spirv module;
        const uint32_t *found = small_definition(&m, rows[i].has_block ? &block : NULL, WORD, &module);
        if ((found[0] & 0xffff) != (rows[i].is_known ? SpvOpConstant : SpvOpLoad) ||
            (rows[i].is_known && found[3] != words[rows[i].index])) {
            fail_msg("row %zu: opcode %u", i, found[0] & 0xffff);
        }
        lmb_spirv_release(&host, &module);
    }
}

static void unknown_functions_are_refused(void **state) {
    (void)state;
    const lmb_spirv_call call = {"run_cli", {0, 0}, false, 0}; // only the beginning of a name
    const uint32_t *words = kernel_pose_specialized;
    size_t count = sizeof kernel_pose_specialized / 4;
    lmb_spirv module;
    lmb_error error = {0};
    assert_int_equal(lmb_spirv_replace_body(&host, words, count, "run_straight_line", &call, 1, &module, &error),
                     LMB_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "'run_cli'"));
    const lmb_spirv_call without_parameters = {"run_straight_line", {0, 0}, false, 0};
    assert_int_equal(
        lmb_spirv_replace_body(&host, words, count, "run_straight_line", &without_parameters, 1, &module, &error),
        LMB_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "'run_straight_line' to call"));
    assert_int_equal(lmb_spirv_replace_body(&host, words, count, "run", &call, 1, &module, &error), LMB_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "'run'"));
}

// Calls under conditions: a false condition skips the calls up to the one that ends them.
static void calls_are_decided(void **state) {
    (void)state;
    const lmb_spirv_call calls[] = {{"run_pass", {0, 0}, true, 0},
                                    {"run_rest", {16, 0}, false, 1},
                                    {"run_pass", {1, 0}, true, 0},
                                    {"run_rest", {24, 0}, false, 0},
                                    {"run_rest", {32, 1}, false, 1}};
    uint32_t labels[2], decisions[2];
    for (uint32_t decided = 0; decided < 2; decided++) {
        lmb_spirv module;
        lmb_error error = {0};
        const size_t count = decided ? 5 : 1;
        assert_int_equal(lmb_spirv_replace_body(&host, kernel_pose_specialized, sizeof kernel_pose_specialized / 4,
                                                "run_straight_line", decided ? calls : calls + 1, count, &module,
                                                &error),
                         LMB_OK);
        assert_int_equal(exact_check(&host, module.words, module.count, &error), LMB_OK);
        labels[decided] = count_instructions(&module, SpvOpLabel);
        decisions[decided] = count_instructions(&module, SpvOpBranchConditional);
        lmb_spirv_release(&host, &module);
    }
    assert_int_equal(decisions[1], decisions[0] + 2);
    // Two labels around the code that each condition decides on, and one in the copy of each further callee.
    assert_int_equal(labels[1], labels[0] + 2 * 2 + 4);
}

// Modules of SPIR-V 1.3 are what Vulkan 1.1 takes; spirv_disassembly.sh validates them.
static void modules_are_lowered(void **state) {
    (void)state;
    for (size_t i = 0; i < MODULES; i++) {
        assert_int_equal(modules[i].words[1], 0x00010300);
    }
    // A module of 1.5 that selects between two structs of two members, and lists a private variable.
    // clang-format off
    const uint32_t later[] = {
        SpvMagicNumber, 0x00010500, 0, 20, 0,
        OP(SpvOpCapability, 2), SpvCapabilityShader,
        OP(SpvOpEntryPoint, 5), SpvExecutionModelGLCompute, 1, 'm', 2,
        OP(SpvOpTypeStruct, 4), 3, 4, 5,
        OP(SpvOpVariable, 4), 6, 2, SpvStorageClassPrivate,
        OP(SpvOpSelect, 6), 3, 7, 8, 9, 10,
    };
    const uint32_t expected[] = {
        SpvMagicNumber, 0x00010300, 0, 26, 0,
        OP(SpvOpCapability, 2), SpvCapabilityShader,
        OP(SpvOpExtension, 9), 0, 0, 0, 0, 0, 0, 0, 0,
        OP(SpvOpEntryPoint, 4), SpvExecutionModelGLCompute, 1, 'm',
        OP(SpvOpTypeStruct, 4), 3, 4, 5,
        OP(SpvOpVariable, 4), 6, 2, SpvStorageClassPrivate,
        OP(SpvOpCompositeExtract, 5), 4, 20, 9, 0,
        OP(SpvOpCompositeExtract, 5), 4, 22, 10, 0,
        OP(SpvOpSelect, 6), 4, 24, 8, 20, 22,
        OP(SpvOpCompositeExtract, 5), 5, 21, 9, 1,
        OP(SpvOpCompositeExtract, 5), 5, 23, 10, 1,
        OP(SpvOpSelect, 6), 5, 25, 8, 21, 23,
        OP(SpvOpCompositeConstruct, 5), 3, 7, 24, 25,
    };
    // clang-format on
    lmb_spirv lowered;
    lmb_error error;
    assert_int_equal(lower_module(&host, later, sizeof later / sizeof *later, &lowered, &error), LMB_OK);
    assert_int_equal(lowered.count, sizeof expected / sizeof *expected);
    assert_string_equal((const char *)&lowered.words[8], "SPV_KHR_physical_storage_buffer");
    memset(&lowered.words[8], 0, 8 * sizeof *lowered.words);
    assert_memory_equal(lowered.words, expected, sizeof expected);
    lmb_spirv_release(&host, &lowered);
    lmb_spirv copy = copy_module(0);
    copy.words[5] = 2u << 16 | SpvOpCopyLogical;
    assert_int_equal(lower_module(&host, copy.words, copy.count, &lowered, &error), LMB_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "OpCopyLogical"));
    free(copy.words);
}

static void malformed_modules_are_refused(void **state) {
    (void)state;
    lmb_spirv result;
    for (size_t count = 0; count < 400; count++) {
        // Truncated modules are refused, or valid up to a boundary between instructions.
        (void)exact_check(&host, kernel_pose, count, NULL);
    }
    assert_int_equal(exact_check(&host, kernel_pose, 4, NULL), LMB_ERROR_FORMAT);
    lmb_spirv copy = copy_module(0);
    copy.words[5] = 0; // an instruction of length 0
    assert_int_equal(exact_check(&host, copy.words, copy.count, NULL), LMB_ERROR_FORMAT);
    assert_int_equal(exact_forbid_contraction(&host, copy.words, copy.count, &result, NULL), LMB_ERROR_FORMAT);
    assert_int_equal(lmb_spirv_declare_rte(&host, copy.words, copy.count, &result, NULL), LMB_ERROR_FORMAT);
    copy.words[5] = 0xffff0011u; // an instruction that extends beyond the module
    assert_int_equal(exact_check(&host, copy.words, 100, NULL), LMB_ERROR_FORMAT);
    free(copy.words);
}

static size_t find_instruction(const lmb_spirv *module, uint32_t op) {
    size_t at = 5;
    while (at < module->count && (module->words[at] & 0xffff) != op) {
        at += module->words[at] >> 16;
    }
    assert_true(at < module->count);
    return at;
}

static void expect_refused(const lmb_spirv *module, const char *message) {
    lmb_spirv result;
    lmb_error error = {0};
    assert_int_equal(lmb_spirv_specialize(&host, module->words, module->count, &(lmb_spirv_known){0}, &result, &error),
                     LMB_ERROR_FORMAT);
    if (strstr(error.message, message) == NULL) {
        fail_msg("'%s', where '%s' was expected", error.message, message);
    }
}

// Sets each id that the reader looks up to the bound and far beyond it, and shortens each instruction by its last
// words.
static void ids_out_of_bounds_are_refused(void **state) {
    (void)state;
    static const struct {
        uint32_t op;
        uint32_t place;
        uint32_t min;
    } rows[] = {{SpvOpName, 1, 3},
                {SpvOpMemberName, 1, 4},
                {SpvOpDecorate, 1, 3},
                {SpvOpMemberDecorate, 1, 4},
                {SpvOpEntryPoint, 2, 3},
                {SpvOpFunction, 2, 5},
                {SpvOpFunctionCall, 2, 0},
                {SpvOpFunctionCall, 3, 4},
                {SpvOpLabel, 1, 2},
                {SpvOpLoad, 2, 0},
                {SpvOpFAdd, 2, 3},
                {SpvOpLogicalAnd, 3, 5},
                {SpvOpLogicalNot, 3, 4},
                {SpvOpIAdd, 3, 5},
                {SpvOpSelect, 3, 6},
                {SpvOpConstantTrue, 2, 3},
                {SpvOpTypePointer, 3, 4},
                {SpvOpPhi, 4, 3},
                {SpvOpBranch, 1, 2},
                {SpvOpBranchConditional, 1, 4},
                {SpvOpBranchConditional, 2, 4}};
    lmb_spirv module = {malloc(sizeof kernel_pose_specialized), sizeof kernel_pose_specialized / 4};
    assert_non_null(module.words);
    memcpy(module.words, kernel_pose_specialized, sizeof kernel_pose_specialized);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const size_t at = find_instruction(&module, rows[i].op);
        uint32_t *id = &module.words[at + rows[i].place];
        const uint32_t kept_id = *id, kept_head = module.words[at];
        *id = module.words[3];
        expect_refused(&module, "an id is out of bounds");
        *id = 0xffffffffu;
        expect_refused(&module, "an id is out of bounds");
        *id = kept_id;
        if (rows[i].min > 0) {
            module.words[at] = (rows[i].min - 1) << 16 | rows[i].op;
            expect_refused(&module, "an instruction leaves the module");
            module.words[at] = kept_head;
        }
    }
    module.words[3] = 0; // no id is below the bound
    expect_refused(&module, "an id is out of bounds");
    free(module.words);
}

// The bits of every float literal in the shared sources, as parsed by C.
typedef struct literals {
    uint32_t bits[4096];
    size_t count;
} literals;

// In the sources, the sign is a separate operation, which the compiler folds.
static bool has_literal(const literals *all, uint32_t bits) {
    for (size_t i = 0; i < all->count; i++) {
        if (all->bits[i] == (bits & 0x7fffffffu)) {
            return true;
        }
    }
    return false;
}

static void read_literals(const char *path, literals *all) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static char text[1 << 18];
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    for (char *at = text; *at != '\0';) {
        char *end = at;
        bool starts = (*at >= '0' && *at <= '9') && (at == text || strchr("( -+,;[", at[-1]) != NULL);
        float value = starts ? strtof(at, &end) : 0.0f;
        if (end > at && *end == 'f') {
            assert_true(all->count < sizeof all->bits / sizeof all->bits[0]);
            memcpy(&all->bits[all->count++], &value, sizeof value);
        }
        at = end > at ? end : at + 1;
    }
}

// Reads a module as glslc wrote it.
static lmb_spirv read_bare_module(const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.bare.spv", LIMBER_KERNELS, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    lmb_spirv module = {malloc(1 << 20), 0};
    module.count = fread(module.words, 4, (1 << 20) / 4, file);
    fclose(file);
    return module;
}

static void constants_are_those_of_c(void **state) {
    (void)state;
    static literals all;
    const char *files[] = {"chain.h",          "channels.h",       "computed.h",     "control.h",
                           "control_layout.h", "control_memory.h", "curve.h",        "decompose.h",
                           "feet.h",           "groups.h",         "ik.h",           "inertia.h",
                           "interpolation.h",  "joint_limits.h",   "joint_shares.h", "layout.h",
                           "machines.h",       "matching.h",       "searches.h",     "motion_weights.h",
                           "mirror.h",         "motion.h",         "number.h",       "operations.h",
                           "outputs.h",        "phases.h",         "players.h",      "probe.h",
                           "program.h",        "quaternion.h",     "ragdoll.h",      "records.h",
                           "sampling.h",       "skin.h",           "slots.h",        "spaces.h",
                           "ticks.h",          "transform.h",      "twist.h",        "weighted.h",
                           "weights.h"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", LIMBER_SOURCES "/shaders/ops", files[i]);
        read_literals(path, &all);
    }
    // Before the optimisation, which may fold operations on bits.
    size_t all_constants = 0;
    for (size_t i = 0; i < MODULES; i++) {
        lmb_spirv bare = read_bare_module(modules[i].name);
        uint32_t float_type = 0;
        size_t constants = 0;
        for (size_t at = 5; at < bare.count; at += bare.words[at] >> 16) {
            const uint32_t *instruction = bare.words + at;
            if ((instruction[0] & 0xffff) == SpvOpTypeFloat) {
                float_type = instruction[1];
            } else if ((instruction[0] & 0xffff) == SpvOpConstant && instruction[1] == float_type) {
                constants++;
                if (!has_literal(&all, instruction[3])) {
                    fail_msg("%s: constant 0x%08x is no literal of the shared sources", modules[i].name,
                             (unsigned)instruction[3]);
                }
            }
        }
        printf("%s: %zu constants\n", modules[i].name, constants);
        all_constants += constants;
        free(bare.words);
    }
    assert_true(all_constants > 60);
}

int main(void) {
    host = lmb_host_resolve(NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(embedded_modules_pass),
        cmocka_unit_test(one_bare_operation_is_found),
        cmocka_unit_test(banned_operations_are_found),
        cmocka_unit_test(modules_are_lowered),
        cmocka_unit_test(rounding_mode_is_declared_once),
        cmocka_unit_test(specialised_modules_pass),
        cmocka_unit_test(what_nothing_calls_is_gone),
        cmocka_unit_test(closed_branches_are_gone),
        cmocka_unit_test(operations_on_integers_are_evaluated),
        cmocka_unit_test(words_of_the_block_are_known),
        cmocka_unit_test(unknown_functions_are_refused),
        cmocka_unit_test(calls_are_decided),
        cmocka_unit_test(malformed_modules_are_refused),
        cmocka_unit_test(ids_out_of_bounds_are_refused),
        cmocka_unit_test(constants_are_those_of_c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
