// The SIMD version of language.h: vectors of LMB_SIMD_WIDTH lanes, with GCC's and Clang's vector extensions. Compilers
// provide arithmetic, comparison and integer operations, which round each lane as scalar code does.
#ifndef LMB_OPS_SIMD_H
#define LMB_OPS_SIMD_H

#if defined(__SSE2__)
#include <immintrin.h>
#endif

// Everything but the next two is inlined, because vectors wider than a register are passed through memory in calls.
#define OP static inline __attribute__((always_inline))
#define OP_NOINLINE OP
// Cold code is kept out of line. It takes and returns vectors by address. Callers pass addresses of variables of the
// calling block only, and copy from these: Clang keeps a variable in memory everywhere if any block takes its address.
#define OP_COLD static __attribute__((noinline, unused))
// Shared code is out of line, too, and takes vectors by value: it is so long that passing them costs little.
#define OP_SHARED OP_COLD

typedef float real __attribute__((vector_size(4 * LMB_SIMD_WIDTH)));
typedef uint32_t word __attribute__((vector_size(4 * LMB_SIMD_WIDTH)));
typedef int32_t lane_mask __attribute__((vector_size(4 * LMB_SIMD_WIDTH)));

#define BITS(x) ((word)(x))
#define REAL(bits) ((real)(bits))
// Both require values within the range of a signed integer.
#define TO_REAL(integer) __builtin_convertvector((lane_mask)(integer), real)
#define TO_WORD(x) ((word) __builtin_convertvector(x, lane_mask))

#define SIMD_WIDTH LMB_SIMD_WIDTH
#define LANE(x, lane) ((x)[lane])
#define PREFETCH(address) __builtin_prefetch(address, 1, 3)
#define SPLAT(x) lmb_all(x)
#define ALL_WORD(integer) lmb_all_word(integer)
#define SELECT(condition, yes, no) _Generic((yes), real : lmb_select_real, word : lmb_select_word)(condition, yes, no)
#define SELECT_BITS(condition, integer) ((word)(condition) & (integer))
#define OR(a, b) ((a) | (b))
#define AND(a, b) ((a) & (b))
#define NOT(a) (~(a))
#define ANY(condition) lmb_any(condition)
#define ALL(condition) (!lmb_any(~(condition)))
#define ONE_OF(condition, integer) lmb_one_of(condition, integer)
#define MIN_OF_LANES(x) lmb_min_of_lanes(x)
#define GATHER(base, index) lmb_gather(base, index)
#define GATHER_REAL(base, index) ((real)lmb_gather(base, index))
#define LOAD_LANES(base, first) lmb_load_lanes((base) + (first))
#define LOAD_LANES_REAL(base, first) ((real)lmb_load_lanes((base) + (first)))
#define SCATTER(base, index, integer, condition) lmb_scatter(base, index, integer, condition)
#define FLOOR(x) lmb_floor(x)
#define MINIMUM(a, b) lmb_minimum(a, b)
#define LESSER(a, b) lmb_lesser(a, b)
#define GREATER(a, b) lmb_greater(a, b)
#define ABOVE(a, b) ((lane_mask)(a) > (int32_t)(b))

// Subtracts zero, which compilers optimise away. Adding zero would change the sign of -0.
OP real lmb_all(float x) {
    return x - (real){0};
}

OP word lmb_all_word(uint32_t integer) {
    return (word){0} + integer;
}

OP word lmb_select_word(lane_mask condition, word yes, word no) {
#if LMB_SIMD_WIDTH == 8 && defined(__AVX2__)
    return (word)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)condition);
#else
    return (yes & (word)condition) | (no & ~(word)condition);
#endif
}

OP real lmb_select_real(lane_mask condition, real yes, real no) {
    return (real)lmb_select_word(condition, (word)yes, (word)no);
}

// One bit for each lane.
OP uint32_t lmb_lane_bits(lane_mask condition) {
#if LMB_SIMD_WIDTH == 16 && defined(__AVX512DQ__)
    return _mm512_movepi32_mask((__m512i)condition);
#elif LMB_SIMD_WIDTH == 8 && defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps((__m256)condition);
#elif LMB_SIMD_WIDTH == 4 && defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)condition);
#else
    uint32_t bits = 0;
    for (int lane = 0; lane < LMB_SIMD_WIDTH; lane++) {
        bits |= (uint32_t)(condition[lane] & 1) << lane;
    }
    return bits;
#endif
}

