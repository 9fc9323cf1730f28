// The triangulation of scattered points, by brute force in exact arithmetic, and the division of a space into pieces.
#include "random.h"
#include "suite.h"

#include "base/bigint.h"
#include "program/blend_space.h"

#include <string.h>

// For positions that are integers up to 2^20, the tests' own arithmetic is exact with 128 bits.
__extension__ typedef __int128 exact;
__extension__ typedef unsigned __int128 exact_bits;

typedef struct scatter {
    int64_t at[LMB_MAX_SPACE_INPUTS][2];
    uint32_t count;
    double unit; // scale of the positions: a power of two
} scatter;

static void to_places(const scatter *s, lmb_place *positions) {
    for (uint32_t i = 0; i < s->count; i++) {
        for (int axis = 0; axis < 2; axis++) {
            positions[i].at[axis] = (float)((double)s->at[i][axis] * s->unit);
        }
    }
}

static exact turn_of(const scatter *s, uint32_t a, uint32_t b, uint32_t c) {
    return (exact)(s->at[b][0] - s->at[a][0]) * (s->at[c][1] - s->at[a][1]) -
           (exact)(s->at[b][1] - s->at[a][1]) * (s->at[c][0] - s->at[a][0]);
}

// Returns a positive value if d is inside the circle through a, b, c, which are in counterclockwise order.
static exact depth_in_circle(const scatter *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    const uint32_t corners[3] = {a, b, c};
    exact m[3][3];
    for (int row = 0; row < 3; row++) {
        m[row][0] = s->at[corners[row]][0] - s->at[d][0];
        m[row][1] = s->at[corners[row]][1] - s->at[d][1];
        m[row][2] = m[row][0] * m[row][0] + m[row][1] * m[row][1];
    }
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// Returns twice the area of the hull, in squared units of the positions. The sides of the hull have no position on
// their right. Also returns the number of positions on the hull, including those inside its sides.
static exact measure_hull(const scatter *s, uint32_t *on_hull) {
    exact twice = 0;
    bool is_on[LMB_MAX_SPACE_INPUTS] = {false};
    for (uint32_t a = 0; a < s->count; a++) {
        for (uint32_t b = 0; b < s->count; b++) {
            bool is_side = a != b;
            for (uint32_t c = 0; c < s->count && is_side; c++) {
                const exact turn = c == a || c == b ? 1 : turn_of(s, a, b, c);
                // Of several collinear positions, only neighbours form a side.
                const int64_t between = (s->at[c][0] - s->at[a][0]) * (s->at[c][0] - s->at[b][0]) +
                                        (s->at[c][1] - s->at[a][1]) * (s->at[c][1] - s->at[b][1]);
                is_side = turn > 0 || (turn == 0 && between > 0);
            }
            if (is_side) {
                twice += (exact)s->at[a][0] * s->at[b][1] - (exact)s->at[a][1] * s->at[b][0];
                is_on[a] = is_on[b] = true;
            }
        }
    }
    *on_hull = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        *on_hull += is_on[i];
    }
    return twice;
}

