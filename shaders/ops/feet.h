// Foot placement: each ankle moves along up to the ground, the pelvis goes down with the lowest foot, and the legs
// reach from there. Each joint of a leg, and the pelvis, computes the offsets of all feet for itself.
//
// Feet that are locked, and offsets that are smoothed, have a state in the memory that a batch keeps (slots.h). All
// these joints advance it from the slot of the frame before, with the same result; the pelvis stores it.
#ifndef LMB_OPS_FEET_H
#define LMB_OPS_FEET_H

#include "ik.h"
#include "slots.h"

// The table of feet. The table of each foot is that of a two-bone chain from hip to ankle, in which the target is the
// point of the ground, and the pole vector its normal.
RECORD(FEET)
uint pelvis; // joint
uint count;
FLOAT(lowering);      // the most by which the pelvis is lowered
WORDS(2, limit);      // half_angle of the foot's turn
WORDS(3, up);         // float: unit vector in model space
WORDS(4, tables);     // [4]: offsets of the feet's tables
uint strides;         // 1 if the stride is scaled
WORDS(2, speed);      // value
WORDS(2, clip_speed); // value
WORDS(6, direction);  // point
uint moves;           // 1 if ankles move horizontally: if strides are scaled or feet are locked
uint memory;          // offset in the words that a batch keeps for a character, or FEET_FORGET
WORDS(2, time);       // value: seconds
FLOAT(release);       // half-lives per second, or 0 for none: of a displacement that is released,
FLOAT(ground);        // of offsets and normals,
FLOAT(sinking);       // of the pelvis's offset
FLOAT(jump);          // squared distance of a jump after which everything begins anew
FLOAT(lock);          // distance up to which a lock holds; 0: feet are not locked
WORDS(4, planted);    // [4]: weight indices: above 0 while the foot is planted
uint world;           // 0 in model space, or weight index of WORLD
uint ancestors;       // number of ancestors of the pelvis, then these, the root first
END_RECORD(FEET, 38)
#define FEET_FORGET 0xffffffffu

// The weights that convert between model and world space: the origin of model space and its axes in world space, and
// the axes of world space in model space.
RECORD(WORLD)
WORDS(3, origin);
WORDS(9, axes);
WORDS(9, to_model);
END_RECORD(WORLD, 21)

// Words of a slot: the pelvis in the base, its offset, the stamp, then the feet.
RECORD(FEET_KEPT)
WORDS(3, pelvis);
uint lowered;
uint stamp;
END_RECORD(FEET_KEPT, 5)

RECORD(FOOT_KEPT)
WORDS(3, lock);   // where the ankle is locked
WORDS(3, moved);  // its displacement
WORDS(3, normal); // of the ground
uint offset;
uint flags;
END_RECORD(FOOT_KEPT, 11)
#define FOOT_PLANTED 1u
#define FOOT_LOCKED 2u
#define FOOT_GROUNDED 4u

// A clip that is slower has no stride, 2^-20. A stride grows by at most three times itself.
#define STRIDE_SPEED 9.53674316e-07f
#define STRIDE_GROWTH 3.0f

// The least cosine of the angle between up and a normal of ground: that of 80 degrees.
#define FOOT_SLOPE 0.173648179f

// The state of a foot. All positions and displacements are in the node's space.
STRUCT(kept_foot)
vector lock;   // where the ankle is locked, with any height
vector moved;  // the ankle's displacement from the base, with the stride
vector normal; // of the ground, smoothed, in model space
real offset;   // of the ankle along up, smoothed
word flags;    // FOOT_PLANTED, FOOT_LOCKED, FOOT_GROUNDED
END_STRUCT(kept_foot)

// What all feet of a frame share.
STRUCT(feet_frame)
bool keeps;       // whether there is a state
lane_mask begins; // whether it begins anew
kept_slots slots;
real time;
vector pelvis; // its position in the base, in the node's space
real release;  // what is left since the frame before: of a released displacement,
real ground;   // of the differences of offsets and normals,
real sinking;  // and of that of the pelvis's offset
END_STRUCT(feet_frame)

