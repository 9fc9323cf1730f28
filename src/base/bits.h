// Which bits this library computes: hashes of scenarios that use every operation, with which tests compare all
// evaluators on all devices. A library with other hashes gives other poses, states or emitted events for the same
// graph.
#ifndef LIMBER_SRC_BASE_BITS_H
#define LIMBER_SRC_BASE_BITS_H

#include <stdint.h>

#define BITS_OF_POSES UINT64_C(0x77e1ce6c0835d103)
#define BITS_OF_OUTPUTS UINT64_C(0xd1a7c045f33133b1)
#define BITS_OF_CONTROL UINT64_C(0xb52554ffdba0b972)
#define BITS_OF_MOTION UINT64_C(0x7a1e74549328d20c)

#endif