OP bool lmb_any(lane_mask condition) {
    return lmb_lane_bits(condition) != 0;
}

// The value of the first lane in which the condition holds, or of the last lane if it holds in none.
OP uint32_t lmb_one_of(lane_mask condition, word integer) {
    return integer[__builtin_ctz(lmb_lane_bits(condition) | 1u << (LMB_SIMD_WIDTH - 1))];
}

// The minimum of all lanes.
OP float lmb_min_of_lanes(real x) {
    float lowest = x[0];
    for (int lane = 1; lane < LMB_SIMD_WIDTH; lane++) {
        lowest = x[lane] < lowest ? x[lane] : lowest;
    }
    return lowest;
}

OP uint32_t lmb_count(lane_mask condition) {
    return (uint32_t)__builtin_popcount(lmb_lane_bits(condition));
}

// Minimum of unsigned integers.
OP word lmb_minimum(word a, uint32_t b) {
#if LMB_SIMD_WIDTH == 16 && defined(__AVX512F__)
    return (word)_mm512_min_epu32((__m512i)a, _mm512_set1_epi32((int)b));
#elif LMB_SIMD_WIDTH == 8 && defined(__AVX2__)
    return (word)_mm256_min_epu32((__m256i)a, _mm256_set1_epi32((int)b));
#else
    return lmb_select_word((lane_mask)(a < b), a, lmb_all_word(b));
#endif
}

// a < b ? a : b, where b is the same for all lanes.
OP real lmb_lesser(real a, float b) {
#if LMB_SIMD_WIDTH == 16 && defined(__AVX512F__)
    return (real)_mm512_min_ps((__m512)a, _mm512_set1_ps(b));
#elif LMB_SIMD_WIDTH == 8 && defined(__AVX2__)
    return (real)_mm256_min_ps((__m256)a, _mm256_set1_ps(b));
#elif LMB_SIMD_WIDTH == 4 && defined(__SSE2__)
    return (real)_mm_min_ps((__m128)a, _mm_set1_ps(b));
#else
    return lmb_select_real(a < b, a, lmb_all(b));
#endif
}

// a < b ? b : a, where b is the same for all lanes. The instructions return their second operand for NaN.
OP real lmb_greater(real a, float b) {
#if LMB_SIMD_WIDTH == 16 && defined(__AVX512F__)
    return (real)_mm512_max_ps(_mm512_set1_ps(b), (__m512)a);
#elif LMB_SIMD_WIDTH == 8 && defined(__AVX2__)
    return (real)_mm256_max_ps(_mm256_set1_ps(b), (__m256)a);
#elif LMB_SIMD_WIDTH == 4 && defined(__SSE2__)
    return (real)_mm_max_ps(_mm_set1_ps(b), (__m128)a);
#else
    return lmb_select_real(a < b, lmb_all(b), a);
#endif
}

