// The crowd on the CPU: the positions of all members, and how their clip times and weights advance.
#ifndef LIMBER_SAMPLES_VIEWER_CROWD_H
#define LIMBER_SAMPLES_VIEWER_CROWD_H

#include "character.h"

// Mirrored by frame.glsl.
typedef struct crowd_placement {
    float position[2];
    float heading[2]; // cosine and sine of the turn about Y
    float tint[3];
    float scale;
    float lift;         // metres above the ground
    uint32_t character; // index in its span
} crowd_placement;

typedef struct crowd_member {
    crowd_placement placement;
    double phases[CHARACTER_BASES]; // in cycles; gaits share the first gait's phase
    float pace;
    float mood;  // preferred base clip: 0 the first, 1 the second; values between them blend, if bases do
    float swing; // phase of its slow changes
    bool waves;
} crowd_member;

typedef struct crowd {
    const character *character;
    crowd_member *members;
    uint32_t count;
    float radius;                  // metres
    double time;                   // seconds
    uint32_t chosen;               // the base clip that everybody changes to, or LMB_NONE
    float shares[CHARACTER_BASES]; // weights of that change for each base clip
    bool all_wave;
    float wave_share;
} crowd;

lmb_result crowd_create(const character *character, uint32_t count, crowd *crowd, lmb_error *error);
void crowd_destroy(crowd *crowd);
// Places all members for the character's size, as crowd_create() does.
void crowd_place(crowd *crowd);

// Places a crowd of one in the middle, in a colour of its own.
void crowd_place_single(crowd *crowd);

// Where the path of a member's character motion starts.
typedef struct crowd_start {
    float position[2]; // x, z in metres
    float facing;      // radians about Y
} crowd_start;

// Places a member where its character motion, in the character's units, has brought it. Returns its heading in radians.
float crowd_follow_motion(const crowd *crowd, const crowd_start *start, const lmb_motion *motion,
                          crowd_placement *placement);

// Stores the matrix from the character's model space to the world, of a member; and places one by such a matrix, which
// turns about Y and scales evenly.
void crowd_matrix(const crowd *crowd, const crowd_placement *placement, float matrix[LMB_MATRIX_COMPONENTS]);
void crowd_place_by(const crowd *crowd, const float matrix[LMB_MATRIX_COMPONENTS], crowd_placement *placement);

void crowd_advance(crowd *crowd, double seconds);
// Writes float [count][PARAMETER_COUNT].
void crowd_write_parameters(const crowd *crowd, float *parameters);

#endif
