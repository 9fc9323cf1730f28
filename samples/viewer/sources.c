#include "sources.h"

#include <stdlib.h>
#include <string.h>

#include "command_line.h"
#include "fail.h"

static lmb_result open_source(lmb_import_def def, const char *text, source *source, lmb_graph_character *named,
                              lmb_error *error) {
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
    def.paths = (const char *const *)files;
    def.path_count = file_count;
    const lmb_result result = file_count > 0 ? character_file_open(&def, &source->character, error)
                                             : viewer_fail(error, LMB_ERROR_ARGUMENT, "not of the form NAME=FILE");
    named->rig = source->character.rig;
    named->clips = source->character.clips;
    named->clip_count = source->character.clip_count;
    free(files);
    return result;
}

lmb_result sources_open(const lmb_import_def *def, const char *const *texts, uint32_t count, sources *sources,
                        lmb_error *error) {
    *sources = (struct sources){0};
    for (uint32_t i = 0; i < count; i++) {
        lmb_error found = {0};
        sources->count++;
        const lmb_result result = open_source(*def, texts[i], &sources->list[i], &sources->named[i], &found);
        if (result != LMB_OK) {
            return viewer_fail(error, result, "--character %.200s: %.280s", texts[i], found.message);
        }
    }
    return LMB_OK;
}

void sources_close(sources *sources) {
    for (uint32_t i = 0; i < sources->count; i++) {
        source *source = &sources->list[i];
        character_file_close(&source->character);
        free(source->text);
    }
    *sources = (struct sources){0};
}
