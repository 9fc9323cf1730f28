// Other libraries that do the work of a bench's workload, behind functions of one form.
#ifndef LIMBER_BENCH_PEERS_PEER_H
#define LIMBER_BENCH_PEERS_PEER_H

#include <limber/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

// Poses of a clip, 30 a second. The last one is at the end.
typedef struct sampled_clip {
    float duration;
    uint32_t key_count;
    lmb_transform *poses; // [key_count][joints]
} sampled_clip;

enum { PEER_KEYS_A_SECOND = 30, PEER_CLIPS = 4 };

static inline float sampled_time(const sampled_clip *clip, uint32_t key) {
    return key + 1 < clip->key_count ? (float)key / PEER_KEYS_A_SECOND : clip->duration;
}

// ---- ozz-animation: the workload "four-clips" for a crowd, from clips to palettes; and "ik-two-bone" and "ik-aim".

typedef struct ozz_crowd ozz_crowd;

// Reduces the clips' keys by ozz's optimiser at its defaults if `optimised`. Every character has a sampling context for
// each clip. `ik` is the node above the clips, or NULL: an #LMB_OP_IK_TWO_BONE, or an #LMB_OP_IK_AIM with one joint.
// Returns NULL if ozz refuses anything.
ozz_crowd *ozz_crowd_create(const lmb_rig *rig, const sampled_clip clips[PEER_CLIPS], uint32_t characters,
                            bool optimised, const lmb_node_def *ik);
void ozz_crowd_destroy(ozz_crowd *crowd);
// Computes the palettes of all characters. `parameters` has for each character PEER_CLIPS clip times in seconds, and
// with a node then the three coordinates of its target. Inverse kinematics works on model matrices, so those of the
// joints from the chain's start on are computed again after it. Returns false if a job fails.
bool ozz_crowd_run(ozz_crowd *crowd, const float *parameters);
// The same, and keeps the matrices that inverse kinematics reads, for ozz_crowd_run_ik().
bool ozz_crowd_keep(ozz_crowd *crowd, const float *parameters);
// Runs nothing but the jobs of inverse kinematics, on the kept matrices. Corrects no joint.
bool ozz_crowd_run_ik(ozz_crowd *crowd, const float *parameters);
// A crowd whose characters play clips of their own. Every character keeps a sampling context for each of its clips. One
// clip of weight 1 is not blended.
enum { PEER_USES = 10 };
typedef enum peer_layer {
    PEER_BODY,    // weights of a character sum to 1
    PEER_UPPER,   // by `mask` over the body; weights sum to 1, if there are any
    PEER_ADDITIVE // added to that
} peer_layer;
typedef struct peer_use {
    peer_layer layer;
    uint32_t clip;
    float time, weight;
} peer_use;
typedef struct peer_uses {
    uint32_t count;
    peer_use each[PEER_USES];
} peer_uses;
typedef struct peer_clips {
    const sampled_clip *each;
    uint32_t count;
    uint32_t additive_count; // the last ones: what they add to the rest pose
} peer_clips;
// With `most_uses` contexts a character. `mask` is [joints], from 0 to 255.
ozz_crowd *ozz_crowd_create_divergent(const lmb_rig *rig, const peer_clips *clips, const uint8_t *mask,
                                      uint32_t characters, uint32_t most_uses, bool optimised);
// `uses` has an element for each character.
bool ozz_crowd_run_uses(ozz_crowd *crowd, const peer_uses *uses);

// Copies a character's palette [joints] in the order of the rig's joints.
void ozz_crowd_palette(const ozz_crowd *crowd, uint32_t character, lmb_affine *palette);
// Returns the bytes of a clip.
size_t ozz_clip_bytes(const ozz_crowd *crowd, uint32_t clip);

// ---- ACL: one compressed clip, decompressed to the local transforms of all joints.

typedef struct acl_clip acl_clip;

// Compresses at the highest level, within `precision` at points `shell` from each joint. Returns NULL if ACL fails.
acl_clip *acl_clip_create(const lmb_rig *rig, const sampled_clip *clip, float precision, float shell);
void acl_clip_destroy(acl_clip *clip);
// Decompresses a pose for each time, in seconds, one after another.
void acl_clip_run(acl_clip *clip, const float *times, uint32_t count);
// Copies the pose [joints] of the time that was decompressed last.
void acl_clip_pose(const acl_clip *clip, lmb_transform *pose);
size_t acl_clip_bytes(const acl_clip *clip);

#ifdef __cplusplus
}
#endif

#endif
