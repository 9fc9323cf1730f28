// Compressed glTF files: data of Draco and meshoptimizer, made by the encoders of these libraries, is what it was
// before; damaged data; builds without a library.
#include "gltf_document.h"

#include "suite.h"

#include <limber/cpu.h>
#include <limber/import.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LIMBER_TEST_DRACO
#include "draco_encode.h"
#endif
#ifdef LIMBER_TEST_MESHOPT
#include <meshoptimizer.h>
#endif

// A bent sheet of triangles with every attribute that a skinned mesh has.
enum { SIDE = 8, VERTICES = SIDE * SIDE, INDICES = (SIDE - 1) * (SIDE - 1) * 6, ROOM = 1 << 16 };

typedef struct sheet {
    float positions[VERTICES][3], normals[VERTICES][3], texcoords[VERTICES][2], weights[VERTICES][4];
    uint16_t joints[VERTICES][4];
    uint32_t indices[INDICES];
} sheet;

#if defined(LIMBER_TEST_DRACO) || defined(LIMBER_TEST_MESHOPT)
static void make_sheet(sheet *sheet) {
    static const uint32_t corners[6][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 1}};
    memset(sheet, 0, sizeof *sheet);
    for (uint32_t i = 0; i < VERTICES; i++) {
        const float u = (float)(i % SIDE) / (SIDE - 1), v = (float)(i / SIDE) / (SIDE - 1), angle = 2 * u;
        const float position[3] = {sinf(angle), v + 0.1f * u, 1 - cosf(angle)};
        const float normal[3] = {sinf(angle), 0, cosf(angle)};
        memcpy(sheet->positions[i], position, sizeof position);
        memcpy(sheet->normals[i], normal, sizeof normal);
        sheet->texcoords[i][0] = u;
        sheet->texcoords[i][1] = v;
        sheet->joints[i][0] = i % 3 == 0;
        sheet->joints[i][1] = i % 3 != 0;
        sheet->weights[i][0] = 0.25f + 0.5f * v;
        sheet->weights[i][1] = 1 - sheet->weights[i][0];
    }
    for (uint32_t i = 0; i < INDICES; i++) {
        const uint32_t cell = i / 6, column = cell % (SIDE - 1) + corners[i % 6][0];
        sheet->indices[i] = (cell / (SIDE - 1) + corners[i % 6][1]) * SIDE + column;
    }
}
#endif

static lmb_result read(const uint8_t *bytes, size_t size, const lmb_host *host, lmb_import **import, lmb_error *error) {
    return lmb_import_memory(bytes, size, "test.glb", NULL, host, import, error);
}

static lmb_import *load(const char *json, const uint8_t *binary, size_t binary_size) {
    size_t size;
    uint8_t *file = gltf_wrap(json, binary, binary_size, &size);
    lmb_import *import = NULL;
    lmb_error error;
    if (read(file, size, NULL, &import, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    free(file);
    return import;
}

static void expect(const char *json, const uint8_t *binary, size_t binary_size, lmb_result result,
                   const char *fragment) {
    size_t size;
    uint8_t *file = gltf_wrap(json, binary, binary_size, &size);
    lmb_import *import = NULL;
    lmb_error error = {.message = "nothing"};
    const lmb_result got = read(file, size, NULL, &import, &error);
    free(file);
    lmb_import_destroy(import);
    if (got != result || strstr(error.message, fragment) == NULL) {
        fail_msg("%s '%s' instead of %s '%s'", lmb_result_name(got), error.message, lmb_result_name(result), fragment);
    }
}

#if defined(LIMBER_TEST_DRACO) || defined(LIMBER_TEST_MESHOPT)
static void read_any(const char *json, const uint8_t *bytes, size_t size) {
    size_t file_size;
    uint8_t *file = gltf_wrap(json, bytes, size, &file_size);
    lmb_import *import = NULL;
    lmb_error error = {.message = ""};
    const lmb_result result = read(file, file_size, NULL, &import, &error);
    free(file);
    assert_true((result == LMB_OK) == (import != NULL));
    lmb_import_destroy(import);
}
#endif

// What a file says beside its data: a skinned mesh on two joints.
static const char scene[] =
    "{\"asset\":{\"version\":\"2.0\"},%s"
    "\"nodes\":[{\"name\":\"a\",\"children\":[1]},{\"name\":\"b\"},{\"name\":\"m\",\"mesh\":0,\"skin\":0}],"
    "\"skins\":[{\"joints\":[0,1]}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,"
    "\"NORMAL\":1,\"TEXCOORD_0\":2,\"JOINTS_0\":3,\"WEIGHTS_0\":4},\"indices\":5%s}]}],"
    "\"buffers\":[{\"byteLength\":%zu}%s],\"bufferViews\":[%s],\"accessors\":[%s]}";

#if defined(LIMBER_TEST_DRACO) || defined(LIMBER_TEST_MESHOPT)
static float distance(const float *a, const float *b) {
    return fabsf(a[0] - b[0]) + fabsf(a[1] - b[1]) + fabsf(a[2] - b[2]);
}

// Finds the vertex of the sheet that a vertex was.
static uint32_t nearest(const sheet *sheet, const lmb_vertex *vertex) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < VERTICES; i++) {
        best = distance(sheet->positions[i], vertex->position) < distance(sheet->positions[best], vertex->position)
                   ? i
                   : best;
    }
    return best;
}

