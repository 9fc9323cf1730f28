/// @file math.h
/// @ingroup basics
/// Transforms, matrices and quaternions, and the arithmetic on them that a host needs besides the batch kernels.
///
/// The functions here are compiled from the same sources as the kernels (`shaders/ops`), so they give the same bits.
/// They change nothing outside their results and may be called from any thread. Call them in the default floating-point
/// environment (round to nearest, no flushing): unlike runs, they do not set it.
#ifndef LIMBER_MATH_H
#define LIMBER_MATH_H

#include <limber/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup basics
/// @{

/// Min magnitude of an output except 0, 2^-40. Every operation, every stage and every function of this header snaps its
/// outputs: a smaller magnitude, and any NaN, becomes +0.
#define LMB_SMALLEST 9.09494702e-13f
/// Max magnitude of an output, 2^40. A larger magnitude, infinity included, becomes this value with its sign. Functions
/// that create objects refuse values that are not finite or are larger. So no result depends on how a device treats
/// subnormals, infinity, NaN or the sign of zero.
#define LMB_LARGEST 1.09951163e+12f

/// A transform: translation in the host's unit of length, rotation as a unit quaternion x, y, z, w, scale per axis. It
/// maps a column vector v to `translation + rotate(rotation, scale * v)`. Ten floats, no padding.
typedef struct lmb_transform {
    float translation[3];
    float rotation[4];
    float scale[3];
} lmb_transform;

/// A matrix: the upper three rows of a 4x4 matrix for column vectors, row-major. `m[row][3]` is the translation. 48
/// bytes.
typedef struct lmb_affine {
    float m[3][4];
} lmb_affine;

typedef enum lmb_axis { LMB_AXIS_X, LMB_AXIS_Y, LMB_AXIS_Z, LMB_AXIS_COUNT } lmb_axis;

LMB_API lmb_transform lmb_transform_identity(void);
LMB_API lmb_affine lmb_affine_identity(void);

/// Returns the composition of two transforms, b first, as translation, rotation and scale. Their rotations must have
/// length 1. With non-uniform scales the exact product can shear. This one drops the shear, as transforms do
/// everywhere; use matrices where it matters.
LMB_API lmb_transform lmb_transform_multiply(lmb_transform a, lmb_transform b);

/// Returns the matrix of a transform: its columns are the rotated axes times the scale. The error of an entry is at
/// most 1e-6 max(1, |entry|).
LMB_API lmb_affine lmb_affine_from_transform(lmb_transform transform);

/// Returns the matrix product `a b`: b is applied first.
LMB_API lmb_affine lmb_affine_multiply(lmb_affine a, lmb_affine b);

/// Computes the inverse in double precision, then snaps it. Returns false, and stores the identity, if the matrix is
/// singular: if its determinant is zero or not finite, or an entry of the inverse is above #LMB_LARGEST.
LMB_API bool lmb_affine_invert(lmb_affine matrix, lmb_affine *inverse);

/// Interpolates spherically from a to b, the short way; t is clamped to [0, 1]. Inputs and result are unit quaternions.
/// Each component is within 1e-6 of the exact value. At |dot| < 1e-6 either direction is allowed. Source: D. Eberly, "A
/// Fast and Accurate Algorithm for Computing SLERP", Journal of Graphics, GPU, and Game Tools 15(3), 2011.
LMB_API void lmb_quaternion_slerp(const float a[4], const float b[4], float t, float result[4]);

/// Returns the sine of an angle in radians, within 1e-6 up to one turn; for longer angles within 2e-7 |radians| more.
/// The functions of a C library differ from each other in their last bits; these three are the same everywhere. An
/// angle is limited to 2^30 turns; NaN counts as 0.
LMB_API float lmb_sine(float radians);
/// Returns the cosine, in the same way.
LMB_API float lmb_cosine(float radians);
/// Returns the angle of (x, y) from the x axis towards the y axis in radians, from -pi to pi, within 1e-6. It is 0 if
/// both are 0. Magnitudes below 2^-40 count as 0.
LMB_API float lmb_arc_tangent(float y, float x);

/// @}

#ifdef __cplusplus
}
#endif

#endif
