#include "hostile.h"

#include "command.h"
#include "suite.h"

#include <stdio.h>

// Returns the text with each `from` replaced. The caller frees it.
static char *replace(char *text, const char *from, const char *to) {
    if (text == NULL) {
        return NULL;
    }
    const size_t step = strlen(from);
    char *result = calloc(strlen(text) * (strlen(to) / step + 2) + 1, 1);
    char *at = result;
    for (const char *rest = text; result != NULL && *rest != '\0';) {
        const bool found = strncmp(rest, from, step) == 0;
        const size_t size = found ? strlen(to) : 1;
        memcpy(at, found ? to : rest, size);
        at += size;
        rest += found ? step : 1;
    }
    free(text);
    return result;
}

bool hostile_write_gltf(const char *path, bool bytes) {
    char *text = command_write_small_gltf(path) ? command_read_file(path) : NULL;
    text = replace(text, "\"Bend\"", "\"Bend" HOSTILE_JSON "\"");
    text = replace(text, "caf\\u00e9", bytes ? "caf\x9b" : "caf\\u00e9" HOSTILE_JSON);
    text = replace(text, "\"root\"", "\"root" HOSTILE_JSON "\"");
    text = replace(text, "\"elbow ", "\"elbow" HOSTILE_JSON " ");
    text = replace(text, "{\"translation\":[0,1,0]}",
                   "{\"name\":\"hand" HOSTILE_JSON "\",\"mesh\":0,\"translation\":[0,1,0]}");
    text = replace(text, "\"type\":\"VEC3\"}]",
                   "\"type\":\"VEC3\"},{\"bufferView\":2,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\","
                   "\"min\":[0,0,0],\"max\":[1,1,1]}]");
    text = replace(text, "\"animations\":[",
                   "\"materials\":[{\"name\":\"skin" HOSTILE_JSON "\"}],\"extensionsUsed\":[\"EXT_" HOSTILE_JSON "\"],"
                   "\"meshes\":[{\"name\":\"body" HOSTILE_JSON "\",\"primitives\":[{\"attributes\":{\"POSITION\":3},"
                   "\"material\":0},{\"attributes\":{\"POSITION\":3},\"mode\":0}]}],\"animations\":[");
    FILE *file = text == NULL ? NULL : fopen(path, "wb");
    const bool written = file != NULL && fputs(text, file) >= 0;
    free(text);
    return file != NULL && fclose(file) == 0 && written;
}

// Searches for control bytes anywhere in the text, so that the result does not depend on UTF-8 decoding.
static const char *find_control(const char *text) {
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char)*text;
        if ((byte < 0x20 && byte != '\n') || byte == 0x7f) {
            return text;
        }
    }
    return NULL;
}

static const char *find_unprintable(const char *text) {
    static const char *const marks[] = {"\xc2\x9b", "\xe2\x80\xae", "\xe2\x80\x8b", "\xf3\xa0\x80"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const char *found = strstr(text, marks[i]);
        if (found != NULL) {
            return found;
        }
    }
    for (; *text != '\0'; text++) { // no stray continuation byte
        const unsigned char byte = (unsigned char)*text;
        const size_t more = byte < 0x80 ? 0 : byte < 0xc0 ? SIZE_MAX : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
        for (size_t i = 1; i <= more; i++) {
            if (more == SIZE_MAX || ((unsigned char)text[i] & 0xc0) != 0x80) {
                return text;
            }
        }
        text += more;
    }
    return NULL;
}

const char *hostile_show(const char *text) {
    static char shown[600];
    size_t length = 0;
    for (; text[length] != '\0' && length + 1 < sizeof shown; length++) {
        shown[length] = text[length] >= 0x20 && text[length] < 0x7f ? text[length] : '?';
    }
    shown[length] = '\0';
    return shown;
}

void hostile_expect_none(const char *what, const char *text) {
    assert_non_null(text);
    const char *found = find_control(text);
    found = found == NULL ? find_unprintable(text) : found;
    if (found != NULL) {
        char shown[100] = "";
        for (size_t i = 0; i < 30 && found[i] != '\0'; i++) {
            snprintf(shown + strlen(shown), 4, "%02x ", (unsigned)(unsigned char)found[i]);
        }
        fail_msg("%s: the output has, after %zu bytes, %s", hostile_show(what), (size_t)(found - text), shown);
    }
}
