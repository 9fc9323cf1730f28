// Retargets: checks, and the tables that shaders/ops/retarget.h reads. Everything here is computed in double precision,
// with no function of the C library but the square root, so that all platforms compute the same tables.
#include "retarget.h"

#include "base/fields.h"
#include "base/float_environment.h"
#include "base/number.h"
#include "math/matrix.h"
#include "math/quaternion.h"
#include "math/value.h"
#include "rig.h"

#include "../../shaders/ops/retarget.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LENGTH_BOUND 1e-3 // of rotations
#define SHORTEST 0x1p-20  // a shorter length is none
#define LARGEST_FACTOR 0x1p20f

lmb_retarget_def lmb_retarget_of(const lmb_rig *source, const uint32_t *joints) {
    lmb_retarget_def def = lmb_default_retarget_def();
    if (source != NULL) {
        def.source_joint_count = source->def.joint_count;
        def.source_parents = source->parents;
        def.source_rest = source->rest;
    }
    def.joints = joints;
    return def;
}

// ---- Names.

static bool is_alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c & 0x80) != 0;
}

// Returns the next character of a name that counts, as a lower-case letter, or 0.
static char next_of_name(const char **name) {
    while (**name != '\0' && !is_alphanumeric(**name)) {
        (*name)++;
    }
    const char c = **name;
    *name += c != '\0';
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static const char *without_namespace(const char *name) {
    const char *start = name;
    for (; *name != '\0'; name++) {
        start = *name == ':' || *name == '|' ? name + 1 : start;
    }
    return start;
}

static bool names_match(const char *a, const char *b) {
    a = without_namespace(a);
    b = without_namespace(b);
    char c = next_of_name(&a), d = next_of_name(&b);
    const bool is_empty = c == '\0';
    while (c != '\0' && c == d) {
        c = next_of_name(&a);
        d = next_of_name(&b);
    }
    return c == d && !is_empty;
}

uint32_t lmb_rig_find_retarget(const lmb_rig *rig, const lmb_rig *source, uint32_t *joints) {
    uint32_t found = 0;
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        uint32_t i = 0;
        while (i < source->def.joint_count && !names_match(rig->def.joints[joint].name, source->def.joints[i].name)) {
            i++;
        }
        joints[joint] = i < source->def.joint_count ? i : LMB_NONE;
        found += i < source->def.joint_count;
    }
    return found;
}

// ---- Joints.

static uint32_t mapped_above(const lmb_rig *rig, const lmb_retarget_def *def, uint32_t joint) {
    uint32_t above = rig->def.joints[joint].parent;
    while (above != LMB_NONE && def->joints[above] == LMB_NONE) {
        above = rig->def.joints[above].parent;
    }
    return above;
}

// The joints of the source that a joint reads: from its own up to, and without, that of the mapped joint above, or up
// to a root, and in that case down again.
typedef struct way {
    uint32_t up;
    uint32_t down;
    bool is_still; // the mapped joint above has the same source
} way;

static uint32_t count_up(const lmb_retarget_def *def, uint32_t from, uint32_t to) {
    uint32_t count = 0;
    for (; from != LMB_NONE && from != to; from = def->source_parents[from]) {
        count++;
    }
    return count;
}

static bool is_under(const lmb_retarget_def *def, uint32_t joint, uint32_t ancestor) {
    while (joint != LMB_NONE && joint != ancestor) {
        joint = def->source_parents[joint];
    }
    return joint == ancestor;
}

static way find_way(const lmb_retarget_def *def, uint32_t joint, uint32_t above) {
    const uint32_t from = def->joints[joint], to = above == LMB_NONE ? LMB_NONE : def->joints[above];
    way found = {count_up(def, from, to), 0, above != LMB_NONE && from == to};
    if (!is_under(def, from, to)) {
        found.down = count_up(def, to, LMB_NONE);
    }
    return found;
}

