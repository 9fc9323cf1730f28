// Creates the mannequin's clips from its motions.
#ifndef LIMBER_SAMPLES_MANNEQUIN_CLIPS_H
#define LIMBER_SAMPLES_MANNEQUIN_CLIPS_H

#include "mannequin.h"

lmb_result clips_create(mannequin_clip_id id, const lmb_rig *rig, const lmb_host *host, lmb_clip **clip,
                        lmb_error *error);

// The rest pose with a float channel of a rig with a face at 1.
lmb_result clips_create_of_channel(uint32_t channel, const lmb_rig *rig, const lmb_host *host, lmb_clip **clip,
                                   lmb_error *error);

#endif
