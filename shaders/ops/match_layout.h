// Memory layout of the arrays of a motion database, in its block and in a control's block.
#ifndef LMB_OPS_MATCH_LAYOUT_H
#define LMB_OPS_MATCH_LAYOUT_H

#include "record.h"

RECORD(TAKE)
uint first; // moment
uint count;
uint loops;
END_RECORD(TAKE, 3)
#define MATCH_FEATURES 27u  // without those of further joints
#define MATCH_PATH 15u      // the first feature of the path
#define MATCH_ROW_WORDS 16u // two numbers each
// For each number of a mirrored row: of which one it comes, and whether its sign changes.
#define MATCH_MIRROR_FROM 0xffu
#define MATCH_MIRROR_NEGATES 0x100u
#define MATCH_BOX_LOW 0u // the extremes of the rows, as rows
#define MATCH_BOX_HIGH MATCH_ROW_WORDS
#define MATCH_BOX_ANY (2u * MATCH_ROW_WORDS) // tags that any of them has
#define MATCH_BOX_ALL (2u * MATCH_ROW_WORDS + 1u)
#define MATCH_BOX_WORDS (2u * MATCH_ROW_WORDS + 2u)
#define SMALL_BOX 16u
#define LARGE_BOX 64u
#define MOST_MATCH_ROWS 131072u
// What a search finds is a choice: a row, and this bit if it is the mirrored row. So of two that cost the same, one
// that is not mirrored comes first.
#define MATCH_MIRRORED MOST_MATCH_ROWS

#endif