// snap() of number.h: clears what is not at least the smallest magnitude, NaN included, and bounds the rest by the
// largest. snap_small() has no upper bound.
#if LMB_SIMD_WIDTH == 16 && defined(__AVX512DQ__)
#define LMB_SNAP(x, smallest, largest) lmb_snap(x, smallest, largest)
OP real lmb_snap(real x, float smallest, float largest) {
    __m512 given = (__m512)x;
    __mmask16 kept = _mm512_cmp_ps_mask(_mm512_abs_ps(given), _mm512_set1_ps(smallest), _CMP_GE_OQ);
    return (real)_mm512_maskz_range_ps(kept, given, _mm512_set1_ps(largest), 2); // the smaller magnitude, with x's sign
}
#define LMB_SNAP_SMALL(x, smallest) lmb_snap_small(x, smallest)
OP real lmb_snap_small(real x, float smallest) {
    __m512 given = (__m512)x;
    return (real)_mm512_maskz_mov_ps(_mm512_cmp_ps_mask(_mm512_abs_ps(given), _mm512_set1_ps(smallest), _CMP_GE_OQ),
                                     given);
}
#elif LMB_SIMD_WIDTH == 8 && defined(__AVX2__)
#define LMB_SNAP(x, smallest, largest) lmb_snap(x, smallest, largest)
OP real lmb_snap(real x, float smallest, float largest) {
    __m256 given = (__m256)x;
    __m256 magnitude = (__m256)(word)((word)x & 0x7fffffffu);
    __m256 kept = _mm256_cmp_ps(magnitude, _mm256_set1_ps(smallest), _CMP_GE_OQ);
    __m256 bounded = _mm256_max_ps(_mm256_min_ps(given, _mm256_set1_ps(largest)), _mm256_set1_ps(-largest));
    return (real)_mm256_and_ps(bounded, kept);
}
#define LMB_SNAP_SMALL(x, smallest) lmb_snap_small(x, smallest)
OP real lmb_snap_small(real x, float smallest) {
    __m256 magnitude = (__m256)(word)((word)x & 0x7fffffffu);
    return (real)_mm256_and_ps((__m256)x, _mm256_cmp_ps(magnitude, _mm256_set1_ps(smallest), _CMP_GE_OQ));
}
#elif LMB_SIMD_WIDTH == 4 && defined(__SSE2__)
#define LMB_SNAP(x, smallest, largest) lmb_snap(x, smallest, largest)
OP real lmb_snap(real x, float smallest, float largest) {
    __m128 given = (__m128)x;
    __m128 magnitude = (__m128)(word)((word)x & 0x7fffffffu);
    __m128 kept = _mm_cmpge_ps(magnitude, _mm_set1_ps(smallest));
    __m128 bounded = _mm_max_ps(_mm_min_ps(given, _mm_set1_ps(largest)), _mm_set1_ps(-largest));
    return (real)_mm_and_ps(bounded, kept);
}
#endif

OP word lmb_gather(memory base, word index) {
#if LMB_SIMD_WIDTH == 16 && defined(__AVX512F__)
    return (word)_mm512_i32gather_epi32((__m512i)index, base, 4);
#elif LMB_SIMD_WIDTH == 8 && defined(__AVX2__)
    return (word)_mm256_i32gather_epi32((const int *)base, (__m256i)index, 4);
#else
    uint32_t at[LMB_SIMD_WIDTH], gathered[LMB_SIMD_WIDTH];
    word result;
    memcpy(at, &index, sizeof at);
    for (int lane = 0; lane < LMB_SIMD_WIDTH; lane++) {
        gathered[lane] = base[at[lane]];
    }
    memcpy(&result, gathered, sizeof result);
    return result;
#endif
}

OP word lmb_load_lanes(memory from) {
    word loaded;
    memcpy(&loaded, from, sizeof loaded);
    return loaded;
}

OP void lmb_scatter(mutable_memory base, word index, word integer, lane_mask condition) {
    uint32_t at[LMB_SIMD_WIDTH], words[LMB_SIMD_WIDTH];
    memcpy(at, &index, sizeof at);
    memcpy(words, &integer, sizeof words);
    if (!lmb_any(~condition)) {
        for (int lane = 0; lane < LMB_SIMD_WIDTH; lane++) {
            base[at[lane]] = words[lane];
        }
        return;
    }
    for (uint32_t left = lmb_lane_bits(condition); left != 0; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        base[at[lane]] = words[lane];
    }
}

// A word of each lane, from an address per lane.
OP word lmb_load_words(uint32_t *const from[LMB_SIMD_WIDTH], size_t index) {
    uint32_t words[LMB_SIMD_WIDTH];
    for (int lane = 0; lane < LMB_SIMD_WIDTH; lane++) {
        words[lane] = from[lane][index];
    }
    return lmb_load_lanes(words);
}

// Stores a word of each lane in which the condition holds.
OP void lmb_store_words(uint32_t *const to[LMB_SIMD_WIDTH], size_t index, word integer, lane_mask condition) {
    uint32_t words[LMB_SIMD_WIDTH];
    memcpy(words, &integer, sizeof words);
    if (!lmb_any(~condition)) {
        for (int lane = 0; lane < LMB_SIMD_WIDTH; lane++) {
            to[lane][index] = words[lane];
        }
        return;
    }
    for (uint32_t left = lmb_lane_bits(condition); left != 0; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        to[lane][index] = words[lane];
    }
}

