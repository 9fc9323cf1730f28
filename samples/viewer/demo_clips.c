// Finds clips of a file for a demo, and replaces their names in its text.
#include "demo_clips.h"

#include <stdlib.h>
#include <string.h>

#include "graphics.h"

#define LONGEST_NAME 64u // of clips in demos

static const char *find_stated(const demo_clips_def *def, const char *name) {
    size_t length = strlen(name);
    for (uint32_t i = 0; i < def->stated_count; i++) {
        if (strncmp(def->stated[i], name, length) == 0 && def->stated[i][length] == '=') {
            return def->stated[i] + length + 1;
        }
    }
    return NULL;
}

static lmb_result report_missing(const demo_clips_def *def, const character *character, const char *name,
                                 lmb_error *error) {
    char listed[CHARACTER_LISTED];
    character_list_clips(character, listed, sizeof listed);
    return viewer_fail(error, LMB_ERROR_ARGUMENT, "the demo %s plays '%s', and the file's clips are %s: see --clip",
                       def->demo, name, listed);
}

static lmb_result find_clip(const demo_clips_def *def, const character *character, const char *name, const char **clip,
                            lmb_error *error) {
    const char *stated = find_stated(def, name);
    const lmb_clip *found = character_clip_named(character, stated != NULL ? stated : name);
    if (found == NULL && stated == NULL) {
        found = character_find_clip(character, name);
    }
    if (found == NULL) {
        return report_missing(def, character, stated != NULL ? stated : name, error);
    }
    *clip = lmb_clip_get_info(found)->name;
    return LMB_OK;
}

// Returns the next clip's name in the text, or NULL, and stores its length.
static const char *next_name(const char *text, const char *end, size_t *length) {
    static const char key[] = "\"clip\": \"";
    for (const char *at = text; (size_t)(end - at) > sizeof key; at++) {
        if (memcmp(at, key, sizeof key - 1) == 0) {
            const char *name = at + sizeof key - 1;
            const char *quote = memchr(name, '"', (size_t)(end - name));
            *length = quote != NULL ? (size_t)(quote - name) : 0;
            return quote != NULL ? name : NULL;
        }
    }
    return NULL;
}

// Writes a name as in JSON, without the quotes. Returns its length.
static size_t write_name(const char *name, char *target) {
    size_t used = 0;
    for (; *name != '\0'; name++) {
        if (*name == '"' || *name == '\\') {
            target[used++] = '\\';
        }
        target[used++] = *name;
    }
    return used;
}

static lmb_result check_stated(const demo_clips_def *def, lmb_error *error) {
    for (uint32_t i = 0; i < def->stated_count; i++) {
        const char *at = def->text, *name;
        size_t length = 0, stated = strcspn(def->stated[i], "=");
        bool used = false;
        while ((name = next_name(at, def->text + def->size, &length)) != NULL) {
            used = used || (length == stated && memcmp(name, def->stated[i], length) == 0);
            at = name + length;
        }
        if (def->stated[i][stated] != '=') {
            return viewer_fail(error, LMB_ERROR_ARGUMENT, "--clip %s: not NAME=CLIP", def->stated[i]);
        }
        if (!used) {
            return viewer_fail(error, LMB_ERROR_ARGUMENT, "--clip %s: the demo %s plays no '%.*s'", def->stated[i],
                               def->demo, (int)stated, def->stated[i]);
        }
    }
    return LMB_OK;
}

// Writes into `target`, which has room for the longest possible names.
static lmb_result replace_names(const demo_clips_def *def, const character *character, char *target, lmb_error *error) {
    const char *at = def->text, *end = def->text + def->size, *name;
    size_t length = 0;
    while ((name = next_name(at, end, &length)) != NULL) {
        char own[LONGEST_NAME + 1] = {0};
        const char *clip = NULL;
        memcpy(own, name, length < LONGEST_NAME ? length : LONGEST_NAME);
        if (find_clip(def, character, own, &clip, error)) {
            return error->result;
        }
        memcpy(target, at, (size_t)(name - at));
        target += name - at;
        target += write_name(clip, target);
        at = name + length;
    }
    memcpy(target, at, (size_t)(end - at));
    target[end - at] = '\0';
    return LMB_OK;
}

lmb_result demo_clips_fit(const demo_clips_def *def, const character *character, char **text, lmb_error *error) {
    size_t longest = 0, names = 0, length = 0;
    *text = NULL;
    if (check_stated(def, error)) {
        return error->result;
    }
    for (uint32_t i = 0; i < character_clip_count(character); i++) {
        size_t own = strlen(lmb_clip_get_info(character_clip(character, i))->name);
        longest = own > longest ? own : longest;
    }
    for (const char *at = def->text; (at = next_name(at, def->text + def->size, &length)) != NULL; at += length) {
        names++;
    }
    *text = malloc(def->size + 2 * names * longest + 1);
    if (*text == NULL) {
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory for the demo %s", def->demo);
    }
    lmb_result result = replace_names(def, character, *text, error);
    if (result != LMB_OK) {
        free(*text);
        *text = NULL;
    }
    return result;
}
