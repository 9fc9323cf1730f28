// Tries what a name may be in this order: a built-in mannequin, a pack (found by its first bytes), and files to import.
// The members of a character_file then point into the one that was opened.
#include "character_file.h"

#include "command_line.h"
#include "file.h"
#include "reader.h"

#include "base/host.h"
#include "clip/split.h"

#include <stdlib.h>
#include <string.h>

static lmb_result open_mannequin(const char *name, character_file *character, lmb_error *error) {
    if (mannequin_find_creator(name)(NULL, &character->mannequin, error)) {
        return error->result;
    }
    character->content.rig = mannequin_rig(character->mannequin);
    character->content.clip_count = mannequin_clip_count(character->mannequin);
    return LMB_OK;
}

static lmb_result open_files(const lmb_import_def *def, character_file *character, lmb_error *error) {
    if (reader_import(def, &character->import, error)) {
        return error->result;
    }
    character->content = lmb_import_pack_def(character->import);
    return LMB_OK;
}

static bool is_pack(const char *path) {
    char first[8];
    return lmb_pack_is_pack(first, file_read_head(path, first, sizeof first));
}

static lmb_result open_pack(const char *path, character_file *character, lmb_error *error) {
    size_t size;
    lmb_error found;
    if (file_read(path, FILE_ANY_SIZE, &character->pack_bytes, &size, error)) {
        return error->result;
    }
    if (lmb_pack_open(character->pack_bytes, size, NULL, &character->pack, &found)) {
        return lmb_fail(error, found.result, "%s: %s", path, found.message);
    }
    character->content = *lmb_pack_get_def(character->pack);
    return LMB_OK;
}

static const lmb_clip *clip_of(const character_file *character, uint32_t index) {
    return character->mannequin != NULL ? mannequin_clip(character->mannequin, (mannequin_clip_id)index)
                                        : character->content.clips[index];
}

const char *character_file_read_unit(const char *text, void *target) {
    float *unit = target;
    return option_read_float(text, unit) && *unit >= 1e-6f && *unit <= 1e6f ? NULL : "a length in metres, 1e-6 to 1e6";
}

// Opens what the name is, without splits.
static lmb_result open_any(const lmb_import_def *def, character_file *character, lmb_error *error) {
    const char *single = def->path_count == 1 ? def->paths[0] : NULL;
    return single != NULL && mannequin_find_creator(single) != NULL ? open_mannequin(single, character, error)
           : single != NULL && is_pack(single)                      ? open_pack(single, character, error)
                                                                    : open_files(def, character, error);
}

lmb_result character_file_open(const lmb_import_def *def, character_file *character, lmb_error *error) {
    *character = (character_file){0};
    lmb_import_def whole = *def;
    whole.split_count = 0;
    if (open_any(&whole, character, error)) {
        return error->result;
    }
    character->rig = character->content.rig;
    character->clip_count = character->content.clip_count;
    const size_t most = character->clip_count + (size_t)def->split_count;
    character->clips = malloc((most + 1) * sizeof *character->clips);
    character->parts = calloc(def->split_count + (size_t)1, sizeof *character->parts);
    if (character->clips == NULL || character->parts == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for a list of clips");
    }
    for (uint32_t i = 0; i < character->clip_count; i++) {
        character->clips[i] = clip_of(character, i);
    }
    character->part_count = def->split_count;
    return lmb_clips_split(character->rig, def->splits, def->split_count, NULL, character->clips,
                           &character->clip_count, character->parts, error);
}

// Reads NAME:FROM-TO up to a comma, or the end. Returns what follows, or NULL if it is none.
static char *read_part(char *text, lmb_clip_part_def *part) {
    char *colon = text + strcspn(text, ":,"), *end;
    if (*colon != ':' || colon == text) {
        return NULL;
    }
    part->start = strtof(colon + 1, &end);
    if (end == colon + 1 || *end != '-') {
        return NULL;
    }
    const char *const second = end + 1;
    part->end = strtof(second, &end);
    if (end == second || (*end != ',' && *end != '\0')) {
        return NULL;
    }
    *colon = '\0';
    part->name = text;
    return end;
}

