// Finds what an instruction is, and which registers it reads and writes, from its name and operands.
#include "rdna_code.h"

#include <string.h>

static bool has(const char *name, const char *part) {
    return strstr(name, part) != NULL;
}

// The first prefix that fits decides.
static rdna_kind find_kind(const char *name) {
    static const struct {
        const char *prefix;
        rdna_kind kind;
    } prefixes[] = {{"global_load", RDNA_LOAD},     {"global_", RDNA_STORE},      {"ds_read", RDNA_LDS_READ},
                    {"ds_", RDNA_LDS_WRITE},        {"s_load", RDNA_SCALAR_LOAD}, {"s_branch", RDNA_BRANCH},
                    {"s_cbranch", RDNA_BRANCH},     {"s_endpgm", RDNA_BRANCH},    {"s_barrier", RDNA_BARRIER},
                    {"s_waitcnt", RDNA_HINT},       {"s_clause", RDNA_HINT},      {"s_nop", RDNA_HINT},
                    {"s_inst_prefetch", RDNA_HINT}, {"s_code_end", RDNA_HINT},    {"s_", RDNA_SCALAR},
                    {"v_cndmask", RDNA_SELECT},     {"v_cmp", RDNA_SELECT},       {"v_mov", RDNA_MOVE},
                    {"v_swap", RDNA_MOVE},          {"v_readlane", RDNA_MOVE},    {"v_readfirstlane", RDNA_MOVE},
                    {"v_writelane", RDNA_MOVE},     {"v_mul_lo", RDNA_MULTIPLY},  {"v_mul_hi", RDNA_MULTIPLY},
                    {"v_permlane", RDNA_MOVE},      {"v_cvt", RDNA_FLOAT}};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (strncmp(name, prefixes[i].prefix, strlen(prefixes[i].prefix)) == 0) {
            return prefixes[i].kind;
        }
    }
    return has(name, "_f32") ? RDNA_FLOAT : RDNA_INTEGER;
}

static void add(register_ranges *to, uint32_t first, uint32_t count) {
    if (to->count < RDNA_MOST_USES) {
        to->ranges[to->count++] = (register_range){first, count};
    }
}

static void add_operand(register_ranges *to, const operand *operand, uint32_t count) {
    if (operand->kind == OPERAND_VGPR) {
        add(to, operand->index, count);
    } else if (operand->kind == OPERAND_SGPR && operand->index != RDNA_NULL) {
        add(to, RDNA_FIRST_SGPR + operand->index, count);
    } else if (operand->kind == OPERAND_SCC) {
        add(to, RDNA_SCC, 1);
    }
}

static void add_exec(register_ranges *to) {
    add(to, RDNA_FIRST_SGPR + RDNA_EXEC, 2);
}

// A memory access has an address, and data unless it loads. Global ones have a base, too.
static void find_memory_uses(const char *name, instruction *in) {
    const bool loads = in->kind == RDNA_LOAD || in->kind == RDNA_LDS_READ;
    const bool global = in->kind == RDNA_LOAD || in->kind == RDNA_STORE;
    const bool wide_address = global && in->operands[2].kind == OPERAND_OFF;
    add_exec(&in->reads);
    add_operand(&in->reads, &in->operands[loads ? 1 : 0], wide_address ? 2 : 1);
    if (global) {
        add_operand(&in->reads, &in->operands[2], 2);
    }
    if (loads) {
        add_operand(&in->writes, &in->operands[0], in->words * (has(name, "read2") ? 2 : 1));
    } else {
        for (uint32_t i = 1; i < (global ? 2 : in->operand_count); i++) {
            add_operand(&in->reads, &in->operands[i], in->words);
        }
    }
}

static void find_scalar_uses(const char *name, instruction *in) {
    const bool saves = has(name, "_saveexec"), compares = !saves && in->scalar->scc == SCC_RESULT;
    const uint32_t width = saves || in->bits == 64 ? 2 : 1;
    for (uint32_t i = compares ? 0 : 1; i < in->operand_count; i++) {
        add_operand(&in->reads, &in->operands[i], width);
    }
    if (saves) {
        add_exec(&in->reads);
        add_exec(&in->writes);
    }
    if (has(name, "cselect") || has(name, "addc") || has(name, "subb")) {
        add(&in->reads, RDNA_SCC, 1);
    }
    if (!compares) {
        add_operand(&in->writes, &in->operands[0], width);
    }
    if (saves || in->scalar->scc != SCC_KEPT) {
        add(&in->writes, RDNA_SCC, 1);
    }
}

static void find_branch_uses(const char *name, instruction *in) {
    if (has(name, "scc")) {
        add(&in->reads, RDNA_SCC, 1);
    } else if (has(name, "vcc")) {
        add(&in->reads, RDNA_FIRST_SGPR + RDNA_VCC, 2);
    } else if (has(name, "exec")) {
        add_exec(&in->reads);
    }
}

static void find_vector_uses(const char *name, instruction *in) {
    const bool has_carry = has(name, "_co_"), swaps = has(name, "v_swap"), compares = has(name, "v_cmp");
    const uint32_t first = in->to_exec || swaps ? 0 : has_carry ? 2 : 1;
    add_exec(&in->reads);
    for (uint32_t i = first; i < in->operand_count; i++) {
        const bool is_mask = (has_carry && i == 4) || (has(name, "v_cndmask") && i == 3);
        const bool is_wide = in->bits == 64 && i == 2; // of a shift, whose count is before it
        add_operand(&in->reads, &in->operands[i], is_mask || is_wide ? 2 : 1);
    }
    if (in->to_exec) {
        add_exec(&in->writes);
        return;
    }
    add_operand(&in->writes, &in->operands[0], compares || in->bits == 64 ? 2 : 1);
    if (has_carry || swaps) {
        add_operand(&in->writes, &in->operands[1], has_carry ? 2 : 1);
    }
}

void rdna_find_uses(const char *name, instruction *in) {
    in->kind = find_kind(name);
    switch (in->kind) {
    case RDNA_LOAD:
    case RDNA_STORE:
    case RDNA_LDS_READ:
    case RDNA_LDS_WRITE:
        find_memory_uses(name, in);
        break;
    case RDNA_SCALAR:
        find_scalar_uses(name, in);
        break;
    case RDNA_SCALAR_LOAD:
        add_operand(&in->reads, &in->operands[1], 2);
        add_operand(&in->reads, &in->operands[2], 1);
        add_operand(&in->writes, &in->operands[0], in->words);
        break;
    case RDNA_BRANCH:
        find_branch_uses(name, in);
        break;
    case RDNA_BARRIER:
    case RDNA_HINT:
        break;
    default:
        find_vector_uses(name, in);
        break;
    }
}
