// One import while it runs: where it takes memory, how it fails, what it notes, and the result that it fills.
#ifndef LIMBER_SRC_IMPORT_IMPORTER_H
#define LIMBER_SRC_IMPORT_IMPORTER_H

#include "pool.h"

#include <limber/import.h>

struct lmb_import {
    lmb_budget budget;
    lmb_pool pool; // of everything below
    lmb_rig *rig;
    lmb_clip **clips;
    size_t clip_count;
    size_t clip_capacity;
    lmb_mesh *meshes;
    size_t mesh_count;
    size_t mesh_capacity;
    lmb_image *images;
    size_t image_count;
    size_t image_capacity;
    char **notes;
    size_t note_count;
    size_t note_capacity;
};

typedef struct lmb_importer {
    lmb_import *import;
    lmb_pool scratch;      // released when the import ends
    const char *name;      // of the file, for messages
    const char *directory; // where other files are looked for, or NULL
    bool adds_clips;       // to the rig of a file before this one
    bool trusts;           // what Assimp reads
    lmb_error *error;
    lmb_result result;
} lmb_importer;

// Each returns false, or NULL, after it wrote the message, which the file's name opens.
bool lmb_importer_fail(lmb_importer *importer, lmb_result result, const char *format, ...) LMB_PRINTF(3, 4);
bool lmb_importer_fail_memory(lmb_importer *importer);
void *lmb_importer_allocate(lmb_importer *importer, lmb_pool *pool, size_t count, size_t size);
void *lmb_importer_grow(lmb_importer *importer, lmb_pool *pool, void *array, size_t count, size_t *capacity,
                        size_t size);
char *lmb_importer_copy_text(lmb_importer *importer, lmb_pool *pool, const char *text);

// Passes on the failure of a rig or clip, whose message knows no file.
bool lmb_importer_fail_inner(lmb_importer *importer, const char *place, const lmb_error *error);

// Notes what is left out, and logs it. The notes of a file that adds clips begin with its name.
bool lmb_importer_note(lmb_importer *importer, const char *format, ...) LMB_PRINTF(2, 3);

// Builds a clip and adds it to the import; `place` opens the message where that fails.
bool lmb_importer_add_clip(lmb_importer *importer, const char *place, const lmb_clip_def *def);

// Counts bytes that are decoded, whether they are kept or not: what many parts of a file share is decoded for each of
// them. Fails with #LMB_ERROR_LIMIT where they come to more than the memory that the file may take.
bool lmb_importer_decode(lmb_importer *importer, size_t bytes);

// Tells the budget that this many bytes came from the caller or a file, so that larger files may take more.
void lmb_importer_add_source(lmb_importer *importer, size_t bytes);

#endif
