// Creates the mannequin's clips from its motions.
#ifndef LIMBER_SAMPLES_MANNEQUIN_CLIPS_H
#define LIMBER_SAMPLES_MANNEQUIN_CLIPS_H

#include "mannequin.h"
#include "mannequin_motion.h"

lmb_result clips_create(mannequin_clip_id id, const lmb_rig *rig, const lmb_host *host, lmb_clip **clip,
                        lmb_error *error);

// Poses of a clip, MOTION_RATE of them a second.
typedef struct clip_poses {
    uint32_t count;
    const motion_pose *poses;
    const float (*places)[4];  // of the root, x, y, z and yaw; may be NULL
    const bool (*standing)[2]; // which feet stand, for the channels of JOINTS_WITH_STEPS; may be NULL
} clip_poses;

lmb_result clips_create_of_poses(const char *name, const clip_poses *poses, const lmb_rig *rig, const lmb_host *host,
                                 lmb_clip **clip, lmb_error *error);

// The take of a seed, whose root moves. mannequin_takes.c.
lmb_result takes_create_clip(uint32_t seed, const lmb_rig *rig, const lmb_host *host, lmb_clip **clip,
                             lmb_error *error);

// The rest pose with a float channel of a rig with a face at 1.
lmb_result clips_create_of_channel(uint32_t channel, const lmb_rig *rig, const lmb_host *host, lmb_clip **clip,
                                   lmb_error *error);

#endif
