// Tries what a name may be in this order: a built-in mannequin, a pack (found by its first bytes), and files to import.
// The members of a character_file then point into the one that was opened.
#include "character_file.h"

#include "command_line.h"
#include "file.h"
#include "reader.h"

#include "base/host.h"

#include <stdlib.h>

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

void character_file_close(character_file *character) {
    free((void *)character->clips);
    lmb_import_destroy(character->import);
    lmb_pack_close(character->pack);
    mannequin_destroy(character->mannequin);
    free(character->pack_bytes);
    *character = (character_file){0};
}
