#include "uri.h"

#include "file.h"

#include <stdio.h>
#include <string.h>

static char lower(char character) {
    return character >= 'A' && character <= 'Z' ? (char)(character - 'A' + 'a') : character;
}

static bool is_letter(char character) {
    return lower(character) >= 'a' && lower(character) <= 'z';
}

static bool starts_with(const char *text, const char *start) {
    for (; *start != '\0'; text++, start++) {
        if (lower(*text) != *start) {
            return false;
        }
    }
    return true;
}

static bool is_data(const char *uri) {
    return starts_with(uri, "data:");
}

static size_t scheme_length(const char *uri) {
    size_t length = strcspn(uri, ":/?#");
    return uri[length] == ':' && is_letter(uri[0]) ? length : 0;
}

// Returns the text after "data:[type][;parameters];base64,", or NULL.
static const char *base64_of(const char *uri) {
    const char *comma = strchr(uri, ',');
    const char mark[] = ";base64";
    size_t length = sizeof mark - 1;
    if (comma == NULL || (size_t)(comma - uri) < length || !starts_with(comma - length, mark)) {
        return NULL;
    }
    return comma + 1;
}

static int base64_value(char character) {
    if (character >= 'A' && character <= 'Z') {
        return character - 'A';
    }
    if (character >= 'a' && character <= 'z') {
        return character - 'a' + 26;
    }
    if (character >= '0' && character <= '9') {
        return character - '0' + 52;
    }
    return character == '+' ? 62 : character == '/' ? 63 : -1;
}

// Returns the length without padding; SIZE_MAX if the padding is wrong or a single character is left over.
static size_t base64_length(const char *text) {
    size_t padded = strlen(text);
    size_t length = padded;
    while (length > 0 && padded - length < 2 && text[length - 1] == '=') {
        length--;
    }
    bool wrong = length % 4 == 1 || (padded != length && padded % 4 != 0);
    return wrong ? SIZE_MAX : length;
}

static bool load_base64(lmb_importer *importer, const char *text, const char *place, const uint8_t **bytes,
                        size_t *size) {
    size_t length = base64_length(text);
    if (length == SIZE_MAX) {
        return lmb_importer_fail(importer, LMB_ERROR_FORMAT, "%s: base64 that was cut off", place);
    }
    uint8_t *decoded = lmb_importer_allocate(importer, &importer->scratch, length / 4 * 3 + 3, 1);
    if (decoded == NULL) {
        return false;
    }
    uint32_t bits = 0;
    size_t written = 0;
    for (size_t i = 0; i < length; i++) {
        int value = base64_value(text[i]);
        if (value < 0) {
            return lmb_importer_fail(importer, LMB_ERROR_FORMAT, "%s: base64 with a wrong character at %zu", place, i);
        }
        bits = bits << 6 | (uint32_t)value;
        if (i % 4 != 0) {
            decoded[written++] = (uint8_t)(bits >> (6 - i % 4 * 2));
        }
    }
    *bytes = decoded;
    *size = written;
    return true;
}

static int hexadecimal_digit(char character) {
    if (character >= '0' && character <= '9') {
        return character - '0';
    }
    char letter = lower(character);
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

// Decodes %XX in place; returns false if two hexadecimal digits do not follow, or for %00.
static bool decode_percent(char *text) {
    char *out = text;
    for (const char *in = text; *in != '\0'; in++) {
        if (*in != '%') {
            *out++ = *in;
            continue;
        }
        int high = hexadecimal_digit(in[1]);
        int low = high < 0 ? -1 : hexadecimal_digit(in[2]);
        // A zero would end the name early.
        if (low < 0 || high + low == 0) {
            return false;
        }
        *out++ = (char)(high * 16 + low);
        in += 2;
    }
    *out = '\0';
    return true;
}

// Resolves "." and ".." in the text as RFC 3986 does. Returns false if the path leads out of the folder, or is the
// folder.
static bool resolve_dots(char *path) {
    char *out = path;
    for (const char *in = path; *in != '\0';) {
        size_t length = strcspn(in, "/");
        const char *next = in + length + (in[length] == '/' ? 1 : 0);
        if (length == 2 && in[0] == '.' && in[1] == '.') {
            if (out == path) {
                return false;
            }
            for (out--; out > path && out[-1] != '/'; out--) {
            }
        } else if (length > 0 && !(length == 1 && in[0] == '.')) {
            memmove(out, in, (size_t)(next - in));
            out += next - in;
        }
        in = next;
    }
    *out = '\0';
    return out > path && out[-1] != '/';
}

static bool is_plain_path(const char *path) {
    for (; *path != '\0'; path++) {
        if ((uint8_t)*path < 0x20 || *path == '\\' || *path == ':') {
            return false;
        }
    }
    return true;
}

// Returns the path below the folder, in scratch memory; NULL after an error.
static char *relative_path(lmb_importer *importer, const char *uri, const char *place) {
    if (scheme_length(uri) > 0) {
        lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED, "%s: a URI with the scheme '%.*s'", place,
                          (int)(scheme_length(uri) < 40 ? scheme_length(uri) : 40), uri);
        return NULL;
    }
    char *path = lmb_importer_copy_text(importer, &importer->scratch, uri);
    if (path == NULL) {
        return NULL;
    }
    if (!decode_percent(path)) {
        lmb_importer_fail(importer, LMB_ERROR_FORMAT, "%s: '%%' without two digits behind it in '%.200s'", place, uri);
        return NULL;
    }
    if (path[0] == '/') {
        lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED, "%s: '%.200s' is an absolute path", place, uri);
        return NULL;
    }
    if (!is_plain_path(path)) {
        lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED, "%s: '%.200s' holds a character that no path here may have",
                          place, uri);
        return NULL;
    }
    if (!resolve_dots(path)) {
        lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED, "%s: '%.200s' does not name a file in the folder", place,
                          uri);
        return NULL;
    }
    return path;
}

bool lmb_uri_check(lmb_importer *importer, const char *uri, const char *place) {
    if (is_data(uri)) {
        return base64_of(uri) != NULL ||
               lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED, "%s: a data URI that is not base64", place);
    }
    return relative_path(importer, uri, place) != NULL;
}

static bool load_file(lmb_importer *importer, const char *relative, const char *place, const uint8_t **bytes,
                      size_t *size) {
    const char *directory = importer->directory;
    if (directory == NULL) {
        return lmb_importer_fail(importer, LMB_ERROR_FILE, "%s: the file '%.200s' is needed, but there is no folder",
                                 place, relative);
    }
    char opening[300];
    snprintf(opening, sizeof opening, "%s: '%.200s' ", place, relative);
    return lmb_file_read_below(importer, directory, relative, opening, bytes, size);
}

bool lmb_uri_load(lmb_importer *importer, const char *uri, const char *place, const uint8_t **bytes, size_t *size) {
    if (is_data(uri)) {
        return load_base64(importer, base64_of(uri), place, bytes, size);
    }
    char *path = relative_path(importer, uri, place);
    return path != NULL && load_file(importer, path, place, bytes, size);
}
