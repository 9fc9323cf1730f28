// Import of malformed glTF files: the result, and a message that names the file and the position. Also any file when
// the host runs out of memory.
#include "gltf_document.h"

#include "suite.h"

#include <limber/import.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A host that counts live allocations and refuses the allocation number `refused`.
typedef struct counting_host {
    size_t alive;
    size_t allocations;
    size_t refused;
    size_t bytes;
} counting_host;

static void *count_allocate(void *user, size_t size) {
    counting_host *host = user;
    if (host->allocations++ == host->refused) {
        return NULL;
    }
    host->bytes += size;
    host->alive++;
    return malloc(size);
}

static void count_release(void *user, void *memory) {
    counting_host *host = user;
    assert_non_null(memory);
    host->alive--;
    free(memory);
}

static lmb_host host_of(counting_host *counting) {
    return (lmb_host){.allocate = count_allocate, .release = count_release, .user = counting};
}

static void expect(const void *bytes, size_t size, lmb_result result, const char *fragment) {
    counting_host counting = {.refused = SIZE_MAX};
    lmb_host host = host_of(&counting);
    lmb_import *import = NULL;
    lmb_error error = {.message = "nothing"};
    lmb_result got = lmb_import_memory(bytes, size, "bad.gltf", NULL, &host, &import, &error);
    if (got != result || error.result != result || strstr(error.message, fragment) == NULL ||
        strncmp(error.message, "bad.gltf: ", 10) != 0) {
        fail_msg("%s '%s' instead of %s '%s'", lmb_result_name(got), error.message, lmb_result_name(result), fragment);
    }
    assert_null(import);
    assert_int_equal(counting.alive, 0);
}

static void expect_text(const char *text, lmb_result result, const char *fragment) {
    expect(text, strlen(text), result, fragment);
}

static void texts_that_are_no_json(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *fragment;
    } cases[] = {
        {"", "JSON line 1, column 1: the text ends where a value was expected"},
        {"{", "a key in quotes was expected"},
        {"{\"asset\"", "':' was expected"},
        {"{\"asset\":", "the text ends where a value was expected"},
        {"{\"asset\":{}", "',' or '}' was expected"},
        {"{\"asset\":{}}\n x", "JSON line 2, column 2: something is behind the end"},
        {"{\"a\":[1 2]}", "',' or ']' was expected"},
        {"{\"a\":[1,]}", "a value was expected"},
        {"{\"a\" 1}", "':' was expected"},
        {"{\"a\":1,}", "a key in quotes was expected"},
        {"{a:1}", "a key in quotes was expected"},
        {"{\"a\":NaN}", "a value was expected"},
        {"{\"a\":-Infinity}", "a number that JSON does not have"},
        {"{\"a\":01}", "',' or '}' was expected"},
        {"{\"a\":1.}", "a number that JSON does not have"},
        {"{\"a\":.5}", "a value was expected"},
        {"{\"a\":1e}", "a number that JSON does not have"},
        {"{\"a\":+1}", "a value was expected"},
        {"{\"a\":tru}", "a value was expected"},
        {"{\"a\":\"b}", "the text ends inside a string"},
        {"{\"a\":\"\t\"}", "a control character in a string"},
        {"{\"a\":\"\\x\"}", "an escape that JSON does not have"},
        {"{\"a\":\"\\u12G4\"}", "an escape that JSON does not have"},
        {"{\"a\":\"\\uD800\"}", "half of a surrogate pair"},
        {"{\"a\":\"\\uD800\\u0041\"}", "half of a surrogate pair"},
        {"{\"a\":\"\\uDC00\"}", "half of a surrogate pair"},
        {"{\"a\":\"\\", "an escape that JSON does not have"},
        {"{\"a\":\"\xC0\x80\"}", "bytes that are not UTF-8"},
        {"{\"a\":\"\xED\xA0\x80\"}", "bytes that are not UTF-8"},
        {"{\"a\":\"\xF4\x90\x80\x80\"}", "bytes that are not UTF-8"},
        {"{\"a\":\"\x80\"}", "bytes that are not UTF-8"},
        {"{\"a\":\"\xE2\x82", "bytes that are not UTF-8"},
        {"{\"a\":1 \"b\":2}", "column 8: ',' or '}' was expected"},
        {"{\"a\":\"b\":1}", "column 9: ',' or '}' was expected"},
        {"{\"a\",\"b\"}", "column 5: ':' was expected"},
        {"{\"a\":[1}", "column 8: ',' or ']' was expected"},
        {"[1]]", "column 4: something is behind the end"},
        {"[", "the text ends where a value was expected"},
        {"42", "a number, not an object"},
        {"[]", "an array, not an object"},
        {"\x89PNG", "a value was expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect_text(cases[i].text, LMB_ERROR_FORMAT, cases[i].fragment);
    }
    const char zero[] = "{\"a\":\0}";
    expect(zero, sizeof zero - 1, LMB_ERROR_FORMAT, "a value was expected");
}

static void deep_json(void **state) {
    (void)state;
    enum { DEPTH = 1000000 };
    char *text = malloc(DEPTH + 1);
    assert_non_null(text);
    memset(text, '[', DEPTH);
    text[DEPTH] = '\0';
    expect_text(text, LMB_ERROR_FORMAT, "line 1, column 257: more than 256 nested arrays and objects");
    free(text);
}

