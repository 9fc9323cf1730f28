// 64-bit integers: the two-word form, which devices and vectors use, gives the same bits as the compiler's 64-bit
// integers, and both satisfy the definitions.
#include "suite.h"
#include "ticks_functions.h"

#include "../../shaders/ops/ticks.h"

#include <math.h>

enum { ROUNDS = 300000 };

static const uint64_t edges[] = {0,
                                 1,
                                 2,
                                 0x7fff,
                                 0xffff,
                                 0x10000,
                                 0x7fffffff,
                                 0x80000000,
                                 0xfffffffe,
                                 0xffffffff,
                                 1ull << 32,
                                 0x100000001,
                                 0xffffffffffff,
                                 1ull << 48,
                                 (1ull << 62) - 1,
                                 1ull << 62,
                                 (1ull << 63) - 2,
                                 (1ull << 63) - 1};
enum { EDGES = sizeof edges / sizeof *edges };

static uint64_t random_state = 1;

static uint64_t next_word(void) { // splitmix64
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// Returns a number with a random number of bits below 64.
static uint64_t next_number(void) {
    uint64_t bits = next_word();
    return bits >> (1 + next_word() % 63);
}

// Checks the conversion of fine ticks to whole ticks: rounded once below 2^56, and twice above.
static void expect_real(uint64_t a, float found) {
    const double whole = (double)(a >> 16);
    if (a >> 56 == 0) {
        assert_true(found == (float)whole);
    } else {
        assert_true(fabs((double)found - whole) <= whole * ldexp(1.0001, -23));
    }
}

static void expect_quotient(uint64_t a, uint64_t b) {
    uint64_t rest_of_words, rest;
    assert_int_equal(ticks_of_words.divide(a, b, &rest_of_words), (uint32_t)(a / b));
    assert_int_equal(ticks_of_the_compiler.divide(a, b, &rest), (uint32_t)(a / b));
    assert_true(rest_of_words == a % b && rest == a % b);
}

static void expect_alike(uint64_t a, uint64_t b) {
    const ticks_functions *w = &ticks_of_words, *c = &ticks_of_the_compiler;
    assert_true(w->store_and_load(a) == a && c->store_and_load(a) == a);
    assert_true(w->none(a) == (a == 0) && c->none(a) == (a == 0));
    assert_true(w->same(a, b) == (a == b) && c->same(a, b) == (a == b));
    assert_true(w->less(a, b) == (a < b) && c->less(a, b) == (a < b));
    assert_true(w->add(a, b) == a + b && c->add(a, b) == a + b);
    assert_true(w->subtract(a, b) == a - b && c->subtract(a, b) == a - b);
    uint32_t x = (uint32_t)(a ^ a >> 17), y = (uint32_t)(b ^ b >> 23);
    assert_true(w->multiply(x, y) == (uint64_t)x * y && c->multiply(x, y) == (uint64_t)x * y);
    assert_true(w->scale(a, y) == a * y && c->scale(a, y) == a * y);
    assert_true(w->part(a, y) == c->part(a, y));
    // floor(a y / 2^32), from the upper and the lower word.
    assert_true(c->part(a, y) == (a >> 32) * y + ((a & 0xffffffffu) * y >> 32));
    if (b > 0) {
        expect_quotient(a, b);
    }
    assert_true(w->fine(a) == a << 16 && c->fine(a) == a << 16);
    expect_real(a, w->real(a));
    expect_real(a, c->real(a));
    assert_true(w->real(a) == c->real(a));
    if (a <= b) {
        assert_int_equal(w->share(a, b), c->share(a, b));
    }
    if (a < b) {
        // share b <= 2^32 a < (share + 1) b, checked by the remainder: it is exact modulo 2^64, which suffices if it is
        // below b.
        uint32_t share = c->share(a, b);
        assert_true((a << 32) - share * b < b);
    }
}

static void words_are_as_the_compiler_has_numbers(void **state) {
    (void)state;
    for (int i = 0; i < EDGES; i++) {
        for (int j = 0; j < EDGES; j++) {
            expect_alike(edges[i], edges[j]);
        }
    }
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t a = next_number(), b = next_number();
        expect_alike(a, b);
        expect_alike(a, a);
        if (b > 0) {
            expect_alike(a % b, b);
            expect_alike(a - a % b, b); // often without a remainder
        }
    }
}

static void expect_lane(const ticks_lanes *lanes, int lane) {
    const ticks_functions *c = &ticks_of_the_compiler;
    const uint64_t a = lanes->a[lane], b = lanes->b[lane];
    const float number = c->real(a);
    uint64_t rest;
    assert_true(lanes->sum[lane] == a + b && lanes->difference[lane] == a - b);
    assert_true(lanes->scaled[lane] == c->scale(a, (uint32_t)b) && lanes->part[lane] == c->part(a, (uint32_t)b));
    assert_int_equal(lanes->times[lane], c->divide(a, b, &rest));
    assert_true(lanes->rest[lane] == rest && lanes->less[lane] == (a < b));
    assert_memory_equal(&lanes->real[lane], &number, sizeof number);
    if (a <= b) {
        assert_int_equal(lanes->share[lane], c->share(a, b));
    }
}