// Exact: floats from 2^23 on have no fraction, and smaller ones fit an integer.
OP real lmb_floor(real x) {
    real whole = __builtin_convertvector(__builtin_convertvector(x, lane_mask), real);
    whole = whole - (real)((word)(whole > x) & (word)lmb_all(1.0f));
    word magnitude = (word)x & 0x7fffffffu;
    return lmb_select_real((lane_mask)(magnitude < 0x4b000000u), whole, x);
}

// Shuffle indices. Within each group of four lanes: the first halves of two vectors interleaved, the second halves
// interleaved; the same by pairs; and lanes 0 and 2 of the first vector, then of the second.
#if LMB_SIMD_WIDTH == 4
#define LMB_LOW 0, 4, 1, 5
#define LMB_HIGH 2, 6, 3, 7
#define LMB_LOW_PAIRS 0, 1, 4, 5
#define LMB_HIGH_PAIRS 2, 3, 6, 7
#define LMB_EVEN 0, 2, 4, 6
#elif LMB_SIMD_WIDTH == 8
#define LMB_LOW 0, 8, 1, 9, 4, 12, 5, 13
#define LMB_HIGH 2, 10, 3, 11, 6, 14, 7, 15
#define LMB_LOW_PAIRS 0, 1, 8, 9, 4, 5, 12, 13
#define LMB_HIGH_PAIRS 2, 3, 10, 11, 6, 7, 14, 15
#define LMB_EVEN 0, 2, 8, 10, 4, 6, 12, 14
#elif LMB_SIMD_WIDTH == 16
#define LMB_LOW 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define LMB_HIGH 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#define LMB_LOW_PAIRS 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define LMB_HIGH_PAIRS 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#define LMB_EVEN 0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30
#endif

// Transposes groups of four lanes, in both directions: row k of group g of `v` becomes the four components of lane 4 g
// + k.
OP void lmb_transpose(real v[4]) {
    real low_a = __builtin_shufflevector(v[0], v[1], LMB_LOW);
    real high_a = __builtin_shufflevector(v[0], v[1], LMB_HIGH);
    real low_b = __builtin_shufflevector(v[2], v[3], LMB_LOW);
    real high_b = __builtin_shufflevector(v[2], v[3], LMB_HIGH);
    v[0] = __builtin_shufflevector(low_a, low_b, LMB_LOW_PAIRS);
    v[1] = __builtin_shufflevector(low_a, low_b, LMB_HIGH_PAIRS);
    v[2] = __builtin_shufflevector(high_a, high_b, LMB_LOW_PAIRS);
    v[3] = __builtin_shufflevector(high_a, high_b, LMB_HIGH_PAIRS);
}

// Joins quarters of four lanes into one vector.
typedef float lmb_quarter __attribute__((vector_size(16)));
OP real lmb_join(const lmb_quarter *quarters) {
#if LMB_SIMD_WIDTH == 16 && defined(__AVX512DQ__)
    __m256 low = _mm256_insertf128_ps(_mm256_castps128_ps256((__m128)quarters[0]), (__m128)quarters[1], 1);
    __m512 three = _mm512_insertf32x4(_mm512_castps256_ps512(low), (__m128)quarters[2], 2);
    return (real)_mm512_insertf32x4(three, (__m128)quarters[3], 3);
#elif LMB_SIMD_WIDTH == 8 && defined(__AVX2__)
    return (real)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)quarters[0]), (__m128)quarters[1], 1);
#else
    real joined;
    memcpy(&joined, quarters, sizeof joined);
    return joined;
#endif
}

// Joins every fourth row, starting with the first, into one vector.
OP real lmb_join_fours(const uint32_t *const *rows) {
    lmb_quarter quarters[LMB_SIMD_WIDTH / 4];
    for (int i = 0; i < LMB_SIMD_WIDTH / 4; i++) {
        memcpy(&quarters[i], rows[4 * i], sizeof quarters[i]);
    }
    return lmb_join(quarters);
}

// Loads four consecutive floats per lane into one vector per component, from an address per lane.
OP void lmb_load_rows_of(const uint32_t *const from[LMB_SIMD_WIDTH], real v[4]) {
    for (int row = 0; row < 4; row++) {
        v[row] = lmb_join_fours(from + row);
    }
    lmb_transpose(v);
}

