// A document: its container, its JSON text, and the members of its objects.
#include "gltf.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- Members of objects ----

// Max number of members of an object, far more than glTF needs. Members are searched one by one, in some objects once
// for each node that uses them, and a file must not be able to make that slow.
#define LARGEST_OBJECT 256u

static lmb_gltf_place join(const lmb_gltf_object *object, const char *key) {
    bool is_root = object->place.text[0] == '\0';
    return lmb_gltf_place_of("%s%s%s", object->place.text, is_root ? "" : ".", key);
}

lmb_gltf_place lmb_gltf_place_of(const char *format, ...) {
    lmb_gltf_place place;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(place.text, sizeof place.text, format, arguments);
    va_end(arguments);
    return place;
}

bool lmb_gltf_fail(const lmb_gltf_object *object, const char *key, const char *format, ...) {
    char reason[360];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    lmb_gltf_place place = key == NULL ? object->place : join(object, key);
    return lmb_importer_fail(object->gltf->importer, LMB_ERROR_FORMAT, "%s: %s", place.text, reason);
}

bool lmb_gltf_excuse(const lmb_gltf_object *object, const char *key, lmb_gltf_flaw flaw) {
    lmb_gltf *gltf = object->gltf;
    bool twice;
    const uint32_t value = key == NULL ? object->value : lmb_json_member(&gltf->json, object->value, key, &twice);
    uint16_t *excused = &gltf->excused[value != LMB_NONE ? value : object->value];
    if ((*excused >> flaw & 1) == 0) {
        lmb_gltf_place place = key == NULL ? object->place : join(object, key);
        lmb_name_list_add(&gltf->flaws[flaw], place.text);
        *excused |= (uint16_t)(1u << flaw);
    }
    return true;
}

bool lmb_gltf_note_flaws(lmb_gltf *gltf) {
    static const char *const texts[LMB_GLTF_FLAW_COUNT] = {
        [LMB_GLTF_EMPTY_ARRAY] = "empty arrays, read as absent ones",
        [LMB_GLTF_EMPTY_DATA] = "data without a byte or an element, read as such",
        [LMB_GLTF_UNALIGNED] = "data that is not aligned, read as it is",
        [LMB_GLTF_NORMALIZED] = "'normalized' of numbers that are not of 8 or 16 bits, ignored",
        [LMB_GLTF_MATRIX_AND_PARTS] = "a matrix beside translation, rotation or scale, of which the matrix is used",
        [LMB_GLTF_SCALED_MATRIX] = "matrices that do not end with 1, divided by their last number",
        [LMB_GLTF_SHEARED_MATRIX] = "sheared matrices, whose shear only meshes have and joints do not",
        [LMB_GLTF_ZERO_ROTATION] = "rotations of zero length, read as no rotation",
        [LMB_GLTF_LEFT_OVER_INDICES] = "indices that make no whole triangle, left out",
        [LMB_GLTF_CHUNK_LENGTH] = "lengths that no binary file may have, read as they are"};
    bool noted = true;
    for (int i = 0; i < LMB_GLTF_FLAW_COUNT && noted; i++) {
        noted = lmb_importer_note_names(gltf->importer, texts[i], &gltf->flaws[i]);
    }
    return noted;
}

// Finds a member's value, or LMB_NONE if there is none.
static bool find(const lmb_gltf_object *object, const char *key, uint32_t *value) {
    bool twice;
    *value = LMB_NONE;
    uint32_t count = object->gltf->json.values[object->value].count;
    if (count > LARGEST_OBJECT) {
        return lmb_importer_fail(object->gltf->importer, LMB_ERROR_LIMIT, "%s: %" PRIu32 " members, %u at most",
                                 object->place.text[0] == '\0' ? "JSON" : object->place.text, count, LARGEST_OBJECT);
    }
    *value = lmb_json_member(&object->gltf->json, object->value, key, &twice);
    return !twice || lmb_gltf_fail(object, key, "occurs twice");
}