// Checks that no position is inside a triangle's circle, that the triangles' number and area match the hull, and that
// its sides are closed.
static void expect_delaunay(const scatter *s) {
    lmb_place positions[LMB_MAX_SPACE_INPUTS];
    lmb_triangulation found;
    uint32_t on_hull;
    to_places(s, positions);
    lmb_triangulate(positions, s->count, &found);
    const exact hull = measure_hull(s, &on_hull);
    exact area = 0;
    uint32_t before = 0;
    for (uint32_t i = 0; i < found.triangle_count; i++) {
        const uint32_t *t = found.triangles[i];
        const uint32_t min = t[1] < t[2] ? t[1] : t[2], order = (t[0] * 64 + min) * 64 + t[1] + t[2] - min;
        assert_true(t[0] < min && (i == 0 || order > before)); // ascending order, which decides between equal choices
        before = order;
        assert_true(turn_of(s, t[0], t[1], t[2]) > 0);
        area += turn_of(s, t[0], t[1], t[2]);
        for (uint32_t d = 0; d < s->count; d++) {
            assert_true(d == t[0] || d == t[1] || d == t[2] || depth_in_circle(s, t[0], t[1], t[2], d) <= 0);
        }
    }
    assert_true(area == hull);
    assert_int_equal(found.triangle_count, 2 * s->count - 2 - on_hull);
    assert_int_equal(found.edge_count, on_hull);
    for (uint32_t i = 0; i < found.edge_count; i++) {
        assert_int_equal(found.edges[i][1], found.edges[(i + 1) % found.edge_count][0]);
        for (uint32_t c = 0; c < s->count; c++) {
            assert_true(turn_of(s, found.edges[i][0], found.edges[i][1], c) >= 0);
        }
    }
}

static bool has_place(const scatter *s, int64_t x, int64_t y) {
    bool found = false;
    for (uint32_t i = 0; i < s->count; i++) {
        found = found || (s->at[i][0] == x && s->at[i][1] == y);
    }
    return found;
}

static bool is_line(const scatter *s) {
    bool line = true;
    for (uint32_t i = 2; i < s->count; i++) {
        line = line && turn_of(s, 0, 1, i) == 0;
    }
    return line;
}

// Small integers, so that many positions are collinear or on a circle, and large ones.
static void scattered_places(void **state) {
    (void)state;
    static const uint32_t sizes[] = {3, 5, 9, 100, 1u << 20};
    random_source source = {1};
    for (uint32_t round = 0; round < 2000; round++) {
        const uint32_t size = sizes[round % 5], most = size < 5 ? 7 : round % 50 < 45 ? 16 : LMB_MAX_SPACE_INPUTS;
        scatter s = {.unit = exp2((double)random_below(&source, 40) - 30.0)};
        const uint32_t count = 3 + random_below(&source, most - 2);
        while (s.count < count) {
            const int64_t x = (int64_t)random_below(&source, 2 * size) - size;
            const int64_t y = (int64_t)random_below(&source, 2 * size) - size;
            if (!has_place(&s, x, y)) {
                s.at[s.count][0] = x;
                s.at[s.count++][1] = y;
            }
        }
        if (!is_line(&s)) {
            expect_delaunay(&s);
        }
    }
}

static void grids_and_circles(void **state) {
    (void)state;
    static const uint32_t columns[] = {2, 3, 4, 5, 8};
    for (size_t i = 0; i < 5; i++) {
        scatter s = {.unit = 1.0};
        s.count = LMB_MAX_SPACE_INPUTS / columns[i] * columns[i];
        for (uint32_t place = 0; place < s.count; place++) {
            s.at[place][0] = 3 * (int64_t)(place % columns[i]);
            s.at[place][1] = 4 * (int64_t)(place / columns[i]);
        }
        expect_delaunay(&s);
    }
    // The twelve integer points on a circle of radius 5, and its centre.
    static const int64_t circle[][2] = {{5, 0},   {4, 3},   {3, 4},  {0, 5},  {-3, 4}, {-4, 3}, {-5, 0},
                                        {-4, -3}, {-3, -4}, {0, -5}, {3, -4}, {4, -3}, {0, 0}};
    scatter s = {.unit = 0.25, .count = 13};
    memcpy(s.at, circle, sizeof circle);
    expect_delaunay(&s);
    s.count = 12;
    expect_delaunay(&s);
    for (uint32_t i = 3; i < 12; i++) {
        s.count = i;
        expect_delaunay(&s);
    }
}

