// Converts decimal text to double. Short numbers need one exact operation; others are divided as big integers, and the
// quotient is rounded.
#include "strtod.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// A halfway point between two doubles has at most 767 significant digits. Digits after these can only break a tie, so
// one additional digit 1 represents all of them.
#define DIGITS 768u
// Room for 768 digits or 10^(768 + 326), aligned to each other, and one bit for the division.
#define WORDS 128u

typedef struct parsed_number {
    uint8_t digits[DIGITS + 1]; // without leading and trailing zeros
    uint32_t count;
    int64_t exponent; // of the last digit, a power of ten
    bool negative;
} parsed_number;

typedef struct natural {
    uint32_t words[WORDS]; // least significant first
    uint32_t count;        // the most significant word is not 0
} natural;

static void append_digit(parsed_number *number, uint8_t digit, bool behind_point) {
    number->exponent -= behind_point ? 1 : 0;
    if (number->count == 0 && digit == 0) {
        return;
    }
    if (number->count < DIGITS) {
        number->digits[number->count++] = digit;
        return;
    }
    number->exponent++;
    if (digit != 0 && number->count == DIGITS) {
        number->digits[number->count++] = 1;
        number->exponent--;
    }
}

static int64_t scan_exponent(const char *text, size_t size) {
    size_t at = text[0] == '-' || text[0] == '+' ? 1 : 0;
    int64_t exponent = 0;
    for (; at < size; at++) {
        // No text has enough digits to bring a larger exponent back into range.
        if (exponent < INT64_C(1000000000000000)) {
            exponent = exponent * 10 + (text[at] - '0');
        }
    }
    return text[0] == '-' ? -exponent : exponent;
}

static void scan(const char *text, size_t size, parsed_number *number) {
    number->count = 0;
    number->exponent = 0;
    number->negative = size > 0 && text[0] == '-';
    bool behind_point = false;
    for (size_t at = number->negative ? 1 : 0; at < size; at++) {
        if (text[at] == '.') {
            behind_point = true;
        } else if (text[at] == 'e' || text[at] == 'E') {
            number->exponent += scan_exponent(text + at + 1, size - at - 1);
            break;
        } else {
            append_digit(number, (uint8_t)(text[at] - '0'), behind_point);
        }
    }
    while (number->count > 0 && number->digits[number->count - 1] == 0) {
        number->count--;
        number->exponent++;
    }
}

// Both the digits and the power of ten are exact doubles, so the one operation is rounded once.
static bool parse_exactly_representable(const parsed_number *number, double *value) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (number->count > 15 || number->exponent < -22 || number->exponent > 22) {
        return false;
    }
    uint64_t digits = 0;
    for (uint32_t i = 0; i < number->count; i++) {
        digits = digits * 10 + number->digits[i];
    }
    *value =
        number->exponent < 0 ? (double)digits / powers[-number->exponent] : (double)digits * powers[number->exponent];
    return true;
}

static void multiply_add(natural *number, uint32_t factor, uint32_t term) {
    uint64_t carry = term;
    for (uint32_t i = 0; i < number->count; i++) {
        carry += (uint64_t)number->words[i] * factor;
        number->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0) {
        number->words[number->count++] = (uint32_t)carry;
    }
}

static void multiply_power_of_ten(natural *number, uint32_t exponent) {
    for (; exponent >= 9; exponent -= 9) {
        multiply_add(number, 1000000000u, 0);
    }
    for (; exponent > 0; exponent--) {
        multiply_add(number, 10, 0);
    }
}

static int32_t bit_length(const natural *number) {
    int32_t bits = (int32_t)(number->count - 1) * 32;
    for (uint32_t highest = number->words[number->count - 1]; highest != 0; highest >>= 1) {
        bits++;
    }
    return bits;
}

static void shift_left(natural *number, uint32_t bits) {
    uint32_t words = bits / 32;
    memmove(number->words + words, number->words, number->count * sizeof(uint32_t));
    memset(number->words, 0, words * sizeof(uint32_t));
    number->count += words;
    multiply_add(number, UINT32_C(1) << (bits % 32), 0);
}

static bool is_less(const natural *a, const natural *b) {
    if (a->count != b->count) {
        return a->count < b->count;
    }
    for (uint32_t i = a->count; i-- > 0;) {
        if (a->words[i] != b->words[i]) {
            return a->words[i] < b->words[i];
        }
    }
    return false;
}

// Requires a >= b.
static void subtract(natural *a, const natural *b) {
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        uint64_t difference = (uint64_t)a->words[i] - (i < b->count ? b->words[i] : 0) - borrow;
        a->words[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
    while (a->count > 0 && a->words[a->count - 1] == 0) {
        a->count--;
    }
}

// Rounds quotient * 2^(exponent - 63), plus something less than its last bit if `inexact`.
static double round_quotient(uint64_t quotient, bool inexact, int32_t exponent) {
    int32_t kept = exponent < -1022 ? 53 + 1022 + exponent : 53;
    if (kept < 0) {
        return 0;
    }
    uint32_t dropped = 64 - (uint32_t)kept;
    uint64_t mantissa = dropped == 64 ? 0 : quotient >> dropped;
    uint64_t half = UINT64_C(1) << (dropped - 1);
    uint64_t rest = quotient & (half | (half - 1));
    if (rest > half || (rest == half && (inexact || (mantissa & 1) != 0))) {
        mantissa++;
    }
    return ldexp((double)mantissa, exponent - 63 + (int32_t)dropped);
}

static double divide(natural *numerator, natural *denominator) {
    int32_t exponent = bit_length(numerator) - bit_length(denominator);
    if (exponent > 0) {
        shift_left(denominator, (uint32_t)exponent);
    } else {
        shift_left(numerator, (uint32_t)-exponent);
    }
    if (is_less(numerator, denominator)) {
        shift_left(numerator, 1);
        exponent--;
    }
    uint64_t quotient = 0;
    for (int bit = 0; bit < 64; bit++) {
        quotient <<= 1;
        if (!is_less(numerator, denominator)) {
            subtract(numerator, denominator);
            quotient |= 1;
        }
        shift_left(numerator, 1);
    }
    return round_quotient(quotient, numerator->count != 0, exponent);
}

static double parse_any(const parsed_number *number) {
    int64_t magnitude = number->count + number->exponent; // the value is below 10^magnitude
    if (magnitude > 310) {
        return INFINITY;
    }
    if (magnitude < -325) {
        return 0;
    }
    natural numerator = {.count = 0};
    natural denominator = {.words = {1}, .count = 1};
    for (uint32_t i = 0; i < number->count; i++) {
        multiply_add(&numerator, 10, number->digits[i]);
    }
    if (number->exponent > 0) {
        multiply_power_of_ten(&numerator, (uint32_t)number->exponent);
    } else {
        multiply_power_of_ten(&denominator, (uint32_t)-number->exponent);
    }
    return divide(&numerator, &denominator);
}

double lmb_strtod(const char *text, size_t size) {
    parsed_number number;
    scan(text, size, &number);
    double value = 0;
    if (number.count > 0 && !parse_exactly_representable(&number, &value)) {
        value = parse_any(&number);
    }
    return number.negative ? -value : value;
}
