// Memory layout of inertialization: parameters, and the memory that a batch keeps for each character.
#ifndef LMB_OPS_INERTIA_LAYOUT_H
#define LMB_OPS_INERTIA_LAYOUT_H

// Consecutive parameters, in the order of lmb_inertia_parameter.
#define INERTIA_NUMBER 0u   // frame number, an integer that wraps to 0 after INERTIA_LAST_NUMBER
#define INERTIA_STEP 1u     // seconds between the two previous frames
#define INERTIA_SWITCHED 2u // frame number of the last switch
#define INERTIA_TIME 3u     // seconds since the frame before the switch
#define INERTIA_DURATION 4u // seconds, 0 for none
#define INERTIA_PARAMETERS 5u
#define INERTIA_LAST_NUMBER 0xffffffu

// A joint's words. Each word is stored for all joints of a character before the next word.
#define INERTIA_SHOWN 0u   // two poses: of even and of odd frame numbers
#define INERTIA_OFFSET 20u // a pose,
#define INERTIA_RATES 30u  // and its three rates
#define INERTIA_STAMPS 33u // of the two poses: 1 plus the frame number, or 0 if there is none
#define INERTIA_TAKEN 35u  // 1 plus the number of the frame in which the offset was taken, or 0 if there is none
#define INERTIA_WORDS 36u

#endif
