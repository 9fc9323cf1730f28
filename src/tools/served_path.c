// The path is checked by lmb_path_is_below() before anything is opened, so there is no "..", no empty part and no
// backslash in what is returned.
#include "served_path.h"

#include "base/path.h"

static const struct {
    const char *name;
    served_kind kind;
} parts[] = {
    {"graph", SERVED_GRAPH}, {"positions", SERVED_POSITIONS}, {"character", SERVED_CHARACTER}, {"info", SERVED_INFO}};

static const struct {
    const char *ending;
    const char *type;
} types[] = {{".html", "text/html; charset=utf-8"},
             {".js", "text/javascript; charset=utf-8"},
             {".css", "text/css; charset=utf-8"},
             {".json", "application/json"},
             {".wasm", "application/wasm"},
             {".png", "image/png"},
             {".jpg", "image/jpeg"},
             {".svg", "image/svg+xml"}};

static bool begins_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static bool ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), size = strlen(end);
    return length > size && strcmp(text + length - size, end) == 0;
}

// Always compares all digits.
static bool has_token(const char *path, const char *token) {
    if (strlen(path) < SERVED_TOKEN_LENGTH) {
        return false;
    }
    unsigned difference = 0;
    for (int i = 0; i < SERVED_TOKEN_LENGTH; i++) {
        difference |= (unsigned)(unsigned char)path[i] ^ (unsigned)(unsigned char)token[i];
    }
    return difference == 0;
}

static served_path find_part(const char *name) {
    static const char include[] = "include/";
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcmp(name, parts[i].name) == 0) {
            return (served_path){parts[i].kind, ""};
        }
    }
    const char *file = name + sizeof include - 1;
    const bool is_include = begins_with(name, include) && ends_with(file, ".json") && lmb_path_is_below(file);
    return is_include ? (served_path){SERVED_INCLUDE, file} : (served_path){SERVED_NOTHING, ""};
}

served_path served_path_read(const char *path, const char *token) {
    static const char served[] = "served/";
    if (path[0] != '/' || !has_token(path + 1, token) || path[1 + SERVED_TOKEN_LENGTH] != '/') {
        return (served_path){SERVED_NOTHING, ""};
    }
    const char *file = path + SERVED_TOKEN_LENGTH + 2;
    if (begins_with(file, served)) {
        return find_part(file + sizeof served - 1);
    }
    return file[0] == '\0'           ? (served_path){SERVED_SITE, "index.html"}
           : lmb_path_is_below(file) ? (served_path){SERVED_SITE, file}
                                     : (served_path){SERVED_NOTHING, ""};
}

const char *served_path_type(const char *file) {
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (ends_with(file, types[i].ending)) {
            return types[i].type;
        }
    }
    return "application/octet-stream";
}