static uint32_t count_steps(way w) {
    return w.is_still ? 1 : w.up + w.down;
}

// ---- Checks.

static bool refuse(uint32_t index, lmb_error *error, lmb_result result, const char *what) {
    return lmb_refuse(error, result, "graph: retarget %u: %s", (unsigned)index, what);
}

static bool refuse_joint(const lmb_rig *rig, uint32_t index, uint32_t joint, lmb_error *error, const char *what) {
    return lmb_refuse(error, LMB_ERROR_ARGUMENT, "graph: retarget %u: joint %u '%.80s': %s", (unsigned)index,
                      (unsigned)joint, rig->def.joints[joint].name, what);
}

static bool is_transform(const lmb_transform *given) {
    float values[POSE_COMPONENTS];
    size_t offender;
    memcpy(values, given, sizeof values);
    return lmb_usable(values, POSE_COMPONENTS, &offender) &&
           fabs(lmb_rotation_length(given->rotation) - 1.0) <= LENGTH_BOUND;
}

static bool check_source_joint(const lmb_retarget_def *def, uint32_t index, uint32_t joint, lmb_error *error) {
    const uint32_t parent = def->source_parents[joint];
    const char *what = parent != LMB_NONE && parent >= joint ? "its parent is not below it"
                       : !is_transform(&def->source_rest[joint])
                           ? "its rest pose is not finite and up to 2^40, with a rotation of length 1"
                       : def->source_pose != NULL && !is_transform(&def->source_pose[joint])
                           ? "its reference pose is not finite and up to 2^40, with a rotation of length 1"
                           : NULL;
    return what == NULL || lmb_refuse(error, LMB_ERROR_ARGUMENT, "graph: retarget %u: joint %u of the source: %s",
                                      (unsigned)index, (unsigned)joint, what);
}

static bool check_joint(const lmb_rig *rig, const lmb_retarget_def *def, uint32_t index, uint32_t joint,
                        lmb_error *error) {
    const uint32_t source = def->joints[joint];
    const bool is_mapped = source != LMB_NONE;
    const char *what = is_mapped && source >= def->source_joint_count ? "the source has no such joint"
                       : def->scales != NULL && !(def->scales[joint] >= 0.0f && def->scales[joint] <= LARGEST_FACTOR)
                           ? "its scale is not from 0 to 2^20"
                       : is_mapped && def->target_pose != NULL && !is_transform(&def->target_pose[joint])
                           ? "its reference pose is not finite and up to 2^40, with a rotation of length 1"
                           : NULL;
    return what == NULL || refuse_joint(rig, index, joint, error, what);
}

static bool check_foot(const lmb_rig *rig, const lmb_retarget_def *def, uint32_t index, lmb_error *error) {
    if (def->foot == LMB_NONE) {
        return true;
    }
    if (def->foot >= rig->def.joint_count) {
        return refuse(index, error, LMB_ERROR_ARGUMENT, "foot: the rig has no such joint");
    }
    const uint32_t shin = mapped_above(rig, def, def->foot);
    const uint32_t thigh = shin == LMB_NONE ? LMB_NONE : mapped_above(rig, def, shin);
    return (def->joints[def->foot] != LMB_NONE && thigh != LMB_NONE) ||
           refuse_joint(
               rig, index, def->foot, error,
               "it is the foot, and it or two joints above it are not mapped; without \"foot\" no leg is fitted");
}

static bool check_numbers(const lmb_retarget_def *def, uint32_t index, lmb_error *error) {
    float unit[4];
    size_t offender;
    lmb_field_fault fault;
    if (!lmb_usable(def->turn, 4, &offender) || !lmb_normalize_rotation(def->turn, unit)) {
        return refuse(index, error, LMB_ERROR_ARGUMENT, "turn: it is 0, or not finite and up to 2^40");
    }
    return lmb_fields_check(&lmb_retarget_fields, def, &(lmb_field_context){0}, &fault) ||
           lmb_refuse(error, LMB_ERROR_ARGUMENT, "graph: retarget %u: %s: %s", (unsigned)index, fault.field, fault.why);
}

