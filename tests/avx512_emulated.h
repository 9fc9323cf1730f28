// Emulates AVX-512 on a processor without it: the intrinsics that shaders/ops/simd.h uses, word by word, so that the
// 16-wide path can be compared with the reference on any machine with AVX2. -DLIMBER_AVX512_EMULATED=ON includes it
// before everything else. It does not test the code that a compiler generates for the intrinsics themselves.
#ifndef LIMBER_TESTS_AVX512_EMULATED_H
#define LIMBER_TESTS_AVX512_EMULATED_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#define __AVX512F__ 1
#define __AVX512DQ__ 1

#define EMULATED static __attribute__((noinline, unused)) // inlined, they take minutes to compile

typedef float emulated_floats __attribute__((vector_size(64)));
typedef uint32_t emulated_words __attribute__((vector_size(64)));

EMULATED uint32_t emulated_movepi32_mask(__m512i a) {
    __m256 halves[2];
    memcpy(halves, &a, sizeof a);
    return (uint32_t)(_mm256_movemask_ps(halves[0]) | _mm256_movemask_ps(halves[1]) << 8);
}

EMULATED __m512i emulated_set1_epi32(int x) {
    return (__m512i)((emulated_words){0} + (uint32_t)x);
}

EMULATED __m512 emulated_set1_ps(float x) {
    return (__m512)(x - (emulated_floats){0});
}

EMULATED __m512i emulated_min_epu32(__m512i a, __m512i b) {
    const emulated_words x = (emulated_words)a, y = (emulated_words)b, less = (emulated_words)(x < y);
    return (__m512i)((x & less) | (y & ~less));
}

// Returns the second operand if either operand is NaN.
EMULATED __m512 emulated_min_ps(__m512 a, __m512 b) {
    const emulated_words less = (emulated_words)((emulated_floats)a < (emulated_floats)b);
    return (__m512)(((emulated_words)a & less) | ((emulated_words)b & ~less));
}

// The same.
EMULATED __m512 emulated_max_ps(__m512 a, __m512 b) {
    const emulated_words more = (emulated_words)((emulated_floats)a > (emulated_floats)b);
    return (__m512)(((emulated_words)a & more) | ((emulated_words)b & ~more));
}

// Lanes 0 and 2 of each quarter of `a`, then of `b`: the only shuffle in use.
EMULATED __m512 emulated_shuffle_ps(__m512 a, __m512 b, int lanes) {
    emulated_floats shuffled = {0};
    for (int i = 0; i < 16 && lanes == 0x88; i++) {
        shuffled[i] = ((emulated_floats)(i % 4 < 2 ? a : b))[4 * (i / 4) + 2 * (i % 2)];
    }
    return (__m512)shuffled;
}

EMULATED __m512 emulated_abs_ps(__m512 a) {
    return (__m512)((emulated_words)a & 0x7fffffffu);
}

// Greater or equal, ordered: the only comparison in use.
EMULATED __mmask16 emulated_cmp_ps_mask(__m512 a, __m512 b, int predicate) {
    const __m512i holds = (__m512i)((emulated_floats)a >= (emulated_floats)b);
    return predicate == _CMP_GE_OQ ? (__mmask16)emulated_movepi32_mask(holds) : 0;
}

EMULATED __m512 emulated_maskz_mov_ps(__mmask16 kept, __m512 a) {
    const emulated_words lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const emulated_words bits = (((emulated_words){0} + kept) >> lanes) & 1u;
    return (__m512)((emulated_words)a & (0u - bits));
}

// The smaller magnitude of the two with the sign of the first: the only range operation in use.
EMULATED __m512 emulated_maskz_range_ps(__mmask16 kept, __m512 a, __m512 b, int kind) {
    const emulated_words magnitude = (emulated_words)a & 0x7fffffffu;
    const __m512i min = emulated_min_epu32((__m512i)magnitude, (__m512i)emulated_abs_ps(b));
    const emulated_words bounded = ((emulated_words)a & 0x80000000u) | (emulated_words)min;
    return emulated_maskz_mov_ps(kind == 2 ? kept : 0, (__m512)bounded);
}

EMULATED __m512i emulated_i32gather_epi32(__m512i index, const void *base, int scale) {
    __m256i at[2], gathered[2];
    emulated_words words;
    memcpy(at, &index, sizeof index);
    gathered[0] = _mm256_i32gather_epi32((const int *)base, at[0], 4);
    gathered[1] = _mm256_i32gather_epi32((const int *)base, at[1], 4);
    memcpy(&words, gathered, sizeof words);
    return scale == 4 ? (__m512i)words : (__m512i){0};
}

EMULATED __m512 emulated_castps256_ps512(__m256 a) {
    emulated_floats wide = {0};
    memcpy(&wide, &a, sizeof a);
    return (__m512)wide;
}

EMULATED __m512 emulated_insertf32x4(__m512 a, __m128 b, int quarter) {
    emulated_floats wide = (emulated_floats)a;
    memcpy((char *)&wide + 16 * quarter, &b, sizeof b);
    return (__m512)wide;
}

EMULATED __m512 emulated_insertf32x8(__m512 a, __m256 b, int half) {
    emulated_floats wide = (emulated_floats)a;
    memcpy((char *)&wide + 32 * half, &b, sizeof b);
    return (__m512)wide;
}

// Two quarters from each operand.
EMULATED __m512 emulated_shuffle_f32x4(__m512 a, __m512 b, int quarters) {
    emulated_floats shuffled = {0};
    for (int i = 0; i < 4; i++) {
        const char *const from = i < 2 ? (const char *)&a : (const char *)&b;
        memcpy((char *)&shuffled + 16 * i, from + 16 * (quarters >> 2 * i & 3), 16);
    }
    return (__m512)shuffled;
}

#define _mm512_movepi32_mask emulated_movepi32_mask
#define _mm512_set1_epi32 emulated_set1_epi32
#define _mm512_set1_ps emulated_set1_ps
#define _mm512_min_epu32 emulated_min_epu32
#define _mm512_min_ps emulated_min_ps
#define _mm512_max_ps emulated_max_ps
#define _mm512_shuffle_ps emulated_shuffle_ps
#define _mm512_abs_ps emulated_abs_ps
#define _mm512_cmp_ps_mask emulated_cmp_ps_mask
#define _mm512_maskz_mov_ps emulated_maskz_mov_ps
#define _mm512_maskz_range_ps emulated_maskz_range_ps
#define _mm512_i32gather_epi32 emulated_i32gather_epi32
#define _mm512_castps256_ps512 emulated_castps256_ps512
#define _mm512_insertf32x4 emulated_insertf32x4
#define _mm512_insertf32x8 emulated_insertf32x8
#define _mm512_shuffle_f32x4 emulated_shuffle_f32x4

#endif
