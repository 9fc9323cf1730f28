// The points of a graph's inverse kinematics that the host fills in: what they are called, and where they are at first.
#ifndef LIMBER_SAMPLES_VIEWER_GRAPH_TARGETS_H
#define LIMBER_SAMPLES_VIEWER_GRAPH_TARGETS_H

#include <limber/graph.h>
#include <limber/math.h>

// A position to reach, or the direction of a pole or of the ground.
typedef struct graph_target {
    char name[80];  // such as "target of left_hand"
    uint32_t point; // its index in the batch's points
    bool is_direction;
    bool is_world;  // the point is in world space; otherwise in model space
    float model[3]; // at first, in model space: where the joint is in the rest pose; or a direction
    float from[3];  // of a direction: the joint from which it is drawn
} graph_target;

// Stores the targets of a graph, one for each point that a node reads, and returns their number. Nodes that play
// another rig are left out: they move with its poses.
uint32_t graph_targets_find(const lmb_graph_def *def, graph_target targets[LMB_MAX_POINTS]);

// Moves a position, or turns a direction, by a matrix.
void graph_targets_transform(const lmb_affine *matrix, bool is_direction, const float point[3], float result[3]);

#endif