// A leg and the ground under it, in the space of the rotation of its start, which is the hip.
STRUCT(placed_foot)
two_bones bones;
vector detached;    // the ankle in the base, if it is detached
vector up;          // what a unit of up in model space is there
real offset;        // of the ankle along up, in units of model space
lane_mask grounded; // whether there is ground to stand on; if not, the offset is 0
vector stride;      // displacement of the ankle by the scaled stride and by the lock
kept_foot kept;     // the state after the frame
END_STRUCT(placed_foot)

// The model space's origin and a direction of it, in the space of a joint's rotation.
STRUCT(foot_space)
vector origin;
vector up;
END_STRUCT(foot_space)

OP foot_space load_foot_space(evaluation e, uint area, uint ancestors, transform joint, vector up) {
    foot_space space;
    space.origin = all_vector(0.0f, 0.0f, 0.0f);
    space.up = up;
    uint count = LOAD(e.program, ancestors);
    for (uint i = 1u; i <= count; i++) {
        transform above = load_exchange(e, area, LOAD(e.program, ancestors + i));
        space.origin = point_from_parent(above, space.origin);
        space.up = vector_from_parent(above, space.up);
    }
    quaternion back = quaternion_conjugate(joint.q);
    space.origin = snap_vector(rotate_vector(back, snap_vector(subtract_vectors(space.origin, joint.t))));
    space.up = snap_vector(rotate_vector(back, space.up));
    return space;
}

// By how much the stride is longer than in the base, as a share of it.
OP real stride_growth(evaluation e, uint feet) {
    real clips = load_ik_value(e, feet + FIELD(FEET, clip_speed));
    lane_mask moves = magnitude_of(clips) > STRIDE_SPEED;
    real faster = snap(load_ik_value(e, feet + FIELD(FEET, speed)) - clips);
    real growth = snap(faster * reciprocal(SELECT(moves, clips, SPLAT(1.0f))));
    return SELECT(moves, clamp_real(growth, -1.0f, STRIDE_GROWTH), SPLAT(0.0f));
}

// The displacement of an ankle by the scaled stride, in the space of the hip's rotation.
OP vector find_stride(evaluation e, uint area, uint feet, uint ancestors, transform hip, vector ankle) {
    uint pelvis_joint = READ(e.program, feet, FEET, pelvis);
    vector direction = direction_of(load_ik_point(e, feet + FIELD(FEET, direction)));
    vector pelvis = all_vector(0.0f, 0.0f, 0.0f);
    uint count = LOAD(e.program, ancestors);
    for (uint i = 1u; i <= count; i++) {
        uint joint = LOAD(e.program, ancestors + i);
        transform above = load_exchange(e, area, joint);
        direction = vector_from_parent(above, direction);
        pelvis = point_from_parent(above, pelvis);
        if (joint == pelvis_joint) {
            pelvis = all_vector(0.0f, 0.0f, 0.0f);
        }
    }
    quaternion back = quaternion_conjugate(hip.q);
    pelvis = snap_vector(rotate_vector(back, snap_vector(subtract_vectors(pelvis, hip.t))));
    direction = direction_of(snap_vector(rotate_vector(back, direction_of(direction))));
    real along = vector_dot(snap_vector(subtract_vectors(ankle, pelvis)), direction);
    return snap_vector(scale_vector(direction, snap(along * stride_growth(e, feet))));
}

OP vector load_weights(evaluation e, uint index) {
    return make_vector(load_weight(e, index), load_weight(e, index + 1u), load_weight(e, index + 2u));
}

// The vector whose coordinates along three axes are v.
OP vector along_axes(evaluation e, uint axes, vector v) {
    vector x = scale_vector(load_weights(e, axes), v.x);
    vector y = scale_vector(load_weights(e, axes + 3u), v.y);
    vector z = scale_vector(load_weights(e, axes + 6u), v.z);
    return snap_vector(add_vectors(add_vectors(x, y), z));
}

// Converts a vector or a point from model space to the node's space, and a vector back.
OP vector vector_to_node(evaluation e, uint feet, vector v) {
    uint world = READ(e.program, feet, FEET, world);
    if (world != 0u) {
        v = along_axes(e, world + FIELD(WORLD, axes), v);
    }
    return v;
}

