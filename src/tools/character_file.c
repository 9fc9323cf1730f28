// Tries what a name may be in this order: a built-in mannequin, a pack (found by its first bytes), and files to import.
// The members of a character_file then point into the one that was opened.
#include "character_file.h"

#include "command_line.h"
#include "file.h"
#include "reader.h"

#include "base/host.h"

#include <stdlib.h>
#include <string.h>

static lmb_result open_mannequin(const char *name, character_file *character, lmb_error *error) {
    if (mannequin_find_creator(name)(NULL, &character->mannequin, error)) {
        return error->result;
    }
    character->rig = mannequin_rig(character->mannequin);
    character->clip_count = mannequin_clip_count(character->mannequin);
    return LMB_OK;
}

static lmb_result open_files(const lmb_import_def *def, character_file *character, lmb_error *error) {
    if (reader_import(def, &character->import, error)) {
        return error->result;
    }
    character->rig = lmb_import_rig(character->import);
    character->clip_count = lmb_import_clip_count(character->import);
    character->meshes = lmb_import_mesh(character->import, 0);
    character->mesh_count = lmb_import_mesh_count(character->import);
    character->images = lmb_import_image(character->import, 0);
    character->image_count = lmb_import_image_count(character->import);
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
    character->rig = lmb_pack_rig(character->pack);
    character->clip_count = lmb_pack_clip_count(character->pack);
    character->meshes = lmb_pack_mesh(character->pack, 0);
    character->mesh_count = lmb_pack_mesh_count(character->pack);
    character->images = lmb_pack_image(character->pack, 0);
    character->image_count = lmb_pack_image_count(character->pack);
    return LMB_OK;
}

static const lmb_clip *clip_of(const character_file *character, uint32_t index) {
    return character->pack != NULL     ? lmb_pack_clip(character->pack, index)
           : character->import != NULL ? lmb_import_clip(character->import, index)
                                       : mannequin_clip(character->mannequin, (mannequin_clip_id)index);
}

const char *character_file_read_unit(const char *text, void *target) {
    float *unit = target;
    return option_read_float(text, unit) && *unit >= 1e-6f && *unit <= 1e6f ? NULL : "a length in metres, 1e-6 to 1e6";
}

lmb_result character_file_open(const lmb_import_def *def, character_file *character, lmb_error *error) {
    *character = (character_file){0};
    const char *single = def->path_count == 1 ? def->paths[0] : NULL;
    const lmb_result result = single != NULL && mannequin_find_creator(single) != NULL
                                  ? open_mannequin(single, character, error)
                              : single != NULL && is_pack(single) ? open_pack(single, character, error)
                                                                  : open_files(def, character, error);
    if (result != LMB_OK) {
        return result;
    }
    character->clips = malloc((character->clip_count + (size_t)1) * sizeof *character->clips);
    if (character->clips == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for a list of clips");
    }
    for (uint32_t i = 0; i < character->clip_count; i++) {
        character->clips[i] = clip_of(character, i);
    }
    return LMB_OK;
}

// Reads NAME:FROM-TO up to the next comma, or the end. Returns what follows, or NULL if it is none. `name` is memory
// for the name.
static const char *read_part(const char *text, char *name, lmb_clip_part_def *part) {
    const size_t length = strcspn(text, ":,");
    if (text[length] != ':' || length == 0) {
        return NULL;
    }
    memcpy(name, text, length);
    name[length] = '\0';
    part->name = name;
    char *end;
    part->start = strtof(text + length + 1, &end);
    if (end == text + length + 1 || *end != '-') {
        return NULL;
    }
    const char *const second = end + 1;
    part->end = strtof(second, &end);
    return end == second || (*end != ',' && *end != '\0') ? NULL : end;
}

// Cuts the parts of a clip into `parts`. Returns how many there are.
static lmb_result cut_parts(const character_file *character, const lmb_clip *clip, const char *text, char *name,
                            lmb_clip **parts, uint32_t *count, lmb_error *error) {
    lmb_result result = LMB_OK;
    for (bool more = true; more && result == LMB_OK;) {
        lmb_clip_part_def part = lmb_default_clip_part_def();
        const char *next = read_part(text, name, &part);
        if (next == NULL) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "'%.100s' is not NAME:FROM-TO", text);
        }
        result = lmb_clip_cut(character->rig, clip, &part, NULL, &parts[*count], error);
        *count += result == LMB_OK;
        more = *next == ',';
        text = next + 1;
    }
    return result;
}

lmb_result character_file_split(character_file *character, const char *text, lmb_error *error) {
    const char *equals = strchr(text, '=');
    const size_t length = equals != NULL ? (size_t)(equals - text) : 0;
    uint32_t clip = 0, most = 1;
    while (clip < character->clip_count && (strncmp(lmb_clip_name(character->clips[clip]), text, length) != 0 ||
                                            lmb_clip_name(character->clips[clip])[length] != '\0')) {
        clip++;
    }
    if (equals == NULL || clip == character->clip_count) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "there is no clip '%.*s'", (int)length, text);
    }
    for (const char *at = equals; *at != '\0'; at++) {
        most += *at == ',';
    }
    char *name = malloc(strlen(text) + 1);
    lmb_clip **parts = realloc(character->parts, (character->part_count + (size_t)most) * sizeof *parts);
    character->parts = parts != NULL ? parts : character->parts;
    const lmb_clip **clips =
        realloc((void *)character->clips, (character->clip_count + (size_t)most) * sizeof *character->clips);
    character->clips = clips != NULL ? clips : character->clips;
    if (name == NULL || parts == NULL || clips == NULL) {
        free(name);
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for parts of a clip");
    }
    const uint32_t first = character->part_count;
    const lmb_result result = cut_parts(character, clips[clip], equals + 1, name, parts, &character->part_count, error);
    free(name);
    const uint32_t count = character->part_count - first;
    if (result == LMB_OK) {
        memmove((void *)(clips + clip + count), clips + clip + 1, (character->clip_count - clip - 1) * sizeof *clips);
        for (uint32_t i = 0; i < count; i++) {
            clips[clip + i] = parts[first + i];
        }
        character->clip_count += count - 1;
    }
    return result;
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