static bool find_typed(const lmb_gltf_object *object, const char *key, lmb_json_type type, uint32_t *value) {
    if (!find(object, key, value)) {
        return false;
    }
    if (*value != LMB_NONE && object->gltf->json.values[*value].type != type) {
        return lmb_gltf_fail(object, key, "%s, not %s", lmb_json_type_name(object->gltf->json.values[*value].type),
                             lmb_json_type_name(type));
    }
    return true;
}

bool lmb_gltf_require(const lmb_gltf_object *object, const char *key) {
    uint32_t value;
    return find(object, key, &value) && (value != LMB_NONE || lmb_gltf_fail(object, key, "is missing"));
}

bool lmb_gltf_read_boolean(const lmb_gltf_object *object, const char *key, bool *result) {
    uint32_t value;
    if (!find_typed(object, key, LMB_JSON_BOOLEAN, &value)) {
        return false;
    }
    *result = value == LMB_NONE ? *result : lmb_json_boolean(&object->gltf->json, value);
    return true;
}

bool lmb_gltf_read_integer(const lmb_gltf_object *object, const char *key, uint64_t smallest, uint64_t largest,
                           uint64_t *result) {
    uint32_t value;
    if (!find_typed(object, key, LMB_JSON_NUMBER, &value)) {
        return false;
    }
    if (value == LMB_NONE) {
        return true;
    }
    double number = lmb_json_number(&object->gltf->json, value);
    // Above 2^53, neighbouring integers are the same double.
    if (!(number >= (double)smallest && number <= (double)largest && number <= 9007199254740992.0) ||
        floor(number) != number) {
        return lmb_gltf_fail(object, key, "%.17g is no integer from %" PRIu64 " to %" PRIu64, number, smallest,
                             largest);
    }
    *result = (uint64_t)number;
    return true;
}

static bool fail_index(const lmb_gltf_object *object, const char *key, double number, uint32_t count,
                       const char *what) {
    return lmb_gltf_fail(object, key, "%.17g is no index, there are %" PRIu32 " %s", number, count, what);
}

static bool check_index(const lmb_gltf_object *object, const char *key, uint32_t value, uint32_t count,
                        const char *what, uint32_t *result) {
    const lmb_json_value *json_value = &object->gltf->json.values[value];
    if (json_value->type != LMB_JSON_NUMBER) {
        return lmb_gltf_fail(object, key, "%s, not an index", lmb_json_type_name(json_value->type));
    }
    double number = lmb_json_number(&object->gltf->json, value);
    if (!(number >= 0 && number < count) || floor(number) != number) {
        return fail_index(object, key, number, count, what);
    }
    *result = (uint32_t)number;
    return true;
}

bool lmb_gltf_read_index(const lmb_gltf_object *object, const char *key, uint32_t count, const char *what,
                         uint32_t *result) {
    uint32_t value;
    if (!find(object, key, &value)) {
        return false;
    }
    return value == LMB_NONE || check_index(object, key, value, count, what, result);
}

static bool to_float(const lmb_gltf_object *object, const char *key, uint32_t value, float *result) {
    double number = lmb_json_number(&object->gltf->json, value);
    *result = (float)number;
    return fabs(number) <= (double)LMB_LARGEST || lmb_gltf_fail(object, key, "holds %.9g, which is above 2^40", number);
}

bool lmb_gltf_read_float(const lmb_gltf_object *object, const char *key, float *result) {
    uint32_t value;
    if (!find_typed(object, key, LMB_JSON_NUMBER, &value)) {
        return false;
    }
    return value == LMB_NONE || to_float(object, key, value, result);
}

