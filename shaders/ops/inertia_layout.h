// Layout in what inertialization reads of a character: parameters, and the memory that a batch keeps.
#ifndef LMB_OPS_INERTIA_LAYOUT_H
#define LMB_OPS_INERTIA_LAYOUT_H

// Parameters, one after another, in the order of lmb_inertia_parameter.
#define INERTIA_NUMBER 0u   // of the frame: whole, from 0 to INERTIA_LAST_NUMBER, and on from 0
#define INERTIA_STEP 1u     // seconds between the two frames before
#define INERTIA_SWITCHED 2u // the number of the frame in which the last switch was
#define INERTIA_TIME 3u     // seconds since the frame before that
#define INERTIA_DURATION 4u // seconds, 0 for none
#define INERTIA_PARAMETERS 5u
#define INERTIA_LAST_NUMBER 0xffffffu

// A joint's words, each of all joints of a character in a row.
#define INERTIA_SHOWN 0u   // two poses: of frames of even numbers, of odd ones
#define INERTIA_OFFSET 20u // a pose,
#define INERTIA_RATES 30u  // then three rates
#define INERTIA_STAMPS 33u // of the two poses: 1 and the number of the frame, 0 for none
#define INERTIA_TAKEN 35u  // 1 and the number of the frame in which the offset was taken, 0 for none
#define INERTIA_WORDS 36u

#endif
