// The operations of lanes and waves, by name.
#include "rdna_operations.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// Floats: subnormal inputs and results are flushed to zero.

static uint32_t flush(uint32_t bits) {
    return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
}

static float float_of(uint32_t bits) {
    bits = flush(bits);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return flush(bits);
}

uint32_t scale_float(uint32_t bits, float factor) {
    return bits_of(float_of(bits) * factor);
}

static float median(float a, float b, float c) {
    return fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
}

static uint32_t word_of(float x) {
    return !(x > 0.0f) ? 0 : x >= 4294967296.0f ? UINT32_MAX : (uint32_t)x;
}

static uint32_t reverse(uint32_t x) {
    uint32_t reversed = 0;
    for (uint32_t i = 0; i < 32; i++) {
        reversed |= (x >> i & 1u) << (31 - i);
    }
    return reversed;
}

static uint64_t find_one(uint64_t x) {
    uint64_t at = 0;
    while (at < 64 && !(x >> at & 1u)) {
        at++;
    }
    return at < 64 ? at : UINT32_MAX;
}

static uint32_t high_product(uint32_t a, uint32_t b) {
    return (uint32_t)((uint64_t)a * b >> 32);
}

static uint32_t low_24(uint32_t x) {
    return x & 0xffffffu;
}

#define LANE(name, expression)                                                                                         \
    static uint32_t name(uint32_t a, uint32_t b, uint32_t c) {                                                         \
        (void)a, (void)b, (void)c;                                                                                     \
        return expression;                                                                                             \
    }
#define LANE_FLOAT(name, expression)                                                                                   \
    static uint32_t name(uint32_t bits_a, uint32_t bits_b, uint32_t bits_c) {                                          \
        const float a = float_of(bits_a), b = float_of(bits_b), c = float_of(bits_c);                                  \
        (void)a, (void)b, (void)c;                                                                                     \
        return bits_of(expression);                                                                                    \
    }

LANE_FLOAT(add_f32, a + b)
LANE_FLOAT(sub_f32, a - b)
LANE_FLOAT(subrev_f32, b - a)
LANE_FLOAT(mul_f32, a *b)
LANE_FLOAT(min_f32, fminf(a, b))
LANE_FLOAT(max_f32, fmaxf(a, b))
LANE_FLOAT(med3_f32, median(a, b, c))
LANE_FLOAT(fma_f32, fmaf(a, b, c))
LANE_FLOAT(floor_f32, floorf(a))
LANE_FLOAT(rcp_f32, 1.0f / a)
LANE(cvt_f32_u32, bits_of((float)a))
LANE(cvt_f32_i32, bits_of((float)(int32_t)a))
LANE(cvt_f32_ubyte0, bits_of((float)(a & 0xffu)))
LANE(cvt_f32_ubyte1, bits_of((float)(a >> 8 & 0xffu)))
LANE(cvt_f32_ubyte2, bits_of((float)(a >> 16 & 0xffu)))
LANE(cvt_f32_ubyte3, bits_of((float)(a >> 24)))
LANE(cvt_u32_f32, word_of(float_of(a)))
LANE(mov_b32, a)
LANE(not_b32, ~a)
LANE(bfrev_b32, reverse(a))
LANE(ffbl_b32, (uint32_t)find_one(a))
LANE(add_u32, a + b)
LANE(sub_u32, a - b)
LANE(subrev_u32, b - a)
LANE(add3_u32, a + b + c)
LANE(and_b32, a &b)
LANE(or_b32, a | b)
LANE(xor_b32, a ^ b)
LANE(or3_b32, a | b | c)
LANE(and_or_b32, (a & b) | c)
LANE(bfi_b32, (a & b) | (~a & c))
LANE(bfe_u32, a >> (b & 31u) & ((1u << (c & 31u)) - 1u))
LANE(lshlrev_b32, b << (a & 31u))
LANE(lshrrev_b32, b >> (a & 31u))
LANE(ashrrev_i32, (uint32_t)((int32_t)b >> (a & 31u)))
LANE(lshl_add_u32, (a << (b & 31u)) + c)
LANE(add_lshl_u32, (a + b) << (c & 31u))
LANE(lshl_or_b32, a << (b & 31u) | c)
LANE(min_u32, a < b ? a : b)
LANE(max_u32, a > b ? a : b)
LANE(min_i32, (int32_t)a < (int32_t)b ? a : b)
LANE(max_i32, (int32_t)a > (int32_t)b ? a : b)
LANE(mul_lo_u32, a *b)
LANE(mul_hi_u32, high_product(a, b))
LANE(mul_u32_u24, low_24(a) * low_24(b))
LANE(mad_u32_u24, low_24(a) * low_24(b) + c)

