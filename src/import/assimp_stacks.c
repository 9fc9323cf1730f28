// Finds the animations ("animation stacks") of an FBX file that Assimp silently left out. It leaves out an animation if
// none of its curves has keys, and drops a curve if its key times do not ascend. The names of the stacks are searched
// in the file itself, where they are plain text even if a binary file compresses its keys.
#include "assimp_scene.h"

#include <string.h>

#define NAME_SIZE sizeof(((struct aiString *)0)->data)

typedef struct bytes {
    const char *at;
    size_t left;
} bytes;

// Moves past the next occurrence; returns false if there is none.
static bool skip_past(bytes *text, const char *pattern, size_t length) {
    while (text->left >= length) {
        const char *found = memchr(text->at, pattern[0], text->left - length + 1);
        if (found == NULL) {
            return false;
        }
        bool equal = memcmp(found, pattern, length) == 0;
        size_t passed = (size_t)(found - text->at) + (equal ? length : 1);
        text->at += passed;
        text->left -= passed;
        if (equal) {
            return true;
        }
    }
    return false;
}

static bool copy_name(const char *name, size_t length, char result[NAME_SIZE]) {
    if (length >= NAME_SIZE) {
        return false;
    }
    memcpy(result, name, length);
    result[length] = '\0';
    return true;
}

// Finds the next line of the form: AnimationStack: 200, "AnimStack::Lift", "" {
static bool next_in_text(bytes *text, char name[NAME_SIZE]) {
    static const char prefix[] = "AnimStack::";
    while (skip_past(text, "AnimationStack:", 15)) {
        bytes line = *text;
        if (!skip_past(&line, "\"", 1) || line.left < sizeof prefix - 1 ||
            memcmp(line.at, prefix, sizeof prefix - 1) != 0) {
            continue;
        }
        const char *start = line.at + sizeof prefix - 1;
        const char *end = memchr(start, '"', line.left - (sizeof prefix - 1));
        if (end != NULL && copy_name(start, (size_t)(end - start), name)) {
            return true;
        }
    }
    return false;
}

// Finds the next binary record: its name after the length of that, then its properties: 'L' and 8 bytes, 'S', a length
// of 4 bytes and "Lift\0\1AnimStack".
static bool next_in_records(bytes *text, char name[NAME_SIZE]) {
    while (skip_past(text,
                     "\x0E"
                     "AnimationStackL",
                     16)) {
        if (text->left < 13 || text->at[8] != 'S') {
            continue;
        }
        const char *start = text->at + 13;
        const char *end = memchr(start, '\0', text->left - 13);
        if (end != NULL && copy_name(start, (size_t)(end - start), name)) {
            return true;
        }
    }
    return false;
}

static lmb_name *list_animations(const lmb_assimp *assimp) {
    lmb_importer *importer = assimp->tables.importer;
    uint32_t count = assimp->scene->mNumAnimations;
    lmb_name *names = lmb_importer_allocate(importer, &importer->scratch, count, sizeof *names);
    for (uint32_t i = 0; names != NULL && i < count; i++) {
        names[i] = (lmb_name){.text = assimp->scene->mAnimations[i]->mName.data, .index = i};
    }
    if (names != NULL) {
        lmb_names_sort(names, count);
    }
    return names;
}

bool lmb_assimp_note_stacks(const lmb_assimp *assimp, const uint8_t *file, size_t size) {
    static const char binary[] = "Kaydara FBX Binary";
    lmb_importer *importer = assimp->tables.importer;
    lmb_name *animations = list_animations(assimp);
    if (animations == NULL) {
        return false;
    }
    bytes text = {(const char *)file, size};
    bool is_binary = size >= sizeof binary && memcmp(file, binary, sizeof binary - 1) == 0;
    char name[NAME_SIZE];
    while (is_binary ? next_in_records(&text, name) : next_in_text(&text, name)) {
        if (lmb_names_find(animations, assimp->scene->mNumAnimations, name) == LMB_NONE && name[0] != '\0' &&
            !lmb_importer_note(
                importer, "animation '%.200s': it has no keys, or no curve whose key times ascend: left out", name)) {
            return false;
        }
    }
    lmb_pool_release(&importer->scratch, animations);
    return true;
}
