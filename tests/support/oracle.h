// The float64 oracle: every operation again in double precision. It is written from textbook formulas and from the
// public headers and glTF 2.0 (section 3.11, appendix C), and shares no code with the sources that it checks.
#ifndef LIMBER_TESTS_SUPPORT_ORACLE_H
#define LIMBER_TESTS_SUPPORT_ORACLE_H

#include <limber/batch.h>

typedef struct oracle_transform {
    double translation[3];
    double rotation[4];
    double scale[3];
    double weight; // the joint weight, 0 to 255
} oracle_transform;

typedef struct oracle_affine {
    double m[3][4];
} oracle_affine;

// If two rotations are at right angles (|dot| < 1e-6), either direction is correct. The oracle reverses the i-th such
// pair that it meets if bit i of `turned` is set, so a test can try all choices: evaluate, read `met`, try the next
// value.
typedef struct oracle_choices {
    uint32_t turned;
    uint32_t met;
} oracle_choices;

#define ORACLE_RIGHT_ANGLE 1e-6

// The snapping at the end of every stage: NaN and magnitudes below 2^-40 become 0, and magnitudes above 2^40 become
// 2^40 with the sign of the value.
double oracle_snap(double value);

void oracle_quaternion_multiply(const double a[4], const double b[4], double result[4]);
void oracle_quaternion_conjugate(const double a[4], double result[4]);
// Returns false and writes nothing for a quaternion of length 0.
bool oracle_quaternion_normalise(const double a[4], double result[4]);
double oracle_quaternion_dot(const double a[4], const double b[4]);
// Interpolates unit quaternions along the shorter arc.
void oracle_quaternion_slerp(const double a[4], const double b[4], double t, oracle_choices *choices, double result[4]);

double oracle_lerp(double a, double b, double t);
// Returns a (b/a)^t, or interpolates linearly if a value is zero or the signs differ.
double oracle_scale_blend(double a, double b, double t);

oracle_transform oracle_transform_from_float(const lmb_transform *transform);
oracle_transform oracle_transform_multiply(const oracle_transform *a, const oracle_transform *b);
oracle_affine oracle_affine_from_float(const lmb_affine *affine);
oracle_affine oracle_affine_from_transform(const oracle_transform *transform);
oracle_affine oracle_affine_multiply(const oracle_affine *a, const oracle_affine *b);

// Maps a time into the clip: a time that is not finite becomes 0, then the time is looped over [0, duration) or clamped
// to [0, duration].
double oracle_clip_time(double time, double duration, bool loop);
double oracle_clip_duration(const lmb_clip_def *clip);
// Samples one joint at a time in [0, duration]. `rest` supplies the channels without a track. Returns false if the
// rotation has no direction (a spline that passes through zero); the rotation is then that of `rest`.
bool oracle_clip_sample(const lmb_clip_def *clip, uint32_t joint, double time, const oracle_transform *rest,
                        oracle_choices *choices, oracle_transform *result);

// A curve of a graph's own at x, by halving the parameter of the segment.
double oracle_user_curve(const lmb_curve_def *curve, double x);
// Applies the value's curve, none of a graph's own, to a number in [0, 1].
double oracle_curve(lmb_value value, double number);

// Returns the joint's transform within its limits. Of q and -q, it returns the one closer to the input rotation.
oracle_transform oracle_limit(const lmb_joint_limit_def *limit, const oracle_transform *rest,
                              const oracle_transform *a);

// Everything that a program reads, as its author defined it.
typedef struct oracle_scene {
    const lmb_rig *rig;
    const lmb_clip_def *clips;
    uint32_t clip_count;
    const uint8_t *const *masks;
    const lmb_node_def *nodes;
    const lmb_mirror_def *mirrors;
    const lmb_joint_limit_def *joint_limits;
    const lmb_joint_map_def *joint_maps;
    const lmb_static_pose_def *static_poses;
    const lmb_rig *const *clip_rigs; // of each clip, or NULL if all use the rig
    const lmb_joint_map_def *part;   // the joint map of the node, or NULL
    uint32_t parameter_count;
    const float *parameters;
    const float *poses[LMB_MAX_POSES];
} oracle_scene;

// Evaluates one joint of one character after node `node`. It replaces refused inputs as the library does, but does not
// count them.
oracle_transform oracle_evaluate(const oracle_scene *scene, uint32_t node, uint32_t character, uint32_t joint,
                                 oracle_choices *choices);

// Computes model matrices over a rig from one character's local transforms, then the palette. `palette` may be NULL.
void oracle_model(const lmb_rig *rig, const oracle_transform *local, oracle_affine *model, oracle_affine *palette);

// Returns false and the identity if there is no inverse.
bool oracle_affine_invert(const oracle_affine *affine, oracle_affine *inverse);
// Extracts the rotation by Gram-Schmidt, as batch.h defines it for dual quaternions, with either sign. Returns false
// and the identity if fewer than two directions remain.
bool oracle_affine_rotation(const oracle_affine *affine, double rotation[4]);
// Computes the rigid motion of one joint from its model matrix: rotation (either sign) and translation. Returns false
// and no motion if the matrix has no rotation.
bool oracle_rigid_motion(const lmb_rig *rig, uint32_t joint, const oracle_affine *model, double rotation[4],
                         double translation[3]);
// Computes the bounds from the model matrices of all joints.
void oracle_bounds(const lmb_rig *rig, const oracle_affine *model, double low[3], double high[3]);
oracle_affine oracle_socket(const lmb_rig *rig, uint32_t socket, const oracle_affine *model);

#endif
