// Chains: bones that swing after their animation, such as tails, hair and antennas. Each bone of a chain is a particle
// at its end, stepped by Verlet integration with constraints on positions (Müller et al., "Position Based Dynamics",
// 2007). The spring to the animation is one of extended position based dynamics (Macklin et al., "XPBD", 2016).
//
// Steps are at fixed times, 120 a second, so a frame has any number of them, also none. A bone steps through the whole
// frame at once, along the straight line on which its parent's end moved in the frame. So a joint computes the bones
// above it and its own one after another, and holds only one. All joints of a chain run side by side.
//
// A bone has two slots in the memory that a batch keeps (slots.h). No two joints write the same words, and no joint
// reads words of a slot that another one writes.
#ifndef LMB_OPS_CHAIN_H
#define LMB_OPS_CHAIN_H

#include "ik.h"
#include "slots.h"

// The table of a chain.
RECORD(CHAIN)
WORDS(2, time);     // value: seconds
WORDS(6, velocity); // three values
WORDS(3, gravity);  // float: what it adds to a position in a step
FLOAT(keep);        // the share of its velocity that a bone keeps in a step
FLOAT(pull);        // the share of the way to the animation that a bone is pulled in a step
FLOAT(jump);        // squared distance of a jump after which the chain begins anew
uint memory;        // offset in the words that a batch keeps for a character
uint bones;         // number of bones, at most 32, and of colliders
uint ancestors;     // number of ancestors of the first joint, then these, the root first
END_RECORD(CHAIN, 17)

// After them [bone + 1]: the joints of the chain, each the parent of the next one; [bone] float: the weight of its
// joint. If there are colliders, [bone] float: the radius at its end; then each collider.
#define CHAIN_BONE_MASK 255u // of CHAIN.bones
#define CHAIN_COLLIDERS_SHIFT 8u

RECORD(COLLIDER)
WORDS(3, offset); // float, in the space of its joint
WORDS(3, tail);   // float: the other end of a capsule; of a sphere the same
FLOAT(radius);
uint joint_count;
END_RECORD(COLLIDER, 8)
// Behind it: the ancestors of its joint, the root first, and its joint.
#define MOST_COLLIDERS 8u

// Words of a bone in a slot, each for all bones: position and previous position at the last step, position of its
// beginning in the frame, and 1 plus the bits of the frame's time.
RECORD(CHAIN_BONE)
WORDS(3, position);
WORDS(3, before);
WORDS(3, beginning);
uint stamp;
END_RECORD(CHAIN_BONE, 10)

#define CHAIN_STEPS_A_SECOND 120.0f
#define CHAIN_STEPS_A_PERIOD 122880.0f
#define CHAIN_STEP 0.00833333377f // seconds
#define CHAIN_MOST_STEPS 64.0f    // of a frame
#define CHAIN_PHASE 0.125f        // steps are this part of one before multiples, so that rounding rarely decides

// A bone in model space.
STRUCT(chain_bone)
vector end;
vector before; // the end a step earlier
vector anchor; // the bone's beginning at the time of the frame
vector shown;  // the end at the time of the frame
END_STRUCT(chain_bone)

// The colliders of a chain in model space.
STRUCT(chain_colliders)
uint count;
vector at[MOST_COLLIDERS];
vector along[MOST_COLLIDERS];
real inverse[MOST_COLLIDERS]; // of the squared length of `along`; 0 of 0
float radius[MOST_COLLIDERS];
END_STRUCT(chain_colliders)

// What all bones of a chain share.
STRUCT(chain_frame)
real time;
vector shift; // by which the character moves in a step
vector gravity;
float keep;
float pull;
END_STRUCT(chain_frame)

OP vector position_of(affine model) {
    return make_vector(model.xt, model.yt, model.zt);
}

// The point in the direction of p from a, at the length of `bone`; a plus the bone if p is at a.
OP_NOINLINE vector place_end(vector a, vector p, vector bone) {
    vector apart = snap_vector(subtract_vectors(p, a));
    vector along = scale_vector(direction_of(apart), vector_length(bone));
    vector placed = select_vector(vector_dot(apart, apart) > 0.0f, along, bone);
    return snap_vector(add_vectors(a, placed));
}