static bool check_steps(const lmb_rig *rig, const lmb_retarget_def *def, uint32_t index, lmb_error *error) {
    uint32_t steps = 0;
    for (uint32_t joint = 0; joint < rig->def.joint_count && steps <= LMB_MAX_RETARGET_STEPS; joint++) {
        if (def->joints[joint] != LMB_NONE) {
            steps += count_steps(find_way(def, joint, mapped_above(rig, def, joint)));
        }
    }
    return steps <= LMB_MAX_RETARGET_STEPS ||
           refuse(index, error, LMB_ERROR_LIMIT, "its joints read more than 2^20 joints of the source together");
}

bool lmb_retarget_check(const lmb_rig *rig, const lmb_retarget_def *def, uint32_t index, lmb_error *error) {
    const char *what =
        def->cookie != LMB_COOKIE ? "it is not from lmb_default_retarget_def()"
        : (def->source_joint_count == 0) != (rig->def.joint_count == 0) || def->source_joint_count > LMB_MAX_JOINTS
            ? "the number of joints of the source is not from 1 to 65535"
        : rig->def.joint_count > 0 && def->joints == NULL         ? "the joints are NULL"
        : rig->def.joint_count > 0 && def->source_parents == NULL ? "the parents of the source are NULL"
        : rig->def.joint_count > 0 && def->source_rest == NULL    ? "the rest pose of the source is NULL"
                                                                  : NULL;
    if (what != NULL) {
        return refuse(index, error, LMB_ERROR_ARGUMENT, what);
    }
    bool valid = check_numbers(def, index, error);
    for (uint32_t joint = 0; joint < def->source_joint_count && valid; joint++) {
        valid = check_source_joint(def, index, joint, error);
    }
    for (uint32_t joint = 0; joint < rig->def.joint_count && valid; joint++) {
        valid = check_joint(rig, def, index, joint, error);
    }
    return valid && check_foot(rig, def, index, error) && check_steps(rig, def, index, error);
}

// ---- Arithmetic.

// The shortest arc between unit vectors; from a vector to its opposite about any axis.
static void find_arc(const double a[3], const double b[3], double q[4]) {
    const int smallest = fabs(a[0]) <= fabs(a[1]) && fabs(a[0]) <= fabs(a[2]) ? 0 : fabs(a[1]) <= fabs(a[2]) ? 1 : 2;
    const double other[3] = {smallest == 0, smallest == 1, smallest == 2};
    const bool is_opposite = lmb_dot(a, b) < -1.0 + 1e-12;
    const double *to = is_opposite ? other : b;
    lmb_cross(a, to, q);
    q[3] = is_opposite ? 0.0 : 1.0 + lmb_dot(a, b);
    lmb_quaternion_normalize(q);
}

// The cosine of an angle, by its Taylor series after halving.
static double cosine_of(double angle) {
    const double x = angle < 3.5 ? angle / 8.0 : 3.5 / 8.0;
    double term = 1.0, sum = 1.0;
    for (int i = 2; i <= 16; i += 2) {
        term *= -x * x / (double)((i - 1) * i);
        sum += term;
    }
    for (int i = 0; i < 3; i++) {
        sum = 2.0 * sum * sum - 1.0;
    }
    return sum;
}

// ---- Reference poses.

static const lmb_transform *source_reference(const lmb_retarget_def *def, uint32_t joint) {
    return def->source_pose != NULL ? &def->source_pose[joint] : &def->source_rest[joint];
}

static const lmb_transform *target_reference(const lmb_rig *rig, const lmb_retarget_def *def, uint32_t joint) {
    const bool is_given = def->target_pose != NULL && def->joints[joint] != LMB_NONE;
    return is_given ? &def->target_pose[joint] : &rig->def.joints[joint].rest;
}

