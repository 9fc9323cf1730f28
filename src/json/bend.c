// The axes about which limbs bend: "auto" finds them. One along the bone, one that is opposite to that about which the
// limb bends, and one that nobody stated where the limb bends about another, are warned about. So is an end of another
// limb.
//
// "auto" is the normal of the plane of both bones where the limb bends: in the rest pose, or, if it is straight there,
// in that sample of the character's clips in which it bends the most. A positive turn about it straightens the limb.
//
// Also the axis of an aim that points backwards in every clip, or that nobody stated and that points nowhere, which are
// warned about; and joints that are turned round in the rest pose, as that is the reference of a retarget.
#include "graph.h"

#include "clip/clip.h"
#include "write.h"

#include <limber/mirror.h>

#include <math.h>
#include <stdio.h>

#define CLIP_SAMPLES 16
// Of a comparison of all joints with the rest pose.
#define SAMPLED_CLIPS 16
#define SAMPLES_OF_EACH 4
// Sines of the angle between the bones: from which on the rest pose decides, and below which nothing does.
#define REST_SINE 0.05
#define MIN_SINE 0.01
// From which on a limb clearly bends, so that an opposite axis is wrong.
#define CLEAR_SINE 0.1

// A limb of the graph's rig.
typedef struct limb {
    const lmb_rig *rig;
    uint32_t start, mid, end;
} limb;

static lmb_transform local_of(const limb *limb, const lmb_clip *clip, float time, uint32_t joint) {
    return clip != NULL ? lmb_clip_sample(clip, limb->rig, joint, time)
                        : lmb_rig_get_def(limb->rig)->joints[joint].rest;
}

// Returns the matrix of a joint in the space of an ancestor; the identity for the same one. Stores false if it is none.
static lmb_affine find_matrix(const limb *limb, const lmb_clip *clip, float time, uint32_t joint, uint32_t ancestor,
                              bool *is_below) {
    lmb_affine matrix = lmb_affine_from_transform(lmb_transform_identity());
    for (; joint != LMB_NONE && joint != ancestor; joint = lmb_rig_get_def(limb->rig)->joints[joint].parent) {
        matrix = lmb_affine_multiply(lmb_affine_from_transform(local_of(limb, clip, time, joint)), matrix);
    }
    *is_below = joint != LMB_NONE;
    return matrix;
}

lmb_affine lmb_graph_model_of(const lmb_rig *rig, const lmb_clip *clip, float time, uint32_t joint) {
    const limb whole = {.rig = rig};
    bool is_above;
    return find_matrix(&whole, clip, time, joint, LMB_NONE, &is_above);
}

// Finds where the lower bone ends, in the space of the mid: at the end, or, if that is not below the mid, where the
// rest pose has it. Returns false if there is no such place.
static bool find_tip(const limb *limb, const lmb_clip *clip, float time, double tip[3]) {
    bool exists, is_above;
    lmb_affine end = find_matrix(limb, clip, time, limb->end, limb->mid, &exists);
    if (!exists) {
        const lmb_affine mid = find_matrix(limb, NULL, 0.0f, limb->mid, LMB_NONE, &is_above);
        lmb_affine inverse;
        exists = lmb_affine_invert(mid, &inverse);
        end = lmb_affine_multiply(inverse, find_matrix(limb, NULL, 0.0f, limb->end, LMB_NONE, &is_above));
    }
    for (int i = 0; i < 3; i++) {
        tip[i] = (double)end.m[i][3];
    }
    return exists;
}