OP vector point_to_node(evaluation e, uint feet, vector p) {
    uint world = READ(e.program, feet, FEET, world);
    if (world != 0u) {
        vector turned = along_axes(e, world + FIELD(WORLD, axes), p);
        p = snap_vector(add_vectors(turned, load_weights(e, world + FIELD(WORLD, origin))));
    }
    return p;
}

OP vector vector_from_node(evaluation e, uint feet, vector v) {
    uint world = READ(e.program, feet, FEET, world);
    if (world != 0u) {
        v = along_axes(e, world + FIELD(WORLD, to_model), v);
    }
    return v;
}

// A vector of model space in the space of a joint's rotation.
OP vector vector_at_joint(evaluation e, uint area, uint ancestors, transform joint, vector v) {
    uint count = LOAD(e.program, ancestors);
    for (uint i = 1u; i <= count; i++) {
        v = vector_from_parent(load_exchange(e, area, LOAD(e.program, ancestors + i)), v);
    }
    return snap_vector(rotate_vector(quaternion_conjugate(joint.q), v));
}

// The share of a difference that is left after a time. `rate` is the offset of the half-lives per second.
OP real left_after(evaluation e, uint rate, real time) {
    float given = LOAD_FLOAT(e.program, rate);
    real left = SPLAT(0.0f);
    if (given != 0.0f) {
        left = exponential2(snap(time * -given));
    }
    return left;
}

OP feet_frame begin_feet(evaluation e, uint area, uint table) {
    feet_frame now;
    real zero = SPLAT(0.0f);
    now.keeps = USES_CHAINS && keeps_memory(e) && READ(e.program, table, FEET, memory) != FEET_FORGET;
    now.begins = zero < 0.0f; // nowhere yet
    now.time = zero;
    now.slots.from = ALL_WORD(0u);
    now.slots.to = ALL_WORD(0u);
    now.slots.time = zero;
    now.slots.age = zero;
    now.pelvis = all_vector(0.0f, 0.0f, 0.0f);
    now.release = zero;
    now.ground = zero;
    now.sinking = zero;
    if (USES_CHAINS && now.keeps) {
        mutable_memory kept = kept_memory(e);
        uint words = WORDS_OF(FEET_KEPT) + WORDS_OF(FOOT_KEPT) * READ(e.program, table, FEET, count);
        word at = e.character * HEADER(e.program, PROGRAM, kept) + READ(e.program, table, FEET, memory);
        now.time = wrap_time(load_ik_value(e, table + FIELD(FEET, time)));
        now.slots = find_slots(kept, at, words, FIELD(FEET_KEPT, stamp), now.time);
        transform pelvis = load_exchange(e, area, READ(e.program, table, FEET, pelvis));
        vector origin = all_vector(0.0f, 0.0f, 0.0f);
        now.pelvis = point_to_node(e, table, point_in_model(e, area, table + FIELD(FEET, ancestors), pelvis, origin));
        vector before = load_kept_point(kept, now.slots.from + FIELD(FEET_KEPT, pelvis), 1u);
        vector jump = snap_vector(subtract_vectors(now.pelvis, before));
        lane_mask jumps = vector_dot(jump, jump) > READ_FLOAT(e.program, table, FEET, jump);
        now.begins = OR(now.slots.age > SLOT_LONGEST, jumps);
        now.release = SELECT(now.begins, zero, left_after(e, table + FIELD(FEET, release), now.slots.age));
        now.ground = SELECT(now.begins, zero, left_after(e, table + FIELD(FEET, ground), now.slots.age));
        now.sinking = SELECT(now.begins, zero, left_after(e, table + FIELD(FEET, sinking), now.slots.age));
    }
    return now;
}

// A foot that has no state, or has not begun.
OP kept_foot new_foot(void) {
    kept_foot foot;
    foot.lock = all_vector(0.0f, 0.0f, 0.0f);
    foot.moved = foot.lock;
    foot.normal = foot.lock;
    foot.offset = SPLAT(0.0f);
    foot.flags = ALL_WORD(0u);
    return foot;
}

