// A character from files of any format, from a pack, or one that is built in.
#ifndef LIMBER_SRC_TOOLS_CHARACTER_FILE_H
#define LIMBER_SRC_TOOLS_CHARACTER_FILE_H

#include "base/host.h"

#include <limber/import.h>
#include <limber/pack.h>

#include <mannequin.h>

// A zeroed one holds nothing.
typedef struct character_file {
    const lmb_rig *rig;
    const lmb_clip **clips;
    uint32_t clip_count;
    lmb_pack_def content; // what was opened, before splits; no list of clips and no meshes of a mannequin
    lmb_import *import;   // one of these three is set
    lmb_pack *pack;
    mannequin *mannequin;
    char *pack_bytes;
    lmb_clip **parts; // of clips, by the splits of the descriptor; NULL where there is none
    uint32_t part_count;
} character_file;

// Opens the files of a descriptor: the first one, to which further ones add their clips. A single one may be a pack, or
// the name of a mannequin, which mannequin_find_creator() knows. Splits apply to all of them. The caller closes the
// character also if this fails.
lmb_result character_file_open(const lmb_import_def *def, character_file *character, lmb_error *error);
// Reads the unit of BVH files, for option_other: `target` is lmb_import_def.bvh_unit.
const char *character_file_read_unit(const char *text, void *target);
#define CHARACTER_FILE_SKELETON_HELP "leave out joints of files that are of no skin: props, cameras"
#define CHARACTER_FILE_SCALES_HELP "keep scales that differ from 1 or from the rest pose by less than 1e-4"
#define CHARACTER_FILE_SPLIT_HELP "replace a clip by parts of it, from and to times in seconds"
#define CHARACTER_FILE_UNIT_HELP "metres of a unit of length in BVH files (0.01)"
// Reads the values of --split, CLIP=NAME:FROM-TO,NAME:FROM-TO... in seconds, as the splits of a descriptor, which are
// in `memory`. The message names what is wrong.
lmb_result character_file_read_splits(const char *const *texts, uint32_t text_count, lmb_arena *memory,
                                      lmb_import_def *def, lmb_error *error);
void character_file_close(character_file *character);

// Describes a pack of the character: rig, clips, meshes and images. The meshes of a mannequin are created for it:
// `skin` and `memory` must outlive the descriptor, and the caller releases both, also if this fails.
lmb_result character_file_pack_def(const character_file *character, lmb_arena *memory, mannequin_skin **skin,
                                   lmb_pack_def *def, lmb_error *error);
// Writes a pack into memory that the caller frees. On failure nothing is left allocated.
lmb_result character_file_write_pack(const lmb_pack_def *def, void **bytes, size_t *size, lmb_error *error);

#endif
