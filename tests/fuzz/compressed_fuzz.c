// Untrusted compressed data. The first byte chooses the library and the mode; the rest goes to the decoder of Draco, or
// as a buffer view of glTF to meshoptimizer.
#include "gltf_fuzzing.h"

#include "import/draco.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_MEMORY ((size_t)64 << 20)

static void decode_draco(const uint8_t *data, size_t size) {
    static const int components[] = {5120, 5121, 5122, 5123, 5125, 5126};
    bool exceeded = false;
    const char *why = NULL;
    lmb_draco *mesh = lmb_draco_decode(data, size, MOST_MEMORY, &exceeded, &why);
    if (mesh == NULL) {
        import_require(why != NULL, "no reason");
        return;
    }
    const size_t vertices = lmb_draco_vertex_count(mesh), indices = lmb_draco_index_count(mesh);
    import_require(vertices <= MOST_MEMORY / 128 && indices <= MOST_MEMORY / 64, "more than the limit allows");
    void *values = malloc((vertices + indices) * 16 + 16);
    import_require(values != NULL, "no memory");
    if (lmb_draco_indices(mesh, values)) {
        for (size_t i = 0; i < indices; i++) {
            import_require(((const uint32_t *)values)[i] < vertices, "an index of no vertex");
        }
    }
    for (uint32_t id = 0; id < 6; id++) {
        lmb_draco_attribute(mesh, id, components[id], 1 + id % 4, values);
    }
    free(values);
    lmb_draco_destroy(mesh);
}

static void decode_meshopt(uint32_t kind, const uint8_t *data, size_t size) {
    static const char *const modes[] = {"ATTRIBUTES", "TRIANGLES", "INDICES"};
    static const char *const filters[] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"};
    if (size < 3) {
        return;
    }
    const uint32_t count = data[0] + 256u * data[1], stride = 1 + data[2];
    const size_t room = 1024, binary_size = size - 3;
    uint8_t *file = calloc(1, room + binary_size);
    import_require(file != NULL, "no memory");
    char *json = (char *)file + 20;
    const int length = snprintf(
        json, room - 32,
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}],\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[{"
        "\"buffer\":0,\"byteLength\":0,\"extensions\":{\"EXT_meshopt_compression\":{\"buffer\":0,\"byteLength\":%zu,"
        "\"byteStride\":%u,\"count\":%u,\"mode\":\"%s\",\"filter\":\"%s\"}}}]}",
        binary_size, binary_size, stride, count, modes[kind % 3], filters[kind / 3 % 4]);
    const uint32_t header[5] = {0x46546C67, 2, (uint32_t)(20 + (size_t)length + 8 + binary_size), (uint32_t)length,
                                0x4E4F534A};
    const uint32_t chunk[2] = {(uint32_t)binary_size, 0x004E4942};
    memcpy(file, header, sizeof header);
    memcpy(json + length, chunk, sizeof chunk);
    memcpy(json + length + sizeof chunk, data + 3, binary_size);
    lmb_import *import = NULL;
    lmb_error error;
    const lmb_result result = lmb_import_memory(file, header[2], "fuzz", NULL, NULL, &import, &error);
    if (result != LMB_OK) {
        import_require_failed(result, import, &error, "fuzz: ");
    }
    lmb_import_destroy(import);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 0 && data[0] == 0) {
        decode_draco(data + 1, size - 1);
    } else if (size > 0) {
        decode_meshopt(data[0] - 1u, data + 1, size - 1);
    }
    return 0;
}