// Every vertex has the attributes of one of the sheet's, and the triangles are the same, whatever their order.
static void expect_sheet(const lmb_import *import, const sheet *sheet, float tolerance) {
    static uint8_t found[VERTICES][VERTICES][VERTICES];
    const lmb_mesh *mesh = lmb_import_get_content(import)->meshes;
    assert_int_equal(lmb_import_get_content(import)->mesh_count, 1);
    assert_int_equal(mesh->index_count, INDICES);
    memset(found, 0, sizeof found);
    for (uint32_t i = 0; i < INDICES; i += 3) {
        uint32_t corner[3];
        for (uint32_t k = 0; k < 3; k++) {
            const lmb_vertex *vertex = &mesh->vertices[mesh->indices[i + k]];
            corner[k] = nearest(sheet, vertex);
            const uint32_t v = corner[k];
            assert_true(distance(vertex->position, sheet->positions[v]) <= tolerance);
            assert_true(distance(vertex->normal, sheet->normals[v]) <= fmaxf(tolerance, 1e-6f));
            assert_true(fabsf(vertex->texcoord[0] - sheet->texcoords[v][0]) <= tolerance);
            assert_true(fabsf(vertex->texcoord[1] - sheet->texcoords[v][1]) <= tolerance);
            for (uint32_t n = 0; n < 2; n++) {
                const uint32_t other = vertex->joints[n] == sheet->joints[v][n] ? n : 1 - n; // influences may be sorted
                assert_int_equal(vertex->joints[n], sheet->joints[v][other]);
                assert_true(fabsf(vertex->weights[n] - sheet->weights[v][other]) <= fmaxf(tolerance, 1e-6f));
            }
        }
        const uint32_t first = corner[0] < corner[1] ? (corner[0] < corner[2] ? 0 : 2) : corner[1] < corner[2] ? 1 : 2;
        found[corner[first]][corner[(first + 1) % 3]][corner[(first + 2) % 3]]++;
    }
    for (uint32_t i = 0; i < INDICES; i += 3) {
        const uint32_t *corner = sheet->indices + i;
        const uint32_t first = corner[0] < corner[1] ? (corner[0] < corner[2] ? 0 : 2) : corner[1] < corner[2] ? 1 : 2;
        assert_int_equal(found[corner[first]][corner[(first + 1) % 3]][corner[(first + 2) % 3]], 1);
    }
}
#endif

// ---- Draco ----

static const char draco_accessors[] =
    "{\"componentType\":5126,\"type\":\"VEC3\",\"count\":%u},{\"componentType\":5126,\"type\":\"VEC3\",\"count\":%u},"
    "{\"componentType\":5126,\"type\":\"VEC2\",\"count\":%u},{\"componentType\":5123,\"type\":\"VEC4\",\"count\":%u},"
    "{\"componentType\":5126,\"type\":\"VEC4\",\"count\":%u},{\"componentType\":5123,\"type\":\"SCALAR\",\"count\":%u}";

