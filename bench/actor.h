// What the bench moves: a rig, and four clips over it.
#ifndef LIMBER_BENCH_ACTOR_H
#define LIMBER_BENCH_ACTOR_H

#include <limber/clip.h>

enum { ACTOR_CLIPS = 4 };

typedef enum actor_kind {
    ACTOR_PROCEDURAL, // of any number of joints, every joint turning in every clip
    ACTOR_MANNEQUIN, // the built-in character's clips at 30 Hz, with fingers, or what further joints there are, curling
    ACTOR_PAB,       // a motion-captured character of 67 joints from FBX files, where they are present
    ACTOR_KIND_COUNT
} actor_kind;

typedef struct actor {
    lmb_rig *rig;
    lmb_clip *clips[ACTOR_CLIPS]; // three of locomotion; one to be added, as its difference from the rest pose
    uint8_t *upper_body;          // a mask: one byte for each joint
} actor;

// "procedural", "mannequin", "pab".
const char *actor_kind_name(actor_kind kind);

// Clips go through lmb_clip_compress() with its defaults where `compressed` is set. LMB_ERROR_FILE where files are
// missing, LMB_ERROR_UNSUPPORTED where this build can't read them, LMB_ERROR_LIMIT where the kind has no such number of
// joints. Whatever it returns, destroy it.
lmb_result actor_create(actor_kind kind, uint32_t joints, bool compressed, actor *actor, lmb_error *error);
void actor_destroy(actor *actor);

// The kinds, for actor_create().
lmb_result actor_create_procedural(uint32_t joints, actor *actor, lmb_error *error);
lmb_result actor_create_mannequin(uint32_t joints, actor *actor, lmb_error *error);
lmb_result actor_create_pab(actor *actor, lmb_error *error);

enum { ACTOR_KEYS_A_SECOND = 30 };

// Poses at key times, as kinds make their clips.
typedef struct keyframes {
    float duration; // seconds; the time of the last key
    uint32_t count;
    uint32_t joints;
    lmb_transform *poses; // [count][joints]
} keyframes;

// Keys 30 times a second and at the end, poses of zeros. Release it with keyframes_destroy().
lmb_result keyframes_create(float duration, uint32_t joints, keyframes *keyframes, lmb_error *error);
void keyframes_destroy(keyframes *keyframes);
float keyframes_time(const keyframes *keyframes, uint32_t key);
lmb_transform *keyframes_pose(keyframes *keyframes, uint32_t key);

// A clip with linear tracks: rotations of all joints, translations and scales where they leave the rest pose.
lmb_result keyframes_clip(const keyframes *keyframes, const lmb_rig *rig, const char *name, lmb_clip **clip,
                          lmb_error *error);

// LMB_ERROR_MEMORY, with its message.
lmb_result actor_no_memory(lmb_error *error);

#endif
