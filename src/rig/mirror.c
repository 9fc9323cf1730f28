// If the rest pose is symmetric, mirroring a joint is only a reflection of its partner's transform. In general the
// partner's axes, reflected, are turned against the joint's own. C is that rotation. A reflected rotation is multiplied
// by the joint's C on the right, and by the inverse of its parent's C on the left (shaders/ops/mirror.h).
//
// Mirroring twice must give the same bits for common rigs. So C of the second of two partners is derived from that of
// the first by changes of sign. A C that is nearly one of the 24 rotations of a cube is made exactly that.
#include "mirror.h"

#include "math/quaternion.h"
#include "rig.h"

#include "../../shaders/ops/mirror.h"

#include <math.h>

#define NEARLY_EXACT 1e-6

uint32_t lmb_mirror_words(const lmb_rig *rig) {
    return rig->def.joint_count * WORDS_OF(MIRROR) + rig->def.channel_count;
}

static uint32_t channel_partner(const lmb_mirror_def *mirror, uint32_t channel) {
    return mirror->channel_partners != NULL ? mirror->channel_partners[channel] : channel;
}

static int channel_sign(const lmb_mirror_def *mirror, uint32_t channel) {
    return mirror->channel_signs != NULL ? mirror->channel_signs[channel] : 1;
}

static lmb_result check_channels(const lmb_rig *rig, const lmb_mirror_def *mirror, uint32_t index, lmb_error *error) {
    for (uint32_t channel = 0; channel < rig->def.channel_count; channel++) {
        uint32_t partner = channel_partner(mirror, channel);
        int sign = channel_sign(mirror, channel);
        const char *what = partner >= rig->def.channel_count             ? "its partner is no channel of the rig"
                           : channel_partner(mirror, partner) != channel ? "it is not its partner's partner"
                           : rig->def.channels[partner].angle != rig->def.channels[channel].angle
                               ? "it or its partner is an angle, and the other is not"
                           : sign != 1 && sign != -1               ? "its sign is not 1 or -1"
                           : channel_sign(mirror, partner) != sign ? "its partner has another sign"
                                                                   : NULL;
        if (what != NULL) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph: mirror %u: channel %u '%.80s': %s", (unsigned)index,
                            (unsigned)channel, rig->def.channels[channel].name, what);
        }
    }
    return LMB_OK;
}

lmb_result lmb_mirror_check(const lmb_rig *rig, const lmb_mirror_def *mirror, uint32_t index, lmb_error *error) {
    if ((unsigned)mirror->axis >= LMB_AXIS_COUNT || (mirror->partners == NULL && rig->def.joint_count > 0)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph: mirror %u: %s", (unsigned)index,
                        (unsigned)mirror->axis >= LMB_AXIS_COUNT ? "unknown axis" : "the partners are NULL");
    }
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        uint32_t partner = mirror->partners[joint];
        const uint32_t parent = rig->def.joints[joint].parent;
        const uint32_t desired = parent == LMB_NONE ? LMB_NONE : mirror->partners[parent];
        const char *what = partner >= rig->def.joint_count      ? "its partner is no joint of the rig"
                           : mirror->partners[partner] != joint ? "it is not its partner's partner"
                           : rig->def.joints[partner].parent != desired
                               ? "its partner's parent is not its parent's partner"
                               : NULL;
        if (what != NULL) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph: mirror %u: joint %u '%.80s': %s", (unsigned)index,
                            (unsigned)joint, rig->def.joints[joint].name, what);
        }
    }
    return check_channels(rig, mirror, index, error);
}

static void reflect(const double q[4], lmb_axis axis, double reflected[4]) {
    for (int i = 0; i < 4; i++) {
        reflected[i] = i < 3 && i != (int)axis ? -q[i] : q[i];
    }
}

// Finds the rotations of the rest pose in model space.
static void find_rest_turns(const lmb_rig *rig, double (*turns)[4]) {
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        double local[4];
        lmb_quaternion_from(rig->def.joints[joint].rest.rotation, local);
        uint32_t parent = rig->def.joints[joint].parent;
        if (parent == LMB_NONE) {
            memcpy(turns[joint], local, sizeof local);
        } else {
            lmb_quaternion_multiply(turns[parent], local, turns[joint]);
            lmb_quaternion_normalize(turns[joint]);
        }
    }
}

