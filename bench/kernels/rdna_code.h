// A parsed kernel: rdna_read.c creates it, rdna_run.c runs it.
#ifndef LIMBER_BENCH_KERNELS_RDNA_CODE_H
#define LIMBER_BENCH_KERNELS_RDNA_CODE_H

#include "rdna.h"
#include "rdna_operations.h"
#include "rdna_profile.h"

enum { RDNA_VGPRS = 256, RDNA_SGPRS = 128 };
enum { RDNA_VCC = 106, RDNA_M0 = 124, RDNA_NULL = 125, RDNA_EXEC = 126 }; // indices among the SGPRs
enum { RDNA_MOST_OPERANDS = 6, RDNA_MOST_USES = RDNA_MOST_OPERANDS + 2 };
// Numbers for all registers of a wave: VGPRs, SGPRs, SCC.
enum { RDNA_FIRST_SGPR = RDNA_VGPRS, RDNA_SCC = RDNA_FIRST_SGPR + RDNA_SGPRS, RDNA_REGISTERS };

typedef enum operand_kind {
    OPERAND_CONSTANT,
    OPERAND_VGPR,
    OPERAND_SGPR,
    OPERAND_SCC,
    OPERAND_OFF // no scalar base
} operand_kind;

typedef struct operand {
    operand_kind kind;
    uint32_t index;
    uint64_t value;
    bool negated;
    bool absolute;
    uint32_t shift; // selects a part of a word, together with a mask of its width
    uint32_t mask;
} operand;

// Registers that an instruction reads or writes.
typedef struct register_range {
    uint32_t first;
    uint32_t count;
} register_range;

typedef struct register_ranges {
    register_range ranges[RDNA_MOST_USES];
    uint32_t count;
} register_ranges;

struct workgroup;
struct wave;
typedef struct instruction instruction;
typedef void (*rdna_step)(struct workgroup *group, struct wave *wave, const instruction *instruction);

struct instruction {
    rdna_step step;
    operand operands[RDNA_MOST_OPERANDS];
    uint32_t operand_count;
    int32_t offsets[2]; // of memory accesses; the second one for instructions that access two locations
    float factor;       // factor of a float result, or 0
    const lane_operation *lane;
    const scalar_operation *scalar;
    compare_operation compare;
    bool to_exec;    // a comparison that writes EXEC
    bool keeps_rest; // a partial write keeps the rest of the word
    uint32_t across; // these bits of a lane's number are changed for its first source; 0: its own
    bool across_all; // from inactive lanes, too
    bool is_signed;
    uint32_t bits;   // of scalar sources: 32 or 64
    uint32_t words;  // of a memory access
    uint32_t cycles; // of a vector instruction
    uint32_t target; // of a branch: the instruction; while reading, the label
    uint32_t line;
    rdna_kind kind;
    register_ranges reads;
    register_ranges writes;
};

struct rdna_kernel {
    instruction *instructions;
    uint32_t count;
};

// Sets the function that runs an instruction; returns false if the name is unknown.
bool rdna_find_step(const char *name, instruction *instruction);
// Sets the kind and the registers, when the operands are known.
void rdna_find_uses(const char *name, instruction *instruction);

#endif