OP kept_foot load_kept_foot(evaluation e, feet_frame now, uint which) {
    mutable_memory kept = kept_memory(e);
    word at = now.slots.from + (WORDS_OF(FEET_KEPT) + WORDS_OF(FOOT_KEPT) * which);
    kept_foot foot;
    foot.lock = load_kept_point(kept, at + FIELD(FOOT_KEPT, lock), 1u);
    foot.moved = load_kept_point(kept, at + FIELD(FOOT_KEPT, moved), 1u);
    foot.normal = load_kept_point(kept, at + FIELD(FOOT_KEPT, normal), 1u);
    foot.offset = snap(GATHER_REAL(kept, at + FIELD(FOOT_KEPT, offset)));
    foot.flags = SELECT_BITS(NOT(now.begins), GATHER(kept, at + FIELD(FOOT_KEPT, flags)));
    return foot;
}

OP void store_kept_foot(evaluation e, feet_frame now, uint which, kept_foot foot, lane_mask stored) {
    mutable_memory kept = kept_memory(e);
    word at = now.slots.to + (WORDS_OF(FEET_KEPT) + WORDS_OF(FOOT_KEPT) * which);
    store_kept_point(kept, at + FIELD(FOOT_KEPT, lock), 1u, foot.lock, stored);
    store_kept_point(kept, at + FIELD(FOOT_KEPT, moved), 1u, foot.moved, stored);
    store_kept_point(kept, at + FIELD(FOOT_KEPT, normal), 1u, foot.normal, stored);
    SCATTER(kept, at + FIELD(FOOT_KEPT, offset), BITS(foot.offset), stored);
    SCATTER(kept, at + FIELD(FOOT_KEPT, flags), foot.flags, stored);
}

// Locks a foot where it is shown when it becomes planted; holds it there until it is not planted any more, or is too
// far from the base; and then lets its displacement decay. `ankle` is that of the base, with the stride.
OP kept_foot lock_foot(evaluation e, uint feet, uint which, feet_frame now, kept_foot before, vector ankle, vector up,
                       lane_mask grounded) {
    float most = READ_FLOAT(e.program, feet, FEET, lock);
    vector held = vector_from_node(e, feet, snap_vector(subtract_vectors(before.lock, ankle)));
    held = vector_to_node(e, feet, part_across(held, up));
    real square = vector_dot(held, held);
    lane_mask breaks = square > most * most;
    held = select_vector(breaks, snap_vector(scale_vector(held, most * reciprocal_root(square))), held);
    lane_mask was_planted = (before.flags & FOOT_PLANTED) != 0u;
    lane_mask was_locked = (before.flags & FOOT_LOCKED) != 0u;
    lane_mask planted = AND(grounded, load_weight(e, LOAD(e.program, feet + FIELD(FEET, planted) + which)) > 0.0f);
    lane_mask holds = AND(planted, AND(was_planted, was_locked));
    lane_mask begins = AND(planted, NOT(was_planted));
    vector released = snap_vector(scale_vector(before.moved, now.release));
    kept_foot after = before;
    after.moved = select_vector(holds, held, released);
    after.moved = select_vector(grounded, after.moved, all_vector(0.0f, 0.0f, 0.0f));
    after.lock = select_vector(begins, snap_vector(add_vectors(ankle, after.moved)), before.lock);
    lane_mask locked = OR(begins, AND(holds, NOT(breaks)));
    after.flags = SELECT_BITS(planted, ALL_WORD(FOOT_PLANTED)) | SELECT_BITS(locked, ALL_WORD(FOOT_LOCKED));
    return after;
}

// The ankle in the base.
OP vector ankle_of_base(evaluation e, uint foot_table, placed_foot foot) {
    vector ankle = add_vectors(foot.bones.upper, foot.bones.lower);
    if (USES_DETACHED && detached_end(e, foot_table) != 0u) {
        ankle = foot.detached;
    }
    return ankle;
}

