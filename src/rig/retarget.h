// Retargets of a graph: their checks, and their tables; the layout of these is in shaders/ops/retarget.h.
#ifndef LIMBER_SRC_RIG_RETARGET_H
#define LIMBER_SRC_RIG_RETARGET_H

#include <limber/retarget.h>

// A joint while a table is written: its reference pose in model space, and for joints of the graph's rig what corrects
// it.
typedef struct lmb_retarget_frame {
    double turn[4];
    double place[3];
    double size;         // product of the mean scales
    double aligned[4];   // the correction, on the left
    double corrected[3]; // position in the corrected pose
    double cosine;       // of the angle by which its own bone is turned
    uint32_t above;      // nearest mapped ancestor, or LMB_NONE
    uint32_t below; // the only mapped joint whose `above` it is, LMB_NONE for none, or the joint itself for several
} lmb_retarget_frame;

// Checks whether a definition fits the rig. Error messages call it retarget `index` of the graph. Stores the words of
// its records, those of the table included.
bool lmb_retarget_check(const lmb_rig *rig, const lmb_retarget_def *def, uint32_t index, lmb_error *error);
// Returns the words of the table of a definition that fits.
uint32_t lmb_retarget_words(const lmb_rig *rig, const lmb_retarget_def *def);

// Writes it, and the source's rest pose as a static pose. `at` is the offset of the table in the block, `rest` the
// index at which load_rest() finds joint 0 of that rest pose. `frames` is scratch memory for the joints of the rig and
// then of the source.
void lmb_retarget_write(const lmb_rig *rig, const lmb_retarget_def *def, uint32_t index, lmb_retarget_frame *frames,
                        uint32_t at, uint32_t rest, uint32_t *table, uint32_t *rest_table);

// The same for the goal of a joint: a table in which this joint alone is mapped, and its translation is the position of
// its source in model space. `place` receives the bits of its position in the corrected reference pose.
uint32_t lmb_retarget_goal_words(const lmb_rig *rig, const lmb_retarget_def *def, uint32_t joint);
void lmb_retarget_write_goal(const lmb_rig *rig, const lmb_retarget_def *def, uint32_t index,
                             lmb_retarget_frame *frames, uint32_t joint, uint32_t at, uint32_t rest, uint32_t *table,
                             uint32_t place[3]);

// Finds the cosines of the angles by which a definition that fits turns the bones of joints, 1 where it does not.
// Returns false without memory.
LMB_API bool lmb_retarget_find_arcs(const lmb_rig *rig, const lmb_retarget_def *def, const lmb_host *host,
                                    float *cosines);

// Turns a vector from the model space of the source to that of the rig.
void lmb_retarget_turn(const lmb_retarget_def *def, const float given[3], float turned[3]);

#endif
