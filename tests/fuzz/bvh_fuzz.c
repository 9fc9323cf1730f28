// Untrusted BVH files: the import refuses a file with a message, or gives a rig and clips that fit it.
#include "gltf_fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lmb_import *import = NULL;
    lmb_error error;
    const lmb_result result = lmb_import_memory(data, size, "fuzz.bvh", NULL, NULL, &import, &error);
    if (result != LMB_OK) {
        import_require_failed(result, import, &error, "fuzz.bvh: ");
        return 0;
    }
    import_require_whole(import);
    lmb_import_destroy(import);
    return 0;
}