static void find_frame(const lmb_transform *local, const lmb_retarget_frame *parent, lmb_retarget_frame *frame) {
    *frame = (lmb_retarget_frame){.above = LMB_NONE, .below = LMB_NONE};
    for (int i = 0; i < 3; i++) {
        frame->place[i] = (double)local->translation[i];
        frame->size += fabs((double)local->scale[i]) / 3.0;
    }
    lmb_quaternion_from(local->rotation, frame->turn);
    if (parent != NULL) {
        lmb_quaternion_multiply(parent->turn, frame->turn, frame->turn);
        lmb_quaternion_normalize(frame->turn);
        lmb_quaternion_rotate(parent->turn, frame->place, frame->place);
        for (int i = 0; i < 3; i++) {
            frame->place[i] = parent->place[i] + parent->size * frame->place[i];
        }
        frame->size *= parent->size;
    }
}

// A retarget while its table is written.
typedef struct writer {
    const lmb_rig *rig;
    const lmb_retarget_def *def;
    lmb_retarget_frame *targets; // [joint of the rig]
    lmb_retarget_frame *sources; // [joint of the source]
    double turn[4];
    double root_scale;
} writer;

static void find_frames(writer *w) {
    const lmb_retarget_def *def = w->def;
    for (uint32_t joint = 0; joint < def->source_joint_count; joint++) {
        const uint32_t parent = def->source_parents[joint];
        find_frame(source_reference(def, joint), parent != LMB_NONE ? &w->sources[parent] : NULL, &w->sources[joint]);
    }
    for (uint32_t joint = 0; joint < w->rig->def.joint_count; joint++) {
        const uint32_t parent = w->rig->def.joints[joint].parent;
        lmb_retarget_frame *frame = &w->targets[joint];
        find_frame(target_reference(w->rig, def, joint), parent != LMB_NONE ? &w->targets[parent] : NULL, frame);
        if (parent != LMB_NONE) {
            frame->above = def->joints[parent] != LMB_NONE ? parent : w->targets[parent].above;
        }
        if (def->joints[joint] != LMB_NONE && frame->above != LMB_NONE) {
            lmb_retarget_frame *above = &w->targets[frame->above];
            above->below = above->below == LMB_NONE ? joint : frame->above;
        }
    }
}

static double distance(const lmb_retarget_frame *a, const lmb_retarget_frame *b) {
    const double way[3] = {b->place[0] - a->place[0], b->place[1] - a->place[1], b->place[2] - a->place[2]};
    return lmb_length(way);
}

// Finds the unit vector of a bone, turned. Returns false if it is too short.
static bool find_direction(const lmb_retarget_frame *from, const lmb_retarget_frame *to, const double turn[4],
                           double direction[3]) {
    const double length = distance(from, to);
    double unit[3] = {0};
    for (int i = 0; i < 3 && length > SHORTEST; i++) {
        unit[i] = (to->place[i] - from->place[i]) / length;
    }
    lmb_quaternion_rotate(turn, unit, direction);
    return length > SHORTEST;
}

// Finds the position of a joint in the corrected pose, in which all joints above it are known.
static void find_corrected(const writer *w, uint32_t joint) {
    const uint32_t parent = w->rig->def.joints[joint].parent;
    const lmb_transform *local = target_reference(w->rig, w->def, joint);
    double moved[3] = {(double)local->translation[0], (double)local->translation[1], (double)local->translation[2]};
    if (parent != LMB_NONE) {
        const lmb_retarget_frame *above = &w->targets[parent];
        double turn[4];
        lmb_quaternion_multiply(above->aligned, above->turn, turn);
        lmb_quaternion_rotate(turn, moved, moved);
        for (int i = 0; i < 3; i++) {
            moved[i] = above->corrected[i] + above->size * moved[i];
        }
    }
    memcpy(w->targets[joint].corrected, moved, sizeof moved);
}

