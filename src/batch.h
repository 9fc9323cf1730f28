// What the rest of the library asks of a batch beyond its public header.
#ifndef LIMBER_SRC_BATCH_H
#define LIMBER_SRC_BATCH_H

#include <limber/batch.h>

// Floats of one row of a stage: of a joint, of a socket, or of the whole character.
uint32_t lmb_stage_components(lmb_stage stage);

#endif