bool lmb_gltf_read_floats(const lmb_gltf_object *object, const char *key, uint32_t count, float *result,
                          bool *present) {
    uint32_t array;
    if (!find_typed(object, key, LMB_JSON_ARRAY, &array)) {
        return false;
    }
    *present = array != LMB_NONE;
    if (!*present) {
        return true;
    }
    const lmb_json_value *values = object->gltf->json.values;
    if (values[array].count == 0 && count > 0) {
        *present = false;
        return lmb_gltf_excuse(object, key, LMB_GLTF_EMPTY_ARRAY);
    }
    if (values[array].count != count) {
        return lmb_gltf_fail(object, key, "%" PRIu32 " numbers, not %" PRIu32, values[array].count, count);
    }
    uint32_t at = array + 1;
    for (uint32_t i = 0; i < count; i++, at = values[at].next) {
        if (values[at].type != LMB_JSON_NUMBER) {
            return lmb_gltf_fail(object, key, "%s among the numbers", lmb_json_type_name(values[at].type));
        }
        if (!to_float(object, key, at, &result[i])) {
            return false;
        }
    }
    return true;
}

char *lmb_gltf_copy_string(const lmb_gltf *gltf, uint32_t value, size_t *length) {
    char *text = lmb_importer_scratch(gltf->importer, lmb_json_string_room(&gltf->json, value), 1);
    if (text != NULL) {
        *length = lmb_json_string(&gltf->json, value, text);
    }
    return text;
}

bool lmb_gltf_read_string(const lmb_gltf_object *object, const char *key, const char **result) {
    uint32_t value;
    if (!find_typed(object, key, LMB_JSON_STRING, &value)) {
        return false;
    }
    if (value == LMB_NONE) {
        return true;
    }
    size_t length;
    char *text = lmb_gltf_copy_string(object->gltf, value, &length);
    if (text == NULL) {
        return false;
    }
    if (strlen(text) != length) {
        return lmb_gltf_fail(object, key, "holds the character U+0000");
    }
    *result = text;
    return true;
}

bool lmb_gltf_read_choice(const lmb_gltf_object *object, const char *key, const char *const *names, uint32_t count,
                          uint32_t *result) {
    const char *name = NULL;
    if (!lmb_gltf_read_string(object, key, &name)) {
        return false;
    }
    for (uint32_t i = 0; name != NULL && i < count; i++) {
        if (strcmp(name, names[i]) == 0) {
            *result = i;
            return true;
        }
    }
    return name == NULL || lmb_gltf_fail(object, key, "'%.40s' is none of glTF's", name);
}

bool lmb_gltf_read_name(const lmb_gltf_object *object, const char *prefix, uint32_t index, const char **result) {
    *result = "";
    if (!lmb_gltf_read_string(object, "name", result)) {
        return false;
    }
    if (**result == '\0') {
        lmb_gltf_place name = lmb_gltf_place_of("%s_%" PRIu32, prefix, index);
        *result = lmb_importer_copy_text(object->gltf->importer, &object->gltf->importer->scratch, name.text);
    }
    return *result != NULL;
}

bool lmb_gltf_read_object(const lmb_gltf_object *object, const char *key, lmb_gltf_object *result, bool *present) {
    uint32_t value;
    if (!find_typed(object, key, LMB_JSON_OBJECT, &value)) {
        return false;
    }
    if (present == NULL && value == LMB_NONE) {
        return lmb_gltf_fail(object, key, "is missing");
    }
    if (present != NULL) {
        *present = value != LMB_NONE;
    }
    *result = (lmb_gltf_object){.gltf = object->gltf, .value = value, .place = join(object, key)};
    return true;
}

bool lmb_gltf_read_list(const lmb_gltf_object *object, const char *key, lmb_json_type type, lmb_gltf_list *result) {
    *result = (lmb_gltf_list){.gltf = object->gltf, .place = join(object, key)};
    uint32_t array;
    if (!find_typed(object, key, LMB_JSON_ARRAY, &array)) {
        return false;
    }
    if (array == LMB_NONE) {
        return true;
    }
    const lmb_json_value *values = object->gltf->json.values;
    uint32_t count = values[array].count;
    if (count == 0) {
        return lmb_gltf_excuse(object, key, LMB_GLTF_EMPTY_ARRAY);
    }
    uint32_t *items = lmb_importer_scratch(object->gltf->importer, count, sizeof(uint32_t));
    if (items == NULL) {
        return false;
    }
    uint32_t at = array + 1;
    for (uint32_t i = 0; i < count; i++, at = values[at].next) {
        if (values[at].type != type) {
            return lmb_gltf_fail(object, key, "[%" PRIu32 "] is %s, not %s", i, lmb_json_type_name(values[at].type),
                                 lmb_json_type_name(type));
        }
        items[i] = at;
    }
    result->values = items;
    result->count = count;
    return true;
}

