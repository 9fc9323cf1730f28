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

typedef struct lmb_socket {
    const char *name; // into the rig's text
    uint32_t joint;
    lmb_transform local;
    lmb_affine matrix; // of `local`
} lmb_socket;

typedef struct lmb_float_channel {
    const char *name; // into the rig's text
    float rest;
    bool angle;
} lmb_float_channel;

struct lmb_rig {
    lmb_host host;
    lmb_arena memory; // of all arrays
    uint32_t joint_count;
    uint32_t depth;
    uint32_t *parents;
    lmb_transform *rest;
    lmb_affine *inverse_bind;
    lmb_bind *binds;
    uint32_t *of_def; // [index in the descriptor]
    bool *is_extra;
    char **names; // into `text`
    char *text;
    uint32_t socket_count;
    lmb_socket *sockets;
    uint32_t channel_count;
    lmb_float_channel *channels;
};

// Grows a joint's radius to at least `radius`, snapped. For code that builds a rig and reads its vertices only
// afterwards: call it before anything else uses the rig. No public header declares it. It is exported because
// limber::import, a separate library, uses it.
LMB_API void lmb_rig_grow_radius(lmb_rig *rig, uint32_t joint, float radius);

#endif
