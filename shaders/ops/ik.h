// Inverse kinematics: turns a few joints so that a chain reaches a target in model space. Each of these joints computes
// the solution for itself, from the base pose that an earlier pass stored in an exchange area. No angle is computed: a
// rotation follows from the cosine and sine of half its angle, and these from square roots.
#ifndef LMB_OPS_IK_H
#define LMB_OPS_IK_H

#include "curve.h"
#include "slots.h"

// A value: the index of its weight, or WEIGHT_NONE for a constant, and then the constant.
RECORD(IK_VALUE)
uint weight;
FLOAT(constant);
END_RECORD(IK_VALUE, 2)

// The table of a two-bone chain.
RECORD(TWO_BONE)
uint start;
uint mid;
uint end;
WORDS(6, target);
WORDS(6, pole);
WORDS(2, twist); // value
WORDS(3, axis);  // float: unit vector
FLOAT(soften);
uint goal;      // 0, or 1 plus the exchange area in which the end has the target as its translation
uint reached;   // 0, or 1 plus the index of the word that says whether the target is reached
uint detached;  // 0, or the offset of the record of an end that is not below the mid
uint ancestors; // number of ancestors of the start, then these, the root first
END_RECORD(TWO_BONE, 25)

// The record of a detached end.
RECORD(DETACHED)
WORDS(3, tip);  // float: the end of the lower bone, in the space of the mid
uint follows;   // of a foot: 1 if the ankle is below the pelvis
uint ancestors; // number of ancestors of the end, then these, the root first
END_RECORD(DETACHED, 5)

// The table of a chain that aims.
RECORD(AIM)
uint count; // number of joints, at most 8
WORDS(6, target);
WORDS(6, pole);
WORDS(3, forward); // float: unit vector
WORDS(3, up);      // float: unit vector
WORDS(3, offset);  // float
WORDS(2, limit);   // half_angle
WORDS(2, twist);   // value
uint reached;      // as TWO_BONE.reached
WORDS(16, joints); // [8]: word joint, float share; each joint before its ancestors
uint ancestors;    // number of ancestors of the first joint, then these, the root first
END_RECORD(AIM, 44)

RECORD(AIM_JOINT)
uint joint;
FLOAT(share);
END_RECORD(AIM_JOINT, 2)

// What is smaller has no direction: a distance relative to a bone, 2^-16; a sine, 2^-20; an area relative to a square,
// 2^-20.
#define IK_DISTANCE 1.52587891e-05f
#define IK_DISTANCE_SQUARE 2.32830644e-10f
#define IK_SINE_SQUARE 9.09494702e-13f
#define IK_AREA 9.53674316e-07f

OP real load_ik_value(evaluation e, uint at) {
    uint weight = LOAD(e.program, at);
    real x = SPLAT(LOAD_FLOAT(e.program, at + 1u));
    if (weight != WEIGHT_NONE) {
        x = load_weight(e, weight);
    }
    return x;
}

OP vector load_ik_point(evaluation e, uint at) {
    return make_vector(load_ik_value(e, at), load_ik_value(e, at + WORDS_OF(IK_VALUE)),
                       load_ik_value(e, at + 2u * WORDS_OF(IK_VALUE)));
}

OP vector load_ik_axis(evaluation e, uint at) {
    return all_vector(LOAD_FLOAT(e.program, at), LOAD_FLOAT(e.program, at + 1u), LOAD_FLOAT(e.program, at + 2u));
}

// Whether a node reports whether it reaches its target. `at` is the offset of that word of its table.
OP bool reports_reached(evaluation e, uint at) {
    return USES_REACHED && keeps_reached(e) && LOAD(e.program, at) != 0u;
}

OP void store_reached(evaluation e, uint at, lane_mask reached) {
    word place = e.character * HEADER(e.program, PROGRAM, reached) + (LOAD(e.program, at) - 1u);
    SCATTER(reached_memory(e), place, SELECT_BITS(reached, ALL_WORD(1u)), stores_slot(e, SPLAT(1.0f)));
}

// Vectors. Components are snapped, so no square is below 2^-80 unless it is 0.

