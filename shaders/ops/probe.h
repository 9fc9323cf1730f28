// The probe: arithmetic in which a GPU must agree with C, one case per invocation.
#ifndef LMB_OPS_PROBE_H
#define LMB_OPS_PROBE_H

#include "quaternion.h"

#define PROBE_ADD 0u             // a + b
#define PROBE_MULTIPLY 1u        // a b
#define PROBE_MULTIPLY_ADD 2u    // a b - 1, rounded twice
#define PROBE_SNAPPED_PRODUCT 3u // snap_number(a b): the same whether subnormals are flushed or not
#define PROBE_SNAP 4u            // snap(a), of any bits
#define PROBE_FROM_INTEGER 5u    // the float of an unsigned integer below 2^24
#define PROBE_TO_INTEGER 6u      // the integer of floor(a)
#define PROBE_COMPARE 7u         // bits: 1 a < b, 2 a == b, 4 a > b
#define PROBE_RECIPROCAL 8u
#define PROBE_RECIPROCAL_ROOT 9u
#define PROBE_LOGARITHM 10u
#define PROBE_EXPONENTIAL 11u
#define PROBE_SLERP 12u           // slerp_coefficient(a, b)
#define PROBE_SNAP_NUMBER 13u     // snap_number(a)
#define PROBE_COMPARE_SNAPPED 14u // as PROBE_COMPARE, of snap(a) and snap(b)
#define PROBE_KINDS 15u

OP word probe_case(word kind, word a_bits, word b_bits) {
    real a = REAL(a_bits);
    real b = REAL(b_bits);
    real sum;
    switch (kind) {
    case PROBE_ADD:
        sum = a + b;
        return BITS(sum);
    case PROBE_MULTIPLY:
        sum = a * b;
        return BITS(sum);
    case PROBE_MULTIPLY_ADD:
        sum = a * b - 1.0f;
        return BITS(sum);
    case PROBE_SNAPPED_PRODUCT:
        sum = a * b;
        return BITS(snap_number(sum));
    case PROBE_SNAP:
        return BITS(snap(a));
    case PROBE_FROM_INTEGER:
        sum = TO_REAL(a_bits);
        return BITS(sum);
    case PROBE_TO_INTEGER:
        return TO_WORD(FLOOR(a));
    case PROBE_COMPARE:
        return SELECT(a < b, 1u, 0u) | SELECT(a == b, 2u, 0u) | SELECT(a > b, 4u, 0u);
    case PROBE_RECIPROCAL:
        return BITS(reciprocal(a));
    case PROBE_RECIPROCAL_ROOT:
        return BITS(reciprocal_root(a));
    case PROBE_LOGARITHM:
        return BITS(logarithm2(a));
    case PROBE_EXPONENTIAL:
        return BITS(exponential2(a));
    case PROBE_COMPARE_SNAPPED:
        a = snap(a);
        b = snap(b);
        return SELECT(a < b, 1u, 0u) | SELECT(a == b, 2u, 0u) | SELECT(a > b, 4u, 0u);
    case PROBE_SNAP_NUMBER:
        return BITS(snap_number(a));
    case PROBE_SLERP:
        return BITS(slerp_coefficient(a, b));
    default:
        return 0u;
    }
}

#endif