// Finds the correction of each joint, from the roots on.
static void align(writer *w) {
    const lmb_retarget_def *def = w->def;
    const double threshold = def->align_above > 3.2f ? -2.0 : cosine_of((double)def->align_above);
    for (uint32_t joint = 0; joint < w->rig->def.joint_count; joint++) {
        lmb_retarget_frame *frame = &w->targets[joint];
        const uint32_t parent = w->rig->def.joints[joint].parent;
        const double identity[4] = {0.0, 0.0, 0.0, 1.0};
        find_corrected(w, joint);
        frame->cosine = 1.0;
        memcpy(frame->aligned, parent != LMB_NONE ? w->targets[parent].aligned : identity, sizeof identity);
        const bool has_bone = def->joints[joint] != LMB_NONE && frame->below != LMB_NONE && frame->below != joint;
        if (!has_bone || (def->aligned != NULL && def->aligned[joint] == 0)) {
            continue;
        }
        double own[3], other[3], arc[4];
        if (find_direction(frame, &w->targets[frame->below], frame->aligned, own) &&
            find_direction(&w->sources[def->joints[joint]], &w->sources[def->joints[frame->below]], w->turn, other) &&
            lmb_dot(own, other) < threshold) {
            frame->cosine = lmb_dot(own, other);
            find_arc(own, other, arc);
            lmb_quaternion_multiply(arc, frame->aligned, frame->aligned);
            lmb_quaternion_normalize(frame->aligned);
        }
    }
}

// ---- Scales.

static double find_leg(const writer *w, bool of_source) {
    const uint32_t shin = w->targets[w->def->foot].above, thigh = w->targets[shin].above;
    const uint32_t joints[3] = {w->def->foot, shin, thigh};
    double length = 0.0;
    for (int i = 0; i < 2; i++) {
        length += of_source
                      ? distance(&w->sources[w->def->joints[joints[i]]], &w->sources[w->def->joints[joints[i + 1]]])
                      : distance(&w->targets[joints[i]], &w->targets[joints[i + 1]]);
    }
    return length;
}

static double find_ratio(const writer *w) {
    const lmb_retarget_def *def = w->def;
    if (def->root_scale > 0.0f) {
        return (double)def->root_scale;
    }
    if (def->foot != LMB_NONE && find_leg(w, true) > SHORTEST) {
        return find_leg(w, false) / find_leg(w, true);
    }
    for (uint32_t joint = 0; joint < w->rig->def.joint_count; joint++) {
        if (def->joints[joint] != LMB_NONE) {
            const double own = lmb_length(w->targets[joint].place);
            const double other = lmb_length(w->sources[def->joints[joint]].place);
            if (own > SHORTEST && other > SHORTEST) {
                return own / other;
            }
        }
    }
    return 1.0;
}

// The ratio is never 0.
static double find_root_scale(const writer *w) {
    const double scale = find_ratio(w);
    return scale > SHORTEST ? scale : SHORTEST;
}

static double find_limb_scale(const writer *w, uint32_t joint) {
    const uint32_t above = w->targets[joint].above;
    if (above == LMB_NONE) {
        return w->root_scale;
    }
    const uint32_t *joints = w->def->joints;
    const double other = distance(&w->sources[joints[above]], &w->sources[joints[joint]]);
    return other > SHORTEST ? distance(&w->targets[above], &w->targets[joint]) / other : w->root_scale;
}

// ---- Tables.

static uint32_t number(double x) {
    const float clamped = (float)(x > (double)LMB_LARGEST    ? (double)LMB_LARGEST
                                  : x < -(double)LMB_LARGEST ? -(double)LMB_LARGEST
                                                             : x);
    return BITS(snap(clamped));
}

static void write_numbers(const double *values, int count, uint32_t *at) {
    for (int i = 0; i < count; i++) {
        at[i] = number(values[i]);
    }
}

