// Angles are stored as sines, cosines or tangents of their halves, which are components of quaternions or ratios of
// them. So kernels compare and clamp rotations without trigonometry. Tables are component-major: neighbouring joints
// read neighbouring words. Translations are stored absolutely, so the rest pose need not be read again.
#include "joint_limits.h"

#include "math/float64.h"
#include "rig.h"

#include "../../shaders/ops/joint_limits.h"
#include "../../shaders/ops/number.h"

#include <math.h>

#define ALL_LIMITS                                                                                                     \
    (LMB_JOINT_LIMIT_TRANSLATION | LMB_JOINT_LIMIT_SCALE | LMB_JOINT_LIMIT_TWIST | LMB_JOINT_LIMIT_SWING |             \
     LMB_JOINT_LIMIT_ANGLES)
#define HALF_DEGREE 0.0087266462599716479 // radians

// Returns what is wrong with ranges whose ends must be in [lowest, highest], or NULL. NaN is out of range.
static const char *check_ranges(const float *min, const float *max, uint32_t count, float lowest, float highest) {
    for (uint32_t i = 0; i < count; i++) {
        if (!(min[i] >= lowest && min[i] <= highest && max[i] >= lowest && max[i] <= highest)) {
            return "an end is out of range";
        }
        if (min[i] > max[i]) {
            return "min is above max";
        }
    }
    return NULL;
}

static const char *check_angles(const lmb_joint_limit_def *limit) {
    const char *what = check_ranges(limit->angle_min, limit->angle_max, 3, -180.0f, 180.0f);
    for (int i = 0; i < 3 && what == NULL; i++) {
        if (limit->angle_min[i] == 180.0f || limit->angle_max[i] == -180.0f) {
            what = "a range is half a turn alone";
        }
    }
    return what;
}

// Stores what is wrong, and with which field. Returns whether nothing is.
static bool is_valid(const char *fault, const char *name, const char **field, const char **what) {
    *field = name;
    *what = fault;
    return fault == NULL;
}

static bool check_limit(const lmb_joint_limit_def *limit, const char **field, const char **what) {
    const uint32_t set = limit->set;
    const bool turns = (set & (LMB_JOINT_LIMIT_TWIST | LMB_JOINT_LIMIT_SWING)) != 0;
    const char *of_set = (set & ~ALL_LIMITS) ? "unknown bits"
                         : turns && (set & LMB_JOINT_LIMIT_ANGLES)
                             ? "angles, and twist or swing: a joint has one of both"
                             : NULL;
    const char *of_axis = turns && (unsigned)limit->twist_axis >= LMB_AXIS_COUNT ? "unknown axis" : NULL;
    const char *of_swing = limit->swing >= 0.0f && limit->swing <= 180.0f ? NULL : "not from 0 to 180";
    return is_valid(of_set, "set", field, what) &&
           (!(set & LMB_JOINT_LIMIT_TRANSLATION) ||
            is_valid(check_ranges(limit->translation_min, limit->translation_max, 3, -LMB_LARGEST, LMB_LARGEST),
                     "translation", field, what)) &&
           (!(set & LMB_JOINT_LIMIT_SCALE) ||
            is_valid(check_ranges(limit->scale_min, limit->scale_max, 3, -LMB_LARGEST, LMB_LARGEST), "scale", field,
                     what)) &&
           is_valid(of_axis, "twist", field, what) &&
           (!(set & LMB_JOINT_LIMIT_TWIST) ||
            is_valid(check_ranges(&limit->twist_min, &limit->twist_max, 1, -360.0f, 360.0f), "twist", field, what)) &&
           (!(set & LMB_JOINT_LIMIT_SWING) || is_valid(of_swing, "swing", field, what)) &&
           (!(set & LMB_JOINT_LIMIT_ANGLES) || is_valid(check_angles(limit), "angles", field, what));
}

uint32_t lmb_limits_words(uint32_t joints, uint32_t channels) {
    return joints * WORDS_OF(LIMIT) + 4 * channels;
}

static bool is_whole_range(const lmb_channel_range *range) {
    return range->min == -LMB_LARGEST && range->max == LMB_LARGEST;
}

static const char *check_range(const lmb_channel_range *range, bool angle) {
    float end = angle && !is_whole_range(range) ? 360.0f : LMB_LARGEST;
    return check_ranges(&range->min, &range->max, 1, -end, end);
}

lmb_result lmb_limits_check(const lmb_rig *rig, const lmb_joint_limit_def *limits, const lmb_channel_range *ranges,
                            uint32_t index, lmb_error *error) {
    for (uint32_t channel = 0; ranges != NULL && channel < rig->def.channel_count; channel++) {
        const char *what = check_range(&ranges[channel], rig->def.channels[channel].angle);
        if (what != NULL) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph: joint limits %u: channel %u '%.80s': range: %s",
                            (unsigned)index, (unsigned)channel, rig->def.channels[channel].name, what);
        }
    }
    if (limits == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph: joint limits %u are NULL", (unsigned)index);
    }
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        const char *field, *what;
        if (!check_limit(&limits[joint], &field, &what)) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph: joint limits %u: joint %u '%.80s': %s: %s",
                            (unsigned)index, (unsigned)joint, rig->def.joints[joint].name, field, what);
        }
    }
    return LMB_OK;
}

static void put(uint32_t *record, uint32_t joints, uint32_t component, double value) {
    record[(size_t)component * joints] = BITS(snap((float)value));
}

