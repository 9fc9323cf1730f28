// Tables for the clamp operation; their layout stands in shaders/ops/limits.h.
#ifndef LIMBER_SRC_LIMITS_H
#define LIMBER_SRC_LIMITS_H

#include <limber/limits.h>

// Whether limits, one definition for each joint, can be kept; messages call them limits `index` of the program.
lmb_result lmb_limits_check(const lmb_rig *rig, const lmb_limit_def *limits, uint32_t index, lmb_error *error);

// Writes the table of limits that can be kept.
void lmb_limits_write(const lmb_rig *rig, const lmb_limit_def *limits, uint32_t *table);

// Whether they can make a scale of 1 another one.
bool lmb_limits_scale(const lmb_rig *rig, const lmb_limit_def *limits);

#endif
