#include "gltf_document.h"

#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char sections[] =
    "\"extensionsRequired\":[\"KHR_mesh_quantization\"],\n"
    "\"scene\":0,\"scenes\":[{\"nodes\":[0,5]},{\"nodes\":[6]}],\n"
    "\"nodes\":[\n"
    " {\"name\":\"Root\",\"children\":[1,3]},\n"
    " {\"name\":\"H\\u00fcft\\u0065\",\"children\":[2],\"translation\":[0,1,0],\"rotation\":[0,0,0.70710678,0.70710678]"
    "},\n"
    " {\"name\":\"Knee\",\"matrix\":[2,0,0,0,0,0,2,0,0,-2,0,0,1,0,0,1]},\n"
    " {\"name\":\"Hat\",\"mesh\":1,\"translation\":[0,3,0],\"children\":[4]},\n"
    " {\"mesh\":1,\"scale\":[-1,1,1]},\n"
    " {\"name\":\"Body\",\"mesh\":0,\"skin\":0},\n"
    " {\"name\":\"Camera\",\"mesh\":1}],\n"
    "\"skins\":[{\"joints\":[1,2],\"inverseBindMatrices\":5,\"skeleton\":0}],\n"
    "\"meshes\":[\n"
    " {\"name\":\"Skin\",\"primitives\":[{\"attributes\":{\"POSITION\":6,\"NORMAL\":7,\"TEXCOORD_0\":8,\"JOINTS_0\":9,"
    "\"WEIGHTS_0\":10,\"JOINTS_1\":11,\"WEIGHTS_1\":12},\"indices\":13,\"material\":0}]},\n"
    " {\"primitives\":[{\"attributes\":{\"POSITION\":14},\"mode\":5,\"targets\":[{\"POSITION\":14}]},"
    "{\"attributes\":{\"POSITION\":14},\"mode\":1}]}],\n"
    "\"materials\":[{\"doubleSided\":true,\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.5,0.25,1,1],"
    "\"baseColorTexture\":{\"index\":0}}}],\n"
    "\"textures\":[{\"source\":1}],\n"
    "\"images\":[{\"uri\":\"unused.png\"},{\"name\":\"Fur\",\"mimeType\":\"image/png\",\"bufferView\":17}],\n"
    "\"animations\":[{\"name\":\"Walk\",\"channels\":[\n"
    " {\"sampler\":0,\"target\":{\"node\":1,\"path\":\"translation\"}},\n"
    " {\"sampler\":1,\"target\":{\"node\":1,\"path\":\"rotation\"}},\n"
    " {\"sampler\":2,\"target\":{\"node\":2,\"path\":\"scale\"}},\n"
    " {\"sampler\":3,\"target\":{\"node\":2,\"path\":\"rotation\"}},\n"
    " {\"sampler\":4,\"target\":{\"node\":3,\"path\":\"weights\"}},\n"
    " {\"sampler\":0,\"target\":{\"node\":6,\"path\":\"translation\"}}],\n"
    " \"samplers\":[\n"
    "  {\"input\":0,\"output\":1,\"interpolation\":\"LINEAR\"},\n"
    "  {\"input\":0,\"output\":2,\"interpolation\":\"CUBICSPLINE\"},\n"
    "  {\"input\":0,\"output\":3,\"interpolation\":\"STEP\"},\n"
    "  {\"input\":0,\"output\":4},\n"
    "  {\"input\":0,\"output\":15}]}]";

static void add_animation(gltf_document *document) {
    const float times[3] = {0, 0.5f, 1};
    const float translations[9] = {0, 1, 0, 2, 1, 0, 4, 3, 0};
    float rotations[36] = {0};
    for (int key = 0; key < 3; key++) {
        rotations[key * 12 + 4 + (key == 1 ? 2 : 3)] = 1;
    }
    const float scales[9] = {1, 1, 1, 2, 2, 2, 3, 3, 3};
    const int16_t shorts[12] = {0, 0, 0, 32767, 32767, 0, 0, 0, 0, -32768, 0, 0};
    gltf_floats(document, "SCALAR", 3, times);
    gltf_floats(document, "VEC3", 3, translations);
    gltf_floats(document, "VEC4", 9, rotations);
    gltf_floats(document, "VEC3", 3, scales);
    gltf_accessor(document, GLTF_INT16, "VEC4", 3, shorts, sizeof shorts, ",\"normalized\":true");
}

static void add_skin(gltf_document *document) {
    // The inverses of the rest poses of Hip and Knee: turned by 90 degrees about z at (0, 1, 0), and so on.
    const float matrices[32] = {0, -1, 0,    0, 1,    0, 0, 0, 0, 0,    1, 0, -1, 0, 0, 1,
                                0, 0,  0.5f, 0, 0.5f, 0, 0, 0, 0, 0.5f, 0, 0, -1, 0, 0, 1};
    const float positions[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    const float normals[12] = {0, 0, 2, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    const uint16_t texcoords[8] = {0, 0, 65535, 0, 65535, 65535, 0, 65535};
    const uint8_t joints[16] = {0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 9, 0};
    const uint8_t weights[16] = {255, 0, 0, 0, 255, 0, 0, 0, 128, 127, 0, 0, 51, 204, 0, 0};
    const uint16_t more_joints[16] = {1, 0, 0, 0};
    const float more_weights[16] = {1, 0, 0, 0};
    const uint16_t indices[6] = {0, 1, 2, 0, 2, 3};
    gltf_floats(document, "MAT4", 2, matrices);
    gltf_floats(document, "VEC3", 4, positions);
    gltf_floats(document, "VEC3", 4, normals);
    gltf_accessor(document, GLTF_UINT16, "VEC2", 4, texcoords, sizeof texcoords, ",\"normalized\":true");
    gltf_accessor(document, GLTF_UINT8, "VEC4", 4, joints, sizeof joints, "");
    gltf_accessor(document, GLTF_UINT8, "VEC4", 4, weights, sizeof weights, ",\"normalized\":true");
    gltf_accessor(document, GLTF_UINT16, "VEC4", 4, more_joints, sizeof more_joints, "");
    gltf_floats(document, "VEC4", 4, more_weights);
    gltf_accessor(document, GLTF_UINT16, "SCALAR", 6, indices, sizeof indices, "");
}

char *gltf_complete(gltf_document *document) {
    *document = (gltf_document){0};
    add_animation(document);
    add_skin(document);
    const float strip[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 9, 9, 9};
    const uint8_t sparse_index = 3;
    const float sparse_value[3] = {1, 1, 0};
    const float morph_weights[3] = {0, 1, 0};
    const char png[12] = "\x89PNG\r\n\x1A\n1234";
    uint32_t strip_view = gltf_view(document, strip, sizeof strip);
    uint32_t index_view = gltf_view(document, &sparse_index, 1);
    uint32_t value_view = gltf_view(document, sparse_value, sizeof sparse_value);
    assert_int_equal(gltf_view(document, png, sizeof png), 17);
    char json[512];
    snprintf(json, sizeof json,
             "{\"bufferView\":%u,\"componentType\":5126,\"type\":\"VEC3\",\"count\":4,\"sparse\":{\"count\":1,"
             "\"indices\":{\"bufferView\":%u,\"componentType\":5121},\"values\":{\"bufferView\":%u}}}",
             (unsigned)strip_view, (unsigned)index_view, (unsigned)value_view);
    gltf_raw_accessor(document, json);
    gltf_floats(document, "SCALAR", 3, morph_weights);
    char *copy = calloc(sizeof sections, 1);
    assert_non_null(copy);
    memcpy(copy, sections, sizeof sections);
    return copy;
}