lmb_gltf_object lmb_gltf_item(const lmb_gltf_list *list, uint32_t index) {
    return (lmb_gltf_object){.gltf = list->gltf,
                             .value = list->values[index],
                             .place = lmb_gltf_place_of("%s[%" PRIu32 "]", list->place.text, index)};
}

bool lmb_gltf_read_indices(const lmb_gltf_object *object, const char *key, uint32_t count, const char *what,
                           uint32_t **indices, uint32_t *index_count) {
    lmb_gltf_list list;
    if (!lmb_gltf_read_list(object, key, LMB_JSON_NUMBER, &list)) {
        return false;
    }
    *indices = list.values;
    *index_count = list.count;
    for (uint32_t i = 0; i < list.count; i++) {
        if (!check_index(object, key, list.values[i], count, what, &list.values[i])) {
            return false;
        }
    }
    return true;
}

bool lmb_gltf_read_each(const lmb_gltf_list *list, bool (*read)(const lmb_gltf_object *object, uint32_t index)) {
    for (uint32_t i = 0; i < list->count; i++) {
        lmb_gltf_object object = lmb_gltf_item(list, i);
        if (!read(&object, i)) {
            return false;
        }
    }
    return true;
}

void *lmb_gltf_read_table(lmb_gltf *gltf, const char *key, size_t size, lmb_gltf_list *list) {
    return lmb_gltf_read_list(&gltf->root, key, LMB_JSON_OBJECT, list)
               ? lmb_importer_scratch(gltf->importer, list->count, size)
               : NULL;
}

// ---- The binary container: glTF 2.0, section 4.4 ----

#define HEADER_SIZE 12u
#define CHUNK_HEADER_SIZE 8u
#define CHUNK_JSON 0x4E4F534Au
#define CHUNK_BINARY 0x004E4942u

static bool is_glb(const uint8_t *bytes, size_t size) {
    return size >= 4 && memcmp(bytes, "glTF", 4) == 0;
}

// Reduces `size` to that of the container.
static bool check_header(lmb_gltf *gltf, const uint8_t *bytes, size_t *size) {
    lmb_importer *importer = gltf->importer;
    if (*size < HEADER_SIZE) {
        return lmb_importer_fail(importer, LMB_ERROR_FORMAT, "GLB header: the file ends inside it");
    }
    uint32_t words[3]; // the magic text, the version and the size
    memcpy(words, bytes, sizeof words);
    if (words[1] != 2) {
        return lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED, "GLB header: version %" PRIu32 ", 2 is read",
                                 words[1]);
    }
    if (words[2] > *size || words[2] < HEADER_SIZE) {
        return lmb_importer_fail(importer, LMB_ERROR_FORMAT, "GLB header: it says %" PRIu32 " bytes, the file has %zu",
                                 words[2], *size);
    }
    if (words[2] < *size) {
        lmb_name_list_add(&gltf->flaws[LMB_GLTF_CHUNK_LENGTH], "bytes behind the end of the GLB");
        *size = words[2];
    }
    return true;
}