static void write_draco_json(char json[8192], size_t size, uint32_t vertex_count, uint32_t index_count, const char *ids,
                             bool is_required) {
    char accessors[2048], view[200], extension[400];
    snprintf(accessors, sizeof accessors, draco_accessors, vertex_count, vertex_count, vertex_count, vertex_count,
             vertex_count, index_count);
    snprintf(view, sizeof view, "{\"buffer\":0,\"byteLength\":%zu}", size);
    snprintf(extension, sizeof extension,
             ",\"extensions\":{\"KHR_draco_mesh_compression\":{\"bufferView\":0,\"attributes\":{%s}}}", ids);
    snprintf(json, 8192, scene, is_required ? "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]," : "",
             extension, size, "", view, accessors);
}

static const char all_ids[] = "\"POSITION\":0,\"NORMAL\":1,\"TEXCOORD_0\":2,\"JOINTS_0\":3,\"WEIGHTS_0\":4";

#ifdef LIMBER_TEST_DRACO
static size_t encode(const sheet *sheet, const draco_options *options, uint8_t *bytes) {
    const draco_attribute attributes[] = {{DRACO_POSITION, GLTF_FLOAT, 3, sheet->positions},
                                          {DRACO_NORMAL, GLTF_FLOAT, 3, sheet->normals},
                                          {DRACO_TEXCOORD, GLTF_FLOAT, 2, sheet->texcoords},
                                          {DRACO_GENERIC, GLTF_UINT16, 4, sheet->joints},
                                          {DRACO_GENERIC, GLTF_FLOAT, 4, sheet->weights}};
    return draco_encode(options, attributes, 5, VERTICES, sheet->indices, INDICES, bytes, ROOM);
}

static void draco_meshes_are_what_they_were(void **state) {
    (void)state;
    static const draco_options options[] = {{false, 0, 0, false}, {false, 10, 0, true}, {true, 0, 0, false},
                                            {true, 5, 0, true},   {true, 10, 0, false}, {false, 5, 14, false},
                                            {true, 0, 14, false}, {true, 7, 11, false}};
    static uint8_t bytes[ROOM];
    static sheet sheet;
    make_sheet(&sheet);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        char json[8192];
        const size_t size = encode(&sheet, &options[i], bytes);
        write_draco_json(json, size, VERTICES, INDICES, all_ids, i % 2 == 0);
        lmb_import *import = load(json, bytes, size);
        expect_sheet(import, &sheet, options[i].position_bits == 0 ? 0 : 4.0f / (float)(1 << options[i].position_bits));
        assert_int_equal(lmb_import_get_content(import)->note_count, 0);
        lmb_import_destroy(import);
    }
}

static void wrong_draco_primitives(void **state) {
    (void)state;
    static uint8_t bytes[ROOM];
    static sheet sheet;
    char json[8192];
    make_sheet(&sheet);
    const size_t size = encode(&sheet, &(draco_options){true, 5, 0, false}, bytes);
    write_draco_json(json, size, VERTICES - 1, INDICES, all_ids, true);
    expect(json, bytes, size, LMB_ERROR_FORMAT, "attributes.POSITION: accessor 0 has 63 elements, Draco's data 64");
    write_draco_json(json, size, VERTICES, INDICES - 3, all_ids, true);
    expect(json, bytes, size, LMB_ERROR_FORMAT, "indices: accessor 5 has 291 elements, Draco's data 294");
    write_draco_json(json, size, VERTICES, INDICES, "\"POSITION\":9", true);
    expect(json, bytes, size, LMB_ERROR_FORMAT, "attributes.POSITION: 9 is no attribute of Draco's data");
    write_draco_json(json, size, VERTICES, INDICES, "\"POSITION\":-1", true);
    expect(json, bytes, size, LMB_ERROR_FORMAT, "attributes.POSITION: -1 is no integer");
    bytes[0] = 'd';
    write_draco_json(json, size, VERTICES, INDICES, all_ids, true);
    expect(json, bytes, size, LMB_ERROR_FORMAT,
           "KHR_draco_mesh_compression.bufferView: it is no mesh that Draco reads");
}

