#include "character.h"

#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lmb_result open_mannequin(character *character, lmb_error *error) {
    lmb_result result = mannequin_create(NULL, &character->mannequin, error);
    if (result == LMB_OK) {
        character->rig = mannequin_rig(character->mannequin);
        character->clip_count = MANNEQUIN_CLIP_COUNT;
    }
    return result;
}

static lmb_result open_files(char *const *files, uint32_t count, character *character, lmb_error *error) {
    lmb_result result = reader_import((const char *const *)files, count, &character->import, error);
    if (result == LMB_OK) {
        character->rig = lmb_import_rig(character->import);
        character->clip_count = lmb_import_clip_count(character->import);
    }
    return result;
}

static lmb_result list_clips(character *character, lmb_error *error) {
    character->clips = calloc((size_t)character->clip_count + 1, sizeof(lmb_clip *));
    if (character->clips == NULL) {
        error->result = LMB_ERROR_MEMORY;
        snprintf(error->message, sizeof error->message, "no memory for a list of clips");
        return LMB_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < character->clip_count; i++) {
        character->clips[i] = character->mannequin != NULL ? mannequin_clip(character->mannequin, (mannequin_clip_id)i)
                                                           : lmb_import_clip(character->import, i);
    }
    return LMB_OK;
}

lmb_result character_open(char *const *files, uint32_t count, character *character, lmb_error *error) {
    *character = (struct character){0};
    lmb_result result = count == 1 && strcmp(files[0], "mannequin") == 0 ? open_mannequin(character, error)
                                                                         : open_files(files, count, character, error);
    if (result == LMB_OK) {
        result = list_clips(character, error);
    }
    if (result != LMB_OK) {
        character_close(character);
    }
    return result;
}

void character_close(character *character) {
    free(character->clips);
    lmb_import_destroy(character->import);
    mannequin_destroy(character->mannequin);
    *character = (struct character){0};
}