// Each lane has its own numbers.
static void lanes_are_as_the_compiler_has_numbers(void **state) {
    (void)state;
    for (int i = 0; i < EDGES * EDGES + ROUNDS; i++) {
        ticks_lanes lanes;
        for (int lane = 0; lane < TICKS_LANES; lane++) {
            const bool is_edge = i < EDGES * EDGES && lane == i % TICKS_LANES;
            const uint64_t b = is_edge ? edges[i / EDGES] : next_number();
            const uint64_t a = is_edge ? edges[i % EDGES] : next_number();
            lanes.b[lane] = b > 0 ? b : 1;
            lanes.a[lane] = i % 3 == 0 ? a % lanes.b[lane] : i % 3 == 1 ? a : a - a % lanes.b[lane];
        }
        ticks_of_lanes(&lanes);
        for (int lane = 0; lane < TICKS_LANES; lane++) {
            expect_lane(&lanes, lane);
        }
    }
}

// There and back through the longest clip takes all 64 bits.
static void quotients_take_all_bits(void **state) {
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        const uint64_t a = next_word(), b = next_word() >> next_word() % 64;
        if (b > 0) {
            expect_quotient(a, b);
            expect_quotient(UINT64_MAX, b);
        }
    }
    expect_quotient(UINT64_MAX, UINT64_MAX);
    expect_quotient(UINT64_MAX, 1ull << 63);
    expect_quotient(UINT64_MAX, 1);
}

// Times are in 2^-24 tick, rates too, up to 2^30. A distance takes a time that just reaches it.
static void distances_and_times_are_exact(void **state) {
    (void)state;
    const ticks_functions *w = &ticks_of_words, *c = &ticks_of_the_compiler;
    for (int i = 0; i < ROUNDS; i++) {
        const uint32_t rate = i % 8 == 0 ? 1u << 30 : 1 + (uint32_t)(next_word() % (1u << (1 + i % 30)));
        const uint64_t time = next_number();
        const uint64_t reached = c->distance(time, rate);
        assert_true(reached == (time >> 32) * rate + ((time & 0xffffffffu) * rate >> 32));
        assert_true(w->distance(time, rate) == reached);
        const uint64_t fine = reached > 0 ? next_word() % reached : 0, takes = c->time(fine, rate);
        assert_true(w->time(fine, rate) == takes);
        assert_true(takes <= time && c->distance(takes, rate) >= fine);
        assert_true(takes == 0 || c->distance(takes - 1, rate) < fine);
        assert_true(c->time(reached, rate) <= time);
    }
}

// Rates are in 2^-16, up to 64. The time is the first at which the distance is passed.
static void times_of_passages_are_exact(void **state) {
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        const uint32_t rate = i % 8 == 0 ? 1u << 22 : 1 + (uint32_t)(next_word() % (1u << (1 + i % 22)));
        const uint64_t time = next_word() >> (24 + next_word() % 40), exact = time * rate; // below 2^62
        const uint64_t fine = i % 3 == 0 || exact == 0 ? exact : exact - next_word() % (rate < exact ? rate : exact);
        assert_true(ticks_of_the_compiler.pass(fine, rate) == time);
        assert_true(ticks_of_words.pass(fine, rate) == time);
    }
}

static void the_whole_is_the_maximum_share(void **state) {
    (void)state;
    assert_int_equal(ticks_of_words.share(0, 0), 0xffffffffu);
    assert_int_equal(ticks_of_the_compiler.share(0, 0), 0xffffffffu);
    assert_int_equal(ticks_of_the_compiler.share(0, 1), 0);
    assert_int_equal(ticks_of_the_compiler.share(1, 2), 0x80000000u);
    assert_int_equal(ticks_of_the_compiler.share((1ull << 63) - 2, (1ull << 63) - 1), 0xffffffffu);
}

// Converts a word to a float from its halves, as devices do.
static void a_word_is_rounded_once(void **state) {
    (void)state;
    for (int i = 0; i < ROUNDS + EDGES; i++) {
        uint32_t a = (uint32_t)(i < EDGES ? edges[i] : next_number());
        float halves = (float)(a >> 16) * 65536.0f;
        halves = halves + (float)(a & 0xffffu);
        float found = real_of_word(a);
        assert_memory_equal(&found, &halves, sizeof found);
    }
    // Halfway between two floats, and next to it.
    for (uint32_t a = 0x81000000u; a < 0x81000400u; a++) {
        float halves = (float)(a >> 16) * 65536.0f;
        halves = halves + (float)(a & 0xffffu);
        float found = real_of_word(a);
        assert_memory_equal(&found, &halves, sizeof found);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_as_the_compiler_has_numbers),
        cmocka_unit_test(lanes_are_as_the_compiler_has_numbers),
        cmocka_unit_test(quotients_take_all_bits),
        cmocka_unit_test(distances_and_times_are_exact),
        cmocka_unit_test(times_of_passages_are_exact),
        cmocka_unit_test(the_whole_is_the_maximum_share),
        cmocka_unit_test(a_word_is_rounded_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