// Computes the axis of a pose, of length 1, in the space of the mid, and returns the sine of the angle between the
// bones.
static double find_axis(const limb *limb, const lmb_clip *clip, float time, double axis[3]) {
    bool is_below;
    lmb_affine to_start;
    double a[3], b[3];
    const lmb_affine mid = find_matrix(limb, clip, time, limb->mid, limb->start, &is_below);
    if (!is_below || !find_tip(limb, clip, time, b) || !lmb_affine_invert(mid, &to_start)) {
        return 0.0;
    }
    double lengths = 0.0, length = 0.0, squares[2] = {0.0, 0.0};
    for (int i = 0; i < 3; i++) {
        a[i] = -(double)to_start.m[i][3]; // from the start to the mid
        squares[0] += a[i] * a[i];
        squares[1] += b[i] * b[i];
    }
    for (int i = 0; i < 3; i++) {
        axis[i] = b[(i + 1) % 3] * a[(i + 2) % 3] - b[(i + 2) % 3] * a[(i + 1) % 3];
        length += axis[i] * axis[i];
    }
    length = sqrt(length);
    lengths = sqrt(squares[0] * squares[1]);
    for (int i = 0; i < 3 && length > 0.0; i++) {
        axis[i] /= length;
    }
    return lengths > 0.0 ? length / lengths : 0.0;
}

// Replaces an axis by that of a sample of the clips in which the limb bends more than `sine`. Returns the new sine.
static double search_clips(const lmb_graph_reader *reader, const limb *limb, double sine, double axis[3]) {
    const lmb_graph_source *source = reader->source;
    for (uint32_t i = 0; i < source->clip_count; i++) {
        const lmb_clip *clip = source->clips[i];
        for (int sample = 0; sample < CLIP_SAMPLES && !lmb_clip_get_info(clip)->is_additive; sample++) {
            double own[3];
            const float time = lmb_clip_get_info(clip)->duration * (float)sample / (float)CLIP_SAMPLES;
            const double bent = find_axis(limb, clip, time, own);
            for (int k = 0; k < 3 && bent > sine; k++) {
                axis[k] = own[k];
            }
            sine = fmax(sine, bent);
        }
    }
    return sine;
}

static void take_axis(lmb_graph_reader *reader, uint32_t at, const limb *limb, float axis[3]) {
    double found[3] = {0.0, 0.0, 0.0};
    double sine = find_axis(limb, NULL, 0.0f, found);
    if (sine < REST_SINE) {
        sine = search_clips(reader, limb, sine, found);
    }
    if (sine < MIN_SINE) {
        lmb_graph_report(reader, at,
                         "'%.60s', '%.60s' and '%.60s' are in a line in the rest pose and in all clips, so "
                         "no axis can be found: state it",
                         lmb_rig_get_def(limb->rig)->joints[limb->start].name,
                         lmb_rig_get_def(limb->rig)->joints[limb->mid].name,
                         lmb_rig_get_def(limb->rig)->joints[limb->end].name);
        return;
    }
    for (int i = 0; i < 3; i++) {
        axis[i] = (float)found[i];
    }
}

// Warns if the axis is along the bone to the end in the rest pose, within about 20 degrees.
static void check_axis(lmb_graph_reader *reader, uint32_t at, const char *member, const limb *limb,
                       const float axis[3]) {
    double bone[3], dot = 0.0, bone_square = 0.0, axis_square = 0.0;
    const bool exists = find_tip(limb, NULL, 0.0f, bone);
    for (int i = 0; i < 3; i++) {
        dot += bone[i] * (double)axis[i];
        bone_square += bone[i] * bone[i];
        axis_square += (double)axis[i] * (double)axis[i];
    }
    if (exists && dot * dot > 0.88 * bone_square * axis_square) {
        lmb_graph_warn(
            reader, at, "%s is along the bone from '%.60s' to '%.60s': a turn about it does not bend the limb", member,
            lmb_rig_get_def(limb->rig)->joints[limb->mid].name, lmb_rig_get_def(limb->rig)->joints[limb->end].name);
    }
}