OP chain_colliders load_colliders(evaluation e, uint area, uint at, uint count) {
    chain_colliders all;
    all.count = count;
    for (uint i = 0u; i < count; i++) {
        uint joints = READ(e.program, at, COLLIDER, joint_count);
        affine model = own_matrix(identity_transform());
        for (uint k = 0u; k < joints; k++) {
            uint joint = LOAD(e.program, at + WORDS_OF(COLLIDER) + k);
            model = matrix_under(model, own_matrix(load_exchange(e, area, joint)));
        }
        vector begin = move_point(model, load_ik_axis(e, at + FIELD(COLLIDER, offset)));
        vector along =
            snap_vector(subtract_vectors(move_point(model, load_ik_axis(e, at + FIELD(COLLIDER, tail))), begin));
        all.at[i] = begin;
        all.along[i] = along;
        all.inverse[i] = reciprocal(vector_dot(along, along));
        all.radius[i] = READ_FLOAT(e.program, at, COLLIDER, radius);
        at = at + WORDS_OF(COLLIDER) + joints;
    }
    return all;
}

// Pushes the end of a bone that begins at `anchor` out of colliders, and keeps its length.
OP vector push_end(chain_colliders all, float radius, vector anchor, vector end, vector bone) {
    for (uint i = 0u; i < all.count; i++) {
        vector apart = snap_vector(subtract_vectors(end, all.at[i]));
        real place = clamp_real(snap(vector_dot(apart, all.along[i]) * all.inverse[i]), 0.0f, 1.0f);
        apart = snap_vector(subtract_vectors(apart, scale_vector(all.along[i], place)));
        real reach = SPLAT(all.radius[i] + radius);
        real depth = reach - vector_length(apart);
        vector pushed = snap_vector(add_vectors(end, scale_vector(direction_of(apart), depth)));
        end = select_vector(depth > 0.0f, place_end(anchor, pushed, bone), end);
    }
    return end;
}

// Loads a bone from the slot of the frame before.
OP chain_bone load_chain_bone(mutable_memory kept, kept_slots slots, uint bones) {
    chain_bone b;
    b.end = load_kept_point(kept, slots.from, bones);
    b.before = load_kept_point(kept, slots.from + 3u * bones, bones);
    b.anchor = load_kept_point(kept, slots.from + 6u * bones, bones);
    b.shown = b.end;
    return b;
}

// A bone that begins: it is where the animation puts it, and moves with the character.
OP chain_bone begin_chain_bone(chain_frame now, vector anchor, vector bone) {
    chain_bone b;
    b.end = snap_vector(add_vectors(anchor, bone));
    b.before = snap_vector(subtract_vectors(b.end, now.shift));
    b.anchor = anchor;
    b.shown = b.end;
    return b;
}

OP chain_bone select_chain_bone(lane_mask condition, chain_bone yes, chain_bone no) {
    chain_bone b;
    b.end = select_vector(condition, yes.end, no.end);
    b.before = select_vector(condition, yes.before, no.before);
    b.anchor = select_vector(condition, yes.anchor, no.anchor);
    b.shown = select_vector(condition, yes.shown, no.shown);
    return b;
}

// One step of a bone that begins at `anchor`. Positions are relative to the character, so those of a step ago shift
// back by what it moves. `inverse`: of the bone's squared length; 0 of 0.
OP chain_bone step_chain_bone(chain_frame now, chain_bone b, vector anchor, vector bone, real inverse) {
    chain_bone next = b;
    next.before = snap_vector(subtract_vectors(b.end, now.shift));
    vector velocity = snap_vector(subtract_vectors(b.end, b.before));
    vector moved = add_vectors(scale_vector(velocity, SPLAT(now.keep)), now.gravity);
    moved = snap_vector(add_vectors(next.before, moved));
    // The spring pulls across the bone: along it, it would turn the bone farther than its torque does.
    vector swung = snap_vector(subtract_vectors(moved, anchor));
    vector pulled = snap_vector(scale_vector(subtract_vectors(bone, swung), SPLAT(now.pull)));
    real along = snap(snap(vector_dot(pulled, swung)) * inverse);
    pulled = subtract_vectors(pulled, scale_vector(swung, along));
    next.end = place_end(anchor, snap_vector(add_vectors(moved, pulled)), bone);
    return next;
}