// Makes a quaternion exact if it is nearly one of the 24 rotations that map axes to axes.
static void make_exact(double q[4]) {
    static const double values[] = {0.0, 0.5, 0.70710678118654752, 1.0};
    double exact[4];
    double square = 0.0;
    for (int i = 0; i < 4; i++) {
        exact[i] = 2.0;
        for (int k = 0; k < 4; k++) {
            if (fabs(fabs(q[i]) - values[k]) <= NEARLY_EXACT) {
                exact[i] = q[i] < 0.0 ? -values[k] : values[k];
            }
        }
        square += exact[i] * exact[i];
    }
    if (fabs(square - 1.0) < 1e-9) {
        memcpy(q, exact, sizeof exact);
    }
}

// Finds C of a joint. It is computed for one of two partners; that of the other is its inverse, reflected, to the bit.
static void find_difference(const lmb_mirror_def *mirror, double (*turns)[4], uint32_t joint, double c[4]) {
    uint32_t partner = mirror->partners[joint];
    uint32_t first = partner < joint ? partner : joint;
    double inverse[4];
    double reflected[4];
    lmb_quaternion_conjugate(turns[mirror->partners[first]], inverse);
    reflect(inverse, mirror->axis, reflected);
    lmb_quaternion_multiply(reflected, turns[first], c);
    if (partner == joint) {
        c[mirror->axis] = 0.0; // it is its own reflected inverse
    }
    lmb_quaternion_normalize(c);
    make_exact(c);
    if (first != joint) {
        lmb_quaternion_conjugate(c, inverse);
        reflect(inverse, mirror->axis, c);
    }
}

static void matrix_of(const double q[4], double m[3][3]) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        int k = (i + 2) % 3;
        m[i][i] = (q[3] * q[3] + q[i] * q[i]) - (q[j] * q[j] + q[k] * q[k]);
        m[i][j] = 2.0 * (q[i] * q[j] - q[k] * q[3]);
        m[j][i] = 2.0 * (q[i] * q[j] + q[k] * q[3]);
    }
}

// Makes an entry whole if it differs from a whole number only by rounding in double precision.
static float rounded(double entry) {
    double whole = floor(entry + 0.5);
    return snap((float)(fabs(entry - whole) < 1e-12 ? whole : entry));
}

static bool changes_signs_alone(const double q[4]) {
    int zeros = 0;
    for (int i = 0; i < 4; i++) {
        zeros += q[i] == 0.0;
    }
    return zeros == 3;
}

static void put(uint32_t *table, uint32_t joints, uint32_t component, double value) {
    table[(size_t)component * joints] = BITS(rounded(value));
}

static void write_joint(const lmb_mirror_def *mirror, uint32_t joints, uint32_t partner, const double before[4],
                        const double after[4], uint32_t *record) {
    double inverse[4];
    double move[3][3];
    double axes[3][3];
    lmb_quaternion_conjugate(before, inverse);
    matrix_of(inverse, move);
    matrix_of(after, axes);
    record[(size_t)FIELD(MIRROR, partner) * joints] = partner;
    record[(size_t)FIELD(MIRROR, turns) * joints] = changes_signs_alone(before) && changes_signs_alone(after) ? 0 : 1;
    for (uint32_t i = 0; i < 4; i++) {
        put(record, joints, FIELD(MIRROR, before) + i, inverse[i]);
        put(record, joints, FIELD(MIRROR, after) + i, after[i]);
    }
    for (uint32_t row = 0; row < 3; row++) {
        for (uint32_t column = 0; column < 3; column++) {
            double sign = column == (uint32_t)mirror->axis ? -1.0 : 1.0;
            put(record, joints, FIELD(MIRROR, move) + 3 * row + column, sign * move[row][column]);
            put(record, joints, FIELD(MIRROR, scales) + 3 * row + column, axes[column][row] * axes[column][row]);
        }
    }
}

void lmb_mirror_write(const lmb_rig *rig, const lmb_mirror_def *mirror, double (*turns)[4], uint32_t *table) {
    find_rest_turns(rig, turns);
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        uint32_t parent = rig->def.joints[joint].parent;
        double before[4] = {0.0, 0.0, 0.0, 1.0};
        double after[4];
        if (parent != LMB_NONE) {
            find_difference(mirror, turns, parent, before);
        }
        find_difference(mirror, turns, joint, after);
        write_joint(mirror, rig->def.joint_count, mirror->partners[joint], before, after, table + joint);
    }
    for (uint32_t channel = 0; channel < rig->def.channel_count; channel++) {
        uint32_t sign = channel_sign(mirror, channel) < 0 ? 0x80000000u : 0;
        table[(size_t)rig->def.joint_count * WORDS_OF(MIRROR) + channel] = channel_partner(mirror, channel) | sign;
    }
}