static double ratio(double a, double b) {
    return b > 0.0 ? a / b : 0.0;
}

static void write_step(const writer *w, uint32_t source, uint32_t above, uint32_t rest, uint32_t *step) {
    const lmb_retarget_def *def = w->def;
    const uint32_t parent = def->source_parents[source];
    step[FIELD(RETARGET_STEP, joint)] = source;
    step[FIELD(RETARGET_STEP, rest)] = rest + source;
    for (int i = 0; i < 3 && above != LMB_NONE; i++) {
        step[FIELD(RETARGET_STEP, origin) + i] = number((double)source_reference(def, source)->translation[i]);
    }
    const double size = above == LMB_NONE ? 1.0 : w->sources[def->joints[above]].size;
    step[FIELD(RETARGET_STEP, factor)] = number(ratio(parent == LMB_NONE ? 1.0 : w->sources[parent].size, size));
}

static void write_steps(const writer *w, uint32_t joint, uint32_t above, way found, uint32_t rest, uint32_t *steps) {
    uint32_t source = w->def->joints[joint];
    if (found.is_still) {
        write_step(w, source, above, rest, steps);
        steps[FIELD(RETARGET_STEP, joint)] |= RETARGET_STILL;
        return;
    }
    for (uint32_t i = 0; i < found.up; i++) {
        write_step(w, source, above, rest, steps + i * WORDS_OF(RETARGET_STEP));
        source = w->def->source_parents[source];
    }
    // The root is next to the root, so the joint above comes last.
    source = found.down > 0 ? w->def->joints[above] : LMB_NONE;
    for (uint32_t i = found.up + found.down; i-- > found.up;) {
        uint32_t *step = steps + i * WORDS_OF(RETARGET_STEP);
        write_step(w, source, above, rest, step);
        step[FIELD(RETARGET_STEP, joint)] |= RETARGET_BACK;
        step[FIELD(RETARGET_STEP, factor)] = 0;
        source = w->def->source_parents[source];
    }
}

static void write_record(const writer *w, uint32_t joint, uint32_t rest, uint32_t *record) {
    const lmb_retarget_def *def = w->def;
    const lmb_retarget_frame *own = &w->targets[joint], *source = &w->sources[def->joints[joint]];
    const uint32_t parent = w->rig->def.joints[joint].parent;
    const lmb_retarget_frame *above = own->above != LMB_NONE ? &w->sources[def->joints[own->above]] : NULL;
    double before[4], after[4], back[4], moved[3];
    memcpy(before, w->turn, sizeof before);
    if (above != NULL) {
        lmb_quaternion_multiply(before, above->turn, before);
    }
    if (parent != LMB_NONE) {
        lmb_quaternion_multiply(w->targets[parent].aligned, w->targets[parent].turn, back);
        lmb_quaternion_conjugate(back, back);
        lmb_quaternion_multiply(back, before, before);
    }
    lmb_quaternion_normalize(before);
    lmb_quaternion_multiply(own->aligned, own->turn, after);
    lmb_quaternion_conjugate(w->turn, back);
    lmb_quaternion_multiply(back, after, after);
    lmb_quaternion_conjugate(source->turn, back);
    lmb_quaternion_multiply(back, after, after);
    lmb_quaternion_normalize(after);
    const double given = def->scales != NULL ? (double)def->scales[joint] : 1.0;
    const double move = given * find_limb_scale(w, joint) * (above != NULL ? above->size : 1.0);
    const double factor = ratio(move, parent != LMB_NONE ? w->targets[parent].size : 1.0);
    lmb_quaternion_rotate(before, source->place, moved);
    double base[3];
    for (int i = 0; i < 3; i++) {
        base[i] =
            (double)target_reference(w->rig, def, joint)->translation[i] - (above == NULL ? factor * moved[i] : 0.0);
    }
    const way found = find_way(def, joint, own->above);
    write_numbers(before, 4, record + FIELD(RETARGET, before));
    write_numbers(after, 4, record + FIELD(RETARGET, after));
    write_numbers(base, 3, record + FIELD(RETARGET, base));
    record[FIELD(RETARGET, move)] = number(factor);
    record[FIELD(RETARGET, count)] = count_steps(found);
    write_steps(w, joint, own->above, found, rest, record + WORDS_OF(RETARGET));
}