// Steps a bone through a frame, in which its beginning moves to `anchor`. `bone` is the animated bone. Where `begins`
// holds there are no steps.
OP chain_bone move_chain_bone(chain_frame now, kept_slots slots, chain_bone b, vector anchor, vector bone,
                              lane_mask begins, chain_colliders colliders, float radius) {
    real begun = slots.time * CHAIN_STEPS_A_SECOND;
    begun = begun + CHAIN_PHASE;
    real passed = now.time * CHAIN_STEPS_A_SECOND;
    passed = passed + CHAIN_PHASE;
    real last = FLOOR(passed);
    real steps = last - FLOOR(begun);
    steps = SELECT(steps < 0.0f, steps + CHAIN_STEPS_A_PERIOD, steps);
    steps = SELECT(begins, SPLAT(0.0f), LESSER(steps, CHAIN_MOST_STEPS));
    // The times of steps from one frame to the other, from 0 to 1.
    real inverse = reciprocal(snap_small(slots.age * CHAIN_STEPS_A_SECOND));
    real first = 1.0f - (begun - FLOOR(begun));
    real inverse_square = reciprocal(vector_dot(bone, bone));
    real done = SPLAT(0.0f);
    while (ANY(done < steps)) {
        real time = clamp_real((first + done) * inverse, 0.0f, 1.0f);
        vector here = snap_vector(lerp_vectors(b.anchor, anchor, time));
        chain_bone next = step_chain_bone(now, b, here, bone, inverse_square);
        if (USES_COLLIDERS && colliders.count > 0u) {
            next.end = push_end(colliders, radius, here, next.end, bone);
        }
        lane_mask runs = done < steps;
        b.end = select_vector(runs, next.end, b.end);
        b.before = select_vector(runs, next.before, b.before);
        done = done + 1.0f;
    }
    // From the last step to the frame the end keeps its velocity.
    vector velocity = snap_vector(subtract_vectors(subtract_vectors(b.end, b.before), now.shift));
    vector shown = snap_vector(add_vectors(b.end, scale_vector(velocity, passed - last)));
    b.shown = place_end(anchor, shown, bone);
    if (USES_COLLIDERS && colliders.count > 0u) {
        b.shown = push_end(colliders, radius, anchor, b.shown, bone);
    }
    b.anchor = anchor;
    return b;
}

OP void store_chain_bone(mutable_memory kept, kept_slots slots, uint bones, chain_frame now, chain_bone b,
                         lane_mask begins, lane_mask stored) {
    store_kept_point(kept, slots.to, bones, b.end, stored);
    store_kept_point(kept, slots.to + 3u * bones, bones, b.before, stored);
    store_kept_point(kept, slots.to + 6u * bones, bones, b.anchor, stored);
    SCATTER(kept, slots.to + FIELD(CHAIN_BONE, stamp) * bones, BITS(now.time) + 1u, stored);
    SCATTER(kept, slots.from + FIELD(CHAIN_BONE, stamp) * bones, ALL_WORD(0u), AND(stored, begins));
}

OP chain_frame load_chain_frame(evaluation e, uint table) {
    chain_frame now;
    now.time = wrap_time(load_ik_value(e, table + FIELD(CHAIN, time)));
    now.shift = snap_vector(scale_vector(load_ik_point(e, table + FIELD(CHAIN, velocity)), SPLAT(CHAIN_STEP)));
    now.gravity = load_ik_axis(e, table + FIELD(CHAIN, gravity));
    now.keep = READ_FLOAT(e.program, table, CHAIN, keep);
    now.pull = READ_FLOAT(e.program, table, CHAIN, pull);
    return now;
}

