// Replaces clips of a list by parts of them.
#ifndef LIMBER_SRC_CLIP_SPLIT_H
#define LIMBER_SRC_CLIP_SPLIT_H

#include <limber/clip.h>

// Replaces each clip that splits name by its parts, in the order of the splits. The list has room for `split_count`
// more clips. `parts` has room for all parts: those that are made are the caller's, also on failure, when the list
// stays as it is; the others are NULL.
LMB_API lmb_result lmb_clips_split(const lmb_rig *rig, const lmb_clip_split *splits, uint32_t split_count,
                                   const lmb_host *host, const lmb_clip **clips, uint32_t *clip_count, lmb_clip **parts,
                                   lmb_error *error);

#endif
