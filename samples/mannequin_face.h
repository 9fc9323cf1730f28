// The mannequin's face: eyes with joints of their own, lids, a mouth and brows, and morph targets.
#ifndef LIMBER_SAMPLES_MANNEQUIN_FACE_H
#define LIMBER_SAMPLES_MANNEQUIN_FACE_H

#include "mannequin_joints.h"

#include <limber/import.h>

// Float channels of the rig, each the weight of a morph target.
enum { FACE_SMILE, FACE_OPEN, FACE_BLINK, FACE_BROWS, FACE_CHANNELS };
// Meshes of the face. The last three have a colour of their own; the lids have that of the skin.
enum { FACE_LIDS, FACE_WHITES, FACE_PUPILS, FACE_FEATURES, FACE_MESHES };

// Joints of a rig with a face, after all others.
enum { LEFT_EYE = JOINT_COUNT, RIGHT_EYE, FACE_JOINT_COUNT };

// Returns "smile", "open", "blink" or "brows".
const char *face_channel_name(uint32_t channel);
// Returns the middle of an eye, in the rest pose.
vec3 face_eye(uint32_t joint);

// Fills in a mesh of the face, or adds the morph targets of the face to the mesh of the skin. Its arrays are allocated
// from `host`. Returns false if there is no memory; the caller releases what the mesh has.
bool face_fill_mesh(uint32_t mesh, uint32_t detail, const lmb_host *host, lmb_mesh *result);
bool face_add_targets(const lmb_host *host, lmb_mesh *mesh);
// Releases the arrays of a mesh.
void face_release_mesh(const lmb_host *host, lmb_mesh *mesh);

#endif
