// What is around the characters of a graph, written as JSON: where they start, the ground, rails, a camera. It fills in
// what a host would: the points and world transforms that inverse kinematics reads, and parameters that follow from the
// time. `limber play` and the viewer run the same scene:
//
//     {"rows": {"columns": 4, "apart": [1, 1.25], "start": [0, 0], "facing": 0, "phase": "phase", "stride": 1.25},
//      "parameters": {"time": "seconds", "smile": {"keys": [[0, 0], [2, 1], [4, 0]], "shift": 4}},
//      "ground": [{"from": -4, "to": 4, "profile": [[0, 0], [2, 0], [2, 0.15], [4, 0.15], [4, 0]]}],
//      "ride": 1.25,
//      "rails": [[[0, [-1, 1, 0], [1, 1, 0]], [2, [-1, 1.2, 0], [1, 0.8, 0]]]],
//      "camera": {"eye": [[0, 2, 1.6, 4]], "target": [0, 1, 0]},
//      "points": [{"ground": "left_foot"}, {"normal": "left_foot"}, {"camera": true}, {"rail": 0, "at": [0.3, 1,
//      0.2]}]}
//
// Lengths are in metres, times in seconds, angles in degrees; +Y is up. All members are optional.
// - `rows`: character i is in column i % columns of row i / columns; rows are behind each other. `phase` names a
//   parameter that gets a number from 0 to 1, another for each character, which also starts `stride` times that ahead.
// - `parameters`: "seconds" is the time; `keys` are a track of times and values, which repeats. It is linear, or eases
//   in and out at each key with "ease": true. Each character is at a time of its own on it, up to `shift` later.
// - `ground`: strips from one x to another, with a profile of z and y that repeats; two keys at one z are a riser.
//   Elsewhere the ground is at height 0. Characters are at the mean height of the ground over `ride` metres.
// - `rails`: keys of a time and both ends, which repeat, eased.
// - `camera`: keys of a time and the eye's position, which repeat, eased, and what it looks at. It follows the
//   characters. Without a target it is the eye of points alone, and not the camera of the picture.
// - `points`: of each character, in world space. `ground` is a point of the ground under a joint, and `normal` its
//   normal: where the joint was in the frame before, and where it will be soon, so that a foot is lifted before a
//   riser. `place` is a position in world space. `rail` is the point of a rail that is nearest to a position in the
//   character's space, plus an `offset` in world space. Rails are stated before the points.
#ifndef LIMBER_SRC_TOOLS_PLAY_SCENE_H
#define LIMBER_SRC_TOOLS_PLAY_SCENE_H

#include <limber/batch.h>
#include <limber/control.h>
#include <limber/graph_json.h>

#define PLAY_SCENE_RAILS 8u
#define PLAY_SCENE_STRIPS 16u

typedef struct play_scene play_scene;

// A strip of ground.
typedef struct play_scene_strip {
    float from, to;         // x
    const float (*keys)[2]; // z and y; z ascends
    uint32_t key_count;     // at least 2; the last z ends the period, the first begins it
} play_scene_strip;

typedef struct play_scene_def {
    const char *text;
    size_t size;
    const char *name; // for messages
    const lmb_rig *rig;
    const lmb_graph *graph; // all must outlive the scene, except the text
    uint32_t character_count;
    float unit;                    // metres per unit of the characters
    const lmb_graph_source *names; // whose joint_aliases are names of joints in the text; or NULL
} play_scene_def;

// A frame. All but the first are of all characters.
typedef struct play_scene_frame {
    double seconds;         // since the beginning
    double step;            // since the frame before
    const uint32_t *states; // after the control of this frame; may be NULL without a control
    const float *palettes;  // of the frame before; NULL in the first
    const float *eye;       // of the camera; NULL: that of the scene
} play_scene_frame;

// Fails with #LMB_ERROR_FORMAT and a message with name, line and column, and with #LMB_ERROR_MEMORY.
lmb_result play_scene_create(const play_scene_def *def, play_scene **result, lmb_error *error);
// NULL is allowed.
void play_scene_destroy(play_scene *scene);

// Sets the parameters that the scene gives, of all characters, before the control of a frame.
void play_scene_set_parameters(const play_scene *scene, double seconds, float *parameters);
// Moves the characters to where their character motion has brought them, and fills in points and transforms.
void play_scene_advance(play_scene *scene, const play_scene_frame *frame);
// float [character][lmb_graph_info.point_count][4] and [character][3][4] of the frame, as in batch.h.
const float *play_scene_points(const play_scene *scene);
const float *play_scene_transforms(const play_scene *scene);
// Whether the palettes of the frame before are needed.
bool play_scene_needs_palettes(const play_scene *scene);

// What a frame leaves for the next one: the size in bytes, and copies of it, for a host that goes back to a frame.
size_t play_scene_state_size(const play_scene *scene);
void play_scene_save(const play_scene *scene, void *state);
void play_scene_restore(play_scene *scene, const void *state);

// Returns the height of the ground, and stores its unit normal unless that is NULL.
float play_scene_ground(const play_scene *scene, float x, float z, float normal[3]);
uint32_t play_scene_strip_count(const play_scene *scene);
play_scene_strip play_scene_strip_at(const play_scene *scene, uint32_t index);
uint32_t play_scene_rail_count(const play_scene *scene);
// Stores both ends of a rail.
void play_scene_rail(const play_scene *scene, uint32_t index, double seconds, float ends[2][3]);
// Stores the eye and the target of the camera. Returns false if the scene has none, or no target.
bool play_scene_camera(const play_scene *scene, double seconds, float eye[3], float target[3]);
// Stores how far the characters have moved on average.
void play_scene_displacement(const play_scene *scene, float displacement[3]);

#endif
