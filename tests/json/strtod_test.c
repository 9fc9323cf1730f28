// Numbers of JSON against the strtod of glibc, which rounds correctly, in the C locale.
#include "base/thread.h"
#include "json/text.h"

#include "suite.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(const char *text) {
    double value = lmb_strtod(text, strlen(text));
    double expected = strtod(text, NULL);
    if (memcmp(&value, &expected, sizeof value) != 0) {
        fail_msg("%s: %a instead of %a", text, value, expected);
    }
}

static void edges(void **state) {
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "0.0",
        "-0.0e5",
        "1",
        "-1",
        "10",
        "0.1",
        "1e22",
        "1e23",
        "123456789012345",
        "1234567890123456789",
        "9007199254740993",
        "9007199254740992.99999999999999999999",
        "9007199254740993.00000000000000000001",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e309",
        "-1e400",
        "1e999999999",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2e-324",
        "3e-324",
        "1e-400",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "2.225073858507201e-308",
        "1e-99999999999999999999999",
        "0e99999999999999999999999",
        "0.000000000000000000000000000000000000000000000000000000000000000000001e69",
        "8.5e-1",
        "1E+2",
        "100000000000000000000000000000000000000000000",
        "3.352759847530251e-8",
        "6631236846766476e-316",
        "3237883913302901289588352412501532174863037669423108059901297049552301970670676565"
        "786835742587799557860615776559838283435514391084153169252689190564396459577394618038928365305143463955100"
        "356696665629202017331344031730044369360205258345803431471660032699580731300954848363975548690010751530018"
        "881758184174569652173110473696022749934638425380623369774736560008997404060967498028389191878963968575439"
        "222206416981462690113342524002724385941651051293552601421155333430225237291523843322331326138431477823591"
        "142408800030775170625915670728657003151953664260769822494937951845801530895238439819708403389937873241463"
        "484205608000027270531106827387907791444918534771598750162812548862768493201518991668028251730299953143924"
        "168545708663913273994694463908672332763671875e-1075"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        check(texts[i]);
    }
}

static uint64_t next_random(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

// Doubles of every magnitude, printed with more and with fewer digits than necessary.
static void random_doubles(void **state) {
    (void)state;
    uint64_t seed = 0x9E3779B97F4A7C15u;
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = next_random(&seed);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            char text[64];
            snprintf(text, sizeof text, "%.*e", (int)(next_random(&seed) % 25), value);
            check(text);
        }
    }
}

static void random_numbers(void **state) {
    (void)state;
    uint64_t seed = 88172645463325252u;
    for (int i = 0; i < 100000; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s%llu.%0*llu", i % 2 == 0 ? "-" : "",
                 (unsigned long long)(next_random(&seed) % 1000000), (int)(1 + i % 20),
                 (unsigned long long)(next_random(&seed) >> (i % 64)));
        check(text);
    }
}

// A digit far after the midpoint between two doubles must still decide the rounding.
static void halfway_with_a_long_tail(void **state) {
    (void)state;
    char text[4000];
    for (size_t zeros = 0; zeros < 3000; zeros += 97) {
        snprintf(text, sizeof text, "9007199254740993.%0*d", (int)zeros + 1, 0);
        check(text);
        strcat(text, "1");
        check(text);
    }
}

static void check_in_thread(void *is_equal) {
    *(bool *)is_equal = lmb_strtod("1234.5e-1", 9) == 123.45 && lmb_strtod("-0.1", 4) == -0.1;
}

// The host may use a locale that writes a decimal comma, and change it while other threads read. The suite cannot
// install such a locale, so it uses those that it finds.
static void locale_changes_nothing(void **state) {
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8", "pt_BR.UTF-8", "C"};
    for (size_t i = 0; i < sizeof locales / sizeof locales[0]; i++) {
        if (setlocale(LC_ALL, locales[i]) == NULL) {
            continue;
        }
        lmb_thread thread;
        bool is_equal = false, is_equal_there = false;
        assert_true(lmb_thread_start(&thread, check_in_thread, &is_equal_there));
        check_in_thread(&is_equal);
        lmb_thread_join(&thread);
        assert_true(is_equal && is_equal_there);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(edges), cmocka_unit_test(random_doubles),
                                       cmocka_unit_test(random_numbers), cmocka_unit_test(halfway_with_a_long_tail),
                                       cmocka_unit_test(locale_changes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