// Small data that states large counts is refused before Draco allocates for them.
static void draco_counts_are_bounded(void **state) {
    (void)state;
    static const uint8_t bombs[][20] = {
        {'D', 'R', 'A', 'C', 'O', 2, 2, 1, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0xFF, 0xFF, 0x7F},
        {'D', 'R', 'A', 'C', 'O', 2, 2, 1, 1, 0, 0, 2, 3, 0xFF, 0xFF, 0xFF, 0xFF, 4, 0, 0},
        {'D', 'R', 'A', 'C', 'O', 2, 2, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 1, 3, 1, 0, 0},
        {'D', 'R', 'A', 'C', 'O', 2, 1, 1, 1, 0, 0, 0, 0, 3, 0xFF, 0xFF, 0xFF, 0xFF, 4, 0},
        {'D', 'R', 'A', 'C', 'O', 1, 1, 1, 0, 0, 0xFF, 0xFF, 0xFF, 0x3F, 3, 0, 0, 0, 0, 0}};
    for (size_t i = 0; i < sizeof bombs / sizeof bombs[0]; i++) {
        char json[8192];
        write_draco_json(json, sizeof bombs[i], VERTICES, INDICES, all_ids, true);
        expect(json, bombs[i], sizeof bombs[i], LMB_ERROR_LIMIT, "its content would take more than the 256 MiB");
    }
}

static void damaged_draco_data(void **state) {
    (void)state;
    static uint8_t bytes[ROOM];
    static sheet sheet;
    make_sheet(&sheet);
    for (int method = 0; method < 2; method++) {
        char json[8192];
        const size_t size = encode(&sheet, &(draco_options){method == 1, 5, 11, true}, bytes);
        write_draco_json(json, size, VERTICES, INDICES, all_ids, true);
        for (size_t i = 0; i < size; i++) {
            const uint8_t flips[] = {0x01, 0x80, 0xFF};
            bytes[i] ^= flips[i % 3];
            read_any(json, bytes, size);
            bytes[i] ^= flips[i % 3];
        }
        for (size_t i = 0; i < size; i += 7) {
            write_draco_json(json, i, VERTICES, INDICES, all_ids, true);
            read_any(json, bytes, i);
        }
    }
}

typedef struct failing {
    size_t alive, allocations, refused;
} failing;

static void *fail_allocate(void *user, size_t size) {
    failing *host = user;
    if (host->allocations++ == host->refused) {
        return NULL;
    }
    host->alive++;
    return malloc(size);
}

static void fail_release(void *user, void *memory) {
    ((failing *)user)->alive--;
    free(memory);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    static uint8_t bytes[ROOM];
    static sheet sheet;
    char json[8192];
    make_sheet(&sheet);
    const size_t size = encode(&sheet, &(draco_options){true, 5, 0, false}, bytes);
    write_draco_json(json, size, VERTICES, INDICES, all_ids, true);
    size_t file_size;
    uint8_t *file = gltf_wrap(json, bytes, size, &file_size);
    lmb_result result = LMB_ERROR_MEMORY;
    for (size_t refused = 0; result == LMB_ERROR_MEMORY; refused++) {
        failing counting = {.refused = refused};
        const lmb_host host = {.allocate = fail_allocate, .release = fail_release, .user = &counting};
        lmb_import *import = NULL;
        lmb_error error;
        result = read(file, file_size, &host, &import, &error);
        lmb_import_destroy(import);
        assert_int_equal(counting.alive, 0);
    }
    assert_int_equal(result, LMB_OK);
    free(file);
}
#else
static void draco_is_named_where_it_is_missing(void **state) {
    (void)state;
    char json[8192];
    uint8_t bytes[8] = {0};
    write_draco_json(json, sizeof bytes, VERTICES, INDICES, all_ids, true);
    expect(
        json, bytes, sizeof bytes, LMB_ERROR_UNSUPPORTED,
        "extensionsRequired: KHR_draco_mesh_compression is read by a build with LIMBER_DRACO (Debian: libdraco-dev)");
    write_draco_json(json, sizeof bytes, VERTICES, INDICES, all_ids, false);
    expect(json, bytes, sizeof bytes, LMB_ERROR_UNSUPPORTED,
           "meshes[0].primitives[0]: KHR_draco_mesh_compression is read by a build with LIMBER_DRACO");
}
#endif

// ---- meshoptimizer ----

typedef struct packed {
    uint8_t bytes[ROOM];
    size_t size;
    char views[3000];
} packed;

