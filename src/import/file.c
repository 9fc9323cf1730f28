// Files are read whole, and count towards the import's budget before memory is allocated. Every name in a file may be
// hostile: URIs are decoded, "." and ".." are resolved, and a path that leaves the folder or has unusual characters is
// refused before anything is opened.
#include "file.h"

#include "base/open_file.h"

#include <errno.h>
#include <string.h>

// Offsets into a file must fit 32 bits.
#define LARGEST_FILE UINT32_MAX

static bool fail(lmb_importer *importer, const char *place, const char *what, const char *why) {
    return lmb_importer_fail(importer, LMB_ERROR_FILE, "%s%s%s", place, what, why);
}

static bool read_content(lmb_importer *importer, FILE *file, const char *place, const uint8_t **bytes, size_t *size) {
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (end < 0 || fseek(file, 0, SEEK_SET) != 0) {
        return fail(importer, place, "has no size: ", strerror(errno));
    }
    if ((uint64_t)end >= LARGEST_FILE) {
        return fail(importer, place, "has 4 GiB or more", "");
    }
    lmb_importer_add_source(importer, (size_t)end);
    uint8_t *content = lmb_importer_scratch(importer, (size_t)end, 1);
    if (content == NULL) {
        return false;
    }
    if (fread(content, 1, (size_t)end, file) != (size_t)end) {
        return fail(importer, place, "cannot be read to its end", "");
    }
    *bytes = content;
    *size = (size_t)end;
    return true;
}

// Reads a file that was opened; NULL if it was not, for the reason `why`.
static bool read_opened(lmb_importer *importer, FILE *file, const char *why, const char *place, const uint8_t **bytes,
                        size_t *size) {
    if (file == NULL) {
        return fail(importer, place, "cannot be opened: ", why);
    }
    const bool read = read_content(importer, file, place, bytes, size);
    fclose(file);
    return read;
}

bool lmb_file_read(lmb_importer *importer, const char *path, const char *place, const uint8_t **bytes, size_t *size) {
    const char *why;
    FILE *file = lmb_open_file(path, LMB_OPEN_READ, &why);
    return read_opened(importer, file, why, place, bytes, size);
}

// ---- Formats ----

// How many bytes of XML declaration and comments may precede <COLLADA>.
#define LARGEST_PROLOGUE 4096u

static const char *const names[LMB_FORMAT_COUNT] = {"glTF", "import block", "FBX", "Collada", "BVH"};
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

static char lower(char character) {
    return character >= 'A' && character <= 'Z' ? (char)(character - 'A' + 'a') : character;
}

// Ignores case in `text`.
static bool starts_with(const char *text, const char *start) {
    for (; *start != '\0'; text++, start++) {
        if (lower(*text) != *start) {
            return false;
        }
    }
    return true;
}

static bool has_ending(const char *name, const char *ending) {
    const size_t length = strlen(name);
    const size_t size = strlen(ending);
    return length > size && name[length - size - 1] == '.' && starts_with(name + length - size, ending);
}

lmb_format lmb_format_of(const char *name, const uint8_t *bytes, size_t size) {
    if (begins_with(bytes, size, LMB_IMPORT_BLOCK_MAGIC)) {
        return LMB_FORMAT_BLOCK;
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
    if (size >= 9 && starts_with((const char *)bytes, "hierarchy")) {
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

// ---- URIs ----

static bool is_data(const char *uri) {
    return starts_with(uri, "data:");
}

static size_t scheme_length(const char *uri) {
    size_t length = strcspn(uri, ":/?#");
    return uri[length] == ':' && lower(uri[0]) >= 'a' && lower(uri[0]) <= 'z' ? length : 0;
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
    uint8_t *decoded = lmb_importer_scratch(importer, length / 4 * 3 + 3, 1);
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

// Decodes %XX in place; returns false if two hexadecimal digits do not follow, or for %00.
static bool decode_percent(char *text) {
    char *out = text;
    for (const char *in = text; *in != '\0'; in++) {
        if (*in != '%') {
            *out++ = *in;
            continue;
        }
        int high = lmb_text_digit(in[1]);
        int low = high < 0 ? -1 : lmb_text_digit(in[2]);
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

// Returns the path below the folder, in scratch memory.
static bool find_path(lmb_importer *importer, const char *uri, const char *place, char **path) {
    const size_t scheme = scheme_length(uri);
    if (scheme > 0) {
        return lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED, "%s: a URI with the scheme '%.*s'", place,
                                 (int)(scheme < 40 ? scheme : 40), uri);
    }
    *path = lmb_importer_copy_text(importer, &importer->scratch, uri);
    if (*path == NULL) {
        return false;
    }
    if (!decode_percent(*path)) {
        return lmb_importer_fail(importer, LMB_ERROR_FORMAT, "%s: '%%' without two digits behind it in '%.200s'", place,
                                 uri);
    }
    const char *why = (*path)[0] == '/'       ? "is an absolute path"
                      : !is_plain_path(*path) ? "holds a character that no path here may have"
                      : !resolve_dots(*path)  ? "does not name a file in the folder"
                                              : NULL;
    return why == NULL || lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED, "%s: '%.200s' %s", place, uri, why);
}

bool lmb_uri_check(lmb_importer *importer, const char *uri, const char *place) {
    char *path;
    if (is_data(uri)) {
        return base64_of(uri) != NULL ||
               lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED, "%s: a data URI that is not base64", place);
    }
    return find_path(importer, uri, place, &path);
}

bool lmb_uri_load(lmb_importer *importer, const char *uri, const char *place, const uint8_t **bytes, size_t *size) {
    char *path;
    if (is_data(uri)) {
        return lmb_uri_check(importer, uri, place) && load_base64(importer, base64_of(uri), place, bytes, size);
    }
    if (!find_path(importer, uri, place, &path)) {
        return false;
    }
    if (importer->directory == NULL) {
        return lmb_importer_fail(importer, LMB_ERROR_FILE, "%s: the file '%.200s' is needed, but there is no folder",
                                 place, path);
    }
    char opening[300];
    snprintf(opening, sizeof opening, "%s: '%.200s' ", place, path);
    const char *why;
    FILE *file = lmb_open_file_below(importer->directory, path, &why);
    return read_opened(importer, file, why, opening, bytes, size);
}