static const lane_operation lane_operations[] = {
    {"v_add_f32", add_f32, 1},
    {"v_sub_f32", sub_f32, 1},
    {"v_subrev_f32", subrev_f32, 1},
    {"v_mul_f32", mul_f32, 1},
    {"v_min_f32", min_f32, 1},
    {"v_max_f32", max_f32, 1},
    {"v_med3_f32", med3_f32, 1},
    {"v_fma_f32", fma_f32, 1},
    {"v_fmac_f32", fma_f32, 1},
    {"v_fmaak_f32", fma_f32, 1},
    {"v_fmamk_f32", fma_f32, 1},
    {"v_floor_f32", floor_f32, 1},
    {"v_rcp_f32", rcp_f32, 4},
    {"v_rcp_iflag_f32", rcp_f32, 4},
    {"v_cvt_f32_u32", cvt_f32_u32, 1},
    {"v_cvt_f32_i32", cvt_f32_i32, 1},
    {"v_cvt_f32_ubyte0", cvt_f32_ubyte0, 1},
    {"v_cvt_f32_ubyte1", cvt_f32_ubyte1, 1},
    {"v_cvt_f32_ubyte2", cvt_f32_ubyte2, 1},
    {"v_cvt_f32_ubyte3", cvt_f32_ubyte3, 1},
    {"v_cvt_u32_f32", cvt_u32_f32, 1},
    {"v_mov_b32", mov_b32, 1},
    {"v_not_b32", not_b32, 1},
    {"v_bfrev_b32", bfrev_b32, 1},
    {"v_ffbl_b32", ffbl_b32, 1},
    {"v_add_nc_u32", add_u32, 1},
    {"v_sub_nc_u32", sub_u32, 1},
    {"v_subrev_nc_u32", subrev_u32, 1},
    {"v_add3_u32", add3_u32, 1},
    {"v_and_b32", and_b32, 1},
    {"v_or_b32", or_b32, 1},
    {"v_xor_b32", xor_b32, 1},
    {"v_or3_b32", or3_b32, 1},
    {"v_and_or_b32", and_or_b32, 1},
    {"v_bfi_b32", bfi_b32, 1},
    {"v_bfe_u32", bfe_u32, 1},
    {"v_lshlrev_b32", lshlrev_b32, 1},
    {"v_lshrrev_b32", lshrrev_b32, 1},
    {"v_ashrrev_i32", ashrrev_i32, 1},
    {"v_lshl_add_u32", lshl_add_u32, 1},
    {"v_add_lshl_u32", add_lshl_u32, 1},
    {"v_lshl_or_b32", lshl_or_b32, 1},
    {"v_min_u32", min_u32, 1},
    {"v_max_u32", max_u32, 1},
    {"v_min_i32", min_i32, 1},
    {"v_max_i32", max_i32, 1},
    {"v_mul_lo_u32", mul_lo_u32, 4},
    {"v_mul_hi_u32", mul_hi_u32, 4},
    {"v_mul_u32_u24", mul_u32_u24, 1},
    {"v_mad_u32_u24", mad_u32_u24, 1},
};

const lane_operation *find_lane_operation(const char *name) {
    for (size_t i = 0; i < sizeof lane_operations / sizeof *lane_operations; i++) {
        if (strcmp(name, lane_operations[i].name) == 0) {
            return &lane_operations[i];
        }
    }
    return NULL;
}

static uint64_t all_bits(uint32_t bits) {
    return bits == 64 ? UINT64_MAX : UINT32_MAX;
}

static uint64_t count_ones(uint64_t x) {
    uint64_t count = 0;
    for (; x != 0; x &= x - 1) {
        count++;
    }
    return count;
}

static uint64_t extract(uint64_t x, uint64_t where) {
    const uint64_t count = where >> 16 & 127u;
    return x >> (where & 31u) & (((uint64_t)1 << count) - 1u);
}

static uint64_t make_mask(uint64_t count, uint64_t first) {
    return (((uint64_t)1 << (count & 31u)) - 1u) << (first & 31u);
}

