// Packs: reading gives what was written, and no content is trusted.
#include "failing_host.h"
#include "refusal.h"
#include "suite.h"

#include <limber/import.h>

#include <stdio.h>

// Contains every kind of object that an import stores.
static const char character[] =
    "{\"asset\":{\"version\":\"2.0\"},\"extensionsUsed\":[\"EXT_nothing\"],\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
    "\"nodes\":[{\"name\":\"hip\",\"mesh\":0,\"children\":[1],\"rotation\":[0.1,0.2,0.3,0.9]},{\"name\":\"knee\","
    "\"translation\":[0,1,0]}],"
    "\"meshes\":[{\"name\":\"body\",\"extras\":{\"targetNames\":[\"smile\",\"none\"]},\"primitives\":[{\"attributes\":{"
    "\"POSITION\":0,\"COLOR_0\":0},\"material\":0,"
    "\"targets\":[{\"POSITION\":0},{}]},{\"attributes\":{\"POSITION\":0},\"mode\":1}]}],"
    "\"materials\":[{\"doubleSided\":true,\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.5,0.25,1,1],"
    "\"baseColorTexture\":{\"index\":0}}}],"
    "\"textures\":[{\"source\":0}],\"images\":[{\"name\":\"skin\",\"mimeType\":\"image/png\",\"bufferView\":2}],"
    "\"animations\":[{\"name\":\"walk\",\"samplers\":[{\"input\":1,\"output\":0}],\"channels\":[{\"sampler\":0,"
    "\"target\":{\"node\":1,\"path\":\"translation\"}}]}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,"
    "1,1]},"
    "{\"bufferView\":1,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\",\"min\":[0],\"max\":[2]}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":12},{\"buffer\":"
    "0,\"byteOffset\":48,\"byteLength\":8}],"
    "\"buffers\":[{\"byteLength\":56,\"uri\":\"data:application/octet-stream;base64,"
    "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAgD8AAABAiVBORw0KGgo=\"}]}";

static lmb_import *import_of(const void *bytes, size_t size, const char *name) {
    lmb_import *import = NULL;
    lmb_error error;
    if (lmb_import_memory(bytes, size, name, NULL, NULL, &import, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return import;
}

static uint8_t *block_of(const lmb_import *import, size_t *size) {
    *size = lmb_import_write(import, NULL, 0);
    uint8_t *block = malloc(*size);
    assert_non_null(block);
    assert_int_equal(lmb_import_write(import, block, *size), *size);
    return block;
}

// An import block written from an import of a block is the same block, so nothing is lost or changed by a bit.
static void expect_round_trip(const lmb_import *import) {
    const lmb_import_content *content = lmb_import_get_content(import);
    size_t size, again_size;
    uint8_t *block = block_of(import, &size);
    assert_int_equal(size % 4, 0);
    lmb_import *read = import_of(block, size, "block");
    uint8_t *again = block_of(read, &again_size);
    assert_int_equal(again_size, size);
    assert_memory_equal(again, block, size);
    assert_int_equal(lmb_import_get_content(read)->note_count, content->note_count);
    assert_int_equal(lmb_import_get_content(read)->node_count, content->node_count);
    for (uint32_t i = 0; i < content->node_count; i++) {
        assert_int_equal(lmb_import_get_content(read)->node_joints[i], content->node_joints[i]);
    }
    free(again);
    free(block);
    lmb_import_destroy(read);
}

static void characters_come_back_by_the_bit(void **state) {
    (void)state;
    lmb_import *import = import_of(character, strlen(character), "test.gltf");
    assert_int_equal(lmb_rig_get_def(lmb_import_get_content(import)->rig)->channel_count, 2);
    assert_int_equal(lmb_import_get_content(import)->clip_count, 1);
    assert_int_equal(lmb_import_get_content(import)->mesh_count, 1);
    assert_int_equal(lmb_import_get_content(import)->meshes[0].target_count, 2);
    assert_non_null(lmb_import_get_content(import)->meshes[0].colors);
    assert_null(lmb_import_get_content(import)->meshes[0].tangents);
    assert_true(lmb_import_get_content(import)->meshes[0].targets[0].delta_count > 0);
    assert_int_equal(lmb_import_get_content(import)->image_count, 1);
    assert_true(lmb_import_get_content(import)->note_count > 0);
    expect_round_trip(import);
    lmb_import_destroy(import);
}

static void an_import_is_described_as_a_pack(void **state) {
    (void)state;
    lmb_import *import = import_of(character, strlen(character), "test.gltf");
    const lmb_import_content *content = lmb_import_get_content(import);
    const lmb_pack_def def = lmb_import_pack_def(import);
    size_t size = 0;
    assert_ptr_equal(def.rig, content->rig);
    assert_ptr_equal(def.clips, content->clips);
    assert_ptr_equal(def.meshes, content->meshes);
    assert_ptr_equal(def.images, content->images);
    assert_int_equal(def.clip_count, content->clip_count);
    assert_int_equal(def.mesh_count, content->mesh_count);
    assert_int_equal(def.image_count, content->image_count);
    assert_int_equal(def.graph_count, 0);
    assert_int_equal(lmb_pack_write(&def, NULL, NULL, 0, &size, NULL), LMB_OK);
    lmb_import_destroy(import);
}

static void real_characters_come_back_by_the_bit(void **state) {
    (void)state;
    static const char *const paths[] = {LIMBER_ASSETS "/Fox.glb", LIMBER_ASSETS "/cesium_man.gltf"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        lmb_import *import = NULL;
        if (lmb_import_file(paths[i], NULL, &import, NULL) == LMB_ERROR_FILE) {
            print_message("%s is not there\n", paths[i]);
            continue;
        }
        assert_non_null(import);
        expect_round_trip(import);
        lmb_import_destroy(import);
    }
}

// Writes only as much as the buffer holds.
static void too_little_room_is_not_overrun(void **state) {
    (void)state;
    lmb_import *import = import_of(character, strlen(character), "test.gltf");
    const size_t size = lmb_import_write(import, NULL, 0);
    for (size_t room = 0; room < size; room++) {
        uint8_t *bytes = malloc(room + 1);
        assert_non_null(bytes);
        bytes[room] = 0xa5;
        assert_int_equal(lmb_import_write(import, bytes, room), size);
        assert_int_equal(bytes[room], 0xa5);
        free(bytes);
    }
    lmb_import_destroy(import);
}

static lmb_result read_bytes(const uint8_t *bytes, size_t size, lmb_error *error) {
    lmb_import *import = NULL;
    uint8_t *copy = malloc(size > 0 ? size : 1); // exact size, to detect reads beyond it
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    *error = (lmb_error){0};
    const lmb_result result = lmb_import_memory(copy, size, "block", NULL, NULL, &import, error);
    assert_true((result == LMB_OK) == (import != NULL));
    assert_true(result == LMB_OK || strstr(error->message, "block: ") == error->message);
    lmb_import_destroy(import);
    free(copy);
    return result;
}

static void blocks_cut_anywhere_are_refused(void **state) {
    (void)state;
    lmb_import *import = import_of(character, strlen(character), "test.gltf");
    size_t size;
    uint8_t *block = block_of(import, &size);
    lmb_error error;
    for (size_t i = 8; i < size; i++) {
        assert_int_equal(read_bytes(block, i, &error), LMB_ERROR_FORMAT);
    }
    uint8_t *longer = realloc(block, size + 4);
    assert_non_null(longer);
    memset(longer + size, 0, 4);
    assert_int_equal(read_bytes(longer, size + 4, &error), LMB_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "and its header says"));
    free(longer);
    lmb_import_destroy(import);
}

// Each word in turn is replaced by typical invalid values. If the block is still accepted, its contents must be usable.
static void damaged_blocks_are_answered(void **state) {
    (void)state;
    static const uint32_t bad[] = {0, 1, 2, 0x7fc00000, 0x7f800000, 0xff800000, 0x80000000, 0x7fffffff, 0xffffffff};
    lmb_import *import = import_of(character, strlen(character), "test.gltf");
    size_t size;
    uint8_t *block = block_of(import, &size);
    uint32_t refused = 0;
    for (size_t at = 8; at < size; at += 4) {
        uint32_t own;
        memcpy(&own, block + at, 4);
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            memcpy(block + at, &bad[i], 4);
            lmb_error error;
            refused += read_bytes(block, size, &error) != LMB_OK;
        }
        memcpy(block + at, &own, 4);
    }
    assert_true(refused > size / 4); // most words, several times each
    free(block);
    lmb_import_destroy(import);
}

static void blocks_add_no_clips(void **state) {
    (void)state;
    lmb_import *import = import_of(character, strlen(character), "test.gltf");
    size_t size;
    uint8_t *block = block_of(import, &size);
    FILE *file = fopen("import_block_test.limber", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(block, 1, size, file), size);
    fclose(file);
    static const char *const paths[] = {"import_block_test.limber", "import_block_test.limber"};
    lmb_import *read = NULL;
    lmb_error error;
    assert_int_equal(lmb_import_files(paths, 2, NULL, &read, &error), LMB_ERROR_UNSUPPORTED);
    assert_int_equal(lmb_import_files(paths, 1, NULL, &read, &error), LMB_OK);
    lmb_import_destroy(read);
    lmb_import_destroy(import);
    free(block);
}

static lmb_result read_block(const lmb_host *host, lmb_error *error, void *user) {
    const lmb_import *source = user;
    size_t size;
    uint8_t *block = block_of(source, &size);
    lmb_import *import = NULL;
    const lmb_result result = lmb_import_memory(block, size, "block", NULL, host, &import, error);
    lmb_import_destroy(import);
    free(block);
    return result;
}

static const lmb_clip_split halves[] = {{"walk", {"left", 0.0f, 1.0f}}, {"walk", {"right", 1.0f, 2.0f}}};

// Reads a file or a block with its clip in two parts.
static lmb_result read_halves(const lmb_host *host, lmb_error *error, void *user) {
    lmb_import_def *def = user;
    lmb_import *import = NULL;
    const lmb_result result = lmb_import_create(def, host, &import, error);
    if (result == LMB_OK) {
        assert_int_equal(lmb_import_get_content(import)->clip_count, 2);
        for (uint32_t i = 0; i < 2; i++) {
            assert_string_equal(lmb_clip_get_info(lmb_import_get_content(import)->clips[i])->name, halves[i].part.name);
            assert_true(lmb_clip_get_info(lmb_import_get_content(import)->clips[i])->duration == 1.0f);
        }
    }
    if (result == LMB_OK && host == NULL) {
        expect_round_trip(import);
    }
    lmb_import_destroy(import);
    return result;
}

static void clips_are_split(void **state) {
    (void)state;
    lmb_import *import = import_of(character, strlen(character), "test.gltf");
    size_t size;
    uint8_t *block = block_of(import, &size);
    lmb_import_def file = {.bytes = character, .size = strlen(character), .splits = halves, .split_count = 2};
    lmb_import_def from_block = {.bytes = block, .size = size, .splits = halves, .split_count = 2};
    failing_host_try_all(read_halves, &file);
    failing_host_try_all(read_halves, &from_block);
    assert_int_equal(read_halves(NULL, NULL, &file), LMB_OK);
    assert_int_equal(read_halves(NULL, NULL, &from_block), LMB_OK);
    const lmb_clip_split other = {"run", {"left", 0.0f, 1.0f}};
    lmb_error error = {0};
    file.splits = &other;
    file.split_count = 1;
    CHECK_REFUSAL(read_halves(NULL, &error, &file), &error, LMB_ERROR_ARGUMENT, "memory: part 'left' of 'run'");
    file.splits = NULL;
    CHECK_REFUSAL(read_halves(NULL, &error, &file), &error, LMB_ERROR_ARGUMENT, "splits is NULL");
    lmb_import_destroy(import);
    free(block);
}

static void every_failed_allocation_is_survived(void **state) {
    (void)state;
    lmb_import *import = import_of(character, strlen(character), "test.gltf");
    failing_host_try_all(read_block, import);
    lmb_import_destroy(import);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_come_back_by_the_bit),
        cmocka_unit_test(an_import_is_described_as_a_pack),
        cmocka_unit_test(real_characters_come_back_by_the_bit),
        cmocka_unit_test(too_little_room_is_not_overrun),
        cmocka_unit_test(blocks_cut_anywhere_are_refused),
        cmocka_unit_test(damaged_blocks_are_answered),
        cmocka_unit_test(blocks_add_no_clips),
        cmocka_unit_test(clips_are_split),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
