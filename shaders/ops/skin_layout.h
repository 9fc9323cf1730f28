// Memory layout of a mesh's block, and the flags of a run on a device.
#ifndef LMB_OPS_SKIN_LAYOUT_H
#define LMB_OPS_SKIN_LAYOUT_H

#include "record.h"

// The mesh's block consists of words. Offsets count words from its start. Tables are [row][vertex], each row padded to
// SKIN.padded vertices. The header:
RECORD(SKIN)
uint vertices;
uint padded;     // a multiple of SKIN_PADDING
uint influences; // of each vertex
uint joints;
uint positions; // offset: float [3][vertex]
uint normals;   // offset: float [3][vertex], unit or zero; or 0
uint tangents;  // offset: float [4][vertex], unit or zero, and 1 or -1; or 0
uint indices;   // offset: word [influence][vertex]; of a weight of 0 the vertex's first joint
uint weights;   // offset: float [influence][vertex], descending, sum 1; 0 for padding
uint morphs;    // offset: word [vertex + 1], offsets of the first entry of each vertex; or 0
uint channels;  // float channels of the rig
// Entries of morph targets, those of a vertex in the order of the targets. An entry has the channel and the
// displacement of the position, then those of normal and tangent, if the mesh has them, at these offsets, or 0.
uint entry_normal;
uint entry_tangent;
uint entry_words;
END_RECORD(SKIN, 14)

RECORD(ENTRY)
uint channel;
WORDS(3, position);
END_RECORD(ENTRY, 4)

#define SKIN_PADDING 64u

// The outputs, in the order of lmb_skin_output.
#define SKIN_OUTPUT_POSITIONS 0u
#define SKIN_OUTPUT_PREVIOUS_POSITIONS 1u
#define SKIN_OUTPUT_NORMALS 2u
#define SKIN_OUTPUT_TANGENTS 3u
#define SKIN_OUTPUTS 4u

// Flags of a run on a device.
#define SKIN_FLAG_LIST 1u
#define SKIN_FLAG_PACKED 2u
#define SKIN_FLAG_COUNTS 4u
#define SKIN_FLAG_CURRENT 8u // writes something that follows from the current palette
#define SKIN_FLAG_WRITES 16u // shifted left by the output
#define SKIN_FLAG_SNORM 256u // shifted left by the output

#endif