// Returns whether the limb bends clearly, at rest or in a clip, and an axis is opposite to that about which it does,
// within 60 degrees. Then stores the one. A clip that bends the limb more than the rest pose decides.
static bool is_opposite(const lmb_graph_reader *reader, const limb *limb, const float axis[3], double found[3]) {
    double sine = find_axis(limb, NULL, 0.0f, found);
    bool is_against = true;
    for (int pass = 0; pass < 2 && is_against; pass++) {
        sine = pass == 0 ? sine : search_clips(reader, limb, sine, found);
        double dot = 0.0, square = 0.0;
        for (int i = 0; i < 3; i++) {
            dot += found[i] * (double)axis[i];
            square += (double)axis[i] * (double)axis[i];
        }
        is_against = dot < -0.5 * sqrt(square) || (pass == 0 && sine < CLEAR_SINE);
    }
    return is_against && sine >= CLEAR_SINE;
}

// Rounds a coordinate for a message.
static double rounded(double coordinate) {
    return round(10.0 * coordinate) / 10.0 + 0.0;
}

static void check_stated_axis(lmb_graph_reader *reader, uint32_t at, const char *member, const limb *limb,
                              const float axis[3]) {
    double found[3] = {0.0, 0.0, 0.0};
    check_axis(reader, at, member, limb, axis);
    if (is_opposite(reader, limb, axis, found)) {
        lmb_graph_warn(
            reader, at,
            "nearly opposite to the axis about which '%.60s' bends, [%g, %g, %g], so the limb bends the wrong way: "
            "\"auto\" finds that axis",
            lmb_rig_get_def(limb->rig)->joints[limb->mid].name, rounded(found[0]), rounded(found[1]),
            rounded(found[2]));
    }
}

// Warns of an axis that nobody stated if the limb bends about another one, by more than 45 degrees, or the other way.
static void check_unstated_axis(lmb_graph_reader *reader, uint32_t object, const char *member, const limb *limb,
                                const float axis[3]) {
    double found[3] = {0.0, 0.0, 0.0}, dot = 0.0, square = 0.0;
    const double at_rest = find_axis(limb, NULL, 0.0f, found);
    const double sine = at_rest < REST_SINE ? search_clips(reader, limb, at_rest, found) : at_rest;
    for (int i = 0; i < 3; i++) {
        dot += found[i] * (double)axis[i];
        square += (double)axis[i] * (double)axis[i];
    }
    if (sine < MIN_SINE) {
        check_axis(reader, object, member, limb, axis);
    } else if (dot < 0.7 * sqrt(square)) {
        lmb_graph_warn(reader, object,
                       "without \"%s\" it is [%g, %g, %g], and in the %s '%.60s' bends about [%g, %g, %g]: write "
                       "\"%s\": \"auto\"",
                       member, (double)axis[0], (double)axis[1], (double)axis[2],
                       at_rest < REST_SINE ? "clips" : "rest pose", lmb_rig_get_def(limb->rig)->joints[limb->mid].name,
                       rounded(found[0]), rounded(found[1]), rounded(found[2]), member);
    }
}

static bool is_below(const lmb_rig *rig, uint32_t joint, uint32_t ancestor) {
    do {
        joint = joint != LMB_NONE ? lmb_rig_get_def(rig)->joints[joint].parent : LMB_NONE;
    } while (joint != LMB_NONE && joint != ancestor);
    return joint != LMB_NONE;
}

// Returns whether three joints are a limb. The check of the node says what is wrong with others.
static bool is_limb(const limb *limb) {
    const bool is_apart = limb->end != limb->start && !is_below(limb->rig, limb->end, limb->start) &&
                          !is_below(limb->rig, limb->start, limb->end);
    return is_below(limb->rig, limb->mid, limb->start) && (is_below(limb->rig, limb->end, limb->mid) || is_apart);
}

// Returns how many joints a joint is below an ancestor.
static uint32_t depth_below(const lmb_rig *rig, uint32_t joint, uint32_t ancestor) {
    uint32_t depth = 0;
    for (; joint != ancestor; depth++) {
        joint = lmb_rig_get_def(rig)->joints[joint].parent;
    }
    return depth;
}

