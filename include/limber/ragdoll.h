/// @file ragdoll.h
/// @ingroup cpu
/// Ragdolls: converts the model matrices of joints that a physics engine moves into local transforms: the way from
/// physics to animation. The result is a pose buffer for #LMB_OP_OVERRIDE, which fades between the animation and the
/// ragdoll, or for #LMB_OP_POSE. For the other way, to start bodies where the animation is, read #LMB_OUTPUT_MODEL.
///
/// A **body** is a joint whose model matrix is given: all joints, or those of a mask of the graph, which may be the
/// mask of the override. The others follow their parents with their animated local transforms, so that fingers stay on
/// a hand and a joint between two bodies connects them.
///
/// Matrices are those of joints, in model space. If the engine gives bodies in world space, multiply them by the
/// inverse of the character's world transform first; if a body's frame is not that of its joint, remove the difference
/// first.
///
/// **In a frame:** the physics engine writes `models`; this writes `poses`; then the batch whose graph overrides runs.
/// `animated` is normally the local output (#LMB_OUTPUT_LOCAL) of another batch, which runs the animation without the
/// override. If the override leaves all joints without a body as they are, it can also be the local output that the
/// overriding batch itself gave in the frame before.
///
/// **Formula.** Joints are processed parents first. L and M are a joint's local transform and model matrix, P is the
/// model matrix of its parent:
///
///     without a body:  L is the animated transform, M = P L
///     with a body:     M is given, A = P^-1 M, L = (t, q, s): t is the translation of A, q the rotation R(A), and s_i
///                      the dot product of column i of A and axis i of q
///
/// R(A) keeps the direction of the x axis of A and the y axis's half of the plane of x and y, and z = x cross y. So a
/// mirroring makes s_z negative, and shear is dropped. A zero axis is replaced as for dual quaternions (batch.h). The
/// sign of q is that for which its largest component is positive. A root has A = M.
///
/// **Edges.** A body is treated as a joint without one, so its matrix is overwritten, if the matrix is not finite, if
/// fewer than two directions of A are left, or if the axes of P, scaled to length 1, span a volume of at most 2^-20. An
/// animated transform that is not finite, or whose rotation is zero, is replaced by the rest pose. Each such joint
/// counts as a refused pose (#LMB_REFUSED_POSE).
///
/// **Error.** For parents without shear whose scale is uniform, rotations are within 1e-6 in each component, the rest
/// within 1e-6 of the matrices' largest elements divided by the scale of P.
#ifndef LIMBER_RAGDOLL_H
#define LIMBER_RAGDOLL_H

#include <limber/batch.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup cpu
/// @{

/// Characters whose matrices are converted; all of their bodies are read. To convert only some, call once for each run
/// of neighbours, with pointers to its first character. Start from lmb_default_ragdoll_info(). Arrays must not overlap.
typedef struct lmb_ragdoll_info {
    const lmb_graph *graph;   ///< gives the rig and the masks
    uint32_t character_count; ///< may be 0
    uint32_t mask;            ///< of the graph: joints with a value above 0 have a body; #LMB_NONE: all
    /// float [character][10 J + M], laid out as #LMB_OUTPUT_LOCAL (batch.h), component after component: animated poses.
    /// NULL: the rest pose
    const float *animated;
    float *models;          ///< float [character][joint][3][4]: bodies are read; all joints are written
    float *poses;           ///< the result, laid out as `animated`; channels are copied from there, or at rest
    uint32_t *refused_sums; ///< #LMB_REFUSAL_COUNT counters, which are added to: zero them before; may be NULL
} lmb_ragdoll_info;

/// All joints have a body; nothing is animated. A graph, models and poses are needed.
LMB_API lmb_ragdoll_info lmb_default_ragdoll_info(void);

/// Converts on the CPU, with the bits of lmb_gpu_ragdoll_record().
///
/// Allocates nothing. Several threads may each convert a range of characters, with counters of its own. The caller's
/// floating-point environment does not affect the result and is restored. Fails with #LMB_ERROR_ARGUMENT if a needed
/// pointer is NULL or the graph has no such mask.
LMB_API lmb_result lmb_ragdoll_run(const lmb_ragdoll_info *info, lmb_error *error);

/// @}

#ifdef __cplusplus
}
#endif

#endif
