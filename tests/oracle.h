// The float64 oracle: every operation again in double precision, written from the textbook formulas and from what the
// public headers and glTF 2.0 (section 3.11, appendix C) state, apart from the shared sources that it judges.
#ifndef LIMBER_TESTS_ORACLE_H
#define LIMBER_TESTS_ORACLE_H

#include <limber/batch.h>

typedef struct oracle_transform {
    double translation[3];
    double rotation[4];
    double scale[3];
    double weight; // of the joint, 0 to 255
} oracle_transform;

typedef struct oracle_affine {
    double m[3][4];
} oracle_affine;

// Where two rotations are at right angles (|dot| < 1e-6) either way round is right. The oracle turns the i-th such
// pair it meets by bit i of `turned`, so a test tries all of them: evaluate, look at `met`, try the next.
typedef struct oracle_choices {
    uint32_t turned;
    uint32_t met;
} oracle_choices;

#define ORACLE_RIGHT_ANGLE 1e-6

// The border of every stage: NaN and magnitudes below 2^-40 become 0, those above 2^40 become that.
double oracle_snap(double value);

void oracle_quaternion_multiply(const double a[4], const double b[4], double result[4]);
void oracle_quaternion_conjugate(const double a[4], double result[4]);
// False, and nothing written, for a quaternion of length 0.
bool oracle_quaternion_normalise(const double a[4], double result[4]);
double oracle_quaternion_dot(const double a[4], const double b[4]);
// Of unit quaternions, the short way.
void oracle_quaternion_slerp(const double a[4], const double b[4], double t, oracle_choices *choices, double result[4]);

double oracle_lerp(double a, double b, double t);
// a (b/a)^t; linear where a value is zero or the signs differ.
double oracle_scale_blend(double a, double b, double t);

oracle_transform oracle_transform_from_float(const lmb_transform *transform);
oracle_transform oracle_transform_multiply(const oracle_transform *a, const oracle_transform *b);
oracle_affine oracle_affine_from_float(const lmb_affine *affine);
oracle_affine oracle_affine_from_transform(const oracle_transform *transform);
oracle_affine oracle_affine_multiply(const oracle_affine *a, const oracle_affine *b);

// Time as a clip takes it: not finite is 0, then looped over [0, duration) or clamped to [0, duration].
double oracle_clip_time(double time, double duration, bool loop);
double oracle_clip_duration(const lmb_clip_def *clip);
// One joint at a time that is already in [0, duration]; `rest` fills in what has no track. False where the rotation has
// no direction (a spline that passes through zero); it is then that of `rest`.
bool oracle_clip_sample(const lmb_clip_def *clip, uint32_t joint, double time, const oracle_transform *rest,
                        oracle_choices *choices, oracle_transform *result);

// A number in [0, 1], shaped by the value's curve.
double oracle_curve(lmb_value value, double number);

// A joint's transform within its limits, the one of q and -q that is nearer to what came in.
oracle_transform oracle_limit(const lmb_joint_limit_def *limit, const oracle_transform *rest,
                              const oracle_transform *a);

// All that a program reads, in the form that its author gave.
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
    const lmb_rig *const *clip_rigs; // of each clip, or NULL where all are the rig's
    const lmb_joint_map_def *part;   // in which the node stands, or NULL
    uint32_t parameter_count;
    const float *parameters;
    const float *poses[LMB_MAX_POSES];
} oracle_scene;

// One joint of one character after node `node`; also what is refused on the way is replaced, but not counted.
oracle_transform oracle_evaluate(const oracle_scene *scene, uint32_t node, uint32_t character, uint32_t joint,
                                 oracle_choices *choices);

// Local to model over a rig, from one character's local transforms, then the palette; `palette` may be NULL.
void oracle_model(const lmb_rig *rig, const oracle_transform *local, oracle_affine *model, oracle_affine *palette);

// The identity, and false, where there is none.
bool oracle_affine_invert(const oracle_affine *affine, oracle_affine *inverse);
// By Gram and Schmidt, as batch.h says of dual quaternions, either of the two signs. False, and the identity, where fewer
// than two directions are left.
bool oracle_affine_rotation(const oracle_affine *affine, double rotation[4]);
// The rigid motion of one joint from its model matrix: rotation, either sign, and translation. False, with no motion,
// where the matrix has no rotation.
bool oracle_rigid_motion(const lmb_rig *rig, uint32_t joint, const oracle_affine *model, double rotation[4],
                         double translation[3]);
// From the model matrices of all joints.
void oracle_bounds(const lmb_rig *rig, const oracle_affine *model, double low[3], double high[3]);
oracle_affine oracle_socket(const lmb_rig *rig, uint32_t socket, const oracle_affine *model);

#endif