static void documents_of_another_kind(void **state) {
    (void)state;
    expect_text("{}", LMB_ERROR_FORMAT, "asset: is missing");
    expect_text("{\"asset\":1}", LMB_ERROR_FORMAT, "asset: a number, not an object");
    expect_text("{\"asset\":{}}", LMB_ERROR_FORMAT, "asset.version: is missing");
    expect_text("{\"asset\":{\"version\":\"1.0\"}}", LMB_ERROR_UNSUPPORTED, "asset.version: '1.0'");
    expect_text("{\"asset\":{\"version\":\"2.1\",\"minVersion\":\"2.1\"}}", LMB_ERROR_UNSUPPORTED,
                "asset.minVersion: '2.1'");
    expect_text("{\"asset\":{\"version\":\"2.0\"}}", LMB_ERROR_UNSUPPORTED, "nodes: there are none");
    expect_text("{\"asset\":{\"version\":\"2.0\"},\"asset\":{}}", LMB_ERROR_FORMAT, "asset: occurs twice");
    expect_text("{\"asset\":{\"version\":\"2.0\"},\"extensionsRequired\":[\"EXT_mesh_gpu_instancing\"]}",
                LMB_ERROR_UNSUPPORTED,
                "extensionsRequired: 'EXT_mesh_gpu_instancing' is not read, and may change shapes or motion");
}

typedef struct change {
    const char *old;
    const char *replacement;
    lmb_result result;
    const char *fragment;
} change;

// Applies each change to the complete document, which is valid before.
static void expect_changes(const change *changes, size_t count) {
    gltf_document document;
    char *sections = gltf_complete(&document);
    char *text = gltf_text(&document, sections);
    for (size_t i = 0; i < count; i++) {
        char *changed = gltf_replace(text, changes[i].old, changes[i].replacement);
        expect_text(changed, changes[i].result, changes[i].fragment);
        free(changed);
    }
    free(text);
    free(sections);
}

#define EXPECT_CHANGES(changes) expect_changes(changes, sizeof(changes) / sizeof((changes)[0]))

static void wrong_nodes_and_scenes(void **state) {
    (void)state;
    static const change changes[] = {
        {"\"scene\":0", "\"scene\":2", LMB_ERROR_FORMAT, "scene: 2 is no index, there are 2 scenes"},
        {"\"scene\":0", "\"scene\":\"0\"", LMB_ERROR_FORMAT, "scene: a string, not an index"},
        {"\"nodes\":[0,5]", "\"nodes\":[1]", LMB_ERROR_FORMAT, "scenes[0].nodes: nodes[1] has a parent"},
        {"\"nodes\":[0,5]", "\"nodes\":[7]", LMB_ERROR_FORMAT, "scenes[0].nodes: 7 is no index, there are 7 nodes"},
        {"\"nodes\":[0,5]", "\"nodes\":{}", LMB_ERROR_FORMAT, "scenes[0].nodes: an object, not an array"},
        {"\"children\":[1,3]", "\"children\":[1,3,0]", LMB_ERROR_FORMAT, "is its own ancestor"},
        {"\"children\":[2]", "\"children\":[2,3]", LMB_ERROR_FORMAT, "nodes[3] has two parents"},
        {"\"children\":[1,3]", "\"children\":[1,3,1]", LMB_ERROR_FORMAT, "nodes[1] has two parents, or one twice"},
        {"\"children\":[1,3]", "\"children\":[1,3.5]", LMB_ERROR_FORMAT, "nodes[0].children: 3.5 is no index"},
        {"\"children\":[1,3]", "\"children\":[-1]", LMB_ERROR_FORMAT, "nodes[0].children: -1 is no index"},
        {"\"children\":[1,3]", "\"children\":[1e999]", LMB_ERROR_FORMAT, "nodes[0].children: inf is no index"},
        {"\"children\":[1,3]", "\"children\":[\"1\"]", LMB_ERROR_FORMAT, "[0] is a string, not a number"},
        {"\"name\":\"Root\"", "\"name\":5", LMB_ERROR_FORMAT, "nodes[0].name: a number, not a string"},
        {"\"name\":\"Root\"", "\"name\":\"a\\u0000b\"", LMB_ERROR_FORMAT, "nodes[0].name: holds the character U+0000"},
        {"\"translation\":[0,1,0]", "\"translation\":[0,1]", LMB_ERROR_FORMAT,
         "nodes[1].translation: 2 numbers, not 3"},
        {"\"translation\":[0,1,0]", "\"translation\":[0,1e39,0]", LMB_ERROR_FORMAT,
         "nodes[1].translation: holds 1e+39"},
        {"\"translation\":[0,1,0]", "\"translation\":[0,null,0]", LMB_ERROR_FORMAT, "null among the numbers"},
        {"[2,0,0,0,0,0,2,0,0,-2,0,0,1,0,0,1]", "[2,0,0,0,0,0,2,0,0,-2,1,0,1,0,0,1]", LMB_ERROR_UNSUPPORTED,
         "nodes[2].matrix of node 'Knee': it is sheared, and the node is a joint of a skin"},
        {"\"name\":\"Root\"", "\"name\":\"Root\",\"matrix\":[2,0,0,0,0,0,2,0,0,-2,1,0,1,0,0,1]", LMB_ERROR_UNSUPPORTED,
         "nodes[0].matrix of node 'Root': it is sheared, and a joint hangs on the node"},
        {"[2,0,0,0,0,0,2,0,0,-2,0,0,1,0,0,1]", "[2,0,0,1,0,0,2,0,0,-2,0,0,1,0,0,1]", LMB_ERROR_UNSUPPORTED,
         "its last row is not 0 0 0 1"},
        {"[2,0,0,0,0,0,2,0,0,-2,0,0,1,0,0,1]", "[2,0,0,0,0,0,2,0,0,-2,0,0,1,0,0,0]", LMB_ERROR_UNSUPPORTED,
         "its last row is not 0 0 0 1"},
        {"\"mesh\":0,\"skin\":0", "\"mesh\":2,\"skin\":0", LMB_ERROR_FORMAT, "nodes[5].mesh: 2 is no index"},
        {"\"mesh\":0,\"skin\":0", "\"mesh\":0,\"skin\":1", LMB_ERROR_FORMAT, "nodes[5].skin: 1 is no index"},
    };
    EXPECT_CHANGES(changes);
}