#define SCALAR(name, expression)                                                                                       \
    static uint64_t name(uint64_t a, uint64_t b, uint32_t bits, bool carry) {                                          \
        (void)a, (void)b, (void)bits, (void)carry;                                                                     \
        return expression;                                                                                             \
    }

SCALAR(s_mov, a)
SCALAR(s_not, ~a &all_bits(bits))
SCALAR(s_and, a &b)
SCALAR(s_or, a | b)
SCALAR(s_xor, a ^ b)
SCALAR(s_andn2, a & ~b)
SCALAR(s_orn2, (a | ~b) & all_bits(bits))
SCALAR(s_nand, ~(a &b) & all_bits(bits))
SCALAR(s_nor, ~(a | b) & all_bits(bits))
SCALAR(s_xnor, ~(a ^ b) & all_bits(bits))
SCALAR(s_lshl, a << (b & (bits - 1u)) & all_bits(bits))
SCALAR(s_lshr, a >> (b & (bits - 1u)))
SCALAR(s_ashr, (uint64_t)((int64_t)a >> (b & (bits - 1u))))
SCALAR(s_cselect, carry ? a : b)
SCALAR(s_movk, (uint64_t)(int16_t)a)
SCALAR(s_addk, a + (uint64_t)(int16_t)b)
SCALAR(s_mulk, a *(uint64_t)(int16_t)b)
SCALAR(s_pack_ll, (a & 0xffffu) | (b & 0xffffu) << 16)
SCALAR(s_brev, reverse((uint32_t)a))
SCALAR(s_bcnt1, count_ones(a))
SCALAR(s_ff1, find_one(a))
SCALAR(s_bfe, extract(a, b))
SCALAR(s_bfm, make_mask(a, b))
SCALAR(s_add, a + b)
SCALAR(s_addc, a + b + carry)
SCALAR(s_sub, a - b)
SCALAR(s_subb, a - b - carry)
SCALAR(s_subrevb, b - a - carry)
SCALAR(s_mul, a *b)
SCALAR(s_mul_hi, (a * b) >> 32)
SCALAR(s_lshl1_add, (a << 1) + b)
SCALAR(s_lshl2_add, (a << 2) + b)
SCALAR(s_lshl3_add, (a << 3) + b)
SCALAR(s_lshl4_add, (a << 4) + b)
SCALAR(s_min, (int64_t)a < (int64_t)b ? a : b)
SCALAR(s_max, (int64_t)a > (int64_t)b ? a : b)
SCALAR(s_eq, a == b)
SCALAR(s_lg, a != b)
SCALAR(s_lt, (int64_t)a < (int64_t)b)
SCALAR(s_le, (int64_t)a <= (int64_t)b)
SCALAR(s_gt, (int64_t)a > (int64_t)b)
SCALAR(s_ge, (int64_t)a >= (int64_t)b)

