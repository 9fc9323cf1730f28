// The mannequin's form in the rest pose: a distance field, and what every point of its surface hangs on and looks like.
#ifndef LIMBER_SAMPLES_MANNEQUIN_SHAPE_H
#define LIMBER_SAMPLES_MANNEQUIN_SHAPE_H

#include "mannequin_joints.h"

// The box that holds the surface.
#define SHAPE_LOWEST ((vec3){-0.72, -0.03, -0.20})
#define SHAPE_HIGHEST ((vec3){0.72, 1.82, 0.26})

// Negative inside. Exact enough near the surface to step onto it; far away it errs on the small side.
double shape_distance(vec3 point);
// Outward, of length 1.
vec3 shape_normal(vec3 point);
// The nearest point of the surface, for points near it.
vec3 shape_project(vec3 point);

// How long edges should be here, relative to the plain parts of the body: less where the form is fine.
double shape_grain(vec3 point);

// Weights of all joints, smooth over the surface; they sum to 1.
void shape_weights(vec3 point, double weights[JOINT_COUNT]);

typedef enum shape_tone { TONE_SHELL, TONE_JOINT, TONE_FACE, TONE_COUNT } shape_tone;

// Colours change at borders: two around each dark band over a joint, and one around the face.
enum { BANDS = 8, BORDERS = 2 * BANDS + 1 };

// How far (in metres, roughly) a point is inside a border; negative outside.
double shape_border_depth(vec3 point, uint32_t border);
// The tone of what is inside the borders whose bits are set.
shape_tone shape_tone_inside(uint32_t borders);

#endif
