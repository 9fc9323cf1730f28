// Memory that a batch keeps for each character from frame to frame, for operations that have a time.
//
// There are two slots. A frame reads the slot of the frame before it and writes the other one, so joints that run at
// the same time, and a second run of a frame, read the same. Times distinguish the slots: each has a stamp, 1 plus the
// bits of the time of its frame, or 0 if it is empty.
#ifndef LMB_OPS_SLOTS_H
#define LMB_OPS_SLOTS_H

#include "records.h"

#define SLOT_PERIOD 1024.0f // seconds after which times repeat
#define SLOT_LONGEST 0.5f   // seconds of a frame; after a longer one everything begins anew

// The two slots.
STRUCT(kept_slots)
word from; // offset of the slot of the frame before
word to;   // offset of the other one
real time; // of the frame before
real age;  // since then
END_STRUCT(kept_slots)

// Wraps a time to [0, SLOT_PERIOD).
OP real wrap_time(real time) {
    real wrapped = time - SLOT_PERIOD * FLOOR(time * 0.0009765625f);
    return SELECT(AND(wrapped >= 0.0f, wrapped < SLOT_PERIOD), snap_small(wrapped), SPLAT(0.0f));
}

// The time of a stamp, whatever its bits.
OP real stamped_time(word stamp) {
    return clamp_real(snap(REAL(stamp - 1u)), 0.0f, SLOT_PERIOD);
}

// The time since a stamp; SLOT_PERIOD if there is none.
OP real stamp_age(real time, word stamp) {
    real age = time - stamped_time(stamp);
    age = SELECT(age < 0.0f, age + SLOT_PERIOD, age);
    return SELECT(stamp == ALL_WORD(0u), SPLAT(SLOT_PERIOD), age);
}

// `at` is the offset of the first slot, `words` the distance to the second, `stamp` that of the stamp in a slot. The
// frame's own slot is that of its time, if it ran before, or else the older one.
OP kept_slots find_slots(mutable_memory kept, word at, uint words, uint stamp, real time) {
    word other = at + words;
    word first = GATHER(kept, at + stamp);
    word second = GATHER(kept, other + stamp);
    real first_age = stamp_age(time, first);
    real second_age = stamp_age(time, second);
    lane_mask to_first = OR(first_age == 0.0f, AND(second_age != 0.0f, first_age > second_age));
    word apart = SELECT_BITS(to_first, ALL_WORD(words));
    kept_slots s;
    s.from = at + apart;
    s.to = other - apart;
    s.time = SELECT(to_first, stamped_time(second), stamped_time(first));
    s.age = SELECT(to_first, second_age, first_age);
    return s;
}

// Loads and stores a vector whose components are `apart` words from each other.
OP vector load_kept_point(mutable_memory kept, word at, uint apart) {
    return make_vector(snap(GATHER_REAL(kept, at)), snap(GATHER_REAL(kept, at + apart)),
                       snap(GATHER_REAL(kept, at + 2u * apart)));
}

OP void store_kept_point(mutable_memory kept, word at, uint apart, vector p, lane_mask stored) {
    SCATTER(kept, at, BITS(p.x), stored);
    SCATTER(kept, at + apart, BITS(p.y), stored);
    SCATTER(kept, at + 2u * apart, BITS(p.z), stored);
}

// Lanes that keep what they compute: those with a character, a weight, and a level of detail that has the joint.
OP lane_mask stores_slot(evaluation e, real weight) {
    lane_mask stored = AND(e.counts, weight > 0.0f);
    if (USES_LOD && HEADER(e.program, PROGRAM, lod) != 0u) {
        stored = AND(stored, NOT(joint_is_dropped(e.program, e.joint, lod_level(e))));
    }
    return stored;
}

#endif