// Returns whether the mid ends somewhere of its own: a joint is below it.
static bool has_tip(const limb *limb) {
    bool found = false;
    for (uint32_t i = limb->mid + 1; i < lmb_rig_get_def(limb->rig)->joint_count && !found; i++) {
        found = lmb_rig_get_def(limb->rig)->joints[i].parent == limb->mid;
    }
    return found;
}

// Returns the mirror partner of the end if that is below the mid, or LMB_NONE.
static uint32_t partner_below(lmb_graph_reader *reader, const limb *limb) {
    uint32_t *partners =
        lmb_graph_allocate(reader, &reader->scratch, lmb_rig_get_def(limb->rig)->joint_count, sizeof *partners);
    uint32_t found = LMB_NONE;
    const lmb_host host = lmb_pool_host(&reader->scratch);
    if (partners != NULL && lmb_rig_find_mirror(limb->rig, &host, partners, NULL) == LMB_OK &&
        is_below(limb->rig, partners[limb->end], limb->mid)) {
        found = partners[limb->end];
    }
    lmb_pool_release(&reader->scratch, partners);
    return found;
}

// Warns of an end that is not below its mid, but below another limb. Rigs made for inverse kinematics have ends under
// their root, their pelvis or a few joints there, which is legitimate. So the end is of another limb if its partner of
// the other side is below the mid; or if it is deeper than the mid below the joint that both have in common, as no end
// under the root or the pelvis is, while the mid has a joint of its own below it. Returns whether it warned.
static bool check_end(lmb_graph_reader *reader, uint32_t at, const limb *limb) {
    const lmb_rig *rig = limb->rig;
    if (at == LMB_NONE || is_below(rig, limb->end, limb->mid)) {
        return false;
    }
    const uint32_t partner = partner_below(reader, limb);
    uint32_t common = limb->start;
    while (common != LMB_NONE && !is_below(rig, limb->end, common)) {
        common = lmb_rig_get_def(rig)->joints[common].parent;
    }
    if (partner != LMB_NONE) {
        lmb_graph_warn(reader, at, "'%.60s' is of another limb, not below '%.60s': is it '%.60s'?",
                       lmb_rig_get_def(rig)->joints[limb->end].name, lmb_rig_get_def(rig)->joints[limb->mid].name,
                       lmb_rig_get_def(rig)->joints[partner].name);
        return true;
    }
    const bool is_deep = common != LMB_NONE && has_tip(limb) &&
                         depth_below(rig, limb->end, common) > depth_below(rig, limb->mid, common);
    if (is_deep) {
        lmb_graph_warn(reader, at, "'%.60s' is below '%.60s', not below '%.60s': is it the end of another limb?",
                       lmb_rig_get_def(rig)->joints[limb->end].name,
                       lmb_rig_get_def(rig)->joints[lmb_rig_get_def(rig)->joints[limb->end].parent].name,
                       lmb_rig_get_def(rig)->joints[limb->mid].name);
    }
    return is_deep;
}

void lmb_graph_take_bend(lmb_graph_reader *reader, uint32_t object, const char *member, const uint32_t joints[3],
                         float axis[3]) {
    const uint32_t at = lmb_graph_find_member(reader, object, member);
    const limb limb = {reader->source->rig, joints[0], joints[1], joints[2]};
    if (!is_limb(&limb)) {
        return;
    }
    const uint32_t end = lmb_graph_find_member(reader, object, "end");
    const bool is_other =
        check_end(reader, end != LMB_NONE ? end : lmb_graph_find_member(reader, object, "ankle"), &limb);
    if (at != LMB_NONE && lmb_graph_is_text(reader, at, "auto")) {
        take_axis(reader, at, &limb, axis);
    } else if (at == LMB_NONE && !is_other) {
        check_unstated_axis(reader, object, member, &limb, axis);
    } else if (!is_other) {
        check_stated_axis(reader, at, member, &limb, axis);
    }
}

