/// @file mannequin.h
/// The built-in character: a humanoid built in code, so that samples, tests and the bench need no file.
///
/// Metres, Y up, facing +Z, its left hand at +X; 1.78 m tall; the rest pose stands on the ground with the arms spread
/// by 45 degrees, and every joint's rest rotation is the identity. Uses nothing but Limber's public headers.
#ifndef LIMBER_SAMPLES_MANNEQUIN_H
#define LIMBER_SAMPLES_MANNEQUIN_H

#include <limber/clip.h>
#include <limber/import.h>

/// The rig and the clips. Immutable once created, so any number of threads may read it.
typedef struct mannequin mannequin;
/// The skinned meshes, at one level of detail. Immutable too, and independent of the mannequin's life.
typedef struct mannequin_skin mannequin_skin;

/// All clips loop, the last key equal to the first, but those marked `once`. They are in place: the root stays where it is, and the ground moves
/// under the feet as mannequin_clip_travel() says.
typedef enum mannequin_clip_id {
    MANNEQUIN_IDLE,
    MANNEQUIN_WALK,
    MANNEQUIN_RUN,
    MANNEQUIN_WALK_BACK,
    MANNEQUIN_STRAFE_LEFT,
    MANNEQUIN_STRAFE_RIGHT,
    MANNEQUIN_TURN_LEFT,
    MANNEQUIN_TURN_RIGHT,
    MANNEQUIN_JUMP,
    MANNEQUIN_WAVE,    ///< the right arm; for the upper body, through mannequin_upper_body_mask()
    MANNEQUIN_LEAN,    ///< made to be added: rest pose, left at 1/4, rest, right at 3/4; difference from the rest pose
    MANNEQUIN_BREATHE, ///< made to be added: rest pose, chest full at half time; difference from the rest pose
    MANNEQUIN_STAND,   ///< what a jump begins with and ends on; the next six are its parts, each named as a state of it
    MANNEQUIN_STAND_TO_CROUCH, ///< once: from standing to the crouch
    MANNEQUIN_CROUCH,          ///< ready to leap
    MANNEQUIN_TAKEOFF,         ///< once: from the crouch to the height of the jump
    MANNEQUIN_HOP,             ///< once: the same from halfway down, for one who does not wait
    MANNEQUIN_FLOAT,           ///< at the height of the jump
    MANNEQUIN_LAND,            ///< once: down to the ground, and up to standing
    MANNEQUIN_TWIST,          ///< made to be added, as the lean: the upper body to the left at 1/4, to the right at 3/4
    MANNEQUIN_AIM_RIGHT_DOWN, ///< the right arm points, to the side by 60 degrees and down by 40; the next eight: others
    MANNEQUIN_AIM_DOWN,
    MANNEQUIN_AIM_LEFT_DOWN,
    MANNEQUIN_AIM_RIGHT,
    MANNEQUIN_AIM,
    MANNEQUIN_AIM_LEFT,
    MANNEQUIN_AIM_RIGHT_UP,
    MANNEQUIN_AIM_UP,
    MANNEQUIN_AIM_LEFT_UP,
    MANNEQUIN_CLIP_COUNT
} mannequin_clip_id;

/// How a character moves over the ground while a clip plays at its own pace, in its own frame, so that a planted foot
/// stays where it is.
typedef struct mannequin_travel {
    float left;    ///< m/s towards +X
    float forward; ///< m/s towards +Z
    float turn;    ///< rad/s about +Y: positive turns left
} mannequin_travel;

/// Fails with #LMB_ERROR_MEMORY.
lmb_result mannequin_create(const lmb_host *host, mannequin **result, lmb_error *error);
/// NULL is fine.
void mannequin_destroy(mannequin *mannequin);

/// Its radii hold the skins below. Sockets: "hat", "back", "left_palm", "right_palm".
const lmb_rig *mannequin_rig(const mannequin *mannequin);
/// NULL where `id` is out of range.
const lmb_clip *mannequin_clip(const mannequin *mannequin, mannequin_clip_id id);
/// "idle", "walk", "run", "walk_back" and so on; NULL where `id` is out of range. Static.
const char *mannequin_clip_name(mannequin_clip_id id);
mannequin_travel mannequin_clip_travel(mannequin_clip_id id);

/// One byte per joint: 0 for the root, the pelvis and the legs, rising softly over the spine, 255 from the chest up.
const uint8_t *mannequin_upper_body_mask(const mannequin *mannequin);

#define MANNEQUIN_VERTICES_HIGH 6000u ///< for a close look
#define MANNEQUIN_VERTICES_LOW 1400u  ///< for large crowds

/// Models the skin with about `vertex_count` vertices (#MANNEQUIN_VERTICES_LOW to 20,000; clamped to that). Together the
/// meshes are one closed surface, cut where the colour changes. Takes some hundred milliseconds. Fails with
/// #LMB_ERROR_MEMORY.
lmb_result mannequin_skin_create(uint32_t vertex_count, const lmb_host *host, mannequin_skin **result,
                                 lmb_error *error);
/// NULL is fine.
void mannequin_skin_destroy(mannequin_skin *skin);

uint32_t mannequin_skin_mesh_count(const mannequin_skin *skin);
/// NULL where `index` is out of range. Influences are at most 4 a vertex, the largest first.
const lmb_mesh *mannequin_skin_mesh(const mannequin_skin *skin, uint32_t index);

#endif