// Reads CLIP=NAME:FROM-TO,... Returns the part that is none, or NULL. Names stay in the text.
static const char *read_splits(char *text, lmb_clip_split *splits, uint32_t *count) {
    char *equals = strchr(text, '=');
    if (equals == NULL) {
        return text;
    }
    *equals = '\0';
    for (char *part = equals + 1, *end = equals; end == equals || *end == ',';) {
        lmb_clip_split split = {text, lmb_default_clip_part_def()};
        end = read_part(part, &split.part);
        if (end == NULL) {
            return part;
        }
        splits[(*count)++] = split;
        part = end + 1;
    }
    return NULL;
}

lmb_result character_file_read_splits(const char *const *texts, uint32_t text_count, lmb_arena *memory,
                                      lmb_import_def *def, lmb_error *error) {
    size_t most = text_count;
    for (uint32_t i = 0; i < text_count; i++) {
        for (const char *at = texts[i]; *at != '\0'; at++) {
            most += *at == ',';
        }
    }
    lmb_clip_split *splits = lmb_arena_allocate(memory, most, sizeof *splits);
    def->splits = splits;
    def->split_count = 0;
    for (uint32_t i = 0; i < text_count; i++) {
        char *copy = lmb_arena_allocate(memory, strlen(texts[i]) + 1, 1);
        if (splits == NULL || copy == NULL) {
            return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for parts of clips");
        }
        const char *wrong = read_splits(strcpy(copy, texts[i]), splits, &def->split_count);
        if (wrong != NULL) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "--split %.100s: '%.100s' is not %s", texts[i], wrong,
                            wrong == copy ? "CLIP=NAME:FROM-TO" : "NAME:FROM-TO");
        }
    }
    return LMB_OK;
}

void character_file_close(character_file *character) {
    for (uint32_t i = 0; i < character->part_count; i++) {
        lmb_clip_destroy(character->parts[i]);
    }
    free(character->parts);
    free((void *)character->clips);
    lmb_import_destroy(character->import);
    lmb_pack_close(character->pack);
    mannequin_destroy(character->mannequin);
    free(character->pack_bytes);
    *character = (character_file){0};
}

lmb_result character_file_pack_def(const character_file *character, lmb_arena *memory, mannequin_skin **skin,
                                   lmb_pack_def *def, lmb_error *error) {
    *skin = NULL;
    *def = character->content;
    def->clips = character->clips;
    def->clip_count = character->clip_count;
    def->graphs = NULL;
    def->graph_count = 0;
    if (character->mannequin == NULL) {
        return LMB_OK;
    }
    if (mannequin_skin_create_of(character->mannequin, MANNEQUIN_VERTICES_MEDIUM, NULL, skin, error)) {
        return error->result;
    }
    def->mesh_count = mannequin_skin_mesh_count(*skin);
    lmb_mesh *meshes = lmb_arena_allocate(memory, def->mesh_count, sizeof *meshes);
    for (uint32_t i = 0; meshes != NULL && i < def->mesh_count; i++) {
        meshes[i] = *mannequin_skin_mesh(*skin, i); // which gives them one by one
    }
    def->meshes = meshes;
    return meshes != NULL ? LMB_OK : lmb_fail(error, LMB_ERROR_MEMORY, "no memory for a list of meshes");
}

lmb_result character_file_write_pack(const lmb_pack_def *def, void **bytes, size_t *size, lmb_error *error) {
    *bytes = NULL;
    if (lmb_pack_write(def, NULL, NULL, 0, size, error)) {
        return error->result;
    }
    *bytes = malloc(*size);
    lmb_result result = *bytes == NULL ? lmb_fail(error, LMB_ERROR_MEMORY, "no memory for a pack of %zu bytes", *size)
                                       : lmb_pack_write(def, NULL, *bytes, *size, size, error);
    if (result != LMB_OK) {
        free(*bytes);
        *bytes = NULL;
    }
    return result;
}