// Another order of the positions may give another triangulation of circles, but never overlapping triangles. Without
// circles, the triangulation is the same.
static void orders(void **state) {
    (void)state;
    random_source source = {2};
    for (uint32_t round = 0; round < 200; round++) {
        const uint32_t columns = round % 20 < 19 ? 4 : 8;
        scatter s = {.unit = 1.0, .count = columns * columns};
        for (uint32_t i = 0; i < s.count; i++) {
            s.at[i][0] = i % columns;
            s.at[i][1] = i / columns;
        }
        for (uint32_t i = s.count - 1; i > 0; i--) {
            const uint32_t other = random_below(&source, i + 1);
            const int64_t x = s.at[i][0], y = s.at[i][1];
            memcpy(s.at[i], s.at[other], sizeof s.at[i]);
            s.at[other][0] = x;
            s.at[other][1] = y;
        }
        expect_delaunay(&s);
    }
}

static void lines_have_no_triangles(void **state) {
    (void)state;
    for (uint32_t count = 2; count <= LMB_MAX_SPACE_INPUTS; count++) {
        lmb_place positions[LMB_MAX_SPACE_INPUTS];
        lmb_triangulation found;
        lmb_blend_space space;
        for (uint32_t i = 0; i < count; i++) {
            positions[i] = (lmb_place){{(float)(i * 5 % 67) * 0.25f, (float)(i * 5 % 67) * -0x1p-30f}};
        }
        lmb_triangulate(positions, count, &found);
        assert_int_equal(found.triangle_count, 0);
        assert_int_equal(found.edge_count, 0);
        assert_false(lmb_blend_space_cut(positions, count, &space));
    }
}

// The most extreme positions: 2^40 and 2^-40 with full mantissas.
static void the_largest_and_the_smallest(void **state) {
    (void)state;
    const lmb_place positions[] = {{{-0x1p40f, -0x1p40f}},        {{0x1p40f, -0x1p40f}}, {{0x1p40f, 0x1p40f}},
                                   {{-0x1.fffffep39f, 0x1p40f}},  {{0x1p-40f, 0.0f}},    {{0x1.000002p-40f, 0.0f}},
                                   {{0x1p-40f, 0x1.fffffep-40f}}, {{0.0f, 0.0f}}};
    lmb_triangulation found;
    lmb_triangulate(positions, 8, &found);
    assert_int_equal(found.edge_count, 4);
    assert_int_equal(found.triangle_count, 2 * 8 - 2 - 4);
    // The three positions near 2^-40 form a triangle.
    bool is_found = false;
    for (uint32_t i = 0; i < found.triangle_count; i++) {
        const uint32_t *t = found.triangles[i];
        is_found = is_found || (t[0] == 4 && t[1] == 5 && t[2] == 6);
    }
    assert_true(is_found);
}

// A triangle at the hull whose height is 2^-20 of its side is replaced by two strips with the same ends.
static void flat_triangles_become_strips(void **state) {
    (void)state;
    const lmb_place positions[] = {{{0.0f, 0.0f}}, {{1.0f, 0.0f}}, {{0.0f, 1.0f}}, {{0.25f, 0x1p-20f}}};
    lmb_blend_space space;
    assert_true(lmb_blend_space_cut(positions, 4, &space));
    assert_int_equal(space.edge_count, 3);
    assert_int_equal(space.piece_count, 4);
    assert_int_equal(space.pieces[0].corners[0], LMB_NONE);
    assert_int_equal(space.pieces[0].corners[1], 3);
    assert_int_equal(space.pieces[0].corners[2], 0);
    assert_true(space.pieces[0].gradients[1][0] == 4.0 && space.pieces[0].gradients[1][1] == 0.0);
    assert_int_equal(space.pieces[1].corners[1], 1);
    assert_int_equal(space.pieces[1].corners[2], 3);
    assert_true(fabs(space.pieces[1].gradients[1][0] - 4.0 / 3.0) <= 1e-12);
    // With a height of 1/64 it remains a triangle.
    const lmb_place higher[] = {{{0.0f, 0.0f}}, {{1.0f, 0.0f}}, {{0.0f, 1.0f}}, {{0.25f, 0x1p-6f}}};
    assert_true(lmb_blend_space_cut(higher, 4, &space));
    assert_int_equal(space.piece_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_not_equal(space.pieces[i].corners[0], LMB_NONE);
    }
}