static void wrong_buffers_and_accessors(void **state) {
    (void)state;
    static const change changes[] = {
        {"data:application/octet-stream;base64,", "data:application/octet-stream,", LMB_ERROR_UNSUPPORTED,
         "buffers[0].uri: a data URI that is not base64"},
        {"data:application/octet-stream;base64,", "data:;base64,A", LMB_ERROR_FORMAT, "buffers[0].uri: base64"},
        {"data:application/octet-stream;base64,", "data:;base64,*AAA", LMB_ERROR_FORMAT,
         "base64 with a wrong character at 0"},
        {"data:application/octet-stream;base64,", "http://host/", LMB_ERROR_UNSUPPORTED,
         "buffers[0].uri: a URI with the scheme 'http'"},
        {"data:application/octet-stream;base64,", "/etc/", LMB_ERROR_UNSUPPORTED, "is an absolute path"},
        {"data:application/octet-stream;base64,", "%2Fetc/", LMB_ERROR_UNSUPPORTED, "is an absolute path"},
        {"data:application/octet-stream;base64,", "../", LMB_ERROR_UNSUPPORTED, "does not name a file in the folder"},
        {"data:application/octet-stream;base64,", "a/%2e%2E/../", LMB_ERROR_UNSUPPORTED,
         "does not name a file in the folder"},
        {"data:application/octet-stream;base64,", "..%5C", LMB_ERROR_UNSUPPORTED, "that no path here may have"},
        {"data:application/octet-stream;base64,", "a%00", LMB_ERROR_FORMAT, "'%' without two digits"},
        {"data:application/octet-stream;base64,", "a%G", LMB_ERROR_FORMAT, "'%' without two digits"},
        {"data:application/octet-stream;base64,", "a", LMB_ERROR_FILE, "is needed, but there is no folder"},
        {"\"buffers\":[{\"byteLength\":", "\"buffers\":[{\"byteLength\":9", LMB_ERROR_FORMAT,
         "buffers[0].byteLength: 9"},
        {"\"buffers\":[{\"byteLength\":", "\"buffers\":[{\"byteLength\":-", LMB_ERROR_FORMAT, "is no integer from 0"},
        {"\"buffers\":[{\"byteLength\":", "\"buffers\":[{\"byteLength\":99999999999999999999999", LMB_ERROR_FORMAT,
         "is no integer from 0 to 4294967295"},
        {"\"buffers\":[{\"byteLength\":", "\"buffers\":[{\"length\":", LMB_ERROR_FORMAT,
         "buffers[0].byteLength: is missing"},
        {"{\"buffer\":0,\"byteOffset\":0,\"byteLength\":12}", "{\"byteLength\":12}", LMB_ERROR_FORMAT,
         "bufferViews[0].buffer: is missing"},
        {"{\"buffer\":0,\"byteOffset\":0,\"byteLength\":12}", "{\"buffer\":1,\"byteLength\":12}", LMB_ERROR_FORMAT,
         "bufferViews[0].buffer: 1 is no index, there are 1 buffers"},
        {"{\"buffer\":0,\"byteOffset\":0,\"byteLength\":12}",
         "{\"buffer\":0,\"byteOffset\":4294967295,\"byteLength\":12}", LMB_ERROR_FORMAT,
         "bufferViews[0]: 12 bytes from 4294967295 on, but buffer 0 has"},
        {"{\"buffer\":0,\"byteOffset\":0,\"byteLength\":12}", "{\"buffer\":0,\"byteLength\":4294967295}",
         LMB_ERROR_FORMAT, "bufferViews[0]: 4294967295 bytes from 0 on"},
        {"{\"buffer\":0,\"byteOffset\":0,\"byteLength\":12}", "{\"buffer\":0,\"byteLength\":12,\"byteStride\":3}",
         LMB_ERROR_FORMAT, "accessors[0].bufferView: its stride of 3 bytes is less than an element's 4"},
        {"{\"buffer\":0,\"byteOffset\":0,\"byteLength\":12}", "{\"buffer\":0,\"byteLength\":12,\"byteStride\":65536}",
         LMB_ERROR_FORMAT, "bufferViews[0].byteStride: 65536 is no integer from 0 to 65535"},
        {"{\"buffer\":0,\"byteOffset\":0,\"byteLength\":12}", "{\"buffer\":0,\"byteLength\":0}", LMB_ERROR_FORMAT,
         "accessors[0]: 3 elements from byte 0 on take 12 bytes, but the buffer view has 0"},
        {"{\"buffer\":0,\"byteOffset\":0,\"byteLength\":12}", "{\"buffer\":0,\"byteLength\":12,\"byteStride\":8}",
         LMB_ERROR_FORMAT, "accessors[0]: 3 elements from byte 0 on take 20 bytes, but the buffer view has 12"},
        {"{\"bufferView\":0,", "{\"bufferView\":0,\"byteOffset\":4,", LMB_ERROR_FORMAT, "accessors[0]: 3 elements"},
        {"{\"bufferView\":0,", "{\"bufferView\":99,", LMB_ERROR_FORMAT, "accessors[0].bufferView: 99 is no index"},
        {"{\"bufferView\":0,\"componentType\":5126", "{\"bufferView\":0,\"componentType\":5124", LMB_ERROR_FORMAT,
         "accessors[0].componentType: 5124 is none of glTF's"},
        {"{\"bufferView\":0,\"componentType\":5126,\"type\":\"SCALAR\"", "{\"componentType\":5126,\"type\":\"VEC5\"",
         LMB_ERROR_FORMAT, "accessors[0].type: 'VEC5' is none of glTF's"},
        {"{\"bufferView\":0,\"componentType\":5126", "{\"bufferView\":0,\"normalized\":1,\"componentType\":5126",
         LMB_ERROR_FORMAT, "accessors[0].normalized: a number, not a boolean"},
        {"\"type\":\"MAT4\",\"count\":2", "\"type\":\"MAT4\",\"count\":0", LMB_ERROR_FORMAT,
         "skins[0].inverseBindMatrices: accessor 5 does not hold 2 MAT4"},
        {"\"type\":\"MAT4\",\"count\":2", "\"type\":\"MAT4\",\"count\":4294967295", LMB_ERROR_FORMAT,
         "accessors[5]: 4294967295 elements from byte 0 on take 274877906880 bytes"},
        {"\"type\":\"MAT4\",\"count\":2", "\"type\":\"MAT4\",\"count\":1.5", LMB_ERROR_FORMAT,
         "accessors[5].count: 1.5 is no integer"},
        {"\"type\":\"MAT4\",\"count\":2", "\"type\":\"MAT4\",\"count\":1", LMB_ERROR_FORMAT,
         "skins[0].inverseBindMatrices: accessor 5 does not hold 2 MAT4"},
        {"\"type\":\"MAT4\"", "\"type\":\"MAT3\"", LMB_ERROR_FORMAT, "does not hold 2 MAT4"},
        {"\"type\":\"MAT4\",\"count\":2}",
         "\"type\":\"MAT4\",\"count\":2,\"sparse\":{\"count\":1,\"indices\":"
         "{\"bufferView\":99,\"componentType\":5121},\"values\":{\"bufferView\":0}}}",
         LMB_ERROR_FORMAT, "accessors[5].sparse.indices.bufferView: 99 is no index"},
        {"\"sparse\":{\"count\":1", "\"sparse\":{\"count\":5", LMB_ERROR_FORMAT,
         "accessors[14].sparse.count: 5 is no integer from 0 to 4"},
        {"\"sparse\":{\"count\":1", "\"sparse\":{\"count\":2", LMB_ERROR_FORMAT,
         "accessors[14].sparse.indices: 2 elements from byte 0 on take 2 bytes"},
        {"\"componentType\":5121},\"values\"", "\"componentType\":5126},\"values\"", LMB_ERROR_FORMAT,
         "accessors[14].sparse.indices.componentType: 5126 is not an unsigned integer"},
    };
    EXPECT_CHANGES(changes);
}

