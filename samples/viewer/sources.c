#include "sources.h"

#include <stdlib.h>
#include <string.h>

#include "command_line.h"
#include "fail.h"
#include "reader.h"

static lmb_result open_files(source *source, const char *const *files, uint32_t file_count, lmb_graph_character *named,
                             lmb_error *error) {
    mannequin_creator *create = file_count == 1 ? mannequin_find_creator(files[0]) : NULL;
    if (create != NULL) {
        if (create(NULL, &source->mannequin, error)) {
            return error->result;
        }
        named->rig = mannequin_rig(source->mannequin);
        named->clip_count = mannequin_clip_count(source->mannequin);
    } else {
        if (reader_import(files, file_count, &source->import, error)) {
            return error->result;
        }
        named->rig = lmb_import_rig(source->import);
        named->clip_count = lmb_import_clip_count(source->import);
    }
    source->clips = malloc((named->clip_count + (size_t)1) * sizeof(lmb_clip *));
    if (source->clips == NULL) {
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory for %u clips", named->clip_count);
    }
    for (uint32_t i = 0; i < named->clip_count; i++) {
        source->clips[i] = source->import != NULL ? lmb_import_clip(source->import, i)
                                                  : mannequin_clip(source->mannequin, (mannequin_clip_id)i);
    }
    named->clips = source->clips;
    return LMB_OK;
}

static lmb_result open_source(const char *text, source *source, lmb_graph_character *named, lmb_error *error) {
    const size_t size = strlen(text) + 1;
    char **files = malloc(size * sizeof *files);
    source->text = malloc(size);
    if (files == NULL || source->text == NULL) {
        free(files);
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory for a character");
    }
    memcpy(source->text, text, size);
    const uint32_t file_count = option_split_files(source->text, files);
    named->name = source->text;
    const lmb_result result = file_count > 0 ? open_files(source, (const char *const *)files, file_count, named, error)
                                             : viewer_fail(error, LMB_ERROR_ARGUMENT, "not of the form NAME=FILE");
    free(files);
    return result;
}

lmb_result sources_open(const char *const *texts, uint32_t count, sources *sources, lmb_error *error) {
    *sources = (struct sources){0};
    for (uint32_t i = 0; i < count; i++) {
        lmb_error found = {0};
        sources->count++;
        const lmb_result result = open_source(texts[i], &sources->list[i], &sources->named[i], &found);
        if (result != LMB_OK) {
            return viewer_fail(error, result, "--character %.200s: %.280s", texts[i], found.message);
        }
    }
    return LMB_OK;
}

void sources_close(sources *sources) {
    for (uint32_t i = 0; i < sources->count; i++) {
        source *source = &sources->list[i];
        free((void *)source->clips);
        lmb_import_destroy(source->import);
        mannequin_destroy(source->mannequin);
        free(source->text);
    }
    *sources = (struct sources){0};
}
