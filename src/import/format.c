#include "format.h"

#include "pack.h"

#include <stdbool.h>
#include <string.h>

// How many bytes of XML declaration and comments may precede <COLLADA>.
#define LARGEST_PROLOGUE 4096u

static const char *const names[LMB_FORMAT_COUNT] = {"glTF", "pack", "FBX", "Collada", "BVH"};
static const char *const endings[LMB_FORMAT_COUNT] = {"gltf", "limber", "fbx", "dae", "bvh"};

static bool begins_with(const uint8_t *bytes, size_t size, const char *text) {
    size_t length = strlen(text);
    return size >= length && memcmp(bytes, text, length) == 0;
}

static bool contains(const uint8_t *bytes, size_t size, const char *text) {
    for (size_t i = 0; i < size; i++) {
        if (begins_with(bytes + i, size - i, text)) {
            return true;
        }
    }
    return false;
}

static bool is_blank(uint8_t byte) {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static char lower(char c) {
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool has_ending(const char *name, const char *ending) {
    size_t length = strlen(name);
    size_t ending_length = strlen(ending);
    if (length <= ending_length || name[length - ending_length - 1] != '.') {
        return false;
    }
    for (size_t i = 0; i < ending_length; i++) {
        if (lower(name[length - ending_length + i]) != ending[i]) {
            return false;
        }
    }
    return true;
}

lmb_format lmb_format_of(const char *name, const uint8_t *bytes, size_t size) {
    if (begins_with(bytes, size, LMB_PACK_MAGIC)) {
        return LMB_FORMAT_PACK;
    }
    if (begins_with(bytes, size, "\xEF\xBB\xBF")) {
        bytes += 3;
        size -= 3;
    }
    while (size > 0 && is_blank(*bytes)) {
        bytes++;
        size--;
    }
    if (begins_with(bytes, size, "glTF") || begins_with(bytes, size, "{")) {
        return LMB_FORMAT_GLTF;
    }
    if (begins_with(bytes, size, "Kaydara FBX Binary") || begins_with(bytes, size, "; FBX")) {
        return LMB_FORMAT_FBX;
    }
    if (begins_with(bytes, size, "HIERARCHY")) {
        return LMB_FORMAT_BVH;
    }
    if (begins_with(bytes, size, "<") &&
        contains(bytes, size < LARGEST_PROLOGUE ? size : LARGEST_PROLOGUE, "<COLLADA")) {
        return LMB_FORMAT_COLLADA;
    }
    for (int format = LMB_FORMAT_FBX; format < LMB_FORMAT_COUNT; format++) {
        if (has_ending(name, endings[format])) {
            return (lmb_format)format;
        }
    }
    return LMB_FORMAT_GLTF;
}

const char *lmb_format_name(lmb_format format) {
    return names[format];
}

const char *lmb_format_ending(lmb_format format) {
    return endings[format];
}