// The same, from an offset per lane, in words from `base` on.
OP void lmb_load_rows_at(const uint32_t *base, const size_t offsets[LMB_SIMD_WIDTH], real v[4]) {
    const uint32_t *rows[LMB_SIMD_WIDTH];
    for (int lane = 0; lane < LMB_SIMD_WIDTH; lane++) {
        rows[lane] = base + offsets[lane];
    }
    lmb_load_rows_of(rows, v);
}

// The offsets of rows of `words` words, by row numbers.
OP void lmb_find_rows(word number, uint32_t words, size_t offsets[LMB_SIMD_WIDTH]) {
    for (int lane = 0; lane < LMB_SIMD_WIDTH; lane++) {
        offsets[lane] = (size_t)number[lane] * words;
    }
}

// The same, from an index per lane.
OP void lmb_load_rows(memory base, word index, real v[4]) {
    const uint32_t *rows[LMB_SIMD_WIDTH];
    for (int lane = 0; lane < LMB_SIMD_WIDTH; lane++) {
        rows[lane] = base + index[lane];
    }
    lmb_load_rows_of(rows, v);
}

// 64 bits per lane. `first` has lanes 0 and 1 of each group of four, `second` has lanes 2 and 3.
typedef uint64_t lmb_double __attribute__((vector_size(4 * LMB_SIMD_WIDTH)));
typedef struct lmb_doubles {
    lmb_double first;
    lmb_double second;
} lmb_doubles;

// Loads 64 bits per lane, from an offset per lane, in words from `base` on, which may be at any byte.
OP lmb_doubles lmb_load_doubles(const char *base, const size_t offsets[LMB_SIMD_WIDTH]) {
    lmb_quarter quarters[2][LMB_SIMD_WIDTH / 4];
    for (int pair = 0; pair < LMB_SIMD_WIDTH / 2; pair++) {
        const char *low = base + 4 * offsets[2 * pair], *high = base + 4 * offsets[2 * pair + 1];
#if defined(__SSE2__)
        __m128 loaded = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)low));
        quarters[pair % 2][pair / 2] = (lmb_quarter)_mm_loadh_pi(loaded, (const __m64 *)high);
#else
        uint64_t both[2];
        memcpy(&both[0], low, 8);
        memcpy(&both[1], high, 8);
        memcpy(&quarters[pair % 2][pair / 2], both, sizeof both);
#endif
    }
    return (lmb_doubles){(lmb_double)lmb_join(quarters[0]), (lmb_double)lmb_join(quarters[1])};
}

// The `count` bits of each lane from bit `at` on, below 64.
OP word lmb_bits_of_doubles(lmb_doubles from, uint32_t at, uint32_t count) {
    word first = (word)(from.first >> (uint64_t)at), second = (word)(from.second >> (uint64_t)at);
    // One instruction; compilers choose three.
#if LMB_SIMD_WIDTH == 16 && defined(__AVX512F__)
    word even = (word)_mm512_shuffle_ps((__m512)first, (__m512)second, 0x88);
#elif LMB_SIMD_WIDTH == 8 && defined(__AVX2__)
    word even = (word)_mm256_shuffle_ps((__m256)first, (__m256)second, 0x88);
#else
    word even = __builtin_shufflevector(first, second, LMB_EVEN);
#endif
    return even & ((1u << count) - 1u);
}

#if defined(__AVX2__)
// Splits two words into three times ten bits each. Returns in turns a value of the first word divided by 512, less 1,
// and one of the second word plus 1, times `step`, which is a power of two. So every result is exact.
#define LMB_TEN_BITS
OP void lmb_ten_bits(uint32_t first, uint32_t second, float step, float pairs[8]) {
    const __m256i shifts = _mm256_setr_epi32(0, 0, 10, 10, 20, 20, 0, 0);
    __m256i words = _mm256_set1_epi64x((long long)((uint64_t)second << 32 | first));
    __m256 values = _mm256_cvtepi32_ps(_mm256_and_si256(_mm256_srlv_epi32(words, shifts), _mm256_set1_epi32(1023)));
    __m256 steps = _mm256_set1_ps(step);
    __m256 scales = _mm256_blend_ps(_mm256_set1_ps(0.001953125f), steps, 0xaa);
    __m256 offsets = _mm256_blend_ps(_mm256_set1_ps(-1.0f), steps, 0xaa);
    _mm256_storeu_ps(pairs, _mm256_add_ps(_mm256_mul_ps(values, scales), offsets));
}
#endif

