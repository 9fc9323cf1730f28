/// @file ragdoll.h
/// Ragdolls: local transforms of joints whose model matrices a physics engine gives. The result is a pose buffer for
/// #LMB_OP_OVERRIDE, which fades between the animation and the ragdoll, or for #LMB_OP_POSE.
///
/// A **body** is a joint whose model matrix is given: all joints, or those of a mask of the graph, which may be the mask
/// of the override. The others follow their parents with their animated local transforms, so that fingers stay on a hand
/// and a joint between two bodies connects them.
///
/// **Formula.** Joints are processed parents first. L and M are a joint's local transform and model matrix, P is the
/// model matrix of its parent:
///
///     without a body:  L is the animated transform, M = P L
///     with a body:     M is given, A = P^-1 M, L = (t, q, s): t is the translation of A, q = R(A) as for dual
///                      quaternions (batch.h), and s_i the dot product of column i of A and axis i of q
///
/// So the x axis of A keeps its direction, a mirroring makes s_z negative, and shear is dropped. A root has A = M.
///
/// **Edges.** A body counts as none, and as a refused pose (#LMB_REFUSED_POSE), if its matrix is not finite, if R(A) has
/// no two directions left, or if the axes of P, scaled to length 1, span a volume of at most 2^-20. An animated
/// transform that is not finite, or whose rotation is zero, counts so too, and is the rest pose.
///
/// **Error.** For parents without shear whose scale is uniform, rotations are within 1e-6 in each component, the rest
/// within 1e-6 of the matrices' largest elements divided by the scale of P.
#ifndef LIMBER_RAGDOLL_H
#define LIMBER_RAGDOLL_H

#include <limber/batch.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Characters whose bodies are placed. Start from lmb_default_ragdoll_info(). Arrays must not overlap.
typedef struct lmb_ragdoll_info {
    const lmb_graph *graph;   ///< gives the rig and the masks
    uint32_t character_count; ///< may be 0
    uint32_t mask;            ///< of the graph: joints with a value above 0 have a body; #LMB_NONE: all
    /// float [character][10 J + channels], laid out as #LMB_OUTPUT_LOCAL (batch.h): animated poses; NULL: the rest pose
    const float *animated;
    float *models;     ///< float [character][joint][3][4]: bodies are read, the other joints are written
    float *poses;      ///< the same for the result, with the channels of `animated`
    uint32_t *refused; ///< #LMB_REFUSAL_COUNT counters, which are added to; may be NULL
} lmb_ragdoll_info;

/// All joints have a body; nothing is animated. A graph, models and poses are needed.
LMB_API lmb_ragdoll_info lmb_default_ragdoll_info(void);

/// Places bodies on the CPU, with the bits of lmb_gpu_ragdoll_record().
///
/// Allocates nothing. Threads may share the characters. The caller's floating-point environment does not affect the
/// result and is restored. Fails with #LMB_ERROR_ARGUMENT if a needed pointer is NULL or the graph has no such mask.
LMB_API lmb_result lmb_ragdoll_run(const lmb_ragdoll_info *info, lmb_error *error);

#ifdef __cplusplus
}
#endif

#endif
