// Writes FBX files as text: nodes with every property of a transform, curves in layers, meshes with blend shapes.
#ifndef LIMBER_TESTS_SUPPORT_FBX_TEXT_H
#define LIMBER_TESTS_SUPPORT_FBX_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FBX_TRANSLATION,
    FBX_ROTATION,
    FBX_SCALE,
    FBX_PRE_ROTATION,
    FBX_POST_ROTATION,
    FBX_ROTATION_OFFSET,
    FBX_ROTATION_PIVOT,
    FBX_SCALE_OFFSET,
    FBX_SCALE_PIVOT,
    FBX_PROPERTIES,
    FBX_NUMBER = FBX_PROPERTIES // "contact", which the user has added
};

enum { FBX_COMPONENTS = 0, FBX_NORMAL = 1, FBX_IGNORES = 2 }; // how a node inherits its parent's scale

typedef struct fbx_node {
    const char *name;
    const char *kind; // "LimbNode", "Null", "Mesh"
    int parent;       // -1: the scene
    double values[FBX_PROPERTIES][3];
    const double *number; // "contact", or NULL
    int order;            // of rotations: XYZ, XZY, YZX, YXZ, ZXY, ZYX
    int inherit;
} fbx_node;

enum { FBX_CONSTANT, FBX_LINEAR, FBX_CUBIC };

typedef struct fbx_key {
    double time; // seconds
    double value;
    double slope; // of a cubic curve on both sides, a second
} fbx_key;

typedef struct fbx_curve {
    int node; // or FBX_WEIGHT: the weight of the blend shape
    int property;
    int axis;
    int layer;
    int interpolation;
    int count;
    fbx_key keys[8];
} fbx_curve;

#define FBX_WEIGHT (-1)

typedef struct fbx_layer {
    double weight; // percent
    int mode;      // 0: added, 2: in place of what is below
} fbx_layer;

typedef struct fbx_file {
    const fbx_node *nodes;
    int node_count;
    const fbx_curve *curves;
    int curve_count;
    const fbx_layer *layers; // NULL: one
    int layer_count;
    double stop;                // of the animation, seconds
    const char *settings;       // of the axes and the unit; NULL: Y up, a metre
    const double *full_weights; // of the blend shapes of a triangle that the first node has; NULL: no mesh
    int shape_count;
    double weight; // of the blend shape, percent
} fbx_file;

fbx_node fbx_make_node(const char *name, int parent);
// Returns the text, which the caller frees.
char *fbx_write(const fbx_file *file);

#endif
