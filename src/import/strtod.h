// Converts decimal text to double, correctly rounded and independent of the locale.
#ifndef LIMBER_SRC_IMPORT_STRTOD_H
#define LIMBER_SRC_IMPORT_STRTOD_H

#include <stddef.h>

// `text` is a number as in JSON: [-]digits[.digits][e[+-]digits]. Rounds to nearest, ties to even; a number that is too
// large becomes infinity.
double lmb_strtod(const char *text, size_t size);

#endif
