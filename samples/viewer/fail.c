#include "fail.h"

#include <stdarg.h>
#include <stdio.h>

lmb_result viewer_fail(lmb_error *error, lmb_result result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    error->result = result;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return result;
}
