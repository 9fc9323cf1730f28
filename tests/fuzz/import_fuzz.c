// Untrusted glTF files: the import refuses a file with a message, or gives consistent parts.
#include "gltf_fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lmb_import *import = NULL;
    lmb_error error;
    const lmb_result result = lmb_import_memory(data, size, "fuzz", NULL, NULL, &import, &error);
    if (result != LMB_OK) {
        import_require_failed(result, import, &error, "fuzz: ");
        return 0;
    }
    import_require_whole(import);
    lmb_import_destroy(import);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    return gltf_mutate(data, size, max_size, seed);
}
