/// @file math.h
/// The value types of poses, and the arithmetic on them that a host needs beside the batch kernels.
///
/// The functions here are compiled from the same sources as the kernels (`shaders/ops`), so they give the same bits.
/// They change nothing outside their results and may be called from any thread, in the default floating-point
/// environment (round to nearest, no flushing).
#ifndef LIMBER_MATH_H
#define LIMBER_MATH_H

#include <limber/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Every operation and every stage snaps its outputs: a magnitude below this (2^-40), and any NaN, becomes +0 ...
#define LMB_SMALLEST 9.09494702e-13f
/// ... and a magnitude above this (2^40), infinity included, becomes this with its sign. Builders refuse input that is
/// not finite or is larger. So no result depends on how a device treats subnormals, infinity, NaN or the sign of zero.
#define LMB_LARGEST 1.09951163e+12f

/// Translation in the host's unit of length, rotation as a unit quaternion x, y, z, w, scale per axis. It maps a
/// column vector v to `translation + rotate(rotation, scale * v)`. Ten floats, no padding.
typedef struct lmb_transform {
    float translation[3];
    float rotation[4];
    float scale[3];
} lmb_transform;

/// The upper three rows of a 4x4 matrix for column vectors, row-major: `m[row][3]` is the translation. 48 bytes.
typedef struct lmb_affine {
    float m[3][4];
} lmb_affine;

typedef enum lmb_axis { LMB_AXIS_X, LMB_AXIS_Y, LMB_AXIS_Z, LMB_AXIS_COUNT } lmb_axis;

LMB_API lmb_transform lmb_transform_identity(void);
LMB_API lmb_affine lmb_affine_identity(void);

/// The product `a b` of two transforms, componentwise: b is applied first. With scales that are not uniform the exact
/// product can shear; this one drops the shear, as transforms do everywhere. Use matrices where it matters.
LMB_API lmb_transform lmb_transform_multiply(lmb_transform a, lmb_transform b);

/// The matrix of a transform: columns are the rotated axes times the scale. Entries are within 1e-6 of max(1, |entry|).
LMB_API lmb_affine lmb_affine_from_transform(lmb_transform transform);

/// The matrix product `a b`: b is applied first.
LMB_API lmb_affine lmb_affine_multiply(lmb_affine a, lmb_affine b);

/// The inverse, computed in double precision, then snapped. False, and the identity, where the matrix is singular: its
/// determinant is zero or not finite, or an entry of the inverse is above #LMB_LARGEST.
LMB_API bool lmb_affine_invert(lmb_affine matrix, lmb_affine *inverse);

/// Spherical linear interpolation the short way, t in [0, 1]; unit quaternions in, unit quaternion out, each component
/// within 1e-6 of the exact value. At |dot| < 1e-6 either way round is right. Source: D. Eberly, "A Fast and Accurate
/// Algorithm for Computing SLERP", Journal of Graphics, GPU, and Game Tools 15(3), 2011.
LMB_API void lmb_quaternion_slerp(const float a[4], const float b[4], float t, float result[4]);

#ifdef __cplusplus
}
#endif

#endif