OP vector scale_by_vector(vector a, vector b) {
    return snap_vector(make_vector(a.x * b.x, a.y * b.y, a.z * b.z));
}

// The square root; 0 for 0.
OP real square_root(real x) {
    return x * reciprocal_root(x);
}

OP real vector_length(vector v) {
    return square_root(vector_dot(v, v));
}

// The part of v that is perpendicular to a unit vector.
OP vector part_across(vector v, vector unit) {
    return snap_vector(subtract_vectors(v, scale_vector(unit, vector_dot(v, unit))));
}

// Converts a vector or a point from a joint's space to its parent's.
OP vector vector_to_parent(transform joint, vector v) {
    return snap_vector(rotate_vector(joint.q, scale_by_vector(joint.s, v)));
}

OP vector point_to_parent(transform joint, vector p) {
    return snap_vector(add_vectors(joint.t, vector_to_parent(joint, p)));
}

// Converts a vector or a point from the parent's space to the joint's. An axis of scale 0 gives 0.
OP vector vector_from_parent(transform joint, vector v) {
    vector inverse = make_vector(reciprocal(joint.s.x), reciprocal(joint.s.y), reciprocal(joint.s.z));
    return scale_by_vector(inverse, rotate_vector(quaternion_conjugate(joint.q), v));
}

OP vector point_from_parent(transform joint, vector p) {
    return vector_from_parent(joint, snap_vector(subtract_vectors(p, joint.t)));
}

// Rotations.

// Cosine and sine of half an angle.
STRUCT(half_angle)
real cosine;
real sine;
END_STRUCT(half_angle)

OP half_angle make_half_angle(real cosine, real sine) {
    half_angle h;
    h.cosine = cosine;
    h.sine = sine;
    return h;
}

// Half of the angle from -180 to 180 degrees that has this cosine and sine. The larger result is computed first.
OP half_angle halve_angle(real cosine, real sine) {
    real square = 0.5f + 0.5f * magnitude_of(cosine);
    real inverse = reciprocal_root(square);
    real larger = square * inverse;
    real smaller = (0.5f * sine) * inverse;
    lane_mask obtuse = cosine < 0.0f;
    lane_mask negative = sine < 0.0f;
    real turned = SELECT(negative, -larger, larger);
    return make_half_angle(SELECT(obtuse, magnitude_of(smaller), larger), SELECT(obtuse, turned, smaller));
}

// Half of an angle in radians.
OP half_angle half_of_radians(real radians) {
    real quarters = radians * 0.318309873f; // of half the angle
    quarters = quarters - 4.0f * FLOOR(quarters * 0.25f + 0.5f);
    real whole = FLOOR(quarters + 0.5f);
    real rest = quarters - whole;
    real cosine = 1.0f - quarter_versine(rest);
    real sine = quarter_sine(rest);
    lane_mask odd = OR(whole == 1.0f, whole == -1.0f);
    lane_mask turns_cosine = OR(whole == 1.0f, OR(whole == 2.0f, whole == -2.0f));
    lane_mask turns_sine = OR(whole == -1.0f, OR(whole == 2.0f, whole == -2.0f));
    real c = SELECT(odd, sine, cosine);
    real s = SELECT(odd, cosine, sine);
    return make_half_angle(SELECT(turns_cosine, -c, c), SELECT(turns_sine, -s, s));
}

OP half_angle add_half_angles(half_angle a, half_angle b) {
    return make_half_angle(a.cosine * b.cosine - a.sine * b.sine, a.sine * b.cosine + a.cosine * b.sine);
}

OP quaternion rotation_about(vector axis, half_angle h) {
    return make_quaternion(axis.x * h.sine, axis.y * h.sine, axis.z * h.sine, h.cosine);
}

// A unit vector perpendicular to a unit vector.
OP vector any_perpendicular(vector v) {
    lane_mask along_x = magnitude_of(v.x) > 0.6f;
    real zero = SPLAT(0.0f);
    return direction_of(
        make_vector(SELECT(along_x, v.z, zero), SELECT(along_x, zero, -v.z), SELECT(along_x, -v.x, v.y)));
}

