// Memory layout of a mesh's block, and the flags of a run on a device.
#ifndef LMB_OPS_SKIN_LAYOUT_H
#define LMB_OPS_SKIN_LAYOUT_H

// The mesh's block consists of words. Offsets count words from its start. Tables are [row][vertex], each row padded to
// SKIN_PADDED vertices. The header:
#define SKIN_VERTICES 0
#define SKIN_PADDED 1     // a multiple of SKIN_PADDING
#define SKIN_INFLUENCES 2 // of each vertex
#define SKIN_JOINTS 3
#define SKIN_POSITIONS 4 // offset: float [3][vertex]
#define SKIN_NORMALS 5   // offset: float [3][vertex], unit or zero; or 0
#define SKIN_TANGENTS 6  // offset: float [4][vertex], unit or zero, and 1 or -1; or 0
#define SKIN_INDICES 7   // offset: word [influence][vertex]; of a weight of 0 the vertex's first joint
#define SKIN_WEIGHTS 8   // offset: float [influence][vertex], descending, sum 1; 0 for padding
#define SKIN_MORPHS 9    // offset: word [vertex + 1], offsets of the first entry of each vertex; or 0
#define SKIN_CHANNELS 10 // float channels of the rig
// Entries of morph targets, those of a vertex in the order of the targets. An entry has the channel and the
// displacement of the position, then those of normal and tangent, if the mesh has them, at these offsets, or 0.
#define SKIN_ENTRY_NORMAL 11
#define SKIN_ENTRY_TANGENT 12
#define SKIN_ENTRY_WORDS 13
#define SKIN_HEADER_WORDS 14

#define ENTRY_CHANNEL 0u
#define ENTRY_POSITION 1u

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
