// The mannequin walks and runs on flat ground, faster, slower and along other paths than its clips. Its feet are locked
// by sync markers. The host moves the characters, or the graph's character motion does.
#ifndef LIMBER_TESTS_SUPPORT_FOOT_WALK_H
#define LIMBER_TESTS_SUPPORT_FOOT_WALK_H

#include "suite.h"

#include "mannequin.h"

#include <limber/cpu.h>

enum { WALK_CHARACTERS = 6, WALK_FEET = 2, WALK_RATE = 60 };
enum { WALK_TIME, WALK_BLEND, WALK_IDLE, WALK_SPEED, WALK_HEADING, WALK_PARAMETERS };

// How a character moves beside its clips.
typedef struct walk_path {
    double speed; // times that of the clips
    double turn;  // radians a second
    double blend; // from walk to run
} walk_path;

extern const walk_path walk_paths[WALK_CHARACTERS];

typedef struct walk_def {
    float lock_distance, release_half_life; // seconds
    const lmb_value *update_every;          // may be NULL
    bool moves;                             // by its own motion, whose matrices are the world transforms
    bool full_rotation;                     // of `moves`
} walk_def;

typedef struct walk {
    walk_def def;
    mannequin *body;
    lmb_graph *graph;
    lmb_cpu *cpu; // the reference
    lmb_batch_def batch;
    uint32_t *state, *memory;
    float *parameters, *models;
    uint32_t row, joints, ankles[WALK_FEET];
    lmb_control_frame frame;
    float transforms[WALK_CHARACTERS][12]; // written by the run if the characters move by themselves
    double yaw[WALK_CHARACTERS], place[WALK_CHARACTERS][2];
} walk;

void walk_begin(walk *w, const walk_def *def);
void walk_end(walk *w);
// Moves all characters on to a frame: sets what the host gives it.
void walk_move(walk *w, uint32_t frame);
// Runs the frame on the reference.
void walk_run(walk *w);
// Whether a foot is planted, from the times of both clips and their weights.
bool walk_is_planted(const walk *w, uint32_t character, uint32_t foot);
// Where an ankle is in the world.
void walk_ankle(const walk *w, uint32_t character, uint32_t foot, double p[3]);

#endif