static void wrong_skins_and_meshes(void **state) {
    (void)state;
    static const change changes[] = {
        {"\"joints\":[1,2]", "\"joints\":[1,1]", LMB_ERROR_FORMAT, "skins[0].joints: nodes[1] occurs twice"},
        {"\"joints\":[1,2]", "\"joints\":[]", LMB_ERROR_FORMAT, "skins[0].joints: there are none"},
        {"\"joints\":[1,2]", "\"joints\":[1,7]", LMB_ERROR_FORMAT, "skins[0].joints: 7 is no index"},
        {"\"joints\":[1,2]", "\"joints\":[1]", LMB_ERROR_FORMAT, "hangs on joint 1, the skin has 1"},
        {"\"joints\":[1,2]", "\"bones\":[1,2]", LMB_ERROR_FORMAT, "skins[0].joints: is missing"},
        {"\"inverseBindMatrices\":5", "\"inverseBindMatrices\":99", LMB_ERROR_FORMAT,
         "skins[0].inverseBindMatrices: 99 is no index"},
        {"\"skeleton\":0", "\"skeleton\":7", LMB_ERROR_FORMAT, "skins[0].skeleton: 7 is no index"},
        {"\"attributes\":{\"POSITION\":6,", "\"attributes\":[{}],\"x\":{\"POSITION\":6,", LMB_ERROR_FORMAT,
         "meshes[0].primitives[0].attributes: an array, not an object"},
        {"\"attributes\":{\"POSITION\":6,", "\"x\":{\"POSITION\":6,", LMB_ERROR_FORMAT,
         "meshes[0].primitives[0].attributes: is missing"},
        {"\"POSITION\":6", "\"POSITION\":8", LMB_ERROR_FORMAT, "attributes.POSITION: accessor 8 has a type"},
        {"\"POSITION\":6", "\"POSITION\":1", LMB_ERROR_FORMAT, "accessor 7 has 4 elements, POSITION has 3"},
        {"\"NORMAL\":7", "\"NORMAL\":0", LMB_ERROR_FORMAT, "attributes.NORMAL: accessor 0 has a type"},
        {"\"TEXCOORD_0\":8", "\"TEXCOORD_0\":7", LMB_ERROR_FORMAT, "attributes.TEXCOORD_0: accessor 7 has a type"},
        {"\"JOINTS_0\":9", "\"JOINTS_0\":10", LMB_ERROR_FORMAT, "attributes.JOINTS_0: accessor 10 has a type"},
        {"\"JOINTS_0\":9", "\"JOINTS_2\":9", LMB_ERROR_FORMAT, "attributes.JOINTS_0: is missing on a mesh with a skin"},
        {"\"WEIGHTS_0\":10", "\"WEIGHTS_0\":9", LMB_ERROR_FORMAT, "attributes.WEIGHTS_0: accessor 9 has a type"},
        {"\"WEIGHTS_1\":12", "\"WEIGHTS_2\":12", LMB_ERROR_FORMAT, "attributes.WEIGHTS_1: is missing"},
        {"\"indices\":13", "\"indices\":6", LMB_ERROR_FORMAT,
         "meshes[0].primitives[0].indices: accessor 6 does not hold unsigned SCALAR"},
        {"\"indices\":13", "\"indices\":99", LMB_ERROR_FORMAT, "indices: 99 is no index"},
        {"\"mode\":5", "\"mode\":7", LMB_ERROR_FORMAT, "meshes[1].primitives[0].mode: 7 is no integer from 0 to 6"},
        {"\"material\":0", "\"material\":1", LMB_ERROR_FORMAT, "meshes[0].primitives[0].material: 1 is no index"},
        {"\"baseColorFactor\":[0.5,0.25,1,1]", "\"baseColorFactor\":[0.5,0.25,1]", LMB_ERROR_FORMAT,
         "materials[0].pbrMetallicRoughness.baseColorFactor: 3 numbers, not 4"},
        {"\"baseColorTexture\":{\"index\":0}", "\"baseColorTexture\":{\"index\":1}", LMB_ERROR_FORMAT,
         "baseColorTexture.index: 1 is no index"},
        {"\"textures\":[{\"source\":1}]", "\"textures\":[{\"source\":2}]", LMB_ERROR_FORMAT,
         "textures[0].source: 2 is no index"},
        {"\"doubleSided\":true", "\"doubleSided\":\"yes\"", LMB_ERROR_FORMAT, "materials[0].doubleSided: a string"},
    };
    EXPECT_CHANGES(changes);
}

