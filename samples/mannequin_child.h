// The proportions of the child: each joint's body part is the mannequin's, scaled about the joint.
#ifndef LIMBER_SAMPLES_MANNEQUIN_CHILD_H
#define LIMBER_SAMPLES_MANNEQUIN_CHILD_H

#include "mannequin_joints.h"

double child_scale(uint32_t joint);
// The position of a joint in the rest pose, in model space. The feet stand on the ground.
vec3 child_rest(uint32_t joint);
// Moves a point of the mannequin's surface to the child's.
vec3 child_point(vec3 point);

#endif