// The ankle moves with the stride and the lock, and then along up to where it is as far from the ground, along the
// normal, as it is above the model space's origin in the base.
OP placed_foot load_foot(evaluation e, uint area, uint feet, uint which, vector model_up, feet_frame now) {
    uint table = LOAD(e.program, feet + FIELD(FEET, tables) + which);
    uint ancestors = table + FIELD(TWO_BONE, ancestors);
    placed_foot foot;
    foot.bones = load_two_bones(e, area, table);
    transform start = load_exchange(e, area, READ(e.program, table, TWO_BONE, start));
    foot_space space = load_foot_space(e, area, ancestors, start, model_up);
    foot.up = space.up;
    foot.detached = all_vector(0.0f, 0.0f, 0.0f);
    uint detached = detached_end(e, table);
    if (USES_DETACHED && detached != 0u) {
        foot.detached = detached_position(e, area, table, detached, start);
    }
    vector ankle = snap_vector(ankle_of_base(e, table, foot));
    foot.stride = all_vector(0.0f, 0.0f, 0.0f);
    if (READ(e.program, feet, FEET, strides) != 0u) {
        foot.stride = find_stride(e, area, feet, ancestors, start, ankle);
        ankle = snap_vector(add_vectors(ankle, foot.stride));
    }
    vector normal = foot.bones.pole;
    vector up = direction_of(space.up);
    real square = vector_dot(space.up, space.up);
    real unit = SELECT(square > 0.0f, reciprocal_root(square), SPLAT(0.0f));
    real cosine = vector_dot(up, normal);
    foot.grounded = cosine > FOOT_SLOPE;
    foot.kept = new_foot();
    lane_mask smooths = foot.grounded;
    if (USES_CHAINS && now.keeps) {
        foot.kept = load_kept_foot(e, now, which);
        smooths = AND(foot.grounded, (foot.kept.flags & FOOT_GROUNDED) != 0u);
        if (LOAD(e.program, feet + FIELD(FEET, lock)) != 0u) {
            vector at = point_to_node(e, feet, point_in_model(e, area, ancestors, start, ankle));
            foot.kept = lock_foot(e, feet, which, now, foot.kept, at, model_up, foot.grounded);
            vector moved = part_across(vector_from_node(e, feet, foot.kept.moved), model_up);
            moved = vector_at_joint(e, area, ancestors, start, moved);
            foot.stride = snap_vector(add_vectors(foot.stride, moved));
            ankle = snap_vector(add_vectors(ankle, moved));
        }
    }
    real inverse = reciprocal(SELECT(foot.grounded, cosine, SPLAT(1.0f)));
    real height = vector_dot(snap_vector(subtract_vectors(ankle, space.origin)), up);
    real below = vector_dot(snap_vector(subtract_vectors(foot.bones.goal, ankle)), normal);
    real offset = snap((snap(below + height) * inverse) * unit);
    foot.offset = SELECT(foot.grounded, offset, SPLAT(0.0f));
    foot.stride = select_vector(foot.grounded, foot.stride, all_vector(0.0f, 0.0f, 0.0f));
    if (USES_CHAINS && now.keeps) {
        if (LOAD(e.program, feet + FIELD(FEET, ground)) != 0u) {
            real left = SELECT(smooths, now.ground, SPLAT(0.0f));
            foot.offset = snap(foot.offset + snap(foot.kept.offset - foot.offset) * left);
            vector given = direction_of(load_ik_point(e, table + FIELD(TWO_BONE, pole)));
            vector apart = snap_vector(subtract_vectors(foot.kept.normal, given));
            foot.kept.normal = direction_of(snap_vector(add_vectors(given, scale_vector(apart, left))));
            foot.bones.pole = direction_of(vector_at_joint(e, area, ancestors, start, foot.kept.normal));
        }
        foot.kept.offset = foot.offset;
        word locks = foot.kept.flags & (FOOT_PLANTED | FOOT_LOCKED);
        foot.kept.flags = locks | SELECT_BITS(foot.grounded, ALL_WORD(FOOT_GROUNDED));
    }
    return foot;
}

