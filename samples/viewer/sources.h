// Other characters, whose clips the retargets of a graph play on the character that is shown.
#ifndef LIMBER_SAMPLES_VIEWER_SOURCES_H
#define LIMBER_SAMPLES_VIEWER_SOURCES_H

#include <limber/graph_json.h>

#include "character_file.h"

#define SOURCES 8u // at most

typedef struct source {
    char *text; // NAME=FILE, cut into its parts
    character_file character;
} source;

// A zeroed one holds none.
typedef struct sources {
    lmb_graph_character named[SOURCES]; // for lmb_graph_source
    source list[SOURCES];
    uint32_t count;
} sources;

// Opens characters, each given as NAME=FILE,FILE... where the files replace those of the descriptor. If this fails, the
// caller closes what was opened.
lmb_result sources_open(const lmb_import_def *def, const char *const *texts, uint32_t count, sources *sources,
                        lmb_error *error);
void sources_close(sources *sources);

#endif
