// What every suite includes: cmocka with the headers that it wants before it.
#ifndef LIMBER_TESTS_SUITE_H
#define LIMBER_TESTS_SUITE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