static void add_view(packed *packed, size_t offset, size_t size, size_t stride, size_t count, const char *mode,
                     const char *filter) {
    const size_t at = strlen(packed->views);
    char view_stride[40] = "";
    if (strcmp(mode, "ATTRIBUTES") == 0) {
        snprintf(view_stride, sizeof view_stride, ",\"byteStride\":%zu", stride);
    }
    snprintf(packed->views + at, sizeof packed->views - at,
             "%s{\"buffer\":1,\"byteLength\":%zu%s,\"extensions\":{\"EXT_meshopt_compression\":{"
             "\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"byteStride\":%zu,\"count\":%zu,\"mode\":\"%s\"%s}}}",
             at > 0 ? "," : "", stride * count, view_stride, offset, size, stride, count, mode, filter);
}

static const char fallback[] =
    ",{\"byteLength\":100000,\"extensions\":{\"EXT_meshopt_compression\":{\"fallback\":true}}}";

#ifdef LIMBER_TEST_MESHOPT
static void pack_attribute(packed *packed, const void *values, size_t stride, size_t count, const char *filter) {
    const size_t size =
        meshopt_encodeVertexBuffer(packed->bytes + packed->size, ROOM - packed->size, values, count, stride);
    assert_true(size > 0);
    add_view(packed, packed->size, size, stride, count, "ATTRIBUTES", filter);
    packed->size += (size + 3) / 4 * 4;
}

static void pack_indices(packed *packed, const uint32_t *indices, size_t stride, bool is_list) {
    uint8_t *to = packed->bytes + packed->size;
    const size_t room = ROOM - packed->size;
    const size_t size = is_list ? meshopt_encodeIndexBuffer(to, room, indices, INDICES)
                                : meshopt_encodeIndexSequence(to, room, indices, INDICES);
    assert_true(size > 0);
    add_view(packed, packed->size, size, stride, INDICES, is_list ? "TRIANGLES" : "INDICES", "");
    packed->size += (size + 3) / 4 * 4;
}

static void meshopt_meshes_are_what_they_were(void **state) {
    (void)state;
    static packed packed;
    static sheet sheet;
    make_sheet(&sheet);
    for (int i = 0; i < 8; i++) {
        const bool has_filters = i % 2 == 1, is_short = i / 2 % 2 == 1, is_list = i / 4 == 1;
        memset(&packed, 0, sizeof packed);
        if (has_filters) {
            static float exponential[VERTICES][3];
            int8_t bytes[VERTICES][4];
            int16_t shorts[VERTICES][4];
            float normals[VERTICES][4] = {{0}};
            for (uint32_t v = 0; v < VERTICES; v++) {
                memcpy(normals[v], sheet.normals[v], sizeof sheet.normals[v]);
            }
            meshopt_encodeFilterExp(exponential, VERTICES, 12, 20, &sheet.positions[0][0]);
            pack_attribute(&packed, exponential, 12, VERTICES, ",\"filter\":\"EXPONENTIAL\"");
            if (is_short) {
                meshopt_encodeFilterOct(shorts, VERTICES, 8, 16, &normals[0][0]);
                pack_attribute(&packed, shorts, 8, VERTICES, ",\"filter\":\"OCTAHEDRAL\"");
            } else {
                meshopt_encodeFilterOct(bytes, VERTICES, 4, 8, &normals[0][0]);
                pack_attribute(&packed, bytes, 4, VERTICES, ",\"filter\":\"OCTAHEDRAL\"");
            }
        } else {
            pack_attribute(&packed, sheet.positions, 12, VERTICES, "");
            pack_attribute(&packed, sheet.normals, 12, VERTICES, ",\"filter\":\"NONE\"");
        }
        pack_attribute(&packed, sheet.texcoords, 8, VERTICES, "");
        pack_attribute(&packed, sheet.joints, 8, VERTICES, "");
        pack_attribute(&packed, sheet.weights, 16, VERTICES, "");
        pack_indices(&packed, sheet.indices, is_short ? 2 : 4, is_list);
        char accessors[2048], json[16384];
        snprintf(accessors, sizeof accessors,
                 "{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":64},"
                 "{\"bufferView\":1,\"componentType\":%s,\"type\":\"VEC3\",\"count\":64},"
                 "{\"bufferView\":2,\"componentType\":5126,\"type\":\"VEC2\",\"count\":64},"
                 "{\"bufferView\":3,\"componentType\":5123,\"type\":\"VEC4\",\"count\":64},"
                 "{\"bufferView\":4,\"componentType\":5126,\"type\":\"VEC4\",\"count\":64},"
                 "{\"bufferView\":5,\"componentType\":%d,\"type\":\"SCALAR\",\"count\":%d}",
                 !has_filters ? "5126"
                 : is_short   ? "5122,\"normalized\":true"
                              : "5120,\"normalized\":true",
                 is_short ? 5123 : 5125, INDICES);
        snprintf(json, sizeof json, scene,
                 "\"extensionsRequired\":[\"EXT_meshopt_compression\",\"KHR_mesh_quantization\"],", "", packed.size,
                 fallback, packed.views, accessors);
        lmb_import *import = load(json, packed.bytes, packed.size);
        expect_sheet(import, &sheet, !has_filters ? 0 : is_short ? 1e-4f : 0.03f);
        assert_int_equal(lmb_import_get_content(import)->note_count, 0);
        lmb_import_destroy(import);
    }
}