// Writes the rest pose of the source.
static void write_rest(const lmb_retarget_def *def, uint32_t *table) {
    for (uint32_t joint = 0; joint < def->source_joint_count; joint++) {
        const lmb_transform snapped = lmb_snap_transform(&def->source_rest[joint]);
        lmb_store_static_pose(&snapped, table, joint);
    }
}

uint32_t lmb_retarget_words(const lmb_rig *rig, const lmb_retarget_def *def) {
    uint32_t words = WORDS_OF(JOINT_MAP) + rig->def.joint_count;
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        if (def->joints[joint] != LMB_NONE) {
            const uint32_t steps = count_steps(find_way(def, joint, mapped_above(rig, def, joint)));
            words += WORDS_OF(RETARGET) + steps * WORDS_OF(RETARGET_STEP);
        }
    }
    return words;
}

static LMB_NOINLINE writer begin_writer(const lmb_rig *rig, const lmb_retarget_def *def, lmb_retarget_frame *frames) {
    writer w = {.rig = rig, .def = def, .targets = frames, .sources = frames + rig->def.joint_count};
    lmb_quaternion_from(def->turn, w.turn);
    find_frames(&w);
    align(&w);
    w.root_scale = find_root_scale(&w);
    return w;
}

// Computes the frames of a definition that fits, and its root scale. The caller releases them; NULL without memory.
static lmb_retarget_frame *make_frames(const lmb_rig *rig, const lmb_retarget_def *def, const lmb_host *resolved,
                                       float *root_scale) {
    lmb_retarget_frame *frames =
        lmb_host_allocate(resolved, (size_t)rig->def.joint_count + def->source_joint_count, sizeof *frames);
    if (frames != NULL) {
        lmb_environment callers;
        lmb_environment_enter(&callers);
        *root_scale = REAL(number(begin_writer(rig, def, frames).root_scale));
        lmb_environment_leave(&callers);
    }
    return frames;
}

float lmb_retarget_root_scale(const lmb_rig *rig, const lmb_retarget_def *def, const lmb_host *host) {
    lmb_error unread;
    if (rig == NULL || def == NULL || !lmb_retarget_check(rig, def, 0, &unread)) {
        return 0.0f;
    }
    const lmb_host resolved = lmb_host_resolve(host);
    float scale = 0.0f;
    lmb_host_release(&resolved, make_frames(rig, def, &resolved, &scale));
    return scale;
}

bool lmb_retarget_find_arcs(const lmb_rig *rig, const lmb_retarget_def *def, const lmb_host *host, float *cosines) {
    const lmb_host resolved = lmb_host_resolve(host);
    float unread;
    lmb_retarget_frame *frames = make_frames(rig, def, &resolved, &unread);
    for (uint32_t joint = 0; frames != NULL && joint < rig->def.joint_count; joint++) {
        cosines[joint] = (float)frames[joint].cosine;
    }
    lmb_host_release(&resolved, frames);
    return frames != NULL;
}

static LMB_NOINLINE void write_joints(const writer *w, uint32_t at, uint32_t rest, uint32_t *table) {
    uint32_t words = WORDS_OF(JOINT_MAP) + w->rig->def.joint_count;
    for (uint32_t joint = 0; joint < w->rig->def.joint_count; joint++) {
        table[WORDS_OF(JOINT_MAP) + joint] = NO_JOINT;
        if (w->def->joints[joint] != LMB_NONE) {
            table[WORDS_OF(JOINT_MAP) + joint] = at + words;
            write_record(w, joint, rest, table + words);
            words += WORDS_OF(RETARGET) + table[words + FIELD(RETARGET, count)] * WORDS_OF(RETARGET_STEP);
        }
    }
}

