// Tables for the clamp operation; their layout is in shaders/ops/joint_limits.h.
#ifndef LIMBER_SRC_RIG_JOINT_LIMITS_H
#define LIMBER_SRC_RIG_JOINT_LIMITS_H

#include <limber/joint_limits.h>

// Returns the words of a table.
uint32_t lmb_limits_words(uint32_t joints, uint32_t channels);

// Checks whether limits are valid: one definition for each joint, and a range for each float channel unless `ranges` is
// NULL. Error messages call them limits `index` of the graph.
lmb_result lmb_limits_check(const lmb_rig *rig, const lmb_joint_limit_def *limits, const lmb_channel_range *ranges,
                            uint32_t index, lmb_error *error);

// Writes the table of valid limits.
void lmb_limits_write(const lmb_rig *rig, const lmb_joint_limit_def *limits, const lmb_channel_range *ranges,
                      uint32_t *table);

// Returns whether the limits can change a scale of 1.
bool lmb_limits_scale(const lmb_rig *rig, const lmb_joint_limit_def *limits);

#endif