// ---- bigint. ----

// Limbs above the lowest four must repeat the sign.
static void expect_bigint(const lmb_bigint *found, exact expected) {
    exact_bits value = 0;
    for (uint32_t i = LMB_BIGINT_LIMBS; i-- > 0;) {
        value = value << 32 | found->limbs[i];
        assert_true(i < 4 || found->limbs[i] == (expected < 0 ? UINT32_MAX : 0));
    }
    assert_true((exact)value == expected);
    assert_int_equal(lmb_bigint_sign(found), expected == 0 ? 0 : expected < 0 ? -1 : 1);
}

static void wide_integers(void **state) {
    (void)state;
    random_source source = {3};
    for (uint32_t round = 0; round < 20000; round++) {
        const int shifts[2] = {(int)random_below(&source, 37), (int)random_below(&source, 37)};
        const float x = (float)((int32_t)random_below(&source, 1u << 25) - (1 << 24));
        const float y = (float)((int32_t)random_below(&source, 1u << 25) - (1 << 24));
        const exact a = (exact)x * ((exact)1 << shifts[0]), b = (exact)y * ((exact)1 << shifts[1]);
        const lmb_bigint big_a = lmb_bigint_from(ldexpf(x, shifts[0] - 20), -20);
        const lmb_bigint big_b = lmb_bigint_from(ldexpf(y, shifts[1] - 20), -20);
        expect_bigint(&big_a, a);
        expect_bigint(&big_b, b);
        const lmb_bigint sum = lmb_bigint_add(&big_a, &big_b), difference = lmb_bigint_subtract(&big_a, &big_b);
        const lmb_bigint product = lmb_bigint_multiply(&big_a, &big_b), none = lmb_bigint_subtract(&big_a, &big_a);
        expect_bigint(&sum, a + b);
        expect_bigint(&difference, a - b);
        expect_bigint(&product, a * b);
        expect_bigint(&none, 0);
    }
}

// (a + b)^2 = a^2 + 2 a b + b^2 with a and b of more than 200 bits.
static void wide_integers_beyond_128_bits(void **state) {
    (void)state;
    const lmb_bigint big = lmb_bigint_from(-0x1.fffffep40f, -63), small = lmb_bigint_from(0x1.abcdeep-1f, -63);
    const lmb_bigint cube = lmb_bigint_multiply(&big, &big);
    const lmb_bigint a = lmb_bigint_add(&cube, &small), b = lmb_bigint_multiply(&small, &big);
    const lmb_bigint both = lmb_bigint_add(&a, &b), square = lmb_bigint_multiply(&both, &both);
    const lmb_bigint of_a = lmb_bigint_multiply(&a, &a), of_b = lmb_bigint_multiply(&b, &b),
                     ab = lmb_bigint_multiply(&a, &b);
    lmb_bigint rest = lmb_bigint_subtract(&square, &of_a);
    rest = lmb_bigint_subtract(&rest, &of_b);
    rest = lmb_bigint_subtract(&rest, &ab);
    assert_int_equal(lmb_bigint_sign(&rest), -1);
    rest = lmb_bigint_subtract(&rest, &ab);
    assert_int_equal(lmb_bigint_sign(&rest), 0);
    assert_true(square.limbs[12] != 0 && square.limbs[13] == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scattered_places),
        cmocka_unit_test(grids_and_circles),
        cmocka_unit_test(orders),
        cmocka_unit_test(lines_have_no_triangles),
        cmocka_unit_test(the_largest_and_the_smallest),
        cmocka_unit_test(flat_triangles_become_strips),
        cmocka_unit_test(wide_integers),
        cmocka_unit_test(wide_integers_beyond_128_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
