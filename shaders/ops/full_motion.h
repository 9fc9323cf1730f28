// Character motion with full rotation: three translations and three rotations.
//
// The orientation is a unit quaternion in the state. Within an interval of a motion track the rotation is about one
// axis at a constant rate, so the rotation over a part of it is exactly the part of the angle, however small.
#ifndef LMB_OPS_FULL_MOTION_H
#define LMB_OPS_FULL_MOTION_H

#include "warp.h"

// A displacement relative to its start: first the rotation, then the translation along the axes there.
STRUCT(rigid)
vector t;
quaternion q;
END_STRUCT(rigid)

OP rigid make_rigid(vector t, quaternion q) {
    rigid r;
    r.t = t;
    r.q = q;
    return r;
}

#define NO_ROTATION make_quaternion(0.0f, 0.0f, 0.0f, 1.0f)

// The displacement a followed by b.
OP rigid join_rigids(rigid a, rigid b) {
    return make_rigid(add_vectors(a.t, rotate_vector(a.q, b.t)), quaternion_normalize(quaternion_multiply(a.q, b.q)));
}

OP quaternion rotation_of_turns(vector axis, real turns) {
    direction half_turn = direction_of_angle(angle_of_turns(0.5f * turns));
    return make_quaternion(axis.x * half_turn.sine, axis.y * half_turn.sine, axis.z * half_turn.sine, half_turn.cosine);
}

OP rigid rigid_of_displacement(displacement d) {
    return make_rigid(make_vector(d.x, d.y, d.z), rotation_of_turns(make_vector(0.0f, 1.0f, 0.0f), d.turns));
}

OP quaternion load_block_quaternion(control c, address at) {
    return make_quaternion(LOAD_FLOAT(c.block, at), LOAD_FLOAT(c.block, at + 1u), LOAD_FLOAT(c.block, at + 2u),
                           LOAD_FLOAT(c.block, at + 3u));
}

// The rotation over a share of the interval that begins at a key.
OP quaternion rotation_in_interval(control c, address key, real share) {
    vector axis =
        make_vector(LOAD_FLOAT(c.block, key + 4u), LOAD_FLOAT(c.block, key + 5u), LOAD_FLOAT(c.block, key + 6u));
    return rotation_of_turns(axis, LOAD_FLOAT(c.block, key + 7u) * share);
}

OP real share_of_word(uint part) {
    return real_of_word(part) * 2.32830644e-10f;
}

// The rotation between two positions, of which the second is not before the first.
OP quaternion rotation_between(control c, address rotations, motion_place from, motion_place to) {
    address a = rotations + from.key * MOTION_ROTATION_WORDS;
    address b = rotations + to.key * MOTION_ROTATION_WORDS;
    quaternion q = rotation_in_interval(c, a, share_of_word(to.part - from.part));
    if (from.key != to.key) {
        q = rotation_in_interval(c, a, 1.0f - share_of_word(from.part));
        if (from.key + 1u != to.key) {
            quaternion back = quaternion_conjugate(load_block_quaternion(c, a + MOTION_ROTATION_WORDS));
            q = quaternion_multiply(q, quaternion_multiply(back, load_block_quaternion(c, b)));
        }
        q = quaternion_multiply(q, rotation_in_interval(c, b, share_of_word(to.part)));
    }
    return quaternion_normalize(q);
}

OP rigid rigid_between(control c, address motion, motion_place from, motion_place to) {
    address rotations = READ(c.block, motion, MOTION, rotations);
    // Without rotations, the axes of this are those at `from`; else those of the track.
    displacement d = displacement_between(c, motion, from, to);
    rigid r = rigid_of_displacement(d);
    if (rotations != 0u) {
        address key = rotations + from.key * MOTION_ROTATION_WORDS;
        quaternion there =
            quaternion_multiply(load_block_quaternion(c, key), rotation_in_interval(c, key, share_of_word(from.part)));
        bool back = to.key < from.key || (to.key == from.key && to.part < from.part);
        motion_place first = from;
        motion_place last = to;
        if (back) {
            first = to;
            last = from;
        }
        r.t = rotate_vector(quaternion_conjugate(quaternion_normalize(there)), r.t);
        r.q = rotation_between(c, rotations, first, last);
        if (back) {
            r.q = quaternion_conjugate(r.q);
        }
    }
    return r;
}

