// The animated character of the bench: a rig and four clips.
#ifndef LIMBER_BENCH_ACTOR_H
#define LIMBER_BENCH_ACTOR_H

#include <limber/clip.h>

enum { ACTOR_CLIPS = 4 };

typedef enum actor_kind {
    ACTOR_PROCEDURAL, // any number of joints; every joint rotates in every clip
    ACTOR_MANNEQUIN,  // the built-in character's clips at 30 Hz; fingers or other additional joints curl
    ACTOR_PAB,        // a motion-captured character of 67 joints from FBX files, if they are present
    ACTOR_KIND_COUNT
} actor_kind;

typedef struct actor {
    lmb_rig *rig;
    lmb_clip *clips[ACTOR_CLIPS]; // three of locomotion; one used as an additive, relative to the rest pose
    bool compressed;              // whether the clips are
    uint8_t *upper_body;          // mask: one byte for each joint
} actor;

// Returns "procedural", "mannequin" or "pab".
const char *actor_kind_name(actor_kind kind);

// Creates the actor of a kind. Compresses its clips by lmb_clip_compress() with default settings if `compressed` is
// true. Fails with LMB_ERROR_FILE if files are missing, LMB_ERROR_UNSUPPORTED if this build cannot read them,
// LMB_ERROR_LIMIT if the kind has another number of joints. The actor must be destroyed in any case.
lmb_result actor_create(actor_kind kind, uint32_t joints, bool compressed, actor *actor, lmb_error *error);
void actor_destroy(actor *actor);

// The kinds, called by actor_create().
lmb_result actor_create_procedural(uint32_t joints, actor *actor, lmb_error *error);
// Makes a clip of the mannequin's body, whose rig is given, into one of an actor with that body.
lmb_result actor_take_mannequin_clip(const actor *actor, const lmb_rig *body, const lmb_clip *clip, lmb_clip **taken,
                                     lmb_error *error);
lmb_result actor_create_mannequin(uint32_t joints, actor *actor, lmb_error *error);
lmb_result actor_create_pab(actor *actor, lmb_error *error);

enum { ACTOR_KEYS_A_SECOND = 30 };

// Poses at key times, from which the kinds create their clips.
typedef struct keyframes {
    float duration; // seconds; the time of the last key
    uint32_t count;
    uint32_t joints;
    lmb_transform *poses; // [count][joints]
} keyframes;

// Creates keys 30 times a second and at the end, with zeroed poses. Release them with keyframes_destroy().
lmb_result keyframes_create(float duration, uint32_t joints, keyframes *keyframes, lmb_error *error);
void keyframes_destroy(keyframes *keyframes);
float keyframes_time(const keyframes *keyframes, uint32_t key);
lmb_transform *keyframes_pose(keyframes *keyframes, uint32_t key);

// Samples a clip of a rig at the key times and `offset` seconds more; it loops.
lmb_result keyframes_sample(keyframes *keyframes, const lmb_rig *rig, const lmb_clip *clip, float offset,
                            lmb_error *error);
// Creates a clip with linear tracks: rotations of all joints; translations and scales that differ from the rest pose.
lmb_result keyframes_clip(const keyframes *keyframes, const lmb_rig *rig, const char *name, lmb_clip **clip,
                          lmb_error *error);

// Sets and returns LMB_ERROR_MEMORY with a message.
lmb_result actor_no_memory(lmb_error *error);

#endif