// How far the hip must go down, beyond the offset, so that the ankle is not farther from it than in the base: the
// smaller solution of |target + x up|^2 = |ankle|^2. If there is none, to where it is nearest.
OP real stretch_of_leg(evaluation e, uint foot_table, placed_foot foot) {
    vector ankle = snap_vector(ankle_of_base(e, foot_table, foot));
    real raised = SELECT(foot.offset > 0.0f, foot.offset, SPLAT(0.0f));
    vector moved = snap_vector(add_vectors(foot.stride, scale_vector(foot.up, raised)));
    vector target = snap_vector(add_vectors(ankle, moved));
    real longer = snap_small(vector_dot(moved, snap_vector(add_vectors(ankle, target))));
    real below = snap(-vector_dot(target, foot.up));
    real square = snap(vector_dot(foot.up, foot.up));
    real rest = snap_small(below * below - square * longer);
    real root = square_root(SELECT(rest > 0.0f, rest, SPLAT(0.0f)));
    lane_mask stretched = AND(longer > 0.0f, below > 0.0f);
    real solution = longer * reciprocal(SELECT(stretched, below + root, SPLAT(1.0f)));
    real nearest = below * reciprocal(square);
    solution = snap(SELECT(solution < nearest, solution, nearest));
    return SELECT(stretched, solution, SPLAT(0.0f));
}

// All feet, as a joint sees them.
STRUCT(placed_feet)
real lowered;    // how far the pelvis moves along up, at most 0
placed_foot own; // the foot whose leg has the joint
END_STRUCT(placed_feet)

// The pelvis moves as far as the foot that moves down most, or whose leg is stretched most; smoothed. `which` is the
// foot whose leg has the joint, or the number of feet. The invocation of the pelvis also stores the state of the
// characters that `stored` selects.
OP placed_feet place_feet(evaluation e, uint area, uint table, uint which, vector up, feet_frame now,
                          lane_mask stored) {
    placed_feet feet;
    real lowered = SPLAT(0.0f);
    bool stores = now.keeps && e.joint == READ(e.program, table, FEET, pelvis);
    uint count = READ(e.program, table, FEET, count);
    // The joint's own foot is the last one, so that it stays in `feet`.
    for (uint i = 1u; i <= count; i++) {
        uint foot = (which + i) % count;
        feet.own = load_foot(e, area, table, foot, up, now);
        real needed = feet.own.offset;
        if (READ(e.program, table, FEET, moves) != 0u) {
            needed = SELECT(needed < 0.0f, needed, SPLAT(0.0f)) -
                     stretch_of_leg(e, LOAD(e.program, table + FIELD(FEET, tables) + foot), feet.own);
        }
        lowered = SELECT(needed < lowered, needed, lowered);
        if (USES_CHAINS && stores) {
            store_kept_foot(e, now, foot, feet.own.kept, stored);
        }
    }
    float most = READ_FLOAT(e.program, table, FEET, lowering);
    lowered = SELECT(lowered < -most, SPLAT(-most), lowered);
    if (USES_CHAINS && now.keeps) {
        mutable_memory kept = kept_memory(e);
        if (LOAD(e.program, table + FIELD(FEET, sinking)) != 0u) {
            real before = snap(GATHER_REAL(kept, now.slots.from + FIELD(FEET_KEPT, lowered)));
            lowered = snap(lowered + snap(before - lowered) * now.sinking);
        }
        if (stores) {
            store_kept_point(kept, now.slots.to + FIELD(FEET_KEPT, pelvis), 1u, now.pelvis, stored);
            SCATTER(kept, now.slots.to + FIELD(FEET_KEPT, lowered), BITS(lowered), stored);
            SCATTER(kept, now.slots.to + FIELD(FEET_KEPT, stamp), BITS(now.time) + 1u, stored);
            // A stamp from another time could count as recent later.
            lane_mask stale = AND(stored, now.slots.age > SLOT_LONGEST);
            SCATTER(kept, now.slots.from + FIELD(FEET_KEPT, stamp), ALL_WORD(0u), stale);
        }
    }
    feet.lowered = lowered;
    return feet;
}

OP vector pelvis_translation(evaluation e, uint area, uint table, real lowered, vector up) {
    vector moved = snap_vector(scale_vector(up, lowered));
    uint count = READ(e.program, table, FEET, ancestors);
    for (uint i = 1u; i <= count; i++) {
        moved = vector_from_parent(load_exchange(e, area, LOAD(e.program, table + FIELD(FEET, ancestors) + i)), moved);
    }
    return moved;
}