// Adds the direction of an axis of a joint in model space, in a sample of a clip.
static void add_direction(const limb *limb, const lmb_clip *clip, float time, uint32_t joint, const float axis[3],
                          double sum[3]) {
    bool is_below;
    const lmb_affine model = find_matrix(limb, clip, time, joint, LMB_NONE, &is_below);
    double way[3], square = 0.0;
    for (int row = 0; row < 3; row++) {
        way[row] = (double)model.m[row][0] * (double)axis[0] + (double)model.m[row][1] * (double)axis[1] +
                   (double)model.m[row][2] * (double)axis[2];
        square += way[row] * way[row];
    }
    for (int row = 0; row < 3; row++) {
        sum[row] += square > 0.0 ? way[row] / sqrt(square) : 0.0;
    }
}

// Returns the mean of z in model space of an axis of a joint, in samples of all clips; in the rest pose without clips.
static double mean_ahead(const lmb_graph_source *source, uint32_t joint, const float axis[3]) {
    const limb limb = {.rig = source->rig};
    double sum[3] = {0.0, 0.0, 0.0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < source->clip_count; i++) {
        const lmb_clip *clip = source->clips[i];
        const bool is_pose = !lmb_clip_get_info(clip)->is_additive &&
                             lmb_clip_get_info(clip)->joint_count == lmb_rig_get_def(limb.rig)->joint_count;
        for (uint32_t k = 0; k < CLIP_SAMPLES && is_pose; k++, count++) {
            const float time = lmb_clip_get_info(clip)->duration * (float)k / (float)CLIP_SAMPLES;
            add_direction(&limb, clip, time, joint, axis, sum);
        }
    }
    if (count == 0) {
        add_direction(&limb, NULL, 0.0f, joint, axis, sum);
        count = 1;
    }
    return sum[2] / (double)count;
}

// Returns whether an axis of a joint is along the bone to a child, within about 30 degrees.
static bool is_along_bone(const lmb_rig *rig, uint32_t joint, const float axis[3]) {
    const lmb_rig_def *rig_def = lmb_rig_get_def(rig);
    bool found = false;
    for (uint32_t child = joint + 1; child < rig_def->joint_count && !found; child++) {
        const lmb_transform rest = rig_def->joints[child].rest;
        double dot = 0.0, squares[2] = {0.0, 0.0};
        for (int i = 0; i < 3; i++) {
            dot += (double)rest.translation[i] * (double)axis[i];
            squares[0] += (double)rest.translation[i] * (double)rest.translation[i];
            squares[1] += (double)axis[i] * (double)axis[i];
        }
        found = rig_def->joints[child].parent == joint && dot > 0.85 * sqrt(squares[0] * squares[1]);
    }
    return found;
}

// Warns of a forward axis that nobody stated if it points neither ahead nor along a bone. Names the axis that points
// ahead, if one does.
static void check_unstated_forward(lmb_graph_reader *reader, uint32_t object, uint32_t joint, const float forward[3]) {
    const lmb_graph_source *source = reader->source;
    char ahead[60] = "'limber info --axes' shows the axes";
    if (mean_ahead(source, joint, forward) > 0.5 || is_along_bone(source->rig, joint, forward)) {
        return;
    }
    for (int i = 0; i < 6; i++) {
        const float axis[3] = {i % 3 == 0, i % 3 == 1, i % 3 == 2};
        if (mean_ahead(source, joint, axis) * (i < 3 ? 1.0 : -1.0) > 0.7) {
            const int sign = i < 3 ? 1 : -1;
            snprintf(ahead, sizeof ahead, "write \"forward\": [%d, %d, %d]", i % 3 == 0 ? sign : 0,
                     i % 3 == 1 ? sign : 0, i % 3 == 2 ? sign : 0);
        }
    }
    lmb_graph_warn(
        reader, object,
        "without \"forward\" the axis that aims is [%g, %g, %g], which points neither ahead nor along a bone "
        "of '%.60s': %s",
        (double)forward[0], (double)forward[1], (double)forward[2], lmb_rig_get_def(source->rig)->joints[joint].name,
        ahead);
}