// The shortest rotation from one unit vector to another; none if one of them is 0. If they are nearly opposite, first
// half a turn about the axis, or if they are opposite about any perpendicular, and then the rest.
OP_SHARED quaternion shortest_arc(vector a, vector b) {
    lane_mask opposite = vector_dot(a, b) < -0.99f;
    vector from = select_vector(opposite, scale_vector(a, SPLAT(-1.0f)), a);
    vector axis = cross_product(from, b);
    quaternion rest = quaternion_normalize(make_quaternion(axis.x, axis.y, axis.z, 1.0f + vector_dot(from, b)));
    lane_mask has_axis = vector_dot(axis, axis) > IK_AREA;
    vector turned = select_vector(has_axis, direction_of(axis), any_perpendicular(a));
    turned = direction_of(part_across(turned, a));
    quaternion first = make_quaternion(turned.x, turned.y, turned.z, SPLAT(0.0f));
    return select_quaternion(opposite, quaternion_multiply(rest, first), rest);
}

// Half of the angle about a unit vector that turns `from` towards `to`, both of at most unit length; 0 if one of them
// is nearly along the line.
OP half_angle angle_about(vector line, vector from, vector to) {
    real cosine = vector_dot(from, to) - vector_dot(from, line) * vector_dot(to, line);
    real sine = vector_dot(line, cross_product(from, to));
    cosine = snap_small(cosine);
    sine = snap_small(sine);
    real square = cosine * cosine + sine * sine;
    real inverse = reciprocal_root(square);
    lane_mask found = square > IK_SINE_SQUARE;
    half_angle turn = halve_angle(cosine * inverse, sine * inverse);
    return make_half_angle(SELECT(found, turn.cosine, SPLAT(1.0f)), SELECT(found, turn.sine, SPLAT(0.0f)));
}

// Of q and -q, the one with w >= 0.
OP quaternion short_way(quaternion q) {
    return quaternion_scale(q, SELECT(q.w < 0.0f, SPLAT(-1.0f), SPLAT(1.0f)));
}

// Slerps from a base to a rotation by a weight: exactly the base at 0, exactly the rotation at 1.
OP_NOINLINE quaternion rotation_by_weight(quaternion base, quaternion turned, real weight) {
    quaternion blended = rotation_at_end(quaternion_slerp(base, turned, weight), turned, weight);
    return select_quaternion(weight > 0.0f, blended, base);
}

// Turns a local rotation in the joint's own space, and slerps to the result from the base by a weight.
OP_NOINLINE quaternion turn_by_weight(quaternion base, quaternion turn, real weight) {
    quaternion turned = quaternion_normalize(quaternion_multiply(base, short_way(turn)));
    return rotation_by_weight(base, turned, weight);
}

// The target and the pole vector for a joint, in the space of its rotation: that of the parent, moved to the joint and
// turned back by its local rotation. A turn of the joint there is a factor on the right of its local rotation.
STRUCT(ik_goal)
vector target;
vector pole; // a unit vector, or 0
END_STRUCT(ik_goal)

// `pole` is the offset of the values of the pole vector.
OP ik_goal load_goal(evaluation e, uint area, vector target, uint pole, uint ancestors, transform joint) {
    ik_goal goal;
    goal.target = target;
    goal.pole = direction_of(load_ik_point(e, pole));
    uint count = LOAD(e.program, ancestors);
    for (uint i = 1u; i <= count; i++) {
        transform above = load_exchange(e, area, LOAD(e.program, ancestors + i));
        goal.target = point_from_parent(above, goal.target);
        goal.pole = vector_from_parent(above, goal.pole);
    }
    quaternion back = quaternion_conjugate(joint.q);
    goal.target = snap_vector(rotate_vector(back, snap_vector(subtract_vectors(goal.target, joint.t))));
    goal.pole = direction_of(snap_vector(rotate_vector(back, direction_of(goal.pole))));
    return goal;
}

// The position in model space of a point in the space of a joint's rotation.
OP vector point_in_model(evaluation e, uint area, uint ancestors, transform joint, vector p) {
    vector model = snap_vector(add_vectors(joint.t, rotate_vector(joint.q, p)));
    for (uint i = LOAD(e.program, ancestors); i > 0u; i--) {
        model = point_to_parent(load_exchange(e, area, LOAD(e.program, ancestors + i)), model);
    }
    return model;
}

