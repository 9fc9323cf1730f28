// Which clips of a file stand for those that a demo's graph names, which are the mannequin's.
#ifndef LIMBER_SAMPLES_VIEWER_DEMO_CLIPS_H
#define LIMBER_SAMPLES_VIEWER_DEMO_CLIPS_H

#include "character.h"

#define DEMO_CLIPS 16u // that may be stated

typedef struct demo_clips_def {
    const char *demo; // opens the messages
    const char *text; // JSON
    size_t size;
    const char *const *stated; // each CLIP=CLIP-OF-THE-FILE
    uint32_t stated_count;
} demo_clips_def;

// The text with each clip's name replaced, to be freed: by the one stated, or else the first clip of the file of that name,
// however it is written, or else the first with it, or with a word that means the same, in its name. Fails where there is
// none, and where one is stated that the text does not name.
lmb_result demo_clips_fit(const demo_clips_def *def, const character *character, char **text, lmb_error *error);

#endif