// Warns of an up axis along the forward one: then nothing turns about the line to the target.
static void check_up(lmb_graph_reader *reader, uint32_t object, const float forward[3], const float up[3]) {
    static const char *const members[] = {"up", "pole", "twist"};
    uint32_t at = LMB_NONE;
    double dot = 0.0, squares[2] = {0.0, 0.0};
    for (int i = 0; i < 3; i++) {
        dot += (double)forward[i] * (double)up[i];
        squares[0] += (double)forward[i] * (double)forward[i];
        squares[1] += (double)up[i] * (double)up[i];
        at = at == LMB_NONE ? lmb_graph_find_member(reader, object, members[i]) : at;
    }
    if (at != LMB_NONE && dot * dot > 0.999 * squares[0] * squares[1]) {
        lmb_graph_warn(reader, at,
                       "\"forward\" and \"up\" are one axis, [%g, %g, %g], so nothing turns about the line to the "
                       "target: write an \"up\" across it",
                       (double)up[0], (double)up[1], (double)up[2]);
    }
}

void lmb_graph_check_aim(lmb_graph_reader *reader, uint32_t object, uint32_t joint, const float forward[3],
                         const float up[3]) {
    const uint32_t at = lmb_graph_find_member(reader, object, "forward");
    check_up(reader, object, forward, up);
    if (at == LMB_NONE) {
        check_unstated_forward(reader, object, joint, forward);
    } else if (mean_ahead(reader->source, joint, forward) < -0.5 && reader->source->clip_count > 0) {
        lmb_graph_warn(reader, at,
                       "it points backwards in the clips, so that an aim ahead turns '%.60s' round: is it [%g, %g, "
                       "%g]? 'limber info --axes' shows the axes in the clips, too",
                       lmb_rig_get_def(reader->source->rig)->joints[joint].name, 0.0 - (double)forward[0],
                       0.0 - (double)forward[1], 0.0 - (double)forward[2]);
    }
}

bool lmb_graph_is_turned(const lmb_rig *rig, const lmb_clip *const *clips, uint32_t clip_count, uint32_t joint) {
    const limb limb = {.rig = rig};
    double sums[3][3] = {{0.0}};
    uint32_t count = 0;
    bool turned = false;
    for (uint32_t i = 0; i < clip_count && count < SAMPLED_CLIPS * SAMPLES_OF_EACH; i++) {
        const bool is_pose = !lmb_clip_get_info(clips[i])->is_additive &&
                             lmb_clip_get_info(clips[i])->joint_count == lmb_rig_get_def(rig)->joint_count;
        for (uint32_t k = 0; k < SAMPLES_OF_EACH && is_pose; k++, count++) {
            for (int axis = 0; axis < 3; axis++) {
                const float unit[3] = {axis == 0, axis == 1, axis == 2};
                add_direction(&limb, clips[i], lmb_clip_get_info(clips[i])->duration * (float)k / SAMPLES_OF_EACH,
                              joint, unit, sums[axis]);
            }
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        const float unit[3] = {axis == 0, axis == 1, axis == 2};
        double rest[3] = {0.0, 0.0, 0.0}, dot = 0.0;
        add_direction(&limb, NULL, 0.0f, joint, unit, rest);
        for (int row = 0; row < 3; row++) {
            dot += rest[row] * sums[axis][row];
        }
        turned = turned || dot < -0.7 * (double)count;
    }
    return turned;
}

// "auto" waits for the joints.
static void read_axis(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    if (!lmb_graph_is_text(reader, value, "auto")) {
        lmb_graph_read_floats(reader, field, value, target);
    }
}

const lmb_graph_kind lmb_kind_bend_axis = {read_axis,
                                           "{'anyOf':[{'const':'auto'},{'type':'array','items':{'type':'number',$range}"
                                           ",'minItems':$count,'maxItems':$count}]}",
                                           lmb_graph_write_numbers};
