/// @file twist.h
/// @ingroup graphs
/// Twist: #LMB_OP_TWIST gives helper joints a share of the twist of another joint, as Unity's Twist Correction and the
/// twist joints of Unreal's characters do. A forearm's helper takes half the twist of the hand, so that the skin does
/// not collapse at the wrist; a helper of an upper arm takes back the twist of the arm near the shoulder.
/// lmb_twist_node() makes such a node; the base is its input. Nothing is kept from frame to frame.
///
/// **Formula.** Let r be the rest rotation of the source and q its rotation in the base, both local. The rotation since
/// the rest pose is r* q = swing twist: the twist turns about `axis`, the swing about a line perpendicular to it
/// (swing-twist decomposition; Dobrowolski, "Swing-twist decomposition in Clifford algebra", 2015). With the unit axis
/// n, v the vector part of r* q and w its scalar part,
///
///     twist = (n dot(n, v), w) / |(n dot(n, v), w)|,  the sign chosen so that its scalar part is not negative
///
/// Each helper gets slerp(base, h turn^share, weight), the short way, where h is its own rest rotation. `turn` has the
/// angle of the twist, and the axis in the space of the helper in the rest pose: in that pose both axes are parallel in
/// model space, whatever the joints' own axes. A share below 0 turns back.
///
/// **The source keeps its twist.** It and all other joints are those of the base, to the bit. At weight 1 the rotation
/// of a helper in the base does not matter, so animated helpers are not twisted twice. A helper is usually a sibling
/// (share 0 to 1) or a child (share -1 to 0) of the source. It must be neither the source nor one of its ancestors,
/// which would turn the source with it.
///
/// **Weights.** The weight is clamped to [0, 1]. At weight 0 the result is the base, to the bit. Only local rotations
/// change: translations, scales and float channels are those of the base, and so are root motion and joint weights.
/// Scales are ignored, also those of ancestors in the rest pose.
///
/// **Edges.** A twist has up to half a turn either way. Beyond that it continues from the other side, so a helper of
/// share s jumps by s turns there, as in every method that stores no earlier twist. At exactly half a turn it is
/// positive. If the swing is half a turn within 2e-6 radians, no twist is defined, and it is 0.
///
/// **Error.** Helpers are within 1e-6 of float64, divided by the cosine of half the swing.
///
/// **Cost.** The base is evaluated for all joints first, in an exchange area (lmb_graph_info.exchange_count).
#ifndef LIMBER_TWIST_H
#define LIMBER_TWIST_H

#include <limber/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup graphs
/// @{

#define LMB_MAX_TWIST_JOINTS 8u ///< helpers of a twist

/// A joint and the helpers that share its twist: lmb_node_def.twist of an #LMB_OP_TWIST.
typedef struct lmb_twist_def {
    uint32_t source;                       ///< joint of the rig
    float axis[3];                         ///< in the space of the source; of any length up to 2^40 except 0
    uint32_t joints[LMB_MAX_TWIST_JOINTS]; ///< helpers, all different
    float shares[LMB_MAX_TWIST_JOINTS];    ///< for each of `joints`, from -1 to 1
    uint32_t joint_count;                  ///< 1 to #LMB_MAX_TWIST_JOINTS
} lmb_twist_def;

/// @}

#ifdef __cplusplus
}
#endif

#endif
