// Replaces the mannequin's clips, which a demo's graph names, by clips of a file.
#ifndef LIMBER_SAMPLES_VIEWER_DEMO_CLIPS_H
#define LIMBER_SAMPLES_VIEWER_DEMO_CLIPS_H

#include "character.h"

#define DEMO_CLIPS 16u // max number of stated clips

typedef struct demo_clips_def {
    const char *demo; // begins error messages
    const char *text; // JSON
    size_t size;
    const char *const *stated; // each CLIP=CLIP-OF-THE-FILE
    uint32_t stated_count;
} demo_clips_def;

// Returns a copy of the text with each clip's name replaced; the caller frees it. The replacement is the stated clip;
// else the one that character_find_clip() returns. Fails if there is none, or if a stated clip is not in the text.
lmb_result demo_clips_fit(const demo_clips_def *def, const character *character, char **text, lmb_error *error);

#endif