static bool take_chunk(lmb_gltf *gltf, uint32_t type, uint32_t index, lmb_gltf_buffer chunk, lmb_gltf_buffer *json) {
    const char *why = NULL;
    if ((type == CHUNK_JSON) != (index == 0)) {
        why = index == 0 ? "the first one is not JSON" : "a second one of JSON";
    } else if (type == CHUNK_BINARY && index != 1) {
        why = gltf->binary.bytes != NULL ? "a second one of binary data" : "binary data that does not follow the JSON";
    } else if (type == CHUNK_JSON) {
        *json = chunk;
    } else if (type == CHUNK_BINARY) {
        gltf->binary = chunk;
    }
    return why == NULL || lmb_importer_fail(gltf->importer, LMB_ERROR_FORMAT, "GLB chunk %" PRIu32 ": %s", index, why);
}

static bool read_glb(lmb_gltf *gltf, const uint8_t *bytes, size_t size, lmb_gltf_buffer *json) {
    lmb_importer *importer = gltf->importer;
    *json = (lmb_gltf_buffer){0};
    if (!check_header(gltf, bytes, &size)) {
        return false;
    }
    size_t at = HEADER_SIZE;
    for (uint32_t index = 0; at < size; index++) {
        if (size - at < CHUNK_HEADER_SIZE) {
            return lmb_importer_fail(importer, LMB_ERROR_FORMAT,
                                     "GLB chunk %" PRIu32 ": the file ends inside its header", index);
        }
        uint32_t words[2];
        memcpy(words, bytes + at, sizeof words);
        const uint32_t length = words[0], type = words[1];
        at += CHUNK_HEADER_SIZE;
        if (length > size - at) {
            return lmb_importer_fail(importer, LMB_ERROR_FORMAT,
                                     "GLB chunk %" PRIu32 ": a length of %" PRIu32 " bytes, %zu are left", index,
                                     length, size - at);
        }
        if (length % 4 != 0) {
            const lmb_gltf_place place = lmb_gltf_place_of("GLB chunk %" PRIu32, index);
            lmb_name_list_add(&gltf->flaws[LMB_GLTF_CHUNK_LENGTH], place.text);
        }
        if (!take_chunk(gltf, type, index, (lmb_gltf_buffer){.bytes = bytes + at, .size = length}, json)) {
            return false;
        }
        at += length;
    }
    return json->bytes != NULL || lmb_importer_fail(importer, LMB_ERROR_FORMAT, "GLB: no chunk of JSON");
}

// ---- The document ----

typedef struct extension {
    const char *name; // a "*" stands for any end
    const char *note; // what is not read, or NULL
} extension;

// The extensions that a file may require: those that are read, and those that concern only lights, images, the look of
// surfaces beyond their base colour, what is visible, or text about the file.
static const extension extensions[] = {{"KHR_mesh_quantization", NULL},
                                       {lmb_gltf_draco, NULL},
                                       {lmb_gltf_meshopt, NULL},
                                       {"KHR_texture_transform", NULL},
                                       {"KHR_animation_pointer", NULL},
                                       {"KHR_lights_punctual", NULL},
                                       {"KHR_materials_*", NULL},
                                       {"KHR_technique*", NULL},
                                       {"KHR_texture_basisu", "its images are left out"},
                                       {"EXT_texture_webp", "its images are left out"},
                                       {"EXT_texture_avif", "its images are left out"},
                                       {"MSFT_texture_dds", "its images are left out"},
                                       {"EXT_texture_video", "its images are left out"},
                                       {"EXT_lights_*", NULL},
                                       {"KHR_node_visibility", "every node is visible"},
                                       {"KHR_node_selectability", NULL},
                                       {"KHR_node_hoverability", NULL},
                                       {"KHR_xmp_json_ld", NULL},
                                       {"KHR_xmp", NULL}};

static bool is_named(const extension *extension, const char *name) {
    const size_t length = strcspn(extension->name, "*");
    return strncmp(extension->name, name, length) == 0 && (extension->name[length] == '*' || name[length] == '\0');
}

static const extension *find_extension(const char *name) {
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++) {
        if (is_named(&extensions[i], name)) {
            return &extensions[i];
        }
    }
    return NULL;
}

