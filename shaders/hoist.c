#include "hoist.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

// What is known of an id.
typedef struct known {
    size_t block;          // the word of its OpLabel, or 0
    uint32_t predecessors; // blocks that branch to it, each counted as often as its branch names it
    bool specialises;      // it is a specialisation constant, or computed from them
    bool moved;            // its block's instructions are before the branch to it
} known;

static bool is_pure(uint32_t op) {
    return op == SpvOpExtInst || op == SpvOpVectorShuffle || op == SpvOpCompositeConstruct ||
           op == SpvOpCompositeExtract || op == SpvOpCopyObject || (op >= SpvOpConvertFToU && op <= SpvOpBitcast) ||
           (op >= SpvOpSNegate && op <= SpvOpFMul) || (op >= SpvOpLogicalEqual && op <= SpvOpFUnordGreaterThanEqual) ||
           (op >= SpvOpShiftRightLogical && op <= SpvOpBitCount);
}

static bool is_terminator(uint32_t op) {
    return op >= SpvOpBranch && op <= SpvOpUnreachable;
}

static void count_branch(known *ids, const uint32_t *words, size_t at) {
    const uint32_t op = spirv_opcode(words[at]), length = spirv_length(words[at]);
    if (op == SpvOpBranch) {
        ids[words[at + 1]].predecessors++;
    } else if (op == SpvOpBranchConditional) {
        ids[words[at + 2]].predecessors++;
        ids[words[at + 3]].predecessors++;
    } else if (op == SpvOpSwitch) {
        for (uint32_t i = 2; i < length; i += 2) { // every selector has a single word
            ids[words[at + i]].predecessors++;
        }
    }
}

static void learn(known *ids, const uint32_t *words, size_t count) {
    for (size_t at = SPIRV_HEADER_WORDS; at < count; at += spirv_length(words[at])) {
        const uint32_t op = spirv_opcode(words[at]);
        if (op == SpvOpLabel) {
            ids[words[at + 1]].block = at;
        } else if (op >= SpvOpSpecConstantTrue && op <= SpvOpSpecConstantOp) {
            ids[words[at + 2]].specialises = true;
        }
        count_branch(ids, words, at);
    }
}

// Whether the block has a single predecessor and only a few pure instructions before its branch to `merge`. Returns the
// end of these instructions.
static bool is_small_arm(const known *ids, const uint32_t *words, uint32_t arm, uint32_t merge, size_t *end) {
    size_t at = ids[arm].block + spirv_length(words[ids[arm].block]);
    uint32_t instructions = 0;
    for (; is_pure(spirv_opcode(words[at])); at += spirv_length(words[at])) {
        instructions++;
    }
    *end = at;
    return ids[arm].predecessors == 1 && instructions <= HOIST_MOST_INSTRUCTIONS &&
           spirv_opcode(words[at]) == SpvOpBranch && words[at + 1] == merge;
}

// Moves the arms of the branch at `at`, an OpSelectionMerge, to `to` in the result, if all of them are small. Returns
// the number of words that it moved.
static size_t move_arms(known *ids, const uint32_t *words, size_t at, uint32_t *to) {
    const uint32_t merge = words[at + 1];
    const uint32_t *const branch = words + at + spirv_length(words[at]);
    size_t begins[2] = {0}, ends[2] = {0}, moved = 0;
    if (spirv_opcode(branch[0]) != SpvOpBranchConditional || ids[branch[1]].specialises ||
        ids[merge].predecessors != 2) {
        return 0;
    }
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t arm = branch[2 + i];
        if (arm == merge) {
            continue;
        }
        if (!is_small_arm(ids, words, arm, merge, &ends[i])) {
            return 0;
        }
        begins[i] = ids[arm].block + spirv_length(words[ids[arm].block]);
    }
    for (uint32_t i = 0; i < 2; i++) {
        memcpy(to + moved, words + begins[i], (ends[i] - begins[i]) * sizeof *to);
        moved += ends[i] - begins[i];
        ids[branch[2 + i]].moved = ends[i] > begins[i];
    }
    return moved;
}

lmb_result hoist_branches(const lmb_host *host, const uint32_t *words, size_t count, lmb_spirv *result,
                          size_t *branches, lmb_error *error) {
    lmb_result shape = lmb_spirv_check_shape(words, count, error);
    if (shape != LMB_OK) {
        return shape;
    }
    known *ids = lmb_host_allocate(host, words[SPIRV_BOUND], sizeof *ids);
    uint32_t *copy = lmb_host_allocate(host, count, sizeof *copy);
    if (ids == NULL || copy == NULL) {
        lmb_host_release(host, ids);
        lmb_host_release(host, copy);
        return lmb_fail(error, LMB_ERROR_MEMORY, "SPIR-V: no memory for %zu words", count);
    }
    learn(ids, words, count);
    memcpy(copy, words, SPIRV_HEADER_WORDS * sizeof *copy);
    *branches = 0;
    size_t to = SPIRV_HEADER_WORDS;
    bool skips = false; // instructions of a block that are moved already
    for (size_t at = SPIRV_HEADER_WORDS; at < count; at += spirv_length(words[at])) {
        const uint32_t op = spirv_opcode(words[at]);
        if (op == SpvOpSelectionMerge) {
            const size_t moved = move_arms(ids, words, at, copy + to);
            to += moved;
            *branches += moved > 0;
        }
        skips = skips && !is_terminator(op);
        if (!skips) {
            memcpy(copy + to, words + at, spirv_length(words[at]) * sizeof *copy);
            to += spirv_length(words[at]);
        }
        skips = skips || (op == SpvOpLabel && ids[words[at + 1]].moved);
    }
    lmb_host_release(host, ids);
    *result = (lmb_spirv){copy, to};
    return LMB_OK;
}
