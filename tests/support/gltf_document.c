#include "gltf_document.h"

#include "suite.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(char *text, size_t room, const char *format, ...) {
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    int added = vsnprintf(text + length, room - length, format, arguments);
    va_end(arguments);
    assert_true(added >= 0 && (size_t)added < room - length);
}

uint32_t gltf_view(gltf_document *document, const void *bytes, size_t size) {
    size_t offset = (document->binary_size + 3) / 4 * 4;
    assert_true(offset + size <= sizeof document->binary);
    memcpy(document->binary + offset, bytes, size);
    document->binary_size = offset + size;
    append(document->views, sizeof document->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}",
           document->view_count > 0 ? "," : "", offset, size);
    return document->view_count++;
}

uint32_t gltf_raw_accessor(gltf_document *document, const char *json) {
    append(document->accessors, sizeof document->accessors, "%s%s", document->accessor_count > 0 ? "," : "", json);
    return document->accessor_count++;
}

uint32_t gltf_accessor(gltf_document *document, int component, const char *shape, uint32_t count, const void *bytes,
                       size_t size, const char *more) {
    char json[512];
    snprintf(json, sizeof json, "{\"bufferView\":%u,\"componentType\":%d,\"type\":\"%s\",\"count\":%u%s}",
             (unsigned)gltf_view(document, bytes, size), component, shape, (unsigned)count, more);
    return gltf_raw_accessor(document, json);
}

uint32_t gltf_floats(gltf_document *document, const char *shape, uint32_t count, const float *values) {
    uint32_t components = shape[0] == 'S' ? 1 : shape[0] == 'M' ? 16 : (uint32_t)(shape[3] - '0');
    return gltf_accessor(document, GLTF_FLOAT, shape, count, values, count * components * sizeof(float), "");
}

static void append_base64(char *text, const uint8_t *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *out = text + strlen(text);
    for (size_t i = 0; i < size; i += 3) {
        uint32_t bits = (uint32_t)bytes[i] << 16;
        bits |= i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0;
        bits |= i + 2 < size ? bytes[i + 2] : 0;
        *out++ = digits[bits >> 18];
        *out++ = digits[bits >> 12 & 63];
        *out++ = i + 1 < size ? digits[bits >> 6 & 63] : '=';
        *out++ = i + 2 < size ? digits[bits & 63] : '=';
    }
    *out = '\0';
}

static char *build(const gltf_document *document, const char *sections, bool with_data) {
    size_t room = document->binary_size * 2 + strlen(sections) + sizeof *document + 1024;
    char *text = calloc(room, 1);
    assert_non_null(text);
    append(text, room, "{\"asset\":{\"version\":\"2.0\"}");
    if (document->binary_size > 0) {
        append(text, room, ",\n\"buffers\":[{\"byteLength\":%zu", document->binary_size);
        if (with_data) {
            append(text, room, ",\"uri\":\"data:application/octet-stream;base64,");
            append_base64(text, document->binary, document->binary_size);
            append(text, room, "\"");
        }
        append(text, room, "}],\n\"bufferViews\":[%s]", document->views);
    }
    if (document->accessor_count > 0) {
        append(text, room, ",\n\"accessors\":[%s]", document->accessors);
    }
    append(text, room, "%s%s}", sections[0] != '\0' ? ",\n" : "", sections);
    return text;
}

char *gltf_text(const gltf_document *document, const char *sections) {
    return build(document, sections, true);
}

static void write_word(uint8_t *bytes, size_t value) {
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
}

uint8_t *gltf_wrap(const char *json, const void *binary, size_t binary_size, size_t *size) {
    size_t json_size = (strlen(json) + 3) / 4 * 4;
    size_t padded = (binary_size + 3) / 4 * 4;
    *size = 12 + 8 + json_size + (binary == NULL ? 0 : 8 + padded);
    uint8_t *bytes = calloc(*size, 1);
    assert_non_null(bytes);
    memcpy(bytes, "glTF", 4);
    write_word(bytes + 4, 2);
    write_word(bytes + 8, *size);
    write_word(bytes + 12, json_size);
    memcpy(bytes + 16, "JSON", 4);
    memset(bytes + 20, ' ', json_size);
    memcpy(bytes + 20, json, strlen(json));
    if (binary != NULL) {
        uint8_t *chunk = bytes + 20 + json_size;
        write_word(chunk, padded);
        memcpy(chunk + 4, "BIN", 4);
        memcpy(chunk + 8, binary, binary_size);
    }
    return bytes;
}

uint8_t *gltf_binary(const gltf_document *document, const char *sections, size_t *size) {
    char *json = build(document, sections, false);
    uint8_t *bytes = gltf_wrap(json, document->binary, document->binary_size, size);
    free(json);
    return bytes;
}

char *gltf_replace(const char *text, const char *old, const char *replacement) {
    const char *place = strstr(text, old);
    if (place == NULL || strstr(place + 1, old) != NULL) {
        fail_msg("'%s' stands %s in the document", old, place == NULL ? "nowhere" : "more than once");
    }
    char *result = calloc(strlen(text) + strlen(replacement) + 1, 1);
    assert_non_null(result);
    memcpy(result, text, (size_t)(place - text));
    strcat(result, replacement);
    strcat(result, place + strlen(old));
    return result;
}
