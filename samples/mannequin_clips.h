// Creates the mannequin's clips from its motions.
#ifndef LIMBER_SAMPLES_MANNEQUIN_CLIPS_H
#define LIMBER_SAMPLES_MANNEQUIN_CLIPS_H

#include "mannequin.h"
#include "mannequin_motion.h"

lmb_result clips_create(mannequin_clip_id id, const lmb_rig *rig, const lmb_host *host, lmb_clip **clip,
                        lmb_error *error);

// A clip of poses, MOTION_RATE of them a second. `places` of the root, x, y, z and yaw of each, may be NULL.
lmb_result clips_create_of_poses(const char *name, const motion_pose *poses, const float *places, uint32_t count,
                                 const lmb_rig *rig, const lmb_host *host, lmb_clip **clip, lmb_error *error);

// The take of a seed, whose root moves. mannequin_takes.c.
lmb_result takes_create_clip(uint32_t seed, const lmb_rig *rig, const lmb_host *host, lmb_clip **clip,
                             lmb_error *error);

// The rest pose with a float channel of a rig with a face at 1.
lmb_result clips_create_of_channel(uint32_t channel, const lmb_rig *rig, const lmb_host *host, lmb_clip **clip,
                                   lmb_error *error);

#endif