// As displacement_along().
OP rigid rigid_along(control c, address motion, passage p, ticks duration) {
    motion_place from = find_motion_place(c, motion, p.from, duration);
    motion_place to = find_motion_place(c, motion, p.to, duration);
    uint last = READ(c.block, motion, MOTION, intervals);
    motion_place first_end = make_motion_place(p.backwards ? 0u : last, 0u);
    motion_place other_end = make_motion_place(p.backwards ? last : 0u, 0u);
    rigid whole = make_rigid(make_vector(0.0f, 0.0f, 0.0f), NO_ROTATION);
    for (address i = 0u; i < 3u; i++) {
        bool begins = i == 0u;
        bool ends = i == 2u;
        uint times = begins ? 1u : (p.ends == 0u ? 0u : (ends ? 1u : p.ends - 1u));
        if (times > 0u) {
            motion_place a = make_motion_place(begins ? from.key : other_end.key, begins ? from.part : 0u);
            bool arrives = ends || p.ends == 0u;
            motion_place b = make_motion_place(arrives ? to.key : first_end.key, arrives ? to.part : 0u);
            rigid r = rigid_between(c, motion, a, b);
            for (uint left = times; left > 0u; left = left >> 1u) {
                if ((left & 1u) != 0u) {
                    whole = join_rigids(whole, r);
                }
                if (left > 1u) {
                    r = join_rigids(r, r);
                }
            }
        }
    }
    return whole;
}

// A quaternion in the state. All 0 is no rotation.
OP quaternion state_quaternion(control c, address at) {
    quaternion q = make_quaternion(state_number(c, at), state_number(c, at + 1u), state_number(c, at + 2u),
                                   state_number(c, at + 3u));
    return quaternion_normalize_or(q, QUATERNION_VANISHED, NO_ROTATION);
}

OP void set_state_quaternion(control c, address at, quaternion q) {
    set_state_word(c, at, BITS(q.x));
    set_state_word(c, at + 1u, BITS(q.y));
    set_state_word(c, at + 2u, BITS(q.z));
    set_state_word(c, at + 3u, BITS(q.w));
}

OP quaternion orientation_of(control c, address character_motion) {
    return state_quaternion(c, motion_state(c, character_motion) + FIELD(MOVING_FULLY, orientation));
}

// Moves along the axes that the orientation gives, and sets the orientation to another one.
OP void shift_fully(control c, address character_motion, quaternion orientation, vector t, quaternion next) {
    address at = motion_state(c, character_motion);
    vector moved = rotate_vector(orientation, t);
    shift_component(c, at + FIELD(MOVING, position), moved.x);
    shift_component(c, at + FIELD(MOVING, position) + 2u, moved.y);
    shift_component(c, at + FIELD(MOVING, position) + 4u, moved.z);
    set_state_quaternion(c, at + FIELD(MOVING_FULLY, orientation), quaternion_normalize(next));
}

// The direction of half an angle, whose direction is a unit vector.
OP direction halve_direction(direction d) {
    real square = 0.5f + 0.5f * magnitude_of(d.cosine);
    real inverse = reciprocal_root(square);
    real larger = square * inverse;
    real smaller = (0.5f * d.sine) * inverse;
    direction half_of = make_direction(smaller, larger);
    if (d.cosine < 0.0f) {
        half_of = make_direction(d.sine < 0.0f ? -larger : larger, magnitude_of(smaller));
    }
    return half_of;
}

// Whether the angle of a direction, on the shorter side, exceeds a limit of at most half a turn.
OP bool exceeds_direction(direction d, direction limit) {
    real sine = magnitude_of(d.sine);
    bool beyond = sine > limit.sine;
    if (d.cosine < 0.0f) {
        beyond = limit.cosine >= 0.0f || sine < limit.sine;
    } else if (limit.cosine < 0.0f) {
        beyond = false;
    }
    return beyond;
}

// Half of the turn towards the desired heading, about y. A character that faces straight up or down does not turn.
OP quaternion half_turn_to_heading(control c, address character_motion, real desired, quaternion orientation,
                                   real seconds) {
    vector forward = rotate_vector(orientation, make_vector(0.0f, 0.0f, 1.0f));
    real square = snap(forward.x * forward.x + forward.z * forward.z);
    real inverse = reciprocal_root(square);
    real sine = forward.x * inverse;
    real cosine = forward.z * inverse;
    direction aim = direction_of_angle(angle_of_turns(turns_of_radians(snap(desired))));
    direction turn =
        make_direction(snap(aim.sine * cosine - aim.cosine * sine), snap(aim.cosine * cosine + aim.sine * sine));
    real rate = READ_FLOAT(c.block, character_motion, CHARACTER_MOTION, turn_rate); // turns per second
    real most = rate * seconds;
    if (rate > 0.0f && most < 0.5f) {
        direction limit = direction_of_angle(angle_of_turns(most));
        if (exceeds_direction(turn, limit)) {
            turn = make_direction(turn.sine < 0.0f ? -limit.sine : limit.sine, limit.cosine);
        }
    }
    bool turns = is_finite(desired) && square > 9.53674316e-07f &&
                 READ(c.block, character_motion, CHARACTER_MOTION, turns_to_heading) != 0u;
    direction quarter = halve_direction(halve_direction(turn));
    return make_quaternion(0.0f, turns ? quarter.sine : 0.0f, 0.0f, turns ? quarter.cosine : 1.0f);
}