static void sample_rotation(const lmb_import *import, float time, float rotation[4]) {
    const lmb_clip *clip = lmb_import_get_content(import)->clips[0];
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.time = lmb_constant(time);
    const lmb_graph_def def = {
        .rig = lmb_import_get_content(import)->rig, .clips = &clip, .clip_count = 1, .nodes = &node, .node_count = 1};
    lmb_graph *graph = NULL;
    lmb_cpu *cpu = NULL;
    float local[LMB_POSE_COMPONENTS];
    assert_int_equal(lmb_graph_create(&def, NULL, &graph, NULL), LMB_OK);
    assert_int_equal(lmb_cpu_create(graph, LMB_CPU_REFERENCE, NULL, &cpu, NULL), LMB_OK);
    const lmb_batch_def batch = {graph, 1, LMB_OUTPUT_LOCAL_BIT};
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_LOCAL] = local}};
    assert_int_equal(lmb_cpu_run(cpu, &batch, &(lmb_batch_inputs){0}, &outputs, NULL), LMB_OK);
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(graph);
    memcpy(rotation, local + 3, 4 * sizeof *rotation);
}

// Keys of rotations by the filter of quaternions.
static void meshopt_animations_are_what_they_were(void **state) {
    (void)state;
    enum { KEYS = 16 };
    static packed packed;
    float times[KEYS], rotations[KEYS][4] = {{0}};
    int16_t filtered[KEYS][4];
    memset(&packed, 0, sizeof packed);
    for (int i = 0; i < KEYS; i++) {
        times[i] = (float)i / 8;
        rotations[i][i % 3] = sinf((float)i);
        rotations[i][3] = cosf((float)i);
    }
    meshopt_encodeFilterQuat(filtered, KEYS, 8, 16, &rotations[0][0]);
    pack_attribute(&packed, times, 4, KEYS, "");
    pack_attribute(&packed, filtered, 8, KEYS, ",\"filter\":\"QUATERNION\"");
    char json[8192];
    snprintf(json, sizeof json,
             "{\"asset\":{\"version\":\"2.0\"},\"extensionsRequired\":[\"EXT_meshopt_compression\"],\"nodes\":[{}],"
             "\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}],"
             "\"samplers\":[{\"input\":0,\"output\":1}]}],\"buffers\":[{\"byteLength\":%zu}%s],\"bufferViews\":[%s],"
             "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"SCALAR\",\"count\":16},"
             "{\"bufferView\":1,\"componentType\":5122,\"normalized\":true,\"type\":\"VEC4\",\"count\":16}]}",
             packed.size, fallback, packed.views);
    lmb_import *import = load(json, packed.bytes, packed.size);
    const lmb_clip *clip = lmb_import_get_content(import)->clips[0];
    assert_int_equal(lmb_clip_get_info(clip)->key_count, KEYS);
    for (int i = 0; i < KEYS; i++) {
        float found[4];
        sample_rotation(import, times[i], found);
        const float dot = found[0] * rotations[i][0] + found[1] * rotations[i][1] + found[2] * rotations[i][2] +
                          found[3] * rotations[i][3];
        assert_true(fabsf(dot) > 1 - 1e-6f);
    }
    lmb_import_destroy(import);
}

static void write_stream_json(char json[2048], size_t size, const char *stream) {
    snprintf(json, 2048,
             "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}],\"buffers\":[{\"byteLength\":%zu}%s],\"bufferViews\":[{"
             "\"buffer\":1,\"byteLength\":4,\"extensions\":{\"EXT_meshopt_compression\":{%s}}}]}",
             size, fallback, stream);
}