// Detached ends: those that are not below the mid. The lower bone ends at the tip, a point of the mid, and the end
// moves to the target or the tip by its own translation.

// The offset of the record of a detached end, or 0.
OP uint detached_end(evaluation e, uint table) {
    uint record = 0u;
    if (USES_DETACHED) {
        record = READ(e.program, table, TWO_BONE, detached);
    }
    return record;
}

// The position of a detached end in the base, in the space of the start's rotation.
OP_SHARED vector detached_position(evaluation e, uint area, uint table, uint record, transform start) {
    uint above = record + FIELD(DETACHED, ancestors);
    uint below = table + FIELD(TWO_BONE, ancestors);
    vector p = load_exchange(e, area, READ(e.program, table, TWO_BONE, end)).t;
    for (uint i = LOAD(e.program, above); i > 0u; i--) {
        p = point_to_parent(load_exchange(e, area, LOAD(e.program, above + i)), p);
    }
    uint count = LOAD(e.program, below);
    for (uint i = 1u; i <= count; i++) {
        p = point_from_parent(load_exchange(e, area, LOAD(e.program, below + i)), p);
    }
    return snap_vector(rotate_vector(quaternion_conjugate(start.q), snap_vector(subtract_vectors(p, start.t))));
}

// A displacement of a detached end, from the space of the start's rotation to that of the end's parent.
OP_SHARED vector detached_displacement(evaluation e, uint area, uint table, uint record, transform start, vector v) {
    uint above = table + FIELD(TWO_BONE, ancestors);
    uint below = record + FIELD(DETACHED, ancestors);
    v = snap_vector(rotate_vector(start.q, v));
    for (uint i = LOAD(e.program, above); i > 0u; i--) {
        v = vector_to_parent(load_exchange(e, area, LOAD(e.program, above + i)), v);
    }
    uint count = LOAD(e.program, below);
    for (uint i = 1u; i <= count; i++) {
        v = vector_from_parent(load_exchange(e, area, LOAD(e.program, below + i)), v);
    }
    return v;
}

// Two bones, in the space of the start's rotation.
STRUCT(two_bones)
vector upper; // from start to mid
vector lower; // from mid to end, or to the tip
vector axis;  // of the mid, a unit vector
vector goal;  // from start to target
vector pole;
END_STRUCT(two_bones)

OP_NOINLINE two_bones load_two_bones(evaluation e, uint area, uint table) {
    uint start_joint = READ(e.program, table, TWO_BONE, start);
    uint mid_joint = READ(e.program, table, TWO_BONE, mid);
    uint end_joint = READ(e.program, table, TWO_BONE, end);
    uint detached = detached_end(e, table);
    two_bones b;
    if (USES_DETACHED && detached != 0u) {
        b.lower = load_ik_axis(e, detached + FIELD(DETACHED, tip));
    } else {
        b.lower = load_exchange(e, area, end_joint).t;
        for (uint above = parent_of(e.program, end_joint); above != mid_joint; above = parent_of(e.program, above)) {
            b.lower = point_to_parent(load_exchange(e, area, above), b.lower);
        }
    }
    transform joint = load_exchange(e, area, mid_joint);
    b.upper = joint.t;
    b.lower = vector_to_parent(joint, b.lower);
    b.axis = snap_between(rotate_vector(joint.q, load_ik_axis(e, table + FIELD(TWO_BONE, axis))));
    for (uint above = parent_of(e.program, mid_joint); above != start_joint; above = parent_of(e.program, above)) {
        joint = load_exchange(e, area, above);
        b.upper = point_to_parent(joint, b.upper);
        b.lower = vector_to_parent(joint, b.lower);
        b.axis = snap_between(rotate_vector(joint.q, b.axis));
    }
    b.axis = direction_of(b.axis);
    transform start = load_exchange(e, area, start_joint);
    vector target = load_ik_point(e, table + FIELD(TWO_BONE, target));
    uint goal_area = READ(e.program, table, TWO_BONE, goal);
    if (goal_area != 0u) {
        target = load_exchange(e, goal_area - 1u, end_joint).t;
    }
    ik_goal goal = load_goal(e, area, target, table + FIELD(TWO_BONE, pole), table + FIELD(TWO_BONE, ancestors), start);
    b.goal = goal.target;
    b.pole = goal.pole;
    b.upper = scale_by_vector(start.s, b.upper);
    b.lower = scale_by_vector(start.s, b.lower);
    return b;
}