static void wrong_animations(void **state) {
    (void)state;
    static const change changes[] = {
        {"\"name\":\"Walk\",\"channels\"", "\"name\":\"Walk\",\"tracks\"", LMB_ERROR_FORMAT,
         "animations[0].channels: is missing"},
        {"{\"sampler\":2,\"target\"", "{\"sampler\":5,\"target\"", LMB_ERROR_FORMAT,
         "animations[0].channels[2].sampler: 5 is no index, there are 5 samplers"},
        {"{\"sampler\":2,\"target\"", "{\"target\"", LMB_ERROR_FORMAT, "animations[0].channels[2].sampler: is missing"},
        {"{\"node\":2,\"path\":\"scale\"}", "{\"node\":2}", LMB_ERROR_FORMAT, "channels[2].target.path: is missing"},
        {"{\"node\":2,\"path\":\"scale\"}", "{\"node\":7,\"path\":\"scale\"}", LMB_ERROR_FORMAT,
         "channels[2].target.node: 7 is no index"},
        {"\"interpolation\":\"STEP\"", "\"interpolation\":\"BEZIER\"", LMB_ERROR_FORMAT,
         "animations[0].samplers[2].interpolation: 'BEZIER' is none of glTF's"},
        {"\"interpolation\":\"STEP\"", "\"interpolation\":\"CUBICSPLINE\"", LMB_ERROR_FORMAT,
         "samplers[2].output: accessor 3 has 3 elements, the 3 keys need 9"},
        {"{\"input\":0,\"output\":3", "{\"input\":1,\"output\":3", LMB_ERROR_FORMAT,
         "samplers[2].input: accessor 1 does not hold SCALAR floats"},
        {"{\"input\":0,\"output\":3", "{\"input\":99,\"output\":3", LMB_ERROR_FORMAT,
         "samplers[2].input: 99 is no index"},
        {"{\"input\":0,\"output\":3", "{\"output\":3", LMB_ERROR_FORMAT, "samplers[2].input: is missing"},
        {"{\"input\":0,\"output\":3", "{\"input\":0,\"output\":4", LMB_ERROR_FORMAT,
         "samplers[2].output: accessor 4 has a type that no scale has"},
        {"{\"input\":0,\"output\":3", "{\"input\":0,\"output\":6", LMB_ERROR_FORMAT, "accessor 6 has 4 elements"},
        {"{\"input\":0,\"output\":2", "{\"input\":0,\"output\":1", LMB_ERROR_FORMAT, "that no rotation has"},
        {"{\"bufferView\":0,\"componentType\":5126,\"type\":\"SCALAR\",\"count\":3}",
         "{\"bufferView\":2,\"componentType\":5126,\"type\":\"SCALAR\",\"count\":9}", LMB_ERROR_FORMAT,
         "accessors[0]: key 8 is at 0 s, before the key before it (translation of node 'H\xC3\xBC"
         "fte', animation 'Walk')"},
        {"{\"bufferView\":2,", "{", LMB_ERROR_FORMAT, "animations[0]: clip 'Walk'"},
    };
    EXPECT_CHANGES(changes);
}