// As drive_character_motion().
OP_NOINLINE void drive_fully(control c, address character_motion) {
    if (READ(c.block, character_motion, CHARACTER_MOTION, is_driven) == 0u) {
        return;
    }
    real seconds = seconds_of_fine(fine_of_ticks(c.step));
    displacement desired = desired_displacement(c, character_motion);
    quaternion orientation = orientation_of(c, character_motion);
    quaternion turn = half_turn_to_heading(c, character_motion, desired.turns, orientation, seconds);
    displacement moved = accelerate(c, character_motion, desired, seconds);
    orientation = quaternion_normalize(quaternion_multiply(turn, orientation));
    shift_fully(c, character_motion, orientation, make_vector(moved.x, moved.y, moved.z),
                quaternion_multiply(turn, orientation));
    write_velocity(c, character_motion);
}

OP rigid rigid_moved_by_clips(control c, address character_motion) {
    displacement d = moved_by_clips(c, character_motion);
    return make_rigid(make_vector(d.x, d.y, d.z),
                      state_quaternion(c, moved_state(c, character_motion) + FIELD(MOVED_FULLY, rotation)));
}

// Moves the character by the root motion of this step, and adds it to that of the frame.
OP void add_fully(control c, address character_motion, rigid step) {
    rigid whole = join_rigids(rigid_moved_by_clips(c, character_motion), step);
    set_moved_by_clips(c, character_motion, make_displacement(whole.t.x, whole.t.y, whole.t.z, 0.0f));
    set_state_quaternion(c, moved_state(c, character_motion) + FIELD(MOVED_FULLY, rotation), whole.q);
    quaternion orientation = orientation_of(c, character_motion);
    shift_fully(c, character_motion, orientation, step.t, quaternion_multiply(orientation, step.q));
}

// Writes position and orientation as floats for renderers.
OP_NOINLINE void show_fully(control c, address character_motion) {
    address at = motion_state(c, character_motion);
    for (address i = 0u; i < 3u; i++) {
        ticks component = state_ticks(c, at + FIELD(MOVING, position) + 2u * i);
        STORE(c.motions, CHARACTER_MOTION_AT(c, i), BITS(real_of_fixed(component)));
    }
    quaternion q = orientation_of(c, character_motion);
    STORE(c.motions, CHARACTER_MOTION_AT(c, 3u), BITS(q.x));
    STORE(c.motions, CHARACTER_MOTION_AT(c, 4u), BITS(q.y));
    STORE(c.motions, CHARACTER_MOTION_AT(c, 5u), BITS(q.z));
    STORE(c.motions, CHARACTER_MOTION_AT(c, 6u), BITS(q.w));
}

// The matrix from model space to the world, of position and orientation.
OP affine matrix_of_motion(control c, address character_motion) {
    address at = motion_state(c, character_motion);
    transform placed = identity_transform();
    placed.t = make_vector(real_of_fixed(state_ticks(c, at + FIELD(MOVING, position))),
                           real_of_fixed(state_ticks(c, at + FIELD(MOVING, position) + 2u)),
                           real_of_fixed(state_ticks(c, at + FIELD(MOVING, position) + 4u)));
    if (ROTATES_FULLY(c, character_motion)) {
        placed.q = orientation_of(c, character_motion);
    }
    affine matrix = affine_from_transform(placed);
    if (!ROTATES_FULLY(c, character_motion)) {
        direction heading = direction_of_angle(state_word(c, at + FIELD(MOVING, yaw)));
        matrix.xx = heading.cosine;
        matrix.xz = heading.sine;
        matrix.zx = -heading.sine;
        matrix.zz = heading.cosine;
    }
    return snap_affine(matrix);
}

OP void store_matrix_row(control c, address at, matrix_row row) {
    STORE(MATRICES(c), MATRIX_AT(c, at), BITS(row.x));
    STORE(MATRICES(c), MATRIX_AT(c, at + 1u), BITS(row.y));
    STORE(MATRICES(c), MATRIX_AT(c, at + 2u), BITS(row.z));
    STORE(MATRICES(c), MATRIX_AT(c, at + 3u), BITS(row.t));
}

// Writes the matrix for world transforms and renderers.
OP_NOINLINE void write_matrix(control c, address character_motion) {
    affine matrix = matrix_of_motion(c, character_motion);
    store_matrix_row(c, 0u, row_x(matrix));
    store_matrix_row(c, 4u, row_y(matrix));
    store_matrix_row(c, 8u, row_z(matrix));
}

#endif