// The local rotation of the joint at a bone's beginning. It stores the bone in lanes where `stored` holds.
//
// The bone turns by the shortest arc a from its animated direction to the simulated one, its parent bone by b, both in
// model space. With the animated rotation r of the joint's parent, the joint's rotation q becomes r* b* a r q. Where
// the whole chain begins it is q, to the bit.
OP quaternion chain_rotation(evaluation e, uint area, uint table, uint own, real weight, lane_mask stored) {
    mutable_memory kept = kept_memory(e);
    chain_frame now = load_chain_frame(e, table);
    uint bones = READ(e.program, table, CHAIN, bones) & CHAIN_BONE_MASK;
    uint ancestors = READ(e.program, table, CHAIN, ancestors);
    uint joints = table + FIELD(CHAIN, ancestors) + 1u;
    uint weights = joints + ancestors + bones + 1u;
    uint radii = weights + bones;
    chain_colliders colliders;
    colliders.count = 0u;
    if (USES_COLLIDERS) {
        colliders =
            load_colliders(e, area, radii + bones, READ(e.program, table, CHAIN, bones) >> CHAIN_COLLIDERS_SHIFT);
    }
    affine model = own_matrix(identity_transform());
    quaternion above = all_quaternion(0.0f, 0.0f, 0.0f, 1.0f);
    for (uint i = 0u; i < ancestors; i++) {
        transform joint = load_exchange(e, area, LOAD(e.program, joints + i));
        model = matrix_under(model, own_matrix(joint));
        above = quaternion_polish(quaternion_multiply(above, joint.q));
    }
    joints = joints + ancestors;
    transform joint = load_exchange(e, area, LOAD(e.program, joints));
    model = matrix_under(model, own_matrix(joint));
    vector from = position_of(model);
    vector anchor = from;
    quaternion before = all_quaternion(0.0f, 0.0f, 0.0f, 1.0f);
    quaternion arc = before;
    word words = e.character * HEADER(e.program, PROGRAM, kept) + READ(e.program, table, CHAIN, memory);
    quaternion base = load_exchange_rotation(e, area, e.joint);
    lane_mask begins = now.time < 0.0f; // nowhere yet
    lane_mask all_begin = begins;
    for (uint i = 0u; i <= own; i++) {
        transform next = load_exchange(e, area, LOAD(e.program, joints + i + 1u));
        affine below = matrix_under(model, own_matrix(next));
        vector bone = snap_vector(subtract_vectors(position_of(below), from));
        kept_slots slots =
            find_slots(kept, words + i, WORDS_OF(CHAIN_BONE) * bones, FIELD(CHAIN_BONE, stamp) * bones, now.time);
        chain_bone b = load_chain_bone(kept, slots, bones);
        vector jump = snap_vector(subtract_vectors(anchor, b.anchor));
        lane_mask jumps = vector_dot(jump, jump) > READ_FLOAT(e.program, table, CHAIN, jump);
        begins = OR(begins, OR(slots.age > SLOT_LONGEST, jumps));
        if (i == 0u) {
            all_begin = begins; // because a bone begins if one above it does
        }
        float radius = 0.0f;
        if (USES_COLLIDERS && colliders.count > 0u) {
            radius = LOAD_FLOAT(e.program, radii + i);
        }
        chain_bone moved = move_chain_bone(now, slots, b, anchor, bone, begins, colliders, radius);
        b = select_chain_bone(begins, begin_chain_bone(now, anchor, bone), moved);
        before = arc;
        arc = shortest_arc(direction_of(bone), direction_of(snap_vector(subtract_vectors(b.shown, anchor))));
        if (i == own) {
            store_chain_bone(kept, slots, bones, now, b, begins, stored);
        } else {
            above = quaternion_polish(quaternion_multiply(above, joint.q));
            joint = next;
            model = below;
            from = position_of(below);
            anchor = b.shown;
        }
    }
    quaternion turn = quaternion_multiply(quaternion_conjugate(before), arc);
    turn = quaternion_multiply(quaternion_conjugate(above), quaternion_multiply(turn, above));
    turn = quaternion_normalize(quaternion_multiply(turn, joint.q));
    weight = snap(weight * LOAD_FLOAT(e.program, weights + own));
    return select_quaternion(all_begin, base, rotation_by_weight(base, turn, weight));
}

OP transform chain_operation(evaluation e, uint instruction) {
    uint area = READ(e.program, instruction, EXCHANGED, area);
    uint table = READ(e.program, instruction, EXCHANGED, table);
    transform local = load_exchange(e, area, e.joint);
    if (USES_CHAINS && keeps_memory(e)) {
        uint bones = READ(e.program, table, CHAIN, bones) & CHAIN_BONE_MASK;
        uint joints = table + FIELD(CHAIN, ancestors) + 1u + READ(e.program, table, CHAIN, ancestors);
        uint own = bones;
        for (uint i = 0u; i < bones; i++) {
            own = LOAD(e.program, joints + i) == e.joint ? i : own;
        }
        if (own < bones) {
            real weight = load_weight(e, READ(e.program, instruction, BLEND, weight));
            if (ANY(weight > 0.0f)) {
                local.q = chain_rotation(e, area, table, own, weight, stores_slot(e, weight));
            }
        }
    }
    return local;
}

#endif