// Loads two rows of four floats per lane, of which the second one follows the first, from an address per lane.
OP void lmb_load_row_pairs_of(const uint32_t *const from[LMB_SIMD_WIDTH], real a[4], real b[4]) {
#if LMB_SIMD_WIDTH == 16 && defined(__AVX512DQ__)
    // Loads both rows at once: first for lanes 0 to 7, then for lanes 8 to 15, in quarters a, b, a, b.
    real halves[2][4];
    for (int half = 0; half < 2; half++) {
        for (int row = 0; row < 4; row++) {
            const float *const first = (const float *)from[8 * half + row];
            const float *const fourth = (const float *)from[8 * half + row + 4];
            __m512 low = _mm512_castps256_ps512(_mm256_loadu_ps(first));
            halves[half][row] = (real)_mm512_insertf32x8(low, _mm256_loadu_ps(fourth), 1);
        }
        lmb_transpose(halves[half]);
    }
    for (int i = 0; i < 4; i++) {
        a[i] = (real)_mm512_shuffle_f32x4((__m512)halves[0][i], (__m512)halves[1][i], 0x88);
        b[i] = (real)_mm512_shuffle_f32x4((__m512)halves[0][i], (__m512)halves[1][i], 0xdd);
    }
#else
    const uint32_t *after[LMB_SIMD_WIDTH];
    for (int lane = 0; lane < LMB_SIMD_WIDTH; lane++) {
        after[lane] = from[lane] + 4;
    }
    lmb_load_rows_of(from, a);
    lmb_load_rows_of(after, b);
#endif
}

// The same, from an offset per lane.
OP void lmb_load_row_pairs(const uint32_t *base, const size_t offsets[LMB_SIMD_WIDTH], real a[4], real b[4]) {
    const uint32_t *rows[LMB_SIMD_WIDTH];
    for (int lane = 0; lane < LMB_SIMD_WIDTH; lane++) {
        rows[lane] = base + offsets[lane];
    }
    lmb_load_row_pairs_of(rows, a, b);
}

// A row of each lane, from an index behind an address per lane.
OP void lmb_load_rows_behind(uint32_t *const from[LMB_SIMD_WIDTH], size_t index, real v[4]) {
    const uint32_t *rows[LMB_SIMD_WIDTH];
    for (int lane = 0; lane < LMB_SIMD_WIDTH; lane++) {
        rows[lane] = from[lane] + index;
    }
    lmb_load_rows_of(rows, v);
}

// Stores such a row of each lane in which the condition holds.
OP void lmb_store_rows_behind(uint32_t *const to[LMB_SIMD_WIDTH], size_t index, real v0, real v1, real v2, real v3,
                              lane_mask condition) {
    real v[4] = {v0, v1, v2, v3};
    lmb_transpose(v);
    if (!lmb_any(~condition)) {
        for (int lane = 0; lane < LMB_SIMD_WIDTH; lane++) {
            memcpy(to[lane] + index, (const char *)&v[lane % 4] + 16 * (lane / 4), 16);
        }
        return;
    }
    for (uint32_t left = lmb_lane_bits(condition); left != 0; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        memcpy(to[lane] + index, (const char *)v + sizeof v[0] * (size_t)(lane % 4) + 16 * (size_t)(lane / 4), 16);
    }
}

// Loads two rows that are not consecutive.
OP_COLD void lmb_load_rows_apart(const uint32_t *base, const size_t a[LMB_SIMD_WIDTH], const size_t b[LMB_SIMD_WIDTH],
                                 real v[8]) {
    lmb_load_rows_at(base, a, v);
    lmb_load_rows_at(base, b, v + 4);
}

// Stores a row of four per lane. The last lane is stored first, so that of several lanes with the same row the first
// one's values remain.
OP void lmb_store_rows(float *const rows[LMB_SIMD_WIDTH], size_t offset, real v0, real v1, real v2, real v3) {
    real v[4] = {v0, v1, v2, v3};
    lmb_transpose(v);
    for (int lane = LMB_SIMD_WIDTH - 1; lane >= 0; lane--) {
        memcpy(rows[lane] + offset, (const char *)&v[lane % 4] + 16 * (lane / 4), 16);
    }
}

#endif
