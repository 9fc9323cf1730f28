// Decimal text to double, correctly rounded, whatever the locale.
#ifndef LIMBER_SRC_IMPORT_STRTOD_H
#define LIMBER_SRC_IMPORT_STRTOD_H

#include <stddef.h>

// `text` is a number as JSON writes it: [-]digits[.digits][e[+-]digits]. Rounds to nearest, ties to even; what is too
// large becomes infinity.
double lmb_strtod(const char *text, size_t size);

#endif