// The bend of the mid joint.
STRUCT(two_bone_bend)
half_angle angle; // about the axis
vector end;       // from start to end after the bend, in units of the bones' lengths together
real goal;        // distance of the target in these units
real longest;     // distances that the end can reach, in these units
real shortest;
lane_mask bends;
END_STRUCT(two_bone_bend)

// Reduces a distance that is more than the softened part of the reach, so that it approaches the reach.
OP real soften_distance(real distance, real reach, float soften) {
    real near = reach * soften;
    real left = reach - near;
    real beyond = snap(distance - near) * reciprocal(left);
    real softened = near + left * (1.0f - exponential2(-1.44269502f * beyond));
    return SELECT(distance > near, softened, distance);
}

// The law of cosines across the axis: with parts a and b of the bones there, and d the distance from start to end, half
// of the angle between the bones has the squared sine (longest^2 - d^2) / (4 a b) and the squared cosine (d^2 -
// shortest^2) / (4 a b).
OP_SHARED two_bone_bend bend_two_bones(two_bones b, float soften) {
    real inverse = reciprocal(vector_length(b.upper) + vector_length(b.lower));
    vector upper = snap_vector(scale_vector(b.upper, inverse));
    vector lower = snap_vector(scale_vector(b.lower, inverse));
    vector upper_across = part_across(upper, b.axis);
    vector lower_across = part_across(lower, b.axis);
    real along = snap_small(vector_dot(upper, b.axis) + vector_dot(lower, b.axis));
    real first = vector_length(upper_across);
    real second = vector_length(lower_across);
    real sum = first + second;
    real difference = snap_small(first - second);
    real longest = square_root(along * along + sum * sum);
    real shortest = square_root(along * along + difference * difference);
    two_bone_bend bend;
    bend.goal = snap(vector_length(b.goal) * inverse);
    bend.longest = longest;
    bend.shortest = shortest;
    real distance = soften_distance(bend.goal, longest, soften);
    real product = 4.0f * (first * second);
    real inverse_product = reciprocal(product);
    real sine = ((longest - distance) * (longest + distance)) * inverse_product;
    real cosine = ((distance - shortest) * (distance + shortest)) * inverse_product;
    sine = square_root(snap_small(clamp_real(sine, 0.0f, 1.0f)));
    cosine = square_root(snap_small(clamp_real(cosine, 0.0f, 1.0f)));
    // From the angle that the bones have, which is negative where they bend as the axis says.
    vector upper_unit = direction_of(upper_across);
    vector lower_unit = direction_of(lower_across);
    real turned = vector_dot(b.axis, cross_product(upper_unit, lower_unit));
    half_angle before = halve_angle(vector_dot(upper_unit, lower_unit), turned);
    half_angle after = make_half_angle(cosine, -sine);
    bend.angle = add_half_angles(after, make_half_angle(before.cosine, -before.sine));
    bend.bends = product > IK_AREA;
    bend.angle.cosine = SELECT(bend.bends, bend.angle.cosine, SPLAT(1.0f));
    bend.angle.sine = SELECT(bend.bends, bend.angle.sine, SPLAT(0.0f));
    quaternion turn = quaternion_normalize(rotation_about(b.axis, bend.angle));
    bend.end = snap_vector(add_vectors(upper, rotate_vector(turn, lower)));
    return bend;
}

// Whether the end gets to the target.
OP lane_mask bend_reaches(two_bone_bend bend, float soften) {
    lane_mask in_reach = AND(bend.goal <= bend.longest * soften + IK_AREA, bend.goal >= bend.shortest - IK_AREA);
    return AND(bend.bends, in_reach);
}

