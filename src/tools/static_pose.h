// Static poses as programs are given them: NAME=CLIP@TIME, the pose of a clip at a time.
#ifndef LIMBER_SRC_TOOLS_STATIC_POSE_H
#define LIMBER_SRC_TOOLS_STATIC_POSE_H

#include <limber/graph.h>

typedef struct static_pose_text {
    size_t name_length; // the name is at the beginning of the text
    const char *clip;
    size_t clip_length;
    float time; // seconds
} static_pose_text;

// Splits the text. A name contains no equals sign, a time no @.
lmb_result static_pose_split(const char *text, static_pose_text *parts, lmb_error *error);

// Samples a clip of the rig with the reference. `joints` has room for all joints, `channels` for all float channels.
lmb_result static_pose_sample(const lmb_rig *rig, const lmb_clip *clip, float time, lmb_transform *joints,
                              float *channels, lmb_error *error);

#endif