// The rotation of a joint relative to an ancestor: the product of the rotations between them.
OP quaternion joints_between(evaluation e, uint area, uint ancestor, uint joint) {
    quaternion q = all_quaternion(0.0f, 0.0f, 0.0f, 1.0f);
    for (uint above = parent_of(e.program, joint); above != ancestor; above = parent_of(e.program, above)) {
        q = quaternion_normalize(quaternion_multiply(load_exchange_rotation(e, area, above), q));
    }
    return q;
}

// The turn of the foot in its own space: from where the leg leaves it, to its rotation in the base, turned from up to
// the normal by at most the limit.
OP quaternion turn_foot(evaluation e, uint area, uint table, placed_foot foot, quaternion hip, quaternion knee,
                        half_angle limit) {
    uint start = READ(e.program, table, TWO_BONE, start);
    uint mid = READ(e.program, table, TWO_BONE, mid);
    uint end = READ(e.program, table, TWO_BONE, end);
    quaternion own = load_exchange_rotation(e, area, end);
    quaternion upper = joints_between(e, area, start, mid);
    quaternion lower = joints_between(e, area, mid, end);
    upper = quaternion_normalize(quaternion_multiply(upper, load_exchange_rotation(e, area, mid)));
    quaternion before = quaternion_normalize(quaternion_multiply(upper, lower));
    quaternion after = quaternion_normalize(quaternion_multiply(quaternion_multiply(upper, knee), lower));
    after = quaternion_normalize(quaternion_multiply(hip, after));
    quaternion tilt = shortest_arc(direction_of(foot.up), foot.bones.pole);
    tilt = select_quaternion(exceeds_limit(tilt, limit), limit_turn(tilt, limit), tilt);
    quaternion placed = quaternion_normalize(quaternion_multiply(tilt, quaternion_multiply(before, own)));
    quaternion from = quaternion_multiply(after, own);
    return quaternion_multiply(quaternion_conjugate(from), placed);
}

// A leg that reaches for where its ankle belongs.
OP two_bones reaching_leg(evaluation e, uint foot_table, placed_foot foot, real lowered) {
    two_bones bones = foot.bones;
    vector ankle = add_vectors(ankle_of_base(e, foot_table, foot), foot.stride);
    bones.goal = snap_vector(add_vectors(ankle, scale_vector(foot.up, foot.offset - lowered)));
    bones.pole = all_vector(0.0f, 0.0f, 0.0f);
    return bones;
}

// The turn of a joint of a leg, in its own space.
OP quaternion turn_of_leg(evaluation e, uint area, uint table, uint foot_table, placed_foot foot, real lowered) {
    two_bones bones = reaching_leg(e, foot_table, foot, lowered);
    two_bone_bend bend = bend_two_bones(bones, READ_FLOAT(e.program, foot_table, TWO_BONE, soften));
    quaternion knee = rotation_about(load_ik_axis(e, foot_table + FIELD(TWO_BONE, axis)), bend.angle);
    quaternion turn = knee;
    if (e.joint != READ(e.program, foot_table, TWO_BONE, mid)) {
        turn = aim_two_bones(bones, bend, SPLAT(0.0f));
    }
    if (e.joint == READ(e.program, foot_table, TWO_BONE, end)) {
        half_angle limit = make_half_angle(SPLAT(LOAD_FLOAT(e.program, table + FIELD(FEET, limit))),
                                           SPLAT(LOAD_FLOAT(e.program, table + FIELD(FEET, limit) + 1u)));
        turn = turn_foot(e, area, foot_table, foot, turn, knee, limit);
    }
    return turn;
}

OP quaternion rotation_under(evaluation e, uint area, uint ancestors, quaternion own) {
    for (uint i = LOAD(e.program, ancestors); i > 0u; i--) {
        quaternion above = load_exchange_rotation(e, area, LOAD(e.program, ancestors + i));
        own = quaternion_normalize(quaternion_multiply(above, own));
    }
    return own;
}

