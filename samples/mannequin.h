/// @file mannequin.h
/// The built-in character: a humanoid created in code, so that samples, tests and the bench need no file.
///
/// Units are metres, Y is up, the mannequin faces +Z, and its left hand is at +X. It is 1.78 m tall. In the rest pose
/// it stands on the ground with its arms spread by 45 degrees, and every joint's rest rotation is the identity. It uses
/// only Limber's public headers.
#ifndef LIMBER_SAMPLES_MANNEQUIN_H
#define LIMBER_SAMPLES_MANNEQUIN_H

#include <limber/clip.h>
#include <limber/import.h>

/// The rig and the clips. Immutable after creation, so any number of threads may read it.
typedef struct mannequin mannequin;
/// The skinned meshes at one level of detail. Immutable too, and independent of the mannequin's lifetime.
typedef struct mannequin_skin mannequin_skin;

/// All clips loop, and their last key equals the first, except those marked `once`. They are in place: the root does
/// not move, and the ground moves under the feet with the velocity that mannequin_clip_travel() returns.
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
    MANNEQUIN_WAVE,    ///< the right arm; meant for the upper body, with mannequin_upper_body_mask()
    MANNEQUIN_LEAN,    ///< additive: rest pose, left at 1/4, rest, right at 3/4; relative to the rest pose
    MANNEQUIN_BREATHE, ///< additive: rest pose, chest full at half time; relative to the rest pose
    MANNEQUIN_STAND,   ///< the pose in which a jump begins and ends; the next six are parts of a jump, named like its
                       ///< states
    MANNEQUIN_STAND_TO_CROUCH, ///< once: from standing to the crouch
    MANNEQUIN_CROUCH,          ///< ready to leap
    MANNEQUIN_TAKEOFF,         ///< once: from the crouch to the height of the jump
    MANNEQUIN_HOP,             ///< once: the takeoff from half the depth of the crouch, for a jump without waiting
    MANNEQUIN_FLOAT,           ///< at the height of the jump
    MANNEQUIN_LAND,            ///< once: down to the ground, and up to standing
    MANNEQUIN_TWIST,           ///< additive like the lean: the upper body to the left at 1/4, to the right at 3/4
    MANNEQUIN_AIM_RIGHT_DOWN,  ///< the right arm points to the side by 60 degrees and down by 40; the next eight point
                               ///< in other directions
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

/// The velocity at which a character moves over the ground while a clip plays at rate 1, in its own frame, so that a
/// planted foot stays in place.
typedef struct mannequin_travel {
    float left;    ///< m/s towards +X
    float forward; ///< m/s towards +Z
    float turn;    ///< rad/s about +Y: positive turns left
} mannequin_travel;

/// Fails with #LMB_ERROR_MEMORY.
lmb_result mannequin_create(const lmb_host *host, mannequin **result, lmb_error *error);
/// Creates one with a face: two more joints after all others, "left_eye" and "right_eye", which look along +Z; four
/// float channels, "smile", "open" (the mouth), "blink" and "brows", the weights of morph targets of the skin; and
/// after the other clips four more with these names, each with its channel at 1 and the rest pose. Everything else is
/// the same.
lmb_result mannequin_create_with_face(const lmb_host *host, mannequin **result, lmb_error *error);
#define MANNEQUIN_TAKES 4u
#define MANNEQUIN_TAKE_SECONDS 60.0f
/// Creates one with #MANNEQUIN_TAKES more clips after all others, "take 1" and so on, of #MANNEQUIN_TAKE_SECONDS each:
/// long takes for motion matching (mannequin_takes.h), whose root moves, and with two float channels, "left_planted"
/// and "right_planted", which are 1 in them while that foot stands (lmb_foot_def.planted_channel). Everything else is
/// the same.
lmb_result mannequin_create_with_takes(const lmb_host *host, mannequin **result, lmb_error *error);
/// Creates a child of 1.13 m: the same joints and sockets with other proportions, a large head and short limbs, and no
/// clips, because a retarget plays those of the mannequin on it.
lmb_result mannequin_create_child(const lmb_host *host, mannequin **result, lmb_error *error);
typedef lmb_result mannequin_creator(const lmb_host *host, mannequin **result, lmb_error *error);
/// Returns what creates "mannequin", "mannequin-face", "mannequin-takes" or "mannequin-child", and NULL for any other
/// name.
mannequin_creator *mannequin_find_creator(const char *name);
/// Does nothing if `mannequin` is NULL.
void mannequin_destroy(mannequin *mannequin);

/// The joints' radii contain the skins below. Sockets: "hat", "back", "left_palm", "right_palm".
const lmb_rig *mannequin_rig(const mannequin *mannequin);
/// Whether it has a face, and so needs the skin with a face.
bool mannequin_has_face(const mannequin *mannequin);
bool mannequin_is_child(const mannequin *mannequin);
/// Returns #MANNEQUIN_CLIP_COUNT, 4 more with a face or with takes, or 0 for a child.
uint32_t mannequin_clip_count(const mannequin *mannequin);
/// Returns NULL if `id` is out of range.
const lmb_clip *mannequin_clip(const mannequin *mannequin, mannequin_clip_id id);
/// Returns "idle", "walk", "run", "walk_back" and so on; NULL if `id` is out of range. The text is static.
const char *mannequin_clip_name(mannequin_clip_id id);
mannequin_travel mannequin_clip_travel(mannequin_clip_id id);

/// Returns one byte per joint: 0 for the root, the pelvis and the legs, rising smoothly over the spine, 255 from the
/// chest up.
const uint8_t *mannequin_upper_body_mask(const mannequin *mannequin);

#define MANNEQUIN_VERTICES_HIGH 6000u ///< for close views
#define MANNEQUIN_VERTICES_MEDIUM 2600u
#define MANNEQUIN_VERTICES_LOW 1400u ///< for large crowds

/// Creates a skin with about as many vertices as the nearest of the three numbers above. Together the meshes are one
/// closed surface, split where the colour changes. Fails with #LMB_ERROR_MEMORY.
lmb_result mannequin_skin_create(uint32_t vertex_count, const lmb_host *host, mannequin_skin **result,
                                 lmb_error *error);
/// Creates the skin of a mannequin with a face: four more meshes, "lids", "eyes", "pupils" and "features", and morph
/// targets. Of these meshes only the lids have the colour of the skin.
lmb_result mannequin_skin_create_with_face(uint32_t vertex_count, const lmb_host *host, mannequin_skin **result,
                                           lmb_error *error);
/// Creates the skin of this mannequin. That of a child has each body part scaled as its bones are.
lmb_result mannequin_skin_create_of(const mannequin *mannequin, uint32_t vertex_count, const lmb_host *host,
                                    mannequin_skin **result, lmb_error *error);
/// Does nothing if `skin` is NULL.
void mannequin_skin_destroy(mannequin_skin *skin);

uint32_t mannequin_skin_mesh_count(const mannequin_skin *skin);
/// Returns NULL if `index` is out of range. A vertex has at most 4 influences, the largest first.
const lmb_mesh *mannequin_skin_mesh(const mannequin_skin *skin, uint32_t index);

#endif