static bool parse_text(lmb_gltf *gltf, const char *text, size_t size) {
    // A byte order mark is not allowed, but some editors write it, and it does no harm.
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        size -= 3;
    }
    lmb_importer *importer = gltf->importer;
    lmb_json_error error;
    if (!lmb_json_read(text, size, &importer->scratch, &gltf->json, &error)) {
        if (error.result == LMB_ERROR_MEMORY) {
            return lmb_importer_fail_memory(importer);
        }
        return lmb_importer_fail(importer, error.result, "JSON line %" PRIu32 ", column %" PRIu32 ": %s", error.line,
                                 error.column, error.reason);
    }
    if (gltf->json.values[0].type != LMB_JSON_OBJECT) {
        return lmb_importer_fail(importer, LMB_ERROR_FORMAT, "JSON: %s, not an object",
                                 lmb_json_type_name(gltf->json.values[0].type));
    }
    gltf->root = (lmb_gltf_object){.gltf = gltf};
    gltf->excused = lmb_importer_scratch(importer, gltf->json.count, sizeof *gltf->excused);
    return gltf->excused != NULL;
}

static bool check_version(lmb_gltf *gltf) {
    lmb_gltf_object asset;
    const char *version = "";
    const char *min = "2.0";
    if (!lmb_gltf_read_object(&gltf->root, "asset", &asset, NULL) || !lmb_gltf_require(&asset, "version") ||
        !lmb_gltf_read_string(&asset, "version", &version) || !lmb_gltf_read_string(&asset, "minVersion", &min)) {
        return false;
    }
    if (strncmp(version, "2.", 2) != 0 || strcmp(min, "2.0") != 0) {
        bool old = strncmp(version, "2.", 2) != 0;
        return lmb_importer_fail(gltf->importer, LMB_ERROR_UNSUPPORTED, "asset.%s: '%.40s', 2.0 is read",
                                 old ? "version" : "minVersion", old ? version : min);
    }
    return true;
}

static bool check_extensions(lmb_gltf *gltf) {
    lmb_importer *importer = gltf->importer;
    lmb_gltf_list required;
    if (!lmb_gltf_read_list(&gltf->root, "extensionsRequired", LMB_JSON_STRING, &required)) {
        return false;
    }
    for (uint32_t i = 0; i < required.count; i++) {
        size_t length;
        char *name = lmb_gltf_copy_string(gltf, required.values[i], &length);
        if (name == NULL) {
            return false;
        }
        const extension *known = find_extension(name);
        const char *missing = lmb_gltf_missing_library(name);
        if (missing != NULL) {
            return lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED,
                                     "extensionsRequired: %s is read by a build with %s alone", name, missing);
        }
        if (known == NULL) {
            return lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED,
                                     "extensionsRequired: '%.200s' is not read, and may change shapes or motion", name);
        }
        if (known->note != NULL &&
            !lmb_importer_note(importer, "extension '%.200s' is required but not read: %s", name, known->note)) {
            return false;
        }
        lmb_pool_release(&importer->scratch, name);
    }
    return true;
}

static bool read_lists(lmb_gltf *gltf) {
    const struct {
        const char *key;
        lmb_gltf_list *list;
    } lists[] = {{"scenes", &gltf->scenes},     {"meshes", &gltf->meshes}, {"materials", &gltf->materials},
                 {"textures", &gltf->textures}, {"images", &gltf->images}, {"animations", &gltf->animations},
                 {"skins", &gltf->skin_list}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (!lmb_gltf_read_list(&gltf->root, lists[i].key, LMB_JSON_OBJECT, lists[i].list)) {
            return false;
        }
    }
    return true;
}

bool lmb_gltf_read_document(lmb_gltf *gltf, const uint8_t *bytes, size_t size) {
    lmb_gltf_buffer json = {.bytes = bytes, .size = size};
    return (!is_glb(bytes, size) || read_glb(gltf, bytes, size, &json)) &&
           parse_text(gltf, (const char *)json.bytes, json.size) && check_version(gltf) && check_extensions(gltf) &&
           read_lists(gltf);
}
