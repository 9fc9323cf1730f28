// State of an import while it runs: memory, errors, notes, and the result.
#ifndef LIMBER_SRC_IMPORT_IMPORTER_H
#define LIMBER_SRC_IMPORT_IMPORTER_H

#include "json/pool.h"
#include "json/text.h"

#include <limber/import.h>
#include <limber/pack.h>

struct lmb_import {
    lmb_budget budget;
    lmb_pool pool;  // for everything below
    lmb_pack *pack; // of an import block; it has the rig, the first clips, the meshes and the images. Or NULL
    lmb_rig *rig;
    const lmb_clip **clips;
    uint32_t clip_count;
    lmb_mesh *meshes;
    uint32_t mesh_count;
    lmb_image *images;
    uint32_t image_count;
    char **notes;
    uint32_t note_count;
    uint32_t *joint_of_node; // of a glTF file
    uint32_t node_count;
    lmb_import_content content; // all of these, once everything is read
};

typedef enum lmb_format {
    LMB_FORMAT_GLTF,
    LMB_FORMAT_BLOCK,
    LMB_FORMAT_FBX,
    LMB_FORMAT_COLLADA,
    LMB_FORMAT_BVH,
    LMB_FORMAT_COUNT
} lmb_format;

// What is rounded in a file.
typedef struct scale_noise {
    uint32_t rests, tracks;
    double largest; // part of a scale
} scale_noise;

typedef struct lmb_importer {
    lmb_import *import;
    lmb_pool scratch;       // released when the import ends
    const char *name;       // of the file, for messages
    const char *directory;  // folder of other files, or NULL
    bool adds_clips;        // to the rig of the first file
    uint32_t earlier_clips; // those of earlier files
    bool trusts;            // may read files with Assimp
    bool skeleton_only;     // no extra joints
    bool exact_scales;      // keeps scale noise
    double scale_error;     // units of the rig; 0: the default
    scale_noise noise;
    double bvh_unit;        // metres
    uint32_t first_binding; // joints of the rig that are further ones of nodes of the first file
    uint32_t binding_count;
    lmb_error *error;
    lmb_result result;
} lmb_importer;

// Each returns false or NULL after it has written the error message, which begins with the file's name.
bool lmb_importer_fail(lmb_importer *importer, lmb_result result, const char *format, ...) LMB_PRINTF(3, 4);
bool lmb_importer_fail_memory(lmb_importer *importer);
void *lmb_importer_allocate(lmb_importer *importer, lmb_pool *pool, size_t count, size_t size);
void *lmb_importer_scratch(lmb_importer *importer, size_t count, size_t size); // until the import ends
void *lmb_importer_keep(lmb_importer *importer, size_t count, size_t size);    // as long as its result
// Appends as lmb_pool_append() does.
bool lmb_importer_append(lmb_importer *importer, lmb_pool *pool, void *array, uint32_t *count, const void *element,
                         size_t size);
char *lmb_importer_copy_text(lmb_importer *importer, lmb_pool *pool, const char *text);

// Reports the failure of creating a rig or clip. Its message does not name the file.
bool lmb_importer_fail_inner(lmb_importer *importer, const char *place, const lmb_error *error);

// Notes and logs what is left out. Notes of a file that adds clips begin with its name.
bool lmb_importer_note(lmb_importer *importer, const char *format, ...) LMB_PRINTF(2, 3);

// Notes names after a text and a colon, unless there are none.
bool lmb_importer_note_names(lmb_importer *importer, const char *what, lmb_name_list *names);

// Creates the rig of the import. May round the scales of `joints`.
bool lmb_importer_create_rig(lmb_importer *importer, lmb_joint_def *joints, uint32_t joint_count,
                             const lmb_channel_def *channels, uint32_t channel_count);
// Adds a clip to the import, or destroys it.
bool lmb_importer_keep_clip(lmb_importer *importer, lmb_clip *clip);
// Creates a clip and adds it to the import; `place` begins the error message.
bool lmb_importer_add_clip(lmb_importer *importer, const char *place, const lmb_clip_def *def);

// Counts decoded bytes, whether they are kept or not: data that many parts of a file share is decoded for each of them.
// Fails with #LMB_ERROR_LIMIT if their sum exceeds the memory that the file may use.
bool lmb_importer_decode(lmb_importer *importer, size_t bytes);

// Raises the budget for bytes from the caller or a file, so that larger files may use more memory.
void lmb_importer_add_source(lmb_importer *importer, size_t bytes);

// scale_noise.c. They count in importer->noise.
// Rounds scales of joints from which importer->import->rig was made.
bool lmb_scale_noise_round_rest(lmb_importer *importer, lmb_joint_def *joints, uint32_t joint_count);
// Removes tracks of scales that keep the rest pose. Then `kept` has the others in scratch memory, otherwise it is NULL.
bool lmb_scale_noise_round_clip(lmb_importer *importer, lmb_clip_def *clip, lmb_track_def **kept);
// Notes what is rounded in a file.
bool lmb_scale_noise_note(lmb_importer *importer);

// block.c: reads what lmb_import_write() has written. Checks all content; the bytes need not be trusted.
#define LMB_IMPORT_BLOCK_MAGIC "LIMBER\x04\n" // includes the version of the format
bool lmb_import_read_block(lmb_importer *importer, const uint8_t *bytes, size_t size);
// bvh.c
bool lmb_bvh_read(lmb_importer *importer, const uint8_t *bytes, size_t size);
// fbx.c, in a build with ufbx.
bool lmb_fbx_read(lmb_importer *importer, const uint8_t *bytes, size_t size);
// assimp.c, in a build with Assimp: reads FBX and Collada files.
bool lmb_assimp_read(lmb_importer *importer, lmb_format format, const uint8_t *bytes, size_t size);

#endif
