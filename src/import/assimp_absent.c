#include "assimp.h"

bool lmb_assimp_read(lmb_importer *importer, lmb_format format, const uint8_t *bytes, size_t size) {
    (void)bytes;
    (void)size;
    return lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED, "%s is read by a build with LIMBER_ASSIMP alone",
                             lmb_format_name(format));
}
