#include "assimp_scene.h"

#include <string.h>

// Assimp's readers call themselves for what stands inside, and would run out of stack.
#define LARGEST_DEPTH 1000u

#define BINARY_FBX "Kaydara FBX Binary"
#define BINARY_FBX_HEADER 27u

// Behind the next `end` at or after `at`.
static size_t skip_past(const char *text, size_t size, size_t at, const char *end) {
    size_t length = strlen(end);
    while (at + length <= size && memcmp(text + at, end, length) != 0) {
        at++;
    }
    return at + length <= size ? at + length : size;
}

// In FBX, braces in texts and comments are none; BVH has neither.
static bool braces_are_shallow(const char *text, size_t size, bool is_fbx) {
    size_t depth = 0;
    for (size_t i = 0; i < size && depth <= LARGEST_DEPTH;) {
        if (is_fbx && (text[i] == '"' || text[i] == ';')) {
            i = skip_past(text, size, i + 1, text[i] == '"' ? "\"" : "\n");
            continue;
        }
        depth += text[i] == '{';
        depth -= text[i] == '}' && depth > 0;
        i++;
    }
    return depth <= LARGEST_DEPTH;
}

// Behind the tag that begins at `at`; a '>' inside an attribute's quotes does not end it.
static size_t skip_tag(const char *text, size_t size, size_t at) {
    char quote = 0;
    for (; at < size; at++) {
        if (quote != 0) {
            quote = text[at] == quote ? 0 : quote;
        } else if (text[at] == '>') {
            return at + 1;
        } else if (text[at] == '"' || text[at] == '\'') {
            quote = text[at];
        }
    }
    return size;
}

static bool begins_at(const char *text, size_t size, size_t at, const char *prefix) {
    size_t length = strlen(prefix);
    return size - at >= length && memcmp(text + at, prefix, length) == 0;
}

static bool elements_are_shallow(const char *text, size_t size) {
    size_t depth = 0;
    for (size_t i = 0; i + 1 < size && depth <= LARGEST_DEPTH;) {
        if (text[i] != '<') {
            i++;
        } else if (begins_at(text, size, i, "<!--")) {
            i = skip_past(text, size, i + 4, "-->");
        } else if (begins_at(text, size, i, "<![CDATA[")) {
            i = skip_past(text, size, i + 9, "]]>");
        } else if (text[i + 1] == '?') {
            i = skip_past(text, size, i + 2, "?>");
        } else {
            char kind = text[i + 1];
            i = skip_tag(text, size, i);
            bool is_empty = text[i - 1] == '>' && text[i - 2] == '/';
            depth += kind != '/' && kind != '!' && !is_empty;
            depth -= kind == '/' && depth > 0;
        }
    }
    return depth <= LARGEST_DEPTH;
}

static uint64_t little_endian(const uint8_t *bytes, size_t width) {
    uint64_t value = 0;
    for (size_t i = width; i-- > 0;) {
        value = value << 8 | bytes[i];
    }
    return value;
}

// A record says where it ends, how many properties it has, in how many bytes, and its name; what follows up to its end
// are records inside it. One of zeros closes a list. What contradicts itself is Assimp's to refuse.
static bool records_are_shallow(const uint8_t *bytes, size_t size) {
    if (size < BINARY_FBX_HEADER) {
        return true;
    }
    size_t width = little_endian(bytes + 23, 4) >= 7500 ? 8 : 4;
    uint64_t ends[LARGEST_DEPTH + 1];
    size_t depth = 0;
    uint64_t at = BINARY_FBX_HEADER;
    while (at <= size && size - at > 3 * width) {
        uint64_t end = little_endian(bytes + at, width);
        uint64_t inside = at + 3 * width + 1 + bytes[at + 3 * width];
        uint64_t properties = little_endian(bytes + at + 2 * width, width);
        if (end == 0) {
            at = depth > 0 ? ends[--depth] : size;
        } else if (end <= at || end > size || properties > size) {
            return true;
        } else if (inside + properties < end) {
            if (depth > LARGEST_DEPTH - 1) {
                return false;
            }
            ends[depth++] = end;
            at = inside + properties;
        } else {
            at = end;
        }
        while (depth > 0 && at >= ends[depth - 1]) {
            depth--;
        }
    }
    return true;
}

bool lmb_assimp_check_depth(lmb_importer *importer, lmb_format format, const uint8_t *bytes, size_t size) {
    const char *text = (const char *)bytes;
    bool is_shallow;
    if (format == LMB_FORMAT_COLLADA) {
        is_shallow = elements_are_shallow(text, size);
    } else if (size >= strlen(BINARY_FBX) && memcmp(text, BINARY_FBX, strlen(BINARY_FBX)) == 0) {
        is_shallow = records_are_shallow(bytes, size);
    } else {
        is_shallow = braces_are_shallow(text, size, format == LMB_FORMAT_FBX);
    }
    return is_shallow || lmb_importer_fail(importer, LMB_ERROR_LIMIT, "it nests deeper than %u", LARGEST_DEPTH);
}