static void put_half(uint32_t *record, uint32_t joints, uint32_t component, double degrees) {
    put(record, joints, component, lmb_sine64(degrees * HALF_DEGREE));
    put(record, joints, component + 1, lmb_cosine64(degrees * HALF_DEGREE));
}

static void write_swing_twist(const lmb_joint_limit_def *limit, uint32_t joints, uint32_t *record) {
    double min = limit->set & LMB_JOINT_LIMIT_TWIST ? (double)limit->twist_min : -180.0;
    double max = limit->set & LMB_JOINT_LIMIT_TWIST ? (double)limit->twist_max : 180.0;
    if (max - min > 360.0) {
        max = min + 360.0;
    }
    put_half(record, joints, FIELD(LIMIT, rotation) + FIELD(SWING_TWIST, middle), (min + max) / 2.0);
    put_half(record, joints, FIELD(LIMIT, rotation) + FIELD(SWING_TWIST, width), (max - min) / 2.0);
    put_half(record, joints, FIELD(LIMIT, rotation) + FIELD(SWING_TWIST, max), max);
    put_half(record, joints, FIELD(LIMIT, rotation) + FIELD(SWING_TWIST, min), min);
    put_half(record, joints, FIELD(LIMIT, rotation) + FIELD(SWING_TWIST, swing),
             limit->set & LMB_JOINT_LIMIT_SWING ? (double)limit->swing : 180.0);
}

// A range that ends at half a turn has no limit there: no value exceeds LMB_LARGEST.
static double half_tangent(double degrees) {
    if (fabs(degrees) == 180.0) {
        return copysign((double)LMB_LARGEST, degrees);
    }
    return lmb_sine64(degrees * HALF_DEGREE) / lmb_cosine64(degrees * HALF_DEGREE);
}

static void write_angles(const lmb_joint_limit_def *limit, uint32_t joints, uint32_t *record) {
    for (uint32_t axis = 0; axis < 3; axis++) {
        uint32_t first = FIELD(LIMIT, rotation) + axis * WORDS_OF(LIMITED_ANGLE);
        double min = (double)limit->angle_min[axis];
        double max = (double)limit->angle_max[axis];
        put(record, joints, first, half_tangent(min));
        put(record, joints, first + 1, half_tangent(max));
        put_half(record, joints, first + 2, min);
        put_half(record, joints, first + 4, max);
    }
}

static void write_joint(const lmb_joint_limit_def *limit, const lmb_transform *rest, uint32_t joints,
                        uint32_t *record) {
    uint32_t flags = 0;
    for (uint32_t i = 0; i < 3; i++) {
        double at = (double)rest->translation[i];
        put(record, joints, FIELD(LIMIT, low_translation) + i, at + (double)limit->translation_min[i]);
        put(record, joints, FIELD(LIMIT, high_translation) + i, at + (double)limit->translation_max[i]);
        put(record, joints, FIELD(LIMIT, low_scale) + i, (double)limit->scale_min[i]);
        put(record, joints, FIELD(LIMIT, high_scale) + i, (double)limit->scale_max[i]);
    }
    flags |= limit->set & LMB_JOINT_LIMIT_TRANSLATION ? LIMITS_TRANSLATION : 0;
    flags |= limit->set & LMB_JOINT_LIMIT_SCALE ? LIMITS_SCALE : 0;
    if (limit->set & LMB_JOINT_LIMIT_ANGLES) {
        flags |= LIMITS_ANGLES;
        write_angles(limit, joints, record);
    } else if (limit->set & (LMB_JOINT_LIMIT_TWIST | LMB_JOINT_LIMIT_SWING)) {
        flags |= LIMITS_SWING_TWIST | (uint32_t)limit->twist_axis << LIMITS_AXIS;
        write_swing_twist(limit, joints, record);
    }
    record[FIELD(LIMIT, flags)] = flags;
}

static void write_range(lmb_channel_range range, bool angle, uint32_t channels, uint32_t *record) {
    double min = (double)range.min, max = (double)range.max;
    put(record, channels, 0, angle ? remainder(min, 360.0) : min);
    put(record, channels, 1, angle ? remainder(max, 360.0) : max);
    for (uint32_t end = 0; end < 2 && angle; end++) {
        record[(size_t)end * channels] = BITS(wrap_degrees(REAL(record[(size_t)end * channels])));
    }
    put(record, channels, 2, min / 2.0 + max / 2.0);
    put(record, channels, 3, fmin(180.0, max / 2.0 - min / 2.0));
}

void lmb_limits_write(const lmb_rig *rig, const lmb_joint_limit_def *limits, const lmb_channel_range *ranges,
                      uint32_t *table) {
    for (uint32_t channel = 0; channel < rig->def.channel_count; channel++) {
        lmb_channel_range range = ranges != NULL ? ranges[channel] : lmb_default_channel_range();
        write_range(range, rig->def.channels[channel].angle, rig->def.channel_count,
                    table + (size_t)rig->def.joint_count * WORDS_OF(LIMIT) + channel);
    }
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        write_joint(&limits[joint], &rig->def.joints[joint].rest, rig->def.joint_count, table + joint);
    }
}

bool lmb_limits_scale(const lmb_rig *rig, const lmb_joint_limit_def *limits) {
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        for (int i = 0; i < 3 && (limits[joint].set & LMB_JOINT_LIMIT_SCALE); i++) {
            if (limits[joint].scale_min[i] > 1.0f || limits[joint].scale_max[i] < 1.0f) {
                return true;
            }
        }
    }
    return false;
}
