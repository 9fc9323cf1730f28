// Internal view of a rig.
#ifndef LIMBER_SRC_RIG_RIG_H
#define LIMBER_SRC_RIG_RIG_H

#include "base/host.h"

#include <limber/rig.h>

// Data of a joint's bind pose that dual quaternions and bounding boxes need. The layout is that of the graph's block.
typedef struct lmb_bind {
    float inverse_rotation[4]; // of the bind pose's model matrix
    float position[3];         // of that matrix
    float radius;              // OUTSIDE_BOUNDS for an extra joint without vertices
} lmb_bind;

struct lmb_rig {
    lmb_host host;
    lmb_arena memory; // of all arrays
    lmb_rig_def def;  // what lmb_rig_get_def() returns
    uint32_t depth;
    lmb_joint_def *joints; // those of `def`, to be written
    uint32_t *parents;     // of the joints, as is `rest`: lmb_retarget_def points at both
    lmb_transform *rest;
    lmb_bind *binds;
    uint32_t *of_def; // [index in the descriptor]
};

// Grows a joint's radius to at least `radius`, snapped. For code that builds a rig and reads its vertices only
// afterwards: call it before anything else uses the rig. No public header declares it. It is exported because
// limber::import, a separate library, uses it.
LMB_API void lmb_rig_grow_radius(lmb_rig *rig, uint32_t joint, float radius);

#endif