// Invalid values in the binary data.
static void wrong_values_in_buffers(void **state) {
    (void)state;
    static const char skinned[] = "\"nodes\":[{\"mesh\":0,\"skin\":0}],\"skins\":[{\"joints\":[0]}],\"meshes\":[{"
                                  "\"primitives\":[{\"attributes\":{"
                                  "\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2},\"indices\":3}]}]";
    static const struct {
        float position;
        uint8_t joint;
        float weight;
        uint8_t index;
        const char *fragment;
    } cases[] = {{NAN, 0, 1, 0, "accessors[0]: element 1 holds nan"},
                 {INFINITY, 0, 1, 0, "accessors[0]: element 1 holds inf"},
                 {2e12f, 0, 1, 0, "accessors[0]: element 1 holds 2e+12"},
                 {0, 1, 1, 0, "vertex 1 hangs on joint 1, the skin has 1"},
                 {0, 0, -0.5f, 0, "vertex 1 has the weight -0.5"},
                 {0, 0, NAN, 0, "accessors[2]: element 1 holds nan"},
                 {0, 0, 1, 3, "indices: index 2 is 3, there are 3 vertices"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gltf_document document = {0};
        const float positions[9] = {0, 0, 0, cases[i].position, 0, 0, 0, 1, 0};
        const uint8_t joints[12] = {0, 0, 0, 0, cases[i].joint, 0, 0, 0, 0, 0, 0, 0};
        const float weights[12] = {1, 0, 0, 0, cases[i].weight, 0, 0, 0, 1, 0, 0, 0};
        const uint8_t indices[3] = {0, 1, cases[i].index};
        gltf_floats(&document, "VEC3", 3, positions);
        gltf_accessor(&document, GLTF_UINT8, "VEC4", 3, joints, sizeof joints, "");
        gltf_floats(&document, "VEC4", 3, weights);
        gltf_accessor(&document, GLTF_UINT8, "SCALAR", 3, indices, sizeof indices, "");
        char *text = gltf_text(&document, skinned);
        expect_text(text, LMB_ERROR_FORMAT, cases[i].fragment);
        free(text);
    }
}

static void sparse_indices_out_of_order(void **state) {
    (void)state;
    static const uint8_t cases[][2] = {{1, 1}, {2, 1}, {0, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gltf_document document = {0};
        gltf_view(&document, cases[i], 2);
        gltf_view(&document, (float[6]){0}, 24);
        gltf_raw_accessor(&document,
                          "{\"componentType\":5126,\"type\":\"VEC3\",\"count\":3,\"sparse\":{\"count\":2,"
                          "\"indices\":{\"bufferView\":0,\"componentType\":5121},\"values\":{\"bufferView\":1}}}");
        char *text = gltf_text(&document, "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
                                          "\"POSITION\":0}}]}]");
        expect_text(text, LMB_ERROR_FORMAT, "at 1 is outside or not in ascending order");
        free(text);
    }
}

static void strides_that_do_not_fit(void **state) {
    (void)state;
    static const struct {
        const char *accessor;
        const char *fragment;
    } cases[] = {{"{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":2}",
                  "accessors[0].bufferView: its stride of 8 bytes is less than an element's 12"},
                 {"{\"componentType\":5126,\"type\":\"SCALAR\",\"count\":2,\"sparse\":{\"count\":1,\"indices\":{"
                  "\"bufferView\":0,"
                  "\"componentType\":5121},\"values\":{\"bufferView\":0}}}",
                  "accessors[0].sparse.indices.bufferView: has a byteStride, which sparse data must not have"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gltf_document document = {0};
        gltf_view(&document, (float[6]){0}, 24);
        gltf_raw_accessor(&document, cases[i].accessor);
        char *text = gltf_text(&document, "\"nodes\":[{}]");
        char *strided = gltf_replace(text, "\"byteOffset\":0", "\"byteStride\":8");
        expect_text(strided, LMB_ERROR_FORMAT, cases[i].fragment);
        free(strided);
        free(text);
    }
}

static void wrong_containers(void **state) {
    (void)state;
    gltf_document document;
    char *sections = gltf_complete(&document);
    size_t size;
    uint8_t *good = gltf_binary(&document, sections, &size);
    uint8_t *bytes = malloc(size + 16);
    static const struct {
        size_t at;
        uint8_t value;
        lmb_result result;
        const char *fragment;
    } cases[] = {{4, 1, LMB_ERROR_UNSUPPORTED, "GLB header: version 1, 2 is read"},
                 {11, 0xFF, LMB_ERROR_FORMAT, "GLB header: it says"},
                 {15, 0xFF, LMB_ERROR_FORMAT, "GLB chunk 0: a length of"},
                 {12, 1, LMB_ERROR_FORMAT, "GLB chunk 1: a length of"},
                 {16, 'X', LMB_ERROR_FORMAT, "GLB chunk 0: the first one is not JSON"},
                 {0, 'G', LMB_ERROR_FORMAT, "JSON line 1, column 1"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memcpy(bytes, good, size);
        bytes[cases[i].at] = cases[i].value;
        expect(bytes, size, cases[i].result, cases[i].fragment);
    }
    free(bytes);
    free(good);
    free(sections);

    // A third chunk is allowed if its kind is unknown, but JSON and binary data must occur only once.
    static const char node[] = "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}]} ";
    static const char *const kinds[] = {"BIN", "JSON"};
    static const char *const fragments[] = {"GLB chunk 2: a second one of binary data",
                                            "GLB chunk 2: a second one of JSON"};
    for (size_t i = 0; i < 2; i++) {
        uint8_t *file = gltf_wrap(node, "\0\0\0\0\0\0\0\0BIN", 12, &size);
        // The 12 bytes of binary data become a chunk of 0 bytes and another chunk.
        memset(file + size - 20, 0, 4);
        memset(file + size - 12, 0, 12);
        file[size - 20] = 4;
        memcpy(file + size - 4, kinds[i], strlen(kinds[i]));
        expect(file, size, LMB_ERROR_FORMAT, fragments[i]);
        free(file);
    }
    uint8_t *file =
        gltf_wrap("{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":4}],\"nodes\":[{}]}", NULL, 0, &size);
    expect(file, size, LMB_ERROR_FORMAT, "buffers[0].uri: is missing, and there is no binary chunk");
    free(file);
}

static void nothing_small_takes_much_memory(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{\"asset\":{\"version\":\"2.0\"},\"accessors\":[{\"componentType\":5126,\"type\":\"VEC3\",\"count\":"
        "4294967295}],"
        "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}",
        "{\"asset\":{\"version\":\"2.0\"},\"accessors\":[{\"componentType\":5126,\"type\":\"VEC3\",\"count\":3},{"
        "\"componentType\":5125,\"type\":\"SCALAR\",\"count\":4294967295}],"
        "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":5,\"indices\":"
        "1}]}]}",
        "{\"asset\":{\"version\":\"2.0\"},\"accessors\":[{\"componentType\":5126,\"type\":\"SCALAR\",\"count\":"
        "4000000000}],"
        "\"nodes\":[{}],\"animations\":[{\"samplers\":[{\"input\":0,\"output\":0}],\"channels\":[{\"sampler\":0,"
        "\"target\":{\"node\":0,\"path\":\"scale\"}}]}]}"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        counting_host counting = {.refused = SIZE_MAX};
        lmb_host host = host_of(&counting);
        lmb_import *import = NULL;
        lmb_error error;
        assert_int_equal(lmb_import_memory(texts[i], strlen(texts[i]), "huge", NULL, &host, &import, &error),
                         LMB_ERROR_LIMIT);
        assert_non_null(strstr(error.message, "huge: its content would take more than the 256 MiB"));
        assert_true(counting.bytes < (size_t)300 << 20);
        assert_int_equal(counting.alive, 0);
    }
}

static void objects_with_too_many_members(void **state) {
    (void)state;
    char text[8192] = "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{";
    for (int i = 0; i < 257; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s\"a%d\":0", i > 0 ? "," : "", i);
    }
    strcat(text, "}]}");
    expect_text(text, LMB_ERROR_LIMIT, "nodes[0]: 257 members, 256 at most");
}

