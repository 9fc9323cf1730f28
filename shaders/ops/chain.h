// From a joint towards the root: what is made of a pose at a joint and of the same pose at the joints above it. Included by
// operations.h.
#ifndef LMB_OPS_CHAIN_H
#define LMB_OPS_CHAIN_H

// The rotation in model space: each joint's stands on the left of those below it. Translation and scale stay local.
#define CHAIN_TURNS 0xffffffffu
OP transform chain_operation(transform so_far, transform above) {
    quaternion q = quaternion_multiply(above.q, so_far.q);
    so_far.q = quaternion_polish(q);
    return so_far;
}

// And back: the rotation in model space, and that of the parent.
#define UNCHAIN_TURNS 2u
OP transform unchain_operation(transform so_far, transform above) {
    quaternion q = quaternion_multiply(quaternion_conjugate(above.q), so_far.q);
    so_far.q = quaternion_polish(q);
    return so_far;
}

#endif