// Scalar operations, and vector instructions that compute the same.
static const scalar_operation scalar_operations[] = {
    {"s_mov", s_mov, SCC_KEPT},
    {"s_movk", s_movk, SCC_KEPT},
    {"s_mulk", s_mulk, SCC_KEPT},
    {"s_addk", s_addk, SCC_CARRY},
    {"s_pack_ll_b32", s_pack_ll, SCC_KEPT},
    {"s_cselect", s_cselect, SCC_KEPT},
    {"s_brev", s_brev, SCC_KEPT},
    {"s_bfm", s_bfm, SCC_KEPT},
    {"s_mul", s_mul, SCC_KEPT},
    {"s_mul_hi", s_mul_hi, SCC_KEPT},
    {"s_ff1_i32", s_ff1, SCC_KEPT},
    {"s_bcnt1_i32", s_bcnt1, SCC_NONZERO},
    {"s_bfe", s_bfe, SCC_NONZERO},
    {"s_not", s_not, SCC_NONZERO},
    {"s_and", s_and, SCC_NONZERO},
    {"s_or", s_or, SCC_NONZERO},
    {"s_xor", s_xor, SCC_NONZERO},
    {"s_andn2", s_andn2, SCC_NONZERO},
    {"s_orn2", s_orn2, SCC_NONZERO},
    {"s_nand", s_nand, SCC_NONZERO},
    {"s_nor", s_nor, SCC_NONZERO},
    {"s_xnor", s_xnor, SCC_NONZERO},
    {"s_lshl", s_lshl, SCC_NONZERO},
    {"s_lshr", s_lshr, SCC_NONZERO},
    {"s_ashr", s_ashr, SCC_NONZERO},
    {"s_add", s_add, SCC_CARRY},
    {"s_addc", s_addc, SCC_CARRY},
    {"s_sub", s_sub, SCC_CARRY},
    {"s_subb", s_subb, SCC_CARRY},
    {"s_lshl1_add", s_lshl1_add, SCC_CARRY},
    {"s_lshl2_add", s_lshl2_add, SCC_CARRY},
    {"s_lshl3_add", s_lshl3_add, SCC_CARRY},
    {"s_lshl4_add", s_lshl4_add, SCC_CARRY},
    {"s_min", s_min, SCC_FIRST},
    {"s_max", s_max, SCC_FIRST},
    {"s_cmp_eq", s_eq, SCC_RESULT},
    {"s_cmp_lg", s_lg, SCC_RESULT},
    {"s_cmp_lt", s_lt, SCC_RESULT},
    {"s_cmp_le", s_le, SCC_RESULT},
    {"s_cmp_gt", s_gt, SCC_RESULT},
    {"s_cmp_ge", s_ge, SCC_RESULT},
    {"s_cmpk_eq", s_eq, SCC_RESULT},
    {"s_cmpk_lg", s_lg, SCC_RESULT},
    {"s_cmpk_lt", s_lt, SCC_RESULT},
    {"s_cmpk_le", s_le, SCC_RESULT},
    {"s_cmpk_gt", s_gt, SCC_RESULT},
    {"s_cmpk_ge", s_ge, SCC_RESULT},
    {"v_add_co", s_add, SCC_KEPT},
    {"v_add_co_ci", s_addc, SCC_KEPT},
    {"v_sub_co", s_sub, SCC_KEPT},
    {"v_sub_co_ci", s_subb, SCC_KEPT},
    {"v_subrev_co_ci", s_subrevb, SCC_KEPT},
    {"v_lshlrev", s_lshl, SCC_KEPT},
    {"v_lshrrev", s_lshr, SCC_KEPT},
    {"v_ashrrev", s_ashr, SCC_KEPT},
};

const scalar_operation *find_scalar_operation(const char *name, uint32_t length) {
    for (size_t i = 0; i < sizeof scalar_operations / sizeof *scalar_operations; i++) {
        if (strncmp(name, scalar_operations[i].name, length) == 0 && scalar_operations[i].name[length] == '\0') {
            return &scalar_operations[i];
        }
    }
    return NULL;
}

bool find_compare(const char *name, compare_operation *operation) {
    static const struct {
        const char *name;
        compare_operation operation;
    } relations[] = {
        {"lt", {.less = true}},
        {"eq", {.equal = true}},
        {"le", {.less = true, .equal = true}},
        {"gt", {.greater = true}},
        {"lg", {.less = true, .greater = true}},
        {"ge", {.equal = true, .greater = true}},
        {"o", {.less = true, .equal = true, .greater = true}},
        {"u", {.unordered = true}},
        {"ne", {.less = true, .greater = true}},
        {"nlt", {.equal = true, .greater = true, .unordered = true}},
        {"neq", {.less = true, .greater = true, .unordered = true}},
        {"nle", {.greater = true, .unordered = true}},
        {"ngt", {.less = true, .equal = true, .unordered = true}},
        {"nlg", {.equal = true, .unordered = true}},
        {"nge", {.less = true, .unordered = true}},
    };
    static const char *const types[] = {[COMPARE_F32] = "_f32", [COMPARE_I32] = "_i32", [COMPARE_U32] = "_u32"};
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++) {
        const size_t length = strlen(relations[i].name);
        for (int type = 0; type <= COMPARE_U32 && strncmp(name, relations[i].name, length) == 0; type++) {
            if (strcmp(name + length, types[type]) == 0) {
                *operation = relations[i].operation;
                operation->type = (compare_type)type;
                return true;
            }
        }
    }
    return false;
}

bool compare(compare_operation operation, uint32_t a, uint32_t b) {
    if (operation.type == COMPARE_F32) {
        const float x = float_of(a), y = float_of(b);
        return (operation.less && x < y) || (operation.equal && x == y) || (operation.greater && x > y) ||
               (operation.unordered && (isnan(x) || isnan(y)));
    }
    const bool less = operation.type == COMPARE_I32 ? (int32_t)a < (int32_t)b : a < b;
    return a == b ? operation.equal : less ? operation.less : operation.greater;
}
