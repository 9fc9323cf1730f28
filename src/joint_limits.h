// Tables for the clamp operation; their layout is in shaders/ops/joint_limits.h.
#ifndef LIMBER_SRC_LIMITS_H
#define LIMBER_SRC_LIMITS_H

#include <limber/joint_limits.h>

// Words of a table.
uint32_t lmb_limits_words(uint32_t joints, uint32_t channels);

// Whether limits can be kept: one definition for each joint, and a range for each float channel unless that is NULL.
// Messages call them limits `index` of the graph.
lmb_result lmb_limits_check(const lmb_rig *rig, const lmb_joint_limit_def *limits, const lmb_channel_range *ranges,
                            uint32_t index, lmb_error *error);

// Writes the table of limits that can be kept.
void lmb_limits_write(const lmb_rig *rig, const lmb_joint_limit_def *limits, const lmb_channel_range *ranges,
                      uint32_t *table);

// Whether they can make a scale of 1 another one.
bool lmb_limits_scale(const lmb_rig *rig, const lmb_joint_limit_def *limits);

#endif