static void wrong_meshopt_views(void **state) {
    (void)state;
    static const struct {
        const char *stream;
        lmb_result result;
        const char *fragment;
    } cases[] = {
        {"\"buffer\":0,\"byteLength\":16,\"byteStride\":6,\"count\":4,\"mode\":\"ATTRIBUTES\"", LMB_ERROR_FORMAT,
         "EXT_meshopt_compression: attributes have a stride that is a multiple of 4"},
        {"\"buffer\":0,\"byteLength\":16,\"byteStride\":260,\"count\":4,\"mode\":\"ATTRIBUTES\"", LMB_ERROR_FORMAT,
         "byteStride: 260 is no integer from 1 to 256"},
        {"\"buffer\":0,\"byteLength\":16,\"byteStride\":8,\"count\":3,\"mode\":\"TRIANGLES\"", LMB_ERROR_FORMAT,
         "indices have a stride of 2 or 4 bytes"},
        {"\"buffer\":0,\"byteLength\":16,\"byteStride\":4,\"count\":4,\"mode\":\"TRIANGLES\"", LMB_ERROR_FORMAT,
         "its count is no multiple of 3"},
        {"\"buffer\":0,\"byteLength\":16,\"byteStride\":4,\"count\":4,\"mode\":\"INDICES\",\"filter\":\"EXPONENTIAL\"",
         LMB_ERROR_FORMAT, "indices have no filter"},
        {"\"buffer\":0,\"byteLength\":16,\"byteStride\":12,\"count\":4,\"mode\":\"ATTRIBUTES\",\"filter\":"
         "\"OCTAHEDRAL\"",
         LMB_ERROR_FORMAT, "the filter OCTAHEDRAL is for a stride of 4 or 8 bytes"},
        {"\"buffer\":0,\"byteLength\":16,\"byteStride\":4,\"count\":4,\"mode\":\"ATTRIBUTES\",\"filter\":"
         "\"QUATERNION\"",
         LMB_ERROR_FORMAT, "the filter QUATERNION is for a stride of 8 bytes"},
        {"\"buffer\":0,\"byteLength\":16,\"byteStride\":4,\"count\":4,\"mode\":\"ATTRIBUTES\",\"filter\":\"COLOR\"",
         LMB_ERROR_FORMAT, "filter: 'COLOR' is none of glTF's"},
        {"\"buffer\":0,\"byteLength\":17,\"byteStride\":4,\"count\":4,\"mode\":\"ATTRIBUTES\"", LMB_ERROR_FORMAT,
         "17 bytes from 0 on, but buffer 0 has 16"},
        {"\"buffer\":1,\"byteLength\":16,\"byteStride\":4,\"count\":4,\"mode\":\"ATTRIBUTES\"", LMB_ERROR_FORMAT,
         "16 bytes from 0 on, but buffer 1 has 0"},
        {"\"buffer\":0,\"byteLength\":16,\"byteStride\":4,\"count\":4,\"mode\":\"ATTRIBUTES\"", LMB_ERROR_FORMAT,
         "its 16 bytes are not what meshoptimizer reads"},
        {"\"buffer\":0,\"byteLength\":16,\"byteStride\":256,\"count\":4294967295,\"mode\":\"ATTRIBUTES\"",
         LMB_ERROR_LIMIT, "decoding what its parts share"}};
    const uint8_t bytes[16] = {0};
    char json[2048];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_stream_json(json, sizeof bytes, cases[i].stream);
        expect(json, bytes, sizeof bytes, cases[i].result, cases[i].fragment);
    }
    expect("{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}],\"buffers\":[{\"byteLength\":16},{\"byteLength\":8,"
           "\"extensions\":{"
           "\"EXT_meshopt_compression\":{\"fallback\":true}}}],\"bufferViews\":[{\"buffer\":1,\"byteLength\":4}]}",
           bytes, sizeof bytes, LMB_ERROR_FORMAT, "bufferViews[0].buffer: 1 has no data");
}