static void too_many_joints(void **state) {
    (void)state;
    enum { NODES = 65536 };
    char *text = malloc(NODES * 3 + 100);
    assert_non_null(text);
    strcpy(text, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}");
    char *at = text + strlen(text);
    for (int i = 1; i < NODES; i++, at += 3) {
        memcpy(at, ",{}", 3);
    }
    strcpy(at, "]}");
    expect_text(text, LMB_ERROR_LIMIT, "nodes: the rig would have 65536 joints, 65535 at most");
    free(text);
}

static void messages_fit_whatever_a_file_says(void **state) {
    (void)state;
    char name[2000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    char text[4096];
    snprintf(text, sizeof text,
             "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"\\n%s\",\"matrix\":[1,0,0,1,0,1,0,0,0,0,1,0,0,0,"
             "0,1]}]}",
             name);
    lmb_import *import = NULL;
    lmb_error error;
    assert_int_equal(lmb_import_memory(text, strlen(text), name, NULL, NULL, &import, &error), LMB_ERROR_UNSUPPORTED);
    assert_non_null(memchr(error.message, '\0', sizeof error.message));
    assert_null(strchr(error.message, '\n'));
    assert_non_null(strstr(error.message, "nodes[0].matrix of node '?nnn"));
}

static void arguments(void **state) {
    (void)state;
    lmb_import *import = NULL;
    lmb_error error;
    assert_int_equal(lmb_import_file(NULL, NULL, &import, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_import_file("x", NULL, NULL, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_import_memory(NULL, 5, "x", NULL, NULL, &import, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_import_memory("", 0, "x", NULL, NULL, NULL, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_import_memory(NULL, 0, NULL, NULL, NULL, &import, NULL), LMB_ERROR_FORMAT);
    lmb_import_destroy(NULL);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    gltf_document document;
    char *sections = gltf_complete(&document);
    size_t size;
    uint8_t *bytes = gltf_binary(&document, sections, &size);
    size_t refused = 0;
    for (;; refused++) {
        counting_host counting = {.refused = refused};
        lmb_host host = host_of(&counting);
        lmb_import *import = NULL;
        lmb_error error;
        lmb_result result = lmb_import_memory(bytes, size, "memory.glb", NULL, &host, &import, &error);
        if (result == LMB_OK) {
            assert_true(counting.alive > 0);
            lmb_import_destroy(import);
            assert_int_equal(counting.alive, 0);
            break;
        }
        assert_int_equal(result, LMB_ERROR_MEMORY);
        assert_non_null(strstr(error.message, "memory.glb: the host has no memory"));
        assert_null(import);
        assert_int_equal(counting.alive, 0);
    }
    assert_true(refused > 50);
    free(bytes);
    free(sections);
}

// Reads from a buffer of the exact size, so that a sanitizer detects a read beyond it.
static void read_exactly(const uint8_t *bytes, size_t size) {
    uint8_t *copy = malloc(size == 0 ? 1 : size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    lmb_import *import = NULL;
    lmb_error error = {.message = ""};
    lmb_result result = lmb_import_memory(copy, size, "x", NULL, NULL, &import, &error);
    free(copy);
    assert_true((result == LMB_OK) == (import != NULL));
    assert_true(result == LMB_OK || strlen(error.message) > 3);
    lmb_import_destroy(import);
}

static void every_byte_may_be_wrong(void **state) {
    (void)state;
    gltf_document document;
    char *sections = gltf_complete(&document);
    size_t size;
    uint8_t *bytes = gltf_binary(&document, sections, &size);
    static const uint8_t flips[] = {0x01, 0x20, 0x80, 0xFF};
    for (size_t i = 0; i < size; i++) {
        for (size_t k = 0; k < sizeof flips; k++) {
            bytes[i] ^= flips[k];
            read_exactly(bytes, size);
            bytes[i] ^= flips[k];
        }
    }
    free(bytes);
    free(sections);
}

static void every_prefix_is_refused(void **state) {
    (void)state;
    gltf_document document;
    char *sections = gltf_complete(&document);
    char *text = gltf_text(&document, sections);
    size_t size;
    uint8_t *bytes = gltf_binary(&document, sections, &size);
    for (size_t i = 0; i < size; i++) {
        read_exactly(bytes, i);
    }
    lmb_import *import = NULL;
    for (size_t i = 0; i < strlen(text); i++) {
        assert_int_equal(lmb_import_memory(text, i, "x", NULL, NULL, &import, NULL), LMB_ERROR_FORMAT);
    }
    free(bytes);
    free(text);
    free(sections);
}

static uint8_t *read_whole(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        print_message("%s is missing\n", path);
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    fseek(file, 0, SEEK_SET);
    uint8_t *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void fox_cut_short(void **state) {
    (void)state;
    size_t size = 0;
    uint8_t *bytes = read_whole(LIMBER_ASSETS "/Fox.glb", &size);
    if (bytes == NULL) {
        skip();
    }
    lmb_import *import = NULL;
    lmb_error error;
    for (size_t i = 0; i < size; i += i < 4096 ? 1 : 997) {
        assert_int_equal(lmb_import_memory(bytes, i, "Fox.glb", NULL, NULL, &import, &error), LMB_ERROR_FORMAT);
        // The header's length is corrected, so that chunks, views and JSON detect the truncation.
        uint8_t *copy = malloc(i + 12);
        assert_non_null(copy);
        memcpy(copy, bytes, i);
        if (i >= 12) {
            copy[8] = (uint8_t)i;
            copy[9] = (uint8_t)(i >> 8);
            copy[10] = (uint8_t)(i >> 16);
            assert_int_equal(lmb_import_memory(copy, i, "Fox.glb", NULL, NULL, &import, &error), LMB_ERROR_FORMAT);
        }
        free(copy);
    }
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_that_are_no_json),
        cmocka_unit_test(deep_json),
        cmocka_unit_test(documents_of_another_kind),
        cmocka_unit_test(wrong_nodes_and_scenes),
        cmocka_unit_test(wrong_buffers_and_accessors),
        cmocka_unit_test(wrong_skins_and_meshes),
        cmocka_unit_test(wrong_animations),
        cmocka_unit_test(wrong_values_in_buffers),
        cmocka_unit_test(sparse_indices_out_of_order),
        cmocka_unit_test(strides_that_do_not_fit),
        cmocka_unit_test(wrong_containers),
        cmocka_unit_test(nothing_small_takes_much_memory),
        cmocka_unit_test(objects_with_too_many_members),
        cmocka_unit_test(too_many_joints),
        cmocka_unit_test(messages_fit_whatever_a_file_says),
        cmocka_unit_test(arguments),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_byte_may_be_wrong),
        cmocka_unit_test(every_prefix_is_refused),
        cmocka_unit_test(fox_cut_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
