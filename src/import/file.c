#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// What a 32-bit offset reaches. A folder, which some systems open, says that it is larger.
#define LARGEST_FILE UINT32_MAX

static bool fail(lmb_importer *importer, const char *place, const char *what, const char *why) {
    return lmb_importer_fail(importer, LMB_ERROR_FILE, "%s%s%s", place, what, why);
}

static bool read_open_file(lmb_importer *importer, FILE *file, const char *place, const uint8_t **bytes, size_t *size) {
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (end < 0 || fseek(file, 0, SEEK_SET) != 0) {
        return fail(importer, place, "has no size: ", strerror(errno));
    }
    if ((uint64_t)end >= LARGEST_FILE) {
        return fail(importer, place, "is no file, or one of 4 GiB or more", "");
    }
    lmb_importer_add_source(importer, (size_t)end);
    uint8_t *content = lmb_importer_allocate(importer, &importer->scratch, (size_t)end, 1);
    if (content == NULL) {
        return false;
    }
    if (fread(content, 1, (size_t)end, file) != (size_t)end) {
        return fail(importer, place, "cannot be read to its end", "");
    }
    *bytes = content;
    *size = (size_t)end;
    return true;
}

bool lmb_file_read(lmb_importer *importer, const char *path, const char *place, const uint8_t **bytes, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return fail(importer, place, "cannot be opened: ", strerror(errno));
    }
    bool read = read_open_file(importer, file, place, bytes, size);
    fclose(file);
    return read;
}