// The turn of the start joint: the end to the line towards the target, and then about this line, so that the mid is on
// the side of the pole vector, and by the twist. The mid is on the side of axis x line.
OP_SHARED quaternion aim_two_bones(two_bones b, two_bone_bend bend, real twist) {
    lane_mask aims = bend.goal > IK_DISTANCE;
    lane_mask is_long = vector_dot(bend.end, bend.end) > IK_DISTANCE_SQUARE;
    vector end = direction_of(bend.end);
    vector line = select_vector(aims, direction_of(b.goal), end);
    quaternion arc = shortest_arc(select_vector(is_long, end, line), line);
    vector axis = rotate_vector(arc, b.axis);
    half_angle roll = angle_about(line, axis, cross_product(line, b.pole));
    roll = add_half_angles(half_of_radians(twist), roll);
    quaternion turn = quaternion_multiply(rotation_about(line, roll), arc);
    return select_quaternion(OR(aims, is_long), turn, arc);
}

// Where the end gets, in the space of the start's rotation: to the target if that is reached, otherwise to the tip.
// `turn` is that of the start.
OP vector place_of_end(two_bones b, two_bone_bend bend, quaternion turn, float soften) {
    real longest = vector_length(b.upper) + vector_length(b.lower);
    vector tip = rotate_vector(quaternion_normalize(turn), scale_vector(bend.end, longest));
    return select_vector(bend_reaches(bend, soften), b.goal, snap_vector(tip));
}

// The local translation of a detached end.
OP vector move_detached_end(evaluation e, uint area, uint table, uint record, transform end, real weight) {
    float soften = READ_FLOAT(e.program, table, TWO_BONE, soften);
    transform start = load_exchange(e, area, READ(e.program, table, TWO_BONE, start));
    two_bones bones = load_two_bones(e, area, table);
    two_bone_bend bend = bend_two_bones(bones, soften);
    quaternion turn = aim_two_bones(bones, bend, load_ik_value(e, table + FIELD(TWO_BONE, twist)));
    vector before = detached_position(e, area, table, record, start);
    vector moved = snap_vector(subtract_vectors(place_of_end(bones, bend, turn, soften), before));
    moved = detached_displacement(e, area, table, record, start, moved);
    return snap_vector(add_vectors(end.t, scale_vector(moved, weight)));
}

OP transform ik_two_bone_operation(evaluation e, uint instruction) {
    uint area = READ(e.program, instruction, EXCHANGED, area);
    uint table = READ(e.program, instruction, EXCHANGED, table);
    bool is_start = e.joint == READ(e.program, table, TWO_BONE, start);
    bool is_mid = e.joint == READ(e.program, table, TWO_BONE, mid);
    bool reports = is_start && reports_reached(e, table + FIELD(TWO_BONE, reached));
    transform local = load_exchange(e, area, e.joint);
    uint detached = detached_end(e, table);
    if (USES_DETACHED && detached != 0u && e.joint == READ(e.program, table, TWO_BONE, end)) {
        real weight = load_weight(e, READ(e.program, instruction, BLEND, weight));
        if (ANY(weight > 0.0f)) {
            local.t = move_detached_end(e, area, table, detached, local, weight);
        }
    }
    if (is_start || is_mid) {
        real weight = load_weight(e, READ(e.program, instruction, BLEND, weight));
        lane_mask reached = weight >= 1.0f;
        if (ANY(weight > 0.0f)) {
            float soften = READ_FLOAT(e.program, table, TWO_BONE, soften);
            two_bones bones = load_two_bones(e, area, table);
            two_bone_bend bend = bend_two_bones(bones, soften);
            if (reports) {
                reached = AND(reached, bend_reaches(bend, soften));
            }
            quaternion turn = rotation_about(load_ik_axis(e, table + FIELD(TWO_BONE, axis)), bend.angle);
            if (is_start) {
                turn = aim_two_bones(bones, bend, load_ik_value(e, table + FIELD(TWO_BONE, twist)));
            }
            local.q = turn_by_weight(local.q, turn, weight);
        }
        if (reports) {
            store_reached(e, table + FIELD(TWO_BONE, reached), reached);
        }
    }
    return local;
}

// Aiming.

// What aims, in the space of a joint's rotation.
STRUCT(ik_aim)
vector forward; // unit vectors
vector up;
vector offset;
END_STRUCT(ik_aim)

