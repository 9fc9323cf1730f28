// The mannequin's shape in the rest pose: a distance field, and joint weights and colours of its surface.
#ifndef LIMBER_SAMPLES_MANNEQUIN_SHAPE_H
#define LIMBER_SAMPLES_MANNEQUIN_SHAPE_H

#include "mannequin_joints.h"

// The box that contains the surface.
#define SHAPE_LOWEST ((vec3){-0.72, -0.03, -0.20})
#define SHAPE_HIGHEST ((vec3){0.72, 1.82, 0.26})

// Returns the distance, negative inside. It is accurate enough near the surface to step onto it; farther away it is too
// small rather than too large.
double shape_distance(vec3 point);
// Returns the outward unit normal.
vec3 shape_normal(vec3 point);
// Returns the nearest point of the surface, for points near it.
vec3 shape_project(vec3 point);

// Returns the desired edge length relative to that in plain parts of the body: less where the shape is detailed.
double shape_grain(vec3 point);

// Stores the weights of all joints. They are smooth over the surface and sum to 1.
void shape_weights(vec3 point, double weights[JOINT_COUNT]);

typedef enum shape_tone { TONE_SHELL, TONE_JOINT, TONE_FACE, TONE_COUNT } shape_tone;

// Colours change at borders: two around each dark band at a joint, and one around the face.
enum { BANDS = 8, BORDERS = 2 * BANDS + 1 };

// Returns how far a point is inside a border, roughly in metres; negative outside.
double shape_border_depth(vec3 point, uint32_t border);
// Returns the tone of a point that is inside the borders whose bits are set.
shape_tone shape_tone_inside(uint32_t borders);

#endif
