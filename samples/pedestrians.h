// People on a plane who go from place to place, some of them at a run, and around others. They say at which velocity
// they want to go, and whoever moves them says where they are. The viewer uses it, and the playground, as WebAssembly.
#ifndef LIMBER_SAMPLES_PEDESTRIANS_H
#define LIMBER_SAMPLES_PEDESTRIANS_H

#include <stdint.h>

#define PEDESTRIANS_CELLS 256u

// In metres and seconds; x and z, with headings in radians from z to x. The playground reads it as 8 floats.
typedef struct pedestrian {
    float position[2]; // set by the host, and so is the heading
    float heading;
    float velocity[2]; // desired, set by pedestrians_walk()
    float goal[2];
    float waits; // seconds that it stays there
} pedestrian;

typedef struct pedestrians {
    pedestrian *list;
    uint32_t count;
    float radius; // of the circle in which the goals are
    float room;   // how much more space each needs than one that is higher than long; at least 1
    float walk_speed, run_speed;
    uint32_t cells[PEDESTRIANS_CELLS * PEDESTRIANS_CELLS]; // which of them is in each cell
} pedestrians;

// Stores a place for a member: like a sunflower's seeds, with random offsets. Uses random_chance() with the purposes 3
// and 4.
void pedestrian_place(uint32_t member, float spacing, float position[2]);

// Finds who is near whom. To be called after they have moved, before the functions below.
void pedestrians_locate(pedestrians *people);

// How one avoids others: how strongly it turns to the left, away from those in front, and how it steps aside, to the
// left and ahead, from those too near to walk around.
typedef struct pedestrian_avoidance {
    float turn;
    float left;
    float ahead;
} pedestrian_avoidance;

pedestrian_avoidance pedestrian_avoid(const pedestrians *people, uint32_t index);

// Sets the desired velocities of all from `first` on, `seconds` after the frame before. Frames count from 0.
void pedestrians_walk(pedestrians *people, uint32_t first, uint32_t frame, float seconds);

#endif