OP ik_aim turn_aim(quaternion turn, ik_aim aim) {
    aim.forward = snap_between(rotate_vector(turn, aim.forward));
    aim.up = snap_between(rotate_vector(turn, aim.up));
    aim.offset = snap_vector(rotate_vector(turn, aim.offset));
    return aim;
}

// The vector from the joint that turns to the target: it ends where the line from the offset along the forward axis
// meets the sphere around the joint through the target, or, if it does not, where the line is nearest to the joint.
OP vector aimed_vector(ik_aim aim, vector target) {
    vector aside = part_across(aim.offset, aim.forward);
    real square = vector_dot(target, target) - vector_dot(aside, aside);
    real along = square_root(SELECT(square > 0.0f, square, SPLAT(0.0f)));
    return snap_vector(add_vectors(aside, scale_vector(aim.forward, along)));
}

// The turn of a joint that aims: the vector to the target by the shortest arc, then about it until the up axis is on
// the side of the pole vector, and by the twist.
OP quaternion aim_joint(vector aimed, vector up, ik_goal goal, real twist) {
    vector line = direction_of(goal.target);
    quaternion arc = shortest_arc(direction_of(aimed), line);
    half_angle roll = angle_about(line, rotate_vector(arc, up), goal.pole);
    if (ANY(twist != 0.0f)) {
        roll = add_half_angles(half_of_radians(twist), roll);
    }
    return quaternion_normalize(short_way(quaternion_multiply(rotation_about(line, roll), arc)));
}

// Whether a turn is by more than a limit. Sines are compared too, because cosines of small angles are alike.
OP lane_mask exceeds_limit(quaternion turn, half_angle limit) {
    vector v = make_vector(turn.x, turn.y, turn.z);
    return vector_dot(v, v) * (limit.cosine * limit.cosine) > (turn.w * turn.w) * (limit.sine * limit.sine);
}

// The rotation by a limit about the axis of a turn.
OP quaternion limit_turn(quaternion turn, half_angle limit) {
    return rotation_about(direction_of(make_vector(turn.x, turn.y, turn.z)), limit);
}

// Converts a point or a direction from the space of a joint's rotation to that of its parent's.
OP vector to_rotation_above(transform joint, transform parent, vector p) {
    vector moved = snap_vector(add_vectors(joint.t, rotate_vector(joint.q, p)));
    return scale_by_vector(parent.s, moved);
}

OP vector direction_above(transform joint, transform parent, vector v) {
    return direction_of(scale_by_vector(parent.s, snap_between(rotate_vector(joint.q, v))));
}

// Whether a turn can make the line meet the target.
OP lane_mask line_can_meet(ik_aim aim, vector target) {
    vector aside = part_across(aim.offset, aim.forward);
    real square = vector_dot(target, target);
    lane_mask is_inside = vector_dot(aside, aside) - square <= square * IK_AREA;
    return AND(is_inside, vector_dot(aim.forward, aim.forward) > 0.0f);
}

// A joint of the chain that aims.
STRUCT(aim_turn)
quaternion turn;
lane_mask meets; // whether the whole turn makes the line meet the target
END_STRUCT(aim_turn)

