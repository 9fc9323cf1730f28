// A rig as modelling programs export those that are made for inverse kinematics: the feet are under the root, or
// elsewhere, and not under the shins, whose ends are joints of their own. The root has a scale.
#ifndef LIMBER_TESTS_SUPPORT_IK_RIG_H
#define LIMBER_TESTS_SUPPORT_IK_RIG_H

#include "oracle.h"

enum { IK_ROOT, IK_BODY, IK_SPINE, IK_LEGS, IK_FEET = IK_LEGS + 6, IK_JOINTS = IK_FEET + 4 };
enum { IK_THIGH, IK_SHIN, IK_SHIN_END };

// Where the feet of a rig are.
typedef enum ik_place { IK_UNDER_ROOT, IK_UNDER_BODY, IK_UNDER_SHINS, IK_PLACES } ik_place;

// Returns a joint of a leg, and a foot; the toe is the next joint.
static inline uint32_t ik_leg(uint32_t side, uint32_t part) {
    return IK_LEGS + 3 * side + part;
}

static inline uint32_t ik_foot(uint32_t side) {
    return IK_FEET + 2 * side;
}

uint32_t ik_parent(ik_place place, uint32_t joint);

// In the rest pose a foot is where the end of its shin is, in each of the rigs.
lmb_rig *ik_rig_create(ik_place place);

// Returns the model transforms of a pose, from its local ones. Scales must be uniform.
void ik_models(ik_place place, const oracle_transform *locals, oracle_transform *models);

// Returns the local transform that gives a joint a model transform.
oracle_transform ik_local(const oracle_transform *parent, const oracle_transform *model);

// Returns the local transforms of the rest pose.
void ik_rest(ik_place place, oracle_transform *locals);

#endif
