// Links both libraries and calls a function of each.
#include <limber/gpu.h>
#include <limber/import.h>

#include <stdio.h>

int main(void) {
    lmb_import *import = NULL;
    lmb_error error;
    const lmb_result result = lmb_import_memory("{", 1, "test", NULL, NULL, &import, &error);
    printf("limber %u: %s: %s\n", (unsigned)lmb_version(), lmb_result_name(result), error.message);
    return lmb_version() == LMB_VERSION && result == LMB_ERROR_FORMAT ? 0 : 1;
}