// The turn of a joint of the chain. Each joint before it in the table has turned by its share of what was left. A turn
// beyond the limit is cut, and what it leads to replaces the target for the ancestors, as does a twist without a pole
// vector, because the joint has turned by a share of it.
OP aim_turn turn_of_chain(evaluation e, uint area, uint table, uint joint, bool reports) {
    uint place = table + FIELD(AIM, joints);
    uint turning = LOAD(e.program, place);
    transform at = load_exchange(e, area, turning);
    ik_goal goal = load_goal(e, area, load_ik_point(e, table + FIELD(AIM, target)), table + FIELD(AIM, pole),
                             table + FIELD(AIM, ancestors), at);
    half_angle limit = make_half_angle(SPLAT(LOAD_FLOAT(e.program, table + FIELD(AIM, limit))),
                                       SPLAT(LOAD_FLOAT(e.program, table + FIELD(AIM, limit) + 1u)));
    ik_aim aim;
    aim.forward = direction_of(scale_by_vector(at.s, load_ik_axis(e, table + FIELD(AIM, forward))));
    aim.up = direction_of(scale_by_vector(at.s, load_ik_axis(e, table + FIELD(AIM, up))));
    aim.offset = scale_by_vector(at.s, load_ik_axis(e, table + FIELD(AIM, offset)));
    real twist = load_ik_value(e, table + FIELD(AIM, twist));
    aim_turn result;
    result.meets = ALL_WORD(0u) == 0u;
    quaternion turn = all_quaternion(0.0f, 0.0f, 0.0f, 1.0f);
    bool found = false;
    while (!found) {
        vector aimed = aimed_vector(aim, goal.target);
        turn = aim_joint(aimed, aim.up, goal, twist);
        lane_mask near = vector_dot(goal.target, goal.target) <= IK_DISTANCE_SQUARE * vector_dot(at.t, at.t);
        turn = select_quaternion(near, all_quaternion(0.0f, 0.0f, 0.0f, 1.0f), turn);
        lane_mask limited = exceeds_limit(turn, limit);
        if (reports) {
            result.meets = AND(result.meets, NOT(limited));
        }
        lane_mask has_pole = vector_dot(goal.pole, goal.pole) > 0.0f;
        turn = select_quaternion(limited, limit_turn(turn, limit), turn);
        goal.target = select_vector(limited, snap_vector(rotate_vector(turn, aimed)), goal.target);
        lane_mask twists = AND(twist != 0.0f, OR(limited, AND(NOT(near), NOT(has_pole))));
        lane_mask has_side = OR(twists, AND(limited, has_pole));
        goal.pole = select_vector(has_side, snap_between(rotate_vector(turn, aim.up)), goal.pole);
        twist = SELECT(has_side, SPLAT(0.0f), twist);
        turn = quaternion_power(turn, SPLAT(LOAD_FLOAT(e.program, place + 1u)));
        found = turning == joint;
        if (found && reports) {
            result.meets = AND(result.meets, AND(NOT(near), line_can_meet(aim, goal.target)));
        }
        if (!found) {
            place = place + WORDS_OF(AIM_JOINT);
            aim = turn_aim(turn, aim);
            uint next = LOAD(e.program, place);
            while (turning != next) {
                uint above = parent_of(e.program, turning);
                transform parent = load_exchange(e, area, above);
                goal.target = to_rotation_above(at, parent, goal.target);
                aim.offset = to_rotation_above(at, parent, aim.offset);
                goal.pole = direction_above(at, parent, goal.pole);
                aim.forward = direction_above(at, parent, aim.forward);
                aim.up = direction_above(at, parent, aim.up);
                at = parent;
                turning = above;
            }
        }
    }
    result.turn = turn;
    return result;
}

OP transform ik_aim_operation(evaluation e, uint instruction) {
    uint area = READ(e.program, instruction, EXCHANGED, area);
    uint table = READ(e.program, instruction, EXCHANGED, table);
    transform local = load_exchange(e, area, e.joint);
    uint count = READ(e.program, table, AIM, count);
    bool turns = false;
    for (uint i = 0u; i < count; i++) {
        turns = turns || LOAD(e.program, table + FIELD(AIM, joints) + i * WORDS_OF(AIM_JOINT)) == e.joint;
    }
    if (turns) {
        uint last = table + FIELD(AIM, joints) + (count - 1u) * WORDS_OF(AIM_JOINT);
        bool reports = LOAD(e.program, last) == e.joint && reports_reached(e, table + FIELD(AIM, reached));
        real weight = load_weight(e, READ(e.program, instruction, BLEND, weight));
        lane_mask reached = AND(weight >= 1.0f, SPLAT(LOAD_FLOAT(e.program, last + 1u)) >= 1.0f);
        if (ANY(weight > 0.0f)) {
            aim_turn turned = turn_of_chain(e, area, table, e.joint, reports);
            local.q = turn_by_weight(local.q, turned.turn, weight);
            reached = AND(reached, turned.meets);
        }
        if (reports) {
            store_reached(e, table + FIELD(AIM, reached), reached);
        }
    }
    return local;
}

#endif