void lmb_retarget_write(const lmb_rig *rig, const lmb_retarget_def *def, uint32_t index, lmb_retarget_frame *frames,
                        uint32_t at, uint32_t rest, uint32_t *table, uint32_t *rest_table) {
    lmb_environment callers;
    lmb_environment_enter(&callers);
    const writer w = begin_writer(rig, def, frames);
    table[FIELD(JOINT_MAP, joints)] = RETARGET_FLAG | index << 16 | def->source_joint_count;
    write_joints(&w, at, rest, table);
    lmb_environment_leave(&callers);
    write_rest(def, rest_table);
}

// ---- Goals.

uint32_t lmb_retarget_goal_words(const lmb_rig *rig, const lmb_retarget_def *def, uint32_t joint) {
    const uint32_t steps = count_steps(find_way(def, joint, LMB_NONE));
    return WORDS_OF(JOINT_MAP) + rig->def.joint_count + WORDS_OF(RETARGET) + steps * WORDS_OF(RETARGET_STEP);
}

static LMB_NOINLINE void write_goal(const writer *w, uint32_t joint, uint32_t rest, uint32_t *record,
                                    uint32_t place[3]) {
    const lmb_retarget_frame *own = &w->targets[joint];
    const double identity[4] = {0.0, 0.0, 0.0, 1.0};
    const way found = find_way(w->def, joint, LMB_NONE);
    double base[3];
    lmb_quaternion_rotate(w->turn, w->sources[w->def->joints[joint]].place, base);
    for (int i = 0; i < 3; i++) {
        base[i] = own->corrected[i] - w->root_scale * base[i];
    }
    write_numbers(own->corrected, 3, place);
    write_numbers(w->turn, 4, record + FIELD(RETARGET, before));
    write_numbers(identity, 4, record + FIELD(RETARGET, after));
    write_numbers(base, 3, record + FIELD(RETARGET, base));
    record[FIELD(RETARGET, move)] = number(w->root_scale);
    record[FIELD(RETARGET, count)] = count_steps(found);
    write_steps(w, joint, LMB_NONE, found, rest, record + WORDS_OF(RETARGET));
}

void lmb_retarget_write_goal(const lmb_rig *rig, const lmb_retarget_def *def, uint32_t index,
                             lmb_retarget_frame *frames, uint32_t joint, uint32_t at, uint32_t rest, uint32_t *table,
                             uint32_t place[3]) {
    lmb_environment callers;
    lmb_environment_enter(&callers);
    const uint32_t record = WORDS_OF(JOINT_MAP) + rig->def.joint_count;
    const writer w = begin_writer(rig, def, frames);
    table[FIELD(JOINT_MAP, joints)] = RETARGET_FLAG | index << 16 | def->source_joint_count;
    for (uint32_t i = 0; i < rig->def.joint_count; i++) {
        table[WORDS_OF(JOINT_MAP) + i] = i == joint ? at + record : NO_JOINT;
    }
    write_goal(&w, joint, rest, table + record, place);
    lmb_environment_leave(&callers);
}

static LMB_NOINLINE void turn_vector(const lmb_retarget_def *def, const float given[3], float turned[3]) {
    double turn[4], v[3] = {(double)given[0], (double)given[1], (double)given[2]};
    lmb_quaternion_from(def->turn, turn);
    lmb_quaternion_rotate(turn, v, v);
    for (int i = 0; i < 3; i++) {
        turned[i] = (float)v[i];
    }
}

void lmb_retarget_turn(const lmb_retarget_def *def, const float given[3], float turned[3]) {
    lmb_environment callers;
    lmb_environment_enter(&callers);
    turn_vector(def, given, turned);
    lmb_environment_leave(&callers);
}