static void damaged_meshopt_data(void **state) {
    (void)state;
    static packed packed;
    static sheet sheet;
    make_sheet(&sheet);
    memset(&packed, 0, sizeof packed);
    pack_attribute(&packed, sheet.positions, 12, VERTICES, "");
    pack_attribute(&packed, sheet.normals, 12, VERTICES, ",\"filter\":\"EXPONENTIAL\"");
    pack_indices(&packed, sheet.indices, 2, true);
    pack_indices(&packed, sheet.indices, 4, false);
    char json[8192];
    snprintf(json, sizeof json,
             "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":["
             "{\"attributes\":{\"POSITION\":0,\"NORMAL\":1},\"indices\":2},{\"attributes\":{\"POSITION\":0},"
             "\"indices\":3}]}],"
             "\"buffers\":[{\"byteLength\":%zu}%s],\"bufferViews\":[%s],\"accessors\":["
             "{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":64},"
             "{\"bufferView\":1,\"componentType\":5126,\"type\":\"VEC3\",\"count\":64},"
             "{\"bufferView\":2,\"componentType\":5123,\"type\":\"SCALAR\",\"count\":%d},"
             "{\"bufferView\":3,\"componentType\":5125,\"type\":\"SCALAR\",\"count\":%d}]}",
             packed.size, fallback, packed.views, INDICES, INDICES);
    for (size_t i = 0; i < packed.size; i++) {
        const uint8_t flips[] = {0x01, 0x80, 0xFF};
        packed.bytes[i] ^= flips[i % 3];
        read_any(json, packed.bytes, packed.size);
        packed.bytes[i] ^= flips[i % 3];
    }
}
#else
static void meshopt_is_named_where_it_is_missing(void **state) {
    (void)state;
    static packed packed;
    char json[8192];
    const uint8_t bytes[16] = {0};
    memset(&packed, 0, sizeof packed);
    add_view(&packed, 0, 16, 4, 4, "ATTRIBUTES", "");
    static const char *const required[] = {"\"extensionsRequired\":[\"EXT_meshopt_compression\"],", ""};
    static const char *const places[] = {"extensionsRequired", "bufferViews[0]"};
    for (int i = 0; i < 2; i++) {
        char message[200];
        snprintf(json, sizeof json,
                 "{\"asset\":{\"version\":\"2.0\"},%s\"nodes\":[{}],\"buffers\":[{\"byteLength\":16}%s],"
                 "\"bufferViews\":[%s]}",
                 required[i], fallback, packed.views);
        snprintf(
            message, sizeof message,
            "%s: EXT_meshopt_compression is read by a build with LIMBER_MESHOPT (Debian: libmeshoptimizer-dev) alone",
            places[i]);
        expect(json, bytes, sizeof bytes, LMB_ERROR_UNSUPPORTED, message);
    }
}
#endif

// A file with the same data uncompressed is read by every build.
static void uncompressed_data_beside_is_read(void **state) {
    (void)state;
    static const char json[] =
        "{\"asset\":{\"version\":\"2.0\"},\"extensionsUsed\":[\"EXT_meshopt_compression\"],\"nodes\":[{\"mesh\":0}],"
        "\"meshes\":[{"
        "\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"buffers\":[{\"byteLength\":36}],\"bufferViews\":[{"
        "\"buffer\":0,"
        "\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":3}]}";
    static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    lmb_import *import = load(json, (const uint8_t *)triangle, sizeof triangle);
    assert_int_equal(lmb_import_get_content(import)->mesh_count, 1);
    lmb_import_destroy(import);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#ifdef LIMBER_TEST_DRACO
        cmocka_unit_test(draco_meshes_are_what_they_were),
        cmocka_unit_test(wrong_draco_primitives),
        cmocka_unit_test(draco_counts_are_bounded),
        cmocka_unit_test(damaged_draco_data),
        cmocka_unit_test(every_allocation_may_fail),
#else
        cmocka_unit_test(draco_is_named_where_it_is_missing),
#endif
#ifdef LIMBER_TEST_MESHOPT
        cmocka_unit_test(meshopt_meshes_are_what_they_were),
        cmocka_unit_test(meshopt_animations_are_what_they_were),
        cmocka_unit_test(wrong_meshopt_views),
        cmocka_unit_test(damaged_meshopt_data),
#else
        cmocka_unit_test(meshopt_is_named_where_it_is_missing),
#endif
        cmocka_unit_test(uncompressed_data_beside_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