// A detached foot moves to where its ankle belongs, or to the tip of the leg if that does not get there, and turns in
// its own space from up to the normal. Without ground it goes down with the pelvis.
OP transform place_detached_foot(evaluation e, uint area, uint table, uint foot_table, placed_feet feet, transform end,
                                 real weight) {
    placed_foot foot = feet.own;
    uint record = detached_end(e, foot_table);
    transform start = load_exchange(e, area, READ(e.program, foot_table, TWO_BONE, start));
    float soften = READ_FLOAT(e.program, foot_table, TWO_BONE, soften);
    two_bones bones = reaching_leg(e, foot_table, foot, feet.lowered);
    two_bone_bend bend = bend_two_bones(bones, soften);
    vector place = place_of_end(bones, bend, aim_two_bones(bones, bend, SPLAT(0.0f)), soften);
    vector moved = snap_vector(subtract_vectors(place, foot.detached));
    moved = select_vector(foot.grounded, moved, all_vector(0.0f, 0.0f, 0.0f));
    // The leg has moved with the pelvis.
    if (READ(e.program, record, DETACHED, follows) == 0u) {
        moved = snap_vector(add_vectors(moved, scale_vector(foot.up, feet.lowered)));
    }
    moved = detached_displacement(e, area, foot_table, record, start, moved);
    quaternion from = rotation_under(e, area, foot_table + FIELD(TWO_BONE, ancestors), start.q);
    quaternion own = rotation_under(e, area, record + FIELD(DETACHED, ancestors), end.q);
    own = quaternion_normalize(quaternion_multiply(quaternion_conjugate(from), own));
    quaternion tilt = shortest_arc(direction_of(foot.up), foot.bones.pole);
    half_angle limit = make_half_angle(SPLAT(LOAD_FLOAT(e.program, table + FIELD(FEET, limit))),
                                       SPLAT(LOAD_FLOAT(e.program, table + FIELD(FEET, limit) + 1u)));
    tilt = select_quaternion(exceeds_limit(tilt, limit), limit_turn(tilt, limit), tilt);
    quaternion turn = quaternion_multiply(quaternion_conjugate(own), quaternion_multiply(tilt, own));
    end.t = snap_vector(add_vectors(end.t, scale_vector(moved, weight)));
    end.q = turn_by_weight(end.q, turn, SELECT(foot.grounded, weight, SPLAT(0.0f)));
    return end;
}

// The index of the foot whose leg has the joint, or the number of feet.
OP uint foot_of_joint(evaluation e, uint table) {
    uint count = READ(e.program, table, FEET, count);
    uint found = count;
    for (uint i = 0u; i < count; i++) {
        uint foot = LOAD(e.program, table + FIELD(FEET, tables) + i);
        if (e.joint == READ(e.program, foot, TWO_BONE, start) || e.joint == READ(e.program, foot, TWO_BONE, mid) ||
            e.joint == READ(e.program, foot, TWO_BONE, end)) {
            found = i;
        }
    }
    return found;
}

OP transform foot_placement_operation(evaluation e, uint instruction) {
    uint area = READ(e.program, instruction, EXCHANGED, area);
    uint table = READ(e.program, instruction, EXCHANGED, table);
    transform local = load_exchange(e, area, e.joint);
    bool is_pelvis = e.joint == READ(e.program, table, FEET, pelvis);
    uint which = foot_of_joint(e, table);
    if (is_pelvis || which < READ(e.program, table, FEET, count)) {
        real weight = load_weight(e, READ(e.program, instruction, BLEND, weight));
        if (ANY(weight > 0.0f)) {
            vector up = load_ik_axis(e, table + FIELD(FEET, up));
            feet_frame now = begin_feet(e, area, table);
            placed_feet feet = place_feet(e, area, table, which, up, now, stores_slot(e, weight));
            if (is_pelvis) {
                vector moved = pelvis_translation(e, area, table, feet.lowered, up);
                local.t = snap_vector(add_vectors(local.t, scale_vector(moved, weight)));
            } else {
                uint foot_table = LOAD(e.program, table + FIELD(FEET, tables) + which);
                uint detached = detached_end(e, foot_table);
                if (USES_DETACHED && detached != 0u && e.joint == READ(e.program, foot_table, TWO_BONE, end)) {
                    local = place_detached_foot(e, area, table, foot_table, feet, local, weight);
                } else {
                    quaternion turn = turn_of_leg(e, area, table, foot_table, feet.own, feet.lowered);
                    local.q = turn_by_weight(local.q, turn, SELECT(feet.own.grounded, weight, SPLAT(0.0f)));
                }
            }
        }
    }
    return local;
}

#endif
